// Models whose chunks are made where they are read: a height field that is a function, of which no triangle is stored, beside models
// made whole. The same bytes whoever reads first, at every SIMD level and for any number of workers.
#include "model_query_testing.h"

#include <float.h>
#include <math.h>

#include "graze/model_distance.h"
#include "graze/model_pair.h"
#include "graze/model_ray.h"
#include "graze/model_shape.h"
#include "model_chunks.h"

// ---- the field ----

// A chunk is a tile of 16 by 8 squares of two triangles. The last one may be cut off.
enum { TILES = 12, ACROSS = 16, ALONG = 8, MOST = TILES * TILES * GRZ_BVH_CHUNK_TRIANGLES };

static float g_phase;

static grzVec3 vertexAt(uint32_t x, uint32_t z) {
    const float px = (float)x / ACROSS, pz = (float)z / ALONG;
    return grzVec3_Make(px, 0.3f * grzSin(2 * px + g_phase) * grzCos(1.5f * pz), pz);
}

// Corner k of a triangle. Tiles of four follow each other, so that nodes are compact.
static grzVec3 cornerAt(uint32_t triangle, uint32_t k) {
    static const uint32_t dx[2][3] = {{0, 0, 1}, {1, 0, 1}}, dz[2][3] = {{0, 1, 0}, {0, 1, 1}};
    const uint32_t tile = triangle / 256, square = triangle % 256 / 2, half = triangle % 2, block = tile / 4;
    const uint32_t tileX = block % (TILES / 2) * 2 + tile % 2, tileZ = block / (TILES / 2) * 2 + tile / 2 % 2;
    return vertexAt(tileX * ACROSS + square % ACROSS + dx[half][k], tileZ * ALONG + square / ACROSS + dz[half][k]);
}

static grzBox boxOfChunk(uint32_t chunk, uint32_t count) {
    grzBox box = grzBox_Empty();
    for (uint32_t i = 256 * chunk; i < 256 * (chunk + 1) && i < count; ++i)
        for (uint32_t k = 0; k < 3; ++k)
            box = grzBox_AddPoint(box, cornerAt(i, k));
    return box;
}

// The context is how many triangles there are.
static void getBoxes(void* context, grzBvhNode* nodes) {
    const uint32_t count = *(const uint32_t*)context, chunks = (count + 255) / 256;
    for (uint32_t c = 0; c < (chunks + 7) / 8 * 8; ++c) {
        const grzBox box = boxOfChunk(c < chunks ? c : 0, count);
        for (int axis = 0; axis < 3; ++axis) {
            nodes[c / 8].lower[axis][c % 8] = c < chunks ? grzVec3_Get(box.lower, axis) : FLT_MAX;
            nodes[c / 8].upper[axis][c % 8] = c < chunks ? grzVec3_Get(box.upper, axis) : -FLT_MAX;
        }
    }
}

static void getChunk(void* context, uint32_t chunk, grzModelChunk* to) {
    const uint32_t count = *(const uint32_t*)context;
    for (uint32_t i = 0; i < 256 && 256 * chunk + i < count; ++i) {
        to->ids[i] = 256 * chunk + i;
        for (uint32_t k = 0; k < 3; ++k)
            grzVec3_Store(to->corners + 9 * i + 3 * k, cornerAt(to->ids[i], k));
    }
}

// Memory is garbage before it is made, other garbage each time.
static void* allocateGarbage(void* context, size_t size, size_t alignment) {
    static int turn;
    const grzAllocator usual = grzDefaultAllocator();
    void* memory = usual.allocate(usual.context, size, alignment);
    (void)context;
    memset(memory, turn++ % 2 == 0 ? 0xFF : 0x00, size);
    return memory;
}

static void releaseGarbage(void* context, void* memory, size_t size, size_t alignment) {
    const grzAllocator usual = grzDefaultAllocator();
    (void)context;
    usual.release(usual.context, memory, size, alignment);
}

static grzModel* makeField(uint32_t* count) {
    const grzModelSource source = {count, *count, NULL, getBoxes, getChunk};
    const grzAllocator garbage = {NULL, allocateGarbage, releaseGarbage};
    grzModel* model;
    assert_true(grzResult_IsOk(grzModel_CreateFrom(&source, garbage, &model)));
    return model;
}

static grzModel* makeWhole(uint32_t count) {
    static float positions[9 * MOST];
    static uint32_t triangles[3 * MOST];
    for (uint32_t i = 0; i < 3 * count; ++i) {
        triangles[i] = i;
        grzVec3_Store(positions + 3 * (size_t)i, cornerAt(i / 3, i % 3));
    }
    grzModelDef def = grzDefaultModelDef();
    def.positions = positions, def.vertexCount = 3 * (size_t)count;
    def.triangles = triangles, def.triangleCount = count;
    grzModel* model;
    assert_true(grzResult_IsOk(grzModel_Create(&def, &model)));
    return model;
}

static uint32_t drawCount(void) {
    static const uint32_t counts[] = {1, 3, 30, 33, 256, 257, 300, 2048, 2049, 5000, 16385, MOST};
    return counts[grzRng_Below(&g_rng, sizeof counts / sizeof counts[0])];
}

static grzVec3 drawPlace(void) {
    return grzVec3_Make(draw(-1, TILES + 1), draw(-1, 1), draw(-1, TILES + 1));
}

// ---- queries ----

enum { QUERIES = 5 };

typedef struct Answers {
    grzModelRayHit rays[QUERIES];
    grzModelTouch touches[QUERIES];
    grzModelShapeDistance distances[QUERIES];
    grzModelPoint points[QUERIES];
    bool meet[QUERIES];
    size_t pairCount, nearCount;
    grzTrianglePair pairs[4000], near[4000];
} Answers;

typedef struct Questions {
    grzModelRay rays[QUERIES];
    grzModelShape shapes[QUERIES];
    float points[3 * QUERIES];
    float reach;
    grzModel* other;
    grzTransform pose, poses[QUERIES];
    float margin;
    bool isFirst; // the field is the first of a pair of models
} Questions;

static void drawQuestions(Questions* questions, grzModel* other) {
    const bool isWide = grzRng_Below(&g_rng, 3) == 0; // else most chunks are left
    memset(questions, 0, sizeof *questions);
    questions->pose = drawRigid();
    questions->other = other;
    questions->margin = draw(0, 0.1f);
    questions->reach = draw(0, 0.5f);
    questions->isFirst = grzRng_Below(&g_rng, 2) == 0;
    for (int i = 0; i < QUERIES; ++i) {
        grzModelRay* ray = &questions->rays[i];
        *ray = grzDefaultModelRay();
        ray->pose = questions->pose;
        ray->origin = grzTransform_Apply(ray->pose, drawPlace());
        ray->direction = grzSub(grzTransform_Apply(ray->pose, drawPlace()), ray->origin);
        if (i % 3 == 0)
            ray->reach = draw(0, 2);
        grzModelShape* shape = &questions->shapes[i];
        *shape = grzDefaultModelShape();
        shape->pose = questions->pose;
        shape->shape = i % 2 == 0 ? grzMakeSphere(grzVec3_Zero(), draw(0.01f, 0.5f))
                                  : grzMakeBox(grzVec3_Zero(), grzVec3_Splat(draw(0.01f, 0.5f)));
        shape->shapePose = drawRigid();
        shape->shapePose.origin = grzTransform_Apply(shape->pose, drawPlace());
        shape->margin = isWide && i % 4 == 3 ? (float)INFINITY : draw(0, 0.2f);
        grzVec3_Store(questions->points + 3 * (size_t)i, grzTransform_Apply(questions->pose, drawPlace()));
        questions->poses[i] = drawRigid();
        questions->poses[i].origin = grzTransform_Apply(questions->pose, drawPlace());
    }
}

static size_t findPairs(const grzModelQuery* query, grzTrianglePair* to) {
    grzModelPairs* pairs;
    assert_true(grzResult_IsOk(grzModelPairs_Create((grzAllocator){0}, &pairs)));
    assert_true(grzResult_IsOk(grzModelPairs_Find(pairs, query)));
    const grzModelPairsView view = grzModelPairs_GetView(pairs);
    const size_t count = view.count < 4000 ? view.count : 4000;
    if (count != 0)
        memcpy(to, view.pairs, count * sizeof *to);
    grzModelPairs_Destroy(pairs);
    return view.count;
}

static grzModelQuery pairOf(const Questions* questions, const grzModel* model, int i) {
    grzModelQuery query = grzDefaultModelQuery();
    query.a = questions->isFirst ? model : questions->other;
    query.b = questions->isFirst ? questions->other : model;
    query.poseA = questions->isFirst ? questions->pose : questions->poses[i];
    query.poseB = questions->isFirst ? questions->poses[i] : questions->pose;
    return query;
}

// The kinds of queries one after the other, beginning with any: each comes to chunks first in some trial.
static void ask(const Questions* questions, const grzModel* model, uint32_t kind, Answers* answers) {
    memset(answers, 0, sizeof *answers);
    for (uint32_t turn = 0; turn < 5; ++turn, kind = (kind + 1) % 5) {
        for (int i = 0; i < QUERIES; ++i) {
            grzModelRay ray = questions->rays[i];
            grzModelShape shape = questions->shapes[i];
            ray.model = shape.model = model;
            const grzModelQuery query = pairOf(questions, model, i);
            if (kind == 0)
                assert_true(grzResult_IsOk(grzModel_CastRay(&ray, &answers->rays[i])));
            if (kind == 1)
                assert_true(grzResult_IsOk(grzModel_TouchShape(&shape, &answers->touches[i])));
            if (kind == 2)
                assert_true(grzResult_IsOk(grzModel_ShapeDistance(&shape, &answers->distances[i])));
            if (kind == 3)
                assert_true(grzResult_IsOk(grzModels_Touch(&query, &answers->meet[i], NULL)));
        }
        if (kind != 4)
            continue;
        grzModelPointsQuery points = grzDefaultModelPointsQuery();
        points.model = model, points.pose = questions->pose;
        points.points = questions->points, points.count = QUERIES, points.reach = questions->reach;
        assert_true(grzResult_IsOk(grzModel_ClosestPoints(NULL, &points, answers->points)));
        grzModelQuery query = pairOf(questions, model, 0);
        answers->pairCount = findPairs(&query, answers->pairs);
        query.margin = questions->margin;
        query.order = grz_modelsAsMet;
        answers->nearCount = findPairs(&query, answers->near);
    }
}

// What depends on the triangles alone, and not on their order in the tree.
static void expectLikeWhole(const Answers* answers, const Answers* whole) {
    for (int i = 0; i < QUERIES; ++i) {
        assert_int_equal(answers->rays[i].triangle, whole->rays[i].triangle);
        assert_true(answers->rays[i].t == whole->rays[i].t);
        assert_int_equal(answers->touches[i].isTouching, whole->touches[i].isTouching);
        assert_int_equal(answers->distances[i].triangle, whole->distances[i].triangle);
        assert_int_equal(answers->meet[i], whole->meet[i]);
        assert_true(answers->points[i].lower <= whole->points[i].upper);
        assert_true(whole->points[i].lower <= answers->points[i].upper);
    }
    assert_int_equal(answers->pairCount, whole->pairCount);
    assert_memory_equal(answers->pairs, whole->pairs, sizeof whole->pairs);
}

static uint32_t g_partial;

static void answersAreThoseOfTheWholeModel(void) {
    static Answers lazy, made, whole;
    for (uint32_t trial = 0; trial < 80; ++trial) {
        uint32_t count = drawCount();
        ModelMesh soup = makeSoup(200, 0.3f, 0);
        grzModel* other = makeTestModel(&soup, grz_bvhSah);
        Questions questions;
        drawQuestions(&questions, other);
        g_phase = draw(0, 6);
        grzModel *field = makeField(&count), *all = makeWhole(count);
        ask(&questions, field, trial % 5, &lazy);
        g_partial += grzModel_ChunksMade(field) < (count + 255) / 256;
        grzModel_MakeAll(field);
        assert_int_equal(grzModel_ChunksMade(field), (count + 255) / 256);
        ask(&questions, field, 0, &made);
        assert_memory_equal(&lazy, &made, sizeof lazy);
        ask(&questions, all, 0, &whole);
        expectLikeWhole(&lazy, &whole);
        g_phase = draw(0, 6); // the field moves
        grzModel_Forget(field);
        ask(&questions, field, trial % 3, &lazy);
        grzModel_Destroy(all);
        all = makeWhole(count);
        ask(&questions, all, 0, &whole);
        expectLikeWhole(&lazy, &whole);
        grzModel_Destroy(field), grzModel_Destroy(all), grzModel_Destroy(other);
        freeMesh(&soup);
    }
}

static void test_answers(void** state) {
    (void)state;
    g_rng = grzRng_Make(testSeed(1), 1);
    forEachLevel(answersAreThoseOfTheWholeModel);
    assert_true(g_partial > 4);
}

// Two fields that move: each makes its own, beside the other's.
static void test_two_fields(void** state) {
    (void)state;
    g_rng = grzRng_Make(testSeed(2), 1);
    static grzTrianglePair pairs[4000], expected[4000];
    size_t found = 0, made = 0;
    for (int trial = 0; trial < 20; ++trial) {
        uint32_t counts[2] = {MOST, 5000 + grzRng_Below(&g_rng, MOST - 5000)};
        g_phase = draw(0, 6);
        grzModel* fields[2] = {makeField(&counts[0]), makeField(&counts[1])};
        grzModel* wholes[2] = {makeWhole(counts[0]), makeWhole(counts[1])};
        grzModelQuery query = grzDefaultModelQuery();
        query.a = fields[0], query.b = fields[1];
        query.poseB = drawRigid();
        query.poseB.origin = grzVec3_Make(draw(0, TILES), draw(-1, 1), draw(0, TILES));
        const size_t count = findPairs(&query, pairs);
        made += grzModel_ChunksMade(fields[0]) + grzModel_ChunksMade(fields[1]);
        query.a = wholes[0], query.b = wholes[1];
        assert_int_equal(count, findPairs(&query, expected));
        assert_memory_equal(pairs, expected, (count < 4000 ? count : 4000) * sizeof *pairs);
        found += count;
        for (int k = 0; k < 2; ++k)
            grzModel_Destroy(fields[k]), grzModel_Destroy(wholes[k]);
    }
    assert_true(found > 0 && made > 0);
}

// ---- threads ----

enum { RAYS = 1000 };

typedef struct Shared {
    uint32_t count;
    grzModelRay rays[RAYS];
    grzModelRayHit hits[RAYS], expected[RAYS];
    grzResult results[RAYS];
    uint64_t made;
} Shared;

static void castSome(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    Shared* shared = context;
    (void)worker;
    for (uint32_t i = begin; i < end; ++i)
        shared->results[i] = grzModel_CastRay(&shared->rays[i], &shared->hits[i]);
}

static void castTogether(grzTasks* tasks, void* context) {
    Shared* shared = context;
    grzModel* field = makeField(&shared->count);
    for (int i = 0; i < RAYS; ++i)
        shared->rays[i].model = field;
    grzParallelFor(tasks, RAYS, 8, castSome, shared);
    for (int i = 0; i < RAYS; ++i)
        assert_true(grzResult_IsOk(shared->results[i]));
    if (shared->made == 0) {
        shared->made = grzModel_ChunksMade(field);
        memcpy(shared->expected, shared->hits, sizeof shared->hits);
    }
    assert_int_equal(shared->made, grzModel_ChunksMade(field));
    assert_memory_equal(shared->hits, shared->expected, sizeof shared->hits);
    grzModel_Destroy(field);
}

static void test_threads(void** state) {
    (void)state;
    g_rng = grzRng_Make(testSeed(3), 1);
    static Shared shared;
    shared.count = MOST;
    for (int i = 0; i < RAYS; ++i) {
        shared.rays[i] = grzDefaultModelRay();
        shared.rays[i].origin = grzVec3_Make(draw(0, 5), 2, draw(0, 5));
        shared.rays[i].direction = grzVec3_Make(draw(-0.2f, 0.2f), -1, draw(-0.2f, 0.2f));
    }
    forEachLevelAndWorkerCount(castTogether, &shared);
    size_t hits = 0;
    for (int i = 0; i < RAYS; ++i)
        hits += shared.expected[i].triangle != GRZ_NO_TRIANGLE;
    assert_true(hits > 900 && shared.made < TILES * TILES / 2);
}

// ---- refusals ----

static void test_refusals(void** state) {
    (void)state;
    uint32_t count = 1000;
    grzModel* model;
    grzModelSource source = {&count, count, NULL, getBoxes, getChunk};
    assert_int_equal(grzModel_CreateFrom(NULL, (grzAllocator){0}, &model).status, grz_badArgument);
    source.getChunk = NULL;
    assert_int_equal(grzModel_CreateFrom(&source, (grzAllocator){0}, &model).status, grz_badArgument);
    source.getChunk = getChunk, source.triangleCount = GRZ_MESH_MAX_TRIANGLES + 1;
    assert_int_equal(grzModel_CreateFrom(&source, (grzAllocator){0}, &model).status, grz_badArgument);
    assert_null(model);
    source.triangleCount = count;
    for (int allowed = 0; allowed < 6; ++allowed) {
        TestMemory memory = {0, (size_t)allowed, 0, 0};
        const grzResult result = grzModel_CreateFrom(&source, testAllocator(&memory), &model);
        assert_int_equal(result.status, allowed < 5 ? grz_outOfMemory : grz_ok);
        grzModel_Destroy(model);
        assert_int_equal(memory.liveCount, 0);
    }
    uint32_t none = 0;
    model = makeField(&none);
    grzModelRay ray = grzDefaultModelRay();
    grzModelRayHit hit;
    ray.model = model, ray.direction = grzVec3_Make(1, 0, 0);
    assert_true(grzResult_IsOk(grzModel_CastRay(&ray, &hit)) && hit.triangle == GRZ_NO_TRIANGLE);
    grzModel_Destroy(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_answers),
        cmocka_unit_test(test_two_fields),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
