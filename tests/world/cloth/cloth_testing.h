// Small worlds for tests of cloth: one cloth, a few bodies, the real solver.
#ifndef GRAZE_TESTS_CLOTH_TESTING_H
#define GRAZE_TESTS_CLOTH_TESTING_H

#include "body_ids.h"
#include "cloth_body.h"
#include "testing.h"

#define CLOTH_MOST_BODIES 8u

typedef struct ClothScene {
    grzMesh* mesh;
    grzClothBody* cloth;
    grzContactSolver* solver;
    grzBodyState states[CLOTH_MOST_BODIES]; // slot 0 is the cloth's, unless clothSlot says otherwise
    grzBodyMass masses[CLOTH_MOST_BODIES];
    grzCollider colliders[CLOTH_MOST_BODIES];
    uint32_t bodyCount; // slots
    uint32_t clothSlot;
    grzVec3 gravity;
    float timeStep, margin;
    uint32_t substepCount;
    grzTasks* tasks;
    grzAllocator allocator;
    grzResult collided; // of the last step
    bool isWorn;        // worn: nothing is stepped after a failure
} ClothScene;

// A flat sheet of rows x columns squares, two triangles each, in the plane y = 0, its middle at the origin.
grzMesh* clothSheet(uint32_t rows, uint32_t columns, float width, float depth);
grzMesh* clothMesh(const float* positions, uint32_t vertexCount, const uint32_t* triangles, uint32_t triangleCount);

// Default gravity, a sixtieth, 8 substeps; the mesh is the scene's from then on. def.mesh is set here.
void clothSceneBegin(ClothScene* scene, grzMesh* mesh, grzClothDef def);
void clothSceneEnd(ClothScene* scene);
// density 0: static; below: kinematic. Returns the slot.
uint32_t clothSceneAdd(ClothScene* scene, grzConvex shape, grzVec3 origin, grzQuat rotation, float density,
                       float friction);
grzResult clothSceneCollide(ClothScene* scene);
void clothSceneStep(ClothScene* scene);
void clothSceneRun(ClothScene* scene, uint32_t steps);
uint64_t clothSceneHash(const ClothScene* scene);

grzVec3 clothVertex(const ClothScene* scene, uint32_t vertex);
// Sum of mass times velocity, of the free vertices; and of mass.
grzVec3d clothMomentum(const ClothScene* scene, double* mass);
double clothLowest(const ClothScene* scene);

#endif
