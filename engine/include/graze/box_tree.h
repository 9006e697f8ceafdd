// Kinetic BoxTrees: a binary hierarchy over a mesh that moves by a flightplan, with two planes a node in place of a box.
//
//   grzBoxTreeDef def = grzDefaultBoxTreeDef();
//   def.plan = plan, def.triangles = triangles, def.triangleCount = count;
//   result = grzBoxTree_Create(&def, &tree);
//   ...each frame:
//   result = grzBoxTree_Advance(tree, time);
//   box = grzBoxTree_RootBox(tree);                            // and down, where a query goes:
//   grzBoxTree_Split(tree, node, box, children);               // node 0 is the root; its children are 1 and 2
//
// A node cuts its box along one axis: the lower child's box ends where the last of its vertices does, the upper one's
// begins where the first of its own does; on all other sides they have the parent's. Each plane is realised by a vertex,
// and changes only when another one passes it. So there are fewer events than in graze/kinetic_tree.h, and less memory,
// but a new event is a search through the part of the tree that is cut along other axes, and boxes grow loose as the mesh
// deforms: grzBoxTree_RebuildLoose orders the loose parts anew.
//
// Ownership: the triangles are copied, the plan is kept and must outlive the tree; keyframes may be dropped up to the time of the
// tree; a plan of paths belongs to its tree and is changed by grzBoxTree_Change alone. Threads: one call that changes a tree at a
// time, with no other; any number may read between. The same input gives the same tree and counts, however often it is
// looked at. Memory: some 28 bytes a triangle, and where there are paths 13 more and 4 a vertex. After Create nothing is allocated.
// [Zachmann and Weller, Kinetic Bounding Volume Hierarchies for Collision Detection of Deformable Objects, TU
// Clausthal 2006], section 6
#ifndef GRAZE_BOX_TREE_H
#define GRAZE_BOX_TREE_H

#include "graze/flightplan.h"

GRZ_EXTERN_C_BEGIN

#define GRZ_BOX_TREE_LEAF_TRIANGLES 4 // at most

typedef struct grzBoxTree grzBoxTree;

typedef struct grzBoxTreeDef {
    uint32_t mark; // set by grzDefaultBoxTreeDef; create refuses another
    grzFlightplan* plan;
    const uint32_t* triangles; // three of the plan's vertices each
    size_t triangleCount;
    double startTime; // in the plan's range; NaN: where that begins
    grzAllocator allocator;
} grzBoxTreeDef;

// No triangles, from the beginning of the plan.
GRZ_API grzBoxTreeDef grzDefaultBoxTreeDef(void);

// Refused with *tree NULL: grz_badDef, grz_badArgument (value 1; the reason names the field), grz_tooLarge (as a mesh),
// grz_indexTooLarge (part triangle; index: the first with a vertex that the plan has not; value: that), grz_outOfMemory.
GRZ_NODISCARD GRZ_API grzResult grzBoxTree_Create(const grzBoxTreeDef* def, grzBoxTree** tree);

// NULL is fine.
GRZ_API void grzBoxTree_Destroy(grzBoxTree* tree);

// On to a time, which is not before the last one. Refused, and nothing changed: grz_badArgument (value 2; also
// where paths were changed, or keyframes dropped, behind the tree).
GRZ_NODISCARD GRZ_API grzResult grzBoxTree_Advance(grzBoxTree* tree, double time);

// On to a time, at which paths change. Refused as Advance and grzFlightplan_Change are: the plan is as it was; the
// time has gone on only where a vertex has left the range of float.
GRZ_NODISCARD GRZ_API grzResult grzBoxTree_Change(grzBoxTree* tree, double time, const grzFlightplanChange* change);

// Orders every part of 512 to 1024 triangles (or, of smaller meshes, everything) anew whose leaves' boxes have grown: whose sum of surfaces, over the surface of
// the part's box, is more than `factor` times what it was when the part was ordered. Returns how many parts it were; then every plane is looked at. What lies in
// which part stays. O(T) where nothing is loose, else a search for each plane.
GRZ_API uint32_t grzBoxTree_RebuildLoose(grzBoxTree* tree, float factor);

// ------------------------------------------------------------------------------------------------------ boxes

// Everything, now; grzBox_Empty() where there are no triangles.
GRZ_API grzBox grzBoxTree_RootBox(const grzBoxTree* tree);

// Inner nodes are 0 .. innerCount - 1, leaves follow: leaf k is node innerCount + k. The children of node i are 2i + 1 and
// 2i + 2. Of leaf k, the triangles order[starts[k]] .. order[starts[k + 1] - 1], in the caller's numbers.
typedef struct grzBoxTreeView {
    uint32_t innerCount, leafCount, triangleCount;
    const uint32_t* starts; // leafCount + 1
    const uint32_t* order;  // triangleCount
} grzBoxTreeView;

// Good until the next RebuildLoose or Destroy.
GRZ_API grzBoxTreeView grzBoxTree_GetView(const grzBoxTree* tree);

// The boxes of an inner node's children from its own.
GRZ_API void grzBoxTree_Split(const grzBoxTree* tree, uint32_t node, grzBox box, grzBox children[2]);

typedef struct grzBoxTreeStats { // since Create
    uint64_t events;             // a vertex passed a plane that another one realised
    uint64_t updates;            // planes and outer sides that came to be realised by another vertex
    uint64_t candidates;         // vertices looked at for events: the price of a search
    uint64_t rebuilt;            // parts
} grzBoxTreeStats;

GRZ_API grzBoxTreeStats grzBoxTree_GetStats(const grzBoxTree* tree);
GRZ_API size_t grzBoxTree_MemorySize(const grzBoxTree* tree);

// Checks that every plane is where its outermost vertex is, now; for tests and for doubts. O(T log T). False where one is not;
// the first is logged as an error.
GRZ_API bool grzBoxTree_Validate(const grzBoxTree* tree);

GRZ_EXTERN_C_END

#endif
