// What: hands out ids with generations and tells live ones from those of removed things.
// Promise: an id is valid from the call that made it to the call that frees it and never again: a slot whose
//          generations are used up (2^32 - 1 lives) is retired, not begun anew. All zeros is never handed out. The
//          ids depend only on the salt and the order of calls. The slot freed last is used first, since its data
//          is likely still in the cache. An id of another pool is taken for one of ours only by chance, about 1 in
//          2^32 where the salts differ: each slot's first generation is mixed from the salt and the slot. Pools
//          with the same salt cannot be told apart.
// Idea: an id is (index + 1, generation); it is valid where the slot of that index is live and the
//       generations agree.
//
//         slots        0           1            2           3
//                 [gen, live] [gen, -> 3] [gen, live] [gen, end]
//         firstFree --------------^ \________________________^
//
// Holds: count + free + retired = slots.count.      Threads: one at a time; IsValid beside IsValid.
// Cost: every call O(1); 8 bytes a slot.
#ifndef GRAZE_BASE_ID_POOL_H
#define GRAZE_BASE_ID_POOL_H

#include "array.h"
#include "graze/result.h"

// The shape of all handles; public handle types have the same two members.
typedef struct grzId {
    uint32_t index1; // index + 1; 0: null
    uint32_t generation;
} grzId;

typedef struct grzIdSlot {
    uint32_t generation; // of the one who lives here, or who will live here next; never 0
    uint32_t next;       // index + 1 of the next free slot, 0 at the end; or one of the marks in id_pool.c
} grzIdSlot;

typedef struct grzIdPool {
    grzAllocator allocator;
    struct {
        GRZ_ARRAY(grzIdSlot);
    } slots;            // count: slots that were ever used; indices are below it
    uint32_t firstFree; // index + 1
    uint32_t count;     // live ids
    uint32_t retiredCount;
    uint32_t salt;
} grzIdPool;

static inline bool grzId_IsNull(grzId id) {
    return id.index1 == 0;
}

// Where the thing's data is. Only for ids that are not null.
static inline uint32_t grzId_Index(grzId id) {
    return id.index1 - 1;
}

// What tells the ids of an owner from those of others: the host's number (below 2^31), or, for 0, one of its own in this
// process. The two never meet.
uint32_t grzIdPool_DrawSalt(uint32_t asked);

// Takes no memory. Owners that must tell their ids apart give different salts.
void grzIdPool_Create(grzIdPool* pool, grzAllocator allocator, uint32_t salt);
void grzIdPool_Destroy(grzIdPool* pool);

// Room for so many ids in all, so that no Allocate below that can fail.
grzResult grzIdPool_Reserve(grzIdPool* pool, size_t capacity);

// grz_outOfMemory, or grz_tooLarge where 32 bits cannot number another slot; *id is null then.
grzResult grzIdPool_Allocate(grzIdPool* pool, grzId* id);

// The index of the id that the next Allocate gives, unless that fails.
static inline size_t grzIdPool_NextIndex(const grzIdPool* pool) {
    return pool->firstFree != 0 ? pool->firstFree - 1 : pool->slots.count;
}

// As if the id had never been allocated. Only for the id that was allocated last and is still there, or after it was
// taken back for the one before it, and so on; `slotCount` is what slots.count was before the first of them.
void grzIdPool_TakeBack(grzIdPool* pool, grzId id, size_t slotCount);

// False, and nothing changed, where the id is not valid.
bool grzIdPool_Free(grzIdPool* pool, grzId id);

bool grzIdPool_IsValid(const grzIdPool* pool, grzId id);

// The live id at an index, or null. Going through all indices below slots.count visits the live ids in an order
// that has nothing to do with time.
grzId grzIdPool_IdAt(const grzIdPool* pool, size_t index);

bool grzIdPool_Validate(const grzIdPool* pool);

#endif
