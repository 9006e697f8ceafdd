// One body of cases for every function of simd.h, run by test_simd.c at every SIMD level and hashed for machines
// that have no test library.
#ifndef GRAZE_TESTS_SIMD_CASES_H
#define GRAZE_TESTS_SIMD_CASES_H

#include <stddef.h>
#include <stdint.h>

#include "kernel.h"

// What a case writes. The payload and sign of a NaN that arithmetic gives are open, so those answers are compared
// with every NaN made the same.
typedef enum SimdAnswer { simdBits, simdFloats, simdDoubles } SimdAnswer;

// X(name, what it writes)
#define SIMD_FLOAT_CASES(X)                                                                                        \
    X(F_Add, simdFloats)                                                                                           \
    X(F_Sub, simdFloats)                                                                                           \
    X(F_Mul, simdFloats)                                                                                           \
    X(F_Div, simdFloats)                                                                                           \
    X(F_Sqrt, simdFloats)                                                                                          \
    X(F_Min, simdBits)                                                                                             \
    X(F_Max, simdBits)                                                                                             \
    X(F_Abs, simdBits)                                                                                             \
    X(F_Negate, simdBits)                                                                                          \
    X(F_And, simdBits)                                                                                             \
    X(F_Or, simdBits)                                                                                              \
    X(F_Xor, simdBits)                                                                                             \
    X(F_AndNot, simdBits)                                                                                          \
    X(F_Less, simdBits)                                                                                            \
    X(F_LessEqual, simdBits)                                                                                       \
    X(F_Greater, simdBits)                                                                                         \
    X(F_GreaterEqual, simdBits)                                                                                    \
    X(F_Equal, simdBits)                                                                                           \
    X(F_NotEqual, simdBits)                                                                                        \
    X(F_Select, simdBits)                                                                                          \
    X(F_Set1, simdBits)                                                                                            \
    X(F_Memory, simdBits)                                                                                          \
    X(F_Lane, simdBits)                                                                                            \
    X(F_Halves, simdBits)                                                                                          \
    X(F_AsInt, simdBits)                                                                                           \
    X(F_ToInt, simdBits)                                                                                           \
    X(F_Gather, simdBits)                                                                                          \
    X(F_CompressStore, simdBits)                                                                                   \
    X(F_ReduceMin, simdBits)                                                                                       \
    X(F_ReduceMax, simdBits)                                                                                       \
    X(F_ReduceSum, simdFloats)                                                                                     \
    X(F_LoadRows4, simdBits)                                                                                       \
    X(F_GatherRows4, simdBits)                                                                                     \
    X(F_StoreRows4, simdBits)

#define SIMD_INT_CASES(X)                                                                                          \
    X(I_Add, simdBits)                                                                                             \
    X(I_Sub, simdBits)                                                                                             \
    X(I_Min, simdBits)                                                                                             \
    X(I_Max, simdBits)                                                                                             \
    X(I_And, simdBits)                                                                                             \
    X(I_Or, simdBits)                                                                                              \
    X(I_Xor, simdBits)                                                                                             \
    X(I_AndNot, simdBits)                                                                                          \
    X(I_Less, simdBits)                                                                                            \
    X(I_LessEqual, simdBits)                                                                                       \
    X(I_Greater, simdBits)                                                                                         \
    X(I_GreaterEqual, simdBits)                                                                                    \
    X(I_Equal, simdBits)                                                                                           \
    X(I_NotEqual, simdBits)                                                                                        \
    X(I_ShiftLeft, simdBits)                                                                                       \
    X(I_ShiftRight, simdBits)                                                                                      \
    X(I_ShiftRightZero, simdBits)                                                                                  \
    X(I_Select, simdBits)                                                                                          \
    X(I_Set1, simdBits)                                                                                            \
    X(I_Memory, simdBits)                                                                                          \
    X(I_Lane, simdBits)                                                                                            \
    X(I_Halves, simdBits)                                                                                          \
    X(I_AsFloat, simdBits)                                                                                         \
    X(I_ToFloat, simdBits)                                                                                         \
    X(I_Gather, simdBits)                                                                                          \
    X(I_CompressStore, simdBits)                                                                                   \
    X(I_ReduceMin, simdBits)                                                                                       \
    X(I_ReduceMax, simdBits)                                                                                       \
    X(I_ReduceSum, simdBits)

#define SIMD_MASK_CASES(X)                                                                                         \
    X(M_And, simdBits)                                                                                             \
    X(M_Or, simdBits)                                                                                              \
    X(M_Xor, simdBits)                                                                                             \
    X(M_AndNot, simdBits)                                                                                          \
    X(M_Not, simdBits)                                                                                             \
    X(M_FromBits, simdBits)                                                                                        \
    X(M_Halves, simdBits)                                                                                          \
    X(M_AllAny, simdBits)

#define SIMD_DOUBLE_CASES(X)                                                                                       \
    X(D_Add, simdDoubles)                                                                                          \
    X(D_Sub, simdDoubles)                                                                                          \
    X(D_Mul, simdDoubles)                                                                                          \
    X(D_Div, simdDoubles)                                                                                          \
    X(D_Sqrt, simdDoubles)                                                                                         \
    X(D_Min, simdBits)                                                                                             \
    X(D_Max, simdBits)                                                                                             \
    X(D_Abs, simdBits)                                                                                             \
    X(D_Negate, simdBits)                                                                                          \
    X(D_Less, simdBits)                                                                                            \
    X(D_LessEqual, simdBits)                                                                                       \
    X(D_Greater, simdBits)                                                                                         \
    X(D_GreaterEqual, simdBits)                                                                                    \
    X(D_Equal, simdBits)                                                                                           \
    X(D_NotEqual, simdBits)                                                                                        \
    X(D_Select, simdBits)                                                                                          \
    X(D_Set1, simdBits)                                                                                            \
    X(D_Memory, simdBits)                                                                                          \
    X(D_FromFloat, simdDoubles)                                                                                    \
    X(D_ToFloat, simdFloats)

// These have four bytes where the others have one lane: 16, 32 and 64.
#define SIMD_BYTE_CASES(X)                                                                                         \
    X(U_Min, simdBits)                                                                                             \
    X(U_Max, simdBits)                                                                                             \
    X(U_LessEqual, simdBits)                                                                                       \
    X(U_GreaterEqual, simdBits)                                                                                    \
    X(U_Equal, simdBits)                                                                                           \
    X(U_Set1, simdBits)                                                                                            \
    X(U_Memory, simdBits)                                                                                          \
    X(U_MaskAnd, simdBits)                                                                                         \
    X(U_MaskOr, simdBits)                                                                                          \
    X(U_StorePlaces, simdBits)

#define SIMD_CASES(X)                                                                                              \
    SIMD_FLOAT_CASES(X) SIMD_INT_CASES(X) SIMD_MASK_CASES(X) SIMD_DOUBLE_CASES(X) SIMD_BYTE_CASES(X)

#define SIMD_ENUMERATOR(name, answer) simdCase_##name,
enum { SIMD_CASES(SIMD_ENUMERATOR) simdCaseCount };
#undef SIMD_ENUMERATOR

// A multiple of every width. The arrays have one lane more, for loads that are not aligned.
#define SIMD_COUNT       1024
#define SIMD_ARRAY_COUNT (SIMD_COUNT + 64)
// No case writes more than this.
#define SIMD_OUTPUT_BYTES (SIMD_COUNT * 16)

// Every pair of special values, then random ones.
typedef struct SimdInput {
    _Alignas(64) float a[SIMD_ARRAY_COUNT];
    _Alignas(64) float b[SIMD_ARRAY_COUNT];
    _Alignas(64) int32_t i[SIMD_ARRAY_COUNT];
    _Alignas(64) int32_t j[SIMD_ARRAY_COUNT];
    _Alignas(64) int32_t index[SIMD_ARRAY_COUNT]; // below SIMD_COUNT / 4
    _Alignas(64) double d[SIMD_ARRAY_COUNT];
    _Alignas(64) double e[SIMD_ARRAY_COUNT];
    _Alignas(64) uint8_t u[SIMD_ARRAY_COUNT];
    _Alignas(64) uint8_t v[SIMD_ARRAY_COUNT];
} SimdInput;

void makeSimdInput(SimdInput* input, uint64_t seed);

// Makes all NaNs of an answer the same.
void settleSimdAnswer(SimdAnswer answer, void* bytes, size_t size);

const char* simdCaseName(int which);
SimdAnswer simdCaseAnswer(int which);

// Runs one case at one width (4, 8 or 16) and returns how many bytes of `output` (64-byte aligned) it wrote; 0
// where the case does not exist at that width.
GRZ_DECLARE_KERNEL(size_t, runSimdCase, (int which, int width, const SimdInput* input, void* output));

// All cases of one level over fixed inputs, in one number that is the same at every level and on every processor.
uint64_t simdCasesHash(grzSimdLevel level);

#endif
