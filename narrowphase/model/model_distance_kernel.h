// What: walks two hierarchies for the nearest pair of triangles. See kernel.h for how it is built and picked.
// Promise: of all pairs, the one of least (distance, as computed; triangle of A; triangle of B), unless told to stop early;
//   whatever it starts with.
// Threads: reads models, relation and span; writes the search.
#ifndef GRAZE_NARROWPHASE_MODEL_DISTANCE_KERNEL_H
#define GRAZE_NARROWPHASE_MODEL_DISTANCE_KERNEL_H

#include "kernel.h"
#include "model_inside.h"
#include "model_span.h"

typedef struct SpanSearch {
    const grzModel* models[2]; // both have triangles
    ModelRelation relation;
    ModelSpan span;
    double reachSq;    // in spans: no pair above is taken
    double stopAtSq;   // the first pair at most so far away ends the search; negative: none does
    double shrink;     // 1 / (1 + relativeError)
    uint32_t slots[2]; // 4 * leaf + triangle of it. In: the start, GRZ_NO_SLOT twice for none; out: of the nearest
    uint32_t ids[2];   // of the nearest; GRZ_NO_TRIANGLE twice where nothing is within reach
    double sq;         // its distance, as computed, in spans
    double certain;    // no pair that was looked at is nearer, but for SPAN_ROUNDING
    grzModelStats* stats;
} SpanSearch;

GRZ_DECLARE_KERNEL(void, grzModelSearch, (SpanSearch * search));

// The pair `slots` of a search looked at closely, in spans.
typedef struct SpanWitness {
    double apart[3];
    double corners[2][3][3]; // of either triangle
    double s, t;
    uint32_t code; // as tri_distance.h has them
} SpanWitness;

GRZ_DECLARE_KERNEL(void, grzModelWitness, (const SpanSearch* search, SpanWitness* witness));

#endif
