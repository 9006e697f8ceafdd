// What: grzCcdStep_Decide: from pairs of triangles to pairs of features to impacts.
// Idea:
//
//   256 pairs of triangles -> features that they own, whose boxes overlap (ccd_meet_kernel.h), pass by pass ->
//   candidates
//
// Promise: the impacts are those of Find if the list holds each pair of triangles without a common vertex whose
//   closed boxes overlap at some time of the step. Proof: let two features without a common vertex touch at a time
//   t, in a point x. One pair of triangles tests them (ccd_triangles.h).
//     - If this pair has no common vertex, each triangle has one of the features. So x lies in the closed boxes of
//       both at t, and the pair is listed.
//     - If it has a common vertex, it is one of the orphans, which are all looked at.
//   Each two features are tested once: one pair tests them, and it is in the list once, or among the orphans. The
//   times t0 to t1 of a pair hold all its impacts, so features whose boxes are apart at all of these times do not
//   touch.
// Holds: doubles are rounded for the kernel, which then takes more pairs. After it the exact boxes of the whole
//   step decide which overlap. Candidates are those of Find if the pairs' times are the whole step.
// Based on: [Curtis, Tamstorf, Manocha, Fast Collision Detection for Deformable Models using
//   Representative-Triangles, I3D 2008].
#include <math.h>
#include <string.h>

#include "bvh_parts.h"
#include "ccd_step_inside.h"
#include "first_refused.h"
#include "result_make.h"

enum { CHECK_GRAIN = 4096 };

// ---- the list ----

typedef struct PairCheck {
    const grzCcdStepPairs* pairs;
    uint32_t counts[2]; // of triangles
    bool isSelf;
} PairCheck;

static grzResult checkPair(uint32_t item, void* context) {
    const PairCheck* check = context;
    const grzTrianglePair *pair = &check->pairs->list[item], *last = pair - (item != 0);
    if (pair->triangleA >= check->counts[0])
        return grzFail(grz_indexTooLarge, pair->triangleA);
    if (pair->triangleB >= check->counts[1])
        return grzFail(grz_indexTooLarge, pair->triangleB);
    if (check->isSelf && pair->triangleA >= pair->triangleB)
        return grzBecause(grzFail(grz_badArgument, 4), "triangleA is not below triangleB, in one mesh");
    if (!(0 <= pair->t0 && pair->t0 <= pair->t1 && pair->t1 <= 1))
        return grzBecause(grzFail(grz_badArgument, 4), "t0 and t1 are not 0 to 1, or not in order");
    if (item != 0 && grzTrianglePair_KeyWord(last, 1) >= grzTrianglePair_KeyWord(pair, 1))
        return grzBecause(grzFail(grz_badArgument, 4), "the list is not sorted by triangles, or has a pair twice");
    return grzOk();
}

grzResult grzCcdStep_CheckPairs(const grzCcdStep* step, grzTasks* tasks, const grzCcdStepPairs* pairs) {
    if (!step->decidesPairs)
        return grzBecause(grzFail(grz_badArgument, 1), "the def did not say decidesPairs");
    if (pairs == NULL || (pairs->list == NULL && pairs->count != 0))
        return grzBecause(grzFail(grz_badArgument, 4), "there is no list");
    const uint32_t last = step->sideCount - 1;
    PairCheck check = {pairs, {step->triangles[0].count, step->triangles[last].count}, last == 0};
    return grzParallelAnswer(tasks, pairs->count, CHECK_GRAIN, checkPair, &check);
}

// Items of the list come before those of orphans.
static uint32_t countListItems(const grzCcdStepPairs* pairs) {
    return grzBvhDivideUp(pairs->count, CCD_MEET_PAIRS);
}

uint32_t grzCcdStep_CountPairItems(const grzCcdStep* step, const grzCcdStepPairs* pairs) {
    return countListItems(pairs) + grzBvhDivideUp(step->triangles[0].orphanCount, CCD_MEET_PAIRS);
}

// What a pair stands in for; `at` goes on from the pair before, in the order of the list.
static uint32_t standInTests(const CcdTriangles* triangles, uint32_t a, uint32_t b, uint32_t* at) {
    const uint32_t end = triangles->starts[a + 1];
    *at = *at < triangles->starts[a] ? triangles->starts[a] : *at;
    while (*at < end && triangles->standIns[*at].b < b)
        ++*at;
    return *at < end && triangles->standIns[*at].b == b ? triangles->standIns[*at].tests : 0;
}

static void takeListed(const grzCcdStep* step, const grzTrianglePair* list, CcdTrianglePairs* pairs) {
    const CcdTriangles *first = &step->triangles[0], *last = &step->triangles[step->sideCount - 1];
    uint32_t at = 0;
    for (uint32_t i = 0; i < pairs->count; ++i) {
        const uint32_t a = list[i].triangleA, b = list[i].triangleB;
        pairs->a[i] = a;
        pairs->b[i] = b;
        pairs->t0[i] = list[i].t0;
        pairs->t1[i] = list[i].t1;
        pairs->tests[i] = CcdTriangle_OwnTests(first->corners[a].owns, last->corners[b].owns);
        if (first->starts != NULL)
            pairs->tests[i] |= standInTests(first, a, b, &at);
    }
}

static void takeOrphans(const CcdOrphans* orphans, CcdTrianglePairs* pairs) {
    for (uint32_t i = 0; i < pairs->count; ++i) {
        pairs->a[i] = orphans[i].a;
        pairs->b[i] = orphans[i].b;
        pairs->t0[i] = 0;
        pairs->t1[i] = 1;
        pairs->tests[i] = orphans[i].tests;
    }
}

static void takePairs(const StepWork* work, uint32_t item, CcdTrianglePairs* pairs) {
    const uint32_t listItems = countListItems(work->pairs);
    const bool isListed = item < listItems;
    const uint32_t first = (isListed ? item : item - listItems) * CCD_MEET_PAIRS;
    const uint32_t left = (isListed ? work->pairs->count : work->step->triangles[0].orphanCount) - first;
    pairs->count = left < CCD_MEET_PAIRS ? left : CCD_MEET_PAIRS;
    if (isListed)
        takeListed(work->step, work->pairs->list + first, pairs);
    else
        takeOrphans(work->step->triangles[0].orphans + first, pairs);
    for (uint32_t i = pairs->count; i % CCD_MEET_GROUP != 0; ++i) {
        pairs->a[i] = pairs->a[i - 1];
        pairs->b[i] = pairs->b[i - 1];
        pairs->t0[i] = pairs->t1[i] = 0;
        pairs->tests[i] = 0;
    }
}

// ---- candidates ----

typedef struct PairSearch {
    const StepWork* work;
    CcdTrianglePairs pairs;
    CcdMeetBits bits;
} PairSearch;

// A vertex of one side and the face of the other; test: ccd_meet_kernel.h.
static void writeVertex(const grzCcdStep* step, uint32_t a, uint32_t b, int test, CcdCandidates* to) {
    const uint32_t side = test < 3 ? 0 : 1, last = step->sideCount - 1;
    const CcdTriangles *of = &step->triangles[side * last], *others = &step->triangles[(1 - side) * last];
    const uint32_t face = side == 0 ? b : a;
    const uint32_t vertex = of->corners[side == 0 ? a : b].names[test % 3];
    uint32_t* vertices = to->vertices + 4 * (size_t)to->count;
    vertices[0] = vertex;
    memcpy(vertices + 1, others->corners[face].names, 3 * sizeof *vertices);
    to->features[0][to->count] = vertex - side * last * step->vertexCounts[0];
    to->features[1][to->count] = face;
}

// Ends in the order that edges have in the mesh.
static void writeEdge(const CcdTriangles* triangles, uint32_t triangle, int edge, uint32_t* vertices,
                      uint32_t* feature) {
    const uint32_t* names = triangles->corners[triangle].names;
    const uint32_t from = names[edge], to = names[(edge + 1) % 3];
    vertices[0] = from < to ? from : to;
    vertices[1] = from < to ? to : from;
    *feature = triangles->edges[3 * (size_t)triangle + (size_t)edge];
}

static void writeEdges(const grzCcdStep* step, uint32_t a, uint32_t b, int test, CcdCandidates* to) {
    uint32_t* vertices = to->vertices + 4 * (size_t)to->count;
    const int edges = test - CCD_MEET_FACES;
    writeEdge(&step->triangles[0], a, edges / 3, vertices, &to->features[0][to->count]);
    writeEdge(&step->triangles[step->sideCount - 1], b, edges % 3, vertices + 2, &to->features[1][to->count]);
}

// Along an axis; of the points of each feature, at both ends.
static void widen(const double* rows, uint32_t vertex, int axis, double* lower, double* upper) {
    const double* row = rows + CCD_ROW * (size_t)vertex + axis;
    for (int end = 0; end < 2; ++end) {
        const double x = row[CCD_ROW / 2 * end];
        *lower = x < *lower ? x : *lower;
        *upper = x > *upper ? x : *upper;
    }
}

static bool boxesOverlap(const double* rows, const uint32_t* vertices, int ownCount) {
    bool overlap = true;
    for (int axis = 0; axis < 3; ++axis) {
        double lower[2] = {(double)INFINITY, (double)INFINITY}, upper[2] = {-(double)INFINITY, -(double)INFINITY};
        for (int point = 0; point < 4; ++point) {
            const int side = point >= ownCount;
            widen(rows, vertices[point], axis, &lower[side], &upper[side]);
        }
        overlap = overlap && lower[0] <= upper[1] && lower[1] <= upper[0];
    }
    return overlap;
}

// What a test says of a group of pairs.
static void writeGroup(const PairSearch* search, int test, uint32_t group, CcdCandidates* to) {
    const grzCcdStep* step = search->work->step;
    for (uint32_t bits = search->bits[test][group]; bits != 0; bits &= bits - 1) {
        const uint32_t i = CCD_MEET_GROUP * group + (uint32_t)__builtin_ctz(bits);
        const uint32_t a = search->pairs.a[i], b = search->pairs.b[i];
        if (test < CCD_MEET_FACES)
            writeVertex(step, a, b, test, to);
        else
            writeEdges(step, a, b, test, to);
        to->count += !step->rows.isDouble || boxesOverlap(step->rows.data, to->vertices + 4 * (size_t)to->count,
                                                          test < CCD_MEET_FACES ? 1 : 2);
    }
}

static bool searchPass(const PairSearch* search, const StepPass* pass, BatchBlock* block,
                       const grzAllocator* allocator) {
    const bool isEdges = pass->kind == grz_ccdEdgeEdge;
    const int begin = isEdges ? CCD_MEET_FACES : pass->isTurned ? 3 : 0;
    const int end = isEdges ? CCD_MEET_TESTS : pass->isTurned || pass->isSelf ? CCD_MEET_FACES : 3;
    const uint32_t groups = grzBvhDivideUp(search->pairs.count, CCD_MEET_GROUP);
    CcdCandidates candidates;
    candidates.count = candidates.apart = 0;
    for (int test = begin; test < end; ++test)
        for (uint32_t group = 0; group < groups; ++group) {
            writeGroup(search, test, group, &candidates);
            if (candidates.count >= CCD_CANDIDATES &&
                !grzCcdStep_DecideSome(search->work, pass, &candidates, block, allocator))
                return false;
        }
    return candidates.count == 0 || grzCcdStep_DecideSome(search->work, pass, &candidates, block, allocator);
}

bool grzCcdStep_SearchPairs(const StepWork* work, uint32_t item, BatchBlock* block, const grzAllocator* allocator) {
    const grzCcdStep* step = work->step;
    PairSearch search = {.work = work};
    takePairs(work, item, &search.pairs);
    const CcdMeeting meeting = {step->rows.isDouble ? step->rounded : step->rows.data,
                                step->rows.isDouble,
                                step->triangles[0].corners,
                                step->triangles[step->sideCount - 1].corners,
                                &search.pairs,
                                step->sideCount == 1 && item < countListItems(work->pairs)};
    GRZ_PICK_KERNEL(grzCcdMeet)(&meeting, search.bits);
    for (uint32_t i = 0; i < step->passCount; ++i)
        if (!searchPass(&search, &step->passes[i], block, allocator))
            return false;
    return true;
}

// ---- doubles ----

// What is beyond the range in which the kernel counts is beyond it as a float, too.
static void roundRows(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    const grzCcdStep* step = context;
    (void)worker;
    for (size_t i = CCD_ROW * (size_t)begin; i < CCD_ROW * (size_t)end; ++i) {
        const double x = ((const double*)step->rows.data)[i];
        step->rounded[i] = (float)fmax(fmin(x, 0x1p121), -0x1p121);
    }
}

void grzCcdStep_RoundRows(grzCcdStep* step, grzTasks* tasks) {
    if (step->rows.isDouble)
        grzParallelFor(tasks, step->vertexCounts[0] + step->vertexCounts[1], CHECK_GRAIN, roundRows, step);
}
