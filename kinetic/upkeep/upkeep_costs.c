// What: the constants of graze/upkeep.h: the default ones, and measured.
// Idea: sheets of triangles, one that the nearest cache holds with all its trees, and one that it does not. On each of them every
//   way does what it does in earnest, and is timed; what disturbs a machine only ever adds to a time, so that the least of
//   several repeats is taken. To make a batched tree takes hundreds of refits, so that its large sheet is a smaller one.
// Limits: one mesh stands for all. What is read at random there is near in memory, as in the order of any good mesh.
#include <math.h>
#include <string.h>

#include "bvh_parts.h"
#include "check.h"
#include "clock.h"
#include "graze/chord_tree.h"
#include "graze/kinetic_tree.h"
#include "graze/upkeep.h"
#include "memory.h"

enum {
    SMALL_SIDE = 24,   // vertices a side: about 1,000 triangles
    BATCHED_SIDE = 56, // about 6,000
    LARGE_SIDE = 160,  // about 50,000
    FRAMES = 3,
    MOVING_FRAMES = 6, // the first ones again after the last
    STILL_FRAMES = 8,
    STEPS = 10, // over an interval
    APART = 16, // of so many vertices one changes
    REPEATS = 5,
};

grzUpkeepCosts grzDefaultUpkeepCosts(void) {
    return (grzUpkeepCosts){
        .triangles = {1058, 50562},
        .batchedTriangles = {1058, 6050},
        .refit = {1.6, 1.35},
        .evaluateFrames = {0.77, 0.7},
        .evaluatePaths = {9.3, 9.3},
        .chordRefit = {2.3, 1.5},
        .chordWrite = {0.23, 0.23},
        .chordCopy = {0.095, 0.15},
        .batchedMake = {550, 550},
        .batchedKeyframe = {3.4, 2.8},
        .batchedRepair = {245, 310},
        .batchedWrite = {5.7, 5.6},
    };
}

// ---- a sheet, and all that can be done with it ----

typedef struct Sheet {
    grzAllocator allocator;
    uint32_t side, vertexCount, triangleCount, nodeCount, changedCount;
    float* numbers; // the frames, velocities, positions
    float *frames[FRAMES], *velocities, *positions;
    uint32_t *triangles, *changed;
    grzBvhNode* nodes;
    grzBvh* bvh;
    grzFlightplan *moving, *still, *paths;
    grzChordTree* chord;
    grzKineticTree *kinetic, *resting, *free;
    int passed;    // keyframes of `still`
    double moment; // of `paths`
} Sheet;

static bool takeArrays(Sheet* sheet) {
    const grzAllocator* allocator = &sheet->allocator;
    const size_t count = 3 * (size_t)sheet->vertexCount;
    sheet->numbers = grzAllocate(allocator, count * (FRAMES + 2), sizeof(float), 64);
    sheet->triangles = grzAllocate(allocator, 3 * (size_t)sheet->triangleCount, sizeof(uint32_t), 64);
    sheet->changed = grzAllocate(allocator, sheet->changedCount, sizeof(uint32_t), 64);
    if (sheet->numbers == NULL || sheet->triangles == NULL || sheet->changed == NULL)
        return false;
    for (int f = 0; f < FRAMES; ++f)
        sheet->frames[f] = sheet->numbers + count * (size_t)f;
    sheet->velocities = sheet->numbers + count * FRAMES;
    sheet->positions = sheet->velocities + count;
    return true;
}

// A sheet in waves, which go on.
static void fillArrays(Sheet* sheet) {
    uint32_t* t = sheet->triangles;
    const uint32_t side = sheet->side;
    for (uint32_t v = 0; v < sheet->vertexCount; ++v) {
        const float x = (float)(v / side), z = (float)(v % side);
        for (int f = 0; f < FRAMES; ++f) {
            const float phase = (float)f;
            const float place[3] = {x + 0.3F * sinf(0.5F * z + phase), 2 * sinf(0.3F * x + phase) * cosf(0.2F * z),
                                    z + 0.3F * cosf(0.4F * x - phase)};
            memcpy(sheet->frames[f] + 3 * (size_t)v, place, sizeof place);
        }
        for (size_t axis = 0; axis < 3; ++axis)
            sheet->velocities[3 * (size_t)v + axis] =
                sheet->frames[1][3 * (size_t)v + axis] - sheet->frames[0][3 * (size_t)v + axis];
        const uint32_t i = v / side, j = v % side, corners[6] = {v, v + 1, v + side, v + 1, v + side + 1, v + side};
        if (i + 1 < side && j + 1 < side)
            memcpy(t, corners, sizeof corners), t += 6;
    }
    for (uint32_t k = 0; k < sheet->changedCount; ++k)
        sheet->changed[k] = k * APART;
}

static grzResult makePlans(Sheet* sheet) {
    grzFlightplanDef def = grzDefaultFlightplanDef();
    def.vertexCount = sheet->vertexCount;
    def.allocator = sheet->allocator;
    grzResult result = grzFlightplan_Create(&def, &sheet->moving);
    if (grzResult_IsOk(result))
        result = grzFlightplan_Create(&def, &sheet->still);
    for (int f = 0; f < MOVING_FRAMES && grzResult_IsOk(result); ++f)
        result = grzFlightplan_AddKeyframe(sheet->moving, f, sheet->frames[f % FRAMES], 0);
    for (int f = 0; f < STILL_FRAMES && grzResult_IsOk(result); ++f)
        result = grzFlightplan_AddKeyframe(sheet->still, f, sheet->frames[0], 0);
    if (!grzResult_IsOk(result))
        return result;
    def.kind = grz_planPaths;
    def.positions = sheet->frames[0], def.velocities = sheet->velocities;
    return grzFlightplan_Create(&def, &sheet->paths);
}

static grzResult makeKinetic(const Sheet* sheet, grzFlightplan* plan, grzKineticTree** tree) {
    grzKineticTreeDef def = grzDefaultKineticTreeDef();
    def.order = grz_kineticBatched;
    def.bvh = sheet->bvh, def.plan = plan;
    def.allocator = sheet->allocator;
    return grzKineticTree_Create(&def, tree);
}

static grzResult makeTrees(Sheet* sheet) {
    const bool hasBatched = sheet->side != LARGE_SIDE;
    grzBvhDef def = grzDefaultBvhDef();
    def.positions = sheet->frames[0], def.vertexCount = sheet->vertexCount;
    def.triangles = sheet->triangles, def.triangleCount = sheet->triangleCount;
    def.allocator = sheet->allocator;
    grzResult result = grzBvh_Create(&def, &sheet->bvh);
    if (!grzResult_IsOk(result))
        return result;
    sheet->nodeCount = grzBvh_GetView(sheet->bvh).nodeCount;
    sheet->nodes = grzAllocate(&sheet->allocator, sheet->nodeCount, sizeof(grzBvhNode), GRZ_BVH_ALIGNMENT);
    if (sheet->nodes == NULL)
        return grzNoMemory(sheet->nodeCount, sizeof(grzBvhNode));
    memset(sheet->nodes, 0, sheet->nodeCount * sizeof(grzBvhNode));
    result = makePlans(sheet);
    grzChordTreeDef chord = grzDefaultChordTreeDef();
    chord.bvh = sheet->bvh, chord.plan = sheet->moving;
    chord.allocator = sheet->allocator;
    if (grzResult_IsOk(result))
        result = grzChordTree_Create(&chord, &sheet->chord);
    if (grzResult_IsOk(result) && hasBatched)
        result = makeKinetic(sheet, sheet->still, &sheet->resting);
    return grzResult_IsOk(result) && hasBatched ? makeKinetic(sheet, sheet->paths, &sheet->free) : result;
}

static void dropSheet(Sheet* sheet) {
    const grzAllocator* allocator = &sheet->allocator;
    grzChordTree_Destroy(sheet->chord);
    grzKineticTree_Destroy(sheet->kinetic);
    grzKineticTree_Destroy(sheet->resting);
    grzKineticTree_Destroy(sheet->free);
    grzFlightplan_Destroy(sheet->moving);
    grzFlightplan_Destroy(sheet->still);
    grzFlightplan_Destroy(sheet->paths);
    grzBvh_Destroy(sheet->bvh);
    grzRelease(allocator, sheet->nodes, sheet->nodeCount, sizeof(grzBvhNode), GRZ_BVH_ALIGNMENT);
    grzRelease(allocator, sheet->numbers, 3 * (size_t)sheet->vertexCount * (FRAMES + 2), sizeof(float), 64);
    grzRelease(allocator, sheet->triangles, 3 * (size_t)sheet->triangleCount, sizeof(uint32_t), 64);
    grzRelease(allocator, sheet->changed, sheet->changedCount, sizeof(uint32_t), 64);
}

static grzResult makeSheet(grzAllocator allocator, uint32_t side, Sheet* sheet) {
    memset(sheet, 0, sizeof *sheet);
    sheet->allocator = allocator;
    sheet->side = side;
    sheet->vertexCount = side * side;
    sheet->triangleCount = 2 * (side - 1) * (side - 1);
    sheet->changedCount = sheet->vertexCount / APART;
    if (!takeArrays(sheet))
        return grzNoMemory(3 * (size_t)sheet->vertexCount * (FRAMES + 2), sizeof(float));
    fillArrays(sheet);
    return makeTrees(sheet);
}

// ---- what is timed: once, and the nanoseconds of one unit ----

typedef grzResult ProbeFn(Sheet* sheet, double* units);

static grzResult refitOnce(Sheet* sheet, double* units) {
    grzBvhRefit refit = grzDefaultBvhRefit();
    refit.positions = sheet->frames[1], refit.numbering = grz_bvhCallersNumbers;
    grzBvh_RefitKnown(sheet->bvh, NULL, &refit, sheet->nodes);
    *units = sheet->triangleCount;
    return grzOk();
}

static grzResult evaluateFrames(Sheet* sheet, double* units) {
    *units = sheet->vertexCount;
    return grzFlightplan_Evaluate(sheet->moving, NULL, 0.3, sheet->positions, 0);
}

static grzResult evaluatePaths(Sheet* sheet, double* units) {
    *units = sheet->vertexCount;
    return grzFlightplan_Evaluate(sheet->paths, NULL, sheet->moment + 0.3, sheet->positions, 0);
}

// Back to the beginning, past the three last keyframes, so that the tree has none of the first three.
static grzResult rewindChord(Sheet* sheet, double* units) {
    (void)units;
    const grzResult result = grzChordTree_Advance(sheet->chord, NULL, MOVING_FRAMES - 2.5);
    return grzResult_IsOk(result) ? grzChordTree_Advance(sheet->chord, NULL, 0) : result;
}

// The third keyframe is refit on the way.
static grzResult passInterval(Sheet* sheet, double* units) {
    grzResult result = grzOk();
    const uint64_t before = grzChordTree_GetStats(sheet->chord).chunks;
    for (int k = 1; k <= STEPS && grzResult_IsOk(result); ++k)
        result = grzChordTree_Advance(sheet->chord, NULL, (double)k / STEPS);
    const uint64_t chunks = grzChordTree_GetStats(sheet->chord).chunks - before;
    GRZ_ASSERT(chunks == grzBvh_GetView(sheet->bvh).chunkCount);
    (void)chunks;
    *units = sheet->triangleCount;
    return result;
}

static grzResult writeChord(Sheet* sheet, double* units) {
    *units = sheet->triangleCount;
    return grzChordTree_WriteBoxes(sheet->chord, NULL, sheet->nodes);
}

static grzResult halfInterval(Sheet* sheet, double* units) {
    (void)units;
    return grzChordTree_Advance(sheet->chord, NULL, 0.5);
}

static grzResult dropKinetic(Sheet* sheet, double* units) {
    (void)units;
    grzKineticTree_Destroy(sheet->kinetic);
    sheet->kinetic = NULL;
    return grzOk();
}

static grzResult makeBatched(Sheet* sheet, double* units) {
    *units = sheet->triangleCount;
    return makeKinetic(sheet, sheet->paths, &sheet->kinetic);
}

static grzResult passKeyframe(Sheet* sheet, double* units) {
    *units = sheet->triangleCount;
    return grzKineticTree_Advance(sheet->resting, NULL, ++sheet->passed + 0.5);
}

static grzResult changeSome(Sheet* sheet, double* units) {
    const uint64_t before = grzKineticTree_GetStats(sheet->free).repairs;
    const grzFlightplanChange change = {sheet->changed, sheet->changedCount, NULL, sheet->velocities, NULL};
    sheet->moment += 0x1p-10;
    const grzResult result = grzKineticTree_Change(sheet->free, NULL, sheet->moment, &change);
    *units = (double)(grzKineticTree_GetStats(sheet->free).repairs - before);
    return result;
}

static grzResult writeBatched(Sheet* sheet, double* units) {
    *units = sheet->triangleCount;
    return grzKineticTree_WriteBoxes(sheet->free, NULL, sheet->nodes);
}

typedef struct Probe {
    size_t place; // in grzUpkeepCosts
    bool isBatched;
    int repeats;
    ProbeFn *before, *run; // before: NULL, or what is not timed
} Probe;

static const Probe probes[] = {
    {offsetof(grzUpkeepCosts, refit), false, REPEATS, NULL, refitOnce},
    {offsetof(grzUpkeepCosts, evaluateFrames), false, REPEATS, NULL, evaluateFrames},
    {offsetof(grzUpkeepCosts, evaluatePaths), false, REPEATS, NULL, evaluatePaths},
    {offsetof(grzUpkeepCosts, chordRefit), false, REPEATS, rewindChord, passInterval},
    {offsetof(grzUpkeepCosts, chordCopy), false, REPEATS, NULL, writeChord},
    {offsetof(grzUpkeepCosts, chordWrite), false, REPEATS, halfInterval, writeChord},
    {offsetof(grzUpkeepCosts, batchedKeyframe), true, STILL_FRAMES - 2, NULL,
     passKeyframe}, // as there are keyframes
    {offsetof(grzUpkeepCosts, batchedRepair), true, REPEATS, NULL, changeSome},
    {offsetof(grzUpkeepCosts, batchedWrite), true, REPEATS, NULL, writeBatched},
    {offsetof(grzUpkeepCosts, batchedMake), true, 1, dropKinetic, makeBatched},
};
enum { PROBES = sizeof probes / sizeof probes[0] };
GRZ_STATIC_ASSERT(PROBES == sizeof(grzUpkeepCosts) / sizeof(grzUpkeepCost) - 2, "all is measured but the sizes");

static grzResult timeProbe(const Probe* probe, Sheet* sheet, double* least) {
    grzResult result = grzOk();
    *least = (double)INFINITY;
    for (int k = 0; k < probe->repeats && grzResult_IsOk(result); ++k) {
        double units = 0;
        if (probe->before != NULL)
            result = probe->before(sheet, &units);
        if (!grzResult_IsOk(result))
            break;
        const uint64_t start = grzMonotonicNanoseconds();
        result = probe->run(sheet, &units);
        const double time = (double)(grzMonotonicNanoseconds() - start);
        *least = fmin(*least, time / fmax(units, 1));
    }
    *least = fmax(*least, 0x1p-20); // a clock may be coarse, but nothing is done for nothing
    return result;
}

typedef struct Task {
    uint32_t side;
    bool isLarge; // of the two meshes of a cost
    bool of[2];   // measured there: what is not of the batched tree, and what is
} Task;

static grzResult measureSheet(grzAllocator allocator, const Task* task, grzUpkeepCosts* costs) {
    Sheet sheet;
    grzResult result = makeSheet(allocator, task->side, &sheet);
    for (size_t i = 0; i < PROBES && grzResult_IsOk(result); ++i) {
        grzUpkeepCost* cost = (grzUpkeepCost*)(void*)((char*)costs + probes[i].place);
        if (task->of[probes[i].isBatched])
            result = timeProbe(&probes[i], &sheet, task->isLarge ? &cost->large : &cost->small);
    }
    for (int k = 0; k < 2; ++k) {
        grzUpkeepCost* size = k == 0 ? &costs->triangles : &costs->batchedTriangles;
        if (task->of[k])
            *(task->isLarge ? &size->large : &size->small) = sheet.triangleCount;
    }
    dropSheet(&sheet);
    return result;
}

grzResult grzUpkeepCosts_Measure(grzAllocator allocator, grzUpkeepCosts* costs) {
    static const Task tasks[] = {
        {SMALL_SIDE, false, {true, true}}, {BATCHED_SIDE, true, {false, true}}, {LARGE_SIDE, true, {true, false}}};
    grzUpkeepCosts found;
    if (costs == NULL)
        return grzBecause(grzFail(grz_badArgument, 2), "costs is NULL");
    grzResult result = grzCheckAllocator(allocator, 1);
    for (size_t i = 0; i < sizeof tasks / sizeof tasks[0] && grzResult_IsOk(result); ++i)
        result = measureSheet(grzAllocator_OrDefault(allocator), &tasks[i], &found);
    if (grzResult_IsOk(result))
        *costs = found;
    return result;
}
