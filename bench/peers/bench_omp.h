// OpenMP's own parallel loop, where the compiler has it, whether or not graze itself is built with OpenMP.
#ifndef GRAZE_BENCH_OMP_H
#define GRAZE_BENCH_OMP_H

#include <stdbool.h>
#include <stdint.h>

bool benchHasOmp(void);

// Calls fn for each item of [0, count) by itself, on `workers` threads, handed out one by one. Without
// OpenMP: in order.
void benchOmpFor(int workers, uint32_t count,
                 void (*fn)(uint32_t begin, uint32_t end, uint32_t worker, void* context), void* context);

#endif
