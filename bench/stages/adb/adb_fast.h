// What: the cases of time-critical queries by relative penetration: fast, budget, calibrate, many.
#ifndef GRAZE_BENCH_ADB_FAST_H
#define GRAZE_BENCH_ADB_FAST_H

#include "adb_protocol.h"
#include "graze/stage/time_critical.h"

// The protocol's scene, its poses shuffled, and a fit to poses of another seed.
typedef struct ProbeScene {
    AdbScene base;
    grzProbeQuery* queries; // with the fit
    AdbPoses fitPoses;
    grzProbeFit fit;
} ProbeScene;

enum { PROBE_FIT_SEED = 1 };

// False after Bench_Fail; to be released all the same. With `other`, AdbScene_MakeOther.
bool ProbeScene_Make(Bench* bench, bool other, size_t orientations, ProbeScene* scene);
void ProbeScene_Release(Bench* bench, ProbeScene* scene);

static inline bool ProbeScene_Touches(const grzModelQuery* query) {
    bool touches = false;
    return grzResult_IsOk(grzModels_Touch(query, &touches, NULL)) && touches;
}

// Fails the run where the query is refused.
grzProbeAnswer ProbeScene_Ask(Bench* bench, const grzProbeQuery* query, const grzProbeBudget* budget);

// Whether an answer that says so is certain.
static inline bool ProbeScene_IsSound(const ProbeScene* scene, size_t query, const grzProbeAnswer* answer) {
    return answer->certainty != grz_exact || answer->touches == scene->base.poses.touches[query];
}

void benchAdbFast(Bench* bench);
void benchAdbBudget(Bench* bench);
void benchAdbCalibrate(Bench* bench);
void benchAdbMany(Bench* bench);

#endif
