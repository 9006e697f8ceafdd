// What: the two sides of a parallel loop.
#include "bench_loop.h"

#include <string.h>

#include "bench_machine.h"
#include "bench_omp.h"

#define PAUSE_NANOSECONDS       20000000u
#define QUICK_PAUSE_NANOSECONDS 1000000u // where no time counts

static void oursOnce(LoopSide* side) {
    const LoopJob* job = side->job;
    side->due += job->count;
    grzParallelFor(side->tasks, job->count, 1, job->fn, side);
}

static void theirsOnce(LoopSide* side) {
    const LoopJob* job = side->job;
    side->due += job->count;
    benchOmpFor((int)job->workers, job->count, job->fn, side);
}

static void runOurs(void* context) {
    LoopSide* side = context;
    for (size_t i = 0; i < side->job->loops; ++i)
        oursOnce(side);
}

static void runTheirs(void* context) {
    LoopSide* side = context;
    for (size_t i = 0; i < side->job->loops; ++i)
        theirsOnce(side);
}

static void prepare(LoopSide* side, void (*once)(LoopSide* side)) {
    if (side->job->workers > 1) {
        benchSleep(side->pause);
        if (!side->job->isAsleep)
            once(side);
    }
    memset(side->slots, 0, side->job->slotCount * sizeof *side->slots);
    side->begun = 0;
    side->due = 0;
}

static void prepareOurs(void* context) {
    prepare(context, oursOnce);
}

static void prepareTheirs(void* context) {
    prepare(context, theirsOnce);
}

static uint64_t slotsDigest(void* context) {
    LoopSide* side = context;
    return Bench_Digest(0, side->slots, side->job->slotCount * sizeof *side->slots);
}

static bool slotsAgree(void* context) {
    LoopSide* side = context;
    for (size_t i = 0; i < side->job->slotCount; ++i)
        if (side->slots[i] != side->job->expected(side->job, i))
            return false;
    return true;
}

static void measure(Bench* bench, LoopSide works[2], bool perLoop) {
    const LoopJob* job = works[0].job;
    BenchSide sides[] = {{"graze", prepareOurs, runOurs, slotsDigest, slotsAgree, &works[0], NULL},
                         {"OpenMP", prepareTheirs, runTheirs, slotsDigest, slotsAgree, &works[1], NULL}};
    BenchJob timed = {.variant = job->variant,
                      .metric = job->metric,
                      .unit = job->unit,
                      .amount = (double)job->loops * (perLoop ? 1 : job->count),
                      .n = job->count,
                      .workers = job->workers,
                      .sides = sides,
                      .sideCount = benchHasOmp() ? 2 : 1};
    Bench_Measure(bench, &timed);
}

void benchLoop(Bench* bench, const LoopJob* job, bool perLoop) {
    LoopSide works[2] = {{.job = job}, {.job = job}};
    works[0].pause = works[1].pause = bench->options->quick ? QUICK_PAUSE_NANOSECONDS : PAUSE_NANOSECONDS;
    uint64_t* slots = Bench_Allocate(bench, 2 * job->slotCount, sizeof *slots);
    grzTasksDef def = grzDefaultTasksDef();
    def.workerCount = (uint32_t)job->workers;
    def.allocator = bench->allocator;
    if (!grzResult_IsOk(grzTasks_Create(&def, &works[0].tasks)))
        Bench_Fail(bench, "%s: no %zu workers could be had", bench->running->name, job->workers);
    else if (slots != NULL) {
        works[0].slots = slots;
        works[1].slots = slots + job->slotCount;
        measure(bench, works, perLoop);
    }
    grzTasks_Destroy(works[0].tasks);
    Bench_Release(bench, slots, 2 * job->slotCount, sizeof *slots);
}
