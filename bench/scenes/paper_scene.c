// What: the scenes of Shagam's experiment.
#include "paper_scene.h"

#include <math.h>

#define CLUSTER_COUNT 5
#define CLUSTER_WIDTH 0.05f // of the side
#define LOOP_END      5000.0
#define SHELL         0.02f // of the radius
#define MOVE          0.1f  // of the radius
#define QUERY_SIDE    10.0f

const char* paperKindName(PaperKind kind) {
    static const char* const names[] = {"uniform", "clustered", "lissajous", "sphere"};
    return names[kind];
}

float paperSide(size_t n) {
    return (float)cbrt((double)n);
}

// In the cube from -1 to 1.
static grzVec3 randomPoint(grzRng* rng) {
    float x = grzRng_Float(rng), y = grzRng_Float(rng), z = grzRng_Float(rng);
    return grzVec3_Make(2 * x - 1, 2 * y - 1, 2 * z - 1);
}

// In the unit ball, uniformly.
static grzVec3 randomInBall(grzRng* rng) {
    for (;;) {
        grzVec3 p = randomPoint(rng);
        if (grzDot(p, p) <= 1)
            return p;
    }
}

static grzVec3 randomDirection(grzRng* rng) {
    for (;;) {
        grzVec3 p = randomInBall(rng);
        if (grzDot(p, p) > 0.01f)
            return grzNormalize(p);
    }
}

// Nearly normal, deviation 1: a sum of twelve uniform numbers.
static float pseudoGaussian(grzRng* rng) {
    float sum = -6;
    for (int i = 0; i < 12; ++i)
        sum += grzRng_Float(rng);
    return sum;
}

// All of these lie in the cube from -1 to 1, but for the tails of the clusters.

static grzVec3 clusterPoint(grzRng* rng) {
    static const float seeds[CLUSTER_COUNT][3] = {
        {-0.6f, -0.5f, 0.4f}, {0.5f, -0.7f, -0.3f}, {0.1f, 0.2f, 0.7f}, {-0.3f, 0.6f, -0.6f}, {0.7f, 0.5f, 0.1f}};
    const float* seed = seeds[grzRng_Below(rng, CLUSTER_COUNT)];
    float x = pseudoGaussian(rng), y = pseudoGaussian(rng), z = pseudoGaussian(rng);
    return grzAdd(grzVec3_Make(seed[0], seed[1], seed[2]), grzScale(grzVec3_Make(x, y, z), 2 * CLUSTER_WIDTH));
}

static grzVec3 loopPoint(size_t n, size_t i) {
    double t = LOOP_END * (double)i / (double)n;
    return grzVec3_Make((float)sin(3 * t), (float)sin(4 * t + 0.5), (float)sin(5 * t + 1));
}

static grzVec3 spherePoint(size_t i, grzRng* rng) {
    if (i % 2 == 0)
        return grzScale(randomDirection(rng), 1 - SHELL * grzRng_Float(rng));
    return grzScale(randomInBall(rng), 1.0f / 3);
}

Sphere paperSphere(PaperKind kind, size_t n, size_t i, grzRng* rng) {
    grzVec3 point = kind == paper_uniform     ? randomPoint(rng)
                    : kind == paper_clustered ? clusterPoint(rng)
                    : kind == paper_lissajous ? loopPoint(n, i)
                                              : spherePoint(i, rng);
    Sphere sphere;
    sphere.center = grzScale(grzAdd(point, grzVec3_Splat(1)), paperSide(n) / 2);
    sphere.radius = 1 + 9 * grzRng_Float(rng);
    return sphere;
}

grzBox sphereBox(const Sphere* sphere) {
    grzVec3 r = grzVec3_Splat(sphere->radius);
    return grzBox_Make(grzSub(sphere->center, r), grzAdd(sphere->center, r));
}

void moveSphere(Sphere* sphere, grzRng* rng) {
    sphere->center = grzAdd(sphere->center, grzScale(randomDirection(rng), MOVE * sphere->radius));
}

grzBox paperQuery(size_t n, grzRng* rng) {
    grzVec3 unit = grzScale(grzAdd(randomPoint(rng), grzVec3_Splat(1)), 0.5f);
    float room = paperSide(n) - QUERY_SIDE; // for the query's lower corner; none in small scenes
    grzVec3 lower = room > 0 ? grzScale(unit, room) : grzVec3_Splat(room / 2);
    return grzBox_Make(lower, grzAdd(lower, grzVec3_Splat(QUERY_SIDE)));
}
