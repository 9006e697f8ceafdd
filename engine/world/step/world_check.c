// What: says what a world holds, and checks that it hangs together.
#include "check.h"
#include "record_sort.h"
#include "touch.h"
#include "world_calls.h"
#include "world_inside.h"
#include "world_narrow.h"
#include "world_near.h"

grzWorldStats grzInner_GetStats(const grzWorld* world) {
    grzWorldStats stats = world->stats;
    stats.bodyCount = world->pool.count;
    stats.rigidCount = world->rigidCount;
    stats.dynamicCount = world->dynamicCount;
    stats.clothCount = (uint32_t)world->clothSlots.count;
    stats.animatedCount = (uint32_t)world->animatedSlots.count;
    stats.memoryBytes = sizeof *world + grzCountedMemory_Size(&world->memory);
    return stats;
}

static bool fail(const char* what, uint32_t slot) {
    grzLog(grz_logError, "world: %s at slot %u", what, slot);
    return false;
}

static bool checkTree(const grzWorld* world, uint32_t slot) {
    const grzBodyRecord* record = grzWorld_Record(world, slot);
    grzRigid scratch;
    grzBox box;
    grzWorld_ColliderAt(world, slot, &scratch, &box);
    grzTreeObject object;
    if (!grzTree_Get(record->isStill ? world->near->tree : world->tree, record->treeId, &object) ||
        object.key != slot)
        return fail("the tree does not know the body", slot);
    return grzBox_Contains(object.box, box) || !grzVec3_IsFinite(grzBox_Extent(box)) ||
           fail("the body is outside of its box in the tree", slot);
}

static bool checkSlot(const grzWorld* world, uint32_t slot) {
    const grzBodyRecord* record = grzWorld_Record(world, slot);
    const bool lives = grzInner_BodyAt(world, slot).index1 != 0;
    if (lives != (record->kind != grz_noCollider))
        return fail("a record without a body, or a body without one", slot);
    const uint32_t row1 = world->rows1.data[slot];
    if (row1 > grzWorld_RowCount(world) || (row1 == 0 && lives && !record->isStill) || (row1 != 0 && !lives))
        return fail("a body without its row, or a row without its body", slot);
    return !lives || checkTree(world, slot);
}

static bool checkRow(const grzWorld* world, uint32_t row) {
    const grzCollider* collider = &world->colliders.data[row];
    const grzBodyTraits* traits = &world->traits.data[row];
    const uint32_t slot = traits->slot;
    if (slot >= grzWorld_Slots(world) || world->rows1.data[slot] != row + 1 ||
        !grzBodyId_IsSame(collider->id, grzInner_BodyAt(world, slot)))
        return fail("a row of another body", row);
    const grzBodyRecord* record = grzWorld_Record(world, slot);
    if (traits->generation != collider->id.generation || traits->shape.kind != (uint8_t)collider->kind ||
        traits->shape.kind != record->kind || grzBodyTraits_Body(traits) != (uint8_t)collider->body ||
        traits->group != collider->group || record->isStill != (collider->body == grz_staticBody) ||
        (!record->isStill && traits->treeIndex + 1 != record->treeId.index1))
        return fail("traits that are not the collider's", slot);
    const grzBodyState* state = &world->states.data[row];
    if (!grzVec3_IsFinite(state->center) || !grzVec3_IsFinite(state->velocity) || !grzVec3_IsFinite(state->spin) ||
        !grzQuat_IsUnit(state->rotation))
        return fail("a state that is not finite", slot);
    if (collider->kind == grz_clothCollider)
        return grzClothBody_Validate(collider->cloth) || fail("a broken cloth", slot);
    if (collider->kind == grz_animatedCollider)
        return grzAnimatedBody_Validate(collider->animated) || fail("a broken animated mesh", slot);
    return true;
}

static bool checkTouches(const grzWorld* world, const grzPairFound* found) {
    const grzTouchesView touches = grzTouches_GetView(world->touches, world->now);
    uint32_t place = found->firstTouch, points = 0;
    for (uint32_t i = 0; i < found->touchCount; ++i) {
        if (place >= touches.unitCount)
            return false;
        const grzTouch* touch = grzTouch_Read(touches.units, place);
        if (touch->pointCount == 0 || touch->pointCount > GRZ_TOUCH_MOST_POINTS)
            return false;
        points += touch->pointCount;
        place += grzTouch_UnitCount(touch);
    }
    return found->touchCount == 0 || (place <= touches.unitCount && points == found->contactCount);
}

static bool checkPairs(const grzWorld* world) {
    if (!grzPairTable_Validate(world->pairs.table))
        return false;
    for (uint32_t i = 0; i < grzWorld_PairCount(world); ++i) {
        const grzPairRow* row = grzWorld_PairAt(world, i);
        const grzBodyPair pair = world->pairs.view.pairs[i];
        if (row->idA.index1 != pair.a + 1 || row->idB.index1 != pair.b + 1 ||
            row->idB.index1 > grzWorld_Slots(world))
            return fail("a row of another pair", i);
        if (!checkTouches(world, grzWorld_Found(world, row)))
            return fail("touches that are not there", i);
    }
    return true;
}

// Slots of one kind: all of them, ascending, and no others.
static bool checkKind(const grzWorld* world, const uint32_t* slots, size_t count, grzColliderKind kind) {
    size_t found = 0;
    for (uint32_t slot = 0; slot < grzWorld_Slots(world); ++slot) {
        if (grzWorld_Record(world, slot)->kind != (uint8_t)kind)
            continue;
        if (found == count || slots[found++] != slot)
            return fail("a list of cloth or animated meshes without the body, or out of order", slot);
    }
    return found == count || fail("a list of cloth or animated meshes with a body that is none", slots[found]);
}

// What steps write to without a look at its size.
static bool checkSizes(const grzWorld* world) {
    const size_t rows = grzWorld_RowCount(world);
    const size_t counts[] = {world->bodies.count,      world->colliders.count, world->traits.count,
                             world->states.count,      world->masses.count,    world->boxes.count,
                             world->startStates.count, world->sweeps.count,    world->motions.count,
                             world->moved.count};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; ++i)
        if (counts[i] != rows)
            return fail("an array by row that is too short, or has rows of a step that is over",
                        (uint32_t)counts[i]);
    if (64 * world->leavers.capacity < rows)
        return fail("too few bits for bodies that leave their boxes", (uint32_t)rows);
    if (world->rows1.count != grzWorld_Slots(world))
        return fail("fewer places for rows than slots", (uint32_t)world->rows1.count);
    if (world->treeBoxes.capacity < grzTree_IndexCount(world->tree))
        return fail("fewer boxes for the tree than it has indices", grzTree_IndexCount(world->tree));
    if (world->contacts.capacity < world->contacts.count || world->impulses.capacity < world->contacts.count ||
        world->frictions.capacity < world->contacts.count)
        return fail("more contacts than there is memory for", (uint32_t)world->contacts.count);
    return true;
}

bool grzInner_Validate(const grzWorld* world) {
    if (!checkSizes(world))
        return false;
    for (uint32_t slot = 0; slot < grzWorld_Slots(world); ++slot)
        if (!checkSlot(world, slot))
            return false;
    uint32_t still = 0;
    for (uint32_t row = 0; row < grzWorld_RowCount(world); ++row) {
        if (!checkRow(world, row))
            return false;
        still += grzBodyTraits_Body(&world->traits.data[row]) == grz_staticBody;
    }
    if (still != world->near->rowCount)
        return fail("static bodies with rows, miscounted", still);
    if (!grzNarrow_Validate(world->narrow))
        return fail("broken candidates of an animated mesh", 0);
    if (!grzIdPool_Validate(&world->pool) || !grzTree_Validate(world->tree) ||
        !grzTree_Validate(world->near->tree) || !checkPairs(world))
        return false;
    if (!checkKind(world, world->clothSlots.data, world->clothSlots.count, grz_clothCollider) ||
        !checkKind(world, world->animatedSlots.data, world->animatedSlots.count, grz_animatedCollider))
        return false;
    if (world->isListed && !grzAreRecordsSorted(&grzContactType, world->contacts.data, world->contacts.count))
        return fail("contacts out of order", 0);
    if (!grzAreRecordsSorted(&grzHitType, world->hits.data, world->hits.count))
        return fail("hits out of order", 0);
    return grzAreRecordsSorted(&grzEventType, world->events.data, world->events.count) ||
           fail("events out of order", 0);
}
