// The checks of searches for pairs catch a list that is not what was found: another leaf or triangle, other times, another order, a bit
// too many. Each change is undone, and the list stands again.
#include "kinetic_testing.h"

#include <math.h>

#include "graze/stage/pair_fronts.h"

enum { SIDE = 16, CHANGES = 6 };

// Changes pair `at` of a list in one of several ways.
static void spoil(grzLeafPair* pairs, size_t at, int how) {
    const grzLeafPair pair = pairs[at];
    switch (how) {
    case 0:
        pairs[at].leafB = UINT32_MAX;
        break;
    case 1:
        pairs[at].t0 = NAN;
        break;
    case 2:
        pairs[at].t1 = 2;
        break;
    case 3:
        pairs[at].t0 = -0.5F;
        break;
    case 4:
        pairs[at] = pairs[at + 1], pairs[at + 1] = pair;
        break;
    default:
        pairs[at + 1] = pair;
    }
}

typedef bool CheckFn(const void* searched, const void* query);

static void expectCaught(const grzLeafPair* view, size_t count, CheckFn* check, const void* searched,
                         const void* query) {
    grzLeafPair* pairs = (grzLeafPair*)(uintptr_t)view;
    assert_true(count > 20);
    for (int how = 0; how < CHANGES; ++how) {
        const size_t at = count / 2;
        const grzLeafPair before[2] = {pairs[at], pairs[at + 1]};
        spoil(pairs, at, how);
        assert_false(check(searched, query));
        pairs[at] = before[0], pairs[at + 1] = before[1];
        assert_true(check(searched, query));
    }
}

static bool checkBoxes(const void* searched, const void* query) {
    return grzBoxPairs_Validate(searched, query);
}

static bool checkChords(const void* searched, const void* query) {
    (void)query;
    return grzChordPairs_Validate(searched);
}

static bool checkFront(const void* searched, const void* query) {
    (void)query;
    return grzPairFront_Validate(searched);
}

static void boxPairsAreChecked(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(971), 0);
    Scene scene = makeScene(&rng, SIDE, noise);
    TreeBoxes boxes = takeTreeBoxes(&scene, scene.vertexCount);
    grzBvhRefit refit = grzDefaultBvhRefit();
    refit.positions = scene.frames[0], refit.numbering = grz_bvhCallersNumbers;
    ok(grzBvh_Refit(scene.bvh, NULL, &refit, boxes.found));
    const grzBoxPairsDef def = grzDefaultBoxPairsDef();
    grzBoxPairs* pairs;
    ok(grzBoxPairs_Create(&def, &pairs));
    grzBoxPairsQuery query = grzDefaultBoxPairsQuery();
    query.a = (grzBoxSet){scene.bvh, boxes.found};
    ok(grzBoxPairs_Find(pairs, NULL, &query));
    const grzBoxPairsView view = grzBoxPairs_GetView(pairs);
    expectCaught(view.pairs, view.count, checkBoxes, pairs, &query);
    grzBoxPairs_Destroy(pairs);
    dropTreeBoxes(&boxes);
    dropScene(&scene);
}

static void chordPairsAreChecked(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(972), 0);
    Scene scene = makeScene(&rng, SIDE, noise);
    grzFlightplan* plan = planFrames(&scene, FRAMES);
    grzChordTreeDef treeDef = grzDefaultChordTreeDef();
    treeDef.bvh = scene.bvh, treeDef.plan = plan, treeDef.numbering = grz_bvhCallersNumbers;
    grzChordTree* tree;
    ok(grzChordTree_Create(&treeDef, &tree));
    ok(grzChordTree_Advance(tree, NULL, 0.5));
    grzChordPairsDef def = grzDefaultChordPairsDef();
    def.treeA = def.treeB = tree;
    grzChordPairs* pairs;
    ok(grzChordPairs_Create(&def, &pairs));
    const grzChordPairsView view = grzChordPairs_GetView(pairs);
    expectCaught(view.pairs, view.count, checkChords, pairs, NULL);
    uint64_t* active = (uint64_t*)(uintptr_t)view.active;
    assert_int_not_equal(view.count % 64, 0);
    const size_t places[2] = {view.count - 1, 64 * view.wordCount - 1}; // the last, and one behind it
    for (int k = 0; k < 2; ++k) {
        active[places[k] / 64] ^= UINT64_C(1) << places[k] % 64;
        assert_false(grzChordPairs_Validate(pairs));
        active[places[k] / 64] ^= UINT64_C(1) << places[k] % 64;
        assert_true(grzChordPairs_Validate(pairs));
    }
    grzChordPairs_Destroy(pairs);
    grzChordTree_Destroy(tree);
    grzFlightplan_Destroy(plan);
    dropScene(&scene);
}

// Also a leaf beside the right one, which overlaps or does not.
static void viewsOfFrontsAreChecked(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(973), 0);
    Scene scene = makeScene(&rng, SIDE, noise);
    grzFlightplan* plan = planFrames(&scene, FRAMES);
    grzPairFrontDef def = grzDefaultPairFrontDef();
    def.treeA = makeKineticTree(&scene, plan, grz_kineticOrdered, 0);
    grzPairFront* front;
    ok(grzPairFront_Create(&def, &front));
    ok(grzPairFront_Advance(front, NULL, 1.3));
    const grzPairFrontView view = grzPairFront_GetView(front);
    expectCaught(view.pairs, view.pairCount, checkFront, front, NULL);
    grzLeafPair* pairs = (grzLeafPair*)(uintptr_t)view.pairs;
    for (size_t i = 0; i < view.pairCount; ++i) {
        const grzLeafPair before = pairs[i];
        pairs[i].leafB += 1;
        assert_false(grzPairFront_Validate(front));
        pairs[i] = before;
    }
    assert_true(grzPairFront_Validate(front));
    grzPairFront_Destroy(front);
    grzKineticTree_Destroy(def.treeA);
    grzFlightplan_Destroy(plan);
    dropScene(&scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxPairsAreChecked),
        cmocka_unit_test(chordPairsAreChecked),
        cmocka_unit_test(viewsOfFrontsAreChecked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
