// Sixteen integers to bytes, and compares of bytes in a row. Included by simd.h alone.
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

// mask and a <= b. Compares that follow each other are one instruction each where masks have registers of their own.
GRZ_SIMD_INLINE grzM8x64 grzU8x64_LessEqualAnd(grzM8x64 mask, grzU8x64 a, grzU8x64 b) {
#if GRZ_SIMD_IS(avx512)
    return (grzM8x64){_mm512_mask_cmple_epu8_mask(mask.v, a.v, b.v)};
#else
    return grzM8x64_And(mask, grzU8x64_LessEqual(a, b));
#endif
}

#endif
