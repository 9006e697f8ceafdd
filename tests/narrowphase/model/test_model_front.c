// Fronts against fresh queries, frame by frame: slow and fast motion of every kind, hits and misses, both queries in turn, with
// every set of axes and SIMD level; models that are refit, rebuilt, replaced; memory that is refused.
#include "model_query_testing.h"

#include <math.h>

#include "graze/model_front.h"
#include "simd_dispatch.h"

// About any axis, by at most `angle`.
static grzMat3 drawTurn(float angle) {
    const grzVec3 axis = drawVector(0.5F * angle);
    return grzMat3_FromQuat(grzQuat_Normalize(grzQuat_Make(axis.x, axis.y, axis.z, 1)));
}

static grzModelFront* makeFront(void) {
    grzModelFront* front = NULL;
    assert_true(grzResult_IsOk(grzModelFront_Create((grzAllocator){NULL, NULL, NULL}, &front)));
    return front;
}

// ---- comparing ----

typedef struct Sides {
    grzModelFront* front;
    grzModelPairs* fresh;
    size_t touched, frontSteps, freshSteps, anew;
} Sides;

static Sides makeSides(void) {
    Sides sides = {makeFront(), NULL, 0, 0, 0, 0};
    assert_true(grzResult_IsOk(grzModelPairs_Create((grzAllocator){NULL, NULL, NULL}, &sides.fresh)));
    return sides;
}

static void freeSides(Sides* sides) {
    grzModelFront_Destroy(sides->front);
    grzModelPairs_Destroy(sides->fresh);
}

static void compareTouch(Sides* sides, const grzModelQuery* query) {
    bool touches, expected;
    grzModelStats stats;
    assert_true(grzResult_IsOk(grzModels_Touch(query, &expected, &stats)));
    assert_true(grzResult_IsOk(grzModelFront_Touch(sides->front, query, &touches)));
    assert_int_equal(touches, expected);
    const grzModelFrontView view = grzModelFront_GetView(sides->front);
    assert_int_equal(view.count, 0);
    sides->touched += touches;
    sides->anew += view.isAnew;
    sides->frontSteps += view.stats.boxTests;
    sides->freshSteps += stats.boxTests;
}

static void compareFind(Sides* sides, const grzModelQuery* query) {
    assert_true(grzResult_IsOk(grzModelPairs_Find(sides->fresh, query)));
    assert_true(grzResult_IsOk(grzModelFront_Find(sides->front, query)));
    const grzModelPairsView expected = grzModelPairs_GetView(sides->fresh);
    const grzModelFrontView view = grzModelFront_GetView(sides->front);
    assert_int_equal(view.count, expected.count);
    assert_true(view.count == 0 || memcmp(view.pairs, expected.pairs, view.count * sizeof *view.pairs) == 0);
    sides->touched += view.count != 0;
    sides->anew += view.isAnew;
    sides->frontSteps += view.stats.boxTests;
    sides->freshSteps += expected.stats.boxTests;
}

static bool isAmong(const grzModelPairsView* view, const grzTrianglePair* pair) {
    for (size_t i = 0; i < view->count; ++i)
        if (memcmp(&view->pairs[i], pair, sizeof *pair) == 0)
            return true;
    return false;
}

// Some of the pairs, each once, in any order.
static void compareSome(Sides* sides, grzModelQuery query) {
    assert_true(grzResult_IsOk(grzModelPairs_Find(sides->fresh, &query)));
    const grzModelPairsView expected = grzModelPairs_GetView(sides->fresh);
    query.limit = 1 + grzRng_Below(&g_rng, 20);
    query.order = grz_modelsAsMet;
    assert_true(grzResult_IsOk(grzModelFront_Find(sides->front, &query)));
    const grzModelFrontView view = grzModelFront_GetView(sides->front);
    assert_int_equal(view.count, expected.count < query.limit ? expected.count : query.limit);
    for (size_t i = 0; i < view.count; ++i) {
        assert_true(isAmong(&expected, &view.pairs[i]));
        for (size_t k = 0; k < i; ++k)
            assert_true(memcmp(&view.pairs[i], &view.pairs[k], sizeof view.pairs[i]) != 0);
    }
}

// ---- motion ----

// What a walk does each frame.
typedef struct Walk {
    float step, turn; // the most of a frame
    float reach;      // of B's origin from A's
    float scale;      // 1: rigid
    bool moves;       // both, not B alone
    enum { touchAlone, findAlone, anyQuery } queries;
} Walk;

static void moveOn(grzModelQuery* query, const Walk* walk, grzVec3* way) {
    grzTransform* b = &query->poseB;
    if (grzLength(grzSub(b->origin, query->poseA.origin)) > walk->reach || grzRng_Below(&g_rng, 40) == 0) {
        const grzVec3 back = grzAdd(grzSub(query->poseA.origin, b->origin), drawVector(0.4F));
        *way = grzScale(back, walk->step / (grzLength(back) + 1e-6F));
    }
    b->origin = grzAdd(b->origin, *way);
    b->basis = grzMat3_Multiply(drawTurn(walk->turn), b->basis);
    if (walk->moves) {
        const grzMat3 turn = drawTurn(walk->turn);
        query->poseA.basis = grzMat3_Multiply(turn, query->poseA.basis);
        query->poseB.basis = grzMat3_Multiply(turn, query->poseB.basis);
        query->poseA.origin = grzAdd(query->poseA.origin, grzVec3_Make(walk->step, 0, 0));
        query->poseB.origin = grzAdd(query->poseB.origin, grzVec3_Make(walk->step, 0, 0));
    }
    if (grzRng_Below(&g_rng, 150) == 0) // a jump
        b->origin = grzAdd(query->poseA.origin, drawVector(walk->reach));
}

static grzModelQuery startOf(const grzModel* a, const grzModel* b, const Walk* walk) {
    grzModelQuery query = grzDefaultModelQuery();
    query.a = a, query.b = b;
    // Drawn one after the other: compilers differ in the order of arguments.
    const grzVec3 origin = drawVector(1), apart = drawVector(walk->reach);
    query.poseA = grzTransform_Make(drawTurn(1), origin);
    query.poseB = grzTransform_Make(drawTurn(1), grzAdd(origin, apart));
    if (walk->scale != 1) {
        query.poseA.basis = grzMat3_ScaleColumns(query.poseA.basis, grzVec3_Make(1, -walk->scale, 1));
        query.poseB.basis = grzMat3_ScaleColumns(query.poseB.basis, grzVec3_Make(walk->scale, 1, 1));
    }
    return query;
}

static void compareFrame(Sides* sides, grzModelQuery* query, const Walk* walk) {
    const uint32_t kind = walk->queries == anyQuery ? grzRng_Below(&g_rng, 8) : 0;
    query->bodyPair = grzRng_Next(&g_rng);
    query->axes = walk->queries == anyQuery && grzRng_Below(&g_rng, 3) == 0 ? grz_axesAll : grz_axesOfFaces;
    if (kind == 7)
        compareSome(sides, *query);
    else if (walk->queries == findAlone || kind % 2 == 1)
        compareFind(sides, query);
    else
        compareTouch(sides, query);
}

static Sides walkOn(const ModelMesh* a, const ModelMesh* b, const Walk* walk, size_t frames) {
    grzModel *modelA = makeModel(a), *modelB = makeModel(b);
    Sides sides = makeSides();
    grzModelQuery query = startOf(modelA, modelB, walk);
    grzVec3 way = grzVec3_Make(walk->step, 0, 0);
    for (size_t i = 0; i < frames; ++i) {
        moveOn(&query, walk, &way);
        compareFrame(&sides, &query, walk);
    }
    freeSides(&sides);
    grzModel_Destroy(modelA), grzModel_Destroy(modelB);
    return sides;
}

// ---- tests ----

static void walkShapes(void) {
    static const float steps[] = {1e-4F, 1e-3F, 1e-2F, 1e-1F};
    ModelMesh torus = makeShapeMesh(shapeTorus, 300), sphere = makeShapeMesh(shapeSphere, 320);
    size_t touched = 0, frames = 0;
    for (size_t i = 0; i < 8; ++i) {
        const Walk walk = {steps[i / 2], i % 4 == 3 ? 0.1F : steps[i / 2], 2.2F, i == 5 ? 0.3F : 1, i % 2 == 1,
                           anyQuery};
        touched += walkOn(i % 2 == 0 ? &torus : &sphere, &torus, &walk, 300).touched;
        frames += 300;
    }
    assert_true(touched > frames / 10 && touched < frames * 9 / 10);
    freeMesh(&torus), freeMesh(&sphere);
}

static void everyFrameOfAWalkIsAsFresh(void** state) {
    (void)state;
    g_rng = grzRng_Make(testSeed(1), 1);
    forEachLevel(walkShapes);
}

static void walkLattices(void) {
    for (size_t i = 0; i < 12; ++i) {
        ModelMesh a = makeSoup(1 + grzRng_Below(&g_rng, 80), 0.4F, 0.25F);
        ModelMesh b = makeSoup(1 + grzRng_Below(&g_rng, 80), 0.4F, i % 3 == 0 ? 0 : 0.25F);
        grzModel *modelA = makeModel(&a), *modelB = makeModel(&b);
        const Walk walk = {0, 0, 2, 1, false, anyQuery};
        Sides sides = makeSides();
        grzModelQuery query = grzDefaultModelQuery();
        query.a = modelA, query.b = modelB;
        for (int frame = 0; frame < 120; ++frame) { // steps that floats hold, onto and off the lattice
            query.poseB.origin = grzVec3_Make(-2 + 0.03125F * (float)frame, 0.25F * (float)(i % 4), 0);
            compareFrame(&sides, &query, &walk);
        }
        freeSides(&sides);
        grzModel_Destroy(modelA), grzModel_Destroy(modelB);
        freeMesh(&a), freeMesh(&b);
    }
}

static void touchingAndDegenerateTrianglesAreAsFresh(void** state) {
    (void)state;
    g_rng = grzRng_Make(testSeed(2), 1);
    forEachLevel(walkLattices);
}

// Far from the origin floats are coarse, so that margins weigh; and frames that differ in scale.
static void farAndSlantedFramesAreAsFresh(void** state) {
    (void)state;
    g_rng = grzRng_Make(testSeed(3), 1);
    for (int round = 0; round < 6; ++round) {
        ModelMesh a = makeSoup(60, 0.3F, 0), b = makeSoup(60, 0.3F, 0);
        grzModel *modelA = makeModel(&a), *modelB = makeModel(&b);
        const Walk walk = {1e-3F, 1e-3F, 1.5F, round % 2 == 0 ? 1 : 1e-3F, false, anyQuery};
        Sides sides = makeSides();
        grzModelQuery query = startOf(modelA, modelB, &walk);
        const grzVec3 far = drawVector(round < 3 ? 1e5F : 10);
        grzVec3 way = grzVec3_Make(walk.step, 0, 0);
        query.poseA.origin = grzAdd(query.poseA.origin, far);
        query.poseB.origin = grzAdd(query.poseB.origin, far);
        for (int frame = 0; frame < 200; ++frame) {
            moveOn(&query, &walk, &way);
            compareFrame(&sides, &query, &walk);
        }
        freeSides(&sides);
        grzModel_Destroy(modelA), grzModel_Destroy(modelB);
        freeMesh(&a), freeMesh(&b);
    }
}

// Single triangles that pass each other closely: a slack that is a little too large would miss.
static void slackIsNeverTooLarge(void** state) {
    (void)state;
    g_rng = grzRng_Make(testSeed(4), 1);
    size_t touched = 0;
    for (int round = 0; round < 300; ++round) {
        ModelMesh a = makeSoup(1 + grzRng_Below(&g_rng, 5), 0.6F, 0),
                  b = makeSoup(1 + grzRng_Below(&g_rng, 5), 0.6F, 0);
        const float step = powf(10, draw(-3, -1));
        const Walk walk = {step, round % 2 == 0 ? 0 : step, 1, 1, false, round % 3 == 0 ? touchAlone : anyQuery};
        touched += walkOn(&a, &b, &walk, 60).touched;
        freeMesh(&a), freeMesh(&b);
    }
    assert_true(touched > 1000 && touched < 17000);
}

// Straight through each other, along one axis and without a turn, at speeds that grow.
static void motionAlongAnyAxisCounts(void** state) {
    (void)state;
    g_rng = grzRng_Make(testSeed(7), 1);
    for (int round = 0; round < 90; ++round) {
        ModelMesh a = makeSoup(3, 0.6F, 0), b = makeSoup(3, 0.6F, 0);
        grzModel *modelA = makeModel(&a), *modelB = makeModel(&b);
        Sides sides = makeSides();
        grzModelQuery query = grzDefaultModelQuery();
        query.a = modelA, query.b = modelB;
        for (int frame = 0; frame < 100; ++frame) {
            const float way = -2.5F + 5e-4F * (float)(frame * frame);
            query.poseB.origin =
                grzVec3_Make(round % 3 == 0 ? way : 0, round % 3 == 1 ? way : 0, round % 3 == 2 ? way : 0);
            if (round % 2 == 0)
                compareFind(&sides, &query);
            else
                compareTouch(&sides, &query);
        }
        freeSides(&sides);
        grzModel_Destroy(modelA), grzModel_Destroy(modelB);
        freeMesh(&a), freeMesh(&b);
    }
}

static void aSlowWalkOpensFewBoxes(void** state) {
    (void)state;
    g_rng = grzRng_Make(5, 1); // one scene: in others the models may meet so much that the front rests
    ModelMesh torus = makeShapeMesh(shapeTorus, 2000);
    const Walk slow = {1e-4F, 1e-4F, 2, 1, false, findAlone}, fast = {0.5F, 1, 2, 1, false, findAlone};
    const Sides saved = walkOn(&torus, &torus, &slow, 200), lost = walkOn(&torus, &torus, &fast, 100);
    assert_true(5 * saved.frontSteps < saved.freshSteps);
    assert_true(4 * lost.frontSteps < 7 * lost.freshSteps);
    freeMesh(&torus);
}

// Back and forth, and around.
static void placeSwinging(grzModelQuery* query, int frame) {
    const float angle = 1e-4F * (float)frame;
    query->poseB.origin = grzVec3_Make(1.9F + 0.2F * sinf(4 * angle), 0.3F * sinf(3 * angle), 0);
    query->poseB.basis = grzMat3_FromQuat(grzQuat_Make(0, 0, sinf(angle), cosf(angle)));
}

static void aFrontDoesNotGrowForever(void** state) {
    (void)state;
    ModelMesh torus = makeShapeMesh(shapeTorus, 2000);
    grzModel* model = makeModel(&torus);
    grzModelFront* front = makeFront();
    grzModelQuery query = grzDefaultModelQuery();
    size_t most = 0, anew = 0, largest = 0;
    query.a = query.b = model;
    for (int frame = 0; frame < 6000; ++frame) {
        placeSwinging(&query, frame);
        assert_true(grzResult_IsOk(grzModelFront_Find(front, &query)));
        const grzModelFrontView view = grzModelFront_GetView(front);
        most = view.nodePairs > most ? view.nodePairs : most;
        anew += view.isAnew;
    }
    assert_true(anew > 20 && anew < 5000);
    for (int frame = 0; frame < 6000; frame += 20) { // the most that a walk from the roots leaves
        placeSwinging(&query, frame);
        grzModelFront* single = makeFront();
        assert_true(grzResult_IsOk(grzModelFront_Find(single, &query)));
        const size_t count = grzModelFront_GetView(single).nodePairs;
        largest = count > largest ? count : largest;
        grzModelFront_Destroy(single);
    }
    assert_true(most > 50 && most <= 3 * largest);
    grzModelFront_Destroy(front);
    grzModel_Destroy(model);
    freeMesh(&torus);
}

static void otherModelsAreNoticed(void** state) {
    (void)state;
    g_rng = grzRng_Make(testSeed(6), 1);
    ModelMesh torus = makeShapeMesh(shapeTorus, 500), sphere = makeShapeMesh(shapeSphere, 300);
    grzModel *modelA = makeModel(&torus), *modelB = makeModel(&sphere);
    Sides sides = makeSides();
    const Walk walk = {1e-3F, 1e-3F, 2, 1, false, anyQuery};
    grzModelQuery query = startOf(modelA, modelB, &walk);
    grzVec3 way = grzVec3_Make(walk.step, 0, 0);
    for (int frame = 0; frame < 300; ++frame) {
        moveOn(&query, &walk, &way);
        for (size_t i = 0; i < 3 * torus.vertexCount && frame % 7 == 0; ++i)
            torus.positions[i] += draw(-0.05F, 0.05F);
        const grzModelDef def = makeDef(&torus);
        if (frame % 14 == 0)
            assert_true(grzResult_IsOk(grzModel_Refit(modelA, NULL, torus.positions, 0)));
        else if (frame % 7 == 0)
            assert_true(grzResult_IsOk(grzModel_Rebuild(modelA, &def)));
        if (frame % 50 == 49) { // most likely at the same address
            grzModel_Destroy(modelA);
            torus.positions[frame % 100] += 0.1F;
            modelA = makeModel(&torus);
        }
        query.a = frame % 31 == 30 ? modelB : modelA;
        query.b = frame % 23 == 22 ? modelA : modelB;
        compareFrame(&sides, &query, &walk);
    }
    freeSides(&sides);
    grzModel_Destroy(modelA), grzModel_Destroy(modelB);
    freeMesh(&torus), freeMesh(&sphere);
}

static void emptyModelsAndRefusedQueriesChangeNothing(void** state) {
    (void)state;
    ModelMesh none = makeMesh(0, 0), box = makeShapeMesh(shapeBox, 12);
    grzModel *empty = makeModel(&none), *model = makeModel(&box);
    Sides sides = makeSides();
    grzModelQuery query = grzDefaultModelQuery(), bad;
    bool touches = true;
    query.a = empty, query.b = model;
    compareTouch(&sides, &query), compareFind(&sides, &query);
    query.a = model, query.b = empty;
    compareTouch(&sides, &query), compareFind(&sides, &query);
    query.b = model;
    query.poseB.origin.x = 0.5F;
    compareFind(&sides, &query), compareTouch(&sides, &query);
    bad = query, bad.mark = 0;
    assert_int_equal(grzModelFront_Touch(sides.front, &bad, &touches).status, grz_badDef);
    assert_false(touches);
    assert_int_equal(grzModelFront_Find(sides.front, NULL).status, grz_badDef);
    bad = query, bad.poseB.basis = grzMat3_Zero();
    assert_int_equal(grzModelFront_Find(sides.front, &bad).status, grz_badArgument);
    assert_int_equal(grzModelFront_GetView(sides.front).count, 0);
    bad = query, bad.poseA.origin.z = (float)NAN;
    assert_int_equal(grzModelFront_Touch(sides.front, &bad, &touches).status, grz_notFinite);
    sides.anew = 0;
    query.poseB.origin.x += 1e-5F;
    compareFind(&sides, &query), compareTouch(&sides, &query);
    assert_int_equal(sides.anew, 0);
    freeSides(&sides);
    grzModel_Destroy(empty), grzModel_Destroy(model);
    freeMesh(&none), freeMesh(&box);
}

// ---- bytes ----

static uint64_t hashWalk(const grzModel* model) {
    grzModelFront* front = makeFront();
    grzModelQuery query = grzDefaultModelQuery();
    uint64_t hash = 0;
    query.a = query.b = model;
    query.order = grz_modelsAsMet;
    for (int frame = 0; frame < 120; ++frame) {
        bool touches;
        query.poseB.origin = grzVec3_Make(3 - 0.01F * (float)frame, 0.2F, 0);
        assert_true(grzResult_IsOk(grzModelFront_Touch(front, &query, &touches)));
        hash = (hash ^ grzModelFront_GetView(front).stats.boxTests) * UINT64_C(0x9E3779B97F4A7C15);
        assert_true(grzResult_IsOk(grzModelFront_Find(front, &query)));
        const grzModelFrontView view = grzModelFront_GetView(front);
        for (size_t i = 0; i < view.count; ++i)
            hash = (hash ^ view.pairs[i].triangleA ^ (uint64_t)view.pairs[i].triangleB << 32) *
                   UINT64_C(0x9E3779B97F4A7C15);
        hash = (hash ^ view.nodePairs ^ view.leafPairs << 20 ^ view.stats.triangleTests << 40) *
               UINT64_C(0x9E3779B97F4A7C15);
        hash = (hash ^ view.stats.boxTests ^ view.stats.leafPairs << 20) * UINT64_C(0x9E3779B97F4A7C15);
    }
    grzModelFront_Destroy(front);
    return hash;
}

static void everyLevelKeepsTheSameEntries(void** state) {
    (void)state;
    ModelMesh torus = makeShapeMesh(shapeTorus, 1000);
    grzModel* model = makeModel(&torus);
    const uint64_t expected = hashWalk(model);
    for (int level = grz_simdScalar; level < 32; ++level) {
        if ((grzSimd_SupportedBits() >> level & 1) == 0)
            continue;
        const grzSimdLevel before = grzSimd_Force((grzSimdLevel)level);
        assert_true(hashWalk(model) == expected);
        grzSimd_Force(before);
    }
    grzModel_Destroy(model);
    freeMesh(&torus);
}

// ---- memory ----

// Ten frames in memory that refuses its failAt-th request and, once that was reported, none after. Returns whether any was.
static bool walkInMemory(const grzModel* model, size_t failAt) {
    TestMemory memory = {0, failAt, 0, 0};
    grzModelFront* front = NULL;
    bool wasRefused = !grzResult_IsOk(grzModelFront_Create(testAllocator(&memory), &front));
    Sides sides = {front, NULL, 0, 0, 0, 0};
    assert_true(wasRefused == (front == NULL));
    assert_true(grzResult_IsOk(grzModelPairs_Create((grzAllocator){NULL, NULL, NULL}, &sides.fresh)));
    for (int frame = 0; frame < 10 && front != NULL; ++frame) {
        grzModelQuery query = grzDefaultModelQuery();
        bool touches;
        query.a = query.b = model;
        query.poseB.origin = grzVec3_Make(2.1F - 0.1F * (float)frame, 0, 0.1F);
        const grzResult result =
            frame % 2 == 0 ? grzModelFront_Touch(front, &query, &touches) : grzModelFront_Find(front, &query);
        if (!grzResult_IsOk(result)) {
            assert_int_equal(result.status, grz_outOfMemory);
            assert_true(frame % 2 == 1 || !touches);
            assert_int_equal(grzModelFront_GetView(front).count, 0);
            wasRefused = true;
            memory.failAt = SIZE_MAX;
        }
        if (wasRefused)
            compareTouch(&sides, &query), compareFind(&sides, &query);
    }
    freeSides(&sides);
    assert_int_equal(memory.liveCount, 0);
    return wasRefused;
}

static void memoryMayBeRefusedAtAnyRequest(void** state) {
    (void)state;
    ModelMesh torus = makeShapeMesh(shapeTorus, 2000);
    grzModel* model = makeModel(&torus);
    size_t failAt = 0;
    while (walkInMemory(model, failAt))
        ++failAt;
    assert_true(failAt > 10);
    grzModel_Destroy(model);
    freeMesh(&torus);
}

static void afterWarmUpNothingIsAllocated(void** state) {
    (void)state;
    ModelMesh torus = makeShapeMesh(shapeTorus, 1000);
    grzModel* model = makeModel(&torus);
    TestMemory memory = {0, SIZE_MAX, 0, 0};
    grzModelFront* front;
    size_t requests = 0;
    assert_true(grzResult_IsOk(grzModelFront_Create(testAllocator(&memory), &front)));
    for (int frame = 0; frame < 600; ++frame) {
        grzModelQuery query = grzDefaultModelQuery();
        query.a = query.b = model;
        query.poseB.origin = grzVec3_Make(1.5F + cosf(0.0314159F * (float)frame), 0, 0.1F);
        assert_true(grzResult_IsOk(grzModelFront_Find(front, &query)));
        requests = frame == 400 ? memory.requests : requests; // two rounds
    }
    assert_int_equal(memory.requests, requests);
    grzModelFront_Destroy(front);
    grzModel_Destroy(model);
    freeMesh(&torus);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everyFrameOfAWalkIsAsFresh),
        cmocka_unit_test(touchingAndDegenerateTrianglesAreAsFresh),
        cmocka_unit_test(farAndSlantedFramesAreAsFresh),
        cmocka_unit_test(slackIsNeverTooLarge),
        cmocka_unit_test(motionAlongAnyAxisCounts),
        cmocka_unit_test(aSlowWalkOpensFewBoxes),
        cmocka_unit_test(aFrontDoesNotGrowForever),
        cmocka_unit_test(otherModelsAreNoticed),
        cmocka_unit_test(emptyModelsAndRefusedQueriesChangeNothing),
        cmocka_unit_test(everyLevelKeepsTheSameEntries),
        cmocka_unit_test(memoryMayBeRefusedAtAnyRequest),
        cmocka_unit_test(afterWarmUpNothingIsAllocated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
