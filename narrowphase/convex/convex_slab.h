// A box and a triangle, as far as the box's own axes tell: the short way for the many triangles over a face of a large box.
#ifndef GRAZE_NARROWPHASE_CONVEX_SLAB_H
#define GRAZE_NARROWPHASE_CONVEX_SLAB_H

#include "convex_core.h"

typedef enum SlabKind {
    slabUnknown,
    slabBeside, // certainly farther apart than the margin
    slabOver,   // certainly apart, and a corner over a face is nearest
    slabInside, // a corner is certainly inside
} SlabKind;

typedef struct Slab {
    SlabKind kind;
    // Of slabOver: the face (axis, and which end), the nearest corner, how far it is from the face, and the error of that.
    uint32_t axis, corner;
    bool isUpper;
    double gap, error;
} Slab;

// core is a box, and the corners are relative to its base.
Slab grzCompareSlab(const ConvexCore* core, const grzVec3d corners[3], double margin);

#endif
