// What: looks a cloth over, for tests and for doubts.
// Holds: what cloth_inside.h says of groups, pins, tethers and touches. O(everything); allocates nothing.
#include <math.h>

#include "check.h"
#include "cloth_search.h"

static bool isBroken(const char* what, size_t index) {
    grzLog(grz_logError, "cloth: %s at %zu", what, index);
    return false;
}

// The vertices of a lane, GRZ_MESH_NONE or the row of rest for none.
typedef struct LaneNames {
    int32_t vertices[4];
} LaneNames;

// No two lanes of a group share a vertex but the row of rest. Colours as a whole are checked by tests.
static bool checkGroup(const grzClothBody* cloth, const LaneNames* lanes, int width, size_t group) {
    for (int i = 0; i < 8 * width; ++i) {
        const int32_t vertex = lanes[i / width].vertices[i % width];
        if (vertex < 0 || (uint32_t)vertex > cloth->vertexCount)
            return isBroken("a constraint names no vertex, group", group);
        for (int k = 0; k < i && (uint32_t)vertex != cloth->vertexCount; ++k)
            if (lanes[k / width].vertices[k % width] == vertex)
                return isBroken("a vertex stands twice in group", group);
    }
    return true;
}

static bool checkGroups(const grzClothBody* cloth) {
    LaneNames lanes[8];
    for (size_t g = 0; g < cloth->stretches.count; ++g) {
        for (int lane = 0; lane < 8; ++lane) {
            lanes[lane].vertices[0] = cloth->stretches.data[g].a[lane];
            lanes[lane].vertices[1] = cloth->stretches.data[g].b[lane];
        }
        if (!checkGroup(cloth, lanes, 2, g))
            return false;
    }
    for (size_t g = 0; g < cloth->bends.count; ++g) {
        for (int i = 0; i < 32; ++i)
            lanes[i % 8].vertices[i / 8] = cloth->bends.data[g].vertices[i / 8][i % 8];
        if (!checkGroup(cloth, lanes, 4, g))
            return false;
    }
    return true;
}

static bool checkRows(const grzClothBody* cloth) {
    for (uint32_t row = 0; row < cloth->rowCount; ++row) {
        const float* now = cloth->now.data + (size_t)4 * row;
        if (!grzVec3_IsFinite(grzCloth_Row(cloth->now.data, row)) ||
            !grzVec3_IsFinite(grzCloth_Row(cloth->velocity.data, row)) || !(now[3] >= 0 && isfinite(now[3])))
            return isBroken("a row is not finite", row);
        if (row >= cloth->vertexCount && (now[0] != 0 || now[1] != 0 || now[2] != 0 || now[3] != 0))
            return isBroken("a row of rest has moved", row);
    }
    for (size_t k = 0; k < cloth->pins.count; ++k)
        if (cloth->pins.data[k] >= cloth->vertexCount || cloth->now.data[(size_t)4 * cloth->pins.data[k] + 3] != 0)
            return isBroken("a pin is no vertex, or has a mass, pin", k);
    for (size_t i = 0; i < cloth->tetherPins.count; ++i)
        if (cloth->tetherPins.data[i] > cloth->pins.count || !(cloth->tetherLengths.data[i] >= 0))
            return isBroken("a tether has no pin or no length", i);
    return true;
}

static bool checkTouches(const grzClothBody* cloth) {
    if (!grzAreRecordsSorted(&grzCloth_touchType, cloth->touches.data, cloth->touches.count))
        return isBroken("touches are not sorted", cloth->touches.count);
    for (size_t i = 0; i + 1 < cloth->starts.count; ++i)
        for (uint32_t k = cloth->starts.data[i]; k < cloth->starts.data[i + 1]; ++k)
            if (cloth->touches.data[k].partner != i)
                return isBroken("a touch is not among those of its obstacle", k);
    for (size_t i = 0; i < cloth->touches.count; ++i) {
        const ClothTouch* touch = &cloth->touches.data[i];
        if (touch->partner >= cloth->partners.count || (touch->vertexCount != 1 && touch->vertexCount != 3))
            return isBroken("a touch has no partner or no vertices", i);
        for (uint32_t k = 0; k < touch->vertexCount; ++k)
            if (touch->vertices[k] >= cloth->vertexCount || !(touch->weights[k] >= 0))
                return isBroken("a touch names no vertex", i);
        if (!(touch->impulse >= 0))
            return isBroken("an impulse pulls", i);
    }
    return true;
}

// That no two of a colour share a particle is checked by tests.
static bool checkOrder(const grzClothBody* cloth) {
    uint32_t next = 0;
    if (cloth->order.count != cloth->touches.count)
        return isBroken("the order leaves touches out", cloth->order.count);
    for (size_t i = 0; i < cloth->order.count; ++i)
        if (cloth->order.data[i] >= cloth->touches.count)
            return isBroken("the order names no touch", i);
    for (size_t c = 0; c < cloth->colors.count; ++c) {
        const ClothColor* color = &cloth->colors.data[c];
        if (color->first != next || color->count == 0 || color->yieldingCount > color->count)
            return isBroken("a colour of touches is no part of the order", c);
        next += color->count;
    }
    return next == cloth->order.count || isBroken("touches without a colour", next);
}

bool grzClothBody_Validate(const grzClothBody* cloth) {
    return checkRows(cloth) && checkGroups(cloth) && checkTouches(cloth) && checkOrder(cloth) &&
           grzBvh_Validate(cloth->bvh);
}
