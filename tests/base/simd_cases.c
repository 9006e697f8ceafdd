// The cases of simd_cases.h, compiled once per SIMD level.
#include "simd_cases.h"

#include "simd.h"

#define CASE_WIDTH 4
#define CASE_BYTES 16
#include "simd_cases.inl"

#define CASE_WIDTH 8
#define CASE_BYTES 32
#include "simd_cases.inl"

#define CASE_WIDTH 16
#define CASE_BYTES 64
#include "simd_cases.inl"

typedef size_t CaseFn(const SimdInput* input, void* output);

#define ROW4(name, answer)  case_##name##_4,
#define ROW8(name, answer)  case_##name##_8,
#define ROW16(name, answer) case_##name##_16,

static CaseFn* const g_cases[3][simdCaseCount] = {
    {SIMD_CASES(ROW4)},
    {SIMD_CASES(ROW8)},
    {SIMD_CASES(ROW16)},
};

size_t GRZ_KERNEL(runSimdCase)(int which, int width, const SimdInput* input, void* output) {
    return g_cases[width == 4 ? 0 : width == 8 ? 1 : 2][which](input, output);
}
