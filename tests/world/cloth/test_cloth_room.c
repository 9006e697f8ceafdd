// Walls hold cloth that fast bodies carry against them, and bodies that heavy cloth presses against them.
#include "world_testing.h"

enum { squares = 10 };

static grzBodyId addSheet(grzWorld* world, const grzMesh* mesh, grzVec3 origin, float density, float speed) {
    grzClothDef def = grzDefaultClothDef();
    def.mesh = mesh;
    def.origin = origin;
    def.density = density;
    grzBodyId id;
    must(grzWorld_AddCloth(world, &def, &id));
    grzClothView view;
    must(grzWorld_GetCloth(world, id, &view));
    float positions[3 * (squares + 1) * (squares + 1)], velocities[3 * (squares + 1) * (squares + 1)] = {0};
    memcpy(positions, view.positions, sizeof positions);
    for (uint32_t v = 0; v < view.vertexCount; ++v)
        velocities[3 * v + 1] = -speed;
    must(grzWorld_PlaceCloth(world, id, positions, velocities));
    return id;
}

static float lowestVertex(const grzWorld* world, grzBodyId cloth) {
    grzClothView view;
    must(grzWorld_GetCloth(world, cloth, &view));
    float lowest = view.positions[1];
    for (uint32_t v = 1; v < view.vertexCount; ++v)
        lowest = fminf(lowest, view.positions[3 * v + 1]);
    return lowest;
}

static void addSlab(grzWorld* world, bool isMesh) {
    grzBodyDef def = grzDefaultBodyDef();
    def.kind = grz_staticBody;
    if (isMesh)
        def.mesh = g_kit.groundShape;
    else
        def.shape = grzMakeBox(grzVec3_Make(0, -1, 0), grzVec3_Make(100, 1, 100));
    addBody(world, &def);
}

// A body of steel that comes from half a metre above a sheet.
typedef struct Drive {
    grzConvex shape;
    float height, slowest, fastest, aside,
        spin; // of the sheet; speeds down, aside and of turning, drawn up to these
} Drive;

// The lowest that a vertex comes where the body hits the sheet and drives it into the floor.
static float driveIntoFloor(const grzMesh* mesh, bool isMesh, const Drive* drive, grzRng* rng) {
    grzWorld* world = makeWorld(NULL);
    addSlab(world, isMesh);
    const grzBodyId cloth = addSheet(world, mesh, grzVec3_Make(0, drive->height, 0), 0.2f, 0);
    grzBodyDef def = grzDefaultBodyDef();
    def.shape = drive->shape;
    def.density = 8000;
    def.origin = grzVec3_Make(randomIn(rng, -0.5f, 0.5f), drive->height + 0.5f, randomIn(rng, -0.5f, 0.5f));
    def.velocity =
        grzVec3_Make(randomIn(rng, -drive->aside, drive->aside), -randomIn(rng, drive->slowest, drive->fastest),
                     randomIn(rng, -drive->aside, drive->aside));
    def.spin = randomVector(rng, drive->spin);
    addBody(world, &def);
    float lowest = 0;
    for (int step = 0; step < 40; ++step) {
        stepOnce(world);
        lowest = fminf(lowest, lowestVertex(world, cloth));
    }
    grzWorld_Destroy(world);
    return lowest;
}

static void assertThatFloorsHold(const Drive* drive, int count, bool areMeshes) {
    grzRng rng = grzRng_Make(testSeed(91), 0);
    grzMesh* mesh = squareGridMesh(squares, 2);
    float lowest = 0;
    for (int run = 0; run < count; ++run)
        lowest = fminf(lowest, driveIntoFloor(mesh, areMeshes && run % 2 == 0, drive, &rng));
    printf("[ figures  ] lowest vertex: %g mm\n", 1e3 * (double)lowest);
    assert_true(lowest > -0.005001f); // half the thickness, and rounding
    grzMesh_Destroy(mesh);
}

static void floorsHoldClothThatBallsDrive(void** state) {
    const Drive drive = {
        .shape = grzMakeSphere(grzVec3_Zero(), 0.2f), .height = 0.5f, .slowest = 30, .fastest = 150, .aside = 20};
    (void)state;
    assertThatFloorsHold(&drive, 12, true);
}

// Planes of a box that turns go far into the floor. They push the cloth between the two in by half its thickness at most.
static void floorsHoldClothThatTurningBoxesDrive(void** state) {
    const Drive drive = {.shape = grzMakeBox(grzVec3_Zero(), grzVec3_Splat(0.2f)),
                         .height = 1.5f,
                         .slowest = 60,
                         .fastest = 90,
                         .aside = 60,
                         .spin = 30};
    (void)state;
    assertThatFloorsHold(&drive, 48, false);
}

// Ten tons a square metre on balls of 30 kg.
static void floorsHoldBodiesThatClothPushes(void** state) {
    (void)state;
    grzMesh* mesh = squareGridMesh(squares, 2);
    grzWorld* world = makeWorld(NULL);
    grzBodyId balls[9];
    float lowest = 1;
    addSlab(world, false);
    addSheet(world, mesh, grzVec3_Make(0, 0.5f, 0), 10000, 10);
    for (int i = 0; i < 9; ++i) {
        grzBodyDef def = grzDefaultBodyDef();
        def.shape = grzMakeSphere(grzVec3_Zero(), 0.2f);
        def.origin = grzVec3_Make(0.5f * (float)(i % 3 - 1), 0.2f, 0.5f * (float)(i / 3 - 1));
        balls[i] = addBody(world, &def);
    }
    for (int step = 0; step < 60; ++step) {
        stepOnce(world);
        for (int i = 0; i < 9; ++i)
            lowest = fminf(lowest, viewOf(world, balls[i]).center.y);
    }
    printf("[ figures  ] lowest centre of a ball of 200 mm: %g mm\n", 1e3 * (double)lowest);
    assert_true(lowest > 0.15f);
    grzWorld_Destroy(world);
    grzMesh_Destroy(mesh);
}

// A sheet of 1 m through a fixed ball of 20 cm, without gravity, in a world that undoes overlaps at 50 mm/s: how far a vertex goes in
// each of ten steps. It has six triangles, each with a touch of its own.
static void overlapsAreUndoneAtTheWorldsSpeed(void** state) {
    (void)state;
    grzMesh* mesh = squareGridMesh(squares, 1);
    grzWorldDef def = grzDefaultWorldDef();
    def.gravity = grzVec3_Zero();
    def.pushSpeed = 0.05f;
    grzWorld* world;
    must(grzWorld_Create(&def, &world));
    addShape(world, grz_staticBody, grzMakeSphere(grzVec3_Zero(), 0.1f), grzVec3_Zero());
    grzClothDef clothDef = grzDefaultClothDef();
    clothDef.mesh = mesh;
    clothDef.origin = grzVec3_Make(0.02f, 0.02f, 0.02f);
    grzBodyId id;
    must(grzWorld_AddCloth(world, &clothDef, &id));
    float farthest = 0;
    for (int step = 0; step < 10; ++step) {
        float before[3 * (squares + 1) * (squares + 1)];
        grzClothView view;
        must(grzWorld_GetCloth(world, id, &view));
        memcpy(before, view.positions, sizeof before);
        stepOnce(world);
        must(grzWorld_GetCloth(world, id, &view));
        for (uint32_t v = 0; v < view.vertexCount; ++v)
            farthest = fmaxf(
                farthest, grzDistance(grzVec3_Load(view.positions + 3 * v), grzVec3_Load(before + 3 * (size_t)v)));
    }
    printf("[ figures  ] farthest in a step: %g mm\n", 1e3 * (double)farthest);
    assert_true(farthest > 0.05f / 60 && farthest < 0.02f); // 0.006 by touches, and what edges make of it
    grzWorld_Destroy(world);
    grzMesh_Destroy(mesh);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(floorsHoldClothThatBallsDrive),
        cmocka_unit_test(floorsHoldClothThatTurningBoxesDrive),
        cmocka_unit_test(floorsHoldBodiesThatClothPushes),
        cmocka_unit_test(overlapsAreUndoneAtTheWorldsSpeed),
    };
    return cmocka_run_group_tests_name("cloth in rooms", tests, makeWorldKit, destroyWorldKit);
}
