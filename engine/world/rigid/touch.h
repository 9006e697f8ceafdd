// Where touches (graze/stage/step_contacts.h) are stored.
#ifndef GRAZE_WORLD_TOUCH_H
#define GRAZE_WORLD_TOUCH_H

#include "array.h"
#include "graze/stage/step_contacts.h"

// Touches in units, and the names of their points.
typedef struct grzTouchStore {
    struct {
        GRZ_ARRAY(grzTouchUnit);
    } units;
    struct {
        GRZ_ARRAY(grzTouchName);
    } names;
} grzTouchStore;

static inline bool grzTouchStore_Reserve(grzTouchStore* store, const grzAllocator* allocator, size_t units) {
    return grzArray_Reserve(&store->units, allocator, units) && grzArray_Reserve(&store->names, allocator, units);
}

static inline void grzTouchStore_CallArrays(grzTouchStore* store, grzArrayCall* call,
                                            const grzAllocator* allocator) {
    grzArray_Call(&store->units, call, allocator);
    grzArray_Call(&store->names, call, allocator);
}

static inline uint32_t grzTouch_UnitCount(const grzTouch* touch) {
    return 1 + touch->pointCount;
}

static inline grzTouch* grzTouch_At(grzTouchUnit* units, uint32_t place) {
    return (grzTouch*)(void*)(units + place);
}
static inline const grzTouch* grzTouch_Read(const grzTouchUnit* units, uint32_t place) {
    return (const grzTouch*)(const void*)(units + place);
}

// The two directions of friction: at right angles to the normal and to each other, and a function of its bits alone,
// so that friction impulses keep their meaning while the normal stays.
static inline void grzTouch_Tangents(grzVec3 normal, grzVec3 tangents[2]) {
    tangents[0] = grzPerpendicular(normal);
    tangents[1] = grzCross(normal, tangents[0]);
}

#endif
