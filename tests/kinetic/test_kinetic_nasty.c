// Adversarial motion for all that follows a flightplan: after every step the ordered and the batched tree have the boxes of
// everything where the plan has it, the chord tree's and the BoxTree's hold them, a lazy one has its bytes, children lie in their parents. Meshes of sizes
// about every boundary, numbers that are hard to compare, events that fall on one tick, jumps, the ends of time, changes at the
// very time of an event; what is refused changes nothing; workers and SIMD levels give the same bytes.
#include "kinetic_testing.h"

#include <math.h>

#include "graze/box_tree.h"
#include "graze/chord_tree.h"
#include "graze/kinetic_tree.h"
#include "kinetic_reference.h"
#include "simd_dispatch.h"

// ---- meshes ----

enum { KEYFRAMES = 4 };

typedef struct Mesh {
    uint32_t vertexCount, triangleCount;
    uint32_t* triangles;
    float* frames[KEYFRAMES];
    float* velocities;
    float* accelerations;
    grzBvh* bvh;
    grzBvhNode *found, *expected, *before;
    float* positions;
    uint32_t nodeCount;
} Mesh;

static void drawNumbers(grzRng* rng, uint32_t flavour, uint32_t count, float* numbers) {
    for (uint32_t i = 0; i < 3 * count; ++i)
        numbers[i] = drawHardNumber(rng, flavour, i / 3);
}

// With the corners that stand in `triangles`, and positions at the first keyframe.
static void orderMesh(Mesh* mesh) {
    grzBvhDef def = grzDefaultBvhDef();
    def.positions = mesh->frames[0], def.vertexCount = mesh->vertexCount;
    def.triangles = mesh->triangles, def.triangleCount = mesh->triangleCount;
    ok(grzBvh_Create(&def, &mesh->bvh));
    mesh->nodeCount = grzBvh_GetView(mesh->bvh).nodeCount;
    grzBvhNode** const sets[] = {&mesh->found, &mesh->expected, &mesh->before};
    for (size_t k = 0; k < 3; ++k) {
        *sets[k] = calloc(mesh->nodeCount, sizeof(grzBvhNode));
        assert_non_null(*sets[k]);
    }
}

static Mesh takeMesh(uint32_t vertexCount, uint32_t triangleCount) {
    Mesh mesh = {.vertexCount = vertexCount, .triangleCount = triangleCount};
    for (int f = 0; f < KEYFRAMES; ++f)
        mesh.frames[f] = takeNumbers(3 * (size_t)vertexCount);
    mesh.velocities = takeNumbers(3 * (size_t)vertexCount);
    mesh.accelerations = takeNumbers(3 * (size_t)vertexCount);
    mesh.positions = takeNumbers(3 * (size_t)vertexCount);
    mesh.triangles = calloc(3 * (size_t)triangleCount + 1, sizeof *mesh.triangles);
    assert_non_null(mesh.triangles);
    return mesh;
}

// A strip. Rising and falling numbers follow each other, so that all changes its order in the middle of each interval.
static Mesh makeMesh(grzRng* rng, uint32_t triangleCount, uint32_t flavour) {
    const bool swaps = flavour == hard_rising || flavour == hard_falling;
    Mesh mesh = takeMesh(triangleCount / 2 + 3, triangleCount);
    for (uint32_t i = 0; i < 3 * triangleCount; ++i)
        mesh.triangles[i] = (i / 6 + grzRng_Below(rng, 3)) % mesh.vertexCount;
    for (int f = 0; f < KEYFRAMES; ++f)
        drawNumbers(rng, swaps ? (f % 2 == 0 ? hard_rising : hard_falling) : flavour, mesh.vertexCount,
                    mesh.frames[f]);
    drawNumbers(rng, swaps ? hard_falling : flavour, mesh.vertexCount, mesh.velocities);
    if (!swaps)
        drawNumbers(rng, flavour, mesh.vertexCount, mesh.accelerations);
    orderMesh(&mesh);
    return mesh;
}

static void dropMesh(Mesh* mesh) {
    for (int f = 0; f < KEYFRAMES; ++f)
        free(mesh->frames[f]);
    free(mesh->velocities), free(mesh->accelerations), free(mesh->positions), free(mesh->triangles);
    free(mesh->found), free(mesh->expected), free(mesh->before);
    grzBvh_Destroy(mesh->bvh);
}

// ---- the ways ----

// Trees that follow paths have a plan each, which is theirs alone; those that follow keyframes share the first one.
enum { OF_ORDERED, OF_BATCHED, OF_BOX, PLANS };

typedef struct Ways {
    Mesh* mesh;
    grzTasks* tasks;
    bool isPaths;
    grzFlightplan* plans[PLANS];
    grzKineticTree *ordered, *batched;
    grzChordTree *chord, *lazy; // of keyframes
    grzBoxTree* box;
} Ways;

static grzFlightplan* planOf(const Ways* ways, int owner) {
    return ways->plans[ways->isPaths ? owner : 0];
}

static grzKineticTree* makeKinetic(const Ways* ways, grzKineticOrder order, int owner) {
    grzKineticTreeDef def = grzDefaultKineticTreeDef();
    def.bvh = ways->mesh->bvh, def.plan = planOf(ways, owner), def.order = order, def.tasks = ways->tasks;
    grzKineticTree* tree;
    ok(grzKineticTree_Create(&def, &tree));
    return tree;
}

static void makeTrees(Ways* ways) {
    ways->ordered = makeKinetic(ways, grz_kineticOrdered, OF_ORDERED);
    ways->batched = makeKinetic(ways, grz_kineticBatched, OF_BATCHED);
    grzBoxTreeDef boxDef = grzDefaultBoxTreeDef();
    boxDef.plan = planOf(ways, OF_BOX);
    boxDef.triangles = ways->mesh->triangles, boxDef.triangleCount = ways->mesh->triangleCount;
    ok(grzBoxTree_Create(&boxDef, &ways->box));
    if (ways->isPaths)
        return;
    grzChordTreeDef chordDef = grzDefaultChordTreeDef();
    chordDef.bvh = ways->mesh->bvh, chordDef.plan = ways->plans[0], chordDef.tasks = ways->tasks;
    ok(grzChordTree_Create(&chordDef, &ways->chord));
    chordDef.isLazy = true;
    ok(grzChordTree_Create(&chordDef, &ways->lazy));
}

// Keyframes at begin, begin + step ...
static Ways followFrames(Mesh* mesh, double begin, double step, grzTasks* tasks) {
    Ways ways = {.mesh = mesh, .tasks = tasks};
    grzFlightplanDef def = grzDefaultFlightplanDef();
    def.vertexCount = mesh->vertexCount;
    ok(grzFlightplan_Create(&def, &ways.plans[0]));
    for (int f = 0; f < KEYFRAMES; ++f)
        ok(grzFlightplan_AddKeyframe(ways.plans[0], begin + step * f, mesh->frames[f], 0));
    makeTrees(&ways);
    return ways;
}

static Ways followPaths(Mesh* mesh, double begin, int32_t tickExponent, grzTasks* tasks) {
    Ways ways = {.mesh = mesh, .tasks = tasks, .isPaths = true};
    grzFlightplanDef def = grzDefaultFlightplanDef();
    def.kind = grz_planPaths;
    def.vertexCount = mesh->vertexCount;
    def.positions = mesh->frames[0], def.velocities = mesh->velocities, def.accelerations = mesh->accelerations;
    def.startTime = begin;
    def.tickExponent = tickExponent;
    for (int k = 0; k < PLANS; ++k)
        ok(grzFlightplan_Create(&def, &ways.plans[k]));
    makeTrees(&ways);
    return ways;
}

static void dropWays(Ways* ways) {
    grzKineticTree_Destroy(ways->ordered);
    grzKineticTree_Destroy(ways->batched);
    grzChordTree_Destroy(ways->chord);
    grzChordTree_Destroy(ways->lazy);
    grzBoxTree_Destroy(ways->box);
    for (int k = 0; k < PLANS; ++k)
        grzFlightplan_Destroy(ways->plans[k]);
}

// ---- checks ----

static void checkKinetic(const Ways* ways, grzKineticTree* tree) {
    const Mesh* mesh = ways->mesh;
    ok(grzKineticTree_Advance(tree, ways->tasks, grzKineticTree_Time(tree))); // to where it stands
    assert_true(grzKineticTree_Validate(tree));
    ok(grzKineticTree_WriteBoxes(tree, ways->tasks, mesh->found));
    assert_true(areSameBoxes(mesh->found, mesh->expected, mesh->nodeCount));
    assert_true(grzKineticTree_Horizon(tree) >= grzKineticTree_Time(tree));
}

// The bytes of the tree that is not lazy, which are there; none of its chunks is reached but the first.
static void checkLazy(const Ways* ways) {
    const grzBvhView view = grzBvh_GetView(ways->mesh->bvh);
    uint64_t* first = calloc(view.chunkCount / 64 + 1, sizeof *first);
    assert_non_null(first);
    first[0] = view.chunkCount != 0;
    ok(grzChordTree_Reach(ways->lazy, ways->tasks, first));
    free(first);
    for (uint32_t level = 0; level < view.levelCount; ++level)
        for (uint32_t i = view.levelStarts[level]; i < view.levelStarts[level + 1]; ++i) {
            grzBvhNode node;
            grzChordTree_ReadNode(ways->lazy, level, i - view.levelStarts[level], &node);
            assert_memory_equal(&node, &ways->mesh->found[i], sizeof node);
        }
}

static void checkAll(const Ways* ways, double time) {
    const Mesh* mesh = ways->mesh;
    for (int k = 0; k < PLANS; ++k)
        assert_true(ways->plans[k] == NULL || grzFlightplan_Validate(ways->plans[k]));
    ok(grzFlightplan_Evaluate(ways->plans[0], ways->tasks, time, mesh->positions, 0));
    referenceBoxes(mesh->bvh, grz_bvhCallersNumbers, mesh->positions, mesh->expected);
    checkKinetic(ways, ways->ordered);
    checkKinetic(ways, ways->batched);
    if (!ways->isPaths) {
        ok(grzChordTree_WriteBoxes(ways->chord, ways->tasks, mesh->found));
        assert_true(holdBoxes(mesh->found, mesh->expected, mesh->nodeCount));
        assert_true(areNested(mesh->bvh, mesh->found));
        checkLazy(ways);
    }
    assert_true(grzBoxTree_Validate(ways->box));
    assert_true(boxTreeHolds(ways->box, mesh->triangles, mesh->triangleCount, mesh->positions));
}

static void goTo(const Ways* ways, double time) {
    ok(grzKineticTree_Advance(ways->ordered, ways->tasks, time));
    ok(grzKineticTree_Advance(ways->batched, ways->tasks, time));
    ok(grzBoxTree_Advance(ways->box, time));
    if (!ways->isPaths) {
        ok(grzChordTree_Advance(ways->chord, ways->tasks, time));
        ok(grzChordTree_Advance(ways->lazy, ways->tasks, time));
    }
    checkAll(ways, time);
}

// All take it, or none does: a vertex that has left the floats cannot go on from where it is.
static void changeIfCan(const Ways* ways, double time, const grzFlightplanChange* how) {
    const grzStatus status = grzKineticTree_Change(ways->ordered, ways->tasks, time, how).status;
    assert_true(status == grz_ok || status == grz_notFinite);
    assert_int_equal(grzKineticTree_Change(ways->batched, ways->tasks, time, how).status, status);
    assert_int_equal(grzBoxTree_Change(ways->box, time, how).status, status);
    checkAll(ways, time);
}

static void change(const Ways* ways, double time, const grzFlightplanChange* how) {
    ok(grzKineticTree_Change(ways->ordered, ways->tasks, time, how));
    ok(grzKineticTree_Change(ways->batched, ways->tasks, time, how));
    ok(grzBoxTree_Change(ways->box, time, how));
    checkAll(ways, time);
}

static uint64_t eventsOf(const Ways* ways) {
    const grzKineticTreeStats stats = grzKineticTree_GetStats(ways->ordered);
    return stats.leafEvents + stats.treeEvents;
}

// ---- sizes and numbers ----

static void runFrames(Mesh* mesh, grzRng* rng, int steps) {
    Ways ways = followFrames(mesh, 0, 1, NULL);
    double time = 0;
    checkAll(&ways, 0);
    for (int k = 0; k < steps; ++k) {
        const double next = floor(time) + 1;
        const double times[] = {time + (double)grzRng_Float(rng), next, next - 0x1p-24, nextafter(next, 0)};
        time = fmin(times[grzRng_Below(rng, 4)], KEYFRAMES - 1);
        goTo(&ways, time);
    }
    grzBoxTree_RebuildLoose(ways.box, 1);
    checkAll(&ways, time);
    goTo(&ways, KEYFRAMES - 1);
    dropWays(&ways);
}

// Now and then at the very time of an event, or a tick before it.
static void runPaths(Mesh* mesh, grzRng* rng, int steps) {
    Ways ways = followPaths(mesh, 0, -20, NULL);
    SomeChange some;
    Scene scene = {.vertexCount = mesh->vertexCount};
    double time = 0;
    checkAll(&ways, 0);
    for (int k = 0; k < steps; ++k) {
        const double horizon = fmin(grzKineticTree_Horizon(ways.ordered), time + 100);
        const double times[] = {time + (double)grzRng_Float(rng), horizon, horizon + 0x1p-20, time};
        time = fmax(times[grzRng_Below(rng, 4)], time);
        drawChange(&scene, rng, &some);
        if (k % 2 == 0)
            goTo(&ways, time);
        else
            changeIfCan(&ways, time, &some.change);
    }
    dropWays(&ways);
}

static const uint32_t sizes[] = {0, 1, 4, 5, 8, 9, 31, 32, 33, 255, 256, 257};

static void meshesOfAllSizesAreFollowed(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(821), 0);
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; ++s)
        for (uint32_t flavour = 0; flavour < HARD_FLAVOURS; ++flavour) {
            Mesh mesh = makeMesh(&rng, sizes[s], flavour);
            runFrames(&mesh, &rng, sizes[s] < 100 ? 12 : 4);
            runPaths(&mesh, &rng, sizes[s] < 100 ? 12 : 4);
            dropMesh(&mesh);
        }
}

// The first size at which a kinetic tree has parts below a top: 4,096 leaves and one triangle. A ribbon that shivers along
// its length (across it, BoxTrees would search all of it for each event).
static void oneMoreLeafThanAPartHas(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(822), 0);
    Mesh mesh = makeMesh(&rng, 4096 * 4 + 1, hard_rising);
    for (int f = 0; f < KEYFRAMES; ++f)
        for (uint32_t i = 0; i < 3 * mesh.vertexCount; ++i)
            mesh.frames[f][i] = i % 3 == 0 ? (float)(i / 3) + 8 * drawHardNumber(&rng, hard_usual, i)
                                           : drawHardNumber(&rng, hard_still, i / 3);
    Ways ways = followFrames(&mesh, 0, 1, NULL);
    static const double times[] = {0.3, 0.5, 0.5 + 0x1p-24, 0.7, 1, 1.4, 1.9, 2.75};
    for (size_t i = 0; i < sizeof times / sizeof times[0]; ++i)
        goTo(&ways, times[i]);
    dropWays(&ways);
    dropMesh(&mesh);
}

static void verticesWithoutTrianglesAreNotSeen(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(823), 0);
    for (int round = 0; round < 10; ++round) {
        Mesh mesh = takeMesh(200, 12);
        for (uint32_t i = 0; i < 36; ++i)
            mesh.triangles[i] = 3 * (i % 30) + 50;
        for (int f = 0; f < KEYFRAMES; ++f) {
            drawNumbers(&rng, hard_anyBits, mesh.vertexCount, mesh.frames[f]);
            for (uint32_t i = 0; i < 36; ++i)
                drawNumbers(&rng, hard_usual, 1, mesh.frames[f] + 3 * (size_t)mesh.triangles[i]);
        }
        orderMesh(&mesh);
        runFrames(&mesh, &rng, 10);
        runPaths(&mesh, &rng, 10);
        assert_true(fabsf(mesh.expected[0].upper[0][0]) <= 100);
        dropMesh(&mesh);
    }
}

// Points, edges there and back, the same triangle many times.
static void trianglesWithoutAreaAreFollowed(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(824), 0);
    for (uint32_t kind = 0; kind < 3; ++kind) {
        Mesh mesh = takeMesh(20, 70);
        for (uint32_t i = 0; i < 70; ++i) {
            const uint32_t v = kind == 2 ? 7 : i % 20;
            const uint32_t corners[3] = {v, kind == 0 ? v : (v + 1) % 20, v};
            memcpy(mesh.triangles + 3 * (size_t)i, corners, sizeof corners);
        }
        for (int f = 0; f < KEYFRAMES; ++f)
            drawNumbers(&rng, f % 2 == 0 ? hard_usual : hard_tied, 20, mesh.frames[f]);
        orderMesh(&mesh);
        runFrames(&mesh, &rng, 15);
        runPaths(&mesh, &rng, 15);
        dropMesh(&mesh);
    }
}

// ---- everything at once ----

// A grid whose columns and rows all cross at one tick: x becomes -x. One event for each side that changes hands.
static void thousandsOfEventsAtOneTick(void** state) {
    (void)state;
    enum { SIDE = 50 };
    grzRng rng = grzRng_Make(testSeed(825), 0);
    Scene scene = makeScene(&rng, SIDE, flat);
    Mesh mesh = takeMesh(scene.vertexCount, scene.triangleCount);
    memcpy(mesh.triangles, scene.triangles, 3 * (size_t)scene.triangleCount * sizeof *mesh.triangles);
    for (int f = 0; f < KEYFRAMES; ++f)
        for (uint32_t i = 0; i < 3 * scene.vertexCount; ++i)
            mesh.frames[f][i] = (f % 2 == 0 ? 1.0F : -1.0F) * (scene.frames[0][i] - SIDE / 2);
    for (uint32_t i = 0; i < 3 * scene.vertexCount; ++i)
        mesh.velocities[i] = -2 * mesh.frames[0][i];
    orderMesh(&mesh);
    for (int isPaths = 0; isPaths < 2; ++isPaths) {
        Ways ways = isPaths != 0 ? followPaths(&mesh, 0, -24, NULL) : followFrames(&mesh, 0, 1, NULL);
        goTo(&ways, 0.5 - 0x1p-24);
        goTo(&ways, 0.5); // all in one place, where nobody is ahead
        assert_int_equal(eventsOf(&ways), 0);
        for (uint32_t i = 0; i < 3 * mesh.vertexCount; ++i)
            assert_true(mesh.positions[i] == 0);
        goTo(&ways, 0.5 + 0x1p-24);
        assert_true(eventsOf(&ways) > 2000);
        const uint64_t events = eventsOf(&ways);
        goTo(&ways, 1);
        assert_int_equal(eventsOf(&ways), events);
        dropWays(&ways);
    }
    dropMesh(&mesh);
    dropScene(&scene);
}

// Far away, slow and fast: what a float cannot tell apart the plan can.
static void velocitiesOfAllSizesAreFollowed(void** state) {
    (void)state;
    static const float offsets[] = {0, 1e6F, 1e9F}, speeds[] = {0, 1e-30F, 1e-6F, 1, 1e6F, 3e38F};
    grzRng rng = grzRng_Make(testSeed(826), 0);
    for (size_t o = 0; o < 3; ++o)
        for (size_t s = 0; s < sizeof speeds / sizeof speeds[0]; ++s) {
            Mesh mesh = makeMesh(&rng, 60, hard_usual);
            for (uint32_t i = 0; i < 3 * mesh.vertexCount; ++i) {
                mesh.frames[0][i] += offsets[o];
                mesh.velocities[i] *= speeds[s];
                mesh.accelerations[i] = s % 2 == 0 ? 0 : mesh.accelerations[i] * speeds[s];
            }
            Ways ways = followPaths(&mesh, 0, -20, NULL);
            for (int k = 1; k <= 12; ++k)
                goTo(&ways, ldexp(1, 3 * k - 20)); // from some ticks to half a day
            dropWays(&ways);
            dropMesh(&mesh);
        }
}

// ---- times ----

static void theEndsOfTimeAreReached(void** state) {
    (void)state;
    static const int32_t exponents[] = {-30, -20, 0};
    grzRng rng = grzRng_Make(testSeed(827), 0);
    Mesh mesh = makeMesh(&rng, 40, hard_usual);
    for (size_t k = 0; k < 3; ++k) {
        const double limit = fmin(0x1p32, ldexp(0x1p52, exponents[k])), tick = ldexp(1, exponents[k]);
        const double begin = nextafter(-limit, 0), last = nextafter(limit, 0);
        Ways ways = followPaths(&mesh, begin, exponents[k], NULL);
        const double times[] = {begin, begin + tick, -limit / 2, -tick, 0, tick, limit / 2, limit - tick, last};
        for (size_t i = 0; i < sizeof times / sizeof times[0]; ++i)
            goTo(&ways, times[i]);
        assert_true(grzKineticTree_Horizon(ways.ordered) == last);
        assert_int_equal(grzKineticTree_Advance(ways.ordered, NULL, limit).status, grz_badArgument);
        assert_int_equal(grzBoxTree_Advance(ways.box, limit).status, grz_badArgument);
        checkAll(&ways, last);
        dropWays(&ways);
    }
    static const double begins[] = {-4294967295, 4294967292, -1.5, 1e-300};
    static const double steps[] = {1, 1, 1, 1e-310};
    for (size_t k = 0; k < 4; ++k) {
        Ways ways = followFrames(&mesh, begins[k], steps[k], NULL);
        const double end = grzFlightplan_GetRange(ways.plans[0]).end;
        for (int i = 1; i < 30; ++i)
            goTo(&ways, fmin(begins[k] + steps[k] * (KEYFRAMES - 1) * (i / 30.0), end));
        goTo(&ways, end);
        dropWays(&ways);
    }
    dropMesh(&mesh);
}

// Keyframes so near each other, and so far from zero, that some steps of the grid have no time in them, and others one or a few.
static void theGridMayBeFinerThanTimeIs(void** state) {
    (void)state;
    static const double begins[] = {-0.5, 0.5, 1000.7, -4294967295, 1e-3, -1.1};
    static const double doublesAStep[] = {0x1p-21, 0.6, 1.3, 1.9,
                                          3.1}; // 2^-21: 8 doubles from keyframe to keyframe
    grzRng rng = grzRng_Make(testSeed(833), 0);
    Mesh mesh = makeMesh(&rng, 2, hard_usual);
    for (size_t k = 0; k < 30; ++k) {
        const double begin = begins[k % 6], fine = nextafter(fabs(begin), 0x1p40) - fabs(begin);
        const double gap = fine * doublesAStep[k / 6] * 0x1p24;
        Ways ways = followFrames(&mesh, begin, gap, NULL);
        double time = begin;
        for (int i = 0; i < 150; ++i) {
            const double next = nextafter(time, 0x1p40), some = time + gap * 0.05 * (double)grzRng_Float(&rng);
            time = fmin(i % 2 == 0 ? next : fmax(some, time), grzFlightplan_GetRange(ways.plans[0]).end);
            goTo(&ways, time);
            assert_true(grzKineticTree_Time(ways.ordered) >= time); // the last of its step, of which this is one
        }
        dropWays(&ways);
    }
    dropMesh(&mesh);
}

// Over all keyframes at once, or step by step: the same boxes, and the same events.
static void jumpsSeeWhatStepsSee(void** state) {
    (void)state;
    enum { MANY = 120 };
    grzRng rng = grzRng_Make(testSeed(828), 0);
    Mesh mesh = makeMesh(&rng, 9, hard_usual);
    float* frames = takeNumbers((size_t)MANY * 3 * mesh.vertexCount);
    drawNumbers(&rng, hard_usual, MANY * mesh.vertexCount, frames);
    Ways jumping = followFrames(&mesh, 0, 0.25, NULL), stepping = followFrames(&mesh, 0, 0.25, NULL);
    for (int f = 0; f < MANY; ++f) {
        const float* positions = frames + (size_t)f * 3 * mesh.vertexCount;
        ok(grzFlightplan_AddKeyframe(jumping.plans[0], 1 + f, positions, 0));
        ok(grzFlightplan_AddKeyframe(stepping.plans[0], 1 + f, positions, 0));
    }
    goTo(&jumping, MANY - 0.25);
    for (int k = 1; k < MANY * 4; ++k)
        goTo(&stepping, 0.25 * k);
    const grzKineticTreeStats one = grzKineticTree_GetStats(jumping.ordered),
                              many = grzKineticTree_GetStats(stepping.ordered);
    assert_memory_equal(&one, &many, sizeof one);
    const grzBoxTreeStats oneBox = grzBoxTree_GetStats(jumping.box), manyBox = grzBoxTree_GetStats(stepping.box);
    assert_memory_equal(&oneBox, &manyBox, sizeof oneBox);
    assert_true(one.intervals > MANY && one.leafEvents > MANY && oneBox.events > MANY);
    dropWays(&jumping);
    dropWays(&stepping);
    free(frames);
    dropMesh(&mesh);
}

// Keyframes that are added while the trees stand on the last one, or known beforehand; kept, or dropped as they pass. What is level
// at a keyframe is settled by what comes after it, whenever that is known: the same boxes, events and counts.
static void keyframesThatComeLateChangeNothing(void** state) {
    (void)state;
    static const uint32_t lateSizes[] = {1, 33, 70, 257};
    enum { ROUNDS = 12 };
    grzRng rng = grzRng_Make(testSeed(834), 0);
    for (uint32_t flavour = 0; flavour < 4 * HARD_FLAVOURS; ++flavour) {
        Mesh mesh = makeMesh(&rng, lateSizes[flavour / HARD_FLAVOURS], flavour % HARD_FLAVOURS);
        float* frames = takeNumbers((size_t)ROUNDS * 3 * mesh.vertexCount);
        for (int f = 0; f < ROUNDS; ++f) // every other one level
            drawNumbers(&rng, f % 2 == 0 ? (uint32_t)hard_tied : flavour, mesh.vertexCount,
                        frames + (size_t)f * 3 * mesh.vertexCount);
        Ways early = followFrames(&mesh, 0, 1, NULL), late = followFrames(&mesh, 0, 1, NULL);
        for (int f = 0; f < ROUNDS; ++f)
            ok(grzFlightplan_AddKeyframe(early.plans[0], KEYFRAMES + f, frames + (size_t)f * 3 * mesh.vertexCount,
                                         0));
        for (int f = 0; f < ROUNDS; ++f) {
            const double last = KEYFRAMES + f - 1;
            if (f % 3 != 0)
                goTo(&late, last - 0.25);
            goTo(&late, last);
            if (f % 3 == 2)
                grzFlightplan_DropKeyframes(late.plans[0], last);
            ok(grzFlightplan_AddKeyframe(late.plans[0], last + 1, frames + (size_t)f * 3 * mesh.vertexCount, 0));
            checkAll(&late, last);
        }
        goTo(&late, KEYFRAMES + ROUNDS - 1);
        goTo(&early, KEYFRAMES + ROUNDS - 1);
        const grzKineticTreeStats one = grzKineticTree_GetStats(early.ordered),
                                  many = grzKineticTree_GetStats(late.ordered);
        assert_memory_equal(&one, &many, sizeof one);
        const grzBoxTreeStats oneBox = grzBoxTree_GetStats(early.box), manyBox = grzBoxTree_GetStats(late.box);
        assert_memory_equal(&oneBox, &manyBox, sizeof oneBox);
        dropWays(&early);
        dropWays(&late);
        free(frames);
        dropMesh(&mesh);
    }
}

// Paths that turn round at each event, at its own tick, one before and one after.
static void pathsTurnAtTheTimesOfEvents(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(829), 0);
    Mesh mesh = makeMesh(&rng, 40, hard_usual);
    memset(mesh.accelerations, 0, 3 * (size_t)mesh.vertexCount * sizeof *mesh.accelerations);
    uint32_t* all = calloc(mesh.vertexCount, sizeof *all);
    assert_non_null(all);
    for (uint32_t v = 0; v < mesh.vertexCount; ++v)
        all[v] = v;
    Ways ways = followPaths(&mesh, 0, -20, NULL);
    double time = 0;
    uint64_t events = 0;
    for (int k = 0; k < 90; ++k) {
        time = fmax(grzKineticTree_Horizon(ways.ordered) + (k % 3 - 1) * 0x1p-20, time);
        for (uint32_t i = 0; i < 3 * mesh.vertexCount; ++i)
            mesh.velocities[i] = k % 5 == 0 ? 2 * grzRng_Float(&rng) - 1 : -mesh.velocities[i];
        const grzFlightplanChange turn = {all, k % 2 == 0 ? mesh.vertexCount : 7, NULL, mesh.velocities, NULL};
        change(&ways, time, &turn);
        events = eventsOf(&ways);
    }
    assert_true(events > 20 && time > 0.01);
    dropWays(&ways);
    free(all);
    dropMesh(&mesh);
}

// ---- refusals ----

static void remember(const Ways* ways, grzBox* box) {
    ok(grzKineticTree_WriteBoxes(ways->ordered, NULL, ways->mesh->before));
    *box = grzBoxTree_RootBox(ways->box);
}

static void expectAsBefore(const Ways* ways, const grzBox* before, double time) {
    const grzBox box = grzBoxTree_RootBox(ways->box);
    ok(grzKineticTree_WriteBoxes(ways->ordered, NULL, ways->mesh->found));
    assert_memory_equal(ways->mesh->found, ways->mesh->before, ways->mesh->nodeCount * sizeof *ways->mesh->found);
    assert_memory_equal(&box, before, sizeof box);
    checkAll(ways, time);
}

static void badTimesChangeNothing(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(830), 0);
    Mesh mesh = makeMesh(&rng, 33, hard_usual);
    for (int isPaths = 0; isPaths < 2; ++isPaths) {
        Ways ways = isPaths != 0 ? followPaths(&mesh, 0, -20, NULL) : followFrames(&mesh, 0, 1, NULL);
        const double beyond = isPaths != 0 ? 0x1p32 : KEYFRAMES - 1 + 1e-9;
        const double bad[] = {(double)NAN, (double)INFINITY, -(double)INFINITY, beyond, 1.25, -1e-300};
        grzBox before;
        goTo(&ways, 1.5);
        remember(&ways, &before);
        for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
            assert_int_equal(grzKineticTree_Advance(ways.ordered, NULL, bad[i]).status, grz_badArgument);
            assert_int_equal(grzKineticTree_Advance(ways.batched, NULL, bad[i]).status, grz_badArgument);
            assert_int_equal(grzBoxTree_Advance(ways.box, bad[i]).status, grz_badArgument);
            if (isPaths == 0 && bad[i] != 1.25)
                assert_int_equal(grzChordTree_Advance(ways.chord, NULL, bad[i]).status, grz_badArgument);
        }
        expectAsBefore(&ways, &before, 1.5);
        dropWays(&ways);
    }
    dropMesh(&mesh);
}

static void expectRefused(const Ways* ways, double time, const grzFlightplanChange* how, grzStatus status) {
    assert_int_equal(grzKineticTree_Change(ways->ordered, NULL, time, how).status, status);
    assert_int_equal(grzKineticTree_Change(ways->batched, NULL, time, how).status, status);
    assert_int_equal(grzBoxTree_Change(ways->box, time, how).status, status);
}

static void badChangesChangeNothing(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(831), 0);
    Mesh mesh = makeMesh(&rng, 33, hard_usual);
    Ways ways = followPaths(&mesh, 0, -20, NULL);
    grzBox before;
    const uint32_t wrong[3] = {1, mesh.vertexCount, 2}, right[3] = {1, 0, 2};
    float numbers[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    const grzFlightplanChange unknown = {wrong, 3, NULL, numbers, NULL}, none = {NULL, 3, NULL, numbers, NULL};
    const grzFlightplanChange jump = {right, 3, numbers, NULL, NULL}, turn = {right, 3, NULL, numbers, NULL},
                              bend = {right, 3, NULL, NULL, numbers};
    goTo(&ways, 1.5);
    remember(&ways, &before);
    expectRefused(&ways, 2, &unknown, grz_indexTooLarge);
    expectRefused(&ways, 2, &none, grz_badArgument);
    expectRefused(&ways, 2, NULL, grz_badArgument);
    expectRefused(&ways, 1.25, &turn, grz_badArgument);
    expectRefused(&ways, (double)NAN, &turn, grz_badArgument);
    expectRefused(&ways, 0x1p32, &turn, grz_badArgument);
    numbers[8] = (float)NAN;
    expectRefused(&ways, 2, &jump, grz_notFinite);
    expectRefused(&ways, 2, &turn, grz_notFinite);
    expectRefused(&ways, 2, &bend, grz_notFinite);
    expectAsBefore(&ways, &before, 1.5);
    goTo(&ways, 1.5); // the time has not gone on
    numbers[8] = 9;
    change(&ways, 1.5, &bend);
    dropWays(&ways);
    dropMesh(&mesh);
}

// ---- sameness ----

static uint64_t hashBytes(uint64_t hash, const void* bytes, size_t size) {
    for (size_t i = 0; i < size; ++i)
        hash = (hash ^ ((const unsigned char*)bytes)[i]) * UINT64_C(0x100000001b3); // FNV-1a
    return hash;
}

static uint64_t hashWays(uint64_t hash, const Ways* ways) {
    const Mesh* mesh = ways->mesh;
    const size_t size = mesh->nodeCount * sizeof *mesh->found;
    ok(grzKineticTree_WriteBoxes(ways->ordered, ways->tasks, mesh->found));
    hash = hashBytes(hash, mesh->found, size);
    ok(grzKineticTree_WriteBoxes(ways->batched, ways->tasks, mesh->found));
    hash = hashBytes(hash, mesh->found, size);
    if (!ways->isPaths) {
        ok(grzChordTree_WriteBoxes(ways->chord, ways->tasks, mesh->found));
        hash = hashBytes(hash, mesh->found, size);
    }
    const grzBox root = grzBoxTree_RootBox(ways->box);
    const grzKineticTreeStats ordered = grzKineticTree_GetStats(ways->ordered),
                              batched = grzKineticTree_GetStats(ways->batched);
    const grzBoxTreeStats box = grzBoxTree_GetStats(ways->box);
    hash = hashBytes(hash, &ordered, sizeof ordered);
    hash = hashBytes(hash, &batched, sizeof batched);
    hash = hashBytes(hash, &box, sizeof box);
    return hashBytes(hash, &root, sizeof root);
}

static uint64_t hashLife(Mesh* mesh, bool isPaths, grzTasks* tasks) {
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    grzRng rng = grzRng_Make(832, 1);
    Scene scene = {.vertexCount = mesh->vertexCount};
    Ways ways = isPaths ? followPaths(mesh, 0, -20, tasks) : followFrames(mesh, 0, 1, tasks);
    for (int k = 1; k <= 5; ++k) {
        SomeChange some;
        goTo(&ways, 0.6 * k);
        hash = hashWays(hash, &ways);
        drawChange(&scene, &rng, &some);
        if (isPaths)
            change(&ways, 0.6 * k + 0.1, &some.change);
        hash = hashWays(hash, &ways);
    }
    dropWays(&ways);
    return hash;
}

static void workersAndLevelsGiveTheSameBytes(void** state) {
    (void)state;
    static const uint32_t workers[] = {1, 2, 3, 8}, flavours[] = {hard_usual, hard_huge};
    for (size_t f = 0; f < 2; ++f) {
        grzRng rng = grzRng_Make(testSeed(832), f);
        Mesh mesh = makeMesh(&rng, 300, flavours[f]);
        for (int isPaths = 0; isPaths < 2 && (isPaths == 0 || flavours[f] != hard_huge); ++isPaths) {
            const uint64_t hash = hashLife(&mesh, isPaths != 0, NULL);
            for (int level = grz_simdScalar; level < GRZ_SIMD_LEVEL_COUNT; ++level) {
                if (!grzSimd_Supports((grzSimdLevel)level))
                    continue;
                const grzSimdLevel usual = grzSimd_Force((grzSimdLevel)level);
                assert_true(hashLife(&mesh, isPaths != 0, NULL) == hash);
                grzSimd_Force(usual);
            }
            for (size_t w = 0; w < 4; ++w) {
                grzTasksDef def = grzDefaultTasksDef();
                def.workerCount = workers[w];
                grzTasks* tasks;
                ok(grzTasks_Create(&def, &tasks));
                assert_true(hashLife(&mesh, isPaths != 0, tasks) == hash);
                grzTasks_Destroy(tasks);
            }
        }
        dropMesh(&mesh);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(meshesOfAllSizesAreFollowed),
        cmocka_unit_test(oneMoreLeafThanAPartHas),
        cmocka_unit_test(verticesWithoutTrianglesAreNotSeen),
        cmocka_unit_test(trianglesWithoutAreaAreFollowed),
        cmocka_unit_test(thousandsOfEventsAtOneTick),
        cmocka_unit_test(velocitiesOfAllSizesAreFollowed),
        cmocka_unit_test(theEndsOfTimeAreReached),
        cmocka_unit_test(theGridMayBeFinerThanTimeIs),
        cmocka_unit_test(jumpsSeeWhatStepsSee),
        cmocka_unit_test(keyframesThatComeLateChangeNothing),
        cmocka_unit_test(pathsTurnAtTheTimesOfEvents),
        cmocka_unit_test(badTimesChangeNothing),
        cmocka_unit_test(badChangesChangeNothing),
        cmocka_unit_test(workersAndLevelsGiveTheSameBytes),
    };
    return cmocka_run_group_tests_name("kinetic_nasty", tests, NULL, NULL);
}
