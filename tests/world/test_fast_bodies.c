// What the guard behind the solver (passing.h) holds, beside test_thin_walls.c: rooms of thin walls, walls that move and turn at bodies,
// meshes with one side and two; and what it leaves alone: bodies that slide, and those that the host places. Told by places alone.
#include "expected_failure.h"
#include "world_guard.h"
#include "world_inside.h"
#include "world_testing.h"

#define THIN 0.01f // half the thickness of walls

static grzConvex boxOf(float x, float y, float z) {
    return grzMakeBox(grzVec3_Zero(), grzVec3_Make(x, y, z));
}

// ---- a room ----

enum { roomCount = 36, kinds = 6, roomSteps = 150 };

static const float g_room = 2; // half its side

typedef struct Walls {
    grzVec3 halves[3]; // of those across each axis
    grzMesh* meshes[3];
    grzMeshShape* shapes[3];
} Walls;

static Walls makeWalls(void) {
    const float wide = g_room + 2 * THIN;
    Walls walls = {
        .halves = {grzVec3_Make(THIN, wide, wide), grzVec3_Make(wide, THIN, wide), grzVec3_Make(wide, wide, THIN)}};
    for (int axis = 0; axis < 3; ++axis) {
        walls.meshes[axis] = scaledShapeMesh(shapeBox, 12, walls.halves[axis]);
        walls.shapes[axis] = meshShapeOf(walls.meshes[axis]);
    }
    return walls;
}

static void freeWalls(const Walls* walls) {
    for (int axis = 0; axis < 3; ++axis) {
        grzMeshShape_Destroy(walls->shapes[axis]);
        grzMesh_Destroy(walls->meshes[axis]);
    }
}

static void addWalls(grzWorld* world, const Walls* walls, bool areMeshes) {
    for (int k = 0; k < 6; ++k) {
        const int axis = k / 2;
        const float side = (k % 2 == 0 ? -1.0f : 1.0f) * (g_room + THIN);
        const grzVec3 at = grzVec3_Make(axis == 0 ? side : 0, axis == 1 ? side : 0, axis == 2 ? side : 0);
        if (areMeshes)
            addMesh(world, grz_staticBody, walls->shapes[axis], at);
        else
            addShape(world, grz_staticBody, grzMakeBox(grzVec3_Zero(), walls->halves[axis]), at);
    }
}

// Balls, boxes, rods, meshes and discs in a room fly at up to 300 m/s and turn at 100 a second: how many are ever outside.
static int countEscapes(bool areMeshes, uint32_t substeps, float timeStep) {
    const grzConvex shapes[kinds] = {grzMakeSphere(grzVec3_Zero(), 0.05f),
                                     boxOf(0.1f, 0.1f, 0.1f),
                                     boxOf(0.5f, THIN, THIN),
                                     grzMakeCapsule(grzVec3_Make(-0.4f, 0, 0), grzVec3_Make(0.4f, 0, 0), THIN),
                                     {.kind = grz_noShape}, // a mesh
                                     boxOf(0.3f, THIN, 0.3f)};
    grzRng rng = grzRng_Make(11, 0);
    const Walls walls = makeWalls();
    grzWorldDef worldDef = grzDefaultWorldDef();
    grzWorld* world;
    grzBodyId ids[roomCount];
    bool isOut[roomCount] = {false};
    grzMesh* mesh = scaledShapeMesh(shapeBox, 12, grzVec3_Splat(0.1f));
    grzMeshShape* crate = meshShapeOf(mesh);
    int escaped = 0;
    worldDef.substepCount = substeps;
    must(grzWorld_Create(&worldDef, &world));
    addWalls(world, &walls, areMeshes);
    for (int i = 0; i < roomCount; ++i) {
        grzBodyDef def = grzDefaultBodyDef();
        def.shape = shapes[i % kinds];
        if (i % kinds == 4)
            def.mesh = crate;
        def.origin =
            grzVec3_Make(1.2f * (float)(i % 3 - 1), 1.2f * (float)(i / 3 % 3 - 1), 0.8f * (float)(i / 9) - 1.2f);
        def.velocity = randomVector(&rng, 300);
        def.spin = randomVector(&rng, 100);
        def.restitution = 0.3f * (float)(i % 4);
        ids[i] = addBody(world, &def);
    }
    for (int step = 0; step < roomSteps; ++step) {
        must(grzWorld_Step(world, timeStep));
        for (int i = 0; i < roomCount; ++i) {
            if (step % 30 == 29) {
                const grzVec3 spin = randomVector(&rng, 100), velocity = randomVector(&rng, 300);
                must(grzWorld_SetVelocity(world, ids[i], velocity, spin));
            }
            isOut[i] |= grzMaxElement(grzAbs(viewOf(world, ids[i]).origin)) > g_room + 2 * THIN;
        }
    }
    for (int i = 0; i < roomCount; ++i)
        escaped += isOut[i];
    grzWorld_Destroy(world);
    grzMeshShape_Destroy(crate);
    grzMesh_Destroy(mesh);
    freeWalls(&walls);
    return escaped;
}

static void nothingLeavesARoom(void** state) {
    (void)state;
    assertAtMost("of 36 bodies that leave boxes, 1 substep", countEscapes(false, 1, 1.0f / 60), 0);
    assertAtMost("of 36 bodies that leave boxes, 8 substeps", countEscapes(false, 8, 1.0f / 60), 0);
    assertAtMost("of 36 bodies that leave meshes, 1 substep", countEscapes(true, 1, 1.0f / 60), 0);
    assertAtMost("of 36 bodies that leave meshes, 4 substeps", countEscapes(true, 4, 1.0f / 60), 0);
}

// Others press rods and discs into walls by short ways, until no core is free of them.
static void nothingLeavesARoomInLongSteps(void** state) {
    (void)state;
    assertAtMost("of 36 bodies that leave boxes, steps of 0.1 s, 1 substep", countEscapes(false, 1, 0.1f), 0);
    assertAtMost("of 36 bodies that leave meshes, steps of 0.1 s, 1 substep", countEscapes(true, 1, 0.1f), 0);
}

// ---- what is pressed ----

enum { pressedCount = 64 };

// Four points, of which the centre of mass may be near one face.
static grzHull* makeTetrahedron(grzRng* rng) {
    float points[12];
    for (int i = 0; i < 4; ++i)
        grzVec3_Store(points + 3 * i, grzScale(grzNormalize(randomVector(rng, 1)), 0.5f));
    grzHullDef def = grzDefaultHullDef();
    grzHull* hull;
    def.positions = points, def.pointCount = 4;
    must(grzHull_Create(&def, &hull));
    return hull;
}

// A box of 1e5 times the density falls onto a light tetrahedron: whether the latter's centre is ever in the floor.
static bool isPressedIn(grzRng* rng) {
    grzWorld* world = makeWorld(NULL);
    grzHull* hull = makeTetrahedron(rng);
    bool isIn = false;
    addShape(world, grz_staticBody, boxOf(10, 1, 10), grzVec3_Make(0, -1, 0));
    grzBodyDef def = grzDefaultBodyDef();
    def.shape = grzMakeHullShape(hull);
    def.rotation = randomTurn(rng);
    def.origin = grzVec3_Make(0, 0.6f, 0);
    def.density = 3;
    const grzBodyId id = addBody(world, &def);
    def.shape = boxOf(0.3f, 0.3f, 0.3f);
    def.rotation = randomTurn(rng);
    const float z = randomIn(rng, -0.2f, 0.2f), x = randomIn(rng, -0.2f, 0.2f);
    def.origin = grzVec3_Make(x, 1.7f, z);
    def.velocity = grzVec3_Make(0, -randomIn(rng, 0, 10), 0);
    def.density = 3e5f;
    addBody(world, &def);
    for (int step = 0; step < 60; ++step) {
        stepOnce(world);
        isIn |= viewOf(world, id).center.y < 0;
    }
    grzWorld_Destroy(world);
    grzHull_Destroy(hull);
    return isIn;
}

static void noHullIsPressedIntoAFloor(void** state) {
    grzRng rng = grzRng_Make(23, 0);
    int pressed = 0;
    (void)state;
    for (size_t i = 0; i < testSize(pressedCount, 8); ++i)
        pressed += isPressedIn(&rng);
    assertAtMost("tetrahedra of 64 that are pressed into a floor", pressed, 0);
}

// ---- walls that move ----

enum { paddleCount = 60 };

// A paddle of 4 m turns about y, a third of a round, through a body at rest: whether it is on the side where it was.
static bool isPassed(grzRng* rng, float spin, int kind) {
    const grzConvex shapes[3] = {grzMakeSphere(grzVec3_Zero(), 0.1f), boxOf(0.1f, 0.1f, 0.1f),
                                 grzMakeCapsule(grzVec3_Make(-0.2f, 0, 0), grzVec3_Make(0.2f, 0, 0), 0.03f)};
    grzWorld* world = makeWorld(NULL);
    must(grzWorld_SetGravity(world, grzVec3_Zero()));
    const grzBodyId paddle = addShape(world, grz_kinematicBody, boxOf(2, 0.5f, THIN), grzVec3_Zero());
    must(grzWorld_SetVelocity(world, paddle, grzVec3_Zero(), grzVec3_Make(0, -spin, 0)));
    const float far = randomIn(rng, 0.6f, 1.7f), angle = randomIn(rng, 0.4f, 1.8f);
    grzBodyDef def = grzDefaultBodyDef();
    def.shape = shapes[kind];
    def.rotation = randomTurn(rng);
    def.origin = grzVec3_Make(far * grzCos(angle), 0, far * grzSin(angle));
    const grzBodyId id = addBody(world, &def);
    bool isBehind = false;
    for (int step = 1; spin * (float)step / 60 < 2.2f; ++step) {
        const float turned = spin * (float)step / 60;
        stepOnce(world);
        const grzVec3 at = viewOf(world, id).origin;
        const float ahead = at.z * grzCos(turned) - at.x * grzSin(turned);
        isBehind |= ahead < -0.05f && grzLength(at) < 1.9f;
    }
    grzWorld_Destroy(world);
    return isBehind;
}

static void noPaddlePassesABody(void** state) {
    grzRng rng = grzRng_Make(13, 0);
    int passed = 0;
    (void)state;
    for (int i = 0; i < (int)testSize(paddleCount, 12); ++i)
        passed += isPassed(&rng, i % 2 == 0 ? 12 : 50, i % 3);
    assertAtMost("bodies of 60 that a paddle passes", passed, 0);
}

// ---- sides ----

// A rod that tumbles comes to a sheet from its front (1) or back (-1): whether it is beyond it at the end.
static bool passesSheet(bool isTwoSided, float side, float speed, grzRng* rng) {
    grzMesh* mesh = squareGridMesh(2, 10);
    grzMeshShape* sheet = meshShapeOf(mesh);
    grzWorld* world = makeWorld(NULL);
    must(grzWorld_SetGravity(world, grzVec3_Zero()));
    grzBodyDef def = grzDefaultBodyDef();
    def.kind = grz_staticBody;
    def.mesh = sheet;
    def.isTwoSided = isTwoSided;
    addBody(world, &def);
    def = grzDefaultBodyDef();
    def.shape = boxOf(0.5f, THIN, THIN);
    def.rotation = randomTurn(rng);
    const float z = randomIn(rng, -2, 2), y = side * randomIn(rng, 0.6f, 1.6f), x = randomIn(rng, -2, 2);
    def.origin = grzVec3_Make(x, y, z);
    def.velocity = grzVec3_Make(0, -side * speed, 0);
    def.spin = randomVector(rng, 100);
    const grzBodyId id = addBody(world, &def);
    for (int step = 0; step < 30; ++step)
        stepOnce(world);
    const bool isBeyond = side * viewOf(world, id).origin.y < -0.05f;
    grzWorld_Destroy(world);
    grzMeshShape_Destroy(sheet);
    grzMesh_Destroy(mesh);
    return isBeyond;
}

static void sheetsHoldOnTheirSides(void** state) {
    grzRng rng = grzRng_Make(17, 0);
    int front = 0, back = 0, oneSided = 0;
    (void)state;
    for (int i = 0; i < 30; ++i) {
        const float speed = i % 2 == 0 ? 30 : 300;
        front += passesSheet(false, 1, speed, &rng) + passesSheet(true, 1, speed, &rng);
        back += passesSheet(true, -1, speed, &rng);
        oneSided += passesSheet(false, -1, speed, &rng);
    }
    assertAtMost("rods of 60 that pass from the front", front, 0);
    assertAtMost("rods of 30 that pass two sides from the back", back, 0);
    assert_int_equal(oneSided, 30); // who is behind one side is let out
}

// ---- what is left alone ----

static void bodiesThatSlideKeepTheirSpeed(void** state) {
    const grzConvex shapes[] = {boxOf(0.1f, 0.1f, 0.1f), boxOf(0.2f, 0.01f, 0.2f),
                                grzMakeSphere(grzVec3_Zero(), 0.1f),
                                grzMakeCapsule(grzVec3_Make(-0.2f, 0, 0), grzVec3_Make(0.2f, 0, 0), 0.02f)};
    const float heights[] = {0.1f, 0.01f, 0.1f, 0.02f};
    (void)state;
    for (size_t i = 0; i < sizeof heights / sizeof *heights; ++i) {
        grzWorld* world = makeWorld(NULL);
        grzBodyDef def = grzDefaultBodyDef();
        def.kind = grz_staticBody, def.shape = boxOf(1000, 1, 10), def.friction = 0;
        def.origin = grzVec3_Make(0, -1, 0);
        addBody(world, &def);
        def.kind = grz_dynamicBody, def.shape = shapes[i];
        def.origin = grzVec3_Make(0, heights[i], 0);
        def.velocity = grzVec3_Make(100, 0, 0);
        const grzBodyId id = addBody(world, &def);
        for (int step = 0; step < 300; ++step)
            stepOnce(world);
        assert_true(fabsf(viewOf(world, id).origin.x - 500) < 0.5f);
        assert_true(fabsf(viewOf(world, id).velocity.x - 100) < 0.1f);
        grzWorld_Destroy(world);
    }
}

static void bodiesArePlacedBehindWalls(void** state) {
    grzWorld* world = makeWorld(NULL);
    addShape(world, grz_staticBody, boxOf(5, THIN, 5), grzVec3_Zero());
    const grzBodyId id = addShape(world, grz_dynamicBody, boxOf(0.1f, 0.1f, 0.1f), grzVec3_Make(0, 1, 0));
    (void)state;
    for (int i = 0; i < 20; ++i) {
        const float side = i % 2 == 0 ? -1 : 1;
        must(grzWorld_PlaceBody(world, id, grzVec3_Make(0, side, 0), grzQuat_Identity()));
        stepOnce(world);
        assert_true(viewOf(world, id).origin.y * side > 0);
    }
    grzWorld_Destroy(world);
}

// ---- the list of stops ----

// A rod turns into a wall that no contact of the planned motion sees. The list has the stop: slots, side, speed and
// momentum.
static void stopsAreListed(void** state) {
    (void)state;
    for (uint32_t wallSlot = 0; wallSlot < 2; ++wallSlot) {
        grzWorld* world = makeWorld(NULL);
        const grzConvex wall = boxOf(2, THIN, 2);
        const grzVec3 wallAt = grzVec3_Make(2.4f, 0, 0);
        grzBodyDef def = grzDefaultBodyDef();
        must(grzWorld_SetGravity(world, grzVec3_Zero()));
        if (wallSlot == 0)
            addShape(world, grz_staticBody, wall, wallAt);
        def.shape = grzMakeCapsule(grzVec3_Make(-0.98f, 0, 0), grzVec3_Make(0.98f, 0, 0), 0.02f);
        def.rotation = grzQuat_FromAxisAngle(grzVec3_Make(0, 0, 1), 0.6f);
        def.spin = grzVec3_Make(0, 0, -72);
        addBody(world, &def);
        if (wallSlot == 1)
            addShape(world, grz_staticBody, wall, wallAt);
        stepOnce(world);
        assert_int_equal(world->guard->stops.count, 1);
        const grzGuardStop* stop = &world->guard->stops.data[0];
        const float toRod = wallSlot == 0 ? 1.0f : -1.0f; // the normal is from A to B
        assert_int_equal(stop->slotA, 0);
        assert_int_equal(stop->slotB, 1);
        assert_true(toRod * stop->normal.y > 0.9f);
        assert_true(stop->toi > 0.4f && stop->toi < 0.9f);
        assert_true(fabsf(stop->point.y - THIN) < 1e-4f && stop->point.x > 0.4f && stop->point.x < 1);
        assert_true(stop->approach > 20 && stop->approach < 72);
        const grzVec3 given = grzScale(stop->normal, stop->impulse);
        assert_true(stop->impulse > 1 && grzLength(grzSub(given, stop->momentum)) < 1e-4f * stop->impulse);
        must(grzWorld_Collide(world, 1.0f / 60));
        assert_int_equal(world->guard->stops.count, 0);
        grzWorld_Destroy(world);
    }
}

// ---- energy and memory ----

static double energyOf(const grzBodyView* view) {
    return 0.5 * (double)(view->mass * (grzLengthSq(view->velocity) + 0.04f / 6 * grzLengthSq(view->spin)));
}

// Cubes that fall close together; without gravity, so that what leads them out of each other shows.
static uint64_t runShower(grzTasks* tasks, double* growth) {
    grzRng rng = grzRng_Make(19, 0);
    grzWorld* world = makeWorld(tasks);
    double last = (double)INFINITY;
    uint32_t count = 50;
    grzBodyId ids[50];
    must(grzWorld_SetGravity(world, grzVec3_Zero()));
    addShape(world, grz_staticBody, boxOf(20, 0.1f, 20), grzVec3_Make(0, -0.1f, 0));
    for (uint32_t i = 0; i < count; ++i) {
        grzBodyDef def = grzDefaultBodyDef();
        def.shape = boxOf(0.1f, 0.1f, 0.1f);
        def.rotation = randomTurn(&rng);
        const float z = randomIn(&rng, -0.5f, 0.5f), x = randomIn(&rng, -0.5f, 0.5f);
        def.origin = grzVec3_Make(x, 2 + 0.25f * (float)i, z);
        def.velocity = grzVec3_Make(0, -200, 0);
        def.spin = randomVector(&rng, 30);
        ids[i] = addBody(world, &def);
    }
    *growth = 0;
    for (int step = 0; step < 60; ++step) {
        double all = 0;
        stepOnce(world);
        for (uint32_t i = 0; i < count; ++i) {
            const grzBodyView view = viewOf(world, ids[i]);
            assert_true(view.origin.y > -0.1f);
            all += energyOf(&view);
        }
        *growth = fmax(*growth, all / last - 1);
        last = all;
    }
    const uint64_t hash = grzWorld_HashState(world);
    grzWorld_Destroy(world);
    return hash;
}

static void noEnergyComesFromStops(void** state) {
    double growth;
    (void)state;
    const uint64_t hash = runShower(NULL, &growth);
    assertAtMost("growth of the energy in a step", growth, 1e-5);
    grzTasks* tasks = makeTasks(4);
    assert_true(runShower(tasks, &growth) == hash);
    grzTasks_Destroy(tasks);
}

// A search that asks for memory and gets none looks at all bodies.
static void searchesNeedNoMemory(void** state) {
    TestMemory memory = {.failAt = 1};
    (void)state;
    for (int i = 0; i < 2; ++i) {
        grzWorld* world = makeWorld(NULL);
        addShape(world, grz_staticBody, boxOf(2, THIN, 2), grzVec3_Make(2.4f, 0, 0));
        grzBodyDef def = grzDefaultBodyDef();
        def.shape = boxOf(1, THIN, THIN);
        def.rotation = grzQuat_FromAxisAngle(grzVec3_Make(0, 0, 1), 0.6f);
        def.spin = grzVec3_Make(0, 0, -72);
        must(grzWorld_SetGravity(world, grzVec3_Zero()));
        const grzBodyId id = addBody(world, &def);
        if (i == 1) {
            grzTreeHits_Destroy(world->guard->hits.data[0]);
            must(grzTreeHits_Create(testAllocator(&memory), &world->guard->hits.data[0]));
        }
        stepOnce(world);
        const grzBodyView view = viewOf(world, id);
        assert_true(view.origin.y + poseOf(&view).basis.x.y > -2 * THIN);
        grzWorld_Destroy(world);
    }
    assert_true(memory.requests > 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothingLeavesARoom),         cmocka_unit_test(nothingLeavesARoomInLongSteps),
        cmocka_unit_test(noHullIsPressedIntoAFloor),  cmocka_unit_test(noPaddlePassesABody),
        cmocka_unit_test(sheetsHoldOnTheirSides),     cmocka_unit_test(bodiesThatSlideKeepTheirSpeed),
        cmocka_unit_test(bodiesArePlacedBehindWalls), cmocka_unit_test(stopsAreListed),
        cmocka_unit_test(noEnergyComesFromStops),     cmocka_unit_test(searchesNeedNoMemory),
    };
    return cmocka_run_group_tests(tests, makeWorldKit, destroyWorldKit);
}
