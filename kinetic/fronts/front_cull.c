// What: see front_inside.h: of one tree with itself, which boxes cannot meet themselves in a piece.
// Holds: a piece of one plan of keyframes is an interval, in which all vertices move linearly as real numbers: what the cull decides for.
#include "front_inside.h"

#include <string.h>

static bool makeCull(grzPairFront* front) {
    const grzKineticTree* tree = front->sides[0]->tree;
    if (front->cull != NULL && grzSelfCull_Fits(front->cull, tree->bvh))
        return true;
    grzSelfCull_Destroy(front->cull);
    grzSelfCullDef def = grzDefaultSelfCullDef();
    def.bvh = tree->bvh, def.numbering = tree->numbering, def.allocator = front->allocator;
    return grzResult_IsOk(grzSelfCull_Create(&def, &front->cull));
}

// Three floats each; NULL where memory is refused.
static const float* pack(grzPairFront* front, FrontFloats* to, const float* positions, size_t stride) {
    const size_t count = front->sides[0]->tree->plan->vertexCount;
    if (stride == 3)
        return positions;
    if (!grzArray_Reserve(to, &front->allocator, 3 * count))
        return NULL;
    for (size_t i = 0; i < count; ++i)
        memcpy(to->data + 3 * i, positions + stride * i, 3 * sizeof *positions);
    return to->data;
}

bool grzFront_Cull(grzPairFront* front, grzTasks* tasks) {
    const FrontPace* pace = &front->clock.paces[0];
    if (!front->cullsSelf)
        return true;
    if (!makeCull(front))
        return false;
    const float* from = pack(front, &front->packed[0], pace->from, pace->fromStride);
    const float* to = pack(front, &front->packed[1], pace->to, pace->toStride);
    return from != NULL && to != NULL && grzResult_IsOk(grzSelfCull_Update(front->cull, tasks, from, to));
}

bool grzFront_IsFree(const grzPairFront* front, const FrontPair* pair) {
    const uint32_t tier = pair->tiers[0];
    return front->cull != NULL && tier != 0 && tier == pair->tiers[1] && pair->boxes[0] == pair->boxes[1] &&
           grzSelfCull_IsFree(front->cull, front->sides[0]->tree->view.levelCount - tier, pair->boxes[0]);
}
