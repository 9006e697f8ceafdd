// What: whether the polygon of ccd_polygon.h holds the origin at some time from 0 to 1: in doubles, where they suffice.
// Promise: what real arithmetic says, or "unknown".
#ifndef GRAZE_NARROWPHASE_CCD_FILTER_H
#define GRAZE_NARROWPHASE_CCD_FILTER_H

#include "ccd_exact.h"

// How a query was decided.
typedef enum CcdStage {
    ccd_stageBox = 0,   // all corners on one side of the origin along an axis, at all times
    ccd_stageVolume,    // never in one plane with the origin
    ccd_stageDirection, // all on one side of the origin in some direction
    ccd_stageAreas, // the areas differ in sign, or agree while the volume changes its own; also in pieces of the time
    ccd_stageExact,
    ccd_stageCount,
} CcdStage;

// span, unless it is NULL: as grzCcdExact_Decide has it.
CcdVerdict grzCcdFilter_Decide(const CcdPolygon* polygon, int depth, CcdSpan* span, CcdStage* stage);

#endif
