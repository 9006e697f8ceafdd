// The normals of a leaf's triangles. Whoever needs them computes them here, so that one bound of their errors holds (tri_kernel.c).
#ifndef GRAZE_NARROWPHASE_MODEL_NORMALS_H
#define GRAZE_NARROWPHASE_MODEL_NORMALS_H

#include "simd.h"

// `at`: [axis][4 * corner + triangle]; the normals become the fourth corner.
GRZ_SIMD_INLINE void setNormals(float at[3][16]) {
    grzF4 e[3], f[3];
    for (int axis = 0; axis < 3; ++axis) {
        const grzF4 first = grzF4_Load(at[axis]);
        e[axis] = grzF4_Sub(grzF4_Load(at[axis] + 4), first);
        f[axis] = grzF4_Sub(grzF4_Load(at[axis] + 8), first);
    }
    for (int axis = 0; axis < 3; ++axis) {
        const int p = (axis + 1) % 3, q = (axis + 2) % 3;
        grzF4_Store(at[axis] + 12, grzF4_Sub(grzF4_Mul(e[p], f[q]), grzF4_Mul(e[q], f[p])));
    }
}

#endif
