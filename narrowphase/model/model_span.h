// What: two models and the common frame, for distances: lengths of it in either model's frame, and how far off boxes may be.
// Promise: a gap between boxes that is found with these numbers, less `margin`, is no more than the true distance of what the
//   boxes hold; see model_span.c.
// Idea: the common frame is moved to A's origin and scaled by a power of two, so that all coordinates of both models are at
//   most 1 there. Such lengths are "in spans".
// Threads: plain data, pure functions.
#ifndef GRAZE_NARROWPHASE_MODEL_SPAN_H
#define GRAZE_NARROWPHASE_MODEL_SPAN_H

#include "graze/model_distance.h"
#include "model_relation.h"

// What rounding of doubles may do to a distance of triangles, or to a lower bound of it, in spans. (Counted: below 2^-46.)
#define SPAN_ROUNDING 0x1p-44

typedef struct SpanSide {
    double columns[3][3]; // from the model's frame to the common one, in spans
    float halfWeights[4]; // a gap g along each axis i of the model's frame, doubled, is no less than the root of
                          // the sum of (halfWeights[i] g[i])^2 in spans
} SpanSide;

typedef struct ModelSpan {
    SpanSide sides[2];
    double offset[3];   // of B's origin, in spans
    double scale;       // a span: a power of two
    double margin;      // by which a distance of boxes may be too large, in spans
    double touchMargin; // what grzModels_Touch takes for contact is this near, in spans
} ModelSpan;

// No less than |v| for |v.i| <= size.i in the model's frame, in the common one.
double grzSpanLength(grzTransform pose, const double size[3]);

// For a span of 2^n; the pose has been found good.
void grzSpanSide_Make(SpanSide* side, grzTransform pose, double span);

// The least power of two above a size; 1 for 0.
double grzSpanOf(double size);

// The relation is that of the same models and poses.
void grzModelSpan_Make(ModelSpan* span, const ModelRelation* relation, const grzModelDistanceQuery* query);

#endif
