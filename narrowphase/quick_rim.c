// What: cuts a loop of corners by the four sides of a rectangle.
// Promise: as convex_clip.c: each corner knows the two lines that it lies between, and so the features that made it.
// Idea: in the rectangle's own coordinates a side is one compare, and most sides cut nothing. Corners carry their
//   place on the incident face along, from which point and height follow without another rounding.
// Based on: [Sutherland, Hodgman, Reentrant Polygon Clipping, CACM 1974].
#include "quick_rim.h"

#include <string.h>

static RimCorner cutBetween(const RimCorner* p, const RimCorner* q, double heightP, double heightQ, uint32_t line) {
    double t = heightP / (heightP - heightQ), s = 1 - t;
    RimCorner cut = {
        s * p->a + t * q->a, s * p->b + t * q->b, s * p->u + t * q->u, s * p->v + t * q->v, p->line, RIM_NONE};
    if (heightP <= 0)
        cut.line = line;
    return cut;
}

// Keeps what is not above 0; some corner is.
static uint32_t cutSide(const RimCorner* from, uint32_t count, const double* heights, uint32_t line,
                        RimCorner* to) {
    uint32_t made = 0;
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t k = i + 1 < count ? i + 1 : 0;
        if (heights[i] <= 0)
            to[made++] = from[i];
        if ((heights[i] <= 0) != (heights[k] <= 0))
            to[made++] = cutBetween(&from[i], &from[k], heights[i], heights[k], line);
    }
    return made;
}

static bool measureSide(const RimCorner* corners, uint32_t count, uint32_t side, double half, double* heights) {
    bool isCut = false;
    for (uint32_t i = 0; i < count; ++i) {
        double place = (side & 1) != 0 ? corners[i].u : corners[i].v;
        heights[i] = (side == 1 || side == 2 ? place : -place) - half;
        isCut |= heights[i] > 0;
    }
    return isCut;
}

uint32_t grzRim_Cut(RimCorner corners[RIM_MOST_CORNERS], uint32_t count, double halfU, double halfV) {
    RimCorner others[RIM_MOST_CORNERS];
    double heights[RIM_MOST_CORNERS];
    RimCorner *from = corners, *to = others;
    for (uint32_t side = 0; side < 4; ++side) {
        if (!measureSide(from, count, side, (side & 1) != 0 ? halfU : halfV, heights))
            continue;
        count = cutSide(from, count, heights, RIM_SIDE | side, to);
        RimCorner* swapped = from;
        from = to, to = swapped;
    }
    if (from != corners)
        memcpy(corners, from, count * sizeof *corners);
    return count;
}

void grzRim_Name(const RimCorner* corner, uint32_t lineBefore, uint32_t referenceFace, uint32_t incidentFace,
                 ClipPoint* point) {
    bool isFirst = (lineBefore & RIM_SIDE) != 0, isSecond = (corner->line & RIM_SIDE) != 0;
    uint32_t i = lineBefore & ~RIM_SIDE, k = corner->line & ~RIM_SIDE, loop[4];
    point->reference = grzMakeFeature(grz_faceFeature, referenceFace);
    point->incident = grzMakeFeature(grz_faceFeature, incidentFace);
    quickFaceLoop(referenceFace, loop);
    if (corner->vertex != RIM_NONE) {
        point->incident = grzMakeFeature(grz_vertexFeature, corner->vertex);
    } else if (isFirst && isSecond) {
        if (k == ((i + 1) & 3))
            point->reference = grzMakeFeature(grz_vertexFeature, loop[k]);
        else if (i == ((k + 1) & 3))
            point->reference = grzMakeFeature(grz_vertexFeature, loop[i]);
    } else if (isFirst || isSecond) {
        uint32_t side = isFirst ? i : k;
        point->reference = grzMakeFeature(grz_edgeFeature, quickEdgeBetween(loop[side], loop[(side + 1) & 3]));
        point->incident = grzMakeFeature(grz_edgeFeature, isFirst ? k : i);
    }
}
