// What: batches of continuous queries against single ones, at every SIMD level and for any number of workers; refusals; memory.
#include <float.h>
#include <math.h>

#include "graze/ccd_pairs.h"
#include "refusal_testing.h"
#include "rng.h"
#include "simd_dispatch.h"
#include "testing.h"

enum { VERTICES = 97, MOST = 3000 };

typedef struct Scene {
    float floats[2][3 * VERTICES];
    double doubles[2][3 * VERTICES];
    uint32_t vertices[4 * MOST];
    grzCcdMotion* motion;
} Scene;

static void ok(grzResult result) {
    char text[128];
    if (!grzResult_IsOk(result))
        fail_msg("%s", grzResult_Text(result, text, sizeof text));
}

static grzCcdMotionDef defOf(const Scene* scene, bool isDouble) {
    grzCcdMotionDef def = grzDefaultCcdMotionDef();
    def.type = isDouble ? grz_float64 : grz_float32;
    def.start = isDouble ? (const void*)scene->doubles[0] : scene->floats[0];
    def.end = isDouble ? (const void*)scene->doubles[1] : scene->floats[1];
    def.vertexCount = VERTICES;
    return def;
}

// Size 0: a lattice, on which much touches; below 0: next to one, by a last bit, and away from 0; else anywhere within it.
static double drawNumber(grzRng* rng, double size) {
    if (size > 0)
        return size * (2 * grzRng_Double(rng) - 1);
    const double number = (double)grzRng_Below(rng, 4);
    return size == 0 ? number : (number + 4) * (1 + ((double)grzRng_Below(rng, 3) - 1) * 0x1p-23);
}

static void makeScene(Scene* scene, uint64_t seed, bool isDouble, double size) {
    grzRng rng = grzRng_Make(testSeed(seed), 1);
    for (int end = 0; end < 2; ++end)
        for (int i = 0; i < 3 * VERTICES; ++i) {
            const double number = drawNumber(&rng, size);
            scene->floats[end][i] = (float)number;
            scene->doubles[end][i] = number;
        }
    for (int i = 0; i < 4 * MOST; ++i)
        scene->vertices[i] = grzRng_Below(&rng, VERTICES);
    const grzCcdMotionDef def = defOf(scene, isDouble);
    ok(grzCcdMotion_Create(&def, &scene->motion));
}

static void expectSingle(const Scene* scene, const grzCcdPairs* pairs, const uint8_t* answers) {
    for (uint32_t i = 0; i < pairs->count; ++i) {
        const grzCcdQuery query = grzCcdMotion_Query(scene->motion, pairs->kind, pairs->vertices + 4 * (size_t)i);
        grzCertainty certainty;
        bool touches;
        ok(grzCcd_Touches(&query, &touches, &certainty));
        assert_int_equal(answers[i], !touches                 ? grz_ccdApart
                                     : certainty == grz_exact ? grz_ccdTouching
                                                              : grz_ccdDoubtful);
    }
}

static void decideAll(const Scene* scene, grzTasks* tasks, const grzCcdPairs* pairs, uint8_t answers[MOST + 1]) {
    memset(answers, 0xEE, MOST + 1);
    ok(grzCcdMotion_Decide(scene->motion, tasks, pairs, answers));
    assert_int_equal(answers[pairs->count], 0xEE);
}

static void expectAtEveryLevel(const Scene* scene, const grzCcdPairs* pairs) {
    uint8_t first[MOST + 1], answers[MOST + 1];
    decideAll(scene, NULL, pairs, first);
    expectSingle(scene, pairs, first);
    for (int level = grz_simdScalar; level < 32; ++level) {
        if ((grzSimd_SupportedBits() >> level & 1) == 0)
            continue;
        const grzSimdLevel before = grzSimd_Force((grzSimdLevel)level);
        decideAll(scene, NULL, pairs, answers);
        grzSimd_Force(before);
        assert_memory_equal(answers, first, pairs->count);
    }
}

static void batchesSayWhatSingleQueriesSay(void** state) {
    (void)state;
    static const uint32_t counts[] = {0, 1, 7, 8, 9, 15, 17, 1023, 1024, 1025, MOST};
    static const double sizes[] = {0, -1, 1, 1e-30, 1e30, 1e-40};
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; ++s)
        for (int isDouble = 0; isDouble < 2; ++isDouble) {
            Scene scene;
            makeScene(&scene, 81 + s, isDouble != 0, sizes[s]);
            for (size_t c = 0; c < sizeof counts / sizeof counts[0]; ++c)
                for (int kind = 0; kind < 2; ++kind) {
                    const grzCcdPairs pairs = {(grzCcdKind)kind, scene.vertices, counts[c]};
                    expectAtEveryLevel(&scene, &pairs);
                }
            grzCcdMotion_Destroy(scene.motion);
        }
}

static void workersDoNotMatter(void** state) {
    (void)state;
    static const uint32_t workers[] = {1, 2, 3, 8};
    Scene scene;
    uint8_t first[MOST + 1], answers[MOST + 1];
    makeScene(&scene, 91, false, 0);
    const grzCcdPairs pairs = {grz_ccdEdgeEdge, scene.vertices, MOST};
    decideAll(&scene, NULL, &pairs, first);
    for (size_t w = 0; w < sizeof workers / sizeof workers[0]; ++w) {
        grzTasksDef def = grzDefaultTasksDef();
        grzTasks* tasks;
        def.workerCount = workers[w];
        ok(grzTasks_Create(&def, &tasks));
        decideAll(&scene, tasks, &pairs, answers);
        grzTasks_Destroy(tasks);
        assert_memory_equal(answers, first, MOST);
    }
    uint32_t hits = 0;
    for (uint32_t i = 0; i < MOST; ++i)
        hits += first[i] != grz_ccdApart;
    assert_true(hits > 100 && hits < MOST);
    grzCcdMotion_Destroy(scene.motion);
}

static void positionsMayBeGivenAnew(void** state) {
    (void)state;
    Scene scene;
    uint8_t answers[MOST + 1];
    makeScene(&scene, 92, true, 0);
    grzCcdMotionDef def = defOf(&scene, true);
    for (int i = 0; i < 3 * VERTICES; ++i)
        scene.doubles[1][i] = scene.doubles[0][i] = i;
    ok(grzCcdMotion_Update(scene.motion, &def));
    const grzCcdPairs pairs = {grz_ccdVertexFace, scene.vertices, MOST};
    decideAll(&scene, NULL, &pairs, answers);
    expectSingle(&scene, &pairs, answers);
    def.vertexCount--;
    assert_int_equal(grzCcdMotion_Update(scene.motion, &def).value, 2);
    def.vertexCount++;
    scene.doubles[1][5] = (double)NAN;
    const grzResult result = grzCcdMotion_Update(scene.motion, &def);
    assert_int_equal(result.status, grz_notFinite);
    assert_int_equal(result.index, 1);
    uint8_t same[MOST + 1];
    decideAll(&scene, NULL, &pairs, same);
    assert_memory_equal(same, answers, MOST);
    grzCcdMotion_Destroy(scene.motion);
}

static void badInputIsRefused(void** state) {
    (void)state;
    Scene scene;
    uint8_t answers[MOST];
    makeScene(&scene, 93, false, 1);
    grzCcdMotionDef def = defOf(&scene, false);
    grzCcdMotion* motion = scene.motion;
    grzCcdPairs pairs = {grz_ccdEdgeEdge, scene.vertices, MOST};
    scene.vertices[4 * 10 + 3] = VERTICES;
    const grzResult result = grzCcdMotion_Decide(motion, NULL, &pairs, answers);
    assert_int_equal(result.status, grz_indexTooLarge);
    assert_int_equal(result.index, 10);
    assert_int_equal(result.value, VERTICES);
    assert_int_equal(grzCcdMotion_Decide(motion, NULL, NULL, answers).value, 3);
    pairs.count = 10;
    assert_int_equal(grzCcdMotion_Decide(motion, NULL, &pairs, NULL).value, 4);
    pairs.kind = (grzCcdKind)2;
    assert_int_equal(grzCcdMotion_Decide(motion, NULL, &pairs, answers).value, 3);
    grzCcdMotion* none = motion;
    def.stride = 13;
    assert_int_equal(grzCcdMotion_Create(&def, &none).status, grz_badArgument);
    assert_null(none);
    def = defOf(&scene, false);
    def.end = NULL;
    assert_int_equal(grzCcdMotion_Create(&def, &none).value, 1);
    def.mark = 0;
    assert_int_equal(grzCcdMotion_Create(&def, &none).status, grz_badDef);
    assert_int_equal(grzCcdMotion_Create(NULL, &none).status, grz_badDef);
    grzCcdMotion_Destroy(motion);
    grzCcdMotion_Destroy(NULL);
}

static void makeMotion(void) {
    Scene scene;
    makeScene(&scene, 94, true, 1);
    grzCcdMotionDef def = defOf(&scene, true);
    def.allocator = refusingAllocator();
    grzCcdMotion* motion;
    (void)MAKE(&motion, grzCcdMotion_Create(&def, &motion), true);
    grzCcdMotion_Destroy(motion);
    grzCcdMotion_Destroy(scene.motion);
}

static void refusedMemoryLeavesNothing(void** state) {
    (void)state;
    testRefusals(&(RefusalScript){"motion", makeMotion, 1});
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(batchesSayWhatSingleQueriesSay), cmocka_unit_test(workersDoNotMatter),
        cmocka_unit_test(positionsMayBeGivenAnew),        cmocka_unit_test(badInputIsRefused),
        cmocka_unit_test(refusedMemoryLeavesNothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
