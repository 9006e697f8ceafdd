// The features of what of a quad or a segment lies over a rectangle, where the reference is a box: as convex_clip.h.
#ifndef GRAZE_NARROWPHASE_QUICK_RIM_H
#define GRAZE_NARROWPHASE_QUICK_RIM_H

#include "convex_clip.h"
#include "quick_box.h"

typedef struct RimCorner {
    uint32_t line;   // that leads on from here: an incident edge, or RIM_SIDE and a side of the rectangle
    uint32_t vertex; // of the incident shape, or RIM_NONE
} RimCorner;

// Sides 0 .. 3 of the rectangle: lower v, upper u, upper v, lower u.
#define RIM_SIDE 0x80000000u
#define RIM_NONE UINT32_MAX

// The features of the corner `at` between two faces of boxes, as convex_clip.c names them.
void grzRim_Name(const RimCorner* corner, uint32_t lineBefore, uint32_t referenceFace, uint32_t incidentFace,
                 ClipPoint* point);

#endif
