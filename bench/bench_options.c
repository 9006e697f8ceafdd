// What: the command line of graze-bench, from a table of its options.
#include "bench_options.h"

#include <stdio.h>
#include <string.h>

#include "options.h"

// Values as the parser reads them, before they are checked against each other.
typedef struct RawOptions {
    BenchOptions* options;
    const char* meshes[2];
    uint64_t n, workers, repeats;
} RawOptions;

#define BENCH_OPTION_COUNT 14

static void fillTable(RawOptions* raw, Option table[BENCH_OPTION_COUNT]) {
    BenchOptions* o = raw->options;
    const Option filled[BENCH_OPTION_COUNT] = {
        {"--case", option_text, &o->caseName, "C", "one case of the stage", 0, 0},
        {"--n", option_count, &raw->n, "N", "another size than the case's own", 1, 1000000000},
        {"--workers", option_count, &raw->workers, "W", "another number of workers than the case's own", 1, 1024},
        {"--mesh", option_text, raw->meshes, "FILE", "a mesh in place of generated ones; twice for two", 0, 2},
        {"--pc2", option_text, &o->sequence, "FILE", "a vertex cache over --mesh in place of generated sequences",
         0, 0},
        {"--queries", option_text, &o->queries, "DIR", "a folder of queries", 0, 0},
        {"--frames", option_text, &o->frames, "DIR", "a folder of frames", 0, 0},
        {"--repeats", option_count, &raw->repeats, "R", "how often each side is timed (7; with --quick 5)",
         BENCH_LEAST_REPEATS, 10000},
        {"--json", option_text, &o->json, "FILE", "a line of JSON for each row, appended", 0, 0},
        {"--svg", option_text, &o->svg, "DIR", "where plots go, in place of the build's own folder", 0, 0},
        {"--quick", option_flag, &o->quick, NULL, "small sizes, for the checks of sameness", 0, 0},
        {"--peers", option_flag, &o->peers, NULL, "installed engines beside graze (built with GRAZE_PEERS)", 0, 0},
        {"--list", option_flag, &o->list, NULL, "names stages and cases", 0, 0},
        {"--help", option_flag, &o->help, NULL, "this text", 0, 0},
    };
    memcpy(table, filled, sizeof filled);
}

// What is wrong with options that are well by themselves; NULL: nothing.
static const char* contradiction(const BenchOptions* options, int stageCount) {
    if (stageCount > 1)
        return "name one stage a run";
    if (options->caseName != NULL && options->stage == NULL)
        return "--case needs a stage";
    if (options->stage == NULL && !options->quick && !options->list && !options->help)
        return "name a stage, or give --quick for all; --list names them";
    return NULL;
}

bool BenchOptions_Read(BenchOptions* options, int count, char** values, char* error, size_t capacity) {
    *options = (BenchOptions){.stage = NULL};
    RawOptions raw = {.options = options};
    Option table[BENCH_OPTION_COUNT];
    fillTable(&raw, table);
    Arguments arguments = {count, values};
    OptionError wrong;
    if (!parseOptions(&arguments, table, BENCH_OPTION_COUNT, &wrong)) {
        snprintf(error, capacity, "%s", wrong.text);
        return false;
    }
    options->stage = arguments.count > 0 ? arguments.values[0] : NULL;
    options->meshA = raw.meshes[0];
    options->meshB = raw.meshes[1];
    options->n = (size_t)raw.n;
    options->workers = (size_t)raw.workers;
    options->repeats = raw.repeats != 0 ? (size_t)raw.repeats : BENCH_LEAST_REPEATS + (options->quick ? 0 : 2);
    const char* text = contradiction(options, arguments.count);
    if (text != NULL)
        snprintf(error, capacity, "%s", text);
    return text == NULL;
}

const char* BenchOptions_FindUnused(const BenchOptions* options, unsigned uses) {
    const struct {
        unsigned use;
        bool isGiven;
        const char* name;
    } all[] = {
        {bench_usesN, options->n != 0, "--n"},
        {bench_usesWorkers, options->workers != 0, "--workers"},
        {bench_usesMesh, options->meshA != NULL, "--mesh"},
        {bench_usesSecondMesh, options->meshB != NULL, "a second --mesh"},
        {bench_usesSequence, options->sequence != NULL, "--pc2"},
        {bench_usesQueries, options->queries != NULL, "--queries"},
        {bench_usesFrames, options->frames != NULL, "--frames"},
        {bench_usesPeers, options->peers, "--peers"},
        {bench_usesPlots, options->svg != NULL, "--svg"},
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i)
        if (all[i].isGiven && (uses & all[i].use) == 0)
            return all[i].name;
    return NULL;
}

void BenchOptions_Print(FILE* out) {
    BenchOptions options;
    RawOptions raw = {.options = &options};
    Option table[BENCH_OPTION_COUNT];
    fillTable(&raw, table);
    printOptions(out, table, BENCH_OPTION_COUNT);
}
