// What every call of a world checks: that there is a world, that no other call is changing it, and that nothing goes before those
// who use it.
#include <pthread.h>

#include "world_testing.h"

// ---- what is logged ----

typedef struct Heard {
    uint32_t count; // of errors
    char last[512];
} Heard;

static Heard g_heard;
static const grzWorld* g_dated; // whose time the hook asks for, as hosts do for a log; NULL: nobody's

static void hear(void* context, grzLogLevel level, const char* text) {
    (void)context;
    if (level != grz_logError)
        return;
    (void)grzWorld_Time(g_dated); // where that is refused, it must not lead back here
    g_heard.count++;
    snprintf(g_heard.last, sizeof g_heard.last, "%s", text);
}

static void mustHear(uint32_t count, const char* part) {
    if (g_heard.count != count || (part != NULL && strstr(g_heard.last, part) == NULL))
        fail_msg("%u errors, not %u; the last: %s", g_heard.count, count, g_heard.last);
    g_heard.count = 0;
    g_heard.last[0] = 0;
}

// ---- every call ----

typedef struct Ids {
    grzBodyId body, cloth, keyframed, fast, fresh; // fast: led by velocities; fresh: by vertices
} Ids;

static bool isNull(grzBodyId id) {
    return id.index1 == 0 && id.generation == 0;
}

static bool isZero(const void* bytes, size_t size) {
    for (size_t i = 0; i < size; ++i)
        if (((const unsigned char*)bytes)[i] != 0)
            return false;
    return true;
}

enum { CHANGES = 19, READS = 3, SILENT = 11 }; // calls with a result that change, that read; calls without one

typedef struct Answers {
    grzStatus changes[CHANGES], reads[READS];
    bool areEmpty; // what a refused call leaves: null ids, views of zeros, no hits, zeros
} Answers;

static void change(grzWorld* world, const Ids* ids, grzWorldHits* hits, Answers* answers) {
    static const float positions[3 * 600];
    static const uint32_t vertex[1] = {0};
    const grzVec3 zero = grzVec3_Zero();
    grzBodyId added[3] = {{1, 1}, {1, 1}, {1, 1}};
    grzBodyDef body = grzDefaultBodyDef();
    body.shape = grzMakeSphere(zero, 1);
    grzClothDef cloth = grzDefaultClothDef();
    cloth.mesh = g_kit.sheet;
    grzAnimatedDef animated = grzDefaultAnimatedDef();
    animated.mesh = g_kit.crate;
    grzWorldRay ray = grzDefaultWorldRay();
    ray.direction.y = -1;
    const grzResult results[CHANGES] = {
        grzWorld_Step(world, 0.01f),
        grzWorld_Collide(world, 0.01f),
        grzWorld_SetGravity(world, zero),
        grzWorld_AddBody(world, &body, &added[0]),
        grzWorld_AddCloth(world, &cloth, &added[1]),
        grzWorld_AddAnimated(world, &animated, &added[2]),
        grzWorld_PlaceBody(world, ids->body, zero, grzQuat_Identity()),
        grzWorld_SetVelocity(world, ids->body, zero, zero),
        grzWorld_PushBody(world, ids->body, zero, zero),
        grzWorld_AddForce(world, ids->body, zero, zero),
        grzWorld_MovePins(world, ids->cloth, 0, 0, NULL),
        grzWorld_PlaceCloth(world, ids->cloth, positions, NULL),
        grzWorld_AddKeyframe(world, ids->keyframed, 9, positions),
        grzWorld_SetVertexVelocities(world, ids->fast, vertex, positions, 1),
        grzWorld_SetVertices(world, ids->fresh, positions),
        grzWorld_CastRay(world, &ray, hits),
        grzWorld_OverlapBox(world, grzBox_Make(zero, zero), hits),
        grzWorld_FindVisible(world, NULL, 0, hits),
        grzWorld_RemoveBody(world, ids->body),
    };
    answers->areEmpty = isNull(added[0]) && isNull(added[1]) && isNull(added[2]);
    for (int i = 0; i < CHANGES; ++i)
        answers->changes[i] = results[i].status;
}

static void read(const grzWorld* world, const Ids* ids, Answers* answers) {
    grzBodyView body;
    grzClothView cloth;
    grzAnimatedView animated;
    grzTransform transform;
    memset(&transform, 0, sizeof transform);
    answers->reads[0] = grzWorld_GetBody(world, ids->cloth, &body).status;
    answers->reads[1] = grzWorld_GetCloth(world, ids->cloth, &cloth).status;
    answers->reads[2] = grzWorld_GetAnimated(world, ids->keyframed, &animated).status;
    const grzBodyId at = grzWorld_BodyAt(world, 0);
    const grzWorldStats stats = grzWorld_GetStats(world);
    grzWorld_GetTransforms(world, &transform, 1);
    answers->areEmpty =
        isZero(&body, sizeof body) && isZero(&cloth, sizeof cloth) && isZero(&animated, sizeof animated) &&
        isNull(at) && stats.bodyCount == 0 && stats.memoryBytes == 0 && isZero(&transform, sizeof transform) &&
        grzWorld_Time(world) == 0 && grzWorld_StepCount(world) == 0 && grzWorld_SlotCount(world) == 0 &&
        !grzWorld_HasBody(world, ids->cloth) && grzWorld_HashState(world) == 0 && !grzWorld_Validate(world);
}

static bool hasNoContacts(grzWorld* world) {
    const grzWorldContacts contacts = grzWorld_GetContacts(world);
    return contacts.contactCount == 0 && contacts.contacts == NULL && contacts.eventCount == 0 &&
           grzWorld_HashContacts(world) == 0;
}

static void mustAllBe(const Answers* answers, grzStatus status) {
    for (int i = 0; i < CHANGES; ++i)
        if (answers->changes[i] != status)
            fail_msg("change %d: status %d, not %d", i, (int)answers->changes[i], (int)status);
    for (int i = 0; i < READS; ++i)
        if (answers->reads[i] != status)
            fail_msg("read %d: status %d, not %d", i, (int)answers->reads[i], (int)status);
    assert_true(answers->areEmpty);
}

static void askAll(grzWorld* world, const Ids* ids, Answers* answers) {
    grzWorldHits* hits;
    must(grzWorldHits_Create((grzAllocator){0}, &hits));
    change(world, ids, hits, answers);
    const bool wereEmpty = answers->areEmpty && grzWorldHits_GetView(hits).count == 0;
    read(world, ids, answers);
    answers->areEmpty = answers->areEmpty && wereEmpty && hasNoContacts(world);
    grzWorldHits_Destroy(hits);
}

// ---- worlds ----

static grzWorld* makeAny(grzProfile* profile, grzTasks* tasks, Ids* ids) {
    grzWorldDef def = grzDefaultWorldDef();
    def.idSalt = 7;
    def.profile = profile;
    def.tasks = tasks;
    grzWorld* world;
    must(grzWorld_Create(&def, &world));
    addFloor(world, 1);
    ids->body = addMesh(world, grz_dynamicBody, g_kit.crateShape, grzVec3_Make(0, 0.6f, 0));
    ids->cloth = addCloth(world, grzVec3_Make(3, 0.2f, 0), NULL, 0);
    ids->keyframed = addAnimated(world, g_kit.crate, grz_animateKeyframes);
    ids->fast = addAnimated(world, g_kit.crate, grz_animateVelocities);
    ids->fresh = addAnimated(world, g_kit.crate, grz_animateVertices);
    return world;
}

// ---- no world ----

static void test_noWorld(void** state) {
    (void)state;
    const Ids none = {{0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}};
    Answers answers;
    askAll(NULL, &none, &answers);
    mustAllBe(&answers, grz_badArgument);
    const grzResult result = grzWorld_Step(NULL, 1);
    assert_true(result.value == 1);
    assert_string_equal(result.reason, "world is NULL");
    grzWorld_Destroy(NULL);
    mustHear(0, NULL);
}

// ---- two threads ----

typedef struct Intruder {
    grzWorld* world;
    Ids ids;
    Answers answers;
    uint32_t visits;
} Intruder;

static void* intrude(void* context) {
    Intruder* intruder = context;
    askAll(intruder->world, &intruder->ids, &intruder->answers);
    return NULL;
}

// From inside of a step: once from another thread, and once from this one.
static void enterZone(void* context, const char* name, uint32_t worker) {
    Intruder* intruder = context;
    (void)worker;
    if (intruder->world == NULL || strcmp(name, "narrow") != 0)
        return;
    g_heard.count = 0;
    if (intruder->visits++ == 0) {
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, NULL, intrude, intruder), 0);
        assert_int_equal(pthread_join(thread, NULL), 0);
    } else {
        intrude(intruder);
        grzWorld_Destroy(intruder->world);
        assert_non_null(strstr(g_heard.last, "grzWorld_Destroy: another thread"));
        --g_heard.count;
    }
    mustAllBe(&intruder->answers, grz_busy);
    mustHear(SILENT, "another thread is in a call that changes the world");
}

static void leaveZone(void* context, uint32_t worker) {
    (void)context, (void)worker;
}

static void test_callsInsideAStepAreRefused(void** state) {
    (void)state;
    Intruder intruder = {.world = NULL};
    grzProfileDef def = grzDefaultProfileDef();
    def.begin = enterZone, def.end = leaveZone, def.hostContext = &intruder;
    grzProfile* profile;
    Ids ids;
    must(grzProfile_Create(&def, &profile));
    grzWorld *world = makeAny(profile, NULL, &intruder.ids), *calm = makeAny(NULL, NULL, &ids);
    g_dated = intruder.world = world;
    for (int step = 0; step < 2; ++step) {
        grzProfile_BeginStep(profile);
        must(grzWorld_Step(world, 0.01f));
        grzProfile_EndStep(profile);
        must(grzWorld_Step(calm, 0.01f));
    }
    g_dated = NULL;
    assert_int_equal(intruder.visits, 2);
    assert_true(grzWorld_Validate(world));
    assert_true(grzWorld_HashState(world) == grzWorld_HashState(calm));
    assert_true(grzWorld_HashContacts(world) == grzWorld_HashContacts(calm));
    mustHear(0, NULL);
    grzWorld_Destroy(world);
    grzWorld_Destroy(calm);
    grzProfile_Destroy(profile);
}

// ---- many readers ----

enum { READERS = 4, ROUNDS = 200 };

typedef struct Reader {
    grzWorld* world;
    const Ids* ids;
    uint32_t failures;
} Reader;

static void* readOften(void* context) {
    Reader* reader = context;
    grzWorldHits* hits;
    reader->failures = !grzResult_IsOk(grzWorldHits_Create((grzAllocator){0}, &hits));
    for (int round = 0; round < ROUNDS && reader->failures == 0; ++round) {
        Answers answers;
        grzWorldRay ray = grzDefaultWorldRay();
        ray.origin.y = 5, ray.direction.y = -1;
        read(reader->world, reader->ids, &answers);
        for (int i = 0; i < READS; ++i)
            reader->failures += answers.reads[i] != grz_ok;
        // What there is nothing to do for is a look as well.
        reader->failures +=
            grzWorld_GetContacts(reader->world).contacts == NULL || grzWorld_HashContacts(reader->world) == 0;
        reader->failures += !grzResult_IsOk(grzWorld_CastRay(reader->world, &ray, hits)) ||
                            grzWorldHits_GetView(hits).count != 1 ||
                            !grzResult_IsOk(grzWorld_FindVisible(reader->world, NULL, 0, hits));
    }
    grzWorldHits_Destroy(hits);
    return NULL;
}

static void test_readersGoTogether(void** state) {
    (void)state;
    Ids ids;
    grzWorld* world = makeAny(NULL, NULL, &ids);
    stepWorld(world, 3);
    assert_true(grzWorld_GetContacts(world).contactCount > 0);
    pthread_t threads[READERS];
    Reader readers[READERS];
    for (int i = 0; i < READERS; ++i) {
        readers[i] = (Reader){world, &ids, 0};
        assert_int_equal(pthread_create(&threads[i], NULL, readOften, &readers[i]), 0);
    }
    for (int i = 0; i < READERS; ++i)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    for (int i = 0; i < READERS; ++i)
        assert_int_equal(readers[i].failures, 0);
    mustHear(0, NULL);
    grzWorld_Destroy(world);
}

// ---- who goes first ----

static grzMesh* copyOf(const grzMesh* mesh) {
    const grzMeshView view = grzMesh_GetView(mesh);
    grzMeshDef def = grzDefaultMeshDef();
    def.positions = view.positions32, def.vertexCount = view.vertexCount;
    def.indices = view.triangles, def.triangleCount = view.triangleCount;
    grzMesh* copy;
    must(grzMesh_Create(&def, &copy));
    return copy;
}

static grzHull* makeBoxHull(void) {
    static const float corners[24] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0, 0, 0, 1, 1, 0, 1, 0, 1, 1, 1, 1, 1};
    grzHullDef def = grzDefaultHullDef();
    grzHull* hull;
    def.positions = corners, def.pointCount = 8;
    must(grzHull_Create(&def, &hull));
    return hull;
}

// Whatever a world uses stays until the world, or the body, is gone: to destroy it earlier logs who has it.
static void test_nothingGoesBeforeItsUsers(void** state) {
    (void)state;
    grzTasks* tasks = makeTasks(2);
    grzProfileDef profileDef = grzDefaultProfileDef();
    profileDef.workerCount = 2;
    grzProfile* profile;
    must(grzProfile_Create(&profileDef, &profile));
    grzMesh *mesh = copyOf(g_kit.crate), *sheet = copyOf(g_kit.sheet), *figure = copyOf(g_kit.ball);
    grzMeshShape* shape;
    must(grzMeshShape_Create(mesh, (grzAllocator){0}, &shape));
    grzHull* hull = makeBoxHull();
    Ids ids;
    grzWorld* world = makeAny(profile, tasks, &ids);
    const grzBodyId crates[] = {addMesh(world, grz_dynamicBody, shape, grzVec3_Make(0, 3, 0)),
                                addMesh(world, grz_staticBody, shape, grzVec3_Make(0, 6, 0))};
    const grzBodyId block = addShape(world, grz_dynamicBody, grzMakeHullShape(hull), grzVec3_Make(4, 3, 0));
    grzClothDef clothDef = grzDefaultClothDef();
    grzAnimatedDef animatedDef = grzDefaultAnimatedDef();
    grzBodyId cloth, animated;
    clothDef.mesh = sheet, animatedDef.mesh = figure;
    must(grzWorld_AddCloth(world, &clothDef, &cloth));
    must(grzWorld_AddAnimated(world, &animatedDef, &animated));
    g_heard.count = 0;
    grzMeshShape_Destroy(shape);
    mustHear(1, "the mesh shape stays, since 2 bodies still use it");
    grzMesh_Destroy(mesh);
    mustHear(1, "the mesh stays, since 1 mesh shapes");
    grzMesh_Destroy(sheet);
    mustHear(1, "the mesh stays");
    grzMesh_Destroy(figure);
    mustHear(1, "the mesh stays");
    grzHull_Destroy(hull);
    mustHear(1, "the hull stays, since 1 bodies");
    grzTasks_Destroy(tasks);
    mustHear(1, "the pool of tasks stays, since 1 worlds");
    grzProfile_Destroy(profile);
    mustHear(1, "the profile stays, since 1 worlds");
    stepWorld(world, 5); // all is still there
    must(grzWorld_RemoveBody(world, crates[0]));
    grzMeshShape_Destroy(shape);
    mustHear(1, "the mesh shape stays, since 1 bodies");
    must(grzWorld_RemoveBody(world, crates[1]));
    must(grzWorld_RemoveBody(world, block));
    must(grzWorld_RemoveBody(world, cloth));
    grzMeshShape_Destroy(shape);
    grzMesh_Destroy(mesh);
    grzMesh_Destroy(sheet);
    grzHull_Destroy(hull);
    grzWorld_Destroy(world); // with what is left
    grzMesh_Destroy(figure);
    grzTasks_Destroy(tasks);
    grzProfile_Destroy(profile);
    mustHear(0, NULL);
}

// What was refused uses nothing.
static void test_refusedBodiesUseNothing(void** state) {
    (void)state;
    grzMesh* mesh = copyOf(g_kit.sheet);
    grzMeshShape* shape;
    must(grzMeshShape_Create(mesh, (grzAllocator){0}, &shape));
    grzWorld* world = makeWorld(NULL);
    grzBodyDef def = grzDefaultBodyDef(); // dynamic, of an open mesh
    grzBodyId id;
    def.mesh = shape;
    mustBe(grzWorld_AddBody(world, &def, &id), grz_badArgument);
    grzClothDef cloth = grzDefaultClothDef();
    cloth.mesh = mesh, cloth.density = 1e38f;
    mustBe(grzWorld_AddCloth(world, &cloth, &id), grz_badArgument);
    grzMeshShape_Destroy(shape);
    grzMesh_Destroy(mesh);
    mustHear(0, NULL);
    grzWorld_Destroy(world);
}

static int setUp(void** state) {
    grzSetLogHook(hear, NULL);
    return makeWorldKit(state);
}

static int tearDown(void** state) {
    const int code = destroyWorldKit(state);
    grzSetLogHook(NULL, NULL);
    return code;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_noWorld),
        cmocka_unit_test(test_callsInsideAStepAreRefused),
        cmocka_unit_test(test_readersGoTogether),
        cmocka_unit_test(test_nothingGoesBeforeItsUsers),
        cmocka_unit_test(test_refusedBodiesUseNothing),
    };
    return cmocka_run_group_tests(tests, setUp, tearDown);
}
