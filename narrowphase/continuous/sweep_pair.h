// What: two bodies on their ways, and the advance of two convex parts of theirs towards each other.
// Threads: plain data; a sweep belongs to one query.
#ifndef GRAZE_NARROWPHASE_SWEEP_PAIR_H
#define GRAZE_NARROWPHASE_SWEEP_PAIR_H

#include "gjk.h"
#include "graze/sweep.h"
#include "model_inside.h"
#include "sweep_motion.h"

typedef struct SweepSide {
    const grzModel* model;  // NULL: the shape
    const grzConvex* shape; // NULL: the model
    const grzSweepStarts* starts;
    bool isOneSided;
    double slack; // of a model that deforms: how far its triangles may be from the boxes of the model
    SweepPath path;
    grzVec3d lower, upper; // a box around it in its frame, without the radius
    SweepPlace start;      // at t = 0
    double radius;         // of the shape
    double reach;          // from the axis to the farthest point of the shape's core, or of the model's box
    double spread;         // a vector of coordinates x is no longer than this times |(x_i * length of column i)|
    double lengths[3];     // of the columns
} SweepSide;

// Where parts were found within the tolerance. Points are from A's centre.
typedef struct SweepTouch {
    double t, distance;
    bool isCertain; // they overlap
    grzVec3d pointA, pointB, normal;
    uint32_t slots[2]; // triangles of the tree, or GRZ_SWEEP_SHAPE
    grzFeature features[2];
} SweepTouch;

typedef struct Sweep {
    SweepSide sides[2];
    grzVec3d apart, velocity; // B's centre from A's: apart + t * velocity
    double error;             // what a coordinate of a part, seen from A's centre, may be off at any time
    double tolerance;
    double limit; // what touches at this time or later is of no use
    uint32_t steps, mostSteps;
    bool ignoresStart;
    SweepTouch touch; // the earliest; where limit has been beaten
} Sweep;

#define GRZ_SWEEP_SHAPE        0xFFFFFFFFu
#define GRZ_SWEEP_LEAST_ERRORS 64.0 // in a tolerance

// A convex part of a side.
typedef struct SweepPart {
    const SweepSide* side;
    uint32_t slot;       // a triangle of the tree; GRZ_SWEEP_SHAPE: the shape
    double reach;        // from the axis to the farthest point of the core
    grzVec3d corners[3]; // at the start
    grzVec3d ways[3];    // of corners in the frame, to the end
} SweepPart;

typedef enum SweepAdvance { sweepBeaten, sweepTouched, sweepTired } SweepAdvance;

// The part of side `side` that slot names.
SweepPart grzSweep_Part(const Sweep* sweep, int side, uint32_t slot);

// From a time before which they are known not to touch: sets that time forward until they are within the tolerance (`touch` and
// `limit` then say so), until the limit, or until the steps are used up; nothing touches before *t in any case.
SweepAdvance grzSweep_AdvanceParts(Sweep* sweep, const SweepPart parts[2], double* t);

// Two bodies of which one at least is a model. As above; *t: nothing touches before.
SweepAdvance grzSweep_AdvanceModels(Sweep* sweep, double* t);

#endif
