// Kinetic trees: a hierarchy over a mesh that moves by a flightplan, kept valid by looking only at what changes.
//
//   grzKineticTreeDef def = grzDefaultKineticTreeDef();
//   def.bvh = bvh, def.plan = plan;
//   result = grzKineticTree_Create(&def, &tree);
//   ...each frame:
//   result = grzKineticTree_Advance(tree, tasks, time);
//   box = grzKineticTree_Box(tree, 0, 0);                  // where asked for: of the nodes that a query visits
//   result = grzKineticTree_WriteBoxes(tree, tasks, nodes);    // or all of them
//
// A vertex realises a side of a box where no other one below the box lies farther out on that side. The tree knows it for each
// side of each box, and until when it is sure to be that one. Nothing is done for a vertex that moves while another one stays
// ahead of it; but each keyframe is looked at once: at the price of a refit, of a look at each side, and of what changes hands
// before it. At every time that may be asked for, the boxes are those of grzBvh_Refit over all positions of that time, to the
// number (a zero may have the other sign).
//
// Two orders, with the same boxes:
//   ordered   every change at its own time, one after the other; as published, but that events are known up to the next
//             keyframe only. The number of changes depends on the motion alone, and not on how often it is looked at.
//   batched   what has run out by the time asked for is put right in one go, from the leaves up. Changes that were undone
//             meanwhile are never seen, nor are keyframes that a step goes over: who asks seldom pays little.
//
// Ownership: the tree keeps pointers to the hierarchy and the plan, which must outlive it. Keyframes may be added to the
// plan at any time, and dropped up to the time of the tree; a plan of paths belongs to its tree and is changed by
// grzKineticTree_Change alone. Threads: one call that changes a tree at a time, with no other; any number may read boxes
// between. Memory: grzKineticTree_MemorySize; the rows "memory" of graze-bench kinetic have it for each triangle. Where memory
// for an interval's events is refused, the boxes are right all the same, at a higher cost, but not all events are counted.
// [Zachmann and Weller, Kinetic Bounding Volume Hierarchies for Collision Detection of Deformable Objects, TU
// Clausthal 2006]
#ifndef GRAZE_KINETIC_TREE_H
#define GRAZE_KINETIC_TREE_H

#include "graze/bvh.h"
#include "graze/flightplan.h"

GRZ_EXTERN_C_BEGIN

typedef struct grzKineticTree grzKineticTree;

typedef enum grzKineticOrder {
    grz_kineticOrdered = 0,
    grz_kineticBatched,
} grzKineticOrder;

typedef struct grzKineticTreeDef {
    uint32_t mark; // set by grzDefaultKineticTreeDef; create refuses another
    grzKineticOrder order;
    grzBvhNumbering numbering; // of the plan's vertices; in the tree's own new keyframes cost less
    const grzBvh* bvh;
    grzFlightplan* plan;
    double startTime; // in the plan's range; NaN: where that begins
    grzTasks* tasks;  // used during the call; NULL: the calling thread alone
    grzAllocator allocator;
} grzKineticTreeDef;

// Ordered, the caller's numbers, from the beginning of the plan.
GRZ_API grzKineticTreeDef grzDefaultKineticTreeDef(void);

// Refused with *tree NULL: grz_badDef, grz_badArgument (value 1; the reason names the field: no hierarchy or plan, a plan with
// fewer vertices than the hierarchy, a time outside the plan), grz_outOfMemory.
GRZ_NODISCARD GRZ_API grzResult grzKineticTree_Create(const grzKineticTreeDef* def, grzKineticTree** tree);

// NULL is fine.
GRZ_API void grzKineticTree_Destroy(grzKineticTree* tree);

// On to a time, which is not before the last one. Refused, and nothing changed: grz_badArgument (value 3: a time before the
// last one, or that the plan does not know; value 1: paths that were changed, or keyframes dropped, behind the tree, or a
// hierarchy that was edited). The same for any number of workers.
GRZ_NODISCARD GRZ_API grzResult grzKineticTree_Advance(grzKineticTree* tree, grzTasks* tasks, double time);

// On to a time, at which paths change; the tree follows. It looks at the leaves of the vertices that change, and, of the boxes
// above them, at those that such a vertex realises or comes to realise. Where more than a quarter of all vertices change, it
// looks at everything once. Refused as Advance and grzFlightplan_Change are: the plan is as it was; the time has gone on only
// where a vertex has left the range of float.
GRZ_NODISCARD GRZ_API grzResult grzKineticTree_Change(grzKineticTree* tree, grzTasks* tasks, double time,
                                                      const grzFlightplanChange* change);

// The hierarchy was edited (graze/bvh_edit.h), or rebuilt: the tree follows, at its time. Until then it only goes on answering
// for what was: a tree that has not followed is refused an advance. First the tree comes to the time, then vertices come into
// the plan (grzFlightplan_AddVertices, grzFlightplan_AddFrameVertices), then triangles into the hierarchy, then the tree follows:
//
//   result = grzKineticTree_Advance(tree, tasks, time);
//   result = grzFlightplan_AddVertices(plan, time, &change, &first);
//   result = grzBvh_Edit(bvh, &edit);
//   result = grzKineticTree_Follow(tree, tasks);
//
// On paths O(leaves that the edit touched), for each tier, after one edit; O(T), and memory, where the tree has no room for what
// has come (it takes half again), a level has come or gone, the hierarchy was rebuilt or edited more than once, vertices of paths
// begin later than the tree stands, and the first time. On keyframes always O(T), and memory: the tree is made anew at its time;
// where edits are many, a chord tree follows at less. Refused, the tree then as it was, and to be asked again: grz_badArgument
// (value 1: the plan has fewer vertices than the hierarchy, or is refused by Advance), grz_outOfMemory. The same for any number
// of workers.
GRZ_NODISCARD GRZ_API grzResult grzKineticTree_Follow(grzKineticTree* tree, grzTasks* tasks);

// The time that the tree stands at: the end, or nearly, of the step of the plan's grid that the last one given lies in. It may be
// advanced to, which changes nothing.
GRZ_API double grzKineticTree_Time(const grzKineticTree* tree);

// Until when no side of a box is realised by another vertex than now: the last such time of the plan's grid, but not beyond
// the next keyframe.
GRZ_API double grzKineticTree_Horizon(const grzKineticTree* tree);

// A node's box now, of all that is below it, by the level and number of grzBvhView: level 0 is the root. O(1).
GRZ_API grzBox grzKineticTree_Box(const grzKineticTree* tree, uint32_t level, uint32_t index);

// The boxes of all nodes, as grzBvh_Refit writes them. Refused: grz_badArgument (value 3: nodes is NULL).
GRZ_NODISCARD GRZ_API grzResult grzKineticTree_WriteBoxes(const grzKineticTree* tree, grzTasks* tasks,
                                                          grzBvhNode* nodes);

typedef struct grzKineticTreeStats { // since Create
    uint64_t leafEvents; // a vertex of a leaf came ahead of the one that realised a side of its box; ordered
    uint64_t treeEvents; // a child's side came ahead of its parent's; ordered
    uint64_t repairs;    // sides looked at anew; at keyframes, after changes of paths, and batched
    // sides where only one vertex was looked at, which moves in another way or newly realises a child
    uint64_t races;
    uint64_t updates; // sides that came to be realised by another vertex
    // keyframes looked at, each the end of an interval; a batched tree skips those it has no use for
    uint64_t intervals;
} grzKineticTreeStats;

GRZ_API grzKineticTreeStats grzKineticTree_GetStats(const grzKineticTree* tree);

// How many bytes the tree has taken.
GRZ_API size_t grzKineticTree_MemorySize(const grzKineticTree* tree);

// Checks every promise at the current time; for tests and for doubts. O(V + T). False where one is broken; the first is
// logged as an error.
GRZ_API bool grzKineticTree_Validate(const grzKineticTree* tree);

GRZ_EXTERN_C_END

#endif
