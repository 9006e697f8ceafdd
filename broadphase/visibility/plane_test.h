// Sixteen boxes against a plane, for kernels.
//
// Promise: a box is called outside only where it is, in real arithmetic, and likewise inside (view_forms.h has the
//          bound). Monotonic: a box within another one is outside where the other is, and inside where the other
//          is, by the same arithmetic; so what is found in a hierarchy of boxes does not depend on the hierarchy.
//          For rounding is monotonic, and everything below only adds, multiplies by constants and takes maxima. (An
//          infinite slack decides nothing, and a box has one if a box within it has.)
#ifndef GRAZE_BROADPHASE_PLANE_TEST_H
#define GRAZE_BROADPHASE_PLANE_TEST_H

#include "simd.h"
#include "view_forms.h"

// Boxes as the forms want them: relative to the view's eye.
typedef struct WideBoxes {
    grzF16 lower[3], upper[3];
    grzF16 size; // the largest absolute value of a coordinate; infinite above 2^120
} WideBoxes;

// `sides`: where lower x y z, upper x y z of the first box stand, with those of the others behind.
static inline WideBoxes wideBoxes(const float eye[3], const float* const sides[6]) {
    WideBoxes boxes;
    boxes.size = grzF16_Zero();
    for (int axis = 0; axis < 3; ++axis) {
        grzF16 origin = grzF16_Set1(eye[axis]);
        boxes.lower[axis] = grzF16_Sub(grzF16_Load(sides[axis]), origin);
        boxes.upper[axis] = grzF16_Sub(grzF16_Load(sides[axis + 3]), origin);
        grzF16 most = grzF16_Max(grzF16_Abs(boxes.lower[axis]), grzF16_Abs(boxes.upper[axis]));
        boxes.size = grzF16_Max(boxes.size, most);
    }
    // So that sums cannot overflow where the slack is finite.
    grzM16 isTame = grzF16_LessEqual(boxes.size, grzF16_Set1(0x1p120f));
    boxes.size = grzF16_Select(isTame, boxes.size, grzF16_Set1(INFINITY));
    return boxes;
}

// How far the form's values on each box may be off.
static inline grzF16 formSlack(const ViewForm* form, const WideBoxes* boxes) {
    return grzF16_Add(grzF16_Mul(boxes->size, grzF16_Set1(form->perSize)), grzF16_Set1(form->constant));
}

static inline grzF16 formValue(const ViewForm* form, grzF16 x, grzF16 y, grzF16 z) {
    grzF16 sum = grzF16_Add(grzF16_Mul(x, grzF16_Set1(form->n[0])), grzF16_Mul(y, grzF16_Set1(form->n[1])));
    return grzF16_Add(grzF16_Add(sum, grzF16_Mul(z, grzF16_Set1(form->n[2]))), grzF16_Set1(form->d));
}

// The largest and the least value of the form on each box, not counting the slack.
static inline grzF16 formMost(const ViewForm* form, const WideBoxes* boxes) {
    const grzF16* corner[3];
    for (int axis = 0; axis < 3; ++axis)
        corner[axis] = form->n[axis] >= 0 ? &boxes->upper[axis] : &boxes->lower[axis];
    return formValue(form, *corner[0], *corner[1], *corner[2]);
}

static inline grzF16 formLeast(const ViewForm* form, const WideBoxes* boxes) {
    const grzF16* corner[3];
    for (int axis = 0; axis < 3; ++axis)
        corner[axis] = form->n[axis] >= 0 ? &boxes->lower[axis] : &boxes->upper[axis];
    return formValue(form, *corner[0], *corner[1], *corner[2]);
}

// Which boxes lie wholly where the plane's form is negative; false where a NaN leaves it open.
static inline grzM16 isOutside(const ViewForm* plane, const WideBoxes* boxes, grzF16 slack) {
    return grzF16_Less(grzF16_Add(formMost(plane, boxes), slack), grzF16_Zero());
}

// Which lie wholly where it is not.
static inline grzM16 isInside(const ViewForm* plane, const WideBoxes* boxes, grzF16 slack) {
    return grzF16_Less(slack, formLeast(plane, boxes));
}

#endif
