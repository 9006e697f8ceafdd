// The cases of CASE_WIDTH lanes (CASE_BYTES bytes). Included by simd_cases.c, once per width. Every case goes over
// the whole input and writes lanes in order; masks are written as a byte a lane, 0 or 1.

#define CASE(name)     static size_t GRZ_PASTE(case_##name##_, CASE_WIDTH)(const SimdInput* in, void* output)
#define FLOATS         GRZ_SIMD_TYPE(F, CASE_WIDTH)
#define INTS           GRZ_SIMD_TYPE(I, CASE_WIDTH)
#define MASK           GRZ_SIMD_TYPE(M, CASE_WIDTH)
#define DOUBLES        GRZ_SIMD_TYPE(D, CASE_WIDTH)
#define BYTES          GRZ_SIMD_TYPE(U8x, CASE_BYTES)

#define F(Verb)        GRZ_SIMD_VERB(F, CASE_WIDTH, Verb)
#define I(Verb)        GRZ_SIMD_VERB(I, CASE_WIDTH, Verb)
#define M(Verb)        GRZ_SIMD_VERB(M, CASE_WIDTH, Verb)
#define D(Verb)        GRZ_SIMD_VERB(D, CASE_WIDTH, Verb)
#define U(Verb)        GRZ_SIMD_VERB(U8x, CASE_BYTES, Verb)
#define UM(Verb)       GRZ_SIMD_VERB(M8x, CASE_BYTES, Verb)

#define EACH_VECTOR(k) for (size_t k = 0; k < SIMD_COUNT; k += CASE_WIDTH)

// A case that stores `value` at lane k of the output.
#define STORES(name, Lane, store, value)                                                                           \
    CASE(name) {                                                                                                   \
        Lane* out = output;                                                                                        \
        EACH_VECTOR(k) store(out + k, value);                                                                      \
        return SIMD_COUNT * sizeof *out;                                                                           \
    }
#define FLOAT_UNARY(Verb)   STORES(F_##Verb, float, F(Store), F(Verb)(F(Load)(in->a + k)))
#define FLOAT_BINARY(Verb)  STORES(F_##Verb, float, F(Store), F(Verb)(F(Load)(in->a + k), F(Load)(in->b + k)))
#define INT_BINARY(Verb)    STORES(I_##Verb, int32_t, I(Store), I(Verb)(I(Load)(in->i + k), I(Load)(in->j + k)))
#define DOUBLE_UNARY(Verb)  STORES(D_##Verb, double, D(Store), D(Verb)(D(Load)(in->d + k)))
#define DOUBLE_BINARY(Verb) STORES(D_##Verb, double, D(Store), D(Verb)(D(Load)(in->d + k), D(Load)(in->e + k)))

static inline void GRZ_PASTE(storeMask_, CASE_WIDTH)(uint8_t* to, MASK mask) {
    uint32_t bits = M(Bits)(mask);
    for (int lane = 0; lane < 32; ++lane) {
        if (lane < CASE_WIDTH)
            to[lane] = bits >> lane & 1u;
        else if ((bits >> lane & 1u) != 0)
            to[0] = 99; // a bit that has no lane
    }
}
#define STORES_MASK(name, value) STORES(name, uint8_t, GRZ_PASTE(storeMask_, CASE_WIDTH), value)
#define COMPARE(Letter, Verb, from, other)                                                                         \
    STORES_MASK(Letter##_##Verb, Letter(Verb)(Letter(Load)(in->from + k), Letter(Load)(in->other + k)))

FLOAT_BINARY(Add)
FLOAT_BINARY(Sub)
FLOAT_BINARY(Mul)
FLOAT_BINARY(Div)
FLOAT_UNARY(Sqrt)
FLOAT_BINARY(Min)
FLOAT_BINARY(Max)
FLOAT_UNARY(Abs)
FLOAT_UNARY(Negate)
FLOAT_BINARY(And)
FLOAT_BINARY(Or)
FLOAT_BINARY(Xor)
FLOAT_BINARY(AndNot)
COMPARE(F, Less, a, b)
COMPARE(F, LessEqual, a, b)
COMPARE(F, Greater, a, b)
COMPARE(F, GreaterEqual, a, b)
COMPARE(F, Equal, a, b)
COMPARE(F, NotEqual, a, b)

// The mask of a vector is taken from the bits of its first integer, so that it has nothing to do with the lanes.
#define CASE_MASK M(FromBits)((uint32_t)in->i[k])

STORES(F_Select, float, F(Store), F(Select)(CASE_MASK, F(Load)(in->a + k), F(Load)(in->b + k)))
STORES(I_Select, int32_t, I(Store), I(Select)(CASE_MASK, I(Load)(in->i + k), I(Load)(in->j + k)))
STORES(F_Set1, float, F(Store), (k / CASE_WIDTH % 2 != 0 ? F(Zero)() : F(Set1)(in->a[k])))
STORES(I_Set1, int32_t, I(Store), (k / CASE_WIDTH % 2 != 0 ? I(Zero)() : I(Set1)(in->i[k])))
STORES(F_AsInt, int32_t, I(Store), F(AsInt)(F(Load)(in->a + k)))
STORES(I_AsFloat, float, F(Store), I(AsFloat)(I(Load)(in->i + k)))
STORES(F_ToInt, int32_t, I(Store), F(ToInt)(F(Load)(in->a + k)))
STORES(I_ToFloat, float, F(Store), I(ToFloat)(I(Load)(in->i + k)))
STORES(F_Gather, float, F(Store), F(Gather)(in->a, I(Load)(in->index + k)))
STORES(I_Gather, int32_t, I(Store), I(Gather)(in->i, I(Load)(in->index + k)))

// An unaligned load to an aligned store, and an aligned load to an unaligned store.
#define MEMORY(Letter, Lane, from, count, step)                                                                    \
    CASE(Letter##_Memory) {                                                                                        \
        Lane* out = output;                                                                                        \
        for (size_t k = 0; k < (count); k += (step)) {                                                             \
            Letter(StoreAligned)(out + k, Letter(Load)(in->from + k + 1));                                         \
            _Alignas(64) Lane other[(step) + 1] = {0};                                                             \
            Letter(Store)(other + 1, Letter(LoadAligned)(in->from + k));                                           \
            memcpy(out + (count) + k, other + 1, (step) * sizeof *out);                                            \
        }                                                                                                          \
        return (count)*2 * sizeof *out;                                                                            \
    }
MEMORY(F, float, a, SIMD_COUNT, CASE_WIDTH)
MEMORY(I, int32_t, i, SIMD_COUNT, CASE_WIDTH)
MEMORY(U, uint8_t, u, SIMD_COUNT, CASE_BYTES)

CASE(F_Lane) {
    float* out = output;
    for (size_t k = 0; k < SIMD_COUNT; ++k) {
        float lane = F(Lane)(F(Load)(in->a + k / CASE_WIDTH * CASE_WIDTH), k % CASE_WIDTH);
        memcpy(out + k, &lane, sizeof lane);
    }
    return SIMD_COUNT * sizeof *out;
}
CASE(I_Lane) {
    int32_t* out = output;
    for (size_t k = 0; k < SIMD_COUNT; ++k)
        out[k] = I(Lane)(I(Load)(in->i + k / CASE_WIDTH * CASE_WIDTH), k % CASE_WIDTH);
    return SIMD_COUNT * sizeof *out;
}

// The halves change places; four lanes are set one by one instead.
#if CASE_WIDTH == 4
STORES(F_Halves, float, F(Store), grzF4_Set(in->a[k + 2], in->a[k + 3], in->a[k], in->a[k + 1]))
STORES(I_Halves, int32_t, I(Store), grzI4_Set(in->i[k + 2], in->i[k + 3], in->i[k], in->i[k + 1]))
STORES_MASK(M_Halves, M(FromBits)(((uint32_t)in->i[k] >> 2 & 3u) | ((uint32_t)in->i[k] & 3u) << 2))
#else
STORES(F_Halves, float, F(Store), F(Join)(F(Upper)(F(Load)(in->a + k)), F(Lower)(F(Load)(in->a + k))))
STORES(I_Halves, int32_t, I(Store), I(Join)(I(Upper)(I(Load)(in->i + k)), I(Lower)(I(Load)(in->i + k))))
STORES_MASK(M_Halves, M(Join)(M(Upper)(CASE_MASK), M(Lower)(CASE_MASK)))
#endif

// The count, the lanes that count, and what lies behind a full vector, which must stay.
#define COMPRESS(Letter, Lane, from)                                                                               \
    CASE(Letter##_CompressStore) {                                                                                 \
        char* out = output;                                                                                        \
        EACH_VECTOR(k) {                                                                                           \
            int32_t row[1 + CASE_WIDTH + 1] = {0};                                                                 \
            Lane lanes[CASE_WIDTH + 1] = {0};                                                                      \
            lanes[CASE_WIDTH] = (Lane)77;                                                                          \
            size_t count = Letter(CompressStore)(lanes, CASE_MASK, Letter(Load)(in->from + k));                    \
            row[0] = (int32_t)count;                                                                               \
            memcpy(row + 1, lanes, count * sizeof(Lane));                                                          \
            row[1 + CASE_WIDTH] = (int32_t)lanes[CASE_WIDTH];                                                      \
            memcpy(out, row, sizeof row);                                                                          \
            out += sizeof row;                                                                                     \
        }                                                                                                          \
        return (size_t)(out - (char*)output);                                                                      \
    }
COMPRESS(F, float, a)
COMPRESS(I, int32_t, i)

#define REDUCE(Letter, Lane, Verb, from)                                                                           \
    CASE(Letter##_##Verb) {                                                                                        \
        Lane* out = output;                                                                                        \
        EACH_VECTOR(k) {                                                                                           \
            Lane lane = Letter(Verb)(Letter(Load)(in->from + k));                                                  \
            memcpy(out++, &lane, sizeof lane);                                                                     \
        }                                                                                                          \
        return SIMD_COUNT / CASE_WIDTH * sizeof *out;                                                              \
    }
REDUCE(F, float, ReduceMin, b)
REDUCE(F, float, ReduceMax, b)
REDUCE(F, float, ReduceSum, b)
REDUCE(I, int32_t, ReduceMin, j)
REDUCE(I, int32_t, ReduceMax, j)
REDUCE(I, int32_t, ReduceSum, j)

// The input is read as SIMD_COUNT / 4 rows.
static inline size_t GRZ_PASTE(storeColumns_, CASE_WIDTH)(float* out, const FLOATS columns[4]) {
    for (size_t c = 0; c < 4; ++c)
        F(Store)(out + c * CASE_WIDTH, columns[c]);
    return 4 * CASE_WIDTH;
}
CASE(F_LoadRows4) {
    float* out = output;
    for (size_t row = 0; row < SIMD_COUNT / 4; row += CASE_WIDTH) {
        FLOATS columns[4];
        F(LoadRows4)(in->a + 4 * row, columns);
        out += GRZ_PASTE(storeColumns_, CASE_WIDTH)(out, columns);
    }
    return SIMD_COUNT * sizeof *out;
}
CASE(F_GatherRows4) {
    float* out = output;
    EACH_VECTOR(k) {
        FLOATS columns[4];
        F(GatherRows4)(in->a, I(Load)(in->index + k), columns);
        out += GRZ_PASTE(storeColumns_, CASE_WIDTH)(out, columns);
    }
    return SIMD_COUNT * 4 * sizeof *out;
}
CASE(F_StoreRows4) {
    float* out = output;
    for (size_t k = 0; k < SIMD_COUNT; k += 4 * CASE_WIDTH) {
        FLOATS columns[4];
        for (size_t c = 0; c < 4; ++c)
            columns[c] = F(Load)(in->a + k + c * CASE_WIDTH);
        F(StoreRows4)(out + k, columns);
    }
    return SIMD_COUNT * sizeof *out;
}

INT_BINARY(Add)
INT_BINARY(Sub)
INT_BINARY(Min)
INT_BINARY(Max)
INT_BINARY(And)
INT_BINARY(Or)
INT_BINARY(Xor)
INT_BINARY(AndNot)
COMPARE(I, Less, i, j)
COMPARE(I, LessEqual, i, j)
COMPARE(I, Greater, i, j)
COMPARE(I, GreaterEqual, i, j)
COMPARE(I, Equal, i, j)
COMPARE(I, NotEqual, i, j)
STORES(I_ShiftLeft, int32_t, I(Store), I(ShiftLeft)(I(Load)(in->i + k), (int)(k / CASE_WIDTH % 32)))
STORES(I_ShiftRight, int32_t, I(Store), I(ShiftRight)(I(Load)(in->i + k), (int)(k / CASE_WIDTH % 32)))
STORES(I_ShiftRightZero, int32_t, I(Store), I(ShiftRightZero)(I(Load)(in->i + k), (int)(k / CASE_WIDTH % 32)))

#define OTHER_MASK M(FromBits)((uint32_t)in->j[k])
STORES_MASK(M_And, M(And)(CASE_MASK, OTHER_MASK))
STORES_MASK(M_Or, M(Or)(CASE_MASK, OTHER_MASK))
STORES_MASK(M_Xor, M(Xor)(CASE_MASK, OTHER_MASK))
STORES_MASK(M_AndNot, M(AndNot)(CASE_MASK, OTHER_MASK))
STORES_MASK(M_Not, M(Not)(CASE_MASK))
STORES_MASK(M_FromBits, CASE_MASK)
CASE(M_AllAny) {
    uint8_t* out = output;
    EACH_VECTOR(k) {
        *out++ = (uint8_t)(M(All)(CASE_MASK) * 2 + M(Any)(CASE_MASK));
    }
    return SIMD_COUNT / CASE_WIDTH;
}

DOUBLE_BINARY(Add)
DOUBLE_BINARY(Sub)
DOUBLE_BINARY(Mul)
DOUBLE_BINARY(Div)
DOUBLE_UNARY(Sqrt)
DOUBLE_BINARY(Min)
DOUBLE_BINARY(Max)
DOUBLE_UNARY(Abs)
DOUBLE_UNARY(Negate)
COMPARE(D, Less, d, e)
COMPARE(D, LessEqual, d, e)
COMPARE(D, Greater, d, e)
COMPARE(D, GreaterEqual, d, e)
COMPARE(D, Equal, d, e)
COMPARE(D, NotEqual, d, e)
STORES(D_Select, double, D(Store), D(Select)(CASE_MASK, D(Load)(in->d + k), D(Load)(in->e + k)))
STORES(D_Set1, double, D(Store), (k / CASE_WIDTH % 2 != 0 ? D(Zero)() : D(Set1)(in->d[k])))
STORES(D_FromFloat, double, D(Store), D(FromFloat)(F(Load)(in->a + k)))
STORES(D_ToFloat, float, F(Store), D(ToFloat)(D(Load)(in->d + k)))
MEMORY(D, double, d, SIMD_COUNT, CASE_WIDTH)

#define EACH_BYTES(k) for (size_t k = 0; k < SIMD_COUNT; k += CASE_BYTES)
#define BYTE_BINARY(Verb)                                                                                          \
    CASE(U_##Verb) {                                                                                               \
        uint8_t* out = output;                                                                                     \
        EACH_BYTES(k) U(Store)(out + k, U(Verb)(U(Load)(in->u + k), U(Load)(in->v + k)));                          \
        return SIMD_COUNT;                                                                                         \
    }
#define STORES_BITS(name, value)                                                                                   \
    CASE(name) {                                                                                                   \
        uint64_t* out = output;                                                                                    \
        EACH_BYTES(k) {                                                                                            \
            BYTES u = U(Load)(in->u + k), v = U(Load)(in->v + k);                                                  \
            *out++ = UM(Bits)(value);                                                                              \
        }                                                                                                          \
        return SIMD_COUNT / CASE_BYTES * sizeof *out;                                                              \
    }
BYTE_BINARY(Min)
BYTE_BINARY(Max)
STORES_BITS(U_LessEqual, U(LessEqual)(u, v))
STORES_BITS(U_GreaterEqual, U(GreaterEqual)(u, v))
STORES_BITS(U_Equal, U(Equal)(u, v))
STORES_BITS(U_Set1, U(Equal)(u, U(Max)(v, U(Set1)(in->u[k]))))
STORES_BITS(U_MaskAnd, UM(And)(U(LessEqual)(u, v), U(LessEqual)(v, u)))
STORES_BITS(U_MaskOr, UM(Or)(U(LessEqual)(u, v), U(Equal)(v, U(Set1)(255))))

// Of 64 bits, whatever the width: the count, the places, and what lies behind 64 of them, which must stay.
CASE(U_StorePlaces) {
    uint8_t* out = output;
    for (size_t k = 0; k < SIMD_COUNT; k += 64, out += 66) {
        uint8_t places[65] = {0};
        places[64] = 77;
        uint64_t bits = (uint64_t)(uint32_t)in->i[k] << 32 | (uint32_t)in->j[k];
        out[0] = (uint8_t)grzU8x64_StorePlaces(places, k % 256 == 0 ? bits & 0x8001 : bits);
        memset(out + 1, 0, 64);
        memcpy(out + 1, places, out[0]);
        out[65] = places[64];
    }
    return SIMD_COUNT / 64 * 66;
}

#undef CASE
#undef FLOATS
#undef INTS
#undef MASK
#undef DOUBLES
#undef BYTES
#undef F
#undef I
#undef M
#undef D
#undef U
#undef UM
#undef EACH_VECTOR
#undef STORES
#undef FLOAT_UNARY
#undef FLOAT_BINARY
#undef INT_BINARY
#undef DOUBLE_UNARY
#undef DOUBLE_BINARY
#undef STORES_MASK
#undef COMPARE
#undef CASE_MASK
#undef MEMORY
#undef COMPRESS
#undef REDUCE
#undef OTHER_MASK
#undef EACH_BYTES
#undef BYTE_BINARY
#undef STORES_BITS
#undef CASE_WIDTH
#undef CASE_BYTES
