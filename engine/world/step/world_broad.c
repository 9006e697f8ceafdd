// What: from the boxes of bodies to the pairs that may meet, each once, in the order of slots.
// Promise: every two bodies whose boxes have a point in common and that may meet (category, mask, group; not both static) are a
//   row, and no others.
// Idea: the tree takes all boxes at once and lists all pairs sorted. The last step's rows stand in the same order, so that a
//   pair's old row is found by a merge: each block looks its first pair up and walks on from there.
#include <stdatomic.h>
#include <string.h>

#include "atomic_least.h"
#include "near_loop.h"
#include "profile_zone.h"
#include "world_inside.h"

static bool mayMeet(void* context, uint32_t slotA, uint32_t slotB) {
    const grzWorld* world = context;
    const grzBodyTraits *a = &world->traits.data[slotA], *b = &world->traits.data[slotB];
    if (a->body == grz_staticBody && b->body == grz_staticBody)
        return false;
    return a->group == 0 || a->group != b->group;
}

// Back to the boxes that the tree has: those that it cannot take are nobody's.
static void forgetSweeps(grzWorld* world) {
    for (uint32_t slot = 0; slot < grzWorld_Slots(world); ++slot) {
        grzTreeObject object;
        if (world->traits.data[slot].kind != grz_noCollider &&
            grzTree_Get(world->tree, world->bodies.data[slot].treeId, &object))
            world->sweeps.data[slot] = object.box;
    }
}

typedef struct Telling {
    grzWorld* world;
    _Atomic uint32_t firstBad; // slot, or UINT32_MAX
} Telling;

static void tellBlock(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    Telling* telling = context;
    const grzWorld* world = telling->world;
    uint32_t bad = UINT32_MAX;
    (void)worker;
    for (uint32_t slot = end; slot-- > begin;) {
        if (world->traits.data[slot].kind == grz_noCollider)
            continue;
        const grzBox box = world->sweeps.data[slot];
        if (!grzVec3_IsFinite(box.lower) || !grzVec3_IsFinite(box.upper))
            bad = slot;
        world->treeBoxes.data[world->traits.data[slot].treeIndex] = box;
    }
    if (bad != UINT32_MAX)
        grzLowerTo(&telling->firstBad, bad);
}

grzResult grzWorld_UpdateTree(grzWorld* world) {
    const size_t count = grzTree_IndexCount(world->tree);
    Telling telling = {.world = world};
    atomic_init(&telling.firstBad, UINT32_MAX);
    grzParallelForNear(world->def.tasks, grzWorld_Slots(world), 512, tellBlock, &telling);
    const uint32_t bad = atomic_load(&telling.firstBad);
    if (bad != UINT32_MAX) {
        forgetSweeps(world);
        return grzBecause(grzFailAt(grz_notFinite, grz_partObject, bad, 0),
                          "this body is so far away or so fast that its box is not finite");
    }
    const grzResult result = grzTree_UpdateAll(world->tree, world->def.tasks, world->treeBoxes.data, count);
    world->isTreeBehind = !grzResult_IsOk(result);
    return result;
}

static grzResult findPairs(grzWorld* world) {
    grzPairQuery query = grzDefaultPairQuery();
    query.treeA = world->tree;
    query.order = grz_pairsSorted;
    if (world->staticCount > 1 || world->groupCount > 1) {
        query.filter = mayMeet;
        query.filterContext = world;
    }
    return grzTreePairs_Find(world->finder, world->def.tasks, &query);
}

static uint64_t keyOf(uint32_t a, uint32_t b) {
    return (uint64_t)a << 32 | b;
}

uint32_t grzWorld_FirstLast(const grzWorld* world, uint32_t a, uint32_t b) {
    const grzPairTable* last = &world->tables[1 - world->now];
    const uint64_t key = keyOf(a, b);
    uint32_t low = 0, high = (uint32_t)last->rows.count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (keyOf(last->rows.data[middle].a, last->rows.data[middle].b) < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool areSameBodies(const grzPairRow* x, const grzPairRow* y) {
    return grzBodyId_IsSame(grzPairRow_IdA(x), grzPairRow_IdA(y)) &&
           grzBodyId_IsSame(grzPairRow_IdB(x), grzPairRow_IdB(y));
}

static void joinBlock(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    grzWorld* world = context;
    GRZ_ZONE_BEGIN(zone, world->def.profile, grz_stageBroad, "join pairs", worker);
    grzPairTable* last = &world->tables[1 - world->now];
    grzPairRow* rows = world->tables[world->now].rows.data;
    const grzBodyPair* pairs = grzTreePairs_GetView(world->finder).pairs;
    uint32_t old = grzWorld_FirstLast(world, pairs[begin].a, pairs[begin].b);
    world->rowBlocks.data[begin / GRZ_ROW_GRAIN].last = old;
    for (uint32_t i = begin; i < end; ++i) {
        grzPairRow* row = &rows[i];
        memset(row, 0, sizeof *row);
        row->a = pairs[i].a;
        row->b = pairs[i].b;
        row->generationA = world->traits.data[row->a].generation;
        row->generationB = world->traits.data[row->b].generation;
        const uint64_t key = keyOf(row->a, row->b);
        while (old < last->rows.count && keyOf(last->rows.data[old].a, last->rows.data[old].b) < key)
            ++old;
        if (old < last->rows.count && areSameBodies(&last->rows.data[old], row)) {
            row->last1 = old + 1;
            last->rows.data[old].isContinued = 1; // by this block alone, as a pair stands once in either table
        }
    }
    GRZ_ZONE_END(zone);
}

grzResult grzWorld_Broad(grzWorld* world) {
    grzResult result = grzWorld_UpdateTree(world);
    if (grzResult_IsOk(result))
        result = findPairs(world);
    if (!grzResult_IsOk(result))
        return result;
    const size_t count = grzTreePairs_GetView(world->finder).count;
    if (count > UINT32_MAX / 2)
        return grzFail(grz_tooLarge, count);
    // The other table takes this step's rows; the last step's stay until the step is done.
    grzPairTable* next = &world->tables[1 - world->now];
    const uint32_t blocks = count != 0 ? grzBlockCount((uint32_t)count, GRZ_ROW_GRAIN) : 0;
    if (!grzArray_Reserve(&next->rows, &world->allocator, count) ||
        !grzArray_Reserve(&world->rowBlocks, &world->allocator, blocks))
        return grzNoMemory(count, sizeof(grzPairRow));
    world->rowBlocks.count = blocks;
    if (blocks != 0)
        memset(world->rowBlocks.data, 0, blocks * sizeof(grzRowBlock));
    world->now = 1 - world->now;
    next->rows.count = count;
    grzParallelForNear(world->def.tasks, (uint32_t)count, GRZ_ROW_GRAIN, joinBlock, world);
    return grzOk();
}
