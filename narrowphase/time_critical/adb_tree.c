// What: makes ADB-trees over the boxes of models, and keeps their counts up to date.
// Promise: as graze/stage/adb_tree.h says. A refreshed tree has the bytes of a new one.
// Idea: the triangles of a box's cells are those of the whole object, definition 1: for each box the hierarchy is walked from its
//   root to the leaves that overlap the box.
//
//   A chunk, 64 leaves, is the unit of refresh. Its boxes are those leaves, the eight nodes above them and the one above
//   these. Boxes above all chunks are counted together, as the chunk after the last.
// Cost: 2 bytes a box, 10 with regions, and 4 KB of log-factorials (32 KB with 16 cells an axis).
// Based on: [Klein and Zachmann, Time-Critical Collision Detection Using an Average-Case Approach, VRST 2003] sections 3.2 to
//   3.4. We differ: eight children a node and four triangles a leaf; the volume of a box is computed when it is asked for, and
//   not kept; counts of regions are rounded to 255ths of the region's cells.
#include "adb_inside.h"

#include <math.h>
#include <string.h>

#include "adb_chance.h"
#include "check.h"
#include "memory.h"

#define TREE_MARK  0x41444254u
#define LEAST_PART 0x1p-20 // of the model's longest side: how thick a point is

enum { CHUNK_LEVELS = 2, ALIGNMENT = 64 };

grzAdbTreeDef grzDefaultAdbTreeDef(void) {
    grzAdbTreeDef def;
    memset(&def, 0, sizeof def);
    def.mark = TREE_MARK;
    def.cellsPerAxis = 8;
    def.areaFactor = 0.4F;
    return def;
}

// ---------------------------------------------------------------------------------------------------------- counts

// What the cells of a box come to.
typedef struct BoxCount {
    uint16_t count;
    AdbRegionCounts regions;
} BoxCount;

static BoxCount sumCells(const grzAdbTree* tree, const AdbGrid* grid, const double* areas) {
    BoxCount found;
    uint32_t inRegion[ADB_MOST_REGIONS] = {0};
    memset(&found, 0, sizeof found);
    for (uint32_t cell = 0; cell < tree->cellCount; ++cell) {
        if (!(areas[cell] > 0) || areas[cell] < grid->area) // [Klein 2003] definition 2
            continue;
        found.count++;
        inRegion[grzAdbGrid_Region(tree->regions, tree->resolution, cell)]++;
    }
    for (uint32_t r = 0; r < grzAdbRegions_Count(tree->regions); ++r)
        found.regions.shares[r] = (uint8_t)((255 * inRegion[r] + tree->regionCells[r] / 2) / tree->regionCells[r]);
    return found;
}

typedef struct Gathering {
    const grzModel* model;
    const AdbGrid* grid;
    double* areas;
    double lower[3], upper[3];
    uint32_t count;
} Gathering;

static bool overlaps(const Gathering* gathering, uint32_t level, uint32_t number) {
    const grzBvhNode* node = gathering->model->levels[level] + number / GRZ_BVH_WIDTH;
    const uint32_t lane = number % GRZ_BVH_WIDTH;
    for (int i = 0; i < 3; ++i)
        if ((double)node->upper[i][lane] < gathering->lower[i] ||
            (double)node->lower[i][lane] > gathering->upper[i])
            return false;
    return true;
}

static void addLeaf(Gathering* gathering, const ModelLeaf* leaf) {
    for (uint32_t k = 0; k < leaf->count; ++k) {
        double corners[9];
        for (uint32_t corner = 0; corner < 3; ++corner)
            for (uint32_t i = 0; i < 3; ++i)
                corners[3 * corner + i] = (double)leaf->at[i][4 * corner + k];
        gathering->count += grzAdbGrid_Add(gathering->grid, corners, gathering->areas) > 0;
    }
}

// As deep as the hierarchy. Children that are not there overlap nothing.
static void gather(Gathering* gathering, uint32_t level, uint32_t number) {
    const grzModel* model = gathering->model;
    if (!overlaps(gathering, level, number))
        return;
    if (level == model->leafLevel)
        addLeaf(gathering, &model->leaves[number]);
    else
        for (uint32_t k = 0; k < GRZ_BVH_WIDTH; ++k)
            gather(gathering, level + 1, number * GRZ_BVH_WIDTH + k);
}

uint32_t grzAdb_Gather(const grzModel* model, const AdbBox* box, const AdbGrid* grid, double* areas) {
    Gathering gathering = {.model = model, .grid = grid, .areas = areas};
    for (int i = 0; i < 3; ++i) {
        gathering.lower[i] = box->center[i] - box->half[i];
        gathering.upper[i] = box->center[i] + box->half[i];
    }
    gather(&gathering, 0, 0);
    return gathering.count;
}

static BoxCount countBox(const grzAdbTree* tree, const grzModel* model, uint32_t ref) {
    double areas[ADB_MOST_CELLS];
    const AdbBox box = grzAdbTree_Box(tree, ref);
    const AdbGrid grid = grzAdbGrid_Make(&box, tree->resolution, (double)tree->areaFactor);
    memset(areas, 0, tree->cellCount * sizeof *areas);
    grzAdb_Gather(model, &box, &grid, areas);
    return sumCells(tree, &grid, areas);
}

// Whose counts, and of which positions.
typedef struct Counting {
    grzAdbTree* tree;
    const grzModel* model;
} Counting;

static void setBox(const Counting* counting, uint32_t ref) {
    grzAdbTree* tree = counting->tree;
    const uint32_t index = grzAdbTree_Index(tree, ref);
    const BoxCount found = countBox(tree, counting->model, ref);
    tree->counts[index] = found.count;
    if (tree->regionCounts != NULL)
        tree->regionCounts[index] = found.regions;
}

// The highest level whose boxes belong to chunks.
static uint32_t chunkLevel(const grzAdbTree* tree) {
    return tree->leafLevel > CHUNK_LEVELS ? tree->leafLevel - CHUNK_LEVELS : 0;
}

static void countChunk(const Counting* counting, uint32_t chunk) {
    const grzAdbTree* tree = counting->tree;
    uint32_t width = 1;
    for (uint32_t level = chunkLevel(tree); level <= tree->leafLevel; ++level, width *= GRZ_BVH_WIDTH)
        for (uint32_t k = 0; k < width && chunk * width + k < grzAdbTree_LevelCount(tree, level); ++k)
            setBox(counting, level << ADB_LEVEL_SHIFT | (chunk * width + k));
}

static void countPending(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    const Counting* counting = context;
    (void)worker;
    for (uint32_t i = begin; i < end; ++i)
        countChunk(counting, counting->tree->pending[i]);
}

static void countAbove(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    const Counting* counting = context;
    (void)worker;
    for (uint32_t i = begin; i < end; ++i) {
        uint32_t level = 0;
        while (i >= counting->tree->levelStarts[level + 1])
            level++;
        setBox(counting, level << ADB_LEVEL_SHIFT | (i - counting->tree->levelStarts[level]));
    }
}

static void countCubes(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    (void)worker;
    for (uint32_t i = begin; i < end; ++i)
        setBox(context, i);
}

// ------------------------------------------------------------------------------------------------------- staleness

static bool isStale(const grzAdbTree* tree, uint32_t chunk) {
    return (tree->stale[chunk / 64] >> chunk % 64 & 1) != 0;
}

static void setStale(grzAdbTree* tree, uint32_t chunk) {
    tree->stale[chunk / 64] |= (uint64_t)1 << chunk % 64;
}

static uint32_t staleWords(const grzAdbTree* tree) {
    return tree->chunkCount / 64 + 1;
}

static uint32_t countStale(const grzAdbTree* tree) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < staleWords(tree); ++i)
        count += (uint32_t)__builtin_popcountll(tree->stale[i]);
    return count;
}

uint32_t grzAdbTree_Refresh(grzAdbTree* tree, grzTasks* tasks, uint32_t most) {
    uint32_t count = 0, left = most != 0 ? most : UINT32_MAX;
    if (tree->model == NULL || tree->model->leafCount == 0 || !grzAdbTree_FitsModel(tree))
        return countStale(tree);
    for (uint32_t chunk = 0; chunk < tree->chunkCount && left != 0; ++chunk) {
        if (!isStale(tree, chunk))
            continue;
        tree->stale[chunk / 64] &= ~((uint64_t)1 << chunk % 64);
        tree->pending[count++] = chunk;
        left--;
    }
    Counting counting = {tree, tree->model};
    grzParallelFor(tasks, count, 1, countPending, &counting);
    if (left != 0 && isStale(tree, tree->chunkCount)) {
        tree->stale[tree->chunkCount / 64] &= ~((uint64_t)1 << tree->chunkCount % 64);
        grzParallelFor(tasks, tree->levelStarts[chunkLevel(tree)], 1, countAbove, &counting);
    }
    return countStale(tree);
}

// What the boxes of a chunk can reach. None is longer than the chunk's, so thickening moves no side farther than that one's.
static AdbExtent extentOf(const grzAdbTree* tree, uint32_t chunk) {
    const AdbBox box = grzAdbTree_Box(tree, chunkLevel(tree) << ADB_LEVEL_SHIFT | chunk);
    const double more = fmax(box.half[0], fmax(box.half[1], box.half[2])) / 32;
    AdbExtent extent;
    for (int i = 0; i < 3; ++i) {
        extent.lower[i] = box.center[i] - box.half[i] - more;
        extent.upper[i] = box.center[i] + box.half[i] + more;
    }
    return extent;
}

static bool doOverlap(const AdbExtent* a, const AdbExtent* b) {
    for (int i = 0; i < 3; ++i)
        if (a->lower[i] > b->upper[i] || b->lower[i] > a->upper[i])
            return false;
    return true;
}

// Triangles of other chunks count in a box as well, so that what has left or come near makes it stale.
static void spread(grzAdbTree* tree, const AdbExtent* moved) {
    for (uint32_t chunk = 0; chunk < tree->chunkCount; ++chunk)
        if (!isStale(tree, chunk) && doOverlap(moved, &tree->extents[chunk]))
            setStale(tree, chunk);
}

static void setLeast(grzAdbTree* tree, grzBox box) {
    const grzVec3 size = grzSub(box.upper, box.lower);
    const double longest = fmax((double)size.x, fmax((double)size.y, (double)size.z));
    tree->least = longest > 0 ? LEAST_PART * longest : 1;
}

static void markSome(grzAdbTree* tree, const uint64_t* dirtyChunks) {
    bool isAny = false;
    for (uint32_t chunk = 0; chunk < tree->chunkCount; ++chunk) {
        if ((dirtyChunks[chunk / 64] >> chunk % 64 & 1) == 0)
            continue;
        const AdbExtent before = tree->extents[chunk];
        tree->extents[chunk] = extentOf(tree, chunk);
        setStale(tree, chunk);
        spread(tree, &before);
        spread(tree, &tree->extents[chunk]);
        isAny = true;
    }
    if (isAny && chunkLevel(tree) != 0)
        setStale(tree, tree->chunkCount);
}

static void markAll(grzAdbTree* tree) {
    for (uint32_t chunk = 0; chunk < tree->chunkCount; ++chunk) {
        tree->extents[chunk] = extentOf(tree, chunk);
        setStale(tree, chunk);
    }
    if (chunkLevel(tree) != 0)
        setStale(tree, tree->chunkCount);
}

grzResult grzAdbTree_Mark(grzAdbTree* tree, const uint64_t* dirtyChunks) {
    if (tree->model == NULL)
        return grzBecause(grzFail(grz_badArgument, 1), "an octree does not follow its model");
    if (!grzAdbTree_FitsModel(tree))
        return grzBecause(grzFail(grz_badArgument, 1), "the model has been rebuilt with other counts");
    const double least = tree->least;
    if (tree->model->leafCount == 0)
        return grzOk();
    setLeast(tree, tree->model->box);
    // How thick points are changes the boxes of all.
    if (dirtyChunks == NULL || tree->least != least)
        markAll(tree);
    else
        markSome(tree, dirtyChunks);
    return grzOk();
}

// ------------------------------------------------------------------------------------------------------------- life

static const char* flawOf(const grzAdbTreeDef* def) {
    if (def->model == NULL)
        return "model is NULL";
    if ((unsigned)def->shape > grz_adbOctree)
        return "shape is no grzAdbShape";
    if (def->cellsPerAxis != 4 && def->cellsPerAxis != 8 && def->cellsPerAxis != 16)
        return "cellsPerAxis is not 4, 8 or 16";
    if ((unsigned)def->regions > grz_adbPyramids)
        return "regions is no grzAdbRegions";
    if (!(def->areaFactor > 0) || !isfinite(def->areaFactor))
        return "areaFactor is not above 0";
    return NULL;
}

static void layOut(grzAdbTree* tree, const grzModel* model) {
    const grzBvhView view = grzBvh_GetView(model->bvh);
    tree->leafLevel = model->leafLevel;
    tree->levelStarts[0] = 0;
    tree->levelStarts[1] = 1;
    for (uint32_t level = 1; level <= tree->leafLevel; ++level) {
        const uint32_t nodes = level < view.levelCount ? view.levelStarts[level + 1] - view.levelStarts[level] : 0;
        tree->levelStarts[level + 1] =
            tree->levelStarts[level] + (level == tree->leafLevel ? view.leafCount : nodes);
    }
    tree->boxCount = tree->levelStarts[tree->leafLevel + 1];
    tree->chunkCount = view.leafCount == 0 ? 0 : grzAdbTree_LevelCount(tree, chunkLevel(tree));
}

static bool makeArrays(grzAdbTree* tree) {
    const grzAllocator* allocator = &tree->allocator;
    tree->counts = grzAllocate(allocator, tree->boxCount, sizeof *tree->counts, ALIGNMENT);
    if (tree->regions != grz_adbNoRegions)
        tree->regionCounts = grzAllocate(allocator, tree->boxCount, sizeof *tree->regionCounts, ALIGNMENT);
    tree->stale = grzAllocate(allocator, staleWords(tree), sizeof *tree->stale, ALIGNMENT);
    tree->pending = grzAllocate(allocator, (size_t)tree->chunkCount + 1, sizeof *tree->pending, ALIGNMENT);
    tree->extents = grzAllocate(allocator, (size_t)tree->chunkCount + 1, sizeof *tree->extents, ALIGNMENT);
    if (tree->counts == NULL || (tree->regions != grz_adbNoRegions && tree->regionCounts == NULL) ||
        tree->stale == NULL || tree->pending == NULL || tree->extents == NULL)
        return false;
    memset(tree->stale, 0, staleWords(tree) * sizeof *tree->stale);
    memset(tree->counts, 0, tree->boxCount * sizeof *tree->counts);
    if (tree->regionCounts != NULL)
        memset(tree->regionCounts, 0, tree->boxCount * sizeof *tree->regionCounts);
    return true;
}

static void setRegionCells(grzAdbTree* tree) {
    for (uint32_t cell = 0; cell < tree->cellCount; ++cell)
        tree->regionCells[grzAdbGrid_Region(tree->regions, tree->resolution, cell)]++;
}

// What is made stays in the tree for destroy. False where memory is refused.
static bool fillTree(grzAdbTree* tree, const grzAdbTreeDef* def) {
    tree->logs = grzAllocate(&tree->allocator, tree->cellCount + 1, sizeof *tree->logs, ALIGNMENT);
    if (tree->logs == NULL)
        return false;
    grzAdbLogs_Make(tree->logs, tree->cellCount + 1);
    setLeast(tree, def->model->box);
    setRegionCells(tree);
    if (def->shape == grz_adbOctree) {
        Counting counting = {tree, def->model};
        if (!grzAdbTree_MakeCubes(tree, def->model) || !makeArrays(tree))
            return false;
        grzParallelFor(def->tasks, tree->boxCount, 16, countCubes, &counting);
        return true;
    }
    tree->model = def->model;
    layOut(tree, def->model);
    if (!makeArrays(tree))
        return false;
    if (def->model->leafCount != 0)
        markAll(tree);
    grzAdbTree_Refresh(tree, def->tasks, 0);
    return true;
}

grzResult grzAdbTree_Create(const grzAdbTreeDef* def, grzAdbTree** made) {
    *made = NULL;
    if (def == NULL || def->mark != TREE_MARK)
        return grzFail(grz_badDef, 0);
    const char* flaw = flawOf(def);
    if (flaw != NULL)
        return grzBecause(grzFail(grz_badArgument, 1), flaw);
    const grzResult result = grzCheckAllocator(def->allocator, 1);
    if (!grzResult_IsOk(result))
        return result;
    const grzAllocator allocator = grzAllocator_OrDefault(def->allocator);
    grzAdbTree* tree = grzAllocate(&allocator, 1, sizeof *tree, ALIGNMENT);
    if (tree == NULL)
        return grzNoMemory(1, sizeof *tree);
    memset(tree, 0, sizeof *tree);
    tree->allocator = allocator;
    tree->resolution = def->cellsPerAxis;
    tree->cellCount = def->cellsPerAxis * def->cellsPerAxis * def->cellsPerAxis;
    tree->regions = def->regions;
    tree->areaFactor = def->areaFactor;
    if (fillTree(tree, def)) {
        *made = tree;
        return grzOk();
    }
    grzAdbTree_Destroy(tree);
    return grzNoMemory(1, sizeof *tree);
}

void grzAdbTree_Destroy(grzAdbTree* tree) {
    if (tree == NULL)
        return;
    const grzAllocator allocator = tree->allocator;
    grzRelease(&allocator, tree->logs, tree->cellCount + 1, sizeof *tree->logs, ALIGNMENT);
    grzRelease(&allocator, tree->counts, tree->boxCount, sizeof *tree->counts, ALIGNMENT);
    grzRelease(&allocator, tree->regionCounts, tree->boxCount, sizeof *tree->regionCounts, ALIGNMENT);
    grzRelease(&allocator, tree->stale, staleWords(tree), sizeof *tree->stale, ALIGNMENT);
    grzRelease(&allocator, tree->pending, (size_t)tree->chunkCount + 1, sizeof *tree->pending, ALIGNMENT);
    grzRelease(&allocator, tree->extents, (size_t)tree->chunkCount + 1, sizeof *tree->extents, ALIGNMENT);
    grzArray_Release(&tree->cubes, &allocator);
    grzRelease(&allocator, tree, 1, sizeof *tree, ALIGNMENT);
}

grzAdbTreeView grzAdbTree_GetView(const grzAdbTree* tree) {
    uint32_t bytes = sizeof *tree->counts;
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
    const uint32_t above = level < chunkLevel(tree) ? 0 : level - chunkLevel(tree);
    const uint32_t chunk = level < chunkLevel(tree) ? tree->chunkCount : number >> 3 * above;
    const uint32_t ref = level << ADB_LEVEL_SHIFT | number, index = grzAdbTree_Index(tree, ref);
    if (isStale(tree, chunk))
        return true;
    const BoxCount expected = countBox(tree, tree->model, ref);
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

bool grzAdbTree_Validate(const grzAdbTree* tree) {
    if (tree->model == NULL) {
        for (uint32_t i = 0; i < tree->boxCount; ++i)
            if (!isCubeRight(tree, i))
                return report(tree->cubes.data[i].level, i);
        return true;
    }
    for (uint32_t level = 0; level <= tree->leafLevel && tree->model->leafCount != 0 && grzAdbTree_FitsModel(tree);
         ++level)
        for (uint32_t number = 0; number < grzAdbTree_LevelCount(tree, level); ++number)
            if (!isBoxRight(tree, level, number))
                return report(level, number);
    return true;
}
