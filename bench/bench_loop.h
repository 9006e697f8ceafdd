// A parallel loop as a job: grzParallelFor beside OpenMP's, which may use no more threads.
//
// OpenMP's idle threads spin for some milliseconds and would take a core from ours. So before each run of more than
// one worker there is a pause, in which all threads go to sleep; then, unless the job wants them asleep, a loop
// that is not timed wakes those of this side.
#ifndef GRAZE_BENCH_BENCH_LOOP_H
#define GRAZE_BENCH_BENCH_LOOP_H

#include "bench.h"
#include "graze/tasks.h"

typedef struct LoopJob LoopJob;

// What an item gets as its context.
typedef struct LoopSide {
    const LoopJob* job;
    grzTasks* tasks;        // ours
    uint64_t pause;         // nanoseconds
    uint64_t* slots;        // slotCount; zeros before every run
    _Atomic uint32_t begun; // items, since then; counted by those that meet
    uint32_t due;           // what `begun` is once every item of this loop has
    _Atomic bool failed;    // to meet
} LoopSide;

struct LoopJob {
    const char* variant;
    const char* metric;
    const char* unit;
    size_t workers;
    uint32_t count; // items a loop; each is a block
    size_t loops;   // a run
    bool isAsleep;  // a run begins with sleeping threads
    grzTaskFn* fn;  // its context is the LoopSide
    size_t slotCount;
    uint64_t (*expected)(const LoopJob* job, size_t slot); // in the slot after a run
};

// Makes the threads and the slots, and measures. The amount is that of all items, or of loops where `perLoop`.
void benchLoop(Bench* bench, const LoopJob* job, bool perLoop);

#endif
