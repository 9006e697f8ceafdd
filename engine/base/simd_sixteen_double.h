// Sixteen doubles as a pair of eight, at every level. Their masks are those of sixteen floats. Included by simd.h alone.
#ifndef GRAZE_BASE_SIMD_SIXTEEN_DOUBLE_H
#define GRAZE_BASE_SIMD_SIXTEEN_DOUBLE_H

typedef struct grzD16 {
    grzD8 lower, upper;
} grzD16;

GRZ_SIMD_INLINE grzD16 grzD16_Load(const double* from) {
    return (grzD16){grzD8_Load(from), grzD8_Load(from + 8)};
}
// Aligned as eight.
GRZ_SIMD_INLINE grzD16 grzD16_LoadAligned(const double* from) {
    return (grzD16){grzD8_LoadAligned(from), grzD8_LoadAligned(from + 8)};
}
GRZ_SIMD_INLINE void grzD16_Store(double* to, grzD16 a) {
    grzD8_Store(to, a.lower);
    grzD8_Store(to + 8, a.upper);
}
GRZ_SIMD_INLINE void grzD16_StoreAligned(double* to, grzD16 a) {
    grzD8_StoreAligned(to, a.lower);
    grzD8_StoreAligned(to + 8, a.upper);
}
GRZ_SIMD_INLINE grzD16 grzD16_Set1(double x) {
    return (grzD16){grzD8_Set1(x), grzD8_Set1(x)};
}
GRZ_SIMD_INLINE grzD16 grzD16_FromFloat(grzF16 a) {
    return (grzD16){grzD8_FromFloat(grzF16_Lower(a)), grzD8_FromFloat(grzF16_Upper(a))};
}
GRZ_SIMD_INLINE grzF16 grzD16_ToFloat(grzD16 a) {
    return grzF16_Join(grzD8_ToFloat(a.lower), grzD8_ToFloat(a.upper));
}
GRZ_SIMD_INLINE grzD16 grzD16_Sqrt(grzD16 a) {
    return (grzD16){grzD8_Sqrt(a.lower), grzD8_Sqrt(a.upper)};
}

#define GRZ_SIXTEEN_BINARY(Verb)                                                                                   \
    GRZ_SIMD_INLINE grzD16 grzD16_##Verb(grzD16 a, grzD16 b) {                                                     \
        return (grzD16){grzD8_##Verb(a.lower, b.lower), grzD8_##Verb(a.upper, b.upper)};                           \
    }
GRZ_SIXTEEN_BINARY(Add)
GRZ_SIXTEEN_BINARY(Sub)
GRZ_SIXTEEN_BINARY(Mul)
GRZ_SIXTEEN_BINARY(Div)
GRZ_SIXTEEN_BINARY(Min)
GRZ_SIXTEEN_BINARY(Max)
GRZ_SIXTEEN_BINARY(Xor)
GRZ_SIXTEEN_BINARY(AndNot)
#undef GRZ_SIXTEEN_BINARY

// Where masks are registers of their own, by way of no vector.
#if GRZ_SIMD_IS(avx512)
#    define GRZ_SIXTEEN_COMPARE(Verb, relation)                                                                    \
        GRZ_SIMD_INLINE grzM16 grzD16_##Verb(grzD16 a, grzD16 b) {                                                 \
            return (grzM16){_mm512_kunpackb(_mm512_cmp_pd_mask(a.upper.v, b.upper.v, relation),                    \
                                            _mm512_cmp_pd_mask(a.lower.v, b.lower.v, relation))};                  \
        }
GRZ_SIMD_INLINE grzD16 grzD16_Select(grzM16 mask, grzD16 yes, grzD16 no) {
    return (grzD16){{_mm512_mask_blend_pd((__mmask8)mask.v, no.lower.v, yes.lower.v)},
                    {_mm512_mask_blend_pd((__mmask8)(mask.v >> 8), no.upper.v, yes.upper.v)}};
}
#else
#    define GRZ_SIXTEEN_COMPARE(Verb, relation)                                                                    \
        GRZ_SIMD_INLINE grzM16 grzD16_##Verb(grzD16 a, grzD16 b) {                                                 \
            return grzM16_Join(grzD8_##Verb(a.lower, b.lower), grzD8_##Verb(a.upper, b.upper));                    \
        }
GRZ_SIMD_INLINE grzD16 grzD16_Select(grzM16 mask, grzD16 yes, grzD16 no) {
    return (grzD16){grzD8_Select(grzM16_Lower(mask), yes.lower, no.lower),
                    grzD8_Select(grzM16_Upper(mask), yes.upper, no.upper)};
}
#endif
GRZ_SIXTEEN_COMPARE(Less, _CMP_LT_OQ)
GRZ_SIXTEEN_COMPARE(LessEqual, _CMP_LE_OQ)
GRZ_SIXTEEN_COMPARE(Equal, _CMP_EQ_OQ)
GRZ_SIXTEEN_COMPARE(NotEqual, _CMP_NEQ_UQ)
#undef GRZ_SIXTEEN_COMPARE

#endif
