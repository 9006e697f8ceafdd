// The tree of van den Bergen as printed, in plain scalar words: the reference beside ours. Binary, a triangle a leaf,
// built top down by the middle of the longest axis, refit by walking its array of nodes backwards.
// [van den Bergen, Efficient Collision Detection of Complex Deformable Models using AABB Trees, Journal of Graphics
// Tools 1997]
#ifndef GRAZE_BENCH_PLAIN_BVH_H
#define GRAZE_BENCH_PLAIN_BVH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "graze/host.h"

typedef struct PlainBvhNode {
    float lower[3], upper[3];
    uint32_t child;    // the first of two that follow each other, above this node's own number; 0: a leaf
    uint32_t triangle; // of a leaf
} PlainBvhNode;

typedef struct PlainBvh {
    grzAllocator allocator;
    const uint32_t* triangles; // the caller's
    size_t triangleCount;      // at least 1
    PlainBvhNode* nodes;       // 2 * triangleCount - 1
    uint32_t* order;
} PlainBvh;

// False where memory is refused; then too it is to be released. Builds nothing.
bool PlainBvh_Make(PlainBvh* bvh, const uint32_t* triangles, size_t count, grzAllocator allocator);
void PlainBvh_Release(PlainBvh* bvh);

void PlainBvh_Build(PlainBvh* bvh, const float* positions);

// endPositions: NULL, or where the vertices are at the end of a linear motion.
void PlainBvh_Refit(PlainBvh* bvh, const float* positions, const float* endPositions);

#endif
