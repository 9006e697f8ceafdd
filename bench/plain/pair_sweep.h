// All overlapping pairs the plain way: boxes sorted along x, each compared with those that begin before it ends.
//
// O(n) to sort and some n^(5/3) compares in a cube. A few lines that can be seen to be right, so that others are
// checked by them.
#ifndef GRAZE_BENCH_PAIR_SWEEP_H
#define GRAZE_BENCH_PAIR_SWEEP_H

#include "array.h"
#include "graze/linmath.h"
#include "graze/records.h"

typedef struct SweptPairs {
    GRZ_ARRAY(grzBodyPair);
} SweptPairs;

typedef struct PairSweep {
    grzAllocator allocator;
    const grzBox* boxes; // the host's
    size_t count;
    grzBox* sorted;   // a copy, by lower x
    uint32_t* words;  // keys and indices, each with its scratch: four arrays of count
    SweptPairs pairs; // a < b
    bool failed;      // no memory for the pairs of the last run
} PairSweep;

// False where memory is refused; to be released all the same.
bool PairSweep_Make(PairSweep* sweep, grzAllocator allocator, const grzBox* boxes, size_t count);
void PairSweep_Release(PairSweep* sweep);

// Finds the pairs of the boxes as they are now.
void PairSweep_Run(PairSweep* sweep);

#endif
