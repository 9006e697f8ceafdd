// What: compares box pairs with a test of each leaf against each other leaf.
#include "box_pairs_inside.h"
#include "check.h"

static bool meetBoxes(const grzBvhNode* a, uint32_t i, const grzBvhNode* b, uint32_t j, float margin) {
    bool meets = a->lower[0][i] <= a->upper[0][i] && b->lower[0][j] <= b->upper[0][j];
    for (int axis = 0; axis < 3; ++axis)
        meets = meets && a->lower[axis][i] - margin <= b->upper[axis][j] &&
                b->lower[axis][j] <= a->upper[axis][i] + margin;
    return meets;
}

typedef struct Check {
    const grzBoxPairs* pairs;
    BoxWalk walk;
    uint32_t leavesB;
    size_t at; // pairs that were expected so far
} Check;

static bool checkPair(Check* check, uint32_t leafA, uint32_t leafB) {
    const LeafPairs* found = &check->pairs->pairs;
    const grzLeafPair* pair = &found->data[check->at];
    const bool isNext =
        check->at < found->count && pair->leafA == leafA && pair->leafB == leafB && pair->t0 == 0 && pair->t1 == 1;
    if (!isNext)
        grzLog(grz_logError, "box pairs: leaves %u and %u overlap, but are not pair %zu", leafA, leafB, check->at);
    check->at += isNext;
    return isNext;
}

// Within one set: whether the least node that holds both leaves is free.
static bool isCulled(const BoxWalk* walk, uint32_t leafA, uint32_t leafB) {
    uint32_t depth = walk->a.levelCount;
    while (depth-- > 0) {
        leafA /= GRZ_BVH_WIDTH, leafB /= GRZ_BVH_WIDTH;
        if (leafA == leafB)
            return grzBoxWalk_IsFree(walk, depth, leafA);
    }
    return false;
}

static bool checkLeaf(Check* check, uint32_t leafA) {
    const BoxSide *a = &check->walk.a, *b = &check->walk.b;
    const grzBvhNode* node = a->levels[a->levelCount - 1] + leafA / 8;
    for (uint32_t leafB = check->walk.isSelf ? leafA : 0; leafB < check->leavesB; ++leafB) {
        grzBvhNode other = b->levels[b->levelCount - 1][leafB / 8];
        if (check->walk.isPosed)
            GRZ_PICK_KERNEL(grzBoxNodePose)(&check->walk.frame, &other, &other);
        if (meetBoxes(node, leafA % 8, &other, leafB % 8, check->walk.skin) &&
            !isCulled(&check->walk, leafA, leafB) && !checkPair(check, leafA, leafB))
            return false;
    }
    return true;
}

bool grzBoxPairs_Validate(const grzBoxPairs* pairs, const grzBoxPairsQuery* query) {
    Check check = {.pairs = pairs};
    BoxWalk* walk = &check.walk;
    if (!grzResult_IsOk(grzBoxPairs_BeginWalk(query, NULL, walk)))
        return false;
    grzBoxReach_All(query);
    const grzBvhView viewA = grzBvh_GetView(query->a.bvh);
    check.leavesB = walk->isSelf ? viewA.leafCount : grzBvh_GetView(query->b.bvh).leafCount;
    for (uint32_t leaf = 0; leaf < viewA.leafCount; ++leaf)
        if (!checkLeaf(&check, leaf))
            return false;
    if (check.at != pairs->pairs.count)
        grzLog(grz_logError, "box pairs: %zu of %zu pairs do not overlap", pairs->pairs.count - check.at,
               pairs->pairs.count);
    return check.at == pairs->pairs.count;
}
