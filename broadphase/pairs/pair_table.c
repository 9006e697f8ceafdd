// What: makes a table of pairs, answers questions about it, and lays its rows out again.
// Promise: see graze/stage/pair_table.h. pair_table_update.c has the update and its idea.
// Threads: see graze/stage/pair_table.h.
#include <string.h>

#include "check.h"
#include "owner.h"
#include "pair_table_inside.h"
#include "refuse_null.h"

static const uint32_t tableDefMark = 0x67507431;

// ------------------------------------------------------------------------------------------------------ the table

grzPairTableDef grzDefaultPairTableDef(void) {
    grzPairTableDef def;
    memset(&def, 0, sizeof def);
    def.mark = tableDefMark;
    return def;
}

grzPairTableUpdate grzDefaultPairTableUpdate(void) {
    grzPairTableUpdate update;
    memset(&update, 0, sizeof update);
    return update;
}

grzResult grzPairTable_Create(const grzPairTableDef* def, grzPairTable** made) {
    GRZ_REFUSE_NULL(made, 2);
    *made = NULL;
    if (def == NULL || def->mark != tableDefMark)
        return grzFail(grz_badDef, 0);
    grzAllocator allocator = def->allocator;
    grzResult checked;
    grzPairTable* table = grzOwner_New(&allocator, 1, sizeof *table, _Alignof(grzPairTable), &checked);
    if (table == NULL)
        return checked;
    table->allocator = allocator;
    *made = table;
    return grzOk();
}

// All arrays of a table; `visit` is a macro that takes an array.
#define EACH_ARRAY(table, visit)                                                                                   \
    for (int f = 0; f < 2; ++f) {                                                                                  \
        PairFrame* frame = &(table)->frames[f];                                                                    \
        visit(&frame->pairs);                                                                                      \
        visit(&frame->rows);                                                                                       \
        visit(&frame->begun);                                                                                      \
        visit(&frame->ended);                                                                                      \
        visit(&frame->rested);                                                                                     \
        visit(&frame->woken);                                                                                      \
    }                                                                                                              \
    visit(&(table)->rowPairs);                                                                                     \
    visit(&(table)->links);                                                                                        \
    visit(&(table)->freeRows);                                                                                     \
    visit(&(table)->heads);                                                                                        \
    visit(&(table)->flags);                                                                                        \
    visit(&(table)->wokenRows);                                                                                    \
    visit(&(table)->sortRows);                                                                                     \
    visit(&(table)->wokenKeys);                                                                                    \
    visit(&(table)->sortKeys);                                                                                     \
    visit(&(table)->oldPairs);                                                                                     \
    visit(&(table)->oldRows);                                                                                      \
    visit(&(table)->blocks)

void grzPairTable_Destroy(grzPairTable* table) {
    if (table == NULL)
        return;
    const grzAllocator allocator = table->allocator;
#define RELEASE(array) grzArray_Release(array, &allocator)
    EACH_ARRAY(table, RELEASE);
#undef RELEASE
    grzRelease(&allocator, table, 1, sizeof *table, _Alignof(grzPairTable));
}

size_t grzPairTable_MemorySize(const grzPairTable* table) {
    GRZ_RETURN_IF_NULL(table, 0);
    grzPairTable copy = *table; // so that one list of arrays serves
    size_t size = sizeof *table;
#define ADD(array) size += (array)->capacity * sizeof *(array)->data
    EACH_ARRAY(&copy, ADD);
#undef ADD
    return size;
}

// ------------------------------------------------------------------------------------------------------ questions

grzPairTableView grzPairTable_GetView(const grzPairTable* table) {
    GRZ_RETURN_IF_NULL(table, (grzPairTableView){0});
    const PairFrame* frame = &table->frames[table->now];
    return (grzPairTableView){frame->pairs.data,  frame->rows.data,  frame->pairs.count, frame->begun.data,
                              frame->begun.count, frame->ended.data, frame->ended.count};
}

grzPairTableStats grzPairTable_GetStats(const grzPairTable* table) {
    GRZ_RETURN_IF_NULL(table, (grzPairTableStats){0});
    return (grzPairTableStats){.pairCount = table->frames[table->now].pairs.count + table->restingCount,
                               .restingCount = table->restingCount,
                               .rowCount = table->rowPairs.count,
                               .scatteredCount = table->scatteredCount};
}

grzResult grzPairTable_CopyPairs(grzPairTable* table, grzBodyPair* pairs, uint32_t* rows, size_t capacity,
                                 size_t* count) {
    GRZ_REFUSE_NULL(table, 1);
    GRZ_REFUSE_NULL(count, 5);
    *count = grzPairTable_GetStats(table).pairCount;
    if (*count > capacity)
        return grzFail(grz_bufferTooSmall, *count);
    GRZ_REFUSE_NULL_ARRAY(pairs, *count, 2);
    GRZ_REFUSE_NULL_ARRAY(rows, *count, 3);
    if (!grzPairTableCollect(table, NULL))
        return pairTableNoMemory();
    grzPairTableMerge(table, pairs, rows);
    return grzOk();
}

// --------------------------------------------------------------------------------------------------------- layout

typedef struct Layout {
    grzPairTable* table;
    grzBodyPair* rowPairs; // of the new rows
    uint32_t* newRows;
    size_t count; // of new rows
} Layout;

static uint32_t placeRow(Layout* layout, uint32_t row) {
    layout->rowPairs[layout->count] = layout->table->rowPairs.data[row];
    layout->newRows[row] = (uint32_t)layout->count;
    return (uint32_t)layout->count++;
}

static void placeAll(Layout* layout) {
    grzPairTable* table = layout->table;
    PairFrame* listed = &table->frames[table->now];
    for (size_t i = 0; i < listed->rows.count; ++i) {
        listed->rows.data[i] = placeRow(layout, listed->rows.data[i]);
        layout->count += layout->count % gapEvery == gapEvery - 1;
    }
    for (size_t i = 0; i < table->wokenRows.count; ++i)
        table->wokenRows.data[i] = placeRow(layout, table->wokenRows.data[i]);
    for (size_t i = 0; i < listed->ended.count; ++i)
        listed->ended.data[i].row = placeRow(layout, listed->ended.data[i].row);
}

// All rows that `newRows` names are taken; the gaps are free.
static void freeGaps(grzPairTable* table, size_t listedRows) {
    for (size_t i = 0; i < table->freeRows.count; ++i)
        table->freeRows.data[i] = 0;
    table->freeCount = 0;
    for (size_t row = gapEvery - 1; row < listedRows; row += gapEvery)
        giveRow(table, row);
}

grzResult grzPairTable_Relayout(grzPairTable* table, uint32_t* newRows, size_t capacity) {
    GRZ_REFUSE_NULL(table, 1);
    const size_t before = table->rowPairs.count, listed = table->frames[table->now].pairs.count;
    if (before > capacity)
        return grzFail(grz_bufferTooSmall, before);
    GRZ_REFUSE_NULL_ARRAY(newRows, before, 2);
    const size_t listedRows = listed + listed / (gapEvery - 1);
    const size_t count = listedRows + table->restingCount + table->frames[table->now].ended.count;
    const grzAllocator* allocator = &table->allocator;
    table->oldPairs.count = 0;
    if (!grzArray_Reserve(&table->oldPairs, allocator, count) ||
        !grzArray_Reserve(&table->freeRows, allocator, (count + rowsAWord - 1) / rowsAWord) ||
        (table->restingCount != 0 && !grzPairTableReserveLinks(table, count)) || !grzPairTableCollect(table, NULL))
        return pairTableNoMemory();
    if (before != 0)
        memset(newRows, 0xff, before * sizeof *newRows);
    Layout layout = {table, table->oldPairs.data, newRows, 0};
    placeAll(&layout);
    GRZ_ASSERT(layout.count == count);
    const PairList old = table->rowPairs;
    table->rowPairs = table->oldPairs;
    table->oldPairs = old;
    table->rowPairs.count = count;
    table->freeRows.count = (count + rowsAWord - 1) / rowsAWord;
    table->cursor = table->scatteredCount = 0;
    table->canTakeBack = false;
    freeGaps(table, listedRows);
    for (size_t i = 0; i < table->heads.count; ++i)
        table->heads.data[i] = NO_LINK;
    table->restingCount = 0;
    for (size_t i = 0; i < table->wokenRows.count; ++i)
        grzPairTableLink(table, table->wokenRows.data[i]);
    return grzOk();
}

// ----------------------------------------------------------------------------------------------------- validation

static bool broken(const char* what, size_t place) {
    grzLog(grz_logError, "pair table: %s at %zu", what, place);
    return false;
}

static bool isFree(const grzPairTable* table, size_t row) {
    return (table->freeRows.data[row / rowsAWord] >> row % rowsAWord & 1) != 0;
}

static bool holds(const grzPairTable* table, uint32_t row, grzBodyPair pair) {
    return row < table->rowPairs.count && !isFree(table, row) && keyOf(table->rowPairs.data[row]) == keyOf(pair);
}

static bool checkListed(const grzPairTable* table) {
    const PairFrame* frame = &table->frames[table->now];
    for (size_t i = 0; i < frame->pairs.count; ++i) {
        const grzBodyPair pair = frame->pairs.data[i];
        if (pair.a >= pair.b || (i != 0 && keyOf(frame->pairs.data[i - 1]) >= keyOf(pair)))
            return broken("a pair out of order", i);
        if (!holds(table, frame->rows.data[i], pair))
            return broken("a row that is not the pair's", i);
    }
    for (size_t i = 0; i < frame->ended.count; ++i)
        if (!holds(table, frame->ended.data[i].row, frame->ended.data[i].pair))
            return broken("a row that is not the ended pair's", i);
    return true;
}

static bool isListed(const grzPairTable* table, uint32_t row) {
    const PairFrame* frame = &table->frames[table->now];
    const size_t at = firstNotBelow(frame->pairs.data, frame->pairs.count, keyOf(table->rowPairs.data[row]));
    return at < frame->pairs.count && frame->rows.data[at] == row;
}

static bool checkList(const grzPairTable* table, uint32_t object, size_t counts[2]) {
    uint32_t last = NO_LINK;
    for (uint32_t link = table->heads.data[object]; link != NO_LINK;) {
        const uint32_t row = link / 2, side = link & 1;
        if (row >= table->rowPairs.count || isFree(table, row) || objectOfLink(table, link) != object ||
            table->links.data[row].last[side] != last || isListed(table, row))
            return broken("a link that leads astray, object", object);
        if (++counts[side] > table->restingCount)
            return broken("more links than pairs, object", object);
        last = link;
        link = table->links.data[row].next[side];
    }
    return true;
}

bool grzPairTable_Validate(const grzPairTable* table) {
    GRZ_RETURN_IF_NULL(table, false);
    if (!checkListed(table))
        return false;
    size_t counts[2] = {0, 0}, freeCount = 0;
    for (uint32_t object = 0; object < table->heads.count; ++object) {
        if (!checkList(table, object, counts))
            return false;
        if (table->flags.data[object] != 0)
            return broken("a flag that was left, object", object);
    }
    if (counts[0] != table->restingCount || counts[1] != table->restingCount)
        return broken("resting pairs that were lost, of", table->restingCount);
    for (size_t i = 0; i < table->freeRows.count; ++i)
        freeCount += (size_t)__builtin_popcountll(table->freeRows.data[i]);
    const PairFrame* frame = &table->frames[table->now];
    if (freeCount != table->freeCount)
        return broken("free rows that were lost, of", table->freeCount);
    return frame->pairs.count + table->restingCount + frame->ended.count + freeCount == table->rowPairs.count ||
           broken("rows that were lost, of", table->rowPairs.count);
}
