// What: see probe_logistic.c.
#ifndef GRAZE_NARROWPHASE_PROBE_LOGISTIC_H
#define GRAZE_NARROWPHASE_PROBE_LOGISTIC_H

#include "probe_sample.h"

// Fits the weights of a stop, beginning with those of the stop before, and scores the samples there.
void grzProbeSamples_FitStop(const ProbeSamples* samples, uint32_t stop,
                             float all[grz_probeStops][grz_probeWeights]);

#endif
