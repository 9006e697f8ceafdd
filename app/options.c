// What: the parsing behind options.h.   Numbers are read whole or refused: "12x", "-3" and "1e999" are errors.
#include "options.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "graze/simd_level.h"
#include "plain_text.h"

static const Option* findOption(const Option* options, size_t count, const char* name, size_t length) {
    if (length == 2 && memcmp(name, "-h", 2) == 0)
        return findOption(options, count, "--help", 6);
    for (size_t i = 0; i < count; ++i)
        if (strlen(options[i].name) == length && memcmp(options[i].name, name, length) == 0)
            return &options[i];
    return NULL;
}

static bool readCount(const char* text, uint64_t* value) {
    if (text[0] < '0' || text[0] > '9')
        return false;
    char* end;
    errno = 0;
    unsigned long long number = strtoull(text, &end, 10);
    *value = number;
    return errno == 0 && *end == 0;
}

static bool readReal(const char* text, double* value) {
    char* end;
    *value = strtod(text, &end);
    return end != text && *end == 0 && isfinite(*value);
}

static bool takeText(const Option* option, const char* text, OptionError* error) {
    const char** target = option->target;
    uint64_t place = 0;
    while (option->most != 0 && place < option->most && target[place] != NULL)
        ++place;
    if (option->most != 0 && place == option->most) {
        snprintf(error->text, sizeof error->text, "%s may be given %llu times, not more", option->name,
                 (unsigned long long)option->most);
        return false;
    }
    target[place] = text;
    return true;
}

static bool takeCount(const Option* option, const char* text, OptionError* error) {
    uint64_t number;
    bool isBounded = option->most != 0;
    if (readCount(text, &number) && (!isBounded || (number >= option->least && number <= option->most))) {
        *(uint64_t*)option->target = number;
        return true;
    }
    int used = snprintf(error->text, sizeof error->text, "%s takes a whole number", option->name);
    if (!isBounded)
        used += snprintf(error->text + used, sizeof error->text - (size_t)used, " below 2^64");
    if (isBounded)
        used += snprintf(error->text + used, sizeof error->text - (size_t)used, " from %llu to %llu",
                         (unsigned long long)option->least, (unsigned long long)option->most);
    snprintf(error->text + used, sizeof error->text - (size_t)used, ", not '%.100s'", text);
    return false;
}

static bool takeValue(const Option* option, const char* text, OptionError* error) {
    double real;
    switch (option->kind) {
    case option_flag:
        break;
    case option_text:
        return takeText(option, text, error);
    case option_count:
        return takeCount(option, text, error);
    case option_real:
        if (readReal(text, &real)) {
            *(double*)option->target = real;
            return true;
        }
        snprintf(error->text, sizeof error->text, "%s takes a number, not '%.100s'", option->name, text);
        return false;
    }
    snprintf(error->text, sizeof error->text, "%s takes no value", option->name);
    return false;
}

// One option at arguments->values[at]; returns how many arguments it took, 0 on error.
static int takeOption(const Arguments* arguments, int at, const Option* options, size_t count, OptionError* error) {
    const char* text = arguments->values[at];
    const char* equals = strchr(text, '=');
    size_t length = equals != NULL ? (size_t)(equals - text) : strlen(text);
    const Option* option = findOption(options, count, text, length);
    if (option == NULL) {
        snprintf(error->text, sizeof error->text, "there is no option '%.100s'; --help lists them", text);
        return 0;
    }
    if (equals != NULL)
        return takeValue(option, equals + 1, error) ? 1 : 0;
    if (option->kind == option_flag) {
        *(bool*)option->target = true;
        return 1;
    }
    if (at + 1 >= arguments->count) {
        snprintf(error->text, sizeof error->text, "%s needs a value (%s)", option->name, option->value);
        return 0;
    }
    return takeValue(option, arguments->values[at + 1], error) ? 2 : 0;
}

bool parseOptions(Arguments* arguments, const Option* options, size_t optionCount, OptionError* error) {
    int plainCount = 0;
    bool plainOnly = false;
    for (int i = 0; i < arguments->count;) {
        char* text = arguments->values[i];
        if (!plainOnly && strcmp(text, "--") == 0) {
            plainOnly = true;
            ++i;
        } else if (plainOnly || text[0] != '-' || text[1] == 0) {
            arguments->values[plainCount++] = text;
            ++i;
        } else {
            int taken = takeOption(arguments, i, options, optionCount, error);
            if (taken == 0)
                return false;
            i += taken;
        }
    }
    arguments->count = plainCount;
    return true;
}

void printOptions(FILE* file, const Option* options, size_t optionCount) {
    size_t widest = 0;
    for (size_t i = 0; i < optionCount; ++i) {
        size_t width = strlen(options[i].name) + (options[i].value != NULL ? strlen(options[i].value) + 1 : 0);
        widest = width > widest ? width : widest;
    }
    for (size_t i = 0; i < optionCount; ++i) {
        const char* value = options[i].value;
        int width =
            fprintf(file, "  %s%s%s", options[i].name, value != NULL ? " " : "", value != NULL ? value : "");
        fprintf(file, "%*s%s\n", (int)widest + 4 - width, "", options[i].help);
    }
}

bool acceptEnvironment(const char* program) {
    char text[256];
    if (grzResult_IsOk(grzSimd_CheckEnvironment(text, sizeof text)))
        return true;
    fprintf(stderr, "%s: ", program);
    printPlain(stderr, text);
    fputc('\n', stderr);
    return false;
}

int finishOutput(const char* program, int code) {
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout))
        return code;
    fprintf(stderr, "%s: standard output cannot be written%s%s\n", program, errno != 0 ? ": " : "",
            errno != 0 ? strerror(errno) : "");
    return exit_bad;
}
