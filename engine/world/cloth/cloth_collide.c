// What: where a cloth touches its obstacles in a step, or may: from their places at its start and what both will move.
// Promise: nothing is dropped, whatever there is; what fails, fails for lack of memory, and leaves the cloth without touches. The same
//          bytes for any number of workers.
// Idea: the hierarchy over the triangles is refit over the step's straight motion. For each obstacle in turn the triangles that
//       meet its swept box are listed; each vertex and each triangle of the list has a slot of its own, filled by any worker;
//       what was found is added to the touches, which at last are sorted by their keys.
//
//         boxes --> [triangles near] --> vertices: a plane each --> triangles that vertices do not cover --> sort
//
// Holds: motion is taken as straight from here to where the vertex would be without constraints; planes reach as far as that and
//        the margin, and as the fastest pin goes. Beside what is fast the plane is that of the first touch on this way.
// Cost: 1 ns a triangle for the refit, 20 to 40 ns a vertex near an obstacle.
// Limits: a vertex that is dragged by others, not by its own speed, farther than the margin in one step is found in the next; walls hold
//         it until then (grzClothBody_HasStrayed).
#include <math.h>
#include <string.h>

#include "cloth_partner.h"
#include "cloth_search.h"
#include "profile_zone.h"
#include "result_make.h"

#define SITE_GRAIN    64u
#define MOST_ADVANCES 12
#define NEAR_ENOUGH   0.02f // of half the thickness

// ---- motion of the step ----

void grzClothBody_Predict(grzClothBody* cloth, float timeStep, grzVec3 gravity) {
    const grzVec3 fall = grzScale(gravity, timeStep * timeStep);
    const bool isHeld = cloth->isHeld;
    float mostSq = 0;
    cloth->pinMove = 0;
    cloth->isRefit = false;
    for (uint32_t v = 0; v < cloth->rowCount; ++v) {
        const grzVec3 now = grzCloth_Row(cloth->now.data, v), speed = grzCloth_Row(cloth->velocity.data, v);
        const bool isFree = cloth->now.data[(size_t)4 * v + 3] > 0 && !isHeld;
        const grzVec3 end = isFree ? grzAdd(grzAddScaled(now, timeStep, speed), fall) : now;
        grzVec3_Store(cloth->ends.data + (size_t)4 * v, end);
    }
    for (size_t k = 0; k < cloth->pins.count && !isHeld; ++k) {
        const grzVec3 goal = grzVec3_Load(cloth->pinGoals.data + 4 * k);
        const float move = grzDistance(goal, grzCloth_Row(cloth->now.data, cloth->pins.data[k]));
        grzVec3_Store(cloth->ends.data + (size_t)4 * cloth->pins.data[k], goal);
        cloth->pinMove = move > cloth->pinMove ? move : cloth->pinMove;
    }
    for (uint32_t v = 0; v < cloth->rowCount; ++v) {
        const grzVec3 way = grzSub(grzCloth_Row(cloth->ends.data, v), grzCloth_Row(cloth->now.data, v));
        mostSq = grzLengthSq(way) > mostSq ? grzLengthSq(way) : mostSq;
    }
    cloth->mostMove = grzSqrt(mostSq);
}

float grzClothBody_MostReach(const grzClothBody* cloth, float margin) {
    return cloth->reach + margin + cloth->pinMove + cloth->mostMove;
}

grzBox grzClothBody_Box(const grzClothBody* cloth) {
    grzBox box = grzBox_Empty();
    for (uint32_t v = 0; v < cloth->vertexCount; ++v)
        box = grzBox_AddPoint(box, grzCloth_Row(cloth->now.data, v));
    return grzBox_Expand(box, cloth->reach);
}

grzBox grzClothBody_SweptBox(const grzClothBody* cloth, float margin) {
    grzBox box = grzBox_Empty();
    for (uint32_t v = 0; v < cloth->vertexCount; ++v) {
        box = grzBox_AddPoint(box, grzCloth_Row(cloth->now.data, v));
        box = grzBox_AddPoint(box, grzCloth_Row(cloth->ends.data, v));
    }
    return grzBox_Expand(box, cloth->reach + margin + cloth->pinMove);
}

static void refitTree(grzClothBody* cloth, grzTasks* tasks) {
    if (cloth->isRefit)
        return;
    cloth->isRefit = true;
    grzBvhRefit refit = grzDefaultBvhRefit();
    refit.positions = cloth->now.data;
    refit.endPositions = cloth->ends.data;
    refit.stride = 4 * sizeof(float);
    refit.numbering = grz_bvhCallersNumbers;
    const grzResult result = grzBvh_Refit(cloth->bvh, tasks, &refit, (grzBvhNode*)(void*)cloth->nodes.data);
    (void)result; // rows are finite, so nothing is refused
}

grzClothTree grzClothBody_GetTree(grzClothBody* cloth, grzTasks* tasks) {
    refitTree(cloth, tasks);
    return (grzClothTree){cloth->bvh, (const grzBvhNode*)(const void*)cloth->nodes.data};
}

// ---- convex obstacles ----

// A point or triangle of the cloth that moves straight on beside a shape that stands still.
typedef struct ClothPath {
    grzVec3 starts[3], motions[3];
    uint32_t count; // of vertices: 1 or 3
} ClothPath;

static bool siteAt(const ClothHunt* hunt, const ClothPath* path, float time, ClothFound* found) {
    const grzCollider* collider = hunt->obstacle->collider;
    grzVec3 points[3];
    for (uint32_t k = 0; k < path->count; ++k)
        points[k] = grzAddScaled(path->starts[k], time, path->motions[k]);
    found->weights[0] = 1;
    return path->count == 1
               ? grzCloth_PointSite(&collider->shape, collider->pose, points[0], found->reach, &found->site)
               : grzCloth_TriangleSite(&collider->shape, collider->pose, points, found->reach, &found->site,
                                       found->weights);
}

// Of the point of some weights.
static grzVec3 motionOf(const ClothPath* path, const float* weights) {
    grzVec3 sum = grzVec3_Zero();
    for (uint32_t k = 0; k < path->count; ++k)
        sum = grzAddScaled(sum, weights[k], path->motions[k]);
    return sum;
}

// Where it first touches the shape, or would pass it: each plane that it has not crossed parts the two until it does. What is nearest
// at the start would push aside what a fast shape only passes; of slow ones it is near enough.
static bool findFirst(const ClothHunt* hunt, const ClothPath* path, ClothFound* found) {
    const float reach = hunt->cloth->reach, spacing = hunt->cloth->spacing;
    if (!siteAt(hunt, path, 0, found))
        return false;
    found->motion = motionOf(path, found->weights);
    float time = 0, gap = found->site.separation - reach, closing = -grzDot(found->site.normal, found->motion);
    const float least = found->site.separation < 0 ? found->site.separation : 0;
    for (int k = 0;
         k < MOST_ADVANCES && closing > spacing && gap > NEAR_ENOUGH * reach && closing * (1 - time) > gap; ++k) {
        ClothFound next = *found;
        time += gap / closing;
        if (!siteAt(hunt, path, time, &next))
            break;
        next.motion = motionOf(path, next.weights);
        closing = -grzDot(next.site.normal, next.motion);
        gap = next.site.separation - reach;
        next.site.separation += closing * time; // as it is at the start
        if (next.site.separation < least)
            break;
        *found = next;
    }
    return !found->site.isVertex;
}

static void findVertex(const ClothHunt* hunt, uint32_t vertex, ClothTouch* slot) {
    ClothFound found;
    memset(&found, 0, sizeof found);
    const grzVec3 motion = grzCloth_RelativeMotion(hunt, vertex);
    found.reach = grzCloth_Reach(hunt, motion);
    found.vertices[0] = vertex;
    found.vertexCount = 1;
    found.triangle = found.obstacleTriangle = GRZ_NO_TRIANGLE;
    found.feature = grzMakeFeature(grz_vertexFeature, vertex);
    const ClothPath path = {{grzCloth_Row(hunt->cloth->now.data, vertex)}, {motion}, 1};
    slot->vertexCount = 0;
    if (findFirst(hunt, &path, &found))
        grzCloth_WriteTouch(hunt, &found, slot);
}

static grzFeature obstacleFeature(const ClothHunt* hunt, const ClothTouch* slot) {
    return grzCloth_IsA(hunt) ? slot->contact.featureB : slot->contact.featureA;
}

// Whether the vertices' planes are all of one face, and so hold for all of the triangle.
static bool isCovered(const ClothHunt* hunt, const uint32_t* corners, const ClothTouch* vertexSlots) {
    const uint32_t* places = hunt->cloth->search.vertexSlots.data;
    grzFeature face = 0;
    for (int k = 0; k < 3; ++k) {
        const ClothTouch* slot = &vertexSlots[places[corners[k]]];
        if (slot->vertexCount == 0)
            return false;
        const grzFeature own = obstacleFeature(hunt, slot);
        if (grzFeature_Kind(own) != grz_faceFeature || (k != 0 && own != face))
            return false;
        face = own;
    }
    return true;
}

static void findTriangle(const ClothHunt* hunt, uint32_t triangle, const ClothTouch* vertexSlots,
                         ClothTouch* slot) {
    const grzClothBody* cloth = hunt->cloth;
    const grzCollider* collider = hunt->obstacle->collider;
    const uint32_t* corners = grzMesh_GetView(cloth->mesh).triangles + (size_t)3 * triangle;
    slot->vertexCount = 0;
    if (isCovered(hunt, corners, vertexSlots))
        return;
    ClothPath path = {.count = 3};
    ClothFound found;
    memset(&found, 0, sizeof found);
    for (int k = 0; k < 3; ++k) {
        path.starts[k] = grzCloth_Row(cloth->now.data, corners[k]);
        path.motions[k] = grzCloth_RelativeMotion(hunt, corners[k]);
        found.vertices[k] = corners[k];
        const float reach = grzCloth_Reach(hunt, path.motions[k]);
        found.reach = reach > found.reach ? reach : found.reach;
    }
    found.vertexCount = 3;
    found.triangle = triangle;
    found.obstacleTriangle = GRZ_NO_TRIANGLE;
    found.feature = grzMakeFeature(grz_faceFeature, triangle);
    if (!findFirst(hunt, &path, &found))
        return;
    grzCloth_WriteTouch(hunt, &found, slot);
    slot->round = collider->shape.radius;
}

static void vertexTask(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    (void)worker;
    const ClothHunt* hunt = context;
    const ClothSearch* search = &hunt->cloth->search;
    for (uint32_t i = begin; i < end; ++i)
        findVertex(hunt, search->vertices.data[i], &search->slots.data[i]);
}

static void triangleTask(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    (void)worker;
    const ClothHunt* hunt = context;
    const ClothSearch* search = &hunt->cloth->search;
    for (uint32_t i = begin; i < end; ++i)
        findTriangle(hunt, search->triangles.data[i], search->slots.data,
                     &search->slots.data[search->vertices.count + i]);
}

static grzResult huntConvex(ClothHunt* hunt) {
    grzClothBody* cloth = hunt->cloth;
    const grzBox box = grzConvex_Box(&hunt->obstacle->collider->shape, hunt->obstacle->collider->pose);
    grzResult result = grzCloth_ListNear(cloth, grzCloth_SweptBox(hunt, box));
    const uint32_t vertexCount = (uint32_t)cloth->search.vertices.count;
    const uint32_t triangleCount = (uint32_t)cloth->search.triangles.count;
    if (result.status == grz_ok)
        result = grzCloth_ReserveSlots(cloth, (size_t)vertexCount + triangleCount);
    if (result.status != grz_ok)
        return result;
    grzParallelFor(hunt->step->tasks, vertexCount, SITE_GRAIN, vertexTask, hunt);
    grzParallelFor(hunt->step->tasks, triangleCount, SITE_GRAIN, triangleTask, hunt);
    return grzCloth_TakeSlots(cloth, cloth->search.slots.count);
}

// ---- all of them ----

static uint64_t touchKeyWord(const void* touch, unsigned word) {
    return grzContact_KeyWord(&((const ClothTouch*)touch)->contact, word);
}

const grzRecordType grzCloth_touchType = {sizeof(ClothTouch), grz_contactKeyWords, touchKeyWord};

// The order of keys is that of obstacles: those of smaller slots than the cloth's are side A, the others side B.
static grzResult sortTouches(grzClothBody* cloth) {
    ClothTouches* touches = &cloth->touches;
    if (grzAreRecordsSorted(&grzCloth_touchType, touches->data, touches->count))
        return grzOk();
    const size_t bytes = grzRecordScratchSize(&grzCloth_touchType, touches->count);
    if (!grzArray_Reserve(&cloth->search.sorting, &cloth->allocator, bytes))
        return grzNoMemory(bytes, 1);
    grzSortRecords(&grzCloth_touchType, touches->data, touches->count, cloth->search.sorting.data);
    return grzOk();
}

static ClothPartner makePartner(const grzClothBody* cloth, const grzClothStep* step,
                                const grzClothObstacle* obstacle) {
    ClothPartner partner;
    memset(&partner, 0, sizeof partner);
    partner.row = obstacle->row;
    partner.backing = 1;
    partner.friction = grzSqrt(cloth->friction * obstacle->collider->friction);
    const grzBodyMass* mass = step->masses != NULL ? &step->masses[obstacle->row] : NULL;
    const bool isRigid =
        obstacle->collider->kind == grz_convexCollider || obstacle->collider->kind == grz_meshCollider;
    if (mass == NULL || !isRigid)
        return partner;
    partner.moves = (mass->flags & grz_bodyMoves) != 0;
    partner.yields = (mass->flags & grz_bodyYields) != 0;
    partner.inverseMass = mass->inverseMass;
    partner.radius = obstacle->radius;
    memcpy(partner.massInertia, mass->inverseInertia, sizeof partner.massInertia);
    if (partner.yields && cloth->tetherCount != 0)
        partner.backing = grzClothPartner_Backing(&partner, cloth->density, cloth->pointMass);
    return partner;
}

// Room for all that a step's touches need.
static grzResult reserveStep(grzClothBody* cloth, const grzClothStep* step) {
    if (!grzArray_Reserve(&cloth->starts, &cloth->allocator, (size_t)step->obstacleCount + 1))
        return grzNoMemory((size_t)step->obstacleCount + 1, sizeof(uint32_t));
    if (step->obstacleCount != 0 && !grzArray_Reserve(&cloth->partners, &cloth->allocator, step->obstacleCount))
        return grzNoMemory(step->obstacleCount, sizeof(ClothPartner));
    return grzCloth_ReserveOrder(cloth);
}

// Where the touches of each obstacle begin, and whether one of them comes fast.
static void lookThrough(grzClothBody* cloth, const grzClothStep* step) {
    const float far = cloth->spacing * (float)step->substepCount;
    uint32_t obstacle = 0;
    cloth->isStruck = false;
    for (uint32_t i = 0; i < cloth->touches.count; ++i) {
        const ClothTouch* touch = &cloth->touches.data[i];
        cloth->isStruck = cloth->isStruck || touch->closing > far;
        for (; obstacle <= touch->partner; ++obstacle)
            cloth->starts.data[obstacle] = i;
    }
    for (; obstacle <= step->obstacleCount; ++obstacle)
        cloth->starts.data[obstacle] = (uint32_t)cloth->touches.count;
    cloth->starts.count = (size_t)step->obstacleCount + 1;
}

// Nothing fails any more.
static void commitStep(grzClothBody* cloth, const grzClothStep* step) {
    lookThrough(cloth, step);
    cloth->partners.count = step->obstacleCount;
    for (uint32_t i = 0; i < step->obstacleCount; ++i)
        cloth->partners.data[i] = makePartner(cloth, step, &step->obstacles[i]);
    grzCloth_OrderTouches(cloth);
    cloth->hasMoved = false;
    cloth->lastPace = cloth->pace;
    cloth->timeStep = step->timeStep;
    cloth->pushSpeed = step->pushSpeed;
    cloth->substepCount = step->substepCount;
    cloth->gravity = step->gravity;
    cloth->tasks = step->tasks;
}

static void forgetTouches(grzClothBody* cloth) {
    cloth->touches.count = cloth->order.count = cloth->colors.count = cloth->starts.count = 0;
}

static grzResult huntObstacle(ClothHunt* hunt) {
    if (hunt->obstacle->collider->kind == grz_convexCollider)
        return huntConvex(hunt);
    if (hunt->obstacle->collider->kind == grz_meshCollider ||
        hunt->obstacle->collider->kind == grz_animatedCollider)
        return grzCloth_HuntMesh(hunt);
    return grzOk();
}

grzResult grzClothBody_Collide(grzClothBody* cloth, const grzClothStep* step) {
    GRZ_ZONE_BEGIN(zone, step->profile, grz_stageNarrow, "cloth touches", 0);
    ClothHunt hunt = {.cloth = cloth, .step = step};
    if (step->obstacleCount != 0)
        refitTree(cloth, step->tasks);
    forgetTouches(cloth);
    grzResult result = grzOk();
    for (uint32_t i = 0; i < step->obstacleCount && result.status == grz_ok; ++i) {
        hunt.obstacle = &step->obstacles[i];
        hunt.place = i;
        result = huntObstacle(&hunt);
    }
    if (result.status == grz_ok)
        result = sortTouches(cloth);
    if (result.status == grz_ok)
        result = reserveStep(cloth, step);
    if (result.status == grz_ok)
        commitStep(cloth, step);
    else
        forgetTouches(cloth);
    GRZ_ZONE_END(zone);
    return result;
}
