// The triangle hierarchies of installed engines, refit and rebuilt. Only in builds with GRAZE_PEERS.
//
// Every engine reads the host's positions and triangles in place where it can; where it keeps copies in a form of
// its own, `load` makes that form, which is not timed, and taking it over is part of the refit, which is.
#ifndef GRAZE_BENCH_PEER_REFIT_H
#define GRAZE_BENCH_PEER_REFIT_H

#include "graze/linmath.h"

GRZ_EXTERN_C_BEGIN

// The arrays are the host's; behind the last position there is room for one more number.
typedef struct PeerMesh {
    const float* positions; // tight
    size_t vertexCount;
    const uint32_t* triangles;
    size_t triangleCount;
} PeerMesh;

typedef struct PeerRefit {
    const char* name;
    void* (*create)(const PeerMesh* mesh);
    void (*destroy)(void* peer);
    void (*load)(void* peer); // the positions have changed
    void (*refit)(void* peer);
    grzBox (*bounds)(void* peer); // of the whole tree, as the last refit left it
} PeerRefit;

extern const PeerRefit peerOdeRefit;      // OPCODE, by dGeomTriMeshDataUpdate
extern const PeerRefit peerEmbreeRefit;   // a geometry of quality REFIT in a scene of quality LOW
extern const PeerRefit peerEmbreeRebuild; // both LOW: a Morton build in every commit
extern const PeerRefit peerEmbreeSah;     // both MEDIUM: binned SAH in every commit
extern const PeerRefit peerFclRefit;      // BVHModel of AABB<float>, bottom up
extern const PeerRefit peerBulletRefit;   // btBvhTriangleMeshShape, not quantised

GRZ_EXTERN_C_END

#endif
