// What: see bench_plots.h.
#define _POSIX_C_SOURCE 200809L // stat, access

#include "bench_plots.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool Bench_WantsPlots(const BenchOptions* options) {
    return !options->quick || options->svg != NULL;
}

static const char* folderOf(const BenchOptions* options) {
    return options->svg != NULL ? options->svg : GRAZE_BENCH_PLOTS;
}

void Bench_CheckPlots(const BenchOptions* options, char* error, size_t capacity) {
    struct stat status;
    const char* folder = folderOf(options);
    error[0] = 0;
    if (stat(folder, &status) != 0)
        snprintf(error, capacity, "cannot write plots to %.300s: %s", folder, strerror(errno));
    else if (!S_ISDIR(status.st_mode))
        snprintf(error, capacity, "cannot write plots to %.300s: expected a folder", folder);
    else if (access(folder, W_OK | X_OK) != 0)
        snprintf(error, capacity, "cannot write plots to %.300s: %s", folder, strerror(errno));
}

void Bench_WritePlot(Bench* bench, const Plot* plot, const char* name) {
    const char* directory = folderOf(bench->options);
    char path[600];
    if ((size_t)snprintf(path, sizeof path, "%s/%s.svg", directory, name) >= sizeof path) {
        Bench_Fail(bench, "the path of --svg is too long");
        return;
    }
    FILE* file = fopen(path, "w");
    bool written = file != NULL && Plot_Write(plot, file);
    if (file != NULL)
        written &= fclose(file) == 0;
    if (written)
        fprintf(bench->out, "wrote %s\n", path);
    else
        Bench_Fail(bench, "cannot write %s: %s", path, strerror(errno));
}
