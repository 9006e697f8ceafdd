// What: what two simplices (points, segments, triangles) in one plane have in common.
// Idea: leave out an axis that does not flatten them, and look at the shadows. A corner of one that lies in the
//       other is a corner of what is common, and so is the crossing of two edges. For the order of a polygon's
//       corners: each of its sides lies on an edge of A or of B, so the edges of both, walked around, tell which
//       corner is next to which.
//
//             B            an edge of A with two places p and q on it, in its direction:  next[p] = q
//            / \           an edge of B likewise, backwards where B turns the other way
//       A --p---q--- A
//
// Cost: 3 * 3 areas for each corner-in-triangle test and 4 for each pair of edges; rare enough not to be thrifty.
// Limits: nothing is rounded here; signs are exact.
#include "tri_meet.h"

#include <math.h>

// -------------------------------------------------------------------------------------------------- projections

// -1, 0, 1: by one coordinate, then by the other. On a line that is the order along it.
static int compareShadows(const TriPair* pair, int axis, int p, int q) {
    const double *a = pair->points[p], *b = pair->points[q];
    int x = (axis + 1) % 3, y = (axis + 2) % 3;
    if (a[x] != b[x])
        return a[x] < b[x] ? -1 : 1;
    return a[y] == b[y] ? 0 : a[y] < b[y] ? -1 : 1;
}

// The axis whose shadow of the three is the largest and has an area; -1 if none has.
static int pickAxisOfThree(const TriPair* pair, const int points[3]) {
    bool isTried[3] = {false, false, false};
    for (int round = 0; round < 3; ++round) {
        int best = -1;
        double most = -1;
        for (int axis = 0; axis < 3; ++axis) {
            double area = fabs(grzTriPair_Area(pair, axis, points[0], points[1], points[2]));
            if (!isTried[axis] && area > most) {
                most = area;
                best = axis;
            }
        }
        if (grzTriPair_AreaSign(pair, best, points[0], points[1], points[2]) != 0)
            return best;
        isTried[best] = true;
    }
    return -1;
}

int grzTriPair_PickAxis(const TriPair* pair, const int* points, int count) {
    for (int i = 0; i < count; ++i)
        for (int j = i + 1; j < count; ++j)
            for (int k = j + 1; k < count; ++k) {
                int axis = pickAxisOfThree(pair, (int[]){points[i], points[j], points[k]});
                if (axis >= 0)
                    return axis;
            }
    // All on one line: any axis but the one along which alone they may differ.
    for (int i = 1; i < count; ++i)
        for (int axis = 0; axis < 3; ++axis)
            if (pair->points[points[0]][axis] != pair->points[points[i]][axis])
                return (axis + 1) % 3;
    return 0;
}

// 1 where the shadow's corners go counter-clockwise, else -1; of triangles.
static int turnOf(const TriPair* pair, const TriSimplex* simplex, int axis) {
    return grzTriPair_AreaSign(pair, axis, grzTriSimplex_Point(simplex, 0), grzTriSimplex_Point(simplex, 1),
                               grzTriSimplex_Point(simplex, 2));
}

// ----------------------------------------------------------------------------------------------------- locating

static int locateInTriangle(const TriPair* pair, const TriSimplex* simplex, int axis, int point) {
    int turn = turnOf(pair, simplex, axis);
    int part = tri_face;
    for (int i = 0; i < 3; ++i) {
        int from = grzTriSimplex_Point(simplex, i), to = grzTriSimplex_Point(simplex, i + 1);
        int side = grzTriPair_AreaSign(pair, axis, from, to, point) * turn;
        if (side < 0)
            return tri_noPart;
        if (side == 0)
            part = tri_firstEdge + simplex->edges[i];
    }
    return part;
}

static int locateInSegment(const TriPair* pair, const TriSimplex* simplex, int axis, int point) {
    int from = grzTriSimplex_Point(simplex, 0), to = grzTriSimplex_Point(simplex, 1);
    if (grzTriPair_AreaSign(pair, axis, from, to, point) != 0)
        return tri_noPart;
    bool isBetween = compareShadows(pair, axis, from, point) == compareShadows(pair, axis, point, to);
    return isBetween ? tri_firstEdge + simplex->edges[0] : tri_noPart;
}

int grzTriSimplex_Locate(const TriPair* pair, const TriSimplex* simplex, int axis, int point) {
    for (int i = 0; i < simplex->cornerCount; ++i)
        if (compareShadows(pair, axis, grzTriSimplex_Point(simplex, i), point) == 0)
            return simplex->corners[i];
    if (simplex->cornerCount == 1)
        return tri_noPart;
    return simplex->cornerCount == 2 ? locateInSegment(pair, simplex, axis, point)
                                     : locateInTriangle(pair, simplex, axis, point);
}

// ------------------------------------------------------------------------------------------------------- places

static void addCorners(const TriPair* pair, const TriSimplex* a, const TriSimplex* b, int axis,
                       TriMeeting* meeting) {
    for (int i = 0; i < a->cornerCount; ++i) {
        int point = grzTriSimplex_Point(a, i), part = grzTriSimplex_Locate(pair, b, axis, point);
        TriPlace place = {.axis = TRI_AT_POINT, .from = point};
        place.partA = a->base == 0 ? a->corners[i] : part;
        place.partB = a->base == 0 ? part : a->corners[i];
        if (part != tri_noPart)
            grzTriMeeting_Add(meeting, &place);
    }
}

static bool areApart(const TriPair* pair, int axis, int from, int to, int p, int q) {
    return grzTriPair_AreaSign(pair, axis, from, to, p) * grzTriPair_AreaSign(pair, axis, from, to, q) < 0;
}

static void addCrossings(const TriPair* pair, const TriSimplex* a, const TriSimplex* b, int axis,
                         TriMeeting* meeting) {
    for (int i = 0; i < a->edgeCount; ++i)
        for (int j = 0; j < b->edgeCount; ++j) {
            int a0 = grzTriSimplex_Point(a, i), a1 = grzTriSimplex_Point(a, i + 1);
            int b0 = grzTriSimplex_Point(b, j), b1 = grzTriSimplex_Point(b, j + 1);
            if (!areApart(pair, axis, b0, b1, a0, a1) || !areApart(pair, axis, a0, a1, b0, b1))
                continue;
            TriPlace place = {tri_firstEdge + a->edges[i], tri_firstEdge + b->edges[j], axis, a0, a1, {b0, b1, 0}};
            grzTriMeeting_Add(meeting, &place);
        }
}

// -------------------------------------------------------------------------------------------------------- order

typedef struct Ring {
    const TriPair* pair;
    const TriSimplex* simplices[2]; // A, B
    int turns[2];
    int axis;
    const TriMeeting* meeting;
    int next[GRZ_TRI_TRI_POINTS];
} Ring;

static int partOf(const Ring* ring, int place, int side) {
    return side == 0 ? ring->meeting->places[place].partA : ring->meeting->places[place].partB;
}

// Whether the edge comes from outside through another edge of the other triangle.
static bool entersThrough(const Ring* ring, int side, int start, int otherPart) {
    const TriSimplex* other = ring->simplices[1 - side];
    int edge = otherPart - tri_firstEdge;
    int from = grzTriSimplex_Point(other, edge), to = grzTriSimplex_Point(other, edge + 1);
    return grzTriPair_AreaSign(ring->pair, ring->axis, from, to, start) * ring->turns[1 - side] < 0;
}

// Whether place p is before q on an edge of which both are inner points.
static bool isBeforeInside(const Ring* ring, int side, int edge, int p, int q) {
    int from = grzTriSimplex_Point(ring->simplices[side], edge),
        to = grzTriSimplex_Point(ring->simplices[side], edge + 1);
    int otherP = partOf(ring, p, 1 - side), otherQ = partOf(ring, q, 1 - side);
    if (otherP >= tri_firstEdge)
        return entersThrough(ring, side, from, otherP);
    if (otherQ >= tri_firstEdge)
        return !entersThrough(ring, side, from, otherQ);
    int otherBase = ring->simplices[1 - side]->base;
    return compareShadows(ring->pair, ring->axis, otherBase + otherP, otherBase + otherQ) ==
           compareShadows(ring->pair, ring->axis, from, to);
}

// 0 at the start of the edge, 1 inside it, 2 at its end, -1 elsewhere. Triangles: corner i starts edge i.
static int rankOn(int edge, int part) {
    if (part == tri_firstEdge + edge)
        return 1;
    return part == edge ? 0 : part == (edge + 1) % 3 ? 2 : -1;
}

static void linkEdge(Ring* ring, int side, int edge, bool isBackwards) {
    int found[2] = {0, 0}, ranks[2] = {0, 0}, count = 0;
    for (int place = 0; place < ring->meeting->count && count < 2; ++place) {
        int rank = rankOn(edge, partOf(ring, place, side));
        if (rank < 0)
            continue;
        found[count] = place;
        ranks[count++] = rank;
    }
    if (count < 2)
        return;
    bool isInOrder =
        ranks[0] != ranks[1] ? ranks[0] < ranks[1] : isBeforeInside(ring, side, edge, found[0], found[1]);
    bool goesOn = isInOrder != isBackwards;
    ring->next[found[goesOn ? 0 : 1]] = found[goesOn ? 1 : 0];
}

// Brings the corners of an area into the order of A's turn, from the least.
static void orderRing(const TriPair* pair, const TriSimplex* a, const TriSimplex* b, int axis,
                      TriMeeting* meeting) {
    TriMeeting found = *meeting;
    Ring ring = {.pair = pair, .simplices = {a, b}, .axis = axis, .meeting = &found};
    ring.turns[0] = turnOf(pair, a, axis);
    ring.turns[1] = turnOf(pair, b, axis);
    for (int edge = 0; edge < 3; ++edge) {
        linkEdge(&ring, 0, edge, false);
        linkEdge(&ring, 1, edge, ring.turns[0] != ring.turns[1]);
    }
    int at = 0;
    for (int i = 1; i < found.count; ++i) {
        const TriPlace *least = &found.places[at], *place = &found.places[i];
        bool isLess = place->partA != least->partA ? place->partA < least->partA : place->partB < least->partB;
        at = isLess ? i : at;
    }
    for (int i = 0; i < found.count; ++i, at = ring.next[at])
        meeting->places[i] = found.places[at];
}

void grzTriPair_MeetInPlane(const TriPair* pair, const TriSimplex* a, const TriSimplex* b, TriMeeting* meeting) {
    int points[6], count = 0;
    for (int i = 0; i < a->cornerCount; ++i)
        points[count++] = grzTriSimplex_Point(a, i);
    for (int i = 0; i < b->cornerCount; ++i)
        points[count++] = grzTriSimplex_Point(b, i);
    int axis = grzTriPair_PickAxis(pair, points, count);
    addCorners(pair, a, b, axis, meeting);
    addCorners(pair, b, a, axis, meeting);
    addCrossings(pair, a, b, axis, meeting);
    if (meeting->count > 2)
        orderRing(pair, a, b, axis, meeting);
}
