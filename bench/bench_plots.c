// What: see bench_plots.h.
#include "bench_plots.h"

#include <errno.h>
#include <string.h>

bool Bench_WantsPlots(const Bench* bench) {
    return !bench->options->quick || bench->options->svg != NULL;
}

void Bench_WritePlot(Bench* bench, const Plot* plot, const char* name) {
    const char* directory = bench->options->svg != NULL ? bench->options->svg : GRAZE_BENCH_PLOTS;
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
