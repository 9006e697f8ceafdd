// What: a rigid motion in double: where a body is at a time, and how fast it may near another one.
// Idea: a vector that turns about an axis is what of it lies along the axis, which stays, and what lies across, which goes round a
//   circle; so the turned vector is a sum of three that are found once.
//
//     v(t) = along + cos(rate t) across + sin(rate t) turned
//
// Threads: plain data, pure functions.
#ifndef GRAZE_NARROWPHASE_SWEEP_MOTION_H
#define GRAZE_NARROWPHASE_SWEEP_MOTION_H

#include "graze/sweep.h"
#include "vec3d.h"

// What turns with a body: the columns of its basis; the arm, from the centre to the frame's origin; and the unit normals of its
// columns' planes, which are directions to look along, no more.
enum { sweepColumn = 0, sweepArm = 3, sweepNormal = 4, sweepVectors = 7 };

typedef struct SweepPath {
    grzVec3d center, velocity;
    grzVec3d axis; // unit, or 0 where nothing turns
    double rate;   // radians in a unit of time
    grzVec3d along[sweepVectors], across[sweepVectors], turned[sweepVectors];
} SweepPath;

// The vectors at a time.
typedef struct SweepPlace {
    grzVec3d vectors[sweepVectors];
} SweepPlace;

// The first `count` vectors: sweepNormal of them where no directions are needed. The motion must be good.
void grzSweepPath_Set(SweepPath* path, const grzSweepMotion* motion, int count);
void grzSweepPath_At(const SweepPath* path, double t, int count, SweepPlace* place);

// A point of the frame as it lies about the centre.
static inline grzVec3d grzSweepPlace_Point(const SweepPlace* place, grzVec3d p) {
    return grzVec3d_Add(grzVec3d_Turn(place->vectors, p), place->vectors[sweepArm]);
}

// How far a point about the centre is from the axis; 0 where nothing turns.
static inline double grzSweepPath_Radius(const SweepPath* path, grzVec3d p) {
    return grzVec3d_Length(grzVec3d_Cross(path->axis, p));
}

// The most that a point as far as 1 from the axis goes along a unit direction in a unit of time, by turning alone.
static inline double grzSweepPath_TurnAlong(const SweepPath* path, grzVec3d direction) {
    return path->rate * grzVec3d_Length(grzVec3d_Cross(path->axis, direction));
}

#endif
