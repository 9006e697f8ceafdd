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
static bool orderScene(Bench* bench, KineticScene* scene, const uint32_t* triangles, const float* positions) {
    grzBvhDef def = bvhDef(scene, positions, triangles);
    if (KineticScene_Failed(bench, grzBvh_Create(&def, &scene->bvh)))
        return false;
    const grzBvhView view = grzBvh_GetView(scene->bvh);
    for (size_t f = 0; f < scene->frameCount; ++f)
        for (size_t v = 0; v < scene->vertexCount; ++v)
            memcpy(scene->frames + 3 * (f * scene->vertexCount + v),
                   positions + 3 * (f * scene->vertexCount + view.vertexToCaller[v]), 3 * sizeof(float));
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

bool KineticScene_SetWorkers(Bench* bench, KineticScene* scene, size_t workers) {
    grzTasksDef def = grzDefaultTasksDef();
    def.workerCount = (uint32_t)workers;
    grzTasks_Destroy(scene->tasks);
    scene->tasks = NULL;
    scene->workers = workers;
    return !KineticScene_Failed(bench, grzTasks_Create(&def, &scene->tasks));
}

bool KineticScene_MakeOf(Bench* bench, const char* name, const MeshData* mesh, const SequenceData* sequence,
                         size_t first, size_t frames, size_t workers, KineticScene* scene) {
    memset(scene, 0, sizeof *scene);
    scene->name = name;
    scene->vertexCount = sequence->vertexCount;
    scene->triangleCount = mesh->triangleCount;
    scene->frameCount = frames;
    if (frames < 3) {
        Bench_Fail(bench, "kinetic: a sequence needs three keyframes");
        return false;
    }
    scene->frames = Bench_Allocate(bench, 3 * scene->vertexCount * frames, sizeof(float));
    scene->triangles = Bench_Allocate(bench, 3 * scene->triangleCount, sizeof(uint32_t));
    return !bench->failed && KineticScene_SetWorkers(bench, scene, workers) &&
           orderScene(bench, scene, mesh->indices, sequence->positions + first * 3 * sequence->vertexCount) &&
           makePlan(bench, scene);
}

bool KineticScene_Make(Bench* bench, const SequenceDef* def, size_t workers, KineticScene* scene) {
    const bool isGiven = bench->options->sequence != NULL || bench->options->meshA != NULL;
    const size_t first = isGiven || def->kind == sequenceSpheres ? 0 : KINETIC_FALL_FRAMES;
    const SequenceDef whole = {def->kind, def->triangles, def->frames + first};
    MeshData mesh;
    SequenceData sequence;
    const char* name;
    memset(scene, 0, sizeof *scene);
    if (!Bench_Sequence(bench, &whole, &mesh, &sequence, &name))
        return false;
    const bool isMade =
        KineticScene_MakeOf(bench, name, &mesh, &sequence, first, sequence.frameCount - first, workers, scene);
    MeshData_Release(&mesh);
    SequenceData_Release(&sequence);
    return isMade;
}

double KineticScene_BoxValues(const KineticScene* scene) {
    const grzBvhView view = grzBvh_GetView(scene->bvh);
    return 6 * ((double)view.leafCount + view.nodeCount);
}

void KineticScene_Drop(Bench* bench, KineticScene* scene) {
    Bench_Release(bench, scene->frames, 3 * scene->vertexCount * scene->frameCount, sizeof(float));
    Bench_Release(bench, scene->triangles, 3 * scene->triangleCount, sizeof(uint32_t));
    grzFlightplan_Destroy(scene->plan);
    grzBvh_Destroy(scene->bvh);
    grzTasks_Destroy(scene->tasks);
}
