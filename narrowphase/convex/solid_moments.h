// What: volume, centre and inertia of what a closed surface of triangles encloses, summed over its triangles.
// Idea: each triangle makes a tetrahedron with the origin, of a volume that is negative where it is seen from behind; what is
//   outside cancels. The products of inertia of a tetrahedron follow from those of the standard one. Points are
//   taken from a base near the surface, so that a solid far from its origin loses nothing.
// Holds: corners counter-clockwise seen from outside, else all is negative.     Threads: plain data, pure functions.
// Based on: [Tonon, Explicit Exact Formulas for the 3-D Tetrahedron Inertia Tensor, JMS 2004]; what a surface of any shape tells
//   by it is the divergence theorem [Mirtich, Fast and Accurate Computation of Polyhedral Mass Properties, JGT 1996].
#ifndef GRAZE_NARROWPHASE_SOLID_MOMENTS_H
#define GRAZE_NARROWPHASE_SOLID_MOMENTS_H

#include "graze/convex.h"

// Sums over tetrahedra (0, a, b, c): volume, first moments, and second moments xx yy zz xy xz yz. Begins as zeros.
typedef struct SolidMoments {
    double volume;
    grzVec3d first;
    double second[6];
} SolidMoments;

static inline void grzSolidMoments_Add(SolidMoments* sum, grzVec3d a, grzVec3d b, grzVec3d c) {
    const double volume = grzVec3d_Dot(a, grzVec3d_Cross(b, c)) / 6;
    const grzVec3d s = grzVec3d_Add(grzVec3d_Add(a, b), c);
    sum->volume += volume;
    sum->first = grzVec3d_Add(sum->first, grzVec3d_Scale(s, volume / 4));
    const double v = volume / 20;
    sum->second[0] += v * (a.x * a.x + b.x * b.x + c.x * c.x + s.x * s.x);
    sum->second[1] += v * (a.y * a.y + b.y * b.y + c.y * c.y + s.y * s.y);
    sum->second[2] += v * (a.z * a.z + b.z * b.z + c.z * c.z + s.z * s.z);
    sum->second[3] += v * (a.x * a.y + b.x * b.y + c.x * c.y + s.x * s.y);
    sum->second[4] += v * (a.x * a.z + b.x * b.z + c.x * c.z + s.x * s.z);
    sum->second[5] += v * (a.y * a.z + b.y * b.z + c.y * c.z + s.y * s.z);
}

// The volume must not be 0. base: where the points were taken from.
static inline grzMass grzSolidMoments_ToMass(const SolidMoments* sum, grzVec3d base) {
    grzMass mass;
    mass.volume = sum->volume;
    const grzVec3d c = grzVec3d_Scale(sum->first, 1 / sum->volume);
    mass.center = grzVec3d_Add(base, c);
    const double xx = sum->second[0] - sum->volume * c.x * c.x, yy = sum->second[1] - sum->volume * c.y * c.y;
    const double zz = sum->second[2] - sum->volume * c.z * c.z;
    mass.diagonal = grzVec3d_Make(yy + zz, zz + xx, xx + yy);
    mass.mixed = grzVec3d_Make(sum->volume * c.x * c.y - sum->second[3], sum->volume * c.x * c.z - sum->second[4],
                               sum->volume * c.y * c.z - sum->second[5]);
    return mass;
}

#endif
