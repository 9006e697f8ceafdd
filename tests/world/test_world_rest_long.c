// Large heaps and pyramids come to rest. The bounds of heaps are twice in the mean, and four times at most, what Box3D leaves
// in the same heaps without sleeping: 3e-6 and 4e-5 metres a second of cubes, 1e-6 and 1e-5 of bricks and of hulls.
#include "rest_testing.h"

static void mustHeapsRest(HeapKind kind, uint32_t count, float halfWidth, double mean, double greatest) {
    const RestMotion motion = restOfHeaps(kind, count, halfWidth, 60);
    mustBeBelow(motion.meanSpeed, mean, "mean speed");
    mustBeBelow(motion.greatestSpeed, greatest, "greatest speed");
}

static void test_cubesRest(void** state) {
    (void)state;
    mustHeapsRest(heapCubes, 300, 4, 6e-6, 16e-5);
}

static void test_bricksRest(void** state) {
    (void)state;
    mustHeapsRest(heapBricks, 300, 4, 2e-6, 4e-5);
}

static void test_hullsRest(void** state) {
    (void)state;
    mustHeapsRest(heapHulls, 1000, 7.3f, 2e-6, 4e-5);
}

static void test_pyramidsRest(void** state) {
    (void)state;
    mustStandStill(makePyramid(20), 20, 1e-3);
    mustStandStill(makePyramid(40), 20, 1e-3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cubesRest),
        cmocka_unit_test(test_bricksRest),
        cmocka_unit_test(test_hullsRest),
        cmocka_unit_test(test_pyramidsRest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
