// What: the guard (world_guard.c) where cloth takes part: as what fast bodies come to, and as what walls hold.
// Promise: a fast body whose core is free of the cloths beside it when the step begins is free of them when it ends, as long as no pin moves
//   near it. Each vertex of cloth that others have dragged out of where its touches were searched is held by walls. No result depends on
//   workers.
// Idea: touches are found once a step, of ways that are straight. What a blow turns goes other ways, into triangles that have no touch
//   with it. So the core is swept against the cloth as both have really gone. Where it comes to the cloth it stays, with the
//   cloth around it, and the next step finds touches on the right side. Both keep their velocities, since it is for those touches to
//   pass on momentum. A cloth that was held back may now be in the way of another body, so all are swept again until none is stopped.
// Threads: bodies beside a cloth one after the other, in the order of the step's pairs; vertices side by side.
// Cost: for each fast body beside a cloth a sweep (graze/sweep.h), and for each that is stopped a look at all triangles; 3 ns a vertex.
// Limits: cloth that comes fast to a slow body is left to touches. Where such cloth was swept, too, cloth of ten tons a square metre drove
//   balls through the floor under them, since a body that is stopped goes a little back from the cloth. There are MOST_ROUNDS sweeps: where
//   the last one still stops a body, others may be in the cloth that was held back for it.
#include <string.h>

#include "near_loop.h"
#include "world_guard.h"
#include "world_inside.h"

enum { MOST_ROUNDS = 4, VERTEX_GRAIN = 1024 };

// ---- bodies ----

typedef struct ClothHold {
    grzWorld* world;
    grzClothBody* cloth;
    const grzClothObstacle* obstacles;
    uint32_t count, slot; // slot: of the cloth
    grzSurface surface;
    float way; // of the surface
} ClothHold;

// Returns whether the body was stopped.
static bool holdBody(const ClothHold* hold, uint32_t row) {
    grzWorld* world = hold->world;
    grzPassing passing = grzGuard_PassingOf(world, row);
    grzPassingStop stop;
    passing.cloth = &hold->surface, passing.clothWay = hold->way;
    grzPassing_Find(&passing, &stop);
    if (!stop.isStopped)
        return false;
    const grzPassingBounce bounce = {.mass = &world->masses.data[row], .gravity = world->def.gravity};
    const grzVec3 center = stop.state.center;
    const grzBox around = grzBox_Expand(grzBox_Make(center, center), world->traits.data[row].shape.radius);
    const grzBodyState before = world->states.data[row];
    const grzPassingHit none = {0};
    grzPassing_Stay(&stop, &bounce, &world->states.data[row]);
    grzGuard_Record(world, row, hold->slot, &before, &stop, &none,
                    &world->guard->stops.data[world->guard->stops.count++]);
    grzClothBody_HoldBack(hold->cloth, around, (float)stop.toi);
    return true;
}

static bool isAnyFast(const ClothHold* hold) {
    for (uint32_t i = 0; i < hold->count; ++i)
        if (grzGuard_IsFast(hold->world, hold->obstacles[i].row))
            return true;
    return false;
}

static void holdAll(ClothHold* hold) {
    bool isAnyStopped = isAnyFast(hold);
    hold->way = isAnyStopped ? grzClothBody_MostMotion(hold->cloth) : 0;
    for (int round = 0; round < MOST_ROUNDS && isAnyStopped; ++round) {
        isAnyStopped = false;
        for (uint32_t i = 0; i < hold->count; ++i)
            if (grzGuard_IsFast(hold->world, hold->obstacles[i].row))
                isAnyStopped |= holdBody(hold, hold->obstacles[i].row);
    }
}

size_t grzGuard_MostClothStops(const grzWorld* world) {
    return world->clothSlots.count != 0
               ? MOST_ROUNDS * (size_t)world->obstacleEnds.data[world->clothSlots.count - 1]
               : 0;
}

void grzGuard_HoldByCloth(grzWorld* world) {
    for (size_t i = 0; i < world->clothSlots.count; ++i) {
        const uint32_t first = i == 0 ? 0 : world->obstacleEnds.data[i - 1];
        ClothHold hold;
        memset(&hold, 0, sizeof hold);
        hold.world = world;
        hold.count = world->obstacleEnds.data[i] - first;
        if (hold.count == 0) // there may be no array
            continue;
        hold.obstacles = world->obstacles.data + first;
        hold.slot = world->clothSlots.data[i];
        hold.cloth = world->colliders.data[grzWorld_RowOf(world, world->clothSlots.data[i])].cloth;
        hold.surface = grzClothBody_GetSurface(hold.cloth);
        holdAll(&hold);
    }
}

// ---- vertices ----

typedef struct ClothGuard {
    grzWorld* world;
    uint32_t row;
    grzClothBody* cloth;
    atomic_bool hasStopped;
} ClothGuard;

static grzBodyState pointAt(grzVec3 place) {
    grzBodyState state;
    memset(&state, 0, sizeof state);
    state.center = place;
    state.rotation = grzQuat_Identity();
    return state;
}

// A vertex is a ball as thick as the cloth.
static void guardVertex(ClothGuard* guard, uint32_t vertex, const grzClothWay* way, uint32_t worker) {
    const grzWorld* world = guard->world;
    const grzBodyState start = pointAt(way->from), end = pointAt(way->to);
    grzCollider ball;
    memset(&ball, 0, sizeof ball);
    ball.kind = grz_convexCollider;
    ball.shape = grzMakeSphere(grzVec3_Zero(), way->reach);
    ball.pose = grzTransform_FromQuat(grzQuat_Identity(), way->from);
    const grzPassing passing = {.solid = {&ball, grzQuat_Identity(), grzVec3_Zero()},
                                .radius = way->reach,
                                .start = &start,
                                .end = &end,
                                .timeStep = world->timeStep};
    const grzBox box =
        grzBox_Expand(grzBox_Make(grzMin(way->from, way->to), grzMax(way->from, way->to)), way->reach);
    const grzPassingStop stop = grzGuard_FindStop(world, guard->row, box, &passing, worker);
    if (!stop.isStopped)
        return;
    grzClothBody_StopVertex(guard->cloth, vertex, stop.state.center, stop.normal, stop.velocity);
    atomic_store_explicit(&guard->hasStopped, true, memory_order_relaxed); // read when all tasks are done
}

static void guardVertices(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    ClothGuard* guard = context;
    grzClothWay way;
    for (uint32_t vertex = begin; vertex < end; ++vertex)
        if (grzClothBody_HasStrayed(guard->cloth, vertex, guard->world->def.margin, &way))
            guardVertex(guard, vertex, &way, worker);
}

bool grzGuard_HoldCloth(grzWorld* world) {
    bool isAnySpoilt = false;
    for (size_t i = 0; i < world->clothSlots.count; ++i) {
        const uint32_t row = grzWorld_RowOf(world, world->clothSlots.data[i]);
        ClothGuard guard = {world, row, world->colliders.data[row].cloth, false};
        const uint32_t count = grzMesh_GetView(grzClothBody_GetMesh(guard.cloth)).vertexCount;
        grzParallelForNear(world->def.tasks, count, VERTEX_GRAIN, guardVertices, &guard);
        if (!guard.hasStopped || grzClothBody_IsInRange(guard.cloth))
            continue;
        grzWorld_MarkSpoiler(world, row);
        isAnySpoilt = true;
    }
    return isAnySpoilt;
}
