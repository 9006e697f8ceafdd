// What: how a file of cases measures and reports. A stage is a table of cases; each is a function that makes its
// data, describes one or more jobs and hands them to Bench_Measure, or numbers it counted to Bench_Count.
//
//   static void sortCase(Bench* bench) {
//       SortWork work = ...;
//       BenchSide sides[] = {{"graze", refill, sortOurs, digestKeys, NULL, &work.ours},
//                            {"qsort", refill, sortTheirs, digestKeys, NULL, &work.theirs}};
//       Bench_Measure(bench, &(BenchJob){.metric = "sort", .unit = "ns/key", .n = n, .workers = 1,
//                                        .amount = (double)n, .sides = sides, .sideCount = 2});
//   }
//   static const BenchCase cases[] = {{"radix-sort", "64-bit keys, against qsort", sortCase, bench_usesN}};
//   const BenchStage benchBase = {"base", "the base layer", cases, 1};
//
// and the stage is added to the list in bench_stages.c.
//
// Promise: the sides of a job are timed in turns (A B A B ...), each after a warm-up, in chunks long enough for the
// clock; a row is the median, with its spread, and says whether the outcomes were the same. A job of one worker is
// pinned to one core. Both sides must do the same work: a side that does less makes the row a lie. So that it
// shows, each side has an outcome of its own, and what the last run left is spoiled before every chunk. Threads:
// one. Cases run one after the other on the thread that called benchRun.
#ifndef GRAZE_BENCH_BENCH_H
#define GRAZE_BENCH_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "bench_options.h"
#include "graze/host.h"
#include "graze/result.h"

typedef struct Bench Bench;

typedef struct BenchCase {
    const char* name;
    const char* about; // a phrase for --list
    void (*run)(Bench* bench);
    unsigned uses; // bench_uses..., of the options that it asks for below; a run refuses those that no case uses
} BenchCase;

typedef struct BenchStage {
    const char* name;
    const char* about;
    const BenchCase* cases;
    size_t caseCount;
} BenchStage;

typedef void BenchRunFn(void* context);

// One way to do the job. The first of a job is ours, the others are its peers. `clear` or `prepare` must spoil the
// outcome of the last run, as by filling it with zeros; `digest` must then differ from that of a run's outcome.
typedef struct BenchSide {
    const char* name;
    void (*prepare)(void* context);    // before every run, not timed; NULL: a run can be repeated as it is
    BenchRunFn* run;                   // timed
    uint64_t (*digest)(void* context); // of what the last run, or clear and prepare, left; not timed; Bench_Digest
    bool (*agrees)(void* context);     // is the last outcome right? Ours beside one that was found in some plain
                                       // way: needed where there is no peer. A peer's beside ours, within the
                                       // case's tolerance; called after our and then its run. NULL: a peer's
                                       // digest must equal ours
    void* context;
    void (*clear)(void* context); // before every chunk, and before prepare, not timed. NULL: prepare is enough
} BenchSide;

typedef struct BenchJob {
    const char* variant; // NULL, or what tells this row from others of its case (a mesh's name); no path
    const char* metric;  // what is measured: "sort", "refit"
    const char* unit;    // of times: "ns" or "ns/something"; of rates: "something/s"
    bool isRate;         // value = amount a second, higher is better; else nanoseconds / amount, lower is better
    double amount;       // what one run does, in the unit's measure: operations, triangles, gigabytes
    size_t n;            // the size shown
    size_t workers;      // the threads it runs on; with 1 it is pinned
    const BenchSide* sides;
    size_t sideCount; // at least 1
} BenchJob;

// A number that was counted, not timed. `peer` is NULL where there is nothing to put it beside.
typedef struct BenchCounter {
    const char* variant;
    const char* metric;
    const char* unit;
    bool higherIsBetter;
    double value;
    const char* peer;
    double peerValue;
    size_t n;
    size_t workers;
    bool same; // the outcome of the case's own check
} BenchCounter;

struct Bench {
    const BenchOptions* options;
    const BenchStage* stage;
    const BenchCase* running;
    grzAllocator allocator;
    FILE* out;
    FILE* json;     // NULL: none is wanted
    size_t rows;    // reported so far
    bool different; // some row was not the same
    bool failed;    // some case could not run; `error` says why
    char error[512];
    uint32_t sabotaged; // see benchRunSabotaged
};

// Times the job's sides in turns and reports a row for each peer, or one row if there is none. A row is `same` if,
// on each of its sides, a run left another digest than clear and prepare do, and that same one after every repeat;
// and if ours and the peer agree as BenchSide says. A row without a peer needs an `agrees`.
void Bench_Measure(Bench* bench, const BenchJob* job);

// The function to time for a side of a job: its own, but see benchRunSabotaged. For what times sides by itself.
BenchRunFn* Bench_RunOf(const Bench* bench, const BenchJob* job, size_t side);

// A scene in motion: frames are no repeats of each other, so each side runs each frame once, in turns.
typedef struct BenchFrames {
    void (*advance)(void* context); // before each frame but the first, not timed: what the sides then read
    void* context;
    size_t count;         // of the first side's frames
    const size_t* limits; // of each side, for slow peers; NULL: count for all
    size_t window;        // how many frames at the start, and at the end, make a row; at most count and any limit
} BenchFrames;

// Times the frames of a job (processor time with one worker, else the wall's clock) and reports two rows for each
// peer: the job's metric is the median of the first window of frames, and metric-late of the last window that the
// peer took part in, on both sides, so that a structure that decays shows it. Frame 0 is a warm-up and counts for
// nothing. Outcomes must agree in every frame; a job of one side needs an `agrees`.
void Bench_MeasureFrames(Bench* bench, const BenchJob* job, const BenchFrames* frames);

// What a case measured by itself: nanoseconds a run, and whether the outcomes were right.
typedef struct BenchSamples {
    double* times; // sorted by the call
    size_t count;  // at least 1
    bool same;
} BenchSamples;

// Reports a job from samples of each of its sides. The sides' functions are not called.
void Bench_Report(Bench* bench, const BenchJob* job, const BenchSamples* samples);

void Bench_Count(Bench* bench, const BenchCounter* counter);

// The same for --json alone: for cases that print a table of their own.
void Bench_Note(Bench* bench, const BenchCounter* counter);

// Ends the run with exit code 2 after this case; one sentence. The case returns by itself. The first failure is
// kept.
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void Bench_Fail(Bench* bench, const char* format, ...);

// Tells that part of the case has no data or no peer; no failure unless the case was asked for by name.
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void Bench_Skip(Bench* bench, const char* format, ...);

// The size a case should use: what --n says, else `quick` with --quick, else `usual`.
size_t Bench_Size(Bench* bench, size_t usual, size_t quick);

// The worker counts a parallel case should try, in rising order: what --workers says, else 1 and 2.
// Returns how many.
size_t Bench_Workers(Bench* bench, size_t workers[2]);

// The folders of --queries and --frames; NULL where they were not given.
const char* Bench_Queries(Bench* bench);
const char* Bench_Frames(Bench* bench);

// Whether peers that must be installed are to be timed as well.
bool Bench_WantsPeers(Bench* bench);

// Fails the run where the running case does not say that it uses the option: then it might have been refused.
void Bench_ExpectUse(Bench* bench, unsigned use);

// A digest for BenchSide; the order of the bytes matters. `seed` chains parts: the digest before, 0 at first.
uint64_t Bench_Digest(uint64_t seed, const void* data, size_t size);

// Memory that lives as long as the case keeps it. NULL where refused, after Bench_Fail.
void* Bench_Allocate(Bench* bench, size_t count, size_t size);
void Bench_Release(Bench* bench, void* memory, size_t count, size_t size);

// Runs what the options ask for, prints to `out`, and returns the program's exit code: 0; 1 where a row was not the
// same; 2 where the options name nothing that can run, after one sentence on `errors`.
int benchRun(const BenchStage* const* stages, size_t stageCount, const BenchOptions* options, FILE* out,
             FILE* errors);

// For tests: the same, but side k of every job does nothing where bit k of `sides` is set. No row that such a side
// has part in may then be the same. Counters are left out, since no side makes them.
int benchRunSabotaged(const BenchStage* const* stages, size_t stageCount, const BenchOptions* options, FILE* out,
                      FILE* errors, uint32_t sides);

#endif
