// What follows from a level's own operations in the same way at every level and width. Included by simd.h, once per
// width, without an include guard.

#define FLOATS          GRZ_SIMD_TYPE(F, GRZ_WIDTH)
#define INTS            GRZ_SIMD_TYPE(I, GRZ_WIDTH)
#define MASK            GRZ_SIMD_TYPE(M, GRZ_WIDTH)

#define W(Letter, Verb) GRZ_SIMD_VERB(Letter, GRZ_WIDTH, Verb)

// Floats are and-ed as integers; compilers move the operation to where the registers are.
#define FLOAT_BITS(Verb)                                                                                           \
    GRZ_SIMD_INLINE FLOATS W(F, Verb)(FLOATS a, FLOATS b) {                                                        \
        return W(I, AsFloat)(W(I, Verb)(W(F, AsInt)(a), W(F, AsInt)(b)));                                          \
    }
FLOAT_BITS(And)
FLOAT_BITS(Or)
FLOAT_BITS(Xor)
FLOAT_BITS(AndNot)
#undef FLOAT_BITS

GRZ_SIMD_INLINE FLOATS W(F, Abs)(FLOATS a) {
    return W(F, AndNot)(a, W(F, Set1)(-0.0f));
}
GRZ_SIMD_INLINE FLOATS W(F, Negate)(FLOATS a) {
    return W(F, Xor)(a, W(F, Set1)(-0.0f));
}
GRZ_SIMD_INLINE MASK W(F, Greater)(FLOATS a, FLOATS b) {
    return W(F, Less)(b, a);
}
GRZ_SIMD_INLINE MASK W(F, GreaterEqual)(FLOATS a, FLOATS b) {
    return W(F, LessEqual)(b, a);
}

GRZ_SIMD_INLINE MASK W(I, Greater)(INTS a, INTS b) {
    return W(I, Less)(b, a);
}
GRZ_SIMD_INLINE MASK W(I, LessEqual)(INTS a, INTS b) {
    return W(M, Not)(W(I, Less)(b, a));
}
GRZ_SIMD_INLINE MASK W(I, GreaterEqual)(INTS a, INTS b) {
    return W(M, Not)(W(I, Less)(a, b));
}
GRZ_SIMD_INLINE MASK W(I, NotEqual)(INTS a, INTS b) {
    return W(M, Not)(W(I, Equal)(a, b));
}
GRZ_SIMD_INLINE INTS W(I, Select)(MASK mask, INTS yes, INTS no) {
    return W(F, AsInt)(W(F, Select)(mask, W(I, AsFloat)(yes), W(I, AsFloat)(no)));
}

GRZ_SIMD_INLINE bool W(M, Any)(MASK a) {
    return W(M, Bits)(a) != 0;
}
GRZ_SIMD_INLINE bool W(M, All)(MASK a) {
    return W(M, Bits)(a) == (1u << GRZ_WIDTH) - 1;
}

GRZ_SIMD_INLINE float W(F, Lane)(FLOATS a, size_t k) {
    float lanes[GRZ_WIDTH];
    W(F, Store)(lanes, a);
    return lanes[k];
}
GRZ_SIMD_INLINE int32_t W(I, Lane)(INTS a, size_t k) {
    int32_t lanes[GRZ_WIDTH];
    W(I, Store)(lanes, a);
    return lanes[k];
}

GRZ_SIMD_INLINE size_t W(F, CompressStore)(float* to, MASK mask, FLOATS a) {
    return W(I, CompressTo)(to, mask, W(F, AsInt)(a));
}
GRZ_SIMD_INLINE size_t W(I, CompressStore)(int32_t* to, MASK mask, INTS a) {
    return W(I, CompressTo)(to, mask, a);
}

#define DOUBLES GRZ_SIMD_TYPE(D, GRZ_WIDTH)
GRZ_SIMD_INLINE DOUBLES W(D, Zero)(void) {
    return W(D, Set1)(0.0);
}
GRZ_SIMD_INLINE DOUBLES W(D, Abs)(DOUBLES a) {
    return W(D, AndNot)(a, W(D, Set1)(-0.0));
}
GRZ_SIMD_INLINE DOUBLES W(D, Negate)(DOUBLES a) {
    return W(D, Xor)(a, W(D, Set1)(-0.0));
}
GRZ_SIMD_INLINE MASK W(D, Greater)(DOUBLES a, DOUBLES b) {
    return W(D, Less)(b, a);
}
GRZ_SIMD_INLINE MASK W(D, GreaterEqual)(DOUBLES a, DOUBLES b) {
    return W(D, LessEqual)(b, a);
}
#undef DOUBLES

#undef FLOATS
#undef INTS
#undef MASK
#undef W
