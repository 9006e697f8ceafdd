// What: counts the slivers of a mesh: shortest height below a ratio of the longest edge.
// Promise: right to within a few ulp for finite numbers of any size and ratios above 2^-300, because a triangle
//          that is very large or very small is first brought to size 1 by a power of two. Triangles whose corners
//          are one point have neither height nor edge and are not counted.
// Cost: O(T), some 30 ns a triangle, by OpenMP's threads where there are many.
#include "mesh_parts.h"

#include <math.h>

#include "openmp.h"
#include "refuse_null.h"
#include "vec3d.h"

// The sides of the triangle times `scale`, and the largest of their components.
static double loadSides(const grzMeshCorners* corners, double scale, double sides[3][3]) {
    double largest = 0;
    for (int k = 0; k < 3; ++k) {
        for (int axis = 0; axis < 3; ++axis) {
            sides[k][axis] = corners->at[(k + 1) % 3][axis] * scale - corners->at[k][axis] * scale;
            largest = fmax(largest, fabs(sides[k][axis]));
        }
    }
    return largest;
}

// The sides, times a power of two where their size asks for it: fourth powers of the lengths then neither overflow
// nor underflow where it could matter. False where all corners are one point.
static bool loadScaledSides(const grzMeshView* view, uint32_t triangle, double sides[3][3]) {
    grzMeshCorners corners;
    grzMesh_LoadCorners(view, triangle, &corners);
    double largest = loadSides(&corners, 1, sides);
    if (!isfinite(largest)) // the difference of two doubles may overflow; that of their halves does not
        largest = loadSides(&corners, 0.5, sides);
    if (largest == 0)
        return false;
    if (largest > 0x1p-100 && largest < 0x1p100)
        return true;
    const int exponent = ilogb(largest);
    for (int k = 0; k < 3; ++k)
        for (int axis = 0; axis < 3; ++axis)
            sides[k][axis] = scalbn(sides[k][axis], -exponent);
    return true;
}

// Shortest height over longest edge, which is doubled area over longest edge squared.
static double flatness(double sides[3][3]) {
    double normal[3], longestSq = 0;
    grzRow_Cross(sides[0], sides[2], normal);
    for (int k = 0; k < 3; ++k)
        longestSq = fmax(longestSq, grzRow_Dot(sides[k], sides[k]));
    return sqrt(grzRow_Dot(normal, normal)) / longestSq;
}

uint32_t grzMesh_CountSlivers(const grzMesh* mesh, double ratio) {
    GRZ_RETURN_IF_NULL(mesh, 0);
    const grzMeshView* view = &mesh->view;
    const uint32_t triangleCount = view->triangleCount;
    uint32_t count = 0;
    GRZ_OMP_PARALLEL_FOR(if (grzMesh_IsWorthATeam(view)) reduction(+ : count))
    for (uint32_t t = 0; t < triangleCount; ++t) {
        double sides[3][3];
        count += loadScaledSides(view, t, sides) && flatness(sides) < ratio;
    }
    return count;
}
