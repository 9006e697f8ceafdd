// What: see pipeline_world.h. A large mesh alone and beside others is the stage's "step" (step_keyframed.c).
// Idea: a square field of tori, each of which stands clear of its neighbours or cuts them, waves from keyframe to keyframe. The same steps are timed with the
//   upkeep's choice and with refits alone; and on two workers beside one, as is plain arithmetic, which tells what the cores give.
// Holds: the outcome is the state and the contacts after the last step. Both sides of a job come to the same bytes.
#include "pipeline_world.h"

#include <stdio.h>
#include <string.h>

#include "graze/graze.h"
#include "plain_arithmetic.h"
#include "shapes.h"
#include "step_keyframed.h"

enum { MOST_SIDE = 8, FRAMES = 3, SUMS = 1 << 13, GRAIN = 64 };

static const double stepTime = 1.0 / 64;

typedef struct Field {
    Bench* bench;
    size_t side, perInterval; // side * side meshes
    bool areMeeting;
    MeshData data;    // of one
    float* positions; // of one, at a frame
    grzMesh* meshes[MOST_SIDE * MOST_SIDE];
} Field;

typedef struct FieldSide {
    const Field* field;
    uint32_t ways, workers;
    grzTasks* tasks;
    grzWorld* world;
    uint64_t outcome;
    grzResult result;
} FieldSide;

static void keep(FieldSide* side, grzResult result) {
    if (grzResult_IsOk(side->result))
        side->result = result;
}

static void fail(Bench* bench, grzResult result) {
    char text[160];
    Bench_Fail(bench, "pipeline: %s", grzResult_Text(result, text, sizeof text));
}

// ---- the meshes ----

static size_t meshCount(const Field* field) {
    return field->side * field->side;
}

// Of a mesh at a frame.
static const float* placeAt(const Field* field, size_t mesh, size_t frame) {
    const float apart = field->areMeeting ? 1.96F : 2.3F; // they measure 2
    const float x = apart * (float)(mesh % field->side), z = apart * (float)(mesh / field->side);
    const float phase = 0.9F * (float)frame + 0.3F * (float)mesh;
    const float* from = field->data.positions;
    for (size_t i = 0; i < 3 * field->data.vertexCount; i += 3) {
        field->positions[i] = from[i] + x + 0.03F * grzSin(5 * from[i + 2] + phase);
        field->positions[i + 1] = from[i + 1] + 0.05F * grzSin(6 * from[i] + phase);
        field->positions[i + 2] = from[i + 2] + z + 0.03F * grzCos(5 * from[i + 1] - phase);
    }
    return field->positions;
}

static bool makeField(Bench* bench, size_t triangles, size_t side, bool areMeeting, Field* field) {
    memset(field, 0, sizeof *field);
    field->bench = bench, field->side = side, field->areMeeting = areMeeting;
    grzResult result = makeShape(shapeTorus, triangles, bench->allocator, &field->data);
    if (grzResult_IsOk(result))
        field->positions = Bench_Allocate(bench, 3 * field->data.vertexCount, sizeof(float));
    for (size_t i = 0; i < meshCount(field) && field->positions != NULL && grzResult_IsOk(result); ++i) {
        grzMeshDef def = MeshData_Def(&field->data);
        def.positions = placeAt(field, i, 0);
        result = grzMesh_Create(&def, &field->meshes[i]);
    }
    if (!grzResult_IsOk(result))
        fail(bench, result);
    return !bench->failed;
}

static void dropField(Field* field) {
    for (size_t i = 0; i < meshCount(field); ++i)
        grzMesh_Destroy(field->meshes[i]);
    Bench_Release(field->bench, field->positions, 3 * field->data.vertexCount, sizeof(float));
    MeshData_Release(&field->data);
}

// ---- a side ----

static void addMesh(FieldSide* side, size_t mesh) {
    const Field* field = side->field;
    grzAnimatedDef def = grzDefaultAnimatedDef();
    grzBodyId id = {0};
    def.mesh = field->meshes[mesh], def.ways = side->ways;
    keep(side, grzWorld_AddAnimated(side->world, &def, &id));
    for (size_t f = 1; f <= FRAMES && grzResult_IsOk(side->result); ++f)
        keep(side, grzWorld_AddKeyframe(side->world, id, (double)(f * field->perInterval) * stepTime,
                                        placeAt(field, mesh, f)));
}

static void dropWorld(FieldSide* side) {
    grzWorld_Destroy(side->world);
    grzTasks_Destroy(side->tasks);
    side->world = NULL, side->tasks = NULL;
}

static void prepareWorld(void* context) {
    FieldSide* side = context;
    grzTasksDef tasks = grzDefaultTasksDef();
    grzWorldDef def = grzDefaultWorldDef();
    dropWorld(side);
    side->outcome = 0;
    tasks.workerCount = side->workers;
    if (side->workers > 1)
        keep(side, grzTasks_Create(&tasks, &side->tasks));
    def.tasks = side->tasks;
    if (grzResult_IsOk(side->result))
        keep(side, grzWorld_Create(&def, &side->world));
    for (size_t i = 0; i < meshCount(side->field) && grzResult_IsOk(side->result); ++i)
        addMesh(side, i);
    if (grzResult_IsOk(side->result)) // what is made once
        keep(side, grzWorld_Step(side->world, (float)stepTime));
}

static size_t stepCount(const Field* field) {
    return (FRAMES - 1) * field->perInterval;
}

static void runWorld(void* context) {
    FieldSide* side = context;
    for (size_t i = 0; i < stepCount(side->field) && grzResult_IsOk(side->result); ++i)
        keep(side, grzWorld_Step(side->world, (float)stepTime));
    side->outcome = 1;
}

static uint64_t digestWorld(void* context) {
    FieldSide* side = context;
    if (side->outcome == 0 || !grzResult_IsOk(side->result) ||
        (grzWorld_GetContacts(side->world).contactCount != 0) != side->field->areMeeting)
        return 0;
    const uint64_t hashes[2] = {grzWorld_HashState(side->world), grzWorld_HashContacts(side->world)};
    return Bench_Digest(1, hashes, sizeof hashes);
}

// ---- rows ----

static void measureSides(Field* field, const char* metric, FieldSide* ours, FieldSide* theirs, const char* peer) {
    Bench* bench = field->bench;
    char variant[64];
    snprintf(variant, sizeof variant, "%zu meshes%s, l=%zu", meshCount(field),
             field->areMeeting ? " that meet" : "", field->perInterval);
    const BenchSide sides[2] = {{"world", prepareWorld, runWorld, digestWorld, NULL, ours, NULL},
                                {peer, prepareWorld, runWorld, digestWorld, NULL, theirs, NULL}};
    const BenchJob job = {.variant = variant,
                          .metric = metric,
                          .unit = "us",
                          .amount = 1e3 * (double)stepCount(field),
                          .n = meshCount(field) * field->data.triangleCount,
                          .workers = ours->workers,
                          .sides = sides,
                          .sideCount = 2};
    Bench_Measure(bench, &job);
    const grzResult result = grzResult_IsOk(ours->result) ? theirs->result : ours->result;
    if (!bench->failed && !grzResult_IsOk(result))
        fail(bench, result);
    dropWorld(ours), dropWorld(theirs);
}

static void measureRefits(Field* field) {
    FieldSide ours = {.field = field, .workers = 1}, refits = ours;
    refits.ways = GRZ_UPKEEP_BIT(grz_upkeepRefit);
    measureSides(field, "step", &ours, &refits, "refit alone");
}

static void measureWorkers(Field* field) {
    FieldSide ours = {.field = field, .workers = 2}, one = {.field = field, .workers = 1};
    measureSides(field, "step, two workers", &ours, &one, "one worker");
}

// ---- arithmetic ----

typedef struct SumSide {
    grzTasks* tasks;
    uint64_t* sums;
} SumSide;

static void runSums(void* context) {
    const SumSide* side = context;
    PlainArithmetic_Run(side->tasks, side->sums, SUMS, GRAIN);
}

static void clearSums(void* context) {
    const SumSide* side = context;
    memset(side->sums, 0, SUMS * sizeof *side->sums);
}

static uint64_t digestSums(void* context) {
    const SumSide* side = context;
    return PlainArithmetic_IsDone(side->sums, SUMS) ? Bench_Digest(1, side->sums, SUMS * sizeof *side->sums) : 0;
}

static void measureArithmetic(Bench* bench) {
    grzTasksDef def = grzDefaultTasksDef();
    SumSide two = {.sums = Bench_Allocate(bench, SUMS, sizeof(uint64_t))}, one = {.sums = two.sums};
    def.workerCount = 2;
    const grzResult result = grzTasks_Create(&def, &two.tasks);
    if (!grzResult_IsOk(result))
        fail(bench, result);
    const BenchSide sides[2] = {{"loop", NULL, runSums, digestSums, NULL, &two, clearSums},
                                {"one worker", NULL, runSums, digestSums, NULL, &one, clearSums}};
    const BenchJob job = {.variant = "plain arithmetic",
                          .metric = "loop, two workers",
                          .unit = "us",
                          .amount = 1e3,
                          .n = SUMS,
                          .workers = 2,
                          .sides = sides,
                          .sideCount = 2};
    if (!bench->failed)
        Bench_Measure(bench, &job);
    grzTasks_Destroy(two.tasks);
    Bench_Release(bench, two.sums, SUMS, sizeof(uint64_t));
}

static void measureField(Bench* bench, bool areMeeting) {
    static const size_t rates[] = {10, 30};
    const bool isQuick = bench->options->quick;
    Field field;
    if (makeField(bench, isQuick ? 128 : 1024, isQuick ? 2 : MOST_SIDE, areMeeting, &field))
        for (size_t i = 0; i < (isQuick ? 1 : 2) && !bench->failed; ++i) {
            field.perInterval = rates[i];
            measureRefits(&field);
            if (!bench->failed && i == 0)
                measureWorkers(&field);
        }
    dropField(&field);
}

void benchPipelineWorld(Bench* bench) {
    benchStepKeyframed(bench);
    for (int i = 0; i < 2 && !bench->failed; ++i)
        measureField(bench, i == 1);
    if (!bench->failed)
        measureArithmetic(bench);
}
