// Batches of triangle pairs: each as the single test says, whatever the SIMD level, the worker count and the place
// in the batch.
#include "testing.h"

#include <math.h>

#include "graze/tri_pairs.h"
#include "simd_dispatch.h"
#include "tri_cases.h"
#include "tri_kernel.h"

enum { MOST = 6000 };

typedef struct Batch {
    float columns[18][MOST];
    float positions[18 * MOST];
    uint32_t triangles[6 * MOST];
    grzTrianglePair pairs[MOST];
    uint8_t expected[MOST], kinds[MOST + 1];
    uint32_t count;
} Batch;

static Batch g_batch;

static grzTriSoup soupOf(const Batch* batch) {
    return (grzTriSoup){batch->positions, batch->triangles, 6 * batch->count, 2 * batch->count};
}

static grzTriPairQuery queryOf(const Batch* batch) {
    return (grzTriPairQuery){soupOf(batch), soupOf(batch), batch->pairs, batch->count, 0};
}

static grzTriColumns columnsOf(const Batch* batch) {
    grzTriColumns columns = {.count = batch->count};
    for (int k = 0; k < 18; ++k)
        columns.at[k] = batch->columns[k];
    return columns;
}

// Of pair i, A is triangle 2i + 1 and B is 2i: both orders of memory, and the last vertex is used.
static void setPair(Batch* batch, uint32_t i, const grzVec3 corners[6]) {
    batch->pairs[i] = (grzTrianglePair){0, 2 * i + 1, 2 * i, 0, 0};
    for (uint32_t k = 0; k < 6; ++k) {
        const uint32_t vertex = 6 * i + (k + 3) % 6;
        batch->triangles[vertex] = vertex;
        grzVec3_Store(&batch->positions[3 * vertex], corners[k]);
        for (uint32_t axis = 0; axis < 3; ++axis)
            batch->columns[3 * k + axis][i] = grzVec3_Get(corners[k], (int)axis);
    }
    batch->expected[i] = (uint8_t)grzTriTri_Classify(&corners[0], &corners[3]);
}

static void fillBatch(Batch* batch, uint32_t count, unsigned kindMask, uint64_t seed) {
    grzRng rng = grzRng_Make(seed, count);
    batch->count = count;
    for (uint32_t i = 0; i < count; ++i) {
        grzVec3 corners[6];
        unsigned kind = grzRng_Below(&rng, TRI_CASE_KINDS);
        TriCase_Make(&rng, (kindMask >> kind & 1) != 0 ? kind : 0, corners);
        if (kindMask == UINT32_MAX && grzRng_Below(&rng, 50) == 0)
            corners[grzRng_Below(&rng, 6)].y = grzRng_Below(&rng, 2) != 0 ? NAN : INFINITY;
        setPair(batch, i, corners);
    }
}

static void checkKinds(Batch* batch) {
    assert_memory_equal(batch->kinds, batch->expected, batch->count);
    assert_int_equal(batch->kinds[batch->count], 0x5A);
    memset(batch->kinds, 0x5A, sizeof batch->kinds);
}

static void checkBatch(Batch* batch, grzTasks* tasks) {
    grzTriPairQuery query = queryOf(batch);
    grzTriColumns columns = columnsOf(batch);
    memset(batch->kinds, 0x5A, sizeof batch->kinds);
    grzTriPairs_Classify(tasks, &query, batch->kinds);
    checkKinds(batch);
    grzTriColumns_Classify(tasks, &columns, batch->kinds);
    checkKinds(batch);
}

static void batchesSayWhatTheSingleTestSays(void** state) {
    (void)state;
    static const uint32_t counts[] = {0, 1, 2, 15, 16, 17, 31, 33, 255, 256, 257, 1023, 1024, 1025, MOST};
    uint64_t seed = testSeed(31);
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; ++i) {
        fillBatch(&g_batch, counts[i], UINT32_MAX, seed + i);
        checkBatch(&g_batch, NULL);
    }
}

static void workersDoNotMatter(void** state) {
    (void)state;
    static const uint32_t workers[] = {1, 2, 3, 8};
    fillBatch(&g_batch, MOST, UINT32_MAX, testSeed(32));
    for (size_t i = 0; i < sizeof workers / sizeof workers[0]; ++i) {
        grzTasksDef def = grzDefaultTasksDef();
        grzTasks* tasks;
        def.workerCount = workers[i];
        assert_true(grzResult_IsOk(grzTasks_Create(&def, &tasks)));
        checkBatch(&g_batch, tasks);
        grzTasks_Destroy(tasks);
    }
}

// Every level decides the same pairs, and those rightly.
static void levelsAgreeBeforeTheExactTest(void** state) {
    (void)state;
    static uint8_t first[MOST];
    fillBatch(&g_batch, MOST - 3, UINT32_MAX, testSeed(33));
    grzTriPairQuery query = queryOf(&g_batch);
    grzTriColumns columns = columnsOf(&g_batch);
    for (int level = 0; level < GRZ_SIMD_LEVEL_COUNT; ++level) {
        if (!grzSimd_Supports((grzSimdLevel)level))
            continue;
        grzClassifyTriColumns_At((grzSimdLevel)level)(&columns, 0, columns.count, g_batch.kinds);
        if (level == 0)
            memcpy(first, g_batch.kinds, sizeof first);
        assert_memory_equal(first, g_batch.kinds, columns.count);
        memset(g_batch.kinds, 0x5A, sizeof g_batch.kinds);
        grzClassifyTriPairs_At((grzSimdLevel)level)(&query, 0, query.count, g_batch.kinds);
        assert_memory_equal(first, g_batch.kinds, query.count);
    }
    for (uint32_t i = 0; i < columns.count; ++i)
        assert_true(first[i] == g_batch.expected[i] || first[i] == TRI_UNDECIDED);
}

static void ordinaryPairsNeedNoExactTest(void** state) {
    (void)state;
    fillBatch(&g_batch, MOST, 0, testSeed(34));
    grzTriColumns columns = columnsOf(&g_batch);
    GRZ_PICK_KERNEL(grzClassifyTriColumns)(&columns, 0, columns.count, g_batch.kinds);
    uint32_t undecided = 0, hits = 0;
    for (uint32_t i = 0; i < columns.count; ++i) {
        undecided += g_batch.kinds[i] == TRI_UNDECIDED;
        hits += g_batch.kinds[i] == grz_triSegment;
    }
    print_message("%u of %d undecided, %u meet\n", undecided, MOST, hits);
    assert_true(undecided < MOST / 500);
    assert_true(hits > MOST / 10);
}

// The difference of two coordinates.
static long double differenceOf(grzVec3 from, grzVec3 to, int axis) {
    return (long double)grzVec3_Get(to, axis) - (long double)grzVec3_Get(from, axis);
}

// How far three points are on one side of a plane; 0 where they are on both, or it is none.
static long double gapOf(const grzVec3 points[3], const grzVec3 plane[3]) {
    long double u[3], v[3], least = (long double)INFINITY, most = -(long double)INFINITY;
    for (int axis = 0; axis < 3; ++axis) {
        u[axis] = differenceOf(plane[0], plane[1], axis);
        v[axis] = differenceOf(plane[0], plane[2], axis);
    }
    const long double n[3] = {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]};
    const long double length = sqrtl(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    for (int i = 0; i < 3; ++i) {
        long double height = 0;
        for (int axis = 0; axis < 3; ++axis)
            height += n[axis] * differenceOf(plane[0], points[i], axis);
        least = fminl(least, height / length);
        most = fmaxl(most, height / length);
    }
    return length > 0 && fmaxl(least, -most) > 0 ? fmaxl(least, -most) : 0;
}

// What is far is farther than the margin; what is much farther, and of a usual shape, is far; all else is as without a margin.
static void farPairsAreFar(void** state) {
    (void)state;
    static const float margins[] = {1e-6f, 1e-3f, 0.1f, 1, 30};
    uint32_t farCount = 0;
    fillBatch(&g_batch, MOST, UINT32_MAX, testSeed(35));
    for (size_t m = 0; m < sizeof margins / sizeof margins[0]; ++m) {
        static uint8_t first[MOST];
        grzTriPairQuery query = queryOf(&g_batch);
        query.margin = margins[m];
        for (int level = 0; level < GRZ_SIMD_LEVEL_COUNT; ++level) {
            if (!grzSimd_Supports((grzSimdLevel)level))
                continue;
            grzClassifyTriPairs_At((grzSimdLevel)level)(&query, 0, query.count, g_batch.kinds);
            memcpy(first, level == 0 ? g_batch.kinds : first, sizeof first);
            assert_memory_equal(first, g_batch.kinds, query.count);
        }
        grzTriPairs_Classify(NULL, &query, g_batch.kinds);
        for (uint32_t i = 0; i < query.count; ++i) {
            grzVec3 a[3], b[3];
            for (size_t k = 0; k < 3; ++k) {
                a[k] = grzVec3_Load(g_batch.positions + 3 * g_batch.triangles[6 * i + 3 + k]);
                b[k] = grzVec3_Load(g_batch.positions + 3 * g_batch.triangles[6 * i + k]);
            }
            const long double gap = fmaxl(gapOf(a, b), gapOf(b, a));
            const bool isFar = g_batch.kinds[i] == GRZ_TRI_FAR;
            assert_true(g_batch.kinds[i] == g_batch.expected[i] || (isFar && g_batch.expected[i] == grz_triNone));
            assert_true(!isFar || gap > (long double)margins[m]);
            farCount += isFar;
        }
    }
    assert_true(farCount > MOST / 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(batchesSayWhatTheSingleTestSays),
        cmocka_unit_test(workersDoNotMatter),
        cmocka_unit_test(levelsAgreeBeforeTheExactTest),
        cmocka_unit_test(ordinaryPairsNeedNoExactTest),
        cmocka_unit_test(farPairsAreFar),
    };
    return cmocka_run_group_tests_name("tri_pairs", tests, NULL, NULL);
}
