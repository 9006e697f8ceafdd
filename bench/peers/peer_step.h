// The steps of installed engines. Only in builds with GRAZE_PEERS.
#ifndef GRAZE_BENCH_PEER_STEP_H
#define GRAZE_BENCH_PEER_STEP_H

#include "step_scene.h"

GRZ_EXTERN_C_BEGIN

typedef struct PeerStep {
    const char* name;
    void* (*create)(const StepScene* scene);
    void (*destroy)(void* peer);
    void (*step)(void* peer); // STEP_SECONDS
    // Of all bodies of the scene, in its order.
    void (*read)(const void* peer, StepPose* poses);
} PeerStep;

// btDiscreteDynamicsWorld, 10 iterations, no sleeping, margins and all else as it comes.
extern const PeerStep peerBulletStep;

GRZ_EXTERN_C_END

#endif
