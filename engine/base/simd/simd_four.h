// What goes over the four lanes of the narrowest vectors, at every level. Included by simd.h alone.
#ifndef GRAZE_BASE_SIMD_FOUR_H
#define GRAZE_BASE_SIMD_FOUR_H

GRZ_SIMD_INLINE grzF4 grzF4_SwapPairs(grzF4 a) {
    return grzI4_AsFloat(grzI4_SwapPairs(grzF4_AsInt(a)));
}
GRZ_SIMD_INLINE grzF4 grzF4_SwapLanes(grzF4 a) {
    return grzI4_AsFloat(grzI4_SwapLanes(grzF4_AsInt(a)));
}

// Lane 0 with lane 2 and lane 1 with lane 3, then the two.
#define GRZ_FOLD(Lane, Letter, Reduce, Verb)                                                                       \
    GRZ_SIMD_INLINE Lane grz##Letter##4_##Reduce(grz##Letter##4 a) {                                               \
        a = grz##Letter##4_##Verb(a, grz##Letter##4_SwapPairs(a));                                                 \
        return grz##Letter##4_First(grz##Letter##4_##Verb(a, grz##Letter##4_SwapLanes(a)));                        \
    }
GRZ_FOLD(float, F, ReduceMin, Min)
GRZ_FOLD(float, F, ReduceMax, Max)
GRZ_FOLD(float, F, ReduceSum, Add)
GRZ_FOLD(int32_t, I, ReduceMin, Min)
GRZ_FOLD(int32_t, I, ReduceMax, Max)
GRZ_FOLD(int32_t, I, ReduceSum, Add)
#undef GRZ_FOLD

// By lanes: the gather instructions are no faster for so few, and far slower on processors with their
// microcode mended.
GRZ_SIMD_INLINE grzF4 grzF4_Gather(const float* base, grzI4 index) {
    int32_t i[4];
    grzI4_Store(i, index);
    return grzF4_Set(base[i[0]], base[i[1]], base[i[2]], base[i[3]]);
}
GRZ_SIMD_INLINE grzI4 grzI4_Gather(const int32_t* base, grzI4 index) {
    int32_t i[4];
    grzI4_Store(i, index);
    return grzI4_Set(base[i[0]], base[i[1]], base[i[2]], base[i[3]]);
}

GRZ_SIMD_INLINE void grzLoadBlocks4(const float* from, grzF4 blocks[4]) {
    for (int k = 0; k < 4; ++k)
        blocks[k] = grzF4_Load(from + 4 * k);
}
GRZ_SIMD_INLINE void grzGatherBlocks4(const float* base, grzI4 index, grzF4 blocks[4]) {
    int32_t i[4];
    grzI4_Store(i, index);
    for (int k = 0; k < 4; ++k)
        blocks[k] = grzF4_Load(base + 4 * (ptrdiff_t)i[k]);
}
GRZ_SIMD_INLINE void grzStoreBlocks4(float* to, const grzF4 blocks[4]) {
    for (int k = 0; k < 4; ++k)
        grzF4_Store(to + 4 * k, blocks[k]);
}
GRZ_SIMD_INLINE void grzTransposeBlocks4(grzF4 rows[4]) {
    grzTranspose4(&rows[0], &rows[1], &rows[2], &rows[3]);
}

#endif
