// What: see front_inside.h: which boxes of one tree cannot meet themselves in a piece.
// Holds: a piece of one plan of keyframes is an interval. All vertices move linearly in it, as real numbers, and
//   the cull decides for such a motion.
#include "front_inside.h"

static bool makeCull(grzPairFront* front) {
    const grzKineticTree* tree = front->sides[0]->tree;
    if (front->cull != NULL && grzSelfCull_Fits(front->cull, tree->bvh))
        return true;
    grzSelfCull_Destroy(front->cull);
    grzSelfCullDef def = grzDefaultSelfCullDef();
    def.bvh = tree->bvh, def.numbering = tree->numbering, def.allocator = front->allocator;
    return grzResult_IsOk(grzSelfCull_Create(&def, &front->cull));
}

bool grzFront_Cull(grzPairFront* front, grzTasks* tasks) {
    const FrontPace* pace = &front->clock.paces[0];
    if (!front->cullsSelf)
        return true;
    if (!makeCull(front))
        return false;
    grzSelfCull_Decide(front->cull, tasks, (ConePlaces){pace->from, (uint32_t)pace->fromStride},
                       (ConePlaces){pace->to, (uint32_t)pace->toStride});
    return true;
}

bool grzFront_IsFree(const grzPairFront* front, const FrontPair* pair) {
    const uint32_t tier = pair->tiers[0];
    return front->cull != NULL && tier != 0 && tier == pair->tiers[1] && pair->boxes[0] == pair->boxes[1] &&
           grzSelfCull_IsFree(front->cull, front->sides[0]->tree->view.levelCount - tier, pair->boxes[0]);
}
