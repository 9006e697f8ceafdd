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
// and changes only when another one passes it. A box grows loose as the mesh deforms, since what is cut along another axis
// follows the parent: grzBoxTree_RebuildLoose orders the loose parts anew.
//
// Events are known up to the next keyframe. Where a keyframe is passed, all vertices are looked at once, at the price of
// some refits, for the planes that change before the following one; their number depends on the motion alone.
//
// Triangles and vertices may come and go while it runs: grzBoxTree_Edit, grzBoxTree_AddVertices.
//
// Ownership: the triangles are copied, the plan is kept and must outlive the tree; keyframes may be dropped up to the time of the
// tree; a plan of paths belongs to its tree and is changed by grzBoxTree_Change and grzBoxTree_AddVertices alone. Threads: one
// call that changes a tree at a time, with no other, on the calling thread alone; any number may read between. The same input
// gives the same tree and counts, however often it is looked at. Memory: grzBoxTree_MemorySize; where leaves are half full, twice
// what the row "memory, BoxTree" of graze-bench kinetic has, where they are full. After Create memory is taken by Edit and
// AddVertices alone.
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

// On to a time, which is not before the last one. All events are in one queue, and one thread runs them in order of time. Parts
// do not go on side by side, as those of a grzKineticTree do: a plane above searches the parts below it for its next event, and
// must find them as they are at its own time. Several trees may advance at a time. Refused, and nothing changed: grz_badArgument
// (value 2; also where paths were changed, or keyframes dropped, behind the tree).
GRZ_NODISCARD GRZ_API grzResult grzBoxTree_Advance(grzBoxTree* tree, double time);

// On to a time, at which paths change. Refused as Advance and grzFlightplan_Change are: the plan is as it was; the
// time has gone on only where a vertex has left the range of float.
GRZ_NODISCARD GRZ_API grzResult grzBoxTree_Change(grzBoxTree* tree, double time, const grzFlightplanChange* change);

// More vertices for a plan of paths, from a time on; the tree goes on to it. As grzFlightplan_AddVertices, and refused as
// Advance, too; nothing is changed then. A tree into whose plan of paths vertices came in another way is refused from then on.
GRZ_NODISCARD GRZ_API grzResult grzBoxTree_AddVertices(grzBoxTree* tree, double time,
                                                       const grzFlightplanChange* change, uint32_t* first);

// Triangles that go and come. The numbers of a def's triangles are 0, 1, 2, ...; new ones get those that follow the last ever
// given, in the order of the list. A number that was removed is not given again: unlike in grzBvh_Edit (graze/bvh_edit.h), where
// an added triangle takes the number of a removed one and the numbers stay without holes. A host that edits both keeps a map.
typedef struct grzBoxTreeEdit {
    const uint32_t* removed; // numbers, each once
    size_t removedCount;
    const uint32_t* inserted; // three of the plan's vertices each
    size_t insertedCount;
} grzBoxTreeEdit;

// On to a time, at which triangles go and come: first those go, then these come; *first is the number of the first new one (NULL
// is fine). All boxes hold at once, and at any time after. What is removed leaves a gap in its leaf, and is not ordered anew.
// What is inserted goes into the leaf that grows the least; where that is full, the triangles of the lowest node above that has
// room enough are ordered anew with it: O(log^2 T) of them on the average of many insertions. Where more than seven eighths of
// the room of all leaves are taken, the whole tree is made anew with twice the leaves, as by Create; so that is the price of the
// first insertion into a tree whose leaves Create has filled. Refused whole, and nothing changed: grz_badArgument (value 2: the
// time, as Advance; 3: the edit, with a reason; with part triangle, the entry of `removed` for which it is not there, or listed
// twice), grz_indexTooLarge (part triangle; index: the entry; value: the vertex that the plan has not, or, after those were
// looked at, the number that was never given), grz_tooLarge, grz_outOfMemory.
GRZ_NODISCARD GRZ_API grzResult grzBoxTree_Edit(grzBoxTree* tree, double time, const grzBoxTreeEdit* edit,
                                                uint32_t* first);

// Orders those parts anew whose leaves' boxes have grown. A part is 256 leaves (in a smaller tree, everything). Its measure is
// the sum of its leaves' surfaces over the surface of its own box: so many of its leaves does a small box meet, on the average,
// that meets the part. A part is loose where this is more than `factor` times what it was when the part was last ordered. Returns
// how many parts there were. What lies in which part stays. O(T) where nothing is loose; else a search for each plane of those
// parts, and some above.
GRZ_API uint32_t grzBoxTree_RebuildLoose(grzBoxTree* tree, float factor);

// ------------------------------------------------------------------------------------------------------ boxes

// Everything, now; grzBox_Empty() where there are no triangles.
GRZ_API grzBox grzBoxTree_RootBox(const grzBoxTree* tree);

// Inner nodes are 0 .. innerCount - 1, leaves follow: leaf k is node innerCount + k. The children of node i are 2i + 1 and
// 2i + 2. Of leaf k, the triangles order[4k] .. order[4k + counts[k] - 1], by their numbers; 4: GRZ_BOX_TREE_LEAF_TRIANGLES. A
// leaf may have none.
typedef struct grzBoxTreeView {
    uint32_t innerCount, leafCount, triangleCount;
    const uint8_t* counts;
    const uint32_t* order;
} grzBoxTreeView;

// Good until the next Edit, RebuildLoose or Destroy.
GRZ_API grzBoxTreeView grzBoxTree_GetView(const grzBoxTree* tree);

// The boxes of an inner node's children from its own; grzBox_Empty() of one that has no triangles.
GRZ_API void grzBoxTree_Split(const grzBoxTree* tree, uint32_t node, grzBox box, grzBox children[2]);

// The time that the tree stands at: the end, or nearly, of the step of the plan's grid that the last one given lies in.
GRZ_API double grzBoxTree_Time(const grzBoxTree* tree);

typedef struct grzBoxTreeStats { // since Create
    uint64_t events;             // a vertex passed a plane that another one realised
    uint64_t updates;            // planes and outer sides that came to be realised by another vertex
    uint64_t candidates;         // vertices looked at in searches
    uint64_t rebuilt;            // parts that RebuildLoose ordered anew
    uint64_t ordered;            // triangles that were ordered anew since one was inserted into a full leaf
    uint64_t grown;              // times the tree was made anew with more leaves
} grzBoxTreeStats;

GRZ_API grzBoxTreeStats grzBoxTree_GetStats(const grzBoxTree* tree);
GRZ_API size_t grzBoxTree_MemorySize(const grzBoxTree* tree);

// Checks that every plane is where its outermost vertex is, now, and that nothing is lost; for tests and for doubts. O(T log T).
// False where one is not; the first is logged as an error.
GRZ_API bool grzBoxTree_Validate(const grzBoxTree* tree);

GRZ_EXTERN_C_END

#endif
