// What restitution does to energy. What falls comes back to the height that it should. Bodies that bounce off each other do not gain
// energy, however many do in one step. Energies are made of positions, velocities and the inertia of the shapes, at every step.
#include <math.h>

#include "expected_failure.h"
#include "rng.h"
#include "testing.h"
#include "world_testing.h"

enum { MOST_BODIES = 40 };

// A world with what its energy is made of. Boxes are cubes, so that a free turn keeps its energy.
typedef struct Scene {
    grzWorld* world;
    float timeStep;
    double gravity; // along -y
    uint32_t count;
    grzBodyId ids[MOST_BODIES];
    double inertias[MOST_BODIES]; // 0: not dynamic
} Scene;

static Scene makeScene(double gravity, float timeStep, uint32_t substeps, float threshold) {
    Scene scene = {.timeStep = timeStep, .gravity = gravity};
    grzWorldDef def = grzDefaultWorldDef();
    def.gravity = grzVec3_Make(0, (float)-gravity, 0);
    def.substepCount = substeps;
    def.restitutionThreshold = threshold;
    must(grzWorld_Create(&def, &scene.world));
    return scene;
}

static grzBodyDef bodyOf(bool isBall, float half, grzVec3 origin) {
    grzBodyDef def = grzDefaultBodyDef();
    def.shape = isBall ? grzMakeSphere(grzVec3_Zero(), half) : grzMakeBox(grzVec3_Zero(), grzVec3_Splat(half));
    def.origin = origin;
    def.restitution = 1;
    return def;
}

static grzBodyId add(Scene* scene, const grzBodyDef* def) {
    const grzBodyId id = addBody(scene->world, def);
    const grzBodyView view = viewOf(scene->world, id);
    const bool isBall = def->shape.kind == grz_sphereShape;
    const double half = isBall ? (double)def->shape.radius : (double)def->shape.b.x;
    assert_true(scene->count < MOST_BODIES);
    scene->ids[scene->count] = id;
    scene->inertias[scene->count++] = (isBall ? 0.4 : 2.0 / 3) * half * half * (double)view.mass;
    return id;
}

static void step(const Scene* scene) {
    must(grzWorld_Step(scene->world, scene->timeStep));
}

typedef struct Sums {
    double energy;
    grzVec3d momentum, turning;
} Sums;

static Sums sumsOf(const Scene* scene) {
    Sums sums = {0};
    for (uint32_t i = 0; i < scene->count; ++i) {
        const grzBodyView view = viewOf(scene->world, scene->ids[i]);
        const double mass = (double)view.mass;
        const grzVec3d v = grzVec3d_FromVec3(view.velocity), w = grzVec3d_FromVec3(view.spin);
        const grzVec3d own = grzVec3d_Scale(v, mass), at = grzVec3d_FromVec3(view.center);
        sums.energy += 0.5 * mass * grzVec3d_Dot(v, v) + 0.5 * scene->inertias[i] * grzVec3d_Dot(w, w);
        sums.energy += mass * scene->gravity * at.y;
        sums.momentum = grzVec3d_Add(sums.momentum, own);
        sums.turning = grzVec3d_Add(sums.turning,
                                    grzVec3d_Add(grzVec3d_Cross(at, own), grzVec3d_Scale(w, scene->inertias[i])));
    }
    return sums;
}

static double lengthOf(grzVec3d a) {
    return sqrt(grzVec3d_Dot(a, a));
}

static void mustBeWithin(double value, double wanted, double room) {
    if (!(fabs(value - wanted) <= room))
        fail_msg("%.7g is not %.7g within %g", value, wanted, room);
}

// ------------------------------------------------------------------------------------------------------------ heights

typedef struct Drop {
    bool isBall, isOnMesh;
    float height, timeStep, restitution;
    uint32_t substeps;
} Drop;

// The top of the parabola through three heights; those of a free flight lie on one.
static double topOf(const double y[3]) {
    const double bend = 0.5 * (y[0] + y[2]) - y[1], slope = 0.5 * (y[2] - y[0]);
    return y[1] - slope * slope / (4 * bend);
}

// Follows a body through three bounces. In steps of h velocities lead by half a step: all flights are as from heights that are higher
// by g h^2 / 8, but for the first.
static void follow(const Drop* drop) {
    const double gravity = 9.81, h = (double)drop->timeStep / drop->substeps, lead = gravity * h * h / 8;
    Scene scene = makeScene(gravity, drop->timeStep, drop->substeps, 1);
    if (drop->isOnMesh)
        addMesh(scene.world, grz_staticBody, g_kit.groundShape, grzVec3_Zero());
    else
        addFloor(scene.world, 0.6f);
    grzBodyDef def = bodyOf(drop->isBall, 0.5f, grzVec3_Make(0.3f, 0.5f + drop->height, 0.2f));
    def.restitution = drop->restitution;
    const grzBodyId id = add(&scene, &def);
    const double share = (double)drop->restitution * (double)drop->restitution;
    double y[3] = {0}, wanted = share * ((double)drop->height + lead);
    uint32_t tops = 0;
    bool isRising = false;
    for (uint32_t i = 0; i < 4000 && tops < 3; ++i) {
        step(&scene);
        const grzBodyView view = viewOf(scene.world, id);
        y[0] = y[1], y[1] = y[2], y[2] = (double)view.origin.y - 0.5;
        isRising = isRising || (y[2] > y[1] && y[1] > y[0]);
        if (isRising && y[2] < y[1]) {
            mustBeWithin(topOf(y), wanted, 1e-3 * wanted);
            assert_true(grzLength(view.spin) < 1e-3f);
            wanted = share * topOf(y);
            isRising = false;
            ++tops;
        }
    }
    assert_int_equal(tops, 3);
    grzWorld_Destroy(scene.world);
}

// A ball or a box that lands flat comes back to e^2 of its height, to a thousandth, whatever the step and wherever in it they meet.
static void test_comesBack(void** state) {
    (void)state;
    static const float heights[] = {0.7f, 2, 5, 20}, restitutions[] = {1, 1, 0.8f};
    static const float timeSteps[] = {1.0f / 30, 1.0f / 60, 1.0f / 120};
    static const uint32_t substeps[] = {1, 2, 4, 7};
    for (int kind = 0; kind < 4; ++kind)
        for (int i = 0; i < 12; ++i) {
            const Drop drop = {.isBall = kind % 2 == 0,
                               .isOnMesh = kind / 2 == 1,
                               .height = heights[i % 4],
                               .timeStep = timeSteps[i / 4],
                               .restitution = restitutions[(i + kind) % 3],
                               .substeps = substeps[(i + i / 4) % 4]};
            follow(&drop);
        }
}

// What a plate that the host moves hits goes off at its speed and e times that, and the contact tells how hard it was hit.
static void test_isHitByAPlate(void** state) {
    (void)state;
    static const float restitutions[] = {0.5f, 1};
    for (int i = 0; i < 2; ++i) {
        Scene scene = makeScene(0, 1.0f / 60, 4, 1);
        grzBodyDef def = bodyOf(false, 1, grzVec3_Make(0, -2, 0));
        def.kind = grz_kinematicBody, def.velocity = grzVec3_Make(0, 5, 0), def.restitution = 0;
        addBody(scene.world, &def);
        def = bodyOf(true, 0.5f, grzVec3_Zero());
        def.restitution = restitutions[i];
        const grzBodyId ball = add(&scene, &def);
        const double mass = (double)viewOf(scene.world, ball).mass, speed = 5 * (1 + (double)restitutions[i]);
        double sum = 0;
        for (int k = 0; k < 20; ++k) {
            step(&scene);
            const grzWorldContacts found = grzWorld_GetContacts(scene.world);
            for (size_t at = 0; at < found.contactCount; ++at)
                sum += (double)found.impulses[at];
        }
        mustBeWithin((double)viewOf(scene.world, ball).velocity.y, speed, 1e-3);
        mustBeWithin(sum, mass * speed, 1e-3 * mass * speed);
        grzWorld_Destroy(scene.world);
    }
}

// ------------------------------------------------------------------------------------------------------------- energy

// Two bodies meet anyhow, and so turn each other: they have the energy that they had, or less with friction. Momentum stays. Levers are
// those of the step's start, so angular momentum stays but for what the bodies slip along each other in a step.
static void test_twoMeet(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(730), 0);
    for (int round = 0; round < 60; ++round) {
        const float friction = round % 2 == 0 ? 0 : 0.6f;
        Scene scene = makeScene(0, 1.0f / 60, 4, 0);
        for (int i = 0; i < 2; ++i) {
            const float side = i == 0 ? -1 : 1;
            grzBodyDef def = bodyOf(round % 6 == 0, 0.5f, grzVec3_Make(1.2f * side, grzRng_Float(&rng) * 0.4f, 0));
            def.velocity = grzVec3_Make(-side * (2 + grzRng_Float(&rng)), grzRng_Float(&rng) - 0.5f, 0);
            def.spin = grzVec3_Make(grzRng_Float(&rng), grzRng_Float(&rng), 2 * grzRng_Float(&rng));
            def.density *= (float)(1 + 2 * i);
            def.friction = friction;
            add(&scene, &def);
        }
        const Sums before = sumsOf(&scene);
        double slip = 0;
        for (int i = 0; i < 40; ++i) {
            const grzBodyView a = viewOf(scene.world, scene.ids[0]), b = viewOf(scene.world, scene.ids[1]);
            step(&scene);
            const Sums now = sumsOf(&scene);
            mustBeWithin(lengthOf(grzVec3d_Sub(now.momentum, before.momentum)), 0, 1e-5 * before.energy);
            if (friction == 0)
                mustBeWithin(now.energy, before.energy, 1e-4 * before.energy);
            else
                assert_true(now.energy <= before.energy * (1 + 1e-4));
            const float speed = grzDistance(a.velocity, b.velocity) + grzLength(a.spin) + grzLength(b.spin);
            slip += (double)(speed * scene.timeStep * a.mass *
                             grzDistance(a.velocity, viewOf(scene.world, scene.ids[0]).velocity));
            assert_true(lengthOf(grzVec3d_Sub(now.turning, before.turning)) < slip + 1e-4 * before.energy);
        }
        assert_true(viewOf(scene.world, scene.ids[0]).velocity.x < 1); // they did meet
        grzWorld_Destroy(scene.world);
    }
}

// Balls or boxes in a row, and how much of its energy it keeps. With gaps, each hands what it has to the next; without, all blows
// come at once, and nothing is gained.
static double keptByRow(bool isBall, bool hasGaps) {
    Scene scene = makeScene(0, 1.0f / 60, 4, 0.01f);
    for (int i = 0; i < 5; ++i) {
        const float pitch = hasGaps ? 1.01f : 1;
        grzBodyDef def = bodyOf(isBall, 0.5f, grzVec3_Make(i == 0 ? -1 : pitch * (float)i, 0, 0));
        def.velocity.x = i == 0 ? 4 : 0;
        add(&scene, &def);
    }
    const Sums before = sumsOf(&scene);
    for (int i = 0; i < 60; ++i) {
        step(&scene);
        const Sums now = sumsOf(&scene);
        assert_true(now.energy < before.energy * (1 + 1e-4));
        mustBeWithin(now.momentum.x, before.momentum.x, 1e-4 * before.momentum.x);
    }
    const Sums after = sumsOf(&scene);
    for (int i = 0; i < 5 && hasGaps; ++i)
        mustBeWithin((double)viewOf(scene.world, scene.ids[i]).velocity.x, i == 4 ? 4 : 0, 0.02);
    grzWorld_Destroy(scene.world);
    return after.energy / before.energy;
}

static void test_row(void** state) {
    (void)state;
    for (int i = 0; i < 2; ++i) {
        assert_true(keptByRow(i == 0, true) > 0.8);
        assert_true(keptByRow(i == 0, false) > 0.8);
    }
}

typedef struct Gas {
    bool isBall;
    float speed, friction, threshold;
    double gravity;
    double least; // of the energy that is left
} Gas;

// 27 bodies in a closed room that is a little larger than they: many touches a step, and bodies between two others.
static void test_closedRoom(void** state) {
    (void)state;
    static const Gas gases[] = {{false, 3, 0, 0, 0, 0.98},   {true, 3, 0, 0, 0, 0.98}, {false, 9, 0, 0, 0, 0.9},
                                {false, 9, 0, 0, 9.81, 0.9}, {false, 3, 0, 1, 0, 0.5}, {false, 9, 0.6f, 0, 0, 0},
                                {true, 9, 0.1f, 0, 9.81, 0}};
    const float room = 1.65f;
    for (size_t k = 0; k < sizeof gases / sizeof gases[0]; ++k) {
        const Gas* gas = &gases[k];
        grzRng rng = grzRng_Make(testSeed(731), k);
        Scene scene = makeScene(gas->gravity, 1.0f / 60, 4, gas->threshold);
        double weight = 0;
        for (int i = 0; i < 6; ++i) {
            const float at = (i % 2 == 0 ? -1 : 1) * (room + 5);
            const grzVec3 center = grzVec3_Make(i / 2 == 0 ? at : 0, i / 2 == 1 ? at : 0, i / 2 == 2 ? at : 0);
            grzBodyDef def = bodyOf(false, 5, center);
            def.kind = grz_staticBody, def.friction = gas->friction;
            addBody(scene.world, &def);
        }
        for (int i = 0; i < 27; ++i) {
            const grzVec3 place = grzVec3_Make((float)(i % 3 - 1), (float)(i / 3 % 3 - 1), (float)(i / 9 - 1));
            grzBodyDef def = bodyOf(gas->isBall, 0.4f, grzScale(place, 1.05f));
            const float x = grzRng_Float(&rng), y = grzRng_Float(&rng), z = grzRng_Float(&rng);
            def.velocity = grzScale(grzVec3_Make(x - 0.5f, y - 0.5f, z - 0.5f), 2 * gas->speed);
            def.friction = gas->friction;
            weight += (double)viewOf(scene.world, add(&scene, &def)).mass * gas->gravity;
        }
        const double ground = -weight * (double)room, before = sumsOf(&scene).energy - ground;
        for (int i = 0; i < 400; ++i) {
            step(&scene);
            const double now = sumsOf(&scene).energy - ground;
            if (now > 1.003 * before)
                fail_msg("gas %zu has %g of its energy after %d steps", k, now / before, i + 1);
        }
        const double left = (sumsOf(&scene).energy - ground) / before;
        if (!(left > gas->least))
            fail_msg("gas %zu keeps %g of its energy", k, left);
        for (uint32_t i = 0; i < scene.count; ++i)
            assert_true(grzLength(viewOf(scene.world, scene.ids[i]).origin) < 1.74f * room);
        grzWorld_Destroy(scene.world);
    }
}

// -------------------------------------------------------------------------------------------------------------- quiet

// Boxes that stand on each other stand as if they had no restitution, in long steps too: what gravity makes of a step is no approach.
static void test_stackIsQuiet(void** state) {
    (void)state;
    static const float timeSteps[] = {1.0f / 60, 1.0f / 12, 1.0f / 30};
    static const uint32_t substeps[] = {4, 4, 2};
    for (int round = 0; round < 3; ++round) {
        Scene scenes[2];
        for (int k = 0; k < 2; ++k) {
            scenes[k] = makeScene(9.81, timeSteps[round], substeps[round], 1);
            addFloor(scenes[k].world, 0.6f);
            for (int i = 0; i < 6; ++i) {
                grzBodyDef def = bodyOf(false, 0.5f, grzVec3_Make(0, 0.5f + (float)i, 0));
                def.restitution = k == 0 ? 0 : 0.9f;
                add(&scenes[k], &def);
            }
        }
        for (int i = 0; i < 200; ++i) {
            step(&scenes[0]);
            step(&scenes[1]);
            for (uint32_t k = 0; k < scenes[0].count; ++k) {
                const grzBodyView plain = viewOf(scenes[0].world, scenes[0].ids[k]);
                const grzBodyView elastic = viewOf(scenes[1].world, scenes[1].ids[k]);
                assert_true(grzDistance(plain.origin, elastic.origin) < 1e-4f);
                assert_true(grzDistance(plain.velocity, elastic.velocity) < 1e-3f);
            }
        }
        grzWorld_Destroy(scenes[0].world);
        grzWorld_Destroy(scenes[1].world);
    }
}

// --------------------------------------------------------------------------------------------------------------- load

// A cube falls on one that is a hundred times lighter. How far that one is ever pressed into the floor and the heavy one together.
static double deepestUnderBlow(float restitution, float threshold) {
    Scene scene = makeScene(9.81, 1.0f / 60, 4, threshold);
    addFloor(scene.world, 0.6f);
    for (int i = 0; i < 2; ++i) {
        grzBodyDef def = bodyOf(false, 0.5f, grzVec3_Make(0, i == 0 ? 0.5f : 3.5f, 0));
        def.restitution = restitution;
        def.density *= i == 0 ? 1 : 100;
        add(&scene, &def);
    }
    double deepest = 0;
    for (int i = 0; i < 360; ++i) {
        step(&scene);
        const grzBodyView light = viewOf(scene.world, scene.ids[0]), heavy = viewOf(scene.world, scene.ids[1]);
        assert_true(fabsf(light.rotation.w) > 0.999f && fabsf(heavy.rotation.w) > 0.999f);
        deepest = fmax(deepest, 0.5 - (double)light.origin.y);
        deepest = fmax(deepest, 1 - (double)(heavy.origin.y - light.origin.y));
    }
    grzWorld_Destroy(scene.world);
    return deepest;
}

// What holds a load should go on holding it while it bounces. Today a touch bounces while it is still pressed: what stops the heavy cube
// in many passes starts again after each bounce, and the light one alone is thrown to and fro.
static void isNotCrushed(void** state) {
    (void)state;
    double worst = 0;
    for (int i = 0; i < 2; ++i) {
        const double plain = deepestUnderBlow(0, (float)i);
        assert_true(plain > 0.01); // they did meet
        worst = fmax(worst, deepestUnderBlow(0.5f, (float)i) / plain);
    }
    expectFailureAtMost("deepest overlap beside that without restitution", worst, 1.25);
}

// With any threshold a stack with restitution comes to rest: what gravity makes of two substeps is no blow.
static void test_stackRests(void** state) {
    (void)state;
    static const float thresholds[] = {0, 0.01f, 0};
    double fastest = 0;
    for (int round = 0; round < 3; ++round) {
        Scene scene = makeScene(9.81, 1.0f / 60, 4, thresholds[round]);
        addFloor(scene.world, 0.6f);
        for (int i = 0; i < 5; ++i) {
            grzBodyDef def =
                bodyOf(false, 0.5f, grzVec3_Make(round == 2 ? 0.03f * (float)(i % 3) : 0, 0.5f + (float)i, 0));
            def.restitution = 0.5f;
            add(&scene, &def);
        }
        for (int i = 0; i < 1200; ++i)
            step(&scene);
        for (uint32_t i = 0; i < scene.count; ++i) {
            const grzBodyView view = viewOf(scene.world, scene.ids[i]);
            fastest = fmax(fastest, (double)(grzLength(view.velocity) + grzLength(view.spin)));
        }
        grzWorld_Destroy(scene.world);
    }
    assertAtMost("greatest speed at the end in m/s", fastest, 1e-3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_comesBack),    cmocka_unit_test(test_isHitByAPlate),
        cmocka_unit_test(test_twoMeet),      cmocka_unit_test(test_row),
        cmocka_unit_test(test_closedRoom),   cmocka_unit_test(test_stackIsQuiet),
        expected_failure_test(isNotCrushed), cmocka_unit_test(test_stackRests),
    };
    return cmocka_run_group_tests(tests, makeWorldKit, destroyWorldKit);
}
