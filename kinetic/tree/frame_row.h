// What: between two keyframes, along one axis: which of a few vertices end ahead of one that leads, and which of these comes
//   ahead of it first, and when.
// Promise: the answers of real arithmetic, as in plan_inside.h. Times are ticks: steps of 2^-24 from the interval's beginning, as
//   whole numbers in float.
// Idea: paths are straight, so that two cross once. Who is behind a leader and ends ahead of it comes ahead at A / (A - B) of the
//   interval, by the gaps at both ends, and stays ahead; who does not end ahead never comes. So one comparison of the ends of all
//   is what most sides need, and few of the beginnings are ever read.
#ifndef GRAZE_KINETIC_FRAME_ROW_H
#define GRAZE_KINETIC_FRAME_ROW_H

#include "plan_inside.h"

#define FRAME_TICKS 0x1p24F // of an interval

// A side of all boxes, in an interval. "Ahead" is greater on an upper side, and less on a lower one.
typedef struct FrameSide {
    const grzFlightplan* plan;
    const float *from, *to; // coordinates of the two keyframes along the axis
    size_t fromStride, toStride;
    double number; // of the first keyframe
    double sign;   // -1: the least leads
    int axis;
} FrameSide;

// Vertices below a side. There may be one more than once.
typedef struct FrameRow {
    const uint32_t *eight, *more; // lanes 0 to 7, and from 8 on; up to a multiple of four there is some vertex
    uint32_t count;
} FrameRow;

static inline uint32_t grzFrameRow_Vertex(const FrameRow* row, uint32_t lane) {
    return lane < 8 ? row->eight[lane] : row->more[lane - 8];
}

typedef struct FrameEvent {
    float tick; // infinity: there is none
    uint32_t lane;
} FrameEvent;

static inline float grzFrameSide_To(const FrameSide* side, uint32_t vertex) {
    return side->to[vertex * side->toStride];
}

// Whether one vertex is ahead of another at the end of the interval, or at its beginning.
static inline bool grzFrameSide_EndsAhead(const FrameSide* side, uint32_t vertex, uint32_t other) {
    const float a = side->to[vertex * side->toStride], b = side->to[other * side->toStride];
    return side->sign > 0 ? a > b : a < b;
}

static inline bool grzFrameSide_BeginsAhead(const FrameSide* side, uint32_t vertex, uint32_t other) {
    const float a = side->from[vertex * side->fromStride], b = side->from[other * side->fromStride];
    return side->sign > 0 ? a > b : a < b;
}

// Bits of the lanes that end ahead of a vertex.
uint32_t grzFrameRow_Above(const FrameRow* row, const FrameSide* side, uint32_t vertex);

// Whether one vertex is ahead of another at a tick, or is level with it and ends ahead.
bool grzFrameSide_Leads(const FrameSide* side, uint32_t vertex, uint32_t other, float tick);

// The first tick at which a vertex that ends ahead of another one is ahead of it.
float grzFrameSide_Passes(const FrameSide* side, uint32_t leader, uint32_t vertex);

// The first tick at which one of the row is ahead of a vertex that leads it, and the lane that leads then; of several that are
// level the one that ends ahead; of several that are level to the end the lowest.
FrameEvent grzFrameRow_Next(const FrameRow* row, const FrameSide* side, uint32_t leader);

// The vertex that leads at a tick, of the row and of one that led it before.
uint32_t grzFrameRow_Leader(const FrameRow* row, const FrameSide* side, uint32_t leader, float tick);

// The lane of a vertex that ends at a coordinate, which there is; the lowest of several.
uint32_t grzFrameRow_EndsAt(const FrameRow* row, const FrameSide* side, float end);

#endif
