// What: the scenes of the stage "step".
#include "step_make.h"

#include "rng.h"

#define SPACING 1.2f
#define LOOSE   1.8f // more than a unit box across its corners: turned in any way, two do not touch
#define JITTER  0.05f
#define WALL    4.0f // half the thickness: nothing gets through

static void add(StepScene* scene, StepBody body) {
    scene->bodies[scene->count++] = body;
}

static void addFixed(StepScene* scene, grzVec3 origin, grzVec3 half) {
    add(scene, (StepBody){.origin = origin, .rotation = grzQuat_Identity(), .half = half, .isStatic = true});
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
            add(scene, (StepBody){.origin = grzVec3_Make(x, (float)row + 0.5f, 0),
                                  .rotation = grzQuat_Identity(),
                                  .half = grzVec3_Splat(0.5f)});
        }
    return true;
}

static void addPit(StepScene* scene, size_t side, float spacing) {
    const float inner = 0.5f * spacing * (float)side + 0.1f, outer = inner + 2 * WALL, middle = inner + WALL;
    const float high = spacing * (float)side;
    addFixed(scene, grzVec3_Make(0, -WALL, 0), grzVec3_Make(outer, WALL, outer));
    for (int k = 0; k < 2; ++k) {
        const float at = k == 0 ? -middle : middle;
        addFixed(scene, grzVec3_Make(at, high, 0), grzVec3_Make(WALL, high, outer));
        addFixed(scene, grzVec3_Make(0, high, at), grzVec3_Make(inner, high, WALL));
    }
}

static float draw(grzRng* rng, float spacing, size_t index, size_t side) {
    return spacing * ((float)index - 0.5f * (float)(side - 1)) + JITTER * (2 * grzRng_Float(rng) - 1);
}

static grzVec3 drawOrigin(grzRng* rng, float spacing, size_t i, size_t side) {
    const float x = draw(rng, spacing, i % side, side), z = draw(rng, spacing, i / side % side, side);
    return grzVec3_Make(x, 1 + spacing * (float)(i / side / side), z);
}

bool StepScene_MakePit(Bench* bench, size_t side, bool ofSpheres, StepScene* scene) {
    if (!make(bench, scene, 5 + side * side * side))
        return false;
    addPit(scene, side, SPACING);
    grzRng rng = grzRng_Make(1, 1);
    for (size_t i = 0; i < side * side * side; ++i) {
        StepBody body = {.origin = drawOrigin(&rng, SPACING, i, side), .rotation = grzQuat_Identity()};
        if (ofSpheres)
            body.radius = 0.5f;
        else
            body.half = grzVec3_Splat(0.5f);
        add(scene, body);
    }
    return true;
}

// About some axis, by up to half a turn. Draws what it needs one by one: in what order arguments are evaluated is free.
static grzQuat drawRotation(grzRng* rng) {
    const float x = 2 * grzRng_Float(rng) - 1, y = 2 * grzRng_Float(rng) - 1, z = 2 * grzRng_Float(rng) - 1;
    return grzQuat_FromAxisAngle(grzNormalize(grzVec3_Make(x, y, z)), 3.1415927f * grzRng_Float(rng));
}

static void shuffle(grzRng* rng, StepBody* bodies, size_t count) {
    for (size_t i = count; i > 1; --i) {
        const size_t k = grzRng_Below(rng, (uint32_t)i);
        const StepBody other = bodies[k];
        bodies[k] = bodies[i - 1], bodies[i - 1] = other;
    }
}

bool StepScene_MakeTumble(Bench* bench, size_t side, StepScene* scene) {
    if (!make(bench, scene, 5 + side * side * side))
        return false;
    addPit(scene, side, LOOSE);
    grzRng rng = grzRng_Make(2, 1);
    for (size_t i = 0; i < side * side * side; ++i) {
        const grzVec3 origin = drawOrigin(&rng, LOOSE, i, side);
        add(scene, (StepBody){.origin = origin, .rotation = drawRotation(&rng), .half = grzVec3_Splat(0.5f)});
    }
    shuffle(&rng, scene->bodies + scene->fixed, scene->count - scene->fixed);
    return true;
}

void StepScene_Release(Bench* bench, StepScene* scene) {
    Bench_Release(bench, scene->bodies, scene->capacity, sizeof *scene->bodies);
    *scene = (StepScene){0};
}
