// What: boxes of one hierarchy in the frame of another: turned, and widened by what rounding may lose.
// See box_lanes.h for the boxes of a node.
#ifndef GRAZE_KINETIC_BOX_FRAME_H
#define GRAZE_KINETIC_BOX_FRAME_H

#include "graze/linmath.h"

typedef struct BoxFrame {
    float basis[3][3];           // rows
    float lowest[3], highest[3]; // the origin, widened
} BoxFrame;

// Of a finite pose, for boxes that lie in `root`, which is not empty. False where there are numbers above 2^60.
bool grzBoxFrame_Make(const grzTransform* pose, const grzBox* root, BoxFrame* frame);

#endif
