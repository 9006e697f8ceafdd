// Memory that a loop over pairs comes to soon, asked for early.
//
// Rows of pairs lie near each other, but in no order that the processor foresees, and so do rows of bodies. So loops over
// pairs ask first for the row of a pair, and a few pairs later for what the row names.
#ifndef GRAZE_WORLD_PAIR_AHEAD_H
#define GRAZE_WORLD_PAIR_AHEAD_H

#include "graze/stage/step.h"

enum { GRZ_PAIRS_AHEAD = 16, GRZ_NAMED_AHEAD = 6 };

// The row of the pair that comes `ahead` turns after `place`, or of the last pair.
static inline const grzPairRow* grzPairRow_Ahead(const grzPairRow* rows, const uint32_t* order, size_t count,
                                                 size_t place, size_t ahead) {
    return &rows[order[place + ahead < count ? place + ahead : count - 1]];
}

#endif
