// What: how a BoxTree lies in memory, and its stages.
//
//   box_tree         making it, time, boxes
//   box_tree_events  what happens, in order; an interval between keyframes begins
//   box_tree_frames  which vertex realises a plane, and until when: the search on keyframes, cut short by bounds
//   box_tree_sides   the same on paths, and where all of it comes together; planes put right all at once
//   box_tree_bounds  boxes of subtrees at the keyframes about
//   box_tree_build   the order of the triangles, and parts ordered anew
//   box_tree_edit    triangles and vertices that come and go, paths that change
//   box_tree_check   all promises again, slowly
//
//   nodes     a complete binary tree in the order of its levels
//   places    leaf k of L = 2^depth has the places 4 k .. 4 k + 3, of which the first counts[k] are taken. A place has a
//             triangle's number and its three corners; corner c is of place c / 3.
//   slots     slot n - 1: the plane of node n > 0, which ends it where it is a lower child, 2 i + 1, and begins it where it is an
//             upper one; 2 * innerCount + side: the outer sides of everything
//   sides     0 1 2: lower x y z; 3 4 5: upper
//   row       of a slot: what its search looks at, see box_tree_sides.c
//
// Holds: between ticks the owner of a slot is the outermost vertex below its node, and its event is the first tick at which one
//   of its row is ahead, up to knownEnd; rivals: the outermost one then. A node without triangles has GRZ_MESH_NONE for an owner.
#ifndef GRAZE_KINETIC_BOX_TREE_INSIDE_H
#define GRAZE_KINETIC_BOX_TREE_INSIDE_H

#include "graze/box_tree.h"
#include "graze/mesh.h"

#include "array.h"
#include "event_queue.h"
#include "plan_inside.h"

enum {
    BOX_TREE_SIDES = 6,
    BOX_TREE_ROOM = GRZ_BOX_TREE_LEAF_TRIANGLES,
    BOX_TREE_CORNERS = 3 * BOX_TREE_ROOM, // of a leaf
    BOX_TREE_PART_DEPTH = 8,              // of the parts that are ordered anew: 2^8 leaves
};

// The farthest that anything below a node comes to, on each side: coordinates on upper sides, on lower ones their negatives.
typedef struct BoxTreeBounds {
    float most[BOX_TREE_SIDES];
} BoxTreeBounds;

typedef struct BoxTreeIndices {
    GRZ_ARRAY(uint32_t);
} BoxTreeIndices;

typedef struct BoxTreeBits {
    GRZ_ARRAY(uint64_t);
} BoxTreeBits;

struct grzBoxTree {
    grzAllocator allocator;
    grzFlightplan* plan;
    double at;
    double knownBegin,
        knownEnd; // plan times; events are known up to the latter: the keyframes about `at`, or for ever
    uint32_t depth, innerCount, leafCount, placeCount, triangleCount;
    uint32_t partDepth, partCount; // the nodes of this depth are parts, for rebuilding
    uint8_t* counts;               // of leaves
    uint16_t* fresh;               // of leaves: a bit for each corner whose vertex is not that of an earlier one
    uint32_t* order;               // of places: the triangle's number
    uint32_t* corners;             // of places, three each
    uint8_t* axes;                 // of inner nodes
    uint32_t *owners, *rivals;     // of slots
    uint64_t* dirty;               // a bit for each slot, to be settled
    BoxTreeBounds *begins, *ends;  // of inner nodes, at knownBegin and knownEnd; keyframes only
    float* mosts;                  // of slots: the most of all below, on its side, at knownEnd; keyframes only
    double* builtSums;             // of parts
    float* keys;                   // of places; scratch of a build
    uint32_t* nexts;               // of corners: the next one of the same vertex, or GRZ_MESH_NONE; paths only
    grzEventQueue queue;
    unsigned char* memory; // of all the above
    size_t memorySize;
    BoxTreeIndices places; // of numbers; GRZ_MESH_NONE: removed
    BoxTreeIndices firsts; // of vertices: the first corner; paths only
    BoxTreeBits isChanged; // a bit for each vertex; paths only
    uint64_t revision;     // of the plan
    grzBoxTreeStats stats;
};

static inline bool isLeafNode(const grzBoxTree* tree, uint32_t node) {
    return node >= tree->innerCount;
}

static inline uint32_t slotCountOf(const grzBoxTree* tree) {
    return 2 * tree->innerCount + BOX_TREE_SIDES;
}

static inline bool isOuter(const grzBoxTree* tree, uint32_t slot) {
    return slot >= 2 * tree->innerCount;
}

// What a slot is of: the outermost of all below `top` on a side.
typedef struct BoxTreePlane {
    uint32_t top, side;
} BoxTreePlane;

static inline int axisOfSide(uint32_t side) {
    return (int)(side % 3);
}

static inline bool isUpperSide(uint32_t side) {
    return side >= 3;
}

static inline BoxTreePlane planeOf(const grzBoxTree* tree, uint32_t slot) {
    if (isOuter(tree, slot))
        return (BoxTreePlane){0, slot - 2 * tree->innerCount};
    return (BoxTreePlane){slot + 1, tree->axes[slot / 2] + (slot % 2 == 0 ? 3u : 0u)};
}

// Of a node that is cut along a side's axis: the child that the plane on that side is of, and the other one, which comes before
// the plane nowhere but may reach beyond it.
static inline uint32_t childWithPlane(uint32_t node, uint32_t side) {
    return 2 * node + (isUpperSide(side) ? 1 : 2);
}

static inline uint32_t childBeyond(uint32_t node, uint32_t side) {
    return 2 * node + (isUpperSide(side) ? 2 : 1);
}

// Which of two vertices is the outer one on a side: above 0: i.
static inline int compareOnSide(const grzBoxTree* tree, uint32_t side, uint32_t i, uint32_t j, double at) {
    const int order = grzPlan_Compare(tree->plan, axisOfSide(side), i, j, at);
    return isUpperSide(side) ? order : -order;
}

// When another vertex is first farther out than the owner, which leads at `at`.
static inline double overtakes(const grzBoxTree* tree, uint32_t side, uint32_t owner, uint32_t other, double at) {
    return isUpperSide(side) ? grzPlan_Overtakes(tree->plan, axisOfSide(side), owner, other, at)
                             : grzPlan_Overtakes(tree->plan, axisOfSide(side), other, owner, at);
}

// The frame of a keyframe's number.
static inline const PlanFrame* frameOfTree(const grzBoxTree* tree, double number) {
    return tree->plan->frames.data + ((size_t)number - tree->plan->firstFrame);
}

// A coordinate at a keyframe, with the sign that lets the greatest lead.
static inline float grzBoxTree_PlaceOnSide(const PlanFrame* frame, uint32_t side, uint32_t vertex) {
    const float place = frame->positions[vertex * frame->stride + (size_t)axisOfSide(side)];
    return isUpperSide(side) ? place : -place;
}

// ---- box_tree_frames: on keyframes ----

typedef struct BoxTreeLead {
    uint32_t vertex;
    double until; // infinity: not up to knownEnd
} BoxTreeLead;

// The outermost of a plane's row at a time, of several that are level one that leads next; GRZ_MESH_NONE where there is none.
uint32_t grzBoxTree_LeaderOnFrames(grzBoxTree* tree, BoxTreePlane plane, double at);

// Who passes the vertex that leads a row at a time, and when. `most`: of the plane's slot.
BoxTreeLead grzBoxTree_NextOnFrames(grzBoxTree* tree, BoxTreePlane plane, uint32_t owner, float most, double at);

// ---- box_tree_sides ----

// Finds the vertex that realises a slot at a time, and its event. Whether it is another one than before.
bool grzBoxTree_Settle(grzBoxTree* tree, uint32_t slot, double at);

// A vertex realises a slot from a time on, at which it leads the row: sets it and its event.
void grzBoxTree_SetOwner(grzBoxTree* tree, uint32_t slot, uint32_t vertex, double at);

// The slot that looks at the outermost below a node on a side: that of the nearest node, itself or above, whose plane is on that
// side, or an outer one.
uint32_t grzBoxTree_SlotAbove(const grzBoxTree* tree, uint32_t node, uint32_t side);

// Marks a slot for SettleMarked; the slots that look into a node; all slots within one.
void grzBoxTree_Mark(grzBoxTree* tree, uint32_t slot);
void grzBoxTree_MarkAbove(grzBoxTree* tree, uint32_t node);
void grzBoxTree_MarkBelow(grzBoxTree* tree, uint32_t node);

// Settles what is marked as of now, and what looks at that where its vertex has changed, or has another path.
void grzBoxTree_SettleMarked(grzBoxTree* tree);

// ---- box_tree_events ----

// Everything up to a time, in order, and on to it; events are known that far.
void grzBoxTree_RunUntil(grzBoxTree* tree, double until);

// At knownEnd: the interval up to the next keyframe begins.
void grzBoxTree_BeginInterval(grzBoxTree* tree);

// ---- box_tree_bounds: on keyframes ----

BoxTreeBounds grzBoxTree_BoundLeaf(const grzBoxTree* tree, uint32_t leaf, const PlanFrame* frame);

static inline BoxTreeBounds grzBoxTree_Join(const BoxTreeBounds* a, const BoxTreeBounds* b) {
    BoxTreeBounds bounds;
    for (int side = 0; side < BOX_TREE_SIDES; ++side)
        bounds.most[side] = a->most[side] > b->most[side] ? a->most[side] : b->most[side];
    return bounds;
}

// For what has changed below a node, at both keyframes; and what `mosts` says of it. Nothing on paths.
void grzBoxTree_BoundAnew(grzBoxTree* tree, uint32_t node);

// Where the tree stands at knownEnd, older keyframes may be gone: an interval without length begins and ends there.
void grzBoxTree_CloseInterval(grzBoxTree* tree);

// ---- box_tree_build ----

// The leaves below a node.
typedef struct BoxTreeSpan {
    uint32_t begin, end;
} BoxTreeSpan;

BoxTreeSpan grzBoxTree_LeavesBelow(const grzBoxTree* tree, uint32_t node);

// Brings the triangles below a node to the first places of its leaves, one after the other; returns how many they are.
uint32_t grzBoxTree_Gather(grzBoxTree* tree, uint32_t node);

// Orders so many that lie like that by where they are now, and cuts the node and all below along new axes. There is room for all.
// All that depends on it follows but the planes, which are marked.
void grzBoxTree_Order(grzBoxTree* tree, uint32_t node, uint32_t count);

// What RebuildLoose compares with: of the parts below a node, or of that which it is in, as they are now.
void grzBoxTree_SumParts(grzBoxTree* tree, uint32_t node);

// ---- box_tree ----

// Why the tree cannot go on to a time; NULL: it can.
const char* grzBoxTree_FlawOfTime(const grzBoxTree* tree, double time);

// The shape that has room for so many, with memory for it, empty leaves and an empty queue; what the tree had before is not
// given back. False, and nothing changed, where memory is refused.
bool grzBoxTree_TakeMemory(grzBoxTree* tree, uint64_t room);

// Of a tree whose triangles are in its first places, and about which nothing else is known; now, and not counted.
void grzBoxTree_Build(grzBoxTree* tree);

// ---- box_tree_edit ----

// Room to know the corners of so many vertices. False, and nothing changed, where memory is refused.
bool grzBoxTree_TakeVertices(grzBoxTree* tree, size_t vertexCount);

// What a leaf has has changed: which of its corners are fresh, where its triangles are, and on paths the corners of vertices.
void grzBoxTree_NoteLeaf(grzBoxTree* tree, uint32_t leaf);

// Before it changes.
void grzBoxTree_ForgetLeaf(grzBoxTree* tree, uint32_t leaf);

#endif
