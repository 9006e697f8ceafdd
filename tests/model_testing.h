// What: meshes for tests of models, and the pairs of triangles that two of them must give, found without a hierarchy in
// the frame that graze/model_pair.h states.
#ifndef GRAZE_TESTS_MODEL_TESTING_H
#define GRAZE_TESTS_MODEL_TESTING_H

#include "testing.h"

#include "graze/model_pair.h"

typedef struct ModelMesh {
    float* positions;
    uint32_t* triangles;
    size_t vertexCount, triangleCount;
} ModelMesh;

// All zeros; to be filled in. freeMesh gives it back.
ModelMesh makeMesh(size_t vertexCount, size_t triangleCount);
void freeMesh(ModelMesh* mesh);

// With the def's other fields as they are by default.
grzModelDef makeDef(const ModelMesh* mesh);
grzModel* makeModel(const ModelMesh* mesh);

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
