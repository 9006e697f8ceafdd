// What: the times from which and until which pairs of leaves are known to overlap, whatever is rounded and wherever
// exact boxes lie within chords. See kernel.h for how it is built and picked.
#ifndef GRAZE_KINETIC_CHORD_KNOWN_KERNEL_H
#define GRAZE_KINETIC_CHORD_KNOWN_KERNEL_H

#include "graze/stage/node_pairs.h"

#include "chord_fit_kernel.h"
#include "kernel.h"

// A box that lies within a leaf's exact one between two keyframes, by its sides at both.
typedef struct ChordInner {
    float sides[2][2][4]; // [end][half][axis]; the fourth is 0. Of A: -lower, upper; of B: upper, -lower
} ChordInner;

typedef struct ChordInnerJob {
    ChordJob chord;              // bvh NULL: what rests
    const grzBvhNode *from, *to; // of the bottom level, at both ends
    bool isB;
    float slack; // see the kernel
} ChordInnerJob;

// Those of the eight leaves of a bottom node.
GRZ_DECLARE_KERNEL(void, grzChordInnerFit, (const ChordInnerJob* job, uint32_t node, ChordInner to[GRZ_BVH_WIDTH]));

// The buckets (chord_walk_kernel.h) of the times in between which each pair is known to overlap; first above last: at none. count is a
// multiple of 64.
GRZ_DECLARE_KERNEL(void, grzChordPairsKnow,
                   (const grzLeafPair* pairs, const ChordInner* a, const ChordInner* b, size_t count,
                    uint8_t* first, uint8_t* last));

#endif
