// What: a sequence of keyframes made ready for the stage "kinetic": everything lies in the order of the tree, and a flightplan has
// all keyframes, one a second.
#ifndef GRAZE_BENCH_KINETIC_SCENE_H
#define GRAZE_BENCH_KINETIC_SCENE_H

#include "bench.h"
#include "bench_sequences.h"
#include "graze/bvh.h"
#include "graze/flightplan.h"

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

// From --pc2 over --mesh, else generated; at least three keyframes. False after Bench_Fail; to be dropped all the same.
bool KineticScene_Make(Bench* bench, const SequenceDef* def, size_t workers, KineticScene* scene);
void KineticScene_Drop(Bench* bench, KineticScene* scene);

static inline const float* KineticScene_Frame(const KineticScene* scene, size_t frame) {
    return scene->frames + frame * 3 * scene->vertexCount;
}

// Whether a result is a refusal; the bench then fails with its sentence.
bool KineticScene_Failed(Bench* bench, grzResult result);

#endif
