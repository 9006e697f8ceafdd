// What: the first impact of many pairs against all pairs one by one, for any number of workers; ties; doubtful pairs; refusals.
#include <float.h>
#include <math.h>

#include "graze/ccd_earliest.h"
#include "rng.h"
#include "testing.h"

enum { VERTICES = 80, MOST = 2600 };

typedef struct Scene {
    double points[2][3 * VERTICES];
    float floats[2][3 * VERTICES];
    uint32_t vertices[2][4 * MOST]; // by kind
    grzCcdMotion* motion;
} Scene;

static void ok(grzResult result) {
    char text[128];
    if (!grzResult_IsOk(result))
        fail_msg("%s", grzResult_Text(result, text, sizeof text));
}

typedef enum SceneKind {
    scene_lattice, // much touches at 0
    scene_late,    // apart at first: two clouds that pass through each other
    scene_tied,    // late, on a lattice: many at the same time
    scene_tiny,    // late, with numbers that are too small for company
    sceneKinds,
} SceneKind;

static double numberOf(grzRng* rng, SceneKind kind) {
    if (kind == scene_lattice || kind == scene_tied)
        return (double)grzRng_Below(rng, 4);
    return 4 * grzRng_Double(rng);
}

// Clouds: even vertices fall onto odd ones along x.
static void makePoints(Scene* scene, grzRng* rng, SceneKind kind) {
    for (int v = 0; v < VERTICES; ++v)
        for (int axis = 0; axis < 3; ++axis) {
            const double at = numberOf(rng, kind);
            const double away = kind == scene_lattice || axis != 0 || v % 2 != 0 ? 0 : 5;
            scene->points[0][3 * v + axis] = at + away;
            scene->points[1][3 * v + axis] = away != 0 ? at - 5 : kind == scene_lattice ? numberOf(rng, kind) : at;
        }
    if (kind == scene_tiny)
        for (int i = 0; i < 24; ++i)
            scene->points[grzRng_Below(rng, 2)][grzRng_Below(rng, 3 * VERTICES)] = DBL_TRUE_MIN;
}

static void makeScene(Scene* scene, uint64_t seed, SceneKind kind, bool isFloat) {
    grzRng rng = grzRng_Make(testSeed(seed), 1);
    makePoints(scene, &rng, kind);
    for (int i = 0; i < 6 * VERTICES; ++i)
        scene->floats[i / (3 * VERTICES)][i % (3 * VERTICES)] =
            (float)scene->points[i / (3 * VERTICES)][i % (3 * VERTICES)];
    for (int i = 0; i < 2 * MOST; ++i) { // a vertex and a triangle of one cloud each, or an edge of each
        const uint32_t of = grzRng_Below(&rng, 2), ends = 1 + (uint32_t)(i / MOST);
        for (uint32_t k = 0; k < 4; ++k)
            scene->vertices[i / MOST][4 * (i % MOST) + (int)k] =
                2 * grzRng_Below(&rng, VERTICES / 2) + (k < ends ? of : 1 - of);
    }
    grzCcdMotionDef def = grzDefaultCcdMotionDef();
    def.vertexCount = VERTICES;
    def.type = isFloat ? grz_float32 : grz_float64;
    def.start = isFloat ? (void*)scene->floats[0] : scene->points[0];
    def.end = isFloat ? (void*)scene->floats[1] : scene->points[1];
    ok(grzCcdMotion_Create(&def, &scene->motion));
}

// One by one; among those that are certain.
static grzCcdEarliest plainEarliest(const Scene* scene, const grzCcdPairs* pairs) {
    grzCcdEarliest best = {.impact = {.t0 = 1, .t1 = 1}};
    grzCcdQuery bestQuery;
    for (uint32_t i = 0; i < pairs->count; ++i) {
        const grzCcdQuery query = grzCcdMotion_Query(scene->motion, pairs->kind, pairs->vertices + 4 * (size_t)i);
        grzCcdImpact impact;
        int order = -1;
        grzCertainty certainty = grz_exact;
        ok(grzCcd_FindImpact(&query, 0, &impact));
        if (!impact.touches || impact.certainty != grz_exact || impact.t1 - impact.t0 == 1)
            continue;
        if (best.isFound)
            ok(grzCcd_CompareImpacts(&query, &bestQuery, &order, &certainty));
        assert_int_equal(certainty, grz_exact);
        if (order < 0) {
            best = (grzCcdEarliest){true, i, impact};
            bestQuery = query;
        }
    }
    return best;
}

static grzCcdEarliest earliestOf(const Scene* scene, const grzCcdPairs* pairs, uint32_t workers) {
    grzCcdEarliest earliest;
    grzTasksDef def = grzDefaultTasksDef();
    grzTasks* tasks = NULL;
    def.workerCount = workers;
    memset(&earliest, 0xEE, sizeof earliest);
    if (workers > 0)
        ok(grzTasks_Create(&def, &tasks));
    ok(grzCcdMotion_FindEarliest(scene->motion, tasks, pairs, &earliest));
    grzTasks_Destroy(tasks);
    return earliest;
}

static void expectSame(const grzCcdEarliest* a, const grzCcdEarliest* b) {
    assert_true(a->isFound == b->isFound && a->pair == b->pair && a->impact.certainty == b->impact.certainty);
    assert_true(a->impact.t0 == b->impact.t0 && a->impact.t1 == b->impact.t1);
    assert_memory_equal(a->impact.normal, b->impact.normal, sizeof a->impact.normal);
}

static void theFirstOfAllIsFound(void** state) {
    (void)state;
    static const uint32_t counts[] = {0, 1, 2, 255, 256, 257, MOST};
    for (int kind = 0; kind < scene_tiny; ++kind)
        for (int isFloat = 0; isFloat < 2; ++isFloat) {
            Scene scene;
            makeScene(&scene, (uint64_t)(101 + kind), (SceneKind)kind, isFloat != 0);
            for (size_t c = 0; c < sizeof counts / sizeof counts[0]; ++c)
                for (int of = 0; of < 2; ++of) {
                    const grzCcdPairs pairs = {(grzCcdKind)of, scene.vertices[of], counts[c]};
                    const grzCcdEarliest plain = plainEarliest(&scene, &pairs),
                                         found = earliestOf(&scene, &pairs, 0);
                    expectSame(&found, &plain);
                    assert_true(counts[c] < MOST || found.isFound);
                    assert_true(kind == scene_lattice || found.impact.t0 > 0);
                }
            grzCcdMotion_Destroy(scene.motion);
        }
}

static void workersDoNotMatter(void** state) {
    (void)state;
    static const uint32_t workers[] = {1, 2, 3, 8};
    for (int kind = 0; kind < sceneKinds; ++kind) {
        Scene scene;
        makeScene(&scene, (uint64_t)(111 + kind), (SceneKind)kind, false);
        const grzCcdPairs pairs = {grz_ccdEdgeEdge, scene.vertices[1], MOST};
        const grzCcdEarliest first = earliestOf(&scene, &pairs, 0);
        for (size_t w = 0; w < sizeof workers / sizeof workers[0]; ++w) {
            const grzCcdEarliest other = earliestOf(&scene, &pairs, workers[w]);
            expectSame(&other, &first);
        }
        grzCcdMotion_Destroy(scene.motion);
    }
}

// Vertices fall onto a triangle, each a little before the one before it: less than a cell's length, or by a last bit.
static void timesInOneCellAreInOrder(void** state) {
    (void)state;
    enum { count = 40 };
    double start[3 * (count + 3)] = {0, 0, 0, 1, 0, 0, 0, 1, 0}, end[3 * (count + 3)];
    uint32_t vertices[4 * count];
    for (int steps = 0; steps < 2; ++steps) {
        memcpy(end, start, 9 * sizeof *end);
        for (uint32_t i = 0; i < count; ++i) {
            double* from = start + 9 + 3 * (size_t)i;
            double* to = end + 9 + 3 * (size_t)i;
            from[0] = to[0] = from[1] = to[1] = 0.25;
            from[2] = 1;
            to[2] = -2 - i * (steps == 0 ? 0x1p-40 : 0x1p-51); // at 1 / (3 + i 2^-40)
            memcpy(vertices + 4 * i, (uint32_t[]){3 + i, 0, 1, 2}, 4 * sizeof *vertices);
        }
        grzCcdMotionDef def = grzDefaultCcdMotionDef();
        def.start = start, def.end = end, def.vertexCount = count + 3, def.type = grz_float64;
        Scene scene;
        ok(grzCcdMotion_Create(&def, &scene.motion));
        const grzCcdPairs pairs = {grz_ccdVertexFace, vertices, count};
        for (uint32_t workers = 0; workers < 3; ++workers)
            assert_int_equal(earliestOf(&scene, &pairs, workers).pair, count - 1);
        grzCcdMotion_Destroy(scene.motion);
    }
}

// Two vertices fall onto triangles, the second one first; and a third pair, of which nobody knows.
static void doubtComesFirstWhereItMay(void** state) {
    (void)state;
    double start[] = {0.25, 0.25, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0.25, 0.25, 1, 0.5, 0.5, 1};
    double end[] = {0.25, 0.25, -1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0.25, 0.25, -3, 0.5, 0.5, -3};
    static const uint32_t vertices[] = {0, 1, 2, 3, 4, 1, 2, 3, 5, 1, 2, 3};
    const grzCcdPairs pairs = {grz_ccdVertexFace, vertices, 3};
    grzCcdMotionDef def = grzDefaultCcdMotionDef();
    def.start = start, def.end = end, def.vertexCount = 6, def.type = grz_float64;
    Scene scene;
    ok(grzCcdMotion_Create(&def, &scene.motion));
    grzCcdEarliest found = earliestOf(&scene, &pairs, 0);
    assert_true(found.isFound && found.pair == 1 && found.impact.t0 == 0.25); // as soon as the third
    start[9] = end[9] = DBL_TRUE_MIN; // all are beyond the limit now, and only whether is clear for the first two
    ok(grzCcdMotion_Update(scene.motion, &def));
    found = earliestOf(&scene, &pairs, 0);
    assert_true(found.isFound && found.impact.certainty == grz_conservative && found.pair == 0);
    // Beside a pair that is done before the doubtful ones can be near.
    const uint32_t more[] = {0, 1, 2, 3, 4, 4, 4, 4};
    const grzCcdPairs sure = {grz_ccdVertexFace, more, 2};
    found = earliestOf(&scene, &sure, 0);
    assert_true(found.pair == 1 && found.impact.certainty == grz_exact && found.impact.t1 == 0);
    grzCcdMotion_Destroy(scene.motion);
}

// Times of a third, which doubles tell to 2^-30 and whole numbers cannot: which of two is first is not known, and one alone is.
static void tiesBeyondTheLimitAreTold(void** state) {
    (void)state;
    double start[] = {0.25, 0.25, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0.125, 0.25, 1};
    double end[] = {0.25, 0.25, -2, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0.125, 0.25, -2};
    static const uint32_t vertices[] = {0, 1, 2, 3, 4, 1, 2, 3};
    grzCcdPairs pairs = {grz_ccdVertexFace, vertices, 2};
    grzCcdMotionDef def = grzDefaultCcdMotionDef();
    def.start = start, def.end = end, def.vertexCount = 5, def.type = grz_float64;
    Scene scene;
    ok(grzCcdMotion_Create(&def, &scene.motion));
    grzCcdEarliest found = earliestOf(&scene, &pairs, 0);
    assert_true(found.pair == 0 && found.impact.certainty == grz_exact);
    start[9] = end[9] = DBL_TRUE_MIN;
    ok(grzCcdMotion_Update(scene.motion, &def));
    found = earliestOf(&scene, &pairs, 0);
    assert_true(found.pair == 0 && found.impact.certainty == grz_conservative);
    assert_true(found.impact.t1 - found.impact.t0 == 0x1p-30 && 3 * found.impact.t0 < 1 && 3 * found.impact.t1 > 1);
    pairs.count = 1;
    found = earliestOf(&scene, &pairs, 0);
    assert_true(found.pair == 0 && found.impact.certainty == grz_exact);
    grzCcdMotion_Destroy(scene.motion);
}

// Of three in one cell the second, of which numbers do not tell, is the first in truth; that the third comes before the first one does
// not make it certain, in whichever order they are.
static void doubtOutlastsABetterPair(void** state) {
    (void)state;
    static const uint32_t orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    double start[] = {0.25, 0.25, 1, 0.25, 0.25, 1, 0.25, 0.25, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, DBL_TRUE_MIN, 1, 0};
    double end[sizeof start / sizeof *start];
    static const uint32_t named[3][4] = {{0, 3, 4, 5}, {1, 3, 4, 6}, {2, 3, 4, 5}};
    memcpy(end, start, sizeof end);
    end[2] = -2, end[5] = -2 - 0x1p-39, end[8] = -2 - 0x1p-40;
    grzCcdMotionDef def = grzDefaultCcdMotionDef();
    def.start = start, def.end = end, def.vertexCount = 7, def.type = grz_float64;
    Scene scene;
    ok(grzCcdMotion_Create(&def, &scene.motion));
    for (uint32_t i = 0; i < 6; ++i) {
        uint32_t vertices[12];
        const grzCcdPairs pairs = {grz_ccdVertexFace, vertices, 3};
        for (uint32_t k = 0; k < 3; ++k)
            memcpy(vertices + 4 * k, named[orders[i][k]], sizeof named[0]);
        for (uint32_t workers = 0; workers < 3; ++workers) {
            const grzCcdEarliest found = earliestOf(&scene, &pairs, workers);
            assert_true(found.isFound &&
                        (found.impact.certainty == grz_conservative || orders[i][found.pair] == 1));
        }
    }
    grzCcdMotion_Destroy(scene.motion);
}

static void badInputIsRefused(void** state) {
    (void)state;
    Scene scene;
    grzCcdEarliest earliest;
    makeScene(&scene, 121, scene_late, false);
    grzCcdPairs pairs = {grz_ccdVertexFace, scene.vertices[0], 10};
    assert_int_equal(grzCcdMotion_FindEarliest(scene.motion, NULL, &pairs, NULL).value, 4);
    assert_int_equal(grzCcdMotion_FindEarliest(scene.motion, NULL, NULL, &earliest).value, 3);
    assert_false(earliest.isFound);
    pairs.kind = (grzCcdKind)5;
    assert_int_equal(grzCcdMotion_FindEarliest(scene.motion, NULL, &pairs, &earliest).value, 3);
    pairs.kind = grz_ccdEdgeEdge;
    scene.vertices[0][9] = VERTICES;
    const grzResult result = grzCcdMotion_FindEarliest(scene.motion, NULL, &pairs, &earliest);
    assert_int_equal(result.status, grz_indexTooLarge);
    assert_int_equal(result.index, 2);
    grzCcdMotion_Destroy(scene.motion);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(theFirstOfAllIsFound),      cmocka_unit_test(workersDoNotMatter),
        cmocka_unit_test(timesInOneCellAreInOrder),  cmocka_unit_test(doubtComesFirstWhereItMay),
        cmocka_unit_test(tiesBeyondTheLimitAreTold), cmocka_unit_test(doubtOutlastsABetterPair),
        cmocka_unit_test(badInputIsRefused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
