// What: vertices that come into a plan of keyframes.
// Holds: what is given is checked before the first keyframe is changed; old positions are the host's word.
#include "bvh_parts.h"
#include "plan_inside.h"
#include "refuse_null.h"
#include "result_make.h"

size_t grzFlightplan_KeyframeCount(const grzFlightplan* plan) {
    GRZ_RETURN_IF_NULL(plan, 0);
    return plan->frames.count;
}

static grzResult checkFrame(const grzFlightplan* plan, size_t index, size_t count,
                            const grzFlightplanFrame* frame) {
    const size_t wanted = plan->vertexCount + count;
    if (frame->positions == NULL && wanted != 0)
        return grzBecause(grzFailAt(grz_badArgument, grz_partFrame, index, 3), "positions is NULL");
    const char* flaw = grzBvhFlawOfStride(frame->stride, grz_float32, wanted);
    if (flaw != NULL)
        return grzBecause(grzFailAt(grz_badArgument, grz_partFrame, index, 3), flaw);
    if (count == 0)
        return grzOk();
    const size_t apart = frame->stride == 0 ? 3 : frame->stride / sizeof(float);
    const float* added = frame->positions + plan->vertexCount * apart;
    const uint32_t bad = grzBvhFindNotFinite(NULL, added, apart, false, (uint32_t)count);
    return bad == count ? grzOk() : grzFailAt(grz_notFinite, grz_partVertex, plan->vertexCount + bad, index);
}

static grzFlightplanFrame frameAt(const grzFlightplan* plan, const grzFlightplanFrame* frames, size_t index) {
    const PlanFrame* kept = &plan->frames.data[index];
    return frames != NULL ? frames[index] : (grzFlightplanFrame){kept->positions, kept->stride * sizeof(float)};
}

grzResult grzFlightplan_AddFrameVertices(grzFlightplan* plan, size_t count, const grzFlightplanFrame* frames,
                                         uint32_t* first) {
    GRZ_REFUSE_NULL(plan, 1);
    GRZ_REFUSE_NULL(first, 4);
    if (plan->kind != grz_planKeyframes)
        return grzBecause(grzFail(grz_badArgument, 1), "the plan is one of paths");
    if (count > GRZ_MESH_MAX_VERTICES)
        return grzFail(grz_tooLarge, count);
    grzResult result = grzCheckMeshCounts(plan->vertexCount + count, 0);
    for (size_t i = 0; i < plan->frames.count && grzResult_IsOk(result); ++i) {
        const grzFlightplanFrame frame = frameAt(plan, frames, i);
        result = checkFrame(plan, i, count, &frame);
    }
    if (!grzResult_IsOk(result))
        return result;
    for (size_t i = 0; i < plan->frames.count; ++i) {
        const grzFlightplanFrame frame = frameAt(plan, frames, i);
        plan->frames.data[i].positions = frame.positions;
        plan->frames.data[i].stride = frame.stride == 0 ? 3 : frame.stride / sizeof(float);
    }
    *first = (uint32_t)plan->vertexCount;
    plan->vertexCount += count;
    return grzOk();
}
