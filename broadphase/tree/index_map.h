// What: a map from 64-bit keys to 32-bit indices.
// Idea: open addressing with linear probing, at most half full; what is removed closes its gap, so that no tombstones gather.
//   Keys are spread by multiplication [Knuth, The Art of Computer Programming 3, section 6.4].
// Holds: capacity is 0 or a power of two; an entry whose index is INDEX_NONE is free.
// Threads: one at a time; finds beside finds.      Cost: O(1) a call, 12 bytes an entry.
// Limits: the spreading is no defence against keys chosen to collide.
#ifndef GRAZE_BROADPHASE_INDEX_MAP_H
#define GRAZE_BROADPHASE_INDEX_MAP_H

#include "graze/host.h"

#define INDEX_NONE UINT32_MAX

// All zeros is an empty map.
typedef struct IndexMap {
    uint64_t* keys;
    uint32_t* indices;
    size_t count, capacity;
} IndexMap;

static inline uint64_t indexMapKey(uint32_t high, uint32_t low) {
    return (uint64_t)high << 32 | low;
}

// Room for `count` keys in all; false, and nothing changed, where memory is refused.
bool grzIndexMap_Reserve(IndexMap* map, const grzAllocator* allocator, size_t count);
void grzIndexMap_Release(IndexMap* map, const grzAllocator* allocator);

// Forgets all keys and keeps the memory.
void grzIndexMap_Clear(IndexMap* map);

// The index of a key, or INDEX_NONE.
uint32_t grzIndexMap_Find(const IndexMap* map, uint64_t key);

// Sets the index of a key, new or known; index is not INDEX_NONE. Needs a reservation for a new one.
void grzIndexMap_Set(IndexMap* map, uint64_t key, uint32_t index);

// Nothing happens where there is no such key.
void grzIndexMap_Remove(IndexMap* map, uint64_t key);

#endif
