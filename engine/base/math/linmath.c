// What: the part of linmath.h that is not inline: trigonometry, and what rests on it or on double.
// Promise: same bits everywhere, as nothing is called but sqrt, and every operation is an IEEE one in a written
//          order.
// Idea: a float has 24 bits and a double 53, so whatever is computed in double with a few roundings and rounded to
//       float once is within 0.5 ulp and a trace. The polynomials are the plain Taylor series, two terms longer
//       than a minimax fit would be: their coefficients can be checked by eye.
// Limits: none; every bit pattern of a float is an argument.
#include "graze/linmath.h"
#include "refuse_null.h"
#include "sine_series.h"

// ------------------------------------------------------------------------------------------- sine and cosine

// |angle| = (pi/2) * quadrant + rest, |rest| <= pi/4 and a trace; the quadrant modulo 4.
typedef struct Reduced {
    double rest;
    uint32_t quadrant;
} Reduced;

// Up to here the quadrant has at most 19 bits.
#define MODERATE_ANGLE 0x1p19f

// The first 33 bits of pi/2 and the rest of it: quadrant * PI_2_HIGH is exact, and so is its difference to the
// angle. [Cody, Waite, Software Manual for the Elementary Functions, 1980]
#define PI_2_HIGH   0x1.921fb544p+0
#define PI_2_LOW    0x1.0b4611a626331p-34
#define TWO_OVER_PI 0x1.45f306dc9c883p-1 // 2/pi

static Reduced reduceModerate(float size) {
    int32_t quadrant = (int32_t)((double)size * TWO_OVER_PI + 0.5);
    Reduced r = {((double)size - quadrant * PI_2_HIGH) - quadrant * PI_2_LOW, (uint32_t)quadrant & 3};
    return r;
}

// The bits of 2/pi, after 32 zeros in front of the point.
static const uint32_t twoOverPi[8] = {0,          0xA2F9836E, 0x4E441529, 0xFC2757D1,
                                      0xF534DDC0, 0xDB629599, 0x3C439041, 0xFE5163AB};

// size = m * 2^e with a whole m of 24 bits. In m * 2^e * (2/pi), the bits of 2/pi above the weight 2^(1-e) give
// multiples of 4 quadrants and are skipped; the next 96 leave an error below 2^-61 quadrants. No float of this
// range is closer to a whole quadrant than 2^-30 (all were tried), so 31 bits of the rest are right. [Payne, Hanek,
// Radian Reduction for Trigonometric Functions, 1983]
static Reduced reduceHuge(float size) {
    uint32_t bits = grzFloatBits(size);
    uint64_t m = (bits & 0x7FFFFF) | 0x800000;
    uint32_t first = (bits >> 23) - 150 + 30; // e - 2, counted from the leading zeros
    const uint32_t* words = twoOverPi + first / 32;
    uint64_t w[3];
    for (int i = 0; i < 3; ++i)
        w[i] = ((((uint64_t)words[i] << 32) | words[i + 1]) >> (32 - first % 32)) & 0xFFFFFFFF;
    uint64_t product = ((m * w[0]) << 32) + m * w[1] + ((m * w[2]) >> 32); // modulo 4 quadrants = 2^64
    uint64_t quadrant = (product + ((uint64_t)1 << 61)) >> 62;
    Reduced r = {(double)(int64_t)(product - (quadrant << 62)) * (0x1.921fb54442d18p+0 * 0x1p-62),
                 (uint32_t)quadrant & 3};
    return r;
}

static Reduced reduce(float angle) {
    float size = fabsf(angle);
    if (size < MODERATE_ANGLE)
        return reduceModerate(size);
    if (size <= FLT_MAX)
        return reduceHuge(size);
    Reduced none = {(double)NAN, 0};
    return none;
}

// The series to x^13: on |x| <= pi/4 the next term is below 2^-45 of the sine.
static double sineNearZero(double x) {
    return grzSineSeries(x, 1.0 / 6227020800.0);
}

// The series to x^12: the next term is below 2^-40 of the cosine.
static double cosineNearZero(double x) {
    return grzCosineSeries(x * x, 1.0 / 479001600.0);
}

static float sineOf(Reduced r) {
    double s = (r.quadrant & 1) != 0 ? cosineNearZero(r.rest) : sineNearZero(r.rest);
    return (float)((r.quadrant & 2) != 0 ? -s : s);
}

static float cosineOf(Reduced r) {
    r.quadrant += 1;
    return sineOf(r);
}

float grzSin(float angle) {
    float s = sineOf(reduce(angle));
    return signbit(angle) ? -s : s;
}

float grzCos(float angle) {
    return cosineOf(reduce(angle));
}

void grzSinCos(float angle, float* sine, float* cosine) {
    GRZ_RETURN_IF_NULL(sine, );
    GRZ_RETURN_IF_NULL(cosine, );
    Reduced r = reduce(angle);
    float s = sineOf(r);
    *sine = signbit(angle) ? -s : s;
    *cosine = cosineOf(r);
}

// ----------------------------------------------------------------------------------------- inverse functions

#define PI   0x1.921fb54442d18p+1
#define PI_2 0x1.921fb54442d18p+0

// atan(y / x) for 0 <= y <= x, x > 0; y may be finite where x is infinite.
//
// With c = k/4 next to y/x: atan(y/x) = atan(c) + atan(d), d = (y - c x) / (x + c y), |d| <= 1/8: one division, and
// the series to d^13 leaves less than 2^-45.
static double angleBelowDiagonal(double y, double x) {
    static const double angles[5] = {0.0, 0x1.f5b75f92c80ddp-3, 0x1.dac670561bb4fp-2, 0x1.4978fa3269ee1p-1,
                                     0x1.921fb54442d18p-1};
    double y8 = 8.0 * y;
    int k = (y8 > x) + (y8 > 3.0 * x) + (y8 > 5.0 * x) + (y8 > 7.0 * x);
    if (k == 0 && y == 0.0)
        return 0.0;
    double c = 0.25 * k;
    double d = k == 0 ? y / x : (y - c * x) / (x + c * y);
    double s = d * d;
    double p = 1.0 / 13.0;
    p = p * s - 1.0 / 11.0;
    p = p * s + 1.0 / 9.0;
    p = p * s - 1.0 / 7.0;
    p = p * s + 1.0 / 5.0;
    p = p * s - 1.0 / 3.0;
    return angles[k] + (d + d * (s * p));
}

// The angle of (x, y) as atan2 has it, in double; x and y are floats or have no extreme exponents. No NaN.
static double angleOf(double y, double x) {
    double a = fabs(x), b = fabs(y);
    if (a > DBL_MAX && b > DBL_MAX)
        a = b = 1.0;
    double angle = b <= a ? angleBelowDiagonal(b, a) : PI_2 - angleBelowDiagonal(a, b);
    if (signbit(x))
        angle = PI - angle;
    return signbit(y) ? -angle : angle;
}

float grzAtan2(float y, float x) {
    if (x != x || y != y)
        return NAN;
    return (float)angleOf((double)y, (double)x);
}

// 1 - x and 1 + x lose nothing in double that the float result could show.
static double otherSide(double x) {
    return sqrt((1.0 - x) * (1.0 + x));
}

static float clampToOne(float x) {
    return x > 1.0f ? 1.0f : x < -1.0f ? -1.0f : x;
}

float grzAcos(float x) {
    if (x != x)
        return NAN;
    double c = (double)clampToOne(x);
    return (float)angleOf(otherSide(c), c);
}

// --------------------------------------------------------------------------------------------------- vectors

// No square of a float, nor the sum of three, over- or underflows in double.
static double lengthInDouble(grzVec3 a) {
    return grzVec3d_Length(grzVec3d_FromVec3(a));
}

float grzLength_Wide(grzVec3 a) {
    return (float)lengthInDouble(a);
}

grzVec3 grzNormalize_Wide(grzVec3 a) {
    double length = lengthInDouble(a);
    if (length == 0.0)
        return grzVec3_Zero();
    double inverse = length <= DBL_MAX ? 1.0 / length : (double)NAN;
    return grzVec3d_ToVec3(grzVec3d_Scale(grzVec3d_FromVec3(a), inverse));
}

// ----------------------------------------------------------------------------------------------- quaternions

grzQuat grzQuat_FromAxisAngle(grzVec3 axis, float angle) {
    float s, c;
    grzSinCos(0.5f * angle, &s, &c);
    return grzQuat_Make(axis.x * s, axis.y * s, axis.z * s, c);
}

// [Shepperd, Quaternion from Rotation Matrix, 1978]: the largest of the four is found first, so that no quotient is
// by a small number.
grzQuat grzQuat_FromMat3(grzMat3 m) {
    float xx = m.x.x, yy = m.y.y, zz = m.z.z, trace = (xx + yy) + zz;
    grzQuat q;
    if (trace >= xx && trace >= yy && trace >= zz)
        q = grzQuat_Make(m.y.z - m.z.y, m.z.x - m.x.z, m.x.y - m.y.x, 1.0f + trace);
    else if (xx >= yy && xx >= zz)
        q = grzQuat_Make(1.0f + (xx - (yy + zz)), m.x.y + m.y.x, m.z.x + m.x.z, m.y.z - m.z.y);
    else if (yy >= zz)
        q = grzQuat_Make(m.x.y + m.y.x, 1.0f + (yy - (zz + xx)), m.y.z + m.z.y, m.z.x - m.x.z);
    else
        q = grzQuat_Make(m.z.x + m.x.z, m.y.z + m.z.y, 1.0f + (zz - (xx + yy)), m.x.y - m.y.x);
    return grzQuat_Normalize(q);
}

// -------------------------------------------------------------------------------------------------- matrices

static grzVec3 scaledToFloat(grzVec3d a, double s) {
    return grzVec3d_ToVec3(grzVec3d_Scale(a, s));
}

// The rows of the inverse are the cross products of the columns over the determinant.
grzMat3 grzMat3_Inverse(grzMat3 m) {
    grzVec3d x = grzVec3d_FromVec3(m.x), y = grzVec3d_FromVec3(m.y), z = grzVec3d_FromVec3(m.z);
    grzVec3d yz = grzVec3d_Cross(y, z);
    double determinant = grzVec3d_Dot(x, yz);
    if (determinant == 0.0 || !(fabs(determinant) <= DBL_MAX))
        return grzMat3_Zero();
    double s = 1.0 / determinant;
    return grzMat3_FromRows(scaledToFloat(yz, s), scaledToFloat(grzVec3d_Cross(z, x), s),
                            scaledToFloat(grzVec3d_Cross(x, y), s));
}
