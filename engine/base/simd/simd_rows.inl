// Rows of four floats (points, planes, box corners) to and from vectors of GRZ_WIDTH lanes. Included by simd.h,
// once per width, without an include guard.

#define FLOATS          GRZ_SIMD_TYPE(F, GRZ_WIDTH)
#define INTS            GRZ_SIMD_TYPE(I, GRZ_WIDTH)
#define W(Letter, Verb) GRZ_SIMD_VERB(Letter, GRZ_WIDTH, Verb)

// columns[c] lane k is from[4 * k + c]: reads 4 * GRZ_WIDTH floats.
GRZ_SIMD_INLINE void W(F, LoadRows4)(const float* from, FLOATS columns[4]) {
    GRZ_PASTE(grzLoadBlocks, GRZ_WIDTH)(from, columns);
    GRZ_PASTE(grzTransposeBlocks, GRZ_WIDTH)(columns);
}

// columns[c] lane k is base[4 * index[k] + c].
GRZ_SIMD_INLINE void W(F, GatherRows4)(const float* base, INTS index, FLOATS columns[4]) {
    GRZ_PASTE(grzGatherBlocks, GRZ_WIDTH)(base, index, columns);
    GRZ_PASTE(grzTransposeBlocks, GRZ_WIDTH)(columns);
}

// The reverse of LoadRows4: writes 4 * GRZ_WIDTH floats.
GRZ_SIMD_INLINE void W(F, StoreRows4)(float* to, const FLOATS columns[4]) {
    FLOATS blocks[4] = {columns[0], columns[1], columns[2], columns[3]};
    GRZ_PASTE(grzTransposeBlocks, GRZ_WIDTH)(blocks);
    GRZ_PASTE(grzStoreBlocks, GRZ_WIDTH)(to, blocks);
}

#undef FLOATS
#undef INTS
#undef W
