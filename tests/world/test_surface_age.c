// Hierarchies of surfaces age: a sheet that is rolled up through the world comes to cost rays about what it costs in a hierarchy that
// was just built. Work is counted: nodes that rays open.
#include "world_testing.h"

#include "bvh_parts.h"
#include "cloth_body.h"
#include "cloth_inside.h"
#include "hash.h"
#include "world_inside.h"

enum { SQUARES = 70, VERTICES = (SQUARES + 1) * (SQUARES + 1), ROLLING = 60, AFTER = 240, RAYS = 400 };

typedef struct Rolled {
    grzMesh* mesh;
    grzWorld* world;
    grzBodyId id;
    grzClothBody* cloth;
    float* flat;
    float* goals;
} Rolled;

// A sheet of 10 x 10 whose vertices are all pinned, so that it goes where the test wants.
static Rolled makeSheetIn(grzWorld* world) {
    Rolled rolled;
    static uint32_t pins[VERTICES];
    for (uint32_t v = 0; v < VERTICES; ++v)
        pins[v] = v;
    rolled.mesh = squareGridMesh(SQUARES, 10);
    rolled.flat = calloc((size_t)3 * VERTICES, sizeof(float));
    rolled.goals = calloc((size_t)3 * VERTICES, sizeof(float));
    assert_true(rolled.flat != NULL && rolled.goals != NULL);
    (void)grzMesh_RoundPositions(rolled.mesh, rolled.flat);
    rolled.world = world;
    grzClothDef def = grzDefaultClothDef();
    def.mesh = rolled.mesh;
    def.pins = pins, def.pinCount = VERTICES;
    must(grzWorld_AddCloth(rolled.world, &def, &rolled.id));
    rolled.cloth = rolled.world->colliders.data[grzWorld_RowOf(rolled.world, rolled.id.index1 - 1)].cloth;
    return rolled;
}

static Rolled makeSheet(grzTasks* tasks) {
    return makeSheetIn(makeWorld(tasks));
}

static void dropSheet(Rolled* rolled) {
    grzWorld_Destroy(rolled->world);
    grzMesh_Destroy(rolled->mesh);
    free(rolled->flat);
    free(rolled->goals);
}

// On to a roll along the diagonal: part 0 is flat, 1 a spiral of five turns.
static void rollTo(Rolled* rolled, float part) {
    for (size_t i = 0; i < (size_t)3 * VERTICES; i += 3) {
        const float x = rolled->flat[i], z = rolled->flat[i + 2];
        const float along = 0.70710678f * (x + z) + 7.1f, across = 0.70710678f * (x - z);
        const float angle = 0.1f + part * 2.2f * along, radius = 0.3f + 0.03f * part * along;
        const float sine = grzSin(angle) * radius, cosine = grzCos(angle) * radius;
        rolled->goals[i] = (1 - part) * x + part * (cosine + 0.7f * across);
        rolled->goals[i + 1] = part * sine;
        rolled->goals[i + 2] = (1 - part) * z + part * (cosine - 0.7f * across);
    }
    must(grzWorld_MovePins(rolled->world, rolled->id, 0, VERTICES, rolled->goals));
}

// ---- the work of rays ----

static bool meetsBox(const grzBvhNode* node, uint32_t lane, const double origin[3], const double inverse[3]) {
    double enter = 0, leave = 1e30;
    for (int axis = 0; axis < 3; ++axis) {
        const double a = ((double)node->lower[axis][lane] - origin[axis]) * inverse[axis];
        const double b = ((double)node->upper[axis][lane] - origin[axis]) * inverse[axis];
        enter = fmax(enter, fmin(a, b));
        leave = fmin(leave, fmax(a, b));
    }
    return enter <= leave;
}

static uint64_t openBelow(const grzBvhView* tree, const grzBvhNode* nodes, uint32_t level, uint32_t index,
                          const double origin[3], const double inverse[3]) {
    const grzBvhNode* node = &nodes[tree->levelStarts[level] + index];
    uint64_t opened = 1;
    for (uint32_t k = 0; k < grzBvhView_ChildCount(tree, level, index); ++k)
        if (meetsBox(node, k, origin, inverse))
            opened += level + 1 < tree->levelCount
                          ? openBelow(tree, nodes, level + 1, 8 * index + k, origin, inverse)
                          : 1;
    return opened;
}

// Of rays through the sheet from all around, nodes and leaves that they open.
static uint64_t workOfRays(const grzBvh* bvh, const grzBvhNode* nodes) {
    const grzBvhView tree = grzBvh_GetView(bvh);
    const grzBox box = grzBvh_RootBox(nodes);
    grzRng rng = grzRng_Make(5, 0);
    uint64_t opened = 0;
    for (int ray = 0; ray < RAYS; ++ray) {
        double origin[3], inverse[3];
        for (int axis = 0; axis < 3; ++axis) {
            const double lower = (double)grzVec3_Get(box.lower, axis), upper = (double)grzVec3_Get(box.upper, axis);
            origin[axis] = 40 * ((double)grzRng_Float(&rng) - 0.5);
            inverse[axis] = 1 / (lower + (double)grzRng_Float(&rng) * (upper - lower) - origin[axis]);
        }
        opened += openBelow(&tree, nodes, 0, 0, origin, inverse);
    }
    return opened;
}

// Of the sheet's own hierarchy to that of one that is built for where it is now.
static double excessOf(const Rolled* rolled, const grzBvh* own) {
    grzBvhDef def = grzDefaultBvhDef();
    def.builder = grz_bvhSah;
    def.positions = rolled->cloth->positions.data, def.vertexCount = VERTICES;
    def.triangles = rolled->cloth->view.triangles, def.triangleCount = rolled->cloth->view.triangleCount;
    grzBvh* fresh;
    must(grzBvh_Create(&def, &fresh));
    const uint32_t count = grzBvh_GetView(fresh).nodeCount;
    grzBvhNode* nodes = calloc(count, sizeof *nodes);
    assert_non_null(nodes);
    grzBvhRefit refit = grzDefaultBvhRefit();
    refit.positions = rolled->cloth->positions.data, refit.numbering = grz_bvhCallersNumbers;
    must(grzBvh_Refit(fresh, NULL, &refit, nodes));
    const uint64_t wanted = workOfRays(fresh, nodes);
    must(grzBvh_Refit(own, NULL, &refit, nodes));
    const uint64_t work = workOfRays(own, nodes);
    free(nodes);
    grzBvh_Destroy(fresh);
    return (double)work / (double)wanted;
}

// Rolls it up in a second, and waits. No step does more than its share.
static void rollUp(Rolled* rolled, int after) {
    const uint32_t triangles = rolled->cloth->view.triangleCount;
    for (int step = 1; step <= ROLLING + after; ++step) {
        const uint64_t before = rolled->cloth->age.visits;
        if (step <= ROLLING)
            rollTo(rolled, (float)step / ROLLING);
        stepOnce(rolled->world);
        const uint64_t visits = rolled->cloth->age.visits - before;
        assert_true(visits <= grzSurfaceAge_MostVisits(triangles) || visits == triangles); // or a look
    }
}

static void test_aRolledSheetIsRebuilt(void** state) {
    (void)state;
    Rolled rolled = makeSheet(NULL);
    Rolled old = makeSheet(NULL); // to see what it would be like
    const double flat = excessOf(&rolled, rolled.cloth->bvh);
    assert_true(flat > 0.99 && flat < 1.01);
    rollUp(&rolled, AFTER);
    const double without = excessOf(&rolled, old.cloth->bvh), with = excessOf(&rolled, rolled.cloth->bvh);
    printf("[ figures  ] work of rays, of a new hierarchy's: %.2f without rebuilding, %.2f with %u rebuilds, "
           "%.1f visits a triangle in %d steps\n",
           without, with, rolled.cloth->age.rebuilds,
           (double)rolled.cloth->age.visits / rolled.cloth->view.triangleCount, ROLLING + AFTER);
    assert_true(without > 1.3);
    assert_true(with <= 1.15);
    assert_true(grzWorld_Validate(rolled.world));
    dropSheet(&old);
    dropSheet(&rolled);
}

// ---- nobody else notices ----

// Rays from above, from the ends of a grid: what they hit, in the order of hits.
static uint64_t hashOfRays(const Rolled* rolled, grzWorldHits* hits) {
    grzHash hash = grzHash_Begin(0);
    for (int i = 0; i < 25; ++i) {
        grzWorldRay ray = grzDefaultWorldRay();
        ray.origin = grzVec3_Make(0.3f * (float)(i % 5) - 0.6f, 3, 0.3f * (float)(i / 5) - 0.6f);
        ray.direction = grzVec3_Make(0.01f, -1, 0.02f);
        ray.isAll = true;
        must(grzWorld_CastRay(rolled->world, &ray, hits));
        const grzWorldHitsView view = grzWorldHits_GetView(hits);
        for (uint32_t k = 0; k < view.count; ++k) {
            grzHash_AddU32(&hash, view.hits[k].triangle);
            grzHash_AddFloat(&hash, view.hits[k].t);
        }
    }
    return grzHash_End(&hash);
}

typedef struct Life {
    uint64_t hash;
    uint32_t rebuilds, contacts;
} Life;

// The sheet is rolled up around a ball and through a mesh. Hashes of all steps; a world that does not age never looks.
static Life liveOf(uint32_t workers, bool isAging) {
    grzTasks* tasks = makeTasks(workers);
    Rolled rolled = makeSheet(tasks);
    grzWorldHits* hits;
    Life life = {0, 0, 0};
    must(grzWorldHits_Create((grzAllocator){0}, &hits));
    addShape(rolled.world, grz_staticBody, grzMakeSphere(grzVec3_Zero(), 0.5f), grzVec3_Make(0, 0.2f, 0));
    addMesh(rolled.world, grz_staticBody, g_kit.ringShape, grzVec3_Make(1, 0, -1));
    for (int step = 1; step <= ROLLING + AFTER; ++step) {
        if (step <= ROLLING)
            rollTo(&rolled, (float)step / ROLLING);
        if (!isAging)
            rolled.cloth->age.steps = 0;
        stepOnce(rolled.world);
        life.hash = life.hash * 31 + grzWorld_HashState(rolled.world) + grzWorld_HashContacts(rolled.world);
        if (step % 20 == 0)
            life.hash = life.hash * 31 + hashOfRays(&rolled, hits);
        life.contacts += (uint32_t)grzWorld_GetStats(rolled.world).contacts;
    }
    life.rebuilds = rolled.cloth->age.rebuilds;
    grzWorldHits_Destroy(hits);
    dropSheet(&rolled);
    grzTasks_Destroy(tasks);
    return life;
}

static void test_noByteOfContactsAndRaysChanges(void** state) {
    (void)state;
    static const uint32_t workers[] = {1, 2, 3, 8};
    const Life never = liveOf(1, false);
    assert_int_equal(never.rebuilds, 0);
    for (size_t i = 0; i < sizeof workers / sizeof *workers; ++i) {
        const Life life = liveOf(workers[i], true);
        assert_true(life.rebuilds > 0 && life.contacts > 1000);
        assert_true(life.hash == never.hash);
    }
}

static void test_rebuildingAsksForNoMemory(void** state) {
    (void)state;
    TestMemory memory = {.failAt = SIZE_MAX};
    grzWorldDef def = grzDefaultWorldDef();
    def.allocator = testAllocator(&memory);
    grzWorld* world;
    must(grzWorld_Create(&def, &world));
    Rolled rolled = makeSheetIn(world);
    stepOnce(world);
    memory.failAt = 0;
    rollUp(&rolled, AFTER);
    assert_true(rolled.cloth->age.rebuilds > 0);
    memory.failAt = SIZE_MAX;
    dropSheet(&rolled);
    assert_int_equal(memory.liveCount, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_aRolledSheetIsRebuilt),
        cmocka_unit_test(test_noByteOfContactsAndRaysChanges),
        cmocka_unit_test(test_rebuildingAsksForNoMemory),
    };
    return cmocka_run_group_tests_name("surface age", tests, makeWorldKit, destroyWorldKit);
}
