// What: see kinetic_growth.h.
#include "kinetic_growth.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "graze/box_tree.h"
#include "graze/kinetic_tree.h"
#include "growth_fit.h"
#include "rng.h"
#include "shapes.h"

static const size_t frameRates[] = {1, 3, 10, 30, 100};

enum {
    rateCount = sizeof frameRates / sizeof frameRates[0],
    usualSquares = 360,
    quickSquares = 24,
    leastSquares = 8, // of a point
    wholeFall = 31,   // keyframes: a second
    quickFall = 9,
};

// ---- one motion, many resolutions ----

// Every stride divides the number of squares.
static void chooseStrides(Growth* growth) {
    static const size_t strides[growth_mostPoints] = {12, 8, 6, 4, 3, 2, 1};
    growth->pointCount = 0;
    for (size_t i = 0; i < growth_mostPoints; ++i)
        if (growth->squares / strides[i] >= leastSquares)
            growth->strides[growth->pointCount++] = strides[i];
}

bool Growth_Make(Bench* bench, SequenceKind kind, Growth* growth) {
    memset(growth, 0, sizeof *growth);
    const size_t usual = 2 * usualSquares * usualSquares, quick = 2 * quickSquares * quickSquares;
    const size_t wanted = (size_t)sqrt((double)Bench_Size(bench, usual, quick) / 2);
    growth->squares = wanted < 24 ? 24 : wanted / 24 * 24;
    growth->name = sequenceName(kind);
    chooseStrides(growth);
    const SequenceDef def = {kind, 2 * growth->squares * growth->squares,
                             bench->options->quick ? quickFall : wholeFall};
    return !KineticScene_Failed(bench,
                                loadSequence(&def, NULL, bench->allocator, &growth->mesh, &growth->sequence));
}

void Growth_Drop(Growth* growth) {
    MeshData_Release(&growth->mesh);
    SequenceData_Release(&growth->sequence);
}

// Vertices lie row by row, one more than squares in each.
static void takeVertices(const Growth* growth, size_t stride, SequenceData* coarse) {
    const size_t rowLength = growth->squares + 1;
    float* to = coarse->positions;
    for (size_t frame = 0; frame < growth->sequence.frameCount; ++frame)
        for (size_t row = 0; row < rowLength; row += stride)
            for (size_t column = 0; column < rowLength; column += stride, to += 3)
                memcpy(to,
                       growth->sequence.positions +
                           3 * (frame * growth->sequence.vertexCount + row * rowLength + column),
                       3 * sizeof *to);
}

bool Growth_MakeScene(Bench* bench, const Growth* growth, size_t point, size_t first, size_t frames,
                      KineticScene* scene) {
    const size_t stride = growth->strides[point], squares = growth->squares / stride;
    MeshData mesh = {0};
    SequenceData sequence = {0};
    memset(scene, 0, sizeof *scene);
    bool isMade =
        !KineticScene_Failed(bench, makeShape(shapeGrid, 2 * squares * squares, bench->allocator, &mesh)) &&
        !KineticScene_Failed(
            bench, SequenceData_Create(&sequence, bench->allocator, mesh.vertexCount, growth->sequence.frameCount));
    if (isMade) {
        takeVertices(growth, stride, &sequence);
        isMade = KineticScene_MakeOf(bench, growth->name, &mesh, &sequence, first, frames, 1, scene);
    }
    MeshData_Release(&mesh);
    SequenceData_Release(&sequence);
    return isMade;
}

// ---- counting ----

static bool countAabb(Bench* bench, const KineticScene* scene, size_t rate, GrowthCounts* counts) {
    grzKineticTreeDef def = grzDefaultKineticTreeDef();
    def.bvh = scene->bvh, def.plan = scene->plan, def.numbering = grz_bvhTreesNumbers;
    grzKineticTree* tree;
    if (KineticScene_Failed(bench, grzKineticTree_Create(&def, &tree)))
        return false;
    for (size_t k = 1; k <= (scene->frameCount - 1) * rate && !bench->failed; ++k)
        KineticScene_Failed(bench, grzKineticTree_Advance(tree, NULL, (double)k / (double)rate));
    const grzKineticTreeStats stats = grzKineticTree_GetStats(tree);
    *counts = (GrowthCounts){stats.leafEvents + stats.treeEvents, stats.updates, KineticScene_BoxValues(scene),
                             grzKineticTree_Validate(tree)};
    grzKineticTree_Destroy(tree);
    return !bench->failed;
}

static bool countBox(Bench* bench, const KineticScene* scene, size_t rate, GrowthCounts* counts) {
    grzBoxTreeDef def = grzDefaultBoxTreeDef();
    def.plan = scene->plan, def.triangles = scene->triangles, def.triangleCount = scene->triangleCount;
    grzBoxTree* tree;
    if (KineticScene_Failed(bench, grzBoxTree_Create(&def, &tree)))
        return false;
    for (size_t k = 1; k <= (scene->frameCount - 1) * rate && !bench->failed; ++k)
        KineticScene_Failed(bench, grzBoxTree_Advance(tree, (double)k / (double)rate));
    const grzBoxTreeStats stats = grzBoxTree_GetStats(tree);
    *counts = (GrowthCounts){stats.events, stats.updates, 2 * (double)grzBoxTree_GetView(tree).innerCount + 6,
                             grzBoxTree_Validate(tree)};
    grzBoxTree_Destroy(tree);
    return !bench->failed;
}

void GrowthPoint_Take(GrowthPoint* point, const GrowthCounts counts[growth_trees]) {
    bool isEqual = true;
    for (size_t t = 0; t < growth_trees; ++t) {
        const double events = (double)counts[t].events, updates = (double)counts[t].updates;
        if (point->rates == 0)
            point->events[t] = events, point->updates[t] = updates, point->values[t] = counts[t].values;
        isEqual &= point->events[t] == events && point->updates[t] == updates;
        point->same &= counts[t].same;
    }
    point->rates++;
    point->differing += !isEqual;
    point->same &= isEqual;
}

static void countPoint(Bench* bench, const KineticScene* scene, size_t rates, GrowthPoint* point) {
    *point = (GrowthPoint){.n = scene->triangleCount, .intervals = scene->frameCount - 1, .same = true};
    for (size_t i = 0; i < rates; ++i) {
        GrowthCounts counts[growth_trees];
        if (!countAabb(bench, scene, frameRates[i], &counts[growth_aabb]) ||
            !countBox(bench, scene, frameRates[i], &counts[growth_box]))
            return;
        GrowthPoint_Take(point, counts);
    }
}

bool Growth_Count(Bench* bench, Growth* growth, size_t rates) {
    for (size_t i = 0; i < growth->pointCount && !bench->failed; ++i) {
        KineticScene scene;
        if (Growth_MakeScene(bench, growth, i, 0, growth->sequence.frameCount, &scene))
            countPoint(bench, &scene, rates, &growth->points[i]);
        KineticScene_Drop(bench, &scene);
    }
    return !bench->failed;
}

// ---- rows ----

static const char* const treeNames[growth_trees] = {"ordered", "BoxTree"};

static void tell(Bench* bench, const Growth* growth, const GrowthPoint* point, const char* metric, const char* unit,
                 double value, double refits) {
    const BenchCounter counter = {.variant = growth->name,
                                  .metric = metric,
                                  .unit = unit,
                                  .value = value,
                                  .peer = refits > 0 ? "bottom up" : NULL,
                                  .peerValue = refits,
                                  .n = point->n,
                                  .workers = 1,
                                  .same = point->same};
    Bench_Count(bench, &counter);
}

static void tellPoint(Bench* bench, const Growth* growth, const GrowthPoint* point) {
    char metric[64];
    for (size_t t = 0; t < growth_trees; ++t) {
        snprintf(metric, sizeof metric, "events, %s", treeNames[t]);
        tell(bench, growth, point, metric, "in all", point->events[t], 0);
        snprintf(metric, sizeof metric, "updates, %s", treeNames[t]);
        tell(bench, growth, point, metric, "in all", point->updates[t],
             point->values[t] * (double)point->intervals);
    }
    snprintf(metric, sizeof metric, "of %zu frame rates", point->rates);
    tell(bench, growth, point, "other counts", metric, (double)point->differing, 0);
}

// As the paper's figure 18 has them. Bottom up, every value is written in every frame.
static void tellFrames(Bench* bench, const Growth* growth, const GrowthPoint* point) {
    char metric[64];
    for (size_t t = 0; t < growth_trees; ++t)
        for (size_t i = 0; i < rateCount; ++i) {
            snprintf(metric, sizeof metric, "updates, %s, l=%zu", treeNames[t], frameRates[i]);
            tell(bench, growth, point, metric, "a frame",
                 point->updates[t] / (double)(point->intervals * frameRates[i]), point->values[t]);
        }
}

static void tellPowers(Bench* bench, const Growth* growth) {
    const size_t count = growth->pointCount;
    GrowthPoint all = growth->points[count - 1];
    double sizes[growth_mostPoints], logSizes[growth_mostPoints], costs[2][growth_mostPoints];
    char metric[64];
    for (size_t t = 0; t < growth_trees; ++t) {
        for (size_t i = 0; i < count; ++i) {
            const GrowthPoint* point = &growth->points[i];
            sizes[i] = (double)point->n, logSizes[i] = sizes[i] * log(sizes[i]);
            costs[0][i] = point->events[t], costs[1][i] = point->updates[t];
            all.same &= point->same;
        }
        for (size_t cost = 0; cost < 2; ++cost) {
            snprintf(metric, sizeof metric, "%s, %s", cost == 0 ? "events" : "updates", treeNames[t]);
            tell(bench, growth, &all, metric, "power of n", benchFitPower(sizes, costs[cost], count), 0);
            tell(bench, growth, &all, metric, "power of n log n", benchFitPower(logSizes, costs[cost], count), 0);
        }
    }
}

static void tellGrowth(Bench* bench, const Growth* growth) {
    for (size_t i = 0; i < growth->pointCount; ++i)
        tellPoint(bench, growth, &growth->points[i]);
    tellPowers(bench, growth);
    tellFrames(bench, growth, &growth->points[growth->pointCount / 2]);
}

// ---- noise: more updates than a bottom-up update writes ----

enum { noiseTriangles = 10368, noiseFrames = 6 };

// A sheet whose vertices are at random places at each keyframe, up to 16 edges off along each axis.
static void drawNoise(const MeshData* mesh, SequenceData* sequence) {
    grzRng rng = grzRng_Make(1, 0);
    const float* rest = mesh->positions;
    const float most = 16 * fabsf(rest[3] - rest[0]);
    float* to = sequence->positions;
    for (size_t frame = 0; frame < sequence->frameCount; ++frame)
        for (size_t i = 0; i < 3 * mesh->vertexCount; ++i)
            *to++ = rest[i] + most * (2 * grzRng_Float(&rng) - 1);
}

static void tellNoise(Bench* bench) {
    const Growth growth = {.name = "noise"};
    MeshData mesh = {0};
    SequenceData sequence = {0};
    KineticScene scene = {0};
    GrowthPoint point = {0};
    if (!KineticScene_Failed(bench, makeShape(shapeGrid, noiseTriangles, bench->allocator, &mesh)) &&
        !KineticScene_Failed(bench,
                             SequenceData_Create(&sequence, bench->allocator, mesh.vertexCount, noiseFrames))) {
        drawNoise(&mesh, &sequence);
        if (KineticScene_MakeOf(bench, growth.name, &mesh, &sequence, 0, noiseFrames, 1, &scene))
            countPoint(bench, &scene, rateCount, &point);
    }
    if (!bench->failed)
        tellFrames(bench, &growth, &point);
    KineticScene_Drop(bench, &scene);
    MeshData_Release(&mesh);
    SequenceData_Release(&sequence);
}

void benchKineticGrowth(Bench* bench) {
    Growth* growth = Bench_Allocate(bench, 1, sizeof *growth);
    if (growth == NULL)
        return;
    if (Growth_Make(bench, sequenceTablecloth, growth) && Growth_Count(bench, growth, rateCount)) {
        tellGrowth(bench, growth);
        tellNoise(bench);
    }
    Growth_Drop(growth);
    Bench_Release(bench, growth, 1, sizeof *growth);
}
