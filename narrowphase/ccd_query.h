// What: one continuous query through all stages.
#ifndef GRAZE_NARROWPHASE_CCD_QUERY_H
#define GRAZE_NARROWPHASE_CCD_QUERY_H

#include "ccd_polygon.h"

// Of finite numbers. span and depth: as grzCcdExact_Decide has them. *stage: which decided.
CcdVerdict grzCcdQuery_Decide(const grzCcdQuery* query, int depth, CcdSpan* span, grzCcdStage* stage);

#endif
