// What: see bvh_renewal.h.
// Idea: a second hierarchy with memory of its own, filled by the stages of a build (bvh_parts.h) in pieces. Switching over swaps the
//   two, so that the next renewal fills the memory of the one that is old now.
// Cost: a triangle is visited once to box it, four times in each of some log2 n rounds of cuts, and about twice to lay it out.
#include "bvh_renewal.h"

#include <string.h>

#include "bvh_sah.h"
#include "check.h"
#include "owner.h"

typedef enum RenewalPhase {
    resting = 0,
    boxing,  // triangles, where they are
    cutting, // see bvh_sah.c
    writing, // their order
    layingOut,
    built,
} RenewalPhase;

struct grzBvhRenewal {
    BvhSahRun run;
    BvhLayout layout;
    grzBvh spare;
    const uint32_t* callersTriangles;
    RenewalPhase phase;
    uint32_t at; // the next triangle, while they are boxed or written
};

static grzResult takeMemory(grzBvhRenewal* renewal, uint32_t vertexCount, uint32_t triangleCount) {
    grzBvh* spare = &renewal->spare;
    const size_t stamps = grzBvhRoundUp((vertexCount + (size_t)1) * sizeof(uint32_t));
    spare->scratchSize = stamps + grzBvhItems_ScratchSize(triangleCount);
    spare->scratch = grzAllocate(&spare->allocator, spare->scratchSize, 1, GRZ_BVH_ALIGNMENT);
    if (spare->scratch == NULL)
        return grzNoMemory(spare->scratchSize, 1);
    if (!grzBvh_MakeRoom(spare, vertexCount, triangleCount))
        return grzNoMemory(grzBvhRoomSize(vertexCount, triangleCount), 1);
    grzBvh_Shape(spare, vertexCount, triangleCount);
    return grzOk();
}

grzResult grzBvhRenewal_Create(const grzBvh* bvh, const uint32_t* triangles, const grzAllocator* allocator,
                               grzBvhRenewal** made) {
    *made = NULL;
    grzResult result;
    grzBvhRenewal* renewal = grzOwner_NewFrom(allocator, sizeof *renewal, _Alignof(grzBvhRenewal), &result);
    if (renewal == NULL)
        return result;
    renewal->spare.allocator = *allocator;
    renewal->callersTriangles = triangles;
    result = takeMemory(renewal, bvh->view.vertexCount, bvh->view.triangleCount);
    if (grzResult_IsOk(result))
        *made = renewal;
    else
        grzBvhRenewal_Destroy(renewal);
    return result;
}

void grzBvhRenewal_Destroy(grzBvhRenewal* renewal) {
    if (renewal == NULL)
        return;
    const grzAllocator allocator = renewal->spare.allocator;
    grzRelease(&allocator, renewal->spare.scratch, renewal->spare.scratchSize, 1, GRZ_BVH_ALIGNMENT);
    grzRelease(&allocator, renewal->spare.memory, renewal->spare.memorySize, 1, GRZ_BVH_ALIGNMENT);
    grzRelease(&allocator, renewal, 1, sizeof *renewal, _Alignof(grzBvhRenewal));
}

void grzBvhRenewal_Begin(grzBvhRenewal* renewal) {
    renewal->phase = boxing;
    renewal->at = 0;
}

bool grzBvhRenewal_IsRunning(const grzBvhRenewal* renewal) {
    return renewal->phase != resting;
}

static BvhItems itemsOf(const grzBvhRenewal* renewal) {
    const grzBvh* spare = &renewal->spare;
    const size_t stamps = spare->scratchSize - grzBvhItems_ScratchSize(spare->view.triangleCount);
    return grzBvhItems_Place(spare->view.triangleCount, spare->scratch + stamps);
}

// So many triangles of what is left of them are next.
static uint32_t shareOf(const grzBvhRenewal* renewal, uint64_t* visits) {
    const uint32_t rest = renewal->spare.view.triangleCount - renewal->at;
    const uint32_t share = *visits < rest ? (uint32_t)*visits : rest;
    *visits -= share;
    return share;
}

static bool boxSome(grzBvhRenewal* renewal, const float* positions, size_t stride, uint64_t* visits) {
    const grzBvhView* view = &renewal->spare.view;
    const BvhInput input = {.positions = positions,
                            .stride = stride / sizeof(float),
                            .vertexCount = view->vertexCount,
                            .triangleCount = view->triangleCount,
                            .triangles = renewal->callersTriangles};
    const BvhItems items = itemsOf(renewal);
    const uint32_t end = renewal->at + shareOf(renewal, visits);
    grzBvhItems_MakeSome(&input, &items, renewal->at, end);
    renewal->at = end;
    return end == view->triangleCount;
}

static bool writeSome(grzBvhRenewal* renewal, uint64_t* visits) {
    const BvhItems items = itemsOf(renewal);
    const uint32_t end = renewal->at + shareOf(renewal, visits);
    grzBvhItems_WriteSome(&items, renewal->at, end, renewal->spare.triangleToCaller);
    renewal->at = end;
    return end == renewal->spare.view.triangleCount;
}

bool grzBvhRenewal_GoOn(grzBvhRenewal* renewal, const float* positions, size_t stride, uint64_t* visits) {
    GRZ_ASSERT(renewal->phase != resting);
    if (renewal->phase == boxing && boxSome(renewal, positions, stride, visits)) {
        grzBvhSahRun_Begin(&renewal->run, itemsOf(renewal), renewal->spare.view.triangleCount);
        renewal->phase = cutting;
    }
    if (renewal->phase == cutting && grzBvhSahRun_GoOn(&renewal->run, visits)) {
        renewal->at = 0;
        renewal->phase = writing;
    }
    if (renewal->phase == writing && writeSome(renewal, visits)) {
        uint32_t* stamps = (uint32_t*)(void*)renewal->spare.scratch;
        grzBvhLayout_Begin(&renewal->layout, &renewal->spare, renewal->callersTriangles, stamps);
        renewal->phase = layingOut;
    }
    if (renewal->phase == layingOut && grzBvhLayout_GoOn(&renewal->layout, visits))
        renewal->phase = built;
    return renewal->phase == built;
}

void grzBvhRenewal_SwitchOver(grzBvhRenewal* renewal, grzBvh* bvh) {
    GRZ_ASSERT(renewal->phase == built && bvh->view.triangleCount == renewal->spare.view.triangleCount);
    const grzBvh old = *bvh;
    grzBvh* spare = &renewal->spare;
    const grzBvh made = *spare;
    *bvh = made, *spare = old;
    // What belongs to the objects, not to what they hold.
    bvh->allocator = old.allocator, spare->allocator = made.allocator;
    bvh->scratch = old.scratch, bvh->scratchSize = old.scratchSize, bvh->keepsScratch = old.keepsScratch;
    spare->scratch = made.scratch, spare->scratchSize = made.scratchSize;
    bvh->edits = old.edits, spare->edits = made.edits;
    bvh->revision = old.revision;
    grzBvh_ForgetEdits(bvh);
    renewal->phase = resting;
}

uint64_t grzBvhRenewal_Cost(uint32_t triangleCount) {
    uint64_t rounds = 0;
    for (uint64_t n = GRZ_BVH_LEAF_TRIANGLES; n < triangleCount; n *= 2)
        ++rounds;
    return triangleCount * (4 * rounds + 5);
}
