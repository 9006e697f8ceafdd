// What: makes ADB-trees over the boxes of models.
// Cost: 2 bytes a box, 10 with regions, and 4 KB of log-factorials (32 KB with 16 cells an axis).
// Based on: [Klein and Zachmann, Time-Critical Collision Detection Using an Average-Case Approach, VRST 2003] sections 3.3 and 3.4.
//   We differ: eight children a node and four triangles a leaf; the volume of a box is computed when it is asked for, and
//   not kept.
#include <math.h>
#include <string.h>

#include "adb_chance.h"
#include "adb_inside.h"
#include "check.h"
#include "memory.h"
#include "model_chunks.h"
#include "owner.h"
#include "refuse_null.h"

#define TREE_MARK 0x41444254u

enum { ALIGNMENT = 64 };

grzAdbTreeDef grzDefaultAdbTreeDef(void) {
    grzAdbTreeDef def;
    memset(&def, 0, sizeof def);
    def.mark = TREE_MARK;
    def.cellsPerAxis = 8;
    def.areaFactor = 0.4F;
    return def;
}

static const char* flawOf(const grzAdbTreeDef* def) {
    if (def->model == NULL)
        return "model is NULL";
    if (def->model->bvh == NULL)
        return "model is of a source without bvh";
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
    tree->chunkCount = view.leafCount == 0 ? 0 : grzAdbTree_LevelCount(tree, grzAdbTree_ChunkLevel(tree));
}

static bool makeArrays(grzAdbTree* tree) {
    const grzAllocator* allocator = &tree->allocator;
    tree->counts = grzAllocate(allocator, tree->boxCount, sizeof *tree->counts, ALIGNMENT);
    if (tree->regions != grz_adbNoRegions)
        tree->regionCounts = grzAllocate(allocator, tree->boxCount, sizeof *tree->regionCounts, ALIGNMENT);
    tree->stale = grzAllocate(allocator, grzAdbTree_StaleWords(tree), sizeof *tree->stale, ALIGNMENT);
    tree->pending = grzAllocate(allocator, (size_t)tree->chunkCount + 1, sizeof *tree->pending, ALIGNMENT);
    tree->chunks = grzAllocate(allocator, (size_t)tree->chunkCount + 1, sizeof *tree->chunks, ALIGNMENT);
    if (tree->counts == NULL || (tree->regions != grz_adbNoRegions && tree->regionCounts == NULL) ||
        tree->stale == NULL || tree->pending == NULL || tree->chunks == NULL)
        return false;
    memset(tree->stale, 0, grzAdbTree_StaleWords(tree) * sizeof *tree->stale);
    memset(tree->chunks, 0, ((size_t)tree->chunkCount + 1) * sizeof *tree->chunks);
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
    setRegionCells(tree);
    if (def->shape == grz_adbOctree) {
        grzModel_MakeAll(def->model);
        tree->revision = def->model->revision;
        tree->least = grzAdb_LeastOf(def->model);
        if (!grzAdbTree_MakeCubes(tree, def->model) || !makeArrays(tree))
            return false;
        grzAdbTree_CountCubes(tree, def->model, def->tasks);
        return true;
    }
    tree->model = def->model;
    layOut(tree, def->model);
    if (!makeArrays(tree))
        return false;
    grzAdbTree_Refresh(tree, def->tasks, UINT32_MAX);
    return true;
}

grzResult grzAdbTree_Create(const grzAdbTreeDef* def, grzAdbTree** made) {
    GRZ_REFUSE_NULL(made, 2);
    *made = NULL;
    if (def == NULL || def->mark != TREE_MARK)
        return grzFail(grz_badDef, 0);
    const char* flaw = flawOf(def);
    if (flaw != NULL)
        return grzBecause(grzFail(grz_badArgument, 1), flaw);
    grzResult result;
    grzAllocator allocator = def->allocator;
    grzAdbTree* tree = grzOwner_New(&allocator, 1, sizeof *tree, ALIGNMENT, &result);
    if (tree == NULL)
        return result;
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
    grzRelease(&allocator, tree->stale, grzAdbTree_StaleWords(tree), sizeof *tree->stale, ALIGNMENT);
    grzRelease(&allocator, tree->pending, (size_t)tree->chunkCount + 1, sizeof *tree->pending, ALIGNMENT);
    grzRelease(&allocator, tree->chunks, (size_t)tree->chunkCount + 1, sizeof *tree->chunks, ALIGNMENT);
    grzArray_Release(&tree->cubes, &allocator);
    grzRelease(&allocator, tree, 1, sizeof *tree, ALIGNMENT);
}
