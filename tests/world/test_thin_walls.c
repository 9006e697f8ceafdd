// Fast bodies, and meshes that move fast into bodies: nothing passes through. Told by places and turns alone.
#include "expected_failure.h"
#include "world_testing.h"

#define THIN 0.01f // half the thickness of walls and plates

// ---- rods that turn through a wall within a step ----

enum { rodCount = 100 };

static const grzConvex g_boxRod = {.kind = grz_boxShape, .b = {1, 0.02f, 0.02f, 0}};
static const grzConvex g_capsuleRod = {
    .kind = grz_capsuleShape, .radius = 0.02f, .a = {-0.98f, 0, 0, 0}, .b = {0.98f, 0, 0, 0}};

// The rod lies in z = 0 with its middle in the origin and turns about z, by 1 to 1.5 radians a step; the wall, beside the middle, is in
// y = 0. Without the wall the rod's end would be beyond it after a step. Whether it is.
static bool swings(grzConvex rod, const grzMeshShape* wall, float turn, float angle) {
    const float near = 0.4f;
    grzWorld* world = makeWorld(NULL);
    must(grzWorld_SetGravity(world, grzVec3_Zero()));
    grzBodyDef def = grzDefaultBodyDef();
    def.kind = grz_staticBody;
    def.mesh = wall;
    if (wall == NULL)
        def.shape = grzMakeBox(grzVec3_Zero(), grzVec3_Make(2, THIN, 2));
    def.origin = grzVec3_Make(2 + near, 0, 0);
    addBody(world, &def);
    def.kind = grz_dynamicBody;
    def.mesh = NULL;
    def.shape = rod;
    def.origin = grzVec3_Zero();
    def.rotation = grzQuat_FromAxisAngle(grzVec3_Make(0, 0, 1), angle);
    def.spin = grzVec3_Make(0, 0, -60 * turn);
    const grzBodyId id = addBody(world, &def);
    stepOnce(world);
    const grzBodyView view = viewOf(world, id);
    const grzVec3 end = grzAdd(view.origin, poseOf(&view).basis.x);
    grzWorld_Destroy(world);
    return end.x > near && end.y < -4 * THIN;
}

static int countSwings(grzConvex rod, bool isMesh) {
    grzRng rng = grzRng_Make(7, 0);
    grzMesh* mesh = scaledShapeMesh(shapeBox, 12, grzVec3_Make(2, THIN, 2));
    grzMeshShape* wall = meshShapeOf(mesh);
    int passed = 0;
    for (int i = 0; i < rodCount; ++i) {
        const float turn = randomIn(&rng, 1, 1.5f), angle = randomIn(&rng, 0.1f, turn - 0.1f);
        passed += swings(rod, isMesh ? wall : NULL, turn, angle);
    }
    grzMeshShape_Destroy(wall);
    grzMesh_Destroy(mesh);
    return passed;
}

static void noBoxRodTurnsThroughABox(void** state) {
    (void)state;
    assertAtMost("rods of 100 that pass", countSwings(g_boxRod, false), 0);
}

static void noCapsuleRodTurnsThroughABox(void** state) {
    (void)state;
    assertAtMost("rods of 100 that pass", countSwings(g_capsuleRod, false), 0);
}

static void noBoxRodTurnsThroughAMesh(void** state) {
    (void)state;
    assertAtMost("rods of 100 that pass", countSwings(g_boxRod, true), 0);
}

static void noCapsuleRodTurnsThroughAMesh(void** state) {
    (void)state;
    assertAtMost("rods of 100 that pass", countSwings(g_capsuleRod, true), 0);
}

// ---- showers onto a plate ----

enum { layerCount = 100, mostThrown = 3 * layerCount, showerSteps = 25 };

typedef struct Shower {
    const grzMeshShape* plate; // NULL: the plate is a box
    grzConvex shape;           // or
    const grzMeshShape* mesh;
    float speed, spin; // along each axis up to
    int layers;        // more than one: bodies fall close together, and onto each other
} Shower;

static grzBodyId throwOne(grzWorld* world, const Shower* shower, int i, grzRng* rng) {
    const float apart = shower->layers > 1 ? 0.35f : 0.8f;
    grzBodyDef def = grzDefaultBodyDef();
    def.shape = shower->shape;
    def.mesh = shower->mesh;
    def.rotation = randomTurn(rng);
    def.origin =
        grzVec3_Make(apart * ((float)(i % 10) - 4.5f), randomIn(rng, 1, 1.1f) + 0.5f * (float)(i / layerCount),
                     apart * ((float)(i / 10 % 10) - 4.5f));
    def.velocity = grzVec3_Make(0, -shower->speed * randomIn(rng, 1, 1.2f), 0);
    def.spin = randomVector(rng, shower->spin);
    return addBody(world, &def);
}

// How many of 100 bodies a layer, turned in any way, are below the plate at some time.
static int countThrough(Shower shower) {
    grzRng rng = grzRng_Make(3, 0);
    grzWorld* world = makeWorld(NULL);
    grzBodyId ids[mostThrown];
    bool isThrough[mostThrown] = {false};
    const int count = shower.layers * layerCount;
    int passed = 0;
    if (shower.plate != NULL)
        addMesh(world, grz_staticBody, shower.plate, grzVec3_Zero());
    else
        addShape(world, grz_staticBody, grzMakeBox(grzVec3_Zero(), grzVec3_Make(5, THIN, 5)), grzVec3_Zero());
    for (int i = 0; i < count; ++i)
        ids[i] = throwOne(world, &shower, i, &rng);
    for (int step = 0; step < showerSteps; ++step) {
        stepOnce(world);
        for (int i = 0; i < count; ++i) {
            const grzVec3 at = viewOf(world, ids[i]).origin;
            isThrough[i] |= at.y < -2 * THIN && fabsf(at.x) < 4.5f && fabsf(at.z) < 4.5f;
        }
    }
    for (int i = 0; i < count; ++i)
        passed += isThrough[i];
    grzWorld_Destroy(world);
    return passed;
}

// The same on a plate that is a box and on one that is a mesh.
static int countThroughBoth(Shower shower) {
    grzMesh* mesh = scaledShapeMesh(shapeBox, 12, grzVec3_Make(5, THIN, 5));
    grzMeshShape* plate = meshShapeOf(mesh);
    shower.plate = NULL;
    int passed = countThrough(shower);
    shower.plate = plate;
    passed += countThrough(shower);
    grzMeshShape_Destroy(plate);
    grzMesh_Destroy(mesh);
    return passed;
}

static void noConvexShapePassesAPlate(void** state) {
    const grzConvex shapes[] = {grzMakeSphere(grzVec3_Zero(), 0.1f),
                                grzMakeBox(grzVec3_Zero(), grzVec3_Splat(0.1f)),
                                grzMakeCapsule(grzVec3_Make(-0.1f, 0, 0), grzVec3_Make(0.1f, 0, 0), 0.05f),
                                grzMakeBox(grzVec3_Zero(), grzVec3_Make(0.2f, 0.02f, 0.2f))};
    int passed = 0;
    (void)state;
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; ++i)
        passed += countThroughBoth((Shower){.shape = shapes[i], .speed = 40, .spin = 15, .layers = 1});
    assertAtMost("bodies of 800 that pass", passed, 0);
}

static void noTumblingRodPassesAPlate(void** state) {
    const grzConvex shapes[] = {grzMakeBox(grzVec3_Zero(), grzVec3_Make(0.4f, 0.02f, 0.02f)),
                                grzMakeCapsule(grzVec3_Make(-0.3f, 0, 0), grzVec3_Make(0.3f, 0, 0), 0.02f)};
    int passed = 0;
    (void)state;
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; ++i)
        for (float speed = 20; speed < 81; speed *= 2)
            passed += countThroughBoth((Shower){.shape = shapes[i], .speed = speed, .spin = 200, .layers = 1});
    assertAtMost("rods of 1200 that pass", passed, 0);
}

static void noBoxOfADenseShowerPassesAPlate(void** state) {
    const grzConvex box = grzMakeBox(grzVec3_Zero(), grzVec3_Splat(0.1f));
    (void)state;
    assertAtMost("boxes of 600 that pass",
                 countThroughBoth((Shower){.shape = box, .speed = 80, .spin = 10, .layers = 3}), 0);
}

static int showerOfMeshes(grzVec3 half) {
    grzMesh* mesh = scaledShapeMesh(shapeBox, 12, half);
    grzMeshShape* shape = meshShapeOf(mesh);
    const Shower still = {.mesh = shape, .speed = 20, .layers = 1},
                 turning = {.mesh = shape, .speed = 20, .spin = 15, .layers = 1};
    const int passed = countThrough(still) + countThrough(turning);
    grzMeshShape_Destroy(shape);
    grzMesh_Destroy(mesh);
    return passed;
}

static void noMeshCubePassesAPlate(void** state) {
    (void)state;
    assertAtMost("cubes of 200 that pass", showerOfMeshes(grzVec3_Splat(0.1f)), 0);
}

static void noMeshSlabPassesAPlate(void** state) {
    (void)state;
    assertAtMost("slabs of 200 that pass", showerOfMeshes(grzVec3_Make(0.2f, 0.02f, 0.2f)), 0);
}

// ---- meshes that move into bodies ----

enum { liftCount = 10, liftSteps = 20, liftShapes = 4 };

// A sheet goes up at a speed, as vertices that the host sets or as a kinematic body. Whether a body above it is ever below it.
static bool liftsThrough(const grzMesh* sheet, const grzMeshShape* kinematic, const grzBodyDef* def, float speed) {
    grzWorld* world = makeWorld(NULL);
    const grzBodyId id = addBody(world, def);
    grzBodyId animated = {0};
    bool isThrough = false;
    if (kinematic == NULL)
        animated = addAnimated(world, sheet, grz_animateVertices);
    else
        must(grzWorld_SetVelocity(world, addMesh(world, grz_kinematicBody, kinematic, grzVec3_Zero()),
                                  grzVec3_Make(0, speed, 0), grzVec3_Zero()));
    for (int step = 1; step <= liftSteps; ++step) {
        const float height = speed * (float)step / 60;
        if (kinematic == NULL)
            must(grzWorld_SetVertices(world, animated,
                                      movedPositions(sheet, grzVec3_Splat(1), grzVec3_Make(0, height, 0))));
        stepOnce(world);
        isThrough |= viewOf(world, id).origin.y < height - 0.1f;
    }
    grzWorld_Destroy(world);
    return isThrough;
}

// `fall`: the speed at which the bodies come down.
static int countLifts(bool isKinematic, float speed, float fall) {
    const grzConvex shapes[liftShapes] = {
        grzMakeSphere(grzVec3_Zero(), 0.2f), grzMakeSphere(grzVec3_Zero(), 0.1f),
        grzMakeBox(grzVec3_Zero(), grzVec3_Splat(0.1f)),
        grzMakeCapsule(grzVec3_Make(-0.1f, 0, 0), grzVec3_Make(0.1f, 0, 0), 0.05f)};
    grzRng rng = grzRng_Make(5, 0);
    grzMesh* sheet = squareGridMesh(10, 5);
    grzMeshShape* kinematic = meshShapeOf(sheet);
    int passed = 0;
    for (int i = 0; i < liftCount * liftShapes; ++i) {
        grzBodyDef def = grzDefaultBodyDef();
        def.shape = shapes[i % liftShapes];
        def.rotation = randomTurn(&rng);
        const float x = randomIn(&rng, -0.5f, 0.5f), y = randomIn(&rng, 0.5f, 1.5f),
                    z = randomIn(&rng, -0.5f, 0.5f);
        def.origin = grzVec3_Make(x, y, z);
        def.velocity = grzVec3_Make(0, -fall, 0);
        passed += liftsThrough(sheet, isKinematic ? kinematic : NULL, &def, speed);
    }
    grzMeshShape_Destroy(kinematic);
    grzMesh_Destroy(sheet);
    return passed;
}

static void noKinematicMeshMovesThroughABody(void** state) {
    (void)state;
    assertAtMost("bodies of 40 that the mesh passes at 12 m/s", countLifts(true, 12, 0), 0);
    assertAtMost("bodies of 40 that the mesh passes at 30 m/s", countLifts(true, 30, 0), 0);
}

static void noBodyPassesAnAnimatedMeshThatStands(void** state) {
    (void)state;
    assertAtMost("bodies of 40 that pass at 12 m/s", countLifts(false, 0, 12), 0);
    assertAtMost("bodies of 40 that pass at 30 m/s", countLifts(false, 0, 30), 0);
}

static void noAnimatedMeshMovesThroughABody(void** state) {
    (void)state;
    assertAtMost("bodies of 80 that the mesh passes", countLifts(false, 12, 0) + countLifts(false, 30, 0), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(noBoxRodTurnsThroughABox),
        cmocka_unit_test(noCapsuleRodTurnsThroughABox),
        cmocka_unit_test(noBoxRodTurnsThroughAMesh),
        cmocka_unit_test(noCapsuleRodTurnsThroughAMesh),
        cmocka_unit_test(noConvexShapePassesAPlate),
        cmocka_unit_test(noTumblingRodPassesAPlate),
        cmocka_unit_test(noBoxOfADenseShowerPassesAPlate),
        cmocka_unit_test(noMeshCubePassesAPlate),
        cmocka_unit_test(noMeshSlabPassesAPlate),
        cmocka_unit_test(noKinematicMeshMovesThroughABody),
        cmocka_unit_test(noBodyPassesAnAnimatedMeshThatStands),
        cmocka_unit_test(noAnimatedMeshMovesThroughABody),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
