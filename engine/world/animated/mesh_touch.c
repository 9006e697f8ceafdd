// What: one step's contacts with meshes. Pairs are sorted by how they are found, searched in parallel, and returned
//   pair by pair.
// Promise: see mesh_touch.h.
// Idea: pairs of a kind are queries of one batch. For two meshes the triangles that are near each other are found
//   first, in the frame of one mesh. Whether they meet is decided in the world. So a mesh with such triangles is
//   transformed once for all its pairs. It is not transformed again while it stays where it is; the ground never
//   is.
//
//                       mid                                |  narrow
//      pairs  -+- convex, mesh ----------------------------|-> shape queries --+- contacts, in the pairs' order
//              +- mesh, mesh ------> triangles that are near --> positions -> manifolds
//
// Cost: see graze/model_contact.h and graze/manifold.h; pairs that do not meet cost a walk of two trees each.
#include "mesh_touch.h"

#include <float.h>
#include <string.h>

#include "animated_body.h"
#include "memory.h"
#include "mesh_shape.h"
#include "mesh_touch_inside.h"
#include "owner.h"
#include "surface.h"

// ---- making it ----

grzResult grzMeshTouches_Create(grzAllocator allocator, grzMeshTouches** made) {
    *made = NULL;
    grzResult result;
    grzMeshTouches* touches = grzOwner_New(&allocator, 1, sizeof *touches, 64, &result);
    if (touches == NULL)
        return result;
    grzCountedMemory_Init(&touches->memory, allocator);
    result = grzModelContacts_Create(touches->memory.allocator, &touches->shapeContacts);
    if (grzResult_IsOk(result))
        result = grzModelPairs_Create(touches->memory.allocator, &touches->modelPairs);
    if (grzResult_IsOk(result))
        result = grzAnimatedPairs_Create(touches->memory.allocator, &touches->animatedPairs);
    if (grzResult_IsOk(result))
        *made = touches;
    else
        grzMeshTouches_Destroy(touches);
    return result;
}

static void callBlocks(BlockList* blocks, grzArrayCall* call, const grzAllocator* counted) {
    for (size_t i = 0; i < blocks->count; ++i)
        grzArray_Call(&blocks->data[i].contacts, call, counted);
}

// Calls a function for all scratch arrays, except arrays of workers and arrays that hold others.
static void callArrays(grzMeshTouches* touches, grzArrayCall* call) {
    const grzAllocator* counted = &touches->memory.allocator;
    callBlocks(&touches->pairBlocks, call, counted);
    callBlocks(&touches->fastBlocks, call, counted);
    grzArray_Call(&touches->plans, call, counted);
    grzArray_Call(&touches->shapes, call, counted);
    grzArray_Call(&touches->pairs, call, counted);
    grzArray_Call(&touches->modelQueries, call, counted);
    grzArray_Call(&touches->asks, call, counted);
    grzArray_Call(&touches->askQueries, call, counted);
    grzArray_Call(&touches->candidates, call, counted);
    grzArray_Call(&touches->shapePairs, call, counted);
    grzArray_Call(&touches->meshPairs, call, counted);
    grzArray_Call(&touches->fastPairs, call, counted);
    grzArray_Call(&touches->moving, call, counted);
    grzArray_Call(&touches->kinds, call, counted);
    grzArray_Call(&touches->margins, call, counted);
    grzArray_Call(&touches->starts, call, counted);
}

static void releaseWorkers(grzMeshTouches* touches) {
    const grzAllocator* counted = &touches->memory.allocator;
    grzMeshTouches_ReleaseFast(touches);
    for (size_t i = 0; i < touches->manifolds.count; ++i)
        grzManifolds_Destroy(touches->manifolds.data[i]);
    grzArray_Release(&touches->manifolds, counted);
}

// Which worker gets which pair is chance, so that one of them may have had little to do: their memory goes when none was needed.
void grzMeshTouches_Trim(grzMeshTouches* touches) {
    callArrays(touches, grzTrimScratch);
    grzModelContacts_Trim(touches->shapeContacts);
    grzModelPairs_Trim(touches->modelPairs);
    grzAnimatedPairs_Trim(touches->animatedPairs);
    if (touches->stepNumber == touches->trimmedStep)
        releaseWorkers(touches);
    for (uint32_t row = 0; row < touches->meshes.count; ++row)
        if (touches->meshes.data[row].wanted <= touches->trimmedStep)
            grzMeshTouches_Forget(touches, row);
    touches->trimmedStep = touches->stepNumber;
}

void grzMeshTouches_Destroy(grzMeshTouches* touches) {
    if (touches == NULL)
        return;
    const grzAllocator host = touches->memory.host, *counted = &touches->memory.allocator;
    callArrays(touches, grzFreeArray);
    releaseWorkers(touches);
    grzArray_Release(&touches->pairBlocks, counted);
    grzArray_Release(&touches->fastBlocks, counted);
    for (size_t i = 0; i < touches->meshes.count; ++i)
        grzArray_Release(&touches->meshes.data[i], counted);
    grzArray_Release(&touches->meshes, counted);
    grzModelContacts_Destroy(touches->shapeContacts);
    grzModelPairs_Destroy(touches->modelPairs);
    grzAnimatedPairs_Destroy(touches->animatedPairs);
    grzRelease(&host, touches, 1, sizeof *touches, 64);
}

void grzMeshTouches_Forget(grzMeshTouches* touches, uint32_t row) {
    if (row >= touches->meshes.count)
        return;
    WorldMesh* mesh = &touches->meshes.data[row];
    grzArray_Release(mesh, &touches->memory.allocator);
    memset(mesh, 0, sizeof *mesh);
}

// ---- what is asked ----

static bool isMesh(const grzCollider* collider) {
    return collider->kind == grz_meshCollider || collider->kind == grz_animatedCollider;
}

static TouchWay wayOf(const grzCollider* a, const grzCollider* b) {
    if (isMesh(a) && isMesh(b))
        return touchMeshes;
    return (isMesh(a) && b->kind == grz_convexCollider) || (isMesh(b) && a->kind == grz_convexCollider)
               ? touchShape
               : touchNothing;
}

static void addShapeQuery(grzMeshTouches* touches, const grzMeshTouchStep* step, uint32_t pair) {
    const grzMeshPair* asked = &step->pairs[pair];
    const bool isShapeA = grzMeshTouchStep_Side(step, pair, 0)->kind == grz_convexCollider;
    const grzCollider *shape = grzMeshTouchStep_Side(step, pair, isShapeA ? 0 : 1),
                      *mesh = grzMeshTouchStep_Side(step, pair, isShapeA ? 1 : 0);
    grzModelContactQuery* query = &touches->shapes.data[touches->shapes.count++];
    touches->shapePairs.data[touches->shapePairs.count++] = pair;
    *query = grzDefaultModelContactQuery();
    query->shape = shape->shape, query->shapePose = shape->pose;
    query->shapePose.origin = grzAdd(shape->pose.origin, asked->carry);
    query->shapeBody = step->colliders[isShapeA ? asked->rowA : asked->rowB].id;
    query->meshBody = step->colliders[isShapeA ? asked->rowB : asked->rowA].id;
    query->margin = asked->margin;
    query->isTwoSided = mesh->isTwoSided;
    query->previous = asked->previous, query->previousCount = asked->previousCount;
    const grzSurface surface = grzCollider_GetSurface(mesh);
    query->edges = surface.edges, query->pose = surface.pose;
}

// What floats may round where vertices come into the world, many times over, up to so far from the origin.
static float roundingTo(float most) {
    return 0x1p-19f * most + FLT_MIN;
}

static float farthestOf(grzBox box) {
    return grzMaxElement(grzMax(grzAbs(box.lower), grzAbs(box.upper)));
}

static float farthestOfModel(const grzModel* model, const grzTransform* pose) {
    return grzMaxElement(grzAbs(pose->origin)) + farthestOf(grzModel_GetView(model).box);
}

void grzMeshTouches_SetMargin(grzModelQuery* query, float margin) {
    query->margin =
        margin + roundingTo(farthestOfModel(query->a, &query->poseA) + farthestOfModel(query->b, &query->poseB));
}

static float farthestOfBody(const grzCollider* collider) {
    return collider->kind == grz_animatedCollider ? farthestOf(grzAnimatedBody_BoxNow(collider->animated))
                                                  : farthestOfModel(collider->mesh->model, &collider->pose);
}

static void addModelQuery(grzMeshTouches* touches, const grzMeshTouchStep* step, uint32_t pair,
                          uint32_t meshQuery) {
    grzModelQuery* query = &touches->pairs.data[touches->pairs.count++];
    touches->modelQueries.data[touches->modelQueries.count++] = meshQuery;
    *query = grzDefaultModelQuery();
    query->bodyPair = pair;
    query->order = grz_modelsAsMet;
    query->limit = step->pairs[pair].margin > step->pairs[pair].leastMargin ? MOST_CANDIDATES : 0;
    const grzSurface a = grzCollider_GetSurface(grzMeshTouchStep_Side(step, pair, 0));
    const grzSurface b = grzCollider_GetSurface(grzMeshTouchStep_Side(step, pair, 1));
    query->a = a.model, query->poseA = a.pose;
    query->b = b.model, query->poseB = b.pose;
    grzMeshTouches_SetMargin(query, step->pairs[pair].margin);
}

// Where the margin is the world's alone, the search is the pair's own. A search of models stops where a larger margin holds too many.
static bool addAsk(grzMeshTouches* touches, const grzMeshTouchStep* step, uint32_t pair, uint32_t meshQuery) {
    const grzMeshPair* asked = &step->pairs[pair];
    const grzCollider *a = grzMeshTouchStep_Side(step, pair, 0), *b = grzMeshTouchStep_Side(step, pair, 1);
    if (!grzAnimatedPairs_Fits(a, b))
        return false;
    const bool isResting = asked->margin > asked->leastMargin;
    touches->askQueries.data[touches->askQueries.count++] = isResting ? GRZ_NO_QUERY : meshQuery;
    touches->asks.data[touches->asks.count++] =
        (grzAnimatedAsk){.rowA = asked->rowA,
                         .rowB = asked->rowB,
                         .margin = asked->margin + roundingTo(farthestOfBody(a) + farthestOfBody(b)),
                         .isResting = isResting,
                         .bodyPair = pair};
    return !isResting;
}

static void addPairQuery(grzMeshTouches* touches, const grzMeshTouchStep* step, uint32_t pair) {
    const uint32_t query = (uint32_t)touches->meshPairs.count++;
    touches->meshPairs.data[query] = pair;
    touches->margins.data[touches->margins.count++] = step->pairs[pair].margin;
    touches->candidates.data[touches->candidates.count++] = (grzMeshCandidates){NULL, 0};
    if (!addAsk(touches, step, pair, query))
        addModelQuery(touches, step, pair, query);
}

static bool reserve(grzMeshTouches* touches, const grzMeshTouchStep* step) {
    const grzAllocator* counted = &touches->memory.allocator;
    const size_t count = step->pairCount;
    return grzArray_Reserve(&touches->plans, counted, count) &&
           grzArray_Reserve(&touches->shapes, counted, count) &&
           grzArray_Reserve(&touches->pairs, counted, count) &&
           grzArray_Reserve(&touches->modelQueries, counted, count) &&
           grzArray_Reserve(&touches->asks, counted, count) &&
           grzArray_Reserve(&touches->askQueries, counted, count) &&
           grzArray_Reserve(&touches->candidates, counted, count) &&
           grzArray_Reserve(&touches->shapePairs, counted, count) &&
           grzArray_Reserve(&touches->meshPairs, counted, count) &&
           grzArray_Reserve(&touches->fastPairs, counted, count) &&
           grzArray_Reserve(&touches->margins, counted, count) &&
           grzArray_Reserve(&touches->starts, counted, count + 1);
}

static grzResult planPairs(grzMeshTouches* touches, const grzMeshTouchStep* step) {
    touches->plans.count = touches->shapes.count = touches->pairs.count = 0;
    touches->shapePairs.count = touches->meshPairs.count = touches->margins.count = touches->fastPairs.count = 0;
    touches->modelQueries.count = touches->asks.count = touches->askQueries.count = touches->candidates.count = 0;
    if (!reserve(touches, step))
        return grzNoMemory(step->pairCount, sizeof(grzModelContactQuery));
    for (uint32_t i = 0; i < step->pairCount; ++i) {
        TouchPlan* plan = &touches->plans.data[touches->plans.count++];
        plan->way = wayOf(grzMeshTouchStep_Side(step, i, 0), grzMeshTouchStep_Side(step, i, 1));
        if (plan->way == touchMeshes && step->pairs[i].stride > 0.0f)
            plan->way = touchFast;
        plan->query = (uint32_t)(plan->way == touchShape  ? touches->shapes.count
                                 : plan->way == touchFast ? touches->fastPairs.count
                                                          : touches->meshPairs.count);
        if (plan->way == touchShape)
            addShapeQuery(touches, step, i);
        else if (plan->way == touchFast)
            touches->fastPairs.data[touches->fastPairs.count++] = i;
        else if (plan->way == touchMeshes)
            addPairQuery(touches, step, i);
    }
    return grzOk();
}

// ---- blocks ----

bool grzMeshTouches_ReserveBlocks(grzMeshTouches* touches, BlockList* blocks, size_t queryCount) {
    const uint32_t count = grzBlockCount((uint32_t)queryCount, grzMeshTouches_BlockWidth(queryCount));
    if (!grzArray_Reserve(blocks, &touches->memory.allocator, count))
        return false;
    while (blocks->count < count)
        memset(&blocks->data[blocks->count++], 0, sizeof(TouchBlock));
    return true;
}

grzResult grzMeshTouches_FindFailure(const BlockList* blocks, const IndexList* pairs) {
    const uint32_t count = grzBlockCount((uint32_t)pairs->count, grzMeshTouches_BlockWidth(pairs->count));
    for (uint32_t i = 0; i < count; ++i) {
        grzResult result = blocks->data[i].result;
        if (grzResult_IsOk(result))
            continue;
        if (result.status != grz_outOfMemory)
            result.part = grz_partElement, result.index = pairs->data[blocks->data[i].failed];
        return result;
    }
    return grzOk();
}

// ---- what was found ----

typedef struct FoundContacts {
    const grzContact* contacts;
    size_t count;
} FoundContacts;

// Where there are none, there may be no array to count from.
static FoundContacts span(const grzContact* contacts, size_t first, size_t end) {
    return (FoundContacts){end == first ? NULL : contacts + first, end - first};
}

static FoundContacts foundOf(const grzMeshTouches* touches, const TouchPlan* plan) {
    if (plan->way == touchNothing)
        return (FoundContacts){NULL, 0};
    if (plan->way == touchShape) {
        const grzModelContactsView view = grzModelContacts_GetView(touches->shapeContacts);
        return span(view.contacts, view.starts[plan->query], view.starts[plan->query + 1]);
    }
    const bool isFast = plan->way == touchFast;
    const uint32_t width = grzMeshTouches_BlockWidth(isFast ? touches->fastPairs.count : touches->meshPairs.count);
    const TouchBlock* block = &(isFast ? &touches->fastBlocks : &touches->pairBlocks)->data[plan->query / width];
    const uint32_t k = plan->query % width;
    return span(block->contacts.data, k == 0 ? 0 : block->ends[k - 1], block->ends[k]);
}

// From a shape that went along with the surface to the shape where it is.
static void takeBack(const grzMeshTouchStep* step, uint32_t pair, grzContact* contacts, size_t count) {
    const grzVec3 carry = step->pairs[pair].carry;
    const float side = grzMeshTouchStep_Side(step, pair, 0)->kind == grz_convexCollider ? 1.0f : -1.0f;
    for (size_t i = 0; i < count && grzLengthSq(carry) > 0.0f; ++i) {
        contacts[i].point = grzSubScaled(contacts[i].point, 0.5f, carry);
        contacts[i].separation += side * grzDot(contacts[i].normal, carry);
    }
}

static void countAll(grzMeshTouches* touches) {
    touches->starts.count = touches->plans.count + 1;
    touches->starts.data[0] = 0;
    for (size_t i = 0; i < touches->plans.count; ++i)
        touches->starts.data[i + 1] = touches->starts.data[i] + foundOf(touches, &touches->plans.data[i]).count;
}

void grzMeshTouches_WriteContacts(const grzMeshTouches* touches, const grzMeshTouchStep* step, uint32_t pair,
                                  grzContact* contacts) {
    const FoundContacts found = foundOf(touches, &touches->plans.data[pair]);
    if (found.count != 0)
        memcpy(contacts, found.contacts, found.count * sizeof *contacts);
    takeBack(step, pair, contacts, found.count);
}

grzResult grzMeshTouches_FindCandidates(grzMeshTouches* touches, const grzMeshTouchStep* step) {
    TouchWork work = {touches, step};
    touches->starts.count = 0;
    touches->shapeTests = touches->pairTests = 0;
    grzResult result = planPairs(touches, step);
    if (grzResult_IsOk(result))
        result = grzMeshTouches_ListMeshes(&work);
    return result;
}

grzResult grzMeshTouches_FindNothing(grzMeshTouches* touches) {
    const grzAnimatedPairsStep step = {0};
    return grzAnimatedPairs_Find(touches->animatedPairs, &step);
}

grzResult grzMeshTouches_FindContacts(grzMeshTouches* touches, const grzMeshTouchStep* step) {
    TouchWork work = {touches, step};
    grzResult result = grzOk();
    if (touches->shapes.count != 0)
        result = grzMeshTouches_FindShapes(&work);
    if (grzResult_IsOk(result) && touches->meshPairs.count + touches->fastPairs.count != 0)
        result = grzMeshTouches_FindMeshes(&work);
    if (grzResult_IsOk(result) && touches->fastPairs.count != 0)
        result = grzMeshTouches_FindFast(&work);
    if (grzResult_IsOk(result))
        countAll(touches);
    return result;
}

grzMeshCandidates grzMeshTouches_GetCandidates(const grzMeshTouches* touches, uint32_t pair) {
    const TouchPlan* plan = &touches->plans.data[pair];
    return plan->way == touchMeshes ? touches->candidates.data[plan->query] : (grzMeshCandidates){NULL, 0};
}

void grzMeshTouches_EndBody(grzMeshTouches* touches, grzBodyId body) {
    grzAnimatedPairs_EndBody(touches->animatedPairs, body);
}

void grzMeshTouches_RefuseStep(grzMeshTouches* touches) {
    grzAnimatedPairs_Forget(touches->animatedPairs);
}

bool grzMeshTouches_Horizon(const grzMeshTouches* touches, grzBodyId a, grzBodyId b, double* time) {
    return grzAnimatedPairs_Horizon(touches->animatedPairs, a, b, time);
}

bool grzMeshTouches_Validate(const grzMeshTouches* touches) {
    return grzAnimatedPairs_Validate(touches->animatedPairs);
}

grzMeshTouchView grzMeshTouches_GetView(const grzMeshTouches* touches) {
    static const size_t none = 0;
    const size_t count = touches->starts.count;
    return (grzMeshTouchView){count == 0 ? &none : touches->starts.data, count == 0 ? 0 : count - 1,
                              touches->shapeTests, touches->pairTests};
}

size_t grzMeshTouches_MemorySize(const grzMeshTouches* touches) {
    return sizeof *touches + grzCountedMemory_Size(&touches->memory);
}
