// Pairs of upkeeps: at every frame tight pairs are those of a refit and a traversal, and triangle pairs those whose boxes are within the margin, by
// brute force over all leaves; conservative pairs contain them; whatever moves by a plan, rests, stands under a pose or is simulated, and within one mesh.
#include "pairs_testing.h"

// ---- tests ----

static void runFrames(grzRng* rng, Kind kindA, Kind kindB, uint32_t sideA, uint32_t sideB, uint32_t searches) {
    Mesh a = makePairMesh(rng, kindA, sideA, 0, 0.1F), b = makePairMesh(rng, kindB, sideB, 0.1F, 0.05F);
    grzUpkeepPairs* pairs = makePairs(&a, &b, searches);
    Counts counts = {0};
    for (int step = 0; step < 20; ++step) { // also at keyframes, and late ones jump over some
        const double time = step < 14 ? 0.125 * step : step == 14 ? 4.7 : 4.7 + 0.05 * (step - 14);
        placeAt(&a, NULL, rng, time), placeAt(&b, NULL, rng, time);
        expectAll(pairs, NULL, &a, &b, step % 3 == 2 ? 0.03F : 0, &counts);
    }
    assert_true(counts.triangles > 100 && counts.triangles < counts.tight && counts.tight <= counts.conservative);
    grzUpkeepPairs_Destroy(pairs);
    dropPairMesh(&a), dropPairMesh(&b);
}

static void equals_brute_force(void** state) {
    (void)state;
    static const uint32_t sides[][2] = {{9, 7}, {20, 3}, {3, 20}, {24, 21}};
    grzRng rng = grzRng_Make(testSeed(31), 0);
    for (int a = byFrames; a < KINDS; ++a)
        for (int b = byFrames; b < KINDS; ++b)
            for (uint32_t searches = 0; searches < 4 && (a != posed || b != posed); ++searches)
                runFrames(&rng, (Kind)a, (Kind)b, sides[(a + b) % 4][0], sides[(a + b) % 4][1], searches);
}

static void within_one_mesh(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(32), 0);
    for (uint32_t kind = byFrames; kind < 3 * KINDS; ++kind) {
        const uint32_t searches = kind / KINDS;
        Mesh mesh = makePairMesh(&rng, kind % KINDS == posed ? atRest : (Kind)(kind % KINDS), 18, 0, 0.6F);
        grzUpkeepPairs* pairs = makePairs(&mesh, NULL, searches);
        Counts counts = {0};
        for (int step = 0; step < 12; ++step) {
            placeAt(&mesh, NULL, &rng, 0.37 * step);
            expectAll(pairs, NULL, &mesh, NULL, step % 3 == 2 ? 0.02F : 0, &counts);
        }
        assert_true(counts.triangles > 100 && counts.triangles < counts.tight);
        grzUpkeepPairs_Destroy(pairs);
        dropPairMesh(&mesh);
    }
}

// Two sheets that come near along a rim: a lazy upkeep makes the chunks there, and no others, in either search.
static void lazy_upkeeps(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(33), 0);
    for (uint32_t k = 0; k < 4; ++k) {
        const uint32_t searches = 1 + k / 2;
        Mesh a = makePairMesh(&rng, byFrames, 70, 0, 0),
             b = makePairMesh(&rng, k % 2 == 0 ? byFrames : atRest, 70, 0, 0);
        const uint32_t chunks = grzBvh_GetView(a.bvh).chunkCount;
        for (int f = 0; f < MESH_FRAMES; ++f)
            for (uint32_t v = 0; v < b.vertexCount; ++v)
                b.frames[f][3 * v] += 1.9F;
        for (uint32_t v = 0; v < b.vertexCount; ++v)
            b.positions[3 * v] += 1.9F;
        refitMesh(&b);
        makeMeshUpkeep(&a, GRZ_UPKEEP_BIT(grz_upkeepChord), true);
        if (b.upkeep != NULL)
            makeMeshUpkeep(&b, GRZ_UPKEEP_BIT(grz_upkeepChord), true);
        grzUpkeepPairs* pairs = makePairs(&a, &b, searches);
        const uint64_t before = grzUpkeep_GetStats(a.upkeep).chunks;
        Counts counts = {0};
        for (int step = 1; step < 9; ++step) {
            placeAt(&a, NULL, &rng, 0.1 * step), placeAt(&b, NULL, &rng, 0.1 * step);
            expectAll(pairs, NULL, &a, &b, 0.01F, &counts);
        }
        assert_true(counts.triangles > 100);
        assert_int_equal(grzUpkeepPairs_GetStats(pairs).search, searches - 1);
        assert_in_range(grzUpkeep_GetStats(a.upkeep).chunks - before, 2, 2 * chunks / 3);
        grzUpkeepPairs_Destroy(pairs);
        dropPairMesh(&a), dropPairMesh(&b);
    }
}

// ---- many at a time ----

enum { MANY = 12 };

typedef struct ManyJob {
    grzUpkeepPairs* pairs[MANY];
    grzUpkeepPairsQuery query;
    grzResult results[MANY];
} ManyJob;

static void findOne(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    (void)worker;
    ManyJob* job = context;
    for (uint32_t i = begin; i < end; ++i)
        job->results[i] = grzUpkeepPairs_Find(job->pairs[i], NULL, &job->query);
}

// Pairs of one lazy mesh with several others, each searched by a thread of its own, are those that one thread finds.
static void many_at_a_time(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(34), 0);
    grzTasksDef tasksDef = grzDefaultTasksDef();
    grzTasks* tasks;
    tasksDef.workerCount = 4;
    ok(grzTasks_Create(&tasksDef, &tasks));
    for (uint32_t searches = 1; searches < 3; ++searches) {
        Mesh a = makePairMesh(&rng, byFrames, 50, 0, 0.02F), others[MANY];
        ManyJob job = {.query = pairsQueryOf(&a, NULL, grz_tightPairs, 0.01F)};
        makeMeshUpkeep(&a, GRZ_UPKEEP_BIT(grz_upkeepChord), true);
        for (int i = 0; i < MANY; ++i) {
            others[i] = makePairMesh(&rng, i % 3 == 0 ? byFrames : atRest, 20, 0.1F * (float)i, 0.02F);
            if (others[i].upkeep != NULL)
                makeMeshUpkeep(&others[i], GRZ_UPKEEP_BIT(grz_upkeepChord), true);
            job.pairs[i] = makePairs(&a, &others[i], searches);
        }
        for (int step = 0; step < 12; ++step) {
            placeAt(&a, NULL, &rng, 0.3 * step);
            for (int i = 0; i < MANY; ++i)
                placeAt(&others[i], NULL, &rng, 0.3 * step);
            grzParallelFor(tasks, MANY, 1, findOne, &job);
            for (int i = 0; i < MANY; ++i) {
                ok(job.results[i]);
                Keys keys = expectedOf(&a, &others[i], 0.01F, false);
                expectKeys(job.pairs[i], &keys, true);
                free(keys.keys);
            }
        }
        for (int i = 0; i < MANY; ++i) {
            grzUpkeepPairs_Destroy(job.pairs[i]);
            dropPairMesh(&others[i]);
        }
        dropPairMesh(&a);
    }
    grzTasks_Destroy(tasks);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equals_brute_force),
        cmocka_unit_test(within_one_mesh),
        cmocka_unit_test(lazy_upkeeps),
        cmocka_unit_test(many_at_a_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
