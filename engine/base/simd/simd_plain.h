// The scalar level: four lanes in plain C, which say what every other level must answer. Included by simd.h alone.
#ifndef GRAZE_BASE_SIMD_PLAIN_H
#define GRAZE_BASE_SIMD_PLAIN_H

typedef struct grzF4 {
    float v[4];
} grzF4;

typedef struct grzI4 {
    int32_t v[4];
} grzI4;

typedef struct grzM4 {
    uint32_t v[4]; // all ones or all zeros a lane
} grzM4;

typedef struct grzD4 {
    double v[4];
} grzD4;

typedef struct grzU8x16 {
    uint8_t v[16];
} grzU8x16;

typedef struct grzM8x16 {
    uint8_t v[16]; // all ones or all zeros a byte
} grzM8x16;

// Lane by lane: `value` speaks of x and y, the lanes of a and b.
#define GRZ_PLAIN_UNARY(Result, Type, Verb, Lane, count, value)                                                    \
    GRZ_SIMD_INLINE Result Type##_##Verb(Type a) {                                                                 \
        Result result;                                                                                             \
        for (int k = 0; k < (count); ++k) {                                                                        \
            Lane x = a.v[k];                                                                                       \
            result.v[k] = (value);                                                                                 \
        }                                                                                                          \
        return result;                                                                                             \
    }
#define GRZ_PLAIN_BINARY(Result, Type, Verb, Lane, count, value)                                                   \
    GRZ_SIMD_INLINE Result Type##_##Verb(Type a, Type b) {                                                         \
        Result result;                                                                                             \
        for (int k = 0; k < (count); ++k) {                                                                        \
            Lane x = a.v[k], y = b.v[k];                                                                           \
            result.v[k] = (value);                                                                                 \
        }                                                                                                          \
        return result;                                                                                             \
    }
#define GRZ_PLAIN_MEMORY(Type, Lane, Load, Store)                                                                  \
    GRZ_SIMD_INLINE Type Type##_##Load(const Lane* from) {                                                         \
        Type result;                                                                                               \
        memcpy(result.v, from, sizeof result.v);                                                                   \
        return result;                                                                                             \
    }                                                                                                              \
    GRZ_SIMD_INLINE void Type##_##Store(Lane* to, Type a) {                                                        \
        memcpy(to, a.v, sizeof a.v);                                                                               \
    }
#define GRZ_PLAIN_SET1(Type, Lane, count)                                                                          \
    GRZ_SIMD_INLINE Type Type##_Set1(Lane x) {                                                                     \
        Type result;                                                                                               \
        for (int k = 0; k < (count); ++k)                                                                          \
            result.v[k] = x;                                                                                       \
        return result;                                                                                             \
    }
#define GRZ_PLAIN_MASK(condition) ((condition) ? UINT32_MAX : 0u)

GRZ_PLAIN_MEMORY(grzF4, float, Load, Store)
GRZ_PLAIN_MEMORY(grzF4, float, LoadAligned, StoreAligned)
GRZ_PLAIN_SET1(grzF4, float, 4)
GRZ_SIMD_INLINE grzF4 grzF4_Zero(void) {
    return grzF4_Set1(0.0f);
}
GRZ_SIMD_INLINE grzF4 grzF4_Set(float x, float y, float z, float w) {
    return (grzF4){{x, y, z, w}};
}
GRZ_SIMD_INLINE float grzF4_First(grzF4 a) {
    return a.v[0];
}
GRZ_PLAIN_BINARY(grzF4, grzF4, Add, float, 4, x + y)
GRZ_PLAIN_BINARY(grzF4, grzF4, Sub, float, 4, x - y)
GRZ_PLAIN_BINARY(grzF4, grzF4, Mul, float, 4, (x) * (y))
GRZ_PLAIN_BINARY(grzF4, grzF4, Div, float, 4, x / y)
GRZ_PLAIN_BINARY(grzF4, grzF4, Min, float, 4, x < y ? x : y)
GRZ_PLAIN_BINARY(grzF4, grzF4, Max, float, 4, x > y ? x : y)
GRZ_PLAIN_UNARY(grzF4, grzF4, Sqrt, float, 4, sqrtf(x))
GRZ_PLAIN_BINARY(grzM4, grzF4, Less, float, 4, GRZ_PLAIN_MASK(x < y))
GRZ_PLAIN_BINARY(grzM4, grzF4, LessEqual, float, 4, GRZ_PLAIN_MASK(x <= y))
GRZ_PLAIN_BINARY(grzM4, grzF4, Equal, float, 4, GRZ_PLAIN_MASK(x == y))
GRZ_PLAIN_BINARY(grzM4, grzF4, NotEqual, float, 4, GRZ_PLAIN_MASK(x != y))
GRZ_PLAIN_UNARY(grzI4, grzF4, ToInt, float, 4, x >= -2147483648.0f && x < 2147483648.0f ? (int32_t)x : INT32_MIN)

GRZ_SIMD_INLINE grzI4 grzF4_AsInt(grzF4 a) {
    grzI4 result;
    memcpy(&result, &a, sizeof result);
    return result;
}
GRZ_SIMD_INLINE grzF4 grzI4_AsFloat(grzI4 a) {
    grzF4 result;
    memcpy(&result, &a, sizeof result);
    return result;
}

GRZ_PLAIN_MEMORY(grzI4, int32_t, Load, Store)
GRZ_PLAIN_MEMORY(grzI4, int32_t, LoadAligned, StoreAligned)
GRZ_PLAIN_SET1(grzI4, int32_t, 4)
GRZ_SIMD_INLINE grzI4 grzI4_Zero(void) {
    return grzI4_Set1(0);
}
GRZ_SIMD_INLINE grzI4 grzI4_Set(int32_t x, int32_t y, int32_t z, int32_t w) {
    return (grzI4){{x, y, z, w}};
}
GRZ_SIMD_INLINE int32_t grzI4_First(grzI4 a) {
    return a.v[0];
}
GRZ_SIMD_INLINE grzI4 grzI4_SwapPairs(grzI4 a) {
    return (grzI4){{a.v[2], a.v[3], a.v[0], a.v[1]}};
}
GRZ_SIMD_INLINE grzI4 grzI4_SwapLanes(grzI4 a) {
    return (grzI4){{a.v[1], a.v[0], a.v[3], a.v[2]}};
}
GRZ_PLAIN_BINARY(grzI4, grzI4, Add, int32_t, 4, (int32_t)((uint32_t)x + (uint32_t)y))
GRZ_PLAIN_BINARY(grzI4, grzI4, Sub, int32_t, 4, (int32_t)((uint32_t)x - (uint32_t)y))
GRZ_PLAIN_BINARY(grzI4, grzI4, Min, int32_t, 4, x < y ? x : y)
GRZ_PLAIN_BINARY(grzI4, grzI4, Max, int32_t, 4, x > y ? x : y)
GRZ_PLAIN_BINARY(grzI4, grzI4, And, int32_t, 4, x& y)
GRZ_PLAIN_BINARY(grzI4, grzI4, Or, int32_t, 4, x | y)
GRZ_PLAIN_BINARY(grzI4, grzI4, Xor, int32_t, 4, x ^ y)
GRZ_PLAIN_BINARY(grzI4, grzI4, AndNot, int32_t, 4, x & ~y)
GRZ_PLAIN_BINARY(grzM4, grzI4, Less, int32_t, 4, GRZ_PLAIN_MASK(x < y))
GRZ_PLAIN_BINARY(grzM4, grzI4, Equal, int32_t, 4, GRZ_PLAIN_MASK(x == y))
GRZ_PLAIN_UNARY(grzF4, grzI4, ToFloat, int32_t, 4, (float)x)

#define GRZ_PLAIN_SHIFT(Verb, value)                                                                               \
    GRZ_SIMD_INLINE grzI4 grzI4_##Verb(grzI4 a, int n) {                                                           \
        grzI4 result;                                                                                              \
        for (int k = 0; k < 4; ++k) {                                                                              \
            int32_t x = a.v[k];                                                                                    \
            result.v[k] = (value);                                                                                 \
        }                                                                                                          \
        return result;                                                                                             \
    }
GRZ_PLAIN_SHIFT(ShiftLeft, (int32_t)((uint32_t)x << n))
GRZ_PLAIN_SHIFT(ShiftRight, x >> n) // gcc and clang keep the sign
GRZ_PLAIN_SHIFT(ShiftRightZero, (int32_t)((uint32_t)x >> n))
#undef GRZ_PLAIN_SHIFT

GRZ_PLAIN_BINARY(grzM4, grzM4, And, uint32_t, 4, x& y)
GRZ_PLAIN_BINARY(grzM4, grzM4, Or, uint32_t, 4, x | y)
GRZ_PLAIN_BINARY(grzM4, grzM4, Xor, uint32_t, 4, x ^ y)
GRZ_PLAIN_BINARY(grzM4, grzM4, AndNot, uint32_t, 4, x & ~y)
GRZ_PLAIN_UNARY(grzM4, grzM4, Not, uint32_t, 4, ~x)
GRZ_SIMD_INLINE uint32_t grzM4_Bits(grzM4 a) {
    return (a.v[0] & 1u) | (a.v[1] & 2u) | (a.v[2] & 4u) | (a.v[3] & 8u);
}
GRZ_SIMD_INLINE grzM4 grzM4_FromBits(uint32_t bits) {
    return (grzM4){{GRZ_PLAIN_MASK(bits & 1u), GRZ_PLAIN_MASK(bits & 2u), GRZ_PLAIN_MASK(bits & 4u),
                    GRZ_PLAIN_MASK(bits & 8u)}};
}

// Through the bits, which is how the hardware moves a lane: it cannot touch a NaN.
GRZ_SIMD_INLINE grzF4 grzF4_Select(grzM4 mask, grzF4 yes, grzF4 no) {
    grzI4 a = grzF4_AsInt(yes), b = grzF4_AsInt(no);
    for (int k = 0; k < 4; ++k)
        a.v[k] = mask.v[k] != 0 ? a.v[k] : b.v[k];
    return grzI4_AsFloat(a);
}

GRZ_SIMD_INLINE size_t grzI4_CompressTo(void* to, grzM4 mask, grzI4 a) {
    return grzCompressLanes4(to, grzM4_Bits(mask), a.v);
}

GRZ_SIMD_INLINE void grzTranspose4(grzF4* a, grzF4* b, grzF4* c, grzF4* d) {
    grzF4 rows[4] = {*a, *b, *c, *d};
    for (int k = 0; k < 4; ++k) {
        a->v[k] = rows[k].v[0];
        b->v[k] = rows[k].v[1];
        c->v[k] = rows[k].v[2];
        d->v[k] = rows[k].v[3];
    }
}

GRZ_PLAIN_MEMORY(grzD4, double, Load, Store)
GRZ_PLAIN_MEMORY(grzD4, double, LoadAligned, StoreAligned)
GRZ_PLAIN_SET1(grzD4, double, 4)
GRZ_PLAIN_UNARY(grzD4, grzD4, Sqrt, double, 4, sqrt(x))
GRZ_PLAIN_BINARY(grzD4, grzD4, Add, double, 4, x + y)
GRZ_PLAIN_BINARY(grzD4, grzD4, Sub, double, 4, x - y)
GRZ_PLAIN_BINARY(grzD4, grzD4, Mul, double, 4, (x) * (y))
GRZ_PLAIN_BINARY(grzD4, grzD4, Div, double, 4, x / y)
GRZ_PLAIN_BINARY(grzD4, grzD4, Min, double, 4, x < y ? x : y)
GRZ_PLAIN_BINARY(grzD4, grzD4, Max, double, 4, x > y ? x : y)
GRZ_PLAIN_BINARY(grzM4, grzD4, Less, double, 4, GRZ_PLAIN_MASK(x < y))
GRZ_PLAIN_BINARY(grzM4, grzD4, LessEqual, double, 4, GRZ_PLAIN_MASK(x <= y))
GRZ_PLAIN_BINARY(grzM4, grzD4, Equal, double, 4, GRZ_PLAIN_MASK(x == y))
GRZ_PLAIN_BINARY(grzM4, grzD4, NotEqual, double, 4, GRZ_PLAIN_MASK(x != y))

GRZ_SIMD_INLINE grzD4 grzD4_FromFloat(grzF4 a) {
    grzD4 result;
    for (int k = 0; k < 4; ++k)
        result.v[k] = (double)a.v[k];
    return result;
}
GRZ_SIMD_INLINE grzF4 grzD4_ToFloat(grzD4 a) {
    grzF4 result;
    for (int k = 0; k < 4; ++k)
        result.v[k] = (float)a.v[k];
    return result;
}
GRZ_SIMD_INLINE grzD4 grzD4_Select(grzM4 mask, grzD4 yes, grzD4 no) {
    for (int k = 0; k < 4; ++k)
        memcpy(&yes.v[k], mask.v[k] != 0 ? &yes.v[k] : &no.v[k], sizeof yes.v[k]);
    return yes;
}
#define GRZ_PLAIN_BITS(Verb, value)                                                                                \
    GRZ_SIMD_INLINE grzD4 grzD4_##Verb(grzD4 a, grzD4 b) {                                                         \
        for (int k = 0; k < 4; ++k) {                                                                              \
            uint64_t x, y;                                                                                         \
            memcpy(&x, &a.v[k], sizeof x);                                                                         \
            memcpy(&y, &b.v[k], sizeof y);                                                                         \
            x = (value);                                                                                           \
            memcpy(&a.v[k], &x, sizeof x);                                                                         \
        }                                                                                                          \
        return a;                                                                                                  \
    }
GRZ_PLAIN_BITS(Xor, x ^ y)
GRZ_PLAIN_BITS(AndNot, x & ~y)
#undef GRZ_PLAIN_BITS

GRZ_PLAIN_MEMORY(grzU8x16, uint8_t, Load, Store)
GRZ_PLAIN_MEMORY(grzU8x16, uint8_t, LoadAligned, StoreAligned)
GRZ_PLAIN_SET1(grzU8x16, uint8_t, 16)
GRZ_PLAIN_BINARY(grzU8x16, grzU8x16, Min, uint8_t, 16, x < y ? x : y)
GRZ_PLAIN_BINARY(grzU8x16, grzU8x16, Max, uint8_t, 16, x > y ? x : y)
GRZ_PLAIN_BINARY(grzM8x16, grzU8x16, Equal, uint8_t, 16, x == y ? UINT8_MAX : 0)
GRZ_PLAIN_BINARY(grzM8x16, grzU8x16, LessEqual, uint8_t, 16, x <= y ? UINT8_MAX : 0)
GRZ_PLAIN_BINARY(grzM8x16, grzM8x16, And, uint8_t, 16, (uint8_t)(x& y))
GRZ_PLAIN_BINARY(grzM8x16, grzM8x16, Or, uint8_t, 16, (uint8_t)(x | y))
GRZ_SIMD_INLINE uint64_t grzM8x16_Bits(grzM8x16 a) {
    uint64_t bits = 0;
    for (int k = 0; k < 16; ++k)
        bits |= (uint64_t)(a.v[k] & 1u) << k;
    return bits;
}

#undef GRZ_PLAIN_UNARY
#undef GRZ_PLAIN_BINARY
#undef GRZ_PLAIN_MEMORY
#undef GRZ_PLAIN_SET1
#undef GRZ_PLAIN_MASK

#endif
