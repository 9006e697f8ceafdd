// What: stops of the guard become contacts and pairs of the step.
// Promise: each pair that a stop has acted on is among the step's pairs, and touches. Nothing is refused here: memory is
//   taken before the guard (grzWorld_PrepareStops).
// Idea: the broad stage has found nearly all pairs that are stopped. The others are inserted into the table of pairs,
//   so that the next step finds them there like any pair. Blocks of pairs are counted again after an insertion.
// Cost: a binary search among the pairs for each stop; 2 ns for each pair of the step if a pair is inserted.
#include <string.h>

#include "memory.h"
#include "world_calls.h"
#include "world_guard.h"
#include "world_inside.h"

grzResult grzWorld_PrepareStops(grzWorld* world, size_t most) {
    const grzAllocator* allocator = &world->allocator;
    const size_t pairs = grzWorld_PairCount(world) + most;
    if (!grzArray_Reserve(&world->stops, allocator, most) ||
        !grzArray_Reserve(&world->stoppedPairs, allocator, most) ||
        !grzArray_Reserve(&world->rowBlocks, allocator, grzStepPairs_BlockCount((uint32_t)pairs)))
        return grzNoMemory(most, sizeof(grzStop));
    const grzResult result =
        most != 0 ? grzPairRows_Reserve(&world->pairs, most, grzWorld_Slots(world), allocator) : grzOk();
    return grzResult_IsOk(result) && world->hasLists ? grzWorld_ReserveLists(world, most) : result;
}

static uint64_t keyOf(grzBodyPair pair) {
    return grzSortKeyFromPair(pair.a, pair.b);
}

// Returns the place of the first pair of the step whose key is not below this one's.
static size_t placeOf(const grzWorld* world, grzBodyPair pair) {
    size_t low = 0, high = world->pairs.view.count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (keyOf(world->pairs.view.pairs[middle]) < keyOf(pair))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool isListed(const grzWorld* world, grzBodyPair pair) {
    const size_t place = placeOf(world, pair);
    return place < world->pairs.view.count && keyOf(world->pairs.view.pairs[place]) == keyOf(pair);
}

static grzStop stopOf(const grzWorld* world, const grzGuardStop* from) {
    const float impulse = from->impulse > 0.0f ? from->impulse : 0.0f;
    return (grzStop){.point = from->point,
                     .normal = from->normal,
                     .friction = grzSubScaled(from->momentum, impulse, from->normal),
                     .impulse = impulse,
                     .approachSpeed = from->approach,
                     .toi = from->toi,
                     .bodyA = grzInner_BodyAt(world, from->slotA),
                     .bodyB = grzInner_BodyAt(world, from->slotB)};
}

// A stop at the end of the step may do nothing: a body was in the way of others, which therefore did not move on. The two
// may be far from each other.
static bool hasActed(const grzGuardStop* stop) {
    return stop->toi < 1.0f || stop->approach > 0.0f || grzMaxElement(grzAbs(stop->momentum)) > 0.0f;
}

// Lists the stops, and the pairs that the step does not have.
static void readStops(grzWorld* world) {
    const grzGuard* guard = world->guard;
    world->stops.count = world->stoppedPairs.count = 0;
    for (size_t i = 0; i < guard->stops.count; ++i) {
        const grzGuardStop* stop = &guard->stops.data[i];
        const grzBodyPair pair = {stop->slotA, stop->slotB};
        const size_t count = world->stoppedPairs.count;
        if (!hasActed(stop))
            continue;
        world->stops.data[world->stops.count++] = stopOf(world, stop);
        const bool isKnown = count != 0 && keyOf(world->stoppedPairs.data[count - 1]) == keyOf(pair);
        if (!isKnown && !isListed(world, pair))
            world->stoppedPairs.data[world->stoppedPairs.count++] = pair;
    }
}

// Counts blocks again: what lists and statistics of this step read.
static void addUp(grzWorld* world) {
    const uint32_t pairs = grzWorld_PairCount(world);
    world->rowBlocks.count = grzStepPairs_BlockCount(pairs);
    memset(world->rowBlocks.data, 0, world->rowBlocks.count * sizeof *world->rowBlocks.data);
    for (uint32_t i = 0; i < pairs; ++i) {
        const grzPairRow* row = grzWorld_PairAt(world, i);
        const grzPairFound* found = grzWorld_Found(world, row);
        grzPairBlock* block = &world->rowBlocks.data[i / GRZ_PAIR_BLOCK];
        block->cloths += row->way == grz_pairCloth;
        block->recycled += row->way == grz_pairRecycled;
        block->contacts += found->contactCount;
        block->touching += found->isTouching;
        block->undecided += !found->isTouching && found->touchCount != 0 && row->yielding != 0;
    }
}

static void insertPairs(grzWorld* world) {
    const grzBodyPair* pairs = world->stoppedPairs.data;
    grzPairRows_Insert(&world->pairs, pairs, world->stoppedPairs.count, world->now);
    for (size_t i = 0; i < world->stoppedPairs.count; ++i) {
        grzPairRow* row = grzWorld_PairAt(world, placeOf(world, pairs[i]));
        row->a = grzWorld_RowOf(world, pairs[i].a); // a static body may have none
        row->b = grzWorld_RowOf(world, pairs[i].b);
        row->idA = grzInner_BodyAt(world, pairs[i].a);
        row->idB = grzInner_BodyAt(world, pairs[i].b);
    }
    addUp(world);
}

void grzWorld_AddStops(grzWorld* world) {
    readStops(world);
    if (world->stoppedPairs.count != 0)
        insertPairs(world);
    for (size_t i = 0; i < world->stops.count; ++i) {
        const grzStop* stop = &world->stops.data[i];
        const grzBodyPair pair = {stop->bodyA.index1 - 1, stop->bodyB.index1 - 1};
        const size_t place = placeOf(world, pair);
        grzPairFound* found = &grzWorld_PairAt(world, place)->found[world->now];
        grzPairBlock* block = &world->rowBlocks.data[place / GRZ_PAIR_BLOCK];
        block->touching += !found->isTouching;
        found->isTouching = true;
    }
}
