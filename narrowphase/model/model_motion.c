// What: the bounds of model_motion.h.
// Idea: the difference of two affine maps is an affine map. Over a box with middle c and half extents h its axis i is at
//   most |D c + o| + |D| h in size, D and o the differences of the columns and of the origins.
// Holds: what double rounds is below 2^-48 of |D| (|c| + h) + |o|, which is added.
#include "model_motion.h"

#include <math.h>

#include "model_inside.h"

#define ROUNDING 0x1p-48

// Middles and half extents, on an axis.
static void loadBox(const grzModel* model, int axis, double* middle, double* half) {
    const double lower = (double)grzVec3_Get(model->box.lower, axis);
    const double upper = (double)grzVec3_Get(model->box.upper, axis);
    *middle = 0.5 * (lower + upper);
    *half = 0.5 * (upper - lower);
}

// The way of the points of a model's box, through two maps of it.
static double motionOf(const ModelFrame* from, const ModelFrame* to, const grzModel* model) {
    double middle[3], half[3], squares = 0;
    for (int j = 0; j < 3; ++j)
        loadBox(model, j, &middle[j], &half[j]);
    for (int i = 0; i < 3; ++i) {
        double way = (double)to->origin[i] - (double)from->origin[i], spread = 0, size = fabs(way);
        for (int j = 0; j < 3; ++j) {
            const double change = (double)to->columns[j][i] - (double)from->columns[j][i];
            way += change * middle[j];
            spread += fabs(change) * half[j];
            size += fabs(change * middle[j]);
        }
        const double most = fabs(way) + spread + ROUNDING * (size + spread);
        squares += most * most;
    }
    return 2 * (1 + ROUNDING) * sqrt(squares);
}

double grzModelRelation_Motion(const ModelRelation* from, const ModelRelation* to, const grzModelQuery* query) {
    const double a = motionOf(&from->into[0], &to->into[0], query->b);
    const double b = motionOf(&from->into[1], &to->into[1], query->a);
    return a > b ? a : b;
}

static double slopOf(const ModelFrame* frame) {
    double squares = 0;
    for (int i = 0; i < 3; ++i)
        squares += (double)frame->twiceMargin[i] * (double)frame->twiceMargin[i];
    return (1 + ROUNDING) * sqrt(squares);
}

double grzModelRelation_Slop(const ModelRelation* relation) {
    const double a = slopOf(&relation->into[0]), b = slopOf(&relation->into[1]);
    return a > b ? a : b;
}
