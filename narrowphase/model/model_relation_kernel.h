// What: the numbers of model_relation.c, four at a time: maps between two models' frames, and margins of rounding. See kernel.h
//   for how it is built and picked.
// Threads: pure.
#ifndef GRAZE_NARROWPHASE_MODEL_RELATION_KERNEL_H
#define GRAZE_NARROWPHASE_MODEL_RELATION_KERNEL_H

#include "kernel.h"
#include "model_relation.h"

// By axis, of A's and of B's frame; the fourth of each is of no use.
typedef struct RelationBounds {
    double reach[2][4];  // what may round
    double margin[2][4]; // of rounding
} RelationBounds;

// Sets columns, absolute, origin and twiceOrigin of both frames, and the bounds. False where a basis cannot be inverted.
GRZ_DECLARE_KERNEL(bool, grzModelRelate,
                   (const grzModelQuery* query, ModelRelation* relation, RelationBounds* bounds));

#endif
