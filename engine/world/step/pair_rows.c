// What: keeps the rows of pairs from step to step.
// Promise: see pair_rows.h. Nothing that a step finds depends on the rows.
// Idea: the table of pairs says which row a pair has, and which pairs are new. Rows of neighbours lie near each other, so that a loop
//   over pairs streams over them; where too many do not, all are laid out again in the order of pairs.
#include "pair_rows.h"

#include <string.h>

#include "check.h"
#include "memory.h"

// One pair in so many may lie far from its neighbours.
enum { scatterShare = 4, scatterLeast = 64 };

grzResult grzPairRows_Create(grzPairRows* pairs, const grzAllocator* allocator) {
    grzPairTableDef def = grzDefaultPairTableDef();
    def.allocator = *allocator;
    return grzPairTable_Create(&def, &pairs->table);
}

void grzPairRows_Destroy(grzPairRows* pairs, const grzAllocator* allocator) {
    grzPairTable_Destroy(pairs->table);
    grzArray_Release(&pairs->rows, allocator);
    grzArray_Release(&pairs->scratch, allocator);
    grzArray_Release(&pairs->newRows, allocator);
    grzArray_Release(&pairs->removed, allocator);
    grzArray_Release(&pairs->isRemoved, allocator);
}

bool grzPairRows_ReserveSlots(grzPairRows* pairs, size_t slots, const grzAllocator* allocator) {
    if (!grzArray_Reserve(&pairs->removed, allocator, slots) ||
        !grzArray_Reserve(&pairs->isRemoved, allocator, slots))
        return false;
    for (; pairs->isRemoved.count < slots; ++pairs->isRemoved.count)
        pairs->isRemoved.data[pairs->isRemoved.count] = false;
    return true;
}

void grzPairRows_RemoveSlot(grzPairRows* pairs, uint32_t slot) {
    if (pairs->isRemoved.data[slot])
        return;
    pairs->isRemoved.data[slot] = true;
    pairs->removed.data[pairs->removed.count++] = slot;
}

// Without memory the rows stay where they are.
static void layOut(grzPairRows* pairs, const grzAllocator* allocator) {
    const grzPairTableStats before = grzPairTable_GetStats(pairs->table);
    if (before.scatteredCount <= pairs->view.count / scatterShare + scatterLeast)
        return;
    const size_t most = before.rowCount + before.pairCount; // a layout has fewer rows
    if (!grzArray_Reserve(&pairs->newRows, allocator, before.rowCount) ||
        !grzArray_Reserve(&pairs->scratch, allocator, most) ||
        !grzResult_IsOk(grzPairTable_Relayout(pairs->table, pairs->newRows.data, before.rowCount)))
        return;
    const size_t after = grzPairTable_GetStats(pairs->table).rowCount;
    GRZ_ASSERT(after <= most);
    for (size_t row = 0; row < before.rowCount; ++row)
        if (pairs->newRows.data[row] != GRZ_NO_ROW)
            pairs->scratch.data[pairs->newRows.data[row]] = pairs->rows.data[row];
    grzPairRow* rows = pairs->rows.data;
    const size_t capacity = pairs->rows.capacity;
    pairs->rows.data = pairs->scratch.data, pairs->rows.capacity = pairs->scratch.capacity;
    pairs->rows.count = after;
    pairs->scratch.data = rows, pairs->scratch.capacity = capacity;
    pairs->view = grzPairTable_GetView(pairs->table);
}

grzResult grzPairRows_Update(grzPairRows* pairs, const grzBroadInput* asked, const grzAllocator* allocator,
                             grzStepPairs* step) {
    grzBroadInput input = *asked;
    input.removed = pairs->removed.data, input.removedCount = pairs->removed.count;
    layOut(pairs, allocator);
    step->rows = pairs->rows.data;
    input.rowCapacity = pairs->rows.capacity;
    grzResult result = grzStep_Broad(pairs->table, &input, step);
    if (result.status == grz_bufferTooSmall) {
        if (!grzArray_Reserve(&pairs->rows, allocator, result.value))
            return grzNoMemory(result.value, sizeof(grzPairRow));
        step->rows = pairs->rows.data;
        input.rowCapacity = pairs->rows.capacity;
        result = grzStep_Broad(pairs->table, &input, step);
    }
    pairs->view = grzPairTable_GetView(pairs->table);
    if (!grzResult_IsOk(result))
        return result;
    pairs->rows.count = grzPairTable_GetStats(pairs->table).rowCount;
    pairs->isOpen = true;
    return result;
}

grzResult grzPairRows_Reserve(grzPairRows* pairs, size_t count, size_t slotCount, const grzAllocator* allocator) {
    const size_t rows = grzPairTable_GetStats(pairs->table).rowCount + count;
    if (!grzArray_Reserve(&pairs->rows, allocator, rows))
        return grzNoMemory(rows, sizeof(grzPairRow));
    const grzResult result = grzPairTable_Reserve(pairs->table, count, slotCount);
    pairs->view = grzPairTable_GetView(pairs->table);
    return result;
}

// What the next step reads of the last one is that there was no look: so it looks.
void grzPairRows_Insert(grzPairRows* pairs, const grzBodyPair* added, size_t count, uint32_t now) {
    grzPairTable_Insert(pairs->table, added, count);
    pairs->view = grzPairTable_GetView(pairs->table);
    pairs->rows.count = grzPairTable_GetStats(pairs->table).rowCount;
    for (size_t i = 0, place = 0; i < count; ++i) {
        while (grzSortKeyFromPair(pairs->view.pairs[place].a, pairs->view.pairs[place].b) <
               grzSortKeyFromPair(added[i].a, added[i].b))
            ++place;
        grzPairRow* row = &pairs->rows.data[pairs->view.rows[place]];
        memset(row, 0, offsetof(grzPairRow, poses)); // as a pair that begins in the broad stage
        row->isNew = true;
        row->found[now].isPassing = true;
    }
}

void grzPairRows_Close(grzPairRows* pairs, bool isDone) {
    for (size_t i = 0; isDone && i < pairs->removed.count; ++i)
        pairs->isRemoved.data[pairs->removed.data[i]] = false;
    if (isDone)
        pairs->removed.count = 0;
    else if (pairs->isOpen && grzPairTable_TakeBack(pairs->table))
        pairs->view = grzPairTable_GetView(pairs->table);
    pairs->isOpen = false;
}
