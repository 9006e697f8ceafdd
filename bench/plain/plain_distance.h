// What: how far two models are apart, found in the plainest way that ends: one box against one box, in doubles, corners and
// edges by textbook formulas. What graze is to agree with, where no peer is at hand.
#ifndef GRAZE_BENCH_PLAIN_DISTANCE_H
#define GRAZE_BENCH_PLAIN_DISTANCE_H

#include "graze/model_distance.h"

typedef struct PlainMesh {
    const float* positions; // tight
    const uint32_t* triangles;
    const grzModel* model; // of these
} PlainMesh;

// Of two copies that do not meet; recursion as deep as the hierarchies.
double plainModelDistance(const PlainMesh* mesh, grzTransform a, grzTransform b);

// Of a point and a triangle, which may have no area.
double plainPointToTriangle(grzVec3d p, const grzVec3d corners[3]);

#endif
