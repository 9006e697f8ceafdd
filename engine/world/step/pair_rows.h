// Pairs of bodies that last from step to step (grzPairRow), at the rows of a table of pairs (graze/stage/pair_table.h).
//
//   view.pairs  (0, 3)  (0, 7)  (2, 3)  ...     this step's, in the order of slots
//   view.rows      0       1       8    ...     the row of each, near its neighbours'
//   rows        [0: pair, found, found, poses] [1: ..] ...
#ifndef GRAZE_WORLD_PAIR_ROWS_H
#define GRAZE_WORLD_PAIR_ROWS_H

#include "array.h"
#include "graze/stage/pair_table.h"
#include "graze/stage/step.h"

typedef struct grzPairRows {
    grzPairTable* table;   // its objects are slots
    grzPairTableView view; // of this step
    struct {
        GRZ_ARRAY(grzPairRow);
    } rows, scratch; // by the table's rows
    struct {
        GRZ_ARRAY(uint32_t);
    } newRows; // of a layout
    struct {
        GRZ_ARRAY(uint32_t);
    } removed; // slots whose bodies have left since the last step that was done, each once
    struct {
        GRZ_ARRAY(uint8_t);
    } isRemoved; // by slot
    bool isOpen; // the table has the pairs of a step that is not done
} grzPairRows;

grzResult grzPairRows_Create(grzPairRows* pairs, const grzAllocator* allocator);
void grzPairRows_Destroy(grzPairRows* pairs, const grzAllocator* allocator);

// Memory for so many slots.
bool grzPairRows_ReserveSlots(grzPairRows* pairs, size_t slots, const grzAllocator* allocator);
// The body of a slot leaves: its pairs end with the next step.
void grzPairRows_RemoveSlot(grzPairRows* pairs, uint32_t slot);

// The broad stage over the rows: grzStep_Broad; asked: its input but for what is removed, and the rows. In *step: blocks and now. Refused, and
// nothing has changed: grz_tooLarge, grz_outOfMemory.
grzResult grzPairRows_Update(grzPairRows* pairs, const grzBroadInput* asked, const grzAllocator* allocator,
                             grzStepPairs* step);

// Memory for so many pairs more than the step has, of slots below slotCount. Refused, and nothing has changed:
// grz_outOfMemory.
grzResult grzPairRows_Reserve(grzPairRows* pairs, size_t count, size_t slotCount, const grzAllocator* allocator);
// Adds pairs to those of the step, ascending, none of them among these: rows of new pairs, for which nothing was
// looked for. Memory for them must be there. The caller names bodies and ids in the rows.
void grzPairRows_Insert(grzPairRows* pairs, const grzBodyPair* added, size_t count, uint32_t now);

// The step is done, or refused: then the table has the last step's pairs again.
void grzPairRows_Close(grzPairRows* pairs, bool isDone);

#endif
