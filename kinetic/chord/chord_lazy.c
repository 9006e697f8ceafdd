// What: see chord_lazy.h.
// Holds: a chunk's nine nodes are those of the bottom, and the one above them: its lanes are their boxes. Who makes a chunk writes
//   these and the parts of its leaves, and nobody else does while it is busy.
#include "chord_lazy.h"

#include <float.h>
#include <string.h>

#include "bvh_refit_kernel.h"
#include "chord_fit_kernel.h"
#include "chord_root_kernel.h"
#include "memory.h"
#include "simd.h"

enum { ROOT_GRAIN = 64 }; // chunks a task: some microseconds

// ---- lists of vertices ----

typedef struct Listing {
    const grzChordTree* tree;
    uint32_t* stamps; // by vertex: one more than the chunk that has seen it last
    uint32_t past;    // behind the highest number of any range so far
    ChordRange* range;
    uint32_t* others; // NULL: only counted
    size_t otherCount;
} Listing;

static void listVertex(Listing* list, uint32_t chunk, uint32_t vertex) {
    const grzChordTree* tree = list->tree;
    ChordRange* range = list->range;
    if (list->stamps[vertex] == chunk + 1)
        return;
    list->stamps[vertex] = chunk + 1;
    const uint32_t number = tree->numbering == grz_bvhCallersNumbers ? tree->view.vertexToCaller[vertex] : vertex;
    range->isCareful = range->isCareful || number + 1 == tree->view.vertexCount;
    if (range->count == 0 && vertex >= list->past)
        range->first = vertex;
    if (range->first != UINT32_MAX && vertex == range->first + range->count) {
        list->past = vertex + 1;
        ++range->count;
        return;
    }
    if (list->others != NULL)
        list->others[list->otherCount] = vertex;
    ++list->otherCount;
}

static void listChunks(const grzChordTree* tree, uint32_t* stamps, ChordLazy* lazy) {
    const grzBvhView* view = &tree->view;
    Listing list = {.tree = tree, .stamps = stamps, .others = lazy->others};
    memset(stamps, 0, view->vertexCount * sizeof *stamps);
    for (uint32_t chunk = 0; chunk < view->chunkCount; ++chunk) {
        const uint32_t begin = chunk * CHORD_CHUNK_LEAVES, end = begin + CHORD_CHUNK_LEAVES;
        list.range = &lazy->ranges[chunk];
        *list.range = (ChordRange){UINT32_MAX, 0, (uint32_t)list.otherCount, false};
        for (uint32_t leaf = begin; leaf < end && leaf < view->leafCount; ++leaf)
            for (uint32_t k = 0; k < view->leafVertexCounts[leaf]; ++k)
                listVertex(&list, chunk, grzChord_TreesLeafVertex(view, leaf, k));
    }
    lazy->ranges[view->chunkCount] = (ChordRange){0, 0, (uint32_t)list.otherCount, false};
    lazy->otherCount = list.otherCount;
}

static bool makeLists(const grzChordTree* tree, ChordLazy* lazy) {
    const grzAllocator* allocator = &tree->allocator;
    const size_t vertices = tree->view.vertexCount;
    lazy->ranges =
        grzAllocate(allocator, (size_t)tree->view.chunkCount + 1, sizeof *lazy->ranges, _Alignof(ChordRange));
    uint32_t* stamps = grzAllocate(allocator, vertices, sizeof *stamps, _Alignof(uint32_t));
    bool isMade = lazy->ranges != NULL && stamps != NULL;
    if (isMade) {
        listChunks(tree, stamps, lazy);
        lazy->others = grzAllocate(allocator, lazy->otherCount, sizeof *lazy->others, _Alignof(uint32_t));
        isMade = lazy->others != NULL || lazy->otherCount == 0;
    }
    if (isMade)
        listChunks(tree, stamps, lazy);
    grzRelease(allocator, stamps, vertices, sizeof *stamps, _Alignof(uint32_t));
    return isMade;
}

static void dropLists(const grzChordTree* tree, ChordLazy* lazy) {
    const size_t chunks = tree->view.chunkCount;
    grzRelease(&tree->allocator, lazy->ranges, chunks + 1, sizeof *lazy->ranges, _Alignof(ChordRange));
    grzRelease(&tree->allocator, lazy->others, lazy->otherCount, sizeof *lazy->others, _Alignof(uint32_t));
}

bool grzChordLazy_ListAnew(const grzChordTree* tree, const grzBvhView* view) {
    grzChordTree now = *tree;
    now.view = *view;
    ChordLazy lists = {.ranges = NULL};
    if (!makeLists(&now, &lists)) {
        dropLists(&now, &lists);
        return false;
    }
    dropLists(tree, tree->lazy);
    tree->lazy->ranges = lists.ranges;
    tree->lazy->others = lists.others;
    tree->lazy->otherCount = lists.otherCount;
    return true;
}

// ---- making it ----

static bool makeMarks(const grzChordTree* tree, ChordLazy* lazy) {
    const size_t chunks = tree->view.chunkCount;
    lazy->states = grzAllocate(&tree->allocator, chunks, sizeof *lazy->states, _Alignof(_Atomic(uint8_t)));
    if (lazy->states == NULL)
        return false;
    for (size_t c = 0; c < chunks; ++c)
        atomic_init(&lazy->states[c], CHORD_NONE);
    for (int i = 0; i < CHORD_SETS; ++i) {
        lazy->inside[i] = grzAllocate(&tree->allocator, chunks, 1, 1);
        if (lazy->inside[i] == NULL)
            return false;
        memset(lazy->inside[i], 0, chunks);
    }
    return true;
}

ChordLazy* grzChordLazy_Make(const grzChordTree* tree, grzResult* result) {
    ChordLazy* lazy = grzAllocate(&tree->allocator, 1, sizeof *lazy, _Alignof(ChordLazy));
    *result = grzOk();
    if (lazy != NULL) {
        memset(lazy, 0, sizeof *lazy);
        lazy->pair[0] = lazy->pair[1] = -1;
        atomic_init(&lazy->made, 0);
        if (makeLists(tree, lazy) && makeMarks(tree, lazy))
            return lazy;
        grzChordLazy_Release(tree, lazy);
    }
    *result = grzNoMemory(tree->view.vertexCount, sizeof(uint32_t));
    return NULL;
}

void grzChordLazy_Release(const grzChordTree* tree, ChordLazy* lazy) {
    if (lazy == NULL)
        return;
    const grzAllocator* allocator = &tree->allocator;
    const size_t chunks = tree->view.chunkCount;
    dropLists(tree, lazy);
    grzRelease(allocator, lazy->states, chunks, sizeof *lazy->states, _Alignof(_Atomic(uint8_t)));
    for (int i = 0; i < CHORD_SETS; ++i)
        grzRelease(allocator, lazy->inside[i], chunks, 1, 1);
    grzRelease(allocator, lazy, 1, sizeof *lazy, _Alignof(ChordLazy));
}

size_t grzChordLazy_Size(const grzChordTree* tree) {
    const size_t chunks = tree->view.chunkCount;
    return sizeof(ChordLazy) + (chunks + 1) * sizeof(ChordRange) + tree->lazy->otherCount * sizeof(uint32_t) +
           (1 + CHORD_SETS) * chunks;
}

// ---- what is known ----

static uint8_t* insideOf(const grzChordTree* tree, const ChordSet* set) {
    return tree->lazy->inside[set - tree->sets];
}

static bool isWanted(const uint64_t* chunks, uint32_t c) {
    return chunks == NULL || (chunks[c / 64] >> c % 64 & 1) != 0;
}

void grzChordLazy_Forget(const grzChordTree* tree, const ChordSet* set) {
    ChordLazy* lazy = tree->lazy;
    memset(insideOf(tree, set), 0, tree->view.chunkCount);
    if (set->frame == lazy->pair[0] || set->frame == lazy->pair[1])
        lazy->pair[0] = lazy->pair[1] = -1;
}

void grzChordLazy_SetInside(const grzChordTree* tree, const ChordSet* set, const uint64_t* chunks) {
    for (uint32_t c = 0; c < tree->view.chunkCount; ++c)
        if (isWanted(chunks, c))
            insideOf(tree, set)[c] = 1;
}

void grzChordLazy_Begin(const grzChordTree* tree, const uint64_t* chunks) {
    ChordLazy* lazy = tree->lazy;
    const bool isSame = lazy->pair[0] == tree->from->frame && lazy->pair[1] == tree->to->frame;
    if (isSame && chunks == NULL)
        return;
    lazy->pair[0] = tree->from->frame;
    lazy->pair[1] = tree->to->frame;
    for (uint32_t c = 0; c < tree->view.chunkCount; ++c)
        if (!isSame || isWanted(chunks, c)) // relaxed: nobody reads meanwhile
            atomic_store_explicit(&lazy->states[c], CHORD_NONE, memory_order_relaxed);
}

// ---- nodes aside ----

static BvhRefitJob refitAt(const grzChordTree* tree, const ChordSet* set) {
    const PlanFrame* frame = grzChord_Frame(tree, set->frame);
    const bool isMapped = tree->numbering == grz_bvhCallersNumbers;
    return (BvhRefitJob){.bvh = tree->bvh,
                         .start = frame->positions,
                         .stride = frame->stride,
                         .map = isMapped ? tree->view.vertexToCaller : NULL,
                         .nodes = set->nodes};
}

// The node above the bottom nodes of a chunk.
static void chunkAt(const grzChordTree* tree, const ChordSet* set, uint32_t chunk, grzBvhNode* node) {
    grzBvhRefitAside_Fn* refit = GRZ_PICK_KERNEL(grzBvhRefitAside);
    const BvhRefitJob job = refitAt(tree, set);
    const uint32_t count = grzBvhView_ChildCount(&tree->view, tree->view.levelCount - 2, chunk);
    for (uint32_t k = 0; k < GRZ_BVH_WIDTH; ++k) {
        grzBvhNode bottom;
        BvhBox box = {{FLT_MAX, FLT_MAX, FLT_MAX, 0}, {-FLT_MAX, -FLT_MAX, -FLT_MAX, 0}};
        if (k < count)
            refit(&job, chunk * CHORD_CHUNK_NODES + k, &bottom, &box);
        for (int axis = 0; axis < 3; ++axis) {
            node->lower[axis][k] = box.lower[axis];
            node->upper[axis][k] = box.upper[axis];
        }
    }
}

static uint32_t chunkStart(const grzChordTree* tree) {
    return tree->view.levelStarts[tree->view.levelCount - 2];
}

void grzChordLazy_NodeAt(const grzChordTree* tree, const ChordSet* set, uint32_t number, grzBvhNode* node) {
    const uint32_t bottom = grzBvhView_BottomStart(&tree->view);
    if (number < bottom) {
        chunkAt(tree, set, number - chunkStart(tree), node);
        return;
    }
    BvhBox box;
    const BvhRefitJob job = refitAt(tree, set);
    GRZ_PICK_KERNEL(grzBvhRefitAside)(&job, number - bottom, node, &box);
}

// Which chunk a node is of that is no higher than the chunks.
static uint32_t chunkOf(const grzChordTree* tree, uint32_t number) {
    const uint32_t bottom = grzBvhView_BottomStart(&tree->view);
    return number < bottom ? number - chunkStart(tree) : (number - bottom) / CHORD_CHUNK_NODES;
}

bool grzChordLazy_IsAside(const grzChordTree* tree, uint32_t number) {
    return number >= chunkStart(tree) && !grzChordLazy_IsDone(tree->lazy, chunkOf(tree, number));
}

void grzChordLazy_NodeInBox(const grzChordTree* tree, uint32_t number, grzBvhNode* node) {
    const grzBvhView* view = &tree->view;
    const uint32_t chunk = chunkOf(tree, number), bottom = grzBvhView_BottomStart(view);
    const uint32_t level = number < bottom ? view->levelCount - 2 : view->levelCount - 1;
    const uint32_t count = grzBvhView_ChildCount(view, level, number - view->levelStarts[level]);
    grzBvhNode above;
    grzChord_Read(tree, view->levelStarts[view->levelCount - 3] + chunk / GRZ_BVH_WIDTH, 1, &above);
    for (uint32_t k = 0; k < GRZ_BVH_WIDTH; ++k)
        for (int axis = 0; axis < 3; ++axis) {
            node->lower[axis][k] = k < count ? above.lower[axis][chunk % GRZ_BVH_WIDTH] : FLT_MAX;
            node->upper[axis][k] = k < count ? above.upper[axis][chunk % GRZ_BVH_WIDTH] : -FLT_MAX;
        }
}

// ---- boxes of chunks ----

typedef struct Rooting {
    const grzChordTree* tree;
    const ChordSet* set;
    ChordRootJob job;
    uint32_t first;
} Rooting;

static void rootOfNodes(const grzChordTree* tree, const ChordSet* set, uint32_t chunk, float lower[4],
                        float upper[4]) {
    grzBvhNode node;
    chunkAt(tree, set, chunk, &node);
    for (int axis = 0; axis < 3; ++axis) { // as grzBvhRefitInner has it
        lower[axis] = grzF8_ReduceMin(grzF8_Load(node.lower[axis]));
        upper[axis] = grzF8_ReduceMax(grzF8_Load(node.upper[axis]));
    }
}

static void rootBlock(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    (void)worker;
    const Rooting* work = context;
    const grzBvhView* view = &work->tree->view;
    grzChordRoot_Fn* root = GRZ_PICK_KERNEL(grzChordRoot);
    for (uint32_t c = work->first + begin; c < work->first + end; ++c) {
        float lower[4], upper[4];
        if (!root(&work->job, c, lower, upper))
            rootOfNodes(work->tree, work->set, c, lower, upper);
        grzBvhNode* parent = &work->set->nodes[view->levelStarts[view->levelCount - 3] + c / GRZ_BVH_WIDTH];
        for (int axis = 0; axis < 3; ++axis) {
            parent->lower[axis][c % GRZ_BVH_WIDTH] = lower[axis];
            parent->upper[axis][c % GRZ_BVH_WIDTH] = upper[axis];
        }
    }
}

void grzChordLazy_MakeRoots(const grzChordTree* tree, grzTasks* tasks, const ChordSet* set, uint32_t first,
                            uint32_t end) {
    const BvhRefitJob refit = refitAt(tree, set);
    Rooting work = {
        tree, set, {refit.start, refit.stride, refit.map, tree->lazy->ranges, tree->lazy->others}, first};
    grzParallelFor(tasks, end - first, ROOT_GRAIN, rootBlock, &work);
}

// ---- what is reached ----

static void makeInside(const grzChordTree* tree, const ChordSet* set, uint32_t chunk) {
    if (insideOf(tree, set)[chunk] != 0)
        return;
    const BvhRefitJob job = refitAt(tree, set);
    const uint32_t bottoms = grzChord_BottomCount(tree), first = chunk * CHORD_CHUNK_NODES,
                   end = first + CHORD_CHUNK_NODES;
    GRZ_PICK_KERNEL(grzBvhRefitBottom)(&job, first, end < bottoms ? end : bottoms);
    insideOf(tree, set)[chunk] = 1;
    atomic_fetch_add_explicit(&tree->lazy->made, 1, memory_order_relaxed); // a count, which orders nothing
}

// The end's nodes are made on the way, if they are not there.
static void fitInside(const grzChordTree* tree, uint32_t chunk) {
    const ChordJob job = grzChord_JobOf(tree, tree->from, tree->to);
    GRZ_PICK_KERNEL(grzChordFit)(&job, chunk);
    if (insideOf(tree, tree->to)[chunk] == 0)
        atomic_fetch_add_explicit(&tree->lazy->made, 1, memory_order_relaxed);
    insideOf(tree, tree->to)[chunk] = 1;
}

void grzChordLazy_Reach(const grzChordTree* tree, uint32_t chunk) {
    _Atomic(uint8_t)* state = &tree->lazy->states[chunk];
    uint8_t none = CHORD_NONE;
    if (grzChord_FlawOfFollowing(tree) != NULL)
        return;
    // Relaxed: who makes it reads nothing that another maker wrote in this interval.
    if (atomic_load_explicit(state, memory_order_relaxed) != CHORD_NONE ||
        !atomic_compare_exchange_strong_explicit(state, &none, CHORD_BUSY, memory_order_relaxed,
                                                 memory_order_relaxed))
        return;
    makeInside(tree, tree->from, chunk);
    if (tree->looseness != INFINITY && tree->to != tree->from)
        fitInside(tree, chunk);
    else
        makeInside(tree, tree->to, chunk);
    atomic_store_explicit(state, CHORD_DONE, memory_order_release);
}
