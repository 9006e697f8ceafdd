// What: from pairs of leaves to pairs of triangles whose boxes may overlap between two frames, sorted.
// Holds: triangles are numbered as in their hierarchy. Two triangles are apart if along one axis one is below the other in both frames;
//   vertices move along lines. Against itself, pairs that share a vertex are left out.
#ifndef GRAZE_BENCH_LEAF_TRIANGLES_H
#define GRAZE_BENCH_LEAF_TRIANGLES_H

#include "array.h"
#include "graze/records.h"
#include "graze/stage/node_pairs.h"

// The four triangles of a leaf, by columns; those that are not there overlap nothing.
typedef struct LeafTriangles {
    _Alignas(64) float lower[2][3][4], upper[2][3][4]; // [frame][axis]
    int32_t names[3][4];                               // of corners
} LeafTriangles;

typedef struct TriangleList {
    GRZ_ARRAY(grzTrianglePair);
} TriangleList;

// Of all leaves.
void LeafTriangles_Fit(LeafTriangles* leaves, const grzBvhView* view, const float* start, const float* end);

// Leaf pairs are sorted by (leafA, leafB). False where memory is refused.
bool TriangleList_Fill(TriangleList* list, const grzLeafPair* pairs, size_t count, const LeafTriangles* a,
                       const LeafTriangles* b, const grzAllocator* allocator);

#endif
