// What: when the pairs of a search are known to overlap, beside when they may.
#ifndef GRAZE_KINETIC_CHORD_KNOWN_H
#define GRAZE_KINETIC_CHORD_KNOWN_H

#include "chord_walk.h"

// Writes knownFirst and knownLast of a search whose pairs are all found; of a piece that is cut nothing is known. False where memory is refused.
bool grzChordSearch_Know(ChordSearch* search, ChordWalk* walk, grzTasks* tasks);

#endif
