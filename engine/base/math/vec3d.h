// Vectors of three doubles, beyond those of graze/linmath.h: as vectors, and as rows of numbers. Each operation rounds as it is
// written.
#ifndef GRAZE_BASE_VEC3D_H
#define GRAZE_BASE_VEC3D_H

#include "graze/linmath.h"

static inline grzVec3d grzVec3d_AddScaled(grzVec3d a, double s, grzVec3d b) {
    return grzVec3d_Make(a.x + s * b.x, a.y + s * b.y, a.z + s * b.z);
}

// The sizes of the coordinates, added up.
static inline double grzVec3d_Sum(grzVec3d a) {
    return fabs(a.x) + fabs(a.y) + fabs(a.z);
}

// Of length 1. Zero where `a` has no length.
static inline grzVec3d grzVec3d_Unit(grzVec3d a) {
    const double length = grzVec3d_Length(a);
    return length > 0 ? grzVec3d_Scale(a, 1 / length) : grzVec3d_Make(0, 0, 0);
}

// The largest size of a coordinate.
static inline double grzVec3d_Largest(grzVec3d a) {
    return fmax(fmax(fabs(a.x), fabs(a.y)), fabs(a.z));
}

static inline void grzVec3d_FromMat3(grzMat3 m, grzVec3d columns[3]) {
    columns[0] = grzVec3d_FromVec3(m.x);
    columns[1] = grzVec3d_FromVec3(m.y);
    columns[2] = grzVec3d_FromVec3(m.z);
}

// The matrix of three columns times a vector.
static inline grzVec3d grzVec3d_Turn(const grzVec3d columns[3], grzVec3d v) {
    const grzVec3d xy = grzVec3d_Add(grzVec3d_Scale(columns[0], v.x), grzVec3d_Scale(columns[1], v.y));
    return grzVec3d_Add(xy, grzVec3d_Scale(columns[2], v.z));
}

// The transpose of the matrix times a vector.
static inline grzVec3d grzVec3d_TurnBack(const grzVec3d columns[3], grzVec3d v) {
    return grzVec3d_Make(grzVec3d_Dot(columns[0], v), grzVec3d_Dot(columns[1], v), grzVec3d_Dot(columns[2], v));
}

// ---- rows of three numbers ----

static inline double grzRow_Dot(const double a[3], const double b[3]) {
    return (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2];
}

static inline double grzRow_Largest(const double a[3]) {
    return fmax(fmax(fabs(a[0]), fabs(a[1])), fabs(a[2]));
}

static inline void grzRow_Cross(const double a[3], const double b[3], double out[3]) {
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static inline void grzRow_FromVec3(grzVec3 v, double out[3]) {
    out[0] = (double)v.x;
    out[1] = (double)v.y;
    out[2] = (double)v.z;
}

#endif
