// What: times what must not grow with the number of bodies that stand: steps, adding a body and removing one; and adding all at once.
//
// A field of n boxes, half a box apart, and 200 that fall on it and come to rest, all made by one call. Rows: adding each of the n;
// their bytes; a step while the 200 fall and when they rest; adding and removing one more standing box; a step after each such change.
#include "step_standing.h"

#include <math.h>

#include "graze/body.h"
#include "memory.h"

enum { movers = 200, fallSteps = 60, changeCount = 200 };

typedef struct Field {
    Bench* bench;
    grzWorld* world;
    size_t count; // of those that stand
    grzBodyDef* defs;
    grzBodyId* ids;
    grzBodyId extra; // null: it is not there
    uint64_t stepsBefore;
    bool failed;
} Field;

static void note(Field* field, grzResult result) {
    field->failed |= !grzResult_IsOk(result);
}

static size_t sideOf(const Field* field) {
    return (size_t)ceil(sqrt((double)field->count));
}

static grzBodyDef defOf(const Field* field, size_t i) {
    const size_t side = sideOf(field), stands = i < field->count;
    const size_t at = stands != 0 ? i : (i - field->count) * (field->count / movers);
    grzBodyDef def = grzDefaultBodyDef();
    def.kind = stands != 0 ? grz_staticBody : grz_dynamicBody;
    def.shape = grzMakeBox(grzVec3_Zero(), grzVec3_Splat(0.5f));
    def.origin = grzVec3_Make(1.5f * (float)(at % side), stands != 0 ? 0.0f : 1.5f, 1.5f * (float)(at / side));
    return def;
}

static void clearWorld(void* context) {
    Field* field = context;
    grzWorld_Destroy(field->world);
    const grzWorldDef def = grzDefaultWorldDef();
    note(field, grzWorld_Create(&def, &field->world));
}

static void addAll(void* context) {
    Field* field = context;
    note(field, grzWorld_AddBodies(field->world, field->defs, (uint32_t)(field->count + movers), field->ids));
}

static uint64_t digestWorld(void* context) {
    const uint64_t hash = grzWorld_HashState(((const Field*)context)->world);
    return Bench_Digest(0, &hash, sizeof hash);
}

static bool hasAll(void* context) {
    const Field* field = context;
    return !field->failed && grzWorld_GetStats(field->world).bodyCount == field->count + movers;
}

// ---- one more ----

static void removeExtra(void* context) {
    Field* field = context;
    if (field->extra.index1 != 0)
        note(field, grzWorld_RemoveBody(field->world, field->extra));
    field->extra = (grzBodyId){0, 0};
}

static void addExtra(void* context) {
    Field* field = context;
    grzBodyDef def = defOf(field, field->count / 3);
    def.origin.y = 2.0f;
    if (field->extra.index1 == 0)
        note(field, grzWorld_AddBody(field->world, &def, &field->extra));
}

static uint64_t digestExtra(void* context) {
    const bool isThere = ((const Field*)context)->extra.index1 != 0;
    return Bench_Digest(0, &isThere, sizeof isThere);
}

static bool isSound(void* context) {
    return !((const Field*)context)->failed;
}

// ---- steps ----

static void noteSteps(void* context) {
    Field* field = context;
    field->stepsBefore = grzWorld_StepCount(field->world);
}

static void stepField(void* context) {
    Field* field = context;
    note(field, grzWorld_Step(field->world, 1.0f / 60));
}

static uint64_t digestSteps(void* context) {
    const Field* field = context;
    const uint64_t steps = grzWorld_StepCount(field->world) - field->stepsBefore;
    return Bench_Digest(0, &steps, sizeof steps);
}

static bool hasStepped(void* context) {
    const Field* field = context;
    return !field->failed && grzWorld_StepCount(field->world) == field->stepsBefore + 1;
}

// Each of those that move rests on the box below it.
static bool allRest(void* context) {
    Field* field = context;
    const grzWorldStats stats = grzWorld_GetStats(field->world);
    return !field->failed && stats.contacts == 4 * movers && stats.bodyPairs == movers;
}

static void changeAndNote(void* context) {
    Field* field = context;
    if (field->extra.index1 != 0)
        removeExtra(field);
    else
        addExtra(field);
    noteSteps(field);
}

static void measure(Field* field, const char* metric, const BenchSide* side, double amount, const char* unit) {
    Bench_Measure(field->bench, &(BenchJob){.metric = metric,
                                            .unit = unit,
                                            .amount = amount,
                                            .n = field->count,
                                            .workers = 1,
                                            .sides = side,
                                            .sideCount = 1});
}

static void measureFall(Field* field) {
    const BenchSide side = {"graze", noteSteps, stepField, digestSteps, hasStepped, field, NULL};
    const BenchFrames frames = {noteSteps, field, fallSteps, NULL, fallSteps / 2};
    Bench_MeasureFrames(field->bench,
                        &(BenchJob){.metric = "step, falling",
                                    .unit = "ns",
                                    .amount = 1,
                                    .n = field->count,
                                    .workers = 1,
                                    .sides = &side,
                                    .sideCount = 1},
                        &frames);
}

static void measureField(Field* field) {
    const BenchSide add = {"graze", clearWorld, addAll, digestWorld, hasAll, field, NULL};
    measure(field, "add-many", &add, (double)(field->count + movers), "ns/body");
    Bench_Count(field->bench,
                &(BenchCounter){.metric = "memory",
                                .unit = "bytes/body",
                                .value = (double)grzWorld_GetStats(field->world).memoryBytes / (double)field->count,
                                .n = field->count,
                                .workers = 1,
                                .same = hasAll(field)});
    measureFall(field);
    for (int i = 0; i < 300; ++i)
        stepField(field);
    const BenchSide rest = {"graze", noteSteps, stepField, digestSteps, allRest, field, NULL};
    measure(field, "step, at rest", &rest, 1, "ns");
    const BenchSide addOne = {"graze", removeExtra, addExtra, digestExtra, isSound, field, NULL};
    measure(field, "add-one", &addOne, 1, "ns");
    const BenchSide removeOne = {"graze", addExtra, removeExtra, digestExtra, isSound, field, NULL};
    measure(field, "remove-one", &removeOne, 1, "ns");
    const BenchSide change = {"graze", changeAndNote, stepField, digestSteps, allRest, field, NULL};
    measure(field, "step, after a change", &change, 1, "ns");
    if (field->failed)
        Bench_Fail(field->bench, "step: a call of the case standing was refused");
}

void standingCase(Bench* bench) {
    Field field = {.bench = bench, .count = Bench_Size(bench, 1000000, 10000)};
    const size_t all = field.count + movers;
    field.defs = Bench_Allocate(bench, all, sizeof *field.defs);
    field.ids = Bench_Allocate(bench, all, sizeof *field.ids);
    if (field.count < movers)
        Bench_Fail(bench, "step: the case standing takes 200 bodies or more");
    if (!bench->failed) {
        for (size_t i = 0; i < all; ++i)
            field.defs[i] = defOf(&field, i);
        measureField(&field);
    }
    grzWorld_Destroy(field.world);
    Bench_Release(bench, field.defs, all, sizeof *field.defs);
    Bench_Release(bench, field.ids, all, sizeof *field.ids);
}
