// What: the pairs of triangles that two models must give, found without a hierarchy in the frame that graze/model_pair.h
// states.
#ifndef GRAZE_TESTS_MODEL_TESTING_H
#define GRAZE_TESTS_MODEL_TESTING_H

#include "graze/model_pair.h"
#include "model_mesh_testing.h"

// B's mesh as A sees it: its vertices are those of the contract. freeMesh gives it back.
ModelMesh bringIntoA(const ModelMesh* mesh, const grzModelQuery* query);

// Every pair of triangles that meets, as keys in ascending order: by a sweep along x and the exact test. B's vertices
// are those of the contract. The caller frees the keys.
typedef struct Expected {
    uint64_t* keys;
    size_t count, capacity;
} Expected;

Expected findExpected(const ModelMesh* a, const ModelMesh* b, const grzModelQuery* query);

static inline uint64_t keyOf(const grzTrianglePair* pair) {
    return (uint64_t)pair->triangleA << 32 | pair->triangleB;
}

#endif
