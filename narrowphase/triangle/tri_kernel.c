// What: the kernel of tri_kernel.h.
// Idea: one box over both triangles bounds the error of every volume, so that a sign is sure beyond it:
//
//   1. boxes apart: nothing in common. (No arithmetic, so no error.)
//   2. all corners of one triangle surely on one side of the other's plane: nothing.
//   3. all six sides sure: each plane is crossed by the two edges at the corner that is alone on its side; name the
//      corners so that this one is first, and two volumes of edge against edge tell whether the crossings overlap
//      on the common line. Both surely do: a segment.
//
//   What is left (a side or a volume too near zero, numbers out of range, NaNs) is undecided.
//   With a margin: the volumes of one triangle over the other's plane, all on one side, by the length of its normal.
//
// Error of a volume in float, u = 2^-24, extents ex ey ez of the common box as rounded: as in tri_pair.h each of
// six products is rounded at most 8 times, so it is off by at most 48 u (1 + 20 u) ex ey ez while nothing under- or
// overflows; 50 u ex ey ez, rounded, is above it. A product that underflows is off by 2^-150 more: in all less than
// 2^-147 (ex + ey + ez + 1), and 2^-126 of that is added. Extents of which the sum is above 2^40 are left alone, so
// no product of three overflows. (Above it a bound is mostly infinite by itself; only a sum that overflows before a last
// product that nearly does would be wrong.) A NaN or an infinity in a corner makes a NaN of each volume it is in, or an
// infinite extent.
// Tried and lost: carrying the lanes that need step 3, where they are few, to a queue of sixteen: half as long
//                 again, for each carried pair is eighteen stores and a mispredicted branch.
// Cost: about 200 vector instructions for sixteen pairs, 330 where some are not rejected.
// Based on: [Guigue, Devillers, Fast and Robust Triangle-Triangle Overlap Test Using Orientation Predicates, JGT
//           2003]. [Möller, A Fast Triangle-Triangle Intersection Test, JGT 1997] for rejection by both planes.
#include "tri_kernel.h"

#include <string.h>

#include "check.h"
#include "simd.h"
#include "tri_lanes.h"

enum { LANES = 16 };

// --------------------------------------------------------------------------------------------------------- boxes

// Adds to `apart`, and returns the extent of both.
GRZ_SIMD_PART Floats compareRanges(Floats a0, Floats a1, Floats a2, Floats b0, Floats b1, Floats b2, Mask* apart) {
    Floats lowerA = F(Min)(F(Min)(a0, a1), a2), upperA = F(Max)(F(Max)(a0, a1), a2);
    Floats lowerB = F(Min)(F(Min)(b0, b1), b2), upperB = F(Max)(F(Max)(b0, b1), b2);
    *apart = M(Or)(*apart, M(Or)(F(Less)(upperA, lowerB), F(Less)(upperB, lowerA)));
    return F(Sub)(F(Max)(upperA, upperB), F(Min)(lowerA, lowerB));
}

// The lanes whose boxes are apart, and beyond which value a volume is sure: infinity where none ever is. sum: of the extents.
GRZ_SIMD_PART Mask compareBoxes(const Corners* c, Floats* bound, Floats* sum) {
    Mask apart = M(FromBits)(0);
    Floats x = compareRanges(c->a[0].x, c->a[1].x, c->a[2].x, c->b[0].x, c->b[1].x, c->b[2].x, &apart);
    Floats y = compareRanges(c->a[0].y, c->a[1].y, c->a[2].y, c->b[0].y, c->b[1].y, c->b[2].y, &apart);
    Floats z = compareRanges(c->a[0].z, c->a[1].z, c->a[2].z, c->b[0].z, c->b[1].z, c->b[2].z, &apart);
    *sum = F(Add)(F(Add)(x, y), z);
    Floats rounding = F(Mul)(F(Set1)(VOLUME_ERROR), F(Mul)(F(Mul)(x, y), z));
    Floats underflow = F(Mul)(F(Set1)(FLT_MIN), F(Add)(*sum, F(Set1)(1)));
    Mask isSafe = F(LessEqual)(*sum, F(Set1)(LARGEST_SUM));
    *bound = F(Select)(isSafe, F(Add)(rounding, underflow), F(Set1)((float)INFINITY));
    return apart;
}

// ------------------------------------------------------------------------------------------------------- verdict

GRZ_SIMD_PART Verdict classify(const Corners* c) {
    Floats bound, sum;
    Verdict verdict;
    verdict.none = compareBoxes(c, &bound, &sum);
    verdict.segment = M(FromBits)(0);
    if (M(All)(verdict.none))
        return verdict;
    Sides sidesA = findSides(c->a, c->b[0], normalOf(c->b), bound);
    verdict.none = M(Or)(verdict.none, areOnOneSide(&sidesA));
    if (M(All)(verdict.none))
        return verdict;
    Sides sidesB = findSides(c->b, c->a[0], normalOf(c->a), bound);
    verdict.none = M(Or)(verdict.none, areOnOneSide(&sidesB));
    Mask open = M(AndNot)(M(And)(areSure(&sidesA), areSure(&sidesB)), verdict.none);
    if (!M(Any)(open))
        return verdict;
    Verdict crossing = compareCrossings(c, &sidesA, &sidesB, bound);
    verdict.none = M(Or)(verdict.none, M(And)(crossing.none, open));
    verdict.segment = M(And)(crossing.segment, open);
    return verdict;
}

// -------------------------------------------------------------------------------------------------------- far apart

// Error of a normal: each of its numbers is a difference of two products of differences, off by at most 10 u sum^2; so its length by
// less than 20 u sum^2. Squares of shorter ones may be lost.
#define NORMAL_ERROR   (20 * 0x1p-24f)
#define SHORTEST_SQ    0x1p-100f
#define LENGTH_ROUNDED (1 + 0x1p-20f)

// The lanes whose corners are surely farther than the margin from a plane, all on one side. `bound` is of the volumes.
GRZ_SIMD_PART Mask areBeyond(const Vector corners[3], const Vector plane[3], Floats bound, Floats sum,
                             Floats margin) {
    const Vector normal = normalOf(plane);
    const Volumes volumes = measureVolumes(corners, plane[0], normal);
    const Floats sq = Vector_Dot(normal, normal);
    const Floats error = F(Mul)(F(Set1)(NORMAL_ERROR), F(Mul)(sum, sum));
    const Floats length = F(Add)(F(Mul)(F(Sqrt)(sq), F(Set1)(LENGTH_ROUNDED)), error);
    const Floats least = F(Mul)(F(Mul)(margin, F(Set1)(LENGTH_ROUNDED)), length);
    const Sides sides = sidesOf(&volumes, F(Mul)(F(Add)(least, bound), F(Set1)(LENGTH_ROUNDED)));
    return M(And)(F(LessEqual)(F(Set1)(SHORTEST_SQ), sq), areOnOneSide(&sides));
}

// ----------------------------------------------------------------------------------------------- in and out

// Bit k becomes byte k, 0 or 1: copied to all bytes, of which each keeps its own bit and is carried up to its top.
static inline uint64_t spreadBits(uint32_t bits) {
    uint64_t own = (bits & 0xFF) * UINT64_C(0x0101010101010101) & UINT64_C(0x8040201008040201);
    return (own + UINT64_C(0x7F7F7F7F7F7F7F7F)) >> 7 & UINT64_C(0x0101010101010101);
}

static inline void writeEight(uint32_t segment, uint32_t undecided, uint8_t* kinds) {
    const uint64_t bytes = spreadBits(segment) * grz_triSegment | spreadBits(undecided) * TRI_UNDECIDED;
    for (int k = 0; k < 8; ++k)
        kinds[k] = (uint8_t)(bytes >> 8 * k);
}

// Bits of lanes.
static inline void writeKinds(uint32_t none, uint32_t segment, uint32_t count, uint8_t* kinds) {
    const uint32_t undecided = ~(none | segment);
    uint8_t all[LANES];
    uint8_t* to = count == LANES ? kinds : all;
    writeEight(segment, undecided, to);
    writeEight(segment >> 8, undecided >> 8, to + 8);
    if (count != LANES)
        memcpy(kinds, all, count);
}

GRZ_SIMD_INLINE Vector loadVector(const float* const at[3], uint32_t i) {
    return (Vector){F(Load)(at[0] + i), F(Load)(at[1] + i), F(Load)(at[2] + i)};
}

GRZ_SIMD_INLINE Corners loadCorners(const float* const at[18], uint32_t i) {
    Corners corners;
    for (int k = 0; k < 3; ++k) {
        corners.a[k] = loadVector(&at[3 * k], i);
        corners.b[k] = loadVector(&at[9 + 3 * k], i);
    }
    return corners;
}

static void classifyColumns(const float* const at[18], uint32_t i, uint32_t count, uint8_t* kinds) {
    uint32_t none = 0, segment = 0;
    for (uint32_t lane = 0; lane < LANES; lane += PAIR_LANES) {
        const Corners corners = loadCorners(at, i + lane);
        const Verdict verdict = classify(&corners);
        none |= M(Bits)(verdict.none) << lane;
        segment |= M(Bits)(verdict.segment) << lane;
    }
    writeKinds(none, segment, count, kinds + i);
}

// Bits of the sixteen lanes from i on.
static uint32_t findFar(const float* const at[18], uint32_t i, float margin) {
    uint32_t far = 0;
    for (uint32_t lane = 0; lane < LANES; lane += PAIR_LANES) {
        const Corners corners = loadCorners(at, i + lane);
        Floats bound, sum;
        (void)compareBoxes(&corners, &bound, &sum);
        const Mask beyondB = areBeyond(corners.a, corners.b, bound, sum, F(Set1)(margin));
        const Mask beyondA = areBeyond(corners.b, corners.a, bound, sum, F(Set1)(margin));
        far |= M(Bits)(M(Or)(beyondA, beyondB)) << lane;
    }
    return far;
}

static void writeFar(uint32_t far, uint32_t count, uint8_t* kinds) {
    for (uint32_t lane = 0; lane < count; ++lane)
        kinds[lane] = (far >> lane & 1) != 0 ? GRZ_TRI_FAR : kinds[lane];
}

void GRZ_KERNEL(grzClassifyTriColumns)(const grzTriColumns* columns, uint32_t begin, uint32_t end, uint8_t* kinds) {
    uint32_t i = begin;
    for (; end - i >= LANES; i += LANES)
        classifyColumns(columns->at, i, LANES, kinds);
    if (i == end)
        return;
    float rest[18][LANES];
    const float* at[18];
    memset(rest, 0, sizeof rest);
    for (int k = 0; k < 18; ++k) {
        memcpy(rest[k], columns->at[k] + i, (end - i) * sizeof(float));
        at[k] = rest[k];
    }
    classifyColumns(at, 0, end - i, kinds + i);
}

typedef struct Rows {
    float at[6][LANES][4];
} Rows;

// Four floats where there are four: a load instead of two.
GRZ_SIMD_PART void takeVertex(const grzTriSoup* soup, uint32_t vertex, float row[4]) {
    const float* from = soup->positions + 3 * (size_t)vertex;
    if (vertex + 1 < soup->vertexCount)
        memcpy(row, from, 4 * sizeof(float));
    else
        memcpy(row, from, 3 * sizeof(float));
}

GRZ_SIMD_PART void takeTriangle(const grzTriSoup* soup, uint32_t triangle, Rows* rows, int firstRow,
                                uint32_t lane) {
    const uint32_t* vertices = soup->triangles + 3 * (size_t)triangle;
    GRZ_ASSERT(triangle < soup->triangleCount);
    for (int k = 0; k < 3; ++k)
        takeVertex(soup, vertices[k], rows->at[firstRow + k][lane]);
}

// Rows of four to three columns.
GRZ_SIMD_PART void turnRows(float rows[LANES][4], float columns[3][LANES]) {
    grzF16 turned[4];
    grzF16_LoadRows4(&rows[0][0], turned);
    for (int axis = 0; axis < 3; ++axis)
        grzF16_Store(columns[axis], turned[axis]);
}

void GRZ_KERNEL(grzClassifyTriPairs)(const grzTriPairQuery* query, uint32_t begin, uint32_t end, uint8_t* kinds) {
    Rows rows;
    float columns[18][LANES];
    const float* at[18];
    memset(&rows, 0, sizeof rows);
    for (int k = 0; k < 18; ++k)
        at[k] = columns[k];
    for (uint32_t i = begin; i < end; i += LANES) {
        const uint32_t count = end - i < LANES ? end - i : LANES;
        for (uint32_t lane = 0; lane < count; ++lane) {
            takeTriangle(&query->a, query->pairs[i + lane].triangleA, &rows, 0, lane);
            takeTriangle(&query->b, query->pairs[i + lane].triangleB, &rows, 3, lane);
        }
        for (int k = 0; k < 6; ++k)
            turnRows(rows.at[k], &columns[3 * k]);
        classifyColumns(at, 0, count, kinds + i);
        if (query->margin > 0)
            writeFar(findFar(at, 0, query->margin), count, kinds + i);
    }
}
