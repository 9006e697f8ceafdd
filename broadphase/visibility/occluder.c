// What: turns boxes and triangles into convex occluders for the kernel: sides that say which pixels are covered wholly, and
//   planes that say how far the surface is there at most.
// Promise: where an occluder is drawn, every ray through the pixel, in real arithmetic, meets it no farther than drawn and no
//   nearer than the camera's `nearest`.
// Idea: a corner is a point P = (X, Y, w) in homogeneous pixels; the eye is the origin, and the ray through the pixel position
//   (x, y) is s = (x, y, 1), up to length.
//     Sides: the rays that meet a convex polygon in front of the eye are a cone, and its sides are the planes through the eye and
//   one edge: s is within if s . (P_i x P_j) has the sign of D = P_0 . N, N = (P_1 - P_0) x (P_2 - P_0), for all edges. That also
//   holds where corners are behind the eye [Olano and Greer, Triangle Scan Conversion using 2D Homogeneous Coordinates, Graphics
//   Hardware 1997], so nothing need be clipped.
//     Depth: on the polygon's plane N . P = D, so 1 / w = (N / D) . s, which is linear on the screen: its least value on a pixel
//   is at a corner. What is nearer than `nearest` is cut off by one more side, 1 / w <= 1 / nearest.
//     A box shows one to three faces. Together they are a convex outline, whose sides are the edges that are not between two of
//   them; and on a ray that enters the box through face i, the 1 / w of the other faces' planes is not smaller, so the least of
//   all planes is that of the entry. A face counts only if the eye is certainly before it. If one that is seen at a glancing
//   angle is left out, the sides are those of an outline with a notch, and what is within all of them is still covered by the
//   faces that count. Faces are drawn one by one where the box reaches `nearest`, or is so thin that front and back cannot be
//   told apart.
//
//              +------+        outline of three faces: six sides    a pixel counts if its worst corner is within each side,
//             /  top /|        least 1 / w of three planes          so the least of a x + b y + c over it, which is
//            +------+ |                                             a x + b y + c + min(a, 0) + min(b, 0)
//            | front| +
//            |      |/
//            +------+
// Rounding: each value carries a bound of its own error through every operation (Bounded): |v - true| <= e. Bounds are themselves
//   computed with few roundings of 2^-53 each; every operation enlarges its bound by a 2^-30th for that. What underflows is below
//   2^-1000 and not counted: coordinates are floats or carried by frames of floats. Anything that is not finite fails a
//   comparison on the way and is not drawn.
// Based on: the conservative rasterisation of [Akenine-Moeller and Aila, Conservative and Tiled Rasterization Using a Modified
//   Triangle Setup, JGT 2005], inward, and without conditions on the corners.
#include <math.h>

#include "depth_inside.h"

#define ROUNDOFF 0x1p-53
#define ENLARGE  (1 + 0x1p-30)

typedef struct Bounded {
    double v[3], e[3];
} Bounded;

typedef struct BoundedNumber {
    double v, e;
} BoundedNumber;

static Bounded boundedSub(const Bounded* a, const Bounded* b) {
    Bounded d;
    for (int i = 0; i < 3; ++i) {
        d.v[i] = a->v[i] - b->v[i];
        d.e[i] = (a->e[i] + b->e[i] + ROUNDOFF * fabs(d.v[i])) * ENLARGE;
    }
    return d;
}

// How far the product of two values may be off, rounding included.
static double productError(double a, double aError, double b, double bError) {
    return fabs(a) * bError + aError * (fabs(b) + bError) + 2 * ROUNDOFF * fabs(a * b);
}

static Bounded boundedCross(const Bounded* a, const Bounded* b) {
    Bounded c;
    for (int k = 0; k < 3; ++k) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        c.v[k] = a->v[i] * b->v[j] - a->v[j] * b->v[i];
        double e =
            productError(a->v[i], a->e[i], b->v[j], b->e[j]) + productError(a->v[j], a->e[j], b->v[i], b->e[i]);
        c.e[k] = (e + ROUNDOFF * fabs(c.v[k])) * ENLARGE;
    }
    return c;
}

static BoundedNumber boundedDot(const Bounded* a, const Bounded* b) {
    BoundedNumber sum = {0, 0};
    double size = 0;
    for (int i = 0; i < 3; ++i) {
        double product = a->v[i] * b->v[i];
        sum.v += product;
        size += fabs(product);
        sum.e += productError(a->v[i], a->e[i], b->v[i], b->e[i]);
    }
    sum.e = (sum.e + 2 * ROUNDOFF * size) * ENLARGE;
    return sum;
}

static bool isCertain(BoundedNumber a) {
    return fabs(a.v) > a.e;
}

// ----------------------------------------------------------------------------------------------------- corners

typedef struct Corners {
    Bounded at[8];
    int count;
    bool isBeyondNear; // all of them, certainly
    double leastW;     // certainly not above the least
} Corners;

OccluderView grzMakeOccluderView(const grzDepthPyramid* pyramid, const LinearFrame* frame) {
    OccluderView view = {.frame = *frame};
    for (int i = 0; i < 3; ++i)
        view.rows[i] = grzCarryForm(&pyramid->view.rows[i], frame);
    return view;
}

static void projectCorners(const OccluderView* view, float points[8][3], Corners* corners) {
    double most[3] = {0, 0, 0}, error[3];
    for (int k = 0; k < corners->count; ++k)
        for (int axis = 0; axis < 3; ++axis)
            most[axis] = fmax(most[axis], fabs((double)points[k][axis]));
    for (int row = 0; row < 3; ++row)
        error[row] = grzFormError(&view->rows[row], &view->frame, most);
    for (int k = 0; k < corners->count; ++k) {
        for (int row = 0; row < 3; ++row) {
            const LinearForm* form = &view->rows[row];
            corners->at[k].v[row] = form->n[0] * (double)points[k][0] + form->n[1] * (double)points[k][1] +
                                    form->n[2] * (double)points[k][2] + form->d;
            corners->at[k].e[row] = error[row];
        }
    }
}

// Where the corners' least and largest position on the screen's axis 0 or 1 lie, roughly; all w are above 0.
static void extentOf(const Corners* corners, int row, double* least, double* most) {
    *least = (double)INFINITY, *most = -(double)INFINITY;
    for (int k = 0; k < corners->count; ++k) {
        double at = corners->at[k].v[row] / corners->at[k].v[2];
        *least = fmin(*least, at);
        *most = fmax(*most, at);
    }
}

// Sets the rows that the occluder may cover; false where there are none, or no pixel can be covered. Only saves
// time: the sides decide. That they are rough may cost a row at the rim.
static bool findRows(const grzDepthPyramid* pyramid, Corners* corners, ConvexOccluder* occluder) {
    double near = (double)pyramid->camera.nearest, height = (double)pyramid->levels[0].height;
    double leastW = (double)INFINITY, mostW = -(double)INFINITY;
    for (int k = 0; k < corners->count; ++k) {
        leastW = fmin(leastW, corners->at[k].v[2] - corners->at[k].e[2]);
        mostW = fmax(mostW, corners->at[k].v[2] + corners->at[k].e[2]);
    }
    corners->leastW = leastW;
    corners->isBeyondNear = leastW >= near;
    occluder->rowBegin = 0, occluder->rowEnd = (int32_t)height;
    if (!(mostW > near))
        return false;
    if (!corners->isBeyondNear)
        return true;
    double left, right, bottom, top;
    extentOf(corners, 0, &left, &right);
    extentOf(corners, 1, &bottom, &top);
    bool isOnScreen = left < (double)pyramid->levels[0].width && right > 0 && bottom < height && top > 0;
    if (!isOnScreen || right - left < 1 || top - bottom < 1)
        return false;
    occluder->rowBegin = (int32_t)fmax(bottom, 0);
    occluder->rowEnd = (int32_t)fmin(top, height - 1) + 1;
    return occluder->rowBegin < occluder->rowEnd;
}

// ------------------------------------------------------------------------------------------------------- sides

// Keeps the pixels on which a x + b y + c is nowhere below 0. False where there are none.
static bool addSide(ConvexOccluder* occluder, double a, double b, double c, double width, double height) {
    c += fmin(a, 0) + fmin(b, 0);
    c -= 4 * ROUNDOFF * (fabs(a) + fabs(b) + fabs(c));
    if (!isfinite(c)) // so are a and b then
        return false;
    if (fabs(a) * 0x1p30 > fabs(b)) {
        OccluderSide* side = &occluder->sides[occluder->sideCount++];
        // x >= -(b y + c) / a, or for the pixel's end x + 1 <= -(b y + c) / a + 1.
        *side = (OccluderSide){.at = -c / a, .slope = -b / a, .isLower = a > 0};
        if (a < 0)
            side->at += 1;
        double size = fabs(side->at) + fabs(side->slope) * height + 1;
        side->margin = 0x1p-50 * size + 16 * SIDE_SHARE * fabs(side->slope);
        return isfinite(side->margin);
    }
    // The side is as good as level: whatever x does to it is taken off for the whole screen.
    c -= fabs(a) * width;
    double at = -c / b;
    double margin = fabs(at) * 0x1p-40;
    if (b > 0)
        occluder->rowBegin = (int32_t)fmin(fmax(ceil(at + margin), occluder->rowBegin), height);
    else if (b < 0)
        occluder->rowEnd = (int32_t)fmax(fmin(floor(at - margin) + 1, occluder->rowEnd), 0);
    else
        return c >= 0;
    return occluder->rowBegin < occluder->rowEnd;
}

// The side through an edge; sign tells on which half the polygon lies.
static bool addEdge(const grzDepthPyramid* pyramid, ConvexOccluder* occluder, const Bounded* from,
                    const Bounded* to, double sign) {
    double width = (double)pyramid->levels[0].width, height = (double)pyramid->levels[0].height;
    Bounded m = boundedCross(from, to);
    double error = (m.e[0] * width + m.e[1] * height + m.e[2]) * ENLARGE;
    return addSide(occluder, sign * m.v[0], sign * m.v[1], sign * m.v[2] - error, width, height);
}

// ------------------------------------------------------------------------------------------------------ planes

// A face: its plane N . P = D.
typedef struct FacePlane {
    Bounded n;
    BoundedNumber d;
} FacePlane;

static FacePlane planeOf(const Bounded* a, const Bounded* b, const Bounded* c) {
    Bounded u = boundedSub(b, a), v = boundedSub(c, a);
    FacePlane plane;
    plane.n = boundedCross(&u, &v);
    plane.d = boundedDot(a, &plane.n);
    return plane;
}

// Adds the plane; also its cut with what is too near, if the corners do not exclude that. False where nothing is
// left.
static bool addPlane(const grzDepthPyramid* pyramid, ConvexOccluder* occluder, const Corners* corners,
                     const FacePlane* plane) {
    double width = (double)pyramid->levels[0].width, height = (double)pyramid->levels[0].height;
    double nearest = (double)pyramid->camera.nearest, g[3], size, error;
    // 1 / w of what is drawn is at most this.
    double most = 1 / fmax(nearest, corners->leastW) * ENLARGE;
    for (int i = 0; i < 3; ++i)
        g[i] = plane->n.v[i] / plane->d.v;
    // With g = N / D: |g~ . s - g . s| <= (|N~ - N| . s + g . s |D~ - D|) / |D~|.
    error = (plane->n.e[0] * width + plane->n.e[1] * height + plane->n.e[2] + most * plane->d.e) / fabs(plane->d.v);
    size = fabs(g[0]) * width + fabs(g[1]) * height + fabs(g[2]);
    error = (error + 8 * ROUNDOFF * size) * ENLARGE;
    if (!corners->isBeyondNear &&
        !addSide(occluder, -g[0], -g[1], (1 / nearest) * (1 - 4 * ROUNDOFF) - g[2] - error, width, height))
        return false;
    // The kernel's share: five roundings of 2^-24 in values of at most most + 16 slopes, and what underflows.
    double margin = error + 0x1p-21 * (most + 16 * fabs(g[0]) + fabs(g[1])) + 0x1p-126;
    OccluderPlane* drawn = &occluder->planes[occluder->planeCount++];
    *drawn = (OccluderPlane){g[2] + fmin(g[0], 0) + fmin(g[1], 0) - margin, g[0], g[1]};
    return isfinite(size) && isfinite(margin) && size + margin < 0x1p120;
}

// ------------------------------------------------------------------------------------------------------- boxes

// Corner k of a box is lower on axis i where bit i of k is 0.
static int faceCorner(int axis, int side, int step) {
    static const int around[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    int b = (axis + 1) % 3, c = (axis + 2) % 3;
    return side << axis | around[step][0] << b | around[step][1] << c;
}

// The face of the box that lies across the edge from corner `step` to the next.
static void acrossEdge(int axis, int step, int* otherAxis, int* otherSide) {
    static const int offsets[4] = {2, 1, 2, 1}, sides[4] = {0, 1, 1, 0};
    *otherAxis = (axis + offsets[step]) % 3;
    *otherSide = sides[step];
}

// The faces that the eye is certainly before.
typedef struct ShownFaces {
    int side[3]; // by axis; -1: none
    FacePlane planes[3];
    bool isThin; // some side may be the back
} ShownFaces;

// The eye is outside of both faces' planes on the same side, or between them, and then sees neither from outside.
// If outside, the nearer one is the one it sees.
static void findShown(const Corners* corners, ShownFaces* shown) {
    shown->isThin = false;
    for (int axis = 0; axis < 3; ++axis) {
        FacePlane lower = planeOf(&corners->at[faceCorner(axis, 0, 0)], &corners->at[faceCorner(axis, 0, 1)],
                                  &corners->at[faceCorner(axis, 0, 3)]);
        FacePlane upper = {lower.n, boundedDot(&corners->at[faceCorner(axis, 1, 0)], &lower.n)}; // parallel
        shown->side[axis] = -1;
        if (!isCertain(lower.d) || !isCertain(upper.d) || (lower.d.v > 0) != (upper.d.v > 0))
            continue;
        bool isUpper = fabs(upper.d.v) < fabs(lower.d.v);
        shown->side[axis] = isUpper ? 1 : 0;
        shown->planes[axis] = isUpper ? upper : lower;
        if (!(fabs(fabs(upper.d.v) - fabs(lower.d.v)) > lower.d.e + upper.d.e))
            shown->isThin = true;
    }
}

// The sides and the plane of one face; edges to faces that are drawn along are no sides.
static bool addFace(const grzDepthPyramid* pyramid, const Corners* corners, const ShownFaces* shown, int axis,
                    bool isAlone, ConvexOccluder* occluder) {
    int side = shown->side[axis];
    const FacePlane* plane = &shown->planes[axis];
    for (int step = 0; step < 4; ++step) {
        int otherAxis, otherSide;
        acrossEdge(axis, step, &otherAxis, &otherSide);
        if (!isAlone && shown->side[otherAxis] == otherSide)
            continue;
        if (!addEdge(pyramid, occluder, &corners->at[faceCorner(axis, side, step)],
                     &corners->at[faceCorner(axis, side, (step + 1) % 4)], plane->d.v > 0 ? 1 : -1))
            return false;
    }
    return addPlane(pyramid, occluder, corners, plane);
}

static void fill(grzDepthPyramid* pyramid, const ConvexOccluder* occluder) {
    if (occluder->rowBegin < occluder->rowEnd)
        pyramid->fill(&pyramid->levels[0], occluder);
}

void grzDrawOccluderBox(grzDepthPyramid* pyramid, const OccluderView* view, const grzBox* box) {
    const float sides[2][3] = {{box->lower.x, box->lower.y, box->lower.z},
                               {box->upper.x, box->upper.y, box->upper.z}};
    float points[8][3];
    for (int k = 0; k < 8; ++k)
        for (int axis = 0; axis < 3; ++axis)
            points[k][axis] = sides[k >> axis & 1][axis];
    Corners corners = {.count = 8};
    ConvexOccluder empty = {.sideCount = 0};
    projectCorners(view, points, &corners);
    if (!findRows(pyramid, &corners, &empty))
        return;
    ShownFaces shown;
    findShown(&corners, &shown);
    bool isAlone = shown.isThin || !corners.isBeyondNear, isDrawn = true;
    ConvexOccluder occluder = empty;
    for (int axis = 0; axis < 3; ++axis) {
        if (shown.side[axis] < 0)
            continue;
        isDrawn = isDrawn && addFace(pyramid, &corners, &shown, axis, isAlone, &occluder);
        if (isAlone) {
            if (isDrawn)
                fill(pyramid, &occluder);
            occluder = empty;
            isDrawn = true;
        }
    }
    if (isDrawn && occluder.planeCount != 0)
        fill(pyramid, &occluder);
}

// --------------------------------------------------------------------------------------------------- triangles

void grzDrawOccluderTriangle(grzDepthPyramid* pyramid, const OccluderView* view, const float* const corners[3]) {
    float points[8][3];
    for (int k = 0; k < 3; ++k)
        for (int axis = 0; axis < 3; ++axis)
            points[k][axis] = corners[k][axis];
    Corners projected = {.count = 3};
    ConvexOccluder occluder = {.sideCount = 0};
    projectCorners(view, points, &projected);
    if (!findRows(pyramid, &projected, &occluder))
        return;
    FacePlane plane = planeOf(&projected.at[0], &projected.at[1], &projected.at[2]);
    if (!isCertain(plane.d))
        return;
    for (int k = 0; k < 3; ++k)
        if (!addEdge(pyramid, &occluder, &projected.at[k], &projected.at[(k + 1) % 3], plane.d.v > 0 ? 1 : -1))
            return;
    if (addPlane(pyramid, &occluder, &projected, &plane))
        fill(pyramid, &occluder);
}

void grzDrawOccluderSoup(grzDepthPyramid* pyramid, const OccluderView* view, const grzTriangleSoup* soup) {
    for (size_t i = 0; i < soup->triangleCount; ++i) {
        const float* corners[3];
        for (int k = 0; k < 3; ++k)
            corners[k] = soup->positions[soup->triangles[i][k]];
        grzDrawOccluderTriangle(pyramid, view, corners);
    }
}

size_t grzFindBadTriangle(const grzTriangleSoup* soup) {
    for (size_t i = 0; i < soup->triangleCount; ++i)
        for (int k = 0; k < 3; ++k)
            if (soup->triangles[i][k] >= soup->positionCount)
                return i;
    return soup->triangleCount;
}
