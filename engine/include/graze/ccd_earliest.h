// The first impact of a mesh in motion: of many candidate pairs the one that touches before all others.
//
//   grzCcdEarliest earliest;
//   grzResult result = grzCcdMotion_FindEarliest(motion, tasks, &pairs, &earliest);
//   if (earliest.isFound) ...  // pair earliest.pair at earliest.impact.t0, and nothing before it
//
// Exact: the least time as real arithmetic says, and of pairs with one time the first in the list. A pair that numbers of
// GRZ_CCD_BITS do not suffice for counts as touching at 0, if it may touch before the others at all: the answer is conservative then.
//
// Threads: any number may search at a time. The bytes are the same for every number of workers. Memory: none but the stack of
// graze/ccd_pairs.h, and 12 KiB more. Cost: the time from 0 to the first impact known so far shrinks as the search goes on, and
// most pairs are told apart in it by boxes: docs/benchmarks.md, stage ccd, search. See docs/ccd.md.
#ifndef GRAZE_CCD_EARLIEST_H
#define GRAZE_CCD_EARLIEST_H

#include "graze/ccd_pairs.h"

GRZ_EXTERN_C_BEGIN

typedef struct grzCcdEarliest {
    bool isFound;        // some pair touches
    uint32_t pair;       // its number; 0 where none does
    grzCcdImpact impact; // of this pair, as grzCcd_FindImpact tells it
} grzCcdEarliest;

// Refused: as grzCcdMotion_Decide; grz_badArgument 4: no place for the answer. *earliest says that none is found then.
GRZ_NODISCARD GRZ_API grzResult grzCcdMotion_FindEarliest(const grzCcdMotion* motion, grzTasks* tasks,
                                                          const grzCcdPairs* pairs, grzCcdEarliest* earliest);

GRZ_EXTERN_C_END

#endif
