// What: all promises of a flightplan again: what grzFlightplan_Create and the others refuse, and what they keep.
// Idea: keyframes are looked at where the host keeps them, since they may have been written over.
// Cost: O(V) for each keyframe.
#include "bvh_parts.h"
#include "check.h"
#include "plan_inside.h"
#include "refuse_null.h"

static bool isBroken(const char* what, size_t index) {
    grzLog(grz_logError, "a flightplan is broken: %s %zu", what, index);
    return false;
}

static bool isTime(const grzFlightplan* plan, double time) {
    return fabs(time) < plan->timeLimit; // false for NaN
}

// ---- keyframes ----

static bool checkFrames(const grzFlightplan* plan) {
    for (size_t i = 0; i < plan->frames.count; ++i) {
        const PlanFrame* frame = &plan->frames.data[i];
        if (!isTime(plan, frame->time) || (i != 0 && !(frame->time > frame[-1].time)))
            return isBroken("time of keyframe", plan->firstFrame + i);
        if (plan->vertexCount == 0)
            continue;
        if (frame->positions == NULL || frame->stride < 3)
            return isBroken("positions of keyframe", plan->firstFrame + i);
        const uint32_t count = (uint32_t)plan->vertexCount;
        const uint32_t bad = grzBvhFindNotFinite(NULL, frame->positions, frame->stride, false, count);
        if (bad != count) {
            grzLog(grz_logError,
                   "a flightplan is broken: vertex %u of keyframe %zu is not finite; keyframes stay as they were",
                   bad, plan->firstFrame + i);
            return false;
        }
    }
    return true;
}

// ---- paths ----

static bool areFinite(const float numbers[3]) {
    return isfinite(numbers[0]) && isfinite(numbers[1]) && isfinite(numbers[2]);
}

// A path begins at a step of the grid, and never after the last change.
static bool checkPaths(const grzFlightplan* plan) {
    if (plan->paths.count != plan->vertexCount)
        return isBroken("the count of paths is", plan->paths.count);
    if (!isTime(plan, plan->lastChange))
        return isBroken("time of the last change; paths:", plan->vertexCount);
    const double last = grzPlan_TimeOf(plan, plan->lastChange);
    for (size_t i = 0; i < plan->vertexCount; ++i) {
        const PlanPath* path = &plan->paths.data[i];
        if (!(path->base <= last) || floor(path->base / plan->tick) * plan->tick != path->base)
            return isBroken("beginning of path", i);
        if (!areFinite(path->position) || !areFinite(path->velocity) || !areFinite(path->acceleration))
            return isBroken("numbers of path", i);
    }
    return true;
}

bool grzFlightplan_Validate(const grzFlightplan* plan) {
    GRZ_RETURN_IF_NULL(plan, false);
    return plan->kind == grz_planPaths ? plan->frames.count == 0 && checkPaths(plan)
                                       : plan->paths.count == 0 && checkFrames(plan);
}
