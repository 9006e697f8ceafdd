// What: how a world is laid out, for the files that share it.
//
//   by slot     records[]  rows1[]                                                 one entry a body, of any kind: cold
//   by row      colliders[]  traits[]  bodies[]  states[]  masses[]  boxes[]  sweeps[]  motions[]       what a step walks
//   by pair     pairs.rows[] (pair_rows.h)  -> touches                            found[now]: this step's; found[1 - now]: the last one's
//
//   slots    0: crate   1: ground   2: wall   3: rock   4: crate          ids name slots, and lists are in their order
//   rows     0: crate   1: rock   2: crate   3: ground                    the crates and the rock move; the ground is near one of them
//   trees    tree: crates, rock              stillTree: ground, wall      keys are slots
//
// A body that can move has a row from when it is added to when it is removed. A static body has its record, and a box in
// stillTree; it has a row as well while a body that moves is near it. So a step costs what moves and what is near that.
// Rows are in no promised order: a row that goes leaves its place to the last one (world_rows.c). No result depends on them.
//
//   plan        states, colliders      -> sweeps, motions world_plan.c
//   broad       sweeps                 -> rows            world_broad.c, world_near.c
//   mid         rows                   -> ways, candidates: pairs of triangles of meshes   world_mid.c, world_mesh.c
//   narrow      rows, candidates       -> touches         world_narrow.c, world_mesh.c, world_cloth.c
//   solve       touches                -> states          world_solve.c
//   publish     rows, touches          -> contacts, events, boxes                world_publish.c
//
// Holds: arrays by row have grzWorld_RowCount entries, each of a body that lives. Pairs are in the order of slots (a, b), a < b, and
// so are the places of the touches that the solver takes: those of all pairs in which something yields. Pairs and touches
// name bodies by rows; these hold until a body is removed, and before that the lists of contacts are written.
#ifndef GRAZE_WORLD_WORLD_INSIDE_H
#define GRAZE_WORLD_WORLD_INSIDE_H

#include <math.h>

#include "animated_body.h"
#include "array.h"
#include "cloth_body.h"
#include "collider.h"
#include "counted_memory.h"
#include "graze/stage/step.h"
#include "graze/tree.h"
#include "graze/tree_pairs.h"
#include "graze/world.h"
#include "id_pool.h"
#include "memory.h"
#include "mesh_shape.h"
#include "pair_rows.h"
#include "uses.h"

// What only adding, placing and reading a body needs.
typedef struct grzBody {
    grzQuat turn;   // from the body's frame to the shape's
    grzVec3 center; // of mass, in the shape's frame
    float mass;     // 0: not dynamic
} grzBody;

// What the host pushes a body by in the next step.
typedef struct grzPush {
    grzVec3 force, torque;
} grzPush;

// A body of any kind, by slot. All that there is of a static one, unless something that moves is near it.
typedef struct grzBodyRecord {
    uint64_t userData;
    grzTreeId treeId;  // in stillTree where `isStill`, else in `tree`
    uint8_t kind;      // grzColliderKind: grz_noCollider where no body lives
    uint8_t isStill;   // static
    uint8_t shapeKind; // grzConvexKind. This and all below only where `isStill`
    uint8_t isTwoSided;
    uint32_t group;
    float friction, restitution;
    union {
        const grzHull* hull;
        const grzMeshShape* mesh;
    } of;
    float radius, a[3], b[3];    // of the convex shape
    float center[3];             // of mass, in the shape's frame
    float place[3], rotation[4]; // of the state
} grzBodyRecord;

// What loops over pairs ask of a body, in one place that is small: colliders are six lines long.
typedef struct grzBodyTraits {
    grzShapeTraits shape;
    union {
        uint32_t treeIndex; // of what can move: in the arrays of `tree`
        uint32_t nearStep;  // of a static body: the broad stage that last found something near it
    };
    uint32_t slot;
    uint32_t group; // as the collider has it
    uint32_t generation;
} grzBodyTraits;

GRZ_STATIC_ASSERT(sizeof(grzBodyTraits) == 32, "two of them to a line");

static inline grzBodyKind grzBodyTraits_Body(const grzBodyTraits* traits) {
    return (grzBodyKind)traits->shape.own[0];
}

// Of a dynamic body (solid_core.h): kept in parts of 2^-16 of the radius.
static inline void grzBodyTraits_SetThickness(grzBodyTraits* traits, float thickness) {
    const float part = thickness / traits->shape.radius;
    const uint32_t bits = (uint32_t)((part < 1.0f ? part : 1.0f) * 65535.0f);
    traits->shape.own[1] = (uint8_t)(bits >> 8);
    traits->shape.own[2] = (uint8_t)bits;
}
static inline float grzBodyTraits_Thickness(const grzBodyTraits* traits) {
    const int bits = traits->shape.own[1] << 8 | traits->shape.own[2];
    return (float)bits * 0x1p-16f * traits->shape.radius;
}

// A body that stands still in the step under way (world_stop.c).
typedef struct grzStopped {
    uint32_t slot, reason;
    grzBodyMass mass; // of a rigid body: as it was before
    grzBodyState state;
} grzStopped;

// What a step found in all pairs.
typedef struct grzStepTable {
    uint32_t touchingCount; // rows
    // What was found in pairs with meshes, which name a triangle for each point.
    struct {
        GRZ_ARRAY(grzContact);
    } meshContacts;
} grzStepTable;

struct grzWorld {
    _Atomic bool isBusy; // a call that changes the world is under way (world_calls.c)
    grzCountedMemory memory;
    grzAllocator allocator; // which counts
    grzWorldDef def;
    double time;
    uint64_t stepCount;
    grzIdPool pool;

    struct {
        GRZ_ARRAY(grzBodyRecord*);
    } recordPages; // GRZ_RECORD_PAGE slots each, so that one more body never moves the others
    struct {
        GRZ_ARRAY(uint32_t);
    } rows1; // by slot: the body's row, plus 1; 0: it has none

    // By row.
    struct {
        GRZ_ARRAY(grzBody);
    } bodies;
    struct {
        GRZ_ARRAY(grzCollider);
    } colliders;
    struct {
        GRZ_ARRAY(grzBodyTraits);
    } traits;
    // Behind those of bodies come rows that stand for the surface of animated meshes, a touch each.
    struct {
        GRZ_ARRAY(grzBodyState);
    } states;
    struct {
        GRZ_ARRAY(grzBodyState);
    } startStates; // of the step, for contacts
    struct {
        GRZ_ARRAY(grzBodyMass);
    } masses;
    struct {
        GRZ_ARRAY(grzBox);
    } boxes; // around bodies where they are now
    struct {
        GRZ_ARRAY(grzBox);
    } sweeps; // around where they may come in this step; what the tree has
    struct {
        GRZ_ARRAY(grzMotion);
    } motions; // of this step
    struct {
        GRZ_ARRAY(uint8_t);
    } moved; // the collider was placed since it was posed

    grzTree* tree;        // of what can move; keys are slots
    uint32_t treeChanges; // world_near.h: grzWorldTree_Changed
    grzTreePairs* finder;
    struct grzNear* near; // world_near.h: static bodies, and pairs with them
    struct {
        GRZ_ARRAY(grzBox);
    } treeBoxes; // by the tree's index
    struct {
        GRZ_ARRAY(uint32_t);
    } clothSlots, animatedSlots; // ascending
    struct {
        GRZ_ARRAY(grzClothObstacle);
    } obstacles; // of all cloths, one cloth after the other
    struct {
        GRZ_ARRAY(grzContactSpan);
    } clothSpans; // by obstacle: its contacts with the cloth
    struct {
        GRZ_ARRAY(uint32_t);
    } obstacleEnds; // by cloth: where its obstacles end
    struct {
        GRZ_ARRAY(grzPush);
    } pushes;       // by row, from the first force of the world's life on; before that none
    bool hasForces; // that wait for the next step
    struct {
        GRZ_ARRAY(uint64_t);
    } leavers; // a bit a row: it has left its box in the tree; before publish: it spoils the step
    struct {
        GRZ_ARRAY(grzStopped);
    } stopped; // of the step under way, in no order
    struct {
        GRZ_ARRAY(grzBodyEvent);
    } bodyEvents; // of the last step, by slots
    struct {
        GRZ_ARRAY(uint64_t);
    } bodyEventScratch; // of sorting them
    uint32_t rigidCount, dynamicCount, groupCount;

    grzPairRows pairs;
    grzStepTable tables[2];
    grzTouches* touches; // of both tables
    struct {
        GRZ_ARRAY(grzPairBlock);
    } rowBlocks;  // of this step's rows
    uint32_t now; // of tables, and of what pairs found: this step's; 1 - now: the last one's
    grzContactSolver* solver;
    struct grzNarrow* narrow; // world_narrow.h: scratch of the narrow stage
    struct grzGuard* guard;   // world_guard.h: scratch of the solve stage
    float timeStep;           // of the step under way
    bool isCollideOnly;

    struct {
        GRZ_ARRAY(grzContact);
    } contacts;
    struct {
        GRZ_ARRAY(float);
    } impulses;
    struct {
        GRZ_ARRAY(grzVec3);
    } frictions;
    struct {
        GRZ_ARRAY(grzTouchFriction);
    } touchFrictions; // by unit of this step's touches, while lists are written
    struct {
        GRZ_ARRAY(grzEvent);
    } events;
    struct {
        GRZ_ARRAY(grzHit);
    } hits;
    struct {
        GRZ_ARRAY(grzStop);
    } stops; // of this step, in the order of pairs: world_stops.c
    struct {
        GRZ_ARRAY(grzBodyPair);
    } stoppedPairs;        // scratch of it
    size_t contactCount;   // of the step under way, but for stops
    bool hasLists;         // they have been asked for once, and the steps take their memory
    _Atomic bool isListed; // contacts, events and hits are written; set last, as other threads may look
    grzWorldStats stats;
    grzCounter counters[5]; // of the profile: world.c
};

#define GRZ_RECORD_PAGE 512

// The pairs of this step, in order.
static inline uint32_t grzWorld_PairCount(const grzWorld* world) {
    return (uint32_t)world->pairs.view.count;
}

static inline grzPairRow* grzWorld_PairAt(const grzWorld* world, size_t place) {
    return &world->pairs.rows.data[world->pairs.view.rows[place]];
}

// The same, as stages take them.
static inline grzStepPairs grzWorld_Pairs(const grzWorld* world) {
    return (grzStepPairs){world->pairs.rows.data, world->pairs.view.rows, grzWorld_PairCount(world), world->now,
                          world->rowBlocks.data};
}

// What this step finds in a pair, and what the last one has found: NULL where the pair is new.
static inline const grzPairFound* grzWorld_Found(const grzWorld* world, const grzPairRow* row) {
    return &row->found[world->now];
}

static inline const grzPairFound* grzWorld_LastFound(const grzWorld* world, const grzPairRow* row) {
    return row->isNew ? NULL : &row->found[1 - world->now];
}

static inline uint32_t grzWorld_Slots(const grzWorld* world) {
    return (uint32_t)world->pool.slots.count;
}

static inline uint32_t grzWorld_RowCount(const grzWorld* world) {
    return (uint32_t)world->colliders.count;
}

// Of the first row; NULL before the world has had any.
static inline const grzShapeTraits* grzWorld_ShapeTraits(const grzWorld* world) {
    return world->traits.data != NULL ? &world->traits.data->shape : NULL;
}

static inline grzBodyRecord* grzWorld_Record(const grzWorld* world, uint32_t slot) {
    return &world->recordPages.data[slot / GRZ_RECORD_PAGE][slot % GRZ_RECORD_PAGE];
}

// Of a body that can move.
static inline uint32_t grzWorld_RowOf(const grzWorld* world, uint32_t slot) {
    return world->rows1.data[slot] - 1;
}

// Whether an id names a body of this world: grz_staleHandle if not.
grzResult grzWorld_CheckId(const grzWorld* world, grzBodyId id);

// ---- Slots (world_slots.c)

// A rigid body in one piece: as it is made, as its record is read, and as it goes into a row.
typedef struct grzRigid {
    grzCollider collider;
    grzBody body;
    grzBodyState state;
    grzBodyMass mass;
    grzBox box;
    float radius;
} grzRigid;

// Reserves memory for one more body: in every array by slot, and, where it can move, in every array by row and by the tree's index.
// *slot is the slot that the next body gets. Until EnterSlot the slot stays free.
grzResult grzWorld_ReserveSlot(grzWorld* world, bool isStill, uint32_t* slot);
// Puts the body of a reserved slot into its tree, then takes the slot and, where it can move, a row. If the tree refuses the box
// (memory, or a box that is not finite), nothing has changed and *id is not written.
grzResult grzWorld_EnterSlot(grzWorld* world, uint32_t slot, const grzRigid* rigid, uint64_t userData,
                             grzBodyId* id);
void grzWorld_FreeSlot(grzWorld* world, grzBodyId id);
// As if the body that entered last had not. `slotCount`: as grzIdPool_TakeBack has it.
void grzWorld_TakeBackSlot(grzWorld* world, grzBodyId id, size_t slotCount);

// ---- Rows (world_rows.c)

bool grzWorld_ReserveRows(grzWorld* world, size_t count);
// Memory for one more row must be there.
void grzWorld_AddRow(grzWorld* world, uint32_t slot, const grzRigid* rigid);
// The last row takes the place of one that goes.
void grzWorld_DropRow(grzWorld* world, uint32_t row);

// Rotation and origin of the shape's frame, from the state.
// Most shapes are round their centre of mass, with axes that are those of their inertia: there is nothing to compute.
static inline grzQuat grzBody_ShapeRotation(const grzBody* body, grzQuat rotation) {
    if (body->turn.x == 0.0f && body->turn.y == 0.0f && body->turn.z == 0.0f)
        return rotation;
    return grzQuat_Multiply(rotation, grzQuat_Conjugate(body->turn));
}
static inline grzVec3 grzBody_Origin(const grzBody* body, const grzBodyState* state, grzQuat rotation) {
    if (body->center.x == 0.0f && body->center.y == 0.0f && body->center.z == 0.0f)
        return state->center;
    return grzSub(state->center, grzQuat_Rotate(rotation, body->center));
}

// How far a shape reaches from its centre of mass; a little more is fine.
float grzCollider_Radius(const grzCollider* collider, grzVec3 center);
// The collider's pose, and the box, of a rigid body from its state.
void grzRigid_Place(const grzBody* body, const grzBodyState* state, grzCollider* collider, grzBox* box);
void grzWorld_PlaceCollider(grzWorld* world, uint32_t row);
// Tells the tree of a body that has left its box there, lest queries miss it.
void grzWorld_MendTree(grzWorld* world, uint32_t row);
// All boxes of what can move into the tree. grz_notFinite where one is not, and bodies have been stopped;
// grz_outOfMemory.
grzResult grzWorld_UpdateTree(grzWorld* world);

// ---- Stages, each over the arrays above; in this order. Each reads what stages before it have written, in this step
// or, of states, boxes and the last step's table, in the last; and may be called again: what it writes, it writes anew.
// They fail by grz_outOfMemory, and by grz_notFinite where a body has been stopped (part object; index: a slot).

void grzWorld_Plan(grzWorld* world);
grzResult grzWorld_Broad(grzWorld* world);
grzResult grzWorld_Mid(grzWorld* world);
grzResult grzWorld_Narrow(grzWorld* world);
grzResult grzWorld_Solve(grzWorld* world);
// Its last part: bodies and vertices of cloth that have passed through what cannot yield go back to where they came to
// it. PrepareGuard finds those that may have, and takes all memory that the guard needs; refused by grz_outOfMemory.
// The guard marks what it would leave with a state that cannot be used. Then it is refused by grz_notFinite, with a
// grzStopReason as the value.
grzResult grzWorld_PrepareGuard(grzWorld* world);
grzResult grzWorld_Guard(grzWorld* world);
// Marks rows of bodies that spoil the step; world_solve.c stops them.
void grzWorld_MarkSpoiler(grzWorld* world, uint32_t row);
void grzWorld_ClearSpoilers(grzWorld* world);
void grzWorld_Publish(grzWorld* world);

// Where each cloth meets what is near it, and which pairs of cloth touch (narrow). Rows of masses stay where they are from here to the
// end of the step.
grzResult grzWorld_CollideCloth(grzWorld* world);
// Cloth that has met something in the substeps touches it in this step, not in the next one (publish).
void grzWorld_MeetCloth(grzWorld* world);
// How far cloth goes on in the step: not at all where nothing is solved.
float grzWorld_ClothTime(const grzWorld* world);

// Which leaves of cloth are near animated meshes (mid).
grzResult grzWorld_FindClothCandidates(grzWorld* world);

// Pairs with meshes, and which triangles of two meshes are near each other (mid; hasMeshes: there are rows with some, or whose
// contacts with some are kept); the contacts of all these pairs, and the touches that they make (narrow).
grzResult grzWorld_FindMeshCandidates(grzWorld* world, bool hasMeshes);
grzResult grzWorld_FindMeshContacts(grzWorld* world);
// Contacts of bodies that pass each other in the step do not push (world_near_miss.c).
void grzWorld_PassNearMisses(grzWorld* world);
// Contacts of bodies that lie on faces of grounds get the normals of these faces (ground_face.h).
void grzWorld_StandOnFaces(grzWorld* world);
// Contacts that the seams of grounds make up are taken out of what was found (seams.h).
grzResult grzWorld_MendSeams(grzWorld* world);
// How fast animated surfaces are at what is left of contacts with them.
grzResult grzWorld_ReadSurfaces(grzWorld* world);
// Touches with animated surfaces get a row of their own behind those of bodies, which moves as the surface does there (narrow).
grzResult grzWorld_StandOnSurfaces(grzWorld* world);

// Who counts that a rigid body points at its mesh shape or hull; NULL: it points at neither.
grzUses* grzCollider_Uses(const grzCollider* collider);

// ---- Bodies that a step stops (world_stop.c)

// Coordinates of bodies and of what encloses them, speeds and accelerations of rigid bodies: none is larger.
#define GRZ_WORLD_RANGE 1e15f

// False also for a NaN.
static inline bool grzIsInRange(grzVec3 a) {
    return fabsf(a.x) <= GRZ_WORLD_RANGE && fabsf(a.y) <= GRZ_WORLD_RANGE && fabsf(a.z) <= GRZ_WORLD_RANGE;
}

// A stage that cannot go on because of a body calls Stop and returns its result, a refusal. Then all stages run again.
// The body has no mass and no velocity in them, so that all other bodies move as if it were static. The step is refused
// if a body cannot be stopped: it is already, or the host alone moves it.
grzResult grzWorld_Stop(grzWorld* world, uint32_t slot, grzStopReason reason);
// Of two bodies that cannot be told apart, stops the one that would come farther in the step.
grzResult grzWorld_StopFarther(grzWorld* world, uint32_t rowA, uint32_t rowB);
// After the last stage. Restores the masses of stopped bodies, and lists their events. isDone false: the step was
// refused. Then their velocities are restored, too, and there are no events.
void grzWorld_EndStops(grzWorld* world, bool isDone);

// The rows of this step's pairs, which ascend by slots; the last part of the broad stage.
grzResult grzWorld_JoinPairs(grzWorld* world, const grzBodyPair* pairs, size_t count);

// Bodies that the guard has stopped touch in this step: a stop is a contact, and its pair is one of the step's pairs
// even where the broad stage has not seen it coming. Prepare takes memory for so many stops before the first;
// refused: grz_outOfMemory.
grzResult grzWorld_PrepareStops(grzWorld* world, size_t most);
void grzWorld_AddStops(grzWorld* world);

// The end of the narrow stage: how many contacts there are; and where a host has asked for the lists before, memory for them.
grzResult grzWorld_CountContacts(grzWorld* world);

// Memory for lists of the step's contacts, events and hits, with so many stops at most. Refused: grz_outOfMemory.
grzResult grzWorld_ReserveLists(grzWorld* world, size_t stops);
// The lists are empty until they are written again.
void grzWorld_ClearLists(grzWorld* world);
// Writes the lists of contacts, events and hits, where they are not yet written. Refused, and nothing has changed:
// grz_outOfMemory, the first time alone.
grzResult grzWorld_ListContacts(grzWorld* world);

#endif
