// The mid stage over arrays, without a world: how each kind of pair is looked at, what is kept, and up to where the others look.
#include "testing.h"

#include <math.h>

#include "graze/hull.h"
#include "graze/stage/step.h"
#include "graze/tasks.h"
#include "rng.h"

enum { BODIES = 40, MOST = BODIES * (BODIES - 1) / 2, MOST_ROWS = 2 * MOST, BLOCKS = MOST / GRZ_PAIR_BLOCK + 1 };

// Bodies, and all pairs of them at scattered rows.
typedef struct Scene {
    grzBodyState states[BODIES];
    grzMotion motions[BODIES];
    grzShapeTraits traits[BODIES];
    grzPairRow rows[MOST_ROWS];
    uint32_t order[MOST];
    grzPairBlock blocks[BLOCKS];
} Scene;

static const float g_margin = 0.02f, g_timeStep = 0.5f;

static grzVec3 vectorIn(grzRng* rng, float size) {
    const float x = grzRng_Float(rng), y = grzRng_Float(rng), z = grzRng_Float(rng);
    return grzScale(grzSub(grzVec3_Make(x, y, z), grzVec3_Splat(0.5f)), 2 * size);
}

static grzQuat turnIn(grzRng* rng, float most) {
    const float angle = most * grzRng_Float(rng);
    return grzQuat_Normalize(grzQuat_FromAxisAngle(grzNormalize(vectorIn(rng, 1)), angle));
}

static grzMidInput inputOf(Scene* scene, uint32_t count) {
    grzMidInput input = grzDefaultMidInput();
    input.pairs = (grzStepPairs){scene->rows, scene->order, count, 1, scene->blocks};
    input.states = scene->states, input.motions = scene->motions;
    input.traits = scene->traits;
    input.timeStep = g_timeStep, input.margin = g_margin;
    return input;
}

static void fillBodies(Scene* scene, grzRng* rng) {
    memset(scene, 0, sizeof *scene);
    for (uint32_t i = 0; i < BODIES; ++i) {
        const uint32_t mass = i % 3; // static, kinematic, dynamic
        scene->states[i].center = vectorIn(rng, 10);
        scene->states[i].rotation = turnIn(rng, 6);
        scene->motions[i].flags = mass == 0   ? 0u
                                  : mass == 1 ? (uint32_t)grz_bodyMoves
                                              : (uint32_t)(grz_bodyMoves | grz_bodyYields);
        grzVec3_Store(scene->motions[i].from,
                      mass == 0 ? grzVec3_Zero() : vectorIn(rng, i % 4 == 0 ? 0.005f : 3.0f));
        grzVec3_Store(scene->motions[i].to, mass == 0 ? grzVec3_Zero() : vectorIn(rng, 3));
        scene->motions[i].turning = mass == 0 ? 0 : grzRng_Float(rng);
        scene->traits[i].radius = 0.2f + grzRng_Float(rng);
        scene->traits[i].kind = (uint8_t)grzRng_Below(rng, 5);
    }
}

// All pairs, where they were found in the last step; a quarter of them are new.
static void fillPairs(Scene* scene, grzRng* rng) {
    uint32_t count = 0;
    for (uint32_t a = 0; a < BODIES; ++a)
        for (uint32_t b = a + 1; b < BODIES; ++b) {
            const uint32_t place = 2 * count + grzRng_Below(rng, 2);
            grzPairRow* row = &scene->rows[place];
            memset(row, 0, sizeof *row);
            row->a = a, row->b = b;
            row->isNew = grzRng_Below(rng, 4) == 0;
            row->found[0].pose = (uint8_t)grzRng_Below(rng, 2);
            row->found[0].touchCount = 1 + grzRng_Below(rng, 2);
            row->found[0].contactCount = 1 + grzRng_Below(rng, 4);
            row->found[0].meshCount = grzRng_Below(rng, 2);
            row->poses[row->found[0].pose] = (grzPairPose){grzSub(scene->states[b].center, scene->states[a].center),
                                                           scene->states[a].rotation, scene->states[b].rotation};
            row->poses[1 - row->found[0].pose].shift = grzVec3_Splat(1e6f); // of no meaning
            scene->order[count++] = place;
        }
    assert_int_equal(count, MOST);
}

static bool hasKind(const Scene* scene, const grzPairRow* row, grzColliderKind kind) {
    return scene->traits[row->a].kind == kind || scene->traits[row->b].kind == kind;
}

// Where nothing has moved since.
static grzPairWay wayOf(const Scene* scene, const grzPairRow* row) {
    if (hasKind(scene, row, grz_noCollider))
        return grz_pairNothing;
    if (hasKind(scene, row, grz_clothCollider))
        return scene->traits[row->a].kind == scene->traits[row->b].kind ? grz_pairNothing : grz_pairCloth;
    if (hasKind(scene, row, grz_animatedCollider))
        return grz_pairMesh;
    if (!row->isNew)
        return grz_pairRecycled;
    return hasKind(scene, row, grz_meshCollider) ? grz_pairMesh : grz_pairConvex;
}

static double distanceOf(const float a[3], const float b[3]) {
    return (double)grzDistance(grzVec3_Load(a), grzVec3_Load(b));
}

// The reach in closed form, in double.
static double reachOf(const Scene* scene, const grzPairRow* row) {
    const grzMotion *a = &scene->motions[row->a], *b = &scene->motions[row->b];
    const double time = (double)g_timeStep, margin = (double)g_margin;
    const double from = distanceOf(a->from, b->from) * time, to = distanceOf(a->to, b->to) * time;
    const double turning = ((double)a->turning + (double)b->turning) * time;
    const double approach = (to > from + margin ? to : from) + turning;
    return margin + (approach > margin ? approach : 0);
}

static void checkBlocks(const Scene* scene, uint32_t count) {
    for (uint32_t b = 0; b < grzStepPairs_BlockCount(count); ++b) {
        uint32_t collided = 0, cloths = 0, meshes = 0, recycled = 0, grounds = 0;
        for (uint32_t i = b * GRZ_PAIR_BLOCK; i < count && i < (b + 1) * GRZ_PAIR_BLOCK; ++i) {
            const grzPairRow* row = &scene->rows[scene->order[i]];
            collided += row->way == grz_pairConvex, cloths += row->way == grz_pairCloth;
            recycled += row->way == grz_pairRecycled;
            grounds += row->yielding == 1 && row->way != grz_pairNothing && row->way != grz_pairCloth;
            meshes += row->way == grz_pairMesh || (row->way == grz_pairRecycled && row->found[0].meshCount != 0);
        }
        assert_true(scene->blocks[b].collided == collided && scene->blocks[b].cloths == cloths);
        assert_true(scene->blocks[b].meshes == meshes && scene->blocks[b].recycled == recycled);
        assert_int_equal(scene->blocks[b].grounds, grounds);
    }
}

static void eachKindOfPairGoesItsWay(void** state) {
    (void)state;
    static Scene scene;
    static const uint32_t counts[] = {0, 1, 255, 256, 257, MOST};
    uint32_t ways[5] = {0};
    grzRng rng = grzRng_Make(testSeed(840), 0);
    for (size_t round = 0; round < 4 * sizeof counts / sizeof *counts; ++round) {
        const uint32_t count = counts[round / 4];
        fillBodies(&scene, &rng);
        fillPairs(&scene, &rng);
        memset(scene.blocks, 0xA5, sizeof scene.blocks);
        const grzMidInput input = inputOf(&scene, count);
        assert_true(grzResult_IsOk(grzStep_Mid(&input)));
        for (uint32_t i = 0; i < count; ++i) {
            const grzPairRow* row = &scene.rows[scene.order[i]];
            const double reach = reachOf(&scene, row);
            assert_int_equal(row->way, wayOf(&scene, row));
            assert_int_equal(row->yielding, (row->a % 3 == 2) + (row->b % 3 == 2));
            assert_true(row->way == grz_pairRecycled ? row->reach == 0
                                                     : fabs((double)row->reach - reach) < 1e-5 * reach);
            ++ways[row->way];
        }
        checkBlocks(&scene, count);
    }
    for (int way = 0; way < 5; ++way)
        assert_true(ways[way] > 20);
}

// One pair of two bodies, moved and turned since its contacts were found. shape: of both, or NULL.
static bool isKeptBy(const grzConvex* shape, grzVec3 shift, grzQuat turn, uint32_t contacts, uint8_t kind,
                     bool isTurnOfB) {
    static Scene scene;
    const grzConvex shapes[2] = {shape != NULL ? *shape : (grzConvex){0}, shape != NULL ? *shape : (grzConvex){0}};
    memset(&scene, 0, sizeof scene);
    for (uint32_t i = 0; i < 2; ++i) {
        scene.states[i].rotation = grzQuat_Identity();
        scene.traits[i] = (grzShapeTraits){.radius = i == 0 ? 2.0f : 0.5f, .kind = kind};
    }
    grzPairRow* row = &scene.rows[7];
    row->b = 1;
    row->found[0].touchCount = 1, row->found[0].contactCount = contacts;
    row->poses[0] = (grzPairPose){grzVec3_Zero(), grzQuat_Identity(), grzQuat_Identity()};
    scene.states[1].center = shift;
    scene.states[isTurnOfB].rotation = turn;
    scene.order[0] = 7;
    grzMidInput input = inputOf(&scene, 1);
    input.shapes = shape != NULL ? shapes : NULL;
    assert_true(grzResult_IsOk(grzStep_Mid(&input)));
    return row->way == grz_pairRecycled;
}

static bool isKept(grzVec3 shift, grzQuat turn, uint32_t contacts, uint8_t kind, bool isTurnOfB) {
    return isKeptBy(NULL, shift, turn, contacts, kind, isTurnOfB);
}

// A quarter of the margin, of points on the balls around the bodies. Flush faces: 2.5 margins or a sixteenth of the radius, whichever is
// less, and 0.06 radians; two meshes have none.
static void whatHasMovedIsLookedAtAgain(void** state) {
    (void)state;
    const grzQuat none = grzQuat_Identity();
    const grzVec3 along = grzNormalize(grzVec3_Make(2, -1, 2)), still = grzVec3_Zero();
    for (int sign = -1; sign <= 1; sign += 2) {
        const float s = (float)sign;
        assert_true(isKept(grzScale(along, s * 0.0049f), none, 2, grz_convexCollider, false));
        assert_false(isKept(grzScale(along, s * 0.0051f), none, 2, grz_convexCollider, false));
        for (int isB = 0; isB < 2; ++isB) {
            const float radius = isB != 0 ? 0.5f : 2.0f;
            const grzQuat little = grzQuat_FromAxisAngle(along, s * 0.0049f / radius);
            const grzQuat much = grzQuat_FromAxisAngle(along, s * 0.0051f / radius);
            assert_true(isKept(still, little, 2, grz_meshCollider, isB != 0));
            assert_false(isKept(still, much, 2, grz_meshCollider, isB != 0));
            assert_true(isKept(still, much, 3, grz_convexCollider, isB != 0));
            assert_true(isKept(still, grzQuat_FromAxisAngle(along, s * 0.0599f), 3, grz_convexCollider, isB != 0));
            assert_false(isKept(still, grzQuat_FromAxisAngle(along, s * 0.0601f), 3, grz_convexCollider, isB != 0));
            assert_false(isKept(still, much, 3, grz_meshCollider, isB != 0));
        }
        assert_true(isKept(grzScale(along, s * 0.031f), none, 3, grz_convexCollider, false));
        assert_false(isKept(grzScale(along, s * 0.0315f), none, 3, grz_convexCollider, false));
        assert_false(isKept(grzScale(along, s * 0.0051f), none, 3, grz_meshCollider, false));
    }
}

// A ridge of two faces, each of which is as steep as told, under a box.
static grzHull* makeRidge(float slope) {
    const float low = -0.5f * grzSin(slope) / grzCos(slope);
    const float points[30] = {0,    low, -1, 0,     low, 1,  -0.5f, 0, -1, -0.5f, 0, 1,  0.5f, 0, -1,
                              0.5f, 0,   1,  -0.5f, 1,   -1, -0.5f, 1, 1,  0.5f,  1, -1, 0.5f, 1, 1};
    grzHullDef def = grzDefaultHullDef();
    def.positions = points, def.pointCount = 10;
    grzHull* hull;
    assert_true(grzResult_IsOk(grzHull_Create(&def, &hull)));
    return hull;
}

// Hulls with two faces at less than 0.24 radians are looked at again as if they were not flush.
static void bluntHullsRollOn(void** state) {
    (void)state;
    const grzVec3 along = grzNormalize(grzVec3_Make(2, -1, 2)), still = grzVec3_Zero();
    const grzQuat little = grzQuat_FromAxisAngle(along, 0.0049f / 2), much = grzQuat_FromAxisAngle(along, 0.05f);
    grzHull *blunt = makeRidge(0.119f), *sharp = makeRidge(0.121f);
    const grzConvex shapes[3] = {grzMakeHullShape(blunt), grzMakeHullShape(sharp),
                                 grzMakeBox(grzVec3_Zero(), grzVec3_Splat(1))};
    for (int k = 0; k < 3; ++k) {
        assert_true(isKeptBy(&shapes[k], still, little, 4, grz_convexCollider, false));
        assert_int_equal(isKeptBy(&shapes[k], still, much, 4, grz_convexCollider, false), k != 0);
        assert_int_equal(isKeptBy(&shapes[k], still, much, 4, grz_convexCollider, true), k != 0);
    }
    grzHull_Destroy(blunt);
    grzHull_Destroy(sharp);
}

static void theSameBytesHoweverAsked(void** state) {
    (void)state;
    static Scene scene, again;
    typedef struct Row {
        float before;
        grzShapeTraits traits;
    } Row;
    static Row traits[BODIES];
    grzRng rng = grzRng_Make(testSeed(841), 0);
    fillBodies(&scene, &rng);
    fillPairs(&scene, &rng);
    again = scene;
    for (uint32_t i = 0; i < BODIES; ++i)
        traits[i].traits = scene.traits[i];
    grzMidInput input = inputOf(&scene, MOST);
    assert_true(grzResult_IsOk(grzStep_Mid(&input)));
    for (uint32_t workers = 1; workers <= 8; ++workers) {
        grzTasksDef def = grzDefaultTasksDef();
        def.workerCount = workers;
        grzTasks* tasks;
        assert_true(grzResult_IsOk(grzTasks_Create(&def, &tasks)));
        input = inputOf(&again, MOST);
        input.tasks = tasks, input.traits = &traits[0].traits, input.traitStride = sizeof *traits;
        assert_true(grzResult_IsOk(grzStep_Mid(&input)));
        assert_memory_equal(again.rows, scene.rows, sizeof scene.rows);
        assert_memory_equal(again.blocks, scene.blocks, sizeof scene.blocks);
        grzTasks_Destroy(tasks);
    }
}

static void whatIsMissingIsRefused(void** state) {
    (void)state;
    static Scene scene, before;
    grzRng rng = grzRng_Make(testSeed(842), 0);
    fillBodies(&scene, &rng);
    fillPairs(&scene, &rng);
    before = scene;
    for (int flaw = 0; flaw < 10; ++flaw) {
        grzMidInput input = inputOf(&scene, MOST);
        input.pairs.rows = flaw == 0 ? NULL : input.pairs.rows;
        input.pairs.order = flaw == 1 ? NULL : input.pairs.order;
        input.pairs.blocks = flaw == 2 ? NULL : input.pairs.blocks;
        input.pairs.now = flaw == 3 ? 2 : input.pairs.now;
        input.states = flaw == 4 ? NULL : input.states;
        input.motions = flaw == 5 ? NULL : input.motions;
        input.traits = flaw == 6 ? NULL : input.traits;
        input.timeStep = flaw == 7 ? -1 : flaw == 8 ? NAN : input.timeStep;
        input.margin = flaw == 9 ? -1 : input.margin;
        const grzResult result = grzStep_Mid(&input);
        assert_true(result.status == grz_badArgument && result.value == 1 && result.reason != NULL);
        assert_memory_equal(&scene, &before, sizeof scene);
    }
    grzMidInput none = grzDefaultMidInput();
    assert_true(grzResult_IsOk(grzStep_Mid(&none)));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(eachKindOfPairGoesItsWay), cmocka_unit_test(whatHasMovedIsLookedAtAgain),
        cmocka_unit_test(bluntHullsRollOn),         cmocka_unit_test(theSameBytesHoweverAsked),
        cmocka_unit_test(whatIsMissingIsRefused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
