// What: boxes of leaves from positions, eight leaves to a node, and of nodes from their children.
// Promise: the same bytes at every level: only minima and maxima, in one order, and a rounding that is exact.
// Idea: a vertex is one load of x, y, z and what lies behind; a leaf is the minimum and maximum of its first eight,
//       in a fixed tree without a branch, since the lists are padded; the few leaves with more are mended afterwards
//       by one loop a node, so that only its end is guessed wrong. Then eight rows are turned into lanes.
//
//         leaf 0  x y z ?          lower[0]  x0 x1 .. x7
//         leaf 1  x y z ?    ->    lower[1]  y0 y1 .. y7        and the same for upper
//         ..                       lower[2]  z0 z1 .. z7
//
// Holds: nothing is read behind the last vertex of a tight array: the nodes that have it are flagged (bvh_layout.c)
//        and go the slow way.
// Cost: 0.5 to 0.8 ns a triangle while in cache, bound by the loads; beyond it, by the bandwidth of 26 bytes a
//       triangle.
// Based on: [van den Bergen, Efficient Collision Detection of Complex Deformable Models using AABB Trees, Journal of
//       Graphics Tools 1997]: children before parents, by index. We differ: eight children a node.
#include "bvh_refit_kernel.h"

#include <float.h>

typedef struct Rows {
    float lower[GRZ_BVH_WIDTH][4], upper[GRZ_BVH_WIDTH][4]; // a leaf each; the fourth is rubbish
} Rows;

typedef struct Span {
    grzF4 lower, upper;
} Span;

GRZ_SIMD_INLINE Span joinSpans(Span a, Span b) {
    return (Span){grzF4_Min(a.lower, b.lower), grzF4_Max(a.upper, b.upper)};
}

// ---- floats ----

GRZ_SIMD_INLINE Span loadFloats(const float* positions, size_t stride, uint32_t vertex) {
    const grzF4 p = grzF4_Load(positions + vertex * stride);
    return (Span){p, p};
}

GRZ_SIMD_INLINE Span spanFour(const float* positions, size_t stride, const uint32_t* list, const uint32_t* map) {
    Span of[4];
    for (int k = 0; k < 4; ++k)
        of[k] = loadFloats(positions, stride, map != NULL ? map[list[k]] : list[k]);
    return joinSpans(joinSpans(of[0], of[1]), joinSpans(of[2], of[3]));
}

GRZ_SIMD_INLINE Span spanFourMoving(const BvhRefitJob* job, size_t stride, const uint32_t* list,
                                    const uint32_t* map, bool isSwept) {
    const Span start = spanFour(job->start, stride, list, map);
    return isSwept ? joinSpans(start, spanFour(job->end, stride, list, map)) : start;
}

GRZ_SIMD_INLINE void storeSpan(Rows* rows, uint32_t lane, Span span) {
    grzF4_Store(rows->lower[lane], span.lower);
    grzF4_Store(rows->upper[lane], span.upper);
}

// What is constant where it is called is folded away, so that each way has a loop of its own.
GRZ_SIMD_INLINE void fillFloats(const BvhRefitJob* job, size_t stride, const uint32_t* map, bool isSwept,
                                uint32_t firstLeaf, uint32_t count, uint32_t more, Rows* rows) {
    const uint32_t* list = job->bvh->leafVertices + 8 * (size_t)firstLeaf;
    for (uint32_t k = 0; k < count; ++k, list += 8)
        storeSpan(rows, k,
                  joinSpans(spanFourMoving(job, stride, list, map, isSwept),
                            spanFourMoving(job, stride, list + 4, map, isSwept)));
    for (uint32_t k = 0; more != 0; ++k, more >>= 1) {
        if ((more & 1) == 0)
            continue;
        const uint32_t* others = job->bvh->moreVertices + 4 * (size_t)(firstLeaf + k);
        const Span known = {grzF4_Load(rows->lower[k]), grzF4_Load(rows->upper[k])};
        storeSpan(rows, k, joinSpans(known, spanFourMoving(job, stride, others, map, isSwept)));
    }
}

// ---- one number after the other: doubles, and floats where an array ends ----

// The next float below, and above; also of zeros and denormals. Not for what has none.
static float step(float x, bool isUp) {
    int32_t bits;
    memcpy(&bits, &x, sizeof bits);
    if (x == 0)
        bits = isUp ? 1 : INT32_MIN + 1;
    else
        bits += (x > 0) == isUp ? 1 : -1;
    memcpy(&x, &bits, sizeof x);
    return x;
}

// The greatest float not above, and the least not below. A conversion rounds to nearest, so it is off by one step.
static float roundDown(double x) {
    const float nearest = (float)x;
    return (double)nearest > x ? step(nearest, false) : nearest;
}

static float roundUp(double x) {
    const float nearest = (float)x;
    return (double)nearest < x ? step(nearest, true) : nearest;
}

typedef struct Interval {
    double lower, upper;
} Interval;

static double numberAt(const BvhRefitJob* job, const void* positions, size_t place) {
    return job->isDouble ? ((const double*)positions)[place] : (double)((const float*)positions)[place];
}

// As the wide loops have it: b where both are equal.
static double lesser(double a, double b) {
    return a < b ? a : b;
}

static double greater(double a, double b) {
    return a > b ? a : b;
}

static Interval join(Interval a, Interval b) {
    return (Interval){lesser(a.lower, b.lower), greater(a.upper, b.upper)};
}

static Interval intervalOfFour(const BvhRefitJob* job, const void* positions, const uint32_t* list, size_t axis) {
    Interval of[4];
    for (int k = 0; k < 4; ++k) {
        const size_t vertex = job->map != NULL ? job->map[list[k]] : list[k];
        const double x = numberAt(job, positions, vertex * job->stride + axis);
        of[k] = (Interval){x, x};
    }
    return join(join(of[0], of[1]), join(of[2], of[3]));
}

static Interval intervalMoving(const BvhRefitJob* job, const uint32_t* list, size_t axis) {
    const Interval start = intervalOfFour(job, job->start, list, axis);
    return job->end != NULL ? join(start, intervalOfFour(job, job->end, list, axis)) : start;
}

static void fillSlowly(const BvhRefitJob* job, uint32_t firstLeaf, uint32_t count, uint32_t more, Rows* rows) {
    for (uint32_t k = 0; k < count; ++k) {
        const size_t leaf = firstLeaf + k;
        const uint32_t* list = job->bvh->leafVertices + 8 * leaf;
        for (size_t axis = 0; axis < 3; ++axis) {
            Interval all = join(intervalMoving(job, list, axis), intervalMoving(job, list + 4, axis));
            if ((more >> k & 1) != 0)
                all = join(all, intervalMoving(job, job->bvh->moreVertices + 4 * leaf, axis));
            rows->lower[k][axis] = roundDown(all.lower);
            rows->upper[k][axis] = roundUp(all.upper);
        }
        rows->lower[k][3] = rows->upper[k][3] = 0;
    }
}

// ---- nodes ----

static void fillEmpty(Rows* rows, uint32_t first) {
    for (uint32_t k = first; k < GRZ_BVH_WIDTH; ++k)
        storeSpan(rows, k, (Span){grzF4_Set1(FLT_MAX), grzF4_Set1(-FLT_MAX)});
}

GRZ_SIMD_INLINE void storeNode(const Rows* rows, grzBvhNode* node) {
    grzF8 lower[4], upper[4];
    grzF8_LoadRows4(rows->lower[0], lower);
    grzF8_LoadRows4(rows->upper[0], upper);
    for (int axis = 0; axis < 3; ++axis) {
        grzF8_Store(node->lower[axis], lower[axis]);
        grzF8_Store(node->upper[axis], upper[axis]);
    }
}

GRZ_SIMD_INLINE Span joinRows(const Rows* rows) {
    Span of[8];
    for (int k = 0; k < 8; ++k)
        of[k] = (Span){grzF4_Load(rows->lower[k]), grzF4_Load(rows->upper[k])};
    const Span first = joinSpans(joinSpans(of[0], of[1]), joinSpans(of[2], of[3]));
    return joinSpans(first, joinSpans(joinSpans(of[4], of[5]), joinSpans(of[6], of[7])));
}

// Into the lane of the parent of node `index` of level `level`, which is not the root's.
GRZ_SIMD_INLINE void storeLane(const grzBvhView* view, grzBvhNode* nodes, uint32_t level, uint32_t index,
                               const float lower[4], const float upper[4]) {
    grzBvhNode* parent = &nodes[view->levelStarts[level - 1] + index / GRZ_BVH_WIDTH];
    for (int axis = 0; axis < 3; ++axis) {
        parent->lower[axis][index % GRZ_BVH_WIDTH] = lower[axis];
        parent->upper[axis][index % GRZ_BVH_WIDTH] = upper[axis];
    }
}

GRZ_SIMD_INLINE void refitNodes(const BvhRefitJob* job, uint32_t first, uint32_t end, size_t stride,
                                const uint32_t* map, bool isSwept) {
    const grzBvhView* view = &job->bvh->view;
    const uint32_t bottom = view->levelCount - 1, start = view->levelStarts[bottom];
    const unsigned last = map != NULL ? GRZ_BVH_HAS_CALLERS_LAST : GRZ_BVH_HAS_TREES_LAST;
    for (uint32_t i = end; i-- > first;) {
        Rows rows;
        const uint32_t count = grzBvhView_ChildCount(view, bottom, i), firstLeaf = i * GRZ_BVH_WIDTH;
        const unsigned flags = job->bvh->nodeFlags[i];
        if (job->isDouble || (flags & last) != 0)
            fillSlowly(job, firstLeaf, count, flags & 255, &rows);
        else
            fillFloats(job, stride, map, isSwept, firstLeaf, count, flags & 255, &rows);
        fillEmpty(&rows, count);
        storeNode(&rows, &job->nodes[start + i]);
        if (bottom == 0)
            continue;
        const Span box = joinRows(&rows);
        float lower[4], upper[4];
        grzF4_Store(lower, box.lower);
        grzF4_Store(upper, box.upper);
        storeLane(view, job->nodes, bottom, i, lower, upper);
    }
}

void GRZ_KERNEL(grzBvhRefitBottom)(const BvhRefitJob* job, uint32_t first, uint32_t end) {
    const bool isTight = job->stride == 3;
    if (isTight && job->map == NULL && job->end == NULL)
        refitNodes(job, first, end, 3, NULL, false);
    else if (isTight && job->map == NULL)
        refitNodes(job, first, end, 3, NULL, true);
    else if (job->end == NULL)
        refitNodes(job, first, end, job->stride, job->map, false);
    else
        refitNodes(job, first, end, job->stride, job->map, true);
}

void GRZ_KERNEL(grzBvhRefitInner)(const grzBvhView* view, grzBvhNode* nodes, uint32_t level, uint32_t first,
                                  uint32_t end) {
    for (uint32_t i = end; i-- > first;) {
        const grzBvhNode* node = &nodes[view->levelStarts[level] + i];
        float lower[4] = {0, 0, 0, 0}, upper[4] = {0, 0, 0, 0};
        for (int axis = 0; axis < 3; ++axis) {
            lower[axis] = grzF8_ReduceMin(grzF8_Load(node->lower[axis]));
            upper[axis] = grzF8_ReduceMax(grzF8_Load(node->upper[axis]));
        }
        storeLane(view, nodes, level, i, lower, upper);
    }
}
