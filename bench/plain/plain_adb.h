// The ADB-tree of Klein and Zachmann over the paper's own kind of tree (binary, a triangle a leaf: plain_bvh.h), in plain double
// words: what figures are drawn with. It can also stand on the boxes of a model, to check engine/narrowphase's.
//
// Not plain are the areas in cells, the volumes of section 3.6, the shares of regions and the queue, which have tests of their own
// (narrowphase/time_critical/adb_volume.h, adb_cells.h, adb_queue.h).
// [Klein and Zachmann, Time-Critical Collision Detection Using an Average-Case Approach, VRST 2003]
#ifndef GRAZE_BENCH_PLAIN_ADB_H
#define GRAZE_BENCH_PLAIN_ADB_H

#include "graze/stage/adb_tree.h"
#include "plain_bvh.h"

typedef struct PlainAdbNode {
    double lower[3], upper[3]; // thickened
    uint32_t child, childCount;
    uint32_t depth;
    uint32_t firstTriangle, triangleCount; // of a leaf, in the order
    double count;                          // possible collision cells
    double regions[8];
} PlainAdbNode;

typedef struct PlainAdbDef {
    uint32_t resolution; // at most 16
    grzAdbRegions regions;
    double areaFactor;
    const double* others; // further constants for PlainAdb_Use; they outlive the tree, and have no regions
    uint32_t otherCount;
} PlainAdbDef;

typedef struct PlainAdb {
    grzAllocator allocator;
    PlainAdbDef def;
    PlainAdbNode* nodes;
    uint16_t* counts;     // 1 + otherCount for each node
    double (*corners)[9]; // triangles in the order of the leaves
    double* logs;         // of factorials
    size_t nodeCount, triangleCount;
    uint32_t maxDepth;
    double least;
} PlainAdb;

// Copies the tree, with triangles. False where memory is refused; then too it is to be released.
bool PlainAdb_FromBvh(PlainAdb* adb, const PlainBvh* bvh, const float* positions, PlainAdbDef def,
                      grzAllocator allocator);

// The boxes of a model in the order of their numbers, level by level; at least one triangle.
bool PlainAdb_FromModel(PlainAdb* adb, const grzModel* model, const float* positions, PlainAdbDef def,
                        grzAllocator allocator);
void PlainAdb_Release(PlainAdb* adb);

// From now on counts are those of a constant: 0 is def.areaFactor, k is def.others[k - 1].
void PlainAdb_Use(PlainAdb* adb, uint32_t k);

typedef struct PlainAdbQuery {
    const PlainAdb *a, *b;
    double turn[3][3], shift[3], scale; // from B's frame into A's: p -> scale * turn p + shift
    double pMin;
    uint32_t kMin;
    grzAdbVolume volume;
    double sphereRatio;
    uint64_t mostChances; // a walk is given up after so many; 0: never
    uint32_t found;       // what a walk came to
    uint64_t steps, chances;
    bool isGivenUp; // touches is false then
    uint32_t bestX; // the x at which equation 8 was greatest in the last chance
} PlainAdbQuery;

// computeProb of figure 5, of nodes a and b.
double PlainAdb_Chance(PlainAdbQuery* query, uint32_t a, uint32_t b);

// The traversal of figure 3. touches: its answer. False where memory is refused.
bool PlainAdb_Walk(PlainAdbQuery* query, bool* touches);

#endif
