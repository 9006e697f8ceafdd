// What: fits as plain numbers, with hashes of the models that they belong to.
#include <float.h>
#include <math.h>

#include "hash.h"
#include "model_chunks.h"
#include "probe_state.h"
#include "refuse_null.h"
#include "result_make.h"

enum { FORMAT = 3 };
#define MOST 1e6F

// Of boxes and triangles, in the order of the hierarchy.
static uint64_t contentsOf(const grzModel* model) {
    grzModel_MakeAll(model);
    grzHash hash = grzHash_Begin(model->leafCount);
    for (uint32_t i = 0; i < model->leafCount; ++i) {
        const ModelLeaf* leaf = &model->leaves[i];
        for (int axis = 0; axis < 3; ++axis)
            for (int k = 0; k < 16; ++k)
                grzHash_AddFloat(&hash, leaf->at[axis][k]);
    }
    return grzHash_End(&hash);
}

// The numbers of a fit but for its axes and counts, in their order in a file.
typedef struct FitNumbers {
    float* at[grz_probeFitNumbers];
    uint32_t count;
} FitNumbers;

static void list(FitNumbers* numbers, float* first, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i)
        numbers->at[numbers->count++] = first + i;
}

static FitNumbers listNumbers(grzProbeFit* fit) {
    FitNumbers numbers = {{NULL}, 0};
    for (uint32_t stop = 0; stop < grz_probeStops; ++stop)
        list(&numbers, fit->weights[stop], grz_probeWeights);
    list(&numbers, fit->spent, grz_probeStops);
    list(&numbers, fit->limits, grz_probeRisks);
    list(&numbers, fit->sure, grz_probeRisks);
    list(&numbers, &fit->voteAbove, 1);
    list(&numbers, &fit->voteScore, 1);
    list(&numbers, fit->sizes, 2);
    return numbers;
}

grzResult grzProbeFit_Save(const grzProbeFit* fit, const grzModel* a, const grzModel* b,
                           double numbers[grz_probeFitNumbers]) {
    GRZ_REFUSE_NULL(fit, 1);
    GRZ_REFUSE_NULL(a, 2);
    GRZ_REFUSE_NULL(b, 3);
    GRZ_REFUSE_NULL(numbers, 4);
    if (fit->mark != PROBE_FIT_MARK)
        return grzFail(grz_badDef, 0);
    if (fit->revisions[0] != a->revision || fit->revisions[1] != b->revision)
        return grzBecause(grzFail(grz_badArgument, 1), "the fit is of other models");
    grzProbeFit copy = *fit;
    const FitNumbers floats = listNumbers(&copy);
    const uint64_t contents[2] = {contentsOf(a), contentsOf(b)};
    double* to = numbers;
    *to++ = FORMAT;
    *to++ = fit->axes;
    *to++ = fit->queryCount;
    *to++ = fit->votesWanted;
    for (uint32_t i = 0; i < floats.count; ++i)
        *to++ = (double)*floats.at[i];
    for (int side = 0; side < 2; ++side) {
        *to++ = (double)(contents[side] >> 32);
        *to++ = (double)(uint32_t)contents[side];
    }
    return grzOk();
}

static bool areWithin(const float* numbers, int count, float least, float most) {
    for (int i = 0; i < count; ++i)
        if (!(numbers[i] >= least && numbers[i] <= most))
            return false;
    return true;
}

// A greater error never takes a greater limit.
static bool areFalling(const float* numbers, int count) {
    for (int i = 1; i < count; ++i)
        if (numbers[i] > numbers[i - 1])
            return false;
    return true;
}

// What Make gives, but for weights, which only have to keep scores finite: no answer is surer than it can be, or ends at once.
static bool isSane(const grzProbeFit* fit) {
    return areWithin(fit->weights[0], grz_probeStops * grz_probeWeights, -MOST, MOST) &&
           areWithin(fit->spent, grz_probeStops, FLT_MIN, MOST) &&
           areWithin(fit->limits, grz_probeRisks, PROBE_LEAST_LIMIT, FLT_MAX) &&
           areFalling(fit->limits, grz_probeRisks) && areWithin(fit->sure, grz_probeRisks, FLT_MIN, MOST) &&
           areWithin(&fit->voteAbove, 1, 0, PROBE_MOST_RATIO) &&
           areWithin(&fit->voteScore, 1, 0, PROBE_MOST_ODDS) && areWithin(fit->sizes, 2, FLT_MIN, FLT_MAX) &&
           fit->sizes[0] <= fit->sizes[1];
}

static bool isWhole(double number, double least, double most) {
    return number >= least && number <= most && floor(number) == number;
}

static bool areNumbers(const double* numbers) {
    const double* hashes = numbers + grz_probeFitNumbers - 4;
    for (int i = 0; i < grz_probeFitNumbers; ++i)
        if (!isfinite((float)numbers[i]))
            return false;
    for (int i = 0; i < 4; ++i)
        if (!isWhole(hashes[i], 0, UINT32_MAX))
            return false;
    return numbers[0] == FORMAT && isWhole(numbers[1], 0, grz_axesAll) &&
           isWhole(numbers[2], PROBE_LEAST_QUERIES, UINT32_MAX) && isWhole(numbers[3], 1, UINT32_MAX);
}

static grzResult refusedNumbers(void) {
    return grzBecause(grzFail(grz_badArgument, 1), "the numbers are not those of a saved fit");
}

grzResult grzProbeFit_Load(const double numbers[grz_probeFitNumbers], const grzModel* a, const grzModel* b,
                           grzProbeFit* fit) {
    GRZ_REFUSE_NULL(numbers, 1);
    GRZ_REFUSE_NULL(a, 2);
    GRZ_REFUSE_NULL(b, 3);
    GRZ_REFUSE_NULL(fit, 4);
    memset(fit, 0, sizeof *fit);
    if (!areNumbers(numbers))
        return refusedNumbers();
    const FitNumbers floats = listNumbers(fit);
    fit->mark = PROBE_FIT_MARK;
    fit->axes = (uint32_t)numbers[1];
    fit->queryCount = (uint32_t)numbers[2];
    fit->votesWanted = (uint32_t)numbers[3];
    for (uint32_t i = 0; i < floats.count; ++i)
        *floats.at[i] = (float)numbers[4 + i];
    if (!isSane(fit)) {
        memset(fit, 0, sizeof *fit);
        return refusedNumbers();
    }
    const double* hashes = numbers + 4 + floats.count;
    const grzModel* models[2] = {a, b};
    for (int side = 0; side < 2; ++side) {
        const uint64_t contents = contentsOf(models[side]);
        if (hashes[2 * side] == (double)(contents >> 32) && hashes[2 * side + 1] == (double)(uint32_t)contents)
            fit->revisions[side] = models[side]->revision;
    }
    return grzOk();
}
