// Planes and projections as linear forms, carried into the frames of nested trees with a bound of every rounding
// error.
//
// A plane is the sign of a form n . p + d, and a camera is three of them (two for the screen, in pixels times w,
// and w itself), so all that is known of a view is a set of forms. In the frame of a nested tree, p = M q + o, they
// are forms again: (M' n) . q + (n . o + d).
//
// Rounding, u = 2^-53: a number that came from sums of products of exact numbers by at most k roundings one after
// the other is off by at most k u / (1 - k u) times the sum of the products' absolute values [Higham, Accuracy and
// Stability of Numerical Algorithms, 2002, section 3.1]. So forms and frames carry that sum beside each number
// (nSize, dSize, mSize, oSize) and k (units). The sums are rounded too, by as many roundings; doubling the bound
// covers this and the denominator as long as k is below 2^50, which takes more nesting than there is memory. Sizes
// that overflow are infinite, and an infinite bound culls nothing. What underflows in double is below 2^-1022 and
// covered by the constants of ViewForm.
//
// Wide tests run in float on p - eye, where `eye` is any float point near the camera, so that far from the origin
// nothing is lost: f(p) = n . (p - eye) + (d + n . eye). With a = fl(p - eye), M = max |a_i|, and v = 2^-24, the
// value computed in float is off by at most
//     7 v sum|n_i| M        a is rounded (1), n is (1), a product (1), three sums (3), and second-order terms
//   + 4 v |d|               d is rounded (1), and takes part in one sum (1), and second-order terms
//   + 2 k u (sum nSize_i M + nSize . |eye| + dSize)     the form itself, |p| <= M + |eye|
//   + what underflows: n below the floats, at most 2^-149 M a coordinate; products, 2^-150 each
// which is at most M perSize + constant, the last two members of ViewForm; 8 v in place of 7 and 4 v pays for the
// rounding of M and of the bound itself.
#ifndef GRAZE_BROADPHASE_VIEW_FORMS_H
#define GRAZE_BROADPHASE_VIEW_FORMS_H

#include "graze/camera.h"
#include "graze/tree_query.h"

enum { view_cameraPlanes = 6, view_maxPlanes = GRZ_MAX_HALF_SPACES + view_cameraPlanes };

typedef struct LinearForm {
    double n[3], d;
    double nSize[3], dSize;
} LinearForm;

// Roundings in the forms of cameras in their own frame, counted generously.
#define FORM_UNITS 12.0

// From a tree's coordinates to those of the query's tree: M q + o.
typedef struct LinearFrame {
    double m[3][3], o[3]; // m[row][column]
    double mSize[3][3], oSize[3];
    double units;
} LinearFrame;

LinearFrame grzRootFrame(void);
// The frame of a tree that is carried with transform t by an object of a tree with this frame.
LinearFrame grzNestedFrame(const LinearFrame* outer, const grzTransform* t);

// x = 0 .. width and y = 0 .. height across the screen: rows[0] is x w, rows[1] is y w, rows[2] is w.
void grzCameraForms(const grzCamera* camera, double width, double height, LinearForm rows[3]);
// What it has in view: left, right, bottom, top, near, far. From the camera's rows.
void grzCameraPlanes(const grzCamera* camera, const LinearForm rows[3], double width, double height,
                     LinearForm planes[view_cameraPlanes]);
// Not below 0 within the half-space.
LinearForm grzHalfSpaceForm(const grzHalfSpace* half);

// The same form on the frame's inner coordinates; its units are FORM_UNITS + frame->units + 4.
LinearForm grzCarryForm(const LinearForm* form, const LinearFrame* frame);

// How far the value of a carried form, computed in double at a float point with |p_i| <= most[i], may be off.
double grzFormError(const LinearForm* form, const LinearFrame* frame, const double most[3]);

// A form for the wide tests.
typedef struct ViewForm {
    float n[3], d;
    float perSize, constant;
} ViewForm;

// A view in the coordinates of one tree.
typedef struct LocalView {
    float eye[3];
    uint32_t planeCount;
    ViewForm planes[view_maxPlanes];
    ViewForm rows[3];
    float width, height; // of the screen in pixels
} LocalView;

// All forms of a view in the coordinates of the query's tree.
typedef struct RootView {
    LinearForm planes[view_maxPlanes];
    uint32_t planeCount;
    LinearForm rows[3]; // where there is a camera; otherwise zeros
    grzVec3 eye;        // the camera's place, or any point
    double width, height;
} RootView;

// The camera may be NULL.
RootView grzMakeRootView(const grzHalfSpace* halfSpaces, uint32_t count, const grzCamera* camera, double width,
                         double height);
LocalView grzMakeLocalView(const RootView* root, const LinearFrame* frame);

#endif
