// The dynamic AABB tree: boxes that come, move and go, found again by place.
//
// An object is a box with a key. The key is the host's own number for it: results speak in keys, sorted results are
// sorted by key, and a pair is two keys. Keys need not be unique, but results of objects with equal keys cannot be
// told apart.
//
// The tree is lazy: objects gather in a node until a query reaches it, and only then is it split; a box that could
// shrink is only marked, and repaired when a query passes. So a query changes the tree's shape, never its answers.
//
// Owner: the tree copies what it is given. Threads: one at a time for everything that takes a grzTree*, and any
// number of readers at once for what takes a const grzTree* while nobody changes it. Units: the host's.
//
// Based on: Joshua Shagam, Dynamic Spatial Partitioning for Real-Time Visibility Determination, New Mexico State
// University 2003; broadphase/tree/tree_inside.h tells where we differ.
#ifndef GRAZE_TREE_H
#define GRAZE_TREE_H

#include "graze/config.h"
#include "graze/host.h"
#include "graze/linmath.h"
#include "graze/result.h"
#include "graze/tasks.h"

GRZ_EXTERN_C_BEGIN

typedef struct grzTree grzTree;

// An object of a tree. All zeros names nothing. Ids of removed objects and of other trees are recognised and refused
// (but for one in 2^32, and see idSalt). The index depends on the tree's history alone, the generation on the salt too;
// nothing that a tree finds, and no order, depends on generations.
typedef struct grzTreeId {
    uint32_t index1; // the object's index in its tree, plus 1
    uint32_t generation;
} grzTreeId;

// How a node that is split hands its objects to its children. The first four are Shagam's.
typedef enum grzNesting {
    grz_nestKd,         // two halves along the longest axis, by centre
    grz_nestTernary,    // below, above and across the split, along the longest axis
    grz_nestOctree,     // eight octants, by centre
    grz_nestIcoseptree, // below, above and across the split on each axis: 27 children
    grz_nestRank,       // ours: up to sixteen children of equal count, by medians of the centres
    grz_nestPerNode,    // for each node the one of the above that promises the cheapest queries
} grzNesting;

// Which objects stay in an inner node instead of going to a child.
typedef enum grzRetention {
    grz_retainNone, // none: Shagam's leafy variant (a child takes every object, however large)
    // radius * 4 pi / 3 > volume of the node / 8: Shagam's appendix to the letter, linear in the radius.
    grz_retainLinear,
    grz_retainVolume, // volume of the box >= volume of the node / 8, and neither 0 nor infinite: Shagam's text
} grzRetention;

typedef struct grzTreeDef {
    uint32_t mark; // set by grzDefaultTreeDef; create refuses another
    grzNesting nesting;
    grzRetention retention;
    // A leaf with more objects is split when a query reaches it. 0: the variant's own (below).
    uint32_t splitThreshold;
    // Told into the generations of ids, to tell trees apart. 0: a number of its own for each tree of the process, so that
    // ids depend on how many trees were made before. Another: the host's, below 2^31, for ids that are the same whenever
    // the same is done; trees with the same salt may take each other's ids for their own.
    uint32_t idSalt;
    float margin; // each stored box is larger by this on every side, and an update within it is free; 0 or more
    uint32_t objectCapacity; // room that is made at once; more is made when needed
    grzAllocator allocator;  // all zeros: the default one
} grzTreeDef;

// Rank nesting, volume retention, the variant's threshold, no margin.
GRZ_API grzTreeDef grzDefaultTreeDef(void);

// The threshold that a def with splitThreshold 0 gets. For Shagam's variants these are his: K-D 35 leafy and 30
// not, ternary 25 and 20, octree 40 and 30, icoseptree 70 and 50.
GRZ_API uint32_t grzTree_DefaultThreshold(grzNesting nesting, grzRetention retention);

// Makes an empty tree, or sets *tree to NULL: grz_badDef, grz_badArgument (an unknown nesting or retention, a
// margin that is negative or above 3e38, an idSalt that is not below 2^31, half an allocator), grz_outOfMemory.
GRZ_NODISCARD GRZ_API grzResult grzTree_Create(const grzTreeDef* def, grzTree** tree);

// NULL is fine.
GRZ_API void grzTree_Destroy(grzTree* tree);

typedef struct grzTreeObject {
    grzBox box;
    uint32_t key;
    uint64_t category; // what it is
    uint64_t mask;     // what it wants to meet
} grzTreeObject;

// Two objects are of interest to each other where each one's mask has a bit of the other's category. An empty box
// at the origin, key 0, category 1, mask all ones.
GRZ_API grzTreeObject grzDefaultTreeObject(void);

// Adds an object. id may be NULL. Refused, with objects, ids and indices as they were and *id untouched: grz_notFinite
// and grz_invertedBounds (naming the object's place in the call: 0 here), grz_outOfMemory, grz_tooLarge.
GRZ_NODISCARD GRZ_API grzResult grzTree_Insert(grzTree* tree, const grzTreeObject* object, grzTreeId* id);

// Adds `count` objects, all or none; refused as Insert. ids may be NULL. The index of ids[i] is free for the host to
// rely on: in a tree from which nothing was removed, objects get the indices 0, 1, 2, ... in the order of insertion.
GRZ_NODISCARD GRZ_API grzResult grzTree_InsertMany(grzTree* tree, const grzTreeObject* objects, size_t count,
                                                   grzTreeId* ids);

// Takes an object out; grz_staleHandle where id names none of this tree.
GRZ_NODISCARD GRZ_API grzResult grzTree_Remove(grzTree* tree, grzTreeId id);

// Moves an object to a new box: climbs to the first node that holds the box and descends from there. With a margin,
// a box that is still within the stored one (and not much smaller) changes nothing. Refused as Insert, and
// grz_staleHandle.
GRZ_NODISCARD GRZ_API grzResult grzTree_Update(grzTree* tree, grzTreeId id, grzBox box);

// Moves `count` objects, all or none; a refusal names the place in the arrays. An id may occur twice; the later box
// counts.
GRZ_NODISCARD GRZ_API grzResult grzTree_UpdateMany(grzTree* tree, const grzTreeId* ids, const grzBox* boxes,
                                                   size_t count);

// Moves every object: boxes[i] is the new box of the object whose index is i. `count` is at least
// grzTree_IndexCount; entries of indices that are not in use are not read. For scenes where most
// objects move this is by far the cheapest: no object is searched for, and only those that left their node's cell
// are moved. Does not apply the margin's test, only the margin. tasks may be NULL (serial); the result is the same.
// Refused as UpdateMany, and grz_badArgument where count is too small.
GRZ_NODISCARD GRZ_API grzResult grzTree_UpdateAll(grzTree* tree, grzTasks* tasks, const grzBox* boxes,
                                                  size_t count);

// Does now what queries do when they arrive: splits what is due and repairs extents, within `volume` (NULL:
// everywhere). Costs what has changed since the whole was prepared. Afterwards const queries in that volume are as fast as they get. Memory that is refused is not an
// error: the nodes stay as they are, which costs time and no answers.
GRZ_API void grzTree_Prepare(grzTree* tree, const grzBox* volume);

GRZ_API uint32_t grzTree_Count(const grzTree* tree);      // objects
GRZ_API uint32_t grzTree_IndexCount(const grzTree* tree); // the highest index that was ever given, plus 1
GRZ_API bool grzTree_Has(const grzTree* tree, grzTreeId id);
// The object as stored (its box with the margin). False where id names none.
GRZ_API bool grzTree_Get(const grzTree* tree, grzTreeId id, grzTreeObject* object);

typedef struct grzTreeStats {
    uint32_t objectCount;
    uint32_t nodeCount, leafCount;
    uint32_t innerObjectCount; // objects in inner nodes
    uint32_t depth;            // of the deepest node; the root has depth 0
    uint32_t largestLeaf;      // objects
    size_t memoryBytes;        // all that the tree holds
    // Since creation:
    uint64_t splitCount, unsplitCount, collectedCount; // nodes split, unsplit, and garbage-collected
    uint64_t movedCount;                               // objects that an update took to another node
} grzTreeStats;

GRZ_API grzTreeStats grzTree_GetStats(const grzTree* tree);

// Calls draw for the box of every node, parents first, children in order; level 0 is the root.
typedef void grzTreeDrawFn(void* context, grzBox box, uint32_t level, bool isLeaf);
GRZ_API void grzTree_Draw(const grzTree* tree, grzTreeDrawFn* draw, void* context);

// Checks structure, boxes, counts, maps and free lists; for tests and for doubts. O(n). False where something is
// broken; the first is logged as an error.
GRZ_API bool grzTree_Validate(const grzTree* tree);

GRZ_EXTERN_C_END

#endif
