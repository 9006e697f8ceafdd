// What: from options to rows: picks stages and cases, runs them, and turns what happened into an exit code.
#include "bench.h"

#include <errno.h>
#include <string.h>

#include "bench_machine.h"
#include "bench_plots.h"
#include "memory.h"

static const BenchStage* findStage(const BenchStage* const* stages, size_t stageCount, const char* name) {
    for (size_t i = 0; i < stageCount; ++i)
        if (strcmp(stages[i]->name, name) == 0)
            return stages[i];
    return NULL;
}

static bool hasCase(const BenchStage* stage, const char* name) {
    for (size_t i = 0; i < stage->caseCount; ++i)
        if (strcmp(stage->cases[i].name, name) == 0)
            return true;
    return false;
}

static void printUsage(FILE* out) {
    fprintf(out, "usage: graze-bench STAGE [options], or graze-bench --quick for all stages\n\n");
    BenchOptions_Print(out);
    fprintf(
        out,
        "\nA ratio above 1 means that graze is ahead. \"same\" says what the check of a row found: before every\n"
        "chunk of runs the outcome of the last ones is spoiled; after it, the digest of each side's outcome must\n"
        "be what it was after the first chunk, and not that of a spoiled one. Beside a peer both digests must be\n"
        "equal, or the outcomes within a tolerance; without a peer the outcome must equal one that was found in\n"
        "some plain, slower way (docs/benchmarks.md tells which). A counter has the check of its case.\n"
        "Exit code: 0; 1 if a row is not the same; 2 for bad use.\n");
}

static void printList(FILE* out, const BenchStage* const* stages, size_t stageCount) {
    for (size_t i = 0; i < stageCount; ++i) {
        fprintf(out, "%-26s %s\n", stages[i]->name, stages[i]->about);
        for (size_t j = 0; j < stages[i]->caseCount; ++j)
            fprintf(out, "  %-24s %s\n", stages[i]->cases[j].name, stages[i]->cases[j].about);
    }
}

// What is not asked for by name is asked for as well.
static bool isNamed(const char* asked, const char* name) {
    return asked == NULL || strcmp(asked, name) == 0;
}

// What the cases of this run use, all together.
static unsigned usesOfRun(const BenchStage* const* stages, size_t stageCount, const BenchOptions* options) {
    unsigned uses = 0;
    for (size_t i = 0; i < stageCount; ++i)
        for (size_t j = 0; isNamed(options->stage, stages[i]->name) && j < stages[i]->caseCount; ++j)
            uses |= isNamed(options->caseName, stages[i]->cases[j].name) ? stages[i]->cases[j].uses : 0;
    return uses;
}

static void runStage(Bench* bench, const BenchStage* stage) {
    bench->stage = stage;
    for (size_t i = 0; i < stage->caseCount && !bench->failed; ++i) {
        bench->running = &stage->cases[i];
        if (isNamed(bench->options->caseName, bench->running->name))
            bench->running->run(bench);
    }
}

static void printHead(Bench* bench) {
    benchPrintMachine(bench->out);
    int core = benchPin();
    benchUnpin();
    fprintf(bench->out, "rows      median of %zu interleaved repeats; those of one worker are %s\n\n",
            bench->options->repeats, core >= 0 ? "pinned to one core" : "not pinned: the system refused");
}

// What is wrong with the options in view of the stages and the build, or an empty text.
static void checkOptions(const BenchStage* const* stages, size_t stageCount, const BenchOptions* options,
                         char* error, size_t capacity) {
    error[0] = 0;
    const unsigned uses = usesOfRun(stages, stageCount, options);
    const char* unused = BenchOptions_FindUnused(options, uses);
    const BenchStage* stage = options->stage != NULL ? findStage(stages, stageCount, options->stage) : NULL;
    if (options->stage != NULL && stage == NULL)
        snprintf(error, capacity, "there is no stage '%s'; --list names them", options->stage);
    else if (options->caseName != NULL && !hasCase(stage, options->caseName))
        snprintf(error, capacity, "the stage %s has no case '%s'; --list names them", options->stage,
                 options->caseName);
#if !defined(GRAZE_PEERS)
    else if (options->peers)
        snprintf(error, capacity, "--peers needs a build with GRAZE_PEERS=ON");
#endif
    else if (unused != NULL)
        snprintf(error, capacity, "nothing in this run uses %s", unused);
    else if ((uses & bench_usesPlots) != 0 && Bench_WantsPlots(options))
        Bench_CheckPlots(options, error, capacity);
}

static int runAll(Bench* bench, const BenchStage* const* stages, size_t stageCount, FILE* errors) {
    printHead(bench);
    for (size_t i = 0; i < stageCount && !bench->failed; ++i)
        if (isNamed(bench->options->stage, stages[i]->name))
            runStage(bench, stages[i]);
    if (bench->failed)
        fprintf(errors, "graze-bench: %s\n", bench->error);
    else if (bench->different)
        fprintf(errors, "graze-bench: a row is not the same: a side came to another outcome than it should\n");
    return bench->failed ? 2 : bench->different ? 1 : 0;
}

// False, after a sentence, where not all of it got to the file.
static bool closeJson(FILE* file, const char* path, FILE* errors) {
    errno = 0;
    bool isWritten = fflush(file) == 0 && !ferror(file);
    int reason = errno;
    if (fclose(file) != 0 && isWritten) {
        isWritten = false;
        reason = errno;
    }
    if (!isWritten)
        fprintf(errors, "graze-bench: cannot write %s: %s\n", path,
                reason != 0 ? strerror(reason) : "an earlier row was refused");
    return isWritten;
}

int benchRun(const BenchStage* const* stages, size_t stageCount, const BenchOptions* options, FILE* out,
             FILE* errors) {
    return benchRunSabotaged(stages, stageCount, options, out, errors, 0);
}

int benchRunSabotaged(const BenchStage* const* stages, size_t stageCount, const BenchOptions* options, FILE* out,
                      FILE* errors, uint32_t sides) {
    char error[400];
    if (options->help || options->list) {
        options->help ? printUsage(out) : printList(out, stages, stageCount);
        return 0;
    }
    checkOptions(stages, stageCount, options, error, sizeof error);
    if (error[0] != 0) {
        fprintf(errors, "graze-bench: %s\n", error);
        return 2;
    }
    Bench bench = {.options = options, .allocator = grzDefaultAllocator(), .out = out, .sabotaged = sides};
    if (options->json != NULL && (bench.json = fopen(options->json, "a")) == NULL) {
        fprintf(errors, "graze-bench: cannot write %s: %s\n", options->json, strerror(errno));
        return 2;
    }
    int code = runAll(&bench, stages, stageCount, errors);
    bool isKept = bench.json == NULL || closeJson(bench.json, options->json, errors);
    return isKept ? code : 2;
}
