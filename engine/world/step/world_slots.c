// What: gives slots to bodies and takes them back; keeps the tree's boxes true.
// Promise: an addition that is refused leaves no trace but memory that was reserved; a slot that is free has an empty record.
//   Adding and removing a body costs the same however many there are (and the tree's depth).
// Holds: see world_inside.h.
#include <string.h>

#include "memory.h"
#include "world_calls.h"
#include "world_inside.h"
#include "world_near.h"

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

static bool reserveRecords(grzWorld* world, size_t wanted) {
    const grzAllocator* allocator = &world->allocator;
    const size_t pages = (wanted + GRZ_RECORD_PAGE - 1) / GRZ_RECORD_PAGE;
    if (!grzArray_Reserve(&world->recordPages, allocator, pages))
        return false;
    while (world->recordPages.count < pages) {
        grzBodyRecord* page = grzAllocate(allocator, GRZ_RECORD_PAGE, sizeof *page, _Alignof(grzBodyRecord));
        if (page == NULL)
            return false;
        memset(page, 0, GRZ_RECORD_PAGE * sizeof *page);
        world->recordPages.data[world->recordPages.count++] = page;
    }
    return true;
}

grzResult grzWorld_ReserveSlot(grzWorld* world, bool isStill, uint32_t* slot) {
    const size_t wanted = world->pool.slots.count + 1;
    const grzAllocator* allocator = &world->allocator;
    if (wanted > GRZ_FEATURE_LIMIT)
        return grzFail(grz_tooLarge, wanted);
    if (!reserveRecords(world, wanted) || !grzArray_Reserve(&world->rows1, allocator, wanted) ||
        !grzPairRows_ReserveSlots(&world->pairs, wanted, allocator))
        return grzNoMemory(wanted, sizeof(grzBodyRecord));
    if (!isStill && (!grzWorld_ReserveRows(world, world->colliders.count + 1) ||
                     !grzArray_Reserve(&world->clothSlots, allocator, world->clothSlots.count + 1) ||
                     !grzArray_Reserve(&world->animatedSlots, allocator, world->animatedSlots.count + 1) ||
                     !grzArray_Reserve(&world->treeBoxes, allocator, (size_t)grzTree_IndexCount(world->tree) + 1)))
        return grzNoMemory(wanted, sizeof(grzCollider));
    const grzResult result = grzIdPool_Reserve(&world->pool, wanted);
    if (grzResult_IsOk(result))
        *slot = (uint32_t)grzIdPool_NextIndex(&world->pool);
    return result;
}

static grzBodyId takeSlot(grzWorld* world) {
    grzId id;
    const grzResult result = grzIdPool_Allocate(&world->pool, &id);
    (void)result; // reserved
    for (; world->rows1.count < world->pool.slots.count; ++world->rows1.count)
        world->rows1.data[world->rows1.count] = 0;
    return (grzBodyId){id.index1, id.generation};
}

grzResult grzWorld_EnterSlot(grzWorld* world, uint32_t slot, const grzRigid* rigid, uint64_t userData,
                             grzBodyId* id) {
    const grzCollider* collider = &rigid->collider;
    const bool isStill = collider->body == grz_staticBody;
    grzTreeObject object = grzDefaultTreeObject();
    grzTreeId treeId;
    object.box = isStill ? grzNear_Box(world, rigid->box) : rigid->box;
    object.key = slot;
    object.category = collider->category;
    object.mask = collider->mask;
    const grzResult result = grzTree_Insert(isStill ? world->near->tree : world->tree, &object, &treeId);
    if (!grzResult_IsOk(result))
        return result;
    *id = takeSlot(world);
    grzBodyRecord* record = grzWorld_Record(world, slot);
    record->userData = userData;
    record->treeId = treeId;
    record->kind = (uint8_t)collider->kind;
    record->isStill = isStill;
    if (isStill) {
        grzBodyRecord_SetStill(record, rigid);
        grzWorldTree_Changed(world->near->tree, &world->near->changeCount);
    } else {
        grzWorldTree_Changed(world->tree, &world->treeChanges);
        grzWorld_AddRow(world, slot, rigid);
        const uint32_t row = grzWorld_RowOf(world, slot);
        world->colliders.data[row].id = *id;
        world->traits.data[row].generation = id->generation;
    }
    world->groupCount += collider->group != 0;
    return result;
}

// All but the id.
static void emptySlot(grzWorld* world, uint32_t slot) {
    grzBodyRecord* record = grzWorld_Record(world, slot);
    const grzResult removed = grzTree_Remove(record->isStill ? world->near->tree : world->tree, record->treeId);
    (void)removed; // it is there
    if (record->isStill)
        grzWorldTree_Changed(world->near->tree, &world->near->changeCount);
    if (world->rows1.data[slot] != 0)
        grzWorld_DropRow(world, grzWorld_RowOf(world, slot));
    memset(record, 0, sizeof *record);
}

void grzWorld_FreeSlot(grzWorld* world, grzBodyId id) {
    emptySlot(world, id.index1 - 1);
    grzPairRows_RemoveSlot(&world->pairs, id.index1 - 1);
    (void)grzIdPool_Free(&world->pool, idOf(id));
}

void grzWorld_TakeBackSlot(grzWorld* world, grzBodyId id, size_t slotCount) {
    emptySlot(world, id.index1 - 1);
    grzIdPool_TakeBack(&world->pool, idOf(id), slotCount);
    world->rows1.count = world->pool.slots.count;
}

void grzWorld_MendTree(grzWorld* world, uint32_t row) {
    if (grzBox_Contains(world->sweeps.data[row], world->boxes.data[row]))
        return;
    const grzTreeId id = grzWorld_Record(world, world->traits.data[row].slot)->treeId;
    // The tree refuses no box but one that is not finite: of an animated mesh that has flown off, which the next step refuses.
    if (grzResult_IsOk(grzTree_Update(world->tree, id, world->boxes.data[row])))
        world->sweeps.data[row] = world->boxes.data[row];
}
