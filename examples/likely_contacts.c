// Two bumpy balls that roll over each other: whether they touch by the probabilities of ADB-trees, beside the exact answer, and then the
// exact answer of the same query, which goes on. Uses public headers only.
#include <graze/graze.h>
#include <graze/stage/time_critical.h>

#include <stdio.h>

#include "ring_model.h"

enum { rings = 40, sides = 60, queryCount = 100 };

static grzVec3 pointOn(uint32_t ring, uint32_t side) {
    float up = 3.1415927f * ((float)ring + 0.5f) / rings, around = 6.2831853f * (float)side / sides;
    float radius = 1 + 0.1f * grzCos(7 * up) * grzSin(5 * around);
    return grzVec3_Make(radius * grzSin(up) * grzCos(around), radius * grzSin(up) * grzSin(around),
                        radius * grzCos(up));
}

// From deep in each other to apart.
static grzProbeQuery queryAt(const grzModel* ball, const grzAdbTree* tree, int i) {
    grzProbeQuery query = grzDefaultProbeQuery();
    query.method = grz_probePublished;
    query.models.a = query.models.b = ball;
    query.models.poseB = grzTransform_FromQuat(grzQuat_FromAxisAngle(grzVec3_Make(0, 0, 1), 0.3f * (float)i),
                                               grzVec3_Make(1.7f + 0.006f * (float)i, 0.2f, 0));
    query.adb.a = query.adb.b = tree;
    return query;
}

typedef struct Tally {
    int touching, guessed, wrong;
} Tally;

// The guess of few steps, and then the same query to its end.
static grzResult ask(grzModelProbe* probe, const grzProbeQuery* query, Tally* tally) {
    grzProbeBudget some = grzUnlimitedProbeBudget(), all = some;
    grzProbeAnswer guess, answer;
    some.work = 2000, some.error = 0.1f;
    grzResult result = grzModelProbe_Begin(probe, query);
    if (grzResult_IsOk(result))
        result = grzModelProbe_Run(probe, &some, &guess);
    if (grzResult_IsOk(result))
        result = grzModelProbe_Run(probe, &all, &answer);
    if (!grzResult_IsOk(result))
        return result;
    tally->touching += answer.touches;
    tally->guessed += guess.certainty == grz_probable;
    tally->wrong += guess.touches != answer.touches;
    return result;
}

int main(void) {
    grzModel* ball = NULL;
    grzAdbTree* tree = NULL;
    grzModelProbe* probe = NULL;
    Tally tally = {0};
    char text[128];
    grzResult result = makeRingModel(rings, sides, pointOn, &ball);
    if (grzResult_IsOk(result)) {
        grzAdbTreeDef def = grzDefaultAdbTreeDef();
        def.model = ball;
        result = grzAdbTree_Create(&def, &tree);
    }
    if (grzResult_IsOk(result))
        result = grzModelProbe_Create((grzAllocator){0}, &probe);
    for (int i = 0; i < queryCount && grzResult_IsOk(result); ++i) {
        grzProbeQuery query = queryAt(ball, tree, i);
        result = ask(probe, &query, &tally);
    }
    grzModelProbe_Destroy(probe);
    grzAdbTree_Destroy(tree);
    grzModel_Destroy(ball);
    if (!grzResult_IsOk(result))
        return fprintf(stderr, "likely_contacts: %s\n", grzResult_Text(result, text, sizeof text)), 2;
    printf("%d of %d queries touch; %d were guessed, %d wrongly\n", tally.touching, queryCount, tally.guessed,
           tally.wrong);
    return tally.touching > 0 && tally.guessed > 0 && tally.wrong < queryCount / 4 ? 0 : 1;
}
