// What: finds bodies that have passed through a wall in the step, and moves them back to where they stay
//   (passing.h).
// Promise: two kinds of bodies are tested against every wall on their path. The first have moved farther in the
//   step than half of their thickness, by themselves or against a wall that moves. The second began the step deeper
//   in a wall than a quarter of their thickness, since heavy bodies press light ones in slowly. Contacts lead all
//   others out. world_guard_pairs.c makes the stops, and stops dynamic bodies at each other; world_guard_cloth.c has
//   stops at cloth, and of cloth at walls. No result depends on workers or
//   rows. Each stop is listed. All memory is taken before anything is changed (grzWorld_PrepareGuard). The guard is refused
//   where a stop would leave a body with a state, or a list with an impulse, that is not finite.
// Idea: the guard looks at the real places of bodies, not at the pairs of the step, since a body that others have
//   thrown may have left its planned box. Trees find walls and cloth nearby, and a callback for each decides at
//   once, so no list is made.
//
//     rows --marks--> fast bodies <--marks-- touches with walls
//                     walls that move --tree--> bodies that are fast relative to them
//                     fast bodies --sweeps--> cloth --> states, and the cloth
//                     fast bodies --trees--> walls --sweeps--> the first stop --> states
//     vertices that have strayed --trees--> walls --sweeps--> the first stop --> the cloth
//
// Threads: tasks mark by blocks of rows, then work by fast bodies and by vertices. Each writes its own body's
//   state, and reads walls' states.
// Cost: 10 ns for each body that moves, 5 for each touch with a wall, 3 for each vertex; some microseconds for each
//   fast body or vertex and wall.
#include "world_guard.h"

#include <math.h>
#include <string.h>

#include "contact_colors.h"
#include "memory.h"
#include "near_loop.h"
#include "owner.h"
#include "passing.h"
#include "profile_zone.h"
#include "record_sort.h"
#include "result_make.h"
#include "touch.h"
#include "world_inside.h"
#include "world_near.h"

enum { markBits = 64, markWords = 2, touchGrain = 64 };

// ---- making it ----

// Searches take their memory here, since none may be refused later. The tree is empty.
static grzResult addHits(const grzAllocator* allocator, const grzTree* tree, grzGuard* guard) {
    const grzTreeQuery query = grzMakeBoxQuery(grzBox_Make(grzVec3_Zero(), grzVec3_Zero()));
    grzTreeHits** hits = &guard->hits.data[guard->hits.count];
    const grzResult result = grzTreeHits_Create(*allocator, hits);
    if (!grzResult_IsOk(result))
        return result;
    ++guard->hits.count;
    return grzTree_Peek(tree, &query, *hits);
}

grzResult grzGuard_Create(const grzAllocator* allocator, const grzTree* tree, uint32_t workerCount,
                          grzGuard** made) {
    grzResult result;
    grzGuard* guard = *made = grzOwner_NewFrom(allocator, sizeof *guard, _Alignof(grzGuard), &result);
    if (guard == NULL)
        return result;
    if (!grzArray_Reserve(&guard->hits, allocator, workerCount))
        return grzNoMemory(workerCount, sizeof *guard->hits.data);
    while (guard->hits.count < workerCount && grzResult_IsOk(result))
        result = addHits(allocator, tree, guard);
    return result;
}

void grzGuard_Destroy(grzGuard* guard, const grzAllocator* allocator) {
    if (guard == NULL)
        return;
    for (size_t i = 0; i < guard->hits.count; ++i)
        grzTreeHits_Destroy(guard->hits.data[i]);
    grzArray_Release(&guard->hits, allocator);
    grzArray_Release(&guard->marks, allocator);
    grzArray_Release(&guard->fast, allocator);
    grzArray_Release(&guard->walls, allocator);
    grzArray_Release(&guard->stops, allocator);
    grzArray_Release(&guard->scratch, allocator);
    grzArray_Release(&guard->movers, allocator);
    grzArray_Release(&guard->first, allocator);
    grzArray_Release(&guard->held, allocator);
    grzArray_Release(&guard->fixed, allocator);
    grzArray_Release(&guard->beside, allocator);
    grzArray_Release(&guard->rings, allocator);
    grzArray_Release(&guard->paces, allocator);
    grzRelease(allocator, guard, 1, sizeof *guard, _Alignof(grzGuard));
}

bool grzGuard_ReserveRows(grzGuard* guard, const grzAllocator* allocator, size_t count) {
    return grzArray_Reserve(&guard->marks, allocator, count / markBits + 1) &&
           grzArray_Reserve(&guard->held, allocator, count / markBits + 1) &&
           grzArray_Reserve(&guard->fixed, allocator, count / markBits + 1) &&
           grzArray_Reserve(&guard->beside, allocator, count / markBits + 1) &&
           grzArray_Reserve(&guard->rings, allocator, count) && grzArray_Reserve(&guard->paces, allocator, count) &&
           grzArray_Reserve(&guard->fast, allocator, count) && grzArray_Reserve(&guard->walls, allocator, count);
}

void grzGuard_Trim(grzGuard* guard, const grzAllocator* allocator) {
    grzArray_Call(&guard->stops, grzTrimArray, allocator);
    grzArray_Call(&guard->scratch, grzTrimScratch, allocator);
    grzArray_Call(&guard->movers, grzTrimScratch, allocator);
    grzArray_Call(&guard->first, grzTrimScratch, allocator);
}

// ---- bodies and walls ----

bool grzGuard_IsBody(const grzWorld* world, uint32_t row) {
    return grzBodyTraits_Body(&world->traits.data[row]) == grz_dynamicBody;
}

// That may move, though it may be at rest.
static bool isWall(const grzWorld* world, uint32_t row) {
    return grzBodyTraits_Body(&world->traits.data[row]) == grz_kinematicBody ||
           world->traits.data[row].shape.kind == grz_animatedCollider;
}

// 0: no farther than `least`.
float grzGuard_WayOf(const grzWorld* world, uint32_t row, float least) {
    return grzPassing_Way(&world->startStates.data[row], &world->states.data[row],
                          world->traits.data[row].shape.radius, world->timeStep, least);
}

static float wayOfWall(const grzWorld* world, uint32_t row) {
    return world->traits.data[row].shape.kind == grz_animatedCollider
               ? grzAnimatedBody_MostMotion(world->colliders.data[row].animated)
               : grzGuard_WayOf(world, row, 0.0f);
}

float grzGuard_LeastWayOf(const grzWorld* world, uint32_t row) {
    return grzPassing_LeastWay(grzBodyTraits_Thickness(&world->traits.data[row]));
}

// Where it was in the step: around the ball that holds it, and around its first box, widened by its turn. Walls move as they were
// planned.
grzBox grzGuard_BoxOf(const grzWorld* world, uint32_t row) {
    const grzBodyState *start = &world->startStates.data[row], *end = &world->states.data[row];
    const grzBodyTraits* traits = &world->traits.data[row];
    if (!grzGuard_IsBody(world, row))
        return world->sweeps.data[row];
    const float turnSq = grzPassing_TurnSq(start, end, traits->shape.radius, world->timeStep);
    const float turn = 1.0001f * sqrtf(turnSq); // for rounding
    const grzVec3 from = start->center, to = end->center, way = grzSub(to, from), zero = grzVec3_Zero();
    const grzBox first = world->boxes.data[row];
    const grzBox balls = grzBox_Expand(grzBox_Make(grzMin(from, to), grzMax(from, to)), traits->shape.radius);
    const grzBox moved = grzBox_Expand(
        grzBox_Make(grzAdd(first.lower, grzMin(way, zero)), grzAdd(first.upper, grzMax(way, zero))), turn);
    return grzBox_Make(grzMax(balls.lower, moved.lower), grzMin(balls.upper, moved.upper));
}

bool grzGuard_MayMeet(const grzWorld* world, uint32_t row, uint32_t slot) {
    const grzBodyRecord* record = grzWorld_Record(world, slot);
    const uint32_t own = world->traits.data[row].group;
    return own == 0 ||
           own != (record->isStill ? record->group : world->traits.data[grzWorld_RowOf(world, slot)].group);
}

// ---- searching ----

// Without the tree: all bodies, one after the other.
static void searchAll(const grzGuardSearch* search, const grzTree* tree) {
    const grzWorld* world = search->world;
    const grzCollider* own = &world->colliders.data[search->row];
    for (uint32_t slot = 0; slot < grzWorld_Slots(world); ++slot) {
        const grzBodyRecord* record = grzWorld_Record(world, slot);
        grzTreeObject other;
        if (record->kind != grz_noCollider && (tree == world->near->tree) == (record->isStill != 0) &&
            grzTree_Get(tree, record->treeId, &other) && grzBox_Overlap(other.box, search->box) &&
            (other.category & own->mask) != 0 && (own->category & other.mask) != 0)
            search->meet(search->context, slot);
    }
}

void grzGuard_Search(const grzGuardSearch* search, const grzTree* tree) {
    const grzCollider* collider = &search->world->colliders.data[search->row];
    grzTreeQuery query = grzMakeBoxQuery(search->box);
    query.category = collider->category;
    query.mask = collider->mask;
    query.filter = search->meet;
    query.filterContext = search->context;
    // a tree so deep that it asks for memory
    if (!grzResult_IsOk(grzTree_Peek(tree, &query, search->world->guard->hits.data[search->worker])))
        searchAll(search, tree);
}

// ---- who is fast ----

static void markBlock(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    grzWorld* world = context;
    GRZ_ZONE_BEGIN(zone, world->def.profile, grz_stageSolve, "find fast bodies", worker);
    for (uint32_t word = begin; word < end; ++word) {
        const uint32_t first = word * markBits, rows = grzWorld_RowCount(world);
        uint64_t marks = 0;
        for (uint32_t row = first; row < rows && row < first + markBits; ++row) {
            const bool isMarked = grzGuard_IsBody(world, row)
                                      ? grzGuard_WayOf(world, row, grzGuard_LeastWayOf(world, row)) > 0.0f
                                      : isWall(world, row);
            marks |= (uint64_t)isMarked << (row - first);
        }
        world->guard->marks.data[word] = marks;
    }
    GRZ_ZONE_END(zone);
}

// Touches of one batch, of bodies with what does not yield.
typedef struct SunkSearch {
    grzWorld* world;
    const grzTouchBatch* batch;
    const uint32_t* places;
    const grzTouchUnit* units;
} SunkSearch;

// Whether a body was so deep when the step began that contacts may lead it out on the wrong side, or a short way does the rest.
static void markSunk(const SunkSearch* search, const grzTouch* touch) {
    const grzWorld* world = search->world;
    const bool isA = (world->masses.data[touch->bodyA].flags & grz_bodyYields) != 0;
    const uint32_t row = isA ? touch->bodyA : touch->bodyB;
    float separation = touch->points[0].separation;
    for (uint32_t i = 1; i < search->batch->pointCount; ++i)
        separation = fminf(separation, touch->points[i].separation);
    if (-separation >
        grzPassing_MostDepth(grzBodyTraits_Thickness(&world->traits.data[row]))) // others may mark in the word
        __atomic_fetch_or(&world->guard->marks.data[row / markBits], 1ull << row % markBits, __ATOMIC_RELAXED);
}

static void markSunkBlocks(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    const SunkSearch* search = context;
    (void)worker;
    for (uint32_t block = begin; block < end; ++block) {
        const uint32_t count = grzTouchBatch_LanesIn(search->batch, block);
        for (uint32_t lane = 0; lane < count; ++lane)
            markSunk(search, grzTouch_Read(search->units, search->places[GRZ_TOUCH_LANES * (size_t)block + lane]));
    }
}

static void markAllSunk(grzWorld* world) {
    const grzColoring* coloring = grzContactSolver_Coloring(world->solver);
    SunkSearch search = {.world = world, .units = grzTouches_GetView(world->touches, world->now).units};
    for (size_t i = 0; i < coloring->batches.count; ++i) {
        search.batch = &coloring->batches.data[i];
        search.places = coloring->lanePlaces.data + GRZ_TOUCH_LANES * (size_t)search.batch->firstBlock;
        if (search.batch->sideCount == 1)
            grzParallelForNear(world->def.tasks, search.batch->blockCount, touchGrain, markSunkBlocks, &search);
    }
}

typedef struct WallSearch {
    grzWorld* world;
    uint32_t row;
    float way;
} WallSearch;

static bool meetBody(void* context, uint32_t slot) {
    const WallSearch* search = context;
    grzWorld* world = search->world;
    const uint32_t body = grzWorld_RowOf(world, slot);
    if (grzGuard_IsBody(world, body) && grzGuard_MayMeet(world, search->row, slot) &&
        grzGuard_WayOf(world, body, 0.0f) + search->way > grzGuard_LeastWayOf(world, body))
        world->guard->marks.data[body / markBits] |= 1ull << body % markBits;
    return false;
}

// Bodies that a wall is fast against.
static void markBeside(grzWorld* world, uint32_t wall) {
    WallSearch context = {world, wall, wayOfWall(world, wall)};
    const grzGuardSearch search = {world, wall, 0, grzGuard_BoxOf(world, wall), meetBody, &context};
    if (context.way > 0.0f)
        grzGuard_Search(&search, world->tree);
}

static void listMarked(grzWorld* world, bool areBodies) {
    grzGuard* guard = world->guard;
    guard->fast.count = areBodies ? 0 : guard->fast.count;
    guard->walls.count = areBodies ? guard->walls.count : 0;
    for (uint32_t word = 0; word * markBits < grzWorld_RowCount(world); ++word) {
        for (uint64_t rest = guard->marks.data[word]; rest != 0; rest &= rest - 1) {
            const uint32_t row = word * markBits + (uint32_t)__builtin_ctzll(rest);
            if (grzGuard_IsBody(world, row) && areBodies)
                guard->fast.data[guard->fast.count++] = row;
            else if (!grzGuard_IsBody(world, row) && !areBodies)
                guard->walls.data[guard->walls.count++] = row;
        }
    }
}

bool grzGuard_IsFast(const grzWorld* world, uint32_t row) {
    return grzGuard_IsBody(world, row) && (world->guard->marks.data[row / markBits] >> row % markBits & 1) != 0;
}

static void findFast(grzWorld* world) {
    const uint32_t words = (grzWorld_RowCount(world) + markBits - 1) / markBits;
    grzParallelForNear(world->def.tasks, words, markWords, markBlock, world);
    markAllSunk(world);
    listMarked(world, false);
    for (size_t i = 0; i < world->guard->walls.count; ++i)
        markBeside(world, world->guard->walls.data[i]);
    listMarked(world, true);
}

// ---- stops ----

typedef struct BodySearch {
    const grzWorld* world;
    uint32_t row, wall; // wall: the slot of that which stops it first
    grzPassing passing; // but for the wall
    grzPassingStop stop;
    float restitution; // of both
} BodySearch;

// Kinematic bodies at rest stop as static ones do, to the bit.
static bool hasMoved(const grzWorld* world, uint32_t row) {
    const grzBodyState *start = &world->startStates.data[row], *end = &world->states.data[row];
    return memcmp(&start->center, &end->center, sizeof end->center) != 0 ||
           memcmp(&start->rotation, &end->rotation, sizeof end->rotation) != 0;
}

// The earliest stop counts, of equals that of the lowest slot.
static bool meetWall(void* context, uint32_t slot) {
    BodySearch* search = context;
    const grzWorld* world = search->world;
    const bool isStill = grzWorld_Record(world, slot)->isStill;
    grzPassing passing = search->passing;
    grzPassingStop stop;
    grzRigid scratch;
    grzBox box;
    if ((!isStill && !isWall(world, grzWorld_RowOf(world, slot))) || !grzGuard_MayMeet(world, search->row, slot))
        return false;
    passing.wall = grzWorld_ColliderAt(world, slot, &scratch, &box);
    if (passing.wall->body == grz_kinematicBody && hasMoved(world, grzWorld_RowOf(world, slot))) {
        passing.wallStart = &world->startStates.data[grzWorld_RowOf(world, slot)];
        passing.wallEnd = &world->states.data[grzWorld_RowOf(world, slot)];
    }
    grzPassing_Find(&passing, &stop);
    if (!stop.isStopped || stop.toi > search->stop.toi || (stop.toi == search->stop.toi && slot > search->wall))
        return false;
    const float own = world->traits.data[search->row].shape.restitution;
    search->restitution = own > passing.wall->restitution ? own : passing.wall->restitution;
    search->stop = stop;
    search->wall = slot;
    return false;
}

// A search that has found nothing yet.
static BodySearch beginSearch(const grzWorld* world, uint32_t row, const grzPassing* passing) {
    BodySearch search;
    memset(&search, 0, sizeof search);
    search.world = world;
    search.row = row;
    search.wall = UINT32_MAX;
    search.stop.toi = 1;
    search.passing = *passing;
    return search;
}

// Along the way of the passing, in the box. hasStill: there may be static bodies.
static BodySearch findStop(const grzWorld* world, uint32_t row, grzBox box, bool hasStill,
                           const grzPassing* passing, uint32_t worker) {
    BodySearch found = beginSearch(world, row, passing);
    const grzGuardSearch search = {world, row, worker, box, meetWall, &found};
    if (hasStill)
        grzGuard_Search(&search, world->near->tree);
    if (world->guard->walls.count != 0)
        grzGuard_Search(&search, world->tree);
    return found;
}

grzPassingStop grzGuard_FindStop(const grzWorld* world, uint32_t row, grzBox box, const grzPassing* passing,
                                 uint32_t worker) {
    return findStop(world, row, box, true, passing, worker).stop;
}

grzPassing grzGuard_PassingOf(const grzWorld* world, uint32_t row) {
    const grzBody* body = &world->bodies.data[row];
    return (grzPassing){.solid = {&world->colliders.data[row], body->turn, body->center},
                        .radius = world->traits.data[row].shape.radius,
                        .start = &world->startStates.data[row],
                        .end = &world->states.data[row],
                        .timeStep = world->timeStep};
}

void grzGuard_Record(const grzWorld* world, uint32_t row, uint32_t other, const grzBodyState* before,
                     const grzPassingStop* stop, const grzPassingHit* hit, grzGuardStop* record) {
    const uint32_t slot = world->traits.data[row].slot;
    const grzVec3 gained = grzScale(grzSub(world->states.data[row].velocity, before->velocity),
                                    1.0f / world->masses.data[row].inverseMass);
    record->slotA = slot < other ? slot : other;
    record->slotB = slot < other ? other : slot;
    record->toi = (float)stop->toi;
    record->approach = hit->approach;
    record->impulse = hit->impulse;
    record->point = stop->hitPoint;
    record->normal = slot < other ? grzNeg(stop->hitNormal) : stop->hitNormal;
    record->momentum = slot < other ? grzNeg(gained) : gained;
}

grzPassingStop grzGuard_FindWallBeside(const grzWorld* world, uint32_t row, uint32_t slot, grzVec3 carry) {
    grzPassing passing = grzGuard_PassingOf(world, row);
    passing.isHeld = true;
    passing.since = 1.0f;
    passing.carry = carry;
    BodySearch search = beginSearch(world, row, &passing);
    (void)meetWall(&search, slot);
    return search.stop;
}

float grzGuard_FindWall(const grzWorld* world, uint32_t row, uint32_t worker, uint32_t* wall) {
    const grzPassing passing = grzGuard_PassingOf(world, row);
    const bool hasStill = (world->guard->beside.data[row / markBits] >> row % markBits & 1) != 0;
    const BodySearch found = findStop(world, row, world->guard->paces.data[row].box, hasStill, &passing, worker);
    *wall = found.wall;
    return found.stop.isStopped ? (float)found.stop.toi : 2.0f;
}

static void stopAt(grzWorld* world, uint32_t row, const BodySearch* search) {
    const BodySearch found = *search;
    const grzPassingBounce bounce = {.mass = &world->masses.data[row],
                                     .gravity = world->def.gravity,
                                     .restitution = found.restitution,
                                     .threshold = world->def.restitutionThreshold};
    const grzBodyState before = world->states.data[row];
    const grzPassingHit hit = grzPassing_Apply(&found.stop, &bounce, &world->states.data[row]);
    grzGuard_Record(world, row, found.wall, &before, &found.stop, &hit,
                    &world->guard->stops.data[world->guard->stops.count++]);
}

void grzGuard_StopAtWall(grzWorld* world, uint32_t row) {
    const grzPassing passing = grzGuard_PassingOf(world, row);
    const BodySearch found = findStop(world, row, grzGuard_BoxOf(world, row), true, &passing, 0);
    stopAt(world, row, &found);
}

bool grzGuard_PushByWall(grzWorld* world, uint32_t row, float since) {
    if (world->guard->walls.count == 0)
        return false;
    grzPassing passing = grzGuard_PassingOf(world, row);
    passing.isHeld = true;
    passing.since = since;
    const BodySearch found = findStop(world, row, grzGuard_BoxOf(world, row), true, &passing, 0);
    if (found.stop.isStopped)
        stopAt(world, row, &found);
    return found.stop.isStopped;
}

// ---- the list of stops ----

static uint64_t stopWord(const void* record, unsigned word) {
    const grzGuardStop* stop = record;
    uint32_t toi; // of floats that are not negative, bits are in their order
    memcpy(&toi, &stop->toi, sizeof toi);
    return word == 0 ? (uint64_t)stop->slotA << 32 | stop->slotB : toi;
}

static const grzRecordType g_stopType = {sizeof(grzGuardStop), 2, stopWord};

static bool reserveStops(grzWorld* world, size_t count) {
    grzGuard* guard = world->guard;
    const size_t words = (grzRecordScratchSize(&g_stopType, count) + 7) / 8;
    return grzArray_Reserve(&guard->stops, &world->allocator, count) &&
           grzArray_Reserve(&guard->scratch, &world->allocator, words);
}

grzResult grzWorld_PrepareGuard(grzWorld* world) {
    findFast(world);
    // each may start a ring, which a wall holds; walls may push both bodies of a stop
    const size_t share = GRZ_GUARD_JOINS + (world->guard->walls.count == 0 ? 2 : 4);
    const size_t most = share * world->guard->fast.count + grzGuard_MostClothStops(world);
    if (!reserveStops(world, most))
        return grzNoMemory(most, sizeof(grzGuardStop));
    const grzResult result = grzGuard_ReserveMovers(world);
    return grzResult_IsOk(result) ? grzWorld_PrepareStops(world, most) : result;
}

// ---- bodies that stops spoil ----

static bool isStateFinite(const grzBodyState* state) {
    return grzVec3_IsFinite(state->center) && grzVec3_IsFinite(state->velocity) && grzVec3_IsFinite(state->spin) &&
           grzQuat_IsUnit(state->rotation);
}

static bool isStopFinite(const grzGuardStop* stop) {
    return isfinite(stop->approach) && isfinite(stop->impulse) && grzVec3_IsFinite(stop->point) &&
           grzVec3_IsFinite(stop->normal) && grzVec3_IsFinite(stop->momentum);
}

static bool isInRange(const grzWorld* world, uint32_t row) {
    const grzVec3 center = world->states.data[row].center;
    return grzMaxElement(grzAbs(center)) + world->traits.data[row].shape.radius <= GRZ_WORLD_RANGE;
}

// Returns whether a body of a stop is marked. isRange: those beyond the range, else those that are not finite.
static bool markSpoilt(grzWorld* world, bool isRange) {
    const grzGuard* guard = world->guard;
    bool isAny = false;
    for (size_t i = 0; i < 2 * guard->stops.count; ++i) {
        const grzGuardStop* stop = &guard->stops.data[i / 2];
        const uint32_t slot = i % 2 == 0 ? stop->slotA : stop->slotB, row = grzWorld_RowOf(world, slot);
        if (grzWorld_Record(world, slot)->isStill || !grzGuard_IsBody(world, row))
            continue;
        const bool isGood =
            isRange ? isInRange(world, row) : isStopFinite(stop) && isStateFinite(&world->states.data[row]);
        if (!isGood)
            grzWorld_MarkSpoiler(world, row);
        isAny = isAny || !isGood;
    }
    return isAny;
}

// Only bodies of stops, and cloth with a vertex that was stopped, have other states than the solver left them.
grzResult grzWorld_Guard(grzWorld* world) {
    grzGuard* guard = world->guard;
    grzWorld_ClearSpoilers(world);
    grzGuard_HoldByCloth(world);
    grzGuard_StopBodies(world);
    grzSortRecords(&g_stopType, guard->stops.data, guard->stops.count, guard->scratch.data);
    const bool isClothSpoilt = grzGuard_HoldCloth(world);
    if (markSpoilt(world, false))
        return grzFail(grz_notFinite, grz_stopNotFinite);
    return isClothSpoilt || markSpoilt(world, true) ? grzFail(grz_notFinite, grz_stopTooFar) : grzOk();
}
