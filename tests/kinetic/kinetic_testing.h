// What: scenes for tests of what moves by a flightplan: a sheet of triangles with a few keyframes.
#ifndef GRAZE_TESTS_KINETIC_TESTING_H
#define GRAZE_TESTS_KINETIC_TESTING_H

#include "testing.h"

#include "graze/bvh.h"
#include "graze/flightplan.h"
#include "graze/kinetic_tree.h"
#include "rng.h"

void ok(grzResult result);

enum { FRAMES = 5 };

// The height of vertex i, j at a keyframe.
typedef float HeightFn(grzRng* rng, uint32_t i, uint32_t j, int frame);
HeightFn waves, noise, far;
HeightFn mirrored; // all vertices change their order at once, in the middle of each interval
HeightFn flat;     // nothing moves, and all is level

enum { HEIGHTS = 5 };
extern HeightFn* const heights[HEIGHTS];

typedef struct Scene {
    uint32_t side, vertexCount, triangleCount;
    float* frames[FRAMES];
    float* velocities;
    float* accelerations;
    uint32_t* triangles;
    grzBvh* bvh;
} Scene;

// A square of so many vertices a side. dropScene gives it back.
Scene makeScene(grzRng* rng, uint32_t side, HeightFn* height);
void dropScene(Scene* scene);

// All zeros.
float* takeNumbers(size_t count);

// A keyframe each second; or paths, of which only `noise` has accelerations.
grzFlightplan* planFrames(const Scene* scene, int count);
grzFlightplan* planPaths(const Scene* scene);

// In the caller's numbers, from a time on; NaN: where the plan begins.
grzKineticTree* makeKineticTree(const Scene* scene, grzFlightplan* plan, grzKineticOrder order, double time);

// Room for the boxes of a tree and those of a refit. dropBoxes gives it back.
typedef struct TreeBoxes {
    float* positions;
    grzBvhNode *found, *expected;
    uint32_t nodeCount;
} TreeBoxes;

TreeBoxes takeTreeBoxes(const Scene* scene, size_t vertexCount); // of the plan
void dropTreeBoxes(TreeBoxes* boxes);

// The boxes are those of a refit, number by number (zeros of both signs are one number).
void expectTreeRefit(const Scene* scene, const grzFlightplan* plan, const grzKineticTree* tree, double time,
                     TreeBoxes* boxes);

// New paths for a few vertices, drawn at random: some jump, some bend.
enum { MOST_CHANGED = 40 };
typedef struct SomeChange {
    uint32_t vertices[MOST_CHANGED];
    float velocities[3 * MOST_CHANGED], positions[3 * MOST_CHANGED], accelerations[3 * MOST_CHANGED];
    grzFlightplanChange change; // points into the above
} SomeChange;

void drawChange(const Scene* scene, grzRng* rng, SomeChange* some);

#endif
