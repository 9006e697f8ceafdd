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
// keyframes, and a box between them is between the two: conservative, never too small, and exact at the keyframes. Its sides
// are moved outward by 2 to 4 ulp, and lie outside of the chord by at most 7 * 2^-24 of their coordinates; so it also holds
// what a host has that computes (1 - s) a + s b in float, s being a multiple of 2^-24. A box lies within its parent's at all
// times.
//
// How loose: a side that the same vertex realises from keyframe to keyframe is not loose at all; else by no more than the
// vertices' paths bend the envelope. With def.looseness the sides of leaves are held. It is found out which leaves may be too
// loose; then either a leaf's box is that of its vertices at the time, looked at where the node is read, or its interval is cut
// into 2, 4 or 8 parts, at whose ends its box is known, so that reading it takes less. The frames decide:
// leaves are cut where 128 or more are drawn of an interval, and may have more parts from 256 and 512 on. (A chunk has place for
// 64 boxes; what has none is looked at.) The nodes above keep the chords of the whole interval: to them looseness is no bound.
//
// The work for the next keyframe is spread over the frames before it, as soon as it is known: Advance does a share of the
// chunks in proportion to the time that has passed, in pieces of a sixteenth, or 64 chunks, at the least. That is one refit a keyframe, with a looseness 1.6, and more where
// leaves are cut. So a step over more than half of an interval, or a keyframe that comes when it is due, is done without: then
// all leaves of the interval are looked at where they are read, which takes longer than a refit of them. No frame
// costs more than 1.2 refits, but where time jumps, and in meshes of one chunk.
//
// Ownership: the tree keeps pointers to the hierarchy and the plan, which must outlive it; keyframes may be dropped up to the
// time of the tree. Threads: one call that changes a tree at a time, with no other; any number may read between, and of a lazy
// tree reach. Memory: three times the nodes of the hierarchy, 21 bytes a triangle; with a looseness 17 more, lazy about one. Nothing
// is allocated after Create but by Follow.
//
// In the frame of [Zachmann and Weller, Kinetic Bounding Volume Hierarchies for Collision Detection of Deformable Objects, TU
// Clausthal 2006], which has no such tree; nearest is [Larsson and Akenine-Moller, Efficient Collision Detection for Models
// Deformed by Morphing, The Visual Computer 2003].
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
    // The most, above 0, that a side of a leaf's box may lie outside of the exact one, and 2^-19 of the size of the coordinates
    // at the keyframes beside. A side that this takes beyond the range of float is infinite. Infinity: the chords of whole intervals,
    // whatever they are.
    float looseness;
    // Above 0 and up to 1: what part of an interval has passed when the boxes of the keyframe after it are all there. 1 spreads that work
    // most. With 0.3 there is time for grzChordPairs to walk the next interval ahead.
    float readyBy;
    // At a keyframe only the box of each chunk of 256 triangles is made, from its vertices: a quarter of a refit. What lies below is
    // made, for both keyframes, when the chunk is reached: by Reach, or by WriteBoxes, which reaches them all. Boxes are the same
    // bytes as without, whatever was reached, except that all leaves of a chunk that was not are looked at where they are
    // read, where looseness is held. What is reached is made at once, not spread over frames: up to a refit more in the frame that
    // reaches it, and another where it was not reached in the interval before. Reading looks at positions, so that the keyframes
    // beside the time must stay where they are, and none be added meanwhile. Meshes of one chunk are not lazy.
    bool isLazy;
    grzTasks* tasks; // used during the call; NULL: the calling thread alone
    grzAllocator allocator;
} grzChordTreeDef;

// The caller's numbers, from the beginning of the plan, infinite looseness, readyBy 1.
GRZ_API grzChordTreeDef grzDefaultChordTreeDef(void);

// Refused with *tree NULL: grz_badDef, grz_badArgument (value 1; the reason names the field: no hierarchy or plan, a plan of
// paths or with another number of vertices than the hierarchy, a time outside the plan, a looseness that is none),
// grz_outOfMemory.
GRZ_NODISCARD GRZ_API grzResult grzChordTree_Create(const grzChordTreeDef* def, grzChordTree** tree);

// NULL is fine.
GRZ_API void grzChordTree_Destroy(grzChordTree* tree);

// To a time of the plan; forward by an interval or within one is cheap, anything else costs two refits. Refused, and
// nothing changed: grz_badArgument (value 3: a time that the plan does not know; value 1: a hierarchy that was edited or rebuilt,
// which the tree has not followed).
GRZ_NODISCARD GRZ_API grzResult grzChordTree_Advance(grzChordTree* tree, grzTasks* tasks, double time);

// Does for some chunks of triangles what was left undone until the next keyframe, each once. In a lazy tree: makes their nodes at
// both keyframes; that of the first is there if they were reached in the interval before. With a looseness: finds out which leaves
// may be too loose, and cuts their intervals; also in a tree that is not lazy, after a long step or a jump, or where a keyframe came
// late. Boxes are in bounds without it; it makes reading them cheap: before, a node of such a chunk is made anew each time that it
// is read, at the cost of two refits of the 32 triangles below it, or 256. So a query that meets the box of a chunk, and will read its
// nodes, calls this before (grzUpkeep does by itself). Chunks are bits as in grzBvhRefit, view.chunkCount of them; higher ones are
// 0: chunk c is what lies below node c of the last level but one. It costs one or two refits of these chunks, with a looseness two or
// three; nothing where it was done before. Refused: grz_badArgument (value 3: chunks is NULL; value 1: as Advance).
// Threads: of a lazy tree, any number may call this at a time, each with tasks of its own, and others read; who finds a chunk in
// another's hands leaves it to him. Of any other tree it is a call that changes it.
GRZ_NODISCARD GRZ_API grzResult grzChordTree_Reach(grzChordTree* tree, grzTasks* tasks, const uint64_t* chunks);

// That of the last Advance, or where the tree began.
GRZ_API double grzChordTree_Time(const grzChordTree* tree);

// The hierarchy was edited (graze/bvh_edit.h), or rebuilt: the tree follows, at its time. Until then it is refused an advance and
// reads as it was, but no looseness is held: Measure says infinity. New vertices come into the plan first
// (grzFlightplan_AddFrameVertices). Of a lazy tree a chunk that was not reached reads as its whole box meanwhile. A refit of the chunks that the edit touched, for each of three keyframes, and their leaves
// are looked at where they are read, as after a long step; two whole refits, with a looseness four, and memory where levels have
// other counts of nodes, after a rebuild and after more than one edit. Refused, the tree then as it was: grz_badArgument
// (value 1: the plan has fewer vertices than the hierarchy, or has dropped keyframes that the tree stands on), grz_outOfMemory.
GRZ_NODISCARD GRZ_API grzResult grzChordTree_Follow(grzChordTree* tree, grzTasks* tasks);

// A node of the hierarchy as it is now; its number counts within its level. O(1).
GRZ_API void grzChordTree_ReadNode(const grzChordTree* tree, uint32_t level, uint32_t index, grzBvhNode* node);

// The box of everything.
GRZ_API grzBox grzChordTree_RootBox(const grzChordTree* tree);

// All nodes, as grzBvh_Refit has them; of a lazy tree all chunks are reached. Refused: grz_badArgument (value 3: nodes is NULL).
GRZ_NODISCARD GRZ_API grzResult grzChordTree_WriteBoxes(const grzChordTree* tree, grzTasks* tasks,
                                                        grzBvhNode* nodes);

typedef struct grzChordTreeStats {
    // that were refit since Create, 256 triangles each; of a lazy tree: that were reached, at each keyframe
    uint64_t chunks;
    uint64_t early;      // of them, or of the roots, before their keyframe's interval began
    uint64_t roots;      // of a lazy tree: boxes of whole chunks, each made at a keyframe from the chunk's vertices
    uint64_t leavesCut;  // now: of which the interval is cut
    uint64_t leavesRead; // now: that are looked at where they are read
} grzChordTreeStats;

// O(T / 32) with a looseness, else O(1).
GRZ_API grzChordTreeStats grzChordTree_GetStats(const grzChordTree* tree);
GRZ_API size_t grzChordTree_MemorySize(const grzChordTree* tree);

typedef struct grzChordLooseness { // how far the sides of leaves lie outside of the exact boxes, now
    double worst, mean;
} grzChordLooseness;

// O(T), far from cheap: for tests and for choosing a looseness.
GRZ_API grzChordLooseness grzChordTree_Measure(const grzChordTree* tree);

// Checks that every vertex lies in its leaf and every child in its parent, now, and that no leaf is too loose; for tests and for
// doubts. O(T). False where one is not; the first is logged as an error.
GRZ_API bool grzChordTree_Validate(const grzChordTree* tree);

GRZ_EXTERN_C_END

#endif
