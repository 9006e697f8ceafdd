// What: checks the promises of pairs of upkeeps against all pairs of leaves of both sides at the time.
#include "check.h"
#include "record_sort.h"
#include "refuse_null.h"
#include "upkeep_pairs_inside.h"

typedef struct CheckBoxes {
    GRZ_ARRAY(grzBox);
} CheckBoxes;

typedef struct Check {
    const PairSearch* search;
    const BoxFrame* frame;       // of the pose, if there is one
    grzLeafTriangles* triangles; // of the leaves that were listed
    LeafPairs leaves;
    CheckBoxes boxes; // of B's leaves
} Check;

static bool isBad(const char* what, uint32_t a, uint32_t b) {
    grzLog(grz_logError, "pairs of upkeeps are broken: %s (triangles %u and %u)", what, a, b);
    return false;
}

// The nodes of all chunks; of chords leaves are looked at in the plan.
static bool readAll(PairSide* side, const grzAllocator* allocator) {
    grzBoxPairsQuery query = grzDefaultBoxPairsQuery();
    if (!grzPairSide_TakeBoxes(side, NULL, allocator, &query.a, &query.reachA))
        return false;
    if (!grzPairSide_IsChord(side))
        grzBoxReach_All(&query);
    return true;
}

static grzBox leafOf(const grzBvhNode* node, uint32_t k) {
    return grzBox_Make(grzVec3_Make(node->lower[0][k], node->lower[1][k], node->lower[2][k]),
                       grzVec3_Make(node->upper[0][k], node->upper[1][k], node->upper[2][k]));
}

// As tight pairs have it; frame: NULL, or of the side's pose.
static grzBox leafBox(const PairSide* side, const BoxFrame* frame, uint32_t leaf) {
    const grzBvhView view = grzBvh_GetView(side->bvh);
    const grzUpkeep* upkeep = side->given.upkeep;
    grzBox box = grzBox_Empty();
    if (grzPairSide_IsChord(side)) {
        for (uint32_t k = 0; k < view.leafVertexCounts[leaf]; ++k) {
            const uint32_t vertex = grzChord_LeafVertex(upkeep->chord, leaf, k);
            float at[3];
            for (int axis = 0; axis < 3; ++axis)
                at[axis] = grzPlan_Float(upkeep->plan, vertex, axis, upkeep->at);
            box = grzBox_AddPoint(box, grzVec3_Load(at));
        }
        return box;
    }
    grzBvhNode node = grzPairSide_Nodes(side)[grzBvhView_BottomStart(&view) + leaf / GRZ_BVH_WIDTH];
    if (frame != NULL)
        GRZ_PICK_KERNEL(grzBoxNodePose)(frame, &node, &node);
    return leafOf(&node, leaf % GRZ_BVH_WIDTH);
}

// All tight pairs of leaves.
static bool listLeaves(Check* check, const grzAllocator* allocator) {
    const PairSearch* search = check->search;
    const uint32_t leavesA = grzBvh_GetView(search->sides[0]->bvh).leafCount;
    const uint32_t leavesB = grzBvh_GetView(search->sides[1]->bvh).leafCount;
    if (!grzArray_Reserve(&check->boxes, allocator, leavesB))
        return false;
    for (uint32_t b = 0; b < leavesB; ++b)
        check->boxes.data[b] = leafBox(search->sides[1], check->frame, b);
    for (uint32_t a = 0; a < leavesA; ++a) {
        const grzBox box = grzBox_Widened(leafBox(search->sides[0], NULL, a), search->query->margin);
        for (uint32_t b = search->pairs->isSelf ? a : 0; b < leavesB; ++b) {
            if (!grzBox_Overlap(box, check->boxes.data[b]))
                continue;
            if (!grzArray_Reserve(&check->leaves, allocator, check->leaves.count + 1))
                return false;
            check->leaves.data[check->leaves.count++] = (grzLeafPair){a, b, 0, 1};
        }
    }
    return true;
}

static bool isSame(const grzTrianglePair* a, const grzTrianglePair* b) {
    return grzCompareRecords(&grzTrianglePairType, a, b) == 0;
}

// Whether all that is wanted is there; where it is all, nothing else is.
static bool compare(const grzUpkeepPairsView* found, const grzLeafTrianglesView* wanted, bool isAll) {
    size_t at = 0;
    for (size_t i = 0; i < wanted->count; ++i) {
        while (!isAll && at < found->count && !isSame(&found->pairs[at], &wanted->pairs[i]))
            ++at;
        if (at == found->count || !isSame(&found->pairs[at], &wanted->pairs[i]))
            return isBad("a pair is not there, or one too many", wanted->pairs[i].triangleA,
                         wanted->pairs[i].triangleB);
        ++at;
    }
    return !isAll || at == found->count ||
           isBad("a pair too many", found->pairs[at].triangleA, found->pairs[at].triangleB);
}

static bool isActive(const grzUpkeepLeavesView* found, size_t i) {
    return found->active == NULL || (found->active[i / 64] >> i % 64 & 1) != 0;
}

// Likewise of leaves.
static bool compareLeaves(const grzUpkeepLeavesView* found, const LeafPairs* wanted, bool isAll) {
    size_t at = 0, active = 0;
    for (size_t i = 0; i < found->count; ++i) {
        const grzLeafPair* pair = &found->pairs[i];
        if (!isActive(found, i))
            continue;
        ++active;
        if (at < wanted->count && pair->leafA == wanted->data[at].leafA && pair->leafB == wanted->data[at].leafB)
            ++at;
        else if (isAll)
            return isBad("a pair of leaves too many", pair->leafA, pair->leafB);
    }
    if (at < wanted->count)
        return isBad("a pair of leaves is not there", wanted->data[at].leafA, wanted->data[at].leafB);
    return active == found->activeCount || isBad("leaves are miscounted", 0, 0);
}

static bool checkLeaves(const Check* check) {
    const grzUpkeepLeavesView found = grzUpkeepPairs_GetLeaves(check->search->pairs);
    return compareLeaves(&found, &check->leaves, check->search->query->precision == grz_tightPairs);
}

static bool checkTimes(const grzUpkeepPairsView* found) {
    if (!grzAreRecordsSorted(&grzTrianglePairType, found->pairs, found->count))
        return isBad("they are not sorted", 0, 0);
    for (size_t i = 0; i < found->count; ++i)
        if (!(0 <= found->pairs[i].t0 && found->pairs[i].t0 <= found->pairs[i].t1 && found->pairs[i].t1 <= 1))
            return isBad("its times are none", found->pairs[i].triangleA, found->pairs[i].triangleB);
    return found->begin <= found->time && found->time <= found->end;
}

// That of the pose, if there is one. False where its numbers are too large.
static bool takeFrame(Check* check, BoxFrame* frame) {
    const PairSearch* search = check->search;
    const grzBox root = search->pose != NULL ? grzBvh_RootBox(grzPairSide_Nodes(search->sides[1])) : grzBox_Empty();
    if (grzBox_IsEmpty(root))
        return true;
    check->frame = frame;
    return grzBoxFrame_Make(search->pose, &root, frame);
}

bool grzUpkeepPairs_Validate(grzUpkeepPairs* pairs, const grzUpkeepPairsQuery* query) {
    GRZ_RETURN_IF_NULL(pairs, false);
    PairSearch search;
    BoxFrame frame;
    const grzAllocator* allocator = &pairs->memory.allocator;
    grzLeafTrianglesDef def = grzDefaultLeafTrianglesDef();
    Check check = {.search = &search};
    def.allocator = *allocator;
    if (!grzResult_IsOk(grzUpkeepPairs_Begin(pairs, query, &search)) || !readAll(search.sides[0], allocator) ||
        !readAll(search.sides[1], allocator) || !grzResult_IsOk(grzLeafTriangles_Create(&def, &check.triangles)))
        return false;
    bool isRight = takeFrame(&check, &frame) && listLeaves(&check, allocator) &&
                   grzResult_IsOk(grzPairSearch_FindTriangles(&search, NULL, check.triangles, check.leaves.data,
                                                              check.leaves.count));
    if (isRight) {
        const grzUpkeepPairsView found = grzUpkeepPairs_GetView(pairs);
        const grzLeafTrianglesView wanted = grzLeafTriangles_GetView(check.triangles);
        isRight = checkLeaves(&check) && checkTimes(&found);
        if (!query->endsAtLeaves)
            isRight = isRight && compare(&found, &wanted, query->precision != grz_conservativePairs);
    }
    grzLeafTriangles_Destroy(check.triangles);
    grzArray_Release(&check.leaves, allocator);
    grzArray_Release(&check.boxes, allocator);
    return isRight;
}
