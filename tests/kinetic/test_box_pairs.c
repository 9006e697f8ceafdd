// Box pairs: all pairs of leaves whose boxes overlap, beside a search that tests each leaf against each; of trees of all sizes, in one
// frame and under poses, between two sets and within one; under a pose every corner lies in its leaf's posed box, so that
// triangles that meet are never missed; refused queries change nothing; the same bytes for any workers and at every level.
#include "testing.h"

#include <float.h>
#include <math.h>

#include "graze/stage/node_pairs.h"
#include "rng.h"
#include "simd_dispatch.h"

static void ok(grzResult result) {
    char text[128];
    if (!grzResult_IsOk(result))
        fail_msg("%s", grzResult_Text(result, text, sizeof text));
}

// ---- scenes ----

typedef struct Body {
    uint32_t vertexCount, triangleCount;
    float* positions;
    uint32_t* triangles;
    grzBvh* bvh;
    grzBvhNode* nodes;
} Body;

static void* take(size_t count, size_t size) {
    void* memory = calloc(count + 1, size);
    assert_non_null(memory);
    return memory;
}

static void refit(const Body* body) {
    grzBvhRefit refit = grzDefaultBvhRefit();
    refit.positions = body->positions, refit.numbering = grz_bvhCallersNumbers;
    ok(grzBvh_Refit(body->bvh, NULL, &refit, body->nodes));
}

// A rough sheet of two triangles a cell, of size 1, which the z axis leaves in the middle.
static Body makeSheet(grzRng* rng, uint32_t columns, uint32_t rows, float roughness) {
    Body body = {.vertexCount = (columns + 1) * (rows + 1), .triangleCount = 2 * columns * rows};
    body.positions = take(3 * (size_t)body.vertexCount, sizeof(float));
    body.triangles = take(3 * (size_t)body.triangleCount, sizeof(uint32_t));
    for (uint32_t i = 0; i < body.vertexCount; ++i) {
        const float x = (float)(i % (columns + 1)) / (float)columns, y = (float)(i / (columns + 1)) / (float)rows;
        const float at[3] = {x - 0.5F, y - 0.5F, 0.2F * (x - 0.5F) + roughness * (grzRng_Float(rng) - 0.5F)};
        memcpy(body.positions + 3 * (size_t)i, at, sizeof at);
    }
    for (uint32_t i = 0; i < body.triangleCount; ++i) {
        const uint32_t cell = i / 2, v = cell / columns * (columns + 1) + cell % columns;
        const uint32_t corners[2][3] = {{v, v + 1, v + columns + 1}, {v + 1, v + columns + 2, v + columns + 1}};
        memcpy(body.triangles + 3 * (size_t)i, corners[i % 2], sizeof corners[0]);
    }
    grzBvhDef def = grzDefaultBvhDef();
    def.positions = body.positions, def.vertexCount = body.vertexCount;
    def.triangles = body.triangles, def.triangleCount = body.triangleCount;
    ok(grzBvh_Create(&def, &body.bvh));
    body.nodes = take(grzBvh_GetView(body.bvh).nodeCount, sizeof(grzBvhNode));
    refit(&body);
    return body;
}

static void dropBody(Body* body) {
    free(body->positions), free(body->triangles), free(body->nodes);
    grzBvh_Destroy(body->bvh);
}

static grzBoxSet setOf(const Body* body) {
    return (grzBoxSet){body->bvh, body->nodes};
}

static grzBoxPairs* makePairs(void) {
    const grzBoxPairsDef def = grzDefaultBoxPairsDef();
    grzBoxPairs* pairs;
    ok(grzBoxPairs_Create(&def, &pairs));
    return pairs;
}

static grzTransform drawPose(grzRng* rng, float reach) {
    const grzVec3 axis = grzVec3_Make(grzRng_Float(rng) - 0.5F, grzRng_Float(rng) - 0.5F, grzRng_Float(rng) - 0.5F);
    const grzQuat turn = grzQuat_FromAxisAngle(grzNormalize(axis), 6 * grzRng_Float(rng));
    const grzVec3 origin =
        grzVec3_Make(grzRng_Float(rng) - 0.5F, grzRng_Float(rng) - 0.5F, grzRng_Float(rng) - 0.5F);
    return grzTransform_FromQuat(turn, grzScale(origin, reach));
}

// ---- the reference ----

static grzBox leafBox(const Body* body, uint32_t leaf, const grzTransform* pose) {
    const grzBvhView view = grzBvh_GetView(body->bvh);
    grzBox box = grzBox_Empty();
    for (uint32_t i = 0; i < view.leafVertexCounts[leaf]; ++i) {
        const uint32_t v = i < 8 ? view.leafVertices[8 * leaf + i] : view.moreVertices[4 * leaf + i - 8];
        const grzVec3 p = grzVec3_Load(body->positions + 3 * (size_t)view.vertexToCaller[v]);
        box = grzBox_AddPoint(box, pose != NULL ? grzTransform_Apply(*pose, p) : p);
    }
    return box;
}

static bool meet(grzBox a, grzBox b) {
    return a.lower.x <= b.upper.x && b.lower.x <= a.upper.x && a.lower.y <= b.upper.y && b.lower.y <= a.upper.y &&
           a.lower.z <= b.upper.z && b.lower.z <= a.upper.z;
}

// In one frame: the very pairs. Under a pose: those of the turned vertices' boxes are among them.
static void expectPairs(const Body* a, const Body* b, const grzTransform* pose, const grzBoxPairs* pairs) {
    const grzBoxPairsView found = grzBoxPairs_GetView(pairs);
    const uint32_t leavesA = grzBvh_GetView(a->bvh).leafCount;
    const uint32_t leavesB = grzBvh_GetView(b != NULL ? b->bvh : a->bvh).leafCount;
    size_t at = 0;
    for (uint32_t i = 0; i < leavesA; ++i)
        for (uint32_t j = b != NULL ? 0 : i; j < leavesB; ++j) {
            const bool isFound = at < found.count && found.pairs[at].leafA == i && found.pairs[at].leafB == j;
            const bool isMet = meet(leafBox(a, i, NULL), leafBox(b != NULL ? b : a, j, pose));
            if (isMet != isFound && (isMet || pose == NULL))
                fail_msg("leaves %u and %u: met %d, found %d", i, j, isMet, isFound);
            if (isFound) {
                assert_true(found.pairs[at].t0 == 0 && found.pairs[at].t1 == 1);
                ++at;
            }
        }
    assert_int_equal(at, found.count); // sorted, and nothing else is there
}

// ---- tests ----

// Heights from one level to three on either side, so that each may be the higher one.
static const uint32_t sides[][2] = {{1, 1}, {3, 2}, {4, 4}, {9, 7}, {16, 16}, {40, 33}};
enum { SIDES = sizeof sides / sizeof sides[0] };

static void runFrames(grzRng* rng, const Body* a, const Body* b) {
    grzBoxPairs* pairs = makePairs();
    grzBoxPairsQuery query = grzDefaultBoxPairsQuery();
    query.a = setOf(a), query.b = setOf(b);
    for (int i = 0; i < 4; ++i) {
        const grzTransform pose = drawPose(rng, 0.3F * (float)i);
        query.poseB = i == 0 ? NULL : &pose;
        ok(grzBoxPairs_Find(pairs, NULL, &query));
        assert_true(grzBoxPairs_Validate(pairs, &query));
        expectPairs(a, b, query.poseB, pairs);
    }
    grzBoxPairs_Destroy(pairs);
}

static void equals_brute_force(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(1), 1);
    for (uint32_t i = 0; i < SIDES; ++i)
        for (uint32_t j = 0; j < SIDES; ++j) {
            Body a = makeSheet(&rng, sides[i][0], sides[i][1], 0.3F);
            Body b = makeSheet(&rng, sides[j][0], sides[j][1], 0.1F);
            runFrames(&rng, &a, &b);
            dropBody(&a), dropBody(&b);
        }
}

static void within_one_set(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(2), 1);
    grzBoxPairs* pairs = makePairs();
    for (uint32_t i = 0; i < SIDES; ++i) {
        Body a = makeSheet(&rng, sides[i][0], sides[i][1], 0.2F);
        grzBoxPairsQuery query = grzDefaultBoxPairsQuery();
        query.a = setOf(&a);
        ok(grzBoxPairs_Find(pairs, NULL, &query));
        assert_true(grzBoxPairs_Validate(pairs, &query));
        expectPairs(&a, NULL, NULL, pairs);
        dropBody(&a);
    }
    grzBoxPairs_Destroy(pairs);
}

// Boxes that touch by a side overlap; by the next float they do not.
static void overlap_is_closed(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(1, 1);
    Body a = makeSheet(&rng, 1, 1, 0), b = makeSheet(&rng, 1, 1, 0);
    grzBoxPairs* pairs = makePairs();
    grzBoxPairsQuery query = grzDefaultBoxPairsQuery();
    query.a = setOf(&a), query.b = setOf(&b);
    for (uint32_t i = 0; i < b.vertexCount; ++i)
        b.positions[3 * i] += 1;
    refit(&b);
    ok(grzBoxPairs_Find(pairs, NULL, &query));
    assert_int_equal(grzBoxPairs_GetView(pairs).count, 1);
    for (uint32_t i = 0; i < b.vertexCount; ++i)
        b.positions[3 * i] = nextafterf(b.positions[3 * i], 9);
    refit(&b);
    ok(grzBoxPairs_Find(pairs, NULL, &query));
    assert_int_equal(grzBoxPairs_GetView(pairs).count, 0);
    grzBoxPairs_Destroy(pairs);
    dropBody(&a), dropBody(&b);
}

// Infinite boxes meet everything, but no child that is not there.
static void infinite_boxes(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(1, 1);
    Body a = makeSheet(&rng, 9, 7, 0.1F), b = makeSheet(&rng, 9, 7, 0.1F);
    grzBoxPairs* pairs = makePairs();
    grzBoxPairsQuery query = grzDefaultBoxPairsQuery();
    query.a = setOf(&a), query.b = setOf(&b);
    const uint32_t nodeCount = grzBvh_GetView(a.bvh).nodeCount, leafCount = grzBvh_GetView(a.bvh).leafCount;
    for (uint32_t i = 0; i < nodeCount; ++i)
        for (int lane = 0; lane < 8; ++lane)
            for (int axis = 0; axis < 3; ++axis)
                if (a.nodes[i].lower[axis][lane] <= a.nodes[i].upper[axis][lane]) {
                    a.nodes[i].lower[axis][lane] = b.nodes[i].lower[axis][lane] = -(float)INFINITY;
                    a.nodes[i].upper[axis][lane] = b.nodes[i].upper[axis][lane] = (float)INFINITY;
                }
    ok(grzBoxPairs_Find(pairs, NULL, &query));
    assert_int_equal(grzBoxPairs_GetView(pairs).count, (size_t)leafCount * leafCount);
    grzBoxPairs_Destroy(pairs);
    dropBody(&a), dropBody(&b);
}

static void expectSame(grzBoxPairs* pairs, grzTasks* tasks, const grzBoxPairsQuery* query,
                       const grzLeafPair* wanted, size_t count) {
    ok(grzBoxPairs_Find(pairs, tasks, query));
    const grzBoxPairsView found = grzBoxPairs_GetView(pairs);
    assert_int_equal(found.count, count);
    assert_memory_equal(found.pairs, wanted, count * sizeof *wanted);
}

static void same_bytes(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(3), 1);
    Body a = makeSheet(&rng, 70, 60, 0.3F), b = makeSheet(&rng, 50, 50, 0.3F);
    const grzTransform pose = drawPose(&rng, 0.2F);
    grzBoxPairs *pairs = makePairs(), *others = makePairs();
    for (int kind = 0; kind < 3; ++kind) {
        grzBoxPairsQuery query = grzDefaultBoxPairsQuery();
        query.a = setOf(&a);
        query.b = kind < 2 ? setOf(&b) : (grzBoxSet){0};
        query.poseB = kind == 1 ? &pose : NULL;
        ok(grzBoxPairs_Find(pairs, NULL, &query));
        const grzBoxPairsView wanted = grzBoxPairs_GetView(pairs);
        assert_true(wanted.count > 500);
        for (uint32_t workers = 1; workers <= 8; workers = workers < 3 ? workers + 1 : workers + 5) {
            grzTasksDef def = grzDefaultTasksDef();
            def.workerCount = workers;
            grzTasks* tasks;
            ok(grzTasks_Create(&def, &tasks));
            expectSame(others, tasks, &query, wanted.pairs, wanted.count);
            grzTasks_Destroy(tasks);
        }
        const grzSimdLevel usual = grzSimd_Level();
        for (int level = 0; level <= grz_simdNeon; ++level)
            if (grzSimd_Supports((grzSimdLevel)level)) {
                grzSimd_Force((grzSimdLevel)level);
                expectSame(others, NULL, &query, wanted.pairs, wanted.count);
            }
        grzSimd_Force(usual);
    }
    grzBoxPairs_Destroy(pairs), grzBoxPairs_Destroy(others);
    dropBody(&a), dropBody(&b);
}

static void refuses(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(4, 1);
    Body a = makeSheet(&rng, 9, 7, 0.3F), b = makeSheet(&rng, 9, 7, 0.3F);
    grzBoxPairs* pairs;
    grzBoxPairsDef def = grzDefaultBoxPairsDef();
    def.mark = 0;
    assert_int_equal(grzBoxPairs_Create(&def, &pairs).status, grz_badDef);
    assert_null(pairs);
    assert_int_equal(grzBoxPairs_Create(NULL, &pairs).status, grz_badDef);
    def = grzDefaultBoxPairsDef();
    def.allocator.allocate = testAllocate;
    assert_int_equal(grzBoxPairs_Create(&def, &pairs).status, grz_badArgument);
    pairs = makePairs();
    grzBoxPairsQuery good = grzDefaultBoxPairsQuery();
    grzTransform pose = grzTransform_Identity();
    good.a = setOf(&a), good.b = setOf(&b), good.poseB = &pose;
    ok(grzBoxPairs_Find(pairs, NULL, &good));
    const size_t count = grzBoxPairs_GetView(pairs).count;
    assert_true(count > 0);
    grzBoxPairsQuery bad[5] = {good, good, good, good, good};
    bad[0].mark = 0;
    bad[1].a.nodes = NULL;
    bad[2].a.bvh = NULL;
    bad[3].b.nodes = NULL;
    bad[4].b = (grzBoxSet){0};
    for (int i = 0; i < 5; ++i)
        assert_int_equal(grzBoxPairs_Find(pairs, NULL, &bad[i]).status, grz_badArgument);
    pose.origin.y = (float)NAN;
    assert_int_equal(grzBoxPairs_Find(pairs, NULL, &good).status, grz_notFinite);
    pose.origin.y = 0x1p61F;
    assert_int_equal(grzBoxPairs_Find(pairs, NULL, &good).status, grz_badArgument);
    assert_int_equal(grzBoxPairs_GetView(pairs).count, count);
    pose.origin.y = 0;
    assert_true(grzBoxPairs_Validate(pairs, &good));
    grzBoxPairs_Destroy(pairs), grzBoxPairs_Destroy(NULL);
    dropBody(&a), dropBody(&b);
}

// Each request is refused once; the pairs of before stay, and the next call finds all.
static void refused_memory(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(5, 1);
    Body a = makeSheet(&rng, 40, 33, 0.3F), b = makeSheet(&rng, 16, 16, 0.3F);
    TestMemory memory = {.failAt = SIZE_MAX};
    grzBoxPairsDef def = grzDefaultBoxPairsDef();
    def.allocator = testAllocator(&memory);
    grzBoxPairsQuery query = grzDefaultBoxPairsQuery();
    query.a = setOf(&a), query.b = setOf(&b);
    size_t refused = 0;
    for (bool isDone = false; !isDone; ++refused) {
        grzBoxPairs* pairs;
        memory.requests = 0, memory.failAt = refused;
        const grzResult made = grzBoxPairs_Create(&def, &pairs);
        if (grzResult_IsOk(made)) {
            const grzResult found = grzBoxPairs_Find(pairs, NULL, &query);
            isDone = grzResult_IsOk(found);
            assert_true(isDone || found.status == grz_outOfMemory);
            assert_int_equal(grzBoxPairs_GetView(pairs).count != 0, isDone);
            memory.failAt = SIZE_MAX;
            ok(grzBoxPairs_Find(pairs, NULL, &query));
            assert_true(grzBoxPairs_Validate(pairs, &query));
            assert_int_equal(grzBoxPairs_MemorySize(pairs), memory.liveBytes);
            memory.failAt = memory.requests; // nothing is asked for any more
            ok(grzBoxPairs_Find(pairs, NULL, &query));
        }
        grzBoxPairs_Destroy(pairs);
        assert_int_equal(memory.liveCount, 0);
    }
    assert_true(refused > 5);
    dropBody(&a), dropBody(&b);
}

static void no_triangles(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(6, 1);
    Body a = makeSheet(&rng, 4, 4, 0.3F), none = {.positions = take(1, 1), .triangles = take(1, 1)};
    grzBvhDef def = grzDefaultBvhDef();
    ok(grzBvh_Create(&def, &none.bvh));
    none.nodes = take(1, sizeof(grzBvhNode));
    refit(&none);
    grzBoxPairs* pairs = makePairs();
    const Body* const both[3][2] = {{&a, &none}, {&none, &a}, {&none, &none}};
    for (int i = 0; i < 3; ++i) {
        grzBoxPairsQuery query = grzDefaultBoxPairsQuery();
        query.a = setOf(both[i][0]), query.b = setOf(both[i][1]);
        ok(grzBoxPairs_Find(pairs, NULL, &query));
        assert_int_equal(grzBoxPairs_GetView(pairs).count, 0);
    }
    grzBoxPairs_Destroy(pairs);
    dropBody(&a), dropBody(&none);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equals_brute_force), cmocka_unit_test(within_one_set), cmocka_unit_test(overlap_is_closed),
        cmocka_unit_test(infinite_boxes),     cmocka_unit_test(same_bytes),     cmocka_unit_test(refuses),
        cmocka_unit_test(refused_memory),     cmocka_unit_test(no_triangles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
