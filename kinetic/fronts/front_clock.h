// What: the common time of two plans: ticks of a piece, and where each plan stands at a tick.
// Promise: all numbers here are doubles without rounding, except the host's times in seconds.
// Idea: a piece is the time between two neighbouring keyframes of either plan. It begins and ends at ticks of both.
//   Between these both plans move evenly:
//
//     plan A   |-----------------------|-----------------------|     part of an interval, or seconds: begin + rate
//                                                                    * tick
//     plan B         |-----------------------|-----------------
//     pieces   |-----|-----------------|-----|-----------------|     2^24 ticks each
//
//   Two plans of paths have one piece without end. Its ticks are the ticks of the finer plan, counted from time 0.
// Holds: where both plans have the same keyframe times, every tick is a tick of both.
// Threads: plain data.
#ifndef GRAZE_KINETIC_FRONT_CLOCK_H
#define GRAZE_KINETIC_FRONT_CLOCK_H

#include "plan_inside.h"

typedef struct FrontPace { // of one plan
    const grzFlightplan* plan;
    double number;          // keyframes: the first of the interval
    double begin, rate;     // the part of the interval, or the seconds of paths, at tick 0 and for each tick
    const float *from, *to; // keyframes
    size_t fromStride, toStride;
} FrontPace;

typedef struct FrontClock {
    FrontPace paces[2];
    double begin, end; // of the piece, in seconds
    double ticks;      // the last tick of the piece
    double tick;       // paths alone: of the finer plan; else 0
} FrontClock;

// Finds the piece of a time that both plans know. A time between two pieces is in the later one. Where a plan ends there, the
// piece is that time alone.
void grzFrontClock_Start(FrontClock* clock, const grzFlightplan* a, const grzFlightplan* b, double time);

// Finds the keyframes again, which may have moved in memory.
void grzFrontClock_FindFrames(FrontClock* clock);

// Returns whether the piece ends where an interval between keyframes of a plan ends.
static inline bool grzFrontClock_EndsInterval(const FrontClock* clock, int side) {
    const FrontPace* pace = &clock->paces[side];
    return pace->from != NULL && pace->begin + pace->rate * clock->ticks == 1;
}

// Return the tick of a time of the piece, and the last time, or nearly, that belongs to a tick.
double grzFrontClock_TickOf(const FrontClock* clock, double time);
double grzFrontClock_LastTime(const FrontClock* clock, double tick);

// Return the last plan time, on the plan's own grid, that is not after a tick, and the first tick at which a plan has come to a
// plan time: infinity if that is not in this piece.
double grzFrontClock_PlanTime(const FrontClock* clock, int side, double tick);
double grzFrontClock_FirstTick(const FrontClock* clock, int side, double at);

// Whether a tick, at which a plan stands at a plan time, is one of the plan's own grid.
static inline bool grzFrontClock_IsOfPlan(const FrontClock* clock, int side, double tick, double at) {
    const FrontPace* pace = &clock->paces[side];
    return at - pace->number == pace->begin + pace->rate * tick;
}

#endif
