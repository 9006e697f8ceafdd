// Runs a scene's steps without a clock: what its outcome is, and how deep its bodies ever lie in each other.
#ifndef GRAZE_BENCH_STEP_WATCH_H
#define GRAZE_BENCH_STEP_WATCH_H

#include "step_overlap.h"
#include "step_world.h"

// Our steps, on three workers. False after Bench_Fail; the overlap is to be released all the same.
typedef struct StepWatch {
    uint64_t digest; // after the last step
    size_t n;        // bodies, without those of a described scene that are fixed
    StepOverlap overlap;
} StepWatch;

bool StepWatch_Run(Bench* bench, const StepSource* source, StepWatch* watch);

#if defined(GRAZE_PEERS)
#    include "peer_step.h"

// A peer's steps of a described scene. Likewise.
bool StepWatch_RunPeer(Bench* bench, const StepSource* source, const PeerStep* peer, StepOverlap* overlap);
#endif

#endif
