// What: adds cloth and animated meshes to a world, and hands the host's calls on to them.
// Promise: graze/cloth.h, graze/animated.h: what is refused changes nothing.
#include <string.h>

#include "world_calls.h"
#include "world_inside.h"

static void fillCollider(grzCollider* collider, grzColliderKind kind, grzBodyKind body) {
    memset(collider, 0, sizeof *collider);
    collider->kind = kind;
    collider->body = body;
    collider->pose = grzTransform_Identity();
}

// Takes the collider into the world; where that is refused, what it names is still the caller's.
static grzResult enter(grzWorld* world, const grzCollider* collider, grzBox box, uint64_t userData, grzBodyId* id) {
    uint32_t slot;
    const grzResult result = grzWorld_ReserveSlot(world, false, &slot);
    if (!grzResult_IsOk(result))
        return result;
    grzRigid rigid;
    memset(&rigid, 0, sizeof rigid);
    rigid.collider = *collider;
    rigid.body.turn = rigid.state.rotation = grzQuat_Identity();
    rigid.box = box;
    return grzWorld_EnterSlot(world, slot, &rigid, userData, id);
}

static void insertSlot(uint32_t* slots, size_t* count, uint32_t slot) {
    size_t place = (*count)++;
    for (; place > 0 && slots[place - 1] > slot; --place)
        slots[place] = slots[place - 1];
    slots[place] = slot;
}

grzResult grzInner_AddCloth(grzWorld* world, const grzClothDef* def, grzBodyId* id) {
    *id = (grzBodyId){0, 0};
    grzCollider collider;
    fillCollider(&collider, grz_clothCollider, grz_clothBody);
    grzResult result = grzClothBody_Create(def, &world->allocator, &collider.cloth);
    if (!grzResult_IsOk(result))
        return result;
    collider.friction = def->friction;
    collider.category = def->category;
    collider.mask = def->mask;
    collider.group = def->group;
    result = enter(world, &collider, grzClothBody_Box(collider.cloth), def->userData, id);
    if (grzResult_IsOk(result))
        insertSlot(world->clothSlots.data, &world->clothSlots.count, id->index1 - 1);
    else
        grzClothBody_Destroy(collider.cloth);
    return result;
}

grzResult grzInner_AddAnimated(grzWorld* world, const grzAnimatedDef* def, grzBodyId* id) {
    *id = (grzBodyId){0, 0};
    grzCollider collider;
    fillCollider(&collider, grz_animatedCollider, grz_animatedBody);
    grzResult result =
        grzAnimatedBody_Create(def, world->time, world->def.profile, &world->allocator, &collider.animated);
    if (!grzResult_IsOk(result))
        return result;
    collider.friction = def->friction;
    collider.restitution = def->restitution;
    collider.category = def->category;
    collider.mask = def->mask;
    collider.group = def->group;
    collider.isTwoSided = def->isTwoSided;
    result = enter(world, &collider, grzAnimatedBody_BoxNow(collider.animated), def->userData, id);
    if (grzResult_IsOk(result))
        insertSlot(world->animatedSlots.data, &world->animatedSlots.count, id->index1 - 1);
    else
        grzAnimatedBody_Destroy(collider.animated);
    return result;
}

// ------------------------------------------------------------------------------------------------------ the host's

static grzResult checkKind(const grzWorld* world, grzBodyId id, grzColliderKind kind) {
    const grzResult result = grzWorld_CheckId(world, id);
    if (!grzResult_IsOk(result) || grzWorld_Record(world, id.index1 - 1)->kind == (uint8_t)kind)
        return result;
    return grzBecause(grzFail(grz_badArgument, 2),
                      kind == grz_clothCollider ? "the body is not a cloth" : "the body is not an animated mesh");
}

static grzResult clothOf(const grzWorld* world, grzBodyId id, grzClothBody** cloth) {
    const grzResult result = checkKind(world, id, grz_clothCollider);
    *cloth = grzResult_IsOk(result) ? world->colliders.data[grzWorld_RowOf(world, id.index1 - 1)].cloth : NULL;
    return result;
}

static grzResult animatedOf(const grzWorld* world, grzBodyId id, grzAnimatedBody** animated) {
    const grzResult result = checkKind(world, id, grz_animatedCollider);
    *animated =
        grzResult_IsOk(result) ? world->colliders.data[grzWorld_RowOf(world, id.index1 - 1)].animated : NULL;
    return result;
}

grzResult grzInner_GetCloth(const grzWorld* world, grzBodyId id, grzClothView* view) {
    memset(view, 0, sizeof *view);
    grzClothBody* cloth;
    const grzResult result = clothOf(world, id, &cloth);
    if (grzResult_IsOk(result))
        *view = grzClothBody_GetView(cloth);
    return result;
}

grzResult grzInner_MovePins(grzWorld* world, grzBodyId id, uint32_t first, uint32_t count, const float* positions) {
    grzClothBody* cloth;
    const grzResult result = clothOf(world, id, &cloth);
    return grzResult_IsOk(result) ? grzClothBody_MovePins(cloth, first, count, positions) : result;
}

grzResult grzInner_PlaceCloth(grzWorld* world, grzBodyId id, const float* positions, const float* velocities) {
    grzClothBody* cloth;
    grzResult result = clothOf(world, id, &cloth);
    if (grzResult_IsOk(result))
        result = grzClothBody_Place(cloth, positions, velocities);
    if (!grzResult_IsOk(result))
        return result;
    const uint32_t row = grzWorld_RowOf(world, id.index1 - 1);
    world->boxes.data[row] = grzClothBody_Box(cloth);
    grzWorld_MendTree(world, row);
    return result;
}

grzResult grzInner_AddKeyframe(grzWorld* world, grzBodyId id, double time, const float* positions) {
    grzAnimatedBody* animated;
    const grzResult result = animatedOf(world, id, &animated);
    return grzResult_IsOk(result) ? grzAnimatedBody_AddKeyframe(animated, world->time, time, positions) : result;
}

grzResult grzInner_SetVertexVelocities(grzWorld* world, grzBodyId id, const uint32_t* vertices,
                                       const float* velocities, uint32_t count) {
    grzAnimatedBody* animated;
    const grzResult result = animatedOf(world, id, &animated);
    return grzResult_IsOk(result) ? grzAnimatedBody_SetVelocities(animated, vertices, velocities, count) : result;
}

grzResult grzInner_SetVertices(grzWorld* world, grzBodyId id, const float* positions) {
    grzAnimatedBody* animated;
    const grzResult result = animatedOf(world, id, &animated);
    return grzResult_IsOk(result) ? grzAnimatedBody_SetVertices(animated, positions) : result;
}

grzResult grzInner_GetAnimated(const grzWorld* world, grzBodyId id, grzAnimatedView* view) {
    memset(view, 0, sizeof *view);
    grzAnimatedBody* animated;
    const grzResult result = animatedOf(world, id, &animated);
    if (!grzResult_IsOk(result))
        return result;
    grzAnimatedBody_ReachEnd(animated, world->def.tasks);
    const grzAnimatedShape shape = grzAnimatedBody_GetShape(animated);
    view->positions = shape.positions;
    view->vertexCount = shape.mesh.vertexCount;
    view->triangleCount = shape.mesh.triangleCount;
    view->upkeep = grzAnimatedBody_GetUpkeep(animated);
    return result;
}
