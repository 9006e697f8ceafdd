// What: the order in which touches are solved: colours, so that those of one share no particle.
// Promise: a function of the touches and their order alone. Nothing is left out, however many meet at a particle.
// Idea: vertices are coloured before triangles, and colours are solved from the last to the first, so that vertices, which are most
//       of the touches and of one or two colours, come last and hold best. In a colour the touches with bodies that yield come first:
//       their pushes are summed in this order when all of the colour are done (cloth_contact.c).
// Cost: some 20 ns a touch, and a word a vertex.
#include <string.h>

#include "cloth_inside.h"
#include "result_make.h"

#define OPPOSITE -0.5f // the cosine of normals on two sides, at most

grzResult grzCloth_ReserveOrder(grzClothBody* cloth) {
    ClothSearch* search = &cloth->search;
    const size_t count = cloth->touches.count;
    if (count == 0)
        return grzOk();
    if (!grzArray_Reserve(&search->masks, &cloth->allocator, cloth->vertexCount) ||
        !grzArray_Reserve(&search->names, &cloth->allocator, 3 * count) ||
        !grzArray_Reserve(&search->listed, &cloth->allocator, count) ||
        !grzArray_Reserve(&search->colorOf, &cloth->allocator, count) ||
        !grzArray_Reserve(&cloth->twins, &cloth->allocator, count) ||
        !grzArray_Reserve(&cloth->order, &cloth->allocator, count) ||
        !grzArray_Reserve(&cloth->colors, &cloth->allocator, count) ||
        !grzArray_Reserve(&cloth->meets, &cloth->allocator, count))
        return grzNoMemory(count, sizeof(ClothMeet));
    return grzOk();
}

// Touches in the order in which they choose their colours: vertices, then triangles.
static void listTouches(grzClothBody* cloth) {
    ClothSearch* search = &cloth->search;
    uint32_t listed = 0;
    for (uint32_t width = 1; width <= 3; width += 2)
        for (uint32_t i = 0; i < cloth->touches.count; ++i)
            if (cloth->touches.data[i].vertexCount == width)
                search->listed.data[listed++] = i;
    for (uint32_t i = 0; i < listed; ++i) {
        const ClothTouch* touch = &cloth->touches.data[search->listed.data[i]];
        for (uint32_t k = 0; k < 3; ++k)
            search->names.data[3 * i + k] = touch->vertices[k < touch->vertexCount ? k : 0];
    }
}

static bool yields(const grzClothBody* cloth, uint32_t touch) {
    return cloth->partners.data[cloth->touches.data[touch].partner].yields;
}

// Vertices that two bodies hold from opposite sides.
static void pairTwins(grzClothBody* cloth) {
    uint32_t* last = cloth->search.vertexSlots.data; // of a vertex: a touch that may be its own
    cloth->search.vertices.count = 0;                // so that no place in it counts any more
    for (uint32_t i = 0; i < cloth->touches.count; ++i) {
        const ClothTouch* touch = &cloth->touches.data[i];
        const uint32_t vertex = touch->vertices[0], other = last[vertex];
        cloth->twins.data[i] = UINT32_MAX;
        if (touch->vertexCount != 1)
            continue;
        last[vertex] = i;
        if (other >= i || cloth->touches.data[other].vertexCount != 1 ||
            cloth->touches.data[other].vertices[0] != vertex)
            continue;
        const grzVec3 normal = grzVec3_Load(cloth->touches.data[other].normal);
        if (grzDot(normal, grzVec3_Load(touch->normal)) < OPPOSITE)
            cloth->twins.data[i] = other, cloth->twins.data[other] = i;
    }
}

void grzCloth_OrderTouches(grzClothBody* cloth) {
    ClothSearch* search = &cloth->search;
    const uint32_t count = (uint32_t)cloth->touches.count;
    cloth->colors.count = cloth->order.count = 0;
    if (count == 0)
        return;
    pairTwins(cloth);
    listTouches(cloth);
    const uint32_t colorCount =
        grzCloth_Color(search->names.data, count, 3, search->masks.data, cloth->vertexCount, search->colorOf.data);
    memset(cloth->colors.data, 0, colorCount * sizeof *cloth->colors.data);
    for (uint32_t i = 0; i < count; ++i) {
        ClothColor* color = &cloth->colors.data[search->colorOf.data[i]];
        color->count++;
        color->yieldingCount += yields(cloth, search->listed.data[i]);
    }
    for (uint32_t c = 1; c < colorCount; ++c)
        cloth->colors.data[c].first = cloth->colors.data[c - 1].first + cloth->colors.data[c - 1].count;
    // Filled from the ends, which serve as cursors: those that yield, and the others.
    for (uint32_t i = count; i-- > 0;) {
        ClothColor* color = &cloth->colors.data[search->colorOf.data[i]];
        const uint32_t touch = search->listed.data[i];
        const uint32_t behind = yields(cloth, touch) ? color->yieldingLeft++ : color->othersLeft++;
        const uint32_t end = color->first + (yields(cloth, touch) ? color->yieldingCount : color->count);
        cloth->order.data[end - 1 - behind] = touch;
    }
    cloth->colors.count = colorCount;
    cloth->order.count = count;
}
