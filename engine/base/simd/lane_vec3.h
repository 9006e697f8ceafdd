// Vectors of three coordinates, one in every lane. Kernels alone include it.
//
//   GRZ_LANE_VEC3(Vec8, grzD8, grzM8) // Vec8, Vec8_Sub, ...: eight vectors of doubles
//
// Sums have the order of linmath.h: dot products are (x*x' + y*y') + z*z'.
#ifndef GRAZE_BASE_LANE_VEC3_H
#define GRAZE_BASE_LANE_VEC3_H

#include "simd.h"

// clang reports a function made by a macro that a kernel does not use.
#define GRZ_LANE_VEC3_INLINE GRZ_SIMD_INLINE __attribute__((unused))

#define GRZ_LANE_VEC3(Type, Lane, LaneMask)                                                                        \
    typedef struct Type {                                                                                          \
        Lane x, y, z;                                                                                              \
    } Type;                                                                                                        \
                                                                                                                   \
    GRZ_LANE_VEC3_INLINE Type Type##_Add(Type a, Type b) {                                                         \
        return (Type){Lane##_Add(a.x, b.x), Lane##_Add(a.y, b.y), Lane##_Add(a.z, b.z)};                           \
    }                                                                                                              \
    GRZ_LANE_VEC3_INLINE Type Type##_Sub(Type a, Type b) {                                                         \
        return (Type){Lane##_Sub(a.x, b.x), Lane##_Sub(a.y, b.y), Lane##_Sub(a.z, b.z)};                           \
    }                                                                                                              \
    GRZ_LANE_VEC3_INLINE Type Type##_Scale(Type a, Lane s) {                                                       \
        return (Type){Lane##_Mul(a.x, s), Lane##_Mul(a.y, s), Lane##_Mul(a.z, s)};                                 \
    }                                                                                                              \
    /* a + s * b, a - s * b */                                                                                     \
    GRZ_LANE_VEC3_INLINE Type Type##_AddScaled(Type a, Lane s, Type b) {                                           \
        return Type##_Add(a, Type##_Scale(b, s));                                                                  \
    }                                                                                                              \
    GRZ_LANE_VEC3_INLINE Type Type##_SubScaled(Type a, Lane s, Type b) {                                           \
        return Type##_Sub(a, Type##_Scale(b, s));                                                                  \
    }                                                                                                              \
    GRZ_LANE_VEC3_INLINE Lane Type##_Dot(Type a, Type b) {                                                         \
        return Lane##_Add(Lane##_Add(Lane##_Mul(a.x, b.x), Lane##_Mul(a.y, b.y)), Lane##_Mul(a.z, b.z));           \
    }                                                                                                              \
    GRZ_LANE_VEC3_INLINE Type Type##_Cross(Type a, Type b) {                                                       \
        return (Type){Lane##_Sub(Lane##_Mul(a.y, b.z), Lane##_Mul(a.z, b.y)),                                      \
                      Lane##_Sub(Lane##_Mul(a.z, b.x), Lane##_Mul(a.x, b.z)),                                      \
                      Lane##_Sub(Lane##_Mul(a.x, b.y), Lane##_Mul(a.y, b.x))};                                     \
    }                                                                                                              \
    GRZ_LANE_VEC3_INLINE Type Type##_Select(LaneMask mask, Type yes, Type no) {                                    \
        return (Type){Lane##_Select(mask, yes.x, no.x), Lane##_Select(mask, yes.y, no.y),                          \
                      Lane##_Select(mask, yes.z, no.z)};                                                           \
    }

#endif
