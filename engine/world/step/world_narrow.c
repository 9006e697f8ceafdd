// What: the narrow stage: from pairs of bodies to touches.
// Promise: every two shapes nearer than their margin at the start of the step have a touch, and so have those that come
//   as near as that in the step, as long as they move as planned (those that gravity alone brings near, to the margin);
//   kept contacts may be found up to the stillness of mid late.
// Idea: convex shapes and touches are the stage's own (graze/stage/step_contacts.h); here it gets what it works on, and contacts of
//   meshes (world_mesh.c) and of cloth (world_cloth.c) beside.
#include "world_narrow.h"

#include "memory.h"
#include "owner.h"
#include "world_inside.h"

grzResult grzNarrow_Create(const grzAllocator* allocator, grzNarrow** narrow) {
    grzResult result;
    *narrow = grzOwner_NewFrom(allocator, sizeof **narrow, _Alignof(grzNarrow), &result);
    if (*narrow == NULL)
        return result;
    result = grzMeshTouches_Create(*allocator, &(*narrow)->mesh);
    return grzResult_IsOk(result) ? grzAnimatedPairs_Create(*allocator, &(*narrow)->clothPairs) : result;
}

void grzNarrow_EndBody(grzNarrow* narrow, grzBodyId body) {
    grzMeshTouches_EndBody(narrow->mesh, body);
    grzAnimatedPairs_EndBody(narrow->clothPairs, body);
}

void grzNarrow_RefuseStep(grzNarrow* narrow) {
    grzMeshTouches_RefuseStep(narrow->mesh);
    grzAnimatedPairs_Forget(narrow->clothPairs);
}

bool grzNarrow_Validate(const grzNarrow* narrow) {
    return grzMeshTouches_Validate(narrow->mesh) && grzAnimatedPairs_Validate(narrow->clothPairs);
}

static void callArrays(grzNarrow* narrow, grzArrayCall* call, const grzAllocator* allocator) {
    grzArray_Call(&narrow->places, call, allocator);
    grzArray_Call(&narrow->pairs, call, allocator);
    grzArray_Call(&narrow->margins, call, allocator);
    grzArray_Call(&narrow->manifolds, call, allocator);
    grzSeamRoom_CallArrays(&narrow->seams, call, allocator);
    grzArray_Call(&narrow->meshRows, call, allocator);
    grzArray_Call(&narrow->meshPairs, call, allocator);
    grzArray_Call(&narrow->meshVelocities, call, allocator);
    grzArray_Call(&narrow->clothAsks, call, allocator);
}

void grzNarrow_Trim(grzNarrow* narrow, const grzAllocator* allocator) {
    callArrays(narrow, grzTrimScratch, allocator);
    grzMeshTouches_Trim(narrow->mesh);
    grzAnimatedPairs_Trim(narrow->clothPairs);
}

void grzNarrow_Destroy(grzNarrow* narrow, const grzAllocator* allocator) {
    if (narrow == NULL)
        return;
    callArrays(narrow, grzFreeArray, allocator);
    grzMeshTouches_Destroy(narrow->mesh);
    grzAnimatedPairs_Destroy(narrow->clothPairs);
    grzRelease(allocator, narrow, 1, sizeof *narrow, _Alignof(grzNarrow));
}

static grzResult collideConvex(grzWorld* world) {
    grzNarrow* narrow = world->narrow;
    grzCollideInput input = grzDefaultCollideInput();
    input.pairs = grzWorld_Pairs(world);
    const size_t count = grzStepPairs_CollidedCount(&input.pairs);
    if (count == 0)
        return grzOk();
    if (!grzArray_Reserve(&narrow->places, &world->allocator, input.pairs.count) ||
        !grzArray_Reserve(&narrow->pairs, &world->allocator, count) ||
        !grzArray_Reserve(&narrow->margins, &world->allocator, count) ||
        !grzArray_Reserve(&narrow->manifolds, &world->allocator, count))
        return grzNoMemory(count, sizeof(grzManifold));
    input.posed = world->colliders.data != NULL ? &world->colliders.data->posed : NULL;
    input.posedStride = sizeof *world->colliders.data;
    input.moved = world->moved.data;
    input.bodyCount = grzWorld_RowCount(world);
    input.margin = world->def.margin;
    input.tasks = world->def.tasks;
    const grzCollideOutput output = {narrow->places.data, narrow->pairs.data, narrow->margins.data,
                                     narrow->manifolds.data};
    const grzResult result = grzStep_Collide(&input, &output);
    return grzResult_IsOk(result) ? result
                                  : grzWorld_StopFarther(world, (uint32_t)result.index, (uint32_t)result.value);
}

static grzResult makeTouches(grzWorld* world) {
    const grzNarrow* narrow = world->narrow;
    grzNarrowInput input = grzDefaultNarrowInput();
    input.pairs = grzWorld_Pairs(world);
    input.states = world->states.data;
    input.traits = grzWorld_ShapeTraits(world);
    input.traitStride = sizeof *world->traits.data;
    input.places = narrow->places.data;
    input.manifolds = narrow->manifolds.data;
    input.contacts = world->tables[world->now].meshContacts.data;
    input.contactCount = (uint32_t)world->tables[world->now].meshContacts.count;
    input.velocities = narrow->meshVelocities.data;
    input.timeStep = world->timeStep;
    input.margin = world->def.margin, input.marginShare = world->def.marginShare;
    input.tasks = world->def.tasks;
    input.profile = world->def.profile;
    return grzStep_Narrow(world->touches, &input);
}

grzResult grzWorld_Narrow(grzWorld* world) {
    grzResult result = grzWorld_FindMeshContacts(world);
    if (grzResult_IsOk(result))
        result = collideConvex(world);
    if (grzResult_IsOk(result) && !world->isCollideOnly)
        grzWorld_PassNearMisses(world);
    if (grzResult_IsOk(result))
        grzWorld_StandOnFaces(world);
    if (grzResult_IsOk(result) && !world->isCollideOnly)
        result = grzWorld_MendSeams(world);
    if (grzResult_IsOk(result))
        result = grzWorld_ReadSurfaces(world);
    if (grzResult_IsOk(result))
        result = makeTouches(world);
    if (grzResult_IsOk(result))
        result = grzWorld_StandOnSurfaces(world);
    if (grzResult_IsOk(result))
        result = grzWorld_CollideCloth(world);
    return grzResult_IsOk(result) ? grzWorld_CountContacts(world) : result;
}
