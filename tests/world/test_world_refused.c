// Worlds of every kind of body whose memory is refused at any request: a refused call changes nothing, and the world goes on.
#include "world_testing.h"

#include "refusal_calls.h"

#include "testing.h"

enum { mostBodies = 160 };

// What a script has made; ids of bodies that were refused are null.
typedef struct Host {
    grzWorld* world;
    grzWorldHits* hits;
    grzBodyId ids[mostBodies];
} Host;

static Host g_host;
static grzMesh* g_sheet;
static grzTasks* g_tasks;     // of the world; NULL: one thread
static grzProfile* g_profile; // likewise; NULL: none

// A host that goes on, whatever was refused.
static void goOn(grzResult result) {
    (void)result;
}

static bool begin(void) {
    memset(&g_host, 0, sizeof g_host);
    grzWorldDef def = grzDefaultWorldDef();
    def.allocator = refusingAllocator();
    def.idSalt = 7;
    def.tasks = g_tasks;
    def.profile = g_profile;
    goOn(grzWorld_Create(&def, &g_host.world));
    return g_host.world != NULL;
}

static void end(void) {
    grzWorldHits_Destroy(g_host.hits);
    grzWorld_Destroy(g_host.world);
}

static void step(int count) {
    for (int i = 0; i < count; ++i)
        goOn(grzWorld_Step(g_host.world, 1.0f / 60));
}

// After a refused step animated meshes may wait at its end (graze/world.h). A host that says where they go next repeats the step first.
static void stepUntilDone(int count) {
    enum { mostTries = 9 }; // one more than refused calls
    for (int i = 0; i < count; ++i)
        for (int k = 0; k < mostTries && !grzResult_IsOk(grzWorld_Step(g_host.world, 1.0f / 60)); ++k)
            continue;
}

static void add(int index, grzBodyKind kind, grzConvex shape, const grzMeshShape* mesh, grzVec3 origin) {
    grzBodyDef def = grzDefaultBodyDef();
    def.kind = kind, def.origin = origin;
    def.shape = shape, def.mesh = mesh;
    goOn(grzWorld_AddBody(g_host.world, &def, &g_host.ids[index]));
}

static void addFloorBox(int index) {
    add(index, grz_staticBody, grzMakeBox(grzVec3_Make(0, -1, 0), grzVec3_Make(20, 1, 20)), NULL, grzVec3_Zero());
}

static grzConvex shapeOf(int index) {
    switch (index % 4) {
    case 0:
        return grzMakeSphere(grzVec3_Zero(), 0.3f);
    case 1:
        return grzMakeBox(grzVec3_Zero(), grzVec3_Splat(0.3f));
    case 2:
        return grzMakeCapsule(grzVec3_Make(-0.2f, 0, 0), grzVec3_Make(0.2f, 0, 0), 0.2f);
    default:
        return grzMakeHullShape(g_hulls[index % hullCount]);
    }
}

// In columns that overlap a little.
static grzVec3 placeOf(int index) {
    return grzVec3_Make(0.7f * (float)(index % 5), 0.3f + 0.5f * (float)(index / 5), 0.1f * (float)index);
}

static void addRigid(int index) {
    add(index, grz_dynamicBody, shapeOf(index), NULL, placeOf(index));
}

static void addSheet(int index, float height, uint32_t pin) {
    grzClothDef def = grzDefaultClothDef();
    def.mesh = g_sheet, def.origin = grzVec3_Make(0.8f * (float)(index % 5), height, 0);
    def.pins = &pin, def.pinCount = 1;
    goOn(grzWorld_AddCloth(g_host.world, &def, &g_host.ids[index]));
}

static void addActor(int index, grzAnimatedMotion motion) {
    grzAnimatedDef def = grzDefaultAnimatedDef();
    def.mesh = g_kit.crate, def.motion = motion;
    def.group = 1; // they do not meet each other, which takes long
    goOn(grzWorld_AddAnimated(g_host.world, &def, &g_host.ids[index]));
}

static const float* cratesAt(float height) {
    return movedPositions(g_kit.crate, grzVec3_Splat(1), grzVec3_Make(0.2f, height, 0.1f));
}

// ---- scripts ----

// Bodies that come one by one, past the first size of every array.
static void rigidBodies(void) {
    if (begin()) {
        addFloorBox(0);
        for (int i = 1; i < 20; ++i) {
            addRigid(i);
            step(i < 3 || i % 4 == 0);
        }
        goOn(grzWorld_PlaceBody(g_host.world, g_host.ids[3], grzVec3_Make(5, 5, 5), grzQuat_Identity()));
        goOn(grzWorld_PushBody(g_host.world, g_host.ids[4], grzVec3_Zero(), grzVec3_Make(0, 50, 20)));
        step(4);
        // The last call: a step that is refused clears forces, so that its repetition is another one.
        goOn(grzWorld_AddForce(g_host.world, g_host.ids[5], grzVec3_Make(300, 0, 20), grzVec3_Zero()));
    }
    end();
}

// So many that the tree splits its leaves.
static void aCrowd(void) {
    if (begin()) {
        for (int i = 0; i < mostBodies; ++i)
            add(i, grz_dynamicBody, grzMakeSphere(grzVec3_Zero(), 0.5f), NULL,
                grzVec3_Make(0.95f * (float)(i % 6), 0.95f * (float)(i / 36), 0.95f * (float)(i / 6 % 6)));
        step(3);
        for (int i = 0; i < mostBodies; i += 3)
            goOn(grzWorld_RemoveBody(g_host.world, g_host.ids[i]));
        step(2);
    }
    end();
}

// Bodies that stand, many at once, and a few that move on them: rows of those that stand come and go.
static void aField(void) {
    enum { batch = 48 };
    grzBodyDef defs[batch];
    if (begin()) {
        for (int k = 0; k < 3; ++k) {
            for (int i = 0; i < batch; ++i) {
                defs[i] = grzDefaultBodyDef();
                defs[i].kind = i % 16 == 0 ? grz_dynamicBody : grz_staticBody;
                defs[i].shape = shapeOf(i);
                defs[i].origin =
                    grzVec3_Make(0.5f * (float)(i % 8), i % 16 == 0 ? 0.6f : 0.0f, 0.5f * (float)(i / 8 + 6 * k));
            }
            goOn(grzWorld_AddBodies(g_host.world, defs, batch, &g_host.ids[batch * k]));
            step(2);
        }
        for (int i = 0; i < 3 * batch; i += 5)
            goOn(i % 2 == 0 ? grzWorld_RemoveBody(g_host.world, g_host.ids[i])
                            : grzWorld_PlaceBody(g_host.world, g_host.ids[i], placeOf(i), grzQuat_Identity()));
        step(3);
    }
    end();
}

static void meshBodies(void) {
    grzMeshShape* own = NULL;
    goOn(grzMeshShape_Create(g_kit.crate, refusingAllocator(), &own));
    if (own != NULL && begin()) {
        const grzConvex none = {0};
        add(0, grz_staticBody, none, g_kit.groundShape, grzVec3_Zero());
        for (int i = 1; i < 6; ++i)
            add(i, grz_dynamicBody, none, i % 2 == 0 ? own : g_kit.ringShape,
                grzVec3_Make(0.2f * (float)i, 0.8f * (float)i - 0.5f, 0));
        step(3);
        addRigid(6);
        step(4);
        end();
    }
    grzMeshShape_Destroy(own);
}

static void cloth(void) {
    static const float pinAt[3] = {0.1f, 1.0f, 0.1f};
    if (begin()) {
        addFloorBox(0);
        addRigid(1);
        addSheet(2, 0.5f, 0);
        step(3);
        goOn(grzWorld_MovePins(g_host.world, g_host.ids[2], 0, 1, pinAt));
        addSheet(3, 0.8f, 3);
        addRigid(8);
        step(3);
        const float* positions = movedPositions(g_sheet, grzVec3_Splat(1), grzVec3_Make(0.3f, 0.6f, 0));
        goOn(grzWorld_PlaceCloth(g_host.world, g_host.ids[2], positions, NULL));
        step(2);
    }
    end();
}

static void animatedMeshes(void) {
    static const uint32_t vertices[2] = {3, 5};
    static const float speeds[6] = {0.5f, 0, 0, 0, 0.5f, 0};
    if (begin()) {
        for (int i = 0; i < 3; ++i)
            addActor(i, (grzAnimatedMotion)i);
        addRigid(5);
        stepUntilDone(2);
        for (int i = 0; i < 4; ++i) {
            goOn(grzWorld_AddKeyframe(g_host.world, g_host.ids[0], grzWorld_Time(g_host.world) + 0.03 + 0.05 * i,
                                      cratesAt(0.2f * (float)i)));
            goOn(grzWorld_SetVertexVelocities(g_host.world, g_host.ids[1], vertices, speeds, 1 + (uint32_t)i % 2));
            goOn(grzWorld_SetVertices(g_host.world, g_host.ids[2], cratesAt(0.1f * (float)i)));
            stepUntilDone(2);
        }
    }
    end();
}

static void addAnyKind(int index) {
    switch (index % 4) {
    case 0:
        addRigid(index);
        break;
    case 1:
        addSheet(index, 0.4f, 1);
        break;
    case 2:
        addActor(index, grz_animateKeyframes);
        break;
    default:
        add(index, grz_dynamicBody, (grzConvex){0}, g_kit.crateShape,
            grzAdd(placeOf(index), grzVec3_Make(0, 0, 1)));
    }
}

static void removalAndAddingAgain(void) {
    if (begin()) {
        for (int i = 0; i < 6; ++i)
            addAnyKind(i);
        step(2);
        for (int i = 0; i < 21; ++i) {
            goOn(grzWorld_RemoveBody(g_host.world, g_host.ids[(5 * i) % 6]));
            addAnyKind((5 * i + 1) % 6);
            if (i % 3 == 0)
                step(1);
            if (i % 3 == 1)
                goOn(grzWorld_Collide(g_host.world, 1.0f / 60));
        }
        step(2);
    }
    end();
}

static void ask(void) {
    const grzHalfSpace space = {grzVec3_Make(0, 1, 0), 0.5f};
    grzWorldRay ray = grzDefaultWorldRay();
    ray.origin = grzVec3_Make(0.1f, 5, 0.1f), ray.direction = grzVec3_Make(0, -10, 0), ray.isAll = true;
    goOn(grzWorld_CastRay(g_host.world, &ray, g_host.hits));
    goOn(grzWorld_OverlapBox(g_host.world, grzBox_Make(grzVec3_Splat(-1), grzVec3_Splat(1)), g_host.hits));
    goOn(grzWorld_FindVisible(g_host.world, &space, 1, g_host.hits));
}

static void queries(void) {
    if (begin()) {
        goOn(grzWorldHits_Create(refusingAllocator(), &g_host.hits));
        for (int i = 0; g_host.hits != NULL && i < 20; ++i) {
            addAnyKind(i < 4 ? i : 4 * i);
            if (i < 5 || i % 5 == 0)
                ask();
            if (i % 5 == 3)
                goOn(grzWorld_RemoveBody(g_host.world, g_host.ids[i / 5]));
        }
        step(1);
        if (g_host.hits != NULL)
            ask();
    }
    end();
}

// Each step stops two bodies beside others, and so is done several times.
static void stoppedBodies(void) {
    if (begin()) {
        addFloorBox(0);
        addRigid(1);
        addSheet(2, 0.4f, 1);
        for (int i = 3; i < 5; ++i) {
            grzBodyDef def = grzDefaultBodyDef();
            def.shape = shapeOf(i), def.origin = grzVec3_Make(0, 0.5f * (float)i, 0), def.gravityScale = 1e30f;
            goOn(grzWorld_AddBody(g_host.world, &def, &g_host.ids[i]));
        }
        step(4);
    }
    end();
}

static void collidingOnly(void) {
    if (begin()) {
        addFloorBox(0);
        for (int i = 1; i < 20; ++i)
            addAnyKind(i < 4 ? i : 4 * i);
        for (int i = 0; i < 5; ++i) {
            goOn(grzWorld_PlaceBody(g_host.world, g_host.ids[4], placeOf(i), grzQuat_Identity()));
            goOn(grzWorld_AddKeyframe(g_host.world, g_host.ids[2], grzWorld_Time(g_host.world) + 0.05,
                                      cratesAt(0.1f)));
            goOn(grzWorld_Collide(g_host.world, 1.0f / 60));
        }
    }
    end();
}

// A world that is refused leaves no counters in the profile.
static void profiledWorlds(void) {
    grzProfileDef def = grzDefaultProfileDef();
    def.zoneCapacity = 64, def.stepCapacity = 4;
    def.allocator = refusingAllocator();
    goOn(grzProfile_Create(&def, &g_profile));
    for (int i = 0; g_profile != NULL && i < 3; ++i) {
        const bool isMade = begin();
        grzProfile_BeginStep(g_profile);
        if (isMade) {
            addRigid(1);
            step(1);
        }
        const grzStepSummary* summary = grzProfile_EndStep(g_profile);
        noteOutcome(summary->counterCount);
        for (uint32_t k = 0; k < summary->counterCount; ++k)
            noteOutcome(summary->counters[k].value);
        end();
    }
    grzProfile_Destroy(g_profile);
    g_profile = NULL;
}

// ---- tests ----

static int makeKit(void** state) {
    g_sheet = squareGridMesh(3, 1);
    return makeWorldKit(state);
}

static int destroyKit(void** state) {
    grzMesh_Destroy(g_sheet);
    return destroyWorldKit(state);
}

#define SCRIPT_TEST(script)                                                                                        \
    static void test_##script(void** state) {                                                                      \
        (void)state;                                                                                               \
        testRefusals(&(RefusalScript){#script, script, 5});                                                        \
    }
SCRIPT_TEST(rigidBodies)
SCRIPT_TEST(aCrowd)
SCRIPT_TEST(aField)
SCRIPT_TEST(meshBodies)
SCRIPT_TEST(cloth)
SCRIPT_TEST(animatedMeshes)
SCRIPT_TEST(removalAndAddingAgain)
SCRIPT_TEST(queries)
SCRIPT_TEST(collidingOnly)
SCRIPT_TEST(stoppedBodies)
SCRIPT_TEST(profiledWorlds)

// Requests of several workers at once.
static void test_workers(void** state) {
    (void)state;
    g_tasks = makeTasks(3);
    testRefusals(&(RefusalScript){"a crowd, three workers", aCrowd, 8});
    testRefusals(&(RefusalScript){"mesh bodies, three workers", meshBodies, 8});
    grzTasks_Destroy(g_tasks);
    g_tasks = NULL;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rigidBodies),
        cmocka_unit_test(test_aCrowd),
        cmocka_unit_test(test_aField),
        cmocka_unit_test(test_meshBodies),
        cmocka_unit_test(test_cloth),
        cmocka_unit_test(test_animatedMeshes),
        cmocka_unit_test(test_removalAndAddingAgain),
        cmocka_unit_test(test_queries),
        cmocka_unit_test(test_collidingOnly),
        cmocka_unit_test(test_stoppedBodies),
        cmocka_unit_test(test_profiledWorlds),
        cmocka_unit_test(test_workers),
    };
    return cmocka_run_group_tests(tests, makeKit, destroyKit);
}
