// What: keeps the rows of pairs from step to step.
// Promise: see pair_rows.h. Nothing that a step finds depends on the rows.
// Idea: the table of pairs says which row a pair has, and which pairs are new. Rows of neighbours lie near each other, so that a loop
//   over pairs streams over them; where too many do not, all are laid out again in the order of pairs.
#include "pair_rows.h"

#include <string.h>

#include "memory.h"
#include "near_loop.h"
#include "pair_ahead.h"
#include "world_inside.h"

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

typedef struct Refresh {
    grzPairRows* pairs;
    const grzPairInput* input;
} Refresh;

// Rows of bodies may be others than in the last step.
static void refreshBlock(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    const Refresh* refresh = context;
    const grzPairTableView* view = &refresh->pairs->view;
    const uint32_t* rows1 = refresh->input->rows1;
    (void)worker;
    for (uint32_t i = begin; i < end; ++i) {
        grzPairRow* row = &refresh->pairs->rows.data[view->rows[i]];
        __builtin_prefetch(grzPairRow_Ahead(refresh->pairs->rows.data, view->rows, view->count, i, GRZ_PAIRS_AHEAD),
                           1);
        row->a = rows1[view->pairs[i].a] - 1;
        row->b = rows1[view->pairs[i].b] - 1;
        row->isNew = false;
        row->found[refresh->input->now] = (grzPairFound){0};
    }
}

static void beginRow(const Refresh* refresh, uint32_t place) {
    const grzPairTableView* view = &refresh->pairs->view;
    grzPairRow* row = &refresh->pairs->rows.data[view->rows[place]];
    const uint32_t a = row->a, b = row->b;
    memset(row, 0, offsetof(grzPairRow, poses)); // nobody reads a pose or a firstContact before it is written
    row->a = a;
    row->b = b;
    row->idA = (grzBodyId){view->pairs[place].a + 1, refresh->input->traits[a].generation};
    row->idB = (grzBodyId){view->pairs[place].b + 1, refresh->input->traits[b].generation};
    row->isNew = true;
}

grzResult grzPairRows_Update(grzPairRows* pairs, const grzPairInput* input) {
    grzPairTableUpdate update = grzDefaultPairTableUpdate();
    update.pairs = input->pairs, update.pairCount = input->count;
    update.removed = pairs->removed.data, update.removedCount = pairs->removed.count;
    update.isAll = true;
    layOut(pairs, input->allocator);
    const grzResult result = grzPairTable_Update(pairs->table, input->tasks, &update);
    if (!grzResult_IsOk(result))
        return result;
    const size_t rows = grzPairTable_GetStats(pairs->table).rowCount;
    if (!grzArray_Reserve(&pairs->rows, input->allocator, rows)) {
        (void)grzPairTable_TakeBack(pairs->table);
        pairs->view = grzPairTable_GetView(pairs->table);
        return grzNoMemory(rows, sizeof(grzPairRow));
    }
    pairs->rows.count = rows;
    pairs->view = grzPairTable_GetView(pairs->table);
    pairs->isOpen = true;
    Refresh refresh = {pairs, input};
    grzParallelForNear(input->tasks, (uint32_t)pairs->view.count, GRZ_PAIR_BLOCK, refreshBlock, &refresh);
    for (size_t i = 0; i < pairs->view.begunCount; ++i)
        beginRow(&refresh, pairs->view.begun[i]);
    return grzOk();
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
