// What: many queries: each with its own budget, or all with one.
// Promise: the same bytes for any number of workers: what runs next is chosen from answers alone, sixteen queries at
//   a time.
// Idea: queries that are not done stand in a heap by what a unit of work may gain. A round takes the best sixteen,
//   runs each to its next stop, and puts those back that are not done. A query is begun in its first round, so that
//   those that are not worth any work cost no set-up.
// Threads: one call at a time; a task writes the states and answers of its queries.
#include <math.h>
#include <stddef.h>

#include "array.h"
#include "atomic_least.h"
#include "clock.h"
#include "memory.h"
#include "owner.h"
#include "probe_state.h"
#include "refuse_null.h"
#include "result_make.h"

enum { GRAIN = 16, ROUND = 16, ROUND_GRAIN = 2, LAST_SLICE = 20, NOT_BEGUN = -1 };

// ------------------------------------------------------------------------------------------------------- one by one

typedef struct Batch {
    const grzProbeQuery* queries;
    const grzProbeBudget* budget;
    grzProbeAnswer* answers;
    _Atomic uint32_t refused; // the first
} Batch;

static void askBlock(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    Batch* batch = context;
    (void)worker;
    for (uint32_t i = begin; i < end; ++i)
        if (!grzResult_IsOk(grzModels_Probe(&batch->queries[i], batch->budget, &batch->answers[i])))
            grzLowerTo(&batch->refused, i);
}

// What a query is refused for: as it begins, or for want of memory.
static grzResult refusalOf(const grzProbeQuery* queries, uint32_t index) {
    ProbeState state;
    grzProbeState_Init(&state, (grzAllocator){NULL, NULL, NULL});
    grzResult result = grzProbeState_Begin(&state, &queries[index]);
    if (grzResult_IsOk(result))
        result = grzNoMemory(1, sizeof(AdbPair));
    result.part = grz_partElement, result.index = index;
    return result;
}

grzResult grzModels_ProbeMany(grzTasks* tasks, const grzProbeQuery* queries, uint32_t count,
                              const grzProbeBudget* budget, grzProbeAnswer* answers) {
    GRZ_REFUSE_NULL(budget, 4);
    GRZ_REFUSE_NULL_ARRAY(answers, count, 5);
    Batch batch = {queries, budget, answers, UINT32_MAX};
    if (count == 0)
        return grzOk();
    if (queries == NULL)
        return grzFail(grz_badDef, 0);
    grzResult result = grzProbeBudget_Check(budget);
    if (grzResult_IsOk(result))
        grzParallelFor(tasks, count, GRAIN, askBlock, &batch);
    if (batch.refused != UINT32_MAX)
        result = refusalOf(queries, batch.refused);
    if (!grzResult_IsOk(result))
        memset(answers, 0, count * sizeof *answers);
    return result;
}

// -------------------------------------------------------------------------------------------------------- scheduler

typedef struct Waiter {
    float gain; // a unit of work
    uint32_t query;
} Waiter;

// A query of a round.
typedef struct Pick {
    uint32_t query;
    uint32_t work;
    bool isNew;
} Pick;

struct grzProbeScheduler {
    grzAllocator allocator;
    struct {
        GRZ_ARRAY(Waiter);
    } waiters; // a heap
    struct {
        GRZ_ARRAY(int32_t);
    } slots; // of queries, in states
    struct {
        GRZ_ARRAY(ProbeState);
    } states;
    size_t begunCount; // of the states, those that queries of this call have
};

grzResult grzProbeScheduler_Create(grzAllocator allocator, grzProbeScheduler** made) {
    GRZ_REFUSE_NULL(made, 2);
    *made = NULL;
    grzResult result;
    grzProbeScheduler* scheduler = grzOwner_New(&allocator, 1, sizeof *scheduler, _Alignof(max_align_t), &result);
    if (scheduler == NULL)
        return result;
    scheduler->allocator = allocator;
    *made = scheduler;
    return grzOk();
}

void grzProbeScheduler_Destroy(grzProbeScheduler* scheduler) {
    if (scheduler == NULL)
        return;
    const grzAllocator allocator = scheduler->allocator;
    for (size_t i = 0; i < scheduler->states.count; ++i)
        grzProbeState_Release(&scheduler->states.data[i]);
    grzArray_Release(&scheduler->waiters, &allocator);
    grzArray_Release(&scheduler->slots, &allocator);
    grzArray_Release(&scheduler->states, &allocator);
    grzRelease(&allocator, scheduler, 1, sizeof *scheduler, _Alignof(max_align_t));
}

// ---- the heap ----

static bool isBefore(Waiter a, Waiter b) {
    return a.gain > b.gain || (a.gain == b.gain && a.query < b.query);
}

static void push(grzProbeScheduler* scheduler, Waiter waiter) {
    Waiter* heap = scheduler->waiters.data;
    size_t at = scheduler->waiters.count++;
    for (; at > 0 && isBefore(waiter, heap[(at - 1) / 2]); at = (at - 1) / 2)
        heap[at] = heap[(at - 1) / 2];
    heap[at] = waiter;
}

static Waiter pop(grzProbeScheduler* scheduler) {
    Waiter* heap = scheduler->waiters.data;
    const Waiter best = heap[0], last = heap[--scheduler->waiters.count];
    const size_t count = scheduler->waiters.count;
    size_t at = 0;
    for (size_t child = 1; child < count; child = 2 * at + 1) {
        child += child + 1 < count && isBefore(heap[child + 1], heap[child]);
        if (!isBefore(heap[child], last))
            break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = last;
    return best;
}

// ---- rounds ----

typedef struct Spending {
    grzProbeScheduler* scheduler;
    const grzProbeQuery* queries;
    const float* importances;
    grzProbeAnswer* answers;
    grzProbeBudget budget; // work: what is left
    Pick picks[ROUND];
    uint32_t pickCount;
    _Atomic uint32_t refused;
} Spending;

// Units to the next stop.
static uint32_t sliceOf(uint32_t work) {
    for (int stop = 0; stop < grz_probeStops; ++stop)
        if (work < probeStopWork[stop])
            return probeStopWork[stop] - work;
    return LAST_SLICE;
}

static void wait(const Spending* spending, uint32_t query) {
    const grzProbeAnswer* answer = &spending->answers[query];
    const float gain = spending->importances[query] * (1 - answer->confidence) / (float)sliceOf(answer->work);
    push(spending->scheduler, (Waiter){gain, query});
}

// Room for the queries of a round. False where memory is refused.
static bool makeStates(grzProbeScheduler* scheduler) {
    const size_t wanted = scheduler->begunCount + ROUND;
    if (!grzArray_Reserve(&scheduler->states, &scheduler->allocator, wanted))
        return false;
    while (scheduler->states.count < wanted)
        grzProbeState_Init(&scheduler->states.data[scheduler->states.count++], scheduler->allocator);
    return true;
}

static void pickRound(Spending* spending) {
    grzProbeScheduler* scheduler = spending->scheduler;
    uint32_t left = spending->budget.work;
    for (spending->pickCount = 0; spending->pickCount < ROUND && scheduler->waiters.count != 0 && left != 0;) {
        const uint32_t query = pop(scheduler).query, slice = sliceOf(spending->answers[query].work);
        const bool isNew = scheduler->slots.data[query] == NOT_BEGUN;
        if (isNew)
            scheduler->slots.data[query] = (int32_t)scheduler->begunCount++;
        spending->picks[spending->pickCount++] = (Pick){query, slice < left ? slice : left, isNew};
        left -= slice < left ? slice : left;
    }
}

static void runPicks(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    Spending* spending = context;
    (void)worker;
    for (uint32_t i = begin; i < end; ++i) {
        const Pick* pick = &spending->picks[i];
        ProbeState* state = &spending->scheduler->states.data[spending->scheduler->slots.data[pick->query]];
        const grzProbeBudget budget = {pick->work, (float)INFINITY, spending->budget.error};
        grzResult result = grzOk();
        if (pick->isNew)
            result = grzProbeState_Begin(state, &spending->queries[pick->query]);
        if (grzResult_IsOk(result))
            result = grzProbeState_Run(state, &budget, 0, &spending->answers[pick->query]);
        if (!grzResult_IsOk(result))
            grzLowerTo(&spending->refused, pick->query);
    }
}

// Runs what was picked, and puts back what is not done.
static void runRound(Spending* spending, grzTasks* tasks) {
    uint32_t before[ROUND];
    for (uint32_t i = 0; i < spending->pickCount; ++i)
        before[i] = spending->answers[spending->picks[i].query].work;
    grzParallelFor(tasks, spending->pickCount, ROUND_GRAIN, runPicks, spending);
    for (uint32_t i = 0; i < spending->pickCount; ++i) {
        const uint32_t query = spending->picks[i].query;
        if (spending->budget.work != UINT32_MAX)
            spending->budget.work -= spending->answers[query].work - before[i];
        if (!spending->answers[query].isSure)
            wait(spending, query);
    }
}

static grzResult spend(Spending* spending, grzTasks* tasks, uint64_t began) {
    grzProbeScheduler* scheduler = spending->scheduler;
    const double nanoseconds = 1000 * (double)spending->budget.microseconds;
    const bool isTimed = nanoseconds < (double)INFINITY;
    while (scheduler->waiters.count != 0 && spending->budget.work != 0 &&
           (!isTimed || (double)(grzMonotonicNanoseconds() - began) < nanoseconds)) {
        if (!makeStates(scheduler))
            return grzNoMemory(scheduler->begunCount + ROUND, sizeof(ProbeState));
        pickRound(spending);
        runRound(spending, tasks);
        if (spending->refused != UINT32_MAX)
            return refusalOf(spending->queries, spending->refused);
    }
    return grzOk();
}

// All queries wait, with what their fits say.
static grzResult beginAll(const Spending* spending, uint32_t count) {
    grzProbeScheduler* scheduler = spending->scheduler;
    scheduler->waiters.count = scheduler->slots.count = scheduler->begunCount = 0;
    if (!grzArray_Reserve(&scheduler->waiters, &scheduler->allocator, count) ||
        !grzArray_Reserve(&scheduler->slots, &scheduler->allocator, count))
        return grzNoMemory(count, sizeof(Waiter));
    for (uint32_t i = 0; i < count; ++i) {
        grzResult result =
            grzProbeQuery_Guess(&spending->queries[i], spending->budget.error, &spending->answers[i]);
        if (grzResult_IsOk(result) &&
            !(spending->importances[i] >= 0 && spending->importances[i] < (float)INFINITY))
            result = grzBecause(grzFail(grz_badArgument, 3), "the importance is below 0 or not finite");
        if (!grzResult_IsOk(result)) {
            result.part = grz_partElement, result.index = i;
            return result;
        }
        scheduler->slots.data[i] = NOT_BEGUN;
        if (!spending->answers[i].isSure)
            wait(spending, i);
    }
    return grzOk();
}

grzResult grzProbeScheduler_Run(grzProbeScheduler* scheduler, grzTasks* tasks, const grzProbeQuery* queries,
                                const float* importances, uint32_t count, const grzProbeBudget* budget,
                                grzProbeAnswer* answers) {
    GRZ_REFUSE_NULL(scheduler, 1);
    GRZ_REFUSE_NULL_ARRAY(importances, count, 4);
    GRZ_REFUSE_NULL(budget, 6);
    GRZ_REFUSE_NULL_ARRAY(answers, count, 7);
    if (count == 0)
        return grzOk();
    if (queries == NULL)
        return grzFail(grz_badDef, 0);
    grzResult result = grzProbeBudget_Check(budget);
    const uint64_t began = budget->microseconds < (float)INFINITY ? grzMonotonicNanoseconds() : 0;
    Spending spending = {.scheduler = scheduler,
                         .queries = queries,
                         .importances = importances,
                         .answers = answers,
                         .budget = *budget,
                         .refused = UINT32_MAX};
    if (grzResult_IsOk(result))
        result = beginAll(&spending, count);
    if (grzResult_IsOk(result))
        result = spend(&spending, tasks, began);
    if (!grzResult_IsOk(result))
        memset(answers, 0, count * sizeof *answers);
    return result;
}
