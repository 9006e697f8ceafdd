// ADB-trees against plain_adb over the same boxes: counts, probabilities and traversals; the octree against clipping; refits;
// resumed searches; refusals; bytes; memory that is refused.
#include "model_query_testing.h"

#include <math.h>

#include "adb_clip.h"
#include "adb_walk.h"
#include "graze/model_pair.h"
#include "plain_adb.h"
#include "refusal_testing.h"

static grzAdbTree* makeTree(const grzModel* model, uint32_t cells, grzAdbRegions regions, float areaFactor) {
    grzAdbTreeDef def = grzDefaultAdbTreeDef();
    grzAdbTree* tree = NULL;
    def.model = model, def.cellsPerAxis = cells, def.regions = regions, def.areaFactor = areaFactor;
    assert_true(grzResult_IsOk(grzAdbTree_Create(&def, &tree)));
    return tree;
}

static PlainAdb makePlain(const grzModel* model, const ModelMesh* mesh, const grzAdbTree* tree) {
    PlainAdb plain;
    const PlainAdbDef def = {tree->resolution, tree->regions, (double)tree->areaFactor, NULL, 0};
    assert_true(PlainAdb_FromModel(&plain, model, mesh->positions, def, grzDefaultAllocator()));
    assert_int_equal(plain.nodeCount, tree->boxCount);
    return plain;
}

// A similarity that brings B near A.
static grzTransform drawPose(float reach, bool isScaled) {
    grzMat3 basis = drawRotation();
    const float scale = isScaled ? draw(0.4F, 2.5F) : 1;
    const float mirror = isScaled && draw(0, 1) < 0.5F ? -1 : 1;
    basis.x = grzScale(basis.x, scale * mirror);
    basis.y = grzScale(basis.y, scale);
    basis.z = grzScale(basis.z, scale);
    return grzTransform_Make(basis, drawVector(reach));
}

static grzProbeQuery makeQuery(const grzAdbTree* a, const grzAdbTree* b, grzTransform pose) {
    grzProbeQuery query = grzDefaultProbeQuery();
    query.method = grz_probePublished;
    query.models.a = a->model, query.models.b = b->model;
    query.adb.a = a, query.adb.b = b;
    query.models.poseB = pose;
    return query;
}

// The same question; the relation is the walk's, which anyPoseIsBroughtIntoA checks.
static PlainAdbQuery plainOf(const AdbWalk* walk, const PlainAdb* a, const PlainAdb* b) {
    PlainAdbQuery query = {.a = a,
                           .b = b,
                           .scale = walk->scale,
                           .pMin = walk->pMin,
                           .kMin = walk->kMin,
                           .volume = walk->volume,
                           .sphereRatio = walk->sphereRatio};
    memcpy(query.turn, walk->turn, sizeof query.turn);
    memcpy(query.shift, walk->shift, sizeof query.shift);
    return query;
}

static uint32_t refOf(const grzAdbTree* tree, uint32_t index) {
    uint32_t level = 0;
    while (index >= tree->levelStarts[level + 1])
        level++;
    return level << ADB_LEVEL_SHIFT | (index - tree->levelStarts[level]);
}

// Meshes of every kind: closed, flat, folded, soups, without area, of one triangle and of one point.
enum { MESHES = 7 };

static ModelMesh makeKind(int kind) {
    static const ShapeKind shapes[] = {shapeTorus, shapeGrid, shapeHeap, shapeBox};
    if (kind < 4)
        return makeShapeMesh(shapes[kind], kind == 0 ? 500 : 200);
    if (kind == 4)
        return makeSoup(150, 0.3F, 0);
    if (kind == 5)
        return makeSoup(1, 0.5F, 0);
    ModelMesh point = makeMesh(3, 1);
    point.triangles[1] = 1, point.triangles[2] = 2;
    return point;
}

// ---- counts ----

static void countsAreThoseOfThePlainTree(void** state) {
    (void)state;
    g_rng = grzRng_Make(testSeed(1), 1);
    for (int kind = 0; kind < MESHES; ++kind)
        for (int way = 0; way < 4; ++way) {
            static const uint32_t cells[] = {8, 4, 8, 16};
            static const grzAdbRegions regions[] = {grz_adbNoRegions, grz_adbGridRegions, grz_adbPyramids,
                                                    grz_adbGridRegions};
            ModelMesh mesh = makeKind(kind);
            grzModel* model = makeTestModel(&mesh, grz_bvhSah);
            grzAdbTree* tree = makeTree(model, cells[way], regions[way], 0.05F);
            PlainAdb plain = makePlain(model, &mesh, tree);
            uint64_t sum = 0;
            for (uint32_t i = 0; i < tree->boxCount; ++i) {
                sum += tree->counts[i];
                assert_int_equal(tree->counts[i], (uint32_t)plain.nodes[i].count);
                for (uint32_t r = 0; r < grzAdbRegions_Count(regions[way]) && tree->regionCounts != NULL; ++r)
                    assert_true(fabs(grzAdbTree_RegionCount(tree, i, r) - plain.nodes[i].regions[r]) <=
                                (cells[way] == 16 ? 1.51 : 0));
            }
            assert_true((sum != 0) == (kind != 6)); // a point has no area
            PlainAdb_Release(&plain);
            grzAdbTree_Destroy(tree);
            grzModel_Destroy(model);
            freeMesh(&mesh);
        }
}

// Definition 1: the triangles of other nodes count as well.
static void polygonsOfTheWholeObjectCount(void** state) {
    (void)state;
    g_rng = grzRng_Make(testSeed(2), 1);
    ModelMesh mesh = makeSoup(150, 0.6F, 0); // boxes overlap widely
    grzModel* model = makeTestModel(&mesh, grz_bvhSah);
    grzAdbTree* tree = makeTree(model, 4, grz_adbNoRegions, 1e-6F);
    size_t more = 0;
    const uint32_t leaves = grzAdbTree_LevelCount(tree, tree->leafLevel);
    for (uint32_t leaf = 0; leaf < leaves; ++leaf) {
        const uint32_t ref = tree->leafLevel << ADB_LEVEL_SHIFT | leaf;
        const AdbBox box = grzAdbTree_Box(tree, ref);
        const AdbGrid grid = grzAdbGrid_Make(&box, 4, 1e-6);
        uint32_t counts[2] = {0, 0}; // of the leaf's own triangles, of all
        double areas[2][64] = {{0}};
        for (uint32_t t = 0; t < mesh.triangleCount; ++t) {
            const ModelLeaf* own = &model->leaves[leaf];
            bool isOwn = false;
            double corners[9];
            grzVec3 points[3];
            cornersOf(&mesh, t, points);
            for (int c = 0; c < 9; ++c)
                corners[c] = (double)grzVec3_Get(points[c / 3], c % 3);
            for (uint32_t k = 0; k < own->count; ++k)
                isOwn |= own->ids[k] == t;
            grzAdbGrid_Add(&grid, corners, areas[1]);
            if (isOwn)
                grzAdbGrid_Add(&grid, corners, areas[0]);
        }
        for (int cell = 0; cell < 64; ++cell)
            for (int k = 0; k < 2; ++k)
                counts[k] += areas[k][cell] > 0 && areas[k][cell] >= grid.area;
        assert_int_equal(tree->counts[grzAdbTree_Index(tree, ref)], counts[1]);
        more += counts[1] > counts[0];
    }
    assert_true(more > leaves / 2);
    grzAdbTree_Destroy(tree);
    grzModel_Destroy(model);
    freeMesh(&mesh);
}

static void boxesCostAsMuchAsThePaperAllows(void** state) {
    (void)state;
    ModelMesh mesh = makeShapeMesh(shapeTorus, 300);
    grzModel* model = makeTestModel(&mesh, grz_bvhSah);
    grzAdbTree* plain = makeTree(model, 8, grz_adbNoRegions, 0.05F);
    grzAdbTree* regions = makeTree(model, 8, grz_adbPyramids, 0.05F);
    assert_true(grzAdbTree_GetView(plain).bytesPerBox <= 8);
    assert_true(grzAdbTree_GetView(regions).bytesPerBox <= 16);
    assert_int_equal(grzAdbTree_GetView(plain).boxCount, plain->boxCount);
    assert_int_equal(grzAdbTree_GetView(plain).levelCount, plain->leafLevel + 1);
    grzAdbTree_Destroy(plain);
    grzAdbTree_Destroy(regions);
    grzModel_Destroy(model);
    freeMesh(&mesh);
}

// ---- probabilities ----

static void checkChances(const AdbWalk* walk, PlainAdbQuery* plain, int trials, size_t* positive) {
    const grzAdbTree* const* trees = walk->trees;
    for (int trial = 0; trial < trials; ++trial) {
        AdbPair pairs[8];
        uint32_t indices[8][2];
        for (int k = 0; k < 8; ++k) {
            for (int side = 0; side < 2; ++side)
                indices[k][side] = grzRng_Below(&g_rng, trees[side]->boxCount);
            pairs[k] = (AdbPair){0, refOf(trees[0], indices[k][0]), refOf(trees[1], indices[k][1])};
        }
        grzAdbWalk_Chances(walk, pairs, 8);
        for (int k = 0; k < 8; ++k) {
            const double expected = PlainAdb_Chance(plain, indices[k][0], indices[k][1]);
            if (!(fabs(pairs[k].chance - expected) <= 1e-9))
                fail_msg("boxes %u and %u: %.17g, expected %.17g", indices[k][0], indices[k][1], pairs[k].chance,
                         expected);
            *positive += expected > 0;
        }
    }
}

static void chancesAreThoseOfThePlainTree(void** state) {
    (void)state;
    size_t positive = 0;
    g_rng = grzRng_Make(testSeed(3), 1);
    for (int way = 0; way < 12; ++way) {
        static const uint32_t cells[] = {8, 4, 8};
        static const grzAdbRegions regions[] = {grz_adbNoRegions, grz_adbGridRegions, grz_adbPyramids};
        ModelMesh meshes[2] = {makeKind(way % 5), makeKind((way + 1) % 4)};
        grzModel* models[2];
        grzAdbTree* trees[2];
        PlainAdb plains[2];
        AdbWalk walk = {.allocator = grzDefaultAllocator()};
        for (int k = 0; k < 2; ++k) {
            models[k] = makeTestModel(&meshes[k], grz_bvhSah);
            trees[k] = makeTree(models[k], cells[way % 3], regions[way % 3], 0.05F);
            plains[k] = makePlain(models[k], &meshes[k], trees[k]);
        }
        grzProbeQuery query = makeQuery(trees[0], trees[1], drawPose(0.3F, true));
        query.models.poseA = drawPose(0.3F, true);
        query.adb.volume = (grzAdbVolume)(way / 3 % 4);
        assert_true(grzResult_IsOk(grzAdbWalk_Begin(&walk, &query)));
        PlainAdbQuery plain = plainOf(&walk, &plains[0], &plains[1]);
        checkChances(&walk, &plain, 100, &positive);
        grzAdbWalk_Release(&walk);
        for (int k = 0; k < 2; ++k) {
            PlainAdb_Release(&plains[k]);
            grzAdbTree_Destroy(trees[k]);
            grzModel_Destroy(models[k]);
            freeMesh(&meshes[k]);
        }
    }
    assert_true(positive > 300);
}

// Equations 2 to 5 as closed forms: one triangle, whose leaf is larger than the other box.
static void leavesAreCorrectedByTheirSize(void** state) {
    (void)state;
    g_rng = grzRng_Make(testSeed(4), 1);
    ModelMesh mesh = makeKind(5);
    grzModel* model = makeTestModel(&mesh, grz_bvhSah);
    grzAdbTree* tree = makeTree(model, 8, grz_adbNoRegions, 0.05F);
    for (int trial = 0; trial < 50; ++trial) {
        AdbWalk walk = {.allocator = grzDefaultAllocator()};
        const float scale = draw(0.1F, 0.9F);
        grzTransform pose = drawPose(0, false);
        pose.basis.x = grzScale(pose.basis.x, scale);
        pose.basis.y = grzScale(pose.basis.y, scale);
        pose.basis.z = grzScale(pose.basis.z, scale);
        const grzProbeQuery query = makeQuery(tree, tree, pose);
        assert_true(grzResult_IsOk(grzAdbWalk_Begin(&walk, &query)));
        const uint32_t leaf = 1u << ADB_LEVEL_SHIFT;
        const AdbParameters found = grzAdbWalk_Parameters(&walk, leaf, leaf);
        if (found.s > 0) {
            // B is the smaller: s and s_B are one share of its cells, s_A one of A's in cells of B's size.
            const double ratio = 1 / (walk.scale * walk.scale * walk.scale);
            const double part = found.s / 512, count = tree->counts[1];
            assert_true(fabs(found.sB - part * count) <= 1e-9 * count);
            assert_true(fabs(found.sA - part / ratio * count * ratio / cbrt(ratio)) <= 1e-9 * count);
            assert_true(found.lower == 1);
        }
        grzAdbWalk_Release(&walk);
    }
    grzAdbTree_Destroy(tree);
    grzModel_Destroy(model);
    freeMesh(&mesh);
}

static void anyPoseIsBroughtIntoA(void** state) {
    (void)state;
    g_rng = grzRng_Make(testSeed(5), 1);
    ModelMesh mesh = makeKind(5);
    grzModel* model = makeTestModel(&mesh, grz_bvhSah);
    grzAdbTree* tree = makeTree(model, 8, grz_adbNoRegions, 0.05F);
    for (int trial = 0; trial < 100; ++trial) {
        AdbWalk walk = {.allocator = grzDefaultAllocator()};
        grzProbeQuery query = makeQuery(tree, tree, drawPose(1, true));
        query.models.poseA = drawPose(1, true);
        assert_true(grzResult_IsOk(grzAdbWalk_Begin(&walk, &query)));
        const grzVec3 p = drawVector(1);
        float inA[3];
        for (int i = 0; i < 3; ++i)
            inA[i] = (float)(walk.scale * (walk.turn[i][0] * (double)p.x + walk.turn[i][1] * (double)p.y +
                                           walk.turn[i][2] * (double)p.z) +
                             walk.shift[i]);
        const grzVec3 there = grzTransform_Apply(query.models.poseA, grzVec3_Load(inA));
        assert_true(grzLength(grzSub(there, grzTransform_Apply(query.models.poseB, p))) <= 1e-4F);
        grzAdbWalk_Release(&walk);
    }
    grzAdbTree_Destroy(tree);
    grzModel_Destroy(model);
    freeMesh(&mesh);
}

// ---- the queue ----

static int comparePairs(const void* p, const void* q) {
    const AdbPair *a = p, *b = q;
    if (a->chance != b->chance)
        return a->chance > b->chance ? -1 : 1;
    return a->a != b->a ? (a->a < b->a ? -1 : 1) : a->b < b->b ? -1 : a->b > b->b;
}

static void queueIsInOrder(void** state) {
    (void)state;
    enum { MOST = 500 };
    const grzAllocator allocator = grzDefaultAllocator();
    AdbQueue queue = {0};
    AdbPair sorted[MOST], peeked[80];
    g_rng = grzRng_Make(testSeed(6), 1);
    assert_true(grzArray_Reserve(&queue, &allocator, MOST));
    for (size_t count = 0; count < MOST; ++count) {
        // Few different chances, so that pairs decide.
        sorted[count] = (AdbPair){grzRng_Below(&g_rng, 8) / 8.0, grzRng_Below(&g_rng, 9), (uint32_t)count};
        grzAdbQueue_Push(&queue, sorted[count]);
    }
    qsort(sorted, MOST, sizeof *sorted, comparePairs);
    for (size_t i = 0; i < MOST; ++i) {
        const uint32_t count = grzAdbQueue_Peek(&queue, peeked, 80);
        assert_int_equal(count, MOST - i < 64 ? MOST - i : 64);
        assert_memory_equal(peeked, sorted + i, count * sizeof *peeked);
        assert_int_equal(grzAdbQueue_Peek(&queue, peeked, 3), MOST - i < 3 ? MOST - i : 3);
        const AdbPair pair = grzAdbQueue_Pop(&queue);
        assert_memory_equal(&pair, &sorted[i], sizeof pair);
    }
    assert_int_equal(queue.count, 0);
    grzArray_Release(&queue, &allocator);
}

// ---- walks ----

static void walksAreThoseOfThePlainTree(void** state) {
    (void)state;
    size_t touching = 0;
    g_rng = grzRng_Make(testSeed(7), 1);
    ModelMesh meshes[2] = {makeKind(0), makeKind(5)};
    for (int other = 0; other < 2; ++other) { // the second time, of a single leaf, which is never opened
        grzModel* models[2] = {makeTestModel(&meshes[0], grz_bvhSah), makeTestModel(&meshes[other], grz_bvhSah)};
        grzAdbTree* trees[2];
        PlainAdb plains[2];
        for (int k = 0; k < 2; ++k) {
            trees[k] = makeTree(models[k], 8, grz_adbNoRegions, 0.05F);
            plains[k] = makePlain(models[k], &meshes[k == 0 ? 0 : other], trees[k]);
        }
        for (int trial = 0; trial < 24; ++trial) {
            AdbWalk walk = {.allocator = grzDefaultAllocator()};
            grzProbeQuery query = makeQuery(trees[0], trees[1], drawPose(0.8F, false));
            query.adb.pMin = 0.9F;
            query.adb.kMin = trial % 2 == 0 ? 1 + grzRng_Below(&g_rng, 10) : 1000000; // every pair is opened
            bool touches;
            assert_true(grzResult_IsOk(grzAdbWalk_Begin(&walk, &query)));
            PlainAdbQuery plain = plainOf(&walk, &plains[0], &plains[1]);
            assert_true(grzResult_IsOk(grzAdbWalk_Continue(&walk, UINT64_MAX)));
            assert_true(PlainAdb_Walk(&plain, &touches));
            assert_true(walk.isFinished);
            assert_int_equal(walk.touches, touches);
            assert_int_equal(walk.found, plain.found);
            // Chances that are off by 1e-12 may be taken in another order.
            assert_true(touches || (walk.steps == plain.steps && walk.chances == plain.chances));
            touching += touches;
            grzAdbWalk_Release(&walk);
        }
        for (int k = 0; k < 2; ++k) {
            PlainAdb_Release(&plains[k]);
            grzAdbTree_Destroy(trees[k]);
            grzModel_Destroy(models[k]);
        }
    }
    assert_in_range(touching, 4, 20);
    freeMesh(&meshes[0]);
    freeMesh(&meshes[1]);
}

typedef struct Fixture {
    ModelMesh mesh;
    grzModel* model;
    grzAdbTree* tree;
} Fixture;

static Fixture makeFixture(int kind) {
    Fixture fixture = {.mesh = makeKind(kind)};
    fixture.model = makeTestModel(&fixture.mesh, grz_bvhSah);
    fixture.tree = makeTree(fixture.model, 8, grz_adbNoRegions, 0.05F);
    return fixture;
}

static void freeFixture(Fixture* fixture) {
    grzAdbTree_Destroy(fixture->tree);
    grzModel_Destroy(fixture->model);
    freeMesh(&fixture->mesh);
}

// ---- the octree ----

static uint32_t countByClipping(const ModelMesh* mesh, const AdbBox* box, uint32_t n, double factor) {
    uint32_t count = 0;
    const AdbGrid grid = grzAdbGrid_Make(box, n, factor);
    for (uint32_t cell = 0; cell < n * n * n; ++cell) {
        const uint32_t at[3] = {cell % n, cell / n % n, cell / n / n};
        double lower[3], upper[3], area = 0;
        for (int i = 0; i < 3; ++i) {
            lower[i] = grid.lower[i] + at[i] * grid.step[i];
            upper[i] = grid.lower[i] + (at[i] + 1) * grid.step[i];
        }
        for (size_t t = 0; t < mesh->triangleCount; ++t) {
            grzVec3 points[3];
            double corners[9];
            cornersOf(mesh, t, points);
            for (int c = 0; c < 9; ++c)
                corners[c] = (double)grzVec3_Get(points[c / 3], c % 3);
            area += clippedArea(corners, lower, upper);
        }
        count += area > 0 && area >= grid.area;
    }
    return count;
}

static double areaInBox(const ModelMesh* mesh, const double lower[3], const double upper[3], uint32_t* triangles) {
    double sum = 0;
    *triangles = 0;
    for (size_t t = 0; t < mesh->triangleCount; ++t) {
        grzVec3 points[3];
        double corners[9];
        cornersOf(mesh, t, points);
        for (int c = 0; c < 9; ++c)
            corners[c] = (double)grzVec3_Get(points[c / 3], c % 3);
        const double area = clippedArea(corners, lower, upper);
        sum += area;
        *triangles += area > 0;
    }
    return sum;
}

static void octreeHoldsTheMesh(void** state) {
    (void)state;
    g_rng = grzRng_Make(testSeed(11), 1);
    ModelMesh mesh = makeSoup(60, 0.5F, 0);
    grzModel* model = makeTestModel(&mesh, grz_bvhSah);
    grzAdbTreeDef def = grzDefaultAdbTreeDef();
    grzAdbTree* tree = NULL;
    def.model = model, def.shape = grz_adbOctree, def.cellsPerAxis = 4;
    assert_true(grzResult_IsOk(grzAdbTree_Create(&def, &tree)));
    grzModel_Destroy(model); // an octree does not need it any more
    double inLeaves = 0;
    uint32_t all;
    const double everywhere[2][3] = {{-9, -9, -9}, {9, 9, 9}};
    for (uint32_t i = 0; i < tree->boxCount; ++i) {
        const AdbCube* cube = &tree->cubes.data[i];
        const AdbBox box = grzAdbTree_Box(tree, i);
        double lower[3], upper[3];
        uint32_t triangles;
        for (int k = 0; k < 3; ++k)
            lower[k] = box.center[k] - box.half[k], upper[k] = box.center[k] + box.half[k];
        const double area = areaInBox(&mesh, lower, upper, &triangles);
        if (i % 50 == 0)
            assert_int_equal(tree->counts[i], countByClipping(&mesh, &box, 4, (double)def.areaFactor));
        if (cube->childCount != 0) {
            assert_true(i == 0 || triangles > 4);
            assert_int_equal(tree->cubes.data[cube->firstChild].level, cube->level + 1);
            assert_true(tree->cubes.data[cube->firstChild].half == 0.5F * cube->half);
            continue;
        }
        assert_true(triangles <= 4 || cube->level == 8);
        inLeaves += area;
    }
    // Cubes are in floats, so that they do not quite fill their parent.
    const double expected = areaInBox(&mesh, everywhere[0], everywhere[1], &all);
    assert_true(fabs(inLeaves - expected) <= 1e-5 * expected);
    assert_int_equal(grzAdbTree_GetView(tree).chunkCount, 0);
    grzAdbTree_Destroy(tree);
    freeMesh(&mesh);
}

static void assertSameCounts(const grzAdbTree* a, const grzAdbTree* b) {
    assert_int_equal(a->boxCount, b->boxCount);
    assert_memory_equal(a->counts, b->counts, a->boxCount * sizeof *a->counts);
    assert_memory_equal(a->regionCounts, b->regionCounts, a->boxCount * sizeof *a->regionCounts);
}

// ---- bytes, memory, refusals ----

typedef struct Bytes {
    const grzModel* model;
    const grzAdbTree* expected;
} Bytes;

static void makeWithWorkers(grzTasks* tasks, void* context) {
    const Bytes* bytes = context;
    grzAdbTreeDef def = grzDefaultAdbTreeDef();
    grzAdbTree* tree = NULL;
    def.model = bytes->model, def.tasks = tasks, def.regions = grz_adbPyramids;
    def.areaFactor = bytes->expected->areaFactor;
    assert_true(grzResult_IsOk(grzAdbTree_Create(&def, &tree)));
    assertSameCounts(tree, bytes->expected);
    tree->revision = 0; // as if never looked at
    memset(tree->counts, 0, tree->boxCount * sizeof *tree->counts);
    assert_int_equal(grzAdbTree_Refresh(tree, tasks, UINT32_MAX), 0);
    assertSameCounts(tree, bytes->expected);
    grzAdbTree_Destroy(tree);
}

static void sameBytesEverywhere(void** state) {
    (void)state;
    ModelMesh mesh = makeShapeMesh(shapeTorus, 700);
    grzModel* model = makeTestModel(&mesh, grz_bvhSah);
    grzAdbTree* tree = makeTree(model, 8, grz_adbPyramids, 0.05F);
    Bytes bytes = {.model = model, .expected = tree};
    forEachLevelAndWorkerCount(makeWithWorkers, &bytes);
    grzAdbTree_Destroy(tree);
    grzModel_Destroy(model);
    freeMesh(&mesh);
}

static const grzModel* g_model;

static void makeTrees(void) {
    for (int shape = 0; shape < 2; ++shape) {
        grzAdbTreeDef def = grzDefaultAdbTreeDef();
        grzAdbTree* tree;
        def.model = g_model, def.shape = (grzAdbShape)shape, def.regions = grz_adbPyramids, def.cellsPerAxis = 4;
        def.allocator = refusingAllocator();
        MAKE(&tree, grzAdbTree_Create(&def, &tree), tree == NULL || grzAdbTree_Validate(tree));
        if (tree != NULL)
            noteBytes(tree->counts, tree->boxCount * sizeof *tree->counts);
        grzAdbTree_Destroy(tree);
    }
}

static void refusedMemoryChangesNothing(void** state) {
    (void)state;
    ModelMesh mesh = makeShapeMesh(shapeTorus, 60);
    grzModel* model = makeTestModel(&mesh, grz_bvhSah);
    g_model = model;
    testRefusals(&(RefusalScript){"trees", makeTrees, 3});
    grzModel_Destroy(model);
    freeMesh(&mesh);
}

static void wrongCountsAreNoticed(void** state) {
    (void)state;
    Fixture fixture = makeFixture(0);
    assert_true(grzAdbTree_Validate(fixture.tree));
    fixture.tree->counts[7]++;
    assert_false(grzAdbTree_Validate(fixture.tree));
    fixture.mesh.positions[0] += 0.01F;
    assert_true(grzResult_IsOk(grzModel_Refit(fixture.model, NULL, fixture.mesh.positions, 0)));
    grzAdbTree_Refresh(fixture.tree, NULL, UINT32_MAX);
    assert_true(grzAdbTree_Validate(fixture.tree));
    freeFixture(&fixture);
}

static void badDefsAreRefused(void** state) {
    (void)state;
    Fixture fixture = makeFixture(5);
    for (int flaw = 0; flaw < 9; ++flaw) {
        grzAdbTreeDef def = grzDefaultAdbTreeDef();
        grzAdbTree* tree = fixture.tree;
        def.model = flaw == 1 ? NULL : fixture.model;
        def.mark += flaw == 0;
        def.cellsPerAxis = flaw == 2 ? 5 : flaw == 3 ? 32 : 8;
        def.areaFactor = flaw == 4 ? 0 : flaw == 5 ? NAN : 0.05F;
        def.shape = flaw == 6 ? (grzAdbShape)7 : grz_adbOfModel;
        def.regions = flaw == 7 ? (grzAdbRegions)7 : grz_adbNoRegions;
        def.allocator.allocate = flaw == 8 ? testAllocate : NULL;
        assert_int_equal(grzAdbTree_Create(&def, &tree).status, flaw == 0 ? grz_badDef : grz_badArgument);
        assert_null(tree);
    }
    freeFixture(&fixture);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(countsAreThoseOfThePlainTree),
        cmocka_unit_test(polygonsOfTheWholeObjectCount),
        cmocka_unit_test(boxesCostAsMuchAsThePaperAllows),
        cmocka_unit_test(chancesAreThoseOfThePlainTree),
        cmocka_unit_test(leavesAreCorrectedByTheirSize),
        cmocka_unit_test(anyPoseIsBroughtIntoA),
        cmocka_unit_test(queueIsInOrder),
        cmocka_unit_test(walksAreThoseOfThePlainTree),
        cmocka_unit_test(octreeHoldsTheMesh),
        cmocka_unit_test(sameBytesEverywhere),
        cmocka_unit_test(refusedMemoryChangesNothing),
        cmocka_unit_test(wrongCountsAreNoticed),
        cmocka_unit_test(badDefsAreRefused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
