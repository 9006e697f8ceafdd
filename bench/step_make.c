// What: the scenes of the stage "step".
#include "step_make.h"

#include "rng.h"

#define SPACING 1.2f
#define JITTER  0.05f
#define WALL    4.0f // half the thickness: nothing gets through

static void add(StepScene* scene, StepBody body) {
    scene->bodies[scene->count++] = body;
}

static void addFixed(StepScene* scene, grzVec3 origin, grzVec3 half) {
    add(scene, (StepBody){.origin = origin, .half = half, .isStatic = true});
    scene->fixed = scene->count;
}

static bool make(Bench* bench, StepScene* scene, size_t count) {
    *scene = (StepScene){.capacity = count};
    scene->bodies = Bench_Allocate(bench, count, sizeof *scene->bodies);
    return scene->bodies != NULL;
}

bool StepScene_MakePyramid(Bench* bench, size_t base, StepScene* scene) {
    if (!make(bench, scene, 1 + base * (base + 1) / 2))
        return false;
    scene->rows = base;
    addFixed(scene, grzVec3_Make(0, -WALL, 0), grzVec3_Make(2 * (float)base, WALL, (float)base));
    for (size_t row = 0; row < base; ++row)
        for (size_t i = 0; i < base - row; ++i) {
            const float x = (float)i - 0.5f * (float)(base - row - 1);
            add(scene, (StepBody){.origin = grzVec3_Make(x, (float)row + 0.5f, 0), .half = grzVec3_Splat(0.5f)});
        }
    return true;
}

static void addPit(StepScene* scene, size_t side) {
    const float inner = 0.5f * SPACING * (float)side + 0.1f, outer = inner + 2 * WALL, middle = inner + WALL;
    const float high = SPACING * (float)side;
    addFixed(scene, grzVec3_Make(0, -WALL, 0), grzVec3_Make(outer, WALL, outer));
    for (int k = 0; k < 2; ++k) {
        const float at = k == 0 ? -middle : middle;
        addFixed(scene, grzVec3_Make(at, high, 0), grzVec3_Make(WALL, high, outer));
        addFixed(scene, grzVec3_Make(0, high, at), grzVec3_Make(inner, high, WALL));
    }
}

static float draw(grzRng* rng, size_t index, size_t side) {
    return SPACING * ((float)index - 0.5f * (float)(side - 1)) + JITTER * (2 * grzRng_Float(rng) - 1);
}

bool StepScene_MakePit(Bench* bench, size_t side, bool ofSpheres, StepScene* scene) {
    if (!make(bench, scene, 5 + side * side * side))
        return false;
    addPit(scene, side);
    grzRng rng = grzRng_Make(1, 1);
    for (size_t i = 0; i < side * side * side; ++i) {
        const float x = draw(&rng, i % side, side), z = draw(&rng, i / side % side, side);
        StepBody body = {.origin = grzVec3_Make(x, 1 + SPACING * (float)(i / side / side), z)};
        if (ofSpheres)
            body.radius = 0.5f;
        else
            body.half = grzVec3_Splat(0.5f);
        add(scene, body);
    }
    return true;
}

void StepScene_Release(Bench* bench, StepScene* scene) {
    Bench_Release(bench, scene->bodies, scene->capacity, sizeof *scene->bodies);
    *scene = (StepScene){0};
}
