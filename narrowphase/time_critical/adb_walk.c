// What: the traversal of figure 3: the likeliest pair of boxes is opened until enough pairs are likely, or none is left.
// Idea: a step pops a pair and makes the pairs of its children; a leaf stands for itself. Their parameters are found one by one,
//   their probabilities eight at a time.
//
//   Real numbers become integers so: s is rounded to the nearest, but is at least 1 and at most the number of cells; s_A and
//   s_B are rounded to the nearest, and are at most s. The paper does not say.
// Based on: [Klein and Zachmann, Time-Critical Collision Detection Using an Average-Case Approach, VRST 2003] sections 3.1, 3.4
//   and 3.5. We differ: pairs that an axis of a face separates have the probability 0 (figure 1's overlap test); and the pair
//   that makes the answer is still put into the queue, so that it is among the places.
#include "adb_walk.h"

#include <math.h>
#include <string.h>

#include "adb_chance.h"
#include "memory.h"
#include "model_place.h"

#define QUERY_MARK 0x41444251u
#define ROOM       64u     // children of a pair: eight of either side
#define SIMILAR    0x1p-14 // of a length: by which a similarity in floats may be off

grzAdbQuery grzDefaultAdbQuery(void) {
    grzAdbQuery query;
    memset(&query, 0, sizeof query);
    query.mark = QUERY_MARK;
    query.poseA = query.poseB = grzTransform_Identity();
    query.pMin = 0.99F;
    query.kMin = 10;
    query.sphereRatio = 8;
    return query;
}

// --------------------------------------------------------------------------------------------------------- meetings

static AdbMeeting meetingOf(const AdbWalk* walk, const AdbBox* a, const AdbBox* b) {
    AdbMeeting meeting;
    meeting.turn = walk->turn;
    for (int i = 0; i < 3; ++i) {
        const double* row = walk->turn[i];
        const double turned = row[0] * b->center[0] + row[1] * b->center[1] + row[2] * b->center[2];
        meeting.a[i] = a->half[i];
        meeting.b[i] = walk->scale * b->half[i];
        meeting.apart[i] = walk->scale * turned + walk->shift[i] - a->center[i];
    }
    return meeting;
}

static double volumeOf(const double half[3]) {
    return 8 * half[0] * half[1] * half[2];
}

// [Klein 2003] section 3.4.3: regions R_j, of which each has its count. The volume that A and B share is spread over them as
// the aligned box around it is.
static double countRegions(const grzAdbTree* tree, uint32_t index, const AdbMeeting* meeting, int side,
                           double part) {
    const double* half = side == 0 ? meeting->a : meeting->b;
    const uint32_t count = grzAdbRegions_Count(tree->regions);
    double lower[3], upper[3], shares[ADB_MOST_REGIONS], all = 0, sum = 0;
    for (int i = 0; i < 3; ++i) {
        double ends[2];
        grzAdbMeeting_Interval(meeting, 3 * side + i, ends);
        lower[i] = ends[0] / half[i];
        upper[i] = ends[1] / half[i];
    }
    for (uint32_t r = 0; r < count; ++r)
        all += shares[r] = grzAdbRegions_Share(tree->regions, r, lower, upper);
    for (uint32_t r = 0; r < count && all > 0; ++r) {
        // A part of the whole box, of which this region is one of `count`.
        const double partOfRegion = fmin(part * shares[r] / all * count, 1);
        sum += grzAdbTree_RegionCount(tree, index, r) * partOfRegion;
    }
    return sum;
}

// [Klein 2003] equation 3: the possible collision cells of one box in the other.
static double countShared(const AdbWalk* walk, int side, uint32_t ref, const AdbMeeting* meeting) {
    const grzAdbTree* tree = walk->trees[side];
    const uint32_t index = grzAdbTree_Index(tree, ref);
    const double shared = grzAdbMeeting_Volume(meeting, walk->volume, walk->sphereRatio);
    const double part = shared / volumeOf(side == 0 ? meeting->a : meeting->b);
    return tree->regionCounts != NULL ? countRegions(tree, index, meeting, side, part) : part * tree->counts[index];
}

// The same on every processor, which libm's is not.
static double cubeRoot(double x) {
    int exponent;
    double m = frexp(x, &exponent);
    for (; exponent % 3 != 0; --exponent)
        m *= 2; // below 4
    double root = 0.7 + 0.25 * m;
    for (int k = 0; k < 5; ++k)
        root = (2 * root + m / (root * root)) / 3;
    return ldexp(root, exponent / 3);
}

// [Klein 2003] equations 3 to 5: the possible collision cells that the larger box has in the smaller one, in cells of the smaller
// one's size. As deep as the tree.
static double countInSmaller(const AdbWalk* walk, int side, uint32_t ref, const AdbBox* smaller) {
    const AdbBox box = grzAdbTree_Box(walk->trees[side], ref);
    const AdbMeeting meeting = meetingOf(walk, side == 0 ? &box : smaller, side == 0 ? smaller : &box);
    if (grzAdbMeeting_AreApart(&meeting))
        return 0;
    const double own = volumeOf(side == 0 ? meeting.a : meeting.b);
    const double others = volumeOf(side == 0 ? meeting.b : meeting.a);
    uint32_t child = 0;
    const uint32_t count = grzAdbTree_Children(walk->trees[side], ref, &child);
    if (own <= others)
        return countShared(walk, side, ref, &meeting); // [Klein 2003] equation 3
    if (count == 0) {
        const double ratio = own / others;
        return countShared(walk, side, ref, &meeting) * ratio / cubeRoot(ratio); // [Klein 2003] equation 5
    }
    double sum = 0; // [Klein 2003] equation 4
    for (uint32_t k = 0; k < count; ++k)
        sum += countInSmaller(walk, side, child + k, smaller);
    return sum;
}

AdbParameters grzAdbWalk_Parameters(const AdbWalk* walk, uint32_t a, uint32_t b) {
    const grzAdbTree* const* trees = walk->trees;
    const AdbBox boxA = grzAdbTree_Box(trees[0], a), boxB = grzAdbTree_Box(trees[1], b);
    const AdbMeeting meeting = meetingOf(walk, &boxA, &boxB);
    AdbParameters parameters = {0, 0, 0, 0};
    if (grzAdbMeeting_AreApart(&meeting))
        return parameters;
    const double volumeA = volumeOf(meeting.a), volumeB = volumeOf(meeting.b);
    const double shared = grzAdbMeeting_Volume(&meeting, walk->volume, walk->sphereRatio);
    parameters.s = shared / fmin(volumeA, volumeB) * trees[0]->cellCount; // [Klein 2003] equation 2
    parameters.sA = volumeA <= volumeB ? countShared(walk, 0, a, &meeting) : countInSmaller(walk, 0, a, &boxB);
    parameters.sB = volumeA <= volumeB ? countInSmaller(walk, 1, b, &boxA) : countShared(walk, 1, b, &meeting);
    const uint32_t levels = trees[0]->leafLevel + trees[1]->leafLevel;
    const uint32_t level = grzAdbTree_Level(trees[0], a) + grzAdbTree_Level(trees[1], b);
    parameters.lower = levels == 0 ? 1 : (double)level / levels; // [Klein 2003] section 3.5.3
    return parameters;
}

static float roundedTo(double x, double least, double most) {
    return (float)fmin(fmax(floor(x + 0.5), least), most);
}

void grzAdbWalk_Chances(const AdbWalk* walk, AdbPair* pairs, uint32_t count) {
    AdbChances chances;
    memset(&chances, 0, sizeof chances);
    for (uint32_t k = 0; k < count; ++k) {
        const AdbParameters parameters = grzAdbWalk_Parameters(walk, pairs[k].a, pairs[k].b);
        const float u = roundedTo(parameters.s, 1, walk->trees[0]->cellCount);
        chances.cells.u[k] = u;
        chances.cells.v[k] = roundedTo(parameters.sA, 0, (double)u);
        chances.cells.w[k] = roundedTo(parameters.sB, 0, (double)u);
        chances.lower[k] = parameters.lower;
    }
    GRZ_PICK_KERNEL(grzAdbChances)(walk->trees[0]->logs, &chances);
    for (uint32_t k = 0; k < count; ++k)
        pairs[k].chance = chances.chance[k];
}

// ------------------------------------------------------------------------------------------------------------ steps

static uint32_t sideOf(const grzAdbTree* tree, uint32_t ref, uint32_t* first) {
    const uint32_t count = grzAdbTree_Children(tree, ref, first);
    if (count != 0)
        return count;
    *first = ref; // a leaf stands for itself
    return 1;
}

static uint32_t makeChildren(const AdbWalk* walk, AdbPair parent, AdbPair pairs[ROOM]) {
    uint32_t firstA = 0, firstB = 0, count = 0;
    const uint32_t countA = sideOf(walk->trees[0], parent.a, &firstA);
    const uint32_t countB = sideOf(walk->trees[1], parent.b, &firstB);
    if (firstA == parent.a && firstB == parent.b)
        return 0; // two leaves
    for (uint32_t i = 0; i < countA; ++i)
        for (uint32_t j = 0; j < countB; ++j)
            pairs[count++] = (AdbPair){0, firstA + i, firstB + j};
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

static void step(AdbWalk* walk) {
    AdbPair pairs[ROOM];
    const uint32_t count = makeChildren(walk, grzAdbQueue_Pop(&walk->queue), pairs);
    walk->steps++;
    for (uint32_t first = 0; first < count && !walk->touches; first += ADB_LANES) {
        const uint32_t some = count - first < ADB_LANES ? count - first : ADB_LANES;
        grzAdbWalk_Chances(walk, pairs + first, some);
        walk->chances += some;
        for (uint32_t k = 0; k < some && !walk->touches; ++k)
            take(walk, pairs[first + k]);
    }
    walk->isFinished = walk->touches || walk->queue.count == 0;
}

grzResult grzAdbWalk_Continue(AdbWalk* walk, uint64_t steps) {
    for (uint64_t i = 0; i < steps && !walk->isFinished; ++i) {
        if (!grzArray_Reserve(&walk->queue, &walk->allocator, walk->queue.count + ROOM))
            return grzNoMemory(walk->queue.count + ROOM, sizeof *walk->queue.data);
        step(walk);
    }
    return grzOk();
}

// ------------------------------------------------------------------------------------------------------------- begin

static const char* flawOf(const grzAdbQuery* query) {
    if (query->a == NULL || query->b == NULL)
        return "a or b is NULL";
    if (query->a->resolution != query->b->resolution)
        return "the trees have different grids";
    if (!(query->pMin > 0 && query->pMin <= 1))
        return "pMin is not above 0 and at most 1";
    if (query->kMin == 0)
        return "kMin is 0";
    if ((unsigned)query->volume > grz_volumeOfAlignedBox)
        return "volume is no grzAdbVolume";
    if (!(query->sphereRatio >= 1))
        return "sphereRatio is below 1";
    return NULL;
}

// Volumes, areas and their ratios hold under similarities alone. False for another pose.
static bool relate(AdbWalk* walk, const grzAdbQuery* query) {
    ModelPlace a, b;
    grzVec3d columns[3];
    double square = 0;
    grzModelPlace_Set(&a, query->poseA);
    grzModelPlace_Set(&b, query->poseB);
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

grzResult grzAdbWalk_Begin(AdbWalk* walk, const grzAdbQuery* query) {
    AdbWalk fresh = {.allocator = walk->allocator, .queue = walk->queue, .isFinished = true};
    fresh.queue.count = 0;
    *walk = fresh;
    if (query == NULL || query->mark != QUERY_MARK)
        return grzFail(grz_badDef, 0);
    const char* flaw = flawOf(query);
    if (flaw != NULL)
        return grzBecause(grzFail(grz_badArgument, 1), flaw);
    if (!grzTransform_IsFinite(query->poseA) || !grzTransform_IsFinite(query->poseB))
        return grzFail(grz_notFinite, 0);
    if (!relate(walk, query))
        return grzBecause(grzFail(grz_badArgument, 1), "B's pose in A's frame is no similarity");
    if (!grzArray_Reserve(&walk->queue, &walk->allocator, ROOM))
        return grzNoMemory(ROOM, sizeof *walk->queue.data);
    walk->trees[0] = query->a, walk->trees[1] = query->b;
    walk->pMin = (double)query->pMin, walk->kMin = query->kMin;
    walk->volume = query->volume, walk->sphereRatio = (double)query->sphereRatio;
    walk->isFinished = !hasTriangles(query->a) || !hasTriangles(query->b);
    if (!walk->isFinished)
        grzAdbQueue_Push(&walk->queue, (AdbPair){1, 0, 0}); // the boxes of all
    return grzOk();
}

void grzAdbWalk_Release(AdbWalk* walk) {
    grzArray_Release(&walk->queue, &walk->allocator);
}
