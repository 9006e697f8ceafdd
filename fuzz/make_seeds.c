// Writes the seeds of one kind of input as files: make_seeds KIND FOLDER, where the folder is there already.
#include <stdio.h>
#include <string.h>

#include "fuzz_entry.h"

static bool writeSeed(const FuzzKind* kind, size_t seed, const char* folder) {
    char path[PATH_CAPACITY];
    snprintf(path, sizeof path, "%s/seed-%zu.%s", folder, seed, kind->name);
    grzAllocator usual = {0};
    FileError error = {""};
    ByteSink sink;
    if (!ByteSink_Open(&sink, path, usual, &error)) {
        fprintf(stderr, "%s\n", error.text);
        return false;
    }
    kind->putSeed(&sink, seed);
    bool isWritten = ByteSink_Commit(&sink, &error);
    if (!isWritten)
        fprintf(stderr, "%s\n", error.text);
    ByteSink_Release(&sink);
    return isWritten;
}

int main(int argumentCount, char** arguments) {
    if (argumentCount != 3) {
        fprintf(stderr, "usage: make_seeds KIND FOLDER\n");
        return 2;
    }
    for (size_t i = 0; i < fuzzKindCount; ++i) {
        if (strcmp(fuzzKinds[i].name, arguments[1]) != 0)
            continue;
        for (size_t seed = 0; seed < fuzzKinds[i].seedCount; ++seed)
            if (!writeSeed(&fuzzKinds[i], seed, arguments[2]))
                return 1;
        return 0;
    }
    fprintf(stderr, "make_seeds: no kind of input is called '%s'\n", arguments[1]);
    return 2;
}
