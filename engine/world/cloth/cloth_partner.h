// An obstacle of a cloth in a substep: how it moves, and what the cloth does to it. Threads: reading, any; else one.
#ifndef GRAZE_WORLD_CLOTH_PARTNER_H
#define GRAZE_WORLD_CLOTH_PARTNER_H

#include "cloth_inside.h"

// By what factor pins make cloth of this density, and of such points, heavier for it: at least 1.
float grzClothPartner_Backing(const ClothPartner* partner, float density, float pointMass);

// As it is when the cloth comes to touches.
void grzClothPartner_Read(ClothPartner* partner, const grzSubstep* substep);

// Of a place on its surface, an arm from its centre; drift: where the partner does not move as a body.
grzVec3 grzClothPartner_SpeedAt(const ClothPartner* partner, grzVec3 arm, grzVec3 drift);
// How far the place yields to a unit impulse along a direction.
float grzClothPartner_WeightAt(const ClothPartner* partner, grzVec3 arm, grzVec3 direction);

// Adds a touch's impulse to what is to be done; Yield does that to the partner.
void grzClothPartner_Gather(ClothPartner* partner, const ClothMeet* meet);
void grzClothPartner_Yield(ClothPartner* partner);
// After all colours: the cloth's inner friction. h: length of the substep.
void grzClothPartner_Slow(ClothPartner* partner, grzVec3 pinSpeed, float h);
// Hands on to the body what has been done to the partner.
void grzClothPartner_Push(const ClothPartner* partner, grzSubstep* substep);

#endif
