// What: stops fast bodies at walls and at each other, in the order of time.
// Promise: a fast body does not end the step behind another one, if its core was free of it at the start and one of the
//   two cores comes to the surface of the other body on the way. A stop of two bodies changes neither
//   their linear nor their angular momentum, but for rounding. No result depends on workers or rows.
// Idea: all bodies go along their paths from the start of the step to its end (passing.h). The first stop of all is
//   made: both bodies go back to where they were then, an impulse takes their approach, or lets them bounce, and both
//   rest there for what is left of the step. Those that may come to them are searched again from then on.
//
//     fast bodies --trees--> walls, bodies --sweeps--> the next stop of each --> tree of the first one
//     the first stop of all --> states, held --> others beside it: searched again
//
//   So each stop leaves a fast body less, and there are at most as many stops as fast bodies. A body that is held is
//   swept once more against walls that move on, which push it out of their way.
//   Bodies that hold each other are a ring. At last a ring moves on by what its centre of mass lags behind, if nothing
//   is in the way. So a heavy body that light ones strike does not lag behind, and a chain falls as it should.
//   A ring that a wall holds stays, though gravity has made its bodies faster: each loses the energy of the fall that
//   it has lost. The wall's stop lists that momentum, and so does each stop between the body and the wall.
// Limits: a ring in the way of which are other bodies, and no wall, stays and keeps the energy of its lost fall.
// Holds: two slow bodies are not tested: contacts lead them out. A slow body may leave the box that was planned for
//   it. Its core does not, so the search by that box finds all bodies that may pass it.
//   Of two fast bodies the one with the lower slot searches for both.
// Threads: each fast body is searched alone; stops are made one after the other.
// Cost: nothing where no body is fast. For each fast body a search of what moves, and one of static bodies if it has left its
//   planned box or has pairs with some. For each body nearby that may come so near some directions that may part the two;
//   two sweeps of a few microseconds each if none does, or one if a core is shown to be free. Each stop costs the same
//   for each fast body beside it. In a dense fall of 600 bodies the guard is 11 % of a step.
// Based on: [Mirtich, Impulse-based Dynamic Simulation of Rigid Body Systems, PhD thesis, Berkeley 1996], section 2:
//   a heap of times of impact. Differences: cores, bodies that are held instead of integrated again, and a tree of
//   winners, which needs no memory when times change.
#include <float.h>
#include <math.h>
#include <string.h>

#include "memory.h"
#include "near_loop.h"
#include "profile_zone.h"
#include "result_make.h"
#include "world_guard.h"
#include "world_inside.h"
#include "world_near.h"

enum { bodyGrain = 4, wordBits = 64 };

static const float never = 2;
static const uint32_t none = UINT32_MAX;

// ---- bodies ----

static bool isHeld(const grzWorld* world, uint32_t row) {
    return (world->guard->held.data[row / wordBits] >> row % wordBits & 1) != 0;
}

static bool isFixed(const grzWorld* world, uint32_t row) {
    return (world->guard->fixed.data[row / wordBits] >> row % wordBits & 1) != 0;
}

static void fix(grzWorld* world, uint32_t row) {
    world->guard->fixed.data[row / wordBits] |= UINT64_C(1) << row % wordBits;
}

static bool isWith(const grzWorld* world, uint32_t row, uint32_t other) {
    return isHeld(world, other) && world->guard->rings.data[row].root == world->guard->rings.data[other].root;
}

// A ring of its own.
static void hold(grzWorld* world, uint32_t row, grzVec3 planned) {
    world->guard->held.data[row / wordBits] |= UINT64_C(1) << row % wordBits;
    grzGuardHeld* ring = &world->guard->rings.data[row];
    const uint32_t stayStop = isFixed(world, row) ? ring->stayStop : none; // of cloth
    *ring = (grzGuardHeld){
        .root = row, .next = row, .stop = none, .stay = row, .stayStop = stayStop, .planned = planned};
}

// The stop has put a body beside what does not yield; so its ring stays there.
static void stay(grzWorld* world, uint32_t row, uint32_t stop) {
    grzGuardHeld* root = &world->guard->rings.data[world->guard->rings.data[row].root];
    fix(world, row);
    root->stay = row;
    root->stayStop = stop;
}

// Puts a body that is alone in its ring into that of another one.
static void join(grzWorld* world, uint32_t row, uint32_t other, uint32_t stop) {
    grzGuardHeld* rings = world->guard->rings.data;
    rings[row].root = rings[other].root;
    rings[row].next = rings[other].next;
    rings[other].next = row;
    rings[row].stop = stop;
    if (rings[row].stayStop != none)
        stay(world, row, rings[row].stayStop);
}

// Which of the movers a row's body is, which must be fast: they are in the order of rows.
static uint32_t moverOf(const grzWorld* world, uint32_t row) {
    const grzGuard* guard = world->guard;
    uint32_t first = 0, count = (uint32_t)guard->fast.count;
    while (count > 1) {
        const uint32_t half = count / 2;
        first += guard->fast.data[first + half] <= row ? half : 0;
        count -= half;
    }
    return first;
}

static grzPassingMover passingOf(const grzWorld* world, uint32_t row) {
    const grzBody* body = &world->bodies.data[row];
    return (grzPassingMover){.solid = {&world->colliders.data[row], body->turn, body->center},
                             .radius = world->traits.data[row].shape.radius,
                             .thickness = grzBodyTraits_Thickness(&world->traits.data[row]),
                             .start = &world->startStates.data[row],
                             .end = &world->states.data[row],
                             .isHeld = isHeld(world, row)};
}

// ---- two bodies ----

static grzGuardPace paceOf(const grzWorld* world, uint32_t row) {
    const grzBodyState *start = &world->startStates.data[row], *end = &world->states.data[row];
    const grzBodyTraits* traits = &world->traits.data[row];
    const float turnSq = grzPassing_TurnSq(start, end, traits->shape.radius, world->timeStep);
    return (grzGuardPace){.way = grzSub(end->center, start->center),
                          .turn = sqrtf(turnSq),
                          .thickness = grzBodyTraits_Thickness(traits)};
}

// How far two boxes are apart along the axis on which they are farthest apart; 0 where they overlap.
static float gapOf(grzBox a, grzBox b) {
    return fmaxf(grzMaxElement(grzMax(grzSub(b.lower, a.upper), grzSub(a.lower, b.upper))), 0.0f);
}

// Whether one of two bodies, of which the first is fast, may have moved so far into the other that its centre comes to
// the other's surface. Contacts lead out those that go less far.
static bool isFastAgainst(const grzWorld* world, uint32_t row, uint32_t other) {
    const grzGuardPace* own = &world->guard->paces.data[row];
    if (isHeld(world, other))
        return grzLength(own->way) + own->turn > own->thickness;
    const bool isOtherFast = grzGuard_IsFast(world, other);
    const grzGuardPace its = isOtherFast ? world->guard->paces.data[other] : paceOf(world, other);
    const float thickness = isOtherFast ? fminf(own->thickness, its.thickness) : own->thickness;
    const float least = thickness + gapOf(world->boxes.data[row], world->boxes.data[other]);
    return grzLength(grzSub(own->way, its.way)) + (own->turn + its.turn) > least;
}

// rows: A's slot is the lower one.
static bool findMeeting(const grzWorld* world, const uint32_t rows[2], float since, grzPassingMeeting* meeting) {
    const grzPassingMover movers[2] = {passingOf(world, rows[0]), passingOf(world, rows[1])};
    grzPassing_FindMeeting(movers, world->timeStep, since, meeting);
    return meeting->isMet;
}

static void orderRows(const grzWorld* world, uint32_t row, uint32_t other, uint32_t rows[2]) {
    const bool isFirst = world->traits.data[row].slot < world->traits.data[other].slot;
    rows[0] = isFirst ? row : other;
    rows[1] = isFirst ? other : row;
}

// Searches a pair after a time, and keeps its stop if that is the mover's next one. Of equal times the lower slot
// counts.
static void meetAfter(const grzWorld* world, grzGuardMover* mover, uint32_t slot, float since) {
    grzPassingMeeting meeting;
    uint32_t rows[2];
    const uint32_t other = grzWorld_RowOf(world, slot);
    orderRows(world, mover->row, other, rows);
    if (!isFastAgainst(world, mover->row, other) || !findMeeting(world, rows, since, &meeting))
        return;
    if (meeting.toi > mover->toi || (meeting.toi == mover->toi && slot > mover->other))
        return;
    mover->toi = meeting.toi;
    mover->since = since;
    mover->other = slot;
}

// ---- the next stop of a body ----

typedef struct NextSearch {
    const grzWorld* world;
    grzGuardMover* mover;
    float since;
} NextSearch;

static bool meetBody(void* context, uint32_t slot) {
    const NextSearch* search = context;
    const grzWorld* world = search->world;
    const uint32_t other = grzWorld_RowOf(world, slot), row = search->mover->row;
    if (slot < world->traits.data[row].slot && grzGuard_IsFast(world, other) && !isHeld(world, other))
        return false; // it has found this pair itself
    if (other != row && grzGuard_IsBody(world, other) && grzGuard_MayMeet(world, row, slot))
        meetAfter(world, search->mover, slot, search->since);
    return false;
}

static void findNext(const grzWorld* world, grzGuardMover* mover, float since, uint32_t worker) {
    NextSearch context = {world, mover, since};
    const grzGuardSearch search = {world,    mover->row, worker, world->guard->paces.data[mover->row].box,
                                   meetBody, &context};
    mover->toi = mover->wallToi;
    mover->since = 0.0f;
    mover->other = mover->wall;
    grzGuard_Search(&search, world->tree);
}

static void findFirst(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    grzWorld* world = context;
    GRZ_ZONE_BEGIN(zone, world->def.profile, grz_stageSolve, "sweep fast bodies", worker);
    for (uint32_t i = begin; i < end; ++i) {
        grzGuardMover* mover = &world->guard->movers.data[i];
        mover->row = world->guard->fast.data[i];
        mover->wallToi = grzGuard_FindWall(world, mover->row, worker, &mover->wall);
        findNext(world, mover, 0.0f, worker);
    }
    GRZ_ZONE_END(zone);
}

// ---- the first stop of all ----

static uint64_t pairOf(const grzWorld* world, const grzGuardMover* mover) {
    const uint32_t slot = world->traits.data[mover->row].slot, other = mover->other;
    return slot < other ? (uint64_t)slot << 32 | other : (uint64_t)other << 32 | slot;
}

// Of two numbers of movers, or none.
static uint32_t sooner(const grzWorld* world, uint32_t a, uint32_t b) {
    const grzGuardMover* movers = world->guard->movers.data;
    if (a == none || b == none)
        return a == none ? b : a;
    if (movers[a].toi != movers[b].toi)
        return movers[a].toi < movers[b].toi ? a : b;
    return pairOf(world, &movers[b]) < pairOf(world, &movers[a]) ? b : a;
}

// Leaves are behind the nodes: mover i is node `leaves` + i; the root is node 1.
static uint32_t leavesOf(size_t count) {
    uint32_t leaves = 1;
    while (leaves < count)
        leaves *= 2;
    return leaves;
}

static void fillFirst(grzWorld* world) {
    grzGuard* guard = world->guard;
    const uint32_t leaves = leavesOf(guard->fast.count);
    for (uint32_t i = 0; i < leaves; ++i)
        guard->first.data[leaves + i] = i < guard->fast.count ? i : none;
    for (uint32_t node = leaves; node-- > 1;)
        guard->first.data[node] = sooner(world, guard->first.data[2 * node], guard->first.data[2 * node + 1]);
}

static void changeFirst(grzWorld* world, uint32_t mover) {
    uint32_t* first = world->guard->first.data;
    for (uint32_t node = (leavesOf(world->guard->fast.count) + mover) / 2; node > 0; node /= 2)
        first[node] = sooner(world, first[2 * node], first[2 * node + 1]);
}

// ---- boxes ----

// Trees have boxes that were planned. Those of bodies that have left them must hold where they really are.
static void mendBox(grzWorld* world, uint32_t row, grzBox box) {
    const grzBox planned = world->sweeps.data[row], both = grzBox_Union(planned, box);
    const grzTreeId id = grzWorld_Record(world, world->traits.data[row].slot)->treeId;
    if (!grzBox_Contains(planned, box) && grzResult_IsOk(grzTree_Update(world->tree, id, both)))
        world->sweeps.data[row] = both;
}

static grzBox carriedBox(const grzWorld* world, uint32_t row, grzVec3 carry) {
    const grzVec3 from = world->states.data[row].center, to = grzAdd(from, carry);
    return grzBox_Expand(grzBox_Make(grzMin(from, to), grzMax(from, to)), world->traits.data[row].shape.radius);
}

static grzBox boxAt(const grzWorld* world, uint32_t row) {
    return carriedBox(world, row, grzVec3_Zero());
}

// ---- stops ----

// A body that is held now, and movers that may come to it.
typedef struct HeldSearch {
    grzWorld* world;
    uint32_t row, slot;
    float toi;
    uint32_t stale; // the first in the list of those that it would have stopped on its way
} HeldSearch;

static bool meetMover(void* context, uint32_t slot) {
    HeldSearch* search = context;
    grzWorld* world = search->world;
    const uint32_t row = grzWorld_RowOf(world, slot);
    if (row == search->row || !grzGuard_IsFast(world, row) || isHeld(world, row) ||
        !grzGuard_MayMeet(world, search->row, slot))
        return false;
    const uint32_t i = moverOf(world, row);
    grzGuardMover* mover = &world->guard->movers.data[i];
    if (mover->other == search->slot && mover->toi <= 1.0f) {
        mover->next = search->stale;
        search->stale = i;
    } else {
        meetAfter(world, mover, search->slot, search->toi);
        changeFirst(world, i);
    }
    return false;
}

// box: around where the body was, or would have come, in the step.
static void searchBeside(grzWorld* world, uint32_t row, grzBox box, float toi) {
    HeldSearch context = {world, row, world->traits.data[row].slot, toi, none};
    const grzGuardSearch search = {world, row, 0, box, meetMover, &context};
    grzGuard_Search(&search, world->tree);
    for (uint32_t i = context.stale; i != none; i = world->guard->movers.data[i].next) {
        findNext(world, &world->guard->movers.data[i], toi, 0);
        changeFirst(world, i);
    }
}

static void recordPair(grzWorld* world, const uint32_t rows[2], const grzPassingMeeting* meeting,
                       const grzPassingHit* hit) {
    grzGuardStop* stop = &world->guard->stops.data[world->guard->stops.count++];
    stop->slotA = world->traits.data[rows[0]].slot;
    stop->slotB = world->traits.data[rows[1]].slot;
    stop->toi = meeting->toi;
    stop->approach = hit->approach;
    stop->impulse = hit->impulse;
    stop->point = meeting->point;
    stop->normal = meeting->normal;
    stop->momentum = grzScale(meeting->normal, hit->impulse);
}

// Returns the time from which on both are held.
static float stopPair(grzWorld* world, const uint32_t rows[2], float since) {
    const grzPassingMover movers[2] = {passingOf(world, rows[0]), passingOf(world, rows[1])};
    grzPassingMeeting meeting;
    grzPassingBounce bounces[2];
    grzBodyState* states[2];
    grzPassing_FindMeeting(movers, world->timeStep, since, &meeting);
    const float a = world->traits.data[rows[0]].shape.restitution,
                b = world->traits.data[rows[1]].shape.restitution;
    for (int i = 0; i < 2; ++i) {
        bounces[i] = (grzPassingBounce){.mass = &world->masses.data[rows[i]],
                                        .restitution = a > b ? a : b,
                                        .threshold = world->def.restitutionThreshold};
        states[i] = &world->states.data[rows[i]];
    }
    const grzPassingHit hit = grzPassing_Collide(movers, world->timeStep, &meeting, bounces, states);
    recordPair(world, rows, &meeting, &hit);
    return meeting.stop;
}

static void makeStop(grzWorld* world, const grzGuardMover* mover) {
    uint32_t rows[2] = {mover->row, mover->row};
    grzBox boxes[2];
    grzVec3 planned[2];
    bool areHeld[2];
    const bool isPair = !grzWorld_Record(world, mover->other)->isStill &&
                        grzGuard_IsBody(world, grzWorld_RowOf(world, mover->other));
    const uint32_t stop = (uint32_t)world->guard->stops.count;
    float toi = mover->toi;
    if (isPair)
        orderRows(world, mover->row, grzWorld_RowOf(world, mover->other), rows);
    for (int i = 0; i < 2; ++i) {
        boxes[i] = grzGuard_BoxOf(world, rows[i]);
        planned[i] = world->states.data[rows[i]].center;
        areHeld[i] = isHeld(world, rows[i]);
    }
    if (isPair)
        toi = stopPair(world, rows, mover->since);
    else
        grzGuard_StopAtWall(world, mover->row);
    for (int i = 0; i < (isPair ? 2 : 1); ++i)
        if (!areHeld[i])
            hold(world, rows[i], planned[i]);
    if (!isPair)
        stay(world, rows[0], stop);
    else if (areHeld[1])
        join(world, rows[0], rows[1], stop);
    else
        join(world, rows[1], rows[0], stop);
    for (int i = 0; i < (isPair ? 2 : 1); ++i) {
        if (areHeld[i])
            continue;
        if (isPair && grzGuard_PushByWall(world, rows[i], toi)) {
            const grzBox box = boxAt(world, rows[i]);
            stay(world, rows[i], (uint32_t)world->guard->stops.count - 1);
            mendBox(world, rows[i], box);
            boxes[i] = grzBox_Union(boxes[i], box);
        }
        if (grzGuard_IsFast(world, rows[i])) {
            const uint32_t own = moverOf(world, rows[i]);
            world->guard->movers.data[own].toi = never;
            changeFirst(world, own);
        }
        searchBeside(world, rows[i], boxes[i], toi);
    }
}

// ---- what is left of the step ----

typedef struct CarrySearch {
    const grzWorld* world;
    uint32_t row;
    grzVec3 carry;
    bool isMet;
    uint32_t slot; // of what is in the way
    bool isBody;   // that yields
    grzPassingStop stop;
} CarrySearch;

// Walls count before bodies, then the lowest slot.
static void keepMet(CarrySearch* search, uint32_t slot, bool isBody, const grzPassingStop* stop) {
    if (search->isMet && (isBody > search->isBody || (isBody == search->isBody && slot > search->slot)))
        return;
    search->isMet = true;
    search->isBody = isBody;
    search->slot = slot;
    search->stop = *stop;
    search->stop.toi = 1;
}

static bool meetCarried(void* context, uint32_t slot) {
    CarrySearch* search = context;
    const grzWorld* world = search->world;
    const bool isBody =
        !grzWorld_Record(world, slot)->isStill && grzGuard_IsBody(world, grzWorld_RowOf(world, slot));
    if (!grzGuard_MayMeet(world, search->row, slot))
        return false;
    if (!isBody) {
        const grzPassingStop stop = grzGuard_FindWallBeside(world, search->row, slot, search->carry);
        if (stop.isStopped)
            keepMet(search, slot, false, &stop);
        return false;
    }
    const uint32_t other = grzWorld_RowOf(world, slot);
    grzPassingMover movers[2] = {passingOf(world, search->row), passingOf(world, other)};
    grzPassingMeeting meeting;
    movers[0].isHeld = movers[1].isHeld = true;
    movers[0].carry = search->carry;
    if (other == search->row || isWith(world, search->row, other))
        return false;
    grzPassing_FindMeeting(movers, world->timeStep, 0.0f, &meeting);
    const grzPassingStop stop = {.hitPoint = meeting.point, .hitNormal = grzNeg(meeting.normal)};
    if (meeting.isMet)
        keepMet(search, slot, true, &stop);
    return false;
}

static bool isFree(CarrySearch* context) {
    const grzGuardSearch search = {
        context->world, context->row, 0, carriedBox(context->world, context->row, context->carry),
        meetCarried,    context};
    grzGuard_Search(&search, context->world->near->tree);
    grzGuard_Search(&search, context->world->tree);
    return !context->isMet;
}

static float leastInverseMass(const grzWorld* world, uint32_t root) {
    float least = FLT_MAX;
    uint32_t row = root;
    do {
        least = fminf(least, world->masses.data[row].inverseMass);
        row = world->guard->rings.data[row].next;
    } while (row != root);
    return least;
}

// Returns by how much the centre of mass of a ring is behind where it would be without stops. Masses are in parts of the
// greatest, so that no ratio is beyond floats.
static grzVec3 lagOf(const grzWorld* world, uint32_t root) {
    const grzGuardHeld* rings = world->guard->rings.data;
    const float unit = leastInverseMass(world, root);
    grzVec3 sum = grzVec3_Zero();
    float mass = 0;
    uint32_t row = root;
    do {
        const float own = unit / world->masses.data[row].inverseMass;
        sum = grzAddScaled(sum, own, grzSub(rings[row].planned, world->states.data[row].center));
        mass += own;
        row = rings[row].next;
    } while (row != root);
    return grzScale(sum, 1.0f / mass);
}

// Writes which of a ring finds something in the way.
static bool isRingFree(const grzWorld* world, uint32_t root, grzVec3 carry, CarrySearch* found) {
    uint32_t row = root;
    do {
        *found = (CarrySearch){.world = world, .row = row, .carry = carry};
        if (!isFree(found))
            return false;
        row = world->guard->rings.data[row].next;
    } while (row != root);
    return true;
}

static void addMomentum(grzGuardStop* stop, uint32_t slot, grzVec3 momentum) {
    stop->momentum = slot == stop->slotB ? grzAdd(stop->momentum, momentum) : grzSub(stop->momentum, momentum);
}

// A body that has lost a part of its fall loses the energy of that fall. Returns the momentum that this takes.
static grzVec3 loseFall(grzWorld* world, uint32_t row) {
    const grzBodyMass* mass = &world->masses.data[row];
    grzBodyState* state = &world->states.data[row];
    const grzVec3 pull = grzScale(world->def.gravity, mass->gravityScale);
    const float energy = grzDot(grzSub(world->guard->rings.data[row].planned, state->center), pull);
    const float speed = grzDot(state->velocity, pull) / fmaxf(grzLength(pull), FLT_MIN);
    if (!(energy > 0.0f) || !(speed > 0.0f))
        return grzVec3_Zero();
    const float left = sqrtf(fmaxf(speed * speed - 2.0f * energy, 0.0f));
    const grzVec3 change = grzScale(pull, (left - speed) / grzLength(pull));
    state->velocity = grzAdd(state->velocity, change);
    world->guard->rings.data[row].planned = state->center;
    return grzScale(change, 1.0f / mass->inverseMass);
}

// The stops between a body and the first of its ring pass on the momentum that it gets.
static void passOn(grzWorld* world, uint32_t row, grzVec3 momentum) {
    for (uint32_t number = world->guard->rings.data[row].stop; number != none;
         number = world->guard->rings.data[row].stop) {
        grzGuardStop* stop = &world->guard->stops.data[number];
        const uint32_t slot = world->traits.data[row].slot;
        addMomentum(stop, slot, momentum);
        row = grzWorld_RowOf(world, slot == stop->slotA ? stop->slotB : stop->slotA);
    }
}

// A ring stays at what does not yield. The momentum that its bodies get for that comes from there.
static void settle(grzWorld* world, uint32_t root) {
    grzGuardHeld* rings = world->guard->rings.data;
    const uint32_t stayRow = rings[root].stay;
    grzVec3 sum = grzVec3_Zero();
    uint32_t row = root;
    do {
        if (!isFixed(world, row)) { // else its stop has seen to that
            const grzVec3 given = loseFall(world, row);
            passOn(world, row, given);
            sum = grzAdd(sum, given);
        }
        row = rings[row].next;
    } while (row != root);
    passOn(world, stayRow, grzNeg(sum));
    addMomentum(&world->guard->stops.data[rings[root].stayStop], world->traits.data[stayRow].slot, sum);
}

// Lists what is in the way of a body. Returns the number of that stop.
static uint32_t recordBeside(grzWorld* world, const CarrySearch* search) {
    const uint32_t number = (uint32_t)world->guard->stops.count++;
    const grzPassingHit hit = {0};
    grzGuard_Record(world, search->row, search->slot, &world->states.data[search->row], &search->stop, &hit,
                    &world->guard->stops.data[number]);
    return number;
}

// Makes a row the first of its ring: what puts the rows between it and the first one into the ring goes the other way.
static void makeFirst(grzWorld* world, uint32_t row) {
    grzGuardHeld* rings = world->guard->rings.data;
    for (uint32_t stop = none, next = none; row != none; row = next) {
        const uint32_t number = rings[row].stop, slot = world->traits.data[row].slot;
        next = none;
        if (number != none) {
            const grzGuardStop* to = &world->guard->stops.data[number];
            next = grzWorld_RowOf(world, slot == to->slotA ? to->slotB : to->slotA);
        }
        rings[row].stop = stop;
        stop = number;
    }
}

// The ring of a body that is in the way of another ring moves on with it.
static void joinRings(grzWorld* world, const CarrySearch* search) {
    grzGuardHeld* rings = world->guard->rings.data;
    const uint32_t row = search->row, other = grzWorld_RowOf(world, search->slot), root = rings[row].root;
    if (!isHeld(world, other))
        hold(world, other, world->states.data[other].center);
    const grzGuardHeld first = rings[rings[other].root];
    makeFirst(world, other);
    rings[other].stop = recordBeside(world, search);
    uint32_t each = other;
    do {
        rings[each].root = root;
        each = rings[each].next;
    } while (each != other);
    const uint32_t next = rings[row].next;
    rings[row].next = rings[other].next;
    rings[other].next = next;
    if (first.stayStop != none) {
        rings[root].stay = first.stay;
        rings[root].stayStop = first.stayStop;
    }
}

// Bodies that hold each other move on by what their centre of mass lags behind, unless something is in the way.
static void carryOn(grzWorld* world, uint32_t slot) {
    if (grzWorld_Record(world, slot)->isStill || !isHeld(world, grzWorld_RowOf(world, slot)))
        return;
    const uint32_t root = world->guard->rings.data[grzWorld_RowOf(world, slot)].root;
    grzGuardHeld* ring = &world->guard->rings.data[root];
    if (ring->isDone)
        return;
    ring->isDone = true;
    const grzVec3 carry = lagOf(world, root);
    CarrySearch found;
    bool isMixed = false; // with bodies that did not stop each other: they do not move on
    while (ring->stayStop == none && !isRingFree(world, root, carry, &found)) {
        if (!found.isBody) {
            ring->stay = found.row;
            ring->stayStop = recordBeside(world, &found);
        } else if (world->guard->joinsLeft-- != 0) {
            isMixed = true;
            joinRings(world, &found);
        } else {
            world->guard->joinsLeft = 0;
            return;
        }
    }
    if (ring->stayStop != none) {
        settle(world, root);
        return;
    }
    if (isMixed)
        return;
    uint32_t row = root;
    do {
        world->states.data[row].center = grzAdd(world->states.data[row].center, carry);
        mendBox(world, row, boxAt(world, row));
        row = world->guard->rings.data[row].next;
    } while (row != root);
}

// ---- all of it ----

grzResult grzGuard_ReserveMovers(grzWorld* world) {
    grzGuard* guard = world->guard;
    const size_t count = guard->fast.count;
    if (!grzArray_Reserve(&guard->movers, &world->allocator, count) ||
        !grzArray_Reserve(&guard->first, &world->allocator, 2 * (size_t)leavesOf(count)))
        return grzNoMemory(count, sizeof *guard->movers.data);
    return grzOk();
}

// Bodies that cloth has stopped stay beside it.
static void fixAtCloth(grzWorld* world) {
    for (size_t i = 0; i < world->guard->stops.count; ++i) {
        const uint32_t slots[2] = {world->guard->stops.data[i].slotA, world->guard->stops.data[i].slotB};
        for (int k = 0; k < 2; ++k) {
            fix(world, grzWorld_RowOf(world, slots[k]));
            world->guard->rings.data[grzWorld_RowOf(world, slots[k])].stayStop = (uint32_t)i;
        }
    }
}

static void clearBits(grzWorld* world) {
    const size_t size = (grzWorld_RowCount(world) / wordBits + 1) * sizeof(uint64_t);
    memset(world->guard->held.data, 0, size);
    memset(world->guard->fixed.data, 0, size);
    memset(world->guard->beside.data, 0, size);
}

static void markBeside(grzWorld* world, uint32_t row) {
    world->guard->beside.data[row / wordBits] |= UINT64_C(1) << row % wordBits;
}

// A body that stays in its planned box comes to no static bodies but those of its pairs.
static void preparePaces(grzWorld* world) {
    const grzGuard* guard = world->guard;
    for (size_t i = 0; i < world->near->keys.count; ++i) {
        const uint64_t key = world->near->keys.data[i];
        const uint32_t low = (uint32_t)key, high = (uint32_t)(key >> 32);
        markBeside(world, grzWorld_RowOf(world, grzWorld_Record(world, low)->isStill ? high : low));
    }
    for (size_t i = 0; i < guard->fast.count; ++i) {
        const uint32_t row = guard->fast.data[i];
        grzGuardPace* pace = &guard->paces.data[row];
        *pace = paceOf(world, row);
        pace->box = grzGuard_BoxOf(world, row);
        if (!grzBox_Contains(world->sweeps.data[row], pace->box))
            markBeside(world, row);
        mendBox(world, row, pace->box);
    }
}

void grzGuard_StopBodies(grzWorld* world) {
    grzGuard* guard = world->guard;
    const uint32_t count = (uint32_t)guard->fast.count;
    if (count == 0)
        return;
    guard->joinsLeft = GRZ_GUARD_JOINS * count;
    clearBits(world);
    fixAtCloth(world);
    preparePaces(world);
    const size_t first = guard->stops.count;
    grzParallelForNear(world->def.tasks, count, bodyGrain, findFirst, world);
    fillFirst(world);
    for (const grzGuardMover* mover = &guard->movers.data[guard->first.data[1]]; mover->toi <= 1.0f;
         mover = &guard->movers.data[guard->first.data[1]])
        makeStop(world, mover);
    const size_t last = guard->stops.count;
    for (size_t i = first; i < last; ++i) {
        carryOn(world, guard->stops.data[i].slotA);
        carryOn(world, guard->stops.data[i].slotB);
    }
}
