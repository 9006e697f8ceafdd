// What: sixteen boxes at a time against a view's planes, and onto its screen.
// Promise: a box is ruled out only where a plane has it wholly outside; the rectangle of pixels and the nearness of a box hold
//   those of every point of it that is in view. The same bytes at every SIMD level.
// Idea: a corner is projected by three forms and a quotient. Let x = X / w be a corner's true place, X~ and w~ what is computed,
//   with |X~ - X| <= sX and |w~ - w| <= sW (the slacks of view_forms.h), and w > 0, w~ > 0. Then
//         x~ - x = ((X~ - X) - x (w~ - w)) / w~,     so |x~ - x| <= (sX + W sW) / w~ where 0 <= x <= W,
//   W the screen's width. For x < 0, X~ <= sX gives x~ <= sX / w~; for x > W, X~ >= X - sX >= W (w~ - sW) - sX gives x~ >= W -
//   (sX + W sW) / w~. So the rectangle widened by e = (sX + W sW) / least w~ holds what is true of it on the screen. The
//   quotient, computed as a product with a rounded reciprocal, is off by less than 2^-22 W where it is on the screen, the sums
//   with e by as much; 2^-20 W is added to e. A box's least w is the form's least value less its slack. If that is not above 0,
//   or hardly, the box may reach the eye's plane, where its image has no bounds: it gets all of the screen and an infinite
//   nearness. So does a box whose coordinates are so large that something could overflow: a slack of 2^99 is from values of
//   2^120.
#include "view_kernel.h"

#include <math.h>

#include "plane_test.h"

uint32_t GRZ_KERNEL(grzClipBoxes)(const LocalView* view, uint32_t planes, const float* const sides[6],
                                  uint32_t live, uint32_t crossed[view_lanes]) {
    WideBoxes boxes = wideBoxes(view->eye, sides);
    grzI16 crossing = grzI16_Zero();
    grzM16 seen = grzM16_FromBits(live);
    for (uint32_t rest = planes; rest != 0; rest &= rest - 1) {
        uint32_t i = (uint32_t)__builtin_ctz(rest);
        const ViewForm* plane = &view->planes[i];
        grzF16 slack = formSlack(plane, &boxes);
        seen = grzM16_AndNot(seen, isOutside(plane, &boxes, slack));
        grzI16 bit = grzI16_Set1((int32_t)(1u << i));
        crossing = grzI16_Or(crossing, grzI16_Select(isInside(plane, &boxes, slack), grzI16_Zero(), bit));
    }
    grzI16_Store((int32_t*)(void*)crossed, crossing);
    return grzM16_Bits(seen);
}

// The products of one form with both sides of the boxes on each axis.
typedef struct FormProducts {
    grzF16 at[3][2];
} FormProducts;

static FormProducts formProducts(const ViewForm* form, const WideBoxes* boxes) {
    FormProducts products;
    for (int axis = 0; axis < 3; ++axis) {
        grzF16 n = grzF16_Set1(form->n[axis]);
        products.at[axis][0] = grzF16_Mul(boxes->lower[axis], n);
        products.at[axis][1] = grzF16_Mul(boxes->upper[axis], n);
    }
    return products;
}

// As formValue, to the bit.
static grzF16 cornerValue(const FormProducts* products, int corner, grzF16 d) {
    grzF16 sum = grzF16_Add(products->at[0][corner & 1], products->at[1][corner >> 1 & 1]);
    return grzF16_Add(grzF16_Add(sum, products->at[2][corner >> 2 & 1]), d);
}

// From, to: the pixels of an extent from `least` to `most`, on a screen of `size`.
static void storePixels(int32_t* from, int32_t* to, grzF16 least, grzF16 most, float size) {
    grzI16 last = grzI16_Set1((int32_t)size - 1);
    grzF16 whole = grzF16_Set1(size), zero = grzF16_Zero();
    grzI16 first = grzF16_ToInt(grzF16_Min(grzF16_Max(least, zero), whole));
    grzI16 end = grzF16_ToInt(grzF16_Max(grzF16_Min(most, whole), zero));
    grzI16_Store(from, grzI16_Min(first, last));
    grzI16_Store(to, grzI16_Min(end, last));
}

void GRZ_KERNEL(grzProjectBoxes)(const LocalView* view, const float* const sides[6], ScreenBoxes* screen) {
    WideBoxes boxes = wideBoxes(view->eye, sides);
    FormProducts products[3];
    for (int row = 0; row < 3; ++row)
        products[row] = formProducts(&view->rows[row], &boxes);
    grzF16 big = grzF16_Set1(INFINITY), one = grzF16_Set1(1), d[3];
    for (int row = 0; row < 3; ++row)
        d[row] = grzF16_Set1(view->rows[row].d);
    grzF16 least[2] = {big, big}, most[2] = {grzF16_Negate(big), grzF16_Negate(big)}, leastW = big;
    for (int corner = 0; corner < 8; ++corner) {
        grzF16 w = cornerValue(&products[2], corner, d[2]), inverse = grzF16_Div(one, w);
        leastW = grzF16_Min(w, leastW);
        for (int row = 0; row < 2; ++row) {
            grzF16 at = grzF16_Mul(cornerValue(&products[row], corner, d[row]), inverse);
            least[row] = grzF16_Min(least[row], at);
            most[row] = grzF16_Max(most[row], at);
        }
    }
    grzF16 slackW = formSlack(&view->rows[2], &boxes), sure = grzF16_Sub(leastW, slackW);
    grzF16 slacks[2] = {formSlack(&view->rows[0], &boxes), formSlack(&view->rows[1], &boxes)};
    grzF16 mostSlack = grzF16_Set1(0x1p99f);
    grzM16 isBefore =
        grzM16_And(grzF16_LessEqual(grzF16_Set1(0x1p-100f), sure), grzF16_LessEqual(slackW, mostSlack));
    isBefore = grzM16_And(isBefore, grzF16_LessEqual(grzF16_Max(slacks[0], slacks[1]), mostSlack));
    const float sizes[2] = {view->width, view->height};
    int32_t* pixels[2][2] = {{screen->x0, screen->x1}, {screen->y0, screen->y1}};
    for (int row = 0; row < 2; ++row) {
        grzF16 size = grzF16_Set1(sizes[row]);
        grzF16 error = grzF16_Div(grzF16_Add(slacks[row], grzF16_Mul(size, slackW)), leastW);
        error = grzF16_Add(error, grzF16_Mul(error, grzF16_Set1(0x1p-20f)));
        error = grzF16_Add(error, grzF16_Mul(size, grzF16_Set1(0x1p-20f)));
        grzF16 from = grzF16_Select(isBefore, grzF16_Sub(least[row], error), grzF16_Negate(big));
        grzF16 to = grzF16_Select(isBefore, grzF16_Add(most[row], error), big);
        storePixels(pixels[row][0], pixels[row][1], from, to, sizes[row]);
    }
    // Three roundings, in `sure`, the factor and the quotient, and what a quotient may lose by underflow.
    grzF16 nearness = grzF16_Add(grzF16_Div(grzF16_Set1(1 + 0x1p-21f), sure), grzF16_Set1(0x1p-126f));
    grzF16_Store(screen->most, grzF16_Select(isBefore, nearness, big));
    grzF16_Store(screen->distance, grzF16_Max(leastW, grzF16_Zero()));
}
