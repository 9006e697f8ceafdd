// What: the memory of a step's contacts with meshes, and the parts that find them.
//
//   mesh_touch          the object; pairs sorted by how they are found; contacts in the order of pairs
//   mesh_touch_shapes   convex shapes with meshes
//   mesh_touch_pairs    meshes with meshes
//   mesh_touch_fast     meshes with meshes, where they move far against each other
//   mesh_touch_span     which of their contacts stay
//
// Holds: the results of a block of queries lie in the block's own arrays, in the order of the queries.
#ifndef GRAZE_WORLD_MESH_TOUCH_INSIDE_H
#define GRAZE_WORLD_MESH_TOUCH_INSIDE_H

#include "array.h"
#include "counted_memory.h"
#include "graze/manifold.h"
#include "graze/model_contact.h"
#include "graze/model_pair.h"
#include "mesh_touch.h"

// Pairs of a task: one where there are few, so that a few heavy ones run side by side.
enum { BLOCK_PAIRS = 4, FEW_PAIRS = 256 };

#define GRZ_NO_QUERY UINT32_MAX

// Candidates of a pair that are shared out over the workers.
enum { MANY_CANDIDATES = 8192 };

// Candidates of a pair for which a margin is not made smaller: 6 MB, and some ten milliseconds.
enum { MOST_CANDIDATES = 1 << 18 };

typedef enum TouchWay { touchNothing, touchShape, touchMeshes, touchFast } TouchWay;

typedef struct TouchPlan {
    TouchWay way;
    uint32_t query; // its number among those of its way
} TouchPlan;

typedef struct PlanArray {
    GRZ_ARRAY(TouchPlan);
} PlanArray;

typedef struct ShapeQueries {
    GRZ_ARRAY(grzModelContactQuery);
} ShapeQueries;

typedef struct PairQueries {
    GRZ_ARRAY(grzModelQuery);
} PairQueries;

typedef struct AnimatedAsks {
    GRZ_ARRAY(grzAnimatedAsk);
} AnimatedAsks;

typedef struct CandidateLists {
    GRZ_ARRAY(grzMeshCandidates);
} CandidateLists;

typedef struct IndexList {
    GRZ_ARRAY(uint32_t);
} IndexList;

typedef struct KindList {
    GRZ_ARRAY(uint8_t);
} KindList;

typedef struct LengthList {
    GRZ_ARRAY(float);
} LengthList;

typedef struct ContactList {
    GRZ_ARRAY(grzContact);
} ContactList;

typedef struct StartList {
    GRZ_ARRAY(size_t);
} StartList;

// Of up to BLOCK_PAIRS queries: what they found, and where each one's ends.
typedef struct TouchBlock {
    ContactList contacts;
    size_t ends[BLOCK_PAIRS];
    uint64_t tests; // of fast pairs: candidates
    grzResult result;
    uint32_t failed; // the query that the result is of
} TouchBlock;

typedef struct BlockList {
    GRZ_ARRAY(TouchBlock);
} BlockList;

// Where a body's vertices are in the world. By row.
typedef struct WorldMesh {
    const grzMeshShape* mesh; // NULL: never moved
    grzTransform pose;
    GRZ_ARRAY(float);
    uint32_t wanted; // the step that asked for it last
} WorldMesh;

typedef struct WorldMeshes {
    GRZ_ARRAY(WorldMesh);
} WorldMeshes;

typedef struct ManifoldsList {
    GRZ_ARRAY(grzManifolds*);
} ManifoldsList;

// A place where two fast meshes come together, at the start of the step.
typedef struct FastPlace {
    grzVec3 still, moved; // on the mesh that stays and on the one that is moved
    grzVec3 normal;       // from the former to the latter
    float least;          // how near they may come, along it
    float impulse;        // that keeps them so far, on the way through the step
} FastPlace;

typedef struct FastPlaces {
    GRZ_ARRAY(FastPlace);
} FastPlaces;

typedef struct FastPoints {
    GRZ_ARRAY(float);
} FastPoints;

// What a worker needs for a fast pair.
typedef struct FastScratch {
    grzModelPairs* pairs;
    FastPoints points; // of the moved mesh
    FastPlaces places;
} FastScratch;

typedef struct FastScratches {
    GRZ_ARRAY(FastScratch);
} FastScratches;

struct grzMeshTouches {
    grzCountedMemory memory;
    PlanArray plans;
    ShapeQueries shapes;
    IndexList shapePairs, meshPairs; // the pair that a query is of
    IndexList fastPairs;             // the pair of each fast query
    PairQueries pairs;               // of models
    IndexList modelQueries;          // which of the queries of meshes each of these is
    AnimatedAsks asks;
    IndexList askQueries;      // the query of each ask; GRZ_NO_QUERY if the ask rests
    CandidateLists candidates; // by query of meshes
    BlockList pairBlocks, fastBlocks;
    FastScratches fastScratch; // one a worker
    WorldMeshes meshes;
    IndexList moving;        // rows of meshes to be moved in this step
    LengthList margins;      // of the queries of meshes
    KindList kinds;          // of the candidates of one large pair after the other
    ManifoldsList manifolds; // one a worker
    grzModelContacts* shapeContacts;
    grzModelPairs* modelPairs;
    grzAnimatedPairs* animatedPairs;
    StartList starts; // where each pair's contacts would begin, were they all in one list
    uint32_t stepNumber,
        trimmedStep; // of steps with two meshes near each other: the last one; that before the last Trim
    uint64_t shapeTests, pairTests;
};

typedef struct TouchWork {
    grzMeshTouches* touches;
    const grzMeshTouchStep* step;
} TouchWork;

static inline const grzCollider* grzMeshTouchStep_Side(const grzMeshTouchStep* step, uint32_t pair, int side) {
    return &step->colliders[side == 0 ? step->pairs[pair].rowA : step->pairs[pair].rowB];
}

static inline uint32_t grzMeshTouches_BlockWidth(size_t queryCount) {
    return queryCount <= FEW_PAIRS ? 1 : BLOCK_PAIRS;
}

// Blocks of a width for so many queries; false where memory is refused.
bool grzMeshTouches_ReserveBlocks(grzMeshTouches* touches, BlockList* blocks, size_t queryCount);

// Of the blocks of as many queries as there are pairs, the first failure; the pairs are those of the queries.
grzResult grzMeshTouches_FindFailure(const BlockList* blocks, const IndexList* pairs);

// A margin, and what floats may round. The models and their places are known.
void grzMeshTouches_SetMargin(grzModelQuery* query, float margin);

// Lists the triangles of meshes that are near meshes.
grzResult grzMeshTouches_ListMeshes(TouchWork* work);

// Answer all shape queries, and all queries of meshes.
grzResult grzMeshTouches_FindShapes(TouchWork* work);
grzResult grzMeshTouches_FindMeshes(TouchWork* work);

// ---- mesh_touch_fast ----

// Whether B is the one of the two that is moved; A's vertices are needed in the world then, else B's.
bool grzMeshTouches_IsMovedB(const grzMeshTouchStep* step, uint32_t pair);

// Answers all fast pairs. The meshes that are not moved are in the world.
grzResult grzMeshTouches_FindFast(TouchWork* work);
void grzMeshTouches_ReleaseFast(grzMeshTouches* touches);

// ---- mesh_touch_span ----

#define GRZ_LIKE_COSINE 0.95f // of normals that are like each other, as in a manifold

// Reduces contacts with similar normals to four: the deepest, and the ones that span the most area with it. These
// come to the front. Returns how many there are.
size_t grzContacts_DropInner(grzContact* contacts, size_t count);

#endif
