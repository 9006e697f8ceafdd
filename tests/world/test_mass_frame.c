// Principal axes: of tensors that were made from known ones, of boxes and balls, of what is no tensor of a solid.
#include "testing.h"

#include <math.h>

#include "mass_frame.h"
#include "rng.h"

static grzMass massOf(const double moments[3], double m[3][3]) {
    double t[3][3];
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            t[i][j] =
                (m[0][i] * m[0][j] * moments[0] + m[1][i] * m[1][j] * moments[1]) + m[2][i] * m[2][j] * moments[2];
    const grzMass mass = {1, grzVec3d_Make(0, 0, 0), grzVec3d_Make(t[0][0], t[1][1], t[2][2]),
                          grzVec3d_Make(t[0][1], t[0][2], t[1][2])};
    return mass;
}

// Columns of the rotation of a unit quaternion, in double.
static void columnsOf(grzQuat turn, double m[3][3]) {
    const double x = (double)turn.x, y = (double)turn.y, z = (double)turn.z, w = (double)turn.w;
    const double n = 2 / ((x * x + y * y) + (z * z + w * w));
    const double all[3][3] = {{1 - n * (y * y + z * z), n * (x * y + w * z), n * (x * z - w * y)},
                              {n * (x * y - w * z), 1 - n * (x * x + z * z), n * (y * z + w * x)},
                              {n * (x * z + w * y), n * (y * z - w * x), 1 - n * (x * x + y * y)}};
    memcpy(m, all, sizeof all);
}

static double sizeOf(const double moments[3]) {
    return fmax(moments[0], fmax(moments[1], moments[2]));
}

// The frame makes the tensor again.
static void checkFrame(const grzMass* mass) {
    grzMassFrame frame;
    double m[3][3];
    assert_true(grzMassFrame_Make(mass, &frame));
    assert_true(grzQuat_IsUnit(frame.rotation) && frame.rotation.w >= 0);
    columnsOf(frame.rotation, m);
    const grzMass again = massOf(frame.moments, m);
    const double room = 1e-6 * sizeOf(frame.moments);
    assert_true(grzVec3d_Length(grzVec3d_Sub(again.diagonal, mass->diagonal)) <= room);
    assert_true(grzVec3d_Length(grzVec3d_Sub(again.mixed, mass->mixed)) <= room);
}

static int compareDoubles(const void* p, const void* q) {
    const double a = *(const double*)p, b = *(const double*)q;
    return (a > b) - (a < b);
}

static void test_random_tensors(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(401), 0);
    for (int i = 0; i < 2000; ++i) {
        double moments[3], m[3][3];
        for (int k = 0; k < 3; ++k)
            moments[k] = (double)grzRng_Float(&rng) + 0.01;
        if (i % 3 == 0)
            moments[2] = moments[1];
        const grzQuat turn = grzQuat_Normalize(grzQuat_Make(grzRng_Float(&rng) - 0.5f, grzRng_Float(&rng) - 0.5f,
                                                            grzRng_Float(&rng) - 0.5f, grzRng_Float(&rng) - 0.5f));
        columnsOf(turn, m);
        const grzMass mass = massOf(moments, m);
        checkFrame(&mass);
        grzMassFrame frame;
        assert_true(grzMassFrame_Make(&mass, &frame));
        qsort(moments, 3, sizeof *moments, compareDoubles);
        qsort(frame.moments, 3, sizeof *moments, compareDoubles);
        for (int k = 0; k < 3; ++k)
            assert_true(fabs(moments[k] - frame.moments[k]) <= 1e-8 * moments[2]);
    }
}

// Whatever the order of sizes, and for equal moments, with products as small as rounding leaves them.
static void test_diagonal_tensors_keep_their_axes(void** state) {
    (void)state;
    static const double all[][3] = {{1, 2, 3}, {3, 2, 1}, {2, 3, 1}, {1, 1, 1}, {2, 1, 2}, {1e-9, 2e-9, 1e-9}};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i) {
        const double* d = all[i];
        const double little = 1e-15 * sizeOf(d);
        const grzMass mass = {1, grzVec3d_Make(0, 0, 0), grzVec3d_Make(d[0], d[1], d[2]),
                              grzVec3d_Make(little, -little, little)};
        const grzQuat identity = grzQuat_Identity();
        grzMassFrame frame;
        assert_true(grzMassFrame_Make(&mass, &frame));
        assert_memory_equal(&frame.rotation, &identity, sizeof identity);
        assert_memory_equal(frame.moments, d, 3 * sizeof *d);
    }
}

static void test_boxes_and_balls(void** state) {
    (void)state;
    const grzConvex shapes[] = {grzMakeBox(grzVec3_Make(3, -7, 11), grzVec3_Make(0.5f, 2, 1)),
                                grzMakeSphere(grzVec3_Make(1000, 2, 3), 0.25f),
                                grzMakeCapsule(grzVec3_Make(0, -1, 0), grzVec3_Make(0, 1, 0), 0.5f)};
    const grzQuat identity = grzQuat_Identity();
    for (int i = 0; i < 3; ++i) {
        const grzMass mass = grzConvex_Mass(&shapes[i]);
        grzMassFrame frame;
        assert_true(grzMassFrame_Make(&mass, &frame));
        assert_memory_equal(&frame.rotation, &identity, sizeof identity);
    }
    const grzConvex leaning = grzMakeCapsule(grzVec3_Make(-1, -2, 0.5f), grzVec3_Make(1, 2, 1), 0.5f);
    const grzMass mass = grzConvex_Mass(&leaning);
    checkFrame(&mass);
}

// A turn about z by 30 degrees, by hand: moments 1 and 3 give a product of inertia of -sin 60 in the frame's tensor.
static void test_known_turn(void** state) {
    (void)state;
    const double product = -sqrt(3.0) / 2;
    const grzMass mass = {1, grzVec3d_Make(0, 0, 0), grzVec3d_Make(1.5, 2.5, 4), grzVec3d_Make(product, 0, 0)};
    grzMassFrame frame;
    assert_true(grzMassFrame_Make(&mass, &frame));
    assert_true(fabs(frame.moments[0] - 1) < 1e-12 && fabs(frame.moments[1] - 3) < 1e-12);
    assert_true(frame.moments[2] == 4);
    assert_true(fabsf(frame.rotation.z - sinf(3.14159265f / 12)) < 1e-6f && frame.rotation.x == 0);
}

static void test_what_is_no_solid(void** state) {
    (void)state;
    const double bad[][6] = {{0, 0, 0, 0, 0, 0}, {1, 1, 0, 0, 0, 0},           {1, 1, -1, 0, 0, 0},
                             {1, 1, 1, 2, 0, 0}, {(double)NAN, 1, 1, 0, 0, 0}, {1, 1, 1, 0, (double)INFINITY, 0}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
        const double* b = bad[i];
        const grzMass mass = {1, grzVec3d_Make(0, 0, 0), grzVec3d_Make(b[0], b[1], b[2]),
                              grzVec3d_Make(b[3], b[4], b[5])};
        grzMassFrame frame;
        assert_false(grzMassFrame_Make(&mass, &frame));
        assert_true(frame.rotation.w == 1 && frame.moments[0] == 0 && frame.moments[2] == 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_tensors),   cmocka_unit_test(test_diagonal_tensors_keep_their_axes),
        cmocka_unit_test(test_boxes_and_balls),  cmocka_unit_test(test_known_turn),
        cmocka_unit_test(test_what_is_no_solid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
