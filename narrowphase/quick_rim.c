// What: cuts a loop of corners by the four sides of a rectangle.
// Promise: as convex_clip.c: each corner knows the two lines that it lies between, and so the features that made it.
// Idea: in the rectangle's own coordinates a side is one compare, and most sides cut nothing. Corners carry their
//   place on the incident face along, from which point and height follow without another rounding.
// Based on: [Sutherland, Hodgman, Reentrant Polygon Clipping, CACM 1974].
#include "quick_rim.h"

static RimCorner cutBetween(const RimCorner* p, const RimCorner* q, double heightP, double heightQ) {
    double t = heightP / (heightP - heightQ), s = 1 - t;
    return (RimCorner){
        s * p->a + t * q->a, s * p->b + t * q->b, s * p->u + t * q->u, s * p->v + t * q->v, p->line, RIM_NONE};
}

static inline double heightOver(const RimCorner* corner, uint32_t side, double half) {
    double place = (side & 1) != 0 ? corner->u : corner->v;
    return (side == 1 || side == 2 ? place : -place) - half;
}

static bool isAnyOver(const RimCorner* corners, uint32_t count, uint32_t side, double half) {
    bool isOver = false;
    for (uint32_t i = 0; i < count; ++i)
        isOver |= heightOver(&corners[i], side, half) > 0;
    return isOver;
}

// Keeps what is not above 0.
static uint32_t cutSide(const RimCorner* from, uint32_t count, uint32_t side, double half, RimCorner* to) {
    const RimCorner* last = &from[count - 1];
    double before = heightOver(last, side, half);
    uint32_t made = 0;
    for (uint32_t i = 0; i < count; ++i) {
        double height = heightOver(&from[i], side, half);
        if ((before <= 0) != (height <= 0)) {
            to[made] = cutBetween(last, &from[i], before, height);
            if (before <= 0)
                to[made].line = RIM_SIDE | side;
            ++made;
        }
        if (height <= 0)
            to[made++] = from[i];
        last = &from[i];
        before = height;
    }
    return made;
}

const RimCorner* grzRim_Cut(Rim* rim, uint32_t* count, double halfU, double halfV) {
    RimCorner *from = rim->corners, *to = rim->scratch;
    for (uint32_t side = 0; side < 4 && *count > 0; ++side) {
        double half = (side & 1) != 0 ? halfU : halfV;
        if (!isAnyOver(from, *count, side, half))
            continue;
        *count = cutSide(from, *count, side, half, to);
        RimCorner* swapped = from;
        from = to, to = swapped;
    }
    return from;
}

void grzRim_Name(const RimCorner* corner, uint32_t lineBefore, uint32_t referenceFace, uint32_t incidentFace,
                 ClipPoint* point) {
    bool isFirst = (lineBefore & RIM_SIDE) != 0, isSecond = (corner->line & RIM_SIDE) != 0;
    uint32_t i = lineBefore & ~RIM_SIDE, k = corner->line & ~RIM_SIDE;
    const uint8_t* corners = quickFaceCorners[referenceFace];
    point->reference = grzMakeFeature(grz_faceFeature, referenceFace);
    point->incident = grzMakeFeature(grz_faceFeature, incidentFace);
    if (corner->vertex != RIM_NONE) {
        point->incident = grzMakeFeature(grz_vertexFeature, corner->vertex);
    } else if (isFirst && isSecond) {
        if (k == ((i + 1) & 3))
            point->reference = grzMakeFeature(grz_vertexFeature, corners[k]);
        else if (i == ((k + 1) & 3))
            point->reference = grzMakeFeature(grz_vertexFeature, corners[i]);
    } else if (isFirst || isSecond) {
        uint32_t side = isFirst ? i : k;
        point->reference = grzMakeFeature(grz_edgeFeature, quickFaceEdges[referenceFace][side]);
        point->incident = grzMakeFeature(grz_edgeFeature, isFirst ? k : i);
    }
}
