// What: the program graze-bench.
#include "bench_stages.h"
#include "options.h"

int main(int count, char** arguments) {
    BenchOptions options;
    char error[400];
    if (!acceptEnvironment("graze-bench"))
        return exit_bad;
    if (!BenchOptions_Read(&options, count - 1, arguments + 1, error, sizeof error)) {
        fprintf(stderr, "graze-bench: %s\n", error);
        return exit_bad;
    }
    return finishOutput("graze-bench", benchRun(benchStages, benchStageCount, &options, stdout, stderr));
}
