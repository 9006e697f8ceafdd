// Upkeep: a hierarchy over a mesh that moves by a flightplan, kept valid in whichever way is the cheapest.
//
//   grzUpkeepDef def = grzDefaultUpkeepDef();
//   def.bvh = bvh, def.plan = plan;
//   result = grzUpkeep_Create(&def, &upkeep);
//   ...each frame:
//   result = grzUpkeep_Change(upkeep, tasks, time, &change);   // paths that changed, as often as needed
//   result = grzUpkeep_Advance(upkeep, tasks, time, NULL);     // or nodes, to have all boxes written
//   result = grzUpkeep_FindInBox(upkeep, box, triangles, capacity, &count);
//
// The ways:
//   refit      all positions evaluated, all boxes made of them (graze/bvh.h); nothing to be made first
//   chord      two refits a keyframe blended (graze/chord_tree.h); plans of keyframes
//   batched    what has run out since the last frame put right (graze/kinetic_tree.h)
//   ordered    every change at its own time (the same header)
//   box tree   two planes a node (graze/box_tree.h); another hierarchy, of the same triangles
// Refit, ordered and batched have the same boxes, to the number (a zero may have the other sign); those of the chord tree
// are looser between keyframes, and the box tree's are of another shape. In all of them each vertex lies in its leaf,
// each box in its parent's.
//
// The chooser. Where more ways than one are allowed, what each would cost in a frame is told from constants (grzUpkeepCosts)
// and from counted work: how far time goes on in a frame, how many sides the batched tree had to look at, how many vertices
// were given new paths. What another way would have saved is added up, and once that is what it costs to go over, the upkeep
// does. No time is measured meanwhile: the same calls make the same choices, for any number of workers (of a lazy chord tree
// what was read is counted as well). So
//   - no frame is expected to cost more than `frameLimit` refits, where the refit is allowed. A refit: of the positions
//     of that frame, which must be evaluated unless it is a keyframe. A batched tree is thereby never entered after
//     Create, nor led over a keyframe, unless the limit is set higher: both take many refits in one frame. What a batched
//     tree of paths will meet on its way from frame to frame cannot be told beforehand, and may be above the limit;
//   - the sum is held near that of the best way that keeps to the limit all along: within a tenth, once there are some
//     hundred frames to each change of character.
//
// Ownership: it keeps pointers to hierarchy, plan, profile; they must outlive it. Keyframes may be added at any time, and
// dropped up to its time; a plan of paths belongs to it, and is changed by grzUpkeep_Change alone. Threads: one call that
// changes it at a time, with no other; any number may read between. Memory: of the refit (7 bytes a triangle, 12 a vertex) and
// the chord tree, where they are allowed, from Create on; of a batched tree only while it is in use. So nothing is allocated
// after Create, unless frameLimit lets it go over to a batched tree; where that is refused it stays as it was.
//
// After an edit of the hierarchy (graze/bvh_edit.h), a rebuild, or vertices that came into the plan, an upkeep does not follow: it
// must be made anew, and nothing of it may be read until then. Advance, Change and FindInBox refuse. Where edits are many, a
// kinetic or a chord tree of one's own follows them (grzKineticTree_Follow, grzChordTree_Follow).
#ifndef GRAZE_UPKEEP_H
#define GRAZE_UPKEEP_H

#include "graze/bvh.h"
#include "graze/flightplan.h"
#include "graze/profile.h"

GRZ_EXTERN_C_BEGIN

typedef struct grzUpkeep grzUpkeep;

typedef enum grzUpkeepWay {
    grz_upkeepRefit = 0,
    grz_upkeepChord,
    grz_upkeepBatched,
    grz_upkeepOrdered,
    grz_upkeepBoxTree,
    grz_upkeepWayCount,
} grzUpkeepWay;

// "refit", "chord" and so on; "" outside the enumeration.
GRZ_API const char* grzUpkeepWay_Name(grzUpkeepWay way);

#define GRZ_UPKEEP_BIT(way) (1u << (unsigned)(way))

// --------------------------------------------------------------------------------------------------------- costs

// Nanoseconds on one core: of a small mesh and of a large one. A mesh between them costs what lies between, by the logarithm
// of its size.
typedef struct grzUpkeepCost {
    double small, large;
} grzUpkeepCost;

typedef struct grzUpkeepCosts {
    // How many triangles the two meshes have, and those of the costs of the batched tree; 0 < small < large.
    grzUpkeepCost triangles, batchedTriangles;
    grzUpkeepCost refit;           // a triangle, of positions that are there
    grzUpkeepCost evaluateFrames;  // a vertex, between two keyframes
    grzUpkeepCost evaluatePaths;   // a vertex
    grzUpkeepCost chordRefit;      // a triangle, of the refit of a keyframe in pieces
    grzUpkeepCost chordWrite;      // a triangle, all boxes between keyframes
    grzUpkeepCost chordCopy;       // a triangle, all boxes at a keyframe
    grzUpkeepCost batchedMake;     // a triangle, of a tree made anew
    grzUpkeepCost batchedKeyframe; // a triangle, to see what outgrows its box until the next keyframe
    grzUpkeepCost batchedRepair;   // a side of a box looked at anew
    grzUpkeepCost batchedWrite;    // a triangle, all boxes
} grzUpkeepCosts;

// Those of one machine, printed by `graze-bench kinetic --case chooser`.
GRZ_API grzUpkeepCosts grzDefaultUpkeepCosts(void);

// Measures them on the calling thread, on sheets that it makes: the least of several repeats each. Takes below 50 ms,
// and 8 MB meanwhile. Refused with *costs as it was: grz_badArgument (value 1: half an allocator; 2: costs is NULL),
// grz_outOfMemory. The allocator may be all zeros: the default one.
GRZ_NODISCARD GRZ_API grzResult grzUpkeepCosts_Measure(grzAllocator allocator, grzUpkeepCosts* costs);

// -------------------------------------------------------------------------------------------------------- making it

typedef struct grzUpkeepDef {
    uint32_t mark; // set by grzDefaultUpkeepDef; create refuses another
    // GRZ_UPKEEP_BIT of each way that may be chosen. One alone is always used. Ordered and box tree must be alone: they
    // answer what no other does, and at frames cost more than the batched tree. 0: refit, and chord for keyframes or batched
    // for paths. Without chord, boxes are exact at all times.
    uint32_t ways;
    grzBvhNumbering numbering; // of the plan's vertices
    const grzBvh* bvh;
    grzFlightplan* plan;
    double startTime;  // in the plan's range; NaN: where that begins
    double frameLimit; // in refits, at least 1; infinity: only the sum counts
    float looseness;   // of the chord tree, as in grzChordTreeDef
    float readyBy;     // likewise; below 1 leaves grzUpkeepPairs time to search the next interval ahead
    // likewise: what is read, by grzUpkeep_Node or FindInBox, is what is made. frameLimit does not know of it
    bool isLazy;
    grzUpkeepCosts costs; // every number finite and above 0
    grzProfile* profile;  // NULL: none. Not in a step during Create
    grzTasks* tasks;      // used during the call; NULL: the calling thread alone
    grzAllocator allocator;
} grzUpkeepDef;

// The usual ways, the caller's numbers, from the beginning of the plan, no frame above 1.2 refits, readyBy 1, the
// default costs.
GRZ_API grzUpkeepDef grzDefaultUpkeepDef(void);

// Refused with *upkeep NULL: grz_badDef, grz_badArgument (value 1; the reason names the field: no hierarchy or plan, a plan with
// another number of vertices than the hierarchy, ways that do not go together or with the plan, a time outside the plan, a
// number that is none), grz_outOfMemory; also what grzProfile_RegisterCounter refuses.
GRZ_NODISCARD GRZ_API grzResult grzUpkeep_Create(const grzUpkeepDef* def, grzUpkeep** upkeep);

// NULL is fine.
GRZ_API void grzUpkeep_Destroy(grzUpkeep* upkeep);

// ------------------------------------------------------------------------------------------------------------- time

// On to a time, which is not before the last one. With nodes (view.nodeCount of grzBvhView) all boxes are written there, as
// grzBvh_Refit has them; they are then what is read until the next call that changes the upkeep, and must stay as they
// are till then. Refused, and nothing changed: grz_badArgument (value 3: the time is before the last one, or not known to
// the plan; value 4: nodes for a box tree, which has others; value 1: paths that were changed, keyframes dropped, triangles
// edited or vertices added behind the upkeep).
GRZ_NODISCARD GRZ_API grzResult grzUpkeep_Advance(grzUpkeep* upkeep, grzTasks* tasks, double time,
                                                  grzBvhNode* nodes);

// Paths change at a time, which is not before the last one. Boxes can be read again after the next Advance. Refused as
// Advance and grzFlightplan_Change are; the plan is as it was, and so is what can be read, unless a vertex has left the range
// of float: then time may have gone on, and boxes can be read after the next Advance.
GRZ_NODISCARD GRZ_API grzResult grzUpkeep_Change(grzUpkeep* upkeep, grzTasks* tasks, double time,
                                                 const grzFlightplanChange* change);

// The end, or nearly, of the step of the plan's grid that the last time given lies in; it may be advanced to.
GRZ_API double grzUpkeep_Time(const grzUpkeep* upkeep);

// ---------------------------------------------------------------------------------------------------------- reading

// One walk for all ways: nodes have up to eight children, whose boxes are a grzBvhNode, lane by lane; a lane without a child
// is empty. Start at the root: level 0, index 0, its box. With a place and a lane that is not empty, the child is
//   grzUpkeepView_Child(&view, &place, node, lane)      a place again, while place.level + 1 < view.levelCount
// and its index on the last level is that of a leaf.
typedef struct grzUpkeepView {
    uint32_t levelCount; // of nodes; at least 1
    uint32_t lastBits;   // nodes of the last level have 2^lastBits children, all others eight
    uint32_t leafCount;
} grzUpkeepView;

typedef struct grzUpkeepPlace {
    uint32_t level, index;
    grzBox box; // what the box tree's planes are relative to; the others do not need it
} grzUpkeepPlace;

// Good until the next call that changes the upkeep. After grzUpkeep_Change nothing may be read before the next Advance.
GRZ_API grzUpkeepView grzUpkeep_GetView(const grzUpkeep* upkeep);
GRZ_API grzUpkeepPlace grzUpkeep_Root(const grzUpkeep* upkeep);

// The boxes of the children of a place: in *scratch, or where they lie already. Of a lazy chord tree the chunk that the place lies
// in is made, if it is not; several threads may be at it.
GRZ_API const grzBvhNode* grzUpkeep_Node(const grzUpkeep* upkeep, const grzUpkeepPlace* place, grzBvhNode* scratch);

static inline grzUpkeepPlace grzUpkeepView_Child(const grzUpkeepView* view, const grzUpkeepPlace* place,
                                                 const grzBvhNode* node, uint32_t lane) {
    const uint32_t bits = place->level + 1 < view->levelCount ? 3 : view->lastBits;
    grzUpkeepPlace child;
    child.level = place->level + 1;
    child.index = (place->index << bits) + lane;
    child.box.lower = grzVec3_Make(node->lower[0][lane], node->lower[1][lane], node->lower[2][lane]);
    child.box.upper = grzVec3_Make(node->upper[0][lane], node->upper[1][lane], node->upper[2][lane]);
    return child;
}

// The triangles of a leaf, in the caller's numbers; returns how many.
GRZ_API uint32_t grzUpkeep_Leaf(const grzUpkeep* upkeep, uint32_t leaf, uint32_t triangles[GRZ_BVH_LEAF_TRIANGLES]);

// The triangles whose leaf's box meets a box, touching included: the caller's numbers, ascending, *count of them. A triangle that
// meets the box is among them, whatever the way. Refused: grz_bufferTooSmall (value: the count, at most as many as there
// are triangles; nothing was written), grz_badArgument (value 1: paths have changed since the last Advance, or the mesh; value 3:
// triangles is NULL with a capacity). *count is 0 then.
GRZ_NODISCARD GRZ_API grzResult grzUpkeep_FindInBox(const grzUpkeep* upkeep, grzBox box, uint32_t* triangles,
                                                    size_t capacity, size_t* count);

// ------------------------------------------------------------------------------------------------------------ figures

// In a profile each Advance is a zone "upkeep". It holds a zone of the way in use, "upkeep refit", "upkeep chord"
// ..., with the reason for this way (see grzUpkeepStats). Each Change is a zone "upkeep change". All zones are of
// the stage grz_stageMid, and of the worker of the tasks that calls, which is 0 outside of a task. The counters
// "upkeep refit", "upkeep chord" ... count the frames of each way. "upkeep switches" counts the changes of way.
typedef struct grzUpkeepWayStats { // since Create
    uint64_t frames;               // calls of Advance
    uint64_t intervals;            // between keyframes, that were begun in this way
    double predicted; // nanoseconds of the frames, by constants and counted work; of several ways alone
    double measured;  // nanoseconds of the frames, by the profile's clock; 0 without a profile
    double next;      // what the last frame was expected to cost in this way; infinity where it is not allowed
} grzUpkeepWayStats;

typedef struct grzUpkeepStats {
    grzUpkeepWayStats ways[grz_upkeepWayCount];
    grzUpkeepWay way;   // of the last frame
    const char* reason; // why it is that: a sentence that lives for ever
    uint64_t switches;  // from one way to another
    uint64_t refused;   // that were not made for want of memory
    uint64_t chunks;    // of 256 triangles that the chord tree refit, or, lazy, that were reached, at each keyframe
} grzUpkeepStats;

GRZ_API grzUpkeepStats grzUpkeep_GetStats(const grzUpkeep* upkeep);

// Returns how many bytes the upkeep has taken now, with its trees. Any worker of the tasks may call the allocator.
GRZ_API size_t grzUpkeep_MemorySize(const grzUpkeep* upkeep);

// Checks the plan, and the tree of the way in use at the time of the last Advance, by their own Validate; for tests
// and debugging. It does not look at boxes that a refit wrote. While paths or the mesh have changed since the last
// Advance, it checks only the plan. Returns false where something is broken, and logs the first flaw as an error.
GRZ_API bool grzUpkeep_Validate(const grzUpkeep* upkeep);

GRZ_EXTERN_C_END

#endif
