// The wide loops of visibility: boxes against planes and onto the screen. See kernel.h for how they are built and
// picked.
#ifndef GRAZE_BROADPHASE_VIEW_KERNEL_H
#define GRAZE_BROADPHASE_VIEW_KERNEL_H

#include "kernel.h"
#include "view_forms.h"

enum { view_lanes = 16 };

// Which of the first sixteen boxes (lanes in `live`) no plane rules out. Tests the planes in `planes` (bit i: plane
// i); crossed[k] becomes those of them that box k is not wholly inside of, for the boxes in the result.
GRZ_DECLARE_KERNEL(uint32_t, grzClipBoxes,
                   (const LocalView* view, uint32_t planes, const float* const sides[6], uint32_t live,
                    uint32_t crossed[view_lanes]));

// What of the screen a box may take up.
typedef struct ScreenBoxes {
    int32_t x0[view_lanes], y0[view_lanes]; // pixels, from
    int32_t x1[view_lanes], y1[view_lanes]; // to, inclusive; at least x0, y0, and on the screen
    float most[view_lanes];     // no point of the box has a larger 1 / w; infinite where it may reach w = 0
    float distance[view_lanes]; // its least w, roughly, and at least 0: to sort by
} ScreenBoxes;

GRZ_DECLARE_KERNEL(void, grzProjectBoxes,
                   (const LocalView* view, const float* const sides[6], ScreenBoxes* screen));

#endif
