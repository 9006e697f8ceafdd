// What: how much the siblings of a hierarchy overlap, and whether a rebuild pays.
// Idea: each child of a node against all eight at once, itself among them; places are from the root's lower corner, in
//       units of its longest side, so that no product leaves the range of float. Halves are subtracted, since a difference of
//       floats may be twice as large as any.
// Holds: an inner node's sums are of eight floats in a fixed tree; they are added up in double, node by node.
// Based on: the argument of the rule: [Karlin, Manasse, Rudolph, Sleator, Competitive Snoopy Caching, Algorithmica
//       1988].
#include "bvh_parts.h"

#include "refuse_null.h"

#include <float.h>

typedef struct Lanes {
    grzF8 lower[3], upper[3];
} Lanes;

// What places are measured by.
typedef struct Frame {
    float halfOrigin[3], doubleScale;
} Frame;

static float keepFinite(float x) {
    return x > FLT_MAX ? FLT_MAX : x < -FLT_MAX ? -FLT_MAX : x;
}

static grzF8 placeLanes(const float lanes[8], const Frame* frame, int axis) {
    const grzF8 kept = grzF8_Max(grzF8_Min(grzF8_Load(lanes), grzF8_Set1(FLT_MAX)), grzF8_Set1(-FLT_MAX));
    const grzF8 half = grzF8_Sub(grzF8_Mul(kept, grzF8_Set1(0.5F)), grzF8_Set1(frame->halfOrigin[axis]));
    return grzF8_Mul(half, grzF8_Set1(frame->doubleScale));
}

static Lanes loadLanes(const grzBvhNode* node, const Frame* frame) {
    Lanes lanes;
    for (int axis = 0; axis < 3; ++axis) {
        lanes.lower[axis] = placeLanes(node->lower[axis], frame, axis);
        lanes.upper[axis] = placeLanes(node->upper[axis], frame, axis);
    }
    return lanes;
}

// Half the surface of what each lane has in common with box k; 0 where nothing.
static grzF8 commonArea(const Lanes* lanes, size_t k) {
    grzF8 side[3];
    grzM8 isThere = grzM8_FromBits(255);
    for (int axis = 0; axis < 3; ++axis) {
        const grzF8 lower = grzF8_Max(lanes->lower[axis], grzF8_Set1(grzF8_Lane(lanes->lower[axis], k)));
        const grzF8 upper = grzF8_Min(lanes->upper[axis], grzF8_Set1(grzF8_Lane(lanes->upper[axis], k)));
        side[axis] = grzF8_Sub(upper, lower);
        isThere = grzM8_And(isThere, grzF8_LessEqual(lower, upper));
    }
    const grzF8 area = grzF8_Add(grzF8_Mul(side[0], grzF8_Add(side[1], side[2])), grzF8_Mul(side[1], side[2]));
    return grzF8_Select(isThere, area, grzF8_Zero());
}

typedef struct Sums {
    double areas, common; // common: with itself too
} Sums;

static void addNode(Sums* sums, const grzBvhNode* node, const Frame* frame) {
    const Lanes lanes = loadLanes(node, frame);
    grzF8 common = grzF8_Zero(), own = grzF8_Zero();
    for (size_t k = 0; k < 8; ++k) {
        const grzF8 area = commonArea(&lanes, k);
        common = grzF8_Add(common, area);
        own = grzF8_Select(grzM8_FromBits(1u << k), area, own);
    }
    sums->common += (double)grzF8_ReduceSum(common);
    sums->areas += (double)grzF8_ReduceSum(own);
}

// 1 over the root's longest side; as near to it as floats come.
static float scaleOf(grzBox root) {
    const double x = (double)root.upper.x - (double)root.lower.x, y = (double)root.upper.y - (double)root.lower.y;
    const double z = (double)root.upper.z - (double)root.lower.z;
    double longest = x > y ? x : y;
    longest = z > longest ? z : longest;
    longest = longest < (double)FLT_MAX ? longest : (double)FLT_MAX;
    return longest > 1e-37 ? (float)(1 / longest) : 1e37F;
}

static Frame frameOf(grzBox root) {
    Frame frame = {{0, 0, 0}, 2 * scaleOf(root)};
    for (int axis = 0; axis < 3; ++axis)
        frame.halfOrigin[axis] = 0.5F * keepFinite(grzVec3_Get(root.lower, axis));
    return frame;
}

grzBvhQuality grzBvhMeasureNodes(const grzBvhNode* nodes, uint32_t count) {
    grzBvhQuality quality = {0, 0};
    const grzBox root = grzBvh_RootBox(nodes);
    if (grzBox_IsEmpty(root))
        return quality;
    const Frame frame = frameOf(root);
    Sums sums = {0, 0}, whole = {0, 0};
    for (uint32_t i = 0; i < count; ++i)
        addNode(&sums, &nodes[i], &frame);
    grzBvhNode above;
    for (int k = 0; k < 8; ++k) {
        const bool isRoot = k == 0;
        above.lower[0][k] = isRoot ? root.lower.x : FLT_MAX, above.upper[0][k] = isRoot ? root.upper.x : -FLT_MAX;
        above.lower[1][k] = isRoot ? root.lower.y : FLT_MAX, above.upper[1][k] = isRoot ? root.upper.y : -FLT_MAX;
        above.lower[2][k] = isRoot ? root.lower.z : FLT_MAX, above.upper[2][k] = isRoot ? root.upper.z : -FLT_MAX;
    }
    addNode(&whole, &above, &frame);
    if (sums.areas > 0)
        quality.overlap = (sums.common - sums.areas) / sums.areas;
    if (whole.areas > 0)
        quality.area = 1 + sums.areas / whole.areas;
    return quality;
}

grzBvhQuality grzBvh_Measure(const grzBvh* bvh, const grzBvhNode* nodes) {
    GRZ_RETURN_IF_NULL(bvh, (grzBvhQuality){0});
    GRZ_RETURN_IF_NULL(nodes, (grzBvhQuality){0});
    return grzBvhMeasureNodes(nodes, bvh->view.nodeCount);
}

grzBvhAge grzBvhAge_Start(double overlap) {
    grzBvhAge age = {overlap, 0};
    return age;
}

bool grzBvhAge_Step(grzBvhAge* age, double overlap, double queryCost, double rebuildCost) {
    GRZ_RETURN_IF_NULL(age, false);
    const double growth = (1 + overlap) / (1 + age->builtOverlap);
    if (growth > 1)
        age->lost += queryCost * (1 - 1 / growth);
    return age->lost >= rebuildCost;
}
