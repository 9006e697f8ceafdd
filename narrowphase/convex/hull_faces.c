// What: gathers the triangles of a hull into faces.
// Promise: a group's vertices lie within the tolerance of the plane of its largest triangle; its triangles hang
//   together and its rim is one loop that meets no vertex twice.
// Idea: from the largest triangle not yet in a group, go across edges to triangles that lie in its plane. A vertex
//   between one or two groups is no corner of the solid: it lies inside a face or along an edge, mostly to within the
//   tolerance. The hull of the others is then made instead, and has fewer vertices. Where the solid misses a dropped
//   vertex after all (two groups may meet at so sharp an edge that their planes say nothing of where it ends), the
//   builder takes it again; then its triangles stay groups of their own, so that it is a corner. A vertex is dropped
//   once at most, so this ends.
//
//        o-----o-----o         o-----------o
//        | \   |   / |         |           |
//        |   \ | /   |   ->    |           |         two groups only meet at the vertex in the middle of
//        o-----o-----o         o-----------o         the lower side: it is dropped
//
// Cost: O(triangles * vertices), at most 252 times 128.
#include <math.h>

#include "check.h"
#include "hull_inside.h"

static double areaOf(const HullBuild* build, const HullTriangle* triangle) {
    grzVec3d a = build->points[triangle->v[0]];
    grzVec3d u = grzVec3d_Sub(build->points[triangle->v[1]], a), v = grzVec3d_Sub(build->points[triangle->v[2]], a);
    return grzVec3d_Length(grzVec3d_Cross(u, v));
}

// The first of the largest.
static uint32_t findSeed(const HullBuild* build) {
    uint32_t seed = HULL_NONE;
    double most = -1;
    for (uint32_t t = 0; t < build->triangleCount; ++t) {
        double area = build->triangles[t].group == HULL_NONE ? areaOf(build, &build->triangles[t]) : -1;
        if (area > most) {
            most = area;
            seed = t;
        }
    }
    return seed;
}

// A sixth of a right angle: what turns more is an edge, however small the triangle.
static bool isInPlane(const HullBuild* build, const HullTriangle* seed, const HullTriangle* other) {
    if (grzVec3d_Dot(seed->normal, other->normal) < 0.966)
        return false;
    for (uint32_t k = 0; k < 3; ++k)
        if (fabs(grzVec3d_Dot(seed->normal, build->points[other->v[k]]) - seed->offset) > build->tolerance)
            return false;
    return true;
}

// Whether a vertex was dropped in an earlier round and is back, for the solid without it does not reach far enough.
static bool hasKept(const HullBuild* build, const HullTriangle* triangle) {
    return ((build->marks[triangle->v[0]] | build->marks[triangle->v[1]] | build->marks[triangle->v[2]]) &
            hullDropped) != 0;
}

static void growGroup(HullBuild* build, uint32_t seed, uint32_t group) {
    uint32_t top = 0;
    build->triangles[seed].group = group;
    if (!hasKept(build, &build->triangles[seed]))
        build->horizon[top++] = seed;
    while (top > 0) {
        uint32_t t = build->horizon[--top];
        for (uint32_t k = 0; k < 3; ++k) {
            uint32_t next = build->triangles[t].to[k];
            HullTriangle* other = &build->triangles[next];
            if (other->group == HULL_NONE && !hasKept(build, other) &&
                isInPlane(build, &build->triangles[seed], other)) {
                other->group = group;
                build->horizon[top++] = next;
            }
        }
    }
}

// Whether each vertex begins at most one edge of the rim, and all are one loop.
static bool hasSimpleRim(HullBuild* build, uint32_t group) {
    uint32_t count = 0, first = HULL_NONE;
    bool isSimple = true;
    for (uint32_t t = 0; t < build->triangleCount; ++t)
        for (uint32_t k = 0; build->triangles[t].group == group && k < 3; ++k) {
            const HullTriangle* triangle = &build->triangles[t];
            if (build->triangles[triangle->to[k]].group == group)
                continue;
            first = triangle->v[k];
            isSimple &= build->following[first] == HULL_NONE;
            build->following[first] = triangle->v[hullNext(k)];
            build->horizon[count++] = first;
        }
    uint32_t at = first, length = 0;
    while (isSimple && length < count && (length == 0 || at != first)) {
        at = build->following[at];
        length++;
    }
    for (uint32_t i = 0; i < count; ++i)
        build->following[build->horizon[i]] = HULL_NONE;
    return isSimple && length == count && at == first;
}

// Its triangles become groups of their own.
static void splitGroup(HullBuild* build, uint32_t group, uint32_t* groupCount) {
    bool isFirst = true;
    for (uint32_t t = 0; t < build->triangleCount; ++t) {
        if (build->triangles[t].group != group)
            continue;
        if (!isFirst)
            build->triangles[t].group = (*groupCount)++;
        isFirst = false;
    }
}

// Whether the vertex lies between three groups or more. The first two that are met, then any other.
static bool isCorner(const HullBuild* build, uint32_t vertex) {
    uint32_t first = HULL_NONE, second = HULL_NONE;
    for (uint32_t t = 0; t < build->triangleCount; ++t) {
        const HullTriangle* triangle = &build->triangles[t];
        if (triangle->v[0] != vertex && triangle->v[1] != vertex && triangle->v[2] != vertex)
            continue;
        if (first == HULL_NONE)
            first = triangle->group;
        else if (second == HULL_NONE && triangle->group != first)
            second = triangle->group;
        else if (triangle->group != first && triangle->group != second)
            return true;
    }
    return false;
}

// The corners, in the order of the input. The other vertices are marked.
static size_t listCorners(HullBuild* build) {
    size_t count = 0;
    for (uint32_t t = 0; t < build->triangleCount; ++t)
        for (uint32_t k = 0; k < 3; ++k)
            build->following[build->triangles[t].v[k]] = 0;
    for (uint32_t p = 0; p < build->pointCount; ++p) {
        if (build->following[p] == HULL_NONE)
            continue;
        build->following[p] = HULL_NONE;
        if (isCorner(build, p))
            build->active[count++] = p;
        else
            build->marks[p] |= hullDropped;
    }
    return count;
}

uint32_t grzHullBuild_Group(HullBuild* build, uint32_t* groupCount) {
    *groupCount = 0;
    for (uint32_t t = 0; t < build->triangleCount; ++t)
        build->triangles[t].group = HULL_NONE;
    for (uint32_t seed = findSeed(build); seed != HULL_NONE; seed = findSeed(build))
        growGroup(build, seed, (*groupCount)++);
    for (uint32_t group = 0, end = *groupCount; group < end; ++group)
        if (!hasSimpleRim(build, group))
            splitGroup(build, group, groupCount);
    build->activeCount = listCorners(build);
    uint32_t dropped = build->vertexCount - (uint32_t)build->activeCount;
    return dropped;
}
