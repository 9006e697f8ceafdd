// What: see kinetic_scene.h.
#include "kinetic_scene.h"

#include <string.h>

#include "bench_inputs.h"

bool KineticScene_Failed(Bench* bench, grzResult result) {
    char text[128];
    if (!grzResult_IsOk(result))
        Bench_Fail(bench, "kinetic: %s", grzResult_Text(result, text, sizeof text));
    return !grzResult_IsOk(result);
}

// ---- the scene ----

static grzBvhDef bvhDef(const KineticScene* scene, const float* positions, const uint32_t* triangles) {
    grzBvhDef def = grzDefaultBvhDef();
    def.positions = positions, def.vertexCount = scene->vertexCount;
    def.triangles = triangles, def.triangleCount = scene->triangleCount;
    return def;
}

// Brings vertices and triangles into the order of the tree, and makes the tree of them, whose numbers are then the same.
static bool orderScene(Bench* bench, KineticScene* scene, const MeshData* mesh, const SequenceData* sequence) {
    grzBvhDef def = bvhDef(scene, sequence->positions, mesh->indices);
    if (KineticScene_Failed(bench, grzBvh_Create(&def, &scene->bvh)))
        return false;
    const grzBvhView view = grzBvh_GetView(scene->bvh);
    for (size_t f = 0; f < scene->frameCount; ++f)
        for (size_t v = 0; v < scene->vertexCount; ++v)
            memcpy(scene->frames + 3 * (f * scene->vertexCount + v),
                   sequence->positions + 3 * (f * scene->vertexCount + view.vertexToCaller[v]), 3 * sizeof(float));
    memcpy(scene->triangles, view.triangles, 3 * scene->triangleCount * sizeof *scene->triangles);
    def = bvhDef(scene, scene->frames, scene->triangles);
    if (KineticScene_Failed(bench, grzBvh_Rebuild(scene->bvh, &def)))
        return false;
    for (uint32_t v = 0; v < view.vertexCount; ++v)
        if (view.vertexToCaller[v] != v)
            Bench_Fail(bench, "kinetic: the tree is in another order than its own");
    return !bench->failed;
}

static bool makePlan(Bench* bench, KineticScene* scene) {
    grzFlightplanDef def = grzDefaultFlightplanDef();
    def.vertexCount = scene->vertexCount;
    if (KineticScene_Failed(bench, grzFlightplan_Create(&def, &scene->plan)))
        return false;
    for (size_t f = 0; f < scene->frameCount && !bench->failed; ++f)
        KineticScene_Failed(bench,
                            grzFlightplan_AddKeyframe(scene->plan, (double)f, KineticScene_Frame(scene, f), 0));
    return !bench->failed;
}

bool KineticScene_Make(Bench* bench, const SequenceDef* def, size_t workers, KineticScene* scene) {
    MeshData mesh;
    SequenceData sequence;
    memset(scene, 0, sizeof *scene);
    if (!Bench_Sequence(bench, def, &mesh, &sequence, &scene->name))
        return false;
    grzTasksDef tasksDef = grzDefaultTasksDef();
    tasksDef.workerCount = (uint32_t)workers;
    scene->workers = workers;
    scene->vertexCount = sequence.vertexCount;
    scene->triangleCount = mesh.triangleCount;
    scene->frameCount = sequence.frameCount;
    scene->frames = Bench_Allocate(bench, 3 * scene->vertexCount * scene->frameCount, sizeof(float));
    scene->triangles = Bench_Allocate(bench, 3 * scene->triangleCount, sizeof(uint32_t));
    const bool isMade = !bench->failed && !KineticScene_Failed(bench, grzTasks_Create(&tasksDef, &scene->tasks)) &&
                        orderScene(bench, scene, &mesh, &sequence) && makePlan(bench, scene);
    if (isMade && scene->frameCount < 3)
        Bench_Fail(bench, "kinetic: a sequence needs three keyframes");
    MeshData_Release(&mesh);
    SequenceData_Release(&sequence);
    return isMade && !bench->failed;
}

void KineticScene_Drop(Bench* bench, KineticScene* scene) {
    Bench_Release(bench, scene->frames, 3 * scene->vertexCount * scene->frameCount, sizeof(float));
    Bench_Release(bench, scene->triangles, 3 * scene->triangleCount, sizeof(uint32_t));
    grzFlightplan_Destroy(scene->plan);
    grzBvh_Destroy(scene->bvh);
    grzTasks_Destroy(scene->tasks);
}
