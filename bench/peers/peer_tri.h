// Triangle tests of installed engines, for the stage "tritri".
#ifndef GRAZE_BENCH_PEER_TRI_H
#define GRAZE_BENCH_PEER_TRI_H

#include "graze/config.h"

GRZ_EXTERN_C_BEGIN

// 18 floats a pair: the corners of A, then of B. hits[i]: whether pair i meets, as FCL says in floats (its
// intersect_Triangle, without contact points: up to 17 separating axes).
void peerFclTriangles(const float* pairs, size_t count, uint8_t* hits);

GRZ_EXTERN_C_END

#endif
