// The commands of the program `graze`. Each takes what follows its name and returns an exit code of options.h: 0
// done, 1 the answer is no, 2 bad use or bad input, after one sentence on standard error.
#ifndef GRAZE_APP_COMMANDS_H
#define GRAZE_APP_COMMANDS_H

#include "options.h"

int runInspect(Arguments arguments);
int runMake(Arguments arguments);
int runRun(Arguments arguments);

// Prints "graze COMMAND: SENTENCE" on standard error and returns exit_bad.
int refuse(const char* command, const char* sentence);

#endif
