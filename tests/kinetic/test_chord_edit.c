// Chord trees that follow edits of their hierarchy: at the edit, and at all times after it, they have the nodes of a tree that is made
// anew at that time, byte for byte, lazy or not, and with a looseness keep to it; a small edit refits few chunks; what is refused leaves the tree as it was.
#include "kinetic_testing.h"

#include <math.h>

#include "graze/bvh_edit.h"
#include "graze/chord_tree.h"

enum { MOST_TRIANGLES = 6000 };

typedef struct Sheet {
    Scene scene; // its vertices are those that there will be
    uint32_t vertexCount, triangleCount;
    grzBvh* bvh;
    grzFlightplan* plan;
    grzChordTree* tree;
    double time;
    float looseness;
    bool isLazy;
    uint32_t added[3 * MOST_TRIANGLES], removed[MOST_TRIANGLES];
} Sheet;

static grzChordTree* makeTree(const Sheet* sheet, bool isLazy, grzAllocator allocator) {
    grzChordTreeDef def = grzDefaultChordTreeDef();
    def.bvh = sheet->bvh, def.plan = sheet->plan, def.startTime = sheet->time, def.allocator = allocator;
    def.looseness = sheet->looseness, def.isLazy = isLazy;
    grzChordTree* tree;
    ok(grzChordTree_Create(&def, &tree));
    return tree;
}

static Sheet* makeLooseSheet(grzRng* rng, grzAllocator allocator, float looseness, bool isLazy) {
    Sheet* sheet = calloc(1, sizeof *sheet);
    assert_non_null(sheet);
    sheet->isLazy = isLazy;
    sheet->looseness = looseness;
    sheet->scene = makeScene(rng, 40, noise);
    sheet->vertexCount = 100;
    grzBvhDef def = grzDefaultBvhDef();
    def.positions = sheet->scene.frames[0], def.vertexCount = sheet->vertexCount;
    ok(grzBvh_Create(&def, &sheet->bvh));
    grzFlightplanDef planDef = grzDefaultFlightplanDef();
    planDef.vertexCount = sheet->vertexCount;
    ok(grzFlightplan_Create(&planDef, &sheet->plan));
    for (int f = 0; f < FRAMES; ++f)
        ok(grzFlightplan_AddKeyframe(sheet->plan, f, sheet->scene.frames[f], 0));
    sheet->tree = makeTree(sheet, isLazy, allocator);
    return sheet;
}

static const grzAllocator usual = {NULL, NULL, NULL};

static Sheet* makeSheet(grzRng* rng, bool isLazy) {
    return makeLooseSheet(rng, usual, INFINITY, isLazy);
}

static void dropSheet(Sheet* sheet) {
    grzChordTree_Destroy(sheet->tree);
    grzFlightplan_Destroy(sheet->plan);
    grzBvh_Destroy(sheet->bvh);
    dropScene(&sheet->scene);
    free(sheet);
}

static void editTo(Sheet* sheet, uint32_t count, grzRng* rng) {
    const uint32_t now = sheet->triangleCount, both = now < 2 || count < 2 ? 0 : 2;
    const uint32_t removed = both + (now > count ? now - count : 0), added = both + (count > now ? count - now : 0);
    const uint32_t vertices = sheet->vertexCount < 1500 ? grzRng_Below(rng, 3) : 0;
    uint32_t first;
    ok(grzFlightplan_AddFrameVertices(sheet->plan, vertices, NULL, &first));
    assert_int_equal(first, sheet->vertexCount);
    sheet->vertexCount += vertices;
    for (uint32_t i = 0; i < removed; ++i)
        sheet->removed[i] = i * (now / removed);
    for (uint32_t i = 0; i < 3 * added; ++i)
        sheet->added[i] = grzRng_Below(rng, sheet->vertexCount);
    const grzBvhEdit edit = {.newVertexCount = vertices,
                             .removed = sheet->removed,
                             .removedCount = removed,
                             .added = sheet->added,
                             .addedCount = added};
    ok(grzBvh_Edit(sheet->bvh, &edit));
    sheet->triangleCount = count;
}

// One by one, so that nothing is made that was not reached.
static void readAll(const Sheet* sheet, grzBvhNode* nodes) {
    const grzBvhView view = grzBvh_GetView(sheet->bvh);
    for (uint32_t level = 0; level < view.levelCount; ++level)
        for (uint32_t i = view.levelStarts[level]; i < view.levelStarts[level + 1]; ++i)
            grzChordTree_ReadNode(sheet->tree, level, i - view.levelStarts[level], &nodes[i]);
}

static void expectFresh(const Sheet* sheet) {
    const uint32_t nodeCount = grzBvh_GetView(sheet->bvh).nodeCount;
    grzBvhNode *found = calloc(nodeCount, sizeof *found), *expected = calloc(nodeCount, sizeof *found);
    assert_true(found != NULL && expected != NULL);
    grzChordTree* fresh = makeTree(sheet, false, usual);
    ok(grzChordTree_WriteBoxes(fresh, NULL, expected));
    if (sheet->isLazy)
        readAll(sheet, found);
    else
        ok(grzChordTree_WriteBoxes(sheet->tree, NULL, found));
    assert_memory_equal(found, expected, nodeCount * sizeof *found);
    grzChordTree_Destroy(fresh);
    free(found), free(expected);
}

static void goTo(Sheet* sheet, double time) {
    sheet->time = time;
    ok(grzChordTree_Advance(sheet->tree, NULL, time));
}

static void nodesAreThoseOfATreeMadeAnew(void** state) {
    static const uint32_t sizes[] = {0,    1,    5,    30,  32,  33, 255, 258, 2040, 2050,
                                     5000, 4900, 2047, 300, 290, 31, 0,   4,   0};
    grzRng rng = grzRng_Make(testSeed(931), 0);
    Sheet* sheet = makeSheet(&rng, *(const bool*)*state);
    for (int round = 0; round < 4; ++round)
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i) {
            const uint64_t some =
                grzRng_Below(&rng, 16) & ((UINT64_C(1) << (sheet->triangleCount + 255) / 256) - 1);
            ok(grzChordTree_Reach(sheet->tree, NULL, &some));
            editTo(sheet, sizes[i], &rng);
            ok(grzChordTree_Follow(sheet->tree, NULL));
            expectFresh(sheet);
            // Within an interval, to the next, or anywhere; the set ahead is half done when an edit comes.
            goTo(sheet, grzRng_Below(&rng, 4) == 0
                            ? 4 * (double)grzRng_Float(&rng)
                            : sheet->time + (4 - sheet->time) * 0.2 * (double)grzRng_Float(&rng));
            expectFresh(sheet);
        }
    dropSheet(sheet);
}

static void aSmallEditRefitsFewChunks(void** state) {
    grzRng rng = grzRng_Make(testSeed(932), 0);
    Sheet* sheet = makeSheet(&rng, *(const bool*)*state);
    editTo(sheet, 5000, &rng);
    ok(grzChordTree_Follow(sheet->tree, NULL));
    goTo(sheet, 1.5);
    for (int round = 0; round < 20; ++round) {
        const uint64_t before = grzChordTree_GetStats(sheet->tree).chunks;
        editTo(sheet, 5000, &rng);
        ok(grzChordTree_Follow(sheet->tree, NULL));
        const uint64_t chunks = grzChordTree_GetStats(sheet->tree).chunks - before;
        assert_true(chunks >= 2 && chunks <= 3 * 2);
        expectFresh(sheet);
    }
    for (double time = 1.5; time <= 4; time += 0.25) {
        goTo(sheet, time);
        expectFresh(sheet);
    }
    dropSheet(sheet);
}

// The earlier keyframes of the sets are gone; others are still to come.
static void droppedKeyframesAreNotReadAgain(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(933), 0);
    Sheet* sheet = makeSheet(&rng, false);
    editTo(sheet, 1000, &rng);
    ok(grzChordTree_Follow(sheet->tree, NULL));
    goTo(sheet, 2);
    goTo(sheet, 3.5); // the third set is still of keyframe 2
    grzFlightplan_DropKeyframes(sheet->plan, 3);
    for (int f = 0; f < 3; ++f)
        memset(sheet->scene.frames[f], 0xff, 3 * sizeof(float) * sheet->scene.vertexCount);
    editTo(sheet, 1000, &rng);
    ok(grzChordTree_Follow(sheet->tree, NULL));
    expectFresh(sheet);
    goTo(sheet, 3.75);
    expectFresh(sheet);
    grzFlightplan_DropKeyframes(sheet->plan, 4);
    editTo(sheet, 1000, &rng);
    assert_int_equal(grzChordTree_Follow(sheet->tree, NULL).status, grz_badArgument);
    dropSheet(sheet);
}

static void severalEditsOrARebuildAreAMakingAnew(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(934), 0);
    Sheet* sheet = makeSheet(&rng, false);
    editTo(sheet, 700, &rng);
    editTo(sheet, 701, &rng);
    assert_int_equal(grzChordTree_Advance(sheet->tree, NULL, 1).status, grz_badArgument);
    ok(grzChordTree_Follow(sheet->tree, NULL));
    ok(grzChordTree_Follow(sheet->tree, NULL)); // nothing
    expectFresh(sheet);
    grzBvhDef def = grzDefaultBvhDef();
    def.positions = sheet->scene.frames[0], def.vertexCount = sheet->vertexCount;
    def.triangles = sheet->added, def.triangleCount = 1;
    ok(grzBvh_Rebuild(sheet->bvh, &def));
    ok(grzChordTree_Follow(sheet->tree, NULL));
    expectFresh(sheet);
    dropSheet(sheet);
}

static void memoryMayBeRefusedAtAnyRequest(void** state) {
    const bool isLazy = *(const bool*)*state;
    grzRng rng = grzRng_Make(testSeed(935), 0);
    TestMemory memory = {.failAt = SIZE_MAX};
    Sheet* sheet = makeLooseSheet(&rng, testAllocator(&memory), 0.25F, isLazy);
    size_t refusals = 0;
    const uint32_t sizes[] = {300, 3000, 3000, 10};
    for (size_t i = 0; i < 4; ++i) {
        const grzBox box = grzChordTree_RootBox(sheet->tree);
        editTo(sheet, sizes[i], &rng);
        grzResult result;
        for (size_t k = 0;; ++k, ++refusals) {
            const size_t live = memory.liveCount;
            memory.failAt = memory.requests + k;
            result = grzChordTree_Follow(sheet->tree, NULL);
            memory.failAt = SIZE_MAX;
            if (grzResult_IsOk(result))
                break;
            assert_true(result.status == grz_outOfMemory && memory.liveCount == live);
            const grzBox after = grzChordTree_RootBox(sheet->tree);
            assert_true(box.lower.x == after.lower.x && box.upper.z == after.upper.z);
        }
        assert_true(grzChordTree_Validate(sheet->tree));
    }
    // Three sets, and three pieces for each of two parts, at each of three sizes; lazy, where there are several chunks, eight more,
    // and lists alone where the sizes stay.
    assert_int_equal(refusals, 9 * 3 + (isLazy ? 2 * 8 + 3 : 0));
    dropSheet(sheet);
    assert_int_equal(memory.liveCount, 0);
}

static void expectInBounds(const Sheet* sheet) {
    assert_true(grzChordTree_Validate(sheet->tree));
    const double rounding = 0x1p-12;
    assert_true(grzChordTree_Measure(sheet->tree).worst <= (double)sheet->looseness + rounding);
}

static void expectNodeInside(const grzBvhNode* node, const grzBvhNode* wider) {
    for (int axis = 0; axis < 3; ++axis)
        for (int lane = 0; lane < 8; ++lane)
            assert_true(wider->lower[axis][lane] <= node->lower[axis][lane] &&
                        node->upper[axis][lane] <= wider->upper[axis][lane]);
}

// Not even where a lazy tree would.
static void expectNothingMade(const Sheet* sheet) {
    grzBvhNode* nodes = calloc(10000, sizeof *nodes);
    assert_non_null(nodes);
    const uint64_t chunks = grzChordTree_GetStats(sheet->tree).chunks;
    ok(grzChordTree_WriteBoxes(sheet->tree, NULL, nodes));
    assert_int_equal(grzChordTree_GetStats(sheet->tree).chunks, chunks);
    free(nodes);
}

// In place and made anew, cut and looked at; between an edit and following it boxes are those of chords, and reading touches
// nothing that the edit moved.
static void loosenessIsHeldAfterEveryEdit(void** state) {
    static const uint32_t sizes[] = {5000, 5000, 5002, 4998, 300, 2, 0, 3, 2050, 2050, 2049, 2060};
    grzRng rng = grzRng_Make(testSeed(937), 0);
    const uint64_t all[1 + MOST_TRIANGLES / 256 / 64] = {UINT64_C(1)};
    Sheet* sheet = makeLooseSheet(&rng, usual, 0.25F, *(const bool*)*state);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i) {
        const grzBvhView view = grzBvh_GetView(sheet->bvh); // only its counts are used
        grzBvhNode before, after;
        grzChordTree_ReadNode(sheet->tree, view.levelCount - 1, 0, &before);
        editTo(sheet, sizes[i], &rng);
        grzChordTree_ReadNode(sheet->tree, view.levelCount - 1, 0, &after);
        expectNodeInside(&before, &after);
        expectNothingMade(sheet);
        assert_true(isinf(grzChordTree_Measure(sheet->tree).worst) && !grzChordTree_Validate(sheet->tree));
        assert_int_equal(grzChordTree_Reach(sheet->tree, NULL, all).status, grz_badArgument);
        ok(grzChordTree_Follow(sheet->tree, NULL));
        expectInBounds(sheet);
        if (sheet->triangleCount != 0)
            ok(grzChordTree_Reach(sheet->tree, NULL, all));
        expectInBounds(sheet);
        for (int k = 0; k < 4; ++k) {
            goTo(sheet, sheet->time + (4 - sheet->time) * 0.1 * (double)grzRng_Float(&rng));
            expectInBounds(sheet);
        }
        if (sheet->time > 3)
            goTo(sheet, 0.1);
    }
    dropSheet(sheet);
}

static void aPlanWithoutTheNewVerticesIsRefused(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(936), 0);
    Sheet* sheet = makeSheet(&rng, false);
    const grzBvhEdit edit = {.newVertexCount = 1};
    ok(grzBvh_Edit(sheet->bvh, &edit));
    assert_int_equal(grzChordTree_Follow(sheet->tree, NULL).status, grz_badArgument);
    uint32_t first;
    ok(grzFlightplan_AddFrameVertices(sheet->plan, 1, NULL, &first));
    ok(grzChordTree_Follow(sheet->tree, NULL));
    dropSheet(sheet);
}

int main(void) {
    static bool eager = false, lazy = true;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(nodesAreThoseOfATreeMadeAnew, &eager),
        cmocka_unit_test_prestate(nodesAreThoseOfATreeMadeAnew, &lazy),
        cmocka_unit_test_prestate(aSmallEditRefitsFewChunks, &eager),
        cmocka_unit_test_prestate(aSmallEditRefitsFewChunks, &lazy),
        cmocka_unit_test(droppedKeyframesAreNotReadAgain),
        cmocka_unit_test(severalEditsOrARebuildAreAMakingAnew),
        cmocka_unit_test_prestate(memoryMayBeRefusedAtAnyRequest, &eager),
        cmocka_unit_test_prestate(memoryMayBeRefusedAtAnyRequest, &lazy),
        cmocka_unit_test(aPlanWithoutTheNewVerticesIsRefused),
        cmocka_unit_test_prestate(loosenessIsHeldAfterEveryEdit, &eager),
        cmocka_unit_test_prestate(loosenessIsHeldAfterEveryEdit, &lazy),
    };
    return cmocka_run_group_tests_name("chord_edit", tests, NULL, NULL);
}
