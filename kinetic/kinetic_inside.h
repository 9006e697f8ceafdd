// What: how a kinetic tree lies in memory, and the stages that work on it, each in a file of its own.
//
//   kinetic_make     making it, and its memory
//   kinetic_tree     time, merging the parts
//   kinetic_change   changes of paths
//   kinetic_sides    a side of a box: which vertex realises it, and until when
//   kinetic_events   what happens in a part, in order
//   kinetic_repair   what has run out in a part, put right from the leaves up
//   kinetic_box      boxes from vertices, and all promises again, slowly
//
//   tiers       tier 0: the leaves' boxes, eight of which are under each box of tier 1, ..., one box on the top tier. The
//               boxes of tier k > 0 are the nodes of level levelCount - k of the hierarchy.
//   sides       0 1 2: lower x y z; 3 4 5: upper. A side is realised by a vertex (the plan's number).
//   events      of a side of a box: another one of its row comes ahead of the vertex that realises it. The row of a leaf is its
//               vertices, that of another box the vertices that realise its children.
//   parts       subtrees of at most 8^4 leaves with a queue each, and the top above them. In a part nothing depends on any
//               other; the top is told of the changes at the roots of the parts, in order of time.
//
// Holds: a vertex that realises a side is truly the outermost of all below; of several that are, any one.
#ifndef GRAZE_KINETIC_KINETIC_INSIDE_H
#define GRAZE_KINETIC_KINETIC_INSIDE_H

#include "graze/kinetic_tree.h"

#include "event_queue.h"
#include "plan_row.h"

enum {
    KINETIC_SIDES = 6,
    KINETIC_TIERS = GRZ_BVH_MAX_LEVELS + 2,
    KINETIC_PART_TIER = 4,
    KINETIC_ALL = 63, // a bit for each side
};

// At the root of a part, a side came to be realised by another vertex.
typedef struct RootChange {
    double at;
    uint32_t vertex;
    uint32_t side;
} RootChange;

typedef struct KineticPart {
    grzEventQueue queue;
    uint32_t bottom, tier;                 // its boxes are of the tiers bottom .. tier
    uint32_t root;                         // the box of `tier`
    uint32_t sectionStarts[KINETIC_TIERS]; // [k]: the slots of the events of boxes of tier k
    uint32_t slotCount;
    uint32_t rootMask;     // what a repair changed at the root
    GRZ_ARRAY(RootChange); // of this advance; of a part that is not the top
    size_t told;           // how many of them the top has been told
    bool hasLost;          // memory for them was refused: the root is to be looked at as it is
    grzKineticTreeStats stats;
} KineticPart;

struct grzKineticTree {
    grzAllocator allocator;
    grzKineticOrder order;
    const grzBvh* bvh;
    grzBvhView view;
    grzFlightplan* plan;
    double at, knownEnd; // plan times; events are known up to the latter: the next keyframe, or for ever
    grzBvhNumbering numbering;
    grzBvhNode* nodes;  // at knownEnd; keyframes only
    uint32_t tierCount; // the top tier and all below
    uint32_t boxCounts[KINETIC_TIERS];
    uint32_t* realisers[KINETIC_TIERS]; // KINETIC_SIDES a box
    uint8_t* dirty[KINETIC_TIERS];      // the sides of a box that are to be looked at anew
    uint8_t* below[KINETIC_TIERS];      // the children of a box that are to be visited
    uint32_t* seen;                     // the realisers at the roots of the parts, as far as the top has been told
    uint32_t partCount;                 // without the top
    KineticPart* parts;
    KineticPart* top;                // the last of parts; NULL where one part is all
    grzEventQueue merge;             // a slot for each part: its next change that the top has not been told
    uint32_t *leafStarts, *leavesOf; // of each vertex; paths only
    uint64_t revision;               // of the plan
    uint64_t* isChanged;             // a bit for each vertex; paths only
    unsigned char* memory;
    size_t memorySize;
    grzKineticTreeStats stats;
};

// ---- sides ----

static inline bool isUpper(uint32_t side) {
    return side >= 3;
}

static inline int axisOf(uint32_t side) {
    return (int)(side % 3);
}

// ---- boxes of a part ----

// Those of a tier that belong to the part begin here.
static inline uint32_t firstBox(const KineticPart* part, uint32_t tier) {
    return part->root << 3 * (part->tier - tier);
}

static inline uint32_t eventSlot(const KineticPart* part, uint32_t tier, uint32_t box, uint32_t side) {
    return part->sectionStarts[tier] + (box - firstBox(part, tier)) * KINETIC_SIDES + side;
}

// As the part sees them: the top sees the roots of parts as it has been told.
static inline const uint32_t* childRealisers(const grzKineticTree* tree, const KineticPart* part, uint32_t tier) {
    return part == tree->top && tier == part->bottom ? tree->seen : tree->realisers[tier - 1];
}

static inline uint32_t childCount(const grzKineticTree* tree, uint32_t tier, uint32_t box) {
    const uint32_t left = tree->boxCounts[tier - 1] - box * GRZ_BVH_WIDTH;
    return left < GRZ_BVH_WIDTH ? left : GRZ_BVH_WIDTH;
}

// ---- kinetic_tree ----

// Puts right what is marked and what has run out by a time, in all parts and in the top.
void grzKinetic_RepairAll(grzKineticTree* tree, grzTasks* tasks, double at);

// Looks at every side of every box, as of a time, and stands there.
void grzKinetic_LookAtAll(grzKineticTree* tree, grzTasks* tasks, double at);

// ---- kinetic_sides ----

// What an event of a slot is of.
typedef struct EventPlace {
    uint32_t tier, box, side;
} EventPlace;

EventPlace grzKinetic_PlaceOf(const KineticPart* part, uint32_t slot);

// The vertices of a leaf, in the plan's numbers; returns how many.
uint32_t grzKinetic_LeafRow(const grzKineticTree* tree, uint32_t leaf, uint32_t vertices[GRZ_BVH_LEAF_VERTICES]);

// Finds the vertex that realises a side at a time, and sets the event. Returns whether it is another one than before.
bool grzKinetic_Settle(grzKineticTree* tree, KineticPart* part, uint32_t tier, uint32_t box, uint32_t side,
                       double at);

// ---- kinetic_events ----

// Everything up to a time, in order. A part other than the top writes its changes at the root.
void grzKinetic_RunPart(grzKineticTree* tree, KineticPart* part, double until);

// The root of a part has changed: the top follows.
void grzKinetic_TakeChange(grzKineticTree* tree, uint32_t root, const RootChange* change);

// ---- kinetic_repair ----

// Sides of a box, to be looked at by the next repair. In the part, or in the top, that the box is looked after by: those below a
// part's root are the part's.
void grzKinetic_Mark(grzKineticTree* tree, KineticPart* part, uint32_t tier, uint32_t box, uint32_t mask);

// Marks what has run out by a time.
void grzKinetic_MarkExpired(grzKineticTree* tree, KineticPart* part, double until);

// Marks the sides that will not be realised by the same vertex at knownEnd, for which `nodes` are.
void grzKinetic_MarkOutgrown(grzKineticTree* tree, KineticPart* part);

// Puts right what is marked, as of a time; rootMask: what changed at the root, by vertex or by the vertex's path.
void grzKinetic_RepairPart(grzKineticTree* tree, KineticPart* part, double at);

#endif
