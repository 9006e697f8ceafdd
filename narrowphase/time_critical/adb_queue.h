// What: pairs of boxes, the likeliest first; of two that are equally likely, the one with the lesser refs.
// Idea: a binary heap. Nothing is ever dropped: it grows.
// Threads: plain data.
#ifndef GRAZE_NARROWPHASE_ADB_QUEUE_H
#define GRAZE_NARROWPHASE_ADB_QUEUE_H

#include "array.h"

typedef struct AdbPair {
    double chance;
    uint32_t a, b; // refs of adb_inside.h
} AdbPair;

typedef struct AdbQueue {
    GRZ_ARRAY(AdbPair);
} AdbQueue;

// There must be room.
void grzAdbQueue_Push(AdbQueue* queue, AdbPair pair);

// The queue is not empty.
AdbPair grzAdbQueue_Pop(AdbQueue* queue);

// The first of the queue in its order, at most ADB_MOST_PEEKED; the queue stays as it is. Returns how many.
enum { ADB_MOST_PEEKED = 64 };
uint32_t grzAdbQueue_Peek(const AdbQueue* queue, AdbPair* pairs, uint32_t capacity);

#endif
