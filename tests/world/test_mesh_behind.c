// Shapes whose centre is behind a mesh's face: pushed out where the mesh is closed, also from wholly inside; held where they came from the
// front of an open one; kept in a room.
#include "expected_failure.h"
#include "world_testing.h"

enum { shapeCount = 3, startCount = 4, runSteps = 120 };

static const float g_starts[startCount] = {1, 0.99f, 0.9f, 0.8f}; // of a centre; the mesh's upper face is in y = 1

static grzConvex shapeOf(int kind) {
    const grzConvex shapes[shapeCount] = {
        grzMakeSphere(grzVec3_Zero(), 0.25f), grzMakeBox(grzVec3_Zero(), grzVec3_Splat(0.25f)),
        grzMakeCapsule(grzVec3_Make(-0.2f, 0, 0), grzVec3_Make(0.2f, 0, 0), 0.25f)};
    return shapes[kind];
}

typedef struct CubeScene {
    grzMesh* mesh;
    grzMeshShape* cube;
    grzWorld* world;
    grzBodyId body;
} CubeScene;

// A static cube from -1 to 1 as a mesh, and a shape whose centre is at a height.
static CubeScene openCube(int kind, float height) {
    CubeScene scene = {.mesh = scaledShapeMesh(shapeBox, 12, grzVec3_Splat(1)), .world = makeWorld(NULL)};
    scene.cube = meshShapeOf(scene.mesh);
    addMesh(scene.world, grz_staticBody, scene.cube, grzVec3_Zero());
    scene.body = addShape(scene.world, grz_dynamicBody, shapeOf(kind), grzVec3_Make(0.13f, height, 0.07f));
    return scene;
}

static void closeCube(CubeScene* scene) {
    grzWorld_Destroy(scene->world);
    grzMeshShape_Destroy(scene->cube);
    grzMesh_Destroy(scene->mesh);
}

// Whether the shape lies on the cube in the end.
static bool comesToLieOnTop(int kind, float height) {
    CubeScene scene = openCube(kind, height);
    for (int i = 0; i < runSteps; ++i)
        stepOnce(scene.world);
    const grzBodyView view = viewOf(scene.world, scene.body);
    closeCube(&scene);
    return fabs((double)view.origin.y - 1.25) < 0.01;
}

// Whether the first step has a contact and an event.
static bool isFound(int kind, float height) {
    CubeScene scene = openCube(kind, height);
    stepOnce(scene.world);
    const grzWorldContacts found = grzWorld_GetContacts(scene.world);
    const bool isInBoth = found.contactCount > 0 && found.eventCount > 0;
    closeCube(&scene);
    return isInBoth;
}

static void aShapeWithItsCentreBeforeTheFaceIsPushedOut(void** state) {
    (void)state;
    for (int kind = 0; kind < shapeCount; ++kind) {
        assert_true(isFound(kind, 1.01f));
        assert_true(comesToLieOnTop(kind, 1.01f));
    }
}

static void aShapeWithItsCentreBehindTheFaceIsPushedOut(void** state) {
    int lost = 0;
    (void)state;
    for (int kind = 0; kind < shapeCount; ++kind)
        for (int i = 0; i < startCount; ++i)
            lost += !comesToLieOnTop(kind, g_starts[i]);
    assertAtMost("shapes of 12 that do not come to lie on top", lost, 0);
}

static void aShapeWithItsCentreBehindTheFaceHasContacts(void** state) {
    int missed = 0;
    (void)state;
    for (int kind = 0; kind < shapeCount; ++kind)
        for (int i = 0; i < startCount; ++i)
            missed += !isFound(kind, g_starts[i]);
    assertAtMost("shapes of 12 without contact or event", missed, 0);
}

// Whether a shape that starts wholly inside comes out, on whichever side, and is not thrown.
static bool comesOut(int kind, grzVec3 start, double* speed) {
    CubeScene scene = openCube(kind, 0);
    must(grzWorld_PlaceBody(scene.world, scene.body, start, grzQuat_Identity()));
    must(grzWorld_SetGravity(scene.world, grzVec3_Zero()));
    for (int i = 0; i < 2 * runSteps; ++i) {
        stepOnce(scene.world);
        *speed = fmax(*speed, (double)grzLength(viewOf(scene.world, scene.body).velocity));
    }
    const grzBox box = viewOf(scene.world, scene.body).box;
    closeCube(&scene);
    return grzMaxElement(box.lower) > 0.98f || grzMaxElement(grzNeg(box.upper)) > 0.98f;
}

static void aShapeWhollyInsideComesOut(void** state) {
    static const float starts[][3] = {{0.1f, 0.7f, 0.2f}, {-0.6f, 0.1f, 0.2f}, {0.05f, 0.02f, -0.1f}, {0, 0, 0}};
    int lost = 0;
    double speed = 0;
    (void)state;
    for (int kind = 0; kind < shapeCount; ++kind)
        for (int i = 0; i < 4; ++i)
            lost += !comesOut(kind, grzVec3_Load(starts[i]), &speed);
    assertAtMost("shapes of 12 that do not come out", lost, 0);
    assertAtMost("speed in m/s", speed, 10);
}

// A room is a cube that is turned inside out: nothing is pushed out of it, not even what starts in a wall up to its middle.
static void aRoomKeepsWhatIsInside(void** state) {
    (void)state;
    for (int kind = 0; kind < shapeCount; ++kind)
        for (int i = 0; i < 4; ++i) {
            grzMesh* mesh = scaledShapeMesh(shapeBox, 48, grzVec3_Make(-1, 1, 1));
            grzMeshShape* room = meshShapeOf(mesh);
            grzWorld* world = makeWorld(NULL);
            addMesh(world, grz_staticBody, room, grzVec3_Zero());
            const grzBodyId id = addShape(world, grz_dynamicBody, shapeOf(kind),
                                          grzVec3_Make(0.3f * (float)i, 0.05f, 0.33f * (float)i));
            for (int step = 0; step < runSteps; ++step)
                stepOnce(world);
            const grzBox box = viewOf(world, id).box;
            assert_true(grzMaxElement(box.upper) < 1.02f && grzMaxElement(grzNeg(box.lower)) < 1.02f);
            grzWorld_Destroy(world);
            grzMeshShape_Destroy(room);
            grzMesh_Destroy(mesh);
        }
}

// A plate comes down on a shape on an open mesh until 0.1 is left between the two, and goes up again.
static void aShapeThatIsPressedIntoAnOpenMeshComesBack(void** state) {
    grzMesh* mesh = squareGridMesh(8, 8);
    grzMeshShape* ground = meshShapeOf(mesh);
    (void)state;
    for (int kind = 0; kind < shapeCount; ++kind) {
        grzWorld* world = makeWorld(NULL);
        addMesh(world, grz_staticBody, ground, grzVec3_Zero());
        const grzBodyId body = addShape(world, grz_dynamicBody, shapeOf(kind), grzVec3_Make(0.13f, 0.25f, 0.07f));
        const grzBodyId plate =
            addShape(world, grz_kinematicBody, grzMakeBox(grzVec3_Make(0, 0.5f, 0), grzVec3_Make(1, 0.5f, 1)),
                     grzVec3_Make(0, 0.55f, 0));
        must(grzWorld_SetVelocity(world, plate, grzVec3_Make(0, -0.5f, 0), grzVec3_Zero()));
        while (viewOf(world, plate).origin.y > 0.1f)
            stepOnce(world);
        must(grzWorld_SetVelocity(world, plate, grzVec3_Make(0, 1, 0), grzVec3_Zero()));
        for (int i = 0; i < runSteps; ++i)
            stepOnce(world);
        assertAtMost("distance from where it lay in m", fabs((double)viewOf(world, body).origin.y - 0.25), 0.01);
        grzWorld_Destroy(world);
    }
    grzMeshShape_Destroy(ground);
    grzMesh_Destroy(mesh);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(aShapeWithItsCentreBeforeTheFaceIsPushedOut),
        cmocka_unit_test(aShapeWithItsCentreBehindTheFaceIsPushedOut),
        cmocka_unit_test(aShapeWithItsCentreBehindTheFaceHasContacts),
        cmocka_unit_test(aShapeWhollyInsideComesOut),
        cmocka_unit_test(aRoomKeepsWhatIsInside),
        cmocka_unit_test(aShapeThatIsPressedIntoAnOpenMeshComesBack),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
