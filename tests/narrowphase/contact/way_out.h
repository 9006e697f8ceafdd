// How far a convex shape must go to leave a mesh, by trying every triangle: what depths and normals of contacts are held against.
#ifndef GRAZE_TESTS_WAY_OUT_H
#define GRAZE_TESTS_WAY_OUT_H

#include <stddef.h>

#include "graze/linmath.h"
#include "plain_convex.h"

// Triangles in the world.
typedef struct PlainMesh {
    const grzVec3 (*corners)[3];
    size_t triangleCount;
    bool isSolid; // it encloses what is behind its triangles
} PlainMesh;

// Whether a point is enclosed: by the angles that all triangles fill, seen from there.
bool isEnclosed(const PlainMesh* mesh, grzVec3d point);

// Some point of the core.
grzVec3d middleOf(const RefSolid* shape);

// How far the shape goes along a unit direction until it overlaps no triangle, and its middle is not enclosed by a solid.
double wayOutAlong(const PlainMesh* mesh, const RefSolid* shape, grzVec3d direction);

// The same until it has left one triangle; 0 where it does not overlap it.
double wayOffTriangle(const grzVec3 corners[3], const RefSolid* shape, grzVec3d direction);

// The shortest way out, of those along some directions that fill a sphere evenly and all normals of triangles; at most some percent
// too long.
double shortestWayOut(const PlainMesh* mesh, const RefSolid* shape);

// How far mesh A goes until none of its triangles overlaps one of B, and neither mesh encloses the other's first corner.
double wayApartAlong(const PlainMesh* a, const PlainMesh* b, grzVec3d direction);
double shortestWayApart(const PlainMesh* a, const PlainMesh* b);

#endif
