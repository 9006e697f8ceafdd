// The scenes of Shagam's experiment: spheres in a cube of side n^(1/3), placed by one of his four distributions.
//
// What he leaves open is fixed here: clusters have a deviation of 1/20 of the side around each of five seeds; the
// Lissajous loop is (sin 3t, sin(4t + 0.5), sin(5t + 1)), for n values of t from 0 to 5000; the hollow sphere has
// half the side as its radius, a shell of 2 % of that, and the solid ball at its centre. Radii are uniform in 1
// .. 10.
//
// Based on: [Shagam] Joshua Shagam, Dynamic Spatial Partitioning for Real-Time Visibility Determination, New Mexico
// State University 2003, chapters 3 and 4.
#ifndef GRAZE_BENCH_PAPER_SCENE_H
#define GRAZE_BENCH_PAPER_SCENE_H

#include "graze/linmath.h"
#include "rng.h"

typedef enum PaperKind {
    paper_uniform,
    paper_clustered,
    paper_lissajous,
    paper_sphere,
} PaperKind;

#define PAPER_KIND_COUNT 4

typedef struct Sphere {
    grzVec3 center;
    float radius;
} Sphere;

const char* paperKindName(PaperKind kind);

// The side of the cube for n objects; its lower corner is the origin.
float paperSide(size_t n);

// Sphere i of n. Spheres are drawn in rising order from one generator.
Sphere paperSphere(PaperKind kind, size_t n, size_t i, grzRng* rng);

// The box of a sphere: what a tree of boxes takes.
grzBox sphereBox(const Sphere* sphere);

// A step in a random direction, by a tenth of the radius: "a distance proportional to its size".
void moveSphere(Sphere* sphere, grzRng* rng);

// A cube of 10 x 10 x 10 somewhere in the cube of the scene.
grzBox paperQuery(size_t n, grzRng* rng);

#endif
