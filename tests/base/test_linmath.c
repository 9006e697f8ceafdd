// linmath.h: the lanes against the plain C twin byte by byte; algebra against double; boxes against exact sums;
// trigonometry against the C library's double functions.
#include "testing.h"

#include <math.h>

#define LINMATH_CASES linmathCasesNative
#include "linmath_cases.h"

// -------------------------------------------------------------------------------------------- the same bytes

static void failWithInput(const LinmathInput* in, const char* name) {
    const uint32_t* words = (const uint32_t*)(const void*)in;
    printf("input of %s:", name);
    for (size_t i = 0; i < sizeof *in / 4; ++i)
        printf(" %08x", words[i]);
    printf("\n");
    fail_msg("%s", name);
}

static void lanesGiveTheBytesOfPlainC(void** state) {
    (void)state;
    static LinmathOutput native, scalar;
    uint64_t seed = testSeed(0x11a7);
    for (int round = 0; round < 30000; ++round) {
        LinmathInput in = caseInput(&seed, round % 2 == 0 ? caseTame : caseWild);
        linmathCasesNative(&in, &native);
        linmathCasesScalar(&in, &scalar);
        assert_int_equal(native.caseCount, scalar.caseCount);
        for (uint32_t i = 0; i < native.caseCount; ++i) {
            uint32_t first = native.firstWords[i], end = native.firstWords[i + 1];
            if (memcmp(native.words + first, scalar.words + first, (end - first) * 4) != 0)
                failWithInput(&in, native.names[i]);
        }
        assert_memory_equal(native.firstWords, scalar.firstWords, native.caseCount * 4);
    }
}

static void padIsWrittenWhateverItWas(void** state) {
    (void)state;
    static LinmathOutput out;
    uint64_t seed = testSeed(0x9ad);
    for (int round = 0; round < 3000; ++round) {
        LinmathInput in = caseInput(&seed, caseWild);
        linmathCasesNative(&in, &out);
        // Of a matrix, a column that is passed through keeps its pad; all that is computed has 0.
        for (uint32_t i = 0; i < out.caseCount; ++i)
            for (uint32_t w = out.firstWords[i] + 3; out.kinds[i] == caseVectors && w < out.firstWords[i + 1];
                 w += 4)
                if (out.words[w] != 0)
                    failWithInput(&in, out.names[i]);
    }
}

// With the pad of every vector changed, all results stay.
static void padIsNeverRead(void** state) {
    (void)state;
    static LinmathOutput before, after;
    uint64_t seed = testSeed(0x9ae);
    for (int round = 0; round < 3000; ++round) {
        LinmathInput in = caseInput(&seed, caseTame);
        linmathCasesNative(&in, &before);
        grzVec3* vectors[] = {&in.a,         &in.b,         &in.c,         &in.t.basis.x,   &in.t.basis.y,
                              &in.t.basis.z, &in.t.origin,  &in.u.basis.x, &in.u.basis.y,   &in.u.basis.z,
                              &in.u.origin,  &in.box.lower, &in.box.upper, &in.other.lower, &in.other.upper};
        for (size_t i = 0; i < sizeof vectors / sizeof *vectors; ++i)
            vectors[i]->w = caseWild(&seed);
        linmathCasesNative(&in, &after);
        for (uint32_t i = 0; i < before.caseCount; ++i) {
            uint32_t first = before.firstWords[i], end = before.firstWords[i + 1];
            if (memcmp(before.words + first, after.words + first, (end - first) * 4) != 0)
                failWithInput(&in, before.names[i]);
        }
    }
}

// How many units in the last place of a float lie between a result and the C library's double.
static double ulpsBetween(float got, double expected) {
    if (isnan(expected))
        return isnan(got) ? 0.0 : (double)INFINITY;
    int exponent;
    frexp(fabs(expected), &exponent);
    return fabs((double)got - expected) / fmax(ldexp(1.0, exponent - 24), 0x1p-149);
}

static void keepLargest(double* worst, double ulps) {
    *worst = ulps > *worst ? ulps : *worst;
}

// --------------------------------------------------------------------------------------------------- vectors

static grzVec3 tame(uint64_t* seed) {
    return caseVector(seed, caseTame);
}

static grzQuat tameRotation(uint64_t* seed) {
    grzQuat q = grzQuat_Identity();
    do
        q = caseQuat4(seed, caseTame);
    while (grzQuat_Dot(q, q) < 0.01f);
    return grzQuat_Normalize(q);
}

static void assertNear(grzVec3 a, grzVec3 b, float tolerance) {
    grzVec3 d = grzAbs(grzSub(a, b));
    if (!(grzMaxElement(d) <= tolerance))
        fail_msg("(%a, %a, %a) is not (%a, %a, %a)", (double)a.x, (double)a.y, (double)a.z, (double)b.x,
                 (double)b.y, (double)b.z);
}

static bool isSame(float a, float b) {
    return grzFloatBits(a) == grzFloatBits(b);
}

static void sumsHaveTheirOrder(void** state) {
    (void)state;
    // Each order of this sum gives another result: (1 + 2^-24) + 2^-24 = 1, but 1 + (2^-24 + 2^-24) > 1.
    grzVec3 one = grzVec3_Splat(1.0f);
    assert_true(grzDot(grzVec3_Make(1.0f, 0x1p-24f, 0x1p-24f), one) == 1.0f);
    assert_true(grzDot(grzVec3_Make(0x1p-24f, 0x1p-24f, 1.0f), one) == 1.0f + 0x1p-23f);
    grzMat3 m = grzMat3_FromRows(grzVec3_Make(1.0f, 0x1p-24f, 0x1p-24f), grzVec3_Make(0x1p-24f, 0x1p-24f, 1.0f),
                                 grzVec3_Make(0x1p-24f, 1.0f, 0x1p-24f));
    grzVec3 expected = grzVec3_Make(1.0f, 1.0f + 0x1p-23f, 1.0f);
    assert_true(grzVec3_IsEqual(grzMat3_Apply(m, one), expected));
    assert_true(grzVec3_IsEqual(grzMat3_ApplyTransposed(grzMat3_Transpose(m), one), expected));
}

static void secondOperandWinsOverNan(void** state) {
    (void)state;
    grzVec3 a = grzVec3_Make(NAN, 1.0f, -0.0f), b = grzVec3_Make(2.0f, NAN, 0.0f);
    grzVec3 least = grzMin(a, b), most = grzMax(a, b);
    assert_true(least.x == 2.0f && least.y != least.y && isSame(least.z, 0.0f));
    assert_true(most.x == 2.0f && most.y != most.y && isSame(most.z, 0.0f));
    assert_true(isSame(grzMin(b, a).z, -0.0f));
}

static void vectorsFollowTheirFormulas(void** state) {
    (void)state;
    uint64_t seed = testSeed(0x7ec);
    for (int round = 0; round < 5000; ++round) {
        grzVec3 a = tame(&seed), b = tame(&seed);
        float s = caseTame(&seed);
        grzVec3 cross = grzVec3_Make(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
        assert_true(grzVec3_IsEqual(grzCross(a, b), cross));
        assert_true(grzDot(a, b) == (a.x * b.x + a.y * b.y) + a.z * b.z);
        assert_true(grzVec3_IsEqual(grzAddScaled(a, s, b), grzAdd(a, grzScale(b, s))));
        assert_true(grzVec3_IsEqual(grzSubScaled(a, s, b), grzSub(a, grzScale(b, s))));
        assert_true(grzVec3_IsEqual(grzLerp(a, b, 0.0f), a) && grzVec3_IsEqual(grzLerp(a, b, 1.0f), b));
        assertNear(grzLerp(a, b, 0.25f), grzAdd(grzScale(a, 0.75f), grzScale(b, 0.25f)), 0x1p-23f);
        assert_true(fabsf(grzDot(grzPerpendicular(a), a)) < 1e-6f);
        assert_true(fabsf(grzLength(grzPerpendicular(a)) - 1.0f) < 1e-6f);
        assert_true(grzVec3_Get(a, grzMaxAxis(a)) == grzMaxElement(a));
        assert_true(grzMinElement(a) == -grzMaxElement(grzNeg(a)));
        assert_true(grzDistance(a, b) == grzLength(grzSub(a, b)));
    }
}

static void lengthAndNormalizeServeAllSizes(void** state) {
    (void)state;
    uint64_t seed = testSeed(0x512e);
    double worst = 0.0;
    for (int round = 0; round < 200000; ++round) {
        grzVec3 a = caseVector(&seed, round % 4 == 0 ? caseWild : caseTame);
        a = grzScale(a, ldexpf(1.0f, (int)(caseRandom(&seed) % 280) - 150));
        if (!grzVec3_IsFinite(a))
            continue;
        long double x = (long double)a.x, y = (long double)a.y, z = (long double)a.z,
                    length = sqrtl(x * x + y * y + z * z);
        float computed = grzLength(a);
        assert_true(length > (long double)FLT_MAX || computed <= FLT_MAX);
        if (length <= (long double)FLT_MAX)
            keepLargest(&worst, ulpsBetween(computed, (double)length));
        if (length == 0.0L)
            assert_true(grzVec3_IsEqual(grzNormalize(a), grzVec3_Zero()));
        else
            assert_true(fabsf(grzLength(grzNormalize(a)) - 1.0f) <= 0x1p-22f);
    }
    printf("length: at most %.3f ulp\n", worst);
    assert_true(worst <= 2.0);
    grzVec3 n = grzNormalize(grzVec3_Make(0.0f, INFINITY, 1.0f));
    assert_true(n.x != n.x && n.y != n.y && n.z != n.z);
    assert_true(grzLength(grzVec3_Make(0x1p-149f, 0.0f, 0.0f)) == 0x1p-149f);
    assert_true(isinf(grzLength(grzVec3_Splat(FLT_MAX))));
    assertNear(grzPerpendicular(grzVec3_Zero()), grzVec3_Make(0.0f, 0.0f, 1.0f), 0.0f);
}

static void finiteIsFinite(void** state) {
    (void)state;
    const float bad[] = {INFINITY, -INFINITY, NAN};
    assert_true(grzVec3_IsFinite(grzVec3_Make(FLT_MAX, -FLT_MAX, 0.0f)));
    for (int i = 0; i < 3; ++i) {
        assert_false(grzVec3_IsFinite(grzVec3_Make(bad[i], 0.0f, 0.0f)));
        assert_false(grzVec3_IsFinite(grzVec3_Make(0.0f, bad[i], 0.0f)));
        assert_false(grzVec3_IsFinite(grzVec3_Make(0.0f, 0.0f, bad[i])));
        assert_false(grzQuat_IsFinite(grzQuat_Make(0.0f, 0.0f, 0.0f, bad[i])));
        assert_false(grzQuat_IsFinite(grzQuat_Make(bad[i], 0.0f, 0.0f, 1.0f)));
        assert_false(grzVec3d_IsFinite(grzVec3d_Make(0.0, (double)bad[i], 0.0)));
        grzTransform t = grzTransform_Identity();
        assert_true(grzTransform_IsFinite(t));
        t.origin.y = bad[i];
        assert_false(grzTransform_IsFinite(t));
        t = grzTransform_Identity();
        t.basis.z.x = bad[i];
        assert_false(grzTransform_IsFinite(t));
    }
}

// ----------------------------------------------------------------------------------------------- quaternions

static void quaternionsRotateLikeTheirMatrices(void** state) {
    (void)state;
    uint64_t seed = testSeed(0x90a7);
    for (int round = 0; round < 5000; ++round) {
        grzQuat p = tameRotation(&seed), q = tameRotation(&seed);
        grzVec3 v = tame(&seed);
        grzMat3 m = grzMat3_FromQuat(q);
        assertNear(grzQuat_Rotate(q, v), grzMat3_Apply(m, v), 2e-6f);
        assertNear(grzQuat_RotateInverse(q, v), grzMat3_ApplyTransposed(m, v), 2e-6f);
        assertNear(grzQuat_Rotate(grzQuat_Multiply(p, q), v), grzQuat_Rotate(p, grzQuat_Rotate(q, v)), 3e-6f);
        assertNear(grzQuat_Rotate(grzQuat_Conjugate(q), grzQuat_Rotate(q, v)), v, 3e-6f);
        assert_true(fabsf(grzMat3_Determinant(m) - 1.0f) < 2e-6f);
        assert_true(fabsf(fabsf(grzQuat_Dot(grzQuat_FromMat3(m), q)) - 1.0f) < 2e-6f);
        assert_true(grzQuat_IsUnit(q) && !grzQuat_IsUnit(grzQuat_Scale(q, 1.001f)));
    }
}

static void matricesOfEveryTurnGiveTheirQuaternion(void** state) {
    (void)state;
    // Each of the four ways of FromMat3, and half turns, where w is 0.
    for (int i = 0; i < 81; ++i) {
        grzQuat q =
            grzQuat_Make((float)(i % 3 - 1), (float)(i / 3 % 3 - 1), (float)(i / 9 % 3 - 1), (float)(i / 27 - 1));
        if (grzQuat_Dot(q, q) == 0.0f)
            continue;
        q = grzQuat_Normalize(q);
        grzQuat back = grzQuat_FromMat3(grzMat3_FromQuat(q));
        assert_true(fabsf(fabsf(grzQuat_Dot(back, q)) - 1.0f) < 1e-6f);
    }
}

static void integrationConverges(void** state) {
    (void)state;
    uint64_t seed = testSeed(0x137);
    for (int round = 0; round < 500; ++round) {
        grzVec3 omega = tame(&seed);
        grzQuat q = tameRotation(&seed);
        float speed = grzLength(omega);
        grzQuat expected = grzQuat_Multiply(grzQuat_FromAxisAngle(grzScale(omega, 1.0f / speed), speed * 0.1f), q);
        grzQuat d = grzQuat_AddScaled(grzQuat_Integrate(q, omega, 0.1f), -1.0f, expected);
        float bound = speed * 0.1f * (speed * speed * 0.01f) / 24.0f * 1.1f + 3e-7f;
        assert_true(grzQuat_Dot(d, d) <= bound * bound);
    }
}

static void quaternionsWithoutLengthBecomeTheIdentity(void** state) {
    (void)state;
    const float bad[] = {0.0f, 1e-30f, 1e30f, INFINITY, NAN};
    for (int i = 0; i < 5; ++i) {
        grzQuat q = grzQuat_Normalize(grzQuat_Make(bad[i], bad[i], bad[i], bad[i]));
        assert_true(q.x == 0.0f && q.y == 0.0f && q.z == 0.0f && q.w == 1.0f);
    }
}

// -------------------------------------------------------------------------------------------------- matrices

static void assertIdentity(grzMat3 m, float tolerance) {
    assertNear(m.x, grzVec3_Make(1.0f, 0.0f, 0.0f), tolerance);
    assertNear(m.y, grzVec3_Make(0.0f, 1.0f, 0.0f), tolerance);
    assertNear(m.z, grzVec3_Make(0.0f, 0.0f, 1.0f), tolerance);
}

static void matricesMultiplyLikeTheirMaps(void** state) {
    (void)state;
    uint64_t seed = testSeed(0x3a7);
    for (int round = 0; round < 3000; ++round) {
        grzMat3 a = caseTransform(&seed, caseTame).basis, b = caseTransform(&seed, caseTame).basis;
        grzVec3 v = tame(&seed), w = tame(&seed);
        assertNear(grzMat3_Apply(grzMat3_Multiply(a, b), v), grzMat3_Apply(a, grzMat3_Apply(b, v)), 3e-6f);
        assertNear(grzMat3_Apply(grzMat3_MultiplyTransposed(a, b), v),
                   grzMat3_ApplyTransposed(a, grzMat3_Apply(b, v)), 3e-6f);
        assertNear(grzMat3_Apply(grzMat3_Add(a, b), v), grzAdd(grzMat3_Apply(a, v), grzMat3_Apply(b, v)), 2e-6f);
        assertNear(grzMat3_Apply(grzMat3_Sub(a, b), v), grzSub(grzMat3_Apply(a, v), grzMat3_Apply(b, v)), 2e-6f);
        assertNear(grzMat3_Apply(grzMat3_ScaleColumns(a, w), v), grzMat3_Apply(a, grzMul(w, v)), 2e-6f);
        assertNear(grzMat3_Apply(grzMat3_Diagonal(w), v), grzMul(w, v), 0.0f);
        assertNear(grzMat3_Apply(grzMat3_Outer(w, a.x), v), grzScale(w, grzDot(a.x, v)), 2e-6f);
        assertNear(grzMat3_Apply(grzMat3_Skew(w), v), grzCross(w, v), 1e-6f);
        assert_true(fabsf(grzMat3_Determinant(grzMat3_Multiply(a, b)) -
                          grzMat3_Determinant(a) * grzMat3_Determinant(b)) < 1e-5f);
    }
}

static void inversesInvert(void** state) {
    (void)state;
    uint64_t seed = testSeed(0x1e5);
    for (int round = 0; round < 5000; ++round) {
        grzMat3 m = caseTransform(&seed, caseTame).basis;
        float scale = ldexpf(1.0f, (int)(caseRandom(&seed) % 200) - 100);
        float determinant = fabsf(grzMat3_Determinant(m));
        if (determinant < 1e-2f)
            continue;
        assertIdentity(grzMat3_Multiply(grzMat3_Inverse(m), m), 1e-6f / determinant);
        assertIdentity(grzMat3_Multiply(grzMat3_Inverse(grzMat3_Scale(m, scale)), grzMat3_Scale(m, scale)),
                       1e-6f / determinant);
    }
    grzMat3 singular = grzMat3_FromColumns(grzVec3_Make(1.0f, 2.0f, 3.0f), grzVec3_Make(2.0f, 4.0f, 6.0f),
                                           grzVec3_Make(0.0f, 1.0f, 5.0f));
    grzMat3 zero = grzMat3_Zero(), got = grzMat3_Inverse(singular);
    assert_memory_equal(&got, &zero, sizeof got);
    singular.x.x = INFINITY;
    got = grzMat3_Inverse(singular);
    assert_memory_equal(&got, &zero, sizeof got);
}

static void transformsComposeAndInvert(void** state) {
    (void)state;
    uint64_t seed = testSeed(0x7a5);
    for (int round = 0; round < 3000; ++round) {
        grzTransform a = grzTransform_FromQuat(tameRotation(&seed), tame(&seed));
        grzTransform b = grzTransform_FromQuat(tameRotation(&seed), tame(&seed));
        grzVec3 p = tame(&seed);
        assertNear(grzTransform_Apply(grzTransform_Multiply(a, b), p),
                   grzTransform_Apply(a, grzTransform_Apply(b, p)), 3e-6f);
        assertNear(grzTransform_Apply(grzTransform_Inverse(a), grzTransform_Apply(a, p)), p, 3e-6f);
        assertNear(grzTransform_ApplyInverse(a, grzTransform_Apply(a, p)), p, 3e-6f);
        assertNear(grzTransform_ApplyInverseVector(a, grzTransform_ApplyVector(a, p)), p, 3e-6f);
        assertNear(grzTransform_Apply(grzTransform_Relative(a, b), p),
                   grzTransform_ApplyInverse(a, grzTransform_Apply(b, p)), 3e-6f);
        a.basis = grzMat3_ScaleColumns(a.basis, grzVec3_Make(0.5f, -2.0f, 1.0f));
        assertNear(grzTransform_Apply(grzTransform_InverseAffine(a), grzTransform_Apply(a, p)), p, 1e-5f);
        assertNear(grzTransform_Apply(grzTransform_Identity(), p), p, 0.0f);
    }
}

// ----------------------------------------------------------------------------------------------------- boxes

// The sign of a sum of at most 8 doubles, exactly: the sum as an expansion whose parts do not overlap, built by
// two-sums. [Shewchuk, Adaptive Precision Floating-Point Arithmetic, 1997] figure 6. No overflow in what is asked
// here.
static int exactSign(const double* terms, int count) {
    double parts[8];
    for (int i = 0; i < count; ++i) {
        double q = terms[i];
        for (int j = 0; j < i; ++j) {
            double sum = q + parts[j], b = sum - q;
            parts[j] = (q - (sum - b)) + (parts[j] - b);
            q = sum;
        }
        parts[i] = q;
    }
    for (int i = count - 1; i >= 0; --i)
        if (parts[i] != 0.0)
            return parts[i] > 0.0 ? 1 : -1;
    return 0;
}

static void exactSignIsExact(void** state) {
    (void)state;
    const double even[] = {1.0, 0x1p-100, -1.0, -0x1p-100}, odd[] = {1.0, -0x1p-100, 0x1p200, -1.0, -0x1p200};
    assert_int_equal(exactSign(even, 4), 0);
    assert_int_equal(exactSign(odd, 5), -1);
}

static float coordinate(grzVec3 v, int axis) {
    return grzVec3_Get(v, axis);
}

// Whether the corner's exact image lies between the bounds on an axis.
static bool holdsCorner(grzBox image, grzTransform t, grzVec3 corner, int axis) {
    double terms[5] = {(double)coordinate(t.origin, axis), (double)coordinate(t.basis.x, axis) * (double)corner.x,
                       (double)coordinate(t.basis.y, axis) * (double)corner.y,
                       (double)coordinate(t.basis.z, axis) * (double)corner.z, 0.0};
    float lower = coordinate(image.lower, axis), upper = coordinate(image.upper, axis);
    terms[4] = -(double)lower;
    bool above = lower == -INFINITY || exactSign(terms, 5) >= 0;
    terms[4] = -(double)upper;
    return above && (upper == INFINITY || exactSign(terms, 5) <= 0);
}

static grzVec3 cornerOf(grzBox box, int corner) {
    return grzVec3_Make((corner & 1) != 0 ? box.upper.x : box.lower.x,
                        (corner & 2) != 0 ? box.upper.y : box.lower.y,
                        (corner & 4) != 0 ? box.upper.z : box.lower.z);
}

// No wider than the exact image by more than 24 rounding errors of the largest term.
static void assertTight(grzTransform t, grzBox box, grzBox image, int axis) {
    double reach = fabs((double)coordinate(t.origin, axis)), size = 0.0;
    const grzVec3 columns[3] = {t.basis.x, t.basis.y, t.basis.z};
    for (int i = 0; i < 3; ++i) {
        double m = fabs((double)coordinate(columns[i], axis));
        double lower = (double)coordinate(box.lower, i), upper = (double)coordinate(box.upper, i);
        reach += m * fmax(fabs(lower), fabs(upper));
        size += m * (upper - lower);
    }
    double slack = (double)coordinate(image.upper, axis) - (double)coordinate(image.lower, axis) - size;
    if (reach < 0x1p127 && slack > 24.0 * 0x1p-24 * reach + 0x1p-145)
        fail_msg("wider by %a, which is %g rounding errors", slack, slack / reach * 0x1p24);
}

static void transformedBoxesHoldTheExactImage(void** state) {
    (void)state;
    uint64_t seed = testSeed(0xb07);
    int tight = 0;
    for (int round = 0; round < 60000; ++round) {
        CaseDraw* draw = round % 3 == 0 ? caseWild : caseTame;
        grzTransform t = caseTransform(&seed, draw);
        grzBox box = caseBox(&seed, draw);
        if (round % 5 == 0)
            t.origin = grzVec3_Zero();
        if (round % 7 == 0)
            box = grzBox_Make(grzScale(box.lower, 0x1p-126f), grzScale(box.upper, 0x1p-126f));
        if (!grzTransform_IsFinite(t) || !grzBox_IsValid(box))
            continue;
        grzBox image = grzBox_Transform(t, box);
        for (int i = 0; i < 24; ++i)
            if (!holdsCorner(image, t, cornerOf(box, i % 8), i / 8))
                fail_msg("round %d: corner %d lost on axis %d", round, i % 8, i / 8);
        for (int i = 0; i < 3; ++i)
            assertTight(t, box, image, i);
        ++tight;
    }
    assert_true(tight > 20000);
}

static void transformedBoxesSurviveOverflow(void** state) {
    (void)state;
    grzTransform t = grzTransform_Identity();
    t.basis = grzMat3_Scale(t.basis, FLT_MAX);
    grzBox image = grzBox_Transform(t, grzBox_Make(grzVec3_Splat(2.0f), grzVec3_Splat(3.0f)));
    assert_true(image.lower.x <= FLT_MAX && image.upper.x == INFINITY);
    image = grzBox_Transform(t, grzBox_Empty());
    assert_true(grzBox_IsEmpty(image));
}

static void assertImageWithout(const grzBox* image, const grzBox* plain, int badAxis) {
    for (int i = 0; i < 3; ++i) {
        bool isBad = badAxis == 3 || i == badAxis;
        float lower = coordinate(image->lower, i), upper = coordinate(image->upper, i);
        assert_true(isSame(lower, isBad ? -INFINITY : coordinate(plain->lower, i)));
        assert_true(isSame(upper, isBad ? INFINITY : coordinate(plain->upper, i)));
    }
}

// A bad number in the box reaches all axes (0 times infinity is a NaN too), one in the transform only its row's.
static void transformedBoxesAreInfiniteWhereANumberIsBad(void** state) {
    (void)state;
    const float bad[] = {NAN, INFINITY, -INFINITY};
    uint64_t seed = testSeed(0xbad);
    for (int round = 0; round < 2000; ++round) {
        grzTransform t = round == 0 ? grzTransform_Identity() : caseTransform(&seed, caseTame);
        grzBox box = {grzVec3_Splat(-1.5f), grzVec3_Splat(2.0f)};
        if (round > 1)
            box = (grzBox){grzSub(tame(&seed), grzVec3_Splat(2.0f)), grzAdd(tame(&seed), grzVec3_Splat(2.0f))};
        const grzBox plain = grzBox_Transform(t, box);
        for (int slot = 0; slot < 18 * 3; ++slot) {
            grzTransform badT = t;
            grzBox badBox = box;
            int vector = slot / 3 % 6, axis = slot % 3;
            grzVec3* vectors[] = {&badT.basis.x, &badT.basis.y, &badT.basis.z,
                                  &badT.origin,  &badBox.lower, &badBox.upper};
            float* numbers[] = {&vectors[vector]->x, &vectors[vector]->y, &vectors[vector]->z};
            *numbers[axis] = bad[slot / 18];
            grzBox image = grzBox_Transform(badT, badBox);
            if (grzBox_IsEmpty(badBox))
                assert_true(grzBox_IsEmpty(image));
            else
                assertImageWithout(&image, &plain, vector < 4 ? axis : 3);
        }
    }
}

static void emptyBoxesStayEmpty(void** state) {
    (void)state;
    const float sizes[] = {0.0f, 1.0f, -1.0f, FLT_MAX, INFINITY, -INFINITY};
    const grzBox boxes[] = {grzBox_Empty(), grzBox_Make(grzVec3_Make(0.0f, 1.0f, 0.0f), grzVec3_Splat(0.5f)),
                            grzBox_Make(grzVec3_Make(0.0f, 0.0f, INFINITY), grzVec3_Splat(FLT_MAX))};
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 6; ++k) {
            assert_true(grzBox_IsEmpty(grzBox_Expand(boxes[i], sizes[k])));
            assert_true(grzBox_IsEmpty(grzBox_Sweep(boxes[i], grzVec3_Splat(sizes[k]))));
            grzTransform t = grzTransform_Identity();
            t.origin = grzVec3_Splat(sizes[k]);
            assert_true(grzBox_IsEmpty(grzBox_Transform(t, boxes[i])));
        }
}

static void expandedAndSweptBoxesAreRoundedOutward(void** state) {
    (void)state;
    uint64_t seed = testSeed(0xe8b);
    for (int round = 0; round < 60000; ++round) {
        CaseDraw* draw = round % 3 == 0 ? caseWild : caseTame;
        grzBox box = caseBox(&seed, draw);
        grzVec3 way = caseVector(&seed, draw);
        float margin = round % 11 == 0 ? 0.0f : draw(&seed);
        if (!grzBox_IsValid(box) || !grzVec3_IsFinite(way) || !(fabsf(margin) <= FLT_MAX))
            continue;
        grzBox grown = grzBox_Expand(box, margin), swept = grzBox_Sweep(box, way);
        assert_true(grzBox_Contains(swept, box));
        for (int i = 0; i < 3; ++i) {
            double l = (double)coordinate(box.lower, i), u = (double)coordinate(box.upper, i);
            double w = (double)coordinate(way, i), m = (double)margin;
            double sums[4][3] = {{l, -m, -(double)coordinate(grown.lower, i)},
                                 {-u, -m, (double)coordinate(grown.upper, i)},
                                 {l, w, -(double)coordinate(swept.lower, i)},
                                 {-u, -w, (double)coordinate(swept.upper, i)}};
            for (int k = 0; k < 4; ++k)
                assert_true(sums[k][2] == (double)INFINITY || exactSign(sums[k], 3) >= 0);
        }
    }
    grzBox unit = grzBox_Expand(grzBox_Make(grzVec3_Splat(-1.0f), grzVec3_Splat(1.0f)), 1.0f);
    assert_true(unit.upper.x >= 2.0f && unit.upper.x <= 2.0f + 0x1p-21f && unit.lower.z == -unit.upper.z);
}

static void floatsAreRoundedOutwardFromDoubles(void** state) {
    (void)state;
    uint64_t seed = testSeed(0xd0b);
    const double specials[] = {0.0,      1.0,     1e300, -1e300, 1e-320, -1e-320, 0x1.fffffep127, 0x1.ffffffp127,
                               0x1p-149, 0x1p-150};
    for (int round = 0; round < 200000; ++round) {
        uint64_t bits = caseRandom(&seed);
        double d;
        memcpy(&d, &bits, sizeof d);
        if (round % 2 == 0)
            d = (double)caseWild(&seed) * (round % 4 == 0 ? 1.0 : 1.0 + 0x1p-40);
        if (round < 20)
            d = round % 2 == 0 ? specials[round / 2] : -specials[round / 2];
        if (d != d)
            continue;
        float down = grzRoundDown(d), up = grzRoundUp(d);
        assert_true((double)down <= d && d <= (double)up);
        assert_true((double)nextafterf(down, INFINITY) > d || down == INFINITY);
        assert_true((double)nextafterf(up, -INFINITY) < d || up == -INFINITY);
    }
    assert_true(isnan(grzRoundDown((double)NAN)) && isnan(grzRoundUp((double)NAN)));
    grzBox box = grzBoxd_ToBox(grzBoxd_Make(grzVec3d_Make(0.1, -0.1, 0.5), grzVec3d_Make(0.1, -0.1, 0.5)));
    assert_true(box.lower.x < box.upper.x && box.lower.y < box.upper.y && box.lower.z == box.upper.z);
}

static void boxesActAsSetsOfPoints(void** state) {
    (void)state;
    // All boxes with corners on a small grid, against the points of the grid.
    uint64_t seed = testSeed(0x5e7);
    for (int round = 0; round < 3000; ++round) {
        grzBox boxes[2];
        for (int i = 0; i < 2; ++i) {
            uint64_t r = caseRandom(&seed);
            boxes[i] = grzBox_Make(grzVec3_Make((float)(r % 4), (float)(r >> 8 & 3), (float)(r >> 16 & 3)),
                                   grzVec3_Make((float)(r >> 24 & 3), (float)(r >> 32 & 3), (float)(r >> 40 & 3)));
        }
        int common = 0, counts[2] = {0, 0};
        grzBox both = grzBox_Intersection(boxes[0], boxes[1]), any = grzBox_Union(boxes[0], boxes[1]);
        for (int i = 0; i < 64; ++i) {
            grzVec3 p = grzVec3_Make((float)(i % 4), (float)(i / 4 % 4), (float)(i / 16));
            bool inA = grzBox_ContainsPoint(boxes[0], p), inB = grzBox_ContainsPoint(boxes[1], p);
            assert_int_equal(grzBox_ContainsPoint(both, p), inA && inB);
            assert_true(!(inA || inB) || grzBox_ContainsPoint(any, p));
            counts[0] += inA, counts[1] += inB, common += inA && inB;
        }
        assert_int_equal(grzBox_IsEmpty(boxes[0]), counts[0] == 0);
        assert_int_equal(grzBox_IsValid(boxes[1]), counts[1] != 0);
        if (counts[0] == 0 || counts[1] == 0)
            continue;
        assert_int_equal(grzBox_Overlap(boxes[0], boxes[1]), common != 0);
        assert_int_equal(grzBoxd_Overlap(grzBoxd_FromBox(boxes[0]), grzBoxd_FromBox(boxes[1])), common != 0);
        assert_int_equal(grzBox_Contains(boxes[0], boxes[1]), common == counts[1]);
    }
}

static void boxesHaveTheirMeasures(void** state) {
    (void)state;
    grzBox box = grzBox_Make(grzVec3_Make(-1.0f, 0.0f, 2.0f), grzVec3_Make(1.0f, 3.0f, 6.0f));
    assert_true(grzBox_Area(box) == 52.0f && grzBox_Volume(box) == 24.0f);
    assertNear(grzBox_Center(box), grzVec3_Make(0.0f, 1.5f, 4.0f), 0.0f);
    assertNear(grzBox_HalfExtent(box), grzVec3_Make(1.0f, 1.5f, 2.0f), 0.0f);
    assertNear(grzBox_Extent(box), grzVec3_Make(2.0f, 3.0f, 4.0f), 0.0f);
    grzBox empty = grzBox_Empty(), sum = grzBox_Union(empty, box);
    assert_memory_equal(&sum, &box, sizeof sum);
    assert_true(grzBox_IsEmpty(empty) && !grzBox_IsValid(empty) && grzBox_Contains(box, empty));
    assert_true(grzBox_Area(empty) == 0.0f && grzBox_Volume(empty) == 0.0f);
    assert_true(grzBox_IsEmpty(grzBox_Expand(empty, 1.0f)));
    assert_false(grzBox_Overlap(empty, box));
    grzBox bad = box;
    bad.upper.y = NAN;
    assert_false(grzBox_IsValid(bad) || grzBox_Overlap(bad, box) || grzBox_Overlap(box, bad));
    grzBox large = grzBox_Make(grzVec3_Splat(-FLT_MAX), grzVec3_Splat(FLT_MAX));
    assert_true(grzBox_IsValid(large) && grzBox_HalfExtent(large).x == FLT_MAX && grzBox_Center(large).x == 0.0f);
}

// ---------------------------------------------------------------------------------------------- trigonometry

static void sinesAndCosinesAreWithinTheirBound(void** state) {
    (void)state;
    double sine = 0.0, cosine = 0.0;
    for (uint64_t bits = 0; bits < (uint64_t)1 << 32; bits += 4001) {
        float x = grzFloatFromBits((uint32_t)bits), s, c;
        keepLargest(&sine, ulpsBetween(grzSin(x), sin((double)x)));
        keepLargest(&cosine, ulpsBetween(grzCos(x), cos((double)x)));
        grzSinCos(x, &s, &c);
        assert_true((isSame(s, grzSin(x)) && isSame(c, grzCos(x))) || !(fabsf(x) <= FLT_MAX));
        assert_true(isSame(grzSin(-x), -grzSin(x)) || !(fabsf(x) <= FLT_MAX));
        assert_true(isSame(grzCos(-x), grzCos(x)) || !(fabsf(x) <= FLT_MAX));
    }
    printf("sine: at most %.6f ulp, cosine: %.6f\n", sine, cosine);
    assert_true(sine <= 0.50001 && cosine <= 0.50001);
}

static void anglesNearTheSeamsAreWithinTheirBound(void** state) {
    (void)state;
    // Around multiples of pi/4, where quadrants change and the rest is smallest, and where the reductions change.
    double worst = 0.0;
    for (int k = 0; k < 400; ++k) {
        double size = k < 200 ? 0x1.921fb54442d18p-1 * k : ldexp(0x1.921fb54442d18p-1, k - 200);
        float x = k == 399 ? 0x1p19f : size < 3e38 ? (float)size : FLT_MAX;
        for (int i = -20; i <= 20; ++i) {
            float near = grzFloatFromBits(grzFloatBits(x) + (uint32_t)(x > 0.0f ? i : 0));
            if (!(near <= FLT_MAX))
                continue;
            keepLargest(&worst, ulpsBetween(grzSin(near), sin((double)near)));
            keepLargest(&worst, ulpsBetween(grzCos(near), cos((double)near)));
        }
    }
    assert_true(worst <= 0.50001);
}

static void arcCosinesAreWithinTheirBound(void** state) {
    (void)state;
    double worst = 0.0;
    for (uint32_t bits = 0; bits <= 0x3F800000; bits += 2003) {
        float x = grzFloatFromBits(bits);
        keepLargest(&worst, ulpsBetween(grzAcos(x), acos((double)x)));
        keepLargest(&worst, ulpsBetween(grzAcos(-x), acos((double)-x)));
    }
    printf("arc cosine: at most %.6f ulp\n", worst);
    assert_true(worst <= 0.50001);
    const float beyond[] = {1.0f, 0x1.000002p0f, 2.0f, INFINITY};
    for (int i = 0; i < 4; ++i)
        assert_true(isSame(grzAcos(beyond[i]), 0.0f) && isSame(grzAcos(-beyond[i]), (float)acos(-1.0)));
}

static void arcTangentsAreWithinTheirBound(void** state) {
    (void)state;
    uint64_t seed = testSeed(0xa7a);
    double worst = 0.0;
    for (int round = 0; round < 400000; ++round) {
        float y = caseWild(&seed), x = caseWild(&seed);
        keepLargest(&worst, ulpsBetween(grzAtan2(y, x), atan2((double)y, (double)x)));
    }
    printf("arc tangent: at most %.6f ulp\n", worst);
    assert_true(worst <= 0.50001);
}

static void specialAnglesAreExact(void** state) {
    (void)state;
    assert_true(isSame(grzSin(0.0f), 0.0f) && isSame(grzSin(-0.0f), -0.0f) && isSame(grzCos(-0.0f), 1.0f));
    assert_true(isSame(grzSin(0x1p-149f), 0x1p-149f));
    assert_true(isnan(grzSin(INFINITY)) && isnan(grzCos(-INFINITY)) && isnan(grzSin(NAN)));
    assert_true(isnan(grzAcos(NAN)) && isnan(grzAtan2(NAN, 1.0f)) && isnan(grzAtan2(1.0f, NAN)));
    const float values[] = {0.0f,       -0.0f,   1.0f,     -1.0f,    0x1p-149f,
                            -0x1p-149f, FLT_MAX, -FLT_MAX, INFINITY, -INFINITY};
    for (int i = 0; i < 10; ++i)
        for (int j = 0; j < 10; ++j)
            assert_true(isSame(grzAtan2(values[i], values[j]), (float)atan2((double)values[i], (double)values[j])));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lanesGiveTheBytesOfPlainC),
        cmocka_unit_test(padIsWrittenWhateverItWas),
        cmocka_unit_test(padIsNeverRead),
        cmocka_unit_test(sumsHaveTheirOrder),
        cmocka_unit_test(secondOperandWinsOverNan),
        cmocka_unit_test(vectorsFollowTheirFormulas),
        cmocka_unit_test(lengthAndNormalizeServeAllSizes),
        cmocka_unit_test(finiteIsFinite),
        cmocka_unit_test(quaternionsRotateLikeTheirMatrices),
        cmocka_unit_test(matricesOfEveryTurnGiveTheirQuaternion),
        cmocka_unit_test(integrationConverges),
        cmocka_unit_test(quaternionsWithoutLengthBecomeTheIdentity),
        cmocka_unit_test(matricesMultiplyLikeTheirMaps),
        cmocka_unit_test(inversesInvert),
        cmocka_unit_test(transformsComposeAndInvert),
        cmocka_unit_test(exactSignIsExact),
        cmocka_unit_test(transformedBoxesHoldTheExactImage),
        cmocka_unit_test(transformedBoxesSurviveOverflow),
        cmocka_unit_test(transformedBoxesAreInfiniteWhereANumberIsBad),
        cmocka_unit_test(emptyBoxesStayEmpty),
        cmocka_unit_test(expandedAndSweptBoxesAreRoundedOutward),
        cmocka_unit_test(floatsAreRoundedOutwardFromDoubles),
        cmocka_unit_test(boxesActAsSetsOfPoints),
        cmocka_unit_test(boxesHaveTheirMeasures),
        cmocka_unit_test(sinesAndCosinesAreWithinTheirBound),
        cmocka_unit_test(anglesNearTheSeamsAreWithinTheirBound),
        cmocka_unit_test(arcCosinesAreWithinTheirBound),
        cmocka_unit_test(arcTangentsAreWithinTheirBound),
        cmocka_unit_test(specialAnglesAreExact),
    };
    return cmocka_run_group_tests_name("linmath", tests, NULL, NULL);
}
