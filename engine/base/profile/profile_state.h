// What: how a profile is laid out, for the files that share it (profile.c, profile_step.c, profile_trace.c).
//
//   grzProfile
//     workers[w]                     a line of its own, written by worker w alone
//       head ----------------+       zones closed so far; stored with release after the entry
//       ring: [ 8 | 9 | 6 | 7 ]      zone i of that count lies at i & mask: 6..9 are held, 0..5 are gone
//       stages[s], counters[c]       sums of the running step
//     steps[slot]                    ring of past steps, slot = step & mask
//     counterHistory[c * stepCapacity + slot]
//
// Holds: entries of one ring are in the order in which they were closed, so inner zones come before outer ones: an
// entry lies inside the next one of smaller depth, unless the zone right around it is still open.
#ifndef GRAZE_BASE_PROFILE_STATE_H
#define GRAZE_BASE_PROFILE_STATE_H

#include <stdatomic.h>

#include "array.h"
#include "graze/profile.h"
#include "profile_clock.h"
#include "uses.h"

// A closed zone, in ticks.
typedef struct grzZoneEntry {
    uint64_t begin, end;
    const char *name, *reason;
    uint32_t depth, stage;
} grzZoneEntry;

// The sums of one stage on one worker in the running step, in ticks.
typedef struct grzStageSum {
    uint64_t own;         // see grzStageTime
    uint64_t first, last; // the earliest begin and the latest end
    uint64_t zoneCount;
} grzStageSum;

typedef struct grzCounts {
    GRZ_ARRAY(uint64_t);
} grzCounts;

typedef struct grzCounterTable {
    GRZ_ARRAY(grzCounterValue);
} grzCounterTable;

#define GRZ_WORKER_ALIGNMENT 128 // two cache lines: neighbours are fetched in pairs

typedef struct grzProfileWorker {
    _Alignas(GRZ_WORKER_ALIGNMENT) _Atomic uint64_t head;
    grzZoneEntry* ring;
    uint64_t inside; // ticks of the closed zones directly inside the innermost open one
    uint32_t depth;  // open zones
    uint32_t misuseCount;
    uint64_t stepHead; // head at the last BeginStep
    grzCounts counters;
    grzStageSum stages[grz_stageCount];
} grzProfileWorker;

// A past step, in ticks.
typedef struct grzStepEntry {
    uint64_t begin, end;
} grzStepEntry;

struct grzProfile {
    uint32_t mark;
    uint32_t workerCount, zoneCapacity, stepCapacity;
    bool usesTicks; // else `clock` gives the ticks, which are nanoseconds
    bool inStep;
    grzProfileClockFn* clock;
    void* clockContext;
    grzProfileBeginFn* begin;
    grzProfileEndFn* end;
    void* hostContext;
    grzProfileWorker* workers;
    _Atomic uint64_t misuseCount; // of calls that name no worker, and of the owner's; the rest is the workers'

    grzAllocator allocator;
    grzTimeLine line;
    uint64_t stepBegin, stepCount;
    grzStepEntry* steps;
    grzCounts counterHistory;
    grzCounterTable counters; // of the last step
    uint64_t* workerBusy;
    grzUses uses;    // by worlds
    uint32_t* links; // scratch of the trace: 2 * zoneCapacity
    grzStepSummary summary;
};

static inline uint64_t grzProfile_Now(const grzProfile* profile) {
    return profile->usesTicks ? grzReadTicks() : profile->clock(profile->clockContext);
}

// Zones that the ring of a worker has taken and how many of them it holds.
static inline uint64_t grzProfileWorker_Head(const grzProfileWorker* worker) {
    return atomic_load_explicit(&worker->head, memory_order_acquire); // pairs with the release in EndZone
}

static inline uint64_t grzProfile_Lost(const grzProfile* profile, uint64_t head) {
    return head > profile->zoneCapacity ? head - profile->zoneCapacity : 0;
}

#endif
