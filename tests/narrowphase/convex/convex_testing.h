// Random convex shapes.
#ifndef GRAZE_TESTS_CONVEX_TESTING_H
#define GRAZE_TESTS_CONVEX_TESTING_H

#include "testing.h"

#include "plain_convex.h"
#include "rng.h"

float randomIn(grzRng* rng, float lower, float upper);
grzVec3 randomVector(grzRng* rng, float size); // in a cube of that half side
grzQuat randomTurn(grzRng* rng);
grzTransform randomPose(grzRng* rng, float size);

// A hull of `count` points in a ball. The caller destroys it.
grzHull* randomHull(grzRng* rng, size_t count, float size);

// Hulls of 6 to 55 points for a whole program: a group's set-up and tear-down.
enum { hullCount = 8 };
extern grzHull* g_hulls[hullCount];
int makeHulls(void** state);
int destroyHulls(void** state);

// One of the four kinds with size about 1; hulls are taken from g_hulls.
grzConvex anyShape(grzRng* rng);

// Whether a manifold has a point of the same two features within a length of this one, in place and in separation.
bool hasPoint(const grzManifold* manifold, const grzManifoldPoint* point, float tolerance);

#endif
