// What: four floats to sixteen lanes, two ways: with all pairs of two fours in the lanes of two vectors, one operation does
//   for sixteen. Included by simd.h alone.
#ifndef GRAZE_BASE_SIMD_QUARTERS_H
#define GRAZE_BASE_SIMD_QUARTERS_H

#if GRZ_SIMD_IS(avx512)

GRZ_SIMD_INLINE grzF16 grzF16_LoadRepeat4(const float* from) {
    return (grzF16){_mm512_broadcast_f32x4(_mm_loadu_ps(from))};
}
GRZ_SIMD_INLINE grzF16 grzF16_LoadSpread4(const float* from) {
    const __m512i quarters = _mm512_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3);
    return (grzF16){_mm512_permutevar_ps(grzF16_LoadRepeat4(from).v, quarters)};
}

#elif GRZ_SIMD_IS(avx2)

GRZ_SIMD_INLINE grzF16 grzF16_LoadRepeat4(const float* from) {
    const grzF8 both = {_mm256_broadcast_ps((const __m128*)from)};
    return grzF16_Join(both, both);
}
GRZ_SIMD_INLINE grzF16 grzF16_LoadSpread4(const float* from) {
    const __m256 both = _mm256_broadcast_ps((const __m128*)from);
    return grzF16_Join((grzF8){_mm256_permutevar_ps(both, _mm256_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1))},
                       (grzF8){_mm256_permutevar_ps(both, _mm256_setr_epi32(2, 2, 2, 2, 3, 3, 3, 3))});
}

#else

GRZ_SIMD_INLINE grzF16 grzF16_LoadRepeat4(const float* from) {
    const grzF4 four = grzF4_Load(from);
    return grzF16_Join(grzF8_Join(four, four), grzF8_Join(four, four));
}
GRZ_SIMD_INLINE grzF16 grzF16_LoadSpread4(const float* from) {
    return grzF16_Join(grzF8_Join(grzF4_Set1(from[0]), grzF4_Set1(from[1])),
                       grzF8_Join(grzF4_Set1(from[2]), grzF4_Set1(from[3])));
}

#endif

#endif
