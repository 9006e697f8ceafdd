// What: bodies that stand still: their records, their tree, and which of them something that moves is near.
// Promise: every pair of a body that moves and a static one whose boxes overlap, and that may meet, is found, once. What is found does
//   not depend on the rows.
// Idea: static bodies that are found get a row. They keep it until as many rows are idle as are in use, so that a ball that bounces
//   on a large mesh does not make the mesh come and go.
// Cost: O(what moves, and its pairs).
#include "world_near.h"

#include <string.h>

#include "memory.h"
#include "owner.h"
#include "radix_sort.h"
#include "world_calls.h"

// Trees are prepared while they grow, too: objects that have gathered in one leaf take four times the memory, and queries would look at
// all of them.
enum { growthLeast = 1024 };

// This many rows of static bodies may be idle beside as many as are in use.
enum { idleLeast = 16 };

grzResult grzNear_Create(const grzWorldDef* def, const grzAllocator* allocator, grzNear** made) {
    grzResult result;
    grzNear* near = *made = grzOwner_NewFrom(allocator, sizeof *near, _Alignof(grzNear), &result);
    if (near == NULL)
        return result;
    grzTreeDef treeDef = grzDefaultTreeDef();
    treeDef.allocator = *allocator;
    treeDef.idSalt = def->idSalt;
    result = grzTree_Create(&treeDef, &near->tree);
    if (grzResult_IsOk(result))
        result = grzTreePairs_Create(*allocator, &near->finder);
    return result;
}

void grzNear_Destroy(grzNear* near, const grzAllocator* allocator) {
    if (near == NULL)
        return;
    grzTreePairs_Destroy(near->finder);
    grzTree_Destroy(near->tree);
    grzArray_Release(&near->keys, allocator);
    grzArray_Release(&near->sorted, allocator);
    grzArray_Release(&near->pairs, allocator);
    grzRelease(allocator, near, 1, sizeof *near, _Alignof(grzNear));
}

grzBox grzNear_Box(const grzWorld* world, grzBox box) {
    return grzBox_Expand(box, 0.5f * world->def.margin);
}

void grzWorldTree_Changed(grzTree* tree, uint32_t* changes) {
    if (++*changes <= grzTree_Count(tree) / 2 + growthLeast)
        return;
    grzTree_Prepare(tree, NULL);
    *changes = 0;
}

// ------------------------------------------------------------------------------------------------------ records

void grzBodyRecord_SetStill(grzBodyRecord* record, const grzRigid* rigid) {
    const grzCollider* collider = &rigid->collider;
    record->shapeKind = (uint8_t)collider->shape.kind;
    record->isTwoSided = collider->isTwoSided;
    record->group = collider->group;
    record->friction = collider->friction;
    record->restitution = collider->restitution;
    if (collider->kind == grz_meshCollider)
        record->of.mesh = collider->mesh;
    else
        record->of.hull = collider->shape.hull;
    record->radius = collider->shape.radius;
    grzVec3_Store(record->a, collider->shape.a);
    grzVec3_Store(record->b, collider->shape.b);
    grzVec3_Store(record->center, rigid->body.center);
    grzVec3_Store(record->place, rigid->state.center);
    const grzQuat rotation = rigid->state.rotation;
    record->rotation[0] = rotation.x, record->rotation[1] = rotation.y;
    record->rotation[2] = rotation.z, record->rotation[3] = rotation.w;
}

static void readShape(const grzBodyRecord* record, grzCollider* collider) {
    collider->kind = (grzColliderKind)record->kind;
    if (collider->kind == grz_meshCollider) {
        collider->mesh = record->of.mesh;
        return;
    }
    collider->shape.kind = (grzConvexKind)record->shapeKind;
    collider->shape.radius = record->radius;
    collider->shape.a = grzVec3_Load(record->a);
    collider->shape.b = grzVec3_Load(record->b);
    collider->shape.hull = record->of.hull;
}

void grzWorld_ReadStill(const grzWorld* world, uint32_t slot, grzRigid* rigid) {
    const grzBodyRecord* record = grzWorld_Record(world, slot);
    grzCollider* collider = &rigid->collider;
    memset(rigid, 0, sizeof *rigid);
    readShape(record, collider);
    collider->body = grz_staticBody;
    collider->id = grzInner_BodyAt(world, slot);
    collider->friction = record->friction;
    collider->restitution = record->restitution;
    collider->group = record->group;
    collider->isTwoSided = record->isTwoSided != 0;
    grzTreeObject object;
    if (grzTree_Get(world->near->tree, record->treeId, &object))
        collider->category = object.category, collider->mask = object.mask;
    rigid->body.turn = grzQuat_Identity();
    rigid->body.center = grzVec3_Load(record->center);
    rigid->state.center = grzVec3_Load(record->place);
    rigid->state.rotation =
        grzQuat_Make(record->rotation[0], record->rotation[1], record->rotation[2], record->rotation[3]);
    grzRigid_Place(&rigid->body, &rigid->state, collider, &rigid->box);
    rigid->radius = grzCollider_Radius(collider, rigid->body.center);
}

const grzCollider* grzWorld_ColliderAt(const grzWorld* world, uint32_t slot, grzRigid* scratch, grzBox* box) {
    if (grzWorld_Record(world, slot)->isStill) {
        grzWorld_ReadStill(world, slot, scratch);
        *box = scratch->box;
        return &scratch->collider;
    }
    const uint32_t row = grzWorld_RowOf(world, slot);
    *box = world->boxes.data[row];
    return &world->colliders.data[row];
}

// -------------------------------------------------------------------------------------------------------- pairs

static uint32_t groupOf(const grzWorld* world, uint32_t slot) {
    const grzBodyRecord* record = grzWorld_Record(world, slot);
    return record->isStill ? record->group : world->traits.data[grzWorld_RowOf(world, slot)].group;
}

static bool mayMeet(void* context, uint32_t slotA, uint32_t slotB) {
    const uint32_t group = groupOf(context, slotA);
    return group == 0 || group != groupOf(context, slotB);
}

static bool addKey(grzWorld* world, uint32_t a, uint32_t b) {
    grzNear* near = world->near;
    if (!grzArray_Reserve(&near->keys, &world->allocator, near->keys.count + 1))
        return false;
    near->keys.data[near->keys.count++] = a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
    return true;
}

static grzResult findKeys(grzWorld* world) {
    grzNear* near = world->near;
    grzPairQuery query = grzDefaultPairQuery();
    query.treeA = world->tree;
    query.treeB = near->tree;
    if (world->groupCount > 1) {
        query.filter = mayMeet;
        query.filterContext = world;
    }
    const grzResult result = grzTreePairs_Find(near->finder, world->def.tasks, &query);
    const grzTreePairsView found = grzTreePairs_GetView(near->finder);
    for (size_t i = 0; i < found.count; ++i)
        if (!addKey(world, found.pairs[i].a, found.pairs[i].b))
            return grzNoMemory(found.count, sizeof(uint64_t));
    return result;
}

static grzResult sortKeys(grzWorld* world) {
    grzNear* near = world->near;
    size_t i = 1;
    while (i < near->keys.count && near->keys.data[i - 1] < near->keys.data[i])
        ++i;
    if (i >= near->keys.count)
        return grzOk();
    if (!grzArray_Reserve(&near->sorted, &world->allocator, near->keys.count))
        return grzNoMemory(near->keys.count, sizeof(uint64_t));
    grzRadixSort64(near->keys.data, NULL, near->sorted.data, NULL, near->keys.count);
    return grzOk();
}

// --------------------------------------------------------------------------------------------------------- rows

static uint32_t stillOf(const grzWorld* world, uint64_t key) {
    const uint32_t low = (uint32_t)key, high = (uint32_t)(key >> 32);
    return grzWorld_Record(world, low)->isStill ? low : high;
}

static bool isIdle(const grzWorld* world, uint32_t row) {
    const grzBodyTraits* traits = &world->traits.data[row];
    return grzBodyTraits_Body(traits) == grz_staticBody && traits->nearStep != world->near->step;
}

static void dropIdle(grzWorld* world, uint32_t used) {
    if (world->near->rowCount <= 2 * used + idleLeast)
        return;
    for (uint32_t row = grzWorld_RowCount(world); row-- > 0;)
        if (isIdle(world, row))
            grzWorld_DropRow(world, row);
}

static grzResult giveRows(grzWorld* world) {
    grzNear* near = world->near;
    uint32_t used = 0;
    ++near->step;
    for (size_t i = 0; i < near->keys.count; ++i) {
        const uint32_t slot = stillOf(world, near->keys.data[i]);
        if (world->rows1.data[slot] == 0) {
            grzRigid rigid;
            if (!grzWorld_ReserveRows(world, world->colliders.count + 1))
                return grzNoMemory(world->colliders.count + 1, sizeof(grzCollider));
            grzWorld_ReadStill(world, slot, &rigid);
            grzWorld_AddRow(world, slot, &rigid);
            ++near->rowCount;
            world->sweeps.data[grzWorld_RowOf(world, slot)] = grzNear_Box(world, rigid.box);
            world->traits.data[grzWorld_RowOf(world, slot)].nearStep = near->step - 1;
        }
        grzBodyTraits* traits = &world->traits.data[grzWorld_RowOf(world, slot)];
        used += traits->nearStep != near->step;
        traits->nearStep = near->step;
    }
    dropIdle(world, used);
    return grzOk();
}

// ------------------------------------------------------------------------------------------------------ the stage

// Both are in the order of slots, and have no pair in common.
static void merge(grzNear* near, const grzBodyPair* moving, size_t count) {
    size_t i = 0, k = 0;
    near->pairs.count = 0;
    while (i < count || k < near->keys.count) {
        const uint64_t key = k < near->keys.count ? near->keys.data[k] : UINT64_MAX;
        if (i < count && ((uint64_t)moving[i].a << 32 | moving[i].b) < key)
            near->pairs.data[near->pairs.count++] = moving[i++];
        else
            near->pairs.data[near->pairs.count++] =
                (grzBodyPair){(uint32_t)(key >> 32), (uint32_t)near->keys.data[k++]};
    }
}

grzResult grzWorld_FindNear(grzWorld* world, const grzBodyPair* moving, size_t movingCount) {
    grzNear* near = world->near;
    grzResult result = grzOk();
    near->keys.count = 0;
    if (grzTree_Count(near->tree) != 0 && grzTree_Count(world->tree) != 0)
        result = findKeys(world);
    if (grzResult_IsOk(result))
        result = sortKeys(world);
    if (grzResult_IsOk(result))
        result = giveRows(world);
    const size_t count = movingCount + near->keys.count;
    if (grzResult_IsOk(result) && !grzArray_Reserve(&near->pairs, &world->allocator, count))
        result = grzNoMemory(count, sizeof(grzBodyPair));
    if (grzResult_IsOk(result))
        merge(near, moving, movingCount);
    return result;
}
