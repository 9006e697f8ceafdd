// What: the test of moller.h.
#include "moller.h"

#include <math.h>

static void sub(const float p[3], const float q[3], float to[3]) {
    to[0] = p[0] - q[0];
    to[1] = p[1] - q[1];
    to[2] = p[2] - q[2];
}

static void cross(const float p[3], const float q[3], float to[3]) {
    to[0] = p[1] * q[2] - p[2] * q[1];
    to[1] = p[2] * q[0] - p[0] * q[2];
    to[2] = p[0] * q[1] - p[1] * q[0];
}

static float dot(const float p[3], const float q[3]) {
    return p[0] * q[0] + p[1] * q[1] + p[2] * q[2];
}

static void normalOf(const float t[9], float normal[3]) {
    float e1[3], e2[3];
    sub(t + 3, t, e1);
    sub(t + 6, t, e2);
    cross(e1, e2, normal);
}

// False where all corners of t are on one side.
static bool sidesOf(const float t[9], const float normal[3], const float origin[3], float sides[3]) {
    const float offset = -dot(normal, origin);
    for (int i = 0; i < 3; ++i)
        sides[i] = dot(normal, t + 3 * i) + offset;
    return !(sides[0] * sides[1] > 0 && sides[0] * sides[2] > 0);
}

typedef struct Interval { // ends are (a x0 + b) / x0 and (a x1 + c) / x1, kept apart
    float a, b, c, x0, x1;
} Interval;

static bool makeInterval(const float p[3], const float d[3], Interval* interval) {
    int lonely;
    if (d[0] * d[1] > 0)
        lonely = 2;
    else if (d[0] * d[2] > 0)
        lonely = 1;
    else if (d[1] * d[2] > 0 || d[0] != 0)
        lonely = 0;
    else if (d[1] != 0)
        lonely = 1;
    else if (d[2] != 0)
        lonely = 2;
    else
        return false;
    const int i = lonely, j = (lonely + 1) % 3, k = (lonely + 2) % 3;
    *interval = (Interval){p[i], (p[j] - p[i]) * d[i], (p[k] - p[i]) * d[i], d[i] - d[j], d[i] - d[k]};
    return true;
}

static void sortTwo(float ends[2]) {
    if (ends[0] > ends[1]) {
        float swapped = ends[0];
        ends[0] = ends[1];
        ends[1] = swapped;
    }
}

bool benchMoller(const float a[9], const float b[9]) {
    float normalA[3], normalB[3], line[3], sidesA[3], sidesB[3];
    normalOf(a, normalA);
    if (!sidesOf(b, normalA, a, sidesB))
        return false;
    normalOf(b, normalB);
    if (!sidesOf(a, normalB, b, sidesA))
        return false;
    cross(normalA, normalB, line);
    int axis = fabsf(line[0]) > fabsf(line[1]) ? 0 : 1;
    axis = fabsf(line[2]) > fabsf(line[axis]) ? 2 : axis;
    Interval u, v;
    if (!makeInterval((float[]){a[axis], a[3 + axis], a[6 + axis]}, sidesA, &u) ||
        !makeInterval((float[]){b[axis], b[3 + axis], b[6 + axis]}, sidesB, &v))
        return false;
    const float xx = u.x0 * u.x1, yy = v.x0 * v.x1, all = xx * yy;
    float first[2] = {u.a * all + u.b * u.x1 * yy, u.a * all + u.c * u.x0 * yy};
    float second[2] = {v.a * all + v.b * xx * v.x1, v.a * all + v.c * xx * v.x0};
    sortTwo(first);
    sortTwo(second);
    return first[1] >= second[0] && second[1] >= first[0];
}
