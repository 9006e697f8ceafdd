// The world's border: what it refuses and says, ids and slots, removal in any order, refused memory.
#include "world_testing.h"

#include <math.h>

#include "hash.h"

typedef struct Refusal {
    grzStatus status;
    const char* word; // stands in the sentence
} Refusal;

// One sentence that names what is wrong.
static void mustSay(grzResult result, Refusal refusal) {
    char text[160];
    grzResult_Text(result, text, sizeof text);
    if (result.status != refusal.status || strstr(text, refusal.word) == NULL)
        fail_msg("status %d, not %d with \"%s\": %s", (int)result.status, (int)refusal.status, refusal.word, text);
    assert_null(strchr(text, '\n'));
    assert_true(strlen(text) > 6 && strlen(text) < 128);
}

typedef struct Snapshot {
    uint64_t state;
    uint32_t slots, bodies;
} Snapshot;

static Snapshot snap(const grzWorld* world) {
    return (Snapshot){grzWorld_HashState(world), grzWorld_SlotCount(world), grzWorld_GetStats(world).bodyCount};
}

static void mustBeSame(const grzWorld* world, Snapshot before) {
    const Snapshot now = snap(world);
    assert_true(grzWorld_Validate(world));
    assert_int_equal(now.state, before.state);
    assert_int_equal(now.slots, before.slots);
    assert_int_equal(now.bodies, before.bodies);
}

// ---------------------------------------------------------------------------------------------------- the world's def

static void refuseWorld(const grzWorldDef* def, Refusal refusal) {
    grzWorld* world = (grzWorld*)1;
    mustSay(grzWorld_Create(def, &world), refusal);
    assert_null(world);
}

static void test_worldDefs(void** state) {
    (void)state;
    static const size_t numbers[] = {offsetof(grzWorldDef, margin), offsetof(grzWorldDef, contactHertz),
                                     offsetof(grzWorldDef, contactDampingRatio), offsetof(grzWorldDef, pushSpeed),
                                     offsetof(grzWorldDef, restitutionThreshold)};
    static const char* const names[] = {"margin", "contactHertz", "contactDampingRatio", "pushSpeed",
                                        "restitutionThreshold"};
    refuseWorld(NULL, (Refusal){grz_badDef, ""});
    grzWorldDef def = grzDefaultWorldDef();
    def.mark ^= 1;
    refuseWorld(&def, (Refusal){grz_badDef, ""});
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i) {
        const float bad[] = {NAN, INFINITY, -INFINITY, -1};
        for (int k = 0; k < 4; ++k) {
            def = grzDefaultWorldDef();
            *(float*)((char*)&def + numbers[i]) = bad[k];
            refuseWorld(&def, (Refusal){k < 3 ? grz_notFinite : grz_badArgument, names[i]});
        }
    }
    def = grzDefaultWorldDef();
    def.contactHertz = 0;
    refuseWorld(&def, (Refusal){grz_badArgument, "contactHertz"});
    for (int axis = 0; axis < 3; ++axis) {
        def = grzDefaultWorldDef();
        ((float*)&def.gravity)[axis] = NAN;
        refuseWorld(&def, (Refusal){grz_notFinite, "gravity"});
    }
    def = grzDefaultWorldDef();
    def.substepCount = 0;
    refuseWorld(&def, (Refusal){grz_badArgument, "substepCount"});
    def.substepCount = 65;
    refuseWorld(&def, (Refusal){grz_badArgument, "substepCount"});
    def = grzDefaultWorldDef();
    def.idSalt = 0x80000000u;
    refuseWorld(&def, (Refusal){grz_badArgument, "idSalt"});
    def = grzDefaultWorldDef();
    def.allocator.allocate = testAllocate;
    refuseWorld(&def, (Refusal){grz_badArgument, ""});
}

// -------------------------------------------------------------------------------------------------------- the profile

#if defined(GRAZE_PROFILE)
static uint64_t counted(const grzStepSummary* summary, const char* name) {
    for (uint32_t i = 0; i < summary->counterCount; ++i)
        if (strcmp(summary->counters[i].name, name) == 0)
            return summary->counters[i].value;
    fail_msg("no counter %s", name);
    return 0;
}
#endif

#if defined(GRAZE_PROFILE)
// Zones of all workers that the rings hold.
static uint32_t countZones(const grzProfile* profile, const char* name) {
    uint32_t count = 0;
    for (uint32_t worker = 0; worker < grzProfile_WorkerCount(profile); ++worker)
        for (uint32_t i = 0; i < grzProfile_ZoneCount(profile, worker); ++i)
            count += strcmp(grzProfile_Zone(profile, worker, i).name, name) == 0;
    return count;
}
#endif

// Meshes are brought up to date side by side, each in a zone of whoever does it, and each says why in the way it is.
static void test_animatedMeshesAreProfiled(void** state) {
    (void)state;
    enum { meshes = 16, steps = 12 };
    grzWorldDef def = grzDefaultWorldDef();
    grzProfileDef profileDef = grzDefaultProfileDef();
    def.tasks = makeTasks(3);
    profileDef.workerCount = 3;
    must(grzProfile_Create(&profileDef, &def.profile));
    grzWorld* world;
    must(grzWorld_Create(&def, &world));
    grzBodyId ids[meshes];
    for (int i = 0; i < meshes; ++i) {
        ids[i] = addAnimated(world, g_kit.crate, grz_animateKeyframes);
        const grzVec3 one = grzVec3_Splat(1), way = grzVec3_Make((float)i, 5, 0);
        for (int k = 1; k <= 4; ++k)
            must(grzWorld_AddKeyframe(world, ids[i], 0.05 * k,
                                      movedPositions(g_kit.crate, one, grzScale(way, (float)k))));
    }
    for (int i = 0; i < steps; ++i) {
        grzProfile_BeginStep(def.profile);
        must(grzWorld_Step(world, 1.0f / 60.0f));
        assert_int_equal(grzProfile_EndStep(def.profile)->misuseCount, 0);
    }
#if defined(GRAZE_PROFILE)
    assert_int_equal(countZones(def.profile, "upkeep"), meshes * steps);
#endif
    for (int i = 0; i < meshes; ++i) {
        grzAnimatedView view;
        must(grzWorld_GetAnimated(world, ids[i], &view));
        assert_string_equal(view.upkeep.reason, "a frame takes less than what a keyframe takes");
    }
    grzWorld_Destroy(world);
    grzProfile_Destroy(def.profile);
    grzTasks_Destroy(def.tasks);
}

static void mustTell(const grzStepSummary* summary, const grzWorld* world) {
    const grzWorldStats stats = grzWorld_GetStats(world);
    assert_true(stats.bodyPairs > 0 && stats.trianglePairs > 0 && stats.touchingPairs > 0);
    for (int stage = grz_stagePlan; stage <= grz_stagePublish; ++stage)
        assert_true(summary->stages[stage].zoneCount > 0);
    assert_int_equal(summary->misuseCount, 0);
#if defined(GRAZE_PROFILE)
    assert_int_equal(counted(summary, "body pairs"), stats.bodyPairs);
    assert_int_equal(counted(summary, "recycled pairs"), stats.recycledPairs);
    assert_int_equal(counted(summary, "triangle pairs"), stats.trianglePairs);
    assert_int_equal(counted(summary, "contacts"), stats.contacts);
    assert_int_equal(counted(summary, "touching pairs"), stats.touchingPairs);
#endif
}

static void test_profile(void** state) {
    (void)state;
    grzWorldDef def = grzDefaultWorldDef();
    grzProfileDef profileDef = grzDefaultProfileDef();
    def.tasks = makeTasks(3);
    profileDef.workerCount = 2;
    must(grzProfile_Create(&profileDef, &def.profile));
    refuseWorld(&def, (Refusal){grz_badArgument, "profile"});
    grzProfile_Destroy(def.profile);
    profileDef.workerCount = 3;
    must(grzProfile_Create(&profileDef, &def.profile));
    assert_int_equal(grzProfile_WorkerCount(def.profile), 3);
    assert_int_equal(grzProfile_WorkerCount(NULL), 0);
    grzWorld* world;
    must(grzWorld_Create(&def, &world));
    fillWorld(world, mixMeshes, 20, 5);
    for (int i = 0; i < 30; ++i) {
        grzProfile_BeginStep(def.profile);
        must(i == 29 ? grzWorld_Collide(world, 0) : grzWorld_Step(world, 1.0f / 60.0f));
        const grzStepSummary* summary = grzProfile_EndStep(def.profile);
        if (i >= 28)
            mustTell(summary, world);
    }
    grzWorld_Destroy(world);
    grzProfile_Destroy(def.profile);
    grzTasks_Destroy(def.tasks);
}

static void test_timeSteps(void** state) {
    (void)state;
    grzWorld* world = makeWorld(NULL);
    addShape(world, grz_dynamicBody, grzMakeSphere(grzVec3_Zero(), 1), grzVec3_Zero());
    const Snapshot before = snap(world);
    mustSay(grzWorld_Step(world, 0), (Refusal){grz_badArgument, "time step"});
    mustSay(grzWorld_Step(world, -1), (Refusal){grz_badArgument, "time step"});
    mustSay(grzWorld_Step(world, NAN), (Refusal){grz_notFinite, "time step"});
    mustSay(grzWorld_Step(world, INFINITY), (Refusal){grz_notFinite, "time step"});
    mustSay(grzWorld_Collide(world, -1), (Refusal){grz_badArgument, "time step"});
    mustSay(grzWorld_Collide(world, NAN), (Refusal){grz_notFinite, "time step"});
    mustSay(grzWorld_SetGravity(world, grzVec3_Make(0, NAN, 0)), (Refusal){grz_notFinite, "gravity"});
    mustBeSame(world, before);
    assert_int_equal(grzWorld_StepCount(world), 0);
    must(grzWorld_Collide(world, 0));
    must(grzWorld_Step(world, 0.25f));
    assert_true(grzWorld_Time(world) == 0.25);
    assert_int_equal(grzWorld_StepCount(world), 2);
    grzWorld_Destroy(world);
}

// A body that would fly off is stopped, and the steps go on. Of a mesh and of a convex shape alike.
static void flyOff(const grzMeshShape* mesh) {
    grzWorld* world = makeWorld(NULL);
    addFloor(world, 0.5f);
    const grzVec3 edge = grzVec3_Make(9.5e14f, 0, 0);
    const grzBodyId id = mesh != NULL ? addMesh(world, grz_dynamicBody, mesh, edge)
                                      : addShape(world, grz_dynamicBody, grzMakeSphere(grzVec3_Zero(), 0.5f), edge);
    must(grzWorld_SetVelocity(world, id, grzVec3_Make(1e15f, 0, 0), grzVec3_Zero()));
    uint32_t steps = 0;
    while (grzWorld_GetBodyEvents(world).count == 0 && ++steps < 20)
        must(grzWorld_Step(world, 1.0f / 60.0f));
    const grzWorldBodyEvents stops = grzWorld_GetBodyEvents(world);
    assert_true(stops.count == 1 && grzBodyId_IsSame(stops.events[0].body, id) && steps >= 2 && steps < 7);
    assert_true(stops.events[0].kind == grz_bodyStopped && stops.events[0].reason == grz_stopTooFar);
    assert_true(grzLengthSq(viewOf(world, id).velocity) == 0);
    grzWorldHits* hits;
    must(grzWorldHits_Create((grzAllocator){0}, &hits));
    grzWorldRay ray = grzDefaultWorldRay();
    ray.origin.y = 9, ray.direction = grzVec3_Make(0, -1, 0), ray.reach = 20;
    must(grzWorld_CastRay(world, &ray, hits)); // the body is where it was before that step
    assert_int_equal(grzWorldHits_GetView(hits).count, 1);
    assert_true(grzVec3_IsFinite(viewOf(world, id).box.upper));
    mustSay(grzWorld_PlaceBody(world, id, grzVec3_Make(0, 2e15f, 0), grzQuat_Identity()),
            (Refusal){grz_notFinite, "beyond 1e15"});
    must(grzWorld_PlaceBody(world, id, grzVec3_Make(0, 5, 0), grzQuat_Identity()));
    must(grzWorld_CastRay(world, &ray, hits));
    assert_int_equal(grzWorldHits_GetView(hits).count, 1);
    assert_int_equal(grzWorldHits_GetView(hits).hits[0].body.index1, id.index1);
    grzWorldHits_Destroy(hits);
    must(grzWorld_SetVelocity(world, id, grzVec3_Zero(), grzVec3_Zero()));
    stepWorld(world, 2);
    grzWorld_Destroy(world);
}

static void test_bodiesThatFlyOff(void** state) {
    (void)state;
    flyOff(NULL);
    flyOff(g_kit.crateShape);
}

// ------------------------------------------------------------------------------------------------------------ bodies

static grzBodyDef goodBody(void) {
    grzBodyDef def = grzDefaultBodyDef();
    def.shape = grzMakeSphere(grzVec3_Zero(), 0.5f);
    return def;
}

static void refuseBody(grzWorld* world, const grzBodyDef* def, Refusal refusal) {
    const Snapshot before = snap(world);
    grzBodyId id = {9, 9};
    mustSay(grzWorld_AddBody(world, def, &id), refusal);
    assert_true(id.index1 == 0 && id.generation == 0);
    mustBeSame(world, before);
}

static void refuseBodyNumbers(grzWorld* world) {
    static const size_t numbers[] = {offsetof(grzBodyDef, density),        offsetof(grzBodyDef, friction),
                                     offsetof(grzBodyDef, restitution),    offsetof(grzBodyDef, linearDamping),
                                     offsetof(grzBodyDef, angularDamping), offsetof(grzBodyDef, gravityScale),
                                     offsetof(grzBodyDef, origin),         offsetof(grzBodyDef, rotation),
                                     offsetof(grzBodyDef, velocity),       offsetof(grzBodyDef, spin)};
    static const char* const names[] = {"density",      "friction", "restitution", "damping",  "damping",
                                        "gravityScale", "origin",   "rotation",    "velocity", "spin"};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i)
        for (int component = 0; component < (i < 6 ? 1 : i == 7 ? 4 : 3); ++component)
            for (int sign = -1; sign <= 1; ++sign) {
                grzBodyDef def = goodBody();
                ((float*)(void*)((char*)&def + numbers[i]))[component] = sign == 0 ? NAN : (float)sign * INFINITY;
                refuseBody(world, &def, (Refusal){grz_notFinite, names[i]});
            }
    for (int i = 0; i < 5; ++i) {
        grzBodyDef def = goodBody();
        *(float*)(void*)((char*)&def + numbers[i]) = -0.5f;
        refuseBody(world, &def, (Refusal){grz_badArgument, names[i]});
    }
}

static void test_bodyDefs(void** state) {
    (void)state;
    grzWorld* world = makeWorld(NULL);
    addFloor(world, 0.5f);
    refuseBody(world, NULL, (Refusal){grz_badDef, ""});
    grzBodyDef def = goodBody();
    def.mark = 0;
    refuseBody(world, &def, (Refusal){grz_badDef, ""});
    refuseBodyNumbers(world);
    def = goodBody();
    def.density = 0;
    refuseBody(world, &def, (Refusal){grz_badArgument, "density"});
    def = goodBody();
    def.restitution = 1.5f;
    refuseBody(world, &def, (Refusal){grz_badArgument, "restitution"});
    def = goodBody();
    def.kind = grz_clothBody;
    refuseBody(world, &def, (Refusal){grz_badArgument, "kind"});
    def.kind = (grzBodyKind)-1;
    refuseBody(world, &def, (Refusal){grz_badArgument, "kind"});
    def = goodBody();
    def.rotation = grzQuat_Make(0, 0, 0, 2);
    refuseBody(world, &def, (Refusal){grz_badArgument, "rotation"});
    def.rotation = grzQuat_Make(0, 0, 0, 0);
    refuseBody(world, &def, (Refusal){grz_badArgument, "rotation"});
    def = goodBody();
    def.kind = grz_staticBody;
    def.spin.y = 1;
    refuseBody(world, &def, (Refusal){grz_badArgument, "velocity"});
    grzWorld_Destroy(world);
}

static void test_bodyShapes(void** state) {
    (void)state;
    grzWorld* world = makeWorld(NULL);
    grzBodyDef def = grzDefaultBodyDef();
    refuseBody(world, &def, (Refusal){grz_badArgument, "neither"});
    def = goodBody();
    def.mesh = g_kit.ballShape;
    refuseBody(world, &def, (Refusal){grz_badArgument, "both"});
    def = goodBody();
    def.mesh = g_kit.groundShape;
    def.shape.kind = grz_noShape;
    refuseBody(world, &def, (Refusal){grz_badArgument, "closed"});
    def.kind = grz_kinematicBody;
    addBody(world, &def);
    def = goodBody();
    def.shape.radius = -1;
    refuseBody(world, &def, (Refusal){grz_badArgument, ""});
    def.shape.radius = NAN;
    refuseBody(world, &def, (Refusal){grz_notFinite, ""});
    def.shape = grzMakeHullShape(NULL);
    refuseBody(world, &def, (Refusal){grz_badArgument, ""});
    def.shape = grzMakeBox(grzVec3_Zero(), grzVec3_Make(1, 0, 1));
    refuseBody(world, &def, (Refusal){grz_badArgument, "volume"});
    def.shape = grzMakeSphere(grzVec3_Zero(), 0);
    refuseBody(world, &def, (Refusal){grz_badArgument, "volume"});
    def.shape = grzMakeSphere(grzVec3_Zero(), 1e15f);
    refuseBody(world, &def, (Refusal){grz_badArgument, "mass"});
    def.shape = grzMakeSphere(grzVec3_Zero(), 0);
    def.kind = grz_staticBody;
    addBody(world, &def);
    def = goodBody();
    def.origin.x = 3.4e38f;
    refuseBody(world, &def, (Refusal){grz_notFinite, "beyond 1e15"});
    grzWorld_Destroy(world);
}

// ------------------------------------------------------------------------------------------------ cloth and animated

static void refuseCloth(grzWorld* world, const grzClothDef* def, Refusal refusal) {
    const Snapshot before = snap(world);
    grzBodyId id = {9, 9};
    mustSay(grzWorld_AddCloth(world, def, &id), refusal);
    assert_true(id.index1 == 0 && id.generation == 0);
    mustBeSame(world, before);
}

static void test_clothDefs(void** state) {
    (void)state;
    static const size_t numbers[] = {
        offsetof(grzClothDef, density),           offsetof(grzClothDef, thickness),
        offsetof(grzClothDef, stretchCompliance), offsetof(grzClothDef, bendCompliance),
        offsetof(grzClothDef, damping),           offsetof(grzClothDef, friction)};
    static const char* const names[] = {"density",        "thickness", "stretchCompliance",
                                        "bendCompliance", "damping",   "friction"};
    grzWorld* world = makeWorld(NULL);
    grzClothDef def = grzDefaultClothDef();
    refuseCloth(world, NULL, (Refusal){grz_badDef, ""});
    refuseCloth(world, &def, (Refusal){grz_badArgument, "mesh"});
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i) {
        const float bad[] = {NAN, INFINITY, -1, 0};
        for (int k = 0; k < (i < 2 ? 4 : 3); ++k) {
            def = grzDefaultClothDef();
            def.mesh = g_kit.sheet;
            *(float*)(void*)((char*)&def + numbers[i]) = bad[k];
            refuseCloth(world, &def, (Refusal){k < 2 ? grz_notFinite : grz_badArgument, names[i]});
        }
    }
    def = grzDefaultClothDef();
    def.mesh = g_kit.sheet;
    def.origin.z = NAN;
    refuseCloth(world, &def, (Refusal){grz_notFinite, "origin"});
    def.origin.z = 2e15f;
    refuseCloth(world, &def, (Refusal){grz_notFinite, "vertex 0: a coordinate is not finite, or beyond 1e15"});
    def.origin.z = 0;
    def.rotation.w = NAN;
    refuseCloth(world, &def, (Refusal){grz_notFinite, "rotation"});
    def.rotation.w = 3;
    refuseCloth(world, &def, (Refusal){grz_badArgument, "rotation"});
    def.rotation.w = 1;
    const uint32_t pin = 121;
    def.pins = &pin, def.pinCount = 1;
    refuseCloth(world, &def, (Refusal){grz_indexTooLarge, "pin"});
    def.pins = NULL;
    refuseCloth(world, &def, (Refusal){grz_badArgument, "pins"});
    grzWorld_Destroy(world);
}

static void refuseAnimated(grzWorld* world, const grzAnimatedDef* def, Refusal refusal) {
    const Snapshot before = snap(world);
    grzBodyId id = {9, 9};
    mustSay(grzWorld_AddAnimated(world, def, &id), refusal);
    assert_true(id.index1 == 0 && id.generation == 0);
    mustBeSame(world, before);
}

static void test_animatedDefs(void** state) {
    (void)state;
    grzWorld* world = makeWorld(NULL);
    grzAnimatedDef def = grzDefaultAnimatedDef();
    refuseAnimated(world, NULL, (Refusal){grz_badDef, ""});
    refuseAnimated(world, &def, (Refusal){grz_badArgument, "mesh"});
    def.mesh = g_kit.ball;
    def.friction = NAN;
    refuseAnimated(world, &def, (Refusal){grz_notFinite, "friction"});
    def.friction = -1;
    refuseAnimated(world, &def, (Refusal){grz_badArgument, "friction"});
    def.friction = 1;
    def.restitution = NAN;
    refuseAnimated(world, &def, (Refusal){grz_notFinite, "restitution"});
    def.restitution = 2;
    refuseAnimated(world, &def, (Refusal){grz_badArgument, "restitution"});
    def.restitution = 0;
    def.motion = (grzAnimatedMotion)7;
    refuseAnimated(world, &def, (Refusal){grz_badArgument, "motion"});
    def.motion = grz_animateKeyframes;
    def.ways = 0x80000000u;
    refuseAnimated(world, &def, (Refusal){grz_badArgument, ""});
    grzWorld_Destroy(world);
}

// --------------------------------------------------------------------------------------------------------------- ids

// Every call that takes an id, with fitting arguments.
enum { ID_CALLS = 11 };

static grzResult callWith(grzWorld* world, grzBodyId id, int call) {
    const grzVec3 zero = grzVec3_Zero();
    const uint32_t vertex = 0;
    static float numbers[3 * 200];
    grzBodyView view;
    grzClothView clothView;
    grzAnimatedView animatedView;
    switch (call) {
    case 0:
        return grzWorld_GetBody(world, id, &view);
    case 1:
        return grzWorld_PlaceBody(world, id, zero, grzQuat_Identity());
    case 2:
        return grzWorld_SetVelocity(world, id, zero, zero);
    case 3:
        return grzWorld_PushBody(world, id, zero, zero);
    case 4:
        return grzWorld_AddForce(world, id, zero, zero);
    case 5:
        return grzWorld_GetCloth(world, id, &clothView);
    case 6:
        return grzWorld_MovePins(world, id, 0, 1, numbers);
    case 7:
        return grzWorld_AddKeyframe(world, id, 1e6, numbers);
    case 8:
        return grzWorld_SetVertexVelocities(world, id, &vertex, numbers, 1);
    case 9:
        return grzWorld_SetVertices(world, id, numbers);
    default:
        return grzWorld_GetAnimated(world, id, &animatedView);
    }
}

static void mustBeStale(grzWorld* world, grzBodyId id) {
    const Snapshot before = snap(world);
    assert_false(grzWorld_HasBody(world, id));
    for (int call = 0; call < ID_CALLS; ++call)
        mustSay(callWith(world, id, call), (Refusal){grz_staleHandle, ""});
    mustSay(grzWorld_RemoveBody(world, id), (Refusal){grz_staleHandle, ""});
    mustBeSame(world, before);
}

// Of each kind: calls that are for it, as bits.
static void test_idsOfOtherKinds(void** state) {
    (void)state;
    enum { KINDS = 7 };
    static const uint32_t allowed[KINDS] = {0x003, 0x007, 0x01F, 0x061, 0x481, 0x501, 0x601};
    grzWorld* world = makeWorld(NULL);
    const uint32_t pin = 0;
    const grzConvex ball = grzMakeSphere(grzVec3_Zero(), 0.5f);
    const grzBodyId ids[KINDS] = {addShape(world, grz_staticBody, ball, grzVec3_Zero()),
                                  addShape(world, grz_kinematicBody, ball, grzVec3_Zero()),
                                  addMesh(world, grz_dynamicBody, g_kit.ringShape, grzVec3_Zero()),
                                  addCloth(world, grzVec3_Zero(), &pin, 1),
                                  addAnimated(world, g_kit.ball, grz_animateKeyframes),
                                  addAnimated(world, g_kit.ball, grz_animateVelocities),
                                  addAnimated(world, g_kit.ball, grz_animateVertices)};
    for (int kind = 0; kind < KINDS; ++kind)
        for (int call = 0; call < ID_CALLS; ++call) {
            if ((allowed[kind] >> call & 1) != 0)
                must(callWith(world, ids[kind], call));
            else
                mustSay(callWith(world, ids[kind], call), (Refusal){grz_badArgument, ""});
        }
    assert_true(grzWorld_Validate(world));
    grzWorld* other = makeWorld(NULL);
    for (int kind = 0; kind < KINDS; ++kind) {
        mustBeStale(other, ids[kind]);
        must(grzWorld_RemoveBody(world, ids[kind]));
        mustBeStale(world, ids[kind]);
    }
    mustBeStale(world, (grzBodyId){0, 0});
    mustBeStale(world, (grzBodyId){1000, 1});
    grzWorld_Destroy(other);
    grzWorld_Destroy(world);
}

static void test_idsOfAnotherWorld(void** state) {
    (void)state;
    grzWorldDef def = grzDefaultWorldDef(); // salts of their own
    grzWorld *one, *two;
    must(grzWorld_Create(&def, &one));
    must(grzWorld_Create(&def, &two));
    const grzBodyId first = addFloor(one, 1), second = addFloor(two, 1);
    mustBeStale(one, second);
    mustBeStale(two, first);
    grzWorld_Destroy(one);
    grzWorld_Destroy(two);
}

static void mustRefuse(grzWorld* world, grzResult result, Refusal refusal, Snapshot before) {
    mustSay(result, refusal);
    mustBeSame(world, before);
}

static void test_badNumbersForBodies(void** state) {
    (void)state;
    grzWorld* world = makeWorld(NULL);
    const grzVec3 zero = grzVec3_Zero(), bad = grzVec3_Make(0, NAN, 0);
    const grzQuat one = grzQuat_Identity();
    const Refusal notFinite = {grz_notFinite, ""};
    const grzBodyId ball = addShape(world, grz_dynamicBody, grzMakeSphere(zero, 0.5f), zero);
    const Snapshot before = snap(world);
    mustRefuse(world, grzWorld_PlaceBody(world, ball, bad, one), notFinite, before);
    mustRefuse(world, grzWorld_PlaceBody(world, ball, zero, grzQuat_Make(0, NAN, 0, 1)), notFinite, before);
    mustRefuse(world, grzWorld_PlaceBody(world, ball, zero, grzQuat_Make(1, 1, 0, 0)),
               (Refusal){grz_badArgument, "unit"}, before);
    mustRefuse(world, grzWorld_SetVelocity(world, ball, bad, zero), notFinite, before);
    mustRefuse(world, grzWorld_SetVelocity(world, ball, zero, bad), notFinite, before);
    mustRefuse(world, grzWorld_PushBody(world, ball, bad, grzVec3_Splat(1)), notFinite, before);
    mustRefuse(world, grzWorld_PushBody(world, ball, zero, bad), notFinite, before);
    mustRefuse(world, grzWorld_AddForce(world, ball, bad, zero), notFinite, before);
    mustRefuse(world, grzWorld_AddForce(world, ball, zero, bad), notFinite, before);
    const float nan3[3] = {NAN, 0, 0};
    const uint32_t pin = 0, far = 100000;
    const grzBodyId cloth = addCloth(world, zero, &pin, 1);
    const grzBodyId mover = addAnimated(world, g_kit.ball, grz_animateVelocities);
    const grzBodyId actor = addAnimated(world, g_kit.ball, grz_animateKeyframes);
    const Snapshot then = snap(world);
    const float three[3] = {0, 0, 0};
    mustRefuse(world, grzWorld_MovePins(world, cloth, 0, 1, nan3), notFinite, then);
    mustRefuse(world, grzWorld_MovePins(world, cloth, 1, 1, three), (Refusal){grz_indexTooLarge, ""}, then);
    mustRefuse(world, grzWorld_PlaceCloth(world, cloth, NULL, NULL), (Refusal){grz_badArgument, ""}, then);
    mustRefuse(world, grzWorld_SetVertexVelocities(world, mover, &pin, nan3, 1), notFinite, then);
    mustRefuse(world, grzWorld_SetVertexVelocities(world, mover, &far, three, 1), (Refusal){grz_indexTooLarge, ""},
               then);
    const float* positions = movedPositions(g_kit.ball, grzVec3_Splat(1), zero);
    mustRefuse(world, grzWorld_AddKeyframe(world, actor, 0, positions), (Refusal){grz_badArgument, ""}, then);
    mustRefuse(world, grzWorld_AddKeyframe(world, actor, (double)NAN, positions),
               (Refusal){grz_badArgument, "time"}, then);
    mustRefuse(world, grzWorld_AddKeyframe(world, actor, 1, movedPositions(g_kit.ball, grzVec3_Splat(NAN), zero)),
               notFinite, then);
    grzWorld_Destroy(world);
}

// ------------------------------------------------------------------------------------------------- adding and removing

enum { MOST_LIVES = 24 };

typedef struct Life {
    grzBodyId id;
    uint64_t userData;
} Life;

static grzBodyId addRandom(grzWorld* world, grzRng* rng, uint64_t userData) {
    const grzVec3 place = grzVec3_Make(randomIn(rng, -1, 1), 1, 0);
    const uint32_t kind = grzRng_Below(rng, 8);
    grzBodyId id;
    if (kind == 0) {
        grzClothDef def = grzDefaultClothDef();
        def.mesh = g_kit.sheet, def.origin = place, def.userData = userData;
        def.group = grzRng_Below(rng, 3);
        must(grzWorld_AddCloth(world, &def, &id));
        return id;
    }
    if (kind == 1) {
        grzAnimatedDef def = grzDefaultAnimatedDef();
        def.mesh = g_kit.ball, def.userData = userData;
        def.group = grzRng_Below(rng, 3);
        must(grzWorld_AddAnimated(world, &def, &id));
        must(grzWorld_AddKeyframe(world, id, grzWorld_Time(world) + 0.1,
                                  movedPositions(g_kit.ball, grzVec3_Splat(1), place)));
        return id;
    }
    grzBodyDef def = grzDefaultBodyDef();
    def.kind = (grzBodyKind)(kind % 3);
    if (kind < 4)
        def.mesh = g_kit.ringShape;
    else
        def.shape = anyShape(rng);
    def.origin = place;
    def.userData = userData;
    def.group = grzRng_Below(rng, 3);
    if (def.kind == grz_dynamicBody && def.mesh == NULL)
        def.shape = grzMakeBox(grzVec3_Zero(), grzVec3_Splat(0.3f));
    return addBody(world, &def);
}

static void checkLives(const grzWorld* world, const Life* lives, uint32_t count) {
    assert_int_equal(grzWorld_GetStats(world).bodyCount, count);
    uint32_t found = 0;
    for (uint32_t slot = 0; slot < grzWorld_SlotCount(world); ++slot)
        found += grzWorld_BodyAt(world, slot).index1 != 0;
    assert_int_equal(found, count);
    for (uint32_t i = 0; i < count; ++i) {
        const grzBodyId at = grzWorld_BodyAt(world, lives[i].id.index1 - 1);
        assert_true(at.index1 == lives[i].id.index1 && at.generation == lives[i].id.generation);
        assert_int_equal(viewOf(world, lives[i].id).userData, lives[i].userData);
    }
}

// Contacts are asked for after a body has gone as well as before.
static void test_removeInAnyOrder(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(700), 0);
    for (int round = 0; round < 4; ++round) {
        TestMemory memory = {.failAt = SIZE_MAX};
        grzWorldDef def = grzDefaultWorldDef();
        def.allocator = testAllocator(&memory);
        grzWorld* world;
        must(grzWorld_Create(&def, &world));
        Life lives[MOST_LIVES];
        uint32_t count = 0;
        for (uint64_t change = 1; change < 100; ++change) {
            if (count < MOST_LIVES && grzRng_Below(&rng, 5) < 3) {
                lives[count++] = (Life){addRandom(world, &rng, change), change};
            } else if (count > 0) {
                const uint32_t i = grzRng_Below(&rng, count);
                must(grzWorld_RemoveBody(world, lives[i].id));
                assert_false(grzWorld_HasBody(world, lives[i].id));
                lives[i] = lives[--count];
            }
            checkLives(world, lives, count);
            if (grzRng_Below(&rng, 2) == 0)
                (void)grzWorld_HashContacts(world);
            assert_true(grzWorld_Validate(world));
            if (grzRng_Below(&rng, 3) == 0)
                stepWorld(world, 1);
            assert_int_equal(grzWorld_GetStats(world).memoryBytes, memory.liveBytes);
        }
        while (count > 0)
            must(grzWorld_RemoveBody(world, lives[--count].id));
        stepWorld(world, 2);
        assert_int_equal(grzWorld_GetContacts(world).contactCount, 0);
        assert_int_equal(grzWorld_GetContacts(world).eventCount, 0);
        grzWorld_Destroy(world);
        assert_int_equal(memory.liveCount, 0);
    }
}

// A pair that touched ends where one of them is removed, also where another body takes the slot.
// A cloth and an animated mesh in the slots of ones that are gone, before others of their kinds.
static void test_slotsTakenAgain(void** state) {
    (void)state;
    grzWorld* world = makeWorld(NULL);
    const grzBodyId cloth = addCloth(world, grzVec3_Make(0, 3, 0), NULL, 0);
    const grzBodyId mesh = addAnimated(world, g_kit.ball, grz_animateVertices);
    addCloth(world, grzVec3_Make(5, 3, 0), NULL, 0);
    addAnimated(world, g_kit.ball, grz_animateVertices);
    must(grzWorld_RemoveBody(world, mesh));
    must(grzWorld_RemoveBody(world, cloth));
    stepWorld(world, 1);
    const grzBodyId newCloth = addCloth(world, grzVec3_Make(0, 6, 0), NULL, 0);
    const grzBodyId newMesh = addAnimated(world, g_kit.ball, grz_animateVertices);
    assert_true(newCloth.index1 + newMesh.index1 == cloth.index1 + mesh.index1);
    stepWorld(world, 2);
    grzWorld_Destroy(world);
}

static void test_removalEndsTouches(void** state) {
    (void)state;
    for (int isReplaced = 0; isReplaced < 2; ++isReplaced) {
        grzWorld* world = makeWorld(NULL);
        addFloor(world, 0.5f);
        const grzConvex box = grzMakeBox(grzVec3_Zero(), grzVec3_Splat(0.5f));
        const grzBodyId crate = addShape(world, grz_dynamicBody, box, grzVec3_Make(0, 0.499f, 0));
        stepWorld(world, 3);
        assert_int_equal(grzWorld_GetContacts(world).eventCount, 1);
        assert_int_equal(grzWorld_GetContacts(world).events[0].kind, grz_persistEvent);
        must(grzWorld_RemoveBody(world, crate));
        if (isReplaced != 0) {
            const grzBodyId next = addShape(world, grz_dynamicBody, box, grzVec3_Make(0, 0.499f, 0));
            assert_int_equal(next.index1, crate.index1);
            assert_int_not_equal(next.generation, crate.generation);
        }
        stepWorld(world, 1);
        const grzWorldContacts found = grzWorld_GetContacts(world);
        assert_int_equal(found.eventCount, 1 + isReplaced);
        if (isReplaced != 0)
            assert_int_equal(found.events[0].kind, grz_beginEvent);
        assert_int_equal(found.events[found.eventCount - 1].kind, grz_endEvent);
        assert_int_equal(found.events[found.eventCount - 1].contactCount, 0);
        grzWorld_Destroy(world);
    }
}

// The list of the last step stays what it was when a body goes before anybody has asked for it.
static void test_listAfterRemoval(void** state) {
    (void)state;
    uint64_t hashes[2];
    for (int isAsked = 0; isAsked < 2; ++isAsked) {
        grzWorld* world = makeWorld(NULL);
        fillWorld(world, mixAll, 6, 3);
        stepWorld(world, 20);
        if (isAsked != 0)
            assert_true(grzWorld_GetContacts(world).contactCount > 0);
        for (uint32_t slot = 0; slot < grzWorld_SlotCount(world); ++slot)
            must(grzWorld_RemoveBody(world, grzWorld_BodyAt(world, slot)));
        hashes[isAsked] = grzWorld_HashContacts(world);
        grzWorld_Destroy(world);
    }
    assert_int_equal(hashes[0], hashes[1]);
}

// --------------------------------------------------------------------------------------------------------- memory

static grzWorld* makeOn(TestMemory* memory) {
    grzWorldDef def = grzDefaultWorldDef();
    def.allocator = testAllocator(memory);
    def.idSalt = 7;
    grzWorld* world;
    must(grzWorld_Create(&def, &world));
    return world;
}

static grzResult addKind(grzWorld* world, int kind, grzBodyId* id) {
    if (kind == 1) {
        grzClothDef def = grzDefaultClothDef();
        def.mesh = g_kit.sheet;
        return grzWorld_AddCloth(world, &def, id);
    }
    if (kind == 2) {
        grzAnimatedDef def = grzDefaultAnimatedDef();
        def.mesh = g_kit.crate;
        return grzWorld_AddAnimated(world, &def, id);
    }
    const grzBodyDef def = goodBody();
    return grzWorld_AddBody(world, &def, id);
}

// Of rigid bodies and cloth.
static uint64_t hashOfMovers(const grzWorld* world) {
    grzHash hash = grzHash_Begin(0);
    for (uint32_t slot = 0; slot < grzWorld_SlotCount(world); ++slot) {
        const grzBodyView view = viewOf(world, grzWorld_BodyAt(world, slot));
        grzHash_Add(&hash, &view.origin, 4 * sizeof(grzVec3));
        grzClothView cloth;
        if (grzResult_IsOk(grzWorld_GetCloth(world, grzWorld_BodyAt(world, slot), &cloth)))
            grzHash_Add(&hash, cloth.positions, 3 * cloth.vertexCount * sizeof(float));
    }
    return grzHash_End(&hash);
}

// A step that was refused, and is asked for again, leads where it would have led.
static void test_stepWithoutMemory(void** state) {
    (void)state;
    uint64_t wanted = 0, wantedContacts = 0;
    size_t refusals = 0;
    bool isDone = false;
    for (size_t k = SIZE_MAX / 2; !isDone; k = k == SIZE_MAX / 2 ? 0 : k + 1 + k / 16) {
        TestMemory memory = {.failAt = SIZE_MAX};
        grzWorld* world = makeOn(&memory);
        fillWorld(world, mixAll, 4, 5);
        stepWorld(world, 8);
        memory.failAt = k == SIZE_MAX / 2 ? SIZE_MAX : memory.requests + k;
        uint32_t steps = 8;
        for (; steps < 30; ++steps) {
            const uint64_t before = hashOfMovers(world);
            const grzResult result = grzWorld_Step(world, 1.0f / 60.0f);
            if (grzResult_IsOk(result))
                continue;
            memory.failAt = SIZE_MAX;
            mustSay(result, (Refusal){grz_outOfMemory, "memory"});
            assert_true(grzWorld_Validate(world));
            assert_int_equal(hashOfMovers(world), before);
            assert_int_equal(grzWorld_GetContacts(world).contactCount, 0);
            ++refusals;
            stepWorld(world, 1);
        }
        isDone = k != SIZE_MAX / 2 && memory.failAt != SIZE_MAX;
        memory.failAt = SIZE_MAX; // lists ask for memory as well
        if (k == SIZE_MAX / 2) {
            wanted = grzWorld_HashState(world);
            wantedContacts = grzWorld_HashContacts(world);
        }
        assert_int_equal(grzWorld_HashState(world), wanted);
        assert_int_equal(grzWorld_HashContacts(world), wantedContacts);
        grzWorld_Destroy(world);
        assert_int_equal(memory.liveCount, 0);
    }
    assert_true(refusals > 8);
}

// A ball 0.02 m further a step, against a box, and back.
static void swayBall(grzWorld* world, grzBodyId mover, uint32_t step) {
    const float shift = 0.02f * fabsf((float)(step % 20) - 10) + 4.99f;
    must(grzWorld_SetVertices(world, mover,
                              movedPositions(g_kit.ball, grzVec3_Splat(1), grzVec3_Make(shift, 0, 0))));
    must(grzWorld_Step(world, 1.0f / 60.0f)); // Validate takes memory
}

static void test_nothingTakenWhenWarm(void** state) {
    (void)state;
    TestMemory memory = {.failAt = SIZE_MAX};
    grzWorld* world = makeOn(&memory);
    const uint32_t pins[2] = {0, 10};
    const grzBodyId mover = addAnimated(world, g_kit.ball, grz_animateVertices);
    swayBall(world, mover, 0); // from the origin, before anything is in its way
    addFloor(world, 0.6f);
    addCloth(world, grzVec3_Make(0, 1.2f, 0), pins, 2);
    addShape(world, grz_dynamicBody, grzMakeBox(grzVec3_Zero(), grzVec3_Splat(0.5f)), grzVec3_Make(0, 0.5f, 0));
    const grzBodyId box =
        addShape(world, grz_dynamicBody, grzMakeBox(grzVec3_Zero(), grzVec3_Splat(0.5f)), grzVec3_Make(4, 0.5f, 0));
    addMesh(world, grz_dynamicBody, g_kit.crateShape, grzVec3_Make(-4, 0.5f, 0));
    size_t before = 0;
    for (uint32_t i = 0; i < 190; ++i) { // cloth takes a second to lie; every hundredth step trims
        before = i == 110 ? memory.requests : before;
        swayBall(world, mover, i);
        assert_true(grzWorld_GetContacts(world).contactCount > 0);
    }
    assert_int_equal(memory.requests, before);
    assert_true(fabsf(viewOf(world, box).center.x - 4) < 0.5f);
    grzWorld_Destroy(world);
    assert_int_equal(memory.liveCount, 0);
}

// What bodies hold goes with them.
static void test_memoryReturns(void** state) {
    (void)state;
    TestMemory memory = {.failAt = SIZE_MAX};
    grzWorld* world = makeOn(&memory);
    size_t sizes[4];
    for (int round = 0; round < 4; ++round) {
        grzBodyId ids[9];
        for (int i = 0; i < 9; ++i)
            must(addKind(world, i % 3, &ids[i]));
        for (int i = 0; i < 9; ++i)
            must(grzWorld_RemoveBody(world, ids[(i * 4) % 9]));
        sizes[round] = grzWorld_GetStats(world).memoryBytes;
    }
    assert_int_equal(sizes[1], sizes[3]);
    grzWorld_Destroy(world);
    assert_int_equal(memory.liveCount, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_worldDefs),
        cmocka_unit_test(test_profile),
        cmocka_unit_test(test_animatedMeshesAreProfiled),
        cmocka_unit_test(test_timeSteps),
        cmocka_unit_test(test_bodiesThatFlyOff),
        cmocka_unit_test(test_bodyDefs),
        cmocka_unit_test(test_bodyShapes),
        cmocka_unit_test(test_clothDefs),
        cmocka_unit_test(test_animatedDefs),
        cmocka_unit_test(test_idsOfOtherKinds),
        cmocka_unit_test(test_idsOfAnotherWorld),
        cmocka_unit_test(test_badNumbersForBodies),
        cmocka_unit_test(test_removeInAnyOrder),
        cmocka_unit_test(test_slotsTakenAgain),
        cmocka_unit_test(test_removalEndsTouches),
        cmocka_unit_test(test_listAfterRemoval),
        cmocka_unit_test(test_stepWithoutMemory),
        cmocka_unit_test(test_nothingTakenWhenWarm),
        cmocka_unit_test(test_memoryReturns),
    };
    return cmocka_run_group_tests(tests, makeWorldKit, destroyWorldKit);
}
