// What: how the contacts of each pair of bodies are found in this step, and up to which separation.
// Promise: graze/stage/step.h. Kept contacts are those of pairs whose surfaces have moved against each other by no more than the
//   stillness below since they were found.
// Idea: a pair goes the cheapest way that its bodies allow.
// Threads: a block of pairs an item.
#include <string.h>

#include "graze/hull.h"
#include "graze/stage/step.h"
#include "near_loop.h"
#include "pair_ahead.h"
#include "profile_zone.h"
#include "refuse_null.h"
#include "result_make.h"
#include "step_columns.h"

// A pair keeps its contacts if its surfaces have moved against each other by at most this part of its margin since they
// were found, and by at most `ofRadius` of the smaller body's radius.
static const float stillness = 0.25f;
static const float ofRadius = 0.0625f;
// The same for flush faces, which keep their contacts longer: so tall stacks stand (grzTouchPoint). Slip in margins, as
// above, and the sine of half the angle turned.
static const float flushSlip = 2.5f;
static const float flushTurn = 0.03f;
// The cosine between faces of a hull that lie so that it rolls from the one to the other while flush contacts are kept, which have
// nothing to tell of the other's corners: both bodies turn by twice the sine above, from halfway between the two faces.
static const float bluntness = 0.9713f; // 0.24 radians

grzMidInput grzDefaultMidInput(void) {
    grzMidInput input;
    memset(&input, 0, sizeof input);
    return input;
}

static const grzShapeTraits* traitsOf(const grzMidInput* input, uint32_t body) {
    return grzShapeTraits_At(input->traits, input->traitStride, body);
}

// The square of the sine of half the angle between two rotations, to first order. A body's rotation does not change its sign.
static float turnedSq(grzQuat a, grzQuat b) {
    const grzQuat d = grzQuat_AddScaled(a, -1.0f, b);
    return grzQuat_Dot(d, d);
}

// Whether the contacts lie spread over a face: then the two can only slide and lean, and their contacts tell of both. Not so of
// two meshes that have met, which tell of what has met alone: the rest of a plate would sink in beside it.
static bool isFlush(const grzShapeTraits* a, const grzShapeTraits* b, const grzPairFound* last) {
    const bool areMeshes = a->kind == grz_meshCollider && b->kind == grz_meshCollider;
    return !areMeshes && last->touchCount == 1 && last->contactCount >= 3;
}

static bool isBlunt(const grzMidInput* input, uint32_t body) {
    if (input->shapes == NULL || traitsOf(input, body)->kind != grz_convexCollider)
        return false;
    const grzConvex* shape = grzColumn_At(input->shapes, input->shapeStride, sizeof *shape, body);
    if (shape->kind != grz_hullShape)
        return false;
    const grzHullView hull = grzHull_GetView(shape->hull);
    bool isBlunt = false;
    for (uint32_t edge = 0; edge < hull.edgeCount && !isBlunt; ++edge) {
        const grzHalfEdge* half = &hull.halfEdges[2 * (size_t)edge];
        isBlunt = grzDot(hull.faces[half[0].face].normal, hull.faces[half[1].face].normal) > bluntness;
    }
    return isBlunt;
}

// As fminf, which compilers call as a function for the sake of NaN.
static float lesser(float a, float b) {
    return a < b ? a : b;
}

// Small bodies have a margin by their size. Else all that lies around them would be as near as what they touch.
static float marginOf(const grzMidInput* input, const grzPairRow* row) {
    return grzMargin_OfPair(input->margin, input->marginShare, traitsOf(input, row->a), traitsOf(input, row->b));
}

// Of two rigid bodies.
static bool isStill(const grzMidInput* input, const grzPairRow* row, const grzPairFound* last) {
    const grzPairPose* pose = &row->poses[last->pose];
    const grzBodyState *a = &input->states[row->a], *b = &input->states[row->b];
    const grzShapeTraits *traitsA = traitsOf(input, row->a), *traitsB = traitsOf(input, row->b);
    const float radiusA = traitsA->radius, radiusB = traitsB->radius;
    const float apart = grzLengthSq(grzSub(grzSub(b->center, a->center), pose->shift));
    const float turnA = turnedSq(a->rotation, pose->rotationA), turnB = turnedSq(b->rotation, pose->rotationB);
    const float radius = lesser(radiusA, radiusB), most = ofRadius * radius;
    const float margin = grzMargin_OfRadius(input->margin, input->marginShare, radius);
    const float reach = lesser(stillness * margin, most), reachSq = reach * reach;
    const bool isStill = apart <= reachSq && 4.0f * turnA * radiusA * radiusA <= reachSq &&
                         4.0f * turnB * radiusB * radiusB <= reachSq;
    if (!isFlush(traitsA, traitsB, last))
        return isStill;
    const float slip = lesser(flushSlip * margin, most);
    return apart <= slip * slip && turnA <= flushTurn * flushTurn && turnB <= flushTurn * flushTurn &&
           (isStill || (!isBlunt(input, row->a) && !isBlunt(input, row->b)));
}

// No two points of the two bodies come nearer to each other by more than this in the step; but for what gravity adds to it, where that
// is within the margin. (Counted always, it finds contacts a step before they are met, which the solver's last substep then brakes for.)
static float approachOf(const grzMidInput* input, const grzPairRow* row, float margin) {
    const grzMotion *a = &input->motions[row->a], *b = &input->motions[row->b];
    const float turning = (a->turning + b->turning) * input->timeStep;
    const float from = grzLength(grzSub(grzVec3_Load(a->from), grzVec3_Load(b->from))) * input->timeStep;
    const float to = grzLength(grzSub(grzVec3_Load(a->to), grzVec3_Load(b->to))) * input->timeStep;
    return (to > from + margin ? to : from) + turning;
}

// Surfaces are within 1e15 of the origin: a larger reach finds no more, and the narrow stage takes none.
static float reachOf(const grzMidInput* input, const grzPairRow* row) {
    const float margin = marginOf(input, row), approach = approachOf(input, row, margin);
    const float reach = margin + (approach > margin ? approach : 0.0f);
    return reach < GRZ_MOST_REACH ? reach : GRZ_MOST_REACH;
}

static grzPairWay wayOf(const grzMidInput* input, const grzPairRow* row) {
    const uint8_t a = traitsOf(input, row->a)->kind, b = traitsOf(input, row->b)->kind;
    if (a == grz_noCollider || b == grz_noCollider)
        return grz_pairNothing;
    if (a == grz_clothCollider || b == grz_clothCollider)
        return a == b ? grz_pairNothing : grz_pairCloth;
    if (a == grz_animatedCollider || b == grz_animatedCollider)
        return grz_pairMesh;
    const grzPairFound* last = grzStepPairs_Last(&input->pairs, row);
    if (last != NULL && !last->isPassing && isStill(input, row, last))
        return grz_pairRecycled;
    if (a == grz_meshCollider || b == grz_meshCollider)
        return grz_pairMesh;
    return grz_pairConvex;
}

static bool yields(const grzMidInput* input, uint32_t body) {
    return (input->motions[body].flags & grz_bodyYields) != 0;
}

static bool keepsMesh(const grzStepPairs* pairs, const grzPairRow* row) {
    return row->way == grz_pairRecycled && grzStepPairs_Last(pairs, row)->meshCount != 0;
}

// What a pair that comes soon is judged by. Pairs of one a follow each other, so that only b is far away.
static void prefetchPair(const grzMidInput* input, uint32_t place) {
    const grzStepPairs* pairs = &input->pairs;
    const grzPairRow* row = grzPairRow_Ahead(pairs->rows, pairs->order, pairs->count, place, GRZ_NAMED_AHEAD);
    __builtin_prefetch(grzPairRow_Ahead(pairs->rows, pairs->order, pairs->count, place, GRZ_PAIRS_AHEAD));
    __builtin_prefetch(row->poses);
    __builtin_prefetch(&input->states[row->b]);
    __builtin_prefetch(&input->motions[row->b]);
}

static void chooseBlock(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    const grzMidInput own = *(const grzMidInput*)context,
                      *input = &own; // rows that are written cannot be a part of it
    GRZ_ZONE_BEGIN(zone, input->profile, grz_stageMid, "choose ways", worker);
    const grzStepPairs* pairs = &input->pairs;
    grzPairBlock* block = &pairs->blocks[begin / GRZ_PAIR_BLOCK];
    block->collided = block->recycled = block->cloths = block->meshes = block->grounds = 0;
    for (uint32_t i = begin; i < end; ++i) {
        grzPairRow* row = grzStepPairs_At(pairs, i);
        prefetchPair(input, i);
        row->way = (uint8_t)wayOf(input, row);
        row->reach = row->way == grz_pairRecycled ? 0.0f : reachOf(input, row);
        row->yielding = (uint8_t)(yields(input, row->a) + yields(input, row->b));
        block->collided += row->way == grz_pairConvex;
        block->recycled += row->way == grz_pairRecycled;
        block->cloths += row->way == grz_pairCloth;
        block->meshes += row->way == grz_pairMesh || keepsMesh(pairs, row);
        block->grounds += grzPairRow_HasGround(row);
    }
    GRZ_ZONE_END(zone);
}

static const char* flawOf(const grzMidInput* input) {
    const grzStepPairs* pairs = &input->pairs;
    if (pairs->count != 0 && (pairs->rows == NULL || pairs->order == NULL || pairs->blocks == NULL))
        return "there are no rows of pairs, or no order of them, or no blocks";
    if (pairs->now > 1)
        return "now is neither 0 nor 1";
    if (pairs->count != 0 && (input->states == NULL || input->motions == NULL))
        return "there are no states, or no motions";
    if (pairs->count != 0 && input->traits == NULL)
        return "there are no traits";
    if (!(input->timeStep >= 0.0f))
        return "the time step is negative or a NaN";
    if (!(input->marginShare >= 0.0f))
        return "marginShare is negative or a NaN";
    return input->margin >= 0.0f ? NULL : "the margin is negative or a NaN";
}

grzResult grzStep_Mid(const grzMidInput* input) {
    GRZ_REFUSE_NULL(input, 1);
    const char* flaw = flawOf(input);
    if (flaw != NULL)
        return grzBecause(grzFail(grz_badArgument, 1), flaw);
    grzMidInput call = *input;
    grzParallelForNear(input->tasks, input->pairs.count, GRZ_PAIR_BLOCK, chooseBlock, &call);
    return grzOk();
}
