// What: which triangles of two leaves may overlap. See kernel.h for how it is built and picked.
#ifndef GRAZE_KINETIC_LEAF_TRIANGLES_KERNEL_H
#define GRAZE_KINETIC_LEAF_TRIANGLES_KERNEL_H

#include "graze/stage/node_pairs.h"

#include "kernel.h"

// The four triangles of a leaf, by columns. What is in place of one that is not there is marked like others.
typedef struct FourTriangles {
    _Alignas(64) float lower[2][3][4], upper[2][3][4]; // [start, end][axis]
    int32_t corners[3][4];
} FourTriangles;

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
