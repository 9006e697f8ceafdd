// Flightplans: coordinates are the exact numbers, rounded twice to nearest; orders and overtakings are those of rational
// arithmetic, on random, tied, far, slow and bent paths; evaluation gives the same bytes for any workers and levels; what is
// refused changes nothing.
#include "testing.h"

#include <gmp.h>
#include <math.h>

#include "graze/flightplan.h"
#include "plan_inside.h"
#include "rng.h"
#include "simd_dispatch.h"

static void ok(grzResult result) {
    char text[128];
    if (!grzResult_IsOk(result))
        fail_msg("%s", grzResult_Text(result, text, sizeof text));
}

// ---- plans ----

enum { VERTICES = 40, FRAMES = 6 };

typedef enum Flavour { flavourAny, flavourTied, flavourFar, flavourSlow, flavourCount } Flavour;

static float draw(grzRng* rng, Flavour flavour, float size) {
    const float x = size * (2 * grzRng_Float(rng) - 1);
    switch (flavour) {
    case flavourTied:
        return size * (float)grzRng_Below(rng, 3);
    case flavourFar:
        return 1e6F + x;
    case flavourSlow:
        return 1 + x * 1e-7F;
    case flavourAny:
    case flavourCount:
    default:
        return x;
    }
}

typedef struct Made {
    grzFlightplan* plan;
    float frames[FRAMES][3 * VERTICES];
} Made;

static void drawNumbers(grzRng* rng, Flavour flavour, float size, float* numbers) {
    for (int i = 0; i < 3 * VERTICES; ++i)
        numbers[i] = draw(rng, flavour, size);
}

static void makeFrames(grzRng* rng, Flavour flavour, Made* made) {
    grzFlightplanDef def = grzDefaultFlightplanDef();
    def.vertexCount = VERTICES;
    ok(grzFlightplan_Create(&def, &made->plan));
    for (int f = 0; f < FRAMES; ++f) {
        drawNumbers(rng, flavour, 1, made->frames[f]);
        ok(grzFlightplan_AddKeyframe(made->plan, 0.1 * f * f, made->frames[f], 0));
    }
}

// Some tenths of a second, in which a third of the paths change three times.
static void makePaths(grzRng* rng, Flavour flavour, bool isBent, int32_t tickExponent, grzFlightplan** plan) {
    float positions[3 * VERTICES], velocities[3 * VERTICES], accelerations[3 * VERTICES];
    uint32_t vertices[VERTICES / 3];
    drawNumbers(rng, flavour, 1, positions);
    drawNumbers(rng, flavour == flavourFar ? flavourAny : flavour, 1, velocities);
    drawNumbers(rng, flavour == flavourFar ? flavourAny : flavour, 1, accelerations);
    grzFlightplanDef def = grzDefaultFlightplanDef();
    def.kind = grz_planPaths;
    def.vertexCount = VERTICES;
    def.positions = positions, def.velocities = velocities, def.accelerations = isBent ? accelerations : NULL;
    def.tickExponent = tickExponent;
    ok(grzFlightplan_Create(&def, plan));
    for (int k = 1; k <= 3; ++k) {
        for (int i = 0; i < VERTICES / 3; ++i)
            vertices[i] = grzRng_Below(rng, VERTICES);
        drawNumbers(rng, flavour == flavourFar ? flavourAny : flavour, 1, velocities);
        const grzFlightplanChange change = {vertices, VERTICES / 3, NULL, velocities,
                                            isBent && k != 2 ? accelerations : NULL};
        ok(grzFlightplan_Change(*plan, 0.1 * k * (tickExponent == 0 ? 10 : 1), &change));
    }
}

// ---- the oracle ----

static void setTerm(mpq_t to, double factor, double number) {
    mpq_t x;
    mpq_init(x);
    mpq_set_d(to, factor);
    mpq_set_d(x, number);
    mpq_mul(to, to, x);
    mpq_clear(x);
}

static void addTerm(mpq_t to, double factor, double number) {
    mpq_t x;
    mpq_init(x);
    setTerm(x, factor, number);
    mpq_add(to, to, x);
    mpq_clear(x);
}

static void locateExactly(const grzFlightplan* plan, uint32_t vertex, int axis, double at, mpq_t to) {
    mpq_set_ui(to, 0, 1);
    if (plan->kind == grz_planKeyframes) {
        const size_t frame = (size_t)floor(at) - plan->firstFrame;
        const double part = at - floor(at);
        addTerm(to, 1 - part, (double)plan->frames.data[frame].positions[3 * vertex + (uint32_t)axis]);
        if (part != 0)
            addTerm(to, part, (double)plan->frames.data[frame + 1].positions[3 * vertex + (uint32_t)axis]);
        return;
    }
    const PlanPath* path = &plan->paths.data[vertex];
    const double h = at - path->base;
    mpq_t square;
    mpq_init(square);
    addTerm(to, (double)path->position[axis], 1);
    addTerm(to, (double)path->velocity[axis], h);
    setTerm(square, h, h);
    mpq_t half;
    mpq_init(half);
    mpq_set_d(half, 0.5 * (double)path->acceleration[axis]);
    mpq_mul(square, square, half);
    mpq_add(to, to, square);
    mpq_clear(half);
    mpq_clear(square);
}

static int compareExactly(const grzFlightplan* plan, int axis, uint32_t i, uint32_t j, double at) {
    mpq_t a, b;
    mpq_init(a), mpq_init(b);
    locateExactly(plan, i, axis, at, a);
    locateExactly(plan, j, axis, at, b);
    const int sign = mpq_cmp(a, b);
    mpq_clear(a), mpq_clear(b);
    return (sign > 0) - (sign < 0);
}

// Whether a double is the one nearest to a number, of two the even one.
static bool isNearest(mpq_t number, double found) {
    bool isIt = true;
    for (int side = -1; side <= 1; side += 2) {
        mpq_t middle;
        mpq_init(middle);
        setTerm(middle, 0.5, found);
        addTerm(middle, 0.5, nextafter(found, side * (double)INFINITY));
        const int beyond = side * mpq_cmp(number, middle);
        uint64_t bits;
        memcpy(&bits, &found, sizeof bits);
        isIt = isIt && (beyond < 0 || (beyond == 0 && (bits & 1) == 0));
        mpq_clear(middle);
    }
    return isIt;
}

// ---- values ----

static double drawTime(grzRng* rng, const grzFlightplan* plan) {
    const grzFlightplanRange range = grzFlightplan_GetRange(plan);
    const double span = plan->kind == grz_planKeyframes ? range.end - range.begin
                        : grzRng_Below(rng, 4) == 0     ? 1e5
                                                        : 3;
    return range.begin + span * (double)grzRng_Float(rng);
}

static void checkValues(grzRng* rng, const grzFlightplan* plan) {
    mpq_t exact;
    mpq_init(exact);
    for (int round = 0; round < 60; ++round) {
        const double time = drawTime(rng, plan), at = grzPlan_TimeOf(plan, time);
        const uint32_t vertex = grzRng_Below(rng, VERTICES);
        grzVec3 found;
        ok(grzFlightplan_Locate(plan, vertex, time, &found));
        for (int axis = 0; axis < 3; ++axis) {
            const double value = grzPlan_Double(plan, vertex, axis, at);
            locateExactly(plan, vertex, axis, at, exact);
            assert_true(isNearest(exact, value));
            assert_true(grzVec3_Get(found, axis) == (float)value);
        }
    }
    mpq_clear(exact);
}

static void forEachPlan(grzRng* rng, void (*check)(grzRng*, const grzFlightplan*)) {
    for (int flavour = 0; flavour < flavourCount; ++flavour) {
        Made made;
        makeFrames(rng, (Flavour)flavour, &made);
        check(rng, made.plan);
        grzFlightplan_Destroy(made.plan);
        for (int k = 0; k < 6; ++k) {
            grzFlightplan* plan;
            makePaths(rng, (Flavour)flavour, k % 2 != 0, k / 2 == 0 ? -20 : k / 2 == 1 ? -30 : 0, &plan);
            check(rng, plan);
            grzFlightplan_Destroy(plan);
        }
    }
}

static void coordinatesAreTheExactOnesRounded(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(601), 0);
    forEachPlan(&rng, checkValues);
}

// ---- orders ----

static void checkOrders(grzRng* rng, const grzFlightplan* plan) {
    for (int round = 0; round < 100; ++round) {
        const double at = grzPlan_TimeOf(plan, drawTime(rng, plan));
        const uint32_t i = grzRng_Below(rng, VERTICES), j = grzRng_Below(rng, VERTICES);
        const int axis = (int)grzRng_Below(rng, 3);
        assert_int_equal(grzPlan_Compare(plan, axis, i, j, at), compareExactly(plan, axis, i, j, at));
    }
}

static void ordersAreThoseOfRationalNumbers(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(602), 0);
    forEachPlan(&rng, checkOrders);
}

// The time is right where j is above then and not one tick before, and the difference has no other way to be below 0 earlier.
static void checkOvertaking(grzRng* rng, const grzFlightplan* plan) {
    const double end = fmin(grzPlan_End(plan), 1e6);
    for (int round = 0; round < 100; ++round) {
        const double at = grzPlan_TimeOf(plan, drawTime(rng, plan));
        uint32_t i = grzRng_Below(rng, VERTICES), j = grzRng_Below(rng, VERTICES);
        const int axis = (int)grzRng_Below(rng, 3);
        if (compareExactly(plan, axis, i, j, at) < 0) {
            const uint32_t k = i;
            i = j, j = k;
        }
        const double found = grzPlan_Overtakes(plan, axis, i, j, at);
        assert_true(found > at);
        if (isfinite(found)) {
            assert_true(compareExactly(plan, axis, i, j, found) < 0);
            assert_true(compareExactly(plan, axis, i, j, found - plan->tick) >= 0);
        }
        for (int k = 0; k < 40; ++k) {
            const double until = fmin(found, end), part = (double)grzRng_Float(rng);
            const double between = at + floor((until - at) * part * part * part / plan->tick) * plan->tick;
            if (between < found && between >= at)
                assert_true(compareExactly(plan, axis, i, j, between) >= 0);
        }
    }
}

static void overtakingsAreFoundToTheTick(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(603), 0);
    forEachPlan(&rng, checkOvertaking);
}

// All ticks are looked at: of integers, on whole seconds, so that touching without crossing comes up.
static void everyTickIsAsItShould(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(604), 0);
    int touched = 0;
    for (int round = 0; round < 4000; ++round) {
        float numbers[3][6];
        for (int k = 0; k < 6; ++k) {
            numbers[0][k] = (float)grzRng_Below(&rng, 41) - 20;
            numbers[1][k] = (float)grzRng_Below(&rng, 21) - 10;
            numbers[2][k] = (float)grzRng_Below(&rng, 7) - 3;
        }
        grzFlightplanDef def = grzDefaultFlightplanDef();
        def.kind = grz_planPaths;
        def.vertexCount = 2;
        def.positions = numbers[0], def.velocities = numbers[1], def.accelerations = numbers[2];
        def.tickExponent = -(int32_t)grzRng_Below(&rng, 3);
        grzFlightplan* plan;
        ok(grzFlightplan_Create(&def, &plan));
        const uint32_t i = grzPlan_Compare(plan, 0, 0, 1, 0) >= 0 ? 0 : 1;
        const double found = grzPlan_Overtakes(plan, 0, i, 1 - i, 0);
        double expected = (double)INFINITY;
        for (double at = plan->tick; at < 60 && !isfinite(expected); at += plan->tick) {
            const int sign = compareExactly(plan, 0, i, 1 - i, at);
            touched += sign == 0;
            expected = sign < 0 ? at : expected;
        }
        assert_true(isfinite(expected) ? found == expected : found >= 60);
        grzFlightplan_Destroy(plan);
    }
    assert_true(touched > 100);
}

// ---- evaluation ----

static void evaluationIsLocationOfAll(void** state) {
    (void)state;
    enum { COUNT = 10007 };
    grzRng rng = grzRng_Make(testSeed(605), 0);
    float* first = calloc(3 * COUNT, sizeof *first);
    float* wide = calloc(4 * COUNT, sizeof *wide);
    float* found = calloc(5 * COUNT, sizeof *found);
    for (int i = 0; i < 3 * COUNT; ++i)
        first[i] = 2 * grzRng_Float(&rng) - 1;
    for (int i = 0; i < 4 * COUNT; ++i)
        wide[i] = 2 * grzRng_Float(&rng) - 1;
    grzFlightplanDef def = grzDefaultFlightplanDef();
    def.vertexCount = COUNT;
    grzFlightplan* plan;
    ok(grzFlightplan_Create(&def, &plan));
    ok(grzFlightplan_AddKeyframe(plan, 1, first, 0));
    ok(grzFlightplan_AddKeyframe(plan, 2, first, 12));
    ok(grzFlightplan_AddKeyframe(plan, 2.5, wide, 16));
    static const double times[] = {1, 1.3, 2, 2.2, 2.5};
    for (int level = grz_simdScalar; level < 32; ++level) {
        if ((grzSimd_SupportedBits() >> level & 1) == 0)
            continue;
        const grzSimdLevel before = grzSimd_Force((grzSimdLevel)level);
        for (uint32_t workers = 1; workers <= 8; workers += workers == 3 ? 5 : 1) {
            grzTasksDef tasksDef = grzDefaultTasksDef();
            tasksDef.workerCount = workers;
            grzTasks* tasks;
            ok(grzTasks_Create(&tasksDef, &tasks));
            for (size_t t = 0; t < sizeof times / sizeof times[0]; ++t) {
                const size_t stride = t % 2 == 0 ? 3 : 5;
                ok(grzFlightplan_Evaluate(plan, tasks, times[t], found, stride * sizeof(float)));
                for (uint32_t v = 0; v < COUNT; v += level == grz_simdScalar ? 1 : 7) {
                    grzVec3 position;
                    ok(grzFlightplan_Locate(plan, v, times[t], &position));
                    for (int axis = 0; axis < 3; ++axis)
                        assert_true(found[stride * v + (size_t)axis] == grzVec3_Get(position, axis));
                }
            }
            grzTasks_Destroy(tasks);
        }
        grzSimd_Force(before);
    }
    grzFlightplan_Destroy(plan);
    free(first), free(wide), free(found);
}

static void pathsGoOnFromWhereTheyAre(void** state) {
    (void)state;
    const float positions[6] = {0, 0, 0, 1, 1, 1}, velocities[6] = {1, 0, 0, 0, 2, 0}, turned[3] = {-1, 0, 0};
    const float jump[3] = {7, 8, 9}, fall[3] = {0, 0, -10};
    const uint32_t zero = 0;
    grzFlightplanDef def = grzDefaultFlightplanDef();
    def.kind = grz_planPaths, def.vertexCount = 2, def.positions = positions, def.velocities = velocities;
    grzFlightplan* plan;
    grzVec3 found;
    ok(grzFlightplan_Create(&def, &plan));
    const grzFlightplanChange turn = {&zero, 1, NULL, turned, NULL};
    ok(grzFlightplan_Change(plan, 2, &turn));
    ok(grzFlightplan_Locate(plan, 0, 3, &found));
    assert_true(found.x == 1 && found.y == 0 && found.z == 0);
    ok(grzFlightplan_Locate(plan, 1, 3, &found));
    assert_true(found.x == 1 && found.y == 7 && found.z == 1);
    const grzFlightplanChange drop = {&zero, 1, jump, NULL, fall};
    ok(grzFlightplan_Change(plan, 4, &drop));
    ok(grzFlightplan_Locate(plan, 0, 6, &found));
    assert_true(found.x == 7 && found.y == 8 && found.z == -11);
    uint32_t first;
    ok(grzFlightplan_AddVertices(plan, 5, &drop, &first));
    assert_int_equal(first, 2);
    assert_int_equal(grzFlightplan_VertexCount(plan), 3);
    ok(grzFlightplan_Locate(plan, 2, 6, &found));
    assert_true(found.x == 7 && found.y == 8 && found.z == 4);
    grzFlightplan_Destroy(plan);
}

// ---- keyframes come and go ----

static void droppedKeyframesAreNotMissed(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(606), 0);
    Made made;
    makeFrames(&rng, flavourAny, &made);
    grzVec3 before, after;
    ok(grzFlightplan_Locate(made.plan, 5, 1.0, &before));
    const double overtaken = grzPlan_Overtakes(made.plan, 1, 3, 4, grzPlan_TimeOf(made.plan, 0.95));
    const double third = made.plan->frames.data[3].time;
    grzFlightplan_DropKeyframes(made.plan, third);
    assert_true(grzFlightplan_GetRange(made.plan).begin == third);
    ok(grzFlightplan_Locate(made.plan, 5, 1.0, &after));
    assert_memory_equal(&before, &after, sizeof before);
    assert_true(grzPlan_Overtakes(made.plan, 1, 3, 4, grzPlan_TimeOf(made.plan, 0.95)) == overtaken);
    grzFlightplan_DropKeyframes(made.plan, 1e9);
    assert_true(grzFlightplan_GetRange(made.plan).begin == grzFlightplan_GetRange(made.plan).end);
    assert_int_equal(grzFlightplan_Locate(made.plan, 5, 1.0, &after).status, grz_badArgument);
    grzFlightplan_Destroy(made.plan);
}

// ---- what is refused ----

static void expectStatus(grzResult result, grzStatus status, uint64_t value) {
    assert_int_equal(result.status, status);
    assert_int_equal(result.value, value);
}

static void badKeyframesAreRefused(void** state) {
    (void)state;
    float positions[3 * VERTICES] = {0};
    grzFlightplanDef def = grzDefaultFlightplanDef();
    def.vertexCount = VERTICES;
    grzFlightplan* plan;
    ok(grzFlightplan_Create(&def, &plan));
    assert_true(grzFlightplan_GetRange(plan).begin > grzFlightplan_GetRange(plan).end);
    expectStatus(grzFlightplan_AddKeyframe(plan, (double)NAN, positions, 0), grz_badArgument, 2);
    expectStatus(grzFlightplan_AddKeyframe(plan, 0x1p32, positions, 0), grz_badArgument, 2);
    expectStatus(grzFlightplan_AddKeyframe(plan, 0, NULL, 0), grz_badArgument, 3);
    expectStatus(grzFlightplan_AddKeyframe(plan, 0, positions, 13), grz_badArgument, 4);
    ok(grzFlightplan_AddKeyframe(plan, 0, positions, 0));
    expectStatus(grzFlightplan_AddKeyframe(plan, 0, positions, 0), grz_badArgument, 2);
    float broken[3 * VERTICES] = {0};
    broken[3 * 17 + 1] = (float)NAN;
    const grzResult result = grzFlightplan_AddKeyframe(plan, 1, broken, 0);
    assert_int_equal(result.status, grz_notFinite);
    assert_int_equal(result.index, 17);
    assert_true(grzFlightplan_GetRange(plan).end == 0);
    const grzFlightplanChange change = {NULL, 0, NULL, NULL, NULL};
    expectStatus(grzFlightplan_Change(plan, 0, &change), grz_badArgument, 1);
    float out[3 * VERTICES];
    expectStatus(grzFlightplan_Evaluate(plan, NULL, 0.5, out, 0), grz_badArgument, 3);
    expectStatus(grzFlightplan_Evaluate(plan, NULL, 0, out, 7), grz_badArgument, 5);
    expectStatus(grzFlightplan_Evaluate(plan, NULL, 0, NULL, 0), grz_badArgument, 4);
    grzVec3 found;
    expectStatus(grzFlightplan_Locate(plan, VERTICES, 0, &found), grz_indexTooLarge, VERTICES);
    grzFlightplan_Destroy(plan);
    grzFlightplan_Destroy(NULL);
}

static void badPathsAreRefusedWhole(void** state) {
    (void)state;
    float positions[3 * VERTICES] = {0}, velocities[3 * VERTICES] = {0};
    uint32_t vertices[VERTICES];
    for (uint32_t i = 0; i < VERTICES; ++i)
        vertices[i] = i;
    velocities[0] = 3e38F;
    grzFlightplanDef def = grzDefaultFlightplanDef();
    def.kind = grz_planPaths, def.vertexCount = VERTICES, def.positions = positions, def.velocities = velocities;
    grzFlightplan* plan;
    ok(grzFlightplan_Create(&def, &plan));
    grzFlightplanChange change = {vertices, VERTICES, NULL, velocities, NULL};
    const grzResult gone = grzFlightplan_Change(plan, 1e5, &change); // vertex 0 is beyond float
    assert_int_equal(gone.status, grz_notFinite);
    assert_int_equal(gone.index, 0);
    expectStatus(grzFlightplan_Change(plan, -1, &change), grz_badArgument, 2);
    expectStatus(grzFlightplan_Change(plan, (double)NAN, &change), grz_badArgument, 2);
    vertices[9] = VERTICES;
    const grzResult wrong = grzFlightplan_Change(plan, 1, &change);
    assert_int_equal(wrong.status, grz_indexTooLarge);
    assert_int_equal(wrong.index, 9);
    expectStatus(wrong, grz_indexTooLarge, VERTICES);
    vertices[9] = 9;
    velocities[3 * 20] = (float)INFINITY;
    const grzResult notFinite = grzFlightplan_Change(plan, 1, &change);
    assert_int_equal(notFinite.status, grz_notFinite);
    assert_int_equal(notFinite.index, 20);
    assert_true(grzFlightplan_GetRange(plan).begin == 0);
    for (uint32_t i = 0; i < VERTICES; ++i)
        assert_true(plan->paths.data[i].base == 0);
    expectStatus(grzFlightplan_AddKeyframe(plan, 1, positions, 0), grz_badArgument, 1);
    grzFlightplan_Destroy(plan);
}

// Of frames and of paths; places that are not listed stay as they are.
static void someAreEvaluatedLikeAll(void** state) {
    (void)state;
    enum { COUNT = 500, LISTED = 200 };
    grzRng rng = grzRng_Make(testSeed(606), 0);
    static float first[3 * COUNT], second[3 * COUNT], some[3 * COUNT];
    uint32_t list[LISTED];
    for (int i = 0; i < 3 * COUNT; ++i)
        first[i] = 2 * grzRng_Float(&rng) - 1, second[i] = 2 * grzRng_Float(&rng) - 1;
    for (int kind = 0; kind < 2; ++kind) {
        grzFlightplanDef def = grzDefaultFlightplanDef();
        grzFlightplan* plan;
        def.kind = kind == 0 ? grz_planKeyframes : grz_planPaths;
        def.vertexCount = COUNT, def.positions = first, def.velocities = second;
        if (kind == 0)
            def.positions = def.velocities = NULL;
        ok(grzFlightplan_Create(&def, &plan));
        if (kind == 0) {
            ok(grzFlightplan_AddKeyframe(plan, 0, first, 0));
            ok(grzFlightplan_AddKeyframe(plan, 1, second, 0));
        }
        for (int t = 0; t < 5; ++t) {
            bool isListed[COUNT] = {false};
            for (int i = 0; i < LISTED; ++i)
                isListed[list[i] = grzRng_Below(&rng, COUNT)] = true;
            for (int i = 0; i < 3 * COUNT; ++i)
                some[i] = 77;
            ok(grzFlightplan_EvaluateSome(plan, 0.25 * t, list, LISTED, some));
            for (uint32_t v = 0; v < COUNT; ++v) {
                grzVec3 position = grzVec3_Splat(77);
                if (isListed[v])
                    ok(grzFlightplan_Locate(plan, v, 0.25 * t, &position));
                assert_true(grzVec3_IsEqual(position, grzVec3_Load(some + 3 * (size_t)v)));
            }
        }
        list[3] = COUNT;
        expectStatus(grzFlightplan_EvaluateSome(plan, 0, list, LISTED, some), grz_indexTooLarge, COUNT);
        expectStatus(grzFlightplan_EvaluateSome(plan, -1, list, 1, some), grz_badArgument, 2);
        expectStatus(grzFlightplan_EvaluateSome(plan, 0, NULL, 1, some), grz_badArgument, 3);
        expectStatus(grzFlightplan_EvaluateSome(plan, 0, list, 1, NULL), grz_badArgument, 5);
        grzFlightplan_Destroy(plan);
    }
}

static void badDefsAreRefused(void** state) {
    (void)state;
    grzFlightplan* plan;
    grzFlightplanDef def = grzDefaultFlightplanDef();
    def.kind = grz_planPaths;
    def.vertexCount = 1;
    expectStatus(grzFlightplan_Create(&def, &plan), grz_badArgument, 1);
    assert_null(plan);
    const float zeros[3] = {0};
    def.positions = zeros;
    def.tickExponent = 1;
    expectStatus(grzFlightplan_Create(&def, &plan), grz_badArgument, 1);
    def.tickExponent = -30;
    def.startTime = 0x1p22;
    expectStatus(grzFlightplan_Create(&def, &plan), grz_badArgument, 1);
    def.startTime = 0;
    def.vertexCount = (size_t)1 << 30;
    expectStatus(grzFlightplan_Create(&def, &plan), grz_tooLarge, (uint64_t)1 << 30);
    def.vertexCount = 1;
    def.mark = 0;
    expectStatus(grzFlightplan_Create(&def, &plan), grz_badDef, 0);
    expectStatus(grzFlightplan_Create(NULL, &plan), grz_badDef, 0);
    for (size_t failAt = 0; failAt < 2; ++failAt) {
        TestMemory memory = {.failAt = failAt};
        def = grzDefaultFlightplanDef();
        def.kind = grz_planPaths, def.vertexCount = 1, def.positions = zeros;
        def.allocator = testAllocator(&memory);
        assert_int_equal(grzFlightplan_Create(&def, &plan).status, grz_outOfMemory);
        assert_null(plan);
        assert_int_equal(memory.liveCount, 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(coordinatesAreTheExactOnesRounded),
        cmocka_unit_test(ordersAreThoseOfRationalNumbers),
        cmocka_unit_test(overtakingsAreFoundToTheTick),
        cmocka_unit_test(everyTickIsAsItShould),
        cmocka_unit_test(evaluationIsLocationOfAll),
        cmocka_unit_test(pathsGoOnFromWhereTheyAre),
        cmocka_unit_test(droppedKeyframesAreNotMissed),
        cmocka_unit_test(badKeyframesAreRefused),
        cmocka_unit_test(someAreEvaluatedLikeAll),
        cmocka_unit_test(badPathsAreRefusedWhole),
        cmocka_unit_test(badDefsAreRefused),
    };
    return cmocka_run_group_tests_name("flightplan", tests, NULL, NULL);
}
