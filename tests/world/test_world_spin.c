// How bodies spin, against the laws of the free rigid body: the angular momentum, as a vector, and the energy stay. Both are worked
// out here in doubles, from the size of the box and from where it is and how it turns, after every step.
#include <math.h>

#include "rng.h"
#include "testing.h"
#include "world_testing.h"

static const float g_dt = 1.0f / 60.0f;

static grzVec3d vecd(double x, double y, double z) {
    return (grzVec3d){x, y, z};
}
static double dot(grzVec3d a, grzVec3d b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
static grzVec3d cross(grzVec3d a, grzVec3d b) {
    return vecd(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
static grzVec3d toDoubles(grzVec3 a) {
    return vecd((double)a.x, (double)a.y, (double)a.z);
}

// By the quaternion whatever its length; back where sign is -1.
static grzVec3d rotate(grzQuat q, double sign, grzVec3d a) {
    const grzVec3d v = vecd(sign * (double)q.x, sign * (double)q.y, sign * (double)q.z);
    const double w = (double)q.w, scale = 2 / (dot(v, v) + w * w);
    const grzVec3d c = cross(v, a), d = cross(v, c);
    return vecd(a.x + scale * (w * c.x + d.x), a.y + scale * (w * c.y + d.y), a.z + scale * (w * c.z + d.z));
}

// Of a box, for mass 1.
typedef struct Turning {
    grzVec3d momentum;
    double energy;
} Turning;

static Turning turningOf(const grzBodyView* view, grzVec3 half) {
    const double xx = (double)half.x * (double)half.x, yy = (double)half.y * (double)half.y,
                 zz = (double)half.z * (double)half.z;
    const grzVec3d spin = rotate(view->rotation, -1, toDoubles(view->spin));
    const grzVec3d own = vecd(spin.x * (yy + zz) / 3, spin.y * (xx + zz) / 3, spin.z * (xx + yy) / 3);
    return (Turning){rotate(view->rotation, 1, own), dot(own, spin) / 2};
}

typedef struct Spinner {
    grzBodyId id;
    grzVec3 half;
    Turning start;
} Spinner;

static Spinner addSpinner(grzWorld* world, grzVec3 half, grzVec3 origin, grzQuat rotation, grzVec3 spin) {
    grzBodyDef def = grzDefaultBodyDef();
    def.shape = grzMakeBox(grzVec3_Zero(), half);
    def.origin = origin, def.rotation = rotation, def.spin = spin;
    Spinner spinner = {.half = half, .id = addBody(world, &def)};
    const grzBodyView view = viewOf(world, spinner.id);
    spinner.start = turningOf(&view, half);
    return spinner;
}

static void mustKeep(const grzWorld* world, const Spinner* spinner, double share, int step) {
    const grzBodyView view = viewOf(world, spinner->id);
    const Turning now = turningOf(&view, spinner->half), start = spinner->start;
    const grzVec3d off = vecd(now.momentum.x - start.momentum.x, now.momentum.y - start.momentum.y,
                              now.momentum.z - start.momentum.z);
    const double momentum = sqrt(dot(off, off) / dot(start.momentum, start.momentum));
    const double energy = now.energy / start.energy - 1;
    if (!(momentum <= share && fabs(energy) <= share))
        fail_msg("box %g %g %g, step %d: momentum is off by %g, energy by %g", (double)spinner->half.x,
                 (double)spinner->half.y, (double)spinner->half.z, step, momentum, energy);
}

static const grzVec3 g_boxes[] = {
    {.x = 0.3f, .y = 0.5f, .z = 0.9f},  // three different moments
    {.x = 0.01f, .y = 0.5f, .z = 0.9f}, // a plate
    {.x = 1, .y = 0.04f, .z = 0.03f},   // a rod: moments of 1 to 800
    {.x = 0.2f, .y = 1, .z = 0.2f},     // two equal moments
    {.x = 0.5f, .y = 0.5f, .z = 0.5f},  // three
};
enum { BOX_COUNT = sizeof g_boxes / sizeof *g_boxes, SPIN_COUNT = 5 };
static const float g_spins[SPIN_COUNT] = {1, 10, 50, 100, 1000};

// About the axis x, y or z of the box, but for a little; the axis past them is none.
static grzVec3 spinAbout(int axis, float speed) {
    float spin[3] = {0.01f, 0.01f, 0.01f};
    for (int k = 0; k < 3; ++k)
        spin[k] = axis == 3 ? 0.57735f : axis == k ? 1.0f : spin[k];
    return grzVec3_Make(spin[0] * speed, spin[1] * speed, spin[2] * speed);
}

// A minute, with substeps of 1/60 and 1/240 s. About the middle axis a box tumbles over and over.
static void test_freeBodies(void** state) {
    (void)state;
    for (uint32_t substeps = 1; substeps <= 4; substeps += 3) {
        grzWorldDef def = grzDefaultWorldDef();
        def.substepCount = substeps, def.gravity = grzVec3_Zero();
        grzWorld* world;
        must(grzWorld_Create(&def, &world));
        Spinner spinners[BOX_COUNT * SPIN_COUNT * 4];
        uint32_t count = 0;
        for (int box = 0; box < BOX_COUNT; ++box)
            for (int k = 0; k < SPIN_COUNT; ++k)
                for (int axis = 0; axis < 4; ++axis, ++count)
                    spinners[count] = addSpinner(world, g_boxes[box], grzVec3_Make(20 * (float)count, 0, 0),
                                                 grzQuat_Identity(), spinAbout(axis, g_spins[k]));
        for (int step = 0; step < 3600; ++step) {
            must(grzWorld_Step(world, g_dt));
            for (uint32_t i = 0; i < count; ++i)
                mustKeep(world, &spinners[i], 0.005, step);
        }
        grzWorld_Destroy(world);
    }
}

// A box that hardly leaves its middle axis turns over, after a time that grows with the logarithm of how near it is: so it does
// tumble, and as fast as Euler's equations say.
static void test_tumbles(void** state) {
    (void)state;
    grzWorld* world = makeWorld(NULL);
    must(grzWorld_SetGravity(world, grzVec3_Zero()));
    const grzVec3 half = g_boxes[0];
    const Spinner spinner =
        addSpinner(world, half, grzVec3_Zero(), grzQuat_Identity(), grzVec3_Make(0.05f, 5, 0.05f));
    grzVec3d wanted = vecd((double)0.05f, 5, (double)0.05f);
    const double x = 0.09, y = 0.25, z = 0.81; // squares of the half widths
    float least = 5;
    for (int step = 0; step < 180; ++step) {
        for (int i = 0; i < 100; ++i) { // Euler's equations, in small steps of the midpoint rule
            const double t = (double)g_dt / 100;
            grzVec3d w = wanted;
            for (int stage = 0; stage < 2; ++stage) {
                const grzVec3d rate = vecd((z - y) / (y + z) * w.y * w.z, (x - z) / (x + z) * w.z * w.x,
                                           (y - x) / (x + y) * w.x * w.y);
                const double part = stage == 0 ? t / 2 : t;
                w = vecd(wanted.x + part * rate.x, wanted.y + part * rate.y, wanted.z + part * rate.z);
            }
            wanted = w;
        }
        stepWorld(world, 1);
        const grzBodyView view = viewOf(world, spinner.id);
        const grzVec3d own = rotate(view.rotation, -1, toDoubles(view.spin));
        const grzVec3d off = vecd(own.x - wanted.x, own.y - wanted.y, own.z - wanted.z);
        if (!(dot(off, off) < 0.1 * 0.1))
            fail_msg("step %d: %g %g %g is not %g %g %g", step, own.x, own.y, own.z, wanted.x, wanted.y, wanted.z);
        least = (float)own.y < least ? (float)own.y : least;
    }
    assert_true(least < -4.5f);
    grzWorld_Destroy(world);
}

// A torque adds itself times the time to the angular momentum, whatever the body does meanwhile. 10 s; mass is 1.
static void test_torqueAddsMomentum(void** state) {
    (void)state;
    grzWorld* world = makeWorld(NULL);
    must(grzWorld_SetGravity(world, grzVec3_Zero()));
    grzBodyDef def = grzDefaultBodyDef();
    def.shape = grzMakeBox(grzVec3_Zero(), g_boxes[0]);
    def.density = 1.0f / (8 * g_boxes[0].x * g_boxes[0].y * g_boxes[0].z);
    def.spin = grzVec3_Make(4, 20, -3);
    const grzBodyId id = addBody(world, &def);
    const grzVec3 torque = grzVec3_Make(0.5f, 0.25f, -1);
    grzBodyView view = viewOf(world, id);
    grzVec3d wanted = turningOf(&view, g_boxes[0]).momentum;
    for (int step = 0; step < 600; ++step) {
        must(grzWorld_AddForce(world, id, grzVec3_Zero(), torque));
        stepWorld(world, 1);
        const double t = (double)g_dt;
        wanted =
            vecd(wanted.x + t * (double)torque.x, wanted.y + t * (double)torque.y, wanted.z + t * (double)torque.z);
        view = viewOf(world, id);
        const grzVec3d momentum = turningOf(&view, g_boxes[0]).momentum;
        const grzVec3d off = vecd(momentum.x - wanted.x, momentum.y - wanted.y, momentum.z - wanted.z);
        if (!(dot(off, off) < 1e-4 * dot(wanted, wanted)))
            fail_msg("step %d: the momentum is %g %g %g, not %g %g %g", step, momentum.x, momentum.y, momentum.z,
                     wanted.x, wanted.y, wanted.z);
    }
    grzWorld_Destroy(world);
}

static double energyOf(const grzWorld* world, const Spinner* spinner) {
    const grzBodyView view = viewOf(world, spinner->id);
    const grzVec3d velocity = toDoubles(view.velocity);
    return turningOf(&view, spinner->half).energy + dot(velocity, velocity) / 2 + 9.81 * (double)view.origin.y;
}

// A spinning box falls on a floor. Friction and hits take energy away; only overlaps that are pushed apart give a little back.
static void dropSpinner(int box, float speed, int axis) {
    grzWorld* world = makeWorld(NULL);
    addFloor(world, 0.6f);
    const grzQuat rotation = grzQuat_Normalize(grzQuat_Make(0.3f, -0.2f, 0.1f * (float)axis, 0.4f));
    const Spinner spinner =
        addSpinner(world, g_boxes[box], grzVec3_Make(0, 2, 0), rotation, spinAbout(axis, speed));
    const double start = energyOf(world, &spinner), room = 0.3 + 0.015 * start;
    double least = start;
    for (int step = 0; step < 240; ++step) {
        must(grzWorld_Step(world, g_dt));
        const double now = energyOf(world, &spinner);
        if (!(now <= least + room))
            fail_msg("box %d, spin %g, axis %d, step %d: energy rises from %g to %g; it began at %g", box,
                     (double)speed, axis, step, least, now, start);
        least = now < least ? now : least;
    }
    grzWorld_Destroy(world);
}

static void test_hitsAddNoEnergy(void** state) {
    (void)state;
    for (int box = 0; box < BOX_COUNT; ++box)
        for (int k = 0; k < SPIN_COUNT; ++k)
            for (int axis = 0; axis < 4; ++axis)
                dropSpinner(box, g_spins[k], axis);
}

// For mass 1 each.
static double energyOfTwo(const grzWorld* world, const Spinner spinners[2]) {
    double energy = 0;
    for (int i = 0; i < 2; ++i) {
        const grzBodyView view = viewOf(world, spinners[i].id);
        energy += turningOf(&view, spinners[i].half).energy;
        energy += 0.5 * dot(toDoubles(view.velocity), toDoubles(view.velocity));
    }
    return energy;
}

// Two rods or two boxes that spin fast and bounce off each other with all restitution and no friction never have more energy than at
// the start: what gyroscopic terms change is not taken for what the touch took.
static void test_bouncesAddNoEnergy(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(760), 0);
    for (int round = 0; round < 80; ++round) {
        const grzVec3 half = round % 2 == 0 ? grzVec3_Make(1.5f, 0.1f, 0.1f) : grzVec3_Make(0.5f, 0.3f, 0.4f);
        const float spin = round % 4 < 2 ? 20 : 60;
        grzWorldDef worldDef = grzDefaultWorldDef();
        worldDef.gravity = grzVec3_Zero(), worldDef.restitutionThreshold = 0.01f;
        grzWorld* world;
        must(grzWorld_Create(&worldDef, &world));
        Spinner spinners[2];
        for (int i = 0; i < 2; ++i) {
            grzBodyDef def = grzDefaultBodyDef();
            const float side = i == 0 ? -1 : 1;
            def.shape = grzMakeBox(grzVec3_Zero(), half);
            def.restitution = 1, def.friction = 0;
            def.origin = grzVec3_Make(side * (half.x + 0.5f), grzRng_Float(&rng) * 0.3f, grzRng_Float(&rng) * 0.3f);
            def.velocity = grzVec3_Make(-side * 3, grzRng_Float(&rng), 0);
            def.spin = grzVec3_Make(spin * (2 * grzRng_Float(&rng) - 1), spin * (2 * grzRng_Float(&rng) - 1),
                                    spin * (2 * grzRng_Float(&rng) - 1));
            spinners[i] = (Spinner){.half = half, .id = addBody(world, &def)};
        }
        const double before = energyOfTwo(world, spinners);
        for (int step = 0; step < 40; ++step) {
            stepWorld(world, 1);
            const double now = energyOfTwo(world, spinners);
            if (!(now <= before * 1.0002))
                fail_msg("round %d, step %d: %g times the energy", round, step, now / before);
        }
        grzWorld_Destroy(world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_freeBodies),         cmocka_unit_test(test_tumbles),
        cmocka_unit_test(test_torqueAddsMomentum), cmocka_unit_test(test_bouncesAddNoEnergy),
        cmocka_unit_test(test_hitsAddNoEnergy),
    };
    return cmocka_run_group_tests(tests, makeWorldKit, destroyWorldKit);
}
