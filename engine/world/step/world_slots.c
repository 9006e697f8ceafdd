// What: gives slots to bodies and takes them back; keeps the tree's boxes true.
// Promise: an addition that is refused leaves no trace but memory that was reserved; a slot that is free looks like nothing to
//   every loop over slots.
// Holds: see world_inside.h.
#include <string.h>

#include "world_calls.h"
#include "world_inside.h"
#include "world_narrow.h"

static grzId idOf(grzBodyId id) {
    return (grzId){id.index1, id.generation};
}

grzResult grzWorld_CheckId(const grzWorld* world, grzBodyId id) {
    if (grzIdPool_IsValid(&world->pool, idOf(id)))
        return grzOk();
    return grzFail(grz_staleHandle, 0);
}

grzBodyId grzInner_BodyAt(const grzWorld* world, uint32_t slot) {
    const grzId id = slot < grzWorld_Slots(world) ? grzIdPool_IdAt(&world->pool, slot) : (grzId){0, 0};
    return (grzBodyId){id.index1, id.generation};
}

uint32_t grzInner_SlotCount(const grzWorld* world) {
    return grzWorld_Slots(world);
}

bool grzInner_HasBody(const grzWorld* world, grzBodyId id) {
    return grzIdPool_IsValid(&world->pool, idOf(id));
}

static void clearSlot(grzWorld* world, uint32_t slot) {
    memset(&world->bodies.data[slot], 0, sizeof(grzBody));
    memset(&world->colliders.data[slot], 0, sizeof(grzCollider));
    memset(&world->traits.data[slot], 0, sizeof(grzBodyTraits));
    memset(&world->masses.data[slot], 0, sizeof(grzBodyMass));
    memset(&world->motions.data[slot], 0, sizeof(grzMotion));
    memset(&world->states.data[slot], 0, sizeof(grzBodyState));
    world->states.data[slot].rotation = grzQuat_Identity();
    world->startStates.data[slot] = world->states.data[slot];
    world->boxes.data[slot] = world->sweeps.data[slot] = grzBox_Make(grzVec3_Zero(), grzVec3_Zero());
}

grzResult grzWorld_ReserveSlot(grzWorld* world, uint32_t* slot) {
    const size_t wanted = world->pool.slots.count + 1;
    const grzAllocator* allocator = &world->allocator;
    if (wanted > GRZ_FEATURE_LIMIT)
        return grzFail(grz_tooLarge, wanted);
    if (!grzArray_Reserve(&world->bodies, allocator, wanted) ||
        !grzArray_Reserve(&world->colliders, allocator, wanted) ||
        !grzArray_Reserve(&world->traits, allocator, wanted) ||
        !grzArray_Reserve(&world->leavers, allocator, wanted / 64 + 1) ||
        !grzArray_Reserve(&world->states, allocator, wanted) ||
        !grzArray_Reserve(&world->startStates, allocator, wanted) ||
        !grzArray_Reserve(&world->masses, allocator, wanted) ||
        !grzArray_Reserve(&world->boxes, allocator, wanted) ||
        !grzArray_Reserve(&world->sweeps, allocator, wanted) ||
        !grzArray_Reserve(&world->motions, allocator, wanted) ||
        !grzArray_Reserve(&world->clothSlots, allocator, wanted) ||
        !grzArray_Reserve(&world->animatedSlots, allocator, wanted) ||
        !grzArray_Reserve(&world->treeBoxes, allocator, (size_t)grzTree_IndexCount(world->tree) + 1))
        return grzNoMemory(wanted, sizeof(grzCollider));
    const grzResult result = grzIdPool_Reserve(&world->pool, wanted);
    if (!grzResult_IsOk(result))
        return result;
    *slot = (uint32_t)grzIdPool_NextIndex(&world->pool);
    clearSlot(world, *slot);
    return result;
}

static void setTraits(grzWorld* world, uint32_t slot) {
    const grzCollider* collider = &world->colliders.data[slot];
    grzBodyTraits* traits = &world->traits.data[slot];
    traits->treeIndex = world->bodies.data[slot].treeId.index1 - 1;
    traits->friction = collider->friction;
    traits->restitution = collider->restitution;
    traits->group = collider->group;
    traits->generation = collider->id.generation;
    traits->kind = (uint8_t)collider->kind;
    traits->body = (uint8_t)collider->body;
}

static grzBodyId takeSlot(grzWorld* world) {
    grzId id;
    const grzResult result = grzIdPool_Allocate(&world->pool, &id);
    (void)result; // reserved
    const size_t count = world->pool.slots.count;
    world->bodies.count = world->colliders.count = world->states.count = world->startStates.count = count;
    world->masses.count = world->boxes.count = world->sweeps.count = world->traits.count = world->motions.count =
        count;
    return (grzBodyId){id.index1, id.generation};
}

grzResult grzWorld_EnterSlot(grzWorld* world, uint32_t slot, grzBodyId* id) {
    grzCollider* collider = &world->colliders.data[slot];
    grzTreeObject object = grzDefaultTreeObject();
    object.box = world->sweeps.data[slot] = world->boxes.data[slot];
    object.key = slot;
    object.category = collider->category;
    object.mask = collider->mask;
    const grzResult result = grzTree_Insert(world->tree, &object, &world->bodies.data[slot].treeId);
    if (!grzResult_IsOk(result)) {
        clearSlot(world, slot);
        return result;
    }
    *id = collider->id = takeSlot(world);
    setTraits(world, slot);
    world->groupCount += collider->group != 0;
    ++world->changeCount;
    return result;
}

void grzWorld_FreeSlot(grzWorld* world, grzBodyId id) {
    const uint32_t slot = id.index1 - 1;
    const grzResult removed = grzTree_Remove(world->tree, world->bodies.data[slot].treeId);
    (void)removed; // it is there
    grzWorld_DropSurface(world, slot);
    grzMeshTouches_Forget(world->narrow->mesh, slot);
    clearSlot(world, slot);
    ++world->changeCount;
    (void)grzIdPool_Free(&world->pool, idOf(id));
}

void grzWorld_MendTree(grzWorld* world, uint32_t slot) {
    ++world->changeCount;
    if (grzBox_Contains(world->sweeps.data[slot], world->boxes.data[slot]))
        return;
    const grzTreeId id = world->bodies.data[slot].treeId;
    if (grzResult_IsOk(grzTree_Update(world->tree, id, world->boxes.data[slot])))
        world->sweeps.data[slot] = world->boxes.data[slot];
    else
        world->isTreeBehind = true; // memory: queries refuse until the next step has told the tree of all boxes
}
