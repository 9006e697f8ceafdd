// Model pairs against every pair of triangles in the frame that the contract states: random meshes, poses, scales and
// mirrors, far offsets, touching and degenerate triangles; with every set of axes, SIMD level, order and limit.
#include "model_query_testing.h"
#include "model_testing.h"

#include <float.h>
#include <math.h>

#include "model_inside.h"
#include "simd_dispatch.h"

// ---- comparing ----

static grzModelPairsView find(grzModelPairs* pairs, const grzModelQuery* query) {
    const grzResult result = grzModelPairs_Find(pairs, query);
    char text[128];
    if (!grzResult_IsOk(result))
        fail_msg("%s", grzResult_Text(result, text, sizeof text));
    return grzModelPairs_GetView(pairs);
}

static void expectAll(grzModelPairs* pairs, const grzModelQuery* query, const Expected* expected) {
    const grzModelPairsView view = find(pairs, query);
    assert_int_equal(view.queryCount, 1);
    assert_int_equal(view.starts[0], 0);
    assert_int_equal(view.starts[1], view.count);
    assert_int_equal(view.count, expected->count);
    for (size_t i = 0; i < view.count; ++i) {
        assert_true(keyOf(&view.pairs[i]) == expected->keys[i]);
        assert_int_equal(view.pairs[i].bodyPair, query->bodyPair);
        assert_true(view.pairs[i].t0 == 0 && view.pairs[i].t1 == 0);
    }
}

static bool isAmong(const Expected* expected, uint64_t key) {
    for (size_t i = 0; i < expected->count; ++i)
        if (expected->keys[i] == key)
            return true;
    return false;
}

static void expectSome(grzModelPairs* pairs, grzModelQuery query, const Expected* expected) {
    query.limit = 1 + grzRng_Below(&g_rng, 40);
    query.order = grz_modelsAsMet;
    const grzModelPairsView view = find(pairs, &query);
    assert_int_equal(view.count, expected->count < query.limit ? expected->count : query.limit);
    for (size_t i = 0; i < view.count; ++i) {
        assert_true(isAmong(expected, keyOf(&view.pairs[i])));
        for (size_t k = 0; k < i; ++k)
            assert_true(keyOf(&view.pairs[i]) != keyOf(&view.pairs[k]));
    }
}

static void expectTouch(const grzModelQuery* query, bool expected) {
    bool touches = !expected;
    assert_true(grzResult_IsOk(grzModels_Touch(query, &touches, NULL)));
    assert_int_equal(touches, expected);
}

static size_t compareQuery(grzModelPairs* pairs, const ModelMesh* a, const ModelMesh* b, grzModelQuery* query) {
    Expected expected = findExpected(a, b, query);
    for (int axes = 0; axes < 2; ++axes) {
        query->axes = axes == 0 ? grz_axesOfFaces : grz_axesAll;
        query->bodyPair = grzRng_Next(&g_rng);
        expectTouch(query, expected.count != 0);
        expectAll(pairs, query, &expected);
        expectSome(pairs, *query, &expected);
    }
    const size_t count = expected.count;
    free(expected.keys);
    return count;
}

typedef void PoseFn(grzModelQuery* query);

// Compares at so many poses; returns at how many something met.
static size_t comparePoses(const ModelMesh* a, const ModelMesh* b, PoseFn* pose, size_t count) {
    grzModel *modelA = makeModel(a), *modelB = makeModel(b);
    grzModelPairs* pairs;
    size_t met = 0;
    assert_true(grzResult_IsOk(grzModelPairs_Create((grzAllocator){NULL, NULL, NULL}, &pairs)));
    for (size_t i = 0; i < count; ++i) {
        grzModelQuery query = grzDefaultModelQuery();
        query.a = modelA, query.b = modelB;
        pose(&query);
        met += compareQuery(pairs, a, b, &query) != 0;
    }
    grzModelPairs_Destroy(pairs);
    grzModel_Destroy(modelA);
    grzModel_Destroy(modelB);
    return met;
}

// ---- poses ----

static void rigidPose(grzModelQuery* query) {
    query->poseA = grzTransform_Make(drawRotation(), drawVector(2));
    query->poseB = grzTransform_Make(drawRotation(), grzAdd(query->poseA.origin, drawVector(1.2F)));
}

static void scaledPose(grzModelQuery* query) {
    rigidPose(query);
    query->poseA.basis = grzMat3_ScaleColumns(query->poseA.basis, drawScale());
    query->poseB.basis = grzMat3_ScaleColumns(query->poseB.basis, drawScale());
}

static void farPose(grzModelQuery* query) {
    const grzVec3 far = drawVector(1e6F);
    query->poseA = grzTransform_Make(drawRotation(), far);
    query->poseB = grzTransform_Make(drawRotation(), grzAdd(far, drawVector(1)));
}

static void latticePose(grzModelQuery* query) {
    const grzMat3 turns[2] = {grzMat3_Identity(), grzMat3_FromColumns(grzVec3_Make(0, 1, 0), grzVec3_Make(-1, 0, 0),
                                                                      grzVec3_Make(0, 0, 1))};
    grzVec3 shift = drawVector(1.5F);
    shift = grzVec3_Make(0.25F * floorf(4 * shift.x), 0.25F * floorf(4 * shift.y), 0.25F * floorf(4 * shift.z));
    query->poseB = grzTransform_Make(turns[grzRng_Below(&g_rng, 2)], shift);
}

// Scales that differ so much that boxes in the other's frame are all margin.
static void slantedPose(grzModelQuery* query) {
    rigidPose(query);
    query->poseA.basis = grzMat3_ScaleColumns(query->poseA.basis, grzVec3_Make(1, 1e-3F, 1));
    query->poseB.basis = grzMat3_ScaleColumns(query->poseB.basis, grzVec3_Make(1, 1e-3F, 1e-2F));
}

// ---- tests ----

static void compareSoups(void) {
    PoseFn* const poses[] = {rigidPose, scaledPose, farPose, slantedPose};
    for (size_t i = 0; i < 12; ++i) {
        ModelMesh a = makeSoup(1 + grzRng_Below(&g_rng, 150), draw(0.05F, 0.5F), 0);
        ModelMesh b = makeSoup(1 + grzRng_Below(&g_rng, 150), draw(0.05F, 0.5F), 0);
        comparePoses(&a, &b, poses[i % 4], 3);
        freeMesh(&a), freeMesh(&b);
    }
}

static void soupsGiveAllPairs(void** state) {
    (void)state;
    g_rng = grzRng_Make(testSeed(1), 1);
    forEachLevel(compareSoups);
}

static void compareLattices(void) {
    size_t met = 0;
    for (size_t i = 0; i < 6; ++i) {
        ModelMesh a = makeSoup(1 + grzRng_Below(&g_rng, 90), 0.5F, 0.25F);
        ModelMesh b = makeSoup(1 + grzRng_Below(&g_rng, 90), 0.5F, 0.25F);
        met += comparePoses(&a, &b, latticePose, 3);
        freeMesh(&a), freeMesh(&b);
    }
    assert_true(met > 5);
}

static void touchingTrianglesAreFound(void** state) {
    (void)state;
    g_rng = grzRng_Make(testSeed(2), 1);
    forEachLevel(compareLattices);
}

static void compareShapes(void) {
    ModelMesh torus = makeShapeMesh(shapeTorus, 500), sphere = makeShapeMesh(shapeSphere, 320);
    ModelMesh box = makeShapeMesh(shapeBox, 300);
    const size_t met = comparePoses(&torus, &sphere, rigidPose, 4) + comparePoses(&box, &torus, scaledPose, 4);
    assert_true(met > 2);
    comparePoses(&box, &box, latticePose, 2);
    freeMesh(&torus), freeMesh(&sphere), freeMesh(&box);
}

static void closedMeshesGiveAllPairs(void** state) {
    (void)state;
    g_rng = grzRng_Make(testSeed(3), 1);
    forEachLevel(compareShapes);
}

static void aMeshOnItselfMeetsEverywhere(void** state) {
    (void)state;
    g_rng = grzRng_Make(testSeed(4), 1);
    ModelMesh sphere = makeShapeMesh(shapeSphere, 320);
    grzModel* model = makeModel(&sphere);
    grzModelQuery query = grzDefaultModelQuery();
    grzModelPairs* pairs;
    assert_true(grzResult_IsOk(grzModelPairs_Create((grzAllocator){NULL, NULL, NULL}, &pairs)));
    query.a = query.b = model;
    assert_true(compareQuery(pairs, &sphere, &sphere, &query) > sphere.triangleCount * 10);
    grzModelPairs_Destroy(pairs);
    grzModel_Destroy(model);
    freeMesh(&sphere);
}

// Two big triangles that graze each other by less than a float of their images can tell: whatever the rounding makes of
// them, boxes must not part them.
static void marginsHoldWhereBoxesJustTouch(void** state) {
    (void)state;
    g_rng = grzRng_Make(testSeed(5), 1);
    size_t met = 0;
    for (size_t i = 0; i < 400; ++i) {
        ModelMesh a = makeSoup(1 + grzRng_Below(&g_rng, 6), 0.3F, 0),
                  b = makeSoup(1 + grzRng_Below(&g_rng, 6), 0.3F, 0);
        grzModelQuery query = grzDefaultModelQuery();
        rigidPose(&query);
        // The first corner of B's first triangle goes onto the first corner of A's, as nearly as floats can.
        const grzVec3 at = grzTransform_Apply(query.poseA, grzVec3_Load(a.positions));
        const grzVec3 from = grzMat3_Apply(query.poseB.basis, grzVec3_Load(b.positions));
        query.poseB.origin = grzSub(at, from);
        grzModel *modelA = makeModel(&a), *modelB = makeModel(&b);
        grzModelPairs* pairs;
        assert_true(grzResult_IsOk(grzModelPairs_Create((grzAllocator){NULL, NULL, NULL}, &pairs)));
        query.a = modelA, query.b = modelB;
        met += compareQuery(pairs, &a, &b, &query) != 0;
        grzModelPairs_Destroy(pairs);
        grzModel_Destroy(modelA), grzModel_Destroy(modelB);
        freeMesh(&a), freeMesh(&b);
    }
    assert_true(met > 30 && met < 300);
}

static void emptyModelsTouchNothing(void** state) {
    (void)state;
    ModelMesh none = makeMesh(0, 0), box = makeShapeMesh(shapeBox, 12);
    grzModel *modelA = makeModel(&none), *modelB = makeModel(&box);
    grzModelQuery query = grzDefaultModelQuery();
    grzModelPairs* pairs;
    assert_true(grzResult_IsOk(grzModelPairs_Create((grzAllocator){NULL, NULL, NULL}, &pairs)));
    query.a = modelA, query.b = modelB;
    expectTouch(&query, false);
    assert_int_equal(find(pairs, &query).count, 0);
    query.a = modelB, query.b = modelA;
    expectTouch(&query, false);
    query.b = modelB;
    expectTouch(&query, true);
    assert_int_equal(grzModelPairs_FindMany(pairs, NULL, NULL, 0).status, grz_ok);
    assert_int_equal(grzModelPairs_GetView(pairs).count, 0);
    grzModelPairs_Destroy(pairs);
    grzModel_Destroy(modelA), grzModel_Destroy(modelB);
    freeMesh(&none), freeMesh(&box);
}

static void expectRefused(const grzModelQuery* query, grzStatus status) {
    bool touches = true;
    grzModelPairs* pairs;
    assert_int_equal(grzModels_Touch(query, &touches, NULL).status, status);
    assert_false(touches);
    assert_true(grzResult_IsOk(grzModelPairs_Create((grzAllocator){NULL, NULL, NULL}, &pairs)));
    assert_int_equal(grzModelPairs_Find(pairs, query).status, status);
    assert_int_equal(grzModelPairs_GetView(pairs).queryCount, 0);
    assert_int_equal(grzModelPairs_GetView(pairs).count, 0);
    grzModelPairs_Destroy(pairs);
}

static void whatHasNoMeaningIsRefused(void** state) {
    (void)state;
    ModelMesh box = makeShapeMesh(shapeBox, 12);
    grzModel* model = makeModel(&box);
    grzModelQuery good = grzDefaultModelQuery(), query;
    good.a = good.b = model;
    expectRefused(NULL, grz_badDef);
    query = good, query.mark = 0, expectRefused(&query, grz_badDef);
    query = good, query.a = NULL, expectRefused(&query, grz_badArgument);
    query = good, query.b = NULL, expectRefused(&query, grz_badArgument);
    query = good, query.axes = (grzModelAxes)2, expectRefused(&query, grz_badArgument);
    query = good, query.order = (grzModelOrder)2, expectRefused(&query, grz_badArgument);
    query = good, query.poseA.basis = grzMat3_Zero(), expectRefused(&query, grz_badArgument);
    query = good, query.poseB.basis = grzMat3_Diagonal(grzVec3_Make(1, 0, 1));
    expectRefused(&query, grz_badArgument);
    query = good, query.poseB.origin.x = (float)INFINITY, expectRefused(&query, grz_notFinite);
    query = good, query.poseA.basis.y.z = (float)NAN, expectRefused(&query, grz_notFinite);
    query = good, query.poseB.origin.x = 1e30F, expectRefused(&query, grz_badArgument);
    query = good, query.poseB.basis = grzMat3_Diagonal(grzVec3_Make(1, 1e25F, 1));
    expectRefused(&query, grz_badArgument);
    query = good, query.poseB.basis = grzMat3_Diagonal(grzVec3_Make(1, 1e-25F, 1));
    expectRefused(&query, grz_badArgument);
    query = good, query.poseA.origin.y = 0.5F, expectTouch(&query, true);
    grzModel_Destroy(model);
    freeMesh(&box);
}

static void aRefitModelIsAsANewOne(void** state) {
    (void)state;
    g_rng = grzRng_Make(testSeed(6), 1);
    ModelMesh a = makeShapeMesh(shapeTorus, 500), b = makeShapeMesh(shapeSphere, 300);
    grzModel *modelA = makeModel(&a), *modelB = makeModel(&b);
    grzModelPairs* pairs;
    assert_true(grzResult_IsOk(grzModelPairs_Create((grzAllocator){NULL, NULL, NULL}, &pairs)));
    for (int round = 0; round < 4; ++round) {
        for (size_t i = 0; i < 3 * a.vertexCount; ++i)
            a.positions[i] += draw(-0.05F, 0.05F);
        if (round != 2) {
            assert_true(grzResult_IsOk(grzModel_Refit(modelA, NULL, a.positions, 0)));
        } else {
            const grzModelDef def = makeDef(&a);
            assert_true(grzResult_IsOk(grzModel_Rebuild(modelA, &def)));
        }
        assert_true(grzModel_Validate(modelA, a.positions, 0));
        grzModelQuery query = grzDefaultModelQuery();
        rigidPose(&query);
        query.a = modelA, query.b = modelB;
        compareQuery(pairs, &a, &b, &query);
    }
    a.positions[7] = (float)NAN;
    assert_int_equal(grzModel_Refit(modelA, NULL, a.positions, 0).status, grz_notFinite);
    assert_int_equal(grzModel_Refit(modelA, NULL, NULL, 0).status, grz_badArgument);
    grzModelPairs_Destroy(pairs);
    grzModel_Destroy(modelA), grzModel_Destroy(modelB);
    freeMesh(&a), freeMesh(&b);
}

static void expectOrder(const grzModel* model, const grzBvh* bvh) {
    const grzBvhView made = grzBvh_GetView(grzModel_GetView(model).bvh), wanted = grzBvh_GetView(bvh);
    assert_int_equal(made.triangleCount, wanted.triangleCount);
    assert_memory_equal(made.triangleToCaller, wanted.triangleToCaller, made.triangleCount * sizeof(uint32_t));
}

static void expectOrderOf(const grzModel* model, const ModelMesh* mesh, grzBvhBuilder builder) {
    grzBvhDef def = grzDefaultBvhDef();
    grzBvh* bvh;
    def.builder = builder;
    def.positions = mesh->positions, def.vertexCount = mesh->vertexCount;
    def.triangles = mesh->triangles, def.triangleCount = mesh->triangleCount;
    assert_true(grzResult_IsOk(grzBvh_Create(&def, &bvh)));
    expectOrder(model, bvh);
    grzBvh_Destroy(bvh);
}

static void modelsAreOrderedByTheirBuilder(void** state) {
    (void)state;
    static const grzBvhBuilder builders[] = {grz_bvhMorton, grz_bvhMedian, grz_bvhSah};
    g_rng = grzRng_Make(testSeed(9), 1);
    ModelMesh first = makeSoup(500, 0.2F, 0), second = makeSoup(500, 0.2F, 0);
    grzModel* model = makeModel(&first);
    expectOrderOf(model, &first, grz_bvhSah); // by default
    for (size_t i = 0; i < 3; ++i) {
        const ModelMesh* mesh = i % 2 == 0 ? &second : &first;
        grzModelDef def = makeDef(mesh);
        def.builder = builders[i];
        assert_true(grzResult_IsOk(grzModel_Rebuild(model, &def)));
        assert_true(grzModel_Validate(model, mesh->positions, 0));
        expectOrderOf(model, mesh, builders[i]);
    }
    grzModel_Destroy(model);
    freeMesh(&first), freeMesh(&second);
}

static float normalAt(const float* p, size_t axis) {
    const size_t i = (axis + 1) % 3, j = (axis + 2) % 3;
    return (p[3 + i] - p[i]) * (p[6 + j] - p[j]) - (p[3 + j] - p[j]) * (p[6 + i] - p[i]);
}

static void expectTriangle(const ModelMesh* mesh, const ModelLeaf* leaf, uint32_t k) {
    float corners[9];
    for (size_t corner = 0; corner < 3; ++corner)
        memcpy(corners + 3 * corner,
               mesh->positions + 3 * (size_t)mesh->triangles[3 * (size_t)leaf->ids[k] + corner], 3 * sizeof(float));
    for (size_t axis = 0; axis < 3; ++axis) {
        for (size_t corner = 0; corner < 3; ++corner) {
            const float at = corners[3 * corner + axis];
            assert_true(leaf->at[axis][4 * corner + k] == at && leaf->lower[axis] <= at && at <= leaf->upper[axis]);
        }
        assert_true(leaf->at[axis][12 + k] == normalAt(corners, axis));
    }
}

// Every triangle once, its corners in the caller's order; what is not there repeats the first of its leaf.
static void leavesHoldTheirTriangles(void** state) {
    (void)state;
    g_rng = grzRng_Make(testSeed(14), 1);
    for (size_t count = 1; count < 80; ++count) {
        ModelMesh mesh = makeSoup(count, 0.3F, 0);
        grzModel* model = makeModel(&mesh);
        size_t sum = 0;
        for (uint32_t i = 0; i < model->leafCount; ++i) {
            const ModelLeaf* leaf = &model->leaves[i];
            for (uint32_t k = 0; k < 4; ++k) {
                expectTriangle(&mesh, leaf, k);
                assert_true(k < leaf->count || leaf->ids[k] == leaf->ids[0]);
                sum += k < leaf->count ? leaf->ids[k] : 0;
            }
        }
        assert_int_equal(sum, count * (count - 1) / 2);
        grzModel_Destroy(model);
        freeMesh(&mesh);
    }
}

static uint64_t hashView(grzModelPairsView view) {
    uint64_t hash = view.count;
    for (size_t i = 0; i < view.count; ++i)
        hash = (hash ^ keyOf(&view.pairs[i]) ^ view.pairs[i].bodyPair) * UINT64_C(0x9E3779B97F4A7C15);
    for (size_t i = 0; i <= view.queryCount; ++i)
        hash = (hash ^ view.starts[i]) * UINT64_C(0x9E3779B97F4A7C15);
    const uint64_t counts[] = {view.stats.boxTests, view.stats.leafPairs, view.stats.triangleTests,
                               view.stats.exactTests};
    for (size_t i = 0; i < 4; ++i)
        hash = (hash ^ counts[i]) * UINT64_C(0x9E3779B97F4A7C15);
    return hash;
}

static void manyQueriesGiveTheSameBytesForAnyWorkerCount(void** state) {
    (void)state;
    static const uint32_t workers[] = {1, 2, 3, 8};
    enum { FEW = 20, COUNT = 77, BAD = 43 }; // so many that blocks have several
    g_rng = grzRng_Make(testSeed(7), 1);
    ModelMesh torus = makeShapeMesh(shapeTorus, 2000);
    grzModel* model = makeModel(&torus);
    grzModelQuery queries[COUNT];
    for (uint32_t i = 0; i < COUNT; ++i) {
        queries[i] = grzDefaultModelQuery();
        rigidPose(&queries[i]);
        queries[i].a = queries[i].b = model;
        queries[i].bodyPair = i;
        queries[i].limit = i % 5 == 0 ? i : 0;
        queries[i].order = i % 3 == 0 ? grz_modelsAsMet : grz_modelsSorted;
    }
    const grzTransform pose = queries[BAD].poseA;
    uint64_t expected = 0;
    for (size_t w = 0; w < sizeof workers / sizeof workers[0]; ++w) {
        grzTasksDef def = grzDefaultTasksDef();
        grzTasks* tasks;
        grzModelPairs *pairs, *single;
        def.workerCount = workers[w];
        assert_true(grzResult_IsOk(grzTasks_Create(&def, &tasks)));
        assert_true(grzResult_IsOk(grzModelPairs_Create((grzAllocator){NULL, NULL, NULL}, &pairs)));
        assert_true(grzResult_IsOk(grzModelPairs_Create((grzAllocator){NULL, NULL, NULL}, &single)));
        for (int round = 0; round < 2; ++round) {
            assert_true(grzResult_IsOk(grzModelPairs_FindMany(pairs, tasks, queries, FEW)));
            uint64_t hash = hashView(grzModelPairs_GetView(pairs));
            assert_true(grzResult_IsOk(grzModelPairs_FindMany(pairs, tasks, queries, COUNT)));
            hash ^= hashView(grzModelPairs_GetView(pairs)) << 1;
            expected = w == 0 && round == 0 ? hash : expected;
            assert_true(hash == expected);
        }
        const grzModelPairsView all = grzModelPairs_GetView(pairs);
        for (uint32_t i = 0; i < COUNT; ++i) {
            const grzModelPairsView one = find(single, &queries[i]);
            assert_int_equal(one.count, all.starts[i + 1] - all.starts[i]);
            assert_true(one.count == 0 ||
                        memcmp(one.pairs, all.pairs + all.starts[i], one.count * sizeof *one.pairs) == 0);
        }
        queries[BAD].poseA.basis = grzMat3_Zero();
        const grzResult result = grzModelPairs_FindMany(pairs, tasks, queries, COUNT);
        assert_int_equal(result.status, grz_badArgument);
        assert_int_equal(result.part, grz_partElement);
        assert_int_equal(result.index, BAD);
        assert_int_equal(grzModelPairs_GetView(pairs).queryCount, 0);
        queries[BAD].poseA = pose;
        grzModelPairs_Destroy(pairs), grzModelPairs_Destroy(single);
        grzTasks_Destroy(tasks);
    }
    grzModel_Destroy(model);
    freeMesh(&torus);
}

static grzModelPairs* makePairs(grzAllocator allocator) {
    grzModelPairs* pairs;
    assert_true(grzResult_IsOk(grzModelPairs_Create(allocator, &pairs)));
    return pairs;
}

// One object for few queries and for many, in turn: it grows, keeps all it had, and asks for nothing once it is warm.
static void oneObjectServesFewQueriesAndMany(void** state) {
    (void)state;
    static const uint32_t counts[] = {1, 3, 64, 65, 2, 150, 9};
    enum { MOST = 150 };
    g_rng = grzRng_Make(testSeed(10), 1);
    ModelMesh sphere = makeShapeMesh(shapeSphere, 320);
    grzModel* model = makeModel(&sphere);
    grzModelQuery queries[MOST];
    for (uint32_t i = 0; i < MOST; ++i) {
        queries[i] = grzDefaultModelQuery();
        rigidPose(&queries[i]);
        queries[i].a = queries[i].b = model;
    }
    TestMemory memory = {0, SIZE_MAX, 0, 0};
    grzModelPairs* pairs = makePairs(testAllocator(&memory));
    for (size_t round = 0; round < 3; ++round) {
        const size_t before = memory.requests;
        for (size_t i = 0; i < sizeof counts / sizeof counts[0]; ++i) {
            grzModelPairs* fresh = makePairs((grzAllocator){NULL, NULL, NULL});
            assert_true(grzResult_IsOk(grzModelPairs_FindMany(pairs, NULL, queries, counts[i])));
            assert_true(grzResult_IsOk(grzModelPairs_FindMany(fresh, NULL, queries, counts[i])));
            assert_true(hashView(grzModelPairs_GetView(pairs)) == hashView(grzModelPairs_GetView(fresh)));
            grzModelPairs_Destroy(fresh);
        }
        assert_true(round == 0 || memory.requests == before);
    }
    grzModelPairs_Destroy(pairs);
    assert_int_equal(memory.liveCount, 0);
    grzModel_Destroy(model);
    freeMesh(&sphere);
}

static void theFirstBadQueryIsNamed(void** state) {
    (void)state;
    ModelMesh box = makeShapeMesh(shapeBox, 12);
    grzModel* model = makeModel(&box);
    grzModelQuery queries[80];
    for (size_t i = 0; i < 80; ++i) {
        queries[i] = grzDefaultModelQuery();
        queries[i].a = queries[i].b = model;
    }
    queries[5].mark = queries[77].mark = 0;
    grzModelPairs* pairs = makePairs((grzAllocator){NULL, NULL, NULL});
    for (uint32_t count = 6; count <= 80; count += 37) {
        const grzResult result = grzModelPairs_FindMany(pairs, NULL, queries, count);
        assert_int_equal(result.status, grz_badDef);
        assert_int_equal(result.part, grz_partElement);
        assert_int_equal(result.index, 5);
    }
    for (uint32_t count = 1; count <= 80; count += 79)
        assert_int_equal(grzModelPairs_FindMany(pairs, NULL, NULL, count).status, grz_badDef);
    assert_int_equal(grzModelPairs_GetView(pairs).starts[0], 0);
    grzModelPairs_Destroy(pairs);
    grzModel_Destroy(model);
    freeMesh(&box);
}

// ---- what it costs ----

static void addTo(grzModelStats* sum, const grzModelStats* stats) {
    sum->boxTests += stats->boxTests;
    sum->leafPairs += stats->leafPairs;
    sum->triangleTests += stats->triangleTests;
    sum->exactTests += stats->exactTests;
}

static void expectStats(const grzModelStats* stats, uint64_t boxes, uint64_t leaves, uint64_t triangles,
                        uint64_t exact) {
    assert_int_equal(stats->boxTests, boxes);
    assert_int_equal(stats->leafPairs, leaves);
    assert_int_equal(stats->triangleTests, triangles);
    assert_int_equal(stats->exactTests, exact);
}

// One triangle on each side: either root is opened once. They cross, touch, are told apart by planes, by boxes.
static void aPairOfTrianglesCostsWhatIsWrittenHere(void** state) {
    (void)state;
    static const float a[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    static const struct {
        float b[9];
        uint64_t boxes, leaves, triangles, exact;
    } cases[] = {
        {{0.2F, 0.2F, -1, 0.3F, 0.2F, 1, 0.2F, 0.3F, 1}, 16, 1, 1, 0},
        {{0, 0, 0, 1, 0, 0, 0, 0, 1}, 16, 1, 1, 1},
        {{0.9F, 0.9F, -1, 1.9F, 0.9F, 1, 0.9F, 1.9F, 1}, 16, 1, 0, 0},
        {{5, 5, -1, 6, 5, 1, 5, 6, 1}, 8, 0, 0, 0},
    };
    grzModelPairs* pairs = makePairs((grzAllocator){NULL, NULL, NULL});
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        ModelMesh meshA = makeMesh(3, 1), meshB = makeMesh(3, 1);
        memcpy(meshA.positions, a, sizeof a);
        memcpy(meshB.positions, cases[i].b, sizeof cases[i].b);
        for (uint32_t k = 0; k < 3; ++k)
            meshA.triangles[k] = meshB.triangles[k] = k;
        grzModel *modelA = makeModel(&meshA), *modelB = makeModel(&meshB);
        grzModelQuery query = grzDefaultModelQuery();
        query.a = modelA, query.b = modelB;
        bool touches;
        grzModelStats stats;
        assert_true(grzResult_IsOk(grzModels_Touch(&query, &touches, &stats)));
        expectStats(&stats, cases[i].boxes, cases[i].leaves, cases[i].triangles, cases[i].exact);
        stats = find(pairs, &query).stats;
        expectStats(&stats, cases[i].boxes, cases[i].leaves, cases[i].triangles, cases[i].exact);
        query.mark = 0;
        stats.boxTests = stats.leafPairs = 7;
        assert_false(grzResult_IsOk(grzModels_Touch(&query, &touches, &stats)));
        expectStats(&stats, 0, 0, 0, 0);
        grzModel_Destroy(modelA), grzModel_Destroy(modelB);
        freeMesh(&meshA), freeMesh(&meshB);
    }
    grzModelPairs_Destroy(pairs);
}

static void manyQueriesCostTheSumOfEach(void** state) {
    (void)state;
    enum { MOST = 75 };
    g_rng = grzRng_Make(testSeed(11), 1);
    ModelMesh torus = makeShapeMesh(shapeTorus, 500);
    grzModel* model = makeModel(&torus);
    grzModelQuery queries[MOST];
    grzModelPairs* pairs = makePairs((grzAllocator){NULL, NULL, NULL});
    grzModelStats sum = {0, 0, 0, 0};
    for (uint32_t i = 0; i < MOST; ++i) {
        queries[i] = grzDefaultModelQuery();
        rigidPose(&queries[i]);
        queries[i].a = queries[i].b = model;
        const grzModelPairsView view = find(pairs, &queries[i]);
        assert_true(view.count <= view.stats.triangleTests &&
                    view.stats.triangleTests <= 16 * view.stats.leafPairs);
        addTo(&sum, &view.stats);
        if (i != 19 && i != MOST - 1) // few, and many
            continue;
        assert_true(grzResult_IsOk(grzModelPairs_FindMany(pairs, NULL, queries, i + 1)));
        const grzModelStats all = grzModelPairs_GetView(pairs).stats;
        expectStats(&all, sum.boxTests, sum.leafPairs, sum.triangleTests, sum.exactTests);
    }
    assert_true(sum.leafPairs > 1000 && sum.triangleTests > 1000);
    grzModelPairs_Destroy(pairs);
    grzModel_Destroy(model);
    freeMesh(&torus);
}

static void axesAcrossEdgesOpenFewerBoxes(void** state) {
    (void)state;
    g_rng = grzRng_Make(testSeed(12), 1);
    ModelMesh torus = makeShapeMesh(shapeTorus, 2000);
    grzModel* model = makeModel(&torus);
    grzModelPairs* pairs = makePairs((grzAllocator){NULL, NULL, NULL});
    grzModelStats sums[2] = {{0, 0, 0, 0}, {0, 0, 0, 0}};
    for (int i = 0; i < 10; ++i) {
        grzModelQuery query = grzDefaultModelQuery();
        rigidPose(&query);
        query.a = query.b = model;
        for (int axes = 0; axes < 2; ++axes) {
            query.axes = axes == 0 ? grz_axesOfFaces : grz_axesAll;
            const grzModelStats stats = find(pairs, &query).stats;
            addTo(&sums[axes], &stats);
        }
    }
    assert_true(sums[1].boxTests < sums[0].boxTests);
    assert_true(sums[1].leafPairs < sums[0].leafPairs * 9 / 10);
    assert_true(sums[1].triangleTests <= sums[0].triangleTests);
    grzModelPairs_Destroy(pairs);
    grzModel_Destroy(model);
    freeMesh(&torus);
}

static void theFirstPairsComeSoon(void** state) {
    (void)state;
    g_rng = grzRng_Make(testSeed(13), 1);
    ModelMesh torus = makeShapeMesh(shapeTorus, 20000);
    grzModel* model = makeModel(&torus);
    grzModelPairs* pairs = makePairs((grzAllocator){NULL, NULL, NULL});
    grzModelQuery query = grzDefaultModelQuery();
    query.a = query.b = model;
    query.poseB = grzTransform_Make(drawRotation(), grzVec3_Make(0.1F, 0, 0));
    const grzModelStats all = find(pairs, &query).stats;
    query.limit = 1;
    const grzModelPairsView view = find(pairs, &query);
    assert_int_equal(view.count, 1);
    assert_true(view.stats.leafPairs < 100 && view.stats.leafPairs < all.leafPairs / 4);
    assert_true(view.stats.boxTests < all.boxTests / 16);
    grzModelPairs_Destroy(pairs);
    grzModel_Destroy(model);
    freeMesh(&torus);
}

// Large triangles in parallel planes, so that all boxes meet and no triangles do.
static ModelMesh makeSheets(size_t count, float first) {
    ModelMesh mesh = makeMesh(3 * count, count);
    for (size_t i = 0; i < count; ++i) {
        const float at = first + 1e-4F * (float)i;
        for (size_t corner = 0; corner < 3; ++corner) {
            mesh.positions[9 * i + 4 * corner] = at; // on axis `corner`
            mesh.triangles[3 * i + corner] = (uint32_t)(3 * i + corner);
        }
    }
    return mesh;
}

// Neither stack may lose what is on it: every leaf is tested with every other one.
static void walksGoThroughAllOfDeepHierarchies(void** state) {
    (void)state;
    ModelMesh a = makeSheets(2048, 1), b = makeSheets(2047, 1.00005F);
    grzModel *modelA = makeModel(&a), *modelB = makeModel(&b);
    grzModelPairs* pairs = makePairs((grzAllocator){NULL, NULL, NULL});
    for (int turned = 0; turned < 2; ++turned) {
        grzModelQuery query = grzDefaultModelQuery();
        query.a = turned ? modelB : modelA, query.b = turned ? modelA : modelB;
        grzModelStats stats;
        bool touches;
        assert_true(grzResult_IsOk(grzModels_Touch(&query, &touches, &stats)));
        assert_false(touches);
        assert_int_equal(stats.leafPairs, 512 * 512);
        const grzModelPairsView view = find(pairs, &query);
        assert_int_equal(view.count, 0);
        assert_int_equal(view.stats.leafPairs, 512 * 512);
        assert_int_equal(view.stats.boxTests, stats.boxTests);
        query.limit = 1000000;
        assert_int_equal(find(pairs, &query).stats.leafPairs, 512 * 512);
    }
    grzModelPairs_Destroy(pairs);
    grzModel_Destroy(modelA), grzModel_Destroy(modelB);
    freeMesh(&a), freeMesh(&b);
}

// Pairs in the order met, and what finding them cost.
static uint64_t hashOfWork(grzModelPairs* pairs, const grzModelQuery* query) {
    const grzModelPairsView view = find(pairs, query);
    grzModelStats touch;
    bool touches;
    assert_true(grzResult_IsOk(grzModels_Touch(query, &touches, &touch)));
    const uint64_t counts[] = {view.stats.boxTests,   view.stats.leafPairs, view.stats.triangleTests,
                               view.stats.exactTests, touch.boxTests,       touch.leafPairs,
                               touch.triangleTests,   touch.exactTests};
    uint64_t hash = hashView(view);
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; ++i)
        hash = (hash ^ counts[i]) * UINT64_C(0x9E3779B97F4A7C15);
    return hash;
}

static void checkWork(grzModelPairs* pairs, const grzModelQuery* query) {
    uint64_t expected = 0;
    for (int level = grz_simdScalar; level < 32; ++level) {
        if ((grzSimd_SupportedBits() >> level & 1) == 0)
            continue;
        const grzSimdLevel before = grzSimd_Force((grzSimdLevel)level);
        const uint64_t hash = hashOfWork(pairs, query);
        grzSimd_Force(before);
        expected = level == grz_simdScalar ? hash : expected;
        assert_true(hash == expected);
    }
}

static void everyLevelDoesTheSameWork(void** state) {
    (void)state;
    g_rng = grzRng_Make(testSeed(8), 1);
    ModelMesh torus = makeShapeMesh(shapeTorus, 2000), soup = makeSoup(300, 0.5F, 0.25F);
    grzModel *modelA = makeModel(&torus), *modelB = makeModel(&soup);
    grzModelPairs* pairs;
    assert_true(grzResult_IsOk(grzModelPairs_Create((grzAllocator){NULL, NULL, NULL}, &pairs)));
    for (int i = 0; i < 12; ++i) {
        grzModelQuery query = grzDefaultModelQuery();
        rigidPose(&query);
        query.a = i % 3 == 0 ? modelB : modelA, query.b = i % 3 == 1 ? modelA : modelB;
        if (i % 3 == 0)
            latticePose(&query);
        query.order = grz_modelsAsMet;
        query.limit = i % 4 == 0 ? 7 : 0;
        checkWork(pairs, &query);
    }
    grzModelPairs_Destroy(pairs);
    grzModel_Destroy(modelA), grzModel_Destroy(modelB);
    freeMesh(&torus), freeMesh(&soup);
}

static void memoryMayBeRefusedAtAnyRequest(void** state) {
    (void)state;
    ModelMesh box = makeShapeMesh(shapeBox, 300);
    bool isDone = false;
    for (size_t failAt = 0; !isDone; ++failAt) {
        TestMemory memory = {0, failAt, 0, 0};
        grzModelDef def = makeDef(&box);
        grzModel* model = NULL;
        grzModelPairs* pairs = NULL;
        def.allocator = testAllocator(&memory);
        grzResult result = grzModel_Create(&def, &model);
        assert_true(grzResult_IsOk(result) == (model != NULL));
        if (model != NULL)
            result = grzModelPairs_Create(testAllocator(&memory), &pairs);
        if (pairs != NULL) {
            grzModelQuery query = grzDefaultModelQuery();
            query.a = query.b = model;
            query.poseB.origin.x = 0.3F;
            result = grzModelPairs_Find(pairs, &query);
            isDone = grzResult_IsOk(result);
            assert_true((grzModelPairs_GetView(pairs).count != 0) == isDone);
        }
        if (!isDone)
            assert_int_equal(result.status, grz_outOfMemory);
        grzModelPairs_Destroy(pairs);
        grzModel_Destroy(model);
        assert_int_equal(memory.liveCount, 0);
    }
    freeMesh(&box);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(soupsGiveAllPairs),
        cmocka_unit_test(touchingTrianglesAreFound),
        cmocka_unit_test(closedMeshesGiveAllPairs),
        cmocka_unit_test(aMeshOnItselfMeetsEverywhere),
        cmocka_unit_test(marginsHoldWhereBoxesJustTouch),
        cmocka_unit_test(emptyModelsTouchNothing),
        cmocka_unit_test(whatHasNoMeaningIsRefused),
        cmocka_unit_test(aRefitModelIsAsANewOne),
        cmocka_unit_test(manyQueriesGiveTheSameBytesForAnyWorkerCount),
        cmocka_unit_test(modelsAreOrderedByTheirBuilder),
        cmocka_unit_test(leavesHoldTheirTriangles),
        cmocka_unit_test(oneObjectServesFewQueriesAndMany),
        cmocka_unit_test(theFirstBadQueryIsNamed),
        cmocka_unit_test(aPairOfTrianglesCostsWhatIsWrittenHere),
        cmocka_unit_test(manyQueriesCostTheSumOfEach),
        cmocka_unit_test(axesAcrossEdgesOpenFewerBoxes),
        cmocka_unit_test(theFirstPairsComeSoon),
        cmocka_unit_test(walksGoThroughAllOfDeepHierarchies),
        cmocka_unit_test(everyLevelDoesTheSameWork),
        cmocka_unit_test(memoryMayBeRefusedAtAnyRequest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
