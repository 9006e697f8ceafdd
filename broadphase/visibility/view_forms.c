// What: the forms of view_forms.h, which has the proof of their error bounds.
#include "view_forms.h"

#include <math.h>
#include <string.h>

static const double roundoff = 0x1p-53;

LinearFrame grzRootFrame(void) {
    LinearFrame frame;
    memset(&frame, 0, sizeof frame);
    for (int i = 0; i < 3; ++i)
        frame.m[i][i] = frame.mSize[i][i] = 1;
    return frame;
}

LinearFrame grzNestedFrame(const LinearFrame* outer, const grzTransform* t) {
    const grzVec3 columns[4] = {t->basis.x, t->basis.y, t->basis.z, t->origin};
    LinearFrame frame;
    frame.units = outer->units + 4;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 4; ++j) {
            double sum = j == 3 ? outer->o[i] : 0, size = j == 3 ? outer->oSize[i] : 0;
            for (int k = 0; k < 3; ++k) {
                double inner = (double)grzVec3_Get(columns[j], k);
                sum += outer->m[i][k] * inner;
                size += outer->mSize[i][k] * fabs(inner);
            }
            *(j == 3 ? &frame.o[i] : &frame.m[i][j]) = sum;
            *(j == 3 ? &frame.oSize[i] : &frame.mSize[i][j]) = size;
        }
    }
    return frame;
}

static LinearForm scaledSum(double a, const LinearForm* f, double b, const LinearForm* g) {
    LinearForm sum;
    for (int i = 0; i < 3; ++i) {
        sum.n[i] = a * f->n[i] + b * g->n[i];
        sum.nSize[i] = fabs(a) * f->nSize[i] + fabs(b) * g->nSize[i];
    }
    sum.d = a * f->d + b * g->d;
    sum.dSize = fabs(a) * f->dSize + fabs(b) * g->dSize;
    return sum;
}

// axis . (p - position)
static LinearForm axisForm(grzVec3 axis, grzVec3 position) {
    LinearForm form;
    memset(&form, 0, sizeof form);
    for (int i = 0; i < 3; ++i) {
        double n = (double)grzVec3_Get(axis, i), p = (double)grzVec3_Get(position, i);
        form.n[i] = n;
        form.nSize[i] = fabs(n);
        form.d -= n * p;
        form.dSize += fabs(n * p);
    }
    return form;
}

void grzCameraForms(const grzCamera* camera, double width, double height, LinearForm rows[3]) {
    LinearForm right = axisForm(camera->right, camera->position), up = axisForm(camera->up, camera->position);
    rows[2] = axisForm(camera->forward, camera->position);
    rows[0] = scaledSum(0.5 * width / (double)camera->halfWidth, &right, 0.5 * width, &rows[2]);
    rows[1] = scaledSum(0.5 * height / (double)camera->halfHeight, &up, 0.5 * height, &rows[2]);
}

void grzCameraPlanes(const grzCamera* camera, const LinearForm rows[3], double width, double height,
                     LinearForm planes[view_cameraPlanes]) {
    planes[0] = rows[0];
    planes[1] = scaledSum(width, &rows[2], -1, &rows[0]);
    planes[2] = rows[1];
    planes[3] = scaledSum(height, &rows[2], -1, &rows[1]);
    planes[4] = rows[2];
    planes[4].d -= (double)camera->nearest;
    planes[4].dSize += (double)camera->nearest;
    planes[5] = scaledSum(-1, &rows[2], 0, &rows[2]);
    planes[5].d += (double)camera->farthest;
    planes[5].dSize += (double)camera->farthest;
}

LinearForm grzHalfSpaceForm(const grzHalfSpace* half) {
    LinearForm form = axisForm(grzNeg(half->normal), grzVec3_Zero());
    form.d = (double)half->offset;
    form.dSize = fabs(form.d);
    return form;
}

LinearForm grzCarryForm(const LinearForm* form, const LinearFrame* frame) {
    LinearForm carried = {.d = form->d, .dSize = form->dSize};
    for (int i = 0; i < 3; ++i) {
        carried.d += form->n[i] * frame->o[i];
        carried.dSize += form->nSize[i] * frame->oSize[i];
        for (int j = 0; j < 3; ++j) {
            carried.n[j] += form->n[i] * frame->m[i][j];
            carried.nSize[j] += form->nSize[i] * frame->mSize[i][j];
        }
    }
    return carried;
}

// Four more roundings for carrying, four for a value, and one for each of two sums with the eye.
static double errorFactor(const LinearFrame* frame) {
    return 2 * (FORM_UNITS + frame->units + 10) * roundoff;
}

double grzFormError(const LinearForm* form, const LinearFrame* frame, const double most[3]) {
    double size = form->dSize;
    for (int i = 0; i < 3; ++i)
        size += form->nSize[i] * most[i];
    return errorFactor(frame) * size;
}

// The largest coordinate of n to 1/2 .. 1 by a power of two, since of a plane only the sign counts.
static double signScale(const LinearForm* form) {
    double most = fmax(fabs(form->n[0]), fmax(fabs(form->n[1]), fabs(form->n[2])));
    if (!(most > 0x1p-500 && most < 0x1p500))
        return 1;
    int exponent;
    frexp(most, &exponent);
    return ldexp(1, -exponent);
}

static ViewForm viewForm(const LinearForm* form, const LinearFrame* frame, const float eye[3], double scale) {
    double sum = 0, size = 0, d = form->d, dSize = form->dSize;
    ViewForm view;
    for (int i = 0; i < 3; ++i) {
        view.n[i] = (float)(scale * form->n[i]);
        sum += fabs(form->n[i]);
        size += form->nSize[i];
        d += form->n[i] * (double)eye[i];
        dSize += form->nSize[i] * fabs((double)eye[i]);
    }
    double error = errorFactor(frame);
    view.d = (float)(scale * d);
    view.perSize = grzRoundUp(scale * (0x1p-21 * sum + error * size) + 0x1p-147);
    view.constant = grzRoundUp(scale * (0x1p-21 * fabs(d) + error * dSize) + 0x1p-145);
    if (!(fabsf(view.d) <= 0x1p120f)) // lest sums overflow where the slack is finite
        view.constant = INFINITY;
    return view;
}

// inverse(frame) * p, or zero where there is no such point among the floats. It need not be exact.
static void localPoint(const LinearFrame* frame, grzVec3 p, float local[3]) {
    double b[3], cofactors[3][3], determinant = 0;
    for (int i = 0; i < 3; ++i)
        b[i] = (double)grzVec3_Get(p, i) - frame->o[i];
    for (int i = 0; i < 3; ++i) {
        const double *r = frame->m[(i + 1) % 3], *s = frame->m[(i + 2) % 3];
        for (int j = 0; j < 3; ++j)
            cofactors[i][j] = r[(j + 1) % 3] * s[(j + 2) % 3] - r[(j + 2) % 3] * s[(j + 1) % 3];
    }
    for (int j = 0; j < 3; ++j)
        determinant += frame->m[0][j] * cofactors[0][j];
    for (int j = 0; j < 3; ++j) {
        double x = 0;
        for (int i = 0; i < 3; ++i)
            x += cofactors[i][j] * b[i];
        x /= determinant;
        local[j] = fabs(x) < 0x1p100 ? (float)x : 0;
    }
}

RootView grzMakeRootView(const grzHalfSpace* halfSpaces, uint32_t count, const grzCamera* camera, double width,
                         double height) {
    RootView view;
    memset(&view, 0, sizeof view);
    view.width = width, view.height = height;
    for (uint32_t i = 0; i < count; ++i)
        view.planes[view.planeCount++] = grzHalfSpaceForm(&halfSpaces[i]);
    if (camera != NULL) {
        view.eye = camera->position;
        grzCameraForms(camera, width, height, view.rows);
        grzCameraPlanes(camera, view.rows, width, height, &view.planes[view.planeCount]);
        view.planeCount += view_cameraPlanes;
    }
    return view;
}

LocalView grzMakeLocalView(const RootView* root, const LinearFrame* frame) {
    LocalView view;
    memset(&view, 0, sizeof view);
    localPoint(frame, root->eye, view.eye);
    view.planeCount = root->planeCount;
    for (uint32_t i = 0; i < root->planeCount; ++i) {
        LinearForm form = grzCarryForm(&root->planes[i], frame);
        view.planes[i] = viewForm(&form, frame, view.eye, signScale(&form));
    }
    for (int i = 0; i < 3; ++i) {
        LinearForm form = grzCarryForm(&root->rows[i], frame);
        view.rows[i] = viewForm(&form, frame, view.eye, 1);
    }
    view.width = (float)root->width, view.height = (float)root->height;
    return view;
}
