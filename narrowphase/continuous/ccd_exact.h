// What: whether the polygon of ccd_polygon.h holds the origin at some time from 0 to 1: in integers, for any finite numbers.
// Promise: what real arithmetic says, unless it is told to be too much.
#ifndef GRAZE_NARROWPHASE_CCD_EXACT_H
#define GRAZE_NARROWPHASE_CCD_EXACT_H

#include "ccd_polygon.h"

// Bits that the numbers of an axis may take when they are whole numbers of one unit: of the greatest down to the last place of
// any.
enum { CCD_EXACT_BITS = 512 };

// Unknown where there are more. Where they touch, *span, unless it is NULL, is when first, down to steps of 2^-depth: one
// step, or none where the time is such a step itself. depth is 0 to 52.
CcdVerdict grzCcdExact_Decide(const CcdPolygon* polygon, int depth, CcdSpan* span);

// Both touch: whether a does so first (-1), at the same time (0), or after b (1). False where there are more bits.
bool grzCcdExact_Compare(const CcdPolygon* a, const CcdPolygon* b, int* order);

#endif
