// Nearest points beside those of a fine search, on segments and triangles of all kinds: without length, without area, slivers.
#include "nearest.h"

#include "rng.h"
#include "testing.h"

static double between(grzRng* rng, double lower, double upper) {
    return lower + (upper - lower) * grzRng_Double(rng);
}

static grzVec3d drawPoint(grzRng* rng) {
    const double x = between(rng, -1, 1), y = between(rng, -1, 1), z = between(rng, -1, 1);
    return grzVec3d_Make(x, y, z);
}

// Some are without length, some very short.
static grzVec3d drawSide(grzRng* rng) {
    static const double sizes[] = {0, 1e-9, 1e-3, 2, 2, 2};
    return grzVec3d_Scale(drawPoint(rng), sizes[grzRng_Below(rng, 6)]);
}

static double distanceAt(grzVec3d from, double s, grzVec3d d) {
    return grzVec3d_Length(grzVec3d_Sub(from, grzVec3d_Scale(d, s)));
}

static void noPointOfASegmentIsNearer(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(1211), 0);
    int counts[3] = {0};
    for (int round = 0; round < 5000; ++round) {
        const grzVec3d from = drawPoint(&rng), d = drawSide(&rng);
        const double s = grzNearest_OnSegment(from, d), found = grzNearest_SegmentDistance(from, d);
        assert_true(s >= 0 && s <= 1 && found == distanceAt(from, s, d));
        for (int i = 0; i <= 100; ++i)
            assert_true(distanceAt(from, i / 100.0, d) >= found - 1e-14);
        ++counts[s <= 0 ? 0 : s < 1 ? 1 : 2];
    }
    assert_true(counts[0] > 500 && counts[1] > 500 && counts[2] > 100);
}

// Distances of two segments are convex: no point is nearer where none is when either of the two moves alone, nor when both do.
static void noPointsOfTwoSegmentsAreNearer(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(1212), 0);
    int inside = 0;
    for (int round = 0; round < 5000; ++round) {
        const grzVec3d r = drawPoint(&rng), d = drawSide(&rng);
        grzVec3d e = drawSide(&rng);
        if (round % 4 == 0) // side by side, or nearly so
            e = grzVec3d_AddScaled(grzVec3d_Scale(d, between(&rng, -2, 2)), round % 8 == 0 ? 0 : 1e-7, e);
        double s, t;
        grzNearest_OfSegments(d, e, r, &s, &t);
        assert_true(s >= 0 && s <= 1 && t >= 0 && t <= 1);
        const double found = distanceAt(grzVec3d_AddScaled(r, t, e), s, d);
        for (int i = 0; i <= 20; ++i)
            assert_true(grzNearest_SegmentDistance(grzVec3d_AddScaled(r, i / 20.0, e), d) >= found - 1e-7);
        const grzNearestLines lines = grzNearest_OfLines(d, e, r);
        if (!(lines.all > 1e-6) || !(lines.s > 0 && lines.s < lines.all && lines.t > 0 && lines.t < lines.all))
            continue;
        ++inside; // then the line between the two is across both
        const grzVec3d apart = grzVec3d_Sub(grzVec3d_AddScaled(r, t, e), grzVec3d_Scale(d, s));
        assert_true(fabs(grzVec3d_Dot(apart, d)) < 1e-9 && fabs(grzVec3d_Dot(apart, e)) < 1e-9);
        assert_true(fabs(s - lines.s / lines.all) == 0 && fabs(t - lines.t / lines.all) < 1e-9);
    }
    assert_true(inside > 100);
}

static void drawTriangle(grzRng* rng, int round, grzVec3d corners[3]) {
    static const double heights[] = {1, 1, 1e-3, 1e-9, 0};
    corners[0] = drawPoint(rng);
    const grzVec3d side = grzVec3d_Scale(drawPoint(rng), 2), other = grzVec3d_Scale(drawPoint(rng), 2);
    corners[1] = grzVec3d_Add(corners[0], side);
    corners[2] = grzVec3d_AddScaled(corners[0], between(rng, -1, 2), side);
    corners[2] = grzVec3d_AddScaled(corners[2], heights[round % 5], other);
    if (round % 50 == 49)
        corners[1] = corners[2] = corners[0];
}

static void checkZeros(const double weights[3], int counts[3]) {
    int zeros = 0;
    for (int k = 0; k < 3; ++k) {
        assert_true(weights[k] >= -1e-15 && weights[k] <= 1);
        zeros += weights[k] == 0;
    }
    assert_true(zeros < 3 && fabs(weights[0] + weights[1] + weights[2] - 1) < 1e-15);
    ++counts[zeros];
}

static void noPointOfATriangleIsNearer(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(1213), 0);
    int counts[3] = {0};
    for (int round = 0; round < 5000; ++round) {
        grzVec3d corners[3];
        drawTriangle(&rng, round, corners);
        const grzVec3d p = drawPoint(&rng);
        double weights[3];
        grzNearest_OnTriangle(corners, p, weights);
        checkZeros(weights, counts);
        const double found = grzVec3d_Length(grzVec3d_Sub(p, grzNearest_Weighted(corners, weights)));
        for (int i = 0; i <= 20; ++i) {
            for (int k = 0; k + i <= 20; ++k) {
                const double others[3] = {i / 20.0, k / 20.0, (20 - i - k) / 20.0};
                assert_true(grzVec3d_Length(grzVec3d_Sub(p, grzNearest_Weighted(corners, others))) >= found - 1e-6);
            }
        }
    }
    assert_true(counts[0] > 100 && counts[1] > 500 && counts[2] > 500);
}

// A corner itself, exactly: what asks for features counts on it.
static void cornersAreExact(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(1214), 0);
    for (int round = 0; round < 1000; ++round) {
        grzVec3d corners[3];
        drawTriangle(&rng, 0, corners);
        for (int k = 0; k < 3; ++k) {
            const grzVec3d middle = grzVec3d_Scale(grzVec3d_Add(corners[(k + 1) % 3], corners[(k + 2) % 3]), 0.5);
            const grzVec3d out = grzVec3d_Sub(corners[k], middle);
            double weights[3];
            grzNearest_OnTriangle(corners, grzVec3d_AddScaled(corners[k], 1e3, out), weights);
            const grzVec3d at = grzNearest_Weighted(corners, weights);
            if (weights[k] == 1)
                assert_true(at.x == corners[k].x && at.y == corners[k].y && at.z == corners[k].z);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(noPointOfASegmentIsNearer),
        cmocka_unit_test(noPointsOfTwoSegmentsAreNearer),
        cmocka_unit_test(noPointOfATriangleIsNearer),
        cmocka_unit_test(cornersAreExact),
    };
    return cmocka_run_group_tests_name("nearest", tests, NULL, NULL);
}
