// Model pairs over the real meshes of GRAZE_DATA: each small one against a copy of itself and against another mesh, at
// random poses, gives the pairs that a sweep over all its triangles gives; and a mesh of nothing but triangles without
// area is no trouble. GRAZE_MODEL_TRIANGLES takes larger meshes in.
#include "file_testing.h"
#include "model_testing.h"

#include "mesh_read.h"
#include "rng.h"

enum { MOST_TRIANGLES = 21000, POSES = 4 };

static grzRng g_rng;
static size_t g_pairs, g_mostTriangles = MOST_TRIANGLES;

static ModelMesh loadMesh(const char* path) {
    FileError error;
    MeshData data;
    if (!readMesh(path, (grzAllocator){0}, &data, &error))
        fail_msg("%s", error.text);
    return takeMeshData(&data);
}

static grzVec3 drawVector(void) {
    const float x = 2 * grzRng_Float(&g_rng) - 1, y = 2 * grzRng_Float(&g_rng) - 1;
    return grzVec3_Make(x, y, 2 * grzRng_Float(&g_rng) - 1);
}

// The box's middle comes to the origin, and its longest side to length 1.
static grzTransform normalize(grzBox box) {
    const grzVec3 size = grzSub(box.upper, box.lower);
    const float scale = 1 / grzMaxElement(size);
    const grzVec3 middle = grzLerp(box.lower, box.upper, 0.5F);
    return grzTransform_Make(grzMat3_ScaleColumns(grzMat3_Identity(), grzVec3_Splat(scale)),
                             grzScale(middle, -scale));
}

static grzTransform drawPose(const grzModel* model) {
    const grzVec3 v = drawVector();
    const grzQuat q = grzQuat_Normalize(grzQuat_Make(v.x, v.y, v.z, grzRng_Float(&g_rng)));
    const grzTransform turn = grzTransform_Make(grzMat3_FromQuat(q), grzScale(drawVector(), 0.4F));
    return grzTransform_Multiply(turn, normalize(grzModel_GetView(model).box));
}

static void comparePairs(const ModelMesh* a, const ModelMesh* b, const grzModel* modelA, const grzModel* modelB) {
    grzModelPairs* pairs;
    assert_true(grzResult_IsOk(grzModelPairs_Create((grzAllocator){0}, &pairs)));
    for (int pose = 0; pose < POSES; ++pose) {
        grzModelQuery query = grzDefaultModelQuery();
        query.a = modelA, query.b = modelB;
        query.poseA = drawPose(modelA), query.poseB = drawPose(modelB);
        Expected expected = findExpected(a, b, &query);
        assert_true(grzResult_IsOk(grzModelPairs_Find(pairs, &query)));
        const grzModelPairsView view = grzModelPairs_GetView(pairs);
        assert_int_equal(view.count, expected.count);
        for (size_t i = 0; i < view.count; ++i)
            assert_true(keyOf(&view.pairs[i]) == expected.keys[i]);
        bool touches = expected.count == 0;
        assert_true(grzResult_IsOk(grzModels_Touch(&query, &touches, NULL)));
        assert_int_equal(touches, expected.count != 0);
        g_pairs += expected.count;
        free(expected.keys);
    }
    grzModelPairs_Destroy(pairs);
}

static void checkMesh(const char* path) {
    ModelMesh mesh = loadMesh(path);
    if (mesh.triangleCount <= g_mostTriangles) {
        ModelMesh other = makeMesh(4, 4); // a tetrahedron
        static const uint32_t faces[12] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
        memcpy(other.triangles, faces, sizeof faces);
        for (size_t i = 0; i < 3; ++i)
            other.positions[3 * (i + 1) + i] = 1;
        grzModel *model = makeModel(&mesh), *otherModel = makeModel(&other);
        comparePairs(&mesh, &mesh, model, model);
        comparePairs(&mesh, &other, model, otherModel);
        comparePairs(&other, &mesh, otherModel, model);
        grzModel_Destroy(model), grzModel_Destroy(otherModel);
        freeMesh(&other);
    }
    freeMesh(&mesh);
}

static void realMeshesGiveThePairsOfASweep(void** state) {
    (void)state;
    g_rng = grzRng_Make(testSeed(1), 0);
    const char* most = getenv("GRAZE_MODEL_TRIANGLES");
    if (most != NULL)
        g_mostTriangles = strtoull(most, NULL, 10);
    testEachDataFile("static/*.obj", checkMesh);
    testEachDataFile("static/*.ply", checkMesh);
    assert_true(g_pairs > 10000); // or the poses are no test
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(realMeshesGiveThePairsOfASweep)};
    return cmocka_run_group_tests_name("model_mesh", tests, NULL, NULL);
}
