// What: rays against a model: the way into its frame, and of hits back.
// Promise: as graze/model_ray.h says.
// Idea: t is the same in every frame, so only the origin and the direction are brought into the model's.
//
//   How far off. The origin and the direction are off by what the inverse is (model_place.h), each times its length in the
//   world. The direction's part grows along the ray. Projecting adds a few roundings of the coordinates.
//   What boxes must spare is less, since they see the same ray as the triangles: those roundings, and what
//   model_ray_hit.c leaves of a hit's place along the ray.
#include "graze/model_ray.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "model_chunks.h"
#include "model_ray_kernel.h"
#include "refuse_null.h"
#include "result_make.h"

#define RAY_MARK 0x4D526159u

#define LARGEST  0x1p200 // of numbers in the model's frame, so that no product of four overflows

grzModelRay grzDefaultModelRay(void) {
    grzModelRay ray;
    memset(&ray, 0, sizeof ray);
    ray.mark = RAY_MARK;
    ray.pose = grzTransform_Identity();
    ray.reach = (float)INFINITY;
    return ray;
}

// ------------------------------------------------------------------------------------------- into the model's frame

static const char* flawOf(const grzModelRay* ray) {
    if (ray->model == NULL)
        return "model is NULL";
    if ((unsigned)ray->pick > grz_rayAny)
        return "pick is no grzModelRayPick";
    if ((unsigned)ray->sides > grz_raysHitBacks)
        return "sides is no grzModelRaySides";
    if (ray->reach < 0)
        return "reach is below 0";
    return NULL;
}

static grzResult checkRay(const grzModelRay* ray) {
    if (ray == NULL || ray->mark != RAY_MARK)
        return grzFail(grz_badDef, 0);
    const char* flaw = flawOf(ray);
    if (flaw != NULL)
        return grzBecause(grzFail(grz_badArgument, 1), flaw);
    if (!grzTransform_IsFinite(ray->pose) || !grzVec3_IsFinite(ray->origin) || !grzVec3_IsFinite(ray->direction) ||
        isnan(ray->reach))
        return grzFail(grz_notFinite, 1);
    return grzOk();
}

static void store(grzVec3d v, double out[3]) {
    out[0] = v.x, out[1] = v.y, out[2] = v.z;
}

static double largestInBox(const grzModel* model) {
    return (double)grzMaxElement(grzMax(grzAbs(model->box.lower), grzAbs(model->box.upper)));
}

// A ray as its walks need it, and the way back.
typedef struct RayFrame {
    ModelPlace place;
    double scale; // a power of two: t is tau times this
    bool isStill; // a direction of 0
    double slack;
    float measure;
    RayWalk walk;
} RayFrame;

static void setBoxes(RayWalk* walk, double size) {
    for (int axis = 0; axis < 3; ++axis) {
        const double o = walk->origin[axis], d = walk->direction[axis];
        const double pad = 0x1p-26 * size + 0x1p-45 * fabs(o);
        const float above = grzRoundUp(o + pad), below = grzRoundDown(o - pad);
        const bool isBackward = d < 0;
        walk->isBackward[axis] = isBackward;
        walk->nearOrigin[axis] = isBackward ? below : above;
        walk->farOrigin[axis] = isBackward ? above : below;
        walk->reciprocal[axis] = d == 0 ? (float)INFINITY : fabs(d) < 0x1p-126 ? (float)NAN : (float)(1 / d);
    }
}

static void setProjection(RayWalk* walk) {
    const double *d = walk->direction, x = fabs(d[0]), y = fabs(d[1]), z = fabs(d[2]);
    const int along = x >= y && x >= z ? 0 : y >= z ? 1 : 2;
    walk->axes[0] = (along + 1) % 3;
    walk->axes[1] = (along + 2) % 3;
    walk->axes[2] = along;
    walk->shear[0] = d[walk->axes[0]] / d[along];
    walk->shear[1] = d[walk->axes[1]] / d[along];
    walk->shear[2] = 1 / d[along];
}

// How far off a projected vertex may be: asked for only where something is hit.
static void setSlack(RayFrame* frame, const grzModelRay* ray) {
    ModelPlace* place = &frame->place;
    const grzVec3d direction = grzVec3d_FromVec3(ray->direction);
    grzModelPlace_SetError(place);
    const double apart = grzVec3d_Length(grzVec3d_Sub(grzVec3d_FromVec3(ray->origin), place->origin));
    const double *o = frame->walk.origin, *lengths = place->lengths;
    const double whole = largestInBox(ray->model) + fmax(fmax(fabs(o[0]), fabs(o[1])), fabs(o[2]));
    const double turn = frame->scale * grzVec3d_Length(direction);
    const double off = place->error / fmin(fmin(lengths[0], lengths[1]), lengths[2]);
    frame->slack = off * apart + 4 * off * turn * whole + 0x1p-48 * whole;
    frame->measure = grzRoundUp(2 * frame->slack * (lengths[0] + lengths[1] + lengths[2]));
}

// The power of two that brings a length of 2^-200 to 2^200 to 1/2 .. 1.
static double scaleFor(double length) {
    uint64_t bits;
    double scale;
    memcpy(&bits, &length, sizeof bits);
    bits =
        ((uint64_t)2045 << 52) - (bits & ((uint64_t)2047 << 52)); // exponents e to -1 - e, with their bias of 1023
    memcpy(&scale, &bits, sizeof scale);
    return scale;
}

static grzResult setFrame(RayFrame* frame, const grzModelRay* ray) {
    static const char tooFar[] = "the pose's basis cannot be inverted, or its numbers are too large or small";
    ModelPlace* place = &frame->place;
    RayWalk* walk = &frame->walk;
    grzModelPlace_Set(place, ray->pose);
    if (!grzModelPlace_Invert(place))
        return grzBecause(grzFail(grz_badArgument, 1), tooFar);
    const grzVec3d origin =
        grzModelPlace_TurnBack(place, grzVec3d_Sub(grzVec3d_FromVec3(ray->origin), place->origin));
    const grzVec3d direction = grzModelPlace_TurnBack(place, grzVec3d_FromVec3(ray->direction));
    const double length = grzVec3d_Largest(direction);
    if (!(grzVec3d_Largest(origin) < LARGEST) || !(length < LARGEST) || (length < 1 / LARGEST && length > 0))
        return grzBecause(grzFail(grz_badArgument, 1), tooFar);
    frame->isStill = length == 0;
    if (frame->isStill)
        return grzOk();
    const double scale = frame->scale = scaleFor(length);
    grzModel_Open(ray->model);
    walk->model = ray->model;
    walk->pick = ray->pick;
    walk->sides = ray->sides;
    walk->reach = (double)ray->reach / scale;
    walk->isHit = false;
    store(origin, walk->origin);
    store(grzVec3d_Scale(direction, scale), walk->direction);
    const double size = ray->model->leafCount != 0 ? largestInBox(ray->model) : 0;
    setProjection(walk);
    setBoxes(walk, size);
    return grzOk();
}

static void runWalk(RayWalk* walk) {
    if (walk->model->chunks == NULL)
        GRZ_PICK_KERNEL(grzModelRayWalk)(walk);
    else
        GRZ_PICK_KERNEL(grzModelRayWalkChunks)(walk);
}

// ------------------------------------------------------------------------------------------------ back to the world

static grzModelRayHit noHit(float reach) {
    grzModelRayHit hit;
    memset(&hit, 0, sizeof hit);
    hit.t = reach;
    hit.triangle = GRZ_NO_TRIANGLE;
    return hit;
}

// By the transposed inverse, which keeps the front in front where the pose mirrors.
static grzVec3 normalOf(const RayFrame* frame, uint32_t place) {
    const grzModel* model = frame->walk.model;
    const grzVec3d a = grzModel_Corner(model, place, 0);
    const grzVec3d e = grzVec3d_Sub(grzModel_Corner(model, place, 1), a);
    const grzVec3d f = grzVec3d_Sub(grzModel_Corner(model, place, 2), a);
    const grzVec3d n = grzVec3d_Cross(e, f), *rows = frame->place.rows;
    const grzVec3d turned = grzVec3d_Turn(rows, n);
    const double length = grzVec3d_Length(turned);
    return length > 0 && isfinite(length) ? grzVec3d_ToVec3(grzVec3d_Scale(turned, 1 / length)) : grzVec3_Zero();
}

static grzModelRayHit bringBack(const RayFrame* frame, const grzModelRay* ray, const RayHit* found) {
    grzModelRayHit hit = noHit(ray->reach);
    const double t = found->tau * frame->scale, *w = found->weights, sum = (w[0] + w[1]) + w[2];
    const float rounded = t < (double)FLT_MAX ? (float)t : FLT_MAX; // of a tiny direction
    hit.t = rounded < ray->reach ? rounded : ray->reach;
    hit.triangle = found->triangle;
    hit.weights = grzVec3_Make((float)(w[0] / sum), (float)(w[1] / sum), (float)(w[2] / sum));
    hit.point =
        grzVec3d_ToVec3(grzVec3d_AddScaled(grzVec3d_FromVec3(ray->origin), t, grzVec3d_FromVec3(ray->direction)));
    hit.normal = normalOf(frame, found->place);
    hit.isFront = found->isFront;
    const bool isCertain = grzModelRay_IsCertain(&frame->walk, found, frame->slack);
    hit.certainty = isCertain ? grz_exact : grz_conservative;
    hit.measure = isCertain ? 0 : frame->measure;
    return hit;
}

grzResult grzModel_CastRay(const grzModelRay* ray, grzModelRayHit* hit) {
    GRZ_REFUSE_NULL(hit, 2);
    RayFrame frame;
    *hit = noHit(ray != NULL && ray->reach >= 0 ? ray->reach : 0);
    grzResult result = checkRay(ray);
    if (grzResult_IsOk(result))
        result = setFrame(&frame, ray);
    if (!grzResult_IsOk(result) || frame.isStill)
        return result;
    runWalk(&frame.walk);
    if (frame.walk.isHit) {
        setSlack(&frame, ray);
        *hit = bringBack(&frame, ray, &frame.walk.best);
    }
    return grzOk();
}
