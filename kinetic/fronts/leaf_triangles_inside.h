// What: the memory of triangles of leaf pairs.
#ifndef GRAZE_KINETIC_LEAF_TRIANGLES_INSIDE_H
#define GRAZE_KINETIC_LEAF_TRIANGLES_INSIDE_H

#include "graze/stage/leaf_triangles.h"

#include "array.h"
#include "box_frame.h"
#include "counted_memory.h"
#include "leaf_places.h"
#include "leaf_triangles_kernel.h"

typedef struct LeafBits {
    GRZ_ARRAY(uint64_t);
} LeafBits;

typedef struct LeafNumbers {
    GRZ_ARRAY(uint32_t);
} LeafNumbers;

typedef struct LeafMarks {
    GRZ_ARRAY(uint16_t);
} LeafMarks;

typedef struct LeafFours {
    GRZ_ARRAY(FourTriangles);
} LeafFours;

typedef struct TrianglePairs {
    GRZ_ARRAY(grzTrianglePair);
} TrianglePairs;

// The leaves of a side that are in some pair, in their order.
typedef struct LeavesReached {
    LeafBlocks flags;   // of all leaves
    LeafBits bits;      // of all leaves
    LeafNumbers before; // how many bits are set before each word
    LeafNumbers places; // of the leaves in pairs, among themselves
    LeafFours leaves;
} LeavesReached;

typedef struct LeafNodes {
    GRZ_ARRAY(grzBvhNode);
} LeafNodes;

typedef struct LeafPairs {
    GRZ_ARRAY(grzLeafPair);
} LeafPairs;

// Memory of a search for pairs of leaves; self: the first side alone.
typedef struct LeafBoxes {
    LeafBits reached[2]; // leaves of the nodes that are looked at
    LeafNodes nodes[2];  // of the bottom level
    LeafBits looks;      // pairs that are looked at
    LeafBits found;      // pairs that overlap
    LeafNumbers starts;  // in the output, of each word of pairs
    LeafPairs pairs;
} LeafBoxes;

struct grzLeafTriangles {
    grzCountedMemory memory;
    LeavesReached reached[2]; // self: the first alone
    LeafPlaces places[2];     // of sides with a plan; self: the first alone
    LeafNumbers runs;         // first pairs of each leaf of A, and the end
    LeafNumbers starts;       // in the output, of each run, and the end
    LeafMarks marks;          // of each pair
    LeafBits scratch;         // of the sort
    TrianglePairs pairs;
    LeafBoxes boxes;
    grzLeafTrianglesStats stats;
};

// Return NULL, or why a query is refused.
const char* grzLeafTriangles_FlawOf(const grzLeafTrianglesQuery* query);
const char* grzLeafBoxes_FlawOf(const grzLeafBoxesQuery* query);
// Fills the frame of a pose. Refuses a margin that is a NaN, and a pose or boxes beside it that are not finite or
// have numbers above 2^60.
grzResult grzLeafBoxes_TakeFrame(const grzLeafBoxesQuery* query, BoxFrame* frame);
const char* grzLeafTriangles_FlawOfPlan(const grzFlightplan* plan, const grzBvh* bvh, double time);

void grzLeafBoxes_Release(LeafBoxes* boxes, const grzAllocator* allocator);

// Pairs within a leaf whose first triangle has the lower number.
#define LEAF_LATER_BITS 0x08CEu

#endif
