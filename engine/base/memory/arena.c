// What: the blocks behind arena.h.
// Idea: besides the true offset in the current block, an ideal one is kept: where the last allocation would end if
//       one block held everything. Blocks are aligned to the largest alignment, so the ideal offset is exact; its
//       peak is the block size that makes growth stop, and the figure that a report gives the user.
// Based on: redzones and poison as in [Collet et al., Zstandard, lib/compress/zstd_cwksp.h].
#include "arena.h"

#include <string.h>

#include "check.h"
#include "memory.h"
#include "result_make.h"

struct grzArenaBlock {
    grzArenaBlock* next;
    size_t size;  // bytes with this head
    size_t check; // headCheck: a write before the first allocation shows
};

_Static_assert(sizeof(grzArenaBlock) + 32 <= GRZ_ARENA_BLOCK_HEAD,
               "a head leaves a redzone before its first bytes");

// Below any alignment in use nothing is gained, and the sanitizer poisons in steps of eight bytes.
static const size_t leastAlignment = 8;

typedef struct Place {
    size_t start, end;
} Place;

static size_t larger(size_t a, size_t b) {
    return a > b ? a : b;
}

static size_t headCheck(const grzArenaBlock* block) {
    return (size_t)(uintptr_t)block ^ ~block->size;
}

static void poisonFrom(grzArenaBlock* block, size_t offset) {
    ASAN_POISON_MEMORY_REGION((char*)block + offset, block->size - offset);
}

// A quarter of the address space is more than any hook can give; sums of two such sizes cannot wrap.
static bool isPlausible(size_t count, size_t size) {
    return size == 0 || count <= SIZE_MAX / 4 / size;
}

static Place placeBehind(size_t used, size_t bytes, size_t alignment) {
    const size_t step = larger(alignment, leastAlignment) - 1;
    Place place;
    place.start = (used + step) & ~step;
    place.end = ((place.start + bytes + leastAlignment - 1) & ~(leastAlignment - 1)) + GRZ_ARENA_REDZONE;
    return place;
}

static grzArenaBlock* takeBlock(const grzArena* arena, size_t atLeast) {
    if (atLeast > SIZE_MAX / 2)
        return NULL;
    // Whole head sizes, so that the sanitizer's steps end where blocks end.
    const size_t size = (atLeast + GRZ_ARENA_BLOCK_HEAD - 1) & ~(GRZ_ARENA_BLOCK_HEAD - 1);
    grzArenaBlock* block = grzAllocate(&arena->allocator, 1, size, GRZ_ARENA_MAX_ALIGNMENT);
    if (block == NULL)
        return NULL;
    block->next = NULL;
    block->size = size;
    block->check = headCheck(block);
    poisonFrom(block, sizeof *block);
    return block;
}

static void releaseBlocks(grzArena* arena) {
    for (grzArenaBlock* block = arena->first; block != NULL;) {
        grzArenaBlock* const next = block->next;
        const size_t size = block->size;
        ASAN_UNPOISON_MEMORY_REGION(block, size);
        grzRelease(&arena->allocator, block, 1, size, GRZ_ARENA_MAX_ALIGNMENT);
        block = next;
    }
    arena->first = NULL;
}

grzResult grzArena_Create(grzArena* arena, const grzArenaDef* def) {
    memset(arena, 0, sizeof *arena);
    grzResult result = grzCheckAllocator(def->allocator, 2);
    if (!grzResult_IsOk(result))
        return result;
    grzArena made = {.allocator = grzAllocator_OrDefault(def->allocator), .isFixed = def->isFixed};
    made.firstBlockSize = def->firstBlockSize;
    made.nextBlockSize = def->firstBlockSize;
    made.ideal = GRZ_ARENA_BLOCK_HEAD;
    if (def->firstBlockSize != 0) {
        made.first = takeBlock(&made, def->firstBlockSize);
        if (made.first == NULL)
            return grzNoMemory(1, def->firstBlockSize);
    }
    *arena = made;
    return grzOk();
}

void grzArena_Destroy(grzArena* arena) {
    releaseBlocks(arena);
    memset(arena, 0, sizeof *arena);
}

// A new block at the end of the chain with room for a first allocation that ends at `end`. The generous size is
// tried first; a hook that is short of memory may still give what is needed.
static grzArenaBlock* appendBlock(grzArena* arena, size_t end) {
    if (arena->isFixed)
        return NULL;
    const size_t generous = larger(arena->nextBlockSize, end);
    grzArenaBlock* block = takeBlock(arena, generous);
    if (block == NULL && generous > end)
        block = takeBlock(arena, end);
    if (block == NULL)
        return NULL;
    grzArenaBlock** link = &arena->first;
    while (*link != NULL)
        link = &(*link)->next;
    *link = block;
    arena->nextBlockSize = block->size <= SIZE_MAX / 4 ? block->size * 2 : block->size;
    return block;
}

// The first block from the current one on that has room, or a new one.
static grzArenaBlock* findRoom(grzArena* arena, size_t bytes, size_t alignment, Place* place) {
    grzArenaBlock* block = arena->current != NULL ? arena->current : arena->first;
    size_t used = arena->current != NULL ? arena->used : GRZ_ARENA_BLOCK_HEAD;
    for (; block != NULL; block = block->next) {
        *place = placeBehind(used, bytes, alignment);
        if (place->end <= block->size)
            return block;
        used = GRZ_ARENA_BLOCK_HEAD;
    }
    *place = placeBehind(GRZ_ARENA_BLOCK_HEAD, bytes, alignment);
    return appendBlock(arena, place->end);
}

static void* refuse(grzArena* arena, size_t ideal) {
    arena->refusedIdeal = larger(arena->refusedIdeal, ideal);
    arena->refusedCount++;
    return NULL;
}

void* grzArena_Allocate(grzArena* arena, size_t count, size_t size, size_t alignment) {
    GRZ_ASSERT(alignment != 0 && (alignment & (alignment - 1)) == 0 && alignment <= GRZ_ARENA_MAX_ALIGNMENT);
    if (!isPlausible(count, size))
        return refuse(arena, SIZE_MAX);
    const size_t bytes = count * size;
    const size_t ideal = placeBehind(arena->ideal, bytes, alignment).end;
    Place place;
    grzArenaBlock* const block = findRoom(arena, bytes, alignment, &place);
    if (block == NULL)
        return refuse(arena, ideal);
    arena->current = block;
    arena->used = place.end;
    arena->ideal = ideal;
    arena->idealPeak = larger(arena->idealPeak, ideal);
    arena->requested += bytes;
    arena->requestedPeak = larger(arena->requestedPeak, arena->requested);
    void* const memory = (char*)block + place.start;
    ASAN_UNPOISON_MEMORY_REGION(memory, bytes);
    return memory;
}

grzArenaMark grzArena_Mark(const grzArena* arena) {
    grzArenaMark mark = {arena->current, arena->used, arena->ideal, arena->requested};
    return mark;
}

void grzArena_Rewind(grzArena* arena, grzArenaMark mark) {
    GRZ_ASSERT(mark.ideal <= arena->ideal && mark.requested <= arena->requested);
    if (mark.block == NULL) {
        grzArena_Reset(arena);
        return;
    }
    poisonFrom(mark.block, mark.used);
    for (grzArenaBlock* block = mark.block; block != arena->current;) {
        block = block->next;
        poisonFrom(block, GRZ_ARENA_BLOCK_HEAD);
    }
    arena->current = mark.block;
    arena->used = mark.used;
    arena->ideal = mark.ideal;
    arena->requested = mark.requested;
}

void grzArena_Reset(grzArena* arena) {
    if (arena->first != NULL && arena->first->next != NULL) {
        releaseBlocks(arena);
        arena->nextBlockSize = arena->idealPeak;
    } else if (arena->first != NULL) {
        poisonFrom(arena->first, GRZ_ARENA_BLOCK_HEAD);
    }
    arena->current = NULL;
    arena->used = 0;
    arena->ideal = GRZ_ARENA_BLOCK_HEAD;
    arena->requested = 0;
}

grzArenaReport grzArena_Report(const grzArena* arena) {
    grzArenaReport report = {.requestedBytes = arena->requested, .requestedPeak = arena->requestedPeak};
    for (const grzArenaBlock* block = arena->first; block != NULL; block = block->next) {
        report.blockCount++;
        report.capacity += block->size;
    }
    report.refusedCount = arena->refusedCount;
    report.neededBlockSize = larger(arena->idealPeak, arena->refusedIdeal);
    if (report.neededBlockSize > arena->firstBlockSize)
        report.missingBytes = report.neededBlockSize - arena->firstBlockSize;
    return report;
}

// The ends of a free stretch; each byte of it would cost more than the tests that call this can bear.
static bool isFree(const grzArenaBlock* block, size_t offset) {
#if GRZ_HAS_ASAN
    const char* base = (const char*)block;
    return offset == block->size ||
           (__asan_address_is_poisoned(base + offset) && __asan_address_is_poisoned(base + block->size - 1));
#else
    return offset <= block->size;
#endif
}

bool grzArena_Validate(const grzArena* arena) {
    bool isBehindCurrent = arena->current == NULL;
    for (const grzArenaBlock* block = arena->first; block != NULL; block = block->next) {
        if (block->check != headCheck(block) || block->size < GRZ_ARENA_BLOCK_HEAD)
            return false;
        if (block == arena->current) {
            if (arena->used < GRZ_ARENA_BLOCK_HEAD || arena->used > block->size || !isFree(block, arena->used))
                return false;
            isBehindCurrent = true;
        } else if (isBehindCurrent && !isFree(block, GRZ_ARENA_BLOCK_HEAD)) {
            return false;
        }
    }
    if (!isBehindCurrent)
        return false; // the current block is not in the chain
    if (arena->isFixed && arena->first != NULL && arena->first->next != NULL)
        return false;
    if (arena->current == NULL)
        return arena->ideal == GRZ_ARENA_BLOCK_HEAD && arena->requested == 0;
    return arena->requested <= arena->ideal && arena->ideal <= arena->idealPeak &&
           arena->requested <= arena->requestedPeak;
}
