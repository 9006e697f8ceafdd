// What: what it costs to hand out many tiny tasks one by one, beside OpenMP.
#include "bench_base.h"

#include "bench_loop.h"

#define ROUNDS 64 // some 60 ns

// The result depends on all rounds.
static uint64_t mix(uint64_t number) {
    for (size_t i = 0; i < ROUNDS; ++i)
        number = (number ^ number >> 29) * 0xbf58476d1ce4e5b9u;
    return number;
}

static void mixItems(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    LoopSide* side = context;
    (void)worker;
    for (uint32_t i = begin; i < end; ++i)
        side->slots[i] = mix(i + 1);
}

static uint64_t mixed(const LoopJob* job, size_t slot) {
    (void)job;
    return mix(slot + 1);
}

void benchTinyTasks(Bench* bench) {
    size_t workers[2], count = Bench_Workers(bench, workers);
    for (size_t i = 0; i < count; ++i) {
        size_t n = Bench_Size(bench, 10000, 1000);
        LoopJob job = {.metric = "task",
                       .unit = "ns/task",
                       .workers = workers[i],
                       .count = (uint32_t)n,
                       .loops = 1,
                       .fn = mixItems,
                       .slotCount = n,
                       .expected = mixed};
        benchLoop(bench, &job, false);
    }
}
