// What: finds the SIMD level of the machine once and keeps it.
// Threads: any. Threads that ask first at the same time all look and find the same; one of them stores
// it and warns.
#include "simd_dispatch.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "refuse_null.h"
#include "result_make.h"

#if defined(__x86_64__)
#    include <cpuid.h>
#endif

static const char* const g_levelNames[] = {"scalar", "sse2", "avx2", "avx512", "neon"};
GRZ_STATIC_ASSERT(sizeof g_levelNames / sizeof g_levelNames[0] == GRZ_SIMD_LEVEL_COUNT, "every level has a name");

#if defined(__x86_64__) && !defined(GRAZE_FIRST_LEVEL)

// __builtin_cpu_supports also asks whether the system saves the registers. Not every compiler knows lzcnt by that
// name, so it is read from its bit (AMD and Intel: leaf 80000001h, ECX bit 5).
static bool hasLzcnt(void) {
    unsigned eax, ebx, ecx, edx;
    return __get_cpuid(0x80000001u, &eax, &ebx, &ecx, &edx) != 0 && (ecx >> 5 & 1u) != 0;
}

// As the flags in cmake/GrazeModule.cmake.
static bool hasAvx2(void) {
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
           __builtin_cpu_supports("popcnt") && hasLzcnt();
}

static bool hasAvx512(void) {
    return hasAvx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512vbmi2");
}

#endif

uint32_t grzSimd_SupportedBits(void) {
#if defined(__x86_64__)
    uint32_t bits = 1u << grz_simdSse2;
#    if defined(GRAZE_SCALAR_KERNELS)
    if (grzSimd_IsBuilt_scalar != NULL)
        bits |= 1u << grz_simdScalar;
#    endif
#    if !defined(GRAZE_FIRST_LEVEL)
    __builtin_cpu_init();
    if (hasAvx2())
        bits |= 1u << grz_simdAvx2;
    if (hasAvx512())
        bits |= 1u << grz_simdAvx512;
#    endif
    return bits;
#elif defined(__aarch64__)
    return 1u << grz_simdScalar | 1u << grz_simdNeon;
#else
    return 1u << grz_simdScalar;
#endif
}

static grzSimdLevel levelBelow(grzSimdLevel level) {
    return level == grz_simdAvx512 ? grz_simdAvx2 : level == grz_simdAvx2 ? grz_simdSse2 : grz_simdScalar;
}

static grzSimdLevel bestLevel(uint32_t supported) {
    for (int level = GRZ_SIMD_LEVEL_COUNT - 1; level > 0; --level)
        if ((supported >> level & 1u) != 0)
            return (grzSimdLevel)level;
    return grz_simdScalar;
}

static grzSimdLevel lowestLevel(uint32_t supported) {
    int level = 0;
    while ((supported >> level & 1u) == 0)
        level++;
    return (grzSimdLevel)level;
}

grzSimdChoice grzSimd_Choose(const char* request, uint32_t supported) {
    grzSimdChoice choice = {bestLevel(supported), grz_ok};
    if (request == NULL || request[0] == 0)
        return choice;
    int wanted = 0;
    while (wanted < GRZ_SIMD_LEVEL_COUNT && strcmp(request, g_levelNames[wanted]) != 0)
        wanted++;
    if (wanted == GRZ_SIMD_LEVEL_COUNT) {
        choice.status = grz_badFormat;
        return choice;
    }
    choice.level = (grzSimdLevel)wanted;
    while ((supported >> choice.level & 1u) == 0) {
        choice.status = grz_notSupported;
        if (choice.level == grz_simdScalar)
            return (grzSimdChoice){lowestLevel(supported), grz_notSupported};
        choice.level = levelBelow(choice.level);
    }
    return choice;
}

void grzSimd_Explain(grzSimdChoice choice, const char* request, char* text, size_t capacity) {
    if (capacity == 0)
        return;
    text[0] = 0;
    if (choice.status == grz_badFormat)
        snprintf(text, capacity,
                 "GRZ_SIMD=%s is no SIMD level (scalar, sse2, avx2, avx512, neon); the best one here is %s",
                 request, grzSimd_LevelName(choice.level));
    else if (choice.status == grz_notSupported)
        snprintf(text, capacity, "GRZ_SIMD=%s is not there on this machine or in this build; %s is used instead",
                 request, grzSimd_LevelName(choice.level));
}

// 0 until it is known, then level + 1. Relaxed throughout: the number itself is all that is shared.
static atomic_uint g_levelInForce;

static grzSimdLevel findLevel(void) {
    const char* request = getenv("GRZ_SIMD");
    grzSimdChoice choice = grzSimd_Choose(request, grzSimd_SupportedBits());
    unsigned known = 0;
    if (!atomic_compare_exchange_strong_explicit(&g_levelInForce, &known, (unsigned)choice.level + 1,
                                                 memory_order_relaxed, memory_order_relaxed))
        return (grzSimdLevel)(known - 1);
    if (choice.status != grz_ok) {
        char text[256];
        grzSimd_Explain(choice, request, text, sizeof text);
        grzLog(grz_logWarning, "%s", text);
    }
    return choice.level;
}

grzSimdLevel grzSimd_Level(void) {
    unsigned known = atomic_load_explicit(&g_levelInForce, memory_order_relaxed);
    return known != 0 ? (grzSimdLevel)(known - 1) : findLevel();
}

bool grzSimd_Supports(grzSimdLevel level) {
    return (unsigned)level < GRZ_SIMD_LEVEL_COUNT && (grzSimd_SupportedBits() >> level & 1u) != 0;
}

const char* grzSimd_LevelName(grzSimdLevel level) {
    return (unsigned)level < GRZ_SIMD_LEVEL_COUNT ? g_levelNames[level] : "unknown";
}

grzResult grzSimd_CheckEnvironment(char* text, size_t capacity) {
    GRZ_REFUSE_NULL_ARRAY(text, capacity, 1);
    const char* request = getenv("GRZ_SIMD");
    grzSimdChoice choice = grzSimd_Choose(request, grzSimd_SupportedBits());
    grzSimd_Explain(choice, request, text, capacity);
    return grzFail(choice.status, 0);
}

grzSimdLevel grzSimd_Force(grzSimdLevel level) {
    GRZ_ASSERT(grzSimd_Supports(level));
    grzSimdLevel before = grzSimd_Level();
    atomic_store_explicit(&g_levelInForce, (unsigned)level + 1, memory_order_relaxed);
    return before;
}

void grzSimd_Forget(void) {
    atomic_store_explicit(&g_levelInForce, 0, memory_order_relaxed);
}
