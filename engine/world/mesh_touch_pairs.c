// What: meshes with meshes: the triangles that meet, vertices in the world, manifolds.
// Holds: a mesh's vertices in the world are kept by slot, with the mesh and the pose that they are of.
// Threads: a worker has manifolds of its own, whose results do not depend on what they were used for before.
#include <string.h>

#include "animated_body.h"
#include "mesh_shape.h"
#include "mesh_touch_inside.h"
#include "result_make.h"

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

grzResult grzMeshTouches_FindMeshes(TouchWork* work) {
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
    if (grzResult_IsOk(result) && !grzMeshTouches_ReserveBlocks(touches, count))
        result = grzNoMemory(count, sizeof(TouchBlock));
    if (!grzResult_IsOk(result))
        return result;
    grzParallelFor(tasks, count, BLOCK_PAIRS, buildBlock, work);
    return grzMeshTouches_FindFailure(touches, count, &touches->meshPairs);
}
