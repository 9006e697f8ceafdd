// The narrow phases of installed engines, asked for contacts of pairs of convex shapes. Only in builds with
// GRAZE_PEERS.
//
// The answer for a pair is its depth, the deepest of the contact points that the engine makes for its solver; making
// those points is part of the work and timed.
#ifndef GRAZE_BENCH_PEER_CONVEX_H
#define GRAZE_BENCH_PEER_CONVEX_H

#include "graze/convex_pairs.h"

GRZ_EXTERN_C_BEGIN

// In place of a depth: the two do not touch.
#define PEER_CONVEX_APART (-1.0f)

// What a peer is made for: shape A of pair i is shapesA[i] at posesA[i]. Its own shapes are made before the clock
// runs; poses are taken over then, too, where an engine keeps them in its objects.
typedef struct PeerConvexScene {
    const grzConvex* shapesA;
    const grzConvex* shapesB;
    const grzTransform* posesA;
    const grzTransform* posesB;
    size_t count;
} PeerConvexScene;

typedef struct PeerConvex {
    const char* name;
    void* (*create)(const PeerConvexScene* scene); // NULL where the engine lacks a kind of the scene
    void (*destroy)(void* peer);
    void (*run)(void* peer, float* depths); // all pairs
} PeerConvex;

extern const PeerConvex
    peerBulletConvex;                  // btBoxBoxDetector; others: btGjkPairDetector with btGjkEpa; not all kinds
extern const PeerConvex peerFclConvex; // fcl::collide in double, with libccd
extern const PeerConvex peerOdeConvex; // dCollide: dBoxBox2, capsule and box; no hulls

GRZ_EXTERN_C_END

#endif
