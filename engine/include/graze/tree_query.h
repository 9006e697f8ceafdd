// Questions to a tree: what overlaps a box, a sphere or a convex volume, what a ray or a moving box meets, what is
// near a point. One at a time or many at once.
//
//   grzTreeHits* hits;
//   grzResult result = grzTreeHits_Create((grzAllocator){0}, &hits);
//   grzTreeQuery query = grzMakeRayQuery(origin, direction, 500, grz_pickClosest);
//   result = grzTree_Find(tree, &query, hits);
//   grzTreeHitsView found = grzTreeHits_GetView(hits);          // found.keys[0 .. found.count)
//
// The tree is lazy: Find splits and repairs the nodes that the query reaches, FindMany prepares the tree
// (grzTree_Prepare) within what its queries can reach; answers do not depend on it. Peek takes the tree as it
// stands and changes nothing.
//
// What is met. An object is its stored box (with the tree's margin). It is met where the shape below says so, where
// (object.category & query.mask) != 0 and (query.category & object.mask) != 0, and where the query's filter, if it
// has one, agrees. Touching counts. Each object decides by itself: the same box gives the same answer in any tree,
// at any SIMD level and with any number of workers. Nothing that is truly met (in real arithmetic, on the numbers
// as given) is ever left out; an object that misses by a rounding error may be among the hits, as told below.
//
// How many. All of them, always: results grow. Nothing is allocated once they have grown.
//
// Owner: hits keep their memory from call to call; what a view shows lives until the next call with these hits.
// Threads: hits serve one call at a time. Peek may run on any number of threads at once, each with
// hits of its own, while nobody changes the tree. Units: the host's.
#ifndef GRAZE_TREE_QUERY_H
#define GRAZE_TREE_QUERY_H

#include "graze/tasks.h"
#include "graze/tree.h"

GRZ_EXTERN_C_BEGIN

// All points p with dot(normal, p) <= offset. The normal points outward and may have any length.
typedef struct grzHalfSpace {
    grzVec3 normal;
    float offset;
} grzHalfSpace;

#define GRZ_MAX_HALF_SPACES 16 // of a volume query

// Which objects, by their boxes. The figures in brackets tell by how much a false hit may miss, numbers below
// FLT_MIN (1.2e-38) aside.
typedef enum grzQueryKind {
    grz_noQuery,
    grz_queryBox,    // that overlap `box` [0]
    grz_querySphere, // whose distance from `point` is at most `reach` [1e-6 of the reach; all, from 1.8e19 on]
    // That lie outside none of `halfSpaces`, each taken alone: the box's corner that is deepest in the half-space
    // is in it [2e-6 of the largest |coordinate * coordinate of the normal| at that corner]. Near an edge of the
    // volume a box may thus be met that lies outside of two together, as in any culling by planes.
    grz_queryVolume,
    grz_queryRay,   // that hold point + t * direction for a t in 0 .. reach; value: the least such t [1e-6 of t]
    grz_queryCast,  // that overlap `box` moved by t * direction for a t in 0 .. reach; value: the least such t
                    // [same]
    grz_queryPoint, // as grz_querySphere, with the distance as value
} grzQueryKind;

typedef enum grzQueryPick {
    grz_pickAll,
    grz_pickClosest, // the `count` with the least (value, key). Kinds with values only
    grz_pickAny,     // one; which, depends on what tree order depends on
} grzQueryPick;

// Order of the hits of one query.
typedef enum grzQueryOrder {
    // As the descent meets them: the same for the same history of the tree, for any worker count and SIMD level.
    grz_treeOrder,
    // Ascending by key; for kinds with values ascending by (value, key). Depends on nothing but boxes and keys. The
    // closest always come so.
    grz_keyOrder,
} grzQueryOrder;

// Whether an object, by key, shall be met. Called for objects that pass all else, in no promised order, from worker
// threads in a batch; must always say the same of the same key, and must not touch the tree.
typedef bool grzQueryFilterFn(void* context, uint32_t key);

// Filled in by one of the functions below, and then changed as needed. What a kind does not name is not read.
//
// Values. t is never later than the true entry, and earlier by at most 1e-6 of it (1e-44 where that is more); 0
// where the start is inside already. A component of the direction may be 0 (all three: a test of the start alone).
// One that is not 0 but below FLT_MIN (1.2e-38) counts as a motion over its whole way at all times, and boxes
// farther from the start than FLT_MAX may be entered too early. Distances are right to 1e-6 of them from 1e-18 to
// 1e19; smaller ones lose digits and end as 0, larger ones end as infinity.
typedef struct grzTreeQuery {
    grzQueryKind kind;
    grzQueryPick pick;
    grzQueryOrder order;
    uint32_t count;           // pick closest: how many
    uint64_t category;        // what the query is
    uint64_t mask;            // what it wants to meet
    grzQueryFilterFn* filter; // may be NULL
    void* filterContext;
    grzBox box;
    grzVec3 point;
    grzVec3 direction;              // of any length; t counts in it
    float reach;                    // 0 or more, or INFINITY (for rays and casts the same as FLT_MAX)
    uint32_t halfSpaceCount;        // at most GRZ_MAX_HALF_SPACES; 0: all of space
    const grzHalfSpace* halfSpaces; // the caller's, until the call returns
} grzTreeQuery;

// Of all categories, wanting to meet all: such a query meets every object whose category and mask are not 0.
// Boxes, spheres and volumes pick all, in tree order.
GRZ_API grzTreeQuery grzMakeBoxQuery(grzBox box);
GRZ_API grzTreeQuery grzMakeSphereQuery(grzVec3 center, float radius);
GRZ_API grzTreeQuery grzMakeVolumeQuery(const grzHalfSpace* halfSpaces, uint32_t count);
// In key order; count is 1.
GRZ_API grzTreeQuery grzMakeRayQuery(grzVec3 origin, grzVec3 direction, float reach, grzQueryPick pick);
// The whole way by the displacement: reach is 1.
GRZ_API grzTreeQuery grzMakeCastQuery(grzBox box, grzVec3 displacement, grzQueryPick pick);
// The `count` closest objects, however far.
GRZ_API grzTreeQuery grzMakeNearestQuery(grzVec3 point, uint32_t count);

typedef struct grzTreeHits grzTreeHits;

// All zeros of an allocator: the default one. *hits is NULL on failure: grz_badArgument (half an
// allocator), grz_outOfMemory.
GRZ_NODISCARD GRZ_API grzResult grzTreeHits_Create(grzAllocator allocator, grzTreeHits** hits);

// NULL is fine.
GRZ_API void grzTreeHits_Destroy(grzTreeHits* hits);

// Answers one query, or `count` of them. Refused, with empty hits and the tree's shape unchanged: grz_badArgument
// (an unknown kind, pick or order; a pick that the kind has not; a negative reach; too many half-spaces, or none at NULL),
// grz_notFinite, grz_invertedBounds, grz_tooLarge (2^32 queries); `index` is the query's place in the call.
// grz_outOfMemory leaves the hits empty too; the tree may then have changed shape. tasks may be NULL.
GRZ_NODISCARD GRZ_API grzResult grzTree_Find(grzTree* tree, const grzTreeQuery* query, grzTreeHits* hits);
GRZ_NODISCARD GRZ_API grzResult grzTree_FindMany(grzTree* tree, grzTasks* tasks, const grzTreeQuery* queries,
                                                 size_t count, grzTreeHits* hits);
GRZ_NODISCARD GRZ_API grzResult grzTree_Peek(const grzTree* tree, const grzTreeQuery* query, grzTreeHits* hits);

// The hits of query i are [starts[i], starts[i + 1]) of keys and values.
typedef struct grzTreeHitsView {
    const uint32_t* keys;
    const float* values; // 0 for kinds without values; NULL where no query of the call has any
    const size_t* starts;
    size_t count; // of all hits
    size_t queryCount;
} grzTreeHitsView;

GRZ_API grzTreeHitsView grzTreeHits_GetView(const grzTreeHits* hits);

// What the last call did, all its queries together. The objects tested are Shagam's candidate set w, the hits his
// visible set v.
typedef struct grzTreeQueryStats {
    uint64_t nodeCount;     // nodes looked into
    uint64_t testedCount;   // objects tested one by one
    uint64_t untestedCount; // objects taken without a test, since their node lies inside of the query's shape
    uint64_t hitCount;
    uint64_t splitCount; // nodes that the call split
} grzTreeQueryStats;

GRZ_API grzTreeQueryStats grzTreeHits_GetStats(const grzTreeHits* hits);

GRZ_EXTERN_C_END

#endif
