#include "contact_depth.h"

#include <math.h>

double escapeAlong(const float* points, size_t count, const RefSolid* solid, grzVec3 direction) {
    const grzVec3d d = grzVec3d_FromVec3(direction);
    double most = -(double)INFINITY, least = (double)INFINITY;
    for (size_t i = 0; i < count; ++i)
        most = fmax(most, grzVec3d_Dot(d, grzVec3d_FromVec3(grzVec3_Load(points + 3 * i))));
    for (uint32_t i = 0; i < solid->vertexCount; ++i)
        least = fmin(least, grzVec3d_Dot(d, solid->vertices[i]));
    return most - least + solid->radius;
}

double leastEscape(const float* points, size_t count, const RefSolid* solid) {
    enum { directionCount = 200 };
    double least = (double)INFINITY;
    for (int i = 0; i < directionCount; ++i) {
        const float y = 1 - 2 * ((float)i + 0.5f) / directionCount, wide = sqrtf(1 - y * y);
        float sine, cosine;
        grzSinCos(2.3999632f * (float)i, &sine, &cosine); // along a spiral, by the golden angle
        least = fmin(least, escapeAlong(points, count, solid, grzVec3_Make(wide * cosine, y, wide * sine)));
    }
    return least;
}
