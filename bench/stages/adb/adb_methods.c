// What: see adb_methods.h.
#include "adb_methods.h"

#include <math.h>
#include <string.h>

// Beyond it a pose has kept the queue full of pairs that are possible and not likely.
static const uint64_t mostQueryWork = 1000000;

const double adbFactors[ADB_FACTORS] = {0.2, 0.3, 0.15, 0.4, 0.25, 0.5, 0.1, 0.6, 0.05, 0.7, 0.8, 0.9};

bool AdbPlain_Make(Bench* bench, const AdbScene* scene, uint32_t resolution, double areaFactor, AdbPlain* plain) {
    memset(plain, 0, sizeof *plain);
    plain->bench = bench;
    plain->parameter = (AdbParameter){0.99F, 10};
    if (PlainBvh_Make(&plain->bvh, scene->triangles, scene->triangleCount, bench->allocator)) {
        PlainBvh_Build(&plain->bvh, scene->positions);
        const PlainAdbDef def = {resolution, grz_adbNoRegions, areaFactor, adbFactors, ADB_FACTORS};
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
                           .mostChances = mostQueryWork,
                           .sphereRatio = 8};
    for (int i = 0; i < 3; ++i) {
        query.shift[i] = (double)grzVec3_Get(relative.origin, i);
        for (int j = 0; j < 3; ++j)
            query.turn[i][j] = (double)grzVec3_Get(columns[j], i);
    }
    return query;
}

bool answerByPlain(const AdbScene* scene, size_t i, void* context, bool* touches) {
    AdbPlain* plain = context;
    PlainAdbQuery query = AdbPlain_Query(plain, &scene->poses.queries[i]);
    if (PlainAdb_Walk(&query, touches)) {
        plain->work += query.chances;
        plain->givenUp += query.isGivenUp;
        return true;
    }
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
    AdbOurs* ours = context;
    grzProbeQuery query = grzDefaultProbeQuery();
    grzProbeBudget budget = grzUnlimitedProbeBudget();
    grzProbeAnswer answer;
    budget.error = 0.1F; // ends with the method's own answer
    query.method = grz_probePublished;
    query.models = scene->poses.queries[i];
    query.adb.a = query.adb.b = ours->tree;
    query.adb.pMin = ours->parameter.pMin, query.adb.kMin = ours->parameter.kMin;
    if (!grzResult_IsOk(grzModelProbe_Begin(ours->probe, &query)) ||
        !grzResult_IsOk(grzModelProbe_Run(ours->probe, &budget, &answer))) {
        Bench_Fail(ours->bench, "adb: a query was refused");
        return false;
    }
    *touches = answer.touches;
    ours->work += 8 * (uint64_t)answer.work;
    return true;
}

bool answerExactly(const AdbScene* scene, size_t i, void* context, bool* touches) {
    (void)context;
    return grzResult_IsOk(grzModels_Touch(&scene->poses.queries[i], touches, NULL));
}

// ---- the constant of a mesh ----

enum { CHOICE_POSES = 1500 };
static const uint64_t mostChoiceWork = 15000000, mostRunWork = 60000000;

// Wrong answers of a part of the poses; SIZE_MAX where there are `most` or more, or the work gets out of hand.
static size_t countWrong(const AdbScene* scene, AdbAnswerFn* answer, void* context, const uint64_t* work,
                         size_t most) {
    const AdbPoses* poses = &scene->poses;
    const uint64_t last = *work + mostChoiceWork;
    size_t wrong = 0;
    for (size_t i = 0; i < poses->count; i += 1 + poses->count / CHOICE_POSES) {
        bool touches;
        if (poses->steps[i] < ADB_FIRST_COUNTED)
            continue;
        if (!answer(scene, i, context, &touches))
            return SIZE_MAX;
        wrong += touches != poses->touches[i];
        if (wrong >= most || *work > last)
            return SIZE_MAX;
    }
    return wrong;
}

static void keepBetter(uint32_t k, size_t wrong, uint32_t* best, size_t* least) {
    if (wrong < *least)
        *best = k, *least = wrong;
}

uint32_t adbChoosePlain(Bench* bench, const AdbScene* scene, AdbPlain* plain) {
    uint32_t best = 0;
    size_t least = SIZE_MAX;
    for (uint32_t k = 0; k < ADB_FACTORS && !bench->failed; ++k) {
        PlainAdb_Use(&plain->adb, 1 + k);
        keepBetter(k, countWrong(scene, answerByPlain, plain, &plain->work, least), &best, &least);
    }
    return bench->failed ? ADB_FACTORS : best;
}

uint32_t adbChooseOurs(Bench* bench, const AdbScene* scene, AdbParameter parameter) {
    uint32_t best = 0;
    size_t least = SIZE_MAX;
    for (uint32_t k = 0; k < ADB_FACTORS && !bench->failed; ++k) {
        AdbOurs ours;
        grzAdbTreeDef def = grzDefaultAdbTreeDef();
        def.areaFactor = (float)adbFactors[k];
        const bool isMade = AdbOurs_Make(bench, scene, def, &ours);
        ours.parameter = parameter;
        if (isMade)
            keepBetter(k, countWrong(scene, answerByOurs, &ours, &ours.work, least), &best, &least);
        AdbOurs_Release(&ours);
    }
    return bench->failed ? ADB_FACTORS : best;
}

size_t adbStride(const AdbScene* scene, AdbAnswerFn* answer, void* context, const uint64_t* work) {
    enum { TRIALS = 44 };
    const size_t count = scene->poses.count, each = 1 + count / TRIALS;
    const uint64_t first = *work;
    size_t asked = 0;
    for (size_t i = 0; i < count; i += each, ++asked) {
        bool touches;
        if (!answer(scene, i, context, &touches))
            return 0;
    }
    return asked == 0 ? 1
                      : 1 + (size_t)((double)(*work - first) / (double)asked * (double)count / (double)mostRunWork);
}
