// What: queries of two moving bodies: checks, and answers.
// Promise: graze/sweep.h.
// Idea: all is seen from A's moving centre, so that what is near is exact however far from the world's origin it is. What a coordinate
//   may be off is found once, from all lengths that are added on the way: 2^-48 of the way between the centres, of which little is
//   made, and 2^-46 of the bodies' own, some dozens of roundings. Gaps are taken less by it, and the tolerance is 64 of it at least.
// Threads: a query writes its own answer.
#include "graze/sweep.h"

#include <math.h>
#include <string.h>

#include "first_refused.h"
#include "float_modes.h"
#include "model_chunks.h"
#include "refuse_null.h"
#include "result_make.h"
#include "sweep_pair.h"

#define QUERY_MARK      0x53575051u
#define FAR_ROUNDING    0x1p-48
#define NEAR_ROUNDING   0x1p-46
#define SPREAD_ROUNDING 0x1p-40

grzSweepQuery grzDefaultSweepQuery(void) {
    grzSweepQuery query;
    memset(&query, 0, sizeof query);
    query.mark = QUERY_MARK;
    query.a.motion = query.b.motion = grzSweepMotion_Rest(grzTransform_Identity());
    return query;
}

// ----------------------------------------------------------------------------------------------------------- checks

static grzResult checkMotion(const grzSweepMotion* motion) {
    if (!grzPose_IsGood(motion->pose) || !grzCoordinates_AreGood(motion->center) ||
        !grzCoordinates_AreGood(motion->translation) || !grzCoordinates_AreGood(motion->rotation))
        return grzBecause(grzFail(grz_notFinite, 0), "a motion with a number that is not finite, or beyond 1e15");
    if (!(grzVec3d_Length(grzVec3d_FromVec3(motion->rotation)) <= GRZ_SWEEP_MOST_ROTATION))
        return grzBecause(grzFail(grz_badArgument, 0), "a rotation by more than GRZ_SWEEP_MOST_ROTATION");
    return grzOk();
}

static grzResult checkBody(const grzSweepBody* body) {
    const grzModel* model = body->model;
    grzResult result = checkMotion(&body->motion);
    if (!grzResult_IsOk(result))
        return result;
    if (body->starts != NULL && (model == NULL || !(grzLengthSq(body->motion.rotation) == 0.0F)))
        return grzBecause(grzFail(grz_badArgument, 0), "starts of a shape, or of a model that turns");
    if (body->starts != NULL && !(body->starts->mostWay <= 1e15F))
        return grzBecause(grzFail(grz_notFinite, 0), "a way of corners that is not finite, or beyond 1e15");
    if (model == NULL)
        return grzConvex_Check(&body->shape);
    grzModel_Open(model);
    if (model->leafCount != 0 &&
        (!grzCoordinates_AreGood(model->box.lower) || !grzCoordinates_AreGood(model->box.upper)))
        return grzBecause(grzFail(grz_notFinite, 0), "a model with a coordinate beyond 1e15");
    return grzOk();
}

static grzResult checkQuery(const grzSweepQuery* query) {
    if (query == NULL || query->mark != QUERY_MARK)
        return grzFail(grz_badDef, 0);
    for (uint64_t i = 1; i <= 2; ++i) {
        grzResult result = checkBody(i == 1 ? &query->a : &query->b);
        result.value = i;
        if (!grzResult_IsOk(result))
            return result;
    }
    if (!(fabs(query->tolerance) <= DBL_MAX))
        return grzBecause(grzFail(grz_notFinite, 3), "a tolerance that is not finite");
    return query->tolerance < 0 ? grzBecause(grzFail(grz_badArgument, 3), "a tolerance below 0") : grzOk();
}

// ------------------------------------------------------------------------------------------------------------ sides

// The core's box in its frame.
static void setShapeBox(SweepSide* side, const grzConvex* shape) {
    const grzVec3d a = grzVec3d_FromVec3(shape->a), b = grzVec3d_FromVec3(shape->b);
    side->lower = side->upper = a;
    if (shape->kind == grz_capsuleShape) {
        side->lower = grzVec3d_Min(a, b), side->upper = grzVec3d_Max(a, b);
    } else if (shape->kind == grz_boxShape) {
        side->lower = grzVec3d_Sub(a, b), side->upper = grzVec3d_Add(a, b);
    } else if (shape->kind == grz_hullShape) {
        const grzBoxd box = grzBoxd_FromBox(grzHull_GetView(shape->hull).box);
        side->lower = box.lower, side->upper = box.upper;
    }
}

static void setBox(SweepSide* side) {
    if (side->model == NULL) {
        setShapeBox(side, side->shape);
        return;
    }
    side->lower = side->upper = grzVec3d_Make(0, 0, 0);
    if (side->model->leafCount == 0)
        return;
    side->lower = grzVec3d_FromVec3(side->model->box.lower);
    side->upper = grzVec3d_FromVec3(side->model->box.upper);
}

// sqrt of the largest row sum of the cosines between columns: 1 where they are at right angles.
static void setColumns(SweepSide* side, const SweepPlace* place) {
    const grzVec3d* columns = place->vectors;
    double most = 1;
    for (int i = 0; i < 3; ++i)
        side->lengths[i] = grzVec3d_Length(columns[i]);
    for (int i = 0; i < 3; ++i) {
        double sum = 1;
        for (int j = 0; j < 3; ++j) {
            const double lengths = side->lengths[i] * side->lengths[j];
            sum += i != j && lengths > 0 ? fabs(grzVec3d_Dot(columns[i], columns[j])) / lengths : 0;
        }
        most = fmax(most, sum);
    }
    side->spread = sqrt(most) * (1 + SPREAD_ROUNDING);
}

static double reachOf(const SweepSide* side, grzVec3d point) {
    return grzSweepPath_Radius(&side->path, grzSweepPlace_Point(&side->start, point));
}

static double boxReachOf(const SweepSide* side) {
    const grzVec3d lower = side->lower, upper = side->upper;
    double most = 0;
    for (uint32_t k = 0; k < 8; ++k)
        most = fmax(most,
                    reachOf(side, grzVec3d_Make((k & 1) != 0 ? upper.x : lower.x, (k & 2) != 0 ? upper.y : lower.y,
                                                (k & 4) != 0 ? upper.z : lower.z)));
    return most;
}

static double hullReachOf(const SweepSide* side) {
    const grzHullView view = grzHull_GetView(side->shape->hull);
    double most = 0;
    for (uint32_t i = 0; i < view.vertexCount; ++i)
        most = fmax(most, reachOf(side, grzVec3d_FromVec3(view.vertices[i])));
    return most;
}

static void setReach(SweepSide* side) {
    const grzConvex* shape = side->shape;
    side->reach = 0;
    if (!(side->path.rate > 0))
        return;
    if (shape == NULL || shape->kind == grz_boxShape)
        side->reach = boxReachOf(side);
    else if (shape->kind == grz_hullShape)
        side->reach = hullReachOf(side);
    else
        side->reach = fmax(reachOf(side, grzVec3d_FromVec3(shape->a)),
                           reachOf(side, grzVec3d_FromVec3(shape->kind == grz_capsuleShape ? shape->b : shape->a)));
}

static void setSide(SweepSide* side, const grzSweepBody* body, int vectors) {
    side->model = body->model;
    side->shape = body->model == NULL ? &body->shape : NULL;
    side->starts = body->starts;
    side->isOneSided = body->model != NULL && body->isOneSided;
    side->slack = body->starts != NULL ? (double)body->starts->mostWay * (1 + SPREAD_ROUNDING) : 0;
    side->radius = body->model == NULL ? (double)body->shape.radius : 0;
    grzSweepPath_Set(&side->path, &body->motion, vectors);
    grzSweepPath_At(&side->path, 0, vectors, &side->start);
    setBox(side);
    setColumns(side, &side->start);
    setReach(side);
}

// All lengths that a point's place about the centre is the sum of.
static double termsOf(const SweepSide* side) {
    const grzVec3d far = grzVec3d_Max(grzVec3d_Max(grzVec3d_Neg(side->lower), side->upper),
                                      grzVec3d_Max(grzVec3d_Neg(side->upper), side->lower));
    return grzVec3d_Length(side->start.vectors[sweepArm]) + side->lengths[0] * far.x + side->lengths[1] * far.y +
           side->lengths[2] * far.z + side->radius + side->slack + side->path.rate * side->reach;
}

static double sizeOf(const SweepSide* side) {
    const grzVec3d extent = grzVec3d_Sub(side->upper, side->lower);
    return grzVec3d_Length(grzVec3d_Make(extent.x * side->lengths[0], extent.y * side->lengths[1],
                                         extent.z * side->lengths[2])) +
           2 * side->radius;
}

static void beginSweep(Sweep* sweep, const grzSweepQuery* query) {
    memset(sweep, 0, sizeof *sweep);
    const int vectors = query->a.model != NULL || query->b.model != NULL ? sweepVectors : sweepNormal;
    setSide(&sweep->sides[0], &query->a, vectors);
    setSide(&sweep->sides[1], &query->b, vectors);
    const SweepPath *a = &sweep->sides[0].path, *b = &sweep->sides[1].path;
    sweep->apart = grzVec3d_Sub(b->center, a->center);
    sweep->velocity = grzVec3d_Sub(b->velocity, a->velocity);
    sweep->error = FAR_ROUNDING * (grzVec3d_Length(sweep->apart) + grzVec3d_Length(sweep->velocity)) +
                   NEAR_ROUNDING * (termsOf(&sweep->sides[0]) + termsOf(&sweep->sides[1]));
    const double sizeA = sizeOf(&sweep->sides[0]), sizeB = sizeOf(&sweep->sides[1]);
    const double size = sizeA > 0 && sizeB > 0 ? fmin(sizeA, sizeB) : fmax(sizeA, sizeB);
    const double wanted = query->tolerance > 0 ? query->tolerance : GRZ_SWEEP_TOLERANCE * size;
    sweep->tolerance = fmax(wanted, GRZ_SWEEP_LEAST_ERRORS * sweep->error);
    sweep->limit = 1 + DBL_EPSILON; // what touches at 1 counts
    sweep->mostSteps = query->mostSteps != 0 ? query->mostSteps : UINT32_MAX;
    sweep->ignoresStart = query->ignoresStart;
}

// ---------------------------------------------------------------------------------------------------------- answers

static void setFree(grzSweepImpact* impact, double toi, uint32_t steps) {
    memset(impact, 0, sizeof *impact);
    impact->toi = toi;
    impact->steps = steps;
    impact->triangleA = impact->triangleB = GRZ_NO_TRIANGLE;
}

static uint32_t triangleOf(const SweepSide* side, uint32_t slot) {
    if (slot == GRZ_SWEEP_SHAPE)
        return GRZ_NO_TRIANGLE;
    return side->model->leaves[slot / GRZ_BVH_LEAF_TRIANGLES].ids[slot % GRZ_BVH_LEAF_TRIANGLES];
}

static void answer(const Sweep* sweep, grzSweepImpact* impact) {
    const SweepTouch* touch = &sweep->touch;
    const SweepPath* path = &sweep->sides[0].path;
    const grzVec3d center = grzVec3d_Add(path->center, grzVec3d_Scale(path->velocity, touch->t));
    const bool isExact = touch->isCertain && touch->t == 0;
    impact->outcome = grz_sweepTouches;
    impact->certainty = isExact ? grz_exact : grz_conservative;
    impact->toi = touch->t;
    impact->measure = isExact ? 0 : fmax(sweep->tolerance, touch->distance);
    impact->distance = touch->distance;
    impact->pointA = grzVec3d_Add(center, touch->pointA);
    impact->pointB = grzVec3d_Add(center, touch->pointB);
    impact->normal = touch->normal;
    impact->triangleA = triangleOf(&sweep->sides[0], touch->slots[0]);
    impact->triangleB = triangleOf(&sweep->sides[1], touch->slots[1]);
    impact->featureA = touch->features[0];
    impact->featureB = touch->features[1];
}

static SweepAdvance advance(Sweep* sweep, double* t) {
    if (sweep->sides[0].model != NULL || sweep->sides[1].model != NULL)
        return grzSweep_AdvanceModels(sweep, t);
    const SweepPart parts[2] = {grzSweep_Part(sweep, 0, GRZ_SWEEP_SHAPE), grzSweep_Part(sweep, 1, GRZ_SWEEP_SHAPE)};
    *t = 0;
    return grzSweep_AdvanceParts(sweep, parts, t);
}

static grzResult find(const grzSweepQuery* query, grzSweepImpact* impact) {
    Sweep sweep;
    double t;
    const grzResult result = checkQuery(query);
    setFree(impact, 0, 0);
    if (!grzResult_IsOk(result))
        return result;
    beginSweep(&sweep, query);
    const SweepAdvance found = advance(&sweep, &t);
    setFree(impact, found == sweepTired ? fmin(t, 1) : 1, sweep.steps);
    if (found == sweepTouched)
        answer(&sweep, impact);
    if (found == sweepTired) {
        impact->outcome = grz_sweepUndecided;
        impact->certainty = grz_conservative;
        impact->measure = (double)INFINITY;
    }
    return result;
}

grzResult grzSweep_Find(const grzSweepQuery* query, grzSweepImpact* impact) {
    GRZ_REFUSE_NULL(impact, 2);
    const uint64_t modes = grzFloatModes_KeepSmall(); // floats become doubles
    const grzResult result = find(query, impact);
    grzFloatModes_Set(modes);
    return result;
}

// ------------------------------------------------------------------------------------------------------------- many

typedef struct ManyWork {
    const grzSweepQuery* queries;
    grzSweepImpact* impacts;
} ManyWork;

static grzResult answerOne(uint32_t i, void* context) {
    const ManyWork* work = context;
    return grzSweep_Find(&work->queries[i], &work->impacts[i]);
}

grzResult grzSweep_FindMany(grzTasks* tasks, const grzSweepQuery* queries, uint32_t count,
                            grzSweepImpact* impacts) {
    GRZ_REFUSE_NULL_ARRAY(impacts, count, 4);
    if (queries == NULL && count != 0)
        return grzFail(grz_badDef, 0);
    ManyWork work = {queries, impacts};
    const grzResult result = grzParallelAnswer(tasks, count, 8, answerOne, &work);
    for (uint32_t i = 0; i < count && !grzResult_IsOk(result); ++i)
        setFree(&impacts[i], 0, 0);
    return result;
}
