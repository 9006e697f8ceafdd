// What: the solids that generated cloth falls on, as distances.
// Holds: both solids and the floor are convex, so that leaving one of them along its gradient arrives on its
// surface; where two are near, the nearer is left, and the pass is repeated.
#include "sequence_parts.h"

#include <math.h>

#define TABLE_RADIUS 0.6f
#define TABLE_EDGE   0.04f // the rim is a half circle of this radius; the table is twice as thick
#define BALL_RADIUS  0.5f
#define FLOOR        (-1.2f)

// A disc inflated by TABLE_EDGE, with its top in y = 0.
static float tableDistance(grzVec3 p, grzVec3* normal) {
    float height = p.y + TABLE_EDGE;
    float radius = sqrtf(p.x * p.x + p.z * p.z);
    float beyond = radius - (TABLE_RADIUS - TABLE_EDGE);
    if (beyond <= 0) {
        *normal = grzVec3_Make(0, height < 0 ? -1.0f : 1.0f, 0);
        return fabsf(height) - TABLE_EDGE;
    }
    float distance = sqrtf(beyond * beyond + height * height);
    float out = beyond / distance / radius;
    *normal = grzVec3_Make(p.x * out, height / distance, p.z * out);
    return distance - TABLE_EDGE;
}

// The ball's top is in y = 0.
static float ballDistance(grzVec3 p, grzVec3* normal) {
    grzVec3 out = grzVec3_Make(p.x, p.y + BALL_RADIUS, p.z);
    float length = grzLength(out);
    *normal = length > 0 ? grzScale(out, 1 / length) : grzVec3_Make(0, 1, 0);
    return length - BALL_RADIUS;
}

static float obstacleDistance(SequenceKind kind, grzVec3 p, grzVec3* normal) {
    float distance = kind == sequenceTablecloth ? tableDistance(p, normal) : ballDistance(p, normal);
    if (p.y - FLOOR >= distance)
        return distance;
    *normal = grzVec3_Make(0, 1, 0);
    return p.y - FLOOR;
}

float sequenceObstacle(SequenceKind kind, const float point[3], float normal[3]) {
    grzVec3 gradient;
    float distance = obstacleDistance(kind, grzVec3_Load(point), &gradient);
    grzVec3_Store(normal, gradient);
    return distance;
}

float pushOut(SequenceKind kind, grzVec3* point, grzVec3* normal) {
    float moved = 0;
    // Floor and solid are far apart: one pass, and one more for what the first rounded inwards.
    for (int pass = 0; pass < 2; ++pass) {
        float lack = SEQUENCE_MARGIN - obstacleDistance(kind, *point, normal);
        if (lack <= 0)
            break;
        *point = grzAddScaled(*point, lack, *normal);
        moved += lack;
    }
    return moved;
}
