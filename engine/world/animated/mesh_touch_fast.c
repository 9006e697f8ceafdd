// What: contacts of two rigid meshes that move farther against each other in a step than they are thick.
// Promise: if the two come together in the step, and nothing but each other stops them, there are contacts that
//   limit how far they may move. No byte depends on workers.
// Idea: the two move through the step in pieces. In a piece no point moves farther than a stride. A stride is less
//   than the smaller mesh is thick, so it cannot pass within one. At the end of each piece contacts are found as
//   for slow meshes. They are taken back to the start of the step: the same two points, and their distance along
//   the same normal. From there on these contacts stop the two, by impulses without restitution or friction. So
//   later contacts are found where they will be, such as the other corners of a plate that comes down on one
//   corner.
//
//       start  t0 ----- t1 ----- t2 ----- t3  end        found at t2: the normal n of that time, and of the start
//              o                 |o| n                   the distance q0 - p along n: that at t2 plus the path
//              q0 ...............p q
//
// Holds: the mesh with fewer vertices is moved. It moves relative to the other one, which stays where it is at the
//   start.
// Cost: 0.5 us a piece while the two are apart; then a manifold a piece.
// Limits: gravity and other bodies do not act within the step. Parts thinner than mesh_shape.h says may pass.
#include <math.h>
#include <string.h>

#include "memory.h"
#include "mesh_shape.h"
#include "mesh_touch_inside.h"
#include "record_sort.h"
#include "result_make.h"

enum { MOST_PIECES = 1024, SOLVER_ROUNDS = 8, MANY_SEEN = 4096, NEARER_LOOKS = 4 };

// A body on its way through the step.
typedef struct FastBody {
    const grzCollider* collider;
    const grzBodyMass* mass;
    grzVec3 center, velocity, spin;
    grzQuat turn; // since the start
    grzQuat startRotation;
    grzTransform motion; // of its points, since the start
} FastBody;

typedef struct Fast {
    TouchWork* work;
    const grzMeshPair* pair;
    FastBody still, moved;
    uint32_t stillRow;
    bool isMovedB;
    FastScratch* scratch;
    grzManifolds* manifolds;
    TouchBlock* block;
    size_t first; // of its contacts in the block
    float margin;
    float radius;      // around the moved mesh's centre
    grzTransform move; // of the moved mesh since the start, as the other one sees it
} Fast;

static uint32_t vertexCountOf(const grzCollider* collider) {
    return collider->mesh->view.vertexCount;
}

bool grzMeshTouches_IsMovedB(const grzMeshTouchStep* step, uint32_t pair) {
    return vertexCountOf(grzMeshTouchStep_Side(step, pair, 1)) <=
           vertexCountOf(grzMeshTouchStep_Side(step, pair, 0));
}

// ---- on the way ----

static FastBody bodyOf(const grzMeshTouchStep* step, uint32_t row) {
    const grzBodyState* state = &step->states[row];
    return (FastBody){.collider = &step->colliders[row],
                      .mass = &step->masses[row],
                      .center = state->center,
                      .velocity = state->velocity,
                      .spin = state->spin,
                      .turn = grzQuat_Identity(),
                      .startRotation = state->rotation,
                      .motion = grzTransform_Identity()};
}

static void moveBody(FastBody* body, grzVec3 startCenter, float time) {
    const float speed = grzLength(body->spin);
    body->center = grzAddScaled(body->center, time, body->velocity);
    if (speed > 0.0f) {
        const grzQuat turn = grzQuat_FromAxisAngle(grzScale(body->spin, 1.0f / speed), speed * time);
        body->turn = grzQuat_Normalize(grzQuat_Multiply(turn, body->turn));
    }
    body->motion = grzTransform_FromQuat(body->turn, grzSub(body->center, grzQuat_Rotate(body->turn, startCenter)));
}

static void goOn(Fast* fast, float time) {
    const grzMeshTouchStep* step = fast->work->step;
    moveBody(&fast->still, step->states[fast->stillRow].center, time);
    moveBody(&fast->moved, step->states[fast->isMovedB ? fast->pair->rowB : fast->pair->rowA].center, time);
    fast->move = grzTransform_Multiply(grzTransform_Inverse(fast->still.motion), fast->moved.motion);
}

static grzVec3 velocityAt(const FastBody* body, grzVec3 point) {
    return grzAdd(body->velocity, grzCross(body->spin, grzSub(point, body->center)));
}

// No point of the moved mesh goes faster, as the other one sees it.
static float fastest(const Fast* fast) {
    const grzVec3 speed = grzSub(fast->moved.velocity, velocityAt(&fast->still, fast->moved.center));
    return grzLength(speed) + grzLength(grzSub(fast->moved.spin, fast->still.spin)) * fast->radius;
}

// ---- stopped by what is met ----

static bool yields(const FastBody* body) {
    return (body->mass->flags & grz_bodyYields) != 0;
}

static grzVec3 turnOf(const FastBody* body, grzVec3 arm, grzVec3 impulse) {
    return grzBodyMass_Turn(body->mass, grzQuat_Multiply(body->turn, body->startRotation), grzCross(arm, impulse));
}

// How much faster a unit impulse makes the point of the body along the normal.
static float lightness(const FastBody* body, grzVec3 arm, grzVec3 normal) {
    return yields(body) ? body->mass->inverseMass + grzDot(grzCross(turnOf(body, arm, normal), arm), normal) : 0.0f;
}

static void push(FastBody* body, grzVec3 arm, grzVec3 impulse) {
    if (!yields(body))
        return;
    body->velocity = grzAddScaled(body->velocity, body->mass->inverseMass, impulse);
    body->spin = grzAdd(body->spin, turnOf(body, arm, impulse));
}

// From the body's centre, now, to its point of the start.
static grzVec3 armOf(const FastBody* body, grzVec3 point) {
    return grzSub(grzTransform_Apply(body->motion, point), body->center);
}

static void stopAt(Fast* fast, FastPlace* place, float time) {
    const grzVec3 armStill = armOf(&fast->still, place->still), armMoved = armOf(&fast->moved, place->moved);
    const grzVec3 still = grzAdd(fast->still.center, armStill), moved = grzAdd(fast->moved.center, armMoved);
    const grzVec3 normal = grzQuat_Rotate(fast->still.turn, place->normal);
    const float apart = grzDot(normal, grzSub(moved, still)) - place->least;
    const float speed = grzDot(normal, grzSub(velocityAt(&fast->moved, moved), velocityAt(&fast->still, still)));
    const float light = lightness(&fast->still, armStill, normal) + lightness(&fast->moved, armMoved, normal);
    const float missing = -speed - (apart > 0.0f ? apart / time : 0.0f);
    if (!(light > 0.0f))
        return;
    const float sum = fmaxf(place->impulse + missing / light, 0.0f);
    const grzVec3 impulse = grzScale(normal, sum - place->impulse);
    place->impulse = sum;
    push(&fast->moved, armMoved, impulse);
    push(&fast->still, armStill, grzNeg(impulse));
}

// So that no place comes nearer in the time than it may.
static void stop(Fast* fast, float time) {
    FastPlaces* places = &fast->scratch->places;
    for (size_t i = 0; i < places->count; ++i)
        places->data[i].impulse = 0.0f;
    for (int round = 0; round < SOLVER_ROUNDS; ++round)
        for (size_t i = 0; i < places->count; ++i)
            stopAt(fast, &places->data[i], time);
}

// ---- what is there ----

static bool moveVertices(const Fast* fast) {
    FastScratch* scratch = fast->scratch;
    const grzTransform pose = grzTransform_Multiply(fast->move, fast->moved.collider->pose);
    const size_t count = vertexCountOf(fast->moved.collider);
    if (!grzArray_Reserve(&scratch->points, &fast->work->touches->memory.allocator, 3 * count))
        return false;
    for (size_t i = 0; i < 3 * count; i += 3)
        grzVec3_Store(scratch->points.data + i,
                      grzTransform_Apply(pose, grzVec3_Load(fast->moved.collider->mesh->positions + i)));
    return true;
}

static grzResult findWithin(const Fast* fast, float margin, uint32_t limit, grzModelPairsView* found) {
    const grzTransform moved = grzTransform_Multiply(fast->move, fast->moved.collider->pose);
    grzModelQuery query = grzDefaultModelQuery();
    query.order = grz_modelsAsMet;
    query.a = fast->isMovedB ? fast->still.collider->mesh->model : fast->moved.collider->mesh->model;
    query.b = fast->isMovedB ? fast->moved.collider->mesh->model : fast->still.collider->mesh->model;
    query.poseA = fast->isMovedB ? fast->still.collider->pose : moved;
    query.poseB = fast->isMovedB ? moved : fast->still.collider->pose;
    query.limit = limit;
    grzMeshTouches_SetMargin(&query, margin);
    const grzResult result = grzModelPairs_Find(fast->scratch->pairs, &query);
    *found = grzModelPairs_GetView(fast->scratch->pairs);
    fast->block->tests += found->stats.triangleTests;
    return result;
}

// Of fine meshes more triangles are within a stride of each other than it takes to see what comes together first. The margin becomes one
// that holds some of them, and few.
static grzResult findCandidates(Fast* fast, grzModelPairsView* found) {
    float none = fast->pair->leastMargin, many = fast->margin;
    const uint32_t limit = many > none ? MANY_SEEN : 0;
    grzResult result = findWithin(fast, many, limit, found);
    if (found->count < MANY_SEEN || limit == 0)
        return result;
    for (int look = 0; look < NEARER_LOOKS && grzResult_IsOk(result); ++look) {
        fast->margin = 0.5f * (none + many);
        result = findWithin(fast, fast->margin, limit, found);
        if (found->count != 0 && found->count < limit)
            return result;
        *(found->count == 0 ? &none : &many) = fast->margin;
    }
    fast->margin = many;
    return grzResult_IsOk(result) ? findWithin(fast, many, 0, found) : result;
}

static grzManifoldSide sideOf(const Fast* fast, bool isB) {
    const grzCollider* collider = isB == fast->isMovedB ? fast->moved.collider : fast->still.collider;
    const float* positions =
        isB == fast->isMovedB ? fast->scratch->points.data : fast->work->touches->meshes.data[fast->stillRow].data;
    return (grzManifoldSide){.mesh = &collider->mesh->view,
                             .positions = positions,
                             .body = collider->id,
                             .isTwoSided = collider->isTwoSided};
}

static grzResult buildManifold(const Fast* fast, const grzModelPairsView* found) {
    if (!moveVertices(fast))
        return grzNoMemory(vertexCountOf(fast->moved.collider), 3 * sizeof(float));
    const grzManifoldQuery query = {.a = sideOf(fast, false),
                                    .b = sideOf(fast, true),
                                    .pairs = found->pairs,
                                    .count = (uint32_t)found->count,
                                    .previous = fast->pair->previous,
                                    .previousCount = fast->pair->previousCount,
                                    .margin = fast->margin,
                                    .slack = fast->margin};
    return grzManifolds_Build(fast->manifolds, &query);
}

// ---- back to the start ----

// Normals that are like each other, of places nearer than a stride, are one contact.
static bool isKnown(const Fast* fast, const FastPlace* place) {
    for (size_t i = 0; i < fast->scratch->places.count; ++i) {
        const FastPlace* other = &fast->scratch->places.data[i];
        if (grzDot(other->normal, place->normal) >= GRZ_LIKE_COSINE &&
            grzDistance(other->moved, place->moved) < fast->pair->stride)
            return true;
    }
    return false;
}

// Between the two points, which are not on one line along the normal where the bodies have slid or turned: nearer to that of the body
// which an impulse there moves more, so that its arm is right.
static grzVec3 pointOf(const Fast* fast, const FastPlace* place, float apart) {
    const grzVec3 half = grzScale(place->normal, 0.5f * apart);
    const grzVec3 fromMoved = grzSub(place->moved, half), fromStill = grzAdd(place->still, half);
    const grzVec3 normal = grzQuat_Rotate(fast->still.turn, place->normal);
    const float light = lightness(&fast->moved, armOf(&fast->moved, place->moved), normal);
    const float all = light + lightness(&fast->still, armOf(&fast->still, place->still), normal);
    return grzLerp(fromStill, fromMoved, all > 0.0f ? light / all : 0.5f);
}

// A contact, of the moved mesh where it is, as the start of the step has it. False: no memory.
static bool takeContact(Fast* fast, grzContact contact, bool isAtStart) {
    const grzAllocator* allocator = &fast->work->touches->memory.allocator;
    FastPlaces* places = &fast->scratch->places;
    ContactList* contacts = &fast->block->contacts;
    const grzVec3 half = grzScale(contact.normal, 0.5f * contact.separation);
    const grzVec3 onA = grzSub(contact.point, half), onB = grzAdd(contact.point, half);
    FastPlace place = {.still = fast->isMovedB ? onA : onB, .normal = contact.normal};
    place.moved = grzTransform_ApplyInverse(fast->move, fast->isMovedB ? onB : onA);
    if (!fast->isMovedB)
        place.normal = grzNeg(place.normal);
    const float apart = grzDot(place.normal, grzSub(place.moved, place.still));
    place.least = fminf(contact.separation, 0.0f); // what it is sunk in, it need not come out
    // Places that are inside at the start have their contacts from there.
    if (!isAtStart && (isKnown(fast, &place) || !(apart > 0.0f)))
        return true;
    if (!grzArray_Reserve(places, allocator, places->count + 1) ||
        !grzArray_Reserve(contacts, allocator, contacts->count + 1))
        return false;
    if (!isAtStart) {
        contact.separation = apart;
        contact.point = pointOf(fast, &place, apart);
    }
    places->data[places->count++] = place;
    contacts->data[contacts->count++] = contact;
    return true;
}

// In the order of keys, each once: of two the one that was found first.
static void sortContacts(const Fast* fast) {
    ContactList* contacts = &fast->block->contacts;
    if (contacts->count == fast->first)
        return;
    contacts->count =
        fast->first + grzContacts_DropInner(contacts->data + fast->first, contacts->count - fast->first);
    size_t end = fast->first;
    for (size_t i = fast->first; i < contacts->count; ++i) {
        const grzContact contact = contacts->data[i];
        size_t at = end;
        int order = 1;
        while (at > fast->first) {
            order = grzCompareRecords(&grzContactType, &contact, &contacts->data[at - 1]);
            if (order >= 0)
                break;
            --at;
        }
        if (order == 0)
            continue;
        memmove(&contacts->data[at + 1], &contacts->data[at], (end - at) * sizeof contact);
        contacts->data[at] = contact;
        ++end;
    }
    contacts->count = end;
}

static grzResult look(Fast* fast, bool isAtStart) {
    grzModelPairsView found;
    grzResult result = findCandidates(fast, &found);
    if (!grzResult_IsOk(result) || found.count == 0)
        return result;
    result = buildManifold(fast, &found);
    const grzManifoldView view = grzManifolds_GetView(fast->manifolds);
    for (uint32_t i = 0; i < view.count && grzResult_IsOk(result); ++i)
        if (!takeContact(fast, view.contacts[i], isAtStart))
            result = grzNoMemory(view.count, sizeof *view.contacts);
    return result;
}

// ---- all of them ----

// The time of the next piece: nothing goes farther in it than a stride, unless it would be too short.
static float nextTime(Fast* fast, float left, float least) {
    const float stride = fast->pair->stride;
    float time = fmaxf(fminf(left, stride / fastest(fast)), least);
    stop(fast, time);
    time = fminf(fmaxf(fminf(time, stride / fastest(fast)), least), left); // what stops may turn faster
    const float way = time * fastest(fast);
    fast->margin = way > 1.01f * stride ? way : fast->scratch->places.count == 0 ? stride : fast->pair->leastMargin;
    return time;
}

static grzResult leadThrough(Fast* fast) {
    const float whole = fast->work->step->timeStep;
    fast->margin = fast->pair->margin;
    grzResult result = look(fast, true);
    for (float left = whole; left > 0.0f && grzResult_IsOk(result);) {
        const float time = nextTime(fast, left, whole / MOST_PIECES);
        goOn(fast, time);
        result = look(fast, false);
        left = time < left ? left - time : 0.0f;
    }
    return result;
}

static float radiusOf(const FastBody* body) {
    const grzBox box = body->collider->mesh->box;
    const grzVec3 middle = grzTransform_Apply(body->collider->pose, grzBox_Center(box));
    return grzDistance(middle, body->center) + 0.5f * grzLength(grzBox_Extent(box));
}

static grzResult findFast(TouchWork* work, uint32_t index, uint32_t worker, TouchBlock* block) {
    const uint32_t pair = work->touches->fastPairs.data[index];
    const grzMeshPair* asked = &work->step->pairs[pair];
    const bool isMovedB = grzMeshTouches_IsMovedB(work->step, pair);
    Fast fast = {.work = work,
                 .pair = asked,
                 .still = bodyOf(work->step, isMovedB ? asked->rowA : asked->rowB),
                 .moved = bodyOf(work->step, isMovedB ? asked->rowB : asked->rowA),
                 .stillRow = isMovedB ? asked->rowA : asked->rowB,
                 .isMovedB = isMovedB,
                 .scratch = &work->touches->fastScratch.data[worker],
                 .manifolds = work->touches->manifolds.data[worker],
                 .block = block,
                 .first = block->contacts.count,
                 .move = grzTransform_Identity()};
    fast.radius = radiusOf(&fast.moved);
    fast.scratch->places.count = 0;
    const grzResult result = leadThrough(&fast);
    sortContacts(&fast);
    return result;
}

static void findBlock(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    TouchWork* work = context;
    const uint32_t width = grzMeshTouches_BlockWidth(work->touches->fastPairs.count);
    TouchBlock* block = &work->touches->fastBlocks.data[begin / width];
    block->contacts.count = 0;
    block->tests = 0;
    block->result = grzOk();
    for (uint32_t i = begin; i < end && grzResult_IsOk(block->result); ++i) {
        block->result = findFast(work, i, worker, block);
        block->failed = i;
        block->ends[i - begin] = block->contacts.count;
    }
}

static grzResult reserveScratch(grzMeshTouches* touches, uint32_t workerCount) {
    FastScratches* list = &touches->fastScratch;
    if (!grzArray_Reserve(list, &touches->memory.allocator, workerCount))
        return grzNoMemory(workerCount, sizeof *list->data);
    while (list->count < workerCount) {
        FastScratch* made = &list->data[list->count];
        memset(made, 0, sizeof *made);
        const grzResult result = grzModelPairs_Create(touches->memory.allocator, &made->pairs);
        if (!grzResult_IsOk(result))
            return result;
        list->count++;
    }
    return grzOk();
}

void grzMeshTouches_ReleaseFast(grzMeshTouches* touches) {
    const grzAllocator* counted = &touches->memory.allocator;
    for (size_t i = 0; i < touches->fastScratch.count; ++i) {
        FastScratch* scratch = &touches->fastScratch.data[i];
        grzModelPairs_Destroy(scratch->pairs);
        grzArray_Release(&scratch->points, counted);
        grzArray_Release(&scratch->places, counted);
    }
    grzArray_Release(&touches->fastScratch, counted);
}

grzResult grzMeshTouches_FindFast(TouchWork* work) {
    grzMeshTouches* touches = work->touches;
    const uint32_t count = (uint32_t)touches->fastPairs.count;
    const grzResult result = reserveScratch(touches, grzTasks_WorkerCount(work->step->tasks));
    if (!grzResult_IsOk(result))
        return result;
    if (!grzMeshTouches_ReserveBlocks(touches, &touches->fastBlocks, count))
        return grzNoMemory(count, sizeof(TouchBlock));
    grzParallelFor(work->step->tasks, count, grzMeshTouches_BlockWidth(count), findBlock, work);
    const uint32_t blocks = grzBlockCount(count, grzMeshTouches_BlockWidth(count));
    for (uint32_t i = 0; i < blocks; ++i)
        touches->pairTests += touches->fastBlocks.data[i].tests;
    return grzMeshTouches_FindFailure(&touches->fastBlocks, &touches->fastPairs);
}
