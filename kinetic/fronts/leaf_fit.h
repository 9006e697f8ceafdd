// What: the triangles of a leaf side by side, with their boxes.
#ifndef GRAZE_KINETIC_LEAF_FIT_H
#define GRAZE_KINETIC_LEAF_FIT_H

#include "leaf_triangles_kernel.h"

// Where a side's leaves come from.
typedef struct LeafFit {
    grzBvhView view;
    const uint16_t* flags;    // of bottom nodes (bvh_parts.h)
    const uint32_t* map;      // from the hierarchy's vertices to those of the positions; NULL: they are the same
    const float* ends[2];     // positions, three floats a vertex
    int endCount;             // 0: positions are not known, and the boxes of triangles overlap all others
    bool isPadded;            // four floats may be read of the last vertex
    bool isShared;            // corners are wanted
    const grzTransform* pose; // NULL, or where the side stands
} LeafFit;

// Writes the triangles of a leaf. Lanes without a triangle are copies of the first.
void grzLeafFit_Make(const LeafFit* fit, uint32_t leaf, FourTriangles* four);

// Widens the boxes at an end. A NaN, from numbers that are too large, gives the widest side.
void grzFourTriangles_Widen(FourTriangles* four, int end, const float by[3]);

#endif
