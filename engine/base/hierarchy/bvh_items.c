// What: boxes of triangles for the builders.     Holds: items are 32 bytes, two to a line of the cache.
#include "bvh_items.h"

enum { ITEM_GRAIN = 1 << 13 };
GRZ_STATIC_ASSERT(sizeof(BvhItem) == 32, "no padding");

typedef struct ItemWork {
    const BvhInput* input;
    const BvhItems* items;
    uint32_t* triangleToCaller;
} ItemWork;

static void makeBlock(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    (void)worker;
    const ItemWork* work = context;
    for (uint32_t t = begin; t < end; ++t) {
        const uint32_t* corners = work->input->triangles + 3 * (size_t)t;
        const grzF4 a = grzBvhInput_Load(work->input, corners[0]), b = grzBvhInput_Load(work->input, corners[1]);
        const grzF4 c = grzBvhInput_Load(work->input, corners[2]);
        BvhItem* item = &work->items->items[t];
        grzF4_Store(item->lower, grzF4_Min(grzF4_Min(a, b), c)); // the fourth lanes are overwritten
        item->triangle = t;
        grzF4_Store(item->upper, grzF4_Max(grzF4_Max(a, b), c));
        item->pad = 0;
    }
}

static void writeBlock(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    (void)worker;
    const ItemWork* work = context;
    for (uint32_t t = begin; t < end; ++t)
        work->triangleToCaller[t] = work->items->items[t].triangle;
}

size_t grzBvhItems_ScratchSize(uint32_t triangleCount) {
    return 2 * (size_t)triangleCount * sizeof(BvhItem);
}

BvhItems grzBvhItems_Make(const BvhInput* input, unsigned char* scratch) {
    BvhItems items = {(BvhItem*)(void*)scratch, (BvhItem*)(void*)scratch + input->triangleCount};
    ItemWork work = {input, &items, NULL};
    if (input->triangleCount != 0)
        grzParallelFor(input->tasks, input->triangleCount, ITEM_GRAIN, makeBlock, &work);
    return items;
}

void grzBvhItems_Write(const BvhInput* input, const BvhItems* items, uint32_t* triangleToCaller) {
    ItemWork work = {input, items, triangleToCaller};
    if (input->triangleCount != 0)
        grzParallelFor(input->tasks, input->triangleCount, ITEM_GRAIN, writeBlock, &work);
}
