// What: triangles as boxes in an array that is moved about, for the builders that cut it in two again and again.
#ifndef GRAZE_BASE_BVH_ITEMS_H
#define GRAZE_BASE_BVH_ITEMS_H

#include "bvh_parts.h"

typedef struct BvhItem {
    float lower[3];
    uint32_t triangle;
    float upper[3];
    uint32_t pad;
} BvhItem;

// Items and as many to move them through.
typedef struct BvhItems {
    BvhItem *items, *others;
} BvhItems;

size_t grzBvhItems_ScratchSize(uint32_t triangleCount);

BvhItems grzBvhItems_Place(uint32_t triangleCount, unsigned char* scratch);

// The triangles in the caller's order.
BvhItems grzBvhItems_Make(const BvhInput* input, unsigned char* scratch);
void grzBvhItems_Write(const BvhInput* input, const BvhItems* items, uint32_t* triangleToCaller);

// Both for some of the triangles.
void grzBvhItems_MakeSome(const BvhInput* input, const BvhItems* items, uint32_t begin, uint32_t end);
void grzBvhItems_WriteSome(const BvhItems* items, uint32_t begin, uint32_t end, uint32_t* triangleToCaller);

static inline void grzBvhItem_Add(float lower[3], float upper[3], const BvhItem* item) {
    for (int axis = 0; axis < 3; ++axis) {
        lower[axis] = item->lower[axis] < lower[axis] ? item->lower[axis] : lower[axis];
        upper[axis] = item->upper[axis] > upper[axis] ? item->upper[axis] : upper[axis];
    }
}

// The middle of an item on an axis. Halves, since a sum may be infinite.
static inline float grzBvhItem_Middle(const BvhItem* item, int axis) {
    return item->lower[axis] * 0.5F + item->upper[axis] * 0.5F;
}

#endif
