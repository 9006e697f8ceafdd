// What: the kernel of chord_kernel.h.
// Promise: a side lies outside of the exact chord by at least 8u (|A| + |B|), u = 2^-24; and a box that contains another one at
//   both ends does so between.
// Idea: both ends are moved outward by 16u of themselves, of which rounding leaves 15u, and by 2^-120 for what is below the
//   normal floats; then comes (1 - s) A + s B in float, which is off by no more than 3u (|A| + |B|) and a little: two products
//   and a sum, and 1 - s is exact. Every operation is rounded to nearest, which keeps order, and moving outward keeps it, too,
//   since it changes by far less from one float to the next than they are apart. So sides stay in their order.
//
//   A vertex is inside: where it is the plan's, its exact place lies inside the exact chord, which lies inside the side, a
//   float; rounding to nearest does not cross a float. Where it is a host's (1 - s) a + s b in float, that is off by no more
//   than 2u ((1 - s) |a| + s |b|) + u |x|. With the vertex inside of the chord by g = (1 - s) |a - A| + s |b - B| (for
//   lower sides a >= A, b >= B), this is below 3u (|A| + |B|) + 3u g, and so below 8u (|A| + |B|) + g.
#include "chord_kernel.h"

#include "simd.h"

GRZ_SIMD_INLINE grzF8 moveOut(grzF8 side, float outward) {
    const grzF8 size = grzF8_Mul(grzF8_Abs(side), grzF8_Set1(outward * 0x1p-20F));
    return grzF8_Add(side, grzF8_Add(size, grzF8_Set1(outward * 0x1p-120F)));
}

GRZ_SIMD_INLINE void blendRow(const float a[8], const float b[8], grzF8 part, float outward, grzM8 isEmpty,
                              float to[8]) {
    const grzF8 from = grzF8_Load(a), end = grzF8_Load(b), rest = grzF8_Sub(grzF8_Set1(1), part);
    const grzF8 chord = grzF8_Add(grzF8_Mul(rest, moveOut(from, outward)), grzF8_Mul(part, moveOut(end, outward)));
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
