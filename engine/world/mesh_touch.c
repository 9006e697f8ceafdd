// What: one step's contacts with meshes: pairs sorted by how they are found, found side by side, put together again.
// Promise: as mesh_touch.h says.
// Idea: pairs of a kind are queries of one batch. Of two meshes the triangles that meet are found first, in the frame of one of
//   them; manifolds need the vertices in the world, so a mesh whose triangles meet others is moved there once for all its pairs,
//   and not again while it stays where it was (the ground never is).
//
//      pairs  -+- convex, mesh -----------------------------> shape queries --+- contacts, in the pairs' order
//              +- convex, animated -> triangles in the box ---^               |
//              +- mesh, mesh ------> triangles that meet -> positions -> manifolds
//
// Holds: what a block of pairs finds lies in the block's own arrays, in the pairs' order.
// Threads: a worker has manifolds of its own, whose results do not depend on what they were used for before.
#include "mesh_touch.h"

#include <string.h>

#include "animated_body.h"
#include "array.h"
#include "counted_memory.h"
#include "graze/manifold.h"
#include "graze/model_pair.h"
#include "memory.h"
#include "mesh_shape.h"

enum { BLOCK_PAIRS = 4 }; // of a task

typedef enum TouchWay { touchNothing, touchShape, touchMeshes } TouchWay;

typedef struct TouchPlan {
    TouchWay way;
    uint32_t query; // its number among those of its way
} TouchPlan;

typedef struct PlanArray {
    GRZ_ARRAY(TouchPlan);
} PlanArray;

typedef struct ShapeQueries {
    GRZ_ARRAY(grzModelContactQuery);
} ShapeQueries;

typedef struct PairQueries {
    GRZ_ARRAY(grzModelQuery);
} PairQueries;

typedef struct IndexList {
    GRZ_ARRAY(uint32_t);
} IndexList;

typedef struct ContactList {
    GRZ_ARRAY(grzContact);
} ContactList;

typedef struct StartList {
    GRZ_ARRAY(size_t);
} StartList;

// Of BLOCK_PAIRS queries: what they found, and where each one's ends.
typedef struct TouchBlock {
    IndexList triangles;
    ContactList contacts;
    size_t ends[BLOCK_PAIRS];
    grzResult result;
    uint32_t failed; // the query that the result is of
} TouchBlock;

typedef struct BlockList {
    GRZ_ARRAY(TouchBlock);
} BlockList;

// Where a body's vertices are in the world. By slot.
typedef struct WorldMesh {
    const grzMeshShape* mesh; // NULL: never moved
    grzTransform pose;
    GRZ_ARRAY(float);
    uint32_t wanted; // the step that asked for it last
} WorldMesh;

typedef struct WorldMeshes {
    GRZ_ARRAY(WorldMesh);
} WorldMeshes;

typedef struct ManifoldsList {
    GRZ_ARRAY(grzManifolds*);
} ManifoldsList;

struct grzMeshTouches {
    grzCountedMemory memory;
    PlanArray plans;
    ShapeQueries shapes;
    PairQueries pairs;
    IndexList shapePairs, meshPairs; // the pair that a query is of
    BlockList blocks;
    WorldMeshes meshes;
    IndexList moving; // slots of meshes to be moved in this step
    ManifoldsList manifolds; // one a worker
    grzModelContacts* shapeContacts;
    grzModelPairs* modelPairs;
    ContactList contacts;
    StartList starts;
    uint32_t stepNumber;
    uint64_t shapeTests, pairTests;
};

// ---- making it ----

grzResult grzMeshTouches_Create(grzAllocator allocator, grzMeshTouches** made) {
    *made = NULL;
    allocator = grzAllocator_OrDefault(allocator);
    grzMeshTouches* touches = grzAllocate(&allocator, 1, sizeof *touches, 64);
    if (touches == NULL)
        return grzNoMemory(1, sizeof *touches);
    memset(touches, 0, sizeof *touches);
    grzCountedMemory_Init(&touches->memory, allocator);
    grzResult result = grzModelContacts_Create(touches->memory.allocator, &touches->shapeContacts);
    if (grzResult_IsOk(result))
        result = grzModelPairs_Create(touches->memory.allocator, &touches->modelPairs);
    if (grzResult_IsOk(result))
        *made = touches;
    else
        grzMeshTouches_Destroy(touches);
    return result;
}

void grzMeshTouches_Destroy(grzMeshTouches* touches) {
    if (touches == NULL)
        return;
    const grzAllocator host = touches->memory.host, *counted = &touches->memory.allocator;
    for (size_t i = 0; i < touches->blocks.count; ++i) {
        grzArray_Release(&touches->blocks.data[i].triangles, counted);
        grzArray_Release(&touches->blocks.data[i].contacts, counted);
    }
    for (size_t i = 0; i < touches->meshes.count; ++i)
        grzArray_Release(&touches->meshes.data[i], counted);
    for (size_t i = 0; i < touches->manifolds.count; ++i)
        grzManifolds_Destroy(touches->manifolds.data[i]);
    grzArray_Release(&touches->blocks, counted);
    grzArray_Release(&touches->meshes, counted);
    grzArray_Release(&touches->manifolds, counted);
    grzArray_Release(&touches->plans, counted);
    grzArray_Release(&touches->shapes, counted);
    grzArray_Release(&touches->pairs, counted);
    grzArray_Release(&touches->shapePairs, counted);
    grzArray_Release(&touches->meshPairs, counted);
    grzArray_Release(&touches->moving, counted);
    grzArray_Release(&touches->contacts, counted);
    grzArray_Release(&touches->starts, counted);
    grzModelContacts_Destroy(touches->shapeContacts);
    grzModelPairs_Destroy(touches->modelPairs);
    grzRelease(&host, touches, 1, sizeof *touches, 64);
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

static const grzCollider* sideOf(const grzMeshTouchStep* step, uint32_t pair, int side) {
    return &step->colliders[side == 0 ? step->pairs[pair].slotA : step->pairs[pair].slotB];
}

static void addShapeQuery(grzMeshTouches* touches, const grzMeshTouchStep* step, uint32_t pair) {
    const grzMeshPair* asked = &step->pairs[pair];
    const bool isShapeA = sideOf(step, pair, 0)->kind == grz_convexCollider;
    const grzCollider *shape = sideOf(step, pair, isShapeA ? 0 : 1), *mesh = sideOf(step, pair, isShapeA ? 1 : 0);
    grzModelContactQuery* query = &touches->shapes.data[touches->shapes.count++];
    touches->shapePairs.data[touches->shapePairs.count++] = pair;
    *query = grzDefaultModelContactQuery();
    query->shape = shape->shape, query->shapePose = shape->pose;
    query->shapeBody = isShapeA ? asked->slotA : asked->slotB;
    query->meshBody = isShapeA ? asked->slotB : asked->slotA;
    query->margin = asked->margin;
    query->isTwoSided = mesh->isTwoSided;
    query->previous = asked->previous, query->previousCount = asked->previousCount;
    if (mesh->kind == grz_meshCollider)
        query->surface = mesh->mesh->surface, query->pose = mesh->pose;
}

static grzResult setModel(const grzMeshTouchStep* step, const grzCollider* collider, const grzModel** model,
                          grzTransform* pose) {
    const grzModelSurface* surface;
    if (collider->kind == grz_animatedCollider)
        return grzAnimatedBody_Model(collider->animated, step->tasks, model, &surface);
    *model = collider->mesh->model;
    *pose = collider->pose;
    return grzOk();
}

static grzResult addPairQuery(grzMeshTouches* touches, const grzMeshTouchStep* step, uint32_t pair) {
    grzModelQuery* query = &touches->pairs.data[touches->pairs.count++];
    touches->meshPairs.data[touches->meshPairs.count++] = pair;
    *query = grzDefaultModelQuery();
    query->bodyPair = pair;
    grzResult result = setModel(step, sideOf(step, pair, 0), &query->a, &query->poseA);
    if (grzResult_IsOk(result))
        result = setModel(step, sideOf(step, pair, 1), &query->b, &query->poseB);
    return result;
}

static bool reserve(grzMeshTouches* touches, const grzMeshTouchStep* step) {
    const grzAllocator* counted = &touches->memory.allocator;
    const size_t count = step->pairCount;
    return grzArray_Reserve(&touches->plans, counted, count) && grzArray_Reserve(&touches->shapes, counted, count) &&
           grzArray_Reserve(&touches->pairs, counted, count) &&
           grzArray_Reserve(&touches->shapePairs, counted, count) &&
           grzArray_Reserve(&touches->meshPairs, counted, count) &&
           grzArray_Reserve(&touches->starts, counted, count + 1);
}

static grzResult planPairs(grzMeshTouches* touches, const grzMeshTouchStep* step) {
    grzResult result = grzOk();
    touches->plans.count = touches->shapes.count = touches->pairs.count = 0;
    touches->shapePairs.count = touches->meshPairs.count = 0;
    if (!reserve(touches, step))
        return grzNoMemory(step->pairCount, sizeof(grzModelContactQuery));
    for (uint32_t i = 0; i < step->pairCount && grzResult_IsOk(result); ++i) {
        TouchPlan* plan = &touches->plans.data[touches->plans.count++];
        plan->way = wayOf(sideOf(step, i, 0), sideOf(step, i, 1));
        plan->query = (uint32_t)(plan->way == touchShape ? touches->shapes.count : touches->pairs.count);
        if (plan->way == touchShape)
            addShapeQuery(touches, step, i);
        else if (plan->way == touchMeshes)
            result = addPairQuery(touches, step, i);
    }
    return result;
}

// ---- blocks ----

static bool reserveBlocks(grzMeshTouches* touches, uint32_t queryCount) {
    const uint32_t count = grzBlockCount(queryCount, BLOCK_PAIRS);
    BlockList* blocks = &touches->blocks;
    if (!grzArray_Reserve(blocks, &touches->memory.allocator, count))
        return false;
    while (blocks->count < count)
        memset(&blocks->data[blocks->count++], 0, sizeof(TouchBlock));
    return true;
}

static grzResult findFailure(const grzMeshTouches* touches, uint32_t queryCount, const IndexList* pairs) {
    for (uint32_t i = 0; i < grzBlockCount(queryCount, BLOCK_PAIRS); ++i) {
        grzResult result = touches->blocks.data[i].result;
        if (grzResult_IsOk(result))
            continue;
        if (result.status != grz_outOfMemory)
            result.part = grz_partElement, result.index = pairs->data[touches->blocks.data[i].failed];
        return result;
    }
    return grzOk();
}

typedef struct TouchWork {
    grzMeshTouches* touches;
    const grzMeshTouchStep* step;
} TouchWork;

// ---- shapes ----

static const grzCollider* animatedOf(const TouchWork* work, uint32_t query) {
    const uint32_t pair = work->touches->shapePairs.data[query];
    const grzCollider *a = sideOf(work->step, pair, 0), *b = sideOf(work->step, pair, 1);
    return a->kind == grz_animatedCollider ? a : b->kind == grz_animatedCollider ? b : NULL;
}

static grzResult listTriangles(const grzModelContactQuery* query, const grzAnimatedShape* shape, TouchBlock* block,
                               const grzAllocator* allocator) {
    IndexList* list = &block->triangles;
    const grzBox box = grzBox_Expand(grzConvex_Box(&query->shape, query->shapePose), query->margin);
    for (;;) {
        size_t count;
        uint32_t* room = list->data == NULL ? NULL : list->data + list->count;
        const grzResult result =
            grzUpkeep_FindInBox(shape->upkeep, box, room, list->capacity - list->count, &count);
        list->count += count;
        if (result.status != grz_bufferTooSmall)
            return result;
        if (!grzArray_Reserve(list, allocator, list->count + (size_t)result.value))
            return grzNoMemory(list->count + (size_t)result.value, sizeof *list->data);
    }
}

static void listBlock(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    const TouchWork* work = context;
    grzMeshTouches* touches = work->touches;
    TouchBlock* block = &touches->blocks.data[begin / BLOCK_PAIRS];
    (void)worker;
    block->triangles.count = 0;
    block->result = grzOk();
    for (uint32_t i = begin; i < end && grzResult_IsOk(block->result); ++i) {
        grzModelContactQuery* query = &touches->shapes.data[i];
        const grzCollider* mesh = animatedOf(work, i);
        block->failed = i;
        if (mesh != NULL) {
            const grzAnimatedShape shape = grzAnimatedBody_GetShape(mesh->animated);
            query->positions = shape.positions;
            block->result = listTriangles(query, &shape, block, &touches->memory.allocator);
        }
        block->ends[i - begin] = block->triangles.count;
    }
}

// Once the lists have stopped moving.
static void setLists(const TouchWork* work) {
    grzMeshTouches* touches = work->touches;
    for (uint32_t i = 0; i < touches->shapes.count; ++i) {
        const TouchBlock* block = &touches->blocks.data[i / BLOCK_PAIRS];
        const uint32_t k = i % BLOCK_PAIRS;
        const size_t begin = k == 0 ? 0 : block->ends[k - 1];
        const grzCollider* mesh = animatedOf(work, i);
        if (mesh == NULL)
            continue;
        grzModelContactQuery* query = &touches->shapes.data[i];
        query->mesh = grzAnimatedBody_GetMesh(mesh->animated);
        query->triangleCount = (uint32_t)(block->ends[k] - begin);
        query->triangles = query->triangleCount == 0 ? NULL : block->triangles.data + begin;
    }
}

static grzResult findShapes(TouchWork* work) {
    grzMeshTouches* touches = work->touches;
    const uint32_t count = (uint32_t)touches->shapes.count;
    if (!reserveBlocks(touches, count))
        return grzNoMemory(count, sizeof(TouchBlock));
    grzParallelFor(work->step->tasks, count, BLOCK_PAIRS, listBlock, work);
    grzResult result = findFailure(touches, count, &touches->shapePairs);
    if (!grzResult_IsOk(result))
        return result;
    setLists(work);
    result = grzModelContacts_FindMany(touches->shapeContacts, work->step->tasks, touches->shapes.data, count);
    if (result.part == grz_partElement)
        result.index = touches->shapePairs.data[result.index];
    touches->shapeTests = grzModelContacts_GetView(touches->shapeContacts).triangleTests;
    return result;
}

// ---- meshes in the world ----

static void moveVertices(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    WorldMesh* mesh = context;
    (void)worker;
    for (size_t i = begin; i < end; ++i)
        grzVec3_Store(mesh->data + 3 * i,
                      grzTransform_Apply(mesh->pose, grzVec3_Load(mesh->mesh->positions + 3 * i)));
}

static bool stands(const WorldMesh* mesh, const grzCollider* collider) {
    return mesh->mesh == collider->mesh && memcmp(&mesh->pose, &collider->pose, sizeof mesh->pose) == 0;
}

// Of a body of which a triangle meets another's.
static bool wantMesh(grzMeshTouches* touches, const grzMeshTouchStep* step, uint32_t slot) {
    const grzAllocator* counted = &touches->memory.allocator;
    const grzCollider* collider = &step->colliders[slot];
    if (collider->kind != grz_meshCollider)
        return true;
    WorldMesh* mesh = &touches->meshes.data[slot];
    const size_t count = 3 * (size_t)collider->mesh->view.vertexCount;
    if (mesh->wanted == touches->stepNumber)
        return true;
    mesh->wanted = touches->stepNumber;
    if (stands(mesh, collider))
        return true;
    mesh->mesh = NULL;
    if (!grzArray_Reserve(mesh, counted, count) ||
        !grzArray_Reserve(&touches->moving, counted, touches->moving.count + 1))
        return false;
    touches->moving.data[touches->moving.count++] = slot;
    return true;
}

static bool reserveMeshes(grzMeshTouches* touches, uint32_t slotCount) {
    WorldMeshes* meshes = &touches->meshes;
    if (!grzArray_Reserve(meshes, &touches->memory.allocator, slotCount))
        return false;
    while (meshes->count < slotCount)
        memset(&meshes->data[meshes->count++], 0, sizeof(WorldMesh));
    return true;
}

static grzResult moveMeshes(grzMeshTouches* touches, const grzMeshTouchStep* step, const grzModelPairsView* found) {
    enum { GRAIN = 4096 };
    touches->moving.count = 0;
    touches->stepNumber++;
    if (!reserveMeshes(touches, step->colliderCount))
        return grzNoMemory(step->colliderCount, sizeof(WorldMesh));
    for (size_t i = 0; i < touches->pairs.count; ++i) {
        const grzMeshPair* pair = &step->pairs[touches->meshPairs.data[i]];
        if (found->starts[i] == found->starts[i + 1])
            continue;
        if (!wantMesh(touches, step, pair->slotA) || !wantMesh(touches, step, pair->slotB))
            return grzNoMemory(step->colliderCount, sizeof(float));
    }
    for (size_t i = 0; i < touches->moving.count; ++i) {
        const uint32_t slot = touches->moving.data[i];
        WorldMesh* mesh = &touches->meshes.data[slot];
        mesh->mesh = step->colliders[slot].mesh;
        mesh->pose = step->colliders[slot].pose;
        grzParallelFor(step->tasks, mesh->mesh->view.vertexCount, GRAIN, moveVertices, mesh);
    }
    return grzOk();
}

// ---- meshes with meshes ----

static grzManifoldSide meshSide(const TouchWork* work, uint32_t slot) {
    const grzCollider* collider = &work->step->colliders[slot];
    if (collider->kind == grz_meshCollider)
        return (grzManifoldSide){&collider->mesh->view, work->touches->meshes.data[slot].data, slot};
    return (grzManifoldSide){grzAnimatedBody_GetMesh(collider->animated),
                             grzAnimatedBody_GetShape(collider->animated).positions, slot};
}

static grzResult buildPair(const TouchWork* work, uint32_t query, grzManifolds* manifolds, TouchBlock* block) {
    const grzMeshTouches* touches = work->touches;
    const grzMeshPair* pair = &work->step->pairs[touches->meshPairs.data[query]];
    const grzModelPairsView found = grzModelPairs_GetView(touches->modelPairs);
    const size_t first = found.starts[query], count = found.starts[query + 1] - first;
    if (count == 0)
        return grzOk();
    const grzManifoldQuery asked = {.a = meshSide(work, pair->slotA),
                                    .b = meshSide(work, pair->slotB),
                                    .pairs = found.pairs + first,
                                    .count = (uint32_t)count,
                                    .previous = pair->previous,
                                    .previousCount = pair->previousCount};
    const grzResult result = grzManifolds_Build(manifolds, &asked);
    if (!grzResult_IsOk(result))
        return result;
    const grzManifoldView view = grzManifolds_GetView(manifolds);
    ContactList* contacts = &block->contacts;
    if (view.count == 0)
        return result;
    if (!grzArray_Reserve(contacts, &touches->memory.allocator, contacts->count + view.count))
        return grzNoMemory(contacts->count + view.count, sizeof *contacts->data);
    memcpy(contacts->data + contacts->count, view.contacts, view.count * sizeof *view.contacts);
    contacts->count += view.count;
    return result;
}

static void buildBlock(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    const TouchWork* work = context;
    TouchBlock* block = &work->touches->blocks.data[begin / BLOCK_PAIRS];
    block->contacts.count = 0;
    block->result = grzOk();
    for (uint32_t i = begin; i < end && grzResult_IsOk(block->result); ++i) {
        block->result = buildPair(work, i, work->touches->manifolds.data[worker], block);
        block->failed = i;
        block->ends[i - begin] = block->contacts.count;
    }
}

static grzResult reserveManifolds(grzMeshTouches* touches, uint32_t workerCount) {
    const grzAllocator* counted = &touches->memory.allocator;
    ManifoldsList* list = &touches->manifolds;
    if (!grzArray_Reserve(list, counted, workerCount))
        return grzNoMemory(workerCount, sizeof *list->data);
    while (list->count < workerCount) {
        const grzResult result = grzManifolds_Create(NULL, *counted, &list->data[list->count]);
        if (!grzResult_IsOk(result))
            return result;
        list->count++;
    }
    return grzOk();
}

static grzResult findMeshes(TouchWork* work) {
    grzMeshTouches* touches = work->touches;
    const uint32_t count = (uint32_t)touches->pairs.count;
    grzTasks* tasks = work->step->tasks;
    grzResult result = grzModelPairs_FindMany(touches->modelPairs, tasks, touches->pairs.data, count);
    if (!grzResult_IsOk(result)) {
        if (result.part == grz_partElement)
            result.index = touches->meshPairs.data[result.index];
        return result;
    }
    const grzModelPairsView found = grzModelPairs_GetView(touches->modelPairs);
    touches->pairTests = found.stats.triangleTests;
    result = moveMeshes(touches, work->step, &found);
    if (grzResult_IsOk(result))
        result = reserveManifolds(touches, grzTasks_WorkerCount(tasks));
    if (grzResult_IsOk(result) && !reserveBlocks(touches, count))
        result = grzNoMemory(count, sizeof(TouchBlock));
    if (!grzResult_IsOk(result))
        return result;
    grzParallelFor(tasks, count, BLOCK_PAIRS, buildBlock, work);
    return findFailure(touches, count, &touches->meshPairs);
}

// ---- putting together ----

typedef struct FoundContacts {
    const grzContact* contacts;
    size_t count;
} FoundContacts;

static FoundContacts foundOf(const grzMeshTouches* touches, const TouchPlan* plan) {
    if (plan->way == touchNothing)
        return (FoundContacts){NULL, 0};
    if (plan->way == touchShape) {
        const grzModelContactsView view = grzModelContacts_GetView(touches->shapeContacts);
        const size_t first = view.starts[plan->query];
        return (FoundContacts){view.contacts + first, view.starts[plan->query + 1] - first};
    }
    const TouchBlock* block = &touches->blocks.data[plan->query / BLOCK_PAIRS];
    const uint32_t k = plan->query % BLOCK_PAIRS;
    const size_t first = k == 0 ? 0 : block->ends[k - 1];
    return (FoundContacts){block->contacts.data + first, block->ends[k] - first};
}

static grzResult joinAll(grzMeshTouches* touches) {
    ContactList* contacts = &touches->contacts;
    size_t total = 0;
    for (size_t i = 0; i < touches->plans.count; ++i)
        total += foundOf(touches, &touches->plans.data[i]).count;
    if (!grzArray_Reserve(contacts, &touches->memory.allocator, total))
        return grzNoMemory(total, sizeof *contacts->data);
    touches->starts.data[0] = 0;
    for (size_t i = 0; i < touches->plans.count; ++i) {
        const FoundContacts found = foundOf(touches, &touches->plans.data[i]);
        if (found.count != 0)
            memcpy(contacts->data + contacts->count, found.contacts, found.count * sizeof *found.contacts);
        contacts->count += found.count;
        touches->starts.data[i + 1] = contacts->count;
    }
    touches->starts.count = touches->plans.count + 1;
    return grzOk();
}

grzResult grzMeshTouches_Find(grzMeshTouches* touches, const grzMeshTouchStep* step) {
    TouchWork work = {touches, step};
    touches->contacts.count = touches->starts.count = 0;
    touches->shapeTests = touches->pairTests = 0;
    grzResult result = planPairs(touches, step);
    if (grzResult_IsOk(result) && touches->shapes.count != 0)
        result = findShapes(&work);
    if (grzResult_IsOk(result) && touches->pairs.count != 0)
        result = findMeshes(&work);
    return grzResult_IsOk(result) ? joinAll(touches) : result;
}

grzMeshTouchView grzMeshTouches_GetView(const grzMeshTouches* touches) {
    static const size_t none = 0;
    const size_t count = touches->starts.count;
    return (grzMeshTouchView){touches->contacts.data, count == 0 ? &none : touches->starts.data,
                              count == 0 ? 0 : count - 1, touches->shapeTests, touches->pairTests};
}

size_t grzMeshTouches_MemorySize(const grzMeshTouches* touches) {
    return sizeof *touches + grzCountedMemory_Size(&touches->memory);
}
