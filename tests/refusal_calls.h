// Included behind graze/graze.h: makes calls that take memory calls of a script (refusal_testing.h). So a host's own source, the
// examples' for one, is a script as it stands.
#ifndef GRAZE_TESTS_REFUSAL_CALLS_H
#define GRAZE_TESTS_REFUSAL_CALLS_H

#include <graze/graze.h>
#include <graze/stage/step_contacts.h>

#include "refusal_testing.h"

// What a step leads to is noted; every other list of contacts is left unread, as by hosts that do not ask.
static inline grzResult noteStep(grzWorld* world, grzResult result) {
    if (!grzResult_IsOk(result))
        return result;
    noteOutcome(grzWorld_HashState(world));
    if (grzWorld_StepCount(world) % 2 == 0 &&
        grzResult_IsOk(CALL(grzWorld_GetContacts(world).result, grzWorld_Validate(world))))
        noteOutcome(grzWorld_HashContacts(world));
    return result;
}

// A body that is refused takes no slot.
static inline grzResult noteBody(const grzWorld* world, const grzBodyId* id, grzResult result) {
    noteOutcome(id->index1);
    noteOutcome(grzWorld_SlotCount(world));
    return result;
}

static inline grzResult noteHits(const grzWorldHits* hits, grzResult result) {
    const grzWorldHitsView found = hits != NULL ? grzWorldHits_GetView(hits) : (grzWorldHitsView){0};
    if (!grzResult_IsOk(result))
        return result;
    for (size_t i = 0; i < found.count; ++i) {
        uint32_t bits;
        memcpy(&bits, &found.hits[i].t, sizeof bits);
        noteOutcome((uint64_t)found.hits[i].body.index1 << 32 | bits);
    }
    return result;
}

#define OF_WORLD(world, call)                      CALL(call, grzWorld_Validate(world))
#define ADD_TO_WORLD(world, id, call)              noteBody(world, id, MAKE(id, call, grzWorld_Validate(world)))

#define grzMeshShape_Create(mesh, allocator, made) MAKE(made, grzMeshShape_Create(mesh, allocator, made), true)
#define grzWorld_Create(def, made)                 MAKE(made, grzWorld_Create(def, made), true)
#define grzWorld_AddBody(world, def, id)           ADD_TO_WORLD(world, id, grzWorld_AddBody(world, def, id))
#define grzWorld_AddBodies(world, ...)             OF_WORLD(world, grzWorld_AddBodies(world, __VA_ARGS__))
#define grzWorld_AddCloth(world, def, id)          ADD_TO_WORLD(world, id, grzWorld_AddCloth(world, def, id))
#define grzWorld_AddAnimated(world, def, id)       ADD_TO_WORLD(world, id, grzWorld_AddAnimated(world, def, id))
#define grzWorld_RemoveBody(world, id)             OF_WORLD(world, grzWorld_RemoveBody(world, id))
#define grzWorld_Step(world, time)                 noteStep(world, OF_WORLD(world, grzWorld_Step(world, time)))
#define grzWorld_Collide(world, time)              noteStep(world, OF_WORLD(world, grzWorld_Collide(world, time)))
#define grzWorld_PlaceBody(world, ...)             OF_WORLD(world, grzWorld_PlaceBody(world, __VA_ARGS__))
#define grzWorld_PushBody(world, ...)              OF_WORLD(world, grzWorld_PushBody(world, __VA_ARGS__))
#define grzWorld_AddForce(world, ...)              OF_WORLD(world, grzWorld_AddForce(world, __VA_ARGS__))
#define grzWorld_MovePins(world, ...)              OF_WORLD(world, grzWorld_MovePins(world, __VA_ARGS__))
#define grzWorld_PlaceCloth(world, ...)            OF_WORLD(world, grzWorld_PlaceCloth(world, __VA_ARGS__))
#define grzWorld_AddKeyframe(world, ...)           OF_WORLD(world, grzWorld_AddKeyframe(world, __VA_ARGS__))
#define grzWorld_SetVertices(world, ...)           OF_WORLD(world, grzWorld_SetVertices(world, __VA_ARGS__))
#define grzWorld_SetVertexVelocities(world, ...)   OF_WORLD(world, grzWorld_SetVertexVelocities(world, __VA_ARGS__))
#define grzWorldHits_Create(allocator, made)       MAKE(made, grzWorldHits_Create(allocator, made), true)
#define grzWorld_CastRay(world, ray, hits)         noteHits(hits, OF_WORLD(world, grzWorld_CastRay(world, ray, hits)))
#define grzWorld_OverlapBox(world, box, hits)      noteHits(hits, OF_WORLD(world, grzWorld_OverlapBox(world, box, hits)))
#define grzWorld_FindVisible(world, a, n, hits)                                                                    \
    noteHits(hits, OF_WORLD(world, grzWorld_FindVisible(world, a, n, hits)))

#define grzTree_Create(def, made)                MAKE(made, grzTree_Create(def, made), true)
#define grzTree_InsertMany(tree, ...)            CALL(grzTree_InsertMany(tree, __VA_ARGS__), grzTree_Validate(tree))
#define grzTree_UpdateMany(tree, ...)            CALL(grzTree_UpdateMany(tree, __VA_ARGS__), grzTree_Validate(tree))
#define grzTree_Insert(tree, ...)                CALL(grzTree_Insert(tree, __VA_ARGS__), grzTree_Validate(tree))
#define grzTreeNest_Create(allocator, made)      MAKE(made, grzTreeNest_Create(allocator, made), true)
#define grzTreeNest_Attach(nest, ...)            CALL(grzTreeNest_Attach(nest, __VA_ARGS__), grzTreeNest_Validate(nest))
#define grzModelFront_Create(allocator, made)    MAKE(made, grzModelFront_Create(allocator, made), true)
#define grzModelFront_Touch(front, ...)          CALL(grzModelFront_Touch(front, __VA_ARGS__), true)
#define grzModelFront_Find(front, query)         CALL(grzModelFront_Find(front, query), true)
#define grzModelPairs_Create(allocator, made)    MAKE(made, grzModelPairs_Create(allocator, made), true)
#define grzModelPairs_Find(pairs, query)         CALL(grzModelPairs_Find(pairs, query), true)
#define grzCcdMotion_Create(def, made)           MAKE(made, grzCcdMotion_Create(def, made), true)
#define grzCcdMotion_DecideNear(motion, ...)     CALL(grzCcdMotion_DecideNear(motion, __VA_ARGS__), true)
#define grzCcdMotion_FindEarliest(motion, ...)   CALL(grzCcdMotion_FindEarliest(motion, __VA_ARGS__), true)
#define grzCcdStep_Create(def, made)             MAKE(made, grzCcdStep_Create(def, made), true)
#define grzMesh_Create(def, made)                MAKE(made, grzMesh_Create(def, made), true)
#define grzCcdStep_Find(step, ...)               CALL(grzCcdStep_Find(step, __VA_ARGS__), true)
#define grzCcdStep_Decide(step, ...)             CALL(grzCcdStep_Decide(step, __VA_ARGS__), true)
#define grzModelProbe_Create(allocator, made)    MAKE(made, grzModelProbe_Create(allocator, made), true)
#define grzModelProbe_Run(probe, ...)            CALL(grzModelProbe_Run(probe, __VA_ARGS__), true)
#define grzAdbTree_Create(def, made)             MAKE(made, grzAdbTree_Create(def, made), true)
#define grzTreeHits_Create(allocator, made)      MAKE(made, grzTreeHits_Create(allocator, made), true)
#define grzTree_Find(tree, query, hits)          CALL(grzTree_Find(tree, query, hits), grzTree_Validate(tree))
#define grzTree_FindMany(tree, ...)              CALL(grzTree_FindMany(tree, __VA_ARGS__), grzTree_Validate(tree))
#define grzTreePairs_Create(allocator, made)     MAKE(made, grzTreePairs_Create(allocator, made), true)
#define grzTreePairs_Find(finder, ...)           CALL(grzTreePairs_Find(finder, __VA_ARGS__), true)
#define grzPairTable_Create(def, made)           MAKE(made, grzPairTable_Create(def, made), true)
#define grzPairTable_Update(table, ...)          CALL(grzPairTable_Update(table, __VA_ARGS__), grzPairTable_Validate(table))
#define grzContactSolver_Create(allocator, made) MAKE(made, grzContactSolver_Create(allocator, made), true)
#define grzTouches_Create(allocator, made)       MAKE(made, grzTouches_Create(allocator, made), true)
#define grzStep_Broad(table, ...)                CALL(grzStep_Broad(table, __VA_ARGS__), grzPairTable_Validate(table))
#define grzStep_Narrow(touches, input)           CALL(grzStep_Narrow(touches, input), true)
#define grzStep_Solve(solver, input)             CALL(grzStep_Solve(solver, input), true)
#define grzVisibility_Create(def, made)          MAKE(made, grzVisibility_Create(def, made), true)
#define grzVisibility_Find(sight, query)         CALL(grzVisibility_Find(sight, query), true)

#define grzModel_Create(def, made)               MAKE(made, grzModel_Create(def, made), true)
#define grzProbeFit_Make(tasks, queries, count, allocator, fit)                                                    \
    MAKE(fit, grzProbeFit_Make(tasks, queries, count, allocator, fit), true)
#define grzProbeScheduler_Create(allocator, made) MAKE(made, grzProbeScheduler_Create(allocator, made), true)

#define grzFlightplan_Create(def, made)           MAKE(made, grzFlightplan_Create(def, made), true)
#define grzFlightplan_AddKeyframe(plan, ...)                                                                       \
    CALL(grzFlightplan_AddKeyframe(plan, __VA_ARGS__), grzFlightplan_Validate(plan))
#define grzBvh_Create(def, made)        MAKE(made, grzBvh_Create(def, made), true)
#define grzChordTree_Create(def, made)  MAKE(made, grzChordTree_Create(def, made), true)
#define grzChordTree_Advance(tree, ...) CALL(grzChordTree_Advance(tree, __VA_ARGS__), grzChordTree_Validate(tree))

#define grzChordPairs_Create(def, made) MAKE(made, grzChordPairs_Create(def, made), true)
#define grzChordPairs_Advance(pairs, ...)                                                                          \
    CALL(grzChordPairs_Advance(pairs, __VA_ARGS__), grzChordPairs_Validate(pairs))
#define grzUpkeep_Create(def, made)                 MAKE(made, grzUpkeep_Create(def, made), true)
#define grzUpkeepPairs_Create(def, made)            MAKE(made, grzUpkeepPairs_Create(def, made), true)
#define grzUpkeepPairs_Find(pairs, ...)             CALL(grzUpkeepPairs_Find(pairs, __VA_ARGS__), true)
#define grzLeafTriangles_Create(def, made)          MAKE(made, grzLeafTriangles_Create(def, made), true)
#define grzLeafTriangles_Find(triangles, ...)       CALL(grzLeafTriangles_Find(triangles, __VA_ARGS__), true)
#define grzLeafTriangles_FindLeaves(triangles, ...) CALL(grzLeafTriangles_FindLeaves(triangles, __VA_ARGS__), true)

#define grzTasks_Create(def, made)                  MAKE(made, grzTasks_Create(def, made), true)
#define grzProfile_Create(def, made)                MAKE(made, grzProfile_Create(def, made), true)
#define grzProfile_RegisterCounter(profile, ...)                                                                   \
    CALL(grzProfile_RegisterCounter(profile, __VA_ARGS__), grzProfile_Validate(profile))
#define grzProfile_WriteTrace(profile, ...)                                                                        \
    CALL(grzProfile_WriteTrace(profile, __VA_ARGS__), grzProfile_Validate(profile))

#endif
