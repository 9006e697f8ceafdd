// Bodies that pass each other closely, and do not touch: they go on as they were. Told by places and velocities alone,
// beside the closed form of a motion without forces.
#include "expected_failure.h"
#include "world_testing.h"

enum { runs = 30, shapeCount = 6 };

static const char* const g_names[shapeCount] = {"balls", "boxes", "capsules", "hulls", "mesh cubes", "mesh balls"};

static const float g_half = 0.3f;

typedef struct Shapes {
    grzHull* hull;
    grzMesh *cube, *ball;
    grzMeshShape *cubeShape, *ballShape;
} Shapes;

// An octahedron, longer along one axis.
static grzHull* makeHull(void) {
    static const float points[18] = {0.3f, 0, 0, -0.3f, 0, 0, 0, 0.25f, 0, 0, -0.25f, 0, 0, 0, 0.2f, 0, 0, -0.2f};
    grzHullDef def = grzDefaultHullDef();
    grzHull* hull;
    def.positions = points, def.pointCount = 6;
    must(grzHull_Create(&def, &hull));
    return hull;
}

static Shapes makeShapes(void) {
    Shapes shapes = {.hull = makeHull()};
    shapes.cube = scaledShapeMesh(shapeBox, 12, grzVec3_Splat(g_half));
    shapes.ball = scaledShapeMesh(shapeSphere, 300, grzVec3_Splat(g_half));
    shapes.cubeShape = meshShapeOf(shapes.cube);
    shapes.ballShape = meshShapeOf(shapes.ball);
    return shapes;
}

static void freeShapes(const Shapes* shapes) {
    grzMeshShape_Destroy(shapes->cubeShape);
    grzMeshShape_Destroy(shapes->ballShape);
    grzMesh_Destroy(shapes->cube);
    grzMesh_Destroy(shapes->ball);
    grzHull_Destroy(shapes->hull);
}

static void setShape(const Shapes* shapes, int kind, grzBodyDef* def) {
    const grzVec3 end = grzVec3_Make(g_half, 0, 0);
    if (kind == 0)
        def->shape = grzMakeSphere(grzVec3_Zero(), g_half);
    else if (kind == 1)
        def->shape = grzMakeBox(grzVec3_Zero(), grzVec3_Splat(g_half));
    else if (kind == 2)
        def->shape = grzMakeCapsule(grzNeg(end), end, 0.1f);
    else if (kind == 3)
        def->shape = grzMakeHullShape(shapes->hull);
    else
        def->mesh = kind == 4 ? shapes->cubeShape : shapes->ballShape;
}

// How far a shape reaches along a direction, at most: no part of a mesh or hull is beyond that.
static float extentOf(const Shapes* shapes, int kind, grzQuat turn, grzVec3 direction) {
    const grzVec3 own = grzQuat_RotateInverse(turn, direction), size = grzAbs(own);
    if (kind == 1 || kind == 4)
        return g_half * (size.x + size.y + size.z);
    if (kind == 2)
        return g_half * size.x + 0.1f;
    if (kind == 3) {
        const grzHullView view = grzHull_GetView(shapes->hull);
        float most = 0;
        for (uint32_t i = 0; i < view.vertexCount; ++i)
            most = fmaxf(most, grzDot(view.vertices[i], own));
        return most;
    }
    return g_half;
}

typedef struct Flight {
    int kind, other;
    float speed, gap;
    bool isOtherDynamic;
} Flight;

// A plane with the gap between them parts the two; the body flies along it. Returns how much its velocity changes, as a
// part of the speed, at any step.
static double changeIn(const Shapes* shapes, const Flight* flight, grzRng* rng) {
    grzWorldDef worldDef = grzDefaultWorldDef();
    grzWorld* world;
    grzBodyDef other = grzDefaultBodyDef(), body = grzDefaultBodyDef();
    double change = 0;
    worldDef.gravity = grzVec3_Zero();
    must(grzWorld_Create(&worldDef, &world));
    const grzVec3 normal = grzNormalize(randomVector(rng, 1)),
                  along = grzNormalize(grzCross(normal, randomVector(rng, 1)));
    other.kind = flight->isOtherDynamic ? grz_dynamicBody : grz_staticBody;
    other.rotation = randomTurn(rng);
    body.rotation = randomTurn(rng);
    setShape(shapes, flight->other, &other);
    setShape(shapes, flight->kind, &body);
    const float apart = extentOf(shapes, flight->other, other.rotation, normal) +
                        extentOf(shapes, flight->kind, body.rotation, grzNeg(normal)) + flight->gap;
    const float way = 1.5f + randomIn(rng, 0, flight->speed / 60);
    body.origin = grzAddScaled(grzScale(normal, apart), -way, along);
    body.velocity = grzScale(along, flight->speed);
    (void)addBody(world, &other);
    const grzBodyId id = addBody(world, &body);
    for (int step = 0; step < (int)(120 * way / flight->speed) + 2; ++step) {
        must(grzWorld_Step(world, 1.0f / 60));
        const grzBodyView view = viewOf(world, id);
        change = fmax(change, (double)(grzDistance(view.velocity, body.velocity) / flight->speed));
        change = fmax(change, (double)grzLength(view.spin));
    }
    grzWorld_Destroy(world);
    return change;
}

// Of all kinds past all kinds: how many flights change by more than a ten-thousandth.
static int countChanged(float speed, float gap, bool isOtherDynamic) {
    const Shapes shapes = makeShapes();
    grzRng rng = grzRng_Make(5, 1);
    int changed = 0;
    for (int kind = 0; kind < shapeCount; ++kind) {
        for (int other = 0; other < shapeCount; ++other) {
            const Flight flight = {kind, other, speed, gap, isOtherDynamic};
            int own = 0;
            for (size_t run = 0; run < testSize(runs, 2); ++run)
                own += changeIn(&shapes, &flight, &rng) > 1e-4;
            if (own != 0)
                print_message("%d %s past %s at %g m/s\n", own, g_names[kind], g_names[other], (double)speed);
            changed += own;
        }
    }
    freeShapes(&shapes);
    return changed;
}

static void bodiesPassStaticOnes(void** state) {
    (void)state;
    assertAtMost("of 1,080 at 4 m/s, 2 cm apart, that are pushed", countChanged(4, 0.02f, false), 0);
    assertAtMost("of 1,080 at 10 m/s, 2 cm apart, that are pushed", countChanged(10, 0.02f, false), 0);
    assertAtMost("of 1,080 at 30 m/s, 2 cm apart, that are pushed", countChanged(30, 0.02f, false), 0);
    assertAtMost("of 1,080 at 100 m/s, 2 cm apart, that are pushed", countChanged(100, 0.02f, false), 0);
    assertAtMost("of 1,080 at 30 m/s, 5 mm apart, that are pushed", countChanged(30, 0.005f, false), 0);
}

static void bodiesPassDynamicOnes(void** state) {
    (void)state;
    assertAtMost("of 1,080 at 30 m/s, 2 cm apart, that are pushed", countChanged(30, 0.02f, true), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodiesPassStaticOnes),
        cmocka_unit_test(bodiesPassDynamicOnes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
