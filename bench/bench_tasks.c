// What: what it costs to hand out work: an empty loop and many tiny tasks, beside OpenMP in the same run.
// Holds: before each run of more than one worker, the other side's threads get time to go to sleep (OpenMP's spin
// for some milliseconds and would take a core from ours), and then a loop, not timed, to wake this side's.
#include "bench_base.h"

#include <string.h>

#include "bench_machine.h"
#include "bench_omp.h"
#include "graze/tasks.h"

#define LOOPS_PER_RUN 200

typedef struct LoopWork {
    grzTasks* tasks;
    size_t workers;
    uint32_t count;
    uint32_t grain;
    size_t loops;    // a run
    uint64_t* slots; // one for each item; every loop adds to each
    size_t mixing;   // rounds an item takes
} LoopWork;

// Some nanoseconds a round; the result depends on all of them.
static uint64_t mix(uint64_t number, size_t rounds) {
    for (size_t i = 0; i < rounds; ++i)
        number = (number ^ number >> 29) * 0xbf58476d1ce4e5b9u;
    return number;
}

static void doItems(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    LoopWork* work = context;
    (void)worker;
    for (uint32_t i = begin; i < end; ++i)
        work->slots[i] = mix(i + 1, work->mixing);
}

static void runOurs(void* context) {
    LoopWork* work = context;
    for (size_t i = 0; i < work->loops; ++i)
        grzParallelFor(work->tasks, work->count, work->grain, doItems, work);
}

static void runTheirs(void* context) {
    LoopWork* work = context;
    for (size_t i = 0; i < work->loops; ++i)
        benchOmpFor((int)work->workers, work->count, doItems, work);
}

static void settle(void* context, void (*run)(void* context)) {
    LoopWork* work = context;
    memset(work->slots, 0, work->count * sizeof *work->slots);
    if (work->workers > 1)
        benchSleep(5000000);
    size_t loops = work->loops;
    work->loops = 1;
    run(work);
    work->loops = loops;
}

static void settleOurs(void* context) {
    settle(context, runOurs);
}

static void settleTheirs(void* context) {
    settle(context, runTheirs);
}

static uint64_t slotsDigest(void* context) {
    LoopWork* work = context;
    return Bench_Digest(0, work->slots, work->count * sizeof *work->slots);
}

static void measureLoop(Bench* bench, LoopWork* work, const char* metric, const char* unit, double amount) {
    BenchSide sides[] = {{"graze", settleOurs, runOurs, slotsDigest, NULL, work},
                         {"OpenMP", settleTheirs, runTheirs, slotsDigest, NULL, work}};
    BenchJob job = {.metric = metric,
                    .unit = unit,
                    .amount = amount,
                    .n = work->count,
                    .workers = work->workers,
                    .sides = sides,
                    .sideCount = benchHasOmp() ? 2 : 1};
    Bench_Measure(bench, &job);
}

// Makes the workers and the slots, and measures.
static void measureWith(Bench* bench, LoopWork* work, const char* metric, const char* unit, double amount) {
    grzTasksDef def = grzDefaultTasksDef();
    def.workerCount = (uint32_t)work->workers;
    def.allocator = bench->allocator;
    work->slots = Bench_Allocate(bench, work->count, sizeof *work->slots);
    if (!grzResult_IsOk(grzTasks_Create(&def, &work->tasks)))
        Bench_Fail(bench, "%s: no %zu workers could be had", bench->running->name, work->workers);
    else if (work->slots != NULL)
        measureLoop(bench, work, metric, unit, amount);
    grzTasks_Destroy(work->tasks);
    Bench_Release(bench, work->slots, work->count, sizeof *work->slots);
}

// As many items as workers and nothing to do for them: what a loop costs by itself.
void benchParallelEmpty(Bench* bench) {
    size_t workers[2], count = Bench_Workers(bench, workers);
    for (size_t i = 0; i < count; ++i) {
        LoopWork work = {.workers = workers[i], .count = (uint32_t)workers[i], .grain = 1};
        work.loops = bench->options->quick ? LOOPS_PER_RUN / 10 : LOOPS_PER_RUN;
        measureWith(bench, &work, "loop", "ns/loop", (double)work.loops);
    }
}

void benchTinyTasks(Bench* bench) {
    size_t workers[2], count = Bench_Workers(bench, workers);
    for (size_t i = 0; i < count; ++i) {
        LoopWork work = {.workers = workers[i], .grain = 1, .loops = 1, .mixing = 64};
        work.count = (uint32_t)Bench_Size(bench, 10000, 1000);
        measureWith(bench, &work, "task", "ns/task", (double)work.count);
    }
}
