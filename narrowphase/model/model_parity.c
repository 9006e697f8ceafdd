// What: the parity of a way out, by exact signs.
// Idea: the way is a segment from the point p to a point q outside of the model's box. It goes through the inside of a triangle
//   abc where p and q are strictly on either side of its plane and the volumes pqab, pqbc, pqca have one sign; it
//   misses it where two of these differ. Where none differs but one is 0 the way goes through an edge or a corner, and where all
//   of p, q, a, b, c are in one plane it may run along it: then another q is taken. As soon as one way is clean the number of
//   triangles gone through tells.
//
//   p in the plane of abc, q not: they meet at p or nowhere, so p is on the triangle or nothing was gone through. q in the
//   plane, p not: q is outside of the box, so nothing was gone through.
//   A triangle without area has no inside to go through. Where the way meets it, it meets an edge of a neighbour that has area,
//   or no such is near, and then it bounds nothing.
//
//   Targets: a bad q is in one of finitely many planes through p. Those tried lie beyond a face of the box, in directions
//   from a generator, farther and farther out, so that coarse floats leave room as well.
// Holds: boxes are passed over only where double surely tells that the segment misses them.
// Cost: some microseconds.
// Based on: [Edelsbrunner and Muecke, Simulation of Simplicity, TOG 1990] for the cases; we differ: another ray, no perturbation.
#include "model_parity.h"

#include <math.h>

#include "graze/tri_tri.h"
#include "rng.h"
#include "tri_pair.h"

enum {
    TRIES = 512,
    STACK_SIZE = 7 * (GRZ_BVH_MAX_LEVELS + 1) + GRZ_BVH_WIDTH + 1, // seven for each level, and eight
};

typedef struct Way {
    grzVec3 from, to;
    double middle[3], half[3]; // of the segment; half: from the middle to its end
} Way;

// ---- a triangle ----

static bool isFlat(const TriPair* pair) {
    return grzTriPair_AreaSign(pair, 0, 0, 1, 2) == 0 && grzTriPair_AreaSign(pair, 1, 0, 1, 2) == 0 &&
           grzTriPair_AreaSign(pair, 2, 0, 1, 2) == 0;
}

static bool isOn(const grzVec3 corners[3], grzVec3 p) {
    const grzVec3 points[3] = {p, p, p};
    return grzTriTri_Classify(corners, points) != grz_triNone;
}

static void setPoint(TriPair* pair, int i, grzVec3 p) {
    pair->points[i][0] = (double)p.x;
    pair->points[i][1] = (double)p.y;
    pair->points[i][2] = (double)p.z;
}

// Of a triangle whose plane is between the ends.
static ModelPassing passBetween(const TriPair* pair) {
    bool isAbove = false, isBelow = false, isAt = false;
    for (int i = 0; i < 3; ++i) {
        const int sign = grzTriPair_VolumeSign(pair, i, (i + 1) % 3, 3, 4);
        isAbove = isAbove || sign > 0;
        isBelow = isBelow || sign < 0;
        isAt = isAt || sign == 0;
    }
    if (isAbove && isBelow)
        return passing_isClear;
    return isAt ? passing_isUnclear : passing_goesThrough;
}

static ModelPassing passTriangle(const Way* way, const grzVec3 corners[3]) {
    TriPair pair;
    for (int i = 0; i < 3; ++i)
        setPoint(&pair, i, corners[i]);
    setPoint(&pair, 3, way->from);
    setPoint(&pair, 4, way->to);
    setPoint(&pair, 5, way->to);
    grzTriPair_SetBounds(&pair);
    const int start = grzTriPair_VolumeSign(&pair, 0, 1, 2, 3);
    if (start == 0 && isOn(corners, way->from))
        return passing_startsOn;
    const int end = grzTriPair_VolumeSign(&pair, 0, 1, 2, 4);
    if (start == 0 && end == 0)
        return isFlat(&pair) ? passing_isClear : passing_isUnclear;
    return start * end < 0 ? passBetween(&pair) : passing_isClear;
}

// ---- boxes ----

// Whether the segment surely misses the box: along an axis, or along an axis across the segment.
static bool missesBox(const Way* way, grzBox box) {
    double middle[3], half[3];
    for (int i = 0; i < 3; ++i) {
        const double lower = (double)grzVec3_Get(box.lower, i), upper = (double)grzVec3_Get(box.upper, i);
        middle[i] = way->middle[i] - 0.5 * (lower + upper);
        half[i] = 0.5 * (upper - lower);
        const double radius = half[i] + fabs(way->half[i]);
        if (fabs(middle[i]) > radius + 0x1p-48 * (radius + fabs(lower) + fabs(upper) + fabs(way->middle[i])))
            return true;
    }
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        const double left = way->half[j] * middle[k], right = way->half[k] * middle[j];
        const double radius = half[j] * fabs(way->half[k]) + half[k] * fabs(way->half[j]);
        const double sizes = fabs(way->half[j]) * (fabs(way->middle[k]) + half[k] + fabs(middle[k])) +
                             fabs(way->half[k]) * (fabs(way->middle[j]) + half[j] + fabs(middle[j]));
        if (fabs(left - right) > radius + 0x1p-46 * sizes)
            return true;
    }
    return false;
}

static ModelPassing passLeaf(const PlacedModel* placed, const Way* way, uint32_t leaf, uint32_t* crossings) {
    for (uint32_t k = 0; k < placed->model->leaves[leaf].count; ++k) {
        grzVec3 corners[3];
        grzPlaced_Triangle(placed, leaf, k, corners);
        const ModelPassing passing = passTriangle(way, corners);
        if (passing == passing_isUnclear || passing == passing_startsOn)
            return passing;
        *crossings += passing == passing_goesThrough;
    }
    return passing_isClear;
}

typedef struct Entry {
    uint32_t level, index;
} Entry;

static Way makeWay(grzVec3 from, grzVec3 to) {
    Way way = {from, to, {0, 0, 0}, {0, 0, 0}};
    for (int i = 0; i < 3; ++i) {
        const double p = (double)grzVec3_Get(from, i), q = (double)grzVec3_Get(to, i);
        way.middle[i] = 0.5 * (p + q);
        way.half[i] = 0.5 * (q - p);
    }
    return way;
}

ModelPassing grzPlaced_Pass(const PlacedModel* placed, grzVec3 from, grzVec3 to, uint32_t* crossings) {
    const grzBvhView view = grzBvh_GetView(placed->model->bvh);
    const Way way = makeWay(from, to);
    Entry stack[STACK_SIZE];
    uint32_t count = 1;
    stack[0] = (Entry){0, 0};
    *crossings = 0;
    while (count != 0) {
        const Entry entry = stack[--count];
        if (entry.level == placed->model->leafLevel) {
            const ModelPassing passing = passLeaf(placed, &way, entry.index, crossings);
            if (passing != passing_isClear)
                return passing;
            continue;
        }
        const uint32_t children = grzBvhView_ChildCount(&view, entry.level, entry.index);
        for (uint32_t k = 0; k < children; ++k) {
            const Entry child = {entry.level + 1, entry.index * GRZ_BVH_WIDTH + k};
            if (!missesBox(&way, grzPlaced_Box(placed, child.level, child.index)))
                stack[count++] = child;
        }
    }
    return passing_isClear;
}

// ---- the way out ----

// Strictly outside of the box, beyond the face that is nearest; later targets beyond the others in turn.
static grzVec3 pickTarget(grzBox box, grzVec3 from, uint32_t trial, grzRng* rng) {
    // What floats near the point tell apart is a part of the size.
    const float size = grzMaxElement(grzBox_Extent(box)) + 0x1p-20F * grzMaxElement(grzAbs(from)) + 0x1p-100F;
    const float reach = size * (0.25F + ldexpf(1, (int)(trial < 240 ? trial / 8 : 30)));
    float to[3], nearest = (float)INFINITY;
    int face = 0;
    for (int i = 0; i < 6; ++i) {
        const float way = i < 3 ? grzVec3_Get(box.upper, i) - grzVec3_Get(from, i)
                                : grzVec3_Get(from, i - 3) - grzVec3_Get(box.lower, i - 3);
        face = way < nearest ? i : face;
        nearest = way < nearest ? way : nearest;
    }
    face = (face + (int)(trial / 4)) % 6;
    for (int i = 0; i < 3; ++i)
        to[i] = grzVec3_Get(from, i) + 0.3F * reach * (grzRng_Float(rng) - 0.5F);
    const int axis = face % 3;
    to[axis] = face < 3 ? grzVec3_Get(box.upper, axis) + 0.5F * reach : grzVec3_Get(box.lower, axis) - 0.5F * reach;
    return grzVec3_Load(to);
}

ModelPlace grzPlaced_Locate(const PlacedModel* placed, grzBox box, grzVec3 point) {
    if (!grzBox_ContainsPoint(box, point))
        return place_outside;
    grzRng rng = grzRng_Make(1, 1);
    for (uint32_t trial = 0; trial < TRIES; ++trial) {
        const grzVec3 target = pickTarget(box, point, trial, &rng);
        uint32_t crossings;
        if (grzBox_ContainsPoint(box, target))
            continue;
        const ModelPassing passing = grzPlaced_Pass(placed, point, target, &crossings);
        if (passing == passing_startsOn)
            return place_on;
        if (passing == passing_isClear)
            return (crossings & 1) != 0 ? place_inside : place_outside;
    }
    return place_unknown;
}
