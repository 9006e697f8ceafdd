// What: where the two features of an impact are, and in which direction they meet: rounded, for what cannot be told exactly.
#ifndef GRAZE_NARROWPHASE_CCD_PLACE_H
#define GRAZE_NARROWPHASE_CCD_PLACE_H

#include "graze/ccd.h"

// Fills in the weights and the normal at a time.
void grzCcdPlace(const grzCcdQuery* query, double time, grzCcdImpact* impact);

// Their distance at a time, rounded.
double grzCcdSeparation(const grzCcdQuery* query, double time);

#endif
