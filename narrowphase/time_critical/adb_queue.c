// What: see adb_queue.h.
#include "adb_queue.h"

static bool comesFirst(const AdbPair* p, const AdbPair* q) {
    if (p->chance != q->chance)
        return p->chance > q->chance;
    return p->a != q->a ? p->a < q->a : p->b < q->b;
}

void grzAdbQueue_Push(AdbQueue* queue, AdbPair pair) {
    size_t at = queue->count++;
    for (; at != 0 && comesFirst(&pair, &queue->data[(at - 1) / 2]); at = (at - 1) / 2)
        queue->data[at] = queue->data[(at - 1) / 2];
    queue->data[at] = pair;
}

AdbPair grzAdbQueue_Pop(AdbQueue* queue) {
    const AdbPair first = queue->data[0], last = queue->data[--queue->count];
    size_t at = 0;
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= queue->count)
            break;
        if (child + 1 < queue->count && comesFirst(&queue->data[child + 1], &queue->data[child]))
            child++;
        if (!comesFirst(&queue->data[child], &last))
            break;
        queue->data[at] = queue->data[child];
        at = child;
    }
    if (queue->count != 0)
        queue->data[at] = last;
    return first;
}

// The next is always a child of one that was taken.
uint32_t grzAdbQueue_Peek(const AdbQueue* queue, AdbPair* pairs, uint32_t capacity) {
    size_t open[ADB_MOST_PEEKED + 1] = {0};
    uint32_t openCount = queue->count != 0 ? 1 : 0, count = 0;
    const uint32_t most = capacity < ADB_MOST_PEEKED ? capacity : ADB_MOST_PEEKED;
    while (count < most && openCount != 0) {
        uint32_t best = 0;
        for (uint32_t k = 1; k < openCount; ++k)
            if (comesFirst(&queue->data[open[k]], &queue->data[open[best]]))
                best = k;
        const size_t at = open[best];
        pairs[count++] = queue->data[at];
        open[best] = open[--openCount];
        for (size_t child = 2 * at + 1; child <= 2 * at + 2 && child < queue->count; ++child)
            open[openCount++] = child;
    }
    return count;
}
