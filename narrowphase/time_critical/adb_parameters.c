// What: computeProb of figure 5: how likely the surfaces in two boxes intersect.
// Idea: parameters are found one pair after the other, probabilities eight at a time.
//
//   Real numbers become integers so: s is rounded to the nearest, but is at least 1 and at most the number of cells; s_A and
//   s_B are rounded to the nearest, and are at most s. The paper does not say.
// Based on: [Klein and Zachmann, Time-Critical Collision Detection Using an Average-Case Approach, VRST 2003] sections 3.4 and
//   3.5. We differ: pairs that an axis of a face separates have the probability 0 (figure 1's overlap test).
#include "adb_walk.h"

#include <math.h>
#include <string.h>

#include "adb_chance.h"

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

bool grzAdbWalk_Chances(const AdbWalk* walk, AdbPair* pairs, uint32_t count) {
    AdbChances chances;
    bool hasMet = false;
    memset(&chances, 0, sizeof chances);
    for (uint32_t k = 0; k < count; ++k) {
        const AdbParameters parameters = grzAdbWalk_Parameters(walk, pairs[k].a, pairs[k].b);
        hasMet = hasMet || parameters.s > 0;
        const float u = roundedTo(parameters.s, 1, walk->trees[0]->cellCount);
        chances.cells.u[k] = u;
        chances.cells.v[k] = roundedTo(parameters.sA, 0, (double)u);
        chances.cells.w[k] = roundedTo(parameters.sB, 0, (double)u);
        chances.lower[k] = parameters.lower;
    }
    GRZ_PICK_KERNEL(grzAdbChances)(walk->trees[0]->logs, &chances);
    for (uint32_t k = 0; k < count; ++k)
        pairs[k].chance = chances.chance[k];
    return hasMet;
}
