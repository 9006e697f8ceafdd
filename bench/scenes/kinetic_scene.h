// What: a sequence of keyframes made ready for the stage "kinetic": everything lies in the order of the tree, and a flightplan
// has all keyframes, one a second.
#ifndef GRAZE_BENCH_KINETIC_SCENE_H
#define GRAZE_BENCH_KINETIC_SCENE_H

#include "bench.h"
#include "bench_sequences.h"
#include "graze/bvh.h"
#include "graze/flightplan.h"

// Generated cloth starts so high above what it falls on that it touches it first between this keyframe and the next.
#define KINETIC_FALL_FRAMES 5

typedef struct KineticScene {
    const char* name;
    size_t vertexCount, triangleCount, frameCount;
    float* frames; // in the tree's order
    uint32_t* triangles;
    grzBvh* bvh;
    grzFlightplan* plan;
    grzTasks* tasks;
    size_t workers;
} KineticScene;

// From --pc2 over --mesh, all of it; else generated: def->frames keyframes, of cloth those from KINETIC_FALL_FRAMES on. At
// least three keyframes. False after Bench_Fail; to be dropped all the same.
bool KineticScene_Make(Bench* bench, const SequenceDef* def, size_t workers, KineticScene* scene);

// Of a mesh and its sequence, which stay the caller's: `frames` keyframes from `first` on. The name must last. Likewise.
bool KineticScene_MakeOf(Bench* bench, const char* name, const MeshData* mesh, const SequenceData* sequence,
                         size_t first, size_t frames, size_t workers, KineticScene* scene);
void KineticScene_Drop(Bench* bench, KineticScene* scene);

// Puts other workers in place of the scene's. False after Bench_Fail.
bool KineticScene_SetWorkers(Bench* bench, KineticScene* scene, size_t workers);

static inline const float* KineticScene_Frame(const KineticScene* scene, size_t frame) {
    return scene->frames + frame * 3 * scene->vertexCount;
}

// How many numbers a refit writes: six sides of every box, of leaves and of nodes.
double KineticScene_BoxValues(const KineticScene* scene);

// Whether a result is a refusal; the bench then fails with its sentence.
bool KineticScene_Failed(Bench* bench, grzResult result);

#endif
