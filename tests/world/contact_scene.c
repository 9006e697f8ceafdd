#include "contact_scene.h"

#include <math.h>

#include "testing.h"

#define MARGIN 0.02f
// How far a pair may have moved or turned for its touch to be kept: as in Box3D, 5 cm and 10 degrees.
#define RECYCLE_DISTANCE 0.05f
#define RECYCLE_COSINE   0.99619f // of half the angle

Scene* makeContactScene(grzAllocator allocator) {
    Scene* scene = calloc(1, sizeof *scene);
    assert_non_null(scene);
    assert_int_equal(grzContactSolver_Create(allocator, &scene->solver).status, grz_ok);
    scene->friction = 0.6f;
    scene->step.settings = (grzSolverSettings){.timeStep = 1.0f / 60.0f,
                                               .substepCount = 4,
                                               .gravity = grzVec3_Make(0, -10, 0),
                                               .contactHertz = 35,
                                               .contactDampingRatio = 10,
                                               .pushSpeed = 3,
                                               .restitutionThreshold = 1};
    return scene;
}

void freeScene(Scene* scene) {
    grzContactSolver_Destroy(scene->solver);
    free(scene);
}

static uint32_t addBody(Scene* scene, grzVec3 center, grzConvex shape, float density) {
    assert_true(scene->bodyCount < SCENE_BODIES);
    const uint32_t body = scene->bodyCount++;
    scene->shapes[body] = shape;
    scene->states[body].center = center;
    scene->states[body].rotation = grzQuat_Identity();
    grzBodyMass* mass = &scene->masses[body];
    if (density > 0) {
        const grzMass own = grzConvex_Mass(&shape);
        mass->inverseMass = (float)(1 / ((double)density * own.volume));
        mass->inverseInertia[0] = (float)(1 / ((double)density * own.diagonal.x));
        mass->inverseInertia[1] = (float)(1 / ((double)density * own.diagonal.y));
        mass->inverseInertia[2] = (float)(1 / ((double)density * own.diagonal.z));
        mass->gravityScale = 1;
        mass->flags = grz_bodyMoves | grz_bodyYields;
    }
    return body;
}

uint32_t addBox(Scene* scene, grzVec3 center, grzVec3 halfExtent, float density) {
    return addBody(scene, center, grzMakeBox(grzVec3_Zero(), halfExtent), density);
}

uint32_t addBall(Scene* scene, grzVec3 center, float radius, float density) {
    return addBody(scene, center, grzMakeSphere(grzVec3_Zero(), radius), density);
}

void makeKinematic(Scene* scene, uint32_t body, grzVec3 velocity, grzVec3 spin) {
    scene->masses[body] = (grzBodyMass){.flags = grz_bodyMoves};
    scene->states[body].velocity = velocity;
    scene->states[body].spin = spin;
}

static SceneTouchCache cacheOf(const Scene* scene, const grzTouch* touch) {
    const grzBodyState *a = &scene->states[touch->bodyA], *b = &scene->states[touch->bodyB];
    return (SceneTouchCache){.rotationA = a->rotation,
                             .rotationB = b->rotation,
                             .apart = grzQuat_RotateInverse(a->rotation, grzSub(b->center, a->center))};
}

static grzTouch* oldTouch(grzTouch* old, uint32_t oldCount, uint32_t a, uint32_t b) {
    for (uint32_t i = 0; i < oldCount; ++i)
        if (old[i].bodyA == a && old[i].bodyB == b)
            return &old[i];
    return NULL;
}

static bool canRecycle(const Scene* scene, const grzTouch* touch, const SceneTouchCache* cache) {
    const SceneTouchCache now = cacheOf(scene, touch);
    return grzDistance(now.apart, cache->apart) < RECYCLE_DISTANCE &&
           fabsf(grzQuat_Dot(now.rotationA, cache->rotationA)) > RECYCLE_COSINE &&
           fabsf(grzQuat_Dot(now.rotationB, cache->rotationB)) > RECYCLE_COSINE;
}

static void recycle(const Scene* scene, grzTouch* touch, const SceneTouchCache* cache) {
    const grzBodyState *a = &scene->states[touch->bodyA], *b = &scene->states[touch->bodyB];
    for (uint32_t i = 0; i < touch->pointCount; ++i) {
        grzTouchPoint* point = &touch->points[i];
        grzVec3 armA =
            grzQuat_Rotate(a->rotation, grzQuat_RotateInverse(cache->rotationA, grzVec3_Load(point->anchorA)));
        grzVec3 armB =
            grzQuat_Rotate(b->rotation, grzQuat_RotateInverse(cache->rotationB, grzVec3_Load(point->anchorB)));
        grzVec3 apart = grzAdd(grzSub(b->center, a->center), grzSub(armB, armA));
        point->separation = point->found + grzDot(touch->normal, apart);
    }
}

static void carryImpulses(const grzTouch* old, const grzTouchName* oldNames, grzTouch* touch,
                          const grzTouchName* names) {
    touch->memory = old->memory;
    for (uint32_t i = 0; i < touch->pointCount; ++i)
        for (uint32_t k = 0; k < old->pointCount; ++k) {
            grzTouchPoint* point = &touch->points[i];
            const grzTouchPoint* before = &old->points[k];
            if (memcmp(&oldNames[k], &names[i], sizeof *names) != 0)
                continue;
            point->normalImpulse = before->normalImpulse;
            point->frictionImpulse[0] = before->frictionImpulse[0];
            point->frictionImpulse[1] = before->frictionImpulse[1];
        }
}

static bool makeTouch(const Scene* scene, uint32_t a, uint32_t b, grzTouch* touch, grzTouchName* names) {
    const grzBodyState *stateA = &scene->states[a], *stateB = &scene->states[b];
    grzManifold manifold;
    grzResult result = grzConvex_Collide(&scene->shapes[a], grzTransform_FromQuat(stateA->rotation, stateA->center),
                                         &scene->shapes[b], grzTransform_FromQuat(stateB->rotation, stateB->center),
                                         MARGIN, &manifold);
    assert_int_equal(result.status, grz_ok);
    if (manifold.pointCount == 0)
        return false;
    memset(touch, 0, sizeof *touch);
    touch->bodyA = a;
    touch->bodyB = b;
    touch->pointCount = manifold.pointCount;
    touch->normal = manifold.normal;
    touch->friction = scene->friction;
    touch->restitution = scene->restitution;
    for (uint32_t i = 0; i < touch->pointCount; ++i) {
        const grzManifoldPoint* from = &manifold.points[i];
        grzTouchPoint* point = &touch->points[i];
        grzVec3_Store(point->anchorA, grzSub(from->point, stateA->center));
        grzVec3_Store(point->anchorB, grzSub(from->point, stateB->center));
        point->found = point->separation = from->separation;
        names[i] = (grzTouchName){from->featureA, from->featureB, from->ordinal, 0};
    }
    return true;
}

static void touchPair(Scene* scene, uint32_t a, uint32_t b, grzTouch* old, const SceneTouchCache* caches,
                      uint32_t oldCount) {
    assert_true(scene->touchCount < SCENE_TOUCHES);
    grzTouch* touch = &scene->touches[scene->touchCount];
    SceneTouchCache* cache = &scene->caches[scene->touchCount];
    grzTouch* before = oldTouch(old, oldCount, a, b);
    if (before != NULL && canRecycle(scene, before, &caches[before - old])) {
        *touch = *before;
        *cache = caches[before - old];
        recycle(scene, touch, cache);
        scene->touchCount++;
        return;
    }
    grzTouchName names[GRZ_TOUCH_MOST_POINTS];
    if (!makeTouch(scene, a, b, touch, names))
        return;
    *cache = cacheOf(scene, touch);
    memcpy(cache->names, names, touch->pointCount * sizeof *names);
    if (before != NULL)
        carryImpulses(before, caches[before - old].names, touch, names);
    scene->touchCount++;
}

void findTouches(Scene* scene) {
    const uint32_t oldCount = scene->touchCount;
    grzTouch* old = malloc((oldCount + 1) * sizeof *old);
    SceneTouchCache* caches = malloc((oldCount + 1) * sizeof *caches);
    grzBox boxes[SCENE_BODIES];
    assert_true(old != NULL && caches != NULL);
    memcpy(old, scene->touches, oldCount * sizeof *old);
    memcpy(caches, scene->caches, oldCount * sizeof *caches);
    for (uint32_t i = 0; i < scene->bodyCount; ++i) {
        boxes[i] = grzConvex_Box(&scene->shapes[i],
                                 grzTransform_FromQuat(scene->states[i].rotation, scene->states[i].center));
        boxes[i].lower = grzSub(boxes[i].lower, grzVec3_Splat(MARGIN / 2));
        boxes[i].upper = grzAdd(boxes[i].upper, grzVec3_Splat(MARGIN / 2));
    }
    scene->touchCount = 0;
    for (uint32_t a = 0; a < scene->bodyCount; ++a)
        for (uint32_t b = a + 1; b < scene->bodyCount; ++b)
            if (((scene->masses[a].flags | scene->masses[b].flags) & grz_bodyYields) != 0 &&
                grzBox_Overlap(boxes[a], boxes[b]))
                touchPair(scene, a, b, old, caches, oldCount);
    free(old);
    free(caches);
}

void stepScene(Scene* scene, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) {
        findTouches(scene);
        scene->step.states = scene->states;
        scene->step.masses = scene->masses;
        scene->step.bodyCount = scene->bodyCount;
        for (uint32_t k = 0; k < scene->touchCount; ++k)
            scene->places[k] = k * (uint32_t)(sizeof(grzTouch) / sizeof(grzTouchUnit));
        scene->step.units = (grzTouchUnit*)(void*)scene->touches;
        scene->step.places = scene->places;
        scene->step.touchCount = scene->touchCount;
        assert_int_equal(grzStep_Solve(scene->solver, &scene->step).status, grz_ok);
    }
}
