// Command lines: a table of options in, values in the caller's variables and one sentence about what is wrong out.
//
//   const char* output = NULL; uint64_t steps = 100; bool quiet = false;
//   const Option options[] = {
//       {"--steps", option_count, &steps, "N", "how many steps (100)"},
//       {"--out", option_text, &output, "FILE", "where to write"},
//       {"--quiet", option_flag, &quiet, NULL, "say nothing"},
//   };
//   OptionError error;
//   if (!parseOptions(&arguments, options, COUNT(options), &error)) ...
//
// Options and plain arguments may be mixed; `--name value` and `--name=value` are the same; what follows
// `--` is plain.
#ifndef GRAZE_APP_OPTIONS_H
#define GRAZE_APP_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef enum OptionKind {
    option_flag, // bool*: set to true
    option_text, // const char**: the argument itself, not copied. With `most`: an array of so many, filled in order
    option_count, // uint64_t*: a decimal number, no sign; from least to most where most is not 0
    option_real,  // double*: a finite number
} OptionKind;

typedef struct Option {
    const char* name; // with its dashes
    OptionKind kind;
    void* target;
    const char* value; // how the help names the value; NULL for a flag
    const char* help;
    uint64_t least, most; // 0 where they do not matter
} Option;

// The arguments in; after parsing only the plain ones, in their order.
typedef struct Arguments {
    int count;
    char** values;
} Arguments;

typedef struct OptionError {
    char text[256];
} OptionError;

// The exit codes of every program here.
enum { exit_done = 0, exit_no = 1, exit_bad = 2 };

// False, and one sentence, at the first argument that is not understood. Moves the plain arguments to the front
// of arguments->values.
bool parseOptions(Arguments* arguments, const Option* options, size_t optionCount, OptionError* error);

// The first call of a program: false, after a sentence on standard error, where GRZ_SIMD names no level or one that
// this machine lacks (graze/simd_level.h).
bool acceptEnvironment(const char* program);

// The last call of a program: sees that all of standard output got out. Returns `code`, or exit_bad after a
// sentence on standard error where it did not.
int finishOutput(const char* program, int code);

// A line for each option, aligned.
void printOptions(FILE* file, const Option* options, size_t optionCount);

#endif
