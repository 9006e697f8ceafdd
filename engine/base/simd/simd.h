// What: vectors of 4, 8 and 16 lanes for kernels that are written once (kernel.h) and give the same bytes at every
// SIMD level.
//
//   grzF4  grzF8  grzF16          floats                     grzD4  grzD8  grzD16              doubles
//   grzI4  grzI8  grzI16          signed 32-bit integers     grzU8x16  grzU8x32  grzU8x64      unsigned bytes
//   grzM4  grzM8  grzM16          masks of 4, 8, 16 lanes    grzM8x16  grzM8x32  grzM8x64      masks of 16, 32, 64
//
// Every type exists at every level; where the hardware is narrower, a vector is a pair of narrower ones. Floats,
// integers and doubles of one lane count share one mask type. N stands for the lane count:
//
//   all of F I D   Load Store            `from`, `to` aligned as one lane
//                  LoadAligned StoreAligned   aligned as the whole vector, at most 64 bytes
//                  Zero() Set1(x) Add Sub Min Max
//                  Less LessEqual Greater GreaterEqual Equal NotEqual   -> grzMN
//                  Select(mask, yes, no)
//   F D            Mul Div Sqrt Abs Negate
//   F I            And Or Xor AndNot     on bits; AndNot(a, b) is a and not b
//                  Lane(a, k)            slow; for ends and tests
//                  Gather(base, index)   base[index[k]] for every lane; every index must be good
//                  CompressStore(to, mask, a)   the lanes of the mask, in order and without gaps; returns their
//                                        count. Writes up to N lanes, of which those past the count are junk
//                  ReduceMin ReduceMax ReduceSum   see below
//   I              ShiftLeft(a, n) ShiftRight(a, n) (keeps the sign) ShiftRightZero(a, n)   n is 0..31
//                  Sums and differences wrap
//   F4 I4          Set(x, y, z, w)
//   F <-> I        grzFN_ToInt (towards zero; NaN and what does not fit give INT32_MIN), grzIN_ToFloat (nearest),
//                  grzFN_AsInt, grzIN_AsFloat (bits)
//   F <-> D        grzDN_FromFloat (exact), grzDN_ToFloat (nearest)
//   M              And Or Xor AndNot Not Bits (lane k is bit k) FromBits (higher bits are ignored) All Any
//   F I M, 8 16    Join(lower, upper) Lower Upper     grzM8 is made from two grzM4, and so on
//   U8x            Load Store LoadAligned StoreAligned Set1 Min Max LessEqual GreaterEqual Equal
//   M8x            And Or Bits (uint64_t)
//   U8x64          BoxesMeet StorePlaces          simd_bytes.h
//   F8             LookUp(from, index)   lane k is from[index[k]], of eight floats; simd_look_up.h
//   F16            LoadRepeat4(from)     lane k is from[k % 4]; simd_quarters.h
//                  LoadSpread4(from)     lane k is from[k / 4]
//   rows           grzTranspose4(a, b, c, d), grzFN_LoadRows4, grzFN_GatherRows4, grzFN_StoreRows4: N rows of four
//                  floats to four vectors of N lanes and back
//
// Promise: the same bytes at every level and on every processor, with one exception: the payload and sign of a NaN
// that arithmetic makes or passes on (Add Sub Mul Div Sqrt, ReduceSum, FromFloat, ToFloat) is open, as IEEE 754 leaves it.
//
//   - Min(a, b) is a < b ? a : b in every lane, as SSE has it: b where either is a NaN or both are zeros.
//   - What only moves, selects or masks bits keeps them all, those of NaNs too.
//   - Reductions fold halves, lane k with lane k + N/2, until one is left, so that floats have one answer too.
//   - Nothing is fused or estimated.
//
// Limits: rounding is to nearest and denormals are kept; a host that sets its threads otherwise gets other answers.
#ifndef GRAZE_BASE_SIMD_H
#define GRAZE_BASE_SIMD_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "kernel.h"

// The level of this file: the kernel's own, or in files that are built once what the family always has.
#if defined(GRZ_KERNEL_LEVEL)
#    define GRZ_SIMD_LEVEL GRZ_KERNEL_LEVEL
#elif defined(__x86_64__)
#    define GRZ_SIMD_LEVEL sse2
#elif defined(__aarch64__)
#    define GRZ_SIMD_LEVEL neon
#else
#    define GRZ_SIMD_LEVEL scalar
#endif

// The level is a bare word, which the preprocessor can only compare as a number.
#define GRZ_SIMD_NUMBER_scalar 1
#define GRZ_SIMD_NUMBER_sse2   2
#define GRZ_SIMD_NUMBER_avx2   3
#define GRZ_SIMD_NUMBER_avx512 4
#define GRZ_SIMD_NUMBER_neon   5
#define GRZ_SIMD_IS(level)     (GRZ_PASTE(GRZ_SIMD_NUMBER_, GRZ_SIMD_LEVEL) == GRZ_SIMD_NUMBER_##level)

// A call would pass vectors through memory, so nothing here may stay one, whatever the compiler thinks of its size.
#if defined(__GNUC__)
#    define GRZ_SIMD_INLINE static inline __attribute__((always_inline))
#else
#    define GRZ_SIMD_INLINE static inline
#endif

// For the larger parts of a kernel: inlined as well, but where a vector is a loop over its lanes, nothing is optimised, or a sanitizer
// looks at each load. There a call costs little, and compilers that have it all in one function, once for each form, take minutes.
#if defined(__GNUC__) && (GRZ_SIMD_IS(scalar) || !defined(__OPTIMIZE__) || defined(__SANITIZE_ADDRESS__) ||        \
                          defined(__SANITIZE_THREAD__))
#    define GRZ_SIMD_PART static __attribute__((noinline, unused))
#else
#    define GRZ_SIMD_PART GRZ_SIMD_INLINE
#endif

// For parts of a kernel that run seldom, or whose arguments are in memory anyway: a call at every level.
#if defined(__GNUC__)
#    define GRZ_SIMD_CALL static __attribute__((noinline, unused))
#else
#    define GRZ_SIMD_CALL static
#endif

#define GRZ_SIMD_TYPE_(Letter, width)       grz##Letter##width
#define GRZ_SIMD_TYPE(Letter, width)        GRZ_SIMD_TYPE_(Letter, width)
#define GRZ_SIMD_VERB_(Letter, width, Verb) grz##Letter##width##_##Verb
#define GRZ_SIMD_VERB(Letter, width, Verb)  GRZ_SIMD_VERB_(Letter, width, Verb)

// Functions that are one instruction: Type_Verb(a), Type_Verb(a, b), and compares of `Letter` that give a mask.
#define GRZ_SIMD_UNARY(Type, Verb, instruction)                                                                    \
    GRZ_SIMD_INLINE Type Type##_##Verb(Type a) {                                                                   \
        return (Type){instruction(a.v)};                                                                           \
    }
#define GRZ_SIMD_BINARY(Type, Verb, instruction)                                                                   \
    GRZ_SIMD_INLINE Type Type##_##Verb(Type a, Type b) {                                                           \
        return (Type){instruction(a.v, b.v)};                                                                      \
    }

#include "simd_lanes.h"

#if GRZ_SIMD_IS(scalar)
#    include "simd_plain.h"
#elif GRZ_SIMD_IS(neon)
#    include "simd_neon.h"
#elif GRZ_SIMD_IS(sse2)
#    include "simd_sse2.h"
#elif GRZ_SIMD_IS(avx2)
#    include "simd_avx2.h"
#elif GRZ_SIMD_IS(avx512)
#    include "simd_avx512.h"
#else
#    error "GRZ_KERNEL_LEVEL is not one of scalar, sse2, avx2, avx512, neon"
#endif

// What the level lacks, from pairs; then what follows in the same way at every level. The order matters.
#define GRZ_WIDTH 4
#include "simd_derived.inl"

#include "simd_four.h"

#include "simd_rows.inl"
#undef GRZ_WIDTH

#define GRZ_WIDTH 8
#define GRZ_HALF  4
#if !defined(GRZ_SIMD_HAS_8)
#    include "simd_pair.inl"
#endif
#if !defined(GRZ_SIMD_HAS_D8)
#    include "simd_pair_double.inl"
#endif
#include "simd_derived.inl"

#include "simd_wide.inl"

#include "simd_rows.inl"
#undef GRZ_WIDTH
#undef GRZ_HALF

#define GRZ_WIDTH 16
#define GRZ_HALF  8
#if !defined(GRZ_SIMD_HAS_16)
#    include "simd_pair.inl"
#endif
#include "simd_pair_double.inl"

#include "simd_derived.inl"

#include "simd_wide.inl"

#include "simd_rows.inl"
#undef GRZ_WIDTH
#undef GRZ_HALF

#include "simd_quarters.h"

#include "simd_look_up.h"

// Sixteen bytes are native everywhere.
#define GRZ_WIDTH 32
#define GRZ_HALF  16
#if !defined(GRZ_SIMD_HAS_U8x32)
#    include "simd_pair_bytes.inl"
#endif
#undef GRZ_WIDTH
#undef GRZ_HALF

#define GRZ_WIDTH 64
#define GRZ_HALF  32
#if !defined(GRZ_SIMD_HAS_U8x64)
#    include "simd_pair_bytes.inl"
#endif
#undef GRZ_WIDTH
#undef GRZ_HALF

GRZ_SIMD_INLINE grzM8x16 grzU8x16_GreaterEqual(grzU8x16 a, grzU8x16 b) {
    return grzU8x16_LessEqual(b, a);
}
GRZ_SIMD_INLINE grzM8x32 grzU8x32_GreaterEqual(grzU8x32 a, grzU8x32 b) {
    return grzU8x32_LessEqual(b, a);
}
GRZ_SIMD_INLINE grzM8x64 grzU8x64_GreaterEqual(grzU8x64 a, grzU8x64 b) {
    return grzU8x64_LessEqual(b, a);
}

#include "simd_bytes.h"

#endif
