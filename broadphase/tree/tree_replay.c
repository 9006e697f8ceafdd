// What: replays a workload on one tree.
//
// Idea: operations of one kind that stand together are a run, and a run of changes is one call, as a host with
// arrays would make it. The clock is read at both ends of a run and nowhere else; gathering the call's arrays is
// not timed, since a host has them.
//
// Holds: ids has the tree's id of every object that is in it, by the host's number, which is also the object's key.
// Limits: the workload is not trusted: each operation is checked before it reaches the tree, and refused by its
// place.
#include "tree_replay.h"

#include <string.h>

#include "clock.h"
#include "memory.h"
#include "tree_inside.h"

static uint64_t ownClock(void* context) {
    (void)context;
    return grzMonotonicNanoseconds();
}

grzResult grzTreeReplay_Create(TreeReplay* replay, const grzTreeAdviceDef* def) {
    *replay = (TreeReplay){.def = def, .allocator = grzAllocator_OrDefault(def->allocator)};
    replay->clock = def->clock != NULL ? def->clock : ownClock;
    grzResult result = grzTreeHits_Create(replay->allocator, &replay->hits);
    return grzResult_IsOk(result) ? grzTreePairs_Create(replay->allocator, &replay->pairs) : result;
}

void grzTreeReplay_Destroy(TreeReplay* replay) {
    grzTreeHits_Destroy(replay->hits);
    grzTreePairs_Destroy(replay->pairs);
    grzTree_Destroy(replay->tree);
    grzArray_Release(&replay->ids, &replay->allocator);
    grzArray_Release(&replay->stamps, &replay->allocator);
    grzArray_Release(&replay->runIds, &replay->allocator);
    grzArray_Release(&replay->runBoxes, &replay->allocator);
    grzArray_Release(&replay->runObjects, &replay->allocator);
}

// --------------------------------------------------------------------------------------------------- checks

static grzResult refuse(grzStatus status, size_t operation, uint64_t value) {
    return grzFailAt(status, grz_partElement, operation, value);
}

// The id of an operation's object, all zeros where it is not in the tree.
static grzTreeId idOf(const TreeReplay* replay, const grzTreeOp* op) {
    grzTreeId none = {0, 0};
    return op->object < replay->ids.count ? replay->ids.data[op->object] : none;
}

static grzResult checkBox(const grzTreeOp* op, size_t at) {
    if (!grzVec3_IsFinite(op->box.lower) || !grzVec3_IsFinite(op->box.upper))
        return refuse(grz_notFinite, at, 0);
    return grzBox_IsEmpty(op->box) ? refuse(grz_invertedBounds, at, 0) : grzOk();
}

// Whether the object was not yet named in this run.
static bool isNew(TreeReplay* replay, uint32_t object) {
    bool isFirst = replay->stamps.data[object] != replay->stamp;
    replay->stamps.data[object] = replay->stamp;
    return isFirst;
}

// Room in both tables for an object's number.
static bool reserveNumber(TreeReplay* replay, uint32_t object) {
    size_t wanted = (size_t)object + 1, before = replay->ids.count;
    if (wanted <= before)
        return true;
    if (!grzArray_Reserve(&replay->ids, &replay->allocator, wanted) ||
        !grzArray_Reserve(&replay->stamps, &replay->allocator, wanted))
        return false;
    memset(replay->ids.data + before, 0, (wanted - before) * sizeof *replay->ids.data);
    memset(replay->stamps.data + before, 0, (wanted - before) * sizeof *replay->stamps.data);
    replay->ids.count = replay->stamps.count = wanted;
    return true;
}

// --------------------------------------------------------------------------------------------------- changes

// A run: operations [begin, end), all of one kind.
typedef struct OpRun {
    const grzTreeOp* ops;
    size_t begin, end;
} OpRun;

typedef struct Stopwatch {
    const TreeReplay* replay;
    uint64_t* sum;
    uint64_t start;
} Stopwatch;

static Stopwatch startWatch(const TreeReplay* replay, uint64_t* sum) {
    Stopwatch watch = {replay, sum, replay->clock(replay->def->clockContext)};
    return watch;
}

static void stopWatch(const Stopwatch* watch) {
    *watch->sum += watch->replay->clock(watch->replay->def->clockContext) - watch->start;
}

static grzResult gatherInserts(TreeReplay* replay, OpRun run) {
    replay->runObjects.count = 0;
    if (!grzArray_Reserve(&replay->runObjects, &replay->allocator, run.end - run.begin) ||
        !grzArray_Reserve(&replay->runIds, &replay->allocator, run.end - run.begin))
        return grzNoMemory(run.end - run.begin, sizeof(grzTreeObject));
    for (size_t i = run.begin; i < run.end; ++i) {
        const grzTreeOp* op = &run.ops[i];
        grzResult result = checkBox(op, i);
        if (!grzResult_IsOk(result))
            return result;
        if (!reserveNumber(replay, op->object))
            return grzNoMemory((size_t)op->object + 1, sizeof(grzTreeId));
        if (idOf(replay, op).index1 != 0 || !isNew(replay, op->object))
            return grzBecause(refuse(grz_badArgument, i, 1), "the object to insert is in the tree already");
        grzTreeObject object = {op->box, op->object, op->category, op->mask};
        replay->runObjects.data[replay->runObjects.count++] = object;
    }
    return grzOk();
}

static grzResult replayInserts(TreeReplay* replay, OpRun run, grzTreeMeasurement* m) {
    grzResult result = gatherInserts(replay, run);
    if (!grzResult_IsOk(result))
        return result;
    Stopwatch watch = startWatch(replay, &m->changeTime);
    result = grzTree_InsertMany(replay->tree, replay->runObjects.data, run.end - run.begin, replay->runIds.data);
    stopWatch(&watch);
    for (size_t i = run.begin; i < run.end && grzResult_IsOk(result); ++i)
        replay->ids.data[run.ops[i].object] = replay->runIds.data[i - run.begin];
    return result;
}

// Gathers ids and boxes; *named is how many different objects there are.
static grzResult gatherUpdates(TreeReplay* replay, OpRun run, uint32_t* named) {
    size_t count = run.end - run.begin;
    if (!grzArray_Reserve(&replay->runIds, &replay->allocator, count) ||
        !grzArray_Reserve(&replay->runBoxes, &replay->allocator, count))
        return grzNoMemory(count, sizeof(grzBox));
    *named = 0;
    for (size_t i = run.begin; i < run.end; ++i) {
        const grzTreeOp* op = &run.ops[i];
        grzResult result = checkBox(op, i);
        if (!grzResult_IsOk(result))
            return result;
        grzTreeId id = idOf(replay, op);
        if (id.index1 == 0)
            return refuse(grz_staleHandle, i, 0);
        *named += isNew(replay, op->object);
        replay->runIds.data[i - run.begin] = id;
        replay->runBoxes.data[i - run.begin] = op->box;
    }
    return grzOk();
}

// The boxes by the objects' indices, as UpdateAll takes them. The runs of ids and boxes are at hand.
static bool orderByIndex(TreeReplay* replay, size_t count, size_t indexCount) {
    if (!grzArray_Reserve(&replay->runObjects, &replay->allocator, count) ||
        !grzArray_Reserve(&replay->runBoxes, &replay->allocator, indexCount))
        return false;
    for (size_t i = 0; i < count; ++i)
        replay->runObjects.data[i].box = replay->runBoxes.data[i];
    memset(replay->runBoxes.data, 0, indexCount * sizeof *replay->runBoxes.data);
    for (size_t i = 0; i < count; ++i)
        replay->runBoxes.data[replay->runIds.data[i].index1 - 1] = replay->runObjects.data[i].box;
    return true;
}

static grzResult replayUpdates(TreeReplay* replay, OpRun run, grzTreeMeasurement* m) {
    uint32_t named = 0;
    size_t count = run.end - run.begin, indexCount = grzTree_IndexCount(replay->tree);
    replay->runBoxes.count = 0;
    grzResult result = gatherUpdates(replay, run, &named);
    if (!grzResult_IsOk(result))
        return result;
    bool isAll = named == grzTree_Count(replay->tree);
    replay->runBoxes.count = count; // to be kept while the array grows
    if (isAll && !orderByIndex(replay, count, indexCount))
        return grzNoMemory(indexCount, sizeof(grzBox));
    Stopwatch watch = startWatch(replay, &m->changeTime);
    if (isAll)
        result = grzTree_UpdateAll(replay->tree, replay->def->tasks, replay->runBoxes.data, indexCount);
    else
        result = grzTree_UpdateMany(replay->tree, replay->runIds.data, replay->runBoxes.data, count);
    stopWatch(&watch);
    return result;
}

static grzResult replayRemoves(TreeReplay* replay, OpRun run, grzTreeMeasurement* m) {
    for (size_t i = run.begin; i < run.end; ++i)
        if (idOf(replay, &run.ops[i]).index1 == 0 || !isNew(replay, run.ops[i].object))
            return refuse(grz_staleHandle, i, 0);
    grzResult result = grzOk();
    Stopwatch watch = startWatch(replay, &m->changeTime);
    for (size_t i = run.begin; i < run.end && grzResult_IsOk(result); ++i)
        result = grzTree_Remove(replay->tree, replay->ids.data[run.ops[i].object]);
    stopWatch(&watch);
    for (size_t i = run.begin; i < run.end; ++i)
        replay->ids.data[run.ops[i].object] = (grzTreeId){0, 0};
    return result;
}

// --------------------------------------------------------------------------------------------------- finding

static grzResult replayQueries(TreeReplay* replay, OpRun run, grzTreeMeasurement* m) {
    for (size_t i = run.begin; i < run.end; ++i)
        if (run.ops[i].query == NULL)
            return grzBecause(refuse(grz_badArgument, i, 1), "there is no query");
    Stopwatch watch = startWatch(replay, &m->queryTime);
    for (size_t i = run.begin; i < run.end; ++i) {
        grzResult result = grzTree_Find(replay->tree, run.ops[i].query, replay->hits);
        if (!grzResult_IsOk(result))
            return result.status == grz_outOfMemory
                       ? result
                       : grzBecause(refuse(grz_badArgument, i, 1),
                                    result.reason != NULL ? result.reason : "the query's numbers are refused");
        grzTreeQueryStats stats = grzTreeHits_GetStats(replay->hits);
        m->queryWork += stats.nodeCount + stats.testedCount;
        m->hitCount += stats.hitCount;
    }
    stopWatch(&watch);
    return grzOk();
}

// How many boxes a node's own objects are compared with, below and at `at`.
static uint64_t compareBelow(const grzTree* tree, uint32_t at, grzBox own, uint64_t ownCount) {
    if (!grzBox_Overlap(own, treeNodeBox(tree, at)))
        return 0;
    uint64_t sum = 0;
    uint32_t count = tree->nodes[at].objectCount;
    if (count != 0 && grzBox_Overlap(own, grzTreeRunBounds(tree, at)))
        sum = ownCount * count;
    for (uint32_t i = 0; i < treeChildCount(tree, at); ++i)
        sum += compareBelow(tree, tree->nodes[at].firstChild + i, own, ownCount);
    return sum;
}

static uint64_t pairWorkBelow(const grzTree* tree, uint32_t at) {
    uint64_t sum = 0;
    if (tree->nodes[at].objectCount != 0)
        sum = compareBelow(tree, tree_root, grzTreeRunBounds(tree, at), tree->nodes[at].objectCount);
    for (uint32_t i = 0; i < treeChildCount(tree, at); ++i)
        sum += pairWorkBelow(tree, tree->nodes[at].firstChild + i);
    return sum;
}

static grzResult replayPairs(TreeReplay* replay, grzTreeMeasurement* m) {
    grzPairQuery query = grzDefaultPairQuery();
    query.treeA = replay->tree;
    Stopwatch watch = startWatch(replay, &m->pairTime);
    grzResult result = grzTreePairs_Find(replay->pairs, replay->def->tasks, &query);
    stopWatch(&watch);
    m->pairCount += grzTreePairs_GetView(replay->pairs).count;
    m->pairWork += pairWorkBelow(replay->tree, tree_root);
    return result;
}

// ----------------------------------------------------------------------------------------------- the workload

static grzResult replayRun(TreeReplay* replay, OpRun run, grzTreeMeasurement* m) {
    replay->stamp++;
    switch (run.ops[run.begin].kind) {
    case grz_opInsert:
        return replayInserts(replay, run, m);
    case grz_opUpdate:
        return replayUpdates(replay, run, m);
    case grz_opRemove:
        return replayRemoves(replay, run, m);
    case grz_opQuery:
        return replayQueries(replay, run, m);
    case grz_opPairs:
        return replayPairs(replay, m);
    case grz_noOp:
        break;
    }
    return grzBecause(refuse(grz_badArgument, run.begin, 1), "there is no such operation");
}

static size_t runEnd(const grzTreeAdviceDef* def, size_t begin) {
    size_t end = begin + 1;
    if (def->ops[begin].kind == grz_opPairs) // each is a find of its own
        return end;
    while (end < def->opCount && def->ops[end].kind == def->ops[begin].kind)
        ++end;
    return end;
}

static void conclude(const TreeReplay* replay, grzTreeMeasurement* m) {
    grzTreeStats stats = grzTree_GetStats(replay->tree);
    m->depth = stats.depth;
    m->memoryBytes = stats.memoryBytes;
    m->changeWork = stats.movedCount + stats.splitCount * replay->tree->threshold;
    m->time = m->changeTime + m->queryTime + m->pairTime;
    m->work = m->changeWork + m->queryWork + m->pairWork;
}

grzResult grzTreeReplay_Run(TreeReplay* replay, const grzTreeDef* treeDef, grzTreeMeasurement* m) {
    const grzTreeAdviceDef* def = replay->def;
    if (replay->ids.count != 0)
        memset(replay->ids.data, 0, replay->ids.count * sizeof *replay->ids.data);
    memset(m, 0, sizeof *m);
    grzResult result = grzTree_Create(treeDef, &replay->tree);
    for (size_t begin = 0, end; begin < def->opCount && grzResult_IsOk(result); begin = end) {
        end = runEnd(def, begin);
        OpRun run = {def->ops, begin, end};
        result = replayRun(replay, run, m);
    }
    if (grzResult_IsOk(result)) {
        m->variant.nesting = treeDef->nesting;
        m->variant.retention = treeDef->retention;
        m->variant.splitThreshold = replay->tree->threshold;
        conclude(replay, m);
    }
    grzTree_Destroy(replay->tree);
    replay->tree = NULL;
    return result;
}
