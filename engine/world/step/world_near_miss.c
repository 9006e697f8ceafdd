// What: gives contacts of bodies that pass each other in the step separations at which they do not push.
// Promise: if two rigid bodies do not touch, and would not while they move as planned, their contacts do not push them. Contacts of
//   bodies that touch, or will, stay as they are.
// Idea: a contact that is apart stands for a plane. A fast body may cross the plane of a corner or a leaning face beside the other
//   body, and touch nothing. So pairs whose contacts would push, and that move along each other, are swept (graze/sweep.h). If they
//   do not touch, their contacts get the separations that the planned motion takes. They hold what a third body pushes farther;
//   without them, heaps of small bodies sank in more.
//
//        o--->. . . .|. . . .   the plane at the corner stands in the way
//              '.n   |          the sweep is free: the ball goes on
//                [====
//
// Threads: pairs, each of which writes what its own pair has found.
// Cost: some 20 ns for each pair of convex shapes that are near and apart. A sweep for each pair whose contacts would push: some
//   microseconds, with meshes some dozens.
#include <math.h>
#include <string.h>

#include "graze/sweep.h"
#include "near_loop.h"
#include "profile_zone.h"
#include "world_inside.h"
#include "world_narrow.h"

// Steps of one sweep, some milliseconds.
enum { MOST_STEPS = 1 << 12 };

// Planes of contacts stand for bodies that move along them by no more than this part of the thinner one's thickness.
static const float leastWay = 0.1f;
// Bodies nearer than this part of the thickness count as touching.
static const float leastGap = 0.015625f;
// Normals of the contacts of one touch differ by 1.8 degrees at most (contact_touch.h).
static const float leanOfTouch = 0.04f;

// ---- two bodies ----

// Two bodies, and by how much the planned motion leads B towards A.
typedef struct Pass {
    const grzWorld* world;
    uint32_t a, b;   // rows
    float thickness; // of the thinner one
    float falling;   // how much farther they may come by gravity than by their mean velocities
    // In seconds: the step and a substep more. Contacts of one touch get one normal, along which a point may push before
    // the motion comes to the plane of its own normal.
    float horizon;
    grzVec3 velocity; // of B's centre, as A's moves
} Pass;

// Static bodies are as thick as need be.
static float thicknessOf(const grzWorld* world, uint32_t row) {
    return grzBodyTraits_Body(&world->traits.data[row]) == grz_dynamicBody
               ? grzBodyTraits_Thickness(&world->traits.data[row])
               : INFINITY;
}

static float thinnerOf(const grzWorld* world, const grzPairRow* row) {
    const float a = thicknessOf(world, row->a), b = thicknessOf(world, row->b);
    return a < b ? a : b;
}

static grzVec3 velocityOf(const grzMotion* motion) {
    return grzLerp(grzVec3_Load(motion->from), grzVec3_Load(motion->to), 0.5f);
}

// Returns false if the two move too little against each other, or are too far apart. The thickness is set.
static bool setPass(const grzWorld* world, const grzPairRow* row, float separation, Pass* pass) {
    const grzMotion *motionA = &world->motions.data[row->a], *motionB = &world->motions.data[row->b];
    const grzVec3 from = grzSub(grzVec3_Load(motionB->from), grzVec3_Load(motionA->from));
    const grzVec3 to = grzSub(grzVec3_Load(motionB->to), grzVec3_Load(motionA->to));
    pass->velocity = grzLerp(from, to, 0.5f);
    const float speed = grzLength(pass->velocity) + motionA->turning + motionB->turning;
    if (!(speed * world->timeStep > leastWay * pass->thickness))
        return false;
    pass->world = world;
    pass->a = row->a, pass->b = row->b;
    pass->falling = 0.5f * grzDistance(from, to);
    pass->horizon = world->timeStep * (1.0f + 1.0f / (float)world->def.substepCount);
    return separation < (speed + pass->falling) * pass->horizon;
}

static grzVec3 turningAt(const grzBodyState* state, grzVec3 point) {
    return grzCross(state->spin, grzSub(point, state->center));
}

static grzVec3 velocityAt(const Pass* pass, grzVec3 point) {
    const grzBodyState* states = pass->world->states.data;
    return grzAdd(pass->velocity, grzSub(turningAt(&states[pass->b], point), turningAt(&states[pass->a], point)));
}

// How far a point may come along the normal until the horizon: as the solver sees it, along tangents.
static float approachOf(const Pass* pass, grzVec3 velocity, grzVec3 normal) {
    return (pass->falling - grzDot(velocity, normal)) * pass->horizon;
}

// Whether a contact that is apart would push, although the bodies move along each other.
static bool isDoubtful(const Pass* pass, grzVec3 point, grzVec3 normal, float separation) {
    const grzVec3 velocity = velocityAt(pass, point);
    const float along = grzDot(velocity, normal), least = leastWay * pass->thickness / pass->world->timeStep;
    return separation > leastGap * pass->thickness && separation < approachOf(pass, velocity, normal) &&
           grzLengthSq(velocity) - along * along > least * least;
}

// A separation at which the planned motion does not push along the normal, nor along one that differs as those of a touch may.
static float freeSeparation(const Pass* pass, grzVec3 point, grzVec3 normal, float separation) {
    const grzVec3 velocity = velocityAt(pass, point);
    const float lean = leanOfTouch * grzLength(velocity) * pass->horizon;
    return fmaxf(separation, approachOf(pass, velocity, normal) + lean);
}

// ---- the sweep ----

static void setBody(const grzWorld* world, uint32_t row, grzSweepBody* body) {
    const grzCollider* collider = &world->colliders.data[row];
    const grzBodyState* state = &world->states.data[row];
    const grzMotion* motion = &world->motions.data[row];
    const bool moves = (motion->flags & grz_bodyMoves) != 0;
    body->motion.pose = collider->pose;
    body->motion.center = state->center;
    body->motion.translation = grzScale(velocityOf(motion), world->timeStep);
    body->motion.rotation = moves ? grzScale(state->spin, world->timeStep) : grzVec3_Zero();
    body->shape = collider->shape;
    if (collider->kind != grz_meshCollider)
        return;
    body->model = collider->mesh->model;
    body->isOneSided = !collider->isTwoSided;
}

// How far a point may be from where a constant axis leads it: gyroscopic terms turn the axis by no more than the body turns.
static float strayOf(const grzWorld* world, uint32_t row) {
    const float turn = grzLength(world->states.data[row].spin) * world->timeStep;
    return 0.5f * turn * world->motions.data[row].turning * world->timeStep;
}

// Whether the two will not touch. False for bodies beyond what sweeps take, and where the steps are used up.
static bool isMiss(const Pass* pass) {
    grzSweepImpact impact;
    grzSweepQuery query = grzDefaultSweepQuery();
    setBody(pass->world, pass->a, &query.a);
    setBody(pass->world, pass->b, &query.b);
    query.mostSteps = MOST_STEPS;
    query.tolerance =
        (double)(leastGap * pass->thickness + strayOf(pass->world, pass->a) + strayOf(pass->world, pass->b));
    return grzResult_IsOk(grzSweep_Find(&query, &impact)) && impact.outcome == grz_sweepFree;
}

// ---- pairs ----

// Sets the thickness, and returns whether it shows at once that the contacts need no look: gaps are narrow, or the
// bodies slow. A pair's reach holds its margin, and how much nearer its bodies may come in the step if this is more
// (step_mid.c). So they move against each other by less than twice the reach. The least gap shows nothing: along a normal
// that leans it may be less than the distance.
static bool isPlain(const grzWorld* world, const grzPairRow* row, float widest, Pass* pass) {
    pass->thickness = thinnerOf(world, row);
    return !(widest > leastGap * pass->thickness) || 2.0f * row->reach <= leastWay * pass->thickness;
}

static float widestGap(const grzManifold* manifold) {
    float widest = manifold->separation;
    for (uint32_t i = 0; i < manifold->pointCount; ++i)
        widest = manifold->points[i].separation > widest ? manifold->points[i].separation : widest;
    return widest;
}

// A manifold beyond the pair's reach gives no contacts.
static bool isManifoldMiss(const grzWorld* world, const grzPairRow* row, const grzManifold* manifold, Pass* pass) {
    bool isDoubt = false;
    if (manifold->pointCount == 0 || !(manifold->separation > 0.0f) || manifold->separation > row->reach ||
        isPlain(world, row, widestGap(manifold), pass) || !setPass(world, row, manifold->separation, pass))
        return false;
    for (uint32_t i = 0; i < manifold->pointCount && !isDoubt; ++i) {
        const grzManifoldPoint* point = &manifold->points[i];
        isDoubt = isDoubtful(pass, point->point, manifold->normal, point->separation);
    }
    return isDoubt && isMiss(pass);
}

static bool isRigid(const grzWorld* world, uint32_t row) {
    const grzColliderKind kind = world->colliders.data[row].kind;
    return kind == grz_meshCollider || kind == grz_convexCollider;
}

static bool isAnyTouching(const grzContact* contacts, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i)
        if (contacts[i].separation <= 0.0f)
            return true;
    return false;
}

static bool areContactsMiss(const grzWorld* world, const grzPairRow* row, Pass* pass) {
    const grzPairFound* found = grzWorld_Found(world, row);
    bool isDoubt = false;
    if (found->meshCount == 0 || !isRigid(world, row->a) || !isRigid(world, row->b) ||
        isPlain(world, row, INFINITY, pass))
        return false;
    const grzContact* contacts = &world->tables[world->now].meshContacts.data[found->firstMesh];
    if (isAnyTouching(contacts, found->meshCount) || !setPass(world, row, 0.0f, pass))
        return false;
    for (uint32_t i = 0; i < found->meshCount && !isDoubt; ++i)
        isDoubt = isDoubtful(pass, contacts[i].point, contacts[i].normal, contacts[i].separation);
    return isDoubt && isMiss(pass);
}

static void freeManifold(const Pass* pass, grzManifold* manifold) {
    manifold->separation = INFINITY;
    for (uint32_t i = 0; i < manifold->pointCount; ++i) {
        grzManifoldPoint* point = &manifold->points[i];
        point->separation = freeSeparation(pass, point->point, manifold->normal, point->separation);
        manifold->separation = fminf(manifold->separation, point->separation);
    }
}

static void freeContacts(const Pass* pass, grzContact* contacts, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i)
        contacts[i].separation =
            freeSeparation(pass, contacts[i].point, contacts[i].normal, contacts[i].separation);
}

static void judgePair(const grzWorld* world, uint32_t index, grzPairRow* row) {
    grzPairFound* found = &row->found[world->now];
    Pass pass;
    if (row->way == grz_pairConvex) {
        grzManifold* manifold = &world->narrow->manifolds.data[world->narrow->places.data[index]];
        found->isPassing = isManifoldMiss(world, row, manifold, &pass);
        if (found->isPassing)
            freeManifold(&pass, manifold);
    } else if (row->way == grz_pairMesh) {
        found->isPassing = areContactsMiss(world, row, &pass);
        if (found->isPassing)
            freeContacts(&pass, &world->tables[world->now].meshContacts.data[found->firstMesh], found->meshCount);
    }
}

static void judgeBlock(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    const grzWorld* world = context;
    const grzPairBlock* block = &world->rowBlocks.data[begin / GRZ_PAIR_BLOCK];
    if (block->collided == 0 && block->meshes == 0)
        return;
    GRZ_ZONE_BEGIN(zone, world->def.profile, grz_stageNarrow, "sweep pairs that pass", worker);
    for (uint32_t i = begin; i < end; ++i)
        judgePair(world, i, grzWorld_PairAt(world, i));
    GRZ_ZONE_END(zone);
}

void grzWorld_PassNearMisses(grzWorld* world) {
    grzParallelForNear(world->def.tasks, grzWorld_PairCount(world), GRZ_PAIR_BLOCK, judgeBlock, world);
}
