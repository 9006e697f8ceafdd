// What: how far two models move, one seen from the other, between two queries.
// Promise: bounds, never estimates. Let boxes of A and B have been apart in one query by `slack`, doubled as the box tests
//   have it (model_boxes.h), at a reading D0 of the sum of all motions so far, with slop m0. Then in a later query, at reading D1
//   with slop m1, no triangle in the one meets a triangle in the other where D1 + m1 < D0 + slack - m0.
// Idea: [proof] Boxes are apart along an axis of A's or of B's frame; that frame is fixed and the other model moves in it.
//   In the first query the boxes, exactly as the relation's floats map them, are apart by slack / 2 at least: the
//   margins of model_relation.c outweigh what the test rounds. Any point of the model that moves has moved by (D1 - D0) / 2
//   at most since, by the triangle inequality over the queries between. And where two triangles meet in the second query, at
//   a point p of A's frame, the relation maps the boxes to within its margin, m1 / 2 at most, of each other: that is what
//   model_relation.c proves of either frame. So slack / 2 <= (D1 - D0) / 2 + m1 / 2 for all that meet.
//   Where leaves are apart by planes, or by boxes in A's frame, the corners of B are those that were rounded then; m0 makes up
//   for that.
// Threads: pure functions.
#ifndef GRAZE_NARROWPHASE_MODEL_MOTION_H
#define GRAZE_NARROWPHASE_MODEL_MOTION_H

#include "model_relation.h"

// Twice the way that any point of a model's box goes in the other's frame, in the one of the frames where that is more.
double grzModelRelation_Motion(const ModelRelation* from, const ModelRelation* to, const grzModelQuery* query);

// Twice what the margins of either frame come to.
double grzModelRelation_Slop(const ModelRelation* relation);

#endif
