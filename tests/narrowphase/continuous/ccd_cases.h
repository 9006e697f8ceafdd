// What: queries of continuous collision that are hard to decide, by class.
#ifndef GRAZE_TESTS_CCD_CASES_H
#define GRAZE_TESTS_CCD_CASES_H

#include "graze/ccd.h"
#include "rng.h"

typedef enum CcdClass {
    ccd_anywhere,
    ccd_fewPlaces,  // integers from -2 to 2
    ccd_morePlaces, // -5 to 5
    ccd_tiny,       // few places of 1e-30
    ccd_huge,       // few places of 1e30, and some beside them
    ccd_far,        // few places of 1/8, at 1e6
    ccd_lastBits,   // few places, off by a last bit
    ccd_subnormal,
    ccd_anyScales,     // each point at a scale from 1e-30 to 1e30
    ccd_nearTouching,  // a point of each in one place at some time, by rounding; or a few last bits beside it
    ccd_inPlane,       // everything moves in one plane
    ccd_parallelEdges, // and triangles between parallels
    ccd_slivers,
    ccd_zeroLength, // and triangles without area
    ccd_halfTurn,   // about an axis: lines through it
    ccd_screws,     // rotation and translation of one feature, by lines
    ccd_classCount,
} CcdClass;

extern const char* const ccdClassNames[ccd_classCount];

// One in two queries is rounded to floats. Points may coincide, rest, or come back.
grzCcdQuery ccdCase(grzRng* rng, CcdClass of);

// The query by other names: points in another order, mirrored, time reversed; the answer is the same, the time of the first touch is
// so, too, unless *isReversed.
grzCcdQuery ccdVariant(grzRng* rng, const grzCcdQuery* query, bool* isReversed);

// The next double on one side; but 0 stays, beside which there are only numbers with too many bits for company.
double ccdNudge(grzRng* rng, double x);

// The bits that the coordinates of an axis take as whole numbers of one unit, the most of any axis.
int ccdBits(const grzCcdQuery* query);

// As C text, exactly.
void ccdPrint(const grzCcdQuery* query);

#endif
