// What: lists what of a cloth is near a box in a step.
// Promise: every triangle whose swept box meets the box, or of those in some leaves, and each vertex of them once.
// Idea: the cloth's hierarchy is refit once a step over the boxes that hold its triangles at both ends (cloth_collide.c).
// Holds: search.vertexSlots[v] is the place of v in search.vertices where vertices[place] is v; else it says nothing.
// Cost: 30 ns a node, 5 ns a triangle found.
#include <string.h>

#include "cloth_search.h"
#include "result_make.h"
#include "simd.h"

typedef struct NodePlace {
    uint32_t level, index;
} NodePlace;

// A bit for each child that meets the box.
static uint64_t meetingChildren(const grzBvhNode* node, const float lower[3], const float upper[3]) {
    grzM8 meets = grzF8_LessEqual(grzF8_Load(node->lower[0]), grzF8_Set1(upper[0]));
    meets = grzM8_And(meets, grzF8_GreaterEqual(grzF8_Load(node->upper[0]), grzF8_Set1(lower[0])));
    for (int axis = 1; axis < 3; ++axis) {
        meets = grzM8_And(meets, grzF8_LessEqual(grzF8_Load(node->lower[axis]), grzF8_Set1(upper[axis])));
        meets = grzM8_And(meets, grzF8_GreaterEqual(grzF8_Load(node->upper[axis]), grzF8_Set1(lower[axis])));
    }
    return grzM8_Bits(meets);
}

static bool triangleMeets(const grzClothBody* cloth, const uint32_t* corners, grzBox box) {
    grzBox swept = grzBox_Empty();
    for (int k = 0; k < 3; ++k) {
        swept = grzBox_AddPoint(swept, grzCloth_Row(cloth->now.data, corners[k]));
        swept = grzBox_AddPoint(swept, grzCloth_Row(cloth->ends.data, corners[k]));
    }
    return grzBox_Overlap(swept, box);
}

static void listVertex(ClothSearch* search, uint32_t vertex) {
    const uint32_t place = search->vertexSlots.data[vertex];
    if (place < search->vertices.count && search->vertices.data[place] == vertex)
        return;
    search->vertexSlots.data[vertex] = (uint32_t)search->vertices.count;
    search->vertices.data[search->vertices.count++] = vertex;
}

static grzResult listLeaf(grzClothBody* cloth, const grzBvhView* view, const uint32_t* triangles, uint32_t leaf,
                          grzBox box) {
    ClothSearch* search = &cloth->search;
    if (!grzArray_Reserve(&search->triangles, &cloth->allocator, search->triangles.count + 4) ||
        !grzArray_Reserve(&search->vertices, &cloth->allocator, search->vertices.count + 12))
        return grzNoMemory(search->triangles.count + 4, sizeof(uint32_t));
    for (uint32_t k = 4 * leaf; k < 4 * leaf + 4 && k < view->triangleCount; ++k) {
        const uint32_t triangle = view->triangleToCaller[k];
        const uint32_t* corners = triangles + (size_t)3 * triangle;
        if (!triangleMeets(cloth, corners, box))
            continue;
        search->triangles.data[search->triangles.count++] = triangle;
        for (int corner = 0; corner < 3; ++corner)
            listVertex(search, corners[corner]);
    }
    return grzOk();
}

grzResult grzCloth_ListNear(grzClothBody* cloth, grzBox box) {
    const grzBvhView view = grzBvh_GetView(cloth->bvh);
    const uint32_t* triangles = grzMesh_GetView(cloth->mesh).triangles;
    const grzBvhNode* nodes = (const grzBvhNode*)(const void*)cloth->nodes.data;
    const float lower[3] = {box.lower.x, box.lower.y, box.lower.z},
                upper[3] = {box.upper.x, box.upper.y, box.upper.z};
    NodePlace stack[GRZ_BVH_MAX_LEVELS * GRZ_BVH_WIDTH];
    uint32_t depth = 0;
    cloth->search.triangles.count = cloth->search.vertices.count = 0;
    stack[depth++] = (NodePlace){0, 0};
    while (depth != 0) {
        const NodePlace at = stack[--depth];
        uint64_t meets = meetingChildren(&nodes[view.levelStarts[at.level] + at.index], lower, upper);
        meets &= (UINT64_C(1) << grzBvhView_ChildCount(&view, at.level, at.index)) - 1;
        for (uint32_t child = 0; child < GRZ_BVH_WIDTH; ++child) {
            const uint32_t index = GRZ_BVH_WIDTH * at.index + child;
            if ((meets >> child & 1) == 0)
                continue;
            if (at.level + 1 < view.levelCount) {
                stack[depth++] = (NodePlace){at.level + 1, index};
                continue;
            }
            const grzResult result = listLeaf(cloth, &view, triangles, index, box);
            if (result.status != grz_ok)
                return result;
        }
    }
    return grzOk();
}

static bool clearMarks(ClothSearch* search, const grzAllocator* allocator, uint32_t leafCount) {
    if (!grzArray_Reserve(&search->leafMarks, allocator, leafCount))
        return false;
    memset(search->leafMarks.data, 0, leafCount);
    return true;
}

grzResult grzCloth_ListLeaves(grzClothBody* cloth, const grzLeafCandidates* near, grzBox box) {
    const grzBvhView view = grzBvh_GetView(cloth->bvh);
    const uint32_t* triangles = grzMesh_GetView(cloth->mesh).triangles;
    ClothSearch* search = &cloth->search;
    search->triangles.count = search->vertices.count = 0;
    if (near->count == 0)
        return grzOk();
    if (!clearMarks(search, &cloth->allocator, view.leafCount))
        return grzNoMemory(view.leafCount, 1);
    for (size_t i = 0; i < near->count; ++i)
        search->leafMarks.data[near->isClothA ? near->pairs[i].leafA : near->pairs[i].leafB] = 1;
    for (uint32_t leaf = 0; leaf < view.leafCount; ++leaf) {
        const grzResult result =
            search->leafMarks.data[leaf] != 0 ? listLeaf(cloth, &view, triangles, leaf, box) : grzOk();
        if (result.status != grz_ok)
            return result;
    }
    return grzOk();
}
