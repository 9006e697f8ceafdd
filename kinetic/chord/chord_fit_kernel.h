// What: boxes of a keyframe, and how loose the chords to them are. See kernel.h for how it is built and picked.
#ifndef GRAZE_KINETIC_CHORD_FIT_KERNEL_H
#define GRAZE_KINETIC_CHORD_FIT_KERNEL_H

#include "bvh_parts.h"
#include "chord_inside.h"
#include "kernel.h"

typedef struct ChordJob {
    const grzBvh* bvh;
    const float *from, *to;      // positions at both ends of the interval
    size_t fromStride, toStride; // in floats
    const uint32_t* map;         // from the tree's numbers to those of the positions; NULL: they are the same
    const grzBvhNode* fromNodes;
    grzBvhNode* nodes; // of the end
    float looseness;
    uint32_t mostLog; // of parts
    ChordParts parts;
} ChordJob;

// Between two sets. Where there is but one keyframe, both are that one.
ChordJob grzChord_JobOf(const grzChordTree* tree, const ChordSet* from, const ChordSet* to);

// Makes the bottom nodes of a chunk at the end of the interval, as grzBvhRefitBottom does to the byte, and the parts of their
// leaves.
GRZ_DECLARE_KERNEL(void, grzChordFit, (const ChordJob* job, uint32_t chunk));

#endif
