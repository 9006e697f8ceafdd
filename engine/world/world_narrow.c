// What: from pairs of bodies to touches: which contacts are kept, which are found anew, and with what margin.
// Promise: every two shapes nearer than the world's margin at the start of the step have a touch, and so have those that come as near
//   as the margin in the step, as long as they move as planned; kept contacts may be found up to the stillness below
//   late. Touches are a function of the scene and the last step's touches, for any number of workers.
// Idea: a pair that has not moved since its contacts were found keeps them (touch_make.h). All others are collided many at a time;
//   those that may cross the margin in one step, one at a time with a margin that holds their motion. What is found is counted,
//   pair by pair, and then written, so that touches stand in the order of pairs.
// Cost: some 10 ns a pair that is kept; else that of graze/convex_pairs.h.
#include "world_narrow.h"

#include <math.h>
#include <string.h>

#include "touch_keep.h"
#include "world_inside.h"

enum { rowGrain = 256, refusedPair = GRZ_MANIFOLD_MOST_POINTS + 1 };

grzResult grzNarrow_Create(const grzAllocator* allocator, grzNarrow** narrow) {
    *narrow = grzAllocate(allocator, 1, sizeof **narrow, _Alignof(grzNarrow));
    if (*narrow == NULL)
        return grzNoMemory(1, sizeof **narrow);
    memset(*narrow, 0, sizeof **narrow);
    return grzMeshTouches_Create(*allocator, &(*narrow)->mesh);
}

void grzNarrow_Destroy(grzNarrow* narrow, const grzAllocator* allocator) {
    if (narrow == NULL)
        return;
    grzArray_Release(&narrow->posed, allocator);
    grzArray_Release(&narrow->places, allocator);
    grzArray_Release(&narrow->pairs, allocator);
    grzArray_Release(&narrow->manifolds, allocator);
    grzMeshTouches_Destroy(narrow->mesh);
    grzArray_Release(&narrow->meshRows, allocator);
    grzArray_Release(&narrow->meshPairs, allocator);
    grzArray_Release(&narrow->meshCounts, allocator);
    grzArray_Release(&narrow->meshTouches, allocator);
    grzArray_Release(&narrow->meshVelocities, allocator);
    grzRelease(allocator, narrow, 1, sizeof *narrow, _Alignof(grzNarrow));
}

// ------------------------------------------------------------------------------------------------------ colliding

static void gatherWay(grzWorld* world, grzPairWay way) {
    grzNarrow* narrow = world->narrow;
    const grzPairTable* table = &world->tables[world->now];
    for (uint32_t i = 0; i < table->rows.count; ++i)
        if (table->rows.data[i].way == way) {
            narrow->places.data[i] = (uint32_t)narrow->pairs.count;
            narrow->pairs.data[narrow->pairs.count++] = (grzBodyPair){table->rows.data[i].a, table->rows.data[i].b};
        }
}

static grzResult tooFar(uint32_t slot) {
    return grzBecause(grzFailAt(grz_notFinite, grz_partObject, slot, 0),
                      "this body or one beside it is beyond 1e15, or as fast");
}

static void poseBlock(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    grzWorld* world = context;
    (void)worker;
    for (uint32_t slot = begin; slot < end; ++slot) {
        const grzCollider* collider = &world->colliders.data[slot];
        if (collider->kind != grz_convexCollider)
            continue;
        // A body that has left the range of convex shapes has no mark, and is refused with its pairs.
        grzPosedConvex* posed = &world->narrow->posed.data[slot];
        if (!grzResult_IsOk(grzConvex_Pose(&collider->shape, collider->pose, posed)))
            memset(posed, 0, sizeof *posed);
    }
}

static void collideFast(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    grzWorld* world = context;
    grzNarrow* narrow = world->narrow;
    (void)worker;
    for (uint32_t i = begin + narrow->slowCount; i < end + narrow->slowCount; ++i) {
        const grzBodyPair pair = narrow->pairs.data[i];
        const grzCollider *a = &world->colliders.data[pair.a], *b = &world->colliders.data[pair.b];
        const grzPairRow row = {.a = pair.a, .b = pair.b};
        const grzResult result =
            grzConvex_Collide(&a->shape, a->pose, &b->shape, b->pose, world->def.margin + grzWorld_Approach(world, &row),
                              &narrow->manifolds.data[i]);
        if (!grzResult_IsOk(result))
            narrow->manifolds.data[i].pointCount = refusedPair;
    }
}

static grzResult checkFast(const grzNarrow* narrow) {
    for (uint32_t i = narrow->slowCount; i < narrow->pairs.count; ++i)
        if (narrow->manifolds.data[i].pointCount == refusedPair)
            return tooFar(narrow->pairs.data[i].a);
    return grzOk();
}

static grzResult collideConvex(grzWorld* world) {
    grzNarrow* narrow = world->narrow;
    const size_t rows = world->tables[world->now].rows.count;
    if (!grzArray_Reserve(&narrow->posed, &world->allocator, grzWorld_Slots(world)) ||
        !grzArray_Reserve(&narrow->pairs, &world->allocator, rows) ||
        !grzArray_Reserve(&narrow->manifolds, &world->allocator, rows))
        return grzNoMemory(rows, sizeof(grzManifold));
    narrow->pairs.count = 0;
    gatherWay(world, grz_pairConvex);
    narrow->slowCount = (uint32_t)narrow->pairs.count;
    gatherWay(world, grz_pairFast);
    const uint32_t fastCount = (uint32_t)narrow->pairs.count - narrow->slowCount;
    if (narrow->slowCount != 0)
        grzParallelFor(world->def.tasks, grzWorld_Slots(world), rowGrain, poseBlock, world);
    grzParallelFor(world->def.tasks, fastCount, 16, collideFast, world);
    const grzConvexBatch batch = {.bodies = narrow->posed.data,
                                  .pairs = narrow->pairs.data,
                                  .manifolds = narrow->manifolds.data,
                                  .bodyCount = grzWorld_Slots(world),
                                  .pairCount = narrow->slowCount,
                                  .margin = world->def.margin,
                                  .tasks = world->def.tasks};
    grzResult result = checkFast(narrow);
    if (!grzResult_IsOk(result) || narrow->slowCount == 0)
        return result;
    result = grzConvex_CollideMany(&batch);
    return grzResult_IsOk(result) ? result : tooFar(narrow->pairs.data[result.index].a);
}

// ------------------------------------------------------------------------------------------------- writing touches

static uint32_t touchesOf(const grzWorld* world, uint32_t index) {
    const grzPairRow* row = &world->tables[world->now].rows.data[index];
    switch ((grzPairWay)row->way) {
    case grz_pairRecycled:
        return world->tables[1 - world->now].rows.data[row->last1 - 1].touchCount;
    case grz_pairConvex:
    case grz_pairFast:
        return world->narrow->manifolds.data[world->narrow->places.data[index]].pointCount != 0;
    case grz_pairMesh:
        return world->narrow->meshCounts.data[world->narrow->places.data[index]];
    case grz_pairCloth:
    case grz_pairNothing:
    default:
        return 0;
    }
}

// Those that the solver takes come first, so that it takes a whole array.
static grzResult placeTouches(grzWorld* world) {
    grzPairTable* table = &world->tables[world->now];
    size_t count = 0;
    for (int isYielding = 1; isYielding >= 0; --isYielding) {
        for (uint32_t i = 0; i < table->rows.count; ++i) {
            grzPairRow* row = &table->rows.data[i];
            if (row->isYielding != isYielding)
                continue;
            row->touchCount = touchesOf(world, i);
            row->firstTouch = (uint32_t)count;
            count += row->touchCount;
        }
        if (count > UINT32_MAX / GRZ_TOUCH_MOST_POINTS)
            return grzFail(grz_tooLarge, count);
        table->solvedTouches = isYielding ? (uint32_t)count : table->solvedTouches;
    }
    if (!grzArray_Reserve(&table->touches, &world->allocator, count))
        return grzNoMemory(count, sizeof(grzTouch));
    table->touches.count = count;
    return grzOk();
}

// Touches of a mesh's pair lie ready; those with an animated surface stand on a row of their own, which moves as it does.
static void writeMeshRow(grzWorld* world, const grzPairRow* row, uint32_t pair, grzTouch* touches) {
    const grzNarrow* narrow = world->narrow;
    const size_t first = grzMeshTouches_GetView(narrow->mesh).starts[pair];
    if (row->touchCount != 0)
        memcpy(touches, &narrow->meshTouches.data[first], row->touchCount * sizeof *touches);
}

static void rememberPlace(const grzWorld* world, grzPairRow* row) {
    const grzBodyState *a = &world->states.data[row->a], *b = &world->states.data[row->b];
    row->shift = grzSub(b->center, a->center);
    row->rotationA = a->rotation;
    row->rotationB = b->rotation;
}

static void writeRow(grzWorld* world, uint32_t index) {
    grzPairTable *table = &world->tables[world->now], *lastTable = &world->tables[1 - world->now];
    grzPairRow* row = &table->rows.data[index];
    const grzPairRow* last = row->last1 != 0 ? &lastTable->rows.data[row->last1 - 1] : NULL;
    grzTouch* touches = &table->touches.data[row->firstTouch];
    const grzTouch* lastTouches = last != NULL && last->touchCount != 0 ? &lastTable->touches.data[last->firstTouch] : NULL;
    if (row->way == grz_pairRecycled) {
        const grzTouchPlace place = {&world->states.data[row->a], &world->states.data[row->b], last->rotationA,
                                     last->rotationB};
        row->shift = last->shift;
        row->rotationA = last->rotationA;
        row->rotationB = last->rotationB;
        for (uint32_t i = 0; i < row->touchCount; ++i)
            grzTouch_Recycle(&touches[i], &place, &lastTouches[i]);
        return;
    }
    rememberPlace(world, row);
    if (row->way == grz_pairMesh)
        writeMeshRow(world, row, world->narrow->places.data[index], touches);
    if (row->way == grz_pairMesh || row->touchCount == 0)
        return;
    grzTouchPair pair = grzWorld_TouchPair(world, row);
    pair.previous = lastTouches;
    pair.previousCount = last != NULL ? last->touchCount : 0;
    grzManifold_ToTouches(&pair, &world->narrow->manifolds.data[world->narrow->places.data[index]], touches);
}

static bool touchesNow(const grzPairTable* table, const grzPairRow* row) {
    for (uint32_t i = row->firstTouch; i < row->firstTouch + row->touchCount; ++i)
        for (uint32_t k = 0; k < table->touches.data[i].pointCount; ++k)
            if (table->touches.data[i].points[k].separation <= 0.0f)
                return true;
    return false;
}

static void writeBlock(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    grzWorld* world = context;
    grzPairTable* table = &world->tables[world->now];
    (void)worker;
    for (uint32_t i = begin; i < end; ++i) {
        writeRow(world, i);
        table->rows.data[i].isTouching = touchesNow(table, &table->rows.data[i]);
    }
}

static bool isAnimated(const grzWorld* world, uint32_t slot) {
    return world->colliders.data[slot].kind == grz_animatedCollider;
}

static void standOn(grzWorld* world, const grzPairRow* row, grzTouch* touch, grzVec3 velocity) {
    const uint32_t stand = (uint32_t)world->states.count++;
    world->masses.count = world->states.count;
    memset(&world->states.data[stand], 0, sizeof(grzBodyState));
    memset(&world->masses.data[stand], 0, sizeof(grzBodyMass));
    world->states.data[stand].rotation = grzQuat_Identity();
    world->states.data[stand].velocity = velocity;
    world->masses.data[stand].flags = grz_bodyMoves;
    *(isAnimated(world, row->a) ? &touch->bodyA : &touch->bodyB) = stand;
}

// A touch with an animated surface gets a row of its own behind those of the slots, which moves as the surface does there.
static grzResult standOnSurfaces(grzWorld* world) {
    const grzNarrow* narrow = world->narrow;
    grzPairTable* table = &world->tables[world->now];
    const size_t most = grzWorld_Slots(world) + narrow->meshTouches.count;
    if (world->animatedSlots.count == 0)
        return grzOk();
    if (!grzArray_Reserve(&world->states, &world->allocator, most) ||
        !grzArray_Reserve(&world->masses, &world->allocator, most))
        return grzNoMemory(most, sizeof(grzBodyState));
    for (uint32_t i = 0; i < narrow->meshRows.count; ++i) {
        const grzPairRow* row = &table->rows.data[narrow->meshRows.data[i]];
        const size_t first = grzMeshTouches_GetView(narrow->mesh).starts[i];
        if (!isAnimated(world, row->a) && !isAnimated(world, row->b))
            continue;
        for (uint32_t k = 0; k < row->touchCount; ++k)
            standOn(world, row, &table->touches.data[row->firstTouch + k], narrow->meshVelocities.data[first + k]);
    }
    return grzOk();
}

grzResult grzWorld_Narrow(grzWorld* world) {
    const uint32_t count = (uint32_t)world->tables[world->now].rows.count;
    grzResult result = collideConvex(world);
    if (grzResult_IsOk(result))
        result = placeTouches(world);
    if (grzResult_IsOk(result))
        grzParallelFor(world->def.tasks, count, rowGrain, writeBlock, world);
    if (grzResult_IsOk(result))
        result = standOnSurfaces(world);
    if (grzResult_IsOk(result))
        result = grzWorld_CollideCloth(world);
    return grzResult_IsOk(result) ? grzWorld_CountContacts(world) : result;
}
