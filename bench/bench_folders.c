// What: see bench_folders.h.
#define _POSIX_C_SOURCE 200809L // scandir
#include "bench_folders.h"

#include <dirent.h>
#include <stdlib.h>

bool Bench_JoinPath(Bench* bench, const char* folder, const char* name, char path[BENCH_PATH_SIZE]) {
    if (snprintf(path, BENCH_PATH_SIZE, "%s/%s", folder, name) < BENCH_PATH_SIZE)
        return true;
    Bench_Fail(bench, "the path of %.100s in its folder is too long", name);
    return false;
}

bool Bench_HasFile(const char* path) {
    FILE* file = fopen(path, "rb");
    return file != NULL && fclose(file) == 0;
}

void Bench_ForEachEntry(Bench* bench, const char* folder, BenchVisitFn* visit, void* context) {
    struct dirent** entries = NULL;
    const int count = scandir(folder, &entries, NULL, alphasort);
    for (int i = 0; i < count; ++i) {
        if (entries[i]->d_name[0] != '.' && !bench->failed)
            visit(bench, folder, entries[i]->d_name, context);
        free(entries[i]);
    }
    free(entries);
}
