// What: the times at which the pairs of a search are known to overlap, in addition to the times at which they may.
#ifndef GRAZE_KINETIC_CHORD_KNOWN_H
#define GRAZE_KINETIC_CHORD_KNOWN_H

#include "chord_walk.h"

// Writes knownFirst and knownLast of a search whose pairs are all found. In a piece that is only a part of an interval
// between two keyframes nothing is known. Returns false where memory is refused.
bool grzChordSearch_Know(ChordSearch* search, ChordWalk* walk, grzTasks* tasks);

#endif
