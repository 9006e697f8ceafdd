// What: see kinetic_chooser.h. First what calibration takes and finds, then films of frames, drawn in each way.
//
// Holds: all sides go through graze/upkeep.h, so that they differ in the way alone. The chooser has the constants that were just
// measured. Making an upkeep, its first interval with it, is not timed. At the end, at a keyframe or of paths, all have the
// same boxes, to the number. "Over the best" and "worst frame" come from clocking frame by frame, in turns, of which the least
// of some repeats counts: sums of frames, and the frame that is dearest against the refit of the same frame.
#include "kinetic_chooser.h"

#include <math.h>
#include <string.h>

#include "bench_machine.h"
#include "graze/upkeep.h"
#include "kinetic_scene.h"
#include "rng.h"

// ---- films ----

typedef struct FilmPart {
    size_t intervals; // keyframes; of paths: frames
    double frames;    // an interval; 0: from 1 to 100, another number each time
    double changed;   // vertices a frame: a part of all; of paths
} FilmPart;

// Vertices that have paths go so much of the way to the next keyframe in each frame.
#define PATH_STEP 0.02

typedef struct FilmDef {
    const char* name;
    bool isOfPaths, isWritten;
    FilmPart parts[2];
} FilmDef;

static const FilmDef films[] = {
    {"l=1", false, false, {{24, 1, 0}}},
    {"l=3", false, false, {{24, 3, 0}}},
    {"l=10", false, false, {{24, 10, 0}}},
    {"l=30", false, false, {{16, 30, 0}}},
    {"l=100", false, false, {{8, 100, 0}}},
    {"l=1 to 100", false, false, {{16, 0, 0}}},
    {"l=1, written", false, true, {{24, 1, 0}}},
    {"l=3, written", false, true, {{24, 3, 0}}},
    {"l=10, written", false, true, {{24, 10, 0}}},
    {"l=1/3, then 10", false, false, {{48, 1.0 / 3, 0}, {48, 10, 0}}},
    {"l=10, then 1/3", false, false, {{48, 10, 0}, {48, 1.0 / 3, 0}}},
    {"paths, 0.01 % change", true, false, {{200, 1, 1e-4}}},
    {"paths, 1 % change", true, false, {{200, 1, 1e-2}}},
    {"paths, all change", true, false, {{200, 1, 1}}},
    {"paths, 0.01 %, then all", true, false, {{300, 1, 1e-4}, {12, 1, 1}}},
};

typedef struct Film {
    const FilmDef* def;
    const KineticScene* scene;
    const grzUpkeepCosts* costs;
    grzFlightplan* plan; // of keyframes: of all sides
    double* times;
    size_t count, capacity;
    uint32_t* order;   // all vertices, shuffled
    float* velocities; // of all
} Film;

static size_t mostFrames(const FilmDef* def) {
    size_t count = 0;
    for (int p = 0; p < 2; ++p)
        count += def->parts[p].intervals * (def->parts[p].frames == 0 ? 100 : (size_t)ceil(def->parts[p].frames));
    return count;
}

static double keyframesOf(const FilmDef* def) {
    return (double)(def->parts[0].intervals + def->parts[1].intervals);
}

// Each at a keyframe at last.
static void setTimes(Film* film) {
    grzRng rng = grzRng_Make(7, 0);
    const double scale = film->def->isOfPaths ? PATH_STEP : 1;
    double begin = 0;
    for (int p = 0; p < 2; ++p) {
        const FilmPart* part = &film->def->parts[p];
        for (double at = 0; at < (double)part->intervals;) {
            const double frames = part->frames == 0 ? 1 + grzRng_Below(&rng, 100) : part->frames;
            const double span = fmax(1, round(1 / frames)), count = fmax(1, frames);
            for (double k = 1; k <= count; ++k)
                film->times[film->count++] = scale * (begin + at + span * k / count);
            at += span;
        }
        begin += (double)part->intervals;
    }
}

// To and fro through the frames of the scene.
static bool planFilm(Bench* bench, Film* film) {
    grzFlightplanDef def = grzDefaultFlightplanDef();
    const size_t last = film->scene->frameCount - 1, count = (size_t)keyframesOf(film->def) + 2;
    def.vertexCount = film->scene->vertexCount;
    if (KineticScene_Failed(bench, grzFlightplan_Create(&def, &film->plan)))
        return false;
    for (size_t k = 0; k < count && !bench->failed; ++k) {
        const size_t turn = k % (2 * last), frame = turn <= last ? turn : 2 * last - turn;
        KineticScene_Failed(
            bench, grzFlightplan_AddKeyframe(film->plan, (double)k, KineticScene_Frame(film->scene, frame), 0));
    }
    return !bench->failed;
}

// From the middle of the sequence on: at its beginning a sheet is level, so that everything changes at once.
static const float* firstPositions(const KineticScene* scene) {
    return KineticScene_Frame(scene, scene->frameCount / 2);
}

static void setPaths(Film* film) {
    grzRng rng = grzRng_Make(8, 0);
    const size_t count = film->scene->vertexCount;
    const float *from = firstPositions(film->scene), *to = from + 3 * count;
    for (size_t i = 0; i < 3 * count; ++i)
        film->velocities[i] = to[i] - from[i];
    for (uint32_t v = 0; v < count; ++v) {
        const uint32_t other = grzRng_Below(&rng, v + 1);
        film->order[v] = film->order[other];
        film->order[other] = v;
    }
}

static bool makeFilm(Bench* bench, Film* film) {
    const size_t vertices = film->scene->vertexCount;
    film->capacity = mostFrames(film->def);
    film->times = Bench_Allocate(bench, film->capacity, sizeof *film->times);
    film->order = Bench_Allocate(bench, vertices, sizeof *film->order);
    film->velocities = Bench_Allocate(bench, 3 * vertices, sizeof *film->velocities);
    if (bench->failed)
        return false;
    setTimes(film);
    setPaths(film);
    return film->def->isOfPaths || planFilm(bench, film);
}

static void dropFilm(Bench* bench, Film* film) {
    const size_t vertices = film->scene->vertexCount;
    grzFlightplan_Destroy(film->plan);
    Bench_Release(bench, film->times, film->capacity, sizeof *film->times);
    Bench_Release(bench, film->order, vertices, sizeof *film->order);
    Bench_Release(bench, film->velocities, 3 * vertices, sizeof *film->velocities);
}

// ---- a side ----

typedef struct Side {
    const Film* film;
    const char* name;
    uint32_t ways;
    grzFlightplan* paths; // its own
    grzUpkeep* upkeep;
    grzBvhNode* nodes;
    size_t nodeCount;
    double time;
    double* least; // of each frame, nanoseconds
    grzResult result;
} Side;

static void keep(Side* side, grzResult result) {
    if (grzResult_IsOk(side->result))
        side->result = result;
}

static void endSide(Side* side) {
    grzUpkeep_Destroy(side->upkeep);
    grzFlightplan_Destroy(side->paths);
    side->upkeep = NULL;
    side->paths = NULL;
}

static void makePaths(Side* side) {
    const KineticScene* scene = side->film->scene;
    grzFlightplanDef def = grzDefaultFlightplanDef();
    def.kind = grz_planPaths;
    def.vertexCount = scene->vertexCount;
    def.positions = firstPositions(scene);
    def.velocities = side->film->velocities;
    keep(side, grzFlightplan_Create(&def, &side->paths));
}

static void prepareSide(void* context) {
    Side* side = context;
    endSide(side);
    memset(&side->result, 0, sizeof side->result);
    memset(side->nodes, 0, side->nodeCount * sizeof *side->nodes);
    side->time = 0;
    if (side->film->def->isOfPaths)
        makePaths(side);
    grzUpkeepDef def = grzDefaultUpkeepDef();
    def.bvh = side->film->scene->bvh;
    def.plan = side->film->def->isOfPaths ? side->paths : side->film->plan;
    def.ways = side->ways;
    def.numbering = grz_bvhTreesNumbers;
    def.costs = *side->film->costs;
    if (grzResult_IsOk(side->result))
        keep(side, grzUpkeep_Create(&def, &side->upkeep));
}

// The next vertices of a shuffled list.
static void changePaths(Side* side, size_t frame, double time) {
    const Film* film = side->film;
    const FilmDef* def = film->def;
    const size_t vertices = film->scene->vertexCount;
    const double part = def->parts[frame >= def->parts[0].intervals].changed;
    const size_t count = (size_t)ceil(part * (double)vertices), room = vertices - count + 1;
    const grzFlightplanChange change = {film->order + frame * count % room, count, NULL, film->velocities, NULL};
    keep(side, grzUpkeep_Change(side->upkeep, NULL, time, &change));
}

static void runFrame(Side* side, size_t frame) {
    const Film* film = side->film;
    if (film->def->isOfPaths)
        changePaths(side, frame, film->times[frame]);
    keep(side,
         grzUpkeep_Advance(side->upkeep, NULL, film->times[frame], film->def->isWritten ? side->nodes : NULL));
    side->time = film->times[frame];
}

static void runSide(void* context) {
    Side* side = context;
    for (size_t k = 0; k < side->film->count && grzResult_IsOk(side->result); ++k)
        runFrame(side, k);
}

// Of where time stands, since a film may end with the keyframe that it began with, and of the numbers of all nodes; zeros
// of both signs are one.
static uint64_t digestSide(void* context) {
    Side* side = context;
    if (grzResult_IsOk(side->result))
        keep(side, grzUpkeep_Advance(side->upkeep, NULL, side->time, side->nodes));
    if (!grzResult_IsOk(side->result))
        return 0;
    float* numbers = &side->nodes[0].lower[0][0];
    for (size_t i = 0; i < side->nodeCount * sizeof *side->nodes / sizeof(float); ++i)
        numbers[i] += 0.0F;
    const uint64_t seed = Bench_Digest(0, &side->time, sizeof side->time);
    return Bench_Digest(seed, numbers, side->nodeCount * sizeof *side->nodes);
}

// ---- frame by frame ----

static void clockFrames(Side* side, bool isFirst) {
    prepareSide(side);
    for (size_t k = 0; k < side->film->count && grzResult_IsOk(side->result); ++k) {
        const uint64_t start = benchNow();
        runFrame(side, k);
        const double time = (double)(benchNow() - start);
        side->least[k] = isFirst ? time : fmin(side->least[k], time);
    }
}

static double sumOf(const Side* side) {
    double sum = 0;
    for (size_t k = 0; k < side->film->count; ++k)
        sum += side->least[k];
    return sum;
}

// The first frame finds the caches as making a tree left them, and says nothing.
static double worstOf(const Side* side, const Side* refit) {
    double worst = 0;
    for (size_t k = 1; k < side->film->count; ++k)
        worst = fmax(worst, side->least[k] / refit->least[k]);
    return worst;
}

typedef struct Trial {
    Side sides[3]; // the chooser, the refit, the other
} Trial;

static void countFigure(Bench* bench, const Film* film, const char* variant, const char* metric, const char* unit,
                        double value) {
    const BenchCounter counter = {.variant = variant,
                                  .metric = metric,
                                  .unit = unit,
                                  .value = value,
                                  .n = film->scene->triangleCount,
                                  .workers = 1,
                                  .same = true};
    Bench_Count(bench, &counter);
}

// The best of the ways that stay, whether or not it keeps to the limit.
static void tellFrames(Bench* bench, Trial* trial, const char* variant) {
    const size_t repeats = bench->options->quick ? 1 : 5;
    Side *chooser = &trial->sides[0], *refit = &trial->sides[1], *other = &trial->sides[2];
    benchPin();
    for (size_t r = 0; r < repeats; ++r)
        for (int s = 0; s < 3; ++s)
            clockFrames(&trial->sides[s], r == 0);
    benchUnpin();
    for (int s = 0; s < 3; ++s)
        if (KineticScene_Failed(bench, trial->sides[s].result))
            return;
    const Film* film = chooser->film;
    const double sums[2] = {sumOf(refit), sumOf(other)};
    countFigure(bench, film, variant, "chooser over the best", "times", sumOf(chooser) / fmin(sums[0], sums[1]));
    countFigure(bench, film, variant, "worst frame, chooser", "refits", worstOf(chooser, refit));
    countFigure(bench, film, variant,
                other->ways == GRZ_UPKEEP_BIT(grz_upkeepChord) ? "worst frame, chord" : "worst frame, batched",
                "refits", worstOf(other, refit));
    countFigure(bench, film, variant, "switches", "all in all",
                (double)grzUpkeep_GetStats(chooser->upkeep).switches);
}

// ---- rows ----

static bool makeSides(Bench* bench, const Film* film, Trial* trial) {
    const grzUpkeepWay other = film->def->isOfPaths ? grz_upkeepBatched : grz_upkeepChord;
    const uint32_t ways[3] = {0, GRZ_UPKEEP_BIT(grz_upkeepRefit), GRZ_UPKEEP_BIT(other)};
    for (int s = 0; s < 3; ++s) {
        Side* side = &trial->sides[s];
        side->film = film;
        side->name = s == 0 ? "chooser" : grzUpkeepWay_Name(s == 1 ? grz_upkeepRefit : other);
        side->ways = ways[s];
        side->nodeCount = grzBvh_GetView(film->scene->bvh).nodeCount;
        side->nodes = Bench_Allocate(bench, side->nodeCount, sizeof *side->nodes);
        side->least = Bench_Allocate(bench, film->count, sizeof *side->least);
    }
    return !bench->failed;
}

static void measureFilm(Bench* bench, const KineticScene* scene, const FilmDef* def, const grzUpkeepCosts* costs) {
    char variant[96];
    Film film = {.def = def, .scene = scene, .costs = costs};
    Trial trial;
    memset(&trial, 0, sizeof trial);
    snprintf(variant, sizeof variant, "%s, %s", scene->name, def->name);
    if (makeFilm(bench, &film) && makeSides(bench, &film, &trial)) {
        BenchSide sides[3];
        for (int s = 0; s < 3; ++s)
            sides[s] =
                (BenchSide){trial.sides[s].name, prepareSide, runSide, digestSide, NULL, &trial.sides[s], NULL};
        const BenchJob job = {.variant = variant,
                              .metric = "a frame",
                              .unit = "ns/triangle",
                              .amount = (double)(film.count * scene->triangleCount),
                              .n = scene->triangleCount,
                              .workers = 1,
                              .sides = sides,
                              .sideCount = 3};
        Bench_Measure(bench, &job);
        tellFrames(bench, &trial, variant);
    }
    for (int s = 0; s < 3; ++s) {
        endSide(&trial.sides[s]);
        Bench_Release(bench, trial.sides[s].nodes, trial.sides[s].nodeCount, sizeof(grzBvhNode));
        Bench_Release(bench, trial.sides[s].least, film.count, sizeof(double));
    }
    dropFilm(bench, &film);
}

static void runScene(Bench* bench, SequenceKind kind, const grzUpkeepCosts* costs) {
    const SequenceDef def = {kind, Bench_Size(bench, 16384, 600), bench->options->quick ? 4 : 14};
    KineticScene scene;
    const bool isMade = KineticScene_Make(bench, &def, 1, &scene);
    for (size_t i = 0; i < sizeof films / sizeof films[0] && isMade && !bench->failed; ++i)
        if (!bench->options->quick || i % 3 == 1)
            measureFilm(bench, &scene, &films[i], costs);
    KineticScene_Drop(bench, &scene);
}

// ---- calibration ----

static void countCost(Bench* bench, const char* name, grzUpkeepCost cost, grzUpkeepCost sizes) {
    const double values[2] = {cost.small, cost.large}, counts[2] = {sizes.small, sizes.large};
    for (int k = 0; k < 2; ++k) {
        const BenchCounter counter = {.variant = k == 0 ? "small" : "large",
                                      .metric = name,
                                      .unit = "ns",
                                      .value = values[k],
                                      .n = (size_t)counts[k],
                                      .workers = 1,
                                      .same = true};
        Bench_Count(bench, &counter);
    }
}

static bool calibrate(Bench* bench, grzUpkeepCosts* costs) {
    double least = (double)INFINITY;
    for (int k = 0; k < (bench->options->quick ? 1 : 3); ++k) {
        const uint64_t start = benchNow();
        if (KineticScene_Failed(bench, grzUpkeepCosts_Measure(bench->allocator, costs)))
            return false;
        least = fmin(least, (double)(benchNow() - start) * 1e-6);
    }
    const BenchCounter counter = {
        .metric = "calibration", .unit = "ms", .value = least, .workers = 1, .same = true};
    Bench_Count(bench, &counter);
    countCost(bench, "refit", costs->refit, costs->triangles);
    countCost(bench, "evaluate keyframes, a vertex", costs->evaluateFrames, costs->triangles);
    countCost(bench, "evaluate paths, a vertex", costs->evaluatePaths, costs->triangles);
    countCost(bench, "chord, a keyframe", costs->chordRefit, costs->triangles);
    countCost(bench, "chord, written", costs->chordWrite, costs->triangles);
    countCost(bench, "chord, copied", costs->chordCopy, costs->triangles);
    countCost(bench, "batched, made", costs->batchedMake, costs->batchedTriangles);
    countCost(bench, "batched, a keyframe", costs->batchedKeyframe, costs->batchedTriangles);
    countCost(bench, "batched, a side", costs->batchedRepair, costs->batchedTriangles);
    countCost(bench, "batched, written", costs->batchedWrite, costs->batchedTriangles);
    return true;
}

void benchKineticChooser(Bench* bench) {
    grzUpkeepCosts costs;
    if (!calibrate(bench, &costs))
        return;
    runScene(bench, sequenceTablecloth, &costs);
    if (!bench->failed)
        runScene(bench, sequenceDrape, &costs);
}
