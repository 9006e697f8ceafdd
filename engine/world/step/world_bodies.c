// What: adds, places, pushes and reads rigid bodies; removes bodies of any kind.
// Promise: graze/body.h: what is refused changes nothing.
// Idea: a body is kept in the frame of its principal axes, where inertia is three numbers; turn and center (world_inside.h) lead
//   from there to the shape's frame, which is the host's.
#include <math.h>
#include <string.h>

#include "hull_uses.h"
#include "mass_frame.h"
#include "world_calls.h"
#include "world_inside.h"
#include "world_near.h"

static const uint32_t bodyDefMark = 0x67426f31;

grzBodyDef grzDefaultBodyDef(void) {
    grzBodyDef def;
    memset(&def, 0, sizeof def);
    def.mark = bodyDefMark;
    def.kind = grz_dynamicBody;
    def.rotation = grzQuat_Identity();
    def.density = 1000.0f;
    def.friction = 0.6f;
    def.gravityScale = 1.0f;
    def.category = 1;
    def.mask = ~(uint64_t)0;
    return def;
}

// ------------------------------------------------------------------------------------------------------ checking

static const char* numberFlawOf(const grzBodyDef* def) {
    if (!(def->density > 0.0f) && def->kind == grz_dynamicBody)
        return "the density is not above 0";
    if (!(def->friction >= 0.0f))
        return "the friction is negative";
    if (!(def->restitution >= 0.0f && def->restitution <= 1.0f))
        return "the restitution is not 0 to 1";
    if (!(def->linearDamping >= 0.0f && def->angularDamping >= 0.0f))
        return "a damping is negative";
    return NULL;
}

static const char* flawOf(const grzBodyDef* def) {
    if ((unsigned)def->kind > grz_dynamicBody)
        return "the kind is not static, kinematic or dynamic";
    if ((def->mesh != NULL) == (def->shape.kind != grz_noShape))
        return def->mesh != NULL ? "there are both a shape and a mesh" : "there is neither a shape nor a mesh";
    if (def->isTwoSided && def->mesh == NULL)
        return "isTwoSided is for meshes; a convex shape is solid";
    if (!grzQuat_IsUnit(def->rotation))
        return "the rotation is not a unit quaternion";
    const grzVec3 zero = grzVec3_Zero();
    if (def->kind == grz_staticBody && !(grzVec3_IsEqual(def->velocity, zero) && grzVec3_IsEqual(def->spin, zero)))
        return "a static body has a velocity";
    return numberFlawOf(def);
}

// The first number that is not finite.
static const char* endlessOf(const grzBodyDef* def) {
    if (!grzVec3_IsFinite(def->origin))
        return "the origin is not finite";
    if (!grzQuat_IsFinite(def->rotation))
        return "the rotation is not finite";
    if (!grzIsInRange(def->velocity))
        return "the velocity is not finite, or beyond 1e15";
    if (!grzIsInRange(def->spin))
        return "the spin is not finite, or beyond 1e15";
    if (!isfinite(def->density))
        return "the density is not finite";
    if (!isfinite(def->friction))
        return "the friction is not finite";
    if (!isfinite(def->restitution))
        return "the restitution is not finite";
    if (!isfinite(def->gravityScale))
        return "the gravityScale is not finite";
    return isfinite(def->linearDamping) && isfinite(def->angularDamping) ? NULL : "a damping is not finite";
}

static grzResult checkDef(const grzBodyDef* def) {
    if (def == NULL || def->mark != bodyDefMark)
        return grzFail(grz_badDef, 0);
    const char* flaw = endlessOf(def);
    if (flaw != NULL)
        return grzBecause(grzFail(grz_notFinite, 2), flaw);
    flaw = flawOf(def);
    if (flaw != NULL)
        return grzBecause(grzFail(grz_badArgument, 2), flaw);
    if (def->mesh != NULL)
        return grzOk();
    grzResult result = grzConvex_Check(&def->shape);
    result.value = grzResult_IsOk(result) ? 0 : 2;
    return result;
}

// -------------------------------------------------------------------------------------------------------- masses

static grzMass massOf(const grzBodyDef* def) {
    return def->mesh != NULL ? grzMeshShape_Mass(def->mesh) : grzConvex_Mass(&def->shape);
}

static grzVec3 toFloats(grzVec3d a) {
    return grzVec3_Make((float)a.x, (float)a.y, (float)a.z);
}

float grzCollider_Radius(const grzCollider* collider, grzVec3 center) {
    const grzBox box = collider->kind == grz_meshCollider
                           ? collider->mesh->box
                           : grzConvex_Box(&collider->shape, grzTransform_Identity());
    const grzVec3 reach = grzMax(grzAbs(grzSub(box.lower, center)), grzAbs(grzSub(box.upper, center)));
    return grzLength(reach) * 1.00001f;
}

// A unit impulse at the shape's surface may not move it by more: the squares of such numbers must be floats.
static const double mostYield = 1e18;

// Whether floats can hold the masses, and what contacts make of them.
static bool setMass(const grzBodyDef* def, const grzMass* mass, grzRigid* rigid) {
    grzMassFrame frame;
    if (!(mass->volume > 0.0) || !grzMassFrame_Make(mass, &frame))
        return false;
    const double density = (double)def->density;
    rigid->body.turn = frame.rotation;
    rigid->body.mass = (float)(mass->volume * density);
    rigid->mass.inverseMass = (float)(1.0 / (mass->volume * density));
    const double radius = (double)rigid->radius;
    bool isGood = isfinite(rigid->body.mass) && isfinite(rigid->mass.inverseMass) && rigid->body.mass > 0.0f &&
                  rigid->mass.inverseMass > 0.0f;
    double yield = (double)rigid->mass.inverseMass;
    for (int axis = 0; axis < 3; ++axis) {
        rigid->mass.inverseInertia[axis] = (float)(1.0 / (frame.moments[axis] * density));
        isGood = isGood && isfinite(rigid->mass.inverseInertia[axis]) && rigid->mass.inverseInertia[axis] > 0.0f;
        yield += radius * radius * (double)rigid->mass.inverseInertia[axis];
    }
    rigid->mass.flags |= (uint32_t)grz_bodyYields;
    if (frame.moments[0] != frame.moments[1] || frame.moments[1] != frame.moments[2])
        rigid->mass.flags |= (uint32_t)grz_bodyGyrates;
    return isGood && yield <= mostYield;
}

static grzResult weigh(const grzBodyDef* def, grzRigid* rigid) {
    const grzMass mass = massOf(def);
    rigid->body.center = toFloats(mass.center);
    rigid->body.turn = grzQuat_Identity();
    if (def->kind == grz_staticBody) // which has no radius, either, before it gets a row
        return grzOk();
    rigid->radius = grzCollider_Radius(&rigid->collider, rigid->body.center);
    rigid->mass.gravityScale = def->gravityScale;
    rigid->mass.linearDamping = def->linearDamping;
    rigid->mass.angularDamping = def->angularDamping;
    rigid->mass.flags = (uint32_t)grz_bodyMoves;
    if (def->kind == grz_dynamicBody && !setMass(def, &mass, rigid))
        return grzBecause(grzFail(grz_badArgument, 2),
                          def->mesh != NULL
                              ? "a dynamic body's mesh does not enclose a volume, closed and wound outward"
                              : "a dynamic body's shape has no volume, or a mass beyond floats");
    return grzOk();
}

static void setPlace(const grzBody* body, grzVec3 origin, grzQuat rotation, grzBodyState* state) {
    const grzQuat unit = grzQuat_Normalize(rotation);
    state->rotation = grzQuat_Normalize(grzQuat_Multiply(unit, body->turn));
    state->center = grzAdd(origin, grzQuat_Rotate(unit, body->center));
}

// -------------------------------------------------------------------------------------------------------- adding

grzUses* grzCollider_Uses(const grzCollider* collider) {
    if (collider->kind == grz_meshCollider)
        return collider->mesh->uses;
    return collider->kind == grz_convexCollider && collider->shape.kind == grz_hullShape
               ? grzHull_Uses(collider->shape.hull)
               : NULL;
}

static void countBody(grzWorld* world, const grzCollider* collider, uint32_t by) {
    world->rigidCount += by;
    world->dynamicCount += collider->body == grz_dynamicBody ? by : 0;
}

// radius: around the centre of what may move; else 0.
static bool isWithinRange(grzBox box, grzVec3 center, float radius) {
    return grzIsInRange(box.lower) && grzIsInRange(box.upper) &&
           grzMaxElement(grzAbs(center)) + radius <= GRZ_WORLD_RANGE;
}

static grzResult makeRigid(const grzBodyDef* def, grzRigid* rigid) {
    memset(rigid, 0, sizeof *rigid);
    grzCollider* collider = &rigid->collider;
    collider->kind = def->mesh != NULL ? grz_meshCollider : grz_convexCollider;
    collider->body = def->kind;
    collider->shape = def->shape;
    collider->mesh = def->mesh;
    collider->isTwoSided = def->isTwoSided;
    collider->friction = def->friction;
    collider->restitution = def->restitution;
    collider->category = def->category;
    collider->mask = def->mask;
    collider->group = def->group;
    const grzResult result = weigh(def, rigid);
    if (!grzResult_IsOk(result))
        return result;
    setPlace(&rigid->body, def->origin, def->rotation, &rigid->state);
    rigid->state.velocity = def->velocity;
    rigid->state.spin = def->spin;
    grzRigid_Place(&rigid->body, &rigid->state, collider, &rigid->box);
    return isWithinRange(rigid->box, rigid->state.center, rigid->radius)
               ? result
               : grzBecause(grzFail(grz_notFinite, 2), "the body, where the origin puts it, is beyond 1e15");
}

grzResult grzInner_AddBody(grzWorld* world, const grzBodyDef* def, grzBodyId* id) {
    *id = (grzBodyId){0, 0};
    grzRigid rigid;
    grzResult result = checkDef(def);
    if (grzResult_IsOk(result))
        result = makeRigid(def, &rigid);
    uint32_t slot;
    if (grzResult_IsOk(result))
        result = grzWorld_ReserveSlot(world, def->kind == grz_staticBody, &slot);
    if (!grzResult_IsOk(result))
        return result;
    result = grzWorld_EnterSlot(world, slot, &rigid, def->userData, id);
    if (grzResult_IsOk(result)) {
        countBody(world, &rigid.collider, 1);
        grzUses_Begin(grzCollider_Uses(&rigid.collider));
    }
    return result;
}

// The bodies of a call that failed go again, the last one first.
static void takeBack(grzWorld* world, const grzBodyId* ids, uint32_t count, size_t slotCount) {
    for (uint32_t i = count; i-- > 0;) {
        grzRigid scratch;
        grzBox box;
        const grzCollider collider = *grzWorld_ColliderAt(world, ids[i].index1 - 1, &scratch, &box);
        grzUses_End(grzCollider_Uses(&collider));
        world->groupCount -= collider.group != 0;
        countBody(world, &collider, UINT32_MAX); // minus 1
        grzWorld_TakeBackSlot(world, ids[i], slotCount);
    }
}

grzResult grzInner_AddBodies(grzWorld* world, const grzBodyDef* defs, uint32_t count, grzBodyId* ids) {
    const size_t slotCount = world->pool.slots.count;
    grzResult result = grzOk();
    uint32_t added = 0;
    while (added < count && grzResult_IsOk(result = grzInner_AddBody(world, &defs[added], &ids[added])))
        ++added;
    if (grzResult_IsOk(result)) {
        grzTree_Prepare(world->near->tree, NULL); // else the next step does
        grzTree_Prepare(world->tree, NULL);
        return result;
    }
    takeBack(world, ids, added, slotCount);
    memset(ids, 0, count * sizeof *ids);
    result.part = grz_partObject;
    result.index = added;
    return result;
}

static void dropFrom(uint32_t* slots, size_t* count, uint32_t slot) {
    size_t kept = 0;
    for (size_t i = 0; i < *count; ++i)
        if (slots[i] != slot)
            slots[kept++] = slots[i];
    *count = kept;
}

grzResult grzInner_RemoveBody(grzWorld* world, grzBodyId id) {
    grzResult result = grzWorld_CheckId(world, id);
    if (!grzResult_IsOk(result))
        return result;
    const uint32_t slot = id.index1 - 1;
    if (world->rows1.data[slot] != 0)
        result = grzWorld_ListContacts(world); // which looks at rows
    if (!grzResult_IsOk(result))
        return result;
    grzRigid scratch;
    grzBox box;
    const grzCollider collider = *grzWorld_ColliderAt(world, slot, &scratch, &box);
    grzUses_End(grzCollider_Uses(&collider));
    world->groupCount -= collider.group != 0;
    if (collider.kind == grz_clothCollider) {
        dropFrom(world->clothSlots.data, &world->clothSlots.count, slot);
        grzClothBody_Destroy(collider.cloth);
    } else if (collider.kind == grz_animatedCollider) {
        dropFrom(world->animatedSlots.data, &world->animatedSlots.count, slot);
        grzAnimatedBody_Destroy(collider.animated);
    } else {
        countBody(world, &collider, UINT32_MAX); // minus 1
    }
    grzWorld_FreeSlot(world, id);
    return grzOk();
}

// ------------------------------------------------------------------------------------------------------- reading

static void viewRigid(const grzBody* body, const grzBodyState* state, grzBodyView* view) {
    view->rotation = grzBody_ShapeRotation(body, state->rotation);
    view->origin = grzBody_Origin(body, state, view->rotation);
    view->velocity = state->velocity;
    view->spin = state->spin;
    view->center = state->center;
    view->mass = body->mass;
}

grzResult grzInner_GetBody(const grzWorld* world, grzBodyId id, grzBodyView* view) {
    memset(view, 0, sizeof *view);
    const grzResult result = grzWorld_CheckId(world, id);
    if (!grzResult_IsOk(result))
        return result;
    const uint32_t slot = id.index1 - 1;
    const grzBodyRecord* record = grzWorld_Record(world, slot);
    view->rotation = grzQuat_Identity();
    view->userData = record->userData;
    if (record->isStill) {
        grzRigid rigid;
        grzWorld_ReadStill(world, slot, &rigid);
        view->kind = grz_staticBody;
        view->box = rigid.box;
        viewRigid(&rigid.body, &rigid.state, view);
        return grzOk();
    }
    const uint32_t row = grzWorld_RowOf(world, slot);
    view->kind = world->colliders.data[row].body;
    view->box = world->boxes.data[row];
    if (view->kind <= grz_dynamicBody)
        viewRigid(&world->bodies.data[row], &world->states.data[row], view);
    return grzOk();
}

void grzInner_GetTransforms(const grzWorld* world, grzTransform* transforms, uint32_t count) {
    for (uint32_t slot = 0; slot < count && slot < grzWorld_Slots(world); ++slot) {
        const uint8_t kind = grzWorld_Record(world, slot)->kind;
        grzRigid scratch;
        grzBox box;
        if (kind == grz_convexCollider || kind == grz_meshCollider)
            transforms[slot] = grzWorld_ColliderAt(world, slot, &scratch, &box)->pose;
    }
}

// -------------------------------------------------------------------------------------------------------- moving

static grzBodyKind kindAt(const grzWorld* world, uint32_t slot) {
    return grzWorld_Record(world, slot)->isStill ? grz_staticBody
                                                 : world->colliders.data[grzWorld_RowOf(world, slot)].body;
}

static grzResult checkRigid(const grzWorld* world, grzBodyId id, grzBodyKind least) {
    static const char* const flaws[] = {"the body is a cloth or an animated mesh, not a rigid body",
                                        "a static body does not move", "the body is not dynamic"};
    const grzResult result = grzWorld_CheckId(world, id);
    if (!grzResult_IsOk(result))
        return result;
    const grzBodyKind kind = kindAt(world, id.index1 - 1);
    if (kind > grz_dynamicBody)
        return grzBecause(grzFail(grz_badArgument, 2), flaws[0]);
    return kind < least ? grzBecause(grzFail(grz_badArgument, 2), flaws[least]) : grzOk();
}

static grzResult notFinite(const char* reason) {
    return grzBecause(grzFail(grz_notFinite, 3), reason);
}

static grzResult tooFar(void) {
    return notFinite("the body, where the origin puts it, is beyond 1e15");
}

// The record, the tree, and the row where it has one. Its state at the step's start stays: contacts may still be listed from it.
static grzResult placeStill(grzWorld* world, uint32_t slot, grzVec3 origin, grzQuat rotation) {
    grzRigid rigid;
    grzWorld_ReadStill(world, slot, &rigid);
    setPlace(&rigid.body, origin, rotation, &rigid.state);
    grzRigid_Place(&rigid.body, &rigid.state, &rigid.collider, &rigid.box);
    if (!isWithinRange(rigid.box, rigid.state.center, 0.0f))
        return tooFar();
    grzBodyRecord* record = grzWorld_Record(world, slot);
    const grzResult result = grzTree_Update(world->near->tree, record->treeId, grzNear_Box(world, rigid.box));
    if (!grzResult_IsOk(result))
        return result;
    grzBodyRecord_SetStill(record, &rigid);
    grzWorldTree_Changed(world->near->tree, &world->near->changeCount);
    if (world->rows1.data[slot] != 0) {
        const uint32_t row = grzWorld_RowOf(world, slot);
        world->states.data[row] = rigid.state;
        grzWorld_PlaceCollider(world, row);
    }
    return result;
}

grzResult grzInner_PlaceBody(grzWorld* world, grzBodyId id, grzVec3 origin, grzQuat rotation) {
    grzResult result = checkRigid(world, id, grz_staticBody);
    if (!grzResult_IsOk(result))
        return result;
    if (!grzVec3_IsFinite(origin) || !grzQuat_IsFinite(rotation))
        return notFinite("the origin or the rotation is not finite");
    if (!grzQuat_IsUnit(rotation))
        return grzBecause(grzFail(grz_badArgument, 4), "the rotation is not a unit quaternion");
    const uint32_t slot = id.index1 - 1;
    if (grzWorld_Record(world, slot)->isStill)
        return placeStill(world, slot, origin, rotation);
    const uint32_t row = grzWorld_RowOf(world, slot);
    const grzBodyState before = world->states.data[row];
    setPlace(&world->bodies.data[row], origin, rotation, &world->states.data[row]);
    grzWorld_PlaceCollider(world, row);
    if (!isWithinRange(world->boxes.data[row], world->states.data[row].center,
                       world->traits.data[row].shape.radius)) {
        world->states.data[row] = before;
        grzWorld_PlaceCollider(world, row);
        return tooFar();
    }
    grzWorld_MendTree(world, row);
    return grzOk();
}

grzResult grzInner_SetVelocity(grzWorld* world, grzBodyId id, grzVec3 velocity, grzVec3 spin) {
    const grzResult result = checkRigid(world, id, grz_kinematicBody);
    if (!grzResult_IsOk(result))
        return result;
    if (!grzIsInRange(velocity) || !grzIsInRange(spin))
        return notFinite("the velocity or the spin is not finite, or beyond 1e15");
    const uint32_t row = grzWorld_RowOf(world, id.index1 - 1);
    world->states.data[row].velocity = velocity;
    world->states.data[row].spin = spin;
    grzWorld_PlaceCollider(world, row);
    return grzOk();
}

grzResult grzInner_PushBody(grzWorld* world, grzBodyId id, grzVec3 point, grzVec3 impulse) {
    const grzResult result = checkRigid(world, id, grz_dynamicBody);
    if (!grzResult_IsOk(result))
        return result;
    const uint32_t row = grzWorld_RowOf(world, id.index1 - 1);
    const grzBodyMass* mass = &world->masses.data[row];
    grzBodyState state = world->states.data[row];
    state.velocity = grzAddScaled(state.velocity, mass->inverseMass, impulse);
    state.spin =
        grzAdd(state.spin, grzBodyMass_Turn(mass, state.rotation, grzCross(grzSub(point, state.center), impulse)));
    if (!grzIsInRange(state.velocity) || !grzIsInRange(state.spin))
        return notFinite("the velocity or the spin that the push leads to is not finite, or beyond 1e15");
    world->states.data[row] = state;
    grzWorld_PlaceCollider(world, row);
    return grzOk();
}

// A push for each row, of zeros.
static grzResult makePushes(grzWorld* world) {
    const size_t rows = world->colliders.capacity;
    if (world->pushes.data != NULL)
        return grzOk();
    if (!grzArray_Reserve(&world->pushes, &world->allocator, rows))
        return grzNoMemory(rows, sizeof(grzPush));
    world->pushes.count = grzWorld_RowCount(world);
    memset(world->pushes.data, 0, world->pushes.count * sizeof(grzPush));
    return grzOk();
}

grzResult grzInner_AddForce(grzWorld* world, grzBodyId id, grzVec3 force, grzVec3 torque) {
    grzResult result = checkRigid(world, id, grz_dynamicBody);
    if (grzResult_IsOk(result))
        result = makePushes(world);
    if (!grzResult_IsOk(result))
        return result;
    const uint32_t row = grzWorld_RowOf(world, id.index1 - 1);
    const grzBodyMass* mass = &world->masses.data[row];
    grzPush* push = &world->pushes.data[row];
    const grzVec3 sum = grzAdd(push->force, force), turn = grzAdd(push->torque, torque);
    if (!grzIsInRange(grzScale(sum, mass->inverseMass)) ||
        !grzIsInRange(grzBodyMass_Turn(mass, world->states.data[row].rotation, turn)))
        return notFinite("the acceleration by all forces or torques of the step is not finite, or beyond 1e15");
    push->force = sum;
    push->torque = turn;
    world->hasForces = true;
    return grzOk();
}
