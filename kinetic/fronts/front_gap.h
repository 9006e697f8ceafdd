// What: how far the lower side of one box lies above the upper side of another, by the vertices that realise them.
//   The vertices may be of two plans. It decides whether the sides are apart, and finds the first tick at which
//   they are not, or are again.
// Promise: the answers of real arithmetic, as in plan_inside.h.
// Idea: a gap is a sum of a few products of doubles. A bound on its rounding decides nearly always; else a long
//   accumulator does.
// Threads: pure functions.
#ifndef GRAZE_KINETIC_FRONT_GAP_H
#define GRAZE_KINETIC_FRONT_GAP_H

#include "front_clock.h"

typedef struct FrontGap {
    const FrontPace *low, *up; // of the lower side's vertex and of the upper side's
    uint32_t lowVertex, upVertex;
    int axis;
} FrontGap;

// Returns whether the lower side is truly above the upper one at a tick. Boxes that touch are not apart.
bool grzFrontGap_IsApart(const FrontGap* gap, double tick);

// Returns bits of the six gaps of a pair that are apart. The lower sides of the first three are of one plan, of the
// last three of the other.
uint32_t grzFrontGap_FindApart(const FrontGap gaps[6], double tick);

// Returns the first tick after `tick`, up to `end`, at which the answer changes; infinity if there is none.
double grzFrontGap_Changes(const FrontGap* gap, bool isApart, double tick, double end);

#endif
