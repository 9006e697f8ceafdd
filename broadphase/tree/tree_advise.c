// What: replays a workload on all variants of the tree and names the best.
//
// Idea: one variant after the other and then again, so that a machine that slows down for a while does not decide;
// of a variant's replays the fastest counts, since whatever disturbs a replay makes it slower.
//
// Promise: with a clock that tells the same times, the same advice; the counts need no clock at all.
#include "graze/tree_advise.h"

#include "memory.h"
#include "tree_replay.h"

static const uint32_t adviceDefMark = 0x67546176;

// ----------------------------------------------------------------------------------------------- the workload

grzTreeOp grzMakeInsertOp(uint32_t object, grzBox box) {
    grzTreeOp op = {.kind = grz_opInsert, .object = object, .box = box, .category = 1, .mask = UINT64_MAX};
    return op;
}

grzTreeOp grzMakeUpdateOp(uint32_t object, grzBox box) {
    grzTreeOp op = {.kind = grz_opUpdate, .object = object, .box = box};
    return op;
}

grzTreeOp grzMakeRemoveOp(uint32_t object) {
    grzTreeOp op = {.kind = grz_opRemove, .object = object};
    return op;
}

grzTreeOp grzMakeQueryOp(const grzTreeQuery* query) {
    grzTreeOp op = {.kind = grz_opQuery, .query = query};
    return op;
}

grzTreeOp grzMakePairsOp(void) {
    grzTreeOp op = {.kind = grz_opPairs};
    return op;
}

// ----------------------------------------------------------------------------------------------- the variants

enum { nestingCount = grz_nestPerNode + 1, retentionCount = grz_retainVolume + 1, thresholdCount = 4 };
_Static_assert(nestingCount* retentionCount* thresholdCount == GRZ_ADVICE_VARIANTS, "the header's number");

void grzTree_AllVariants(grzTreeVariant* variants) {
    static const uint32_t thresholds[thresholdCount] = {0, 64, 128, 256};
    for (int i = 0; i < GRZ_ADVICE_VARIANTS; ++i) {
        variants[i].nesting = (grzNesting)(i / (retentionCount * thresholdCount));
        variants[i].retention = (grzRetention)(i / thresholdCount % retentionCount);
        variants[i].splitThreshold = thresholds[i % thresholdCount];
    }
}

static grzTreeDef defOf(const grzTreeAdviceDef* def, const grzTreeVariant* variant) {
    grzTreeDef tree = grzDefaultTreeDef();
    tree.nesting = variant->nesting;
    tree.retention = variant->retention;
    tree.splitThreshold = variant->splitThreshold;
    tree.margin = def->margin;
    tree.allocator = def->allocator;
    return tree;
}

// ------------------------------------------------------------------------------------------------- the advice

grzTreeAdviceDef grzDefaultTreeAdviceDef(void) {
    grzTreeAdviceDef def = {.mark = adviceDefMark, .repeats = 3};
    return def;
}

static grzResult measureAll(const grzTreeAdviceDef* def, TreeReplay* replay, grzTreeMeasurement* measurements) {
    for (uint32_t repeat = 0; repeat < def->repeats; ++repeat)
        for (size_t v = 0; v < def->variantCount; ++v) {
            grzTreeDef tree = defOf(def, &def->variants[v]);
            grzTreeMeasurement measurement;
            grzResult result = grzTreeReplay_Run(replay, &tree, &measurement);
            if (!grzResult_IsOk(result))
                return result;
            if (repeat == 0 || measurement.time < measurements[v].time)
                measurements[v] = measurement;
        }
    return grzOk();
}

static void choose(const grzTreeAdviceDef* def, const grzTreeMeasurement* measurements, grzTreeAdvice* advice) {
    *advice = (grzTreeAdvice){0};
    for (size_t v = 1; v < def->variantCount; ++v) {
        if (measurements[v].time < measurements[advice->fastestIndex].time)
            advice->fastestIndex = v;
        if (measurements[v].work < measurements[advice->leastWorkIndex].work)
            advice->leastWorkIndex = v;
    }
    advice->fastest = defOf(def, &measurements[advice->fastestIndex].variant);
    advice->leastWork = defOf(def, &measurements[advice->leastWorkIndex].variant);
}

grzResult grzTree_Advise(const grzTreeAdviceDef* given, grzTreeMeasurement* measurements, size_t capacity,
                         grzTreeAdvice* advice) {
    grzTreeVariant all[GRZ_ADVICE_VARIANTS];
    if (given == NULL || given->mark != adviceDefMark)
        return grzFail(grz_badDef, 0);
    grzTreeAdviceDef def = *given;
    if (def.variants == NULL) {
        grzTree_AllVariants(all);
        def.variants = all;
        def.variantCount = GRZ_ADVICE_VARIANTS;
    }
    if (def.opCount == 0 || def.variantCount == 0 || def.repeats == 0)
        return grzBecause(grzFail(grz_badArgument, 1), "there are no operations, no variants or no repeats");
    if (capacity < def.variantCount)
        return grzFail(grz_bufferTooSmall, def.variantCount);
    TreeReplay replay;
    grzResult result = grzTreeReplay_Create(&replay, &def);
    if (grzResult_IsOk(result))
        result = measureAll(&def, &replay, measurements);
    if (grzResult_IsOk(result))
        choose(&def, measurements, advice);
    grzTreeReplay_Destroy(&replay);
    return result;
}
