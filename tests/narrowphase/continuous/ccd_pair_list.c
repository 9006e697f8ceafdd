// What: ccd_pair_list.h.
#include "testing.h"

#include "ccd_pair_list.h"
#include "ccd_surface.h"

#include <math.h>

void PairList_Append(PairList* list, uint32_t a, uint32_t b, const double times[2]) {
    if (list->count == list->capacity) {
        list->capacity = 2 * list->capacity + 64;
        list->pairs = realloc(list->pairs, list->capacity * sizeof *list->pairs);
        assert_non_null(list->pairs);
    }
    list->pairs[list->count++] =
        (grzTrianglePair){0, a, b, grzRoundDown(fmax(times[0], 0)), grzRoundUp(fmin(times[1], 1))};
}

PairBox PairBox_Make(const uint32_t corners[3], PairNumberFn* at, const void* context) {
    PairBox box;
    for (int end = 0; end < 2; ++end)
        for (int axis = 0; axis < 3; ++axis) {
            box.lower[end][axis] = (double)INFINITY;
            box.upper[end][axis] = -(double)INFINITY;
            for (int k = 0; k < 3; ++k) {
                const double x = at(context, end, corners[k], axis);
                box.lower[end][axis] = fmin(box.lower[end][axis], x);
                box.upper[end][axis] = fmax(box.upper[end][axis], x);
            }
        }
    return box;
}

// Cuts *times to when a difference that goes from g0 to g1 is not below 0; false: never. Rounded outward.
static bool cut(double g0, double g1, double times[2]) {
    if (g0 < 0 && g1 < 0)
        return false;
    const double slack = 0x1p-40, zero = g0 / (g0 - g1);
    if (g0 < 0 && zero - slack > times[0])
        times[0] = zero - slack;
    if (g1 < 0 && zero + slack < times[1])
        times[1] = zero + slack;
    return times[0] <= times[1];
}

bool PairBox_OverlapSwept(const PairBox* a, const PairBox* b) {
    for (int axis = 0; axis < 3; ++axis)
        if (fmin(a->lower[0][axis], a->lower[1][axis]) > fmax(b->upper[0][axis], b->upper[1][axis]) ||
            fmin(b->lower[0][axis], b->lower[1][axis]) > fmax(a->upper[0][axis], a->upper[1][axis]))
            return false;
    return true;
}

bool PairBox_OverlapTimed(const PairBox* a, const PairBox* b, double times[2]) {
    for (int axis = 0; axis < 3; ++axis)
        if (!cut(b->upper[0][axis] - a->lower[0][axis], b->upper[1][axis] - a->lower[1][axis], times) ||
            !cut(a->upper[0][axis] - b->lower[0][axis], a->upper[1][axis] - b->lower[1][axis], times))
            return false;
    return true;
}

bool pairSharesCorner(const uint32_t a[3], const uint32_t b[3]) {
    for (int i = 0; i < 9; ++i)
        if (a[i / 3] == b[i % 3])
            return true;
    return false;
}

static PairFound copyFound(const grzCcdStep* step) {
    const grzCcdStepView view = grzCcdStep_GetView(step);
    PairFound found = {malloc((view.count + 1) * sizeof *found.impacts), view.count, view.stats};
    assert_non_null(found.impacts);
    if (view.count != 0)
        memcpy(found.impacts, view.impacts, view.count * sizeof *found.impacts);
    return found;
}

PairFound PairFound_Make(grzCcdStep* step, const grzCcdStepQuery* query) {
    surfaceOk(grzCcdStep_Find(step, NULL, query));
    return copyFound(step);
}

grzResult PairList_Decide(const PairList* list, grzCcdStep* step, grzTasks* tasks, const grzCcdStepQuery* query) {
    const grzCcdStepPairs pairs = {list->pairs, (uint32_t)list->count};
    return grzCcdStep_Decide(step, tasks, query, &pairs);
}

void PairFound_Expect(const PairFound* found, const grzCcdStep* step, bool sameCandidates) {
    const grzCcdStepView view = grzCcdStep_GetView(step);
    assert_int_equal(view.count, found->count);
    if (found->count != 0)
        assert_memory_equal(view.impacts, found->impacts, found->count * sizeof *found->impacts);
    for (int kind = 0; kind < 2; ++kind) {
        uint64_t decided = 0;
        for (int stage = 0; stage < grz_ccdStageCount; ++stage)
            decided += view.stats.decided[kind][stage];
        assert_int_equal(decided, view.stats.candidates[kind]);
        assert_int_equal(view.stats.impacts[kind], found->stats.impacts[kind]);
        assert_int_equal(view.stats.doubtful[kind], found->stats.doubtful[kind]);
        assert_true(view.stats.candidates[kind] <= found->stats.candidates[kind]);
        if (sameCandidates)
            assert_int_equal(view.stats.candidates[kind], found->stats.candidates[kind]);
    }
}
