// What: how a chord tree lies in memory, for the files that make it, read it and check it.
//
//   chord_tree          def, memory, and time
//   chord_edit          edits of the hierarchy
//   chord_lazy          chunks that are made only where a query comes to them
//   chord_read          nodes as they are at the time of the tree
//   chord_check         all promises again, slowly
//   chord_kernel        nodes between those of two keyframes
//   chord_fit_kernel    boxes of a keyframe, and how loose the chords to them are
//   chord_read_kernel   leaves whose chords are too loose; both share chord_sides.h
//   chord_root_kernel   the box of a chunk from its vertices
//
// Idea: a leaf whose chords may be too loose is looked at where it is read: its box is that of its vertices at the time. Or its
//   interval is cut into 2, 4 or 8 equal parts: its boxes at their ends lie in a pool of its chunk. Both are cut to the chords of
//   the interval, so that nothing changes for the nodes above.
//
//     chunk   64 leaves in eight nodes           node   logs: 1 0 0 2 0 0 0 E      leaf 0 has 2 parts, leaf 3 has 4,
//             64 boxes, in the order of leaves          first: 5                   leaf 7 is looked at; their boxes:
//                                                                                  5 of leaf 0; 6, 7, 8 of leaf 3
#ifndef GRAZE_KINETIC_CHORD_INSIDE_H
#define GRAZE_KINETIC_CHORD_INSIDE_H

#include "graze/chord_tree.h"

#include "plan_inside.h"

enum {
    CHORD_SETS = 3,
    CHORD_CHUNK_NODES = 8, // of the bottom
    CHORD_CHUNK_LEAVES = CHORD_CHUNK_NODES * GRZ_BVH_WIDTH,
    CHORD_CHUNK_BOXES = 64,
    CHORD_MOST_LOG = 3, // of parts
    CHORD_EXACT = 15,   // in place of a logarithm: looked at where it is read
};

// One box at one time, moved outward by what rounding may have cost. Sides grow outward: the lower ones are negated and lie
// in 0 .. 2, the upper ones in 4 .. 6; what lies in 3 and 7 is rubbish.
typedef struct ChordBox {
    float outward[8];
} ChordBox;

typedef struct ChordLeaves { // of a node of the bottom
    uint32_t logs;           // four bits a leaf, the first lowest
    uint32_t first;          // of their boxes, within those of the chunk
} ChordLeaves;

// How the interval before a keyframe is cut.
typedef struct ChordParts {
    double frame; // -1: of none
    ChordLeaves* leaves;
    ChordBox* boxes;
    uint64_t* fitted; // bits of chunks; all leaves of others are looked at where they are read
} ChordParts;

typedef struct ChordSet {
    grzBvhNode* nodes;
    double frame;  // the keyframe's number; -1: none yet
    uint32_t done; // chunks
} ChordSet;

typedef struct ChordLazy ChordLazy; // chord_lazy.h

struct grzChordTree {
    grzAllocator allocator;
    const grzBvh* bvh;
    grzBvhView view;
    const grzFlightplan* plan;
    grzBvhNumbering numbering;
    float looseness; // infinity: not looked at
    float readyBy;
    bool isLazy;     // as it was asked for
    ChordLazy* lazy; // NULL: it is not, or has one chunk, which every query comes to
    ChordSet sets[CHORD_SETS];
    ChordParts parts[2];           // that of a keyframe is parts[number % 2]
    ChordSet *from, *to;           // the same at the last keyframe
    double time, at;               // as given, and plan time
    float part;                    // of the interval that has passed
    uint64_t chunks, early, roots; // of chunks, not those that a lazy tree made when they were reached
    uint64_t followed;             // the revision of the hierarchy
};

// No triangles are one chunk without any.
static inline uint32_t grzChord_ChunkCount(const grzChordTree* tree) {
    return tree->view.chunkCount != 0 ? tree->view.chunkCount : 1;
}

static inline uint32_t grzChord_BottomCount(const grzChordTree* tree) {
    return tree->view.nodeCount - grzBvhView_BottomStart(&tree->view);
}

static inline size_t grzChord_WordCount(const grzChordTree* tree) {
    return (size_t)grzChord_ChunkCount(tree) / 64 + 1;
}

static inline ChordParts* grzChord_PartsOf(grzChordTree* tree, double frame) {
    return &tree->parts[(uint64_t)frame % 2];
}

static inline const PlanFrame* grzChord_Frame(const grzChordTree* tree, double number) {
    return tree->plan->frames.data + ((size_t)number - tree->plan->firstFrame);
}

// The set of a keyframe, if it is done; else NULL.
static inline const ChordSet* grzChord_DoneSet(const grzChordTree* tree, double number) {
    for (int i = 0; i < CHORD_SETS; ++i)
        if (tree->sets[i].frame == number && tree->sets[i].done == grzChord_ChunkCount(tree))
            return &tree->sets[i];
    return NULL;
}

static inline uint32_t grzChord_TreesLeafVertex(const grzBvhView* view, uint32_t leaf, uint32_t k) {
    return k < 8 ? view->leafVertices[8 * (size_t)leaf + k] : view->moreVertices[4 * (size_t)leaf + k - 8];
}

// By the plan's numbers.
static inline uint32_t grzChord_LeafVertex(const grzChordTree* tree, uint32_t leaf, uint32_t k) {
    const grzBvhView* view = &tree->view;
    const uint32_t vertex = grzChord_TreesLeafVertex(view, leaf, k);
    return tree->numbering == grz_bvhCallersNumbers ? view->vertexToCaller[vertex] : vertex;
}

// For the view's counts; the sets are of no keyframe. What was taken is released also where it was refused half way.
grzResult grzChord_TakeMemory(grzChordTree* tree);
void grzChord_ReleaseMemory(grzChordTree* tree);

// Makes what a tree with new memory has at a time.
void grzChord_Start(grzChordTree* tree, grzTasks* tasks, double time);

// Refits all of a set, or the chunks with a bit and what is above them.
void grzChord_RefitSet(const grzChordTree* tree, grzTasks* tasks, const ChordSet* set, const uint64_t* chunks);

// Of a node of the bottom all of whose leaves are looked at where they are read.
ChordLeaves grzChord_AllRead(const grzChordTree* tree, uint32_t node);

// The leaves of chunks first .. end - 1 are to be looked at where they are read.
void grzChord_LeaveToReaders(const grzChordTree* tree, ChordParts* parts, uint32_t first, uint32_t end);

// NULL, or why it cannot go on.
const char* grzChord_FlawOfFollowing(const grzChordTree* tree);

// Refits up to `count` chunks of those that Advance to the interval of a keyframe's number will need. Returns how many are left;
// where it is 0, Advance to there refits no more than what is due for the keyframe after these. Nothing of the tree can be read
// until then. The keyframe, and the next one, are known. Where looseness is held, readers do it in that interval.
uint32_t grzChordTree_Prepare(grzChordTree* tree, grzTasks* tasks, double number, uint32_t count);

// Of a lazy tree: makes all chunks, or those given as bits, that are not made.
void grzChord_ReachLazy(const grzChordTree* tree, grzTasks* tasks, const uint64_t* chunks);

// Likewise the chunk that a node lies in; nothing of other trees, or higher up. Any number may call this and read at a time.
void grzChord_ReachNode(const grzChordTree* tree, uint32_t level, uint32_t index);

// The same; and if another thread is at the chunk, waits until it is done. Then the nodes of both keyframes can be read where they lie, while the tree
// stays between them. It has followed its hierarchy.
void grzChord_AwaitNode(const grzChordTree* tree, uint32_t level, uint32_t index);

// The counts of grzChordTree_GetStats that are there without a look at all leaves.
typedef struct ChordWork {
    uint64_t chunks, roots;
} ChordWork;

ChordWork grzChord_Work(const grzChordTree* tree);

// A node at both ends of the interval: where it lies, or made aside in the scratch.
typedef struct ChordEnds {
    const grzBvhNode *from, *to;
    grzBvhNode scratch[2];
} ChordEnds;

void grzChord_EndsOf(const grzChordTree* tree, uint32_t number, ChordEnds* ends);

// The nodes [first, first + count) as they are at the time of the tree.
void grzChord_Read(const grzChordTree* tree, uint32_t first, uint32_t count, grzBvhNode* to);

#endif
