// What: where the vertices of some leaves are at a time of a plan. All searches that evaluate a plan for pairs of
//   leaves do it here.
//
// Idea: vertices are evaluated by blocks, as streams. Few leaves mark the blocks that have their vertices. For
//   many leaves all blocks are evaluated, which costs less than a look at each leaf.
// Holds: the floats are those of the plan (plan_inside.h).
#ifndef GRAZE_KINETIC_LEAF_PLACES_H
#define GRAZE_KINETIC_LEAF_PLACES_H

#include <stdatomic.h>

#include "graze/bvh.h"
#include "graze/tasks.h"

#include "array.h"
#include "plan_inside.h"

typedef struct LeafBlock {
    _Atomic bool isWanted; // some leaf has one of its vertices
} LeafBlock;

typedef struct LeafBlocks {
    GRZ_ARRAY(LeafBlock);
} LeafBlocks;

typedef struct LeafFloats {
    GRZ_ARRAY(float);
} LeafFloats;

typedef struct LeafPlaces {
    LeafBlocks blocks;
    LeafFloats positions;
    uint64_t evaluated; // vertices, of the last call
} LeafPlaces;

typedef struct LeafPlacesQuery {
    grzBvhView view;
    const grzFlightplan* plan; // knows the time
    double time;
    const uint32_t* map;    // from the hierarchy's vertices to the plan's; NULL: they are the same
    const uint64_t* leaves; // a bit for each; bits behind the last are 0
    size_t count;           // of set bits
} LeafPlacesQuery;

// Evaluates the vertices of the leaves. places->positions.data then has them in the plan's numbers, three floats each; it may be read
// four at a time. Returns false where memory is refused.
bool grzLeafPlaces_Find(LeafPlaces* places, const grzAllocator* allocator, grzTasks* tasks,
                        const LeafPlacesQuery* query);

void grzLeafPlaces_Release(LeafPlaces* places, const grzAllocator* allocator);

#endif
