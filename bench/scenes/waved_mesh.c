// What: see waved_mesh.h.
#include "waved_mesh.h"

#include <math.h>
#include <string.h>

#include "rng.h"

#define MESH_SIZE 2.0 // of the shapes

static bool failed(Bench* bench, grzResult result) {
    char text[128];
    if (!grzResult_IsOk(result))
        Bench_Fail(bench, "waved mesh: %s", grzResult_Text(result, text, sizeof text));
    return !grzResult_IsOk(result);
}

// A field of velocities, each coordinate a wave, that is nowhere longer than 1.
typedef struct Waves {
    double lengths[3][3], starts[3];
} Waves;

static Waves drawWaves(uint64_t seed) {
    grzRng rng = grzRng_Make(seed, 1);
    Waves waves;
    for (int axis = 0; axis < 3; ++axis) {
        waves.starts[axis] = 6.28 * (double)grzRng_Float(&rng);
        for (int k = 0; k < 3; ++k)
            waves.lengths[axis][k] = 8 * ((double)grzRng_Float(&rng) - 0.5);
    }
    return waves;
}

static double waveAt(const Waves* waves, int axis, const float p[3]) {
    double angle = waves->starts[axis];
    for (int k = 0; k < 3; ++k)
        angle += waves->lengths[axis][k] * (double)p[k];
    return sin(angle) * 0.57735;
}

static void moveMesh(WavedMesh* moving, const float* start, const Waves* waves, double stride) {
    for (size_t phase = 0; phase < WAVED_PHASES; ++phase)
        for (size_t i = 0; i < 3 * moving->vertexCount; ++i) {
            const double velocity = waveAt(waves, (int)(i % 3), start + i / 3 * 3);
            moving->positions[3 * moving->vertexCount * phase + i] =
                (float)((double)start[i] + stride * (double)phase * velocity);
        }
}

// The mesh's, moved; in the order of the hierarchy, which is then made of them again.
static bool orderMesh(Bench* bench, WavedMesh* moving, const float* given, const uint32_t* triangles,
                      float* start) {
    grzBvhDef def = grzDefaultBvhDef();
    def.positions = given, def.vertexCount = moving->vertexCount;
    def.triangles = triangles, def.triangleCount = moving->triangleCount;
    if (failed(bench, grzBvh_Create(&def, &moving->bvh)))
        return false;
    const grzBvhView view = grzBvh_GetView(moving->bvh);
    for (size_t v = 0; v < moving->vertexCount; ++v)
        memcpy(start + 3 * v, given + 3 * (size_t)view.vertexToCaller[v], 3 * sizeof *start);
    memcpy(moving->triangles, view.triangles, 3 * moving->triangleCount * sizeof *moving->triangles);
    def.positions = start, def.triangles = moving->triangles;
    moving->nodeCount = view.nodeCount;
    moving->nodes = Bench_Allocate(bench, WAVED_PHASES * moving->nodeCount, sizeof *moving->nodes);
    return moving->nodes != NULL && !failed(bench, grzBvh_Rebuild(moving->bvh, &def));
}

static bool refitMesh(Bench* bench, WavedMesh* moving) {
    grzBvhRefit refit = grzDefaultBvhRefit();
    for (size_t phase = 0; phase < WAVED_PHASES; ++phase) {
        refit.positions = WavedMesh_Positions(moving, phase);
        grzBvhNode* nodes = moving->nodes + moving->nodeCount * phase;
        if (failed(bench, grzBvh_Refit(moving->bvh, NULL, &refit, nodes)))
            return false;
    }
    return true;
}

bool WavedMesh_Make(Bench* bench, const MeshData* mesh, const float shift[3], double part, uint64_t seed,
                    WavedMesh* moving) {
    const Waves waves = drawWaves(seed);
    memset(moving, 0, sizeof *moving);
    moving->vertexCount = mesh->vertexCount, moving->triangleCount = mesh->triangleCount;
    moving->triangles = Bench_Allocate(bench, 3 * moving->triangleCount, sizeof *moving->triangles);
    moving->positions = Bench_Allocate(bench, 3 * moving->vertexCount * WAVED_PHASES, sizeof *moving->positions);
    float* given = Bench_Allocate(bench, 3 * moving->vertexCount, sizeof *given);
    float* start = Bench_Allocate(bench, 3 * moving->vertexCount, sizeof *start);
    bool isMade = false;
    if (!bench->failed) {
        for (size_t i = 0; i < 3 * moving->vertexCount; ++i)
            given[i] = ((const float*)mesh->positions)[i] + shift[i % 3];
        isMade = orderMesh(bench, moving, given, mesh->indices, start);
    }
    if (isMade) {
        moveMesh(moving, start, &waves, MESH_SIZE * part);
        isMade = refitMesh(bench, moving);
    }
    Bench_Release(bench, given, 3 * moving->vertexCount, sizeof *given);
    Bench_Release(bench, start, 3 * moving->vertexCount, sizeof *start);
    return isMade;
}

void WavedMesh_Drop(Bench* bench, WavedMesh* moving) {
    Bench_Release(bench, moving->triangles, 3 * moving->triangleCount, sizeof *moving->triangles);
    Bench_Release(bench, moving->positions, 3 * moving->vertexCount * WAVED_PHASES, sizeof *moving->positions);
    Bench_Release(bench, moving->nodes, WAVED_PHASES * moving->nodeCount, sizeof *moving->nodes);
    grzBvh_Destroy(moving->bvh);
}
