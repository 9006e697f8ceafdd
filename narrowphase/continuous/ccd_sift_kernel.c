// What: grzCcdSift of ccd_kernel.h: boxes, directions and volumes of sixteen pairs at a time, in floats; of eight at AVX2, else of four.
// Idea: ccd_filter.c says why each tells for certain that two features are apart. In floats it is the same with u = 2^-24, where
//   sizes are between 2^-20 and 2^20, so that nothing underflows that counts (docs/ccd.md). Corners of double positions
//   are differences of doubles that are rounded to floats: the sign is right, or they are 0.
// Holds: each step is done for all lanes, whatever an earlier one said; counted is the first that decides.
// Tried and lost: corners cut to the times of their pair of triangles, rounded outward to 64ths. Boxes of features in these times were looked at
//   before (ccd_meet_kernel.c), so 3 % fewer were left for the roots where cloth falls onto a ball; all of a step took 1.4 % more instructions.
#include "ccd_kernel.h"

#include "simd.h"

#define UNIT 0x1p-24F

#if GRZ_SIMD_IS(avx512)
#    define LANES 16
#elif GRZ_SIMD_IS(avx2)
#    define LANES 8 // of sixteen, most would be in memory, and the code would be twice as long
#else
#    define LANES 4
#endif
#define F(Verb) GRZ_SIMD_VERB(F, LANES, Verb)
#define I(Verb) GRZ_SIMD_VERB(I, LANES, Verb)
#define M(Verb) GRZ_SIMD_VERB(M, LANES, Verb)

typedef GRZ_SIMD_TYPE(F, LANES) Floats;
typedef GRZ_SIMD_TYPE(I, LANES) Ints;
typedef GRZ_SIMD_TYPE(M, LANES) Mask;

typedef struct SiftCorner {
    Floats at[2][3]; // [t][axis]
} SiftCorner;

// Least, greatest and largest in size, of all corners along each axis at both ends.
typedef struct SiftSizes {
    Floats lower[3], upper[3], size[3];
} SiftSizes;

GRZ_SIMD_INLINE Floats negative(Floats a) {
    return F(Sub)(F(Zero)(), a);
}

GRZ_SIMD_PART SiftSizes sizesOf(const SiftCorner* corners, int count) {
    SiftSizes sizes;
    for (int axis = 0; axis < 3; ++axis) {
        Floats lower = corners[0].at[0][axis], upper = lower;
        for (int k = 0; k < count; ++k)
            for (int end = 0; end < 2; ++end) {
                lower = F(Min)(lower, corners[k].at[end][axis]);
                upper = F(Max)(upper, corners[k].at[end][axis]);
            }
        sizes.lower[axis] = lower;
        sizes.upper[axis] = upper;
        sizes.size[axis] = F(Max)(upper, negative(lower));
    }
    return sizes;
}

GRZ_SIMD_PART Mask haveBoxesApart(const SiftSizes* sizes) {
    const Floats zero = F(Zero)();
    Mask isApart = M(Or)(F(Less)(zero, sizes->lower[0]), F(Less)(sizes->upper[0], zero));
    for (int axis = 1; axis < 3; ++axis)
        isApart = M(Or)(isApart, M(Or)(F(Less)(zero, sizes->lower[axis]), F(Less)(sizes->upper[axis], zero)));
    return isApart;
}

GRZ_SIMD_INLINE Mask areTame(const SiftSizes* sizes) {
    const Floats least = F(Min)(F(Min)(sizes->size[0], sizes->size[1]), sizes->size[2]);
    const Floats most = F(Max)(F(Max)(sizes->size[0], sizes->size[1]), sizes->size[2]);
    return M(And)(F(Less)(F(Set1)(0x1p-20F), least), F(Less)(most, F(Set1)(0x1p20F)));
}

GRZ_SIMD_PART Mask haveDirection(const SiftCorner* corners, int count, const SiftSizes* sizes) {
    Floats mean[3], bound = F(Zero)(), least = F(Zero)();
    for (int axis = 0; axis < 3; ++axis) {
        mean[axis] = F(Add)(corners[0].at[0][axis], corners[0].at[1][axis]);
        for (int k = 1; k < count; ++k)
            mean[axis] = F(Add)(mean[axis], F(Add)(corners[k].at[0][axis], corners[k].at[1][axis]));
        bound = F(Add)(bound, F(Mul)(F(Abs)(mean[axis]), sizes->size[axis]));
    }
    // The mean may be so small that products underflow.
    bound = F(Max)(F(Mul)(bound, F(Set1)(8 * UNIT)), F(Set1)(0x1p-100F));
    for (int k = 0; k < count; ++k)
        for (int end = 0; end < 2; ++end) {
            const Floats* at = corners[k].at[end];
            const Floats along =
                F(Add)(F(Add)(F(Mul)(mean[0], at[0]), F(Mul)(mean[1], at[1])), F(Mul)(mean[2], at[2]));
            least = k == 0 && end == 0 ? along : F(Min)(least, along);
        }
    return F(Less)(bound, least);
}

// a b - c d
GRZ_SIMD_INLINE Floats minor(Floats a, Floats b, Floats c, Floats d) {
    return F(Sub)(F(Mul)(a, b), F(Mul)(c, d));
}

// Lanes in which all four are beyond a bound, on one side.
GRZ_SIMD_INLINE Mask haveSign(const Floats values[4], Floats bound) {
    const Floats least = F(Min)(F(Min)(values[0], values[1]), F(Min)(values[2], values[3]));
    const Floats most = F(Max)(F(Max)(values[0], values[1]), F(Max)(values[2], values[3]));
    return M(Or)(F(Less)(bound, least), F(Less)(most, negative(bound)));
}

GRZ_SIMD_PART Mask haveVolume(const SiftCorner* corners, int count, const SiftSizes* sizes) {
    const SiftCorner *a = &corners[0], *b = &corners[1], *c = &corners[count - 1];
    Floats sums[4];
    for (int axis = 0; axis < 3; ++axis) {
        const int u = (axis + 1) % 3, v = (axis + 2) % 3;
        const Floats start = minor(a->at[0][u], b->at[0][v], a->at[0][v], b->at[0][u]);
        const Floats end = minor(a->at[1][u], b->at[1][v], a->at[1][v], b->at[1][u]);
        // Twice the middle coefficient.
        const Floats middle = F(Add)(minor(a->at[0][u], b->at[1][v], a->at[1][v], b->at[0][u]),
                                     minor(a->at[1][u], b->at[0][v], a->at[0][v], b->at[1][u]));
        const Floats from = c->at[0][axis], to = c->at[1][axis];
        const Floats parts[4] = {F(Mul)(start, from), F(Add)(F(Mul)(start, to), F(Mul)(middle, from)),
                                 F(Add)(F(Mul)(middle, to), F(Mul)(end, from)), F(Mul)(end, to)};
        for (int i = 0; i < 4; ++i)
            sums[i] = axis == 0 ? parts[i] : F(Add)(sums[i], parts[i]);
    }
    const Floats third = F(Set1)(1.0F / 3), size = F(Mul)(F(Mul)(sizes->size[0], sizes->size[1]), sizes->size[2]);
    sums[1] = F(Mul)(sums[1], third);
    sums[2] = F(Mul)(sums[2], third);
    return haveSign(sums, F(Mul)(F(Set1)(128 * UNIT), size));
}

// Bits of the lanes that each step is the first to tell.
typedef struct SiftBits {
    uint32_t boxes, directions, volumes;
} SiftBits;

GRZ_SIMD_PART SiftBits siftCorners(const SiftCorner* corners, int count) {
    SiftBits bits = {0, 0, 0};
    const SiftSizes sizes = sizesOf(corners, count);
    bits.boxes = M(Bits)(haveBoxesApart(&sizes));
    const uint32_t tame = M(Bits)(areTame(&sizes)) & ~bits.boxes;
    if (tame == 0)
        return bits;
    bits.directions = M(Bits)(haveDirection(corners, count, &sizes)) & tame;
    if (tame != bits.directions)
        bits.volumes = M(Bits)(haveVolume(corners, count, &sizes)) & tame & ~bits.directions;
    return bits;
}

// ---- corners ----

GRZ_SIMD_INLINE void loadFloats(const float* rows, const Floats vertices[4], int point, Floats ends[2][4]) {
    const Ints vertex = F(AsInt)(vertices[point]), row = I(ShiftLeft)(vertex, 1);
    F(GatherRows4)(rows, row, ends[0]);
    F(GatherRows4)(rows, I(Add)(row, I(Set1)(1)), ends[1]);
}

GRZ_SIMD_PART SiftCorner cornerOf(Floats a[2][4], Floats b[2][4]) {
    SiftCorner corner;
    for (int end = 0; end < 2; ++end)
        for (int axis = 0; axis < 3; ++axis)
            corner.at[end][axis] = F(Sub)(a[end][axis], b[end][axis]);
    return corner;
}

GRZ_SIMD_PART SiftBits siftFloats(const float* rows, const uint32_t* vertices, int isEdges) {
    Floats names[4], points[4][2][4];
    F(LoadRows4)((const float*)(const void*)vertices, names);
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
    _Alignas(64) float ends[2][LANES][4];
    SiftCorner corner;
    for (int lane = 0; lane < LANES; ++lane) {
        const double* a = rows + CCD_ROW * (size_t)vertices[4 * lane + first];
        const double* b = rows + CCD_ROW * (size_t)vertices[4 * lane + second];
        for (int i = 0; i < CCD_ROW; ++i)
            ends[i / 4][lane][i % 4] = (float)(a[i] - b[i]);
    }
    for (int end = 0; end < 2; ++end) {
        Floats columns[4];
        F(LoadRows4)(ends[end][0], columns);
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
    for (uint32_t lane = 0; lane < LANES; ++lane)
        memcpy(padded + 4 * lane, vertices + 4 * (lane < count ? lane : count - 1), 4 * sizeof *padded);
    return padded;
}

#define CCD_SIFT(name, Number, siftLanes)                                                                          \
    uint32_t GRZ_KERNEL(name)(const Number* rows, const uint32_t* vertices, uint32_t count, int isEdges,           \
                              uint32_t* left, CcdSifted* sifted) {                                                 \
        uint32_t padded[4 * LANES], found = 0;                                                                     \
        for (uint32_t i = 0; i < count; i += LANES) {                                                              \
            const uint32_t some = count - i < LANES ? count - i : LANES;                                           \
            const uint32_t* of = vertices + 4 * (size_t)i;                                                         \
            of = some < LANES ? padVertices(of, some, padded) : of;                                                \
            const SiftBits bits = isEdges ? siftLanes(rows, of, 1) : siftLanes(rows, of, 0);                       \
            found += keep(bits, (1u << some) - 1, i, left + found, sifted);                                        \
        }                                                                                                          \
        return found;                                                                                              \
    }

CCD_SIFT(grzCcdSiftFloat, float, siftFloats)
CCD_SIFT(grzCcdSiftDouble, double, siftDoubles)
#undef CCD_SIFT
