// What: how a flightplan lies in memory, and what the trees ask of it: where a vertex is, which of two is the higher one, and
//   when that changes.
// Promise: every answer is that of real arithmetic.
// Idea: "plan time" is a multiple of the plan's tick, a power of two, so that it is a double without rounding:
//
//     keyframes   frame number + part of the interval that has passed, in steps of 2^-24
//     paths       seconds
//
//   At such a time a coordinate is a sum of a few doubles without rounding: (1 - s) * a and s * b have at most 25 + 24 bits, v *
//   h 24 + 29 while h has at most 29. One addition of two such numbers is rounded to nearest, which keeps order. The difference
//   of two coordinates is such a sum too: a bound on its rounding decides nearly always, a long accumulator else.
// Holds: frames have numbers that stay when older ones are dropped. A piece of a path begins at `base`; h is never negative.
// Threads: pure functions of a plan that nobody changes.
#ifndef GRAZE_KINETIC_PLAN_INSIDE_H
#define GRAZE_KINETIC_PLAN_INSIDE_H

#include <math.h>

#include "graze/flightplan.h"

#include "array.h"

#define PLAN_FRAME_TICK 0x1p-24
#define PLAN_END        0x1p32 // times are smaller
#define PLAN_TICKS      0x1p52 // plan times are smaller than so many ticks

// A straight path is one rounded sum of doubles for so many ticks since its last change.
#define PLAN_SHORT_TICKS 0x1p29

typedef struct PlanFrame {
    double time;
    const float* positions;
    size_t stride; // in floats
} PlanFrame;

typedef struct PlanPath {
    double base;
    float position[3], velocity[3], acceleration[3];
} PlanPath;

typedef struct PlanFrames {
    GRZ_ARRAY(PlanFrame);
} PlanFrames;

typedef struct PlanPaths {
    GRZ_ARRAY(PlanPath);
} PlanPaths;

struct grzFlightplan {
    grzAllocator allocator;
    grzFlightplanKind kind;
    size_t vertexCount;
    double tick;
    double timeLimit; // times are smaller in size
    PlanFrames frames;
    uint32_t firstFrame; // the number of frames.data[0]
    PlanPaths paths;
    bool isBent; // some path has or had an acceleration
    double lastChange;
    uint64_t revision; // of the paths
};

// What grzFlightplan_Change refuses, but for vertices that have left the range of float.
grzResult grzPlan_CheckChange(const grzFlightplan* plan, double time, const grzFlightplanChange* change);

// The rest of grzFlightplan_Change, of what CheckChange has passed.
grzResult grzPlan_ChangeChecked(grzFlightplan* plan, double time, const grzFlightplanChange* change);

// Whether a time lies in the plan's range; and what it is in plan time.
bool grzPlan_Knows(const grzFlightplan* plan, double time);
double grzPlan_TimeOf(const grzFlightplan* plan, double time);

// The last time, or nearly, that is taken for a plan time.
double grzPlan_LastTime(const grzFlightplan* plan, double at);

// The plan time at which what is known ends: that of the last keyframe, or where the ticks end.
double grzPlan_End(const grzFlightplan* plan);

// A coordinate, from here on at a plan time that is known. First the double, then the float that it rounds to.
double grzPlan_Double(const grzFlightplan* plan, uint32_t vertex, int axis, double at);

static inline float grzPlan_Float(const grzFlightplan* plan, uint32_t vertex, int axis, double at) {
    return (float)grzPlan_Double(plan, vertex, axis, at);
}

// The floats of vertices begin .. end - 1, three each, at positions + stride * vertex.
void grzPlan_EvaluateRange(const grzFlightplan* plan, double at, uint32_t begin, uint32_t end, float* positions,
                           size_t stride);

// The sign of coordinate i less coordinate j, as real numbers.
int grzPlan_Compare(const grzFlightplan* plan, int axis, uint32_t i, uint32_t j, double at);

// The first plan time after `at` at which j is truly above i, where it is not at `at`; infinity: not while the plan is known.
double grzPlan_Overtakes(const grzFlightplan* plan, int axis, uint32_t i, uint32_t j, double at);

#endif
