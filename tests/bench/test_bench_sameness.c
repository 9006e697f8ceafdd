// graze-bench notices a side that does nothing: on every stage, every row, with the other sides at work.
//
//   test_bench_sameness [SHARD COUNT]     every COUNT-th stage from number SHARD on; all stages by default
#include "program_testing.h"

#include "bench_stages.h"

#define MOST_ROWS   4096
#define MOST_STAGES 64

// A line of the JSON: which job it is of, which side of it stands beside ours, and the outcome.
typedef struct Row {
    char job[400]; // all up to the value
    size_t peer;   // 1 for the first; 0: none
    bool same;
} Row;

typedef struct Rows {
    Row rows[MOST_ROWS];
    size_t count;
    size_t mostPeers; // of a row
    int exitCode;
} Rows;

static Rows g_rows;
static const BenchStage* g_stages[MOST_STAGES]; // of this shard
static size_t g_stageCount;
static char g_path[] = "/tmp/graze-bench-XXXXXX";

// The rows of a job come in the order of its peers.
static size_t countRowsOf(const Rows* rows, const char* job) {
    size_t count = 0;
    for (size_t i = 0; i < rows->count; ++i)
        count += strcmp(rows->rows[i].job, job) == 0;
    return count;
}

static void addRow(Rows* rows, const char* line) {
    const char* value = strstr(line, ",\"value\":");
    assert_true(value != NULL && rows->count < MOST_ROWS);
    Row row = {.same = strstr(line, "\"same\":true") != NULL};
    assert_true((size_t)(value - line) < sizeof row.job);
    memcpy(row.job, line, (size_t)(value - line));
    if (strstr(value, "\"peer\":null") == NULL)
        row.peer = 1 + countRowsOf(rows, row.job);
    if (row.peer > rows->mostPeers)
        rows->mostPeers = row.peer;
    rows->rows[rows->count++] = row;
}

static void runAll(Rows* rows, uint32_t sabotaged) {
    BenchOptions options = {.quick = true, .repeats = BENCH_LEAST_REPEATS, .json = g_path};
#if defined(GRAZE_PEERS)
    options.peers = true;
#endif
    char line[1000];
    FILE* nowhere = fopen("/dev/null", "w");
    FILE* file = fopen(g_path, "w+");
    assert_true(nowhere != NULL && file != NULL);
    rows->count = rows->mostPeers = 0;
    rows->exitCode = benchRunSabotaged(g_stages, g_stageCount, &options, nowhere, stderr, sabotaged);
    while (fgets(line, sizeof line, file) != NULL)
        addRow(rows, line);
    fclose(file);
    fclose(nowhere);
    assert_true(rows->count > 0);
}

static void assertRow(const Row* row, bool same) {
    if (row->same != same)
        fail_msg("%s beside peer %zu: same is %s", row->job, row->peer, row->same ? "true" : "false");
}

static void everyRowIsTheSame(void** state) {
    (void)state;
    runAll(&g_rows, 0);
    for (size_t i = 0; i < g_rows.count; ++i)
        assertRow(&g_rows.rows[i], true);
    assert_int_equal(g_rows.exitCode, 0);
}

// Then each stage runs once.
static bool isBrief(void) {
    return testSize(0, 1) != 0;
}

static void noRowIsTheSameWhereNobodyDoesAnything(void** state) {
    (void)state;
    if (isBrief())
        return;
    runAll(&g_rows, UINT32_MAX);
    for (size_t i = 0; i < g_rows.count; ++i)
        assertRow(&g_rows.rows[i], false);
    assert_int_equal(g_rows.exitCode, 1);
}

static void noRowIsTheSameWhereOursDoesNothing(void** state) {
    (void)state;
    if (isBrief())
        return;
    runAll(&g_rows, 1);
    for (size_t i = 0; i < g_rows.count; ++i)
        assertRow(&g_rows.rows[i], false);
    assert_int_equal(g_rows.exitCode, 1);
}

static void aPeerThatDoesNothingIsNoticedAlone(void** state) {
    (void)state;
    if (isBrief())
        return;
    g_rows.mostPeers = 1;
    for (size_t peer = 1; peer <= g_rows.mostPeers; ++peer) {
        runAll(&g_rows, 1u << peer);
        for (size_t i = 0; i < g_rows.count; ++i)
            assertRow(&g_rows.rows[i], g_rows.rows[i].peer != peer);
        assert_int_equal(g_rows.exitCode, 1);
    }
}

static int makeFile(void** state) {
    (void)state;
    int descriptor = mkstemp(g_path);
    return descriptor < 0 ? -1 : close(descriptor);
}

static int removeFile(void** state) {
    (void)state;
    return remove(g_path);
}

// False where the shard has no stage.
static bool pickStages(size_t shard, size_t shardCount) {
    for (size_t i = shard; i < benchStageCount && g_stageCount < MOST_STAGES; i += shardCount)
        g_stages[g_stageCount++] = benchStages[i];
    return g_stageCount > 0 && benchStageCount <= MOST_STAGES;
}

int main(int argc, char** argv) {
    const size_t shard = argc == 3 ? strtoull(argv[1], NULL, 10) : 0;
    const size_t shardCount = argc == 3 ? strtoull(argv[2], NULL, 10) : 1;
    if ((argc != 1 && argc != 3) || shardCount == 0 || !pickStages(shard, shardCount)) {
        fprintf(stderr, "usage: test_bench_sameness [SHARD COUNT]\n");
        return 2;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everyRowIsTheSame),
        cmocka_unit_test(noRowIsTheSameWhereNobodyDoesAnything),
        cmocka_unit_test(noRowIsTheSameWhereOursDoesNothing),
        cmocka_unit_test(aPeerThatDoesNothingIsNoticedAlone),
    };
    return cmocka_run_group_tests_name("bench_sameness", tests, makeFile, removeFile);
}
