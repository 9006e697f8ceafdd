// What: the tournament of event_queue.h.
#include "event_queue.h"

#include <math.h>

static uint32_t roundUp(uint32_t count) {
    return (count + EVENT_QUEUE_WIDTH - 1) / EVENT_QUEUE_WIDTH * EVENT_QUEUE_WIDTH;
}

size_t grzEventQueue_Size(uint32_t slotCount) {
    size_t size = roundUp(slotCount);
    for (uint32_t count = slotCount; count > EVENT_QUEUE_WIDTH;) {
        count = roundUp(count) / EVENT_QUEUE_WIDTH;
        size += roundUp(count);
    }
    return size;
}

void grzEventQueue_Make(grzEventQueue* queue, uint32_t slotCount, double* memory) {
    uint32_t count = slotCount;
    queue->rowCount = 0;
    for (;;) {
        const uint32_t places = roundUp(count);
        queue->rows[queue->rowCount] = memory;
        queue->counts[queue->rowCount++] = count;
        for (uint32_t i = 0; i < places; ++i)
            memory[i] = (double)INFINITY;
        memory += places;
        if (count <= EVENT_QUEUE_WIDTH)
            return;
        count = places / EVENT_QUEUE_WIDTH;
    }
}

static double leastOf(const double* eight) {
    double least[4];
    for (int i = 0; i < 4; ++i)
        least[i] = eight[i + 4] < eight[i] ? eight[i + 4] : eight[i];
    for (int i = 0; i < 2; ++i)
        least[i] = least[i + 2] < least[i] ? least[i + 2] : least[i];
    return least[1] < least[0] ? least[1] : least[0];
}

// A game is played anew only where its winner gives way. Most times are neither before it nor were it.
void grzEventQueue_Set(grzEventQueue* queue, uint32_t slot, double time) {
    for (uint32_t row = 0;; ++row) {
        const double before = queue->rows[row][slot];
        queue->rows[row][slot] = time;
        if (row + 1 == queue->rowCount)
            return;
        slot /= EVENT_QUEUE_WIDTH;
        const double winner = queue->rows[row + 1][slot];
        if (time > winner && before > winner)
            return;
        if (time > winner)
            time = leastOf(queue->rows[row] + (size_t)slot * EVENT_QUEUE_WIDTH);
        if (time == winner)
            return;
    }
}

double grzEventQueue_First(const grzEventQueue* queue) {
    return leastOf(queue->rows[queue->rowCount - 1]);
}

uint32_t grzEventQueue_FirstSlot(const grzEventQueue* queue) {
    const double least = grzEventQueue_First(queue);
    uint32_t slot = 0;
    for (uint32_t row = queue->rowCount; row-- > 0;) {
        slot *= EVENT_QUEUE_WIDTH;
        while (queue->rows[row][slot] != least)
            ++slot;
    }
    return slot;
}

static void visitBlock(const grzEventQueue* queue, uint32_t row, uint32_t first, double until,
                       grzEventVisitFn* visit, void* context) {
    uint32_t due = 0;
    for (uint32_t i = 0; i < EVENT_QUEUE_WIDTH; ++i) // no branch: which are due cannot be foreseen
        due |= (uint32_t)(queue->rows[row][first + i] <= until) << i;
    for (; due != 0; due &= due - 1) {
        const uint32_t place = first + (uint32_t)__builtin_ctz(due);
        if (row == 0)
            visit(context, place);
        else
            visitBlock(queue, row - 1, place * EVENT_QUEUE_WIDTH, until, visit, context);
    }
}

void grzEventQueue_VisitUntil(const grzEventQueue* queue, double until, grzEventVisitFn* visit, void* context) {
    visitBlock(queue, queue->rowCount - 1, 0, until, visit, context);
}
