// What: the estimates of section 3.6.
// Promise: slabs and the aligned box never give less than the true volume; spheres neither. The aligned cases do for two equal
//   cubes that are not rotated. Else the true volume exceeds them by up to 1 % of a box, which a test watches: the proof that
//   the paper sketches does not hold there.
// Based on: [Klein and Zachmann, Time-Critical Collision Detection Using an Average-Case Approach, VRST 2003] section 3.6. We
//   differ: slabs are first cut where the other box ends, since else the distance of the boxes would not matter. The paper
//   has aligned cases for boxes of one size; where they differ, ours have the mean of either side, sorted by length.
#include "adb_volume.h"

#include <math.h>

#define PI 3.14159265358979323846

static double boxVolume(const double half[3]) {
    return 8 * half[0] * half[1] * half[2];
}

static void cutSlab(double own, double distance, double other, double ends[2]) {
    ends[0] = fmax(-own, distance - other);
    ends[1] = fmin(own, distance + other);
}

void grzAdbMeeting_Interval(const AdbMeeting* meeting, int axis, double ends[2]) {
    double distance = 0, other = 0;
    if (axis < 3) {
        for (int j = 0; j < 3; ++j)
            other += fabs(meeting->turn[axis][j]) * meeting->b[j];
        cutSlab(meeting->a[axis], meeting->apart[axis], other, ends);
        return;
    }
    for (int i = 0; i < 3; ++i) {
        distance -= meeting->turn[i][axis - 3] * meeting->apart[i];
        other += fabs(meeting->turn[i][axis - 3]) * meeting->a[i];
    }
    cutSlab(meeting->b[axis - 3], distance, other, ends);
}

static double widthOf(const AdbMeeting* meeting, int axis) {
    double ends[2];
    grzAdbMeeting_Interval(meeting, axis, ends);
    return ends[1] - ends[0];
}

bool grzAdbMeeting_AreApart(const AdbMeeting* meeting) {
    for (int axis = 0; axis < 6; ++axis)
        if (widthOf(meeting, axis) < 0)
            return true;
    return false;
}

static double distanceOf(const AdbMeeting* meeting) {
    const double* p = meeting->apart;
    return sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
}

static void sortSides(const double half[3], double sides[3]) {
    const double most = fmax(half[0], fmax(half[1], half[2])), least = fmin(half[0], fmin(half[1], half[2]));
    sides[0] = 2 * most;
    sides[1] = 2 * fmax(fmin(half[0], half[1]), fmin(fmax(half[0], half[1]), half[2]));
    sides[2] = 2 * least;
}

// [Klein 2003] section 3.6: V1, V2 and V3.
static double alignedCases(const AdbMeeting* meeting) {
    double a[3], b[3], best = 0, square = 0, volume = 1;
    const double d = distanceOf(meeting);
    sortSides(meeting->a, a);
    sortSides(meeting->b, b);
    for (int k = 0; k < 3; ++k)
        volume *= 0.5 * (a[k] + b[k]);
    for (int k = 0; k < 3; ++k) {
        const double side = 0.5 * (a[k] + b[k]);
        square += side * side;
        const double left = fmax(1 - d / sqrt(square), 0);
        best = fmax(best, volume * (k == 0 ? left : k == 1 ? left * left : left * left * left));
    }
    return best;
}

static double lengthOf(const double half[3]) {
    return sqrt(half[0] * half[0] + half[1] * half[1] + half[2] * half[2]);
}

static double spheres(const AdbMeeting* meeting) {
    const double r = lengthOf(meeting->a), q = lengthOf(meeting->b), d = distanceOf(meeting);
    const double least = fmin(r, q), sum = r + q;
    if (d >= sum)
        return 0;
    if (d <= fabs(r - q))
        return 4 * PI / 3 * least * least * least;
    return PI * (sum - d) * (sum - d) * (d * d + 2 * d * sum - 3 * (r - q) * (r - q)) / (12 * d);
}

static double component(const AdbMeeting* meeting, int axis, int i) {
    return axis >= 3 ? meeting->turn[i][axis - 3] : axis == i ? 1 : 0;
}

// |n_i . (n_j x n_k)|
static double tripleProduct(const AdbMeeting* meeting, int i, int j, int k) {
    double sum = 0;
    for (int c = 0; c < 3; ++c) {
        const int p = (c + 1) % 3, q = (c + 2) % 3;
        sum += component(meeting, i, c) * (component(meeting, j, p) * component(meeting, k, q) -
                                           component(meeting, j, q) * component(meeting, k, p));
    }
    return fabs(sum);
}

// [Klein 2003] section 3.6, figure 9.
static double slabs(const AdbMeeting* meeting) {
    double widths[6], best = (double)INFINITY;
    for (int axis = 0; axis < 6; ++axis)
        widths[axis] = widthOf(meeting, axis);
    for (int i = 0; i < 4; ++i)
        for (int j = i + 1; j < 5; ++j)
            for (int k = j + 1; k < 6; ++k)
                best = fmin(best, widths[i] * widths[j] * widths[k] / tripleProduct(meeting, i, j, k));
    return best;
}

static double alignedBox(const AdbMeeting* meeting) {
    double ofA = 1, ofB = 1;
    for (int axis = 0; axis < 3; ++axis) {
        ofA *= widthOf(meeting, axis);
        ofB *= widthOf(meeting, 3 + axis);
    }
    return fmin(ofA, ofB);
}

double grzAdbMeeting_Volume(const AdbMeeting* meeting, grzAdbVolume method, double sphereRatio) {
    const double a = boxVolume(meeting->a), b = boxVolume(meeting->b), least = fmin(a, b);
    switch (method) {
    case grz_volumeOfSlabs:
        return fmin(slabs(meeting), least);
    case grz_volumeOfAlignedBox:
        return fmin(alignedBox(meeting), least);
    case grz_volumeOfSpheres:
        return fmin(spheres(meeting), least);
    case grz_volumeOfAlignedCases:
    default:
        return fmin(fmax(a, b) > sphereRatio * least ? spheres(meeting) : alignedCases(meeting), least);
    }
}
