// What: which pairs of leaves have boxes that overlap. See kernel.h for how it is built and picked.
#ifndef GRAZE_KINETIC_LEAF_BOXES_KERNEL_H
#define GRAZE_KINETIC_LEAF_BOXES_KERNEL_H

#include "graze/stage/node_pairs.h"

#include "box_frame.h"
#include "kernel.h"

typedef struct LeafBoxesJob {
    const grzBvhNode *a, *b; // of the bottom level
    const grzLeafPair* pairs;
    const uint64_t* looks; // bits of pairs that are looked at
    const BoxFrame* frame; // NULL, or of B
    float margin;
} LeafBoxesJob;

// found[w]: bits of the pairs of word w that are looked at and overlap, for words begin .. end - 1.
GRZ_DECLARE_KERNEL(void, grzLeafBoxesTest,
                   (const LeafBoxesJob* job, uint32_t begin, uint32_t end, uint64_t* found));

// Copies the pairs that have a bit, `count` in all. Reads the pairs of whole words, except in the last word.
GRZ_DECLARE_KERNEL(void, grzLeafPairsTake,
                   (const grzLeafPair* pairs, const uint64_t* bits, size_t words, grzLeafPair* to, size_t count));

#endif
