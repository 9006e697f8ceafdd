// What: see kinetic_counts.h.
#include "kinetic_counts.h"

#include "bench_machine.h"
#include "graze/box_tree.h"
#include "graze/chord_tree.h"
#include "graze/kinetic_tree.h"
#include "kinetic_loose.h"

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

enum { ROUNDS = 5 }; // of which the quickest counts

// Nanoseconds for the whole sequence: in one go; and in steps that part what is done at keyframes from what happens between them.
typedef struct TreeTimes {
    double whole, keyframes, between;
    double eventsBetween;
} TreeTimes;

static double eventsOf(const grzKineticTree* tree) {
    const grzKineticTreeStats stats = grzKineticTree_GetStats(tree);
    return (double)(stats.leafEvents + stats.treeEvents);
}

static double least(double a, double b) {
    return a == 0 || b < a ? b : a;
}

static double timeAdvance(const Counting* counting, grzKineticTree* tree, double time) {
    const uint64_t start = benchProcessorTime();
    KineticScene_Failed(counting->bench, grzKineticTree_Advance(tree, NULL, time));
    return (double)(benchProcessorTime() - start);
}

// A look at a keyframe is taken with the first step after it: one tick of 2^-24 of the interval, with the events of that tick.
static void timeSteps(const Counting* counting, grzKineticTree* tree, TreeTimes* times) {
    double keyframes = 0, between = timeAdvance(counting, tree, 1), events = eventsOf(tree);
    for (double frame = 1; frame < intervalsOf(counting->scene); ++frame) {
        keyframes += timeAdvance(counting, tree, frame + 0x1.8p-24);
        const double before = eventsOf(tree);
        between += timeAdvance(counting, tree, frame + 1);
        events += eventsOf(tree) - before;
    }
    times->keyframes = least(times->keyframes, keyframes);
    times->between = least(times->between, between);
    times->eventsBetween = events;
}

static void tellTree(const Counting* counting, const grzKineticTree* tree, const TreeTimes* times) {
    const KineticScene* scene = counting->scene;
    const grzKineticTreeStats stats = grzKineticTree_GetStats(tree);
    const grzBvhView view = grzBvh_GetView(scene->bvh);
    const double intervals = intervalsOf(scene), sides = 6 * ((double)view.leafCount + view.nodeCount);
    const double events = eventsOf(tree), triangles = (double)scene->triangleCount;
    count(counting, "events", "an interval", events / intervals, 0);
    count(counting, "settled at keyframes", "an interval", (double)stats.repairs / intervals, 0);
    count(counting, "updates", "an interval", (double)stats.updates / intervals, sides);
    count(counting, "all in all", "ns/event", times->whole / (events > 0 ? events : 1), 0);
    count(counting, "between keyframes", "ns/event",
          times->between / (times->eventsBetween > 0 ? times->eventsBetween : 1), 0);
    count(counting, "at keyframes", "ns/triangle", times->keyframes / (intervals - 1) / triangles, 0);
    count(counting, "memory, ordered", "bytes/triangle", (double)grzKineticTree_MemorySize(tree) / triangles, 0);
}

static grzKineticTree* makeTree(const Counting* counting) {
    grzKineticTreeDef def = grzDefaultKineticTreeDef();
    def.bvh = counting->scene->bvh, def.plan = counting->scene->plan, def.numbering = grz_bvhTreesNumbers;
    grzKineticTree* tree;
    KineticScene_Failed(counting->bench, grzKineticTree_Create(&def, &tree));
    return tree;
}

// The same tree in steps and in one go, which must count the same. False after Bench_Fail.
static bool timeTree(Counting* counting, TreeTimes* times, bool isLast) {
    grzKineticTree *steps = makeTree(counting), *whole = makeTree(counting);
    if (steps != NULL && whole != NULL) {
        timeSteps(counting, steps, times);
        times->whole = least(times->whole, timeAdvance(counting, whole, intervalsOf(counting->scene)));
    }
    if (isLast && !counting->bench->failed) {
        counting->same = grzKineticTree_Validate(whole) && eventsOf(whole) == eventsOf(steps);
        tellTree(counting, whole, times);
    }
    grzKineticTree_Destroy(steps);
    grzKineticTree_Destroy(whole);
    return !counting->bench->failed;
}

static void countTree(Counting* counting) {
    TreeTimes times = {0, 0, 0, 0};
    for (int round = 1; round <= ROUNDS && timeTree(counting, &times, round == ROUNDS);)
        ++round;
}

// ---- the BoxTree, of which the sides are two planes a node ----

static double surfaceOfBox(grzBox box) {
    return grzBox_IsEmpty(box) ? 0 : (double)grzBox_Area(box);
}

static double leavesBelow(const grzBoxTree* tree, uint32_t node, grzBox box) {
    grzBox children[2];
    if (node >= grzBoxTree_GetView(tree).innerCount)
        return surfaceOfBox(box);
    grzBoxTree_Split(tree, node, box, children);
    return leavesBelow(tree, 2 * node + 1, children[0]) + leavesBelow(tree, 2 * node + 2, children[1]);
}

// How many leaves a small box meets on the average that meets the mesh: surfaces of leaves over that of everything.
static double leavesMet(const grzBoxTree* tree) {
    const grzBox box = grzBoxTree_RootBox(tree);
    const double all = surfaceOfBox(box);
    return all > 0 ? leavesBelow(tree, 0, box) / all : 0;
}

// The same of the hierarchy, whose boxes are tight, at the last keyframe.
static double leavesMetInTight(const Counting* counting) {
    const KineticScene* scene = counting->scene;
    const grzBvhView view = grzBvh_GetView(scene->bvh);
    grzBvhNode* nodes = Bench_Allocate(counting->bench, view.nodeCount, sizeof *nodes);
    grzBvhRefit refit = grzDefaultBvhRefit();
    double sum = 0;
    grzBox all = grzBox_Empty();
    refit.positions = KineticScene_Frame(scene, scene->frameCount - 1);
    if (nodes != NULL && !KineticScene_Failed(counting->bench, grzBvh_Refit(scene->bvh, NULL, &refit, nodes)))
        for (uint32_t leaf = 0; leaf < view.leafCount; ++leaf) {
            const grzBvhNode* node = &nodes[view.levelStarts[view.levelCount - 1] + leaf / GRZ_BVH_WIDTH];
            const uint32_t k = leaf % GRZ_BVH_WIDTH;
            const grzBox box = {grzVec3_Make(node->lower[0][k], node->lower[1][k], node->lower[2][k]),
                                grzVec3_Make(node->upper[0][k], node->upper[1][k], node->upper[2][k])};
            sum += surfaceOfBox(box);
            all = grzBox_Union(all, box);
        }
    Bench_Release(counting->bench, nodes, view.nodeCount, sizeof *nodes);
    return surfaceOfBox(all) > 0 ? sum / surfaceOfBox(all) : 0;
}

// Parts that have come to half as much again as when they were ordered are ordered anew.
static void tellLoose(const Counting* counting, grzBoxTree* tree) {
    const double tight = leavesMetInTight(counting), loose = leavesMet(tree);
    const uint64_t start = benchProcessorTime();
    const uint32_t parts = grzBoxTree_RebuildLoose(tree, 1.5F);
    const double time = (double)(benchProcessorTime() - start);
    count(counting, "leaves met, BoxTree", "a box", loose, tight);
    count(counting, "leaves met, rebuilt BoxTree", "a box", leavesMet(tree), tight);
    count(counting, "parts rebuilt, BoxTree", "parts", (double)parts, 0);
    count(counting, "rebuilding, BoxTree", "ns/triangle", time / (double)counting->scene->triangleCount, 0);
}

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
    count(counting, "all in all, BoxTree", "ns/event", time / (stats.events > 0 ? (double)stats.events : 1), 0);
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
        tellLoose(counting, tree);
        counting->same = grzBoxTree_Validate(tree);
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
          (double)grzChordTree_MemorySize(tree) / (double)scene->triangleCount, 0);
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

// ---- chords that are held to a tenth of an edge ----

static void countLoose(Counting* counting) {
    enum { PER_INTERVAL = 130, EVERY = 37 }; // so many that leaves are cut
    KineticLoose loose;
    if (!KineticLoose_Look(counting->bench, counting->scene, PER_INTERVAL, EVERY, &loose))
        return;
    counting->same = loose.isHeld;
    count(counting, "worst, loose 10 %", "of an edge", 0.1 * loose.worst, 0);
    count(counting, "mean, loose 10 %", "of an edge", 0.1 * loose.mean, 0);
    count(counting, "leaves cut, loose 10 %", "of all", loose.cut, 0);
    count(counting, "leaves read, loose 10 %", "of all", loose.read, 0);
}

// ---- memory of the others ----

// What a refit writes: the nodes alone.
static void countRefit(const Counting* counting) {
    const KineticScene* scene = counting->scene;
    const double size = (double)grzBvh_GetView(scene->bvh).nodeCount * sizeof(grzBvhNode);
    count(counting, "memory, refit", "bytes/triangle", size / (double)scene->triangleCount, 0);
}

static void countBatched(Counting* counting) {
    const KineticScene* scene = counting->scene;
    grzKineticTreeDef def = grzDefaultKineticTreeDef();
    def.bvh = scene->bvh, def.plan = scene->plan, def.numbering = grz_bvhTreesNumbers;
    def.order = grz_kineticBatched;
    grzKineticTree* tree;
    if (KineticScene_Failed(counting->bench, grzKineticTree_Create(&def, &tree)))
        return;
    if (!KineticScene_Failed(counting->bench, grzKineticTree_Advance(tree, NULL, intervalsOf(scene)))) {
        counting->same = grzKineticTree_Validate(tree);
        count(counting, "memory, batched", "bytes/triangle",
              (double)grzKineticTree_MemorySize(tree) / (double)scene->triangleCount, 0);
    }
    grzKineticTree_Destroy(tree);
}

void benchKineticCounts(Bench* bench, const KineticScene* scene) {
    Counting counting = {.bench = bench, .scene = scene};
    countTree(&counting);
    if (!bench->failed)
        countBoxTree(&counting);
    if (!bench->failed)
        countChord(&counting);
    if (!bench->failed)
        countLoose(&counting);
    if (!bench->failed)
        countBatched(&counting);
    if (!bench->failed)
        countRefit(&counting);
}
