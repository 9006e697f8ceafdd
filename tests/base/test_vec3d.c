// Vectors of three doubles beside sums that are written out.
#include "vec3d.h"

#include "rng.h"
#include "testing.h"

static double draw(grzRng* rng) {
    return ldexp((double)grzRng_Next(rng) - 0x1p31, (int)grzRng_Below(rng, 12) - 40);
}

static grzVec3d drawVector(grzRng* rng) {
    const double x = draw(rng), y = draw(rng), z = draw(rng);
    return grzVec3d_Make(x, y, z);
}

static bool areEqual(grzVec3d a, grzVec3d b) {
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

static void vectorsAreWhatIsWritten(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(1201), 0);
    for (int round = 0; round < 2000; ++round) {
        const grzVec3d a = drawVector(&rng), b = drawVector(&rng), c = drawVector(&rng), v = drawVector(&rng);
        const grzVec3d columns[3] = {a, b, c};
        const double s = draw(&rng);
        assert_true(
            areEqual(grzVec3d_AddScaled(a, s, b), grzVec3d_Make(a.x + s * b.x, a.y + s * b.y, a.z + s * b.z)));
        assert_true(grzVec3d_Sum(a) == fabs(a.x) + fabs(a.y) + fabs(a.z));
        assert_true(grzVec3d_Largest(a) == fmax(fabs(a.x), fmax(fabs(a.y), fabs(a.z))));
        assert_true(areEqual(grzVec3d_Turn(columns, v),
                             grzVec3d_Make((a.x * v.x + b.x * v.y) + c.x * v.z, (a.y * v.x + b.y * v.y) + c.y * v.z,
                                           (a.z * v.x + b.z * v.y) + c.z * v.z)));
        assert_true(areEqual(grzVec3d_TurnBack(columns, v),
                             grzVec3d_Make(grzVec3d_Dot(a, v), grzVec3d_Dot(b, v), grzVec3d_Dot(c, v))));
        const grzVec3d unit = grzVec3d_Unit(a);
        assert_true(fabs(grzVec3d_Length(unit) - 1) < 1e-15);
        assert_true(grzVec3d_Length(grzVec3d_Sub(grzVec3d_Scale(unit, grzVec3d_Length(a)), a)) <
                    1e-14 * grzVec3d_Length(a));
    }
    assert_true(areEqual(grzVec3d_Unit(grzVec3d_Make(0, -0.0, 0)), grzVec3d_Make(0, 0, 0)));
}

static void rowsAreVectors(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(1202), 0);
    for (int round = 0; round < 2000; ++round) {
        const grzVec3d a = drawVector(&rng), b = drawVector(&rng), n = grzVec3d_Cross(a, b);
        const double rowA[3] = {a.x, a.y, a.z}, rowB[3] = {b.x, b.y, b.z};
        double across[3];
        grzRow_Cross(rowA, rowB, across);
        assert_true(across[0] == n.x && across[1] == n.y && across[2] == n.z);
        assert_true(grzRow_Dot(rowA, rowB) == grzVec3d_Dot(a, b));
        assert_true(grzRow_Largest(rowA) == grzVec3d_Largest(a));
        grzRow_FromVec3(grzVec3d_ToVec3(a), across);
        assert_true(across[0] == (double)(float)a.x && across[1] == (double)(float)a.y &&
                    across[2] == (double)(float)a.z);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vectorsAreWhatIsWritten),
        cmocka_unit_test(rowsAreVectors),
    };
    return cmocka_run_group_tests_name("vec3d", tests, NULL, NULL);
}
