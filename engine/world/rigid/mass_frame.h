// The principal axes of a solid: the frame about its centre in which its inertia is three numbers.
#ifndef GRAZE_WORLD_MASS_FRAME_H
#define GRAZE_WORLD_MASS_FRAME_H

#include "graze/convex.h"

typedef struct grzMassFrame {
    grzQuat rotation;  // unit, w >= 0: from the principal axes to the frame that the mass is told in
    double moments[3]; // about them, for density 1
} grzMassFrame;

// The same bytes with every compiler. The axes are those that Jacobi's rotations lead to from the frame's own: a tensor that is
// diagonal, to 2^-30 of its largest element, keeps its axes in their order, and the rotation is exactly the identity. False, with
// the identity and zeros, where a moment is not finite and above 0.
bool grzMassFrame_Make(const grzMass* mass, grzMassFrame* frame);

#endif
