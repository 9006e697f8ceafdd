// What: see adb_clip.h. Polygons are clipped by half-spaces (Sutherland and Hodgman). The volume of a convex body that holds
// the origin's side of its faces is a third of the sum of area times distance.
#include "adb_clip.h"

#include <math.h>
#include <string.h>

typedef struct Polygon {
    double at[16][3];
    int count;
} Polygon;

static double dot(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// Keeps normal . p <= limit.
static void clip(Polygon* polygon, const double normal[3], double limit) {
    Polygon kept = {.count = 0};
    for (int k = 0; k < polygon->count; ++k) {
        const double *p = polygon->at[k], *q = polygon->at[(k + 1) % polygon->count];
        const double atP = dot(normal, p) - limit, atQ = dot(normal, q) - limit;
        if (atP <= 0)
            memcpy(kept.at[kept.count++], p, sizeof kept.at[0]);
        if ((atP < 0 && atQ > 0) || (atP > 0 && atQ < 0)) {
            for (int i = 0; i < 3; ++i)
                kept.at[kept.count][i] = p[i] + (q[i] - p[i]) * (atP / (atP - atQ));
            kept.count++;
        }
    }
    *polygon = kept;
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
    return 0.5 * sqrt(dot(sum, sum));
}

double clippedArea(const double corners[9], const double lower[3], const double upper[3]) {
    Polygon polygon = {.count = 3};
    memcpy(polygon.at, corners, 9 * sizeof *corners);
    for (int i = 0; i < 3; ++i) {
        const double up[3] = {i == 0, i == 1, i == 2}, down[3] = {-up[0], -up[1], -up[2]};
        clip(&polygon, up, upper[i]);
        clip(&polygon, down, -lower[i]);
    }
    return areaOf(&polygon);
}

typedef struct Placed {
    double center[3], axes[3][3], half[3];
} Placed;

// Side k of a box: axis k / 2, upwards where k is odd.
static double faceOf(const Placed* box, int k, double normal[3]) {
    const double sign = k % 2 != 0 ? 1 : -1;
    for (int i = 0; i < 3; ++i)
        normal[i] = sign * box->axes[k / 2][i];
    return dot(normal, box->center) + box->half[k / 2];
}

static Polygon makeFace(const Placed* box, int k) {
    static const double signs[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
    Polygon face = {.count = 4};
    const int axis = k / 2, p = (axis + 1) % 3, q = (axis + 2) % 3;
    for (int c = 0; c < 4; ++c)
        for (int i = 0; i < 3; ++i)
            face.at[c][i] = box->center[i] + (k % 2 != 0 ? 1 : -1) * box->half[axis] * box->axes[axis][i] +
                            signs[c][0] * box->half[p] * box->axes[p][i] +
                            signs[c][1] * box->half[q] * box->axes[q][i];
    return face;
}

static double sumOfFaces(const Placed* box, const Placed* other) {
    double sum = 0;
    for (int k = 0; k < 6; ++k) {
        double normal[3];
        const double distance = faceOf(box, k, normal);
        Polygon face = makeFace(box, k);
        for (int m = 0; m < 6; ++m) {
            double otherNormal[3];
            const double limit = faceOf(other, m, otherNormal);
            clip(&face, otherNormal, limit);
        }
        sum += distance * areaOf(&face) / 3;
    }
    return sum;
}

double clippedVolume(const AdbMeeting* meeting) {
    Placed a = {.axes = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, b;
    for (int i = 0; i < 3; ++i) {
        a.half[i] = meeting->a[i], b.half[i] = meeting->b[i], b.center[i] = meeting->apart[i];
        for (int j = 0; j < 3; ++j)
            b.axes[j][i] = meeting->turn[i][j];
    }
    return sumOfFaces(&a, &b) + sumOfFaces(&b, &a);
}
