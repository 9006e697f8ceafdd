// What: leaves' boxes within an interval that is cut. See kernel.h for how it is built and picked.
#ifndef GRAZE_KINETIC_CHORD_READ_KERNEL_H
#define GRAZE_KINETIC_CHORD_READ_KERNEL_H

#include "chord_fit_kernel.h"

// Tightens a node of the bottom, which is there as the interval's chords have it at `time`, a multiple of 2^-24 above 0 and below
// 1. Start and end: the node at the interval's ends.
GRZ_DECLARE_KERNEL(void, grzChordTighten,
                   (const ChordJob* job, uint32_t index, ChordLeaves leaves, const grzBvhNode* start,
                    const grzBvhNode* end, float time, grzBvhNode* node));

#endif
