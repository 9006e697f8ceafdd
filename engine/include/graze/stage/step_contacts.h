// The contacts of a step over arrays of the caller: touches, made of manifolds, and the solver that takes them.
//
//   result = grzStep_Collide(&collide, &found);       // pairs of convex shapes to manifolds
//   result = grzStep_Narrow(touches, &narrow);        // manifolds, and contacts of meshes, to touches; impulses go on
//   grzTouchesView view = grzTouches_GetView(touches, pairs.now);
//   grzSolveInput input = grzDefaultSolveInput();
//   input.settings.timeStep = 1.0f / 60, input.settings.gravity = gravity;
//   input.states = states, input.masses = masses, input.bodyCount = count;
//   input.units = view.units, input.places = view.places, input.touchCount = view.count;
//   result = grzStep_Solve(solver, &input);           // states are those of the end of the step
//   result = grzStep_FindTouching(&touching);         // which pairs have pushed: the next step asks
//   result = grzStep_Publish(&publish, &lists);       // if anybody wants to know: contacts, events and hits
//
// Contents: touches, touches from manifolds, narrow, the solver, what else moves in its substeps, publish. `examples/own_step.c` is a whole step.
//
// A touch is where two rigid bodies are in contact: one normal, and up to four points that last from
// step to step with the impulses that they carried. The solver writes its impulses into touches, and the next step's touches take
// them over, point by point of the same name.
//
// Touches lie in units of 48 bytes, in any order, with or without gaps. A touch is named by the place of its first unit:
//
//   units   | touch | point | point | point | point | touch | point | touch | ...
//   names   | name  | name  | name  | name  |       | name  |       | name  | ...     of the touch's points, from its place on
//
// An array of grzTouch is five units a touch. The solver never reads names, so they lie apart.
//
// Owner: the solver and the touches keep their memory from step to step; all arrays are the caller's. Threads: one call at a time for
// each of them; touches of different pairs may be made on different threads. Units: as in graze/stage/step.h.
#ifndef GRAZE_STAGE_STEP_CONTACTS_H
#define GRAZE_STAGE_STEP_CONTACTS_H

#include "graze/convex_pairs.h"
#include "graze/stage/step.h"

GRZ_EXTERN_C_BEGIN

// ---------------------------------------------------------------------------------------------------------- touches

#define GRZ_TOUCH_MOST_POINTS 4

typedef struct grzTouchPoint {
    // The point of space midway between the surfaces when it was found, as seen from the centres of both bodies,
    // along the axes of the world. While the touch is recycled they stay as they are, and the normal too, although
    // the bodies turn a little: so a lean of the bodies gives the load no lever, and tall stacks stand. (With
    // anchors or normals that turn with the bodies a wall of a hundred rows of boxes buckles sidewise.) `separation`
    // follows the true motion, anchors turned with their bodies since the touch was found: found + normal .
    // ((centerB + QB anchorB) - (centerA + QA anchorA)), Q: the turn since.
    float anchorA[3];
    float anchorB[3];
    float found;              // separation when it was found; negative: depth
    float separation;         // now, at the start of the step
    float normalImpulse;      // in: of the last step's last substep, 0 where the point is new; out: of this one's
    float frictionImpulse[2]; // the same of friction: the point's share of the touch's, along grzTouch_Tangents
    float stepImpulse;        // the same of the whole step, bounces among them
} grzTouchPoint;

typedef struct grzTouch {
    // Rows of bodies, A that of the smaller slot; either may be a row behind those of bodies, which stands for an animated surface.
    uint32_t bodyA, bodyB;
    uint32_t pointCount; // 1 to 4
    uint32_t
        memory; // the solver's own, from step to step (the colour that the touch keeps): 0 where the touch is new
    grzVec3 normal; // unit, from A to B, in the world, at the start of the step
    float friction, restitution;
    // Out, of points that had a gap: 1 + the first substep of this step in which the point pushed. 0: it has not pushed.
    uint8_t metIn[GRZ_TOUCH_MOST_POINTS];
    uint32_t pushed;                             // bit i: point i pushed in the last step that was solved
    grzTouchPoint points[GRZ_TOUCH_MOST_POINTS]; // among units: pointCount of them
} grzTouch;

typedef struct grzTouchUnit {
    float words[12];
} grzTouchUnit;

// By this a point is known in the next step.
typedef struct grzTouchName {
    grzFeature featureA, featureB;
    uint32_t ordinal;
    uint32_t contact; // of pairs with meshes: which of the pair's contacts it was made of; else 0
} grzTouchName;

GRZ_STATIC_ASSERT(sizeof(grzTouchPoint) == sizeof(grzTouchUnit), "a unit");
GRZ_STATIC_ASSERT(sizeof(grzTouch) == 5 * sizeof(grzTouchUnit), "a unit and its points");

// --------------------------------------------------------------------------------------------- touches from manifolds

// Touches of two bodies in units, one behind another, and the names of their points.
typedef struct grzTouchSpan {
    const grzTouchUnit* units; // NULL: none
    const grzTouchName* names;
    uint32_t count; // of touches
} grzTouchSpan;

typedef struct grzTouchPair {
    uint32_t bodyA, bodyB; // rows of the two bodies
    const grzBodyState *stateA,
        *stateB; // at the start of the step; of a mesh that the world animates: at rest in the origin
    float friction, restitution;
    grzTouchSpan previous; // of the two bodies in the last step
} grzTouchPair;

// Where touches of a pair are written; not where those of `previous` are.
typedef struct grzTouchRoom {
    grzTouchUnit* units;
    grzTouchName* names;
} grzTouchRoom;

// Writes the touch of a manifold of two convex shapes, A that of bodyA: one unit, and one for each point. Impulses of the last step go
// over to points of the same features and ordinal, friction turned to the new tangents, where the normal has turned by less
// than 25 degrees. A manifold without points makes a touch without points.
GRZ_API void grzManifold_ToTouch(const grzTouchPair* pair, const grzManifold* manifold, const grzTouchRoom* room);

// -------------------------------------------------------------------------------------------- narrow: shapes collide

typedef struct grzCollideInput {
    grzStepPairs pairs; // as mid left them
    // Convex shapes, posed where the bodies are; others are not read. They may be parts of larger rows: entry i lies i * stride bytes
    // behind the first; 0 means tight.
    grzPosedConvex* posed;
    size_t posedStride;
    // Not 0: the shape or the pose in `posed` was changed, and is to be posed (grzConvex_Pose) if a pair needs it. NULL: all are
    // posed.
    uint8_t* moved;
    uint32_t bodyCount;
    float margin;
    grzTasks* tasks; // NULL: the calling thread alone
} grzCollideInput;

// Zeros.
GRZ_API grzCollideInput grzDefaultCollideInput(void);

typedef struct grzCollideOutput {
    uint32_t* places; // by pair: of its manifold, where its way is grz_pairConvex; else left alone
    // As many entries as there are such pairs (grzStepPairs_CollidedCount), in their order.
    grzBodyPair* bodies;
    float* margins;
    grzManifold* manifolds;
} grzCollideOutput;

// The manifolds of all pairs of two convex shapes. Writes `posed` and `moved` of the bodies of these pairs, and
// firstCollided of the blocks. The margin of a pair is the least that holds its reach: the world's margin times a power
// of four.
//
// Refused: grz_badArgument (value 1 or 2; the reason names the field); grz_notFinite (part object; index and value: the
// two bodies of a pair) where one of them has left the range of shapes, with no manifold written.
GRZ_NODISCARD GRZ_API grzResult grzStep_Collide(const grzCollideInput* input, const grzCollideOutput* output);

// ------------------------------------------------------------------------------------- narrow: what is found, as touches

// The touches of a step and of the one before it. A touch that is kept stays where it is; new ones are written behind all others,
// until so much is out of use that all in use are copied together, in the order of pairs.
typedef struct grzTouches grzTouches;

// Refused, and *touches is NULL: grz_outOfMemory, grz_badArgument (half an allocator).
GRZ_NODISCARD GRZ_API grzResult grzTouches_Create(grzAllocator allocator, grzTouches** touches);
// NULL is fine.
GRZ_API void grzTouches_Destroy(grzTouches* touches);

// After a step: gives back memory of which the steps since the last Trim have used less than half. The step's touches stay, in a
// view that is new.
GRZ_API void grzTouches_Trim(grzTouches* touches, uint32_t now);

typedef struct grzNarrowInput {
    grzStepPairs pairs;
    const grzBodyState* states; // at the start of the step
    const grzShapeTraits* traits;
    size_t traitStride;
    const uint32_t* places; // as grzStep_Collide wrote them; NULL: there are no such pairs
    const grzManifold* manifolds;
    // Contacts of pairs with meshes, in the order of keys within each. Before the call firstMesh and meshCount of what this step
    // finds in a pair say which they are, of pairs of grz_pairMesh and of those that keep theirs; of all others meshCount is 0.
    const grzContact* contacts;
    uint32_t contactCount;
    const grzVec3*
        velocities; // how fast the surface moves at each contact, of pairs with one animated mesh; else not read
    float timeStep; // for these
    // As in grzMidInput. A pair that touched in the last step still does with a gap of up to a quarter of the margin,
    // and no wider than the pair's own.
    float margin, marginShare;
    grzTasks* tasks;     // NULL: the calling thread alone
    grzProfile* profile; // NULL: none
} grzNarrowInput;

// Zeros.
GRZ_API grzNarrowInput grzDefaultNarrowInput(void);

// The touches of all pairs, kept or made of what was found, with the impulses of the last step. Friction of a pair is
// the root of the product, restitution the larger one. Of the rows what this step found and the poses are written, of
// the blocks touches, units, contacts, touching and undecided. A pair of cloth gets no touches: what it found is the
// caller's to write (contactCount, span, isTouching; of the block contacts and touching).
//
// A mesh that is animated (beside one that is not) gets touches as if it stood at the origin; the caller gives the touches another
// body, which moves as the surface does there.
//
// Refused, and the last step's touches are as they were: grz_outOfMemory, grz_tooLarge, grz_badArgument (value 2; the reason names the
// field). After a refusal the next call has the same `now`.
GRZ_NODISCARD GRZ_API grzResult grzStep_Narrow(grzTouches* touches, const grzNarrowInput* input);

typedef struct grzTouchesView {
    grzTouchUnit* units;
    const grzTouchName* names;
    size_t unitCount;
    // Of the touches of pairs in which a body yields, for the solver. In the order of pairs. Of the last step narrow was called for.
    const uint32_t* places;
    uint32_t count;
} grzTouchesView;

// now: as the step had it; also of the step before the last one. The view lives until the next step.
GRZ_API grzTouchesView grzTouches_GetView(const grzTouches* touches, uint32_t now);

// --------------------------------------------------------------------------------------------------------- solver

// Solves the contacts between rigid bodies: velocities and positions over one step, in substeps.
//
// All points of a touch are solved at once, so that what lands flat stays flat. Friction of a touch acts at the middle of its
// points, as one impulse and a twist about the normal; touches hold it shared out among the points.
// It is at most `friction` times the sum of the normal impulses. Touches with restitution bounce in the substep in which they
// meet, and give back no more energy than they took.
typedef struct grzContactSolver grzContactSolver;
typedef struct grzSubstep grzSubstep;

// What takes part in the substeps beside rigid bodies. Called on the thread of grzStep_Solve; both may use its tasks.
typedef struct grzSubstepHook {
    void* context;
    // After gravity and the rigid contacts' pass, before the bodies move: may read bodies and push them.
    void (*solve)(void* context, grzSubstep* substep);
    // After the bodies have moved and relaxed: velocities are final for the substep.
    void (*finish)(void* context, grzSubstep* substep);
} grzSubstepHook;

typedef struct grzSolverSettings {
    float timeStep;        // of the whole step, above 0
    uint32_t substepCount; // 1 to 64
    grzVec3 gravity;
    float contactHertz;         // stiffness of contacts: 35
    float contactDampingRatio;  // 10
    float pushSpeed;            // at most so fast are overlaps undone: 3 lengths a second
    float restitutionThreshold; // slower approaches do not bounce: 1 length a second
} grzSolverSettings;

typedef struct grzSolveInput {
    grzSolverSettings settings;
    grzBodyState* states;
    const grzBodyMass* masses;
    uint32_t bodyCount;
    uint32_t touchCount;
    grzTouchUnit* units;        // touches, and others that are left alone
    const uint32_t* places;     // of the touches among units; in their order bodies are solved
    const grzSubstepHook* hook; // NULL: none
    // NULL, or called once when states are those of the end of the step and touches are still those of its start. If it
    // refuses, the call returns that result and leaves touches as they are; the caller restores states.
    grzResult (*accept)(void* context);
    void* acceptContext;
    grzTasks* tasks;     // NULL: the calling thread alone
    grzProfile* profile; // NULL: none
} grzSolveInput;

// Settings as of grzDefaultWorldDef, without gravity; all else zeros. The time step must be set.
GRZ_API grzSolveInput grzDefaultSolveInput(void);

// Refused, and *solver is NULL: grz_outOfMemory, grz_badArgument (half an allocator).
GRZ_NODISCARD GRZ_API grzResult grzContactSolver_Create(grzAllocator allocator, grzContactSolver** solver);
// NULL is fine.
GRZ_API void grzContactSolver_Destroy(grzContactSolver* solver);

// Gives back memory of which the calls since the last Trim have used less than half.
GRZ_API void grzContactSolver_Trim(grzContactSolver* solver);

// Touches without points, and of two bodies that do not yield, are left alone. Of each other touch the points' impulses
// and `memory` are written; of bodies that move center and rotation, of those that yield velocity and spin too.
//
// grz_outOfMemory, or grz_notFinite, which names the first body (index) whose state or mass is not finite, or whose state
// would not be at the end of the step: with states and touches as they were, so that bad numbers never get about; hooks
// have run where the end is bad. grz_badArgument (value 2; the reason names the setting, or the array that is not there). Touches are
// not checked: their bodies must be two and below bodyCount, and their numbers finite. After warm-up nothing is allocated. The bytes
// do not depend on the number of workers.
GRZ_NODISCARD GRZ_API grzResult grzStep_Solve(grzContactSolver* solver, const grzSolveInput* input);

typedef struct grzContactSolverStats {  // of the last grzStep_Solve; the same for any number of workers
    uint32_t colorCount, overflowCount; // touches that found no colour, and are solved one after the other
    uint32_t pointCount;
    uint32_t passCount; // over the touches: a warm start, and two a substep; three where its hook has pushed
} grzContactSolverStats;

GRZ_API grzContactSolverStats grzContactSolver_GetStats(const grzContactSolver* solver);

// What the friction of a touch has done to bodyB in a step; bodyA gets the opposite.
typedef struct grzTouchFriction {
    // Impulses at the middle of its points, along the two grzTouch_Tangents of the normal.
    float slide[2];
    float twist; // angular impulse about the normal
    float pad;
} grzTouchFriction;

// Writes the friction of each touch of the last grzStep_Solve at the place of its first unit. Other entries are left
// alone. To be called before the solver is called again or trimmed.
GRZ_API void grzContactSolver_GetFrictions(const grzContactSolver* solver, grzTasks* tasks,
                                           grzTouchFriction* frictions);

// ---------------------------------------------------------------------------------------------------------- hooks

// Reading and pushing different bodies from several tasks at a time is fine.

GRZ_API uint32_t grzSubstep_Index(const grzSubstep* substep);
GRZ_API float grzSubstep_Time(const grzSubstep* substep); // length
GRZ_API bool grzSubstep_IsLast(const grzSubstep* substep);

// Where the body is and how it moves now; in `solve`, it is still where it was at the start of the substep.
GRZ_API grzBodyState grzSubstep_Body(const grzSubstep* substep, uint32_t body);

// An impulse at a point of the world; in `solve`, touches answer it before the body is moved. Changes nothing where the body does not
// yield.
GRZ_API void grzSubstep_Push(grzSubstep* substep, uint32_t body, grzVec3 point, grzVec3 impulse);

// ---------------------------------------------------------------------------------------------------------- touching

typedef struct grzTouchingInput {
    grzStepPairs pairs;
    const grzTouchUnit* units; // after the solver
    grzTasks* tasks;           // NULL: the calling thread alone
} grzTouchingInput;

// Which pairs touch because they have pushed in the step: isTouching of the rows, of the blocks touching and
// undecided. Refused, and nothing written: grz_badArgument (value 1; the reason names the field).
GRZ_NODISCARD GRZ_API grzResult grzStep_FindTouching(const grzTouchingInput* input);

// ---------------------------------------------------------------------------------------------------------- publish

// Contacts of a pair of cloth, which the caller has found. They may be parts of larger records.
typedef struct grzContactSpan {
    const grzContact* contacts; // ascending by key
    const float* impulses;      // of each, as in grzPublishOutput
    const float* frictions;     // three numbers of each, as in grzPublishOutput
    const float* speeds;        // approach speed of each
    size_t stride;              // of all four: entry i lies i * stride bytes behind the first
    uint32_t count;             // the pair's contactCount
} grzContactSpan;

static inline const grzContact* grzContactSpan_At(const grzContactSpan* span, uint32_t i) {
    return (const grzContact*)(const void*)((const char*)span->contacts + i * span->stride);
}

static inline float grzContactSpan_Impulse(const grzContactSpan* span, uint32_t i) {
    return *(const float*)(const void*)((const char*)span->impulses + i * span->stride);
}

static inline grzVec3 grzContactSpan_Friction(const grzContactSpan* span, uint32_t i) {
    return grzVec3_Load((const float*)(const void*)((const char*)span->frictions + i * span->stride));
}

static inline float grzContactSpan_Speed(const grzContactSpan* span, uint32_t i) {
    return *(const float*)(const void*)((const char*)span->speeds + i * span->stride);
}

// Two bodies that would have passed through each other, and were stopped (GRZ_STOP_ORDINAL).
typedef struct grzStop {
    grzVec3 point, normal; // in the world; from A to B
    grzVec3 friction;      // impulse on B besides that along the normal
    float impulse;         // on B along the normal, 0 or more; A gets the opposite
    float approachSpeed, toi;
    grzBodyId bodyA, bodyB; // bodyA.index1 < bodyB.index1
    uint32_t pad;
} grzStop;

typedef struct grzPublishInput {
    grzStepPairs pairs; // in the order of their ids
    // Rows of the pairs that ended in this step, in the same order, as the last step left them. A pair of the same
    // bodies that is among the pairs again (grzPairTable_Insert) goes on. Entry i lies i * endedStride bytes behind the
    // first; 0 means tight. Of a table of pairs: &view.ended->row, sizeof *view.ended.
    const uint32_t* endedRows;
    size_t endedStride, endedCount;
    const grzTouchUnit* units; // of the step's touches, after the solver
    const grzTouchName* names;
    const grzBodyState* starts;        // of the step
    const grzContact* contacts;        // of meshes, as narrow had them
    const grzContactSpan* spans;       // of pairs of cloth, as their `span` says; NULL: there are no such pairs
    bool isHeld;                       // nothing was solved: impulses and frictions are 0, and there are no hits
    const grzTouchFriction* frictions; // as the solver has them; NULL: all are 0
    const grzVec3* velocities;         // as in grzNarrowInput
    const grzMotion* motions;          // as plan wrote them; NULL: no hits are wanted
    float hitSpeed;                    // of hits: the least approach speed, 0 or more
    // Stops of pairs of this step, sorted by pair; those of one pair in the order of their ordinals. NULL: none.
    const grzStop* stops;
    size_t stopCount;
    uint32_t substepCount; // of the solver
    grzTasks* tasks;       // NULL: the calling thread alone
    grzProfile* profile;   // NULL: none
} grzPublishInput;

// Zeros, the solver's four substeps, and a hit speed of 1.
GRZ_API grzPublishInput grzDefaultPublishInput(void);

// contacts, impulses and frictions must have place for grzStepPairs_ContactCount and all stops, events and hits for
// as many as there are pairs that touch or did so: at most as many as there are pairs and ended ones.
typedef struct grzPublishOutput {
    grzContact* contacts; // ascending by key
    // Of each, along its normal, on B: the sum over all substeps, bounces among them. 0 if neither body yields.
    float* impulses;
    // Of each, on B: the same sum at right angles to the normal. The twist about the normal is shared out among points.
    grzVec3* frictions;
    grzEvent* events; // ascending by key
    grzHit* hits;     // ascending by key
    size_t contactCount, eventCount, hitCount;
} grzPublishOutput;

// The lists of contacts, events and hits. Of the rows firstContact is written, of the blocks firstContact, firstEvent
// and hits; nothing else changes, and it may be called again.
//
// Refused, and nothing written: grz_badArgument (value 1 or 2; the reason names the field).
GRZ_NODISCARD GRZ_API grzResult grzStep_Publish(const grzPublishInput* input, grzPublishOutput* output);

GRZ_EXTERN_C_END

#endif
