// What: scores of a stop, by logistic regression.
// Promise: the same bytes on every machine: sums are in the order of the queries, and no function of the mathematics
//   library is called but frexp and sqrt, which are exact or rounded.
// Idea: Newton's method over the queries that are still open at the stop. Each query is scored by weights of the fold
//   that it is not in: Newton's method goes on from the weights of all, with the other fold alone.
// Threads: writes the scores of the samples.
#include "probe_logistic.h"

#include <math.h>

#define RIDGE 0.05 // keeps weights finite where one plane parts all queries

enum {
    FOLDS = 2,
    STEPS = 5,      // of Newton's method, from the weights of the stop before
    FOLD_STEPS = 1, // from the weights of all
    ALL = FOLDS,
};

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
static Normal normalOf(const ProbeSamples* samples, uint32_t stop, uint32_t fold,
                       const float weights[grz_probeWeights]) {
    Normal normal;
    memset(&normal, 0, sizeof normal);
    normal.product = 1;
    for (uint32_t i = 0; i < samples->count; ++i) {
        const ProbeSample* sample = &samples->at[i];
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
static void improve(const ProbeSamples* samples, uint32_t stop, uint32_t fold, int steps,
                    float weights[grz_probeWeights]) {
    Normal normal = normalOf(samples, stop, fold, weights);
    float part = 1;
    for (int step = 0; step < steps; ++step) {
        float tried[grz_probeWeights];
        if (part == 1)
            solve(&normal);
        for (int i = 0; i < grz_probeWeights; ++i)
            tried[i] = weights[i] + part * (float)normal.right[i];
        const Normal next = normalOf(samples, stop, fold, tried);
        if (next.likelihood >= normal.likelihood) {
            memcpy(weights, tried, sizeof tried);
            normal = next;
            part = 1;
        } else {
            part *= 0.5F;
        }
    }
}

void grzProbeSamples_FitStop(const ProbeSamples* samples, uint32_t stop,
                             float all[grz_probeStops][grz_probeWeights]) {
    if (stop != 0)
        memcpy(all[stop], all[stop - 1], sizeof all[stop]);
    improve(samples, stop, ALL, STEPS, all[stop]);
    for (uint32_t fold = 0; fold < FOLDS; ++fold) {
        float weights[grz_probeWeights];
        memcpy(weights, all[stop], sizeof weights);
        improve(samples, stop, 1 - fold, FOLD_STEPS, weights);
        for (uint32_t i = fold; i < samples->count; i += FOLDS) {
            ProbeSample* sample = &samples->at[i];
            if (stop < sample->stopCount)
                sample->scores[stop] = probeScore(weights, &sample->inputs[stop]);
        }
    }
}
