// Triangles of leaf pairs: with all leaves that overlap they are all triangles whose boxes overlap, each tested against each; at rest and in
// linear motion, between two meshes and within one, in both numberings; without positions they are all triangles of the leaves; refused
// queries change nothing; the same bytes for any workers and at every level.
#include "testing.h"

#include <float.h>
#include <math.h>

#include "graze/stage/leaf_triangles.h"
#include "rng.h"
#include "simd_dispatch.h"

static void ok(grzResult result) {
    char text[128];
    if (!grzResult_IsOk(result))
        fail_msg("%s", grzResult_Text(result, text, sizeof text));
}

static void* take(size_t count, size_t size) {
    void* memory = calloc(count + 1, size);
    assert_non_null(memory);
    return memory;
}

// ---- scenes ----

// A sheet of two triangles a cell; positions are multiples of a sixteenth, so that many boxes touch.
typedef struct Body {
    uint32_t vertexCount, triangleCount;
    float *start, *end;
    uint32_t* triangles;
    grzBvh* bvh;
} Body;

static float snap(float x) {
    return (float)(int)(16 * x) / 16;
}

static Body makeSheet(grzRng* rng, uint32_t columns, uint32_t rows) {
    Body body = {.vertexCount = (columns + 1) * (rows + 1), .triangleCount = 2 * columns * rows};
    body.start = take(3 * (size_t)body.vertexCount, sizeof(float));
    body.end = take(3 * (size_t)body.vertexCount, sizeof(float));
    body.triangles = take(3 * (size_t)body.triangleCount, sizeof(uint32_t));
    for (uint32_t i = 0; i < body.vertexCount; ++i)
        for (uint32_t axis = 0; axis < 3; ++axis) {
            const float cell = (float)(axis == 0 ? i % (columns + 1) : axis == 1 ? i / (columns + 1) : 0);
            body.start[3 * i + axis] = snap(0.5F * cell + grzRng_Float(rng));
            body.end[3 * i + axis] = body.start[3 * i + axis] + snap(grzRng_Float(rng) - 0.5F);
        }
    for (uint32_t i = 0; i < body.triangleCount; ++i) {
        const uint32_t cell = i / 2, v = cell / columns * (columns + 1) + cell % columns;
        const uint32_t corners[2][3] = {{v, v + 1, v + columns + 1}, {v + 1, v + columns + 2, v + columns + 1}};
        memcpy(body.triangles + 3 * (size_t)i, corners[i % 2], sizeof corners[0]);
    }
    grzBvhDef def = grzDefaultBvhDef();
    def.positions = body.start, def.vertexCount = body.vertexCount;
    def.triangles = body.triangles, def.triangleCount = body.triangleCount;
    ok(grzBvh_Create(&def, &body.bvh));
    return body;
}

static void dropBody(Body* body) {
    free(body->start), free(body->end), free(body->triangles);
    grzBvh_Destroy(body->bvh);
}

typedef struct Leaves {
    grzLeafPair* pairs;
    size_t count;
} Leaves;

// All leaves that overlap in the motion, with times that tell them apart. b NULL: within a.
static Leaves findLeaves(const Body* a, const Body* b, float margin) {
    grzBoxPairsDef def = grzDefaultBoxPairsDef();
    grzBoxPairsQuery query = grzDefaultBoxPairsQuery();
    grzBvhNode* nodes[2] = {NULL, NULL};
    grzBoxPairs* found;
    for (int side = 0; side < (b != NULL ? 2 : 1); ++side) {
        const Body* body = side == 0 ? a : b;
        grzBvhRefit refit = grzDefaultBvhRefit();
        refit.positions = body->start, refit.endPositions = body->end, refit.numbering = grz_bvhCallersNumbers;
        nodes[side] = take(grzBvh_GetView(body->bvh).nodeCount, sizeof(grzBvhNode));
        ok(grzBvh_Refit(body->bvh, NULL, &refit, nodes[side]));
    }
    query.a = (grzBoxSet){a->bvh, nodes[0]};
    if (b != NULL)
        query.b = (grzBoxSet){b->bvh, nodes[1]};
    query.margin = margin;
    ok(grzBoxPairs_Create(&def, &found));
    ok(grzBoxPairs_Find(found, NULL, &query));
    const grzBoxPairsView view = grzBoxPairs_GetView(found);
    Leaves leaves = {take(view.count, sizeof(grzLeafPair)), view.count};
    memcpy(leaves.pairs, view.pairs, view.count * sizeof *view.pairs);
    for (size_t i = 0; i < leaves.count; ++i)
        leaves.pairs[i].t0 = (float)i / (float)(2 * leaves.count);
    grzBoxPairs_Destroy(found);
    free(nodes[0]), free(nodes[1]);
    return leaves;
}

static grzLeafTriangles* makeTriangles(void) {
    const grzLeafTrianglesDef def = grzDefaultLeafTrianglesDef();
    grzLeafTriangles* triangles;
    ok(grzLeafTriangles_Create(&def, &triangles));
    return triangles;
}

static grzLeafTrianglesSide sideOf(const Body* body, bool isMoving) {
    return (grzLeafTrianglesSide){.bvh = body->bvh,
                                  .numbering = grz_bvhCallersNumbers,
                                  .positions = body->start,
                                  .endPositions = isMoving ? body->end : NULL};
}

static grzLeafTrianglesQuery queryOf(const Body* a, const Body* b, const Leaves* leaves, bool isMoving) {
    grzLeafTrianglesQuery query = grzDefaultLeafTrianglesQuery();
    query.pairs = leaves->pairs, query.count = leaves->count, query.bodyPair = 7;
    query.a = sideOf(a, isMoving);
    if (b != NULL)
        query.b = sideOf(b, isMoving);
    return query;
}

// ---- the reference ----

static void rangeOf(const Body* body, const float* positions, uint32_t triangle, int axis, float range[2]) {
    range[0] = 1e9F, range[1] = -1e9F;
    for (uint32_t k = 0; k < 3; ++k) {
        const float at = positions[3 * body->triangles[3 * triangle + k] + (uint32_t)axis];
        range[0] = at < range[0] ? at : range[0];
        range[1] = at > range[1] ? at : range[1];
    }
}

static bool mayOverlap(const Body* a, uint32_t i, const Body* b, uint32_t j, bool isMoving, float margin) {
    for (int axis = 0; axis < 3; ++axis) {
        float ofA[2][2], ofB[2][2];
        rangeOf(a, a->start, i, axis, ofA[0]), rangeOf(a, isMoving ? a->end : a->start, i, axis, ofA[1]);
        rangeOf(b, b->start, j, axis, ofB[0]), rangeOf(b, isMoving ? b->end : b->start, j, axis, ofB[1]);
        for (int end = 0; end < 2; ++end)
            ofA[end][0] -= margin, ofA[end][1] += margin;
        if ((ofA[0][1] < ofB[0][0] && ofA[1][1] < ofB[1][0]) || (ofB[0][1] < ofA[0][0] && ofB[1][1] < ofA[1][0]))
            return false;
    }
    return true;
}

static bool shareVertex(const Body* body, uint32_t i, uint32_t j) {
    for (uint32_t k = 0; k < 9; ++k)
        if (body->triangles[3 * i + k / 3] == body->triangles[3 * j + k % 3])
            return true;
    return false;
}

// In the caller's numbers, with the times of their leaves.
static void expectAll(const grzLeafTriangles* triangles, const Body* a, const Body* b, const Leaves* leaves,
                      bool isMoving, float margin) {
    const grzLeafTrianglesView view = grzLeafTriangles_GetView(triangles);
    const Body* other = b != NULL ? b : a;
    const grzBvhView viewA = grzBvh_GetView(a->bvh), viewB = grzBvh_GetView(other->bvh);
    uint32_t* leafOf[2] = {take(a->triangleCount, sizeof(uint32_t)), take(other->triangleCount, sizeof(uint32_t))};
    size_t at = 0;
    for (uint32_t i = 0; i < a->triangleCount; ++i)
        leafOf[0][viewA.triangleToCaller[i]] = i / 4;
    for (uint32_t i = 0; i < other->triangleCount; ++i)
        leafOf[1][viewB.triangleToCaller[i]] = i / 4;
    for (uint32_t i = 0; i < a->triangleCount; ++i)
        for (uint32_t j = b != NULL ? 0 : i + 1; j < other->triangleCount; ++j) {
            if (!mayOverlap(a, i, other, j, isMoving, margin) || (b == NULL && shareVertex(a, i, j)))
                continue;
            assert_true(at < view.count && view.pairs[at].bodyPair == 7);
            assert_true(view.pairs[at].triangleA == i && view.pairs[at].triangleB == j);
            uint32_t leafA = leafOf[0][i], leafB = leafOf[1][j];
            if (b == NULL && leafA > leafB)
                leafA = leafOf[1][j], leafB = leafOf[0][i];
            size_t k = 0;
            while (leaves->pairs[k].leafA != leafA || leaves->pairs[k].leafB != leafB)
                assert_true(++k < leaves->count);
            assert_true(view.pairs[at].t0 == leaves->pairs[k].t0 && view.pairs[at].t1 == leaves->pairs[k].t1);
            ++at;
        }
    assert_int_equal(at, view.count);
    free(leafOf[0]), free(leafOf[1]);
}

// ---- tests ----

static void equals_brute_force(void** state) {
    (void)state;
    static const uint32_t sizes[][4] = {{1, 1, 1, 1}, {2, 3, 5, 1}, {7, 9, 16, 4}, {33, 7, 12, 20}};
    grzRng rng = grzRng_Make(testSeed(941), 0);
    grzLeafTriangles* triangles = makeTriangles();
    size_t found = 0;
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; ++s) {
        Body a = makeSheet(&rng, sizes[s][0], sizes[s][1]), b = makeSheet(&rng, sizes[s][2], sizes[s][3]);
        for (int kind = 0; kind < 8; ++kind) {
            const Body* other = kind % 2 == 0 ? &b : NULL;
            const float margin = kind < 4 ? 0 : 0.25F; // many boxes are apart by that very distance
            Leaves leaves = findLeaves(&a, other, margin);
            grzLeafTrianglesQuery query = queryOf(&a, other, &leaves, kind / 2 % 2 != 0);
            query.margin = margin;
            ok(grzLeafTriangles_Find(triangles, NULL, &query));
            expectAll(triangles, &a, other, &leaves, kind / 2 % 2 != 0, margin);
            assert_true(grzLeafTriangles_Validate(triangles, &query));
            found += grzLeafTriangles_GetView(triangles).count;
            free(leaves.pairs);
        }
        dropBody(&a), dropBody(&b);
    }
    assert_true(found > 1000);
    grzLeafTriangles_Destroy(triangles);
}

static float* inTreesOrder(const Body* body, const float* positions) {
    const grzBvhView view = grzBvh_GetView(body->bvh);
    float* to = take(3 * (size_t)body->vertexCount, sizeof(float));
    for (uint32_t i = 0; i < body->vertexCount; ++i)
        memcpy(to + 3 * (size_t)i, positions + 3 * (size_t)view.vertexToCaller[i], 3 * sizeof *to);
    return to;
}

// In the numbers of the hierarchies the pairs are the same, with other names, in their order.
static void in_the_trees_numbers(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(942), 0);
    Body a = makeSheet(&rng, 17, 9), b = makeSheet(&rng, 11, 13);
    grzLeafTriangles* triangles = makeTriangles();
    for (int self = 0; self < 2; ++self)
        for (int trees = 1; trees < 4; ++trees) {
            const Body* other = self != 0 ? NULL : &b;
            Leaves leaves = findLeaves(&a, other, 0);
            grzLeafTrianglesQuery query = queryOf(&a, other, &leaves, true);
            ok(grzLeafTriangles_Find(triangles, NULL, &query));
            const size_t count = grzLeafTriangles_GetView(triangles).count;
            float* moved[4] = {inTreesOrder(&a, a.start), inTreesOrder(&a, a.end), inTreesOrder(&b, b.start),
                               inTreesOrder(&b, b.end)};
            if ((trees & 1) != 0)
                query.a = (grzLeafTrianglesSide){.bvh = a.bvh, .positions = moved[0], .endPositions = moved[1]};
            if ((trees & 2) != 0 && other != NULL)
                query.b = (grzLeafTrianglesSide){.bvh = b.bvh, .positions = moved[2], .endPositions = moved[3]};
            ok(grzLeafTriangles_Find(triangles, NULL, &query));
            assert_true(grzLeafTriangles_Validate(triangles, &query));
            assert_int_equal(grzLeafTriangles_GetView(triangles).count, count);
            for (int i = 0; i < 4; ++i)
                free(moved[i]);
            free(leaves.pairs);
        }
    grzLeafTriangles_Destroy(triangles);
    dropBody(&a), dropBody(&b);
}

static void without_positions(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(943), 0);
    Body a = makeSheet(&rng, 5, 3), b = makeSheet(&rng, 3, 3); // 30 and 18 triangles: the last leaves have two
    const grzLeafPair some[] = {{0, 0, 0, 1}, {0, 4, 0, 1}, {7, 1, 0, 1}, {7, 4, 0, 1}};
    const Leaves leaves = {(grzLeafPair*)(uintptr_t)some, 4};
    grzLeafTriangles* triangles = makeTriangles();
    grzLeafTrianglesQuery query = queryOf(&a, &b, &leaves, true);
    query.b.positions = query.b.endPositions = NULL;
    ok(grzLeafTriangles_Find(triangles, NULL, &query));
    assert_int_equal(grzLeafTriangles_GetView(triangles).count, 16 + 8 + 8 + 4);
    assert_true(grzLeafTriangles_Validate(triangles, &query));
    query.count = 0;
    ok(grzLeafTriangles_Find(triangles, NULL, &query));
    assert_int_equal(grzLeafTriangles_GetView(triangles).count, 0);
    grzLeafTriangles_Destroy(triangles);
    dropBody(&a), dropBody(&b);
}

// B turned and back by a pose: all triangles whose corners, turned by the host, have boxes within the margin are there. Few others are.
static void under_a_pose(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(947), 0);
    Body a = makeSheet(&rng, 17, 9), b = makeSheet(&rng, 11, 13);
    const grzTransform pose =
        grzTransform_FromQuat(grzQuat_FromAxisAngle(grzVec3_Make(0, 0.6F, 0.8F), 0.7F), grzVec3_Make(3, -1, 2));
    const grzTransform back = grzTransform_Inverse(pose);
    grzLeafTriangles* triangles = makeTriangles();
    for (int isMoving = 0; isMoving < 2; ++isMoving) {
        Leaves leaves = findLeaves(&a, &b, 0.1F);
        grzLeafTrianglesQuery query = queryOf(&a, &b, &leaves, isMoving != 0);
        query.margin = 0.1F;
        ok(grzLeafTriangles_Find(triangles, NULL, &query));
        const size_t count = grzLeafTriangles_GetView(triangles).count;
        Body turned = b;
        turned.start = take(3 * (size_t)b.vertexCount, sizeof(float));
        turned.end = take(3 * (size_t)b.vertexCount, sizeof(float));
        for (size_t i = 0; i < 3 * (size_t)b.vertexCount; i += 3) {
            grzVec3_Store(turned.start + i, grzTransform_Apply(back, grzVec3_Load(b.start + i)));
            grzVec3_Store(turned.end + i, grzTransform_Apply(back, grzVec3_Load(b.end + i)));
        }
        query.b = sideOf(&turned, isMoving != 0);
        query.poseB = &pose;
        ok(grzLeafTriangles_Find(triangles, NULL, &query));
        assert_true(grzLeafTriangles_Validate(triangles, &query));
        assert_in_range(grzLeafTriangles_GetView(triangles).count, count, count + count / 10);
        free(turned.start), free(turned.end), free(leaves.pairs);
    }
    grzLeafTriangles_Destroy(triangles);
    dropBody(&a), dropBody(&b);
}

// Records name B first, and are sorted so: those of the sides the other way round.
static void turned(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(948), 0);
    Body a = makeSheet(&rng, 17, 9), b = makeSheet(&rng, 11, 13);
    grzLeafTriangles *triangles = makeTriangles(), *others = makeTriangles();
    Leaves leaves = findLeaves(&a, &b, 0), back = findLeaves(&b, &a, 0);
    grzLeafTrianglesQuery query = queryOf(&a, &b, &leaves, true), other = queryOf(&b, &a, &back, true);
    for (size_t i = 0; i < leaves.count; ++i)
        leaves.pairs[i].t0 = 0;
    for (size_t i = 0; i < back.count; ++i)
        back.pairs[i].t0 = 0;
    query.isTurned = true;
    ok(grzLeafTriangles_Find(triangles, NULL, &query));
    ok(grzLeafTriangles_Find(others, NULL, &other));
    assert_true(grzLeafTriangles_Validate(triangles, &query));
    const grzLeafTrianglesView found = grzLeafTriangles_GetView(triangles),
                               wanted = grzLeafTriangles_GetView(others);
    assert_true(found.count == wanted.count && found.count > 100);
    assert_memory_equal(found.pairs, wanted.pairs, found.count * sizeof *found.pairs);
    grzLeafTriangles_Destroy(triangles), grzLeafTriangles_Destroy(others);
    free(leaves.pairs), free(back.pairs);
    dropBody(&a), dropBody(&b);
}

// A margin as large as floats go brings no triangle that is not there.
static void the_widest_margin(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(949), 0);
    Body a = makeSheet(&rng, 5, 3), b = makeSheet(&rng, 3, 3);
    const grzLeafPair last[] = {{7, 4, 0, 1}}; // two triangles each
    const Leaves leaves = {(grzLeafPair*)(uintptr_t)last, 1};
    grzLeafTriangles* triangles = makeTriangles();
    grzLeafTrianglesQuery query = queryOf(&a, &b, &leaves, true);
    query.margin = FLT_MAX;
    a.start[0] = FLT_MAX, b.start[0] = -FLT_MAX;
    ok(grzLeafTriangles_Find(triangles, NULL, &query));
    assert_int_equal(grzLeafTriangles_GetView(triangles).count, 4);
    assert_true(grzLeafTriangles_Validate(triangles, &query));
    grzLeafTriangles_Destroy(triangles);
    dropBody(&a), dropBody(&b);
}

static grzFlightplan* planLeaving(const float positions[9]) {
    grzFlightplanDef def = grzDefaultFlightplanDef();
    def.kind = grz_planPaths, def.vertexCount = 3;
    def.positions = def.velocities = positions;
    grzFlightplan* plan;
    ok(grzFlightplan_Create(&def, &plan));
    return plan;
}

// A triangle that comes to reach from -infinity to infinity, and one that comes to -infinity, in leaves that have no more. Each makes a
// pair with itself, with a margin and without, and none with a triangle that is not there.
static void paths_that_leave_the_range(void** state) {
    (void)state;
    const float places[2][9] = {{-3e38F, -3e38F, -3e38F, 3e38F, 3e38F, 3e38F, 1, 2, 3},
                                {-3e38F, -3e38F, -3e38F, -3e38F, -3e38F, -3e38F, -3e38F, -3e38F, -3e38F}};
    const uint32_t corners[3] = {0, 1, 2};
    const grzLeafPair one = {0, 0, 0, 1};
    grzLeafTriangles* triangles = makeTriangles();
    for (int k = 0; k < 2; ++k) {
        grzBvhDef def = grzDefaultBvhDef();
        def.positions = places[k], def.vertexCount = 3, def.triangles = corners, def.triangleCount = 1;
        grzBvh* bvh;
        ok(grzBvh_Create(&def, &bvh));
        grzFlightplan* plan = planLeaving(places[k]);
        grzLeafTrianglesQuery query = grzDefaultLeafTrianglesQuery();
        query.pairs = &one, query.count = 1;
        query.a = query.b = (grzLeafTrianglesSide){bvh, grz_bvhCallersNumbers, NULL, NULL, plan, 1};
        for (int margin = 0; margin < 2; ++margin) {
            query.margin = (float)margin;
            ok(grzLeafTriangles_Find(triangles, NULL, &query));
            const grzLeafTrianglesView view = grzLeafTriangles_GetView(triangles);
            assert_int_equal(view.count, 1);
            assert_true(view.pairs[0].triangleA == 0 && view.pairs[0].triangleB == 0);
            assert_true(grzLeafTriangles_Validate(triangles, &query));
        }
        grzFlightplan_Destroy(plan);
        grzBvh_Destroy(bvh);
    }
    grzLeafTriangles_Destroy(triangles);
}

static void same_bytes(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(944), 0);
    Body a = makeSheet(&rng, 40, 30);
    Leaves leaves = findLeaves(&a, NULL, 0);
    const grzLeafTrianglesQuery query = queryOf(&a, NULL, &leaves, true);
    grzLeafTriangles *first = makeTriangles(), *triangles = makeTriangles();
    ok(grzLeafTriangles_Find(first, NULL, &query));
    const grzLeafTrianglesView wanted = grzLeafTriangles_GetView(first);
    const grzSimdLevel usual = grzSimd_Level();
    for (uint32_t workers = 1; workers <= 8; workers = workers < 3 ? workers + 1 : workers + 5)
        for (int level = 0; level <= grz_simdNeon; ++level) {
            grzTasksDef def = grzDefaultTasksDef();
            grzTasks* tasks;
            if (!grzSimd_Supports((grzSimdLevel)level))
                continue;
            grzSimd_Force((grzSimdLevel)level);
            def.workerCount = workers;
            ok(grzTasks_Create(&def, &tasks));
            ok(grzLeafTriangles_Find(triangles, tasks, &query));
            const grzLeafTrianglesView view = grzLeafTriangles_GetView(triangles);
            assert_int_equal(view.count, wanted.count);
            assert_memory_equal(view.pairs, wanted.pairs, view.count * sizeof *view.pairs);
            grzTasks_Destroy(tasks);
        }
    grzSimd_Force(usual);
    grzLeafTriangles_Destroy(first), grzLeafTriangles_Destroy(triangles);
    free(leaves.pairs);
    dropBody(&a);
}

static void refuses(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(945), 0);
    Body a = makeSheet(&rng, 8, 8), b = makeSheet(&rng, 6, 6);
    Leaves leaves = findLeaves(&a, &b, 0);
    grzLeafTrianglesDef def = grzDefaultLeafTrianglesDef();
    grzLeafTriangles *triangles = makeTriangles(), *none;
    const grzLeafTrianglesQuery good = queryOf(&a, &b, &leaves, true);
    const grzTransform pose = grzTransform_Identity();
    grzLeafTrianglesQuery bad[12];
    ok(grzLeafTriangles_Find(triangles, NULL, &good));
    const size_t count = grzLeafTriangles_GetView(triangles).count;
    for (int i = 0; i < 12; ++i)
        bad[i] = good;
    bad[0].mark = 0;
    bad[1].a.bvh = NULL;
    bad[2].b.bvh = NULL;
    bad[3].pairs = NULL;
    bad[4].a.positions = NULL;
    bad[5].b.numbering = (grzBvhNumbering)2;
    for (int i = 0; i < 6; ++i)
        assert_int_equal(grzLeafTriangles_Find(triangles, NULL, &bad[i]).status, grz_badArgument);
    bad[8].b = (grzLeafTrianglesSide){0}, bad[8].poseB = &pose;
    bad[9].b = (grzLeafTrianglesSide){0}, bad[9].isTurned = true;
    bad[10].margin = -1;
    bad[11].margin = INFINITY;
    for (int i = 8; i < 12; ++i)
        assert_int_equal(grzLeafTriangles_Find(triangles, NULL, &bad[i]).status, grz_badArgument);
    bad[11].margin = (float)NAN;
    assert_int_equal(grzLeafTriangles_Find(triangles, NULL, &bad[11]).status, grz_notFinite);
    assert_string_equal(grzLeafTriangles_Find(triangles, NULL, &bad[11]).reason, "the margin is NaN");
    const grzLeafPair twice[] = {{1, 0, 0, 1}, {1, 0, 0, 1}}, tooLarge[] = {{0, 0, 0, 1}, {32, 0, 0, 1}};
    const grzLeafPair above[] = {{0, 1, 0, 1}, {1, 0, 0, 1}};
    bad[6].pairs = twice, bad[6].count = 2;
    assert_int_equal(grzLeafTriangles_Find(triangles, NULL, &bad[6]).status, grz_badArgument);
    assert_int_equal(grzLeafTriangles_Find(triangles, NULL, &bad[6]).index, 1);
    bad[6].pairs = tooLarge;
    assert_int_equal(grzLeafTriangles_Find(triangles, NULL, &bad[6]).status, grz_indexTooLarge);
    bad[7] = queryOf(&a, NULL, &leaves, true), bad[7].pairs = above, bad[7].count = 2;
    const grzResult wrongWay = grzLeafTriangles_Find(triangles, NULL, &bad[7]);
    assert_true(wrongWay.status == grz_badArgument && wrongWay.index == 1);
    assert_string_equal(wrongWay.reason, "leafA is above leafB, within one hierarchy");
    assert_int_equal(grzLeafTriangles_GetView(triangles).count, count);
    assert_true(grzLeafTriangles_Validate(triangles, &good));
    assert_false(grzLeafTriangles_Validate(triangles, &bad[6]));
    def.mark = 0;
    assert_int_equal(grzLeafTriangles_Create(&def, &none).status, grz_badDef);
    assert_null(none);
    grzLeafTriangles_Destroy(triangles), grzLeafTriangles_Destroy(NULL);
    free(leaves.pairs);
    dropBody(&a), dropBody(&b);
}

// Each request is refused once; then all is found, and nothing more is asked for.
static void refused_memory(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(946), 0);
    Body a = makeSheet(&rng, 12, 9), b = makeSheet(&rng, 8, 8);
    Leaves leaves = findLeaves(&a, &b, 0);
    const grzLeafTrianglesQuery query = queryOf(&a, &b, &leaves, false);
    TestMemory memory = {.failAt = SIZE_MAX};
    grzLeafTrianglesDef def = grzDefaultLeafTrianglesDef();
    def.allocator = testAllocator(&memory);
    size_t refused = 0;
    for (bool isDone = false; !isDone; ++refused) {
        grzLeafTriangles* triangles;
        memory.requests = 0, memory.failAt = refused;
        if (grzResult_IsOk(grzLeafTriangles_Create(&def, &triangles))) {
            const grzResult result = grzLeafTriangles_Find(triangles, NULL, &query);
            isDone = grzResult_IsOk(result);
            assert_true(isDone || result.status == grz_outOfMemory);
            assert_true(isDone || grzLeafTriangles_GetView(triangles).count == 0);
            memory.failAt = SIZE_MAX;
            ok(grzLeafTriangles_Find(triangles, NULL, &query));
            assert_true(grzLeafTriangles_Validate(triangles, &query));
            assert_int_equal(grzLeafTriangles_MemorySize(triangles), memory.liveBytes);
            memory.failAt = memory.requests;
            ok(grzLeafTriangles_Find(triangles, NULL, &query));
        }
        grzLeafTriangles_Destroy(triangles);
        assert_int_equal(memory.liveCount, 0);
    }
    assert_true(refused > 8);
    free(leaves.pairs);
    dropBody(&a), dropBody(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equals_brute_force),
        cmocka_unit_test(in_the_trees_numbers),
        cmocka_unit_test(without_positions),
        cmocka_unit_test(under_a_pose),
        cmocka_unit_test(turned),
        cmocka_unit_test(the_widest_margin),
        cmocka_unit_test(paths_that_leave_the_range),
        cmocka_unit_test(same_bytes),
        cmocka_unit_test(refuses),
        cmocka_unit_test(refused_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
