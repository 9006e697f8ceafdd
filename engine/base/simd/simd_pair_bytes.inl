// GRZ_WIDTH unsigned bytes as a pair of GRZ_HALF, for levels that have nothing wider. Included by simd.h, once per
// width, without an include guard.

#define BYTES      GRZ_SIMD_TYPE(U8x, GRZ_WIDTH)
#define MASK       GRZ_SIMD_TYPE(M8x, GRZ_WIDTH)
#define HALF_BYTES GRZ_SIMD_TYPE(U8x, GRZ_HALF)
#define HALF_MASK  GRZ_SIMD_TYPE(M8x, GRZ_HALF)

// W is a function of the pair, H the same of a half.
#define W(Letter, Verb) GRZ_SIMD_VERB(Letter, GRZ_WIDTH, Verb)
#define H(Letter, Verb) GRZ_SIMD_VERB(Letter, GRZ_HALF, Verb)

typedef struct BYTES {
    HALF_BYTES lower, upper;
} BYTES;

typedef struct MASK {
    HALF_MASK lower, upper;
} MASK;

#define PAIR_BINARY(Result, Letter, Verb, Type)                                                                    \
    GRZ_SIMD_INLINE Result W(Letter, Verb)(Type a, Type b) {                                                       \
        return (Result){H(Letter, Verb)(a.lower, b.lower), H(Letter, Verb)(a.upper, b.upper)};                     \
    }
#define PAIR_MEMORY(Load, Store)                                                                                   \
    GRZ_SIMD_INLINE BYTES W(U8x, Load)(const uint8_t* from) {                                                      \
        return (BYTES){H(U8x, Load)(from), H(U8x, Load)(from + GRZ_HALF)};                                         \
    }                                                                                                              \
    GRZ_SIMD_INLINE void W(U8x, Store)(uint8_t * to, BYTES a) {                                                    \
        H(U8x, Store)(to, a.lower);                                                                                \
        H(U8x, Store)(to + GRZ_HALF, a.upper);                                                                     \
    }

PAIR_MEMORY(Load, Store)
PAIR_MEMORY(LoadAligned, StoreAligned)
GRZ_SIMD_INLINE BYTES W(U8x, Set1)(uint8_t x) {
    return (BYTES){H(U8x, Set1)(x), H(U8x, Set1)(x)};
}
PAIR_BINARY(BYTES, U8x, Min, BYTES)
PAIR_BINARY(BYTES, U8x, Max, BYTES)
PAIR_BINARY(MASK, U8x, Equal, BYTES)
PAIR_BINARY(MASK, U8x, LessEqual, BYTES)
PAIR_BINARY(MASK, M8x, And, MASK)
PAIR_BINARY(MASK, M8x, Or, MASK)
GRZ_SIMD_INLINE uint64_t W(M8x, Bits)(MASK a) {
    return H(M8x, Bits)(a.lower) | H(M8x, Bits)(a.upper) << GRZ_HALF;
}

#undef PAIR_BINARY
#undef PAIR_MEMORY
#undef BYTES
#undef MASK
#undef HALF_BYTES
#undef HALF_MASK
#undef W
#undef H
