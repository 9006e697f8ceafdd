// A crowd of 200 meshes and 50 microseconds a frame: which pairs touch, those near the camera first, and how sure each answer is.
// Uses public headers only.
#include <graze/graze.h>
#include <graze/stage/time_critical.h>

#include <stdio.h>

#include "ring_model.h"

enum { meshCount = 200, pairCount = 400, frameCount = 20, rings = 24, sides = 12, fitCount = 1000 };

static grzVec3 g_places[meshCount];
static grzProbeQuery g_queries[pairCount];
static float g_importances[pairCount];
static grzProbeAnswer g_answers[pairCount];

// Of a vase, so that its boxes do not tell all.
static grzVec3 pointOn(uint32_t ring, uint32_t side) {
    float angle = 6.2831853f * (float)side / sides, height = 2.0f * (float)ring / (rings - 1) - 1.0f;
    float radius = 0.3f + 0.2f * grzCos(7 * height);
    return grzVec3_Make(radius * grzCos(angle), radius * grzSin(angle), height);
}

// Where mesh i stands in a frame: each turns about an axis of its own, in a square that drifts.
static grzTransform poseAt(int i, int frame) {
    grzVec3 axis = grzNormalize(grzVec3_Make((float)(i % 5) - 2, (float)(i % 3), 1 + (float)(i % 7)));
    grzVec3 drift = grzVec3_Make(grzSin(0.1f * (float)(frame + i)), grzCos(0.13f * (float)(frame - i)), 0);
    return grzTransform_FromQuat(grzQuat_FromAxisAngle(axis, 0.05f * (float)(frame * (i % 4 + 1))),
                                 grzAdd(g_places[i], grzScale(drift, 0.3f)));
}

// Pair k: a mesh, and the next one of its row or its column.
static grzModelQuery pairAt(const grzModel* model, int k, int frame) {
    grzModelQuery query = grzDefaultModelQuery();
    int first = k / 2, second = (first + (k % 2 == 0 ? 1 : 20)) % meshCount;
    query.a = query.b = model;
    query.poseA = poseAt(first, frame), query.poseB = poseAt(second, frame);
    return query;
}

static grzResult makeFit(const grzModel* model, grzProbeFit* fit) {
    static grzModelQuery queries[fitCount];
    for (int i = 0; i < fitCount; ++i)
        queries[i] = pairAt(model, i % pairCount, 100 + i);
    return grzProbeFit_Make(NULL, queries, fitCount, (grzAllocator){0}, fit);
}

// As a host keeps it in a file from run to run.
static grzResult saveAndLoad(const grzModel* model, grzProbeFit* fit) {
    double numbers[grz_probeFitNumbers];
    grzResult result = grzProbeFit_Save(fit, model, model, numbers);
    return grzResult_IsOk(result) ? grzProbeFit_Load(numbers, model, model, fit) : result;
}

static grzResult run(grzModel* model, grzProbeScheduler* scheduler) {
    grzProbeFit fit;
    grzResult result = makeFit(model, &fit);
    if (grzResult_IsOk(result))
        result = saveAndLoad(model, &fit);
    grzProbeBudget budget = grzUnlimitedProbeBudget();
    budget.microseconds = 50, budget.error = 0.01f;
    for (int frame = 0; frame < frameCount && grzResult_IsOk(result); ++frame) {
        int touching = 0, sure = 0;
        for (int k = 0; k < pairCount; ++k) {
            g_queries[k] = grzDefaultProbeQuery();
            g_queries[k].models = pairAt(model, k, frame);
            g_queries[k].fit = &fit;
            g_importances[k] = 1 / (1 + grzLength(g_places[k / 2])); // the camera is at the origin
        }
        result = grzProbeScheduler_Run(scheduler, NULL, g_queries, g_importances, pairCount, &budget, g_answers);
        for (int k = 0; k < pairCount; ++k)
            touching += g_answers[k].touches, sure += g_answers[k].isSure;
        printf("frame %2d: %3d of %d pairs touch, sure of %d; the first with %.3f\n", frame, touching, pairCount,
               sure, (double)g_answers[0].confidence);
    }
    return result;
}

int main(void) {
    grzModel* model = NULL;
    grzProbeScheduler* scheduler = NULL;
    for (int i = 0; i < meshCount; ++i)
        g_places[i] = grzVec3_Make(1.4f * (float)(i % 20), 1.4f * (float)(i / 20), 0);
    grzResult result = makeRingModel(rings, sides, pointOn, &model);
    if (grzResult_IsOk(result))
        result = grzProbeScheduler_Create((grzAllocator){0}, &scheduler);
    if (grzResult_IsOk(result))
        result = run(model, scheduler);
    grzProbeScheduler_Destroy(scheduler);
    grzModel_Destroy(model);
    return grzResult_IsOk(result) ? 0 : 1;
}
