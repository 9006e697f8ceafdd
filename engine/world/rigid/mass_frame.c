// What: the eigenvectors of an inertia tensor as one rotation.
// Promise: the tensor of rotation and moments differs from the given one by some 2^-29 of its largest element, no more than
//   the rotation loses when it is rounded to floats.
// Idea: each step turns two axes by the angle, at most 45 degrees, after which their product of inertia is 0; the other products
//   shrink, quadratically at last. Turns are multiplied as quaternions, so the frame is never mirrored and axes keep their
//   places, as they would not by an order of sizes: equal moments, of boxes and balls, would make them flicker.
// Holds: additions, products, quotients and roots of doubles alone, which are the same everywhere.
// Based on: [Golub, Van Loan, Matrix Computations, 4th edition], section 8.5: the cyclic Jacobi method.
#include "mass_frame.h"

#include <math.h>

#define NEGLIGIBLE 0x1p-30 // of the largest element: less than what moments lose when they are rounded to floats
enum { MOST_SWEEPS = 32 }; // six are enough

typedef struct Tensor {
    double at[3][3];
    double turn[4]; // x y z w
} Tensor;

// By the quaternion (sine of axis k, cosine), from the right: about an axis of the frame as it is now.
static void turnAbout(double q[4], int k, double sine, double cosine) {
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    const double qk = q[k], qi = q[i], qj = q[j], w = q[3];
    q[k] = qk * cosine + w * sine;
    q[i] = qi * cosine + qj * sine;
    q[j] = qj * cosine - qi * sine;
    q[3] = w * cosine - qk * sine;
}

// Makes at[i][j] zero, where i and j are the axes after k in their cycle.
static void annihilate(Tensor* tensor, int k) {
    double(*a)[3] = tensor->at;
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    const double theta = (a[j][j] - a[i][i]) / (2 * a[i][j]);
    const double t = (theta >= 0 ? 1 : -1) / (fabs(theta) + sqrt(theta * theta + 1));
    const double c = 1 / sqrt(t * t + 1), s = t * c, mixed = a[i][j], ki = a[k][i], kj = a[k][j];
    a[i][i] -= t * mixed;
    a[j][j] += t * mixed;
    a[i][j] = a[j][i] = 0;
    a[k][i] = a[i][k] = c * ki - s * kj;
    a[k][j] = a[j][k] = s * ki + c * kj;
    const double half = sqrt((1 + c) / 2);
    turnAbout(tensor->turn, k, -s / (2 * half), half);
}

static double sizeOf(const Tensor* tensor) {
    double most = 0;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            most = fmax(most, fabs(tensor->at[i][j]));
    return most;
}

static void diagonalize(Tensor* tensor) {
    const double little = NEGLIGIBLE * sizeOf(tensor);
    for (int sweep = 0; sweep < MOST_SWEEPS; ++sweep) {
        bool isDone = true;
        for (int k = 2; k >= 0; --k) {
            if (!(fabs(tensor->at[(k + 1) % 3][(k + 2) % 3]) > little))
                continue;
            annihilate(tensor, k);
            isDone = false;
        }
        if (isDone)
            return;
    }
}

bool grzMassFrame_Make(const grzMass* mass, grzMassFrame* frame) {
    const grzVec3d d = mass->diagonal, m = mass->mixed;
    *frame = (grzMassFrame){.rotation = grzQuat_Identity()};
    if (!grzVec3d_IsFinite(d) || !grzVec3d_IsFinite(m))
        return false;
    Tensor tensor = {{{d.x, m.x, m.y}, {m.x, d.y, m.z}, {m.y, m.z, d.z}}, {0, 0, 0, 1}};
    diagonalize(&tensor);
    for (int i = 0; i < 3; ++i)
        if (!(tensor.at[i][i] > 0))
            return false;
    for (int i = 0; i < 3; ++i)
        frame->moments[i] = tensor.at[i][i];
    const double* q = tensor.turn;
    const double length = sqrt((q[0] * q[0] + q[1] * q[1]) + (q[2] * q[2] + q[3] * q[3]));
    const double scale = (q[3] < 0 ? -1 : 1) / length;
    frame->rotation =
        grzQuat_Make((float)(q[0] * scale), (float)(q[1] * scale), (float)(q[2] * scale), (float)(q[3] * scale));
    return true;
}
