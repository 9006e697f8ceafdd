// What: graze/flightplan.h: making and changing plans. What they answer: plan_value.c and plan_order.c.
// Holds: everything that comes in is checked before the first byte is written.
#include <string.h>

#include "bvh_parts.h"
#include "memory.h"
#include "owner.h"
#include "plan_inside.h"
#include "refuse_null.h"
#include "result_make.h"

#define DEF_MARK 0x4E4C5046u

enum { MOST_FRAMES = 1 << 28 };
GRZ_STATIC_ASSERT(GRZ_MESH_MAX_VERTICES == 1073741823, "as the sentence says");

grzFlightplanDef grzDefaultFlightplanDef(void) {
    grzFlightplanDef def;
    memset(&def, 0, sizeof def);
    def.mark = DEF_MARK;
    def.tickExponent = -20;
    return def;
}

static double timeLimit(const grzFlightplanDef* def) {
    return def->kind == grz_planPaths ? fmin(PLAN_END, ldexp(PLAN_TICKS, def->tickExponent)) : PLAN_END;
}

static bool isTime(double time, double limit) {
    return fabs(time) < limit; // false for NaN
}

static grzResult checkFinite(const float* numbers, size_t count) {
    if (numbers == NULL)
        return grzOk();
    const uint32_t bad = grzBvhFindNotFinite(NULL, numbers, 3, false, (uint32_t)count);
    return bad == count ? grzOk() : grzFailAt(grz_notFinite, grz_partVertex, bad, 0);
}

static grzResult checkNumbers(const float* positions, const float* velocities, const float* accelerations,
                              size_t count) {
    grzResult result = checkFinite(positions, count);
    if (grzResult_IsOk(result))
        result = checkFinite(velocities, count);
    return grzResult_IsOk(result) ? checkFinite(accelerations, count) : result;
}

static const char* flawOf(const grzFlightplanDef* def) {
    if ((unsigned)def->kind > grz_planPaths)
        return "kind is no grzFlightplanKind";
    if (def->kind == grz_planKeyframes)
        return NULL;
    if (def->positions == NULL && def->vertexCount != 0)
        return "positions is NULL, but vertexCount is not 0";
    if (def->tickExponent < -30 || def->tickExponent > 0)
        return "tickExponent is not in -30 .. 0";
    return isTime(def->startTime, timeLimit(def)) ? NULL : "startTime is not below 2^32 s and 2^52 ticks in size";
}

static grzResult checkDef(const grzFlightplanDef* def) {
    if (def == NULL || def->mark != DEF_MARK)
        return grzFail(grz_badDef, 0);
    const grzResult result = grzCheckMeshCounts(def->vertexCount, 0);
    if (!grzResult_IsOk(result))
        return result;
    const char* flaw = flawOf(def);
    if (flaw != NULL)
        return grzBecause(grzFail(grz_badArgument, 1), flaw);
    if (def->kind == grz_planPaths) {
        const grzResult numbers =
            checkNumbers(def->positions, def->velocities, def->accelerations, def->vertexCount);
        if (!grzResult_IsOk(numbers))
            return numbers;
    }
    return grzOk();
}

static void setVector(float to[3], const float* from, size_t entry) {
    for (size_t axis = 0; axis < 3; ++axis)
        to[axis] = from == NULL ? 0 : from[3 * entry + axis];
}

// Entry `entry` of a change becomes the path of a vertex.
static void setPath(grzFlightplan* plan, uint32_t vertex, double base, const grzFlightplanChange* change,
                    size_t entry) {
    PlanPath* path = &plan->paths.data[vertex];
    path->base = base;
    if (change->positions != NULL)
        setVector(path->position, change->positions, entry);
    setVector(path->velocity, change->velocities, entry);
    setVector(path->acceleration, change->accelerations, entry);
    plan->isBent |= path->acceleration[0] != 0 || path->acceleration[1] != 0 || path->acceleration[2] != 0;
}

grzResult grzFlightplan_Create(const grzFlightplanDef* def, grzFlightplan** made) {
    GRZ_REFUSE_NULL(made, 2);
    *made = NULL;
    grzResult result = checkDef(def);
    if (!grzResult_IsOk(result))
        return result;
    grzAllocator allocator = def->allocator;
    grzFlightplan* plan = grzOwner_New(&allocator, 1, sizeof *plan, _Alignof(grzFlightplan), &result);
    if (plan == NULL)
        return result;
    plan->allocator = allocator;
    plan->kind = def->kind;
    plan->tick = PLAN_FRAME_TICK;
    plan->timeLimit = timeLimit(def);
    if (def->kind == grz_planKeyframes) {
        plan->vertexCount = def->vertexCount;
    } else {
        const grzFlightplanChange change = {NULL, def->vertexCount, def->positions, def->velocities,
                                            def->accelerations};
        uint32_t first;
        plan->tick = ldexp(1, def->tickExponent);
        plan->lastChange = def->startTime;
        result = grzFlightplan_AddVertices(plan, def->startTime, &change, &first);
    }
    if (grzResult_IsOk(result))
        *made = plan;
    else
        grzFlightplan_Destroy(plan);
    return result;
}

void grzFlightplan_Destroy(grzFlightplan* plan) {
    if (plan == NULL)
        return;
    grzArray_Release(&plan->frames, &plan->allocator);
    grzArray_Release(&plan->paths, &plan->allocator);
    const grzAllocator allocator = plan->allocator;
    grzRelease(&allocator, plan, 1, sizeof *plan, _Alignof(grzFlightplan));
}

// ---- keyframes ----

static grzResult checkFrame(const grzFlightplan* plan, double time, const float* positions, size_t stride) {
    if (plan->kind != grz_planKeyframes)
        return grzBecause(grzFail(grz_badArgument, 1), "the plan is one of paths");
    if (!isTime(time, plan->timeLimit))
        return grzBecause(grzFail(grz_badArgument, 2), "the time is not below 2^32 s and 2^52 ticks in size");
    if (plan->frames.count != 0 && time <= plan->frames.data[plan->frames.count - 1].time)
        return grzBecause(grzFail(grz_badArgument, 2), "the time is not after that of the last keyframe");
    if (positions == NULL && plan->vertexCount != 0)
        return grzBecause(grzFail(grz_badArgument, 3), "positions is NULL");
    const char* flaw = grzBvhFlawOfStride(stride, grz_float32, plan->vertexCount);
    if (flaw != NULL)
        return grzBecause(grzFail(grz_badArgument, 4), flaw);
    if (plan->firstFrame + plan->frames.count >= MOST_FRAMES)
        return grzFail(grz_tooLarge, (uint64_t)MOST_FRAMES + 1);
    return grzOk();
}

grzResult grzFlightplan_AddKeyframe(grzFlightplan* plan, double time, const float* positions, size_t stride) {
    GRZ_REFUSE_NULL(plan, 1);
    const grzResult result = checkFrame(plan, time, positions, stride);
    if (!grzResult_IsOk(result))
        return result;
    const size_t apart = stride == 0 ? 3 : stride / sizeof(float);
    const uint32_t count = (uint32_t)plan->vertexCount;
    const uint32_t bad = grzBvhFindNotFinite(NULL, positions, apart, false, count);
    if (bad != count)
        return grzFailAt(grz_notFinite, grz_partVertex, bad, 0);
    if (!grzArray_Reserve(&plan->frames, &plan->allocator, plan->frames.count + 1))
        return grzNoMemory(plan->frames.count + 1, sizeof *plan->frames.data);
    plan->frames.data[plan->frames.count++] = (PlanFrame){time, positions, apart};
    return grzOk();
}

void grzFlightplan_DropKeyframes(grzFlightplan* plan, double time) {
    GRZ_RETURN_IF_NULL(plan, );
    size_t passed = 0;
    while (passed + 1 < plan->frames.count && plan->frames.data[passed + 1].time <= time)
        ++passed;
    plan->frames.count -= passed;
    plan->firstFrame += (uint32_t)passed;
    if (passed != 0)
        memmove(plan->frames.data, plan->frames.data + passed, plan->frames.count * sizeof *plan->frames.data);
}

// ---- paths ----

static grzResult checkChange(const grzFlightplan* plan, double time, const grzFlightplanChange* change) {
    if (plan->kind != grz_planPaths)
        return grzBecause(grzFail(grz_badArgument, 1), "the plan is one of keyframes");
    if (!isTime(time, plan->timeLimit))
        return grzBecause(grzFail(grz_badArgument, 2), "the time is not below 2^32 s and 2^52 ticks in size");
    if (time < plan->lastChange)
        return grzBecause(grzFail(grz_badArgument, 2), "the time is before that of the last change");
    if (change == NULL)
        return grzBecause(grzFail(grz_badArgument, 3), "change is NULL");
    if (change->count > GRZ_MESH_MAX_VERTICES)
        return grzFail(grz_tooLarge, change->count);
    return checkNumbers(change->positions, change->velocities, change->accelerations, change->count);
}

static void placeOf(const grzFlightplan* plan, uint32_t vertex, double at, float place[3]) {
    float found[3];
    for (int axis = 0; axis < 3; ++axis)
        found[axis] = grzPlan_Float(plan, vertex, axis, at);
    memcpy(place, found, sizeof found);
}

// A path cannot go on from where floats end.
static grzResult checkPlaces(const grzFlightplan* plan, double at, const grzFlightplanChange* change) {
    for (size_t i = 0; i < change->count; ++i) {
        float place[3];
        placeOf(plan, change->vertices[i], at, place);
        if (!isfinite(place[0]) || !isfinite(place[1]) || !isfinite(place[2]))
            return grzBecause(grzFailAt(grz_notFinite, grz_partVertex, i, 0),
                              "the vertex has left the range of float");
    }
    return grzOk();
}

grzResult grzPlan_CheckChange(const grzFlightplan* plan, double time, const grzFlightplanChange* change) {
    const grzResult result = checkChange(plan, time, change);
    if (!grzResult_IsOk(result))
        return result;
    if (change->vertices == NULL && change->count != 0)
        return grzBecause(grzFail(grz_badArgument, 3), "vertices is NULL, but count is not 0");
    for (size_t i = 0; i < change->count; ++i)
        if (change->vertices[i] >= plan->vertexCount)
            return grzFailAt(grz_indexTooLarge, grz_partVertex, i, change->vertices[i]);
    return grzOk();
}

grzResult grzPlan_ChangeChecked(grzFlightplan* plan, double time, const grzFlightplanChange* change) {
    const double at = grzPlan_TimeOf(plan, time);
    const grzResult gone = change->positions == NULL ? checkPlaces(plan, at, change) : grzOk();
    if (!grzResult_IsOk(gone))
        return gone;
    for (size_t i = 0; i < change->count; ++i) {
        const uint32_t vertex = change->vertices[i];
        if (change->positions == NULL)
            placeOf(plan, vertex, at, plan->paths.data[vertex].position);
        setPath(plan, vertex, at, change, i);
    }
    plan->lastChange = time;
    plan->revision++;
    return grzOk();
}

grzResult grzFlightplan_Change(grzFlightplan* plan, double time, const grzFlightplanChange* change) {
    GRZ_REFUSE_NULL(plan, 1);
    const grzResult result = grzPlan_CheckChange(plan, time, change);
    return grzResult_IsOk(result) ? grzPlan_ChangeChecked(plan, time, change) : result;
}

grzResult grzFlightplan_AddVertices(grzFlightplan* plan, double time, const grzFlightplanChange* change,
                                    uint32_t* first) {
    GRZ_REFUSE_NULL(plan, 1);
    GRZ_REFUSE_NULL(first, 4);
    grzResult result = checkChange(plan, time, change);
    if (grzResult_IsOk(result) && change->positions == NULL && change->count != 0)
        result = grzBecause(grzFail(grz_badArgument, 3), "positions is NULL");
    if (grzResult_IsOk(result))
        result = grzCheckMeshCounts(plan->vertexCount + change->count, 0);
    if (!grzResult_IsOk(result))
        return result;
    const size_t wanted = plan->vertexCount + change->count;
    if (!grzArray_Reserve(&plan->paths, &plan->allocator, wanted))
        return grzNoMemory(wanted, sizeof *plan->paths.data);
    const double at = grzPlan_TimeOf(plan, time);
    for (size_t i = 0; i < change->count; ++i)
        setPath(plan, (uint32_t)(plan->vertexCount + i), at, change, i);
    *first = (uint32_t)plan->vertexCount;
    plan->paths.count = plan->vertexCount = wanted;
    plan->lastChange = time; // the revision stays: nothing changes for trees, which do not know the new ones
    return grzOk();
}

// ---- what there is ----

grzFlightplanRange grzFlightplan_GetRange(const grzFlightplan* plan) {
    GRZ_RETURN_IF_NULL(plan, (grzFlightplanRange){0});
    if (plan->kind == grz_planPaths)
        return (grzFlightplanRange){plan->lastChange, plan->timeLimit};
    if (plan->frames.count == 0)
        return (grzFlightplanRange){1, 0};
    return (grzFlightplanRange){plan->frames.data[0].time, plan->frames.data[plan->frames.count - 1].time};
}

size_t grzFlightplan_VertexCount(const grzFlightplan* plan) {
    GRZ_RETURN_IF_NULL(plan, 0);
    return plan->vertexCount;
}
