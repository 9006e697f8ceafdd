// What: looks up the pairs of objects that changed, and tells which are new and which are gone.
// Promise: the links of the graph with what begun and ended say are the overlapping pairs of those objects.
// Idea: groups of changed objects ("movers"), in the order of their places in the tree, go down the tree together,
// level by level, as a list of (mover, node). Each step reads a list and appends to the next, sixteen elements at
// a time and without branches on what is met, for those would be mispredicted nearly every time:
//
//     nodes    (a, root) (b, root)    ->  (a, node)  ->  (a, leaf 7) (a, leaf 9) (b, leaf 9)
//     runs     (a, leaf 7) ..         ->  found: (a, 3) (a, 9) (a, 40)     boxes were called into the cache before
//     found    (a, 3) ..              ->  known of a: 3' 12 9'             begun: a-40
//     known    a ..                   ->  ended: a-12
//
//   `known` is a copy of the mover's links in which those that are found again are marked. It is rare that a pair
//   begins or ends, so only then the rest is looked at. (Tried and lost: a descent for one mover after the other,
//   and for each object that is met a search in the mover's list: a third slower.)
// Cost: a descent for the boxes of many movers at once; see `graze-bench pairs --case few-moving`.
// Limits: where memory is refused, ranOut is set and the caller discards.
#include "pair_search.h"

#include <string.h>

#include "simd.h"

enum {
    moversMost = 16, // enough that loops are long, few enough that what they call stays in the cache
    cacheLine = 64,
    slack = tree_lanes, // lists are written sixteen at a time
};

typedef struct Mover {
    grzF16 sides[6]; // lower x y z, upper x y z, in all lanes
    uint32_t slot, object;
    uint32_t firstLink, linkCount;
    uint32_t firstKnown, knownEnd; // in steps of sixteen
} Mover;

typedef struct Walk {
    PairSearch* search;
    PairScratch* scratch;
    Mover movers[moversMost];
    uint32_t moverCount;
} Walk;

static const int32_t laneNumbers[tree_lanes] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

// ----------------------------------------------------------------------------------------------------- the lists

// Room for `more` elements and the slack.
static bool reserveList(PairSearch* search, MoverList* list, size_t more) {
    size_t wanted = list->words.count + more + slack;
    if (wanted <= list->words.capacity && wanted <= list->movers.capacity)
        return true;
    list->movers.count = list->words.count;
    bool isWell = grzArray_Reserve(&list->words, search->allocator, wanted) &&
                  grzArray_Reserve(&list->movers, search->allocator, wanted);
    search->ranOut |= !isWell;
    return isWell;
}

// The first lanes, as many as are left.
GRZ_SIMD_INLINE uint32_t firstBits(uint32_t rest) {
    return rest >= tree_lanes ? 0xffffu : (1u << rest) - 1;
}

GRZ_SIMD_INLINE void appendLanes(MoverList* list, uint32_t mover, grzI16 words, grzM16 mask) {
    size_t at = list->words.count;
    grzI16_CompressStore((int32_t*)(void*)(list->words.data + at), mask, words);
    grzI16_Store((int32_t*)(void*)(list->movers.data + at), grzI16_Set1((int32_t)mover));
    list->words.count = at + treeBitCount(grzM16_Bits(mask));
}

GRZ_SIMD_INLINE grzM16 meets(const Mover* mover, const float* const sides[6]) {
    grzM16 mask = grzF16_LessEqual(grzF16_Load(sides[0]), mover->sides[3]);
    mask = grzM16_And(mask, grzF16_LessEqual(mover->sides[0], grzF16_Load(sides[3])));
    for (int axis = 1; axis < 3; ++axis) {
        mask = grzM16_And(mask, grzF16_LessEqual(grzF16_Load(sides[axis]), mover->sides[axis + 3]));
        mask = grzM16_And(mask, grzF16_LessEqual(mover->sides[axis], grzF16_Load(sides[axis + 3])));
    }
    return mask;
}

// ---------------------------------------------------------------------------------------------- nodes and runs

// Calls what lies at an address into the cache.
static inline void callLines(const void* from, size_t size) {
    for (size_t at = 0; at < size; at += cacheLine)
        __builtin_prefetch((const char*)from + at);
}

static void noteRun(Walk* walk, uint32_t mover, uint32_t node) {
    const grzTree* tree = walk->search->other;
    const TreeNode* n = &tree->nodes[node];
    MoverList* runs = &walk->scratch->runs;
    if (!reserveList(walk->search, runs, 1))
        return;
    runs->movers.data[runs->words.count] = mover;
    runs->words.data[runs->words.count++] = node;
    for (uint32_t i = 0; i < treeBlocksFor(n->objectCount); ++i)
        callLines(&tree->blocks[n->firstBlock + i], offsetof(TreeBlock, key));
}

static void openNode(Walk* walk, uint32_t mover, uint32_t node, MoverList* below) {
    const grzTree* tree = walk->search->other;
    const TreeNode* n = &tree->nodes[node];
    if (n->objectCount != 0)
        noteRun(walk, mover, node);
    uint32_t count = treeChildCount(tree, node);
    if (!reserveList(walk->search, below, count))
        return;
    for (uint32_t i = 0; i < count; i += tree_lanes) {
        const float* sides[6];
        for (int side = 0; side < 6; ++side)
            sides[side] = tree->bounds[side] + n->firstChild + i;
        grzM16 present = grzM16_FromBits(firstBits(count - i));
        grzI16 children = grzI16_Add(grzI16_Set1((int32_t)(n->firstChild + i)), grzI16_Load(laneNumbers));
        appendLanes(below, mover, children, grzM16_And(meets(&walk->movers[mover], sides), present));
    }
}

// From the root down, all movers a level at a time.
static void findRuns(Walk* walk) {
    MoverList *nodes = &walk->scratch->nodes, *below = &walk->scratch->below;
    nodes->words.count = walk->scratch->runs.words.count = 0;
    if (!reserveList(walk->search, nodes, walk->moverCount))
        return;
    for (uint32_t i = 0; i < walk->moverCount; ++i) {
        nodes->movers.data[i] = i;
        nodes->words.data[i] = tree_root;
    }
    nodes->words.count = walk->moverCount;
    while (nodes->words.count != 0 && !walk->search->ranOut) {
        below->words.count = 0;
        for (size_t i = 0; i < nodes->words.count; ++i)
            openNode(walk, nodes->movers.data[i], nodes->words.data[i], below);
        MoverList* done = nodes;
        nodes = below;
        below = done;
    }
}

static void testRuns(Walk* walk) {
    const grzTree* tree = walk->search->other;
    const MoverList* runs = &walk->scratch->runs;
    MoverList* found = &walk->scratch->found;
    found->words.count = 0;
    for (size_t i = 0; i < runs->words.count; ++i) {
        const TreeNode* n = &tree->nodes[runs->words.data[i]];
        uint32_t mover = runs->movers.data[i];
        if (!reserveList(walk->search, found, n->objectCount))
            return;
        for (uint32_t k = 0; k < treeBlocksFor(n->objectCount); ++k) {
            const TreeBlock* block = &tree->blocks[n->firstBlock + k];
            const float* const sides[6] = {block->lower[0], block->lower[1], block->lower[2],
                                           block->upper[0], block->upper[1], block->upper[2]};
            grzI16 objects = grzI16_LoadAligned((const int32_t*)(const void*)block->object);
            appendLanes(found, mover, objects, meets(&walk->movers[mover], sides));
        }
    }
}

// -------------------------------------------------------------------------------------------- what has changed

static const PairObject* otherObjects(const PairSearch* search) {
    return search->graph->sides[pairOtherSide(search->graph, search->side)].objects.data;
}

// The pair's objects and keys in their order.
static PairChange changeOf(const PairSearch* search, const Mover* mover, uint32_t object) {
    uint32_t key = search->graph->sides[search->side].objects.data[mover->object].key;
    uint32_t otherKey = otherObjects(search)[object].key;
    bool isSwapped = search->graph->isWithin ? otherKey < key : search->side == 1;
    if (isSwapped)
        return (PairChange){object, mover->object, {otherKey, key}};
    return (PairChange){mover->object, object, {key, otherKey}};
}

// Whether the pair is found from the other object's side too, and told from there.
static bool isOthers(const PairSearch* search, const Mover* mover, uint32_t object) {
    uint32_t slot = search->other->slots[object];
    if (search->otherChanged == NULL || slot == TREE_NONE) // the latter went unannounced
        return false;
    bool isChanged = (search->otherChanged[slot / tree_lanes] >> slot % tree_lanes & 1) != 0;
    return isChanged && (!search->graph->isWithin || slot < mover->slot);
}

static void note(PairSearch* search, PairChangeArray* changes, const Mover* mover, uint32_t object) {
    if (isOthers(search, mover, object))
        return;
    if (grzArray_Reserve(changes, search->allocator, changes->count + 1))
        changes->data[changes->count++] = changeOf(search, mover, object);
    else
        search->ranOut = true;
}

static bool passesFilters(const PairSearch* search, const Mover* mover, uint32_t object) {
    const grzTree *mine = search->tree, *theirs = search->other;
    if ((mine->categories[mover->object] & theirs->masks[object]) == 0 ||
        (theirs->categories[object] & mine->masks[mover->object]) == 0)
        return false;
    const grzPairQuery* query = search->query;
    if (query->filter == NULL)
        return true;
    grzBodyPair pair = changeOf(search, mover, object).pair;
    return query->filter(query->filterContext, pair.a, pair.b);
}

// Copies a mover's links, in steps of the smallest piece, with marked ones for a tail.
static void copyLinksOf(const PairGraph* graph, Mover* mover, KnownArray* known) {
    const int32_t* links = (const int32_t*)(const void*)graph->links.data + mover->firstLink;
    mover->firstKnown = (uint32_t)known->count;
    mover->knownEnd = mover->firstKnown + (mover->linkCount + tree_lanes - 1) / tree_lanes * tree_lanes;
    int32_t* to = (int32_t*)(void*)known->data + known->count;
    for (uint32_t k = 0; k < mover->linkCount; k += tree_lanes)
        grzI16_Store(to + k, grzI16_Set1(-1));
    for (uint32_t k = 0; k < mover->linkCount; k += pairLinkLeast) {
        grzM4 present = grzM4_FromBits(firstBits(mover->linkCount - k));
        grzI4_Store(to + k, grzI4_Select(present, grzI4_Load(links + k), grzI4_Set1(-1)));
    }
    known->count = mover->knownEnd;
}

static void copyLinks(Walk* walk) {
    PairSearch* search = walk->search;
    KnownArray* known = &walk->scratch->known;
    known->count = 0;
    for (uint32_t i = 0; i < walk->moverCount; ++i) {
        Mover* mover = &walk->movers[i];
        mover->firstKnown = mover->knownEnd = 0;
        if (mover->linkCount == 0)
            continue;
        if (!grzArray_Reserve(known, search->allocator, known->count + mover->linkCount + slack)) {
            search->ranOut = true;
            return;
        }
        copyLinksOf(search->graph, mover, known);
    }
}

// Marks the object among what is known, by the top bit, which indices leave free; false where it is not there.
GRZ_SIMD_INLINE bool isKnown(Walk* walk, const Mover* mover, uint32_t object) {
    int32_t* known = (int32_t*)(void*)walk->scratch->known.data;
    grzI16 wanted = grzI16_Set1((int32_t)object);
    uint32_t bits = 0;
    for (uint32_t k = mover->firstKnown; k < mover->knownEnd; k += tree_lanes) {
        grzI16 links = grzI16_Load(known + k);
        grzM16 same = grzI16_Equal(links, wanted);
        grzI16 mark = grzI16_Select(same, grzI16_Set1(INT32_MIN), grzI16_Zero());
        grzI16_Store(known + k, grzI16_Or(links, mark));
        bits |= grzM16_Bits(same);
    }
    return bits != 0;
}

static void matchFound(Walk* walk) {
    PairSearch* search = walk->search;
    const MoverList* found = &walk->scratch->found;
    bool isFiltering = search->isFiltered || search->query->filter != NULL;
    for (size_t i = 0; i < found->words.count; ++i) {
        const Mover* mover = &walk->movers[found->movers.data[i]];
        uint32_t object = found->words.data[i];
        bool isItself = search->graph->isWithin & (object == mover->object);
        if (isFiltering && (isItself || !passesFilters(search, mover, object)))
            continue;
        if (!(isKnown(walk, mover, object) | isItself))
            note(search, search->begun, mover, object);
    }
}

static void settleKnown(Walk* walk) {
    const int32_t* known = (const int32_t*)(const void*)walk->scratch->known.data;
    for (uint32_t i = 0; i < walk->moverCount; ++i) {
        const Mover* mover = &walk->movers[i];
        for (uint32_t k = mover->firstKnown; k < mover->knownEnd; k += tree_lanes) {
            uint32_t marked = grzM16_Bits(grzI16_Less(grzI16_Load(known + k), grzI16_Zero()));
            for (uint32_t rest = 0xffffu & ~marked; rest != 0; rest &= rest - 1)
                note(walk->search, walk->search->ended, mover, (uint32_t)known[k + (uint32_t)__builtin_ctz(rest)]);
        }
    }
}

// ------------------------------------------------------------------------------------------------- the movers

static const PairObject* recordOf(const PairSearch* search, uint32_t slot) {
    uint32_t object = search->tree->blocks[slot / tree_lanes].object[slot % tree_lanes];
    return &search->graph->sides[search->side].objects.data[object];
}

static void startMover(const PairSearch* search, uint32_t slot, Mover* mover) {
    const TreeBlock* block = &search->tree->blocks[slot / tree_lanes];
    uint32_t lane = slot % tree_lanes;
    for (int axis = 0; axis < 3; ++axis) {
        mover->sides[axis] = grzF16_Set1(block->lower[axis][lane]);
        mover->sides[axis + 3] = grzF16_Set1(block->upper[axis][lane]);
    }
    const PairObject* record = recordOf(search, slot);
    mover->slot = slot;
    mover->object = block->object[lane];
    mover->firstLink = record->firstLink;
    mover->linkCount = record->linkCount;
    if (record->linkCount != 0)
        __builtin_prefetch(search->graph->links.data + record->firstLink);
}

// What a step needs was called into the cache by one before.
static void searchGroup(Walk* walk, const uint32_t* slots, uint32_t count) {
    PairSearch* search = walk->search;
    walk->moverCount = count;
    for (uint32_t i = 0; i < count; ++i)
        __builtin_prefetch(recordOf(search, slots[i]));
    for (uint32_t i = 0; i < count; ++i)
        startMover(search, slots[i], &walk->movers[i]);
    findRuns(walk);
    copyLinks(walk);
    if (search->ranOut)
        return;
    testRuns(walk);
    matchFound(walk);
    settleKnown(walk);
}

// Most blocks hold none that changed where few did.
static bool anyOfFour(const uint16_t* changed) {
    uint64_t four;
    memcpy(&four, changed, sizeof four);
    return four != 0;
}

void GRZ_KERNEL(grzPairSearchBlocks)(PairSearch* search, PairScratch* scratch, uint32_t first, uint32_t end) {
    Walk walk;
    walk.search = search;
    walk.scratch = scratch;
    uint32_t slots[moversMost], count = 0;
    for (uint32_t i = first; i < end && !search->ranOut; ++i) {
        if (end - i >= 4 && !anyOfFour(search->changed + i)) {
            i += 3;
            continue;
        }
        for (uint32_t rest = search->changed[i]; rest != 0; rest &= rest - 1) {
            slots[count] = i * tree_lanes + (uint32_t)__builtin_ctz(rest);
            callLines(&search->tree->blocks[i], sizeof(TreeBlock));
            if (++count < moversMost)
                continue;
            searchGroup(&walk, slots, count);
            count = 0;
        }
    }
    searchGroup(&walk, slots, count);
}
