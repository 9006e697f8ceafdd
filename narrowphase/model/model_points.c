// What: the nearest points of a model to many points.
// Promise: as graze/model_distance.h says: an answer depends on the model, its pose and the point alone.
// Idea: a point is brought into the model's frame as floats, for the boxes. Those floats, read as exact, stand somewhere else
//   in the common frame than the point does: how far is computed for each point, and taken from what boxes say. A block of
//   points is gone through in order, each search from where the last one ended.
// Threads: a task writes its own block.
#include "model_points_kernel.h"

#include <math.h>
#include <string.h>

#include "first_refused.h"
#include "model_chunks.h"
#include "model_place.h"
#include "refuse_null.h"
#include "result_make.h"
#include "vec3d.h"

#define QUERY_MARK 0x4D505159u

enum { BLOCK_POINTS = 64, ARGUMENT = 2 };

#define LARGEST        0x1p60 // coordinates in the model's frame and in spans, so that squares of floats do not overflow
#define TOLERANCE      0x1p-40 // of the lower bound, in spans
#define NEAR_TOLERANCE 0x1p-48 // the same, where a distance is so small that rounding turns its direction
#define FLOAT_SLACK    0x1p-20 // of a few sums of single precision, by their sizes
#define FLOAT_TINY     0x1p-120

grzModelPointsQuery grzDefaultModelPointsQuery(void) {
    grzModelPointsQuery query;
    memset(&query, 0, sizeof query);
    query.mark = QUERY_MARK;
    query.pose = grzTransform_Identity();
    query.reach = (float)INFINITY;
    return query;
}

static const char* flawOf(const grzModelPointsQuery* query) {
    if (query->model == NULL)
        return "model is NULL";
    if (query->points == NULL && query->count != 0)
        return "points is NULL";
    if (query->stride % sizeof(float) != 0 || (query->stride != 0 && query->stride < 3 * sizeof(float)))
        return "stride is not 0, or a multiple of a float's size of at least three";
    if (!(query->reach >= 0))
        return "the reach is negative or a NaN";
    return NULL;
}

typedef struct PointsWork {
    const grzModelPointsQuery* query;
    grzModelPoint* found;
    PointSearch search; // what is the same for all points
    ModelPlace place;   // the pose's inverse
    double size[3];     // the model's largest coordinates
    double scale;       // a span
} PointsWork;

static grzResult beginWork(const grzModelPointsQuery* query, PointsWork* work) {
    if (query == NULL || query->mark != QUERY_MARK)
        return grzFail(grz_badDef, 0);
    const char* flaw = flawOf(query);
    if (flaw != NULL)
        return grzBecause(grzFail(grz_badArgument, ARGUMENT), flaw);
    if (!grzTransform_IsFinite(query->pose))
        return grzFail(grz_notFinite, 0);
    memset(work->size, 0, sizeof work->size);
    grzModel_Open(query->model);
    const grzVec3 most = grzMax(grzAbs(query->model->box.lower), grzAbs(query->model->box.upper));
    for (int i = 0; i < 3 && query->model->leafCount != 0; ++i)
        work->size[i] = (double)grzVec3_Get(most, i);
    work->query = query;
    work->scale = grzSpanOf(grzSpanLength(query->pose, work->size));
    work->search.model = query->model;
    grzSpanSide_Make(&work->search.side, query->pose, work->scale);
    grzModelPlace_Set(&work->place, query->pose);
    if (!grzModelPlace_Invert(&work->place))
        return grzBecause(grzFail(grz_badArgument, ARGUMENT), "the basis of the pose cannot be inverted");
    return grzOk();
}

// ---- points ----

static grzVec3 pointOf(const grzModelPointsQuery* query, uint32_t i) {
    const size_t stride = query->stride != 0 ? query->stride : 3 * sizeof(float);
    float at[3];
    memcpy(at, (const unsigned char*)query->points + i * stride, sizeof at);
    return grzVec3_Load(at);
}

// Sets what the search is to know of a point. False where floats cannot hold it.
static bool placePoint(const PointsWork* work, grzVec3 point, PointSearch* search) {
    const grzVec3d from = grzVec3d_Sub(grzVec3d_FromVec3(point), grzVec3d_FromVec3(work->query->pose.origin));
    search->at[0] = from.x / work->scale, search->at[1] = from.y / work->scale,
    search->at[2] = from.z / work->scale;
    double off = 0, own[3];
    for (int j = 0; j < 3; ++j) {
        own[j] = grzVec3d_Dot(work->place.rows[j], from);
        if (!(fabs(own[j]) <= LARGEST && fabs(search->at[j]) <= LARGEST))
            return false;
        search->twiceAt[j] = 2 * (float)own[j];
        search->twiceSlack[j] = grzRoundUp(FLOAT_SLACK * (work->size[j] + fabs(own[j])) + FLOAT_TINY);
    }
    for (int i = 0; i < 3; ++i) {
        double apart = -search->at[i], size = fabs(apart);
        for (int j = 0; j < 3; ++j) {
            const double term = search->side.columns[j][i] * (0.5 * (double)search->twiceAt[j]);
            apart += term;
            size += fabs(term);
        }
        off += fabs(apart) + 0x1p-50 * size;
    }
    search->margin = off + SPAN_ROUNDING * (1 + grzRow_Largest(search->at));
    return true;
}

static void setNone(grzModelPoint* found, float lower) {
    memset(found, 0, sizeof *found);
    found->lower = lower;
    found->upper = (float)INFINITY;
    found->triangle = GRZ_NO_TRIANGLE;
}

static grzFeature featureOf(const PointSearch* search) {
    if (search->code == 3)
        return grzMakeFeature(grz_faceFeature, 0);
    if (search->s == 0 || search->s == 1)
        return grzMakeFeature(grz_vertexFeature, (search->code + (search->s == 1 ? 1 : 0)) % 3);
    return grzMakeFeature(grz_edgeFeature, search->code);
}

static void setFound(const PointsWork* work, const PointSearch* search, grzVec3 point, grzModelPoint* found) {
    const double size = 1 + grzRow_Largest(search->at), nearest = sqrt(search->sq);
    const double off = TOLERANCE * size + NEAR_TOLERANCE * size * size / nearest;
    const double lower = fmin(nearest - off, search->certain - SPAN_ROUNDING * size);
    const double* apart = search->apart;
    found->lower = grzRoundDown(fmax(lower, 0) * work->scale);
    found->upper = grzRoundUp((nearest + SPAN_ROUNDING * size) * work->scale);
    found->point = grzVec3_Make((float)((double)point.x - apart[0] * work->scale),
                                (float)((double)point.y - apart[1] * work->scale),
                                (float)((double)point.z - apart[2] * work->scale));
    found->triangle = search->id;
    found->feature = featureOf(search);
}

static void findPoint(const PointsWork* work, uint32_t i, PointSearch* search) {
    const double reach = (double)work->query->reach;
    const grzVec3 point = pointOf(work->query, i);
    if (work->query->model->leafCount == 0 || !placePoint(work, point, search)) {
        setNone(&work->found[i], (float)INFINITY);
        return;
    }
    // No farther than all of the model is: its coordinates are at most 1.
    const double farthest = 2 * (2 + grzRow_Largest(search->at));
    search->reachSq = fmin(reach / work->scale, farthest) * fmin(reach / work->scale, farthest);
    GRZ_PICK_KERNEL(grzModelNearestToPoint)(search);
    if (search->id != GRZ_NO_TRIANGLE)
        setFound(work, search, point, &work->found[i]);
    else
        setNone(&work->found[i],
                grzRoundDown(
                    fmax(reach * (1 - 0x1p-40) - work->scale * TOLERANCE * (1 + grzRow_Largest(search->at)), 0)));
}

// What the searches of a block may read: half as much again as the reach, since a search knows what it rounds by its own measure.
static void makeNear(const PointsWork* work, uint32_t begin, uint32_t end) {
    PointSearch search = work->search;
    double lower[3], upper[3];
    float least[3], most[3];
    for (int j = 0; j < 3; ++j)
        lower[j] = (double)INFINITY, upper[j] = -(double)INFINITY;
    for (uint32_t i = begin; i < end; ++i) {
        if (!placePoint(work, pointOf(work->query, i), &search))
            continue;
        for (int j = 0; j < 3; ++j) {
            const double at = 0.5 * (double)search.twiceAt[j], off = 4 * (double)search.twiceSlack[j];
            lower[j] = fmin(lower[j], at - off);
            upper[j] = fmax(upper[j], at + off);
        }
    }
    for (int j = 0; j < 3; ++j) {
        const double away = 1.5 * (double)work->query->reach * grzVec3d_Length(work->place.rows[j]);
        least[j] = grzRoundDown(lower[j] - away);
        most[j] = grzRoundUp(upper[j] + away);
    }
    grzModel_MakeInBox(work->query->model, least, most);
}

static void findBlock(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    const PointsWork* work = context;
    PointSearch search = work->search;
    (void)worker;
    search.slot = GRZ_NO_SLOT;
    if (work->query->model->chunks != NULL)
        makeNear(work, begin, end);
    for (uint32_t i = begin; i < end; ++i)
        findPoint(work, i, &search);
}

static uint32_t checkBlock(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    const PointsWork* work = context;
    PointSearch search = work->search;
    (void)worker;
    for (uint32_t i = begin; i < end; ++i) {
        const grzVec3 point = pointOf(work->query, i);
        if (!grzVec3_IsFinite(point) || !placePoint(work, point, &search))
            return i;
    }
    return end;
}

grzResult grzModel_ClosestPoints(grzTasks* tasks, const grzModelPointsQuery* query, grzModelPoint* found) {
    PointsWork work;
    const grzResult result = beginWork(query, &work);
    if (!grzResult_IsOk(result))
        return result;
    GRZ_REFUSE_NULL_ARRAY(found, query->count, 3);
    work.found = found;
    const uint32_t failed = grzParallelTry(tasks, query->count, 16 * BLOCK_POINTS, checkBlock, &work);
    if (failed != query->count) {
        const bool isFinite = grzVec3_IsFinite(pointOf(query, failed));
        const grzResult refused =
            grzFailAt(isFinite ? grz_badArgument : grz_notFinite, grz_partElement, failed, isFinite ? ARGUMENT : 0);
        return isFinite
                   ? grzBecause(refused, "a point is beyond 2^60, in the model's frame or in lengths of the model")
                   : refused;
    }
    grzParallelFor(tasks, query->count, BLOCK_POINTS, findBlock, &work);
    return grzOk();
}
