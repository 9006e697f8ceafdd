// What: two copies of a mesh at random poses, half of which meet: van den Bergen's protocol.
//
// Rotations are uniform (Shoemake); the meshes are centred on their boxes and each one's origin lies anywhere in a cube,
// whose side is found by bisection so that about half of the poses meet.
#ifndef GRAZE_BENCH_MODEL_SCENE_H
#define GRAZE_BENCH_MODEL_SCENE_H

#include "bench.h"
#include "graze/model_pair.h"

typedef struct ModelScene {
    const char* name;
    float* positions; // tight
    uint32_t* triangles;
    size_t vertexCount, triangleCount;
    grzModel* model;
    grzModelQuery* queries; // of the model with itself
    size_t queryCount;
    size_t hits; // of the queries
    float size;  // the largest extent of the mesh's box
} ModelScene;

// The mesh of --mesh, else a torus of about n triangles. False after Bench_Fail; to be released all the same.
bool ModelScene_Make(Bench* bench, size_t n, size_t queryCount, ModelScene* scene);
// A sphere of a few triangles, whatever --mesh says; likewise.
bool ModelScene_MakeSmall(Bench* bench, size_t queryCount, ModelScene* scene);
void ModelScene_Release(Bench* bench, ModelScene* scene);

#endif
