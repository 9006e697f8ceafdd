// What: searches for impacts as the cases "self" and "continuous" of the stage "pipeline" run them: from listed pairs of triangles, and all.
#ifndef GRAZE_BENCH_IMPACT_SEARCH_H
#define GRAZE_BENCH_IMPACT_SEARCH_H

#include "bench.h"
#include "graze/ccd_step.h"
#include "graze/stage/leaf_triangles.h"

// A mesh in the order of its hierarchy.
typedef struct ImpactMesh {
    const grzBvh* bvh;
    grzBvhView view;
    grzMesh* mesh;
} ImpactMesh;

// False after Bench_Fail; to be dropped all the same.
bool ImpactMesh_Make(Bench* bench, const grzBvh* bvh, const uint32_t* triangles, const float* positions,
                     ImpactMesh* made);
void ImpactMesh_Drop(ImpactMesh* mesh);

// What a side found; 0: nothing yet, or a refusal.
typedef struct Impacts {
    const ImpactMesh* meshes[2]; // the second NULL: the first with itself
    grzCcdStep* step;
    grzLeafTriangles* triangles; // of listed pairs
    grzCcdStepQuery query;
    grzTasks* tasks;
    uint64_t digest;
    size_t count, pairs; // in all steps; pairs of triangles
    uint64_t candidates;
} Impacts;

// Of a mesh with itself (b NULL) or with another one. False after Bench_Fail; to be dropped all the same.
bool Impacts_Make(Bench* bench, const ImpactMesh* a, const ImpactMesh* b, Impacts* impacts);
void Impacts_Drop(Impacts* impacts);
void Impacts_Clear(Impacts* impacts);

// One step: all of it, or what pairs of leaves may hold, which are sorted. b is not read for one mesh.
void Impacts_Find(Impacts* impacts, grzCcdStepMotion a, grzCcdStepMotion b);
void Impacts_Decide(Impacts* impacts, grzCcdStepMotion a, grzCcdStepMotion b, const grzLeafPair* pairs,
                    size_t count);

// A row of one worker beside a peer's, which may be NULL. `same`: the check of the case.
void Impacts_Count(Bench* bench, const char* variant, const char* metric, double value, const char* peer,
                   double peerValue, size_t n, bool same);

// Positions a part of the way from one keyframe to the next.
void blendFrames(const float* from, const float* to, float part, size_t numbers, float* at);

#endif
