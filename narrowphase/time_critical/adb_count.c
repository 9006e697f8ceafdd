// What: counts the possible collision cells of a box.
// Idea: the triangles of a box's cells are those of the whole object, definition 1: for each box the hierarchy is walked from its
//   root to the leaves that overlap the box.
// Based on: [Klein and Zachmann, Time-Critical Collision Detection Using an Average-Case Approach, VRST 2003] sections 3.2 and
//   3.4.3. We differ: counts of regions are rounded to 255ths of the region's cells.
#include <string.h>

#include "adb_inside.h"

static AdbCount sumCells(const grzAdbTree* tree, const AdbGrid* grid, const double* areas) {
    AdbCount found;
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

AdbCount grzAdbTree_CountBox(const grzAdbTree* tree, const grzModel* model, uint32_t ref) {
    double areas[ADB_MOST_CELLS];
    const AdbBox box = grzAdbTree_Box(tree, ref);
    const AdbGrid grid = grzAdbGrid_Make(&box, tree->resolution, (double)tree->areaFactor);
    memset(areas, 0, tree->cellCount * sizeof *areas);
    grzAdb_Gather(model, &box, &grid, areas);
    return sumCells(tree, &grid, areas);
}
