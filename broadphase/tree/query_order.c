// What: brings the hits of a query into key order.   Promise: ascending by key, or by (value, key).
// Idea: few hits by insertion, many by radix, which pays for its tables from some fifty on. A value and its key are
//   sorted as one word: values are not negative, so their bits order as they do.
// Cost: O(n); scratch of two words a hit, kept by its owner.
#include "query_search.h"
#include "radix_sort.h"

enum { fewHits = 48 };

static void sortFewKeys(uint32_t* keys, size_t count) {
    for (size_t i = 1; i < count; ++i) {
        uint32_t key = keys[i];
        size_t at = i;
        for (; at > 0 && keys[at - 1] > key; --at)
            keys[at] = keys[at - 1];
        keys[at] = key;
    }
}

static void sortFewWords(uint64_t* words, size_t count) {
    for (size_t i = 1; i < count; ++i) {
        uint64_t word = words[i];
        size_t at = i;
        for (; at > 0 && words[at - 1] > word; --at)
            words[at] = words[at - 1];
        words[at] = word;
    }
}

// `spare` has room for as many.
static void sortWords(uint64_t* words, uint64_t* spare, size_t count) {
    if (count <= fewHits)
        sortFewWords(words, count);
    else
        grzRadixSort64(words, NULL, spare, NULL, count);
}

static void takeApart(const uint64_t* words, size_t count, uint32_t* keys, float* values) {
    for (size_t i = 0; i < count; ++i) {
        keys[i] = (uint32_t)words[i];
        values[i] = queryFloat((uint32_t)(words[i] >> 32));
    }
}

bool grzQuerySortHits(QueryScratch* scratch, const grzAllocator* allocator, bool isByValue, QueryOutput* out,
                      size_t first) {
    size_t count = out->keys.count - first;
    if (count < 2)
        return true;
    uint32_t* keys = out->keys.data + first;
    if (!isByValue && count <= fewHits) {
        sortFewKeys(keys, count);
        return true;
    }
    if (!grzArray_Reserve(&scratch->sorted, allocator, 2 * count))
        return false;
    uint64_t* words = scratch->sorted.data;
    if (!isByValue) {
        grzRadixSort32(keys, NULL, (uint32_t*)(void*)words, NULL, count);
        return true;
    }
    float* values = out->values.data + first;
    for (size_t i = 0; i < count; ++i)
        words[i] = (uint64_t)queryBits(values[i]) << 32 | keys[i];
    sortWords(words, words + count, count);
    takeApart(words, count, keys, values);
    return true;
}

bool grzQueryTakeBest(QueryScratch* scratch, const grzAllocator* allocator, QueryOutput* out) {
    QueryWords* best = &scratch->best;
    if (best->count > fewHits && !grzArray_Reserve(&scratch->sorted, allocator, best->count))
        return false;
    sortWords(best->data, scratch->sorted.data, best->count);
    takeApart(best->data, best->count, out->keys.data + out->keys.count, out->values.data + out->keys.count);
    out->keys.count += best->count;
    return true;
}
