// Chord trees: a hierarchy over a mesh between keyframes, for the price of one refit for each keyframe.
//
//   grzChordTreeDef def = grzDefaultChordTreeDef();
//   def.bvh = bvh, def.plan = plan;                            // of keyframes
//   result = grzChordTree_Create(&def, &tree);
//   ...each frame:
//   result = grzChordTree_Advance(tree, tasks, time);
//   grzChordTree_ReadNode(tree, level, index, &node);          // for the nodes that a query visits
//   result = grzChordTree_WriteBoxes(tree, tasks, nodes);      // or all of them
//
// Between two keyframes every vertex moves along a line. The greatest coordinate of some of them is then a convex
// function of time, which lies below its chord; so does the least above its own. The tree has the boxes at both
// keyframes, and a box between them is between the two: conservative, never too small, and exact at the keyframes. It is
// widened by 2^-20 of the size of its coordinates, so that it also holds what a host has that computes (1 - s) a + s b in
// float, s being a multiple of 2^-24. A box lies within its parent's at all times.
//
// How loose: a side that the same vertex realises from keyframe to keyframe is not loose at all; else by no more than the
// vertices' paths bend the envelope. Where this is too much, give keyframes that are closer, or take graze/kinetic_tree.h.
//
// The work for the next keyframe is spread over the frames before it, as soon as it is known: Advance does a share of the
// chunks in proportion to the time that has passed.
//
// Ownership: the tree keeps pointers to the hierarchy and the plan, which must outlive it; keyframes may be dropped up to the time
// of the tree. Threads: one call that changes a tree at a time, with no other; any number may read between. Memory: three times
// the nodes of the hierarchy, 21 bytes a triangle. Nothing is allocated after Create.
// In the frame of [Zachmann and Weller, Kinetic Bounding Volume Hierarchies for Collision Detection of Deformable
// Objects, TU Clausthal 2006], which has no such tree; nearest is [Larsson and Akenine-Moller, Efficient Collision
// Detection for Models Deformed by Morphing, The Visual Computer 2003].
#ifndef GRAZE_CHORD_TREE_H
#define GRAZE_CHORD_TREE_H

#include "graze/bvh.h"
#include "graze/flightplan.h"

GRZ_EXTERN_C_BEGIN

typedef struct grzChordTree grzChordTree;

typedef struct grzChordTreeDef {
    uint32_t mark;             // set by grzDefaultChordTreeDef; create refuses another
    grzBvhNumbering numbering; // of the plan's vertices; in the tree's own a refit is faster
    const grzBvh* bvh;
    const grzFlightplan* plan;
    double startTime; // in the plan's range; NaN: where that begins
    grzTasks* tasks;  // used during the call; NULL: the calling thread alone
    grzAllocator allocator;
} grzChordTreeDef;

// The caller's numbers, from the beginning of the plan.
GRZ_API grzChordTreeDef grzDefaultChordTreeDef(void);

// Refused with *tree NULL: grz_badDef, grz_badArgument (value 1; the reason names the field: no hierarchy or plan, a plan of paths
// or with another number of vertices than the hierarchy, a time outside the plan), grz_outOfMemory.
GRZ_NODISCARD GRZ_API grzResult grzChordTree_Create(const grzChordTreeDef* def, grzChordTree** tree);

// NULL is fine.
GRZ_API void grzChordTree_Destroy(grzChordTree* tree);

// To a time of the plan; forward by an interval or within one is cheap, anything else costs two refits. Refused, and
// nothing changed: grz_badArgument (value 3: a time that the plan does not know).
GRZ_NODISCARD GRZ_API grzResult grzChordTree_Advance(grzChordTree* tree, grzTasks* tasks, double time);

// A node of the hierarchy as it is now; its number counts within its level. O(1).
GRZ_API void grzChordTree_ReadNode(const grzChordTree* tree, uint32_t level, uint32_t index, grzBvhNode* node);

// The box of everything.
GRZ_API grzBox grzChordTree_RootBox(const grzChordTree* tree);

// All nodes, as grzBvh_Refit has them. Refused: grz_badArgument (value 3: nodes is NULL).
GRZ_NODISCARD GRZ_API grzResult grzChordTree_WriteBoxes(const grzChordTree* tree, grzTasks* tasks,
                                                        grzBvhNode* nodes);

typedef struct grzChordTreeStats { // since Create
    uint64_t chunks;               // that were refit, 256 triangles each
    uint64_t early;                // of them, before their keyframe's interval began
} grzChordTreeStats;

GRZ_API grzChordTreeStats grzChordTree_GetStats(const grzChordTree* tree);

GRZ_EXTERN_C_END

#endif
