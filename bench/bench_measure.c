// What: times the sides of a job in turns, checks that they agree, and reports rows.
//
// Idea: a chunk is as many runs as fill a millisecond, found for each side by doubling; a sample is one chunk.
// Repeats go A B A B ..., so that a machine that slows down slows all sides down.
//
// Holds: only `run` is inside the clock. A side with `prepare` is clocked run by run; the clock itself then counts,
// some 20 ns a run, on every side that needs it. Where preparing takes far longer than running, a chunk is shorter.
// Where there is one worker and nothing to prepare, the clock is that of the processor, which stands still while
// something else runs on the core.
#include "bench.h"

#include <math.h>

#include "bench_machine.h"
#include "bench_report.h"

#define CHUNK_NANOSECONDS       1000000u
#define QUICK_CHUNK_NANOSECONDS 20000u
#define CHUNK_LONGEST           50 // with all that prepares it, in chunks

typedef struct SideState {
    const BenchSide* side;
    BenchRunFn* run;
    uint64_t (*clock)(void);
    size_t runsPerChunk;
    uint64_t digest;
    bool same; // so far
    double* samples;
} SideState;

static void spoil(const BenchSide* side) {
    if (side->clear != NULL)
        side->clear(side->context);
}

static double runChunk(const SideState* state) {
    const BenchSide* side = state->side;
    spoil(side);
    uint64_t start = state->clock();
    if (side->prepare == NULL) {
        for (size_t i = 0; i < state->runsPerChunk; ++i)
            state->run(side->context);
        return (double)(state->clock() - start);
    }
    uint64_t sum = 0;
    for (size_t i = 0; i < state->runsPerChunk; ++i) {
        side->prepare(side->context);
        start = state->clock();
        state->run(side->context);
        sum += state->clock() - start;
    }
    return (double)sum;
}

// Warms the side up on the way.
static void findChunk(SideState* state, bool quick) {
    double wanted = quick ? QUICK_CHUNK_NANOSECONDS : CHUNK_NANOSECONDS, timed, all;
    state->runsPerChunk = 1;
    for (;;) {
        uint64_t start = benchNow();
        timed = runChunk(state);
        all = (double)(benchNow() - start);
        if (timed >= wanted || all >= CHUNK_LONGEST * wanted || state->runsPerChunk >= (size_t)1 << 30)
            return;
        state->runsPerChunk *= 2;
    }
}

// The digest of no outcome. A side that has nothing to spoil it with cannot show that it did anything.
static uint64_t digestOfNothing(SideState* state) {
    const BenchSide* side = state->side;
    state->same = side->clear != NULL || side->prepare != NULL;
    spoil(side);
    if (side->prepare != NULL)
        side->prepare(side->context);
    return state->same ? side->digest(side->context) : 0;
}

static void beginSide(SideState* state, bool quick) {
    uint64_t nothing = digestOfNothing(state);
    findChunk(state, quick);
    state->digest = state->side->digest(state->side->context);
    state->same &= state->digest != nothing;
}

static double valueOf(const BenchJob* job, double nanosecondsPerRun) {
    // A run below the clock's step counts as one step, so that no rate is infinite.
    double time = nanosecondsPerRun > 0 ? nanosecondsPerRun : 1;
    return job->isRate ? job->amount * 1e9 / time : time / job->amount;
}

static void measureSide(SideState* state, size_t repeat) {
    const BenchSide* side = state->side;
    double time = runChunk(state);
    state->samples[repeat] = time / (double)state->runsPerChunk;
    state->same &= side->digest(side->context) == state->digest;
    if (side->agrees != NULL)
        state->same &= side->agrees(side->context);
}

static void measureSides(const BenchJob* job, SideState* states, size_t repeats, bool quick) {
    for (size_t s = 0; s < job->sideCount; ++s)
        beginSide(&states[s], quick);
    for (size_t repeat = 0; repeat < repeats; ++repeat)
        for (size_t s = 0; s < job->sideCount; ++s)
            measureSide(&states[s], repeat);
    for (size_t s = 1; s < job->sideCount; ++s)
        if (job->sides[s].agrees == NULL)
            states[s].same &= states[s].digest == states[0].digest;
    if (job->sideCount == 1)
        states[0].same &= job->sides[0].agrees != NULL;
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
        samples[s] = (BenchSamples){states[s].samples, bench->options->repeats, states[s].same};
    Bench_Report(bench, job, samples);
    Bench_Release(bench, samples, job->sideCount, sizeof *samples);
}

static void doNothing(void* context) {
    (void)context;
}

BenchRunFn* Bench_RunOf(const Bench* bench, const BenchJob* job, size_t side) {
    return (bench->sabotaged >> side & 1) != 0 ? doNothing : job->sides[side].run;
}

static bool isPrepared(const BenchJob* job) {
    bool isAny = false;
    for (size_t s = 0; s < job->sideCount; ++s)
        isAny |= job->sides[s].prepare != NULL;
    return isAny;
}

void Bench_Measure(Bench* bench, const BenchJob* job) {
    bool isByProcessor = job->workers == 1 && !isPrepared(job);
    size_t repeats = bench->options->repeats;
    SideState* states = Bench_Allocate(bench, job->sideCount, sizeof *states);
    double* samples = Bench_Allocate(bench, job->sideCount * repeats, sizeof *samples);
    if (states != NULL && samples != NULL) {
        for (size_t s = 0; s < job->sideCount; ++s)
            states[s] = (SideState){.side = &job->sides[s],
                                    .run = Bench_RunOf(bench, job, s),
                                    .clock = isByProcessor ? benchProcessorTime : benchNow,
                                    .samples = samples + s * repeats};
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
    if (bench->sabotaged == 0)
        report(bench, &row);
}

void Bench_Note(Bench* bench, const BenchCounter* counter) {
    BenchRow row = rowOf(bench, counter);
    if (bench->sabotaged == 0)
        note(bench, &row);
}
