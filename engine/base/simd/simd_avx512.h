// The 512-bit part of the AVX-512 level. Included by simd.h alone.
//
// Only the widest masks live in mask registers. grzM4 and grzM8 stay vectors as at the AVX2 level, so that all of
// the narrower half is shared with it; the two conversions there are one instruction each.
#ifndef GRAZE_BASE_SIMD_AVX512_H
#define GRAZE_BASE_SIMD_AVX512_H

#include "simd_avx2.h"

#define GRZ_SIMD_HAS_16
#define GRZ_SIMD_HAS_D8
#define GRZ_SIMD_HAS_U8x64

typedef struct grzF16 {
    __m512 v;
} grzF16;

typedef struct grzI16 {
    __m512i v;
} grzI16;

typedef struct grzM16 {
    __mmask16 v;
} grzM16;

GRZ_SIMD_INLINE grzF16 grzF16_Load(const float* from) {
    return (grzF16){_mm512_loadu_ps(from)};
}
GRZ_SIMD_INLINE grzF16 grzF16_LoadAligned(const float* from) {
    return (grzF16){_mm512_load_ps(from)};
}
GRZ_SIMD_INLINE void grzF16_Store(float* to, grzF16 a) {
    _mm512_storeu_ps(to, a.v);
}
GRZ_SIMD_INLINE void grzF16_StoreAligned(float* to, grzF16 a) {
    _mm512_store_ps(to, a.v);
}
GRZ_SIMD_INLINE grzF16 grzF16_Zero(void) {
    return (grzF16){_mm512_setzero_ps()};
}
GRZ_SIMD_INLINE grzF16 grzF16_Set1(float x) {
    return (grzF16){_mm512_set1_ps(x)};
}
GRZ_SIMD_INLINE grzF16 grzF16_Join(grzF8 lower, grzF8 upper) {
    return (grzF16){_mm512_insertf32x8(_mm512_castps256_ps512(lower.v), upper.v, 1)};
}
GRZ_SIMD_INLINE grzF8 grzF16_Lower(grzF16 a) {
    return (grzF8){_mm512_castps512_ps256(a.v)};
}
GRZ_SIMD_INLINE grzF8 grzF16_Upper(grzF16 a) {
    return (grzF8){_mm512_extractf32x8_ps(a.v, 1)};
}

GRZ_SIMD_BINARY(grzF16, Add, _mm512_add_ps)
GRZ_SIMD_BINARY(grzF16, Sub, _mm512_sub_ps)
GRZ_SIMD_BINARY(grzF16, Mul, _mm512_mul_ps)
GRZ_SIMD_BINARY(grzF16, Div, _mm512_div_ps)
GRZ_SIMD_BINARY(grzF16, Min, _mm512_min_ps)
GRZ_SIMD_BINARY(grzF16, Max, _mm512_max_ps)
GRZ_SIMD_UNARY(grzF16, Sqrt, _mm512_sqrt_ps)

#define GRZ_AVX_COMPARE(Verb, relation)                                                                            \
    GRZ_SIMD_INLINE grzM16 grzF16_##Verb(grzF16 a, grzF16 b) {                                                     \
        return (grzM16){_mm512_cmp_ps_mask(a.v, b.v, relation)};                                                   \
    }
GRZ_AVX_COMPARE(Less, _CMP_LT_OQ)
GRZ_AVX_COMPARE(LessEqual, _CMP_LE_OQ)
GRZ_AVX_COMPARE(Equal, _CMP_EQ_OQ)
GRZ_AVX_COMPARE(NotEqual, _CMP_NEQ_UQ)
#undef GRZ_AVX_COMPARE

GRZ_SIMD_INLINE grzF16 grzF16_Select(grzM16 mask, grzF16 yes, grzF16 no) {
    return (grzF16){_mm512_mask_blend_ps(mask.v, no.v, yes.v)};
}

GRZ_SIMD_INLINE grzI16 grzF16_AsInt(grzF16 a) {
    return (grzI16){_mm512_castps_si512(a.v)};
}
GRZ_SIMD_INLINE grzF16 grzI16_AsFloat(grzI16 a) {
    return (grzF16){_mm512_castsi512_ps(a.v)};
}
GRZ_SIMD_INLINE grzI16 grzF16_ToInt(grzF16 a) {
    return (grzI16){_mm512_cvttps_epi32(a.v)};
}
GRZ_SIMD_INLINE grzF16 grzI16_ToFloat(grzI16 a) {
    return (grzF16){_mm512_cvtepi32_ps(a.v)};
}

GRZ_SIMD_INLINE grzI16 grzI16_Load(const int32_t* from) {
    return (grzI16){_mm512_loadu_si512(from)};
}
GRZ_SIMD_INLINE grzI16 grzI16_LoadAligned(const int32_t* from) {
    return (grzI16){_mm512_load_si512(from)};
}
GRZ_SIMD_INLINE void grzI16_Store(int32_t* to, grzI16 a) {
    _mm512_storeu_si512(to, a.v);
}
GRZ_SIMD_INLINE void grzI16_StoreAligned(int32_t* to, grzI16 a) {
    _mm512_store_si512(to, a.v);
}
GRZ_SIMD_INLINE grzI16 grzI16_Zero(void) {
    return (grzI16){_mm512_setzero_si512()};
}
GRZ_SIMD_INLINE grzI16 grzI16_Set1(int32_t x) {
    return (grzI16){_mm512_set1_epi32(x)};
}
GRZ_SIMD_INLINE grzI16 grzI16_Join(grzI8 lower, grzI8 upper) {
    return (grzI16){_mm512_inserti64x4(_mm512_castsi256_si512(lower.v), upper.v, 1)};
}
GRZ_SIMD_INLINE grzI8 grzI16_Lower(grzI16 a) {
    return (grzI8){_mm512_castsi512_si256(a.v)};
}
GRZ_SIMD_INLINE grzI8 grzI16_Upper(grzI16 a) {
    return (grzI8){_mm512_extracti64x4_epi64(a.v, 1)};
}

GRZ_SIMD_BINARY(grzI16, Add, _mm512_add_epi32)
GRZ_SIMD_BINARY(grzI16, Sub, _mm512_sub_epi32)
GRZ_SIMD_BINARY(grzI16, Min, _mm512_min_epi32)
GRZ_SIMD_BINARY(grzI16, Max, _mm512_max_epi32)
GRZ_SIMD_BINARY(grzI16, And, _mm512_and_si512)
GRZ_SIMD_BINARY(grzI16, Or, _mm512_or_si512)
GRZ_SIMD_BINARY(grzI16, Xor, _mm512_xor_si512)
GRZ_SIMD_INLINE grzI16 grzI16_AndNot(grzI16 a, grzI16 b) {
    return (grzI16){_mm512_andnot_si512(b.v, a.v)};
}
GRZ_SIMD_INLINE grzI16 grzI16_ShiftLeft(grzI16 a, int n) {
    return (grzI16){_mm512_sll_epi32(a.v, _mm_cvtsi32_si128(n))};
}
GRZ_SIMD_INLINE grzI16 grzI16_ShiftRight(grzI16 a, int n) {
    return (grzI16){_mm512_sra_epi32(a.v, _mm_cvtsi32_si128(n))};
}
GRZ_SIMD_INLINE grzI16 grzI16_ShiftRightZero(grzI16 a, int n) {
    return (grzI16){_mm512_srl_epi32(a.v, _mm_cvtsi32_si128(n))};
}
GRZ_SIMD_INLINE grzM16 grzI16_Less(grzI16 a, grzI16 b) {
    return (grzM16){_mm512_cmplt_epi32_mask(a.v, b.v)};
}
GRZ_SIMD_INLINE grzM16 grzI16_Equal(grzI16 a, grzI16 b) {
    return (grzM16){_mm512_cmpeq_epi32_mask(a.v, b.v)};
}

GRZ_SIMD_INLINE grzM16 grzM16_Join(grzM8 lower, grzM8 upper) {
    return (grzM16){_mm512_kunpackb(_mm256_movepi32_mask(upper.v), _mm256_movepi32_mask(lower.v))};
}
GRZ_SIMD_INLINE grzM8 grzM16_Lower(grzM16 a) {
    return (grzM8){_mm256_movm_epi32((__mmask8)a.v)};
}
GRZ_SIMD_INLINE grzM8 grzM16_Upper(grzM16 a) {
    return (grzM8){_mm256_movm_epi32((__mmask8)(a.v >> 8))};
}
GRZ_SIMD_BINARY(grzM16, And, _kand_mask16)
GRZ_SIMD_BINARY(grzM16, Or, _kor_mask16)
GRZ_SIMD_BINARY(grzM16, Xor, _kxor_mask16)
GRZ_SIMD_UNARY(grzM16, Not, _knot_mask16)
GRZ_SIMD_INLINE grzM16 grzM16_AndNot(grzM16 a, grzM16 b) {
    return (grzM16){_kandn_mask16(b.v, a.v)};
}
GRZ_SIMD_INLINE uint32_t grzM16_Bits(grzM16 a) {
    return a.v;
}
GRZ_SIMD_INLINE grzM16 grzM16_FromBits(uint32_t bits) {
    return (grzM16){(__mmask16)bits};
}

// Compressed in the register and stored whole: the instruction that compresses to memory is many times slower on
// some processors.
GRZ_SIMD_INLINE size_t grzI16_CompressTo(void* to, grzM16 mask, grzI16 a) {
    _mm512_storeu_si512(to, _mm512_maskz_compress_epi32(mask.v, a.v));
    return (size_t)_mm_popcnt_u32(mask.v);
}
GRZ_SIMD_INLINE size_t grzI8_CompressTo(void* to, grzM8 mask, grzI8 a) {
    _mm256_storeu_si256((__m256i*)to, _mm256_maskz_compress_epi32(_mm256_movepi32_mask(mask.v), a.v));
    return (size_t)_mm_popcnt_u32(grzM8_Bits(mask));
}
GRZ_SIMD_INLINE size_t grzI4_CompressTo(void* to, grzM4 mask, grzI4 a) {
    _mm_storeu_si128((__m128i*)to, _mm_maskz_compress_epi32(_mm_movepi32_mask(mask.v), a.v));
    return (size_t)_mm_popcnt_u32(grzM4_Bits(mask));
}

// The 4x4 transpose within each quarter.
GRZ_SIMD_INLINE void grzTransposeBlocks16(grzF16 rows[4]) {
    __m512 ab = _mm512_unpacklo_ps(rows[0].v, rows[1].v), abUpper = _mm512_unpackhi_ps(rows[0].v, rows[1].v);
    __m512 cd = _mm512_unpacklo_ps(rows[2].v, rows[3].v), cdUpper = _mm512_unpackhi_ps(rows[2].v, rows[3].v);
    rows[0].v = _mm512_shuffle_ps(ab, cd, _MM_SHUFFLE(1, 0, 1, 0));
    rows[1].v = _mm512_shuffle_ps(ab, cd, _MM_SHUFFLE(3, 2, 3, 2));
    rows[2].v = _mm512_shuffle_ps(abUpper, cdUpper, _MM_SHUFFLE(1, 0, 1, 0));
    rows[3].v = _mm512_shuffle_ps(abUpper, cdUpper, _MM_SHUFFLE(3, 2, 3, 2));
}

typedef struct grzD8 {
    __m512d v;
} grzD8;

GRZ_SIMD_INLINE grzD8 grzD8_Load(const double* from) {
    return (grzD8){_mm512_loadu_pd(from)};
}
GRZ_SIMD_INLINE grzD8 grzD8_LoadAligned(const double* from) {
    return (grzD8){_mm512_load_pd(from)};
}
GRZ_SIMD_INLINE void grzD8_Store(double* to, grzD8 a) {
    _mm512_storeu_pd(to, a.v);
}
GRZ_SIMD_INLINE void grzD8_StoreAligned(double* to, grzD8 a) {
    _mm512_store_pd(to, a.v);
}
GRZ_SIMD_INLINE grzD8 grzD8_Set1(double x) {
    return (grzD8){_mm512_set1_pd(x)};
}
GRZ_SIMD_INLINE grzD8 grzD8_FromFloat(grzF8 a) {
    return (grzD8){_mm512_cvtps_pd(a.v)};
}
GRZ_SIMD_INLINE grzF8 grzD8_ToFloat(grzD8 a) {
    return (grzF8){_mm512_cvtpd_ps(a.v)};
}
GRZ_SIMD_BINARY(grzD8, Add, _mm512_add_pd)
GRZ_SIMD_BINARY(grzD8, Sub, _mm512_sub_pd)
GRZ_SIMD_BINARY(grzD8, Mul, _mm512_mul_pd)
GRZ_SIMD_BINARY(grzD8, Div, _mm512_div_pd)
GRZ_SIMD_BINARY(grzD8, Min, _mm512_min_pd)
GRZ_SIMD_BINARY(grzD8, Max, _mm512_max_pd)
GRZ_SIMD_BINARY(grzD8, Xor, _mm512_xor_pd)
GRZ_SIMD_UNARY(grzD8, Sqrt, _mm512_sqrt_pd)
GRZ_SIMD_INLINE grzD8 grzD8_AndNot(grzD8 a, grzD8 b) {
    return (grzD8){_mm512_andnot_pd(b.v, a.v)};
}

#define GRZ_AVX_COMPARE(Verb, relation)                                                                            \
    GRZ_SIMD_INLINE grzM8 grzD8_##Verb(grzD8 a, grzD8 b) {                                                         \
        return (grzM8){_mm256_movm_epi32(_mm512_cmp_pd_mask(a.v, b.v, relation))};                                 \
    }
GRZ_AVX_COMPARE(Less, _CMP_LT_OQ)
GRZ_AVX_COMPARE(LessEqual, _CMP_LE_OQ)
GRZ_AVX_COMPARE(Equal, _CMP_EQ_OQ)
GRZ_AVX_COMPARE(NotEqual, _CMP_NEQ_UQ)
#undef GRZ_AVX_COMPARE

GRZ_SIMD_INLINE grzD8 grzD8_Select(grzM8 mask, grzD8 yes, grzD8 no) {
    return (grzD8){_mm512_mask_blend_pd(_mm256_movepi32_mask(mask.v), no.v, yes.v)};
}

typedef struct grzU8x64 {
    __m512i v;
} grzU8x64;

typedef struct grzM8x64 {
    __mmask64 v;
} grzM8x64;

GRZ_SIMD_INLINE grzU8x64 grzU8x64_Load(const uint8_t* from) {
    return (grzU8x64){_mm512_loadu_si512(from)};
}
GRZ_SIMD_INLINE grzU8x64 grzU8x64_LoadAligned(const uint8_t* from) {
    return (grzU8x64){_mm512_load_si512(from)};
}
GRZ_SIMD_INLINE void grzU8x64_Store(uint8_t* to, grzU8x64 a) {
    _mm512_storeu_si512(to, a.v);
}
GRZ_SIMD_INLINE void grzU8x64_StoreAligned(uint8_t* to, grzU8x64 a) {
    _mm512_store_si512(to, a.v);
}
GRZ_SIMD_INLINE grzU8x64 grzU8x64_Set1(uint8_t x) {
    return (grzU8x64){_mm512_set1_epi8((char)x)};
}
GRZ_SIMD_BINARY(grzU8x64, Min, _mm512_min_epu8)
GRZ_SIMD_BINARY(grzU8x64, Max, _mm512_max_epu8)
GRZ_SIMD_INLINE grzM8x64 grzU8x64_Equal(grzU8x64 a, grzU8x64 b) {
    return (grzM8x64){_mm512_cmpeq_epu8_mask(a.v, b.v)};
}
GRZ_SIMD_INLINE grzM8x64 grzU8x64_LessEqual(grzU8x64 a, grzU8x64 b) {
    return (grzM8x64){_mm512_cmple_epu8_mask(a.v, b.v)};
}
GRZ_SIMD_BINARY(grzM8x64, And, _kand_mask64)
GRZ_SIMD_BINARY(grzM8x64, Or, _kor_mask64)
GRZ_SIMD_INLINE uint64_t grzM8x64_Bits(grzM8x64 a) {
    return a.v;
}

#endif
