// The scene of the stage "pairs", and the sweep by which the bench checks everybody: against all pairs.
#include "testing.h"

#include <math.h>

#include "moving_boxes.h"
#include "pair_sweep.h"
#include "rng.h"

static Bench makeBench(void) {
    static const BenchCase running = {"test", "", NULL, 0};
    return (Bench){.allocator = grzDefaultAllocator(), .running = &running};
}

static size_t countAll(const grzBox* boxes, size_t count, grzBodyPair* pairs) {
    size_t found = 0;
    for (uint32_t a = 0; a < count; ++a)
        for (uint32_t b = a + 1; b < count; ++b)
            if (grzBox_Overlap(boxes[a], boxes[b]))
                pairs[found++] = grzMakeBodyPair(a, b);
    return found;
}

static int comparePairs(const void* p, const void* q) {
    const grzBodyPair *x = p, *y = q;
    return x->a != y->a ? (x->a > y->a) - (x->a < y->a) : (x->b > y->b) - (x->b < y->b);
}

static void assertSweepIsRight(const grzBox* boxes, size_t count) {
    grzBodyPair* pairs = malloc(count * count * sizeof *pairs);
    size_t found = countAll(boxes, count, pairs);
    PairSweep sweep;
    assert_true(PairSweep_Make(&sweep, grzDefaultAllocator(), boxes, count));
    for (int run = 0; run < 2; ++run) {
        PairSweep_Run(&sweep);
        assert_false(sweep.failed);
        assert_int_equal(sweep.pairs.count, found);
        if (found != 0) {
            qsort(sweep.pairs.data, found, sizeof *pairs, comparePairs);
            assert_memory_equal(sweep.pairs.data, pairs, found * sizeof *pairs);
        }
    }
    PairSweep_Release(&sweep);
    free(pairs);
}

static void sweepFindsAllPairs(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(41), 0);
    for (int round = 0; round < 50; ++round) {
        grzBox boxes[60];
        size_t count = 1 + grzRng_Below(&rng, 60);
        for (size_t i = 0; i < count; ++i) { // small whole numbers: many ties, many boxes that only touch
            float x = (float)grzRng_Below(&rng, 20) - 10, y = (float)grzRng_Below(&rng, 6);
            grzVec3 lower = grzVec3_Make(x, y, (float)grzRng_Below(&rng, 6));
            boxes[i] = grzBox_Make(lower, grzAdd(lower, grzVec3_Splat((float)grzRng_Below(&rng, 4))));
        }
        assertSweepIsRight(boxes, count);
    }
}

static void sceneIsAsItSays(void** state) {
    (void)state;
    Bench bench = makeBench();
    MovingBoxes scene;
    assert_true(MovingBoxes_Make(&bench, 500, 10, &scene));
    assert_int_equal(scene.movedCount, 50);
    for (size_t i = 0; i < scene.count; ++i)
        assert_true(scene.halves[i] >= 1 && scene.halves[i] <= 10);
    for (int frame = 0; frame < 400; ++frame) {
        grzVec3 mover = scene.centers[10], rester = scene.centers[11];
        MovingBoxes_Advance(&scene);
        assert_true(fabsf(grzDistance(mover, scene.centers[10]) - 0.5f) < 1e-3f);
        assert_memory_equal(&rester, &scene.centers[11], sizeof rester);
    }
    grzBox room = grzBox_Make(grzVec3_Splat(0), grzVec3_Splat(scene.side));
    for (size_t i = 0; i < scene.count; ++i) {
        grzVec3 half = grzVec3_Splat(scene.halves[i]);
        assert_true(grzBox_ContainsPoint(room, scene.centers[i]));
        grzBox box = grzBox_Make(grzSub(scene.centers[i], half), grzAdd(scene.centers[i], half));
        assert_memory_equal(&scene.boxes[i], &box, sizeof box);
    }
    assertSweepIsRight(scene.boxes, scene.count);
    MovingBoxes_Release(&bench, &scene);
}

// What the demand for speed is stated for.
static void aBoxHasSomeFourNeighboursAndKeepsThem(void** state) {
    (void)state;
    Bench bench = makeBench();
    MovingBoxes scene;
    PairSweep sweep;
    assert_true(MovingBoxes_Make(&bench, 20000, 1, &scene));
    assert_true(PairSweep_Make(&sweep, grzDefaultAllocator(), scene.boxes, scene.count));
    for (int look = 0; look < 2; ++look) {
        PairSweep_Run(&sweep);
        double pairsABox = (double)sweep.pairs.count / (double)scene.count;
        assert_true(pairsABox > 1.7 && pairsABox < 2.1);
        for (int frame = 0; frame < 300; ++frame)
            MovingBoxes_Advance(&scene);
    }
    PairSweep_Release(&sweep);
    MovingBoxes_Release(&bench, &scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sweepFindsAllPairs),
        cmocka_unit_test(sceneIsAsItSays),
        cmocka_unit_test(aBoxHasSomeFourNeighboursAndKeepsThem),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
