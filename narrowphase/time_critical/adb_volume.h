// What: how much volume two boxes share, roughly.
// Threads: plain data, pure functions.
#ifndef GRAZE_NARROWPHASE_ADB_VOLUME_H
#define GRAZE_NARROWPHASE_ADB_VOLUME_H

#include "graze/stage/adb_tree.h"

// Two boxes in the frame of A, in its units.
typedef struct AdbMeeting {
    double a[3], b[3];       // half sizes
    double apart[3];         // the centre of B from that of A
    const double (*turn)[3]; // turn[i][j]: axis j of B along axis i of A; orthonormal
} AdbMeeting;

// Along axis k of A (k < 3), or axis k - 3 of B, from the centre of that box: its slab, cut where the other box ends. The first
// end is greater where the axis separates them.
void grzAdbMeeting_Interval(const AdbMeeting* meeting, int axis, double ends[2]);

// Whether an axis of a face of either box separates them.
bool grzAdbMeeting_AreApart(const AdbMeeting* meeting);

// For boxes that are not apart. sphereRatio: the factor of the aligned cases, at least 1; infinity: never spheres.
double grzAdbMeeting_Volume(const AdbMeeting* meeting, grzAdbVolume method, double sphereRatio);

#endif
