// What: the program graze-bench.
#include "bench_stages.h"
#include "options.h"

int main(int count, char** arguments) {
    BenchOptions options;
    char error[400];
    if (!BenchOptions_Read(&options, count - 1, arguments + 1, error, sizeof error)) {
        fprintf(stderr, "graze-bench: %s\n", error);
        return 2;
    }
    return finishOutput("graze-bench", benchRun(benchStages, benchStageCount, &options, stdout, stderr));
}
