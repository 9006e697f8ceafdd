// What: the determinants of tri_pair.h.
#include "tri_pair.h"

#include <math.h>

#include "expansion.h"

#define HALF_ULP 0x1p-53

void grzTriPair_SetBounds(TriPair* pair) {
    double extent[3];
    for (int axis = 0; axis < 3; ++axis) {
        double lower = pair->points[0][axis], upper = lower;
        for (int i = 1; i < 6; ++i) {
            double x = pair->points[i][axis];
            lower = x < lower ? x : lower;
            upper = x > upper ? x : upper;
        }
        extent[axis] = upper - lower;
    }
    pair->volumeBound = 50 * HALF_ULP * (extent[0] * extent[1] * extent[2]);
    for (int axis = 0; axis < 3; ++axis)
        pair->areaBounds[axis] = 9 * HALF_ULP * (extent[(axis + 1) % 3] * extent[(axis + 2) % 3]);
}

// ---------------------------------------------------------------------------------------------------- volumes

double grzTriPair_Volume(const TriPair* pair, int a, int b, int c, int d) {
    const double *pa = pair->points[a], *pb = pair->points[b], *pc = pair->points[c], *pd = pair->points[d];
    double ax = pa[0] - pd[0], ay = pa[1] - pd[1], az = pa[2] - pd[2];
    double bx = pb[0] - pd[0], by = pb[1] - pd[1], bz = pb[2] - pd[2];
    double cx = pc[0] - pd[0], cy = pc[1] - pd[1], cz = pc[2] - pd[2];
    return ax * (by * cz - bz * cy) + ay * (bz * cx - bx * cz) + az * (bx * cy - by * cx);
}

typedef struct Differences {
    int counts[3];
    double terms[3][2];
} Differences;

static Differences difference(const double p[3], const double q[3]) {
    Differences result;
    for (int axis = 0; axis < 3; ++axis)
        result.counts[axis] = grzExpansion_Difference(p[axis], q[axis], result.terms[axis]);
    return result;
}

// a_x b_y - a_y b_x
static int exactMinor(const Differences* a, const Differences* b, int x, int y, double minor[16]) {
    double left[8], right[8];
    int leftCount = grzExpansion_Multiply(a->counts[x], a->terms[x], b->counts[y], b->terms[y], left);
    int rightCount = grzExpansion_Multiply(a->counts[y], a->terms[y], b->counts[x], b->terms[x], right);
    grzExpansion_Negate(rightCount, right);
    return grzExpansion_Add(leftCount, left, rightCount, right, minor);
}

// (b x c)_axis * a_axis
static int exactTerm(const Differences* a, const Differences* b, const Differences* c, int axis, double term[64]) {
    double minor[16];
    int count = exactMinor(b, c, (axis + 1) % 3, (axis + 2) % 3, minor);
    return grzExpansion_Multiply(count, minor, a->counts[axis], a->terms[axis], term);
}

int grzTriPair_ExactVolume(const TriPair* pair, int a, int b, int c, int d, double volume[tri_volumeTerms]) {
    const double* origin = pair->points[d];
    Differences da = difference(pair->points[a], origin), db = difference(pair->points[b], origin);
    Differences dc = difference(pair->points[c], origin);
    double terms[3][64], sum[128];
    int counts[3];
    for (int axis = 0; axis < 3; ++axis)
        counts[axis] = exactTerm(&da, &db, &dc, axis, terms[axis]);
    int count = grzExpansion_Add(counts[0], terms[0], counts[1], terms[1], sum);
    return grzExpansion_Add(count, sum, counts[2], terms[2], volume);
}

int grzTriPair_VolumeSign(const TriPair* pair, int a, int b, int c, int d) {
    double rounded = grzTriPair_Volume(pair, a, b, c, d);
    if (fabs(rounded) > pair->volumeBound)
        return rounded > 0 ? 1 : -1;
    if (pair->volumeBound == 0) // the box is flat
        return 0;
    double volume[tri_volumeTerms];
    int count = grzTriPair_ExactVolume(pair, a, b, c, d, volume);
    return grzExpansion_Sign(count, volume);
}

// ------------------------------------------------------------------------------------------------------ areas

double grzTriPair_Area(const TriPair* pair, int axis, int a, int b, int c) {
    const double *pa = pair->points[a], *pb = pair->points[b], *pc = pair->points[c];
    int x = (axis + 1) % 3, y = (axis + 2) % 3;
    return (pa[x] - pc[x]) * (pb[y] - pc[y]) - (pa[y] - pc[y]) * (pb[x] - pc[x]);
}

int grzTriPair_ExactArea(const TriPair* pair, int axis, int a, int b, int c, double area[tri_areaTerms]) {
    Differences da = difference(pair->points[a], pair->points[c]);
    Differences db = difference(pair->points[b], pair->points[c]);
    return exactMinor(&da, &db, (axis + 1) % 3, (axis + 2) % 3, area);
}

int grzTriPair_AreaSign(const TriPair* pair, int axis, int a, int b, int c) {
    double rounded = grzTriPair_Area(pair, axis, a, b, c);
    if (fabs(rounded) > pair->areaBounds[axis])
        return rounded > 0 ? 1 : -1;
    if (pair->areaBounds[axis] == 0)
        return 0;
    double area[tri_areaTerms];
    int count = grzTriPair_ExactArea(pair, axis, a, b, c, area);
    return grzExpansion_Sign(count, area);
}
