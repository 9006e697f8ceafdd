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
    if (!grzVec3_IsFinite(def->velocity))
        return "the velocity is not finite";
    if (!grzVec3_IsFinite(def->spin))
        return "the spin is not finite";
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

// How far the shape reaches from its centre of mass; a little more is fine.
static float radiusAbout(const grzBodyDef* def, grzVec3 center) {
    const grzBox box = def->mesh != NULL ? def->mesh->box : grzConvex_Box(&def->shape, grzTransform_Identity());
    const grzVec3 reach = grzMax(grzAbs(grzSub(box.lower, center)), grzAbs(grzSub(box.upper, center)));
    return grzLength(reach) * 1.00001f;
}

typedef struct Weighed {
    grzBody body;
    grzBodyMass mass;
    float radius;
} Weighed;

// A unit impulse at the shape's surface may not move it by more: the squares of such numbers must be floats.
static const double mostYield = 1e18;

// Whether floats can hold the masses, and what contacts make of them.
static bool setMass(const grzBodyDef* def, const grzMass* mass, Weighed* weighed) {
    grzMassFrame frame;
    if (!(mass->volume > 0.0) || !grzMassFrame_Make(mass, &frame))
        return false;
    const double density = (double)def->density;
    weighed->body.turn = frame.rotation;
    weighed->body.mass = (float)(mass->volume * density);
    weighed->mass.inverseMass = (float)(1.0 / (mass->volume * density));
    const double radius = (double)radiusAbout(def, toFloats(mass->center));
    bool isGood = isfinite(weighed->body.mass) && isfinite(weighed->mass.inverseMass) &&
                  weighed->body.mass > 0.0f && weighed->mass.inverseMass > 0.0f;
    double yield = (double)weighed->mass.inverseMass;
    for (int axis = 0; axis < 3; ++axis) {
        weighed->mass.inverseInertia[axis] = (float)(1.0 / (frame.moments[axis] * density));
        isGood =
            isGood && isfinite(weighed->mass.inverseInertia[axis]) && weighed->mass.inverseInertia[axis] > 0.0f;
        yield += radius * radius * (double)weighed->mass.inverseInertia[axis];
    }
    weighed->mass.flags |= (uint32_t)grz_bodyYields;
    if (frame.moments[0] != frame.moments[1] || frame.moments[1] != frame.moments[2])
        weighed->mass.flags |= (uint32_t)grz_bodyGyrates;
    return isGood && yield <= mostYield;
}

static grzResult weigh(const grzBodyDef* def, Weighed* weighed) {
    memset(weighed, 0, sizeof *weighed);
    weighed->body.turn = grzQuat_Identity();
    weighed->mass.gravityScale = def->gravityScale;
    weighed->mass.linearDamping = def->linearDamping;
    weighed->mass.angularDamping = def->angularDamping;
    weighed->mass.flags = def->kind == grz_staticBody ? 0u : (uint32_t)grz_bodyMoves;
    const grzMass mass = massOf(def);
    if (def->kind == grz_dynamicBody && !setMass(def, &mass, weighed))
        return grzBecause(grzFail(grz_badArgument, 2),
                          def->mesh != NULL
                              ? "a dynamic body's mesh does not enclose a volume, closed and wound outward"
                              : "a dynamic body's shape has no volume, or a mass beyond floats");
    weighed->body.center = toFloats(mass.center);
    weighed->radius = radiusAbout(def, weighed->body.center);
    weighed->body.userData = def->userData;
    return grzOk();
}

// -------------------------------------------------------------------------------------------------------- places

// Rotation of the shape's frame, and back.
static grzQuat shapeRotation(const grzBody* body, grzQuat rotation) {
    return grzQuat_Multiply(rotation, grzQuat_Conjugate(body->turn));
}

static void setPlace(grzWorld* world, uint32_t slot, grzVec3 origin, grzQuat rotation) {
    const grzBody* body = &world->bodies.data[slot];
    grzBodyState* state = &world->states.data[slot];
    const grzQuat unit = grzQuat_Normalize(rotation);
    state->rotation = grzQuat_Normalize(grzQuat_Multiply(unit, body->turn));
    state->center = grzAdd(origin, grzQuat_Rotate(unit, body->center));
}

static grzVec3 originOf(const grzBody* body, const grzBodyState* state, grzQuat rotation) {
    return grzSub(state->center, grzQuat_Rotate(rotation, body->center));
}

// Infinite where the mesh is as far away as no convex shape may be (grzConvex_Box).
static grzBox boxOfMesh(const grzCollider* collider) {
    static const float farthest = 1e15f;
    if (!(grzMaxElement(grzAbs(collider->pose.origin)) <= farthest))
        return grzBox_Make(grzVec3_Splat(-INFINITY), grzVec3_Splat(INFINITY));
    return grzBox_Transform(collider->pose, collider->mesh->box);
}

void grzWorld_PlaceCollider(grzWorld* world, uint32_t slot) {
    const grzBody* body = &world->bodies.data[slot];
    const grzBodyState* state = &world->states.data[slot];
    grzCollider* collider = &world->colliders.data[slot];
    const grzQuat rotation = shapeRotation(body, state->rotation);
    collider->pose = grzTransform_FromQuat(rotation, originOf(body, state, rotation));
    atomic_store_explicit(&collider->isMoved, true, memory_order_relaxed); // workers that read it start later
    collider->center = state->center;
    collider->velocity = state->velocity;
    collider->spin = state->spin;
    world->boxes.data[slot] =
        collider->kind == grz_meshCollider ? boxOfMesh(collider) : grzConvex_Box(&collider->shape, collider->pose);
}

// -------------------------------------------------------------------------------------------------------- adding

grzUses* grzWorld_UsesOf(const grzWorld* world, uint32_t slot) {
    const grzCollider* collider = &world->colliders.data[slot];
    if (collider->kind == grz_meshCollider)
        return collider->mesh->uses;
    return collider->kind == grz_convexCollider && collider->shape.kind == grz_hullShape
               ? grzHull_Uses(collider->shape.hull)
               : NULL;
}

static void countBody(grzWorld* world, const grzCollider* collider, uint32_t by) {
    world->rigidCount += by;
    world->dynamicCount += collider->body == grz_dynamicBody ? by : 0;
    world->staticCount += collider->body == grz_staticBody ? by : 0;
}

static void fillSlot(grzWorld* world, uint32_t slot, const grzBodyDef* def, const Weighed* weighed) {
    world->bodies.data[slot] = weighed->body;
    world->traits.data[slot].radius = weighed->radius;
    world->masses.data[slot] = weighed->mass;
    grzCollider* collider = &world->colliders.data[slot];
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
    setPlace(world, slot, def->origin, def->rotation);
    world->states.data[slot].velocity = def->velocity;
    world->states.data[slot].spin = def->spin;
    grzWorld_PlaceCollider(world, slot);
}

grzResult grzInner_AddBody(grzWorld* world, const grzBodyDef* def, grzBodyId* id) {
    *id = (grzBodyId){0, 0};
    Weighed weighed;
    grzResult result = checkDef(def);
    if (grzResult_IsOk(result))
        result = weigh(def, &weighed);
    uint32_t slot;
    if (grzResult_IsOk(result))
        result = grzWorld_ReserveSlot(world, &slot);
    if (!grzResult_IsOk(result))
        return result;
    fillSlot(world, slot, def, &weighed);
    result = grzWorld_EnterSlot(world, slot, id);
    if (grzResult_IsOk(result)) {
        countBody(world, &world->colliders.data[slot], 1);
        grzUses_Begin(grzWorld_UsesOf(world, slot));
    }
    return result.status == grz_notFinite
               ? grzBecause(grzFail(grz_notFinite, 2),
                            "the origin is so far away that the body's box is not finite")
               : result;
}

static void dropFrom(uint32_t* slots, size_t* count, uint32_t slot) {
    size_t kept = 0;
    for (size_t i = 0; i < *count; ++i)
        if (slots[i] != slot)
            slots[kept++] = slots[i];
    *count = kept;
}

grzResult grzInner_RemoveBody(grzWorld* world, grzBodyId id) {
    const grzResult result = grzWorld_CheckId(world, id);
    if (!grzResult_IsOk(result))
        return result;
    grzWorld_ListContacts(world); // which looks at the body
    const uint32_t slot = id.index1 - 1;
    const grzCollider collider = world->colliders.data[slot];
    grzUses_End(grzWorld_UsesOf(world, slot));
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

grzResult grzInner_GetBody(const grzWorld* world, grzBodyId id, grzBodyView* view) {
    memset(view, 0, sizeof *view);
    const grzResult result = grzWorld_CheckId(world, id);
    if (!grzResult_IsOk(result))
        return result;
    const uint32_t slot = id.index1 - 1;
    const grzBody* body = &world->bodies.data[slot];
    const grzBodyState* state = &world->states.data[slot];
    view->kind = world->colliders.data[slot].body;
    view->rotation = grzQuat_Identity();
    view->box = world->boxes.data[slot];
    view->userData = body->userData;
    if (view->kind > grz_dynamicBody)
        return grzOk();
    view->rotation = shapeRotation(body, state->rotation);
    view->origin = originOf(body, state, view->rotation);
    view->velocity = state->velocity;
    view->spin = state->spin;
    view->center = state->center;
    view->mass = body->mass;
    return grzOk();
}

void grzInner_GetTransforms(const grzWorld* world, grzTransform* transforms, uint32_t count) {
    for (uint32_t slot = 0; slot < count && slot < grzWorld_Slots(world); ++slot) {
        const grzCollider* collider = &world->colliders.data[slot];
        if (collider->kind == grz_convexCollider || collider->kind == grz_meshCollider)
            transforms[slot] = collider->pose;
    }
}

// -------------------------------------------------------------------------------------------------------- moving

static grzResult checkRigid(const grzWorld* world, grzBodyId id, grzBodyKind least) {
    static const char* const flaws[] = {"the body is a cloth or an animated mesh, not a rigid body",
                                        "a static body does not move", "the body is not dynamic"};
    const grzResult result = grzWorld_CheckId(world, id);
    if (!grzResult_IsOk(result))
        return result;
    const grzBodyKind kind = world->colliders.data[id.index1 - 1].body;
    if (kind > grz_dynamicBody)
        return grzBecause(grzFail(grz_badArgument, 2), flaws[0]);
    return kind < least ? grzBecause(grzFail(grz_badArgument, 2), flaws[least]) : grzOk();
}

static grzResult notFinite(const char* reason) {
    return grzBecause(grzFail(grz_notFinite, 3), reason);
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
    const grzBodyState before = world->states.data[slot];
    setPlace(world, slot, origin, rotation);
    grzWorld_PlaceCollider(world, slot);
    if (!grzVec3_IsFinite(world->boxes.data[slot].lower) || !grzVec3_IsFinite(world->boxes.data[slot].upper)) {
        world->states.data[slot] = before;
        grzWorld_PlaceCollider(world, slot);
        return grzBecause(grzFail(grz_notFinite, 3), "the place is so far away that its box is not finite");
    }
    grzWorld_MendTree(world, slot);
    return grzOk();
}

grzResult grzInner_SetVelocity(grzWorld* world, grzBodyId id, grzVec3 velocity, grzVec3 spin) {
    const grzResult result = checkRigid(world, id, grz_kinematicBody);
    if (!grzResult_IsOk(result))
        return result;
    if (!grzVec3_IsFinite(velocity) || !grzVec3_IsFinite(spin))
        return notFinite("the velocity or the spin is not finite");
    const uint32_t slot = id.index1 - 1;
    world->states.data[slot].velocity = velocity;
    world->states.data[slot].spin = spin;
    grzWorld_PlaceCollider(world, slot);
    return grzOk();
}

grzResult grzInner_PushBody(grzWorld* world, grzBodyId id, grzVec3 point, grzVec3 impulse) {
    const grzResult result = checkRigid(world, id, grz_dynamicBody);
    if (!grzResult_IsOk(result))
        return result;
    const uint32_t slot = id.index1 - 1;
    const grzBodyMass* mass = &world->masses.data[slot];
    grzBodyState state = world->states.data[slot];
    state.velocity = grzAddScaled(state.velocity, mass->inverseMass, impulse);
    state.spin =
        grzAdd(state.spin, grzBodyMass_Turn(mass, state.rotation, grzCross(grzSub(point, state.center), impulse)));
    if (!grzVec3_IsFinite(state.velocity) || !grzVec3_IsFinite(state.spin))
        return notFinite("the velocity or the spin that the push leads to is not finite");
    world->states.data[slot] = state;
    grzWorld_PlaceCollider(world, slot);
    return grzOk();
}

grzResult grzInner_AddForce(grzWorld* world, grzBodyId id, grzVec3 force, grzVec3 torque) {
    const grzResult result = checkRigid(world, id, grz_dynamicBody);
    if (!grzResult_IsOk(result))
        return result;
    grzBody* body = &world->bodies.data[id.index1 - 1];
    const grzVec3 sum = grzAdd(body->force, force), turn = grzAdd(body->torque, torque);
    if (!grzVec3_IsFinite(sum) || !grzVec3_IsFinite(turn))
        return notFinite("the sum of the forces or the torques is not finite");
    body->force = sum;
    body->torque = turn;
    world->hasForces = true;
    return grzOk();
}
