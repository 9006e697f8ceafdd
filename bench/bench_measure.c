// What: times the sides of a job in turns, checks that they agree, and reports rows.
//
// Idea: a chunk is as many runs as fill a millisecond, found for each side by doubling; a sample is one chunk.
// Repeats go A B A B ..., so that a machine that slows down slows all sides down.
//
// Holds: only `run` is inside the clock. A side with `prepare` is clocked run by run; the clock itself then counts,
// some 20 ns a run, on every side that needs it.
#include "bench.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "bench_machine.h"
#include "bench_report.h"
#include "hash.h"
#include "memory.h"

#define CHUNK_NANOSECONDS       1000000u
#define QUICK_CHUNK_NANOSECONDS 20000u

typedef struct SideState {
    size_t runsPerChunk;
    uint64_t digest;
    bool stable; // the digest never changed
    bool agrees; // with ours, at the last look
    double* samples;
} SideState;

static double runChunk(const BenchSide* side, size_t runs) {
    uint64_t start = benchNow();
    if (side->prepare == NULL) {
        for (size_t i = 0; i < runs; ++i)
            side->run(side->context);
        return (double)(benchNow() - start);
    }
    uint64_t sum = 0;
    for (size_t i = 0; i < runs; ++i) {
        side->prepare(side->context);
        start = benchNow();
        side->run(side->context);
        sum += benchNow() - start;
    }
    return (double)sum;
}

// Warms the side up on the way.
static size_t findChunk(const BenchSide* side, bool quick) {
    double wanted = quick ? QUICK_CHUNK_NANOSECONDS : CHUNK_NANOSECONDS;
    size_t runs = 1;
    while (runChunk(side, runs) < wanted && runs < ((size_t)1 << 30))
        runs *= 2;
    return runs;
}

static void measureSide(const BenchSide* side, SideState* state, size_t repeat, bool isPeer) {
    double time = runChunk(side, state->runsPerChunk);
    state->samples[repeat] = time / (double)state->runsPerChunk;
    uint64_t digest = side->digest(side->context);
    state->stable &= digest == state->digest;
    if (isPeer && side->agrees != NULL)
        state->agrees &= side->agrees(side->context);
}

static void measureSides(const BenchJob* job, SideState* states, size_t repeats, bool quick) {
    for (size_t s = 0; s < job->sideCount; ++s) {
        states[s].runsPerChunk = findChunk(&job->sides[s], quick);
        states[s].digest = job->sides[s].digest(job->sides[s].context);
        states[s].stable = states[s].agrees = true;
    }
    for (size_t repeat = 0; repeat < repeats; ++repeat)
        for (size_t s = 0; s < job->sideCount; ++s)
            measureSide(&job->sides[s], &states[s], repeat, s != 0);
    for (size_t s = 1; s < job->sideCount; ++s)
        if (job->sides[s].agrees == NULL)
            states[s].agrees = states[s].digest == states[0].digest;
}

static void note(Bench* bench, const BenchRow* row) {
    if (bench->json != NULL)
        benchPrintJson(bench->json, row);
    bench->different |= !row->same;
}

static void report(Bench* bench, const BenchRow* row) {
    if (bench->rows++ == 0)
        benchPrintTableHead(bench->out);
    benchPrintTableRow(bench->out, row);
    note(bench, row);
}

static double valueOf(const BenchJob* job, double nanosecondsPerRun) {
    // A run below the clock's step counts as one step, so that no rate is infinite.
    double time = nanosecondsPerRun > 0 ? nanosecondsPerRun : 1;
    return job->isRate ? job->amount * 1e9 / time : time / job->amount;
}

// In the job's unit. For rates the longest time is the least value.
static BenchSpread spreadOf(const BenchJob* job, const BenchSamples* samples) {
    BenchSpread times = benchSpread(samples->times, samples->count);
    BenchSpread spread = {valueOf(job, times.median), valueOf(job, job->isRate ? times.upper : times.lower),
                          valueOf(job, job->isRate ? times.lower : times.upper)};
    return spread;
}

void Bench_Report(Bench* bench, const BenchJob* job, const BenchSamples* samples) {
    BenchRow row = {.stage = bench->stage->name,
                    .caseName = bench->running->name,
                    .variant = job->variant,
                    .metric = job->metric,
                    .unit = job->unit,
                    .n = job->n,
                    .workers = job->workers,
                    .value = spreadOf(job, &samples[0]),
                    .ratio = (double)NAN,
                    .same = samples[0].same};
    if (job->sideCount == 1)
        report(bench, &row);
    for (size_t s = 1; s < job->sideCount; ++s) {
        row.peer = job->sides[s].name;
        row.peerValue = spreadOf(job, &samples[s]);
        row.ratio = benchRatio(row.value.median, row.peerValue.median, !job->isRate);
        row.same = samples[0].same && samples[s].same;
        report(bench, &row);
    }
}

static void reportStates(Bench* bench, const BenchJob* job, const SideState* states) {
    BenchSamples* samples = Bench_Allocate(bench, job->sideCount, sizeof *samples);
    if (samples == NULL)
        return;
    for (size_t s = 0; s < job->sideCount; ++s)
        samples[s] =
            (BenchSamples){states[s].samples, bench->options->repeats, states[s].stable && states[s].agrees};
    Bench_Report(bench, job, samples);
    Bench_Release(bench, samples, job->sideCount, sizeof *samples);
}

void Bench_Measure(Bench* bench, const BenchJob* job) {
    size_t repeats = bench->options->repeats;
    SideState* states = Bench_Allocate(bench, job->sideCount, sizeof *states);
    double* samples = Bench_Allocate(bench, job->sideCount * repeats, sizeof *samples);
    if (states != NULL && samples != NULL) {
        memset(states, 0, job->sideCount * sizeof *states);
        for (size_t s = 0; s < job->sideCount; ++s)
            states[s].samples = samples + s * repeats;
        if (job->workers == 1)
            benchPin();
        measureSides(job, states, repeats, bench->options->quick);
        benchUnpin();
        reportStates(bench, job, states);
    }
    Bench_Release(bench, samples, job->sideCount * repeats, sizeof *samples);
    Bench_Release(bench, states, job->sideCount, sizeof *states);
}

static BenchSpread exactly(double value) {
    BenchSpread spread = {value, value, value};
    return spread;
}

static BenchRow rowOf(const Bench* bench, const BenchCounter* counter) {
    BenchRow row = {.stage = bench->stage->name,
                    .caseName = bench->running->name,
                    .variant = counter->variant,
                    .metric = counter->metric,
                    .unit = counter->unit,
                    .peer = counter->peer,
                    .n = counter->n,
                    .workers = counter->workers,
                    .value = exactly(counter->value),
                    .peerValue = exactly(counter->peerValue),
                    .ratio = benchRatio(counter->value, counter->peerValue, !counter->higherIsBetter),
                    .same = counter->same};
    return row;
}

void Bench_Count(Bench* bench, const BenchCounter* counter) {
    BenchRow row = rowOf(bench, counter);
    report(bench, &row);
}

void Bench_Note(Bench* bench, const BenchCounter* counter) {
    BenchRow row = rowOf(bench, counter);
    note(bench, &row);
}

void Bench_Fail(Bench* bench, const char* format, ...) {
    if (bench->failed)
        return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(bench->error, sizeof bench->error, format, arguments);
    va_end(arguments);
    bench->failed = true;
}

void Bench_Skip(Bench* bench, const char* format, ...) {
    char text[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (bench->options->caseName != NULL)
        Bench_Fail(bench, "%s", text);
    else
        fprintf(bench->out, "%-9s %-28s skipped: %s\n", bench->stage->name, bench->running->name, text);
}

size_t Bench_Size(const Bench* bench, size_t usual, size_t quick) {
    if (bench->options->n != 0)
        return bench->options->n;
    return bench->options->quick ? quick : usual;
}

size_t Bench_Workers(const Bench* bench, size_t workers[2]) {
    workers[0] = bench->options->workers != 0 ? bench->options->workers : 1;
    workers[1] = 2;
    return bench->options->workers != 0 ? 1 : 2;
}

uint64_t Bench_Digest(uint64_t seed, const void* data, size_t size) {
    return grzHashBytes(data, size, seed);
}

void* Bench_Allocate(Bench* bench, size_t count, size_t size) {
    void* memory = grzAllocate(&bench->allocator, count, size, 64);
    if (memory == NULL)
        Bench_Fail(bench, "%s: no memory for %zu elements of %zu bytes", bench->running->name, count, size);
    return memory;
}

void Bench_Release(Bench* bench, void* memory, size_t count, size_t size) {
    grzRelease(&bench->allocator, memory, count, size, 64);
}
