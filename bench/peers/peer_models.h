// The mesh against mesh tests of installed engines. Only in builds with GRAZE_PEERS.
//
// A peer is made of one mesh and asked about two copies of it. All work in floats. How they bring the two into one frame is
// their own affair, and their test of triangles is not exact, so where triangles barely touch answers may differ.
#ifndef GRAZE_BENCH_PEER_MODELS_H
#define GRAZE_BENCH_PEER_MODELS_H

#include "graze/linmath.h"
#include "graze/records.h"

GRZ_EXTERN_C_BEGIN

typedef struct PeerMesh {
    const float* positions; // tight; live as long as the peer
    const uint32_t* triangles;
    size_t vertexCount, triangleCount;
} PeerMesh;

typedef struct PeerModels {
    const char* name;
    void* (*create)(const PeerMesh* mesh);
    void (*destroy)(void* peer);
    bool (*touch)(void* peer, const grzTransform* a, const grzTransform* b);
    // All pairs of triangles that meet, a of the first copy, b of the second, in any order; good until the next.
    const grzBodyPair* (*find)(void* peer, const grzTransform* a, const grzTransform* b, size_t* count);
} PeerModels;

extern const PeerModels peerFclModels; // OBBRSS
#if defined(GRAZE_OPCODE)
extern const PeerModels peerOpcodeModels;         // OPCODE as it is in ODE's library, asked as ODE asks it
extern const PeerModels peerOpcodeCoherentModels; // and it tries the pair that touched last first
#endif

GRZ_EXTERN_C_END

#endif
