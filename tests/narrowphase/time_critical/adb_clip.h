// What: the exact volume of the intersection of two boxes, and the area of a triangle in a box, by clipping.
#ifndef GRAZE_TESTS_ADB_CLIP_H
#define GRAZE_TESTS_ADB_CLIP_H

#include "adb_volume.h"

// Boxes in general position: faces that coincide count twice.
double clippedVolume(const AdbMeeting* meeting);

// Of the part of a triangle in the box; all of it where it lies in a face.
double clippedArea(const double corners[9], const double lower[3], const double upper[3]);

#endif
