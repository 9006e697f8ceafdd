// Few bodies that move among many that stand: what a step finds, what it looks at, and what adding and removing do.
//
// The oracle is a world of twins: each static body is a kinematic one at rest there, of a group in which none meets another. So every
// body of the twin is looked at in each step, and both worlds must have the same places, contacts, events and answers.
#include "world_testing.h"

#include <math.h>
#include <string.h>

#include "graze/model_distance.h"
#include "pairs_descent.h"
#include "world_inside.h"
#include "world_near.h"

enum { STANDING_GROUP = 7 };

typedef struct Twins {
    grzWorld *world, *twin;
    grzBodyId* ids; // of both; null: removed
    grzBodyId* twinIds;
    bool* stands;
    uint32_t count, capacity;
} Twins;

static Twins makeTwins(grzTasks* tasks, uint32_t capacity) {
    Twins twins = {makeWorld(tasks),
                   makeWorld(tasks),
                   calloc(capacity, sizeof(grzBodyId)),
                   calloc(capacity, sizeof(grzBodyId)),
                   calloc(capacity, sizeof(bool)),
                   0,
                   capacity};
    assert_true(twins.ids != NULL && twins.twinIds != NULL && twins.stands != NULL);
    return twins;
}

static void endTwins(Twins* twins) {
    grzWorld_Destroy(twins->world);
    grzWorld_Destroy(twins->twin);
    free(twins->ids);
    free(twins->twinIds);
    free(twins->stands);
}

static grzBodyDef anyDef(grzRng* rng, bool stands, float size) {
    grzBodyDef def = grzDefaultBodyDef();
    def.kind = stands ? grz_staticBody : grz_dynamicBody;
    def.origin = randomVector(rng, size);
    def.friction = randomIn(rng, 0, 1);
    def.group = stands ? STANDING_GROUP : 0;
    switch (grzRng_Below(rng, stands ? 4 : 3)) {
    case 0:
        def.shape = grzMakeSphere(randomVector(rng, 0.1f), randomIn(rng, 0.2f, 0.6f));
        break;
    case 1:
        def.shape = grzMakeBox(randomVector(rng, 0.2f), grzVec3_Splat(randomIn(rng, 0.2f, 0.6f)));
        break;
    case 2:
        def.shape = grzMakeCapsule(grzVec3_Make(-0.3f, 0, 0), grzVec3_Make(0.2f, 0.2f, 0), 0.2f);
        break;
    default:
        def.mesh = g_kit.ballShape;
        break;
    }
    return def;
}

static void addBoth(Twins* twins, grzRng* rng, bool stands, float size) {
    if (twins->count == twins->capacity)
        return;
    grzBodyDef def = anyDef(rng, stands, size);
    const uint32_t i = twins->count++;
    twins->stands[i] = stands;
    twins->ids[i] = addBody(twins->world, &def);
    def.kind = stands ? grz_kinematicBody : def.kind;
    twins->twinIds[i] = addBody(twins->twin, &def);
    assert_int_equal(twins->ids[i].index1, twins->twinIds[i].index1);
}

// Adds, removes, places or pushes a body in both.
static void changeBoth(Twins* twins, grzRng* rng, float size) {
    const uint32_t i = grzRng_Below(rng, twins->count);
    const uint32_t kind = grzRng_Below(rng, 8);
    if (kind < 2 || twins->ids[i].index1 == 0) {
        addBoth(twins, rng, grzRng_Below(rng, 8) != 0, size);
    } else if (kind < 4) {
        must(grzWorld_RemoveBody(twins->world, twins->ids[i]));
        must(grzWorld_RemoveBody(twins->twin, twins->twinIds[i]));
        twins->ids[i] = (grzBodyId){0, 0};
    } else if (kind < 7) {
        const grzVec3 place = randomVector(rng, size);
        must(grzWorld_PlaceBody(twins->world, twins->ids[i], place, grzQuat_Identity()));
        must(grzWorld_PlaceBody(twins->twin, twins->twinIds[i], place, grzQuat_Identity()));
    } else if (!twins->stands[i]) {
        const grzVec3 speed = randomVector(rng, 20);
        must(grzWorld_SetVelocity(twins->world, twins->ids[i], speed, speed));
        must(grzWorld_SetVelocity(twins->twin, twins->twinIds[i], speed, speed));
    }
}

static void sameHits(const grzWorldHits* hits, const grzWorldHits* twinHits) {
    const grzWorldHitsView a = grzWorldHits_GetView(hits), b = grzWorldHits_GetView(twinHits);
    assert_int_equal(a.count, b.count);
    for (size_t i = 0; i < a.count; ++i) {
        assert_int_equal(a.hits[i].body.index1, b.hits[i].body.index1);
        assert_true(a.hits[i].t == b.hits[i].t && a.hits[i].triangle == b.hits[i].triangle);
    }
}

static float distanceOf(const Twins* twins, uint32_t i, grzVec3 at) {
    grzRigid scratch;
    grzBox box;
    const grzCollider* collider = grzWorld_ColliderAt(twins->world, twins->ids[i].index1 - 1, &scratch, &box);
    if (collider->kind == grz_convexCollider) {
        grzConvexDistance found;
        must(grzConvex_ClosestPoint(&collider->shape, collider->pose, at, &found));
        return found.isTouching ? 0 : found.lower;
    }
    grzModelPointsQuery query = grzDefaultModelPointsQuery();
    query.model = collider->mesh->model, query.pose = collider->pose;
    query.points = &at.x, query.count = 1;
    grzModelPoint found;
    must(grzModel_ClosestPoints(NULL, &query, &found));
    return found.lower;
}

// Against the distances of all bodies.
static void checkClosest(const Twins* twins, grzVec3 at, float reach, uint32_t count, const grzWorldHits* hits) {
    const grzWorldHitsView found = grzWorldHits_GetView(hits);
    uint32_t within = 0, nearer = 0;
    for (uint32_t i = 0; i < twins->count; ++i) {
        if (twins->ids[i].index1 == 0)
            continue;
        const float distance = distanceOf(twins, i, at);
        within += distance <= reach;
        nearer += found.count != 0 && distance < found.hits[found.count - 1].t;
        for (size_t k = 0; k < found.count; ++k)
            assert_true(found.hits[k].body.index1 != twins->ids[i].index1 || found.hits[k].t == distance);
    }
    assert_int_equal(found.count, within < count ? within : count);
    assert_true(found.count == 0 || nearer < found.count);
    for (size_t k = 1; k < found.count; ++k)
        assert_true(
            found.hits[k - 1].t < found.hits[k].t ||
            (found.hits[k - 1].t == found.hits[k].t && found.hits[k - 1].body.index1 < found.hits[k].body.index1));
}

static void sameAnswers(Twins* twins, grzRng* rng, float size) {
    grzWorldHits *hits, *twinHits;
    must(grzWorldHits_Create((grzAllocator){0}, &hits));
    must(grzWorldHits_Create((grzAllocator){0}, &twinHits));
    for (int i = 0; i < 6; ++i) {
        grzWorldRay ray = grzDefaultWorldRay();
        ray.origin = randomVector(rng, size), ray.direction = randomVector(rng, 1);
        ray.isAll = i % 2 == 0;
        must(grzWorld_CastRay(twins->world, &ray, hits));
        must(grzWorld_CastRay(twins->twin, &ray, twinHits));
        sameHits(hits, twinHits);
        const grzVec3 at = randomVector(rng, size);
        const grzBox box = grzBox_Make(at, grzAdd(at, grzVec3_Splat(2)));
        must(grzWorld_OverlapBox(twins->world, box, hits));
        must(grzWorld_OverlapBox(twins->twin, box, twinHits));
        sameHits(hits, twinHits);
        const uint32_t count = 1 + grzRng_Below(rng, 6);
        const float reach = i % 2 == 0 ? INFINITY : randomIn(rng, 0, 3);
        must(grzWorld_FindClosest(twins->world, at, reach, count, hits));
        must(grzWorld_FindClosest(twins->twin, at, reach, count, twinHits));
        sameHits(hits, twinHits);
        checkClosest(twins, at, reach, count, hits);
        const grzHalfSpace space = {randomVector(rng, 1), randomIn(rng, -1, 1)};
        must(grzWorld_FindVisible(twins->world, &space, 1, hits));
        must(grzWorld_FindVisible(twins->twin, &space, 1, twinHits));
        sameHits(hits, twinHits);
    }
    grzWorldHits_Destroy(hits);
    grzWorldHits_Destroy(twinHits);
}

static uint64_t runHistory(uint64_t seed, grzTasks* tasks, uint32_t standing, uint32_t moving) {
    grzRng rng = grzRng_Make(seed, 0);
    const float size = 0.6f * cbrtf((float)(standing + moving));
    Twins twins = makeTwins(tasks, 2 * (standing + moving) + 200);
    for (uint32_t i = 0; i < standing + moving; ++i)
        addBoth(&twins, &rng, i % ((standing + moving) / moving) != 0, size);
    uint64_t all = 0;
    for (int step = 0; step < 40; ++step) {
        for (uint32_t i = 0; i < grzRng_Below(&rng, 6); ++i)
            changeBoth(&twins, &rng, size);
        must(grzWorld_Step(twins.world, 1.0f / 60));
        must(grzWorld_Step(twins.twin, 1.0f / 60));
        assert_true(grzWorld_HashState(twins.world) == grzWorld_HashState(twins.twin));
        if (step % 3 != 2) // else lists are written when a body is removed, or not at all
            assert_true(grzWorld_HashContacts(twins.world) == grzWorld_HashContacts(twins.twin));
        assert_true(grzWorld_Validate(twins.world));
        if (step % 8 == 7)
            sameAnswers(&twins, &rng, size);
        all = 31 * all + grzWorld_HashState(twins.world);
    }
    all = 31 * all + grzWorld_HashContacts(twins.world);
    assert_true(grzWorld_GetStats(twins.world).contacts > 0);
    endTwins(&twins);
    return all;
}

// Both methods of finding pairs, by the shares of what moves; and any number of workers.
static void test_historiesAreThoseOfTwins(void** state) {
    (void)state;
    const uint64_t seed = testSeed(820);
    static const uint32_t standing[] = {20, 600, 60}, moving[] = {20, 12, 60}, workers[] = {2, 3, 8};
    for (uint32_t i = 0; i < 6; ++i) {
        const uint64_t hash = runHistory(seed + i, NULL, standing[i % 3], moving[i % 3]);
        if (i >= 3)
            continue;
        grzTasks* tasks = makeTasks(workers[i]);
        assert_true(runHistory(seed + i, tasks, standing[i], moving[i]) == hash);
        grzTasks_Destroy(tasks);
    }
}

static void test_closestIsRefused(void** state) {
    (void)state;
    grzWorld* world = makeWorld(NULL);
    addFloor(world, 1);
    grzWorldHits* hits;
    must(grzWorldHits_Create((grzAllocator){0}, &hits));
    const grzVec3 at = grzVec3_Make(0, 3, 0);
    must(grzWorld_FindClosest(world, at, 3, 1, hits));
    assert_int_equal(grzWorldHits_GetView(hits).count, 1);
    const grzWorldHit floor = grzWorldHits_GetView(hits).hits[0];
    assert_true(floor.t <= 3 && floor.t > 2.9999f && floor.normal.y == 1 && fabsf(floor.point.y) < 1e-6f);
    mustBe(grzWorld_FindClosest(world, at, 3, 0, hits), grz_badArgument);
    assert_int_equal(grzWorldHits_GetView(hits).count, 0);
    mustBe(grzWorld_FindClosest(world, at, -1, 1, hits), grz_badArgument);
    mustBe(grzWorld_FindClosest(world, grzVec3_Make(0, NAN, 0), 1, 1, hits), grz_notFinite);
    mustBe(grzWorld_FindClosest(world, grzVec3_Make(0, 2e15f, 0), INFINITY, 1, hits), grz_notFinite);
    must(grzWorld_FindClosest(world, at, 2.9f, 5, hits));
    assert_int_equal(grzWorldHits_GetView(hits).count, 0);
    grzWorldHits_Destroy(hits);
    grzWorld_Destroy(world);
}

// ------------------------------------------------------------------------------------------------------- what a step looks at

static grzBodyDef standingBox(uint32_t i, uint32_t side) {
    grzBodyDef def = grzDefaultBodyDef();
    def.kind = grz_staticBody;
    def.shape = grzMakeBox(grzVec3_Zero(), grzVec3_Splat(0.5f));
    def.origin = grzVec3_Make(1.5f * (float)(i % side), 0, 1.5f * (float)(i / side));
    return def;
}

enum { MOVERS = 32 };

// A field of boxes with a few that fall on it, at the same places whatever its size.
static grzWorld* makeField(uint32_t side, grzBodyId* ids) {
    grzWorld* world = makeWorld(NULL);
    const uint32_t count = side * side;
    for (uint32_t i = 0; i < count; ++i) {
        const grzBodyDef def = standingBox(i, side);
        addBody(world, &def);
    }
    for (uint32_t i = 0; i < MOVERS; ++i) {
        grzBodyDef def = standingBox(i % 8 + i / 8 * side, side);
        def.kind = grz_dynamicBody;
        def.origin.y = 1.3f;
        ids[i] = addBody(world, &def);
    }
    return world;
}

// The most that the tree of what stands was asked in a step, over some steps.
static uint64_t mostVisits(uint32_t side) {
    grzBodyId ids[MOVERS];
    grzWorld* world = makeField(side, ids);
    uint64_t most = 0;
    for (int i = 0; i < 60; ++i) {
        stepOnce(world);
        const uint64_t visits = grzTreePairs_CountVisits(world->near->finder);
        most = visits > most ? visits : most;
        assert_true(visits != 0);
        assert_true(grzWorld_RowCount(world) <= MOVERS + 2 * MOVERS + 16); // each stands on one box
        assert_true(grzWorld_PairCount(world) <= 4 * MOVERS);
    }
    assert_int_equal(grzWorld_GetStats(world).contacts, 4 * MOVERS);
    // One more, one less, one elsewhere: still nothing else is looked at.
    for (int i = 0; i < 30; ++i) {
        grzBodyDef def = standingBox(3, side);
        def.origin.y = 30 + (float)i;
        const grzBodyId added = addBody(world, &def);
        if (i % 3 == 0)
            must(grzWorld_RemoveBody(world, added));
        if (i % 3 == 1)
            must(grzWorld_PlaceBody(world, added, grzVec3_Make(1000, 0, 0), grzQuat_Identity()));
        stepOnce(world);
        const uint64_t visits = grzTreePairs_CountVisits(world->near->finder);
        most = visits > most ? visits : most;
    }
    assert_true(grzWorld_Validate(world));
    grzWorld_Destroy(world);
    return most;
}

static void test_aStepLooksAtWhatMoves(void** state) {
    (void)state;
    const uint64_t few = mostVisits(40), many = mostVisits(200); // 1,600 and 40,000 boxes
    assert_true(few <= 50 * MOVERS);
    assert_true(many <= 50 * MOVERS && many <= 2 * few);
}

static void test_aStandingBoxIsSmall(void** state) {
    (void)state;
    grzBodyId ids[MOVERS];
    grzWorld* world = makeField(300, ids);
    stepOnce(world);
    assert_true(grzWorld_GetStats(world).memoryBytes / (300 * 300) <= 300);
    grzWorld_Destroy(world);
}

// A world that has forgotten all about bodies that were near: the rows of what stands go with what moved near it.
static void test_rowsComeAndGo(void** state) {
    (void)state;
    grzBodyId ids[MOVERS];
    grzWorld* world = makeField(40, ids);
    for (int i = 0; i < 30; ++i)
        stepOnce(world);
    assert_true(world->near->rowCount >= MOVERS);
    for (uint32_t i = 0; i < MOVERS; ++i)
        must(i % 2 == 0
                 ? grzWorld_RemoveBody(world, ids[i])
                 : grzWorld_PlaceBody(world, ids[i], grzVec3_Make(0, 500, 3 * (float)i), grzQuat_Identity()));
    assert_true(grzWorld_Validate(world));
    stepOnce(world);
    assert_true(world->near->rowCount <= 16);
    const grzWorldContacts found = grzWorld_GetContacts(world);
    assert_int_equal(found.contactCount, 0);
    assert_int_equal(found.eventCount, MOVERS); // each ends what it touched
    grzWorld_Destroy(world);
}

// ----------------------------------------------------------------------------------------------------------- many at once

static grzWorld* saltedWorld(void) {
    grzWorldDef def = grzDefaultWorldDef();
    def.idSalt = 77;
    grzWorld* world;
    must(grzWorld_Create(&def, &world));
    return world;
}

enum { BATCH = 50 };

// What was added all at once is what is added one by one, ids included; a batch that is refused leaves no trace, whichever of its defs
// is bad.
static void test_batchesAreAllOrNone(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(821), 0);
    grzWorld *world = saltedWorld(), *plain = saltedWorld();
    grzBodyId freed[8];
    for (uint32_t i = 0; i < 8; ++i) {
        const grzBodyDef def = anyDef(&rng, i % 2 == 0, 3);
        freed[i] = addBody(world, &def);
        addBody(plain, &def);
    }
    for (uint32_t i = 1; i < 8; i += 3) {
        must(grzWorld_RemoveBody(world, freed[i]));
        must(grzWorld_RemoveBody(plain, freed[i]));
    }
    for (int round = 0; round < 20; ++round) {
        grzBodyDef defs[BATCH];
        grzBodyId ids[BATCH], plainIds[BATCH], none[BATCH];
        memset(none, 0, sizeof none);
        for (uint32_t i = 0; i < BATCH; ++i)
            defs[i] = anyDef(&rng, grzRng_Below(&rng, 3) != 0, 6);
        const uint32_t bad = grzRng_Below(&rng, BATCH);
        const grzBodyDef good = defs[bad];
        defs[bad].friction = -1;
        const grzResult result = grzWorld_AddBodies(world, defs, BATCH, ids);
        mustBe(result, grz_badArgument);
        assert_true(result.part == grz_partObject && result.index == bad);
        assert_memory_equal(ids, none, sizeof ids);
        assert_true(grzWorld_Validate(world));
        assert_true(grzWorld_HashState(world) == grzWorld_HashState(plain));
        defs[bad] = good;
        must(grzWorld_AddBodies(world, defs, BATCH, ids));
        for (uint32_t i = 0; i < BATCH; ++i)
            plainIds[i] = addBody(plain, &defs[i]);
        assert_memory_equal(ids, plainIds, sizeof ids);
        stepOnce(world);
        stepOnce(plain);
        assert_true(grzWorld_HashState(world) == grzWorld_HashState(plain));
        assert_true(grzWorld_HashContacts(world) == grzWorld_HashContacts(plain));
        must(grzWorld_RemoveBody(world, ids[round]));
        must(grzWorld_RemoveBody(plain, plainIds[round]));
    }
    must(grzWorld_AddBodies(world, NULL, 0, NULL));
    grzWorld_Destroy(world);
    grzWorld_Destroy(plain);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_historiesAreThoseOfTwins),
        cmocka_unit_test(test_closestIsRefused),
        cmocka_unit_test(test_aStepLooksAtWhatMoves),
        cmocka_unit_test(test_aStandingBoxIsSmall),
        cmocka_unit_test(test_rowsComeAndGo),
        cmocka_unit_test(test_batchesAreAllOrNone),
    };
    return cmocka_run_group_tests(tests, makeWorldKit, destroyWorldKit);
}
