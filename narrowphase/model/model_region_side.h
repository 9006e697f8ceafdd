// What: of one model, the triangles and vertices that a region is made of.
// Idea: triangles without a point in common with the other surface that hang together by vertices are on one side of it:
//   the set of their points is connected and does not meet the surface. So one vertex tells for all of them, and a
//   union-find over the vertices of such triangles finds the pieces. A triangle that is wholly inside lies in the other's box, so
//   only those are looked at that do, and whose pieces may so be smaller than they are.
// Holds: what is kept by vertex is valid for the vertices that are listed as touched, and zero in `places` for all others.
//   Lists have room for all triangles and vertices of the model, so that nothing that follows Bind allocates.
// Threads: one at a time.
#ifndef GRAZE_NARROWPHASE_MODEL_REGION_SIDE_H
#define GRAZE_NARROWPHASE_MODEL_REGION_SIDE_H

#include "array.h"
#include "model_parity.h"

typedef struct RegionNumbers {
    GRZ_ARRAY(uint32_t);
} RegionNumbers;

typedef struct RegionBytes {
    GRZ_ARRAY(uint8_t);
} RegionBytes;

typedef struct RegionPositions {
    GRZ_ARRAY(grzVec3);
} RegionPositions;

typedef struct RegionSide {
    const grzModel* bound; // only to be compared
    uint64_t revision;
    PlacedModel placed;
    grzBvhView view;
    RegionNumbers treeNumbers; // of the caller's triangles
    RegionBytes isCrossing;    // by the tree's triangles; zeros between finds
    RegionBytes places;        // by the tree's vertices: a ModelPlace, or touched and not yet known
    RegionNumbers parents;     // by vertex: the union-find
    RegionPositions positions; // by vertex, in A's frame
    RegionNumbers touched;     // vertices
    RegionNumbers candidates;  // the tree's triangles that may be wholly inside
    RegionNumbers crossing;    // the caller's triangles, ascending
    RegionNumbers inside;      // the same
    RegionPositions points;    // vertices inside the other model
    grzBox box;                // of the model, in A's frame
} RegionSide;

// Makes the side ready for a model. False where memory is refused; it is then bound to none.
bool grzRegionSide_Bind(RegionSide* side, const grzModel* model, const ModelFrame* into,
                        const grzAllocator* allocator);

// A triangle of the caller's that has a point in common with the other model; any number of times.
void grzRegionSide_AddCrossing(RegionSide* side, uint32_t triangle);

// Finds what is inside the other model, whose own box is known. False where some vertex has no way out (model_parity.h).
bool grzRegionSide_Sort(RegionSide* side, const RegionSide* other);

// The corners of one of the caller's triangles.
void grzRegionSide_Corners(const RegionSide* side, uint32_t triangle, grzVec3 corners[3]);

void grzRegionSide_Release(RegionSide* side, const grzAllocator* allocator);

#endif
