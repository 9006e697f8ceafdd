// What: the kernels of ccd_kernel.h.
// Idea: boxes: a row has all coordinates at both ends, so that one comparison of rows compares six numbers; no arithmetic, so no
//   error. Volumes and directions: ccd_filter.c in eight lanes, with its bounds.
#include "ccd_kernel.h"

#include "simd.h"

// ---- boxes ----

// Bits 0 .. 2 are axes at t = 0, bits 4 .. 6 at t = 1: apart along one at both ends.
GRZ_SIMD_INLINE uint32_t isApart(uint32_t below, uint32_t above) {
    return ((below & below >> 4) | (above & above >> 4)) & 7;
}

#define CCD_BOXES(name, Number, Vector, Less)                                                                      \
    uint32_t GRZ_KERNEL(name)(const Number* rows, const uint32_t* vertices, uint32_t begin, uint32_t end,          \
                              int isEdges, uint32_t* left) {                                                       \
        uint32_t count = 0;                                                                                        \
        for (uint32_t i = begin; i < end; ++i) {                                                                   \
            const uint32_t* of = vertices + 4 * (size_t)i;                                                         \
            const Vector first = Vector##_LoadAligned(rows + CCD_ROW * (size_t)of[0]);                             \
            const Vector second = Vector##_LoadAligned(rows + CCD_ROW * (size_t)of[1]);                            \
            const Vector third = Vector##_LoadAligned(rows + CCD_ROW * (size_t)of[2]);                             \
            const Vector fourth = Vector##_LoadAligned(rows + CCD_ROW * (size_t)of[3]);                            \
            Vector lower = Vector##_Min(third, fourth), upper = Vector##_Max(third, fourth);                       \
            Vector own = first, most = first;                                                                      \
            if (isEdges) {                                                                                         \
                own = Vector##_Min(first, second);                                                                 \
                most = Vector##_Max(first, second);                                                                \
            } else {                                                                                               \
                lower = Vector##_Min(lower, second);                                                               \
                upper = Vector##_Max(upper, second);                                                               \
            }                                                                                                      \
            left[count] = i;                                                                                       \
            count += isApart(grzM8_Bits(Less(most, lower)), grzM8_Bits(Less(upper, own))) == 0;                    \
        }                                                                                                          \
        return count;                                                                                              \
    }

CCD_BOXES(grzCcdBoxesFloat, float, grzF8, grzF8_Less)
CCD_BOXES(grzCcdBoxesDouble, double, grzD8, grzD8_Less)
#undef CCD_BOXES

// ---- volumes and directions ----

typedef struct Corner {
    grzD8 at[2][3]; // [t][axis]
} Corner;

GRZ_SIMD_INLINE Corner cornerOf(const CcdColumns* columns, int first, int second) {
    Corner corner;
    for (int end = 0; end < 2; ++end)
        for (int axis = 0; axis < 3; ++axis)
            corner.at[end][axis] = grzD8_Sub(grzD8_LoadAligned(columns->at[end][first][axis]),
                                             grzD8_LoadAligned(columns->at[end][second][axis]));
    return corner;
}

GRZ_SIMD_INLINE grzD8 sizeOf(const Corner* corners, int count, int axis) {
    grzD8 size = grzD8_Abs(corners[0].at[0][axis]);
    for (int k = 0; k < count; ++k)
        size = grzD8_Max(size, grzD8_Max(grzD8_Abs(corners[k].at[0][axis]), grzD8_Abs(corners[k].at[1][axis])));
    return size;
}

// a b - c d
GRZ_SIMD_INLINE grzD8 minor(grzD8 a, grzD8 b, grzD8 c, grzD8 d) {
    return grzD8_Sub(grzD8_Mul(a, b), grzD8_Mul(c, d));
}

// Lanes in which all four are beyond a bound, on one side.
GRZ_SIMD_INLINE grzM8 haveSign(const grzD8 values[4], grzD8 bound) {
    const grzD8 least = grzD8_Min(grzD8_Min(values[0], values[1]), grzD8_Min(values[2], values[3]));
    const grzD8 most = grzD8_Max(grzD8_Max(values[0], values[1]), grzD8_Max(values[2], values[3]));
    return grzM8_Or(grzD8_Less(bound, least), grzD8_Less(most, grzD8_Sub(grzD8_Set1(0), bound)));
}

GRZ_SIMD_INLINE grzM8 haveVolume(const Corner* a, const Corner* b, const Corner* c, grzD8 bound) {
    grzD8 sums[4];
    for (int axis = 0; axis < 3; ++axis) {
        const int u = (axis + 1) % 3, v = (axis + 2) % 3;
        const grzD8 start = minor(a->at[0][u], b->at[0][v], a->at[0][v], b->at[0][u]);
        const grzD8 end = minor(a->at[1][u], b->at[1][v], a->at[1][v], b->at[1][u]);
        // Twice the middle coefficient.
        const grzD8 middle = grzD8_Add(minor(a->at[0][u], b->at[1][v], a->at[1][v], b->at[0][u]),
                                       minor(a->at[1][u], b->at[0][v], a->at[0][v], b->at[1][u]));
        const grzD8 from = c->at[0][axis], to = c->at[1][axis];
        const grzD8 parts[4] = {grzD8_Mul(start, from), grzD8_Add(grzD8_Mul(start, to), grzD8_Mul(middle, from)),
                                grzD8_Add(grzD8_Mul(middle, to), grzD8_Mul(end, from)), grzD8_Mul(end, to)};
        for (int i = 0; i < 4; ++i)
            sums[i] = axis == 0 ? parts[i] : grzD8_Add(sums[i], parts[i]);
    }
    const grzD8 third = grzD8_Set1(1.0 / 3); // off by less than u of itself, as a division
    sums[1] = grzD8_Mul(sums[1], third);
    sums[2] = grzD8_Mul(sums[2], third);
    return haveSign(sums, bound);
}

GRZ_SIMD_INLINE grzM8 haveDirection(const Corner* corners, int count, const grzD8 sizes[3]) {
    grzD8 mean[3], bound = grzD8_Set1(0);
    for (int axis = 0; axis < 3; ++axis) {
        mean[axis] = grzD8_Add(corners[0].at[0][axis], corners[0].at[1][axis]);
        for (int k = 1; k < count; ++k)
            mean[axis] = grzD8_Add(mean[axis], grzD8_Add(corners[k].at[0][axis], corners[k].at[1][axis]));
        bound = grzD8_Add(bound, grzD8_Mul(grzD8_Abs(mean[axis]), sizes[axis]));
    }
    bound = grzD8_Mul(bound, grzD8_Set1(8 * 0x1p-53));
    grzD8 least = grzD8_Set1(0x1p1000);
    for (int k = 0; k < count; ++k)
        for (int end = 0; end < 2; ++end) {
            const grzD8* at = corners[k].at[end];
            const grzD8 along = grzD8_Add(grzD8_Add(grzD8_Mul(mean[0], at[0]), grzD8_Mul(mean[1], at[1])),
                                          grzD8_Mul(mean[2], at[2]));
            least = grzD8_Min(least, along);
        }
    return grzD8_Less(bound, least);
}

GRZ_SIMD_INLINE uint32_t tellApart(const Corner* corners, int count) {
    grzD8 sizes[3];
    for (int axis = 0; axis < 3; ++axis)
        sizes[axis] = sizeOf(corners, count, axis);
    const grzD8 least = grzD8_Min(grzD8_Min(sizes[0], sizes[1]), sizes[2]);
    const grzD8 most = grzD8_Max(grzD8_Max(sizes[0], sizes[1]), sizes[2]);
    const grzM8 isTame = grzM8_And(grzD8_Less(grzD8_Set1(0x1p-200), least), grzD8_Less(most, grzD8_Set1(0x1p200)));
    const grzD8 bound = grzD8_Mul(grzD8_Set1(0x1p-46), grzD8_Mul(grzD8_Mul(sizes[0], sizes[1]), sizes[2]));
    const grzM8 isApart = haveVolume(&corners[0], &corners[1], &corners[count - 1], bound);
    return grzM8_Bits(grzM8_And(isTame, grzM8_Or(isApart, haveDirection(corners, count, sizes))));
}

uint32_t GRZ_KERNEL(grzCcdVolumes)(const CcdColumns* columns, int isEdges) {
    if (!isEdges) {
        const Corner corners[3] = {cornerOf(columns, 1, 0), cornerOf(columns, 2, 0), cornerOf(columns, 3, 0)};
        return tellApart(corners, 3);
    }
    const Corner corners[4] = {cornerOf(columns, 0, 2), cornerOf(columns, 0, 3), cornerOf(columns, 1, 3),
                               cornerOf(columns, 1, 2)};
    return tellApart(corners, 4);
}
