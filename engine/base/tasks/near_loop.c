// What: the loop of near_loop.h.
// Holds: next[k] is the first block of stretch k that nobody has claimed; relaxed additions are enough, since a block is claimed
//   by its number alone and the loop around them orders what blocks write.
#include "near_loop.h"

#include <stdatomic.h>

enum { mostStretches = 64 }; // more workers share them

typedef struct Stretch {
    _Alignas(64) atomic_uint next;
    uint32_t end;
} Stretch;

typedef struct NearLoop {
    Stretch stretches[mostStretches];
    uint32_t stretchCount, count, grain;
    grzTaskFn* fn;
    void* context;
} NearLoop;

static void runStretch(NearLoop* loop, Stretch* stretch, uint32_t worker) {
    for (;;) {
        const uint32_t block = atomic_fetch_add_explicit(&stretch->next, 1, memory_order_relaxed);
        if (block >= stretch->end)
            return;
        const uint32_t begin = block * loop->grain;
        const uint32_t end = loop->count - begin < loop->grain ? loop->count : begin + loop->grain;
        loop->fn(begin, end, worker, loop->context);
    }
}

static void runNear(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    NearLoop* loop = context;
    (void)begin, (void)end;
    for (uint32_t i = 0; i < loop->stretchCount; ++i)
        runStretch(loop, &loop->stretches[(worker + i) % loop->stretchCount], worker);
}

void grzParallelForNear(grzTasks* tasks, uint32_t count, uint32_t grain, grzTaskFn* fn, void* context) {
    const uint32_t blocks = grzBlockCount(count, grain), workers = grzTasks_WorkerCount(tasks);
    if (workers == 1 || blocks < 2) {
        grzParallelFor(tasks, count, grain, fn, context);
        return;
    }
    NearLoop loop;
    loop.stretchCount = workers < mostStretches ? workers : mostStretches;
    loop.stretchCount = blocks < loop.stretchCount ? blocks : loop.stretchCount;
    loop.count = count;
    loop.grain = grain != 0 ? grain : grzDefaultGrain(count);
    loop.fn = fn;
    loop.context = context;
    for (uint32_t i = 0; i < loop.stretchCount; ++i) {
        atomic_init(&loop.stretches[i].next, (uint32_t)((uint64_t)blocks * i / loop.stretchCount));
        loop.stretches[i].end = (uint32_t)((uint64_t)blocks * (i + 1) / loop.stretchCount);
    }
    grzParallelFor(tasks, loop.stretchCount, 1, runNear, &loop);
}
