// What: a query between its runs, and the score of a walk.
// Holds: nothing here calls the mathematics library, so that decisions are the same on every machine.
// Threads: plain data, pure functions.
#ifndef GRAZE_NARROWPHASE_PROBE_STATE_H
#define GRAZE_NARROWPHASE_PROBE_STATE_H

#include <string.h>

#include "adb_walk.h"
#include "memory.h"
#include "probe_kernel.h"

#define PROBE_MARK        0x50524F42u
#define PROBE_FIT_MARK    0x50464954u

#define PROBE_MOST_ODDS   16.0F  // logs of odds of a fit, but for scores
#define PROBE_LEAST_LIMIT 0.125F // the least limit of a fit, and the step between two

enum { PROBE_LEAST_QUERIES = 100 }; // of a fit

typedef struct ProbeState {
    ProbeWalk walk;
    grzProbeWalk_Fn* run; // of the SIMD level in force when the query began
    grzTransform poseA;
    const grzProbeFit* fit;
    bool isOwnFit;
    bool isPublished; // the walk begins when that of ADB-trees is finished
    uint32_t nextStop;
    float apart; // grzProbe_Apart
    float score; // of the last stop
    AdbWalk adb; // keeps its queue from query to query
} ProbeState;

// A score after n units may be wrong 1 + n times as often as one before any, since it saves more: the limits are lower by
// the logarithm of that.
static const uint32_t probeStopWork[grz_probeStops] = {0, 2, 4, 8, 16, 40, 80};
static const float probeStopSlack[grz_probeStops] = {0,           1.09861229F, 1.60943791F, 2.19722458F,
                                                     2.83321334F, 3.71357207F, 4.39444915F};
static const float probeRisks[grz_probeRisks] = {0.002F, 0.005F, 0.01F, 0.02F, 0.05F, 0.1F};

// Before the first query; the rest need not be anything. The allocator is for the queue.
static inline void grzProbeState_Init(ProbeState* state, grzAllocator allocator) {
    state->isPublished = false;
    memset(&state->adb.queue, 0, sizeof state->adb.queue);
    state->adb.allocator = grzAllocator_OrDefault(allocator);
}

// After the last one.
static inline void grzProbeState_Release(ProbeState* state) {
    grzArray_Release(&state->adb.queue, &state->adb.allocator);
}

// All but what poses, trees and models are refused for.
grzResult grzProbeQuery_Check(const grzProbeQuery* query);

// The fit that is used where B is so large beside A by the poses; NULL: none.
const grzProbeFit* grzProbeQuery_Fit(const grzProbeQuery* query, float size);

// Whether it was made of these models as they are. NULL is of none.
bool grzProbeFit_IsOf(const grzProbeFit* fit, const grzModelQuery* models);

// Refused as grzModels_Probe says. The walk is open, or ended where a model has no triangles. Allocates nothing.
grzResult grzProbeState_Begin(ProbeState* state, const grzProbeQuery* query);
grzResult grzProbeBudget_Check(const grzProbeBudget* budget);

// The budget is as it must be; `began`: nanoseconds of the clock, from which its microseconds count. Fails for want of memory
// alone: then the answer is as it was.
grzResult grzProbeState_Run(ProbeState* state, const grzProbeBudget* budget, uint64_t began,
                            grzProbeAnswer* answer);

// Goes on with the walk of ADB-trees, up to so much work. *isSpent: the budget has ended it.
grzResult grzProbeState_RunPublished(ProbeState* state, const grzProbeBudget* budget, uint64_t began, uint32_t last,
                                     bool* isSpent);
// What it says: its own answer, or as much as it knows. isSure: by the budget's error.
grzProbeAnswer grzProbeState_AnswerPublished(const ProbeState* state, bool isSure);

// What is not certain.
static inline grzProbeAnswer grzProbeState_Guess(const ProbeState* state, bool touches, float confidence,
                                                 bool isSure) {
    grzProbeAnswer answer;
    memset(&answer, 0, sizeof answer);
    answer.touches = touches;
    answer.isOwnFit = state->isOwnFit;
    answer.isSure = isSure;
    answer.certainty = grz_probable;
    answer.confidence = confidence;
    answer.work = state->walk.work;
    answer.leafPairs = state->walk.leafPairs;
    return answer;
}

// The answer before any work, mostly without what a query takes to begin; sure where it is enough for the error. Refused as
// Begin refuses.
grzResult grzProbeQuery_Guess(const grzProbeQuery* query, float error, grzProbeAnswer* answer);

// As a begun query answers where the first stop ends it. False, and zeros, where it does not, or Begin might refuse the query.
bool grzProbeQuery_EndsAtOnce(const grzProbeQuery* query, const grzProbeBudget* budget, grzProbeAnswer* answer);

// The distance between the centres of the models' boxes, over the size of both; 0 to 64.
float grzProbe_Apart(const grzModelQuery* query);

// As grzModelProbe_FindPlaces.
uint32_t grzProbeState_FindPlaces(const ProbeState* state, grzProbePlace* places, uint32_t capacity);

// The inputs of a score: of a walk that is open.
typedef struct ProbeInputs {
    float at[grz_probeWeights];
} ProbeInputs;

// Straight between powers of two, where it is log2. The number is not below 1.
static inline float probeLog(float number) {
    uint32_t bits;
    memcpy(&bits, &number, sizeof bits);
    return (float)bits * 0x1p-23F - 127;
}

static inline ProbeInputs grzProbeState_Inputs(const ProbeState* state) {
    const ProbeWalk* walk = &state->walk;
    return (ProbeInputs){
        {1, state->apart, walk->deepest, probeLog(1 + walk->openSum), probeLog(1 + (float)walk->leafPairs)}};
}

// What votes leave of a score: their own is the least then.
static inline float probeVotedScore(const grzProbeFit* fit, uint32_t votes, float score) {
    return votes >= fit->votesWanted && fit->voteScore > score ? fit->voteScore : score;
}

static inline float probeScore(const float weights[grz_probeWeights], const ProbeInputs* inputs) {
    float score = 0;
    for (int i = 0; i < grz_probeWeights; ++i)
        score += weights[i] * inputs->at[i];
    return score;
}

// The risk that a run may take, as a number of those that the fit knows; grz_probeRisks: none.
static inline uint32_t probeRisk(const grzProbeFit* fit, float error) {
    uint32_t risk = grz_probeRisks;
    if (fit != NULL && error >= probeRisks[0])
        for (risk = 0; risk + 1 < grz_probeRisks && probeRisks[risk + 1] <= error;)
            ++risk;
    return risk;
}

// Whether a score of the stop ends the run.
static inline bool probeIsEnough(const grzProbeFit* fit, uint32_t risk, uint32_t stop, float score) {
    return risk != grz_probeRisks && (score < 0 ? -score : score) >= fit->limits[risk] - probeStopSlack[stop];
}

// 1 / (1 + exp(score)) for score >= 0, to 1e-5 of itself: how often an answer with this score should be wrong.
static inline float probeError(float score) {
    const float y = score < 80 ? 1.44269504F * score : 115.0F;
    const int whole = (int)y;
    const float x = 0.693147181F * (y - (float)whole);
    // exp(x) for x in [0, log 2)
    const float series =
        1 + x * (1 + x * (1.0F / 2) *
                         (1 + x * (1.0F / 3) *
                                  (1 + x * (1.0F / 4) *
                                           (1 + x * (1.0F / 5) * (1 + x * (1.0F / 6) * (1 + x * (1.0F / 7)))))));
    const uint32_t bits = (uint32_t)(whole + 127) << 23;
    float power;
    memcpy(&power, &bits, sizeof power);
    return 1 / (1 + power * series);
}

// Of an answer that is not certain: below 1, whatever the score says. `factor`: by how much it is too sure.
static inline float probeConfidence(float score, float factor) {
    const float error = factor * probeError(score < 0 ? -score : score), least = 0x1p-20F;
    return 1 - (error < least ? least : error < 0.5F ? error : 0.5F);
}

#endif
