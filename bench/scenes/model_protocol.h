// What: two copies of a mesh at the poses of Klein and Zachmann's experiments.
//
// The mesh is scaled and moved into a cube of side 2 around the origin. The centres are 0 to 2.1 apart, in steps of
// 0.1, each with the same number of random orientations of both. Poses count only where the boxes around the meshes,
// turned with them, overlap. [Klein and Zachmann, Time-Critical Collision Detection Using an Average-Case Approach,
// VRST 2003] section 4
#ifndef GRAZE_BENCH_MODEL_PROTOCOL_H
#define GRAZE_BENCH_MODEL_PROTOCOL_H

#include "graze/model_pair.h"
#include "mesh_data.h"

enum { PROTOCOL_DISTANCES = 22 };

// Moves and scales the positions, rounds them to floats and makes a model of them.
grzResult ModelProtocol_MakeModel(const MeshData* mesh, grzModel** model);

// Writes the poses that count, distance by distance, to queries that has room for PROTOCOL_DISTANCES times
// `perDistance`; returns how many. starts[i]: the first query of distance i / 10; PROTOCOL_DISTANCES + 1 of them.
size_t ModelProtocol_Draw(const grzModel* model, uint64_t seed, size_t perDistance, grzModelQuery* queries,
                          size_t starts[PROTOCOL_DISTANCES + 1]);

// Puts queries into random order.
void ModelProtocol_Shuffle(grzModelQuery* queries, size_t count, uint64_t seed);

#endif
