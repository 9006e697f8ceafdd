// Queries of two models, for tests of time-critical ones.
#ifndef GRAZE_TESTS_PROBE_TESTING_H
#define GRAZE_TESTS_PROBE_TESTING_H

#include "graze/stage/time_critical.h"
#include "model_query_testing.h"

// Rigid poses whose origins are no farther apart than `apart` on an axis.
grzModelQuery drawModelQuery(const grzModel* a, const grzModel* b, float apart);

// So many, which the caller frees.
grzModelQuery* drawModelQueries(const grzModel* a, const grzModel* b, float apart, size_t count);

// A fit to queries like these.
grzProbeFit makeTestFit(const grzModel* a, const grzModel* b, float apart);

// By grzModels_Touch.
bool doTouch(const grzModelQuery* query);

grzProbeAnswer probeOnce(const grzProbeQuery* query, const grzProbeBudget* budget);

// A torus of about so many triangles.
grzModel* makeTorusModel(size_t triangleCount);

#endif
