// What: see kinetic_lazy.h.
// Holds: both sides are a grzUpkeep of which one way is allowed, the chord tree, and go through the same frames, each with the
//   same query, which counts what it finds; the counts of all frames, and the triangles found at the end, are the outcome. What is reached is counted, not set: the box stands in a
//   corner of the sheet as it lies at first, and spans a part of its ground, all of it upward and downward.
#include "kinetic_lazy.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "graze/upkeep.h"
#include "kinetic_scene.h"

typedef struct Side {
    const KineticScene* scene;
    size_t perInterval;
    grzBox box;
    bool isLazy;
    grzUpkeep* upkeep;
    uint32_t* triangles;
    uint64_t digest;
    grzResult result;
} Side;

static void keep(Side* side, grzResult result) {
    if (grzResult_IsOk(side->result))
        side->result = result;
}

static void prepare(void* context) {
    Side* side = context;
    grzUpkeepDef def = grzDefaultUpkeepDef();
    grzUpkeep_Destroy(side->upkeep);
    side->upkeep = NULL;
    side->digest = 0;
    memset(&side->result, 0, sizeof side->result);
    def.bvh = side->scene->bvh, def.plan = side->scene->plan;
    def.numbering = grz_bvhTreesNumbers;
    def.ways = GRZ_UPKEEP_BIT(grz_upkeepChord);
    def.isLazy = side->isLazy;
    keep(side, grzUpkeep_Create(&def, &side->upkeep));
}

static size_t frameCount(const Side* side) {
    return (side->scene->frameCount - 2) * side->perInterval;
}

// How many triangles a query finds; it walks the tree once and writes nothing.
static uint64_t countFound(Side* side) {
    size_t count;
    const grzResult result = grzUpkeep_FindInBox(side->upkeep, side->box, NULL, 0, &count);
    if (result.status != grz_bufferTooSmall)
        keep(side, result);
    return result.value;
}

static void run(void* context) {
    Side* side = context;
    for (size_t k = 1; k <= frameCount(side) && grzResult_IsOk(side->result); ++k) {
        keep(side, grzUpkeep_Advance(side->upkeep, NULL, (double)k / (double)side->perInterval, NULL));
        side->digest = side->digest * 31 + countFound(side) + 1;
    }
}

static uint64_t digest(void* context) {
    Side* side = context;
    size_t count;
    keep(side, grzUpkeep_FindInBox(side->upkeep, side->box, side->triangles, side->scene->triangleCount, &count));
    return grzResult_IsOk(side->result)
               ? Bench_Digest(side->digest, side->triangles, count * sizeof *side->triangles)
               : 0;
}

// A part of the ground of the first keyframe; 0: nothing.
static grzBox boxOf(const KineticScene* scene, double part) {
    grzBox all = grzBox_Empty();
    const float* p = KineticScene_Frame(scene, 0);
    for (size_t v = 0; v < scene->vertexCount; ++v)
        all = grzBox_AddPoint(all, grzVec3_Load(p + 3 * v));
    if (part == 0)
        return grzBox_Make(grzVec3_Make(1e6F, 1e6F, 1e6F), grzVec3_Make(2e6F, 2e6F, 2e6F));
    const float side = (float)sqrt(part);
    const grzBox ground = {grzVec3_Make(all.lower.x, -1e6F, all.lower.z),
                           grzVec3_Make(all.lower.x + side * (all.upper.x - all.lower.x), 1e6F,
                                        all.lower.z + side * (all.upper.z - all.lower.z))};
    const grzBox everything = {grzVec3_Splat(-1e6F), grzVec3_Splat(1e6F)};
    return part == 1 ? everything : ground;
}

// Of the chunks, at all keyframes that an interval began or ended with, beside the first.
static void tellReached(Bench* bench, Side* side, const char* variant, double part) {
    char metric[64];
    prepare(side);
    run(side);
    if (KineticScene_Failed(bench, side->result))
        return;
    const double keyframes = (double)side->scene->frameCount - 1; // beside the first, which is whole
    const double chunks = keyframes * grzBvh_GetView(side->scene->bvh).chunkCount;
    snprintf(metric, sizeof metric, "chunks reached by %g %%", 100 * part);
    const BenchCounter counter = {.variant = variant,
                                  .metric = metric,
                                  .unit = "of all",
                                  .value = (double)grzUpkeep_GetStats(side->upkeep).chunks / chunks,
                                  .n = side->scene->triangleCount,
                                  .workers = 1,
                                  .same = true};
    Bench_Count(bench, &counter);
}

static void measurePart(Bench* bench, const KineticScene* scene, size_t perInterval, double part) {
    char variant[64], metric[64];
    Side work[2];
    BenchSide sides[2];
    memset(work, 0, sizeof work);
    for (int k = 0; k < 2; ++k) {
        Side* side = &work[k];
        side->scene = scene;
        side->perInterval = perInterval;
        side->isLazy = k == 0;
        side->box = boxOf(scene, part);
        side->triangles = Bench_Allocate(bench, scene->triangleCount, sizeof *side->triangles);
        sides[k] = (BenchSide){k == 0 ? "lazy" : "eager", prepare, run, digest, NULL, side, NULL};
    }
    snprintf(variant, sizeof variant, "%.40s, l=%zu", scene->name, perInterval);
    snprintf(metric, sizeof metric, "a frame, %g %% asked", 100 * part);
    const BenchJob job = {.variant = variant,
                          .metric = metric,
                          .unit = "ns/triangle",
                          .amount = (double)(frameCount(&work[0]) * scene->triangleCount),
                          .n = scene->triangleCount,
                          .workers = 1,
                          .sides = sides,
                          .sideCount = 2};
    if (!bench->failed)
        Bench_Measure(bench, &job);
    if (!bench->failed)
        tellReached(bench, &work[0], variant, part);
    for (int k = 0; k < 2; ++k) {
        grzUpkeep_Destroy(work[k].upkeep);
        Bench_Release(bench, work[k].triangles, scene->triangleCount, sizeof *work[k].triangles);
    }
}

static void runSize(Bench* bench, size_t n) {
    static const double parts[] = {0, 0.01, 0.1, 1};
    static const size_t rates[] = {1, 3, 10, 30};
    const SequenceDef def = {sequenceTablecloth, n, bench->options->quick ? 4 : 14};
    KineticScene scene;
    const bool isMade = KineticScene_Make(bench, &def, 1, &scene);
    for (size_t l = 0; l < sizeof rates / sizeof rates[0]; ++l)
        for (size_t p = 0; p < sizeof parts / sizeof parts[0] && isMade && !bench->failed; ++p)
            if (!bench->options->quick || (rates[l] == 3 && p % 2 == 1))
                measurePart(bench, &scene, rates[l], parts[p]);
    KineticScene_Drop(bench, &scene);
}

void benchKineticLazy(Bench* bench) {
    const BenchOptions* options = bench->options;
    const bool isOne = options->quick || options->n != 0 || options->meshA != NULL || options->sequence != NULL;
    runSize(bench, Bench_Size(bench, 16384, 600));
    if (!isOne && !bench->failed)
        runSize(bench, 262144);
}
