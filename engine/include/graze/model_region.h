// Regions: what of two closed models is inside the other one, and which way out is short.
//
//   grzModelRegion* region;
//   grzResult result = grzModelRegion_Create(allocator, &region);
//   result = grzModelRegion_Find(region, &query);
//   grzModelRegionView view = grzModelRegion_GetView(region);
//   if (view.depth > 0)
//       moveB(grzScale(view.direction, view.depth));        // both in A's frame
//
// What is decided. The surfaces meet along a contour: the pairs of triangles that have a point in common, exactly those of
// grzModelPairs_Find, with the points of each. Of either model, the patch inside the other is made of the triangles that
// take part in the contour ("crossing") and those that are wholly inside the other. A point that is not on a surface is
// inside it where a way from it to the outside goes through the surface an odd number of times. That is decided exactly
// for the floats that model_pair.h defines, B's vertices rounded into A's frame: there is no epsilon, however thin the models or
// deep the contact. Triangles without area count for nothing, a triangle that is there twice counts twice.
//
// So a model should be closed: an even number of triangles at every edge, two as a rule, whether vertices are shared by
// index or only lie in the same place. It may be of many parts, within each other too, and may cut itself. The
// orientation matters to the direction alone, and there it may be outward or inward. For open models the contour and the
// crossing triangles mean what they say, but "inside" is what one way out told for each piece that the contour leaves.
//
// Ownership: a region keeps what it found and its memory from call to call, and a table by triangle of both models, renewed
// where a model is another one or was rebuilt or refit. Threads: one at a time for a region; any number of regions of the
// same models. Memory: 41 bytes a vertex and 17 a triangle of both models, and what is found. After warm-up nothing is
// allocated. Cost: a find of all pairs, the points of each, what lies in the box of the other model, and some microseconds for
// each piece that the contour leaves (up to some milliseconds where floats are coarse, as for models that lie 1e6 times
// their size and more from A's origin): two tori of 6,000 triangles take 50 us where 34 triangles of either cross, 0.6 ms where
// 250 do and 830 are inside.
#ifndef GRAZE_MODEL_REGION_H
#define GRAZE_MODEL_REGION_H

#include "graze/model_pair.h"

GRZ_EXTERN_C_BEGIN

typedef struct grzModelRegion grzModelRegion;

GRZ_NODISCARD GRZ_API grzResult grzModelRegion_Create(grzAllocator allocator, grzModelRegion** region);

// NULL is fine.
GRZ_API void grzModelRegion_Destroy(grzModelRegion* region);

// Finds the region of the query's models; order and limit of the query are not read. Refused as grzModels_Touch is, with
// grz_outOfMemory, or, where the coordinates are so coarse beside the surface that no way out of it in floats misses all edges,
// with grz_badArgument (value 2). The view is then empty.
GRZ_NODISCARD GRZ_API grzResult grzModelRegion_Find(grzModelRegion* region, const grzModelQuery* query);

// The patch of one model. Triangles are the caller's numbers, ascending, each once.
typedef struct grzModelPatch {
    const uint32_t* crossing; // triangles that have a point in common with the other model
    size_t crossingCount;
    const uint32_t* inside; // triangles of which every point is inside the other model
    size_t insideCount;
    grzVec3d area; // of both, the sum of their area vectors (half the cross product of two edges), in A's frame
    bool isInside; // the whole model is inside the other, without contact
} grzModelPatch;

// Good until the next find or the destroy.
typedef struct grzModelRegionView {
    // The contour: the points that triangles pairs[i].triangleA and .triangleB have in common, as grzTriTri_Intersect gives
    // them, are points[starts[i]] .. points[starts[i + 1] - 1], in A's frame: one, two (a segment), or the corners of an
    // area. Pairs ascend by (triangleA, triangleB).
    const grzTrianglePair* pairs;
    size_t pairCount;
    const grzVec3* points;
    const size_t* starts; // pairCount + 1; never NULL

    grzModelPatch patches[2]; // of A, inside B; and of B, inside A

    // Of what either surface has inside the other one, and the contour; grzBox_Empty() where there is neither.
    grzBox box;

    // A way to move B, a unit vector of A's frame, and how far: then there is a plane with all that the models had in common
    // behind it, or on it, as A has it, and before it as B has it. Other parts of the models may still meet. Where a model has
    // nothing in the region, since the other one or parts of it are inside it without contact, its whole box stands for
    // it, so that these come out. The direction is that of the least depth among the sum and the difference of the patches'
    // areas and the axes of A's frame. Both 0 where nothing is inside and nothing meets.
    grzVec3 direction;
    float depth; // rounded up
} grzModelRegionView;

GRZ_API grzModelRegionView grzModelRegion_GetView(const grzModelRegion* region);

GRZ_EXTERN_C_END

#endif
