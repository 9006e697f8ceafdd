// The vectors of simd.h with one lane: for texts that are kernels of many pairs and the way of a single one as well, so
// that both have the same arithmetic and give the same bytes.
#ifndef GRAZE_NARROWPHASE_ONE_LANE_H
#define GRAZE_NARROWPHASE_ONE_LANE_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "simd.h"

typedef struct grzF1 {
    float v;
} grzF1;

typedef struct grzD1 {
    double v;
} grzD1;

typedef struct grzI1 {
    int32_t v;
} grzI1;

typedef struct grzM1 {
    bool v;
} grzM1;

#define GRZ_ONE_BINARY(Type, Verb, value)                                                                          \
    GRZ_SIMD_INLINE Type Type##_##Verb(Type a, Type b) {                                                           \
        return (Type){value};                                                                                      \
    }
#define GRZ_ONE_COMPARE(Type, Verb, relation)                                                                      \
    GRZ_SIMD_INLINE grzM1 Type##_##Verb(Type a, Type b) {                                                          \
        return (grzM1){a.v relation b.v};                                                                          \
    }
#define GRZ_ONE_TYPE(Type, Number)                                                                                 \
    GRZ_SIMD_INLINE Type Type##_Load(const Number* from) {                                                         \
        return (Type){*from};                                                                                      \
    }                                                                                                              \
    GRZ_SIMD_INLINE void Type##_Store(Number* to, Type a) {                                                        \
        *to = a.v;                                                                                                 \
    }                                                                                                              \
    GRZ_SIMD_INLINE Type Type##_Set1(Number x) {                                                                   \
        return (Type){x};                                                                                          \
    }                                                                                                              \
    GRZ_SIMD_INLINE Type Type##_Select(grzM1 mask, Type yes, Type no) {                                            \
        return mask.v ? yes : no;                                                                                  \
    }                                                                                                              \
    GRZ_ONE_BINARY(Type, Add, a.v + b.v)                                                                           \
    GRZ_ONE_BINARY(Type, Sub, a.v - b.v)                                                                           \
    GRZ_ONE_BINARY(Type, Min, a.v < b.v ? a.v : b.v)                                                               \
    GRZ_ONE_BINARY(Type, Max, a.v > b.v ? a.v : b.v)                                                               \
    GRZ_ONE_COMPARE(Type, Less, <)                                                                                 \
    GRZ_ONE_COMPARE(Type, LessEqual, <=)                                                                           \
    GRZ_ONE_COMPARE(Type, Greater, >)                                                                              \
    GRZ_ONE_COMPARE(Type, GreaterEqual, >=)                                                                        \
    GRZ_ONE_COMPARE(Type, Equal, ==)                                                                               \
    GRZ_ONE_COMPARE(Type, NotEqual, !=)
#define GRZ_ONE_REAL(Type, squareRoot, absolute)                                                                   \
    GRZ_ONE_BINARY(Type, Mul, a.v* b.v)                                                                            \
    GRZ_ONE_BINARY(Type, Div, a.v / b.v)                                                                           \
    GRZ_SIMD_INLINE Type Type##_Sqrt(Type a) {                                                                     \
        return (Type){squareRoot(a.v)};                                                                            \
    }                                                                                                              \
    GRZ_SIMD_INLINE Type Type##_Abs(Type a) {                                                                      \
        return (Type){absolute(a.v)};                                                                              \
    }                                                                                                              \
    GRZ_SIMD_INLINE Type Type##_Negate(Type a) {                                                                   \
        return (Type){-a.v};                                                                                       \
    }                                                                                                              \
    GRZ_SIMD_INLINE Type Type##_Zero(void) {                                                                       \
        return (Type){0};                                                                                          \
    }

GRZ_ONE_TYPE(grzF1, float)
GRZ_ONE_TYPE(grzD1, double)
GRZ_ONE_TYPE(grzI1, int32_t)
GRZ_ONE_REAL(grzF1, sqrtf, fabsf)
GRZ_ONE_REAL(grzD1, sqrt, fabs)

GRZ_SIMD_INLINE grzI1 grzI1_And(grzI1 a, grzI1 b) {
    return (grzI1){a.v & b.v};
}
GRZ_SIMD_INLINE grzI1 grzI1_Or(grzI1 a, grzI1 b) {
    return (grzI1){a.v | b.v};
}
GRZ_SIMD_INLINE grzI1 grzI1_ShiftRight(grzI1 a, int n) {
    return (grzI1){a.v >> n};
}
GRZ_SIMD_INLINE grzI1 grzI1_ShiftLeft(grzI1 a, int n) {
    return (grzI1){(int32_t)((uint32_t)a.v << n)};
}
GRZ_SIMD_INLINE grzI1 grzI1_Gather(const int32_t* base, grzI1 index) {
    return (grzI1){base[index.v]};
}
GRZ_SIMD_INLINE grzF1 grzI1_AsFloat(grzI1 a) {
    grzF1 result;
    memcpy(&result, &a, sizeof result);
    return result;
}
GRZ_SIMD_INLINE grzI1 grzF1_AsInt(grzF1 a) {
    grzI1 result;
    memcpy(&result, &a, sizeof result);
    return result;
}
GRZ_SIMD_INLINE grzD1 grzD1_FromFloat(grzF1 a) {
    return (grzD1){(double)a.v};
}
GRZ_SIMD_INLINE grzF1 grzD1_ToFloat(grzD1 a) {
    return (grzF1){(float)a.v};
}

GRZ_SIMD_INLINE grzM1 grzM1_And(grzM1 a, grzM1 b) {
    return (grzM1){a.v && b.v};
}
GRZ_SIMD_INLINE grzM1 grzM1_Or(grzM1 a, grzM1 b) {
    return (grzM1){a.v || b.v};
}
GRZ_SIMD_INLINE grzM1 grzM1_Xor(grzM1 a, grzM1 b) {
    return (grzM1){a.v != b.v};
}
GRZ_SIMD_INLINE grzM1 grzM1_AndNot(grzM1 a, grzM1 b) {
    return (grzM1){a.v && !b.v};
}
GRZ_SIMD_INLINE grzM1 grzM1_Not(grzM1 a) {
    return (grzM1){!a.v};
}
GRZ_SIMD_INLINE bool grzM1_Any(grzM1 a) {
    return a.v;
}
GRZ_SIMD_INLINE uint32_t grzM1_Bits(grzM1 a) {
    return a.v;
}
GRZ_SIMD_INLINE grzM1 grzM1_FromBits(uint32_t bits) {
    return (grzM1){(bits & 1) != 0};
}

#undef GRZ_ONE_BINARY
#undef GRZ_ONE_COMPARE
#undef GRZ_ONE_TYPE
#undef GRZ_ONE_REAL

#endif
