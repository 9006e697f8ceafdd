// What: grzCcdSift of ccd_kernel.h: boxes, directions and volumes of sixteen pairs at a time, in floats.
// Idea: ccd_filter.c says why each tells for certain that two features are apart. In floats it is the same with u = 2^-24, where
//   sizes are between 2^-20 and 2^20, so that nothing underflows that counts (docs/ccd.md). Corners of double positions
//   are differences of doubles that are rounded to floats: the sign is right, or they are 0.
// Holds: each step is done for all lanes, whatever an earlier one said; counted is the first that decides.
#include "ccd_kernel.h"

#include "simd.h"

#define UNIT 0x1p-24F

typedef struct SiftCorner {
    grzF16 at[2][3]; // [t][axis]
} SiftCorner;

// Least, greatest and largest in size, of all corners along each axis at both ends.
typedef struct SiftSizes {
    grzF16 lower[3], upper[3], size[3];
} SiftSizes;

GRZ_SIMD_INLINE grzF16 negative(grzF16 a) {
    return grzF16_Sub(grzF16_Zero(), a);
}

GRZ_SIMD_PART SiftSizes sizesOf(const SiftCorner* corners, int count) {
    SiftSizes sizes;
    for (int axis = 0; axis < 3; ++axis) {
        grzF16 lower = corners[0].at[0][axis], upper = lower;
        for (int k = 0; k < count; ++k)
            for (int end = 0; end < 2; ++end) {
                lower = grzF16_Min(lower, corners[k].at[end][axis]);
                upper = grzF16_Max(upper, corners[k].at[end][axis]);
            }
        sizes.lower[axis] = lower;
        sizes.upper[axis] = upper;
        sizes.size[axis] = grzF16_Max(upper, negative(lower));
    }
    return sizes;
}

GRZ_SIMD_PART grzM16 haveBoxesApart(const SiftSizes* sizes) {
    const grzF16 zero = grzF16_Zero();
    grzM16 isApart = grzM16_Or(grzF16_Less(zero, sizes->lower[0]), grzF16_Less(sizes->upper[0], zero));
    for (int axis = 1; axis < 3; ++axis)
        isApart = grzM16_Or(
            isApart, grzM16_Or(grzF16_Less(zero, sizes->lower[axis]), grzF16_Less(sizes->upper[axis], zero)));
    return isApart;
}

GRZ_SIMD_INLINE grzM16 areTame(const SiftSizes* sizes) {
    const grzF16 least = grzF16_Min(grzF16_Min(sizes->size[0], sizes->size[1]), sizes->size[2]);
    const grzF16 most = grzF16_Max(grzF16_Max(sizes->size[0], sizes->size[1]), sizes->size[2]);
    return grzM16_And(grzF16_Less(grzF16_Set1(0x1p-20F), least), grzF16_Less(most, grzF16_Set1(0x1p20F)));
}

GRZ_SIMD_PART grzM16 haveDirection(const SiftCorner* corners, int count, const SiftSizes* sizes) {
    grzF16 mean[3], bound = grzF16_Zero(), least = grzF16_Zero();
    for (int axis = 0; axis < 3; ++axis) {
        mean[axis] = grzF16_Add(corners[0].at[0][axis], corners[0].at[1][axis]);
        for (int k = 1; k < count; ++k)
            mean[axis] = grzF16_Add(mean[axis], grzF16_Add(corners[k].at[0][axis], corners[k].at[1][axis]));
        bound = grzF16_Add(bound, grzF16_Mul(grzF16_Abs(mean[axis]), sizes->size[axis]));
    }
    // The mean may be so small that products underflow.
    bound = grzF16_Max(grzF16_Mul(bound, grzF16_Set1(8 * UNIT)), grzF16_Set1(0x1p-100F));
    for (int k = 0; k < count; ++k)
        for (int end = 0; end < 2; ++end) {
            const grzF16* at = corners[k].at[end];
            const grzF16 along = grzF16_Add(grzF16_Add(grzF16_Mul(mean[0], at[0]), grzF16_Mul(mean[1], at[1])),
                                            grzF16_Mul(mean[2], at[2]));
            least = k == 0 && end == 0 ? along : grzF16_Min(least, along);
        }
    return grzF16_Less(bound, least);
}

// a b - c d
GRZ_SIMD_INLINE grzF16 minor(grzF16 a, grzF16 b, grzF16 c, grzF16 d) {
    return grzF16_Sub(grzF16_Mul(a, b), grzF16_Mul(c, d));
}

// Lanes in which all four are beyond a bound, on one side.
GRZ_SIMD_INLINE grzM16 haveSign(const grzF16 values[4], grzF16 bound) {
    const grzF16 least = grzF16_Min(grzF16_Min(values[0], values[1]), grzF16_Min(values[2], values[3]));
    const grzF16 most = grzF16_Max(grzF16_Max(values[0], values[1]), grzF16_Max(values[2], values[3]));
    return grzM16_Or(grzF16_Less(bound, least), grzF16_Less(most, negative(bound)));
}

GRZ_SIMD_PART grzM16 haveVolume(const SiftCorner* corners, int count, const SiftSizes* sizes) {
    const SiftCorner *a = &corners[0], *b = &corners[1], *c = &corners[count - 1];
    grzF16 sums[4];
    for (int axis = 0; axis < 3; ++axis) {
        const int u = (axis + 1) % 3, v = (axis + 2) % 3;
        const grzF16 start = minor(a->at[0][u], b->at[0][v], a->at[0][v], b->at[0][u]);
        const grzF16 end = minor(a->at[1][u], b->at[1][v], a->at[1][v], b->at[1][u]);
        // Twice the middle coefficient.
        const grzF16 middle = grzF16_Add(minor(a->at[0][u], b->at[1][v], a->at[1][v], b->at[0][u]),
                                         minor(a->at[1][u], b->at[0][v], a->at[0][v], b->at[1][u]));
        const grzF16 from = c->at[0][axis], to = c->at[1][axis];
        const grzF16 parts[4] = {grzF16_Mul(start, from),
                                 grzF16_Add(grzF16_Mul(start, to), grzF16_Mul(middle, from)),
                                 grzF16_Add(grzF16_Mul(middle, to), grzF16_Mul(end, from)), grzF16_Mul(end, to)};
        for (int i = 0; i < 4; ++i)
            sums[i] = axis == 0 ? parts[i] : grzF16_Add(sums[i], parts[i]);
    }
    const grzF16 third = grzF16_Set1(1.0F / 3),
                 size = grzF16_Mul(grzF16_Mul(sizes->size[0], sizes->size[1]), sizes->size[2]);
    sums[1] = grzF16_Mul(sums[1], third);
    sums[2] = grzF16_Mul(sums[2], third);
    return haveSign(sums, grzF16_Mul(grzF16_Set1(128 * UNIT), size));
}

// Bits of the lanes that each step is the first to tell.
typedef struct SiftBits {
    uint32_t boxes, directions, volumes;
} SiftBits;

GRZ_SIMD_PART SiftBits siftCorners(const SiftCorner* corners, int count) {
    SiftBits bits = {0, 0, 0};
    const SiftSizes sizes = sizesOf(corners, count);
    bits.boxes = grzM16_Bits(haveBoxesApart(&sizes));
    const uint32_t tame = grzM16_Bits(areTame(&sizes)) & ~bits.boxes;
    if (tame == 0)
        return bits;
    bits.directions = grzM16_Bits(haveDirection(corners, count, &sizes)) & tame;
    if (tame != bits.directions)
        bits.volumes = grzM16_Bits(haveVolume(corners, count, &sizes)) & tame & ~bits.directions;
    return bits;
}

// ---- corners ----

GRZ_SIMD_INLINE void loadFloats(const float* rows, const grzF16 vertices[4], int point, grzF16 ends[2][4]) {
    const grzI16 vertex = grzF16_AsInt(vertices[point]), row = grzI16_ShiftLeft(vertex, 1);
    grzF16_GatherRows4(rows, row, ends[0]);
    grzF16_GatherRows4(rows, grzI16_Add(row, grzI16_Set1(1)), ends[1]);
}

GRZ_SIMD_PART SiftCorner cornerOf(grzF16 a[2][4], grzF16 b[2][4]) {
    SiftCorner corner;
    for (int end = 0; end < 2; ++end)
        for (int axis = 0; axis < 3; ++axis)
            corner.at[end][axis] = grzF16_Sub(a[end][axis], b[end][axis]);
    return corner;
}

GRZ_SIMD_PART SiftBits siftFloats(const float* rows, const uint32_t* vertices, int isEdges) {
    grzF16 names[4], points[4][2][4];
    grzF16_LoadRows4((const float*)(const void*)vertices, names);
    for (int point = 0; point < 4; ++point)
        loadFloats(rows, names, point, points[point]);
    if (!isEdges) {
        const SiftCorner corners[3] = {cornerOf(points[1], points[0]), cornerOf(points[2], points[0]),
                                       cornerOf(points[3], points[0])};
        return siftCorners(corners, 3);
    }
    const SiftCorner corners[4] = {cornerOf(points[0], points[2]), cornerOf(points[0], points[3]),
                                   cornerOf(points[1], points[3]), cornerOf(points[1], points[2])};
    return siftCorners(corners, 4);
}

// A call: it is mostly conversions, and there are seven of them.
GRZ_SIMD_CALL SiftCorner cornerOfDoubles(const double* rows, const uint32_t* vertices, int first, int second) {
    _Alignas(64) float ends[2][CCD_SIFT_LANES][4];
    SiftCorner corner;
    for (int lane = 0; lane < CCD_SIFT_LANES; ++lane) {
        const double* a = rows + CCD_ROW * (size_t)vertices[4 * lane + first];
        const double* b = rows + CCD_ROW * (size_t)vertices[4 * lane + second];
        for (int i = 0; i < CCD_ROW; ++i)
            ends[i / 4][lane][i % 4] = (float)(a[i] - b[i]);
    }
    for (int end = 0; end < 2; ++end) {
        grzF16 columns[4];
        grzF16_LoadRows4(ends[end][0], columns);
        for (int axis = 0; axis < 3; ++axis)
            corner.at[end][axis] = columns[axis];
    }
    return corner;
}

GRZ_SIMD_PART SiftBits siftDoubles(const double* rows, const uint32_t* vertices, int isEdges) {
    if (!isEdges) {
        const SiftCorner corners[3] = {cornerOfDoubles(rows, vertices, 1, 0), cornerOfDoubles(rows, vertices, 2, 0),
                                       cornerOfDoubles(rows, vertices, 3, 0)};
        return siftCorners(corners, 3);
    }
    const SiftCorner corners[4] = {cornerOfDoubles(rows, vertices, 0, 2), cornerOfDoubles(rows, vertices, 0, 3),
                                   cornerOfDoubles(rows, vertices, 1, 3), cornerOfDoubles(rows, vertices, 1, 2)};
    return siftCorners(corners, 4);
}

// ---- blocks ----

// Adds to the counts, and the lanes that no step told to `left`; returns how many.
GRZ_SIMD_PART uint32_t keep(SiftBits bits, uint32_t lanes, uint32_t first, uint32_t* left, CcdSifted* sifted) {
    uint32_t count = 0;
    sifted->boxes += (uint32_t)__builtin_popcount(bits.boxes & lanes);
    sifted->directions += (uint32_t)__builtin_popcount(bits.directions & lanes);
    sifted->volumes += (uint32_t)__builtin_popcount(bits.volumes & lanes);
    for (uint32_t rest = lanes & ~(bits.boxes | bits.directions | bits.volumes); rest != 0; rest &= rest - 1)
        left[count++] = first + (uint32_t)__builtin_ctz(rest);
    return count;
}

// The last lanes repeat the last pair.
static const uint32_t* padVertices(const uint32_t* vertices, uint32_t count, uint32_t* padded) {
    for (uint32_t lane = 0; lane < CCD_SIFT_LANES; ++lane)
        memcpy(padded + 4 * lane, vertices + 4 * (lane < count ? lane : count - 1), 4 * sizeof *padded);
    return padded;
}

#define CCD_SIFT(name, Number, siftLanes)                                                                          \
    uint32_t GRZ_KERNEL(name)(const Number* rows, const uint32_t* vertices, uint32_t count, int isEdges,           \
                              uint32_t* left, CcdSifted* sifted) {                                                 \
        uint32_t padded[4 * CCD_SIFT_LANES], found = 0;                                                            \
        for (uint32_t i = 0; i < count; i += CCD_SIFT_LANES) {                                                     \
            const uint32_t some = count - i < CCD_SIFT_LANES ? count - i : CCD_SIFT_LANES;                         \
            const uint32_t* of = vertices + 4 * (size_t)i;                                                         \
            of = some < CCD_SIFT_LANES ? padVertices(of, some, padded) : of;                                       \
            const SiftBits bits = isEdges ? siftLanes(rows, of, 1) : siftLanes(rows, of, 0);                       \
            found += keep(bits, (1u << some) - 1, i, left + found, sifted);                                        \
        }                                                                                                          \
        return found;                                                                                              \
    }

CCD_SIFT(grzCcdSiftFloat, float, siftFloats)
CCD_SIFT(grzCcdSiftDouble, double, siftDoubles)
#undef CCD_SIFT
