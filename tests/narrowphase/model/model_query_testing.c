#include "model_query_testing.h"

#include <math.h>

#include "simd_dispatch.h"

grzRng g_rng;

float draw(float lower, float upper) {
    return lower + (upper - lower) * grzRng_Float(&g_rng);
}

grzVec3 drawVector(float reach) {
    const float x = draw(-reach, reach), y = draw(-reach, reach);
    return grzVec3_Make(x, y, draw(-reach, reach));
}

grzMat3 drawRotation(void) {
    grzQuat q = grzQuat_Identity();
    do {
        const float x = draw(-1, 1), y = draw(-1, 1), z = draw(-1, 1);
        q = grzQuat_Make(x, y, z, draw(-1, 1));
    } while (grzQuat_Dot(q, q) > 1 || grzQuat_Dot(q, q) < 0.01F);
    return grzMat3_FromQuat(grzQuat_Normalize(q));
}

grzTransform drawRigid(void) {
    const grzMat3 turn = drawRotation();
    return grzTransform_Make(turn, drawVector(2));
}

grzTransform drawAffine(void) {
    grzTransform pose = drawRigid();
    float s[3];
    for (int axis = 0; axis < 3; ++axis)
        s[axis] = draw(0.2F, 2);
    if (grzRng_Below(&g_rng, 2) == 0)
        s[1] = -s[1];
    pose.basis = grzMat3_ScaleColumns(pose.basis, grzVec3_Load(s));
    return pose;
}

grzVec3 drawScale(void) {
    float s[3];
    for (int axis = 0; axis < 3; ++axis) {
        s[axis] = draw(0.2F, 2);
        if (grzRng_Below(&g_rng, 2) == 0)
            s[axis] = -s[axis];
    }
    return grzVec3_Make(s[0], s[1], s[2]);
}

ModelMesh makeSoup(size_t triangleCount, float size, float step) {
    ModelMesh mesh = makeMesh(3 * triangleCount, triangleCount);
    for (size_t i = 0; i < triangleCount; ++i) {
        const grzVec3 center = drawVector(1);
        for (size_t corner = 0; corner < 3; ++corner) {
            float* p = mesh.positions + 9 * i + 3 * corner;
            grzVec3_Store(p, grzAdd(center, drawVector(size)));
            for (int axis = 0; axis < 3 && step > 0; ++axis)
                p[axis] = step * floorf(p[axis] / step);
            mesh.triangles[3 * i + corner] = (uint32_t)(3 * i + corner);
        }
        if (grzRng_Below(&g_rng, 12) == 0)
            mesh.triangles[3 * i + 2] = mesh.triangles[3 * i];
    }
    return mesh;
}

ModelMesh makeShapeMesh(ShapeKind kind, size_t count) {
    MeshData data;
    assert_true(grzResult_IsOk(makeShape(kind, count, grzDefaultAllocator(), &data)));
    return takeMeshData(&data);
}

grzModel* makeTestModel(const ModelMesh* mesh, grzBvhBuilder builder) {
    grzModelDef def = makeDef(mesh);
    grzModel* model = NULL;
    def.builder = builder;
    assert_true(grzResult_IsOk(grzModel_Create(&def, &model)));
    return model;
}

Ground bindMesh(ModelMesh mesh, grzBvhBuilder builder) {
    Ground ground = {mesh, NULL, makeTestModel(&mesh, builder), NULL};
    grzMeshDef def = grzDefaultMeshDef();
    def.positions = mesh.positions, def.vertexCount = mesh.vertexCount;
    def.indices = mesh.triangles, def.triangleCount = mesh.triangleCount;
    assert_true(grzResult_IsOk(grzMesh_Create(&def, &ground.topology)));
    const grzMeshView view = grzMesh_GetView(ground.topology);
    assert_true(
        grzResult_IsOk(grzModelEdges_Create(ground.model, &view, (grzAllocator){NULL, NULL, NULL}, &ground.edges)));
    return ground;
}

void freeGround(Ground* ground) {
    grzModelEdges_Destroy(ground->edges);
    grzModel_Destroy(ground->model);
    grzMesh_Destroy(ground->topology);
    freeMesh(&ground->mesh);
}

void forEachLevel(void (*run)(void)) {
    for (int level = grz_simdScalar; level < 32; ++level) {
        if ((grzSimd_SupportedBits() >> level & 1) == 0)
            continue;
        const grzSimdLevel before = grzSimd_Force((grzSimdLevel)level);
        run();
        grzSimd_Force(before);
    }
}

static grzTasks* makeTestTasks(uint32_t workers) {
    grzTasksDef def = grzDefaultTasksDef();
    grzTasks* tasks;
    def.workerCount = workers;
    assert_true(grzResult_IsOk(grzTasks_Create(&def, &tasks)));
    return tasks;
}

void forEachLevelAndWorkerCount(WorkersFn* run, void* context) {
    static const uint32_t workers[] = {1, 2, 3, 8};
    for (int level = grz_simdScalar; level < 32; ++level) {
        if ((grzSimd_SupportedBits() >> level & 1) == 0)
            continue;
        const grzSimdLevel before = grzSimd_Force((grzSimdLevel)level);
        for (size_t w = 0; w < sizeof workers / sizeof workers[0]; ++w) {
            grzTasks* tasks = makeTestTasks(workers[w]);
            run(tasks, context);
            grzTasks_Destroy(tasks);
        }
        grzSimd_Force(before);
    }
}
