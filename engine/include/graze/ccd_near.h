// Continuous queries with a distance: whether a vertex and a triangle, or two edges, come within it of each other while all four
// points move along lines, and when first. For cloth with thickness, and for steps that must leave a gap.
//
//   grzCcdNear near = {.distance = 1e-3};
//   grzCcdApproach approach;
//   grzResult result = grzCcd_FindApproach(&query, &near, &approach);
//   if (approach.isNear) ...  // until approach.t0 they are further apart than the distance
//
// Conservative: what comes within the distance is never missed, and not before t0 does it so. What is said to come near is at t0
// not further away than the distance and the tolerance; where the work that was allowed did not suffice, or the digits of doubles
// (GRZ_CCD_SURE_TOLERANCE), not further than approach.separation. With a distance of 0 the answer is that of grzCcd_FindImpact: exact.
//
// Threads: pure functions of their arguments; no memory but 12 KiB of the stack (with distance 0: graze/ccd.h). Rounding must be to
// nearest. Modes of the processor that take numbers below the normal ones for 0 do no harm. The same bytes everywhere.
// Cost: of a few tests of pieces of time, mostPieces at most: docs/benchmarks.md, stage ccd, search. See docs/ccd.md for why it is right.
#ifndef GRAZE_CCD_NEAR_H
#define GRAZE_CCD_NEAR_H

#include "graze/ccd_pairs.h"

GRZ_EXTERN_C_BEGIN

#define GRZ_CCD_PIECES 512 // of time, that are looked at unless another number is asked for

// Of the features' size, that is the greatest difference of two coordinates (of the two, along an axis, at either end): a tolerance
// that is less may not be reached where a triangle or a pair of edges is a sliver, or a side is that much longer than the distance.
#define GRZ_CCD_SURE_TOLERANCE 0x1p-26

typedef struct grzCcdNear {
    double distance; // 0 or more
    // By how much more than the distance what is said to be near may be apart; 0: a 1024th of the distance. It cannot be less
    // than 2^-40 of the features' size, nor less than 2^-440 of the greatest coordinate; and see GRZ_CCD_SURE_TOLERANCE.
    double tolerance;
    uint32_t mostPieces; // the bound of the work; 0: GRZ_CCD_PIECES
} grzCcdNear;

typedef struct grzCcdApproach {
    bool isNear;
    // grz_exact: they come within the distance for certain, or they do not; grz_conservative: they may.
    uint32_t certainty;
    double measure; // of grzCertainty: how much more than the distance may be between them; 0 where it is exact
    // At no time before t0 are they within the distance. Where it is exact they are so at some time in [t0, t1]; else t1 is 1.
    // 1 and 1 where they do not come near.
    double t0, t1;
    double separation; // at t0 they are not further apart than this
    double weights[4]; // of the nearest points at t0, rounded: as grzCcdImpact has them
    // at t0, from the second feature's nearest point to the first one's, of length 1, rounded; or 0
    double normal[3];
    uint32_t pieces; // that were looked at
} grzCcdApproach;

// Refused: grz_badArgument (value 1: no query, or an unknown kind; 2: a distance or tolerance that is negative or not finite; 3: no
// place for the answer), grz_notFinite (part vertex; index: of points, counting on through t = 1). *approach says that they do not
// come near then.
GRZ_NODISCARD GRZ_API grzResult grzCcd_FindApproach(const grzCcdQuery* query, const grzCcdNear* near,
                                                    grzCcdApproach* approach);

// The pairs of a mesh in motion, in parallel. answers[i] becomes the grzCcdVerdict of pair i: touching says within the distance for
// certain, doubtful says perhaps; t0[i], unless t0 is NULL, is as above. The bytes are the same
// for every number of workers. Refused, and nothing written: as grzCcdMotion_Decide (value 5 where answers is NULL), and grz_badArgument
// 4: near.
GRZ_NODISCARD GRZ_API grzResult grzCcdMotion_DecideNear(const grzCcdMotion* motion, grzTasks* tasks,
                                                        const grzCcdPairs* pairs, const grzCcdNear* near,
                                                        uint8_t* answers, double* t0);

GRZ_EXTERN_C_END

#endif
