// What: what is promised of continuous queries, against the oracle: for tests and for the fuzz target.
#ifndef GRAZE_TESTS_CCD_CHECK_H
#define GRAZE_TESTS_CCD_CHECK_H

#include "graze/ccd_near.h"
#include "rng.h"

// Each returns NULL, or a sentence about what is broken.

// Whether and when; and in impact, what was found.
const char* ccdCheckImpact(const grzCcdQuery* query, grzCcdImpact* impact);

// The same query by other names.
const char* ccdCheckVariant(const grzCcdQuery* query, grzRng* rng);

// Which of two is first, asked both ways.
const char* ccdCheckOrder(const grzCcdQuery* a, const grzCcdQuery* b, int* order);

// With a distance: at some times, drawn from rng.
const char* ccdCheckNear(const grzCcdQuery* query, const grzCcdNear* near, grzRng* rng, grzCcdApproach* approach);

// The greatest difference of two coordinates of an axis and an end, or 2^-400 of the greatest coordinate.
double ccdReach(const grzCcdQuery* query);

#endif
