// The advisor: what it counts against a plain count, what it chooses by a clock that we turn, what it refuses.
#include "testing.h"

#include <math.h>

#include "graze/tree_advise.h"
#include "graze/tree_pairs.h"
#include "rng.h"

// -------------------------------------------------------------------------------------------------- workloads

enum { objectCount = 300, frameCount = 3, queriesPerFrame = 4, opCapacity = 4000 };

typedef struct Workload {
    grzTreeOp ops[opCapacity];
    size_t count;
    grzTreeQuery queries[frameCount * queriesPerFrame];
    size_t queryCount;
    grzBox boxes[objectCount]; // now, by object
    bool isIn[objectCount];
    uint64_t hits, pairs; // that a plain count finds
} Workload;

static grzBox randomBox(grzRng* rng, float side, float least, float most) {
    float x = side * grzRng_Float(rng), y = side * grzRng_Float(rng), z = side * grzRng_Float(rng);
    grzVec3 lower = grzVec3_Make(x, y, z);
    return grzBox_Make(lower, grzAdd(lower, grzVec3_Splat(least + (most - least) * grzRng_Float(rng))));
}

static void add(Workload* work, grzTreeOp op) {
    assert_true(work->count < opCapacity);
    work->ops[work->count++] = op;
}

static void setBox(Workload* work, uint32_t object, grzBox box) {
    add(work, work->isIn[object] ? grzMakeUpdateOp(object, box) : grzMakeInsertOp(object, box));
    work->boxes[object] = box;
    work->isIn[object] = true;
}

static void countQuery(Workload* work, grzBox box) {
    for (int i = 0; i < objectCount; ++i)
        work->hits += work->isIn[i] && grzBox_Overlap(box, work->boxes[i]);
    grzTreeQuery* query = &work->queries[work->queryCount++];
    *query = grzMakeBoxQuery(box);
    add(work, grzMakeQueryOp(query));
}

static void countPairs(Workload* work) {
    for (int i = 0; i < objectCount; ++i)
        for (int j = i + 1; j < objectCount; ++j)
            work->pairs += work->isIn[i] && work->isIn[j] && grzBox_Overlap(work->boxes[i], work->boxes[j]);
    add(work, grzMakePairsOp());
}

// Frames of all kinds: all move, few move, some come and go.
static void fillWorkload(Workload* work, uint64_t seed) {
    grzRng rng = grzRng_Make(seed, 0);
    memset(work, 0, sizeof *work);
    for (uint32_t i = 0; i < objectCount; ++i)
        setBox(work, i, randomBox(&rng, 100, 1, 10));
    for (int frame = 0; frame < frameCount; ++frame) {
        uint32_t stride = frame == 0 ? 1 : 7;
        for (uint32_t i = 0; i < objectCount; i += stride)
            if (work->isIn[i])
                setBox(work, i, randomBox(&rng, 100, 1, 10));
        for (uint32_t i = (uint32_t)frame; i < objectCount; i += 11)
            if (work->isIn[i]) {
                add(work, grzMakeRemoveOp(i));
                work->isIn[i] = false;
            }
        for (int q = 0; q < queriesPerFrame; ++q)
            countQuery(work, randomBox(&rng, 90, 10, 30));
        countPairs(work);
        for (uint32_t i = 0; i < objectCount; i += 13)
            if (!work->isIn[i])
                setBox(work, i, randomBox(&rng, 100, 1, 10));
        countPairs(work);
    }
}

// A clock that goes on by one at each look.
static uint64_t countingClock(void* context) {
    return ++*(uint64_t*)context;
}

static grzTreeAdviceDef makeDef(const Workload* work, uint64_t* clock) {
    grzTreeAdviceDef def = grzDefaultTreeAdviceDef();
    def.ops = work->ops;
    def.opCount = work->count;
    def.clock = countingClock;
    def.clockContext = clock;
    return def;
}

// ------------------------------------------------------------------------------------------------------- tests

static void everyVariantFindsWhatIsThere(void** state) {
    (void)state;
    static Workload work;
    static grzTreeMeasurement table[GRZ_ADVICE_VARIANTS];
    uint64_t clock = 0;
    grzTreeAdvice advice;
    fillWorkload(&work, testSeed(71));
    grzTreeAdviceDef def = makeDef(&work, &clock);
    assert_true(grzResult_IsOk(grzTree_Advise(&def, table, GRZ_ADVICE_VARIANTS, &advice)));
    assert_true(work.hits > 50 && work.pairs > 50);
    for (size_t v = 0; v < GRZ_ADVICE_VARIANTS; ++v) {
        assert_int_equal(table[v].hitCount, work.hits);
        assert_int_equal(table[v].pairCount, work.pairs);
        assert_true(table[v].queryWork >= work.hits / 2 && table[v].pairWork >= work.pairs);
        assert_int_equal(table[v].work, table[v].changeWork + table[v].queryWork + table[v].pairWork);
        assert_int_equal(table[v].time, table[v].changeTime + table[v].queryTime + table[v].pairTime);
        assert_true(table[v].memoryBytes > 0);
    }
}

static void variantsAreAllDifferent(void** state) {
    (void)state;
    grzTreeVariant all[GRZ_ADVICE_VARIANTS];
    grzTree_AllVariants(all);
    for (size_t i = 0; i < GRZ_ADVICE_VARIANTS; ++i)
        for (size_t j = 0; j < i; ++j)
            assert_false(all[i].nesting == all[j].nesting && all[i].retention == all[j].retention &&
                         all[i].splitThreshold == all[j].splitThreshold);
}

static void thresholdsAreToldAsInForce(void** state) {
    (void)state;
    static Workload work;
    uint64_t clock = 0;
    grzTreeMeasurement table[2];
    grzTreeAdvice advice;
    const grzTreeVariant variants[] = {{grz_nestOctree, grz_retainNone, 0}, {grz_nestKd, grz_retainVolume, 17}};
    fillWorkload(&work, 5);
    grzTreeAdviceDef def = makeDef(&work, &clock);
    def.variants = variants;
    def.variantCount = 2;
    assert_true(grzResult_IsOk(grzTree_Advise(&def, table, 2, &advice)));
    assert_int_equal(table[0].variant.splitThreshold, grzTree_DefaultThreshold(grz_nestOctree, grz_retainNone));
    assert_int_equal(table[1].variant.splitThreshold, 17);
    assert_int_equal(table[1].variant.nesting, grz_nestKd);
    assert_int_equal(table[1].variant.retention, grz_retainVolume);
}

// Replays of three variants under a clock that makes one of them fast, once: each replay reads the clock as often.
typedef struct TurnedClock {
    uint64_t now, reads, readsPerReplay;
    uint64_t fastReplay;
} TurnedClock;

static uint64_t turnedClock(void* context) {
    TurnedClock* clock = context;
    bool isFast = clock->readsPerReplay != 0 && clock->reads / clock->readsPerReplay == clock->fastReplay;
    clock->reads++;
    return clock->now += isFast ? 1 : 100;
}

static void theFastestReplayWins(void** state) {
    (void)state;
    static Workload work;
    TurnedClock clock = {0};
    grzTreeMeasurement table[3];
    grzTreeAdvice advice;
    const grzTreeVariant variants[] = {{grz_nestOctree, grz_retainNone, 0},
                                       {grz_nestRank, grz_retainVolume, 50},
                                       {grz_nestKd, grz_retainVolume, 0}};
    fillWorkload(&work, 6);
    grzTreeAdviceDef def = makeDef(&work, NULL);
    def.clock = turnedClock;
    def.clockContext = &clock;
    def.variants = variants;
    def.variantCount = 3;
    def.margin = 0.25f;
    assert_true(grzResult_IsOk(grzTree_Advise(&def, table, 3, &advice)));
    assert_int_equal(advice.fastestIndex, 0); // all the same: the first
    clock.readsPerReplay = clock.reads / (3 * def.repeats);
    for (uint64_t replay = 0; replay < 3 * def.repeats; ++replay) {
        clock.reads = 0;
        clock.fastReplay = replay;
        assert_true(grzResult_IsOk(grzTree_Advise(&def, table, 3, &advice)));
        assert_int_equal(advice.fastestIndex, replay % 3);
        assert_true(table[replay % 3].time < table[(replay + 1) % 3].time);
        assert_int_equal(advice.fastest.nesting, variants[replay % 3].nesting);
        assert_int_equal(advice.fastest.retention, variants[replay % 3].retention);
        assert_true(advice.fastest.margin == 0.25f);
        grzTree* tree;
        assert_true(grzResult_IsOk(grzTree_Create(&advice.fastest, &tree)));
        grzTree_Destroy(tree);
    }
}

static void theLeastWorkWins(void** state) {
    (void)state;
    static Workload work;
    static grzTreeMeasurement table[GRZ_ADVICE_VARIANTS];
    uint64_t clock = 0;
    grzTreeAdvice advice;
    fillWorkload(&work, 8);
    grzTreeAdviceDef def = makeDef(&work, &clock);
    assert_true(grzResult_IsOk(grzTree_Advise(&def, table, GRZ_ADVICE_VARIANTS, &advice)));
    for (size_t v = 0; v < GRZ_ADVICE_VARIANTS; ++v)
        assert_true(table[v].work > table[advice.leastWorkIndex].work ||
                    (table[v].work == table[advice.leastWorkIndex].work && v >= advice.leastWorkIndex));
    assert_int_equal(advice.leastWork.nesting, table[advice.leastWorkIndex].variant.nesting);
}

// A threshold that no leaf reaches leaves one leaf: every object is compared with all.
static void workIsWhatTheHeaderSays(void** state) {
    (void)state;
    static Workload work;
    uint64_t clock = 0;
    grzTreeMeasurement table[1];
    grzTreeAdvice advice;
    const grzTreeVariant flat = {grz_nestKd, grz_retainNone, 1000};
    memset(&work, 0, sizeof work);
    for (uint32_t i = 0; i < 20; ++i)
        setBox(&work, i, grzBox_Make(grzVec3_Splat((float)i), grzVec3_Splat((float)i + 0.5f)));
    countQuery(&work, grzBox_Make(grzVec3_Splat(3), grzVec3_Splat(5)));
    countPairs(&work);
    grzTreeAdviceDef def = makeDef(&work, &clock);
    def.variants = &flat;
    def.variantCount = 1;
    assert_true(grzResult_IsOk(grzTree_Advise(&def, table, 1, &advice)));
    assert_int_equal(table[0].changeWork, 0);
    assert_int_equal(table[0].queryWork, 1 + 20);
    assert_int_equal(table[0].pairWork, 20 * 20);
    assert_int_equal(table[0].hitCount, 3);
    assert_int_equal(table[0].pairCount, 0);
    assert_int_equal(table[0].depth, 0);
    // One look at each end of three runs.
    assert_int_equal(clock, def.repeats * 2 * 3);
    assert_int_equal(table[0].time, 3);
}

static void workersChangeNothingButTime(void** state) {
    (void)state;
    static Workload work;
    static grzTreeMeasurement one[GRZ_ADVICE_VARIANTS], many[GRZ_ADVICE_VARIANTS];
    uint64_t clock = 0;
    grzTreeAdvice advice;
    fillWorkload(&work, 9);
    grzTreeAdviceDef def = makeDef(&work, &clock);
    def.repeats = 1;
    assert_true(grzResult_IsOk(grzTree_Advise(&def, one, GRZ_ADVICE_VARIANTS, &advice)));
    static const uint32_t workers[] = {1, 2, 3, 8};
    for (size_t w = 0; w < 4; ++w) {
        grzTasksDef tasksDef = grzDefaultTasksDef();
        tasksDef.workerCount = workers[w];
        assert_true(grzResult_IsOk(grzTasks_Create(&tasksDef, &def.tasks)));
        clock = 0;
        assert_true(grzResult_IsOk(grzTree_Advise(&def, many, GRZ_ADVICE_VARIANTS, &advice)));
        grzTasks_Destroy(def.tasks);
        for (size_t v = 0; v < GRZ_ADVICE_VARIANTS; ++v) {
            one[v].memoryBytes = many[v].memoryBytes; // compared as bytes otherwise
            assert_memory_equal(&one[v], &many[v], sizeof one[v]);
        }
    }
}

// Hits of a query after updates of one or both of two objects, with a margin of 1.
static uint64_t hitsAfter(const grzTreeOp* updates, size_t count, float at) {
    const grzBox boxes[] = {grzBox_Make(grzVec3_Splat(0), grzVec3_Splat(1)),
                            grzBox_Make(grzVec3_Splat(100), grzVec3_Splat(101))};
    grzTreeQuery query = grzMakeBoxQuery(grzBox_Make(grzVec3_Splat(at), grzVec3_Splat(at)));
    grzTreeOp ops[8] = {grzMakeInsertOp(0, boxes[0]), grzMakeInsertOp(1, boxes[1])};
    uint64_t clock = 0;
    grzTreeMeasurement table[1];
    grzTreeAdvice advice;
    const grzTreeVariant variant = {grz_nestRank, grz_retainVolume, 0};
    memcpy(ops + 2, updates, count * sizeof *updates);
    ops[2 + count] = grzMakeQueryOp(&query);
    grzTreeAdviceDef def = grzDefaultTreeAdviceDef();
    def.ops = ops;
    def.opCount = count + 3;
    def.variants = &variant;
    def.variantCount = 1;
    def.margin = 1;
    def.clock = countingClock;
    def.clockContext = &clock;
    assert_true(grzResult_IsOk(grzTree_Advise(&def, table, 1, &advice)));
    return table[0].hitCount;
}

// UpdateMany leaves a box that is still within its margin as it was, [-1, 2]; UpdateAll makes it [-0.5, 2.5].
static void runsThatNameAllAreOneUpdateAll(void** state) {
    (void)state;
    const grzTreeOp first = grzMakeUpdateOp(0, grzBox_Make(grzVec3_Splat(0.5f), grzVec3_Splat(1.5f)));
    const grzTreeOp second = grzMakeUpdateOp(1, grzBox_Make(grzVec3_Splat(100), grzVec3_Splat(101)));
    assert_int_equal(hitsAfter((grzTreeOp[]){second, first}, 2, 2.3f), 1);
    assert_int_equal(hitsAfter((grzTreeOp[]){second, first, first}, 3, 2.3f), 1);
    assert_int_equal(hitsAfter((grzTreeOp[]){first}, 1, 2.3f), 0);
    assert_int_equal(hitsAfter((grzTreeOp[]){first, first}, 2, 2.3f), 0); // one of two, twice
    assert_int_equal(hitsAfter((grzTreeOp[]){first, first}, 2, 100.5f), 1);
}

static void eachFindIsOne(void** state) {
    (void)state;
    const grzBox box = grzBox_Make(grzVec3_Splat(0), grzVec3_Splat(1));
    const grzTreeOp ops[] = {grzMakeInsertOp(0, box), grzMakeInsertOp(1, box), grzMakePairsOp(), grzMakePairsOp()};
    grzTreeMeasurement table[GRZ_ADVICE_VARIANTS];
    grzTreeAdvice advice;
    grzTreeAdviceDef def = grzDefaultTreeAdviceDef();
    def.ops = ops;
    def.opCount = 4;
    assert_true(grzResult_IsOk(grzTree_Advise(&def, table, GRZ_ADVICE_VARIANTS, &advice)));
    assert_int_equal(table[0].pairCount, 2);
    assert_int_equal(table[0].pairWork, 2 * 2 * 2);
}

// ----------------------------------------------------------------------------------------------------- refusals

static grzResult adviseOps(const grzTreeOp* ops, size_t count) {
    grzTreeMeasurement table[1];
    grzTreeAdvice advice;
    const grzTreeVariant variant = {grz_nestRank, grz_retainVolume, 0};
    grzTreeAdviceDef def = grzDefaultTreeAdviceDef();
    def.ops = ops;
    def.opCount = count;
    def.variants = &variant;
    def.variantCount = 1;
    return grzTree_Advise(&def, table, 1, &advice);
}

static void assertRefused(const grzTreeOp* ops, size_t count, grzStatus status) {
    grzResult result = adviseOps(ops, count);
    assert_int_equal(result.status, status);
    assert_int_equal(result.part, grz_partElement);
    assert_int_equal(result.index, count - 1); // the last one is the wrong one
}

static void wrongOperationsAreNamed(void** state) {
    (void)state;
    const grzBox box = grzBox_Make(grzVec3_Splat(0), grzVec3_Splat(1));
    const grzBox inverted = grzBox_Make(grzVec3_Splat(1), grzVec3_Splat(0));
    const grzBox nan = grzBox_Make(grzVec3_Splat(0), grzVec3_Make(1, NAN, 1));
    const grzTreeOp insert = grzMakeInsertOp(3, box), update = grzMakeUpdateOp(3, box), remove = grzMakeRemoveOp(3);
    grzTreeQuery wrong = grzMakeBoxQuery(nan);
    grzTreeOp unknown = insert;
    unknown.kind = (grzTreeOpKind)77;
    assertRefused((grzTreeOp[]){update}, 1, grz_staleHandle);
    assertRefused((grzTreeOp[]){remove}, 1, grz_staleHandle);
    assertRefused((grzTreeOp[]){insert, insert}, 2, grz_badArgument);
    assertRefused((grzTreeOp[]){insert, update, insert}, 3, grz_badArgument);
    assertRefused((grzTreeOp[]){insert, remove, remove}, 3, grz_staleHandle);
    assertRefused((grzTreeOp[]){insert, remove, update}, 3, grz_staleHandle);
    assertRefused((grzTreeOp[]){insert, grzMakeUpdateOp(4, box)}, 2, grz_staleHandle);
    assertRefused((grzTreeOp[]){insert, grzMakeInsertOp(4, inverted)}, 2, grz_invertedBounds);
    assertRefused((grzTreeOp[]){insert, grzMakeUpdateOp(3, nan)}, 2, grz_notFinite);
    assertRefused((grzTreeOp[]){insert, grzMakeQueryOp(NULL)}, 2, grz_badArgument);
    assertRefused((grzTreeOp[]){insert, grzMakeQueryOp(&wrong)}, 2, grz_badArgument);
    assertRefused((grzTreeOp[]){insert, unknown}, 2, grz_badArgument);
    assertRefused((grzTreeOp[]){{.kind = grz_noOp}}, 1, grz_badArgument);
    assert_true(grzResult_IsOk(adviseOps((grzTreeOp[]){insert, remove, insert, update, update}, 5)));
    assert_true(grzResult_IsOk(adviseOps((grzTreeOp[]){grzMakePairsOp()}, 1)));
}

static void wrongDefsAreRefused(void** state) {
    (void)state;
    const grzTreeOp op = grzMakePairsOp();
    static grzTreeMeasurement table[GRZ_ADVICE_VARIANTS];
    grzTreeAdvice advice;
    grzTreeVariant unknown = {(grzNesting)9, grz_retainNone, 0};
    grzTreeAdviceDef good = grzDefaultTreeAdviceDef(), def;
    good.ops = &op;
    good.opCount = 1;
    def = good, def.mark = 0;
    assert_int_equal(grzTree_Advise(&def, table, GRZ_ADVICE_VARIANTS, &advice).status, grz_badDef);
    assert_int_equal(grzTree_Advise(NULL, table, GRZ_ADVICE_VARIANTS, &advice).status, grz_badDef);
    def = good, def.allocator.release = grzDefaultAllocator().release;
    assert_int_equal(grzTree_Advise(&def, table, GRZ_ADVICE_VARIANTS, &advice).status, grz_badArgument);
    def = good, def.opCount = 0;
    assert_int_equal(grzTree_Advise(&def, table, GRZ_ADVICE_VARIANTS, &advice).status, grz_badArgument);
    def = good, def.repeats = 0;
    assert_int_equal(grzTree_Advise(&def, table, GRZ_ADVICE_VARIANTS, &advice).status, grz_badArgument);
    def = good, def.margin = -1;
    assert_int_equal(grzTree_Advise(&def, table, GRZ_ADVICE_VARIANTS, &advice).status, grz_badArgument);
    def = good, def.variants = &unknown;
    assert_int_equal(grzTree_Advise(&def, table, GRZ_ADVICE_VARIANTS, &advice).status, grz_badArgument);
    def.variantCount = 1;
    assert_int_equal(grzTree_Advise(&def, table, GRZ_ADVICE_VARIANTS, &advice).status, grz_badArgument);
    grzResult result = grzTree_Advise(&good, table, GRZ_ADVICE_VARIANTS - 1, &advice);
    assert_int_equal(result.status, grz_bufferTooSmall);
    assert_int_equal(result.value, GRZ_ADVICE_VARIANTS);
    assert_true(grzResult_IsOk(grzTree_Advise(&good, table, GRZ_ADVICE_VARIANTS, &advice)));
}

// Refused memory is a result or slows a tree down; nothing is lost either way.
static void refusedMemoryIsAResult(void** state) {
    (void)state;
    static Workload work;
    uint64_t clock = 0;
    grzTreeMeasurement table[2];
    grzTreeAdvice advice;
    const grzTreeVariant variants[] = {{grz_nestRank, grz_retainVolume, 0},
                                       {grz_nestIcoseptree, grz_retainNone, 0}};
    fillWorkload(&work, 12);
    size_t failAt = 0;
    for (bool refused = true; refused; failAt += 1 + failAt / 20) {
        TestMemory memory = {.failAt = failAt};
        grzTreeAdviceDef def = makeDef(&work, &clock);
        def.variants = variants;
        def.variantCount = 2;
        def.repeats = 1;
        def.allocator = testAllocator(&memory);
        grzResult result = grzTree_Advise(&def, table, 2, &advice);
        assert_true(grzResult_IsOk(result) || result.status == grz_outOfMemory);
        if (grzResult_IsOk(result))
            assert_int_equal(table[1].pairCount, work.pairs);
        assert_int_equal(memory.liveCount, 0);
        refused = memory.requests > failAt;
    }
    assert_true(failAt > 20);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everyVariantFindsWhatIsThere),
        cmocka_unit_test(variantsAreAllDifferent),
        cmocka_unit_test(thresholdsAreToldAsInForce),
        cmocka_unit_test(theFastestReplayWins),
        cmocka_unit_test(theLeastWorkWins),
        cmocka_unit_test(workIsWhatTheHeaderSays),
        cmocka_unit_test(runsThatNameAllAreOneUpdateAll),
        cmocka_unit_test(eachFindIsOne),
        cmocka_unit_test(workersChangeNothingButTime),
        cmocka_unit_test(wrongOperationsAreNamed),
        cmocka_unit_test(wrongDefsAreRefused),
        cmocka_unit_test(refusedMemoryIsAResult),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
