// What: a block of continuous queries through all stages: lanes of floats, lanes of doubles, and one by one what they leave.
// Promise: graze/ccd.h's answers; the same at every SIMD level, and so are the counts of what each stage decided.
#ifndef GRAZE_NARROWPHASE_CCD_BLOCK_H
#define GRAZE_NARROWPHASE_CCD_BLOCK_H

#include <stddef.h>

#include "ccd_kernel.h"
#include "graze/ccd_pairs.h"

enum { CCD_BLOCK = 1024 }; // pairs at a time

// Vertices in motion, CCD_ROW floats or doubles each; 64-byte aligned.
typedef struct CcdRows {
    const void* data;
    bool isDouble;
} CcdRows;

// What was decided where.
typedef struct CcdStages {
    uint64_t counts[grz_ccdStageCount];
} CcdStages;

// Four vertices a pair. Writes the numbers of those that are not apart, ascending, and the
// grzCcdVerdict of each; there is room for as many as pairs and CCD_SIFT_LANES more. Returns how many; adds to *stages.
uint32_t grzCcdBlock_Decide(const CcdRows* rows, grzCcdKind kind, const uint32_t* vertices, uint32_t count,
                            uint32_t* hits, uint8_t* verdicts, CcdStages* stages);

// One pair as a query of its own.
grzCcdQuery grzCcdRows_Query(const CcdRows* rows, grzCcdKind kind, const uint32_t vertices[4]);

#endif
