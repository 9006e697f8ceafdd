// What: see adb_methods.h.
#include "adb_methods.h"

#include <math.h>
#include <string.h>

bool AdbPlain_Make(Bench* bench, const AdbScene* scene, uint32_t resolution, double areaFactor, AdbPlain* plain) {
    memset(plain, 0, sizeof *plain);
    plain->bench = bench;
    plain->parameter = (AdbParameter){0.99F, 10};
    if (PlainBvh_Make(&plain->bvh, scene->triangles, scene->triangleCount, bench->allocator)) {
        PlainBvh_Build(&plain->bvh, scene->positions);
        const PlainAdbDef def = {resolution, grz_adbNoRegions, areaFactor};
        if (PlainAdb_FromBvh(&plain->adb, &plain->bvh, scene->positions, def, bench->allocator))
            return true;
    }
    Bench_Fail(bench, "adb: no memory for the paper's tree");
    return false;
}

void AdbPlain_Release(AdbPlain* plain) {
    PlainAdb_Release(&plain->adb);
    PlainBvh_Release(&plain->bvh);
}

PlainAdbQuery AdbPlain_Query(const AdbPlain* plain, const grzModelQuery* given) {
    const grzTransform relative = grzTransform_Relative(given->poseA, given->poseB);
    const grzVec3 columns[3] = {relative.basis.x, relative.basis.y, relative.basis.z};
    PlainAdbQuery query = {.a = &plain->adb,
                           .b = &plain->adb,
                           .scale = 1,
                           .pMin = (double)plain->parameter.pMin,
                           .kMin = plain->parameter.kMin,
                           .sphereRatio = 8};
    for (int i = 0; i < 3; ++i) {
        query.shift[i] = (double)grzVec3_Get(relative.origin, i);
        for (int j = 0; j < 3; ++j)
            query.turn[i][j] = (double)grzVec3_Get(columns[j], i);
    }
    return query;
}

bool answerByPlain(const AdbScene* scene, size_t i, void* context, bool* touches) {
    const AdbPlain* plain = context;
    PlainAdbQuery query = AdbPlain_Query(plain, &scene->queries[i]);
    if (PlainAdb_Walk(&query, touches))
        return true;
    Bench_Fail(plain->bench, "adb: no memory for a queue");
    return false;
}

bool AdbOurs_Make(Bench* bench, const AdbScene* scene, grzAdbTreeDef def, AdbOurs* ours) {
    memset(ours, 0, sizeof *ours);
    ours->bench = bench;
    ours->parameter = (AdbParameter){0.99F, 10};
    def.model = scene->model;
    def.allocator = bench->allocator;
    if (grzResult_IsOk(grzAdbTree_Create(&def, &ours->tree)) &&
        grzResult_IsOk(grzModelProbe_Create(bench->allocator, &ours->probe)))
        return true;
    Bench_Fail(bench, "adb: no memory for a tree");
    return false;
}

void AdbOurs_Release(AdbOurs* ours) {
    grzModelProbe_Destroy(ours->probe);
    grzAdbTree_Destroy(ours->tree);
}

bool answerByOurs(const AdbScene* scene, size_t i, void* context, bool* touches) {
    const AdbOurs* ours = context;
    grzProbeQuery query = grzDefaultProbeQuery();
    grzProbeBudget budget = grzUnlimitedProbeBudget();
    grzProbeAnswer answer;
    budget.error = 0.1F; // ends with the method's own answer
    query.method = grz_probePublished;
    query.models = scene->queries[i];
    query.adb.a = query.adb.b = ours->tree;
    query.adb.pMin = ours->parameter.pMin, query.adb.kMin = ours->parameter.kMin;
    if (!grzResult_IsOk(grzModelProbe_Begin(ours->probe, &query)) ||
        !grzResult_IsOk(grzModelProbe_Run(ours->probe, &budget, &answer))) {
        Bench_Fail(ours->bench, "adb: a query was refused");
        return false;
    }
    *touches = answer.touches;
    return true;
}

bool answerExactly(const AdbScene* scene, size_t i, void* context, bool* touches) {
    (void)context;
    return grzResult_IsOk(grzModels_Touch(&scene->queries[i], touches, NULL));
}

static double errorOf(Bench* bench, const AdbScene* scene, bool isPlain, AdbParameter parameter, double factor) {
    AdbTally tally;
    bool isGood;
    if (isPlain) {
        AdbPlain plain;
        isGood = AdbPlain_Make(bench, scene, 8, factor, &plain);
        plain.parameter = parameter;
        isGood = isGood && AdbScene_Run(scene, answerByPlain, &plain, &tally);
        AdbPlain_Release(&plain);
    } else {
        AdbOurs ours;
        grzAdbTreeDef def = grzDefaultAdbTreeDef();
        def.areaFactor = (float)factor;
        isGood = AdbOurs_Make(bench, scene, def, &ours);
        ours.parameter = parameter;
        isGood = isGood && AdbScene_Run(scene, answerByOurs, &ours, &tally);
        AdbOurs_Release(&ours);
    }
    return isGood ? AdbTally_Error(&tally, ADB_FIRST_COUNTED, ADB_STEPS - 1) : (double)NAN;
}

double adbChooseFactor(Bench* bench, const AdbScene* scene, bool isPlain, AdbParameter parameter) {
    static const double factors[] = {0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1};
    double best = 0, least = (double)INFINITY;
    for (size_t k = 0; k < sizeof factors / sizeof *factors && !bench->failed; ++k) {
        const double error = errorOf(bench, scene, isPlain, parameter, factors[k]);
        if (error < least || best == 0)
            best = factors[k], least = error;
    }
    return bench->failed ? 0 : best;
}
