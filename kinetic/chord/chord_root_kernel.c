// What: the kernel of chord_root_kernel.h.
// Idea: each vertex is looked at once, where a refit looks at it once for every leaf that it is in. Where positions lie tight in
//   the tree's order, most vertices of a chunk follow each other, and eight of them are three vectors:
//
//       x0 y0 z0 x1 y1 z1 x2 y2 | z2 x3 y3 z3 x4 y4 z4 x5 | y5 z5 x6 y6 z6 x7 y7 z7
//
//   The axes are only told apart at the end. The last eight overlap those before them: a minimum may see a number twice.
// Cost: a quarter of a refit while in cache (the rows `a frame, 0 % asked` of `graze-bench kinetic --case lazy`, l=1); 6 bytes a
//   triangle beyond it, where a refit takes 26.
#include "chord_root_kernel.h"

#include "bvh_rows.h"

GRZ_SIMD_INLINE grzF4 vertexAt(const ChordRootJob* job, uint32_t vertex, bool isCareful) {
    const float* p = job->positions + (job->map != NULL ? job->map[vertex] : vertex) * job->stride;
    return isCareful ? grzF4_Set(p[0], p[1], p[2], 0) : grzF4_Load(p);
}

GRZ_SIMD_INLINE BvhSpan addVertex(BvhSpan span, grzF4 p) {
    return (BvhSpan){grzF4_Min(span.lower, p), grzF4_Max(span.upper, p)};
}

// Four at a time, so that no minimum waits for the one before it.
enum { LANES = 4 };

typedef struct Spans {
    BvhSpan of[LANES];
} Spans;

GRZ_SIMD_INLINE BvhSpan joinSpans(const Spans* all) {
    return grzBvhJoinSpans(grzBvhJoinSpans(all->of[0], all->of[1]), grzBvhJoinSpans(all->of[2], all->of[3]));
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

GRZ_SIMD_INLINE float lesser(float a, float b) {
    return a < b ? a : b;
}

GRZ_SIMD_INLINE float greater(float a, float b) {
    return a > b ? a : b;
}

// Four vertices, x y z x | y z x y | z x y z. One by one: vectors read across what was just written would wait for it.
GRZ_SIMD_INLINE grzF4 leastOf(grzF4 a, grzF4 b, grzF4 c) {
    float of[12], to[3];
    grzF4_Store(of, a), grzF4_Store(of + 4, b), grzF4_Store(of + 8, c);
    for (int axis = 0; axis < 3; ++axis)
        to[axis] = lesser(lesser(of[axis], of[axis + 3]), lesser(of[axis + 6], of[axis + 9]));
    return grzF4_Set(to[0], to[1], to[2], 0);
}

GRZ_SIMD_INLINE grzF4 mostOf(grzF4 a, grzF4 b, grzF4 c) {
    float of[12], to[3];
    grzF4_Store(of, a), grzF4_Store(of + 4, b), grzF4_Store(of + 8, c);
    for (int axis = 0; axis < 3; ++axis)
        to[axis] = greater(greater(of[axis], of[axis + 3]), greater(of[axis + 6], of[axis + 9]));
    return grzF4_Set(to[0], to[1], to[2], 0);
}

// Vertices that follow each other, at least eight. Of the 24 floats the second twelve lie as the first.
GRZ_SIMD_INLINE BvhSpan spanTight(const float* p, size_t count) {
    Triple all;
    for (size_t k = 0; k < 3; ++k)
        all.lower[k] = all.upper[k] = grzF8_Load(p + 8 * k);
    for (size_t i = 8; i + 8 <= count; i += 8)
        addEight(&all, p + 3 * i);
    addEight(&all, p + 3 * (count - 8));
    const grzF8 *least = all.lower, *most = all.upper;
    return (BvhSpan){leastOf(grzF4_Min(grzF8_Lower(least[0]), grzF8_Upper(least[1])),
                             grzF4_Min(grzF8_Upper(least[0]), grzF8_Lower(least[2])),
                             grzF4_Min(grzF8_Lower(least[1]), grzF8_Upper(least[2]))),
                     mostOf(grzF4_Max(grzF8_Lower(most[0]), grzF8_Upper(most[1])),
                            grzF4_Max(grzF8_Upper(most[0]), grzF8_Lower(most[2])),
                            grzF4_Max(grzF8_Lower(most[1]), grzF8_Upper(most[2])))};
}

// `count` vertices of a list from its place `first` on, or where the list is NULL the vertices from `first` on.
GRZ_SIMD_INLINE void addVertices(const ChordRootJob* job, const uint32_t* list, uint32_t first, uint32_t count,
                                 bool isCareful, Spans* all) {
    uint32_t i = 0;
    for (; i + LANES <= count; i += LANES)
        for (uint32_t k = 0; k < LANES; ++k)
            all->of[k] =
                addVertex(all->of[k], vertexAt(job, list != NULL ? list[first + i + k] : first + i + k, isCareful));
    for (; i < count; ++i)
        all->of[0] = addVertex(all->of[0], vertexAt(job, list != NULL ? list[first + i] : first + i, isCareful));
}

GRZ_SIMD_INLINE BvhSpan spanOf(const ChordRootJob* job, const ChordRange* range, uint32_t end, bool isCareful) {
    const grzF4 most = grzF4_Set1(FLT_MAX), least = grzF4_Negate(most);
    Spans all = {{{most, least}, {most, least}, {most, least}, {most, least}}};
    addVertices(job, job->others, range->others, end - range->others, isCareful, &all);
    if (job->stride == 3 && job->map == NULL && range->count >= 8)
        return grzBvhJoinSpans(joinSpans(&all), spanTight(job->positions + 3 * (size_t)range->first, range->count));
    addVertices(job, NULL, range->first, range->count, isCareful, &all);
    return joinSpans(&all);
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
