// What: kinetic_reference.h.
#include "kinetic_reference.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- numbers ----

static float anyFloat(grzRng* rng) {
    for (;;) {
        const uint32_t bits = grzRng_Next(rng);
        float number;
        memcpy(&number, &bits, sizeof number);
        if (isfinite(number))
            return number;
    }
}

float drawHardNumber(grzRng* rng, uint32_t flavour, uint32_t vertex) {
    const float x = 2 * grzRng_Float(rng) - 1;
    switch (flavour % HARD_FLAVOURS) {
    case hard_tied:
        return (float)((int)grzRng_Below(rng, 3) - 1);
    case hard_far:
        return 1e6F + x;
    case hard_veryFar:
        return 1e9F + 64 * (float)grzRng_Below(rng, 4); // 64 apart is as near as floats are there
    case hard_denormal:
        return (float)((int)grzRng_Below(rng, 7) - 3) * FLT_TRUE_MIN;
    case hard_zeros:
        return grzRng_Below(rng, 2) == 0 ? 0.0F : -0.0F;
    case hard_huge:
        return FLT_MAX * x;
    case hard_rising:
        return (float)vertex;
    case hard_falling:
        return -(float)vertex;
    case hard_anyBits:
        return anyFloat(rng);
    case hard_near:
        return 1 + 1e-6F * x;
    case hard_still:
        return 0.25F * (float)(vertex % 64);
    case hard_usual:
    default:
        return x;
    }
}

// ---- hierarchies ----

static void clearNode(grzBvhNode* node) {
    for (uint32_t axis = 0; axis < 3; ++axis)
        for (uint32_t lane = 0; lane < GRZ_BVH_WIDTH; ++lane)
            node->lower[axis][lane] = FLT_MAX, node->upper[axis][lane] = -FLT_MAX;
}

// `isFirst`: the lane was empty, so that it becomes the interval, which may lie beyond FLT_MAX.
static void widenLane(grzBvhNode* node, uint32_t lane, uint32_t axis, float lower, float upper, bool isFirst) {
    if (isFirst || lower < node->lower[axis][lane])
        node->lower[axis][lane] = lower;
    if (isFirst || upper > node->upper[axis][lane])
        node->upper[axis][lane] = upper;
}

static void placeLeaves(const grzBvhView* view, grzBvhNumbering numbering, const float* positions,
                        grzBvhNode* bottom) {
    for (size_t i = 0; i < 3 * (size_t)view->triangleCount; ++i) {
        const uint32_t own = view->triangles[i], leaf = (uint32_t)(i / (3 * GRZ_BVH_LEAF_TRIANGLES));
        const uint32_t vertex = numbering == grz_bvhCallersNumbers ? view->vertexToCaller[own] : own;
        const float* p = positions + 3 * (size_t)vertex;
        for (uint32_t axis = 0; axis < 3; ++axis)
            widenLane(&bottom[leaf / GRZ_BVH_WIDTH], leaf % GRZ_BVH_WIDTH, axis, p[axis], p[axis],
                      i % (3 * GRZ_BVH_LEAF_TRIANGLES) == 0);
    }
}

static void placeParents(const grzBvhView* view, uint32_t level, grzBvhNode* nodes) {
    for (uint32_t i = 0; i < view->levelStarts[level + 1] - view->levelStarts[level]; ++i) {
        const grzBvhNode* node = nodes + view->levelStarts[level] + i;
        grzBvhNode* parent = nodes + view->levelStarts[level - 1] + i / GRZ_BVH_WIDTH;
        for (uint32_t k = 0; k < grzBvhView_ChildCount(view, level, i); ++k)
            for (uint32_t axis = 0; axis < 3; ++axis)
                widenLane(parent, i % GRZ_BVH_WIDTH, axis, node->lower[axis][k], node->upper[axis][k], k == 0);
    }
}

void referenceBoxes(const grzBvh* bvh, grzBvhNumbering numbering, const float* positions, grzBvhNode* nodes) {
    const grzBvhView view = grzBvh_GetView(bvh);
    for (uint32_t i = 0; i < view.nodeCount; ++i)
        clearNode(&nodes[i]);
    placeLeaves(&view, numbering, positions, nodes + grzBvhView_BottomStart(&view));
    for (uint32_t level = view.levelCount - 1; level > 0; --level)
        placeParents(&view, level, nodes);
}

bool areSameBoxes(const grzBvhNode* a, const grzBvhNode* b, uint32_t count) {
    const float *first = &a->lower[0][0], *second = &b->lower[0][0];
    for (size_t i = 0; i < count * (sizeof *a / sizeof *first); ++i)
        if (!(first[i] == second[i]))
            return false;
    return true;
}

static bool holdsLane(const grzBvhNode* outer, uint32_t lane, const grzBvhNode* inner, uint32_t innerLane) {
    for (uint32_t axis = 0; axis < 3; ++axis)
        if (!(outer->lower[axis][lane] <= inner->lower[axis][innerLane] &&
              inner->upper[axis][innerLane] <= outer->upper[axis][lane]))
            return false;
    return true;
}

bool holdBoxes(const grzBvhNode* outer, const grzBvhNode* inner, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i)
        for (uint32_t lane = 0; lane < GRZ_BVH_WIDTH; ++lane)
            if (!holdsLane(&outer[i], lane, &inner[i], lane))
                return false;
    return true;
}

bool areNested(const grzBvh* bvh, const grzBvhNode* nodes) {
    const grzBvhView view = grzBvh_GetView(bvh);
    for (uint32_t level = 1; level < view.levelCount; ++level)
        for (uint32_t i = 0; i < view.levelStarts[level + 1] - view.levelStarts[level]; ++i)
            for (uint32_t k = 0; k < grzBvhView_ChildCount(&view, level, i); ++k)
                if (!holdsLane(nodes + view.levelStarts[level - 1] + i / GRZ_BVH_WIDTH, i % GRZ_BVH_WIDTH,
                               nodes + view.levelStarts[level] + i, k))
                    return false;
    return true;
}

// ---- BoxTrees ----

typedef struct Walk {
    const grzBoxTree* tree;
    grzBoxTreeView view;
    const uint32_t* triangles;
    const float* positions;
    uint8_t* seen; // by triangle
    uint32_t seenCount;
    grzBox around; // all vertices of triangles
} Walk;

static bool leafHolds(Walk* walk, uint32_t leaf, grzBox box) {
    const uint32_t begin = GRZ_BOX_TREE_LEAF_TRIANGLES * leaf, end = begin + walk->view.counts[leaf];
    for (uint32_t i = begin; i < end; ++i) {
        const uint32_t triangle = walk->view.order[i];
        if (triangle >= walk->view.triangleCount || walk->seen[triangle] != 0)
            return false;
        walk->seen[triangle] = 1;
        ++walk->seenCount;
        for (uint32_t k = 0; k < 3; ++k) {
            const grzVec3 p = grzVec3_Load(walk->positions + 3 * (size_t)walk->triangles[3 * (size_t)triangle + k]);
            if (!grzBox_ContainsPoint(box, p))
                return false;
            walk->around = grzBox_Make(grzMin(walk->around.lower, p), grzMax(walk->around.upper, p));
        }
    }
    return end - begin <= GRZ_BOX_TREE_LEAF_TRIANGLES;
}

// As deep as the tree: the logarithm of its leaves.
static bool nodeHolds(Walk* walk, uint32_t node, grzBox box) {
    grzBox children[2];
    if (node >= walk->view.innerCount)
        return leafHolds(walk, node - walk->view.innerCount, box);
    grzBoxTree_Split(walk->tree, node, box, children);
    return grzBox_Contains(box, children[0]) && grzBox_Contains(box, children[1]) &&
           nodeHolds(walk, 2 * node + 1, children[0]) && nodeHolds(walk, 2 * node + 2, children[1]);
}

bool boxTreeHolds(const grzBoxTree* tree, const uint32_t* triangles, uint32_t triangleCount,
                  const float* positions) {
    const grzBox root = grzBoxTree_RootBox(tree);
    Walk walk = {tree, grzBoxTree_GetView(tree), triangles, positions, NULL, 0, grzBox_Empty()};
    if (triangleCount == 0)
        return walk.view.leafCount == 0;
    const grzVec3 first = grzVec3_Load(positions + 3 * (size_t)triangles[0]);
    walk.around = grzBox_Make(first, first);
    walk.seen = calloc(triangleCount, 1);
    if (walk.seen == NULL)
        abort();
    const bool holds = walk.view.triangleCount == triangleCount && nodeHolds(&walk, 0, root);
    free(walk.seen);
    return holds && walk.seenCount == triangleCount && grzBox_Contains(walk.around, root);
}
