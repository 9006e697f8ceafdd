// What: which vertex realises a plane of a BoxTree, and until when, where the plan has keyframes.
// Idea: the search of the paper, see box_tree_sides.c, cut short by bounds. A vertex that leads now is passed by another one
//   before the next keyframe only if that one is ahead there: a subtree whose bound at the next keyframe is not ahead is left
//   out, and a plane whose vertex is there the outermost has no event and no search at all. Of those that come ahead, the first
//   is wanted:
//
//       bound at both keyframes   A *                       between them everything below the subtree is below
//                                     *  .   .       B      the line from A to B; where that comes ahead later than the
//       the leader               a -------*----.---- b      best so far does, it is left out too.
//
//   Estimates in double decide; those that come within a few ticks of each other are compared exactly.
// Promise: which vertex and when are those of real arithmetic; estimates only order what is apart by more than their error.
// Cost: with bounds mostly one path down. The paper's search, which has none, looks at all of a subtree that is cut along other
//   axes (its theorem 5).
// Based on: [Zachmann and Weller 2006] section 6, figures 8 and 9. The bounds are an addition.
#include "box_tree_inside.h"

// Parts of an interval that are nearer than this are compared exactly; estimates, three differences and a quotient of which
// none cancels, are right to 2^-50.
#define NEAR (4 * PLAN_FRAME_TICK)
#define SURE 0x1p-20 // of a tick; estimates are right to 2^-26 of one

// How a coordinate of a side is read: with the sign that lets the greatest lead.
typedef struct Reading {
    const float* positions; // of the axis
    size_t stride;
    double sign;
} Reading;

static Reading readingOf(const grzBoxTree* tree, double number, uint32_t side) {
    const PlanFrame* frame = frameOfTree(tree, number);
    return (Reading){frame->positions + axisOfSide(side), frame->stride, isUpperSide(side) ? 1 : -1};
}

static double readAt(const Reading* reading, uint32_t vertex) {
    return reading->sign * (double)reading->positions[vertex * reading->stride];
}

typedef struct Search {
    grzBoxTree* tree;
    uint32_t side;
    double at, part;
    Reading from, to;
    uint32_t vertex; // the best so far
    double most;     // seeking the leader: its coordinate now
    uint32_t owner;  // seeking who passes it
    double a, b;     // the owner's coordinates
    double first;    // the part of the interval after which the best so far is ahead, estimated; 2: there is none
} Search;

static Search beginSearch(grzBoxTree* tree, uint32_t side, double at) {
    Search search = {.tree = tree, .side = side, .at = at, .part = at - tree->knownBegin};
    search.from = readingOf(tree, tree->knownBegin, side);
    search.to = readingOf(tree, tree->knownEnd, side);
    search.vertex = GRZ_MESH_NONE;
    return search;
}

// ---- the leader ----

static double blend(const Search* search, double from, double to) {
    return (1 - search->part) * from + search->part * to;
}

static void tryLeader(Search* search, uint32_t vertex) {
    if (vertex == search->vertex || vertex == GRZ_MESH_NONE)
        return;
    search->tree->stats.candidates++;
    const double to = readAt(&search->to, vertex), value = blend(search, readAt(&search->from, vertex), to);
    if (search->vertex != GRZ_MESH_NONE && value <= search->most) {
        if (value < search->most)
            return;
        const int order = compareOnSide(search->tree, search->side, vertex, search->vertex, search->at);
        if (order < 0 || (order == 0 && to <= readAt(&search->to, search->vertex)))
            return;
    }
    search->vertex = vertex;
    search->most = value;
}

// The most that anything below an inner node comes to; rounding keeps order.
static double mostBelow(const Search* search, uint32_t node) {
    return blend(search, (double)search->tree->begins[node].most[search->side],
                 (double)search->tree->ends[node].most[search->side]);
}

static void tryLeaders(Search* search, uint32_t leaf) {
    const uint32_t* corners = search->tree->corners + (size_t)leaf * BOX_TREE_CORNERS;
    for (uint32_t left = search->tree->fresh[leaf]; left != 0; left &= left - 1)
        tryLeader(search, corners[__builtin_ctz(left)]);
}

static void seekLeader(Search* search, uint32_t node) {
    const grzBoxTree* tree = search->tree;
    while (!isLeafNode(tree, node)) {
        if (!(mostBelow(search, node) >= search->most)) // also: nothing is below
            return;
        uint32_t next = 2 * node + 1, later = next + 1;
        if (tree->axes[node] == axisOfSide(search->side)) {
            tryLeader(search, tree->owners[childWithPlane(node, search->side) - 1]);
            node = childBeyond(node, search->side);
            continue;
        }
        if (!isLeafNode(tree, next) && mostBelow(search, later) > mostBelow(search, next))
            --later, ++next;
        seekLeader(search, next);
        node = later;
    }
    tryLeaders(search, node - tree->innerCount);
}

uint32_t grzBoxTree_LeaderOnFrames(grzBoxTree* tree, BoxTreePlane plane, double at) {
    Search search = beginSearch(tree, plane.side, at);
    search.most = -(double)INFINITY;
    seekLeader(&search, plane.top);
    return search.vertex;
}

// ---- who passes it ----

// Of two that pass the owner at nearly one time: whether the other one is to be taken. The earlier tick; at one tick the outer
// one then; of those that are level, the one that leads next.
static bool isSooner(const Search* search, uint32_t other) {
    const grzBoxTree* tree = search->tree;
    const double best = overtakes(tree, search->side, search->owner, search->vertex, search->at),
                 time = overtakes(tree, search->side, search->owner, other, search->at);
    if (time != best)
        return time < best;
    const int order = compareOnSide(tree, search->side, other, search->vertex, time);
    return order > 0 || (order == 0 && readAt(&search->to, other) > readAt(&search->to, search->vertex));
}

// A vertex that comes ahead of the owner.
static void takeNext(Search* search, uint32_t vertex) {
    const double end = search->b - readAt(&search->to, vertex), begin = search->a - readAt(&search->from, vertex);
    const double first = begin / (begin - end);
    if (search->vertex != GRZ_MESH_NONE &&
        (first > search->first + NEAR || (first >= search->first - NEAR && !isSooner(search, vertex))))
        return;
    search->vertex = vertex;
    search->first = first;
}

static void tryNext(Search* search, uint32_t vertex) {
    if (vertex == GRZ_MESH_NONE)
        return;
    search->tree->stats.candidates++;
    if (vertex != search->vertex && readAt(&search->to, vertex) > search->b)
        takeNext(search, vertex);
}

// The vertices of a leaf; few come ahead.
static void tryNexts(Search* search, uint32_t leaf) {
    const uint32_t* corners = search->tree->corners + (size_t)leaf * BOX_TREE_CORNERS;
    const Reading to = search->to;
    const double b = search->b;
    const uint32_t fresh = search->tree->fresh[leaf];
    for (uint32_t left = fresh; left != 0; left &= left - 1) {
        const uint32_t vertex = corners[__builtin_ctz(left)];
        if (readAt(&to, vertex) > b && vertex != search->vertex)
            takeNext(search, vertex);
    }
    search->tree->stats.candidates += (uint32_t)__builtin_popcount(fresh);
}

// Whether nothing below an inner node passes the owner before the best so far.
static bool isLate(const Search* search, uint32_t node) {
    const double end = search->b - (double)search->tree->ends[node].most[search->side];
    if (!(end < 0))
        return true;
    const double begin = search->a - (double)search->tree->begins[node].most[search->side];
    return begin > 0 && begin > (search->first + NEAR) * (begin - end);
}

// Of two inner nodes, whether the second one's bound comes ahead before that of the first.
static bool isSecondFirst(const Search* search, uint32_t node) {
    const BoxTreeBounds *begins = search->tree->begins + node, *ends = search->tree->ends + node;
    const double begin0 = search->a - (double)begins[0].most[search->side],
                 begin1 = search->a - (double)begins[1].most[search->side];
    const double end0 = search->b - (double)ends[0].most[search->side],
                 end1 = search->b - (double)ends[1].most[search->side];
    return end1 < 0 && (!(end0 < 0) || begin1 * (begin0 - end0) < begin0 * (begin1 - end1));
}

static void seekNext(Search* search, uint32_t node) {
    const grzBoxTree* tree = search->tree;
    while (!isLeafNode(tree, node)) {
        if (isLate(search, node))
            return;
        uint32_t next = 2 * node + 1, later = next + 1;
        if (tree->axes[node] == axisOfSide(search->side)) {
            tryNext(search, tree->owners[childWithPlane(node, search->side) - 1]);
            node = childBeyond(node, search->side);
            continue;
        }
        if (!isLeafNode(tree, next) && isSecondFirst(search, next))
            --later, ++next;
        seekNext(search, next);
        node = later;
    }
    tryNexts(search, node - tree->innerCount);
}

// The first tick after which the best is ahead. An estimate that is not near to a tick lies between the same two as the truth.
static double timeOfNext(const Search* search) {
    const double ticks = search->first / PLAN_FRAME_TICK, whole = floor(ticks), part = ticks - whole;
    if (search->vertex == GRZ_MESH_NONE)
        return (double)INFINITY;
    if (part > SURE && part < 1 - SURE)
        return search->tree->knownBegin + (whole + 1) * PLAN_FRAME_TICK;
    return overtakes(search->tree, search->side, search->owner, search->vertex, search->at);
}

BoxTreeLead grzBoxTree_NextOnFrames(grzBoxTree* tree, BoxTreePlane plane, uint32_t owner, float most, double at) {
    if (grzBoxTree_PlaceOnSide(frameOfTree(tree, tree->knownEnd), plane.side, owner) >= most)
        return (BoxTreeLead){GRZ_MESH_NONE, (double)INFINITY};
    Search search = beginSearch(tree, plane.side, at);
    search.owner = owner;
    search.a = readAt(&search.from, owner);
    search.b = readAt(&search.to, owner);
    search.first = 2;
    seekNext(&search, plane.top);
    return (BoxTreeLead){search.vertex, timeOfNext(&search)};
}
