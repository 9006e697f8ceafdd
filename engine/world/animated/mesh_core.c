// What: mesh_core.h.        Threads: any; it writes its own memory.
#include "mesh_core.h"

#include <math.h>
#include <string.h>

#include "graze/model_distance.h"
#include "graze/model_ray.h"
#include "graze/model_shape.h"
#include "memory.h"
#include "result_make.h"
#include "union_find.h"

enum { sampleCount = 256, mostShrinks = 10, mostBalls = 32, mostJoints = 64 };

// A piece stands for balls around it that shrink to nothing up to `reach` of its radius. The tip of a regular
// tetrahedron is three radii from its largest ball. A ball stands for balls of its size up to `ballReach` of its
// radius, so that balls of any ring can be joined. A joint has passed near those that it joins, and stands for more.
static const float reach = 4.0f, ballReach = 0.7f, jointReach = 1.25f;
// Parts that are thinner than this part of the largest ball have no pieces. Of balls that are about as large as the
// largest of a choice, the farthest counts.
static const float leastPart = 0.0625f, alike = 0.8f, nearlyLargest = 0.95f;
// Two balls are joined by a capsule of this part of their radius; in the end by a thinner one, too, if nothing else
// joins them. A ball needs no sphere beside a capsule of this part of its radius.
static const float jointPart = 0.75f;
// A ball is small enough if the surface is no nearer to its centre than this part of its radius.
static const float settled = 0.98f;

// A ball that touches the surface at a point. It shrinks until nothing of the surface is in it.
typedef struct Sample {
    grzVec3 point, inward, center;
    float radius; // 0: there is none
    float gap;    // from the centre to the nearest piece; 0 where a piece stands for the ball
    uint32_t shrinks;
    bool isSettled;
} Sample;

typedef struct Ball {
    grzVec3 center;
    float radius;
} Ball;

typedef struct Joint {
    uint32_t a, b; // of balls
    float radius;
} Joint;

typedef struct Making {
    const grzMeshCoreDef* def;
    Sample samples[sampleCount];
    Ball balls[mostBalls];
    Joint joints[mostJoints];
    uint32_t parents[mostBalls]; // of sets of joined balls
    uint32_t sampleCount, ballCount, jointCount;
} Making;

// ---- samples ----

static void getCorners(const grzMeshCoreDef* def, size_t triangle, grzVec3d corners[3]) {
    for (size_t i = 0; i < 3; ++i)
        corners[i] =
            grzVec3d_FromVec3(grzVec3_Load(def->positions + 3 * (size_t)def->view->triangles[3 * triangle + i]));
}

// Along the front, twice the area long.
static grzVec3d normalOf(const grzVec3d corners[3]) {
    return grzVec3d_Cross(grzVec3d_Sub(corners[1], corners[0]), grzVec3d_Sub(corners[2], corners[0]));
}

static double areaOf(const grzMeshCoreDef* def) {
    double twice = 0;
    for (size_t i = 0; i < def->view->triangleCount; ++i) {
        grzVec3d corners[3];
        getCorners(def, i, corners);
        twice += grzVec3d_Length(normalOf(corners));
    }
    return twice;
}

// Places a sample in a triangle. Numbers of samples that follow each other give points that are spread well.
static void setSample(uint32_t number, const grzVec3d corners[3], grzVec3d normal, double length, Sample* sample) {
    double u = 0.7548776662466927 * (number + 1), v = 0.5698402909980532 * (number + 1);
    u -= floor(u), v -= floor(v);
    if (u + v > 1)
        u = 1 - u, v = 1 - v;
    const grzVec3d along = grzVec3d_Scale(grzVec3d_Sub(corners[1], corners[0]), u),
                   across = grzVec3d_Scale(grzVec3d_Sub(corners[2], corners[0]), v);
    sample->point = grzVec3d_ToVec3(grzVec3d_Add(corners[0], grzVec3d_Add(along, across)));
    sample->inward = grzVec3d_ToVec3(grzVec3d_Scale(normal, -1 / length));
}

// Spreads samples evenly over the area. Rounding may leave out the last.
static void setSamples(Making* making) {
    const double step = areaOf(making->def) / sampleCount;
    double area = 0;
    uint32_t count = 0;
    for (size_t i = 0; i < making->def->view->triangleCount; ++i) {
        grzVec3d corners[3];
        getCorners(making->def, i, corners);
        const grzVec3d normal = normalOf(corners);
        const double length = grzVec3d_Length(normal);
        for (area += length; count < sampleCount && step * (count + 0.5) < area; ++count)
            setSample(count, corners, normal, length, &making->samples[count]);
    }
    making->sampleCount = count;
}

// ---- measuring ----

// Returns false for points beyond what searches take.
static bool findNearest(const grzMeshCoreDef* def, grzVec3 point, grzModelPoint* nearest) {
    grzModelPointsQuery query = grzDefaultModelPointsQuery();
    query.model = def->model;
    query.points = &point.x;
    query.count = 1;
    return grzResult_IsOk(grzModel_ClosestPoints(NULL, &query, nearest));
}

// How far the line between two points is from the surface, and at most `most`.
static float clearanceOf(const grzMeshCoreDef* def, grzVec3 a, grzVec3 b, float most) {
    grzModelShape query = grzDefaultModelShape();
    grzModelShapeDistance found;
    query.model = def->model;
    query.shape = grzMakeCapsule(a, b, 0);
    query.margin = most;
    if (!grzResult_IsOk(grzModel_ShapeDistance(&query, &found)))
        return 0;
    return found.triangle == GRZ_NO_TRIANGLE ? most : fminf(most, found.distance.lower);
}

// Whether the centre of a ball is inside the solid: the first triangle towards its sample is seen from behind.
static bool isInside(const grzMeshCoreDef* def, const Sample* sample) {
    grzModelRay ray = grzDefaultModelRay();
    grzModelRayHit hit;
    ray.model = def->model;
    ray.origin = sample->center;
    ray.direction = grzNeg(sample->inward);
    return grzResult_IsOk(grzModel_CastRay(&ray, &hit)) && hit.triangle != GRZ_NO_TRIANGLE && !hit.isFront;
}

// ---- gaps ----

static float awayFrom(grzVec3 point, grzVec3 a, grzVec3 b) {
    const grzVec3 along = grzSub(b, a), arm = grzSub(point, a);
    const float lengthSq = grzLengthSq(along);
    const float t = lengthSq > 0 ? fminf(fmaxf(grzDot(arm, along) / lengthSq, 0), 1) : 0;
    return grzLength(grzAddScaled(arm, -t, along));
}

// The gap of a sample with one more piece.
static float gapWith(const Sample* sample, float away, float radius, float own) {
    return away <= reach * radius - (reach - own) * sample->radius ? 0 : fminf(sample->gap, away);
}

static void lessenAtBall(const Ball* ball, Sample* sample) {
    sample->gap = gapWith(sample, grzLength(grzSub(sample->center, ball->center)), ball->radius, ballReach);
}

static void lessenAtJoint(const Making* making, const Joint* joint, Sample* sample) {
    const float away = awayFrom(sample->center, making->balls[joint->a].center, making->balls[joint->b].center);
    sample->gap = gapWith(sample, away, joint->radius, jointReach);
}

static void setGap(const Making* making, Sample* sample) {
    sample->gap = INFINITY;
    for (uint32_t i = 0; i < making->ballCount; ++i)
        lessenAtBall(&making->balls[i], sample);
    for (uint32_t i = 0; i < making->jointCount; ++i)
        lessenAtJoint(making, &making->joints[i], sample);
}

// ---- balls ----

// Shrinks a ball until it goes through the nearest point, if that is in it. A piece that stands for a ball stands for
// all smaller ones, too.
static void shrink(const Making* making, Sample* sample) {
    grzModelPoint nearest;
    sample->isSettled = true;
    if (!findNearest(making->def, sample->center, &nearest)) {
        sample->radius = 0;
        return;
    }
    const grzVec3d arm = grzVec3d_Sub(grzVec3d_FromVec3(nearest.point), grzVec3d_FromVec3(sample->point));
    const double twice = 2 * grzVec3d_Dot(arm, grzVec3d_FromVec3(sample->inward));
    const float through = twice > 0 ? (float)(grzVec3d_LengthSq(arm) / twice) : sample->radius;
    if (nearest.upper < settled * sample->radius && through < sample->radius && ++sample->shrinks < mostShrinks) {
        sample->radius = through;
        sample->center = grzAddScaled(sample->point, through, sample->inward);
        sample->isSettled = false;
    } else {
        sample->radius = fminf(sample->radius, nearest.lower);
    }
    setGap(making, sample);
}

// Of the balls that no piece stands for, one that is nearly as large as the largest. Balls that have not settled shrink
// no more than it takes: in a sphere each search looks at all triangles.
static Sample* findLargest(Making* making) {
    for (;;) {
        Sample *largest = NULL, *kept = NULL; // kept: of those that have settled
        for (uint32_t i = 0; i < making->sampleCount; ++i) {
            Sample* sample = &making->samples[i];
            if (sample->gap > 0 && sample->radius > (largest != NULL ? largest->radius : 0))
                largest = sample;
            if (sample->gap > 0 && sample->isSettled && sample->radius > (kept != NULL ? kept->radius : 0))
                kept = sample;
        }
        if (largest == NULL || (kept != NULL && kept->radius >= nearlyLargest * largest->radius))
            return kept;
        shrink(making, largest);
    }
}

// Of balls that are about as large as the largest, the farthest from all pieces. Returns NULL where there is none.
static Sample* chooseSample(Making* making, float least) {
    Sample* chosen = findLargest(making);
    if (chosen == NULL || !(chosen->radius >= least) || making->ballCount == 0)
        return chosen;
    const float enough = fmaxf(alike * chosen->radius, least);
    for (uint32_t i = 0; i < making->sampleCount; ++i) {
        Sample* sample = &making->samples[i];
        while (sample->gap > 0 && sample->radius >= enough && !sample->isSettled)
            shrink(making, sample);
        if (sample->radius >= enough && sample->gap > chosen->gap)
            chosen = sample;
    }
    return chosen;
}

// ---- joints ----

// Whether no ball's centre is in the ball over the line between two.
static bool areNeighbours(const Making* making, uint32_t a, uint32_t b) {
    const grzVec3 middle = grzLerp(making->balls[a].center, making->balls[b].center, 0.5f);
    const float least = grzLengthSq(grzSub(making->balls[a].center, middle));
    for (uint32_t i = 0; i < making->ballCount; ++i)
        if (i != a && i != b && grzLengthSq(grzSub(making->balls[i].center, middle)) < least)
            return false;
    return true;
}

// Joins two balls if nothing else is between them, and the capsule is thick enough.
static void join(Making* making, uint32_t a, uint32_t b, float part) {
    const float thinner = fminf(making->balls[a].radius, making->balls[b].radius);
    if (making->jointCount == mostJoints || !areNeighbours(making, a, b))
        return;
    const Joint joint = {a, b, clearanceOf(making->def, making->balls[a].center, making->balls[b].center, thinner)};
    if (!(joint.radius > part * thinner))
        return;
    making->joints[making->jointCount++] = joint;
    grzUniteSets(making->parents, a, b);
}

// Adds a ball, with joints to its neighbours.
static void addBall(Making* making, Ball ball) {
    const uint32_t number = making->ballCount++, joints = making->jointCount;
    making->balls[number] = ball;
    making->parents[number] = number;
    for (uint32_t i = 0; i < number; ++i)
        join(making, i, number, jointPart);
    for (uint32_t i = 0; i < making->sampleCount; ++i) {
        Sample* sample = &making->samples[i];
        lessenAtBall(&ball, sample);
        for (uint32_t j = joints; j < making->jointCount && sample->gap > 0; ++j)
            lessenAtJoint(making, &making->joints[j], sample);
    }
}

// ---- pieces ----

static void addInside(Making* making) {
    const grzVec3 extent = grzBox_Extent(grzModel_GetView(making->def->model).box);
    for (uint32_t i = 0; i < making->sampleCount; ++i) {
        Sample* sample = &making->samples[i];
        sample->radius = 0.5f * fminf(fminf(extent.x, extent.y), extent.z);
        sample->center = grzAddScaled(sample->point, sample->radius, sample->inward);
        sample->gap = INFINITY;
    }
    Sample* sample;
    while (making->ballCount < mostBalls &&
           (sample = chooseSample(making, making->ballCount != 0 ? leastPart * making->balls[0].radius : 0)) !=
               NULL) {
        if (isInside(making->def, sample))
            addBall(making, (Ball){sample->center, sample->radius});
        sample->gap = 0;
    }
}

// Of a mesh without an inside.
static void addOnSurface(Making* making) {
    for (uint32_t i = 0; i < making->sampleCount; ++i) {
        Sample* sample = &making->samples[i];
        *sample =
            (Sample){.center = sample->point, .radius = making->def->thickness, .gap = INFINITY, .isSettled = true};
    }
    Sample* sample;
    while (making->ballCount < mostBalls && (sample = chooseSample(making, 0)) != NULL)
        addBall(making, (Ball){sample->center, sample->radius});
}

static void addPiece(grzConvex piece, grzMeshCore* core) {
    core->thickness = fminf(core->thickness, piece.radius);
    core->data[core->count++] = piece;
}

// Joins what nothing has joined by thin capsules.
static void joinRest(Making* making) {
    for (uint32_t a = 0; a < making->ballCount; ++a)
        for (uint32_t b = a + 1; b < making->ballCount; ++b)
            if (grzFindRoot(making->parents, a) != grzFindRoot(making->parents, b))
                join(making, a, b, leastPart);
}

// Joints between balls that have got another one between them are left out.
static void addPieces(const Making* making, grzMeshCore* core) {
    float thickest[mostBalls] = {0};
    core->thickness = making->def->thickness;
    for (uint32_t i = 0; i < making->jointCount; ++i) {
        const Joint* joint = &making->joints[i];
        if (!areNeighbours(making, joint->a, joint->b))
            continue;
        thickest[joint->a] = fmaxf(thickest[joint->a], joint->radius);
        thickest[joint->b] = fmaxf(thickest[joint->b], joint->radius);
        addPiece(grzMakeCapsule(making->balls[joint->a].center, making->balls[joint->b].center, joint->radius),
                 core);
    }
    for (uint32_t i = 0; i < making->ballCount; ++i)
        if (!(thickest[i] >= jointPart * making->balls[i].radius))
            addPiece(grzMakeSphere(making->balls[i].center, making->balls[i].radius), core);
}

grzResult grzMeshCore_Make(const grzMeshCoreDef* def, const grzAllocator* allocator, grzMeshCore* core) {
    Making* making = grzAllocate(allocator, 1, sizeof *making, _Alignof(Making));
    if (making == NULL)
        return grzNoMemory(1, sizeof *making);
    memset(making, 0, sizeof *making);
    making->def = def;
    setSamples(making);
    addInside(making);
    if (making->ballCount == 0)
        addOnSurface(making);
    joinRest(making);
    const size_t most = making->ballCount + making->jointCount;
    const bool isDone = grzArray_Reserve(core, allocator, most);
    if (isDone)
        addPieces(making, core);
    grzRelease(allocator, making, 1, sizeof *making, _Alignof(Making));
    return isDone ? grzOk() : grzNoMemory(most, sizeof *core->data);
}
