// What: the kernels of model_front_kernel.h.
// Promise: see there, model_boxes.h for boxes and model_front_leaf.h for leaves.
// Idea: where all pairs are asked for, the list of steps is its own queue: a step that is opened appends those of its children
//   that meet, and they are opened when their turn comes, so that steps need not wait for each other. Where any pair will do, a
//   stack goes into the deepest child first, as in model_kernel.c; at a hit what is left on it is appended as due.
// Cost: half as much again as model_kernel.c for what is due, by the slack that is to be found; sixteen compares at a time
//   for what is not.
#include "model_front_kernel.h"

#include <string.h>

#include "model_boxes.h"
#include "model_front_leaf.h"
#include "model_waiting.h"

enum {
    // Seven for each level of the two hierarchies, eight for each step that is opened anew, and room behind.
    DIVE_SIZE = 7 * 2 * (GRZ_BVH_MAX_LEVELS + 1) + 2 * GRZ_BVH_WIDTH + 1,
    FRONT_LEAVES = 32, // kept in A's frame: most of B's leaves come again soon
};

#define LARGEST_SLACK 0x1p100F // beside which sums are finite

size_t GRZ_KERNEL(grzFrontDue)(const float* ends, size_t count, float now, int32_t* due) {
    static const int32_t numbers[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    const grzF16 reading = grzF16_Set1(now);
    const grzI16 lanes = grzI16_Load(numbers);
    size_t found = 0, i = 0;
    for (; i + 16 <= count; i += 16) {
        const grzM16 isDue = grzF16_LessEqual(grzF16_Load(ends + i), reading);
        if (grzM16_Any(isDue))
            found += grzI16_CompressStore(due + found, isDue, grzI16_Add(lanes, grzI16_Set1((int32_t)i)));
    }
    for (; i < count; ++i)
        if (ends[i] <= now)
            due[found++] = (int32_t)i;
    return found;
}

// The reading at which what is apart by slack is due, rounded down.
static inline float endOf(const FrontSearch* front, float slack) {
    const float sum = front->start + (slack < LARGEST_SLACK ? slack : LARGEST_SLACK);
    return sum - 0x1p-22F * fabsf(sum);
}

// ---------------------------------------------------------------------------------------------------------- steps

// Opens entry i of the steps. Returns the children that meet and did not before.
GRZ_SIMD_PART uint32_t openEntry(FrontSearch* front, size_t i, Children* children) {
    FrontList* steps = &front->steps;
    open(&front->search, (Ref)steps->first.data[i], (Ref)steps->second.data[i], children);
    const uint32_t before = steps->opened.data[i], opened = before | grzM8_Bits(children->meets);
    const grzF8 apart =
        grzF8_Select(grzM8_FromBits(opened), grzF8_Set1(LARGEST_SLACK), grzF8_Negate(children->depth));
    steps->ends.data[i] = endOf(front, grzF8_ReduceMin(apart));
    steps->opened.data[i] = (uint8_t)opened;
    front->search.stats.boxTests += GRZ_BVH_WIDTH;
    return opened & ~before;
}

// Appends children as entries that are due; there is room.
GRZ_SIMD_PART void appendChildren(FrontSearch* front, const Children* children, grzM8 which) {
    const bool areLeaves = isLeafPair(&front->search, children->base, children->partner);
    FrontList* list = areLeaves ? &front->leaves : &front->steps;
    grzF8_Store(list->ends.data + list->count, grzF8_Set1(-(float)INFINITY));
    memset(list->opened.data + list->count, 0, GRZ_BVH_WIDTH);
    grzI8_CompressStore(list->second.data + list->count, which, children->second);
    list->count += grzI8_CompressStore(list->first.data + list->count, which, children->first);
}

static inline bool reserveStep(FrontSearch* front) {
    const grzAllocator* allocator = front->search.allocator;
    const bool isDone = grzFrontList_Reserve(&front->steps, allocator, front->steps.count + GRZ_BVH_WIDTH) &&
                        grzFrontList_Reserve(&front->leaves, allocator, front->leaves.count + GRZ_BVH_WIDTH);
    front->isRefused = !isDone;
    return isDone;
}

GRZ_SIMD_PART bool spread(FrontSearch* front, size_t i) {
    Children children;
    if (!reserveStep(front))
        return false;
    const uint32_t meets = openEntry(front, i, &children);
    appendChildren(front, &children, grzM8_FromBits(meets));
    return true;
}

bool GRZ_KERNEL(grzFrontWalk)(FrontSearch* front) {
    const size_t before = front->steps.count;
    for (size_t k = 0; k < front->due.count; ++k)
        if (!spread(front, (size_t)front->due.data[k]))
            return false;
    for (size_t i = before; i < front->steps.count; ++i)
        if (!spread(front, i))
            return false;
    return true;
}

// --------------------------------------------------------------------------------------------------------- leaves

// Whether triangles of two leaves meet, and if not, by how much they are apart.
static bool touchLeaves(ModelSearch* search, Leaves leaves, float* slack) {
    PlacedLeaf placed;
    placeLeaf(&search->relation.into[0], leaves.b, &placed);
    search->stats.leafPairs++;
    const LeafMeetings found = findMeetingsAndSlack(leaves.a, &placed, leaves.b->count, slack);
    return touchMeetings(search, leaves, &placed, found);
}

bool GRZ_KERNEL(grzFrontWitness)(FrontSearch* front) {
    float slack;
    return touchLeaves(&front->search, leavesOf(&front->search, front->witness[0], front->witness[1]), &slack);
}

// Entry i of the leaves; the witness, if they meet.
static bool touchEntry(FrontSearch* front, size_t i) {
    const Ref first = (Ref)front->leaves.first.data[i], second = (Ref)front->leaves.second.data[i];
    float slack;
    if (touchLeaves(&front->search, leavesOf(&front->search, first, second), &slack)) {
        front->witness[0] = first, front->witness[1] = second;
        return front->hasWitness = true;
    }
    front->leaves.ends.data[i] = endOf(front, slack);
    return false;
}

bool GRZ_KERNEL(grzFrontTouchLeaves)(FrontSearch* front) {
    for (size_t k = 0; k < front->due.count; ++k)
        if (touchEntry(front, (size_t)front->due.data[k]))
            return true;
    return false;
}

// ------------------------------------------------------------------------------------------------ until any pair meets

typedef struct Dive {
    int32_t first[DIVE_SIZE], second[DIVE_SIZE];
    uint32_t count;
} Dive;

// Puts children on the stack, the deepest last.
GRZ_SIMD_PART void pushChildren(Dive* dive, const Children* children, uint32_t which) {
    const grzF8 depth = grzF8_Select(grzM8_FromBits(which), children->depth, grzF8_Set1(-(float)INFINITY));
    const uint32_t deepest = grzM8_Bits(grzF8_Equal(depth, grzF8_Set1(grzF8_ReduceMax(depth)))) & which;
    const uint32_t lane = lowestBit(deepest), others = which & ~(1u << lane);
    const bool isFirst = (grzM8_Bits(children->isFirst) >> lane & 1) != 0;
    const int32_t child = (int32_t)(children->base + lane), partner = (int32_t)children->partner;
    grzI8_CompressStore(dive->second + dive->count, grzM8_FromBits(others), children->second);
    dive->count +=
        (uint32_t)grzI8_CompressStore(dive->first + dive->count, grzM8_FromBits(others), children->first);
    dive->first[dive->count] = isFirst ? child : partner;
    dive->second[dive->count] = isFirst ? partner : child;
    dive->count++;
}

// What is left on the stack becomes entries. False where memory is refused.
static bool keepRest(FrontSearch* front, const Dive* dive) {
    for (uint32_t k = 0; k < dive->count; ++k) {
        const int32_t first = dive->first[k], second = dive->second[k];
        if (!reserveStep(front))
            return false;
        grzFrontList_AddDue(isLeafPair(&front->search, (Ref)first, (Ref)second) ? &front->leaves : &front->steps,
                            first, second);
    }
    return true;
}

// Opens entry i and what is below. True for a hit, or where memory is refused.
static bool diveFrom(FrontSearch* front, size_t i) {
    Dive dive;
    Children children;
    dive.count = 0;
    const uint32_t meets = openEntry(front, i, &children);
    if (meets != 0)
        pushChildren(&dive, &children, meets);
    while (dive.count != 0) {
        if (!reserveStep(front))
            return true;
        const int32_t first = dive.first[--dive.count], second = dive.second[dive.count];
        if (isLeafPair(&front->search, (Ref)first, (Ref)second)) {
            grzFrontList_AddDue(&front->leaves, first, second);
            if (touchEntry(front, front->leaves.count - 1)) {
                keepRest(front, &dive);
                return true;
            }
            continue;
        }
        grzFrontList_AddDue(&front->steps, first, second);
        const uint32_t below = openEntry(front, front->steps.count - 1, &children);
        if (below != 0)
            pushChildren(&dive, &children, below);
    }
    return false;
}

bool GRZ_KERNEL(grzFrontDive)(FrontSearch* front) {
    for (size_t k = 0; k < front->due.count; ++k)
        if (diveFrom(front, (size_t)front->due.data[k]))
            return !front->isRefused;
    return false;
}

// -------------------------------------------------------------------------------------------------- all that meet

typedef struct FrontLeaves {
    const ModelLeaf* from[FRONT_LEAVES];
    PlacedLeaf at[FRONT_LEAVES];
} FrontLeaves;

static const PlacedLeaf* placeOnce(FrontLeaves* cache, const ModelSearch* search, const ModelLeaf* leaf) {
    const size_t slot = (size_t)(leaf - search->models[1]->leaves) % FRONT_LEAVES;
    if (leaf != cache->from[slot])
        placeLeaf(&search->relation.into[0], leaf, &cache->at[slot]);
    cache->from[slot] = leaf;
    return &cache->at[slot];
}

// Entry i of the leaves. False where memory is refused.
static bool collectEntry(FrontSearch* front, size_t i, FrontLeaves* cache, Waiting* waiting) {
    const Leaves leaves =
        leavesOf(&front->search, (Ref)front->leaves.first.data[i], (Ref)front->leaves.second.data[i]);
    const PlacedLeaf* placed = placeOnce(cache, &front->search, leaves.b);
    float slack;
    const LeafMeetings found = findMeetingsAndSlack(leaves.a, placed, leaves.b->count, &slack);
    front->leaves.ends.data[i] = endOf(front, slack);
    return found.open == 0 || keepMeetings(&front->search, leaves, placed, found, waiting);
}

bool GRZ_KERNEL(grzFrontCollect)(FrontSearch* front) {
    ModelSearch* search = &front->search;
    FrontLeaves cache;
    Waiting waiting;
    size_t k = 0;
    memset(cache.from, 0, sizeof cache.from);
    memset(&waiting, 0, sizeof waiting);
    for (; k < front->due.count && !isEnough(search); ++k)
        if (!collectEntry(front, (size_t)front->due.data[k], &cache, &waiting))
            return false;
    search->stats.leafPairs += k;
    return waiting.count == 0 || isEnough(search) || keepDecided(search, &waiting);
}
