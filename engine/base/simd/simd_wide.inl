// What goes over 8 and 16 lanes by way of their halves, at every level. Included by simd.h, once per width, without
// an include guard. simd_four.h has the same for 4 lanes.

#define FLOATS      GRZ_SIMD_TYPE(F, GRZ_WIDTH)
#define INTS        GRZ_SIMD_TYPE(I, GRZ_WIDTH)
#define HALF_FLOATS GRZ_SIMD_TYPE(F, GRZ_HALF)

// W is a function of this width, H the same of a half.
#define W(Letter, Verb) GRZ_SIMD_VERB(Letter, GRZ_WIDTH, Verb)
#define H(Letter, Verb) GRZ_SIMD_VERB(Letter, GRZ_HALF, Verb)

#define FOLD(Lane, Letter, Type, Reduce, Verb)                                                                     \
    GRZ_SIMD_INLINE Lane W(Letter, Reduce)(Type a) {                                                               \
        return H(Letter, Reduce)(H(Letter, Verb)(W(Letter, Lower)(a), W(Letter, Upper)(a)));                       \
    }
FOLD(float, F, FLOATS, ReduceMin, Min)
FOLD(float, F, FLOATS, ReduceMax, Max)
FOLD(float, F, FLOATS, ReduceSum, Add)
FOLD(int32_t, I, INTS, ReduceMin, Min)
FOLD(int32_t, I, INTS, ReduceMax, Max)
FOLD(int32_t, I, INTS, ReduceSum, Add)
#undef FOLD

GRZ_SIMD_INLINE FLOATS W(F, Gather)(const float* base, INTS index) {
    return W(F, Join)(H(F, Gather)(base, W(I, Lower)(index)), H(F, Gather)(base, W(I, Upper)(index)));
}
GRZ_SIMD_INLINE INTS W(I, Gather)(const int32_t* base, INTS index) {
    return W(I, Join)(H(I, Gather)(base, W(I, Lower)(index)), H(I, Gather)(base, W(I, Upper)(index)));
}

// Row k of every four goes to blocks[k], so that a 4x4 transpose in place gives columns in the order of the rows.
GRZ_SIMD_INLINE void GRZ_PASTE(grzLoadBlocks, GRZ_WIDTH)(const float* from, FLOATS blocks[4]) {
    HALF_FLOATS lower[4], upper[4];
    GRZ_PASTE(grzLoadBlocks, GRZ_HALF)(from, lower);
    GRZ_PASTE(grzLoadBlocks, GRZ_HALF)(from + 4 * GRZ_HALF, upper);
    for (int k = 0; k < 4; ++k)
        blocks[k] = W(F, Join)(lower[k], upper[k]);
}
GRZ_SIMD_INLINE void GRZ_PASTE(grzGatherBlocks, GRZ_WIDTH)(const float* base, INTS index, FLOATS blocks[4]) {
    HALF_FLOATS lower[4], upper[4];
    GRZ_PASTE(grzGatherBlocks, GRZ_HALF)(base, W(I, Lower)(index), lower);
    GRZ_PASTE(grzGatherBlocks, GRZ_HALF)(base, W(I, Upper)(index), upper);
    for (int k = 0; k < 4; ++k)
        blocks[k] = W(F, Join)(lower[k], upper[k]);
}
GRZ_SIMD_INLINE void GRZ_PASTE(grzStoreBlocks, GRZ_WIDTH)(float* to, const FLOATS blocks[4]) {
    HALF_FLOATS lower[4], upper[4];
    for (int k = 0; k < 4; ++k) {
        lower[k] = W(F, Lower)(blocks[k]);
        upper[k] = W(F, Upper)(blocks[k]);
    }
    GRZ_PASTE(grzStoreBlocks, GRZ_HALF)(to, lower);
    GRZ_PASTE(grzStoreBlocks, GRZ_HALF)(to + 4 * GRZ_HALF, upper);
}

#undef FLOATS
#undef INTS
#undef HALF_FLOATS
#undef W
#undef H
