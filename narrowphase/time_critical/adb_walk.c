// What: the traversal of figure 3: the likeliest pair of boxes is opened until enough pairs are likely, or none is left.
// Idea: a unit makes at most eight pairs of the children of a pair; a leaf stands for itself.
// Based on: [Klein and Zachmann, Time-Critical Collision Detection Using an Average-Case Approach, VRST 2003] section 3.1. We
//   differ: the pair that makes the answer is still put into the queue, so that it is among the places.
#include "adb_walk.h"

#include <math.h>
#include <string.h>

#include "adb_chance.h"
#include "memory.h"
#include "model_place.h"

#define SIMILAR 0x1p-14 // of a length: by which a similarity in floats may be off

static const AdbPair boxesOfAll = {1, 0, 0}; // [Klein 2003] figure 3: q.insert(A, B, 1)

// ------------------------------------------------------------------------------------------------------------ units

static uint32_t sideOf(const grzAdbTree* tree, uint32_t ref, uint32_t* first) {
    const uint32_t count = grzAdbTree_Children(tree, ref, first);
    if (count != 0)
        return count;
    *first = ref; // a leaf stands for itself
    return 1;
}

static bool isOpening(const AdbWalk* walk) {
    return walk->opening.next < walk->opening.countA * walk->opening.countB;
}

// The likeliest pair. Two leaves cannot be opened.
static void popPair(AdbWalk* walk) {
    AdbOpening* opening = &walk->opening;
    const AdbPair parent = opening->parent = grzAdbQueue_Pop(&walk->queue);
    opening->countA = sideOf(walk->trees[0], parent.a, &opening->firstA);
    opening->countB = sideOf(walk->trees[1], parent.b, &opening->firstB);
    opening->next = 0;
    walk->steps++;
    if (opening->firstA != parent.a || opening->firstB != parent.b)
        return;
    opening->countA = opening->countB = 0;
    walk->likeliestLeaf = fmax(walk->likeliestLeaf, parent.chance);
}

static uint32_t makeChildren(AdbOpening* opening, AdbPair pairs[ADB_LANES]) {
    uint32_t count = 0;
    for (; count < ADB_LANES && opening->next < opening->countA * opening->countB; ++count, ++opening->next)
        pairs[count] = (AdbPair){0, opening->firstA + opening->next / opening->countB,
                                 opening->firstB + opening->next % opening->countB};
    return count;
}

// [Klein 2003] figure 3
static void take(AdbWalk* walk, AdbPair pair) {
    walk->likeliest = fmax(walk->likeliest, pair.chance);
    walk->found += pair.chance >= walk->pMin;
    if (pair.chance > 0)
        grzAdbQueue_Push(&walk->queue, pair);
    walk->touches = walk->found >= walk->kMin;
}

static void runUnit(AdbWalk* walk) {
    AdbPair pairs[ADB_LANES];
    while (!isOpening(walk) && walk->queue.count != 0)
        popPair(walk);
    const uint32_t count = makeChildren(&walk->opening, pairs);
    if (count != 0 && grzAdbWalk_Chances(walk, pairs, count))
        walk->hasMet = true;
    walk->chances += count;
    for (uint32_t k = 0; k < count && !walk->touches; ++k)
        take(walk, pairs[k]);
    walk->isFinished = walk->touches || (walk->queue.count == 0 && !isOpening(walk));
}

grzResult grzAdbWalk_Continue(AdbWalk* walk, uint64_t units) {
    for (uint64_t i = 0; i < units && !walk->isFinished; ++i) {
        const size_t room = walk->queue.count + ADB_LANES;
        if (!grzArray_Reserve(&walk->queue, &walk->allocator, room))
            return grzNoMemory(room, sizeof *walk->queue.data);
        if (walk->steps == 0)
            grzAdbQueue_Push(&walk->queue, boxesOfAll);
        runUnit(walk);
    }
    return grzOk();
}

// ----------------------------------------------------------------------------------------------------------- answers

// That of the boxes of all, 1, says nothing; nor does 0 where boxes meet but no cell counts, as with the constant as printed.
double grzAdbWalk_Estimate(const AdbWalk* walk) {
    if (walk->steps == 0 || (walk->hasMet && walk->likeliest == 0))
        return -1;
    if (walk->touches)
        return walk->likeliest;
    return walk->queue.count == 0 ? walk->likeliestLeaf : fmax(walk->likeliestLeaf, walk->queue.data[0].chance);
}

uint32_t grzAdbWalk_Peek(const AdbWalk* walk, AdbPair* pairs, uint32_t capacity) {
    uint32_t count = grzAdbQueue_Peek(&walk->queue, pairs, capacity);
    if (capacity == 0 || walk->isFinished || (walk->steps != 0 && !isOpening(walk)))
        return count;
    const AdbPair parent = walk->steps == 0 ? boxesOfAll : walk->opening.parent;
    // Nothing in the queue was before the parent; of its children some may be.
    const uint32_t most = capacity < ADB_MOST_PEEKED ? capacity : ADB_MOST_PEEKED;
    uint32_t at = 0;
    while (at < count && pairs[at].chance > parent.chance)
        at++;
    if (at == most)
        return count;
    count += count < most;
    memmove(pairs + at + 1, pairs + at, (count - at - 1) * sizeof *pairs);
    pairs[at] = parent;
    return count;
}

// ------------------------------------------------------------------------------------------------------------- begin

static const char* flawOfTrees(const grzModelQuery* models, const grzAdbQuery* query) {
    const grzAdbTree* trees[2] = {query->a, query->b};
    const grzModel* own[2] = {models->a, models->b};
    for (int side = 0; side < 2; ++side) {
        const grzAdbTree* tree = trees[side];
        if (tree == NULL)
            return "a or b of adb is NULL";
        if (tree->model == NULL ? tree->revision != own[side]->revision : tree->model != own[side])
            return "a tree of adb is not of the query's model, or an octree not of the model as it is";
    }
    return query->a->resolution != query->b->resolution ? "the trees of adb have different grids" : NULL;
}

static const char* flawOf(const grzModelQuery* models, const grzAdbQuery* query) {
    const char* flaw = flawOfTrees(models, query);
    if (flaw != NULL)
        return flaw;
    if (!(query->pMin > 0 && query->pMin <= 1))
        return "pMin of adb is not above 0 and at most 1";
    if (query->kMin == 0)
        return "kMin of adb is 0";
    if ((unsigned)query->volume > grz_volumeOfAlignedBox)
        return "volume of adb is no grzAdbVolume";
    if (!(query->sphereRatio >= 1))
        return "sphereRatio of adb is below 1";
    return NULL;
}

// Volumes, areas and their ratios hold under similarities alone. False for another pose.
static bool relate(AdbWalk* walk, const grzModelQuery* models) {
    ModelPlace a, b;
    grzVec3d columns[3];
    double square = 0;
    grzModelPlace_Set(&a, models->poseA);
    grzModelPlace_Set(&b, models->poseB);
    if (!grzModelPlace_Invert(&a))
        return false;
    for (int j = 0; j < 3; ++j) {
        columns[j] = grzModelPlace_TurnBack(&a, b.columns[j]);
        square += grzVec3d_Dot(columns[j], columns[j]) / 3;
    }
    walk->scale = sqrt(square);
    if (!(walk->scale > 0) || !isfinite(walk->scale))
        return false;
    for (int j = 0; j < 3; ++j)
        for (int k = j; k < 3; ++k)
            if (!(fabs(grzVec3d_Dot(columns[j], columns[k]) - (j == k ? square : 0)) <= SIMILAR * square))
                return false;
    const grzVec3d shift = grzModelPlace_TurnBack(&a, grzVec3d_Sub(b.origin, a.origin));
    for (int i = 0; i < 3; ++i) {
        walk->shift[i] = i == 0 ? shift.x : i == 1 ? shift.y : shift.z;
        for (int j = 0; j < 3; ++j)
            walk->turn[i][j] = (i == 0 ? columns[j].x : i == 1 ? columns[j].y : columns[j].z) / walk->scale;
    }
    return true;
}

static bool hasTriangles(const grzAdbTree* tree) {
    uint32_t first = 0;
    return grzAdbTree_Children(tree, 0, &first) != 0;
}

grzResult grzAdbWalk_Begin(AdbWalk* walk, const grzProbeQuery* query) {
    const grzAdbQuery* adb = &query->adb;
    AdbWalk fresh = {.allocator = walk->allocator, .queue = walk->queue, .isFinished = true};
    fresh.queue.count = 0;
    *walk = fresh;
    const char* flaw = flawOf(&query->models, adb);
    if (flaw != NULL)
        return grzBecause(grzFail(grz_badArgument, 1), flaw);
    if (!relate(walk, &query->models))
        return grzBecause(grzFail(grz_badArgument, 1), "B's pose in A's frame is no similarity");
    const grzResult result = grzCheckAllocator(adb->allocator, 1);
    if (!grzResult_IsOk(result))
        return result;
    walk->trees[0] = adb->a, walk->trees[1] = adb->b;
    walk->pMin = (double)adb->pMin, walk->kMin = adb->kMin;
    walk->volume = adb->volume, walk->sphereRatio = (double)adb->sphereRatio;
    walk->isFinished = !hasTriangles(adb->a) || !hasTriangles(adb->b);
    return grzOk();
}

void grzAdbWalk_Release(AdbWalk* walk) {
    grzArray_Release(&walk->queue, &walk->allocator);
}
