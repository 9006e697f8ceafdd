// Pair fronts: after every event and at random times the list is what a search from scratch in rational numbers comes to, and the view
// has the pairs of leaves of brute force; events worked out by hand; keyframes and paths, straight and bent, with one grid and with
// two; hard numbers; changes of paths, edits, late keyframes; memory that is refused; the same bytes for any workers and SIMD level.
#include "front_testing.h"

#include <math.h>

#include "graze/bvh_edit.h"

// ---- by hand ----

// One triangle each, from x = 0 to 1 of A and from x = 4 to 5 of B, which comes with speed -1 and goes on for ever: they
// touch at t = 3 and are apart again after t = 5. In y B is at the height of A until t = 4: then it is above it.
static void twoTrianglesPass(void** state) {
    (void)state;
    static const float a[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0}, b[9] = {4, 0, 0, 5, 0, 0, 4, 1, 0};
    static const float speeds[2][3] = {{-1, 0, 0}, {-1, 0.25F, 0}};
    static const double ends[2] = {5, 4}; // until then they overlap, and touch at last
    for (int k = 0; k < 2; ++k) {
        grzRng rng = grzRng_Make(1, 0);
        Duel duel = {.movers = {makeMover(&rng, 1, hard_usual), makeMover(&rng, 1, hard_usual)}};
        for (uint32_t i = 0; i < 9; ++i) {
            duel.movers[0].frames[0][i] = a[i], duel.movers[1].frames[0][i] = b[i];
            duel.movers[0].velocities[i] = 0, duel.movers[1].velocities[i] = speeds[k][i % 3];
        }
        for (int m = 0; m < 2; ++m) {
            for (uint32_t i = 0; i < 3; ++i)
                duel.movers[m].triangles[i] = i;
            followPaths(&duel.movers[m], 0, false, -20, NULL);
        }
        meet(&duel);
        assert_int_equal(grzPairFront_GetView(duel.front).pairCount, 0);
        assert_true(grzPairFront_Horizon(duel.front) == nextafter(3, 0));
        goTo(&duel, nextafter(3, 0));
        assert_int_equal(grzPairFront_GetStats(duel.front).overlaps, 0);
        goTo(&duel, 3); // touching is overlapping
        assert_int_equal(grzPairFront_GetView(duel.front).pairCount, 1);
        assert_true(grzPairFront_Horizon(duel.front) == nextafter(ends[k] + 0x1p-20, 0));
        goTo(&duel, ends[k]);
        assert_int_equal(grzPairFront_GetView(duel.front).pairCount, 1);
        goTo(&duel, ends[k] + 0x1p-20);
        assert_int_equal(grzPairFront_GetView(duel.front).pairCount, 0);
        goTo(&duel, 100);
        // The pair of roots is a pair of boxes above leaves: both begin, and both end.
        const grzPairFrontStats stats = grzPairFront_GetStats(duel.front);
        assert_int_equal(stats.leavesEnd, 1);
        assert_int_equal(stats.overlaps, stats.fathersEnd + 1);
        assert_int_equal(stats.changes, 0);
        assert_int_equal(stats.innerPairs, 1);
        dropDuel(&duel);
    }
}

// A triangle at rest from x = 0 to 1, and one that comes. The lower side of the latter is at 6 - t/2, of its first vertex, until t = 2; then at
// 8 - 3t/2, of its second. By the first they touch at t = 10, by the second at t = 14/3. In y and z they overlap all the time.
static void aSideChangesHands(void** state) {
    (void)state;
    static const float a[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0}, b[9] = {6, 0, 0, 8, 1, 0, 9, 0, 0};
    static const float speeds[3] = {-0.5F, -1.5F, 0};
    const double tick = 0x1p-20, change = 2 + tick, touch = ceil(14.0 / 3 / tick) * tick;
    Duel duel = {.movers = {takeMover(3, 1), takeMover(3, 1)}};
    for (int m = 0; m < 2; ++m) {
        for (uint32_t i = 0; i < 9; ++i) {
            duel.movers[m].frames[0][i] = m == 0 ? a[i] : b[i];
            duel.movers[m].velocities[i] = m == 1 && i % 3 == 0 ? speeds[i / 3] : 0;
            duel.movers[m].triangles[i / 3] = i / 3;
        }
        followPaths(&duel.movers[m], 0, false, -20, NULL);
    }
    meet(&duel);
    assert_true(grzPairFront_Horizon(duel.front) ==
                nextafter(change, 0)); // a watched side may change what happens next
    goTo(&duel, 2);
    assert_int_equal(grzPairFront_GetStats(duel.front).changes, 0);
    goTo(&duel, change);
    grzPairFrontStats stats = grzPairFront_GetStats(duel.front);
    assert_int_equal(stats.changes, 1); // of the roots, the one pair that there is
    assert_int_equal(stats.renewals, 1);
    assert_int_equal(stats.innerPairs, 1);
    assert_true(grzPairFront_Horizon(duel.front) == nextafter(touch, 0));
    goTo(&duel, touch - tick);
    assert_int_equal(grzPairFront_GetStats(duel.front).overlaps, 0);
    goTo(&duel, touch);
    stats = grzPairFront_GetStats(duel.front);
    assert_int_equal(stats.overlaps, 3); // root and root, leaf and root, leaf and leaf
    assert_int_equal(stats.openPairs, 2);
    assert_int_equal(grzPairFront_GetView(duel.front).pairCount, 1);
    dropDuel(&duel);
}

// Boxes that are apart on two axes overlap from the later of two times on, and nothing happens at the earlier one: along x they touch at t =
// 3, along y at t = 4. They overlap no longer after the earlier of two: along x they are apart after t = 5, along y after t = 6.
static void theLastBeginningAndTheFirstEnd(void** state) {
    (void)state;
    static const float a[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0}, b[9] = {4, 5, 0, 5, 5, 0, 4, 6, 0};
    const double tick = 0x1p-20;
    Duel duel = {.movers = {takeMover(3, 1), takeMover(3, 1)}};
    for (int m = 0; m < 2; ++m) {
        for (uint32_t i = 0; i < 9; ++i) {
            duel.movers[m].frames[0][i] = m == 0 ? a[i] : b[i];
            duel.movers[m].velocities[i] = m == 1 && i % 3 != 2 ? -1 : 0;
            duel.movers[m].triangles[i / 3] = i / 3;
        }
        followPaths(&duel.movers[m], 0, false, -20, NULL);
    }
    meet(&duel);
    assert_true(grzPairFront_Horizon(duel.front) == nextafter(4, 0));
    goTo(&duel, 3 + tick);
    assert_int_equal(grzPairFront_GetStats(duel.front).looks, 0);
    goTo(&duel, nextafter(4, 0));
    assert_int_equal(grzPairFront_GetStats(duel.front).overlaps, 0);
    goTo(&duel, 4);
    assert_int_equal(grzPairFront_GetStats(duel.front).overlaps, 3);
    assert_int_equal(grzPairFront_GetView(duel.front).pairCount, 1);
    assert_true(grzPairFront_Horizon(duel.front) == nextafter(5 + tick, 0));
    goTo(&duel, 5);
    assert_int_equal(grzPairFront_GetStats(duel.front).fathersEnd, 0);
    goTo(&duel, 5 + tick);
    // Leaves end first, then what is above them, each once.
    const grzPairFrontStats stats = grzPairFront_GetStats(duel.front);
    assert_true(stats.leavesEnd == 1 && stats.fathersEnd == 2 && stats.renewals == 0 && stats.changes == 0);
    assert_true(stats.innerPairs == 1 && stats.openPairs == 0);
    dropDuel(&duel);
}

// ---- all kinds of motion ----

static void hardNumbersOfAllSizes(void** state) {
    (void)state;
    static const uint32_t sizes[][2] = {{0, 5}, {1, 1}, {1, 40}, {33, 4}, {40, 40}, {100, 37}};
    grzRng rng = grzRng_Make(testSeed(901), 0);
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; ++s)
        for (uint32_t flavour = 0; flavour < HARD_FLAVOURS; ++flavour) {
            Duel duel = {.movers = {makeMover(&rng, sizes[s][0], flavour), makeMover(&rng, sizes[s][1], flavour)}};
            for (Kind kind = kind_frames; kind < kind_ticks; ++kind) {
                follow(&duel, kind);
                goOn(&duel, &rng, kind == kind_frames ? KEYFRAMES - 1 : 1.5, (int)testSize(12, 4));
                unfollow(&duel);
            }
            dropDuel(&duel);
        }
}

// Each event of a mesh of a few hundred triangles, one by one.
static void everyEventLeavesAValidList(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(902), 0);
    grzPairFrontStats all = {0};
    for (Kind kind = kind_frames; kind < kind_ticks; ++kind) {
        Duel duel = makeSpread(&rng, 220, 150);
        follow(&duel, kind);
        for (size_t k = 0; k < testSize(400, 150); ++k) {
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

// Parts, and regions below pairs of them; between two keyframes an event at a time, or many at once.
static void frontsOfSeveralParts(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(903), 0);
    Duel duel = makeSpread(&rng, 5000, 3100);
    for (Kind kind = kind_frames; kind < kind_ticks; ++kind) {
        follow(&duel, kind);
        assert_true(duel.front->used.count > 1);
        goOn(&duel, &rng, kind == kind_frames ? KEYFRAMES - 1 : 1.5, (int)testSize(5, 1));
        unfollow(&duel);
    }
    dropDuel(&duel);
}

// Trees that have yet to look beyond the keyframe at which the front begins, where many vertices are level.
static void frontsBeginAtKeyframes(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(913), 0);
    for (uint32_t flavour = 0; flavour < 3 * HARD_FLAVOURS; ++flavour) {
        Duel duel = {.movers = {makeMover(&rng, 40, flavour), makeMover(&rng, 33, flavour)}};
        for (int k = 0; k < 2; ++k) {
            for (uint32_t i = 0; i < 3 * duel.movers[k].vertexCount; ++i) {
                duel.movers[k].frames[1][i] = drawHardNumber(&rng, hard_tied, i) + 3 * (float)k;
                duel.movers[k].frames[2][i] = 4 * drawHardNumber(&rng, hard_usual, i);
            }
            followFrames(&duel.movers[k], 0, 1, NULL);
            ok(grzKineticTree_Advance(duel.movers[k].tree, NULL, 1));
        }
        meet(&duel);
        goOn(&duel, &rng, KEYFRAMES - 1, 12);
        dropDuel(&duel);
    }
}

// ---- one motion, looked at often or seldom ----

static grzPairFrontStats eventsOnly(const grzPairFront* front) {
    grzPairFrontStats stats = grzPairFront_GetStats(front);
    assert_int_equal(stats.rebuilds, 0);
    return stats;
}

static void eventsDoNotDependOnFrames(void** state) {
    (void)state;
    static const int frames[] = {1, 3, 10, 100};
    grzRng rng = grzRng_Make(testSeed(904), 0);
    Duel duel = makeSpread(&rng, (uint32_t)testSize(3000, 1000), (uint32_t)testSize(2500, 900));
    for (int k = 0; k < 2; ++k) // the strips blow up, so that parts come upon parts
        for (uint32_t i = 0; i < 3 * duel.movers[k].vertexCount; ++i)
            duel.movers[k].velocities[i] *= i % 3 == 0 ? 400 : 4;
    for (Kind kind = kind_frames; kind < KINDS; ++kind) {
        grzPairFrontStats first = {0};
        for (size_t l = 0; l < testSize(sizeof frames / sizeof frames[0], 3); ++l) {
            follow(&duel, kind);
            for (int k = 1; k <= 3 * frames[l]; ++k)
                ok(grzPairFront_Advance(duel.front, NULL, (double)k / frames[l]));
            const grzPairFrontStats stats = eventsOnly(duel.front);
            if (l == 0)
                first = stats;
            assert_memory_equal(&first, &stats, sizeof stats);
            unfollow(&duel);
        }
        assert_true(first.overlaps > 100 && first.changes > 10);
    }
    dropDuel(&duel);
}

// ---- two grids ----

static grzBox leafBox(const Mover* mover, const float* positions, uint32_t leaf) {
    uint32_t vertices[GRZ_BVH_LEAF_VERTICES];
    grzBox box = grzBox_Empty();
    for (uint32_t k = grzKinetic_LeafRow(mover->tree, leaf, vertices); k-- > 0;) {
        const float* p = positions + 3 * (size_t)vertices[k];
        box = grzBox_Union(box, grzBox_Make(grzVec3_Make(p[0], p[1], p[2]), grzVec3_Make(p[0], p[1], p[2])));
    }
    return box;
}

static float gapOf(const grzBox* a, const grzBox* b) {
    float gap = -INFINITY;
    for (int axis = 0; axis < 3; ++axis) {
        gap = fmaxf(gap, grzVec3_Get(a->lower, axis) - grzVec3_Get(b->upper, axis));
        gap = fmaxf(gap, grzVec3_Get(b->lower, axis) - grzVec3_Get(a->upper, axis));
    }
    return gap;
}

// Positions of plans with two grids are off by what moves in a tick, so that boxes may be as far apart or overlap as deeply.
static void expectNearly(const Duel* duel, double time, float slack) {
    const grzPairFrontView view = grzPairFront_GetView(duel->front);
    float* positions[2];
    for (int k = 0; k < 2; ++k) {
        positions[k] = takeNumbers(3 * (size_t)duel->movers[k].vertexCount);
        ok(grzFlightplan_Evaluate(duel->movers[k].plan, NULL, time, positions[k], 0));
    }
    size_t found = 0;
    for (uint32_t a = 0; a < duel->movers[0].tree->boxCounts[0]; ++a)
        for (uint32_t b = 0; b < duel->movers[1].tree->boxCounts[0]; ++b) {
            const grzBox boxes[2] = {leafBox(&duel->movers[0], positions[0], a),
                                     leafBox(&duel->movers[1], positions[1], b)};
            const bool isThere =
                found < view.pairCount && view.pairs[found].leafA == a && view.pairs[found].leafB == b;
            const float gap = gapOf(&boxes[0], &boxes[1]);
            assert_true(isThere ? gap <= slack : gap >= -slack);
            found += isThere;
        }
    assert_int_equal(found, view.pairCount);
    assert_true(grzPairFront_Validate(duel->front));
    free(positions[0]), free(positions[1]);
}

typedef struct Grids {
    bool areFrames[2];
    double begins[2], steps[2];
} Grids;

// A triangle whose keyframes are at 0 and 2, and one at rest below x = 0 whose keyframes are at 0, 1 and 2. The piece from 1 to 2 has two ticks
// for each of the first plan. The first vertex comes to x = 0 between ticks 1,677,712 and 1,677,713; by then the second one is the lower
// of the two, and it is below 0 until t = 1.9. At the odd tick the box is still that of the first vertex, and lies apart; at the end of
// the piece it lies apart too. Between the two it does not.
static void chordsBeginAtTicksOfBothPlans(void** state) {
    (void)state;
    static const float rest[9] = {-1, 0, 0, 0, 0, 0, -1, 1, 0};
    static const float from[9] = {-1100, 0, 0, -3.8e-5F, 1, 0, 5, 0, 0},
                       to[9] = {900 + 0x1p-10F, 0, 0, 2e-6F, 1, 0, 5, 0, 0};
    const double odd = 1677713;
    Duel duel = {.movers = {takeMover(3, 1), takeMover(3, 1)}};
    for (uint32_t i = 0; i < 9; ++i) {
        for (int f = 0; f < KEYFRAMES; ++f) {
            duel.movers[0].frames[f][i] = f == 0 ? from[i] : to[i];
            duel.movers[1].frames[f][i] = rest[i];
        }
        duel.movers[0].triangles[i / 3] = duel.movers[1].triangles[i / 3] = i / 3;
    }
    followFrames(&duel.movers[0], 0, 2, NULL);
    followFrames(&duel.movers[1], 0, 1, NULL);
    meet(&duel);
    static const size_t pairs[] = {1, 0, 1, 1, 0};
    const double times[] = {1 + (odd - 1) * 0x1p-24, 1 + odd * 0x1p-24, 1 + (odd + 1) * 0x1p-24, 1.899, 1.901};
    for (size_t i = 0; i < sizeof times / sizeof times[0]; ++i) {
        ok(grzPairFront_Advance(duel.front, NULL, times[i]));
        assert_int_equal(grzPairFront_GetView(duel.front).pairCount, pairs[i]);
        assert_true(grzPairFront_Validate(duel.front));
    }
    dropDuel(&duel);
}

// Bent paths whose ticks are 1/64, and a triangle at rest below x = 0 whose ticks are finer. The lower side of the first is at -0.001, of its
// first vertex. The second one is at -0.002 at t = 1/64, and realises the side until 2/64; but it is above 0 from 1.3/64 on. The first is
// where it was, and so the boxes overlap.
static void pairsOverlapBetweenTicksOfBentPaths(void** state) {
    (void)state;
    static const float rest[9] = {-1, 0, 0, 0, 0, 0, -1, 1, 0}, from[9] = {-0.001F, 0, 0, 0.1F, 1, 0, 5, 0, 0};
    Duel duel = {.movers = {takeMover(3, 1), takeMover(3, 1)}};
    for (uint32_t i = 0; i < 9; ++i) {
        duel.movers[0].frames[0][i] = from[i], duel.movers[1].frames[0][i] = rest[i];
        duel.movers[0].triangles[i / 3] = duel.movers[1].triangles[i / 3] = i / 3;
    }
    duel.movers[0].velocities[3] = -11.904F, duel.movers[0].accelerations[3] = 688.128F;
    followPaths(&duel.movers[0], 0, true, -6, NULL);
    followPaths(&duel.movers[1], 0, false, -20, NULL);
    meet(&duel);
    for (int tenth = 1; tenth <= 30; ++tenth) {
        ok(grzPairFront_Advance(duel.front, NULL, tenth / 640.0));
        assert_int_equal(grzPairFront_GetView(duel.front).pairCount, 1);
        assert_true(grzPairFront_Validate(duel.front));
    }
    dropDuel(&duel);
}

// Keyframes at other times than the other's, and beside paths with a coarse grid.
static void plansOfTwoGrids(void** state) {
    (void)state;
    static const Grids grids[] = {
        {{true, true}, {0, 0}, {1, 0.3}},      {{true, true}, {0, -0.4}, {1, 1}},
        {{true, true}, {0.1, 0}, {0.7, 1}},    {{true, false}, {0, 0}, {1, 0}},
        {{false, true}, {0, 0}, {0, 0.4}},     {{true, true}, {0, 1e-9}, {1, 1}},
        {{false, true}, {-100, 0}, {0, 0.25}}, {{false, false}, {0, 0}, {0, 0}},
        {{true, true}, {0, 0}, {2, 1}},        {{true, true}, {0, 0}, {1, 0.5}},
    };
    grzRng rng = grzRng_Make(testSeed(905), 0);
    for (size_t g = 0; g < sizeof grids / sizeof grids[0]; ++g) {
        Duel duel = makeSpread(&rng, 250, 170);
        double begin = -(double)INFINITY, end = 4;
        for (int k = 0; k < 2; ++k) {
            if (grids[g].areFrames[k])
                followFrames(&duel.movers[k], grids[g].begins[k], grids[g].steps[k], NULL);
            else
                followPaths(&duel.movers[k], grids[g].begins[k], true, k == 0 ? -20 : -6, NULL);
            const grzFlightplanRange range = grzFlightplan_GetRange(duel.movers[k].plan);
            begin = fmax(begin, range.begin), end = fmin(end, range.end);
        }
        for (int k = 0; k < 2; ++k)
            ok(grzKineticTree_Advance(duel.movers[k].tree, NULL, begin));
        meet(&duel);
        const float slack = grids[g].areFrames[0] == grids[g].areFrames[1] && grids[g].areFrames[0] ? 1e-4F : 0.2F;
        ok(grzPairFront_Advance(duel.front, NULL, begin)); // where the trees began, not only where their ticks end
        expectNearly(&duel, begin, slack);
        for (size_t k = 0; k < testSize(40, 10); ++k) {
            const double now = grzPairFront_Time(duel.front), event = fmin(nextFrontEvent(duel.front), end);
            const double time =
                fmax(k % 2 == 0 ? event : now + (end - now) * 0.1 * (double)grzRng_Float(&rng), now);
            ok(grzPairFront_Advance(duel.front, NULL, time));
            expectNearly(&duel, time, slack);
        }
        ok(grzPairFront_Advance(duel.front, NULL, fmax(end, grzPairFront_Time(duel.front))));
        expectNearly(&duel, fmax(end, grzPairFront_Time(duel.front)), slack);
        dropDuel(&duel);
    }
}

// ---- changes ----

static void changedPathsAreFollowed(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(906), 0);
    for (size_t round = 0; round < testSize(4, 2); ++round) {
        Duel duel = makeSpread(&rng, round == 0 ? 3000 : 200, 150);
        follow(&duel, kind_bent);
        for (int k = 0; k < 25; ++k) {
            const double event = fmin(nextFrontEvent(duel.front), grzPairFront_Time(duel.front) + 1);
            Mover* mover = &duel.movers[k % 2];
            const Scene scene = {.vertexCount = mover->vertexCount};
            SomeChange some;
            drawChange(&scene, &rng, &some);
            goTo(&duel, event);
            ok(grzKineticTree_Change(mover->tree, NULL, event, &some.change));
            assert_int_equal(grzPairFront_Advance(duel.front, NULL, event + 1).status, grz_badArgument);
            ok(grzPairFront_Follow(duel.front, NULL));
            assert_true(frontHolds(duel.front, event));
        }
        assert_int_equal(grzPairFront_GetStats(duel.front).rebuilds, 0);
        dropDuel(&duel);
    }
}

static void editsAreFollowed(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(907), 0);
    for (Kind kind = kind_frames; kind < kind_ticks; ++kind) {
        Duel duel = makeSpread(&rng, 300, 150);
        follow(&duel, kind);
        for (int k = 0; k < 8; ++k) {
            Mover* mover = &duel.movers[k % 2];
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

// Known beforehand, or added while the front stands on the last one, and dropped as they pass: the same events.
static void keyframesMayComeLate(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(908), 0);
    Duel early = makeSpread(&rng, 200, 150), late = early;
    follow(&early, kind_frames);
    follow(&late, kind_frames);
    for (int f = 0; f < 8; ++f) {
        const double last = KEYFRAMES - 1 + f;
        for (int k = 0; k < 2; ++k)
            ok(grzFlightplan_AddKeyframe(early.movers[k].plan, last + 1, early.movers[k].frames[f % 3], 0));
        goTo(&late, last);
        if (f % 3 == 2)
            grzFlightplan_DropKeyframes(late.movers[0].plan, last);
        for (int k = 0; k < 2; ++k)
            ok(grzFlightplan_AddKeyframe(late.movers[k].plan, last + 1, late.movers[k].frames[f % 3], 0));
        goTo(&late, last); // the piece that follows is not begun by this
    }
    goTo(&late, KEYFRAMES + 7);
    goTo(&early, KEYFRAMES + 7);
    const grzPairFrontStats one = eventsOnly(early.front), many = eventsOnly(late.front);
    assert_memory_equal(&one, &many, sizeof one);
    unfollow(&late);
    dropDuel(&early);
}

// ---- sameness ----

static void workersAndLevelsGiveTheSameBytes(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(909), 0);
    Duel duel = makeSpread(&rng, (uint32_t)testSize(6000, 1500), (uint32_t)testSize(5000, 1200));
    for (Kind kind = kind_frames; kind < kind_ticks; ++kind)
        expectSameLives(&duel, kind);
    dropDuel(&duel);
}

// ---- refusals ----

static void badCallsChangeNothing(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(910), 0);
    Duel duel = makeSpread(&rng, 200, 150);
    follow(&duel, kind_frames);
    goTo(&duel, 1.5);
    const double bad[] = {(double)NAN, (double)INFINITY, -1, 1.25, 0.5, KEYFRAMES - 1 + 1e-9};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
        const grzResult result = grzPairFront_Advance(duel.front, NULL, bad[i]);
        assert_true(result.status == grz_badArgument && result.value == 3);
        assert_true(frontHolds(duel.front, 1.5));
    }
    grzPairFrontDef def = grzDefaultPairFrontDef();
    grzPairFront* none;
    def.treeB = duel.movers[1].tree;
    assert_int_equal(grzPairFront_Create(&def, &none).status, grz_badArgument);
    assert_null(none);
    def.treeA = duel.movers[0].tree, def.cullsSelf = true; // of two trees
    assert_int_equal(grzPairFront_Create(&def, &none).status, grz_badArgument);
    assert_null(none);
    def.mark = 0;
    assert_int_equal(grzPairFront_Create(&def, &none).status, grz_badDef);
    assert_int_equal(grzPairFront_Create(NULL, &none).status, grz_badDef);
    ok(grzKineticTree_Advance(duel.movers[0].tree, NULL, 1.75));
    assert_int_equal(grzPairFront_Advance(duel.front, NULL, 2).value, 1);
    ok(grzPairFront_Follow(duel.front, NULL)); // a tree that has gone on is followed up to the keyframe
    assert_true(frontHolds(duel.front, 1.75));
    ok(grzKineticTree_Advance(duel.movers[1].tree, NULL, 2.25));
    assert_int_equal(grzPairFront_Follow(duel.front, NULL).value, 1);
    grzFlightplan_DropKeyframes(duel.movers[0].plan, KEYFRAMES - 1); // on which the tree stands
    assert_int_equal(grzPairFront_Advance(duel.front, NULL, KEYFRAMES - 1).value, 1);
    assert_false(grzPairFront_Validate(duel.front));
    assert_false(grzKineticTree_Validate(duel.movers[0].tree));
    dropDuel(&duel);
}

static void refusedMemoryIsMadeUpFor(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(911), 0);
    Duel duel = makeSpread(&rng, 3000, 300);
    int refused = 0;
    for (Kind kind = kind_frames; kind < kind_ticks; ++kind)
        refused += expectRefusedMemoryMadeUp(&duel, kind, 30);
    assert_true(refused != 0);
    dropDuel(&duel);
}

static void warmFrontsAllocateNothing(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(912), 0);
    Duel duel = makeSpread(&rng, 3000, 300);
    expectWarmAllocatesNothing(&duel);
    dropDuel(&duel);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(twoTrianglesPass),
        cmocka_unit_test(aSideChangesHands),
        cmocka_unit_test(theLastBeginningAndTheFirstEnd),
        cmocka_unit_test(hardNumbersOfAllSizes),
        cmocka_unit_test(everyEventLeavesAValidList),
        cmocka_unit_test(frontsOfSeveralParts),
        cmocka_unit_test(frontsBeginAtKeyframes),
        cmocka_unit_test(eventsDoNotDependOnFrames),
        cmocka_unit_test(chordsBeginAtTicksOfBothPlans),
        cmocka_unit_test(pairsOverlapBetweenTicksOfBentPaths),
        cmocka_unit_test(plansOfTwoGrids),
        cmocka_unit_test(changedPathsAreFollowed),
        cmocka_unit_test(editsAreFollowed),
        cmocka_unit_test(keyframesMayComeLate),
        cmocka_unit_test(workersAndLevelsGiveTheSameBytes),
        cmocka_unit_test(badCallsChangeNothing),
        cmocka_unit_test(refusedMemoryIsMadeUpFor),
        cmocka_unit_test(warmFrontsAllocateNothing),
    };
    return cmocka_run_group_tests_name("pair_front", tests, NULL, NULL);
}
