// What graze-bench is asked to do: the command line, read and checked.
#ifndef GRAZE_BENCH_OPTIONS_H
#define GRAZE_BENCH_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define BENCH_LEAST_REPEATS 5

// Options that a case makes use of (BenchCase.uses).
enum {
    bench_usesN = 1 << 0,
    bench_usesWorkers = 1 << 1,
    bench_usesMesh = 1 << 2,
    bench_usesSecondMesh = 1 << 3, // of --mesh given twice
    bench_usesSequence = 1 << 4,
    bench_usesQueries = 1 << 5,
    bench_usesFrames = 1 << 6,
    bench_usesPeers = 1 << 7,
    bench_usesPlots = 1 << 8, // the folder of --svg
};

// The texts point into the arguments they were read from. NULL or 0: not given.
typedef struct BenchOptions {
    const char* stage;
    const char* caseName;
    const char* meshA;
    const char* meshB;
    const char* sequence; // --pc2
    const char* queries;
    const char* frames;
    const char* json;
    const char* svg; // a folder for plots
    size_t n;
    size_t workers;
    size_t repeats; // never 0: the default is filled in
    bool quick;
    bool peers;
    bool list;
    bool help;
} BenchOptions;

// Reads the arguments after the program's name. Where they are wrong: false, and one sentence without a line break
// in `error`, which has room for `capacity` bytes. Reorders the arguments. Whether the stage and the case exist is
// benchRun's to say.
bool BenchOptions_Read(BenchOptions* options, int count, char** arguments, char* error, size_t capacity);

// The first option that was given and is not among `uses`, as a user calls it; NULL: there is none.
const char* BenchOptions_FindUnused(const BenchOptions* options, unsigned uses);

// A line for each option.
void BenchOptions_Print(FILE* out);

#endif
