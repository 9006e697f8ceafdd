// What: the kernel of chord_root_kernel.h.
// Idea: each vertex is looked at once, where a refit looks at it once for every leaf that it is in. Where positions lie tight in
//   the tree's order, most vertices of a chunk follow each other, and eight of them are three vectors:
//
//       x0 y0 z0 x1 y1 z1 x2 y2 | z2 x3 y3 z3 x4 y4 z4 x5 | y5 z5 x6 y6 z6 x7 y7 z7
//
//   The axes are only told apart at the end, by reading what came out at 0, 3, 6 ... 21. The last eight overlap those before
//   them: a minimum may see a number twice.
// Cost: 0.12 ns a triangle while in cache, and 0.07 for the list of a cloth's chunk; 6 bytes a triangle beyond it, where a refit
//   takes 26.
#include "chord_root_kernel.h"

#include "bvh_rows.h"

GRZ_SIMD_INLINE grzF4 vertexAt(const ChordRootJob* job, uint32_t vertex, bool isCareful) {
    const float* p = job->positions + (job->map != NULL ? job->map[vertex] : vertex) * job->stride;
    return isCareful ? grzF4_Set(p[0], p[1], p[2], 0) : grzF4_Load(p);
}

GRZ_SIMD_INLINE BvhSpan addVertex(BvhSpan span, grzF4 p) {
    return (BvhSpan){grzF4_Min(span.lower, p), grzF4_Max(span.upper, p)};
}

typedef struct Triple {
    grzF8 lower[3], upper[3];
} Triple;

GRZ_SIMD_INLINE void addEight(Triple* all, const float* p) {
    for (size_t k = 0; k < 3; ++k) {
        const grzF8 x = grzF8_Load(p + 8 * k);
        all->lower[k] = grzF8_Min(all->lower[k], x);
        all->upper[k] = grzF8_Max(all->upper[k], x);
    }
}

// Vertices that follow each other, at least eight.
GRZ_SIMD_INLINE BvhSpan spanTight(const float* p, size_t count) {
    Triple all;
    for (size_t k = 0; k < 3; ++k)
        all.lower[k] = all.upper[k] = grzF8_Load(p + 8 * k);
    for (size_t i = 8; i + 8 <= count; i += 8)
        addEight(&all, p + 3 * i);
    addEight(&all, p + 3 * (count - 8));
    float lower[28] = {0}, upper[28] = {0}; // the last row ends behind the 24
    for (size_t k = 0; k < 3; ++k) {
        grzF8_Store(lower + 8 * k, all.lower[k]);
        grzF8_Store(upper + 8 * k, all.upper[k]);
    }
    BvhSpan span = {grzF4_Load(lower), grzF4_Load(upper)};
    for (size_t i = 1; i < 8; ++i)
        span = grzBvhJoinSpans(span, (BvhSpan){grzF4_Load(lower + 3 * i), grzF4_Load(upper + 3 * i)});
    return span;
}

GRZ_SIMD_INLINE BvhSpan spanOf(const ChordRootJob* job, const ChordRange* range, uint32_t end, bool isCareful) {
    const grzF4 most = grzF4_Set1(FLT_MAX);
    BvhSpan span = {most, grzF4_Negate(most)};
    if (job->stride == 3 && job->map == NULL && range->count >= 8)
        span = spanTight(job->positions + 3 * (size_t)range->first, range->count);
    else
        for (uint32_t i = 0; i < range->count; ++i)
            span = addVertex(span, vertexAt(job, range->first + i, isCareful));
    for (uint32_t i = range->others; i < end; ++i)
        span = addVertex(span, vertexAt(job, job->others[i], isCareful));
    return span;
}

typedef struct Zeros { // axes on which there are zeros of either sign
    grzM4 plain, negative;
} Zeros;

GRZ_SIMD_INLINE Zeros addZeros(Zeros zeros, grzF4 p) {
    const grzI4 bits = grzF4_AsInt(p);
    return (Zeros){grzM4_Or(zeros.plain, grzI4_Equal(bits, grzI4_Zero())),
                   grzM4_Or(zeros.negative, grzI4_Equal(bits, grzI4_Set1(INT32_MIN)))};
}

// Bits of the axes on which there are zeros of both signs.
GRZ_SIMD_INLINE uint32_t mixedZeros(const ChordRootJob* job, const ChordRange* range, uint32_t end) {
    Zeros zeros = {grzM4_FromBits(0), grzM4_FromBits(0)};
    for (uint32_t i = 0; i < range->count; ++i)
        zeros = addZeros(zeros, vertexAt(job, range->first + i, range->isCareful));
    for (uint32_t i = range->others; i < end; ++i)
        zeros = addZeros(zeros, vertexAt(job, job->others[i], range->isCareful));
    return grzM4_Bits(grzM4_And(zeros.plain, zeros.negative)) & 7;
}

bool GRZ_KERNEL(grzChordRoot)(const ChordRootJob* job, uint32_t chunk, float lower[4], float upper[4]) {
    const ChordRange* range = &job->ranges[chunk];
    const uint32_t end = range[1].others;
    const BvhSpan span = range->isCareful ? spanOf(job, range, end, true) : spanOf(job, range, end, false);
    const grzM4 isZero = grzM4_Or(grzF4_Equal(span.lower, grzF4_Zero()), grzF4_Equal(span.upper, grzF4_Zero()));
    const uint32_t zeros = grzM4_Bits(isZero) & 7;
    grzF4_Store(lower, span.lower);
    grzF4_Store(upper, span.upper);
    return zeros == 0 || (zeros & mixedZeros(job, range, end)) == 0;
}
