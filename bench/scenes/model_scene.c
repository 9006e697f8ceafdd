// What: see model_scene.h.
#include "model_scene.h"

#include <math.h>
#include <string.h>

#include "bench_inputs.h"
#include "rng.h"

// ---- the mesh ----

static double coordinate(const MeshData* mesh, size_t i) {
    return mesh->isDouble ? ((const double*)mesh->positions)[i] : (double)((const float*)mesh->positions)[i];
}

// The middle of the vertices' range on an axis; the scene's size grows by it.
static double middle(const MeshData* mesh, size_t axis, ModelScene* scene) {
    double lower = (double)INFINITY, upper = -(double)INFINITY;
    for (size_t v = 0; v < mesh->vertexCount; ++v) {
        const double x = coordinate(mesh, 3 * v + axis);
        lower = x < lower ? x : lower;
        upper = x > upper ? x : upper;
    }
    scene->size = (float)(upper - lower) > scene->size ? (float)(upper - lower) : scene->size;
    return 0.5 * (lower + upper);
}

static bool copyMesh(Bench* bench, const MeshData* mesh, ModelScene* scene) {
    scene->vertexCount = mesh->vertexCount;
    scene->triangleCount = mesh->triangleCount;
    scene->positions = Bench_Allocate(bench, 3 * mesh->vertexCount, sizeof *scene->positions);
    scene->triangles = Bench_Allocate(bench, 3 * mesh->triangleCount, sizeof *scene->triangles);
    if (scene->positions == NULL || scene->triangles == NULL)
        return false;
    memcpy(scene->triangles, mesh->indices, 3 * mesh->triangleCount * sizeof *scene->triangles);
    for (size_t axis = 0; axis < 3; ++axis) {
        const double center = middle(mesh, axis, scene);
        for (size_t v = 0; v < mesh->vertexCount; ++v)
            scene->positions[3 * v + axis] = (float)(coordinate(mesh, 3 * v + axis) - center);
    }
    return true;
}

// ---- poses ----

// [Shoemake, Uniform Random Rotations, Graphics Gems III]
static grzMat3 drawRotation(grzRng* rng) {
    const float u = grzRng_Float(rng), turn = 6.2831853F;
    const float p = turn * grzRng_Float(rng), q = turn * grzRng_Float(rng);
    const float s = sqrtf(1 - u), t = sqrtf(u);
    return grzMat3_FromQuat(grzQuat_Make(s * grzSin(p), s * grzCos(p), t * grzSin(q), t * grzCos(q)));
}

static grzVec3 drawOrigin(grzRng* rng) {
    const float x = grzRng_Float(rng) - 0.5F, y = grzRng_Float(rng) - 0.5F;
    return grzVec3_Make(x, y, grzRng_Float(rng) - 0.5F);
}

// For a cube of side 1; scaled by setSide.
static void drawPoses(ModelScene* scene, grzTransform* unit) {
    grzRng rng = grzRng_Make(2, 7);
    for (size_t i = 0; i < 2 * scene->queryCount; ++i) {
        const grzMat3 rotation = drawRotation(&rng);
        unit[i] = grzTransform_Make(rotation, drawOrigin(&rng));
    }
}

static bool setSide(Bench* bench, ModelScene* scene, const grzTransform* unit, float side) {
    scene->hits = 0;
    for (size_t i = 0; i < scene->queryCount; ++i) {
        grzModelQuery* query = &scene->queries[i];
        bool touches;
        *query = grzDefaultModelQuery();
        query->a = query->b = scene->model;
        query->poseA = unit[2 * i], query->poseB = unit[2 * i + 1];
        query->poseA.origin = grzScale(query->poseA.origin, side);
        query->poseB.origin = grzScale(query->poseB.origin, side);
        if (!grzResult_IsOk(grzModels_Touch(query, &touches, NULL))) {
            Bench_Fail(bench, "models: a pose was refused");
            return false;
        }
        scene->hits += touches;
    }
    return true;
}

static bool tunePoses(Bench* bench, ModelScene* scene) {
    grzTransform* unit = Bench_Allocate(bench, 2 * scene->queryCount, sizeof *unit);
    float lower = 0, upper = 8 * scene->size;
    bool isGood = unit != NULL;
    if (isGood)
        drawPoses(scene, unit);
    for (int step = 0; step < 12 && isGood; ++step) {
        const float side = 0.5F * (lower + upper);
        isGood = setSide(bench, scene, unit, side);
        if (2 * scene->hits > scene->queryCount)
            lower = side;
        else
            upper = side;
    }
    Bench_Release(bench, unit, 2 * scene->queryCount, sizeof *unit);
    return isGood;
}

// ---- life ----

static bool makeModel(Bench* bench, ModelScene* scene) {
    grzModelDef def = grzDefaultModelDef();
    char text[128];
    def.positions = scene->positions;
    def.vertexCount = scene->vertexCount;
    def.triangles = scene->triangles;
    def.triangleCount = scene->triangleCount;
    const grzResult result = grzModel_Create(&def, &scene->model);
    if (!grzResult_IsOk(result))
        Bench_Fail(bench, "%s: %s", scene->name, grzResult_Text(result, text, sizeof text));
    return grzResult_IsOk(result);
}

static bool fillScene(Bench* bench, MeshData* mesh, ModelScene* scene) {
    const bool isCopied = copyMesh(bench, mesh, scene);
    MeshData_Release(mesh);
    if (!isCopied || !makeModel(bench, scene))
        return false;
    scene->queries = Bench_Allocate(bench, scene->queryCount, sizeof *scene->queries);
    return scene->queries != NULL && tunePoses(bench, scene);
}

bool ModelScene_Make(Bench* bench, size_t n, size_t queryCount, ModelScene* scene) {
    MeshData mesh;
    memset(scene, 0, sizeof *scene);
    scene->queryCount = queryCount;
    return Bench_Mesh(bench, false, shapeTorus, n, &mesh, &scene->name) && fillScene(bench, &mesh, scene);
}

bool ModelScene_MakeSmall(Bench* bench, size_t queryCount, ModelScene* scene) {
    MeshData mesh;
    memset(scene, 0, sizeof *scene);
    scene->queryCount = queryCount;
    scene->name = shapeName(shapeSphere);
    if (!grzResult_IsOk(makeShape(shapeSphere, 80, bench->allocator, &mesh))) {
        Bench_Fail(bench, "models: no memory for a sphere");
        return false;
    }
    return fillScene(bench, &mesh, scene);
}

void ModelScene_Release(Bench* bench, ModelScene* scene) {
    grzModel_Destroy(scene->model);
    Bench_Release(bench, scene->queries, scene->queryCount, sizeof *scene->queries);
    Bench_Release(bench, scene->positions, 3 * scene->vertexCount, sizeof *scene->positions);
    Bench_Release(bench, scene->triangles, 3 * scene->triangleCount, sizeof *scene->triangles);
}
