// What: manifolds of spheres and capsules, with each other and with boxes.
// Promise: graze/convex_pairs.h. An answer is given only where it proves itself.
// Idea: a closed form proposes the closest points of the two cores. Their distance is reached, and the separation of
//   the cores' extents along the line between them is not undercut by any distance: where the two are equal, but for
//   rounding, the points are the closest ones, however they were found. So the formulas need no care in
//   degenerate cases, and none of what they leave out of a basis that is not quite square can do harm: what does
//   not prove itself is left to the general way, as are cores that meet.
//
//   From a segment to a box: the squared distance of a point that moves along the segment is convex, and its slope
//   is a broken line that bends where the point passes the plane of a face. The zero lies between two bends.
// Cost: of many pairs, 20 to 60 ns with a sphere, 60 to 140 ns with capsules; far ones 20 to 50 ns.
#include "convex_contact.h"
#include "nearest.h"
#include "quick_rim.h"

// How far distance and separation may differ, as a ratio: the normal is then right to 5e-6 of a radian.
#define PROVED 1e-11

// By this part of the sizes a face may be less than the best axis, as in quick_boxes.c.
#define FACE_ERROR 1e-6

// Twice what a point in float may be off, as a part of its terms: by a dozen roundings, and by the basis.
#define FLOAT_ERROR (0x1p-20f + 2 * QUICK_MOST_DEFECT)

// Cores nearer than this part of their sizes are left to the general way, since the difference of two points would lose
// digits.
#define SHALLOW 1e-7

// As in convex_pairs.c: faces that a normal meets.
#define FACE_COSINE (1 - 2e-5)

typedef struct RoundCore {
    grzVec3d ends[2]; // relative to the base
    grzVec3d along;   // from the first to the second
    double radius;
    bool isPoint;
} RoundCore;

typedef struct RoundTouch {
    grzVec3d onB; // the nearest point of B's core
    grzFeature featureA, featureB;
    grzVec3d normal; // unit, from A to B
    double distance;
    double separation; // of the cores along the normal
    double error;
} RoundTouch;

static void setRound(const grzConvex* shape, const grzTransform* pose, grzVec3d origin, RoundCore* core) {
    core->radius = (double)shape->radius;
    core->isPoint = shape->kind == grz_sphereShape || grzVec3_IsEqual(shape->a, shape->b);
    core->ends[0] = core->ends[1] = quickPoint(pose, shape->a, origin);
    if (!core->isPoint)
        core->ends[1] = quickPoint(pose, shape->b, origin);
    core->along = grzVec3d_Sub(core->ends[1], core->ends[0]);
}

static grzVec3d pointAt(const RoundCore* core, double t) {
    return t <= 0 ? core->ends[0] : t >= 1 ? core->ends[1] : grzVec3d_AddScaled(core->ends[0], t, core->along);
}

static grzFeature featureAt(const RoundCore* core, double t) {
    if (core->isPoint)
        return grzMakeFeature(grz_bodyFeature, 0);
    return t <= 0   ? grzMakeFeature(grz_vertexFeature, 0)
           : t >= 1 ? grzMakeFeature(grz_vertexFeature, 1)
                    : grzMakeFeature(grz_edgeFeature, 0);
}

static double roundExtent(const RoundCore* core, grzVec3d n) {
    double first = grzVec3d_Dot(core->ends[0], n), last = grzVec3d_Dot(core->ends[1], n);
    return first > last ? first : last;
}

// Where the points lie along the segments, 0 .. 1 each.
static void nearestOfSegments(const RoundCore* a, const RoundCore* b, double* s, double* t) {
    const grzVec3d r = grzVec3d_Sub(b->ends[0], a->ends[0]);
    *t = 0;
    if (b->isPoint)
        *s = grzNearest_OnSegment(r, a->along);
    else
        grzNearest_OfSegments(a->along, b->along, r, s, t);
}

static void setHead(const RoundTouch* touch, double radii, double margin, grzManifold* manifold) {
    ContactHead head = {.normal = touch->normal,
                        .separation = touch->separation - radii,
                        .margin = margin,
                        .error = touch->error,
                        .isCertain = touch->distance + touch->error <= margin + radii};
    grzSetHead(&head, manifold);
}

// Points at both ends of the stretch where segments lie side by side, or else the one point.
static void setRoundPoints(const RoundCore* a, const RoundCore* b, const RoundTouch* touch, double margin,
                           grzVec3d base, grzManifold* manifold) {
    ContactLay lay = {touch->normal, base, a->radius, b->radius, true};
    ClipPoint points[2] = {{touch->onB, touch->distance, touch->featureA, touch->featureB}};
    uint32_t count = 0;
    if (!a->isPoint && !b->isPoint)
        count = grzClipSegments(a->ends, b->ends, touch->normal, margin + a->radius + b->radius, points);
    setHead(touch, a->radius + b->radius, margin, manifold);
    if (count == 0)
        points[0] = (ClipPoint){touch->onB, touch->distance, touch->featureA, touch->featureB};
    grzSetPoints(&lay, points, count > 0 ? count : 1, manifold);
}

bool grzQuick_Spheres(const QuickPair* pair, grzManifold* manifold) {
    const grzConvex *a = pair->shapeA, *b = pair->shapeB;
    grzVec3d base = grzVec3d_FromVec3(pair->poseA->origin);
    grzVec3d originB = grzVec3d_Sub(grzVec3d_FromVec3(pair->poseB->origin), base);
    grzVec3d onA = quickPoint(pair->poseA, a->a, grzVec3d_Make(0, 0, 0)),
             onB = quickPoint(pair->poseB, b->a, originB);
    grzVec3d apart = grzVec3d_Sub(onB, onA);
    double margin = (double)pair->margin, radii = (double)a->radius + (double)b->radius, all = margin + radii;
    double lengthSq = grzVec3d_LengthSq(apart);
    double error = 0x1p-46 * quickReachOf(pair, originB);
    if (lengthSq > (all + error) * (all + error) * (1 + 0x1p-50)) {
        grzClearManifold(manifold);
        return true;
    }
    double distance = sqrt(lengthSq);
    if (!(distance > 2 * error))
        return false;
    RoundTouch touch = {.normal = grzVec3d_Scale(apart, 1 / distance), .distance = distance, .error = error};
    touch.separation = distance;
    ContactLay lay = {touch.normal, base, (double)a->radius, (double)b->radius, true};
    const grzFeature body = grzMakeFeature(grz_bodyFeature, 0);
    ClipPoint point = {onB, distance, body, body};
    setHead(&touch, radii, margin, manifold);
    grzSetPoints(&lay, &point, 1, manifold);
    return true;
}

// True where the extents along a direction of any length are farther apart than `most` and the error.
static bool areExtentsFar(const RoundCore* a, const RoundCore* b, grzVec3d direction, double lengthSq,
                          double most) {
    double along = -roundExtent(b, grzVec3d_Neg(direction)) - roundExtent(a, direction);
    return along > 0 && along * along > most * most * lengthSq * (1 + 0x1p-40);
}

bool grzQuick_Rounds(const QuickPair* pair, grzManifold* manifold) {
    RoundCore a, b;
    RoundTouch touch;
    double s, t;
    grzVec3d base = grzVec3d_FromVec3(pair->poseA->origin);
    setRound(pair->shapeA, pair->poseA, grzVec3d_Make(0, 0, 0), &a);
    grzVec3d originB = grzVec3d_Sub(grzVec3d_FromVec3(pair->poseB->origin), base);
    setRound(pair->shapeB, pair->poseB, originB, &b);
    nearestOfSegments(&a, &b, &s, &t);
    touch.onB = pointAt(&b, t);
    touch.error = 0x1p-46 * quickReachOf(pair, originB);
    grzVec3d apart = grzVec3d_Sub(touch.onB, pointAt(&a, s));
    double lengthSq = grzVec3d_LengthSq(apart), radii = a.radius + b.radius, margin = (double)pair->margin;
    double shallow = SHALLOW * (grzVec3d_Sum(a.along) + grzVec3d_Sum(b.along)) + 2 * touch.error;
    if (!(lengthSq > shallow * shallow))
        return false;
    if (areExtentsFar(&a, &b, apart, lengthSq, margin + radii + touch.error)) {
        grzClearManifold(manifold);
        return true;
    }
    touch.distance = sqrt(lengthSq);
    touch.normal = grzVec3d_Scale(apart, 1 / touch.distance);
    touch.separation = -roundExtent(&b, grzVec3d_Neg(touch.normal)) - roundExtent(&a, touch.normal);
    if (touch.distance - touch.separation > PROVED * touch.distance + touch.error)
        return false;
    touch.featureA = featureAt(&a, s), touch.featureB = featureAt(&b, t);
    setRoundPoints(&a, &b, &touch, margin, base, manifold);
    return true;
}

// ------------------------------------------------------------------------------------------ with a box

// A box and what else is needed of it: the box is taken for A, whatever the order of the call.
typedef struct BoxRound {
    QuickBox box; // its axes made unit length, with the same sides
    RoundCore round;
    double start[3], slope[3]; // the segment's first end and direction in the box's axes
    double margin, rounding, sizes, slack;
} BoxRound;

static double excess(double place, double half) {
    return place > half ? place - half : place < -half ? place + half : 0;
}

// Half the slope of the squared distance to the box, of the point at t.
static double slopeAt(const BoxRound* pair, double t) {
    double sum = 0;
    for (int k = 0; k < 3; ++k)
        sum += pair->slope[k] * excess(pair->start[k] + t * pair->slope[k], pair->box.half[k]);
    return sum;
}

// Where the segment is nearest to the box.
static double nearestToBox(const BoxRound* pair) {
    if (pair->round.isPoint)
        return 0;
    double t0 = 0, t1 = 1, slope0 = slopeAt(pair, 0), slope1 = slopeAt(pair, 1);
    if (slope0 >= 0 || slope1 <= 0)
        return slope0 >= 0 ? 0 : 1;
    for (int k = 0; k < 3; ++k) {
        double inverse = 1 / pair->slope[k];
        for (int side = -1; side <= 1; side += 2) {
            double t = (side * pair->box.half[k] - pair->start[k]) * inverse;
            if (!(t > t0 && t < t1))
                continue;
            double slope = slopeAt(pair, t);
            if (slope < 0)
                t0 = t, slope0 = slope;
            else
                t1 = t, slope1 = slope;
        }
    }
    return slope1 > slope0 ? t0 + (t1 - t0) * (slope0 / (slope0 - slope1)) : t0;
}

// The part of the box nearest to the point: bit k of `outside` is set where axis k is beyond a face, of `upper` where
// it is the upper one.
typedef struct BoxPart {
    uint32_t outside, upper;
} BoxPart;

static BoxPart partAt(const BoxRound* pair, double t) {
    BoxPart part = {0, 0};
    for (uint32_t k = 0; k < 3; ++k) {
        double place = pair->start[k] + t * pair->slope[k];
        part.outside |= (uint32_t)(fabs(place) > pair->box.half[k]) << k;
        part.upper |= (uint32_t)(place > 0) << k;
    }
    return part;
}

static grzFeature featureOf(BoxPart part) {
    switch (part.outside) {
    case 1:
        return grzMakeFeature(grz_faceFeature, part.upper & 1);
    case 2:
        return grzMakeFeature(grz_faceFeature, 2 + (part.upper >> 1 & 1));
    case 4:
        return grzMakeFeature(grz_faceFeature, 4 + (part.upper >> 2 & 1));
    case 7:
        return grzMakeFeature(grz_vertexFeature, part.upper);
    default: {
        uint32_t axis = part.outside == 6 ? 0 : part.outside == 5 ? 1 : 2, u = quickNext(axis);
        bool isUpperU = (part.upper >> u & 1) != 0, isUpperV = (part.upper >> quickNext(u) & 1) != 0;
        return grzMakeFeature(grz_edgeFeature, quickEdge(axis, isUpperU, isUpperV));
    }
    }
}

// The lowest end of the segment over the face, where it lies over it; else the place t.
static grzVec3d lowestOver(const BoxRound* pair, BoxPart part, grzVec3d n, double* t) {
    if (!pair->round.isPoint) {
        double end = grzVec3d_Dot(pair->round.along, n) < 0 ? 1 : 0;
        if (partAt(pair, end).outside == part.outside)
            *t = end;
    }
    return pointAt(&pair->round, *t);
}

static void proposeFace(const BoxRound* pair, BoxPart part, double* t, RoundTouch* touch) {
    uint32_t k = part.outside >> 1, u = quickNext(k), v = quickNext(u); // 1, 2, 4 -> 0, 1, 2
    grzVec3d n = grzVec3d_Cross(pair->box.axes[u], pair->box.axes[v]);
    double sign = (part.upper >> k & 1) != 0 ? 1 : -1;
    touch->normal = grzVec3d_Scale(n, sign * quickInverseLength(n));
    touch->onB = lowestOver(pair, part, touch->normal, t);
    touch->distance = grzVec3d_Dot(touch->normal, grzVec3d_Sub(touch->onB, pair->box.middle)) -
                      quickExtent(&pair->box, touch->normal);
    touch->featureA = featureOf(part);
}

// An edge or vertex of the box, as a segment.
static void setBoxEdge(const QuickBox* box, BoxPart part, RoundCore* edge) {
    uint32_t axis = part.outside == 6 ? 0 : part.outside == 5 ? 1 : 2;
    edge->isPoint = part.outside == 7;
    edge->ends[0] = box->middle;
    for (uint32_t k = 0; k < 3; ++k) {
        bool isUpper = (part.upper >> k & 1) != 0 && (edge->isPoint || k != axis);
        edge->ends[0] = grzVec3d_AddScaled(edge->ends[0], isUpper ? box->half[k] : -box->half[k], box->axes[k]);
    }
    edge->along = grzVec3d_Scale(box->axes[axis], edge->isPoint ? 0 : 2 * box->half[axis]);
    edge->ends[1] = grzVec3d_Add(edge->ends[0], edge->along);
    edge->isPoint |= !(box->half[axis] > 0);
}

static void proposeEdge(const BoxRound* pair, BoxPart part, double* t, RoundTouch* touch) {
    RoundCore edge;
    double s;
    setBoxEdge(&pair->box, part, &edge);
    nearestOfSegments(&edge, &pair->round, &s, t);
    touch->onB = pointAt(&pair->round, *t);
    grzVec3d apart = grzVec3d_Sub(touch->onB, pointAt(&edge, s));
    touch->distance = grzVec3d_Length(apart);
    touch->normal = grzVec3d_Scale(apart, touch->distance > 0 ? 1 / touch->distance : 0);
    if (part.outside != 7 && (s <= 0 || s >= 1)) { // at an end of the edge
        uint32_t axis = part.outside == 6 ? 0 : part.outside == 5 ? 1 : 2;
        part.upper = (part.upper & ~(1u << axis)) | (uint32_t)(s >= 1) << axis;
        part.outside = 7;
    }
    touch->featureA = featureOf(part);
}

// -------------------------------------------------------------------------------------- a segment over a face

// The stretch of a segment that lies over a face, and the sides of the face that cut it.
typedef struct Stretch {
    double t[2];
    uint32_t cuts[2]; // RIM_NONE: the segment's own end
} Stretch;

// Sides as in quick_rim.h. False where nothing is left.
static bool cutStretch(const BoxRound* pair, uint32_t face, Stretch* stretch) {
    const uint8_t* axes = quickFaceAxes[face];
    *stretch = (Stretch){{0, 1}, {RIM_NONE, RIM_NONE}};
    for (uint32_t side = 0; side < 4; ++side) {
        uint32_t axis = axes[(side & 1) != 0 ? 0 : 1];
        double sign = side == 1 || side == 2 ? 1 : -1, half = pair->box.half[axis] + pair->slack;
        double first = sign * pair->start[axis] - half, last = first + sign * pair->slope[axis];
        if (first > 0 && last > 0)
            return false;
        double t = first / (first - last);
        if (first > 0 && t > stretch->t[0])
            stretch->t[0] = t, stretch->cuts[0] = side;
        if (last > 0 && t < stretch->t[1])
            stretch->t[1] = t, stretch->cuts[1] = side;
    }
    return stretch->t[0] <= stretch->t[1];
}

static uint32_t clipStretch(const BoxRound* pair, const RoundTouch* touch, uint32_t face, ClipPoint points[2]) {
    Stretch stretch;
    uint32_t made = 0;
    if (!cutStretch(pair, face, &stretch))
        return 0;
    double offset = grzVec3d_Dot(touch->normal, pair->box.middle) + quickExtent(&pair->box, touch->normal);
    for (uint32_t i = 0; i < 2; ++i) {
        uint32_t cut = stretch.cuts[i];
        points[made].point = pointAt(&pair->round, stretch.t[i]);
        points[made].height = grzVec3d_Dot(touch->normal, points[made].point) - offset;
        if (points[made].height > pair->margin + pair->round.radius)
            continue;
        RimCorner corner = {.line = 0, .vertex = cut == RIM_NONE ? i : RIM_NONE};
        grzRim_Name(&corner, cut == RIM_NONE ? 0 : RIM_SIDE | cut, face, 0, &points[made++]);
    }
    return grzReducePoints(points, made, touch->normal);
}

// The face that the normal meets; 6: none.
static uint32_t metFace(const QuickBox* box, grzVec3d normal) {
    for (uint32_t k = 0; k < 3; ++k) {
        double cosine = grzVec3d_Dot(box->axes[k], normal);
        if (fabs(cosine) >= FACE_COSINE)
            return 2 * k + (cosine > 0);
    }
    return 6;
}

static void setBoxRoundManifold(const BoxRound* pair, RoundTouch* touch, double nearest, bool isBoxA, grzVec3d base,
                                grzManifold* manifold) {
    ClipPoint points[2];
    uint32_t count = 0, face = pair->round.isPoint ? 6 : metFace(&pair->box, touch->normal);
    if (face < 6)
        count = clipStretch(pair, touch, face, points);
    if (count == 0 || points[0].height > touch->distance + nearest) { // beside the face
        points[0] = (ClipPoint){touch->onB, touch->distance, touch->featureA, touch->featureB};
        count = 1;
    }
    if (!isBoxA)
        touch->normal = grzVec3d_Neg(touch->normal);
    ContactLay lay = {touch->normal, base, 0, pair->round.radius, isBoxA};
    setHead(touch, pair->round.radius, pair->margin, manifold);
    grzSetPoints(&lay, points, count, manifold);
}

static void setBoxRound(const QuickPair* given, bool isBoxA, BoxRound* pair) {
    const grzConvex *box = isBoxA ? given->shapeA : given->shapeB, *round = isBoxA ? given->shapeB : given->shapeA;
    const grzVec3d zero = grzVec3d_Make(0, 0, 0), base = grzVec3d_FromVec3(given->poseA->origin);
    const grzVec3d other = grzVec3d_Sub(grzVec3d_FromVec3(given->poseB->origin), base);
    const grzTransform* pose = isBoxA ? given->poseA : given->poseB;
    quickSetBox(&pair->box, box, pose, quickPoint(pose, box->a, isBoxA ? zero : other));
    setRound(round, isBoxA ? given->poseB : given->poseA, isBoxA ? other : zero, &pair->round);
    grzVec3d from = grzVec3d_Sub(pair->round.ends[0], pair->box.middle);
    for (int k = 0; k < 3; ++k) {
        grzVec3d axis = pair->box.axes[k];
        pair->box.axes[k] = grzVec3d_Scale(axis, quickInverseLength(axis));
        pair->box.half[k] *= quickLength(axis);
        pair->start[k] = grzVec3d_Dot(from, pair->box.axes[k]);
        pair->slope[k] = pair->round.isPoint ? 0 : grzVec3d_Dot(pair->round.along, pair->box.axes[k]);
    }
    pair->margin = (double)given->margin;
    pair->rounding = 0x1p-46 * quickReachOf(given, other);
    double size = quickSizeOf(box), length = pair->round.isPoint ? 0 : grzVec3d_Length(pair->round.along);
    pair->sizes = size + length;
    pair->slack = RIM_SLACK * (size < length ? size : length);
}

// A first look, in float, with room for its roundings as in quick_boxes.c.
typedef struct Glance {
    bool isFar;    // the box around the segment, in the box's own axes, is farther than the margin
    uint32_t face; // over which a point certainly lies; 6: not told
} Glance;

static uint32_t faceUnder(grzVec3 places, grzVec3 halves, float error) {
    const float place[3] = {places.x, places.y, places.z}, half[3] = {halves.x, halves.y, halves.z};
    uint32_t face = 6, inside = 0;
    for (uint32_t k = 0; k < 3; ++k) {
        float beyond = fabsf(place[k]) - half[k];
        inside += beyond < -error;
        face = beyond > error ? 2 * k + (place[k] > 0) : face;
    }
    return inside == 2 ? face : 6;
}

static Glance glanceAt(const QuickPair* given, bool isBoxA) {
    const grzConvex *box = isBoxA ? given->shapeA : given->shapeB, *round = isBoxA ? given->shapeB : given->shapeA;
    const grzTransform *boxPose = isBoxA ? given->poseA : given->poseB,
                       *pose = isBoxA ? given->poseB : given->poseA;
    bool isPoint = round->kind == grz_sphereShape;
    grzVec3 middle = isPoint ? round->a : grzScale(grzAdd(round->a, round->b), 0.5f);
    grzVec3 along = isPoint ? grzVec3_Zero() : grzScale(grzSub(round->b, round->a), 0.5f);
    grzVec3 origins = grzSub(pose->origin, boxPose->origin);
    grzVec3 between = grzAdd(origins, grzMat3_Apply(pose->basis, middle));
    grzVec3 place = grzSub(grzMat3_ApplyTransposed(boxPose->basis, between), box->a);
    grzVec3 reach = box->b;
    if (!isPoint)
        reach = grzAdd(reach, grzAbs(grzMat3_ApplyTransposed(boxPose->basis, grzMat3_Apply(pose->basis, along))));
    grzVec3 gap = grzMax(grzSub(grzAbs(place), reach), grzVec3_Zero());
    grzVec3 terms = grzAdd(grzAdd(grzAbs(between), grzAbs(middle)), grzAdd(grzAbs(box->a), box->b));
    terms = grzAdd(grzAdd(terms, grzAbs(along)), grzAbs(origins));
    float error = FLOAT_ERROR * (terms.x + terms.y + terms.z), most = given->margin + round->radius;
    most += error + FLOAT_ERROR * most;
    Glance glance = {grzDot(gap, gap) > most * most, 6};
    if (!glance.isFar && isPoint)
        glance.face = faceUnder(place, box->b, error);
    return glance;
}

// A sphere whose centre lies over a face.
static bool collideOverFace(const QuickPair* given, bool isBoxA, uint32_t face, grzManifold* manifold) {
    const grzConvex *box = isBoxA ? given->shapeA : given->shapeB, *ball = isBoxA ? given->shapeB : given->shapeA;
    const grzTransform *boxPose = isBoxA ? given->poseA : given->poseB,
                       *pose = isBoxA ? given->poseB : given->poseA;
    const grzVec3d zero = grzVec3d_Make(0, 0, 0), base = grzVec3d_FromVec3(given->poseA->origin);
    const grzVec3d other = grzVec3d_Sub(grzVec3d_FromVec3(given->poseB->origin), base);
    const grzVec3* columns = &boxPose->basis.x;
    const double half[3] = {(double)box->b.x, (double)box->b.y, (double)box->b.z};
    uint32_t k = face >> 1, u = quickNext(k), v = quickNext(u);
    grzVec3d n = grzVec3d_Cross(grzVec3d_FromVec3(columns[u]), grzVec3d_FromVec3(columns[v]));
    n = grzVec3d_Scale(n, (face & 1) != 0 ? quickInverseLength(n) : -quickInverseLength(n));
    grzVec3d center = quickPoint(pose, ball->a, isBoxA ? other : zero);
    grzVec3d middle = quickPoint(boxPose, box->a, isBoxA ? zero : other);
    // The normal is square to the other two axes, along which it has no extent.
    double distance = grzVec3d_Dot(n, grzVec3d_Sub(center, middle)) -
                      half[k] * fabs(grzVec3d_Dot(n, grzVec3d_FromVec3(columns[k])));
    double rounding = 0x1p-46 * quickReachOf(given, other), radius = (double)ball->radius;
    double sizes = quickSizeOf(box), margin = (double)given->margin;
    if (!(distance > SHALLOW * sizes + 2 * rounding))
        return false;
    if (distance - rounding > margin + radius) {
        grzClearManifold(manifold);
        return true;
    }
    RoundTouch touch = {.normal = isBoxA ? n : grzVec3d_Neg(n), .distance = distance, .separation = distance};
    touch.error = rounding + grzQuick_Defect(given) * (sizes + distance);
    ContactLay lay = {touch.normal, base, 0, radius, isBoxA};
    ClipPoint point = {center, distance, grzMakeFeature(grz_faceFeature, face), grzMakeFeature(grz_bodyFeature, 0)};
    setHead(&touch, radius, margin, manifold);
    grzSetPoints(&lay, &point, 1, manifold);
    return true;
}

bool grzQuick_RoundBox(const QuickPair* given, grzManifold* manifold) {
    bool isBoxA = given->shapeA->kind == grz_boxShape;
    BoxRound pair;
    RoundTouch touch;
    Glance glance = glanceAt(given, isBoxA);
    if (glance.isFar) {
        grzClearManifold(manifold);
        return true;
    }
    if (glance.face < 6)
        return collideOverFace(given, isBoxA, glance.face, manifold);
    setBoxRound(given, isBoxA, &pair);
    double t = nearestToBox(&pair), radius = pair.round.radius;
    BoxPart part = partAt(&pair, t);
    if (part.outside == 0)
        return false;
    bool isFace = (part.outside & (part.outside - 1)) == 0;
    if (isFace)
        proposeFace(&pair, part, &t, &touch);
    else
        proposeEdge(&pair, part, &t, &touch);
    const double rounding = pair.rounding, sizes = pair.sizes;
    if (!(touch.distance > SHALLOW * sizes + 2 * rounding))
        return false;
    touch.separation = touch.distance;
    if (!isFace || !pair.round.isPoint)
        touch.separation = -roundExtent(&pair.round, grzVec3d_Neg(touch.normal)) -
                           grzVec3d_Dot(touch.normal, pair.box.middle) - quickExtent(&pair.box, touch.normal);
    if (touch.separation - rounding > pair.margin + radius) {
        grzClearManifold(manifold);
        return true;
    }
    double allowed = isFace ? FACE_ERROR * sizes : PROVED * touch.distance;
    if (touch.distance - touch.separation > allowed + rounding)
        return false;
    touch.error = rounding + grzQuick_Defect(given) * (sizes + touch.distance);
    touch.featureB = featureAt(&pair.round, t);
    setBoxRoundManifold(&pair, &touch, FACE_ERROR * sizes, isBoxA, grzVec3d_FromVec3(given->poseA->origin),
                        manifold);
    return true;
}

bool grzQuick_Collide(const QuickPair* pair, grzManifold* manifold) {
    grzConvexKind kindA = pair->shapeA->kind, kindB = pair->shapeB->kind;
    if (!(pair->defectSq <= QUICK_MOST_DEFECT * QUICK_MOST_DEFECT) || kindA == grz_hullShape ||
        kindB == grz_hullShape)
        return false;
    if (kindA == grz_boxShape && kindB == grz_boxShape)
        return grzQuick_Boxes(pair, manifold);
    if (kindA == grz_boxShape || kindB == grz_boxShape)
        return grzQuick_RoundBox(pair, manifold);
    return kindA == grz_sphereShape && kindB == grz_sphereShape ? grzQuick_Spheres(pair, manifold)
                                                                : grzQuick_Rounds(pair, manifold);
}
