// What: the answer before any work, for queries that may never be begun.
// Idea: to begin a query takes 60 ns, of which most is the relation of its poses. Ordinary poses are seen to be ordinary in a few;
//   then the prior of the fit is the answer. All others are begun and forgotten: some are refused, and those whose B has another
//   size than in the queries of the fit have confidence 1/2.
// Holds: of ordinary poses the numbers of a relation stay below 1e12, so that such a query is never refused later.
// Threads: pure.
#include <math.h>

#include "model_search.h"
#include "probe_state.h"

#define PLAIN_SCALE 1e2F
#define PLAIN_REACH 1e4F

// Whether a pose is a similarity of an ordinary scale and place; sets the square of the scale. False for NaNs.
static bool isPlainPose(const grzTransform* pose, float* square) {
    const grzMat3* m = &pose->basis;
    const float x = *square = grzDot(m->x, m->x), most = 1e-4F * x;
    const grzVec3 at = grzAbs(pose->origin);
    return x >= 1 / (PLAIN_SCALE * PLAIN_SCALE) && x <= PLAIN_SCALE * PLAIN_SCALE &&
           fabsf(grzDot(m->y, m->y) - x) <= most && fabsf(grzDot(m->z, m->z) - x) <= most &&
           fabsf(grzDot(m->x, m->y)) <= most && fabsf(grzDot(m->y, m->z)) <= most &&
           fabsf(grzDot(m->z, m->x)) <= most && at.x <= PLAIN_REACH && at.y <= PLAIN_REACH && at.z <= PLAIN_REACH;
}

static bool isPlainModel(const grzModel* model) {
    const grzVec3 most = grzMax(grzAbs(model->box.lower), grzAbs(model->box.upper));
    return model->leafCount != 0 && most.x <= PLAIN_REACH && most.y <= PLAIN_REACH && most.z <= PLAIN_REACH;
}

// Also sets how large B is beside A.
static bool isPlain(const grzModelQuery* models, float* size) {
    float squares[2];
    if (!isPlainModel(models->a) || !isPlainModel(models->b) || !isPlainPose(&models->poseA, &squares[0]) ||
        !isPlainPose(&models->poseB, &squares[1]))
        return false;
    *size = sqrtf(squares[1] / squares[0]);
    return true;
}

static grzResult beginAndForget(const grzProbeQuery* query, grzProbeAnswer* answer) {
    ProbeState state;
    const grzProbeBudget none = {0, (float)INFINITY, 0};
    grzProbeState_Init(&state, (grzAllocator){NULL, NULL, NULL});
    const grzResult result = grzProbeState_Begin(&state, query);
    return grzResult_IsOk(result) ? grzProbeState_Run(&state, &none, 0, answer) : result;
}

grzResult grzProbeQuery_Guess(const grzProbeQuery* query, grzProbeAnswer* answer) {
    float size;
    memset(answer, 0, sizeof *answer);
    const grzResult result = grzProbeQuery_Check(query);
    if (!grzResult_IsOk(result))
        return result;
    if (query->method != grz_probeFast || !isPlain(&query->models, &size))
        return beginAndForget(query, answer);
    const grzProbeFit* fit = grzProbeQuery_Fit(query, size);
    const float score = fit != NULL ? fit->prior : 0;
    answer->touches = score >= 0;
    answer->isOwnFit = grzProbeFit_IsOf(fit, &query->models);
    answer->certainty = grz_probable;
    answer->confidence = probeConfidence(score, 1);
    return grzOk();
}
