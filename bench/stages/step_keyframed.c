// What: see step_keyframed.h.
// Idea: a sheet waves from keyframe to keyframe, alone, with a ring about it whose box holds all of it and which it does not meet,
//   or with a ball on it. Beside each step of the world stands one refit of the same hierarchy at positions that lie there.
// Holds: the outcome is what rays from above hit of the sheet after the last step: of the world, and of a model made of its positions.
#include "step_keyframed.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "graze/graze.h"
#include "graze/model_ray.h"
#include "graze/world_query.h"
#include "shapes.h"

enum { MOST_FRAMES = 8, RAYS = 64 };

typedef enum Beside { besideNothing, besideRing, besideBall, besideCount } Beside;

typedef struct Keyframed {
    Bench* bench;
    Beside beside;
    size_t perInterval, steps;
    MeshData data, ringData;
    grzMesh *mesh, *ringMesh;
    grzMeshShape* ring;
    float* frames; // MOST_FRAMES of them
    size_t vertexCount, triangleCount;
} Keyframed;

typedef struct Side {
    const Keyframed* keyframed;
    grzWorld* world;
    grzBodyId sheet;
    grzBvh* bvh;
    grzBvhNode* nodes;
    float* positions;
    bool hasRun;
    grzResult result;
} Side;

static void keep(Side* side, grzResult result) {
    if (grzResult_IsOk(side->result))
        side->result = result;
}

static const float* frameOf(const Keyframed* keyframed, size_t frame) {
    return keyframed->frames + 3 * keyframed->vertexCount * frame;
}

static void fail(Bench* bench, grzResult result) {
    char text[160];
    Bench_Fail(bench, "step: %s", grzResult_Text(result, text, sizeof text));
}

static const double stepTime = 1.0 / 64;

// ---- the world ----

static void dropWorld(Side* side) {
    grzWorld_Destroy(side->world);
    side->world = NULL;
}

static void addBeside(Side* side) {
    const Keyframed* keyframed = side->keyframed;
    grzBodyDef def = grzDefaultBodyDef();
    grzBodyId id;
    def.kind = grz_staticBody;
    if (keyframed->beside == besideRing)
        def.mesh = keyframed->ring;
    else
        def.shape = grzMakeSphere(grzVec3_Zero(), 0.008F), def.origin = grzVec3_Make(0.3F, 0, 0.3F);
    if (keyframed->beside != besideNothing)
        keep(side, grzWorld_AddBody(side->world, &def, &id));
}

static void prepareWorld(void* context) {
    Side* side = context;
    const Keyframed* keyframed = side->keyframed;
    dropWorld(side);
    side->hasRun = false;
    grzWorldDef def = grzDefaultWorldDef();
    grzAnimatedDef sheet = grzDefaultAnimatedDef();
    sheet.mesh = keyframed->mesh, sheet.isTwoSided = true;
    keep(side, grzWorld_Create(&def, &side->world));
    if (!grzResult_IsOk(side->result))
        return;
    keep(side, grzWorld_AddAnimated(side->world, &sheet, &side->sheet));
    for (size_t f = 1; f < MOST_FRAMES && grzResult_IsOk(side->result); ++f)
        keep(side, grzWorld_AddKeyframe(side->world, side->sheet, (double)(f * keyframed->perInterval) * stepTime,
                                        frameOf(keyframed, f)));
    addBeside(side);
    if (grzResult_IsOk(side->result)) // what is made once
        keep(side, grzWorld_Step(side->world, (float)stepTime));
}

static void runWorld(void* context) {
    Side* side = context;
    for (size_t i = 0; i < side->keyframed->steps && grzResult_IsOk(side->result); ++i)
        keep(side, grzWorld_Step(side->world, (float)stepTime));
    side->hasRun = true;
}

static grzVec3 originOf(int ray) {
    return grzVec3_Make(-0.45F + 0.125F * (float)(ray % 8), 3, -0.45F + 0.125F * (float)(ray / 8));
}

static uint64_t digestWorld(void* context) {
    Side* side = context;
    uint32_t found[RAYS];
    grzWorldHits* hits = NULL;
    if (!side->hasRun)
        return 0;
    keep(side, grzWorldHits_Create(side->keyframed->bench->allocator, &hits));
    for (int i = 0; i < RAYS && grzResult_IsOk(side->result); ++i) {
        grzWorldRay ray = grzDefaultWorldRay();
        ray.origin = originOf(i), ray.direction = grzVec3_Make(0, -1, 0);
        ray.isAll = true;
        keep(side, grzWorld_CastRay(side->world, &ray, hits));
        const grzWorldHitsView view = grzWorldHits_GetView(hits);
        found[i] = GRZ_NO_TRIANGLE;
        for (size_t k = 0; k < view.count; ++k)
            if (view.hits[k].body.index1 == side->sheet.index1)
                found[i] = view.hits[k].triangle;
    }
    grzWorldHits_Destroy(hits);
    return grzResult_IsOk(side->result) ? Bench_Digest(1, found, sizeof found) : 0;
}

// ---- refits ----

// Where the sheet is after the last step.
static void evaluate(const Keyframed* keyframed, float* positions) {
    const size_t at = keyframed->steps + 1, frame = at / keyframed->perInterval;
    const double part = (double)(at % keyframed->perInterval) / (double)keyframed->perInterval;
    const float *a = frameOf(keyframed, frame), *b = frameOf(keyframed, part == 0 ? frame : frame + 1);
    for (size_t i = 0; i < 3 * keyframed->vertexCount; ++i)
        positions[i] = (float)((1 - part) * (double)a[i] + part * (double)b[i]);
}

static void prepareRefit(void* context) {
    Side* side = context;
    side->hasRun = false;
    evaluate(side->keyframed, side->positions);
}

static void runRefit(void* context) {
    Side* side = context;
    grzBvhRefit refit = grzDefaultBvhRefit();
    refit.positions = side->positions;
    refit.numbering = grz_bvhCallersNumbers;
    for (size_t i = 0; i < side->keyframed->steps && grzResult_IsOk(side->result); ++i)
        keep(side, grzBvh_Refit(side->bvh, NULL, &refit, side->nodes));
    side->hasRun = true;
}

static uint64_t digestRefit(void* context) {
    Side* side = context;
    const Keyframed* keyframed = side->keyframed;
    const grzMeshView mesh = grzMesh_GetView(keyframed->mesh);
    uint32_t found[RAYS];
    grzModelDef def = grzDefaultModelDef();
    grzModel* model = NULL;
    if (!side->hasRun)
        return 0;
    def.positions = side->positions, def.vertexCount = mesh.vertexCount;
    def.triangles = mesh.triangles, def.triangleCount = mesh.triangleCount;
    keep(side, grzModel_Create(&def, &model));
    for (int i = 0; i < RAYS && grzResult_IsOk(side->result); ++i) {
        grzModelRay ray = grzDefaultModelRay();
        grzModelRayHit hit;
        ray.model = model;
        ray.origin = originOf(i), ray.direction = grzVec3_Make(0, -1, 0);
        keep(side, grzModel_CastRay(&ray, &hit));
        found[i] = hit.triangle;
    }
    grzModel_Destroy(model);
    return grzResult_IsOk(side->result) ? Bench_Digest(1, found, sizeof found) : 0;
}

// ---- making it ----

static void wave(const Keyframed* keyframed, size_t frame, float* to) {
    const float *from = grzMesh_GetView(keyframed->mesh).positions32, phase = 0.7F * (float)frame;
    for (size_t i = 0; i < 3 * keyframed->vertexCount; i += 3) {
        to[i] = from[i];
        to[i + 1] = 0.05F * grzSin(6 * from[i] + phase) * grzCos(5 * from[i + 2] - phase);
        to[i + 2] = from[i + 2];
    }
}

static grzResult makeMesh(const MeshData* data, float scale, grzMesh** mesh) {
    for (size_t i = 0; i < 3 * data->vertexCount; ++i) {
        if (data->isDouble)
            ((double*)data->positions)[i] *= (double)scale;
        else
            ((float*)data->positions)[i] *= scale;
    }
    const grzMeshDef def = MeshData_Def(data);
    return grzMesh_Create(&def, mesh);
}

// The ring's box holds the sheet; the ring itself stays clear of it.
static grzResult fill(Keyframed* keyframed, size_t n) {
    Bench* bench = keyframed->bench;
    const size_t columns = (size_t)sqrt((double)n / 2);
    grzResult result = makeGrid(columns, columns, 1, 1, bench->allocator, &keyframed->data);
    if (grzResult_IsOk(result))
        result = makeMesh(&keyframed->data, 1, &keyframed->mesh);
    if (grzResult_IsOk(result))
        result = makeShape(shapeTorus, n, bench->allocator, &keyframed->ringData);
    if (!grzResult_IsOk(result))
        return result;
    result = makeMesh(&keyframed->ringData, 4, &keyframed->ringMesh);
    if (grzResult_IsOk(result))
        result = grzMeshShape_Create(keyframed->ringMesh, bench->allocator, &keyframed->ring);
    const grzMeshView view = grzResult_IsOk(result) ? grzMesh_GetView(keyframed->mesh) : (grzMeshView){0};
    keyframed->vertexCount = view.vertexCount;
    keyframed->triangleCount = view.triangleCount;
    return result;
}

static bool make(Bench* bench, size_t n, Keyframed* keyframed) {
    memset(keyframed, 0, sizeof *keyframed);
    keyframed->bench = bench;
    const grzResult result = fill(keyframed, n);
    if (!grzResult_IsOk(result)) {
        fail(bench, result);
        return false;
    }
    keyframed->frames = Bench_Allocate(bench, MOST_FRAMES * 3 * keyframed->vertexCount, sizeof(float));
    for (size_t f = 0; f < MOST_FRAMES && keyframed->frames != NULL; ++f)
        wave(keyframed, f, keyframed->frames + 3 * keyframed->vertexCount * f);
    return keyframed->frames != NULL;
}

static void drop(Keyframed* keyframed) {
    grzMeshShape_Destroy(keyframed->ring);
    grzMesh_Destroy(keyframed->ringMesh);
    grzMesh_Destroy(keyframed->mesh);
    MeshData_Release(&keyframed->ringData);
    MeshData_Release(&keyframed->data);
    Bench_Release(keyframed->bench, keyframed->frames, MOST_FRAMES * 3 * keyframed->vertexCount, sizeof(float));
}

static grzResult makeRefit(Side* side) {
    const Keyframed* keyframed = side->keyframed;
    const grzMeshView mesh = grzMesh_GetView(keyframed->mesh);
    grzBvhDef def = grzDefaultBvhDef();
    def.builder = grz_bvhSah;
    def.positions = frameOf(keyframed, 0), def.vertexCount = mesh.vertexCount;
    def.triangles = mesh.triangles, def.triangleCount = mesh.triangleCount;
    def.allocator = keyframed->bench->allocator;
    side->positions = Bench_Allocate(keyframed->bench, 3 * keyframed->vertexCount, sizeof(float));
    const grzResult result = grzBvh_Create(&def, &side->bvh);
    if (grzResult_IsOk(result))
        side->nodes = Bench_Allocate(keyframed->bench, grzBvh_GetView(side->bvh).nodeCount, sizeof *side->nodes);
    return result;
}

static void measure(Keyframed* keyframed) {
    static const char* const names[besideCount] = {"alone", "beside a mesh", "with a ball on it"};
    Bench* bench = keyframed->bench;
    Side ours = {.keyframed = keyframed}, refits = {.keyframed = keyframed};
    char variant[64];
    snprintf(variant, sizeof variant, "%s, l=%zu", names[keyframed->beside], keyframed->perInterval);
    keep(&refits, makeRefit(&refits));
    const BenchSide sides[2] = {{"world", prepareWorld, runWorld, digestWorld, NULL, &ours, NULL},
                                {"refit", prepareRefit, runRefit, digestRefit, NULL, &refits, NULL}};
    const BenchJob job = {.variant = variant,
                          .metric = "step",
                          .unit = "ns/triangle",
                          .amount = (double)(keyframed->steps * keyframed->triangleCount),
                          .n = keyframed->triangleCount,
                          .workers = 1,
                          .sides = sides,
                          .sideCount = 2};
    if (!bench->failed && grzResult_IsOk(refits.result))
        Bench_Measure(bench, &job);
    const grzResult result = grzResult_IsOk(ours.result) ? refits.result : ours.result;
    if (!bench->failed && !grzResult_IsOk(result))
        fail(bench, result);
    dropWorld(&ours);
    if (refits.bvh != NULL)
        Bench_Release(bench, refits.nodes, grzBvh_GetView(refits.bvh).nodeCount, sizeof *refits.nodes);
    Bench_Release(bench, refits.positions, 3 * keyframed->vertexCount, sizeof(float));
    grzBvh_Destroy(refits.bvh);
}

void benchStepKeyframed(Bench* bench) {
    static const size_t rates[] = {10, 100};
    Keyframed keyframed;
    const bool isMade = make(bench, Bench_Size(bench, 131072, 2048), &keyframed);
    for (size_t l = 0; l < 2; ++l)
        for (int beside = 0; beside < besideCount && isMade && !bench->failed; ++beside) {
            keyframed.perInterval = rates[l];
            keyframed.steps = (MOST_FRAMES - 2) * rates[l] / 2;
            keyframed.beside = (Beside)beside;
            if (!bench->options->quick || l == 0)
                measure(&keyframed);
        }
    drop(&keyframed);
}
