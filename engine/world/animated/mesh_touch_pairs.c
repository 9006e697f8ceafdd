// What: meshes with meshes: the triangles that are near, vertices in the world, manifolds.
// Idea: pairs of bodies are shared out over the workers. A pair with very many triangles would hold up its worker.
//   So all workers first decide together which triangles of such pairs meet, one pair of bodies after the other.
// Holds: a mesh's vertices in the world are kept by row, with their mesh and pose.
// Threads: a worker has manifolds of its own. Their results do not depend on earlier uses.
#include <string.h>

#include "animated_body.h"
#include "graze/tri_pairs.h"
#include "mesh_shape.h"
#include "mesh_touch_inside.h"
#include "result_make.h"
#include "surface.h"

enum { MANY_VERTICES = 4096, MAKE_GRAIN = 2048, MARGIN_LOOKS = 8 };

// ---- meshes in the world ----

static void moveVertices(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    WorldMesh* mesh = context;
    (void)worker;
    for (size_t i = begin; i < end; ++i)
        grzVec3_Store(mesh->data + 3 * i,
                      grzTransform_Apply(mesh->pose, grzVec3_Load(mesh->mesh->positions + 3 * i)));
}

// Whole meshes; the large ones are moved by all workers together.
static void moveSmall(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    grzMeshTouches* touches = context;
    for (uint32_t i = begin; i < end; ++i) {
        WorldMesh* mesh = &touches->meshes.data[touches->moving.data[i]];
        if (mesh->mesh->view.vertexCount <= MANY_VERTICES)
            moveVertices(0, mesh->mesh->view.vertexCount, worker, mesh);
    }
}

static bool stands(const WorldMesh* mesh, const grzCollider* collider) {
    return mesh->mesh == collider->mesh && memcmp(&mesh->pose, &collider->pose, sizeof mesh->pose) == 0;
}

// Notes the mesh of a body that has a triangle near another body's. Returns false where memory is refused.
static bool wantMesh(grzMeshTouches* touches, const grzMeshTouchStep* step, uint32_t row) {
    const grzAllocator* counted = &touches->memory.allocator;
    const grzCollider* collider = &step->colliders[row];
    if (collider->kind != grz_meshCollider) // makes what is read, where it is read
        return true;
    WorldMesh* mesh = &touches->meshes.data[row];
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
    touches->moving.data[touches->moving.count++] = row;
    return true;
}

static bool reserveMeshes(grzMeshTouches* touches, uint32_t rowCount) {
    WorldMeshes* meshes = &touches->meshes;
    if (!grzArray_Reserve(meshes, &touches->memory.allocator, rowCount))
        return false;
    while (meshes->count < rowCount)
        memset(&meshes->data[meshes->count++], 0, sizeof(WorldMesh));
    return true;
}

static grzResult moveMeshes(grzMeshTouches* touches, const grzMeshTouchStep* step) {
    touches->moving.count = 0;
    touches->stepNumber++;
    if (!reserveMeshes(touches, step->colliderCount))
        return grzNoMemory(step->colliderCount, sizeof(WorldMesh));
    for (size_t i = 0; i < touches->meshPairs.count; ++i) {
        const grzMeshPair* pair = &step->pairs[touches->meshPairs.data[i]];
        if (touches->candidates.data[i].count == 0)
            continue;
        if (!wantMesh(touches, step, pair->rowA) || !wantMesh(touches, step, pair->rowB))
            return grzNoMemory(step->colliderCount, sizeof(float));
    }
    for (size_t i = 0; i < touches->fastPairs.count; ++i) {
        const uint32_t pair = touches->fastPairs.data[i];
        const bool isMovedB = grzMeshTouches_IsMovedB(step, pair);
        if (!wantMesh(touches, step, isMovedB ? step->pairs[pair].rowA : step->pairs[pair].rowB))
            return grzNoMemory(step->colliderCount, sizeof(float));
    }
    for (size_t i = 0; i < touches->moving.count; ++i) {
        const uint32_t row = touches->moving.data[i];
        WorldMesh* mesh = &touches->meshes.data[row];
        mesh->mesh = step->colliders[row].mesh;
        mesh->pose = step->colliders[row].pose;
        if (mesh->mesh->view.vertexCount > MANY_VERTICES)
            grzParallelFor(step->tasks, mesh->mesh->view.vertexCount, MANY_VERTICES, moveVertices, mesh);
    }
    grzParallelFor(step->tasks, (uint32_t)touches->moving.count, 4, moveSmall, touches);
    return grzOk();
}

// ---- meshes with meshes ----

static grzManifoldSide meshSide(const TouchWork* work, uint32_t row) {
    const grzCollider* collider = &work->step->colliders[row];
    const grzSurface surface = grzCollider_GetSurface(collider);
    grzManifoldSide side = {.mesh = surface.mesh, .body = collider->id, .isTwoSided = surface.isTwoSided};
    side.positions = surface.pages != NULL ? surface.ends : work->touches->meshes.data[row].data;
    if (surface.pages != NULL)
        side.makeVertex = grzAnimatedBody_MakeVertex, side.owner = collider->animated;
    return side;
}

static grzManifoldQuery queryOf(const TouchWork* work, uint32_t query) {
    const grzMeshTouches* touches = work->touches;
    const grzMeshPair* pair = &work->step->pairs[touches->meshPairs.data[query]];
    const grzMeshCandidates found = touches->candidates.data[query];
    return (grzManifoldQuery){.a = meshSide(work, pair->rowA),
                              .b = meshSide(work, pair->rowB),
                              .pairs = found.pairs,
                              .count = (uint32_t)found.count,
                              .previous = pair->previous,
                              .previousCount = pair->previousCount,
                              .margin = touches->margins.data[query],
                              .slack = pair->slack};
}

static grzTriSoup soupOf(const grzManifoldSide* side) {
    return (grzTriSoup){side->positions, side->mesh->triangles, side->mesh->vertexCount, side->mesh->triangleCount};
}

static void makeBlock(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    const grzManifoldQuery* query = context;
    (void)worker;
    for (uint32_t i = begin; i < end; ++i) {
        grzManifoldSide_MakeTriangle(&query->a, query->pairs[i].triangleA);
        grzManifoldSide_MakeTriangle(&query->b, query->pairs[i].triangleB);
    }
}

// How many triangles are near enough for a contact, by their kinds.
static size_t countNear(const uint8_t* kinds, uint32_t count) {
    size_t near = 0;
    for (uint32_t i = 0; i < count; ++i)
        near += kinds[i] != GRZ_TRI_FAR;
    return near;
}

// Decides which triangles of a pair intersect, or are near. Of surfaces that lie along each other very many are near.
// Then only those within a fourth of the margin count, or a sixteenth, and so on. Triangles that intersect suffice for
// such bodies.
static void decidePair(const TouchWork* work, uint32_t index, uint8_t* kinds) {
    grzMeshTouches* touches = work->touches;
    grzManifoldQuery query = queryOf(work, index);
    grzParallelFor(work->step->tasks, query.count, MAKE_GRAIN, makeBlock, &query);
    for (int look = 0; look < MARGIN_LOOKS; ++look) {
        const grzTriPairQuery asked = {soupOf(&query.a), soupOf(&query.b), query.pairs, query.count, query.margin};
        grzTriPairs_Classify(work->step->tasks, &asked, kinds);
        if (look + 1 == MARGIN_LOOKS || countNear(kinds, query.count) <= MOST_CANDIDATES)
            return;
        query.margin = touches->margins.data[index] = 0.25f * query.margin;
    }
}

// Of pairs with very many candidates, which of them meet: their kinds lie in the order of the pairs.
static grzResult decideLarge(const TouchWork* work) {
    grzMeshTouches* touches = work->touches;
    touches->kinds.count = 0;
    for (uint32_t i = 0; i < touches->meshPairs.count; ++i) {
        const size_t count = touches->candidates.data[i].count;
        if (count < MANY_CANDIDATES)
            continue;
        if (!grzArray_Reserve(&touches->kinds, &touches->memory.allocator, touches->kinds.count + count))
            return grzNoMemory(touches->kinds.count + count, 1);
        decidePair(work, i, touches->kinds.data + touches->kinds.count);
        touches->kinds.count += count;
    }
    return grzOk();
}

// Of a query with very many candidates.
static const uint8_t* kindsOf(const grzMeshTouches* touches, uint32_t query) {
    size_t at = 0;
    for (uint32_t i = 0; i < query; ++i) {
        const size_t count = touches->candidates.data[i].count;
        at += count < MANY_CANDIDATES ? 0 : count;
    }
    return touches->kinds.data + at;
}

static grzResult buildPair(const TouchWork* work, uint32_t query, grzManifolds* manifolds, TouchBlock* block) {
    const grzMeshTouches* touches = work->touches;
    grzManifoldQuery asked = queryOf(work, query);
    if (asked.count == 0)
        return grzOk();
    if (asked.count >= MANY_CANDIDATES)
        asked.kinds = kindsOf(touches, query);
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
    TouchBlock* block =
        &work->touches->pairBlocks.data[begin / grzMeshTouches_BlockWidth(work->touches->meshPairs.count)];
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

// Of queries that have found as many as they may: a fourth of the margin. Returns how many there are.
static void shrinkMargins(TouchWork* work, const grzModelPairsView* found, uint32_t* count) {
    grzMeshTouches* touches = work->touches;
    *count = 0;
    for (uint32_t i = 0; i < touches->pairs.count; ++i) {
        grzModelQuery* query = &touches->pairs.data[i];
        const float least = work->step->pairs[query->bodyPair].leastMargin;
        if (query->limit == 0 || found->starts[i + 1] - found->starts[i] < query->limit)
            continue;
        float* margin = &touches->margins.data[touches->modelQueries.data[i]];
        *margin = 0.25f * *margin > least ? 0.25f * *margin : least;
        query->limit = *margin > least ? MOST_CANDIDATES : 0;
        grzMeshTouches_SetMargin(query, *margin);
        ++*count;
    }
}

static grzResult listByModels(TouchWork* work) {
    grzMeshTouches* touches = work->touches;
    uint32_t shrunk = 1;
    grzResult result = grzOk();
    while (shrunk != 0 && grzResult_IsOk(result)) {
        result = grzModelPairs_FindMany(touches->modelPairs, work->step->tasks, touches->pairs.data,
                                        (uint32_t)touches->pairs.count);
        if (!grzResult_IsOk(result) && result.part == grz_partElement)
            result.index = touches->pairs.data[result.index].bodyPair;
        const grzModelPairsView found = grzModelPairs_GetView(touches->modelPairs);
        if (grzResult_IsOk(result))
            shrinkMargins(work, &found, &shrunk);
    }
    return result;
}

static grzResult listAnimated(TouchWork* work) {
    const grzMeshTouches* touches = work->touches;
    const grzAnimatedPairsStep step = {.colliders = work->step->colliders,
                                       .asks = touches->asks.data,
                                       .askCount = (uint32_t)touches->asks.count,
                                       .tasks = work->step->tasks,
                                       .profile = work->step->profile};
    grzResult result = grzAnimatedPairs_Find(touches->animatedPairs, &step);
    if (!grzResult_IsOk(result) && result.part == grz_partElement)
        result.index = touches->asks.data[result.index].bodyPair;
    return result;
}

// Where there are none, there may be no array to count from.
static void gatherCandidates(grzMeshTouches* touches) {
    const grzModelPairsView found = grzModelPairs_GetView(touches->modelPairs);
    touches->pairTests = found.stats.triangleTests;
    for (size_t i = 0; i < touches->pairs.count; ++i) {
        const size_t first = found.starts[i], count = found.starts[i + 1] - first;
        touches->candidates.data[touches->modelQueries.data[i]] =
            (grzMeshCandidates){count == 0 ? NULL : found.pairs + first, count};
    }
    for (uint32_t i = 0; i < touches->asks.count; ++i) {
        if (touches->askQueries.data[i] == GRZ_NO_QUERY)
            continue;
        grzMeshCandidates* candidates = &touches->candidates.data[touches->askQueries.data[i]];
        *candidates = grzAnimatedPairs_Get(touches->animatedPairs, i);
        touches->pairTests += candidates->count;
    }
}

grzResult grzMeshTouches_ListMeshes(TouchWork* work) {
    grzResult result = listByModels(work);
    if (grzResult_IsOk(result))
        result = listAnimated(work);
    if (grzResult_IsOk(result))
        gatherCandidates(work->touches);
    return result;
}

grzResult grzMeshTouches_FindMeshes(TouchWork* work) {
    grzMeshTouches* touches = work->touches;
    const uint32_t count = (uint32_t)touches->meshPairs.count;
    grzTasks* tasks = work->step->tasks;
    grzResult result = moveMeshes(touches, work->step);
    if (grzResult_IsOk(result))
        result = reserveManifolds(touches, grzTasks_WorkerCount(tasks));
    if (grzResult_IsOk(result) && !grzMeshTouches_ReserveBlocks(touches, &touches->pairBlocks, count))
        result = grzNoMemory(count, sizeof(TouchBlock));
    if (grzResult_IsOk(result))
        result = decideLarge(work);
    if (!grzResult_IsOk(result))
        return result;
    grzParallelFor(tasks, count, grzMeshTouches_BlockWidth(count), buildBlock, work);
    return grzMeshTouches_FindFailure(&touches->pairBlocks, &touches->meshPairs);
}
