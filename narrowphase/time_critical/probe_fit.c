// What: the fit of scores to a thousand queries, and the limits that keep the error.
// Promise: the same bytes on every machine: sums are in the order of the queries, and no function of the mathematics
//   library is called.
// Idea: a score is the log of the odds that the models touch: a logistic regression at each stop, by Newton's method,
//   over the queries that are still open there. Queries are in two folds. Each is scored by weights of the other
//   fold: Newton's method goes on from the weights of all, with the one fold. By these scores, for each risk, the
//   limit is the least one at which, with n queries, no more than risk (n + 1) - 1 answers are wrong [Angelopoulos
//   and others, Conformal Risk Control, ICLR 2024]: with fixed scores the error of the next query would be below the risk in the
//   mean. Here that holds only nearly, since the weights of a fold begin with those of all, and votes are chosen on the same
//   queries.
//   What a score says of its own error is put right by one factor for all: wrong answers over expected ones.
// Threads: one call, one thread.
#include <float.h>
#include <math.h>

#include "memory.h"
#include "probe_sample.h"
#include "result_make.h"

#define RIDGE      0.05 // keeps weights finite where one plane parts all queries
#define VOTE_ERROR 0.003F

enum {
    FOLDS = 2,
    STEPS = 5,      // of Newton's method, from the weights of the stop before
    FOLD_STEPS = 1, // from the weights of all
    LEAST_QUERIES = 100,
    LIMITS = 72, // in eighths: up to odds of 8,000 to 1
    MOST_VOTES = 12,
    ALL = FOLDS,
};

typedef struct Fitting {
    ProbeSample* samples;
    uint32_t count;
    grzProbeFit* fit;
} Fitting;

// --------------------------------------------------------------------------------------------------------- weights

// The normal equations of a step of Newton's method, at some weights, and how likely the queries are by these: as a
// logarithm to base 2.
typedef struct Normal {
    double matrix[grz_probeWeights][grz_probeWeights];
    double right[grz_probeWeights];
    double likelihood;
    double product; // of probabilities that are not yet in it
} Normal;

// log2, straight between powers of two.
static double logOf(double number) {
    int exponent;
    const double part = frexp(number, &exponent);
    return exponent + 2 * (part - 1);
}

static void addSample(Normal* normal, const ProbeInputs* inputs, const float weights[grz_probeWeights],
                      bool touches) {
    const float score = probeScore(weights, inputs), error = probeError(fabsf(score));
    const double p = score >= 0 ? 1 - (double)error : (double)error;
    const double spread = p * (1 - p), rest = (touches ? 1 : 0) - p;
    normal->product *= 1 - fabs(rest);
    if (normal->product < 0x1p-600) {
        normal->product *= 0x1p600;
        normal->likelihood -= 600;
    }
    for (int i = 0; i < grz_probeWeights; ++i) {
        const double x = (double)inputs->at[i];
        normal->right[i] += rest * x;
        for (int j = 0; j <= i; ++j)
            normal->matrix[i][j] += spread * x * (double)inputs->at[j];
    }
}

// Cholesky's method, in place; the ridge makes the matrix positive.
static void solve(Normal* normal) {
    double(*m)[grz_probeWeights] = normal->matrix;
    double* x = normal->right;
    for (int i = 0; i < grz_probeWeights; ++i) {
        for (int j = 0; j <= i; ++j) {
            double sum = m[i][j];
            for (int k = 0; k < j; ++k)
                sum -= m[i][k] * m[j][k];
            m[i][j] = i == j ? sqrt(sum > RIDGE * 1e-6 ? sum : RIDGE * 1e-6) : sum / m[j][j];
        }
        for (int k = 0; k < i; ++k)
            x[i] -= m[i][k] * x[k];
        x[i] /= m[i][i];
    }
    for (int i = grz_probeWeights - 1; i >= 0; --i) {
        for (int k = i + 1; k < grz_probeWeights; ++k)
            x[i] -= m[k][i] * x[k];
        x[i] /= m[i][i];
    }
}

// Over the queries of a fold, or ALL.
static Normal normalOf(const Fitting* fitting, uint32_t stop, uint32_t fold,
                       const float weights[grz_probeWeights]) {
    Normal normal;
    memset(&normal, 0, sizeof normal);
    normal.product = 1;
    for (uint32_t i = 0; i < fitting->count; ++i) {
        const ProbeSample* sample = &fitting->samples[i];
        if (stop < sample->stopCount && (fold == ALL || i % FOLDS == fold))
            addSample(&normal, &sample->inputs[stop], weights, sample->touches);
    }
    normal.likelihood += logOf(normal.product);
    for (int i = 0; i < grz_probeWeights; ++i) {
        const double weight = (double)weights[i];
        normal.matrix[i][i] += RIDGE;
        normal.right[i] -= RIDGE * weight;
        normal.likelihood -= 0.5 * 1.442695 * RIDGE * weight * weight;
    }
    return normal;
}

// Newton's method. A step that makes the queries less likely is halved.
static void improve(const Fitting* fitting, uint32_t stop, uint32_t fold, int steps,
                    float weights[grz_probeWeights]) {
    Normal normal = normalOf(fitting, stop, fold, weights);
    float part = 1;
    for (int step = 0; step < steps; ++step) {
        float tried[grz_probeWeights];
        if (part == 1)
            solve(&normal);
        for (int i = 0; i < grz_probeWeights; ++i)
            tried[i] = weights[i] + part * (float)normal.right[i];
        const Normal next = normalOf(fitting, stop, fold, tried);
        if (next.likelihood >= normal.likelihood) {
            memcpy(weights, tried, sizeof tried);
            normal = next;
            part = 1;
        } else {
            part *= 0.5F;
        }
    }
}

static void fitStop(const Fitting* fitting, uint32_t stop) {
    float* all = fitting->fit->weights[stop];
    if (stop != 0)
        memcpy(all, fitting->fit->weights[stop - 1], sizeof fitting->fit->weights[stop]);
    improve(fitting, stop, ALL, STEPS, all);
    for (uint32_t fold = 0; fold < FOLDS; ++fold) {
        float weights[grz_probeWeights];
        memcpy(weights, all, sizeof weights);
        improve(fitting, stop, 1 - fold, FOLD_STEPS, weights);
        for (uint32_t i = fold; i < fitting->count; i += FOLDS) {
            ProbeSample* sample = &fitting->samples[i];
            if (stop < sample->stopCount)
                sample->scores[stop] = probeScore(weights, &sample->inputs[stop]);
        }
    }
}

// ----------------------------------------------------------------------------------------------------------- votes

// The log of odds, by halving.
static float logOdds(float p) {
    float lower = 0, upper = 16;
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
        for (uint32_t i = 0; i < fitting->count; ++i) {
            const ProbeSample* sample = &fitting->samples[i];
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
        if (fit->voteScore >= limit && sample->votes[stop] >= fit->votesWanted)
            return fit->voteScore;
        if (fabsf(sample->scores[stop]) >= limit)
            return sample->scores[stop];
    }
    return 0;
}

static Outcome tryLimit(const Fitting* fitting, float limit) {
    Outcome outcome = {0, 0};
    for (uint32_t i = 0; i < fitting->count; ++i) {
        const float score = endingScore(&fitting->samples[i], fitting->fit, limit);
        if (score == 0)
            continue;
        outcome.wrong += (score > 0) != fitting->samples[i].touches;
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
        const float limit = 0.125F * (float)i;
        const Outcome outcome = tryLimit(fitting, limit);
        while (least < grz_probeRisks &&
               (float)(outcome.wrong + 1) > probeRisks[least] * (float)(fitting->count + 1))
            ++least;
        for (uint32_t risk = least; risk < grz_probeRisks; ++risk)
            fit->limits[risk] = limit, fit->sure[risk] = factorOf(&outcome);
    }
}

static void chooseSpent(const Fitting* fitting) {
    for (uint32_t stop = 0; stop < grz_probeStops; ++stop) {
        Outcome outcome = {0, 0};
        for (uint32_t i = 0; i < fitting->count; ++i) {
            const ProbeSample* sample = &fitting->samples[i];
            if (stop >= sample->stopCount)
                continue;
            outcome.wrong += (sample->scores[stop] >= 0) != sample->touches;
            outcome.expected += (double)probeError(fabsf(sample->scores[stop]));
        }
        fitting->fit->spent[stop] = factorOf(&outcome);
    }
}

static float priorScore(const Fitting* fitting) {
    uint32_t touching = 0;
    for (uint32_t i = 0; i < fitting->count; ++i)
        touching += fitting->samples[i].touches;
    const float share = ((float)touching + 0.5F) / ((float)fitting->count + 1);
    return share >= 0.5F ? logOdds(share) : -logOdds(1 - share);
}

// ------------------------------------------------------------------------------------------------------------ fits

static grzResult takeSamples(const Fitting* fitting, const grzModelQuery* queries, grzProbeFit* fit) {
    ProbeState state;
    grzResult result = grzProbe_Scout(queries, fitting->count, &state, fit);
    grzProbeQuery query = grzDefaultProbeQuery();
    for (uint32_t i = 0; i < fitting->count && grzResult_IsOk(result); ++i) {
        query.models = queries[i];
        query.fit = fit;
        result = grzProbeSample_Take(&fitting->samples[i], &state, &query);
        if (!grzResult_IsOk(result))
            result.part = grz_partElement, result.index = i;
    }
    return result;
}

static void fitSamples(const Fitting* fitting) {
    chooseVotes(fitting);
    for (uint32_t stop = 0; stop < grz_probeStops; ++stop)
        fitStop(fitting, stop);
    chooseLimits(fitting);
    chooseSpent(fitting);
    fitting->fit->prior = priorScore(fitting);
}

static grzResult checkQueries(const grzModelQuery* queries, uint32_t count) {
    if (queries == NULL || count < LEAST_QUERIES)
        return grzBecause(grzFail(grz_badArgument, 2), "a fit takes 100 queries or more");
    for (uint32_t i = 1; i < count; ++i)
        if (queries[i].a != queries[0].a || queries[i].b != queries[0].b)
            return grzBecause(grzFailAt(grz_badArgument, grz_partElement, i, 1), "not the models of query 0");
    return grzOk();
}

grzResult grzProbeFit_Make(const grzModelQuery* queries, uint32_t count, grzAllocator given, grzProbeFit* fit) {
    memset(fit, 0, sizeof *fit);
    grzResult result = checkQueries(queries, count);
    if (grzResult_IsOk(result))
        result = grzCheckAllocator(given, 1);
    if (!grzResult_IsOk(result))
        return result;
    const grzAllocator allocator = grzAllocator_OrDefault(given);
    Fitting fitting = {grzAllocate(&allocator, count, sizeof(ProbeSample), 16), count, fit};
    if (fitting.samples == NULL)
        return grzNoMemory(count, sizeof(ProbeSample));
    fit->mark = PROBE_FIT_MARK;
    fit->queryCount = count;
    fit->votesWanted = UINT32_MAX;
    result = takeSamples(&fitting, queries, fit);
    if (grzResult_IsOk(result)) {
        fitSamples(&fitting);
        fit->revisions[0] = queries[0].a->revision, fit->revisions[1] = queries[0].b->revision;
    } else {
        memset(fit, 0, sizeof *fit);
    }
    grzRelease(&allocator, fitting.samples, count, sizeof(ProbeSample), 16);
    return result;
}
