// The distance of two meshes by installed engines. Only in builds with GRAZE_PEERS.
#ifndef GRAZE_BENCH_PEER_MODEL_DISTANCE_H
#define GRAZE_BENCH_PEER_MODEL_DISTANCE_H

#include "peer_models.h"

GRZ_EXTERN_C_BEGIN

typedef struct PeerModelDistance {
    const char* name;
    void* (*create)(const PeerMesh* mesh);
    void (*destroy)(void* peer);
    double (*measure)(void* peer, const grzTransform* a,
                      const grzTransform* b); // of two copies; with nearest points
} PeerModelDistance;

#define PEER_MODEL_DISTANCES 3
extern const PeerModelDistance peerFclDistances[PEER_MODEL_DISTANCES];

GRZ_EXTERN_C_END

#endif
