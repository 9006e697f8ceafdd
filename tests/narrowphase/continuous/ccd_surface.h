// What: crumpled sheets in motion, for tests of continuous collision, in floats and doubles.
#ifndef GRAZE_TESTS_CCD_SURFACE_H
#define GRAZE_TESTS_CCD_SURFACE_H

#include "graze/ccd_step.h"
#include "rng.h"

enum {
    SURFACE_SIDE = 5,
    SURFACE_VERTICES = SURFACE_SIDE * SURFACE_SIDE + 8,
    SURFACE_TRIANGLES = 2 * SURFACE_SIDE * SURFACE_SIDE + 8,
};

// A mesh and its positions at both ends, in both types.
typedef struct Surface {
    uint32_t triangles[3 * SURFACE_TRIANGLES];
    uint32_t vertexCount, triangleCount;
    float floats[2][3 * SURFACE_VERTICES];
    double doubles[2][3 * SURFACE_VERTICES];
    grzMesh* mesh;
    grzMeshView view;
} Surface;

// How positions are drawn.
typedef struct SurfaceCloud {
    double size, offset;
    bool isLattice;
} SurfaceCloud;

enum { SURFACE_CLOUDS = 7 };
extern const SurfaceCloud surfaceClouds[SURFACE_CLOUDS];

// Floats hold no 1e300.
static inline bool SurfaceCloud_IsFor(const SurfaceCloud* cloud, bool isDouble) {
    return isDouble || cloud->offset < 1e38;
}

// A sheet, crumpled at both ends; with a triangle that is there twice, one with a repeated corner, one without neighbours, and
// a vertex without a triangle.
void Surface_Make(Surface* surface, grzRng* rng, const SurfaceCloud* cloud);

// A triangle above a square of two, in one mesh; falls through it, from 1 to -1.
void Surface_MakeFall(Surface* surface);

// Of whatever stands in the rest of it.
void Surface_AddTriangle(Surface* surface, uint32_t a, uint32_t b, uint32_t c);
void Surface_MakeMesh(Surface* surface);

grzCcdStepMotion Surface_Motion(const Surface* surface, bool isDouble);
double Surface_Number(const Surface* surface, bool isDouble, int end, uint32_t vertex, int axis);

// b is a: against itself.
grzCcdStepQuery surfaceQuery(const Surface* a, const Surface* b, bool isDouble);

// Fails the test where a result is not ok.
void surfaceOk(grzResult result);

#endif
