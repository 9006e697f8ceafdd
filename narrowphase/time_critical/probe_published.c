// What: the published method behind the interface of queries with budgets: how far a run goes, and what it answers.
// Idea: the estimate of a walk that is not finished is that of the likeliest pair that waits. It is a lower bound, so that a
//   small one says nothing: then the confidence is 1/2. Of a walk that is finished the paper's answer stands, with the
//   probability of the likeliest pair, or of the likeliest pair of leaves that was not enough.
// Threads: a query belongs to one.
#include <math.h>

#include "clock.h"
#include "probe_state.h"

#define MOST_CONFIDENCE (1 - 0x1p-20F) // probabilities may be 1, but are estimates

// For one unit more, if it takes as long as those of this run.
static bool hasTime(const grzProbeBudget* budget, uint64_t began, uint32_t done) {
    if (!(budget->microseconds < (float)INFINITY))
        return true;
    if (done == 0)
        return budget->microseconds > 0;
    const double gone = (double)(grzMonotonicNanoseconds() - began);
    return gone + gone / done <= 1000 * (double)budget->microseconds;
}

grzResult grzProbeState_RunPublished(ProbeState* state, const grzProbeBudget* budget, uint64_t began, uint32_t last,
                                     bool* isSpent) {
    uint32_t* work = &state->walk.work;
    const uint32_t first = *work;
    *isSpent = false;
    while (!state->adb.isFinished) {
        *isSpent = *work == last || !hasTime(budget, began, *work - first);
        if (*isSpent)
            return grzOk();
        const grzResult result = grzAdbWalk_Continue(&state->adb, 1);
        if (!grzResult_IsOk(result))
            return result;
        ++*work;
    }
    return grzOk();
}

grzProbeAnswer grzProbeState_AnswerPublished(const ProbeState* state, bool isSure) {
    const AdbWalk* walk = &state->adb;
    const double estimate = grzAdbWalk_Estimate(walk);
    const bool touches = walk->isFinished ? walk->touches : estimate >= 0.5;
    float confidence = 0.5F;
    if (estimate >= 0 && (touches || walk->isFinished))
        confidence = fmaxf(confidence, (float)(touches ? estimate : 1 - estimate));
    return grzProbeState_Guess(state, touches, fminf(confidence, MOST_CONFIDENCE), isSure);
}
