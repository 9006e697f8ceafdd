// What: one query with a budget: when it stops, and what it answers then.
// Promise: as graze/stage/time_critical.h says. A certain answer is that of grzModels_Touch: boxes and
//   triangles are parted by the same tests.
// Idea: the kernel runs from stop to stop. What ends a run early (work, time) leaves the state as the stop before it
//   did, so that runs can be cut anywhere.
// Cost: beside the walk, 60 ns to begin, and 10 ns a stop.
// Based on: [Klein and Zachmann, Time-Critical Collision Detection Using an Average-Case Approach, VRST 2003] section
//   3.1: the traversal ends by an estimate. We differ: the estimate is a fitted score of the whole walk, not a
//   probability of each pair.
#include <math.h>

#include "clock.h"
#include "model_search.h"
#include "probe_state.h"
#include "result_make.h"

enum {
    UNIT_NANOSECONDS = 40,   // what a unit of work is taken for before any was timed, at least
    LEAF_UNITS = 8,          // what a pair of leaves takes, in boxes
    MOST_UNTIMED = 16,       // units between two looks at the clock
    END_NANOSECONDS = 30,    // from the last unit to the answer
    SLOW_NANOSECONDS = 4000, // an exact test of two triangles
};

// ------------------------------------------------------------------------------------------------------------ begin

grzResult grzProbeQuery_Check(const grzProbeQuery* query) {
    if (query == NULL || query->mark != PROBE_MARK || (query->fit != NULL && query->fit->mark != PROBE_FIT_MARK))
        return grzFail(grz_badDef, 0);
    if ((unsigned)query->method > grz_probePublished)
        return grzBecause(grzFail(grz_badArgument, 1), "method is no grzProbeMethod");
    const grzResult result = grzModelSearch_Check(&query->models);
    return grzResult_IsOk(result) ? grzModelSearch_RefuseMargin(&query->models) : result;
}

// That is used for B of such a size; NULL: none.
const grzProbeFit* grzProbeQuery_Fit(const grzProbeQuery* query, float size) {
    const grzProbeFit* fit = query->method == grz_probeFast ? query->fit : NULL;
    return fit != NULL && size >= 0.5F * fit->sizes[0] && size <= 2 * fit->sizes[1] ? fit : NULL;
}

bool grzProbeFit_IsOf(const grzProbeFit* fit, const grzModelQuery* models) {
    return fit != NULL && fit->revisions[0] == models->a->revision && fit->revisions[1] == models->b->revision;
}

grzResult grzProbeState_Begin(ProbeState* state, const grzProbeQuery* query) {
    grzResult result = grzProbeQuery_Check(query);
    if (!grzResult_IsOk(result))
        return result;
    const grzModelQuery* models = &query->models;
    grzModelQuery other;
    if (query->fit != NULL && query->method == grz_probeFast && models->axes != (grzModelAxes)query->fit->axes) {
        other = *models;
        other.axes = (grzModelAxes)query->fit->axes;
        models = &other;
    }
    ProbeWalk* walk = &state->walk;
    result = grzModelSearch_Relate(models, &walk->search);
    if (grzResult_IsOk(result))
        grzModelSearch_MakeAll(&walk->search);
    state->isPublished = query->method == grz_probePublished;
    if (grzResult_IsOk(result) && state->isPublished)
        result = grzAdbWalk_Begin(&state->adb, query);
    if (!grzResult_IsOk(result))
        return result;
    const grzProbeFit* fit = grzProbeQuery_Fit(query, walk->search.relation.into[0].size);
    state->run = GRZ_PICK_KERNEL(grzProbeWalk);
    state->poseA = models->poseA;
    state->fit = fit;
    state->isOwnFit = grzProbeFit_IsOf(fit, models);
    state->nextStop = 0;
    state->apart = fit != NULL ? grzProbe_Apart(models) : 0;
    state->score = 0;
    walk->stack.count = 0;
    memset(walk->stack.ratios, 0, GRZ_BVH_WIDTH * sizeof *walk->stack.ratios);
    walk->first = 0, walk->second = SIDE_BIT; // the boxes of all
    walk->ratio = walk->deepest = walk->openSum = 0;
    walk->voteAbove = fit != NULL ? fit->voteAbove : PROBE_MOST_RATIO;
    walk->votes = walk->work = walk->leafPairs = walk->undecided = 0;
    walk->end = grzModelSearch_HasTriangles(&walk->search) ? probeIsOpen : probeIsApart;
    return grzOk();
}

// ---------------------------------------------------------------------------------------------------------- answers

static grzProbeAnswer answerExactly(const ProbeState* state) {
    grzProbeAnswer answer = grzProbeState_Guess(state, state->walk.end == probeTouches, 1, true);
    answer.certainty = grz_exact;
    return answer;
}

static grzProbeAnswer answerByScore(const ProbeState* state, float score, float factor, bool isSure) {
    return grzProbeState_Guess(state, score >= 0, probeConfidence(score, factor), isSure);
}

// Where the budget ran out: by the score of the last stop; the first is before any work. Inputs of later steps do not go
// with its weights: walks go down both hierarchies in turns, so that inputs of odd and even steps differ.
static grzProbeAnswer answerSpent(const ProbeState* state) {
    const grzProbeFit* fit = state->fit;
    if (state->isPublished)
        return grzProbeState_AnswerPublished(state, false);
    if (fit == NULL)
        return answerByScore(state, 0, 1, false);
    return answerByScore(state, state->score, fit->spent[state->nextStop - 1], false);
}

// ------------------------------------------------------------------------------------------------------------- runs

// Counts a stop that was reached. Whether it ends the run.
static bool decide(ProbeState* state, uint32_t risk, grzProbeAnswer* answer) {
    const grzProbeFit* fit = state->fit;
    const uint32_t stop = state->nextStop;
    if (fit == NULL || stop == grz_probeStops || state->walk.work != probeStopWork[stop])
        return false;
    const ProbeInputs inputs = grzProbeState_Inputs(state);
    state->score = probeVotedScore(fit, state->walk.votes, probeScore(fit->weights[stop], &inputs));
    state->nextStop++;
    if (!probeIsEnough(fit, risk, stop, state->score))
        return false;
    *answer = answerByScore(state, state->score, fit->sure[risk], true);
    return true;
}

static uint32_t lesser(uint32_t a, uint32_t b) {
    return a < b ? a : b;
}

typedef struct Deadline {
    float nanoseconds; // of the budget; infinite: no clock is read
    uint64_t began;
    uint32_t seen; // work when the clock was read last
    float gone;    // nanoseconds then
    float unit;    // what a unit took lately
    bool isFirst;  // none was taken yet
} Deadline;

// What the next unit is likely to take, where a box takes `unit`.
static float costOfNext(const ProbeWalk* walk, float unit) {
    return isLeafPair(&walk->search, walk->first, walk->second) ? LEAF_UNITS * unit : unit;
}

// How many units may run before the clock is read again: there is time for them even if all are leaves. 0: time is
// over. A slow unit runs alone. The first unit of a run with any time is always taken, so that queries in runs with little
// time come to an end all the same.
static uint32_t untimedWork(const ProbeWalk* walk, Deadline* deadline) {
    if (!(deadline->nanoseconds < (float)INFINITY))
        return UINT32_MAX;
    const uint32_t units = walk->work - deadline->seen;
    const float gone = (float)(grzMonotonicNanoseconds() - deadline->began), left = deadline->nanoseconds - gone;
    const uint32_t least = deadline->isFirst && deadline->nanoseconds > 0 ? 1 : 0;
    // Units become slower on the way down, where caches do not hold the boxes.
    if (units != 0)
        deadline->unit = fmaxf(0.5F * (deadline->unit + (gone - deadline->gone) / (float)units), UNIT_NANOSECONDS);
    const float unit = deadline->unit;
    deadline->seen = walk->work, deadline->gone = gone, deadline->isFirst = false;
    if (grzProbeWalk_IsSlowNext(walk))
        return left > SLOW_NANOSECONDS ? 1 : least;
    const float spare = left - costOfNext(walk, unit) - END_NANOSECONDS;
    if (spare < 0)
        return least;
    return spare >= LEAF_UNITS * MOST_UNTIMED * unit ? MOST_UNTIMED : 1 + (uint32_t)(spare / (LEAF_UNITS * unit));
}

grzResult grzProbeState_Run(ProbeState* state, const grzProbeBudget* budget, uint64_t began,
                            grzProbeAnswer* answer) {
    ProbeWalk* walk = &state->walk;
    Deadline deadline = {1000 * budget->microseconds, began, walk->work, 0, UNIT_NANOSECONDS, true};
    const uint32_t most = UINT32_MAX - walk->work, last = walk->work + lesser(budget->work, most);
    const uint32_t risk = probeRisk(state->fit, budget->error);
    if (state->isPublished && !state->adb.isFinished) {
        bool isSpent;
        const grzResult result = grzProbeState_RunPublished(state, budget, began, last, &isSpent);
        if (!grzResult_IsOk(result))
            return result;
        if (isSpent || budget->error > 0) {
            *answer = grzProbeState_AnswerPublished(state, !isSpent);
            return result;
        }
    }
    while (walk->end == probeIsOpen) {
        if (decide(state, risk, answer))
            return grzOk();
        const uint32_t units = untimedWork(walk, &deadline);
        uint32_t to = walk->work + lesser(units, last - walk->work);
        if (state->fit != NULL && state->nextStop < grz_probeStops)
            to = lesser(to, probeStopWork[state->nextStop]);
        if (to <= walk->work) {
            *answer = answerSpent(state);
            return grzOk();
        }
        state->run(walk, to, units != UINT32_MAX && !grzProbeWalk_IsSlowNext(walk));
    }
    *answer = answerExactly(state);
    return grzOk();
}
