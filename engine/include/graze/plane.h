// Planes that bound a convex volume.
#ifndef GRAZE_PLANE_H
#define GRAZE_PLANE_H

#include "graze/linmath.h"

GRZ_EXTERN_C_BEGIN

// The half-space of all points p with dot(normal, p) + offset >= 0. The normal points inward and may have any
// length. A convex volume is the intersection of several.
typedef struct grzPlane {
    grzVec3 normal;
    float offset;
} grzPlane;

#define GRZ_MAX_VOLUME_PLANES 16

GRZ_EXTERN_C_END

#endif
