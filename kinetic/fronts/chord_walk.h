// What: a search for pairs of leaves that overlap in a piece of time. It can be done in parts.
//
// Idea: lists of pairs of nodes, level by level. Above the chunks one thread does a level at a time. From there on,
//   two levels above the leaves, the pairs of each node of A are a part. Parts are independent, and their pairs lie
//   in the order of parts.
//
//     A   levels 4   root - 1 - chunks - bottom - leaves        The higher hierarchy is opened alone until both
//                                                               have as many
//     B   levels 3          root - chunks - bottom - leaves     levels left; then both together.
//
//   So levels alone decide which nodes are opened, and lists stay sorted: a step lists the children of a node of A
//   one after the other, each with the children of B in the order of the list before.
// Holds: while a search is not done, the boxes that it reads keep their contents, but may lie elsewhere.
#ifndef GRAZE_KINETIC_CHORD_WALK_H
#define GRAZE_KINETIC_CHORD_WALK_H

#include <stdatomic.h>

#include "array.h"
#include "chord_inside.h"
#include "chord_known_kernel.h"
#include "chord_walk_kernel.h"
#include "self_cull.h"

// The motion of a side in a piece.
typedef struct ChordSpan {
    double frames[2]; // the keyframes that it is between; both the same if it rests
    double parts[2];  // where the piece begins and ends, in parts of the time between them
} ChordSpan;

typedef struct ChordPiece {
    double begin, end;
    ChordSpan spans[2];
} ChordPiece;

// One of the two hierarchies.
typedef struct ChordSide {
    const grzChordTree* tree; // NULL: the hierarchy rests
    const grzBvh* bvh;
    const grzBvhNode* nodes; // of a hierarchy at rest
    grzBvhView view;
    uint64_t revision; // of the hierarchy
} ChordSide;

typedef struct ChordLeafPairs {
    GRZ_ARRAY(grzLeafPair);
} ChordLeafPairs;

typedef struct ChordMarks {
    GRZ_ARRAY(uint64_t);
} ChordMarks;

typedef struct ChordBytes {
    GRZ_ARRAY(uint8_t);
} ChordBytes;

// The pairs of one node of A.
typedef struct ChordPart {
    uint32_t first, count; // of `tops`
    uint32_t worker;       // whose scratch has its results
    size_t at, found;      // place and count of the results there; SIZE_MAX: there was no room
} ChordPart;

typedef struct ChordParted {
    GRZ_ARRAY(ChordPart);
} ChordParted;

// Boxes that lie within those of a side's leaves (chord_known.h), for the nodes that are wanted.
typedef struct ChordWanted {
    _Atomic bool isWanted;
} ChordWanted;

typedef struct ChordKnown {
    struct {
        GRZ_ARRAY(ChordWanted);
    } wanted; // of the bottom level
    struct {
        GRZ_ARRAY(ChordInner);
    } inners;
} ChordKnown;

// Scratch of a worker.
typedef struct ChordWalker {
    size_t room; // of each array
    bool isFull; // its last results did not fit
    ChordLeafPairs lists[2], found;
    ChordMarks marks;
} ChordWalker;

typedef struct ChordWalkers {
    GRZ_ARRAY(ChordWalker);
} ChordWalkers;

typedef struct ChordSearch {
    ChordPiece piece;
    bool isBegun, isDone;
    uint32_t leafCounts[2]; // of the sides, when it was begun
    uint32_t levels[2];     // at which the nodes of `tops` are
    ChordLeafPairs tops;
    ChordParted parts;
    size_t done; // parts
    ChordLeafPairs pairs;
    ChordBytes first, last;           // buckets of the pairs
    ChordBytes knownFirst, knownLast; // buckets between which pairs are known to overlap; empty: nothing is known
} ChordSearch;

// The sides and the scratch of searches.
typedef struct ChordWalk {
    grzAllocator allocator;
    ChordSide sides[2];
    bool isSelf;
    float margin;         // within which leaves are pairs
    grzSelfCull* cull;    // NULL: nothing is culled; else of the piece whose search was begun last
    ChordLeafPairs spare; // of the levels above parts
    ChordMarks marks;
    ChordWalkers walkers;
    bool findsKnown;
    ChordKnown known[2]; // by side
} ChordWalk;

// Lists the parts of a piece. Returns false where memory is refused; the search has not begun then.
bool grzChordSearch_Begin(ChordSearch* search, ChordWalk* walk, grzTasks* tasks, const ChordPiece* piece);

// Walks parts until `end` are done; with the last part the search is done. Returns false where memory is refused;
// parts that are done stay.
bool grzChordSearch_GoOn(ChordSearch* search, ChordWalk* walk, grzTasks* tasks, size_t end);

void grzChordSearch_Release(ChordSearch* search, const grzAllocator* allocator);
size_t grzChordSearch_Size(const ChordSearch* search);
void grzChordWalk_Release(ChordWalk* walk);
size_t grzChordWalk_Size(const ChordWalk* walk); // without the struct itself

#endif
