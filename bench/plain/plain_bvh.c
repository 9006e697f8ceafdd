// What: the paper's tree of boxes, built and refit as printed.
// Limits: the depth of the recursion is that of the tree, which for meshes made here is a small multiple of log n.
#include "plain_bvh.h"

#include <math.h>
#include <string.h>

bool PlainBvh_Make(PlainBvh* bvh, const uint32_t* triangles, size_t count, grzAllocator allocator) {
    *bvh = (PlainBvh){.allocator = allocator, .triangles = triangles, .triangleCount = count};
    bvh->nodes = allocator.allocate(allocator.context, 2 * count * sizeof *bvh->nodes, 64);
    bvh->order = allocator.allocate(allocator.context, count * sizeof *bvh->order, 64);
    return bvh->nodes != NULL && bvh->order != NULL;
}

void PlainBvh_Release(PlainBvh* bvh) {
    const grzAllocator allocator = bvh->allocator;
    if (bvh->nodes != NULL)
        allocator.release(allocator.context, bvh->nodes, 2 * bvh->triangleCount * sizeof *bvh->nodes, 64);
    if (bvh->order != NULL)
        allocator.release(allocator.context, bvh->order, bvh->triangleCount * sizeof *bvh->order, 64);
    *bvh = (PlainBvh){.nodes = NULL};
}

static void clearBox(PlainBvhNode* node) {
    for (int axis = 0; axis < 3; ++axis) {
        node->lower[axis] = INFINITY;
        node->upper[axis] = -INFINITY;
    }
}

static void addTriangle(PlainBvhNode* node, const PlainBvh* bvh, const float* positions, uint32_t triangle) {
    for (size_t k = 0; k < 3; ++k) {
        const float* p = positions + 3 * (size_t)bvh->triangles[3 * (size_t)triangle + k];
        for (int axis = 0; axis < 3; ++axis) {
            node->lower[axis] = p[axis] < node->lower[axis] ? p[axis] : node->lower[axis];
            node->upper[axis] = p[axis] > node->upper[axis] ? p[axis] : node->upper[axis];
        }
    }
}

static float middleOf(const PlainBvh* bvh, const float* positions, uint32_t triangle, int axis) {
    PlainBvhNode box;
    clearBox(&box);
    addTriangle(&box, bvh, positions, triangle);
    return (box.lower[axis] + box.upper[axis]) * 0.5F;
}

static int longestAxis(const PlainBvhNode* node) {
    int best = 0;
    for (int axis = 1; axis < 3; ++axis)
        if (node->upper[axis] - node->lower[axis] > node->upper[best] - node->lower[best])
            best = axis;
    return best;
}

// The negative side first; equal halves where one side would be empty.
static size_t partition(PlainBvh* bvh, const float* positions, const PlainBvhNode* node, size_t begin, size_t end) {
    const int axis = longestAxis(node);
    const float plane = (node->lower[axis] + node->upper[axis]) * 0.5F;
    size_t at = begin;
    for (size_t i = begin; i < end; ++i) {
        const uint32_t triangle = bvh->order[i];
        if (middleOf(bvh, positions, triangle, axis) > plane)
            continue;
        bvh->order[i] = bvh->order[at];
        bvh->order[at++] = triangle;
    }
    return at == begin || at == end ? begin + (end - begin) / 2 : at;
}

// Returns the number of the next free node.
static uint32_t buildNode(PlainBvh* bvh, const float* positions, uint32_t number, uint32_t next, size_t begin,
                          size_t end) {
    PlainBvhNode* node = &bvh->nodes[number];
    clearBox(node);
    for (size_t i = begin; i < end; ++i)
        addTriangle(node, bvh, positions, bvh->order[i]);
    node->child = 0;
    node->triangle = bvh->order[begin];
    if (end - begin == 1)
        return next;
    const size_t at = partition(bvh, positions, node, begin, end);
    const uint32_t child = next;
    node->child = child;
    next = buildNode(bvh, positions, child, next + 2, begin, at);
    return buildNode(bvh, positions, child + 1, next, at, end);
}

void PlainBvh_Build(PlainBvh* bvh, const float* positions) {
    for (size_t t = 0; t < bvh->triangleCount; ++t)
        bvh->order[t] = (uint32_t)t;
    buildNode(bvh, positions, 0, 1, 0, bvh->triangleCount);
}

static void joinChildren(PlainBvhNode* node, const PlainBvhNode* children) {
    for (int axis = 0; axis < 3; ++axis) {
        const float a = children[0].lower[axis], b = children[1].lower[axis];
        const float c = children[0].upper[axis], d = children[1].upper[axis];
        node->lower[axis] = a < b ? a : b;
        node->upper[axis] = c > d ? c : d;
    }
}

void PlainBvh_Refit(PlainBvh* bvh, const float* positions, const float* endPositions) {
    for (size_t i = 2 * bvh->triangleCount - 1; i-- > 0;) {
        PlainBvhNode* node = &bvh->nodes[i];
        if (node->child != 0) {
            joinChildren(node, &bvh->nodes[node->child]);
            continue;
        }
        clearBox(node);
        addTriangle(node, bvh, positions, node->triangle);
        if (endPositions != NULL)
            addTriangle(node, bvh, endPositions, node->triangle);
    }
}
