// What: the sides of model_region_side.h.
// Cost: what lies in the other's box, and a walk for each piece.
#include "model_region_side.h"

#include <string.h>

#include "radix_sort.h"
#include "union_find.h"

enum { PLACE_TOUCHED = 8, STACK_SIZE = 7 * (GRZ_BVH_MAX_LEVELS + 1) + GRZ_BVH_WIDTH + 1 };

// ---- life ----

void grzRegionSide_Release(RegionSide* side, const grzAllocator* allocator) {
    grzArray_Release(&side->treeNumbers, allocator);
    grzArray_Release(&side->isCrossing, allocator);
    grzArray_Release(&side->places, allocator);
    grzArray_Release(&side->parents, allocator);
    grzArray_Release(&side->positions, allocator);
    grzArray_Release(&side->touched, allocator);
    grzArray_Release(&side->candidates, allocator);
    grzArray_Release(&side->crossing, allocator);
    grzArray_Release(&side->inside, allocator);
    grzArray_Release(&side->points, allocator);
}

static bool reserve(RegionSide* side, const grzAllocator* allocator, size_t vertices, size_t triangles) {
    return grzArray_Reserve(&side->treeNumbers, allocator, triangles) &&
           grzArray_Reserve(&side->isCrossing, allocator, triangles) &&
           grzArray_Reserve(&side->places, allocator, vertices) &&
           grzArray_Reserve(&side->parents, allocator, vertices) &&
           grzArray_Reserve(&side->positions, allocator, vertices) &&
           grzArray_Reserve(&side->touched, allocator, vertices) &&
           grzArray_Reserve(&side->candidates, allocator, triangles) &&
           grzArray_Reserve(&side->crossing, allocator, triangles) &&
           grzArray_Reserve(&side->inside, allocator, triangles) &&
           grzArray_Reserve(&side->points, allocator, vertices);
}

static void clearLists(RegionSide* side) {
    for (size_t i = 0; i < side->touched.count; ++i)
        side->places.data[side->touched.data[i]] = 0;
    for (size_t i = 0; i < side->crossing.count; ++i)
        side->isCrossing.data[side->treeNumbers.data[side->crossing.data[i]]] = 0;
    side->touched.count = side->candidates.count = side->crossing.count = 0;
    side->inside.count = side->points.count = 0;
}

static bool bindAnew(RegionSide* side, const grzModel* model, const grzAllocator* allocator) {
    side->bound = NULL;
    side->touched.count = side->candidates.count = side->crossing.count = 0;
    side->inside.count = side->points.count = 0;
    side->view = grzBvh_GetView(model->bvh);
    if (!reserve(side, allocator, side->view.vertexCount, side->view.triangleCount))
        return false;
    for (uint32_t i = 0; i < side->view.triangleCount; ++i)
        side->treeNumbers.data[side->view.triangleToCaller[i]] = i;
    if (side->view.triangleCount != 0)
        memset(side->isCrossing.data, 0, side->view.triangleCount);
    if (side->view.vertexCount != 0)
        memset(side->places.data, 0, side->view.vertexCount);
    side->bound = model;
    side->revision = model->revision;
    return true;
}

bool grzRegionSide_Bind(RegionSide* side, const grzModel* model, const ModelFrame* into,
                        const grzAllocator* allocator) {
    side->placed = (PlacedModel){model, into};
    if (side->bound != model || side->revision != model->revision) {
        if (!bindAnew(side, model, allocator))
            return false;
    } else {
        clearLists(side);
    }
    side->box = model->leafCount != 0 ? grzPlaced_RootBox(&side->placed) : grzBox_Empty();
    return true;
}

// ---- triangles and vertices ----

static void cornersOf(const RegionSide* side, uint32_t tree, grzVec3 corners[3]) {
    grzPlaced_Triangle(&side->placed, tree / GRZ_BVH_LEAF_TRIANGLES, tree % GRZ_BVH_LEAF_TRIANGLES, corners);
}

void grzRegionSide_Corners(const RegionSide* side, uint32_t triangle, grzVec3 corners[3]) {
    cornersOf(side, side->treeNumbers.data[triangle], corners);
}

static const uint32_t* verticesOf(const RegionSide* side, uint32_t tree) {
    return side->view.triangles + 3 * (size_t)tree;
}

static void touchVertices(RegionSide* side, uint32_t tree, const grzVec3 corners[3]) {
    for (int k = 0; k < 3; ++k) {
        const uint32_t vertex = verticesOf(side, tree)[k];
        if (side->places.data[vertex] != 0)
            continue;
        side->places.data[vertex] = PLACE_TOUCHED;
        side->parents.data[vertex] = vertex;
        side->positions.data[vertex] = corners[k];
        side->touched.data[side->touched.count++] = vertex;
    }
}

void grzRegionSide_AddCrossing(RegionSide* side, uint32_t triangle) {
    const uint32_t tree = side->treeNumbers.data[triangle];
    grzVec3 corners[3];
    if (side->isCrossing.data[tree] != 0)
        return;
    side->isCrossing.data[tree] = 1;
    side->crossing.data[side->crossing.count++] = triangle;
    cornersOf(side, tree, corners);
    touchVertices(side, tree, corners);
}

// ---- pieces ----

// Triangles that do not cross, and whose corners lie in the box.
static void addLeaf(RegionSide* side, uint32_t leaf, grzBox box) {
    for (uint32_t k = 0; k < side->placed.model->leaves[leaf].count; ++k) {
        const uint32_t tree = leaf * GRZ_BVH_LEAF_TRIANGLES + k;
        grzVec3 corners[3];
        if (side->isCrossing.data[tree] != 0)
            continue;
        cornersOf(side, tree, corners);
        if (!grzBox_ContainsPoint(box, corners[0]) || !grzBox_ContainsPoint(box, corners[1]) ||
            !grzBox_ContainsPoint(box, corners[2]))
            continue;
        const uint32_t* vertices = verticesOf(side, tree);
        touchVertices(side, tree, corners);
        grzUniteSets(side->parents.data, vertices[0], vertices[1]);
        grzUniteSets(side->parents.data, vertices[0], vertices[2]);
        side->candidates.data[side->candidates.count++] = tree;
    }
}

typedef struct Entry {
    uint32_t level, index;
} Entry;

static void findCandidates(RegionSide* side, grzBox box) {
    const grzModel* model = side->placed.model;
    Entry stack[STACK_SIZE];
    uint32_t count = 1;
    stack[0] = (Entry){0, 0};
    while (count != 0) {
        const Entry entry = stack[--count];
        if (entry.level == model->leafLevel) {
            addLeaf(side, entry.index, box);
            continue;
        }
        const uint32_t children = grzBvhView_ChildCount(&side->view, entry.level, entry.index);
        for (uint32_t k = 0; k < children; ++k) {
            const Entry child = {entry.level + 1, entry.index * GRZ_BVH_WIDTH + k};
            if (grzBox_Overlap(grzPlaced_Box(&side->placed, child.level, child.index), box))
                stack[count++] = child;
        }
    }
}

// Where a vertex is: that of its piece.
static ModelPlace placeOf(RegionSide* side, uint32_t vertex, const RegionSide* other) {
    const uint32_t root = grzFindRoot(side->parents.data, vertex);
    if (side->places.data[root] == PLACE_TOUCHED)
        side->places.data[root] = (uint8_t)grzPlaced_Locate(&other->placed, other->box, side->positions.data[root]);
    if (side->places.data[root] == place_unknown)
        side->places.data[root] = PLACE_TOUCHED; // not zero: it is still to be cleared
    else
        side->places.data[vertex] = side->places.data[root];
    return side->places.data[root] == PLACE_TOUCHED ? place_unknown : (ModelPlace)side->places.data[root];
}

static bool placeVertices(RegionSide* side, const RegionSide* other) {
    for (size_t i = 0; i < side->touched.count; ++i) {
        const uint32_t vertex = side->touched.data[i];
        const ModelPlace place = placeOf(side, vertex, other);
        if (place == place_unknown)
            return false;
        if (place == place_inside)
            side->points.data[side->points.count++] = side->positions.data[vertex];
    }
    return true;
}

// The candidates serve as scratch, once they have been looked at.
static void sortNumbers(RegionNumbers* numbers, RegionNumbers* scratch) {
    if (numbers->count > 1)
        grzRadixSort32(numbers->data, NULL, scratch->data, NULL, numbers->count);
}

bool grzRegionSide_Sort(RegionSide* side, const RegionSide* other) {
    if (side->placed.model->leafCount == 0 || other->placed.model->leafCount == 0)
        return true;
    findCandidates(side, other->box);
    if (!placeVertices(side, other))
        return false;
    for (size_t i = 0; i < side->candidates.count; ++i) {
        const uint32_t tree = side->candidates.data[i];
        if (side->places.data[verticesOf(side, tree)[0]] == place_inside)
            side->inside.data[side->inside.count++] = side->view.triangleToCaller[tree];
    }
    sortNumbers(&side->inside, &side->candidates);
    sortNumbers(&side->crossing, &side->candidates);
    return true;
}
