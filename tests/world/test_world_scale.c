// Bodies on grounds that are far larger than they are. They lie on the ground. Depths are those of the body's vertices below the plane of the ground, at every step.
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

static float between(grzRng* rng, float least, float most) {
    return least + grzRng_Float(rng) * (most - least);
}

static grzVec3 placeOn(grzRng* rng, float width, float half) {
    const float most = 0.5f * width - 3 * half;
    return grzVec3_Make(between(rng, -most, most), 0, between(rng, -most, most));
}

// Of the poses in five seconds after a drop from 5 cm: the greatest depth at any step, and at the last one, divided by the half size.
typedef struct Depths {
    double most, last;
} Depths;

static Depths dropCubes(const Cube* cube, float width) {
    grzRng rng = grzRng_Make(25, (uint64_t)width);
    grzWorld* world = makeGround(width);
    grzBodyDef def = bodyOf(cube);
    grzBodyId ids[POSES];
    for (int i = 0; i < POSES; ++i) {
        def.rotation = randomTurn(&rng);
        def.origin = placeOn(&rng, width, cube->half);
        def.origin.y = (float)(0.05 - lowestOf(grzVec3_Zero(), def.rotation, cube->half));
        ids[i] = addBody(world, &def);
    }
    Depths depths = {0};
    for (int step = 0; step < 300; ++step) {
        stepOnce(world);
        depths.last = 0;
        for (int i = 0; i < POSES; ++i) {
            const grzBodyView view = viewOf(world, ids[i]);
            depths.last = fmax(depths.last, -lowestOf(view.origin, view.rotation, cube->half) / (double)cube->half);
        }
        depths.most = fmax(depths.most, depths.last);
    }
    grzWorld_Destroy(world);
    return depths;
}

static void smallMeshesLieOnLargeFloors(void** state) {
    (void)state;
    const float cases[][2] = {{0.05f, 50}, {0.05f, 100}, {0.05f, 1000}, {0.2f, 300}, {0.2f, 1000}, {0.5f, 1000}};
    Depths worst = {0};
    for (int i = 0; i < 6; ++i) {
        const Cube cube = makeCube(true, cases[i][0]);
        const Depths depths = dropCubes(&cube, cases[i][1]);
        worst = (Depths){fmax(worst.most, depths.most), fmax(worst.last, depths.last)};
        destroyCube(cube);
    }
    assertAtMost("depth at any step, divided by the half size", worst.most, 0.2);
    assertAtMost("depth after five seconds", worst.last, 0.01);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(smallMeshesLieOnLargeFloors),
    };
    return cmocka_run_group_tests(tests, makeWorldKit, destroyWorldKit);
}
