// What: lanes of one vector chosen by another. Included by simd.h alone.
#ifndef GRAZE_BASE_SIMD_LOOK_UP_H
#define GRAZE_BASE_SIMD_LOOK_UP_H

GRZ_SIMD_INLINE grzF8 grzF8_LookUp(const float* from, grzI8 index) {
#if GRZ_SIMD_IS(avx512) || GRZ_SIMD_IS(avx2)
    return (grzF8){_mm256_permutevar8x32_ps(_mm256_loadu_ps(from), index.v)};
#else
    return grzF8_Gather(from, index);
#endif
}

#endif
