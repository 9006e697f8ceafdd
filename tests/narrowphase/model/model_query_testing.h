// Random numbers, meshes, models of them and poses for the tests of queries on models.
#ifndef GRAZE_TESTS_MODEL_QUERY_TESTING_H
#define GRAZE_TESTS_MODEL_QUERY_TESTING_H

#include "graze/model_contact.h"
#include "model_mesh_testing.h"

#include "rng.h"
#include "shapes.h"

extern grzRng g_rng;

float draw(float lower, float upper);
grzVec3 drawVector(float reach); // in a cube of that half side
grzMat3 drawRotation(void);
grzTransform drawRigid(void);
grzTransform drawAffine(void); // a rotation, a scale of 0.2 to 2 on each axis of the mesh, mirrored as often as not
grzVec3 drawScale(void);       // of 0.2 to 2 on each axis, each mirrored as often as not

// Triangles of a size, anywhere in a cube of half side 1; on a lattice where `step` is not 0, so that many touch or have no
// area. One in twelve has an index twice.
ModelMesh makeSoup(size_t triangleCount, float size, float step);
ModelMesh makeShapeMesh(ShapeKind kind, size_t count);

grzModel* makeTestModel(const ModelMesh* mesh, grzBvhBuilder builder);

// A mesh, which it takes, with all that contacts with shapes ask of it.
typedef struct Ground {
    ModelMesh mesh;
    grzMesh* topology;
    grzModel* model;
    grzModelEdges* edges;
} Ground;

Ground bindMesh(ModelMesh mesh, grzBvhBuilder builder);
void freeGround(Ground* ground);

// Runs at every SIMD level that the machine has.
void forEachLevel(void (*run)(void));

// The same with 1, 2, 3 and 8 workers.
typedef void WorkersFn(grzTasks* tasks, void* context);
void forEachLevelAndWorkerCount(WorkersFn* run, void* context);

#endif
