// The test of two models as van den Bergen prints it, in plain scalar words and with counts: binary trees of boxes, each in
// its model's frame; one relative orientation for all boxes; SAT with fifteen axes or SAT-lite with six; the larger box is
// opened. [van den Bergen, Efficient Collision Detection of Complex Deformable Models using AABB Trees, Journal of Graphics
// Tools 1997]
#ifndef GRAZE_BENCH_PLAIN_MODEL_H
#define GRAZE_BENCH_PLAIN_MODEL_H

#include "graze/linmath.h"
#include "plain_bvh.h"

typedef struct PlainModel {
    const PlainBvh* bvh;
    const float* positions;
    grzTransform pose; // rigid
} PlainModel;

typedef struct PlainModelCounts {
    uint64_t boxTests, triangleTests, hits;
    uint64_t exits[15];  // at which axis a test ended: three of A, three of B, nine across edges
    uint64_t wronglyMet; // boxes that SAT-lite lets pass and SAT does not; counted where `checks` is set
} PlainModelCounts;

typedef struct PlainModelSearch {
    bool allAxes, firstOnly, checks;
    bool skipsTriangles; // for the clock: only boxes are tested
    PlainModelCounts counts;
} PlainModelSearch;

// Tests all pairs, or until the first that meets. Adds to the counts. Whether any met.
bool plainModelsMeet(const PlainModel* a, const PlainModel* b, PlainModelSearch* search);

#endif
