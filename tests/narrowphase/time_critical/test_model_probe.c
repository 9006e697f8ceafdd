// Time-critical queries against grzModels_Touch and against themselves: exact in the end, the same wherever runs are
// cut, within their budgets, and the same bytes at every SIMD level.
#include "probe_testing.h"

#include <math.h>

#include "hash.h"
#include "model_inside.h"

static grzProbeBudget workBudget(uint32_t work) {
    grzProbeBudget budget = grzUnlimitedProbeBudget();
    budget.work = work;
    return budget;
}

static grzProbeBudget errorBudget(float error) {
    grzProbeBudget budget = grzUnlimitedProbeBudget();
    budget.error = error;
    return budget;
}

static void expectSame(const grzProbeAnswer* a, const grzProbeAnswer* b) {
    assert_int_equal(a->touches, b->touches);
    assert_int_equal(a->isOwnFit, b->isOwnFit);
    assert_int_equal(a->isSure, b->isSure);
    assert_int_equal(a->certainty, b->certainty);
    assert_true(a->confidence == b->confidence);
    assert_int_equal(a->work, b->work);
    assert_int_equal(a->leafPairs, b->leafPairs);
}

// ---- exact in the end ----

static void expectExact(const grzModelQuery* models, const grzProbeFit* fit) {
    grzProbeQuery query = grzDefaultProbeQuery();
    const grzProbeBudget budget = grzUnlimitedProbeBudget();
    grzModelStats stats;
    bool touches;
    query.models = *models;
    query.fit = fit;
    assert_true(grzResult_IsOk(grzModels_Touch(models, &touches, &stats)));
    const grzProbeAnswer answer = probeOnce(&query, &budget);
    assert_int_equal(answer.touches, touches);
    assert_int_equal(answer.certainty, grz_exact);
    assert_true(answer.isSure && answer.confidence == 1);
    if (fit == NULL && !touches) { // the same pairs in another order: a fit may choose other axes
        assert_int_equal(answer.leafPairs, stats.leafPairs);
        assert_true(answer.work >= stats.boxTests / 8 + stats.leafPairs);
        assert_true(answer.work <= stats.boxTests / 8 + stats.leafPairs + stats.exactTests);
    }
}

static void unlimitedIsExact(void** state) {
    (void)state;
    g_rng = grzRng_Make(testSeed(1), 1);
    for (size_t i = 0; i < 30; ++i) {
        ModelMesh a = makeSoup(1 + grzRng_Below(&g_rng, 300), draw(0.02F, 0.4F), i % 3 == 0 ? 0.125F : 0);
        ModelMesh b = makeSoup(1 + grzRng_Below(&g_rng, 300), draw(0.02F, 0.4F), i % 3 == 0 ? 0.125F : 0);
        grzModel *modelA = makeModel(&a), *modelB = makeModel(&b);
        for (size_t k = 0; k < 20; ++k) {
            grzModelQuery query = drawModelQuery(modelA, modelB, 2.5F);
            query.axes = k % 2 == 0 ? grz_axesOfFaces : grz_axesAll;
            if (k % 5 == 0)
                query.poseA = drawAffine(), query.poseB = drawAffine();
            if (i % 3 == 0)
                query.poseA.basis = query.poseB.basis = grzMat3_Identity();
            expectExact(&query, NULL);
        }
        grzModel_Destroy(modelA), grzModel_Destroy(modelB);
        freeMesh(&a), freeMesh(&b);
    }
}

static void aFitLeavesTheExactAnswer(void** state) {
    (void)state;
    g_rng = grzRng_Make(testSeed(2), 1);
    grzModel* model = makeTorusModel(2000);
    const grzProbeFit fit = makeTestFit(model, model, 2);
    for (size_t i = 0; i < 500; ++i) {
        const grzModelQuery query = drawModelQuery(model, model, 2);
        expectExact(&query, &fit);
    }
    grzModel_Destroy(model);
}

// ---- runs ----

typedef struct Case {
    grzModel* model;
    grzProbeFit fit;
    grzModelProbe* probe;
} Case;

static Case makeCase(void) {
    Case c;
    c.model = makeTorusModel(3000);
    c.fit = makeTestFit(c.model, c.model, 2);
    assert_true(grzResult_IsOk(grzModelProbe_Create((grzAllocator){NULL, NULL, NULL}, &c.probe)));
    return c;
}

static void freeCase(Case* c) {
    grzModelProbe_Destroy(c->probe);
    grzModel_Destroy(c->model);
}

static grzProbeQuery drawProbeQuery(const Case* c) {
    grzProbeQuery query = grzDefaultProbeQuery();
    query.models = drawModelQuery(c->model, c->model, 2);
    query.fit = grzRng_Below(&g_rng, 4) == 0 ? NULL : &c->fit;
    return query;
}

static grzProbeAnswer runOn(grzModelProbe* probe, const grzProbeBudget* budget) {
    grzProbeAnswer answer;
    assert_true(grzResult_IsOk(grzModelProbe_Run(probe, budget, &answer)));
    return answer;
}

// In pieces of random work; after each, beside a query that is given as much at once.
static void resumedIsUnbroken(void** state) {
    (void)state;
    g_rng = grzRng_Make(testSeed(3), 1);
    Case c = makeCase();
    for (size_t i = 0; i < 300; ++i) {
        const grzProbeQuery query = drawProbeQuery(&c);
        const uint32_t most = 1 + grzRng_Below(&g_rng, 12);
        uint32_t total = 0;
        grzProbeAnswer answer = {.certainty = grz_probable};
        assert_true(grzResult_IsOk(grzModelProbe_Begin(c.probe, &query)));
        while (answer.certainty != grz_exact) {
            const grzProbeBudget piece = workBudget(grzRng_Below(&g_rng, most + 1));
            total += piece.work;
            const grzProbeBudget whole = workBudget(total);
            answer = runOn(c.probe, &piece);
            const grzProbeAnswer unbroken = probeOnce(&query, &whole);
            expectSame(&answer, &unbroken);
            assert_true(answer.certainty == grz_exact || answer.work == total);
        }
        assert_int_equal(answer.touches, doTouch(&query.models));
        const grzProbeBudget more = workBudget(5);
        const grzProbeAnswer again = runOn(c.probe, &more);
        expectSame(&answer, &again);
    }
    freeCase(&c);
}

// A query that may end early ends at the same work, with the same answer, wherever it was cut before; and goes on to
// the exact answer.
static void anEarlyEndDoesNotDependOnRuns(void** state) {
    (void)state;
    g_rng = grzRng_Make(testSeed(4), 1);
    Case c = makeCase();
    size_t early = 0, goesOn = 0;
    for (size_t i = 0; i < 500; ++i) {
        grzProbeQuery query = drawProbeQuery(&c);
        query.fit = &c.fit;
        grzProbeBudget budget = errorBudget(i % 2 == 0 ? 0.02F : 0.1F);
        const grzProbeAnswer whole = probeOnce(&query, &budget);
        grzProbeAnswer answer = {.isSure = false};
        assert_true(grzResult_IsOk(grzModelProbe_Begin(c.probe, &query)));
        while (!answer.isSure) {
            budget.work = 1 + grzRng_Below(&g_rng, 5);
            answer = runOn(c.probe, &budget);
        }
        expectSame(&answer, &whole);
        early += answer.certainty == grz_probable;
        budget.work = UINT32_MAX;
        for (uint32_t runs = 0; answer.certainty != grz_exact; ++runs) {
            const uint32_t before = answer.work;
            answer = runOn(c.probe, &budget);
            goesOn += answer.certainty == grz_probable;
            assert_true(answer.work >= before && runs < 12);
        }
        assert_int_equal(answer.touches, doTouch(&query.models));
    }
    assert_true(early > 100 && goesOn > 0);
    freeCase(&c);
}

static void smallBudgetsAreKept(void** state) {
    (void)state;
    g_rng = grzRng_Make(testSeed(5), 1);
    Case c = makeCase();
    for (size_t i = 0; i < 200; ++i) {
        const grzProbeQuery query = drawProbeQuery(&c);
        const grzProbeBudget none = workBudget(0), one = workBudget(1);
        const grzProbeAnswer nothing = probeOnce(&query, &none), step = probeOnce(&query, &one);
        assert_int_equal(nothing.work, 0);
        assert_int_equal(nothing.certainty, grz_probable);
        assert_true(!nothing.isSure && nothing.confidence >= 0.5F && nothing.confidence < 1);
        assert_int_equal(nothing.isOwnFit, query.fit != NULL);
        assert_int_equal(step.work, 1);
        assert_true(query.fit != NULL ||
                    (step.certainty == grz_exact ? step.confidence == 1 : step.confidence == 0.5F));
        grzProbeBudget noTime = grzUnlimitedProbeBudget();
        noTime.microseconds = 0;
        const grzProbeAnswer timed = probeOnce(&query, &noTime);
        expectSame(&timed, &nothing);
        noTime.microseconds = 1e6F;
        const grzProbeAnswer plenty = probeOnce(&query, &noTime);
        assert_int_equal(plenty.certainty, grz_exact);
        assert_int_equal(plenty.touches, doTouch(&query.models));
    }
    freeCase(&c);
}

// With every kind of budget, what claims to be exact is.
static void certainIsNeverWrong(void** state) {
    (void)state;
    g_rng = grzRng_Make(testSeed(6), 1);
    Case c = makeCase();
    size_t certain = 0, wrong = 0;
    for (size_t i = 0; i < 3000; ++i) {
        const grzProbeQuery query = drawProbeQuery(&c);
        grzProbeBudget budget = errorBudget(0.1F * grzRng_Float(&g_rng));
        budget.work = grzRng_Below(&g_rng, 60);
        budget.microseconds = i % 3 == 0 ? 3 * grzRng_Float(&g_rng) : (float)INFINITY;
        const grzProbeAnswer answer = probeOnce(&query, &budget);
        const bool isRight = answer.touches == doTouch(&query.models);
        assert_true(answer.work <= budget.work);
        assert_true(answer.certainty != grz_exact || (isRight && answer.confidence == 1));
        assert_true(answer.certainty == grz_exact || answer.confidence < 1);
        certain += answer.certainty == grz_exact;
        wrong += !isRight;
    }
    assert_true(certain > 500 && wrong > 0 && wrong < 900);
    freeCase(&c);
}

// ---- places ----

// How far a box, turned by a pose, goes along a direction.
static float supportOf(grzBox box, grzTransform pose, grzVec3 direction) {
    float most = -(float)INFINITY;
    for (int corner = 0; corner < 8; ++corner) {
        const grzVec3 at = grzVec3_Make((corner & 1) != 0 ? box.upper.x : box.lower.x,
                                        (corner & 2) != 0 ? box.upper.y : box.lower.y,
                                        (corner & 4) != 0 ? box.upper.z : box.lower.z);
        most = fmaxf(most, grzDot(grzTransform_Apply(pose, at), direction));
    }
    return most;
}

static void expectPlace(const grzProbeQuery* query, const grzProbePlace* place) {
    const grzModelQuery* models = &query->models;
    assert_true(fabsf(grzLength(place->normal) - 1) < 1e-5F);
    const float depth = supportOf(place->boxA, models->poseA, place->normal) +
                        supportOf(place->boxB, models->poseB, grzNeg(place->normal));
    assert_true(fabsf(depth - place->depth) < 1e-4F);
    const grzVec3 inA = grzTransform_Apply(grzTransform_InverseAffine(models->poseA), place->point);
    assert_true(place->depth < 0 ||
                grzDistanceSq(inA, grzMin(grzMax(inA, place->boxA.lower), place->boxA.upper)) < 1e-6F);
    assert_true(place->likeliness >= 0 && (place->depth > -1e-4F || place->levelA + place->levelB == 0));
}

static void placesAreWhereBoxesOverlap(void** state) {
    (void)state;
    g_rng = grzRng_Make(testSeed(7), 1);
    Case c = makeCase();
    grzProbePlace places[6];
    size_t touching = 0;
    for (size_t i = 0; i < 300; ++i) {
        grzProbeQuery query = drawProbeQuery(&c);
        if (i % 4 == 0)
            query.models.poseA.basis = grzMat3_ScaleColumns(query.models.poseA.basis, drawScale());
        assert_true(grzResult_IsOk(grzModelProbe_Begin(c.probe, &query)));
        for (uint32_t work = 0; work < 20; work += 4) {
            const grzProbeBudget budget = workBudget(work);
            const grzProbeAnswer answer = runOn(c.probe, &budget);
            const uint32_t count = grzModelProbe_FindPlaces(c.probe, places, 6);
            assert_true(answer.certainty == grz_exact ? count == answer.touches : count >= 1);
            for (uint32_t k = 0; k < count; ++k) {
                expectPlace(&query, &places[k]);
                assert_true(k == 0 || places[k].likeliness <= places[k - 1].likeliness);
            }
            grzProbePlace first;
            assert_int_equal(grzModelProbe_FindPlaces(c.probe, &first, 1), count != 0);
            assert_true(count == 0 || memcmp(&first, &places[0], sizeof first) == 0);
        }
        const grzProbeBudget rest = grzUnlimitedProbeBudget();
        if (!runOn(c.probe, &rest).touches)
            continue;
        ++touching;
        assert_int_equal(grzModelProbe_FindPlaces(c.probe, places, 6), 1);
        assert_int_equal(places[0].levelA, c.model->leafLevel);
        assert_int_equal(places[0].levelB, c.model->leafLevel);
        assert_true(places[0].depth > -1e-4F);
    }
    assert_true(touching > 50);
    freeCase(&c);
}

// Where products of scales overflow or vanish.
static void placesOfAnyScaleAreFinite(void** state) {
    (void)state;
    g_rng = grzRng_Make(testSeed(11), 1);
    Case c = makeCase();
    const float scales[] = {1e24F, 1e-24F, 1e18F, 1e-12F};
    for (size_t i = 0; i < 100; ++i) {
        grzProbeQuery query = drawProbeQuery(&c);
        const float scale = scales[i % 4];
        grzTransform* poses[] = {&query.models.poseA, &query.models.poseB};
        for (int side = 0; side < 2; ++side) {
            poses[side]->basis = grzMat3_ScaleColumns(poses[side]->basis, grzVec3_Make(scale, scale, scale));
            poses[side]->origin = grzScale(poses[side]->origin, scale);
        }
        const grzProbeBudget budget = workBudget(2);
        assert_true(grzResult_IsOk(grzModelProbe_Begin(c.probe, &query)));
        const grzProbeAnswer answer = runOn(c.probe, &budget);
        grzProbePlace place;
        if (grzModelProbe_FindPlaces(c.probe, &place, 1) != 0) {
            assert_true(fabsf(grzLength(place.normal) - 1) < 1e-5F);
            assert_true(isfinite(place.depth) && place.depth >= -1e-4F * scale);
            assert_true(isfinite(place.point.x) && isfinite(place.point.y) && isfinite(place.point.z));
        }
        assert_int_equal(answer.isOwnFit, query.fit != NULL);
    }
    freeCase(&c);
}

// B is larger beside A than in any query of the fit: what the fit says is not used, and the query goes on to the exact answer.
static void otherSizesAreNotGuessed(void** state) {
    (void)state;
    g_rng = grzRng_Make(testSeed(12), 1);
    Case c = makeCase();
    for (size_t i = 0; i < 100; ++i) {
        grzProbeQuery query = drawProbeQuery(&c);
        const float scales[] = {1e9F, 3, 1e-7F, 0.4F, 1.7F};
        const float scale = scales[i % 5];
        query.fit = &c.fit;
        query.models.poseB.basis =
            grzMat3_ScaleColumns(query.models.poseB.basis, grzVec3_Make(scale, scale, scale));
        const grzProbeBudget few = workBudget(3), error = errorBudget(0.1F);
        const grzProbeAnswer guess = probeOnce(&query, &few), end = probeOnce(&query, &error);
        assert_int_equal(guess.isOwnFit, i % 5 == 4);
        assert_true(i % 5 == 4 || guess.certainty == grz_exact || guess.confidence == 0.5F);
        assert_true(i % 5 == 4 || (end.certainty == grz_exact && end.touches == doTouch(&query.models)));
    }
    freeCase(&c);
}

// ---- sameness ----

static uint64_t g_expected;

static void hashAnswers(void) {
    grzHash hash = grzHash_Begin(0);
    g_rng = grzRng_Make(8, 1);
    Case c = makeCase();
    for (size_t i = 0; i < 200; ++i) {
        const grzProbeQuery query = drawProbeQuery(&c);
        grzProbeBudget budget = errorBudget(i % 2 == 0 ? 0 : 0.05F);
        budget.work = grzRng_Below(&g_rng, 40);
        grzProbePlace places[3];
        assert_true(grzResult_IsOk(grzModelProbe_Begin(c.probe, &query)));
        const grzProbeAnswer answer = runOn(c.probe, &budget);
        grzHash_AddU32(&hash, answer.touches);
        grzHash_AddFloat(&hash, answer.confidence);
        grzHash_AddU32(&hash, answer.work);
        grzHash_Add(&hash, places, sizeof *places * grzModelProbe_FindPlaces(c.probe, places, 3));
    }
    freeCase(&c);
    const uint64_t found = grzHash_End(&hash);
    assert_true(g_expected == 0 || found == g_expected);
    g_expected = found;
}

static void allLevelsGiveTheSameBytes(void** state) {
    (void)state;
    g_expected = 0;
    forEachLevel(hashAnswers);
}

// ---- edges ----

static void degenerateMeshes(void** state) {
    (void)state;
    g_rng = grzRng_Make(testSeed(9), 1);
    ModelMesh meshes[4] = {makeMesh(0, 0), makeMesh(3, 1), makeMesh(3, 9), makeSoup(40, 0.3F, 0)};
    grzModel* models[4];
    for (size_t k = 0; k < 9; ++k)
        for (uint32_t corner = 0; corner < 3; ++corner)
            meshes[2].triangles[3 * k + corner] = corner % (uint32_t)(k % 3 + 1);
    for (size_t i = 0; i < 9; ++i) {
        meshes[1].positions[i] = draw(-1, 1);
        meshes[2].positions[i] = 0.5F * (float)(i / 3);
    }
    for (uint32_t corner = 0; corner < 3; ++corner)
        meshes[1].triangles[corner] = corner;
    for (size_t i = 0; i < 4; ++i)
        models[i] = makeModel(&meshes[i]);
    for (size_t i = 0; i < 16; ++i)
        for (size_t k = 0; k < 20; ++k) {
            grzModelQuery query = drawModelQuery(models[i % 4], models[i / 4], 0.5F);
            if (k == 0)
                query.poseA = query.poseB = grzTransform_Identity();
            expectExact(&query, NULL);
        }
    for (size_t i = 0; i < 4; ++i)
        grzModel_Destroy(models[i]), freeMesh(&meshes[i]);
}

static void expectRefusal(const grzProbeQuery* query, const grzProbeBudget* budget, grzStatus status) {
    grzProbeAnswer answer, zeros;
    memset(&answer, 0xA5, sizeof answer);
    memset(&zeros, 0, sizeof zeros);
    assert_int_equal(grzModels_Probe(query, budget, &answer).status, status);
    expectSame(&answer, &zeros);
}

static void badCallsAreRefused(void** state) {
    (void)state;
    g_rng = grzRng_Make(10, 1);
    Case c = makeCase();
    const grzProbeBudget budget = grzUnlimitedProbeBudget();
    grzProbeAnswer answer;
    assert_int_equal(grzModelProbe_Run(c.probe, &budget, &answer).status, grz_badArgument); // nothing begun
    grzProbePlace place;
    assert_int_equal(grzModelProbe_FindPlaces(c.probe, &place, 1), 0);
    const grzProbeQuery good = drawProbeQuery(&c);
    grzProbeQuery query = good;
    query.models.poseA.origin.x = (float)NAN;
    expectRefusal(&query, &budget, grz_notFinite);
    assert_int_equal(grzModelProbe_Begin(c.probe, &query).status, grz_notFinite);
    assert_int_equal(grzModelProbe_Run(c.probe, &budget, &answer).status, grz_badArgument);
    query = good, query.models.poseB.basis.y.y = (float)INFINITY;
    expectRefusal(&query, &budget, grz_notFinite);
    query = good, query.mark = 0;
    expectRefusal(&query, &budget, grz_badDef);
    expectRefusal(NULL, &budget, grz_badDef);
    query = good, query.models.mark = 0;
    expectRefusal(&query, &budget, grz_badDef);
    query = good, query.models.a = NULL;
    expectRefusal(&query, &budget, grz_badArgument);
    query = good, query.models.margin = 1;
    expectRefusal(&query, &budget, grz_badArgument);
    query = good, query.method = (grzProbeMethod)7;
    expectRefusal(&query, &budget, grz_badArgument);
    grzProbeFit noFit;
    memset(&noFit, 0, sizeof noFit);
    query = good, query.fit = &noFit;
    expectRefusal(&query, &budget, grz_badDef);
    const float badErrors[] = {-0.1F, 0.6F, (float)NAN}, badTimes[] = {-1, (float)NAN};
    for (size_t i = 0; i < 3; ++i) {
        const grzProbeBudget bad = errorBudget(badErrors[i]);
        expectRefusal(&good, &bad, grz_badArgument);
    }
    for (size_t i = 0; i < 2; ++i) {
        grzProbeBudget bad = budget;
        bad.microseconds = badTimes[i];
        expectRefusal(&good, &bad, grz_badArgument);
    }
    freeCase(&c);
}

static void refusedMemoryLeavesNothing(void** state) {
    (void)state;
    TestMemory memory = {.failAt = 0};
    grzModelProbe* probe = NULL;
    assert_int_equal(grzModelProbe_Create(testAllocator(&memory), &probe).status, grz_outOfMemory);
    assert_null(probe);
    memory.failAt = SIZE_MAX;
    assert_true(grzResult_IsOk(grzModelProbe_Create(testAllocator(&memory), &probe)));
    grzModelProbe_Destroy(probe);
    grzModelProbe_Destroy(NULL);
    assert_int_equal(memory.liveCount, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unlimitedIsExact),           cmocka_unit_test(aFitLeavesTheExactAnswer),
        cmocka_unit_test(resumedIsUnbroken),          cmocka_unit_test(anEarlyEndDoesNotDependOnRuns),
        cmocka_unit_test(smallBudgetsAreKept),        cmocka_unit_test(certainIsNeverWrong),
        cmocka_unit_test(placesAreWhereBoxesOverlap), cmocka_unit_test(placesOfAnyScaleAreFinite),
        cmocka_unit_test(otherSizesAreNotGuessed),    cmocka_unit_test(allLevelsGiveTheSameBytes),
        cmocka_unit_test(degenerateMeshes),           cmocka_unit_test(badCallsAreRefused),
        cmocka_unit_test(refusedMemoryLeavesNothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
