// What: work that is done once, by the first thread that needs its result, while the others wait for it.
//
//   if (grzOnce_Begin(&flag)) {
//       ...make it...
//       grzOnce_End(&flag);
//   }
//   ...read it...
//
// Promise: behind Begin, and after End where Begin returned true, everything that was written before End can be read.
// Holds: whoever makes something waits only for things that are made without it, so there is always one who does not wait.
#ifndef GRAZE_BASE_ONCE_FLAG_H
#define GRAZE_BASE_ONCE_FLAG_H

#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { GRZ_ONCE_NONE, GRZ_ONCE_BUSY, GRZ_ONCE_DONE };

typedef _Atomic(uint8_t) grzOnceFlag;

// Where nobody reads: it is to be done again.
static inline void grzOnce_Reset(grzOnceFlag* flag) {
    atomic_store_explicit(flag, GRZ_ONCE_NONE, memory_order_relaxed); // whoever starts the readers orders it
}

static inline bool grzOnce_IsDone(grzOnceFlag* flag) {
    return atomic_load_explicit(flag, memory_order_acquire) == GRZ_ONCE_DONE;
}

// Whether the caller has to do it.
static inline bool grzOnce_Begin(grzOnceFlag* flag) {
    uint8_t none = GRZ_ONCE_NONE;
    if (grzOnce_IsDone(flag))
        return false;
    if (atomic_compare_exchange_strong_explicit(flag, &none, GRZ_ONCE_BUSY, memory_order_acquire,
                                                memory_order_relaxed))
        return true;
    while (!grzOnce_IsDone(flag))
        (void)sched_yield();
    return false;
}

static inline void grzOnce_End(grzOnceFlag* flag) {
    atomic_store_explicit(flag, GRZ_ONCE_DONE, memory_order_release);
}

#endif
