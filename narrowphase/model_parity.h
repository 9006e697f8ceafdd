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

// The model has triangles; box is its root's.
ModelPlace grzPlaced_Locate(const PlacedModel* placed, grzBox box, grzVec3 point);

#endif
