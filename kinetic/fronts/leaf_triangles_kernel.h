// What: which triangles of two leaves may overlap. See kernel.h for how it is built and picked.
#ifndef GRAZE_KINETIC_LEAF_TRIANGLES_KERNEL_H
#define GRAZE_KINETIC_LEAF_TRIANGLES_KERNEL_H

#include "graze/stage/node_pairs.h"

#include "kernel.h"

// Vertices of four triangles: [corner][lane].
typedef struct FourCorners {
    uint32_t at[3][4];
} FourCorners;

// The four triangles of a leaf, by columns. A place without a triangle is marked like the others.
typedef struct FourTriangles {
    _Alignas(64) float lower[2][3][4], upper[2][3][4]; // [start, end][axis]
    FourCorners corners;                               // for pairs within one hierarchy
} FourTriangles;

// Makes the boxes at an end, from positions of three floats a vertex. A fourth float is read.
GRZ_DECLARE_KERNEL(void, grzFourTrianglesFit,
                   (const FourCorners* corners, const float* positions, FourTriangles* four, int end));

typedef struct FourTrianglesJob {
    const FourTriangles* a; // one leaf
    const FourTriangles* b;
    const uint32_t* places; // in b, of each leaf
    const grzLeafPair* pairs;
    size_t count;
    bool isMoving; // the end is looked at
    bool isSelf;   // pairs that share a vertex are left out
} FourTrianglesJob;

// marks[i]: bit 4 * j + k is triangle j of the leaf of A and triangle k of that of B in pair i.
GRZ_DECLARE_KERNEL(void, grzFourTrianglesMark, (const FourTrianglesJob* job, uint16_t* marks));

#endif
