// What: manifolds of two convex shapes.
// Promise: graze/convex_pairs.h: within the margin nothing is missed; moving B out by the depth separates.
// Idea: cores that are apart have closest points, and their difference is the normal; cores that overlap have the
//   axis of least depth. Then, where the normal is that of a face, what lies under the face is clipped by it; else the
//   two closest features touch in one point. All kinds go this one way, but for the short ones of convex_quick.h.
//
//        GJK -- apart, near --> normal -/ face: clip, up to 4 points
//         |---- overlapping --> axis ---\ else: one point
//         |---- far ----------> none
//
// Cost: hulls of 30 vertices some 3 us.
// Limits: two edges side by side, apart or touching in no face, have one point; segments have two.
#include <math.h>
#include <string.h>

#include "check.h"
#include "convex_contact.h"
#include "convex_quick.h"
#include "convex_slab.h"
#include "nearest.h"
#include "refuse_null.h"

// A face is met by the normal of closest points where it is turned by less than a third of a degree.
#define FACE_COSINE (1 - 2e-5)

// Bounds that are farther apart than this, as a ratio, do not tell the normal to 1e-5 of a radian: those of cores that are
// nearer than some 1e-9 of their sizes, or that GJK could not bring together. Such are asked for axes.
#define CONVERGED (1 - 1e-5)

// ----------------------------------------------------------------------------------------------------- deciding

static bool isRound(const ConvexCore* core) {
    return core->kind == corePoint || grzConvexCore_FaceCount(core) == 0;
}

static grzVec3d perpendicular(grzVec3d d) {
    double x = fabs(d.x), y = fabs(d.y), z = fabs(d.z);
    grzVec3d far = x <= y && x <= z ? grzVec3d_Make(1, 0, 0)
                   : y <= z         ? grzVec3d_Make(0, 1, 0)
                                    : grzVec3d_Make(0, 0, 1);
    return grzVec3d_Unit(grzVec3d_Cross(d, far));
}

// Cores without faces that meet: any direction across both is one of least depth.
static grzVec3d normalOfRound(const ConvexCore* coreA, const ConvexCore* coreB) {
    const ConvexCore* cores[2] = {coreA, coreB};
    grzVec3d directions[2];
    uint32_t count = 0;
    for (int i = 0; i < 2; ++i)
        if (cores[i]->cornerCount > 1 && cores[i]->size > 0)
            directions[count++] = grzVec3d_Sub(cores[i]->corners[1], cores[i]->corners[0]);
    if (count == 2) {
        grzVec3d n = grzVec3d_Cross(directions[0], directions[1]);
        double length = grzVec3d_Length(n);
        if (length > 1e-6 * grzVec3d_Length(directions[0]) * grzVec3d_Length(directions[1]))
            return grzVec3d_Scale(n, 1 / length);
    }
    return count > 0 ? perpendicular(directions[0]) : grzVec3d_Make(0, 0, 1);
}

// Cores that touch as far as GJK can tell are near, however the axes come out.
static void setDeep(Touch* touch) {
    double radii = touch->coreA->radius + touch->coreB->radius;
    touch->isDeep = true;
    touch->isCertain |= touch->axis.top + touch->axis.error <= touch->margin + radii;
    touch->normal = touch->axis.normal;
}

static void setApart(Touch* touch) {
    double radii = touch->coreA->radius + touch->coreB->radius;
    touch->isDeep = false;
    touch->normal = touch->gjk.normal;
    touch->isNear = touch->gjk.lower <= touch->margin + radii;
    touch->isCertain = touch->gjk.upper <= touch->margin + radii;
}

// The closest points of a box's face and a corner over it, as GJK would have them.
static void setOverFace(Touch* touch, const Slab* slab) {
    const ConvexCore* box = touch->coreA;
    GjkResult* gjk = &touch->gjk;
    const grzVec3d axis = box->axes[slab->axis], corner = touch->coreB->corners[slab->corner];
    const double length = grzVec3d_Length(axis);
    *gjk = (GjkResult){.lower = slab->gap - slab->error, .upper = slab->gap + slab->error, .count = 3};
    gjk->normal = grzVec3d_Scale(axis, (slab->isUpper ? 1 : -1) / length);
    gjk->pointA = grzVec3d_Sub(corner, grzVec3d_Scale(gjk->normal, slab->gap));
    gjk->pointB = corner;
    for (uint32_t k = 0; k < 3; ++k) { // three corners of the face, and the one over it
        const uint32_t u = (slab->axis + 1) % 3, v = (slab->axis + 2) % 3, end = slab->isUpper ? 1 : 0;
        gjk->verticesA[k] = end << slab->axis | (k & 1) << u | (k >> 1) << v;
        gjk->verticesB[k] = slab->corner;
    }
    setApart(touch);
}

// False where the axes of a box do not tell.
static bool findTouchOfBox(Touch* touch) {
    const ConvexCore *box = touch->coreA, *triangle = touch->coreB;
    if (box->kind != coreBox || triangle->kind != coreTriangle || grzConvexCore_FaceCount(triangle) == 0)
        return false;
    const Slab slab = grzCompareSlab(box, triangle->corners, touch->margin);
    touch->isNear = slab.kind != slabBeside;
    if (slab.kind == slabOver)
        setOverFace(touch, &slab);
    if (slab.kind != slabInside)
        return slab.kind != slabUnknown;
    touch->isCertain = true;
    grzFindAxis(box, triangle, grzAxisPreference(box, triangle), &touch->axis);
    setDeep(touch);
    return true;
}

void grzFindTouch(const ConvexCore* coreA, const ConvexCore* coreB, double margin, Touch* touch) {
    touch->coreA = coreA;
    touch->coreB = coreB;
    touch->margin = margin;
    if (findTouchOfBox(touch))
        return;
    double radii = coreA->radius + coreB->radius;
    grzGjk(coreA, coreB, margin + radii, &touch->gjk);
    setApart(touch);
    if (!touch->isNear)
        return;
    const GjkResult* gjk = &touch->gjk;
    bool isShallow = gjk->isOverlapping || gjk->lower < CONVERGED * gjk->upper;
    if (isShallow && isRound(coreA) && isRound(coreB)) {
        if (grzVec3d_LengthSq(touch->normal) == 0)
            touch->normal = normalOfRound(coreA, coreB);
        return;
    }
    if (isShallow) {
        grzFindAxis(coreA, coreB, grzAxisPreference(coreA, coreB), &touch->axis);
        setDeep(touch);
    }
}

// ------------------------------------------------------------------------------------------------ making points

static void setPoints(const Touch* touch, bool isA, const ClipPoint* points, uint32_t count, grzVec3d base,
                      grzManifold* manifold) {
    const ConvexCore *reference = isA ? touch->coreA : touch->coreB, *incident = isA ? touch->coreB : touch->coreA;
    ContactLay lay = {touch->normal, base, reference->radius, incident->radius, isA};
    grzSetPoints(&lay, points, count, manifold);
}

static void setHead(const Touch* touch, grzManifold* manifold) {
    double radii = touch->coreA->radius + touch->coreB->radius;
    const ConvexAxis* axis = &touch->axis;
    ContactHead head = {.normal = touch->normal, .margin = touch->margin, .isCertain = touch->isCertain};
    head.separation = grzSeparationAlong(touch->coreA, touch->coreB, touch->normal) - radii;
    head.error = touch->isDeep ? axis->error : touch->coreA->error + touch->coreB->error;
    head.depthError = touch->isDeep ? axis->top - axis->separation + axis->error : 0;
    grzSetHead(&head, manifold);
}

// One point, between a point of A's core and one of B's that lie one over the other.
static void setSingle(const Touch* touch, grzVec3d onA, grzVec3d onB, grzFeature featureA, grzFeature featureB,
                      grzVec3d base, grzManifold* manifold) {
    ClipPoint point = {onB, grzVec3d_Dot(touch->normal, grzVec3d_Sub(onB, onA)), featureA, featureB};
    setPoints(touch, true, &point, 1, base, manifold);
}

// The closest points of the two lines. Their directions are not parallel, as crossArcs saw.
static void setCrossingPoint(const Touch* touch, grzVec3d base, grzManifold* manifold) {
    const ConvexAxis* axis = &touch->axis;
    grzVec3d d = axis->directionA, e = axis->directionB, r = grzVec3d_Sub(axis->pointB, axis->pointA);
    const grzNearestLines lines = grzNearest_OfLines(d, e, r);
    double s = lines.s / lines.all, t = lines.t / lines.all;
    s = s < 0 ? 0 : s > axis->spanA ? axis->spanA : s;
    t = t < 0 ? 0 : t > axis->spanB ? axis->spanB : t;
    setSingle(touch, grzVec3d_Add(axis->pointA, grzVec3d_Scale(d, s)),
              grzVec3d_Add(axis->pointB, grzVec3d_Scale(e, t)),
              grzConvexCore_Feature(touch->coreA, grz_edgeFeature, axis->edgeA),
              grzConvexCore_Feature(touch->coreB, grz_edgeFeature, axis->edgeB), base, manifold);
    manifold->points[0].separation = (float)(axis->separation - touch->coreA->radius - touch->coreB->radius);
}

static uint32_t clipAgainst(const Touch* touch, bool isA, uint32_t face, ClipPoint* points) {
    const ConvexCore* reference = isA ? touch->coreA : touch->coreB;
    const ConvexCore* incident = isA ? touch->coreB : touch->coreA;
    grzVec3d outward = isA ? touch->normal : grzVec3d_Neg(touch->normal);
    double most = touch->margin + reference->radius + incident->radius;
    uint32_t count = grzClipFace(reference, face, incident, outward, most, points);
    return grzReducePoints(points, count, outward);
}

// The vertex of the incident core that is deepest under the face.
static void setDeepest(const Touch* touch, bool isA, grzVec3d base, grzManifold* manifold) {
    const ConvexCore* reference = isA ? touch->coreA : touch->coreB;
    const ConvexCore* incident = isA ? touch->coreB : touch->coreA;
    grzVec3d outward = isA ? touch->normal : grzVec3d_Neg(touch->normal);
    uint32_t vertex = coreSupport(incident, grzVec3d_Neg(outward));
    ClipPoint point;
    point.point = coreVertex(incident, vertex);
    point.height = grzVec3d_Dot(point.point, outward) - coreExtent(reference, outward);
    point.reference = grzConvexCore_Feature(reference, grz_faceFeature, touch->axis.face);
    point.incident = grzConvexCore_Feature(incident, grz_vertexFeature, vertex);
    setPoints(touch, isA, &point, 1, base, manifold);
}

// The face that the normal of closest points meets, if any: of two the first.
static bool findMetFace(const Touch* touch, bool* isA, uint32_t* face) {
    double cosineA = -2, cosineB = -2;
    uint32_t a = 0, b = 0;
    if (grzConvexCore_FaceCount(touch->coreA) > 0)
        a = grzConvexCore_FindFace(touch->coreA, touch->normal, &cosineA);
    if (grzConvexCore_FaceCount(touch->coreB) > 0)
        b = grzConvexCore_FindFace(touch->coreB, grzVec3d_Neg(touch->normal), &cosineB);
    bool meetsA = cosineA >= FACE_COSINE, meetsB = cosineB >= FACE_COSINE;
    if (!meetsA && !meetsB)
        return false;
    *isA = meetsA && (!meetsB || grzIsFirstFace(a, touch->normal, b, grzVec3d_Neg(touch->normal)));
    *face = *isA ? a : b;
    return true;
}

static void setApartPoints(const Touch* touch, grzVec3d base, grzManifold* manifold) {
    ClipPoint points[CLIP_MOST_POINTS];
    bool isA = true;
    uint32_t face, count = 0;
    double most = touch->margin + touch->coreA->radius + touch->coreB->radius;
    // What a ball's centre is nearest to on a triangle is all that clipping could find.
    bool isBall = touch->coreA->kind == corePoint && touch->coreB->kind == coreTriangle;
    if (!isBall && findMetFace(touch, &isA, &face))
        count = clipAgainst(touch, isA, face, points);
    else if (touch->coreA->kind == coreSegment && touch->coreB->kind == coreSegment)
        count = grzClipSegments(touch->coreA->corners, touch->coreB->corners, touch->normal, most, points);
    // Beside the face, on its neighbour, the closest points may be nearer than all that lies over it.
    const GjkResult* gjk = &touch->gjk;
    if (count > 0 && points[0].height <= gjk->upper + grzAxisPreference(touch->coreA, touch->coreB)) {
        setPoints(touch, isA, points, count, base, manifold);
        return;
    }
    setSingle(touch, gjk->pointA, gjk->pointB,
              grzConvexCore_FeatureOf(touch->coreA, gjk->verticesA, gjk->count, touch->normal),
              grzConvexCore_FeatureOf(touch->coreB, gjk->verticesB, gjk->count, grzVec3d_Neg(touch->normal)), base,
              manifold);
}

// False where the points under a preferred face leave out the deepest part of the overlap, which lies beside the face.
static bool makeDeep(const Touch* touch, double preference, grzVec3d base, grzManifold* manifold) {
    setHead(touch, manifold);
    if (touch->axis.kind == axisEdges) {
        setCrossingPoint(touch, base, manifold);
        return true;
    }
    ClipPoint points[CLIP_MOST_POINTS];
    bool isA = touch->axis.kind == axisFaceA;
    uint32_t count = clipAgainst(touch, isA, touch->axis.face, points);
    if (count == 0 || points[0].height > touch->axis.separation + preference + touch->axis.error) {
        setDeepest(touch, isA, base, manifold);
        return false;
    }
    setPoints(touch, isA, points, count, base, manifold);
    return true;
}

void grzMakeManifold(const Touch* touch, grzVec3d base, grzManifold* manifold) {
    if (!touch->isDeep) {
        setHead(touch, manifold);
        setApartPoints(touch, base, manifold);
        return;
    }
    double preference = grzAxisPreference(touch->coreA, touch->coreB);
    if (makeDeep(touch, preference, base, manifold))
        return;
    // Along the very best axis the deepest parts of both touch each other.
    Touch again = *touch;
    grzFindAxis(touch->coreA, touch->coreB, 0, &again.axis);
    again.normal = again.axis.normal;
    makeDeep(&again, preference, base, manifold);
}

// Whether the vertex of A that is deepest under the triangle lies over it.
static bool isDeepestOverTriangle(const Touch* touch) {
    const ConvexCore* b = touch->coreB;
    const grzVec3d vertex = coreVertex(touch->coreA, coreSupport(touch->coreA, touch->normal));
    for (uint32_t k = 0; k < 3; ++k) {
        const grzVec3d along = grzVec3d_Sub(b->corners[k == 2 ? 0 : k + 1], b->corners[k]);
        const grzVec3d side = grzVec3d_Cross(along, b->normal);
        if (grzVec3d_Dot(side, grzVec3d_Sub(vertex, b->corners[k])) > 0)
            return false;
    }
    return true;
}

void grzMakeFaceManifold(const Touch* touch, uint32_t faceB, grzVec3d base, grzManifold* manifold) {
    ClipPoint points[CLIP_MOST_POINTS];
    setHead(touch, manifold);
    uint32_t count = clipAgainst(touch, false, faceB, points);
    // The face of A that looks along the normal most need not have the vertex that is deepest.
    if (count == 0 && touch->isDeep && isDeepestOverTriangle(touch))
        setDeepest(touch, false, base, manifold);
    else
        setPoints(touch, false, points, count, base, manifold);
}

// ------------------------------------------------------------------------------------------------------- public

// The sentence for a shape or pose of the call's place.
static const char* reasonAt(uint64_t place) {
    static const char* const reasons[4] = {
        "a number of the first shape is not finite, or beyond 1e15",
        "a number of the first pose is not finite, or beyond 1e15",
        "a number of the second shape is not finite, or beyond 1e15",
        "a number of the second pose is not finite, or beyond 1e15",
    };
    return reasons[(place - 1) & 3];
}

grzResult grzCheckPosed(const grzConvex* shape, grzTransform pose, uint64_t place) {
    grzResult result = grzConvex_Check(shape);
    if (result.status == grz_notFinite)
        return grzBecause(grzFail(grz_notFinite, place), reasonAt(place));
    if (!grzResult_IsOk(result)) {
        result.value = place;
        return result;
    }
    if (!grzPose_IsGood(pose))
        return grzBecause(grzFail(grz_notFinite, place + 1), reasonAt(place + 1));
    return grzPose_IsRigid(pose) ? grzOk()
                                 : grzBecause(grzFail(grz_badArgument, place + 1), "a pose that is not rigid");
}

grzResult grzCheckMargin(float margin, uint64_t place) {
    if (!(fabsf(margin) <= 1e15f))
        return grzBecause(grzFail(grz_notFinite, place), "the margin is not finite, or beyond 1e15");
    return margin >= 0 ? grzOk() : grzBecause(grzFail(grz_badArgument, place), "a margin below 0");
}

// True where all is certainly good; else the slower checks tell. Sums are NaN where a part is.
static inline bool isPlainlyGood(const grzConvex* shape) {
    grzVec3 sizes = grzAdd(grzAbs(shape->a), grzAbs(shape->b));
    bool isGood = sizes.x + sizes.y + sizes.z + shape->radius <= 1e15f && shape->radius >= 0;
    if (shape->kind == grz_boxShape)
        return isGood && shape->radius == 0 && shape->b.x >= 0 && shape->b.y >= 0 && shape->b.z >= 0;
    return isGood && (shape->kind == grz_sphereShape || shape->kind == grz_capsuleShape);
}

static bool collideQuickly(const grzConvex* shapeA, const grzTransform* poseA, const grzConvex* shapeB,
                           const grzTransform* poseB, float margin, grzManifold* manifold) {
    if (!isPlainlyGood(shapeA) || !isPlainlyGood(shapeB) || !(margin >= 0 && margin <= 1e15f))
        return false;
    QuickPair pair = {shapeA, shapeB, poseA, poseB, margin, quickDefectOf(poseA) + quickDefectOf(poseB)};
    return grzQuick_Collide(&pair, manifold);
}

static grzResult collideSlowly(const grzConvex* shapeA, const grzTransform* poseA, const grzConvex* shapeB,
                               const grzTransform* poseB, float margin, grzManifold* manifold) {
    grzResult result = grzCheckPosed(shapeA, *poseA, 1);
    if (grzResult_IsOk(result))
        result = grzCheckPosed(shapeB, *poseB, 3);
    if (grzResult_IsOk(result))
        result = grzCheckMargin(margin, 5);
    if (!grzResult_IsOk(result))
        return result;
    grzCollideGeneral(shapeA, *poseA, shapeB, *poseB, margin, manifold);
    return grzOk();
}

void grzCollideGeneral(const grzConvex* shapeA, grzTransform poseA, const grzConvex* shapeB, grzTransform poseB,
                       float margin, grzManifold* manifold) {
    ConvexCore coreA, coreB;
    grzVec3d base = grzVec3d_FromVec3(poseA.origin);
    grzConvexCore_Set(&coreA, shapeA, poseA, base);
    grzConvexCore_Set(&coreB, shapeB, poseB, base);
    Touch touch;
    grzFindTouch(&coreA, &coreB, (double)margin, &touch);
    if (touch.isNear)
        grzMakeManifold(&touch, base, manifold);
    else
        grzClearManifold(manifold);
}

grzResult grzConvex_Collide(const grzConvex* shapeA, grzTransform poseA, const grzConvex* shapeB,
                            grzTransform poseB, float margin, grzManifold* manifold) {
    GRZ_REFUSE_NULL(manifold, 6);
    if (shapeA != NULL && shapeB != NULL && collideQuickly(shapeA, &poseA, shapeB, &poseB, margin, manifold))
        return grzOk();
    return collideSlowly(shapeA, &poseA, shapeB, &poseB, margin, manifold);
}

// The order of the contacts' keys within a pair of bodies.
static bool isKeyLess(const grzContact* a, const grzContact* b) {
    for (unsigned word = 2; word < grz_contactKeyWords; ++word) {
        uint64_t x = grzContact_KeyWord(a, word), y = grzContact_KeyWord(b, word);
        if (x != y)
            return x < y;
    }
    return false;
}

uint32_t grzManifold_ToContacts(const grzManifold* manifold, grzBodyId idA, grzBodyId idB, grzContact* contacts) {
    GRZ_RETURN_IF_NULL(manifold, 0);
    bool isSwapped = idA.index1 > idB.index1;
    for (uint32_t i = 0; i < manifold->pointCount; ++i) {
        const grzManifoldPoint* point = &manifold->points[i];
        grzContact contact;
        memset(&contact, 0, sizeof contact);
        contact.point = point->point;
        contact.normal = isSwapped ? grzNeg(manifold->normal) : manifold->normal;
        contact.normal.w = 0;
        contact.separation = point->separation;
        contact.toi = point->separation > 0 ? 1.0f : 0.0f;
        contact.bodyA = isSwapped ? idB : idA;
        contact.bodyB = isSwapped ? idA : idB;
        contact.triangleA = isSwapped ? manifold->triangleB : GRZ_NO_TRIANGLE;
        contact.triangleB = isSwapped ? GRZ_NO_TRIANGLE : manifold->triangleB;
        contact.featureA = isSwapped ? point->featureB : point->featureA;
        contact.featureB = isSwapped ? point->featureA : point->featureB;
        contact.ordinal = point->ordinal;
        contact.certainty = manifold->certainty;
        contact.measure = manifold->measure;
        uint32_t at = i;
        for (; at > 0 && isKeyLess(&contact, &contacts[at - 1]); --at)
            contacts[at] = contacts[at - 1];
        contacts[at] = contact;
    }
    return manifold->pointCount;
}
