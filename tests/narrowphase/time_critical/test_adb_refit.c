// ADB-trees of models that are refit: which counts are stale, and that counts that were taken again are those of a new tree.
#include "model_query_testing.h"

#include <math.h>

#include "adb_inside.h"

typedef struct Refitting {
    ModelMesh mesh;
    grzModel* model;
    grzAdbTree* tree;
    grzAdbTreeDef def;
} Refitting;

static grzAdbTree* makeTree(const grzAdbTreeDef* def) {
    grzAdbTree* tree = NULL;
    assert_true(grzResult_IsOk(grzAdbTree_Create(def, &tree)));
    return tree;
}

static Refitting makeRefitting(ModelMesh mesh, grzAdbRegions regions) {
    Refitting refitting = {.mesh = mesh, .model = makeTestModel(&mesh, grz_bvhSah), .def = grzDefaultAdbTreeDef()};
    refitting.def.model = refitting.model;
    refitting.def.cellsPerAxis = 4;
    refitting.def.regions = regions;
    refitting.def.areaFactor = 1e-5F; // whatever comes into a cell counts
    refitting.tree = makeTree(&refitting.def);
    return refitting;
}

static void freeRefitting(Refitting* refitting) {
    grzAdbTree_Destroy(refitting->tree);
    grzModel_Destroy(refitting->model);
    freeMesh(&refitting->mesh);
}

static void refit(Refitting* refitting) {
    assert_true(grzResult_IsOk(grzModel_Refit(refitting->model, NULL, refitting->mesh.positions, 0)));
}

static size_t countDifferences(const grzAdbTree* tree, const grzAdbTree* fresh) {
    size_t count = 0;
    for (uint32_t i = 0; i < tree->boxCount; ++i)
        count += tree->counts[i] != fresh->counts[i] ||
                 (tree->regionCounts != NULL &&
                  memcmp(&tree->regionCounts[i], &fresh->regionCounts[i], sizeof fresh->regionCounts[i]) != 0);
    return count;
}

static void assertFresh(const Refitting* refitting) {
    grzAdbTree* fresh = makeTree(&refitting->def);
    assert_int_equal(countDifferences(refitting->tree, fresh), 0);
    grzAdbTree_Destroy(fresh);
}

// ---- random refits ----

// Closed, islands, with triangles that are points, with a few that are far larger or far away, nearly flat, and in islands that are
// hardly more than points.
enum { KINDS = 6, ISLANDS = 5 };

static ModelMesh drawMesh(uint32_t kind) {
    const uint32_t count = 1500 + grzRng_Below(&g_rng, 3000);
    ModelMesh mesh = kind == 0 ? makeShapeMesh(shapeTorus, 2 * count) : makeSoup(count, draw(0.01F, 0.1F), 0);
    for (size_t v = 0; v < mesh.vertexCount; ++v) {
        float* p = mesh.positions + 3 * v;
        if ((kind == 2 || kind == 5) && v / 3 % 4 == 0)
            memcpy(p, mesh.positions + v / 3 * 9, 3 * sizeof *p);
        if (kind == 3 && v % 400 == 0)
            p[v % 3] *= 40;
        if (kind == 4)
            p[1] *= 1e-7F;
        for (size_t i = 0; i < 3 && kind % 4 == 1; ++i)
            p[i] = (kind == 1 ? 0.03F : 1e-6F) * p[i] + (float)(v / 3 % ISLANDS * (i + 1)) / (ISLANDS * 4);
    }
    return mesh;
}

// An island, onto another or a little.
static void moveIsland(ModelMesh* mesh, float size) {
    const uint32_t island = grzRng_Below(&g_rng, ISLANDS);
    const float steps = grzRng_Below(&g_rng, 2) == 0 ? 0 : (float)grzRng_Below(&g_rng, 3) - 1;
    const grzVec3 shift = drawVector(size);
    for (size_t v = 0; v < mesh->vertexCount; ++v)
        for (size_t i = 0; i < 3 && v / 3 % ISLANDS == island; ++i)
            mesh->positions[3 * v + i] += grzVec3_Get(shift, (int)i) + steps * (float)(i + 1) / (ISLANDS * 4);
}

// The triangles near one, so that few chunks move; now and then all.
static void moveVertices(ModelMesh* mesh) {
    const uint32_t how = grzRng_Below(&g_rng, 7), count = (uint32_t)mesh->vertexCount;
    float center[3];
    memcpy(center, mesh->positions + 3 * (size_t)grzRng_Below(&g_rng, count), sizeof center);
    const float radius = draw(0.02F, 0.3F), by = draw(0.001F, 0.8F), scale = draw(0.3F, 2);
    const grzVec3 shift = drawVector(by);
    for (size_t v = 0; v < count; ++v) {
        float* p = mesh->positions + 3 * v;
        const bool isNear = fabsf(p[0] - center[0]) + fabsf(p[1] - center[1]) + fabsf(p[2] - center[2]) < radius;
        for (int i = 0; i < 3 && (isNear || how == 5); ++i)
            p[i] += how == 0   ? grzVec3_Get(shift, i)
                    : how == 1 ? (p[i] - center[i]) * scale
                    : how == 2 ? center[i] - p[i]    // to one point
                    : how == 3 ? (i == 0 ? 3 : 0.0F) // the box of all grows
                    : how == 4 ? draw(-by, by)
                    : how == 5 ? 0.01F * sinf(9 * p[i])
                               : 0; // nothing moves
    }
}

static void refitsOfAnyKindAreNoticed(void** state) {
    (void)state;
    g_rng = grzRng_Make(testSeed(1), 1);
    for (uint32_t scenario = 0; scenario < 54; ++scenario) {
        Refitting refitting = makeRefitting(drawMesh(scenario % KINDS), (grzAdbRegions)(scenario / KINDS % 3));
        for (uint32_t refits = 1 + grzRng_Below(&g_rng, 4); refits > 0; --refits) {
            if (scenario % KINDS % 4 == 1)
                moveIsland(&refitting.mesh, scenario % KINDS == 1 ? 0.03F : 1e-6F);
            else
                moveVertices(&refitting.mesh);
            refit(&refitting);
            if (grzRng_Below(&g_rng, 2) == 0)
                grzAdbTree_Refresh(refitting.tree, NULL, 1 + grzRng_Below(&g_rng, 5));
        }
        while (grzAdbTree_Refresh(refitting.tree, NULL, 3) != 0)
            continue;
        assertFresh(&refitting);
        freeRefitting(&refitting);
    }
}

// ---- which are stale ----

// Lifts one corner of a torus, so that some chunks move and others do not.
static void lift(ModelMesh* mesh, float by, uint8_t* moved) {
    for (size_t v = 0; v < mesh->vertexCount; ++v) {
        float* p = mesh->positions + 3 * v;
        moved[v] = p[0] > 0.6F;
        p[1] += moved[v] ? by * (p[0] - 0.6F) : 0;
    }
}

static void chunksOf(const grzModel* model, const uint8_t* moved, uint64_t* bits) {
    const grzBvhView view = grzBvh_GetView(grzModel_GetView(model).bvh);
    for (uint32_t i = 0; i < 3 * view.triangleCount; ++i)
        if (moved[view.vertexToCaller[view.triangles[i]]])
            bits[i / 3 / GRZ_BVH_CHUNK_TRIANGLES / 64] |= (uint64_t)1 << i / 3 / GRZ_BVH_CHUNK_TRIANGLES % 64;
}

static void someChunksAreStale(void** state) {
    (void)state;
    Refitting refitting = makeRefitting(makeShapeMesh(shapeTorus, 8000), grz_adbGridRegions);
    grzAdbTree* tree = refitting.tree;
    const uint32_t chunks = grzAdbTree_GetView(tree).chunkCount;
    assert_int_equal(chunks, (refitting.mesh.triangleCount + 255) / 256);
    assert_int_equal(grzAdbTree_GetView(tree).staleCount, 0);
    refit(&refitting);
    assert_int_equal(grzAdbTree_GetView(tree).staleCount, 0); // nothing has moved
    for (int round = 0; round < 3; ++round) {
        uint8_t* moved = calloc(refitting.mesh.vertexCount, 1);
        uint64_t bits[8] = {0};
        lift(&refitting.mesh, round == 1 ? -0.2F : 0.1F, moved);
        chunksOf(refitting.model, moved, bits);
        free(moved);
        refit(&refitting);
        assert_true(grzAdbTree_Validate(tree)); // notices as well
        const grzAdbTreeView view = grzAdbTree_GetView(tree);
        uint32_t stale = view.staleCount;
        // Every chunk that moved, the boxes above, and not all others.
        for (uint32_t c = 0; c < chunks; ++c)
            assert_true((bits[c / 64] >> c % 64 & 1) == 0 || (view.stale[c / 64] >> c % 64 & 1) != 0);
        assert_true((view.stale[chunks / 64] >> chunks % 64 & 1) != 0);
        assert_true(stale > 4 && stale < chunks * 3 / 4);
        assert_int_equal(grzAdbTree_Refresh(tree, NULL, 0), stale);
        while (stale != 0) {
            const uint32_t left = grzAdbTree_Refresh(tree, NULL, 5);
            assert_true(left < stale && stale - left <= 6);
            stale = left;
            assert_int_equal(grzAdbTree_GetView(tree).staleCount, stale);
        }
        assertFresh(&refitting);
    }
    freeRefitting(&refitting);
}

// One of three islands comes onto another one, which is so made stale, and goes again, with other shapes.
static void whatComesAndGoesIsNoticed(void** state) {
    (void)state;
    g_rng = grzRng_Make(testSeed(2), 1);
    ModelMesh mesh = makeSoup(1536, 0.3F, 0);
    for (size_t v = 0; v < mesh.vertexCount; ++v)
        mesh.positions[3 * v] += 10 + (float)(v / (512 * 3)) * 10; // the third stays, and with it the box of all
    Refitting refitting = makeRefitting(mesh, grz_adbNoRegions);
    for (int round = 0; round < 2; ++round) {
        for (size_t v = 512 * 3; v < 2 * 512 * 3; ++v)
            mesh.positions[3 * v] += round == 0 ? -10 : 10;
        refit(&refitting);
        const grzAdbTreeView view = grzAdbTree_GetView(refitting.tree);
        assert_true(view.staleCount >= 5 &&
                    view.staleCount < view.chunkCount + 1); // both islands, and what is above
        assert_int_equal(grzAdbTree_Refresh(refitting.tree, NULL, UINT32_MAX), 0);
        assertFresh(&refitting);
    }
    freeRefitting(&refitting);
}

// Another order of the triangles.
static void rebuildsAreNoticed(void** state) {
    (void)state;
    Refitting refitting = makeRefitting(makeShapeMesh(shapeTorus, 3000), grz_adbNoRegions);
    grzModelDef def = grzDefaultModelDef();
    for (size_t v = 0; v < refitting.mesh.vertexCount; ++v)
        refitting.mesh.positions[3 * v] *= 9;
    def.builder = grz_bvhMorton;
    def.positions = refitting.mesh.positions, def.vertexCount = refitting.mesh.vertexCount;
    def.triangles = refitting.mesh.triangles, def.triangleCount = refitting.mesh.triangleCount;
    assert_true(grzResult_IsOk(grzModel_Rebuild(refitting.model, &def)));
    const grzAdbTreeView view = grzAdbTree_GetView(refitting.tree);
    assert_int_equal(view.staleCount, view.chunkCount + 1);
    assert_int_equal(grzAdbTree_Refresh(refitting.tree, NULL, UINT32_MAX), 0);
    assertFresh(&refitting);
    freeRefitting(&refitting);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(someChunksAreStale),
        cmocka_unit_test(whatComesAndGoesIsNoticed),
        cmocka_unit_test(rebuildsAreNoticed),
        cmocka_unit_test(refitsOfAnyKindAreNoticed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
