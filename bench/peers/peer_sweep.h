// First touches of moving bodies by installed engines. Only in builds with GRAZE_PEERS.
#ifndef GRAZE_BENCH_PEER_SWEEP_H
#define GRAZE_BENCH_PEER_SWEEP_H

#include "graze/sweep.h"
#include "peer_models.h"

GRZ_EXTERN_C_BEGIN

#define PEER_SWEEP_FREE 2.0 // in place of a time

// What a peer is made for: shapes, or where there is a mesh, two copies of it. Motions are about the frames' origins. Capsules lie
// along z about theirs. Poses at both ends are taken over before the clock runs.
typedef struct PeerSweepScene {
    const grzSweepQuery* queries;
    const PeerMesh* mesh; // NULL: shapes
    size_t count;
    double toleranceOfTime, tolerance; // the one or the other
} PeerSweepScene;

typedef struct PeerSweep {
    const char* name;
    void* (*create)(const PeerSweepScene* scene); // NULL where the engine lacks it
    void (*destroy)(void* peer);
    void (*run)(void* peer, double* times); // all queries
} PeerSweep;

extern const PeerSweep peerBulletSweep; // btContinuousConvexCollision; no meshes
// Conservative advancement as in textbooks, on fcl::distance of meshes as swept spheres (RSS) in double.
extern const PeerSweep peerFclDistanceSweep;
// fcl::continuousCollide by conservative advancement, in double; meshes: RSS, which is for a count, as it misses touches.
extern const PeerSweep peerFclSweep;

GRZ_EXTERN_C_END

#endif
