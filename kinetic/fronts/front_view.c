// What: see front_inside.h: the sorted list of leaves that overlap.
// Idea: regions note each pair of leaves that begins or ceases to overlap. These few are sorted. A pair that was
//   noted an odd number of times has changed: it is added if the old list lacks it, and removed if the old list has
//   it.
// Cost: a frame sorts the noted pairs, and makes a pass over the list if there are any.
#include "front_inside.h"

#include <string.h>

#include "radix_sort.h"

void grzFront_NoteLeaves(const grzPairFront* front, FrontRegion* region, const FrontPair* pair) {
    const size_t count = region->noted.count + 1;
    if (grzArray_Reserve(&region->noted, &front->allocator, count)) {
        region->noted.data[count - 1] = (uint64_t)pair->boxes[0] << 32 | pair->boxes[1];
        region->noted.count = count;
    } else {
        region->hasLost = true;
    }
}

static bool takeNotes(grzPairFront* front, FrontRegion* region) {
    const size_t count = front->noted.count + region->noted.count;
    if (!grzArray_Reserve(&front->noted, &front->allocator, count))
        return false;
    for (size_t i = 0; i < region->noted.count; ++i)
        front->noted.data[front->noted.count++] = region->noted.data[i];
    region->noted.count = 0;
    return true;
}

bool grzFront_CollectNotes(grzPairFront* front) {
    bool isOk = takeNotes(front, front->top);
    for (size_t i = 0; isOk && i < front->used.count; ++i)
        isOk = takeNotes(front, front->regions.data[front->used.data[i]]);
    return isOk;
}

// Those that are there an odd number of times, each once.
static void dropTwins(FrontKeys* keys) {
    size_t kept = 0;
    for (size_t i = 0; i < keys->count; ++i) {
        if (kept != 0 && keys->data[kept - 1] == keys->data[i])
            --kept;
        else
            keys->data[kept++] = keys->data[i];
    }
    keys->count = kept;
}

static uint64_t keyOf(const grzLeafPair* pair) {
    return (uint64_t)pair->leafA << 32 | pair->leafB;
}

// The first pair from one on that does not come before a key: near it, since few lie between two that were noted.
static size_t findFrom(const grzLeafPair* pairs, size_t from, size_t count, uint64_t key) {
    size_t step = 1;
    while (from + step <= count && keyOf(&pairs[from + step - 1]) < key)
        from += step, step *= 2;
    size_t end = from + step <= count ? from + step - 1 : count;
    while (from < end) {
        const size_t middle = from + (end - from) / 2;
        if (keyOf(&pairs[middle]) < key)
            from = middle + 1;
        else
            end = middle;
    }
    return from;
}

static void copyPairs(FrontLeafPairs* to, const grzLeafPair* from, size_t count) {
    if (count != 0)
        memcpy(to->data + to->count, from, count * sizeof *from);
    to->count += count;
}

// What was not noted is copied as it lies.
static void merge(const FrontLeafPairs* from, size_t count, const FrontKeys* noted, FrontLeafPairs* to) {
    size_t done = 0;
    to->count = 0;
    for (size_t k = 0; k < noted->count; ++k) {
        const uint64_t key = noted->data[k];
        const size_t place = findFrom(from->data, done, count, key);
        copyPairs(to, from->data + done, place - done);
        done = place;
        if (place < count && keyOf(&from->data[place]) == key)
            ++done;
        else
            to->data[to->count++] = (grzLeafPair){(uint32_t)(key >> 32), (uint32_t)key, 0, 1};
    }
    copyPairs(to, from->data + done, count - done);
}

bool grzFront_MakeView(grzPairFront* front, bool isNew) {
    const size_t before = isNew ? 0 : front->view.count;
    if (front->noted.count == 0 && !isNew)
        return true;
    if (!grzArray_Reserve(&front->view, &front->allocator, before) ||
        !grzArray_Reserve(&front->scratch, &front->allocator, front->noted.count) ||
        !grzArray_Reserve(&front->other, &front->allocator, before + front->noted.count))
        return false;
    grzRadixSort64(front->noted.data, NULL, front->scratch.data, NULL, front->noted.count);
    dropTwins(&front->noted);
    merge(&front->view, before, &front->noted, &front->other);
    const FrontLeafPairs view = front->view;
    front->view = front->other, front->other = view;
    front->noted.count = 0;
    return true;
}
