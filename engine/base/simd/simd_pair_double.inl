// Doubles of 8 or 16 lanes as a pair of half as many. Their masks are those of as many floats. Included by simd.h, once per width that
// a level has no registers for, without an include guard.

#define DOUBLES      GRZ_SIMD_TYPE(D, GRZ_WIDTH)
#define HALF_DOUBLES GRZ_SIMD_TYPE(D, GRZ_HALF)
#define FLOATS       GRZ_SIMD_TYPE(F, GRZ_WIDTH)
#define MASK         GRZ_SIMD_TYPE(M, GRZ_WIDTH)

// W is a function of this width, H the same of a half.
#define W(Letter, Verb) GRZ_SIMD_VERB(Letter, GRZ_WIDTH, Verb)
#define H(Letter, Verb) GRZ_SIMD_VERB(Letter, GRZ_HALF, Verb)

typedef struct DOUBLES {
    HALF_DOUBLES lower, upper;
} DOUBLES;

GRZ_SIMD_INLINE DOUBLES W(D, Load)(const double* from) {
    return (DOUBLES){H(D, Load)(from), H(D, Load)(from + GRZ_HALF)};
}
// Aligned as a half.
GRZ_SIMD_INLINE DOUBLES W(D, LoadAligned)(const double* from) {
    return (DOUBLES){H(D, LoadAligned)(from), H(D, LoadAligned)(from + GRZ_HALF)};
}
GRZ_SIMD_INLINE void W(D, Store)(double* to, DOUBLES a) {
    H(D, Store)(to, a.lower);
    H(D, Store)(to + GRZ_HALF, a.upper);
}
GRZ_SIMD_INLINE void W(D, StoreAligned)(double* to, DOUBLES a) {
    H(D, StoreAligned)(to, a.lower);
    H(D, StoreAligned)(to + GRZ_HALF, a.upper);
}
GRZ_SIMD_INLINE DOUBLES W(D, Set1)(double x) {
    return (DOUBLES){H(D, Set1)(x), H(D, Set1)(x)};
}
GRZ_SIMD_INLINE DOUBLES W(D, FromFloat)(FLOATS a) {
    return (DOUBLES){H(D, FromFloat)(W(F, Lower)(a)), H(D, FromFloat)(W(F, Upper)(a))};
}
GRZ_SIMD_INLINE FLOATS W(D, ToFloat)(DOUBLES a) {
    return W(F, Join)(H(D, ToFloat)(a.lower), H(D, ToFloat)(a.upper));
}
GRZ_SIMD_INLINE DOUBLES W(D, Sqrt)(DOUBLES a) {
    return (DOUBLES){H(D, Sqrt)(a.lower), H(D, Sqrt)(a.upper)};
}

#define BINARY(Verb)                                                                                               \
    GRZ_SIMD_INLINE DOUBLES W(D, Verb)(DOUBLES a, DOUBLES b) {                                                     \
        return (DOUBLES){H(D, Verb)(a.lower, b.lower), H(D, Verb)(a.upper, b.upper)};                              \
    }
BINARY(Add)
BINARY(Sub)
BINARY(Mul)
BINARY(Div)
BINARY(Min)
BINARY(Max)
BINARY(Xor)
BINARY(AndNot)
#undef BINARY

// Where masks are registers of their own, by way of no vector.
#if GRZ_SIMD_IS(avx512)
#    define COMPARE(Verb, relation)                                                                                \
        GRZ_SIMD_INLINE MASK W(D, Verb)(DOUBLES a, DOUBLES b) {                                                    \
            return (MASK){_mm512_kunpackb(_mm512_cmp_pd_mask(a.upper.v, b.upper.v, relation),                      \
                                          _mm512_cmp_pd_mask(a.lower.v, b.lower.v, relation))};                    \
        }
GRZ_SIMD_INLINE DOUBLES W(D, Select)(MASK mask, DOUBLES yes, DOUBLES no) {
    return (DOUBLES){{_mm512_mask_blend_pd((__mmask8)mask.v, no.lower.v, yes.lower.v)},
                     {_mm512_mask_blend_pd((__mmask8)(mask.v >> 8), no.upper.v, yes.upper.v)}};
}
#else
#    define COMPARE(Verb, relation)                                                                                \
        GRZ_SIMD_INLINE MASK W(D, Verb)(DOUBLES a, DOUBLES b) {                                                    \
            return W(M, Join)(H(D, Verb)(a.lower, b.lower), H(D, Verb)(a.upper, b.upper));                         \
        }
GRZ_SIMD_INLINE DOUBLES W(D, Select)(MASK mask, DOUBLES yes, DOUBLES no) {
    return (DOUBLES){H(D, Select)(W(M, Lower)(mask), yes.lower, no.lower),
                     H(D, Select)(W(M, Upper)(mask), yes.upper, no.upper)};
}
#endif
COMPARE(Less, _CMP_LT_OQ)
COMPARE(LessEqual, _CMP_LE_OQ)
COMPARE(Equal, _CMP_EQ_OQ)
COMPARE(NotEqual, _CMP_NEQ_UQ)
#undef COMPARE

#undef DOUBLES
#undef HALF_DOUBLES
#undef FLOATS
#undef MASK
#undef W
#undef H
