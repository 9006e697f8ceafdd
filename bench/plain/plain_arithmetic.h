// What: a loop of plain arithmetic without memory, on the workers of tasks: what the cores of the machine give, beside which the gain
// of something else on several workers is to be seen.
// Holds: sum i depends on i alone and is never 0.
#ifndef GRAZE_BENCH_PLAIN_ARITHMETIC_H
#define GRAZE_BENCH_PLAIN_ARITHMETIC_H

#include <stdbool.h>
#include <stdint.h>

#include "graze/tasks.h"

// Some hundred nanoseconds for each sum; tasks: NULL, or those that share the loop, `grain` sums at a time.
void PlainArithmetic_Run(grzTasks* tasks, uint64_t* sums, uint32_t count, uint32_t grain);

// Whether they are those of Run.
bool PlainArithmetic_IsDone(const uint64_t* sums, uint32_t count);

#endif
