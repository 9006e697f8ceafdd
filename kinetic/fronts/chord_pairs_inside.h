// What: how chord pairs lie in memory.
#ifndef GRAZE_KINETIC_CHORD_PAIRS_INSIDE_H
#define GRAZE_KINETIC_CHORD_PAIRS_INSIDE_H

#include "chord_walk.h"

typedef struct ChordWords {
    GRZ_ARRAY(uint64_t);
} ChordWords;

struct grzChordPairs {
    ChordWalk walk;
    ChordSearch searches[2];
    uint32_t current; // of them; the other is that of the next piece
    float begunAt;    // what part of the current piece had passed when the other was begun
    float part;       // that has passed now
    double time;
    ChordWords active, known;
    size_t activeCount;
    grzChordPairsStats stats;
};

#endif
