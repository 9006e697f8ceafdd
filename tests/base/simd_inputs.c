// The inputs of simd_cases.h, and its cases in one number. Compiled once, without a test library.
#include <string.h>

#include "simd_cases.h"

static uint64_t nextRandom(uint64_t* state) {
    uint64_t x = *state += 0x9E3779B97F4A7C15u; // splitmix64
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
    x = (x ^ x >> 27) * 0x94D049BB133111EBu;
    return x ^ x >> 31;
}

// Zeros, ones, the ends of the denormals, of the normals and of the integers, infinities, quiet and signalling
// NaNs.
static const uint32_t g_floats[] = {0x00000000u, 0x80000000u, 0x3F800000u, 0xBF800000u, 0x00000001u, 0x80000001u,
                                    0x007FFFFFu, 0x807FFFFFu, 0x00800000u, 0x7F7FFFFFu, 0xFF7FFFFFu, 0x7F800000u,
                                    0xFF800000u, 0x7FC00000u, 0xFFC01234u, 0x7F801234u, 0x4EFFFFFFu, 0x4F000000u,
                                    0xCF000000u, 0xCF000001u, 0x3EFFFFFFu, 0xBFC00000u, 0x4B7FFFFFu, 0x40490FDBu};
static const int32_t g_ints[] = {0,     1,      -1,         2,        INT32_MIN, INT32_MIN + 1,  INT32_MAX,
                                 65535, -65536, 0x40000000, 16777217, -16777217, INT32_MAX - 64, 255};
static const uint64_t g_doubles[] = {
    0x0000000000000000u, 0x8000000000000000u, 0x3FF0000000000000u, 0xBFF0000000000000u, 0x0000000000000001u,
    0x800FFFFFFFFFFFFFu, 0x0010000000000000u, 0x7FEFFFFFFFFFFFFFu, 0xFFEFFFFFFFFFFFFFu, 0x7FF0000000000000u,
    0xFFF0000000000000u, 0x7FF8000000000000u, 0xFFF8000000012345u, 0x7FF0000000012345u, 0x3FD5555555555555u,
    0x41DFFFFFFFC00000u, 0x00000000FFFFFFFFu, 0xBFF00000FFFFFFFFu};

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

// Half of the random floats are any bits, half are of a size that makes sums and products meet.
static float randomFloat(uint64_t* state) {
    uint64_t bits = nextRandom(state);
    float value = (float)(int32_t)(bits >> 32) / 16777216.0f;
    uint32_t any = (uint32_t)(bits >> 16);
    if ((bits & 1u) != 0)
        memcpy(&value, &any, sizeof value);
    return value;
}

static double randomDouble(uint64_t* state) {
    uint64_t bits = nextRandom(state);
    double value = (double)(int32_t)(bits >> 32) / 16777216.0;
    uint64_t any = nextRandom(state);
    if ((bits & 1u) != 0)
        memcpy(&value, &any, sizeof value);
    return value;
}

static void putFloats(SimdInput* input, size_t k, uint64_t* state) {
    size_t n = COUNT_OF(g_floats);
    input->a[k] = randomFloat(state);
    input->b[k] = nextRandom(state) % 8 == 0 ? input->a[k] : randomFloat(state);
    if (k < n * n) {
        memcpy(&input->a[k], &g_floats[k / n], sizeof input->a[k]);
        memcpy(&input->b[k], &g_floats[k % n], sizeof input->b[k]);
    }
}

static void putInts(SimdInput* input, size_t k, uint64_t* state) {
    size_t n = COUNT_OF(g_ints);
    input->i[k] = (int32_t)(nextRandom(state) >> 32) >> nextRandom(state) % 32;
    input->j[k] = nextRandom(state) % 8 == 0 ? input->i[k] : (int32_t)(nextRandom(state) >> 32);
    if (k < n * n) {
        input->i[k] = g_ints[k / n];
        input->j[k] = g_ints[k % n];
    }
    input->index[k] = (int32_t)(nextRandom(state) % (SIMD_COUNT / 4));
}

static void putDoubles(SimdInput* input, size_t k, uint64_t* state) {
    size_t n = COUNT_OF(g_doubles);
    input->d[k] = randomDouble(state);
    input->e[k] = nextRandom(state) % 8 == 0 ? input->d[k] : randomDouble(state);
    if (k < n * n) {
        memcpy(&input->d[k], &g_doubles[k / n], sizeof input->d[k]);
        memcpy(&input->e[k], &g_doubles[k % n], sizeof input->e[k]);
    }
}

void makeSimdInput(SimdInput* input, uint64_t seed) {
    memset(input, 0, sizeof *input);
    for (size_t k = 0; k < SIMD_ARRAY_COUNT; ++k) {
        putFloats(input, k, &seed);
        putInts(input, k, &seed);
        putDoubles(input, k, &seed);
        uint64_t bits = nextRandom(&seed);
        input->u[k] = (uint8_t)bits;
        input->v[k] = (bits >> 8 & 3u) == 0 ? input->u[k] : (uint8_t)(bits >> 16);
    }
}

void settleSimdAnswer(SimdAnswer answer, void* bytes, size_t size) {
    static const uint32_t floatNan = 0x7FC00000u;
    static const uint64_t doubleNan = 0x7FF8000000000000u;
    for (size_t at = 0; answer == simdFloats && at < size; at += sizeof(float)) {
        float value;
        memcpy(&value, (char*)bytes + at, sizeof value);
        if (value != value)
            memcpy((char*)bytes + at, &floatNan, sizeof floatNan);
    }
    for (size_t at = 0; answer == simdDoubles && at < size; at += sizeof(double)) {
        double value;
        memcpy(&value, (char*)bytes + at, sizeof value);
        if (value != value)
            memcpy((char*)bytes + at, &doubleNan, sizeof doubleNan);
    }
}

#define NAME(name, answer)   #name,
#define ANSWER(name, answer) answer,
static const char* const g_names[] = {SIMD_CASES(NAME)};
static const SimdAnswer g_answers[] = {SIMD_CASES(ANSWER)};

const char* simdCaseName(int which) {
    return g_names[which];
}

SimdAnswer simdCaseAnswer(int which) {
    return g_answers[which];
}

uint64_t simdCasesHash(grzSimdLevel level) {
    static SimdInput input;
    static _Alignas(64) uint8_t output[SIMD_OUTPUT_BYTES];
    makeSimdInput(&input, 1);
    uint64_t hash = 0xCBF29CE484222325u; // FNV-1a
    for (int which = 0; which < simdCaseCount; ++which) {
        for (int width = 4; width <= 16; width *= 2) {
            size_t size = runSimdCase_At(level)(which, width, &input, output);
            settleSimdAnswer(simdCaseAnswer(which), output, size);
            for (size_t k = 0; k < size; ++k)
                hash = (hash ^ output[k]) * 0x100000001B3u;
        }
    }
    return hash;
}
