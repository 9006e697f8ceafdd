// Meshes for tests of models, and their models.
#ifndef GRAZE_TESTS_MODEL_MESH_TESTING_H
#define GRAZE_TESTS_MODEL_MESH_TESTING_H

#include "testing.h"

#include "graze/model.h"
#include "mesh_data.h"

typedef struct ModelMesh {
    float* positions;
    uint32_t* triangles;
    size_t vertexCount, triangleCount;
} ModelMesh;

// All zeros; to be filled in. freeMesh gives it back.
ModelMesh makeMesh(size_t vertexCount, size_t triangleCount);
void freeMesh(ModelMesh* mesh);

// What was made or read, in floats; releases it.
ModelMesh takeMeshData(MeshData* data);

// With the def's other fields as they are by default.
grzModelDef makeDef(const ModelMesh* mesh);
grzModel* makeModel(const ModelMesh* mesh);
void cornersOf(const ModelMesh* mesh, size_t triangle, grzVec3 corners[3]);

#endif
