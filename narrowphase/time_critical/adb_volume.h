// What: how much volume two boxes share, roughly.
// Threads: plain data, pure functions.
#ifndef GRAZE_NARROWPHASE_ADB_VOLUME_H
#define GRAZE_NARROWPHASE_ADB_VOLUME_H

#include <stdbool.h>

// [Klein 2003] section 3.6. No answer exceeds the volume of either box.
typedef enum grzAdbVolume {
    // max{V1, V2, V3}: the boxes moved apart along an edge, a diagonal of a face, or a diagonal of the box. Spheres where the
    // volumes of the boxes differ by more than a factor.
    grz_volumeOfAlignedCases = 0,
    grz_volumeOfSpheres,    // the lens of the two spheres around the boxes
    grz_volumeOfSlabs,      // the least parallelepiped between three of the six slabs
    grz_volumeOfAlignedBox, // either box with an aligned one around the other; the lesser
} grzAdbVolume;

// Two boxes in the frame of A, in its units.
typedef struct AdbMeeting {
    double a[3], b[3];       // half sizes
    double apart[3];         // the centre of B from that of A
    const double (*turn)[3]; // turn[i][j]: axis j of B along axis i of A; orthonormal
} AdbMeeting;

// Along axis k of A (k < 3), or axis k - 3 of B: the slab of that box, cut where the other one ends. Negative: they are apart.
double grzAdbMeeting_Width(const AdbMeeting* meeting, int axis);

// Whether an axis of a face of either box separates them.
bool grzAdbMeeting_AreApart(const AdbMeeting* meeting);

// For boxes that are not apart. sphereRatio: the factor of the aligned cases, at least 1; infinity: never spheres.
double grzAdbMeeting_Volume(const AdbMeeting* meeting, grzAdbVolume method, double sphereRatio);

#endif
