// What: the ways to find pairs of a scene over many frames, and how long each takes, for pipeline_front.c.
#ifndef GRAZE_BENCH_PIPELINE_FRONT_RUN_H
#define GRAZE_BENCH_PIPELINE_FRONT_RUN_H

#include "graze/stage/pair_fronts.h"
#include "kinetic_scene.h"

// The last is of one mesh with itself.
typedef enum FrontWay { way_front, way_trees, way_refit, way_updates, way_culled, WAYS } FrontWay;

// Two meshes, or one with itself.
typedef struct FrontScene {
    const char* name;
    KineticScene movers[2];
    size_t moverCount;
    size_t n; // triangles
} FrontScene;

typedef struct FrontPoint {
    size_t n, perInterval, frames;
    double times[WAYS];
    grzPairFrontStats stats, culled;
    double events, treeEvents;
    size_t memory;
    double leaves;
    bool same;
} FrontPoint;

// The time of every way, as a median; at the end all have the same pairs, or the point is not the same.
void FrontPoint_Measure(Bench* bench, const FrontScene* scene, size_t perInterval, FrontPoint* point);

#endif
