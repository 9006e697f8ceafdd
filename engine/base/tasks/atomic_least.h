// The least of numbers that several workers come by: which item is the first to be refused, whoever looks at it.
//
// Threads: any. Relaxed: nothing but the number is handed over, and it is read after all workers have ended.
#ifndef GRAZE_BASE_ATOMIC_LEAST_H
#define GRAZE_BASE_ATOMIC_LEAST_H

#include <stdatomic.h>
#include <stdint.h>

static inline void grzLowerTo(_Atomic uint32_t* least, uint32_t value) {
    uint32_t now = atomic_load_explicit(least, memory_order_relaxed);
    while (value < now &&
           !atomic_compare_exchange_weak_explicit(least, &now, value, memory_order_relaxed, memory_order_relaxed))
        continue;
}

#endif
