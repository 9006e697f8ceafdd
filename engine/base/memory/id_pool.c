// What: the slots behind id_pool.h.
// Holds: `next` is a mark (live, retired) or a link of the one free list; generations step by one and skip 0, so a
//        slot has had all its lives when it comes back to the generation it began with.
#include "id_pool.h"

#include <stdatomic.h>
#include <string.h>

#include "check.h"
#include "memory.h"
#include "result_make.h"

static const uint32_t liveMark = UINT32_MAX;
static const uint32_t retiredMark = UINT32_MAX - 1;
static const size_t mostSlots = UINT32_MAX - 2; // index + 1 stays below the marks

// The finalizer of MurmurHash3: a bijection, so different (salt + index) begin differently, 0 and 1 excepted.
static uint32_t firstGeneration(uint32_t salt, size_t index) {
    uint32_t bits = salt * 0x9E3779B9u + (uint32_t)index;
    bits = (bits ^ bits >> 16) * 0x85EBCA6Bu;
    bits = (bits ^ bits >> 13) * 0xC2B2AE35u;
    bits ^= bits >> 16;
    return bits != 0 ? bits : 1;
}

static uint32_t nextGeneration(uint32_t generation) {
    return generation != UINT32_MAX ? generation + 1 : 1;
}

uint32_t grzIdPool_DrawSalt(uint32_t asked) {
    static atomic_uint drawn;
    if (asked != 0)
        return 2 * asked;
    // Relaxed: only that no two owners get the same matters.
    return 2 * atomic_fetch_add_explicit(&drawn, 1, memory_order_relaxed) + 1;
}

void grzIdPool_Create(grzIdPool* pool, grzAllocator allocator, uint32_t salt) {
    GRZ_ASSERT(grzResult_IsOk(grzCheckAllocator(allocator, 2)));
    memset(pool, 0, sizeof *pool);
    pool->allocator = grzAllocator_OrDefault(allocator);
    pool->salt = salt;
}

void grzIdPool_Destroy(grzIdPool* pool) {
    grzArray_Release(&pool->slots, &pool->allocator);
    memset(pool, 0, sizeof *pool);
}

grzResult grzIdPool_Reserve(grzIdPool* pool, size_t capacity) {
    const size_t wanted = capacity + pool->retiredCount;
    if (capacity > mostSlots || wanted > mostSlots)
        return grzFail(grz_tooLarge, capacity);
    if (!grzArray_Reserve(&pool->slots, &pool->allocator, wanted))
        return grzNoMemory(wanted, sizeof *pool->slots.data);
    return grzOk();
}

grzResult grzIdPool_Allocate(grzIdPool* pool, grzId* id) {
    *id = (grzId){0, 0};
    if (pool->firstFree == 0) {
        const size_t index = pool->slots.count;
        if (index == mostSlots)
            return grzFail(grz_tooLarge, (uint64_t)index + 1);
        if (!grzArray_Reserve(&pool->slots, &pool->allocator, index + 1))
            return grzNoMemory(index + 1, sizeof *pool->slots.data);
        pool->slots.data[index] = (grzIdSlot){firstGeneration(pool->salt, index), 0};
        pool->slots.count++;
        pool->firstFree = (uint32_t)index + 1;
    }
    grzIdSlot* slot = &pool->slots.data[pool->firstFree - 1];
    *id = (grzId){pool->firstFree, slot->generation};
    pool->firstFree = slot->next;
    slot->next = liveMark;
    pool->count++;
    return grzOk();
}

void grzIdPool_TakeBack(grzIdPool* pool, grzId id, size_t slotCount) {
    GRZ_ASSERT(grzIdPool_IsValid(pool, id));
    const uint32_t index = grzId_Index(id);
    pool->count--;
    if (index >= slotCount) { // the slot was made for it, as there was no free one
        GRZ_ASSERT(index + 1 == pool->slots.count && pool->firstFree == 0);
        pool->slots.count--;
        return;
    }
    pool->slots.data[index].next = pool->firstFree;
    pool->firstFree = id.index1;
}

bool grzIdPool_Free(grzIdPool* pool, grzId id) {
    if (!grzIdPool_IsValid(pool, id))
        return false;
    const uint32_t index = grzId_Index(id);
    grzIdSlot* slot = &pool->slots.data[index];
    slot->generation = nextGeneration(slot->generation);
    pool->count--;
    if (slot->generation == firstGeneration(pool->salt, index)) {
        slot->next = retiredMark;
        pool->retiredCount++;
        return true;
    }
    slot->next = pool->firstFree;
    pool->firstFree = id.index1;
    return true;
}

bool grzIdPool_IsValid(const grzIdPool* pool, grzId id) {
    if (id.index1 == 0 || id.index1 > pool->slots.count)
        return false;
    const grzIdSlot slot = pool->slots.data[id.index1 - 1];
    return slot.next == liveMark && slot.generation == id.generation;
}

grzId grzIdPool_IdAt(const grzIdPool* pool, size_t index) {
    if (index >= pool->slots.count || pool->slots.data[index].next != liveMark)
        return (grzId){0, 0};
    return (grzId){(uint32_t)index + 1, pool->slots.data[index].generation};
}

bool grzIdPool_Validate(const grzIdPool* pool) {
    size_t liveCount = 0, retiredCount = 0, freeCount = 0;
    for (size_t i = 0; i < pool->slots.count; ++i) {
        const grzIdSlot slot = pool->slots.data[i];
        if (slot.generation == 0)
            return false;
        if (slot.next == liveMark)
            liveCount++;
        else if (slot.next == retiredMark)
            retiredCount++;
        else if (slot.next > pool->slots.count)
            return false;
    }
    // A list with a ring or a live slot in it does not come out at the right length.
    for (uint32_t at = pool->firstFree; at != 0; at = pool->slots.data[at - 1].next)
        if (at > pool->slots.count || ++freeCount > pool->slots.count)
            return false;
    return pool->slots.count <= pool->slots.capacity && liveCount == pool->count &&
           retiredCount == pool->retiredCount && liveCount + retiredCount + freeCount == pool->slots.count;
}
