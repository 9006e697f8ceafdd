// `graze run`: a scene from its file through its steps to a table, with a picture, a trace and numbers where they are asked for.
#define _POSIX_C_SOURCE 200809L // isatty, clock_gettime

#include <inttypes.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "byte_sink.h"
#include "commands.h"
#include "file_error.h"
#include "picture.h"
#include "plain_text.h"
#include "run_record.h"
#include "scene_picture.h"

typedef struct RunOptions {
    uint64_t steps; // 0: the scene's
    uint64_t workers;
    const char *csv, *trace, *picture;
    uint64_t width, height;
    bool isQuiet, wantsHelp;
} RunOptions;

// The hits of all steps.
typedef struct RunHits {
    uint64_t count, step; // step: of the fastest, from 1
    grzHit fastest;
} RunHits;

typedef struct Run {
    RunOptions options;
    RunHits hits;
    Scene scene;
    grzTasks* tasks;
    grzProfile* profile;
    RunRecord record;
} Run;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

// ------------------------------------------------------------------------------------------------------------ running

static bool showsProgress(const Run* run) {
    return !run->options.isQuiet && isatty(STDERR_FILENO);
}

// A line that is written over itself, on a terminal alone, ten times a second at most.
static void showProgress(const Run* run, uint64_t done, double began, double* shown) {
    const double time = now();
    if (!showsProgress(run) || (time - *shown < 0.1 && done < run->options.steps))
        return;
    *shown = time;
    const double each = done > 0 ? (time - began) / (double)done : 0;
    const double left = each * (double)(run->options.steps - done);
    fprintf(stderr, "\rstep %" PRIu64 " of %" PRIu64 "  %3.0f %%  %.2f ms a step  %.0f s left ", done,
            run->options.steps, 100.0 * (double)done / (double)run->options.steps, each * 1e3, left);
    if (done == run->options.steps)
        fputc('\n', stderr);
}

// What is said next begins a line. Returns false.
static bool endProgress(const Run* run, uint64_t done) {
    if (done > 0 && showsProgress(run))
        fputc('\n', stderr);
    return false;
}

// Between the steps that are measured.
static void noteHits(Run* run, uint64_t step) {
    const grzHitList list = grzWorld_GetHits(run->scene.world);
    for (size_t i = 0; i < list.count; ++i)
        if (run->hits.count++ == 0 || list.hits[i].approachSpeed > run->hits.fastest.approachSpeed)
            run->hits.fastest = list.hits[i], run->hits.step = step;
}

static bool runSteps(Run* run, FileError* error) {
    const double began = now();
    double shown = began;
    for (uint64_t step = 0; step < run->options.steps; ++step) {
        grzProfile_BeginStep(run->profile);
        const bool isDone = Scene_Step(&run->scene, error);
        const grzStepSummary* summary = grzProfile_EndStep(run->profile);
        if (!isDone)
            return endProgress(run, step);
        const grzWorldStats stats = grzWorld_GetStats(run->scene.world);
        RunRecord_Add(&run->record, summary, &stats);
        if (!run->options.isQuiet)
            noteHits(run, step + 1);
        RunRecord_AddBodyEvents(&run->record, grzWorld_GetBodyEvents(run->scene.world));
        showProgress(run, step + 1, began, &shown);
    }
    return true;
}

static bool checkFiles(const RunOptions* options, FileError* error) {
    const char* const files[] = {options->csv, options->trace, options->picture};
    if (options->picture != NULL && !pictureIsNamed(options->picture, error))
        return false;
    for (size_t i = 0; i < sizeof files / sizeof *files; ++i)
        if (files[i] != NULL && !ByteSink_Check(files[i], error))
            return false;
    return true;
}

// What can be told before the steps is not told after them.
static bool begin(Run* run, const char* path, FileError* error) {
    if (!checkFiles(&run->options, error))
        return false;
    grzTasksDef tasksDef = grzDefaultTasksDef();
    tasksDef.workerCount = (uint32_t)run->options.workers;
    grzResult result = grzTasks_Create(&tasksDef, &run->tasks);
    grzProfileDef profileDef = grzDefaultProfileDef();
    profileDef.workerCount = grzTasks_WorkerCount(run->tasks);
    profileDef.zoneCapacity = run->options.trace != NULL ? 1 << 18 : 1 << 12;
    if (grzResult_IsOk(result))
        result = grzProfile_Create(&profileDef, &run->profile);
    if (!grzResult_IsOk(result))
        return failResult(error, path, result);
    const SceneSetup setup = {.tasks = run->tasks, .profile = run->profile};
    if (!Scene_Load(&run->scene, path, &setup, error))
        return false;
    run->options.steps = run->options.steps != 0 ? run->options.steps : run->scene.stepCount;
    return RunRecord_Create(&run->record, run->options.steps, run->scene.allocator) ||
           failFile(error, path, "there is no memory for the records of so many steps");
}

static void end(Run* run) {
    RunRecord_Release(&run->record);
    Scene_Release(&run->scene);
    grzProfile_Destroy(run->profile);
    grzTasks_Destroy(run->tasks);
}

// ------------------------------------------------------------------------------------------------------------- output

static bool putToSink(void* context, const void* bytes, size_t size) {
    ByteSink* sink = context;
    ByteSink_Put(sink, bytes, size);
    return grzResult_IsOk(sink->failure);
}

// Fails where the trace does, else as the sink does.
static bool putTrace(Run* run, ByteSink* sink, FileError* error) {
    const grzResult result = grzProfile_WriteTrace(run->profile, putToSink, sink);
    return grzResult_IsOk(result) || !grzResult_IsOk(sink->failure) ||
           failResult(error, run->options.trace, result);
}

static bool writeTrace(Run* run, FileError* error) {
    ByteSink sink;
    if (!ByteSink_Open(&sink, run->options.trace, run->scene.allocator, error))
        return false;
    const bool isWritten = putTrace(run, &sink, error) && ByteSink_Commit(&sink, error);
    ByteSink_Release(&sink);
    return isWritten;
}

static bool writeCsv(const Run* run, FileError* error) {
    ByteSink sink;
    if (!ByteSink_Open(&sink, run->options.csv, run->scene.allocator, error))
        return false;
    RunRecord_PutCsv(&run->record, &sink);
    const bool isWritten = ByteSink_Commit(&sink, error);
    ByteSink_Release(&sink);
    return isWritten;
}

static bool writeFiles(Run* run, FileError* error) {
    const RunOptions* options = &run->options;
    return (options->csv == NULL || writeCsv(run, error)) && (options->trace == NULL || writeTrace(run, error)) &&
           (options->picture == NULL ||
            drawScene(&run->scene, (uint32_t)options->width, (uint32_t)options->height, options->picture, error));
}

static void printHits(const RunHits* hits) {
    const grzHit* fastest = &hits->fastest;
    printf("hits: %" PRIu64, hits->count);
    if (hits->count != 0)
        printf(", the fastest at %.3g m/s with %.3g N s, of bodies %u and %u in step %" PRIu64,
               (double)fastest->approachSpeed, (double)fastest->impulse, fastest->bodyA.index1 - 1,
               fastest->bodyB.index1 - 1, hits->step);
    putchar('\n');
}

static void printSummary(Run* run, const char* path) {
    const grzWorldStats stats = grzWorld_GetStats(run->scene.world);
    printPlain(stdout, path);
    printf(": %u bodies (%u rigid, %u of them dynamic; %u cloth, %u animated), %" PRIu64
           " steps of %.3g ms, %u workers\n",
           stats.bodyCount, stats.rigidCount, stats.dynamicCount, stats.clothCount, stats.animatedCount,
           run->options.steps, run->scene.timeStep * 1e3, grzTasks_WorkerCount(run->tasks));
    RunRecord_PrintTable(&run->record, stdout);
    printHits(&run->hits);
    RunRecord_PrintStops(&run->record, stdout);
    printf("memory of the world: %.1f MB\n", (double)stats.memoryBytes * 1e-6);
    printf("state %016" PRIx64 "  contacts %016" PRIx64 "\n", grzWorld_HashState(run->scene.world),
           grzWorld_HashContacts(run->scene.world));
}

static int runScene(const RunOptions* options, const char* path) {
    Run run;
    FileError error;
    memset(&run, 0, sizeof run);
    run.options = *options;
    const bool isDone = begin(&run, path, &error) && runSteps(&run, &error) && writeFiles(&run, &error);
    if (isDone && !options->isQuiet)
        printSummary(&run, path);
    end(&run);
    return isDone ? exit_done : refuse("run", error.text);
}

int runRun(Arguments arguments) {
    RunOptions run = {.width = 960, .height = 540};
    const Option options[] = {
        {"--steps", option_count, &run.steps, "N", "how many steps (as the scene says)", 1, 1000000000},
        {"--workers", option_count, &run.workers, "N", "how many threads (one for each processor)", 1,
         GRZ_MAX_WORKERS},
        {"--csv", option_text, &run.csv, "FILE", "writes a line for each step: times and counts", 0, 0},
        {"--trace", option_text, &run.trace, "FILE", "writes a trace for ui.perfetto.dev", 0, 0},
        {"--picture", option_text, &run.picture, "FILE", "draws the scene after the last step, as .png or .ppm", 0,
         0},
        {"--width", option_count, &run.width, "PIXELS", "of the picture (960)", 16, 8192},
        {"--height", option_count, &run.height, "PIXELS", "of the picture (540)", 16, 8192},
        {"--quiet", option_flag, &run.isQuiet, NULL, "no progress and no table", 0, 0},
        {"--help", option_flag, &run.wantsHelp, NULL, "this text", 0, 0},
    };
    const size_t optionCount = sizeof options / sizeof options[0];
    OptionError error;
    if (!parseOptions(&arguments, options, optionCount, &error))
        return refuse("run", error.text);
    if (run.wantsHelp) {
        printf("usage: graze run [OPTIONS] SCENE\n\nSteps the world that a scene file describes (docs/scenes.md), "
               "and prints what each "
               "stage\ncost, what was counted, and hashes of the outcome, which are the same on every machine and\n"
               "with any number of workers.\n\n");
        printOptions(stdout, options, optionCount);
        return exit_done;
    }
    if (arguments.count != 1)
        return refuse("run", arguments.count == 0 ? "name a scene file" : "name one scene file, no more");
    return runScene(&run, arguments.values[0]);
}
