// What: what all searches for touches share: how far things move in a step, records, lists.
// Promise: a touch is named by the cloth's vertex or triangle and the obstacle's feature; contacts are conservative: nearer than
//          `measure`, and true to the rounding of floats.
#include <math.h>
#include <string.h>

#include "cloth_search.h"
#include "result_make.h"

grzVec3 grzCloth_RelativeMotion(const ClothHunt* hunt, uint32_t vertex) {
    const grzClothBody* cloth = hunt->cloth;
    const grzBodyState* state = hunt->obstacle->state;
    const grzVec3 now = grzCloth_Row(cloth->now.data, vertex);
    const grzVec3 own = grzSub(grzCloth_Row(cloth->ends.data, vertex), now);
    const grzVec3 speed = grzAdd(state->velocity, grzCross(state->spin, grzSub(now, state->center)));
    return grzSubScaled(own, hunt->step->timeStep, speed);
}

float grzCloth_Reach(const ClothHunt* hunt, grzVec3 motion) {
    return hunt->cloth->reach + hunt->step->margin + hunt->cloth->pinMove + grzLength(motion);
}

grzBox grzCloth_SweptBox(const ClothHunt* hunt, grzBox box) {
    const grzBodyState* state = hunt->obstacle->state;
    const float timeStep = hunt->step->timeStep;
    const float radius = grzLength(grzBox_Extent(grzBox_AddPoint(box, state->center)));
    const float turn = timeStep * grzLength(state->spin);
    return grzBox_Expand(grzBox_Sweep(box, grzScale(state->velocity, timeStep)),
                         radius * (turn < 2 ? turn : 2) + hunt->cloth->reach + hunt->step->margin +
                             hunt->cloth->pinMove);
}

// When the point meets the plane, in steps, rounded down; 1: not in this step.
static float impactTime(float separation, grzVec3 normal, grzVec3 motion) {
    const float closing = -grzDot(normal, motion);
    if (separation <= 0)
        return 0;
    return closing > separation ? grzRoundDown((double)separation / (double)closing * (1 - 1e-6)) : 1;
}

bool grzCloth_IsA(const ClothHunt* hunt) {
    return hunt->step->id.index1 < hunt->obstacle->collider->id.index1;
}

// The normal points from A to B.
static void writeContact(const ClothHunt* hunt, const ClothFound* found, grzContact* record) {
    const grzBodyId cloth = hunt->step->id, obstacle = hunt->obstacle->collider->id;
    const bool isClothA = grzCloth_IsA(hunt);
    const float reach = hunt->cloth->reach;
    record->separation = found->site.separation - reach;
    record->point = grzAddScaled(found->site.place, 0.5f * record->separation, found->site.normal);
    record->normal = isClothA ? grzNeg(found->site.normal) : found->site.normal;
    record->toi = impactTime(record->separation, found->site.normal, found->motion);
    record->bodyA = isClothA ? cloth : obstacle;
    record->bodyB = isClothA ? obstacle : cloth;
    record->triangleA = isClothA ? found->triangle : found->obstacleTriangle;
    record->triangleB = isClothA ? found->obstacleTriangle : found->triangle;
    record->featureA = isClothA ? found->feature : found->site.feature;
    record->featureB = isClothA ? found->site.feature : found->feature;
    record->certainty = grz_conservative;
    record->measure = grzRoundUp(((double)found->reach - (double)reach) * (1 + 1e-6));
}

void grzCloth_WriteTouch(const ClothHunt* hunt, const ClothFound* found, ClothTouch* touch) {
    memset(touch, 0, sizeof *touch);
    writeContact(hunt, found, &touch->contact);
    touch->closing = -grzDot(found->site.normal, found->motion);
    touch->vertexCount = found->vertexCount;
    memcpy(touch->vertices, found->vertices, sizeof touch->vertices);
    memcpy(touch->weights, found->weights, sizeof touch->weights);
    touch->partner = hunt->place;
    grzVec3_Store(touch->normal, found->site.normal);
    grzVec3_Store(touch->place, found->site.place);
    grzVec3_Store(touch->drift, found->drift);
    touch->height = found->site.separation;
}

grzResult grzCloth_ReserveSlots(grzClothBody* cloth, size_t count) {
    ClothTouches* slots = &cloth->search.slots;
    slots->count = 0;
    if (count != 0 && !grzArray_Reserve(slots, &cloth->allocator, count))
        return grzNoMemory(count, sizeof(ClothTouch));
    slots->count = count;
    return grzOk();
}

grzResult grzCloth_TakeSlots(grzClothBody* cloth, size_t count) {
    ClothTouches* touches = &cloth->touches;
    const ClothTouch* slots = cloth->search.slots.data;
    size_t found = 0;
    for (size_t i = 0; i < count; ++i)
        found += slots[i].vertexCount != 0;
    if (found != 0 && !grzArray_Reserve(touches, &cloth->allocator, touches->count + found))
        return grzNoMemory(touches->count + found, sizeof(ClothTouch));
    for (size_t i = 0; i < count; ++i)
        if (slots[i].vertexCount != 0)
            touches->data[touches->count++] = slots[i];
    return grzOk();
}
