// What: the kernels of plan_box_kernel.h.
// Idea: realisers of eight boxes stand side by side, and so do the boxes' coordinates in a node: what differs from lane to
//   lane is only where the plan's numbers are read. The arithmetic is that of plan_value.c, operation by operation.
#include "plan_box_kernel.h"

#include "simd.h"

enum { WIDTH = GRZ_BVH_WIDTH, SIDES = 6 };

GRZ_SIMD_INLINE float* sideOf(grzBvhNode* node, size_t side) {
    return side < 3 ? node->lower[side] : node->upper[side - 3];
}

// Rounds to nearest, as a cast does.
GRZ_SIMD_INLINE void storeFloats(float* to, grzD8 from) {
    _Alignas(64) double lanes[WIDTH];
    grzD8_StoreAligned(lanes, from);
    for (int k = 0; k < WIDTH; ++k)
        to[k] = (float)lanes[k];
}

// ---- keyframes ----

GRZ_SIMD_INLINE grzD8 placesOf(const uint32_t* of, const float* positions, size_t stride) {
    const grzF4 lower = grzF4_Set(positions[of[0] * stride], positions[of[1] * stride], positions[of[2] * stride],
                                  positions[of[3] * stride]);
    const grzF4 upper = grzF4_Set(positions[of[4] * stride], positions[of[5] * stride], positions[of[6] * stride],
                                  positions[of[7] * stride]);
    return grzD8_FromFloat(grzF8_Join(lower, upper));
}

// The strides are arguments of their own so that usual ones are constants.
GRZ_SIMD_INLINE void writeFrames(const PlanFrameBoxes* job, size_t count, size_t fromStride, size_t toStride) {
    const grzD8 part = grzD8_Set1(job->part), rest = grzD8_Set1(1 - job->part);
    for (size_t i = 0; i < count; ++i)
        for (size_t side = 0; side < SIDES; ++side) {
            const uint32_t* of = job->realisers + (SIDES * i + side) * WIDTH;
            const grzD8 from = placesOf(of, job->from + side % 3, fromStride);
            const grzD8 to = placesOf(of, job->to + side % 3, toStride);
            storeFloats(sideOf(&job->nodes[i], side), grzD8_Add(grzD8_Mul(rest, from), grzD8_Mul(part, to)));
        }
}

void GRZ_KERNEL(grzPlanFrameBoxes)(const PlanFrameBoxes* job, size_t count) {
    if (job->fromStride == 3 && job->toStride == 3)
        writeFrames(job, count, 3, 3);
    else
        writeFrames(job, count, job->fromStride, job->toStride);
}

// ---- paths ----

typedef struct Two { // numbers as their doubles and what is left
    grzD8 high, low;
} Two;

GRZ_SIMD_INLINE Two sumOf(grzD8 a, grzD8 b) {
    const grzD8 sum = grzD8_Add(a, b), of = grzD8_Sub(sum, a);
    return (Two){sum, grzD8_Add(grzD8_Sub(a, grzD8_Sub(sum, of)), grzD8_Sub(b, of))};
}

// The upper half of the bits.
GRZ_SIMD_INLINE grzD8 headOf(grzD8 a) {
    const grzD8 scaled = grzD8_Mul(grzD8_Set1(134217729), a); // 2^27 + 1
    return grzD8_Sub(scaled, grzD8_Sub(scaled, a));
}

GRZ_SIMD_INLINE Two productOf(grzD8 a, grzD8 b) {
    const grzD8 a1 = headOf(a), b1 = headOf(b), a2 = grzD8_Sub(a, a1), b2 = grzD8_Sub(b, b1);
    const grzD8 product = grzD8_Mul(a, b), heads = grzD8_Sub(grzD8_Mul(a1, b1), product);
    const grzD8 most = grzD8_Add(grzD8_Add(heads, grzD8_Mul(a1, b2)), grzD8_Mul(a2, b1));
    return (Two){product, grzD8_Add(most, grzD8_Mul(a2, b2))};
}

// In twice the precision; *certain: bits of the lanes whose rounding is.
GRZ_SIMD_PART grzD8 onLongPaths(grzD8 p, grzD8 v, grzD8 c, grzD8 h, uint32_t* certain) {
    const Two linear = productOf(v, h), slope = productOf(c, h), square = productOf(slope.high, h);
    const Two first = sumOf(p, linear.high), second = sumOf(first.high, square.high);
    const grzD8 lows = grzD8_Add(grzD8_Add(first.low, second.low), grzD8_Add(linear.low, square.low));
    const Two all = sumOf(second.high, grzD8_Add(lows, grzD8_Mul(slope.low, h)));
    const grzD8 size = grzD8_Add(grzD8_Add(grzD8_Abs(p), grzD8_Abs(linear.high)), grzD8_Abs(square.high));
    const grzD8 error = grzD8_Mul(grzD8_Set1(0x1p-98), size);
    const grzM8 above = grzD8_Equal(grzD8_Add(all.high, grzD8_Add(all.low, error)), all.high);
    const grzM8 below = grzD8_Equal(grzD8_Add(all.high, grzD8_Sub(all.low, error)), all.high);
    *certain = grzM8_Bits(grzM8_And(above, below));
    return all.high;
}

// Of a node's boxes. All are gathered before any is computed with: a vector that is loaded where its lanes have only just been
// stored one by one has to wait for them.
typedef struct Paths {
    _Alignas(64) double base[SIDES][WIDTH];
    _Alignas(32) float p[SIDES][WIDTH];
    float v[SIDES][WIDTH];
    float a[SIDES][WIDTH];
} Paths;

GRZ_SIMD_INLINE void gatherPaths(const PlanPath* paths, const uint32_t* of, int isBent, Paths* to) {
    for (size_t side = 0; side < SIDES; ++side)
        for (size_t k = 0; k < WIDTH; ++k) {
            const PlanPath* path = &paths[of[WIDTH * side + k]];
            to->base[side][k] = path->base;
            to->p[side][k] = path->position[side % 3];
            to->v[side][k] = path->velocity[side % 3];
            if (isBent)
                to->a[side][k] = path->acceleration[side % 3];
        }
}

// Returns the lanes that are in doubt.
GRZ_SIMD_INLINE uint32_t writeSide(const PlanPathBoxes* job, const Paths* paths, size_t side, float* to) {
    const grzD8 h = grzD8_Sub(grzD8_Set1(job->at), grzD8_LoadAligned(paths->base[side]));
    const grzD8 p = grzD8_FromFloat(grzF8_Load(paths->p[side])), v = grzD8_FromFloat(grzF8_Load(paths->v[side]));
    grzD8 c = grzD8_Zero();
    if (job->isBent)
        c = grzD8_Mul(grzD8_Set1(0.5), grzD8_FromFloat(grzF8_Load(paths->a[side])));
    const grzD8 sum = grzD8_Add(p, grzD8_Mul(v, h));
    const grzM8 isShort = grzM8_And(grzD8_Equal(c, grzD8_Zero()), grzD8_LessEqual(h, grzD8_Set1(job->shortest)));
    const uint32_t others = 0xFF & ~grzM8_Bits(isShort);
    if (others == 0) {
        storeFloats(to, sum);
        return 0;
    }
    uint32_t certain;
    const grzD8 both = onLongPaths(p, v, c, h, &certain);
    storeFloats(to, grzD8_Select(isShort, sum, both));
    return others & ~certain;
}

int GRZ_KERNEL(grzPlanPathBoxes)(const PlanPathBoxes* job, size_t count, uint8_t* doubtful) {
    Paths paths;
    uint32_t any = 0;
    for (size_t i = 0; i < count; ++i) {
        gatherPaths(job->paths, job->realisers + SIDES * WIDTH * i, job->isBent, &paths);
        for (size_t side = 0; side < SIDES; ++side) {
            const uint32_t lanes = writeSide(job, &paths, side, sideOf(&job->nodes[i], side));
            doubtful[SIDES * i + side] = (uint8_t)lanes;
            any |= lanes;
        }
    }
    return any != 0;
}
