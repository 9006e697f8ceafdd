// What: see kinetic_ways.h.
#include "kinetic_ways.h"

#include <math.h>
#include <string.h>

#include "bench_machine.h"
#include "bench_stats.h"
#include "kinetic_loose.h"
#include "result_make.h"

// ---- making and dropping ----

static size_t sizeOfNodes(const KineticRun* run) {
    return grzBvh_GetView(run->scene->bvh).nodeCount * sizeof(grzBvhNode);
}

bool KineticRun_Make(Bench* bench, const KineticScene* scene, const KineticWay* way, size_t perInterval,
                     KineticRun* run) {
    memset(run, 0, sizeof *run);
    run->bench = bench;
    run->scene = scene;
    run->way = way;
    if (scene->frameCount < 4) {
        Bench_Fail(bench, "kinetic: a run needs four keyframes");
        return false;
    }
    run->tasks = scene->tasks;
    run->first = 1;
    run->intervals = scene->frameCount - 3;
    run->perInterval = perInterval;
    run->nodes = Bench_Allocate(bench, sizeOfNodes(run), 1);
    return run->nodes != NULL;
}

static void dropTrees(KineticRun* run) {
    grzChordTree_Destroy(run->chord);
    grzKineticTree_Destroy(run->kinetic);
    grzBoxTree_Destroy(run->boxes);
    PlainBvh_Release(&run->plain);
    run->chord = NULL, run->kinetic = NULL, run->boxes = NULL;
}

void KineticRun_Drop(Bench* bench, KineticRun* run) {
    dropTrees(run);
    Bench_Release(bench, run->nodes, sizeOfNodes(run), 1);
}

// What an interval costs an exact way, in refits, as far as sitting through it goes.
#define KEYFRAME_FRAMES 40

void KineticRun_Shorten(KineticRun* run, double most) {
    const size_t all = run->scene->frameCount - 3;
    const double wanted = most / (double)((run->perInterval + KEYFRAME_FRAMES) * run->scene->triangleCount);
    run->intervals = wanted >= (double)all ? all : wanted > 2 ? (size_t)wanted : all < 2 ? all : 2;
    run->first = 1 + (all - run->intervals) / 2;
}

double KineticRun_Amount(const KineticRun* run) {
    return (double)(run->intervals * run->perInterval * run->scene->triangleCount);
}

// ---- going ----

static void keep(KineticRun* run, grzResult result) {
    if (grzResult_IsOk(run->result))
        run->result = result;
}

static void makeKinetic(KineticRun* run) {
    grzKineticTreeDef def = grzDefaultKineticTreeDef();
    def.bvh = run->scene->bvh, def.plan = run->scene->plan, def.tasks = run->tasks;
    def.order = run->way->kind == wayOrdered ? grz_kineticOrdered : grz_kineticBatched;
    def.numbering = grz_bvhTreesNumbers;
    def.startTime = (double)run->first - 1;
    keep(run, grzKineticTree_Create(&def, &run->kinetic));
    if (run->kinetic != NULL)
        keep(run, grzKineticTree_Advance(run->kinetic, run->tasks, (double)run->first));
}

static void makeChord(KineticRun* run) {
    grzChordTreeDef def = grzDefaultChordTreeDef();
    def.bvh = run->scene->bvh, def.plan = run->scene->plan, def.tasks = run->tasks;
    def.numbering = grz_bvhTreesNumbers;
    def.startTime = (double)run->first;
    if (run->way->isHeld)
        def.looseness = KineticLoose_Tenth(run->scene);
    keep(run, grzChordTree_Create(&def, &run->chord));
}

static void makeBoxes(KineticRun* run) {
    grzBoxTreeDef def = grzDefaultBoxTreeDef();
    def.plan = run->scene->plan;
    def.triangles = run->scene->triangles, def.triangleCount = run->scene->triangleCount;
    def.startTime = (double)run->first - 1;
    keep(run, grzBoxTree_Create(&def, &run->boxes));
    if (run->boxes != NULL)
        keep(run, grzBoxTree_Advance(run->boxes, (double)run->first));
}

static void makePlain(KineticRun* run) {
    const KineticScene* scene = run->scene;
    if (PlainBvh_Make(&run->plain, scene->triangles, scene->triangleCount, run->bench->allocator))
        PlainBvh_Build(&run->plain, KineticScene_Frame(scene, run->first));
    else
        keep(run, grzFail(grz_outOfMemory, scene->triangleCount));
}

static KineticCounts countsSoFar(const KineticRun* run) {
    if (run->boxes != NULL) {
        const grzBoxTreeStats stats = grzBoxTree_GetStats(run->boxes);
        return (KineticCounts){(double)stats.events, (double)stats.updates};
    }
    if (run->kinetic == NULL)
        return (KineticCounts){0, 0};
    const grzKineticTreeStats stats = grzKineticTree_GetStats(run->kinetic);
    return (KineticCounts){(double)(stats.leafEvents + stats.treeEvents), (double)stats.updates};
}

KineticCounts KineticRun_Counts(const KineticRun* run) {
    const KineticCounts all = countsSoFar(run);
    return (KineticCounts){all.events - run->before.events, all.updates - run->before.updates};
}

// Back to the beginning.
void KineticRun_Prepare(void* context) {
    KineticRun* run = context;
    dropTrees(run);
    memset(&run->result, 0, sizeof run->result);
    memset(run->nodes, 0, sizeOfNodes(run));
    if (run->way->kind == wayChord)
        makeChord(run);
    else if (run->way->kind == wayBoxTree)
        makeBoxes(run);
    else if (run->way->kind == wayPlain)
        makePlain(run);
    else if (run->way->kind != wayRefit)
        makeKinetic(run);
    run->before = countsSoFar(run);
}

static void writeBoxes(KineticRun* run, grzTasks* tasks) {
    if (run->way->kind == wayChord)
        keep(run, grzChordTree_WriteBoxes(run->chord, tasks, run->nodes));
    else if (run->way->kind == wayOrdered || run->way->kind == wayBatched)
        keep(run, grzKineticTree_WriteBoxes(run->kinetic, tasks, run->nodes));
}

static void refitFrame(KineticRun* run, size_t keyframe) {
    grzBvhRefit refit = grzDefaultBvhRefit();
    refit.positions = KineticScene_Frame(run->scene, keyframe);
    keep(run, grzBvh_Refit(run->scene->bvh, run->tasks, &refit, run->nodes));
}

static void goTo(KineticRun* run, double time) {
    switch (run->way->kind) {
    case wayChord:
        keep(run, grzChordTree_Advance(run->chord, run->tasks, time));
        break;
    case wayBoxTree:
        keep(run, grzBoxTree_Advance(run->boxes, time));
        break;
    case wayOrdered:
    case wayBatched:
        keep(run, grzKineticTree_Advance(run->kinetic, run->tasks, time));
        break;
    case wayRefit:
        refitFrame(run, (size_t)ceil(time));
        break;
    case wayPlain:
        PlainBvh_Refit(&run->plain, KineticScene_Frame(run->scene, (size_t)ceil(time)), NULL);
        break;
    }
}

void KineticRun_Go(void* context) {
    KineticRun* run = context;
    const size_t count = run->intervals * run->perInterval;
    for (size_t k = 1; k <= count && grzResult_IsOk(run->result); ++k) {
        goTo(run, (double)run->first + (double)k / (double)run->perInterval);
        if (run->way->writes)
            writeBoxes(run, run->tasks);
    }
}

// ---- outcomes ----

static uint64_t digestOfNumbers(float* numbers, size_t count) {
    for (size_t i = 0; i < count; ++i)
        numbers[i] += 0.0F;
    return Bench_Digest(0, numbers, count * sizeof *numbers);
}

static uint64_t digestOfBox(grzBox box) {
    float numbers[6];
    grzVec3_Store(numbers, box.lower);
    grzVec3_Store(numbers + 3, box.upper);
    return digestOfNumbers(numbers, 6);
}

static bool isBelow(const PlainBvhNode* node, const PlainBvhNode* parent) {
    bool isInside = true;
    for (int axis = 0; axis < 3; ++axis)
        isInside = isInside && parent->lower[axis] <= node->lower[axis] && node->upper[axis] <= parent->upper[axis];
    return isInside;
}

// Whether each box holds its children, or its triangle in the frame at which a run ends.
static bool isPlainRight(const KineticRun* run) {
    const float* positions = KineticScene_Frame(run->scene, run->first + run->intervals);
    bool isRight = true;
    for (size_t i = 0; i < 2 * run->scene->triangleCount - 1; ++i) {
        const PlainBvhNode* node = &run->plain.nodes[i];
        for (uint32_t k = 0; k < 2 && node->child != 0; ++k)
            isRight = isRight && isBelow(&run->plain.nodes[node->child + k], node);
        for (size_t k = 0; k < 3 && node->child == 0; ++k) {
            PlainBvhNode point;
            memcpy(point.lower, positions + 3 * (size_t)run->scene->triangles[3 * (size_t)node->triangle + k],
                   sizeof point.lower);
            memcpy(point.upper, point.lower, sizeof point.upper);
            isRight = isRight && isBelow(&point, node);
        }
    }
    return isRight;
}

static uint64_t digestOfPlain(const KineticRun* run) {
    const PlainBvhNode* root = run->plain.nodes;
    if (!isPlainRight(run))
        return 0;
    return digestOfBox(grzBox_Make(grzVec3_Load(root->lower), grzVec3_Load(root->upper)));
}

// Whether looseness is held in some frames of a run like the one that was timed.
static bool isHeld(const KineticRun* run) {
    KineticLoose loose;
    return KineticLoose_Look(run->bench, run->scene, run->perInterval, run->perInterval * 4 / 3 + 1, &loose) &&
           loose.isHeld;
}

uint64_t KineticRun_Digest(void* context) {
    KineticRun* run = context;
    if (!grzResult_IsOk(run->result))
        return 0;
    if (run->way->kind == wayBoxTree)
        return grzBoxTree_Validate(run->boxes) ? digestOfBox(grzBoxTree_RootBox(run->boxes)) : 0;
    if (run->way->kind == wayPlain)
        return digestOfPlain(run);
    if (run->way->isHeld && !isHeld(run))
        return 0;
    writeBoxes(run, NULL);
    return digestOfNumbers(&run->nodes[0].lower[0][0], sizeOfNodes(run) / sizeof(float));
}

uint64_t KineticRun_RightDigest(const KineticRun* run) {
    static const KineticWay refit = {"refit", wayRefit, true, false};
    KineticRun other = *run;
    const float* positions = KineticScene_Frame(run->scene, run->first + run->intervals);
    grzBox box = grzBox_Empty();
    if (run->way->kind == wayBoxTree || run->way->kind == wayPlain) {
        for (size_t i = 0; i < 3 * run->scene->triangleCount; ++i)
            box = grzBox_AddPoint(box, grzVec3_Load(positions + 3 * (size_t)run->scene->triangles[i]));
        return digestOfBox(box);
    }
    other.way = &refit;
    other.tasks = NULL;
    refitFrame(&other, run->first + run->intervals);
    return KineticRun_Digest(&other);
}

// ---- times ----

static double timeRun(KineticRun* run) {
    KineticRun_Prepare(run);
    const uint64_t start = benchProcessorTime();
    KineticRun_Go(run);
    return (double)(benchProcessorTime() - start);
}

bool KineticRuns_Time(Bench* bench, KineticRun* runs, size_t count, double* medians) {
    const size_t repeats = bench->options->quick ? 1 : KINETIC_REPEATS;
    double* times = Bench_Allocate(bench, count * repeats, sizeof *times);
    bool isRight = times != NULL;
    benchPin();
    for (size_t repeat = 0; repeat < repeats && times != NULL; ++repeat)
        for (size_t i = 0; i < count; ++i) {
            times[i * repeats + repeat] = timeRun(&runs[i]);
            isRight = !KineticScene_Failed(bench, runs[i].result) &&
                      KineticRun_Digest(&runs[i]) == KineticRun_RightDigest(&runs[i]) && isRight;
        }
    benchUnpin();
    for (size_t i = 0; i < count && times != NULL; ++i)
        medians[i] = benchSpread(times + i * repeats, repeats).median;
    Bench_Release(bench, times, count * repeats, sizeof *times);
    return isRight;
}
