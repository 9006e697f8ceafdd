// What: the next events of the sides of boxes between two keyframes, of which the first is always known.
//
//   grzFrameQueue_Make(&queue, slotCount, memory);
//   ...at each keyframe: write queue.marks, a bit for each slot that may have events up to the next one...
//   if (!grzFrameQueue_Open(&queue, allocator)) ...
//   place = grzFrameQueue_PlaceOf(&queue, slot);              // where the slot is marked
//   grzFrameQueue_Set(&queue, place, tick, lane);
//   while (grzFrameQueue_First(&queue) <= until) place = grzFrameQueue_FirstPlace(&queue);
//
// Which structure, and why: a tournament of sixteen at a time over the marked slots alone. A side that is realised by one and the
// same vertex at both ends of an interval has no event in it, which a look at the new keyframe's boxes tells; the few that
// are left get places without gaps, in the order of their slots. So the rows of a part are mostly a few lines, and a place
// costs some 9 bytes where a side without one costs little more than a bit. Within an interval nothing is allocated, and nothing
// moves: to insert, delete or move an event is to write its time and to play the games on its way up, each the least of
// sixteen floats that lie in one line of a cache: O(log k), as the AVL tree of the paper; to extract is to follow the least
// downwards. A heap with places of its entries was the other choice: as much work for so few, but more memory a place.
//
//   marks     0 0 1 0 0 1 1 0 | 0 ... | 1 ...        a bit for each slot
//   places        0     1 2             3            the bits before it: starts[word] + those of its word
//   rows[0]      [t0    t1 t2 ... t15][t16 ...       ticks, infinity: none
//   rows[1]      [least of sixteen   ][...
//
// Promise: of events at one tick the one of the lowest slot is first.
// Threads: one at a time.
#ifndef GRAZE_KINETIC_FRAME_QUEUE_H
#define GRAZE_KINETIC_FRAME_QUEUE_H

#include "array.h"

enum { FRAME_QUEUE_WIDTH = 16, FRAME_QUEUE_ROWS = 8 };

typedef struct FrameQueueMemory {
    GRZ_ARRAY(unsigned char);
} FrameQueueMemory;

typedef struct grzFrameQueue {
    uint8_t* marks;
    uint32_t* starts; // of each 64 slots: the places before them
    uint32_t slotCount;
    uint32_t count;                // places
    float* rows[FRAME_QUEUE_ROWS]; // ticks are whole numbers up to 2^24, as floats are
    uint32_t rowCount;             // the last has sixteen places or fewer
    uint32_t* slots;               // of each place, ascending
    uint8_t* lanes;                // of each place: who comes ahead, see kinetic_inside.h
    uint64_t* due;                 // a bit for each place
    FrameQueueMemory memory;       // all of the above from rows on
} grzFrameQueue;

// Bytes that it takes for so many slots, a multiple of 64, whatever is marked. Memory is aligned to 8.
size_t grzFrameQueue_Size(uint32_t slotCount);

// Nothing is marked.
void grzFrameQueue_Make(grzFrameQueue* queue, uint32_t slotCount, unsigned char* memory);
void grzFrameQueue_Drop(grzFrameQueue* queue, const grzAllocator* allocator);

// A place for each slot that is marked, no events, and none due. False where memory is refused: there are no places then, and
// only the marks may be asked for.
bool grzFrameQueue_Open(grzFrameQueue* queue, const grzAllocator* allocator);

// No slot is marked.
void grzFrameQueue_Empty(grzFrameQueue* queue);

static inline bool grzFrameQueue_IsMarked(const grzFrameQueue* queue, uint32_t slot) {
    return (queue->marks[slot / 8] >> slot % 8 & 1) != 0;
}

static inline uint64_t grzFrameQueue_Word(const grzFrameQueue* queue, uint32_t word) {
    uint64_t marks = 0;
    for (uint32_t k = 0; k < 8; ++k) // slot k is bit k on any machine
        marks |= (uint64_t)queue->marks[8 * (size_t)word + k] << 8 * k;
    return marks;
}

static inline uint32_t grzFrameQueue_Ones(uint64_t bits) {
    bits -= bits >> 1 & 0x5555555555555555;
    bits = (bits & 0x3333333333333333) + (bits >> 2 & 0x3333333333333333);
    return (uint32_t)(((bits + (bits >> 4)) & 0x0F0F0F0F0F0F0F0F) * 0x0101010101010101 >> 56);
}

// Of a slot that is marked.
static inline uint32_t grzFrameQueue_PlaceOf(const grzFrameQueue* queue, uint32_t slot) {
    const uint64_t before = grzFrameQueue_Word(queue, slot / 64) & ((UINT64_C(1) << slot % 64) - 1);
    return queue->starts[slot / 64] + grzFrameQueue_Ones(before);
}

static inline float grzFrameQueue_Tick(const grzFrameQueue* queue, uint32_t place) {
    return queue->rows[0][place];
}

// Comes in, moves, or goes (infinity).
void grzFrameQueue_Set(grzFrameQueue* queue, uint32_t place, float tick, uint32_t lane);

// The same for many places, where nothing is asked between; and what has to follow.
static inline void grzFrameQueue_Put(grzFrameQueue* queue, uint32_t place, float tick, uint32_t lane) {
    queue->rows[0][place] = tick;
    queue->lanes[place] = (uint8_t)lane;
}
void grzFrameQueue_PlayAll(grzFrameQueue* queue);

// The least tick; infinity: there is no event.
float grzFrameQueue_First(const grzFrameQueue* queue);
uint32_t grzFrameQueue_FirstPlace(const grzFrameQueue* queue);

// Sets the due bit of each place with a tick up to `until`; or of all.
void grzFrameQueue_CallUntil(grzFrameQueue* queue, float until);
void grzFrameQueue_CallAll(grzFrameQueue* queue);

#endif
