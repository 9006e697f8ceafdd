// The clipping of tri_oracle.h.
#include "tri_oracle.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

// ---- memory ----

static void makePoint(OraclePoint* point) {
    for (int axis = 0; axis < 3; ++axis)
        mpq_init(point->at[axis]);
}

static void releasePoint(OraclePoint* point) {
    for (int axis = 0; axis < 3; ++axis)
        mpq_clear(point->at[axis]);
}

static void copyPoint(OraclePoint* to, const OraclePoint* from) {
    for (int axis = 0; axis < 3; ++axis)
        mpq_set(to->at[axis], from->at[axis]);
}

void Oracle_Make(Oracle* oracle) {
    for (int i = 0; i < ORACLE_POINTS; ++i) {
        makePoint(&oracle->points[i]);
        makePoint(&oracle->spare[i]);
        mpq_init(oracle->sides[i]);
    }
    for (int i = 0; i < 6; ++i)
        makePoint(&oracle->corners[i]);
    makePoint(&oracle->normal);
    mpq_inits(oracle->offset, oracle->t, oracle->u, oracle->v, NULL);
}

void Oracle_Release(Oracle* oracle) {
    for (int i = 0; i < ORACLE_POINTS; ++i) {
        releasePoint(&oracle->points[i]);
        releasePoint(&oracle->spare[i]);
        mpq_clear(oracle->sides[i]);
    }
    for (int i = 0; i < 6; ++i)
        releasePoint(&oracle->corners[i]);
    releasePoint(&oracle->normal);
    mpq_clears(oracle->offset, oracle->t, oracle->u, oracle->v, NULL);
}

// ---- vectors ----

static bool isEqual(const OraclePoint* p, const OraclePoint* q) {
    return mpq_equal(p->at[0], q->at[0]) && mpq_equal(p->at[1], q->at[1]) && mpq_equal(p->at[2], q->at[2]);
}

static bool isZero(const OraclePoint* p) {
    return mpq_sgn(p->at[0]) == 0 && mpq_sgn(p->at[1]) == 0 && mpq_sgn(p->at[2]) == 0;
}

static void subtract(OraclePoint* to, const OraclePoint* p, const OraclePoint* q) {
    for (int axis = 0; axis < 3; ++axis)
        mpq_sub(to->at[axis], p->at[axis], q->at[axis]);
}

static void cross(Oracle* oracle, OraclePoint* to, const OraclePoint* p, const OraclePoint* q) {
    for (int axis = 0; axis < 3; ++axis) {
        int x = (axis + 1) % 3, y = (axis + 2) % 3;
        mpq_mul(oracle->u, p->at[x], q->at[y]);
        mpq_mul(oracle->v, p->at[y], q->at[x]);
        mpq_sub(to->at[axis], oracle->u, oracle->v);
    }
}

static void dot(Oracle* oracle, mpq_t to, const OraclePoint* p, const OraclePoint* q) {
    mpq_set_ui(to, 0, 1);
    for (int axis = 0; axis < 3; ++axis) {
        mpq_mul(oracle->u, p->at[axis], q->at[axis]);
        mpq_add(to, to, oracle->u);
    }
}

// ---- clipping ----

static void addSpare(Oracle* oracle, int* count, const OraclePoint* point) {
    for (int i = 0; i < *count; ++i)
        if (isEqual(&oracle->spare[i], point))
            return;
    copyPoint(&oracle->spare[(*count)++], point);
}

// Where the segment from point i to point j has normal * x = offset.
static void addCut(Oracle* oracle, int* count, int i, int j) {
    OraclePoint cut;
    makePoint(&cut);
    mpq_sub(oracle->t, oracle->sides[i], oracle->sides[j]);
    mpq_div(oracle->t, oracle->sides[i], oracle->t);
    for (int axis = 0; axis < 3; ++axis) {
        mpq_sub(oracle->u, oracle->points[j].at[axis], oracle->points[i].at[axis]);
        mpq_mul(oracle->u, oracle->u, oracle->t);
        mpq_add(cut.at[axis], oracle->points[i].at[axis], oracle->u);
    }
    addSpare(oracle, count, &cut);
    releasePoint(&cut);
}

// Keeps where normal * x >= offset, or <= with a negative sign.
static void clip(Oracle* oracle, int sign) {
    int count = 0, n = oracle->count;
    for (int i = 0; i < n; ++i) {
        dot(oracle, oracle->t, &oracle->normal, &oracle->points[i]);
        mpq_sub(oracle->sides[i], oracle->t, oracle->offset);
    }
    for (int i = 0; i < n; ++i) {
        int j = (i + 1) % n;
        int here = mpq_sgn(oracle->sides[i]) * sign, there = mpq_sgn(oracle->sides[j]) * sign;
        if (here >= 0)
            addSpare(oracle, &count, &oracle->points[i]);
        if (here * there < 0)
            addCut(oracle, &count, i, j);
    }
    for (int i = 0; i < count; ++i)
        copyPoint(&oracle->points[i], &oracle->spare[i]);
    oracle->count = count;
}

// With the plane of the normal that has the point: both half-spaces, or the one on the normal's side.
static void clipAt(Oracle* oracle, const OraclePoint* point, bool isPlane) {
    dot(oracle, oracle->offset, &oracle->normal, point);
    clip(oracle, 1);
    if (isPlane)
        clip(oracle, -1);
}

static void clipByTriangle(Oracle* oracle, const OraclePoint* corners, const OraclePoint* normal) {
    OraclePoint edge;
    makePoint(&edge);
    copyPoint(&oracle->normal, normal);
    clipAt(oracle, &corners[0], true);
    for (int i = 0; i < 3; ++i) {
        subtract(&edge, &corners[(i + 1) % 3], &corners[i]);
        cross(oracle, &oracle->normal, normal, &edge);
        clipAt(oracle, &corners[i], false);
    }
    releasePoint(&edge);
}

static void setAxis(OraclePoint* to, int axis) {
    for (int i = 0; i < 3; ++i)
        mpq_set_ui(to->at[i], i == axis, 1);
}

// A segment: the line by three planes through it that each have an axis, and the slab between the ends. A point:
// three planes.
static void clipBySegment(Oracle* oracle, const OraclePoint* from, const OraclePoint* to) {
    OraclePoint edge, axisVector;
    makePoint(&edge);
    makePoint(&axisVector);
    subtract(&edge, to, from);
    for (int axis = 0; axis < 3; ++axis) {
        setAxis(&axisVector, axis);
        if (isZero(&edge))
            copyPoint(&oracle->normal, &axisVector);
        else
            cross(oracle, &oracle->normal, &edge, &axisVector);
        clipAt(oracle, from, true);
    }
    copyPoint(&oracle->normal, &edge);
    clipAt(oracle, from, false);
    subtract(&oracle->normal, from, to);
    clipAt(oracle, to, false);
    releasePoint(&edge);
    releasePoint(&axisVector);
}

// Whether the point lies between p and q.
static bool isBetween(Oracle* oracle, const OraclePoint* point, const OraclePoint* p, const OraclePoint* q) {
    OraclePoint a, b, c;
    makePoint(&a);
    makePoint(&b);
    makePoint(&c);
    subtract(&a, p, point);
    subtract(&b, q, point);
    cross(oracle, &c, &a, &b);
    dot(oracle, oracle->t, &a, &b);
    bool result = isZero(&c) && mpq_sgn(oracle->t) < 0;
    releasePoint(&a);
    releasePoint(&b);
    releasePoint(&c);
    return result;
}

static bool isCorner(Oracle* oracle, int point) {
    for (int i = 0; i < oracle->count; ++i)
        for (int j = i + 1; j < oracle->count; ++j)
            if (i != point && j != point &&
                isBetween(oracle, &oracle->points[point], &oracle->points[i], &oracle->points[j]))
                return false;
    return true;
}

static void keepCorners(Oracle* oracle) {
    int count = 0;
    for (int i = 0; i < oracle->count; ++i)
        if (isCorner(oracle, i))
            copyPoint(&oracle->spare[count++], &oracle->points[i]);
    for (int i = 0; i < count; ++i)
        copyPoint(&oracle->points[i], &oracle->spare[i]);
    oracle->count = count;
}

static void normalOf(Oracle* oracle, const OraclePoint* corners, OraclePoint* normal) {
    OraclePoint a, b;
    makePoint(&a);
    makePoint(&b);
    subtract(&a, &corners[1], &corners[0]);
    subtract(&b, &corners[2], &corners[0]);
    cross(oracle, normal, &a, &b);
    releasePoint(&a);
    releasePoint(&b);
}

// The corners at the ends of a triangle without area.
static void findEnds(Oracle* oracle, const OraclePoint* corners, int ends[2]) {
    ends[0] = ends[1] = 0;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            if (!isEqual(&corners[i], &corners[j]) &&
                (isEqual(&corners[3 - i - j], &corners[i]) || isEqual(&corners[3 - i - j], &corners[j]) ||
                 isBetween(oracle, &corners[3 - i - j], &corners[i], &corners[j]))) {
                ends[0] = i;
                ends[1] = j;
            }
}

void Oracle_Decide(Oracle* oracle, const double corners[6][3]) {
    OraclePoint normal;
    makePoint(&normal);
    for (int i = 0; i < 6; ++i)
        for (int axis = 0; axis < 3; ++axis)
            mpq_set_d(oracle->corners[i].at[axis], corners[i][axis]);
    oracle->count = 0;
    int spareCount = 0;
    for (int i = 0; i < 3; ++i)
        addSpare(oracle, &spareCount, &oracle->corners[i]);
    for (int i = 0; i < spareCount; ++i)
        copyPoint(&oracle->points[i], &oracle->spare[i]);
    oracle->count = spareCount;
    normalOf(oracle, &oracle->corners[3], &normal);
    if (isZero(&normal)) {
        int ends[2];
        findEnds(oracle, &oracle->corners[3], ends);
        clipBySegment(oracle, &oracle->corners[3 + ends[0]], &oracle->corners[3 + ends[1]]);
    } else {
        clipByTriangle(oracle, &oracle->corners[3], &normal);
    }
    keepCorners(oracle);
    oracle->kind = oracle->count < 3 ? oracle->count : 3;
    releasePoint(&normal);
}

// ---- answers about points ----

bool Oracle_HasArea(Oracle* oracle, int base) {
    normalOf(oracle, &oracle->corners[base], &oracle->normal);
    return !isZero(&oracle->normal);
}

int Oracle_PartOf(Oracle* oracle, int base, const OraclePoint* point) {
    const OraclePoint* corners = &oracle->corners[base];
    for (int i = 0; i < 3; ++i)
        if (isEqual(&corners[i], point))
            return i;
    for (int i = 0; i < 3; ++i)
        if (isBetween(oracle, point, &corners[i], &corners[(i + 1) % 3]))
            return 3 + i;
    return 6;
}

// Sign of |number - a| - |number - b|.
static int compareDistances(Oracle* oracle, const mpq_t number, double a, double b) {
    mpq_set_d(oracle->u, a);
    mpq_set_d(oracle->v, b);
    mpq_sub(oracle->u, number, oracle->u);
    mpq_sub(oracle->v, number, oracle->v);
    mpq_abs(oracle->u, oracle->u);
    mpq_abs(oracle->v, oracle->v);
    return mpq_cmp(oracle->u, oracle->v);
}

float Oracle_NearestFloat(Oracle* oracle, const mpq_t number) {
    float best = (float)mpq_get_d(number), middle = best;
    const float others[2] = {nextafterf(middle, -FLT_MAX), nextafterf(middle, FLT_MAX)};
    for (int i = 0; i < 2; ++i) {
        int order = compareDistances(oracle, number, (double)others[i], (double)best);
        uint32_t bits;
        memcpy(&bits, &others[i], sizeof bits);
        if (order < 0 || (order == 0 && (bits & 1) == 0))
            best = others[i];
    }
    return best;
}

double Oracle_NearestDouble(Oracle* oracle, const mpq_t number) {
    double best = mpq_get_d(number), middle = best;
    const double others[2] = {nextafter(middle, -DBL_MAX), nextafter(middle, DBL_MAX)};
    for (int i = 0; i < 2; ++i) {
        int order = compareDistances(oracle, number, others[i], best);
        uint64_t bits;
        memcpy(&bits, &others[i], sizeof bits);
        if (order < 0 || (order == 0 && (bits & 1) == 0))
            best = others[i];
    }
    return best;
}

bool Oracle_TurnsAsA(Oracle* oracle, const OraclePoint* p, const OraclePoint* q, const OraclePoint* r) {
    OraclePoint normal, turn;
    OraclePoint three[3];
    const OraclePoint* given[3] = {p, q, r};
    makePoint(&normal);
    makePoint(&turn);
    for (int i = 0; i < 3; ++i) {
        makePoint(&three[i]);
        copyPoint(&three[i], given[i]);
    }
    normalOf(oracle, oracle->corners, &normal);
    normalOf(oracle, three, &turn);
    dot(oracle, oracle->t, &normal, &turn);
    for (int i = 0; i < 3; ++i)
        releasePoint(&three[i]);
    releasePoint(&normal);
    releasePoint(&turn);
    return mpq_sgn(oracle->t) > 0;
}
