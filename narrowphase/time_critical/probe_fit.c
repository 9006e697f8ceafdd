// What: the fit of scores to a thousand queries, and the limits that keep the error.
// Promise: the same bytes on every machine: sums are in the order of the queries, and no function of the mathematics
//   library is called.
// Idea: a score is the log of the odds that the models touch (probe_logistic.c). Queries are in two folds. Each is scored
//   by weights of the other fold. By these scores, for each risk, the limit is the least one at which, with n queries, no
//   more than risk (n + 1) - 1 answers are wrong [Angelopoulos and others, Conformal Risk Control, ICLR 2024]: with fixed
//   scores the error of the next query would be below the risk in the mean. Here that holds only nearly, since the weights
//   of a fold begin with those of all, and votes are chosen on the same queries.
//   What a score says of its own error is put right by one factor for all: wrong answers over expected ones.
// Threads: queries are asked on the workers of the tasks, each into a sample of its own; the fit is one thread's.
#include <float.h>
#include <math.h>

#include "first_refused.h"
#include "memory.h"
#include "probe_logistic.h"
#include "refuse_null.h"
#include "result_make.h"

#define VOTE_ERROR 0.003F

enum {
    LIMITS = 104, // in eighths: up to odds of 400,000 to 1, of which the stops take their slack
    MOST_VOTES = 12,
    SAMPLE_GRAIN = 16, // queries a task: some 20 us
};

typedef struct Fitting {
    ProbeSamples samples;
    grzProbeFit* fit;
} Fitting;

// ----------------------------------------------------------------------------------------------------------- votes

// The log of odds, by halving.
static float logOdds(float p) {
    float lower = 0, upper = PROBE_MOST_ODDS;
    for (int i = 0; i < 40; ++i) {
        const float middle = 0.5F * (lower + upper);
        if (probeError(middle) > 1 - p)
            lower = middle;
        else
            upper = middle;
    }
    return lower;
}

// The fewest votes that are wrong seldom enough. Half a query more is counted as wrong.
static void chooseVotes(const Fitting* fitting) {
    grzProbeFit* fit = fitting->fit;
    fit->votesWanted = UINT32_MAX;
    for (uint32_t wanted = 1; wanted <= MOST_VOTES; ++wanted) {
        uint32_t voted = 0, wrong = 0;
        for (uint32_t i = 0; i < fitting->samples.count; ++i) {
            const ProbeSample* sample = &fitting->samples.at[i];
            voted += sample->lastVotes >= wanted;
            wrong += sample->lastVotes >= wanted && !sample->touches;
        }
        const float error = ((float)wrong + 0.5F) / ((float)voted + 1);
        if (error <= VOTE_ERROR) {
            fit->votesWanted = wanted;
            fit->voteScore = logOdds(1 - error);
            return;
        }
    }
}

// ---------------------------------------------------------------------------------------------------------- limits

typedef struct Outcome {
    uint32_t wrong;
    double expected; // wrong answers, by the scores
} Outcome;

// How a query would end with a limit: its score, or 0 where it would go on to the exact answer.
static float endingScore(const ProbeSample* sample, const grzProbeFit* fit, float limit) {
    for (uint32_t stop = 0; stop < sample->stopCount; ++stop) {
        const float score = probeVotedScore(fit, sample->votes[stop], sample->scores[stop]);
        if (fabsf(score) >= limit - probeStopSlack[stop])
            return score;
    }
    return 0;
}

static Outcome tryLimit(const Fitting* fitting, float limit) {
    Outcome outcome = {0, 0};
    for (uint32_t i = 0; i < fitting->samples.count; ++i) {
        const float score = endingScore(&fitting->samples.at[i], fitting->fit, limit);
        if (score == 0)
            continue;
        outcome.wrong += (score > 0) != fitting->samples.at[i].touches;
        outcome.expected += (double)probeError(fabsf(score));
    }
    return outcome;
}

static float factorOf(const Outcome* outcome) {
    return (float)(((double)outcome->wrong + 0.5) / (outcome->expected + 0.5));
}

static void chooseLimits(const Fitting* fitting) {
    grzProbeFit* fit = fitting->fit;
    for (uint32_t risk = 0; risk < grz_probeRisks; ++risk)
        fit->limits[risk] = FLT_MAX, fit->sure[risk] = 1;
    uint32_t least = 0; // the least risk that still has room
    for (uint32_t i = LIMITS; i > 0 && least < grz_probeRisks; --i) {
        const float limit = PROBE_LEAST_LIMIT * (float)i;
        const Outcome outcome = tryLimit(fitting, limit);
        while (least < grz_probeRisks &&
               (float)(outcome.wrong + 1) > probeRisks[least] * (float)(fitting->samples.count + 1))
            ++least;
        for (uint32_t risk = least; risk < grz_probeRisks; ++risk)
            fit->limits[risk] = limit, fit->sure[risk] = factorOf(&outcome);
    }
}

static void chooseSpent(const Fitting* fitting) {
    for (uint32_t stop = 0; stop < grz_probeStops; ++stop) {
        Outcome outcome = {0, 0};
        for (uint32_t i = 0; i < fitting->samples.count; ++i) {
            const ProbeSample* sample = &fitting->samples.at[i];
            if (stop >= sample->stopCount)
                continue;
            const float score = probeVotedScore(fitting->fit, sample->votes[stop], sample->scores[stop]);
            outcome.wrong += (score >= 0) != sample->touches;
            outcome.expected += (double)probeError(fabsf(score));
        }
        fitting->fit->spent[stop] = factorOf(&outcome);
    }
}

// ------------------------------------------------------------------------------------------------------------ fits

typedef struct Sampling {
    const ProbeSamples* samples;
    const grzModelQuery* queries;
    const grzProbeFit* fit;
} Sampling;

static grzResult takeSample(uint32_t item, void* context) {
    const Sampling* sampling = context;
    ProbeState state;
    grzProbeQuery query = grzDefaultProbeQuery();
    query.models = sampling->queries[item];
    query.fit = sampling->fit;
    return grzProbeSample_Take(&sampling->samples->at[item], &state, &query);
}

static grzResult takeSamples(const Fitting* fitting, grzTasks* tasks, const grzModelQuery* queries,
                             grzProbeFit* fit) {
    const ProbeSamples* samples = &fitting->samples;
    Sampling sampling = {samples, queries, fit};
    grzResult result = grzProbe_Scout(tasks, queries, samples->count, fit);
    fit->sizes[0] = 0, fit->sizes[1] = FLT_MAX / 2; // any, while it is made
    if (grzResult_IsOk(result))
        result = grzParallelAnswer(tasks, samples->count, SAMPLE_GRAIN, takeSample, &sampling);
    if (!grzResult_IsOk(result))
        return result;
    fit->sizes[0] = FLT_MAX, fit->sizes[1] = 0;
    for (uint32_t i = 0; i < samples->count; ++i) {
        fit->sizes[0] = fminf(fit->sizes[0], samples->at[i].size);
        fit->sizes[1] = fmaxf(fit->sizes[1], samples->at[i].size);
    }
    return result;
}

static void fitSamples(const Fitting* fitting) {
    chooseVotes(fitting);
    for (uint32_t stop = 0; stop < grz_probeStops; ++stop)
        grzProbeSamples_FitStop(&fitting->samples, stop, fitting->fit->weights);
    chooseLimits(fitting);
    chooseSpent(fitting);
}

static grzResult checkQueries(const grzModelQuery* queries, uint32_t count) {
    if (queries == NULL || count < PROBE_LEAST_QUERIES)
        return grzBecause(grzFail(grz_badArgument, 2), "a fit takes 100 queries or more");
    for (uint32_t i = 1; i < count; ++i)
        if (queries[i].a != queries[0].a || queries[i].b != queries[0].b)
            return grzBecause(grzFailAt(grz_badArgument, grz_partElement, i, 1), "not the models of query 0");
    return grzOk();
}

grzResult grzProbeFit_Make(grzTasks* tasks, const grzModelQuery* queries, uint32_t count, grzAllocator given,
                           grzProbeFit* fit) {
    GRZ_REFUSE_NULL(fit, 5);
    memset(fit, 0, sizeof *fit);
    grzResult result = checkQueries(queries, count);
    if (grzResult_IsOk(result))
        result = grzCheckAllocator(given, 1);
    if (!grzResult_IsOk(result))
        return result;
    const grzAllocator allocator = grzAllocator_OrDefault(given);
    Fitting fitting = {{grzAllocate(&allocator, count, sizeof(ProbeSample), 16), count}, fit};
    if (fitting.samples.at == NULL)
        return grzNoMemory(count, sizeof(ProbeSample));
    fit->mark = PROBE_FIT_MARK;
    fit->queryCount = count;
    fit->votesWanted = UINT32_MAX;
    result = takeSamples(&fitting, tasks, queries, fit);
    if (grzResult_IsOk(result)) {
        fitSamples(&fitting);
        fit->revisions[0] = queries[0].a->revision, fit->revisions[1] = queries[0].b->revision;
    } else {
        memset(fit, 0, sizeof *fit);
    }
    grzRelease(&allocator, fitting.samples.at, count, sizeof(ProbeSample), 16);
    return result;
}
