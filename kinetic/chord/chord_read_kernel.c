// What: the kernel of chord_read_kernel.h.
// Promise: a side is the tighter one of two that hold every vertex: the interval's chord, and the chord of the leaf's part or the
//   vertices themselves. So no leaf leaves its parent, whatever rounding does to the second.
// Idea: a part of a leaf has ends at multiples of an eighth, and the time is a multiple of 2^-24, so that how much of a part has
//   passed is a float without rounding; chord_kernel.c and chord_sides.h prove that every vertex is held.
#include "chord_read_kernel.h"

#include "chord_sides.h"

// On the chord of the part that the time is in; the sides at the interval's ends are given. These are exact and are moved outward as
// chord_kernel.c does; at other ends of parts the margin is there.
GRZ_SIMD_INLINE grzF8 sidesInPart(grzF8 start, grzF8 end, uint32_t log, const ChordBox* boxes, float time) {
    const uint32_t count = 1u << log, index = (uint32_t)(time * (float)count);
    const float part = time * (float)count - (float)index;
    const grzF8 from = index == 0 ? chordMoveOut(start, 1) : grzF8_Load(boxes[index - 1].outward);
    const grzF8 to = index + 1 == count ? chordMoveOut(end, 1) : grzF8_Load(boxes[index].outward);
    return grzF8_Add(grzF8_Mul(grzF8_Set1(1 - part), from), grzF8_Mul(grzF8_Set1(part), to));
}

GRZ_SIMD_PART grzF8 sidesOfVertices(const ChordJob* job, uint32_t node, uint32_t lane, grzF8 margin, float time) {
    const size_t leaf = (size_t)node * GRZ_BVH_WIDTH + lane;
    const bool hasMore = (job->bvh->nodeFlags[node] >> lane & 1) != 0;
    const ChordWay careful = {job->fromStride, job->toStride, job->map, true};
    const grzF8 sides = chordIsTight(job, node)
                            ? chordSidesAt(job, (ChordWay){3, 3, NULL, false}, leaf, hasMore, time)
                            : chordSidesAt(job, careful, leaf, hasMore, time);
    return grzF8_Add(sides, margin);
}

// Min takes the second where the first is a NaN, from an infinity by zero.
GRZ_SIMD_INLINE void tighten(grzBvhNode* node, uint32_t lane, grzF8 sides) {
    float least[8];
    grzF8_Store(least, grzF8_Min(sides, chordSidesOf(node, lane)));
    for (int axis = 0; axis < 3; ++axis) {
        node->lower[axis][lane] = -least[axis];
        node->upper[axis][lane] = least[4 + axis];
    }
}

void GRZ_KERNEL(grzChordTighten)(const ChordJob* job, uint32_t index, ChordLeaves leaves, const grzBvhNode* from,
                                 const grzBvhNode* to, float time, grzBvhNode* node) {
    const ChordBox* boxes =
        job->parts.boxes + (size_t)(index / CHORD_CHUNK_NODES) * CHORD_CHUNK_BOXES + leaves.first;
    for (uint32_t lane = 0, logs = leaves.logs; logs != 0; ++lane, logs >>= 4) {
        const uint32_t log = logs & 15;
        if (log == 0)
            continue;
        const grzF8 start = chordSidesOf(from, lane), end = chordSidesOf(to, lane);
        if (log == CHORD_EXACT) {
            tighten(node, lane, sidesOfVertices(job, index, lane, chordMargin(start, end), time));
            continue;
        }
        tighten(node, lane, sidesInPart(start, end, log, boxes, time));
        boxes += (1u << log) - 1;
    }
}
