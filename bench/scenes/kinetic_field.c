// What: see kinetic_field.h.
#include "kinetic_field.h"

#include <string.h>

#include "bench_machine.h"
#include "bench_stats.h"
#include "graze/box_tree.h"
#include "graze/kinetic_tree.h"
#include "kinetic_scene.h"

enum {
    firstSecond = 12, // the spheres meet after 13
    lastSecond = 20,
};

// What turns at second f lies from starts[f] to starts[f + 1].
typedef struct Field {
    KineticScene scene;
    size_t starts[lastSecond + 2];
    uint32_t* vertices;
    float* velocities;
    float* firstVelocities;
} Field;

// ---- the scene ----

static void velocityAt(const Field* field, size_t second, size_t vertex, float velocity[3]) {
    const float* from = KineticScene_Frame(&field->scene, second) + 3 * vertex;
    const float* to = KineticScene_Frame(&field->scene, second + 1) + 3 * vertex;
    for (size_t axis = 0; axis < 3; ++axis)
        velocity[axis] = to[axis] - from[axis];
}

// Vertices move on their radii at one speed, out or back.
static bool turns(const Field* field, size_t second, size_t vertex) {
    float before[3], after[3];
    velocityAt(field, second - 1, vertex, before);
    velocityAt(field, second, vertex, after);
    return before[0] * after[0] + before[1] * after[1] + before[2] * after[2] < 0;
}

static size_t listTurns(Field* field, bool isFilled) {
    size_t count = 0;
    for (size_t second = 1; second <= lastSecond; ++second) {
        field->starts[second] = count;
        for (size_t v = 0; v < field->scene.vertexCount; ++v) {
            if (!turns(field, second, v))
                continue;
            if (isFilled) {
                field->vertices[count] = (uint32_t)v;
                velocityAt(field, second, v, field->velocities + 3 * count);
            }
            ++count;
        }
    }
    field->starts[lastSecond + 1] = count;
    return count;
}

static bool makeField(Bench* bench, size_t n, Field* field) {
    const SequenceDef def = {sequenceSpheres, n, lastSecond + 2};
    MeshData mesh = {0};
    SequenceData sequence = {0};
    memset(field, 0, sizeof *field);
    if (!KineticScene_Failed(bench, loadSequence(&def, NULL, bench->allocator, &mesh, &sequence)))
        KineticScene_MakeOf(bench, sequenceName(def.kind), &mesh, &sequence, 0, def.frames, 1, &field->scene);
    MeshData_Release(&mesh);
    SequenceData_Release(&sequence);
    if (bench->failed)
        return false;
    const size_t count = listTurns(field, false);
    field->vertices = Bench_Allocate(bench, count + 1, sizeof *field->vertices);
    field->velocities = Bench_Allocate(bench, 3 * count + 1, sizeof *field->velocities);
    field->firstVelocities = Bench_Allocate(bench, 3 * field->scene.vertexCount, sizeof *field->firstVelocities);
    if (bench->failed)
        return false;
    listTurns(field, true);
    for (size_t v = 0; v < field->scene.vertexCount; ++v)
        velocityAt(field, 0, v, field->firstVelocities + 3 * v);
    return true;
}

static void dropField(Bench* bench, Field* field) {
    const size_t count = field->starts[lastSecond + 1];
    Bench_Release(bench, field->vertices, count + 1, sizeof *field->vertices);
    Bench_Release(bench, field->velocities, 3 * count + 1, sizeof *field->velocities);
    Bench_Release(bench, field->firstVelocities, 3 * field->scene.vertexCount, sizeof *field->firstVelocities);
    KineticScene_Drop(bench, &field->scene);
}

// ---- a way ----

typedef struct FieldRun {
    Bench* bench;
    const Field* field;
    KineticFieldWay way;
    size_t framesPerSecond;
    grzFlightplan* plan;
    grzKineticTree* kinetic;
    grzBoxTree* boxes;
    grzBvhNode* nodes;
} FieldRun;

static bool failed(const FieldRun* run, grzResult result) {
    return KineticScene_Failed(run->bench, result);
}

static bool makePlan(FieldRun* run) {
    grzFlightplanDef def = grzDefaultFlightplanDef();
    def.kind = grz_planPaths;
    def.vertexCount = run->field->scene.vertexCount;
    def.positions = run->field->scene.frames;
    def.velocities = run->field->firstVelocities;
    return !failed(run, grzFlightplan_Create(&def, &run->plan));
}

static bool makeTree(FieldRun* run) {
    const KineticScene* scene = &run->field->scene;
    if (run->way == field_box) {
        grzBoxTreeDef def = grzDefaultBoxTreeDef();
        def.plan = run->plan, def.triangles = scene->triangles, def.triangleCount = scene->triangleCount;
        return !failed(run, grzBoxTree_Create(&def, &run->boxes));
    }
    grzKineticTreeDef def = grzDefaultKineticTreeDef();
    def.bvh = scene->bvh, def.plan = run->plan, def.numbering = grz_bvhTreesNumbers;
    def.order = run->way == field_ordered ? grz_kineticOrdered : grz_kineticBatched;
    return run->way == field_refit || !failed(run, grzKineticTree_Create(&def, &run->kinetic));
}

static void dropRun(FieldRun* run) {
    grzKineticTree_Destroy(run->kinetic);
    grzBoxTree_Destroy(run->boxes);
    grzFlightplan_Destroy(run->plan);
    Bench_Release(run->bench, run->nodes, grzBvh_GetView(run->field->scene.bvh).nodeCount, sizeof *run->nodes);
}

static void turnSome(FieldRun* run, size_t second) {
    const size_t from = run->field->starts[second], count = run->field->starts[second + 1] - from;
    const grzFlightplanChange change = {
        .vertices = run->field->vertices + from, .count = count, .velocities = run->field->velocities + 3 * from};
    if (run->way == field_box)
        failed(run, grzBoxTree_Change(run->boxes, (double)second, &change));
    else if (run->way != field_refit)
        failed(run, grzKineticTree_Change(run->kinetic, NULL, (double)second, &change));
}

static void goTo(FieldRun* run, size_t second, double part) {
    const double time = (double)second + part;
    if (run->way == field_box)
        failed(run, grzBoxTree_Advance(run->boxes, time));
    else if (run->way != field_refit)
        failed(run, grzKineticTree_Advance(run->kinetic, NULL, time));
    else {
        grzBvhRefit refit = grzDefaultBvhRefit();
        refit.positions = KineticScene_Frame(&run->field->scene, second + 1);
        failed(run, grzBvh_Refit(run->field->scene.bvh, NULL, &refit, run->nodes));
    }
}

// Nanoseconds. Up to the first second that is drawn, only what turns is told.
static double runField(FieldRun* run) {
    for (size_t second = 1; second < firstSecond && !run->bench->failed; ++second)
        turnSome(run, second);
    const uint64_t start = benchProcessorTime();
    for (size_t second = firstSecond; second < lastSecond; ++second) {
        turnSome(run, second);
        for (size_t k = 1; k <= run->framesPerSecond && !run->bench->failed; ++k)
            goTo(run, second, (double)k / (double)run->framesPerSecond);
    }
    return (double)(benchProcessorTime() - start);
}

// ---- outcomes ----

static uint64_t digestOf(const FieldRun* run) {
    const size_t count = grzBvh_GetView(run->field->scene.bvh).nodeCount * sizeof *run->nodes / sizeof(float);
    float* numbers = &run->nodes[0].lower[0][0];
    for (size_t i = 0; i < count; ++i)
        numbers[i] += 0.0F; // zeros of both signs are one
    return Bench_Digest(0, numbers, count * sizeof *numbers);
}

static bool endsAsARefit(FieldRun* run) {
    const size_t numbers = 3 * run->field->scene.vertexCount;
    float* positions = Bench_Allocate(run->bench, numbers, sizeof *positions);
    grzBvhRefit refit = grzDefaultBvhRefit();
    refit.positions = positions;
    bool isSame = false;
    if (positions != NULL && !failed(run, grzKineticTree_WriteBoxes(run->kinetic, NULL, run->nodes))) {
        const uint64_t ours = digestOf(run);
        isSame = !failed(run, grzFlightplan_Evaluate(run->plan, NULL, lastSecond, positions, 0)) &&
                 !failed(run, grzBvh_Refit(run->field->scene.bvh, NULL, &refit, run->nodes)) &&
                 digestOf(run) == ours;
    }
    Bench_Release(run->bench, positions, numbers, sizeof *positions);
    return isSame;
}

static bool isRight(FieldRun* run) {
    if (run->way == field_box)
        return grzBoxTree_Validate(run->boxes);
    return run->way == field_refit || (grzKineticTree_Validate(run->kinetic) && endsAsARefit(run));
}

// ---- all of it ----

static double measureWay(Bench* bench, const Field* field, KineticFieldWay way, size_t framesPerSecond,
                         bool* same) {
    FieldRun run = {.bench = bench, .field = field, .way = way, .framesPerSecond = framesPerSecond};
    double time = 0;
    run.nodes = Bench_Allocate(bench, grzBvh_GetView(field->scene.bvh).nodeCount, sizeof *run.nodes);
    if (!bench->failed && makePlan(&run) && makeTree(&run)) {
        time = runField(&run);
        *same = !bench->failed && isRight(&run) && *same;
    }
    dropRun(&run);
    return time;
}

static void measureField(Bench* bench, const Field* field, size_t framesPerSecond, size_t repeats,
                         KineticFieldTimes* times) {
    double samples[field_ways][field_mostRepeats];
    times->n = field->scene.triangleCount;
    times->frames = (lastSecond - firstSecond) * framesPerSecond;
    times->turns = field->starts[lastSecond] - field->starts[firstSecond];
    times->same = true;
    benchPin();
    for (size_t repeat = 0; repeat < repeats; ++repeat)
        for (size_t way = 0; way < field_ways && !bench->failed; ++way)
            samples[way][repeat] = measureWay(bench, field, (KineticFieldWay)way, framesPerSecond, &times->same);
    benchUnpin();
    for (size_t way = 0; way < field_ways && !bench->failed; ++way)
        times->times[way] = benchSpread(samples[way], repeats).median;
}

bool KineticFieldTimes_Measure(Bench* bench, size_t n, size_t framesPerSecond, size_t repeats,
                               KineticFieldTimes* times) {
    Field* field = Bench_Allocate(bench, 1, sizeof *field);
    memset(times, 0, sizeof *times);
    if (field == NULL)
        return false;
    if (makeField(bench, n, field))
        measureField(bench, field, framesPerSecond, repeats, times);
    dropField(bench, field);
    Bench_Release(bench, field, 1, sizeof *field);
    return !bench->failed;
}
