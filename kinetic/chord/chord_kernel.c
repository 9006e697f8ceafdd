// What: the kernel of chord_kernel.h.
// Promise: a box at part s of an interval holds every vertex at s: the plan's, a real number, and a host's, who computes
//   (1 - s) a + s b in float, with or without fused operations. A box that contains another one at both ends contains it at s.
// Idea: each end of a side is moved outward by 4u of itself (u = 2^-24; 4u is 2 to 4 ulp), then (1 - s) A + s B is taken in
//   float. So the margin goes with the coordinate as it is at s, and no side but its own has a say in it.
// Proof, for a lower side: let A and B be the side at the ends, A' and B' where they are moved to, and S = (1 - s) |A| + s |B|.
//   A vertex has a >= A and b >= B. The difference 1 - s has no rounding; every other operation costs u of its result.
//     plan     Moving out leaves 3u S of 4u S. The products cost u S, the sum u S. So the side lies below the exact chord,
//              and so below the vertex, by u S less terms of u^2 S.
//     host     The same operations on greater numbers: rounding keeps order, so the side is no greater than the host's number.
//     fused    The host rounds (1 - s) a + fl(s b) once. The side rounds fl((1 - s) A') + fl(s B'), and its first product lies below
//              (1 - s) A by 2u of it, its second is no greater than fl(s b). Likewise with the products exchanged.
//     order    x - 4u |x| rises with x, as floats too, and so do the steps after it. (Were 4u |x| and 2^-120 added first, it would
//              not: between two floats near 2^-122 their sum rises by more than x does.)
//   Products below the normal floats lose up to 2^-126: the ends are moved by 2^-120 more. Where that is not lost in rounding,
//   it is larger than the rounding. 3u would do but for terms of u^2; less does not: a margin of 2.5u leaves vertices outside.
// Bounds: a side lies outside of the exact chord by 7u S and 2^-119 at most.
#include "chord_kernel.h"

#include "chord_sides.h"

GRZ_SIMD_INLINE void blendRow(const float a[8], const float b[8], grzF8 part, float outward, grzM8 isEmpty,
                              float to[8]) {
    const grzF8 from = grzF8_Load(a), end = grzF8_Load(b), rest = grzF8_Sub(grzF8_Set1(1), part);
    const grzF8 chord =
        grzF8_Add(grzF8_Mul(rest, chordMoveOut(from, outward)), grzF8_Mul(part, chordMoveOut(end, outward)));
    grzF8_Store(to, grzF8_Select(isEmpty, from, chord));
}

void GRZ_KERNEL(grzChordBlend)(const grzBvhNode* a, const grzBvhNode* b, size_t count, float part, grzBvhNode* to) {
    const grzF8 parts = grzF8_Set1(part);
    for (size_t i = 0; i < count; ++i) {
        const grzM8 isEmpty = grzF8_Greater(grzF8_Load(a[i].lower[0]), grzF8_Load(a[i].upper[0]));
        for (int axis = 0; axis < 3; ++axis) {
            blendRow(a[i].lower[axis], b[i].lower[axis], parts, -1, isEmpty, to[i].lower[axis]);
            blendRow(a[i].upper[axis], b[i].upper[axis], parts, 1, isEmpty, to[i].upper[axis]);
        }
    }
}
