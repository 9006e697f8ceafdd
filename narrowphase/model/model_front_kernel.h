// What: the ends of a walk through two hierarchies, kept, and what is done with those that are due. See kernel.h for how it is
// built and picked.
//
//   steps   [first, second, ends, opened]   a pair of boxes of which the first was opened; `opened`: the children, a bit each,
//                                           that met the second, and so have entries of their own further on. The others
//                                           are apart until the reading passes `ends` (model_motion.h)
//   leaves  [first, second, ends]           a pair of leaves, apart until then
//
// Holds: the entries cover the pair of the roots: every pair of leaves is a leaf entry, or below a child that is apart, or
//   below a step that is due as a whole (opened 0, ends -infinity). That is true at every return, also after a hit; not
//   where memory was refused. In steps an entry stands before those of its children.
// Threads: reads models and relation; writes the search.
#ifndef GRAZE_NARROWPHASE_MODEL_FRONT_KERNEL_H
#define GRAZE_NARROWPHASE_MODEL_FRONT_KERNEL_H

#include "model_kernel.h"

typedef struct FrontRefs {
    GRZ_ARRAY(int32_t);
} FrontRefs;

typedef struct FrontReadings {
    GRZ_ARRAY(float);
} FrontReadings;

typedef struct FrontMasks {
    GRZ_ARRAY(uint8_t);
} FrontMasks;

// One count, and room for eight entries more, which are junk.
typedef struct FrontList {
    FrontRefs first, second;
    FrontReadings ends;
    FrontMasks opened; // of leaves: 0
    size_t count, room;
} FrontList;

typedef struct FrontSearch {
    ModelSearch search;
    FrontList steps, leaves;
    FrontRefs due;  // numbers of entries, ascending
    float start;    // what is found to be apart by slack ends at start + slack
    bool isRefused; // memory was
    bool hasWitness;
    uint32_t witness[2]; // a pair of leaves that met, as an entry has it
} FrontSearch;

// The numbers of the entries that end at `now` or before, ascending; `due` has room for sixteen more than count.
GRZ_DECLARE_KERNEL(size_t, grzFrontDue, (const float* ends, size_t count, float now, int32_t* due));

// Whether the triangles of the witness meet.
GRZ_DECLARE_KERNEL(bool, grzFrontWitness, (FrontSearch * front));

// Opens the steps that are due, and what is below, until a pair of triangles meets: that becomes the witness.
GRZ_DECLARE_KERNEL(bool, grzFrontDive, (FrontSearch * front));

// The same for pairs of leaves that are due.
GRZ_DECLARE_KERNEL(bool, grzFrontTouchLeaves, (FrontSearch * front));

// Opens the steps that are due and all that is below. False where memory is refused.
GRZ_DECLARE_KERNEL(bool, grzFrontWalk, (FrontSearch * front));

// Appends the pairs of triangles of leaves that are due to search.found, up to its limit. False as above.
GRZ_DECLARE_KERNEL(bool, grzFrontCollect, (FrontSearch * front));

// Room for `count` entries. False where memory is refused; nothing is lost.
bool grzFrontList_Reserve(FrontList* list, const grzAllocator* allocator, size_t count);
void grzFrontList_Release(FrontList* list, const grzAllocator* allocator);

// Appends an entry that is due as a whole. There is room.
static inline void grzFrontList_AddDue(FrontList* list, int32_t first, int32_t second) {
    list->first.data[list->count] = first;
    list->second.data[list->count] = second;
    list->ends.data[list->count] = -(float)INFINITY;
    list->opened.data[list->count] = 0;
    list->count++;
}

#endif
