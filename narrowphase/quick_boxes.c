// What: the manifold of two boxes.
// Promise: graze/convex_pairs.h. Every separation that decides is that of the boxes' true extents along some direction,
//   or is loosened by what the formula leaves out of a basis that is not quite square.
// Idea: fifteen axes from one table of nine cosines. Of the nine crossings most fall by one compare, for an axis as
//   long as `length` <= 1 separates by sum / length, and needs no root where sum is less than the best so far. Boxes
//   that overlap touch along the best axis. Boxes that are apart do so, too, where a point of the contact is
//   found that lies no farther than the axis says: then nothing else can be nearer. Only where two vertices, or a
//   vertex and an edge, are nearest does none of the axes prove itself, and the general way is asked.
// Cost: some 60 ns a contact, 15 where a face separates.
// Based on: [Gottschalk, Lin, Manocha, OBBTree, SIGGRAPH 1996]; the error terms are ours.
#include "convex_contact.h"
#include "quick_box.h"
#include "quick_rim.h"

// Relative to both sizes: the error of an axis' separation that depthError admits.
#define AXIS_ERROR 1e-6
#define PREFERENCE 1e-3 // of the smaller box's size: convex_axes.c

// Faces count as parallel where convex_pairs.c lets a normal meet a face.
#define FACE_COSINE (1 - 2e-5)

typedef struct BoxPair {
    QuickBox a, b;
    grzVec3d between;          // from the middle of A to that of B
    double cosines[3][3];      // of A's axes and B's
    double gapsA[3], gapsB[3]; // `between` along the axes
    double reachesA[3], reachesB[3];
    double margin;
    double rounding;               // of all lengths
    double square;                 // what bases that are not quite square may add to a formula for extents
    double error;                  // of the axes: of `top`
    double faceTop;                // the largest separation of a face
    double top;                    // and of any axis
    uint32_t edgeAxisA, edgeAxisB; // the axes whose crossing has `top`, if that is more than faceTop
    grzVec3d crossing;             // unit, from A to B
} BoxPair;

// An axis taken for the normal.
typedef struct BoxAxis {
    bool isCrossing;
    bool isA;        // the reference is A
    uint32_t face;   // of the reference
    grzVec3d normal; // unit, from A to B
    double separation;
} BoxAxis;

static double separationAlong(const BoxPair* pair, grzVec3d normal) {
    return grzVec3d_Dot(pair->between, normal) - quickExtent(&pair->a, normal) - quickExtent(&pair->b, normal);
}

// False where a face separates by more than the margin.
static bool measureFaces(BoxPair* pair) {
    const QuickBox *a = &pair->a, *b = &pair->b;
    double top = -(double)INFINITY;
    for (uint32_t i = 0; i < 3; ++i) {
        double* row = pair->cosines[i];
        for (uint32_t j = 0; j < 3; ++j)
            row[j] = grzVec3d_Dot(a->axes[i], b->axes[j]);
        pair->gapsA[i] = grzVec3d_Dot(pair->between, a->axes[i]);
        pair->reachesA[i] =
            a->half[i] + b->half[0] * fabs(row[0]) + b->half[1] * fabs(row[1]) + b->half[2] * fabs(row[2]);
        double separation = fabs(pair->gapsA[i]) - pair->reachesA[i];
        if (separation > pair->margin + pair->square)
            return false;
        top = separation > top ? separation : top;
    }
    for (uint32_t j = 0; j < 3; ++j) {
        pair->gapsB[j] = grzVec3d_Dot(pair->between, b->axes[j]);
        pair->reachesB[j] = b->half[j] + a->half[0] * fabs(pair->cosines[0][j]) +
                            a->half[1] * fabs(pair->cosines[1][j]) + a->half[2] * fabs(pair->cosines[2][j]);
        double separation = fabs(pair->gapsB[j]) - pair->reachesB[j];
        if (separation > pair->margin + pair->square)
            return false;
        top = separation > top ? separation : top;
    }
    pair->faceTop = pair->top = top;
    return true;
}

// A crossing that may be better than the best so far is measured by the boxes' true extents.
static void tryCrossing(BoxPair* pair, uint32_t i, uint32_t j, double sum, double lengthSq) {
    double length = sqrt(lengthSq);
    if (sum <= (pair->top + pair->error) * length)
        return;
    grzVec3d n = grzVec3d_Cross(pair->a.axes[i], pair->b.axes[j]);
    double sizeSq = grzVec3d_LengthSq(n);
    if (!(sizeSq > 1e-8)) // a face is as good
        return;
    n = grzVec3d_Scale(n, (grzVec3d_Dot(n, pair->between) < 0 ? -1 : 1) / sqrt(sizeSq));
    double separation = separationAlong(pair, n);
    if (separation > pair->top) {
        pair->top = separation;
        pair->crossing = n;
        pair->edgeAxisA = i, pair->edgeAxisB = j;
    }
}

// n = a_i x b_j: n.a_k = +- a_l.b_j for the axes k, l other than i, and likewise for b.
static void measureCrossings(BoxPair* pair) {
    const double* halfA = pair->a.half;
    const double* halfB = pair->b.half;
    for (uint32_t i = 0; i < 3; ++i) {
        uint32_t i1 = quickNext(i), i2 = quickNext(i1);
        for (uint32_t j = 0; j < 3; ++j) {
            uint32_t j1 = quickNext(j), j2 = quickNext(j1);
            double one = pair->cosines[i1][j], two = pair->cosines[i2][j], c = pair->cosines[i][j];
            double gap = fabs(pair->gapsA[i2] * one - pair->gapsA[i1] * two);
            double reach = halfA[i1] * fabs(two) + halfA[i2] * fabs(one) + halfB[j1] * fabs(pair->cosines[i][j2]) +
                           halfB[j2] * fabs(pair->cosines[i][j1]);
            double sum = gap - reach + pair->square, least = pair->top + pair->error;
            if (sum > (least < 0 ? least : 0) && 1 - c * c > 1e-8)
                tryCrossing(pair, i, j, sum, 1 - c * c);
        }
    }
}

// ------------------------------------------------------------------------------------------------------- points

// The face of `box` that is turned most against `outward`, given as cosines with its axes; of several the first.
static uint32_t facingFace(const double cosines[3]) {
    uint32_t best = 0;
    for (uint32_t j = 1; j < 3; ++j)
        best = fabs(cosines[j]) > fabs(cosines[best]) ? j : best;
    return 2 * best + (cosines[best] < 0);
}

// The incident face as a loop of corners over the reference face's directions u and v.
static void setLoop(const BoxPair* pair, bool isA, const uint32_t directions[2], uint32_t incidentFace,
                    RimCorner corners[4]) {
    static const double signs[4] = {-1, 1, 1, -1};
    const QuickBox* incident = isA ? &pair->b : &pair->a;
    uint32_t k = incidentFace >> 1, p, q, loop[4];
    double middle[2], alongP[2], alongQ[2], side = (incidentFace & 1) != 0 ? incident->half[k] : -incident->half[k];
    quickFaceAxes(incidentFace, &p, &q);
    quickFaceLoop(incidentFace, loop);
    for (int i = 0; i < 2; ++i) {
        uint32_t r = directions[i];
        middle[i] = isA ? pair->gapsA[r] + side * pair->cosines[r][k] : side * pair->cosines[k][r] - pair->gapsB[r];
        alongP[i] = incident->half[p] * (isA ? pair->cosines[r][p] : pair->cosines[p][r]);
        alongQ[i] = incident->half[q] * (isA ? pair->cosines[r][q] : pair->cosines[q][r]);
    }
    for (uint32_t i = 0; i < 4; ++i) {
        double a = signs[i], b = signs[(i + 3) & 3];
        corners[i] = (RimCorner){a,
                                 b,
                                 middle[0] + a * alongP[0] + b * alongQ[0],
                                 middle[1] + a * alongP[1] + b * alongQ[1],
                                 quickEdgeBetween(loop[i], loop[(i + 1) & 3]),
                                 loop[i]};
    }
}

// What of the other box lies over the axis' face, no higher than the margin; the deepest first. At most four.
static uint32_t clipFace(const BoxPair* pair, const BoxAxis* axis, ClipPoint points[RIM_MOST_CORNERS]) {
    const QuickBox* reference = axis->isA ? &pair->a : &pair->b;
    const QuickBox* incident = axis->isA ? &pair->b : &pair->a;
    grzVec3d outward = axis->isA ? axis->normal : grzVec3d_Neg(axis->normal);
    const double cosines[3] = {grzVec3d_Dot(outward, incident->axes[0]), grzVec3d_Dot(outward, incident->axes[1]),
                               grzVec3d_Dot(outward, incident->axes[2])};
    uint32_t face = facingFace(cosines), k = face >> 1, p, q, directions[2], made = 0;
    RimCorner corners[RIM_MOST_CORNERS];
    quickFaceAxes(face, &p, &q);
    quickFaceAxes(axis->face, &directions[0], &directions[1]);
    setLoop(pair, axis->isA, directions, face, corners);
    uint32_t count = grzRim_Cut(corners, 4, reference->half[directions[0]], reference->half[directions[1]]);
    double side = (face & 1) != 0 ? incident->half[k] : -incident->half[k];
    double height = grzVec3d_Dot(axis->normal, pair->between) + side * cosines[k] - quickExtent(reference, outward);
    grzVec3d center = quickAddScaled(incident->middle, side, incident->axes[k]);
    for (uint32_t i = 0; i < count; ++i) {
        double alongP = corners[i].a * incident->half[p], alongQ = corners[i].b * incident->half[q];
        points[made].height = height + alongP * cosines[p] + alongQ * cosines[q];
        if (points[made].height > pair->margin)
            continue;
        grzVec3d point = quickAddScaled(center, alongP, incident->axes[p]);
        points[made].point = quickAddScaled(point, alongQ, incident->axes[q]);
        grzRim_Name(&corners[i], corners[i > 0 ? i - 1 : count - 1].line, axis->face, face, &points[made++]);
    }
    return grzReducePoints(points, made, outward);
}

// The edge of a box along an axis that reaches farthest along n: its middle, and its number.
static grzVec3d farEdge(const QuickBox* box, uint32_t axis, grzVec3d n, uint32_t* edge) {
    uint32_t u = quickNext(axis), v = quickNext(u);
    bool isUpperU = grzVec3d_Dot(box->axes[u], n) > 0, isUpperV = grzVec3d_Dot(box->axes[v], n) > 0;
    grzVec3d middle = quickAddScaled(box->middle, isUpperU ? box->half[u] : -box->half[u], box->axes[u]);
    *edge = quickEdge(axis, isUpperU, isUpperV);
    return quickAddScaled(middle, isUpperV ? box->half[v] : -box->half[v], box->axes[v]);
}

static double clampTo(double value, double half) {
    return value < -half ? -half : value > half ? half : value;
}

// The closest points of the two crossing edges, as one point of contact; returns how far they are apart.
static double crossEdges(const BoxPair* pair, ClipPoint* point) {
    const QuickBox *a = &pair->a, *b = &pair->b;
    grzVec3d d = a->axes[pair->edgeAxisA], e = b->axes[pair->edgeAxisB], n = pair->crossing;
    uint32_t edgeA, edgeB;
    grzVec3d p = farEdge(a, pair->edgeAxisA, n, &edgeA), q = farEdge(b, pair->edgeAxisB, grzVec3d_Neg(n), &edgeB);
    grzVec3d r = grzVec3d_Sub(q, p);
    double de = grzVec3d_Dot(d, e), dr = grzVec3d_Dot(d, r), er = grzVec3d_Dot(e, r), all = 1 - de * de;
    double s = clampTo((dr - de * er) / all, a->half[pair->edgeAxisA]);
    double t = clampTo((de * dr - er) / all, b->half[pair->edgeAxisB]);
    grzVec3d onA = quickAddScaled(p, s, d);
    point->point = quickAddScaled(q, t, e);
    grzVec3d apart = grzVec3d_Sub(point->point, onA);
    point->height = grzVec3d_Dot(n, apart);
    point->reference = grzMakeFeature(grz_edgeFeature, edgeA);
    point->incident = grzMakeFeature(grz_edgeFeature, edgeB);
    return grzVec3d_Length(apart);
}

// ------------------------------------------------------------------------------------------------------- choice

static void setFaceAxis(const BoxPair* pair, bool isA, uint32_t face, BoxAxis* axis) {
    grzVec3d n = (isA ? &pair->a : &pair->b)->axes[face >> 1];
    axis->isCrossing = false;
    axis->isA = isA;
    axis->face = face;
    axis->normal = ((face & 1) != 0) == isA ? n : grzVec3d_Neg(n);
    axis->separation = separationAlong(pair, axis->normal);
}

static void setCrossingAxis(const BoxPair* pair, BoxAxis* axis) {
    axis->isCrossing = axis->isA = true;
    axis->face = 0;
    axis->normal = pair->crossing;
    axis->separation = pair->top;
}

// The first face that separates by `least` or more; 6 if none does. `sign`: 1 for A, whose gaps point to B, else -1.
static uint32_t firstFace(const double gaps[3], const double reaches[3], double sign, double least) {
    for (uint32_t i = 0; i < 3; ++i) {
        if (-sign * gaps[i] - reaches[i] >= least)
            return 2 * i;
        if (sign * gaps[i] - reaches[i] >= least)
            return 2 * i + 1;
    }
    return 6;
}

static BoxAxis chooseAxis(const BoxPair* pair, double preference) {
    BoxAxis axis;
    if (pair->top > pair->faceTop + preference) {
        setCrossingAxis(pair, &axis);
        return axis;
    }
    uint32_t a = firstFace(pair->gapsA, pair->reachesA, 1, pair->top - preference);
    uint32_t b = firstFace(pair->gapsB, pair->reachesB, -1, pair->top - preference);
    setFaceAxis(pair, a <= b, a <= b ? a : b, &axis);
    return axis;
}

// --------------------------------------------------------------------------------------------------- manifolds

static void setManifold(const BoxPair* pair, const BoxAxis* axis, const ClipPoint* points, uint32_t count,
                        double upper, double depthError, grzVec3d base, grzManifold* manifold) {
    ContactHead head = {.normal = axis->normal,
                        .separation = axis->separation,
                        .margin = pair->margin,
                        .error = pair->error,
                        .depthError = depthError,
                        .isCertain = upper + pair->error <= pair->margin};
    ContactLay lay = {.normal = axis->normal, .base = base, .isReferenceA = axis->isA};
    grzSetHead(&head, manifold);
    grzSetPoints(&lay, points, count, manifold);
}

// False where the points under a preferred face leave out the deepest part of the overlap, which lies beside the face.
static bool collideDeep(const BoxPair* pair, double preference, double allowed, grzVec3d base,
                        grzManifold* manifold) {
    ClipPoint points[RIM_MOST_CORNERS];
    uint32_t count = 1;
    BoxAxis axis = chooseAxis(pair, preference);
    if (axis.isCrossing) {
        crossEdges(pair, &points[0]);
        points[0].height = axis.separation;
    } else {
        count = clipFace(pair, &axis, points);
    }
    if (count == 0 || points[0].height > axis.separation + allowed + pair->error)
        return false;
    setManifold(pair, &axis, points, count, pair->top, pair->top - axis.separation + pair->error, base, manifold);
    return true;
}

// Takes for the reference the face that the normal meets, if any: of two that of lower index, A's before B's.
static bool findMetFace(const BoxPair* pair, BoxAxis* axis) {
    double cosinesA[3], cosinesB[3];
    for (int k = 0; k < 3; ++k) {
        cosinesA[k] = -grzVec3d_Dot(axis->normal, pair->a.axes[k]);
        cosinesB[k] = grzVec3d_Dot(axis->normal, pair->b.axes[k]);
    }
    uint32_t a = facingFace(cosinesA), b = facingFace(cosinesB);
    bool meetsA = fabs(cosinesA[a >> 1]) >= FACE_COSINE, meetsB = fabs(cosinesB[b >> 1]) >= FACE_COSINE;
    if (!meetsA && !meetsB)
        return false;
    axis->isA = meetsA && (!meetsB || a <= b);
    axis->face = axis->isA ? a : b;
    return true;
}

// Along the best axis, once a point of contact has proved that it is the normal of the closest points.
static bool collideApart(const BoxPair* pair, grzVec3d base, grzManifold* manifold) {
    ClipPoint points[RIM_MOST_CORNERS];
    BoxAxis axis = chooseAxis(pair, 0);
    if (axis.separation - pair->rounding > pair->margin) {
        grzClearManifold(manifold);
        return true;
    }
    double enough = axis.separation + pair->error;
    double crossed = axis.isCrossing ? crossEdges(pair, &points[0]) : 0;
    if (crossed > enough)
        return false;
    bool isFace = findMetFace(pair, &axis);
    uint32_t count = isFace ? clipFace(pair, &axis, points) : axis.isCrossing;
    if (count == 0 || (isFace && points[0].height > enough))
        return false;
    setManifold(pair, &axis, points, count, points[0].height, 0, base, manifold);
    return true;
}

bool grzQuick_Boxes(const QuickPair* given, grzManifold* manifold) {
    BoxPair pair;
    grzVec3d base = grzVec3d_FromVec3(given->poseA->origin);
    quickSetBox(&pair.a, given->shapeA, given->poseA, grzVec3d_Make(0, 0, 0));
    quickSetBox(&pair.b, given->shapeB, given->poseB, grzVec3d_Sub(grzVec3d_FromVec3(given->poseB->origin), base));
    double sizes = pair.a.size + pair.b.size;
    pair.between = grzVec3d_Sub(pair.b.middle, pair.a.middle);
    pair.margin = given->margin;
    pair.rounding = 0x1p-46 * (pair.a.reach + pair.b.reach);
    pair.square = given->defect * sizes + pair.rounding;
    pair.error = AXIS_ERROR * sizes + pair.square;
    bool isFar = !measureFaces(&pair);
    if (!isFar) {
        measureCrossings(&pair);
        isFar = pair.top > pair.margin + pair.square;
    }
    if (isFar) {
        grzClearManifold(manifold);
        return true;
    }
    if (pair.top > pair.rounding)
        return collideApart(&pair, base, manifold);
    double preference = PREFERENCE * (pair.a.size < pair.b.size ? pair.a.size : pair.b.size);
    return collideDeep(&pair, preference, preference, base, manifold) ||
           collideDeep(&pair, 0, preference, base, manifold);
}
