// What: the calls of graze/stage/time_critical.h for one query.
#include <math.h>

#include "clock.h"
#include "memory.h"
#include "owner.h"
#include "probe_state.h"
#include "refuse_null.h"
#include "result_make.h"

struct grzModelProbe {
    ProbeState state;
    bool hasBegun;
    grzAllocator allocator;
};

// --------------------------------------------------------------------------------------------- queries and budgets

grzProbeQuery grzDefaultProbeQuery(void) {
    grzProbeQuery query;
    memset(&query, 0, sizeof query);
    query.mark = PROBE_MARK;
    query.models = grzDefaultModelQuery();
    query.adb.pMin = 0.99F;
    query.adb.kMin = 10;
    query.adb.sphereRatio = 8;
    return query;
}

grzProbeBudget grzUnlimitedProbeBudget(void) {
    return (grzProbeBudget){UINT32_MAX, (float)INFINITY, 0};
}

grzResult grzProbeBudget_Check(const grzProbeBudget* budget) {
    if (!(budget->microseconds >= 0))
        return grzBecause(grzFail(grz_badArgument, 2), "microseconds of the budget is below 0");
    if (!(budget->error >= 0 && budget->error <= 0.5F))
        return grzBecause(grzFail(grz_badArgument, 2), "error of the budget is not in 0 .. 1/2");
    return grzOk();
}

// ------------------------------------------------------------------------------------------------------- one query

static uint64_t clockFor(const grzProbeBudget* budget) {
    return budget->microseconds < (float)INFINITY ? grzMonotonicNanoseconds() : 0;
}

grzResult grzModels_Probe(const grzProbeQuery* query, const grzProbeBudget* budget, grzProbeAnswer* answer) {
    GRZ_REFUSE_NULL(budget, 2);
    GRZ_REFUSE_NULL(answer, 3);
    ProbeState state;
    memset(answer, 0, sizeof *answer);
    grzResult result = grzProbeBudget_Check(budget);
    if (!grzResult_IsOk(result))
        return result;
    const uint64_t began = clockFor(budget);
    if (grzProbeQuery_EndsAtOnce(query, budget, answer))
        return grzOk();
    grzProbeState_Init(&state, query != NULL ? query->adb.allocator : (grzAllocator){0});
    result = grzProbeState_Begin(&state, query);
    if (grzResult_IsOk(result))
        result = grzProbeState_Run(&state, budget, began, answer);
    grzProbeState_Release(&state);
    return result;
}

// --------------------------------------------------------------------------------------------- queries that go on

grzResult grzModelProbe_Create(grzAllocator allocator, grzModelProbe** made) {
    GRZ_REFUSE_NULL(made, 2);
    *made = NULL;
    grzResult result;
    grzModelProbe* probe = grzOwner_New(&allocator, 1, sizeof *probe, _Alignof(grzModelProbe), &result);
    if (probe == NULL)
        return result;
    probe->allocator = allocator;
    grzProbeState_Init(&probe->state, allocator);
    *made = probe;
    return grzOk();
}

void grzModelProbe_Destroy(grzModelProbe* probe) {
    if (probe == NULL)
        return;
    const grzAllocator allocator = probe->allocator;
    grzProbeState_Release(&probe->state);
    grzRelease(&allocator, probe, 1, sizeof *probe, _Alignof(grzModelProbe));
}

grzResult grzModelProbe_Begin(grzModelProbe* probe, const grzProbeQuery* query) {
    GRZ_REFUSE_NULL(probe, 1);
    const grzResult result = grzProbeState_Begin(&probe->state, query);
    probe->hasBegun = grzResult_IsOk(result);
    return result;
}

grzResult grzModelProbe_Run(grzModelProbe* probe, const grzProbeBudget* budget, grzProbeAnswer* answer) {
    GRZ_REFUSE_NULL(probe, 1);
    GRZ_REFUSE_NULL(budget, 2);
    GRZ_REFUSE_NULL(answer, 3);
    memset(answer, 0, sizeof *answer);
    const grzResult result = grzProbeBudget_Check(budget);
    if (!grzResult_IsOk(result))
        return result;
    if (!probe->hasBegun)
        return grzBecause(grzFail(grz_badArgument, 1), "no query was begun");
    return grzProbeState_Run(&probe->state, budget, clockFor(budget), answer);
}

uint32_t grzModelProbe_FindPlaces(const grzModelProbe* probe, grzProbePlace* places, uint32_t capacity) {
    GRZ_RETURN_IF_NULL(probe, 0);
    return probe->hasBegun ? grzProbeState_FindPlaces(&probe->state, places, capacity) : 0;
}
