// What: distances of models: one query, or many.
// Promise: as graze/model_distance.h says.
// Idea: the search (model_distance_kernel.h) gives the nearest pair of triangles in doubles. Where that is as near as floats in
//   A's frame may take for contact, the kernel of grzModels_Touch decides; it need not run where surfaces are farther apart.
//
//     search, but end where a pair may touch -> none: done.   Else do the models touch?
//                                                no: search to the end
//                                                yes: that pair, but if a start was given, of a search without it
//
//   Bounds: the nearest pair's distance, as computed, and a rounding above; below, a hundred roundings less, which does not
//   depend on what was looked at on the way. A pair whose own lower bound is below that counts as well.
// Threads: a query writes its own answer.
#include "graze/model_distance.h"

#include <math.h>
#include <string.h>

#include "first_refused.h"
#include "model_chunks.h"
#include "model_distance_kernel.h"
#include "model_kernel.h"
#include "refuse_null.h"
#include "result_make.h"

#define QUERY_MARK  0x4D445159u

#define FARTHEST_SQ 16.0 // in spans: no two points are as far apart, as coordinates are at most 1
// Of the lower bound, in spans; and what it loses beside where a distance is so small that rounding turns its direction: the
// gap between triangles is told along it.
#define TOLERANCE      0x1p-40
#define NEAR_TOLERANCE 0x1p-48

grzModelDistanceQuery grzDefaultModelDistanceQuery(void) {
    grzModelDistanceQuery query;
    memset(&query, 0, sizeof query);
    query.mark = QUERY_MARK;
    query.poseA = query.poseB = grzTransform_Identity();
    query.reach = (double)INFINITY;
    query.start = (grzModelStart){GRZ_NO_SLOT, GRZ_NO_SLOT};
    return query;
}

static const char* flawOf(const grzModelDistanceQuery* query) {
    if (query->a == NULL || query->b == NULL)
        return "a or b is NULL";
    if (!(query->reach >= 0))
        return "the reach is negative or a NaN";
    if (!(query->relativeError >= 0))
        return "the relative error is negative or a NaN";
    return NULL;
}

// Nothing within `lower`.
static void setNone(grzModelDistance* distance, double lower) {
    memset(distance, 0, sizeof *distance);
    distance->lower = lower;
    distance->upper = (double)INFINITY;
    distance->triangleA = distance->triangleB = GRZ_NO_TRIANGLE;
    distance->start = (grzModelStart){GRZ_NO_SLOT, GRZ_NO_SLOT};
}

static grzResult relate(const grzModelDistanceQuery* query, ModelRelation* relation) {
    if (query == NULL || query->mark != QUERY_MARK)
        return grzFail(grz_badDef, 0);
    const char* flaw = flawOf(query);
    if (flaw != NULL)
        return grzBecause(grzFail(grz_badArgument, 1), flaw);
    grzModel_MakeAll(query->a);
    grzModel_MakeAll(query->b);
    grzModelQuery pair = grzDefaultModelQuery();
    pair.a = query->a, pair.b = query->b;
    pair.poseA = query->poseA, pair.poseB = query->poseB;
    return grzModelRelation_Make(relation, &pair);
}

// ---- searching ----

static double square(double x) {
    return x * x;
}

static void beginSearch(const grzModelDistanceQuery* query, grzModelStats* stats, SpanSearch* search) {
    search->models[0] = query->a;
    search->models[1] = query->b;
    search->stats = stats;
    search->shrink = 1 / (1 + query->relativeError);
    grzModelSpan_Make(&search->span, &search->relation, query);
    // What may touch is to be found whatever the reach.
    search->stopAtSq = square(search->span.touchMargin);
    const double reach = fmax(query->reach / search->span.scale, search->span.touchMargin);
    search->reachSq = fmin(square(reach), FARTHEST_SQ);
}

static void runSearch(SpanSearch* search, grzModelStart start) {
    search->slots[0] = start.slotA;
    search->slots[1] = start.slotB;
    GRZ_PICK_KERNEL(grzModelSearch)(search);
}

static bool doTouch(const SpanSearch* search) {
    ModelSearch pair;
    memset(&pair.stats, 0, sizeof pair.stats);
    pair.models[0] = search->models[0];
    pair.models[1] = search->models[1];
    pair.relation = search->relation;
    pair.allAxes = false;
    pair.limit = 0;
    const bool touches = GRZ_PICK_KERNEL(grzModelTouch)(&pair);
    search->stats->boxTests += pair.stats.boxTests;
    search->stats->leafPairs += pair.stats.leafPairs;
    search->stats->exactTests += pair.stats.exactTests;
    return touches;
}

// Returns whether the models touch.
static bool findNearest(const grzModelDistanceQuery* query, SpanSearch* search) {
    const grzModelStart none = {GRZ_NO_SLOT, GRZ_NO_SLOT};
    runSearch(search, query->start);
    if (!(search->sq <= search->stopAtSq) || search->ids[0] == GRZ_NO_TRIANGLE)
        return false;
    const bool touches = doTouch(search);
    const grzModelStart found = {search->slots[0], search->slots[1]};
    if (!touches) {
        search->stopAtSq = -1;
        runSearch(search, found);
    } else if (query->start.slotA != none.slotA || query->start.slotB != none.slotB) {
        runSearch(search, none);
    }
    return touches;
}

// ---- the answer ----

// corner[k] + s * edge k, and exactly a corner at either end.
static grzFeature placeOnEdge(const double corners[3][3], uint32_t k, double s, double point[3]) {
    const double *from = corners[k], *to = corners[(k + 1) % 3];
    for (int i = 0; i < 3; ++i)
        point[i] = s == 1 ? to[i] : from[i] + s * (to[i] - from[i]);
    if (s == 0 || s == 1)
        return grzMakeFeature(grz_vertexFeature, s == 0 ? k : (k + 1) % 3);
    return grzMakeFeature(grz_edgeFeature, k);
}

// Where the other point and what leads from there to this one are known.
static void placeFrom(const double from[3], const double apart[3], double sign, double point[3]) {
    for (int i = 0; i < 3; ++i)
        point[i] = from[i] + sign * apart[i];
}

static void placePoints(const SpanWitness* witness, double a[3], double b[3], grzModelDistance* distance) {
    const double(*cornersA)[3] = (const double(*)[3])witness->corners[0];
    const double(*cornersB)[3] = (const double(*)[3])witness->corners[1];
    const grzFeature face = grzMakeFeature(grz_faceFeature, 0);
    const uint32_t code = witness->code, k = code % 3;
    if (code < 9) {
        distance->featureA = placeOnEdge(cornersA, code / 3, witness->s, a);
        distance->featureB = placeOnEdge(cornersB, k, witness->t, b);
    } else if (code / 3 == 3 || code / 3 == 5) { // a corner or an edge of A
        distance->featureA = placeOnEdge(cornersA, k, code < 12 ? 0 : witness->s, a);
        distance->featureB = face;
        placeFrom(a, witness->apart, 1, b);
    } else {
        distance->featureA = face;
        distance->featureB = placeOnEdge(cornersB, k, code < 15 ? 0 : witness->s, b);
        placeFrom(b, witness->apart, -1, a);
    }
}

static grzVec3d toCommon(const double point[3], double scale, grzVec3 origin) {
    return grzVec3d_Make(point[0] * scale + (double)origin.x, point[1] * scale + (double)origin.y,
                         point[2] * scale + (double)origin.z);
}

static void setBounds(const SpanSearch* search, grzModelDistance* distance) {
    const double nearest = sqrt(search->sq), scale = search->span.scale;
    const double off = TOLERANCE + NEAR_TOLERANCE / nearest;
    const double lower = fmin(nearest * search->shrink - off, search->certain - SPAN_ROUNDING);
    distance->lower = distance->isTouching ? 0 : fmax(lower * scale, 0);
    distance->upper = (nearest + SPAN_ROUNDING) * scale;
    if (distance->lower > 0)
        return;
    distance->certainty = grz_conservative;
    distance->measure = distance->upper + search->span.touchMargin * scale;
}

static void answer(const grzModelDistanceQuery* query, const SpanSearch* search, bool touches,
                   grzModelDistance* distance) {
    SpanWitness witness;
    double a[3], b[3];
    memset(distance, 0, sizeof *distance);
    distance->isTouching = touches;
    distance->triangleA = search->ids[0];
    distance->triangleB = search->ids[1];
    distance->start = (grzModelStart){search->slots[0], search->slots[1]};
    setBounds(search, distance);
    GRZ_PICK_KERNEL(grzModelWitness)(search, &witness);
    placePoints(&witness, a, b, distance);
    distance->pointA = toCommon(a, search->span.scale, query->poseA.origin);
    distance->pointB = toCommon(b, search->span.scale, query->poseA.origin);
}

static bool isWithinReach(const grzModelDistanceQuery* query, const SpanSearch* search) {
    return search->ids[0] != GRZ_NO_TRIANGLE && sqrt(search->sq) * search->span.scale <= query->reach;
}

// Below by more than a computed distance may be off.
static double belowReach(const grzModelDistanceQuery* query, const SpanSearch* search) {
    const double reach = fmin(query->reach, 4 * search->span.scale);
    return fmax(reach * (1 - 0x1p-40) - TOLERANCE * search->span.scale, 0);
}

grzResult grzModels_Distance(const grzModelDistanceQuery* query, grzModelDistance* distance, grzModelStats* stats) {
    GRZ_REFUSE_NULL(distance, 2);
    SpanSearch search;
    grzModelStats own = {0, 0, 0, 0};
    setNone(distance, (double)INFINITY);
    if (stats != NULL)
        *stats = own;
    const grzResult result = relate(query, &search.relation);
    if (!grzResult_IsOk(result))
        return result;
    if (query->a->leafCount != 0 && query->b->leafCount != 0) {
        beginSearch(query, &own, &search);
        const bool touches = findNearest(query, &search);
        if (touches || isWithinReach(query, &search))
            answer(query, &search, touches, distance);
        else
            setNone(distance, belowReach(query, &search));
    }
    if (stats != NULL)
        *stats = own;
    return grzOk();
}
