// What: scratch memory of one worker: mark, use, rewind.
//
//   grzArenaMark mark = grzArena_Mark(arena);
//   uint32_t* order = grzArena_Allocate(arena, count, sizeof *order, 64);
//   if (order == NULL) return grzNoMemory(count, sizeof *order);
//   ...
//   grzArena_Rewind(arena, mark);
//
// Promise: NULL means refused, by the hook or by the fixed size, and nothing changed; it never means "zero
//          elements". After warm-up no request reaches the hook: once the arena has been empty again, one block
//          holds all that the busiest time before needed.
// Idea: blocks in a chain, filled from the front. A rewind keeps the later blocks for the next use; when the
//       arena is empty and several blocks are there, they go back and one block of the peak size is taken at
//       the next use.
//
//         first                          current                       spare
//         [head|aaaa..bbb..|wasted] ---> [head|cccccccc..dd..|free] ---> [head|free]
//
// Holds: marks are rewound in stack order, and a mark dies with any rewind to an earlier one. Under
//        AddressSanitizer all that is not handed out is poisoned, and every allocation is followed by
//        GRZ_ARENA_REDZONE bytes.
// Threads: one at a time. Memory is the arena's; users give nothing back but by rewind.
// Limits: in a fixed arena a refused request counts in the report, so that a setting can be named; what the caller
//         would have asked for next is not known, so the figure is a lower bound then.
#ifndef GRAZE_BASE_ARENA_H
#define GRAZE_BASE_ARENA_H

#include "graze/host.h"
#include "graze/result.h"
#include "poison.h"

// Bytes kept free behind each allocation; blocks must be larger by that much in such builds.
#define GRZ_ARENA_REDZONE ((size_t)(GRZ_HAS_ASAN ? 32 : 0))
// Bytes of book-keeping at the start of each block, counted in all sizes of blocks.
#define GRZ_ARENA_BLOCK_HEAD ((size_t)64)
// The largest alignment; also the alignment of blocks, so that offsets, and with them the report, do not depend
// on addresses.
#define GRZ_ARENA_MAX_ALIGNMENT ((size_t)4096)

typedef struct grzArenaDef {
    grzAllocator allocator; // all zeros: the default one
    size_t firstBlockSize;  // bytes, taken by create; 0: nothing is taken before the first use
    bool isFixed;           // the first block is all there will ever be
} grzArenaDef;

typedef struct grzArenaBlock grzArenaBlock;

typedef struct grzArena {
    grzAllocator allocator;
    grzArenaBlock* first;
    grzArenaBlock* current; // the block that was allocated from last; NULL where the arena is empty
    size_t used;            // offset in current behind the last allocation
    size_t ideal;           // the same, had there been one block for all
    size_t requested;       // sum of the bytes asked for, without gaps
    size_t idealPeak;
    size_t requestedPeak;
    size_t refusedIdeal; // the largest `ideal` a refused request would have made
    size_t refusedCount;
    size_t nextBlockSize; // what to ask the hook for next, where the request is not larger
    size_t firstBlockSize;
    bool isFixed;
} grzArena;

typedef struct grzArenaMark {
    grzArenaBlock* block; // NULL: empty
    size_t used, ideal, requested;
} grzArenaMark;

typedef struct grzArenaReport {
    size_t requestedBytes;  // asked for and not rewound
    size_t requestedPeak;   // the most of that at one time
    size_t capacity;        // bytes of all blocks
    size_t blockCount;      // 1 or 0 after warm-up
    size_t refusedCount;    // requests that returned NULL
    size_t neededBlockSize; // the firstBlockSize that would have held everything, refused requests included
    size_t missingBytes;    // by how much firstBlockSize was smaller than that
} grzArenaReport;

static inline grzArenaDef grzDefaultArenaDef(void) {
    grzArenaDef def = {{NULL, NULL, NULL}, 64 * 1024, false};
    return def;
}

// grz_outOfMemory where the first block is refused, grz_badArgument for half an allocator; the arena is then all
// zeros, and destroy does nothing.
grzResult grzArena_Create(grzArena* arena, const grzArenaDef* def);
void grzArena_Destroy(grzArena* arena);

// Not initialised; aligned to `alignment`, a power of two up to GRZ_ARENA_MAX_ALIGNMENT. For zero bytes a pointer
// that must not be read through, yet not NULL.
void* grzArena_Allocate(grzArena* arena, size_t count, size_t size, size_t alignment);

grzArenaMark grzArena_Mark(const grzArena* arena);
// Everything allocated since the mark is gone.
void grzArena_Rewind(grzArena* arena, grzArenaMark mark);
// Everything is gone.
void grzArena_Reset(grzArena* arena);

grzArenaReport grzArena_Report(const grzArena* arena);
// Walks the blocks: heads untouched, offsets in range, all free memory poisoned where there is a sanitizer.
bool grzArena_Validate(const grzArena* arena);

#endif
