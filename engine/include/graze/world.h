// The world: bodies that move, and what touches what, step after step.
//
//   grzWorldDef def = grzDefaultWorldDef();
//   def.tasks = tasks;                                        // NULL: the calling thread alone
//   grzWorld* world;
//   grzResult result = grzWorld_Create(&def, &world);
//   grzBodyDef crate = grzDefaultBodyDef();                   // graze/body.h
//   crate.shape = grzMakeBox(grzVec3_Zero(), grzVec3_Splat(0.5f));
//   result = grzWorld_AddBody(world, &crate, &id);
//   for (;;) {
//       result = grzWorld_Step(world, 1.0f / 60.0f);
//       grzWorldContacts found = grzWorld_GetContacts(world);  // found.contacts[0 .. found.contactCount)
//       grzHitList hits = grzWorld_GetHits(world);             // hits.hits[0 .. hits.count): who struck whom, how hard
//   }
//
// Three kinds of bodies: rigid ones (graze/body.h), cloth (graze/cloth.h), and meshes that the host animates
// (graze/animated.h). All have ids of one type (grzBodyId, graze/records.h) and slots of one numbering, so that contacts, events and
// queries speak of all alike. Calls recognise ids of removed bodies, and of other worlds (but for one in 2^32), and refuse them:
// grz_staleHandle.
//
// A step goes through six stages: plan (what will move where), broad (boxes to pairs of bodies), mid (hierarchies
// brought up to date, pairs to triangles), narrow (contacts), solve (velocities and positions), publish (contacts,
// events and hits in order). Contacts are those of the positions at the start of the step, with a margin for what the
// step brings; their impulses are those of the whole step. Contacts of rigid bodies that will pass each other
// in the step have separations so large that they do not push. grzWorld_Collide leaves out the solve stage: for hosts
// that move bodies themselves.
//
// Nothing is dropped: any number of bodies, pairs, contacts. The same calls give the same bytes for any number of
// workers, SIMD level and compiler (of ids, for one idSalt); grzWorld_HashState and grzWorld_HashContacts show it.
//
// Owner: the world copies defs. What defs point at (hulls, mesh shapes, meshes) is the host's, unchanged, until the
// body that names it is gone; tasks and profile until the world is. To destroy one of them before that does nothing but
// log an error. What a view points at is the world's, until the next call that takes a grzWorld* without const.
// Threads: one call at a time for each world, const calls with one another; different worlds are independent (with
// tasks and profiles of their own). A call that comes while another one changes the world (from another thread, or from
// a callback) is refused: grz_busy. One without a result answers as for NULL, and logs an error. Other misuse of
// threads may go unnoticed: a change that begins while a const call is under way. Units: lengths as the host likes, but
// the defaults are for metres, kilograms and seconds; the y axis is up by default gravity alone. Memory: after warm-up
// a step takes none, unless there are more pairs or contacts than ever before; with releaseSteps, than in the steps
// before the last time that memory was released. NULL: a call for a NULL world is refused (grz_badArgument, value 1);
// one without a result answers with zeros, false or nothing. What a call writes to (ids, views, hits) is refused where
// it is NULL, as in all calls (graze/result.h).
#ifndef GRAZE_WORLD_H
#define GRAZE_WORLD_H

#include "graze/host.h"
#include "graze/profile.h"
#include "graze/records.h"
#include "graze/result.h"
#include "graze/tasks.h"

GRZ_EXTERN_C_BEGIN

typedef struct grzWorld grzWorld;

typedef struct grzWorldDef {
    uint32_t mark;         // set by grzDefaultWorldDef; create refuses another
    uint32_t substepCount; // of a step: 1 to 64
    grzVec3 gravity;       // at most 1e15 along each axis
    // Rigid bodies nearer than this have contacts, with a positive separation; 0 to 1e15. A pair that touches ends only
    // when its gap is wider than a quarter of this, or than the pair's own margin: 5 mm by default, 1.4 mm for cubes of
    // 1 cm. So bodies that rest, roll, slide or rattle do not end and begin in turn. A hop of 5 mm takes 0.3 m/s, which
    // is less than what bounces. A lower hop does not end the pair, but may be a hit.
    float margin;
    // The margin of a pair is at most this share of the smaller rigid body's radius (that of a ball around the box of
    // its shape). So bodies of 1 cm have contacts with what they touch, and not with all bodies within 2 cm. 0 or more;
    // 0: all pairs have the world's margin
    float marginShare;
    float contactHertz;        // how stiff contacts are: overlaps swing at so many times a second; above 0
    float contactDampingRatio; // and how damped: 1 is critical; 0 or more
    float pushSpeed;           // overlaps are undone no faster than this; 0 or more
    // approaches slower than this, or than gravity makes of two substeps, do not bounce; 0 or more
    float restitutionThreshold;
    float hitSpeed; // pairs that strike each other faster have hits (grzHit, graze/records.h); 0 or more
    // Memory goes back to the allocator if so many steps in a row have needed less than half of it: memory for bodies,
    // and for what steps find and compute. The world checks this as a step begins, each time after so many steps. 0:
    // never
    uint32_t releaseSteps;
    uint32_t idSalt; // as grzTreeDef.idSalt: 0, or a number below 2^31 for ids that repeat from run to run
    grzTasks* tasks; // lent; NULL: the calling thread alone
    grzProfile*
        profile; // lent; NULL: none. Its workerCount is at least that of the tasks. The host begins and ends its
                 // steps around those of the world; stages write zones, and grzWorldStats become counters
    grzAllocator allocator; // all zeros: the default one
} grzWorldDef;

// Gravity (0, -9.81, 0), 4 substeps, margin 0.02 and at most a sixth of the radius, contacts of 35 Hz, damping ratio
// 10, push speed 3, restitution threshold 1, hit speed 1, memory released after 100 steps.
GRZ_API grzWorldDef grzDefaultWorldDef(void);

// An empty world, or *world is NULL: grz_badDef, grz_badArgument (value 1; the reason names the field), grz_notFinite (value 1;
// likewise), grz_outOfMemory; with a profile, what grzProfile_RegisterCounter refuses (a call in a step of the profile).
GRZ_NODISCARD GRZ_API grzResult grzWorld_Create(const grzWorldDef* def, grzWorld** world);

// With all its bodies. NULL is fine.
GRZ_API void grzWorld_Destroy(grzWorld* world);

// ------------------------------------------------------------------------------------------------------- stepping

// Makes a step of `timeStep` seconds, 1e-15 or more. Clears all forces, also if it is refused. A body whose state would
// not be finite after the step, or beyond 1e15, is stopped (grzWorld_GetBodyEvents), and the step succeeds.
//
// Refused:
//   grz_badArgument, grz_notFinite (value 2: the time step)
//                     The world is as it was, and so are the lists of the last step.
//   grz_outOfMemory   Rigid bodies and cloth are where they were. Animated meshes may wait at the end of the step
//                     already. All lists are empty. A further call may succeed.
GRZ_NODISCARD GRZ_API grzResult grzWorld_Step(grzWorld* world, float timeStep);

// The same without the solve stage, and so without dynamics: animated meshes go on by timeStep (0 or more), bodies stay
// where the host has put them, contacts and events are listed. Forces wait, and no body is stopped. Refused as Step.
GRZ_NODISCARD GRZ_API grzResult grzWorld_Collide(grzWorld* world, float timeStep);

// Seconds since Create: the sum of all steps. And their number, those of Collide as well.
GRZ_API double grzWorld_Time(const grzWorld* world);
GRZ_API uint64_t grzWorld_StepCount(const grzWorld* world);

// Changes what the def said; refused as Create does: grz_notFinite (value 2; also beyond 1e15).
GRZ_NODISCARD GRZ_API grzResult grzWorld_SetGravity(grzWorld* world, grzVec3 gravity);

// ------------------------------------------------------------------------------------------------ what was found

// The lists of the last step. Contacts are sorted by grzContact_KeyWord, events by grzEvent_KeyWord; no two keys are
// equal. bodyA and bodyB are ids as the calls that add bodies return them. A body that is removed stays in the lists
// until the next step, which has end events for the bodies that it touched, with its id.
//
// The first call after a step, of GetContacts or GetHits, writes the lists of contacts, events and hits. Hosts that do
// not call them do not pay. The first call in the life of the world takes the memory of the lists; from then on the
// steps do that.
//
// Impulses are sums over the whole step: all that contacts did to velocities when the bodies struck, bounced, rested,
// rubbed, were parted from an overlap, or were stopped. B gets impulses[i] * contacts[i].normal + frictions[i], and A
// the opposite. So for each dynamic body these, and what gravity, forces and damping do, add up to the change of its
// momentum, within rounding. A body that the step has stopped (grzWorld_GetBodyEvents) takes impulses as a wall does.
// Angular momentum balances, too, with the points of contacts that were found in this step. Contacts that are kept have
// points of an earlier step. Gyroscopic terms do not change angular momentum. Not in the lists: pins, edges and bends
// of cloth, and the torque by which cloth that is wrapped around a body brakes its angular velocity.
typedef struct grzWorldContacts {
    const grzContact* contacts;
    const float* impulses; // of each contact along its normal, 0 or more. 0 after Collide
    // The rest of each contact's impulse: at right angles to its normal; of stops and of cloth, along any direction.
    const grzVec3* frictions;
    size_t contactCount;
    const grzEvent* events; // of pairs that touch, or did in the last step (grzEventKind, graze/records.h)
    size_t eventCount;
    // Ok; grz_outOfMemory, the first time alone; grz_busy, grz_badArgument (no world). If it is not ok, all else is zeros.
    grzResult result;
} grzWorldContacts;

GRZ_API grzWorldContacts grzWorld_GetContacts(grzWorld* world);

// The pairs that struck each other faster than hitSpeed in the last step, sorted by grzHit_KeyWord: the slots of A and
// B. Empty after Collide. Written with the lists of contacts and events, and refused as these.
typedef struct grzHitList {
    const grzHit* hits;
    size_t count;
    grzResult result; // as of grzWorldContacts. If it is not ok, all else is zeros
} grzHitList;

GRZ_API grzHitList grzWorld_GetHits(grzWorld* world);

// What the last step did to single bodies, sorted by grzBodyEvent_KeyWord: by slots. Empty after Collide, and after a
// step that memory refused. Valid until the next step. A body that is removed before that stays in the list, with its
// id.
//
// A stopped body keeps its position and rotation, and loses its velocity. During the step all other bodies move as if
// it were static. A cloth stops as a whole, with its pins, and holds nothing during the step. An animated mesh stops as
// a whole if velocities lead one of its vertices beyond 1e15. In the next step a rigid body or cloth moves again, as
// forces and contacts say. A host may remove it, or place it elsewhere.
typedef struct grzWorldBodyEvents {
    const grzBodyEvent* events;
    size_t count;
} grzWorldBodyEvents;

GRZ_API grzWorldBodyEvents grzWorld_GetBodyEvents(const grzWorld* world);

// A clause that says why a body was stopped. The text is static.
GRZ_API const char* grzStopReason_Text(grzStopReason reason);

// Until when two meshes stay as near to each other as they are, if the host changes neither: before *time no two of their triangles come within
// the margin, and none that are leave it. For bodies that need no look before then, as those that sleep. It is known of pairs of animated meshes, and
// of an animated mesh and one of a static body or of a kinematic one that rests, while the boxes of the two bodies overlap and no triangles are near; and
// at most until the next keyframe. Of all other pairs *time is the world's, which is the least there is. Reads only; any thread. Refused, with *time 0:
// grz_staleHandle (value 2 or 3: which of the two), grz_busy, grz_badArgument (no world).
GRZ_NODISCARD GRZ_API grzResult grzWorld_GetHorizon(const grzWorld* world, grzBodyId a, grzBodyId b, double* time);

// The id of the body that lives in a slot, or null. Slots are below SlotCount.
GRZ_API grzBodyId grzWorld_BodyAt(const grzWorld* world, uint32_t slot);
GRZ_API uint32_t grzWorld_SlotCount(const grzWorld* world);

// Of all bodies' places and motion; of the contacts, events, hits and body events of the last step. XXH64 of the
// numbers in the order of slots and keys, without the generations of ids: equal wherever the same calls were made.
GRZ_API uint64_t grzWorld_HashState(const grzWorld* world);
GRZ_API uint64_t grzWorld_HashContacts(grzWorld* world);

// Counted, not timed, so the same wherever the same calls were made. Times are the profile's.
typedef struct grzWorldStats {
    uint32_t bodyCount, rigidCount, clothCount, animatedCount;
    uint32_t dynamicCount; // of the rigid ones
    // Of the last step:
    uint64_t bodyPairs;     // that the broad stage found
    uint64_t recycledPairs; // of them, whose contacts were taken over, as nothing has moved
    uint64_t trianglePairs; // candidates of the mid stage, with triangles against shapes
    uint64_t contacts;
    uint64_t touchingPairs;
    uint32_t colors;    // of the solver's constraints
    uint32_t overflow;  // constraints without a colour
    size_t memoryBytes; // all that the world holds
} grzWorldStats;

GRZ_API grzWorldStats grzWorld_GetStats(const grzWorld* world);

// Checks ids, maps, rows, contacts, events, cloth and animated meshes; for tests and for doubts. O(everything). False where something is broken; the
// first is logged as an error.
GRZ_API bool grzWorld_Validate(const grzWorld* world);

GRZ_EXTERN_C_END

#endif
