// Pairs of upkeeps from call to call: keyframes that come late and are dropped, paths that change, hierarchies that are edited and rebuilt, poses that
// stay, margins; all that intersect are among them; the horizon; which search is chosen; refused calls and refused memory change nothing; the same bytes
// for any workers and at every level.
#include "pairs_testing.h"

#include <math.h>

#include "graze/bvh_edit.h"
#include "graze/tri_tri.h"
#include "simd_dispatch.h"

enum {
    BOXES = GRZ_PAIR_SEARCH_BIT(grz_searchBoxes),
    CHORDS = GRZ_PAIR_SEARCH_BIT(grz_searchChords),
    CHORD_WAY = GRZ_UPKEEP_BIT(grz_upkeepChord),
};

// ---- what changes from call to call ----

// A keyframe comes when time is at the last one, or is there before; older ones go.
static void keyframes_come_and_go(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(41), 0);
    for (uint32_t searches = 0; searches < 3; ++searches)
        for (int early = 0; early < 2; ++early) {
            Mesh a = makePairMesh(&rng, byFrames, 14, 0, 0.1F), b = makePairMesh(&rng, byFrames, 11, 0.1F, 0.05F);
            Mesh* const both[2] = {&a, &b};
            Counts counts = {0};
            for (int k = 0; k < 2; ++k) {
                grzUpkeep_Destroy(both[k]->upkeep), both[k]->upkeep = NULL;
                grzFlightplan_Destroy(both[k]->plan);
                makeMeshPlan(both[k], 1 + early);
                makeMeshUpkeep(both[k], CHORD_WAY, k == 1);
            }
            grzUpkeepPairs* pairs = makePairs(&a, &b, searches);
            for (int step = 0; step <= 4 * (MESH_FRAMES - 1); ++step) {
                const int frame = step / 4 + early;
                placeAt(&a, NULL, &rng, 0.25 * step), placeAt(&b, NULL, &rng, 0.25 * step);
                expectAll(pairs, NULL, &a, &b, 0.01F, &counts);
                for (int k = 0; k < 2 && step % 4 == 0 && frame + 1 < MESH_FRAMES; ++k) {
                    ok(grzFlightplan_AddKeyframe(both[k]->plan, frame + 1, both[k]->frames[frame + 1], 0));
                    grzFlightplan_DropKeyframes(both[k]->plan, 0.25 * step);
                }
            }
            assert_true(counts.triangles > 100);
            grzUpkeepPairs_Destroy(pairs);
            dropPairMesh(&a), dropPairMesh(&b);
        }
}

static void paths_change(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(42), 0);
    Mesh a = makePairMesh(&rng, byPaths, 14, 0, 0.1F), b = makePairMesh(&rng, atRest, 11, 0.1F, 0.05F);
    grzUpkeepPairs* pairs = makePairs(&a, &b, 0);
    const grzUpkeepPairsQuery query = pairsQueryOf(&a, &b, grz_tightPairs, 0);
    Counts counts = {0};
    for (int step = 0; step < 12; ++step) {
        uint32_t vertices[8];
        float velocities[24];
        placeAt(&a, NULL, &rng, 0.1 * step);
        expectAll(pairs, NULL, &a, &b, 0, &counts);
        const size_t count = grzUpkeepPairs_GetView(pairs).count;
        for (uint32_t k = 0; k < 8; ++k) {
            vertices[k] = 8 * k + grzRng_Below(&rng, 8);
            for (uint32_t axis = 0; axis < 3; ++axis)
                velocities[3 * k + axis] = grzRng_Float(&rng) - 0.5F;
        }
        const grzFlightplanChange change = {.vertices = vertices, .count = 8, .velocities = velocities};
        ok(grzUpkeep_Change(a.upkeep, NULL, 0.1 * step, &change));
        const grzResult result = grzUpkeepPairs_Find(pairs, NULL, &query);
        assert_true(result.status == grz_badArgument && result.value == 1);
        assert_int_equal(grzUpkeepPairs_GetView(pairs).count, count);
    }
    assert_true(counts.triangles > 100);
    grzUpkeepPairs_Destroy(pairs);
    dropPairMesh(&a), dropPairMesh(&b);
}

static void rebuild(Mesh* mesh) {
    grzBvhDef def = grzDefaultBvhDef();
    def.positions = mesh->positions, def.vertexCount = mesh->vertexCount;
    def.triangles = mesh->triangles, def.triangleCount = mesh->triangleCount;
    ok(grzBvh_Rebuild(mesh->bvh, &def));
    free(mesh->nodes);
    mesh->nodes = takeZeros(grzBvh_GetView(mesh->bvh).nodeCount, sizeof(grzBvhNode));
    refitMesh(mesh);
}

static void removeTriangles(Mesh* mesh, uint32_t count) {
    uint32_t removed[16];
    for (uint32_t k = 0; k < count; ++k)
        removed[k] = 7 * k;
    const grzBvhEdit edit = {.removed = removed, .removedCount = count};
    ok(grzBvh_Edit(mesh->bvh, &edit));
    const grzBvhEdited edited = grzBvh_LastEdit(mesh->bvh);
    grzBvhEdit_Apply(&edit, &edited, mesh->triangleCount, mesh->triangles);
    mesh->triangleCount -= count;
    free(mesh->nodes);
    mesh->nodes = takeZeros(grzBvh_GetView(mesh->bvh).nodeCount, sizeof(grzBvhNode));
    refitMesh(mesh);
}

// What rests has other boxes, other triangles, or another order; an upkeep whose hierarchy was rebuilt is refused.
static void hierarchies_change(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(43), 0);
    for (uint32_t searches = 0; searches < 3; ++searches) {
        Mesh a = makePairMesh(&rng, byFrames, 14, 0, 0.1F), b = makePairMesh(&rng, atRest, 12, 0.1F, 0.05F);
        makeMeshUpkeep(&a, CHORD_WAY, false);
        grzUpkeepPairs* pairs = makePairs(&a, &b, searches);
        Counts counts = {0};
        for (int step = 0; step < 12; ++step) {
            placeAt(&a, NULL, &rng, 0.2 * step);
            expectAll(pairs, NULL, &a, &b, 0, &counts);
            if (step % 4 == 1)
                for (uint32_t i = 0; i < b.vertexCount; ++i)
                    b.positions[3 * i + 2] += 0.05F;
            if (step % 4 == 1)
                refitMesh(&b);
            else if (step % 4 == 2)
                removeTriangles(&b, 1 + grzRng_Below(&rng, 16));
            else if (step % 4 == 3)
                rebuild(&b);
            grzUpkeepPairs_SetNodes(pairs, 1, b.nodes, b.positions);
        }
        assert_true(counts.triangles > 100);
        rebuild(&a);
        const grzUpkeepPairsQuery query = pairsQueryOf(&a, &b, grz_tightPairs, 0);
        const grzResult result = grzUpkeepPairs_Find(pairs, NULL, &query);
        assert_true(result.status == grz_badArgument && result.value == 1);
        grzUpkeepPairs_Destroy(pairs);
        makeMeshUpkeep(&a, CHORD_WAY, false);
        pairs = makePairs(&a, &b, searches);
        placeAt(&a, NULL, &rng, 3.3);
        expectAll(pairs, NULL, &a, &b, 0, &counts);
        grzUpkeepPairs_Destroy(pairs);
        dropPairMesh(&a), dropPairMesh(&b);
    }
}

// What stands under a pose that stays is searched by chords from the second frame on, on either side.
static void poses_that_stay(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(44), 0);
    for (int turned = 0; turned < 2; ++turned) {
        Mesh a = makePairMesh(&rng, byFrames, 14, 0, 0.1F), b = makePairMesh(&rng, posed, 20, 0.1F, 0.05F);
        makeMeshUpkeep(&a, CHORD_WAY, false);
        const Mesh *first = turned != 0 ? &b : &a, *second = turned != 0 ? &a : &b;
        grzUpkeepPairs* pairs = makePairs(first, second, CHORDS);
        Counts counts = {0};
        for (int step = 0; step < 20; ++step) {
            if (step % 5 == 0)
                placeAt(&b, NULL, &rng, 0);
            placeAt(&a, NULL, &rng, 0.15 * step);
            const grzUpkeepPairsQuery query = pairsQueryOf(first, second, grz_tightPairs, 0);
            ok(grzUpkeepPairs_Find(pairs, NULL, &query));
            assert_int_equal(grzUpkeepPairs_GetStats(pairs).search,
                             step % 5 == 0 ? grz_searchBoxes : grz_searchChords);
            expectAll(pairs, NULL, first, second, step % 2 == 0 ? 0 : 0.02F, &counts);
        }
        assert_true(counts.triangles > 100);
        grzUpkeepPairs_Destroy(pairs);
        dropPairMesh(&a), dropPairMesh(&b);
    }
}

// Margins that are nearly the same are one walk.
static void margins(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(45), 0);
    Mesh a = makePairMesh(&rng, byFrames, 14, 0, 0.1F), b = makePairMesh(&rng, atRest, 12, 0.1F, 0.05F);
    Counts counts = {0};
    makeMeshUpkeep(&a, CHORD_WAY, false);
    grzUpkeepPairs* pairs = makePairs(&a, &b, CHORDS);
    for (int step = 0; step < 16; ++step) {
        placeAt(&a, NULL, &rng, 0.05 * step);
        expectAll(pairs, NULL, &a, &b, 0.016F + 0.0006F * (float)(step % 5), &counts); // up to 0.0195
    }
    assert_int_equal(grzUpkeepPairs_GetStats(pairs).pieces, 1);
    expectAll(pairs, NULL, &a, &b, 0.03F, &counts);
    expectAll(pairs, NULL, &a, &b, 0.001F, &counts);
    expectAll(pairs, NULL, &a, &b, 0, &counts);
    assert_int_equal(grzUpkeepPairs_GetStats(pairs).pieces, 4);
    grzUpkeepPairs_Destroy(pairs);
    dropPairMesh(&a), dropPairMesh(&b);
}

// ---- nothing is missed ----

static grzTriTriKind kindOf(const Mesh* a, uint32_t i, const Mesh* b, uint32_t j) {
    grzVec3 at[2][3];
    for (uint32_t k = 0; k < 3; ++k) {
        at[0][k] = grzVec3_Load(a->positions + 3 * (size_t)a->triangles[3 * i + k]);
        at[1][k] = grzVec3_Load(b->positions + 3 * (size_t)b->triangles[3 * j + k]);
    }
    return grzTriTri_Classify(at[0], at[1]);
}

static void all_that_intersect(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(46), 0);
    Mesh a = makePairMesh(&rng, byFrames, 12, 0, 0.1F), b = makePairMesh(&rng, byFrames, 10, 0.05F, 0.1F);
    grzUpkeepPairs* pairs = makePairs(&a, &b, 0);
    size_t met = 0;
    for (int step = 0; step < 25; ++step) {
        Keys keys = {0};
        placeAt(&a, NULL, &rng, 0.17 * step), placeAt(&b, NULL, &rng, 0.17 * step);
        for (uint32_t i = 0; i < a.triangleCount; ++i)
            for (uint32_t j = 0; j < b.triangleCount; ++j)
                if (kindOf(&a, i, &b, j) != grz_triNone)
                    addKey(&keys, i, j);
        for (int precision = grz_conservativePairs; precision <= grz_trianglePairs; ++precision) {
            const grzUpkeepPairsQuery query = pairsQueryOf(&a, &b, (grzPairPrecision)precision, 0);
            ok(grzUpkeepPairs_Find(pairs, NULL, &query));
            expectKeys(pairs, &keys, false);
        }
        met += keys.count;
        free(keys.keys);
    }
    assert_true(met > 100);
    grzUpkeepPairs_Destroy(pairs);
    dropPairMesh(&a), dropPairMesh(&b);
}

// ---- the horizon ----

static Keys keysOf(const grzUpkeepPairs* pairs) {
    const grzUpkeepPairsView view = grzUpkeepPairs_GetView(pairs);
    Keys keys = {0};
    for (size_t i = 0; i < view.count; ++i)
        addKey(&keys, view.pairs[i].triangleA, view.pairs[i].triangleB);
    return keys;
}

// Between a Find and its horizon every denser one finds the same. Returns in how many frames there was something to say.
static size_t runHorizon(grzUpkeepPairs* pairs, Mesh* a, Mesh* b, grzRng* rng, grzPairPrecision precision) {
    Keys last = {0};
    double horizon = -1;
    size_t said = 0;
    for (int step = 0; step <= 1000; ++step) {
        const double time = 0.004 * step;
        placeAt(a, NULL, rng, time);
        const grzUpkeepPairsQuery query = pairsQueryOf(a, b, precision, 0.01F);
        ok(grzUpkeepPairs_Find(pairs, NULL, &query));
        assert_true(grzUpkeepPairs_Horizon(pairs) >= time);
        Keys now = keysOf(pairs);
        if (time < horizon) {
            assert_int_equal(now.count, last.count);
            if (now.count != 0)
                assert_memory_equal(now.keys, last.keys, now.count * sizeof *now.keys);
            ++said;
        } else {
            horizon = grzUpkeepPairs_Horizon(pairs);
            Keys other = last;
            last = now, now = other;
        }
        free(now.keys);
    }
    free(last.keys);
    return said;
}

static void nothing_changes_before_the_horizon(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(47), 0);
    for (int kind = 0; kind < 4; ++kind) {
        const bool isFar = kind / 2 != 0;
        Mesh a = makePairMesh(&rng, byFrames, 6, 0, 0.02F),
             b = makePairMesh(&rng, atRest, 5, isFar ? 20 : 0.3F, 0.05F);
        makeMeshUpkeep(&a, CHORD_WAY, false);
        grzUpkeepPairs* pairs = makePairs(&a, &b, CHORDS);
        const size_t said = runHorizon(pairs, &a, &b, &rng, kind % 2 == 0 ? grz_conservativePairs : grz_tightPairs);
        // Conservative pairs are known ahead; tight ones only while there are none.
        if (isFar)
            assert_in_range(said, 980, 1000);
        else if (kind == 0)
            assert_in_range(said, 100, 1000);
        grzUpkeepPairs_Destroy(pairs);
        dropPairMesh(&a), dropPairMesh(&b);
    }
}

// ---- which search ----

static const char* reasonOf(const grzUpkeepPairs* pairs) {
    return grzUpkeepPairs_GetStats(pairs).reason;
}

// Steps through all frames; returns how many were searched by chords.
static uint64_t countChords(grzRng* rng, Kind kind, double perInterval, grzUpkeepPairsStats* stats) {
    Mesh a = makePairMesh(rng, byFrames, 30, 0, 0.02F), b = makePairMesh(rng, kind, 24, 0.05F, 0.02F);
    makeMeshUpkeep(&a, CHORD_WAY, false);
    grzUpkeepPairs* pairs = makePairs(&a, &b, 0);
    for (int step = 0; step <= (MESH_FRAMES - 1) * perInterval; ++step) {
        placeAt(&a, NULL, rng, step / perInterval);
        if (kind != atRest)
            placeAt(&b, NULL, rng, step / perInterval);
        const grzUpkeepPairsQuery query = pairsQueryOf(&a, &b, grz_tightPairs, 0);
        ok(grzUpkeepPairs_Find(pairs, NULL, &query));
    }
    *stats = grzUpkeepPairs_GetStats(pairs);
    assert_true(stats->finds[0] + stats->finds[1] == (uint64_t)((MESH_FRAMES - 1) * perInterval) + 1);
    assert_true(strlen(stats->reason) > 10);
    grzUpkeepPairs_Destroy(pairs);
    dropPairMesh(&a), dropPairMesh(&b);
    return stats->finds[grz_searchChords];
}

static void chooses_by_counted_work(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(48), 0);
    grzUpkeepPairsStats stats;
    assert_int_equal(countChords(&rng, atRest, 1, &stats), 0); // a frame an interval
    assert_true(countChords(&rng, atRest, 100, &stats) > 400);
    assert_int_equal(stats.switches, 1);
    assert_string_equal(stats.reason, "to search the interval once costs less than to search each frame");
    assert_in_range(stats.pieces, 4, 6);
    assert_int_equal(countChords(&rng, simulated, 100, &stats), 0);
    assert_string_equal(stats.reason, "a mesh is simulated");
    assert_int_equal(countChords(&rng, posed, 100, &stats), 0); // another one in each frame
    assert_string_equal(stats.reason, "a mesh has another pose");
}

// Slow, then in steps of an interval: it goes to chords, and back.
static void goes_back(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(49), 0);
    enum { LONG = 200 };
    Mesh a = makePairMesh(&rng, byFrames, 30, 0, 0.02F), b = makePairMesh(&rng, atRest, 24, 0.05F, 0.02F);
    for (int f = MESH_FRAMES; f < LONG; ++f)
        ok(grzFlightplan_AddKeyframe(a.plan, f, a.frames[f % MESH_FRAMES], 0));
    makeMeshUpkeep(&a, CHORD_WAY, false);
    grzUpkeepPairs* pairs = makePairs(&a, &b, 0);
    const grzUpkeepPairsQuery query = pairsQueryOf(&a, &b, grz_tightPairs, 0);
    for (int step = 0; step < 200; ++step) {
        placeAt(&a, NULL, &rng, 0.05 * step);
        ok(grzUpkeepPairs_Find(pairs, NULL, &query));
    }
    assert_int_equal(grzUpkeepPairs_GetStats(pairs).search, grz_searchChords);
    for (int step = 0; step < 40; ++step) {
        placeAt(&a, NULL, &rng, 11 + 1.0 * step);
        ok(grzUpkeepPairs_Find(pairs, NULL, &query));
    }
    assert_int_equal(grzUpkeepPairs_GetStats(pairs).search, grz_searchBoxes);
    assert_string_equal(reasonOf(pairs), "to search each frame costs less than to search the interval once");
    grzUpkeepPairs_Destroy(pairs);
    dropPairMesh(&a), dropPairMesh(&b);
}

// Where the boxes of the next keyframe are there early, its interval is searched ahead, a share in each frame.
static void searches_ahead(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(54), 0);
    for (int isReady = 0; isReady < 2; ++isReady) {
        Mesh a = makePairMesh(&rng, byFrames, 30, 0, 0.02F), b = makePairMesh(&rng, atRest, 24, 0.05F, 0.02F);
        grzUpkeepDef def = grzDefaultUpkeepDef();
        def.bvh = a.bvh, def.plan = a.plan, def.ways = CHORD_WAY;
        def.readyBy = isReady != 0 ? 0.3F : 1;
        grzUpkeep_Destroy(a.upkeep);
        ok(grzUpkeep_Create(&def, &a.upkeep));
        grzUpkeepPairs* pairs = makePairs(&a, &b, CHORDS);
        for (int step = 0; step <= 20 * (MESH_FRAMES - 1); ++step) {
            const grzUpkeepPairsQuery query = pairsQueryOf(&a, &b, grz_tightPairs, 0);
            placeAt(&a, NULL, &rng, 0.05 * step);
            ok(grzUpkeepPairs_Find(pairs, NULL, &query));
        }
        const grzUpkeepPairsStats stats = grzUpkeepPairs_GetStats(pairs);
        assert_true(stats.pieces == MESH_FRAMES - 1 && stats.parts > 20);
        if (isReady != 0)
            assert_in_range(stats.early, 3 * stats.parts / 4, stats.parts);
        else
            assert_true(stats.early < stats.parts / 2);
        grzUpkeepPairs_Destroy(pairs);
        dropPairMesh(&a), dropPairMesh(&b);
    }
}

// An upkeep that refits has no chords; of two clocks there are no common intervals.
static void chords_that_are_not_possible(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(50), 0);
    Mesh a = makePairMesh(&rng, byFrames, 12, 0, 0.02F), b = makePairMesh(&rng, byFrames, 12, 0.05F, 0.02F);
    Counts counts = {0};
    makeMeshUpkeep(&a, GRZ_UPKEEP_BIT(grz_upkeepRefit), false);
    makeMeshUpkeep(&b, CHORD_WAY, false);
    grzUpkeepPairs* pairs = makePairs(&a, &b, CHORDS);
    placeAt(&a, NULL, &rng, 0.3), placeAt(&b, NULL, &rng, 0.3);
    expectAll(pairs, NULL, &a, &b, 0, &counts);
    assert_string_equal(reasonOf(pairs), "a mesh is not kept by chords between keyframes now");
    grzUpkeepPairs_Destroy(pairs);
    makeMeshUpkeep(&a, CHORD_WAY, false);
    grzUpkeepPairsDef def = pairsDefOf(&a, &b);
    def.searches = CHORDS;
    ok(grzUpkeepPairs_Create(&def, &pairs));
    placeAt(&a, NULL, &rng, 0.7), placeAt(&b, NULL, &rng, 0.6);
    const grzUpkeepPairsQuery query = pairsQueryOf(&a, &b, grz_tightPairs, 0);
    assert_int_equal(grzUpkeepPairs_Find(pairs, NULL, &query).status, grz_badArgument);
    grzUpkeepPairs_Destroy(pairs);
    def.areClocksApart = true;
    ok(grzUpkeepPairs_Create(&def, &pairs));
    expectAll(pairs, NULL, &a, &b, 0, &counts);
    assert_string_equal(reasonOf(pairs), "the meshes have different clocks");
    assert_true(counts.triangles > 10);
    grzUpkeepPairs_Destroy(pairs);
    dropPairMesh(&a), dropPairMesh(&b);
}

// ---- bytes, refusals, memory ----

static void same_bytes(void** state) {
    (void)state;
    const grzSimdLevel usual = grzSimd_Level();
    grzTrianglePair* wanted[12] = {NULL};
    size_t counts[12] = {0};
    grzUpkeepPairsStats first = {0};
    for (uint32_t workers = 1; workers <= 8; workers = workers < 3 ? workers + 1 : workers + 5)
        for (int level = 0; level <= grz_simdNeon; ++level) {
            grzRng rng = grzRng_Make(51, 0);
            grzTasksDef def = grzDefaultTasksDef();
            grzTasks* tasks;
            if (!grzSimd_Supports((grzSimdLevel)level))
                continue;
            grzSimd_Force((grzSimdLevel)level);
            def.workerCount = workers;
            ok(grzTasks_Create(&def, &tasks));
            Mesh a = makePairMesh(&rng, byFrames, 40, 0, 0.05F), b = makePairMesh(&rng, byFrames, 34, 0.05F, 0.05F);
            makeMeshUpkeep(&a, CHORD_WAY, true);
            makeMeshUpkeep(&b, CHORD_WAY, false);
            grzUpkeepPairsDef pairsDef = pairsDefOf(&a, &b);
            grzUpkeepPairs* pairs;
            pairsDef.costs.walkPair = 2; // so that it soon goes over
            ok(grzUpkeepPairs_Create(&pairsDef, &pairs));
            for (int step = 0; step < 12; ++step) {
                const grzUpkeepPairsQuery query = pairsQueryOf(&a, &b, (grzPairPrecision)(step % 3), 0.01F);
                placeAt(&a, tasks, &rng, 0.06 * step), placeAt(&b, tasks, &rng, 0.06 * step);
                ok(grzUpkeepPairs_Find(pairs, tasks, &query));
                const grzUpkeepPairsView view = grzUpkeepPairs_GetView(pairs);
                if (wanted[step] == NULL) {
                    wanted[step] = takeZeros(view.count, sizeof *view.pairs);
                    counts[step] = view.count;
                    memcpy(wanted[step], view.pairs, view.count * sizeof *view.pairs);
                }
                assert_int_equal(view.count, counts[step]);
                assert_memory_equal(view.pairs, wanted[step], view.count * sizeof *view.pairs);
            }
            const grzUpkeepPairsStats stats = grzUpkeepPairs_GetStats(pairs);
            if (first.reason == NULL)
                first = stats;
            assert_memory_equal(&stats, &first, sizeof stats);
            assert_true(stats.finds[0] != 0 && stats.finds[1] != 0);
            grzUpkeepPairs_Destroy(pairs);
            dropPairMesh(&a), dropPairMesh(&b);
            grzTasks_Destroy(tasks);
        }
    grzSimd_Force(usual);
    for (int step = 0; step < 12; ++step)
        free(wanted[step]);
}

static void refused_defs(const Mesh* a, const Mesh* b) {
    const grzUpkeepPairsDef good = pairsDefOf(a, b);
    grzUpkeepPairsDef bad[9];
    grzUpkeepPairs* pairs;
    for (int i = 0; i < 9; ++i)
        bad[i] = good;
    bad[0].a = (grzUpkeepPairsSide){0};
    bad[1].a.bvh = b->bvh, bad[1].a.nodes = b->nodes;
    bad[2].b.nodes = NULL;
    bad[3].b.bvh = NULL;
    bad[4].b.numbering = (grzBvhNumbering)2;
    bad[5].searches = 4;
    bad[6].costs.walk = 0;
    bad[7].costs.opened = (double)NAN;
    bad[8].allocator.allocate = testAllocate;
    for (int i = 0; i < 9; ++i) {
        const grzResult result = grzUpkeepPairs_Create(&bad[i], &pairs);
        assert_true(result.status == grz_badArgument && result.value == 1);
        assert_null(pairs);
    }
    bad[0] = good, bad[0].mark = 0;
    assert_int_equal(grzUpkeepPairs_Create(&bad[0], &pairs).status, grz_badDef);
    assert_int_equal(grzUpkeepPairs_Create(NULL, &pairs).status, grz_badDef);
    grzUpkeepPairs_Destroy(NULL);
}

static void refuses(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(52), 0);
    Mesh a = makePairMesh(&rng, byFrames, 12, 0, 0.05F), b = makePairMesh(&rng, atRest, 12, 0.05F, 0.05F);
    refused_defs(&a, &b);
    makeMeshUpkeep(&a, GRZ_UPKEEP_BIT(grz_upkeepBoxTree), false);
    grzUpkeepPairs* pairs;
    grzUpkeepPairsDef def = pairsDefOf(&a, &b);
    assert_int_equal(grzUpkeepPairs_Create(&def, &pairs).status, grz_badArgument);
    makeMeshUpkeep(&a, CHORD_WAY, false);
    pairs = makePairs(&a, &b, 0);
    const grzUpkeepPairsQuery good = pairsQueryOf(&a, &b, grz_tightPairs, 0);
    ok(grzUpkeepPairs_Find(pairs, NULL, &good));
    const size_t count = grzUpkeepPairs_GetView(pairs).count;
    assert_true(count > 0);
    grzTransform pose = grzTransform_Identity();
    grzUpkeepPairsQuery bad[6] = {good, good, good, good, good, good};
    bad[0].mark = 0;
    bad[1].precision = (grzPairPrecision)3;
    bad[2].poseA = bad[2].poseB = &pose;
    bad[3].poseA = &pose; // of an upkeep
    bad[4].margin = -1;
    bad[5].margin = INFINITY;
    for (int i = 0; i < 6; ++i) {
        const grzResult result = grzUpkeepPairs_Find(pairs, NULL, &bad[i]);
        assert_true(result.status == grz_badArgument && result.value == 3);
    }
    bad[0] = good, bad[0].margin = (float)NAN;
    grzResult result = grzUpkeepPairs_Find(pairs, NULL, &bad[0]);
    assert_int_equal(result.status, grz_notFinite);
    assert_string_equal(result.reason, "the margin is NaN");
    assert_string_equal(grzUpkeepPairs_Find(pairs, NULL, &bad[3]).reason, "poseA is set, but a is an upkeep");
    bad[0] = good, bad[0].poseB = &pose;
    pose.origin.x = (float)NAN;
    result = grzUpkeepPairs_Find(pairs, NULL, &bad[0]);
    assert_int_equal(result.status, grz_notFinite);
    assert_non_null(strstr(result.reason, "NaN"));
    pose.origin.x = 0x1p61F;
    assert_int_equal(grzUpkeepPairs_Find(pairs, NULL, &bad[0]).status, grz_badArgument);
    assert_int_equal(grzUpkeepPairs_GetView(pairs).count, count);
    assert_true(grzUpkeepPairs_Validate(pairs, &good));
    assert_false(grzUpkeepPairs_Validate(pairs, &bad[0]));
    grzFlightplan_DropKeyframes(a.plan, 1e9); // all but the last
    result = grzUpkeepPairs_Find(pairs, NULL, &good);
    assert_true(result.status == grz_badArgument && result.value == 1);
    assert_string_equal(result.reason, "keyframes were dropped that an upkeep stands on");
    assert_int_equal(grzUpkeepPairs_GetView(pairs).count, count);
    grzUpkeepPairs_Destroy(pairs);
    dropPairMesh(&a), dropPairMesh(&b);
}

// Finds in several frames, with both searches. Returns whether nothing was refused; a refused one leaves the pairs of before.
static bool findSome(grzUpkeepPairs* pairs, Mesh* a, const Mesh* b, TestMemory* memory, size_t failAt) {
    for (int step = 0; step < 6; ++step) {
        const grzUpkeepPairsQuery query = pairsQueryOf(a, b, (grzPairPrecision)(step / 2), 0.01F);
        const Keys before = keysOf(pairs);
        memory->failAt = failAt;
        const grzResult result = grzUpkeepPairs_Find(pairs, NULL, &query);
        memory->failAt = SIZE_MAX;
        const Keys after = keysOf(pairs);
        const bool isSame =
            before.count == after.count &&
            (after.count == 0 || memcmp(before.keys, after.keys, after.count * sizeof(uint64_t)) == 0);
        free(before.keys), free(after.keys);
        if (grzResult_IsOk(result))
            continue;
        assert_int_equal(result.status, grz_outOfMemory);
        assert_true(isSame);
        ok(grzUpkeepPairs_Find(pairs, NULL, &query));
        assert_true(grzUpkeepPairs_Validate(pairs, &query));
        return false;
    }
    return true;
}

// Each request is refused once; then all is found, and nothing more is asked for.
static void refused_memory(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(53), 0);
    Mesh a = makePairMesh(&rng, byFrames, 14, 0, 0.05F), b = makePairMesh(&rng, posed, 12, 0.05F, 0.05F);
    makeMeshUpkeep(&a, CHORD_WAY, false);
    placeAt(&a, NULL, &rng, 0.4), placeAt(&b, NULL, &rng, 0.4);
    TestMemory memory = {.failAt = SIZE_MAX};
    size_t refused = 0;
    for (bool isDone = false; !isDone; ++refused) {
        grzUpkeepPairsDef def = pairsDefOf(&a, &b);
        grzUpkeepPairs* pairs;
        def.allocator = testAllocator(&memory),
        def.searches = CHORDS; // the first frame is by boxes: the pose is new
        memory.requests = 0, memory.failAt = refused;
        if (grzResult_IsOk(grzUpkeepPairs_Create(&def, &pairs))) {
            isDone = findSome(pairs, &a, &b, &memory, refused);
            assert_int_equal(grzUpkeepPairs_MemorySize(pairs), memory.liveBytes);
            if (isDone)
                assert_true(findSome(pairs, &a, &b, &memory, memory.requests));
        }
        memory.failAt = SIZE_MAX;
        grzUpkeepPairs_Destroy(pairs);
        assert_int_equal(memory.liveCount, 0);
    }
    assert_true(refused > 30);
    dropPairMesh(&a), dropPairMesh(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keyframes_come_and_go),
        cmocka_unit_test(paths_change),
        cmocka_unit_test(hierarchies_change),
        cmocka_unit_test(poses_that_stay),
        cmocka_unit_test(margins),
        cmocka_unit_test(all_that_intersect),
        cmocka_unit_test(nothing_changes_before_the_horizon),
        cmocka_unit_test(chooses_by_counted_work),
        cmocka_unit_test(goes_back),
        cmocka_unit_test(searches_ahead),
        cmocka_unit_test(chords_that_are_not_possible),
        cmocka_unit_test(same_bytes),
        cmocka_unit_test(refuses),
        cmocka_unit_test(refused_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
