// What: clips triangles against the grid of a box.
// Promise: the areas of all cells add up to what of the triangles lies in the box, each part once.
// Idea: a polygon is cut at a plane into what is below and what is above. Slices along x are cut along y, and these along z, so
//   that a cut is shared by all the cells behind it.
// Holds: a triangle and six planes make nine corners at most.
// Based on: [Klein and Zachmann, Time-Critical Collision Detection Using an Average-Case Approach, VRST 2003] definitions 1
//   and 2, section 3.4.3.
#include "adb_cells.h"

#include <math.h>
#include <string.h>

enum { MOST_CORNERS = 12 };

#define THINNEST (1.0 / 64)

AdbBox grzAdbBox_Thicken(const double lower[3], const double upper[3], double least) {
    AdbBox box;
    double longest = 0;
    for (int i = 0; i < 3; ++i) {
        box.center[i] = 0.5 * (lower[i] + upper[i]);
        box.half[i] = 0.5 * (upper[i] - lower[i]);
        longest = fmax(longest, box.half[i]);
    }
    for (int i = 0; i < 3; ++i)
        box.half[i] = fmax(box.half[i], fmax(THINNEST * longest, 0.5 * least));
    return box;
}

// [Klein 2003] section 3.2: the area of the largest polygon in a cuboid of sides a >= b >= c, a sqrt(b^2 + c^2). For a cube,
// a^2 sqrt(2).
static double maxArea(const double sides[3]) {
    const double longest = fmax(sides[0], fmax(sides[1], sides[2]));
    const double all = sides[0] * sides[0] + sides[1] * sides[1] + sides[2] * sides[2];
    return longest * sqrt(all - longest * longest);
}

AdbGrid grzAdbGrid_Make(const AdbBox* box, uint32_t resolution, double areaFactor) {
    AdbGrid grid;
    grid.resolution = resolution;
    for (int i = 0; i < 3; ++i) {
        grid.lower[i] = box->center[i] - box->half[i];
        grid.step[i] = 2 * box->half[i] / resolution;
    }
    grid.area = areaFactor * maxArea(grid.step); // "suitably chosen", definition 3
    return grid;
}

// ------------------------------------------------------------------------------------------------------- clipping

typedef struct Polygon {
    double at[MOST_CORNERS][3];
    int count;
} Polygon;

static void append(Polygon* polygon, const double p[3]) {
    memcpy(polygon->at[polygon->count++], p, sizeof polygon->at[0]);
}

static void range(const Polygon* polygon, int axis, double ends[2]) {
    ends[0] = ends[1] = polygon->count != 0 ? polygon->at[0][axis] : 0;
    for (int k = 1; k < polygon->count; ++k) {
        ends[0] = fmin(ends[0], polygon->at[k][axis]);
        ends[1] = fmax(ends[1], polygon->at[k][axis]);
    }
}

// A polygon in the plane goes above where `above` takes ties.
static void cut(const Polygon* polygon, int axis, double plane, bool aboveTakesTies, Polygon* below,
                Polygon* above) {
    double ends[2];
    range(polygon, axis, ends);
    below->count = above->count = 0;
    if (ends[1] <= plane && !(aboveTakesTies && ends[0] == plane)) {
        *below = *polygon;
        return;
    }
    if (ends[0] >= plane) {
        *above = *polygon;
        return;
    }
    for (int k = 0; k < polygon->count; ++k) {
        const double *p = polygon->at[k], *q = polygon->at[(k + 1) % polygon->count];
        if (p[axis] <= plane)
            append(below, p);
        if (p[axis] >= plane)
            append(above, p);
        if ((p[axis] < plane && q[axis] > plane) || (p[axis] > plane && q[axis] < plane)) {
            double crossing[3];
            const double part = (plane - p[axis]) / (q[axis] - p[axis]);
            for (int i = 0; i < 3; ++i)
                crossing[i] = i == axis ? plane : p[i] + part * (q[i] - p[i]);
            append(below, crossing);
            append(above, crossing);
        }
    }
}

static double areaOf(const Polygon* polygon) {
    double sum[3] = {0, 0, 0};
    for (int k = 1; k + 1 < polygon->count; ++k) {
        double e[3], f[3];
        for (int i = 0; i < 3; ++i) {
            e[i] = polygon->at[k][i] - polygon->at[0][i];
            f[i] = polygon->at[k + 1][i] - polygon->at[0][i];
        }
        for (int i = 0; i < 3; ++i)
            sum[i] += e[(i + 1) % 3] * f[(i + 2) % 3] - e[(i + 2) % 3] * f[(i + 1) % 3];
    }
    return 0.5 * sqrt(sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2]);
}

static uint32_t sliceOf(const AdbGrid* grid, int axis, double at) {
    const double slice = floor((at - grid->lower[axis]) / grid->step[axis]);
    return slice <= 0 ? 0 : slice >= grid->resolution ? grid->resolution - 1 : (uint32_t)slice;
}

// Along x, then y, then z; `base` is the number of the cells' first.
static void addSlices(const AdbGrid* grid, const Polygon* polygon, int axis, uint32_t base, double* areas) {
    const uint32_t n = grid->resolution, stride = axis == 0 ? 1 : axis == 1 ? n : n * n;
    double ends[2];
    Polygon rest = *polygon, slice, above;
    range(polygon, axis, ends);
    const uint32_t first = sliceOf(grid, axis, ends[0]), last = sliceOf(grid, axis, ends[1]);
    for (uint32_t i = first; i <= last && rest.count != 0; ++i) {
        if (i == last)
            slice = rest;
        else
            cut(&rest, axis, grid->lower[axis] + (i + 1) * grid->step[axis], true, &slice, &above), rest = above;
        if (slice.count != 0 && axis == 2)
            areas[base + i * stride] += areaOf(&slice);
        else if (slice.count != 0)
            addSlices(grid, &slice, axis + 1, base + i * stride, areas);
    }
}

double grzAdbGrid_Add(const AdbGrid* grid, const double corners[9], double* areas) {
    Polygon polygon = {.count = 3}, below, above;
    memcpy(polygon.at, corners, 9 * sizeof *corners);
    for (int axis = 0; axis < 3; ++axis) { // most triangles of a walk to the leaves are outside
        double ends[2];
        range(&polygon, axis, ends);
        if (ends[1] < grid->lower[axis] || ends[0] > grid->lower[axis] + grid->resolution * grid->step[axis])
            return 0;
    }
    for (int axis = 0; axis < 3 && polygon.count != 0; ++axis) {
        cut(&polygon, axis, grid->lower[axis], true, &below, &above);
        cut(&above, axis, grid->lower[axis] + grid->resolution * grid->step[axis], false, &polygon, &below);
    }
    const double area = polygon.count != 0 ? areaOf(&polygon) : 0;
    if (area > 0)
        addSlices(grid, &polygon, 0, 0, areas);
    return area;
}

// -------------------------------------------------------------------------------------------------------- regions

uint32_t grzAdbRegions_Count(grzAdbRegions regions) {
    return regions == grz_adbGridRegions ? 8 : regions == grz_adbPyramids ? 6 : 1;
}

// A cell belongs to the region of its centre; to the first axis where that lies between pyramids.
uint32_t grzAdbGrid_Region(grzAdbRegions regions, uint32_t resolution, uint32_t cell) {
    const uint32_t at[3] = {cell % resolution, cell / resolution % resolution, cell / resolution / resolution};
    uint32_t octant = 0, axis = 0;
    int32_t offsets[3]; // of the centre from the box's, in half cells
    for (uint32_t i = 0; i < 3; ++i) {
        offsets[i] = 2 * (int32_t)at[i] + 1 - (int32_t)resolution;
        octant |= (uint32_t)(offsets[i] > 0) << i;
    }
    if (regions != grz_adbPyramids)
        return regions == grz_adbGridRegions ? octant : 0;
    for (uint32_t i = 1; i < 3; ++i)
        if (offsets[i] * offsets[i] > offsets[axis] * offsets[axis])
            axis = i;
    return 2 * axis + (offsets[axis] > 0 ? 1 : 0);
}

static double overlap(double lower, double upper, double from, double to) {
    return fmax(fmin(upper, to) - fmax(lower, from), 0);
}

// The cross-section of a pyramid at height z, in the box.
static double section(const double lower[3], const double upper[3], int axis, double z) {
    const int p = (axis + 1) % 3, q = (axis + 2) % 3;
    return overlap(lower[p], upper[p], -z, z) * overlap(lower[q], upper[q], -z, z);
}

// Between the heights at which the pyramid's sides leave the box, the section is a quadratic: Simpson's rule is exact.
static double pyramidShare(uint32_t region, const double lower[3], const double upper[3]) {
    const int axis = (int)region / 2, p = (axis + 1) % 3, q = (axis + 2) % 3;
    const double from = fmax(region % 2 != 0 ? lower[axis] : -upper[axis], 0);
    const double to = fmin(region % 2 != 0 ? upper[axis] : -lower[axis], 1);
    double breaks[6] = {from, fabs(lower[p]), fabs(upper[p]), fabs(lower[q]), fabs(upper[q]), to}, sum = 0;
    for (int i = 1; i < 5; ++i)
        breaks[i] = fmin(fmax(breaks[i], from), fmax(from, to));
    for (int i = 2; i < 5; ++i)
        for (int k = i; k > 1 && breaks[k] < breaks[k - 1]; --k) {
            const double swap = breaks[k];
            breaks[k] = breaks[k - 1], breaks[k - 1] = swap;
        }
    for (int i = 0; i < 5 && from < to; ++i) {
        const double a = breaks[i], b = breaks[i + 1];
        const double middle = section(lower, upper, axis, 0.5 * (a + b));
        sum += (b - a) / 6 * (section(lower, upper, axis, a) + 4 * middle + section(lower, upper, axis, b));
    }
    return sum / (8.0 / 6);
}

double grzAdbRegions_Share(grzAdbRegions regions, uint32_t region, const double lower[3], const double upper[3]) {
    double share = regions == grz_adbGridRegions ? 1 : 1.0 / 8;
    if (regions == grz_adbPyramids)
        return pyramidShare(region, lower, upper);
    for (int i = 0; i < 3; ++i) {
        const double from = regions == grz_adbNoRegions || (region >> i & 1) == 0 ? -1 : 0;
        const double to = regions == grz_adbNoRegions || (region >> i & 1) != 0 ? 1 : 0;
        share *= overlap(lower[i], upper[i], from, to);
    }
    return share;
}
