// What: cuts a loop of corners by the four sides of a rectangle.
// Promise: as convex_clip.c: each corner knows the two lines that it lies between, and so the features that made it.
// Idea: in the rectangle's own coordinates a side is one compare, and most sides cut nothing. Corners carry their
//   place on the incident face along, from which point and height follow without another rounding.
// Based on: [Sutherland, Hodgman, Reentrant Polygon Clipping, CACM 1974].
#include "quick_rim.h"

static inline float heightOver(const RimCorner* corner, uint32_t side, float half) {
    float place = corner->place[(side & 1) != 0 ? rimU : rimV];
    return (side == 1 || side == 2 ? place : -place) - half;
}

static inline void copyCorner(RimCorner* to, const RimCorner* from) {
    grzLanes_Store(to->place, grzLanes_Load(from->place));
    to->line = from->line;
    to->vertex = from->vertex;
}

static inline void cutBetween(RimCorner* cut, const RimCorner* p, const RimCorner* q, float t) {
    grzLanes from = grzLanes_Load(p->place), to = grzLanes_Load(q->place);
    grzLanes_Store(cut->place,
                   grzLanes_Add(grzLanes_Mul(from, grzLanes_Splat(1 - t)), grzLanes_Mul(to, grzLanes_Splat(t))));
    cut->vertex = RIM_NONE;
}

// Keeps what is not above 0.
static uint32_t cutSide(const RimCorner* from, uint32_t count, uint32_t side, float half, RimCorner* to) {
    const RimCorner* last = &from[count - 1];
    float before = heightOver(last, side, half);
    uint32_t made = 0;
    for (uint32_t i = 0; i < count; ++i) {
        float height = heightOver(&from[i], side, half);
        if ((before <= 0) != (height <= 0)) {
            cutBetween(&to[made], last, &from[i], before / (before - height));
            to[made++].line = before <= 0 ? RIM_SIDE | side : last->line;
        }
        if (height <= 0)
            copyCorner(&to[made++], &from[i]);
        last = &from[i];
        before = height;
    }
    return made;
}

// Bit k is set where a corner lies beyond side k.
static uint32_t sidesOver(const RimCorner* corners, uint32_t count, float halfU, float halfV) {
    grzLanes lower = grzLanes_Load(corners[0].place), upper = lower;
    for (uint32_t i = 1; i < count; ++i) {
        lower = grzLanes_Min(lower, grzLanes_Load(corners[i].place));
        upper = grzLanes_Max(upper, grzLanes_Load(corners[i].place));
    }
    float least[4], most[4];
    grzLanes_Store(least, lower);
    grzLanes_Store(most, upper);
    return (uint32_t)(least[rimV] < -halfV) | (uint32_t)(most[rimU] > halfU) << 1 |
           (uint32_t)(most[rimV] > halfV) << 2 | (uint32_t)(least[rimU] < -halfU) << 3;
}

const RimCorner* grzRim_Cut(Rim* rim, uint32_t* count, float halfU, float halfV) {
    RimCorner *from = rim->corners, *to = rim->scratch;
    uint32_t over = sidesOver(from, *count, halfU, halfV);
    for (uint32_t side = 0; side < 4 && *count > 0; ++side) {
        if ((over >> side & 1) == 0)
            continue;
        *count = cutSide(from, *count, side, (side & 1) != 0 ? halfU : halfV, to);
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
