// The border of a world: calls of the public headers come in through world_calls.c, which checks that there is a world and that no
// other call is changing it. What they do is done by the grzInner functions: each does what the grzWorld function of its name
// promises, for a world that is there and nobody else's.
#ifndef GRAZE_WORLD_WORLD_CALLS_H
#define GRAZE_WORLD_WORLD_CALLS_H

#include "graze/animated.h"
#include "graze/cloth.h"
#include "graze/world_query.h"

grzResult grzInner_Step(grzWorld* world, float timeStep);
grzResult grzInner_Collide(grzWorld* world, float timeStep);
double grzInner_Time(const grzWorld* world);
uint64_t grzInner_StepCount(const grzWorld* world);
grzResult grzInner_SetGravity(grzWorld* world, grzVec3 gravity);
uint64_t grzInner_HashState(const grzWorld* world);
uint64_t grzInner_HashContacts(const grzWorld* world);
grzBodyId grzInner_BodyAt(const grzWorld* world, uint32_t slot);
uint32_t grzInner_SlotCount(const grzWorld* world);
bool grzInner_HasBody(const grzWorld* world, grzBodyId id);
grzResult grzInner_AddBody(grzWorld* world, const grzBodyDef* def, grzBodyId* id);
grzResult grzInner_AddBodies(grzWorld* world, const grzBodyDef* defs, uint32_t count, grzBodyId* ids);
grzResult grzInner_RemoveBody(grzWorld* world, grzBodyId id);
grzResult grzInner_GetBody(const grzWorld* world, grzBodyId id, grzBodyView* view);
void grzInner_GetTransforms(const grzWorld* world, grzTransform* transforms, uint32_t count);
grzResult grzInner_PlaceBody(grzWorld* world, grzBodyId id, grzVec3 origin, grzQuat rotation);
grzResult grzInner_SetVelocity(grzWorld* world, grzBodyId id, grzVec3 velocity, grzVec3 spin);
grzResult grzInner_PushBody(grzWorld* world, grzBodyId id, grzVec3 point, grzVec3 impulse);
grzResult grzInner_AddForce(grzWorld* world, grzBodyId id, grzVec3 force, grzVec3 torque);
grzResult grzInner_AddCloth(grzWorld* world, const grzClothDef* def, grzBodyId* id);
grzResult grzInner_AddAnimated(grzWorld* world, const grzAnimatedDef* def, grzBodyId* id);
grzResult grzInner_GetCloth(const grzWorld* world, grzBodyId id, grzClothView* view);
grzResult grzInner_MovePins(grzWorld* world, grzBodyId id, uint32_t first, uint32_t count, const float* positions);
grzResult grzInner_PlaceCloth(grzWorld* world, grzBodyId id, const float* positions, const float* velocities);
grzResult grzInner_AddKeyframe(grzWorld* world, grzBodyId id, double time, const float* positions);
grzResult grzInner_SetVertexVelocities(grzWorld* world, grzBodyId id, const uint32_t* vertices,
                                       const float* velocities, uint32_t count);
grzResult grzInner_SetVertices(grzWorld* world, grzBodyId id, const float* positions);
grzResult grzInner_GetAnimated(const grzWorld* world, grzBodyId id, grzAnimatedView* view);
grzWorldContacts grzInner_GetContacts(const grzWorld* world);
grzHitList grzInner_GetHits(const grzWorld* world);
grzWorldBodyEvents grzInner_GetBodyEvents(const grzWorld* world);
grzResult grzInner_GetHorizon(const grzWorld* world, grzBodyId a, grzBodyId b, double* time);
grzWorldStats grzInner_GetStats(const grzWorld* world);
bool grzInner_Validate(const grzWorld* world);
void grzInner_Destroy(grzWorld* world);

bool grzInner_IsListed(const grzWorld* world);

// At the begin of a query. Refused: grz_badArgument (value 1: NULL), grz_busy.
grzResult grzWorld_EnterQuery(const grzWorld* world);

#endif
