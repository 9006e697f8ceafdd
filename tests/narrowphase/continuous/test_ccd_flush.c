// What: continuous queries while the processor takes numbers below the normal ones for 0, in what it reads and in what it writes: the
// answers are those of the oracle, which is asked without these modes. Of steps and of many pairs: those found without them, whichever
// modes the caller has and the workers began with.
#include <float.h>
#include <math.h>

#include "ccd_cases.h"
#include "ccd_oracle.h"
#include "graze/ccd_earliest.h"
#include "graze/ccd_near.h"
#include "graze/ccd_step.h"
#include "graze/sweep.h"
#include "testing.h"

#if defined(__x86_64__) || defined(__SSE2__)
#    include <xmmintrin.h>

enum { canFlush = 1 };

static void setFlush(bool flushes) {
    const unsigned both = 0x8040; // FTZ and DAZ
    _mm_setcsr(flushes ? _mm_getcsr() | both : _mm_getcsr() & ~both);
}
#elif defined(__aarch64__)
enum { canFlush = 1 };

static void setFlush(bool flushes) {
    uint64_t modes;
    __asm__ volatile("mrs %0, fpcr" : "=r"(modes));
    modes = flushes ? modes | UINT64_C(1) << 24 : modes & ~(UINT64_C(1) << 24);
    __asm__ volatile("msr fpcr, %0" : : "r"(modes));
}
#else
enum { canFlush = 0 };

static void setFlush(bool flushes) {
    (void)flushes;
}
#endif

static void theModesAreOn(void** state) {
    (void)state;
    volatile double tiny = DBL_MIN;
    setFlush(true);
    const volatile double half = tiny / 2;
    setFlush(false);
    assert_true(!canFlush || half == 0);
}

// The class, or one whose numbers are brought to the edge of the normal ones.
static grzCcdQuery queryOf(grzRng* rng, int i) {
    grzCcdQuery query = ccdCase(rng, i % 2 == 0 ? ccd_subnormal : (CcdClass)(i / 2 % ccd_classCount));
    const int scale = i % 4 == 1 ? -1020 : i % 4 == 3 ? -1040 : 0;
    for (int k = 0; k < 24 && i % 2 == 1 && (i / 2 % ccd_classCount) <= ccd_morePlaces; ++k)
        query.points[k / 12][k / 3 % 4][k % 3] = ldexp(query.points[k / 12][k / 3 % 4][k % 3], scale);
    return query;
}

static void impactsAreTheOracles(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(91), 1);
    for (int i = 0; i < 1600; ++i) {
        const grzCcdQuery query = queryOf(&rng, i);
        const CcdOracle oracle = ccdOracle(&query, 40);
        grzCcdImpact impact;
        bool touches;
        grzCertainty certainty;
        setFlush(true);
        const grzResult result = grzCcd_FindImpact(&query, 0, &impact),
                        other = grzCcd_Touches(&query, &touches, &certainty);
        setFlush(false);
        assert_true(grzResult_IsOk(result) && grzResult_IsOk(other));
        assert_int_equal(impact.certainty, grz_exact);
        assert_true(impact.touches == oracle.touches && touches == oracle.touches && certainty == grz_exact);
        if (oracle.touches)
            assert_true(impact.t0 <= oracle.t1 && impact.t1 >= oracle.t0);
    }
}

static void orderIsTheOracles(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(92), 1);
    for (int i = 0; i < 400; ++i) {
        const grzCcdQuery a = queryOf(&rng, i), b = queryOf(&rng, i);
        const int expected = ccdOracleCompare(&a, &b);
        int order;
        grzCertainty certainty;
        setFlush(true);
        const grzResult result = grzCcd_CompareImpacts(&a, &b, &order, &certainty);
        setFlush(false);
        assert_true(grzResult_IsOk(result));
        assert_true(order == expected && certainty == grz_exact);
    }
}

static void nothingNearIsMissed(void** state) {
    (void)state;
    static const double distances[] = {DBL_TRUE_MIN, 5 * DBL_TRUE_MIN, DBL_MIN, 0x1p-1040, 1e-3};
    grzRng rng = grzRng_Make(testSeed(93), 1);
    uint32_t nears = 0;
    for (int i = 0; i < 1000; ++i) {
        const grzCcdQuery query = queryOf(&rng, i);
        const grzCcdNear near = {.distance = distances[i % 5]};
        grzCcdApproach approach;
        setFlush(true);
        const grzResult result = grzCcd_FindApproach(&query, &near, &approach);
        setFlush(false);
        assert_true(grzResult_IsOk(result));
        nears += approach.isNear;
        for (int k = 0; k <= 8; ++k)
            if (k / 8.0 < approach.t0 || !approach.isNear)
                assert_true(ccdOracleDistance(&query, k / 8.0, near.distance) > 0);
        if (approach.isNear)
            assert_true(ccdOracleDistance(&query, approach.t0, approach.separation) <= 0);
        if (approach.isNear && approach.certainty == grz_exact)
            assert_true(ccdOracleDistance(&query, approach.t1, near.distance) <= 0);
    }
    assert_true(nears > 100);
}

// A motion of one query's points, as batches and searches have it.
static void batchesSayTheSame(void** state) {
    (void)state;
    static const uint32_t vertices[4] = {0, 1, 2, 3};
    grzRng rng = grzRng_Make(testSeed(94), 1);
    for (int i = 0; i < 400; ++i) {
        const grzCcdQuery query = queryOf(&rng, i);
        const CcdOracle oracle = ccdOracle(&query, 40);
        const grzCcdPairs pairs = {query.kind, vertices, 1};
        grzCcdMotionDef def = grzDefaultCcdMotionDef();
        grzCcdMotion* motion;
        grzCcdEarliest earliest;
        uint8_t answer;
        def.start = query.points[0], def.end = query.points[1], def.vertexCount = 4, def.type = grz_float64;
        setFlush(true);
        const grzResult made = grzCcdMotion_Create(&def, &motion);
        const grzResult decided = grzCcdMotion_Decide(motion, NULL, &pairs, &answer);
        const grzResult searched = grzCcdMotion_FindEarliest(motion, NULL, &pairs, &earliest);
        setFlush(false);
        assert_true(grzResult_IsOk(made) && grzResult_IsOk(decided) && grzResult_IsOk(searched));
        assert_int_equal(answer, oracle.touches ? grz_ccdTouching : grz_ccdApart);
        assert_int_equal(earliest.isFound, oracle.touches);
        grzCcdMotion_Destroy(motion);
    }
}

// ---- steps, and searches in floats ----

enum { CORNERS = 24, TRIANGLES = 70 };

// Few places, some of the smallest numbers apart; as floats and as doubles.
typedef struct Small {
    uint32_t triangles[3 * TRIANGLES];
    float floats[2][3 * CORNERS];
    double doubles[2][3 * CORNERS];
    grzMesh* mesh;
} Small;

static void makeSmall(Small* small, grzRng* rng) {
    for (int i = 0; i < 3 * TRIANGLES; ++i)
        small->triangles[i] = grzRng_Below(rng, CORNERS);
    for (int i = 0; i < 6 * CORNERS; ++i) {
        const int number = (int)grzRng_Below(rng, 5) - 2;
        small->floats[i % 2][i / 2] = (float)number * FLT_TRUE_MIN;
        small->doubles[i % 2][i / 2] = number * DBL_TRUE_MIN;
    }
    grzMeshDef def = grzDefaultMeshDef();
    def.positions = small->doubles[0];
    def.positionType = grz_float64;
    def.vertexCount = CORNERS;
    def.indices = small->triangles;
    def.triangleCount = TRIANGLES;
    assert_true(grzResult_IsOk(grzMesh_Create(&def, &small->mesh)));
}

static grzTasks* makeTasks(bool flushes) {
    grzTasksDef def = grzDefaultTasksDef();
    grzTasks* tasks;
    def.workerCount = 3;
    setFlush(flushes); // threads begin with the modes of who makes them
    const grzResult result = grzTasks_Create(&def, &tasks);
    setFlush(false);
    assert_true(grzResult_IsOk(result));
    return tasks;
}

static void findSmall(grzCcdStep* step, grzTasks* tasks, const Small* small, bool isDouble, bool flushes) {
    grzCcdStepQuery query = grzDefaultCcdStepQuery();
    query.depth = 20;
    query.a.start = isDouble ? (const void*)small->doubles[0] : small->floats[0];
    query.a.end = isDouble ? (const void*)small->doubles[1] : small->floats[1];
    setFlush(flushes);
    const grzResult result = grzCcdStep_Find(step, tasks, &query);
    volatile double tiny = DBL_MIN;
    const volatile double half = tiny / 2;
    setFlush(false);
    assert_true(grzResult_IsOk(result));
    assert_true(!flushes || !canFlush || half == 0); // the host's modes are as they were
}

// Whatever modes the caller has, and whichever the workers began with.
static void stepsSayTheSame(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(95), 1);
    grzTasks* tasks[3] = {NULL, makeTasks(false), makeTasks(true)};
    for (int i = 0; i < 6; ++i) {
        Small small;
        grzCcdStepDef def = grzDefaultCcdStepDef();
        grzCcdStep *plain, *step;
        makeSmall(&small, &rng);
        def.meshA = small.mesh;
        def.type = i % 2 != 0 ? grz_float64 : grz_float32;
        assert_true(grzResult_IsOk(grzCcdStep_Create(&def, &plain)));
        findSmall(plain, NULL, &small, i % 2 != 0, false);
        const grzCcdStepView expected = grzCcdStep_GetView(plain);
        assert_true(expected.count > 100 && expected.count < 5000);
        for (int k = 0; k < 6; ++k) {
            assert_true(grzResult_IsOk(grzCcdStep_Create(&def, &step)));
            findSmall(step, tasks[k / 2], &small, i % 2 != 0, k % 2 != 0);
            const grzCcdStepView found = grzCcdStep_GetView(step);
            assert_int_equal(found.count, expected.count);
            assert_memory_equal(found.impacts, expected.impacts, found.count * sizeof *found.impacts);
            assert_memory_equal(found.stats.candidates, expected.stats.candidates, sizeof found.stats.candidates);
            grzCcdStep_Destroy(step);
        }
        grzCcdStep_Destroy(plain);
        grzMesh_Destroy(small.mesh);
    }
    for (int k = 0; k < 3; ++k)
        grzTasks_Destroy(tasks[k]);
}

typedef struct Found {
    uint8_t answers[TRIANGLES], nears[TRIANGLES];
    double t0[TRIANGLES];
    grzCcdEarliest earliest;
} Found;

static void findPairs(const Small* small, grzTasks* tasks, bool flushes, Found* found) {
    uint32_t vertices[4 * TRIANGLES];
    for (uint32_t i = 0; i < 4 * TRIANGLES; ++i)
        vertices[i] = (i * 7 + i / 4) % CORNERS;
    const grzCcdPairs pairs = {grz_ccdEdgeEdge, vertices, TRIANGLES};
    const grzCcdNear near = {.distance = DBL_MIN};
    grzCcdMotionDef def = grzDefaultCcdMotionDef();
    grzCcdMotion* motion;
    def.start = small->floats[0], def.end = small->floats[1], def.vertexCount = CORNERS;
    memset(found, 0, sizeof *found);
    setFlush(flushes);
    bool isOk = grzResult_IsOk(grzCcdMotion_Create(&def, &motion));
    isOk = isOk && grzResult_IsOk(grzCcdMotion_Decide(motion, tasks, &pairs, found->answers));
    isOk = isOk && grzResult_IsOk(grzCcdMotion_DecideNear(motion, tasks, &pairs, &near, found->nears, found->t0));
    isOk = isOk && grzResult_IsOk(grzCcdMotion_FindEarliest(motion, tasks, &pairs, &found->earliest));
    const grzCcdQuery query = grzCcdMotion_Query(motion, grz_ccdVertexFace, vertices);
    setFlush(false);
    assert_true(isOk);
    for (int i = 0; i < 24; ++i)
        assert_true(query.points[i / 12][i / 3 % 4][i % 3] ==
                    (double)small->floats[i / 12][3 * vertices[i / 3 % 4] + (uint32_t)(i % 3)]);
    grzCcdMotion_Destroy(motion);
}

static void floatsSayTheSame(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(96), 1);
    grzTasks* tasks[3] = {NULL, makeTasks(false), makeTasks(true)};
    for (int i = 0; i < 10; ++i) {
        Small small;
        Found expected, found;
        makeSmall(&small, &rng);
        findPairs(&small, NULL, false, &expected);
        for (int k = 0; k < 6; ++k) {
            findPairs(&small, tasks[k / 2], k % 2 != 0, &found);
            assert_memory_equal(found.answers, expected.answers, sizeof found.answers);
            assert_memory_equal(found.nears, expected.nears, sizeof found.nears);
            assert_memory_equal(found.t0, expected.t0, sizeof found.t0);
            assert_int_equal(found.earliest.pair, expected.earliest.pair);
            assert_true(found.earliest.impact.t0 == expected.earliest.impact.t0);
        }
        grzMesh_Destroy(small.mesh);
    }
    for (int k = 0; k < 3; ++k)
        grzTasks_Destroy(tasks[k]);
}

// Balls whose size and way are below the normal numbers of floats: taken for 0, they would rest in one point.
static void sweepsSayTheSame(void** state) {
    (void)state;
    enum { COUNT = 64 };
    grzSweepQuery queries[COUNT];
    grzSweepImpact expected[COUNT], found[COUNT];
    grzTasks* tasks[3] = {NULL, makeTasks(false), makeTasks(true)};
    for (int i = 0; i < COUNT; ++i) {
        const float size = ldexpf(1, -140 + i % 8), apart = (float)(i / 8) * size;
        queries[i] = grzDefaultSweepQuery();
        queries[i].a.shape = grzMakeSphere(grzVec3_Make(0, 0, 0), size);
        queries[i].b.shape = grzMakeSphere(grzVec3_Make(apart, 0, 0), size);
        queries[i].b.motion.translation = grzVec3_Make(-apart / 2, 0, 0);
    }
    assert_true(grzResult_IsOk(grzSweep_FindMany(NULL, queries, COUNT, expected)));
    for (int i = 0; i < COUNT; ++i) { // the gap is (i / 8 - 2) sizes, half of i / 8 of which is taken
        const double gap = i / 8 - 2, way = i / 8 / 2.0;
        assert_true((expected[i].outcome == grz_sweepTouches) == (gap <= way));
        assert_true(gap <= 0 || gap > way || fabs(expected[i].toi - gap / way) < 1e-3);
    }
    for (int k = 0; k < 6; ++k) {
        setFlush(k % 2 != 0);
        const grzResult result = grzSweep_FindMany(tasks[k / 2], queries, COUNT, found);
        setFlush(false);
        assert_true(grzResult_IsOk(result));
        assert_memory_equal(found, expected, sizeof found);
    }
    for (int k = 0; k < 3; ++k)
        grzTasks_Destroy(tasks[k]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(theModesAreOn),     cmocka_unit_test(impactsAreTheOracles),
        cmocka_unit_test(orderIsTheOracles), cmocka_unit_test(nothingNearIsMissed),
        cmocka_unit_test(batchesSayTheSame), cmocka_unit_test(stepsSayTheSame),
        cmocka_unit_test(floatsSayTheSame),  cmocka_unit_test(sweepsSayTheSame),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
