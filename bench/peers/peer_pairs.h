// The broad phases of installed engines, asked for all overlapping pairs of a scene's boxes. Only in builds with
// GRAZE_PEERS.
//
// The answer is the exact set of overlapping pairs, as ours is: where an engine reports candidates (boxes with a
// margin, whole leaves, both orders of a pair), the callback tests the boxes themselves and keeps what overlaps.
// That test is part of using the engine, and is timed with it.
#ifndef GRAZE_BENCH_PEER_PAIRS_H
#define GRAZE_BENCH_PEER_PAIRS_H

#include "graze/linmath.h"
#include "graze/records.h"

GRZ_EXTERN_C_BEGIN

// What a peer is made for. The arrays are the host's and are read in every frame; boxes[i] is centers[i] with
// halves[i] on every side.
typedef struct PeerScene {
    const grzBox* boxes;
    const grzVec3* centers;
    const float* halves;
    size_t count;
    int threads;
    const uint32_t* moved; // the boxes that move in every frame; all others rest
    size_t movedCount;
} PeerScene;

typedef struct PeerPairs {
    const char* name;
    bool hasThreads; // can use more than one
    void* (*create)(const PeerScene* scene);
    void (*destroy)(void* peer);
    // Takes the moved boxes over from the scene and finds all pairs.
    void (*frame)(void* peer);
    // What the last frame found, in any order; good until the next.
    const grzBodyPair* (*pairs)(const void* peer, size_t* count);
} PeerPairs;

extern const PeerPairs peerEmbreePairs;       // rebuilds its tree, then rtcCollide with itself
extern const PeerPairs peerFclPairs;          // DynamicAABBTreeCollisionManager in floats
extern const PeerPairs peerBulletPairs;       // btDbvtBroadphase, deferred, without a pair cache
extern const PeerPairs peerBulletCachedPairs; // btDbvtBroadphase as it comes: pairs are kept in its hashed cache

static inline bool peerScene_Overlap(const PeerScene* scene, uint32_t a, uint32_t b) {
    return grzBox_Overlap(scene->boxes[a], scene->boxes[b]);
}

GRZ_EXTERN_C_END

#endif
