// Bullet as a peer, by functions that C can call. Only in builds with GRAZE_PEERS.
#ifndef GRAZE_BENCH_PEER_BULLET_H
#define GRAZE_BENCH_PEER_BULLET_H

#include "graze/linmath.h"

GRZ_EXTERN_C_BEGIN

// Points and results are taken as Bullet's own vectors, 16 bytes each and 16-aligned, so that nothing is converted
// in the loop.
void peerBulletTransform(const grzTransform* transform, const grzVec3* points, grzVec3* results, size_t count);
void peerBulletRotate(const grzQuat* rotation, const grzVec3* points, grzVec3* results, size_t count);

GRZ_EXTERN_C_END

#endif
