// What: boxes of triangles for the builders.     Holds: items are 32 bytes, two to a line of the cache.
#include "bvh_items.h"

enum { ITEM_GRAIN = 1 << 13 };
GRZ_STATIC_ASSERT(sizeof(BvhItem) == 32, "no padding");

typedef struct ItemWork {
    const BvhInput* input;
    const BvhItems* items;
    uint32_t* triangleToCaller;
} ItemWork;

void grzBvhItems_MakeSome(const BvhInput* input, const BvhItems* items, uint32_t begin, uint32_t end) {
    for (uint32_t t = begin; t < end; ++t) {
        const uint32_t* corners = input->triangles + 3 * (size_t)t;
        const grzF4 a = grzBvhInput_Load(input, corners[0]), b = grzBvhInput_Load(input, corners[1]);
        const grzF4 c = grzBvhInput_Load(input, corners[2]);
        BvhItem* item = &items->items[t];
        grzF4_Store(item->lower, grzF4_Min(grzF4_Min(a, b), c)); // the fourth lanes are overwritten
        item->triangle = t;
        grzF4_Store(item->upper, grzF4_Max(grzF4_Max(a, b), c));
        item->pad = 0;
    }
}

static void makeBlock(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    (void)worker;
    const ItemWork* work = context;
    grzBvhItems_MakeSome(work->input, work->items, begin, end);
}

void grzBvhItems_WriteSome(const BvhItems* items, uint32_t begin, uint32_t end, uint32_t* triangleToCaller) {
    for (uint32_t t = begin; t < end; ++t)
        triangleToCaller[t] = items->items[t].triangle;
}

static void writeBlock(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    (void)worker;
    const ItemWork* work = context;
    grzBvhItems_WriteSome(work->items, begin, end, work->triangleToCaller);
}

size_t grzBvhItems_ScratchSize(uint32_t triangleCount) {
    return 2 * (size_t)triangleCount * sizeof(BvhItem);
}

BvhItems grzBvhItems_Place(uint32_t triangleCount, unsigned char* scratch) {
    return (BvhItems){(BvhItem*)(void*)scratch, (BvhItem*)(void*)scratch + triangleCount};
}

BvhItems grzBvhItems_Make(const BvhInput* input, unsigned char* scratch) {
    const BvhItems items = grzBvhItems_Place(input->triangleCount, scratch);
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
