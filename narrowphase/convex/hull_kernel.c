// What: the farthest vertex of a hull, and the edge that crosses a given one best.
// Promise: the same answer at every SIMD level: lanes only split the work, ties go to the lower index.
// Idea: the faces on either side of an edge span an arc on the sphere of normals. Two edges can be the closest
//   features, or those of least depth, only where the arc of one crosses that of the other turned about: four
//   products of signs, which most pairs fail [Gregorius, The Separating Axis Test between Convex Polyhedra, GDC
//   2013]. Only the few that pass need a cross product and a root; here all lanes take it together.
#include "hull_kernel.h"

#include "check.h"
#include "lane_vec3.h"

static const int32_t firstLanes[8] = {0, 1, 2, 3, 4, 5, 6, 7};

enum { supportMost = GRZ_HULL_MOST_VERTICES };

static inline double larger(double a, double b) {
    return a > b ? a : b;
}

// First the largest value, then the first vertex that has it: no index goes along with the values, and no branch hangs on them.
uint32_t GRZ_KERNEL(grzHullSupport)(const float* coordinates, uint32_t count, grzVec3d direction) {
    const grzD8 x = grzD8_Set1(direction.x), y = grzD8_Set1(direction.y), z = grzD8_Set1(direction.z);
    grzD8 best = grzD8_Set1(-(double)INFINITY);
    _Alignas(64) double values[supportMost];
    GRZ_ASSERT(count <= supportMost);
    for (uint32_t i = 0; i < count; i += 8) {
        grzD8 value = grzD8_Mul(grzD8_FromFloat(grzF8_LoadAligned(coordinates + i)), x);
        value = grzD8_Add(value, grzD8_Mul(grzD8_FromFloat(grzF8_LoadAligned(coordinates + count + i)), y));
        value = grzD8_Add(value, grzD8_Mul(grzD8_FromFloat(grzF8_LoadAligned(coordinates + 2 * count + i)), z));
        best = grzD8_Max(value, best);
        grzD8_Store(values + i, value);
    }
    double v[8];
    grzD8_Store(v, best);
    const double most =
        larger(larger(larger(v[0], v[1]), larger(v[2], v[3])), larger(larger(v[4], v[5]), larger(v[6], v[7])));
    for (uint32_t i = 0; i < count; i += 8) {
        const uint32_t bits = grzM8_Bits(grzD8_GreaterEqual(grzD8_Load(values + i), grzD8_Set1(most)));
        if (bits != 0)
            return i + (uint32_t)__builtin_ctz(bits);
    }
    return 0; // no number was one
}

GRZ_LANE_VEC3(Wide3, grzF8, grzM8)

GRZ_SIMD_INLINE Wide3 loadWide(const float* arcs, uint32_t stride, uint32_t part, uint32_t i) {
    const float* from = arcs + (size_t)part * stride + i;
    return (Wide3){grzF8_LoadAligned(from), grzF8_LoadAligned(from + stride), grzF8_LoadAligned(from + 2 * stride)};
}

GRZ_SIMD_INLINE Wide3 splat(const float* from) {
    return (Wide3){grzF8_Set1(from[0]), grzF8_Set1(from[1]), grzF8_Set1(from[2])};
}

uint32_t GRZ_KERNEL(grzHullEdges)(const float* arcs, uint32_t stride, uint32_t count, const HullArc* arc,
                                  float* separation) {
    const Wide3 from = splat(arc->parts + hullArcX), direction = splat(arc->parts + hullArcDirection);
    const Wide3 left = splat(arc->parts + hullArcLeft), right = splat(arc->parts + hullArcRight);
    const grzF8 zero = grzF8_Zero(), lengthSq = Wide3_Dot(direction, direction);
    grzF8 best = grzF8_Set1(-INFINITY);
    grzI8 index = grzI8_Load(firstLanes), where = grzI8_Set1(INT32_MAX);
    for (uint32_t i = 0; i < count; i += 8, index = grzI8_Add(index, grzI8_Set1(8))) {
        Wide3 otherDirection = loadWide(arcs, stride, hullArcDirection, i);
        grzF8 c = Wide3_Dot(loadWide(arcs, stride, hullArcLeft, i), direction);
        grzF8 d = Wide3_Dot(loadWide(arcs, stride, hullArcRight, i), direction);
        grzF8 a = Wide3_Dot(left, otherDirection), b = Wide3_Dot(right, otherDirection);
        grzM8 crosses = grzM8_And(grzF8_Less(grzF8_Mul(c, d), zero), grzF8_Less(grzF8_Mul(a, b), zero));
        crosses = grzM8_And(crosses, grzF8_Less(grzF8_Mul(c, b), zero));
        if (!grzM8_Any(crosses))
            continue;
        Wide3 axis = Wide3_Cross(direction, otherDirection);
        grzF8 sizeSq = Wide3_Dot(axis, axis),
              scale = grzF8_Mul(lengthSq, Wide3_Dot(otherDirection, otherDirection));
        crosses = grzM8_And(crosses, grzF8_Greater(sizeSq, grzF8_Mul(scale, grzF8_Set1(1e-8f))));
        grzF8 gap =
            grzF8_Div(Wide3_Dot(axis, Wide3_Sub(loadWide(arcs, stride, hullArcX, i), from)), grzF8_Sqrt(sizeSq));
        // The axis points outward where it goes with the arc's normals.
        grzF8 outward = grzF8_Add(Wide3_Dot(axis, left), Wide3_Dot(axis, right));
        gap = grzF8_Select(grzF8_Less(outward, zero), grzF8_Negate(gap), gap);
        crosses = grzM8_And(crosses, grzF8_Greater(gap, best));
        best = grzF8_Select(crosses, gap, best);
        where = grzI8_Select(crosses, index, where);
    }
    *separation = grzF8_ReduceMax(best);
    grzM8 isBest = grzF8_Equal(best, grzF8_Set1(*separation));
    int32_t found = grzI8_ReduceMin(grzI8_Select(isBest, where, grzI8_Set1(INT32_MAX)));
    return found == INT32_MAX ? HULL_NONE : (uint32_t)found;
}
