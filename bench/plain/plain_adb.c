// What: see plain_adb.h.
// Limits: recursions are as deep as the trees.
#include "plain_adb.h"

#include <math.h>
#include <string.h>

#include "adb_cells.h"
#include "adb_queue.h"
#include "adb_volume.h"

// ---- memory ----

static void* take(PlainAdb* adb, size_t count, size_t size) {
    return adb->allocator.allocate(adb->allocator.context, count * size, 64);
}

static void giveBack(PlainAdb* adb, void* data, size_t count, size_t size) {
    if (data != NULL)
        adb->allocator.release(adb->allocator.context, data, count * size, 64);
}

static uint32_t cellsOf(const PlainAdb* adb) {
    return adb->def.resolution * adb->def.resolution * adb->def.resolution;
}

static bool make(PlainAdb* adb, size_t nodeCount, size_t triangleCount, PlainAdbDef def, grzAllocator allocator) {
    *adb = (PlainAdb){.allocator = allocator, .def = def, .nodeCount = nodeCount, .triangleCount = triangleCount};
    adb->nodes = take(adb, nodeCount, sizeof *adb->nodes);
    adb->counts = take(adb, nodeCount * (1 + (size_t)def.otherCount), sizeof *adb->counts);
    adb->corners = take(adb, triangleCount, sizeof *adb->corners);
    adb->logs = take(adb, cellsOf(adb) + 1, sizeof *adb->logs);
    if (adb->nodes == NULL || adb->counts == NULL || adb->corners == NULL || adb->logs == NULL)
        return false;
    memset(adb->nodes, 0, nodeCount * sizeof *adb->nodes);
    for (uint32_t n = 0; n <= cellsOf(adb); ++n)
        adb->logs[n] = lgamma(n + 1.0);
    return true;
}

void PlainAdb_Release(PlainAdb* adb) {
    giveBack(adb, adb->nodes, adb->nodeCount, sizeof *adb->nodes);
    giveBack(adb, adb->counts, adb->nodeCount * (1 + (size_t)adb->def.otherCount), sizeof *adb->counts);
    giveBack(adb, adb->corners, adb->triangleCount, sizeof *adb->corners);
    giveBack(adb, adb->logs, cellsOf(adb) + 1, sizeof *adb->logs);
    *adb = (PlainAdb){.nodes = NULL};
}

// ---- counts ----

static bool overlaps(const double lower[3], const double upper[3], const PlainAdbNode* node) {
    for (int i = 0; i < 3; ++i)
        if (lower[i] > node->upper[i] || upper[i] < node->lower[i])
            return false;
    return true;
}

// [Klein 2003] definition 1: of the whole object.
static void gather(const PlainAdb* adb, const AdbGrid* grid, const PlainAdbNode* node, uint32_t from,
                   double* areas) {
    const PlainAdbNode* other = &adb->nodes[from];
    if (!overlaps(node->lower, node->upper, other))
        return;
    for (uint32_t k = 0; k < other->triangleCount; ++k)
        grzAdbGrid_Add(grid, adb->corners[other->firstTriangle + k], areas);
    for (uint32_t k = 0; k < other->childCount; ++k)
        gather(adb, grid, node, other->child + k, areas);
}

// How many cells have so much area. [Klein 2003] definition 2
static uint16_t countCells(const double* areas, uint32_t cells, double least) {
    uint32_t number = 0;
    for (uint32_t cell = 0; cell < cells; ++cell)
        number += areas[cell] > 0 && areas[cell] >= least ? 1 : 0;
    return (uint16_t)number;
}

static void count(const PlainAdb* adb, PlainAdbNode* node) {
    double areas[16 * 16 * 16];
    uint16_t* counts = adb->counts + (size_t)(node - adb->nodes) * (1 + (size_t)adb->def.otherCount);
    const AdbBox box = grzAdbBox_Thicken(node->lower, node->upper, 0); // thick already
    const AdbGrid grid = grzAdbGrid_Make(&box, adb->def.resolution, adb->def.areaFactor);
    memset(areas, 0, cellsOf(adb) * sizeof *areas);
    gather(adb, &grid, node, 0, areas);
    counts[0] = countCells(areas, cellsOf(adb), grid.area);
    for (uint32_t k = 0; k < adb->def.otherCount; ++k)
        counts[1 + k] =
            countCells(areas, cellsOf(adb), grzAdbGrid_Make(&box, adb->def.resolution, adb->def.others[k]).area);
    for (uint32_t cell = 0; cell < cellsOf(adb); ++cell)
        if (areas[cell] > 0 && areas[cell] >= grid.area)
            node->regions[grzAdbGrid_Region(adb->def.regions, adb->def.resolution, cell)]++;
}

void PlainAdb_Use(PlainAdb* adb, uint32_t k) {
    for (size_t i = 0; i < adb->nodeCount; ++i)
        adb->nodes[i].count = adb->counts[i * (1 + (size_t)adb->def.otherCount) + k];
}

// ---- trees ----

static void setBox(PlainAdb* adb, PlainAdbNode* node, const double lower[3], const double upper[3]) {
    double longest = 0;
    for (int i = 0; i < 3; ++i)
        longest = fmax(longest, upper[i] - lower[i]);
    if (node == adb->nodes)
        adb->least = longest > 0 ? exp2(floor(log2(longest)) - 19) : 1;
    const double thinnest = fmax(longest / 64, adb->least);
    for (int i = 0; i < 3; ++i) {
        const double more = fmax(thinnest - (upper[i] - lower[i]), 0) / 2;
        node->lower[i] = lower[i] - more;
        node->upper[i] = upper[i] + more;
    }
    adb->maxDepth = node->depth > adb->maxDepth ? node->depth : adb->maxDepth;
}

static void countAll(PlainAdb* adb) {
    for (size_t i = 0; i < adb->nodeCount; ++i)
        count(adb, &adb->nodes[i]);
    PlainAdb_Use(adb, 0);
}

static void setCorners(PlainAdb* adb, size_t to, const float* positions, const uint32_t* vertices) {
    for (size_t k = 0; k < 9; ++k)
        adb->corners[to][k] = (double)positions[3 * (size_t)vertices[k / 3] + k % 3];
}

bool PlainAdb_FromBvh(PlainAdb* adb, const PlainBvh* bvh, const float* positions, PlainAdbDef def,
                      grzAllocator allocator) {
    uint32_t used = 0;
    if (!make(adb, 2 * bvh->triangleCount - 1, bvh->triangleCount, def, allocator))
        return false;
    for (size_t i = 0; i < adb->nodeCount; ++i) {
        const PlainBvhNode* from = &bvh->nodes[i];
        PlainAdbNode* node = &adb->nodes[i]; // a parent has set the depth
        double lower[3], upper[3];
        for (int k = 0; k < 3; ++k)
            lower[k] = (double)from->lower[k], upper[k] = (double)from->upper[k];
        setBox(adb, node, lower, upper);
        if (from->child != 0) {
            node->child = from->child, node->childCount = 2;
            adb->nodes[from->child].depth = adb->nodes[from->child + 1].depth = node->depth + 1;
            continue;
        }
        node->firstTriangle = used, node->triangleCount = 1;
        setCorners(adb, used++, positions, bvh->triangles + 3 * (size_t)from->triangle);
    }
    countAll(adb);
    return true;
}

// The boxes of the children of a node of ours, behind all that is there.
static size_t addChildren(PlainAdb* adb, const grzBvhNode* from, uint32_t lanes, PlainAdbNode* parent,
                          size_t next) {
    parent->child = (uint32_t)next, parent->childCount = lanes;
    for (uint32_t lane = 0; lane < lanes; ++lane) {
        PlainAdbNode* node = &adb->nodes[next++];
        double lower[3], upper[3];
        for (int k = 0; k < 3; ++k)
            lower[k] = (double)from->lower[k][lane], upper[k] = (double)from->upper[k][lane];
        node->depth = parent->depth + 1;
        setBox(adb, node, lower, upper);
    }
    return next;
}

bool PlainAdb_FromModel(PlainAdb* adb, const grzModel* model, const float* positions, PlainAdbDef def,
                        grzAllocator allocator) {
    const grzModelView own = grzModel_GetView(model);
    const grzBvhView view = grzBvh_GetView(own.bvh);
    size_t next = 1;
    if (!make(adb, (size_t)view.nodeCount + view.leafCount, view.triangleCount, def, allocator))
        return false;
    const float *lower = &own.box.lower.x, *upper = &own.box.upper.x;
    setBox(adb, adb->nodes, (double[3]){(double)lower[0], (double)lower[1], (double)lower[2]},
           (double[3]){(double)upper[0], (double)upper[1], (double)upper[2]});
    for (uint32_t level = 0; level < view.levelCount; ++level)
        for (uint32_t i = view.levelStarts[level]; i < view.levelStarts[level + 1]; ++i)
            next = addChildren(adb, &own.nodes[i], grzBvhView_ChildCount(&view, level, i - view.levelStarts[level]),
                               &adb->nodes[i], next);
    for (uint32_t leaf = 0; leaf < view.leafCount; ++leaf) {
        PlainAdbNode* node = &adb->nodes[view.nodeCount + leaf];
        node->firstTriangle = 4 * leaf;
        node->triangleCount = view.triangleCount - 4 * leaf < 4 ? view.triangleCount - 4 * leaf : 4;
    }
    for (size_t t = 0; t < view.triangleCount; ++t) {
        uint32_t vertices[3];
        for (size_t k = 0; k < 3; ++k)
            vertices[k] = view.vertexToCaller[view.triangles[3 * t + k]];
        setCorners(adb, t, positions, vertices);
    }
    countAll(adb);
    return true;
}

// ---- probabilities ----

static AdbMeeting meetingOf(const PlainAdbQuery* query, const PlainAdbNode* a, const PlainAdbNode* b) {
    AdbMeeting meeting;
    meeting.turn = query->turn;
    for (int i = 0; i < 3; ++i) {
        double center = query->shift[i];
        for (int j = 0; j < 3; ++j)
            center += query->scale * query->turn[i][j] * (b->lower[j] + b->upper[j]) / 2;
        meeting.a[i] = (a->upper[i] - a->lower[i]) / 2;
        meeting.b[i] = query->scale * (b->upper[i] - b->lower[i]) / 2;
        meeting.apart[i] = center - (a->lower[i] + a->upper[i]) / 2;
    }
    return meeting;
}

static double volumeOf(const double half[3]) {
    return 8 * half[0] * half[1] * half[2];
}

static double shared(const PlainAdbQuery* query, const AdbMeeting* meeting) {
    return grzAdbMeeting_Volume(meeting, query->volume, query->sphereRatio);
}

// [Klein 2003] equation 3, and section 3.4.3.
static double countShared(const PlainAdbQuery* query, int side, const PlainAdbNode* node,
                          const AdbMeeting* meeting) {
    const PlainAdb* adb = side == 0 ? query->a : query->b;
    const double* half = side == 0 ? meeting->a : meeting->b;
    const double part = shared(query, meeting) / volumeOf(half);
    const uint32_t regions = grzAdbRegions_Count(adb->def.regions);
    double lower[3], upper[3], all = 0, sum = 0;
    if (adb->def.regions == grz_adbNoRegions)
        return part * node->count;
    for (int i = 0; i < 3; ++i) {
        double ends[2];
        grzAdbMeeting_Interval(meeting, 3 * side + i, ends);
        lower[i] = ends[0] / half[i], upper[i] = ends[1] / half[i];
    }
    for (uint32_t r = 0; r < regions; ++r)
        all += grzAdbRegions_Share(adb->def.regions, r, lower, upper);
    for (uint32_t r = 0; r < regions && all > 0; ++r)
        sum += node->regions[r] *
               fmin(part * grzAdbRegions_Share(adb->def.regions, r, lower, upper) / all * regions, 1);
    return sum;
}

// [Klein 2003] equations 3 to 5.
static double descend(const PlainAdbQuery* query, int side, const PlainAdbNode* node, const PlainAdbNode* smaller) {
    const PlainAdb* adb = side == 0 ? query->a : query->b;
    const AdbMeeting meeting = side == 0 ? meetingOf(query, node, smaller) : meetingOf(query, smaller, node);
    if (grzAdbMeeting_AreApart(&meeting))
        return 0;
    const double own = volumeOf(side == 0 ? meeting.a : meeting.b);
    const double ratio = own / volumeOf(side == 0 ? meeting.b : meeting.a);
    if (ratio <= 1)
        return countShared(query, side, node, &meeting);
    if (node->childCount == 0)
        return countShared(query, side, node, &meeting) * pow(ratio, 2.0 / 3);
    double sum = 0;
    for (uint32_t k = 0; k < node->childCount; ++k)
        sum += descend(query, side, &adb->nodes[node->child + k], smaller);
    return sum;
}

// [Klein 2003] equation 8, with the terms of equation 6 by logarithms.
static double equation8(PlainAdbQuery* query, double u, double v, double w, double lower) {
    const double* logs = query->a->logs;
    const size_t n = (size_t)u, p = (size_t)v, q = (size_t)w;
    double sum = 0, best = 0;
    for (size_t x = 1; x <= 10 && x <= p && x <= q; ++x) {
        const size_t t = x - 1;
        if (p - t <= n - q)
            sum += exp(logs[q] - logs[t] - logs[q - t] + logs[n - q] - logs[p - t] - logs[n - q - p + t] - logs[n] +
                       logs[p] + logs[n - p]);
        const double chance = fmax(1 - sum, 0) * (1 - pow(1 - lower, (double)x));
        if (chance > best)
            best = chance, query->bestX = (uint32_t)x;
    }
    return best;
}

double PlainAdb_Chance(PlainAdbQuery* query, uint32_t indexA, uint32_t indexB) {
    const PlainAdbNode *a = &query->a->nodes[indexA], *b = &query->b->nodes[indexB];
    const AdbMeeting meeting = meetingOf(query, a, b);
    query->chances++;
    if (grzAdbMeeting_AreApart(&meeting))
        return 0;
    const double volumeA = volumeOf(meeting.a), volumeB = volumeOf(meeting.b);
    const bool isSmallerA = volumeA <= volumeB;
    const double s =
        shared(query, &meeting) / fmin(volumeA, volumeB) * cellsOf(query->a); // [Klein 2003] equation 2
    const double sA = isSmallerA ? countShared(query, 0, a, &meeting) : descend(query, 0, a, b);
    const double sB = isSmallerA ? descend(query, 1, b, a) : countShared(query, 1, b, &meeting);
    const double u = fmin(fmax(floor(s + 0.5), 1), cellsOf(query->a));
    const double lower = (double)(a->depth + b->depth) / fmax(query->a->maxDepth + query->b->maxDepth, 1);
    return equation8(query, u, fmin(floor(sA + 0.5), u), fmin(floor(sB + 0.5), u), lower);
}

// ---- the traversal ----

// [Klein 2003] figure 3: the children of one pair; a leaf stands for itself.
static bool openPair(PlainAdbQuery* query, AdbQueue* queue, AdbPair pair) {
    const PlainAdbNode *a = &query->a->nodes[pair.a], *b = &query->b->nodes[pair.b];
    const uint32_t countA = a->childCount == 0 ? 1 : a->childCount, countB = b->childCount == 0 ? 1 : b->childCount;
    query->steps++;
    for (uint32_t i = 0; i < countA && a->childCount + b->childCount != 0; ++i)
        for (uint32_t j = 0; j < countB; ++j) {
            AdbPair child = {0, a->childCount == 0 ? pair.a : a->child + i,
                             b->childCount == 0 ? pair.b : b->child + j};
            child.chance = PlainAdb_Chance(query, child.a, child.b);
            query->found += child.chance >= query->pMin;
            if (query->found >= query->kMin)
                return true;
            if (child.chance > 0)
                grzAdbQueue_Push(queue, child);
        }
    return false;
}

bool PlainAdb_Walk(PlainAdbQuery* query, bool* touches) {
    AdbQueue queue = {0};
    const grzAllocator* allocator = &query->a->allocator;
    bool isGood = grzArray_Reserve(&queue, allocator, 64);
    query->found = 0, query->steps = query->chances = 0;
    query->isGivenUp = false;
    *touches = false;
    if (isGood)
        grzAdbQueue_Push(&queue, (AdbPair){1, 0, 0});
    while (isGood && queue.count != 0 && !*touches && !query->isGivenUp) {
        isGood = grzArray_Reserve(&queue, allocator, queue.count + 64);
        if (isGood)
            *touches = openPair(query, &queue, grzAdbQueue_Pop(&queue));
        query->isGivenUp = !*touches && query->mostChances != 0 && query->chances >= query->mostChances;
    }
    grzArray_Release(&queue, allocator);
    return isGood;
}
