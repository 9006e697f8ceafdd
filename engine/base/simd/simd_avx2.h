// The 256-bit part of the AVX2 and AVX-512 levels. Included by simd.h and simd_avx512.h alone.
#ifndef GRAZE_BASE_SIMD_AVX2_H
#define GRAZE_BASE_SIMD_AVX2_H

#include "simd_sse2.h"

#define GRZ_SIMD_HAS_8
#define GRZ_SIMD_HAS_U8x32

typedef struct grzF8 {
    __m256 v;
} grzF8;

typedef struct grzI8 {
    __m256i v;
} grzI8;

typedef struct grzM8 {
    __m256i v; // all ones or all zeros a lane
} grzM8;

GRZ_SIMD_INLINE grzF8 grzF8_Load(const float* from) {
    return (grzF8){_mm256_loadu_ps(from)};
}
GRZ_SIMD_INLINE grzF8 grzF8_LoadAligned(const float* from) {
    return (grzF8){_mm256_load_ps(from)};
}
GRZ_SIMD_INLINE void grzF8_Store(float* to, grzF8 a) {
    _mm256_storeu_ps(to, a.v);
}
GRZ_SIMD_INLINE void grzF8_StoreAligned(float* to, grzF8 a) {
    _mm256_store_ps(to, a.v);
}
GRZ_SIMD_INLINE grzF8 grzF8_Zero(void) {
    return (grzF8){_mm256_setzero_ps()};
}
GRZ_SIMD_INLINE grzF8 grzF8_Set1(float x) {
    return (grzF8){_mm256_set1_ps(x)};
}
GRZ_SIMD_INLINE grzF8 grzF8_Join(grzF4 lower, grzF4 upper) {
    return (grzF8){_mm256_set_m128(upper.v, lower.v)};
}
GRZ_SIMD_INLINE grzF4 grzF8_Lower(grzF8 a) {
    return (grzF4){_mm256_castps256_ps128(a.v)};
}
GRZ_SIMD_INLINE grzF4 grzF8_Upper(grzF8 a) {
    return (grzF4){_mm256_extractf128_ps(a.v, 1)};
}

GRZ_SIMD_BINARY(grzF8, Add, _mm256_add_ps)
GRZ_SIMD_BINARY(grzF8, Sub, _mm256_sub_ps)
GRZ_SIMD_BINARY(grzF8, Mul, _mm256_mul_ps)
GRZ_SIMD_BINARY(grzF8, Div, _mm256_div_ps)
GRZ_SIMD_BINARY(grzF8, Min, _mm256_min_ps)
GRZ_SIMD_BINARY(grzF8, Max, _mm256_max_ps)
GRZ_SIMD_UNARY(grzF8, Sqrt, _mm256_sqrt_ps)

#define GRZ_AVX_COMPARE(Verb, relation)                                                                            \
    GRZ_SIMD_INLINE grzM8 grzF8_##Verb(grzF8 a, grzF8 b) {                                                         \
        return (grzM8){_mm256_castps_si256(_mm256_cmp_ps(a.v, b.v, relation))};                                    \
    }
GRZ_AVX_COMPARE(Less, _CMP_LT_OQ)
GRZ_AVX_COMPARE(LessEqual, _CMP_LE_OQ)
GRZ_AVX_COMPARE(Equal, _CMP_EQ_OQ)
GRZ_AVX_COMPARE(NotEqual, _CMP_NEQ_UQ)
#undef GRZ_AVX_COMPARE

GRZ_SIMD_INLINE grzF8 grzF8_Select(grzM8 mask, grzF8 yes, grzF8 no) {
    return (grzF8){_mm256_blendv_ps(no.v, yes.v, _mm256_castsi256_ps(mask.v))};
}

GRZ_SIMD_INLINE grzI8 grzF8_AsInt(grzF8 a) {
    return (grzI8){_mm256_castps_si256(a.v)};
}
GRZ_SIMD_INLINE grzF8 grzI8_AsFloat(grzI8 a) {
    return (grzF8){_mm256_castsi256_ps(a.v)};
}
GRZ_SIMD_INLINE grzI8 grzF8_ToInt(grzF8 a) {
    return (grzI8){_mm256_cvttps_epi32(a.v)};
}
GRZ_SIMD_INLINE grzF8 grzI8_ToFloat(grzI8 a) {
    return (grzF8){_mm256_cvtepi32_ps(a.v)};
}

GRZ_SIMD_INLINE grzI8 grzI8_Load(const int32_t* from) {
    return (grzI8){_mm256_loadu_si256((const __m256i*)(const void*)from)};
}
GRZ_SIMD_INLINE grzI8 grzI8_LoadAligned(const int32_t* from) {
    return (grzI8){_mm256_load_si256((const __m256i*)(const void*)from)};
}
GRZ_SIMD_INLINE void grzI8_Store(int32_t* to, grzI8 a) {
    _mm256_storeu_si256((__m256i*)(void*)to, a.v);
}
GRZ_SIMD_INLINE void grzI8_StoreAligned(int32_t* to, grzI8 a) {
    _mm256_store_si256((__m256i*)(void*)to, a.v);
}
GRZ_SIMD_INLINE grzI8 grzI8_Zero(void) {
    return (grzI8){_mm256_setzero_si256()};
}
GRZ_SIMD_INLINE grzI8 grzI8_Set1(int32_t x) {
    return (grzI8){_mm256_set1_epi32(x)};
}
GRZ_SIMD_INLINE grzI8 grzI8_Join(grzI4 lower, grzI4 upper) {
    return (grzI8){_mm256_set_m128i(upper.v, lower.v)};
}
GRZ_SIMD_INLINE grzI4 grzI8_Lower(grzI8 a) {
    return (grzI4){_mm256_castsi256_si128(a.v)};
}
GRZ_SIMD_INLINE grzI4 grzI8_Upper(grzI8 a) {
    return (grzI4){_mm256_extracti128_si256(a.v, 1)};
}

GRZ_SIMD_BINARY(grzI8, Add, _mm256_add_epi32)
GRZ_SIMD_BINARY(grzI8, Sub, _mm256_sub_epi32)
GRZ_SIMD_BINARY(grzI8, Min, _mm256_min_epi32)
GRZ_SIMD_BINARY(grzI8, Max, _mm256_max_epi32)
GRZ_SIMD_BINARY(grzI8, And, _mm256_and_si256)
GRZ_SIMD_BINARY(grzI8, Or, _mm256_or_si256)
GRZ_SIMD_BINARY(grzI8, Xor, _mm256_xor_si256)
GRZ_SIMD_INLINE grzI8 grzI8_AndNot(grzI8 a, grzI8 b) {
    return (grzI8){_mm256_andnot_si256(b.v, a.v)};
}
GRZ_SIMD_INLINE grzI8 grzI8_ShiftLeft(grzI8 a, int n) {
    return (grzI8){_mm256_slli_epi32(a.v, n)};
}
GRZ_SIMD_INLINE grzI8 grzI8_ShiftRight(grzI8 a, int n) {
    return (grzI8){_mm256_srai_epi32(a.v, n)};
}
GRZ_SIMD_INLINE grzI8 grzI8_ShiftRightZero(grzI8 a, int n) {
    return (grzI8){_mm256_srli_epi32(a.v, n)};
}
GRZ_SIMD_INLINE grzM8 grzI8_Less(grzI8 a, grzI8 b) {
    return (grzM8){_mm256_cmpgt_epi32(b.v, a.v)};
}
GRZ_SIMD_INLINE grzM8 grzI8_Equal(grzI8 a, grzI8 b) {
    return (grzM8){_mm256_cmpeq_epi32(a.v, b.v)};
}

GRZ_SIMD_INLINE grzM8 grzM8_Join(grzM4 lower, grzM4 upper) {
    return (grzM8){_mm256_set_m128i(upper.v, lower.v)};
}
GRZ_SIMD_INLINE grzM4 grzM8_Lower(grzM8 a) {
    return (grzM4){_mm256_castsi256_si128(a.v)};
}
GRZ_SIMD_INLINE grzM4 grzM8_Upper(grzM8 a) {
    return (grzM4){_mm256_extracti128_si256(a.v, 1)};
}
GRZ_SIMD_BINARY(grzM8, And, _mm256_and_si256)
GRZ_SIMD_BINARY(grzM8, Or, _mm256_or_si256)
GRZ_SIMD_BINARY(grzM8, Xor, _mm256_xor_si256)
GRZ_SIMD_INLINE grzM8 grzM8_AndNot(grzM8 a, grzM8 b) {
    return (grzM8){_mm256_andnot_si256(b.v, a.v)};
}
GRZ_SIMD_INLINE grzM8 grzM8_Not(grzM8 a) {
    return (grzM8){_mm256_xor_si256(a.v, _mm256_set1_epi32(-1))};
}
GRZ_SIMD_INLINE uint32_t grzM8_Bits(grzM8 a) {
    return (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(a.v));
}
GRZ_SIMD_INLINE grzM8 grzM8_FromBits(uint32_t bits) {
    __m256i lane = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    return (grzM8){_mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32((int)bits), lane), lane)};
}

// The 4x4 transpose within each half.
GRZ_SIMD_INLINE void grzTransposeBlocks8(grzF8 rows[4]) {
    __m256 ab = _mm256_unpacklo_ps(rows[0].v, rows[1].v), abUpper = _mm256_unpackhi_ps(rows[0].v, rows[1].v);
    __m256 cd = _mm256_unpacklo_ps(rows[2].v, rows[3].v), cdUpper = _mm256_unpackhi_ps(rows[2].v, rows[3].v);
    rows[0].v = _mm256_shuffle_ps(ab, cd, _MM_SHUFFLE(1, 0, 1, 0));
    rows[1].v = _mm256_shuffle_ps(ab, cd, _MM_SHUFFLE(3, 2, 3, 2));
    rows[2].v = _mm256_shuffle_ps(abUpper, cdUpper, _MM_SHUFFLE(1, 0, 1, 0));
    rows[3].v = _mm256_shuffle_ps(abUpper, cdUpper, _MM_SHUFFLE(3, 2, 3, 2));
}

#if GRZ_SIMD_IS(avx2)
// Lanes are moved by the table's row: to place k the k-th lane that is set.
GRZ_SIMD_INLINE size_t grzI8_CompressTo(void* to, grzM8 mask, grzI8 a) {
    uint32_t bits = grzM8_Bits(mask);
    __m256i places = _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i*)(const void*)&grzCompressPlaces[bits]));
    _mm256_storeu_si256((__m256i*)to, _mm256_permutevar8x32_epi32(a.v, places));
    return (size_t)_mm_popcnt_u32(bits);
}
GRZ_SIMD_INLINE size_t grzI4_CompressTo(void* to, grzM4 mask, grzI4 a) {
    uint32_t bits = grzM4_Bits(mask);
    __m128i places = _mm_cvtepu8_epi32(_mm_loadl_epi64((const __m128i*)(const void*)&grzCompressPlaces[bits]));
    __m128 moved = _mm_permutevar_ps(_mm_castsi128_ps(a.v), places);
    _mm_storeu_si128((__m128i*)to, _mm_castps_si128(moved));
    return (size_t)_mm_popcnt_u32(bits);
}
#endif

typedef struct grzD4 {
    __m256d v;
} grzD4;

GRZ_SIMD_INLINE grzD4 grzD4_Load(const double* from) {
    return (grzD4){_mm256_loadu_pd(from)};
}
GRZ_SIMD_INLINE grzD4 grzD4_LoadAligned(const double* from) {
    return (grzD4){_mm256_load_pd(from)};
}
GRZ_SIMD_INLINE void grzD4_Store(double* to, grzD4 a) {
    _mm256_storeu_pd(to, a.v);
}
GRZ_SIMD_INLINE void grzD4_StoreAligned(double* to, grzD4 a) {
    _mm256_store_pd(to, a.v);
}
GRZ_SIMD_INLINE grzD4 grzD4_Set1(double x) {
    return (grzD4){_mm256_set1_pd(x)};
}
GRZ_SIMD_INLINE grzD4 grzD4_FromFloat(grzF4 a) {
    return (grzD4){_mm256_cvtps_pd(a.v)};
}
GRZ_SIMD_INLINE grzF4 grzD4_ToFloat(grzD4 a) {
    return (grzF4){_mm256_cvtpd_ps(a.v)};
}
GRZ_SIMD_BINARY(grzD4, Add, _mm256_add_pd)
GRZ_SIMD_BINARY(grzD4, Sub, _mm256_sub_pd)
GRZ_SIMD_BINARY(grzD4, Mul, _mm256_mul_pd)
GRZ_SIMD_BINARY(grzD4, Div, _mm256_div_pd)
GRZ_SIMD_BINARY(grzD4, Min, _mm256_min_pd)
GRZ_SIMD_BINARY(grzD4, Max, _mm256_max_pd)
GRZ_SIMD_BINARY(grzD4, Xor, _mm256_xor_pd)
GRZ_SIMD_UNARY(grzD4, Sqrt, _mm256_sqrt_pd)
GRZ_SIMD_INLINE grzD4 grzD4_AndNot(grzD4 a, grzD4 b) {
    return (grzD4){_mm256_andnot_pd(b.v, a.v)};
}

// The mask comes with 64 bits a lane; grzM4 keeps the lower 32 of each.
GRZ_SIMD_INLINE grzM4 grzNarrowMask(__m256d mask) {
    __m128 lower = _mm_castpd_ps(_mm256_castpd256_pd128(mask));
    __m128 upper = _mm_castpd_ps(_mm256_extractf128_pd(mask, 1));
    return (grzM4){_mm_castps_si128(_mm_shuffle_ps(lower, upper, _MM_SHUFFLE(2, 0, 2, 0)))};
}
#define GRZ_AVX_COMPARE(Verb, relation)                                                                            \
    GRZ_SIMD_INLINE grzM4 grzD4_##Verb(grzD4 a, grzD4 b) {                                                         \
        return grzNarrowMask(_mm256_cmp_pd(a.v, b.v, relation));                                                   \
    }
GRZ_AVX_COMPARE(Less, _CMP_LT_OQ)
GRZ_AVX_COMPARE(LessEqual, _CMP_LE_OQ)
GRZ_AVX_COMPARE(Equal, _CMP_EQ_OQ)
GRZ_AVX_COMPARE(NotEqual, _CMP_NEQ_UQ)
#undef GRZ_AVX_COMPARE

GRZ_SIMD_INLINE grzD4 grzD4_Select(grzM4 mask, grzD4 yes, grzD4 no) {
    return (grzD4){_mm256_blendv_pd(no.v, yes.v, _mm256_castsi256_pd(_mm256_cvtepi32_epi64(mask.v)))};
}

typedef struct grzU8x32 {
    __m256i v;
} grzU8x32;

typedef struct grzM8x32 {
    __m256i v; // all ones or all zeros a byte
} grzM8x32;

GRZ_SIMD_INLINE grzU8x32 grzU8x32_Load(const uint8_t* from) {
    return (grzU8x32){_mm256_loadu_si256((const __m256i*)(const void*)from)};
}
GRZ_SIMD_INLINE grzU8x32 grzU8x32_LoadAligned(const uint8_t* from) {
    return (grzU8x32){_mm256_load_si256((const __m256i*)(const void*)from)};
}
GRZ_SIMD_INLINE void grzU8x32_Store(uint8_t* to, grzU8x32 a) {
    _mm256_storeu_si256((__m256i*)(void*)to, a.v);
}
GRZ_SIMD_INLINE void grzU8x32_StoreAligned(uint8_t* to, grzU8x32 a) {
    _mm256_store_si256((__m256i*)(void*)to, a.v);
}
GRZ_SIMD_INLINE grzU8x32 grzU8x32_Set1(uint8_t x) {
    return (grzU8x32){_mm256_set1_epi8((char)x)};
}
GRZ_SIMD_BINARY(grzU8x32, Min, _mm256_min_epu8)
GRZ_SIMD_BINARY(grzU8x32, Max, _mm256_max_epu8)
GRZ_SIMD_INLINE grzM8x32 grzU8x32_Equal(grzU8x32 a, grzU8x32 b) {
    return (grzM8x32){_mm256_cmpeq_epi8(a.v, b.v)};
}
GRZ_SIMD_INLINE grzM8x32 grzU8x32_LessEqual(grzU8x32 a, grzU8x32 b) {
    return (grzM8x32){_mm256_cmpeq_epi8(_mm256_min_epu8(a.v, b.v), a.v)};
}
GRZ_SIMD_BINARY(grzM8x32, And, _mm256_and_si256)
GRZ_SIMD_BINARY(grzM8x32, Or, _mm256_or_si256)
GRZ_SIMD_INLINE uint64_t grzM8x32_Bits(grzM8x32 a) {
    return (uint32_t)_mm256_movemask_epi8(a.v);
}

#endif
