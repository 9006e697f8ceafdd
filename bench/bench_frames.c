// What: times the sides of a job over the frames of a scene in motion.
//
// Idea: one run a side and frame, in turns, so that a machine that slows down slows all sides down, and every side
// finds the caches as the others left them. A frame is long against the clock.
//
// With one worker the clock is the processor's, all threads together. By the wall's clock, on a machine where others
// run too, a side with long frames is interrupted more often than one with short ones, and the ratio says nothing.
#include "bench.h"

#include <string.h>

#include "bench_machine.h"

typedef struct Track {
    BenchRunFn* run;
    double* times; // of frames 1 .. limit
    size_t limit;
    bool same; // in every frame so far
} Track;

static void runSide(const BenchSide* side, Track* track, size_t frame, uint64_t (*now)(void)) {
    if (side->prepare != NULL)
        side->prepare(side->context);
    uint64_t start = now();
    track->run(side->context);
    double time = (double)(now() - start);
    if (frame != 0)
        track->times[frame - 1] = time;
}

static void runFrame(const BenchJob* job, Track* tracks, size_t frame) {
    uint64_t expected = 0;
    for (size_t s = 0; s < job->sideCount; ++s) {
        const BenchSide* side = &job->sides[s];
        if (frame > tracks[s].limit)
            continue;
        // Where ours has no check of its own, its first frame must leave something.
        bool mustLeave = s == 0 && frame == 0 && side->agrees == NULL;
        uint64_t nothing = mustLeave ? side->digest(side->context) : 0;
        runSide(side, &tracks[s], frame, job->workers == 1 ? benchProcessorTime : benchNow);
        uint64_t digest = side->digest(side->context);
        if (s == 0) {
            expected = digest;
            tracks[s].same &= !mustLeave || (job->sideCount > 1 && digest != nothing);
            tracks[s].same &= side->agrees == NULL || side->agrees(side->context);
        } else
            tracks[s].same &= side->agrees != NULL ? side->agrees(side->context) : digest == expected;
    }
}

// A row of our frames [first, first + window) beside those of the side, which may be our own.
static void reportWindow(Bench* bench, const BenchJob* job, const Track* tracks, size_t side, size_t first,
                         size_t window) {
    double* times = Bench_Allocate(bench, 2 * window, sizeof *times);
    if (times == NULL)
        return;
    memcpy(times, tracks[0].times + first, window * sizeof *times);
    memcpy(times + window, tracks[side].times + first, window * sizeof *times);
    BenchSamples samples[2] = {{times, window, tracks[0].same}, {times + window, window, tracks[side].same}};
    BenchSide sides[2] = {job->sides[0], job->sides[side]};
    BenchJob row = *job;
    row.sides = sides;
    row.sideCount = side == 0 ? 1 : 2;
    Bench_Report(bench, &row, samples);
    Bench_Release(bench, times, 2 * window, sizeof *times);
}

static void reportTracks(Bench* bench, const BenchJob* job, const Track* tracks, size_t window) {
    char late[64];
    snprintf(late, sizeof late, "%s-late", job->metric);
    BenchJob lateJob = *job;
    lateJob.metric = late;
    for (size_t s = job->sideCount > 1 ? 1 : 0; s < job->sideCount; ++s) {
        reportWindow(bench, job, tracks, s, 0, window);
        reportWindow(bench, &lateJob, tracks, s, tracks[s].limit - window, window);
    }
}

void Bench_MeasureFrames(Bench* bench, const BenchJob* job, const BenchFrames* frames) {
    Track* tracks = Bench_Allocate(bench, job->sideCount, sizeof *tracks);
    double* times = Bench_Allocate(bench, job->sideCount * frames->count, sizeof *times);
    if (tracks != NULL && times != NULL) {
        for (size_t s = 0; s < job->sideCount; ++s)
            tracks[s] = (Track){Bench_RunOf(bench, job, s), times + s * frames->count,
                                frames->limits != NULL ? frames->limits[s] : frames->count, true};
        if (job->workers == 1)
            benchPin();
        for (size_t frame = 0; frame <= frames->count; ++frame) {
            if (frame != 0)
                frames->advance(frames->context);
            runFrame(job, tracks, frame);
        }
        benchUnpin();
        reportTracks(bench, job, tracks, frames->window);
    }
    Bench_Release(bench, times, job->sideCount * frames->count, sizeof *times);
    Bench_Release(bench, tracks, job->sideCount, sizeof *tracks);
}
