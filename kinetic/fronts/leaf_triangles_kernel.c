// What: the kernel of leaf_triangles_kernel.h.
// Idea: all 16 pairs of triangles of two leaves are lanes. The leaf of A is spread once for all leaves of B beside it.
#include "leaf_triangles_kernel.h"

#include "simd.h"

// ---- boxes ----

GRZ_SIMD_INLINE void storeColumns(const grzF4 rows[4], float to[3][4]) {
    grzF4 columns[4] = {rows[0], rows[1], rows[2], rows[3]};
    grzTransposeBlocks4(columns);
    for (int axis = 0; axis < 3; ++axis)
        grzF4_Store(to[axis], columns[axis]);
}

void GRZ_KERNEL(grzFourTrianglesFit)(const FourCorners* corners, const float* positions, FourTriangles* four,
                                     int end) {
    grzF4 lower[4], upper[4];
    for (int lane = 0; lane < 4; ++lane) {
        const grzF4 a = grzF4_Load(positions + 3 * (size_t)corners->at[0][lane]),
                    b = grzF4_Load(positions + 3 * (size_t)corners->at[1][lane]),
                    c = grzF4_Load(positions + 3 * (size_t)corners->at[2][lane]);
        lower[lane] = grzF4_Min(grzF4_Min(a, b), c);
        upper[lane] = grzF4_Max(grzF4_Max(a, b), c);
    }
    storeColumns(lower, four->lower[end]);
    storeColumns(upper, four->upper[end]);
}

// ---- pairs ----

typedef struct SixteenBoxes {
    float lower[2][3][16], upper[2][3][16];
} SixteenBoxes;

GRZ_SIMD_INLINE void spreadEach(const float from[4], float to[16]) {
    grzF16_Store(to, grzF16_Join(grzF8_Join(grzF4_Set1(from[0]), grzF4_Set1(from[1])),
                                 grzF8_Join(grzF4_Set1(from[2]), grzF4_Set1(from[3]))));
}

GRZ_SIMD_INLINE grzF16 repeatFour(const float from[4]) {
    const grzF4 four = grzF4_LoadAligned(from);
    const grzF8 eight = grzF8_Join(four, four);
    return grzF16_Join(eight, eight);
}

GRZ_SIMD_INLINE grzM16 isBelow(const SixteenBoxes* a, const FourTriangles* b, int end, int axis) {
    return grzF16_Less(grzF16_Load(a->upper[end][axis]), repeatFour(b->lower[end][axis]));
}

GRZ_SIMD_INLINE grzM16 isAbove(const SixteenBoxes* a, const FourTriangles* b, int end, int axis) {
    return grzF16_Less(repeatFour(b->upper[end][axis]), grzF16_Load(a->lower[end][axis]));
}

GRZ_SIMD_INLINE uint32_t overlapBits(const SixteenBoxes* a, const FourTriangles* b, bool isMoving) {
    grzM16 isApart = grzM16_FromBits(0);
    for (int axis = 0; axis < 3; ++axis) {
        grzM16 below = isBelow(a, b, 0, axis), above = isAbove(a, b, 0, axis);
        if (isMoving) {
            below = grzM16_And(below, isBelow(a, b, 1, axis));
            above = grzM16_And(above, isAbove(a, b, 1, axis));
        }
        isApart = grzM16_Or(isApart, grzM16_Or(below, above));
    }
    return ~grzM16_Bits(isApart) & 0xFFFFu;
}

GRZ_SIMD_PART uint32_t shareBits(const FourTriangles* a, const FourTriangles* b) {
    uint32_t bits = 0;
    for (int lane = 0; lane < 4; ++lane) {
        grzM4 shares = grzM4_FromBits(0);
        for (int k = 0; k < 9; ++k)
            shares = grzM4_Or(shares, grzI4_Equal(grzI4_Set1((int32_t)a->corners.at[k / 3][lane]),
                                                  grzI4_LoadAligned((const int32_t*)b->corners.at[k % 3])));
        bits |= grzM4_Bits(shares) << 4 * lane;
    }
    return bits;
}

GRZ_SIMD_INLINE void markAll(const FourTrianglesJob* job, const SixteenBoxes* a, bool isMoving, uint16_t* marks) {
    for (size_t i = 0; i < job->count; ++i) {
        const FourTriangles* b = &job->b[job->places[job->pairs[i].leafB]];
        uint32_t bits = overlapBits(a, b, isMoving);
        if (job->isSelf && bits != 0)
            bits &= ~shareBits(job->a, b);
        marks[i] = (uint16_t)bits;
    }
}

void GRZ_KERNEL(grzFourTrianglesMark)(const FourTrianglesJob* job, uint16_t* marks) {
    SixteenBoxes a;
    for (int end = 0; end < (job->isMoving ? 2 : 1); ++end)
        for (int axis = 0; axis < 3; ++axis) {
            spreadEach(job->a->lower[end][axis], a.lower[end][axis]);
            spreadEach(job->a->upper[end][axis], a.upper[end][axis]);
        }
    if (job->isMoving)
        markAll(job, &a, true, marks);
    else
        markAll(job, &a, false, marks);
}
