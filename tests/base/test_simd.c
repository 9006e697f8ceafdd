// simd.h, kernel.h and simd_dispatch.h: every function gives the reference's bytes at every level of this machine,
// and the level in force is the one that was asked for or the best below it.
#define _POSIX_C_SOURCE 200809L // setenv
#include "testing.h"

#include <pthread.h>
#include <stdatomic.h>

#include "check.h"
#include "simd_cases.h"
#include "simd_dispatch.h"
#include "simd_reference.h"

static SimdInput g_input;
static _Alignas(64) uint8_t g_expected[SIMD_OUTPUT_BYTES + 64];
static _Alignas(64) uint8_t g_output[SIMD_OUTPUT_BYTES + 64];

static void checkCase(grzSimdLevel level, int which, int width) {
    memset(g_output, 0xA5, sizeof g_output);
    size_t size = runSimdCase_At(level)(which, width, &g_input, g_output);
    if (size == 0)
        return;
    assert_int_equal(simdReference(which, width, &g_input, g_expected), size);
    assert_true(size <= SIMD_OUTPUT_BYTES);
    for (size_t k = size; k < sizeof g_output; ++k)
        assert_int_equal(g_output[k], 0xA5);
    settleSimdAnswer(simdCaseAnswer(which), g_output, size);
    settleSimdAnswer(simdCaseAnswer(which), g_expected, size);
    if (memcmp(g_output, g_expected, size) != 0)
        print_error("%s, %d lanes, level %s:\n", simdCaseName(which), width, grzSimd_LevelName(level));
    assert_memory_equal(g_output, g_expected, size);
}

static void everyLevelGivesTheBytesOfTheReference(void** state) {
    (void)state;
    uint64_t seed = testSeed(20);
    for (int round = 0; round < 8; ++round) {
        makeSimdInput(&g_input, seed + (uint64_t)round);
        for (int level = 0; level < GRZ_SIMD_LEVEL_COUNT; ++level) {
            if (!grzSimd_Supports((grzSimdLevel)level)) {
                if (round == 0)
                    printf("[  skipped ] level %s: not on this machine\n", grzSimd_LevelName((grzSimdLevel)level));
                continue;
            }
            for (int which = 0; which < simdCaseCount; ++which)
                for (int width = 4; width <= 16; width *= 2)
                    checkCase((grzSimdLevel)level, which, width);
        }
    }
}

// The number is also the one that other processors must give.
static void levelsHaveOneHash(void** state) {
    (void)state;
    uint64_t expected = simdCasesHash(grz_simdScalar);
    for (int level = 0; level < GRZ_SIMD_LEVEL_COUNT; ++level)
        if (grzSimd_Supports((grzSimdLevel)level))
            assert_true(simdCasesHash((grzSimdLevel)level) == expected);
}

static void levelHasName(void** state) {
    (void)state;
    static const char* const names[] = {"scalar", "sse2", "avx2", "avx512", "neon"};
    for (int level = 0; level < GRZ_SIMD_LEVEL_COUNT; ++level)
        assert_string_equal(grzSimd_LevelName((grzSimdLevel)level), names[level]);
    assert_string_equal(grzSimd_LevelName((grzSimdLevel)GRZ_SIMD_LEVEL_COUNT), "unknown");
    assert_false(grzSimd_Supports((grzSimdLevel)GRZ_SIMD_LEVEL_COUNT));
    assert_true(grzSimd_Supports(grz_simdScalar));
}

// Machines of every kind, whatever this one is.
#define SCALAR_ONLY  (1u << grz_simdScalar)
#define SSE2_ONLY    (SCALAR_ONLY | 1u << grz_simdSse2)
#define UP_TO_AVX2   (SSE2_ONLY | 1u << grz_simdAvx2)
#define UP_TO_AVX512 (UP_TO_AVX2 | 1u << grz_simdAvx512)
#define NO_SCALAR    (1u << grz_simdSse2 | 1u << grz_simdAvx2) // the library on x86-64
#define WITH_NEON    (SCALAR_ONLY | 1u << grz_simdNeon)

static void requestGetsTheBestLevelNotAboveIt(void** state) {
    (void)state;
    static const struct {
        const char* request;
        uint32_t supported;
        grzSimdLevel level;
        grzStatus status;
    } rows[] = {
        {NULL, SCALAR_ONLY, grz_simdScalar, grz_ok},
        {NULL, SSE2_ONLY, grz_simdSse2, grz_ok},
        {NULL, UP_TO_AVX2, grz_simdAvx2, grz_ok},
        {NULL, UP_TO_AVX512, grz_simdAvx512, grz_ok},
        {NULL, WITH_NEON, grz_simdNeon, grz_ok},
        {"", UP_TO_AVX2, grz_simdAvx2, grz_ok},
        {"scalar", UP_TO_AVX512, grz_simdScalar, grz_ok},
        {"sse2", UP_TO_AVX512, grz_simdSse2, grz_ok},
        {"avx2", UP_TO_AVX512, grz_simdAvx2, grz_ok},
        {"avx512", UP_TO_AVX512, grz_simdAvx512, grz_ok},
        {"neon", WITH_NEON, grz_simdNeon, grz_ok},
        {"scalar", WITH_NEON, grz_simdScalar, grz_ok},
        {NULL, NO_SCALAR, grz_simdAvx2, grz_ok},
        {"scalar", NO_SCALAR, grz_simdSse2, grz_notSupported},
        {"neon", NO_SCALAR, grz_simdSse2, grz_notSupported},
        {"avx512", NO_SCALAR, grz_simdAvx2, grz_notSupported},
        {"avx512", UP_TO_AVX2, grz_simdAvx2, grz_notSupported},
        {"avx512", SSE2_ONLY, grz_simdSse2, grz_notSupported},
        {"avx2", SSE2_ONLY, grz_simdSse2, grz_notSupported},
        {"neon", UP_TO_AVX512, grz_simdScalar, grz_notSupported},
        {"avx512", WITH_NEON, grz_simdScalar, grz_notSupported},
        {"sse2", SCALAR_ONLY, grz_simdScalar, grz_notSupported},
        {"AVX2", UP_TO_AVX512, grz_simdAvx512, grz_badFormat},
        {"avx", UP_TO_AVX512, grz_simdAvx512, grz_badFormat},
        {"avx2 ", UP_TO_AVX2, grz_simdAvx2, grz_badFormat},
        {"fast", WITH_NEON, grz_simdNeon, grz_badFormat},
    };
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; ++k) {
        grzSimdChoice choice = grzSimd_Choose(rows[k].request, rows[k].supported);
        assert_int_equal(choice.level, rows[k].level);
        assert_int_equal(choice.status, rows[k].status);
    }
}

static void badRequestIsExplainedInOneSentence(void** state) {
    (void)state;
    char text[256];
    grzSimd_Explain(grzSimd_Choose("fast", UP_TO_AVX2), "fast", text, sizeof text);
    assert_string_equal(
        text, "GRZ_SIMD=fast is no SIMD level (scalar, sse2, avx2, avx512, neon); the best one here is avx2");
    grzSimd_Explain(grzSimd_Choose("avx512", SSE2_ONLY), "avx512", text, sizeof text);
    assert_string_equal(text,
                        "GRZ_SIMD=avx512 is not there on this machine or in this build; sse2 is used instead");
    char whole[256];
    memcpy(whole, text, sizeof whole);
    for (size_t capacity = 1; capacity < 20; ++capacity) {
        memset(text, '#', sizeof text);
        grzSimd_Explain(grzSimd_Choose("avx512", SSE2_ONLY), "avx512", text, capacity);
        assert_int_equal(strlen(text), capacity - 1);
        assert_memory_equal(text, whole, capacity - 1);
        assert_int_equal(text[capacity], '#');
    }
    grzSimd_Explain(grzSimd_Choose("fast", SSE2_ONLY), "fast", NULL, 0);
    grzSimd_Explain(grzSimd_Choose("sse2", SSE2_ONLY), "sse2", text, sizeof text);
    assert_string_equal(text, "");
}

typedef struct Heard {
    int count;
    char text[600];
} Heard;

static void hear(void* context, grzLogLevel level, const char* text) {
    Heard* heard = context;
    assert_int_equal(level, grz_logWarning);
    heard->count++;
    snprintf(heard->text, sizeof heard->text, "%s", text);
}

// Asks twice under a GRZ_SIMD of one's own.
static grzSimdLevel levelUnder(const char* request, Heard* heard) {
    memset(heard, 0, sizeof *heard);
    grzSetLogHook(hear, heard);
    if (request != NULL)
        setenv("GRZ_SIMD", request, 1);
    else
        unsetenv("GRZ_SIMD");
    grzSimd_Forget();
    grzSimdLevel level = grzSimd_Level();
    assert_int_equal(grzSimd_Level(), level);
    grzSetLogHook(NULL, NULL);
    return level;
}

static void environmentIsHonouredAndABadOneWarnedOfOnce(void** state) {
    (void)state;
    Heard heard;
    char text[256];
    grzSimdLevel best = levelUnder(NULL, &heard);
    assert_int_equal(heard.count, 0);
    assert_true(grzSimd_Supports(best));
    assert_true(grzResult_IsOk(grzSimd_CheckEnvironment(text, sizeof text)));
    for (int level = 0; level < GRZ_SIMD_LEVEL_COUNT; ++level) {
        const char* name = grzSimd_LevelName((grzSimdLevel)level);
        bool supported = grzSimd_Supports((grzSimdLevel)level);
        grzSimdLevel got = levelUnder(name, &heard);
        assert_true(grzSimd_Supports(got));
        assert_int_equal(got == (grzSimdLevel)level, supported);
        assert_int_equal(heard.count, supported ? 0 : 1);
        assert_int_equal(grzSimd_CheckEnvironment(text, sizeof text).status, supported ? grz_ok : grz_notSupported);
        assert_string_equal(text, heard.text);
    }
    assert_int_equal(levelUnder("turbo", &heard), best);
    assert_int_equal(heard.count, 1);
    assert_int_equal(grzSimd_CheckEnvironment(text, sizeof text).status, grz_badFormat);
    assert_string_equal(text, heard.text);
    assert_non_null(strstr(text, "GRZ_SIMD=turbo"));
    assert_int_equal(grzSimd_CheckEnvironment(NULL, 0).status, grz_badFormat);
    levelUnder(NULL, &heard);
}

static void countWarnings(void* context, grzLogLevel level, const char* text) {
    (void)level, (void)text;
    atomic_fetch_add((atomic_int*)context, 1);
}

static void* askLevel(void* level) {
    *(grzSimdLevel*)level = grzSimd_Level();
    return NULL;
}

static void threadsThatAskFirstTogetherAgreeAndWarnOnce(void** state) {
    (void)state;
    grzSimdLevel best = grzSimd_Level();
    setenv("GRZ_SIMD", "turbo", 1);
    for (int round = 0; round < 50; ++round) {
        atomic_int warnings = 0;
        grzSetLogHook(countWarnings, &warnings);
        grzSimd_Forget();
        pthread_t threads[4];
        grzSimdLevel levels[4];
        for (int k = 0; k < 4; ++k)
            assert_int_equal(pthread_create(&threads[k], NULL, askLevel, &levels[k]), 0);
        for (int k = 0; k < 4; ++k)
            assert_int_equal(pthread_join(threads[k], NULL), 0);
        grzSetLogHook(NULL, NULL);
        assert_int_equal(atomic_load(&warnings), 1);
        for (int k = 0; k < 4; ++k)
            assert_int_equal(levels[k], best);
    }
    unsetenv("GRZ_SIMD");
    grzSimd_Forget();
}

static void forcedLevelPicksItsKernel(void** state) {
    (void)state;
    for (int level = 0; level < GRZ_SIMD_LEVEL_COUNT; ++level) {
        if (!grzSimd_Supports((grzSimdLevel)level))
            continue;
        grzSimdLevel before = grzSimd_Level();
        assert_int_equal(grzSimd_Force((grzSimdLevel)level), before);
        assert_int_equal(grzSimd_Level(), level);
        runSimdCase_Fn* picked = GRZ_PICK_KERNEL(runSimdCase);
        assert_ptr_equal(picked, runSimdCase_At((grzSimdLevel)level));
        assert_int_equal(grzSimd_Force(before), level);
        assert_int_equal(grzSimd_Level(), before);
        for (int other = 0; other < level; ++other)
            if (grzSimd_Supports((grzSimdLevel)other))
                assert_ptr_not_equal(picked, runSimdCase_At((grzSimdLevel)other));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everyLevelGivesTheBytesOfTheReference),
        cmocka_unit_test(levelsHaveOneHash),
        cmocka_unit_test(levelHasName),
        cmocka_unit_test(requestGetsTheBestLevelNotAboveIt),
        cmocka_unit_test(badRequestIsExplainedInOneSentence),
        cmocka_unit_test(environmentIsHonouredAndABadOneWarnedOfOnce),
        cmocka_unit_test(threadsThatAskFirstTogetherAgreeAndWarnOnce),
        cmocka_unit_test(forcedLevelPicksItsKernel),
    };
    return cmocka_run_group_tests_name("simd", tests, NULL, NULL);
}
