// What: conservative advancement of two convex parts.
// Promise: nothing touches before the time that is told, whatever was rounded; where they are told to touch they are within the
//   tolerance, or as near as the closest points could be found.
// Idea: at a time, take the direction n of the closest points, and how far the parts are apart along it, g. Along a direction that
//   stays, two bounds say how soon the gap may close:
//
//     a speed      no point nears faster than u = (vA - vB).n + |wA x n| rA + |wB x n| rB, r: the farthest point from the axis;
//                  so not before g / u; never, where u <= 0
//     a curve      a point's height along n is a sine of the time, whose second derivative is at most w^2 |w x n| r. Let the gap
//                  be g0 now and g1 a while h later, both found by supports alone. Between, it is above
//
//                       g0 (1 - s/h) + g1 s/h - M s (h - s) / 2       M: of both parts
//
//                    g0 *.                               so not before the first root of that; h is chosen so that what the
//                         '-.    chord                   curve may dip, M h^2 / 8, is half of g0
//                        '   '-._
//                          ' .    '-* g1
//                              ' ' '  parabola
//
//   Of a triangle that deforms, each corner goes along a line and has a speed of its own, so the first corner that closes the gap
//   counts. A far corner moves the direction by little and closes the gap along it at once, as at the end of a needle. So a triangle
//   that is long beside what it is near is split at the middle of its longest edge; far pieces are free at once.
//
//   The later counts; the curve is asked where the first steps have not sufficed. It knows how fast the parts really near each other, so steps are as those of Newton's method from the
//   safe side; and beside a surface it allows sqrt(g) where the speed allows g.
// Holds: gaps are taken less by all that may be off (Sweep.error), and steps shorter by 2^-30. A step is then never 0: the tolerance
//   is many errors. Some 60 splits lead from the greatest triangle to the least part, and each rounds once, which the error holds.
// Cost: two to six steps of some 0.5 us where bodies meet; some ten for each split.
// Based on: [Mirtich, Impulse-based Dynamic Simulation of Rigid Body Systems, PhD thesis, Berkeley 1996] for the advancement; the speed
//   along n after [Tang, Kim, Manocha, C2A: Controlled Conservative Advancement for Continuous Collision Detection of Polygonal Models,
//   ICRA 2009] and [Zhang, Redon, Lee, Kim, Continuous Collision Detection for Articulated Models using Taylor Models and Temporal
//   Culling, SIGGRAPH 2007]. We differ: the curve, and bounds that count every rounding.
#include "sweep_pair.h"

#include <math.h>
#include <string.h>

#include "model_place.h"

#define SHORTER (1 - 0x1p-30)

// Most are done by then, and a curve costs half of a step.
enum { CURVE_ROUND = 5 };

// A triangle that deforms, and is LONG times as long as the other part and the distance, is split after SPLIT_ROUND steps. Its
// pieces are, and so on, up to MOST_SPLITS times.
enum { SPLIT_ROUND = 6, LONG = 4, MOST_SPLITS = 48 };

SweepPart grzSweep_Part(const Sweep* sweep, int side, uint32_t slot) {
    SweepPart part;
    memset(&part, 0, sizeof part);
    part.side = &sweep->sides[side];
    part.slot = slot;
    part.reach = part.side->reach;
    if (slot == GRZ_SWEEP_SHAPE)
        return part;
    part.reach = 0;
    grzVec3 starts[3];
    if (part.side->starts != NULL)
        part.side->starts->get(part.side->starts->context, grzModel_TriangleId(part.side->model, slot), starts);
    for (uint32_t k = 0; k < 3; ++k) {
        part.corners[k] = grzModel_Corner(part.side->model, slot, k);
        if (part.side->starts != NULL) {
            part.ways[k] = grzVec3d_Sub(part.corners[k], grzVec3d_FromVec3(starts[k]));
            part.corners[k] = grzVec3d_FromVec3(starts[k]);
        }
        const grzVec3d arm = grzSweepPlace_Point(&part.side->start, part.corners[k]);
        const double reach = grzSweepPath_Radius(&part.side->path, arm);
        part.reach = reach > part.reach ? reach : part.reach;
    }
    return part;
}

// ------------------------------------------------------------------------------------------------- parts at a time

static void placeTriangle(const SweepPart* part, double t, const SweepPlace* place, grzVec3d center,
                          ConvexCore* core) {
    core->kind = coreTriangle;
    core->cornerCount = 3;
    core->radius = 0;
    core->hull = NULL;
    core->triangle = NULL;
    core->normal = grzVec3d_Make(0, 0, 0); // its face is number 0
    for (uint32_t k = 0; k < 3; ++k) {
        const grzVec3d corner = grzVec3d_Add(part->corners[k], grzVec3d_Scale(part->ways[k], t));
        core->corners[k] = grzVec3d_Add(center, grzSweepPlace_Point(place, corner));
    }
    core->middle = grzVec3d_Add(grzVec3d_Add(core->corners[0], core->corners[1]), core->corners[2]);
    core->middle = grzVec3d_Scale(core->middle, 1.0 / 3);
}

// As seen from A's centre.
static void placeParts(const Sweep* sweep, const SweepPart parts[2], double t, ConvexCore cores[2]) {
    for (int i = 0; i < 2; ++i) {
        const SweepPart* part = &parts[i];
        SweepPlace place;
        grzSweepPath_At(&part->side->path, t, sweepNormal, &place);
        const grzVec3d center =
            i == 0 ? grzVec3d_Make(0, 0, 0) : grzVec3d_Add(sweep->apart, grzVec3d_Scale(sweep->velocity, t));
        if (part->slot != GRZ_SWEEP_SHAPE)
            placeTriangle(part, t, &place, center, &cores[i]);
        else
            grzConvexCore_Place(&cores[i], part->side->shape, place.vectors,
                                grzVec3d_Add(center, place.vectors[sweepArm]));
        cores[i].error = sweep->error;
    }
}

// At least so far apart along n.
static double gapAlong(const Sweep* sweep, const ConvexCore cores[2], grzVec3d n) {
    const double gap = -(coreExtent(&cores[1], grzVec3d_Neg(n)) + coreExtent(&cores[0], n));
    return gap - (cores[0].radius + cores[1].radius) - 2 * sweep->error;
}

// --------------------------------------------------------------------------------------------------------- bounds

// Of a direction from A to B.
typedef struct Pace {
    double speed; // no gap closes faster
    double curve; // nor is its second derivative greater
} Pace;

static bool deforms(const SweepPart* part) {
    return part->side->starts != NULL && part->slot != GRZ_SWEEP_SHAPE;
}

// How fast a part deforms along a direction of its side's, at most; in any direction, where that is NULL.
static double deforming(const SweepPart* part, const grzVec3d* n) {
    double most = n == NULL ? 0 : -(double)INFINITY;
    if (!deforms(part))
        return 0;
    for (uint32_t k = 0; k < 3; ++k) {
        const grzVec3d way = grzVec3d_Turn(part->side->start.vectors, part->ways[k]);
        most = fmax(most, n == NULL ? grzVec3d_Length(way) : grzVec3d_Dot(way, *n));
    }
    return most;
}

static Pace paceAlong(const Sweep* sweep, const SweepPart parts[2], grzVec3d n) {
    Pace pace = {-grzVec3d_Dot(sweep->velocity, n), 0};
    for (int i = 0; i < 2; ++i) {
        const double turn = grzSweepPath_TurnAlong(&parts[i].side->path, n) * parts[i].reach;
        const grzVec3d toOther = i == 0 ? n : grzVec3d_Neg(n);
        pace.speed += turn + deforming(&parts[i], &toOther);
        pace.curve += turn * parts[i].side->path.rate;
    }
    return pace;
}

// Along any direction.
static double paceAnywhere(const Sweep* sweep, const SweepPart parts[2]) {
    double speed = grzVec3d_Length(sweep->velocity);
    for (int i = 0; i < 2; ++i)
        speed += parts[i].side->path.rate * parts[i].reach + deforming(&parts[i], NULL);
    return speed * (1 + 0x1p-40);
}

// The first s in 0 .. h at which g0 + (g1 - g0) s / h - curve s (h - s) / 2 is 0; h where there is none.
static double firstRoot(double g0, double g1, double h, double curve) {
    const double a = 0.5 * curve, b = (g1 - g0) / h - a * h;
    const double square = b * b - 4 * a * g0;
    if (!(b < 0) || !(square >= 0))
        return g1 > 0 ? h : 0;
    return fmin(2 * g0 / (sqrt(square) - b), h);
}

// How far a corner of a part is behind its foremost one, along the direction to the other part, and how fast it goes there.
typedef struct Corner {
    double behind, speed;
} Corner;

// Parts that do not deform are one corner. Returns how many there are.
static uint32_t cornersAlong(const SweepPart* part, const ConvexCore* core, grzVec3d toOther, Corner corners[3]) {
    corners[0] = (Corner){0, 0};
    if (!deforms(part))
        return 1;
    const double foremost = coreExtent(core, toOther);
    for (uint32_t k = 0; k < 3; ++k)
        corners[k] = (Corner){foremost - grzVec3d_Dot(core->corners[k], toOther),
                              grzVec3d_Dot(grzVec3d_Turn(part->side->start.vectors, part->ways[k]), toOther)};
    return 3;
}

// As g / speed, of parts that deform. Each of their corners goes along a line, so each has a time of its own. One that
// is far behind and fast does not hold up one that is near and slow.
static double stepOfCorners(const Sweep* sweep, const SweepPart parts[2], const ConvexCore cores[2], grzVec3d n,
                            double g) {
    Corner corners[2][3];
    double rigid = -grzVec3d_Dot(sweep->velocity, n), step = (double)INFINITY;
    uint32_t counts[2];
    for (int i = 0; i < 2; ++i) {
        counts[i] = cornersAlong(&parts[i], &cores[i], i == 0 ? n : grzVec3d_Neg(n), corners[i]);
        rigid += grzSweepPath_TurnAlong(&parts[i].side->path, n) * parts[i].reach;
    }
    for (uint32_t a = 0; a < counts[0]; ++a)
        for (uint32_t b = 0; b < counts[1]; ++b) {
            const double speed = rigid + corners[0][a].speed + corners[1][b].speed;
            if (speed > 0)
                step = fmin(step, (g + corners[0][a].behind + corners[1][b].behind) / speed);
        }
    return step;
}

// For how long after t the gap along n, which is g now, stays open; infinite where that is to the limit.
static double stepAlong(const Sweep* sweep, const SweepPart parts[2], const ConvexCore now[2], double t, grzVec3d n,
                        double g, bool asksCurve) {
    const Pace pace = paceAlong(sweep, parts, n);
    const double rest = sweep->limit - t;
    if (pace.speed * rest < g * SHORTER)
        return (double)INFINITY;
    const double bySpeed =
        deforms(&parts[0]) || deforms(&parts[1]) ? stepOfCorners(sweep, parts, now, n, g) : g / pace.speed;
    if (bySpeed * SHORTER > rest)
        return (double)INFINITY;
    if (!asksCurve || !(pace.curve > 0))
        return bySpeed;
    const double then = fmin(sweep->limit, t + 2 * sqrt(g / pace.curve)), h = then - t;
    if (!(h > bySpeed))
        return bySpeed;
    ConvexCore cores[2];
    placeParts(sweep, parts, then, cores);
    const double root = firstRoot(g, gapAlong(sweep, cores, n), h, pace.curve);
    return root == h && then == sweep->limit ? (double)INFINITY : fmax(bySpeed, root);
}

// ------------------------------------------------------------------------------------------------------- advancing

static void setTouch(Sweep* sweep, const SweepPart parts[2], const ConvexCore cores[2], const GjkResult* gjk,
                     double t) {
    const double radii = cores[0].radius + cores[1].radius, distance = gjk->upper - radii;
    SweepTouch* touch = &sweep->touch;
    sweep->limit = touch->t = t;
    touch->distance = distance > 0 ? distance : 0;
    touch->isCertain = gjk->isOverlapCertain || distance + 2 * sweep->error < 0;
    touch->normal = distance > 0 ? gjk->normal : grzVec3d_Make(0, 0, 0);
    touch->pointA = grzVec3d_Add(gjk->pointA, grzVec3d_Scale(gjk->normal, cores[0].radius));
    touch->pointB = grzVec3d_Sub(gjk->pointB, grzVec3d_Scale(gjk->normal, cores[1].radius));
    if (!(distance > 0)) // where spheres and capsules overlap: between where one begins and the other ends
        touch->pointA = touch->pointB = grzVec3d_Scale(grzVec3d_Add(touch->pointA, touch->pointB), 0.5);
    for (int i = 0; i < 2; ++i) {
        const uint32_t* vertices = i == 0 ? gjk->verticesA : gjk->verticesB;
        const grzVec3d outward = i == 0 ? gjk->normal : grzVec3d_Neg(gjk->normal);
        touch->slots[i] = parts[i].slot;
        touch->features[i] = grzConvexCore_FeatureOf(&cores[i], vertices, gjk->count, outward);
    }
}

// Whether the other part is behind one of them that has one side.
static bool isBehind(const SweepPart parts[2], const ConvexCore cores[2], grzVec3d n) {
    bool isBehind = false;
    for (int i = 0; i < 2; ++i) {
        const grzVec3d* at = cores[i].corners;
        if (!parts[i].side->isOneSided || parts[i].slot == GRZ_SWEEP_SHAPE)
            continue;
        const grzVec3d outward = grzVec3d_Cross(grzVec3d_Sub(at[1], at[0]), grzVec3d_Sub(at[2], at[0]));
        isBehind |= grzVec3d_Dot(outward, i == 0 ? n : grzVec3d_Neg(n)) < 0;
    }
    return isBehind;
}

// ---- pieces of triangles that deform ----

// Two parts from a time on. Of a triangle that deforms, it may hold a piece.
typedef struct Piece {
    SweepPart parts[2];
    double t;
    bool isWhole;
} Piece;

typedef struct Pieces {
    const SweepPart* whole; // two
    double tolerance;
    uint32_t count;
    Piece stack[MOST_SPLITS + 1];
} Pieces;

static double sizeOf(const SweepPart* part, const ConvexCore* core) {
    const SweepSide* side = part->side;
    const grzVec3d extent = grzVec3d_Sub(side->upper, side->lower);
    if (part->slot == GRZ_SWEEP_SHAPE)
        return 2 * side->radius +
               grzVec3d_Length(grzVec3d_Make(extent.x * side->lengths[0], extent.y * side->lengths[1],
                                             extent.z * side->lengths[2]));
    return grzVec3d_Length(grzVec3d_Sub(core->corners[1], core->corners[0])) +
           grzVec3d_Length(grzVec3d_Sub(core->corners[2], core->corners[0]));
}

static uint32_t longestEdge(const ConvexCore* core) {
    double most = -1;
    uint32_t longest = 0;
    for (uint32_t k = 0; k < 3; ++k) {
        const double length = grzVec3d_Length(grzVec3d_Sub(core->corners[(k + 1) % 3], core->corners[k]));
        longest = length > most ? k : longest;
        most = fmax(most, length);
    }
    return longest;
}

// Which part is to be split; 2: none. Only what is near the other part matters, and far corners are fast.
static int splitOf(const Pieces* pieces, const Piece* piece, const ConvexCore cores[2], double distance) {
    for (int i = 0; i < 2 && pieces->count + 1 < MOST_SPLITS; ++i) {
        const double near = distance + sizeOf(&piece->parts[1 - i], &cores[1 - i]);
        if (deforms(&piece->parts[i]) && sizeOf(&piece->parts[i], &cores[i]) > LONG * near)
            return i;
    }
    return 2;
}

// Corners go along lines, and so does the middle of an edge.
static void split(Pieces* pieces, const Piece* piece, const ConvexCore* core, int side) {
    const uint32_t a = longestEdge(core), b = (a + 1) % 3;
    const SweepPart* part = &piece->parts[side];
    const grzVec3d corner = grzVec3d_Scale(grzVec3d_Add(part->corners[a], part->corners[b]), 0.5);
    const grzVec3d way = grzVec3d_Scale(grzVec3d_Add(part->ways[a], part->ways[b]), 0.5);
    for (uint32_t i = 0; i < 2; ++i) {
        Piece* half = &pieces->stack[pieces->count++];
        *half = *piece;
        half->isWhole = false;
        half->parts[side].corners[i == 0 ? a : b] = corner;
        half->parts[side].ways[i == 0 ? a : b] = way;
    }
}

// Of the whole triangles, which the answer names.
static void placeWhole(const Sweep* sweep, const Pieces* pieces, const Piece* piece, ConvexCore cores[2],
                       GjkResult* gjk) {
    if (piece->isWhole)
        return;
    placeParts(sweep, pieces->whole, piece->t, cores);
    gjk->count = 0;
    grzGjk_From(&cores[0], &cores[1], (double)INFINITY, gjk);
}

// As grzSweep_AdvanceParts. The pieces that are left are on the stack.
static SweepAdvance advancePiece(Sweep* sweep, Pieces* pieces, Piece* piece) {
    const SweepPart* parts = piece->parts;
    const double pace = paceAnywhere(sweep, parts), leastTolerance = GRZ_SWEEP_LEAST_ERRORS * sweep->error;
    const double radii = parts[0].side->radius + parts[1].side->radius, error = 2 * sweep->error;
    GjkResult gjk; // each search begins with the vertices where the last one ended
    gjk.count = 0;
    for (uint32_t round = 0; piece->t < sweep->limit; ++round) {
        ConvexCore cores[2];
        if (sweep->steps == sweep->mostSteps)
            return sweepTired;
        sweep->steps++;
        placeParts(sweep, parts, piece->t, cores);
        const double way = pace * (sweep->limit - piece->t);
        grzGjk_From(&cores[0], &cores[1], way + radii + 2 * error, &gjk);
        const double least = gjk.lower - radii - error, distance = gjk.upper - radii;
        if (least > way) {
            piece->t = sweep->limit;
            break;
        }
        if (sweep->ignoresStart && piece->t == 0 &&
            distance <= pieces->tolerance) // what is near counts when it comes nearer
            pieces->tolerance = fmax(0.5 * distance, leastTolerance);
        if (!(distance <= pieces->tolerance)) {
            const double gap = gapAlong(sweep, cores, gjk.normal);
            double step =
                gap > 0 ? stepAlong(sweep, parts, cores, piece->t, gjk.normal, gap, round >= CURVE_ROUND) : 0;
            step = least > 0 ? fmax(step, least / pace) : step;
            const double next = fmin(piece->t + step * SHORTER, sweep->limit);
            if (next > piece->t) {
                const int side = round < SPLIT_ROUND ? 2 : splitOf(pieces, piece, cores, distance);
                piece->t = next;
                if (side == 2)
                    continue;
                split(pieces, piece, &cores[side], side);
                return sweepBeaten;
            }
        }
        placeWhole(sweep, pieces, piece, cores, &gjk);
        const bool areApart = gjk.upper - radii > 0;
        if ((areApart && isBehind(pieces->whole, cores, gjk.normal)) || (sweep->ignoresStart && piece->t == 0)) {
            piece->t = sweep->limit;
            break;
        }
        setTouch(sweep, pieces->whole, cores, &gjk, piece->t);
        return sweepTouched;
    }
    return sweepBeaten;
}

SweepAdvance grzSweep_AdvanceParts(Sweep* sweep, const SweepPart parts[2], double* t) {
    Pieces pieces;
    SweepAdvance found = sweepBeaten;
    pieces.whole = parts;
    pieces.tolerance = sweep->tolerance;
    pieces.count = 1;
    pieces.stack[0] = (Piece){{parts[0], parts[1]}, *t, true};
    while (pieces.count != 0) {
        Piece piece = pieces.stack[--pieces.count];
        const SweepAdvance step = advancePiece(sweep, &pieces, &piece);
        *t = fmin(piece.t, sweep->limit);
        if (step == sweepTouched)
            found = sweepTouched;
        if (step != sweepTired)
            continue;
        for (uint32_t i = 0; i < pieces.count; ++i)
            *t = fmin(*t, pieces.stack[i].t);
        return found == sweepTouched && !(*t < sweep->limit) ? sweepTouched : sweepTired;
    }
    *t = sweep->limit;
    return found;
}
