// What: the loop of first_refused.h.
#include "first_refused.h"

#include "atomic_least.h"
#include "result_make.h"

typedef struct Trial {
    grzTryFn* fn;
    void* context;
    _Atomic uint32_t first;
} Trial;

static void tryBlock(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    Trial* trial = context;
    const uint32_t refused = trial->fn(begin, end, worker, trial->context);
    if (refused < end)
        grzLowerTo(&trial->first, refused);
}

uint32_t grzParallelTry(grzTasks* tasks, uint32_t count, uint32_t grain, grzTryFn* fn, void* context) {
    Trial trial = {.fn = fn, .context = context};
    atomic_init(&trial.first, count);
    grzParallelFor(tasks, count, grain, tryBlock, &trial);
    return atomic_load_explicit(&trial.first, memory_order_relaxed);
}

typedef struct Answering {
    grzAnswerFn* fn;
    void* context;
} Answering;

static uint32_t answerBlock(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    const Answering* answering = context;
    uint32_t refused = end;
    (void)worker;
    for (uint32_t i = begin; i < end; ++i)
        if (!grzResult_IsOk(answering->fn(i, answering->context)) && refused == end)
            refused = i;
    return refused;
}

grzResult grzParallelAnswer(grzTasks* tasks, uint32_t count, uint32_t grain, grzAnswerFn* fn, void* context) {
    enum { few = 64 };
    Answering answering = {fn, context};
    const uint32_t refused = grzParallelTry(tasks, count, count <= few ? 1 : grain, answerBlock, &answering);
    if (refused == count)
        return grzOk();
    grzResult result = fn(refused, context);
    result.part = grz_partElement, result.index = refused;
    return result;
}
