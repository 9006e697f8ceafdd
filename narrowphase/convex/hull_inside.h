// The inside of a hull: what hull.c makes of the triangles of hull_build.c and the faces of hull_faces.c.
#ifndef GRAZE_NARROWPHASE_HULL_INSIDE_H
#define GRAZE_NARROWPHASE_HULL_INSIDE_H

#include "graze/hull.h"
#include "hull_uses.h"
#include "memory.h"

// Kernels read so many lanes at a time; padding repeats vertex 0 and edge 0.
#define HULL_LANES 8

// Arrays of floats over the edges, for the separating axes of edge pairs (hull_kernel.h): a point of the edge, its
// direction, and the normals of the faces to its left and right.
enum { hullArcX = 0, hullArcDirection = 3, hullArcLeft = 6, hullArcRight = 9, hullArcArrays = 12 };

struct grzHull {
    grzAllocator allocator;
    grzUses ownUses, *uses; // uses: of a hull that is const to those who count
    void* block;            // all arrays
    size_t blockSize;
    grzHullView view;
    uint32_t paddedVertices, paddedEdges;
    grzVec3* vertices; // as in the view
    uint32_t* sources;
    grzHullFace* faces;
    grzHalfEdge* halfEdges;
    float* coordinates; // x of all, y of all, z of all
    float* arcs;        // hullArcArrays arrays of paddedEdges
    uint32_t* firstOf;  // for each vertex a half-edge that begins there
};

// ------------------------------------------------------------------------------------ between the builder's files

typedef struct HullTriangle {
    uint32_t v[3];  // points
    uint32_t to[3]; // the triangle across the edge v[k], v[k + 1]
    grzVec3d normal;
    double offset;
    uint32_t group; // its face (hull_faces.c)
    bool isAlive, isSeen;
} HullTriangle;

// Marks of points: a vertex of an earlier round that was no corner; a vertex once in this round.
enum { hullDropped = 1, hullAdded = 2 };

typedef struct HullBuild {
    grzAllocator allocator;
    grzVec3d* points; // all of them, about their middle
    uint32_t* active; // the points that take part
    // for each of those that are to be added: the triangle it stands out of farthest; else HULL_NONE
    uint32_t* faceOf;
    double* heights; // how far it stands out, or is away
    uint8_t* marks;  // one a point, of the two below
    size_t pointCount, activeCount;
    uint32_t vertexLimit;
    double tolerance;
    double size; // longest side of the points' box
    HullTriangle* triangles;
    uint32_t triangleCount, triangleCapacity;
    uint32_t vertexCount; // in use
    uint32_t* horizon;    // scratch, see hull_build.c
    uint32_t* following;  // one a point; HULL_NONE between uses
} HullBuild;

#define HULL_NONE UINT32_MAX

// The triangulated hull of all points, made of the active ones first (they may be flat; then they are not), with all
// dead triangles removed. Then all are active. grz_badFormat where the points are flat.
grzResult grzHullBuild_Run(HullBuild* build);

// Gathers triangles in one plane into groups, 0 .. *groupCount - 1. Returns how many vertices then lie between fewer
// than three groups; those that do not are the new active points.
uint32_t grzHullBuild_Group(HullBuild* build, uint32_t* groupCount);

static inline uint32_t hullNext(uint32_t k) {
    return k == 2 ? 0 : k + 1;
}

#endif
