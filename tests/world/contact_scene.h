// Scenes for the contact solver: bodies of spheres and boxes, and a plain maker of touches: all pairs, manifolds of
// the narrow phase, and touches kept while the relative pose has hardly changed.
#ifndef GRAZE_TESTS_CONTACT_SCENE_H
#define GRAZE_TESTS_CONTACT_SCENE_H

#include "graze/convex_pairs.h"
#include "touch.h"

enum { SCENE_BODIES = 256, SCENE_TOUCHES = 1024 };

typedef struct SceneTouchCache {
    grzQuat rotationA, rotationB;
    grzVec3 apart; // B's centre as A saw it
    grzTouchName names[GRZ_TOUCH_MOST_POINTS];
} SceneTouchCache;

typedef struct Scene {
    grzBodyState states[SCENE_BODIES];
    grzBodyMass masses[SCENE_BODIES];
    grzConvex shapes[SCENE_BODIES];
    uint32_t bodyCount;
    grzTouch touches[SCENE_TOUCHES];
    uint32_t places[SCENE_TOUCHES]; // of them, among units
    SceneTouchCache caches[SCENE_TOUCHES];
    uint32_t touchCount;
    float friction, restitution;
    grzContactSolver* solver;
    grzSolveInput step;
} Scene;

// Default settings: 1/60 s in four substeps, gravity 10 down along y. Null allocator: the default one.
Scene* makeContactScene(grzAllocator allocator);
void freeScene(Scene* scene);

// Density 0: static. Returns the body.
uint32_t addBox(Scene* scene, grzVec3 center, grzVec3 halfExtent, float density);
uint32_t addBall(Scene* scene, grzVec3 center, float radius, float density);
void makeKinematic(Scene* scene, uint32_t body, grzVec3 velocity, grzVec3 spin);

// The touches of the bodies as they are now, within 2 cm.
void findTouches(Scene* scene);
// Finds touches and runs the solver; fails the test where that fails.
void stepScene(Scene* scene, uint32_t count);

#endif
