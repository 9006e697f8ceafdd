// What: how events and updates of kinetic trees grow with the mesh: one motion, seen at many resolutions.
//
// Idea: the finest sheet is made as sequences are (bench_sequences.h), whole, from its start to where it hangs; every coarser one
// has each second, third ... of its vertices. So all are the very same motion, and what differs is n.
// Based on: [Zachmann and Weller 2006] sections 5 and 9, figure 18.
#ifndef GRAZE_BENCH_KINETIC_GROWTH_H
#define GRAZE_BENCH_KINETIC_GROWTH_H

#include "bench_sequences.h"
#include "kinetic_scene.h"

enum {
    growth_aabb, // the ordered kinetic tree
    growth_box,  // the BoxTree
    growth_trees,
    growth_mostPoints = 7,
};

// Over the whole sequence.
typedef struct GrowthPoint {
    size_t n, intervals;
    double events[growth_trees], updates[growth_trees];
    double values[growth_trees]; // what updating bottom up writes, once
    size_t rates;                // at which it was counted: 1, 3, 10, 30, 100 frames between keyframes
    size_t differing;            // of them, those with other counts than at 1
    bool same;                   // none, and the trees stand up to their own checks
} GrowthPoint;

// What one tree came to at one frame rate.
typedef struct GrowthCounts {
    uint64_t events, updates;
    double values;
    bool same; // the tree stands up to its own check
} GrowthCounts;

// Takes those of one more frame rate, the first of which is what the point has; `same` is true at first.
void GrowthPoint_Take(GrowthPoint* point, const GrowthCounts counts[growth_trees]);

typedef struct Growth {
    MeshData mesh; // the finest
    SequenceData sequence;
    const char* name;
    size_t squares;                        // along an edge
    GrowthPoint points[growth_mostPoints]; // filled by Growth_Count
    size_t pointCount;
    size_t strides[growth_mostPoints]; // of each point, coarsest first
} Growth;

// A sheet of --n or 259,200 triangles. False after Bench_Fail; to be dropped all the same.
bool Growth_Make(Bench* bench, SequenceKind kind, Growth* growth);
void Growth_Drop(Growth* growth);

// The sheet of a point as a scene of one worker, `frames` keyframes from `first` on.
bool Growth_MakeScene(Bench* bench, const Growth* growth, size_t point, size_t first, size_t frames,
                      KineticScene* scene);

// Counts all points, at the first `rates` of 1, 3, 10, 30, 100 frames between keyframes. False after Bench_Fail.
bool Growth_Count(Bench* bench, Growth* growth, size_t rates);

void benchKineticGrowth(Bench* bench);

#endif
