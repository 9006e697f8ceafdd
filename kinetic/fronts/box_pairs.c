// What: graze/node_pairs.h: pairs of boxes at one time.
// Promise: in one frame the pairs are exactly the leaves whose boxes overlap. Under a pose no pair is missed whose
//   triangles meet.
// Idea: one walk from the roots stops at a depth where A has some hundred boxes; each of these, with its list of
//   B's boxes, is a task that walks on to the leaves (box_walk_kernel.h). The pairs of tasks are joined in the
//   order of tasks, so they are sorted.
// Threads: tasks write their own outputs; scratch belongs to workers, and is reserved for the largest task before
//   any runs.
#include <math.h>
#include <string.h>

#include "box_front.h"
#include "memory.h"
#include "owner.h"
#include "refuse_null.h"
#include "self_cull.h"

#define DEF_MARK   0x44505842u
#define QUERY_MARK 0x51505842u

enum {
    TASKS = 64,          // boxes of A at least, where it is large enough
    SCRATCH_NUMBERS = 8, // a box of B in a flat, and in a list
};

// ---- making ----

grzBoxPairsDef grzDefaultBoxPairsDef(void) {
    grzBoxPairsDef def;
    memset(&def, 0, sizeof def);
    def.mark = DEF_MARK;
    def.keepsFront = true;
    return def;
}

grzBoxPairsQuery grzDefaultBoxPairsQuery(void) {
    grzBoxPairsQuery query;
    memset(&query, 0, sizeof query);
    query.mark = QUERY_MARK;
    return query;
}

grzResult grzBoxPairs_Create(const grzBoxPairsDef* def, grzBoxPairs** made) {
    GRZ_REFUSE_NULL(made, 2);
    *made = NULL;
    if (def == NULL || def->mark != DEF_MARK)
        return grzFail(grz_badDef, 0);
    grzResult result;
    grzAllocator allocator = def->allocator;
    grzBoxPairs* pairs = grzOwner_New(&allocator, 1, sizeof *pairs, _Alignof(grzBoxPairs), &result);
    if (pairs == NULL)
        return result;
    grzCountedMemory_Init(&pairs->memory, allocator);
    pairs->keepsFront = def->keepsFront;
    *made = pairs;
    return grzOk();
}

static void releaseFound(BoxFound* found, const grzAllocator* allocator) {
    grzArray_Release(&found->rows, allocator);
    grzArray_Release(&found->numbers, allocator);
}

static void releaseFounds(Founds* founds, const grzAllocator* allocator) {
    for (size_t i = 0; i < founds->count; ++i)
        releaseFound(&founds->data[i], allocator);
    grzArray_Release(founds, allocator);
}

void grzBoxPairs_Destroy(grzBoxPairs* pairs) {
    if (pairs == NULL)
        return;
    const grzAllocator host = pairs->memory.host, *allocator = &pairs->memory.allocator;
    releaseFound(&pairs->tasks, allocator);
    releaseFounds(&pairs->founds, allocator);
    releaseFounds(&pairs->front.rows, allocator);
    grzArray_Release(&pairs->front.motions, allocator);
    for (int side = 0; side < 2; ++side)
        grzArray_Release(&pairs->front.leaves[side], allocator);
    for (int side = 0; side < 2; ++side) {
        grzArray_Release(&pairs->reached[side].bits, allocator);
        grzArray_Release(&pairs->reached[side].numbers, allocator);
    }
    grzArray_Release(&pairs->starts, allocator);
    grzArray_Release(&pairs->scratches, allocator);
    grzArray_Release(&pairs->scratchNumbers, allocator);
    grzArray_Release(&pairs->pairs, allocator);
    grzRelease(&host, pairs, 1, sizeof *pairs, _Alignof(grzBoxPairs));
}

// ---- the query ----

static const char* flawOf(const grzBoxPairsQuery* query) {
    if (query == NULL || query->mark != QUERY_MARK)
        return "the query was not made by grzDefaultBoxPairsQuery";
    if (query->a.bvh == NULL || query->a.nodes == NULL)
        return "a needs a hierarchy and its nodes";
    if ((query->b.bvh == NULL) != (query->b.nodes == NULL))
        return "b needs both a hierarchy and its nodes, or neither";
    if (query->b.bvh == NULL && query->poseB != NULL)
        return "poseB is set, but there is no b";
    if (query->cull != NULL && query->b.bvh != NULL)
        return "a cull is for one set with itself, but there is a b";
    if (query->cull != NULL && !grzSelfCull_Fits(query->cull, query->a.bvh))
        return "the cull is of another hierarchy, or was made before an edit or a rebuild";
    if (query->cull != NULL && query->margin != 0)
        return "a cull needs margin 0: it knows of contact alone";
    return query->margin < 0 || query->margin == INFINITY ? "the margin is negative or infinite" : NULL;
}

static BoxSide sideOf(const grzBoxSet* set) {
    const grzBvhView view = grzBvh_GetView(set->bvh);
    BoxSide side = {.levelCount = view.levelCount, .root = grzBvh_RootBox(set->nodes)};
    for (uint32_t i = 0; i < view.levelCount; ++i)
        side.levels[i] = set->nodes + view.levelStarts[i];
    return side;
}

grzResult grzBoxPairs_BeginWalk(const grzBoxPairsQuery* query, grzTasks* tasks, BoxWalk* walk) {
    const char* flaw = flawOf(query);
    if (flaw != NULL)
        return grzBecause(grzFail(grz_badArgument, 3), flaw);
    if (isnan(query->margin))
        return grzBecause(grzFail(grz_notFinite, 3), "the margin is NaN");
    grzBoxReach_Roots(query, tasks);
    *walk = (BoxWalk){.isPosed = query->poseB != NULL, .isSelf = query->b.bvh == NULL, .skin = query->margin};
    walk->a = sideOf(&query->a);
    walk->b = walk->isSelf ? walk->a : sideOf(&query->b);
    walk->isCulled = query->cull != NULL;
    for (uint32_t i = 0; walk->isCulled && i < walk->a.levelCount; ++i)
        walk->freeLevels[i] = grzSelfCull_Level(query->cull, i);
    if (!walk->isPosed || grzBox_IsEmpty(walk->b.root))
        return grzOk();
    if (!grzTransform_IsFinite(*query->poseB))
        return grzBecause(grzFail(grz_notFinite, 3), "poseB has a NaN or an infinity");
    if (!grzBoxFrame_Make(query->poseB, &walk->b.root, &walk->frame))
        return grzBecause(grzFail(grz_badArgument, 3), "poseB, or a box beside it, has numbers above 2^60");
    return grzOk();
}

// ---- scratch ----

static uint32_t boxesAt(const grzBvhView* view, uint32_t depth) {
    return depth == 0                 ? 1
           : depth < view->levelCount ? view->levelStarts[depth + 1] - view->levelStarts[depth]
                                      : view->leafCount;
}

typedef struct ScratchSizes {
    uint32_t flats[BOX_DEPTHS];
} ScratchSizes;

// The most boxes of B that can lie beside boxes of A on the way down from a list of `count`; that much stands in a flat, and
// what is left of it in a list.
static void sizeScratch(const BoxWalk* walk, const grzBvhView* viewB, const BoxPlace* from, ScratchSizes* sizes) {
    uint32_t depthB = from->depthB, count = from->count;
    for (uint32_t depth = from->depthA; depth < walk->stop; ++depth) {
        while (walk->a.levelCount - depth <= walk->b.levelCount - depthB) {
            const uint32_t most = boxesAt(viewB, ++depthB);
            count = count < most / 8 ? 8 * count : most;
        }
        sizes->flats[depth] = count > sizes->flats[depth] ? count : sizes->flats[depth];
    }
}

static size_t roomOf(uint32_t count) {
    return ((size_t)count + BOX_PAD + 15) / 16 * 16;
}

static bool reserveScratch(grzBoxPairs* pairs, const ScratchSizes* sizes, uint32_t workers) {
    const grzAllocator* allocator = &pairs->memory.allocator;
    size_t size = 0;
    for (int depth = 0; depth < BOX_DEPTHS; ++depth)
        size += SCRATCH_NUMBERS * roomOf(sizes->flats[depth]);
    if (!grzArray_Reserve(&pairs->scratches, allocator, workers) ||
        !grzArray_Reserve(&pairs->scratchNumbers, allocator, workers * size))
        return false;
    uint32_t* at = pairs->scratchNumbers.data;
    for (uint32_t worker = 0; worker < workers; ++worker)
        for (int depth = 0; depth < BOX_DEPTHS; ++depth) {
            const size_t room = roomOf(sizes->flats[depth]);
            BoxScratch* scratch = &pairs->scratches.data[worker];
            for (int side = 0; side < 6; ++side, at += room)
                scratch->flats[depth].sides[side] = (float*)at;
            scratch->flats[depth].numbers = at, at += room;
            scratch->lists[depth] = at, at += room;
        }
    return true;
}

// ---- tasks ----

// Where chunks are made when the walk comes to them: at theirs.
static uint32_t depthOfTasks(const grzBvhView* viewA, bool isLazy) {
    uint32_t depth = 0;
    if (isLazy)
        return viewA->levelCount > 2 ? viewA->levelCount - 2 : 0;
    while (depth + 1 < viewA->levelCount && boxesAt(viewA, depth) < TASKS)
        ++depth;
    return depth;
}

static void clearFound(BoxFound* found) {
    found->rows.count = found->numbers.count = 0;
    found->opened = found->tests = 0;
    found->ranOut = false;
}

bool grzBoxPairs_ReserveFounds(grzBoxPairs* pairs, Founds* founds, size_t count) {
    if (!grzArray_Reserve(founds, &pairs->memory.allocator, count) ||
        !grzArray_Reserve(&pairs->starts, &pairs->memory.allocator, count + 1))
        return false;
    while (founds->count < count)
        founds->data[founds->count++] = (BoxFound){.ranOut = false};
    for (size_t i = 0; i < count; ++i)
        clearFound(&founds->data[i]);
    return true;
}

typedef struct Run {
    grzBoxPairs* pairs;
    BoxWalk walk;
    grzBoxWalk_Fn* step;
    uint32_t depthA, depthB; // of the tasks
    Founds* to;
} Run;

// Walks to the tasks. The roots are the only one where A is small.
static bool makeTasks(const Run* run, const grzBvhView* viewB) {
    static const uint32_t root = 0;
    grzBoxPairs* pairs = run->pairs;
    BoxFound* tasks = &pairs->tasks;
    BoxWalk walk = run->walk;
    const BoxPlace place = {.list = &root, .count = 1};
    ScratchSizes sizes = {{0}};
    clearFound(tasks);
    walk.stop = run->depthA;
    sizeScratch(&walk, viewB, &place, &sizes);
    if (!reserveScratch(pairs, &sizes, 1) || !grzArray_Reserve(&tasks->rows, walk.allocator, 1) ||
        !grzArray_Reserve(&tasks->numbers, walk.allocator, 1))
        return false;
    walk.scratch = pairs->scratches.data, walk.found = tasks;
    if (walk.stop != 0) {
        run->step(&walk, &place);
        return !tasks->ranOut;
    }
    tasks->rows.data[tasks->rows.count++] = (BoxRow){0, 1};
    tasks->numbers.data[tasks->numbers.count++] = 0;
    return true;
}

static void runTasks(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    const Run* run = context;
    const grzBoxPairs* pairs = run->pairs;
    BoxWalk walk = run->walk;
    walk.scratch = &pairs->scratches.data[worker];
    for (uint32_t i = begin; i < end; ++i) {
        const BoxRow row = pairs->tasks.rows.data[i];
        const BoxPlace place = {run->depthA, run->depthB, row.number, row.count,
                                pairs->tasks.numbers.data + pairs->starts.data[i]};
        walk.found = &run->to->data[i];
        run->step(&walk, &place);
    }
}

// All tasks, in scratch that is large enough for each.
static bool runAll(Run* run, grzTasks* tasks, const grzBvhView* viewB) {
    grzBoxPairs* pairs = run->pairs;
    const BoxRows* rows = &pairs->tasks.rows;
    BoxPlace largest = {.depthA = run->depthA, .depthB = run->depthB};
    ScratchSizes sizes = {{0}};
    size_t at = 0;
    if (!grzBoxPairs_ReserveFounds(pairs, run->to, rows->count))
        return false;
    for (size_t i = 0; i < rows->count; ++i) {
        pairs->starts.data[i] = at;
        at += rows->data[i].count;
        largest.count = rows->data[i].count > largest.count ? rows->data[i].count : largest.count;
    }
    sizeScratch(&run->walk, viewB, &largest, &sizes);
    if (!reserveScratch(pairs, &sizes, grzTasks_WorkerCount(tasks)))
        return false;
    grzParallelFor(tasks, (uint32_t)rows->count, 1, runTasks, run);
    for (size_t i = 0; i < rows->count; ++i)
        if (run->to->data[i].ranOut)
            return false;
    return true;
}

// ---- what they found ----

static void joinTasks(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    (void)worker;
    grzBoxPairs* pairs = context;
    for (uint32_t i = begin; i < end; ++i) {
        const BoxFound* found = &pairs->founds.data[i];
        const uint32_t* leaf = found->numbers.data;
        grzLeafPair* to = pairs->pairs.data + pairs->starts.data[i];
        for (size_t r = 0; r < found->rows.count; ++r)
            for (uint32_t k = 0; k < found->rows.data[r].count; ++k)
                *to++ = (grzLeafPair){found->rows.data[r].number, *leaf++, 0, 1};
    }
}

static bool joinAll(grzBoxPairs* pairs, grzTasks* tasks, size_t taskCount) {
    size_t total = 0;
    for (size_t i = 0; i < taskCount; ++i) {
        const BoxFound* found = &pairs->founds.data[i];
        pairs->starts.data[i] = total;
        total += found->numbers.count;
    }
    if (!grzArray_Reserve(&pairs->pairs, &pairs->memory.allocator, total))
        return false;
    grzParallelFor(tasks, (uint32_t)taskCount, 1, joinTasks, pairs);
    pairs->pairs.count = total;
    return true;
}

bool grzBoxPairs_Walk(grzBoxPairs* pairs, grzTasks* tasks, const grzBoxPairsQuery* query, const BoxWalk* walk,
                      Founds* to, size_t* taskCount) {
    const grzBvhView viewA = grzBvh_GetView(query->a.bvh);
    const grzBvhView viewB = walk->isSelf ? viewA : grzBvh_GetView(query->b.bvh);
    Run run = {.pairs = pairs, .walk = *walk, .step = GRZ_PICK_KERNEL(grzBoxWalk), .to = to};
    run.depthA = depthOfTasks(&viewA, grzBoxPairsQuery_IsLazy(query));
    const uint32_t heightA = viewA.levelCount - run.depthA;
    run.depthB = run.depthA != 0 && heightA < viewB.levelCount ? viewB.levelCount - heightA : 0;
    run.walk.stop = viewA.levelCount;
    if (!makeTasks(&run, &viewB) || !grzBoxReach_Tasks(pairs, tasks, query, walk, run.depthB) ||
        !runAll(&run, tasks, &viewB))
        return false;
    *taskCount = pairs->tasks.rows.count;
    pairs->stats.opened = pairs->tasks.opened, pairs->stats.tests = pairs->tasks.tests;
    for (size_t i = 0; i < *taskCount; ++i)
        pairs->stats.opened += to->data[i].opened, pairs->stats.tests += to->data[i].tests;
    return true;
}

// The front has said what is to be done, and is asked, or made, or left as it is.
static bool findAll(grzBoxPairs* pairs, grzTasks* tasks, const grzBoxPairsQuery* query, const BoxWalk* walk) {
    const BoxFrontStep step = pairs->keepsFront ? grzBoxFront_Begin(pairs, tasks, query, walk) : box_frontRests;
    size_t taskCount = 0;
    bool isDone = step != box_frontRefused;
    if (isDone && (step == box_frontBuilds || step == box_frontServes))
        isDone = (step == box_frontServes || grzBoxFront_Build(pairs, tasks, query, walk)) &&
                 grzBoxFront_Ask(pairs, tasks, walk, &taskCount);
    else if (isDone)
        isDone = grzBoxPairs_Walk(pairs, tasks, query, walk, &pairs->founds, &taskCount);
    if (!isDone || !joinAll(pairs, tasks, taskCount))
        return false;
    if (step == box_frontWatches)
        grzBoxFront_NoteWalk(pairs);
    pairs->stats.served += step == box_frontServes;
    pairs->stats.built += step == box_frontBuilds;
    return true;
}

grzResult grzBoxPairs_Find(grzBoxPairs* pairs, grzTasks* tasks, const grzBoxPairsQuery* query) {
    GRZ_REFUSE_NULL(pairs, 1);
    BoxWalk walk;
    const grzResult result = grzBoxPairs_BeginWalk(query, tasks, &walk);
    if (!grzResult_IsOk(result))
        return result;
    walk.allocator = &pairs->memory.allocator;
    if (grzBox_IsEmpty(walk.a.root) || grzBox_IsEmpty(walk.b.root)) {
        pairs->pairs.count = 0;
        grzBoxFront_Forget(&pairs->front);
        return grzOk();
    }
    if (findAll(pairs, tasks, query, &walk))
        return grzOk();
    grzBoxFront_Forget(&pairs->front);
    return grzNoMemory(pairs->pairs.count + 1, sizeof(grzLeafPair));
}

grzBoxPairsView grzBoxPairs_GetView(const grzBoxPairs* pairs) {
    GRZ_RETURN_IF_NULL(pairs, (grzBoxPairsView){0});
    return (grzBoxPairsView){pairs->pairs.data, pairs->pairs.count};
}

grzBoxPairsStats grzBoxPairs_GetStats(const grzBoxPairs* pairs) {
    GRZ_RETURN_IF_NULL(pairs, (grzBoxPairsStats){0});
    return pairs->stats;
}

size_t grzBoxPairs_MemorySize(const grzBoxPairs* pairs) {
    GRZ_RETURN_IF_NULL(pairs, 0);
    return sizeof *pairs + grzCountedMemory_Size(&pairs->memory);
}
