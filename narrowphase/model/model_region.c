// What: regions: the contour, the patches, and the way out.
// Promise: as graze/model_region.h says.
// Idea: the pairs come from grzModelPairs_Find, their points from grzTriTri_Intersect, what is inside from model_region_side.h.
//
//   Depth. [proof] What the models have in common is bounded by the parts of either surface that are inside the other, and by the
//   contour. Of a crossing triangle, what lies inside the other model is a planar set that is bounded by pieces of the
//   triangle's edges and of the contour, and the contour on it is made of the segments and areas of its pairs. So along any
//   direction nothing in common goes farther than the farthest of these points: the vertices that are inside the other model,
//   and the points of the pairs. Let S be all of them. When B goes along n by max n.S - min n.S, what it had in common with A
//   comes to lie before the plane n.x = max n.S, behind which it still lies as A has it. Backward would do as well; but
//   outward is where A's points are ahead of B's. With SA, SB the points on either surface, the larger of max n.SA - min n.SB
//   and max n.SB - min n.SA tells, whichever way the surfaces are oriented. Where one model has no point at all, its box
//   stands for it, and the shorter way out of it is taken.
//
//   With c the largest coordinate of all: points of pairs are rounded to nearest, so that two of them shift the difference by
//   2^-22 c at most; and n, three floats, is shorter than 1 by 2^-22 at most, of a way that is below 4 c. 2^-19 c is more than
//   both and what double rounds.
// Threads: one at a time for a region.
#include "graze/model_region.h"

#include <math.h>
#include <string.h>

#include "graze/tri_tri.h"
#include "memory.h"
#include "model_region_side.h"
#include "model_search.h"
#include "owner.h"
#include "result_make.h"
#include "vec3d.h"

typedef struct RegionStarts {
    GRZ_ARRAY(size_t);
} RegionStarts;

struct grzModelRegion {
    grzAllocator allocator;
    grzModelPairs* pairs;
    ModelRelation relation;
    RegionSide sides[2];
    RegionPositions points; // of the contour
    RegionStarts starts;
    grzModelRegionView view;
};

static void clearView(grzModelRegion* region) {
    static const size_t none = 0;
    memset(&region->view, 0, sizeof region->view);
    region->view.box = grzBox_Empty();
    region->view.starts = &none;
}

grzResult grzModelRegion_Create(grzAllocator allocator, grzModelRegion** made) {
    *made = NULL;
    grzResult result;
    grzModelRegion* region = grzOwner_New(&allocator, 1, sizeof *region, _Alignof(grzModelRegion), &result);
    if (region == NULL)
        return result;
    region->allocator = allocator;
    clearView(region);
    result = grzModelPairs_Create(allocator, &region->pairs);
    if (grzResult_IsOk(result))
        *made = region;
    else
        grzModelRegion_Destroy(region);
    return result;
}

void grzModelRegion_Destroy(grzModelRegion* region) {
    if (region == NULL)
        return;
    const grzAllocator allocator = region->allocator;
    grzModelPairs_Destroy(region->pairs);
    grzRegionSide_Release(&region->sides[0], &allocator);
    grzRegionSide_Release(&region->sides[1], &allocator);
    grzArray_Release(&region->points, &allocator);
    grzArray_Release(&region->starts, &allocator);
    grzRelease(&allocator, region, 1, sizeof *region, _Alignof(grzModelRegion));
}

// ---- the contour ----

static bool bindSides(grzModelRegion* region, const grzModelQuery* query) {
    return grzRegionSide_Bind(&region->sides[0], query->a, NULL, &region->allocator) &&
           grzRegionSide_Bind(&region->sides[1], query->b, &region->relation.into[0], &region->allocator);
}

static bool reserveContour(grzModelRegion* region, size_t pairCount) {
    region->points.count = region->starts.count = 0;
    return grzArray_Reserve(&region->points, &region->allocator, GRZ_TRI_TRI_POINTS * pairCount) &&
           grzArray_Reserve(&region->starts, &region->allocator, pairCount + 1);
}

static void addPair(grzModelRegion* region, const grzTrianglePair* pair) {
    grzVec3 a[3], b[3];
    grzTriTri meeting;
    grzRegionSide_AddCrossing(&region->sides[0], pair->triangleA);
    grzRegionSide_AddCrossing(&region->sides[1], pair->triangleB);
    grzRegionSide_Corners(&region->sides[0], pair->triangleA, a);
    grzRegionSide_Corners(&region->sides[1], pair->triangleB, b);
    grzTriTri_Intersect(a, b, &meeting);
    for (uint32_t k = 0; k < meeting.count; ++k) {
        region->points.data[region->points.count++] = meeting.points[k].point;
        region->view.box = grzBox_AddPoint(region->view.box, meeting.points[k].point);
    }
    region->starts.data[region->starts.count++] = region->points.count;
}

static grzResult findContour(grzModelRegion* region, const grzModelQuery* query) {
    grzModelQuery all = *query;
    all.order = grz_modelsSorted;
    all.limit = 0;
    const grzResult result = grzModelPairs_Find(region->pairs, &all);
    if (!grzResult_IsOk(result))
        return result;
    const grzModelPairsView found = grzModelPairs_GetView(region->pairs);
    if (!reserveContour(region, found.count))
        return grzNoMemory(found.count, GRZ_TRI_TRI_POINTS * sizeof(grzVec3));
    region->starts.data[region->starts.count++] = 0;
    for (size_t i = 0; i < found.count; ++i)
        addPair(region, &found.pairs[i]);
    region->view.pairs = found.pairs;
    region->view.pairCount = found.count;
    region->view.points = region->points.data;
    region->view.starts = region->starts.data;
    return grzOk();
}

// ---- the patches ----

static grzVec3d areaOf(const RegionSide* side, const RegionNumbers* triangles, grzVec3d sum) {
    for (size_t i = 0; i < triangles->count; ++i) {
        grzVec3 corners[3];
        grzRegionSide_Corners(side, triangles->data[i], corners);
        const grzVec3d p = grzVec3d_FromVec3(corners[0]), q = grzVec3d_FromVec3(corners[1]);
        const grzVec3d r = grzVec3d_FromVec3(corners[2]);
        sum = grzVec3d_AddScaled(sum, 0.5, grzVec3d_Cross(grzVec3d_Sub(q, p), grzVec3d_Sub(r, p)));
    }
    return sum;
}

static void setPatch(grzModelRegion* region, int which) {
    const RegionSide* side = &region->sides[which];
    grzModelPatch* patch = &region->view.patches[which];
    patch->crossing = side->crossing.data;
    patch->crossingCount = side->crossing.count;
    patch->inside = side->inside.data;
    patch->insideCount = side->inside.count;
    patch->area = areaOf(side, &side->inside, areaOf(side, &side->crossing, grzVec3d_Make(0, 0, 0)));
    patch->isInside = side->inside.count != 0 && side->inside.count == side->view.triangleCount;
    for (size_t i = 0; i < side->points.count; ++i)
        region->view.box = grzBox_AddPoint(region->view.box, side->points.data[i]);
}

// ---- the way out ----

// From the least to the greatest along a direction.
typedef struct Span {
    double least, greatest;
} Span;

static Span spanPoints(const grzVec3* points, size_t count, grzVec3 n, Span span) {
    for (size_t i = 0; i < count; ++i) {
        const double at = ((double)n.x * (double)points[i].x + (double)n.y * (double)points[i].y) +
                          (double)n.z * (double)points[i].z;
        span.least = at < span.least ? at : span.least;
        span.greatest = at > span.greatest ? at : span.greatest;
    }
    return span;
}

static bool hasPoints(const grzModelRegion* region, int which) {
    return region->points.count != 0 || region->sides[which].points.count != 0;
}

// Of what a model has in the region; of the whole of its box, where it has nothing.
static Span spanOf(const grzModelRegion* region, int which, grzVec3 n) {
    const RegionSide* side = &region->sides[which];
    const Span none = {(double)INFINITY, -(double)INFINITY};
    if (!hasPoints(region, which)) {
        grzVec3 corners[8];
        for (int k = 0; k < 8; ++k)
            corners[k] = grzVec3_Make((k & 1) != 0 ? side->box.upper.x : side->box.lower.x,
                                      (k & 2) != 0 ? side->box.upper.y : side->box.lower.y,
                                      (k & 4) != 0 ? side->box.upper.z : side->box.lower.z);
        return spanPoints(corners, 8, n, none);
    }
    const Span contour = spanPoints(region->points.data, region->points.count, n, none);
    return spanPoints(side->points.data, side->points.count, n, contour);
}

// What rounding may take from a depth; see above.
static double roundingOf(const grzModelRegion* region) {
    const grzBox box = grzBox_Union(region->sides[0].box, region->sides[1].box);
    return 0x1p-19 * (double)grzMaxElement(grzMax(grzAbs(box.lower), grzAbs(box.upper)));
}

static void tryDirection(grzModelRegion* region, grzVec3 n, double rounding) {
    const Span a = spanOf(region, 0, n), b = spanOf(region, 1, n);
    const double forward = a.greatest - b.least, backward = b.greatest - a.least;
    const bool isBoth = hasPoints(region, 0) && hasPoints(region, 1);
    const bool isForward = isBoth ? forward >= backward : forward <= backward;
    const double all = fmax(a.greatest, b.greatest) - fmin(a.least, b.least);
    const double depth = (isBoth ? all : isForward ? forward : backward) + rounding;
    if (!(depth < (double)region->view.depth))
        return;
    region->view.depth = nextafterf((float)depth, (float)INFINITY);
    region->view.direction = isForward ? n : grzNeg(n);
}

// In double, since an area may be beyond floats.
static bool normalize(double x, double y, double z, grzVec3* unit) {
    const double length = sqrt((x * x + y * y) + z * z);
    if (!(length > 0) || !isfinite(length))
        return false;
    *unit = grzVec3_Make((float)(x / length), (float)(y / length), (float)(z / length));
    return true;
}

static void findWayOut(grzModelRegion* region) {
    const grzVec3d a = region->view.patches[0].area, b = region->view.patches[1].area;
    const double rounding = roundingOf(region);
    grzVec3 unit;
    if (grzBox_IsEmpty(region->view.box))
        return;
    region->view.depth = (float)INFINITY;
    if (normalize(a.x - b.x, a.y - b.y, a.z - b.z, &unit))
        tryDirection(region, unit, rounding);
    if (normalize(a.x + b.x, a.y + b.y, a.z + b.z, &unit))
        tryDirection(region, unit, rounding);
    for (int axis = 0; axis < 3; ++axis) {
        const float axes[3] = {axis == 0 ? 1.0F : 0.0F, axis == 1 ? 1.0F : 0.0F, axis == 2 ? 1.0F : 0.0F};
        tryDirection(region, grzVec3_Load(axes), rounding);
    }
}

// ---- the find ----

static grzResult fill(grzModelRegion* region, const grzModelQuery* query) {
    if (!bindSides(region, query))
        return grzNoMemory(query->a->leafCount + query->b->leafCount + (size_t)1, sizeof(ModelLeaf));
    const grzResult result = findContour(region, query);
    if (!grzResult_IsOk(result))
        return result;
    if (!grzRegionSide_Sort(&region->sides[0], &region->sides[1]) ||
        !grzRegionSide_Sort(&region->sides[1], &region->sides[0]))
        return grzBecause(grzFail(grz_badArgument, 2),
                          "floats leave no way out of the surface that misses its edges");
    setPatch(region, 0);
    setPatch(region, 1);
    findWayOut(region);
    return grzOk();
}

grzResult grzModelRegion_Find(grzModelRegion* region, const grzModelQuery* query) {
    ModelSearch search;
    clearView(region);
    grzResult result = grzModelSearch_Begin(query, &search);
    if (grzResult_IsOk(result))
        result = grzModelSearch_RefuseMargin(query);
    if (grzResult_IsOk(result) && (query->a->bvh == NULL || query->b->bvh == NULL))
        result = grzBecause(grzFail(grz_badArgument, 1), "a or b is of a source without bvh");
    if (!grzResult_IsOk(result))
        return result;
    grzModelSearch_MakeAll(&search);
    region->relation = search.relation;
    result = fill(region, query);
    if (!grzResult_IsOk(result))
        clearView(region);
    return result;
}

grzModelRegionView grzModelRegion_GetView(const grzModelRegion* region) {
    return region->view;
}
