// What: a walk as graze/stage/adb_tree.h has it.
#include <string.h>

#include "adb_walk.h"
#include "memory.h"

GRZ_STATIC_ASSERT(GRZ_ADB_MOST_PLACES == ADB_MOST_PEEKED, "as many places as can be peeked at");

struct grzAdbSearch {
    AdbWalk walk;
};

grzResult grzAdbSearch_Create(grzAllocator given, grzAdbSearch** made) {
    *made = NULL;
    const grzResult result = grzCheckAllocator(given, 1);
    if (!grzResult_IsOk(result))
        return result;
    const grzAllocator allocator = grzAllocator_OrDefault(given);
    grzAdbSearch* search = grzAllocate(&allocator, 1, sizeof *search, _Alignof(grzAdbSearch));
    if (search == NULL)
        return grzNoMemory(1, sizeof *search);
    memset(search, 0, sizeof *search);
    search->walk.allocator = allocator;
    search->walk.isFinished = true;
    *made = search;
    return grzOk();
}

void grzAdbSearch_Destroy(grzAdbSearch* search) {
    if (search == NULL)
        return;
    const grzAllocator allocator = search->walk.allocator;
    grzAdbWalk_Release(&search->walk);
    grzRelease(&allocator, search, 1, sizeof *search, _Alignof(grzAdbSearch));
}

grzResult grzAdbSearch_Begin(grzAdbSearch* search, const grzAdbQuery* query) {
    return grzAdbWalk_Begin(&search->walk, query);
}

grzResult grzAdbSearch_Continue(grzAdbSearch* search, uint64_t steps) {
    return grzAdbWalk_Continue(&search->walk, steps);
}

grzAdbSearchView grzAdbSearch_GetView(const grzAdbSearch* search) {
    const AdbWalk* walk = &search->walk;
    return (grzAdbSearchView){.isFinished = walk->isFinished,
                              .touches = walk->touches,
                              .certainty = grz_probable,
                              .measure = (float)(walk->touches ? walk->likeliest : 1 - walk->likeliest),
                              .found = walk->found,
                              .steps = walk->steps,
                              .chances = walk->chances,
                              .queueCount = walk->queue.count};
}

static grzBox boxOf(const grzAdbTree* tree, uint32_t ref) {
    const AdbBox box = grzAdbTree_Box(tree, ref);
    float lower[3], upper[3];
    for (int i = 0; i < 3; ++i) {
        lower[i] = (float)(box.center[i] - box.half[i]);
        upper[i] = (float)(box.center[i] + box.half[i]);
    }
    return grzBox_Make(grzVec3_Load(lower), grzVec3_Load(upper));
}

uint32_t grzAdbSearch_GetPlaces(const grzAdbSearch* search, grzAdbPlace* places, uint32_t capacity) {
    AdbPair pairs[ADB_MOST_PEEKED];
    const grzAdbTree* const* trees = search->walk.trees;
    const uint32_t count = grzAdbQueue_Peek(&search->walk.queue, pairs, capacity);
    for (uint32_t k = 0; k < count; ++k)
        places[k] = (grzAdbPlace){boxOf(trees[0], pairs[k].a), boxOf(trees[1], pairs[k].b),
                                  grzAdbTree_Level(trees[0], pairs[k].a), grzAdbTree_Level(trees[1], pairs[k].b),
                                  (float)pairs[k].chance};
    return count;
}
