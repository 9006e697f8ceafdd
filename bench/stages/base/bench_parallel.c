// What: what a parallel loop costs by itself: as many items as workers, and next to nothing to do for them.
//
// Two questions, each asked hot (loops back to back) and after a pause in which all threads went to sleep.
//   nobody-needed  an item is one addition. The caller may do all of it before anyone else is there, and ours does,
//                  where OpenMP's loop waits for its threads in any case. What tiny loops cost, not what threads
//                  do.
//   all-needed     every item waits until all have begun, so that every thread must take part: a true fork and
//   join,
//                  the same on both sides.
#define _POSIX_C_SOURCE 200809L
#include "bench_base.h"

#include <sched.h>
#include <stdatomic.h>

#include "bench_loop.h"
#include "bench_machine.h"

#define LOOPS_PER_RUN       200
#define QUICK_LOOPS_PER_RUN 3 // each may take milliseconds where cores are busy
#define STRIDE              8 // slots: a cache line for each that is written
#define LOOKS_PER_YIELD     100
#define LONGEST_WAIT        5000000000u // nanoseconds

static void addOne(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    LoopSide* side = context;
    (void)worker;
    for (uint32_t i = begin; i < end; ++i)
        side->slots[STRIDE * i]++;
}

static bool haveAllBegun(LoopSide* side) {
    return atomic_load_explicit(&side->begun, memory_order_acquire) >= side->due;
}

// Looks, and now and then lets others have the core, who may be those that are waited for. Whoever waits for
// seconds waits for a thread that will never come: the row is then not the same, and nobody waits again.
static void waitForAll(LoopSide* side) {
    uint64_t start = benchNow();
    while (!side->failed) {
        for (size_t looks = 0; looks < LOOKS_PER_YIELD; ++looks)
            if (haveAllBegun(side))
                return;
        sched_yield();
        if (benchNow() - start > LONGEST_WAIT)
            side->failed = true;
    }
}

// An item is a block, and a thread that waits in one cannot take another, so that each thread counts one a loop.
static void meet(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    LoopSide* side = context;
    atomic_fetch_add(&side->begun, end - begin);
    if (!haveAllBegun(side))
        waitForAll(side);
    side->slots[STRIDE * worker]++;
}

static uint64_t onceALoop(const LoopJob* job, size_t slot) {
    return slot % STRIDE == 0 ? job->loops : 0;
}

static void measureLoops(Bench* bench, size_t workers, const char* variant, grzTaskFn* fn, bool isAsleep) {
    LoopJob job = {.variant = variant,
                   .metric = "loop",
                   .unit = "ns/loop",
                   .workers = workers,
                   .count = (uint32_t)workers,
                   .isAsleep = isAsleep,
                   .fn = fn,
                   .slotCount = STRIDE * workers,
                   .expected = onceALoop};
    job.loops = isAsleep ? 1 : bench->options->quick ? QUICK_LOOPS_PER_RUN : LOOPS_PER_RUN;
    benchLoop(bench, &job, true);
}

void benchParallelLoop(Bench* bench) {
    size_t workers[2], count = Bench_Workers(bench, workers);
    for (size_t i = 0; i < count; ++i) {
        measureLoops(bench, workers[i], "nobody-needed", addOne, false);
        if (workers[i] == 1)
            continue;
        measureLoops(bench, workers[i], "all-needed", meet, false);
        measureLoops(bench, workers[i], "nobody-needed-asleep", addOne, true);
        measureLoops(bench, workers[i], "all-needed-asleep", meet, true);
    }
}
