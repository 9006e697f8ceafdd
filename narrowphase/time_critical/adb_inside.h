// What: how an ADB-tree lies in memory, and the questions that a walk asks of it.
//
//   A box is named by a ref. Of a model: level << 28 | number, as narrowphase/model/model_inside.h has levels and numbers; the
//   box itself is the model's. Of an octree: the number of its cube. Counts lie in one array, in the order of numbers, level
//   by level:
//
//     counts[i]    possible collision cells of box i                      2 bytes
//     regions[i]   of each of its regions, in 255ths of the region's cells  8 bytes, only where the def asks for regions
//
// Threads: reads only.
#ifndef GRAZE_NARROWPHASE_ADB_INSIDE_H
#define GRAZE_NARROWPHASE_ADB_INSIDE_H

#include "adb_cells.h"
#include "array.h"
#include "graze/host.h"
#include "model_inside.h"

enum { ADB_LEVEL_SHIFT = 28, ADB_INDEX_MASK = (1 << ADB_LEVEL_SHIFT) - 1 };

typedef struct AdbCube {
    float center[3], half;
    uint32_t firstChild;
    uint8_t childCount, level;
    uint8_t pad[2];
} AdbCube;

typedef struct AdbRegionCounts {
    uint8_t shares[ADB_MOST_REGIONS];
} AdbRegionCounts;

typedef struct AdbCubes {
    GRZ_ARRAY(AdbCube);
} AdbCubes;

typedef struct AdbExtent {
    double lower[3], upper[3];
} AdbExtent;

// 64 leaves of a model and the boxes above them, as adb_refresh.c last saw them.
typedef struct AdbChunk {
    uint64_t hash;         // of the leaves
    AdbExtent now, before; // before: at the look before the last
    bool hasMoved;         // at the last look
} AdbChunk;

struct grzAdbTree {
    grzAllocator allocator;
    const grzModel* model;        // NULL: an octree
    AdbCubes cubes;               // of an octree: boxCount
    uint32_t boxCount, leafLevel; // the deepest level
    uint32_t levelStarts[GRZ_BVH_MAX_LEVELS + 3];
    uint16_t* counts;
    AdbRegionCounts* regionCounts; // NULL: none
    uint32_t resolution, cellCount;
    grzAdbRegions regions;
    float areaFactor;
    uint32_t regionCells[ADB_MOST_REGIONS]; // how many cells each has
    double least;                           // thickness of a box that is a point
    double* logs;                           // cellCount + 1 log-factorials
    uint64_t revision;                      // of the model, at the last look; of an octree, when it was made
    uint64_t* stale;                        // chunkCount + 1 bits
    uint32_t* pending;                      // for the chunks of a refresh
    AdbChunk* chunks;                       // chunkCount
    uint32_t chunkCount;
};

static inline uint32_t grzAdbTree_Index(const grzAdbTree* tree, uint32_t ref) {
    return tree->model == NULL ? ref : tree->levelStarts[ref >> ADB_LEVEL_SHIFT] + (ref & ADB_INDEX_MASK);
}

static inline uint32_t grzAdbTree_Level(const grzAdbTree* tree, uint32_t ref) {
    return tree->model == NULL ? tree->cubes.data[ref].level : ref >> ADB_LEVEL_SHIFT;
}

static inline uint32_t grzAdbTree_LevelCount(const grzAdbTree* tree, uint32_t level) {
    return tree->levelStarts[level + 1] - tree->levelStarts[level];
}

// As thick as its cells.
static inline AdbBox grzAdbTree_Box(const grzAdbTree* tree, uint32_t ref) {
    double lower[3], upper[3];
    for (int i = 0; i < 3; ++i) {
        if (tree->model == NULL) {
            const AdbCube* cube = &tree->cubes.data[ref];
            lower[i] = (double)cube->center[i] - (double)cube->half;
            upper[i] = (double)cube->center[i] + (double)cube->half;
            continue;
        }
        const uint32_t index = ref & ADB_INDEX_MASK, lane = index % GRZ_BVH_WIDTH;
        const grzBvhNode* node = tree->model->levels[ref >> ADB_LEVEL_SHIFT] + index / GRZ_BVH_WIDTH;
        lower[i] = (double)node->lower[i][lane];
        upper[i] = (double)node->upper[i][lane];
    }
    return grzAdbBox_Thicken(lower, upper, tree->least);
}

// Children are *first and those that follow it; none: a leaf.
static inline uint32_t grzAdbTree_Children(const grzAdbTree* tree, uint32_t ref, uint32_t* first) {
    if (tree->model == NULL) {
        *first = tree->cubes.data[ref].firstChild;
        return tree->cubes.data[ref].childCount;
    }
    const uint32_t level = ref >> ADB_LEVEL_SHIFT, number = (ref & ADB_INDEX_MASK) * GRZ_BVH_WIDTH;
    if (level == tree->leafLevel)
        return 0;
    const uint32_t left = grzAdbTree_LevelCount(tree, level + 1) - number;
    *first = (level + 1) << ADB_LEVEL_SHIFT | number;
    return left < GRZ_BVH_WIDTH ? left : GRZ_BVH_WIDTH;
}

// The possible collision cells of a region: exact where it has 255 cells or fewer.
static inline uint32_t grzAdbTree_RegionCount(const grzAdbTree* tree, uint32_t index, uint32_t region) {
    return (tree->regionCounts[index].shares[region] * tree->regionCells[region] + 127) / 255;
}

// [Klein 2003] definition 1: adds the areas of all polygons of the object that the grid's box contains or intersects. Returns
// how many these are, but for those without area there.
uint32_t grzAdb_Gather(const grzModel* model, const AdbBox* box, const AdbGrid* grid, double* areas);

// What the cells of a box come to, of the triangles that the model has now.
typedef struct AdbCount {
    uint16_t count;
    AdbRegionCounts regions;
} AdbCount;
AdbCount grzAdbTree_CountBox(const grzAdbTree* tree, const grzModel* model, uint32_t ref);

// The highest level whose boxes belong to chunks.
uint32_t grzAdbTree_ChunkLevel(const grzAdbTree* tree);

// Notices whether the model has been refit, and what is stale by that.
void grzAdbTree_Look(grzAdbTree* tree, grzTasks* tasks);

static inline uint32_t grzAdbTree_StaleWords(const grzAdbTree* tree) {
    return tree->chunkCount / 64 + 1;
}

// Counts of an octree, which are taken once.
void grzAdbTree_CountCubes(grzAdbTree* tree, const grzModel* model, grzTasks* tasks);

// How thick a box of the model is at least: a point has this size.
double grzAdb_LeastOf(const grzModel* model);

// Cuts cubes; counts are made by others. False where memory is refused; what is there is released with the tree.
bool grzAdbTree_MakeCubes(grzAdbTree* tree, const grzModel* model);

#endif
