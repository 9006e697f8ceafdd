// What: an octree over the triangles of a model: cubes that hold more than four of them are cut into eight.
// Idea: the cubes lie level by level, those of one parent beside each other, so that the array is its own queue. What is in a cube is
//   asked of the model's hierarchy.
// Based on: [Klein and Zachmann, Time-Critical Collision Detection Using an Average-Case Approach, VRST 2003] section 4. The
//   paper does not say when its octree stops; ours stops at four triangles, as a leaf of a model, or after eight levels. It has
//   no cubes that no triangle has area in.
#include <math.h>

#include "adb_inside.h"

enum { MOST_TRIANGLES = 4, MOST_LEVELS = 8 };

static uint32_t countTriangles(const grzAdbTree* tree, const grzModel* model, uint32_t cube) {
    double area = 0;
    const AdbBox box = grzAdbTree_Box(tree, cube);
    const AdbGrid grid = grzAdbGrid_Make(&box, 1, 1);
    return grzAdb_Gather(model, &box, &grid, &area);
}

// The octants with triangles, behind all that is there.
static bool cut(grzAdbTree* tree, const grzModel* model, uint32_t parent) {
    AdbCubes* cubes = &tree->cubes;
    if (!grzArray_Reserve(cubes, &tree->allocator, cubes->count + 8))
        return false;
    const AdbCube from = cubes->data[parent];
    const float half = 0.5F * from.half;
    cubes->data[parent].firstChild = (uint32_t)cubes->count;
    for (uint32_t octant = 0; octant < 8; ++octant) {
        AdbCube* child = &cubes->data[cubes->count];
        *child = (AdbCube){.half = half, .level = (uint8_t)(from.level + 1)};
        for (uint32_t i = 0; i < 3; ++i)
            child->center[i] = from.center[i] + ((octant >> i & 1) != 0 ? half : -half);
        if (countTriangles(tree, model, (uint32_t)cubes->count) == 0)
            continue;
        cubes->data[parent].childCount++;
        cubes->count++;
    }
    tree->leafLevel = from.level + 1u;
    return true;
}

bool grzAdbTree_MakeCubes(grzAdbTree* tree, const grzModel* model) {
    if (!grzArray_Reserve(&tree->cubes, &tree->allocator, 1))
        return false;
    AdbCube root = {.half = (float)(0.5 * tree->least)};
    for (int i = 0; i < 3 && model->leafCount != 0; ++i) {
        const float lower = grzVec3_Get(model->box.lower, i), upper = grzVec3_Get(model->box.upper, i);
        root.center[i] = 0.5F * lower + 0.5F * upper;
        root.half = fmaxf(root.half, 0.5F * upper - 0.5F * lower);
    }
    root.half *= 1 + 0x1p-20F; // for what the centre is rounded by
    tree->cubes.data[tree->cubes.count++] = root;
    for (uint32_t i = 0; i < tree->cubes.count && model->leafCount != 0; ++i)
        if (tree->cubes.data[i].level < MOST_LEVELS &&
            (i == 0 || countTriangles(tree, model, i) > MOST_TRIANGLES) && !cut(tree, model, i))
            return false;
    tree->boxCount = (uint32_t)tree->cubes.count;
    return true;
}
