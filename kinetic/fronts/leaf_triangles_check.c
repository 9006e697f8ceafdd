// What: compares pairs of triangles with a plain loop over the pairs of leaves.
#include "check.h"
#include "leaf_triangles_inside.h"
#include "record_sort.h"
#include "refuse_null.h"

typedef struct Check {
    const grzLeafTriangles* triangles;
    const grzLeafTrianglesQuery* query;
    const grzLeafTrianglesSide* sides[2];
    grzBvhView views[2];
    size_t expected;
} Check;

static const uint32_t* cornersOf(const Check* check, int side, uint32_t triangle) {
    return check->views[side].triangles + 3 * (size_t)triangle;
}

static float planAt(const grzLeafTrianglesSide* given, uint32_t vertex, int axis) {
    return grzPlan_Float(given->plan, vertex, axis, grzPlan_TimeOf(given->plan, given->time));
}

static float placeOf(const Check* check, int side, const float* positions, uint32_t vertex, int axis) {
    const grzLeafTrianglesSide* given = check->sides[side];
    const grzTransform* pose = side == 1 ? check->query->poseB : NULL;
    float at[3];
    for (int k = 0; k < 3; ++k)
        at[k] = given->plan != NULL ? planAt(given, vertex, k) : positions[3 * (size_t)vertex + (size_t)k];
    return pose != NULL ? grzVec3_Get(grzTransform_Apply(*pose, grzVec3_Load(at)), axis) : at[axis];
}

// The least and the greatest coordinate on an axis.
static void rangeOf(const Check* check, int side, uint32_t triangle, bool isEnd, int axis, float range[2]) {
    const grzLeafTrianglesSide* given = check->sides[side];
    const float* positions = isEnd && given->endPositions != NULL ? given->endPositions : given->positions;
    for (int k = 0; k < 3; ++k) {
        uint32_t vertex = cornersOf(check, side, triangle)[k];
        if (given->numbering == grz_bvhCallersNumbers)
            vertex = check->views[side].vertexToCaller[vertex];
        const float at = placeOf(check, side, positions, vertex, axis);
        range[0] = k == 0 || at < range[0] ? at : range[0];
        range[1] = k == 0 || at > range[1] ? at : range[1];
    }
}

static bool areApart(const Check* check, uint32_t a, uint32_t b) {
    for (int side = 0; side < 2; ++side)
        if (check->sides[side]->positions == NULL && check->sides[side]->plan == NULL)
            return false;
    for (int axis = 0; axis < 3; ++axis) {
        bool isBelow = true, isAbove = true;
        for (int end = 0; end < 2; ++end) {
            float ofA[2], ofB[2];
            rangeOf(check, 0, a, end != 0, axis, ofA);
            rangeOf(check, 1, b, end != 0, axis, ofB);
            isBelow = isBelow && ofA[1] + check->query->margin < ofB[0];
            isAbove = isAbove && ofB[1] < ofA[0] - check->query->margin;
        }
        if (isBelow || isAbove)
            return true;
    }
    return false;
}

static bool shareVertex(const Check* check, uint32_t a, uint32_t b) {
    for (int k = 0; k < 9; ++k)
        if (cornersOf(check, 0, a)[k / 3] == cornersOf(check, 1, b)[k % 3])
            return true;
    return false;
}

static uint32_t numberOf(const Check* check, int side, uint32_t triangle) {
    return check->sides[side]->numbering == grz_bvhCallersNumbers ? check->views[side].triangleToCaller[triangle]
                                                                  : triangle;
}

static bool isListed(const TrianglePairs* pairs, const grzTrianglePair* wanted) {
    size_t low = 0, high = pairs->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (grzCompareRecords(&grzTrianglePairType, &pairs->data[middle], wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == pairs->count)
        return false;
    const grzTrianglePair* found = &pairs->data[low];
    return grzCompareRecords(&grzTrianglePairType, found, wanted) == 0 && found->t0 == wanted->t0 &&
           found->t1 == wanted->t1;
}

static bool checkPair(Check* check, const grzLeafPair* leaves, uint32_t a, uint32_t b) {
    const bool isSelf = check->query->b.bvh == NULL;
    if (a >= check->views[0].triangleCount || b >= check->views[1].triangleCount || areApart(check, a, b) ||
        (isSelf && ((leaves->leafA == leaves->leafB && a >= b) || shareVertex(check, a, b))))
        return true;
    const uint32_t numberA = numberOf(check, 0, a), numberB = numberOf(check, 1, b);
    const bool isTurned = check->query->isTurned || (isSelf && numberA > numberB);
    const grzTrianglePair wanted = {check->query->bodyPair, isTurned ? numberB : numberA,
                                    isTurned ? numberA : numberB, leaves->t0, leaves->t1};
    ++check->expected;
    if (isListed(&check->triangles->pairs, &wanted))
        return true;
    grzLog(grz_logError, "leaf triangles: %u and %u of leaves %u and %u are not listed", wanted.triangleA,
           wanted.triangleB, leaves->leafA, leaves->leafB);
    return false;
}

bool grzLeafTriangles_Validate(const grzLeafTriangles* triangles, const grzLeafTrianglesQuery* query) {
    GRZ_RETURN_IF_NULL(triangles, false);
    const TrianglePairs* pairs = &triangles->pairs;
    const char* flaw = grzLeafTriangles_FlawOf(query);
    if (flaw != NULL || !grzAreRecordsSorted(&grzTrianglePairType, pairs->data, pairs->count)) {
        grzLog(grz_logError, "leaf triangles: %s", flaw != NULL ? flaw : "the pairs are not sorted");
        return false;
    }
    Check check = {.triangles = triangles, .query = query};
    for (int side = 0; side < 2; ++side) {
        check.sides[side] = side == 0 || query->b.bvh == NULL ? &query->a : &query->b;
        check.views[side] = grzBvh_GetView(check.sides[side]->bvh);
    }
    for (size_t i = 0; i < query->count; ++i)
        for (uint32_t k = 0; k < 16; ++k)
            if (!checkPair(&check, &query->pairs[i], 4 * query->pairs[i].leafA + k / 4,
                           4 * query->pairs[i].leafB + k % 4))
                return false;
    // Boxes under a pose are wider than those of vertices that were turned.
    const bool isRight = query->poseB != NULL ? check.expected <= pairs->count : check.expected == pairs->count;
    if (!isRight)
        grzLog(grz_logError, "leaf triangles: %zu pairs, of which %zu are right", pairs->count, check.expected);
    return isRight;
}
