// Shagam's scenes: where the spheres lie, and that the trial's variants all find the same.
#include "testing.h"

#include <math.h>

#include "paper_scene.h"
#include "paper_trial.h"

enum { count = 20000 };

static Sphere g_spheres[count];

static void fill(PaperKind kind) {
    grzRng rng = grzRng_Make(3, (uint64_t)kind);
    for (size_t i = 0; i < count; ++i) {
        g_spheres[i] = paperSphere(kind, count, i, &rng);
        assert_true(g_spheres[i].radius >= 1 && g_spheres[i].radius <= 10);
    }
}

// Relative to the cube: its middle is 0, its sides are at -1 and 1.
static grzVec3 placeOf(size_t i) {
    return grzSub(grzScale(g_spheres[i].center, 2 / paperSide(count)), grzVec3_Splat(1));
}

static void uniformFillsTheCube(void** state) {
    (void)state;
    size_t octants[8] = {0};
    fill(paper_uniform);
    for (size_t i = 0; i < count; ++i) {
        grzVec3 p = placeOf(i);
        assert_true(fabsf(p.x) <= 1.001f && fabsf(p.y) <= 1.001f && fabsf(p.z) <= 1.001f);
        octants[(p.x > 0) + 2 * (p.y > 0) + 4 * (p.z > 0)]++;
    }
    for (int i = 0; i < 8; ++i)
        assert_true(octants[i] > count / 8 - 200 && octants[i] < count / 8 + 200);
}

// Five clusters: few cells of a coarse grid hold nearly all.
static void clustersAreFew(void** state) {
    (void)state;
    static size_t cells[8][8][8];
    size_t held = 0, used = 0;
    memset(cells, 0, sizeof cells);
    fill(paper_clustered);
    for (size_t i = 0; i < count; ++i) {
        grzVec3 p = grzScale(grzAdd(placeOf(i), grzVec3_Splat(1)), 4);
        if (p.x >= 0 && p.x < 8 && p.y >= 0 && p.y < 8 && p.z >= 0 && p.z < 8)
            cells[(int)p.x][(int)p.y][(int)p.z]++;
    }
    for (size_t i = 0; i < 512; ++i)
        if ((&cells[0][0][0])[i] > count / 500)
            held += (&cells[0][0][0])[i], used++;
    assert_true(held > count * 8 / 10);
    assert_true(used >= 5 && used <= 60);
}

static void loopIsWhatItSays(void** state) {
    (void)state;
    fill(paper_lissajous);
    for (size_t i = 0; i < count; i += 97) {
        double t = 5000.0 * (double)i / count;
        grzVec3 p = placeOf(i);
        assert_true(fabs((double)p.x - sin(3 * t)) < 1e-4 && fabs((double)p.y - sin(4 * t + 0.5)) < 1e-4 &&
                    fabs((double)p.z - sin(5 * t + 1)) < 1e-4);
    }
}

static void halfIsOnTheSphereAndHalfInTheBall(void** state) {
    (void)state;
    size_t shell = 0, inner = 0;
    fill(paper_sphere);
    for (size_t i = 0; i < count; ++i) {
        float distance = grzLength(placeOf(i));
        shell += distance > 0.979f && distance < 1.001f;
        inner += distance < 0.334f;
    }
    assert_int_equal(shell, count / 2);
    assert_int_equal(inner, count / 2);
}

static void queriesLieInTheCube(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(9, 0);
    for (int i = 0; i < 100; ++i) {
        grzBox box = paperQuery(count, &rng);
        assert_true(box.lower.x >= 0 && box.upper.x <= paperSide(count) + 1e-3f);
        assert_true(fabsf(grzBox_Extent(box).y - 10) < 1e-4f);
        grzBox small = paperQuery(500, &rng); // smaller than the query: around it
        assert_true(small.lower.z < 0 && small.upper.z > paperSide(500));
    }
}

static void movesAreATenthOfTheRadius(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(9, 0);
    Sphere sphere = {grzVec3_Make(1, 2, 3), 5};
    for (int i = 0; i < 100; ++i) {
        Sphere before = sphere;
        moveSphere(&sphere, &rng);
        assert_true(fabsf(grzDistance(before.center, sphere.center) - 0.5f) < 1e-4f);
    }
}

static void allVariantsSeeTheSame(void** state) {
    (void)state;
    BenchOptions options = {.quick = true};
    static const BenchCase running = {"test", "", NULL, 0};
    Bench bench = {.options = &options, .running = &running, .allocator = grzDefaultAllocator()};
    PaperResult results[paper_variantCount];
    for (int kind = 0; kind < PAPER_KIND_COUNT; ++kind) {
        assert_true(paperTrial(&bench, (PaperKind)kind, 4000, results));
        for (size_t v = 0; v < paper_variantCount; ++v) {
            assert_true(results[v].same);
            assert_true(results[v].visibleSet > 100 && results[v].visibleSet == results[0].visibleSet);
            assert_true(results[v].workingSet >= results[v].visibleSet && results[v].workingSet <= 4000);
            assert_true(results[v].depth >= 1);
            assert_true(results[v].queryTime >= 0 && results[v].splitTime >= 0);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(uniformFillsTheCube),   cmocka_unit_test(clustersAreFew),
        cmocka_unit_test(loopIsWhatItSays),      cmocka_unit_test(halfIsOnTheSphereAndHalfInTheBall),
        cmocka_unit_test(queriesLieInTheCube),   cmocka_unit_test(movesAreATenthOfTheRadius),
        cmocka_unit_test(allVariantsSeeTheSame),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
