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
//
// Error of a volume in float, u = 2^-24, extents ex ey ez of the common box as rounded: as in tri_pair.h each of
// six products is rounded at most 8 times, so it is off by at most 48 u (1 + 20 u) ex ey ez while nothing under- or
// overflows; 50 u ex ey ez, rounded, is above it. A product that underflows is off by 2^-150 more: in all less than
// 2^-147 (ex + ey + ez + 1), and 2^-126 of that is added. Extents of which the sum is above 2^40 are left alone, so
// no product of three overflows. A NaN or an infinity in a corner makes a NaN of each volume it is in, or an
// infinite extent.
// Tried and lost: carrying the lanes that need step 3, where they are few, to a queue of sixteen: half as long
//                 again, for each carried pair is eighteen stores and a mispredicted branch.
// Cost: about 200 vector instructions for sixteen pairs, 330 where some are not rejected.
// Based on: [Guigue, Devillers, Fast and Robust Triangle-Triangle Overlap Test Using Orientation Predicates, JGT
//           2003]. [Möller, A Fast Triangle-Triangle Intersection Test, JGT 1997] for rejection by both planes.
#include "tri_kernel.h"

#include <float.h>
#include <string.h>

#include "check.h"
#include "simd.h"

#define VOLUME_ERROR (50 * 0x1p-24f)
#define LARGEST_SUM  0x1p40f

enum { LANES = 16 };

typedef struct Vector {
    grzF16 x, y, z;
} Vector;

typedef struct Corners {
    Vector a[3], b[3];
} Corners;

// Lanes that are decided; the others are undecided.
typedef struct Verdict {
    grzM16 none, segment;
} Verdict;

// ------------------------------------------------------------------------------------------------------- vectors

GRZ_SIMD_INLINE Vector sub(Vector p, Vector q) {
    return (Vector){grzF16_Sub(p.x, q.x), grzF16_Sub(p.y, q.y), grzF16_Sub(p.z, q.z)};
}

GRZ_SIMD_INLINE Vector cross(Vector p, Vector q) {
    return (Vector){grzF16_Sub(grzF16_Mul(p.y, q.z), grzF16_Mul(p.z, q.y)),
                    grzF16_Sub(grzF16_Mul(p.z, q.x), grzF16_Mul(p.x, q.z)),
                    grzF16_Sub(grzF16_Mul(p.x, q.y), grzF16_Mul(p.y, q.x))};
}

GRZ_SIMD_INLINE grzF16 dot(Vector p, Vector q) {
    return grzF16_Add(grzF16_Add(grzF16_Mul(p.x, q.x), grzF16_Mul(p.y, q.y)), grzF16_Mul(p.z, q.z));
}

GRZ_SIMD_INLINE Vector select(grzM16 mask, Vector yes, Vector no) {
    return (Vector){grzF16_Select(mask, yes.x, no.x), grzF16_Select(mask, yes.y, no.y),
                    grzF16_Select(mask, yes.z, no.z)};
}

// --------------------------------------------------------------------------------------------------------- boxes

// Adds to `apart`, and returns the extent of both.
GRZ_SIMD_INLINE grzF16 compareRanges(grzF16 a0, grzF16 a1, grzF16 a2, grzF16 b0, grzF16 b1, grzF16 b2,
                                     grzM16* apart) {
    grzF16 lowerA = grzF16_Min(grzF16_Min(a0, a1), a2), upperA = grzF16_Max(grzF16_Max(a0, a1), a2);
    grzF16 lowerB = grzF16_Min(grzF16_Min(b0, b1), b2), upperB = grzF16_Max(grzF16_Max(b0, b1), b2);
    *apart = grzM16_Or(*apart, grzM16_Or(grzF16_Less(upperA, lowerB), grzF16_Less(upperB, lowerA)));
    return grzF16_Sub(grzF16_Max(upperA, upperB), grzF16_Min(lowerA, lowerB));
}

// The lanes whose boxes are apart, and beyond which value a volume is sure: infinity where none ever is.
GRZ_SIMD_INLINE grzM16 compareBoxes(const Corners* c, grzF16* bound) {
    grzM16 apart = grzM16_FromBits(0);
    grzF16 x = compareRanges(c->a[0].x, c->a[1].x, c->a[2].x, c->b[0].x, c->b[1].x, c->b[2].x, &apart);
    grzF16 y = compareRanges(c->a[0].y, c->a[1].y, c->a[2].y, c->b[0].y, c->b[1].y, c->b[2].y, &apart);
    grzF16 z = compareRanges(c->a[0].z, c->a[1].z, c->a[2].z, c->b[0].z, c->b[1].z, c->b[2].z, &apart);
    grzF16 sum = grzF16_Add(grzF16_Add(x, y), z);
    grzF16 rounding = grzF16_Mul(grzF16_Set1(VOLUME_ERROR), grzF16_Mul(grzF16_Mul(x, y), z));
    grzF16 underflow = grzF16_Mul(grzF16_Set1(FLT_MIN), grzF16_Add(sum, grzF16_Set1(1)));
    grzM16 isSafe = grzF16_LessEqual(sum, grzF16_Set1(LARGEST_SUM));
    *bound = grzF16_Select(isSafe, grzF16_Add(rounding, underflow), grzF16_Set1((float)INFINITY));
    return apart;
}

// --------------------------------------------------------------------------------------------------------- sides

// On which sides of the other's plane the corners are, where that is sure.
typedef struct Sides {
    grzM16 above[3], below[3];
} Sides;

GRZ_SIMD_INLINE Sides findSides(const Vector corners[3], const Vector plane[3], grzF16 bound) {
    Sides sides;
    Vector normal = cross(sub(plane[1], plane[0]), sub(plane[2], plane[0]));
    grzF16 negative = grzF16_Negate(bound);
    for (int i = 0; i < 3; ++i) {
        grzF16 volume = dot(sub(corners[i], plane[0]), normal);
        sides.above[i] = grzF16_Less(bound, volume);
        sides.below[i] = grzF16_Less(volume, negative);
    }
    return sides;
}

GRZ_SIMD_INLINE grzM16 allOf(const grzM16 masks[3]) {
    return grzM16_And(grzM16_And(masks[0], masks[1]), masks[2]);
}

GRZ_SIMD_INLINE grzM16 areOnOneSide(const Sides* sides) {
    return grzM16_Or(allOf(sides->above), allOf(sides->below));
}

GRZ_SIMD_INLINE grzM16 areSure(const Sides* sides) {
    grzM16 sure[3];
    for (int i = 0; i < 3; ++i)
        sure[i] = grzM16_Or(sides->above[i], sides->below[i]);
    return allOf(sure);
}

// ------------------------------------------------------------------------------------------------------ crossing

// Turns the corners until the one that is alone on its side is first, and tells where that is above.
GRZ_SIMD_INLINE grzM16 turnLonelyFirst(Vector corners[3], const Sides* sides) {
    grzM16 is1Alone = grzM16_Not(grzM16_Xor(sides->above[0], sides->above[2]));
    grzM16 is0Alone = grzM16_Not(grzM16_Xor(sides->above[1], sides->above[2]));
    Vector p = corners[0], q = corners[1], r = corners[2];
    corners[0] = select(is0Alone, p, select(is1Alone, q, r));
    corners[1] = select(is0Alone, q, select(is1Alone, r, p));
    corners[2] = select(is0Alone, r, select(is1Alone, p, q));
    grzM16 above = grzM16_And(is0Alone, sides->above[0]);
    above = grzM16_Or(above, grzM16_And(grzM16_AndNot(is1Alone, is0Alone), sides->above[1]));
    return grzM16_Or(above, grzM16_AndNot(grzM16_AndNot(sides->above[2], is0Alone), is1Alone));
}

GRZ_SIMD_INLINE void swapWhere(grzM16 mask, Vector* p, Vector* q) {
    Vector old = *p;
    *p = select(mask, *q, old);
    *q = select(mask, old, *q);
}

GRZ_SIMD_INLINE grzF16 volumeOf(Vector a, Vector b, Vector c, Vector d) {
    return dot(sub(a, d), cross(sub(b, d), sub(c, d)));
}

// Of lanes all of whose sides are sure and not on one side. Where a lonely corner is not above, the other triangle
// is seen from behind, so two of its corners trade places.
GRZ_SIMD_INLINE Verdict compareCrossings(const Corners* c, const Sides* sidesA, const Sides* sidesB, grzF16 bound) {
    Vector a[3] = {c->a[0], c->a[1], c->a[2]}, b[3] = {c->b[0], c->b[1], c->b[2]};
    grzM16 aboveA = turnLonelyFirst(a, sidesA), aboveB = turnLonelyFirst(b, sidesB);
    swapWhere(grzM16_Not(aboveA), &b[1], &b[2]);
    swapWhere(grzM16_Not(aboveB), &a[1], &a[2]);
    grzF16 first = volumeOf(a[0], a[1], b[0], b[1]), second = volumeOf(a[0], a[2], b[2], b[0]);
    grzF16 negative = grzF16_Negate(bound);
    Verdict verdict;
    verdict.none = grzM16_Or(grzF16_Less(first, negative), grzF16_Less(second, negative));
    verdict.segment = grzM16_And(grzF16_Less(bound, first), grzF16_Less(bound, second));
    return verdict;
}

GRZ_SIMD_INLINE Verdict classify(const Corners* c) {
    grzF16 bound;
    Verdict verdict;
    verdict.none = compareBoxes(c, &bound);
    verdict.segment = grzM16_FromBits(0);
    if (grzM16_All(verdict.none))
        return verdict;
    Sides sidesA = findSides(c->a, c->b, bound);
    verdict.none = grzM16_Or(verdict.none, areOnOneSide(&sidesA));
    if (grzM16_All(verdict.none))
        return verdict;
    Sides sidesB = findSides(c->b, c->a, bound);
    verdict.none = grzM16_Or(verdict.none, areOnOneSide(&sidesB));
    grzM16 open = grzM16_AndNot(grzM16_And(areSure(&sidesA), areSure(&sidesB)), verdict.none);
    if (!grzM16_Any(open))
        return verdict;
    Verdict crossing = compareCrossings(c, &sidesA, &sidesB, bound);
    verdict.none = grzM16_Or(verdict.none, grzM16_And(crossing.none, open));
    verdict.segment = grzM16_And(crossing.segment, open);
    return verdict;
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

static inline void writeKinds(Verdict verdict, uint32_t count, uint8_t* kinds) {
    const uint32_t segment = grzM16_Bits(verdict.segment), undecided = ~(grzM16_Bits(verdict.none) | segment);
    uint8_t all[LANES];
    uint8_t* to = count == LANES ? kinds : all;
    writeEight(segment, undecided, to);
    writeEight(segment >> 8, undecided >> 8, to + 8);
    if (count != LANES)
        memcpy(kinds, all, count);
}

GRZ_SIMD_INLINE Vector loadVector(const float* const at[3], uint32_t i) {
    return (Vector){grzF16_Load(at[0] + i), grzF16_Load(at[1] + i), grzF16_Load(at[2] + i)};
}

static void classifyColumns(const float* const at[18], uint32_t i, uint32_t count, uint8_t* kinds) {
    Corners corners;
    for (int k = 0; k < 3; ++k) {
        corners.a[k] = loadVector(&at[3 * k], i);
        corners.b[k] = loadVector(&at[9 + 3 * k], i);
    }
    writeKinds(classify(&corners), count, kinds + i);
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
GRZ_SIMD_INLINE void takeVertex(const grzTriSoup* soup, uint32_t vertex, float row[4]) {
    const float* from = soup->positions + 3 * (size_t)vertex;
    if (vertex + 1 < soup->vertexCount)
        memcpy(row, from, 4 * sizeof(float));
    else
        memcpy(row, from, 3 * sizeof(float));
}

GRZ_SIMD_INLINE void takeTriangle(const grzTriSoup* soup, uint32_t triangle, Rows* rows, int firstRow,
                                  uint32_t lane) {
    const uint32_t* vertices = soup->triangles + 3 * (size_t)triangle;
    GRZ_ASSERT(triangle < soup->triangleCount);
    for (int k = 0; k < 3; ++k)
        takeVertex(soup, vertices[k], rows->at[firstRow + k][lane]);
}

// Rows of four to three columns.
GRZ_SIMD_INLINE void turnRows(float rows[LANES][4], float columns[3][LANES]) {
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
    }
}
