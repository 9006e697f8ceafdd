// Sixteen integers to bytes. Included by simd.h alone.
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

#endif
