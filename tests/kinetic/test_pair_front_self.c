// Pair fronts of one mesh with itself: after every event and at random times the list is what a search from scratch in rational numbers
// comes to, each unordered pair once, and the view has the pairs of leaves of brute force; events worked out by hand; what cannot
// meet itself is left out, and no two triangles that meet are; changes, edits, refused memory, workers and levels.
#include "front_testing.h"

#include <math.h>

#include "graze/bvh_edit.h"
#include "graze/tri_tri.h"

// ---- by hand ----

// Two leaves of four triangles: one about y = 0, one that falls from y = 41 to 42 at a speed of 8. They touch at t = 5, when it is at 1,
// and are apart again after t = 5.25, when its upper side passes 0.
enum { TWELVE = 12 };
static const float places[3 * TWELVE] = {0, 0,  0, 4, 1,  0, 2, 0,  0, 1, 1,  0, 3, 0,  0, 2, 1,  0,
                                         0, 41, 0, 4, 42, 0, 2, 41, 0, 1, 42, 0, 3, 41, 0, 2, 42, 0};
static const uint32_t corners[24] = {0, 1, 2, 0, 1, 3, 0, 1, 4, 0, 1, 5, 6, 7, 8, 6, 7, 9, 6, 7, 10, 6, 7, 11};

static Duel makeTwoLeaves(void) {
    Duel duel = {.movers = {takeMover(TWELVE, 8)}, .isSelf = true};
    Mover* mover = &duel.movers[0];
    memcpy(mover->triangles, corners, sizeof corners);
    for (int i = 0; i < 3 * TWELVE; ++i) {
        const float speed = i % 3 == 1 && i >= 18 ? -8 : 0;
        mover->velocities[i] = speed;
        for (int f = 0; f < KEYFRAMES; ++f)
            mover->frames[f][i] = places[i] + 4 * speed * (float)f;
    }
    return duel;
}

static void expectTwoLeaves(const Duel* duel, size_t pairs, uint64_t overlaps, uint64_t leavesEnd) {
    const grzPairFrontView view = grzPairFront_GetView(duel->front);
    const grzPairFrontStats stats = grzPairFront_GetStats(duel->front);
    assert_int_equal(view.pairCount, pairs);
    assert_true(view.pairs[0].leafA == 0 && view.pairs[0].leafB == 0); // each leaf with itself, always
    assert_true(view.pairs[pairs - 1].leafA == 1 && view.pairs[pairs - 1].leafB == 1);
    assert_true(pairs == 2 || (view.pairs[1].leafA == 0 && view.pairs[1].leafB == 1));
    assert_int_equal(stats.overlaps, overlaps);
    assert_int_equal(stats.leavesEnd, leavesEnd);
    assert_int_equal(stats.leavesApart + stats.leavesOverlapping, 3);
    assert_int_equal(stats.openPairs, 3); // the root with itself, and each leaf with the root
    assert_true(stats.innerPairs == 0 && stats.fathersEnd == 0 && stats.changes == 0);
}

static void twoLeavesOfAMeshPass(void** state) {
    (void)state;
    for (int isPaths = 0; isPaths < 2; ++isPaths) {
        const double tick = isPaths != 0 ? 0x1p-20 : 0x1p-22; // of 4 seconds from keyframe to keyframe
        Duel duel = makeTwoLeaves();
        if (isPaths != 0)
            followPaths(&duel.movers[0], 0, false, -20, NULL);
        else
            followFrames(&duel.movers[0], 0, 4, NULL);
        meet(&duel);
        expectTwoLeaves(&duel, 2, 0, 0);
        assert_true(isPaths == 0 || grzPairFront_Horizon(duel.front) == nextafter(5, 0));
        goTo(&duel, 4.5);
        assert_true(grzPairFront_Horizon(duel.front) == nextafter(5, 0));
        goTo(&duel, nextafter(5, 0));
        expectTwoLeaves(&duel, 2, 0, 0);
        goTo(&duel, 5);
        expectTwoLeaves(&duel, 3, 1, 0);
        assert_true(grzPairFront_Horizon(duel.front) == nextafter(5.25 + tick, 0));
        goTo(&duel, 5.25);
        expectTwoLeaves(&duel, 3, 1, 0);
        goTo(&duel, 5.25 + tick);
        expectTwoLeaves(&duel, 2, 1, 1);
        goTo(&duel, 12);
        expectTwoLeaves(&duel, 2, 1, 1);
        dropDuel(&duel);
    }
}

// ---- all kinds of motion ----

static void hardNumbersOfAllSizes(void** state) {
    (void)state;
    static const uint32_t sizes[] = {0, 1, 4, 5, 33, 40, 100};
    grzRng rng = grzRng_Make(testSeed(941), 0);
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; ++s)
        for (uint32_t flavour = 0; flavour < HARD_FLAVOURS; ++flavour) {
            Duel duel = {.movers = {makeMover(&rng, sizes[s], flavour)}, .isSelf = true};
            for (Kind kind = kind_frames; kind < kind_ticks; ++kind) {
                duel.cullsSelf = kind == kind_frames && flavour % 2 == 0;
                follow(&duel, kind);
                goOn(&duel, &rng, kind == kind_frames ? KEYFRAMES - 1 : 1.5, (int)testSize(12, 4));
                unfollow(&duel);
            }
            dropDuel(&duel);
        }
}

static void everyEventLeavesAValidList(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(942), 0);
    grzPairFrontStats all = {0};
    for (Kind kind = kind_frames; kind < kind_ticks; ++kind) {
        Duel duel = makeSpreadSelf(&rng, 260);
        follow(&duel, kind);
        for (size_t k = 0; k < testSize(300, 150); ++k) {
            const double event = nextFrontEvent(duel.front);
            goTo(&duel, isfinite(event) ? event : fmin(floor(grzPairFront_Time(duel.front)) + 1, KEYFRAMES - 1));
        }
        const grzPairFrontStats stats = grzPairFront_GetStats(duel.front);
        all.overlaps += stats.overlaps, all.fathersEnd += stats.fathersEnd, all.leavesEnd += stats.leavesEnd;
        all.changes += stats.changes;
        dropDuel(&duel);
    }
    assert_true(all.overlaps > 20 && all.fathersEnd > 0 && all.leavesEnd > 0 && all.changes > 5);
}

// Parts, each with itself and with those after it.
static void meshesOfSeveralParts(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(943), 0);
    Duel duel = makeSpreadSelf(&rng, 5000);
    for (Kind kind = kind_frames; kind < kind_ticks; ++kind) {
        follow(&duel, kind);
        assert_int_equal(duel.movers[0].tree->partCount, 3);
        assert_int_equal(duel.front->used.count, 5); // those beside each other, too
        goOn(&duel, &rng, kind == kind_frames ? KEYFRAMES - 1 : 1.5, (int)testSize(5, 1));
        unfollow(&duel);
    }
    dropDuel(&duel);
}

// ---- sheets, parts of which cannot meet themselves ----

// From flat to rolled up, at keyframes: numbers with few bits, so that places at 64ths of an interval have no rounding.
static float coarse(float x) {
    return roundf(256 * x) / 256;
}

static void rollUp(grzRng* rng, Mover* mover, uint32_t squares) {
    static const float bends[KEYFRAMES] = {0, 1, 8, 3};
    for (int f = 0; f < KEYFRAMES; ++f)
        for (uint32_t v = 0; v < mover->vertexCount; ++v) {
            const float x = (float)(v % (squares + 1)) / (float)squares, y = (float)(v / (squares + 1));
            const float radius = 8 + 0.3F * grzRng_Float(rng), angle = bends[f] * x;
            float* p = mover->frames[f] + 3 * (size_t)v;
            p[0] = coarse(bends[f] == 0 ? 8 * x : radius * sinf(angle));
            p[1] = coarse(16 * y / (float)squares);
            p[2] = coarse(bends[f] == 0 ? 0 : radius * cosf(angle));
        }
}

static Duel makeRollingSheet(grzRng* rng, uint32_t squares) {
    Duel duel = {.movers = {makeSheetMover(squares)}, .isSelf = true, .cullsSelf = true};
    rollUp(rng, &duel.movers[0], squares);
    return duel;
}

static bool hasPair(grzPairFrontView view, uint32_t a, uint32_t b) {
    size_t low = 0, high = view.pairCount;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        const grzLeafPair* pair = &view.pairs[middle];
        if (pair->leafA < a || (pair->leafA == a && pair->leafB < b))
            low = middle + 1;
        else
            high = middle;
    }
    return low < view.pairCount && view.pairs[low].leafA == a && view.pairs[low].leafB == b;
}

static bool shareVertex(const uint32_t* a, const uint32_t* b) {
    for (int i = 0; i < 9; ++i)
        if (a[i / 3] == b[i % 3])
            return true;
    return false;
}

// Two triangles that meet, without a vertex in common, are in a pair of leaves. Returns how many there are.
static size_t expectMeetingTriangles(const Duel* duel, double time) {
    const Mover* mover = &duel->movers[0];
    const grzBvhView bvh = grzBvh_GetView(mover->bvh);
    const grzPairFrontView view = grzPairFront_GetView(duel->front);
    float* positions = takeNumbers(3 * (size_t)mover->vertexCount);
    size_t count = 0;
    ok(grzFlightplan_Evaluate(mover->plan, NULL, time, positions, 0));
    for (uint32_t i = 0; i < mover->triangleCount; ++i)
        for (uint32_t j = i + 1; j < mover->triangleCount; ++j) {
            const uint32_t* both[2] = {mover->triangles + 3 * (size_t)bvh.triangleToCaller[i],
                                       mover->triangles + 3 * (size_t)bvh.triangleToCaller[j]};
            grzVec3 points[2][3];
            for (int k = 0; k < 6; ++k)
                points[k / 3][k % 3] = grzVec3_Load(positions + 3 * (size_t)both[k / 3][k % 3]);
            if (shareVertex(both[0], both[1]) || grzTriTri_Classify(points[0], points[1]) == grz_triNone)
                continue;
            assert_true(hasPair(view, i / 4, j / 4));
            ++count;
        }
    free(positions);
    return count;
}

// A sheet that rolls up through itself: nothing that meets is left out, much that cannot is.
static void noTrianglesThatMeetAreLeftOut(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(944), 0);
    Duel duel = makeRollingSheet(&rng, 20);
    const double leaves = 2 * 20 * 20 / 4;
    double least = leaves, most = 0;
    size_t met = 0;
    follow(&duel, kind_frames);
    for (int k = 0; k <= 3 * 64; k += 3) {
        goTo(&duel, k / 64.0);
        met += expectMeetingTriangles(&duel, k / 64.0);
        const double share = (double)grzPairFront_GetStats(duel.front).freeLeaves;
        least = fmin(least, share), most = fmax(most, share);
    }
    assert_true(met > 1000);
    assert_true(most > 0.5 * leaves && least < 0.5 * leaves && most <= leaves);
    goOn(&duel, &rng, KEYFRAMES - 1, 0);
    dropDuel(&duel);
}

// Flat, it is free as a whole, and no leaf makes a pair; then it is not, and then it is again.
static void whatIsFreeIsSoForAnInterval(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(945), 0);
    Duel duel = makeRollingSheet(&rng, 12);
    Mover* mover = &duel.movers[0];
    memcpy(mover->frames[3], mover->frames[0], 3 * (size_t)mover->vertexCount * sizeof(float));
    memcpy(mover->frames[1], mover->frames[0], 3 * (size_t)mover->vertexCount * sizeof(float));
    follow(&duel, kind_frames);
    for (int f = 0; f < KEYFRAMES; ++f)
        ok(grzFlightplan_AddKeyframe(mover->plan, KEYFRAMES + f, mover->frames[0], 0));
    static const double times[] = {0, 0.5, 1, 1.25, 2, 2.5, 3, 3.5, 6};
    static const bool isFree[] = {true, true, true, false, false, false, false, true, true};
    for (size_t i = 0; i < sizeof times / sizeof times[0]; ++i) {
        goTo(&duel, times[i]);
        const grzPairFrontStats stats = grzPairFront_GetStats(duel.front);
        assert_true((stats.freeLeaves == mover->tree->boxCounts[0]) == isFree[i]);
        assert_true((stats.freePairs == 1 && stats.leavesOverlapping == 0 && stats.openPairs == 0) == isFree[i]);
    }
    goOn(&duel, &rng, 2 * KEYFRAMES - 1, 12);
    dropDuel(&duel);
}

// The pairs of an interval's end are those of a search of boxes with a cull of the interval.
static void frontsAndSearchesAgree(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(946), 0);
    Duel duel = makeRollingSheet(&rng, 70);
    follow(&duel, kind_frames);
    const Mover* mover = &duel.movers[0];
    grzBvhNode* nodes = calloc(grzBvh_GetView(mover->bvh).nodeCount, sizeof *nodes);
    assert_non_null(nodes);
    grzSelfCullDef cullDef = grzDefaultSelfCullDef();
    cullDef.bvh = mover->bvh;
    grzSelfCull* cull;
    ok(grzSelfCull_Create(&cullDef, &cull));
    grzBoxPairsDef def = grzDefaultBoxPairsDef();
    grzBoxPairs* pairs;
    ok(grzBoxPairs_Create(&def, &pairs));
    for (int f = 1; f < KEYFRAMES; ++f) {
        grzBvhRefit refit = grzDefaultBvhRefit();
        refit.positions = mover->frames[f], refit.numbering = grz_bvhCallersNumbers;
        ok(grzBvh_Refit(mover->bvh, NULL, &refit, nodes));
        ok(grzSelfCull_Update(cull, NULL, mover->frames[f - 1], mover->frames[f]));
        grzBoxPairsQuery query = grzDefaultBoxPairsQuery();
        query.a = (grzBoxSet){mover->bvh, nodes}, query.cull = cull;
        ok(grzBoxPairs_Find(pairs, NULL, &query));
        goTo(&duel, f);
        const grzBoxPairsView expected = grzBoxPairs_GetView(pairs);
        const grzPairFrontView found = grzPairFront_GetView(duel.front);
        assert_true(expected.count > 100);
        assert_int_equal(found.pairCount, expected.count);
        assert_memory_equal(found.pairs, expected.pairs, expected.count * sizeof *expected.pairs);
    }
    grzBoxPairs_Destroy(pairs);
    grzSelfCull_Destroy(cull);
    free(nodes);
    dropDuel(&duel);
}

// Keyframes with room between vertices.
static void stridesAreRead(void** state) {
    (void)state;
    enum { STRIDE = 5 };
    grzRng rng = grzRng_Make(testSeed(947), 0);
    Duel duel = makeRollingSheet(&rng, 12);
    Mover* mover = &duel.movers[0];
    float* wide[KEYFRAMES];
    follow(&duel, kind_frames);
    for (int f = 0; f < KEYFRAMES; ++f) {
        wide[f] = takeNumbers(STRIDE * (size_t)mover->vertexCount);
        for (uint32_t i = 0; i < 3 * mover->vertexCount; ++i)
            wide[f][STRIDE * (i / 3) + i % 3] = mover->frames[f][i];
        ok(grzFlightplan_AddKeyframe(mover->plan, KEYFRAMES + f, wide[f], STRIDE * sizeof(float)));
    }
    uint64_t freeLeaves = 0;
    for (int k = 0; k <= 8 * KEYFRAMES - 8; ++k) {
        goTo(&duel, KEYFRAMES + k / 8.0);
        freeLeaves += grzPairFront_GetStats(duel.front).freeLeaves;
    }
    assert_true(freeLeaves > 0);
    dropDuel(&duel);
    for (int f = 0; f < KEYFRAMES; ++f)
        free(wide[f]);
}

// ---- one motion, looked at often or seldom ----

static void eventsDoNotDependOnFrames(void** state) {
    (void)state;
    static const int frames[] = {1, 3, 10, 100};
    grzRng rng = grzRng_Make(testSeed(948), 0);
    Duel duels[2] = {makeSpreadSelf(&rng, (uint32_t)testSize(3000, 1000)),
                     makeRollingSheet(&rng, (uint32_t)testSize(40, 20))};
    for (uint32_t i = 0; i < 3 * duels[0].movers[0].vertexCount; ++i)
        duels[0].movers[0].velocities[i] *= i % 3 == 0 ? 400 : 4;
    for (int d = 0; d < 2; ++d)
        for (Kind kind = kind_frames; kind < (d == 0 ? kind_ticks : kind_straight); ++kind) {
            grzPairFrontStats first = {0};
            for (size_t l = 0; l < testSize(sizeof frames / sizeof frames[0], 3); ++l) {
                follow(&duels[d], kind);
                for (int k = 1; k <= 3 * frames[l]; ++k)
                    ok(grzPairFront_Advance(duels[d].front, NULL, (double)k / frames[l]));
                const grzPairFrontStats stats = grzPairFront_GetStats(duels[d].front);
                if (l == 0)
                    first = stats;
                assert_memory_equal(&first, &stats, sizeof stats);
                unfollow(&duels[d]);
            }
            assert_true(first.overlaps > 100 && first.changes > 10 && first.rebuilds == 0);
        }
    dropDuel(&duels[0]);
    dropDuel(&duels[1]);
}

// ---- changes ----

static void changedPathsAreFollowed(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(949), 0);
    Duel duel = makeSpreadSelf(&rng, 300);
    follow(&duel, kind_bent);
    for (size_t k = 0; k < testSize(40, 15); ++k) {
        const double event = fmin(nextFrontEvent(duel.front), grzPairFront_Time(duel.front) + 1);
        const Scene scene = {.vertexCount = duel.movers[0].vertexCount};
        SomeChange some;
        drawChange(&scene, &rng, &some);
        goTo(&duel, event);
        ok(grzKineticTree_Change(duel.movers[0].tree, NULL, event, &some.change));
        assert_int_equal(grzPairFront_Advance(duel.front, NULL, event + 1).status, grz_badArgument);
        ok(grzPairFront_Follow(duel.front, NULL));
        assert_true(frontHolds(duel.front, event));
    }
    assert_int_equal(grzPairFront_GetStats(duel.front).rebuilds, 0);
    dropDuel(&duel);
}

static void editsAreFollowed(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(950), 0);
    for (int isSheet = 0; isSheet < 2; ++isSheet)
        for (Kind kind = kind_frames; kind < (isSheet != 0 ? kind_straight : kind_ticks); ++kind) {
            Duel duel = isSheet != 0 ? makeRollingSheet(&rng, 13) : makeSpreadSelf(&rng, 300);
            Mover* mover = &duel.movers[0];
            follow(&duel, kind);
            for (int k = 0; k < 8; ++k) {
                const double time = 0.3 * (k + 1);
                uint32_t removed[3] = {5, 70, 33}, added[300];
                for (size_t i = 0; i < 300; ++i)
                    added[i] = grzRng_Below(&rng, mover->vertexCount);
                const grzBvhEdit edit = {
                    .removed = removed, .removedCount = 3, .added = added, .addedCount = k == 3 ? 100 : 2};
                goTo(&duel, time);
                ok(grzBvh_Edit(mover->bvh, &edit));
                assert_int_equal(grzPairFront_Follow(duel.front, NULL).status, grz_badArgument);
                ok(grzKineticTree_Follow(mover->tree, NULL));
                assert_int_equal(grzPairFront_Advance(duel.front, NULL, time + 0.1).status, grz_badArgument);
                ok(grzPairFront_Follow(duel.front, NULL));
                assert_true(frontHolds(duel.front, time));
                goTo(&duel, time + 0.1);
            }
            assert_int_equal(grzPairFront_GetStats(duel.front).rebuilds, 8);
            dropDuel(&duel);
        }
}

// ---- sameness, refusals ----

static void workersAndLevelsGiveTheSameBytes(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(951), 0);
    Duel duel = makeSpreadSelf(&rng, (uint32_t)testSize(7000, 1500));
    Duel sheet = makeRollingSheet(&rng, (uint32_t)testSize(60, 25));
    for (Kind kind = kind_frames; kind < kind_ticks; ++kind)
        expectSameLives(&duel, kind);
    expectSameLives(&sheet, kind_frames);
    dropDuel(&duel);
    dropDuel(&sheet);
}

static void refusedMemoryIsMadeUpFor(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(952), 0);
    Duel duel = makeSpreadSelf(&rng, 3000), sheet = makeRollingSheet(&rng, 35);
    int refused = 0;
    for (Kind kind = kind_frames; kind < kind_ticks; ++kind)
        refused += expectRefusedMemoryMadeUp(&duel, kind, 20);
    assert_true(refused != 0);
    assert_true(expectRefusedMemoryMadeUp(&sheet, kind_frames, 40) != 0);
    dropDuel(&duel);
    dropDuel(&sheet);
}

static void warmFrontsAllocateNothing(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(953), 0);
    Duel duel = makeRollingSheet(&rng, 40);
    expectWarmAllocatesNothing(&duel);
    dropDuel(&duel);
}

static void badDefsAreRefused(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(954), 0);
    Duel duel = makeSpreadSelf(&rng, 100);
    grzPairFront* front;
    followPaths(&duel.movers[0], 0, false, -20, NULL);
    grzPairFrontDef def = grzDefaultPairFrontDef();
    def.treeA = def.treeB = duel.movers[0].tree, def.cullsSelf = true; // on paths nothing is known to be free
    const grzResult result = grzPairFront_Create(&def, &front);
    assert_true(result.status == grz_badArgument && result.value == 1 && front == NULL);
    def.cullsSelf = false;
    ok(grzPairFront_Create(&def, &front)); // treeA again is as none
    meet(&duel);
    const grzPairFrontView a = grzPairFront_GetView(front), b = grzPairFront_GetView(duel.front);
    assert_int_equal(a.pairCount, b.pairCount);
    assert_memory_equal(a.pairs, b.pairs, a.pairCount * sizeof *a.pairs);
    grzPairFront_Destroy(front);
    dropDuel(&duel);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(twoLeavesOfAMeshPass),
        cmocka_unit_test(hardNumbersOfAllSizes),
        cmocka_unit_test(everyEventLeavesAValidList),
        cmocka_unit_test(meshesOfSeveralParts),
        cmocka_unit_test(noTrianglesThatMeetAreLeftOut),
        cmocka_unit_test(whatIsFreeIsSoForAnInterval),
        cmocka_unit_test(frontsAndSearchesAgree),
        cmocka_unit_test(stridesAreRead),
        cmocka_unit_test(eventsDoNotDependOnFrames),
        cmocka_unit_test(changedPathsAreFollowed),
        cmocka_unit_test(editsAreFollowed),
        cmocka_unit_test(workersAndLevelsGiveTheSameBytes),
        cmocka_unit_test(refusedMemoryIsMadeUpFor),
        cmocka_unit_test(warmFrontsAllocateNothing),
        cmocka_unit_test(badDefsAreRefused),
    };
    return cmocka_run_group_tests_name("pair_front_self", tests, NULL, NULL);
}
