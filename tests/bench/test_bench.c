// graze-bench: options, statistics, rows, the outcome of checks, and the program's exit codes. No time is asserted.
#include "program_testing.h"

#include <math.h>

#include "bench_inputs.h"
#include "bench_machine.h"
#include "bench_report.h"
#include "bench_stages.h"
#include "bench_stats.h"
#include "mesh_write.h"

// ---- statistics ----

static void spreadIsMedianAndEnds(void** state) {
    (void)state;
    double odd[] = {5, 1, 4, 2, 3}, even[] = {8, 1, 2, 4}, one[] = {7};
    BenchSpread spread = benchSpread(odd, 5);
    assert_true(spread.median == 3 && spread.lower == 1 && spread.upper == 5);
    spread = benchSpread(even, 4);
    assert_true(spread.median == 3 && spread.lower == 1 && spread.upper == 8);
    spread = benchSpread(one, 1);
    assert_true(spread.median == 7 && spread.lower == 7 && spread.upper == 7);
}

static void ratioAboveOneMeansAhead(void** state) {
    (void)state;
    assert_true(benchRatio(2, 6, true) == 3);  // we took a third of the time
    assert_true(benchRatio(6, 2, false) == 3); // we did three times as much
    assert_true(benchRatio(6, 2, true) < 1);
    assert_true(isnan(benchRatio(0, 2, true)));
    assert_true(isnan(benchRatio(2, 0, false)));
}

// ---- options ----

static bool readOptions(const char* line, BenchOptions* options, char* error) {
    static char words[400]; // what the options point into
    char* arguments[32];
    int count = 0;
    snprintf(words, sizeof words, "%s", line);
    for (char* word = strtok(words, " "); word != NULL; word = strtok(NULL, " "))
        arguments[count++] = word;
    return BenchOptions_Read(options, count, arguments, error, 200);
}

static void optionsAreRead(void** state) {
    (void)state;
    BenchOptions options;
    char error[200];
    assert_true(readOptions("base --case hash --n 12 --workers 3 --mesh a.obj --mesh b.ply --pc2 s.pc2 --queries q "
                            "--frames f --quick --json out --svg d --peers --repeats 9",
                            &options, error));
    assert_string_equal(options.stage, "base");
    assert_string_equal(options.caseName, "hash");
    assert_string_equal(options.meshA, "a.obj");
    assert_string_equal(options.meshB, "b.ply");
    assert_string_equal(options.sequence, "s.pc2");
    assert_string_equal(options.queries, "q");
    assert_string_equal(options.frames, "f");
    assert_string_equal(options.json, "out");
    assert_string_equal(options.svg, "d");
    assert_true(options.n == 12 && options.workers == 3 && options.repeats == 9);
    assert_true(options.quick && options.peers && !options.list && !options.help);
    assert_true(readOptions("base", &options, error));
    assert_true(options.repeats >= BENCH_LEAST_REPEATS && options.n == 0 && options.caseName == NULL);
    assert_true(readOptions("--quick", &options, error));
    assert_int_equal(options.repeats, BENCH_LEAST_REPEATS);
    assert_true(readOptions("--repeats 8 --quick", &options, error));
    assert_int_equal(options.repeats, 8);
}

static void wrongOptionsAreOneSentence(void** state) {
    (void)state;
    static const char* const lines[][2] = {
        {"", "name a stage"},
        {"base tree", "one stage a run"},
        {"base --colour", "no option '--colour'"},
        {"base -n 3", "no option '-n'"},
        {"base --n", "--n needs a value"},
        {"base --json", "--json needs a value"},
        {"base --mesh", "--mesh needs a value"},
        {"base --n 0", "from 1 to"},
        {"base --n -1", "not '-1'"},
        {"base --n 3x", "not '3x'"},
        {"base --n 99999999999999999999999", "from 1 to"},
        {"base --workers two", "not 'two'"},
        {"base --repeats 4", "from 5 to"},
        {"base --mesh a --mesh b --mesh c", "given 2 times"},
        {"--quick --case hash", "--case needs a stage"},
    };
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; ++i) {
        BenchOptions options;
        char error[200];
        assert_false(readOptions(lines[i][0], &options, error));
        assert_non_null(strstr(error, lines[i][1]));
        assert_null(strchr(error, '\n'));
    }
}

// ---- rows ----

static char* g_text;
static size_t g_size;

// Opens g_text anew, for what is printed next.
static FILE* openText(void) {
    free(g_text);
    g_text = NULL;
    FILE* file = open_memstream(&g_text, &g_size);
    assert_non_null(file);
    return file;
}

static void assertJson(const BenchRow* row, const char* expected) {
    FILE* file = openText();
    benchPrintJson(file, row);
    fclose(file);
    assert_string_equal(g_text, expected);
}

static void jsonHasItsKeysInOrder(void** state) {
    (void)state;
    BenchRow row = {
        .stage = "base", .caseName = "sort", .metric = "time", .unit = "ns/key", .n = 1000, .workers = 2};
    row.value = (BenchSpread){1.5, 1, 2};
    row.peerValue = (BenchSpread){3, 3, 3};
    row.ratio = 2;
    row.same = true;
    row.variant = "pairs";
    row.peer = "qsort";
    assertJson(&row, "{\"stage\":\"base\",\"case\":\"sort/pairs\",\"n\":1000,\"workers\":2,\"metric\":\"time\","
                     "\"value\":1.5,\"unit\":\"ns/key\",\"peer\":\"qsort\",\"peer_value\":3,\"ratio\":2,"
                     "\"same\":true}\n");
    row.variant = row.peer = NULL;
    row.same = false;
    assertJson(&row, "{\"stage\":\"base\",\"case\":\"sort\",\"n\":1000,\"workers\":2,\"metric\":\"time\","
                     "\"value\":1.5,\"unit\":\"ns/key\",\"peer\":null,\"peer_value\":null,\"ratio\":null,"
                     "\"same\":false}\n");
}

static void jsonEscapesAndHasNoNan(void** state) {
    (void)state;
    BenchRow row = {.stage = "s\"\\", .caseName = "c\n", .metric = "\t", .unit = "µ", .peer = "p", .same = true};
    row.variant = "v\"";
    row.value = (BenchSpread){(double)INFINITY, 0, 0};
    row.ratio = (double)NAN;
    assertJson(&row,
               "{\"stage\":\"s\\\"\\\\\",\"case\":\"c\\u000a/v\\\"\",\"n\":0,\"workers\":0,\"metric\":\"\\u0009\","
               "\"value\":null,\"unit\":\"µ\",\"peer\":\"p\",\"peer_value\":0,\"ratio\":null,\"same\":true}\n");
}

static void tableScalesTimes(void** state) {
    (void)state;
    BenchRow row = {.stage = "s", .caseName = "c", .metric = "m", .unit = "ns/key", .peer = "p", .same = false};
    row.value = (BenchSpread){1234, 1000, 2000};
    row.peerValue = (BenchSpread){2.5e6, 2.5e6, 2.5e6};
    row.ratio = 2025.93;
    FILE* file = openText();
    benchPrintTableRow(file, &row);
    fclose(file);
    assert_non_null(strstr(g_text, "1.234 us/key"));
    assert_non_null(strstr(g_text, "1..2 "));
    assert_non_null(strstr(g_text, "2.500 ms/key"));
    assert_non_null(strstr(g_text, "2025.93"));
    assert_non_null(strstr(g_text, "NO\n"));
}

static void longNamesAreNotCut(void** state) {
    (void)state;
    char variant[500], name[520];
    memset(variant, 'v', sizeof variant - 1);
    memcpy(variant + sizeof variant - 4, "end", 4);
    snprintf(name, sizeof name, "case/%s", variant);
    BenchRow row = {.stage = "s", .caseName = "case", .metric = "m", .unit = "ns", .variant = variant, .n = 12345};
    FILE* file = openText();
    benchPrintTableRow(file, &row);
    fclose(file);
    assert_non_null(strstr(g_text, name));
    assert_non_null(strstr(g_text, " 12345 "));
    file = openText();
    benchPrintJson(file, &row);
    fclose(file);
    assert_non_null(strstr(g_text, name));
}

static void columnsStandUnderTheirHeads(void** state) {
    (void)state;
    BenchRow row = {.stage = "s", .caseName = "case", .metric = "m", .unit = "ns", .variant = "a/b", .n = 12345};
    FILE* file = openText();
    benchPrintTableHead(file);
    benchPrintTableRow(file, &row);
    fclose(file);
    const char* second = strchr(g_text, '\n') + 1;
    assert_int_equal(strstr(g_text, " n ") + 2 - g_text, strstr(second, "12345") + 5 - second);
}

// ---- measuring ----

// Cases of our own, whose sides agree or not.
typedef struct Fake {
    int cleared, prepared, runs;
    uint64_t digest;  // of what its runs leave
    uint64_t outcome; // left by the last run; 0: spoiled
    bool drifts;
    bool agrees;
} Fake;

static Fake g_fakes[2];
static bool g_usesAgrees; // of the peer
static bool g_isRate;

static void fakeClear(void* context) {
    Fake* fake = context;
    fake->cleared++;
    fake->outcome = 0;
}

static void fakePrepare(void* context) {
    ((Fake*)context)->prepared++;
}

static void fakeRun(void* context) {
    Fake* fake = context;
    assert_true(fake->cleared > 0);
    assert_int_equal(fake->prepared, fake->runs + 2); // once before every run, and once before all
    fake->runs++;
    fake->outcome = fake->drifts ? (uint64_t)fake->runs : fake->digest;
    benchSleep(30000);
}

static uint64_t fakeDigest(void* context) {
    return ((Fake*)context)->outcome;
}

static bool fakeAgrees(void* context) {
    return ((Fake*)context)->agrees;
}

static void fakeCase(Bench* bench) {
    BenchSide sides[] = {
        {"ours", fakePrepare, fakeRun, fakeDigest, NULL, &g_fakes[0], fakeClear},
        {"theirs", fakePrepare, fakeRun, fakeDigest, g_usesAgrees ? fakeAgrees : NULL, &g_fakes[1], fakeClear}};
    BenchJob job = {.metric = "m", .unit = g_isRate ? "x/s" : "ns", .isRate = g_isRate, .amount = 1, .n = 1};
    job.workers = 1;
    job.sides = sides;
    job.sideCount = 2;
    Bench_Measure(bench, &job);
}

static void measureAlone(Bench* bench, BenchSide side) {
    BenchJob job = {.metric = "m", .unit = "ns", .amount = 1, .workers = 1, .sides = &side, .sideCount = 1};
    Bench_Measure(bench, &job);
}

static void aloneCase(Bench* bench) {
    measureAlone(bench, (BenchSide){"ours", fakePrepare, fakeRun, fakeDigest, fakeAgrees, &g_fakes[0], fakeClear});
}

static void uncheckedCase(Bench* bench) {
    measureAlone(bench, (BenchSide){"ours", fakePrepare, fakeRun, fakeDigest, NULL, &g_fakes[0], fakeClear});
}

static void unspoiledRun(void* context) {
    ((Fake*)context)->outcome = 5;
    benchSleep(30000);
}

static void unspoiledCase(Bench* bench) {
    measureAlone(bench, (BenchSide){"ours", NULL, unspoiledRun, fakeDigest, fakeAgrees, &g_fakes[0], NULL});
}

static bool g_counterSame;

static void counterCase(Bench* bench) {
    BenchCounter counter = {.metric = "events", .unit = "events", .value = 10, .peer = "paper", .peerValue = 40};
    counter.same = g_counterSame;
    Bench_Count(bench, &counter);
}

static void noteCase(Bench* bench) {
    BenchCounter counter = {.metric = "quiet", .unit = "events", .value = 10, .same = g_counterSame};
    Bench_Note(bench, &counter);
}

static void failingCase(Bench* bench) {
    Bench_Fail(bench, "the %s is missing", "mesh");
    Bench_Fail(bench, "not this one");
}

static void skippingCase(Bench* bench) {
    Bench_Skip(bench, "no queries are here");
}

static void sizesCase(Bench* bench) {
    size_t workers[2], count = Bench_Workers(bench, workers);
    fprintf(bench->out, "size %zu workers %zu: %zu %zu\n", Bench_Size(bench, 100, 7), count, workers[0],
            count > 1 ? workers[1] : 0);
}

static void foldersCase(Bench* bench) {
    fprintf(bench->out, "queries %s frames %s\n", Bench_Queries(bench), Bench_Frames(bench));
}

// Asks for what it does not say that it uses.
static void slyCase(Bench* bench) {
    Bench_Size(bench, 100, 7);
}

static const BenchCase fakeCases[] = {{"pair", "", fakeCase, 0},
                                      {"alone", "", aloneCase, 0},
                                      {"unchecked", "", uncheckedCase, 0},
                                      {"unspoiled", "", unspoiledCase, 0},
                                      {"counter", "", counterCase, 0},
                                      {"failing", "", failingCase, 0},
                                      {"skipping", "", skippingCase, 0},
                                      {"sizes", "", sizesCase, bench_usesN | bench_usesWorkers},
                                      {"folders", "", foldersCase, bench_usesQueries | bench_usesFrames},
                                      {"sly", "", slyCase, bench_usesWorkers},
                                      {"plots", "", aloneCase, bench_usesPlots},
                                      {"note", "", noteCase, 0}};
static const BenchStage fakeStage = {"fake", "for tests", fakeCases, sizeof fakeCases / sizeof fakeCases[0]};
static const BenchStage emptyStage = {"empty", "nothing", fakeCases, 0};
static const BenchStage* const fakeStages[] = {&emptyStage, &fakeStage};

// Runs a case; what it printed, errors included, is in g_text until the next run.
static int runFakeSabotaged(const char* line, uint32_t sides) {
    BenchOptions options;
    char error[200];
    assert_true(readOptions(line, &options, error));
    FILE* file = openText();
    int code = benchRunSabotaged(fakeStages, 2, &options, file, file, sides);
    fclose(file);
    return code;
}

static int runFake(const char* line) {
    return runFakeSabotaged(line, 0);
}

static void setFakes(uint64_t ours, uint64_t theirs) {
    g_fakes[0] = (Fake){.digest = ours, .agrees = true};
    g_fakes[1] = (Fake){.digest = theirs};
    g_usesAgrees = g_isRate = false;
}

static void equalSidesAreTheSame(void** state) {
    (void)state;
    setFakes(5, 5);
    assert_int_equal(runFake("fake --case pair --quick"), 0);
    assert_non_null(strstr(g_text, "theirs"));
    assert_null(strstr(g_text, "NO"));
    assert_true(g_fakes[0].runs > BENCH_LEAST_REPEATS && g_fakes[1].runs > BENCH_LEAST_REPEATS); // and a warm-up
}

static void differentSidesAreNot(void** state) {
    (void)state;
    setFakes(5, 6);
    assert_int_equal(runFake("fake --case pair --quick"), 1);
    assert_non_null(strstr(g_text, "NO\n"));
}

static void anOwnCheckReplacesDigests(void** state) {
    (void)state;
    setFakes(5, 6);
    g_usesAgrees = true;
    g_fakes[1].agrees = true;
    assert_int_equal(runFake("fake --case pair --quick"), 0);
    setFakes(5, 5);
    g_usesAgrees = true;
    assert_int_equal(runFake("fake --case pair --quick"), 1);
}

static void aSideThatDriftsIsNotTheSame(void** state) {
    (void)state;
    setFakes(5, 5);
    g_fakes[0].drifts = true;
    assert_int_equal(runFake("fake --case alone --quick"), 1);
    setFakes(5, 5);
    g_usesAgrees = g_fakes[1].agrees = g_fakes[1].drifts = true;
    assert_int_equal(runFake("fake --case pair --quick"), 1);
    setFakes(5, 5);
    assert_int_equal(runFake("fake --case alone --quick"), 0);
}

static void aRunThatLeavesNothingIsNotTheSame(void** state) {
    (void)state;
    setFakes(0, 0); // what clear leaves
    assert_int_equal(runFake("fake --case pair --quick"), 1);
    setFakes(0, 0);
    assert_int_equal(runFake("fake --case alone --quick"), 1);
    setFakes(5, 5);
    assert_int_equal(runFake("fake --case unspoiled --quick"), 1); // whoever spoils nothing cannot show it
}

static void aRowWithoutAPeerNeedsACheck(void** state) {
    (void)state;
    setFakes(5, 5);
    assert_int_equal(runFake("fake --case unchecked --quick"), 1);
    setFakes(5, 5);
    g_fakes[0].agrees = false;
    assert_int_equal(runFake("fake --case alone --quick"), 1);
}

static void sabotagedSidesDoNothing(void** state) {
    (void)state;
    for (uint32_t sides = 0; sides < 4; ++sides) {
        setFakes(5, 5);
        assert_int_equal(runFakeSabotaged("fake --case pair --quick", sides), sides == 0 ? 0 : 1);
        assert_int_equal(g_fakes[0].runs == 0, sides & 1);
        assert_int_equal(g_fakes[1].runs == 0, sides >> 1);
    }
    setFakes(5, 5);
    assert_int_equal(runFakeSabotaged("fake --case pair --quick", 4), 0); // there is no such side
    g_counterSame = true;
    assert_int_equal(runFakeSabotaged("fake --case counter --quick", 1), 0);
    assert_null(strstr(g_text, "counter"));
}

static void countersReport(void** state) {
    (void)state;
    g_counterSame = true;
    assert_int_equal(runFake("fake --case counter"), 0);
    assert_non_null(strstr(g_text, "10 events"));
    assert_non_null(strstr(g_text, "4.00"));
    g_counterSame = false;
    assert_int_equal(runFake("fake --case counter"), 1);
}

static void notesAreOnlyForJson(void** state) {
    (void)state;
    char path[] = "/tmp/graze_note_XXXXXX", line[200];
    close(mkstemp(path));
    snprintf(line, sizeof line, "fake --case note --json %s", path);
    g_counterSame = true;
    assert_int_equal(runFake(line), 0);
    assert_null(strstr(g_text, "quiet"));
    FILE* file = fopen(path, "r");
    assert_non_null(fgets(line, sizeof line, file));
    fclose(file);
    remove(path);
    assert_non_null(strstr(line, "\"metric\":\"quiet\",\"value\":10"));
    g_counterSame = false;
    assert_int_equal(runFake("fake --case note"), 1);
}

static void failuresAndSkips(void** state) {
    (void)state;
    assert_int_equal(runFake("fake --case failing"), 2);
    assert_non_null(strstr(g_text, "graze-bench: the mesh is missing\n"));
    assert_null(strstr(g_text, "not this one"));
    assert_int_equal(runFake("fake --case skipping"), 2);
    assert_non_null(strstr(g_text, "no queries are here"));
}

static void optionsReachTheCases(void** state) {
    (void)state;
    assert_int_equal(runFake("fake --case sizes"), 0);
    assert_non_null(strstr(g_text, "size 100 workers 2: 1 2\n"));
    assert_int_equal(runFake("fake --case sizes --quick"), 0);
    assert_non_null(strstr(g_text, "size 7 workers 2: 1 2\n"));
    assert_int_equal(runFake("fake --case sizes --quick --n 42 --workers 5"), 0);
    assert_non_null(strstr(g_text, "size 42 workers 1: 5 0\n"));
    assert_int_equal(runFake("fake --case folders --queries here --frames there"), 0);
    assert_non_null(strstr(g_text, "queries here frames there\n"));
}

static void unusedOptionsAreRefused(void** state) {
    (void)state;
    static const char* const lines[][2] = {
        {"fake --case alone --n 3", "--n"},
        {"fake --case folders --workers 3", "--workers"},
        {"fake --case sizes --mesh a", "--mesh"},
        {"fake --case sizes --pc2 a", "--pc2"},
        {"fake --case sizes --queries a", "--queries"},
        {"fake --case sizes --frames a", "--frames"},
        {"fake --case sizes --svg a", "--svg"},
        {"fake --quick --mesh a", "--mesh"},
        {"empty --n 3", "--n"},
    };
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; ++i) {
        char expected[100];
        snprintf(expected, sizeof expected, "graze-bench: nothing in this run uses %s\n", lines[i][1]);
        assert_int_equal(runFake(lines[i][0]), 2);
        assert_string_equal(g_text, expected);
    }
    BenchOptions options = {.meshA = "a", .meshB = "b"};
    assert_null(BenchOptions_FindUnused(&options, bench_usesMesh | bench_usesSecondMesh));
    assert_string_equal(BenchOptions_FindUnused(&options, bench_usesMesh), "a second --mesh");
    assert_int_equal(runFake("fake --case sly --workers 2"), 2);
    assert_non_null(strstr(g_text, "the case sly does not say that it uses this option"));
}

static void plotsAreCheckedBeforeAnythingIsMeasured(void** state) {
    (void)state;
    setFakes(5, 5);
    assert_int_equal(runFake("fake --case plots --svg /no/such/folder"), 2);
    assert_string_equal(g_text, "graze-bench: cannot write plots to /no/such/folder: No such file or directory\n");
    assert_int_equal(runFake("fake --case plots --quick --svg /dev/null"), 2);
    assert_string_equal(g_text, "graze-bench: cannot write plots to /dev/null: expected a folder\n");
    assert_int_equal(g_fakes[0].runs, 0);
    assert_int_equal(runFake("fake --case plots --quick --svg /tmp"), 0);
    assert_true(g_fakes[0].runs > 0);
}

static void unknownNamesAreRefused(void** state) {
    (void)state;
    assert_int_equal(runFake("tea"), 2);
    assert_string_equal(g_text, "graze-bench: there is no stage 'tea'; --list names them\n");
    assert_int_equal(runFake("fake --case pot"), 2);
    assert_string_equal(g_text, "graze-bench: the stage fake has no case 'pot'; --list names them\n");
    assert_int_equal(runFake("empty --json /dev/null/x"), 2);
    assert_non_null(strstr(g_text, "cannot write /dev/null/x"));
}

static void aFullDiskIsNoticed(void** state) {
    (void)state;
    if (access("/dev/full", W_OK) != 0)
        skip();
    g_counterSame = true;
    assert_int_equal(runFake("fake --case counter --json /dev/full"), 2);
    assert_non_null(strstr(g_text, "cannot write /dev/full: No space left on device"));
}

static void ratesAreAmountsASecond(void** state) {
    (void)state;
    setFakes(1, 1);
    g_isRate = true;
    assert_int_equal(runFake("fake --case pair --quick"), 0);
    assert_non_null(strstr(g_text, "x/s"));
}

// ---- inputs ----

static void missingFilesFailTheRun(void** state) {
    (void)state;
    BenchOptions options;
    char error[200];
    MeshData mesh;
    SequenceData sequence;
    const char* name;
    const SequenceDef def = {sequenceSpheres, 100, 2};
    assert_true(readOptions("fake --mesh no/such.obj --pc2 no/such.pc2", &options, error));
    const BenchCase running = {"case", "", NULL, bench_usesMesh | bench_usesSecondMesh | bench_usesSequence};
    Bench bench = {.options = &options, .running = &running};
    assert_false(Bench_Mesh(&bench, false, shapeBox, 100, &mesh, &name));
    assert_true(bench.failed && strstr(bench.error, "no/such.obj") != NULL);
    bench.failed = false;
    assert_true(Bench_Mesh(&bench, true, shapeBox, 100, &mesh, &name)); // the second was not given
    assert_string_equal(name, "box");
    MeshData_Release(&mesh);
    assert_false(Bench_Sequence(&bench, &def, &mesh, &sequence, &name));
    options.meshA = NULL;
    bench.failed = false;
    assert_false(Bench_Sequence(&bench, &def, &mesh, &sequence, &name));
    assert_non_null(strstr(bench.error, "both --pc2 and --mesh"));
}

// ---- the list and the program ----

static void registryIsSound(void** state) {
    (void)state;
    assert_true(benchStageCount > 0);
    for (size_t i = 0; i < benchStageCount; ++i) {
        const BenchStage* stage = benchStages[i];
        assert_true(stage->name[0] != 0 && stage->about[0] != 0 && stage->caseCount > 0);
        for (size_t j = 0; j < i; ++j)
            assert_string_not_equal(stage->name, benchStages[j]->name);
        for (size_t c = 0; c < stage->caseCount; ++c) {
            assert_non_null(stage->cases[c].run);
            assert_true(stage->cases[c].name[0] != 0 && stage->cases[c].about[0] != 0);
            assert_null(strpbrk(stage->cases[c].name, " /")); // a slash begins the variant
            for (size_t d = 0; d < c; ++d)
                assert_string_not_equal(stage->cases[c].name, stage->cases[d].name);
        }
    }
}

static ProgramRun g_run;

static int runBench(const char* arguments) {
    return runProgram(&g_run, GRAZE_BENCH_PROGRAM, arguments);
}

static void theProgramListsAndHelps(void** state) {
    (void)state;
    assert_int_equal(runBench("--list"), 0);
    for (size_t i = 0; i < benchStageCount; ++i) {
        assert_non_null(strstr(g_run.text, benchStages[i]->name));
        for (size_t c = 0; c < benchStages[i]->caseCount; ++c)
            assert_non_null(strstr(g_run.text, benchStages[i]->cases[c].name));
    }
    assert_int_equal(runBench("--help"), 0);
    assert_non_null(strstr(g_run.text, "usage: graze-bench STAGE"));
    assert_non_null(strstr(g_run.text, "--repeats R"));
    assert_non_null(strstr(g_run.text, "without a peer the outcome must equal"));
}

static void theProgramRefusesBadUse(void** state) {
    (void)state;
    static const char* const lines[] = {"",
                                        "tea",
                                        "base --case pot",
                                        "base --n many",
                                        "base --queries q",
                                        "base --case hash --workers 2",
                                        "linmath --mesh no/such.obj",
                                        "base --repeats 1",
                                        "base --case read-mesh --mesh no/such.obj"};
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; ++i) {
        assert_int_equal(runBench(lines[i]), 2);
        assert_non_null(strstr(g_run.text, "graze-bench: "));
        bool isLate = strstr(lines[i], "read-mesh") != NULL; // only then has the machine been printed
        assert_true(isLate || strchr(g_run.text, '\n') == g_run.text + strlen(g_run.text) - 1);
    }
#if !defined(GRAZE_PEERS)
    assert_int_equal(runBench("linmath --quick --peers"), 2);
    assert_string_equal(g_run.text, "graze-bench: --peers needs a build with GRAZE_PEERS=ON\n");
#endif
}

static void theProgramReadsAGivenSequence(void** state) {
    (void)state;
    char folder[] = "/tmp/graze-bench-XXXXXX", path[100], line[300];
    assert_non_null(mkdtemp(folder));
    const SequenceDef def = {sequenceSpheres, 200, 3};
    MeshData mesh;
    SequenceData sequence;
    assert_true(grzResult_IsOk(makeSequence(&def, (grzAllocator){0}, &mesh, &sequence)));
    snprintf(path, sizeof path, "%s/s.obj", folder);
    assert_true(writeMesh(path, &mesh, NULL));
    snprintf(path, sizeof path, "%s/s.mdd", folder);
    assert_true(writeMdd(path, &sequence, NULL));
    snprintf(line, sizeof line, "base --case read-sequence --quick --mesh %s/s.obj --pc2 %s/s.mdd", folder, folder);
    assert_int_equal(runBench(line), 0);
    assert_non_null(strstr(g_run.text, "read-sequence/s.mdd"));
    snprintf(line, sizeof line, "base --case read-sequence --quick --mesh %s/s.obj", folder);
    assert_int_equal(runBench(line), 2);
    remove(path);
    snprintf(path, sizeof path, "%s/s.obj", folder);
    remove(path);
    rmdir(folder);
    MeshData_Release(&mesh);
    SequenceData_Release(&sequence);
}

static void anUnknownSimdLevelIsRefused(void** state) {
    (void)state;
    const char* usual = getenv("GRZ_SIMD");
    char* kept = usual != NULL ? strdup(usual) : NULL;
    setenv("GRZ_SIMD", "foo", 1);
    assert_int_equal(runBench("--list"), 2);
    assert_non_null(strstr(g_run.text, "graze-bench: GRZ_SIMD=foo is no SIMD level"));
    kept != NULL ? setenv("GRZ_SIMD", kept, 1) : unsetenv("GRZ_SIMD");
    free(kept);
}

static void theProgramAppendsJson(void** state) {
    (void)state;
    char path[] = "/tmp/graze-bench-XXXXXX", arguments[200], line[600];
    int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    close(descriptor);
    snprintf(arguments, sizeof arguments, "base --case hash --quick --json %s", path);
    assert_int_equal(runBench(arguments), 0);
    assert_non_null(strstr(g_run.text, "machine "));
    assert_non_null(strstr(g_run.text, "compiler "));
    assert_non_null(strstr(g_run.text, "commit "));
    assert_int_equal(runBench(arguments), 0);
    FILE* file = fopen(path, "r");
    assert_non_null(file);
    int lines = 0;
    for (; fgets(line, sizeof line, file) != NULL; ++lines) {
        assert_ptr_equal(strstr(line, "{\"stage\":\"base\",\"case\":\"hash\",\"n\":16384,\"workers\":1,"), line);
        assert_non_null(strstr(line, ",\"peer\":\"in pieces\",\"peer_value\":"));
        assert_non_null(strstr(line, ",\"same\":true}\n"));
    }
    assert_int_equal(lines, 2);
    fclose(file);
    remove(path);
}

static int freeText(void** state) {
    (void)state;
    free(g_run.text);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spreadIsMedianAndEnds),
        cmocka_unit_test(ratioAboveOneMeansAhead),
        cmocka_unit_test(optionsAreRead),
        cmocka_unit_test(wrongOptionsAreOneSentence),
        cmocka_unit_test(jsonHasItsKeysInOrder),
        cmocka_unit_test(jsonEscapesAndHasNoNan),
        cmocka_unit_test(tableScalesTimes),
        cmocka_unit_test(longNamesAreNotCut),
        cmocka_unit_test(columnsStandUnderTheirHeads),
        cmocka_unit_test(equalSidesAreTheSame),
        cmocka_unit_test(differentSidesAreNot),
        cmocka_unit_test(anOwnCheckReplacesDigests),
        cmocka_unit_test(aSideThatDriftsIsNotTheSame),
        cmocka_unit_test(aRunThatLeavesNothingIsNotTheSame),
        cmocka_unit_test(aRowWithoutAPeerNeedsACheck),
        cmocka_unit_test(sabotagedSidesDoNothing),
        cmocka_unit_test(countersReport),
        cmocka_unit_test(notesAreOnlyForJson),
        cmocka_unit_test(failuresAndSkips),
        cmocka_unit_test(optionsReachTheCases),
        cmocka_unit_test(unusedOptionsAreRefused),
        cmocka_unit_test(plotsAreCheckedBeforeAnythingIsMeasured),
        cmocka_unit_test(unknownNamesAreRefused),
        cmocka_unit_test(aFullDiskIsNoticed),
        cmocka_unit_test(ratesAreAmountsASecond),
        cmocka_unit_test(missingFilesFailTheRun),
        cmocka_unit_test(registryIsSound),
        cmocka_unit_test(theProgramListsAndHelps),
        cmocka_unit_test(theProgramRefusesBadUse),
        cmocka_unit_test(theProgramReadsAGivenSequence),
        cmocka_unit_test(anUnknownSimdLevelIsRefused),
        cmocka_unit_test(theProgramAppendsJson),
    };
    return cmocka_run_group_tests_name("bench", tests, NULL, freeText);
}
