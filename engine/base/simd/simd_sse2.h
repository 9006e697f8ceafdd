// The 128-bit part of the x86-64 levels; simd_avx2.h and simd_avx512.h stand on it. Included by simd.h alone.
// SSE4.1 has better forms of a few, with the same answers; files of the AVX2 and AVX-512 levels get them.
#ifndef GRAZE_BASE_SIMD_SSE2_H
#define GRAZE_BASE_SIMD_SSE2_H

#include <immintrin.h>

typedef struct grzF4 {
    __m128 v;
} grzF4;

typedef struct grzI4 {
    __m128i v;
} grzI4;

typedef struct grzM4 {
    __m128i v; // all ones or all zeros a lane
} grzM4;

GRZ_SIMD_INLINE grzF4 grzF4_Load(const float* from) {
    return (grzF4){_mm_loadu_ps(from)};
}
GRZ_SIMD_INLINE grzF4 grzF4_LoadAligned(const float* from) {
    return (grzF4){_mm_load_ps(from)};
}
GRZ_SIMD_INLINE void grzF4_Store(float* to, grzF4 a) {
    _mm_storeu_ps(to, a.v);
}
GRZ_SIMD_INLINE void grzF4_StoreAligned(float* to, grzF4 a) {
    _mm_store_ps(to, a.v);
}
GRZ_SIMD_INLINE grzF4 grzF4_Zero(void) {
    return (grzF4){_mm_setzero_ps()};
}
GRZ_SIMD_INLINE grzF4 grzF4_Set1(float x) {
    return (grzF4){_mm_set1_ps(x)};
}
GRZ_SIMD_INLINE grzF4 grzF4_Set(float x, float y, float z, float w) {
    return (grzF4){_mm_setr_ps(x, y, z, w)};
}

GRZ_SIMD_BINARY(grzF4, Add, _mm_add_ps)
GRZ_SIMD_BINARY(grzF4, Sub, _mm_sub_ps)
GRZ_SIMD_BINARY(grzF4, Mul, _mm_mul_ps)
GRZ_SIMD_BINARY(grzF4, Div, _mm_div_ps)
GRZ_SIMD_BINARY(grzF4, Min, _mm_min_ps)
GRZ_SIMD_BINARY(grzF4, Max, _mm_max_ps)
GRZ_SIMD_UNARY(grzF4, Sqrt, _mm_sqrt_ps)

#define GRZ_SSE_COMPARE(Verb, instruction)                                                                         \
    GRZ_SIMD_INLINE grzM4 grzF4_##Verb(grzF4 a, grzF4 b) {                                                         \
        return (grzM4){_mm_castps_si128(instruction(a.v, b.v))};                                                   \
    }
GRZ_SSE_COMPARE(Less, _mm_cmplt_ps)
GRZ_SSE_COMPARE(LessEqual, _mm_cmple_ps)
GRZ_SSE_COMPARE(Equal, _mm_cmpeq_ps)
GRZ_SSE_COMPARE(NotEqual, _mm_cmpneq_ps)
#undef GRZ_SSE_COMPARE

GRZ_SIMD_INLINE grzF4 grzF4_Select(grzM4 mask, grzF4 yes, grzF4 no) {
    __m128 m = _mm_castsi128_ps(mask.v);
#if defined(__SSE4_1__)
    return (grzF4){_mm_blendv_ps(no.v, yes.v, m)};
#else
    return (grzF4){_mm_or_ps(_mm_and_ps(m, yes.v), _mm_andnot_ps(m, no.v))};
#endif
}

GRZ_SIMD_INLINE grzI4 grzF4_AsInt(grzF4 a) {
    return (grzI4){_mm_castps_si128(a.v)};
}
GRZ_SIMD_INLINE grzF4 grzI4_AsFloat(grzI4 a) {
    return (grzF4){_mm_castsi128_ps(a.v)};
}
GRZ_SIMD_INLINE grzI4 grzF4_ToInt(grzF4 a) {
    return (grzI4){_mm_cvttps_epi32(a.v)};
}
GRZ_SIMD_INLINE grzF4 grzI4_ToFloat(grzI4 a) {
    return (grzF4){_mm_cvtepi32_ps(a.v)};
}

GRZ_SIMD_INLINE grzI4 grzI4_Load(const int32_t* from) {
    return (grzI4){_mm_loadu_si128((const __m128i*)(const void*)from)};
}
GRZ_SIMD_INLINE grzI4 grzI4_LoadAligned(const int32_t* from) {
    return (grzI4){_mm_load_si128((const __m128i*)(const void*)from)};
}
GRZ_SIMD_INLINE void grzI4_Store(int32_t* to, grzI4 a) {
    _mm_storeu_si128((__m128i*)(void*)to, a.v);
}
GRZ_SIMD_INLINE void grzI4_StoreAligned(int32_t* to, grzI4 a) {
    _mm_store_si128((__m128i*)(void*)to, a.v);
}
GRZ_SIMD_INLINE grzI4 grzI4_Zero(void) {
    return (grzI4){_mm_setzero_si128()};
}
GRZ_SIMD_INLINE grzI4 grzI4_Set1(int32_t x) {
    return (grzI4){_mm_set1_epi32(x)};
}
GRZ_SIMD_INLINE grzI4 grzI4_Set(int32_t x, int32_t y, int32_t z, int32_t w) {
    return (grzI4){_mm_setr_epi32(x, y, z, w)};
}

GRZ_SIMD_BINARY(grzI4, Add, _mm_add_epi32)
GRZ_SIMD_BINARY(grzI4, Sub, _mm_sub_epi32)
GRZ_SIMD_BINARY(grzI4, And, _mm_and_si128)
GRZ_SIMD_BINARY(grzI4, Or, _mm_or_si128)
GRZ_SIMD_BINARY(grzI4, Xor, _mm_xor_si128)
GRZ_SIMD_INLINE grzI4 grzI4_AndNot(grzI4 a, grzI4 b) {
    return (grzI4){_mm_andnot_si128(b.v, a.v)};
}
GRZ_SIMD_INLINE grzI4 grzI4_ShiftLeft(grzI4 a, int n) {
    return (grzI4){_mm_slli_epi32(a.v, n)};
}
GRZ_SIMD_INLINE grzI4 grzI4_ShiftRight(grzI4 a, int n) {
    return (grzI4){_mm_srai_epi32(a.v, n)};
}
GRZ_SIMD_INLINE grzI4 grzI4_ShiftRightZero(grzI4 a, int n) {
    return (grzI4){_mm_srli_epi32(a.v, n)};
}
GRZ_SIMD_INLINE grzM4 grzI4_Less(grzI4 a, grzI4 b) {
    return (grzM4){_mm_cmplt_epi32(a.v, b.v)};
}
GRZ_SIMD_INLINE grzM4 grzI4_Equal(grzI4 a, grzI4 b) {
    return (grzM4){_mm_cmpeq_epi32(a.v, b.v)};
}

#if defined(__SSE4_1__)
GRZ_SIMD_BINARY(grzI4, Min, _mm_min_epi32)
GRZ_SIMD_BINARY(grzI4, Max, _mm_max_epi32)
#else
GRZ_SIMD_INLINE grzI4 grzI4_Min(grzI4 a, grzI4 b) {
    __m128i less = _mm_cmplt_epi32(a.v, b.v);
    return (grzI4){_mm_or_si128(_mm_and_si128(less, a.v), _mm_andnot_si128(less, b.v))};
}
GRZ_SIMD_INLINE grzI4 grzI4_Max(grzI4 a, grzI4 b) {
    __m128i less = _mm_cmplt_epi32(a.v, b.v);
    return (grzI4){_mm_or_si128(_mm_and_si128(less, b.v), _mm_andnot_si128(less, a.v))};
}
#endif

GRZ_SIMD_INLINE float grzF4_First(grzF4 a) {
    return _mm_cvtss_f32(a.v);
}
GRZ_SIMD_INLINE int32_t grzI4_First(grzI4 a) {
    return _mm_cvtsi128_si32(a.v);
}
GRZ_SIMD_INLINE grzI4 grzI4_SwapPairs(grzI4 a) {
    return (grzI4){_mm_shuffle_epi32(a.v, _MM_SHUFFLE(1, 0, 3, 2))};
}
GRZ_SIMD_INLINE grzI4 grzI4_SwapLanes(grzI4 a) {
    return (grzI4){_mm_shuffle_epi32(a.v, _MM_SHUFFLE(2, 3, 0, 1))};
}

GRZ_SIMD_BINARY(grzM4, And, _mm_and_si128)
GRZ_SIMD_BINARY(grzM4, Or, _mm_or_si128)
GRZ_SIMD_BINARY(grzM4, Xor, _mm_xor_si128)
GRZ_SIMD_INLINE grzM4 grzM4_AndNot(grzM4 a, grzM4 b) {
    return (grzM4){_mm_andnot_si128(b.v, a.v)};
}
GRZ_SIMD_INLINE grzM4 grzM4_Not(grzM4 a) {
    return (grzM4){_mm_xor_si128(a.v, _mm_set1_epi32(-1))};
}
GRZ_SIMD_INLINE uint32_t grzM4_Bits(grzM4 a) {
    return (uint32_t)_mm_movemask_ps(_mm_castsi128_ps(a.v));
}
GRZ_SIMD_INLINE grzM4 grzM4_FromBits(uint32_t bits) {
    __m128i lane = _mm_setr_epi32(1, 2, 4, 8);
    return (grzM4){_mm_cmpeq_epi32(_mm_and_si128(_mm_set1_epi32((int)bits), lane), lane)};
}

GRZ_SIMD_INLINE void grzTranspose4(grzF4* a, grzF4* b, grzF4* c, grzF4* d) {
    _MM_TRANSPOSE4_PS(a->v, b->v, c->v, d->v);
}

#if GRZ_SIMD_IS(sse2)
GRZ_SIMD_INLINE size_t grzI4_CompressTo(void* to, grzM4 mask, grzI4 a) {
    int32_t lanes[4];
    grzI4_Store(lanes, a);
    return grzCompressLanes4(to, grzM4_Bits(mask), lanes);
}

typedef struct grzD4 {
    __m128d lower, upper;
} grzD4;

GRZ_SIMD_INLINE grzD4 grzD4_Load(const double* from) {
    return (grzD4){_mm_loadu_pd(from), _mm_loadu_pd(from + 2)};
}
GRZ_SIMD_INLINE grzD4 grzD4_LoadAligned(const double* from) {
    return (grzD4){_mm_load_pd(from), _mm_load_pd(from + 2)};
}
GRZ_SIMD_INLINE void grzD4_Store(double* to, grzD4 a) {
    _mm_storeu_pd(to, a.lower);
    _mm_storeu_pd(to + 2, a.upper);
}
GRZ_SIMD_INLINE void grzD4_StoreAligned(double* to, grzD4 a) {
    _mm_store_pd(to, a.lower);
    _mm_store_pd(to + 2, a.upper);
}
GRZ_SIMD_INLINE grzD4 grzD4_Set1(double x) {
    return (grzD4){_mm_set1_pd(x), _mm_set1_pd(x)};
}
GRZ_SIMD_INLINE grzD4 grzD4_FromFloat(grzF4 a) {
    return (grzD4){_mm_cvtps_pd(a.v), _mm_cvtps_pd(_mm_movehl_ps(a.v, a.v))};
}
GRZ_SIMD_INLINE grzF4 grzD4_ToFloat(grzD4 a) {
    return (grzF4){_mm_movelh_ps(_mm_cvtpd_ps(a.lower), _mm_cvtpd_ps(a.upper))};
}

#    define GRZ_SSE_BINARY(Verb, instruction)                                                                      \
        GRZ_SIMD_INLINE grzD4 grzD4_##Verb(grzD4 a, grzD4 b) {                                                     \
            return (grzD4){instruction(a.lower, b.lower), instruction(a.upper, b.upper)};                          \
        }
GRZ_SSE_BINARY(Add, _mm_add_pd)
GRZ_SSE_BINARY(Sub, _mm_sub_pd)
GRZ_SSE_BINARY(Mul, _mm_mul_pd)
GRZ_SSE_BINARY(Div, _mm_div_pd)
GRZ_SSE_BINARY(Min, _mm_min_pd)
GRZ_SSE_BINARY(Max, _mm_max_pd)
GRZ_SSE_BINARY(Xor, _mm_xor_pd)
#    undef GRZ_SSE_BINARY
GRZ_SIMD_INLINE grzD4 grzD4_AndNot(grzD4 a, grzD4 b) {
    return (grzD4){_mm_andnot_pd(b.lower, a.lower), _mm_andnot_pd(b.upper, a.upper)};
}
GRZ_SIMD_INLINE grzD4 grzD4_Sqrt(grzD4 a) {
    return (grzD4){_mm_sqrt_pd(a.lower), _mm_sqrt_pd(a.upper)};
}

// The halves' masks have 64 bits a lane; grzM4 keeps the lower 32 of each.
#    define GRZ_SSE_COMPARE(Verb, instruction)                                                                     \
        GRZ_SIMD_INLINE grzM4 grzD4_##Verb(grzD4 a, grzD4 b) {                                                     \
            __m128 lower = _mm_castpd_ps(instruction(a.lower, b.lower));                                           \
            __m128 upper = _mm_castpd_ps(instruction(a.upper, b.upper));                                           \
            return (grzM4){_mm_castps_si128(_mm_shuffle_ps(lower, upper, _MM_SHUFFLE(2, 0, 2, 0)))};               \
        }
GRZ_SSE_COMPARE(Less, _mm_cmplt_pd)
GRZ_SSE_COMPARE(LessEqual, _mm_cmple_pd)
GRZ_SSE_COMPARE(Equal, _mm_cmpeq_pd)
GRZ_SSE_COMPARE(NotEqual, _mm_cmpneq_pd)
#    undef GRZ_SSE_COMPARE

GRZ_SIMD_INLINE __m128d grzSelectDoubles(__m128i mask, __m128d yes, __m128d no) {
    __m128d m = _mm_castsi128_pd(mask);
    return _mm_or_pd(_mm_and_pd(m, yes), _mm_andnot_pd(m, no));
}
GRZ_SIMD_INLINE grzD4 grzD4_Select(grzM4 mask, grzD4 yes, grzD4 no) {
    return (grzD4){grzSelectDoubles(_mm_unpacklo_epi32(mask.v, mask.v), yes.lower, no.lower),
                   grzSelectDoubles(_mm_unpackhi_epi32(mask.v, mask.v), yes.upper, no.upper)};
}
#endif

typedef struct grzU8x16 {
    __m128i v;
} grzU8x16;

typedef struct grzM8x16 {
    __m128i v; // all ones or all zeros a byte
} grzM8x16;

GRZ_SIMD_INLINE grzU8x16 grzU8x16_Load(const uint8_t* from) {
    return (grzU8x16){_mm_loadu_si128((const __m128i*)(const void*)from)};
}
GRZ_SIMD_INLINE grzU8x16 grzU8x16_LoadAligned(const uint8_t* from) {
    return (grzU8x16){_mm_load_si128((const __m128i*)(const void*)from)};
}
GRZ_SIMD_INLINE void grzU8x16_Store(uint8_t* to, grzU8x16 a) {
    _mm_storeu_si128((__m128i*)(void*)to, a.v);
}
GRZ_SIMD_INLINE void grzU8x16_StoreAligned(uint8_t* to, grzU8x16 a) {
    _mm_store_si128((__m128i*)(void*)to, a.v);
}
GRZ_SIMD_INLINE grzU8x16 grzU8x16_Set1(uint8_t x) {
    return (grzU8x16){_mm_set1_epi8((char)x)};
}
GRZ_SIMD_BINARY(grzU8x16, Min, _mm_min_epu8)
GRZ_SIMD_BINARY(grzU8x16, Max, _mm_max_epu8)
GRZ_SIMD_INLINE grzM8x16 grzU8x16_Equal(grzU8x16 a, grzU8x16 b) {
    return (grzM8x16){_mm_cmpeq_epi8(a.v, b.v)};
}
GRZ_SIMD_INLINE grzM8x16 grzU8x16_LessEqual(grzU8x16 a, grzU8x16 b) {
    return (grzM8x16){_mm_cmpeq_epi8(_mm_min_epu8(a.v, b.v), a.v)};
}
GRZ_SIMD_BINARY(grzM8x16, And, _mm_and_si128)
GRZ_SIMD_BINARY(grzM8x16, Or, _mm_or_si128)
GRZ_SIMD_INLINE uint64_t grzM8x16_Bits(grzM8x16 a) {
    return (uint32_t)_mm_movemask_epi8(a.v);
}

#endif
