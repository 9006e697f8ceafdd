// What: sorting of records by keys of several words.     Promise: see record_sort.h.
// Idea: least weighty word first, each sort stable. The scratch is used twice:
//
//         while sorting    [ order 4n | pad | keys 8n | spare keys 8n | spare order 4n ]
//         while gathering  [ order 4n | pad | copies of the records ....              ]
//
// Limits: one indirect call a record and word; a type whose sort shows in a profile can keep its keys itself and
//         call radix_sort.h.
#include "record_sort.h"

#include <string.h>

#include "check.h"
#include "radix_sort.h"

static uint64_t bodyPairKeyWord(const void* record, unsigned word) {
    return grzBodyPair_KeyWord(record, word);
}

static uint64_t trianglePairKeyWord(const void* record, unsigned word) {
    return grzTrianglePair_KeyWord(record, word);
}

static uint64_t trianglePairTimeKeyWord(const void* record, unsigned word) {
    return grzTrianglePair_TimeKeyWord(record, word);
}

static uint64_t featurePairKeyWord(const void* record, unsigned word) {
    return grzFeaturePair_KeyWord(record, word);
}

static uint64_t impactKeyWord(const void* record, unsigned word) {
    return grzImpact_KeyWord(record, word);
}

static uint64_t contactKeyWord(const void* record, unsigned word) {
    return grzContact_KeyWord(record, word);
}

static uint64_t eventKeyWord(const void* record, unsigned word) {
    return grzEvent_KeyWord(record, word);
}

static uint64_t hitKeyWord(const void* record, unsigned word) {
    return grzHit_KeyWord(record, word);
}

static uint64_t bodyEventKeyWord(const void* record, unsigned word) {
    return grzBodyEvent_KeyWord(record, word);
}

const grzRecordType grzBodyPairType = {sizeof(grzBodyPair), grz_bodyPairKeyWords, bodyPairKeyWord};
const grzRecordType grzTrianglePairType = {sizeof(grzTrianglePair), grz_trianglePairKeyWords, trianglePairKeyWord};
const grzRecordType grzTrianglePairByTimeType = {sizeof(grzTrianglePair), grz_trianglePairKeyWords,
                                                 trianglePairTimeKeyWord};
const grzRecordType grzFeaturePairType = {sizeof(grzFeaturePair), grz_featurePairKeyWords, featurePairKeyWord};
const grzRecordType grzImpactType = {sizeof(grzImpact), grz_impactKeyWords, impactKeyWord};
const grzRecordType grzContactType = {sizeof(grzContact), grz_contactKeyWords, contactKeyWord};
const grzRecordType grzEventType = {sizeof(grzEvent), grz_eventKeyWords, eventKeyWord};
const grzRecordType grzHitType = {sizeof(grzHit), grz_hitKeyWords, hitKeyWord};
const grzRecordType grzBodyEventType = {sizeof(grzBodyEvent), grz_bodyEventKeyWords, bodyEventKeyWord};

int grzCompareRecords(const grzRecordType* type, const void* recordA, const void* recordB) {
    for (unsigned word = 0; word < type->keyWords; ++word) {
        const uint64_t keyA = type->keyWord(recordA, word);
        const uint64_t keyB = type->keyWord(recordB, word);
        if (keyA != keyB)
            return keyA < keyB ? -1 : 1;
    }
    return 0;
}

bool grzAreRecordsSorted(const grzRecordType* type, const void* records, size_t count) {
    const char* record = records;
    for (size_t i = 1; i < count; ++i, record += type->size)
        if (grzCompareRecords(type, record, record + type->size) >= 0)
            return false;
    return true;
}

// The bytes of the order array, rounded up so that the keys behind it are aligned.
static size_t orderSize(size_t count) {
    return (count * sizeof(uint32_t) + 7) & ~(size_t)7;
}

size_t grzRecordScratchSize(const grzRecordType* type, size_t count) {
    const size_t sortSize = 2 * sizeof(uint64_t) + sizeof(uint32_t);
    const size_t size = type->size > sortSize ? type->size : sortSize;
    if (count > (SIZE_MAX - 8) / (size + sizeof(uint32_t)))
        return SIZE_MAX;
    return orderSize(count) + count * size;
}

// One word of every key, in the present order. Says whether it differs anywhere.
static bool fillKeys(const grzRecordType* type, const char* records, const uint32_t* order, size_t count,
                     unsigned word, uint64_t* keys) {
    uint64_t difference = 0;
    for (size_t i = 0; i < count; ++i) {
        keys[i] = type->keyWord(records + order[i] * type->size, word);
        difference |= keys[i] ^ keys[0];
    }
    return difference != 0;
}

static void gatherRecords(size_t size, char* records, const uint32_t* order, size_t count, char* copies) {
    for (size_t i = 0; i < count; ++i)
        memcpy(copies + i * size, records + order[i] * size, size);
    memcpy(records, copies, count * size);
}

void grzSortRecords(const grzRecordType* type, void* records, size_t count, void* scratch) {
    GRZ_ASSERT(count <= UINT32_MAX);
    GRZ_ASSERT((uintptr_t)scratch % sizeof(uint64_t) == 0);
    if (count < 2)
        return;
    uint32_t* const order = scratch;
    char* const rest = (char*)scratch + orderSize(count);
    uint64_t* const keys = (uint64_t*)(void*)rest;
    uint64_t* const spareKeys = keys + count;
    uint32_t* const spareOrder = (uint32_t*)(void*)(spareKeys + count);
    for (size_t i = 0; i < count; ++i)
        order[i] = (uint32_t)i;
    for (unsigned word = type->keyWords; word-- > 0;)
        if (fillKeys(type, records, order, count, word, keys))
            grzRadixSort64(keys, order, spareKeys, spareOrder, count);
    gatherRecords(type->size, records, order, count, rest);
}
