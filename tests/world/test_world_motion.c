// How bodies move, against what is known: falls, friction, bounces, momentum, stacks, meshes, pushers, cloth.
#include "world_testing.h"

#include <math.h>

static const float g_dt = 1.0f / 60.0f;

static void mustBeNear(float value, float wanted, float room) {
    if (!(fabsf(value - wanted) <= room))
        fail_msg("%g is not %g within %g", (double)value, (double)wanted, (double)room);
}

static void mustBeNearVec(grzVec3 value, grzVec3 wanted, float room) {
    if (!(grzDistance(value, wanted) <= room))
        fail_msg("%g %g %g is not %g %g %g", (double)value.x, (double)value.y, (double)value.z, (double)wanted.x,
                 (double)wanted.y, (double)wanted.z);
}

static grzConvex cube(float half) {
    return grzMakeBox(grzVec3_Zero(), grzVec3_Splat(half));
}

static grzBodyDef defOf(grzConvex shape, grzVec3 origin) {
    grzBodyDef def = grzDefaultBodyDef();
    def.shape = shape;
    def.origin = origin;
    return def;
}

// ---------------------------------------------------------------------------------------------------------- in the air

// n substeps of velocity first: v0 t - g t (t + h) / 2.
static void test_fallAndThrow(void** state) {
    (void)state;
    grzWorld* world = makeWorld(NULL);
    grzBodyDef def = defOf(grzMakeSphere(grzVec3_Zero(), 0.5f), grzVec3_Make(0, 100, 0));
    const grzBodyId fallen = addBody(world, &def);
    def.origin.x = 10, def.velocity = grzVec3_Make(5, 8, -2);
    const grzBodyId thrown = addBody(world, &def);
    def.origin.x = 20, def.velocity = grzVec3_Zero(), def.gravityScale = 0;
    const grzBodyId afloat = addBody(world, &def);
    def.origin.x = 30, def.gravityScale = -0.5f;
    const grzBodyId rising = addBody(world, &def);
    stepWorld(world, 60);
    const float fall = 0.5f * 9.81f * (1 + g_dt / 4);
    mustBeNearVec(viewOf(world, fallen).origin, grzVec3_Make(0, 100 - fall, 0), 2e-3f);
    mustBeNearVec(viewOf(world, fallen).velocity, grzVec3_Make(0, -9.81f, 0), 1e-3f);
    mustBeNearVec(viewOf(world, thrown).origin, grzVec3_Make(15, 108 - fall, -2), 2e-3f);
    mustBeNearVec(viewOf(world, afloat).origin, grzVec3_Make(20, 100, 0), 0);
    mustBeNearVec(viewOf(world, rising).origin, grzVec3_Make(30, 100 + 0.5f * fall, 0), 2e-3f);
    must(grzWorld_SetGravity(world, grzVec3_Zero()));
    stepWorld(world, 1);
    mustBeNearVec(viewOf(world, fallen).velocity, grzVec3_Make(0, -9.81f, 0), 1e-3f);
    grzWorld_Destroy(world);
}

// A box that turns freely about a principal axis goes on so; half a turn leads to where it says.
static void test_spin(void** state) {
    (void)state;
    grzWorld* world = makeWorld(NULL);
    must(grzWorld_SetGravity(world, grzVec3_Zero()));
    grzBodyDef def = defOf(grzMakeBox(grzVec3_Make(1, 0, 0), grzVec3_Make(1, 0.5f, 0.25f)), grzVec3_Zero());
    def.spin = grzVec3_Make(0, 0, 3.14159265f);
    const grzBodyId box = addBody(world, &def);
    stepWorld(world, 60);
    const grzBodyView view = viewOf(world, box);
    mustBeNearVec(view.center, grzVec3_Make(1, 0, 0), 1e-4f);
    mustBeNearVec(view.origin, grzVec3_Make(2, 0, 0), 5e-3f);
    mustBeNearVec(grzQuat_Rotate(view.rotation, grzVec3_Make(0, 1, 0)), grzVec3_Make(0, -1, 0), 5e-3f);
    mustBeNear(view.mass, 2 * 1 * 0.5f * 1000, 1e-2f);
    grzWorld_Destroy(world);
}

// The angular momentum about its centre, for density 1.
static grzVec3 momentumOf(const grzBodyView* view, const grzMass* mass) {
    const grzVec3 own = grzQuat_Rotate(grzQuat_Conjugate(view->rotation), view->spin);
    return grzQuat_Rotate(view->rotation,
                          grzVec3_Make((float)mass->diagonal.x * own.x, (float)mass->diagonal.y * own.y,
                                       (float)mass->diagonal.z * own.z));
}

// A long box that spins askew in the air wobbles: its momentum stays, its spin does not.
static void test_wobble(void** state) {
    (void)state;
    grzWorld* world = makeWorld(NULL);
    grzBodyDef def = defOf(grzMakeBox(grzVec3_Zero(), grzVec3_Make(0.2f, 0.5f, 1)), grzVec3_Zero());
    def.gravityScale = 0, def.spin = grzVec3_Make(1, 3, 1);
    const grzBodyId id = addBody(world, &def);
    const grzMass mass = grzConvex_Mass(&def.shape);
    const grzBodyView before = viewOf(world, id);
    const grzVec3 momentum = momentumOf(&before, &mass);
    float farthest = 0;
    for (int step = 0; step < 60; ++step) {
        stepWorld(world, 1);
        const grzBodyView view = viewOf(world, id);
        mustBeNearVec(momentumOf(&view, &mass), momentum, 0.05f * grzLength(momentum));
        farthest = fmaxf(farthest, grzDistance(view.spin, def.spin));
    }
    assert_true(farthest > 1);
    grzWorld_Destroy(world);
}

static void test_pushesAndForces(void** state) {
    (void)state;
    grzWorld* world = makeWorld(NULL);
    must(grzWorld_SetGravity(world, grzVec3_Zero()));
    grzBodyDef def = defOf(cube(0.5f), grzVec3_Zero()); // 1000 kg, inertia 1000 / 6
    const grzBodyId pushed = addBody(world, &def);
    def.origin.x = 10;
    const grzBodyId forced = addBody(world, &def);
    must(grzWorld_PushBody(world, pushed, grzVec3_Make(0, 0.5f, 0), grzVec3_Make(0, 0, 100)));
    mustBeNearVec(viewOf(world, pushed).velocity, grzVec3_Make(0, 0, 0.1f), 1e-6f);
    mustBeNearVec(viewOf(world, pushed).spin, grzVec3_Make(0.5f * 100 * 6 / 1000, 0, 0), 1e-5f);
    for (int i = 0; i < 60; ++i) {
        must(grzWorld_AddForce(world, forced, grzVec3_Make(1500, 0, 0), grzVec3_Make(0, 100, 0)));
        must(grzWorld_AddForce(world, forced, grzVec3_Make(500, 0, 0), grzVec3_Zero()));
        stepWorld(world, 1);
    }
    mustBeNearVec(viewOf(world, forced).velocity, grzVec3_Make(2, 0, 0), 1e-4f);
    mustBeNearVec(viewOf(world, forced).spin, grzVec3_Make(0, 0.6f, 0), 1e-3f);
    stepWorld(world, 5); // no force acts twice
    mustBeNearVec(viewOf(world, forced).velocity, grzVec3_Make(2, 0, 0), 1e-4f);
    mustBeNearVec(viewOf(world, pushed).velocity, grzVec3_Make(0, 0, 0.1f), 1e-6f);
    grzWorld_Destroy(world);
}

// A spring of one hertz and a torsion spring that the host computes once a step, for a minute. With steps of 1/60 s the energy swings
// by 5 % in a period; it must not drift, whatever the number of substeps.
static void test_springsKeepTheirEnergy(void** state) {
    (void)state;
    const float rate = 2 * 3.14159265f * 2 * 3.14159265f;
    for (uint32_t substeps = 1; substeps <= 8; substeps *= 2) {
        grzWorldDef worldDef = grzDefaultWorldDef();
        worldDef.gravity = grzVec3_Zero(), worldDef.substepCount = substeps;
        grzWorld* world;
        must(grzWorld_Create(&worldDef, &world));
        grzBodyDef def = defOf(cube(0.5f), grzVec3_Make(1, 0, 0)); // 1000 kg, inertia 1000 / 6
        def.spin = grzVec3_Make(0, 0.5f, 0);
        const grzBodyId id = addBody(world, &def);
        for (int i = 0; i < 3600; ++i) {
            const grzBodyView view = viewOf(world, id);
            const float angle = 2 * asinf(view.rotation.y);
            const float pull = view.velocity.x * view.velocity.x + rate * view.origin.x * view.origin.x;
            const float turn = view.spin.y * view.spin.y + rate * angle * angle;
            if (!(fabsf(pull / rate - 1) < 0.12f && fabsf(turn / 0.25f - 1) < 0.12f))
                fail_msg("%u substeps, step %d: energies are %g and %g of those at the start", substeps, i,
                         (double)(pull / rate), (double)(turn / 0.25f));
            must(grzWorld_AddForce(world, id, grzVec3_Make(-rate * 1000 * view.origin.x, 0, 0),
                                   grzVec3_Make(0, -rate * 1000 / 6 * angle, 0)));
            stepWorld(world, 1);
        }
        grzWorld_Destroy(world);
    }
}

static void test_damping(void** state) {
    (void)state;
    grzWorld* world = makeWorld(NULL);
    must(grzWorld_SetGravity(world, grzVec3_Zero()));
    grzBodyDef def = defOf(grzMakeSphere(grzVec3_Zero(), 1), grzVec3_Zero());
    def.velocity.x = def.spin.y = 1;
    def.linearDamping = 0.5f, def.angularDamping = 2;
    const grzBodyId ball = addBody(world, &def);
    stepWorld(world, 60);
    mustBeNear(viewOf(world, ball).velocity.x, expf(-0.5f), 5e-3f);
    mustBeNear(viewOf(world, ball).spin.y, expf(-2), 5e-3f);
    grzWorld_Destroy(world);
}

// ----------------------------------------------------------------------------------------------------------- contacts

// A box on a slope holds where the friction is above its tangent, and slides with g (sin - mu cos) where it is below.
static void test_slopes(void** state) {
    (void)state;
    const float angle = 0.4636476f; // tangent 0.5
    const grzQuat turn = grzQuat_FromAxisAngle(grzVec3_Make(0, 0, 1), angle);
    for (int i = 0; i < 2; ++i) {
        const float friction = i == 0 ? 0.55f : 0.3f;
        grzWorld* world = makeWorld(NULL);
        grzBodyDef def = defOf(grzMakeBox(grzVec3_Make(0, -1, 0), grzVec3_Make(40, 1, 5)), grzVec3_Zero());
        def.kind = grz_staticBody, def.rotation = turn, def.friction = friction;
        addBody(world, &def);
        def = defOf(grzMakeBox(grzVec3_Zero(), grzVec3_Make(0.5f, 0.25f, 0.5f)),
                    grzQuat_Rotate(turn, grzVec3_Make(0, 0.25f, 0)));
        def.rotation = turn, def.friction = friction;
        const grzBodyId box = addBody(world, &def);
        stepWorld(world, 20);
        const grzVec3 start = viewOf(world, box).origin, speed = viewOf(world, box).velocity;
        stepWorld(world, 60);
        if (i == 0) {
            mustBeNearVec(viewOf(world, box).origin, start, 2e-3f);
        } else {
            const grzVec3 down = grzQuat_Rotate(turn, grzVec3_Make(-1, 0, 0));
            const float gain = grzDot(grzSub(viewOf(world, box).velocity, speed), down);
            mustBeNear(gain, 9.81f * (sinf(angle) - friction * cosf(angle)), 0.05f);
        }
        grzWorld_Destroy(world);
    }
}

// Friction of two bodies is the root of the product: 0 on either side is none.
static void test_frictionOfTwo(void** state) {
    (void)state;
    grzWorld* world = makeWorld(NULL);
    addFloor(world, 0.4f);
    grzBodyDef def = defOf(grzMakeBox(grzVec3_Zero(), grzVec3_Make(0.5f, 0.2f, 0.5f)), grzVec3_Make(0, 0.2f, 0));
    def.velocity.x = 5, def.friction = 0.9f;
    const grzBodyId rough = addBody(world, &def);
    def.origin.z = 5, def.friction = 0;
    const grzBodyId smooth = addBody(world, &def);
    stepWorld(world, 30);
    mustBeNear(viewOf(world, rough).velocity.x, 5 - 0.6f * 9.81f * 0.5f, 0.1f);
    mustBeNear(viewOf(world, smooth).velocity.x, 5, 1e-3f);
    grzWorld_Destroy(world);
}

// From 2 m the ball comes back to e^2 of it, for the larger restitution of the two; below the threshold it stays.
static void test_bounces(void** state) {
    (void)state;
    static const float restitutions[] = {0, 0.5f, 0.8f, 1};
    grzWorld* world = makeWorld(NULL);
    addFloor(world, 0.5f);
    grzBodyId balls[4];
    float highest[4] = {0, 0, 0, 0};
    bool isDown[4] = {false, false, false, false};
    for (int i = 0; i < 4; ++i) {
        grzBodyDef def = defOf(grzMakeSphere(grzVec3_Zero(), 0.25f), grzVec3_Make(2 * (float)i, 2.25f, 0));
        def.restitution = restitutions[i];
        balls[i] = addBody(world, &def);
    }
    for (int step = 0; step < 84; ++step) {
        stepWorld(world, 1);
        for (int i = 0; i < 4; ++i) {
            const grzBodyView view = viewOf(world, balls[i]);
            isDown[i] = isDown[i] || view.origin.y < 0.4f;
            if (isDown[i])
                highest[i] = fmaxf(highest[i], view.origin.y - 0.25f);
        }
    }
    for (int i = 1; i < 4; ++i)
        mustBeNear(highest[i], 2 * restitutions[i] * restitutions[i], 2e-3f);
    mustBeNear(viewOf(world, balls[0]).origin.y, 0.25f, 0.01f);
    grzWorld_Destroy(world);
}

static float tiltOf(grzQuat rotation) {
    const grzVec3 up = grzQuat_Rotate(rotation, grzVec3_Make(0, 1, 0));
    return atan2f(hypotf(up.x, up.z), up.y);
}

// A prism that stands on one of two equal polygons.
static grzHull* makePrism(uint32_t corners, float radius, float halfHeight) {
    float positions[6 * 32];
    for (uint32_t i = 0; i < 2 * corners; ++i) {
        const float angle = 6.2831853f * (float)(i / 2) / (float)corners;
        grzVec3_Store(
            &positions[3 * (size_t)i],
            grzVec3_Make(radius * cosf(angle), i % 2 == 0 ? halfHeight : -halfHeight, radius * sinf(angle)));
    }
    grzHullDef def = grzDefaultHullDef();
    def.positions = positions, def.pointCount = 2 * corners;
    grzHull* hull;
    must(grzHull_Create(&def, &hull));
    return hull;
}

typedef struct Landing {
    float tilt;    // the most
    float rebound; // the highest after it has landed
    grzVec3 end;   // where it comes to rest
} Landing;

static Landing landFrom(grzConvex shape, float halfHeight, float height, float restitution) {
    grzWorld* world = makeWorld(NULL);
    addFloor(world, 0.6f);
    grzBodyDef def = defOf(shape, grzVec3_Make(0, halfHeight + height, 0));
    def.restitution = restitution;
    const grzBodyId body = addBody(world, &def);
    Landing landing = {0};
    for (int step = 0, isDown = 0; step < 120; ++step) {
        stepWorld(world, 1);
        const grzBodyView view = viewOf(world, body);
        isDown |= view.velocity.y >= 0 || view.origin.y < halfHeight + 0.01f;
        landing.tilt = fmaxf(landing.tilt, tiltOf(view.rotation));
        landing.rebound = fmaxf(landing.rebound, isDown ? view.origin.y - halfHeight : 0);
        landing.end = view.origin;
    }
    grzWorld_Destroy(world);
    return landing;
}

// What falls flat lands flat, and bounces flat to the height that it should: boxes of three kinds, a prism of five
// corners, of which four are kept and so press unevenly, and one of sixteen.
static void test_landsFlat(void** state) {
    (void)state;
    static const float heights[] = {0.5f, 3.5f, 7};
    grzHull *five = makePrism(5, 0.5f, 0.5f), *sixteen = makePrism(16, 0.5f, 0.5f);
    const struct {
        grzConvex shape;
        float halfHeight;
    } kinds[] = {{cube(0.5f), 0.5f},
                 {grzMakeBox(grzVec3_Zero(), grzVec3_Make(0.25f, 1, 0.25f)), 1},
                 {grzMakeBox(grzVec3_Zero(), grzVec3_Make(1, 0.1f, 0.5f)), 0.1f},
                 {grzMakeHullShape(five), 0.5f},
                 {grzMakeHullShape(sixteen), 0.5f}};
    for (size_t kind = 0; kind < sizeof kinds / sizeof kinds[0]; ++kind)
        for (int i = 0; i < 6; ++i) {
            const float height = heights[i / 2], restitution = i % 2 == 0 ? 0 : 0.5f;
            const Landing landing = landFrom(kinds[kind].shape, kinds[kind].halfHeight, height, restitution);
            mustBeNear(landing.tilt, 0, 2e-3f); // a ninth of a degree
            mustBeNear(landing.rebound, restitution * restitution * height, 2e-3f);
            if (restitution == 0)
                mustBeNearVec(landing.end, grzVec3_Make(0, kinds[kind].halfHeight, 0), 1e-3f);
        }
    grzHull_Destroy(five);
    grzHull_Destroy(sixteen);
}

// A box that falls flat on a stack leaves all of it upright, and itself upon it.
static void test_stackTakesABlow(void** state) {
    (void)state;
    enum { COUNT = 4 };
    grzWorld* world = makeWorld(NULL);
    addFloor(world, 0.6f);
    grzBodyId ids[COUNT];
    for (int i = 0; i < COUNT; ++i)
        ids[i] = addShape(world, grz_dynamicBody, cube(0.5f),
                          grzVec3_Make(0, 0.5f + (float)i + (i == COUNT - 1 ? 3.0f : 0), 0));
    for (int step = 0; step < 180; ++step) {
        stepWorld(world, 1);
        for (int i = 0; i < COUNT; ++i)
            mustBeNear(tiltOf(viewOf(world, ids[i]).rotation), 0, 2e-3f);
    }
    for (int i = 0; i < COUNT; ++i)
        mustBeNearVec(viewOf(world, ids[i]).origin, grzVec3_Make(0, 0.5f + (float)i, 0), 8e-3f);
    grzWorld_Destroy(world);
}

// A box that comes down on an edge rolls over it, and hardly turns about another axis: later two of four points take the blow.
static void test_landsOnAnEdge(void** state) {
    (void)state;
    grzWorld* world = makeWorld(NULL);
    addFloor(world, 0.6f);
    grzBodyDef def = defOf(cube(0.5f), grzVec3_Make(0, 3, 0));
    def.rotation = grzQuat_FromAxisAngle(grzVec3_Make(0, 0, 1), 0.3f);
    const grzBodyId box = addBody(world, &def);
    float most = 0;
    for (int step = 0; step < 150; ++step) {
        stepWorld(world, 1);
        const grzBodyView view = viewOf(world, box);
        most = fmaxf(most, fabsf(view.spin.z));
        mustBeNear(hypotf(view.spin.x, view.spin.y), 0, 0.1f);
        mustBeNear(view.origin.z, 0, 5e-3f);
    }
    assert_true(most > 1);
    mustBeNear(viewOf(world, box).origin.y, 0.5f, 2e-3f);
    grzWorld_Destroy(world);
}

// Two boxes that meet face to face exchange what they should, and neither turns.
static void test_meetFaceToFace(void** state) {
    (void)state;
    grzWorld* world = makeWorld(NULL);
    must(grzWorld_SetGravity(world, grzVec3_Zero()));
    grzBodyDef def = defOf(cube(0.5f), grzVec3_Make(-2, 0, 0));
    def.velocity.x = 6, def.restitution = 0.5f;
    const grzBodyId fast = addBody(world, &def);
    def.origin.x = 0, def.velocity.x = 0, def.density = 2000;
    const grzBodyId heavy = addBody(world, &def);
    stepWorld(world, 60);
    mustBeNearVec(viewOf(world, fast).velocity, grzVec3_Zero(), 1e-3f); // (1 - 2 e) / 3 of it
    mustBeNearVec(viewOf(world, heavy).velocity, grzVec3_Make(3, 0, 0), 1e-3f);
    mustBeNear(grzLength(viewOf(world, fast).spin), 0, 1e-4f);
    mustBeNear(grzLength(viewOf(world, heavy).spin), 0, 1e-4f);
    grzWorld_Destroy(world);
}

// What two bodies have together stays, in a collision off the middle; and so it does in a heap of meshes in the air.
static void test_momentum(void** state) {
    (void)state;
    grzWorld* world = makeWorld(NULL);
    must(grzWorld_SetGravity(world, grzVec3_Zero()));
    grzRng rng = grzRng_Make(testSeed(720), 0);
    grzBodyId ids[8];
    for (int i = 0; i < 8; ++i) {
        grzBodyDef def = grzDefaultBodyDef();
        if (i % 2 == 0)
            def.mesh = g_kit.ballShape;
        else
            def.shape = cube(0.3f + 0.05f * (float)i);
        def.density = 100.0f * (float)(1 + i);
        def.origin = grzScale(grzNormalize(randomVector(&rng, 1)), 2.5f);
        def.velocity = grzScale(def.origin, -1);
        def.spin = randomVector(&rng, 1);
        def.restitution = 0.3f;
        ids[i] = addBody(world, &def);
    }
    grzVec3d sums[2];
    uint64_t touches = 0;
    for (int when = 0; when < 2; ++when) {
        sums[when] = (grzVec3d){0};
        for (int i = 0; i < 8; ++i) {
            const grzBodyView view = viewOf(world, ids[i]);
            sums[when] =
                grzVec3d_Add(sums[when], grzVec3d_Scale(grzVec3d_FromVec3(view.velocity), (double)view.mass));
        }
        for (int step = 0; step < 90 && when == 0; ++step) {
            stepWorld(world, 1);
            touches += grzWorld_GetStats(world).touchingPairs;
        }
    }
    assert_true(touches > 3);
    assert_true(grzVec3d_Length(grzVec3d_Sub(sums[0], sums[1])) < 2e-3 * 3000);
    grzWorld_Destroy(world);
}

// Twenty seconds, validated now and then.
static void standStill(grzWorld* world, uint32_t count) {
    for (uint32_t i = 0; i < 1200; ++i) {
        must(grzWorld_Step(world, g_dt));
        if (i % 100 == 0)
            assert_true(grzWorld_Validate(world));
    }
    assert_true(grzWorld_GetStats(world).touchingPairs >= count);
}

static void test_stackStands(void** state) {
    (void)state;
    grzWorld* world = makeWorld(NULL);
    addFloor(world, 0.6f);
    grzBodyId ids[10];
    for (int i = 0; i < 10; ++i)
        ids[i] = addShape(world, grz_dynamicBody, cube(0.5f), grzVec3_Make(0, 0.5f + (float)i, 0));
    standStill(world, 10);
    for (int i = 0; i < 10; ++i) {
        mustBeNearVec(viewOf(world, ids[i]).origin, grzVec3_Make(0, 0.5f + (float)i, 0), 0.05f);
        mustBeNear(grzLength(viewOf(world, ids[i]).velocity), 0, 0.01f);
    }
    grzWorld_Destroy(world);
}

// Twice as high: nothing sways, and all motion dies away.
static void test_towerIsStill(void** state) {
    (void)state;
    enum { COUNT = 20 };
    grzWorld* world = makeWorld(NULL);
    addFloor(world, 0.6f);
    grzBodyId ids[COUNT];
    for (int i = 0; i < COUNT; ++i)
        ids[i] = addShape(world, grz_dynamicBody, cube(0.5f), grzVec3_Make(0, 0.5f + (float)i, 0));
    standStill(world, COUNT);
    for (int i = 0; i < COUNT; ++i) {
        const grzBodyView view = viewOf(world, ids[i]);
        mustBeNear(hypotf(view.origin.x, view.origin.z), 0, 1e-3f);
        mustBeNear(grzLength(view.velocity), 0, 1e-3f);
        // Each touch gives under n boxes by n g / w^2 where it lies on another (w = 2 pi 35), by an eighth of it on the floor.
        mustBeNear(view.origin.y, 0.5f + (float)i, 0.1f);
    }
    grzWorld_Destroy(world);
}

static void test_pyramidStands(void** state) {
    (void)state;
    enum { BASE = 8 };
    grzWorld* world = makeWorld(NULL);
    addFloor(world, 0.6f);
    grzBodyId ids[BASE * BASE];
    grzVec3 places[BASE * BASE];
    uint32_t count = 0;
    for (int row = 0; row < BASE; ++row)
        for (int i = 0; i < BASE - row; ++i) {
            places[count] = grzVec3_Make(1.05f * ((float)i + 0.5f * (float)row), 0.5f + (float)row, 0);
            ids[count] = addShape(world, grz_dynamicBody, cube(0.5f), places[count]);
            ++count;
        }
    standStill(world, count);
    for (uint32_t i = 0; i < count; ++i)
        mustBeNearVec(viewOf(world, ids[i]).origin, places[i], 0.05f);
    grzWorld_Destroy(world);
}

// ------------------------------------------------------------------------------------------------------------- meshes

// A body of each kind, a mesh among them, on a ground of triangles: at rest, where it should be.
static void test_restOnMesh(void** state) {
    (void)state;
    grzWorld* world = makeWorld(NULL);
    addMesh(world, grz_staticBody, g_kit.groundShape, grzVec3_Zero());
    const grzBodyId ids[4] = {
        addMesh(world, grz_dynamicBody, g_kit.crateShape, grzVec3_Make(-4, 0.7f, 0.3f)),
        addShape(world, grz_dynamicBody, cube(0.5f), grzVec3_Make(0, 0.7f, 0)),
        addShape(world, grz_dynamicBody, grzMakeSphere(grzVec3_Zero(), 0.5f), grzVec3_Make(4.3f, 0.7f, 1.1f)),
        addMesh(world, grz_dynamicBody, g_kit.ringShape, grzVec3_Make(2, 0.5f, 4))};
    stepWorld(world, 120);
    const float ringHeight = -(float)grzMesh_GetView(g_kit.ring).bounds.lower.y;
    for (int i = 0; i < 4; ++i) {
        const grzBodyView view = viewOf(world, ids[i]);
        mustBeNear(view.origin.y, i < 3 ? 0.5f : ringHeight, 0.02f);
        mustBeNear(grzLength(view.velocity), 0, 0.02f);
        mustBeNear(grzLength(view.spin), 0, 0.1f);
    }
    grzWorld_Destroy(world);
}

// Meshes on meshes: a crate of triangles on a crate of triangles on the ground.
static void test_meshOnMesh(void** state) {
    (void)state;
    grzWorld* world = makeWorld(NULL);
    addMesh(world, grz_staticBody, g_kit.groundShape, grzVec3_Zero());
    const grzBodyId low = addMesh(world, grz_dynamicBody, g_kit.crateShape, grzVec3_Make(0.3f, 0.5f, 0.2f));
    const grzBodyId high = addMesh(world, grz_dynamicBody, g_kit.crateShape, grzVec3_Make(0.35f, 1.5f, 0.25f));
    stepWorld(world, 120);
    mustBeNear(viewOf(world, low).origin.y, 0.5f, 0.03f);
    mustBeNear(viewOf(world, high).origin.y, 1.5f, 0.06f);
    mustBeNear(grzLength(viewOf(world, high).velocity), 0, 0.03f);
    grzWorld_Destroy(world);
}

// ------------------------------------------------------------------------------------------------------------ pushers

static void test_kinematicPushes(void** state) {
    (void)state;
    grzWorld* world = makeWorld(NULL);
    addFloor(world, 0.3f);
    const grzBodyId pusher = addShape(world, grz_kinematicBody, cube(0.5f), grzVec3_Make(-2, 0.55f, 0));
    const grzBodyId crate = addShape(world, grz_dynamicBody, cube(0.5f), grzVec3_Make(0, 0.5f, 0));
    const grzBodyId ring = addMesh(world, grz_dynamicBody, g_kit.crateShape, grzVec3_Make(-2, 0.5f, 4));
    const grzBodyId second = addShape(world, grz_kinematicBody, cube(0.5f), grzVec3_Make(-4, 0.55f, 4));
    must(grzWorld_SetVelocity(world, pusher, grzVec3_Make(2, 0, 0), grzVec3_Zero()));
    must(grzWorld_SetVelocity(world, second, grzVec3_Make(2, 0, 0), grzVec3_Zero()));
    stepWorld(world, 90);
    mustBeNearVec(viewOf(world, pusher).origin, grzVec3_Make(1, 0.55f, 0), 1e-3f); // as the host says
    mustBeNear(viewOf(world, crate).origin.x, 2, 0.05f);
    mustBeNear(viewOf(world, crate).velocity.x, 2, 0.1f);
    mustBeNear(viewOf(world, ring).origin.x, 0, 0.05f);
    must(grzWorld_SetVelocity(world, pusher, grzVec3_Zero(), grzVec3_Zero()));
    stepWorld(world, 60);
    mustBeNear(grzLength(viewOf(world, crate).velocity), 0, 0.05f);
    grzWorld_Destroy(world);
}

// A body that is placed is there at once, and keeps its velocity.
static void test_placing(void** state) {
    (void)state;
    grzWorld* world = makeWorld(NULL);
    addFloor(world, 0.3f);
    const grzBodyId crate = addShape(world, grz_dynamicBody, cube(0.5f), grzVec3_Make(0, 10, 0));
    must(grzWorld_SetVelocity(world, crate, grzVec3_Make(1, 0, 0), grzVec3_Zero()));
    const grzQuat turn = grzQuat_FromAxisAngle(grzVec3_Make(0, 1, 0), 0.7f);
    must(grzWorld_PlaceBody(world, crate, grzVec3_Make(20, 0.45f, -20), turn));
    const grzBodyView view = viewOf(world, crate);
    mustBeNearVec(view.origin, grzVec3_Make(20, 0.45f, -20), 1e-5f);
    mustBeNear(fabsf(grzQuat_Dot(view.rotation, turn)), 1, 1e-6f);
    mustBeNearVec(view.velocity, grzVec3_Make(1, 0, 0), 0);
    stepWorld(world, 1);
    assert_int_equal(grzWorld_GetContacts(world).contactCount, 4);
    grzTransform transforms[2];
    grzWorld_GetTransforms(world, transforms, 2);
    mustBeNearVec(transforms[1].origin, viewOf(world, crate).origin, 0);
    grzWorld_Destroy(world);
}

// A mesh that the host animates in each of the three ways carries a ball along, at its own speed or more.
static void test_animatedPushes(void** state) {
    (void)state;
    for (int motion = 0; motion < 3; ++motion) {
        grzWorld* world = makeWorld(NULL);
        addFloor(world, 0.3f);
        const grzBodyId mover = addAnimated(world, g_kit.crate, (grzAnimatedMotion)motion);
        const grzBodyId ball =
            addShape(world, grz_dynamicBody, grzMakeSphere(grzVec3_Zero(), 0.3f), grzVec3_Make(1, 0.3f, 0));
        const grzMeshView mesh = grzMesh_GetView(g_kit.crate);
        const grzVec3 one = grzVec3_Splat(1);
        if (motion == grz_animateKeyframes)
            must(grzWorld_AddKeyframe(world, mover, 1, movedPositions(g_kit.crate, one, grzVec3_Make(2, 0, 0))));
        for (uint32_t v = 0; v < mesh.vertexCount && motion == grz_animateVelocities; ++v) {
            const float velocity[3] = {2, 0, 0};
            must(grzWorld_SetVertexVelocities(world, mover, &v, velocity, 1));
        }
        for (int i = 1; i <= 60; ++i) {
            if (motion == grz_animateVertices)
                must(grzWorld_SetVertices(world, mover,
                                          movedPositions(g_kit.crate, one, grzVec3_Make(2 * (float)i / 60, 0, 0))));
            stepWorld(world, 1);
        }
        const grzBodyView view = viewOf(world, ball);
        assert_true(view.origin.x > 2.78f && view.origin.x < 6);
        assert_true(view.velocity.x > 1);
        mustBeNear(view.origin.y, 0.3f, 0.05f);
        mustBeNear(view.origin.z, 0, 0.1f);
        grzAnimatedView seen;
        must(grzWorld_GetAnimated(world, mover, &seen));
        assert_int_equal(seen.triangleCount, mesh.triangleCount);
        for (uint32_t v = 0; v < mesh.vertexCount; ++v)
            mustBeNear(seen.positions[3 * v], mesh.positions32[3 * v] + 2, 1e-3f);
        grzWorld_Destroy(world);
    }
}

// -------------------------------------------------------------------------------------------------------------- cloth

static grzVec3 vertexOf(const grzWorld* world, grzBodyId cloth, uint32_t vertex) {
    grzClothView view;
    must(grzWorld_GetCloth(world, cloth, &view));
    return grzVec3_Load(view.positions + 3 * (size_t)vertex);
}

static void test_clothHangs(void** state) {
    (void)state;
    grzWorld* world = makeWorld(NULL);
    const uint32_t pins[2] = {0, 10};
    grzClothDef def = grzDefaultClothDef();
    def.mesh = g_kit.sheet, def.origin.y = 5, def.damping = 3;
    def.pins = pins, def.pinCount = 2;
    grzBodyId cloth;
    must(grzWorld_AddCloth(world, &def, &cloth));
    stepWorld(world, 300);
    grzClothView view;
    must(grzWorld_GetCloth(world, cloth, &view));
    assert_int_equal(view.vertexCount, 121);
    assert_true(view.kineticEnergy < 1e-3); // of 0.8 kg
    assert_true(view.greatestStretch < 0.05f);
    mustBeNearVec(vertexOf(world, cloth, 0), grzVec3_Make(-1, 5, -1), 1e-6f);
    const grzVec3 low = vertexOf(world, cloth, 115);
    mustBeNearVec(low, grzVec3_Make(0, 3, -1), 0.15f);
    const float goal[6] = {-1, 6, -1, 1, 6, -1};
    must(grzWorld_MovePins(world, cloth, 0, 2, goal));
    stepWorld(world, 1);
    mustBeNearVec(vertexOf(world, cloth, 10), grzVec3_Make(1, 6, -1), 1e-5f);
    grzWorld_Destroy(world);
}

// A ball falls into a cloth that hangs from its corners, presses it down and stays in it.
static void test_clothCarries(void** state) {
    (void)state;
    grzWorld* world = makeWorld(NULL);
    const uint32_t pins[4] = {0, 10, 110, 120};
    const grzBodyId cloth = addCloth(world, grzVec3_Make(0, 5, 0), pins, 4);
    // With some slack; a sheet that is taut and does not stretch is flat, and a ball rolls off.
    for (uint32_t i = 0; i < 4; ++i) {
        const grzVec3 at = vertexOf(world, cloth, pins[i]);
        const float goal[3] = {0.85f * at.x, at.y, 0.85f * at.z};
        must(grzWorld_MovePins(world, cloth, i, 1, goal));
    }
    stepWorld(world, 60);
    grzBodyDef def = defOf(grzMakeSphere(grzVec3_Zero(), 0.3f), grzVec3_Make(0.05f, 5.5f, 0));
    def.density = 30;
    const grzBodyId ball = addBody(world, &def);
    stepWorld(world, 30);
    bool hasTouched = false;
    for (int i = 0; i < 150; ++i) {
        stepWorld(world, 1);
        hasTouched = hasTouched || grzWorld_GetContacts(world).contactCount > 0;
    }
    assert_true(hasTouched);
    float lowest = 5;
    for (uint32_t v = 0; v < 121; ++v)
        lowest = fminf(lowest, vertexOf(world, cloth, v).y);
    const float at = viewOf(world, ball).origin.y;
    if (!(at > 4.5f && at < 5.3f)) // carried
        fail_msg("the ball is at %g %g %g", (double)viewOf(world, ball).origin.x, (double)at,
                 (double)viewOf(world, ball).origin.z);
    mustBeNear(lowest, at - 0.3f, 0.03f); // pressed down, and under it
    assert_true(fabsf(viewOf(world, ball).velocity.y) < 0.5f);
    grzWorld_Destroy(world);
}

// A cloth falls on a box that stands still: it lies over it and hangs down around.
static void test_clothDrapes(void** state) {
    (void)state;
    grzWorld* world = makeWorld(NULL);
    addFloor(world, 0.6f);
    addShape(world, grz_staticBody, cube(0.5f), grzVec3_Make(0, 0.5f, 0));
    const grzBodyId cloth = addCloth(world, grzVec3_Make(0, 1.1f, 0), NULL, 0);
    stepWorld(world, 120);
    mustBeNear(vertexOf(world, cloth, 60).y, 1.005f, 0.02f);
    for (uint32_t corner = 0; corner < 4; ++corner) {
        const uint32_t corners[4] = {0, 10, 110, 120};
        const float y = vertexOf(world, cloth, corners[corner]).y;
        assert_true(y < 0.8f && y > -0.01f);
    }
    grzWorld_Destroy(world);
}

// A flat cloth falls freely: the step in which it has fallen to the box is known, and that is the one that tells of it.
static void test_clothBeginsInTheStepInWhichItTouches(void** state) {
    (void)state;
    const float gaps[] = {0.02f, 0.05f, 0.0999f, 0.3f};
    for (int i = 0; i < 4; ++i) {
        grzWorld* world = makeWorld(NULL);
        grzBodyDef box = defOf(grzMakeBox(grzVec3_Zero(), grzVec3_Make(3, 0.5f, 3)), grzVec3_Zero());
        box.kind = grz_staticBody;
        (void)addBody(world, &box);
        (void)addCloth(world, grzVec3_Make(0, 0.505f + gaps[i], 0), NULL, 0);
        bool hasBegun = false;
        for (int step = 1; step < 40 && !hasBegun; ++step) {
            stepWorld(world, 1);
            const grzWorldContacts found = grzWorld_GetContacts(world);
            const float h = g_dt / 4, n = (float)(4 * step); // damping takes less than a thousandth
            const float fallen = 9.81f * h * h * n * (n + 1) / 2, before = 9.81f * h * h * (n - 4) * (n - 3) / 2;
            hasBegun = found.eventCount != 0;
            if (fallen < 0.995f * gaps[i])
                assert_false(hasBegun);
            if (0.995f * fallen > gaps[i])
                assert_true(hasBegun);
            if (!hasBegun)
                continue;
            assert_int_equal(found.events[0].kind, grz_beginEvent);
            assert_true(found.events[0].contactCount > 50);
            for (uint32_t k = 0; k < found.events[0].contactCount; ++k) {
                const grzContact* contact = &found.contacts[found.events[0].firstContact + k];
                const float part = (gaps[i] - before) / (fallen - before);
                assert_true(contact->separation > 0 && contact->toi > 0 && contact->toi < 1);
                mustBeNear(contact->toi, part, 0.27f); // a substep and rounding
            }
        }
        assert_true(hasBegun);
        stepWorld(world, 1);
        assert_int_equal(grzWorld_GetContacts(world).events[0].kind, grz_persistEvent);
        assert_true(grzWorld_Validate(world));
        grzWorld_Destroy(world);
    }
}

// The body under a cloth, and then the cloth itself, go while they touch.
static void test_clothAndBodiesGoWhileTheyTouch(void** state) {
    (void)state;
    grzWorld* world = makeWorld(NULL);
    const grzBodyDef box = defOf(cube(0.5f), grzVec3_Zero());
    const uint32_t pins[4] = {0, 10, 110, 120};
    for (int isCloth = 0; isCloth < 2; ++isCloth) {
        const grzBodyId cloth = addCloth(world, grzVec3_Make(0, -0.7f, 0), pins, 4), body = addBody(world, &box);
        stepWorld(world, 60);
        assert_true(grzWorld_GetContacts(world).eventCount == 1);
        must(grzWorld_RemoveBody(world, isCloth != 0 ? cloth : body));
        stepWorld(world, 1);
        const grzWorldContacts found = grzWorld_GetContacts(world);
        assert_int_equal(found.eventCount, 1);
        assert_int_equal(found.events[0].kind, grz_endEvent);
        assert_int_equal(found.contactCount, 0);
        must(grzWorld_RemoveBody(world, isCloth != 0 ? body : cloth));
        stepWorld(world, 2);
        assert_true(grzWorld_Validate(world));
    }
    grzWorld_Destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fallAndThrow),
        cmocka_unit_test(test_spin),
        cmocka_unit_test(test_wobble),
        cmocka_unit_test(test_pushesAndForces),
        cmocka_unit_test(test_springsKeepTheirEnergy),
        cmocka_unit_test(test_damping),
        cmocka_unit_test(test_slopes),
        cmocka_unit_test(test_frictionOfTwo),
        cmocka_unit_test(test_bounces),
        cmocka_unit_test(test_landsFlat),
        cmocka_unit_test(test_stackTakesABlow),
        cmocka_unit_test(test_landsOnAnEdge),
        cmocka_unit_test(test_meetFaceToFace),
        cmocka_unit_test(test_momentum),
        cmocka_unit_test(test_stackStands),
        cmocka_unit_test(test_towerIsStill),
        cmocka_unit_test(test_pyramidStands),
        cmocka_unit_test(test_restOnMesh),
        cmocka_unit_test(test_meshOnMesh),
        cmocka_unit_test(test_kinematicPushes),
        cmocka_unit_test(test_placing),
        cmocka_unit_test(test_animatedPushes),
        cmocka_unit_test(test_clothHangs),
        cmocka_unit_test(test_clothCarries),
        cmocka_unit_test(test_clothDrapes),
        cmocka_unit_test(test_clothBeginsInTheStepInWhichItTouches),
        cmocka_unit_test(test_clothAndBodiesGoWhileTheyTouch),
    };
    return cmocka_run_group_tests(tests, makeWorldKit, destroyWorldKit);
}
