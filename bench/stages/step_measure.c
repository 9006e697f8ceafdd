// What: times whole simulations side by side, and tells how well each did.
//
// Idea: a simulation cannot be repeated chunk by chunk, as each step stands on the last. So the sides take turns in blocks
// of steps, ours ten, then the peer's ten: a machine that slows down slows both. A row is the mean of all steps, or their
// 99th percentile.
//
// Holds: with one worker the clock is the processor's, all threads together, else the wall's; see bench_frames.c. Our
// outcome must equal, to the bit, that of a run on three workers, made before and not timed.
#include "step_measure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench_machine.h"
#include "step_quality.h"
#include "step_watch.h"
#if defined(GRAZE_PEERS)
#    include "peer_step.h"
#endif

enum { blockSteps = 10, mostSides = 2 };

// Something that is stepped: ours, or a peer.
typedef struct Track {
    const char* name;
    BenchRunFn* run;
    void* context;
    StepWorld* ours; // NULL: a peer's
    double* times;   // of each step, in nanoseconds
    bool same;
} Track;

typedef struct StepRun {
    const StepSource* source;
    size_t n, workers;
    const StepWatch* watch; // the same steps, without a clock
    StepWorld worlds[mostSides];
    Track tracks[mostSides];
    size_t trackCount;
#if defined(GRAZE_PEERS)
    void* peer;
#endif
    StepQuality quality[mostSides];
    bool hasQuality[mostSides];
} StepRun;

// ---- stepping ----

static void runOurs(void* context) {
    StepWorld* world = context;
    world->failed |= !world->source->step(world);
}

static void addFigures(StepWorld* world, const grzStepSummary* summary) {
    const grzWorldStats stats = grzWorld_GetStats(world->world);
    for (int i = 0; i < grz_stageCount; ++i) {
        world->busy[i] += (double)summary->stages[i].busy;
        world->spans[i] += (double)summary->stages[i].span;
    }
    world->wall += (double)summary->wall;
    world->bodyPairs += stats.bodyPairs;
    world->recycledPairs += stats.recycledPairs;
    world->trianglePairs += stats.trianglePairs;
    world->contacts += stats.contacts;
}

static void timeStep(Track* track, size_t step, uint64_t (*now)(void)) {
    if (track->ours != NULL)
        grzProfile_BeginStep(track->ours->profile);
    const uint64_t start = now();
    track->run(track->context);
    track->times[step] = (double)(now() - start);
    if (track->ours != NULL)
        addFigures(track->ours, grzProfile_EndStep(track->ours->profile));
}

static void timeSteps(StepRun* run) {
    const size_t steps = run->source->steps;
    if (run->workers == 1)
        benchPin();
    for (size_t first = 0; first < steps; first += blockSteps)
        for (size_t s = 0; s < run->trackCount; ++s)
            for (size_t step = first; step < steps && step < first + blockSteps; ++step)
                timeStep(&run->tracks[s], step, run->workers == 1 ? benchProcessorTime : benchNow);
    benchUnpin();
}

// ---- what came out ----

static void checkOurs(const StepRun* run, Track* track) {
    track->same = !track->ours->failed && StepWorld_Digest(track->ours) == run->watch->digest;
}

static void readOurs(grzWorld* world, const StepScene* scene, StepPose* poses) {
    for (size_t i = 0; i < scene->count; ++i) {
        grzBodyView view = {0};
        const grzResult result = grzWorld_GetBody(world, grzWorld_BodyAt(world, (uint32_t)i), &view);
        poses[i] = (StepPose){view.origin, grzResult_IsOk(result) ? view.rotation : grzQuat_Identity()};
    }
}

static void findQuality(Bench* bench, StepRun* run) {
    const StepScene* scene = run->source->scene;
    if (scene == NULL) {
        StepQuality_FindDepths(run->worlds[0].world, &run->quality[0]);
        return;
    }
    StepPose* poses = Bench_Allocate(bench, scene->count, sizeof *poses);
    for (size_t s = 0; poses != NULL && s < run->trackCount; ++s) {
        if (run->tracks[s].ours != NULL)
            readOurs(run->tracks[s].ours->world, scene, poses);
#if defined(GRAZE_PEERS)
        else
            peerBulletStep.read(run->peer, poses);
#endif
        run->hasQuality[s] = StepQuality_Find(bench, scene, poses, &run->quality[s]);
    }
    Bench_Release(bench, poses, scene->count, sizeof *poses);
}

#if defined(GRAZE_PEERS)
static bool hasMoved(const StepScene* scene, const StepPose* poses) {
    for (size_t i = scene->fixed; i < scene->count; ++i)
        if (memcmp(&poses[i].origin, &scene->bodies[i].origin, sizeof poses[i].origin) != 0)
            return true;
    return false;
}

// Other solvers come to other heaps, so the tolerance is wide: something has moved, on either side no body fell through the
// ground, and the mean heights lie within a third of each other. A pyramid may fall, but not rise; ours only where the peer's does.
static bool isNear(const StepRun* run) {
    const StepQuality *ours = &run->quality[0], *theirs = &run->quality[1];
    const double rows = (double)run->source->scene->rows;
    if (rows > 0)
        return theirs->apex < rows && ours->apex < rows && ours->meanHeight >= theirs->meanHeight * 2 / 3;
    return fabs(ours->meanHeight - theirs->meanHeight) <= ours->meanHeight / 3;
}

static bool agrees(Bench* bench, const StepRun* run) {
    const StepScene* scene = run->source->scene;
    StepPose* poses = Bench_Allocate(bench, scene->count, sizeof *poses);
    if (poses == NULL)
        return false;
    peerBulletStep.read(run->peer, poses);
    const bool isMoved = hasMoved(scene, poses);
    Bench_Release(bench, poses, scene->count, sizeof *poses);
    return isMoved && run->quality[0].above == run->n && run->quality[1].above == run->n && isNear(run);
}
#endif

static void check(Bench* bench, StepRun* run) {
    findQuality(bench, run);
    for (size_t s = 0; s < run->trackCount; ++s)
        if (run->tracks[s].ours != NULL)
            checkOurs(run, &run->tracks[s]);
#if defined(GRAZE_PEERS)
        else
            run->tracks[s].same = agrees(bench, run);
#endif
}

// ---- rows ----

static int compareTimes(const void* a, const void* b) {
    const double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

static double meanOf(const double* times, size_t count) {
    double sum = 0;
    for (size_t i = 0; i < count; ++i)
        sum += times[i];
    return sum / (double)count;
}

static void reportTime(Bench* bench, const StepRun* run, const char* metric, double values[mostSides]) {
    BenchSide sides[mostSides] = {{0}};
    BenchSamples samples[mostSides];
    for (size_t s = 0; s < run->trackCount; ++s) {
        sides[s].name = run->tracks[s].name;
        samples[s] = (BenchSamples){&values[s], 1, run->tracks[s].same};
    }
    const BenchJob job = {.variant = run->source->variant,
                          .metric = metric,
                          .unit = "ns/step",
                          .amount = 1,
                          .n = run->n,
                          .workers = run->workers,
                          .sides = sides,
                          .sideCount = run->trackCount};
    Bench_Report(bench, &job, samples);
}

static void reportTimes(Bench* bench, StepRun* run) {
    const size_t steps = run->source->steps;
    double means[mostSides], slowest[mostSides];
    for (size_t s = 0; s < run->trackCount; ++s) {
        means[s] = meanOf(run->tracks[s].times, steps);
        qsort(run->tracks[s].times, steps, sizeof *run->tracks[s].times, compareTimes);
        slowest[s] = run->tracks[s].times[(steps * 99 + 99) / 100 - 1];
    }
    reportTime(bench, run, "step", means);
    reportTime(bench, run, "step, p99", slowest);
}

static BenchCounter counterOf(const StepRun* run, const char* metric, const char* unit, double value) {
    return (BenchCounter){.variant = run->source->variant,
                          .metric = metric,
                          .unit = unit,
                          .value = value,
                          .n = run->n,
                          .workers = run->workers,
                          .same = run->tracks[0].same};
}

// What of the steps' time no stage has: it shows what the rows of the stages would hide. `scale` turns the profile's time into the
// row's.
static void countBetween(Bench* bench, const StepRun* run, double scale) {
    double between[mostSides] = {0};
    for (size_t s = 0; s < mostSides; ++s) {
        between[s] = run->worlds[s].wall;
        for (int i = 0; i < grz_stageUser; ++i)
            between[s] -= run->workers == 1 ? run->worlds[s].busy[i] : run->worlds[s].spans[i];
    }
    BenchCounter counter = counterOf(run, "between stages", "ns/step", between[0] * scale);
    if (run->workers != 1) {
        counter.peer = run->tracks[1].name;
        counter.peerValue = between[1] * scale;
    }
    Bench_Count(bench, &counter);
}

// Of one worker: shares of the processor time that a step took, as the profile's own clock runs also while others compute.
static void countShares(Bench* bench, const StepRun* run, double step) {
    const StepWorld* world = &run->worlds[0];
    const double scale = world->wall > 0 ? step / world->wall : 0;
    for (int i = 0; i < grz_stageUser; ++i) {
        const BenchCounter counter = counterOf(run, grzStage_Name((grzStage)i), "ns/step", world->busy[i] * scale);
        Bench_Count(bench, &counter);
    }
    countBetween(bench, run, scale);
}

// Of more: by the wall's clock, from a stage's first begin to its last end.
static void countSpans(Bench* bench, const StepRun* run) {
    const double steps = (double)run->source->steps;
    for (int i = 0; i < grz_stageUser; ++i) {
        BenchCounter counter =
            counterOf(run, grzStage_Name((grzStage)i), "ns/step", run->worlds[0].spans[i] / steps);
        counter.peer = run->tracks[1].name;
        counter.peerValue = run->worlds[1].spans[i] / steps;
        Bench_Count(bench, &counter);
    }
    countBetween(bench, run, 1 / steps);
}

static void countOurs(Bench* bench, const StepRun* run) {
    const StepWorld* world = &run->worlds[0];
    const double steps = (double)run->source->steps;
    const struct {
        const char *metric, *unit;
        uint64_t sum;
    } counts[] = {{"body pairs", "a step", world->bodyPairs},
                  {"recycled pairs", "a step", world->recycledPairs},
                  {"triangle pairs", "a step", world->trianglePairs},
                  {"contacts", "a step", world->contacts}};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; ++i) {
        const BenchCounter counter =
            counterOf(run, counts[i].metric, counts[i].unit, (double)counts[i].sum / steps);
        if (counts[i].sum != 0)
            Bench_Count(bench, &counter);
    }
}

// Ours beside the peer's, if there is one. Heights, the higher the better, are in metres; errors in millimetres.
static void countQuality(Bench* bench, const StepRun* run, const char* metric, bool isHeight, double ours,
                         double theirs) {
    const double scale = isHeight ? 1 : 1000;
    BenchCounter counter = counterOf(run, metric, isHeight ? "m" : "mm", ours * scale);
    counter.higherIsBetter = isHeight;
    if (run->hasQuality[1]) {
        counter.peer = run->tracks[1].name;
        counter.peerValue = theirs * scale;
        counter.same &= run->tracks[1].same;
    }
    Bench_Count(bench, &counter);
}

static void countQualities(Bench* bench, const StepRun* run) {
    const StepQuality *ours = &run->quality[0], *theirs = &run->quality[1];
    const StepScene* scene = run->source->scene;
    countQuality(bench, run, "penetration, overlapping", false, ours->meanDepth, theirs->meanDepth);
    countQuality(bench, run, "penetration, all points", false, ours->allDepth, theirs->allDepth);
    countQuality(bench, run, "penetration, most", false, ours->mostDepth, theirs->mostDepth);
    if (scene == NULL)
        return;
    countQuality(bench, run, "apex", true, ours->apex, theirs->apex);
    countQuality(bench, run, "mean height", true, ours->meanHeight, theirs->meanHeight);
    if (scene->rows == 0)
        return;
    countQuality(bench, run, "drift, row", false, ours->rowDrift, theirs->rowDrift);
    countQuality(bench, run, "drift, box", false, ours->bodyDrift, theirs->bodyDrift);
}

// The deepest overlap of two bodies in all steps, by geometry: in which step it was, and of which bodies (their slots).
static void countOverlap(Bench* bench, const StepRun* run) {
    const StepOverlap* ours = &run->watch->overlap;
    StepOverlap theirs = {0};
    BenchCounter counter = counterOf(run, "overlap, worst", "mm", ours->depth * 1000);
#if defined(GRAZE_PEERS)
    if (run->hasQuality[1] && StepWatch_RunPeer(bench, run->source, &peerBulletStep, &theirs)) {
        counter.peer = run->tracks[1].name;
        counter.peerValue = theirs.depth * 1000;
        counter.same &= run->tracks[1].same;
    }
#endif
    Bench_Count(bench, &counter);
    StepOverlap_Release(&theirs);
    const struct {
        const char *metric, *unit;
        size_t value;
    } places[] = {{"overlap, its step", "step", ours->step},
                  {"overlap, its body A", "slot", ours->bodyA},
                  {"overlap, its body B", "slot", ours->bodyB},
                  {"overlap, steps measured", "steps", ours->measuredSteps}};
    for (size_t i = 0; i < sizeof places / sizeof places[0]; ++i) {
        counter = counterOf(run, places[i].metric, places[i].unit, (double)places[i].value);
        Bench_Count(bench, &counter);
    }
}

// The lists of contacts and events are written when they are asked for, so no step has them. Steps on, last of all; of each list the
// median, as the first ones make room.
static void countLists(Bench* bench, StepRun* run) {
    enum { listedSteps = 9 };
    uint64_t (*const now)(void) = run->workers == 1 ? benchProcessorTime : benchNow;
    double times[mostSides][listedSteps];
    const size_t sides = run->workers == 1 ? 1 : mostSides;
    for (size_t s = 0; s < sides; ++s) {
        StepWorld* world = &run->worlds[s];
        for (size_t step = 0; step < listedSteps; ++step) {
            runOurs(world);
            const uint64_t start = now();
            const grzWorldContacts found = grzWorld_GetContacts(world->world);
            times[s][step] = (double)(now() - start);
            run->tracks[s].same &= !world->failed && found.contactCount == grzWorld_GetStats(world->world).contacts;
        }
        qsort(times[s], listedSteps, sizeof times[s][0], compareTimes);
    }
    BenchCounter counter = counterOf(run, "lists, where asked for", "ns/step", times[0][listedSteps / 2]);
    if (sides > 1) {
        counter.peer = run->tracks[1].name;
        counter.peerValue = times[1][listedSteps / 2];
        counter.same &= run->tracks[1].same;
    }
    Bench_Count(bench, &counter);
}

static void report(Bench* bench, StepRun* run) {
    const double step = meanOf(run->tracks[0].times, run->source->steps);
    reportTimes(bench, run);
    if (run->workers != 1)
        countSpans(bench, run);
    else {
        countShares(bench, run, step);
        countOurs(bench, run);
        countQualities(bench, run);
        countOverlap(bench, run);
    }
    countLists(bench, run);
}

// ---- the sides ----

static bool addTrack(Bench* bench, StepRun* run, Track track) {
    // Only the names of a job's sides and their functions are asked for.
    const BenchSide sides[mostSides] = {{.run = track.run}, {.run = track.run}};
    const BenchJob job = {.sides = sides, .sideCount = mostSides};
    track.run = Bench_RunOf(bench, &job, run->trackCount);
    track.times = Bench_Allocate(bench, run->source->steps, sizeof *track.times);
    run->tracks[run->trackCount++] = track;
    return track.times != NULL;
}

static bool addOurs(Bench* bench, StepRun* run, const char* name, size_t workers) {
    StepWorld* world = &run->worlds[run->trackCount];
    return StepWorld_Open(bench, run->source, workers, world) &&
           addTrack(bench, run, (Track){.name = name, .run = runOurs, .context = world, .ours = world});
}

static bool addSides(Bench* bench, StepRun* run) {
    if (!addOurs(bench, run, "graze", run->workers))
        return false;
    if (run->workers != 1)
        return addOurs(bench, run, "one worker", 1);
#if defined(GRAZE_PEERS)
    if (bench->options->peers && run->source->scene != NULL) {
        run->peer = peerBulletStep.create(run->source->scene);
        return addTrack(bench, run,
                        (Track){.name = peerBulletStep.name, .run = peerBulletStep.step, .context = run->peer});
    }
#endif
    return true;
}

static void release(Bench* bench, StepRun* run) {
    for (size_t s = 0; s < run->trackCount; ++s)
        Bench_Release(bench, run->tracks[s].times, run->source->steps, sizeof *run->tracks[s].times);
    for (size_t s = 0; s < mostSides; ++s)
        StepWorld_Close(bench, &run->worlds[s]);
#if defined(GRAZE_PEERS)
    if (run->peer != NULL)
        peerBulletStep.destroy(run->peer);
#endif
}

static void measure(Bench* bench, const StepSource* source, size_t workers, const StepWatch* watch) {
    StepRun run = {.source = source, .workers = workers, .n = watch->n, .watch = watch};
    if (addSides(bench, &run)) {
        timeSteps(&run);
        check(bench, &run);
        if (!bench->failed)
            report(bench, &run);
    }
    release(bench, &run);
}

void benchSteps(Bench* bench, const StepSource* source) {
    StepWatch watch;
    size_t workers[2];
    const size_t workerCount = Bench_Workers(bench, workers);
    const bool isWatched = StepWatch_Run(bench, source, &watch);
    for (size_t w = 0; w < workerCount && isWatched && !bench->failed; ++w)
        measure(bench, source, workers[w], &watch);
    StepOverlap_Release(&watch.overlap);
}
