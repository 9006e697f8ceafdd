// What: graze/chord_tree.h: making chord trees, and time.
// Idea: three sets of nodes, each of one keyframe: that before the time of the tree, that after it, and the one after that, of
//   which the chunks are refit one after the other as time passes. With a looseness a chunk is fitted while it is refit: it is
//   found out how loose its chords from the keyframe before are. That costs as much again, and pays where several frames are
//   drawn of the interval. So a step in which more than half of the chunks come up does without, and leaves are looked at where
//   they are read.
//   A lazy tree has the same sets, and makes of a chunk its box alone (chord_lazy.h).
// Holds: `done` chunks of a set, from the first on, are of its keyframe, and with all of them every node is: a node is computed
//   anew with each chunk below it, and so with the last of them. A set that is not done is of the keyframe after `to`, and what
//   is done of its parts is as much.
// Based on: convexity of the upper envelope of lines, as in [Zachmann and Weller 2006] section 5.
#include "graze/chord_tree.h"

#include <math.h>
#include <sched.h>
#include <string.h>

#include "bvh_parts.h"
#include "bvh_refit_kernel.h"
#include "chord_fit_kernel.h"
#include "chord_lazy.h"
#include "memory.h"
#include "plan_flaw.h"
#include "refuse_null.h"

#define DEF_MARK 0x44524843u

grzChordTreeDef grzDefaultChordTreeDef(void) {
    grzChordTreeDef def;
    memset(&def, 0, sizeof def);
    def.mark = DEF_MARK;
    def.numbering = grz_bvhCallersNumbers;
    def.looseness = (float)INFINITY;
    def.readyBy = 1;
    def.startTime = (double)NAN;
    return def;
}

// ---- chunks ----

enum {
    GRAIN = 16,  // chunks a task, some microseconds; with fewer two workers gained no more
    PIECE = 64,  // chunks that are due before a frame does any of the keyframe ahead, and of small meshes
    PIECES = 16, // this part of them
};

typedef struct Refitting {
    ChordJob job;
    uint32_t first; // chunk
    uint32_t bottomCount;
    const uint64_t* wanted; // bits of chunks that are to be fitted, if they are not yet; NULL: all
    bool isFitted;
} Refitting;

static bool hasBit(const uint64_t* bits, uint32_t i) {
    return (bits[i / 64] >> i % 64 & 1) != 0;
}

static void fitBlock(const Refitting* work, uint32_t begin, uint32_t end) {
    grzChordFit_Fn* fit = GRZ_PICK_KERNEL(grzChordFit);
    for (uint32_t c = begin; c < end; ++c)
        if (work->wanted == NULL || (hasBit(work->wanted, c) && !hasBit(work->job.parts.fitted, c)))
            fit(&work->job, c);
}

static void refitBottoms(const Refitting* work, uint32_t begin, uint32_t end) {
    const BvhRefitJob job = {work->job.bvh, work->job.to,  NULL,           work->job.toStride,
                             false,         work->job.map, work->job.nodes};
    const uint32_t last = end * CHORD_CHUNK_NODES;
    GRZ_PICK_KERNEL(grzBvhRefitBottom)
    (&job, begin * CHORD_CHUNK_NODES, last < work->bottomCount ? last : work->bottomCount);
}

// With the boxes of the chunks, each in a lane of its own.
static void refitBlock(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    (void)worker;
    const Refitting* work = context;
    const grzBvhView* view = &work->job.bvh->view;
    begin += work->first, end += work->first;
    if (work->isFitted)
        fitBlock(work, begin, end);
    else
        refitBottoms(work, begin, end);
    if (view->levelCount > 2)
        GRZ_PICK_KERNEL(grzBvhRefitInner)(view, work->job.nodes, view->levelCount - 2, begin, end);
}

// What has not been fitted, of the chunks that are wanted; their boxes are there.
static void reachBlock(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    (void)worker;
    fitBlock(context, begin, end);
}

// Brings up to date what is above the boxes of the chunks first .. end - 1.
static void refitAbove(const grzChordTree* tree, grzBvhNode* nodes, uint32_t first, uint32_t end) {
    grzBvhRefitInner_Fn* inner = GRZ_PICK_KERNEL(grzBvhRefitInner);
    for (uint32_t level = tree->view.levelCount - 1; level-- > 2;) {
        first /= GRZ_BVH_WIDTH;
        end = (end + GRZ_BVH_WIDTH - 1) / GRZ_BVH_WIDTH;
        inner(&tree->view, nodes, level - 1, first, end);
    }
}

ChordLeaves grzChord_AllRead(const grzChordTree* tree, uint32_t node) {
    const uint32_t count = grzBvhView_ChildCount(&tree->view, tree->view.levelCount - 1, node);
    return (ChordLeaves){count == GRZ_BVH_WIDTH ? UINT32_MAX : (UINT32_C(1) << 4 * count) - 1, 0};
}

void grzChord_LeaveToReaders(const grzChordTree* tree, ChordParts* parts, uint32_t first, uint32_t end) {
    const uint32_t bottoms = grzChord_BottomCount(tree), past = end * CHORD_CHUNK_NODES;
    for (uint32_t i = first * CHORD_CHUNK_NODES; i < past && i < bottoms; ++i)
        parts->leaves[i] = grzChord_AllRead(tree, i);
    for (uint32_t c = first; c < end; ++c)
        parts->fitted[c / 64] &= ~(UINT64_C(1) << c % 64);
}

// `before`, unless NULL: the set of the keyframe before, to which chords are fitted.
static Refitting makeWork(const grzChordTree* tree, const ChordSet* set, const ChordSet* before) {
    Refitting work = {.bottomCount = grzChord_BottomCount(tree), .isFitted = before != NULL};
    work.job = grzChord_JobOf(tree, before != NULL ? before : set, set);
    return work;
}

// Refits the chunks done .. count - 1 of a set.
static void refitChunks(grzChordTree* tree, grzTasks* tasks, ChordSet* set, uint32_t count, const ChordSet* before,
                        uint32_t mostLog) {
    const uint32_t first = set->done;
    if (first >= count)
        return;
    set->done = count;
    if (tree->lazy != NULL) {
        grzChordLazy_MakeRoots(tree, tasks, set, first, count);
        refitAbove(tree, set->nodes, first, count);
        tree->roots += count - first;
        return;
    }
    Refitting work = makeWork(tree, set, before);
    work.first = first;
    work.job.mostLog = mostLog;
    grzParallelFor(tasks, count - first, GRAIN, refitBlock, &work);
    refitAbove(tree, set->nodes, first, count);
    for (uint32_t c = first; c < count && before != NULL; ++c)
        work.job.parts.fitted[c / 64] |= UINT64_C(1) << c % 64;
    tree->chunks += count - first;
}

// ---- sets ----

static void emptySet(grzChordTree* tree, ChordSet* set, double frame) {
    if (tree->lazy != NULL)
        grzChordLazy_Forget(tree, set);
    set->frame = frame;
    set->done = 0;
}

// How little a set is worth keeping beside that of a keyframe.
static double distance(const ChordSet* set, double frame) {
    return set->frame < 0 ? (double)INFINITY : fabs(set->frame - frame);
}

// The set of a keyframe, else one that is of neither `frame` nor `other`, emptied for it: of two the one that is farther away, so
// that time may go back by an interval for one refit.
static ChordSet* takeSet(grzChordTree* tree, double frame, double other) {
    ChordSet* set = NULL;
    for (int i = 0; i < CHORD_SETS; ++i) {
        if (tree->sets[i].frame == frame)
            return &tree->sets[i];
        if (tree->sets[i].frame != other && (set == NULL || distance(&tree->sets[i], frame) > distance(set, frame)))
            set = &tree->sets[i];
    }
    emptySet(tree, set, frame);
    return set;
}

// Refits up to `count` chunks of the set that begins an interval. They may be asked for as the end of the interval before, to
// which they are not fitted on this way.
static void refitBegin(grzChordTree* tree, grzTasks* tasks, ChordSet* set, uint32_t count) {
    const uint32_t first = set->done;
    refitChunks(tree, tasks, set, count, NULL, 0);
    if (tree->looseness == INFINITY || tree->lazy != NULL || first >= count)
        return;
    ChordParts* parts = grzChord_PartsOf(tree, set->frame);
    if (parts->frame == set->frame)
        grzChord_LeaveToReaders(tree, parts, first, count);
}

// To cut what is loose costs most of a refit of everything; reading it then takes less, by a sixth of a refit a frame where
// everything is read. Queries read little: a twentieth is taken for what is usual, so that it pays from some 100 frames an
// interval.
static uint32_t logFor(double step) {
    uint32_t log = 0;
    while (log < CHORD_MOST_LOG && step * (double)(128u << log) <= 1)
        ++log;
    return log;
}

// Refits up to `count` chunks of the set that ends the interval after `before`. `step`: what part of an interval passes
// meanwhile.
static void refitEnd(grzChordTree* tree, grzTasks* tasks, ChordSet* set, uint32_t count, const ChordSet* before,
                     double step) {
    const uint32_t first = set->done, all = grzChord_ChunkCount(tree);
    if (tree->looseness == INFINITY || tree->lazy != NULL) {
        refitChunks(tree, tasks, set, count, NULL, 0);
        return;
    }
    ChordParts* parts = grzChord_PartsOf(tree, set->frame);
    if (parts->frame != set->frame) { // what is done of the set was not fitted, or its parts gave way
        parts->frame = set->frame;
        memset(parts->fitted, 0, grzChord_WordCount(tree) * sizeof *parts->fitted);
        grzChord_LeaveToReaders(tree, parts, 0, first);
    }
    if (first >= count)
        return;
    const bool isFitted = step <= 0.5 && (count - first <= all / 2 || all == 1);
    refitChunks(tree, tasks, set, count, isFitted ? before : NULL, logFor(step));
    if (!isFitted)
        grzChord_LeaveToReaders(tree, parts, first, count);
}

// ---- time ----

// To begin costs a frame as much as a chunk or two, and the more where workers are to be woken: what is due waits until it is
// worth that. What has not come to be is done when the keyframe is due.
static uint32_t pieceOf(uint32_t all) {
    return all / PIECES < 1 ? 1 : all / PIECES < PIECE ? all / PIECES : PIECE;
}

// How many chunks of the set ahead are to be done when so much of an interval has passed.
static uint32_t dueBy(const grzChordTree* tree, double part, uint32_t all) {
    return (uint32_t)ceil(fmin(part / (double)tree->readyBy, 1) * all);
}

static void goTo(grzChordTree* tree, grzTasks* tasks, double at, double step) {
    const double number = floor(at), last = grzPlan_End(tree->plan), next = fmin(number + 1, last);
    const uint32_t all = grzChord_ChunkCount(tree);
    ChordSet* from = takeSet(tree, number, next);
    ChordSet* to = takeSet(tree, next, number);
    refitBegin(tree, tasks, from, all);
    if (to != from)
        refitEnd(tree, tasks, to, all, from, step);
    tree->from = from;
    tree->to = to;
    tree->part = (float)(at - number);
    tree->at = at;
    if (tree->lazy != NULL)
        grzChordLazy_Begin(tree, NULL);
    if (number + 2 > last)
        return;
    ChordSet* ahead = tree->sets; // the third
    while (ahead == from || ahead == to)
        ++ahead;
    if (ahead->frame != number + 2)
        emptySet(tree, ahead, number + 2);
    const uint32_t before = ahead->done, due = dueBy(tree, at - number, all);
    const bool isLast = due == all && before < all && tree->readyBy < 1; // somebody waits for it
    if (due >= before + pieceOf(all) || isLast)
        refitEnd(tree, tasks, ahead, due, to, step);
    tree->early += ahead->done - before;
}

const char* grzChord_FlawOfFollowing(const grzChordTree* tree) {
    return tree->followed == tree->bvh->revision
               ? NULL
               : "the hierarchy was edited or rebuilt, and the tree has not followed";
}

grzResult grzChordTree_Advance(grzChordTree* tree, grzTasks* tasks, double time) {
    GRZ_REFUSE_NULL(tree, 1);
    if (!grzPlan_Knows(tree->plan, time))
        return grzBecause(grzFail(grz_badArgument, 3), "the time is outside of what the plan knows");
    const char* flaw = grzChord_FlawOfFollowing(tree);
    if (flaw != NULL)
        return grzBecause(grzFail(grz_badArgument, 1), flaw);
    const double at = grzPlan_TimeOf(tree->plan, time);
    goTo(tree, tasks, at, fabs(at - (tree->from->frame + (double)tree->part)));
    tree->time = time;
    return grzOk();
}

uint32_t grzChordTree_Prepare(grzChordTree* tree, grzTasks* tasks, double number, uint32_t count) {
    const uint32_t chunks = grzChord_ChunkCount(tree);
    ChordSet* sets[2] = {takeSet(tree, number, number + 1), takeSet(tree, number + 1, number)};
    for (int i = 0; i < 2; ++i) {
        const uint32_t left = chunks - sets[i]->done, some = count < left ? count : left;
        if (i == 0)
            refitBegin(tree, tasks, sets[i], sets[i]->done + some);
        else
            refitEnd(tree, tasks, sets[i], sets[i]->done + some, NULL, 1);
        count -= some;
    }
    return 2 * chunks - sets[0]->done - sets[1]->done;
}

typedef struct ReachingLazy {
    const grzChordTree* tree;
    const uint64_t* chunks; // NULL: all
} ReachingLazy;

static void reachLazyBlock(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    (void)worker;
    const ReachingLazy* work = context;
    for (uint32_t c = begin; c < end; ++c)
        if (work->chunks == NULL || hasBit(work->chunks, c))
            grzChordLazy_Reach(work->tree, c);
}

void grzChord_ReachLazy(const grzChordTree* tree, grzTasks* tasks, const uint64_t* chunks) {
    ReachingLazy work = {tree, chunks};
    grzParallelFor(tasks, tree->view.chunkCount, GRAIN, reachLazyBlock, &work);
}

// The chunk that a node lies in; NO_CHUNK higher up.
#define NO_CHUNK UINT32_MAX

static uint32_t chunkOf(const grzChordTree* tree, uint32_t level, uint32_t index) {
    if (tree->lazy == NULL || level + 2 < tree->view.levelCount)
        return NO_CHUNK;
    return level + 1 < tree->view.levelCount ? index : index / CHORD_CHUNK_NODES;
}

void grzChord_ReachNode(const grzChordTree* tree, uint32_t level, uint32_t index) {
    const uint32_t chunk = chunkOf(tree, level, index);
    if (chunk != NO_CHUNK)
        grzChordLazy_Reach(tree, chunk);
}

void grzChord_AwaitNode(const grzChordTree* tree, uint32_t level, uint32_t index) {
    const uint32_t chunk = chunkOf(tree, level, index);
    if (chunk == NO_CHUNK)
        return;
    grzChordLazy_Reach(tree, chunk);
    while (!grzChordLazy_IsDone(tree->lazy, chunk)) // its maker waits for nobody
        (void)sched_yield();
}

grzResult grzChordTree_Reach(grzChordTree* tree, grzTasks* tasks, const uint64_t* chunks) {
    GRZ_REFUSE_NULL(tree, 1);
    if (chunks == NULL)
        return grzBecause(grzFail(grz_badArgument, 3), "chunks is NULL");
    const char* flaw = grzChord_FlawOfFollowing(tree);
    if (flaw != NULL)
        return grzBecause(grzFail(grz_badArgument, 1), flaw);
    if (tree->lazy != NULL) {
        grzChord_ReachLazy(tree, tasks, chunks);
        return grzOk();
    }
    if (tree->looseness == INFINITY || tree->from == tree->to || tree->view.chunkCount == 0)
        return grzOk();
    Refitting work = makeWork(tree, tree->to, tree->from);
    work.wanted = chunks;
    grzParallelFor(tasks, tree->view.chunkCount, GRAIN, reachBlock, &work);
    for (size_t i = 0; i < ((size_t)tree->view.chunkCount + 63) / 64; ++i)
        work.job.parts.fitted[i] |= chunks[i];
    return grzOk();
}

double grzChordTree_Time(const grzChordTree* tree) {
    GRZ_RETURN_IF_NULL(tree, 0);
    return tree->time;
}

// Leaves of a chunk that is not made are all looked at where they are read.
static void countLeaves(const grzChordTree* tree, uint32_t node, grzChordTreeStats* stats) {
    if (tree->lazy != NULL && !grzChordLazy_IsDone(tree->lazy, node / CHORD_CHUNK_NODES)) {
        stats->leavesRead += grzBvhView_ChildCount(&tree->view, tree->view.levelCount - 1, node);
        return;
    }
    for (uint32_t logs = tree->parts[(uint64_t)tree->to->frame % 2].leaves[node].logs; logs != 0; logs >>= 4) {
        stats->leavesRead += (logs & 15) == CHORD_EXACT;
        stats->leavesCut += (logs & 15) != CHORD_EXACT && (logs & 15) != 0;
    }
}

ChordWork grzChord_Work(const grzChordTree* tree) {
    // Relaxed: a count, for nobody who reads what was counted.
    const uint64_t made = tree->lazy != NULL ? atomic_load_explicit(&tree->lazy->made, memory_order_relaxed) : 0;
    return (ChordWork){tree->chunks + made, tree->roots};
}

grzChordTreeStats grzChordTree_GetStats(const grzChordTree* tree) {
    GRZ_RETURN_IF_NULL(tree, (grzChordTreeStats){0});
    const ChordWork work = grzChord_Work(tree);
    grzChordTreeStats stats = {.chunks = work.chunks, .early = tree->early, .roots = work.roots};
    if (tree->looseness == INFINITY || tree->part == 0)
        return stats;
    for (uint32_t i = 0; i < grzChord_BottomCount(tree); ++i)
        countLeaves(tree, i, &stats);
    return stats;
}

// ---- making it ----

static const char* flawOf(const grzChordTreeDef* def) {
    const char* flaw = grzPlan_FlawOfTree(def->bvh, def->plan, def->numbering, def->startTime);
    if (flaw != NULL)
        return flaw;
    if (def->plan->kind != grz_planKeyframes)
        return "plan is one of paths";
    if (grzFlightplan_VertexCount(def->plan) != grzBvh_GetView(def->bvh).vertexCount)
        return "plan has not as many vertices as bvh";
    if (!(def->readyBy > 0 && def->readyBy <= 1))
        return "readyBy is not above 0 and up to 1";
    return def->looseness > 0 ? NULL : "looseness is not above 0";
}

static size_t boxCount(const grzChordTree* tree) {
    return (size_t)grzChord_ChunkCount(tree) * CHORD_CHUNK_BOXES;
}

static grzResult takeParts(grzChordTree* tree, ChordParts* parts) {
    const size_t leaves = grzChord_BottomCount(tree), boxes = boxCount(tree);
    parts->frame = -1;
    parts->leaves = grzAllocate(&tree->allocator, leaves, sizeof *parts->leaves, _Alignof(ChordLeaves));
    if (parts->leaves == NULL)
        return grzNoMemory(leaves, sizeof *parts->leaves);
    memset(parts->leaves, 0, leaves * sizeof *parts->leaves);
    parts->boxes = grzAllocate(&tree->allocator, boxes, sizeof *parts->boxes, GRZ_BVH_ALIGNMENT);
    if (parts->boxes == NULL)
        return grzNoMemory(boxes, sizeof *parts->boxes);
    const size_t words = grzChord_WordCount(tree);
    parts->fitted = grzAllocate(&tree->allocator, words, sizeof *parts->fitted, _Alignof(uint64_t));
    if (parts->fitted == NULL)
        return grzNoMemory(words, sizeof *parts->fitted);
    memset(parts->fitted, 0, words * sizeof *parts->fitted);
    return grzOk();
}

grzResult grzChord_TakeMemory(grzChordTree* tree) {
    const size_t nodeCount = tree->view.nodeCount;
    for (int i = 0; i < CHORD_SETS; ++i) {
        tree->sets[i].frame = -1;
        tree->sets[i].nodes = grzAllocate(&tree->allocator, nodeCount, sizeof(grzBvhNode), GRZ_BVH_ALIGNMENT);
        if (tree->sets[i].nodes == NULL)
            return grzNoMemory(nodeCount, sizeof(grzBvhNode));
    }
    grzResult result = grzOk();
    for (int i = 0; i < 2 && tree->looseness != INFINITY && grzResult_IsOk(result); ++i)
        result = takeParts(tree, &tree->parts[i]);
    if (grzResult_IsOk(result) && tree->isLazy && tree->view.chunkCount > 1)
        tree->lazy = grzChordLazy_Make(tree, &result);
    return result;
}

void grzChord_RefitSet(const grzChordTree* tree, grzTasks* tasks, const ChordSet* set, const uint64_t* chunks) {
    const PlanFrame* frame = grzChord_Frame(tree, set->frame);
    grzBvhRefit refit = grzDefaultBvhRefit();
    refit.positions = frame->positions;
    refit.stride = frame->stride * sizeof(float);
    refit.numbering = tree->numbering;
    refit.dirtyChunks = chunks;
    grzBvh_RefitKnown(tree->bvh, tasks, &refit, set->nodes);
}

// The first keyframe as a refit has it. The other sets get its lanes without children, which nobody writes afterwards.
static void makeFirst(grzChordTree* tree, grzTasks* tasks, double number) {
    tree->sets[0].frame = number;
    grzChord_RefitSet(tree, tasks, &tree->sets[0], NULL);
    tree->sets[0].done = grzChord_ChunkCount(tree);
    for (int i = 1; i < CHORD_SETS; ++i)
        memcpy(tree->sets[i].nodes, tree->sets[0].nodes, tree->view.nodeCount * sizeof(grzBvhNode));
    if (tree->lazy != NULL)
        grzChordLazy_SetInside(tree, tree->sets, NULL);
}

// The second keyframe is fitted here, although all of it comes up at once: it is for many frames.
void grzChord_Start(grzChordTree* tree, grzTasks* tasks, double time) {
    const double at = grzPlan_TimeOf(tree->plan, time), number = floor(at);
    makeFirst(tree, tasks, number);
    if (number + 1 <= grzPlan_End(tree->plan) && tree->looseness != INFINITY && tree->lazy == NULL) {
        ChordSet* to = takeSet(tree, number + 1, number);
        grzChord_PartsOf(tree, to->frame)->frame = to->frame;
        refitChunks(tree, tasks, to, grzChord_ChunkCount(tree), tree->sets, CHORD_MOST_LOG);
    }
    goTo(tree, tasks, at, 0);
    tree->time = time;
}

grzResult grzChordTree_Create(const grzChordTreeDef* def, grzChordTree** made) {
    GRZ_REFUSE_NULL(made, 2);
    *made = NULL;
    if (def == NULL || def->mark != DEF_MARK)
        return grzFail(grz_badDef, 0);
    grzResult result;
    grzChordTree* tree =
        grzPlan_NewTree(flawOf(def), def->allocator, sizeof *tree, _Alignof(grzChordTree), &result);
    if (tree == NULL)
        return result;
    tree->allocator = grzAllocator_OrDefault(def->allocator);
    tree->bvh = def->bvh;
    tree->view = grzBvh_GetView(def->bvh);
    tree->plan = def->plan;
    tree->followed = def->bvh->revision;
    tree->numbering = def->numbering;
    tree->looseness = def->looseness;
    tree->readyBy = def->readyBy;
    tree->isLazy = def->isLazy;
    result = grzChord_TakeMemory(tree);
    if (grzResult_IsOk(result)) {
        grzChord_Start(tree, def->tasks, grzPlan_StartOf(def->plan, def->startTime));
        tree->chunks = tree->early = tree->roots = 0;
        *made = tree;
    } else {
        grzChordTree_Destroy(tree);
    }
    return result;
}

void grzChord_ReleaseMemory(grzChordTree* tree) {
    const grzAllocator allocator = tree->allocator;
    grzChordLazy_Release(tree, tree->lazy);
    for (int i = 0; i < CHORD_SETS; ++i)
        grzRelease(&allocator, tree->sets[i].nodes, tree->view.nodeCount, sizeof(grzBvhNode), GRZ_BVH_ALIGNMENT);
    for (int i = 0; i < 2; ++i) {
        grzRelease(&allocator, tree->parts[i].leaves, grzChord_BottomCount(tree), sizeof(ChordLeaves),
                   _Alignof(ChordLeaves));
        grzRelease(&allocator, tree->parts[i].fitted, grzChord_WordCount(tree), sizeof(uint64_t),
                   _Alignof(uint64_t));
        grzRelease(&allocator, tree->parts[i].boxes, boxCount(tree), sizeof(ChordBox), GRZ_BVH_ALIGNMENT);
    }
}

void grzChordTree_Destroy(grzChordTree* tree) {
    if (tree == NULL)
        return;
    const grzAllocator allocator = tree->allocator;
    grzChord_ReleaseMemory(tree);
    grzRelease(&allocator, tree, 1, sizeof *tree, _Alignof(grzChordTree));
}

size_t grzChordTree_MemorySize(const grzChordTree* tree) {
    GRZ_RETURN_IF_NULL(tree, 0);
    size_t size = sizeof *tree + CHORD_SETS * (size_t)tree->view.nodeCount * sizeof(grzBvhNode);
    if (tree->looseness != INFINITY)
        size += 2 * (grzChord_BottomCount(tree) * sizeof(ChordLeaves) + boxCount(tree) * sizeof(ChordBox) +
                     grzChord_WordCount(tree) * sizeof(uint64_t));
    if (tree->lazy != NULL)
        size += grzChordLazy_Size(tree);
    return size;
}
