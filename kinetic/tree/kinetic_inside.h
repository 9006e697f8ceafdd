// What: how a kinetic tree lies in memory, and the stages that work on it, each in a file of its own.
//
//   kinetic_make     making it, and its memory
//   kinetic_tree     time, merging the parts
//   kinetic_change   changes of paths
//   kinetic_edit     edits of the hierarchy
//   kinetic_box      boxes from vertices, and all promises again, slowly
//
//   and for plans of paths                                             for keyframes
//   kinetic_sides    a side of a box: which vertex realises it, and    kinetic_frames     from keyframe to keyframe
//                    until when
//   kinetic_events   what happens in a part, in order                  kinetic_overtake   the same
//   kinetic_race     the same where one vertex of a row moves in
//                    another way, and the others do not
//   kinetic_repair   what has run out in a part, put right from the    kinetic_interval   the same; and an interval's beginning
//                    leaves up                                                            and end
//
// What differs: a path is known for ever, so that each side has a next event or none, and only a change of paths changes it. A
// keyframe tells where all vertices will be at the end of an interval; whoever realises a side then does so from the last event
// on, and sides that are realised by the same vertex at both ends have none.
//
//   tiers       tier 0: the leaves' boxes, eight of which are under each box of tier 1, ..., one box on the top tier. The
//               boxes of tier k > 0 are the nodes of level levelCount - k of the hierarchy.
//   sides       0 1 2: lower x y z; 3 4 5: upper. A side is realised by a vertex (the plan's number). Realisers of eight boxes
//               that are under one stand side by side for each side: the row of that one.
//   slots       of a part's sides, from the leaves up. Paths: six a box. Keyframes: as the realisers stand, eight boxes at a
//               time.
//   events      of a side of a box: another one of its row comes ahead of the vertex that realises it. The row of a leaf is its
//               vertices, that of another box the vertices that realise its children.
//   parts       subtrees of at most 8^3 leaves with a queue each, and the top above them. In a part nothing depends on any
//               other; the top is told of the changes at the roots of the parts, in order of time.
//   room        of plans of paths: arrays and queues may have place for more boxes than there are, so that edits need not move
//               anything. What has no box has no event and no mark.
//
// Holds: a vertex that realises a side is truly the outermost of all below; of several that are, any one.
#ifndef GRAZE_KINETIC_KINETIC_INSIDE_H
#define GRAZE_KINETIC_KINETIC_INSIDE_H

#include "graze/kinetic_tree.h"

#include "event_queue.h"
#include "frame_queue.h"
#include "frame_row.h"
#include "plan_row.h"

enum {
    KINETIC_SIDES = 6,
    KINETIC_TIERS = GRZ_BVH_MAX_LEVELS + 2,
    KINETIC_PART_TIER = 3,
    KINETIC_ALL = 63, // a bit for each side
};

// At the root of a part, a side came to be realised by another vertex.
typedef struct RootChange {
    double at;
    uint32_t vertex;
    uint32_t side;
} RootChange;

// A side of a box came to be realised by another vertex than `before`. `older`: for whoever reads the log.
typedef struct KineticChange {
    double at;
    uint32_t box, before, older;
    uint8_t tier, side;
} KineticChange;

// Of a part, in order of time, while the tree is watched.
typedef struct KineticLog {
    GRZ_ARRAY(KineticChange);
    bool hasLost; // memory was refused, or what happened has no times: the log is of no use
} KineticLog;

typedef struct KineticPart {
    union {
        grzEventQueue queue;  // paths
        grzFrameQueue frames; // keyframes; the lane of an event is that of its row
    };
    uint32_t bottom, tier;                 // its boxes are of the tiers bottom .. tier
    uint32_t root;                         // the box of `tier`
    uint32_t sectionStarts[KINETIC_TIERS]; // [k]: the slots of the events of boxes of tier k
    uint32_t slotCount;
    uint32_t rootMask;     // what the last repair changed at the root
    GRZ_ARRAY(RootChange); // of this advance; of a part that is not the top
    size_t told;           // how many of them the top has been told
    bool hasLost;          // memory for them was refused: the root is to be looked at as it is
    bool hasNoRoom;        // memory for the events of this interval was refused: they are not known
    KineticLog log;
    grzKineticTreeStats stats;
} KineticPart;

// Leaves of vertices, linked. Places count from 1; 0 ends a list.
typedef struct KineticMoreLeaves {
    uint32_t* firsts; // of each vertex
    uint32_t* leaves;
    uint32_t* nexts;
    uint32_t count, room;
} KineticMoreLeaves;

struct grzKineticTree {
    grzAllocator allocator;
    grzKineticOrder order;
    const grzBvh* bvh;
    grzBvhView view;
    grzFlightplan* plan;
    double at, knownEnd; // plan times; events are known up to the latter: the next keyframe, or for ever
    grzBvhNumbering numbering;
    grzBvhNode* nodes; // at knownEnd, and behind them one with the root's own box in lane 0; keyframes only
    FrameSide frameSides[KINETIC_SIDES]; // of the interval that ends at knownEnd; likewise
    uint32_t tierCount;                  // the top tier and all below
    uint32_t boxCounts[KINETIC_TIERS];
    uint32_t roomCounts[KINETIC_TIERS]; // of boxes that there is room for
    uint32_t leafRoom, vertexRoom; // what a tree that is made shall have room for, if that is more than there is
    uint64_t followed;             // the revision of the hierarchy
    uint32_t* realisers[KINETIC_TIERS]; // see realiserPlace; where there is no box, any vertex
    // likewise: who is ahead when the event comes, if one is to; paths only, as the next
    uint32_t* rivals[KINETIC_TIERS];
    uint8_t* dirty[KINETIC_TIERS];   // the sides of a box that are to be looked at anew
    uint8_t* below[KINETIC_TIERS];   // the children of a box that are to be visited
    uint32_t* seen;                  // the realisers at the roots of the parts, as far as the top has been told
    uint32_t partCount, partRoom;    // without the top
    KineticPart* parts;              // partRoom of them, and the top
    KineticPart* top;                // the last of parts; NULL where one part is all
    grzEventQueue merge;             // a slot for each part: its next change that the top has not been told
    uint32_t *leafStarts, *leavesOf; // of each vertex; paths only, as all up to isChanged
    KineticMoreLeaves more;          // that vertices came into by edits; those that they left stay listed
    uint64_t revision;               // of the plan
    uint64_t* isChanged;             // a bit for each vertex
    bool isWatched;                  // changes are logged
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

// How many places the realisers of so many boxes take.
static inline size_t realiserCount(uint32_t boxes) {
    return ((size_t)boxes + GRZ_BVH_WIDTH - 1) / GRZ_BVH_WIDTH * GRZ_BVH_WIDTH * KINETIC_SIDES;
}

static inline size_t realiserPlace(uint32_t box, uint32_t side) {
    return ((size_t)(box / GRZ_BVH_WIDTH) * KINETIC_SIDES + side) * GRZ_BVH_WIDTH + box % GRZ_BVH_WIDTH;
}

// The first of the row of a box that is no leaf.
static inline size_t rowPlace(uint32_t box, uint32_t side) {
    return ((size_t)box * KINETIC_SIDES + side) * GRZ_BVH_WIDTH;
}

// ---- boxes of a part ----

// Those of a tier that belong to the part begin here.
static inline uint32_t firstBox(const KineticPart* part, uint32_t tier) {
    return part->root << 3 * (part->tier - tier);
}

// How many of a tier belong to the part: the last part of a tree has fewer.
static inline uint32_t boxCount(const grzKineticTree* tree, const KineticPart* part, uint32_t tier) {
    const uint32_t most = 1U << 3 * (part->tier - tier), left = tree->boxCounts[tier] - firstBox(part, tier);
    return left < most ? left : most;
}

// Paths.
static inline uint32_t eventSlot(const KineticPart* part, uint32_t tier, uint32_t box, uint32_t side) {
    return part->sectionStarts[tier] + (box - firstBox(part, tier)) * KINETIC_SIDES + side;
}

// Keyframes.
static inline uint32_t frameSlot(const KineticPart* part, uint32_t tier, uint32_t box, uint32_t side) {
    return part->sectionStarts[tier] +
           (uint32_t)(realiserPlace(box, side) -
                      realiserPlace(firstBox(part, tier) / GRZ_BVH_WIDTH * GRZ_BVH_WIDTH, 0));
}

// As the part sees them: the top sees the roots of parts as it has been told.
static inline const uint32_t* childRealisers(const grzKineticTree* tree, const KineticPart* part, uint32_t tier) {
    return part == tree->top && tier == part->bottom ? tree->seen : tree->realisers[tier - 1];
}

static inline uint32_t childCount(const grzKineticTree* tree, uint32_t tier, uint32_t box) {
    const uint32_t left = tree->boxCounts[tier - 1] - box * GRZ_BVH_WIDTH;
    return left < GRZ_BVH_WIDTH ? left : GRZ_BVH_WIDTH;
}

// A part, or the last: the top.
static inline const KineticPart* partAt(const grzKineticTree* tree, uint32_t index) {
    return index < tree->partCount ? &tree->parts[index] : tree->top;
}

// The part, or the top, that looks after a box.
static inline KineticPart* partOfBox(const grzKineticTree* tree, uint32_t tier, uint32_t box) {
    if (tree->top == NULL)
        return &tree->parts[0];
    return tier > KINETIC_PART_TIER ? tree->top : &tree->parts[box >> 3 * (KINETIC_PART_TIER - tier)];
}

// ---- kinetic_make ----

// How many boxes there are, and parts; without triangles none.
void grzKinetic_CountBoxes(grzKineticTree* tree);

// All that follows from the hierarchy, the plan and a time. Where memory is refused, grzKinetic_Empty remains to be done.
grzResult grzKinetic_Fill(grzKineticTree* tree, grzTasks* tasks, double at);
void grzKinetic_Empty(grzKineticTree* tree);

// ---- kinetic_tree ----

typedef void KineticPartFn(grzKineticTree* tree, KineticPart* part, double at);

// Calls for each part but the top.
void grzKinetic_RunEach(grzKineticTree* tree, grzTasks* tasks, double at, KineticPartFn* run);

// The top is told of the realisers at a part's root as they are now.
void grzKinetic_TellNow(grzKineticTree* tree, const KineticPart* part);

// Why the tree cannot go on, or NULL.
const char* grzKinetic_FlawOfPlan(const grzKineticTree* tree);

// Puts right what is marked and what has run out by a time, in all parts and in the top.
void grzKinetic_RepairAll(grzKineticTree* tree, grzTasks* tasks, double at);

// A part up to a time, in the tree's order; and the top, when all parts are there.
void grzKinetic_GoOnPart(grzKineticTree* tree, KineticPart* part, double at);
void grzKinetic_GoOnTop(grzKineticTree* tree, double at);

// On to a time up to which everything is known, in the tree's order; and stands there.
void grzKinetic_GoTo(grzKineticTree* tree, grzTasks* tasks, double at);

// On to a plan time that the plan knows, not before that of the tree.
void grzKinetic_LeadTo(grzKineticTree* tree, grzTasks* tasks, double at);

// Why a tree cannot be asked to go on, or NULL.
const char* grzKinetic_FlawOfTree(const grzKineticTree* tree);

// Looks at every side of every box, as of a time, and stands there.
void grzKinetic_LookAtAll(grzKineticTree* tree, grzTasks* tasks, double at);

// ---- kinetic_box ----

// Boxes that hold where the vertices that realise sides now will be at a keyframe; behind all nodes one with the root's own box.
// There are triangles.
void grzKinetic_WriteAhead(const grzKineticTree* tree, grzTasks* tasks, const PlanFrame* frame, grzBvhNode* nodes);

// The plan time of the next event that is known; infinity: none. There are triangles.
double grzKinetic_FirstEvent(const grzKineticTree* tree);

// ---- kinetic_sides ----

// What an event of a slot is of.
typedef struct EventPlace {
    uint32_t tier, box, side;
} EventPlace;

EventPlace grzKinetic_PlaceOf(const KineticPart* part, uint32_t slot);

// The vertices of a leaf, in the plan's numbers; returns how many. Of those behind up to a multiple of four, each is one of them.
uint32_t grzKinetic_LeafRow(const grzKineticTree* tree, uint32_t leaf, uint32_t vertices[GRZ_BVH_LEAF_VERTICES]);

// The vertices that realise the six sides of a box.
void grzKinetic_RealisersOf(const grzKineticTree* tree, uint32_t tier, uint32_t box,
                            uint32_t vertices[KINETIC_SIDES]);

// Finds the vertex that realises a side at a time, and sets the event. Returns whether it is another one than before. Paths.
bool grzKinetic_Settle(grzKineticTree* tree, KineticPart* part, uint32_t tier, uint32_t box, uint32_t side,
                       double at);

// ---- kinetic_race ----

// The vertex is of the row of a side, and moves in another way than when the event was found, or is new there; neither it nor one
// that it took a place from realises the side or is the rival there. Sets the event, if this one comes sooner. Whether it is
// ahead now: then the side is to be looked at.
bool grzKinetic_Race(grzKineticTree* tree, KineticPart* part, uint32_t tier, uint32_t box, uint32_t side,
                     uint32_t vertex, double at);

// The same for sides of a leaf; returns those that are to be looked at.
uint32_t grzKinetic_RaceInLeaf(grzKineticTree* tree, KineticPart* part, uint32_t leaf, uint32_t vertex,
                               uint32_t mask, double at);

// ---- kinetic_events ----

// Everything up to a time, in order. A part other than the top writes its changes at the root.
void grzKinetic_RunPart(grzKineticTree* tree, KineticPart* part, double until);

// The root of a part has changed: the top follows.
void grzKinetic_TakeChange(grzKineticTree* tree, uint32_t root, const RootChange* change);

// Writes a change at the part's root, if there is a top to be told.
void grzKinetic_KeepChange(grzKineticTree* tree, KineticPart* part, uint32_t side, uint32_t vertex, double at);

// Writes a change of any side of a tree that is watched.
void grzKinetic_WriteLog(grzKineticTree* tree, KineticPart* part, EventPlace place, uint32_t before, double at);

// The same of any tree. Here, so that trees that nobody watches do not even compute the time.
static inline void grzKinetic_Log(grzKineticTree* tree, KineticPart* part, EventPlace place, uint32_t before,
                                  double at) {
    if (tree->isWatched)
        grzKinetic_WriteLog(tree, part, place, before, at);
}

// ---- kinetic_repair ----

// Sides of a box, to be looked at by the next repair. In the part, or in the top, that the box is looked after by: those below a
// part's root are the part's. Paths.
void grzKinetic_Mark(grzKineticTree* tree, KineticPart* part, uint32_t tier, uint32_t box, uint32_t mask);

// Marks what has run out by a time.
void grzKinetic_MarkExpired(grzKineticTree* tree, KineticPart* part, double until);

// Puts right what is marked, as of a time; rootMask: what changed at the root, by vertex or by the vertex's path.
void grzKinetic_RepairPart(grzKineticTree* tree, KineticPart* part, double at);

// ---- kinetic_frames ----

// The tree's first look, at any time of the plan.
void grzKinetic_LookAtFrames(grzKineticTree* tree, grzTasks* tasks, double at);

// On to a time that the plan knows.
void grzKinetic_GoOnFrames(grzKineticTree* tree, grzTasks* tasks, double at);

// Whether the interval that the tree stands in is known, and its keyframes lie where they were read.
bool grzKinetic_HasFrames(const grzKineticTree* tree);

// What tree->frameSides counts in.
static inline float frameTick(const grzKineticTree* tree, double at) {
    return (float)((at - tree->frameSides[0].number) * (double)FRAME_TICKS);
}

static inline double frameTime(const grzKineticTree* tree, float tick) {
    return tree->frameSides[0].number + (double)tick * PLAN_FRAME_TICK;
}

// ---- kinetic_interval ----

// The eight boxes of a tier that `box` is one of, among all nodes; behind these is one with the root's own box in lane 0.
static inline const grzBvhNode* nodeOfBox(const grzKineticTree* tree, const grzBvhNode* nodes, uint32_t tier,
                                          uint32_t box) {
    return tier + 1 == tree->tierCount
               ? nodes + tree->view.nodeCount
               : nodes + tree->view.levelStarts[tree->view.levelCount - 1 - tier] + box / GRZ_BVH_WIDTH;
}

// Where eight boxes of a tier stand at knownEnd.
static inline const grzBvhNode* endNode(const grzKineticTree* tree, uint32_t tier, uint32_t box) {
    return nodeOfBox(tree, tree->nodes, tier, box);
}

static inline float endSide(const grzKineticTree* tree, uint32_t tier, uint32_t box, uint32_t side) {
    const grzBvhNode* node = endNode(tree, tier, box);
    return isUpper(side) ? node->upper[side - 3][box % GRZ_BVH_WIDTH] : node->lower[side][box % GRZ_BVH_WIDTH];
}

EventPlace grzKinetic_FramePlaceOf(const KineticPart* part, uint32_t slot);

// Room for a leaf's row where it is not there as it is.
typedef struct LeafVertices {
    uint32_t vertices[GRZ_BVH_LEAF_VERTICES];
} LeafVertices;

FrameRow grzKinetic_RowOf(const grzKineticTree* tree, const KineticPart* part, EventPlace place,
                          LeafVertices* leaf);

// Marks the slots of the sides that will not be realised by the same vertex at knownEnd.
void grzKinetic_MarkOutgrown(grzKineticTree* tree, KineticPart* part);

// What is marked comes to be realised by those who do at knownEnd.
void grzKinetic_FinishPart(grzKineticTree* tree, KineticPart* part);

// The sides above a part's root that changed, by rootMask, are due.
void grzKinetic_CallAboveRoot(grzKineticTree* tree, const KineticPart* part);

// Puts right what is marked, or only what has run out and was called, and what depends on it, as of a tick. rootMask: what
// changed at the root.
void grzKinetic_SettleAll(grzKineticTree* tree, KineticPart* part, float tick);
void grzKinetic_SettleUntil(grzKineticTree* tree, KineticPart* part, float tick);

// ---- kinetic_overtake ----

// As grzKinetic_RunPart and grzKinetic_TakeChange.
void grzKinetic_RunFrames(grzKineticTree* tree, KineticPart* part, float until);
void grzKinetic_TakeFrameChange(grzKineticTree* tree, uint32_t root, const RootChange* change);

#endif
