// What: the cases of time-critical queries by relative penetration: fast, budget, calibrate, many.
#ifndef GRAZE_BENCH_ADB_FAST_H
#define GRAZE_BENCH_ADB_FAST_H

#include "bench.h"
#include "graze/stage/time_critical.h"

typedef struct ProbePoses {
    grzModelQuery* queries;
    size_t count, capacity;
} ProbePoses;

// Two copies of the mesh of --mesh, else of a torus, with poses that were shuffled, their answers, and a fit to poses
// of another seed.
typedef struct ProbeScene {
    const char* name;
    grzModel* model;
    size_t triangleCount;
    grzProbeQuery* queries; // with the fit
    bool* touches;
    size_t queryCount;
    ProbePoses fitPoses;
    grzProbeFit fit;
} ProbeScene;

enum { PROBE_TEST_SEED = 77, PROBE_FIT_SEED = 1 };

// False after Bench_Fail; to be released all the same. With `second`, the second --mesh, or a sphere.
bool ProbeScene_Make(Bench* bench, bool second, size_t perDistance, ProbeScene* scene);
void ProbeScene_Release(Bench* bench, ProbeScene* scene);

static inline bool ProbeScene_Touches(const grzModelQuery* query) {
    bool touches = false;
    return grzResult_IsOk(grzModels_Touch(query, &touches, NULL)) && touches;
}

// Fails the run where the query is refused.
grzProbeAnswer ProbeScene_Ask(Bench* bench, const grzProbeQuery* query, const grzProbeBudget* budget);

void benchAdbFast(Bench* bench);
void benchAdbBudget(Bench* bench);
void benchAdbCalibrate(Bench* bench);
void benchAdbMany(Bench* bench);

#endif
