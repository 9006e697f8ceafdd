// What: colours constraints so that no two of one colour share a particle.
// Promise: a function of the order of the constraints alone. Any number of constraints at one particle.
// Idea: each constraint takes the first colour that none of its particles has. The colours of a particle are 64 bits; what finds
//       none waits for the next round of 64.
// Cost: O(constraints) a round; rounds: the most constraints at a particle / 64.
#include <string.h>

#include "cloth_inside.h"

static uint64_t takenColors(const uint32_t* vertices, uint32_t width, const uint64_t* masks) {
    uint64_t taken = 0;
    for (uint32_t k = 0; k < width; ++k)
        taken |= masks[vertices[k]];
    return taken;
}

static uint32_t lowestFree(uint64_t taken) {
    uint32_t color = 0;
    while (taken >> color & 1)
        ++color;
    return color;
}

uint32_t grzCloth_Color(const uint32_t* vertices, uint32_t count, uint32_t width, uint64_t* masks,
                        uint32_t vertexCount, uint32_t* colors) {
    uint32_t left = count, colorCount = 0;
    for (uint32_t i = 0; i < count; ++i)
        colors[i] = UINT32_MAX;
    for (uint32_t base = 0; left != 0; base += 64) {
        memset(masks, 0, vertexCount * sizeof *masks);
        for (uint32_t i = 0; i < count; ++i) {
            const uint32_t* own = vertices + (size_t)width * i;
            const uint64_t taken = colors[i] == UINT32_MAX ? takenColors(own, width, masks) : UINT64_MAX;
            if (taken == UINT64_MAX)
                continue;
            const uint32_t color = lowestFree(taken);
            for (uint32_t k = 0; k < width; ++k)
                masks[own[k]] |= UINT64_C(1) << color;
            colors[i] = base + color;
            colorCount = base + color + 1 > colorCount ? base + color + 1 : colorCount;
            --left;
        }
    }
    return colorCount;
}
