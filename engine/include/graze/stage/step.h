// The stages of a step over arrays of the caller: for hosts that own their bodies and write a step of their own.
//
//   grzPlanInput input = grzDefaultPlanInput();
//   input.states = states, input.masses = masses, input.boxes = boxes, input.radii = radii, input.count = count;
//   input.timeStep = 1.0f / 60;
//   grzResult result = grzStep_Plan(&input, &(grzPlanOutput){.motions = motions, .sweeps = sweeps});
//   ... the sweeps go into a tree (graze/tree.h), whose pairs (graze/tree_pairs.h) are those that may meet in the step
//   result = grzStep_Broad(table, &broad, &pairs);     // which of them are new, and the rows of the others
//   result = grzStep_Mid(&mid);                        // how the contacts of each are found
//
// Contents: bodies as columns, plan, pairs of bodies, broad, mid. graze/stage/step_contacts.h has the stages after these. The world's own
// step is made of these functions.
//
// A body is a row: entry i of each column. Frames: a body's own frame is that of its principal axes about its centre of mass, so that its
// inertia is three numbers. Where the shape lies in that frame is the caller's to know.
//
// Nothing is kept from call to call, and nothing is allocated. Results do not depend on the number of workers. Owner: all arrays are the
// caller's; input and output do not overlap. Units: lengths as the caller likes, seconds, radians.
#ifndef GRAZE_STAGE_STEP_H
#define GRAZE_STAGE_STEP_H

#include "graze/convex.h"
#include "graze/linmath.h"
#include "graze/profile.h"
#include "graze/records.h"
#include "graze/result.h"
#include "graze/stage/pair_table.h"
#include "graze/tasks.h"

GRZ_EXTERN_C_BEGIN

// ------------------------------------------------------------------------------------------------ bodies as columns

// What a step changes. At the start of the step, and at its end.
typedef struct grzBodyState {
    grzVec3 center;   // of mass, in the world
    grzQuat rotation; // from the body's frame to the world
    grzVec3 velocity; // of the centre
    grzVec3 spin;     // angular velocity, in the world
} grzBodyState;

typedef struct grzBodyMass {
    float inverseMass;       // 0: no impulse moves it (static, kinematic)
    float inverseInertia[3]; // about the body's own axes; 0 where nothing turns it
    float gravityScale;
    float linearDamping;  // per second: velocity is divided by 1 + damping * time
    float angularDamping; // the same for the spin
    uint32_t flags;       // grzBodyFlag
} grzBodyMass;

typedef enum grzBodyFlag {
    grz_bodyMoves = 1u,   // kinematic or dynamic: has a velocity that counts
    grz_bodyYields = 2u,  // dynamic: impulses change it
    grz_bodyGyrates = 4u, // its three moments of inertia differ: gyroscopic terms count
} grzBodyFlag;

GRZ_STATIC_ASSERT(sizeof(grzBodyState) == 64, "four vectors");
GRZ_STATIC_ASSERT(sizeof(grzBodyMass) == 32, "eight words");

// How an angular impulse changes the spin.
static inline grzVec3 grzBodyMass_Turn(const grzBodyMass* mass, grzQuat rotation, grzVec3 angularImpulse) {
    const grzVec3 own = grzQuat_RotateInverse(rotation, angularImpulse);
    return grzQuat_Rotate(rotation, grzVec3_Make(own.x * mass->inverseInertia[0], own.y * mass->inverseInertia[1],
                                                 own.z * mass->inverseInertia[2]));
}

// The margin of a body, or of a pair by the smaller of its radii: at most the share of the radius. Share 0: the margin.
static inline float grzMargin_OfRadius(float margin, float share, float radius) {
    const float most = share * radius;
    return share > 0.0f && most < margin ? most : margin;
}

// ------------------------------------------------------------------------------------------------------------- plan

typedef struct grzPlanInput {
    const grzBodyState* states;
    const grzBodyMass* masses;
    const grzBox* boxes; // around the shapes where they are
    // The next three may be parts of larger rows: entry i lies i * stride bytes behind the first; 0 means tight.
    const float* radii;     // of balls around the centres of mass that hold the shapes
    const grzVec3* forces;  // on dynamic bodies, at the start of the step; NULL: none
    const grzVec3* torques; // NULL where forces is
    size_t radiusStride, pushStride;
    uint32_t count;
    bool isHeld;       // bodies stay where they are in this step: motions are zeros
    float timeStep;    // 0 or more
    float margin;      // 0 or more
    float marginShare; // a body's margin is at most this share of its radius; 0: no such limit
    grzVec3 gravity;
    grzTasks* tasks;     // NULL: the calling thread alone
    grzProfile* profile; // NULL: none
} grzPlanInput;

// Zeros.
GRZ_API grzPlanInput grzDefaultPlanInput(void);

// How a body will move in the step, were there nothing to hit. Zeros but for the flags, if it is held or does not move.
typedef struct grzMotion {
    float from[3];  // velocity at the start of the step
    float turning;  // no point of the shape moves faster by a turn
    float to[3];    // velocity at the end
    uint32_t flags; // of the body's mass
} grzMotion;

GRZ_STATIC_ASSERT(sizeof(grzMotion) == 32, "two of them to a line");

typedef struct grzPlanOutput {
    grzMotion* motions;
    // Boxes around the paths of the shapes, as if there were nothing to hit. What comes nearer to a shape than half of
    // its margin at any time of the step touches its box. So two bodies that come nearer than the smaller margin have
    // boxes that overlap. What gyroscopic terms add to an angular velocity within the step is not in it.
    grzBox* sweeps;
    grzBodyState* starts; // copies of the states, for what compares both ends of the step; NULL: not wanted
} grzPlanOutput;

// Where each body may come in the step. Refused, and nothing written: grz_badArgument (value 1 or 2; the reason names the field: an array
// that is not there though the count is not 0, a time step or a margin that is negative or a NaN). Numbers in arrays are not checked: what
// is not finite leads to a box that is not, which a tree refuses.
GRZ_NODISCARD GRZ_API grzResult grzStep_Plan(const grzPlanInput* input, const grzPlanOutput* output);

// ----------------------------------------------------------------------------------------------------- pairs of bodies

typedef enum grzColliderKind {
    grz_noCollider = 0,
    grz_convexCollider,
    grz_meshCollider,
    grz_animatedCollider, // a mesh that the host animates
    grz_clothCollider,
} grzColliderKind;

// What loops over pairs ask of a body's shape: a column, or a part of larger rows.
typedef struct grzShapeTraits {
    float radius; // of a ball around the centre of mass that holds the shape
    float friction, restitution;
    uint8_t kind;   // grzColliderKind
    uint8_t own[3]; // the caller's: no stage reads them
} grzShapeTraits;

GRZ_STATIC_ASSERT(sizeof(grzShapeTraits) == 16, "four words");

// The margin of a pair: no more than the share of the smaller rigid body's radius. Where both are large, kinds need not be looked at.
static inline float grzMargin_OfPair(float margin, float share, const grzShapeTraits* a, const grzShapeTraits* b) {
    if (share * (a->radius < b->radius ? a->radius : b->radius) >= margin)
        return margin;
    if (a->kind == grz_convexCollider || a->kind == grz_meshCollider)
        margin = grzMargin_OfRadius(margin, share, a->radius);
    if (b->kind == grz_convexCollider || b->kind == grz_meshCollider)
        margin = grzMargin_OfRadius(margin, share, b->radius);
    return margin;
}

// How the contacts of a pair are found.
typedef enum grzPairWay {
    grz_pairNothing = 0, // no contacts are looked for
    grz_pairRecycled,    // those of the last step, as nothing has moved
    grz_pairConvex,      // two convex shapes
    grz_pairMesh,        // a mesh and another mesh or a convex shape
    grz_pairCloth,       // cloth and another body
} grzPairWay;

// What a step found in a pair.
typedef struct grzPairFound {
    uint32_t firstTouch, touchCount; // the place of the first among units; the others follow it
    uint32_t contactCount;           // but for cloth as many as the touches have points
    union {
        uint32_t firstMesh; // of a mesh's pair: its first contact among those of meshes
        uint32_t span;      // of a cloth's pair: which of the spans of publish has its contacts
    };
    uint32_t meshCount; // of a mesh's pair
    uint8_t isTouching; // as graze/records.h defines it at grzEventKind; pushes count from grzStep_FindTouching on
    uint8_t pose;       // which of the row's: where the two were when their contacts were found
    uint8_t isPassing;  // not to be kept: the step has left contacts out that the next one may need
    uint8_t isPushed;   // of a pair of cloth: one of its contacts has pushed in the step
} grzPairFound;

typedef struct grzPairPose {
    grzVec3 shift; // from centre to centre
    grzQuat rotationA, rotationB;
} grzPairPose;

// A pair of bodies, from its first step to its last one: what lies at the pair's row of a table (graze/stage/pair_table.h). A new
// pair: zeros, but for the bodies, their ids, and isNew. Before each step the caller brings a, b and isNew up to date.
typedef struct grzPairRow {
    uint32_t a, b;    // rows of the two bodies, in this step
    uint8_t way;      // grzPairWay
    uint8_t yielding; // how many of the two contacts can move
    uint8_t isNew;    // the last step had no pair of these two
    uint8_t pad;
    float reach; // contacts are looked for up to this separation; 0 where those of the last step are kept
    // What this step finds stands beside what the last one has found, by `now` of the step: so a step that is refused leaves the
    // latter as it was. Where nothing moves, the pose stays where it is.
    grzPairFound found[2];
    // The first line ends here: most loops read no more.
    grzPairPose poses[2];
    grzBodyId idA, idB;    // as contacts and events name them. The bodies may be gone when the pair is looked at
    uint32_t firstContact; // in the list of contacts
    uint32_t rest[3];
} grzPairRow;

GRZ_STATIC_ASSERT(sizeof(grzPairRow) == 192 && offsetof(grzPairRow, poses) == 64, "three lines");

// What a block of pairs, one after the other, adds up to: so that their places in arrays are found in parallel.
#define GRZ_PAIR_BLOCK 256

typedef struct grzPairBlock {
    uint32_t collided;         // pairs of grz_pairConvex
    uint32_t firstCollided;    // where those of the block begin among all of them
    uint32_t cloths;           // pairs of grz_pairCloth
    uint32_t meshes;           // pairs with contacts of meshes, or that look for them
    uint32_t grounds;          // pairs, without cloth, in which contacts can move one body and not the other
    uint32_t touches;          // that the solver takes; then: where they begin among all of them
    uint32_t keptUnits, units; // of touches that are kept, and of new ones; then units: where the block writes
    uint32_t contacts;
    uint32_t firstContact, firstEvent; // where those of the block begin in the lists
    uint32_t recycled, touching;       // pairs
    uint32_t undecided;                // pairs that touch if one of their contacts pushes in the step
    uint32_t hits;
} grzPairBlock;

// The pairs of a step, and what stages write of them for each other.
typedef struct grzStepPairs {
    grzPairRow* rows;
    const uint32_t* order; // the row of each pair, in the order in which all results lie
    uint32_t count;
    uint32_t now;         // 0 and 1 in turns: which of its two `found` a row gets in this step
    grzPairBlock* blocks; // one for each GRZ_PAIR_BLOCK pairs: grzStepPairs_BlockCount
} grzStepPairs;

static inline uint32_t grzStepPairs_BlockCount(uint32_t pairCount) {
    return pairCount / GRZ_PAIR_BLOCK + (pairCount % GRZ_PAIR_BLOCK != 0);
}

static inline grzPairRow* grzStepPairs_At(const grzStepPairs* pairs, size_t place) {
    return &pairs->rows[pairs->order[place]];
}

// What the last step has found in a pair; NULL where the pair is new.
static inline const grzPairFound* grzStepPairs_Last(const grzStepPairs* pairs, const grzPairRow* row) {
    return row->isNew ? NULL : &row->found[1 - pairs->now];
}

// Whether contacts can move one of its bodies and not the other: a ground. None with cloth.
static inline bool grzPairRow_HasGround(const grzPairRow* row) {
    return row->yielding == 1 && row->way != grz_pairNothing && row->way != grz_pairCloth;
}

// What mid found of all pairs: how many have two convex shapes to be collided.
static inline uint32_t grzStepPairs_CollidedCount(const grzStepPairs* pairs) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < grzStepPairs_BlockCount(pairs->count); ++i)
        count += pairs->blocks[i].collided;
    return count;
}

// And what narrow found: how many contacts there are.
static inline size_t grzStepPairs_ContactCount(const grzStepPairs* pairs) {
    size_t count = 0;
    for (uint32_t i = 0; i < grzStepPairs_BlockCount(pairs->count); ++i)
        count += pairs->blocks[i].contacts;
    return count;
}

// -------------------------------------------------------------------------------------------------------------- broad

typedef struct grzBroadInput {
    // All pairs that may meet in this step, ascending, each once: of keys, which name bodies from step to step. As
    // grzTreePairs_Find lists them (grz_pairsSorted).
    const grzBodyPair* pairs;
    size_t pairCount;
    const uint32_t* removed; // keys whose bodies have left since the last step; another body may have one now
    size_t removedCount;
    const uint32_t* rows1; // by key: the body's row, plus 1; NULL: keys are rows
    // By a body's row: the generation of its id, whose index1 is the key plus 1. Entry i lies i * stride bytes behind the first; 0 means
    // tight. NULL: all are 0.
    const uint32_t* generations;
    size_t generationStride;
    size_t rowCapacity; // of pairs->rows
    grzTasks* tasks;    // NULL: the calling thread alone
} grzBroadInput;

// Zeros.
GRZ_API grzBroadInput grzDefaultBroadInput(void);

// The pairs of the step in *pairs: order, count and the other `now`. In: rows, of the table's pairs of the last step; blocks, as many as
// pairCount asks for; now. A pair that lasts keeps its row and what it holds, one that begins has zeros. Blocks are zeros.
//
// To give up a step that was begun: grzPairTable_TakeBack, and *pairs as it was before.
//
// Refused, and nothing has changed: as grzPairTable_Update; grz_bufferTooSmall (value: how many rows are needed); grz_badArgument
// (value 3; the reason names the field).
GRZ_NODISCARD GRZ_API grzResult grzStep_Broad(grzPairTable* table, const grzBroadInput* input, grzStepPairs* pairs);

// ---------------------------------------------------------------------------------------------------------------- mid

typedef struct grzMidInput {
    grzStepPairs pairs;
    const grzBodyState* states;
    const grzMotion* motions; // as plan wrote them
    const grzShapeTraits* traits;
    size_t traitStride; // entry i lies i * stride bytes behind the first; 0 means tight
    // Of convex bodies; others are not read. The stride likewise. NULL: no shape is a blunt hull.
    const grzConvex* shapes;
    size_t shapeStride;
    float timeStep, margin;
    float marginShare; // a pair's margin is at most this share of the smaller rigid body's radius; 0: no such limit
    grzTasks* tasks;   // NULL: the calling thread alone
    grzProfile* profile; // NULL: none
} grzMidInput;

// Zeros.
GRZ_API grzMidInput grzDefaultMidInput(void);

// How each pair's contacts are found: way, reach and yielding of the rows, and of the blocks collided, cloths, meshes, grounds and recycled.
//
// A pair keeps its contacts while its bodies have moved against each other by at most a quarter of the pair's margin,
// and at most a sixteenth of the smaller radius, since these were found. Flush faces keep theirs longer, unless a hull
// is blunt: two of its faces differ by less than 0.24 radians. All other pairs get a reach: the margin, and by how much
// the two may come nearer in the step if that is more than the margin. Pairs of two cloths, and of rows without a
// shape, have nothing to find.
//
// Refused, and nothing written: grz_badArgument (value 1; the reason names the field: an array that is not there though there
// are pairs, a time step or a margin that is negative or a NaN).
GRZ_NODISCARD GRZ_API grzResult grzStep_Mid(const grzMidInput* input);

GRZ_EXTERN_C_END

#endif
