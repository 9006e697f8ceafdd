// Known answers, the slow reference (contact_reference.h), and the same bytes for any workers and SIMD level.
#include <math.h>

#include "testing.h"

#include "contact_reference.h"
#include "contact_scene.h"
#include "graze/simd_level.h"
#include "rng.h"
#include "simd_dispatch.h"

#define STEP     (1.0f / 60.0f)
#define ROUNDING 1e-4f // how far a crowd may be from its reference in doubles, where nothing hangs on a rounding

static const grzAllocator usual = {NULL, NULL, NULL};

static grzVec3 vec(float x, float y, float z) {
    return grzVec3_Make(x, y, z);
}

static void assertNear(float value, float wanted, float tolerance) {
    if (!(fabsf(value - wanted) <= tolerance))
        fail_msg("%.9g is not within %g of %.9g", (double)value, (double)tolerance, (double)wanted);
}

static void assertNear3(grzVec3 value, grzVec3 wanted, float tolerance) {
    assertNear(value.x, wanted.x, tolerance);
    assertNear(value.y, wanted.y, tolerance);
    assertNear(value.z, wanted.z, tolerance);
}

// ---- Free bodies.

static void fallsFreely(void** state) {
    (void)state;
    Scene* scene = makeContactScene(usual);
    const uint32_t body = addBall(scene, vec(1, 100, -2), 0.5f, 2);
    scene->states[body].velocity = vec(3, 7, -1);
    stepScene(scene, 120);
    const float t = 2, h = STEP / 4; // in steps of h the velocity leads by half a step: y is short by g t h / 2
    assertNear3(scene->states[body].velocity, vec(3, 7 - 10 * t, -1), 1e-4f);
    assertNear3(scene->states[body].center, vec(1 + 3 * t, 100 + 7 * t - 5 * t * t - 5 * t * h, -2 - t), 1e-3f);
    assertNear3(scene->states[body].spin, grzVec3_Zero(), 0);
    freeScene(scene);
}

static void isDamped(void** state) {
    (void)state;
    Scene* scene = makeContactScene(usual);
    const uint32_t body = addBall(scene, grzVec3_Zero(), 0.5f, 1);
    scene->step.settings.gravity = grzVec3_Zero();
    scene->masses[body].linearDamping = 0.5f;
    scene->masses[body].angularDamping = 2;
    scene->states[body].velocity = vec(1, 2, 3);
    scene->states[body].spin = vec(-1, 2, 1);
    stepScene(scene, 60);
    assertNear3(scene->states[body].velocity, grzScale(vec(1, 2, 3), expf(-0.5f)), 2e-3f);
    assertNear3(scene->states[body].spin, grzScale(vec(-1, 2, 1), expf(-2)), 4e-3f);
    freeScene(scene);
}

static grzVec3 angularMomentum(const grzBodyState* state, const grzBodyMass* mass) {
    grzVec3 own = grzQuat_RotateInverse(state->rotation, state->spin);
    own = vec(own.x / mass->inverseInertia[0], own.y / mass->inverseInertia[1], own.z / mass->inverseInertia[2]);
    return grzQuat_Rotate(state->rotation, own);
}

// A body that tumbles.
static void keepsAngularMomentum(void** state) {
    (void)state;
    Scene* scene = makeContactScene(usual);
    const uint32_t body = addBox(scene, grzVec3_Zero(), vec(0.3f, 0.5f, 0.9f), 1);
    scene->step.settings.gravity = grzVec3_Zero();
    scene->masses[body].flags |= grz_bodyGyrates;
    scene->states[body].spin = vec(0.3f, 3, 0.2f);
    const grzVec3 before = angularMomentum(&scene->states[body], &scene->masses[body]),
                  spin = scene->states[body].spin;
    stepScene(scene, 120);
    const grzVec3 after = angularMomentum(&scene->states[body], &scene->masses[body]);
    assert_true(grzDistance(before, after) < 1e-4f * grzLength(before));
    assert_true(grzDistance(spin, scene->states[body].spin) > 0.3f); // it does tumble
    freeScene(scene);
}

static void turnsAtItsSpin(void** state) {
    (void)state;
    Scene* scene = makeContactScene(usual);
    const uint32_t body = addBall(scene, grzVec3_Zero(), 0.5f, 1);
    scene->step.settings.gravity = grzVec3_Zero();
    scene->states[body].rotation = grzQuat_FromAxisAngle(vec(0, 0, 1), 0.7f);
    scene->states[body].spin = vec(0, 1, 0);
    stepScene(scene, 60);
    grzQuat wanted =
        grzQuat_Multiply(grzQuat_FromAxisAngle(vec(0, 1, 0), 1), grzQuat_FromAxisAngle(vec(0, 0, 1), 0.7f));
    assertNear(fabsf(grzQuat_Dot(wanted, scene->states[body].rotation)), 1, 1e-5f);
    assertNear3(scene->states[body].spin, vec(0, 1, 0), 1e-4f);
    freeScene(scene);
}

// ---- Bodies on a floor.

static Scene* makeFloor(grzAllocator allocator) {
    Scene* scene = makeContactScene(allocator);
    addBox(scene, vec(0, -1, 0), vec(50, 1, 50), 0);
    return scene;
}

static void rests(void** state) {
    (void)state;
    Scene* scene = makeFloor(usual);
    const uint32_t body = addBox(scene, vec(0, 0.51f, 0), vec(0.5f, 0.5f, 0.5f), 1);
    stepScene(scene, 240);
    assertNear3(scene->states[body].center, vec(0, 0.5f, 0), 1e-3f);
    assertNear3(scene->states[body].velocity, grzVec3_Zero(), 1e-4f);
    assert_int_equal(scene->touchCount, 1);
    assert_int_equal(scene->touches[0].pointCount, 4);
    float sum = 0;
    for (uint32_t i = 0; i < 4; ++i)
        sum += scene->touches[0].points[i].normalImpulse;
    assertNear(sum, 10 * STEP / 4, 1e-3f * 10 * STEP / 4); // the weight, for a substep
    freeScene(scene);
}

static float slideFor(float slope, float friction) {
    Scene* scene = makeFloor(usual);
    const uint32_t body = addBox(scene, vec(0, 0.5f, 0), vec(0.5f, 0.5f, 0.5f), 1);
    scene->friction = friction;
    scene->step.settings.gravity = vec(10 * grzSin(slope), -10 * grzCos(slope), 0);
    stepScene(scene, 120);
    const float speed = scene->states[body].velocity.x;
    freeScene(scene);
    return speed;
}

static void slidesFromTheAngleOfFriction(void** state) {
    (void)state;
    const float angle = atanf(0.4f);
    assertNear(slideFor(angle - 0.01f, 0.4f), 0, 1e-3f);
    // Two seconds at g (sin - mu cos).
    const float steep = angle + 0.1f, wanted = 2 * 10 * (sinf(steep) - 0.4f * cosf(steep));
    assertNear(slideFor(steep, 0.4f), wanted, 0.03f * wanted);
}

// A box that spins on the floor is stopped by the twist of its friction, and not at once.
static void twistIsRubbedOff(void** state) {
    (void)state;
    Scene* scene = makeFloor(usual);
    const uint32_t body = addBox(scene, vec(0, 0.5f, 0), vec(0.5f, 0.5f, 0.5f), 1);
    scene->states[body].spin = vec(0, 6, 0);
    stepScene(scene, 6);
    // The four corners rub with mu m g at 0.707 m: dw/dt = 0.6 * 10 * 0.707 / (1 / 6).
    assertNear(scene->states[body].spin.y, 6 - 25.456f * 0.1f, 0.15f);
    stepScene(scene, 60);
    assertNear(scene->states[body].spin.y, 0, 1e-3f);
    assertNear(scene->states[body].velocity.x, 0, 1e-3f);
    freeScene(scene);
}

static void bounces(void** state) {
    (void)state;
    Scene* scene = makeFloor(usual);
    scene->restitution = 0.8f;
    const uint32_t body = addBall(scene, vec(0, 5.5f, 0), 0.5f, 1);
    float highest = 0;
    bool hasBounced = false;
    for (uint32_t i = 0; i < 200; ++i) {
        stepScene(scene, 1);
        hasBounced = hasBounced || scene->states[body].velocity.y > 1;
        if (hasBounced && scene->states[body].center.y - 0.5f > highest)
            highest = scene->states[body].center.y - 0.5f;
        if (hasBounced && scene->states[body].velocity.y < 0)
            break;
    }
    // Touches of these scenes are those within a fixed margin, so the ball is in the floor before it has one.
    assertNear(highest, 0.64f * 5, 0.05f);
    // Below the threshold nothing bounces.
    scene->states[body].center = vec(0, 0.51f, 0);
    scene->states[body].velocity = vec(0, -0.5f, 0);
    stepScene(scene, 3);
    assert_true(scene->states[body].velocity.y < 0.05f);
    freeScene(scene);
}

static void keepsMomentumInCollisions(void** state) {
    (void)state;
    Scene* scene = makeContactScene(usual);
    scene->step.settings.gravity = grzVec3_Zero();
    const uint32_t a = addBox(scene, vec(-1, 0.3f, 0.1f), vec(0.5f, 0.4f, 0.3f), 3);
    const uint32_t b = addBox(scene, vec(1, 0, 0), vec(0.6f, 0.5f, 0.5f), 1);
    scene->states[a].velocity = vec(4, 0, 0);
    scene->states[b].velocity = vec(-2, 0.5f, 0);
    scene->states[b].spin = vec(0, 0, 1);
    grzVec3 momentum[2], turning[2];
    for (int k = 0; k < 2; ++k) {
        momentum[k] = turning[k] = grzVec3_Zero();
        for (uint32_t i = a; i <= b; ++i) {
            const grzBodyState* body = &scene->states[i];
            grzVec3 own = grzScale(body->velocity, 1 / scene->masses[i].inverseMass);
            momentum[k] = grzAdd(momentum[k], own);
            turning[k] =
                grzAdd(turning[k], grzAdd(grzCross(body->center, own), angularMomentum(body, &scene->masses[i])));
        }
        if (k == 0)
            stepScene(scene, 20);
    }
    assert_true(scene->states[a].velocity.x < 3.9f); // they did meet
    assertNear3(momentum[1], momentum[0], 1e-4f * 8);
    assertNear3(turning[1], turning[0], 0.05f); // points slip a little while the touch is kept
    freeScene(scene);
}

static void stackStands(void** state) {
    (void)state;
    Scene* scene = makeFloor(usual);
    for (uint32_t i = 0; i < 10; ++i)
        addBox(scene, vec(0, 0.5f + (float)i, 0), vec(0.5f, 0.5f, 0.5f), 1);
    stepScene(scene, 1200);
    for (uint32_t i = 1; i <= 10; ++i) {
        assertNear3(scene->states[i].center, vec(0, scene->states[i].center.y, 0), 0.01f);
        assertNear(scene->states[i].center.y, (float)i - 0.5f,
                   0.004f * (float)i); // each touch gives a little under its load
        assert_true(grzLength(scene->states[i].velocity) < 2e-3f);
    }
    freeScene(scene);
}

// Boxes that lie across the joints of the row below, and side by side in the row: 120 of them.
static void wallStands(void** state) {
    (void)state;
    Scene* scene = makeFloor(usual);
    uint32_t apex = 0;
    for (uint32_t row = 0; row < 15; ++row)
        for (uint32_t i = 0; i + row < 15; ++i)
            apex = addBox(scene, vec((float)i + 0.5f * (float)row, 0.5f + (float)row, 0), vec(0.5f, 0.5f, 0.5f), 1);
    stepScene(scene, 200);
    assertNear(scene->states[apex].center.y, 14.5f, 0.05f);
    for (uint32_t i = 1; i <= apex; ++i) {
        assertNear(scene->states[i].center.z, 0, 0.01f);
        assert_true(grzLength(scene->states[i].velocity) < 0.02f);
    }
    freeScene(scene);
}

static void carriesAHundredfold(void** state) {
    (void)state;
    Scene* scene = makeFloor(usual);
    addBox(scene, vec(0, 0.5f, 0), vec(0.5f, 0.5f, 0.5f), 1);
    const uint32_t heavy = addBox(scene, vec(0, 1.5f, 0), vec(0.5f, 0.5f, 0.5f), 100);
    stepScene(scene, 300);
    assertNear3(scene->states[heavy].center, vec(0, 1.5f, 0), 0.06f);
    assert_true(grzLength(scene->states[heavy].velocity) < 0.02f);
    freeScene(scene);
}

// A plate that the host moves carries a crate along, and turns one that stands in its middle.
static void kinematicCarries(void** state) {
    (void)state;
    Scene* scene = makeContactScene(usual);
    const uint32_t plate = addBox(scene, vec(0, -0.5f, 0), vec(5, 0.5f, 5), 0);
    const uint32_t crate = addBox(scene, vec(0, 0.5f, 0), vec(0.5f, 0.5f, 0.5f), 1);
    makeKinematic(scene, plate, vec(0.5f, 0, 0), vec(0, 0.7f, 0));
    stepScene(scene, 60);
    assertNear3(scene->states[plate].center, vec(0.5f, -0.5f, 0), 1e-4f);
    const grzVec3 velocity = vec(0.5f, 0, 0), spin = vec(0, 0.7f, 0);
    assert_memory_equal(&scene->states[plate].velocity, &velocity, sizeof velocity);
    assert_memory_equal(&scene->states[plate].spin, &spin, sizeof spin);
    assertNear(scene->states[crate].velocity.x, 0.5f,
               0.06f); // it started beside the plate's motion, and turns about its middle
    assertNear(scene->states[crate].spin.y, 0.7f, 0.02f);
    freeScene(scene);
}

static void locksStay(void** state) {
    (void)state;
    Scene* scene = makeFloor(usual);
    const uint32_t body = addBox(scene, vec(0, 0.6f, 0), vec(0.5f, 0.5f, 0.5f), 1);
    scene->states[body].rotation = grzQuat_FromAxisAngle(vec(1, 0, 0), 0.2f);
    scene->masses[body].inverseInertia[0] = scene->masses[body].inverseInertia[1] =
        scene->masses[body].inverseInertia[2] = 0;
    const grzQuat before = scene->states[body].rotation;
    stepScene(scene, 120);
    assertNear(grzQuat_Dot(before, scene->states[body].rotation), 1, 1e-6f);
    assertNear(scene->states[body].velocity.y, 0, 1e-3f);
    freeScene(scene);
}

// ---- Touches without a scene: any bodies, normals, anchors.

typedef struct Crowd {
    grzBodyState* states;
    grzBodyMass* masses;
    grzTouch* touches;
    uint32_t bodyCount, touchCount;
} Crowd;

static float between(grzRng* rng, float lower, float upper) {
    return lower + (upper - lower) * grzRng_Float(rng);
}
static grzVec3 anyVec(grzRng* rng, float size) {
    const float x = between(rng, -size, size), y = between(rng, -size, size);
    return vec(x, y, between(rng, -size, size));
}

static void makeCrowdBody(grzRng* rng, bool mustYield, grzBodyState* state, grzBodyMass* mass) {
    memset(state, 0, sizeof *state);
    memset(mass, 0, sizeof *mass);
    state->center = anyVec(rng, 10);
    const grzVec3 axis = anyVec(rng, 1);
    state->rotation = grzQuat_Normalize(grzQuat_Make(axis.x, axis.y, axis.z, between(rng, 0.1f, 1)));
    state->velocity = anyVec(rng, 2);
    state->spin = anyVec(rng, 2);
    const uint32_t kind = mustYield ? 4 : grzRng_Below(rng, 10);
    mass->flags = kind == 0 ? 0 : kind == 1 ? grz_bodyMoves : grz_bodyMoves | grz_bodyYields;
    if (kind < 2)
        return;
    mass->inverseMass = between(rng, 0.5f, 2);
    const float x = between(rng, 1.0f / 18, 1.0f / 6), y = between(rng, 1.0f / 18, 1.0f / 6);
    const float z = between(rng, 1.0f / 18, 1.0f / 6); // mass times square of width: moments of a solid, 1/9 to 1/3
    mass->inverseInertia[0] = 1 / (y + z);
    mass->inverseInertia[1] = 1 / (z + x);
    mass->inverseInertia[2] = 1 / (x + y);
    mass->flags |= kind < 5 ? grz_bodyGyrates : 0;
    mass->gravityScale = between(rng, 0, 2);
    mass->linearDamping = between(rng, 0, 0.5f);
    mass->angularDamping = between(rng, 0, 0.5f);
}

// Deep, or too far apart to meet. A point that just meets ends a substep at 0, and whether it is pushed softly in
// the next one hangs on a rounding: no reference can say (agreesOnSingleTouches has those).
static float anySeparation(grzRng* rng) {
    return grzRng_Below(rng, 3) != 0 ? between(rng, -0.5f, -0.2f) : between(rng, 0.3f, 0.5f);
}

static void makeCrowdTouch(grzRng* rng, uint32_t a, uint32_t b, grzTouch* touch) {
    memset(touch, 0, sizeof *touch);
    touch->bodyA = a < b ? a : b;
    touch->bodyB = a < b ? b : a;
    touch->pointCount = 1 + grzRng_Below(rng, 4);
    touch->normal = grzNormalize(anyVec(rng, 1));
    touch->friction = between(rng, 0, 1);
    touch->restitution = grzRng_Below(rng, 3) == 0 ? between(rng, 0, 1) : 0;
    const grzVec3 apart = anyVec(rng, 0.5f); // of the centres
    for (uint32_t i = 0; i < touch->pointCount; ++i) {
        grzTouchPoint* point = &touch->points[i];
        const grzVec3 place = anyVec(rng, 0.5f);
        grzVec3_Store(point->anchorA, place); // the same point of space
        grzVec3_Store(point->anchorB, grzSub(place, apart));
        point->found = point->separation = anySeparation(rng);
        point->normalImpulse = grzRng_Below(rng, 2) == 0 ? between(rng, 0, 0.05f) : 0;
        point->frictionImpulse[0] = between(rng, -0.01f, 0.01f);
        point->frictionImpulse[1] = between(rng, -0.01f, 0.01f);
    }
}

static bool yields(const Crowd* crowd, uint32_t body) {
    return (crowd->masses[body].flags & grz_bodyYields) != 0;
}

static Crowd makeCrowd(uint64_t seed, uint32_t bodyCount, uint32_t touchCount) {
    grzRng rng = grzRng_Make(seed, 1);
    Crowd crowd = {malloc((bodyCount + 1) * sizeof(grzBodyState)), malloc((bodyCount + 1) * sizeof(grzBodyMass)),
                   malloc((touchCount + 1) * sizeof(grzTouch)), bodyCount, 0};
    for (uint32_t i = 0; i < bodyCount; ++i)
        makeCrowdBody(&rng, i == 0, &crowd.states[i], &crowd.masses[i]);
    while (crowd.touchCount < touchCount) {
        const uint32_t a = grzRng_Below(&rng, bodyCount), b = grzRng_Below(&rng, bodyCount);
        if (a != b && (yields(&crowd, a) || yields(&crowd, b)))
            makeCrowdTouch(&rng, a, b, &crowd.touches[crowd.touchCount++]);
    }
    return crowd;
}

static Crowd copyCrowd(const Crowd* from) {
    Crowd copy = makeCrowd(0, from->bodyCount, 0);
    copy.touches = realloc(copy.touches, (from->touchCount + 1) * sizeof(grzTouch));
    copy.touchCount = from->touchCount;
    memcpy(copy.states, from->states, from->bodyCount * sizeof(grzBodyState));
    memcpy(copy.masses, from->masses, from->bodyCount * sizeof(grzBodyMass));
    memcpy(copy.touches, from->touches, from->touchCount * sizeof(grzTouch));
    return copy;
}

static void freeCrowd(Crowd* crowd) {
    free(crowd->states);
    free(crowd->masses);
    free(crowd->touches);
}

static grzSolverSettings settings(void) {
    return (grzSolverSettings){STEP, 4, {1, -10, 2, 0}, 35, 10, 3, 1};
}

enum { TOUCH_UNITS = sizeof(grzTouch) / sizeof(grzTouchUnit) };

static grzResult runCrowd(grzContactSolver* solver, Crowd* crowd, grzTasks* tasks, const grzSubstepHook* hook) {
    uint32_t* places = malloc((crowd->touchCount + 1) * sizeof *places);
    for (uint32_t i = 0; i < crowd->touchCount; ++i)
        places[i] = TOUCH_UNITS * i;
    const grzSolveInput step = {.settings = settings(),
                                .states = crowd->states,
                                .masses = crowd->masses,
                                .bodyCount = crowd->bodyCount,
                                .touchCount = crowd->touchCount,
                                .units = (grzTouchUnit*)(void*)crowd->touches,
                                .places = places,
                                .hook = hook,
                                .tasks = tasks};
    const grzResult result = grzStep_Solve(solver, &step);
    free(places);
    return result;
}

static grzContactSolver* makeSolver(grzAllocator allocator) {
    grzContactSolver* solver;
    assert_int_equal(grzContactSolver_Create(allocator, &solver).status, grz_ok);
    return solver;
}

static void assertSameCrowd(const Crowd* a, const Crowd* b) {
    assert_memory_equal(a->states, b->states, a->bodyCount * sizeof(grzBodyState));
    if (a->touchCount != 0)
        assert_memory_equal(a->touches, b->touches, a->touchCount * sizeof(grzTouch));
}

static float greater(float a, float b) {
    return b <= a ? a : b; // b where it is a NaN
}

static float pointDifference(const grzTouchPoint* a, const grzTouchPoint* b) {
    float worst = fabsf(a->normalImpulse - b->normalImpulse);
    worst = greater(worst, fabsf(a->stepImpulse - b->stepImpulse));
    worst = greater(worst, fabsf(a->frictionImpulse[0] - b->frictionImpulse[0]));
    return greater(worst, fabsf(a->frictionImpulse[1] - b->frictionImpulse[1]));
}

// The worst difference of two crowds: of velocities and impulses; spins count a quarter, and places what they are
// worth in a step.
static float crowdDifference(const Crowd* a, const Crowd* b) {
    float worst = 0;
    for (uint32_t i = 0; i < a->bodyCount; ++i) {
        const grzBodyState *p = &a->states[i], *q = &b->states[i];
        worst = greater(worst, grzDistance(p->velocity, q->velocity));
        worst = greater(worst, 0.25f * grzDistance(p->spin, q->spin));
        worst = greater(worst, 10 * (grzDistance(p->center, q->center) - 4e-6f));
        worst = greater(worst, 10 * (fabsf(fabsf(grzQuat_Dot(p->rotation, q->rotation)) - 1) - 1e-6f));
    }
    for (uint32_t i = 0; i < a->touchCount; ++i)
        for (uint32_t k = 0; k < a->touches[i].pointCount; ++k)
            worst = greater(worst, pointDifference(&a->touches[i].points[k], &b->touches[i].points[k]));
    return worst;
}

// A body comes straight down on three or four points about its middle, in no order and unevenly far from it: it stops, it
// does not turn, and no point pulls. With restitution it goes back as it came. One side or both may yield.
static void blowIsTakenUpAtOnce(void** state) {
    (void)state;
    grzContactSolver* solver = makeSolver(usual);
    grzRng rng = grzRng_Make(61, 0);
    for (int trial = 0; trial < 200; ++trial) {
        const bool isOneSided = trial % 2 == 0, bounces = trial % 4 > 1;
        Crowd crowd = makeCrowd(1, 2, 1);
        memset(crowd.states, 0, 2 * sizeof *crowd.states);
        memset(crowd.masses, 0, 2 * sizeof *crowd.masses);
        for (int i = 0; i < 2; ++i) {
            crowd.states[i].rotation = grzQuat_Identity();
            crowd.states[i].center = vec(0, i == 0 ? -0.5f : 0.5f, 0);
            if (i == 0 && isOneSided)
                continue;
            crowd.states[i].velocity = vec(0, i == 0 ? 4 : -4, 0);
            crowd.masses[i] = (grzBodyMass){.inverseMass = 1, .flags = grz_bodyMoves | grz_bodyYields};
            for (int k = 0; k < 3; ++k)
                crowd.masses[i].inverseInertia[k] = between(&rng, 2, 12);
        }
        grzTouch* touch = &crowd.touches[0];
        memset(touch, 0, sizeof *touch);
        touch->bodyB = 1;
        touch->normal = vec(0, 1, 0);
        touch->restitution = bounces ? 0.5f : 0;
        touch->pointCount = 3 + grzRng_Below(&rng, 2);
        for (uint32_t i = 0; i < touch->pointCount; ++i) {
            // At angles that leave the middle within the points.
            const float angle = 6.2831853f * ((float)i + between(&rng, 0, 0.3f)) / (float)touch->pointCount;
            const float radius = between(&rng, 0.3f, 0.6f);
            grzVec3_Store(touch->points[i].anchorA, vec(radius * grzCos(angle), 0.5f, radius * grzSin(angle)));
            grzVec3_Store(touch->points[i].anchorB, vec(radius * grzCos(angle), -0.5f, radius * grzSin(angle)));
        }
        assert_int_equal(runCrowd(solver, &crowd, NULL, NULL).status, grz_ok);
        for (int i = isOneSided ? 1 : 0; i < 2; ++i) {
            const float wanted = !bounces ? 0 : i == 0 ? -2 : 2;
            assertNear3(crowd.states[i].velocity, vec(0, wanted, 0), 0.01f);
            assertNear3(crowd.states[i].spin, grzVec3_Zero(), 0.01f);
            assertNear(grzQuat_Dot(crowd.states[i].rotation, grzQuat_Identity()), 1, 1e-6f);
        }
        for (uint32_t i = 0; i < touch->pointCount; ++i)
            assert_true(touch->points[i].normalImpulse >= 0);
        freeCrowd(&crowd);
    }
    grzContactSolver_Destroy(solver);
}

// Two touches of two bodies each, in one block. Those of the second come together and bounce. Those of the first are at rest, with an
// impulse below the normal floats, or a little above: its inverse may be no float.
static void leastImpulsesDoNothing(void** state) {
    (void)state;
    grzContactSolver* solver = makeSolver(usual);
    for (float impulse = 1e-45f; impulse < 1e-36f; impulse *= 1.5f) {
        Crowd crowd = makeCrowd(1, 4, 2);
        memset(crowd.touches, 0, 2 * sizeof *crowd.touches);
        for (uint32_t i = 0; i < 4; ++i) {
            const float side = i % 2 == 0 ? -0.5f : 0.5f;
            crowd.states[i] = (grzBodyState){.rotation = grzQuat_Identity(),
                                             .center = vec(0, side, 0),
                                             .velocity = vec(0, i < 2 ? 0 : -8 * side, 0)};
            crowd.masses[i] = (grzBodyMass){
                .inverseMass = 1, .inverseInertia = {6, 6, 6}, .flags = grz_bodyMoves | grz_bodyYields};
            grzTouch* touch = &crowd.touches[i / 2];
            touch->bodyA = i / 2 * 2, touch->bodyB = touch->bodyA + 1;
            touch->normal = vec(0, 1, 0);
            touch->restitution = 0.5f;
            touch->pointCount = 2;
            grzVec3_Store(touch->points[i % 2].anchorA, vec(side, 0.5f, 0));
            grzVec3_Store(touch->points[i % 2].anchorB, vec(side, -0.5f, 0));
        }
        crowd.touches[0].points[0].normalImpulse = impulse;
        assert_int_equal(runCrowd(solver, &crowd, NULL, NULL).status, grz_ok);
        for (int i = 0; i < 4; ++i)
            assertNear3(crowd.states[i].velocity, vec(0, i < 2 ? 0 : i == 2 ? -2 : 2, 0), 0.01f);
        freeCrowd(&crowd);
    }
    grzContactSolver_Destroy(solver);
}

// A rod that spins about its axis comes down upright on two points, one at each of its ends. They lie beside a line
// along the normal by `off` and `to`.
static Crowd rodOnTwoEnds(bool isOneSided, float off, float to) {
    Crowd crowd = makeCrowd(1, 2, 1);
    memset(crowd.touches, 0, sizeof *crowd.touches);
    for (int i = 0; i < 2; ++i) {
        const float side = i == 0 ? -0.5f : 0.5f;
        crowd.states[i] = (grzBodyState){.rotation = grzQuat_Identity(), .center = vec(0, side, 0)};
        crowd.masses[i] = (grzBodyMass){0};
        if (i == 0 && isOneSided)
            continue;
        crowd.states[i].velocity = vec(0, -8 * side, 0);
        crowd.states[i].spin = vec(0, 3 * side, 0);
        crowd.masses[i] =
            (grzBodyMass){.inverseMass = 1, .inverseInertia = {6, 90, 6}, .flags = grz_bodyMoves | grz_bodyYields};
    }
    grzTouch* touch = &crowd.touches[0];
    touch->bodyB = 1;
    touch->normal = vec(0, 1, 0);
    touch->friction = 0.6f;
    touch->pointCount = 2;
    for (int i = 0; i < 2; ++i) {
        const grzVec3 at = i == 0 ? vec(off, 0, 0) : vec(to, 0.5f, to);
        grzVec3_Store(touch->points[i].anchorA, grzAdd(at, vec(0, 0.5f, 0)));
        grzVec3_Store(touch->points[i].anchorB, grzSub(at, vec(0, 0.5f, 0)));
        touch->points[i].found = touch->points[i].separation = (float)i;
    }
    return crowd;
}

// The rod stops, does not tilt and spins on, as on one point. The squares of most distances from the line are no
// normal floats.
static void pointsOnALineAlongTheNormalAreOne(void** state) {
    (void)state;
    grzContactSolver* solver = makeSolver(usual);
    const grzSimdLevel before = grzSimd_Level();
    for (int trial = 0; trial < 400 * GRZ_SIMD_LEVEL_COUNT; ++trial) {
        const grzSimdLevel level = (grzSimdLevel)(trial / 400);
        const float off = trial % 400 < 8 ? 0 : (float)pow(10, -6 - 0.1 * (trial % 400));
        if (!grzSimd_Supports(level))
            continue;
        grzSimd_Force(level);
        Crowd crowd = rodOnTwoEnds(trial % 2 == 0, off, trial % 4 < 2 ? -off : 0.7f * off);
        for (int step = 0; step < 3; ++step)
            assert_int_equal(runCrowd(solver, &crowd, NULL, NULL).status, grz_ok);
        for (int i = trial % 2 == 0 ? 1 : 0; i < 2; ++i) {
            assertNear3(crowd.states[i].velocity, grzVec3_Zero(), 0.02f);
            assertNear3(crowd.states[i].spin, vec(0, i == 0 ? -1.5f : 1.5f, 0), 1e-3f);
        }
        freeCrowd(&crowd);
    }
    grzSimd_Force(before);
    grzContactSolver_Destroy(solver);
}

// solved: the same after the solver, whose colours tell the order of touches.
static void runReference(Crowd* crowd, const Crowd* solved) {
    uint32_t* order = malloc((crowd->touchCount + 1) * sizeof *order);
    findContactOrder(solved->touches, solved->touchCount, order);
    const ContactReference reference = {settings(),     crowd->states,     crowd->masses, crowd->bodyCount,
                                        crowd->touches, crowd->touchCount, order};
    runContactReference(&reference);
    free(order);
}

// Runs the crowd and tells how far it is from the reference.
static float compareWithReference(Crowd* crowd) {
    Crowd wanted = copyCrowd(crowd);
    grzContactSolver* solver = makeSolver(usual);
    assert_int_equal(runCrowd(solver, crowd, NULL, NULL).status, grz_ok);
    runReference(&wanted, crowd);
    const float difference = crowdDifference(crowd, &wanted);
    grzContactSolver_Destroy(solver);
    freeCrowd(&wanted);
    return difference;
}

static void shakePoint(grzRng* rng, grzTouchPoint* point) {
    const grzVec3 by = anyVec(rng, 0x1p-22f); // 4 of the last bits of a place of 0.5
    grzVec3_Store(point->anchorA, grzAdd(grzVec3_Load(point->anchorA), by));
    grzVec3_Store(point->anchorB, grzAdd(grzVec3_Load(point->anchorB), by));
}

// How far the reference goes from itself where the speeds and places it is given differ in the last bits of a float: up or down by 4 of
// them.
static float ownDifference(const Crowd* crowd, const Crowd* solved) {
    Crowd wanted = copyCrowd(crowd);
    runReference(&wanted, solved);
    float worst = 0;
    for (uint64_t turn = 0; turn < 8; ++turn) {
        Crowd shaken = copyCrowd(crowd);
        grzRng rng = grzRng_Make(63, turn);
        for (uint32_t i = 0; i < shaken.bodyCount; ++i) {
            grzBodyState* state = &shaken.states[i];
            state->velocity = grzAdd(state->velocity, grzMul(state->velocity, anyVec(&rng, 0x1p-21f)));
            state->spin = grzAdd(state->spin, grzMul(state->spin, anyVec(&rng, 0x1p-21f)));
        }
        for (uint32_t i = 0; i < shaken.touchCount; ++i)
            for (uint32_t k = 0; k < shaken.touches[i].pointCount; ++k)
                shakePoint(&rng, &shaken.touches[i].points[k]);
        runReference(&shaken, solved);
        worst = greater(worst, crowdDifference(&shaken, &wanted));
        freeCrowd(&shaken);
    }
    freeCrowd(&wanted);
    return worst;
}

// What counts as a blow, whether a point is pushed softly and which are nearly on one line hang on roundings now and then, and with
// that all that comes after: no more than the reference itself, given numbers that are a rounding away.
static void mustAgree(Crowd* crowd) {
    Crowd before = copyCrowd(crowd);
    const float difference = compareWithReference(crowd);
    if (!(difference <= ROUNDING))
        assertNear(difference, 0, ROUNDING + 8 * ownDifference(&before, crowd));
    freeCrowd(&before);
}

static void agreesWithReference(void** state) {
    (void)state;
    const uint64_t seed = testSeed(1);
    for (uint32_t round = 0; round < 60; ++round) {
        const uint32_t bodies = 2 + round * 3;
        Crowd crowd = makeCrowd(seed + round, bodies, round < 2 ? 1 : bodies + round);
        mustAgree(&crowd);
        freeCrowd(&crowd);
    }
}

static void agreesOnSingleTouches(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(2), 1);
    uint32_t disagreements = 0;
    for (uint64_t round = 0; round < 200; ++round) {
        Crowd crowd = makeCrowd(1000 + round, 2 + (uint32_t)round % 9, 1);
        for (uint32_t i = 0; i < crowd.touches[0].pointCount; ++i)
            crowd.touches[0].points[i].separation =
                round % 2 == 0 ? between(&rng, 0, 0.02f) : between(&rng, -0.01f, 0.01f);
        disagreements += compareWithReference(&crowd) > 2e-5f;
        freeCrowd(&crowd);
    }
    assert_in_range(disagreements, 0, 20); // of 200: those that just met, see anySeparation
}

static void turnPoints(grzTouch* touch) {
    for (uint32_t i = 0, k = touch->pointCount - 1; i < k; ++i, --k) {
        const grzTouchPoint point = touch->points[i];
        touch->points[i] = touch->points[k];
        touch->points[k] = point;
    }
}

// The points of a touch from the last to the first give the same: none is preferred.
static void pointsHaveNoOrder(void** state) {
    (void)state;
    for (uint64_t round = 0; round < 200; ++round) {
        Crowd crowd = makeCrowd(2000 + round, 2, 1), turned = copyCrowd(&crowd);
        turnPoints(&turned.touches[0]);
        grzContactSolver* solver = makeSolver(usual);
        assert_int_equal(runCrowd(solver, &crowd, NULL, NULL).status, grz_ok);
        assert_int_equal(runCrowd(solver, &turned, NULL, NULL).status, grz_ok);
        turnPoints(&turned.touches[0]);
        const float difference = crowdDifference(&crowd, &turned);
        if (!(difference <= ROUNDING))
            fail_msg("round %d: %g from the other order", (int)round, (double)difference);
        grzContactSolver_Destroy(solver);
        freeCrowd(&turned);
        freeCrowd(&crowd);
    }
}

// No colour has a body that yields twice, and touches keep their colours.
static void colorsAreSound(void** state) {
    (void)state;
    Crowd crowd = makeCrowd(testSeed(7), 500, 2500);
    grzContactSolver* solver = makeSolver(usual);
    assert_int_equal(runCrowd(solver, &crowd, NULL, NULL).status, grz_ok);
    const grzContactSolverStats stats = grzContactSolver_GetStats(solver);
    assert_int_equal(stats.overflowCount, 0);
    assert_int_equal(stats.passCount, 9);
    bool* isTaken = calloc((size_t)crowd.bodyCount * 0x200, sizeof *isTaken);
    uint32_t colors = 0;
    bool isUsed[0x200] = {false};
    uint32_t points = 0;
    for (uint32_t i = 0; i < crowd.touchCount; ++i) {
        const grzTouch* touch = &crowd.touches[i];
        points += touch->pointCount;
        assert_in_range(touch->memory, 1, 0x1FF);
        colors += !isUsed[touch->memory];
        isUsed[touch->memory] = true;
        const uint32_t bodies[2] = {touch->bodyA, touch->bodyB};
        for (int k = 0; k < 2; ++k)
            if (yields(&crowd, bodies[k])) {
                assert_false(isTaken[bodies[k] * 0x200 + touch->memory]);
                isTaken[bodies[k] * 0x200 + touch->memory] = true;
            }
    }
    assert_int_equal(stats.colorCount, colors);
    assert_int_equal(stats.pointCount, points);
    Crowd before = copyCrowd(&crowd);
    // Without the first ones the others would be coloured anew in another way.
    crowd.touches += 100;
    crowd.touchCount -= 100;
    assert_int_equal(runCrowd(solver, &crowd, NULL, NULL).status, grz_ok);
    for (uint32_t i = 0; i < crowd.touchCount; ++i)
        assert_int_equal(crowd.touches[i].memory, before.touches[i + 100].memory);
    crowd.touches -= 100;
    free(isTaken);
    grzContactSolver_Destroy(solver);
    freeCrowd(&before);
    freeCrowd(&crowd);
}

// A memory that no solver wrote costs at most the colour.
static void anyMemoryIsSound(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(8), 1);
    Crowd crowd = makeCrowd(9, 40, 150);
    for (uint32_t i = 0; i < crowd.touchCount; ++i)
        crowd.touches[i].memory = grzRng_Below(&rng, 3) == 0 ? 0xFFFFFFFFu : grzRng_Below(&rng, 0x300);
    mustAgree(&crowd);
    freeCrowd(&crowd);
}

// One body with two hundred touches: what finds no colour is solved one after the other.
static void overflowIsSolved(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(3), 1);
    Crowd crowd = makeCrowd(4, 260, 200);
    for (uint32_t i = 0; i < crowd.bodyCount; ++i)
        crowd.masses[i] =
            (grzBodyMass){.inverseMass = 1, .inverseInertia = {6, 6, 6}, .flags = grz_bodyMoves | grz_bodyYields};
    for (uint32_t i = 0; i < crowd.touchCount; ++i)
        makeCrowdTouch(&rng, 0, i + 1, &crowd.touches[i]);
    crowd.masses[0].inverseMass = 0.01f;
    grzContactSolver* solver = makeSolver(usual);
    Crowd copy = copyCrowd(&crowd);
    assert_int_equal(runCrowd(solver, &copy, NULL, NULL).status, grz_ok);
    assert_int_equal(grzContactSolver_GetStats(solver).overflowCount, 136);
    assert_int_equal(grzContactSolver_GetStats(solver).colorCount, 64);
    grzContactSolver_Destroy(solver);
    freeCrowd(&copy);
    mustAgree(&crowd);
    freeCrowd(&crowd);
}

// Points that are apart tell in which substep the first of them pushed; those that were not apart, or never push, tell 0.
static void tellsWhenItMet(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(77, 0);
    grzContactSolver* solver = makeSolver(usual);
    uint32_t met = 0;
    for (int round = 0; round < 400; ++round) {
        Crowd crowd = makeCrowd(78 + (uint64_t)round, 2, 1);
        grzTouch* touch = &crowd.touches[0];
        const bool isOneSided = round % 2 != 0;
        float least = 10;
        for (uint32_t i = 0; i < 2; ++i) {
            const bool moves = i != 0 || !isOneSided;
            crowd.states[i] = (grzBodyState){.rotation = grzQuat_Identity()};
            crowd.masses[i] = (grzBodyMass){.inverseMass = moves ? 1.0f : 0, .flags = moves ? 3 : 0};
        }
        crowd.states[1].velocity = vec(0, -2, 0);
        touch->bodyA = 0, touch->bodyB = 1;
        touch->normal = vec(0, 1, 0);
        for (uint32_t i = 0; i < touch->pointCount; ++i) {
            touch->points[i].normalImpulse = touch->points[i].frictionImpulse[0] = 0;
            touch->points[i].frictionImpulse[1] = 0;
            touch->points[i].separation = between(&rng, -0.01f, 0.05f);
            least = touch->points[i].separation < least ? touch->points[i].separation : least;
        }
        grzSolverSettings still = settings();
        still.gravity = grzVec3_Zero();
        const uint32_t place = 0;
        const grzSolveInput step = {.settings = still,
                                    .states = crowd.states,
                                    .masses = crowd.masses,
                                    .bodyCount = 2,
                                    .touchCount = 1,
                                    .units = (grzTouchUnit*)(void*)crowd.touches,
                                    .places = &place};
        assert_int_equal(grzStep_Solve(solver, &step).status, grz_ok);
        const float part = least / (2 * STEP / 4);
        uint32_t first = 99;
        for (uint32_t i = 0; i < touch->pointCount; ++i) {
            assert_true(touch->points[i].separation > 0 || touch->metIn[i] == 0);
            assert_true(touch->metIn[i] <= 4);
            first = touch->metIn[i] != 0 && touch->metIn[i] < first ? touch->metIn[i] : first;
        }
        if (least > 0 && fabsf(part - roundf(part)) > 0.01f) {
            assert_int_equal(first, part < 4 ? (uint32_t)part + 1 : 99); // nothing is slowed for the next step
            met += first < 5;
        }
        freeCrowd(&crowd);
    }
    assert_true(met > 40);
    grzContactSolver_Destroy(solver);
}

// ---- Bytes.

static Crowd largeCrowd(void) {
    Crowd crowd = makeCrowd(11, 4001, 6003);
    // A body with too many touches, so that this path is in the bytes too.
    for (uint32_t i = 0; i < 90; ++i) {
        crowd.touches[i].bodyA = 5;
        crowd.touches[i].bodyB = 10 + i;
    }
    for (uint32_t i = 0; i < 100; ++i)
        crowd.masses[i] = crowd.masses[6];
    crowd.masses[5].flags = grz_bodyMoves | grz_bodyYields;
    return crowd;
}

static void sameForAnyWorkers(void** state) {
    (void)state;
    Crowd wanted = largeCrowd(), start = copyCrowd(&wanted);
    grzContactSolver* solver = makeSolver(usual);
    for (int i = 0; i < 2; ++i)
        assert_int_equal(runCrowd(solver, &wanted, NULL, NULL).status, grz_ok);
    assert_true(memcmp(wanted.states, start.states, wanted.bodyCount * sizeof(grzBodyState)) != 0);
    static const uint32_t workers[] = {1, 2, 3, 8};
    for (int k = 0; k < 4; ++k) {
        grzTasksDef def = grzDefaultTasksDef();
        grzTasks* tasks;
        def.workerCount = workers[k];
        assert_int_equal(grzTasks_Create(&def, &tasks).status, grz_ok);
        Crowd crowd = copyCrowd(&start);
        for (int i = 0; i < 2; ++i)
            assert_int_equal(runCrowd(solver, &crowd, tasks, NULL).status, grz_ok);
        assertSameCrowd(&crowd, &wanted);
        freeCrowd(&crowd);
        grzTasks_Destroy(tasks);
    }
    grzContactSolver_Destroy(solver);
    freeCrowd(&start);
    freeCrowd(&wanted);
}

// Touches lie anywhere among units, each in as many as it has points and one more: the order of places alone counts, and what lies
// between is left alone.
static void samePlacesAnywhere(void** state) {
    (void)state;
    Crowd wanted = makeCrowd(14, 200, 500), start = copyCrowd(&wanted);
    grzRng rng = grzRng_Make(15, 0);
    const uint32_t count = wanted.touchCount, most = 8 * count;
    grzTouchUnit* units = malloc(most * sizeof *units);
    uint32_t *places = malloc(count * sizeof *places), *order = malloc(count * sizeof *order), end = 0;
    memset(units, 0xA5, most * sizeof *units);
    for (uint32_t i = 0; i < count; ++i) { // in an order of their own, and some with gaps
        const uint32_t k = grzRng_Below(&rng, i + 1);
        order[i] = order[k], order[k] = i;
    }
    for (uint32_t i = 0; i < count; ++i) {
        const grzTouch* touch = &wanted.touches[order[i]];
        end += grzRng_Below(&rng, 3);
        places[order[i]] = end;
        memcpy(&units[end], touch, grzTouch_UnitCount(touch) * sizeof *units);
        end += grzTouch_UnitCount(touch);
    }
    grzTouchUnit* before = malloc(most * sizeof *before);
    memcpy(before, units, most * sizeof *before);
    grzContactSolver* solver = makeSolver(usual);
    const grzSolveInput step = {.settings = settings(),
                                .states = start.states,
                                .masses = start.masses,
                                .bodyCount = start.bodyCount,
                                .touchCount = count,
                                .units = units,
                                .places = places};
    for (int i = 0; i < 2; ++i) {
        assert_int_equal(runCrowd(solver, &wanted, NULL, NULL).status, grz_ok);
        assert_int_equal(grzStep_Solve(solver, &step).status, grz_ok);
    }
    assert_memory_equal(start.states, wanted.states, wanted.bodyCount * sizeof *wanted.states);
    for (uint32_t i = 0; i < count; ++i) {
        const size_t size = grzTouch_UnitCount(&wanted.touches[i]) * sizeof *units;
        assert_memory_equal(&units[places[i]], &wanted.touches[i], size);
        memcpy(&units[places[i]], &before[places[i]], size);
    }
    assert_memory_equal(units, before, most * sizeof *units);
    grzContactSolver_Destroy(solver);
    free(units), free(before), free(places), free(order);
    freeCrowd(&start);
    freeCrowd(&wanted);
}

static void sameAtEveryLevel(void** state) {
    (void)state;
    Crowd start = makeCrowd(12, 333, 700), wanted = copyCrowd(&start);
    grzContactSolver* solver = makeSolver(usual);
    for (int i = 0; i < 3; ++i)
        assert_int_equal(runCrowd(solver, &wanted, NULL, NULL).status, grz_ok);
    for (int level = 0; level < GRZ_SIMD_LEVEL_COUNT; ++level) {
        if (!grzSimd_Supports((grzSimdLevel)level))
            continue;
        const grzSimdLevel before = grzSimd_Force((grzSimdLevel)level);
        Crowd crowd = copyCrowd(&start);
        for (int i = 0; i < 3; ++i)
            assert_int_equal(runCrowd(solver, &crowd, NULL, NULL).status, grz_ok);
        grzSimd_Force(before);
        assertSameCrowd(&crowd, &wanted);
        freeCrowd(&crowd);
    }
    grzContactSolver_Destroy(solver);
    freeCrowd(&start);
    freeCrowd(&wanted);
}

// ---- Memory.

static void refusalChangesNothing(void** state) {
    (void)state;
    Crowd start = makeCrowd(21, 100, 200);
    for (size_t failAt = 0;; ++failAt) {
        TestMemory memory = {0, failAt, 0, 0};
        grzContactSolver* solver = NULL;
        grzResult result = grzContactSolver_Create(testAllocator(&memory), &solver);
        Crowd crowd = copyCrowd(&start);
        if (result.status == grz_ok)
            result = runCrowd(solver, &crowd, NULL, NULL);
        else
            assert_null(solver);
        if (result.status != grz_ok) {
            assert_int_equal(result.status, grz_outOfMemory);
            assertSameCrowd(&crowd, &start);
            memory.failAt = SIZE_MAX; // and afterwards it works
            if (solver != NULL)
                assert_int_equal(runCrowd(solver, &crowd, NULL, NULL).status, grz_ok);
        }
        grzContactSolver_Destroy(solver);
        freeCrowd(&crowd);
        assert_int_equal(memory.liveCount, 0);
        if (result.status == grz_ok)
            break;
        assert_in_range(failAt, 0, 50);
    }
    freeCrowd(&start);
}

static void warmStepsAllocateNothing(void** state) {
    (void)state;
    TestMemory memory = {0, SIZE_MAX, 0, 0};
    Crowd crowd = makeCrowd(22, 300, 700);
    grzContactSolver* solver = makeSolver(testAllocator(&memory));
    assert_int_equal(runCrowd(solver, &crowd, NULL, NULL).status, grz_ok);
    const size_t requests = memory.requests;
    for (int i = 0; i < 5; ++i)
        assert_int_equal(runCrowd(solver, &crowd, NULL, NULL).status, grz_ok);
    assert_int_equal(memory.requests, requests);
    grzContactSolver_Destroy(solver);
    freeCrowd(&crowd);
}

static void halfAnAllocatorIsRefused(void** state) {
    (void)state;
    TestMemory memory = {0, SIZE_MAX, 0, 0};
    grzAllocator half = testAllocator(&memory);
    half.release = NULL;
    grzContactSolver* solver = (grzContactSolver*)&memory;
    assert_int_equal(grzContactSolver_Create(half, &solver).status, grz_badArgument);
    assert_null(solver);
    grzContactSolver_Destroy(NULL);
}

// ---- Bad numbers, and nothing to do.

static void badNumbersAreNamed(void** state) {
    (void)state;
    Crowd start = makeCrowd(31, 50, 60);
    grzContactSolver* solver = makeSolver(usual);
    for (int k = 0; k < 5; ++k) {
        Crowd crowd = copyCrowd(&start), before;
        float* bad[] = {&crowd.states[17].center.x, &crowd.states[17].rotation.w, &crowd.states[17].velocity.z,
                        &crowd.states[17].spin.y, &crowd.masses[17].inverseMass};
        *bad[k] = k % 2 == 0 ? NAN : INFINITY;
        before = copyCrowd(&crowd);
        grzResult result = runCrowd(solver, &crowd, NULL, NULL);
        assert_int_equal(result.status, grz_notFinite);
        assert_int_equal(result.part, grz_partObject);
        assert_int_equal(result.index, 17);
        assertSameCrowd(&crowd, &before);
        freeCrowd(&before);
        freeCrowd(&crowd);
    }
    // What goes wrong on the way is told as well.
    Crowd crowd = copyCrowd(&start);
    for (uint32_t i = 0; i < crowd.bodyCount; ++i)
        crowd.masses[i].flags = grz_bodyMoves | grz_bodyYields;
    crowd.masses[20].gravityScale = 1e38f;
    Crowd before = copyCrowd(&crowd);
    assert_int_equal(runCrowd(solver, &crowd, NULL, NULL).status, grz_notFinite);
    assertSameCrowd(&crowd, &before);
    freeCrowd(&before);
    freeCrowd(&crowd);
    grzContactSolver_Destroy(solver);
    freeCrowd(&start);
}

static void takesNothing(void** state) {
    (void)state;
    Crowd crowd = makeCrowd(41, 20, 30);
    grzContactSolver* solver = makeSolver(usual);
    const uint32_t bodies = crowd.bodyCount, touches = crowd.touchCount;
    crowd.bodyCount = crowd.touchCount = 0;
    assert_int_equal(runCrowd(solver, &crowd, NULL, NULL).status, grz_ok);
    crowd.bodyCount = bodies;
    assert_int_equal(runCrowd(solver, &crowd, NULL, NULL).status, grz_ok);
    // Touches without points, or of bodies that do not yield, are left as they are but for their memory.
    crowd.touchCount = touches;
    for (uint32_t i = 0; i < bodies; ++i)
        crowd.masses[i].flags = i % 2 == 0 ? 0 : grz_bodyMoves;
    for (uint32_t i = 0; i < touches; ++i)
        crowd.touches[i].memory = 0;
    Crowd before = copyCrowd(&crowd);
    assert_int_equal(runCrowd(solver, &crowd, NULL, NULL).status, grz_ok);
    assert_memory_equal(crowd.touches, before.touches, touches * sizeof(grzTouch));
    for (uint32_t i = 0; i < bodies; i += 2)
        assert_memory_equal(&crowd.states[i], &before.states[i], sizeof(grzBodyState));
    for (uint32_t i = 1; i < bodies; i += 2)
        assertNear3(crowd.states[i].center, grzAddScaled(before.states[i].center, STEP, before.states[i].velocity),
                    1e-5f);
    grzContactSolver_Destroy(solver);
    freeCrowd(&before);
    freeCrowd(&crowd);
}

// ---- Hooks.

typedef struct Hooked {
    uint32_t body, solves, finishes;
    grzVec3 point, impulse;
    float lastHeight;
    bool pushesOnce;
} Hooked;

static void pushInSolve(void* context, grzSubstep* substep) {
    Hooked* hooked = context;
    assert_int_equal(grzSubstep_Index(substep), hooked->solves % 4);
    assert_int_equal(grzSubstep_IsLast(substep), hooked->solves % 4 == 3);
    assertNear(grzSubstep_Time(substep), STEP / 4, 1e-9f);
    assert_int_equal(hooked->solves, hooked->finishes);
    if (!hooked->pushesOnce || hooked->solves == 0)
        grzSubstep_Push(substep, hooked->body, grzAdd(grzSubstep_Body(substep, hooked->body).center, hooked->point),
                        hooked->impulse);
    hooked->solves++;
}

static void pushInLast(void* context, grzSubstep* substep) {
    Hooked* hooked = context;
    if (grzSubstep_IsLast(substep))
        grzSubstep_Push(substep, hooked->body, grzAdd(grzSubstep_Body(substep, hooked->body).center, hooked->point),
                        hooked->impulse);
    hooked->solves++;
}

static void lookInFinish(void* context, grzSubstep* substep) {
    Hooked* hooked = context;
    hooked->finishes++;
    assert_int_equal(hooked->solves, hooked->finishes);
    hooked->lastHeight = grzSubstep_Body(substep, hooked->body).center.y;
}

// A push counts once, whatever the substeps do with the work of the touches.
static void pushesCountOnce(void** state) {
    (void)state;
    Scene* scene = makeContactScene(usual);
    Hooked hooked = {.pushesOnce = true, .point = vec(0, 0, 0.25f), .impulse = vec(0.5f, 0, 0)};
    const grzSubstepHook hook = {&hooked, pushInSolve, lookInFinish};
    scene->step.settings.gravity = grzVec3_Zero();
    hooked.body = addBox(scene, grzVec3_Zero(), vec(0.5f, 0.5f, 0.5f), 1);
    scene->step.hook = &hook;
    stepScene(scene, 1);
    assert_int_equal(hooked.solves, 4);
    assert_int_equal(hooked.finishes, 4);
    assertNear3(scene->states[hooked.body].velocity, vec(0.5f, 0, 0), 1e-6f);
    assertNear3(scene->states[hooked.body].spin, vec(0, 0.5f * 0.25f * 6, 0), 1e-5f);
    assertNear(scene->states[hooked.body].center.x, 0.5f * STEP, 1e-6f);
    freeScene(scene);
}

// A push at a body that has turned far in the step turns it as its inertia is then: what its angular momentum gains is the moment.
static void pushesTurnWhatHasTurned(void** state) {
    (void)state;
    Scene* scene = makeContactScene(usual);
    Hooked hooked = {.pushesOnce = true, .point = vec(0.3f, 0.2f, 0.1f), .impulse = vec(0.01f, -0.02f, 0.03f)};
    const grzSubstepHook hook = {&hooked, pushInLast, lookInFinish};
    scene->step.settings.gravity = grzVec3_Zero();
    hooked.body = addBox(scene, grzVec3_Zero(), vec(0.9f, 0.3f, 0.2f), 1);
    scene->masses[hooked.body].flags |= grz_bodyGyrates;
    scene->states[hooked.body].spin = vec(0, 0, 60); // three quarters of a radian before the last substep
    const grzVec3 before = angularMomentum(&scene->states[hooked.body], &scene->masses[hooked.body]);
    scene->step.hook = &hook;
    stepScene(scene, 1);
    const grzVec3 after = angularMomentum(&scene->states[hooked.body], &scene->masses[hooked.body]);
    const grzVec3 moment = grzCross(hooked.point, hooked.impulse);
    assertNear3(grzSub(after, before), moment, 0.1f * grzLength(moment));
    freeScene(scene);
}

// A box that lies on the floor and is pressed down in each substep by a blow of 4 m/s does not go in.
static void pushesLeadIntoNothing(void** state) {
    (void)state;
    Scene* scene = makeFloor(usual);
    Hooked hooked = {.impulse = vec(0, -4, 0)};
    const grzSubstepHook hook = {&hooked, pushInSolve, lookInFinish};
    hooked.body = addBox(scene, vec(0, 0.5f, 0), vec(0.5f, 0.5f, 0.5f), 1);
    scene->step.hook = &hook;
    stepScene(scene, 30);
    assert_true(scene->states[hooked.body].center.y > 0.49f);
    freeScene(scene);
}

// A box that lies on the floor and is lifted with its weight feels none of it in its touches.
static void pushesCarryWeight(void** state) {
    (void)state;
    Scene* scene = makeFloor(usual);
    Hooked hooked = {.impulse = vec(0, 10 * STEP / 4, 0)};
    const grzSubstepHook hook = {&hooked, pushInSolve, lookInFinish};
    hooked.body = addBox(scene, vec(0, 0.5f, 0), vec(0.5f, 0.5f, 0.5f), 1);
    stepScene(scene, 30);
    scene->step.hook = &hook;
    stepScene(scene, 30);
    assertNear3(scene->states[hooked.body].velocity, grzVec3_Zero(), 0.02f);
    assertNear(hooked.lastHeight, scene->states[hooked.body].center.y, 1e-6f);
    float sum = 0;
    for (uint32_t i = 0; i < scene->touches[0].pointCount; ++i)
        sum += scene->touches[0].points[i].normalImpulse;
    assert_true(sum < 0.6f * 10 * STEP / 4);
    // Nothing pushes what does not yield.
    hooked.body = 0;
    hooked.solves = hooked.finishes = 0;
    const grzBodyState floor = scene->states[0];
    stepScene(scene, 1);
    assert_memory_equal(&scene->states[0], &floor, sizeof floor);
    freeScene(scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fallsFreely),
        cmocka_unit_test(isDamped),
        cmocka_unit_test(keepsAngularMomentum),
        cmocka_unit_test(turnsAtItsSpin),
        cmocka_unit_test(rests),
        cmocka_unit_test(slidesFromTheAngleOfFriction),
        cmocka_unit_test(twistIsRubbedOff),
        cmocka_unit_test(bounces),
        cmocka_unit_test(keepsMomentumInCollisions),
        cmocka_unit_test(stackStands),
        cmocka_unit_test(wallStands),
        cmocka_unit_test(carriesAHundredfold),
        cmocka_unit_test(kinematicCarries),
        cmocka_unit_test(locksStay),
        cmocka_unit_test(blowIsTakenUpAtOnce),
        cmocka_unit_test(leastImpulsesDoNothing),
        cmocka_unit_test(pointsOnALineAlongTheNormalAreOne),
        cmocka_unit_test(agreesWithReference),
        cmocka_unit_test(agreesOnSingleTouches),
        cmocka_unit_test(pointsHaveNoOrder),
        cmocka_unit_test(colorsAreSound),
        cmocka_unit_test(anyMemoryIsSound),
        cmocka_unit_test(overflowIsSolved),
        cmocka_unit_test(tellsWhenItMet),
        cmocka_unit_test(sameForAnyWorkers),
        cmocka_unit_test(samePlacesAnywhere),
        cmocka_unit_test(sameAtEveryLevel),
        cmocka_unit_test(refusalChangesNothing),
        cmocka_unit_test(warmStepsAllocateNothing),
        cmocka_unit_test(halfAnAllocatorIsRefused),
        cmocka_unit_test(badNumbersAreNamed),
        cmocka_unit_test(takesNothing),
        cmocka_unit_test(pushesCountOnce),
        cmocka_unit_test(pushesTurnWhatHasTurned),
        cmocka_unit_test(pushesLeadIntoNothing),
        cmocka_unit_test(pushesCarryWeight),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
