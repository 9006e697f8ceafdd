// Two models under any affine motion: do they touch, and which triangles do?
//
//   grzModelQuery query = grzDefaultModelQuery();
//   query.a = mesh, query.b = mesh;
//   query.poseB = grzTransform_FromQuat(rotation, origin);
//   bool touches;
//   grzResult result = grzModels_Touch(&query, &touches);
//
// What is decided. The vertices of B are brought into A's frame, where A's are as they were given. With C = A's pose
// inverted times B's, computed in double and its twelve numbers rounded to float once, vertex v of B becomes
//     ((Cx.i * v.x + Cy.i * v.y) + (Cz.i * v.z + Co.i))    for each axis i, in float, each operation rounded
// (Cx, Cy, Cz the columns, Co the origin). Of these floats the answer is exact: two triangles are reported where they have
// a point in common, touching included, however thin they are (tri_tri.h), and no others. So answers do not depend on
// the hierarchies, the SIMD level or the compiler; and swapping A and B swaps the answer up to those roundings.
//
// What it costs depends on how large coordinates are beside triangles: boxes are compared with a margin of some 4e-6 of
// the largest coordinate, in either model's frame, of the two models there. A mesh that lies 1e5 of its sizes away from its
// own origin is hardly parted any more by boxes (fifty times the leaf pairs, and six times the time, of two spheres that
// cut each other); it does well to be moved there.
//
// Any number of threads may ask at a time, of the same models too. Models that only touch from outside or cut each other
// touch; one inside the other without contact does not: these are surfaces.
#ifndef GRAZE_MODEL_PAIR_H
#define GRAZE_MODEL_PAIR_H

#include "graze/model.h"
#include "graze/records.h"

GRZ_EXTERN_C_BEGIN

// Which axes may separate two boxes. The answers are the same.
typedef enum grzModelAxes {
    grz_axesOfFaces = 0, // the three of either box: SAT-lite, faster
    grz_axesAll,         // and the nine across edges: fewer boxes are opened
} grzModelAxes;

typedef enum grzModelOrder {
    grz_modelsSorted = 0, // ascending by (triangleA, triangleB): depends on nothing but the input
    // As they are met: the same at every SIMD level, but it depends on the hierarchies. Saves a sort.
    grz_modelsAsMet,
} grzModelOrder;

typedef struct grzModelQuery {
    uint32_t mark; // set by grzDefaultModelQuery; calls refuse another
    const grzModel* a;
    const grzModel* b; // may be the same
    // From the model's frame to a common one. The basis may hold any scale, mirror or shear, but must be invertible.
    grzTransform poseA, poseB;
    grzModelAxes axes;
    grzModelOrder order;
    uint32_t limit;    // at most so many pairs: the first that are met; 0: all
    uint32_t bodyPair; // what the records are to say
    // A length in the common frame. 0: exactly the pairs that have a point in common. Above 0: candidates, all pairs that are
    // no farther apart than this, and some that are, for others to look at; only grzModelPairs takes it.
    float margin;
} grzModelQuery;

// Identities, SAT-lite, sorted, all; the models are to be filled in.
GRZ_API grzModelQuery grzDefaultModelQuery(void);

// What a query cost.
typedef struct grzModelStats {
    uint64_t boxTests;      // of a box with another; those of absent children count as well
    uint64_t leafPairs;     // leaves of four triangles with leaves
    uint64_t triangleTests; // pairs of triangles that neither boxes nor planes tell apart
    uint64_t exactTests;    // of those, the ones that single precision did not decide
} grzModelStats;

// Whether any triangle of A and any of B have a point in common. Allocates nothing. stats may be NULL. Refused, with
// *touches false and zeros in *stats:
//   grz_badDef        the mark
//   grz_badArgument   (value 1; the reason names the field) no model, unknown axes or order; a basis that cannot be
//                     inverted; models so large, small or far apart that floats in A's frame cannot hold them; a margin
//                     below 0, or above 0 where candidates are not asked for
//   grz_notFinite     a pose or a margin with a NaN or an infinity
GRZ_NODISCARD GRZ_API grzResult grzModels_Touch(const grzModelQuery* query, bool* touches, grzModelStats* stats);

// Keeps what a query finds, and its memory from call to call, so that after warm-up nothing is allocated. One thread at
// a time.
typedef struct grzModelPairs grzModelPairs;

GRZ_NODISCARD GRZ_API grzResult grzModelPairs_Create(grzAllocator allocator, grzModelPairs** pairs);

// NULL is fine.
GRZ_API void grzModelPairs_Destroy(grzModelPairs* pairs);

// Gives back memory of which the calls since the last Trim have used less than half. The view is empty then.
GRZ_API void grzModelPairs_Trim(grzModelPairs* pairs);

// Finds the pairs of triangles that have a point in common, each once; none is ever dropped for want of room. With a margin
// it finds candidates instead: which of those that are farther apart are among them depends on the hierarchies, but not on
// the SIMD level. Refused as above, or grz_outOfMemory; the view is then empty.
GRZ_NODISCARD GRZ_API grzResult grzModelPairs_Find(grzModelPairs* pairs, const grzModelQuery* query);

// Many queries on the workers of tasks. The pairs of queries[i] lie at starts[i] .. starts[i + 1] - 1, as Find would
// give them (bodyPair as each query says). The same bytes for any number of workers. Refused: what Find would say of
// the first query that is refused (part element, index: its number), or grz_outOfMemory; or grz_badDef for NULL where
// count is not 0. The view is then empty.
GRZ_NODISCARD GRZ_API grzResult grzModelPairs_FindMany(grzModelPairs* pairs, grzTasks* tasks,
                                                       const grzModelQuery* queries, uint32_t count);

// Good until the next find or the destroy.
typedef struct grzModelPairsView {
    const grzTrianglePair* pairs; // in the caller's triangle numbers; times are 0
    size_t count;
    const size_t* starts; // queryCount + 1, the first of them 0: never NULL
    size_t queryCount;    // 1 after Find; 0 on a new object and after a refusal
    grzModelStats stats;  // of all queries; zeros after a refusal
} grzModelPairsView;

GRZ_API grzModelPairsView grzModelPairs_GetView(const grzModelPairs* pairs);

GRZ_EXTERN_C_END

#endif
