// Rows of pairs over lives of random pairs, without a world: which last, which begin, and what they hold.
#include "testing.h"

#include "graze/stage/step_contacts.h"
#include "graze/tasks.h"
#include "rng.h"

enum { KEYS = 60, MOST = KEYS * (KEYS - 1) / 2, MOST_ROWS = 3 * MOST, BLOCKS = MOST / GRZ_PAIR_BLOCK + 1 };

typedef struct Life {
    grzPairTable* table;
    grzPairRow rows[MOST_ROWS];
    grzPairBlock blocks[BLOCKS];
    grzStepPairs pairs;
    uint32_t rows1[KEYS]; // bodies change their rows from step to step
    struct {
        float before;
        uint32_t generation;
    } bodies[KEYS];              // by row
    uint32_t generations[KEYS];  // by key
    uint32_t births[KEYS][KEYS]; // 0: no pair
    grzBodyPair listed[MOST];
    uint32_t listedCount, removed[KEYS], removedCount, born;
} Life;

static void makeLife(Life* life) {
    const grzPairTableDef def = grzDefaultPairTableDef();
    memset(life, 0, sizeof *life);
    assert_true(grzResult_IsOk(grzPairTable_Create(&def, &life->table)));
    life->pairs.rows = life->rows, life->pairs.blocks = life->blocks;
    for (uint32_t key = 0; key < KEYS; ++key)
        life->rows1[key] = 1 + key;
}

// Some pairs come and go, some bodies are replaced, and some swap their rows.
static void drawStep(Life* life, grzRng* rng) {
    life->listedCount = life->removedCount = 0;
    for (uint32_t key = 0; key < KEYS; ++key)
        if (grzRng_Below(rng, 15) == 0) {
            life->removed[life->removedCount++] = key;
            ++life->generations[key];
        }
    for (int i = 0; i < 5; ++i) {
        const uint32_t a = grzRng_Below(rng, KEYS), b = grzRng_Below(rng, KEYS), row1 = life->rows1[a];
        life->rows1[a] = life->rows1[b], life->rows1[b] = row1;
    }
    for (uint32_t key = 0; key < KEYS; ++key)
        life->bodies[life->rows1[key] - 1].generation = life->generations[key];
    for (uint32_t a = 0; a < KEYS; ++a)
        for (uint32_t b = a + 1; b < KEYS; ++b)
            if ((life->births[a][b] != 0) != (grzRng_Below(rng, 6) == 0))
                life->listed[life->listedCount++] = (grzBodyPair){a, b};
}

static bool isRemoved(const Life* life, uint32_t key) {
    for (uint32_t i = 0; i < life->removedCount; ++i)
        if (life->removed[i] == key)
            return true;
    return false;
}

static grzBroadInput inputOf(const Life* life) {
    grzBroadInput input = grzDefaultBroadInput();
    input.pairs = life->listed, input.pairCount = life->listedCount;
    input.removed = life->removed, input.removedCount = life->removedCount;
    input.rows1 = life->rows1;
    input.generations = &life->bodies[0].generation, input.generationStride = sizeof *life->bodies;
    input.rowCapacity = MOST_ROWS;
    return input;
}

// Rows of pairs that last have what the last step found, and the number of their birth in a pose.
static void checkStep(const Life* life) {
    const grzPairFound nothing = {0};
    assert_int_equal(life->pairs.count, life->listedCount);
    for (uint32_t i = 0; i < life->pairs.count; ++i) {
        const grzPairRow* row = grzStepPairs_At(&life->pairs, i);
        const uint32_t a = life->listed[i].a, b = life->listed[i].b, birth = life->births[a][b];
        const bool isNew = birth == 0 || isRemoved(life, a) || isRemoved(life, b);
        assert_int_equal(row->isNew, isNew);
        assert_true(row->a == life->rows1[a] - 1 && row->b == life->rows1[b] - 1);
        assert_true(row->idA.index1 == a + 1 && row->idB.index1 == b + 1);
        assert_true(row->idA.generation == life->generations[a] && row->idB.generation == life->generations[b]);
        assert_memory_equal(&row->found[life->pairs.now], &nothing, sizeof nothing);
        assert_int_equal(row->found[1 - life->pairs.now].contactCount, isNew ? 0 : birth);
        if (!isNew)
            assert_true(row->poses[1].shift.x == (float)birth);
    }
    for (uint32_t i = 0; i < grzStepPairs_BlockCount(life->pairs.count); ++i) {
        const grzPairBlock none = {0};
        assert_memory_equal(&life->blocks[i], &none, sizeof none);
    }
}

// The step is done: each pair's row gets its birth, which it is to keep.
static void endStep(Life* life) {
    static uint32_t births[KEYS][KEYS];
    memset(births, 0, sizeof births);
    for (uint32_t i = 0; i < life->pairs.count; ++i) {
        grzPairRow* row = grzStepPairs_At(&life->pairs, i);
        const uint32_t a = life->listed[i].a, b = life->listed[i].b;
        births[a][b] = row->isNew ? ++life->born : life->births[a][b];
        row->found[life->pairs.now].contactCount = births[a][b];
        row->poses[1].shift.x = (float)births[a][b];
    }
    memcpy(life->births, births, sizeof births);
}

static void rowsLastAsPairsDo(void** state) {
    (void)state;
    static Life life;
    grzRng rng = grzRng_Make(testSeed(870), 0);
    makeLife(&life);
    for (int step = 0; step < 60; ++step) {
        const grzStepPairs before = life.pairs;
        drawStep(&life, &rng);
        memset(life.blocks, 0xA5, sizeof life.blocks);
        const grzBroadInput input = inputOf(&life);
        assert_true(grzResult_IsOk(grzStep_Broad(life.table, &input, &life.pairs)));
        assert_int_equal(life.pairs.now, 1 - before.now);
        checkStep(&life);
        if (step % 4 == 3) { // refused later on, and done again
            assert_true(grzPairTable_TakeBack(life.table));
            life.pairs = before;
            assert_true(grzResult_IsOk(grzStep_Broad(life.table, &input, &life.pairs)));
            checkStep(&life);
        }
        endStep(&life);
    }
    assert_true(life.born > 1000);
    grzPairTable_Destroy(life.table);
}

// Without a map keys are rows; without generations ids have none.
static void keysAreRows(void** state) {
    (void)state;
    static Life life;
    const grzBodyPair pairs[] = {{3, 9}, {4, 5}};
    makeLife(&life);
    grzBroadInput input = grzDefaultBroadInput();
    input.pairs = pairs, input.pairCount = 2, input.rowCapacity = MOST_ROWS;
    assert_true(grzResult_IsOk(grzStep_Broad(life.table, &input, &life.pairs)));
    const grzPairRow* row = grzStepPairs_At(&life.pairs, 0);
    assert_true(row->a == 3 && row->b == 9 && row->idB.index1 == 10 && row->idB.generation == 0);
    grzPairTable_Destroy(life.table);
}

static void tooFewRowsAreRefused(void** state) {
    (void)state;
    static Life life;
    grzRng rng = grzRng_Make(testSeed(871), 0);
    makeLife(&life);
    for (int step = 0; step < 10; ++step) {
        drawStep(&life, &rng);
        grzBroadInput input = inputOf(&life);
        const grzStepPairs before = life.pairs;
        const size_t count = grzPairTable_GetStats(life.table).pairCount;
        input.rowCapacity = 3;
        const grzResult result = grzStep_Broad(life.table, &input, &life.pairs);
        assert_true(result.status == grz_bufferTooSmall && result.value >= life.listedCount);
        assert_memory_equal(&life.pairs, &before, sizeof before);
        assert_int_equal(grzPairTable_GetStats(life.table).pairCount, count);
        input.rowCapacity = result.value;
        assert_true(grzResult_IsOk(grzStep_Broad(life.table, &input, &life.pairs)));
        checkStep(&life);
        endStep(&life);
    }
    grzStepPairs wrong = {.now = 2};
    const grzBroadInput input = inputOf(&life);
    assert_int_equal(grzStep_Broad(life.table, &input, &wrong).status, grz_badArgument);
    grzPairTable_Destroy(life.table);
}

static void theSameRowsForAnyNumberOfWorkers(void** state) {
    (void)state;
    static Life one, many;
    grzTasksDef def = grzDefaultTasksDef();
    def.workerCount = 3;
    grzTasks* tasks;
    assert_true(grzResult_IsOk(grzTasks_Create(&def, &tasks)));
    grzRng rngs[2] = {grzRng_Make(testSeed(872), 0), grzRng_Make(testSeed(872), 0)};
    makeLife(&one);
    makeLife(&many);
    for (int step = 0; step < 12; ++step) {
        for (int i = 0; i < 2; ++i) {
            Life* life = i == 0 ? &one : &many;
            drawStep(life, &rngs[i]);
            grzBroadInput input = inputOf(life);
            input.tasks = i == 0 ? NULL : tasks;
            assert_true(grzResult_IsOk(grzStep_Broad(life->table, &input, &life->pairs)));
            checkStep(life);
            endStep(life);
        }
        assert_memory_equal(one.rows, many.rows, sizeof one.rows);
    }
    grzPairTable_Destroy(one.table);
    grzPairTable_Destroy(many.table);
    grzTasks_Destroy(tasks);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rowsLastAsPairsDo),
        cmocka_unit_test(keysAreRows),
        cmocka_unit_test(tooFewRowsAreRefused),
        cmocka_unit_test(theSameRowsForAnyNumberOfWorkers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
