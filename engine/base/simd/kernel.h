// What: how a kernel is written once and built for every SIMD level of the processor family.
//
//   boxes_kernel.h   GRZ_DECLARE_KERNEL(size_t, grzCountHits, (const float* lower, size_t count));
//   boxes_kernel.c   #include "simd.h"
//                    size_t GRZ_KERNEL(grzCountHits)(const float* lower, size_t count) { ... }
//   boxes.c          hits = GRZ_PICK_KERNEL(grzCountHits)(lower, count);
//
// The kernel's file is listed under KERNELS of its part (cmake/GrazeModule.cmake), which builds it once per level. On
// x86-64 tests add the scalar level (GRAZE_SCALAR_KERNELS: weak references), and fuzz targets have SSE2 alone
// (GRAZE_FIRST_LEVEL: faster to build).
#ifndef GRAZE_BASE_KERNEL_H
#define GRAZE_BASE_KERNEL_H

#include "graze/simd_level.h"

#define GRZ_PASTE_(a, b) a##b
#define GRZ_PASTE(a, b)  GRZ_PASTE_(a, b)

// The name of a kernel in the file that is being built for one level: grzCountHits_avx2.
#if defined(GRZ_KERNEL_LEVEL)
#    define GRZ_KERNEL(name) GRZ_PASTE(name##_, GRZ_KERNEL_LEVEL)
#endif

#if defined(__x86_64__) && defined(GRAZE_SCALAR_KERNELS)
#    define GRZ_DECLARE_LEVELS_(name)                                                                              \
        name##_Fn name##_scalar __attribute__((weak));                                                             \
        name##_Fn name##_sse2, name##_avx2, name##_avx512
#    define GRZ_KERNEL_AT_(name, level)                                                                            \
        ((level) == grz_simdAvx512 ? name##_avx512                                                                 \
         : (level) == grz_simdAvx2 ? name##_avx2                                                                   \
         : (level) == grz_simdSse2 ? name##_sse2                                                                   \
                                   : name##_scalar)
#elif defined(__x86_64__) && defined(GRAZE_FIRST_LEVEL)
#    define GRZ_DECLARE_LEVELS_(name)   name##_Fn name##_sse2
#    define GRZ_KERNEL_AT_(name, level) ((void)(level), name##_sse2)
#elif defined(__x86_64__)
#    define GRZ_DECLARE_LEVELS_(name) name##_Fn name##_sse2, name##_avx2, name##_avx512
#    define GRZ_KERNEL_AT_(name, level)                                                                            \
        ((level) == grz_simdAvx512 ? name##_avx512 : (level) == grz_simdAvx2 ? name##_avx2 : name##_sse2)
#elif defined(__aarch64__)
#    define GRZ_DECLARE_LEVELS_(name)   name##_Fn name##_scalar, name##_neon
#    define GRZ_KERNEL_AT_(name, level) ((level) == grz_simdNeon ? name##_neon : name##_scalar)
#else
#    define GRZ_DECLARE_LEVELS_(name)   name##_Fn name##_scalar
#    define GRZ_KERNEL_AT_(name, level) ((void)(level), name##_scalar)
#endif

// Declares the kernel of every level, the type grzCountHits_Fn of them all, and grzCountHits_At(level), which
// gives the kernel of one level that the machine supports. (The last line is there to be ended by the
// caller's semicolon.)
#define GRZ_DECLARE_KERNEL(Result, name, parameters)                                                               \
    typedef Result name##_Fn parameters;                                                                           \
    GRZ_DECLARE_LEVELS_(name);                                                                                     \
    static inline name##_Fn* name##_At(grzSimdLevel level) {                                                       \
        return GRZ_KERNEL_AT_(name, level);                                                                        \
    }                                                                                                              \
    static inline name##_Fn* name##_At(grzSimdLevel level)

// The kernel of the level in force.
#define GRZ_PICK_KERNEL(name) name##_At(grzSimd_Level())

#endif
