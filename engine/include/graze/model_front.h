// Fronts: what is kept of a query over two models, so that the next one, a little later in their motion, is cheaper.
//
//   grzModelFront* front;
//   grzResult result = grzModelFront_Create(allocator, &front);
//   ...each frame:
//   query.poseB = ...;
//   bool touches;
//   result = grzModelFront_Touch(front, &query, &touches);      // as grzModels_Touch answers
//   result = grzModelFront_Find(front, &query);                 // as grzModelPairs_Find answers
//
// What is kept. A walk through two hierarchies ends where boxes are apart, and where leaves are apart by the planes of their
// triangles. Of each end a front keeps by how much; while the models have moved, one seen from the other, by less than that
// in all, nothing is tested there again. What the models did move by is bounded anew with each query, from its poses. So
// motion of any kind is allowed between queries, and the answers are exactly those of model_pair.h; slow motion makes them
// cheap. Where nearly everything is to be tested again a front walks from the roots, which costs about what a query
// without a front costs, and keeps the ends of that walk.
//
// A front is for one pair of models. It remembers which; asked about others, or after a grzModel_Refit or grzModel_Rebuild of
// one of them, or after one was destroyed and another made in its place, it starts anew by itself. Both kinds of query
// may be asked of one front in turn, with either set of axes.
//
// Ownership: a front points at no model between calls. Threads: one at a time for a front; any number of fronts of the
// same models. Memory: 13 bytes for each node pair and leaf pair that is kept, with room to grow; after warm-up nothing is
// allocated. There are never more node pairs than five times those of the last walk from the roots, or 80, and what one query
// adds.
//
// What it gains, two copies of a torus of 6,000 triangles that move by a part of their size each frame: at a thousandth,
// 2.5 times for near misses and twice for whether they touch where they do; 1.7 times for the latter at a 300th. From a
// 100th on near misses gain nothing, nor do all pairs of models that meet at any speed, since leaves that meet must be tested.
// Where nothing is gained a front rests, and costs a few percent, a sixth at the worst that was measured.
// [Li and Chen, Incremental 3D Collision Detection with Hierarchical Data Structures, VRST 1998]
#ifndef GRAZE_MODEL_FRONT_H
#define GRAZE_MODEL_FRONT_H

#include "graze/model_pair.h"

GRZ_EXTERN_C_BEGIN

typedef struct grzModelFront grzModelFront;

GRZ_NODISCARD GRZ_API grzResult grzModelFront_Create(grzAllocator allocator, grzModelFront** front);

// NULL is fine.
GRZ_API void grzModelFront_Destroy(grzModelFront* front);

// As grzModels_Touch, with the same answer. The pair of leaves that touched last is tried first. Refused as there, and
// nothing changed, or grz_outOfMemory: the front is then as if it were new. *touches is then false. The view tells what it
// cost, and has no pairs.
GRZ_NODISCARD GRZ_API grzResult grzModelFront_Touch(grzModelFront* front, const grzModelQuery* query,
                                                    bool* touches);

// As grzModelPairs_Find: the same set, and sorted the same bytes. In the order grz_modelsAsMet, and as to which pairs a
// limit leaves, the answer depends on the calls before as well; it is the same at every SIMD level. Refused as by Touch;
// the view is then empty.
GRZ_NODISCARD GRZ_API grzResult grzModelFront_Find(grzModelFront* front, const grzModelQuery* query);

// Of the last query; good until the next or the destroy.
typedef struct grzModelFrontView {
    const grzTrianglePair* pairs; // in the caller's triangle numbers; times are 0
    size_t count;
    grzModelStats stats;
    size_t nodePairs, leafPairs; // that are kept
    bool isAnew;                 // it walked from the roots
} grzModelFrontView;

GRZ_API grzModelFrontView grzModelFront_GetView(const grzModelFront* front);

GRZ_EXTERN_C_END

#endif
