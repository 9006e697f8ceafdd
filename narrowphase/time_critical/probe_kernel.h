// What: the walk of time-critical queries: that of grzModels_Touch in another order, with a bound on its steps, that can
//   go on where it stopped. See kernel.h for how it is built and picked.
// Promise: the walk visits the same pairs in the same order wherever it is interrupted, and ends with the answer of the
//   unbroken one. All numbers are the same at every SIMD level.
// Idea: the relative penetration of two boxes, their depth over the smaller one's size, predicts whether what is
//   inside intersects. It costs a division for eight pairs. While few pairs are open, the one with the greatest is next. That
//   takes a third of the steps less than the order of grzModels_Touch until a score ends the walk.
// Threads: reads the models; writes the walk.
#ifndef GRAZE_NARROWPHASE_PROBE_KERNEL_H
#define GRAZE_NARROWPHASE_PROBE_KERNEL_H

#include "model_columns.h"
#include "model_kernel.h"
#include "model_touch_stack.h"

#define PROBE_MOST_RATIO 4.0F // a greater relative penetration counts as this one

typedef enum ProbeEnd { probeIsOpen = 0, probeTouches, probeIsApart } ProbeEnd;

// The pair that is next is the deepest of all while no more than PROBE_COMPARED wait; beyond that it is the deepest of those that
// a step leaves, and of all where a step leaves none: to look through more of them at every step takes longer than it saves. Where
// more than PROBE_SORTED wait, the walk goes down as that of grzModels_Touch does and takes the last one. So what is behind these,
// and behind the children of one step, is bounded by model_touch_stack.h.
enum { PROBE_COMPARED = 16, PROBE_SORTED = 64, PROBE_STACK_SIZE = PROBE_SORTED + GRZ_BVH_WIDTH + TOUCH_STACK_SIZE };

// Pairs of boxes (Ref), as in TouchStack.
typedef struct ProbeStack {
    int32_t first[PROBE_STACK_SIZE], second[PROBE_STACK_SIZE];
    int32_t ratios
        [PROBE_STACK_SIZE]; // relative penetrations, as the bits of floats; zeros in the eight behind the last
    uint32_t count;
} ProbeStack;

typedef struct ProbeWalk {
    ModelSearch search;
    ProbeStack stack;
    Ref first, second; // the pair that is next
    float ratio;       // its relative penetration
    float deepest;     // the greatest so far
    float openSum;     // of all open pairs, where the last run ended
    float voteAbove;   // pairs with a greater relative penetration vote for a contact
    uint32_t votes;
    uint32_t work;      // boxes opened, pairs of leaves and pairs of triangles tested exactly: a unit each
    uint32_t leafPairs; // of these
    uint32_t undecided; // of the leaves that are next: triangles that floats do not decide, lanes of `waiting`
    Waiting waiting;
    ProbeEnd end;
} ProbeWalk;

// Whether the next unit is an exact test, which may take a hundred times as long as another one.
static inline bool grzProbeWalk_IsSlowNext(const ProbeWalk* walk) {
    return walk->undecided != 0;
}

// Goes on until the work is `last`, the next unit is slow and isFast, or the answer is there.
// Both models have triangles; the walk is open.
GRZ_DECLARE_KERNEL(void, grzProbeWalk, (ProbeWalk * walk, uint32_t last, bool isFast));

#endif
