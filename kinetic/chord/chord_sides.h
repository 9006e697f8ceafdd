// What: the sides of a leaf at a time within an interval, for the kernels that cut intervals and that read what is cut.
#ifndef GRAZE_KINETIC_CHORD_SIDES_H
#define GRAZE_KINETIC_CHORD_SIDES_H

#include "chord_fit_kernel.h"
#include "simd.h"

// ---- positions ----

// How vertices are found; constant where it is used, so that each way has a loop of its own.
typedef struct ChordWay {
    size_t fromStride, toStride;
    const uint32_t* map;
    bool isCareful; // read nothing behind a vertex
} ChordWay;

GRZ_SIMD_INLINE grzF4 chordLoad(const float* positions, size_t at, bool isCareful) {
    const float* p = positions + at;
    return isCareful ? grzF4_Set(p[0], p[1], p[2], 0) : grzF4_Load(p);
}

GRZ_SIMD_INLINE grzF4 chordStartOf(const ChordJob* job, ChordWay way, uint32_t vertex) {
    const size_t number = way.map != NULL ? way.map[vertex] : vertex;
    return chordLoad(job->from, number * way.fromStride, way.isCareful);
}

GRZ_SIMD_INLINE grzF4 chordEndOf(const ChordJob* job, ChordWay way, uint32_t vertex) {
    const size_t number = way.map != NULL ? way.map[vertex] : vertex;
    return chordLoad(job->to, number * way.toStride, way.isCareful);
}

// ---- sides, which grow outward, as in ChordBox ----

GRZ_SIMD_INLINE grzF8 chordOutward(grzF4 lower, grzF4 upper) {
    return grzF8_Join(grzF4_Negate(lower), upper);
}

typedef struct ChordTwin { // two vertices side by side
    grzF8 lower, upper;
} ChordTwin;

GRZ_SIMD_INLINE ChordTwin chordJoinTwins(ChordTwin a, ChordTwin b) {
    return (ChordTwin){grzF8_Min(a.lower, b.lower), grzF8_Max(a.upper, b.upper)};
}

GRZ_SIMD_INLINE ChordTwin chordTwinAt(const ChordJob* job, ChordWay way, const uint32_t* list, grzF8 rest,
                                      grzF8 part) {
    const grzF8 start = grzF8_Join(chordStartOf(job, way, list[0]), chordStartOf(job, way, list[1]));
    const grzF8 end = grzF8_Join(chordEndOf(job, way, list[0]), chordEndOf(job, way, list[1]));
    const grzF8 p = grzF8_Add(grzF8_Mul(rest, start), grzF8_Mul(part, end));
    return (ChordTwin){p, p};
}

GRZ_SIMD_INLINE ChordTwin chordFourAt(const ChordJob* job, ChordWay way, const uint32_t* list, grzF8 rest,
                                      grzF8 part) {
    return chordJoinTwins(chordTwinAt(job, way, list, rest, part), chordTwinAt(job, way, list + 2, rest, part));
}

GRZ_SIMD_INLINE grzF8 chordSidesAt(const ChordJob* job, ChordWay way, size_t leaf, bool hasMore, float time) {
    const uint32_t* list = job->bvh->leafVertices + 8 * leaf;
    const grzF8 rest = grzF8_Set1(1 - time), part = grzF8_Set1(time);
    ChordTwin all =
        chordJoinTwins(chordFourAt(job, way, list, rest, part), chordFourAt(job, way, list + 4, rest, part));
    if (hasMore)
        all = chordJoinTwins(all, chordFourAt(job, way, job->bvh->moreVertices + 4 * leaf, rest, part));
    return chordOutward(grzF4_Min(grzF8_Lower(all.lower), grzF8_Upper(all.lower)),
                        grzF4_Max(grzF8_Lower(all.upper), grzF8_Upper(all.upper)));
}

GRZ_SIMD_INLINE grzF8 chordSidesOf(const grzBvhNode* node, uint32_t lane) {
    return chordOutward(grzF4_Set(node->lower[0][lane], node->lower[1][lane], node->lower[2][lane], 0),
                        grzF4_Set(node->upper[0][lane], node->upper[1][lane], node->upper[2][lane], 0));
}

// A side that is exact, outward by 4u of itself, u = 2^-24, and by 2^-120. `outward` is the sign of the side: -1 or 1. Proof in
// chord_kernel.c.
GRZ_SIMD_INLINE grzF8 chordMoveOut(grzF8 side, float outward) {
    const grzF8 size = grzF8_Mul(grzF8_Abs(side), grzF8_Set1(outward * 0x1p-22F));
    return grzF8_Add(grzF8_Add(side, size), grzF8_Set1(outward * 0x1p-120F));
}

// The margin of sides that chordSidesAt has computed: 6u of the greatest coordinate M that the axis has at the interval's ends. No
// less than M would do: a vertex that goes from -M to M has an error of u M where it passes 0.
//   read     Computing a vertex costs 2u M, adding the margin u M: 3u M are left for the plan's vertex. A host's number is the
//            same float; a fused one is lower by 2u M at most.
//   parts    A chord between two such boxes is read with two products and a sum, 2u M: u M is left for the plan's vertex. A host's
//            products cost u M and its sum nothing, as both sums are rounded and rounding keeps order: u M is left too.
//   first    Between a keyframe, whose side A is moved as above, and the end of a part, at which p of the part has passed: (1 - p) of
//   and      the error is of A, and 4u |A| cover moving, products, sum or host as in chord_kernel.c; p of it is covered by p of the
//   last     margin as between two parts. A host's error at s is (1 - p) of that at the keyframe, and p of that at the part's end.
GRZ_SIMD_INLINE grzF8 chordMargin(grzF8 start, grzF8 end) {
    const grzF8 ends = grzF8_Max(grzF8_Abs(start), grzF8_Abs(end));
    const grzF8 size = grzF8_Max(ends, grzF8_Join(grzF8_Upper(ends), grzF8_Lower(ends)));
    return grzF8_Add(grzF8_Mul(size, grzF8_Set1(0x1.8p-22F)), grzF8_Set1(0x1p-120F));
}

// Whether a node of the bottom may be read with a ChordWay that is not careful.
GRZ_SIMD_INLINE bool chordIsTight(const ChordJob* job, uint32_t node) {
    return job->fromStride == 3 && job->toStride == 3 && job->map == NULL &&
           (job->bvh->nodeFlags[node] & GRZ_BVH_HAS_TREES_LAST) == 0;
}

#endif
