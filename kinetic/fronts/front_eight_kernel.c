// What: the kernel of front_eight_kernel.h.
#include "front_eight_kernel.h"

#include "box_lanes.h"

void GRZ_KERNEL(grzFrontSides)(const FrontNodes* nodes, uint8_t bits[FRONT_TIMES][6]) {
    for (int time = 0; time < FRONT_TIMES; ++time) {
        const BoxLanes lanes = loadBoxLanes(nodes->eight[time]);
        const grzBvhNode* other = nodes->other[time];
        for (int axis = 0; axis < 3; ++axis) {
            const grzF8 lower = grzF8_Set1(other->lower[axis][nodes->lane]);
            const grzF8 upper = grzF8_Set1(other->upper[axis][nodes->lane]);
            bits[time][axis] = (uint8_t)grzM8_Bits(grzF8_Less(upper, lanes.lower[axis]));
            bits[time][3 + axis] = (uint8_t)grzM8_Bits(grzF8_Less(lanes.upper[axis], lower));
        }
    }
}
