// The stage "kinetic": its cloth meets what it falls on, growth looks at one motion at all resolutions, runs end where they say
// and come to what a look at all positions gives; a folder of sequences is found or skipped; figures are written.
#define _POSIX_C_SOURCE 200809L // mkdtemp, open_memstream, setenv
#include "testing.h"

#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench_stages.h"
#include "kinetic_field.h"
#include "kinetic_growth.h"
#include "kinetic_headline.h"
#include "kinetic_scene.h"
#include "kinetic_ways.h"
#include "mesh_write.h"
#include "shapes.h"

static const BenchOptions quick = {.quick = true, .repeats = BENCH_LEAST_REPEATS};
static const BenchCase anyCase = {"any", "", NULL, ~0u};

static Bench makeBench(void) {
    return (Bench){.options = &quick, .running = &anyCase, .allocator = grzDefaultAllocator(), .out = stderr};
}

// ---- the scene ----

static size_t countTouching(const KineticScene* scene, SequenceKind kind, size_t frame) {
    size_t count = 0;
    for (size_t v = 0; v < scene->vertexCount; ++v) {
        float normal[3];
        count += sequenceObstacle(kind, KineticScene_Frame(scene, frame) + 3 * v, normal) < SEQUENCE_MARGIN + 1e-5f;
    }
    return count;
}

static float heightOf(const KineticScene* scene, size_t frame) {
    float lower = (float)INFINITY, upper = -lower;
    for (size_t v = 0; v < scene->vertexCount; ++v) {
        lower = fminf(lower, KineticScene_Frame(scene, frame)[3 * v + 1]);
        upper = fmaxf(upper, KineticScene_Frame(scene, frame)[3 * v + 1]);
    }
    return upper - lower;
}

static void clothMeetsWhatItFallsOnFromTheFirstIntervalOn(void** state) {
    (void)state;
    for (int kind = sequenceTablecloth; kind <= sequenceDrape; ++kind) {
        Bench bench = makeBench();
        const SequenceDef def = {(SequenceKind)kind, 600, 4};
        KineticScene scene;
        assert_true(KineticScene_Make(&bench, &def, 1, &scene));
        assert_int_equal(scene.frameCount, 4);
        assert_int_equal(countTouching(&scene, def.kind, 0), 0);
        for (size_t frame = 1; frame < 4; ++frame)
            assert_true(countTouching(&scene, def.kind, frame) > 0);
        assert_true(heightOf(&scene, 3) > 0.01f); // it was flat
        KineticScene_Drop(&bench, &scene);
    }
}

static void framesLieInTheOrderOfTheTree(void** state) {
    (void)state;
    Bench bench = makeBench();
    MeshData mesh;
    SequenceData sequence;
    KineticScene scene;
    const SequenceDef def = {sequenceDrape, 300, 9};
    assert_true(grzResult_IsOk(makeSequence(&def, bench.allocator, &mesh, &sequence)));
    assert_true(KineticScene_MakeOf(&bench, "x", &mesh, &sequence, 5, 4, 1, &scene));
    // Sums over all corners do not care for order.
    for (size_t frame = 0; frame < 4; ++frame) {
        double ours = 0, theirs = 0;
        for (size_t i = 0; i < 3 * mesh.triangleCount; ++i) {
            const float* a = KineticScene_Frame(&scene, frame) + 3 * (size_t)scene.triangles[i];
            const float* b = sequence.positions + 3 * ((frame + 5) * mesh.vertexCount + mesh.indices[i]);
            ours += (double)(a[0] + 2 * a[1] + 5 * a[2]), theirs += (double)(b[0] + 2 * b[1] + 5 * b[2]);
        }
        assert_true(fabs(ours - theirs) < 1e-6 * (double)mesh.triangleCount);
    }
    KineticScene_Drop(&bench, &scene);
    MeshData_Release(&mesh);
    SequenceData_Release(&sequence);
}

static void keyframesMayBeTooFew(void** state) {
    (void)state;
    Bench bench = makeBench();
    MeshData mesh;
    SequenceData sequence;
    KineticScene scene;
    KineticRun run;
    const SequenceDef def = {sequenceDrape, 300, 9};
    const KineticWay refit = {"refit", wayRefit, true, false};
    assert_true(grzResult_IsOk(makeSequence(&def, bench.allocator, &mesh, &sequence)));
    assert_true(KineticScene_MakeOf(&bench, "x", &mesh, &sequence, 6, 3, 1, &scene));
    assert_false(KineticRun_Make(&bench, &scene, &refit, 1, &run));
    assert_true(bench.failed && strstr(bench.error, "a run needs four keyframes") != NULL);
    KineticRun_Drop(&bench, &run);
    KineticScene_Drop(&bench, &scene);
    bench.failed = false;
    assert_false(KineticScene_MakeOf(&bench, "x", &mesh, &sequence, 7, 2, 1, &scene));
    assert_true(bench.failed);
    KineticScene_Drop(&bench, &scene);
    MeshData_Release(&mesh);
    SequenceData_Release(&sequence);
}

// ---- runs ----

static const KineticWay allWays[] = {{"chord", wayChord, true, false},     {"ordered", wayOrdered, false, false},
                                     {"batched", wayBatched, true, false}, {"BoxTree", wayBoxTree, false, false},
                                     {"refit", wayRefit, true, false},     {"plain", wayPlain, true, false}};

// As many looks at keyframes as intervals: the first step of a run has the first look.
static void everyIntervalHasItsLookAtAKeyframe(void** state) {
    (void)state;
    Bench bench = makeBench();
    const SequenceDef def = {sequenceTablecloth, 600, 7};
    const KineticWay ordered = {"ordered", wayOrdered, false, false};
    KineticScene scene;
    KineticRun run;
    assert_true(KineticScene_Make(&bench, &def, 1, &scene));
    assert_true(KineticRun_Make(&bench, &scene, &ordered, 1, &run));
    assert_int_equal(run.intervals, 4);
    KineticRun_Prepare(&run);
    const uint64_t before = grzKineticTree_GetStats(run.kinetic).repairs;
    assert_true(grzResult_IsOk(grzKineticTree_Advance(run.kinetic, NULL, (double)run.first + 0x1p-24)));
    assert_true(grzKineticTree_GetStats(run.kinetic).repairs > before + scene.triangleCount / 10);
    KineticRun_Prepare(&run);
    assert_true(KineticRun_Counts(&run).events == 0 && KineticRun_Counts(&run).updates == 0);
    KineticRun_Go(&run);
    const grzKineticTreeStats all = grzKineticTree_GetStats(run.kinetic);
    const KineticCounts counts = KineticRun_Counts(&run);
    assert_true(counts.events > 0 && counts.events < (double)(all.leafEvents + all.treeEvents));
    assert_true(counts.updates >= counts.events && counts.updates < (double)all.updates);
    KineticRun_Drop(&bench, &run);
    KineticScene_Drop(&bench, &scene);
}

static void everyWayEndsAsALookAtAllPositionsDoes(void** state) {
    (void)state;
    Bench bench = makeBench();
    const SequenceDef def = {sequenceTablecloth, 600, 7};
    KineticScene scene;
    assert_true(KineticScene_Make(&bench, &def, 1, &scene));
    for (size_t way = 0; way < sizeof allWays / sizeof allWays[0]; ++way)
        for (size_t perInterval = 1; perInterval <= 3; ++perInterval) {
            KineticRun run;
            assert_true(KineticRun_Make(&bench, &scene, &allWays[way], perInterval, &run));
            KineticRun_Shorten(&run, 2.5 * (double)((perInterval + 40) * scene.triangleCount));
            assert_true(run.intervals == 2 && run.first == 2);
            KineticRun_Prepare(&run);
            const uint64_t before = KineticRun_Digest(&run);
            KineticRun_Go(&run);
            const uint64_t after = KineticRun_Digest(&run);
            assert_true(after != before && after != 0);
            assert_true(after == KineticRun_RightDigest(&run));
            KineticRun_Drop(&bench, &run);
        }
    KineticScene_Drop(&bench, &scene);
}

static void aRunIsShortenedToItsMiddle(void** state) {
    (void)state;
    const KineticScene scene = {.frameCount = 14, .triangleCount = 1000};
    const struct {
        double most;
        size_t first, intervals;
    } expected[] = {{1e9, 1, 11},   {550000, 1, 11}, {500000, 1, 10}, {250000, 4, 5},
                    {150000, 5, 3}, {149999, 5, 2},  {1, 5, 2}};
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; ++i) {
        KineticRun run = {.scene = &scene, .perInterval = 10, .intervals = 11};
        KineticRun_Shorten(&run, expected[i].most);
        assert_int_equal(run.first, expected[i].first);
        assert_int_equal(run.intervals, expected[i].intervals);
        assert_true(KineticRun_Amount(&run) == 10000.0 * (double)run.intervals);
    }
    const KineticScene least = {.frameCount = 4, .triangleCount = 1000};
    KineticRun run = {.scene = &least, .perInterval = 10, .intervals = 1};
    KineticRun_Shorten(&run, 1);
    assert_true(run.first == 1 && run.intervals == 1);
}

// ---- the paper's claim ----

static void aGainIsReachedBetweenTwoRates(void** state) {
    (void)state;
    const double rates[] = {1, 10, 100}, gains[] = {0.5, 2, 20};
    assert_true(fabs(benchRateOfGain(rates, gains, 3, 2) - 10) < 1e-12);
    assert_true(fabs(benchRateOfGain(rates, gains, 3, 1) - sqrt(10)) < 1e-12);
    assert_true(fabs(benchRateOfGain(rates, gains, 3, 10) - 50) < 1e-12);
    assert_true(fabs(benchRateOfGain(rates, gains, 3, 0.25) - 0.5) < 1e-12);
    assert_true(fabs(benchRateOfGain(rates, gains, 3, 40) - 200) < 1e-12);
}

// ---- growth ----

static void allResolutionsSeeOneMotion(void** state) {
    (void)state;
    Bench bench = makeBench();
    Growth growth;
    assert_true(Growth_Make(&bench, sequenceTablecloth, &growth));
    assert_true(growth.pointCount >= 3);
    for (size_t point = 0; point < growth.pointCount; ++point) {
        KineticScene scene;
        assert_true(Growth_MakeScene(&bench, &growth, point, 0, growth.sequence.frameCount, &scene));
        const size_t stride = growth.strides[point], side = growth.squares / stride;
        assert_int_equal(scene.triangleCount, 2 * side * side);
        // The vertex that is k-th along x and z at the start is the k-th of the finest, by strides, ever after.
        for (size_t v = 0; v < scene.vertexCount; ++v) {
            const float* start = KineticScene_Frame(&scene, 0) + 3 * v;
            const size_t column = (size_t)lrintf((start[0] + 1) / 2 * (float)growth.squares);
            const size_t row = (size_t)lrintf((start[2] + 1) / 2 * (float)growth.squares);
            assert_true(column % stride == 0 && row % stride == 0);
            for (size_t frame = 0; frame < scene.frameCount; ++frame)
                assert_memory_equal(KineticScene_Frame(&scene, frame) + 3 * v,
                                    growth.sequence.positions + 3 * (frame * growth.sequence.vertexCount +
                                                                     row * (growth.squares + 1) + column),
                                    3 * sizeof(float));
        }
        KineticScene_Drop(&bench, &scene);
    }
    Growth_Drop(&growth);
}

static void otherCountsAreNoticed(void** state) {
    (void)state;
    const GrowthCounts first[growth_trees] = {{5, 6, 70, true}, {3, 4, 20, true}};
    GrowthPoint start = {.same = true};
    GrowthPoint_Take(&start, first);
    assert_true(start.events[growth_aabb] == 5 && start.updates[growth_aabb] == 6 &&
                start.values[growth_aabb] == 70);
    assert_true(start.events[growth_box] == 3 && start.updates[growth_box] == 4 && start.values[growth_box] == 20);
    assert_true(start.same && start.rates == 1 && start.differing == 0);
    GrowthPoint point = start;
    GrowthPoint_Take(&point, first);
    assert_true(point.same && point.rates == 2 && point.differing == 0);
    for (size_t tree = 0; tree < growth_trees; ++tree)
        for (int flaw = 0; flaw < 3; ++flaw) {
            GrowthCounts other[growth_trees] = {first[0], first[1]};
            other[tree].events += flaw == 0;
            other[tree].updates -= flaw == 1;
            other[tree].same = flaw != 2;
            point = start;
            GrowthPoint_Take(&point, other);
            assert_false(point.same);
            assert_int_equal(point.differing, flaw != 2);
            GrowthPoint_Take(&point, first);
            assert_false(point.same);
            assert_true(point.events[tree] == start.events[tree] && point.rates == 3);
        }
}

// Counted one by one: a box for each leaf, and one for each node, the root among them.
static void aRefitWritesSixNumbersABox(void** state) {
    (void)state;
    Bench bench = makeBench();
    const SequenceDef def = {sequenceDrape, 2000, 4};
    KineticScene scene;
    assert_true(KineticScene_Make(&bench, &def, 1, &scene));
    const size_t triangles = scene.triangleCount;
    size_t boxes = 0, level = (triangles + 3) / 4;
    for (boxes = level; level > 1; level = (level + 7) / 8)
        boxes += (level + 7) / 8;
    assert_true(KineticScene_BoxValues(&scene) == 6 * (double)boxes);
    KineticScene_Drop(&bench, &scene);
}

static void countsAreTheMotionsAndNotTheFrameRates(void** state) {
    (void)state;
    Bench bench = makeBench();
    Growth growth;
    assert_true(Growth_Make(&bench, sequenceDrape, &growth));
    assert_true(Growth_Count(&bench, &growth, 5));
    for (size_t i = 0; i < growth.pointCount; ++i) {
        const GrowthPoint* point = &growth.points[i];
        assert_true(point->same && point->differing == 0 && point->rates == 5);
        for (size_t tree = 0; tree < growth_trees; ++tree) {
            assert_true(point->events[tree] > 0);
            assert_true(point->updates[tree] < point->values[tree] * (double)point->intervals);
            assert_true(i == 0 || point->events[tree] > point[-1].events[tree]);
        }
    }
    Growth_Drop(&growth);
}

// ---- spheres ----

// As many as the generator says.
static void spheresTurnAsTheSequenceTells(void** state) {
    (void)state;
    Bench bench = makeBench();
    KineticFieldTimes times;
    assert_true(KineticFieldTimes_Measure(&bench, 500, 3, 2, &times));
    assert_true(times.same && times.frames == 3 * 8);
    MeshData mesh;
    SequenceData sequence;
    const SequenceDef def = {sequenceSpheres, 500, 22};
    assert_true(grzResult_IsOk(makeSequence(&def, bench.allocator, &mesh, &sequence)));
    assert_int_equal(times.n, mesh.triangleCount);
    size_t turns = 0;
    for (size_t second = 12; second < 20; ++second)
        for (size_t v = 0; v < mesh.vertexCount; ++v) {
            // Away from the centre, or back: how far it is from there rises, or falls.
            float reach[3];
            for (size_t k = 0; k < 3; ++k) {
                const float* p = sequence.positions + 3 * ((second - 1 + k) * mesh.vertexCount + v);
                reach[k] = grzLength(grzVec3_Make(p[0] + (v < mesh.vertexCount / 2 ? 1.0f : -1.0f), p[1], p[2]));
            }
            turns += (reach[1] > reach[0]) != (reach[2] > reach[1]);
        }
    assert_int_equal(times.turns, turns);
    assert_true(turns > 0);
    for (size_t way = 0; way < field_ways; ++way)
        assert_true(times.times[way] > 0);
    MeshData_Release(&mesh);
    SequenceData_Release(&sequence);
}

// ---- sequences ----

static char* g_text;
static size_t g_size;

static int runSequences(const char* data, bool byName) {
    BenchOptions options = {.stage = "kinetic", .quick = true, .repeats = BENCH_LEAST_REPEATS, .workers = 1};
    options.caseName = byName ? "sequences" : NULL;
    free(g_text);
    FILE* file = open_memstream(&g_text, &g_size);
    assert_non_null(file);
    data != NULL ? setenv("GRAZE_DATA", data, 1) : unsetenv("GRAZE_DATA");
    const int code = benchRun(benchStages, benchStageCount, &options, file, file);
    fclose(file);
    return code;
}

static void writeSequence(const char* root, const char* name) {
    const SequenceDef def = {sequenceDrape, 200, 6};
    char path[300];
    MeshData mesh;
    SequenceData sequence;
    assert_true(grzResult_IsOk(makeSequence(&def, grzDefaultAllocator(), &mesh, &sequence)));
    snprintf(path, sizeof path, "%s/seq/%s", root, name);
    assert_int_equal(mkdir(path, 0777), 0);
    snprintf(path, sizeof path, "%s/seq/%s/base.obj", root, name);
    assert_true(writeObj(path, &mesh, NULL));
    snprintf(path, sizeof path, "%s/seq/%s/anim.pc2", root, name);
    assert_true(writePc2(path, &sequence, NULL));
    MeshData_Release(&mesh);
    SequenceData_Release(&sequence);
}

static void sequencesAreFoundOrSkipped(void** state) {
    (void)state;
    char root[] = "/tmp/graze-kinetic-XXXXXX", path[300];
    assert_non_null(mkdtemp(root));
    assert_int_equal(runSequences(NULL, false), 0);
    assert_non_null(strstr(g_text, "skipped: GRAZE_DATA"));
    assert_int_equal(runSequences(NULL, true), 2);
    assert_int_equal(runSequences(root, true), 2);
    assert_non_null(strstr(g_text, "there are no sequences"));
    snprintf(path, sizeof path, "%s/seq", root);
    assert_int_equal(mkdir(path, 0777), 0);
    snprintf(path, sizeof path, "%s/seq/empty", root);
    assert_int_equal(mkdir(path, 0777), 0);
    assert_int_equal(runSequences(root, true), 2);
    writeSequence(root, "second");
    writeSequence(root, "first");
    assert_int_equal(runSequences(root, true), 0);
    assert_non_null(strstr(g_text, "sequences/first, l=3"));
    assert_null(strstr(g_text, "second"));
    static const char* const files[] = {"second/base.obj", "second/anim.pc2", "first/base.obj", "first/anim.pc2",
                                        "second",          "first",           "empty",          ""};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; ++i) {
        snprintf(path, sizeof path, "%s/seq/%s", root, files[i]);
        assert_int_equal(remove(path), 0);
    }
    assert_int_equal(remove(root), 0);
    free(g_text);
    g_text = NULL;
}

// ---- figures ----

static int runFigures(const char* directory) {
    const BenchOptions options = {
        .stage = "kinetic", .caseName = "figures", .svg = directory, .quick = true, .repeats = BENCH_LEAST_REPEATS};
    free(g_text);
    FILE* file = open_memstream(&g_text, &g_size);
    assert_non_null(file);
    const int code = benchRun(benchStages, benchStageCount, &options, file, file);
    fclose(file);
    return code;
}

// Whether the file is there and holds all the words.
static bool holdsAll(const char* path, const char* const* words, size_t count) {
    static char text[100000];
    FILE* file = fopen(path, "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    for (size_t i = 0; i < count; ++i)
        if (strstr(text, words[i]) == NULL)
            return false;
    return true;
}

static void figuresAreWrittenWhereTheyAreAskedFor(void** state) {
    (void)state;
    static const char* const names[] = {"18", "19", "21"};
    static const char* const words[] = {"kinetic AABB tree",  "BoxTree",    "bottom up (refit)", "chord tree",
                                        "AABB tree, batched", "us a frame", "n, triangles"};
    char root[] = "/tmp/graze-figures-XXXXXX", path[300];
    assert_non_null(mkdtemp(root));
    assert_int_equal(runFigures(root), 0);
    assert_null(strstr(g_text, "NO\n"));
    for (size_t i = 0; i < 3; ++i) {
        snprintf(path, sizeof path, "%s/figure-%s.svg", root, names[i]);
        assert_true(holdsAll(path, words, sizeof words / sizeof words[0]));
        assert_int_equal(remove(path), 0);
    }
    assert_int_equal(remove(root), 0);
    assert_int_equal(runFigures(root), 2);
    assert_non_null(strstr(g_text, "cannot write"));
    assert_int_equal(runFigures(NULL), 0);
    assert_null(strstr(g_text, "wrote"));
    free(g_text);
    g_text = NULL;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clothMeetsWhatItFallsOnFromTheFirstIntervalOn),
        cmocka_unit_test(framesLieInTheOrderOfTheTree),
        cmocka_unit_test(keyframesMayBeTooFew),
        cmocka_unit_test(everyWayEndsAsALookAtAllPositionsDoes),
        cmocka_unit_test(everyIntervalHasItsLookAtAKeyframe),
        cmocka_unit_test(aRunIsShortenedToItsMiddle),
        cmocka_unit_test(aGainIsReachedBetweenTwoRates),
        cmocka_unit_test(allResolutionsSeeOneMotion),
        cmocka_unit_test(otherCountsAreNoticed),
        cmocka_unit_test(aRefitWritesSixNumbersABox),
        cmocka_unit_test(countsAreTheMotionsAndNotTheFrameRates),
        cmocka_unit_test(spheresTurnAsTheSequenceTells),
        cmocka_unit_test(sequencesAreFoundOrSkipped),
        cmocka_unit_test(figuresAreWrittenWhereTheyAreAskedFor),
    };
    return cmocka_run_group_tests_name("bench_kinetic", tests, NULL, NULL);
}
