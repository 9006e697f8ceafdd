// Bodies on grounds that are far larger than they are. Whatever a body's shape and the ground's, it lies on the ground,
// and one that touches it exactly is not pushed. Depths are those of the body's vertices below the plane of the ground,
// at every step.
#include <math.h>

#include "expected_failure.h"
#include "rng.h"
#include "world_testing.h"

enum { POSES = 8 };

// A cube as a body of a kind has it.
typedef struct Cube {
    float half;
    grzMesh* mesh; // NULL: a box
    grzMeshShape* shape;
} Cube;

static Cube makeCube(bool isMesh, float half) {
    Cube cube = {.half = half};
    if (isMesh) {
        cube.mesh = scaledShapeMesh(shapeBox, 12, grzVec3_Splat(half));
        cube.shape = meshShapeOf(cube.mesh);
    }
    return cube;
}

static void destroyCube(Cube cube) {
    grzMeshShape_Destroy(cube.shape);
    grzMesh_Destroy(cube.mesh);
}

// Bodies do not meet each other.
static grzBodyDef bodyOf(const Cube* cube) {
    grzBodyDef def = grzDefaultBodyDef();
    def.mesh = cube->shape;
    if (cube->mesh == NULL)
        def.shape = grzMakeBox(grzVec3_Zero(), grzVec3_Splat(cube->half));
    def.category = 2;
    def.mask = 1;
    return def;
}

// A world with a static box of that width, its top in y = 0.
static grzWorld* makeGround(float width) {
    grzWorld* world = makeWorld(NULL);
    const float thickness = 0.01f * width;
    addShape(world, grz_staticBody,
             grzMakeBox(grzVec3_Make(0, -thickness, 0), grzVec3_Make(0.5f * width, thickness, 0.5f * width)),
             grzVec3_Zero());
    return world;
}

static double lowestOf(grzVec3 origin, grzQuat rotation, float half) {
    const grzVec3 up = grzMat3_ApplyTransposed(grzMat3_FromQuat(rotation), grzVec3_Make(0, 1, 0));
    return (double)origin.y - (double)half * (fabs((double)up.x) + fabs((double)up.y) + fabs((double)up.z));
}

// Of a capsule along x, its straight part as long as it is thick.
static double lowestOfCapsule(grzVec3 origin, grzQuat rotation, float radius) {
    const float up = grzMat3_ApplyTransposed(grzMat3_FromQuat(rotation), grzVec3_Make(0, 1, 0)).x;
    return (double)origin.y - (double)radius * (1 + fabs((double)up));
}

static float between(grzRng* rng, float least, float most) {
    return least + grzRng_Float(rng) * (most - least);
}

static grzVec3 placeOn(grzRng* rng, float width, float half) {
    const float most = 0.5f * width - 3 * half;
    const float z = between(rng, -most, most), x = between(rng, -most, most);
    return grzVec3_Make(x, 0, z);
}

// Of the poses in five seconds after a drop from 5 cm: the greatest depth at any step, and at the last one, divided by
// the half size.
typedef struct Depths {
    double most, last;
} Depths;

typedef double LowestFn(grzVec3 origin, grzQuat rotation, float half);

static Depths drop(grzBodyDef def, LowestFn* lowest, float half, float width) {
    grzRng rng = grzRng_Make(25, (uint64_t)width);
    grzWorld* world = makeGround(width);
    grzBodyId ids[POSES];
    for (int i = 0; i < POSES; ++i) {
        def.rotation = randomTurn(&rng);
        def.origin = placeOn(&rng, width, half);
        def.origin.y = (float)(0.05 - lowest(grzVec3_Zero(), def.rotation, half));
        ids[i] = addBody(world, &def);
    }
    Depths depths = {0};
    for (int step = 0; step < 300; ++step) {
        stepOnce(world);
        depths.last = 0;
        for (int i = 0; i < POSES; ++i) {
            const grzBodyView view = viewOf(world, ids[i]);
            depths.last = fmax(depths.last, -lowest(view.origin, view.rotation, half) / (double)half);
        }
        depths.most = fmax(depths.most, depths.last);
    }
    grzWorld_Destroy(world);
    return depths;
}

static Depths dropCubes(bool isMesh, float half, float width) {
    const Cube cube = makeCube(isMesh, half);
    const Depths depths = drop(bodyOf(&cube), lowestOf, half, width);
    destroyCube(cube);
    return depths;
}

static Depths dropCapsules(float radius, float width) {
    const Cube none = {0};
    grzBodyDef def = bodyOf(&none);
    def.shape = grzMakeCapsule(grzVec3_Make(-radius, 0, 0), grzVec3_Make(radius, 0, 0), radius);
    return drop(def, lowestOfCapsule, radius, width);
}

static Depths worseOf(Depths a, Depths b) {
    return (Depths){fmax(a.most, b.most), fmax(a.last, b.last)};
}

static void smallMeshesLieOnLargeFloors(void** state) {
    (void)state;
    const float cases[][2] = {{0.05f, 50}, {0.05f, 100}, {0.05f, 1000}, {0.2f, 300}, {0.2f, 1000}, {0.5f, 1000}};
    Depths worst = {0};
    for (int i = 0; i < 6; ++i)
        worst = worseOf(worst, dropCubes(true, cases[i][0], cases[i][1]));
    assertAtMost("depth at any step, divided by the half size", worst.most, 0.2);
    assertAtMost("depth after five seconds", worst.last, 0.01);
}

static void smallCapsulesLieOnFloors(void** state) {
    (void)state;
    Depths worst = {0};
    for (float width = 10; width < 2000; width *= 10)
        worst = worseOf(worst, worseOf(dropCapsules(0.0025f, width), dropCapsules(0.005f, width)));
    assertAtMost("depth at any step, divided by the radius", worst.most, 0.2);
    assertAtMost("depth after five seconds", worst.last, 0.1);
}

static void smallCubesLieOnFloors(void** state) {
    (void)state;
    Depths worst = {0};
    for (float width = 10; width < 2000; width *= 10)
        for (int isMesh = 0; isMesh < 2; ++isMesh)
            worst = worseOf(worst,
                            worseOf(dropCubes(isMesh != 0, 0.005f, width), dropCubes(isMesh != 0, 0.01f, width)));
    assertAtMost("depth at any step, divided by the half size", worst.most, 0.4);
    assertAtMost("depth after five seconds", worst.last, 0.05);
}

// ------------------------------------------------------------------------------------------------------- touching

// Steps of rounding up, or down.
static float stepped(float from, int ulps) {
    for (int i = 0; i < abs(ulps); ++i)
        from = nextafterf(from, ulps < 0 ? 0 : INFINITY);
    return from;
}

// How far a body is pushed in half a second.
static double pushInHalfASecond(grzWorld* world, const grzBodyDef* def) {
    const grzBodyId id = addBody(world, def);
    double push = 0;
    for (int step = 0; step < 30; ++step) {
        stepOnce(world);
        push = fmax(push, (double)grzDistance(viewOf(world, id).origin, def->origin));
    }
    return push;
}

// How far a cube is pushed in half a second that begins with its lower face in y = 0, but for some steps of rounding.
static double pushOf(const Cube* cube, float width, grzQuat rotation, grzVec3 place, int ulps) {
    grzWorld* world = makeGround(width);
    grzBodyDef def = bodyOf(cube);
    def.rotation = rotation;
    def.origin = place;
    def.origin.y = stepped(cube->half, ulps);
    const double push = pushInHalfASecond(world, &def);
    grzWorld_Destroy(world);
    return push;
}

static double mostPush(bool isTurned) {
    const float cases[][2] = {{0.05f, 40}, {0.25f, 40}, {0.5f, 40}, {2, 40}, {0.05f, 1000}, {0.5f, 1000}};
    const int ulps[] = {0, 1, -1, 4, -4, 64, -64};
    grzRng rng = grzRng_Make(26, isTurned);
    double most = 0;
    for (int i = 0; i < 6; ++i) {
        const Cube cube = makeCube(true, cases[i][0]);
        for (int k = 0; k < 14; ++k) {
            const float angle = isTurned ? between(&rng, 0, 6) : 0;
            const grzQuat rotation = grzQuat_FromAxisAngle(grzVec3_Make(0, 1, 0), angle);
            const grzVec3 place = placeOn(&rng, cases[i][1], cube.half);
            most = fmax(most, pushOf(&cube, cases[i][1], rotation, place, ulps[k % 7]));
        }
        destroyCube(cube);
    }
    return most;
}

static void aMeshThatTouchesABoxExactlyStays(void** state) {
    (void)state;
    assertAtMost("way in m, mesh aligned with the box", mostPush(false), 1e-3);
    assertAtMost("way in m, mesh turned", mostPush(true), 1e-3);
}

static grzVec3 drawHalf(grzRng* rng) {
    const float x = between(rng, 0.1f, 2), y = between(rng, 0.1f, 2);
    return grzVec3_Make(x, y, between(rng, 0.1f, 2));
}

// How far a box moves in half a second without gravity. It touches a static mesh box on top or beside it, and is flush
// with one of its sides or, if it is as large, with four. They are turned together.
static double pushOfFlush(grzRng* rng, bool isAsLarge, bool isBeside, int ulps) {
    grzWorldDef worldDef = grzDefaultWorldDef();
    grzWorld* world;
    worldDef.gravity = grzVec3_Zero();
    must(grzWorld_Create(&worldDef, &world));
    const grzVec3 ground = drawHalf(rng), half = isAsLarge ? ground : drawHalf(rng);
    grzMesh* mesh = scaledShapeMesh(shapeBox, 12, ground);
    grzMeshShape* shape = meshShapeOf(mesh);
    const float along = isAsLarge ? 0 : between(rng, -1, 1) * ground.z;
    const grzVec3 offset =
        isBeside ? grzVec3_Make(ground.x - half.x, isAsLarge ? 0 : half.y - ground.y, ground.z + half.z)
                 : grzVec3_Make(ground.x - half.x, ground.y + half.y, along);
    grzBodyDef def = grzDefaultBodyDef();
    def.kind = grz_staticBody;
    def.mesh = shape;
    def.origin = grzVec3_Make(between(rng, -3, 3), ground.y, between(rng, -3, 3));
    def.rotation = grzQuat_FromAxisAngle(grzVec3_Make(0, 1, 0), between(rng, 0, 3));
    (void)addBody(world, &def);
    def.kind = grz_dynamicBody;
    def.mesh = NULL;
    def.shape = grzMakeBox(grzVec3_Zero(), half);
    def.origin = grzAdd(def.origin, grzQuat_Rotate(def.rotation, offset));
    def.origin.y = stepped(def.origin.y, ulps);
    const double push = pushInHalfASecond(world, &def);
    grzWorld_Destroy(world);
    grzMeshShape_Destroy(shape);
    grzMesh_Destroy(mesh);
    return push;
}

static void boxesThatAreFlushWithAMeshStay(void** state) {
    (void)state;
    for (int isBeside = 0; isBeside < 2; ++isBeside) {
        grzRng rng = grzRng_Make(27, (uint64_t)isBeside);
        double most = 0;
        for (int i = 0; i < 300; ++i)
            most = fmax(most, pushOfFlush(&rng, i % 3 == 0, isBeside != 0, i % 9 - 4));
        assertAtMost(isBeside ? "way in m, box flush beside a mesh" : "way in m, box flush on a mesh", most, 1e-3);
    }
}

// The height of the lower face at the top of the second bounce, divided by the height of the fall.
static double secondApex(const Cube* cube, float width, float height) {
    grzWorld* world = makeGround(width);
    grzBodyDef def = bodyOf(cube);
    def.restitution = 1;
    def.origin = grzVec3_Make(0.37f, height + cube->half, 0.21f);
    const grzBodyId id = addBody(world, &def);
    double apex = 0, before = (double)height;
    int bounces = 0;
    bool isFalling = true;
    for (int step = 0; step < 400 && bounces < 3; ++step) {
        stepOnce(world);
        const grzBodyView view = viewOf(world, id);
        const double now = lowestOf(view.origin, view.rotation, cube->half);
        bounces += isFalling && now > before;
        isFalling = now < before;
        apex = bounces == 2 ? fmax(apex, now) : apex;
        before = now;
    }
    grzWorld_Destroy(world);
    return apex / (double)height;
}

static void meshesBounceASecondTime(void** state) {
    (void)state;
    const float cases[][2] = {{0.05f, 40}, {0.25f, 10}, {0.25f, 100}, {0.5f, 40}, {0.5f, 1000}, {2, 40}};
    const float heights[] = {1, 1.25f, 2.5f};
    double worst = 0;
    for (int i = 0; i < 6; ++i)
        for (int k = 0; k < 3; ++k) {
            const Cube cube = makeCube(true, cases[i][0]);
            worst = fmax(worst, fabs(secondApex(&cube, cases[i][1], heights[k]) - 1));
            destroyCube(cube);
        }
    assertAtMost("error of the second apex, divided by the height of the fall", worst, 0.05);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(smallMeshesLieOnLargeFloors),    cmocka_unit_test(smallCapsulesLieOnFloors),
        cmocka_unit_test(smallCubesLieOnFloors),          cmocka_unit_test(aMeshThatTouchesABoxExactlyStays),
        cmocka_unit_test(boxesThatAreFlushWithAMeshStay), cmocka_unit_test(meshesBounceASecondTime),
    };
    return cmocka_run_group_tests(tests, makeWorldKit, destroyWorldKit);
}
