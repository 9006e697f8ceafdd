// What: which counts of a tree are stale, and counting again.
// Promise: a count that is not stale is the one that a new tree would have.
// Idea: a chunk, 64 leaves, is the unit. Its boxes are those leaves, the eight nodes above them and the one above these. Boxes
//   above all chunks are counted together, as the chunk after the last.
//
//   A model's revision tells that it has been refit. Then the leaves of each chunk are hashed: a chunk with another hash than
//   before has moved. Its counts are stale, and so are those of all chunks whose boxes overlap where its boxes are or were:
//   triangles of other chunks count in a box as well, definition 1.
// Cost: of a look at a model that was refit, some 10 ns a triangle; 56 bytes a chunk.
#include <math.h>
#include <string.h>

#include "adb_inside.h"
#include "check.h"
#include "hash.h"
#include "model_chunks.h"
#include "refuse_null.h"

#define LEAST_PART 0x1p-20 // of the model's longest side: how thick a point is, at least

enum { CHUNK_LEVELS = 2, CHUNK_LEAVES = GRZ_BVH_WIDTH * GRZ_BVH_WIDTH };

uint32_t grzAdbTree_ChunkLevel(const grzAdbTree* tree) {
    return tree->leafLevel > CHUNK_LEVELS ? tree->leafLevel - CHUNK_LEVELS : 0;
}

// ------------------------------------------------------------------------------------------------------- counting

static void setBox(grzAdbTree* tree, const grzModel* model, uint32_t ref) {
    const uint32_t index = grzAdbTree_Index(tree, ref);
    const AdbCount found = grzAdbTree_CountBox(tree, model, ref);
    tree->counts[index] = found.count;
    if (tree->regionCounts != NULL)
        tree->regionCounts[index] = found.regions;
}

// The boxes of a chunk on a level: from *first on. Returns how many; `width` is their number in a whole chunk.
static uint32_t boxesOf(const grzAdbTree* tree, uint32_t chunk, uint32_t level, uint32_t* first) {
    const uint32_t width = 1u << 3 * (level - grzAdbTree_ChunkLevel(tree));
    const uint32_t left = grzAdbTree_LevelCount(tree, level) - chunk * width;
    *first = level << ADB_LEVEL_SHIFT | chunk * width;
    return left < width ? left : width;
}

static void countPending(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    grzAdbTree* tree = context;
    (void)worker;
    for (uint32_t i = begin; i < end; ++i)
        for (uint32_t level = grzAdbTree_ChunkLevel(tree); level <= tree->leafLevel; ++level) {
            uint32_t first;
            const uint32_t count = boxesOf(tree, tree->pending[i], level, &first);
            for (uint32_t k = 0; k < count; ++k)
                setBox(tree, tree->model, first + k);
        }
}

static void countAbove(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    grzAdbTree* tree = context;
    (void)worker;
    for (uint32_t i = begin; i < end; ++i) {
        uint32_t level = 0;
        while (i >= tree->levelStarts[level + 1])
            level++;
        setBox(tree, tree->model, level << ADB_LEVEL_SHIFT | (i - tree->levelStarts[level]));
    }
}

typedef struct Cubing {
    grzAdbTree* tree;
    const grzModel* model;
} Cubing;

static void countCubes(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    const Cubing* cubing = context;
    (void)worker;
    for (uint32_t i = begin; i < end; ++i)
        setBox(cubing->tree, cubing->model, i);
}

void grzAdbTree_CountCubes(grzAdbTree* tree, const grzModel* model, grzTasks* tasks) {
    Cubing cubing = {tree, model};
    grzParallelFor(tasks, tree->boxCount, 16, countCubes, &cubing);
}

// ------------------------------------------------------------------------------------------------------- staleness

static bool isStale(const grzAdbTree* tree, uint32_t chunk) {
    return (tree->stale[chunk / 64] >> chunk % 64 & 1) != 0;
}

static void setStale(grzAdbTree* tree, uint32_t chunk) {
    tree->stale[chunk / 64] |= (uint64_t)1 << chunk % 64;
}

static void clearStale(grzAdbTree* tree, uint32_t chunk) {
    tree->stale[chunk / 64] &= ~((uint64_t)1 << chunk % 64);
}

static uint32_t countStale(const grzAdbTree* tree) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < grzAdbTree_StaleWords(tree); ++i)
        count += (uint32_t)__builtin_popcountll(tree->stale[i]);
    return count;
}

// Around all boxes of a chunk, thick as for the counts: triangles elsewhere do not count in them.
static AdbExtent extentOf(const grzAdbTree* tree, uint32_t chunk) {
    AdbExtent extent;
    for (int i = 0; i < 3; ++i)
        extent.lower[i] = (double)INFINITY, extent.upper[i] = -(double)INFINITY;
    for (uint32_t level = grzAdbTree_ChunkLevel(tree); level <= tree->leafLevel; ++level) {
        uint32_t first;
        const uint32_t count = boxesOf(tree, chunk, level, &first);
        for (uint32_t k = 0; k < count; ++k) {
            const AdbBox box = grzAdbTree_Box(tree, first + k);
            for (int i = 0; i < 3; ++i) {
                extent.lower[i] = fmin(extent.lower[i], box.center[i] - box.half[i]);
                extent.upper[i] = fmax(extent.upper[i], box.center[i] + box.half[i]);
            }
        }
    }
    return extent;
}

static bool doOverlap(const AdbExtent* a, const AdbExtent* b) {
    for (int i = 0; i < 3; ++i)
        if (a->lower[i] > b->upper[i] || b->lower[i] > a->upper[i])
            return false;
    return true;
}

// Where one has moved or is now, counts of others are stale.
static void spread(grzAdbTree* tree, const AdbExtent* moved) {
    for (uint32_t chunk = 0; chunk < tree->chunkCount; ++chunk)
        if (!isStale(tree, chunk) && doOverlap(moved, &tree->chunks[chunk].now))
            setStale(tree, chunk);
}

typedef struct Look {
    grzAdbTree* tree;
    bool isNew; // all chunks count as moved
} Look;

static void lookAtChunks(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    const Look* look = context;
    const grzModel* model = look->tree->model;
    (void)worker;
    for (uint32_t i = begin; i < end; ++i) {
        AdbChunk* chunk = &look->tree->chunks[i];
        const uint32_t first = i * CHUNK_LEAVES, left = model->leafCount - first;
        const uint32_t count = left < CHUNK_LEAVES ? left : CHUNK_LEAVES;
        const uint64_t hash = grzHashBytes(&model->leaves[first], count * sizeof *model->leaves, 0);
        chunk->hasMoved = look->isNew || chunk->hash != hash;
        chunk->hash = hash;
        chunk->before = chunk->now;
        if (chunk->hasMoved)
            chunk->now = extentOf(look->tree, i);
    }
}

// A power of two, so that it seldom changes while a mesh deforms: then the boxes of all chunks may.
double grzAdb_LeastOf(const grzModel* model) {
    int exponent;
    const grzVec3 size = grzSub(model->box.upper, model->box.lower);
    const double longest = fmax((double)size.x, fmax((double)size.y, (double)size.z));
    if (model->leafCount == 0 || !(longest > 0))
        return 1;
    frexp(longest, &exponent);
    return ldexp(LEAST_PART, exponent);
}

void grzAdbTree_Look(grzAdbTree* tree, grzTasks* tasks) {
    bool isAny = false;
    if (tree->model == NULL || tree->revision == tree->model->revision)
        return;
    grzModel_MakeAll(tree->model);
    const double least = grzAdb_LeastOf(tree->model);
    Look look = {tree, tree->revision == 0 || least != tree->least};
    tree->least = least;
    tree->revision = tree->model->revision;
    grzParallelFor(tasks, tree->chunkCount, 4, lookAtChunks, &look);
    for (uint32_t i = 0; i < tree->chunkCount; ++i)
        if (tree->chunks[i].hasMoved)
            setStale(tree, i), isAny = true;
    for (uint32_t i = 0; i < tree->chunkCount && !look.isNew; ++i)
        if (tree->chunks[i].hasMoved)
            spread(tree, &tree->chunks[i].before), spread(tree, &tree->chunks[i].now);
    if (isAny && grzAdbTree_ChunkLevel(tree) != 0)
        setStale(tree, tree->chunkCount);
}

uint32_t grzAdbTree_Refresh(grzAdbTree* tree, grzTasks* tasks, uint32_t most) {
    GRZ_RETURN_IF_NULL(tree, 0);
    uint32_t count = 0;
    grzAdbTree_Look(tree, tasks);
    for (uint32_t chunk = 0; chunk < tree->chunkCount && count < most; ++chunk)
        if (isStale(tree, chunk)) {
            clearStale(tree, chunk);
            tree->pending[count++] = chunk;
        }
    grzParallelFor(tasks, count, 1, countPending, tree);
    if (count < most && isStale(tree, tree->chunkCount)) {
        clearStale(tree, tree->chunkCount);
        grzParallelFor(tasks, tree->levelStarts[grzAdbTree_ChunkLevel(tree)], 1, countAbove, tree);
    }
    return countStale(tree);
}

grzAdbTreeView grzAdbTree_GetView(grzAdbTree* tree) {
    GRZ_RETURN_IF_NULL(tree, (grzAdbTreeView){0});
    uint32_t bytes = sizeof *tree->counts;
    grzAdbTree_Look(tree, NULL);
    bytes += tree->regionCounts != NULL ? (uint32_t)sizeof *tree->regionCounts : 0;
    bytes += tree->model == NULL ? (uint32_t)sizeof *tree->cubes.data : 0;
    return (grzAdbTreeView){.boxCount = tree->boxCount,
                            .bytesPerBox = bytes,
                            .levelCount = tree->leafLevel + 1,
                            .chunkCount = tree->chunkCount,
                            .staleCount = countStale(tree),
                            .stale = tree->stale};
}

// ---------------------------------------------------------------------------------------------------------- checks

static bool isBoxRight(const grzAdbTree* tree, uint32_t level, uint32_t number) {
    const uint32_t top = grzAdbTree_ChunkLevel(tree);
    const uint32_t chunk = level < top ? tree->chunkCount : number >> 3 * (level - top);
    const uint32_t ref = level << ADB_LEVEL_SHIFT | number, index = grzAdbTree_Index(tree, ref);
    if (isStale(tree, chunk))
        return true;
    const AdbCount expected = grzAdbTree_CountBox(tree, tree->model, ref);
    return tree->counts[index] == expected.count &&
           (tree->regionCounts == NULL ||
            memcmp(&tree->regionCounts[index], &expected.regions, sizeof expected.regions) == 0);
}

static bool isCubeRight(const grzAdbTree* tree, uint32_t index) {
    const AdbCube* cube = &tree->cubes.data[index];
    bool isGood = tree->counts[index] <= tree->cellCount && cube->level <= tree->leafLevel;
    for (uint32_t k = 0; k < cube->childCount && isGood; ++k) {
        const uint32_t at = cube->firstChild + k;
        isGood = at > index && at < tree->boxCount && tree->cubes.data[at].level == cube->level + 1 &&
                 tree->cubes.data[at].half == 0.5F * cube->half;
    }
    return isGood;
}

static bool report(uint32_t level, uint32_t number) {
    grzLog(grz_logError, "ADB-tree: box %u of level %u is not what it should be", number, level);
    return false;
}

bool grzAdbTree_Validate(grzAdbTree* tree) {
    GRZ_RETURN_IF_NULL(tree, false);
    grzAdbTree_Look(tree, NULL);
    for (uint32_t i = 0; i < tree->boxCount && tree->model == NULL; ++i)
        if (!isCubeRight(tree, i))
            return report(tree->cubes.data[i].level, i);
    for (uint32_t level = 0; level <= tree->leafLevel && tree->model != NULL && tree->chunkCount != 0; ++level)
        for (uint32_t number = 0; number < grzAdbTree_LevelCount(tree, level); ++number)
            if (!isBoxRight(tree, level, number))
                return report(level, number);
    return true;
}
