// What: the box of a chunk of triangles from its vertices, without its nodes. See kernel.h for how it is built and picked.
#ifndef GRAZE_KINETIC_CHORD_ROOT_KERNEL_H
#define GRAZE_KINETIC_CHORD_ROOT_KERNEL_H

#include "chord_lazy.h"
#include "kernel.h"

typedef struct ChordRootJob {
    const float* positions;
    size_t stride;       // in floats
    const uint32_t* map; // from the tree's numbers to those of the positions; NULL: they are the same
    const ChordRange* ranges;
    const uint32_t* others;
} ChordRootJob;

// False where a side is a zero and the chunk has zeros of both signs on that axis: which of them a refit comes to depends on
// the order of its minima, which this has not. Else the box is a refit's to the byte; the fourth lanes are rubbish.
GRZ_DECLARE_KERNEL(bool, grzChordRoot, (const ChordRootJob* job, uint32_t chunk, float lower[4], float upper[4]));

#endif
