// What: whether the polygon of ccd_polygon.h holds the origin at some time from 0 to 1: in doubles, where they suffice.
// Promise: what real arithmetic says, or "unknown".
#ifndef GRAZE_NARROWPHASE_CCD_FILTER_H
#define GRAZE_NARROWPHASE_CCD_FILTER_H

#include "ccd_exact.h"

// span, unless it is NULL: as grzCcdExact_Decide has it.
CcdVerdict grzCcdFilter_Decide(const CcdPolygon* polygon, int depth, CcdSpan* span, grzCcdStage* stage);

// When a polygon that is known to hold the origin at some time does so first: ccd_touch, with *span, or ccd_unknown.
CcdVerdict grzCcdFilter_Time(const CcdPolygon* polygon, int depth, CcdSpan* span);

#endif
