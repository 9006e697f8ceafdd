// Bodies on meshes with two sides: whatever the triangles' winding, and from whichever side they come, they rest on them.
#include "world_testing.h"

#include <math.h>

#include "expected_failure.h"

static const float g_dt = 1.0f / 60.0f;

typedef enum Winding { windingGood, windingWrong, windingMixed, windingCount } Winding;

static grzMesh* g_grounds[windingCount];
static grzMesh* g_crates[windingCount];
static grzMeshShape* g_groundShapes[windingCount];
static grzMeshShape* g_crateShapes[windingCount];

// A copy of a mesh, scaled, with its triangles wound otherwise.
static grzMesh* woundCopy(const grzMesh* mesh, Winding winding, float scale) {
    const grzMeshView view = grzMesh_GetView(mesh);
    float* positions = malloc(3 * view.vertexCount * sizeof *positions);
    uint32_t* triangles = malloc(3 * view.triangleCount * sizeof *triangles);
    assert_true(positions != NULL && triangles != NULL);
    for (size_t i = 0; i < 3 * (size_t)view.vertexCount; ++i)
        positions[i] = scale * view.positions32[i];
    memcpy(triangles, view.triangles, 3 * view.triangleCount * sizeof *triangles);
    for (uint32_t i = 0; i < view.triangleCount; ++i) {
        if (winding == windingGood || (winding == windingMixed && i * 7 % 5 < 2))
            continue;
        const uint32_t second = triangles[3 * i + 1];
        triangles[3 * i + 1] = triangles[3 * i + 2];
        triangles[3 * i + 2] = second;
    }
    grzMeshDef def = grzDefaultMeshDef();
    def.positions = positions, def.vertexCount = view.vertexCount;
    def.indices = triangles, def.triangleCount = view.triangleCount;
    grzMesh* made;
    must(grzMesh_Create(&def, &made));
    free(positions);
    free(triangles);
    return made;
}

static int setUp(void** state) {
    const int code = makeWorldKit(state);
    for (Winding winding = 0; winding < windingCount; ++winding) {
        g_grounds[winding] = woundCopy(g_kit.ground, winding, 1);
        g_crates[winding] = woundCopy(g_kit.crate, winding, 4);
        must(grzMeshShape_Create(g_grounds[winding], (grzAllocator){0}, &g_groundShapes[winding]));
        must(grzMeshShape_Create(g_crates[winding], (grzAllocator){0}, &g_crateShapes[winding]));
    }
    return code;
}

static int tearDown(void** state) {
    for (Winding winding = 0; winding < windingCount; ++winding) {
        grzMeshShape_Destroy(g_groundShapes[winding]);
        grzMeshShape_Destroy(g_crateShapes[winding]);
        grzMesh_Destroy(g_grounds[winding]);
        grzMesh_Destroy(g_crates[winding]);
    }
    return destroyWorldKit(state);
}

// ---- what falls ----

enum { SHAPE_COUNT = 4, FALLER_COUNT = 7 }; // convex ones come first

typedef struct Faller {
    grzBodyId id;
    grzConvex shape; // or
    const grzMesh* mesh;
} Faller;

static void addFallers(grzWorld* world, grzVec3 at, Faller fallers[FALLER_COUNT], float spacing) {
    const grzConvex shapes[] = {
        grzMakeSphere(grzVec3_Zero(), 0.4f),
        grzMakeCapsule(grzVec3_Make(-0.3f, 0, 0), grzVec3_Make(0.3f, 0, 0), 0.3f),
        grzMakeBox(grzVec3_Zero(), grzVec3_Make(0.4f, 0.3f, 0.5f)),
        grzMakeHullShape(g_hulls[0]),
    };
    const grzMesh* meshes[] = {g_kit.crate, g_kit.ball, g_kit.ring};
    const grzMeshShape* meshShapes[] = {g_kit.crateShape, g_kit.ballShape, g_kit.ringShape};
    for (int i = 0; i < FALLER_COUNT; ++i) {
        grzBodyDef def = grzDefaultBodyDef();
        def.origin = grzAdd(at, grzVec3_Make(spacing * (float)(i % 3 - 1), 0, spacing * (float)(i / 3 - 1)));
        def.rotation =
            grzQuat_FromAxisAngle(grzVec3_Make(0.6f, 0, 0.8f), 0.4f); // a ball would stand on its pole by chance
        def.angularDamping = 2;
        if (i < SHAPE_COUNT)
            def.shape = shapes[i];
        else
            def.mesh = meshShapes[i - SHAPE_COUNT];
        fallers[i] = (Faller){addBody(world, &def), def.shape, i < SHAPE_COUNT ? NULL : meshes[i - SHAPE_COUNT]};
    }
}

// How deep a body lies below the plane y = height, where `up` is the way out of it: of its vertices, or of the lowest point of its shape.
static float depthOf(const grzWorld* world, const Faller* faller, float height, float up) {
    const grzBodyView view = viewOf(world, faller->id);
    const grzTransform pose = poseOf(&view);
    if (faller->mesh == NULL) {
        const grzVec3 down = grzQuat_RotateInverse(view.rotation, grzVec3_Make(0, -up, 0));
        return up * (height - grzTransform_Apply(pose, grzConvex_Support(&faller->shape, down)).y);
    }
    const grzMeshView mesh = grzMesh_GetView(faller->mesh);
    float deepest = -FLT_MAX;
    for (size_t v = 0; v < mesh.vertexCount; ++v)
        deepest =
            fmaxf(deepest, up * (height - grzTransform_Apply(pose, grzVec3_Load(&mesh.positions32[3 * v])).y));
    return deepest;
}

// All rest on the plane at last, and no one is ever deeper in it than three hundredths.
static void mustRest(grzWorld* world, const Faller* fallers, int count, float height, float up, const char* what) {
    for (int step = 0; step < 300; ++step) {
        must(grzWorld_Step(world, g_dt));
        for (int i = 0; i < count; ++i)
            if (depthOf(world, &fallers[i], height, up) > 0.03f)
                fail_msg("%s: body %d is %g deep in step %d", what, i,
                         (double)depthOf(world, &fallers[i], height, up), step);
    }
    for (int i = 0; i < count; ++i) {
        const grzBodyView view = viewOf(world, fallers[i].id);
        const float depth = depthOf(world, &fallers[i], height, up);
        if (!(fabsf(depth) < 0.02f) || !(grzLength(view.velocity) < 0.2f))
            fail_msg("%s: body %d ends %g deep, at speed %g", what, i, (double)depth,
                     (double)grzLength(view.velocity));
    }
}

static grzBodyDef standing(const grzMeshShape* mesh) {
    grzBodyDef def = grzDefaultBodyDef();
    def.kind = grz_staticBody;
    def.mesh = mesh;
    def.isTwoSided = true;
    return def;
}

static grzWorld* makeWorldWithPull(float up) {
    grzWorld* world = makeWorld(NULL);
    must(grzWorld_SetGravity(world, grzVec3_Make(0, -9.81f * up, 0)));
    return world;
}

// ---- tests ----

// On a sheet, from above and from below.
static void test_bodiesRestOnASheet(void** state) {
    (void)state;
    for (Winding winding = 0; winding < windingCount; ++winding)
        for (float up = -1; up <= 1; up += 2) {
            char what[64];
            Faller fallers[FALLER_COUNT];
            snprintf(what, sizeof what, "winding %d, up %g", (int)winding, (double)up);
            grzWorld* world = makeWorldWithPull(up);
            const grzBodyDef ground = standing(g_groundShapes[winding]);
            addBody(world, &ground);
            addFallers(world, grzVec3_Make(0.1f, 0.8f * up, 0.2f), fallers, 2.5f);
            mustRest(world, fallers, FALLER_COUNT, 0, up, what);
            grzWorld_Destroy(world);
        }
}

// On an animated mesh, which had the field before rigid ones did.
static void test_bodiesRestOnAnAnimatedSheet(void** state) {
    (void)state;
    for (Winding winding = 0; winding < windingCount; ++winding) {
        Faller fallers[FALLER_COUNT];
        grzBodyId id;
        grzWorld* world = makeWorldWithPull(1);
        grzAnimatedDef def = grzDefaultAnimatedDef();
        def.mesh = g_grounds[winding];
        def.isTwoSided = true;
        must(grzWorld_AddAnimated(world, &def, &id));
        addFallers(world, grzVec3_Make(0.1f, 0.8f, 0.2f), fallers, 2.5f);
        mustRest(world, fallers, FALLER_COUNT, 0, 1, "animated");
        grzWorld_Destroy(world);
    }
}

// On the outside of a closed mesh, and on the floor inside of it, where its walls are near, too.
static void test_bodiesRestOnAndInARoom(void** state) {
    (void)state;
    for (Winding winding = 0; winding < windingCount; ++winding)
        for (int isInside = 0; isInside < 2; ++isInside) {
            Faller fallers[FALLER_COUNT];
            grzWorld* world = makeWorldWithPull(1);
            const grzBodyDef room = standing(g_crateShapes[winding]);
            addBody(world, &room);
            const float floor = isInside != 0 ? -2 : 2;
            addFallers(world, grzVec3_Make(0, floor + 0.7f, 0), fallers, 1.25f);
            mustRest(world, fallers, FALLER_COUNT, floor, 1, isInside != 0 ? "inside" : "outside");
            grzWorld_Destroy(world);
        }
}

// A crate of triangles slides into the corner of a room. Where it meets floor and wall in one curve, it is pushed out of one of them at
// a time, and goes some way into the other meanwhile: as much as it does where both have one side.
static void test_aCornerHolds(void** state) {
    (void)state;
    for (Winding winding = 0; winding < windingCount; ++winding) {
        grzWorld* world = makeWorld(NULL);
        must(grzWorld_SetGravity(world, grzVec3_Make(9, -9.81f, 6)));
        const grzBodyDef room = standing(g_crateShapes[winding]);
        addBody(world, &room);
        const grzBodyId crate = addMesh(world, grz_dynamicBody, g_kit.crateShape, grzVec3_Make(0.8f, -1.3f, 0.9f));
        for (int step = 0; step < 200; ++step) {
            must(grzWorld_Step(world, g_dt));
            const grzBox box = viewOf(world, crate).box;
            if (box.upper.x > 2.15f || box.upper.z > 2.15f || box.lower.y < -2.15f)
                fail_msg("winding %d, step %d: the crate is in a wall: %g %g %g", (int)winding, step,
                         (double)box.upper.x, (double)box.upper.z, (double)box.lower.y);
        }
        const grzBox box = viewOf(world, crate).box;
        assert_true(fabsf(box.upper.x - 2) < 0.01f && fabsf(box.lower.y + 2) < 0.01f);
        grzWorld_Destroy(world);
    }
}

// A crate slides over the seam of two blocks, whose walls there are inside the ground, and off the far edge.
static void test_wallsBelowAreNotFelt(void** state) {
    (void)state;
    for (Winding winding = 0; winding < windingCount; ++winding)
        for (int isMesh = 0; isMesh < 2; ++isMesh) {
            grzWorld* world = makeWorld(NULL);
            grzBodyDef block = standing(g_crateShapes[winding]);
            block.friction = 0;
            for (int side = -1; side <= 1; side += 2) {
                block.origin = grzVec3_Make(2 * (float)side, -2, 0);
                addBody(world, &block);
            }
            grzBodyDef def = grzDefaultBodyDef();
            def.origin = grzVec3_Make(-1.5f, 0.5f, 0.1f);
            def.velocity = grzVec3_Make(4, 0, 0);
            if (isMesh != 0)
                def.mesh = g_kit.crateShape;
            else
                def.shape = grzMakeBox(grzVec3_Zero(), grzVec3_Splat(0.5f));
            const grzBodyId id = addBody(world, &def);
            for (int step = 0; step < 120; ++step) {
                must(grzWorld_Step(world, g_dt));
                const grzBodyView view = viewOf(world, id);
                if (!(fabsf(view.velocity.x - 4) < 0.05f) ||
                    (view.origin.x < 4 && !(fabsf(view.origin.y - 0.5f) < 0.02f)))
                    fail_msg("winding %d, mesh %d, step %d: at %g %g, %g fast", (int)winding, isMesh, step,
                             (double)view.origin.x, (double)view.origin.y, (double)view.velocity.x);
            }
            grzWorld_Destroy(world);
        }
}

// A sheet of cloth comes down on a sheet, from above and from below.
static void test_clothRestsOnASheet(void** state) {
    (void)state;
    for (Winding winding = 0; winding < windingCount; ++winding)
        for (float up = -1; up <= 1; up += 2) {
            grzWorld* world = makeWorldWithPull(up);
            const grzBodyDef ground = standing(g_groundShapes[winding]);
            addBody(world, &ground);
            const grzBodyId cloth = addCloth(world, grzVec3_Make(0.1f, 0.3f * up, 0.2f), NULL, 0);
            grzClothView view;
            for (int step = 0; step < 60; ++step) {
                must(grzWorld_Step(world, g_dt));
                must(grzWorld_GetCloth(world, cloth, &view));
                for (uint32_t v = 0; v < view.vertexCount; ++v)
                    if (view.positions[3 * (size_t)v + 1] * up < -0.01f)
                        fail_msg("winding %d, up %g: vertex %u is at %g in step %d", (int)winding, (double)up, v,
                                 (double)view.positions[3 * (size_t)v + 1], step);
            }
            for (uint32_t v = 0; v < view.vertexCount; ++v)
                assert_true(view.positions[3 * (size_t)v + 1] * up < 0.02f);
            grzWorld_Destroy(world);
        }
}

// From behind, a mesh with one side is not there for shapes.
static void test_oneSideHoldsNothingFromBehind(void** state) {
    (void)state;
    Faller fallers[FALLER_COUNT];
    grzWorld* world = makeWorldWithPull(1);
    grzBodyDef ground = standing(g_groundShapes[windingWrong]);
    ground.isTwoSided = false;
    addBody(world, &ground);
    addFallers(world, grzVec3_Make(0.1f, 0.8f, 0.2f), fallers, 2.5f);
    for (int step = 0; step < 150; ++step)
        must(grzWorld_Step(world, g_dt));
    for (int i = 0; i < SHAPE_COUNT; ++i)
        assert_true(viewOf(world, fallers[i].id).origin.y < -10);
    grzWorld_Destroy(world);
}

static void test_sidesAreOfMeshes(void** state) {
    (void)state;
    grzWorld* world = makeWorld(NULL);
    grzBodyDef def = grzDefaultBodyDef();
    grzBodyId id;
    def.shape = grzMakeSphere(grzVec3_Zero(), 1);
    def.isTwoSided = true;
    const grzResult result = grzWorld_AddBody(world, &def, &id);
    mustBe(result, grz_badArgument);
    assert_string_equal(result.reason, "isTwoSided is for meshes; a convex shape is solid");
    grzWorld_Destroy(world);
}

// ---- stacks and slender shapes ----

// Good crates with two sides, one on the other, that fall onto good ground with two sides. With one side each they stand.
static float deepestOfStack(bool isTwoSided) {
    grzWorld* world = makeWorld(NULL);
    grzBodyDef ground = standing(g_groundShapes[windingGood]);
    ground.isTwoSided = isTwoSided;
    addBody(world, &ground);
    Faller crates[6];
    const grzMeshView crate = grzMesh_GetView(g_kit.crate);
    const float height = (float)(crate.bounds.upper.y - crate.bounds.lower.y);
    for (int i = 0; i < 6; ++i) {
        grzBodyDef def = grzDefaultBodyDef();
        def.mesh = g_kit.crateShape, def.isTwoSided = isTwoSided;
        def.origin = grzVec3_Make(0.3f, 0.25f + height * (0.5f + 1.002f * (float)i), 0.2f);
        crates[i] = (Faller){.id = addBody(world, &def), .mesh = g_kit.crate};
    }
    float deepest = 0;
    for (int step = 0; step < 240; ++step) {
        must(grzWorld_Step(world, g_dt));
        deepest = fmaxf(deepest, depthOf(world, &crates[0], 0, 1));
    }
    grzWorld_Destroy(world);
    return deepest;
}

static void stackOfOneSideStands(void** state) {
    (void)state;
    assertAtMost("depth of the lowest crate in m", (double)deepestOfStack(false), 0.005);
}

static void stackOfTwoSidesStands(void** state) {
    (void)state;
    assertAtMost("depth of the lowest crate in m", (double)deepestOfStack(true), 0.005);
}

// A slender capsule that leans, with its centre before two triangles and near the edge between them: it must be pushed out
// where its centre is.
static double leaningEndsBelow(bool isTwoSided) {
    static const float positions[12] = {-5, 0, -5, -5, 0, 5, 5, 0, 5, 5, 0, -5};
    static const uint32_t triangles[6] = {0, 1, 2, 0, 2, 3};
    grzMeshDef meshDef = grzDefaultMeshDef();
    meshDef.positions = positions, meshDef.vertexCount = 4, meshDef.indices = triangles, meshDef.triangleCount = 2;
    grzMesh* mesh;
    grzMeshShape* shape;
    must(grzMesh_Create(&meshDef, &mesh));
    must(grzMeshShape_Create(mesh, (grzAllocator){0}, &shape));
    int below = 0;
    for (int place = 0; place < 7; ++place) {
        static const float places[] = {0.2f, 0.25f, 0.3f, 0.4f, 0.5f, 0.8f, 2};
        grzWorld* world = makeWorld(NULL);
        grzBodyDef ground = standing(shape), def = grzDefaultBodyDef();
        ground.isTwoSided = isTwoSided;
        addBody(world, &ground);
        def.shape = grzMakeCapsule(grzVec3_Make(0, -0.4f, 0), grzVec3_Make(0, 0.4f, 0), 0.1f);
        def.origin = grzVec3_Make(places[place], 0.15f, 0.2f);
        def.rotation = grzQuat_FromAxisAngle(grzVec3_Make(1, 0, 0), 0.2f);
        const grzBodyId id = addBody(world, &def);
        stepWorld(world, 120);
        below += viewOf(world, id).origin.y < 0;
        grzWorld_Destroy(world);
    }
    grzMeshShape_Destroy(shape);
    grzMesh_Destroy(mesh);
    return below;
}

static void leaningCapsuleIsHeldByTwoSides(void** state) {
    (void)state;
    assertAtMost("capsules of 7 that end below", leaningEndsBelow(true), 0);
}

static void leaningCapsuleIsHeldByOneSide(void** state) {
    (void)state;
    assertAtMost("capsules of 7 that end below", leaningEndsBelow(false), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bodiesRestOnASheet),
        cmocka_unit_test(test_bodiesRestOnAnAnimatedSheet),
        cmocka_unit_test(test_bodiesRestOnAndInARoom),
        cmocka_unit_test(test_aCornerHolds),
        cmocka_unit_test(test_wallsBelowAreNotFelt),
        cmocka_unit_test(test_clothRestsOnASheet),
        cmocka_unit_test(test_oneSideHoldsNothingFromBehind),
        cmocka_unit_test(test_sidesAreOfMeshes),
        cmocka_unit_test(stackOfOneSideStands),
        cmocka_unit_test(stackOfTwoSidesStands),
        cmocka_unit_test(leaningCapsuleIsHeldByTwoSides),
        cmocka_unit_test(leaningCapsuleIsHeldByOneSide),
    };
    return cmocka_run_group_tests(tests, setUp, tearDown);
}
