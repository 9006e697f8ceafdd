// Sixteen integers to bytes, and boxes in bytes against one box. Included by simd.h alone.
#ifndef GRAZE_BASE_SIMD_BYTES_H
#define GRAZE_BASE_SIMD_BYTES_H

// The lowest byte of every lane.
#if GRZ_SIMD_IS(avx512)
GRZ_SIMD_INLINE void grzI16_StoreBytes(uint8_t* to, grzI16 a) {
    _mm_storeu_si128((__m128i*)(void*)to, _mm512_cvtepi32_epi8(a.v));
}
#elif GRZ_SIMD_IS(avx2) || GRZ_SIMD_IS(sse2)
GRZ_SIMD_INLINE void grzI16_StoreBytes(uint8_t* to, grzI16 a) {
    grzI4 low = grzI4_Set1(255);
    grzI8 lower = grzI16_Lower(a), upper = grzI16_Upper(a);
    __m128i first = _mm_packs_epi32(grzI4_And(grzI8_Lower(lower), low).v, grzI4_And(grzI8_Upper(lower), low).v);
    __m128i second = _mm_packs_epi32(grzI4_And(grzI8_Lower(upper), low).v, grzI4_And(grzI8_Upper(upper), low).v);
    _mm_storeu_si128((__m128i*)(void*)to, _mm_packus_epi16(first, second));
}
#else
GRZ_SIMD_INLINE void grzI16_StoreBytes(uint8_t* to, grzI16 a) {
    int32_t lanes[16];
    grzI16_Store(lanes, a);
    for (int k = 0; k < 16; ++k)
        to[k] = (uint8_t)lanes[k];
}
#endif

// The places of the set bits, rising; returns their count. Writes up to 64 bytes, of which those past the count are junk.
GRZ_SIMD_INLINE uint32_t grzU8x64_StorePlaces(uint8_t* to, uint64_t bits) {
    uint32_t count = (uint32_t)__builtin_popcountll(bits);
#if GRZ_SIMD_IS(avx512)
    static const uint8_t places[64] __attribute__((aligned(64))) = {
        0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
        22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43,
        44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63};
    _mm512_storeu_si512(to, _mm512_maskz_compress_epi8(bits, _mm512_load_si512(places)));
#else
    // The first two without a branch: few words have more here.
    const uint64_t end = UINT64_C(1) << 63;
    for (int k = 0; k < 2; ++k, bits &= bits - 1)
        *to++ = (uint8_t)__builtin_ctzll(bits | end);
    for (; bits != 0; bits &= bits - 1)
        *to++ = (uint8_t)__builtin_ctzll(bits);
#endif
    return count;
}

// Which of 64 boxes meet one: lower and upper sides of the 64 by axis, those of the one in all lanes.
GRZ_SIMD_INLINE uint64_t grzU8x64_BoxesMeet(const grzU8x64 lower[3], const grzU8x64 upper[3],
                                            const grzU8x64 ownLower[3], const grzU8x64 ownUpper[3]) {
#if GRZ_SIMD_IS(avx512)
    __mmask64 meet = _mm512_cmple_epu8_mask(lower[0].v, ownUpper[0].v);
    meet = _mm512_mask_cmple_epu8_mask(meet, ownLower[0].v, upper[0].v);
    for (int axis = 1; axis < 3; ++axis) {
        meet = _mm512_mask_cmple_epu8_mask(meet, lower[axis].v, ownUpper[axis].v);
        meet = _mm512_mask_cmple_epu8_mask(meet, ownLower[axis].v, upper[axis].v);
    }
    return meet;
#elif GRZ_SIMD_IS(avx2)
    // What one side exceeds the other by, stopped at 0; they meet where nothing is left on any side.
    uint64_t bits = 0;
    for (int half = 1; half >= 0; --half) {
        __m256i over = _mm256_setzero_si256();
        for (int axis = 0; axis < 3; ++axis) {
            grzU8x32 low = half ? lower[axis].upper : lower[axis].lower,
                     high = half ? upper[axis].upper : upper[axis].lower;
            over = _mm256_or_si256(over, _mm256_subs_epu8(low.v, ownUpper[axis].lower.v));
            over = _mm256_or_si256(over, _mm256_subs_epu8(ownLower[axis].lower.v, high.v));
        }
        __m256i meet = _mm256_cmpeq_epi8(over, _mm256_setzero_si256());
        bits = bits << 32 | (uint32_t)_mm256_movemask_epi8(meet);
    }
    return bits;
#else
    grzM8x64 meet = grzU8x64_LessEqual(lower[0], ownUpper[0]);
    meet = grzM8x64_And(meet, grzU8x64_LessEqual(ownLower[0], upper[0]));
    for (int axis = 1; axis < 3; ++axis) {
        meet = grzM8x64_And(meet, grzU8x64_LessEqual(lower[axis], ownUpper[axis]));
        meet = grzM8x64_And(meet, grzU8x64_LessEqual(ownLower[axis], upper[axis]));
    }
    return grzM8x64_Bits(meet);
#endif
}

#endif
