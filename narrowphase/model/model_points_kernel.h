// What: finds the triangle of a model that is nearest to a point. See kernel.h for how it is built and picked.
// Promise: of all triangles, the one of least (distance, as computed; number), whatever the search starts with.
// Threads: reads the model; writes the search.
#ifndef GRAZE_NARROWPHASE_MODEL_POINTS_KERNEL_H
#define GRAZE_NARROWPHASE_MODEL_POINTS_KERNEL_H

#include "kernel.h"
#include "model_inside.h"
#include "model_span.h"

typedef struct PointSearch {
    const grzModel* model; // has triangles
    SpanSide side;
    float twiceAt[3],
        twiceSlack[3];  // the point in the model's frame, and what floats may make of gaps to it; doubled
    double at[3];       // the point in the common frame, from the model's origin, in spans
    double margin;      // by which a distance of boxes may be too large, in spans
    double reachSq;     // in spans
    uint32_t slot;      // in: the start, or GRZ_NO_SLOT; out: 4 * leaf + triangle of it
    uint32_t id;        // GRZ_NO_TRIANGLE where nothing is within reach
    double sq, certain; // as SpanSearch
    double apart[3];    // from the triangle to the point, in spans
    double s;
    uint32_t code; // as nearestToPoints8
} PointSearch;

GRZ_DECLARE_KERNEL(void, grzModelNearestToPoint, (PointSearch * search));

#endif
