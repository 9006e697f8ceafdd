// graze-bench over frames: which frames count, in which order sides run, and when a row is the same.
#define _POSIX_C_SOURCE 200809L // open_memstream
#include "testing.h"

#include "bench.h"

#define FRAMES 6
#define WINDOW 2

// A side that notes the frames it saw.
typedef struct Side {
    size_t runs;
    size_t frames[FRAMES + 2];
    size_t wrongFrame; // whose outcome differs; SIZE_MAX: none
} Side;

static size_t g_frame;
static Side g_sides[2];
static size_t g_limits[2];
static size_t g_sideCount;

static void advance(void* context) {
    assert_ptr_equal(context, &g_frame);
    g_frame++;
}

static void run(void* context) {
    Side* side = context;
    assert_true(side->runs < FRAMES + 1);
    side->frames[side->runs++] = g_frame;
    if (side == &g_sides[1])
        assert_int_equal(g_sides[0].runs, side->runs); // ours goes first
}

static uint64_t digest(void* context) {
    return g_frame + (((Side*)context)->wrongFrame == g_frame ? 100 : 0);
}

static bool isRight(void* context) {
    return context == &g_sides[0];
}

static void framesCase(Bench* bench) {
    BenchSide sides[] = {{"ours", NULL, run, digest, isRight, &g_sides[0], NULL},
                         {"theirs", NULL, run, digest, NULL, &g_sides[1], NULL}};
    BenchJob job = {.metric = "frame", .unit = "ns", .amount = 1, .n = 3, .workers = 1, .sides = sides};
    job.sideCount = g_sideCount;
    BenchFrames frames = {advance, &g_frame, FRAMES, g_limits, WINDOW};
    Bench_MeasureFrames(bench, &job, &frames);
}

static char* g_text;
static size_t g_size;

static int runCase(size_t sideCount, size_t theirLimit, size_t wrongFrame) {
    static const BenchCase cases[] = {{"motion", "", framesCase, 0}};
    static const BenchStage stage = {"fake", "", cases, 1};
    static const BenchStage* const stages[] = {&stage};
    BenchOptions options = {.stage = "fake", .repeats = BENCH_LEAST_REPEATS};
    g_frame = 0;
    g_sides[0] = (Side){.wrongFrame = SIZE_MAX};
    g_sides[1] = (Side){.wrongFrame = wrongFrame};
    g_limits[0] = FRAMES;
    g_limits[1] = theirLimit;
    g_sideCount = sideCount;
    free(g_text);
    FILE* file = open_memstream(&g_text, &g_size);
    int code = benchRun(stages, 1, &options, file, file);
    fclose(file);
    return code;
}

static size_t countOf(const char* word) {
    size_t count = 0;
    for (const char* at = strstr(g_text, word); at != NULL; at = strstr(at + 1, word))
        count++;
    return count;
}

static void everySideRunsEveryFrameOnceAndAWarmUp(void** state) {
    (void)state;
    assert_int_equal(runCase(2, FRAMES, SIZE_MAX), 0);
    for (size_t s = 0; s < 2; ++s) {
        assert_int_equal(g_sides[s].runs, FRAMES + 1);
        for (size_t i = 0; i <= FRAMES; ++i)
            assert_int_equal(g_sides[s].frames[i], i);
    }
    assert_int_equal(countOf("theirs"), 2);
    assert_int_equal(countOf("frame-late"), 1);
    assert_int_equal(countOf(" yes\n"), 2);
}

static void aSlowSideStopsAtItsLimit(void** state) {
    (void)state;
    assert_int_equal(runCase(2, 3, SIZE_MAX), 0);
    assert_int_equal(g_sides[0].runs, FRAMES + 1);
    assert_int_equal(g_sides[1].runs, 3 + 1);
    assert_int_equal(countOf(" yes\n"), 2);
}

static void oneWrongFrameMakesBothRowsDiffer(void** state) {
    (void)state;
    for (size_t wrong = 0; wrong <= FRAMES; ++wrong) {
        assert_int_equal(runCase(2, FRAMES, wrong), 1);
        assert_int_equal(countOf(" NO\n"), 2);
    }
    assert_int_equal(runCase(2, 3, 4), 0); // beyond its limit nobody looks
}

static void aSideAloneHasTwoRows(void** state) {
    (void)state;
    assert_int_equal(runCase(1, FRAMES, SIZE_MAX), 0);
    assert_int_equal(countOf(" yes\n"), 2);
    assert_int_equal(countOf("frame-late"), 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everySideRunsEveryFrameOnceAndAWarmUp),
        cmocka_unit_test(aSlowSideStopsAtItsLimit),
        cmocka_unit_test(oneWrongFrameMakesBothRowsDiffer),
        cmocka_unit_test(aSideAloneHasTwoRows),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    free(g_text);
    return failed;
}
