// What: see chord_walk.h.
// Threads: a part writes to the scratch of its worker. When all parts of a batch are done, they are copied in the
//   order of parts.
#include "chord_walk.h"

#include <math.h>
#include <string.h>

#include "chord_known.h"
#include "chord_lazy.h"
#include "memory.h"

enum {
    GRAIN = 4,         // parts a task
    SPREAD_GRAIN = 64, // words of 64 pairs a task
    BATCH = 64,        // parts whose pairs lie in scratch at a time
    LEAST_ROOM = 1024,
};

// ---- boxes ----

// Both ends of what a side has at a span. False where a keyframe's boxes are not there.
static bool findEnds(const ChordSide* side, const ChordSpan* span, const grzBvhNode* ends[2]) {
    ends[0] = ends[1] = side->nodes;
    if (side->tree == NULL)
        return true;
    for (int end = 0; end < 2; ++end) {
        const ChordSet* set = grzChord_DoneSet(side->tree, span->frames[end]);
        if (set == NULL)
            return false;
        ends[end] = set->nodes;
    }
    return true;
}

// The box of everything, as lane 0 of a node.
static grzBvhNode rootOf(const grzBvhNode* nodes) {
    const grzBox box = grzBvh_RootBox(nodes);
    const float lower[3] = {box.lower.x, box.lower.y, box.lower.z},
                upper[3] = {box.upper.x, box.upper.y, box.upper.z};
    grzBvhNode root = nodes[0];
    for (int axis = 0; axis < 3; ++axis)
        root.lower[axis][0] = lower[axis], root.upper[axis][0] = upper[axis];
    return root;
}

// What a walk over a piece reads.
typedef struct Reading {
    const ChordWalk* walk;
    const grzBvhNode* ends[2][2]; // by side
    grzBvhNode roots[2][2];
    float parts[2][2];
    float rounding[3];
    bool isCut, isFrame[2];
} Reading;

// In parts u = 2^-24 of the coordinates at both ends. Vertices of a tree are off by 3u, and the sum that widens box A by u: a tree gives 4u.
// Where its interval is cut, the sides at the piece's ends are off by 2u more, and times by up to three ticks, which are 6u: it gives 16u.
// A margin is added before. That is off by u of the coordinates and of the margin, and the sum that widens by u of the margin more.
static float roundingOf(const Reading* reading, int axis) {
    const float margin = reading->walk->margin;
    float rounding = margin * 0x1p-22F;
    for (int side = 0; side < 2; ++side) {
        const bool rests = reading->walk->sides[side].tree == NULL;
        float size = 0;
        for (int end = 0; end < 2; ++end) {
            const grzBvhNode* root = &reading->roots[side][end];
            size = fmaxf(size, fmaxf(fabsf(root->lower[axis][0]), fabsf(root->upper[axis][0])));
        }
        rounding += size * (rests ? 0x1p-24F : reading->isCut ? 0x1p-20F : 0x1p-22F);
        rounding += margin > 0 ? size * 0x1p-23F : 0;
    }
    return rounding + 0x1p-120F;
}

static bool startReading(Reading* reading, const ChordWalk* walk, const ChordPiece* piece) {
    reading->walk = walk;
    reading->isCut = false;
    reading->isFrame[0] = reading->isFrame[1] = true;
    for (int side = 0; side < 2; ++side) {
        const ChordSpan* span = &piece->spans[side];
        if (!findEnds(&walk->sides[side], span, reading->ends[side]))
            return false;
        for (int end = 0; end < 2; ++end) {
            reading->roots[side][end] = rootOf(reading->ends[side][end]);
            reading->parts[side][end] = (float)span->parts[end];
            reading->isCut = reading->isCut || (span->frames[0] != span->frames[1] && span->parts[end] != end);
            reading->isFrame[end] = reading->isFrame[end] && (span->parts[end] == 0 || span->parts[end] == 1);
        }
    }
    for (int axis = 0; axis < 3; ++axis)
        reading->rounding[axis] = roundingOf(reading, axis);
    return true;
}

// ---- steps ----

static uint32_t levelsLeft(const Reading* reading, const uint32_t levels[2], int side) {
    return reading->walk->sides[side].view.levelCount - levels[side];
}

static void chooseSides(const Reading* reading, const uint32_t levels[2], bool opens[2]) {
    const uint32_t left[2] = {levelsLeft(reading, levels, 0), levelsLeft(reading, levels, 1)};
    opens[0] = left[0] >= left[1];
    opens[1] = left[1] >= left[0];
}

static void lookAtSide(const Reading* reading, int side, uint32_t level, ChordWalkSide* at) {
    const grzBvhView* view = &reading->walk->sides[side].view;
    for (int end = 0; end < 2; ++end) {
        const grzBvhNode* nodes = reading->ends[side][end];
        at->nodes[end] = nodes + view->levelStarts[level];
        at->above[end] = level == 0 ? &reading->roots[side][end] : nodes + view->levelStarts[level - 1];
        at->parts[end] = reading->parts[side][end];
    }
    at->childCount = level + 1 < view->levelCount ? view->levelStarts[level + 2] - view->levelStarts[level + 1]
                                                  : view->leafCount;
}

// Of the children of a level's nodes; NULL of leaves, of which those that are free are not come to.
static const uint32_t* freeChildren(const ChordWalk* walk, uint32_t level) {
    const bool areNodes = walk->cull != NULL && level + 1 < walk->sides[0].view.levelCount;
    return areNodes ? grzSelfCull_Level(walk->cull, level + 1) : NULL;
}

static ChordWalkStep stepAt(const Reading* reading, const uint32_t levels[2]) {
    ChordWalkStep step;
    chooseSides(reading, levels, step.opens);
    for (int side = 0; side < 2; ++side)
        lookAtSide(reading, side, levels[side], &step.sides[side]);
    memcpy(step.rounding, reading->rounding, sizeof step.rounding);
    step.margin = reading->walk->margin;
    step.nearGap = 4 * fmaxf(step.rounding[0], fmaxf(step.rounding[1], step.rounding[2]));
    step.isCut = reading->isCut;
    memcpy(step.isFrame, reading->isFrame, sizeof step.isFrame);
    step.isSelf = reading->walk->isSelf;
    step.areFree = freeChildren(reading->walk, levels[0]);
    step.isLast = levelsLeft(reading, levels, 0) == 1 && levelsLeft(reading, levels, 1) == 1;
    return step;
}

// ---- the levels above parts ----

// Chunks of lazy trees are made once it is known which parts there are.
static bool arePartsNext(const Reading* reading, const uint32_t levels[2]) {
    bool opens[2];
    chooseSides(reading, levels, opens);
    return (opens[0] && levelsLeft(reading, levels, 0) <= 2) || (opens[1] && levelsLeft(reading, levels, 1) <= 2);
}

// All of a list, growing what there is no room in.
static bool openWhole(ChordWalk* walk, const ChordWalkStep* step, const ChordLeafPairs* from, ChordLeafPairs* to) {
    if (!grzArray_Reserve(&walk->marks, &walk->allocator, from->count))
        return false;
    size_t count = SIZE_MAX;
    for (size_t room = LEAST_ROOM; count == SIZE_MAX; room *= 2) {
        to->count = 0;
        if (!grzArray_Reserve(to, &walk->allocator, room))
            return false;
        count = GRZ_PICK_KERNEL(grzChordWalkOpen)(step, from->data, from->count, walk->marks.data, to->data,
                                                  to->capacity);
    }
    to->count = count;
    return true;
}

static bool openTops(ChordSearch* search, ChordWalk* walk, const Reading* reading) {
    search->levels[0] = search->levels[1] = 0;
    search->tops.count = 0;
    if (!grzArray_Reserve(&search->tops, &walk->allocator, 1))
        return false;
    if (walk->cull == NULL || !grzSelfCull_IsFree(walk->cull, 0, 0))
        search->tops.data[search->tops.count++] = (grzLeafPair){0, 0, 0, 1};
    while (!arePartsNext(reading, search->levels)) {
        const ChordWalkStep step = stepAt(reading, search->levels);
        if (!openWhole(walk, &step, &search->tops, &walk->spare))
            return false;
        const ChordLeafPairs old = search->tops;
        search->tops = walk->spare;
        walk->spare = old;
        search->levels[0] += step.opens[0];
        search->levels[1] += step.opens[1];
    }
    return true;
}

static bool listParts(ChordSearch* search, const grzAllocator* allocator) {
    search->parts.count = 0;
    for (size_t i = 0, run = 0; i < search->tops.count; i += run) {
        const grzLeafPair* pairs = search->tops.data + i;
        for (run = 1; i + run < search->tops.count && pairs[run].leafA == pairs->leafA;)
            ++run;
        if (!grzArray_Reserve(&search->parts, allocator, search->parts.count + 1))
            return false;
        search->parts.data[search->parts.count++] = (ChordPart){.first = (uint32_t)i, .count = (uint32_t)run};
    }
    return true;
}

// ---- lazy trees ----

typedef struct Reaching {
    const ChordSearch* search;
    const grzChordTree* tree;
    int side;
} Reaching;

static void reachTop(const Reaching* work, size_t i, void (*reach)(const grzChordTree*, uint32_t, uint32_t)) {
    const grzLeafPair* pair = &work->search->tops.data[i];
    reach(work->tree, work->search->levels[work->side], work->side == 0 ? pair->leafA : pair->leafB);
}

static void reachBlock(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    (void)worker;
    const Reaching* work = context;
    for (uint32_t i = begin; i < end; ++i)
        reachTop(work, i, grzChord_ReachNode);
}

// The chunks that parts read. Another search may be at some of them.
static void reachChunks(const ChordSearch* search, const ChordWalk* walk, grzTasks* tasks) {
    for (int side = 0; side < 2; ++side) {
        Reaching work = {search, walk->sides[side].tree, side};
        if (work.tree == NULL || work.tree->lazy == NULL)
            continue;
        grzParallelFor(tasks, (uint32_t)search->tops.count, 16, reachBlock, &work);
        for (size_t i = 0; i < search->tops.count; ++i)
            reachTop(&work, i, grzChord_AwaitNode);
    }
}

// ---- parts ----

typedef struct Walking {
    ChordSearch* search;
    ChordWalk* walk;
    const Reading* reading;
    size_t first; // part
} Walking;

// Opens the part's pairs down to the leaves, behind what was found by this worker. SIZE_MAX where some list has no room.
static size_t walkPart(const Walking* work, ChordWalker* walker, const ChordPart* part) {
    uint32_t levels[2] = {work->search->levels[0], work->search->levels[1]};
    const grzLeafPair* from = work->search->tops.data + part->first;
    size_t count = part->count;
    for (int list = 0; count <= walker->room; list = !list) {
        const ChordWalkStep step = stepAt(work->reading, levels);
        ChordLeafPairs* to = step.isLast ? &walker->found : &walker->lists[list];
        const size_t used = step.isLast ? to->count : 0;
        count = GRZ_PICK_KERNEL(grzChordWalkOpen)(&step, from, count, walker->marks.data, to->data + used,
                                                  walker->room - used);
        if (step.isLast || count == SIZE_MAX)
            return count;
        from = to->data;
        levels[0] += step.opens[0];
        levels[1] += step.opens[1];
    }
    return SIZE_MAX;
}

static void walkBlock(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    const Walking* work = context;
    ChordWalker* walker = &work->walk->walkers.data[worker];
    for (uint32_t i = begin; i < end && !walker->isFull; ++i) {
        ChordPart* part = &work->search->parts.data[work->first + i];
        if (part->found != SIZE_MAX)
            continue;
        part->worker = worker;
        part->at = walker->found.count;
        part->found = walkPart(work, walker, part);
        walker->isFull = part->found == SIZE_MAX;
        walker->found.count += walker->isFull ? 0 : part->found;
    }
}

static bool giveRoom(ChordWalker* walker, const grzAllocator* allocator, size_t room) {
    for (int i = 0; i < 2; ++i)
        if (!grzArray_Reserve(&walker->lists[i], allocator, room))
            return false;
    if (!grzArray_Reserve(&walker->found, allocator, room) || !grzArray_Reserve(&walker->marks, allocator, room))
        return false;
    walker->room = room;
    walker->isFull = false;
    return true;
}

static bool takeWalkers(ChordWalk* walk, grzTasks* tasks) {
    const size_t count = grzTasks_WorkerCount(tasks);
    if (!grzArray_Reserve(&walk->walkers, &walk->allocator, count))
        return false;
    for (; walk->walkers.count < count; ++walk->walkers.count)
        memset(&walk->walkers.data[walk->walkers.count], 0, sizeof *walk->walkers.data);
    for (size_t i = 0; i < count; ++i) {
        ChordWalker* walker = &walk->walkers.data[i];
        walker->found.count = 0;
        if (!giveRoom(walker, &walk->allocator, walker->room > LEAST_ROOM ? walker->room : LEAST_ROOM))
            return false;
    }
    return true;
}

static bool growFull(ChordWalk* walk) {
    for (size_t i = 0; i < walk->walkers.count; ++i) {
        ChordWalker* walker = &walk->walkers.data[i];
        if (walker->isFull && !giveRoom(walker, &walk->allocator, 2 * walker->room))
            return false;
    }
    return true;
}

static bool areFound(const ChordPart* parts, size_t count) {
    for (size_t i = 0; i < count; ++i)
        if (parts[i].found == SIZE_MAX)
            return false;
    return true;
}

// Brings what a batch found together.
static bool gather(ChordSearch* search, const ChordWalk* walk, const ChordPart* parts, size_t count) {
    size_t sum = search->pairs.count;
    for (size_t i = 0; i < count; ++i)
        sum += parts[i].found;
    if (!grzArray_Reserve(&search->pairs, &walk->allocator, sum))
        return false;
    for (size_t i = 0; i < count; ++i) {
        const grzLeafPair* found = walk->walkers.data[parts[i].worker].found.data;
        if (parts[i].found != 0)
            memcpy(search->pairs.data + search->pairs.count, found + parts[i].at, parts[i].found * sizeof *found);
        search->pairs.count += parts[i].found;
    }
    return true;
}

static bool walkBatch(ChordSearch* search, ChordWalk* walk, grzTasks* tasks, const Reading* reading, size_t count) {
    Walking work = {search, walk, reading, search->done};
    ChordPart* parts = search->parts.data + search->done;
    if (!takeWalkers(walk, tasks))
        return false;
    for (size_t i = 0; i < count; ++i)
        parts[i].found = SIZE_MAX;
    do {
        if (!growFull(walk))
            return false;
        grzParallelFor(tasks, (uint32_t)count, GRAIN, walkBlock, &work);
    } while (!areFound(parts, count));
    return gather(search, walk, parts, count);
}

// ---- searches ----

static void spreadWords(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    (void)worker;
    ChordSearch* search = context;
    const size_t first = 64 * (size_t)begin, left = search->pairs.count - first, all = 64 * (size_t)(end - begin);
    GRZ_PICK_KERNEL(grzChordPairsSpread)
    (search->pairs.data + first, left < all ? left : all, search->first.data + first, search->last.data + first);
}

// Buckets are read and written by sixty-fours.
static bool spread(ChordSearch* search, const grzAllocator* allocator, grzTasks* tasks) {
    const size_t padded = (search->pairs.count + 63) / 64 * 64;
    if (!grzArray_Reserve(&search->pairs, allocator, padded) ||
        !grzArray_Reserve(&search->first, allocator, padded) || !grzArray_Reserve(&search->last, allocator, padded))
        return false;
    search->first.count = search->last.count = padded;
    if (padded == 0)
        return true;
    memset(search->pairs.data + search->pairs.count, 0,
           (padded - search->pairs.count) * sizeof *search->pairs.data);
    grzParallelFor(tasks, (uint32_t)(padded / 64), SPREAD_GRAIN, spreadWords, search);
    return true;
}

bool grzChordSearch_GoOn(ChordSearch* search, ChordWalk* walk, grzTasks* tasks, size_t end) {
    Reading reading;
    if (!startReading(&reading, walk, &search->piece))
        return false;
    while (search->done < end) {
        const size_t some = end - search->done < BATCH ? end - search->done : BATCH;
        if (!walkBatch(search, walk, tasks, &reading, some))
            return false;
        search->done += some;
    }
    if (search->done == search->parts.count)
        search->isDone = spread(search, &walk->allocator, tasks) &&
                         (!walk->findsKnown || grzChordSearch_Know(search, walk, tasks));
    return search->isDone || search->done < search->parts.count;
}

static ConePlaces placesAt(const grzChordTree* tree, double number) {
    const PlanFrame* frame = grzChord_Frame(tree, number);
    const uint32_t stride = frame->stride < INT32_MAX ? (uint32_t)frame->stride : INT32_MAX;
    return (ConePlaces){frame->positions, stride};
}

// Within one tree a piece is a whole interval.
static void cullPiece(const ChordWalk* walk, grzTasks* tasks, const ChordPiece* piece) {
    const grzChordTree* tree = walk->sides[0].tree;
    const double* frames = piece->spans[0].frames;
    grzSelfCull_Decide(walk->cull, tasks, placesAt(tree, frames[0]), placesAt(tree, frames[1]));
}

bool grzChordSearch_Begin(ChordSearch* search, ChordWalk* walk, grzTasks* tasks, const ChordPiece* piece) {
    Reading reading;
    search->isBegun = search->isDone = false;
    search->piece = *piece;
    for (int side = 0; side < 2; ++side)
        search->leafCounts[side] = walk->sides[side].view.leafCount;
    search->pairs.count = search->done = 0;
    if (walk->cull != NULL)
        cullPiece(walk, tasks, piece);
    if (!startReading(&reading, walk, piece) || !openTops(search, walk, &reading) ||
        !listParts(search, &walk->allocator))
        return false;
    reachChunks(search, walk, tasks);
    search->isBegun = true;
    return true;
}

// ---- memory ----

void grzChordSearch_Release(ChordSearch* search, const grzAllocator* allocator) {
    grzArray_Release(&search->tops, allocator);
    grzArray_Release(&search->parts, allocator);
    grzArray_Release(&search->pairs, allocator);
    grzArray_Release(&search->first, allocator);
    grzArray_Release(&search->last, allocator);
    grzArray_Release(&search->knownFirst, allocator);
    grzArray_Release(&search->knownLast, allocator);
}

size_t grzChordSearch_Size(const ChordSearch* search) {
    return (search->tops.capacity + search->pairs.capacity) * sizeof(grzLeafPair) +
           search->parts.capacity * sizeof(ChordPart) + search->first.capacity + search->last.capacity +
           search->knownFirst.capacity + search->knownLast.capacity;
}

void grzChordWalk_Release(ChordWalk* walk) {
    for (size_t i = 0; i < walk->walkers.count; ++i) {
        ChordWalker* walker = &walk->walkers.data[i];
        grzArray_Release(&walker->lists[0], &walk->allocator);
        grzArray_Release(&walker->lists[1], &walk->allocator);
        grzArray_Release(&walker->found, &walk->allocator);
        grzArray_Release(&walker->marks, &walk->allocator);
    }
    grzArray_Release(&walk->walkers, &walk->allocator);
    grzArray_Release(&walk->spare, &walk->allocator);
    grzArray_Release(&walk->marks, &walk->allocator);
    grzSelfCull_Destroy(walk->cull);
    for (int side = 0; side < 2; ++side) {
        grzArray_Release(&walk->known[side].wanted, &walk->allocator);
        grzArray_Release(&walk->known[side].inners, &walk->allocator);
    }
}

size_t grzChordWalk_Size(const ChordWalk* walk) {
    size_t size = walk->walkers.capacity * sizeof(ChordWalker) + walk->spare.capacity * sizeof(grzLeafPair) +
                  walk->marks.capacity * sizeof(uint64_t);
    size += walk->cull != NULL ? grzSelfCull_MemorySize(walk->cull) : 0;
    for (int side = 0; side < 2; ++side)
        size += walk->known[side].wanted.capacity * sizeof(ChordWanted) +
                walk->known[side].inners.capacity * sizeof(ChordInner);
    for (size_t i = 0; i < walk->walkers.count; ++i) {
        const ChordWalker* walker = &walk->walkers.data[i];
        const size_t pairs = walker->lists[0].capacity + walker->lists[1].capacity + walker->found.capacity;
        size += pairs * sizeof(grzLeafPair) + walker->marks.capacity * sizeof(uint64_t);
    }
    return size;
}
