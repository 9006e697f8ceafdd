// What: the stage "adb": time-critical queries of two copies of a mesh.
#include "adb_fast.h"

static const BenchCase cases[] = {
    {"fast", "queries with an error of 1 %, beside exact ones: mean, p99, wrong answers", benchAdbFast,
     bench_usesN | bench_usesMesh},
    {"budget", "wrong answers where work or time is bounded, and whether the bounds are kept", benchAdbBudget,
     bench_usesN | bench_usesMesh},
    {"calibrate", "the time of a fit, and stated beside true errors, of its mesh and of another one",
     benchAdbCalibrate, bench_usesN | bench_usesMesh | bench_usesSecondMesh | bench_usesPlots},
    {"many", "a batch of queries on several workers, beside plain arithmetic", benchAdbMany,
     bench_usesN | bench_usesMesh | bench_usesWorkers},
};

const BenchStage benchAdb = {"adb", "time-critical queries of two meshes", cases, sizeof cases / sizeof cases[0]};
