// Random meshes, models of them, and poses for the tests of queries on one model.
#ifndef GRAZE_TESTS_MODEL_QUERY_TESTING_H
#define GRAZE_TESTS_MODEL_QUERY_TESTING_H

#include "testing.h"

#include "graze/model.h"
#include "rng.h"
#include "shapes.h"

extern grzRng g_rng;

float draw(float lower, float upper);
grzVec3 drawVector(float reach); // in a cube of that half side
grzMat3 drawRotation(void);
grzTransform drawRigid(void);
grzTransform drawAffine(void); // a rotation, a scale of 0.2 to 2 on each axis of the mesh, mirrored as often as not

typedef struct TestMesh {
    float* positions;
    uint32_t* triangles;
    size_t vertexCount, triangleCount;
} TestMesh;

TestMesh makeTestMesh(size_t vertexCount, size_t triangleCount);
void freeTestMesh(TestMesh* mesh);

// Triangles of a size, anywhere in a cube of half side 1; on a lattice where `step` is not 0, so that many touch or have no
// area. One in twelve has an index twice.
TestMesh makeSoup(size_t triangleCount, float size, float step);
TestMesh makeShapeMesh(ShapeKind kind, size_t count);

grzModelDef makeTestDef(const TestMesh* mesh);
grzModel* makeTestModel(const TestMesh* mesh, grzBvhBuilder builder);
void cornersOf(const TestMesh* mesh, size_t triangle, grzVec3 corners[3]);

// Runs at every SIMD level that the machine has.
void forEachLevel(void (*run)(void));

grzTasks* makeTestTasks(uint32_t workers);

#endif
