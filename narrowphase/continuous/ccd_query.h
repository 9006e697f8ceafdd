// What: one continuous query through all stages.
#ifndef GRAZE_NARROWPHASE_CCD_QUERY_H
#define GRAZE_NARROWPHASE_CCD_QUERY_H

#include "ccd_polygon.h"
#include "graze/ccd_pairs.h"

// The refusal of a query that is argument `argument`, or none.
grzResult grzCcdQuery_Check(const grzCcdQuery* query, uint64_t argument);

// The refusal of pairs of a motion, which are argument 3, or none.
grzResult grzCcdPairs_Check(const grzCcdMotion* motion, const grzCcdPairs* pairs);

// Of finite numbers. span and depth: as grzCcdExact_Decide has them. *stage: which decided.
CcdVerdict grzCcdQuery_Decide(const grzCcdQuery* query, int depth, CcdSpan* span, grzCcdStage* stage);

// When features that touch, for certain, do so first; ccd_unknown: the time would take too many bits.
CcdVerdict grzCcdQuery_Time(const grzCcdQuery* query, int depth, CcdSpan* span);

// When they touch first. Cells of different t0 do not overlap, and a time that is told as such comes before the cell that it begins.
typedef struct CcdWhen {
    CcdVerdict verdict;
    bool isTimed; // else from 0 to 1: the time would take too many bits
    CcdSpan span;
} CcdWhen;

CcdWhen grzCcdQuery_When(const grzCcdQuery* query, int depth);

// Which of two comes first, of which the times are told by the same depth: -1, 0, 1. What does not touch comes last. *certainty:
// whether that is so; else it is the order of their t0.
int grzCcdQuery_Compare(const grzCcdQuery* a, const CcdWhen* whenA, const grzCcdQuery* b, const CcdWhen* whenB,
                        grzCertainty* certainty);

#endif
