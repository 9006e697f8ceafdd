// What: the tournament of frame_queue.h.
#include "frame_queue.h"

#include <math.h>
#include <string.h>

#include "check.h"
#include "simd.h"

static uint32_t roundUp(uint32_t count) {
    return (count + FRAME_QUEUE_WIDTH - 1) / FRAME_QUEUE_WIDTH * FRAME_QUEUE_WIDTH;
}

size_t grzFrameQueue_Size(uint32_t slotCount) {
    return (size_t)slotCount / 8 + slotCount / 64 * sizeof(uint32_t);
}

void grzFrameQueue_Make(grzFrameQueue* queue, uint32_t slotCount, unsigned char* memory) {
    GRZ_ASSERT(slotCount % 64 == 0);
    memset(queue, 0, sizeof *queue);
    queue->slotCount = slotCount;
    queue->marks = memory;
    queue->starts = (uint32_t*)(void*)(memory + slotCount / 8);
    memset(queue->marks, 0, slotCount / 8);
}

void grzFrameQueue_Drop(grzFrameQueue* queue, const grzAllocator* allocator) {
    queue->count = 0;
    grzArray_Release(&queue->memory, allocator);
}

void grzFrameQueue_Empty(grzFrameQueue* queue) {
    memset(queue->marks, 0, queue->slotCount / 8);
    queue->count = 0;
    queue->rowCount = 0;
}

// ---- places ----

static uint32_t countMarks(grzFrameQueue* queue) {
    uint32_t count = 0;
    for (uint32_t word = 0; word < queue->slotCount / 64; ++word) {
        queue->starts[word] = count;
        count += grzFrameQueue_Ones(grzFrameQueue_Word(queue, word));
    }
    return count;
}

static void listSlots(grzFrameQueue* queue) {
    uint32_t place = 0;
    for (uint32_t word = 0; word < queue->slotCount / 64; ++word)
        for (uint64_t left = grzFrameQueue_Word(queue, word); left != 0; left &= left - 1)
            queue->slots[place++] = 64 * word + (uint32_t)__builtin_ctzll(left);
}

static void* take(unsigned char* memory, size_t* used, size_t size) {
    void* piece = memory == NULL ? NULL : memory + *used;
    *used += size;
    return piece;
}

// Hands out the memory for some places, at least one; or where it is NULL only counts it.
static size_t layOut(grzFrameQueue* queue, uint32_t places, unsigned char* memory) {
    size_t used = 0;
    queue->rowCount = 0;
    for (uint32_t count = places;; count = roundUp(count) / FRAME_QUEUE_WIDTH) {
        queue->rows[queue->rowCount++] = take(memory, &used, roundUp(count) * sizeof(float));
        if (count <= FRAME_QUEUE_WIDTH)
            break;
    }
    queue->due = take(memory, &used, (places + 63) / 64 * sizeof *queue->due);
    queue->slots = take(memory, &used, places * sizeof *queue->slots);
    queue->lanes = take(memory, &used, places);
    return used;
}

bool grzFrameQueue_Open(grzFrameQueue* queue, const grzAllocator* allocator) {
    const uint32_t count = countMarks(queue);
    queue->count = 0;
    if (count == 0)
        return true;
    if (!grzArray_Reserve(&queue->memory, allocator, layOut(queue, count, NULL)))
        return false;
    layOut(queue, count, queue->memory.data);
    queue->count = count;
    for (uint32_t row = 0, wide = count; row < queue->rowCount; ++row, wide = roundUp(wide) / FRAME_QUEUE_WIDTH)
        for (uint32_t i = 0; i < roundUp(wide); ++i)
            queue->rows[row][i] = INFINITY;
    memset(queue->due, 0, (count + 63) / 64 * sizeof *queue->due);
    listSlots(queue);
    return true;
}

// ---- the tournament ----

static const int32_t _Alignas(64) laneNumbers[FRAME_QUEUE_WIDTH] = {0, 1, 2,  3,  4,  5,  6,  7,
                                                                    8, 9, 10, 11, 12, 13, 14, 15};

static float leastOf(const float* sixteen) {
    return grzF16_ReduceMin(grzF16_LoadAligned(sixteen));
}

// The least of sixteen, one of which is to be another. They are read as they stand: a line that was written in part a moment ago
// is waited for.
static float leastWith(const float* sixteen, uint32_t lane, float tick) {
    const grzM16 isIt = grzI16_Equal(grzI16_LoadAligned(laneNumbers), grzI16_Set1((int32_t)lane));
    return grzF16_ReduceMin(grzF16_Select(isIt, grzF16_Set1(tick), grzF16_LoadAligned(sixteen)));
}

void grzFrameQueue_Set(grzFrameQueue* queue, uint32_t place, float tick, uint32_t lane) {
    queue->lanes[place] = (uint8_t)lane;
    for (uint32_t row = 0;; ++row) {
        float* own = &queue->rows[row][place];
        const float before = *own;
        const bool isLast = row + 1 == queue->rowCount;
        const float winner = isLast ? before : queue->rows[row + 1][place / FRAME_QUEUE_WIDTH];
        const uint32_t within = place % FRAME_QUEUE_WIDTH;
        const bool wins = tick <= winner, loses = !wins && before == winner; // its place, to another one perhaps
        const float least = !isLast && loses ? leastWith(own - within, within, tick) : tick;
        *own = tick;
        if (isLast || !(wins || loses) || least == winner)
            return;
        tick = least;
        place /= FRAME_QUEUE_WIDTH;
    }
}

void grzFrameQueue_PlayAll(grzFrameQueue* queue) {
    uint32_t wide = queue->count;
    for (uint32_t row = 0; row + 1 < queue->rowCount; ++row) {
        wide = (wide + FRAME_QUEUE_WIDTH - 1) / FRAME_QUEUE_WIDTH;
        for (uint32_t i = 0; i < wide; ++i)
            queue->rows[row + 1][i] = leastOf(queue->rows[row] + (size_t)i * FRAME_QUEUE_WIDTH);
    }
}

float grzFrameQueue_First(const grzFrameQueue* queue) {
    return queue->count == 0 ? INFINITY : leastOf(queue->rows[queue->rowCount - 1]);
}

uint32_t grzFrameQueue_FirstPlace(const grzFrameQueue* queue) {
    const grzF16 least = grzF16_Set1(grzFrameQueue_First(queue));
    uint32_t place = 0;
    for (uint32_t row = queue->rowCount; row-- > 0;) {
        place *= FRAME_QUEUE_WIDTH;
        place +=
            (uint32_t)__builtin_ctz(grzM16_Bits(grzF16_Equal(grzF16_LoadAligned(queue->rows[row] + place), least)));
    }
    return place;
}

// ---- what is due ----

void grzFrameQueue_CallUntil(grzFrameQueue* queue, float until) {
    const uint32_t blocks = (queue->count + FRAME_QUEUE_WIDTH - 1) / FRAME_QUEUE_WIDTH;
    const grzF16 last = grzF16_Set1(until);
    for (uint32_t block = 0; block < blocks; ++block) {
        if (queue->rowCount > 1 && queue->rows[1][block] > until)
            continue;
        const grzF16 ticks = grzF16_LoadAligned(queue->rows[0] + (size_t)block * FRAME_QUEUE_WIDTH);
        queue->due[block / 4] |= (uint64_t)grzM16_Bits(grzF16_LessEqual(ticks, last)) << 16 * (block % 4);
    }
}

void grzFrameQueue_CallAll(grzFrameQueue* queue) {
    for (uint32_t word = 0; word < (queue->count + 63) / 64; ++word) {
        const uint32_t left = queue->count - 64 * word;
        queue->due[word] = left >= 64 ? UINT64_MAX : (UINT64_C(1) << left) - 1;
    }
}
