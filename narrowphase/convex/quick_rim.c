// What: the features of corners where a quad or a segment meets a rectangle.
// Promise: as convex_clip.c: each corner knows the two lines that it lies between, and so the features that made it.
#include "quick_rim.h"

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
