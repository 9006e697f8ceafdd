// A camera: from where, whither and how widely is looked.
//
// A point p is seen at the distance w = dot(forward, d) with d = p - position, and on the screen at
// (dot(right, d) / halfWidth / w, dot(up, d) / halfHeight / w), both from -1 to 1: x to the right, y up. It is in
// view where both are in that range and w is from nearest to farthest. All of it is meant exactly, in real
// arithmetic on these floats: whatever is said to be conservative of a camera is so with respect to this. The three
// axes are usually unit vectors at right angles, but nothing rests on that.
#ifndef GRAZE_CAMERA_H
#define GRAZE_CAMERA_H

#include "graze/linmath.h"
#include "graze/result.h"

GRZ_EXTERN_C_BEGIN

typedef struct grzCamera {
    grzVec3 position;
    grzVec3 right, up, forward;
    float halfWidth, halfHeight; // of what is in view at the distance 1: tangents of half the angles of view
    float nearest, farthest;     // distances along forward
} grzCamera;

// The camera at `position` that sees `target` in the middle of its screen. `up` shows roughly where above is; where
// it is zero or along the view some direction is taken; a target at the position leaves forward zero, with
// which nothing is in view. fovY is the vertical angle of view in radians, below pi;
// aspect is width / height.
GRZ_API grzCamera grzCamera_LookAt(grzVec3 position, grzVec3 target, grzVec3 up, float fovY, float aspect,
                                   float nearest, float farthest);

// What every call that takes a camera demands: all finite (grz_notFinite), halfWidth, halfHeight and nearest above
// 0, farthest above nearest (grz_badArgument; value: the member's place in the struct, from 1).
GRZ_NODISCARD GRZ_API grzResult grzCamera_Check(const grzCamera* camera);

GRZ_EXTERN_C_END

#endif
