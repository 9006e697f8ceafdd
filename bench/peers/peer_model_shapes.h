// Rays and convex shapes against a mesh, as installed engines do it. Only in builds with GRAZE_PEERS.
//
// The mesh stands at the origin; shapes have poses. All work in the precision that they are made for, and their tests of
// triangles have tolerances, so where something barely touches answers may differ.
#ifndef GRAZE_BENCH_PEER_MODEL_SHAPES_H
#define GRAZE_BENCH_PEER_MODEL_SHAPES_H

#include "graze/convex.h"
#include "peer_models.h"

GRZ_EXTERN_C_BEGIN

typedef struct PeerRay {
    grzVec3 origin, direction;
} PeerRay;

typedef struct PeerRays {
    const char* name;
    void* (*create)(const PeerMesh* mesh);
    void (*destroy)(void* peer);
    // The t of each ray's first hit from either side, up to t = 1; -1 where there is none.
    void (*cast)(void* peer, const PeerRay* rays, size_t count, float* times);
} PeerRays;

extern const PeerRays peerEmbreeRays; // rtcIntersect1, robust
extern const PeerRays peerBulletRays; // btBvhTriangleMeshShape

typedef struct PeerShapes {
    const char* name;
    // NULL where the peer has no such shape. Capsules lie along z about their origin, boxes about it.
    void* (*create)(const PeerMesh* mesh, const grzConvex* shape);
    void (*destroy)(void* peer);
    void (*run)(void* peer, const grzTransform* poses, size_t count, uint8_t* touches); // 1: no, 2: yes
} PeerShapes;

extern const PeerShapes peerFclShapes; // whether they collide, no contacts; OBBRSS
extern const PeerShapes peerOdeShapes; // dCollide: contacts

GRZ_EXTERN_C_END

#endif
