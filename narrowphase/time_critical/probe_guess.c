// What: the answer before any work, for queries that may never be begun.
// Idea: to begin a query takes 100 ns, of which most is the relation of its poses. Ordinary poses are seen to be ordinary in a few;
//   then the score before any work is the answer, by the distance of the models. All others are begun and forgotten: some are
//   refused, and those whose B has another size than in the queries of the fit have confidence 1/2.
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

// One of a source may have to be made before its box can be read.
static bool isPlainModel(const grzModel* model) {
    const grzVec3 most = grzMax(grzAbs(model->box.lower), grzAbs(model->box.upper));
    return model->chunks == NULL && model->leafCount != 0 && most.x <= PLAIN_REACH && most.y <= PLAIN_REACH &&
           most.z <= PLAIN_REACH;
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

static grzResult beginAndForget(const grzProbeQuery* query, float error, grzProbeAnswer* answer) {
    ProbeState state;
    const grzProbeBudget none = {0, (float)INFINITY, error};
    grzProbeState_Init(&state, (grzAllocator){NULL, NULL, NULL});
    const grzResult result = grzProbeState_Begin(&state, query);
    return grzResult_IsOk(result) ? grzProbeState_Run(&state, &none, 0, answer) : result;
}

// ---- the score before any work ----

#define MOST_APART 64.0F

// The box of all in the common frame: its centre, and the sum of the squares of its edges.
typedef struct Placed {
    grzVec3 center;
    float sizeSq;
} Placed;

static Placed place(const grzModel* model, const grzTransform* pose) {
    const grzVec3 edges = grzSub(model->box.upper, model->box.lower);
    const grzMat3* basis = &pose->basis;
    return (Placed){grzTransform_Apply(*pose, grzScale(grzAdd(model->box.lower, model->box.upper), 0.5F)),
                    (edges.x * edges.x * grzLengthSq(basis->x) + edges.y * edges.y * grzLengthSq(basis->y)) +
                        edges.z * edges.z * grzLengthSq(basis->z)};
}

float grzProbe_Apart(const grzModelQuery* query) {
    const Placed a = place(query->a, &query->poseA), b = place(query->b, &query->poseB);
    const float ratio = sqrtf(grzDistanceSq(a.center, b.center) / (a.sizeSq + b.sizeSq));
    return ratio <= MOST_APART ? ratio : MOST_APART; // NaNs too
}

// What a begun query answers at its first stop. False where Begin might refuse the query.
static bool fillPlain(const grzProbeQuery* query, float error, grzProbeAnswer* answer) {
    const grzModelQuery* models = &query->models;
    float size;
    if (query->method != grz_probeFast || !isPlain(models, &size))
        return false;
    const grzProbeFit* fit = grzProbeQuery_Fit(query, size);
    const ProbeInputs inputs = {{1, fit != NULL ? grzProbe_Apart(models) : 0}};
    const float score = fit != NULL ? probeVotedScore(fit, 0, probeScore(fit->weights[0], &inputs)) : 0;
    const uint32_t risk = probeRisk(fit, error);
    answer->isSure = probeIsEnough(fit, risk, 0, score);
    answer->touches = score >= 0;
    answer->isOwnFit = grzProbeFit_IsOf(fit, models);
    answer->certainty = grz_probable;
    answer->confidence = probeConfidence(score, answer->isSure ? fit->sure[risk] : fit != NULL ? fit->spent[0] : 1);
    return true;
}

grzResult grzProbeQuery_Guess(const grzProbeQuery* query, float error, grzProbeAnswer* answer) {
    memset(answer, 0, sizeof *answer);
    const grzResult result = grzProbeQuery_Check(query);
    if (!grzResult_IsOk(result) || fillPlain(query, error, answer))
        return result;
    return beginAndForget(query, error, answer);
}

bool grzProbeQuery_EndsAtOnce(const grzProbeQuery* query, const grzProbeBudget* budget, grzProbeAnswer* answer) {
    const bool mayEnd = budget->error >= probeRisks[0] && grzResult_IsOk(grzProbeQuery_Check(query)) &&
                        query->fit != NULL && fillPlain(query, budget->error, answer) && answer->isSure;
    if (!mayEnd)
        memset(answer, 0, sizeof *answer);
    return mayEnd;
}
