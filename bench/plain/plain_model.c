// What: see plain_model.h. Triangles by Moller's scalar test.
// Limits: poses are rigid. The recursion is as deep as both trees.
#include "plain_model.h"

#include <math.h>
#include <string.h>

#include "moller.h"

typedef struct Walk {
    const PlainModel *a, *b;
    PlainModelSearch* search;
    float turn[3][3], absolute[3][3], shift[3]; // B's frame in A's
} Walk;

static void relate(Walk* walk) {
    const grzTransform relative = grzTransform_Relative(walk->a->pose, walk->b->pose);
    const grzVec3 columns[3] = {relative.basis.x, relative.basis.y, relative.basis.z};
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            walk->turn[i][j] = grzVec3_Get(columns[j], i);
            walk->absolute[i][j] = fabsf(walk->turn[i][j]) + 1e-6F; // for edges that are nearly parallel
        }
        walk->shift[i] = grzVec3_Get(relative.origin, i);
    }
}

// Half extents, and B's centre from A's, in A's frame.
typedef struct BoxPair {
    float a[3], b[3], apart[3];
} BoxPair;

static BoxPair pairOf(const Walk* walk, const PlainBvhNode* a, const PlainBvhNode* b) {
    BoxPair pair;
    float center[3];
    for (int i = 0; i < 3; ++i) {
        pair.a[i] = 0.5F * (a->upper[i] - a->lower[i]);
        pair.b[i] = 0.5F * (b->upper[i] - b->lower[i]);
        center[i] = 0.5F * (b->upper[i] + b->lower[i]);
    }
    for (int i = 0; i < 3; ++i) {
        const float* row = walk->turn[i];
        pair.apart[i] = row[0] * center[0] + row[1] * center[1] + row[2] * center[2] + walk->shift[i] -
                        0.5F * (a->upper[i] + a->lower[i]);
    }
    return pair;
}

static bool partsAlongA(const Walk* walk, const BoxPair* pair, int i) {
    const float* row = walk->absolute[i];
    return fabsf(pair->apart[i]) > pair->a[i] + row[0] * pair->b[0] + row[1] * pair->b[1] + row[2] * pair->b[2];
}

static bool partsAlongB(const Walk* walk, const BoxPair* pair, int j) {
    float distance = 0, radius = pair->b[j];
    for (int i = 0; i < 3; ++i) {
        distance += pair->apart[i] * walk->turn[i][j];
        radius += pair->a[i] * walk->absolute[i][j];
    }
    return fabsf(distance) > radius;
}

static bool partsAcross(const Walk* walk, const BoxPair* pair, int i, int j) {
    const int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
    const float distance = pair->apart[i2] * walk->turn[i1][j] - pair->apart[i1] * walk->turn[i2][j];
    const float radiusA = pair->a[i1] * walk->absolute[i2][j] + pair->a[i2] * walk->absolute[i1][j];
    const float radiusB = pair->b[j1] * walk->absolute[i][j2] + pair->b[j2] * walk->absolute[i][j1];
    return fabsf(distance) > radiusA + radiusB;
}

// The axis that parts the boxes, or 15.
static int findAxis(const Walk* walk, const BoxPair* pair, bool allAxes) {
    for (int i = 0; i < 3; ++i)
        if (partsAlongA(walk, pair, i))
            return i;
    for (int j = 0; j < 3; ++j)
        if (partsAlongB(walk, pair, j))
            return 3 + j;
    for (int k = 0; k < 9 && allAxes; ++k)
        if (partsAcross(walk, pair, k / 3, k % 3))
            return 6 + k;
    return 15;
}

static bool doMeet(Walk* walk, const PlainBvhNode* a, const PlainBvhNode* b) {
    PlainModelSearch* search = walk->search;
    const BoxPair pair = pairOf(walk, a, b);
    const int axis = findAxis(walk, &pair, search->allAxes);
    search->counts.boxTests++;
    if (axis < 15)
        search->counts.exits[axis]++;
    else if (search->checks && findAxis(walk, &pair, true) < 15)
        search->counts.wronglyMet++;
    return axis == 15;
}

static void cornersOf(const PlainModel* model, uint32_t triangle, float corners[9]) {
    for (size_t k = 0; k < 3; ++k)
        memcpy(corners + 3 * k, model->positions + 3 * (size_t)model->bvh->triangles[3 * (size_t)triangle + k],
               3 * sizeof *corners);
}

static bool testTriangles(Walk* walk, uint32_t triangleA, uint32_t triangleB) {
    float a[9], b[9], moved[9];
    walk->search->counts.triangleTests++;
    if (walk->search->skipsTriangles)
        return false;
    cornersOf(walk->a, triangleA, a);
    cornersOf(walk->b, triangleB, b);
    for (int k = 0; k < 9; ++k) {
        const float *row = walk->turn[k % 3], *p = b + k / 3 * 3;
        moved[k] = row[0] * p[0] + row[1] * p[1] + row[2] * p[2] + walk->shift[k % 3];
    }
    const bool meet = benchMoller(a, moved);
    walk->search->counts.hits += meet;
    return meet;
}

static float volumeOf(const PlainBvhNode* node) {
    return (node->upper[0] - node->lower[0]) * (node->upper[1] - node->lower[1]) *
           (node->upper[2] - node->lower[2]);
}

static bool visit(Walk* walk, const PlainBvhNode* a, const PlainBvhNode* b) {
    if (!doMeet(walk, a, b))
        return false;
    if (a->child == 0 && b->child == 0)
        return testTriangles(walk, a->triangle, b->triangle);
    const bool opensA = b->child == 0 || (a->child != 0 && volumeOf(a) >= volumeOf(b));
    const PlainBvhNode* children = opensA ? walk->a->bvh->nodes + a->child : walk->b->bvh->nodes + b->child;
    bool met = false;
    for (int k = 0; k < 2 && !(met && walk->search->firstOnly); ++k)
        met = (opensA ? visit(walk, children + k, b) : visit(walk, a, children + k)) || met;
    return met;
}

bool plainModelsMeet(const PlainModel* a, const PlainModel* b, PlainModelSearch* search) {
    Walk walk = {.a = a, .b = b, .search = search};
    relate(&walk);
    return visit(&walk, a->bvh->nodes, b->bvh->nodes);
}
