// What: where a point is beside the surface of a model: on it, inside or outside.
// Promise: exact for the floats given; see graze/model_region.h for what inside means. The same on every machine.
// Threads: pure; reads the model.
#ifndef GRAZE_NARROWPHASE_MODEL_PARITY_H
#define GRAZE_NARROWPHASE_MODEL_PARITY_H

#include "model_placed.h"

typedef enum ModelPlace {
    place_unknown = 0, // no way out was found that misses all edges
    place_outside,
    place_inside,
    place_on,
} ModelPlace;

// What a way from one point to another, a segment, comes to beside the triangles.
typedef enum ModelPassing {
    passing_isClear = 0, // it goes through none, or through their insides alone
    passing_goesThrough, // of one triangle: its inside
    passing_isUnclear,   // it goes through an edge or a corner, or runs in the plane of a triangle
    passing_startsOn,    // the first point is on a triangle
} ModelPassing;

// *crossings: how many triangles it goes through, where it is clear. The model has triangles, and `to` is not on any of them.
ModelPassing grzPlaced_Pass(const PlacedModel* placed, grzVec3 from, grzVec3 to, uint32_t* crossings);

// The model has triangles; box is its root's.
ModelPlace grzPlaced_Locate(const PlacedModel* placed, grzBox box, grzVec3 point);

#endif
