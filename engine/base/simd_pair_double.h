// Eight doubles as a pair of four, for every level but AVX-512. Included by simd.h alone.
#ifndef GRAZE_BASE_SIMD_PAIR_DOUBLE_H
#define GRAZE_BASE_SIMD_PAIR_DOUBLE_H

typedef struct grzD8 {
    grzD4 lower, upper;
} grzD8;

GRZ_SIMD_INLINE grzD8 grzD8_Load(const double* from) {
    return (grzD8){grzD4_Load(from), grzD4_Load(from + 4)};
}
GRZ_SIMD_INLINE grzD8 grzD8_LoadAligned(const double* from) {
    return (grzD8){grzD4_LoadAligned(from), grzD4_LoadAligned(from + 4)};
}
GRZ_SIMD_INLINE void grzD8_Store(double* to, grzD8 a) {
    grzD4_Store(to, a.lower);
    grzD4_Store(to + 4, a.upper);
}
GRZ_SIMD_INLINE void grzD8_StoreAligned(double* to, grzD8 a) {
    grzD4_StoreAligned(to, a.lower);
    grzD4_StoreAligned(to + 4, a.upper);
}
GRZ_SIMD_INLINE grzD8 grzD8_Set1(double x) {
    return (grzD8){grzD4_Set1(x), grzD4_Set1(x)};
}
GRZ_SIMD_INLINE grzD8 grzD8_FromFloat(grzF8 a) {
    return (grzD8){grzD4_FromFloat(grzF8_Lower(a)), grzD4_FromFloat(grzF8_Upper(a))};
}
GRZ_SIMD_INLINE grzF8 grzD8_ToFloat(grzD8 a) {
    return grzF8_Join(grzD4_ToFloat(a.lower), grzD4_ToFloat(a.upper));
}
GRZ_SIMD_INLINE grzD8 grzD8_Sqrt(grzD8 a) {
    return (grzD8){grzD4_Sqrt(a.lower), grzD4_Sqrt(a.upper)};
}

#define GRZ_PAIR_BINARY(Verb)                                                                                      \
    GRZ_SIMD_INLINE grzD8 grzD8_##Verb(grzD8 a, grzD8 b) {                                                         \
        return (grzD8){grzD4_##Verb(a.lower, b.lower), grzD4_##Verb(a.upper, b.upper)};                            \
    }
GRZ_PAIR_BINARY(Add)
GRZ_PAIR_BINARY(Sub)
GRZ_PAIR_BINARY(Mul)
GRZ_PAIR_BINARY(Div)
GRZ_PAIR_BINARY(Min)
GRZ_PAIR_BINARY(Max)
GRZ_PAIR_BINARY(Xor)
GRZ_PAIR_BINARY(AndNot)
#undef GRZ_PAIR_BINARY

#define GRZ_PAIR_COMPARE(Verb)                                                                                     \
    GRZ_SIMD_INLINE grzM8 grzD8_##Verb(grzD8 a, grzD8 b) {                                                         \
        return grzM8_Join(grzD4_##Verb(a.lower, b.lower), grzD4_##Verb(a.upper, b.upper));                         \
    }
GRZ_PAIR_COMPARE(Less)
GRZ_PAIR_COMPARE(LessEqual)
GRZ_PAIR_COMPARE(Equal)
GRZ_PAIR_COMPARE(NotEqual)
#undef GRZ_PAIR_COMPARE

GRZ_SIMD_INLINE grzD8 grzD8_Select(grzM8 mask, grzD8 yes, grzD8 no) {
    return (grzD8){grzD4_Select(grzM8_Lower(mask), yes.lower, no.lower),
                   grzD4_Select(grzM8_Upper(mask), yes.upper, no.upper)};
}

#endif
