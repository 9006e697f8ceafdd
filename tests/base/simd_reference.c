// The answers that simd.h must give, each in the most obvious scalar way. Compiled once, without simd.h.
#include "simd_reference.h"

#include <math.h>
#include <string.h>

#define CASE(name) static size_t reference_##name(int width, const SimdInput* in, void* output)

// Lane k of the answer from the lanes of the two inputs. Values are stored as they are; a NaN may lose its payload
// only where the answer is arithmetic.
#define LANES(name, Lane, value)                                                                                   \
    CASE(name) {                                                                                                   \
        Lane* out = output;                                                                                        \
        (void)width;                                                                                               \
        for (size_t k = 0; k < SIMD_COUNT; ++k)                                                                    \
            out[k] = (value);                                                                                      \
        return SIMD_COUNT * sizeof *out;                                                                           \
    }

static uint32_t floatBits(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static uint64_t doubleBits(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

// Where lane k's vector starts, and whether its mask, the bits of that vector's first integer, has lane k.
static size_t startOf(size_t k, int width) {
    return k / (size_t)width * (size_t)width;
}

static bool hasLane(const int32_t* masks, size_t k, int width) {
    return ((uint32_t)masks[startOf(k, width)] >> (k - startOf(k, width)) & 1u) != 0;
}

LANES(F_Add, float, in->a[k] + in->b[k])
LANES(F_Sub, float, in->a[k] - in->b[k])
LANES(F_Mul, float, in->a[k] * in->b[k])
LANES(F_Div, float, in->a[k] / in->b[k])
LANES(F_Sqrt, float, sqrtf(in->a[k]))
LANES(F_Min, uint32_t, in->a[k] < in->b[k] ? floatBits(in->a[k]) : floatBits(in->b[k]))
LANES(F_Max, uint32_t, in->a[k] > in->b[k] ? floatBits(in->a[k]) : floatBits(in->b[k]))
LANES(F_Abs, uint32_t, floatBits(in->a[k]) & 0x7FFFFFFFu)
LANES(F_Negate, uint32_t, floatBits(in->a[k]) ^ 0x80000000u)
LANES(F_And, uint32_t, floatBits(in->a[k]) & floatBits(in->b[k]))
LANES(F_Or, uint32_t, floatBits(in->a[k]) | floatBits(in->b[k]))
LANES(F_Xor, uint32_t, floatBits(in->a[k]) ^ floatBits(in->b[k]))
LANES(F_AndNot, uint32_t, floatBits(in->a[k]) & ~floatBits(in->b[k]))
LANES(F_Less, uint8_t, in->a[k] < in->b[k])
LANES(F_LessEqual, uint8_t, in->a[k] <= in->b[k])
LANES(F_Greater, uint8_t, in->a[k] > in->b[k])
LANES(F_GreaterEqual, uint8_t, in->a[k] >= in->b[k])
LANES(F_Equal, uint8_t, in->a[k] == in->b[k])
LANES(F_NotEqual, uint8_t, in->a[k] != in->b[k])
LANES(F_Select, uint32_t, floatBits(hasLane(in->i, k, width) ? in->a[k] : in->b[k]))
LANES(F_Set1, uint32_t, k / (size_t)width % 2 != 0 ? 0 : floatBits(in->a[startOf(k, width)]))
LANES(F_Lane, uint32_t, floatBits(in->a[k]))
LANES(F_AsInt, uint32_t, floatBits(in->a[k]))
LANES(F_Gather, uint32_t, floatBits(in->a[in->index[k]]))

// In 64 bits every float that fits 32 does, and so do those just outside.
static int32_t truncated(float x) {
    if (!(fabsf(x) < 4294967296.0f))
        return INT32_MIN;
    int64_t whole = (int64_t)x;
    return whole < INT32_MIN || whole > INT32_MAX ? INT32_MIN : (int32_t)whole;
}
LANES(F_ToInt, int32_t, truncated(in->a[k]))

static int32_t wrapped(int64_t x) {
    uint32_t bits = (uint32_t)(uint64_t)x;
    int32_t value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

LANES(I_Add, int32_t, wrapped((int64_t)in->i[k] + in->j[k]))
LANES(I_Sub, int32_t, wrapped((int64_t)in->i[k] - in->j[k]))
LANES(I_Min, int32_t, in->i[k] < in->j[k] ? in->i[k] : in->j[k])
LANES(I_Max, int32_t, in->i[k] > in->j[k] ? in->i[k] : in->j[k])
LANES(I_And, int32_t, in->i[k] & in->j[k])
LANES(I_Or, int32_t, in->i[k] | in->j[k])
LANES(I_Xor, int32_t, in->i[k] ^ in->j[k])
LANES(I_AndNot, int32_t, in->i[k] & ~in->j[k])
LANES(I_Less, uint8_t, in->i[k] < in->j[k])
LANES(I_LessEqual, uint8_t, in->i[k] <= in->j[k])
LANES(I_Greater, uint8_t, in->i[k] > in->j[k])
LANES(I_GreaterEqual, uint8_t, in->i[k] >= in->j[k])
LANES(I_Equal, uint8_t, in->i[k] == in->j[k])
LANES(I_NotEqual, uint8_t, in->i[k] != in->j[k])
LANES(I_Select, int32_t, hasLane(in->i, k, width) ? in->i[k] : in->j[k])
LANES(I_Set1, int32_t, k / (size_t)width % 2 != 0 ? 0 : in->i[startOf(k, width)])
LANES(I_Lane, int32_t, in->i[k])
LANES(I_AsFloat, int32_t, in->i[k])
LANES(I_ToFloat, float, (float)in->i[k])
LANES(I_Gather, int32_t, in->i[in->index[k]])

// x * 2^n wrapped, floor(x / 2^n), and the same of x read without a sign.
static int64_t floorDivided(int64_t x, int64_t by) {
    return x >= 0 ? x / by : -((-x + by - 1) / by);
}
#define SHIFT_OF(k) (k / (size_t)width % 32)
LANES(I_ShiftLeft, int32_t, wrapped((int64_t)in->i[k] * ((int64_t)1 << SHIFT_OF(k))))
LANES(I_ShiftRight, int32_t, wrapped(floorDivided(in->i[k], (int64_t)1 << SHIFT_OF(k))))
LANES(I_ShiftRightZero, uint32_t, (uint32_t)in->i[k] >> SHIFT_OF(k))

LANES(M_And, uint8_t, hasLane(in->i, k, width) && hasLane(in->j, k, width))
LANES(M_Or, uint8_t, hasLane(in->i, k, width) || hasLane(in->j, k, width))
LANES(M_Xor, uint8_t, hasLane(in->i, k, width) != hasLane(in->j, k, width))
LANES(M_AndNot, uint8_t, hasLane(in->i, k, width) && !hasLane(in->j, k, width))
LANES(M_Not, uint8_t, !hasLane(in->i, k, width))
LANES(M_FromBits, uint8_t, hasLane(in->i, k, width))

// The lane that halves which change places bring to k. (The width is a power of two.)
static size_t acrossHalves(size_t k, int width) {
    return k ^ (size_t)width / 2;
}
LANES(F_Halves, uint32_t, floatBits(in->a[acrossHalves(k, width)]))
LANES(I_Halves, int32_t, in->i[acrossHalves(k, width)])
LANES(M_Halves, uint8_t, hasLane(in->i, acrossHalves(k, width), width))

CASE(M_AllAny) {
    uint8_t* out = output;
    for (size_t k = 0; k < SIMD_COUNT; k += (size_t)width) {
        int count = 0;
        for (int lane = 0; lane < width; ++lane)
            count += hasLane(in->i, k + (size_t)lane, width);
        *out++ = (uint8_t)((count == width) * 2 + (count > 0));
    }
    return SIMD_COUNT / (size_t)width;
}

// The same array from its second lane on, then from its first.
static size_t shiftedThenWhole(const void* from, size_t lane, void* output) {
    memcpy(output, (const char*)from + lane, SIMD_COUNT * lane);
    memcpy((char*)output + SIMD_COUNT * lane, from, SIMD_COUNT * lane);
    return 2 * SIMD_COUNT * lane;
}
#define MEMORY(name, from)                                                                                         \
    CASE(name) {                                                                                                   \
        (void)width;                                                                                               \
        return shiftedThenWhole(in->from, sizeof in->from[0], output);                                             \
    }
MEMORY(F_Memory, a)
MEMORY(I_Memory, i)
MEMORY(D_Memory, d)
MEMORY(U_Memory, u)

static size_t compressed(const void* from, int32_t guard, int width, const SimdInput* in, void* output) {
    char* out = output;
    for (size_t k = 0; k < SIMD_COUNT; k += (size_t)width) {
        int32_t row[18] = {0};
        for (size_t lane = k; lane < k + (size_t)width; ++lane)
            if (hasLane(in->i, lane, width))
                memcpy(&row[1 + row[0]++], (const char*)from + 4 * lane, 4);
        row[1 + width] = guard;
        memcpy(out, row, (size_t)(width + 2) * 4);
        out += (width + 2) * 4;
    }
    return (size_t)(out - (char*)output);
}
CASE(F_CompressStore) {
    return compressed(in->a, 77, width, in, output);
}
CASE(I_CompressStore) {
    return compressed(in->i, 77, width, in, output);
}

// Lane k with lane k + half, then half of that, until one is left. `value` is of x and y.
#define FOLD(name, Lane, from, value)                                                                              \
    CASE(name) {                                                                                                   \
        Lane* out = output;                                                                                        \
        for (size_t start = 0; start < SIMD_COUNT; start += (size_t)width) {                                       \
            Lane lanes[16];                                                                                        \
            memcpy(lanes, in->from + start, (size_t)width * sizeof *lanes);                                        \
            for (int half = width / 2; half > 0; half /= 2) {                                                      \
                for (int k = 0; k < half; ++k) {                                                                   \
                    Lane x = lanes[k], y = lanes[k + half];                                                        \
                    lanes[k] = (value);                                                                            \
                }                                                                                                  \
            }                                                                                                      \
            memcpy(out++, lanes, sizeof *lanes);                                                                   \
        }                                                                                                          \
        return SIMD_COUNT / (size_t)width * sizeof *out;                                                           \
    }
FOLD(F_ReduceMin, float, b, x < y ? x : y)
FOLD(F_ReduceMax, float, b, x > y ? x : y)
FOLD(F_ReduceSum, float, b, x + y)
FOLD(I_ReduceMin, int32_t, j, x < y ? x : y)
FOLD(I_ReduceMax, int32_t, j, x > y ? x : y)
FOLD(I_ReduceSum, int32_t, j, wrapped((int64_t)x + y))

CASE(F_LoadRows4) {
    uint32_t* out = output;
    for (size_t start = 0; start < SIMD_COUNT / 4; start += (size_t)width)
        for (size_t c = 0; c < 4; ++c)
            for (size_t row = start; row < start + (size_t)width; ++row)
                *out++ = floatBits(in->a[4 * row + c]);
    return SIMD_COUNT * sizeof *out;
}
CASE(F_GatherRows4) {
    uint32_t* out = output;
    for (size_t start = 0; start < SIMD_COUNT; start += (size_t)width)
        for (size_t c = 0; c < 4; ++c)
            for (size_t k = start; k < start + (size_t)width; ++k)
                *out++ = floatBits(in->a[4 * (size_t)in->index[k] + c]);
    return SIMD_COUNT * 4 * sizeof *out;
}
CASE(F_StoreRows4) {
    uint32_t* out = output;
    for (size_t start = 0; start < SIMD_COUNT; start += 4 * (size_t)width)
        for (size_t row = 0; row < (size_t)width; ++row)
            for (size_t c = 0; c < 4; ++c)
                *out++ = floatBits(in->a[start + c * (size_t)width + row]);
    return SIMD_COUNT * sizeof *out;
}

LANES(D_Add, double, in->d[k] + in->e[k])
LANES(D_Sub, double, in->d[k] - in->e[k])
LANES(D_Mul, double, in->d[k] * in->e[k])
LANES(D_Div, double, in->d[k] / in->e[k])
LANES(D_Sqrt, double, sqrt(in->d[k]))
LANES(D_Min, uint64_t, in->d[k] < in->e[k] ? doubleBits(in->d[k]) : doubleBits(in->e[k]))
LANES(D_Max, uint64_t, in->d[k] > in->e[k] ? doubleBits(in->d[k]) : doubleBits(in->e[k]))
LANES(D_Abs, uint64_t, doubleBits(in->d[k]) & ~((uint64_t)1 << 63))
LANES(D_Negate, uint64_t, doubleBits(in->d[k]) ^ (uint64_t)1 << 63)
LANES(D_Less, uint8_t, in->d[k] < in->e[k])
LANES(D_LessEqual, uint8_t, in->d[k] <= in->e[k])
LANES(D_Greater, uint8_t, in->d[k] > in->e[k])
LANES(D_GreaterEqual, uint8_t, in->d[k] >= in->e[k])
LANES(D_Equal, uint8_t, in->d[k] == in->e[k])
LANES(D_NotEqual, uint8_t, in->d[k] != in->e[k])
LANES(D_Select, uint64_t, doubleBits(hasLane(in->i, k, width) ? in->d[k] : in->e[k]))
LANES(D_Set1, uint64_t, k / (size_t)width % 2 != 0 ? 0 : doubleBits(in->d[startOf(k, width)]))
LANES(D_FromFloat, double, (double)in->a[k])
LANES(D_ToFloat, float, (float)in->d[k])

LANES(U_Min, uint8_t, in->u[k] < in->v[k] ? in->u[k] : in->v[k])
LANES(U_Max, uint8_t, in->u[k] > in->v[k] ? in->u[k] : in->v[k])

// Masks of bytes come as one number a vector. `first` is where the vector starts.
#define BITS(name, condition)                                                                                      \
    CASE(name) {                                                                                                   \
        uint64_t* out = output;                                                                                    \
        size_t bytes = (size_t)width * 4;                                                                          \
        for (size_t first = 0; first < SIMD_COUNT; first += bytes) {                                               \
            uint64_t bits = 0;                                                                                     \
            for (size_t k = first; k < first + bytes; ++k)                                                         \
                bits |= (uint64_t)(condition) << (k - first);                                                      \
            *out++ = bits;                                                                                         \
        }                                                                                                          \
        return SIMD_COUNT / bytes * sizeof *out;                                                                   \
    }
BITS(U_LessEqual, in->u[k] <= in->v[k])
BITS(U_GreaterEqual, in->u[k] >= in->v[k])
BITS(U_Equal, in->u[k] == in->v[k])
BITS(U_Set1, in->u[k] >= in->v[k] && in->u[k] == (in->v[k] > in->u[first] ? in->v[k] : in->u[first]))
BITS(U_MaskAnd, in->u[k] == in->v[k])
BITS(U_MaskOr, in->u[k] <= in->v[k] || in->v[k] == 255)

CASE(U_StorePlaces) {
    (void)width;
    uint8_t* out = output;
    for (size_t k = 0; k < SIMD_COUNT; k += 64, out += 66) {
        uint64_t bits = (uint64_t)(uint32_t)in->i[k] << 32 | (uint32_t)in->j[k];
        bits = k % 256 == 0 ? bits & 0x8001 : bits;
        memset(out, 0, 66);
        for (int place = 0; place < 64; ++place)
            if ((bits >> place & 1) != 0)
                out[++out[0]] = (uint8_t)place;
        out[65] = 77;
    }
    return SIMD_COUNT / 64 * 66;
}

typedef size_t ReferenceFn(int width, const SimdInput* in, void* output);
#define ROW(name, answer) reference_##name,
static ReferenceFn* const g_references[] = {SIMD_CASES(ROW)};

size_t simdReference(int which, int width, const SimdInput* input, void* output) {
    return g_references[which](width, input, output);
}
