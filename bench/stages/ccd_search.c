// What: see ccd_search.h.
// Holds: two clouds of small triangles or edges that fall through each other; a pair is one of each, near each other somewhere on the
//   way. The first impact stands beside finding the impact of each pair, the least of them kept. Pairs that come near are
//   checked by pairs that touch, and by those that come within half the distance and twice: each is among the next.
#include "ccd_search.h"

#include <string.h>

#include "graze/ccd_earliest.h"
#include "graze/ccd_near.h"
#include "rng.h"

typedef struct Search {
    Bench* bench;
    grzCcdMotion* motion;
    grzCcdPairs pairs;
    float* points;      // of both ends
    uint32_t* vertices; // four a pair
    uint8_t* answers;   // of the distance, half and twice of it, and 0
    double distance;
    grzCcdEarliest earliest[2]; // ours, one by one
} Search;

enum { POINTS = 4 }; // of a pair

// ---- the first impact ----

static void clearEarliest(void* context) {
    Search* search = context;
    memset(search->earliest, 0, sizeof search->earliest);
}

static void runEarliest(void* context) {
    Search* search = context;
    if (!grzResult_IsOk(grzCcdMotion_FindEarliest(search->motion, NULL, &search->pairs, &search->earliest[0])))
        clearEarliest(context);
}

static void runPlain(void* context) {
    Search* search = context;
    grzCcdEarliest* best = &search->earliest[1];
    memset(best, 0, sizeof *best);
    for (uint32_t i = 0; i < search->pairs.count; ++i) {
        const grzCcdQuery query =
            grzCcdMotion_Query(search->motion, search->pairs.kind, search->vertices + 4 * (size_t)i);
        grzCcdImpact impact;
        if (grzResult_IsOk(grzCcd_FindImpact(&query, 0, &impact)) && impact.touches &&
            (!best->isFound || impact.t1 < best->impact.t1))
            *best = (grzCcdEarliest){true, i, impact};
    }
}

static uint64_t digestOf(const grzCcdEarliest* earliest) {
    const double numbers[3] = {(double)earliest->pair, earliest->impact.t0, earliest->impact.t1};
    return Bench_Digest(0, numbers, sizeof numbers);
}

static uint64_t digestEarliest(void* context) {
    return digestOf(&((const Search*)context)->earliest[0]);
}

static uint64_t digestPlain(void* context) {
    return digestOf(&((const Search*)context)->earliest[1]);
}

// ---- what comes near ----

static void decideNear(const Search* search, double distance, uint8_t* answers) {
    const grzCcdNear near = {.distance = distance};
    if (!grzResult_IsOk(grzCcdMotion_DecideNear(search->motion, NULL, &search->pairs, &near, answers, NULL)))
        memset(answers, 0xFF, search->pairs.count);
}

static void clearNear(void* context) {
    const Search* search = context;
    memset(search->answers, 0xFF, POINTS * (size_t)search->pairs.count);
}

static void runNear(void* context) {
    const Search* search = context;
    decideNear(search, search->distance, search->answers);
}

static uint64_t digestNear(void* context) {
    const Search* search = context;
    return Bench_Digest(0, search->answers, search->pairs.count);
}

static bool isWithin(const uint8_t* few, const uint8_t* many, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i)
        if (many[i] > grz_ccdDoubtful || (few[i] != grz_ccdApart && many[i] == grz_ccdApart))
            return false;
    return true;
}

static bool agreesNear(void* context) {
    const Search* search = context;
    const uint32_t count = search->pairs.count;
    uint8_t *half = search->answers + count, *twice = half + count, *touching = twice + count;
    decideNear(search, 0.5 * search->distance, half);
    decideNear(search, 2 * search->distance, twice);
    decideNear(search, 0, touching);
    return isWithin(touching, half, count) && isWithin(half, search->answers, count) &&
           isWithin(search->answers, twice, count);
}

// ---- the scene ----

// A pair meets at some height on the way, more or less beside each other.
static void makePair(grzRng* rng, Search* search, uint32_t pair, size_t count) {
    const uint32_t ends = search->pairs.kind == grz_ccdEdgeEdge ? 2 : 1;
    const float x = 100 * grzRng_Float(rng), y = 100 * grzRng_Float(rng), fall = 1 + grzRng_Float(rng);
    for (uint32_t k = 0; k < POINTS; ++k) {
        const size_t vertex = POINTS * (size_t)pair + k;
        float *start = search->points + 3 * vertex, *end = start + 3 * POINTS * count;
        start[0] = x + grzRng_Float(rng), start[1] = y + grzRng_Float(rng), start[2] = 0.2f * grzRng_Float(rng);
        start[2] += k < ends ? 1 : 0;
        for (int axis = 0; axis < 3; ++axis)
            end[axis] = start[axis] + 0.1f * grzRng_Float(rng);
        end[2] -= k < ends ? fall : 0;
        search->vertices[vertex] = (uint32_t)vertex;
    }
}

static bool makeScene(Search* search, grzCcdKind kind, size_t count) {
    grzRng rng = grzRng_Make(7, (uint64_t)kind);
    search->points = Bench_Allocate(search->bench, 6 * POINTS * count, sizeof *search->points);
    search->vertices = Bench_Allocate(search->bench, POINTS * count, sizeof *search->vertices);
    search->answers = Bench_Allocate(search->bench, POINTS * count, 1);
    if (search->points == NULL || search->vertices == NULL || search->answers == NULL)
        return false;
    search->pairs = (grzCcdPairs){kind, search->vertices, (uint32_t)count};
    for (uint32_t i = 0; i < count; ++i)
        makePair(&rng, search, i, count);
    grzCcdMotionDef def = grzDefaultCcdMotionDef();
    def.vertexCount = POINTS * count;
    def.start = search->points, def.end = search->points + 3 * POINTS * count;
    if (grzResult_IsOk(grzCcdMotion_Create(&def, &search->motion)))
        return true;
    Bench_Fail(search->bench, "no memory for a motion");
    return false;
}

static void measure(Search* search, const char* metric, const BenchSide* sides, size_t sideCount) {
    const BenchJob job = {.variant = search->pairs.kind == grz_ccdEdgeEdge ? "edge-edge" : "vertex-face",
                          .metric = metric,
                          .unit = "ns/pair",
                          .amount = (double)search->pairs.count,
                          .n = search->pairs.count,
                          .workers = 1,
                          .sides = sides,
                          .sideCount = sideCount};
    Bench_Measure(search->bench, &job);
}

static void runKind(Bench* bench, grzCcdKind kind, size_t count) {
    Search search = {.bench = bench, .distance = 0.01};
    if (makeScene(&search, kind, count)) {
        const BenchSide first[] = {
            {"graze", NULL, runEarliest, digestEarliest, NULL, &search, clearEarliest},
            {"one by one", NULL, runPlain, digestPlain, NULL, &search, clearEarliest},
        };
        const BenchSide near[] = {{"graze", NULL, runNear, digestNear, agreesNear, &search, clearNear}};
        measure(&search, "first impact", first, 2);
        measure(&search, "near, 0.01", near, 1);
    }
    grzCcdMotion_Destroy(search.motion);
    Bench_Release(bench, search.points, 6 * POINTS * count, sizeof *search.points);
    Bench_Release(bench, search.vertices, POINTS * count, sizeof *search.vertices);
    Bench_Release(bench, search.answers, POINTS * count, 1);
}

void benchCcdSearch(Bench* bench) {
    const size_t count = Bench_Size(bench, 100000, 500);
    for (int kind = 0; kind < 2 && !bench->failed; ++kind)
        runKind(bench, (grzCcdKind)kind, count);
}
