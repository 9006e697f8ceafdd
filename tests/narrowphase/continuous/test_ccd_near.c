// What: continuous queries with a distance: plain examples; what is claimed of every class of ccd_cases.h against exact distances at many
// times; the bound of work; batches; refusals.
#include <float.h>
#include <math.h>

#include "ccd_cases.h"
#include "ccd_check.h"
#include "ccd_oracle.h"
#include "graze/ccd_near.h"
#include "testing.h"

static const grzCcdQuery falling = {
    grz_ccdVertexFace,
    {{{0.25, 0.25, 1}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0.25, 0.25, -3}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}}}};

static grzCcdApproach approachOf(const grzCcdQuery* query, grzCcdNear near) {
    grzCcdApproach approach;
    assert_true(grzResult_IsOk(grzCcd_FindApproach(query, &near, &approach)));
    return approach;
}

static void aVertexComesNearATriangle(void** state) {
    (void)state;
    const grzCcdApproach approach = approachOf(&falling, (grzCcdNear){.distance = 0.25, .tolerance = 1e-6});
    assert_true(approach.isNear && approach.certainty == grz_exact && approach.measure == 0);
    assert_true(approach.t0 <= 0.1875 && approach.t0 > 0.1875 - 1e-6);
    assert_true(approach.t1 >= 0.1875 && approach.t1 <= 1);
    assert_true(approach.separation >= 0.25 && approach.separation < 0.25 + 1.1e-6);
    assert_true(approach.normal[2] == 1);
    assert_true(fabs(approach.weights[1] - 0.5) < 1e-9 && fabs(approach.weights[2] - 0.25) < 1e-9);
}

static void edgesComeNearEachOther(void** state) {
    (void)state;
    const grzCcdQuery query = {
        grz_ccdEdgeEdge,
        {{{-1, 0, 3}, {1, 0, 3}, {0, -1, 0}, {0, 3, 0}}, {{-1, 0, 1}, {1, 0, 1}, {0, -1, 0}, {0, 3, 0}}}};
    assert_false(approachOf(&query, (grzCcdNear){.distance = 0.99, .tolerance = 1e-3}).isNear);
    const grzCcdApproach approach = approachOf(&query, (grzCcdNear){.distance = 2, .tolerance = 1e-9});
    assert_true(approach.isNear && approach.t0 <= 0.5 && approach.t0 > 0.5 - 1e-8);
    assert_true(approach.normal[2] == 1);
    assert_true(approach.weights[0] == 0.5 && approach.weights[2] == 0.75 && approach.weights[3] == 0.25);
    // Just beside: may be, by no more than the tolerance.
    const grzCcdApproach graze = approachOf(&query, (grzCcdNear){.distance = 1 - 1e-9, .tolerance = 1e-6});
    assert_true(!graze.isNear || (graze.certainty == grz_conservative && graze.measure <= 1.1e-6));
}

static void withoutADistanceItIsTheExactTest(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(81), 1);
    for (int i = 0; i < 1600; ++i) {
        const grzCcdQuery query = ccdCase(&rng, (CcdClass)(i % ccd_classCount));
        grzCcdImpact impact;
        assert_true(grzResult_IsOk(grzCcd_FindImpact(&query, 0, &impact)));
        const grzCcdApproach approach = approachOf(&query, (grzCcdNear){.distance = 0});
        assert_true(approach.isNear == impact.touches && approach.certainty == impact.certainty);
        assert_true(approach.t0 == impact.t0 && approach.t1 == impact.t1);
        if (approach.isNear)
            assert_true(ccdOracleDistance(&query, approach.t0, approach.separation) <= 0);
    }
}

// ---- what is claimed ----

static grzCcdApproach checkClaims(const grzCcdQuery* query, const grzCcdNear* near, grzRng* rng) {
    grzCcdApproach approach;
    const char* flaw = ccdCheckNear(query, near, rng, &approach);
    if (flaw != NULL) {
        printf("    distance %a, tolerance %a,\n", near->distance, near->tolerance);
        ccdPrint(query);
        fail_msg("%s", flaw);
    }
    return approach;
}

// Of every size, and that of one time or another.
static double distanceOf(const grzCcdQuery* query, grzRng* rng) {
    const double reach = ccdReach(query);
    if (grzRng_Below(rng, 3) == 0) {
        const grzCcdNear all = {.distance = fmin(8 * reach + DBL_MIN, DBL_MAX)};
        grzCcdQuery still = *query;
        const double time = 0.25 * (double)grzRng_Below(rng, 5);
        for (int i = 0; i < 12; ++i)
            still.points[0][i / 3][i % 3] = still.points[1][i / 3][i % 3] =
                (1 - time) * query->points[0][i / 3][i % 3] + time * query->points[1][i / 3][i % 3];
        return approachOf(&still, all).separation;
    }
    return reach * pow(10, -4 * grzRng_Double(rng)) + DBL_MIN;
}

static void claimsHold(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(82), 1);
    uint32_t pieces = 0, nears = 0, sure = 0, cut = 0;
    enum { count = 2400 };
    for (int i = 0; i < count; ++i) {
        const grzCcdQuery query = ccdCase(&rng, (CcdClass)(i % ccd_classCount));
        grzCcdNear near = {.distance = distanceOf(&query, &rng)};
        near.tolerance = near.distance * pow(10, -1 - 3 * grzRng_Double(&rng));
        const grzCcdApproach approach = checkClaims(&query, &near, &rng);
        pieces += approach.pieces;
        nears += approach.isNear;
        sure += approach.isNear && approach.certainty == grz_exact;
        cut += approach.isNear && approach.pieces == GRZ_CCD_PIECES;
    }
    assert_true(nears > count / 4 && nears < count);
    assert_true(sure > nears * 3 / 4);
    assert_true(pieces < 16 * count);
    assert_true(cut < count / 50); // sizes that are far apart
}

// Features that pass each other beside the distance, at every angle and spin, take few pieces where the tolerance is small.
static void passingCostsLittle(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(83), 1);
    uint32_t most = 0;
    for (int i = 0; i < 300; ++i) {
        const grzCcdQuery query = ccdCase(&rng, i % 2 == 0 ? ccd_anywhere : ccd_screws);
        double least = (double)INFINITY;
        for (int k = 0; k <= 64; ++k) {
            grzCcdQuery still = query;
            for (int j = 0; j < 12; ++j)
                still.points[0][j / 3][j % 3] = still.points[1][j / 3][j % 3] =
                    query.points[0][j / 3][j % 3] +
                    k / 64.0 * (query.points[1][j / 3][j % 3] - query.points[0][j / 3][j % 3]);
            least = fmin(least, approachOf(&still, (grzCcdNear){.distance = 100}).separation);
        }
        const grzCcdNear near = {.distance = 0.99 * least, .tolerance = 1e-9};
        if (near.distance < 0.01)
            continue;
        const grzCcdApproach approach = approachOf(&query, near);
        most = approach.pieces > most ? approach.pieces : most;
    }
    assert_true(most > 2 && most < 200);
}

// An edge of a length of 2^67 beside a distance of 2^39, nearest near one of its ends: the direction must not be spoilt by the length.
static void longEdgesSpoilNoDirection(void** state) {
    (void)state;
    static const grzCcdQuery query = {grz_ccdEdgeEdge,
                                      {{{-0x1.9f2d3adb7bf78p+4, 0x1.9f2d3adb7bf78p+4, -0x1.9f2d3adb7bf78p+4},
                                        {0x1.c222071163fc4p-66, 0x1.c222071163fc4p-66, 0x1.c222071163fc4p-68},
                                        {0x0p+0, -0x1.1046052b6e42bp+41, -0x1.6b0806e493039p+40},
                                        {-0x1.c6ef19a57c504p+65, -0x1.2f4a1118fd8adp+65, 0x1.c6ef19a57c504p+65}},
                                       {{0x1.14c8d1e7a7fa5p+3, 0x0p+0, -0x1.9f2d3adb7bf78p+4},
                                        {0x1.c222071163fc4p-67, 0x1.5199854d0afd3p-66, -0x1.c222071163fc4p-66},
                                        {-0x1.6b0806e493039p+39, 0x0p+0, 0x1.1046052b6e42bp+41},
                                        {0x0p+0, 0x1.2f4a1118fd8adp+66, -0x1.2f4a1118fd8adp+66}}}};
    grzRng rng = grzRng_Make(1, 1);
    const grzCcdNear near = {.distance = 0x1.eff7827e6a941p+39, .tolerance = 0x1.306ea7fb739a5p+31};
    checkClaims(&query, &near, &rng);
}

static void workIsBounded(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(84), 1);
    uint32_t cut = 0;
    for (int i = 0; i < 800; ++i) {
        const grzCcdQuery query = ccdCase(&rng, (CcdClass)(i % ccd_classCount));
        const grzCcdNear near = {.distance = distanceOf(&query, &rng), .mostPieces = 1 + grzRng_Below(&rng, 4)};
        const grzCcdApproach approach = checkClaims(&query, &near, &rng);
        assert_true(approach.pieces <= near.mostPieces);
        cut += approach.isNear && approach.separation > 1.01 * near.distance;
    }
    assert_true(cut > 10);
}

static void sizesAtTheEdgeAreTaken(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(85), 1);
    static const double scales[] = {DBL_MAX / 8, 1e300, 0x1p-1000, DBL_MIN, 0x1p-1060};
    for (int i = 0; i < 200; ++i) {
        grzCcdQuery query = ccdCase(&rng, ccd_fewPlaces);
        for (int k = 0; k < 24; ++k)
            query.points[k / 12][k / 3 % 4][k % 3] *= scales[i % 5];
        const grzCcdNear near = {.distance = i % 3 == 0 ? DBL_TRUE_MIN : i % 3 == 1 ? scales[i % 5] : DBL_MAX};
        checkClaims(&query, &near, &rng);
    }
    grzCcdQuery flat = falling; // far along one axis, near each other along the rest
    for (int k = 0; k < 8; ++k) {
        flat.points[k / 4][k % 4][0] = 1;
        flat.points[k / 4][k % 4][1] *= 1e-300;
        flat.points[k / 4][k % 4][2] *= 1e-300;
    }
    checkClaims(&flat, &(grzCcdNear){.distance = 1e-301}, &rng);
}

// ---- many ----

enum { VERTICES = 60, PAIRS = 1500 };

static void ok(grzResult result) {
    char text[128];
    if (!grzResult_IsOk(result))
        fail_msg("%s", grzResult_Text(result, text, sizeof text));
}

static void batchesSayWhatSingleQueriesSay(void** state) {
    (void)state;
    static const uint32_t workers[] = {1, 2, 3, 8};
    static double points[2][3 * VERTICES];
    static uint32_t vertices[4 * PAIRS];
    static uint8_t answers[PAIRS], others[PAIRS];
    static double t0[PAIRS], otherT0[PAIRS];
    grzRng rng = grzRng_Make(testSeed(86), 1);
    for (int i = 0; i < 6 * VERTICES; ++i)
        points[i / (3 * VERTICES)][i % (3 * VERTICES)] = grzRng_Double(&rng);
    for (int i = 0; i < 4 * PAIRS; ++i)
        vertices[i] = grzRng_Below(&rng, VERTICES);
    grzCcdMotionDef def = grzDefaultCcdMotionDef();
    def.start = points[0], def.end = points[1], def.vertexCount = VERTICES, def.type = grz_float64;
    grzCcdMotion* motion;
    ok(grzCcdMotion_Create(&def, &motion));
    const grzCcdNear near = {.distance = 0.05}, none = {.distance = 0};
    const grzCcdPairs pairs = {grz_ccdEdgeEdge, vertices, PAIRS};
    ok(grzCcdMotion_DecideNear(motion, NULL, &pairs, &near, answers, t0));
    for (uint32_t i = 0; i < PAIRS; ++i) {
        const grzCcdQuery query = grzCcdMotion_Query(motion, pairs.kind, vertices + 4 * i);
        const grzCcdApproach approach = approachOf(&query, near);
        assert_int_equal(answers[i] != grz_ccdApart, approach.isNear);
        assert_int_equal(answers[i] == grz_ccdDoubtful, approach.certainty == grz_conservative);
        assert_true(t0[i] == approach.t0);
    }
    for (size_t w = 0; w < sizeof workers / sizeof workers[0]; ++w) {
        grzTasksDef tasksDef = grzDefaultTasksDef();
        grzTasks* tasks;
        tasksDef.workerCount = workers[w];
        ok(grzTasks_Create(&tasksDef, &tasks));
        ok(grzCcdMotion_DecideNear(motion, tasks, &pairs, &near, others, otherT0));
        grzTasks_Destroy(tasks);
        assert_memory_equal(others, answers, sizeof answers);
        assert_memory_equal(otherT0, t0, sizeof t0);
    }
    ok(grzCcdMotion_DecideNear(motion, NULL, &pairs, &none, others, otherT0));
    ok(grzCcdMotion_Decide(motion, NULL, &pairs, answers));
    assert_memory_equal(others, answers, sizeof answers);
    ok(grzCcdMotion_DecideNear(motion, NULL, &pairs, &none, others, NULL));
    assert_memory_equal(others, answers, sizeof answers);
    const grzCcdNear bad = {.distance = -1};
    assert_int_equal(grzCcdMotion_DecideNear(motion, NULL, NULL, &near, answers, t0).value, 3);
    assert_int_equal(grzCcdMotion_DecideNear(motion, NULL, &pairs, &bad, answers, t0).value, 4);
    assert_int_equal(grzCcdMotion_DecideNear(motion, NULL, &pairs, &near, NULL, t0).value, 5);
    vertices[17] = VERTICES;
    assert_int_equal(grzCcdMotion_DecideNear(motion, NULL, &pairs, &near, answers, t0).index, 4);
    grzCcdMotion_Destroy(motion);
}

static void badQueriesAreRefused(void** state) {
    (void)state;
    grzCcdQuery query = falling;
    grzCcdApproach approach;
    grzCcdNear near = {.distance = 1};
    query.points[1][1][2] = (double)INFINITY;
    const grzResult result = grzCcd_FindApproach(&query, &near, &approach);
    assert_int_equal(result.status, grz_notFinite);
    assert_int_equal(result.index, 5);
    assert_true(!approach.isNear && approach.t0 == 1);
    assert_int_equal(grzCcd_FindApproach(NULL, &near, &approach).value, 1);
    assert_int_equal(grzCcd_FindApproach(&falling, NULL, &approach).value, 2);
    assert_int_equal(grzCcd_FindApproach(&falling, &near, NULL).value, 3);
    static const double bad[] = {-1, (double)NAN, (double)INFINITY, -(double)INFINITY};
    for (int i = 0; i < 4; ++i) {
        near = (grzCcdNear){.distance = bad[i]};
        assert_int_equal(grzCcd_FindApproach(&falling, &near, &approach).value, 2);
        near = (grzCcdNear){.distance = 1, .tolerance = bad[i]};
        assert_int_equal(grzCcd_FindApproach(&falling, &near, &approach).value, 2);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(aVertexComesNearATriangle),
        cmocka_unit_test(edgesComeNearEachOther),
        cmocka_unit_test(withoutADistanceItIsTheExactTest),
        cmocka_unit_test(claimsHold),
        cmocka_unit_test(passingCostsLittle),
        cmocka_unit_test(longEdgesSpoilNoDirection),
        cmocka_unit_test(workIsBounded),
        cmocka_unit_test(sizesAtTheEdgeAreTaken),
        cmocka_unit_test(batchesSayWhatSingleQueriesSay),
        cmocka_unit_test(badQueriesAreRefused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
