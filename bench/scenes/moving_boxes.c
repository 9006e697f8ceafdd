// What: cubes that drift about in a larger cube.
#include "moving_boxes.h"

#include <math.h>
#include <string.h>

#include "rng.h"

#define LEAST_HALF   1.0f
#define MOST_HALF    10.0f
#define ROOM_PER_BOX 15.3 // side of the room by the cube root of n
#define SPEED        0.5f

static grzVec3 randomPoint(grzRng* rng, float side) {
    float x = grzRng_Float(rng), y = grzRng_Float(rng), z = grzRng_Float(rng);
    return grzVec3_Make(side * x, side * y, side * z);
}

// Points of a cube are drawn until one lies in its ball: all directions are equally likely.
static grzVec3 randomDirection(grzRng* rng) {
    for (;;) {
        grzVec3 p = grzSub(randomPoint(rng, 2), grzVec3_Splat(1));
        float lengthSq = grzDot(p, p);
        if (lengthSq > 0.01f && lengthSq <= 1)
            return grzScale(p, 1 / sqrtf(lengthSq));
    }
}

static void placeBox(MovingBoxes* scene, size_t i) {
    grzVec3 half = grzVec3_Splat(scene->halves[i]);
    scene->boxes[i] = grzBox_Make(grzSub(scene->centers[i], half), grzAdd(scene->centers[i], half));
}

static void fill(MovingBoxes* scene, size_t stride) {
    grzRng rng = grzRng_Make(3, 0);
    scene->side = (float)(ROOM_PER_BOX * cbrt((double)scene->count));
    for (size_t i = 0; i < scene->count; ++i) {
        scene->centers[i] = randomPoint(&rng, scene->side);
        scene->velocities[i] = grzScale(randomDirection(&rng), SPEED);
        scene->halves[i] = LEAST_HALF + (MOST_HALF - LEAST_HALF) * grzRng_Float(&rng);
        placeBox(scene, i);
        if (i % stride == 0)
            scene->moved[scene->movedCount++] = (uint32_t)i;
    }
}

bool MovingBoxes_Make(Bench* bench, size_t n, size_t stride, MovingBoxes* scene) {
    *scene = (MovingBoxes){.count = n};
    scene->centers = Bench_Allocate(bench, n, sizeof *scene->centers);
    scene->velocities = Bench_Allocate(bench, n, sizeof *scene->velocities);
    scene->halves = Bench_Allocate(bench, n, sizeof *scene->halves);
    scene->boxes = Bench_Allocate(bench, n, sizeof *scene->boxes);
    scene->moved = Bench_Allocate(bench, n, sizeof *scene->moved);
    if (scene->centers == NULL || scene->velocities == NULL || scene->halves == NULL || scene->boxes == NULL ||
        scene->moved == NULL) {
        MovingBoxes_Release(bench, scene);
        return false;
    }
    fill(scene, stride);
    return true;
}

void MovingBoxes_Release(Bench* bench, MovingBoxes* scene) {
    Bench_Release(bench, scene->centers, scene->count, sizeof *scene->centers);
    Bench_Release(bench, scene->velocities, scene->count, sizeof *scene->velocities);
    Bench_Release(bench, scene->halves, scene->count, sizeof *scene->halves);
    Bench_Release(bench, scene->boxes, scene->count, sizeof *scene->boxes);
    Bench_Release(bench, scene->moved, scene->count, sizeof *scene->moved);
    *scene = (MovingBoxes){0};
}

// Turns back where the next step would leave the room. (A room is wider than two steps.)
static float bounce(float* velocity, float at, float side) {
    float next = at + *velocity;
    if (next >= 0 && next <= side)
        return next;
    *velocity = -*velocity;
    return at + *velocity;
}

void MovingBoxes_Advance(MovingBoxes* scene) {
    for (size_t k = 0; k < scene->movedCount; ++k) {
        size_t i = scene->moved[k];
        grzVec3 *c = &scene->centers[i], *v = &scene->velocities[i];
        c->x = bounce(&v->x, c->x, scene->side);
        c->y = bounce(&v->y, c->y, scene->side);
        c->z = bounce(&v->z, c->z, scene->side);
        placeBox(scene, i);
    }
}
