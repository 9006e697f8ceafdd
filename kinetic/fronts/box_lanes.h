// What: the eight boxes of a node in registers.
#ifndef GRAZE_KINETIC_BOX_LANES_H
#define GRAZE_KINETIC_BOX_LANES_H

#include "graze/bvh.h"

#include "box_frame.h"
#include "simd.h"

typedef struct BoxLanes {
    grzF8 lower[3], upper[3];
} BoxLanes;

GRZ_SIMD_INLINE BoxLanes loadBoxLanes(const grzBvhNode* node) {
    BoxLanes lanes;
    for (int axis = 0; axis < 3; ++axis) {
        lanes.lower[axis] = grzF8_Load(node->lower[axis]);
        lanes.upper[axis] = grzF8_Load(node->upper[axis]);
    }
    return lanes;
}

// Into the frame: see box_frame.c. What an empty lane becomes is not empty.
GRZ_SIMD_INLINE BoxLanes poseBoxLanes(const BoxFrame* frame, BoxLanes own) {
    BoxLanes lanes;
    for (int i = 0; i < 3; ++i) {
        lanes.lower[i] = grzF8_Set1(frame->lowest[i]);
        lanes.upper[i] = grzF8_Set1(frame->highest[i]);
        for (int j = 0; j < 3; ++j) {
            const grzF8 entry = grzF8_Set1(frame->basis[i][j]);
            const grzF8 first = grzF8_Mul(entry, own.lower[j]), second = grzF8_Mul(entry, own.upper[j]);
            lanes.lower[i] = grzF8_Add(lanes.lower[i], grzF8_Min(first, second));
            lanes.upper[i] = grzF8_Add(lanes.upper[i], grzF8_Max(first, second));
        }
    }
    return lanes;
}

// Empty lanes may meet infinite boxes.
GRZ_SIMD_INLINE grzM8 meetBoxLanes(const BoxLanes* lanes, const grzBox* box) {
    const float lower[3] = {box->lower.x, box->lower.y, box->lower.z};
    const float upper[3] = {box->upper.x, box->upper.y, box->upper.z};
    grzM8 meets = grzF8_LessEqual(lanes->lower[0], grzF8_Set1(upper[0]));
    meets = grzM8_And(meets, grzF8_GreaterEqual(lanes->upper[0], grzF8_Set1(lower[0])));
    for (int axis = 1; axis < 3; ++axis) {
        meets = grzM8_And(meets, grzF8_LessEqual(lanes->lower[axis], grzF8_Set1(upper[axis])));
        meets = grzM8_And(meets, grzF8_GreaterEqual(lanes->upper[axis], grzF8_Set1(lower[axis])));
    }
    return meets;
}

#endif
