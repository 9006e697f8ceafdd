// Triangles and vertices that come and go in a kinetic BoxTree: at every time after an edit all is as in the reference, a plain
// list of triangles; numbers are given once; what is refused changes nothing.
#include "kinetic_testing.h"

#include <math.h>

#include "graze/box_tree.h"

// ---- the reference: triangles by number ----

enum { MOST_NUMBERS = 20000 };

typedef struct Model {
    uint32_t count, liveCount;
    uint32_t* corners;
    bool* isLive;
} Model;

static Model makeModel(const Scene* scene) {
    Model model = {scene->triangleCount, scene->triangleCount, NULL, NULL};
    model.corners = calloc(3 * (size_t)MOST_NUMBERS, sizeof *model.corners);
    model.isLive = calloc(MOST_NUMBERS, sizeof *model.isLive);
    assert_non_null(model.corners);
    assert_non_null(model.isLive);
    memcpy(model.corners, scene->triangles, 3 * (size_t)model.count * sizeof *model.corners);
    for (uint32_t i = 0; i < model.count; ++i)
        model.isLive[i] = true;
    return model;
}

static void dropModel(Model* model) {
    free(model->corners), free(model->isLive);
}

static void editModel(Model* model, const grzBoxTreeEdit* edit) {
    for (size_t i = 0; i < edit->removedCount; ++i)
        model->isLive[edit->removed[i]] = false;
    assert_true(model->count + edit->insertedCount <= MOST_NUMBERS);
    for (size_t i = 0; i < edit->insertedCount; ++i) {
        memcpy(model->corners + 3 * (size_t)model->count, edit->inserted + 3 * i, 3 * sizeof *model->corners);
        model->isLive[model->count++] = true;
    }
    model->liveCount += (uint32_t)edit->insertedCount - (uint32_t)edit->removedCount;
}

static void checkLeaf(const Model* model, const grzBoxTree* tree, uint32_t leaf, grzBox box, const float* positions,
                      bool* isSeen) {
    const grzBoxTreeView view = grzBoxTree_GetView(tree);
    assert_true(view.counts[leaf] <= GRZ_BOX_TREE_LEAF_TRIANGLES);
    for (uint32_t i = 0; i < view.counts[leaf]; ++i) {
        const uint32_t number = view.order[leaf * GRZ_BOX_TREE_LEAF_TRIANGLES + i];
        assert_true(number < model->count && model->isLive[number] && !isSeen[number]);
        isSeen[number] = true;
        for (int k = 0; k < 3; ++k)
            assert_true(grzBox_ContainsPoint(
                box, grzVec3_Load(positions + 3 * (size_t)model->corners[3 * (size_t)number + (size_t)k])));
    }
}

static void checkNode(const Model* model, const grzBoxTree* tree, uint32_t node, grzBox box, const float* positions,
                      bool* isSeen) {
    const grzBoxTreeView view = grzBoxTree_GetView(tree);
    grzBox children[2];
    if (node >= view.innerCount) {
        checkLeaf(model, tree, node - view.innerCount, box, positions, isSeen);
        return;
    }
    grzBoxTree_Split(tree, node, box, children);
    for (uint32_t k = 0; k < 2; ++k) {
        assert_true(grzBox_Contains(box, children[k]));
        checkNode(model, tree, 2 * node + 1 + k, children[k], positions, isSeen);
    }
}

static void checkRoot(const Model* model, grzBox root, const float* positions) {
    grzBox tight = grzBox_Empty();
    for (uint32_t i = 0; i < model->count; ++i)
        for (uint32_t k = 0; k < 3 && model->isLive[i]; ++k)
            tight = grzBox_AddPoint(tight, grzVec3_Load(positions + 3 * (size_t)model->corners[3 * (size_t)i + k]));
    assert_true(grzBox_Contains(tight, root) && grzBox_Contains(root, tight));
}

static void checkTree(const Model* model, const grzFlightplan* plan, const grzBoxTree* tree, double time) {
    float* positions = takeNumbers(3 * grzFlightplan_VertexCount(plan));
    bool* isSeen = calloc((size_t)model->count + 1, sizeof *isSeen);
    ok(grzFlightplan_Evaluate(plan, NULL, time, positions, 0));
    const grzBox root = grzBoxTree_RootBox(tree);
    assert_true(grzBoxTree_Validate(tree));
    assert_int_equal(grzBoxTree_GetView(tree).triangleCount, model->liveCount);
    if (grzBoxTree_GetView(tree).leafCount != 0)
        checkNode(model, tree, 0, root, positions, isSeen);
    for (uint32_t i = 0; i < model->count; ++i)
        assert_int_equal(isSeen[i], model->isLive[i]);
    checkRoot(model, root, positions);
    free(positions), free(isSeen);
}

// ---- edits ----

enum { MOST_EDITED = 300 };

typedef struct SomeEdit {
    uint32_t removed[MOST_EDITED], inserted[3 * MOST_EDITED];
    grzBoxTreeEdit edit; // points into the above
} SomeEdit;

// Up to so many of each; new ones lie about one vertex, or anywhere.
static void drawEdit(const Model* model, uint32_t vertexCount, grzRng* rng, uint32_t removedMost,
                     uint32_t insertedMost, SomeEdit* some) {
    const uint32_t wanted = grzRng_Below(rng, removedMost + 1), inserted = grzRng_Below(rng, insertedMost + 1);
    const uint32_t around = grzRng_Below(rng, vertexCount), near = 1 + grzRng_Below(rng, vertexCount);
    uint32_t removed = 0, number = model->count == 0 ? 0 : grzRng_Below(rng, model->count);
    for (uint32_t i = 0; i < model->count && removed < wanted; ++i, number = (number + 7) % model->count)
        if (model->isLive[number]) {
            bool isNew = true;
            for (uint32_t k = 0; k < removed; ++k)
                isNew = isNew && some->removed[k] != number;
            if (isNew)
                some->removed[removed++] = number;
        }
    for (uint32_t i = 0; i < 3 * inserted; ++i)
        some->inserted[i] = (around + grzRng_Below(rng, near)) % vertexCount;
    some->edit = (grzBoxTreeEdit){some->removed, removed, some->inserted, inserted};
}

static void applyEdit(Model* model, grzBoxTree* tree, double time, const grzBoxTreeEdit* edit) {
    uint32_t first = 0;
    const uint32_t before = model->count;
    ok(grzBoxTree_Edit(tree, time, edit, &first));
    assert_int_equal(first, before);
    editModel(model, edit);
}

static grzBoxTree* makeTree(const Scene* scene, grzFlightplan* plan, size_t count, grzAllocator allocator) {
    grzBoxTreeDef def = grzDefaultBoxTreeDef();
    def.plan = plan, def.triangles = scene->triangles, def.triangleCount = count, def.allocator = allocator;
    grzBoxTree* tree;
    ok(grzBoxTree_Create(&def, &tree));
    return tree;
}

static const grzAllocator usual;

// ---- tests ----

static void trianglesComeAndGoOnKeyframes(void** state) {
    (void)state;
    static const uint32_t sides[] = {2, 3, 6, 17, 28};
    grzRng rng = grzRng_Make(testSeed(1101), 0);
    for (size_t s = 0; s < sizeof sides / sizeof sides[0]; ++s)
        for (int height = 0; height < HEIGHTS; ++height) {
            Scene scene = makeScene(&rng, sides[s], heights[height]);
            grzFlightplan* plan = planFrames(&scene, FRAMES);
            grzBoxTree* tree = makeTree(&scene, plan, scene.triangleCount, usual);
            Model model = makeModel(&scene);
            double time = 0;
            while (time < FRAMES - 1) {
                SomeEdit some;
                time = grzRng_Below(&rng, 3) == 0 ? floor(time) + 1
                                                  : fmin(time + 0.4 * (double)grzRng_Float(&rng), FRAMES - 1);
                drawEdit(&model, scene.vertexCount, &rng, 60, 80, &some);
                if (grzRng_Below(&rng, 3) == 0) { // at a keyframe, all before it may be gone
                    ok(grzBoxTree_Advance(tree, time));
                    grzFlightplan_DropKeyframes(plan, time);
                }
                applyEdit(&model, tree, time, &some.edit);
                checkTree(&model, plan, tree, time);
                time = fmin(time + 0.1 * (double)grzRng_Float(&rng), FRAMES - 1);
                ok(grzBoxTree_Advance(tree, time));
                if (grzRng_Below(&rng, 3) == 0)
                    grzFlightplan_DropKeyframes(plan, time);
                checkTree(&model, plan, tree, time);
            }
            grzBoxTree_Destroy(tree);
            grzFlightplan_Destroy(plan);
            dropModel(&model);
            dropScene(&scene);
        }
}

static void trianglesVerticesAndPathsComeAndGo(void** state) {
    (void)state;
    static const uint32_t sides[] = {2, 5, 20};
    grzRng rng = grzRng_Make(testSeed(1102), 0);
    for (size_t s = 0; s < sizeof sides / sizeof sides[0]; ++s)
        for (int height = 0; height < HEIGHTS; ++height) {
            Scene scene = makeScene(&rng, sides[s], heights[height]);
            grzFlightplan* plan = planPaths(&scene);
            grzBoxTree* tree = makeTree(&scene, plan, scene.triangleCount, usual);
            Model model = makeModel(&scene);
            double time = 0;
            for (int round = 0; round < 25; ++round) {
                SomeEdit some;
                SomeChange change;
                uint32_t first;
                time += 0.2 * (double)grzRng_Float(&rng);
                drawChange(&scene, &rng, &change);
                change.change.positions = change.positions;
                const uint32_t before = (uint32_t)grzFlightplan_VertexCount(plan);
                if (round % 3 == 0) {
                    ok(grzBoxTree_AddVertices(tree, time, &change.change, &first));
                    assert_int_equal(first, before);
                    time += 0.1 * (double)grzRng_Float(&rng);
                }
                drawEdit(&model, (uint32_t)grzFlightplan_VertexCount(plan), &rng, 40, 50, &some);
                applyEdit(&model, tree, time, &some.edit);
                checkTree(&model, plan, tree, time);
                for (size_t i = 0; i < change.change.count; ++i) // also vertices that have come
                    change.vertices[i] = grzRng_Below(&rng, (uint32_t)grzFlightplan_VertexCount(plan));
                time += 0.1 * (double)grzRng_Float(&rng);
                ok(grzBoxTree_Change(tree, time, &change.change));
                checkTree(&model, plan, tree, time);
                if (round % 8 == 7)
                    grzBoxTree_RebuildLoose(tree, 1.0F);
            }
            grzBoxTree_Destroy(tree);
            grzFlightplan_Destroy(plan);
            dropModel(&model);
            dropScene(&scene);
        }
}

static void allMayGoAndComeAgain(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(1103), 0);
    for (size_t begin = 0; begin < 2; ++begin) { // from nothing, too
        Scene scene = makeScene(&rng, 12, noise);
        grzFlightplan* plan = planFrames(&scene, FRAMES);
        grzBoxTree* tree = makeTree(&scene, plan, begin * scene.triangleCount, usual);
        Model model = makeModel(&scene);
        model.count = model.liveCount = (uint32_t)begin * scene.triangleCount;
        for (int round = 1; round <= 4; ++round) {
            uint32_t* removed = calloc((size_t)model.count + 1, sizeof *removed);
            grzBoxTreeEdit edit = {removed, 0, NULL, 0};
            for (uint32_t i = 0; i < model.count; ++i)
                if (model.isLive[i])
                    removed[edit.removedCount++] = i;
            applyEdit(&model, tree, round - 0.5, &edit);
            checkTree(&model, plan, tree, round - 0.5);
            assert_true(grzBox_IsEmpty(grzBoxTree_RootBox(tree)));
            edit = (grzBoxTreeEdit){NULL, 0, scene.triangles, scene.triangleCount / 2};
            applyEdit(&model, tree, round - 0.25, &edit);
            checkTree(&model, plan, tree, round - 0.25);
            ok(grzBoxTree_Advance(tree, round));
            checkTree(&model, plan, tree, round);
            free(removed);
        }
        grzBoxTree_Destroy(tree);
        grzFlightplan_Destroy(plan);
        dropModel(&model);
        dropScene(&scene);
    }
}

// Two thousand, one by one, beside each other in a tree that is full: it grows as seldom as it doubles, and little is ordered
// anew.
static void insertionsInOnePlaceCostLittle(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(1104), 0);
    Scene scene = makeScene(&rng, 33, waves); // 2048 triangles
    grzFlightplan* plan = planFrames(&scene, FRAMES);
    grzBoxTree* tree = makeTree(&scene, plan, scene.triangleCount, usual);
    Model model = makeModel(&scene);
    for (uint32_t i = 0; i < 2048; ++i) {
        const uint32_t* corners = scene.triangles + 3 * (size_t)(1000 + i % 20);
        const grzBoxTreeEdit edit = {NULL, 0, corners, 1};
        applyEdit(&model, tree, 0.0005 * i, &edit);
        if (i % 256 == 0)
            checkTree(&model, plan, tree, 0.0005 * i);
    }
    checkTree(&model, plan, tree, 0.0005 * 2047);
    const grzBoxTreeStats stats = grzBoxTree_GetStats(tree);
    assert_int_equal(stats.grown, 2);
    assert_in_range(stats.ordered, 1, 2048 * 100);
    grzBoxTree_Destroy(tree);
    grzFlightplan_Destroy(plan);
    dropModel(&model);
    dropScene(&scene);
}

static void aTriangleGoesWhereItFits(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(1105), 0);
    Scene scene = makeScene(&rng, 33, flat);
    grzFlightplan* plan = planFrames(&scene, FRAMES);
    grzBoxTree* tree = makeTree(&scene, plan, scene.triangleCount, usual);
    uint32_t removed[1024];
    for (uint32_t i = 0; i < 1024; ++i)
        removed[i] = 2 * i;
    uint32_t* again = calloc(3 * 1024, sizeof *again);
    for (uint32_t i = 0; i < 1024; ++i)
        memcpy(again + 3 * (size_t)i, scene.triangles + 6 * (size_t)i, 3 * sizeof *again);
    const grzBoxTreeEdit out = {removed, 1024, NULL, 0};
    ok(grzBoxTree_Edit(tree, 0, &out, NULL));
    for (uint32_t i = 0; i < 512; ++i) { // back to where they were, or nearly: leaves stay as small as they are
        const grzBoxTreeEdit in = {NULL, 0, again + 6 * (size_t)i, 1};
        ok(grzBoxTree_Edit(tree, 0, &in, NULL));
    }
    const grzBoxTreeView view = grzBoxTree_GetView(tree);
    double sum = 0;
    for (uint32_t leaf = 0; leaf < view.leafCount; ++leaf) {
        grzBox box = grzBox_Empty();
        for (uint32_t i = 0; i < view.counts[leaf]; ++i) {
            const uint32_t number = view.order[leaf * GRZ_BOX_TREE_LEAF_TRIANGLES + i];
            const uint32_t* corners =
                number < 2048 ? scene.triangles + 3 * (size_t)number : again + 6 * (size_t)(number - 2048);
            for (int k = 0; k < 3; ++k)
                box = grzBox_AddPoint(box, grzVec3_Load(scene.frames[0] + 3 * (size_t)corners[k]));
        }
        sum += view.counts[leaf] == 0 ? 0 : (double)((box.upper.x - box.lower.x) * (box.upper.z - box.lower.z));
    }
    assert_true(sum < 2.5 * 1024); // squares; where they went anywhere it would be many times that
    free(again);
    grzBoxTree_Destroy(tree);
    grzFlightplan_Destroy(plan);
    dropScene(&scene);
}

// ---- refusals ----

static void expectRefused(grzBoxTree* tree, double time, const grzBoxTreeEdit* edit, grzResult wanted) {
    uint32_t first = 12345;
    const grzBoxTreeStats before = grzBoxTree_GetStats(tree);
    const double at = grzBoxTree_Time(tree);
    const grzResult result = grzBoxTree_Edit(tree, time, edit, &first);
    const grzBoxTreeStats after = grzBoxTree_GetStats(tree);
    assert_int_equal(result.status, wanted.status);
    assert_int_equal(result.part, wanted.part);
    assert_int_equal(result.index, wanted.index);
    assert_int_equal(result.value, wanted.value);
    assert_int_equal(first, 12345);
    assert_memory_equal(&before, &after, sizeof before);
    assert_true(at == grzBoxTree_Time(tree));
}

// Its lists have no place for them.
static void verticesThatCameBehindItsBackAreRefused(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(861), 0);
    Scene scene = makeScene(&rng, 5, noise);
    grzFlightplan* plan = planPaths(&scene);
    grzBoxTree* tree = makeTree(&scene, plan, scene.triangleCount, usual);
    const float place[3] = {1, 2, 3};
    const grzFlightplanChange added = {NULL, 1, place, NULL, NULL};
    uint32_t first;
    ok(grzBoxTree_AddVertices(tree, 0.5, &added, &first));
    ok(grzFlightplan_AddVertices(plan, 0.5, &added, &first));
    const uint32_t corners[3] = {0, 1, first};
    const grzFlightplanChange change = {&first, 1, place, NULL, NULL};
    assert_int_equal(grzBoxTree_Advance(tree, 0.75).value, 2);
    assert_int_equal(grzBoxTree_Change(tree, 0.75, &change).value, 2);
    assert_int_equal(grzBoxTree_AddVertices(tree, 0.75, &added, &first).value, 2);
    assert_int_equal(grzBoxTree_Edit(tree, 0.75, &(grzBoxTreeEdit){NULL, 0, corners, 1}, NULL).value, 2);
    grzBoxTree_Destroy(tree);
    grzFlightplan_Destroy(plan);
    dropScene(&scene);
}

static void badEditsChangeNothing(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(1, 0);
    Scene scene = makeScene(&rng, 5, noise);
    grzFlightplan* plan = planFrames(&scene, 3);
    grzBoxTree* tree = makeTree(&scene, plan, scene.triangleCount, usual);
    Model model = makeModel(&scene);
    const uint32_t gone[] = {7};
    const grzBoxTreeEdit one = {gone, 1, NULL, 0};
    applyEdit(&model, tree, 0.5, &one);
    const uint32_t twice[] = {3, 5, 3}, again[] = {1, 7}, unknown[] = {1, 2, 32}, wrong[] = {0, 1, 2, 3, 25, 4};
    const grzResult argument = {grz_badArgument, grz_noPart, 0, 3, NULL},
                    time = {grz_badArgument, grz_noPart, 0, 2, NULL};
    expectRefused(tree, 0.75, NULL, argument);
    expectRefused(tree, 0.75, &(grzBoxTreeEdit){NULL, 1, NULL, 0}, argument);
    expectRefused(tree, 0.75, &(grzBoxTreeEdit){NULL, 0, NULL, 1}, argument);
    expectRefused(tree, 0.25, &one, time);
    expectRefused(tree, 3, &one, time);
    expectRefused(tree, 0.75, &(grzBoxTreeEdit){twice, 3, NULL, 0},
                  (grzResult){grz_badArgument, grz_partTriangle, 2, 3, NULL});
    expectRefused(tree, 0.75, &(grzBoxTreeEdit){again, 2, NULL, 0},
                  (grzResult){grz_badArgument, grz_partTriangle, 1, 3, NULL});
    expectRefused(tree, 0.75, &(grzBoxTreeEdit){unknown, 3, NULL, 0},
                  (grzResult){grz_indexTooLarge, grz_partTriangle, 2, 32, NULL});
    expectRefused(tree, 0.75, &(grzBoxTreeEdit){twice, 2, wrong, 2},
                  (grzResult){grz_indexTooLarge, grz_partTriangle, 1, 25, NULL});
    expectRefused(tree, 0.75, &(grzBoxTreeEdit){NULL, 0, wrong, GRZ_MESH_MAX_TRIANGLES},
                  (grzResult){grz_tooLarge, grz_noPart, 0, (uint64_t)GRZ_MESH_MAX_TRIANGLES + 32, NULL});
    checkTree(&model, plan, tree, 0.5);
    const grzFlightplanChange change = {NULL, 0, NULL, NULL, NULL};
    uint32_t first;
    assert_int_equal(grzBoxTree_AddVertices(tree, 1, &change, &first).status, grz_badArgument);
    const grzBoxTreeEdit fine = {twice, 2, wrong, 1}; // the numbers of what was refused are not in use
    applyEdit(&model, tree, 0.75, &fine);
    checkTree(&model, plan, tree, 0.75);
    grzBoxTree_Destroy(tree);
    grzFlightplan_Destroy(plan);
    dropModel(&model);
    dropScene(&scene);
}

// An edit that makes the tree grow, and vertices that come: each request for memory refused once.
static void withoutMemoryNothingChanges(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(1, 0);
    Scene scene = makeScene(&rng, 9, noise);
    const grzBoxTreeEdit edit = {NULL, 0, scene.triangles, scene.triangleCount};
    SomeChange some;
    do
        drawChange(&scene, &rng, &some);
    while (some.change.count < 20);
    some.change.positions = some.positions;
    for (size_t failAt = 0, failures = 1; failures != 0; ++failAt) {
        TestMemory memory = {.failAt = SIZE_MAX};
        grzFlightplan* plan = planPaths(&scene);
        grzBoxTree* tree = makeTree(&scene, plan, scene.triangleCount, testAllocator(&memory));
        Model model = makeModel(&scene);
        uint32_t first = 0;
        memory.failAt = memory.requests + failAt;
        const grzResult added = grzBoxTree_AddVertices(tree, 0.125, &some.change, &first);
        const grzResult edited = grzBoxTree_Edit(tree, 0.25, &edit, &first);
        failures = !grzResult_IsOk(added) || !grzResult_IsOk(edited);
        if (grzResult_IsOk(added))
            assert_int_equal(grzFlightplan_VertexCount(plan), scene.vertexCount + some.change.count);
        else
            assert_int_equal(grzFlightplan_VertexCount(plan), scene.vertexCount);
        if (grzResult_IsOk(edited))
            editModel(&model, &edit);
        else
            assert_int_equal(edited.status, grz_outOfMemory);
        const double time = grzBoxTree_Time(tree);
        checkTree(&model, plan, tree, fmax(time, grzFlightplan_GetRange(plan).begin));
        memory.failAt = SIZE_MAX;
        ok(grzBoxTree_Edit(tree, 0.5, &edit, &first));
        editModel(&model, &edit);
        checkTree(&model, plan, tree, 0.5);
        grzBoxTree_Destroy(tree);
        assert_int_equal(memory.liveCount, 0);
        grzFlightplan_Destroy(plan);
        dropModel(&model);
        assert_true(failAt < 10);
    }
    dropScene(&scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trianglesComeAndGoOnKeyframes), cmocka_unit_test(trianglesVerticesAndPathsComeAndGo),
        cmocka_unit_test(allMayGoAndComeAgain),          cmocka_unit_test(insertionsInOnePlaceCostLittle),
        cmocka_unit_test(aTriangleGoesWhereItFits),      cmocka_unit_test(badEditsChangeNothing),
        cmocka_unit_test(withoutMemoryNothingChanges),   cmocka_unit_test(verticesThatCameBehindItsBackAreRefused),
    };
    return cmocka_run_group_tests_name("box_tree_edit", tests, NULL, NULL);
}
