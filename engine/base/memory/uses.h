// How many others point at an object that the host may not destroy before them.
//
//   if (!grzUses_AreOver(&tasks->uses, "tasks", "worlds"))     // in Destroy: an error is logged, and the object stays
//       return;
//
// Threads: any. Counts are kept in release builds as well: a use is made once for a body or a world, never in a step.
#ifndef GRAZE_BASE_USES_H
#define GRAZE_BASE_USES_H

#include <stdatomic.h>

#include "check.h"

// Begins as zeros.
typedef struct grzUses {
    _Atomic uint32_t count;
} grzUses;

// NULL is fine.
static inline void grzUses_Begin(grzUses* uses) {
    if (uses != NULL)
        atomic_fetch_add_explicit(&uses->count, 1, memory_order_relaxed); // the host orders it before Destroy
}

static inline void grzUses_End(grzUses* uses) {
    if (uses != NULL)
        atomic_fetch_sub_explicit(&uses->count, 1, memory_order_release); // what the user read, it has read
}

static inline bool grzUses_AreOver(const grzUses* uses, const char* what, const char* users) {
    const uint32_t count = atomic_load_explicit(&uses->count, memory_order_acquire);
    if (count != 0)
        grzLog(grz_logError, "the %s stays, since %u %s still use it: they must go first", what, count, users);
    return count == 0;
}

#endif
