// What: the map of index_map.h.
#include "index_map.h"

#include <string.h>

#include "check.h"
#include "memory.h"

enum { leastCapacity = 32, alignment = 64 };

// Where a key would like to be.
static size_t homeOf(const IndexMap* map, uint64_t key) {
    key ^= key >> 32;
    key *= UINT64_C(0x9E3779B97F4A7C15); // 2^64 divided by the golden ratio
    return (size_t)(key >> 32) & (map->capacity - 1);
}

// Where it is, or the free entry where it would be put.
static size_t placeOf(const IndexMap* map, uint64_t key) {
    size_t at = homeOf(map, key);
    while (map->indices[at] != INDEX_NONE && map->keys[at] != key)
        at = (at + 1) & (map->capacity - 1);
    return at;
}

static bool makeEmpty(IndexMap* map, const grzAllocator* allocator, size_t capacity) {
    IndexMap made = {.capacity = capacity};
    made.keys = grzAllocate(allocator, capacity, sizeof *made.keys, alignment);
    made.indices = grzAllocate(allocator, capacity, sizeof *made.indices, alignment);
    *map = made;
    if (made.keys == NULL || made.indices == NULL) {
        grzIndexMap_Release(map, allocator);
        return false;
    }
    memset(made.indices, 0xff, capacity * sizeof *made.indices);
    return true;
}

bool grzIndexMap_Reserve(IndexMap* map, const grzAllocator* allocator, size_t count) {
    size_t capacity = map->capacity != 0 ? map->capacity : leastCapacity;
    while (capacity / 2 < count) {
        if (capacity > SIZE_MAX / 4)
            return false;
        capacity *= 2;
    }
    if (capacity == map->capacity)
        return true;
    IndexMap grown;
    if (!makeEmpty(&grown, allocator, capacity))
        return false;
    for (size_t i = 0; i < map->capacity; ++i)
        if (map->indices[i] != INDEX_NONE)
            grzIndexMap_Set(&grown, map->keys[i], map->indices[i]);
    grzIndexMap_Release(map, allocator);
    *map = grown;
    return true;
}

void grzIndexMap_Release(IndexMap* map, const grzAllocator* allocator) {
    grzRelease(allocator, map->keys, map->capacity, sizeof *map->keys, alignment);
    grzRelease(allocator, map->indices, map->capacity, sizeof *map->indices, alignment);
    *map = (IndexMap){0};
}

void grzIndexMap_Clear(IndexMap* map) {
    map->count = 0;
    if (map->capacity != 0)
        memset(map->indices, 0xff, map->capacity * sizeof *map->indices);
}

uint32_t grzIndexMap_Find(const IndexMap* map, uint64_t key) {
    return map->count != 0 ? map->indices[placeOf(map, key)] : INDEX_NONE;
}

void grzIndexMap_Set(IndexMap* map, uint64_t key, uint32_t index) {
    GRZ_ASSERT(index != INDEX_NONE && map->capacity != 0);
    size_t at = placeOf(map, key);
    if (map->indices[at] == INDEX_NONE)
        map->count++;
    GRZ_ASSERT(map->count <= map->capacity / 2);
    map->keys[at] = key;
    map->indices[at] = index;
}

void grzIndexMap_Remove(IndexMap* map, uint64_t key) {
    if (map->count == 0)
        return;
    size_t mask = map->capacity - 1, gap = placeOf(map, key);
    if (map->indices[gap] == INDEX_NONE)
        return;
    map->count--;
    // An entry behind the gap moves into it, unless its home lies between the two.
    for (size_t at = (gap + 1) & mask; map->indices[at] != INDEX_NONE; at = (at + 1) & mask) {
        if (((at - homeOf(map, map->keys[at])) & mask) < ((at - gap) & mask))
            continue;
        map->keys[gap] = map->keys[at];
        map->indices[gap] = map->indices[at];
        gap = at;
    }
    map->indices[gap] = INDEX_NONE;
}
