// The translations that end the overlap of two convex bodies, one of them given by points: what the depths of contacts are held against.
#ifndef GRAZE_TESTS_CONTACT_DEPTH_H
#define GRAZE_TESTS_CONTACT_DEPTH_H

#include <stddef.h>

#include "graze/linmath.h"
#include "plain_convex.h"

// How far the solid is to go along a unit direction until the hull of the points is behind it.
double escapeAlong(const float* points, size_t count, const RefSolid* solid, grzVec3 direction);

// The shortest way out of the hull, among 200 directions; at most some percent too long.
double leastEscape(const float* points, size_t count, const RefSolid* solid);

#endif
