#include "rest_testing.h"

#include <math.h>

#include "rng.h"

#define DENSITY 1000.0f
#define SPACING 1.8f // more than a cube across its corners: turned in any way, two do not touch

static float between(grzRng* rng, float lower, float upper) {
    return lower + (upper - lower) * grzRng_Float(rng);
}

static RestScene makeRest(uint32_t count) {
    RestScene scene = {.world = makeWorld(NULL)};
    scene.ids = malloc(count * sizeof *scene.ids);
    scene.masses = malloc(count * sizeof *scene.masses);
    assert_non_null(scene.ids);
    assert_non_null(scene.masses);
    addFloor(scene.world, 0.6f);
    return scene;
}

void releaseScene(RestScene* scene) {
    grzWorld_Destroy(scene->world);
    for (uint32_t i = 0; i < REST_HULLS; ++i)
        grzHull_Destroy(scene->hulls[i]);
    free(scene->ids);
    free(scene->masses);
}

static void add(RestScene* scene, grzConvex shape, grzVec3 origin, grzQuat rotation) {
    grzBodyDef def = grzDefaultBodyDef();
    def.shape = shape;
    def.origin = origin;
    def.rotation = rotation;
    def.density = DENSITY;
    scene->masses[scene->count] = grzConvex_Mass(&shape);
    scene->ids[scene->count++] = addBody(scene->world, &def);
}

static grzConvex boxOf(float x, float y, float z) {
    return grzMakeBox(grzVec3_Zero(), grzVec3_Make(x, y, z));
}

static void addWalls(RestScene* scene, float halfWidth) {
    const float at = halfWidth + 1;
    for (int k = 0; k < 4; ++k) {
        const float side = k % 2 == 0 ? at : -at;
        if (k < 2)
            addShape(scene->world, grz_staticBody, boxOf(1, 20, halfWidth + 2), grzVec3_Make(side, 20, 0));
        else
            addShape(scene->world, grz_staticBody, boxOf(halfWidth + 2, 20, 1), grzVec3_Make(0, 20, side));
    }
}

// Around points of an egg.
static grzHull* makeEgg(grzRng* rng, uint32_t pointCount) {
    float positions[3 * 64];
    for (uint32_t i = 0; i < pointCount; ++i) {
        const float z = between(rng, -1, 1), angle = between(rng, 0, 6.2831853f), radius = 0.5f * sqrtf(1 - z * z);
        grzVec3_Store(&positions[3 * (size_t)i],
                      grzVec3_Make(1.2f * radius * cosf(angle), radius * sinf(angle), 0.4f * z));
    }
    grzHullDef def = grzDefaultHullDef();
    def.positions = positions;
    def.pointCount = pointCount;
    grzHull* hull;
    must(grzHull_Create(&def, &hull));
    return hull;
}

static grzConvex drawShape(RestScene* scene, grzRng* rng, HeapKind kind, uint32_t index) {
    if (kind == heapHulls)
        return grzMakeHullShape(scene->hulls[index % REST_HULLS]);
    if (kind == heapCubes)
        return boxOf(0.5f, 0.5f, 0.5f);
    const float x = between(rng, 0.2f, 0.6f), y = between(rng, 0.2f, 0.6f);
    return boxOf(x, y, between(rng, 0.2f, 0.6f));
}

static grzQuat drawRotation(grzRng* rng) {
    const float x = between(rng, -1, 1), y = between(rng, -1, 1), z = between(rng, -1, 1);
    return grzQuat_FromAxisAngle(grzNormalize(grzVec3_Make(x, y, z)), between(rng, 0, 3.1415927f));
}

RestScene makeHeap(HeapKind kind, uint32_t count, float halfWidth, uint64_t seed) {
    grzRng rng = grzRng_Make(seed, 1);
    RestScene scene = makeRest(count);
    addWalls(&scene, halfWidth);
    if (kind == heapHulls)
        for (uint32_t i = 0; i < REST_HULLS; ++i)
            scene.hulls[i] = makeEgg(&rng, 10 + 2 * i);
    const uint32_t side = (uint32_t)((2 * halfWidth - 0.3f) / SPACING);
    const float first = -0.5f * SPACING * (float)(side - 1);
    for (uint32_t i = 0; i < count; ++i) {
        const float x = first + SPACING * (float)(i % side) + between(&rng, -0.05f, 0.05f);
        const float z = first + SPACING * (float)(i / side % side) + between(&rng, -0.05f, 0.05f);
        const grzConvex shape = drawShape(&scene, &rng, kind, i);
        add(&scene, shape, grzVec3_Make(x, 1.5f + SPACING * (float)(i / (side * side)), z), drawRotation(&rng));
    }
    return scene;
}

RestScene makePyramid(uint32_t rows) {
    RestScene scene = makeRest(rows * (rows + 1) / 2);
    for (uint32_t row = 0; row < rows; ++row)
        for (uint32_t i = 0; i < rows - row; ++i)
            add(&scene, boxOf(0.5f, 0.5f, 0.5f),
                grzVec3_Make((float)i - 0.5f * (float)(rows - row - 1), 0.5f + (float)row, 0), grzQuat_Identity());
    return scene;
}

RestScene makeTower(uint32_t count, float height) {
    RestScene scene = makeRest(count);
    for (uint32_t i = 0; i < count; ++i)
        add(&scene, boxOf(0.5f, 0.5f * height, 0.5f), grzVec3_Make(0, (0.5f + (float)i) * height, 0),
            grzQuat_Identity());
    return scene;
}

static double energyOf(const grzBodyView* view, const grzMass* mass) {
    const grzVec3 spin = grzQuat_RotateInverse(view->rotation, view->spin);
    const double x = (double)spin.x, y = (double)spin.y, z = (double)spin.z;
    const grzVec3d d = mass->diagonal, m = mass->mixed;
    const double turning = d.x * x * x + d.y * y * y + d.z * z * z + 2 * (m.x * x * y + m.y * x * z + m.z * y * z);
    return 0.5 * ((double)view->mass * (double)grzLengthSq(view->velocity) + (double)DENSITY * turning);
}

static RestMotion motionOf(const RestScene* scene) {
    RestMotion motion = {0, 0, 0};
    for (uint32_t i = 0; i < scene->count; ++i) {
        const grzBodyView view = viewOf(scene->world, scene->ids[i]);
        const double speed = (double)grzLength(view.velocity);
        motion.meanSpeed += speed / (double)scene->count;
        motion.greatestSpeed = fmax(motion.greatestSpeed, speed);
        motion.energy += energyOf(&view, &scene->masses[i]);
    }
    return motion;
}

RestMotion stepToRest(RestScene* scene, uint32_t seconds) {
    RestMotion most = {0, 0, 0};
    for (uint32_t i = 0; i < 60 * seconds; ++i) {
        must(grzWorld_Step(scene->world, 1.0f / 60.0f));
        if (i + 60 < 60 * seconds)
            continue;
        const RestMotion motion = motionOf(scene);
        most.meanSpeed = fmax(most.meanSpeed, motion.meanSpeed);
        most.greatestSpeed = fmax(most.greatestSpeed, motion.greatestSpeed);
        most.energy = fmax(most.energy, motion.energy);
    }
    return most;
}

static int ascending(const void* a, const void* b) {
    const double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

RestMotion restOfHeaps(HeapKind kind, uint32_t count, float halfWidth, uint32_t seconds) {
    enum { HEAPS = 5 };
    double mean[HEAPS], greatest[HEAPS], energy[HEAPS];
    for (uint64_t i = 0; i < HEAPS; ++i) {
        RestScene scene = makeHeap(kind, count, halfWidth, i);
        const RestMotion motion = stepToRest(&scene, seconds);
        releaseScene(&scene);
        mean[i] = motion.meanSpeed;
        greatest[i] = motion.greatestSpeed;
        energy[i] = motion.energy;
    }
    qsort(mean, HEAPS, sizeof mean[0], ascending);
    qsort(greatest, HEAPS, sizeof greatest[0], ascending);
    qsort(energy, HEAPS, sizeof energy[0], ascending);
    return (RestMotion){mean[HEAPS / 2], greatest[HEAPS / 2], energy[HEAPS / 2]};
}

void mustBeBelow(double value, double bound, const char* what) {
    if (!(value < bound))
        fail_msg("%s: %g is not below %g", what, value, bound);
}

void mustStandStill(RestScene scene, uint32_t seconds, double energy) {
    const RestMotion motion = stepToRest(&scene, seconds);
    releaseScene(&scene);
    mustBeBelow(motion.energy, energy, "energy");
}
