// Floats, integers and masks of GRZ_WIDTH lanes as pairs of GRZ_HALF lanes, for levels that have nothing wider.
// Included by simd.h, once per width, without an include guard.

#define FLOATS      GRZ_SIMD_TYPE(F, GRZ_WIDTH)
#define INTS        GRZ_SIMD_TYPE(I, GRZ_WIDTH)
#define MASK        GRZ_SIMD_TYPE(M, GRZ_WIDTH)
#define HALF_FLOATS GRZ_SIMD_TYPE(F, GRZ_HALF)
#define HALF_INTS   GRZ_SIMD_TYPE(I, GRZ_HALF)
#define HALF_MASK   GRZ_SIMD_TYPE(M, GRZ_HALF)

// W is a function of the pair, H the same of a half.
#define W(Letter, Verb) GRZ_SIMD_VERB(Letter, GRZ_WIDTH, Verb)
#define H(Letter, Verb) GRZ_SIMD_VERB(Letter, GRZ_HALF, Verb)

#define PAIR_TYPE(Type, HalfType, Letter)                                                                          \
    typedef struct Type {                                                                                          \
        HalfType lower, upper;                                                                                     \
    } Type;                                                                                                        \
    GRZ_SIMD_INLINE Type W(Letter, Join)(HalfType lower, HalfType upper) {                                         \
        return (Type){lower, upper};                                                                               \
    }                                                                                                              \
    GRZ_SIMD_INLINE HalfType W(Letter, Lower)(Type a) {                                                            \
        return a.lower;                                                                                            \
    }                                                                                                              \
    GRZ_SIMD_INLINE HalfType W(Letter, Upper)(Type a) {                                                            \
        return a.upper;                                                                                            \
    }
#define PAIR_UNARY(Result, Letter, Verb, Type)                                                                     \
    GRZ_SIMD_INLINE Result W(Letter, Verb)(Type a) {                                                               \
        return (Result){H(Letter, Verb)(a.lower), H(Letter, Verb)(a.upper)};                                       \
    }
#define PAIR_BINARY(Result, Letter, Verb, Type)                                                                    \
    GRZ_SIMD_INLINE Result W(Letter, Verb)(Type a, Type b) {                                                       \
        return (Result){H(Letter, Verb)(a.lower, b.lower), H(Letter, Verb)(a.upper, b.upper)};                     \
    }
#define PAIR_SHIFT(Verb)                                                                                           \
    GRZ_SIMD_INLINE INTS W(I, Verb)(INTS a, int n) {                                                               \
        return (INTS){H(I, Verb)(a.lower, n), H(I, Verb)(a.upper, n)};                                             \
    }
#define PAIR_MEMORY(Type, Letter, Lane, Load, Store)                                                               \
    GRZ_SIMD_INLINE Type W(Letter, Load)(const Lane* from) {                                                       \
        return (Type){H(Letter, Load)(from), H(Letter, Load)(from + GRZ_HALF)};                                    \
    }                                                                                                              \
    GRZ_SIMD_INLINE void W(Letter, Store)(Lane * to, Type a) {                                                     \
        H(Letter, Store)(to, a.lower);                                                                             \
        H(Letter, Store)(to + GRZ_HALF, a.upper);                                                                  \
    }
#define PAIR_CONSTANTS(Type, Letter, Lane)                                                                         \
    GRZ_SIMD_INLINE Type W(Letter, Zero)(void) {                                                                   \
        return (Type){H(Letter, Zero)(), H(Letter, Zero)()};                                                       \
    }                                                                                                              \
    GRZ_SIMD_INLINE Type W(Letter, Set1)(Lane x) {                                                                 \
        return (Type){H(Letter, Set1)(x), H(Letter, Set1)(x)};                                                     \
    }

PAIR_TYPE(FLOATS, HALF_FLOATS, F)
PAIR_TYPE(INTS, HALF_INTS, I)
PAIR_TYPE(MASK, HALF_MASK, M)

PAIR_MEMORY(FLOATS, F, float, Load, Store)
PAIR_MEMORY(FLOATS, F, float, LoadAligned, StoreAligned)
PAIR_CONSTANTS(FLOATS, F, float)
PAIR_BINARY(FLOATS, F, Add, FLOATS)
PAIR_BINARY(FLOATS, F, Sub, FLOATS)
PAIR_BINARY(FLOATS, F, Mul, FLOATS)
PAIR_BINARY(FLOATS, F, Div, FLOATS)
PAIR_BINARY(FLOATS, F, Min, FLOATS)
PAIR_BINARY(FLOATS, F, Max, FLOATS)
PAIR_UNARY(FLOATS, F, Sqrt, FLOATS)
PAIR_BINARY(MASK, F, Less, FLOATS)
PAIR_BINARY(MASK, F, LessEqual, FLOATS)
PAIR_BINARY(MASK, F, Equal, FLOATS)
PAIR_BINARY(MASK, F, NotEqual, FLOATS)
PAIR_UNARY(INTS, F, AsInt, FLOATS)
PAIR_UNARY(INTS, F, ToInt, FLOATS)

PAIR_MEMORY(INTS, I, int32_t, Load, Store)
PAIR_MEMORY(INTS, I, int32_t, LoadAligned, StoreAligned)
PAIR_CONSTANTS(INTS, I, int32_t)
PAIR_BINARY(INTS, I, Add, INTS)
PAIR_BINARY(INTS, I, Sub, INTS)
PAIR_BINARY(INTS, I, Min, INTS)
PAIR_BINARY(INTS, I, Max, INTS)
PAIR_BINARY(INTS, I, And, INTS)
PAIR_BINARY(INTS, I, Or, INTS)
PAIR_BINARY(INTS, I, Xor, INTS)
PAIR_BINARY(INTS, I, AndNot, INTS)
PAIR_SHIFT(ShiftLeft)
PAIR_SHIFT(ShiftRight)
PAIR_SHIFT(ShiftRightZero)
PAIR_BINARY(MASK, I, Less, INTS)
PAIR_BINARY(MASK, I, Equal, INTS)
PAIR_UNARY(FLOATS, I, AsFloat, INTS)
PAIR_UNARY(FLOATS, I, ToFloat, INTS)

PAIR_BINARY(MASK, M, And, MASK)
PAIR_BINARY(MASK, M, Or, MASK)
PAIR_BINARY(MASK, M, Xor, MASK)
PAIR_BINARY(MASK, M, AndNot, MASK)
PAIR_UNARY(MASK, M, Not, MASK)

GRZ_SIMD_INLINE FLOATS W(F, Select)(MASK mask, FLOATS yes, FLOATS no) {
    return (FLOATS){H(F, Select)(mask.lower, yes.lower, no.lower), H(F, Select)(mask.upper, yes.upper, no.upper)};
}

GRZ_SIMD_INLINE uint32_t W(M, Bits)(MASK a) {
    return H(M, Bits)(a.lower) | H(M, Bits)(a.upper) << GRZ_HALF;
}
GRZ_SIMD_INLINE MASK W(M, FromBits)(uint32_t bits) {
    return (MASK){H(M, FromBits)(bits), H(M, FromBits)(bits >> GRZ_HALF)};
}

// The upper half goes over the junk that the lower one leaves behind.
GRZ_SIMD_INLINE size_t W(I, CompressTo)(void* to, MASK mask, INTS a) {
    size_t count = H(I, CompressTo)(to, mask.lower, a.lower);
    return count + H(I, CompressTo)((char*)to + 4 * count, mask.upper, a.upper);
}

GRZ_SIMD_INLINE void GRZ_PASTE(grzTransposeBlocks, GRZ_WIDTH)(FLOATS rows[4]) {
    HALF_FLOATS lower[4] = {rows[0].lower, rows[1].lower, rows[2].lower, rows[3].lower};
    HALF_FLOATS upper[4] = {rows[0].upper, rows[1].upper, rows[2].upper, rows[3].upper};
    GRZ_PASTE(grzTransposeBlocks, GRZ_HALF)(lower);
    GRZ_PASTE(grzTransposeBlocks, GRZ_HALF)(upper);
    for (int k = 0; k < 4; ++k)
        rows[k] = (FLOATS){lower[k], upper[k]};
}

#undef PAIR_TYPE
#undef PAIR_UNARY
#undef PAIR_BINARY
#undef PAIR_SHIFT
#undef PAIR_MEMORY
#undef PAIR_CONSTANTS
#undef FLOATS
#undef INTS
#undef MASK
#undef HALF_FLOATS
#undef HALF_INTS
#undef HALF_MASK
#undef W
#undef H
