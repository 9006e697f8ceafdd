// What: compares pairs of leaves with a plain loop over the query.
#include "box_walk_kernel.h"
#include "check.h"
#include "leaf_triangles_inside.h"
#include "refuse_null.h"

// The least and the greatest coordinate of a leaf on an axis.
static void rangeOf(const grzLeafBoxesSide* side, uint32_t leaf, int axis, float range[2]) {
    const grzBvhView view = grzBvh_GetView(side->bvh);
    if (side->nodes != NULL) {
        const grzBvhNode* node = &side->nodes[grzBvhView_BottomStart(&view) + leaf / GRZ_BVH_WIDTH];
        range[0] = node->lower[axis][leaf % GRZ_BVH_WIDTH], range[1] = node->upper[axis][leaf % GRZ_BVH_WIDTH];
        return;
    }
    const uint32_t first = GRZ_BVH_LEAF_TRIANGLES * leaf, end = first + GRZ_BVH_LEAF_TRIANGLES;
    for (size_t k = 3 * (size_t)first; k < 3 * (size_t)end && k < 3 * (size_t)view.triangleCount; ++k) {
        const uint32_t vertex = view.triangles[k],
                       own = side->numbering == grz_bvhCallersNumbers ? view.vertexToCaller[vertex] : vertex;
        const float at = grzPlan_Float(side->plan, own, axis, grzPlan_TimeOf(side->plan, side->time));
        range[0] = k == 3 * (size_t)first || at < range[0] ? at : range[0];
        range[1] = k == 3 * (size_t)first || at > range[1] ? at : range[1];
    }
}

// Of a side with nodes.
static void rangePosed(const grzLeafBoxesSide* side, uint32_t leaf, const BoxFrame* frame, int axis,
                       float range[2]) {
    const grzBvhView view = grzBvh_GetView(side->bvh);
    grzBvhNode node = side->nodes[grzBvhView_BottomStart(&view) + leaf / GRZ_BVH_WIDTH];
    GRZ_PICK_KERNEL(grzBoxNodePose)(frame, &node, &node);
    range[0] = node.lower[axis][leaf % GRZ_BVH_WIDTH], range[1] = node.upper[axis][leaf % GRZ_BVH_WIDTH];
}

static bool isBit(const uint64_t* words, size_t i) {
    return (words[i / 64] >> i % 64 & 1) != 0;
}

static bool isWanted(const grzLeafBoxesQuery* query, size_t i) {
    const grzLeafPair* pair = &query->pairs[i];
    const grzLeafBoxesSide* b = query->b.bvh != NULL ? &query->b : &query->a;
    BoxFrame frame;
    if (!grzResult_IsOk(grzLeafBoxes_TakeFrame(query, &frame)))
        return false;
    if (query->asked != NULL && !isBit(query->asked, i))
        return false;
    bool overlaps = true;
    for (int axis = 0; axis < 3; ++axis) {
        float ofA[2], ofB[2];
        rangeOf(&query->a, pair->leafA, axis, ofA);
        if (query->poseB == NULL)
            rangeOf(b, pair->leafB, axis, ofB);
        else
            rangePosed(b, pair->leafB, &frame, axis, ofB);
        overlaps = overlaps && ofA[0] - query->margin <= ofB[1] && ofB[0] <= ofA[1] + query->margin;
    }
    return overlaps;
}

bool grzLeafTriangles_ValidateLeaves(const grzLeafTriangles* triangles, const grzLeafBoxesQuery* query) {
    GRZ_RETURN_IF_NULL(triangles, false);
    const grzLeafBoxesView view = grzLeafTriangles_GetLeaves(triangles);
    const char* flaw = grzLeafBoxes_FlawOf(query);
    if (flaw != NULL) {
        grzLog(grz_logError, "leaf boxes: %s", flaw);
        return false;
    }
    size_t at = 0;
    for (size_t i = 0; i < query->count; ++i) {
        const grzLeafPair *pair = &query->pairs[i], *found = &view.pairs[at];
        const bool isHere = at < view.count && found->leafA == pair->leafA && found->leafB == pair->leafB;
        if (isWanted(query, i) != isHere) {
            grzLog(grz_logError, "leaf boxes: leaves %u and %u %s", pair->leafA, pair->leafB,
                   isHere ? "are listed, and do not overlap" : "overlap, and are not listed");
            return false;
        }
        at += isHere;
    }
    return at == view.count;
}
