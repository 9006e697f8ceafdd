// What: features of a mesh in motion, 32 to a tile, and the kernels that find which of two tiles have boxes that overlap.
//
//   hierarchy of graze/bvh.h over all features of a kind     its bottom node k is     tile k
//   (vertices v v v, edges a b b, triangles a b c)                                    boxes by columns, names of vertices
//
// Holds: boxes are closed, and exact for floats; doubles are rounded outward, and then the exact ones lie beside them. A
//   feature has a box at the start, one at the end, and the swept one that holds both. Two features whose boxes are apart
//   along one axis in one order at both ends are apart all the time (docs/ccd.md, 9).
#ifndef GRAZE_NARROWPHASE_CCD_TILE_H
#define GRAZE_NARROWPHASE_CCD_TILE_H

#include "graze/bvh.h"

#include "array.h"
#include "kernel.h"

enum {
    CCD_TILE = GRZ_BVH_WIDTH * GRZ_BVH_LEAF_TRIANGLES,
    CCD_TILE_PAIRS = CCD_TILE * CCD_TILE, // the most that two tiles can have
    CCD_CANDIDATES = 1024,                // as many are decided at once, at least
};

typedef struct CcdTile {
    _Alignas(64) float lower[3][CCD_TILE]; // swept
    float upper[3][CCD_TILE];
    float lowerAt[2][3][CCD_TILE], upperAt[2][3][CCD_TILE]; // [t]
    uint32_t names[CCD_TILE][4]; // rows of the feature's vertices; what is left over repeats the last
    uint32_t features[CCD_TILE]; // numbers of the mesh
    float boxLower[3], boxUpper[3];
    uint32_t count, pad;
} CcdTile;

typedef struct CcdTileDoubles {
    _Alignas(64) double lower[2][CCD_TILE][4], upper[2][CCD_TILE][4]; // [t][feature][axis]
} CcdTileDoubles;

typedef struct CcdCandidates {
    _Alignas(64) uint32_t vertices[4 * (CCD_CANDIDATES + CCD_TILE_PAIRS)];
    uint32_t features[2][CCD_CANDIDATES + CCD_TILE_PAIRS];
    uint32_t count; // below CCD_CANDIDATES before two tiles are put beside each other
    uint32_t apart; // pairs whose swept boxes overlap, and those of the ends do not; they are not among the others
} CcdCandidates;

typedef struct CcdTileList {
    GRZ_ARRAY(uint32_t);
} CcdTileList;

// Two tiles; of vertices and of triangles, or of edges both.
typedef struct CcdTilePair {
    const CcdTile *a, *b;
    const CcdTileDoubles *doublesA, *doublesB; // NULL for floats
    bool isEdges;
    bool isSame; // a is b: each pair of its features once
} CcdTilePair;

// Appends the pairs of features whose boxes overlap and that share no vertex, but those that their boxes tell apart, which are
// counted.
GRZ_DECLARE_KERNEL(void, grzCcdTileMeet, (const CcdTilePair* pair, CcdCandidates* candidates));

// Appends the bottom nodes, `from` and later ones, whose boxes overlap a box, ascending; false where memory is refused.
typedef struct CcdTileWalk {
    const grzBvhView* view;
    const grzBvhNode* nodes;
    const float *lower, *upper; // of the box
    uint32_t from;
} CcdTileWalk;

GRZ_DECLARE_KERNEL(bool, grzCcdTileWalk,
                   (const CcdTileWalk* walk, CcdTileList* list, const grzAllocator* allocator));

// Writes the boxes of a tile from rows of CCD_ROW numbers (ccd_kernel.h).
GRZ_DECLARE_KERNEL(void, grzCcdTileFit, (const float* rows, CcdTile* tile));

#endif
