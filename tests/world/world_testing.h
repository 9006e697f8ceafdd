// Worlds for tests: shapes and meshes that programs share, and short ways to fill a world and lead it on.
#ifndef GRAZE_TESTS_WORLD_TESTING_H
#define GRAZE_TESTS_WORLD_TESTING_H

#include "body_ids.h"
#include "convex_testing.h"
#include "graze/graze.h"
#include "graze/world_query.h"
#include "shapes.h"

// Made once for a program: a group's set-up and tear-down, which make the hulls of convex_testing.h as well.
typedef struct WorldKit {
    // Closed; within 0.5 of the origin on each axis.
    grzMesh *ball, *ring, *crate;
    grzMeshShape *ballShape, *ringShape, *crateShape;
    // Open, in y = 0: 20 x 20 around the origin, of 8 x 8 squares; and 2 x 2, of 10 x 10 squares.
    grzMesh *ground, *sheet;
    grzMeshShape* groundShape;
} WorldKit;

extern WorldKit g_kit;
int makeWorldKit(void** state);
int destroyWorldKit(void** state);

// Fails the test with the result's sentence.
void mustBe(grzResult result, grzStatus status);
void must(grzResult result);

// A generated mesh, scaled along each axis; a flat square one of size x size in y = 0; and what a body makes of a mesh.
grzMesh* scaledShapeMesh(ShapeKind kind, size_t triangles, grzVec3 scale);
grzMesh* squareGridMesh(size_t squares, float size);
grzMeshShape* meshShapeOf(const grzMesh* mesh);

grzWorld* makeWorld(grzTasks* tasks);
grzTasks* makeTasks(uint32_t workerCount);
grzBodyId addBody(grzWorld* world, const grzBodyDef* def);
// Of default material.
grzBodyId addShape(grzWorld* world, grzBodyKind kind, grzConvex shape, grzVec3 origin);
grzBodyId addMesh(grzWorld* world, grzBodyKind kind, const grzMeshShape* mesh, grzVec3 origin);
// A large static box with its top in y = 0.
grzBodyId addFloor(grzWorld* world, float friction);
grzBodyId addCloth(grzWorld* world, grzVec3 origin, const uint32_t* pins, uint32_t pinCount);
extern uint32_t g_animatedWays; // of the upkeeps of addAnimated; 0: the usual ones
grzBodyId addAnimated(grzWorld* world, const grzMesh* mesh, grzAnimatedMotion motion);

// A step of a sixtieth of a second; and steps with grzWorld_Validate after each.
void stepOnce(grzWorld* world);
void stepWorld(grzWorld* world, uint32_t count);
grzBodyView viewOf(const grzWorld* world, grzBodyId id);
grzTransform poseOf(const grzBodyView* view);
// The positions of a mesh, each scaled on every axis and moved: a key frame. Good until the next call.
const float* movedPositions(const grzMesh* mesh, grzVec3 scale, grzVec3 shift);

typedef enum WorldMix {
    mixShapes,   // all convex shapes on a floor
    mixMeshes,   // mesh bodies and shapes on a mesh
    mixCloth,    // a cloth falls on shapes, with shapes on it
    mixAnimated, // a keyframed mesh among shapes
    mixAll,      // all of these near each other
} WorldMix;

enum { MIX_COUNT = 5 };
// A scene of some `count` bodies, the same for the same arguments on every machine.
void fillWorld(grzWorld* world, WorldMix mix, uint32_t count, uint64_t seed);

#endif
