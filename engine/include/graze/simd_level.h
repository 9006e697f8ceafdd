// Which SIMD instructions the library's kernels use. The answers are the same bytes at every level; only the
// time differs.
//
// The best level of the machine is found at first use and stays for the life of the process. The environment
// variable GRZ_SIMD (scalar, sse2, avx2, avx512 or neon) asks for another one; unset or empty asks for nothing. A
// level that the machine or the build lacks falls to the best one below it that is there (neon stands directly above scalar), or to
// the lowest; an unknown name falls to the best level of all. Either is reported once to the log hook as a warning.
//
// Threads: any, at any time, as long as nobody changes the environment meanwhile.
#ifndef GRAZE_SIMD_LEVEL_H
#define GRAZE_SIMD_LEVEL_H

#include "graze/result.h"

GRZ_EXTERN_C_BEGIN

typedef enum grzSimdLevel {
    grz_simdScalar, // plain C; on x86-64 only in builds with tests
    grz_simdSse2,   // x86-64: always there
    grz_simdAvx2,   // x86-64: AVX2, BMI, BMI2, LZCNT, POPCNT
    grz_simdAvx512, // x86-64: what AVX2 has, and AVX-512 F, BW, DQ, VL, VBMI2 (Ice Lake, Zen 4)
    grz_simdNeon,   // AArch64: always there
} grzSimdLevel;

#define GRZ_SIMD_LEVEL_COUNT 5

// The level in force.
GRZ_API grzSimdLevel grzSimd_Level(void);

// The name as in GRZ_SIMD; "unknown" for a value that is no level. The string is static.
GRZ_API const char* grzSimd_LevelName(grzSimdLevel level);

// For programs that would rather stop than run at another level than they were told: grz_ok where GRZ_SIMD is
// unset, empty or a level of this machine. Otherwise grz_badFormat (no such name) or grz_notSupported (the machine
// lacks it), and one sentence in `text`, cut to fit `capacity` and always ended, as a warning would say it. With
// grz_ok `text` becomes "". `capacity` may be 0.
GRZ_NODISCARD GRZ_API grzResult grzSimd_CheckEnvironment(char* text, size_t capacity);

GRZ_EXTERN_C_END

#endif
