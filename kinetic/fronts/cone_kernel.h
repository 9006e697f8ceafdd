// What: which of thirteen axes, in either direction, all triangles of a node face, and which edges of its contour
// are near each other. See kernel.h for how it is built and picked.
#ifndef GRAZE_KINETIC_CONE_KERNEL_H
#define GRAZE_KINETIC_CONE_KERNEL_H

#include "graze/config.h"

#include "kernel.h"

enum { CONE_AXES = 13, CONE_NODE_TRIANGLES = 32 };

// Where vertices are: three floats each, `stride` floats apart. A vertex times the stride is below 2^31.
typedef struct ConePlaces {
    const float* at;
    uint32_t stride;
} ConePlaces;

// Two keyframes may begin at one address, and go on with other strides.
static inline bool grzConePlaces_AreSame(const ConePlaces* a, const ConePlaces* b) {
    return a->at == b->at && a->stride == b->stride;
}

// What rounding moves a coordinate by between the ends of a motion, in parts of it. A plan rounds twice in double and once to float, a
// host that computes (1 - s) a + s b three times in float, and s itself where it likes: less than 4 times 2^-24.
#define CONE_ROUNDING 0x1p-22

// Bit k: axis k of self_cull.c; bit k + 13: its opposite. Triangles of `count` are three vertices each. The places at both ends of a
// linear motion may be the same. A bit is set only where it is certain of real numbers, at every time of the motion, and where
// vertices are rounded on the way.
GRZ_DECLARE_KERNEL(uint32_t, grzConeFacing,
                   (const uint32_t* triangles, uint32_t count, const ConePlaces* from, const ConePlaces* to));

// Numbers of the rectangles that overlap another one, ascending; returns how many. Sides are lowest and highest along two directions;
// 16 more of each may be read, and 16 numbers be written behind the last one.
GRZ_DECLARE_KERNEL(uint32_t, grzConeNear,
                   (const float* const sides[4], uint32_t count, const float rectangle[4], uint32_t* numbers));

#endif
