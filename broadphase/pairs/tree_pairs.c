// What: finds all pairs by tasks: the descent to depth two makes them, workers finish them, their outputs are joined in order. Objects
//   that move among many more that stand still walk instead, and a task is a stretch of their tree's nodes.
// Promise: the pairs and their order depend on the trees alone (sorted: on boxes and keys alone), never on the number of workers.
// Holds: output i belongs to task i; the arenas and leaf scratches belong to workers and hold nothing between tasks.
// Threads: Find from one thread; tasks write their own outputs.
#include <string.h>

#include "memory.h"
#include "owner.h"
#include "pairs_descent.h"
#include "radix_sort.h"
#include "refuse_null.h"

enum {
    taskDepth = 2,
    walkRatio = 8, // so many times as many objects stand still: a walk is faster
};

typedef struct PairWorker {
    grzArena arena;
    LeafScratch leaf;
    WalkScratch walk;
} PairWorker;

typedef struct OutputArray {
    GRZ_ARRAY(PairArray);
} OutputArray;

typedef struct WorkerArray {
    GRZ_ARRAY(PairWorker);
} WorkerArray;

typedef struct KeyArray {
    GRZ_ARRAY(uint64_t);
} KeyArray;

struct grzTreePairs {
    grzAllocator allocator;
    grzArena listArena; // the tasks' lists
    WorkerArray workers;
    PairTaskArray tasks;
    OutputArray outputs; // a task each; those beyond the tasks of a find keep their memory
    PairArray found;
    KeyArray sortScratch;
    bool ranOut;
};

grzPairQuery grzDefaultPairQuery(void) {
    grzPairQuery query;
    memset(&query, 0, sizeof query);
    return query;
}

void grzLeafScratch_Destroy(LeafScratch* leaf, const grzAllocator* allocator) {
    if (leaf->memory != NULL)
        grzRelease(allocator, leaf->memory, leaf->capacity + leaf_slack, leaf_bytesAnObject, 64);
    *leaf = (LeafScratch){0};
}

static void releaseWalk(WalkScratch* walk, const grzAllocator* allocator) {
    MoverList* const lists[] = {&walk->nodes, &walk->below, &walk->runs, &walk->found};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; ++i) {
        grzArray_Release(&lists[i]->movers, allocator);
        grzArray_Release(&lists[i]->words, allocator);
    }
    grzArray_Release(&walk->objects, allocator);
}

grzResult grzTreePairs_Create(grzAllocator allocator, grzTreePairs** made) {
    GRZ_REFUSE_NULL(made, 2);
    *made = NULL;
    grzResult checked;
    grzTreePairs* pairs = grzOwner_New(&allocator, 1, sizeof *pairs, _Alignof(grzTreePairs), &checked);
    if (pairs == NULL)
        return checked;
    pairs->allocator = allocator;
    grzArenaDef def = grzDefaultArenaDef();
    def.allocator = allocator;
    grzResult result = grzArena_Create(&pairs->listArena, &def);
    if (!grzResult_IsOk(result)) {
        grzRelease(&allocator, pairs, 1, sizeof *pairs, _Alignof(grzTreePairs));
        return result;
    }
    *made = pairs;
    return grzOk();
}

void grzTreePairs_Destroy(grzTreePairs* pairs) {
    if (pairs == NULL)
        return;
    const grzAllocator allocator = pairs->allocator;
    for (size_t i = 0; i < pairs->workers.count; ++i) {
        grzArena_Destroy(&pairs->workers.data[i].arena);
        grzLeafScratch_Destroy(&pairs->workers.data[i].leaf, &allocator);
        releaseWalk(&pairs->workers.data[i].walk, &allocator);
    }
    for (size_t i = 0; i < pairs->outputs.count; ++i)
        grzArray_Release(&pairs->outputs.data[i], &allocator);
    grzArray_Release(&pairs->workers, &allocator);
    grzArray_Release(&pairs->outputs, &allocator);
    grzArray_Release(&pairs->tasks, &allocator);
    grzArray_Release(&pairs->found, &allocator);
    grzArray_Release(&pairs->sortScratch, &allocator);
    grzArena_Destroy(&pairs->listArena);
    grzRelease(&allocator, pairs, 1, sizeof *pairs, _Alignof(grzTreePairs));
}

static bool reserveWorkers(grzTreePairs* pairs, uint32_t count) {
    if (!grzArray_Reserve(&pairs->workers, &pairs->allocator, count))
        return false;
    while (pairs->workers.count < count) {
        PairWorker worker = {0};
        grzArenaDef def = grzDefaultArenaDef();
        def.allocator = pairs->allocator;
        if (!grzResult_IsOk(grzArena_Create(&worker.arena, &def)))
            return false;
        pairs->workers.data[pairs->workers.count++] = worker;
    }
    return true;
}

static bool reserveOutputs(grzTreePairs* pairs, size_t count) {
    if (!grzArray_Reserve(&pairs->outputs, &pairs->allocator, count))
        return false;
    while (pairs->outputs.count < count)
        pairs->outputs.data[pairs->outputs.count++] = (PairArray){0};
    for (size_t i = 0; i < count; ++i)
        pairs->outputs.data[i].count = 0;
    return true;
}

// ------------------------------------------------------------------------------------------------- the tasks

typedef struct PairRun {
    grzTreePairs* pairs;
    PairDescent descent; // what all tasks have in common
    grzTreeDescend_Fn* descend;
    bool* ranOut; // by task
} PairRun;

static void runTask(const PairRun* run, uint32_t i, uint32_t worker, PairArray* out, bool* ranOut) {
    PairDescent descent = run->descent;
    descent.arena = &run->pairs->workers.data[worker].arena;
    descent.leaf = &run->pairs->workers.data[worker].leaf;
    descent.walk = &run->pairs->workers.data[worker].walk;
    descent.out = out;
    run->descend(&descent, &run->pairs->tasks.data[i], 0);
    *ranOut = descent.ranOut;
}

static void runTasks(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    const PairRun* run = context;
    for (uint32_t i = begin; i < end; ++i)
        runTask(run, i, worker, &run->pairs->outputs.data[i], &run->ranOut[i]);
}

typedef struct PairJoin {
    grzTreePairs* pairs;
    const size_t* starts;
} PairJoin;

static void joinOutputs(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    (void)worker;
    const PairJoin* join = context;
    for (uint32_t i = begin; i < end; ++i) {
        const PairArray* output = &join->pairs->outputs.data[i];
        if (output->count != 0)
            memcpy(join->pairs->found.data + join->starts[i], output->data, output->count * sizeof *output->data);
    }
}

// Several workers: an output a task, copied behind each other at the end.
static bool runSideBySide(PairRun* run, grzTasks* tasks) {
    grzTreePairs* pairs = run->pairs;
    uint32_t count = (uint32_t)pairs->tasks.count;
    run->ranOut = grzArena_Allocate(&pairs->listArena, count, sizeof *run->ranOut, 64);
    size_t* starts = grzArena_Allocate(&pairs->listArena, count, sizeof *starts, 64);
    if (run->ranOut == NULL || starts == NULL || !reserveOutputs(pairs, count))
        return false;
    grzParallelFor(tasks, count, 1, runTasks, run);
    size_t total = pairs->found.count;
    for (uint32_t i = 0; i < count; ++i) {
        if (run->ranOut[i])
            return false;
        starts[i] = total;
        total += pairs->outputs.data[i].count;
    }
    if (!grzArray_Reserve(&pairs->found, &pairs->allocator, total))
        return false;
    PairJoin join = {pairs, starts};
    grzParallelFor(tasks, count, 0, joinOutputs, &join);
    pairs->found.count = total;
    return true;
}

// One worker: straight into the result.
static bool runInTurn(PairRun* run) {
    bool ranOut = false;
    for (uint32_t i = 0; i < run->pairs->tasks.count && !ranOut; ++i)
        runTask(run, i, 0, &run->pairs->found, &ranOut);
    return !ranOut;
}

// The first task: the whole of tree A, with the root of tree B where there are two.
static bool makeFirstTask(PairRun* run, PairTask* task) {
    *task = (PairTask){.node = tree_root};
    if (run->descent.isWithin)
        return true;
    const grzTree* treeB = run->descent.treeB;
    float* memory = grzArena_Allocate(&run->pairs->listArena, 6 * 32, sizeof *memory, 64);
    task->nodes.nodes = grzArena_Allocate(&run->pairs->listArena, 32, sizeof *task->nodes.nodes, 64);
    if (memory == NULL || task->nodes.nodes == NULL)
        return false;
    memset(memory, 0, 6 * 32 * sizeof *memory);
    for (int side = 0; side < 6; ++side) {
        task->nodes.boxes.sides[side] = memory + 32 * side;
        memory[32 * side] = treeB->bounds[side][tree_root];
    }
    task->nodes.nodes[0] = tree_root;
    task->nodes.boxes.count = 1;
    return true;
}

// The tasks of a descent. What it meets on the way to them goes into the result.
static bool makeDescentTasks(PairRun* run) {
    grzTreePairs* pairs = run->pairs;
    PairTask first;
    run->descend = GRZ_PICK_KERNEL(grzTreeDescend);
    if (!makeFirstTask(run, &first))
        return false;
    PairDescent top = run->descent;
    top.arena = &pairs->listArena;
    top.leaf = &pairs->workers.data[0].leaf;
    top.out = &pairs->found;
    top.tasks = &pairs->tasks;
    run->descend(&top, &first, taskDepth);
    return !top.ranOut;
}

static bool makeWalkTasks(PairRun* run) {
    grzTreePairs* pairs = run->pairs;
    const uint32_t nodes = run->descent.treeA->nodeCount;
    run->descend = GRZ_PICK_KERNEL(grzTreeWalk);
    if (!grzArray_Reserve(&pairs->tasks, &pairs->allocator, nodes / walkNodes + 1))
        return false;
    for (uint32_t node = 0; node < nodes; node += walkNodes)
        pairs->tasks.data[pairs->tasks.count++] = (PairTask){.node = node};
    return true;
}

// Within treeA, or of treeA with treeB.
static bool findAll(grzTreePairs* pairs, grzTasks* tasks, const grzPairQuery* query, const grzTree* treeB) {
    const grzTree* treeA = query->treeA;
    PairRun run = {.pairs = pairs};
    run.descent = (PairDescent){.treeA = treeA,
                                .treeB = treeB,
                                .query = query,
                                .allocator = &pairs->allocator,
                                .isWithin = treeA == treeB,
                                .isOrdered = query->treeB == NULL,
                                .isFiltered = treeA->isFiltered || treeB->isFiltered};
    run.descent.hasFilters = run.descent.isFiltered || query->filter != NULL;
    const bool isWalk = treeB->objectCount / walkRatio > treeA->objectCount;
    pairs->tasks.count = 0;
    if (!reserveWorkers(pairs, grzTasks_WorkerCount(tasks)) ||
        !(isWalk ? makeWalkTasks(&run) : makeDescentTasks(&run)))
        return false;
    return grzTasks_WorkerCount(tasks) > 1 ? runSideBySide(&run, tasks) : runInTurn(&run);
}

static bool findQuery(grzTreePairs* pairs, grzTasks* tasks, const grzPairQuery* query) {
    if (query->treeB != NULL)
        return findAll(pairs, tasks, query, query->treeB);
    return findAll(pairs, tasks, query, query->treeA) &&
           (query->still == NULL || findAll(pairs, tasks, query, query->still));
}

// ------------------------------------------------------------------------------------------------------ public

// Where both keys of all pairs have sixteen bits, a word holds a pair.
static void sortSmall(PairArray* found, uint32_t* keys) {
    const size_t count = found->count;
    for (size_t i = 0; i < count; ++i)
        keys[i] = found->data[i].a << 16 | found->data[i].b;
    if (count != 0)
        grzRadixSort32(keys, NULL, keys + count, NULL, count);
    for (size_t i = 0; i < count; ++i)
        found->data[i] = (grzBodyPair){keys[i] >> 16, keys[i] & 0xffff};
}

static bool areSmall(const PairArray* found) {
    uint32_t all = 0;
    for (size_t i = 0; i < found->count; ++i)
        all |= found->data[i].a | found->data[i].b;
    return all <= 0xffff;
}

static bool sortFound(grzTreePairs* pairs) {
    size_t count = pairs->found.count;
    if (!grzArray_Reserve(&pairs->sortScratch, &pairs->allocator, 2 * count))
        return false;
    uint64_t* keys = pairs->sortScratch.data;
    if (areSmall(&pairs->found)) {
        sortSmall(&pairs->found, (uint32_t*)(void*)keys);
        return true;
    }
    for (size_t i = 0; i < count; ++i)
        keys[i] = grzSortKeyFromPair(pairs->found.data[i].a, pairs->found.data[i].b);
    if (count != 0)
        grzRadixSort64(keys, NULL, keys + count, NULL, count);
    for (size_t i = 0; i < count; ++i)
        pairs->found.data[i] = (grzBodyPair){(uint32_t)(keys[i] >> 32), (uint32_t)keys[i]};
    return true;
}

static const char* flawOf(const grzPairQuery* query) {
    if (query->treeA == NULL)
        return "there is no treeA";
    if (query->treeA == query->treeB)
        return "treeB is treeA; for pairs within a tree it is NULL";
    if (query->still != NULL && (query->still == query->treeA || query->treeB != NULL))
        return "`still` is treeA, or there is a treeB beside it";
    return (unsigned)query->order > grz_pairsSorted ? "there is no such order" : NULL;
}

grzResult grzTreePairs_Find(grzTreePairs* pairs, grzTasks* tasks, const grzPairQuery* query) {
    GRZ_REFUSE_NULL(pairs, 1);
    GRZ_REFUSE_NULL(query, 3);
    pairs->found.count = 0;
    for (size_t i = 0; i < pairs->workers.count; ++i)
        pairs->workers.data[i].walk.visitCount = 0;
    grzArena_Reset(&pairs->listArena);
    const char* flaw = flawOf(query);
    if (flaw != NULL)
        return grzBecause(grzFail(grz_badArgument, 3), flaw);
    grzTree* const trees[] = {query->treeA, query->treeB, query->still};
    for (size_t i = 0; i < sizeof trees / sizeof *trees; ++i)
        if (trees[i] != NULL)
            grzTree_Prepare(trees[i], NULL);
    const bool isOk = findQuery(pairs, tasks, query) && (query->order == grz_pairsInTreeOrder || sortFound(pairs));
    if (isOk)
        return grzOk();
    pairs->found.count = 0;
    return grzNoMemory(1, sizeof(grzBodyPair));
}

grzTreePairsView grzTreePairs_GetView(const grzTreePairs* pairs) {
    GRZ_RETURN_IF_NULL(pairs, (grzTreePairsView){0});
    grzTreePairsView view = {pairs->found.data, pairs->found.count};
    return view;
}

uint64_t grzTreePairs_CountVisits(const grzTreePairs* pairs) {
    uint64_t count = 0;
    for (size_t i = 0; i < pairs->workers.count; ++i)
        count += pairs->workers.data[i].walk.visitCount;
    return count;
}
