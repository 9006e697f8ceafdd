// What: where two models stand to each other, and how far off floats can be about it: computed once per query.
// Promise: margins are proved, see model_relation.c: a box test that adds them never parts two triangles that meet.
// Threads: plain data, pure functions.
#ifndef GRAZE_NARROWPHASE_MODEL_RELATION_H
#define GRAZE_NARROWPHASE_MODEL_RELATION_H

#include "graze/model_pair.h"

// From the other's frame into this one: p -> x * p.x + y * p.y + z * p.z + origin. The fourth of each is 0.
typedef struct ModelFrame {
    float columns[3][4];
    float absolute[3][4]; // of the columns
    float origin[4];
    float twiceOrigin[4];
    float twiceMargin[4]; // along the axes of this frame; with the query's own
    // For axes across edges, e_i x edge j: edges[j] is column j by a power of two, the largest of its numbers in [1/2, 1).
    // acrossRadius[i][j][k]: what one unit of the other's difference k adds to the other's radius along it, as
    // |det(e_i, edge j, column k)|; acrossMargin[i][j]: what rounding may take from it. Only where all axes are asked for.
    float edges[3][4];
    float acrossRadius[3][3][3];
    float acrossMargin[3][3];
    float size; // a length of the other's frame, in this one: the root of the columns' mean square
} ModelFrame;

typedef struct ModelRelation {
    ModelFrame into[2]; // from B's frame into A's: the one that defines the answer; and its inverse
    // Where the query has a margin: along the axes of A's frame, what candidates may be apart; and where lengths are the same there in
    // all directions, how far they may be apart in all, else infinity.
    float grow[4], farthest;
} ModelRelation;

// Refuses as grzModels_Touch does for poses.
grzResult grzModelRelation_Make(ModelRelation* relation, const grzModelQuery* query);

#endif
