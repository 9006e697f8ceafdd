// What: passing.h.
// Idea: a core under half of the thickness finds most stops. Each piece of it is swept alone. If a piece touches the
//   wall at the start, it has sunk in too deep. Then smaller ones are swept in its place: a thinner piece, a
//   ball around its middle (the centre of mass of a convex body), and the middle itself. The earliest stop of all counts. What
//   touches at the start is left out (grzSweepQuery.ignoresStart). So the centre passes only if, in two steps, the
//   ball and the centre both come to the wall by less than rounding can resolve.
#include "passing.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "animated_body.h"
#include "mesh_shape.h"
#include "nearest.h"
#include "surface.h"

#define PI        3.14159265358979f
#define MOST_TURN 900.0f // of what a sweep takes

// The depths of cores, and the radius of the ball, in parts of the thickness.
static const float outerDepth = 0.5f, innerDepth = 0.875f, ballRadius = 0.03125f;

// How near cores, and balls, come to a wall, in parts of the thickness. Bodies are stopped twice as
// far away as cores, so that the next step starts free.
static const float nearness = 0.0625f, ballNearness = 0.03125f;

// Convex bodies that are carried may come to lie in a wall by this depth less the nearness; in parts of the thickness.
static const float carriedDepth = 0.125f;

// Two bodies do not go back along their paths if they come nearer by less than leastPace of their speed, or if they would
// go back by more than mostBack of the step.
static const float leastPace = 0.0625f, mostBack = 0.125f;

static const double never = 2; // a time of impact after the step

// Steps of one sweep, some 10 ms. Bodies of tests take 6,500 at most; a rod that spins by 700 radians in a step beside cloth
// that flies apart takes 100,000.
enum { MOST_STEPS = 1 << 14 };

// ---- ways ----

// Returns how a body has turned. Many turns lead from one rotation to the other; this is the one nearest to the
// spin.
static grzVec3 turnOf(const grzBodyState* start, const grzBodyState* end, float timeStep) {
    const grzTransform from = grzTransform_FromQuat(start->rotation, grzVec3_Zero()),
                       to = grzTransform_FromQuat(end->rotation, grzVec3_Zero());
    const grzVec3 least = grzSweepMotion_Between(from, to, grzVec3_Zero()).rotation;
    const grzVec3 spin = grzScale(grzAdd(start->spin, end->spin), 0.5f * timeStep);
    float angle = grzLength(least);
    if (!(angle > 1e-6f) && !(grzLengthSq(spin) > 1.0f))
        return least;
    const grzVec3 axis = grzNormalize(angle > 1e-6f ? least : spin);
    angle += 2.0f * PI * floorf((grzDot(spin, axis) - angle) / (2.0f * PI) + 0.5f);
    while (fabsf(angle) > MOST_TURN)
        angle = fmodf(angle, 2.0f * PI);
    return grzScale(axis, angle);
}

static grzSweepMotion motionOf(const grzBodyState* start, const grzBodyState* end, float timeStep) {
    grzSweepMotion motion;
    memset(&motion, 0, sizeof motion);
    motion.center = start->center;
    motion.translation = grzSub(end->center, start->center);
    motion.rotation = turnOf(start, end, timeStep);
    return motion;
}

// ---- the wall ----

typedef struct Wall {
    grzSweepBody body;
    grzSurface surface; // of meshes
    grzSweepStarts starts;
    float since; // only what comes after, in parts of the step
} Wall;

static void getStarts(const void* context, uint32_t triangle, grzVec3 corners[3]) {
    const Wall* wall = context;
    grzVec3 ends[3];
    grzSurface_GetStarts(&wall->surface, triangle, corners);
    if (!(wall->since > 0.0f))
        return;
    grzSurface_GetEnds(&wall->surface, triangle, ends);
    for (int i = 0; i < 3; ++i)
        corners[i] = grzAddScaled(corners[i], wall->since, grzSub(ends[i], corners[i]));
}

// way: no vertex goes farther.
static void setSurface(grzSurface surface, float way, Wall* wall) {
    wall->surface = surface;
    wall->body.model = surface.model;
    wall->body.motion.pose = surface.pose;
    wall->body.isOneSided = !surface.isTwoSided;
    if (surface.starts == surface.ends)
        return;
    wall->starts = (grzSweepStarts){getStarts, wall, way};
    wall->body.starts = &wall->starts;
}

static void setWall(const grzPassing* passing, Wall* wall) {
    const grzCollider* collider = passing->wall;
    memset(wall, 0, sizeof *wall);
    if (passing->cloth != NULL) {
        setSurface(*passing->cloth, passing->clothWay, wall);
        return;
    }
    if (passing->wallStart != NULL)
        wall->body.motion = motionOf(passing->wallStart, passing->wallEnd, passing->timeStep);
    wall->body.motion.pose = collider->pose;
    wall->body.shape = collider->shape;
    if (collider->kind == grz_convexCollider)
        return;
    const bool isAnimated = collider->kind == grz_animatedCollider;
    setSurface(grzCollider_GetSurface(collider), isAnimated ? grzAnimatedBody_MostMotion(collider->animated) : 0,
               wall);
}

// ---- stopping ----

static grzQuat turnBy(grzVec3 turn, float part) {
    const float angle = grzLength(turn);
    return angle > 0.0f ? grzQuat_FromAxisAngle(grzScale(turn, 1.0f / angle), part * angle) : grzQuat_Identity();
}

// Returns the body as it is at a part of its path.
static grzBodyState stateAt(const grzBodyState* start, const grzBodyState* end, const grzSweepMotion* motion,
                            float t) {
    grzBodyState state = *end;
    state.center = grzAddScaled(start->center, t, motion->translation);
    state.rotation = grzQuat_Normalize(grzQuat_Multiply(turnBy(motion->rotation, t), start->rotation));
    return state;
}

// Returns how a point of an animated mesh moves in the step.
static grzVec3 wayOfSurface(const Wall* wall, const grzSweepImpact* impact) {
    grzVec3 starts[3], ends[3];
    grzVec3d at[3], way = grzVec3d_Make(0, 0, 0);
    double weights[3];
    getStarts(wall, impact->triangleB, starts);
    grzSurface_GetEnds(&wall->surface, impact->triangleB, ends);
    for (int i = 0; i < 3; ++i)
        at[i] = grzVec3d_Lerp(grzVec3d_FromVec3(starts[i]), grzVec3d_FromVec3(ends[i]), impact->toi);
    grzNearest_OnTriangle(at, impact->pointB, weights);
    for (int i = 0; i < 3; ++i)
        way = grzVec3d_Add(way, grzVec3d_Scale(grzVec3d_FromVec3(grzSub(ends[i], starts[i])), weights[i]));
    return grzVec3d_ToVec3(way);
}

// Moves the body on with the wall, from the time of the stop.
static void goOn(const grzPassing* passing, const Wall* wall, const grzSweepImpact* impact, grzPassingStop* stop) {
    const float rest = 1.0f - (float)impact->toi, perSecond = 1.0f / (passing->timeStep * (1.0f - wall->since));
    if (wall->body.starts != NULL && impact->triangleB == GRZ_NO_TRIANGLE)
        return; // undecided: it stays where it was free
    if (wall->body.starts != NULL) {
        const grzVec3 way = wayOfSurface(wall, impact);
        stop->state.center = grzAddScaled(stop->state.center, rest, way);
        stop->velocity = grzScale(way, perSecond);
    } else if (passing->wallStart != NULL) {
        const grzSweepMotion* motion = &wall->body.motion;
        const grzVec3 center = grzAddScaled(motion->center, 1.0f - rest, motion->translation);
        const grzQuat turn = turnBy(motion->rotation, rest);
        const grzVec3 arm = grzSub(stop->point, center);
        stop->velocity = grzScale(grzAdd(motion->translation, grzCross(motion->rotation, arm)), perSecond);
        stop->state.center = grzAdd(grzAddScaled(center, rest, motion->translation),
                                    grzQuat_Rotate(turn, grzSub(stop->state.center, center)));
        stop->state.rotation = grzQuat_Normalize(grzQuat_Multiply(turn, stop->state.rotation));
        stop->normal = grzQuat_Rotate(turn, stop->normal);
    }
}

// The wall's point at the end of the step, too.
static void setStop(const grzPassing* passing, const Wall* wall, const grzSweepMotion* motion,
                    const grzSweepImpact* impact, float slop, grzPassingStop* stop) {
    stop->isStopped = true;
    stop->toi = (double)wall->since + (1 - (double)wall->since) * impact->toi;
    stop->state =
        passing->isHeld ? *passing->end : stateAt(passing->start, passing->end, motion, (float)impact->toi);
    stop->normal = grzVec3d_ToVec3(grzVec3d_Neg(impact->normal));
    stop->point = grzVec3d_ToVec3(impact->pointB);
    stop->hitPoint = stop->point;
    stop->hitNormal = stop->normal;
    const grzVec3 arm = grzQuat_RotateInverse(stop->state.rotation, grzSub(stop->point, stop->state.center));
    if (passing->cloth == NULL && wall->since < 1.0f)
        goOn(passing, wall, impact, stop);
    stop->point = grzAdd(stop->state.center, grzQuat_Rotate(stop->state.rotation, arm));
    stop->state.center = grzAddScaled(stop->state.center, slop, stop->normal);
}

// ---- searching ----

// How a body moves in the part of the step that is looked at.
typedef struct Walk {
    grzSweepMotion motion; // of the whole step; the pose is not part of it
    float since;           // only what comes after
    bool isHeld;           // it rests where the motion ends, but for
    grzVec3 carry;         // this translation
} Walk;

// body->motion.pose is what the body has at the start of the step.
static void setMotion(const Walk* walk, grzSweepBody* body) {
    grzSweepMotion motion = walk->motion;
    motion.pose = body->motion.pose;
    if (walk->isHeld) {
        motion = grzSweepMotion_Rest(grzSweepMotion_PoseAt(&motion, 1));
        motion.translation = walk->carry;
    } else if (walk->since > 0.0f) {
        const float rest = 1.0f - walk->since;
        motion.pose = grzSweepMotion_PoseAt(&motion, (double)walk->since);
        motion.center = grzAddScaled(motion.center, walk->since, motion.translation);
        motion.translation = grzScale(motion.translation, rest);
        motion.rotation = grzScale(motion.rotation, rest);
    }
    body->motion = motion;
}

// A body whose core comes to a wall.
typedef struct Core {
    const grzSolid* solid;
    float thickness;
    Walk walk;
    bool isPair; // what it comes to yields as well, and moves against it
    float pace;  // by so much at most in the rest of the step
} Core;

static void setCore(const Core* core, float depth, uint32_t piece, grzSweepQuery* query) {
    grzSolid_SetCore(core->solid, depth, piece, &query->a);
    setMotion(&core->walk, &query->a);
}

static void setBall(const Core* core, float radius, uint32_t piece, grzSweepQuery* query) {
    grzSolid_SetBall(core->solid, radius, piece, &query->a);
    setMotion(&core->walk, &query->a);
}

// The steps of a sweep are used up. The bodies are free until toi, and count as touching then: the first stays where its
// centre is, and is held against its motion.
static void settleUndecided(const grzSweepQuery* query, grzSweepImpact* impact) {
    const grzSweepMotion *a = &query->a.motion, *b = &query->b.motion;
    const grzVec3d nearing = grzVec3d_Sub(grzVec3d_FromVec3(a->translation), grzVec3d_FromVec3(b->translation));
    const double length = grzVec3d_Length(nearing);
    impact->normal = length > 0 ? grzVec3d_Scale(nearing, 1 / length) : grzVec3d_Make(0, -1, 0);
    impact->pointA = grzVec3d_FromVec3(a->center);
    impact->pointA = grzVec3d_Add(impact->pointA, grzVec3d_Scale(grzVec3d_FromVec3(a->translation), impact->toi));
    impact->pointB = impact->pointA;
}

// Keeps the impact of the bodies in the query, if it is sooner.
static void findSooner(const grzSweepQuery* query, grzSweepImpact* impact) {
    grzSweepImpact found;
    if (!grzResult_IsOk(grzSweep_Find(query, &found)) || found.outcome == grz_sweepFree ||
        !(found.toi < impact->toi))
        return;
    *impact = found;
    if (found.outcome == grz_sweepUndecided)
        settleUndecided(query, impact);
}

// The time up to which a core that touches has touched from the start on. Two bodies that stopped each other in the
// last step are still as near as then, but for rounding.
static double touchTime(const Core* core, double tolerance) {
    return core->isPair ? 0.5 * tolerance / (double)fmaxf(core->pace, FLT_MIN) : 0;
}

// Of a piece of the core that has sunk in.
static void findInside(const Core* core, uint32_t piece, grzSweepQuery* query, grzSweepImpact* impact) {
    const bool isSlowPair = core->isPair && core->pace <= core->thickness;
    query->ignoresStart = !isSlowPair;
    setCore(core, innerDepth * core->thickness, piece, query);
    findSooner(query, impact);
    if (isSlowPair) { // contacts lead out two bodies that have sunk in deeper
        impact->toi = impact->toi > touchTime(core, query->tolerance) ? impact->toi : never;
        return;
    }
    query->tolerance = (double)(ballNearness * core->thickness);
    setBall(core, ballRadius * core->thickness, piece, query);
    findSooner(query, impact);
    setBall(core, 0, piece, query);
    findSooner(query, impact);
}

// Of a convex body that is carried. The usual core would let it come to lie deep in the wall. A body that lies in the wall
// already may only be carried out of it. Meshes keep the usual core: they rest deeper in each other.
static void findCarried(const Core* core, uint32_t piece, grzSweepQuery query, grzSweepImpact* impact) {
    grzSweepImpact found = {.toi = never};
    query.tolerance = (double)(nearness * core->thickness);
    setCore(core, carriedDepth * core->thickness, piece, &query);
    findSooner(&query, &found);
    const double pace = grzVec3d_Dot(found.normal, grzVec3d_FromVec3(core->walk.carry));
    if (found.toi < impact->toi && (found.toi > 0 || !(pace < 0)))
        *impact = found;
}

static void findPiece(const Core* core, uint32_t piece, grzSweepQuery query, grzSweepImpact* impact) {
    const bool isCarried = !core->isPair && grzLengthSq(core->walk.carry) > 0.0f;
    if (isCarried && core->solid->collider->kind == grz_convexCollider) {
        findCarried(core, piece, query, impact);
        return;
    }
    grzSweepImpact found = {.toi = never};
    query.tolerance = (double)(nearness * core->thickness);
    setCore(core, outerDepth * core->thickness, piece, &query);
    findSooner(&query, &found);
    if (!(found.toi > touchTime(core, query.tolerance))) {
        found.toi = never;
        findInside(core, piece, &query, &found);
    }
    if (found.toi < impact->toi)
        *impact = found;
}

// The first impact of the core with the wall.
static grzSweepImpact findCore(const Core* core, const grzSweepBody* wall) {
    grzSweepQuery query = grzDefaultSweepQuery();
    grzSweepImpact impact = {.toi = never};
    query.mostSteps = MOST_STEPS;
    query.b = *wall;
    for (uint32_t i = 0; i < grzSolid_CoreCount(core->solid); ++i)
        findPiece(core, i, query, &impact);
    return impact;
}

// ---- bodies that stay apart ----

// A body at the start and at the end of the step.
typedef struct Ends {
    const grzCollider* collider;
    grzVec3 center;     // of mass, in the shape's frame
    grzMat3 axes[2];    // of that frame
    grzVec3 centers[2]; // of mass, seen from a place nearby
    float sag;          // no point is farther from the line between its places at both ends
} Ends;

typedef struct Turner {
    const grzSolid* solid;
    const grzBodyState *start, *end;
    float radius; // of a ball around the centre of mass that holds it
} Turner;

// Returns whether the body turns so little that its path takes the shorter way. Then points move along arcs of less than
// a radian, which keep off their chords by an eighth of their turn's square.
static bool setEnds(const Turner* body, grzVec3 from, float timeStep, Ends* ends) {
    const grzCollider* collider = body->solid->collider;
    const float turn = 1.02f * sqrtf(grzPassing_TurnSq(body->start, body->end, body->radius, timeStep));
    const float round = collider->kind == grz_convexCollider ? collider->shape.radius : 0.0f;
    if (turn > body->radius)
        return false;
    ends->collider = collider;
    ends->center = body->solid->center;
    ends->axes[0] = collider->pose.basis;
    const grzQuat own = body->solid->turn;
    const bool isTurned = own.x != 0.0f || own.y != 0.0f || own.z != 0.0f;
    ends->axes[1] = grzMat3_FromQuat(isTurned ? grzQuat_Multiply(body->end->rotation, grzQuat_Conjugate(own))
                                              : body->end->rotation);
    ends->centers[0] = grzSub(body->start->center, from);
    ends->centers[1] = grzSub(body->end->center, from);
    const float arm = fmaxf(body->radius - round, 0.0f) / fmaxf(body->radius * body->radius, FLT_MIN);
    const float rounding = 2.5e-7f * grzMaxElement(grzAbs(body->start->center)); // of the pose's origin
    ends->sag = 0.125f * turn * turn * arm + rounding;
    return true;
}

// Of a wall at rest.
static void setRest(const grzCollider* wall, grzVec3 from, Ends* ends) {
    ends->collider = wall;
    ends->center = grzVec3_Zero();
    ends->axes[0] = ends->axes[1] = wall->pose.basis;
    ends->centers[0] = ends->centers[1] = grzSub(wall->pose.origin, from);
    ends->sag = 0;
}

// What the core of a body leaves free under its surface for certain, less what a sweep calls a touch.
static float marginOf(const grzCollider* collider, float thickness) {
    const bool isHull = collider->kind == grz_convexCollider && collider->shape.kind == grz_hullShape;
    return ((isHull ? 0.0f : outerDepth) - 2 * nearness) * thickness;
}

// How far a body reaches along a direction of its own frame, from the origin of that frame.
static float extentOf(const grzCollider* collider, grzVec3 own) {
    if (collider->kind == grz_meshCollider) {
        const grzBox box = collider->mesh->box;
        return fmaxf(own.x * box.lower.x, own.x * box.upper.x) + fmaxf(own.y * box.lower.y, own.y * box.upper.y) +
               fmaxf(own.z * box.lower.z, own.z * box.upper.z);
    }
    const grzConvex* shape = &collider->shape;
    if (shape->kind == grz_hullShape)
        return grzDot(grzConvex_Support(shape, own), own);
    if (shape->kind == grz_boxShape)
        return grzDot(shape->a, own) + grzDot(shape->b, grzAbs(own));
    const float last = shape->kind == grz_capsuleShape ? grzDot(shape->b, own) : -FLT_MAX;
    return fmaxf(grzDot(shape->a, own), last) + shape->radius;
}

// The same of a direction in the world, from the place nearby.
static float reachOf(const Ends* ends, int end, grzVec3 direction) {
    const grzVec3 own = grzMat3_ApplyTransposed(ends->axes[end], direction);
    return grzDot(ends->centers[end], direction) + extentOf(ends->collider, own) - grzDot(ends->center, own);
}

// Two bodies, and whether the core of each keeps off the surface of the other for certain.
typedef struct Parting {
    Ends bodies[2];
    float margins[2]; // so much of each is free of its core
    bool areFree[2];
} Parting;

// Tries a direction, or its opposite. The bodies never overlap along it by more than at one of the ends of the step, but for
// what points are off their chords. Returns whether both cores are free.
static bool partAlong(Parting* parting, grzVec3 direction) {
    const Ends *a = &parting->bodies[0], *b = &parting->bodies[1];
    const float length = grzLength(direction);
    if (!(length > 0.0f))
        return false;
    const float sign = grzDot(direction, grzSub(b->centers[0], a->centers[0])) < 0.0f ? -1.0f : 1.0f;
    const grzVec3 n = grzScale(direction, sign / length);
    bool areFree[2] = {true, true};
    for (int end = 0; end < 2; ++end) {
        const float reachA = reachOf(a, end, n), reachB = reachOf(b, end, grzNeg(n));
        const float overlap = reachA + reachB + a->sag + b->sag + 1e-5f * (fabsf(reachA) + fabsf(reachB));
        for (int own = 0; own < 2; ++own)
            areFree[own] = areFree[own] && overlap < parting->margins[own];
        if (!areFree[0] && !areFree[1])
            return false;
    }
    for (int own = 0; own < 2; ++own)
        parting->areFree[own] = parting->areFree[own] || areFree[own];
    return parting->areFree[0] && parting->areFree[1];
}

static bool isOf(const Ends* ends, grzConvexKind kind) {
    return ends->collider->kind == grz_convexCollider && ends->collider->shape.kind == kind;
}

// Along a capsule, at the start.
static grzVec3 lineOf(const Ends* ends) {
    return grzMat3_Apply(ends->axes[0], grzSub(ends->collider->shape.b, ends->collider->shape.a));
}

// Tries the directions of one body: from a capsule to the centre of the other, or the axes.
static bool partAlongOwn(Parting* parting, int own) {
    const Ends *ends = &parting->bodies[own], *other = &parting->bodies[1 - own];
    const grzMat3 axes = ends->axes[0];
    if (isOf(ends, grz_sphereShape))
        return false;
    if (!isOf(ends, grz_capsuleShape))
        return partAlong(parting, axes.x) || partAlong(parting, axes.y) || partAlong(parting, axes.z);
    const grzVec3 apart = grzSub(other->centers[0], ends->centers[0]), line = lineOf(ends);
    const float share = grzDot(apart, line) / fmaxf(grzLengthSq(line), FLT_MIN);
    return partAlong(parting, grzAddScaled(apart, -fminf(fmaxf(share, -0.5f), 0.5f), line));
}

// Tries the directions across a capsule, and across another one or an axis of the other body.
static bool partAcross(Parting* parting, int own) {
    const Ends *ends = &parting->bodies[own], *other = &parting->bodies[1 - own];
    const grzMat3 axes = other->axes[0];
    if (!isOf(ends, grz_capsuleShape) || isOf(other, grz_sphereShape))
        return false;
    const grzVec3 line = lineOf(ends);
    if (isOf(other, grz_capsuleShape))
        return own == 0 && partAlong(parting, grzCross(line, lineOf(other)));
    return partAlong(parting, grzCross(line, axes.x)) || partAlong(parting, grzCross(line, axes.y)) ||
           partAlong(parting, grzCross(line, axes.z));
}

// Tries a few directions. For most bodies beside each other one will do, which takes a tenth of the time of their sweeps.
static bool part(Parting* parting) {
    const Ends* bodies = parting->bodies;
    return partAlong(parting, grzSub(bodies[1].centers[0], bodies[0].centers[0])) || partAlongOwn(parting, 1) ||
           partAlongOwn(parting, 0) || partAcross(parting, 1) || partAcross(parting, 0);
}

// ---- walls ----

static void setSince(float since, Wall* wall) {
    const Walk walk = {.motion = wall->body.motion, .since = since};
    setMotion(&walk, &wall->body);
    wall->since = since;
    if (!(since < 1.0f))
        wall->body.starts = NULL;
}

// Whether the core of a body keeps off a wall at rest for certain.
static bool keepsOff(const grzPassing* passing, float thickness) {
    const grzCollider* wall = passing->wall;
    const Turner turner = {&passing->solid, passing->start, passing->end, passing->radius};
    Parting parting = {.margins = {marginOf(passing->solid.collider, thickness), -FLT_MAX},
                       .areFree = {false, true}};
    if (passing->isHeld || wall == NULL || passing->wallStart != NULL || wall->kind != grz_convexCollider ||
        !setEnds(&turner, passing->start->center, passing->timeStep, &parting.bodies[0]))
        return false;
    setRest(wall, passing->start->center, &parting.bodies[1]);
    return part(&parting);
}

void grzPassing_Find(const grzPassing* passing, grzPassingStop* stop) {
    const float thickness = grzSolid_Thickness(&passing->solid);
    memset(stop, 0, sizeof *stop);
    stop->toi = 1;
    if (keepsOff(passing, thickness))
        return;
    const Walk walk = {.motion = motionOf(passing->start, passing->end, passing->timeStep),
                       .isHeld = passing->isHeld,
                       .carry = passing->carry};
    const Core core = {&passing->solid, thickness, walk, false, 0};
    Wall wall;
    setWall(passing, &wall);
    if (passing->isHeld)
        setSince(passing->since, &wall);
    const grzSweepImpact impact = findCore(&core, &wall.body);
    if (impact.toi < never)
        setStop(passing, &wall, &core.walk.motion, &impact, 2 * nearness * core.thickness, stop);
}

// ---- two bodies that yield ----

// Returns how fast a point moves on, in lengths a step.
static grzVec3 rateOf(const Walk* walk, float t, grzVec3 point) {
    const grzSweepMotion* motion = &walk->motion;
    const grzVec3 center = grzAddScaled(motion->center, t, motion->translation);
    if (walk->isHeld)
        return walk->carry;
    return grzAdd(motion->translation, grzCross(motion->rotation, grzSub(point, center)));
}

// The surface of a body, which moves.
static grzSweepBody surfaceOf(const Core* core) {
    const grzCollider* collider = core->solid->collider;
    grzSweepBody body;
    memset(&body, 0, sizeof body);
    body.shape = collider->shape;
    body.model = collider->kind == grz_meshCollider ? collider->mesh->model : NULL;
    body.isOneSided = body.model != NULL && !collider->isTwoSided;
    body.motion.pose = collider->pose;
    setMotion(&core->walk, &body);
    return body;
}

// Bodies that come fast stay a little before the meeting, so that the core is twice as far away as it has to be, and
// the next step starts free. Those that come nearer slowly would lose much of their paths.
static float stopOf(const Core bodies[2], float slop, const grzPassingMeeting* meeting) {
    const grzVec3 a = rateOf(&bodies[0].walk, meeting->toi, meeting->point);
    const grzVec3 b = rateOf(&bodies[1].walk, meeting->toi, meeting->point), nearing = grzSub(a, b);
    const float pace = grzDot(nearing, meeting->normal), rest = meeting->toi - bodies[0].walk.since;
    const bool isFast = pace >= leastPace * grzLength(nearing) && slop <= pace * fminf(rest, mostBack);
    return isFast ? meeting->toi - slop / pace : meeting->toi;
}

// Takes an impact of the core of bodies[own] with the surface of the other one, if it is the sooner one.
static void takeImpact(const Core bodies[2], int own, const grzSweepImpact* impact, grzPassingMeeting* meeting) {
    const float since = bodies[0].walk.since, t = since + (1.0f - since) * (float)impact->toi;
    if (!(impact->toi < never) || (meeting->isMet && !(t < meeting->toi)))
        return;
    const grzVec3 point = grzVec3d_ToVec3(impact->pointB), found = grzVec3d_ToVec3(impact->normal);
    const grzVec3 nearing =
        grzSub(rateOf(&bodies[0].walk, t, point), rateOf(&bodies[1].walk, t, point)); // of A to B
    grzVec3 normal = own == 0 ? found : grzNeg(found);
    if (!(grzLengthSq(normal) > 0.0f)) // they overlap, as far as can be told
        normal = nearing;
    if (!(grzLengthSq(normal) > 0.0f))
        return;
    meeting->isMet = true;
    meeting->toi = t;
    meeting->point = point;
    meeting->normal = grzNormalize(normal);
    meeting->stop = stopOf(bodies, 2 * nearness * bodies[own].thickness, meeting);
}

// Finds which cores of two bodies keep off the other's surface for certain.
static bool keepApart(const grzPassingMover movers[2], float timeStep, bool areFree[2]) {
    Parting parting = {.areFree = {false, false}};
    for (int i = 0; i < 2; ++i) {
        const Turner turner = {&movers[i].solid, movers[i].start, movers[i].end, movers[i].radius};
        parting.margins[i] = marginOf(movers[i].solid.collider, movers[i].thickness);
        if (!setEnds(&turner, movers[0].start->center, timeStep, &parting.bodies[i]))
            return false;
    }
    const bool areBoth = part(&parting);
    areFree[0] = parting.areFree[0];
    areFree[1] = parting.areFree[1];
    return areBoth;
}

static Core coreOf(const grzPassingMover* mover, float timeStep, float since) {
    const Walk walk = {motionOf(mover->start, mover->end, timeStep), since, mover->isHeld, mover->carry};
    return (Core){&mover->solid, grzSolid_Thickness(&mover->solid), walk, true, 0};
}

static grzVec3 wayOf(const Walk* walk) {
    return walk->isHeld ? walk->carry : grzScale(walk->motion.translation, 1.0f - walk->since);
}

static float turnWayOf(const Walk* walk, float radius) {
    return walk->isHeld ? 0.0f : grzLength(walk->motion.rotation) * radius * (1.0f - walk->since);
}

void grzPassing_FindMeeting(const grzPassingMover movers[2], float timeStep, float since,
                            grzPassingMeeting* meeting) {
    bool areFree[2] = {false, false};
    memset(meeting, 0, sizeof *meeting);
    if (!(since > 0.0f) && !movers[0].isHeld && !movers[1].isHeld && keepApart(movers, timeStep, areFree))
        return;
    Core bodies[2] = {coreOf(&movers[0], timeStep, since), coreOf(&movers[1], timeStep, since)};
    const Walk *a = &bodies[0].walk, *b = &bodies[1].walk;
    bodies[0].pace = bodies[1].pace =
        grzLength(grzSub(wayOf(a), wayOf(b))) + turnWayOf(a, movers[0].radius) + turnWayOf(b, movers[1].radius);
    for (int own = 0; own < 2; ++own) {
        if (areFree[own])
            continue;
        const grzSweepBody surface = surfaceOf(&bodies[1 - own]);
        const grzSweepImpact impact = findCore(&bodies[own], &surface);
        takeImpact(bodies, own, &impact, meeting);
    }
}

// ---- velocities ----

// In double: squares of floats may be beyond the range of float.
static double energyOf(const grzBodyMass* mass, const grzBodyState* state) {
    const grzVec3 own = grzQuat_RotateInverse(state->rotation, state->spin);
    double twice = grzVec3d_LengthSq(grzVec3d_FromVec3(state->velocity)) / (double)mass->inverseMass;
    for (int i = 0; i < 3; ++i) {
        const double spin = (double)grzVec3_Get(own, i), inverse = (double)mass->inverseInertia[i];
        twice += inverse > 0 ? spin * spin / inverse : 0;
    }
    return 0.5 * twice;
}

// Applies an impulse at the point of touch: the body leaves the wall, or moves along it.
static grzPassingHit strike(const grzPassingStop* stop, const grzPassingBounce* bounce, grzBodyState* state) {
    const grzVec3 n = stop->normal, arm = grzSub(stop->point, state->center);
    const grzVec3 velocity = grzAdd(state->velocity, grzCross(state->spin, arm));
    const float speed = grzDot(grzSub(velocity, stop->velocity), n);
    if (!(speed < 0.0f))
        return (grzPassingHit){0};
    const grzVec3 turn = grzBodyMass_Turn(bounce->mass, state->rotation, grzCross(arm, n));
    const float yield = bounce->mass->inverseMass + grzDot(grzCross(turn, arm), n);
    const float impulse =
        -speed * (speed < -bounce->threshold ? 1.0f + fminf(bounce->restitution, 1.0f) : 1.0f) / yield;
    state->velocity = grzAddScaled(state->velocity, impulse * bounce->mass->inverseMass, n);
    state->spin = grzAddScaled(state->spin, impulse, turn);
    return (grzPassingHit){-speed, impulse};
}

// Returns the energy that the body may have at its stop: its energy less that of the lift.
static double energyLeft(const grzPassingStop* stop, const grzPassingBounce* bounce, const grzBodyState* state) {
    const grzVec3d fall = grzVec3d_FromVec3(grzSub(state->center, stop->state.center));
    const double lift = grzVec3d_Dot(fall, grzVec3d_FromVec3(bounce->gravity)) *
                        (double)bounce->mass->gravityScale / (double)bounce->mass->inverseMass;
    return fmax(energyOf(bounce->mass, state) - fmax(lift, 0), 0);
}

static void slowTo(double most, const grzBodyMass* mass, grzBodyState* state) {
    const double energy = energyOf(mass, state);
    if (!(energy > most))
        return;
    const float part = (float)sqrt(most / energy);
    state->velocity = grzScale(state->velocity, part);
    state->spin = grzScale(state->spin, part);
}

void grzPassing_Stay(const grzPassingStop* stop, const grzPassingBounce* bounce, grzBodyState* state) {
    const double most = energyLeft(stop, bounce, state);
    state->center = stop->state.center;
    state->rotation = stop->state.rotation;
    slowTo(most, bounce->mass, state);
}

grzPassingHit grzPassing_Apply(const grzPassingStop* stop, const grzPassingBounce* bounce, grzBodyState* state) {
    const double most = energyLeft(stop, bounce, state);
    state->center = stop->state.center;
    state->rotation = stop->state.rotation;
    const grzPassingHit hit = strike(stop, bounce, state);
    if (!(grzLengthSq(stop->velocity) > 0.0f))
        slowTo(most, bounce->mass, state);
    return hit;
}

// The body goes back to where it was; its angular momentum stays, so a body that is not round gets another spin.
static void goBack(const grzPassingMover* mover, float timeStep, float t, const grzBodyMass* mass,
                   grzBodyState* state) {
    const grzVec3 own = grzQuat_RotateInverse(state->rotation, state->spin);
    const grzVec3 inverse = grzVec3_Load(mass->inverseInertia);
    const bool isFree = grzMinElement(inverse) > 0.0f;
    const grzSweepMotion motion = motionOf(mover->start, mover->end, timeStep);
    const grzVec3 momentum = grzVec3_Make(own.x / inverse.x, own.y / inverse.y, own.z / inverse.z);
    const grzVec3 world = grzQuat_Rotate(state->rotation, momentum);
    *state = stateAt(mover->start, mover->end, &motion, t);
    if (isFree)
        state->spin = grzBodyMass_Turn(mass, state->rotation, world);
}

grzPassingHit grzPassing_Collide(const grzPassingMover movers[2], float timeStep, const grzPassingMeeting* meeting,
                                 const grzPassingBounce bounces[2], grzBodyState* states[2]) {
    const grzVec3 n = meeting->normal;
    grzVec3 arms[2], turns[2], velocities[2];
    float yield = 0.0f;
    for (int i = 0; i < 2; ++i) {
        const grzBodyMass* mass = bounces[i].mass;
        if (!movers[i].isHeld)
            goBack(&movers[i], timeStep, meeting->stop, mass, states[i]);
        arms[i] = grzSub(meeting->point, states[i]->center);
        turns[i] = grzBodyMass_Turn(mass, states[i]->rotation, grzCross(arms[i], n));
        velocities[i] = grzAdd(states[i]->velocity, grzCross(states[i]->spin, arms[i]));
        yield += mass->inverseMass + grzDot(grzCross(turns[i], arms[i]), n);
    }
    const float approach = grzDot(grzSub(velocities[0], velocities[1]), n);
    if (!(approach > 0.0f))
        return (grzPassingHit){0};
    const float share = approach > bounces[0].threshold ? fminf(bounces[0].restitution, 1.0f) : 0.0f;
    const float impulse = approach * (1.0f + share) / yield;
    for (int i = 0; i < 2; ++i) {
        const float given = i == 0 ? -impulse : impulse;
        states[i]->velocity = grzAddScaled(states[i]->velocity, given * bounces[i].mass->inverseMass, n);
        states[i]->spin = grzAddScaled(states[i]->spin, given, turns[i]);
    }
    return (grzPassingHit){approach, impulse};
}
