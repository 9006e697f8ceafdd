// What: the nearest point of a triangle.
// Idea: over the face where the point is on the inner side of all edges; else on the nearest of the edges that it is on the outer side
//   of, since the way to any other one would lead through the triangle. The sides are told by cross products, which keep more digits
//   of slivers than products of lengths do. Of a triangle without area all edges are looked at.
#include "nearest.h"

// Takes the edge from corner k to the next one, where its nearest point is nearer than the best so far.
static void takeEdge(const grzVec3d corners[3], int k, grzVec3d p, double* bestSq, double weights[3]) {
    const grzVec3d edge = grzVec3d_Sub(corners[(k + 1) % 3], corners[k]), from = grzVec3d_Sub(p, corners[k]);
    const double s = grzNearest_OnSegment(from, edge);
    const double distanceSq = grzVec3d_LengthSq(grzVec3d_AddScaled(from, -s, edge));
    if (!(distanceSq < *bestSq))
        return;
    *bestSq = distanceSq;
    weights[k] = 1 - s;
    weights[(k + 1) % 3] = s;
    weights[(k + 2) % 3] = 0;
}

void grzNearest_OnTriangle(const grzVec3d corners[3], grzVec3d p, double weights[3]) {
    const grzVec3d ab = grzVec3d_Sub(corners[1], corners[0]), ac = grzVec3d_Sub(corners[2], corners[0]);
    const grzVec3d ap = grzVec3d_Sub(p, corners[0]), normal = grzVec3d_Cross(ab, ac);
    const double area = grzVec3d_LengthSq(normal);
    // The parts of the area of corners 1, 2 and 0, each of which is below 0 beyond the edge across.
    const double v = grzVec3d_Dot(grzVec3d_Cross(ap, ac), normal);
    const double w = grzVec3d_Dot(grzVec3d_Cross(ab, ap), normal), u = area - (v + w);
    const bool hasArea = area > 0;
    if (hasArea && u >= 0 && v >= 0 && w >= 0) {
        weights[1] = v / area;
        weights[2] = w / area;
        weights[0] = 1 - weights[1] - weights[2];
        return;
    }
    double bestSq = (double)INFINITY;
    weights[0] = 1, weights[1] = weights[2] = 0;
    if (!hasArea || w < 0)
        takeEdge(corners, 0, p, &bestSq, weights);
    if (!hasArea || u < 0)
        takeEdge(corners, 1, p, &bestSq, weights);
    if (!hasArea || v < 0)
        takeEdge(corners, 2, p, &bestSq, weights);
}
