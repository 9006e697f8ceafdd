// The wide loops of the depth pyramid, and what they draw. See kernel.h for how they are built and picked.
#ifndef GRAZE_BROADPHASE_DEPTH_KERNEL_H
#define GRAZE_BROADPHASE_DEPTH_KERNEL_H

#include <stdint.h>

#include "kernel.h"

enum { depth_lanes = 16, occluder_maxSides = 8, occluder_maxPlanes = 3 };

// A level: rows of `stride` floats from the bottom, a multiple of sixteen; those beyond the width are infinite, which
// nothing changes. A value is 1 / w (graze/camera.h) of the farthest point that occluders leave visible in the pixel, 0 where
// they leave all, rounded down.
typedef struct DepthImage {
    float* values;
    uint32_t width, height, stride;
} DepthImage;

// A bound on the pixels of a row: from ceil(at + y slope), or up to floor(at + y slope), exclusive.
typedef struct OccluderSide {
    double at, slope;
    double margin; // what the bound is moved inward by, besides a share of itself (SIDE_SHARE)
    bool isLower;
} OccluderSide;

#define SIDE_SHARE 0x1p-21

// Nowhere on pixel (x, y) is the plane's 1 / w below at + x slopeX + y slopeY, all rounding of the kernel included.
typedef struct OccluderPlane {
    double at, slopeX, slopeY;
} OccluderPlane;

// A convex occluder: on the pixels within all sides it is nowhere farther than the farthest of its planes.
typedef struct ConvexOccluder {
    uint32_t sideCount, planeCount;
    int32_t rowBegin, rowEnd;
    OccluderSide sides[occluder_maxSides];
    OccluderPlane planes[occluder_maxPlanes];
} ConvexOccluder;

// Makes nearer what the occluder covers. Rows are on the image.
GRZ_DECLARE_KERNEL(void, grzDepthFill, (DepthImage * image, const ConvexOccluder* occluder));

// Each value of `coarse` becomes the least of the four of `fine` below it. Its size is half, rounded up.
GRZ_DECLARE_KERNEL(void, grzDepthReduce, (const DepthImage* fine, DepthImage* coarse));

#endif
