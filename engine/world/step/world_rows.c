// What: rows: where the bodies lie that a step walks.
// Promise: all rows are of bodies that live; no row is a hole. Adding and dropping one costs the same however many there are.
// Idea: a body that can move has a row for life, a static one while something that moves is near it (world_near.c). A row that goes
//   leaves its place to the last one, so the order of rows depends on history. No result does: pairs are in the order of slots.
#include <math.h>
#include <string.h>

#include "solid_core.h"
#include "world_guard.h"
#include "world_inside.h"
#include "world_narrow.h"
#include "world_near.h"

// Infinite where the mesh is as far away as no convex shape may be (grzConvex_Box).
static grzBox boxOfMesh(const grzCollider* collider) {
    static const float farthest = 1e15f;
    if (!(grzMaxElement(grzAbs(collider->pose.origin)) <= farthest))
        return grzBox_Make(grzVec3_Splat(-INFINITY), grzVec3_Splat(INFINITY));
    return grzBox_Transform(collider->pose, collider->mesh->box);
}

void grzRigid_Place(const grzBody* body, const grzBodyState* state, grzCollider* collider, grzBox* box) {
    const grzQuat rotation = grzBody_ShapeRotation(body, state->rotation);
    collider->pose = grzTransform_FromQuat(rotation, grzBody_Origin(body, state, rotation));
    *box =
        collider->kind == grz_meshCollider ? boxOfMesh(collider) : grzConvex_Box(&collider->shape, collider->pose);
}

void grzWorld_PlaceCollider(grzWorld* world, uint32_t row) {
    grzRigid_Place(&world->bodies.data[row], &world->states.data[row], &world->colliders.data[row],
                   &world->boxes.data[row]);
    world->moved.data[row] = true;
}

bool grzWorld_ReserveRows(grzWorld* world, size_t count) {
    const grzAllocator* allocator = &world->allocator;
    return grzArray_Reserve(&world->bodies, allocator, count) &&
           grzArray_Reserve(&world->colliders, allocator, count) &&
           grzArray_Reserve(&world->traits, allocator, count) &&
           grzArray_Reserve(&world->leavers, allocator, count / 64 + 1) &&
           grzGuard_ReserveRows(world->guard, allocator, count) &&
           grzArray_Reserve(&world->states, allocator, count) &&
           grzArray_Reserve(&world->startStates, allocator, count) &&
           grzArray_Reserve(&world->masses, allocator, count) &&
           grzArray_Reserve(&world->boxes, allocator, count) &&
           grzArray_Reserve(&world->sweeps, allocator, count) &&
           grzArray_Reserve(&world->motions, allocator, count) &&
           grzArray_Reserve(&world->moved, allocator, count) &&
           (world->pushes.data == NULL || grzArray_Reserve(&world->pushes, allocator, count));
}

static void setCount(grzWorld* world, size_t count) {
    world->bodies.count = world->colliders.count = world->traits.count = world->states.count = count;
    world->startStates.count = world->masses.count = world->boxes.count = count;
    world->sweeps.count = world->motions.count = world->moved.count = count;
    world->pushes.count = world->pushes.data != NULL ? count : 0;
}

static void setTraits(grzWorld* world, uint32_t row, uint32_t slot, float radius) {
    const grzCollider* collider = &world->colliders.data[row];
    grzBodyTraits* traits = &world->traits.data[row];
    memset(traits, 0, sizeof *traits);
    traits->shape.radius = radius;
    traits->treeIndex = grzWorld_Record(world, slot)->treeId.index1 - 1;
    traits->slot = slot;
    traits->shape.friction = collider->friction;
    traits->shape.restitution = collider->restitution;
    traits->group = collider->group;
    traits->generation = collider->id.generation;
    traits->shape.kind = (uint8_t)collider->kind;
    traits->shape.own[0] = (uint8_t)collider->body;
    if (collider->body == grz_dynamicBody && radius > 0.0f) {
        const grzBody* body = &world->bodies.data[row];
        const grzSolid solid = {collider, body->turn, body->center};
        grzBodyTraits_SetThickness(traits, grzSolid_Thickness(&solid));
    }
}

void grzWorld_AddRow(grzWorld* world, uint32_t slot, const grzRigid* rigid) {
    const uint32_t row = grzWorld_RowCount(world);
    setCount(world, row + 1);
    world->colliders.data[row] = rigid->collider;
    world->bodies.data[row] = rigid->body;
    world->states.data[row] = world->startStates.data[row] = rigid->state;
    world->masses.data[row] = rigid->mass;
    world->boxes.data[row] = world->sweeps.data[row] = rigid->box;
    memset(&world->motions.data[row], 0, sizeof(grzMotion));
    world->moved.data[row] = true;
    if (world->pushes.data != NULL)
        memset(&world->pushes.data[row], 0, sizeof(grzPush));
    setTraits(world, row, slot, rigid->radius);
    world->rows1.data[slot] = row + 1;
}

static void moveRow(grzWorld* world, uint32_t from, uint32_t to) {
    world->colliders.data[to] = world->colliders.data[from];
    world->bodies.data[to] = world->bodies.data[from];
    world->traits.data[to] = world->traits.data[from];
    world->states.data[to] = world->states.data[from];
    world->startStates.data[to] = world->startStates.data[from];
    world->masses.data[to] = world->masses.data[from];
    world->boxes.data[to] = world->boxes.data[from];
    world->sweeps.data[to] = world->sweeps.data[from];
    world->motions.data[to] = world->motions.data[from];
    world->moved.data[to] = world->moved.data[from];
    if (world->pushes.data != NULL)
        world->pushes.data[to] = world->pushes.data[from];
    world->rows1.data[world->traits.data[to].slot] = to + 1;
}

void grzWorld_DropRow(grzWorld* world, uint32_t row) {
    const uint32_t last = grzWorld_RowCount(world) - 1;
    world->near->rowCount -= grzBodyTraits_Body(&world->traits.data[row]) == grz_staticBody;
    world->rows1.data[world->traits.data[row].slot] = 0;
    grzNarrow_EndBody(world->narrow, world->colliders.data[row].id);
    grzMeshTouches_Forget(world->narrow->mesh, row);
    if (row != last) {
        grzMeshTouches_Forget(world->narrow->mesh, last);
        moveRow(world, last, row);
    }
    setCount(world, last);
}
