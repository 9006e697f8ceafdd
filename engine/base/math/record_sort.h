// What: brings arrays of records (graze/records.h) into the order of their keys.
// Promise: the order depends on the records alone. Stable where keys are equal, which they never should be.
// Idea: the words of the keys are sorted one after the other, the least weighty first, by radix, with the record's
//       index as the value; a word that is the same everywhere costs a read. At last the records are gathered once.
// Holds: scratch is the caller's, 8-byte aligned, of the size that grzRecordScratchSize tells, and holds
//        rubbish afterwards.
// Threads: any; a call touches only the caller's arrays. It allocates nothing and cannot fail.
// Cost: some 12 ns a record for each word of the key that differs. Scratch, a record: 4 bytes for the order
//       and 20 for keys, or a copy of the record where that is more.
// Limits: indices have 32 bits, so at most UINT32_MAX records; asserted.
#ifndef GRAZE_BASE_RECORD_SORT_H
#define GRAZE_BASE_RECORD_SORT_H

#include "graze/records.h"

// What sorting must know of a type of record.
typedef struct grzRecordType {
    size_t size;
    unsigned keyWords; // 64-bit words of the key
    uint64_t (*keyWord)(const void* record, unsigned word);
} grzRecordType;

extern const grzRecordType grzBodyPairType;
extern const grzRecordType grzTrianglePairType;
extern const grzRecordType grzTrianglePairByTimeType;
extern const grzRecordType grzFeaturePairType;
extern const grzRecordType grzImpactType;
extern const grzRecordType grzContactType;
extern const grzRecordType grzEventType;
extern const grzRecordType grzHitType;
extern const grzRecordType grzBodyEventType;

// Below 0, 0, above 0: as A's key is below, equal to, above B's.
int grzCompareRecords(const grzRecordType* type, const void* recordA, const void* recordB);

// Every key above the one before: sorted, and no two alike. What a stage validates before it hands its array on.
bool grzAreRecordsSorted(const grzRecordType* type, const void* records, size_t count);

// In bytes; 0 for no records. SIZE_MAX where the size cannot be counted.
size_t grzRecordScratchSize(const grzRecordType* type, size_t count);
void grzSortRecords(const grzRecordType* type, void* records, size_t count, void* scratch);

#endif
