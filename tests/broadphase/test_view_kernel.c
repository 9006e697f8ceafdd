// view_kernel.c, plane_test.h, view_forms.c: boxes that all but touch planes and pixels, at every SIMD level,
// against the same forms in double: whatever floats round away, nothing is ruled out that must not be.
#include "testing.h"

#include "simd_dispatch.h"
#include "view_kernel.h"
#include "visibility_scenes.h"

// The kernels as the level in force has them, on one box.
typedef struct OneBox {
    float columns[6][view_lanes];
} OneBox;

static void setLanes(OneBox* one, grzBox box) {
    for (int k = 0; k < view_lanes; ++k) {
        for (int axis = 0; axis < 3; ++axis) {
            one->columns[axis][k] = grzVec3_Get(box.lower, axis);
            one->columns[axis + 3][k] = grzVec3_Get(box.upper, axis);
        }
    }
}

static uint32_t clip(const LocalView* view, const OneBox* one, uint32_t* crossed) {
    const float* const sides[6] = {one->columns[0], one->columns[1], one->columns[2],
                                   one->columns[3], one->columns[4], one->columns[5]};
    uint32_t all[view_lanes];
    uint32_t seen = GRZ_PICK_KERNEL(grzClipBoxes)(view, 1, sides, 0xffff, all);
    assert_true(seen == 0 || seen == 0xffff); // all lanes alike
    *crossed = all[3];
    return seen;
}

static grzBox randomBox(grzRng* rng) {
    float scale = ldexpf(1, (int)grzRng_Below(rng, 24) - 6);
    return sceneBox(grzScale(scenePoint(rng, 1), scale), grzAbs(grzScale(scenePoint(rng, 0.5f), scale)));
}

// The least and the most of offset - n . p on a box.
static void rangeOn(const grzHalfSpace* plane, grzBox box, double* least, double* most) {
    *least = *most = (double)plane->offset;
    for (int i = 0; i < 3; ++i) {
        double n = (double)grzVec3_Get(plane->normal, i);
        double a = n * (double)grzVec3_Get(box.lower, i), b = n * (double)grzVec3_Get(box.upper, i);
        *least -= fmax(a, b);
        *most -= fmin(a, b);
    }
}

static void boxesThatAllButTouchAPlaneAreKept(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(61), 0);
    uint32_t touching = 0;
    for (int round = 0; round < 40000; ++round) {
        grzBox box = randomBox(&rng);
        grzHalfSpace plane = {scenePoint(&rng, 1), 0};
        double least, most;
        rangeOn(&plane, box, &least, &most);
        // So that the box's last corner is on the plane but for the rounding of the offset; or its first one.
        plane.offset = (float)(round % 2 == 0 ? -most : -least);
        rangeOn(&plane, box, &least, &most);
        RootView root = grzMakeRootView(&plane, 1, NULL, 2, 2);
        root.eye = round % 3 == 0 ? scenePoint(&rng, 100) : grzVec3_Zero();
        LinearFrame frame = grzRootFrame();
        LocalView view = grzMakeLocalView(&root, &frame);
        OneBox one;
        setLanes(&one, box);
        uint32_t crossed, seen = clip(&view, &one, &crossed);
        if (most >= 0)
            assert_true(seen != 0);
        if (least < 0)
            assert_true(seen == 0 || crossed == 1);
        touching += most >= 0 && most < 1e-6 * (double)fabsf(plane.offset);
        // Clearly out, and clearly in, are told.
        plane.offset =
            (float)(-most + (double)plane.offset - 1e-5 * (double)grzLength(box.upper) - 1e-5 * (most - least));
        root = grzMakeRootView(&plane, 1, NULL, 2, 2);
        view = grzMakeLocalView(&root, &frame);
        assert_int_equal(clip(&view, &one, &crossed), 0);
    }
    assert_true(touching > 5000);
}

// Where in pixels a corner is, in double.
static void projectCorner(const LinearForm rows[3], grzBox box, int corner, double out[3]) {
    for (int row = 0; row < 3; ++row) {
        out[row] = rows[row].d;
        for (int axis = 0; axis < 3; ++axis)
            out[row] += rows[row].n[axis] * (double)grzVec3_Get(corner >> axis & 1 ? box.upper : box.lower, axis);
    }
    out[0] /= out[2], out[1] /= out[2];
}

static void checkProjection(const LinearForm rows[3], const ScreenBoxes* screen, grzBox box, const int size[2]) {
    double least[3], most[3], p[3];
    for (int corner = 0; corner < 8; ++corner) {
        projectCorner(rows, box, corner, p);
        for (int i = 0; i < 3; ++i) {
            least[i] = corner == 0 ? p[i] : fmin(least[i], p[i]);
            most[i] = corner == 0 ? p[i] : fmax(most[i], p[i]);
        }
    }
    if (least[2] <= 0) {
        assert_true(screen->most[0] == INFINITY && screen->x0[0] == 0 && screen->x1[0] == size[0] - 1);
        return;
    }
    assert_true((double)screen->most[0] >= 1 / least[2]);
    const int32_t from[2] = {screen->x0[0], screen->y0[0]}, to[2] = {screen->x1[0], screen->y1[0]};
    for (int i = 0; i < 2; ++i) {
        assert_true(0 <= from[i] && from[i] <= to[i] && to[i] < size[i]);
        double first = fmax(least[i], 0), last = fmin(most[i], size[i]);
        if (first <= last) // of the part on the screen
            assert_true(from[i] <= first && to[i] + 1 >= last);
    }
}

static void pixelsHoldWhatTheyMust(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(62), 0);
    const int size[2] = {4096, 3001};
    for (int round = 0; round < 60000; ++round) {
        grzBox box = randomBox(&rng);
        // Near the box, so that it is large on the screen and its corners at all distances.
        grzVec3 half = grzBox_HalfExtent(box);
        grzVec3 position = grzAdd(grzBox_Center(box), grzMul(scenePoint(&rng, 3), half));
        grzCamera camera = sceneCamera(&rng, position);
        if (round % 2 == 0) { // along a rod from its near end
            float across = sceneFloat(&rng, 0.1f, 2), along = sceneFloat(&rng, 100, 5000);
            box = sceneBox(grzAddScaled(scenePoint(&rng, 0.5f), along + 2, camera.forward),
                           grzAbs(scenePoint(&rng, across)));
            grzVec3 by = grzScale(camera.forward, along - 1);
            box = grzBox_Union(box, grzBox_Make(grzSub(box.lower, by), grzSub(box.upper, by)));
            camera.position = grzVec3_Zero();
        }
        RootView root = grzMakeRootView(NULL, 0, &camera, size[0], size[1]);
        LinearFrame frame = grzRootFrame();
        LocalView view = grzMakeLocalView(&root, &frame);
        OneBox one;
        setLanes(&one, box);
        const float* const sides[6] = {one.columns[0], one.columns[1], one.columns[2],
                                       one.columns[3], one.columns[4], one.columns[5]};
        ScreenBoxes screen;
        GRZ_PICK_KERNEL(grzProjectBoxes)(&view, sides, &screen);
        checkProjection(root.rows, &screen, box, size);
    }
}

// Values that overflow or are not numbers decide nothing.
static void whatOverflowsIsKept(void** state) {
    (void)state;
    const float big = FLT_MAX;
    // The last box and plane: the sum of the first two products overflows, that of all is above 0.
    const grzBox boxes[5] = {grzBox_Make(grzVec3_Splat(-big), grzVec3_Splat(big)),
                             grzBox_Make(grzVec3_Make(-big, big, -big), grzVec3_Make(-big, big, big)),
                             grzBox_Make(grzVec3_Make(-3e38f, 3e38f, 2e37f), grzVec3_Make(-3e38f, 3e38f, 2e37f)),
                             grzBox_Make(grzVec3_Make(1, 1, 1), grzVec3_Make(1, 1, 1)),
                             grzBox_Make(grzVec3_Splat(big), grzVec3_Splat(big))};
    const grzHalfSpace planes[5] = {{grzVec3_Make(1, 1, 1), 0},
                                    {grzVec3_Make(big, big, big), 0},
                                    {grzVec3_Make(-1.2f, -1.19f, -1), 3e37f},
                                    {grzVec3_Make(1e-45f, 0, 0), 0},
                                    {grzVec3_Make(0.9999f, 0.0003f, -0.9999f), 1.3e36f}};
    for (int i = 0; i < 5; ++i) {
        for (int k = 0; k < 5; ++k) {
            double least, most;
            rangeOn(&planes[k], boxes[i], &least, &most);
            RootView root = grzMakeRootView(&planes[k], 1, NULL, 2, 2);
            LinearFrame frame = grzRootFrame();
            LocalView view = grzMakeLocalView(&root, &frame);
            OneBox one;
            setLanes(&one, boxes[i]);
            uint32_t crossed, seen = clip(&view, &one, &crossed);
            assert_true(seen != 0 || most < 0);
            assert_true(crossed == 1 || seen == 0 || least >= 0);
        }
    }
}

static void onAllLevels(void (*test)(void**)) {
    grzSimdLevel usual = grzSimd_Level();
    for (int level = 0; level < GRZ_SIMD_LEVEL_COUNT; ++level) {
        if (!grzSimd_Supports((grzSimdLevel)level))
            continue;
        grzSimd_Force((grzSimdLevel)level);
        test(NULL);
    }
    grzSimd_Force(usual);
}

static void planesOnAllLevels(void** state) {
    (void)state;
    onAllLevels(boxesThatAllButTouchAPlaneAreKept);
}

static void pixelsOnAllLevels(void** state) {
    (void)state;
    onAllLevels(pixelsHoldWhatTheyMust);
}

static void overflowOnAllLevels(void** state) {
    (void)state;
    onAllLevels(whatOverflowsIsKept);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(planesOnAllLevels),
        cmocka_unit_test(pixelsOnAllLevels),
        cmocka_unit_test(overflowOnAllLevels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
