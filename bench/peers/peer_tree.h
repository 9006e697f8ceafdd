// The trees of installed engines, built over boxes and asked what overlaps. Only in builds with GRAZE_PEERS.
#ifndef GRAZE_BENCH_PEER_TREE_H
#define GRAZE_BENCH_PEER_TREE_H

#include "graze/linmath.h"
#include "graze/tree_query.h"

GRZ_EXTERN_C_BEGIN

// What the last batch found: the boxes' indices, query after query.
typedef struct PeerHits {
    const uint32_t* keys;
    const size_t* starts; // the hits of query i are [starts[i], starts[i + 1])
    size_t queryCount;
} PeerHits;

// Queries come as ours, and are answered one at a time. NULL: the engine has no such query.
typedef struct PeerTree {
    const char* name;
    void* (*create)(const grzBox* boxes, size_t count);
    void (*destroy)(void* tree);
    void (*tune)(void* tree); // what its authors would do before many queries
    void (*update)(void* tree, const grzBox* boxes, const uint32_t* moved, size_t movedCount);
    void (*boxes)(void* tree, const grzTreeQuery* queries, size_t count);
    void (*volumes)(void* tree, const grzTreeQuery* queries, size_t count);
    void (*rays)(void* tree, const grzTreeQuery* queries, size_t count);    // all hits
    void (*closest)(void* tree, const grzTreeQuery* queries, size_t count); // of each ray, the first hit if any
    PeerHits (*hits)(const void* tree);
} PeerTree;

extern const PeerTree peerBulletTree; // btDbvt without margins
extern const PeerTree peerEmbreeTree; // user geometry in a scene of medium quality

// Where a ray enters a box: the least t in 0 .. reach, or a negative number.
static inline float peerEnterBox(const grzBox* box, const float origin[3], const float inverse[3], float reach) {
    const float lower[3] = {box->lower.x, box->lower.y, box->lower.z};
    const float upper[3] = {box->upper.x, box->upper.y, box->upper.z};
    float enter = 0, leave = reach;
    for (int axis = 0; axis < 3; ++axis) {
        const float t0 = (lower[axis] - origin[axis]) * inverse[axis];
        const float t1 = (upper[axis] - origin[axis]) * inverse[axis];
        const float first = t0 < t1 ? t0 : t1, last = t0 < t1 ? t1 : t0;
        enter = first > enter ? first : enter;
        leave = last < leave ? last : leave;
    }
    return enter <= leave ? enter : -1.0f;
}

GRZ_EXTERN_C_END

#endif
