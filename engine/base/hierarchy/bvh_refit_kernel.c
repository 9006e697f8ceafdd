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

#include "bvh_rows.h"

// ---- floats ----

GRZ_SIMD_INLINE BvhSpan loadFloats(const float* positions, size_t stride, uint32_t vertex) {
    const grzF4 p = grzF4_Load(positions + vertex * stride);
    return (BvhSpan){p, p};
}

GRZ_SIMD_INLINE BvhSpan spanFour(const float* positions, size_t stride, const uint32_t* list, const uint32_t* map) {
    BvhSpan of[4];
    for (int k = 0; k < 4; ++k)
        of[k] = loadFloats(positions, stride, map != NULL ? map[list[k]] : list[k]);
    return grzBvhJoinSpans(grzBvhJoinSpans(of[0], of[1]), grzBvhJoinSpans(of[2], of[3]));
}

GRZ_SIMD_INLINE BvhSpan spanFourMoving(const BvhRefitJob* job, size_t stride, const uint32_t* list,
                                       const uint32_t* map, bool isSwept) {
    const BvhSpan start = spanFour(job->start, stride, list, map);
    return isSwept ? grzBvhJoinSpans(start, spanFour(job->end, stride, list, map)) : start;
}

// Two leaves side by side: half the minima and maxima, and the same ones.
typedef struct Twin {
    grzF8 lower, upper;
} Twin;

GRZ_SIMD_INLINE Twin joinTwins(Twin a, Twin b) {
    return (Twin){grzF8_Min(a.lower, b.lower), grzF8_Max(a.upper, b.upper)};
}

GRZ_SIMD_PART Twin twinFour(const float* positions, size_t stride, const uint32_t* list, const uint32_t* map) {
    Twin of[4];
    for (int k = 0; k < 4; ++k) {
        const size_t a = map != NULL ? map[list[k]] : list[k], b = map != NULL ? map[list[k + 8]] : list[k + 8];
        const grzF8 p = grzF8_Join(grzF4_Load(positions + a * stride), grzF4_Load(positions + b * stride));
        of[k] = (Twin){p, p};
    }
    return joinTwins(joinTwins(of[0], of[1]), joinTwins(of[2], of[3]));
}

GRZ_SIMD_INLINE Twin twinFourMoving(const BvhRefitJob* job, size_t stride, const uint32_t* list,
                                    const uint32_t* map, bool isSwept) {
    const Twin start = twinFour(job->start, stride, list, map);
    return isSwept ? joinTwins(start, twinFour(job->end, stride, list, map)) : start;
}

GRZ_SIMD_INLINE void storeTwin(BvhRows* rows, uint32_t lane, Twin twin) {
    grzF8_Store(rows->lower[lane], twin.lower);
    grzF8_Store(rows->upper[lane], twin.upper);
}

// The leaves with more than eight vertices, once more.
GRZ_SIMD_PART void addMore(const BvhRefitJob* job, size_t stride, const uint32_t* map, bool isSwept,
                           uint32_t firstLeaf, uint32_t more, BvhRows* rows) {
    const uint32_t* list = job->bvh->moreVertices + 4 * (size_t)firstLeaf;
    for (uint32_t k = 0; more != 0; ++k, more >>= 1) {
        if ((more & 1) == 0)
            continue;
        const BvhSpan known = {grzF4_Load(rows->lower[k]), grzF4_Load(rows->upper[k])};
        grzBvhStoreSpan(rows, k,
                        grzBvhJoinSpans(known, spanFourMoving(job, stride, list + 4 * (size_t)k, map, isSwept)));
    }
}

// What is constant where it is called is folded away, so that each way has a loop of its own.
GRZ_SIMD_PART void fillFloats(const BvhRefitJob* job, size_t stride, const uint32_t* map, bool isSwept,
                              uint32_t firstLeaf, uint32_t count, uint32_t more, BvhRows* rows) {
    const uint32_t* list = job->bvh->leafVertices + 8 * (size_t)firstLeaf;
    uint32_t k = 0;
    for (; k + 2 <= count; k += 2, list += 16)
        storeTwin(rows, k,
                  joinTwins(twinFourMoving(job, stride, list, map, isSwept),
                            twinFourMoving(job, stride, list + 4, map, isSwept)));
    if (k < count)
        grzBvhStoreSpan(rows, k,
                        grzBvhJoinSpans(spanFourMoving(job, stride, list, map, isSwept),
                                        spanFourMoving(job, stride, list + 4, map, isSwept)));
    addMore(job, stride, map, isSwept, firstLeaf, more, rows);
}

// ---- rounding ----

// The floats `by` places further up. Floats in order are integers in order once the bits of negative ones are turned
// over. A zero has the sign of what was rounded to it, so it need not be crossed.
GRZ_SIMD_INLINE grzF4 step(grzF4 x, grzI4 by) {
    grzI4 bits = grzF4_AsInt(x);
    const grzI4 magnitude = grzI4_Set1(INT32_MAX);
    bits = grzI4_Add(grzI4_Xor(bits, grzI4_And(grzI4_ShiftRight(bits, 31), magnitude)), by);
    return grzI4_AsFloat(grzI4_Xor(bits, grzI4_And(grzI4_ShiftRight(bits, 31), magnitude)));
}

GRZ_SIMD_PART grzF4 nearestFloats(grzD4 x) {
    double of[4];
    grzD4_Store(of, x);
    float to[4] = {(float)of[0], (float)of[1], (float)of[2], 0};
    // The compiler must not look through the store: at -O2 gcc 12 vectorises two such conversions together with those back
    // to double, and folds the round trip away as if nothing had been rounded (with -fno-tree-slp-vectorize it does not).
    __asm__ volatile("" : : "r"(to) : "memory");
    return grzF4_Load(to);
}

// The greatest floats not above, and the least not below. A conversion rounds to nearest, so it is off by one at most.
GRZ_SIMD_INLINE grzF4 roundDown(grzD4 x) {
    const grzF4 nearest = nearestFloats(x);
    const grzM4 isAbove = grzD4_Less(x, grzD4_FromFloat(nearest));
    return step(nearest, grzI4_Select(isAbove, grzI4_Set1(-1), grzI4_Zero()));
}

GRZ_SIMD_INLINE grzF4 roundUp(grzD4 x) {
    const grzF4 nearest = nearestFloats(x);
    const grzM4 isBelow = grzD4_Less(grzD4_FromFloat(nearest), x);
    return step(nearest, grzI4_Select(isBelow, grzI4_Set1(1), grzI4_Zero()));
}

// ---- doubles ----

typedef struct WideSpan {
    grzD4 lower, upper;
} WideSpan;

GRZ_SIMD_INLINE WideSpan joinWide(WideSpan a, WideSpan b) {
    return (WideSpan){grzD4_Min(a.lower, b.lower), grzD4_Max(a.upper, b.upper)};
}

GRZ_SIMD_PART WideSpan wideFour(const BvhRefitJob* job, const double* positions, const uint32_t* list) {
    WideSpan of[4];
    for (int k = 0; k < 4; ++k) {
        const size_t vertex = job->map != NULL ? job->map[list[k]] : list[k];
        const grzD4 p = grzD4_Load(positions + vertex * job->stride);
        of[k] = (WideSpan){p, p};
    }
    return joinWide(joinWide(of[0], of[1]), joinWide(of[2], of[3]));
}

GRZ_SIMD_INLINE WideSpan wideFourMoving(const BvhRefitJob* job, const uint32_t* list) {
    const WideSpan start = wideFour(job, job->start, list);
    return job->end != NULL ? joinWide(start, wideFour(job, job->end, list)) : start;
}

GRZ_SIMD_PART void fillDoubles(const BvhRefitJob* job, uint32_t firstLeaf, uint32_t count, uint32_t more,
                               BvhRows* rows) {
    const uint32_t* list = job->bvh->leafVertices + 8 * (size_t)firstLeaf;
    for (uint32_t k = 0; k < count; ++k, list += 8) {
        WideSpan all = joinWide(wideFourMoving(job, list), wideFourMoving(job, list + 4));
        if ((more >> k & 1) != 0)
            all = joinWide(all, wideFourMoving(job, job->bvh->moreVertices + 4 * (size_t)(firstLeaf + k)));
        grzBvhStoreSpan(rows, k, (BvhSpan){roundDown(all.lower), roundUp(all.upper)});
    }
}

// ---- one number after the other, where an array ends ----

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

static void fillSlowly(const BvhRefitJob* job, uint32_t firstLeaf, uint32_t count, uint32_t more, BvhRows* rows) {
    for (uint32_t k = 0; k < count; ++k) {
        const size_t leaf = firstLeaf + k;
        const uint32_t* list = job->bvh->leafVertices + 8 * leaf;
        double lower[4] = {0, 0, 0, 0}, upper[4] = {0, 0, 0, 0};
        for (size_t axis = 0; axis < 3; ++axis) {
            Interval all = join(intervalMoving(job, list, axis), intervalMoving(job, list + 4, axis));
            if ((more >> k & 1) != 0)
                all = join(all, intervalMoving(job, job->bvh->moreVertices + 4 * leaf, axis));
            lower[axis] = all.lower;
            upper[axis] = all.upper;
        }
        grzBvhStoreSpan(rows, k, (BvhSpan){roundDown(grzD4_Load(lower)), roundUp(grzD4_Load(upper))});
    }
}

// ---- nodes ----

// Returns the box of all of it.
GRZ_SIMD_PART BvhSpan refitNode(const BvhRefitJob* job, uint32_t i, size_t stride, const uint32_t* map,
                                bool isSwept, grzBvhNode* to) {
    const grzBvhView* view = &job->bvh->view;
    const unsigned last = map != NULL ? GRZ_BVH_HAS_CALLERS_LAST : GRZ_BVH_HAS_TREES_LAST;
    BvhRows rows;
    const uint32_t count = grzBvhView_ChildCount(view, view->levelCount - 1, i), firstLeaf = i * GRZ_BVH_WIDTH;
    const unsigned flags = job->bvh->nodeFlags[i];
    if ((flags & last) != 0)
        fillSlowly(job, firstLeaf, count, flags & 255, &rows);
    else if (job->isDouble)
        fillDoubles(job, firstLeaf, count, flags & 255, &rows);
    else
        fillFloats(job, stride, map, isSwept, firstLeaf, count, flags & 255, &rows);
    grzBvhFillEmpty(&rows, count);
    grzBvhStoreNode(&rows, to);
    return grzBvhJoinRows(&rows);
}

GRZ_SIMD_PART void refitNodes(const BvhRefitJob* job, uint32_t first, uint32_t end, size_t stride,
                              const uint32_t* map, bool isSwept) {
    const grzBvhView* view = &job->bvh->view;
    const uint32_t bottom = view->levelCount - 1, start = view->levelStarts[bottom];
    for (uint32_t i = first; i < end; ++i) {
        const BvhSpan box = refitNode(job, i, stride, map, isSwept, &job->nodes[start + i]);
        if (bottom == 0)
            continue;
        float lower[4], upper[4];
        grzF4_Store(lower, box.lower);
        grzF4_Store(upper, box.upper);
        grzBvhStoreLane(view, job->nodes, bottom, i, lower, upper);
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

void GRZ_KERNEL(grzBvhRefitAside)(const BvhRefitJob* job, uint32_t index, grzBvhNode* node, BvhBox* box) {
    const BvhSpan span = job->stride == 3 && job->map == NULL
                             ? refitNode(job, index, 3, NULL, false, node)
                             : refitNode(job, index, job->stride, job->map, false, node);
    grzF4_Store(box->lower, span.lower);
    grzF4_Store(box->upper, span.upper);
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
        grzBvhStoreLane(view, nodes, level, i, lower, upper);
    }
}

// ---- what is not finite: a number less itself is 0, or a NaN, which stays in every sum ----

GRZ_SIMD_PART grzF4 doubtFour(const BvhRefitJob* job, const void* positions, const uint32_t* list) {
    grzF4 doubt = grzF4_Zero();
    for (int k = 0; k < 4; ++k) {
        const size_t at = (job->map != NULL ? job->map[list[k]] : list[k]) * job->stride;
        if (job->isDouble) {
            double of[4];
            const grzD4 p = grzD4_Load((const double*)positions + at);
            grzD4_Store(of, grzD4_Sub(p, p));
            doubt = grzF4_Add(doubt, grzF4_Set((float)of[0], (float)of[1], (float)of[2], (float)of[3]));
        } else {
            const grzF4 p = grzF4_Load((const float*)positions + at);
            doubt = grzF4_Add(doubt, grzF4_Sub(p, p));
        }
    }
    return doubt;
}

bool GRZ_KERNEL(grzBvhLeavesAreFinite)(const BvhRefitJob* job, const void* positions, uint32_t first,
                                       uint32_t end) {
    const grzBvhView* view = &job->bvh->view;
    const unsigned last = job->map != NULL ? GRZ_BVH_HAS_CALLERS_LAST : GRZ_BVH_HAS_TREES_LAST;
    grzF4 doubt = grzF4_Zero();
    for (uint32_t i = first; i < end; ++i) {
        const uint32_t count = grzBvhView_ChildCount(view, view->levelCount - 1, i), firstLeaf = i * GRZ_BVH_WIDTH;
        const unsigned flags = job->bvh->nodeFlags[i];
        if ((flags & last) != 0)
            return false;
        for (uint32_t k = 0; k < count; ++k) {
            const size_t leaf = firstLeaf + k;
            doubt = grzF4_Add(doubt, doubtFour(job, positions, job->bvh->leafVertices + 8 * leaf));
            doubt = grzF4_Add(doubt, doubtFour(job, positions, job->bvh->leafVertices + 8 * leaf + 4));
            if ((flags >> k & 1) != 0)
                doubt = grzF4_Add(doubt, doubtFour(job, positions, job->bvh->moreVertices + 4 * leaf));
        }
    }
    return grzF4_ReduceSum(doubt) == 0;
}

bool GRZ_KERNEL(grzBvhAreFinite)(const float* numbers, size_t count) {
    grzF8 sum[4] = {grzF8_Zero(), grzF8_Zero(), grzF8_Zero(), grzF8_Zero()};
    size_t i = 0;
    for (; i + 32 <= count; i += 32) {
        for (size_t k = 0; k < 4; ++k) {
            const grzF8 x = grzF8_Load(numbers + i + 8 * k);
            sum[k] = grzF8_Add(sum[k], grzF8_Sub(x, x));
        }
    }
    float rest = grzF8_ReduceSum(grzF8_Add(grzF8_Add(sum[0], sum[1]), grzF8_Add(sum[2], sum[3])));
    for (; i < count; ++i)
        rest += numbers[i] - numbers[i];
    return rest == 0;
}

bool GRZ_KERNEL(grzBvhAreFiniteDoubles)(const double* numbers, size_t count) {
    grzD4 sum[4] = {grzD4_Set1(0), grzD4_Set1(0), grzD4_Set1(0), grzD4_Set1(0)};
    size_t i = 0;
    for (; i + 16 <= count; i += 16) {
        for (size_t k = 0; k < 4; ++k) {
            const grzD4 x = grzD4_Load(numbers + i + 4 * k);
            sum[k] = grzD4_Add(sum[k], grzD4_Sub(x, x));
        }
    }
    double all[4];
    grzD4_Store(all, grzD4_Add(grzD4_Add(sum[0], sum[1]), grzD4_Add(sum[2], sum[3])));
    double rest = all[0] + all[1] + all[2] + all[3];
    for (; i < count; ++i)
        rest += numbers[i] - numbers[i];
    return rest == 0;
}
