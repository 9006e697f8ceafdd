// What: from pairs of bodies to touches: which contacts are kept, which are found anew, and with what margin.
// Promise: every two shapes nearer than the world's margin at the start of the step have a touch, and so have those that come as near
//   as the margin in the step, as long as they move as planned (those that gravity alone brings near, to the margin); kept contacts may
//   be found up to the stillness below late. Touches are a function of the scene and the last step's touches, for any number of workers.
// Idea: a pair that has not moved since its contacts were found keeps them (touch_keep.h). All others are collided in one batch, those
//   that may cross the margin in one step with a larger one that holds their motion. What is found is counted, pair by pair, and then
//   written, so that touches stand in the order of pairs. A collider that moved is posed when a pair needs it; the others are left as they
//   are.
// Cost: some 10 ns a pair that is kept; else that of graze/convex_pairs.h.
#include "world_narrow.h"

#include <math.h>
#include <string.h>

#include "near_loop.h"
#include "profile_zone.h"
#include "touch_keep.h"
#include "world_inside.h"

// The unit of larger margins where the world's is smaller.
static const float leastMargin = 1e-3f;

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
    grzArray_Release(&narrow->places, allocator);
    grzArray_Release(&narrow->blockPlaces, allocator);
    grzArray_Release(&narrow->pairs, allocator);
    grzArray_Release(&narrow->margins, allocator);
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

// What convex pairs are gathered from, and collided as.
typedef struct ConvexStep {
    const grzPairRow* rows;
    const grzRowBlock* blocks;
    grzCollider* colliders; // what is written: `posed` of those in pairs
    uint32_t rowCount, blockCount, colliderCount;
    float margin;
    grzTasks* tasks;
    grzNarrow* narrow; // what is written: places, pairs, margins, manifolds
} ConvexStep;

// The margin that a pair is collided with: the world's own, or the first of four times that, sixteen times and so on that holds the
// reach. With the reach itself as the margin heaps that tumble overlap more.
static float marginOf(float margin, float reach) {
    if (!(reach > margin))
        return margin;
    float most = margin > leastMargin ? margin : leastMargin;
    do
        most *= 4.0f;
    while (reach > most);
    return most;
}

// The worker that clears the flag poses the collider. Relaxed is enough: what was posed is read after the loop has ended. A shape that
// has left the range of convex shapes gets no mark, and its pairs are refused.
static void poseMoved(grzCollider* collider) {
    if (!atomic_load_explicit(&collider->isMoved, memory_order_relaxed) ||
        !atomic_exchange_explicit(&collider->isMoved, false, memory_order_relaxed))
        return;
    if (!grzResult_IsOk(grzConvex_Pose(&collider->shape, collider->pose, &collider->posed)))
        collider->posed.mark = 0;
}

static void gatherBlock(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    const ConvexStep* step = context;
    const uint32_t block = begin / GRZ_ROW_GRAIN;
    uint32_t place = step->narrow->blockPlaces.data[block];
    (void)worker;
    for (uint32_t i = begin; i < end && step->blocks[block].collided != 0; ++i) {
        const grzPairRow* row = &step->rows[i];
        if (row->way != grz_pairConvex)
            continue;
        poseMoved(&step->colliders[row->a]);
        poseMoved(&step->colliders[row->b]);
        step->narrow->places.data[i] = place;
        step->narrow->pairs.data[place] = (grzBodyPair){row->a, row->b};
        step->narrow->margins.data[place++] = marginOf(step->margin, row->reach);
    }
}

static void gatherPairs(ConvexStep* step) {
    grzNarrow* narrow = step->narrow;
    narrow->pairs.count = 0;
    for (uint32_t block = 0; block < step->blockCount; ++block) {
        narrow->blockPlaces.data[block] = (uint32_t)narrow->pairs.count;
        narrow->pairs.count += step->blocks[block].collided;
    }
    grzParallelForNear(step->tasks, step->rowCount, GRZ_ROW_GRAIN, gatherBlock, step);
}

grzResult grzWorld_TooFar(uint32_t slot) {
    return grzBecause(grzFailAt(grz_notFinite, grz_partObject, slot, 0),
                      "this body or one beside it is beyond 1e15, or as fast");
}

static grzResult collidePairs(const ConvexStep* step) {
    grzNarrow* narrow = step->narrow;
    const grzConvexBatch batch = {.bodies = &step->colliders->posed,
                                  .bodyStride = sizeof *step->colliders,
                                  .pairs = narrow->pairs.data,
                                  .margins = narrow->margins.data,
                                  .manifolds = narrow->manifolds.data,
                                  .bodyCount = step->colliderCount,
                                  .pairCount = (uint32_t)narrow->pairs.count,
                                  .tasks = step->tasks};
    const grzResult result = grzConvex_CollideMany(&batch);
    return grzResult_IsOk(result)
               ? result
               : grzWorld_TooFar(step->colliders[narrow->pairs.data[result.index].a].id.index1 - 1);
}

static grzResult collideConvex(grzWorld* world) {
    grzNarrow* narrow = world->narrow;
    const grzPairTable* table = &world->tables[world->now];
    const size_t rows = table->rows.count;
    size_t collided = 0;
    for (size_t i = 0; i < world->rowBlocks.count; ++i)
        collided += world->rowBlocks.data[i].collided;
    if (collided == 0)
        return grzOk();
    if (!grzArray_Reserve(&narrow->places, &world->allocator, rows) ||
        !grzArray_Reserve(&narrow->blockPlaces, &world->allocator, world->rowBlocks.count) ||
        !grzArray_Reserve(&narrow->pairs, &world->allocator, collided) ||
        !grzArray_Reserve(&narrow->margins, &world->allocator, collided) ||
        !grzArray_Reserve(&narrow->manifolds, &world->allocator, collided))
        return grzNoMemory(rows, sizeof(grzManifold));
    ConvexStep step = {.rows = table->rows.data,
                       .blocks = world->rowBlocks.data,
                       .colliders = world->colliders.data,
                       .rowCount = (uint32_t)rows,
                       .blockCount = (uint32_t)world->rowBlocks.count,
                       .colliderCount = grzWorld_RowCount(world),
                       .margin = world->def.margin,
                       .tasks = world->def.tasks,
                       .narrow = narrow};
    gatherPairs(&step);
    return collidePairs(&step);
}

// ------------------------------------------------------------------------------------------------- writing touches

static uint32_t touchesOf(const grzWorld* world, uint32_t index) {
    const grzPairRow* row = &world->tables[world->now].rows.data[index];
    switch ((grzPairWay)row->way) {
    case grz_pairRecycled:
        return world->tables[1 - world->now].rows.data[row->last1 - 1].touchCount;
    case grz_pairConvex: {
        const grzManifold* manifold = &world->narrow->manifolds.data[world->narrow->places.data[index]];
        return manifold->pointCount != 0 && manifold->separation <= row->reach;
    }
    case grz_pairMesh:
        return world->narrow->meshCounts.data[world->narrow->places.data[index]];
    case grz_pairCloth:
    case grz_pairNothing:
    default:
        return 0;
    }
}

static void countTouches(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    grzWorld* world = context;
    grzRowBlock* block = &world->rowBlocks.data[begin / GRZ_ROW_GRAIN];
    (void)worker;
    block->touches[0] = block->touches[1] = 0;
    for (uint32_t i = begin; i < end; ++i) {
        grzPairRow* row = &world->tables[world->now].rows.data[i];
        row->touchCount = touchesOf(world, i);
        block->touches[row->isYielding ? 0 : 1] += row->touchCount;
    }
}

// Those that the solver takes come first, so that it takes a whole array. Each block learns where its own begin.
static grzResult placeTouches(grzWorld* world) {
    grzPairTable* table = &world->tables[world->now];
    size_t count = 0;
    grzParallelForNear(world->def.tasks, (uint32_t)table->rows.count, GRZ_ROW_GRAIN, countTouches, world);
    for (int kind = 0; kind < 2; ++kind) {
        for (size_t i = 0; i < world->rowBlocks.count; ++i) {
            const uint32_t own = world->rowBlocks.data[i].touches[kind];
            world->rowBlocks.data[i].touches[kind] = (uint32_t)count;
            count += own;
        }
        if (count > UINT32_MAX / GRZ_TOUCH_MOST_POINTS)
            return grzFail(grz_tooLarge, count);
        table->solvedTouches = kind == 0 ? (uint32_t)count : table->solvedTouches;
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
    grzTouch* touches =
        row->touchCount != 0 ? &table->touches.data[row->firstTouch] : NULL; // none at all: no array
    const grzTouch* lastTouches =
        last != NULL && last->touchCount != 0 ? &lastTable->touches.data[last->firstTouch] : NULL;
    if (row->way == grz_pairRecycled) {
        const grzTouchPlace place = {&world->states.data[row->a], &world->states.data[row->b], last->rotationA,
                                     last->rotationB};
        row->shift = last->shift;
        row->rotationA = last->rotationA;
        row->rotationB = last->rotationB;
        for (uint32_t i = 0; i < row->touchCount; ++i) {
            grzTouch_Recycle(&touches[i], &place, &lastTouches[i]);
            touches[i].bodyA = row->a; // the last step's may have been others
            touches[i].bodyB = row->b;
        }
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

static void countPoints(const grzPairTable* table, grzPairRow* row) {
    uint32_t count = 0;
    bool isTouching = false;
    for (uint32_t i = row->firstTouch; i < row->firstTouch + row->touchCount; ++i) {
        const grzTouch* touch = &table->touches.data[i];
        count += touch->pointCount;
        for (uint32_t k = 0; k < touch->pointCount; ++k)
            isTouching |= touch->points[k].separation <= 0.0f;
    }
    row->contactCount = row->meshCount != 0 ? row->meshCount : count;
    row->isTouching = isTouching;
}

// What a row's touches tell for the lists of contacts and events is counted while they are at hand.
static void writeBlock(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    grzWorld* world = context;
    GRZ_ZONE_BEGIN(zone, world->def.profile, grz_stageNarrow, "touches", worker);
    grzPairTable* table = &world->tables[world->now];
    grzRowBlock* block = &world->rowBlocks.data[begin / GRZ_ROW_GRAIN];
    uint32_t places[2] = {block->touches[0], block->touches[1]};
    block->contacts = block->touching = 0;
    for (uint32_t i = begin; i < end; ++i) {
        grzPairRow* row = &table->rows.data[i];
        uint32_t* place = &places[row->isYielding ? 0 : 1];
        row->firstTouch = *place;
        *place += row->touchCount;
        writeRow(world, i);
        countPoints(table, row);
        block->contacts += row->contactCount;
        block->touching += row->isTouching;
    }
    GRZ_ZONE_END(zone);
}

static bool isAnimated(const grzWorld* world, uint32_t body) {
    return world->colliders.data[body].kind == grz_animatedCollider;
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

// A touch with an animated surface gets a row of its own behind those of bodies, which moves as the surface does there.
static grzResult standOnSurfaces(grzWorld* world) {
    const grzNarrow* narrow = world->narrow;
    grzPairTable* table = &world->tables[world->now];
    const size_t most = grzWorld_RowCount(world) + narrow->meshTouches.count;
    world->states.count = world->masses.count =
        grzWorld_RowCount(world); // a step that was refused may have left some
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
    grzResult result = grzWorld_FindMeshContacts(world);
    if (grzResult_IsOk(result))
        result = collideConvex(world);
    if (grzResult_IsOk(result))
        result = placeTouches(world);
    if (grzResult_IsOk(result))
        grzParallelForNear(world->def.tasks, count, GRZ_ROW_GRAIN, writeBlock, world);
    if (grzResult_IsOk(result))
        result = standOnSurfaces(world);
    if (grzResult_IsOk(result))
        result = grzWorld_CollideCloth(world);
    return grzResult_IsOk(result) ? grzWorld_CountContacts(world) : result;
}
