// What: ccd_filter.h.
// Idea: the volume and the areas of ccd_exact.c as Bernstein polynomials: where all coefficients have one sign, so does the
//   polynomial from 0 to 1. Each coefficient is off by less than a bound; one that is beyond it has its sign for certain.
//
//   no hit   the volume has one sign; or some direction has all corners before it at both ends; or, seen along an axis, one
//   area is
//            positive and another one negative, at all times
//   hit      seen along an axis all areas have one sign at all times, and the volume has different ones at the ends
//
//   What is not decided is halved, a few times.
//
// Holds, with u = 2^-53 and m_x the greatest size of a corner's x at either end, rounded: corners are off by u of themselves; the
//   coefficients of areas by 16 u m_x m_y, those of the volume by 2^-46 m_x m_y m_z, each halving adding 2 u of the
//   greatest coefficient, which 4 m_x m_y and 8 m_x m_y m_z bound. Sizes are such that nothing underflows.
// Based on: [Tang, Tong, Wang, Manocha, Fast and Exact Continuous Collision Detection with Bernstein Sign Classification, TOG
//   2014]. We differ: projected areas in place of the volumes of vertex and edges, and what is in doubt is decided by integers.
#include "ccd_filter.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

enum { MOST_DEPTH = 6, AXES = 3 };

#define UNIT 0x1p-53

typedef struct Corners {
    int count;
    double at[2][AXES][CCD_CORNERS];
    double size[AXES];
} Corners;

// A piece of time, from t0 to t0 + 2^-depth.
typedef struct Piece {
    double t0;
    int depth;
    double volume[4];
    double areas[CCD_CORNERS][3]; // seen along one axis
    double volumeError, areaError;
} Piece;

static void makeCorners(const CcdPolygon* polygon, Corners* corners) {
    corners->count = polygon->cornerCount;
    for (int axis = 0; axis < AXES; ++axis) {
        double size = 0;
        for (int end = 0; end < 2; ++end)
            for (int k = 0; k < corners->count; ++k) {
                const double value =
                    polygon->points[end][polygon->first[k]][axis] - polygon->points[end][polygon->second[k]][axis];
                corners->at[end][axis][k] = value;
                size = fmax(size, fabs(value));
            }
        corners->size[axis] = size;
    }
}

// Whether all are beyond a bound, on one side: 1 or -1; else 0.
static int signOfAll(const double* values, int count, double bound) {
    double least = values[0], most = values[0];
    for (int i = 1; i < count; ++i) {
        least = fmin(least, values[i]);
        most = fmax(most, values[i]);
    }
    return least > bound ? 1 : most < -bound ? -1 : 0;
}

static bool isBoxAway(const Corners* corners) {
    for (int axis = 0; axis < AXES; ++axis) {
        const int sign = signOfAll(corners->at[0][axis], corners->count, 0);
        if (sign != 0 && sign == signOfAll(corners->at[1][axis], corners->count, 0))
            return true;
    }
    return false;
}

static void makeArea(const Corners* corners, int i, int j, int axis, double area[3]) {
    const int u = (axis + 1) % AXES, v = (axis + 2) % AXES;
    const double(*a)[CCD_CORNERS] = corners->at[0];
    const double(*b)[CCD_CORNERS] = corners->at[1];
    area[0] = a[u][i] * a[v][j] - a[v][i] * a[u][j];
    area[1] = 0.5 * ((a[u][i] * b[v][j] - b[v][i] * a[u][j]) + (b[u][i] * a[v][j] - a[v][i] * b[u][j]));
    area[2] = b[u][i] * b[v][j] - b[v][i] * b[u][j];
}

static void makeVolume(const Corners* corners, Piece* piece) {
    double sums[4] = {0, 0, 0, 0};
    const int last = corners->count - 1;
    for (int axis = 0; axis < AXES; ++axis) {
        double area[3];
        const double a = corners->at[0][axis][last], b = corners->at[1][axis][last];
        makeArea(corners, 0, 1, axis, area);
        sums[0] += area[0] * a;
        sums[1] += area[0] * b + 2 * area[1] * a;
        sums[2] += 2 * area[1] * b + area[2] * a;
        sums[3] += area[2] * b;
    }
    piece->volume[0] = sums[0];
    piece->volume[1] = sums[1] / 3;
    piece->volume[2] = sums[2] / 3;
    piece->volume[3] = sums[3];
    piece->volumeError = 0x1p-46 * corners->size[0] * corners->size[1] * corners->size[2];
}

static void makeAreas(const Corners* corners, int axis, Piece* piece) {
    for (int k = 0; k < corners->count; ++k)
        makeArea(corners, k, (k + 1) % corners->count, axis, piece->areas[k]);
    piece->areaError = 16 * UNIT * corners->size[(axis + 1) % AXES] * corners->size[(axis + 2) % AXES];
}

// Whether the mean of all corners has all of them before it.
static bool isDirectionAway(const Corners* corners) {
    double mean[AXES], bound = 0;
    for (int axis = 0; axis < AXES; ++axis) {
        double sum = 0;
        for (int k = 0; k < corners->count; ++k)
            sum += corners->at[0][axis][k] + corners->at[1][axis][k];
        mean[axis] = sum;
        bound += fabs(sum) * corners->size[axis];
    }
    bound *= 8 * UNIT;
    for (int end = 0; end < 2; ++end)
        for (int k = 0; k < corners->count; ++k) {
            const double along = mean[0] * corners->at[end][0][k] + mean[1] * corners->at[end][1][k] +
                                 mean[2] * corners->at[end][2][k];
            if (!(along > bound))
                return false;
        }
    return true;
}

// Of the three sides to look along, that along which the polygon is largest, in the middle of the time.
static int widestAxis(const Corners* corners) {
    double best = -1;
    int widest = 0;
    for (int axis = 0; axis < AXES; ++axis) {
        const int u = (axis + 1) % AXES, v = (axis + 2) % AXES, last = corners->count - 1;
        double sides[2][2];
        for (int s = 0; s < 2; ++s)
            for (int c = 0; c < 2; ++c) {
                const int along = c == 0 ? u : v, corner = s == 0 ? 1 : last;
                sides[s][c] = (corners->at[0][along][corner] + corners->at[1][along][corner]) -
                              (corners->at[0][along][0] + corners->at[1][along][0]);
            }
        const double area = fabs(sides[0][0] * sides[1][1] - sides[0][1] * sides[1][0]);
        if (area > best)
            best = area, widest = axis;
    }
    return widest;
}

static void halve(const double* from, int degree, double* left, double* right) {
    double row[4];
    for (int i = 0; i <= degree; ++i)
        row[i] = from[i];
    for (int step = 0; step <= degree; ++step) {
        left[step] = row[0];
        right[degree - step] = row[degree - step];
        for (int i = 0; i < degree - step; ++i)
            row[i] = 0.5 * (row[i] + row[i + 1]);
    }
}

static double greatest(const double* values, int count) {
    double most = 0;
    for (int i = 0; i < count; ++i)
        most = fmax(most, fabs(values[i]));
    return most;
}

static void halveVolume(const Piece* piece, Piece halves[2]) {
    halve(piece->volume, 3, halves[0].volume, halves[1].volume);
    for (int h = 0; h < 2; ++h) {
        halves[h].volumeError = piece->volumeError + 4 * UNIT * greatest(piece->volume, 4);
        halves[h].depth = piece->depth + 1;
        halves[h].t0 = piece->t0 + h * ldexp(1, -halves[h].depth);
    }
}

static void halvePiece(const Piece* piece, int count, Piece halves[2]) {
    double most = 0;
    halveVolume(piece, halves);
    for (int k = 0; k < count; ++k) {
        halve(piece->areas[k], 2, halves[0].areas[k], halves[1].areas[k]);
        most = fmax(most, greatest(piece->areas[k], 3));
    }
    halves[0].areaError = halves[1].areaError = piece->areaError + 4 * UNIT * most;
}

static bool changesSign(const Piece* piece) {
    const double first = piece->volume[0], last = piece->volume[3], error = piece->volumeError;
    return (first > error && last < -error) || (first < -error && last > error);
}

// The areas agree throughout a piece in which the volume changes its sign: they touch wherever that is zero. Halves it until it
// is a step long; false where it is in doubt which half is the first with a zero.
static bool narrow(Piece piece, int depth, CcdSpan* span) {
    while (piece.depth < depth) {
        Piece halves[2];
        halveVolume(&piece, halves);
        if (signOfAll(halves[0].volume, 4, halves[0].volumeError) != 0)
            piece = halves[1];
        else if (changesSign(&halves[0]))
            piece = halves[0];
        else
            return false;
    }
    const double first = floor(ldexp(piece.t0, depth));
    *span = (CcdSpan){ldexp(first, -depth), ldexp(first + 1, -depth)};
    return true;
}

static CcdVerdict decidePiece(const Piece* piece, int count) {
    if (signOfAll(piece->volume, 4, piece->volumeError) != 0)
        return ccd_apart;
    int signs = 0;
    bool areSure = true;
    for (int k = 0; k < count; ++k) {
        const int sign = signOfAll(piece->areas[k], 3, piece->areaError);
        signs |= sign > 0 ? 1 : sign < 0 ? 2 : 0;
        areSure = areSure && sign != 0;
    }
    if (signs == 3)
        return ccd_apart;
    return areSure && changesSign(piece) ? ccd_touch : ccd_unknown;
}

// What is asked, of one polygon.
typedef struct Asking {
    int cornerCount, depth;
    CcdSpan* span; // NULL: not when
} Asking;

// In the order of time; with a time asked for, doubt about a piece is doubt about all that follow.
// As deep as MOST_DEPTH.
static CcdVerdict decide(const Piece* piece, const Asking* asking) {
    CcdVerdict verdict = decidePiece(piece, asking->cornerCount);
    if (verdict == ccd_touch && asking->span != NULL && !narrow(*piece, asking->depth, asking->span))
        return ccd_unknown;
    if (verdict != ccd_unknown || piece->depth == MOST_DEPTH || greatest(piece->volume, 4) <= piece->volumeError)
        return verdict;
    Piece halves[2];
    halvePiece(piece, asking->cornerCount, halves);
    const CcdVerdict first = decide(&halves[0], asking);
    if (first == ccd_touch || (first == ccd_unknown && asking->span != NULL))
        return first;
    verdict = decide(&halves[1], asking);
    return verdict == ccd_touch ? ccd_touch : first == ccd_unknown ? ccd_unknown : verdict;
}

// Whether nothing that the filter computes over- or underflows, but for what is 0.
static bool isTame(const Corners* corners) {
    double least = (double)INFINITY, most = 0;
    for (int axis = 0; axis < AXES; ++axis) {
        least = fmin(least, corners->size[axis]);
        most = fmax(most, corners->size[axis]);
    }
    return least > 0x1p-200 && most < 0x1p200;
}

CcdVerdict grzCcdFilter_Decide(const CcdPolygon* polygon, int depth, CcdSpan* span, grzCcdStage* stage) {
    Corners corners;
    Piece piece = {.t0 = 0, .depth = 0};
    makeCorners(polygon, &corners);
    *stage = grz_ccdBoxes;
    if (isBoxAway(&corners))
        return ccd_apart;
    *stage = grz_ccdIntegers;
    if (!isTame(&corners))
        return ccd_unknown;
    makeVolume(&corners, &piece);
    *stage = grz_ccdVolume;
    if (signOfAll(piece.volume, 4, piece.volumeError) != 0)
        return ccd_apart;
    *stage = grz_ccdDirection;
    if (isDirectionAway(&corners))
        return ccd_apart;
    const Asking asking = {corners.count, depth, span};
    makeAreas(&corners, widestAxis(&corners), &piece);
    const CcdVerdict verdict = decide(&piece, &asking);
    *stage = verdict == ccd_unknown ? grz_ccdIntegers : grz_ccdAreas;
    return verdict;
}
