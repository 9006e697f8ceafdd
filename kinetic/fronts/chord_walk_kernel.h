// What: one step of a walk over two hierarchies whose boxes move along chords, and which of the pairs that it found
// overlap at a time. See kernel.h for how it is built and picked.
#ifndef GRAZE_KINETIC_CHORD_WALK_KERNEL_H
#define GRAZE_KINETIC_CHORD_WALK_KERNEL_H

#include "graze/stage/node_pairs.h"

#include "kernel.h"

#define CHORD_FIRST_TIME 0x1p-126F         // before every tick but 0
#define CHORD_LAST_TIME  (1.0F - 0x1p-24F) // after every tick but 1

// A side at one level of the walk. Node i of `nodes` has the boxes of the children of node i; its own box is lane i
// % 8 of node i / 8 of `above`. Both arrays have boxes at the begin and at the end of an interval. parts: where in
// the interval the piece begins and ends.
typedef struct ChordWalkSide {
    const grzBvhNode *nodes[2], *above[2];
    uint32_t childCount; // of the whole level
    float parts[2];
} ChordWalkSide;

typedef struct ChordWalkStep {
    ChordWalkSide sides[2];
    float margin;      // within which boxes make a pair
    float rounding[3]; // see the kernel
    float nearGap;     // leaves whose sides have passed each other by less are looked at again without rounding
    bool opens[2];     // which sides are opened: one of them, or both
    bool isCut;        // the piece is not all of the interval of some side
    bool isFrame[2];   // the piece begins, and ends, at keyframes of both sides
    bool isSelf;       // both sides are the same
    const uint32_t* areFree; // self: NULL, or of the children: not 0 where one cannot meet itself
    bool isLast;             // children are leaves
} ChordWalkStep;

// Writes, for each pair of nodes, the pairs of their children that may overlap within its times. Both lists are
// sorted by A and then B. `marks` is scratch with a place for each pair. Returns how many pairs there are, or
// SIZE_MAX if room is too small.
GRZ_DECLARE_KERNEL(size_t, grzChordWalkOpen,
                   (const ChordWalkStep* step, const grzLeafPair* pairs, size_t count, uint64_t* marks,
                    grzLeafPair* to, size_t room));

// Turns times into buckets, a byte each: 0 and 255 are the ends, and any other bucket k is [k - 1, k) / 253. Reads
// and writes up to the next multiple of 64; places behind the last pair get buckets in which they are never active.
GRZ_DECLARE_KERNEL(void, grzChordPairsSpread,
                   (const grzLeafPair* pairs, size_t count, uint8_t* first, uint8_t* last));

// Sets a bit for each pair whose buckets hold `bucket`. Returns how many there are.
GRZ_DECLARE_KERNEL(size_t, grzChordPairsActive,
                   (const uint8_t* first, const uint8_t* last, size_t words, uint8_t bucket, uint64_t* bits));

static inline uint8_t grzChordBucket(float part) {
    return part == 0 ? 0 : part == 1 ? 255 : (uint8_t)(1 + (int32_t)(part * 253));
}

#endif
