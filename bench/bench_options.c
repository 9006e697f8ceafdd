// What: the command line of graze-bench, from a table of its options.
#include "bench_options.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum OptionKind { optionText, optionNumber, optionFlag } OptionKind;

typedef struct Option {
    const char* name;
    OptionKind kind;
    size_t offset;
    size_t least, most; // of a number
} Option;

static const Option optionTable[] = {
    {"--case", optionText, offsetof(BenchOptions, caseName), 0, 0},
    {"--n", optionNumber, offsetof(BenchOptions, n), 1, 1000000000},
    {"--workers", optionNumber, offsetof(BenchOptions, workers), 1, 1024},
    {"--repeats", optionNumber, offsetof(BenchOptions, repeats), BENCH_LEAST_REPEATS, 10000},
    {"--pc2", optionText, offsetof(BenchOptions, sequence), 0, 0},
    {"--queries", optionText, offsetof(BenchOptions, queries), 0, 0},
    {"--frames", optionText, offsetof(BenchOptions, frames), 0, 0},
    {"--json", optionText, offsetof(BenchOptions, json), 0, 0},
    {"--quick", optionFlag, offsetof(BenchOptions, quick), 0, 0},
    {"--peers", optionFlag, offsetof(BenchOptions, peers), 0, 0},
    {"--list", optionFlag, offsetof(BenchOptions, list), 0, 0},
    {"--help", optionFlag, offsetof(BenchOptions, help), 0, 0},
};

static const Option* findOption(const char* name) {
    for (size_t i = 0; i < sizeof optionTable / sizeof optionTable[0]; ++i)
        if (strcmp(optionTable[i].name, name) == 0)
            return &optionTable[i];
    return NULL;
}

static bool readNumber(const char* text, size_t least, size_t most, size_t* number) {
    if (text[0] < '0' || text[0] > '9') // strtoull would take a sign and blanks
        return false;
    char* end = NULL;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    if (errno != 0 || *end != 0 || value < least || value > most)
        return false;
    *number = (size_t)value;
    return true;
}

static bool setOption(BenchOptions* options, const Option* option, const char* value, char* error,
                      size_t capacity) {
    void* field = (char*)options + option->offset;
    if (option->kind == optionFlag) {
        *(bool*)field = true;
        return true;
    }
    if (value == NULL) {
        snprintf(error, capacity, "%s needs a value", option->name);
        return false;
    }
    if (option->kind == optionText) {
        *(const char**)field = value;
        return true;
    }
    if (readNumber(value, option->least, option->most, field))
        return true;
    snprintf(error, capacity, "%s takes a whole number from %zu to %zu, not \"%s\"", option->name, option->least,
             option->most, value);
    return false;
}

// --mesh may come twice: first A, then B.
static bool setMesh(BenchOptions* options, const char* value, char* error, size_t capacity) {
    if (value == NULL)
        snprintf(error, capacity, "--mesh needs a value");
    else if (options->meshB != NULL)
        snprintf(error, capacity, "--mesh can be given twice, not more");
    else if (options->meshA == NULL)
        options->meshA = value;
    else
        options->meshB = value;
    return error[0] == 0;
}

static bool setStage(BenchOptions* options, const char* value, char* error, size_t capacity) {
    if (value[0] == '-')
        snprintf(error, capacity, "there is no option \"%s\"; --help lists them", value);
    else if (options->stage != NULL)
        snprintf(error, capacity, "one stage a run: \"%s\" or \"%s\"", options->stage, value);
    else
        options->stage = value;
    return error[0] == 0;
}

bool BenchOptions_Read(BenchOptions* options, int count, char* const* arguments, char* error, size_t capacity) {
    *options = (BenchOptions){.repeats = BENCH_LEAST_REPEATS + 2};
    bool repeatsGiven = false;
    error[0] = 0;
    for (int i = 0; i < count; ++i) {
        const char* value = i + 1 < count ? arguments[i + 1] : NULL;
        const Option* option = findOption(arguments[i]);
        if (option != NULL) {
            if (!setOption(options, option, value, error, capacity))
                return false;
            repeatsGiven |= option->offset == offsetof(BenchOptions, repeats);
            i += option->kind != optionFlag;
        } else if (strcmp(arguments[i], "--mesh") == 0) {
            if (!setMesh(options, value, error, capacity))
                return false;
            ++i;
        } else if (!setStage(options, arguments[i], error, capacity)) {
            return false;
        }
    }
    if (options->quick && !repeatsGiven)
        options->repeats = BENCH_LEAST_REPEATS;
    if (options->caseName != NULL && options->stage == NULL)
        snprintf(error, capacity, "--case needs a stage");
    else if (options->stage == NULL && !options->quick && !options->list && !options->help)
        snprintf(error, capacity, "name a stage, or give --quick for all; --list names them");
    return error[0] == 0;
}
