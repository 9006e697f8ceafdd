// What: ccd_cases.h.
#include "ccd_cases.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

const char* const ccdClassNames[ccd_classCount] = {"anywhere",   "few places",        "more places",  "1e-30",
                                                   "1e30",       "offset 1e6",        "last bits",    "subnormal",
                                                   "any scales", "near touching",     "in one plane", "parallel",
                                                   "slivers",    "no length or area", "half turns",   "screws"};

// ---- numbers ----

static double lattice(grzRng* rng, uint32_t reach) {
    return (double)grzRng_Below(rng, 2 * reach + 1) - (double)reach;
}

static double anyNumber(grzRng* rng) {
    return 2 * grzRng_Double(rng) - 1;
}

static double numberOf(grzRng* rng, CcdClass of) {
    switch ((int)of) {
    case ccd_fewPlaces:
        return lattice(rng, 2);
    case ccd_morePlaces:
        return lattice(rng, 5);
    case ccd_tiny:
        return lattice(rng, 2) * 1e-30;
    case ccd_huge:
        return lattice(rng, 2) * 1e30 + lattice(rng, 1);
    case ccd_far:
        return 1e6 + lattice(rng, 2) * 0.125;
    case ccd_lastBits:
        return lattice(rng, 2) * (1 + lattice(rng, 1) * 0x1p-52);
    case ccd_subnormal:
        return lattice(rng, 3) * DBL_TRUE_MIN;
    default:
        return anyNumber(rng);
    }
}

static void fill(grzRng* rng, CcdClass of, grzCcdQuery* query) {
    for (int i = 0; i < 24; ++i)
        query->points[i / 12][i / 3 % 4][i % 3] = numberOf(rng, of);
}

// Anything, or a lattice.
static void fillEither(grzRng* rng, grzCcdQuery* query) {
    fill(rng, grzRng_Below(rng, 2) != 0 ? ccd_anywhere : ccd_morePlaces, query);
}

static void fillScales(grzRng* rng, grzCcdQuery* query) {
    for (int p = 0; p < 4; ++p) {
        const double scale = pow(10, 60 * grzRng_Double(rng) - 30);
        for (int end = 0; end < 2; ++end)
            for (int axis = 0; axis < 3; ++axis)
                query->points[end][p][axis] = scale * lattice(rng, 4);
    }
}

double ccdNudge(grzRng* rng, double x) {
    return x == 0 ? x : nextafter(x, grzRng_Below(rng, 2) != 0 ? 1e300 : -1e300);
}

// ---- geometry ----

static void mix(double out[3], const double a[3], double s, const double b[3]) {
    for (int axis = 0; axis < 3; ++axis)
        out[axis] = (1 - s) * a[axis] + s * b[axis];
}

static double weight(grzRng* rng) { // often an end
    const uint32_t turn = grzRng_Below(rng, 6);
    return turn == 0 ? 0 : turn == 1 ? 1 : turn == 2 ? 0.5 : grzRng_Double(rng);
}

// Moves the last point at the end, or at both, so that at a time the features have a point in common but for rounding.
static void makeTouch(grzRng* rng, grzCcdQuery* query) {
    double at[4][3], goal[3], on[3];
    const double time = grzRng_Below(rng, 4) == 0 ? 1 : 0.1 + 0.9 * grzRng_Double(rng), s = weight(rng),
                 r = weight(rng);
    for (int p = 0; p < 4; ++p)
        mix(at[p], query->points[0][p], time, query->points[1][p]);
    const int moved = query->kind == grz_ccdVertexFace ? 0 : 3;
    if (query->kind == grz_ccdVertexFace) {
        mix(on, at[1], s, at[2]);
        mix(goal, on, r, at[3]);
    } else { // b1 so that b0 + x (b1 - b0) is on a
        const double x = r > 0.05 ? r : 0.5;
        mix(on, at[0], s, at[1]);
        for (int axis = 0; axis < 3; ++axis)
            goal[axis] = at[2][axis] + (on[axis] - at[2][axis]) / x;
    }
    for (int axis = 0; axis < 3; ++axis) {
        double* end = &query->points[1][moved][axis];
        *end = query->points[0][moved][axis] + (goal[axis] - query->points[0][moved][axis]) / time;
        for (uint32_t bits = grzRng_Below(rng, 3); bits > 0; --bits)
            *end = ccdNudge(rng, *end);
    }
}

// z = (i x + j y) / 4, exactly so for numbers of few bits.
static void flatten(grzRng* rng, grzCcdQuery* query) {
    const double i = lattice(rng, 3) / 4, j = lattice(rng, 3) / 4;
    const int axis = (int)grzRng_Below(rng, 3);
    for (int k = 0; k < 8; ++k) {
        double* p = query->points[k / 4][k % 4];
        p[(axis + 1) % 3] = (double)(float)p[(axis + 1) % 3];
        p[(axis + 2) % 3] = (double)(float)p[(axis + 2) % 3];
        p[axis] = i * p[(axis + 1) % 3] + j * p[(axis + 2) % 3];
    }
}

static void makeParallel(grzRng* rng, grzCcdQuery* query) {
    const double factor = lattice(rng, 2) / 2;
    const uint32_t ends = 1 + grzRng_Below(rng, 3);
    for (int end = 0; end < 2; ++end)
        for (int axis = 0; axis < 3 && (ends >> end & 1) != 0; ++axis) {
            double(*p)[3] = query->points[end];
            for (int k = 0; k < 4; ++k)
                p[k][axis] = (double)(float)p[k][axis];
            p[3][axis] = p[2][axis] + factor * (p[1][axis] - p[0][axis]);
        }
}

static void makeSliver(grzRng* rng, grzCcdQuery* query) {
    const double s = weight(rng), width = ldexp(1, -(int)(10 + grzRng_Below(rng, 45)));
    for (int end = 0; end < 2; ++end) {
        mix(query->points[end][3], query->points[end][1], s, query->points[end][2]);
        for (int axis = 0; axis < 3; ++axis)
            query->points[end][3][axis] += width * anyNumber(rng);
    }
    if (query->kind == grz_ccdEdgeEdge)
        for (int axis = 0; axis < 3; ++axis) // nearly parallel
            query->points[0][3][axis] = query->points[0][2][axis] + query->points[0][1][axis] -
                                        query->points[0][0][axis] + width * anyNumber(rng);
}

static void collapse(grzRng* rng, grzCcdQuery* query) {
    const uint32_t ends = 1 + grzRng_Below(rng, 3);
    const double s = grzRng_Below(rng, 2) != 0 ? 0 : lattice(rng, 4) / 2;
    for (int end = 0; end < 2; ++end)
        if ((ends >> end & 1) != 0)
            for (int axis = 0; axis < 3; ++axis) {
                double(*p)[3] = query->points[end];
                p[3][axis] = query->kind == grz_ccdEdgeEdge && s == 0 ? p[2][axis]
                                                                      : p[1][axis] + s * (p[2][axis] - p[1][axis]);
            }
}

// Of some points, about the z axis through `center`.
static void turnPoint(const double from[3], double angle, double rise, double to[3]) {
    const double c = cos(angle), s = sin(angle);
    to[0] = c * from[0] - s * from[1];
    to[1] = s * from[0] + c * from[1];
    to[2] = from[2] + rise;
}

static void turnHalf(grzRng* rng, grzCcdQuery* query) {
    const uint32_t which = 1 + grzRng_Below(rng, 15);
    const double rise = grzRng_Below(rng, 2) != 0 ? 0 : lattice(rng, 3);
    for (int p = 0; p < 4; ++p)
        if ((which >> p & 1) != 0) {
            query->points[1][p][0] = -query->points[0][p][0];
            query->points[1][p][1] = -query->points[0][p][1];
            query->points[1][p][2] = query->points[0][p][2] + rise;
        }
}

static void turnScrew(grzRng* rng, grzCcdQuery* query) {
    const int split = query->kind == grz_ccdVertexFace ? 1 : 2;
    const double angle = 7 * anyNumber(rng), rise = lattice(rng, 2);
    for (int p = 0; p < 4; ++p)
        if (p < split)
            turnPoint(query->points[0][p], angle, rise, query->points[1][p]);
        else
            memcpy(query->points[1][p], query->points[0][p], sizeof query->points[1][p]);
}

// Points that coincide, rest, mirror each other in time, or lie in a plane.
static void spoil(grzRng* rng, grzCcdQuery* query) {
    const uint32_t p = grzRng_Below(rng, 4), r = grzRng_Below(rng, 4), end = grzRng_Below(rng, 2);
    const uint32_t turn = grzRng_Below(rng, 12);
    if (turn == 0)
        memcpy(query->points[end][p], query->points[end][r], sizeof query->points[end][p]);
    else if (turn == 1)
        memcpy(query->points[1], query->points[0], sizeof query->points[1]);
    else if (turn == 2)
        for (int e = 0; e < 2; ++e)
            memcpy(query->points[e][p], query->points[e][r], sizeof query->points[e][p]);
    else if (turn == 3 || turn == 4)
        for (int i = 0; i < 8; ++i)
            query->points[i / 4][i % 4][turn - 3] = turn == 3 ? 0 : query->points[0][0][1];
}

grzCcdQuery ccdCase(grzRng* rng, CcdClass of) {
    grzCcdQuery query;
    query.kind = (grzCcdKind)grzRng_Below(rng, 2);
    if (of == ccd_anyScales)
        fillScales(rng, &query);
    else if (of < ccd_anyScales)
        fill(rng, of, &query);
    else
        fillEither(rng, &query);
    const bool isFloat = grzRng_Below(rng, 2) != 0 && of != ccd_subnormal;
    if (isFloat)
        for (int i = 0; i < 24; ++i)
            query.points[i / 12][i / 3 % 4][i % 3] = (double)(float)query.points[i / 12][i / 3 % 4][i % 3];
    spoil(rng, &query);
    if (of == ccd_nearTouching)
        makeTouch(rng, &query);
    else if (of == ccd_inPlane)
        flatten(rng, &query);
    else if (of == ccd_parallelEdges)
        makeParallel(rng, &query);
    else if (of == ccd_slivers)
        makeSliver(rng, &query);
    else if (of == ccd_zeroLength)
        collapse(rng, &query);
    else if (of == ccd_halfTurn)
        turnHalf(rng, &query);
    else if (of == ccd_screws)
        turnScrew(rng, &query);
    if (isFloat && of != ccd_inPlane)
        for (int i = 0; i < 24; ++i)
            query.points[i / 12][i / 3 % 4][i % 3] = (double)(float)query.points[i / 12][i / 3 % 4][i % 3];
    return query;
}

// ---- by other names ----

static void swapPoints(grzCcdQuery* query, int i, int j) {
    for (int end = 0; end < 2; ++end) {
        double kept[3];
        memcpy(kept, query->points[end][i], sizeof kept);
        memcpy(query->points[end][i], query->points[end][j], sizeof kept);
        memcpy(query->points[end][j], kept, sizeof kept);
    }
}

grzCcdQuery ccdVariant(grzRng* rng, const grzCcdQuery* query, bool* isReversed) {
    grzCcdQuery other = *query;
    const uint32_t how = grzRng_Next(rng) >> 16;
    if ((how & 1) != 0)
        swapPoints(&other, 2, 3);
    if ((how & 2) != 0 && query->kind == grz_ccdVertexFace)
        swapPoints(&other, 1, 2);
    if ((how & 4) != 0 && query->kind == grz_ccdVertexFace)
        swapPoints(&other, 1, 3);
    if ((how & 2) != 0 && query->kind == grz_ccdEdgeEdge)
        swapPoints(&other, 0, 1);
    if ((how & 4) != 0 && query->kind == grz_ccdEdgeEdge) {
        swapPoints(&other, 0, 2);
        swapPoints(&other, 1, 3);
    }
    for (int i = 0; i < 24; ++i) // mirrored
        if ((how >> (3 + i % 3) & 1) != 0)
            other.points[i / 12][i / 3 % 4][i % 3] *= -1;
    for (int i = 0; i < 8 && (how & 64) != 0; ++i) { // another order of the axes
        double* p = other.points[i / 4][i % 4];
        const double x = p[0];
        p[0] = p[1], p[1] = p[2], p[2] = x;
    }
    *isReversed = (how & 128) != 0;
    if (*isReversed) {
        double kept[4][3];
        memcpy(kept, other.points[0], sizeof kept);
        memcpy(other.points[0], other.points[1], sizeof kept);
        memcpy(other.points[1], kept, sizeof kept);
    }
    return other;
}

int ccdBits(const grzCcdQuery* query) {
    int most = 0;
    for (int axis = 0; axis < 3; ++axis) {
        int lowest = 5000, highest = -5000;
        for (int i = 0; i < 8; ++i) {
            int exponent;
            const double value = fabs(query->points[i / 4][i % 4][axis]);
            if (value == 0)
                continue;
            uint64_t bits = (uint64_t)ldexp(frexp(value, &exponent), 53);
            highest = exponent > highest ? exponent : highest;
            exponent -= 53;
            for (; (bits & 1) == 0; bits >>= 1)
                ++exponent;
            lowest = exponent < lowest ? exponent : lowest;
        }
        most = highest - lowest > most ? highest - lowest : most;
    }
    return most;
}

void ccdPrint(const grzCcdQuery* query) {
    printf("    {(grzCcdKind)%d, {{", (int)query->kind);
    for (int i = 0; i < 24; ++i)
        printf("%s%a%s", i % 3 == 0 ? "{" : "", query->points[i / 12][i / 3 % 4][i % 3],
               i == 23      ? "}}}}\n"
               : i == 11    ? "}}, {"
               : i % 3 == 2 ? "}, "
                            : ", ");
    fflush(stdout); // before somebody aborts
}
