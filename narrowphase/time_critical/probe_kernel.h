// What: the walk of grzModels_Touch with a bound on its steps, that can go on where it stopped. See kernel.h for how
//   it is built and picked.
// Promise: the walk visits the same pairs in the same order wherever it is interrupted, and ends as the unbroken one
//   does. All numbers are the same at every SIMD level.
// Idea: the relative penetration of two boxes, their depth over the smaller one's size, predicts whether what is
//   inside meets. It costs a division for eight pairs.
// Threads: reads the models; writes the walk.
#ifndef GRAZE_NARROWPHASE_PROBE_KERNEL_H
#define GRAZE_NARROWPHASE_PROBE_KERNEL_H

#include "model_columns.h"
#include "model_kernel.h"
#include "model_touch_stack.h"

#define PROBE_MOST_RATIO 4.0F // a greater relative penetration counts as this one

typedef enum ProbeEnd { probeIsOpen = 0, probeTouches, probeIsApart } ProbeEnd;

typedef struct ProbeWalk {
    ModelSearch search;
    TouchStack stack;
    int32_t ratios[TOUCH_STACK_SIZE]; // relative penetrations of the stack's pairs, as the bits of floats
    Ref first, second;                // the pair that is next
    float ratio;                      // its relative penetration
    float deepest;                    // the greatest so far
    float deepestOpen;                // of the pairs that are open where the last run ended
    float voteAbove;                  // pairs with a greater relative penetration vote for a contact
    uint32_t votes;
    uint32_t votesWanted; // a run ends with so many
    uint32_t work;        // boxes opened, pairs of leaves and pairs of triangles tested exactly: a unit each
    uint32_t leafPairs;   // of these
    uint32_t undecided;   // of the leaves that are next: triangles that floats do not decide, lanes of `waiting`
    Waiting waiting;
    ProbeEnd end;
} ProbeWalk;

// Whether the next unit is an exact test, which may take a hundred times as long as another one.
static inline bool grzProbeWalk_IsSlowNext(const ProbeWalk* walk) {
    return walk->undecided != 0;
}

// Goes on until the work is `last`, the votes are there, the next unit is slow and isFast, or the answer is there.
// Both models have triangles; the walk is open.
GRZ_DECLARE_KERNEL(void, grzProbeWalk, (ProbeWalk * walk, uint32_t last, bool isFast));

#endif
