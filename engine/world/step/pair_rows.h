// Pairs of bodies that last from step to step: the world's data at the rows of a table of pairs (graze/stage/pair_table.h).
//
//   view.pairs  (0, 3)  (0, 7)  (2, 3)  ...     this step's, in the order of slots
//   view.rows      0       1       8    ...     the row of each, near its neighbours'
//   rows        [0: pair, found, found, poses] [1: ..] ...
//
// What a step finds in a pair stands beside what the last one has found, by the world's `now`: a refused step leaves the latter as it
// was. Where nothing moves, the pose stays where it is.
#ifndef GRAZE_WORLD_PAIR_ROWS_H
#define GRAZE_WORLD_PAIR_ROWS_H

#include "array.h"
#include "graze/stage/pair_table.h"

typedef enum grzPairWay {
    grz_pairNothing = 0, // no contacts are looked for
    grz_pairRecycled,    // those of the last step, as nothing has moved
    grz_pairConvex,
    grz_pairMesh,
    grz_pairCloth,
} grzPairWay;

// What a step found in a pair.
typedef struct grzPairFound {
    uint32_t firstTouch, touchCount; // the place of the first among units; the others follow it
    uint32_t contactCount;           // but for cloth as many as the touches have points
    union {
        uint32_t firstMesh; // of a mesh's pair: in meshContacts
        uint32_t obstacle;  // of a cloth's pair: which of the cloth's obstacles the other one is
    };
    uint32_t meshCount; // of a mesh's pair
    uint8_t isTouching; // a separation of 0 or less, or cloth that has met the other in the step
    uint8_t pose;       // which of the row's: where the two were when their contacts were found
    uint8_t pad[2];
} grzPairFound;

typedef struct grzPairPose {
    grzVec3 shift; // from centre to centre
    grzQuat rotationA, rotationB;
} grzPairPose;

typedef struct grzPairRow {
    uint32_t a, b;                     // rows of the two bodies, in this step
    uint32_t slotA, slotB;             // slotA < slotB
    uint32_t generationA, generationB; // of the bodies, which may be gone when the pair is looked at
    uint8_t way;                       // grzPairWay
    uint8_t isYielding;                // one of them at least
    uint8_t isNew;                     // the last step had no pair of these two
    uint8_t pad;
    float reach;           // contacts are looked for up to this separation; 0 where those of the last step are kept
    uint32_t firstContact; // in the list of contacts
    uint32_t rest[3];
    grzPairFound found[2]; // by the world's `now`
    grzPairPose poses[2];
} grzPairRow;

GRZ_STATIC_ASSERT(sizeof(grzPairRow) == 192, "three lines");

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

// The pairs of a step and what a new row is filled from.
typedef struct grzPairInput {
    const grzBodyPair* pairs; // all of them, of slots, ascending
    size_t count;
    uint32_t now;                       // which of its two a row clears, for what this step finds
    const uint32_t* rows1;              // by slot: the body's row, plus 1
    const struct grzBodyTraits* traits; // by row
    grzTasks* tasks;
    const grzAllocator* allocator;
} grzPairInput;

// Refused, and nothing has changed: grz_tooLarge, grz_outOfMemory.
grzResult grzPairRows_Update(grzPairRows* pairs, const grzPairInput* input);

// The step is done, or refused: then the table has the last step's pairs again.
void grzPairRows_Close(grzPairRows* pairs, bool isDone);

static inline grzBodyId grzPairRow_IdA(const grzPairRow* row) {
    return (grzBodyId){row->slotA + 1, row->generationA};
}
static inline grzBodyId grzPairRow_IdB(const grzPairRow* row) {
    return (grzBodyId){row->slotB + 1, row->generationB};
}

#endif
