// What: the times of a fixed set of events, of which the first is always known.
//
//   grzEventQueue_Make(&queue, slotCount, memory);              // all at infinity: none is to come
//   grzEventQueue_Set(&queue, slot, time);                      // comes in, moves, or goes (infinity)
//   while (grzEventQueue_First(&queue) <= until) slot = grzEventQueue_FirstSlot(&queue);
//
// Which structure, and why: a tournament of eight at a time. A kinetic tree has one place for each of its events for ever, so
// that nothing has to be found, linked or allocated: to insert, delete or move an event is to write its time and to play the
// games on its way up, each the least of eight doubles that lie in one line of a cache. All in O(log k), as the AVL tree of the
// paper; to extract is to read. The same rows serve as minima of blocks where all events up to a time are wanted.
// Promise: of events at one time the one of the lowest slot is first.
// Threads: one at a time.
#ifndef GRAZE_KINETIC_EVENT_QUEUE_H
#define GRAZE_KINETIC_EVENT_QUEUE_H

#include <stddef.h>
#include <stdint.h>

enum { EVENT_QUEUE_MOST_ROWS = 12, EVENT_QUEUE_WIDTH = 8 };

typedef struct grzEventQueue {
    double* rows[EVENT_QUEUE_MOST_ROWS];    // [0]: the slots; [k + 1]: the least of each eight of [k]
    uint32_t rowCount;                      // the last has eight places or fewer
    uint32_t counts[EVENT_QUEUE_MOST_ROWS]; // of places that count; what is left of the eight is at infinity
} grzEventQueue;

// How many doubles it takes for so many slots, at least 1 of them; at most 2^32 - 8. Memory is aligned as a line of a cache.
size_t grzEventQueue_Size(uint32_t slotCount);
void grzEventQueue_Make(grzEventQueue* queue, uint32_t slotCount, double* memory);

void grzEventQueue_Set(grzEventQueue* queue, uint32_t slot, double time);

static inline double grzEventQueue_Time(const grzEventQueue* queue, uint32_t slot) {
    return queue->rows[0][slot];
}

double grzEventQueue_First(const grzEventQueue* queue);
uint32_t grzEventQueue_FirstSlot(const grzEventQueue* queue);

// Calls `visit` for every slot with a time up to `until`, ascending by slot; it may set times, which are not looked at again.
typedef void grzEventVisitFn(void* context, uint32_t slot);
void grzEventQueue_VisitUntil(const grzEventQueue* queue, double until, grzEventVisitFn* visit, void* context);

#endif
