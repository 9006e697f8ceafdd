// What: see kinetic_counts.h.
#include "kinetic_counts.h"

#include "bench_machine.h"
#include "graze/box_tree.h"
#include "graze/chord_tree.h"
#include "graze/kinetic_tree.h"

typedef struct Counting {
    Bench* bench;
    const KineticScene* scene;
    bool same;
} Counting;

// `refits`: what a refit of each keyframe comes to; 0: nothing to compare with.
static void count(const Counting* counting, const char* metric, const char* unit, double value, double refits) {
    const BenchCounter counter = {.variant = counting->scene->name,
                                  .metric = metric,
                                  .unit = unit,
                                  .value = value,
                                  .peer = refits > 0 ? "refit" : NULL,
                                  .peerValue = refits,
                                  .n = counting->scene->triangleCount,
                                  .workers = 1,
                                  .same = counting->same};
    Bench_Count(counting->bench, &counter);
}

static double intervalsOf(const KineticScene* scene) {
    return (double)scene->frameCount - 1;
}

// ---- the kinetic tree, ordered ----

static void tellTree(const Counting* counting, const grzKineticTree* tree, double time) {
    const KineticScene* scene = counting->scene;
    const grzKineticTreeStats stats = grzKineticTree_GetStats(tree);
    const grzBvhView view = grzBvh_GetView(scene->bvh);
    const double intervals = intervalsOf(scene), sides = 6 * ((double)view.leafCount + view.nodeCount);
    const double events = (double)(stats.leafEvents + stats.treeEvents);
    count(counting, "events", "an interval", events / intervals, 0);
    count(counting, "settled at keyframes", "an interval", (double)stats.repairs / intervals, 0);
    count(counting, "updates", "an interval", (double)stats.updates / intervals, sides);
    count(counting, "all in all", "ns/event", time / (events > 0 ? events : 1), 0);
    count(counting, "memory, ordered", "bytes/triangle",
          (double)grzKineticTree_MemorySize(tree) / (double)scene->triangleCount, 0);
}

static void countTree(Counting* counting) {
    const KineticScene* scene = counting->scene;
    grzKineticTreeDef def = grzDefaultKineticTreeDef();
    def.bvh = scene->bvh, def.plan = scene->plan, def.numbering = grz_bvhTreesNumbers;
    grzKineticTree* tree;
    if (KineticScene_Failed(counting->bench, grzKineticTree_Create(&def, &tree)))
        return;
    const uint64_t start = benchProcessorTime();
    if (!KineticScene_Failed(counting->bench, grzKineticTree_Advance(tree, NULL, intervalsOf(scene)))) {
        const double time = (double)(benchProcessorTime() - start);
        counting->same = grzKineticTree_Validate(tree);
        tellTree(counting, tree, time);
    }
    grzKineticTree_Destroy(tree);
}

// ---- the BoxTree, of which the sides are two planes a node ----

static void tellBoxTree(const Counting* counting, const grzBoxTree* tree, double time) {
    const KineticScene* scene = counting->scene;
    const grzBoxTreeStats stats = grzBoxTree_GetStats(tree);
    const double intervals = intervalsOf(scene), triangles = (double)scene->triangleCount;
    const double updates = stats.updates > 0 ? (double)stats.updates : 1;
    count(counting, "events, BoxTree", "an interval", (double)stats.events / intervals, 0);
    count(counting, "updates, BoxTree", "an interval", (double)stats.updates / intervals,
          2 * (double)grzBoxTree_GetView(tree).innerCount + 6);
    count(counting, "candidates, BoxTree", "an update", (double)stats.candidates / updates, 0);
    count(counting, "an interval, BoxTree", "ns/triangle", time / triangles / intervals, 0);
    count(counting, "memory, BoxTree", "bytes/triangle", (double)grzBoxTree_MemorySize(tree) / triangles, 0);
}

static void countBoxTree(Counting* counting) {
    const KineticScene* scene = counting->scene;
    grzBoxTreeDef def = grzDefaultBoxTreeDef();
    def.plan = scene->plan, def.triangles = scene->triangles, def.triangleCount = scene->triangleCount;
    grzBoxTree* tree;
    if (KineticScene_Failed(counting->bench, grzBoxTree_Create(&def, &tree)))
        return;
    const uint64_t start = benchProcessorTime();
    if (!KineticScene_Failed(counting->bench, grzBoxTree_Advance(tree, intervalsOf(scene)))) {
        const double time = (double)(benchProcessorTime() - start);
        counting->same = grzBoxTree_Validate(tree);
        tellBoxTree(counting, tree, time);
    }
    grzBoxTree_Destroy(tree);
}

// ---- chords, in the middle of intervals, where they are loosest ----

typedef struct ChordWork {
    float* positions;
    grzBvhNode *chord, *tight;
    uint32_t nodeCount;
} ChordWork;

static double surfaceOf(const grzBvhNode* node, int lane) {
    double side[3];
    for (int axis = 0; axis < 3; ++axis)
        side[axis] = (double)node->upper[axis][lane] - (double)node->lower[axis][lane];
    return side[0] * (side[1] + side[2]) + side[1] * side[2];
}

static bool holds(const grzBvhNode* outer, const grzBvhNode* inner, int lane) {
    bool isInside = true;
    for (int axis = 0; axis < 3; ++axis)
        isInside = isInside && outer->lower[axis][lane] <= inner->lower[axis][lane] &&
                   inner->upper[axis][lane] <= outer->upper[axis][lane];
    return isInside;
}

// Adds the surfaces of both; lanes without a child have none.
static bool compareNodes(const ChordWork* work, double* chord, double* tight) {
    bool isHeld = true;
    for (uint32_t i = 0; i < work->nodeCount; ++i)
        for (int lane = 0; lane < 8; ++lane) {
            if (work->tight[i].lower[0][lane] > work->tight[i].upper[0][lane])
                continue;
            *chord += surfaceOf(&work->chord[i], lane);
            *tight += surfaceOf(&work->tight[i], lane);
            isHeld = isHeld && holds(&work->chord[i], &work->tight[i], lane);
        }
    return isHeld;
}

static void compareMiddles(Counting* counting, grzChordTree* tree, const ChordWork* work) {
    const KineticScene* scene = counting->scene;
    double chord = 0, tight = 0;
    counting->same = true;
    for (size_t k = 0; k + 1 < scene->frameCount && !counting->bench->failed; ++k) {
        const double time = (double)k + 0.5;
        grzBvhRefit refit = grzDefaultBvhRefit();
        refit.positions = work->positions;
        if (KineticScene_Failed(counting->bench, grzChordTree_Advance(tree, NULL, time)) ||
            KineticScene_Failed(counting->bench, grzChordTree_WriteBoxes(tree, NULL, work->chord)) ||
            KineticScene_Failed(counting->bench,
                                grzFlightplan_Evaluate(scene->plan, NULL, time, work->positions, 0)) ||
            KineticScene_Failed(counting->bench, grzBvh_Refit(scene->bvh, NULL, &refit, work->tight)))
            return;
        counting->same = compareNodes(work, &chord, &tight) && counting->same;
    }
    count(counting, "surface, chord", "of tight boxes", chord / (tight > 0 ? tight : 1), 0);
    count(counting, "memory, chord", "bytes/triangle",
          3 * (double)work->nodeCount * sizeof(grzBvhNode) / (double)scene->triangleCount, 0);
}

static void countChord(Counting* counting) {
    const KineticScene* scene = counting->scene;
    Bench* bench = counting->bench;
    ChordWork work = {.nodeCount = grzBvh_GetView(scene->bvh).nodeCount};
    grzChordTreeDef def = grzDefaultChordTreeDef();
    def.bvh = scene->bvh, def.plan = scene->plan, def.numbering = grz_bvhTreesNumbers;
    grzChordTree* tree = NULL;
    work.positions = Bench_Allocate(bench, 3 * scene->vertexCount, sizeof *work.positions);
    work.chord = Bench_Allocate(bench, work.nodeCount, sizeof *work.chord);
    work.tight = Bench_Allocate(bench, work.nodeCount, sizeof *work.tight);
    if (!bench->failed && !KineticScene_Failed(bench, grzChordTree_Create(&def, &tree)))
        compareMiddles(counting, tree, &work);
    grzChordTree_Destroy(tree);
    Bench_Release(bench, work.positions, 3 * scene->vertexCount, sizeof *work.positions);
    Bench_Release(bench, work.chord, work.nodeCount, sizeof *work.chord);
    Bench_Release(bench, work.tight, work.nodeCount, sizeof *work.tight);
}

void benchKineticCounts(Bench* bench, const KineticScene* scene) {
    Counting counting = {.bench = bench, .scene = scene};
    countTree(&counting);
    if (!bench->failed)
        countBoxTree(&counting);
    if (!bench->failed)
        countChord(&counting);
}
