// What: see leaf_fit.h. A side under a pose is fit here, all others by the kernel.
#include "leaf_fit.h"

#include <float.h>
#include <math.h>

#include "bvh_parts.h"

// Where corners are: [corner][axis][lane].
typedef struct Columns {
    float at[3][3][4];
} Columns;

static void gather(const FourCorners* corners, const float* positions, Columns* to) {
    for (int k = 0; k < 3; ++k)
        for (int lane = 0; lane < 4; ++lane)
            for (int axis = 0; axis < 3; ++axis)
                to->at[k][axis][lane] = positions[3 * (size_t)corners->at[k][lane] + (size_t)axis];
}

static void fitColumns(const Columns* columns, FourTriangles* four, int end) {
    for (int axis = 0; axis < 3; ++axis)
        for (int lane = 0; lane < 4; ++lane) {
            const float a = columns->at[0][axis][lane], b = columns->at[1][axis][lane],
                        c = columns->at[2][axis][lane];
            const float low = a < b ? a : b, high = a < b ? b : a;
            four->lower[end][axis][lane] = low < c ? low : c;
            four->upper[end][axis][lane] = high < c ? c : high;
        }
}

// Where the corners are in A's frame. Returns the greatest sum of sizes that a coordinate on each axis is made of.
static void poseColumns(const grzTransform* pose, const Columns* from, Columns* to, float sizes[3]) {
    const grzVec3 axes[3] = {pose->basis.x, pose->basis.y, pose->basis.z};
    for (int i = 0; i < 3; ++i) {
        const float origin = grzVec3_Get(pose->origin, i);
        sizes[i] = 0;
        for (int k = 0; k < 12; ++k) {
            float sum = origin, size = fabsf(origin);
            for (int j = 0; j < 3; ++j) {
                const float product = grzVec3_Get(axes[j], i) * from->at[k / 4][j][k % 4];
                sum += product, size += fabsf(product);
            }
            to->at[k / 4][i][k % 4] = sum;
            sizes[i] = size > sizes[i] ? size : isnan(size) ? INFINITY : sizes[i];
        }
    }
}

void grzFourTriangles_Widen(FourTriangles* four, int end, const float by[3]) {
    for (int axis = 0; axis < 3; ++axis)
        for (int lane = 0; lane < 4; ++lane) {
            const float lower = four->lower[end][axis][lane] - by[axis],
                        upper = four->upper[end][axis][lane] + by[axis];
            four->lower[end][axis][lane] = isnan(lower) ? -INFINITY : lower;
            four->upper[end][axis][lane] = isnan(upper) ? INFINITY : upper;
        }
}

// By u = 2^-24 of the sizes: the sums above are off by less than 5u, a host that turns a point likewise, and widening by 2u at most. What
// underflows is off by 2^-149.
static void fitPosed(const grzTransform* pose, const Columns* columns, FourTriangles* four, int end) {
    Columns posed;
    float by[3];
    poseColumns(pose, columns, &posed, by);
    for (int axis = 0; axis < 3; ++axis)
        by[axis] = 0x1p-20F * by[axis] + 0x1p-120F;
    fitColumns(&posed, four, end);
    grzFourTriangles_Widen(four, end, by);
}

// Boxes that overlap all, where it is not known where triangles are.
static void openBoxes(FourTriangles* four) {
    for (int axis = 0; axis < 3; ++axis)
        for (int lane = 0; lane < 4; ++lane)
            four->lower[0][axis][lane] = -FLT_MAX, four->upper[0][axis][lane] = FLT_MAX;
}

// By the numbers of the hierarchy, or of positions.
static void listCorners(const LeafFit* fit, uint32_t leaf, const uint32_t* map, FourCorners* corners) {
    const uint32_t first = GRZ_BVH_LEAF_TRIANGLES * leaf, left = fit->view.triangleCount - first;
    for (uint32_t lane = 0; lane < GRZ_BVH_LEAF_TRIANGLES; ++lane)
        for (int k = 0; k < 3; ++k) {
            const uint32_t vertex = fit->view.triangles[3 * (size_t)(first + (lane < left ? lane : 0)) + (size_t)k];
            corners->at[k][lane] = map != NULL ? map[vertex] : vertex;
        }
}

static bool mayReadFour(const LeafFit* fit, uint32_t leaf) {
    const unsigned last = fit->map != NULL ? GRZ_BVH_HAS_CALLERS_LAST : GRZ_BVH_HAS_TREES_LAST;
    return fit->isPadded || (fit->flags[leaf / GRZ_BVH_WIDTH] & last) == 0;
}

void grzLeafFit_Make(const LeafFit* fit, uint32_t leaf, FourTriangles* four) {
    FourCorners corners;
    if (fit->isShared)
        listCorners(fit, leaf, NULL, &four->corners);
    listCorners(fit, leaf, fit->map, &corners);
    for (int end = 0; end < fit->endCount; ++end) {
        if (fit->pose == NULL && mayReadFour(fit, leaf)) {
            GRZ_PICK_KERNEL(grzFourTrianglesFit)(&corners, fit->ends[end], four, end);
            continue;
        }
        Columns columns;
        gather(&corners, fit->ends[end], &columns);
        if (fit->pose != NULL)
            fitPosed(fit->pose, &columns, four, end);
        else
            fitColumns(&columns, four, end);
    }
    if (fit->endCount == 0)
        openBoxes(four);
}
