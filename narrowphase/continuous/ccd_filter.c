// What: ccd_filter.h.
// Idea: the volume and the areas of ccd_exact.c as Bernstein polynomials: where all coefficients have one sign, so does the
//   polynomial from 0 to 1. Each coefficient is off by less than a bound; one that is beyond it has its sign for certain.
//
//   no hit   the volume has one sign; or some direction has all corners before it at both ends; or, seen along an axis, one
//            area is positive and another one negative, at all times
//   hit      seen along an axis all areas have one sign at all times, and the volume has different ones at the ends
//
//   What is not decided in the whole time is cut where the volume turns, and around its root in each piece. Turns and roots are found
//   about, by Newton's steps; they prove nothing, but tell where to cut.
//
//   lo -------- l [root] h -------- hi    one sign before l and after h: no hit there;
//                                         between l and h the areas tell
//
// Holds, with u = 2^-53 and m_x the greatest size of a corner's x at either end, rounded: corners are off by u of themselves; the
//   coefficients of areas by 16 u m_x m_y, those of the volume by 2^-46 m_x m_y m_z; cut out of the whole time, by twice that.
//   Sizes are such that nothing underflows. Pieces share their ends as the same numbers.
// Based on: [Tang, Tong, Wang, Manocha, Fast and Exact Continuous Collision Detection with Bernstein Sign Classification, TOG
//   2014]. We differ: projected areas in place of the volumes of vertex and edges, and what is in doubt is decided by integers.
#include "ccd_filter.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

enum { AXES = 3, MOST_STEPS = 12 };

#define UNIT 0x1p-53

typedef struct Corners {
    int count;
    double at[2][AXES][CCD_CORNERS];
    double size[AXES];
} Corners;

// Bernstein polynomials over the whole time.
typedef struct Course {
    int cornerCount;
    double volume[4], power[4];   // power: of the volume, power[0] + power[1] t + ..., about
    double areas[CCD_CORNERS][3]; // seen along one axis
    double volumeError, areaError;
} Course;

static double least(double a, double b) {
    return a < b ? a : b;
}

static double greatest(double a, double b) {
    return a > b ? a : b;
}

static void makeCorners(const CcdPolygon* polygon, Corners* corners) {
    corners->count = polygon->cornerCount;
    for (int axis = 0; axis < AXES; ++axis)
        corners->size[axis] = 0;
    for (int end = 0; end < 2; ++end)
        for (int k = 0; k < corners->count; ++k) {
            const double* first = polygon->points[end][polygon->first[k]];
            const double* second = polygon->points[end][polygon->second[k]];
            for (int axis = 0; axis < AXES; ++axis) {
                const double value = first[axis] - second[axis];
                corners->at[end][axis][k] = value;
                corners->size[axis] = greatest(corners->size[axis], fabs(value));
            }
        }
}

// Whether all are beyond a bound, on one side: 1 or -1; else 0.
static int signOfAll(const double* values, int count, double bound) {
    double lowest = values[0], highest = values[0];
    for (int i = 1; i < count; ++i) {
        lowest = least(lowest, values[i]);
        highest = greatest(highest, values[i]);
    }
    return lowest > bound ? 1 : highest < -bound ? -1 : 0;
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

static void makeVolume(const Corners* corners, Course* course) {
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
    course->volume[0] = sums[0];
    course->volume[1] = sums[1] / 3;
    course->volume[2] = sums[2] / 3;
    course->volume[3] = sums[3];
    course->volumeError = 0x1p-46 * corners->size[0] * corners->size[1] * corners->size[2];
}

static void makeAreas(const Corners* corners, int axis, Course* course) {
    for (int k = 0; k < corners->count; ++k)
        makeArea(corners, k, (k + 1) % corners->count, axis, course->areas[k]);
    course->areaError = 16 * UNIT * corners->size[(axis + 1) % AXES] * corners->size[(axis + 2) % AXES];
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
    bound = greatest(8 * UNIT * bound, 0x1p-900); // the mean may be so small that products underflow
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

// ---- cutting ----

static double between(double a, double b, double t) {
    return (1 - t) * a + t * b;
}

// Coefficients over [l, h].
static void cutCubic(const double c[4], double l, double h, double piece[4]) {
    const double l0 = between(c[0], c[1], l), l1 = between(c[1], c[2], l), l2 = between(c[2], c[3], l);
    const double h0 = between(c[0], c[1], h), h1 = between(c[1], c[2], h), h2 = between(c[2], c[3], h);
    const double ll0 = between(l0, l1, l), ll1 = between(l1, l2, l);
    const double lh0 = between(l0, l1, h), lh1 = between(l1, l2, h);
    piece[0] = between(ll0, ll1, l);
    piece[1] = between(ll0, ll1, h);
    piece[2] = between(lh0, lh1, h);
    piece[3] = between(between(h0, h1, h), between(h1, h2, h), h);
}

static void cutQuadratic(const double c[3], double l, double h, double piece[3]) {
    const double l0 = between(c[0], c[1], l), l1 = between(c[1], c[2], l);
    piece[0] = between(l0, l1, l);
    piece[1] = between(l0, l1, h);
    piece[2] = between(between(c[0], c[1], h), between(c[1], c[2], h), h);
}

static void makePower(Course* course) {
    const double* c = course->volume;
    course->power[0] = c[0];
    course->power[1] = 3 * (c[1] - c[0]);
    course->power[2] = 3 * ((c[2] - c[1]) - (c[1] - c[0]));
    course->power[3] = (c[3] - c[0]) - 3 * (c[2] - c[1]);
}

static double valueAt(const double p[4], double t) {
    return ((p[3] * t + p[2]) * t + p[1]) * t + p[0];
}

static double slopeAt(const double p[4], double t) {
    return (3 * p[3] * t + 2 * p[2]) * t + p[1];
}

// Times in ]0, 1[ where the volume turns, about, ascending. Returns how many.
static int findTurns(const double p[4], double turns[2]) {
    const double a = 3 * p[3], b = p[2], d = b * b - a * p[1];
    int count = 0;
    if (!(d > 0))
        return 0;
    const double q = -(b + copysign(sqrt(d), b)), first = q / a, second = p[1] / q;
    const double times[2] = {least(first, second), greatest(first, second)};
    for (int i = 0; i < 2; ++i)
        if (times[i] > 0 && times[i] < 1)
            turns[count++] = times[i];
    return count;
}

typedef struct Guess {
    double at, step; // about; how far the last step went
} Guess;

// The root in [lo, hi], between which the volume does not turn: by Newton's steps, but halves where they lead out of what is
// known to hold it.
static Guess guessRoot(const double p[4], double lo, double hi) {
    const bool isRising = valueAt(p, lo) < valueAt(p, hi);
    Guess guess = {0.5 * (lo + hi), hi - lo};
    for (int i = 0; i < MOST_STEPS && guess.step > 0x1p-50; ++i) {
        const double value = valueAt(p, guess.at), next = guess.at - value / slopeAt(p, guess.at);
        if ((value > 0) == isRising)
            hi = guess.at;
        else
            lo = guess.at;
        const double better = next >= lo && next <= hi ? next : 0.5 * (lo + hi);
        guess.step = fabs(better - guess.at);
        guess.at = better;
    }
    return guess;
}

// ---- verdicts ----

// What is asked of one polygon.
typedef struct Asking {
    int depth;
    CcdSpan* span; // NULL: not when
} Asking;

// What areas over a piece of time say.
typedef enum AreaSigns {
    areasInDoubt,
    areasDiffer, // two of them
    areasAgree,  // all
} AreaSigns;

static AreaSigns compareAreas(double areas[CCD_CORNERS][3], int count, double error) {
    int signs = 0;
    bool areSure = true;
    for (int k = 0; k < count; ++k) {
        const int sign = signOfAll(areas[k], 3, error);
        signs |= sign > 0 ? 1 : sign < 0 ? 2 : 0;
        areSure = areSure && sign != 0;
    }
    return signs == 3 ? areasDiffer : areSure ? areasAgree : areasInDoubt;
}

static bool changesSign(const double volume[4], double error) {
    return (volume[0] > error && volume[3] < -error) || (volume[0] < -error && volume[3] > error);
}

static bool hasOneSign(const Course* course, double l, double h) {
    double piece[4];
    cutCubic(course->volume, l, h, piece);
    return signOfAll(piece, 4, 2 * course->volumeError) != 0;
}

// They touch at the zeros of the volume in [l, h], near one of which `root` is. In which step they do first, from lo on; false
// where that is in doubt.
static bool narrow(const Course* course, double lo, double l, double h, double root, const Asking* asking) {
    const double first = floor(ldexp(root, asking->depth));
    *asking->span = (CcdSpan){ldexp(first, -asking->depth), ldexp(first + 1, -asking->depth)};
    double piece[4];
    cutCubic(course->volume, greatest(l, asking->span->t0), least(h, asking->span->t1), piece);
    return changesSign(piece, 2 * course->volumeError) &&
           (asking->span->t0 <= lo || hasOneSign(course, lo, asking->span->t0));
}

// Of a piece of time in which the volume does not turn. With a time asked for, nothing touches before lo.
static CcdVerdict decideBetween(const Course* course, double lo, double hi, const Asking* asking) {
    if (hasOneSign(course, lo, hi))
        return ccd_apart;
    const double error = 2 * course->volumeError;
    const Guess guess = guessRoot(course->power, lo, hi);
    const double blur = 4 * error / fabs(slopeAt(course->power, guess.at));
    const double reach = 0x1p-30 + (blur + guess.step < 0x1p-4 ? blur + guess.step : 0x1p-4);
    const double l = greatest(guess.at - reach, lo), h = least(guess.at + reach, hi);
    double within[4], areas[CCD_CORNERS][3];
    cutCubic(course->volume, l, h, within);
    for (int k = 0; k < course->cornerCount; ++k)
        cutQuadratic(course->areas[k], l, h, areas[k]);
    const AreaSigns signs = compareAreas(areas, course->cornerCount, 2 * course->areaError);
    if (signs == areasAgree && changesSign(within, error))
        return asking->span == NULL || narrow(course, lo, l, h, guess.at, asking) ? ccd_touch : ccd_unknown;
    const bool isClear = (l <= lo || hasOneSign(course, lo, l)) && (h >= hi || hasOneSign(course, h, hi));
    return isClear && (signs == areasDiffer || signOfAll(within, 4, error) != 0) ? ccd_apart : ccd_unknown;
}

// Piece by piece, in the order of time; with a time asked for, doubt about a piece is doubt about all that follow.
static CcdVerdict decidePieces(Course* course, const Asking* asking) {
    double ends[4] = {0};
    makePower(course);
    int count = findTurns(course->power, ends + 1);
    CcdVerdict all = ccd_apart;
    ends[++count] = 1;
    for (int i = 0; i < count; ++i) {
        const CcdVerdict verdict = decideBetween(course, ends[i], ends[i + 1], asking);
        if (verdict == ccd_touch || (verdict == ccd_unknown && asking->span != NULL))
            return verdict;
        all = verdict == ccd_unknown ? ccd_unknown : all;
    }
    return all;
}

static CcdVerdict decide(Course* course, const Asking* asking) {
    const AreaSigns signs = compareAreas(course->areas, course->cornerCount, course->areaError);
    if (signs == areasDiffer)
        return ccd_apart;
    if (signs == areasAgree && asking->span == NULL && changesSign(course->volume, course->volumeError))
        return ccd_touch;
    return decidePieces(course, asking);
}

// Whether nothing that the filter computes over- or underflows, but for what is 0.
static bool isTame(const Corners* corners) {
    double lowest = (double)INFINITY, highest = 0;
    for (int axis = 0; axis < AXES; ++axis) {
        lowest = least(lowest, corners->size[axis]);
        highest = greatest(highest, corners->size[axis]);
    }
    return lowest > 0x1p-200 && highest < 0x1p200;
}

CcdVerdict grzCcdFilter_Decide(const CcdPolygon* polygon, int depth, CcdSpan* span, grzCcdStage* stage) {
    Corners corners;
    Course course = {.cornerCount = polygon->cornerCount};
    makeCorners(polygon, &corners);
    *stage = grz_ccdBoxes;
    if (isBoxAway(&corners))
        return ccd_apart;
    *stage = grz_ccdIntegers;
    if (!isTame(&corners))
        return ccd_unknown;
    makeVolume(&corners, &course);
    *stage = grz_ccdVolume;
    if (signOfAll(course.volume, 4, course.volumeError) != 0)
        return ccd_apart;
    *stage = grz_ccdDirection;
    if (isDirectionAway(&corners))
        return ccd_apart;
    const Asking asking = {depth, span};
    makeAreas(&corners, widestAxis(&corners), &course);
    const CcdVerdict verdict = decide(&course, &asking);
    *stage = verdict == ccd_unknown ? grz_ccdIntegers : grz_ccdAreas;
    return verdict;
}

CcdVerdict grzCcdFilter_Time(const CcdPolygon* polygon, int depth, CcdSpan* span) {
    Corners corners;
    Course course = {.cornerCount = polygon->cornerCount};
    makeCorners(polygon, &corners);
    if (!isTame(&corners))
        return ccd_unknown;
    const Asking asking = {depth, span};
    makeVolume(&corners, &course);
    makeAreas(&corners, widestAxis(&corners), &course);
    return decidePieces(&course, &asking);
}
