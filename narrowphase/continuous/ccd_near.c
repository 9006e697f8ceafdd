// What: graze/ccd_near.h.
// Idea: how far the polygon of ccd_polygon.h is from the origin. At some times, its nearest point tells a distance from above, and the
//   direction n of that point, from below. Between two such times s and e let n go linearly from the one direction to the other, as
//   the corners do: n Q is a quadratic for each corner, and where its three Bernstein coefficients are above the distance for all corners,
//   so is the polygon, all the time. What is lost is of the second order in e - s, for turning features, too. Pieces of time are
//   halved from the left until they are told apart so, or begin within distance and tolerance.
//
//        0 ------------ s ---- m ---- e -------- 1      [0, s]: further away for certain; the stack holds e, 1
//
// Holds: all numbers are scaled by a power of two so that coordinates are at most 1; `reach` is the greatest of the corners', and what
//   is computed is off by less than `slack`, 2^-45 reach: docs/ccd.md.
// Cost: a piece is one nearest point and nine to twelve products of vectors.
// Limits: the depth of pieces, 2^-50 of the time: never reached where the tolerance is 2^-40 of the reach or more and the polygon is no
//   sliver; then it is said to be near, with the distance that was found.
// Based on: [Mirtich, Impulse-based Dynamic Simulation, 1996] for conservative advancement, and [Li, Kaufman, Jiang, Codimensional
//   Incremental Potential Contact, SIGGRAPH 2021], who advance by the distance over the speed, which is of the first order. We
//   differ: a direction that moves with the features.
#include "graze/ccd_near.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "ccd_query.h"
#include "float_modes.h"
#include "refuse_null.h"
#include "result_make.h"
#include "vec3d.h"
#include "wide_int.h"

enum { AXES = 3, DEEPEST = 50, BLOCK = 256 };

// A polygon in motion, scaled by 2^-exponent.
typedef struct Motion {
    int count;
    grzVec3d ends[2][CCD_CORNERS];
    double reach, slack;
    int exponent;
} Motion;

// The polygon at a time.
typedef struct Sample {
    double time;
    grzVec3d corners[CCD_CORNERS];
    double s, r;     // the nearest point is corner 0 + s (corner 1 - corner 0) + r (the last one - corner 0)
    grzVec3d normal; // to it, of length 1, or 0
    double upper;    // the origin is not further away
} Sample;

// ---- scaled ----

// value * 2^-exponent; 0 where that is below 2^-900. Reads the bytes: numbers below the normal ones are numbers in all modes.
static double scaled(double value, int exponent) {
    const WideParts parts = grzWide_PartsOf(value);
    const int power = parts.exponent - exponent;
    if (parts.bits == 0 || power < -900)
        return 0;
    const double size = ldexp((double)(int64_t)parts.bits, power);
    return signbit(value) ? -size : size;
}

static bool isPositive(double value) {
    return grzWide_PartsOf(value).bits != 0 && !signbit(value);
}

// Upwards, and never below the normal numbers.
static double unscaled(double value, int exponent) {
    const double size = ldexp(value, exponent);
    return value == 0 ? 0 : size < DBL_MIN ? DBL_MIN : size > DBL_MAX ? DBL_MAX : size;
}

// That of the greatest coordinate: all are below 2^exponent.
static int exponentOf(const grzCcdQuery* query) {
    int most = -1100;
    for (int i = 0; i < 24; ++i) {
        const WideParts parts = grzWide_PartsOf(query->points[i / 12][i / 3 % 4][i % 3]);
        if (parts.bits != 0) {
            const int exponent = parts.exponent + 64 - __builtin_clzll(parts.bits);
            most = exponent > most ? exponent : most;
        }
    }
    return most;
}

static void makeMotion(const grzCcdQuery* query, Motion* motion) {
    const CcdPolygon polygon = ccdPolygon(query);
    double most = 0x1p-400;
    motion->count = polygon.cornerCount;
    motion->exponent = exponentOf(query);
    for (int end = 0; end < 2; ++end) {
        grzVec3d points[4];
        for (int i = 0; i < 4; ++i) {
            const double* p = query->points[end][i];
            points[i] = (grzVec3d){scaled(p[0], motion->exponent), scaled(p[1], motion->exponent),
                                   scaled(p[2], motion->exponent)};
        }
        for (int k = 0; k < polygon.cornerCount; ++k) {
            const grzVec3d corner = grzVec3d_Sub(points[polygon.first[k]], points[polygon.second[k]]);
            most = fmax(most, fmax(fabs(corner.x), fmax(fabs(corner.y), fabs(corner.z))));
            motion->ends[end][k] = corner;
        }
    }
    motion->reach = most;
    motion->slack = 0x1p-45 * most;
}

// ---- the nearest point ----

static void takeNearer(Sample* sample, double s, double r, grzVec3d at, grzVec3d normal) {
    const double upper = sqrt(grzVec3d_Dot(at, at));
    if (upper < sample->upper) {
        sample->upper = upper;
        sample->s = s;
        sample->r = r;
        sample->normal = normal;
    }
}

// Of the side from corner k to the next one, from its nearer end, so that little is lost by rounding. The direction is made to stand
// upright on the side for the same reason.
static void nearestOnSide(Sample* sample, int k, int count) {
    static const double places[2][CCD_CORNERS][2] = {{{0, 0}, {1, 0}, {0, 1}, {0, 0}},
                                                     {{0, 0}, {1, 0}, {1, 1}, {0, 1}}};
    const int next = (k + 1) % count;
    const bool isNextNearer = grzVec3d_Dot(sample->corners[next], sample->corners[next]) <
                              grzVec3d_Dot(sample->corners[k], sample->corners[k]);
    const int near = isNextNearer ? next : k, far = isNextNearer ? k : next;
    const grzVec3d a = sample->corners[near], side = grzVec3d_Sub(sample->corners[far], a);
    const double length = grzVec3d_Dot(side, side), foot = -grzVec3d_Dot(a, side);
    const double by = !(length > 0) || foot <= 0 ? 0 : foot >= length ? 1 : foot / length;
    const double *from = places[count - 3][near], *to = places[count - 3][far];
    const grzVec3d at = grzVec3d_AddScaled(a, by, side);
    grzVec3d normal = grzVec3d_Unit(at);
    if (by > 0 && by < 1)
        normal = grzVec3d_Unit(grzVec3d_AddScaled(normal, -grzVec3d_Dot(normal, side) / length, side));
    takeNearer(sample, from[0] + by * (to[0] - from[0]), from[1] + by * (to[1] - from[1]), at, normal);
}

// How far the corners are from the origin along a direction.
static double lowestAlong(const Sample* sample, grzVec3d normal, int count) {
    double lowest = grzVec3d_Dot(normal, sample->corners[0]);
    for (int k = 1; k < count; ++k)
        lowest = fmin(lowest, grzVec3d_Dot(normal, sample->corners[k]));
    return lowest;
}

// The inside of the polygon. Its normal is the better direction, too, where the origin is nearly before a side: that of a point on
// it is off by rounding over the distance, and the corners beyond the side would dip. A sliver's own normal is the worse one.
static void nearestInside(Sample* sample, int count) {
    const grzVec3d first = sample->corners[0];
    const grzVec3d e = grzVec3d_Sub(sample->corners[1], first), f = grzVec3d_Sub(sample->corners[count - 1], first),
                   n = grzVec3d_Cross(e, f);
    const grzVec3d ofSides = sample->normal;
    const double area = grzVec3d_Dot(n, n);
    if (!(area > 0))
        return;
    const double s = -grzVec3d_Dot(grzVec3d_Cross(first, f), n) / area,
                 r = -grzVec3d_Dot(grzVec3d_Cross(e, first), n) / area;
    const double side = grzVec3d_Dot(n, first) < 0 ? -1 : 1, length = side * sqrt(area);
    const grzVec3d normal = {n.x / length, n.y / length, n.z / length};
    if (s >= 0 && r >= 0 && (count == 3 ? s + r <= 1 : s <= 1 && r <= 1))
        takeNearer(sample, s, r, grzVec3d_AddScaled(grzVec3d_AddScaled(first, s, e), r, f), normal);
    sample->normal = lowestAlong(sample, normal, count) > lowestAlong(sample, ofSides, count) ? normal : ofSides;
}

static void sampleAt(const Motion* motion, double time, Sample* sample) {
    sample->time = time;
    sample->upper = (double)INFINITY;
    for (int k = 0; k < motion->count; ++k) {
        const grzVec3d a = motion->ends[0][k], b = motion->ends[1][k];
        sample->corners[k] =
            (grzVec3d){(1 - time) * a.x + time * b.x, (1 - time) * a.y + time * b.y, (1 - time) * a.z + time * b.z};
    }
    for (int k = 0; k < motion->count; ++k)
        nearestOnSide(sample, k, motion->count);
    nearestInside(sample, motion->count);
    sample->upper += motion->slack;
}

// ---- pieces of time ----

// Whether the polygon is further away than a distance in all the time from one sample to another.
static bool isApart(const Motion* motion, const Sample* from, const Sample* to, double distance) {
    const double bound = distance + motion->slack;
    for (int k = 0; k < motion->count; ++k) {
        const double first = grzVec3d_Dot(from->normal, from->corners[k]),
                     last = grzVec3d_Dot(to->normal, to->corners[k]);
        const double middle =
            0.5 * (grzVec3d_Dot(from->normal, to->corners[k]) + grzVec3d_Dot(to->normal, from->corners[k]));
        if (!(first > bound && middle > bound && last > bound))
            return false;
    }
    return true;
}

// Whether it is so along an axis, all the time.
static bool isBoxApart(const Motion* motion, double distance) {
    const double bound = distance + motion->slack;
    grzVec3d lower = motion->ends[0][0], upper = lower;
    for (int end = 0; end < 2; ++end)
        for (int k = 0; k < motion->count; ++k) {
            const grzVec3d at = motion->ends[end][k];
            lower = (grzVec3d){fmin(lower.x, at.x), fmin(lower.y, at.y), fmin(lower.z, at.z)};
            upper = (grzVec3d){fmax(upper.x, at.x), fmax(upper.y, at.y), fmax(upper.z, at.z)};
        }
    return lower.x > bound || lower.y > bound || lower.z > bound || upper.x < -bound || upper.y < -bound ||
           upper.z < -bound;
}

// The samples yet to come, the last one the next.
typedef struct Ahead {
    Sample samples[DEEPEST + 2];
    int count;
} Ahead;

typedef struct Bounds {
    double distance, tolerance;
    uint32_t mostPieces;
} Bounds;

// Goes on to the first time that cannot be told apart: it is *now then. False where there is none.
static bool findNear(const Motion* motion, const Bounds* bounds, Ahead* ahead, Sample* now, uint32_t* pieces) {
    sampleAt(motion, 0, now);
    sampleAt(motion, 1, &ahead->samples[0]);
    ahead->count = 1;
    while (ahead->count > 0) {
        const Sample* next = &ahead->samples[ahead->count - 1];
        if (*pieces == bounds->mostPieces)
            return true;
        ++*pieces;
        if (isApart(motion, now, next, bounds->distance)) {
            *now = *next;
            --ahead->count;
            continue;
        }
        const double length = next->time - now->time;
        if (now->upper <= bounds->distance + bounds->tolerance || length <= ldexp(1, -DEEPEST))
            return true;
        sampleAt(motion, now->time + 0.5 * length, &ahead->samples[ahead->count++]);
    }
    return false;
}

// ---- one query ----

static void place(const grzCcdQuery* query, const Sample* now, grzCcdApproach* approach) {
    const double s = now->s, r = now->r;
    const double side =
        query->kind == grz_ccdVertexFace ? -1 : 1; // the polygon is triangle less vertex, or first less second
    approach->normal[0] = side * now->normal.x;
    approach->normal[1] = side * now->normal.y;
    approach->normal[2] = side * now->normal.z;
    const double face[4] = {1, fmax(1 - s - r, 0), s, r}, edges[4] = {1 - r, r, 1 - s, s};
    memcpy(approach->weights, query->kind == grz_ccdVertexFace ? face : edges, sizeof face);
}

// With a sample that is within the distance for certain it is certain.
static void tell(const Motion* motion, const Bounds* bounds, const Ahead* ahead, const Sample* now,
                 grzCcdApproach* approach) {
    approach->isNear = true;
    approach->t0 = now->time;
    approach->t1 = 1;
    approach->separation = unscaled(now->upper, motion->exponent);
    const Sample* sure = now->upper <= bounds->distance ? now : NULL;
    for (int i = ahead->count - 1; i >= 0 && sure == NULL; --i)
        sure = ahead->samples[i].upper <= bounds->distance ? &ahead->samples[i] : NULL;
    if (sure != NULL) {
        approach->t1 = sure->time;
        return;
    }
    approach->certainty = grz_conservative;
    approach->measure = unscaled((now->upper - bounds->distance) * (1 + 0x1p-50), motion->exponent);
}

static void setFar(grzCcdApproach* approach) {
    memset(approach, 0, sizeof *approach);
    approach->t0 = approach->t1 = 1;
}

static void findAtZero(const grzCcdQuery* query, grzCcdApproach* approach) {
    grzCcdImpact impact;
    const grzResult result = grzCcd_FindImpact(query, 0, &impact);
    setFar(approach);
    if (!grzResult_IsOk(result) || !impact.touches)
        return;
    approach->isNear = true;
    approach->certainty = impact.certainty;
    approach->t0 = impact.t0;
    approach->t1 = impact.t1;
    memcpy(approach->normal, impact.normal, sizeof impact.normal);
    memcpy(approach->weights, impact.weights, sizeof impact.weights);
    if (impact.t0 == impact.t1)
        return;
    Motion motion;
    Sample now;
    makeMotion(query, &motion);
    sampleAt(&motion, impact.t0, &now);
    approach->separation = unscaled(now.upper, motion.exponent);
    approach->measure = impact.certainty == grz_exact ? 0 : approach->separation;
}

// The query is finite, and so are the numbers of `near`.
static void find(const grzCcdQuery* query, const grzCcdNear* near, grzCcdApproach* approach) {
    Motion motion;
    Ahead ahead;
    Sample now;
    if (!isPositive(near->distance)) {
        findAtZero(query, approach);
        return;
    }
    setFar(approach);
    makeMotion(query, &motion);
    const double usual = isPositive(near->tolerance) ? near->tolerance : near->distance / 1024;
    // What is further than all coordinates is as far as 8; what is lost below 2^-900 is less than the slack.
    const Bounds bounds = {fmin(fmax(scaled(near->distance, motion.exponent), 0x1p-900), 8),
                           fmax(fmin(scaled(usual, motion.exponent), 8), 0x1p-40 * motion.reach),
                           near->mostPieces != 0 ? near->mostPieces : GRZ_CCD_PIECES};
    if (isBoxApart(&motion, bounds.distance) || !findNear(&motion, &bounds, &ahead, &now, &approach->pieces))
        return;
    tell(&motion, &bounds, &ahead, &now, approach);
    place(query, &now, approach);
}

static grzResult check(const grzCcdNear* near, uint64_t argument) {
    const bool isGood = near != NULL && near->distance >= 0 && near->distance < (double)INFINITY &&
                        near->tolerance >= 0 && near->tolerance < (double)INFINITY;
    return isGood ? grzOk()
                  : grzBecause(grzFail(grz_badArgument, argument),
                               "a distance or tolerance is negative or not finite");
}

grzResult grzCcd_FindApproach(const grzCcdQuery* query, const grzCcdNear* near, grzCcdApproach* approach) {
    if (approach == NULL)
        return grzBecause(grzFail(grz_badArgument, 3), "there is no place for the answer");
    setFar(approach);
    grzResult result = grzCcdQuery_Check(query, 1);
    if (grzResult_IsOk(result))
        result = check(near, 2);
    if (grzResult_IsOk(result))
        find(query, near, approach);
    return result;
}

// ---- many ----

typedef struct Work {
    const grzCcdMotion* motion;
    const grzCcdPairs* pairs;
    const grzCcdNear* near;
    uint8_t* answers;
    double* t0;
} Work;

static void decideBlock(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    (void)worker;
    const Work* work = context;
    for (uint32_t i = begin; i < end; ++i) {
        const grzCcdQuery query =
            grzCcdMotion_Query(work->motion, work->pairs->kind, work->pairs->vertices + 4 * (size_t)i);
        grzCcdApproach approach;
        find(&query, work->near, &approach);
        work->answers[i] = (uint8_t)(!approach.isNear                  ? grz_ccdApart
                                     : approach.certainty == grz_exact ? grz_ccdTouching
                                                                       : grz_ccdDoubtful);
        if (work->t0 != NULL)
            work->t0[i] = approach.t0;
    }
}

grzResult grzCcdMotion_DecideNear(const grzCcdMotion* motion, grzTasks* tasks, const grzCcdPairs* pairs,
                                  const grzCcdNear* near, uint8_t* answers, double* t0) {
    GRZ_REFUSE_NULL(motion, 1);
    grzResult result = grzCcdPairs_Check(motion, pairs);
    if (grzResult_IsOk(result))
        result = check(near, 4);
    if (!grzResult_IsOk(result))
        return result;
    if (answers == NULL && pairs->count != 0)
        return grzBecause(grzFail(grz_badArgument, 5), "answers is NULL");
    if (t0 == NULL && !isPositive(near->distance))
        return grzCcdMotion_Decide(motion, tasks, pairs, answers);
    Work work = {motion, pairs, near, answers, t0};
    const uint64_t modes = grzFloatModes_KeepSmall();
    grzParallelFor(tasks, pairs->count, BLOCK, decideBlock, &work);
    grzFloatModes_Set(modes);
    return result;
}
