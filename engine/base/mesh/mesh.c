// What: makes, destroys and shows a mesh. The work is in the stages (mesh_parts.h); here they are put in order.
// Promise: a mesh is whole or it is not made.    Cost: O(V + T) time; all memory through the def's allocator.
#include "mesh_parts.h"
#include "mesh_uses.h"

#include <string.h>

#include "check.h"
#include "owner.h"
#include "refuse_null.h"
#include "task_queue.h"

#define MESH_DEF_MARK 0x4853454du // "MESH"

// A team costs some ten microseconds to call together, and a triangle ten to thirty nanoseconds to look at. Two cores
// bring the count of slivers of 300,000 triangles from 10.2 ms to 4.9, and the making of the mesh from 68 ms to 57.
#define TEAM_TRIANGLES 10000

grzMeshDef grzDefaultMeshDef(void) {
    grzMeshDef def;
    memset(&def, 0, sizeof def);
    def.mark = MESH_DEF_MARK;
    def.order = grz_orderAsGiven;
    def.positionType = grz_float32;
    def.indexType = grz_index32;
    return def;
}

void* grzMeshMemory_Take(grzMeshMemory* memory, size_t count, size_t size) {
    if (!grzMeshMemory_IsOk(memory))
        return NULL;
    GRZ_ASSERT(memory->blockCount < GRZ_MESH_BLOCK_MAX);
    grzMeshBlock block = {NULL, count != 0 ? count : 1, size};
    block.data = grzAllocate(&memory->allocator, block.count, size, GRZ_MESH_ALIGNMENT);
    if (block.data == NULL) {
        memory->result = grzNoMemory(block.count, size);
        return NULL;
    }
    memory->blocks[memory->blockCount++] = block;
    return block.data;
}

void grzMeshMemory_Release(grzMeshMemory* memory) {
    for (size_t i = 0; i < memory->blockCount; ++i) {
        const grzMeshBlock* block = &memory->blocks[i];
        grzRelease(&memory->allocator, block->data, block->count, block->size, GRZ_MESH_ALIGNMENT);
    }
    memory->blockCount = 0;
}

bool grzMesh_IsWorthATeam(const grzMeshView* view) {
    return view->triangleCount >= TEAM_TRIANGLES && !grzIsInsideTasks();
}

static grzResult runStages(grzMesh* mesh, const grzMeshDef* def) {
    static grzMeshStage* const stages[] = {
        grzMesh_BuildOrder,       grzMesh_BuildRings,  grzMesh_BuildEdges,
        grzMesh_BuildVertexEdges, grzMesh_BuildOwners, grzMesh_BuildBounds,
        grzMesh_BuildComponents,  grzMesh_FindDefects, grzMesh_FindCopies,
    };
    grzMeshMemory scratch = {.allocator = mesh->memory.allocator};
    grzResult result = grzOk();
    for (size_t i = 0; i < sizeof stages / sizeof stages[0] && result.status == grz_ok; ++i) {
        result = stages[i](mesh, def, &scratch);
        grzMeshMemory_Release(&scratch);
    }
    return result;
}

grzResult grzMesh_Create(const grzMeshDef* def, grzMesh** mesh) {
    GRZ_REFUSE_NULL(mesh, 2);
    *mesh = NULL;
    if (def == NULL || def->mark != MESH_DEF_MARK)
        return grzFail(grz_badDef, 0);
    grzResult result = grzMesh_CheckDef(def);
    if (result.status != grz_ok)
        return result;
    grzAllocator allocator = grzAllocator_OrDefault(def->allocator);
    grzMesh* made = grzOwner_NewFrom(&allocator, sizeof *made, GRZ_MESH_ALIGNMENT, &result);
    if (made == NULL)
        return result;
    made->memory.allocator = allocator;
    made->uses = &made->ownUses;
    result = runStages(made, def);
    if (result.status != grz_ok) {
        grzMesh_Destroy(made);
        return result;
    }
    GRZ_VALIDATE(grzMesh_Validate(made));
    *mesh = made;
    return grzOk();
}

void grzMesh_Destroy(grzMesh* mesh) {
    if (mesh == NULL || !grzUses_AreOver(mesh->uses, "mesh", "mesh shapes, cloths or animated bodies"))
        return;
    grzAllocator allocator = mesh->memory.allocator;
    grzMeshMemory_Release(&mesh->memory);
    grzRelease(&allocator, mesh, 1, sizeof *mesh, GRZ_MESH_ALIGNMENT);
}

grzUses* grzMesh_Uses(const grzMesh* mesh) {
    return mesh != NULL ? mesh->uses : NULL;
}

grzMeshView grzMesh_GetView(const grzMesh* mesh) {
    GRZ_RETURN_IF_NULL(mesh, (grzMeshView){0});
    return mesh->view;
}

grzMeshReport grzMesh_GetReport(const grzMesh* mesh) {
    GRZ_RETURN_IF_NULL(mesh, (grzMeshReport){0});
    return mesh->report;
}

grzVec3d grzMesh_GetPosition(const grzMesh* mesh, uint32_t vertex) {
    GRZ_RETURN_IF_NULL(mesh, (grzVec3d){0});
    GRZ_ASSERT(vertex < mesh->view.vertexCount);
    double position[3];
    grzMesh_LoadPosition(&mesh->view, vertex, position);
    return grzVec3d_Make(position[0], position[1], position[2]);
}

size_t grzMesh_RoundPositions(const grzMesh* mesh, float* positions) {
    GRZ_RETURN_IF_NULL(mesh, 0);
    GRZ_RETURN_IF_NULL(positions, 0);
    const size_t count = (size_t)mesh->view.vertexCount * 3;
    if (mesh->view.positions32 != NULL) {
        if (count != 0)
            memcpy(positions, mesh->view.positions32, count * sizeof(float));
        return 0;
    }
    size_t changed = 0;
    for (size_t i = 0; i < count; ++i) {
        positions[i] = (float)mesh->view.positions64[i];
        changed += (double)positions[i] != mesh->view.positions64[i];
    }
    return changed;
}
