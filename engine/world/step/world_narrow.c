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
#include "pair_ahead.h"
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
    grzArray_Release(&narrow->meshGroups, allocator);
    grzArray_Release(&narrow->meshVelocities, allocator);
    grzRelease(allocator, narrow, 1, sizeof *narrow, _Alignof(grzNarrow));
}

// ------------------------------------------------------------------------------------------------------ colliding

// What convex pairs are gathered from, and collided as.
typedef struct ConvexStep {
    const grzPairRow* rows;
    const uint32_t* order; // the row of each pair
    const grzPairBlock* blocks;
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

static void prefetchPosed(const ConvexStep* step, uint32_t place) {
    const grzPairRow* row = grzPairRow_Ahead(step->rows, step->order, step->rowCount, place, GRZ_NAMED_AHEAD);
    __builtin_prefetch(grzPairRow_Ahead(step->rows, step->order, step->rowCount, place, GRZ_PAIRS_AHEAD));
    if (row->way == grz_pairConvex)
        __builtin_prefetch(&step->colliders[row->b].isMoved);
}

static void gatherBlock(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    const ConvexStep* step = context;
    const uint32_t block = begin / GRZ_PAIR_BLOCK;
    uint32_t place = step->narrow->blockPlaces.data[block];
    (void)worker;
    for (uint32_t i = begin; i < end && step->blocks[block].collided != 0; ++i) {
        const grzPairRow* row = &step->rows[step->order[i]];
        prefetchPosed(step, i);
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
    grzParallelForNear(step->tasks, step->rowCount, GRZ_PAIR_BLOCK, gatherBlock, step);
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
    const size_t rows = grzWorld_PairCount(world);
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
    ConvexStep step = {.rows = world->pairs.rows.data,
                       .order = world->pairs.view.rows,
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

static grzStepTable* lastTable(grzWorld* world) {
    return &world->tables[1 - world->now];
}

static uint32_t unitsOf(const grzPairFound* found) {
    return found->touchCount != 0 ? found->touchCount + found->contactCount : 0;
}

grzTouchSpan grzWorld_TouchesOf(const grzWorld* world, const grzStepTable* table, const grzPairFound* found) {
    const grzTouchStore* store = &world->stores[table->store];
    if (found->touchCount == 0) // of any pair, maybe: no arrays
        return (grzTouchSpan){NULL, NULL, 0};
    return (grzTouchSpan){store->units.data + found->firstTouch, store->names.data + found->firstTouch,
                          found->touchCount};
}

// How many touches and points a pair has, and where they are if they are kept.
static void countRow(const grzWorld* world, uint32_t index, const grzPairRow* row, grzPairFound* found) {
    const grzNarrow* narrow = world->narrow;
    found->touchCount = found->contactCount = 0;
    if (row->way == grz_pairRecycled) {
        const grzPairFound* last = grzWorld_LastFound(world, row);
        found->touchCount = last->touchCount;
        found->contactCount = last->contactCount;
        found->firstTouch = last->firstTouch;
    } else if (row->way == grz_pairConvex) {
        const grzManifold* manifold = &narrow->manifolds.data[narrow->places.data[index]];
        if (manifold->pointCount != 0 && manifold->separation <= row->reach) {
            found->touchCount = 1;
            found->contactCount = manifold->pointCount;
        }
    } else if (row->way == grz_pairMesh) {
        found->touchCount = narrow->meshCounts.data[narrow->places.data[index]];
        found->contactCount = found->meshCount;
    }
}

static const grzPairRow* rowAhead(const grzWorld* world, size_t place, size_t ahead) {
    const grzPairTableView* view = &world->pairs.view;
    return grzPairRow_Ahead(world->pairs.rows.data, view->rows, view->count, place, ahead);
}

static void countTouches(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    grzWorld* world = context;
    grzPairBlock* block = &world->rowBlocks.data[begin / GRZ_PAIR_BLOCK];
    (void)worker;
    block->touches = block->units = block->keptUnits = 0;
    for (uint32_t i = begin; i < end; ++i) {
        grzPairRow* row = grzWorld_PairAt(world, i);
        grzPairFound* found = &row->found[world->now];
        grzPairRow_Prefetch(rowAhead(world, i, GRZ_PAIRS_AHEAD));
        countRow(world, i, row, found);
        block->touches += row->isYielding ? found->touchCount : 0;
        *(row->way == grz_pairRecycled ? &block->keptUnits : &block->units) += unitsOf(found);
    }
}

// So many units may be out of use, of so many that are in use, before touches are copied together: the fewer, the nearer to their
// order the solver finds them in memory; the more, the rarer the copies.
static size_t looseUnits(size_t used) {
    return used / 8 + 64;
}

// Room in the store that this step's touches go to, and where each block writes its own. Kept ones stay, or are copied with the others.
static grzResult placeTouches(grzWorld* world) {
    grzStepTable* table = &world->tables[world->now];
    size_t kept = 0, found = 0, touches = 0;
    grzParallelForNear(world->def.tasks, grzWorld_PairCount(world), GRZ_PAIR_BLOCK, countTouches, world);
    for (size_t i = 0; i < world->rowBlocks.count; ++i) {
        kept += world->rowBlocks.data[i].keptUnits;
        found += world->rowBlocks.data[i].units;
    }
    const size_t most = kept + found + looseUnits(kept + found);
    table->store = lastTable(world)->store;
    const bool isCopied = world->stores[table->store].units.count + found > most;
    table->store = isCopied ? 1 - table->store : table->store;
    grzTouchStore* store = &world->stores[table->store];
    size_t place = isCopied ? 0 : store->units.count;
    for (size_t i = 0; i < world->rowBlocks.count; ++i) {
        grzPairBlock* block = &world->rowBlocks.data[i];
        const uint32_t own = block->touches;
        block->touches = (uint32_t)touches;
        touches += own;
        const uint32_t units = block->units + (isCopied ? block->keptUnits : 0);
        block->units = (uint32_t)place;
        place += units;
    }
    if (most > UINT32_MAX)
        return grzFail(grz_tooLarge, most);
    if (isCopied)
        store->units.count = store->names.count = 0;
    if (!grzTouchStore_Reserve(store, &world->allocator, most))
        return grzNoMemory(most, sizeof(grzTouchUnit));
    if (!grzArray_Reserve(&world->touchPlaces, &world->allocator, touches))
        return grzNoMemory(touches, sizeof(uint32_t));
    store->units.count = store->names.count = place;
    world->touchPlaces.count = touches;
    return grzOk();
}

// Into the pose that the last step does not use.
static void rememberPose(const grzWorld* world, grzPairRow* row, grzPairFound* found) {
    const grzPairFound* last = grzWorld_LastFound(world, row);
    const grzBodyState *a = &world->states.data[row->a], *b = &world->states.data[row->b];
    found->pose = last != NULL ? 1 - last->pose : 0;
    row->poses[found->pose] = (grzPairPose){grzSub(b->center, a->center), a->rotation, b->rotation};
}

static bool isTouching(const grzTouch* touch) {
    bool isTouching = false;
    for (uint32_t i = 0; i < touch->pointCount; ++i)
        isTouching |= touch->points[i].separation <= 0.0f;
    return isTouching;
}

// place: where the touches go if those in use are copied.
static void keepRow(grzWorld* world, const grzPairRow* row, grzPairFound* found, uint32_t place) {
    const grzStepTable* table = &world->tables[world->now];
    const grzPairFound* last = grzWorld_LastFound(world, row);
    const grzPairPose* pose = &row->poses[last->pose];
    const grzTouchPlace bodies = {&world->states.data[row->a], &world->states.data[row->b], pose->rotationA,
                                  pose->rotationB};
    found->pose = last->pose;
    if (table->store != lastTable(world)->store && found->touchCount != 0) {
        grzTouchStore* store = &world->stores[table->store];
        const grzTouchSpan from = grzWorld_TouchesOf(world, lastTable(world), last);
        memcpy(store->units.data + place, from.units, unitsOf(found) * sizeof *from.units);
        memcpy(store->names.data + place, from.names, unitsOf(found) * sizeof *from.names);
        found->firstTouch = place;
    }
    place = found->firstTouch;
    for (uint32_t i = 0; i < found->touchCount; ++i) {
        grzTouch* touch = grzTouch_At(world->stores[table->store].units.data, place);
        touch->bodyA = row->a; // the last step's rows may have been others
        touch->bodyB = row->b;
        grzTouch_Recycle(touch, &bodies);
        place += grzTouch_UnitCount(touch);
    }
}

static void findRow(grzWorld* world, uint32_t index, grzPairRow* row, grzPairFound* found, uint32_t place) {
    const grzPairFound* last = grzWorld_LastFound(world, row);
    grzTouchStore* store = &world->stores[world->tables[world->now].store];
    rememberPose(world, row, found);
    found->firstTouch = place;
    if (found->touchCount == 0)
        return;
    grzTouchPair pair = grzWorld_TouchPair(world, row);
    const grzTouchRoom room = {store->units.data + place, store->names.data + place, NULL};
    const uint32_t at = world->narrow->places.data[index];
    if (last != NULL)
        pair.previous = grzWorld_TouchesOf(world, lastTable(world), last);
    if (row->way == grz_pairMesh)
        grzWorld_WriteMeshTouches(world, row, at, &pair, room);
    else
        grzManifold_ToTouch(&pair, &world->narrow->manifolds.data[at], &room);
}

// Where the touches of a pair are, for the solver; and whether one of them is no gap.
static void listTouches(const grzWorld* world, const grzPairRow* row, grzPairFound* found, uint32_t* places) {
    const grzTouchUnit* units = world->stores[world->tables[world->now].store].units.data;
    uint32_t place = found->firstTouch;
    found->isTouching = false;
    for (uint32_t i = 0; i < found->touchCount; ++i) {
        const grzTouch* touch = grzTouch_Read(units, place);
        found->isTouching |= isTouching(touch);
        if (row->isYielding)
            places[i] = place;
        place += grzTouch_UnitCount(touch);
    }
}

// What a pair that comes soon is written from: its row, its b (pairs of one a follow each other), and the touch that it keeps.
static void prefetchWritten(const grzWorld* world, uint32_t place) {
    const grzPairRow* row = rowAhead(world, place, GRZ_NAMED_AHEAD);
    const grzPairFound* found = grzWorld_Found(world, row);
    grzPairRow_Prefetch(rowAhead(world, place, GRZ_PAIRS_AHEAD));
    __builtin_prefetch(&world->states.data[row->b]);
    if (row->way != grz_pairRecycled || found->touchCount == 0)
        return;
    const grzStepTable* last = &world->tables[1 - world->now];
    const char* units = (const char*)(world->stores[last->store].units.data + found->firstTouch);
    for (size_t line = 0; line < sizeof(grzTouch); line += 64)
        __builtin_prefetch(units + line);
}

// What a row's touches tell for the lists of contacts and events is counted while they are at hand.
static void writeBlock(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    grzWorld* world = context;
    GRZ_ZONE_BEGIN(zone, world->def.profile, grz_stageNarrow, "touches", worker);
    grzPairBlock* block = &world->rowBlocks.data[begin / GRZ_PAIR_BLOCK];
    const bool isCopied = world->tables[world->now].store != lastTable(world)->store;
    uint32_t place = block->units, listed = block->touches;
    block->contacts = block->touching = 0;
    for (uint32_t i = begin; i < end; ++i) {
        grzPairRow* row = grzWorld_PairAt(world, i);
        grzPairFound* found = &row->found[world->now];
        prefetchWritten(world, i);
        const bool isKept = row->way == grz_pairRecycled;
        if (isKept)
            keepRow(world, row, found, place);
        else
            findRow(world, i, row, found, place);
        place += isKept && !isCopied ? 0 : unitsOf(found);
        listTouches(world, row, found, &world->touchPlaces.data[listed]);
        listed += row->isYielding ? found->touchCount : 0;
        block->contacts += found->contactCount;
        block->touching += found->isTouching;
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

static void standRowOn(grzWorld* world, const grzPairRow* row, const grzVec3* velocities) {
    const grzPairFound* found = grzWorld_Found(world, row);
    uint32_t place = found->firstTouch;
    for (uint32_t i = 0; i < found->touchCount; ++i) {
        grzTouch* touch = grzTouch_At(world->stores[world->tables[world->now].store].units.data, place);
        standOn(world, row, touch, velocities[i]);
        place += grzTouch_UnitCount(touch);
    }
}

// A touch with an animated surface gets a row of its own behind those of bodies, which moves as the surface does there.
static grzResult standOnSurfaces(grzWorld* world) {
    const grzNarrow* narrow = world->narrow;
    const size_t most = grzWorld_RowCount(world) + narrow->meshVelocities.count;
    world->states.count = world->masses.count =
        grzWorld_RowCount(world); // a step that was refused may have left some
    if (world->animatedSlots.count == 0)
        return grzOk();
    if (!grzArray_Reserve(&world->states, &world->allocator, most) ||
        !grzArray_Reserve(&world->masses, &world->allocator, most))
        return grzNoMemory(most, sizeof(grzBodyState));
    for (uint32_t i = 0; i < narrow->meshRows.count; ++i) {
        const grzPairRow* row = grzWorld_PairAt(world, narrow->meshRows.data[i]);
        if (isAnimated(world, row->a) != isAnimated(world, row->b))
            standRowOn(world, row, &narrow->meshVelocities.data[grzMeshTouches_GetView(narrow->mesh).starts[i]]);
    }
    return grzOk();
}

grzResult grzWorld_Narrow(grzWorld* world) {
    const uint32_t count = grzWorld_PairCount(world);
    grzResult result = grzWorld_FindMeshContacts(world);
    if (grzResult_IsOk(result))
        result = collideConvex(world);
    if (grzResult_IsOk(result))
        result = placeTouches(world);
    if (grzResult_IsOk(result))
        grzParallelForNear(world->def.tasks, count, GRZ_PAIR_BLOCK, writeBlock, world);
    if (grzResult_IsOk(result))
        result = standOnSurfaces(world);
    if (grzResult_IsOk(result))
        result = grzWorld_CollideCloth(world);
    return grzResult_IsOk(result) ? grzWorld_CountContacts(world) : result;
}
