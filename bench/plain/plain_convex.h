// Slow, obvious answers about two convex shapes: what the tests and graze-bench hold graze's against.
#ifndef GRAZE_BENCH_PLAIN_CONVEX_H
#define GRAZE_BENCH_PLAIN_CONVEX_H

#include <stdint.h>

#include "graze/convex_pairs.h"

enum { refMostVertices = 128, refMostTriangles = 256, refMostEdges = 384 };

// The core of a posed shape in the world, by its own corners, triangles and edges, with the radius apart.
typedef struct RefSolid {
    grzVec3d vertices[refMostVertices];
    uint32_t triangles[refMostTriangles][3];
    uint32_t edges[refMostEdges][2];
    grzVec3d normals[refMostTriangles]; // unit; 0 where a triangle has no area
    uint32_t vertexCount, triangleCount, edgeCount;
    double radius;
} RefSolid;

void refMake(const grzConvex* shape, grzTransform pose, RefSolid* solid);
void refMakeTriangle(const grzVec3 corners[3], RefSolid* solid);

// The least distance of their triangles, edges and vertices: the cores' distance where neither holds the other.
double refDistance(const RefSolid* a, const RefSolid* b);

// The largest separation along any face's normal and any cross product of edges; negative: the depth of an overlap.
double refSeparation(const RefSolid* a, const RefSolid* b);
// The same where it is below `enough`; else some number between the two.
double refSeparationUpTo(const RefSolid* a, const RefSolid* b, double enough);

// How far the cores are apart along a direction.
double refGap(const RefSolid* a, const RefSolid* b, grzVec3d direction);

// The core's distance to a point, 0 inside.
bool refContains(const RefSolid* solid, grzVec3d point, double slack);

#endif
