// The search for touches, once a step: what cloth_collide.c, cloth_near.c and cloth_mesh.c share.
#ifndef GRAZE_WORLD_CLOTH_SEARCH_H
#define GRAZE_WORLD_CLOTH_SEARCH_H

#include "cloth_inside.h"
#include "record_sort.h"

// One obstacle in one step.
typedef struct ClothHunt {
    grzClothBody* cloth;
    const grzClothStep* step;
    const grzClothObstacle* obstacle;
    uint32_t place; // among the obstacles
} ClothHunt;

// cloth_near.c: lists the triangles whose swept boxes meet a box, and their vertices, each once.
grzResult grzCloth_ListNear(grzClothBody* cloth, grzBox box);

// The same of triangles in some leaves alone.
grzResult grzCloth_ListLeaves(grzClothBody* cloth, const grzLeafCandidates* near, grzBox box);

// cloth_collide.c: touches in the order of their contacts' keys.
extern const grzRecordType grzCloth_touchType;

// cloth_hunt.c ----

// How far a vertex moves beside the obstacle in the step, at its own speed.
grzVec3 grzCloth_RelativeMotion(const ClothHunt* hunt, uint32_t vertex);

// How near what moves so must be to matter: half the thickness, the margin, and what both may move.
float grzCloth_Reach(const ClothHunt* hunt, grzVec3 motion);

// What an obstacle whose box is given may reach in the step, and all that matters to it.
grzBox grzCloth_SweptBox(const ClothHunt* hunt, grzBox box);

// Where a touch is, for its record.
typedef struct ClothFound {
    ClothSite site;
    uint32_t vertices[3];
    uint32_t vertexCount;
    float weights[3];
    uint32_t triangle;         // of the cloth, or GRZ_NO_TRIANGLE
    grzFeature feature;        // likewise
    uint32_t obstacleTriangle; // likewise of the obstacle
    float reach;
    grzVec3 motion; // of the point beside the obstacle in the step
    grzVec3 drift;  // of the place, per second
} ClothFound;

// Whether the cloth is side A of its touches with the obstacle: its slot is the smaller one.
bool grzCloth_IsA(const ClothHunt* hunt);

void grzCloth_WriteTouch(const ClothHunt* hunt, const ClothFound* found, ClothTouch* touch);

// Room for what is listed, without touches; then everything that was found is added to the touches of the step.
grzResult grzCloth_ReserveSlots(grzClothBody* cloth, size_t count);
grzResult grzCloth_TakeSlots(grzClothBody* cloth, size_t count);

// cloth_shape.c: the weights of the point of a triangle that is nearest to p, and the point of some weights.
void grzCloth_NearestWeights(const grzVec3 corners[3], grzVec3 p, float weights[3]);
grzVec3 grzCloth_Weighted(const grzVec3 corners[3], const float weights[3]);

// cloth_mesh.c: all touches with a mesh, rigid or animated.
grzResult grzCloth_HuntMesh(const ClothHunt* hunt);

#endif
