// The manifold of two boxes, one pair at a time and a step after the other: the crossings in order, each measured as soon as
// it may be better, and the incident face cut by one side of the reference face at a time. What the lanes of quick_boxes.c
// are compared with.
#include "plain_boxes.h"

#include "convex_contact.h"
#include "quick_box.h"
#include "quick_rim.h"

#define PREFERENCE 1e-3 // of the smaller box's size: convex_axes.c

// Faces count as parallel where convex_pairs.c lets a normal meet a face.
#define FACE_COSINE (1 - 2e-5)

// A separation in float is off by no more than this part of the sizes and the distance of the middles: two dozen
// roundings of 2^-24 each.
#define FLOAT_ERROR 0x1p-19

// Crossings that are better by no more than this part of the preference may be left out.
#define ALLOWED_PART 0.25

// A place on the incident face, in its own two directions (-1 .. 1 each), and as seen in the rectangle's.
typedef struct PlainCorner {
    _Alignas(16) float place[4]; // rimA, rimB, rimU, rimV
    uint32_t line, vertex;       // PlainCorner
} PlainCorner;

enum { rimA, rimB, rimU, rimV };

// Each cut adds a corner for every two of before at most: 4, 6, 9, 13, 19.
#define RIM_MOST_CORNERS 19

typedef struct Rim {
    PlainCorner corners[RIM_MOST_CORNERS], scratch[RIM_MOST_CORNERS];
} Rim;

static inline float heightOver(const PlainCorner* corner, uint32_t side, float half) {
    float place = corner->place[(side & 1) != 0 ? rimU : rimV];
    return (side == 1 || side == 2 ? place : -place) - half;
}

static inline void copyCorner(PlainCorner* to, const PlainCorner* from) {
    grzLanes_Store(to->place, grzLanes_Load(from->place));
    to->line = from->line;
    to->vertex = from->vertex;
}

static inline void cutBetween(PlainCorner* cut, const PlainCorner* p, const PlainCorner* q, float t) {
    grzLanes from = grzLanes_Load(p->place), to = grzLanes_Load(q->place);
    grzLanes_Store(cut->place,
                   grzLanes_Add(grzLanes_Mul(from, grzLanes_Splat(1 - t)), grzLanes_Mul(to, grzLanes_Splat(t))));
    cut->vertex = RIM_NONE;
}

// Keeps what is not above 0.
static uint32_t cutSide(const PlainCorner* from, uint32_t count, uint32_t side, float half, PlainCorner* to) {
    const PlainCorner* last = &from[count - 1];
    float before = heightOver(last, side, half);
    uint32_t made = 0;
    for (uint32_t i = 0; i < count; ++i) {
        float height = heightOver(&from[i], side, half);
        if ((before <= 0) != (height <= 0)) {
            cutBetween(&to[made], last, &from[i], before / (before - height));
            to[made++].line = before <= 0 ? RIM_SIDE | side : last->line;
        }
        if (height <= 0)
            copyCorner(&to[made++], &from[i]);
        last = &from[i];
        before = height;
    }
    return made;
}

// Bit k is set where a corner lies beyond side k.
static uint32_t sidesOver(const PlainCorner* corners, uint32_t count, float halfU, float halfV) {
    grzLanes lower = grzLanes_Load(corners[0].place), upper = lower;
    for (uint32_t i = 1; i < count; ++i) {
        lower = grzLanes_Min(lower, grzLanes_Load(corners[i].place));
        upper = grzLanes_Max(upper, grzLanes_Load(corners[i].place));
    }
    float least[4], most[4];
    grzLanes_Store(least, lower);
    grzLanes_Store(most, upper);
    return (uint32_t)(least[rimV] < -halfV) | (uint32_t)(most[rimU] > halfU) << 1 |
           (uint32_t)(most[rimV] > halfV) << 2 | (uint32_t)(least[rimU] < -halfU) << 3;
}

// Cuts the loop of `count` corners down to what lies within -halfU .. halfU and -halfV .. halfV. Returns the corners that
// are left, which are the rim's.
static const PlainCorner* cutLoop(Rim* rim, uint32_t* count, float halfU, float halfV) {
    PlainCorner *from = rim->corners, *to = rim->scratch;
    uint32_t over = sidesOver(from, *count, halfU, halfV);
    for (uint32_t side = 0; side < 4 && *count > 0; ++side) {
        if ((over >> side & 1) == 0)
            continue;
        *count = cutSide(from, *count, side, (side & 1) != 0 ? halfU : halfV, to);
        PlainCorner* swapped = from;
        from = to, to = swapped;
    }
    return from;
}

typedef struct BoxPair {
    const QuickPair* given;
    grzVec3d middleA, middleB; // relative to the origin of pose A
    grzVec3d between;          // from the one to the other
    grzMat3 cosines;           // of A's axes (rows) and B's (columns)
    grzMat3 sizes;             // without signs
    grzVec3 gapsA, gapsB;      // `between` along the axes
    grzVec3 reachesA, reachesB;
    // What follows is set where no face separates by more than the margin.
    QuickBox a, b;
    double margin;
    double sizeSum, preference, slack;
    double rounding;               // of all lengths in double
    double error;                  // of the axes: of `top`
    double allowed;                // by which crossings that were left out may be better than `top`
    double faceTop;                // the largest separation of a face
    double top;                    // and of any axis
    uint32_t edgeAxisA, edgeAxisB; // the axes whose crossing has `top`, if that is more than faceTop
    grzVec3d crossing;             // unit, from A to B
} BoxPair;

// An axis taken for the normal.
typedef struct BoxAxis {
    bool isCrossing;
    bool isA;                    // the reference is A
    uint32_t face;               // of the reference
    grzVec3d normal;             // unit, from A to B
    double alongA[3], alongB[3]; // the boxes' axes along the normal
    double extentA, extentB;
    double separation;
} BoxAxis;

// Sets what follows from the normal: the boxes' true extents along it.
static void measureAlong(const BoxPair* pair, BoxAxis* axis) {
    axis->extentA = axis->extentB = 0;
    for (int k = 0; k < 3; ++k) {
        axis->alongA[k] = grzVec3d_Dot(axis->normal, pair->a.axes[k]);
        axis->alongB[k] = grzVec3d_Dot(axis->normal, pair->b.axes[k]);
        axis->extentA += pair->a.half[k] * fabs(axis->alongA[k]);
        axis->extentB += pair->b.half[k] * fabs(axis->alongB[k]);
    }
    axis->separation = grzVec3d_Dot(axis->normal, pair->between) - axis->extentA - axis->extentB;
}

// False where a face separates by more than the margin.
static bool measureFaces(BoxPair* pair) {
    const grzVec3 halfA = pair->given->shapeA->b, halfB = pair->given->shapeB->b;
    const grzMat3 *basisA = &pair->given->poseA->basis, *basisB = &pair->given->poseB->basis;
    grzVec3 between = grzVec3d_ToVec3(pair->between);
    pair->cosines = grzMat3_MultiplyTransposed(*basisA, *basisB);
    pair->sizes = grzMat3_Abs(pair->cosines);
    pair->gapsA = grzMat3_ApplyTransposed(*basisA, between);
    pair->gapsB = grzMat3_ApplyTransposed(*basisB, between);
    pair->reachesA = grzAdd(halfA, grzMat3_Apply(pair->sizes, halfB));
    pair->reachesB = grzAdd(halfB, grzMat3_ApplyTransposed(pair->sizes, halfA));
    grzVec3 best = grzMax(grzSub(grzAbs(pair->gapsA), pair->reachesA), grzSub(grzAbs(pair->gapsB), pair->reachesB));
    grzVec3 all = grzAdd(grzAbs(between), grzScale(grzAdd(halfA, halfB), 2));
    float error = ((float)FLOAT_ERROR + 2 * QUICK_MOST_DEFECT) * (all.x + all.y + all.z), top = grzMaxElement(best);
    pair->faceTop = pair->top = (double)top;
    return top <= pair->given->margin + error;
}

// What more is to be known of two boxes that are near.
static void prepare(BoxPair* pair, grzVec3d originB) {
    const grzConvex *shapeA = pair->given->shapeA, *shapeB = pair->given->shapeB;
    double sizeA = quickSizeOf(shapeA), sizeB = quickSizeOf(shapeB);
    quickSetBox(&pair->a, shapeA, pair->given->poseA, pair->middleA);
    quickSetBox(&pair->b, shapeB, pair->given->poseB, pair->middleB);
    pair->margin = (double)pair->given->margin;
    pair->sizeSum = sizeA + sizeB;
    pair->preference = PREFERENCE * (sizeA < sizeB ? sizeA : sizeB);
    pair->slack = RIM_SLACK * (sizeA < sizeB ? sizeA : sizeB);
    pair->rounding = 0x1p-46 * quickReachOf(pair->given, originB);
    pair->error = FLOAT_ERROR * (pair->sizeSum + grzVec3d_Sum(pair->between)) +
                  grzQuick_Defect(pair->given) * pair->sizeSum + pair->rounding;
}

static void tryCrossing(BoxPair* pair, uint32_t i, uint32_t j) {
    BoxAxis axis;
    grzVec3d n = grzVec3d_Cross(pair->a.axes[i], pair->b.axes[j]);
    axis.normal = grzVec3d_Scale(n, (grzVec3d_Dot(n, pair->between) < 0 ? -1 : 1) / grzVec3d_Length(n));
    measureAlong(pair, &axis);
    if (axis.separation > pair->top) {
        pair->top = axis.separation;
        pair->crossing = axis.normal;
        pair->edgeAxisA = i, pair->edgeAxisB = j;
    }
}

// Crossings of axis j of B that may be better than the best so far by more than `allowed`. `sums`: at most their
// separations times the lengths of the cross products.
static void tryCrossings(BoxPair* pair, uint32_t j, double allowed, grzVec3 sums, grzVec3 squares) {
    const float sum[3] = {sums.x, sums.y, sums.z}, lengthSq[3] = {squares.x, squares.y, squares.z};
    double along = allowed / pair->sizeSum - 0x1p-21;
    for (uint32_t i = 0; i < 3; ++i) {
        if (along > 0 && (double)lengthSq[i] <= along * along)
            continue;
        double least = pair->top + allowed, length = sqrt((double)lengthSq[i]); // to 2^-21
        if ((double)sum[i] > least * (least < 0 ? length + 0x1p-21 : length - 0x1p-21))
            tryCrossing(pair, i, j);
    }
}

// For n = a_i x b_j, n.a_k is +- a_l.b_j for the axes k, l other than i, and likewise for b. Crossings that are better
// than all else by no more than `allowed` may be left out.
//
// So may those of axes along each other: where the sine of the angle between them is x they can be no better than a face
// by more than x times the sizes. For turned by that much the two would be parallel, and boxes with parallel edges need no
// crossing of them.
static void measureCrossings(BoxPair* pair, double allowed) {
    const grzLanes halfA = grzVec3_ToLanes(pair->given->shapeA->b), gaps = grzVec3_ToLanes(pair->gapsA);
    const grzLanes halfA1 = grzLanes_Yzx(halfA), halfA2 = grzLanes_Yzx(halfA1);
    const float halfB[3] = {pair->given->shapeB->b.x, pair->given->shapeB->b.y, pair->given->shapeB->b.z};
    const grzVec3* columns = &pair->cosines.x;
    const grzVec3* sizes = &pair->sizes.x;
    const grzLanes error = grzLanes_Splat(grzRoundUp(pair->error));
    pair->allowed = allowed;
    for (uint32_t j = 0; j < 3; ++j) {
        uint32_t j1 = quickNext(j), j2 = quickNext(j1);
        grzLanes column = grzVec3_ToLanes(columns[j]), size = grzVec3_ToLanes(sizes[j]);
        grzLanes one = grzLanes_Yzx(size), two = grzLanes_Yzx(one);
        grzLanes gap = grzLanes_Abs(grzLanes_Cross(column, gaps));
        grzLanes reach = grzLanes_Add(grzLanes_Mul(halfA1, two), grzLanes_Mul(halfA2, one));
        reach = grzLanes_Add(reach, grzLanes_Mul(grzLanes_Splat(halfB[j1]), grzVec3_ToLanes(sizes[j2])));
        reach = grzLanes_Add(reach, grzLanes_Mul(grzLanes_Splat(halfB[j2]), grzVec3_ToLanes(sizes[j1])));
        grzLanes sums = grzLanes_Add(grzLanes_Sub(gap, reach), error);
        double least =
            pair->top + allowed; // an axis as long as 1 or less separates by no more than its sum, below 0
        if (grzLanes_AllLessEqual3(sums, grzLanes_Splat(least < 0 ? grzRoundDown(least) : 0)))
            continue;
        grzLanes squares = grzLanes_Add(grzLanes_Mul(one, one), grzLanes_Mul(two, two));
        tryCrossings(pair, j, allowed, grzVec3_FromLanes(sums), grzVec3_FromLanes(squares));
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

// One box's face, and what of the other lies over it.
typedef struct Facing {
    const QuickBox *reference, *incident;
    grzVec3d away; // from the middle of the one to that of the other
    uint32_t face, incidentFace;
    grzVec3d center, alongP, alongQ; // of the incident face: its middle from the reference's, and half its sides
} Facing;

// `along`: the incident box's axes along the direction from the reference to it.
static void setFacing(const BoxPair* pair, const BoxAxis* axis, const double along[3], Facing* facing) {
    facing->reference = axis->isA ? &pair->a : &pair->b;
    facing->incident = axis->isA ? &pair->b : &pair->a;
    facing->away = axis->isA ? pair->between : grzVec3d_Neg(pair->between);
    facing->face = axis->face;
    facing->incidentFace = facingFace(along);
    const QuickBox* box = facing->incident;
    uint32_t k = facing->incidentFace >> 1, p = quickFaceAxes[facing->incidentFace][0],
             q = quickFaceAxes[facing->incidentFace][1];
    double side = (facing->incidentFace & 1) != 0 ? box->half[k] : -box->half[k];
    facing->center = grzVec3d_AddScaled(facing->away, side, box->axes[k]);
    facing->alongP = grzVec3d_Scale(box->axes[p], box->half[p]);
    facing->alongQ = grzVec3d_Scale(box->axes[q], box->half[q]);
}

// The incident face as a loop of corners, in the reference face's directions.
static void setLoop(const Facing* facing, PlainCorner corners[4]) {
    const grzVec3d u = facing->reference->axes[quickFaceAxes[facing->face][0]];
    const grzVec3d v = facing->reference->axes[quickFaceAxes[facing->face][1]];
    const grzLanes middle =
        grzLanes_Set(0, 0, (float)grzVec3d_Dot(u, facing->center), (float)grzVec3d_Dot(v, facing->center));
    const grzLanes p =
        grzLanes_Set(1, 0, (float)grzVec3d_Dot(u, facing->alongP), (float)grzVec3d_Dot(v, facing->alongP));
    const grzLanes q =
        grzLanes_Set(0, 1, (float)grzVec3d_Dot(u, facing->alongQ), (float)grzVec3d_Dot(v, facing->alongQ));
    const grzLanes lower = grzLanes_Sub(middle, q), upper = grzLanes_Add(middle, q);
    grzLanes_Store(corners[0].place, grzLanes_Sub(lower, p));
    grzLanes_Store(corners[1].place, grzLanes_Add(lower, p));
    grzLanes_Store(corners[2].place, grzLanes_Add(upper, p));
    grzLanes_Store(corners[3].place, grzLanes_Sub(upper, p));
    for (uint32_t i = 0; i < 4; ++i) {
        corners[i].line = quickFaceEdges[facing->incidentFace][i];
        corners[i].vertex = quickFaceCorners[facing->incidentFace][i];
    }
}

// What of the other box lies over the axis' face, taken larger by the slack, no higher than the margin; the deepest
// first. At most four. *isInside: the slack was not needed.
static uint32_t clipFace(const BoxPair* pair, const BoxAxis* axis, double slack, ClipPoint points[RIM_MOST_CORNERS],
                         bool* isInside) {
    const double sign = axis->isA ? 1 : -1, *along = axis->isA ? axis->alongB : axis->alongA;
    const double outward[3] = {sign * along[0], sign * along[1], sign * along[2]};
    Facing facing;
    Rim rim;
    uint32_t count = 4, made = 0;
    *isInside = true;
    setFacing(pair, axis, outward, &facing);
    setLoop(&facing, rim.corners);
    const double* half = facing.reference->half;
    const double halfU = half[quickFaceAxes[axis->face][0]], halfV = half[quickFaceAxes[axis->face][1]];
    const PlainCorner* corners = cutLoop(&rim, &count, (float)(halfU + slack), (float)(halfV + slack));
    grzVec3d normal = grzVec3d_Scale(axis->normal, sign), middle = facing.reference->middle;
    double height = grzVec3d_Dot(normal, facing.center) - (axis->isA ? axis->extentA : axis->extentB);
    double riseP = grzVec3d_Dot(normal, facing.alongP), riseQ = grzVec3d_Dot(normal, facing.alongQ);
    grzVec3d center = grzVec3d_Add(middle, facing.center);
    for (uint32_t i = 0; i < count; ++i) {
        const PlainCorner* corner = &corners[i];
        ClipPoint* point = &points[made];
        double a = (double)corner->place[rimA], b = (double)corner->place[rimB];
        *isInside &= fabsf(corner->place[rimU]) <= (float)halfU && fabsf(corner->place[rimV]) <= (float)halfV;
        point->height = height + a * riseP + b * riseQ;
        if (point->height > pair->margin)
            continue;
        point->point = grzVec3d_AddScaled(grzVec3d_AddScaled(center, a, facing.alongP), b, facing.alongQ);
        const RimCorner named = {corner->line, corner->vertex};
        grzRim_Name(&named, corners[i > 0 ? i - 1 : count - 1].line, axis->face, facing.incidentFace, point);
        ++made;
    }
    return grzReducePoints(points, made, normal);
}

// The edge of a box along an axis that reaches farthest along n: its middle, and its number.
static grzVec3d farEdge(const QuickBox* box, uint32_t axis, grzVec3d n, uint32_t* edge) {
    uint32_t u = quickNext(axis), v = quickNext(u);
    bool isUpperU = grzVec3d_Dot(box->axes[u], n) > 0, isUpperV = grzVec3d_Dot(box->axes[v], n) > 0;
    grzVec3d middle = grzVec3d_AddScaled(box->middle, isUpperU ? box->half[u] : -box->half[u], box->axes[u]);
    *edge = quickEdge(axis, isUpperU, isUpperV);
    return grzVec3d_AddScaled(middle, isUpperV ? box->half[v] : -box->half[v], box->axes[v]);
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
    double dd = grzVec3d_LengthSq(d), ee = grzVec3d_LengthSq(e), de = grzVec3d_Dot(d, e);
    double dr = grzVec3d_Dot(d, r), er = grzVec3d_Dot(e, r), all = dd * ee - de * de;
    double s = clampTo((dr * ee - de * er) / all, a->half[pair->edgeAxisA]);
    double t = clampTo((de * dr - dd * er) / all, b->half[pair->edgeAxisB]);
    grzVec3d onA = grzVec3d_AddScaled(p, s, d);
    point->point = grzVec3d_AddScaled(q, t, e);
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
    axis->normal = grzVec3d_Scale(n, (((face & 1) != 0) == isA ? 1 : -1) * quickInverseLength(n));
    measureAlong(pair, axis);
}

static void setCrossingAxis(const BoxPair* pair, BoxAxis* axis) {
    axis->isCrossing = axis->isA = true;
    axis->face = 0;
    axis->normal = pair->crossing;
    measureAlong(pair, axis);
}

// The first face that separates by `least` or more; 6 if none does. `sign`: 1 for A, whose gaps point to B, else -1.
static uint32_t firstFace(grzVec3 gaps, grzVec3 reaches, float sign, float least) {
    const float gap[3] = {sign * gaps.x, sign * gaps.y, sign * gaps.z},
                reach[3] = {reaches.x, reaches.y, reaches.z};
    for (uint32_t i = 0; i < 3; ++i) {
        if (-gap[i] - reach[i] >= least)
            return 2 * i;
        if (gap[i] - reach[i] >= least)
            return 2 * i + 1;
    }
    return 6;
}

static void chooseAxis(const BoxPair* pair, double preference, BoxAxis* axis) {
    double least = pair->top - preference;
    if (least > pair->faceTop) {
        setCrossingAxis(pair, axis);
        return;
    }
    float rounded = least < pair->faceTop ? grzRoundDown(least) : (float)pair->faceTop; // which is a float
    uint32_t a = firstFace(pair->gapsA, pair->reachesA, 1, rounded);
    uint32_t b = firstFace(pair->gapsB, pair->reachesB, -1, rounded);
    bool isA = a < b;
    if (a == b) {
        double sign = (a & 1) != 0 ? 1 : -1;
        isA = grzIsFirstFace(a, grzVec3d_Scale(pair->a.axes[a >> 1], sign), b,
                             grzVec3d_Scale(pair->b.axes[b >> 1], sign));
    }
    setFaceAxis(pair, isA, isA ? a : b, axis);
}

// --------------------------------------------------------------------------------------------------- manifolds

static void setManifold(const BoxPair* pair, const BoxAxis* axis, const ClipPoint* points, uint32_t count,
                        double upper, double depthError, grzManifold* manifold) {
    grzVec3d base = grzVec3d_FromVec3(pair->given->poseA->origin);
    ContactHead head = {.normal = axis->normal,
                        .separation = axis->separation,
                        .margin = pair->margin,
                        .error = pair->error + pair->allowed,
                        .depthError = depthError,
                        .isCertain = upper + pair->error <= pair->margin};
    ContactLay lay = {.normal = axis->normal, .base = base, .isReferenceA = axis->isA};
    grzSetHead(&head, manifold);
    grzSetPoints(&lay, points, count, manifold);
}

// The height of the lowest point that proves the boxes to overlap: over the face, without slack, and not under all of its
// box. `upper` where there is none.
static double lowestInside(const BoxPair* pair, const BoxAxis* axis, double upper) {
    ClipPoint points[RIM_MOST_CORNERS];
    bool isInside;
    uint32_t count = clipFace(pair, axis, 0, points, &isInside);
    double depth = 2 * (axis->isA ? &pair->a : &pair->b)->half[axis->face >> 1];
    return count > 0 && points[0].height > -depth ? points[0].height : upper;
}

// False where the points under a preferred face leave out the deepest part of the overlap, which lies beside the face.
static bool collideDeep(const BoxPair* pair, double preference, grzManifold* manifold) {
    ClipPoint points[RIM_MOST_CORNERS];
    uint32_t count = 1;
    BoxAxis axis;
    chooseAxis(pair, preference, &axis);
    if (axis.separation - pair->rounding > pair->margin) {
        grzClearManifold(manifold);
        return true;
    }
    if (axis.isCrossing) {
        crossEdges(pair, &points[0]);
        points[0].height = axis.separation;
    } else {
        bool isInside;
        count = clipFace(pair, &axis, pair->slack, points, &isInside);
    }
    if (count == 0 || points[0].height > axis.separation + pair->preference + pair->error)
        return false;
    double upper = pair->top + pair->allowed, top = upper;
    if (!axis.isCrossing && upper + pair->error > pair->margin)
        upper = lowestInside(pair, &axis, upper);
    setManifold(pair, &axis, points, count, upper, top - axis.separation + pair->error, manifold);
    return true;
}

// Takes for the reference the face that the normal meets, if any: of two the first.
static bool findMetFace(BoxAxis* axis) {
    const double cosinesA[3] = {-axis->alongA[0], -axis->alongA[1], -axis->alongA[2]};
    uint32_t a = facingFace(cosinesA), b = facingFace(axis->alongB);
    bool meetsA = fabs(axis->alongA[a >> 1]) >= FACE_COSINE, meetsB = fabs(axis->alongB[b >> 1]) >= FACE_COSINE;
    if (!meetsA && !meetsB)
        return false;
    axis->isA = meetsA && (!meetsB || grzIsFirstFace(a, axis->normal, b, grzVec3d_Neg(axis->normal)));
    axis->face = axis->isA ? a : b;
    return true;
}

// How far the nearest of the points, which lie over the face, is from its plane: the boxes are no farther apart.
static double nearestToFace(const BoxPair* pair, const BoxAxis* axis, const ClipPoint* points, uint32_t count) {
    const QuickBox* box = axis->isA ? &pair->a : &pair->b;
    grzVec3d column = box->axes[axis->face >> 1];
    grzVec3d n = grzVec3d_Scale(column, ((axis->face & 1) != 0 ? 1 : -1) * quickInverseLength(column));
    double offset = grzVec3d_Dot(n, box->middle) + quickExtent(box, n), nearest = (double)INFINITY;
    for (uint32_t i = 0; i < count; ++i) {
        double distance = grzVec3d_Dot(n, points[i].point) - offset;
        nearest = distance < nearest ? distance : nearest;
    }
    return nearest;
}

// The same of what lies over the face without slack.
static double nearestInside(const BoxPair* pair, const BoxAxis* axis) {
    ClipPoint points[RIM_MOST_CORNERS];
    bool isInside;
    uint32_t count = clipFace(pair, axis, 0, points, &isInside);
    return nearestToFace(pair, axis, points, count);
}

// Along the best axis, once a point of contact has proved that it is the normal of the closest points.
static bool collideApart(const BoxPair* pair, grzManifold* manifold) {
    ClipPoint points[RIM_MOST_CORNERS], crossing = {.height = 0};
    BoxAxis axis;
    chooseAxis(pair, 0, &axis);
    if (axis.separation - pair->rounding > pair->margin) {
        grzClearManifold(manifold);
        return true;
    }
    double enough = axis.separation + pair->error, nearest = axis.isCrossing ? crossEdges(pair, &crossing) : 0;
    bool isInside = true;
    uint32_t count = findMetFace(&axis) ? clipFace(pair, &axis, pair->slack, points, &isInside) : 0;
    if (!axis.isCrossing)
        nearest = isInside ? nearestToFace(pair, &axis, points, count) : nearestInside(pair, &axis);
    if (nearest > enough)
        return false;
    if (count == 0 || points[0].height > axis.separation + pair->preference) { // beside the face
        if (!axis.isCrossing)
            return false;
        points[0] = crossing;
        count = 1;
        axis.isA = true;
    }
    setManifold(pair, &axis, points, count, nearest, 0, manifold);
    return true;
}

// False where the best axis that was found, with that much allowed and preferred, is not good enough.
static bool settle(BoxPair* pair, double allowed, double preference, grzManifold* manifold) {
    measureCrossings(pair, allowed);
    if (pair->top - pair->error > pair->margin) {
        grzClearManifold(manifold);
        return true;
    }
    return pair->top > pair->error ? collideApart(pair, manifold) : collideDeep(pair, preference, manifold);
}

bool plainBoxes(const QuickPair* given, grzManifold* manifold) {
    BoxPair pair;
    pair.given = given;
    grzVec3d originB =
        grzVec3d_Sub(grzVec3d_FromVec3(given->poseB->origin), grzVec3d_FromVec3(given->poseA->origin));
    pair.middleA = quickPoint(given->poseA, given->shapeA->a, grzVec3d_Make(0, 0, 0));
    pair.middleB = quickPoint(given->poseB, given->shapeB->a, originB);
    pair.between = grzVec3d_Sub(pair.middleB, pair.middleA);
    if (!measureFaces(&pair)) {
        grzClearManifold(manifold);
        return true;
    }
    prepare(&pair, originB);
    bool isSettled = settle(&pair, ALLOWED_PART * pair.preference, pair.preference, manifold);
    return isSettled || settle(&pair, pair.error, 0, manifold);
}
