// What of a quad or a segment lies over a rectangle: the clipping of convex_clip.h where the reference is a box.
#ifndef GRAZE_NARROWPHASE_QUICK_RIM_H
#define GRAZE_NARROWPHASE_QUICK_RIM_H

#include "convex_clip.h"
#include "quick_box.h"

// A place on the incident face, in its own two directions (-1 .. 1 each), and as seen in the rectangle's. In float: how
// high it lies is told by the first two, in double.
typedef struct RimCorner {
    _Alignas(16) float place[4]; // rimA, rimB, rimU, rimV
    uint32_t line;   // that leads on from here: an incident edge, or RIM_SIDE and a side of the rectangle
    uint32_t vertex; // of the incident shape, or RIM_NONE
} RimCorner;

enum { rimA, rimB, rimU, rimV };

#define RIM_SIDE 0x80000000u
#define RIM_NONE UINT32_MAX

// Each cut adds a corner for every two of before at most: 4, 6, 9, 13, 19.
#define RIM_MOST_CORNERS 19

typedef struct Rim {
    RimCorner corners[RIM_MOST_CORNERS], scratch[RIM_MOST_CORNERS];
} Rim;

// Sides 0 .. 3 of the rectangle: lower v, upper u, upper v, lower u. Cuts the loop of `count` corners down to what lies
// within -halfU .. halfU and -halfV .. halfV. Returns the corners that are left, which are the rim's.
const RimCorner* grzRim_Cut(Rim* rim, uint32_t* count, float halfU, float halfV);

// The features of the corner `at` between two faces of boxes, as convex_clip.c names them.
void grzRim_Name(const RimCorner* corner, uint32_t lineBefore, uint32_t referenceFace, uint32_t incidentFace,
                 ClipPoint* point);

#endif
