// A table of pairs that lasts from step to step: which pairs begin, persist and end, and a row for each, where the host keeps data.
//
//   grzPairTableDef def = grzDefaultPairTableDef();
//   result = grzPairTable_Create(&def, &table);
//   ...each step:
//   grzPairTableUpdate update = grzDefaultPairTableUpdate();
//   update.pairs = found.pairs, update.pairCount = found.count;        // sorted, as grzTreePairs_Find lists them
//   update.moved = ids, update.movedCount = count;                     // or update.isAll = true: these are all pairs there are
//   result = grzPairTable_Update(table, tasks, &update);
//   grzPairTableView view = grzPairTable_GetView(table);
//   for (size_t i = 0; i < view.count; ++i)
//       solve(view.pairs[i], &contacts[view.rows[i]]);
//
// Contents: the table; updates; what an update did; rows; counts and checks.
//
// Objects are numbers that the host gives, below some thousands or millions: the table keeps 5 bytes for each number up to the
// largest. A pair has a < b. An update names the objects that moved and lists all pairs that these have now. Pairs of two objects
// that did not move stay in the table and are not looked at: they rest. They take part again when one of their objects moves.
//
// A pair keeps its row while it is in the table. The row of a pair that ended keeps its data for one more update, then it goes
// to a pair that begins. Rows of neighbours in the order of pairs lie near each other as far as the history allows;
// grzPairTable_Relayout brings all rows into that order again.
//
// Cost: an update costs what moved: some 2 ns for each pair that is listed, and 25 to 60 ns for each that begins, ends, or begins or
// ceases to rest. Memory: 24 bytes a row, 32 a pair that is listed, and scratch for the most pairs that have ceased to rest at once.
//
// The outcome does not depend on the number of workers. No update drops a pair. After warm-up nothing is allocated.
//
// Owner: the table; what a view shows lives until the next call that takes a grzPairTable*. Threads: one at a time; the work runs on
// the given tasks.
#ifndef GRAZE_STAGE_PAIR_TABLE_H
#define GRAZE_STAGE_PAIR_TABLE_H

#include "graze/records.h"
#include "graze/tasks.h"

GRZ_EXTERN_C_BEGIN

// ----------------------------------------------------------------------------------------------------- the table

typedef struct grzPairTable grzPairTable;

typedef struct grzPairTableDef {
    uint32_t mark; // set by grzDefaultPairTableDef
    grzAllocator allocator;
} grzPairTableDef;

GRZ_API grzPairTableDef grzDefaultPairTableDef(void);

// Makes an empty table, or sets *table to NULL: grz_badDef, grz_badArgument (half an allocator), grz_outOfMemory.
GRZ_NODISCARD GRZ_API grzResult grzPairTable_Create(const grzPairTableDef* def, grzPairTable** table);

// NULL is fine.
GRZ_API void grzPairTable_Destroy(grzPairTable* table);

// ------------------------------------------------------------------------------------------------------- updates

typedef struct grzPairTableUpdate {
    // All pairs of now that have an object that moved. They ascend by (a, b), each once. A pair that was listed last time may be
    // listed again though nothing moved.
    const grzBodyPair* pairs;
    size_t pairCount;
    // Objects that moved or are new, or whose pairs are others for another reason (a filter). Any order; a number may occur twice.
    const uint32_t* moved;
    size_t movedCount;
    bool isAll; // all objects moved: `pairs` are all pairs there are, `moved` is not read
    // Objects that left since the last update. Their pairs end. If the number has a new owner, which is among `moved`, its pairs begin,
    // even where the old owner had the same.
    const uint32_t* removed;
    size_t removedCount;
} grzPairTableUpdate;

// All zeros: nothing happened.
GRZ_API grzPairTableUpdate grzDefaultPairTableUpdate(void);

// Makes the table that of now. tasks may be NULL. Refused, and the table is as it was:
//   grz_badArgument    (grz_partElement; index: the place in pairs) a pair out of order, or whose a is not below its b, or one that
//                      begins though neither of its objects moved
//   grz_tooLarge       more than 2^31 - 1 rows
//   grz_outOfMemory
GRZ_NODISCARD GRZ_API grzResult grzPairTable_Update(grzPairTable* table, grzTasks* tasks,
                                                    const grzPairTableUpdate* update);

// Takes the last update back: pairs, rows and the view are those of before. False, and nothing happens, if no update
// came since the table was made, taken back, laid out again, got pairs by Insert, or since an update was refused.
GRZ_API bool grzPairTable_TakeBack(grzPairTable* table);

// Takes memory for pairCount more pairs than the last update listed, of objects below objectCount. A view is stale
// then. Refused: grz_outOfMemory, and the table is as it was.
GRZ_NODISCARD GRZ_API grzResult grzPairTable_Reserve(grzPairTable* table, size_t pairCount, size_t objectCount);

// Adds pairs to those that the last update listed, as if it had listed them: they begin. For pairs that are found late
// in a step. They must be sorted by (a, b), each once with a < b, and none may be in the table. Reserve must have been
// called for as many since the update. Takes time in the number of listed pairs.
GRZ_API void grzPairTable_Insert(grzPairTable* table, const grzBodyPair* pairs, size_t count);

// -------------------------------------------------------------------------------------------- what an update did

typedef struct grzEndedPair {
    grzBodyPair pair;
    uint32_t row; // of no other pair until the update after the next one
} grzEndedPair;

typedef struct grzPairTableView {
    // The pairs that were listed, ascending by (a, b), and the row of each.
    const grzBodyPair* pairs;
    const uint32_t* rows;
    size_t count;
    // Places in `pairs` of those that begin, ascending. All others persist.
    const uint32_t* begun;
    size_t begunCount;
    // Ascending by (a, b).
    const grzEndedPair* ended;
    size_t endedCount;
} grzPairTableView;

GRZ_API grzPairTableView grzPairTable_GetView(const grzPairTable* table);

// Copies all pairs and their rows, resting ones too, ascending by (a, b). *count is how many there are. Refused: grz_bufferTooSmall
// if capacity is less, grz_outOfMemory.
GRZ_NODISCARD GRZ_API grzResult grzPairTable_CopyPairs(grzPairTable* table, grzBodyPair* pairs, uint32_t* rows,
                                                       size_t capacity, size_t* count);

// ---------------------------------------------------------------------------------------------------------- rows

#define GRZ_NO_ROW UINT32_MAX

// Gives all pairs other rows: first those that were listed last, in order, with every eighth row free, then those that rest, in
// order, then those that ended. newRows[row] is where the data of a row goes, GRZ_NO_ROW for a free one; `capacity` at least the
// rowCount of the stats. Refused: grz_bufferTooSmall, grz_outOfMemory.
GRZ_NODISCARD GRZ_API grzResult grzPairTable_Relayout(grzPairTable* table, uint32_t* newRows, size_t capacity);

// ---------------------------------------------------------------------------------------------- counts and checks

typedef struct grzPairTableStats {
    size_t pairCount;      // listed and resting
    size_t restingCount;   // of them, those that rest
    size_t rowCount;       // all rows are below
    size_t scatteredCount; // pairs that began far from their neighbours' rows since the last layout
} grzPairTableStats;

GRZ_API grzPairTableStats grzPairTable_GetStats(const grzPairTable* table);

GRZ_API size_t grzPairTable_MemorySize(const grzPairTable* table);

// Checks order, rows and lists; for tests and for doubts. O(pairs log pairs). False if something is broken; the first defect is
// logged as an error.
GRZ_API bool grzPairTable_Validate(const grzPairTable* table);

GRZ_EXTERN_C_END

#endif
