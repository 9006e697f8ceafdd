// What: see model_span.h.
// Promise: box tests in the frame of either model, by the floats of its ModelFrame, find no gap that is wider than what is
//   there, but for the margins.
// Idea: let M be the basis of the side whose frame it is, and s.j the length of its column j. For a vector x of its frame,
//   |M x|^2 = x^T M^T M x >= l (sum of (s.j x.j)^2), where l is the least eigenvalue of M^T M with rows and columns scaled to
//   a diagonal of ones. Of orthogonal columns l is 1, so any scale along a model's own axes costs nothing; a shear
//   makes boxes look nearer than they are, which is safe. l is bounded below by Gershgorin's circles, and by
//
//     l >= 4 det / (3 - l)^2      as det = l m n, and m n <= ((m + n) / 2)^2, and l + m + n = 3
//
//   which may be used again with what it gave, as its right side grows with l.
//
//   The partner's boxes come into this frame by the map C, T of a ModelFrame, whose floats are not the true map. Read as
//   exact, they place the partner's point p at M (C p + T) + a in the common frame (a, b: the origins) rather than at
//   N p + b. The difference is (M C - N) p + (M T + a - b), computed in double here: it moves the partner by no more than
//   its bound, which is taken from the distance. What the float operations of the box tests round is in the margins of
//   the ModelFrame (model_relation.c).
// Holds: every number is rounded the safe way, or by a factor that exceeds the rounding of its few operations.
// Cost: some 400 operations in double.
#include "model_span.h"

#include <math.h>
#include <string.h>

#include "model_inside.h"

#define DOUBLE_ROUNDING 0x1p-50 // of a sum of a few products, by their sizes

static void loadPose(grzTransform pose, double columns[3][3], double origin[3]) {
    const grzVec3 from[4] = {pose.basis.x, pose.basis.y, pose.basis.z, pose.origin};
    for (int j = 0; j < 3; ++j)
        for (int i = 0; i < 3; ++i)
            columns[j][i] = (double)grzVec3_Get(from[j], i);
    for (int i = 0; i < 3; ++i)
        origin[i] = (double)grzVec3_Get(from[3], i);
}

static double lengthOf(const double v[3]) {
    // Scaled: a square of what floats hold may still leave the range that is precise.
    const double most = fmax(fmax(fabs(v[0]), fabs(v[1])), fabs(v[2]));
    if (most == 0 || !isfinite(most))
        return most;
    const double x = v[0] / most, y = v[1] / most, z = v[2] / most;
    return most * sqrt(x * x + y * y + z * z);
}

static void absoluteImage(const double columns[3][3], const double size[3], double out[3]) {
    for (int i = 0; i < 3; ++i)
        out[i] = fabs(columns[0][i]) * size[0] + fabs(columns[1][i]) * size[1] + fabs(columns[2][i]) * size[2];
}

double grzSpanLength(grzTransform pose, const double size[3]) {
    double columns[3][3], origin[3], image[3];
    loadPose(pose, columns, origin);
    absoluteImage((const double(*)[3])columns, size, image);
    return lengthOf(image) * (1 + DOUBLE_ROUNDING);
}

double grzSpanOf(double size) {
    int exponent = 0;
    (void)frexp(size, &exponent);
    return ldexp(1, exponent);
}

// No more than l above; of columns of length 1.
static double leastEigenvalue(const double unit[3][3]) {
    double g[3]; // of columns k + 1 and k + 2
    for (int k = 0; k < 3; ++k) {
        const double *p = unit[(k + 1) % 3], *q = unit[(k + 2) % 3];
        g[k] = p[0] * q[0] + p[1] * q[1] + p[2] * q[2];
    }
    const double x = fabs(g[0]), y = fabs(g[1]), z = fabs(g[2]);
    const double determinant = 1 + 2 * g[0] * g[1] * g[2] - (x * x + y * y + z * z) - 0x1p-46;
    double least = fmax(0, 1 - fmax(fmax(x + y, y + z), z + x) - 0x1p-46);
    for (int step = 0; step < 16; ++step)
        least = fmax(least, 4 * determinant / ((3 - least) * (3 - least)));
    return least;
}

void grzSpanSide_Make(SpanSide* side, grzTransform pose, double span) {
    double origin[3], unit[3][3], lengths[3];
    loadPose(pose, side->columns, origin);
    for (int j = 0; j < 3; ++j) {
        lengths[j] = lengthOf(side->columns[j]);
        for (int i = 0; i < 3; ++i) {
            unit[j][i] = side->columns[j][i] / lengths[j];
            side->columns[j][i] /= span;
        }
    }
    const double factor = sqrt(leastEigenvalue((const double(*)[3])unit)) * (1 - 0x1p-40);
    for (int j = 0; j < 3; ++j)
        side->halfWeights[j] = grzRoundDown(0.5 * factor * (lengths[j] / span));
    side->halfWeights[3] = 0;
}

// ---- margins ----

typedef struct Placed {
    double columns[3][3], origin[3]; // in the common frame
    double size[3];                  // the largest coordinates, in the model's frame
} Placed;

static Placed place(grzTransform pose, const grzModel* model) {
    Placed placed;
    loadPose(pose, placed.columns, placed.origin);
    const grzVec3 most = grzMax(grzAbs(model->box.lower), grzAbs(model->box.upper));
    for (int i = 0; i < 3; ++i)
        placed.size[i] = (double)grzVec3_Get(most, i);
    return placed;
}

// How far the floats of `frame`, which lead from the partner's frame into its own, place the partner off.
static double displacement(const ModelFrame* frame, const Placed* own, const Placed* partner) {
    double off[3];
    for (int i = 0; i < 3; ++i) {
        double shift = own->origin[i] - partner->origin[i], size = fabs(shift);
        for (int k = 0; k < 3; ++k) {
            shift += own->columns[k][i] * (double)frame->origin[k];
            size += fabs(own->columns[k][i] * (double)frame->origin[k]);
        }
        off[i] = fabs(shift) + DOUBLE_ROUNDING * size;
        for (int j = 0; j < 3; ++j) {
            double entry = -partner->columns[j][i];
            size = fabs(entry);
            for (int k = 0; k < 3; ++k) {
                entry += own->columns[k][i] * (double)frame->columns[j][k];
                size += fabs(own->columns[k][i] * (double)frame->columns[j][k]);
            }
            off[i] += (fabs(entry) + DOUBLE_ROUNDING * size) * partner->size[j];
        }
    }
    return lengthOf(off);
}

static double sizeOf(const Placed* a, const Placed* b) {
    double imageA[3], imageB[3], size = 0;
    absoluteImage((const double(*)[3])a->columns, a->size, imageA);
    absoluteImage((const double(*)[3])b->columns, b->size, imageB);
    for (int i = 0; i < 3; ++i)
        size = fmax(size, (imageA[i] + imageB[i] + fabs(b->origin[i] - a->origin[i])) * (1 + DOUBLE_ROUNDING));
    return size;
}

void grzModelSpan_Make(ModelSpan* span, const ModelRelation* relation, const grzModelDistanceQuery* query) {
    const Placed a = place(query->poseA, query->a), b = place(query->poseB, query->b);
    const double scale = grzSpanOf(sizeOf(&a, &b));
    grzSpanSide_Make(&span->sides[0], query->poseA, scale);
    grzSpanSide_Make(&span->sides[1], query->poseB, scale);
    double margin[3];
    for (int i = 0; i < 3; ++i) {
        span->offset[i] = (b.origin[i] - a.origin[i]) / scale;
        margin[i] = 0.5 * (double)relation->into[0].twiceMargin[i];
    }
    const double offA = displacement(&relation->into[0], &a, &b), offB = displacement(&relation->into[1], &b, &a);
    span->scale = scale;
    span->margin = (1 + 0x1p-40) * fmax(offA, offB) / scale + SPAN_ROUNDING;
    span->touchMargin = (1 + 0x1p-40) * (grzSpanLength(query->poseA, margin) + offA) / scale + SPAN_ROUNDING;
}
