// Vectors, quaternions, matrices, transforms and boxes, by value, in the manner of Bullet's LinearMath.
//
// The same input gives the same bytes on every compiler, processor and SIMD level (lanes.h): each sum has a fixed
// order, dot products are (x*x' + y*y') + z*z'; there are only IEEE additions, products, quotients and square
// roots. Excepted are the sign and payload of a NaN. This holds in the library; in a host's own code these inline
// functions need -ffp-contract=off where the target has fused multiply-add (aarch64, or x86 with -mfma).
//
// A minimum is (a < b ? a : b), a maximum (a > b ? a : b): the second operand wins if one is a NaN.
// No function allocates or has state: any thread may call. No input is forbidden unless the comment says so;
// infinities and NaNs go the IEEE way.
#ifndef GRAZE_LINMATH_H
#define GRAZE_LINMATH_H

#include "graze/config.h"
#include "graze/lanes.h"

GRZ_EXTERN_C_BEGIN

// 16 bytes at the alignment of a float, so that a host may keep it anywhere. w is padding: never read, and written
// as 0 by every function that computes a vector, so that vectors can be hashed and compared as bytes (where -0 and
// 0 differ). Functions that only put vectors together (grzBox_Make, grzMat3_FromColumns) keep what they are given:
// a host that fills vectors by hand sets w to 0.
typedef struct grzVec3 {
    float x, y, z, w;
} grzVec3;

// x, y, z the vector part, w the scalar part. Functions expect unit length where they say "unit".
typedef struct grzQuat {
    float x, y, z, w;
} grzQuat;

// Columns, where Bullet has rows: x, y, z are the images of the axes, and matrix times vector is three splats and
// two sums without a horizontal addition, with the bits of the rows' dot products.
typedef struct grzMat3 {
    grzVec3 x, y, z;
} grzMat3;

// p -> basis * p + origin. A rigid transform's basis is a rotation; other bases (scale, shear) are welcome except
// where a function says "rigid".
typedef struct grzTransform {
    grzMat3 basis;
    grzVec3 origin;
} grzTransform;

// All points with lower <= p <= upper. Empty where lower > upper on an axis.
typedef struct grzBox {
    grzVec3 lower, upper;
} grzBox;

// The double twins, for the exact narrow phase: 24 bytes and no padding.
typedef struct grzVec3d {
    double x, y, z;
} grzVec3d;

typedef struct grzBoxd {
    grzVec3d lower, upper;
} grzBoxd;

GRZ_STATIC_ASSERT(sizeof(grzVec3) == 16, "a vector is four floats");
GRZ_STATIC_ASSERT(sizeof(grzQuat) == 16, "a quaternion is four floats");
GRZ_STATIC_ASSERT(sizeof(grzMat3) == 48, "a matrix is three vectors");
GRZ_STATIC_ASSERT(sizeof(grzTransform) == 64, "a transform is four vectors");
GRZ_STATIC_ASSERT(sizeof(grzBox) == 32, "a box is two vectors");
GRZ_STATIC_ASSERT(sizeof(grzVec3d) == 24 && sizeof(grzBoxd) == 48, "double vectors have no padding");

// ---------------------------------------------------------------------------------------------- trigonometry
//
// Our own, since C libraries differ in the last bit. Angles in radians. Computed in double and rounded once: within
// 0.50001 ulp (sine and cosine were compared with a double reference on all floats, 0.500006). Defined for every
// float, with arguments reduced exactly enough up to the largest; an infinite angle gives a NaN.

GRZ_API float grzSin(float angle);
GRZ_API float grzCos(float angle);
GRZ_API void grzSinCos(float angle, float* sine, float* cosine);

// Outside [-1, 1] the nearer end is taken, since a cosine that was computed may exceed it by a rounding. NaN stays.
GRZ_API float grzAcos(float x);

// The angle of (x, y) in [-pi, pi], with all signs, zeros and infinities as C's atan2f.
GRZ_API float grzAtan2(float y, float x);

// --------------------------------------------------------------------------------------------------- vectors

static inline grzLanes grzVec3_ToLanes(grzVec3 a) {
    return grzLanes_Load(&a);
}

static inline grzVec3 grzVec3_FromLanes(grzLanes a) {
    grzVec3 v;
    grzLanes_Store(&v, grzLanes_ClearW(a));
    return v;
}

static inline grzVec3 grzVec3_Make(float x, float y, float z) {
    grzVec3 v;
    grzLanes_Store(&v, grzLanes_Set(x, y, z, 0.0f));
    return v;
}

static inline grzVec3 grzVec3_Zero(void) {
    return grzVec3_Make(0.0f, 0.0f, 0.0f);
}
static inline grzVec3 grzVec3_Splat(float s) {
    return grzVec3_Make(s, s, s);
}

// From and to three floats in a row, as meshes hold them.
static inline grzVec3 grzVec3_Load(const float* three) {
    return grzVec3_Make(three[0], three[1], three[2]);
}

static inline void grzVec3_Store(float* three, grzVec3 a) {
    three[0] = a.x;
    three[1] = a.y;
    three[2] = a.z;
}

// The coordinate on axis 0, 1 or 2.
static inline float grzVec3_Get(grzVec3 a, int axis) {
    return axis == 0 ? a.x : axis == 1 ? a.y : a.z;
}

static inline grzVec3 grzAdd(grzVec3 a, grzVec3 b) {
    return grzVec3_FromLanes(grzLanes_Add(grzVec3_ToLanes(a), grzVec3_ToLanes(b)));
}

static inline grzVec3 grzSub(grzVec3 a, grzVec3 b) {
    return grzVec3_FromLanes(grzLanes_Sub(grzVec3_ToLanes(a), grzVec3_ToLanes(b)));
}

// Coordinate by coordinate.
static inline grzVec3 grzMul(grzVec3 a, grzVec3 b) {
    return grzVec3_FromLanes(grzLanes_Mul(grzVec3_ToLanes(a), grzVec3_ToLanes(b)));
}

static inline grzVec3 grzScale(grzVec3 a, float s) {
    return grzVec3_FromLanes(grzLanes_Mul(grzVec3_ToLanes(a), grzLanes_Splat(s)));
}

// a + s * b
static inline grzVec3 grzAddScaled(grzVec3 a, float s, grzVec3 b) {
    return grzVec3_FromLanes(grzLanes_Add(grzVec3_ToLanes(a), grzLanes_Mul(grzLanes_Splat(s), grzVec3_ToLanes(b))));
}

// a - s * b
static inline grzVec3 grzSubScaled(grzVec3 a, float s, grzVec3 b) {
    return grzVec3_FromLanes(grzLanes_Sub(grzVec3_ToLanes(a), grzLanes_Mul(grzLanes_Splat(s), grzVec3_ToLanes(b))));
}

// Flips signs, also of zeros.
static inline grzVec3 grzNeg(grzVec3 a) {
    return grzVec3_FromLanes(grzLanes_Neg(grzVec3_ToLanes(a)));
}
static inline grzVec3 grzAbs(grzVec3 a) {
    return grzVec3_FromLanes(grzLanes_Abs(grzVec3_ToLanes(a)));
}

static inline grzVec3 grzMin(grzVec3 a, grzVec3 b) {
    return grzVec3_FromLanes(grzLanes_Min(grzVec3_ToLanes(a), grzVec3_ToLanes(b)));
}

static inline grzVec3 grzMax(grzVec3 a, grzVec3 b) {
    return grzVec3_FromLanes(grzLanes_Max(grzVec3_ToLanes(a), grzVec3_ToLanes(b)));
}

static inline float grzDot(grzVec3 a, grzVec3 b) {
    return grzLanes_Dot3(grzVec3_ToLanes(a), grzVec3_ToLanes(b));
}

static inline grzVec3 grzCross(grzVec3 a, grzVec3 b) {
    return grzVec3_FromLanes(grzLanes_Cross(grzVec3_ToLanes(a), grzVec3_ToLanes(b)));
}

// a * (1 - t) + b * t: exact at t = 0 and t = 1 for finite a and b.
static inline grzVec3 grzLerp(grzVec3 a, grzVec3 b, float t) {
    return grzVec3_FromLanes(grzLanes_Add(grzLanes_Mul(grzVec3_ToLanes(a), grzLanes_Splat(1.0f - t)),
                                          grzLanes_Mul(grzVec3_ToLanes(b), grzLanes_Splat(t))));
}

// The smallest and the largest coordinate, and the axis of the largest (the first of equals).
static inline float grzMinElement(grzVec3 a) {
    float xy = a.x < a.y ? a.x : a.y;
    return xy < a.z ? xy : a.z;
}

static inline float grzMaxElement(grzVec3 a) {
    float xy = a.x > a.y ? a.x : a.y;
    return xy > a.z ? xy : a.z;
}

static inline int grzMaxAxis(grzVec3 a) {
    if (a.x >= a.y)
        return a.x >= a.z ? 0 : 2;
    return a.y >= a.z ? 1 : 2;
}

// Overflows from lengths of 1.8e19 on and is denormal below 1.1e-19; grzLength is right there too.
static inline float grzLengthSq(grzVec3 a) {
    return grzDot(a, a);
}

// grzLength and grzNormalize where the square of the length over- or underflows: in double, and out of line, lest
// compilers compute it always.
GRZ_API float grzLength_Wide(grzVec3 a);
GRZ_API grzVec3 grzNormalize_Wide(grzVec3 a);

// Whether a square of length can be trusted: beyond, coordinates' squares are lost or infinite.
static inline bool grzLengthSq_IsSafe(float lengthSq) {
    return lengthSq >= 0x1p-96f && lengthSq <= FLT_MAX;
}

// Within 2 ulp for every finite vector; infinity only if the length exceeds the largest float.
static inline float grzLength(grzVec3 a) {
    float lengthSq = grzLengthSq(a);
    return grzLengthSq_IsSafe(lengthSq) ? grzSqrt(lengthSq) : grzLength_Wide(a);
}

static inline float grzDistanceSq(grzVec3 a, grzVec3 b) {
    return grzLengthSq(grzSub(a, b));
}
static inline float grzDistance(grzVec3 a, grzVec3 b) {
    return grzLength(grzSub(a, b));
}

// a / |a| for every finite vector but zero, however short or long; zero stays zero. Coordinates are NaN where a has
// an infinite or NaN coordinate.
static inline grzVec3 grzNormalize(grzVec3 a) {
    float lengthSq = grzLengthSq(a);
    if (grzLengthSq_IsSafe(lengthSq))
        return grzVec3_FromLanes(grzLanes_Div(grzVec3_ToLanes(a), grzLanes_Splat(grzSqrt(lengthSq))));
    return grzNormalize_Wide(a);
}

// A unit vector at a right angle to a, for any a but zero; zero gives the z axis. Jumps where |a.x| or |a.y|
// cross |a.z|.
static inline grzVec3 grzPerpendicular(grzVec3 a) {
    grzVec3 b = grzAbs(a);
    if (b.z >= b.x && b.z >= b.y) {
        if (b.z == 0.0f)
            return grzVec3_Make(0.0f, 0.0f, 1.0f);
        return grzNormalize(grzVec3_Make(0.0f, a.z, -a.y));
    }
    return grzNormalize(grzVec3_Make(a.y, -a.x, 0.0f));
}

// The IEEE comparison: 0 equals -0, and a NaN nothing.
static inline bool grzVec3_IsEqual(grzVec3 a, grzVec3 b) {
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

static inline bool grzVec3_IsFinite(grzVec3 a) {
    return grzLanes_AllLessEqual3(grzLanes_Abs(grzVec3_ToLanes(a)), grzLanes_Splat(FLT_MAX));
}

// ----------------------------------------------------------------------------------------------- quaternions

static inline grzQuat grzQuat_Make(float x, float y, float z, float w) {
    grzQuat q;
    grzLanes_Store(&q, grzLanes_Set(x, y, z, w));
    return q;
}

static inline grzLanes grzQuat_ToLanes(grzQuat q) {
    return grzLanes_Load(&q);
}

static inline grzQuat grzQuat_FromLanes(grzLanes a) {
    grzQuat q;
    grzLanes_Store(&q, a);
    return q;
}

static inline grzQuat grzQuat_Identity(void) {
    return grzQuat_Make(0.0f, 0.0f, 0.0f, 1.0f);
}

// The rotation by b, then by a: ((a.w * v(b) + b.w * v(a)) + v(a) x v(b), a.w * b.w - v(a).v(b)), v the
// vector part.
static inline grzQuat grzQuat_Multiply(grzQuat a, grzQuat b) {
    grzLanes p = grzQuat_ToLanes(a), q = grzQuat_ToLanes(b);
    grzLanes pw = grzLanes_SplatW(p), qw = grzLanes_SplatW(q);
    grzLanes sum = grzLanes_Add(grzLanes_Mul(pw, q), grzLanes_Mul(qw, p));
    float w = grzLanes_X(grzLanes_Mul(pw, qw)) - grzLanes_Dot3(p, q);
    return grzQuat_FromLanes(grzLanes_WithW(grzLanes_Add(sum, grzLanes_Cross(p, q)), w));
}

// The inverse of a unit quaternion.
static inline grzQuat grzQuat_Conjugate(grzQuat q) {
    return grzQuat_FromLanes(grzLanes_WithW(grzLanes_Neg(grzQuat_ToLanes(q)), q.w));
}

static inline grzQuat grzQuat_Neg(grzQuat q) {
    return grzQuat_FromLanes(grzLanes_Neg(grzQuat_ToLanes(q)));
}

// Coordinate by coordinate: a + s * b.
static inline grzQuat grzQuat_AddScaled(grzQuat a, float s, grzQuat b) {
    return grzQuat_FromLanes(grzLanes_Add(grzQuat_ToLanes(a), grzLanes_Mul(grzLanes_Splat(s), grzQuat_ToLanes(b))));
}

static inline grzQuat grzQuat_Scale(grzQuat q, float s) {
    return grzQuat_FromLanes(grzLanes_Mul(grzQuat_ToLanes(q), grzLanes_Splat(s)));
}

// ((x*x' + y*y') + z*z') + w*w'
static inline float grzQuat_Dot(grzQuat a, grzQuat b) {
    return grzLanes_Dot3(grzQuat_ToLanes(a), grzQuat_ToLanes(b)) + a.w * b.w;
}

// To unit length. The identity where the length is zero or not finite, or its square is out of the range of floats.
static inline grzQuat grzQuat_Normalize(grzQuat q) {
    float lengthSq = grzQuat_Dot(q, q);
    if (!grzLengthSq_IsSafe(lengthSq))
        return grzQuat_Identity();
    return grzQuat_FromLanes(grzLanes_Div(grzQuat_ToLanes(q), grzLanes_Splat(grzSqrt(lengthSq))));
}

// v turned by the unit quaternion q: v + w*t + u x t with u = (x, y, z) and t = 2*(u x v).
static inline grzVec3 grzQuat_Rotate(grzQuat q, grzVec3 v) {
    grzLanes u = grzQuat_ToLanes(q), a = grzVec3_ToLanes(v);
    grzLanes c = grzLanes_Cross(u, a), t = grzLanes_Add(c, c);
    grzLanes sum = grzLanes_Add(a, grzLanes_Mul(grzLanes_SplatW(u), t));
    return grzVec3_FromLanes(grzLanes_Add(sum, grzLanes_Cross(u, t)));
}

static inline grzVec3 grzQuat_RotateInverse(grzQuat q, grzVec3 v) {
    return grzQuat_Rotate(grzQuat_Conjugate(q), v);
}

// The shorter way from a to b along the chord, made unit again: cheap, symmetric, not of constant speed.
static inline grzQuat grzQuat_Nlerp(grzQuat a, grzQuat b, float t) {
    float u = grzQuat_Dot(a, b) < 0.0f ? -t : t;
    return grzQuat_Normalize(grzQuat_AddScaled(grzQuat_Scale(a, 1.0f - t), u, b));
}

// q after turning with the angular velocity omega (world frame, radians a second) for dt: one Euler step of
// q' = omega * q / 2, made unit again. The angle is short by a relative (|omega| dt)^2 / 12.
static inline grzQuat grzQuat_Integrate(grzQuat q, grzVec3 omega, float dt) {
    grzQuat spin = grzQuat_Multiply(grzQuat_FromLanes(grzLanes_ClearW(grzVec3_ToLanes(omega))), q);
    return grzQuat_Normalize(grzQuat_AddScaled(q, 0.5f * dt, spin));
}

static inline bool grzQuat_IsFinite(grzQuat q) {
    return fabsf(q.x) <= FLT_MAX && fabsf(q.y) <= FLT_MAX && fabsf(q.z) <= FLT_MAX && fabsf(q.w) <= FLT_MAX;
}

// Whether |q|^2 is within 1e-4 of 1: what bodies and transforms demand of a host's rotation.
static inline bool grzQuat_IsUnit(grzQuat q) {
    return fabsf(grzQuat_Dot(q, q) - 1.0f) <= 1e-4f;
}

// The rotation by `angle` radians about the unit axis, counter-clockwise seen from its tip.
GRZ_API grzQuat grzQuat_FromAxisAngle(grzVec3 axis, float angle);

// -------------------------------------------------------------------------------------------------- matrices

static inline grzMat3 grzMat3_FromColumns(grzVec3 x, grzVec3 y, grzVec3 z) {
    grzMat3 m;
    m.x = x;
    m.y = y;
    m.z = z;
    return m;
}

static inline grzMat3 grzMat3_FromRows(grzVec3 a, grzVec3 b, grzVec3 c) {
    grzLanes x = grzVec3_ToLanes(a), y = grzVec3_ToLanes(b), z = grzVec3_ToLanes(c);
    grzLanes_Transpose3(&x, &y, &z);
    return grzMat3_FromColumns(grzVec3_FromLanes(x), grzVec3_FromLanes(y), grzVec3_FromLanes(z));
}

static inline grzMat3 grzMat3_Transpose(grzMat3 m) {
    return grzMat3_FromRows(m.x, m.y, m.z);
}

static inline grzMat3 grzMat3_Diagonal(grzVec3 d) {
    return grzMat3_FromColumns(grzVec3_Make(d.x, 0.0f, 0.0f), grzVec3_Make(0.0f, d.y, 0.0f),
                               grzVec3_Make(0.0f, 0.0f, d.z));
}

static inline grzMat3 grzMat3_Identity(void) {
    return grzMat3_Diagonal(grzVec3_Splat(1.0f));
}
static inline grzMat3 grzMat3_Zero(void) {
    return grzMat3_Diagonal(grzVec3_Zero());
}

// m * v in lanes, for sums that go on; w is anything.
static inline grzLanes grzMat3_ApplyLanes(grzMat3 m, grzVec3 v) {
    grzLanes p = grzVec3_ToLanes(v);
    grzLanes a = grzLanes_Mul(grzVec3_ToLanes(m.x), grzLanes_SplatX(p));
    grzLanes b = grzLanes_Mul(grzVec3_ToLanes(m.y), grzLanes_SplatY(p));
    grzLanes c = grzLanes_Mul(grzVec3_ToLanes(m.z), grzLanes_SplatZ(p));
    return grzLanes_Add(grzLanes_Add(a, b), c);
}

// m * v, each coordinate (m.x*v.x + m.y*v.y) + m.z*v.z.
static inline grzVec3 grzMat3_Apply(grzMat3 m, grzVec3 v) {
    return grzVec3_FromLanes(grzMat3_ApplyLanes(m, v));
}

// transpose(m) * v: the dot products with the columns.
static inline grzVec3 grzMat3_ApplyTransposed(grzMat3 m, grzVec3 v) {
    grzLanes x = grzLanes_Mul(grzVec3_ToLanes(m.x), grzVec3_ToLanes(v));
    grzLanes y = grzLanes_Mul(grzVec3_ToLanes(m.y), grzVec3_ToLanes(v));
    grzLanes z = grzLanes_Mul(grzVec3_ToLanes(m.z), grzVec3_ToLanes(v));
    grzLanes_Transpose3(&x, &y, &z);
    return grzVec3_FromLanes(grzLanes_Add(grzLanes_Add(x, y), z));
}

// a * b
static inline grzMat3 grzMat3_Multiply(grzMat3 a, grzMat3 b) {
    return grzMat3_FromColumns(grzMat3_Apply(a, b.x), grzMat3_Apply(a, b.y), grzMat3_Apply(a, b.z));
}

// transpose(a) * b
static inline grzMat3 grzMat3_MultiplyTransposed(grzMat3 a, grzMat3 b) {
    return grzMat3_Multiply(grzMat3_Transpose(a), b);
}

static inline grzMat3 grzMat3_Add(grzMat3 a, grzMat3 b) {
    return grzMat3_FromColumns(grzAdd(a.x, b.x), grzAdd(a.y, b.y), grzAdd(a.z, b.z));
}

static inline grzMat3 grzMat3_Sub(grzMat3 a, grzMat3 b) {
    return grzMat3_FromColumns(grzSub(a.x, b.x), grzSub(a.y, b.y), grzSub(a.z, b.z));
}

static inline grzMat3 grzMat3_Scale(grzMat3 m, float s) {
    return grzMat3_FromColumns(grzScale(m.x, s), grzScale(m.y, s), grzScale(m.z, s));
}

// m * diagonal(s): scales first, then applies m.
static inline grzMat3 grzMat3_ScaleColumns(grzMat3 m, grzVec3 s) {
    return grzMat3_FromColumns(grzScale(m.x, s.x), grzScale(m.y, s.y), grzScale(m.z, s.z));
}

static inline grzMat3 grzMat3_Abs(grzMat3 m) {
    return grzMat3_FromColumns(grzAbs(m.x), grzAbs(m.y), grzAbs(m.z));
}

// a * transpose(b)
static inline grzMat3 grzMat3_Outer(grzVec3 a, grzVec3 b) {
    return grzMat3_FromColumns(grzScale(a, b.x), grzScale(a, b.y), grzScale(a, b.z));
}

// The matrix with Skew(a) * b = a x b.
static inline grzMat3 grzMat3_Skew(grzVec3 a) {
    return grzMat3_FromColumns(grzVec3_Make(0.0f, a.z, -a.y), grzVec3_Make(-a.z, 0.0f, a.x),
                               grzVec3_Make(a.y, -a.x, 0.0f));
}

static inline float grzMat3_Determinant(grzMat3 m) {
    return grzDot(m.x, grzCross(m.y, m.z));
}

static inline bool grzMat3_IsFinite(grzMat3 m) {
    return grzVec3_IsFinite(m.x) && grzVec3_IsFinite(m.y) && grzVec3_IsFinite(m.z);
}

// The rotation of a unit quaternion.
static inline grzMat3 grzMat3_FromQuat(grzQuat q) {
    float x2 = q.x + q.x, y2 = q.y + q.y, z2 = q.z + q.z;
    float xx = q.x * x2, yy = q.y * y2, zz = q.z * z2;
    float xy = q.x * y2, xz = q.x * z2, yz = q.y * z2;
    float wx = q.w * x2, wy = q.w * y2, wz = q.w * z2;
    return grzMat3_FromColumns(grzVec3_Make(1.0f - (yy + zz), xy + wz, xz - wy),
                               grzVec3_Make(xy - wz, 1.0f - (xx + zz), yz + wx),
                               grzVec3_Make(xz + wy, yz - wx, 1.0f - (xx + yy)));
}

// The inverse, in double inside so that neither scale nor cancellation spoils it. Zero where the determinant, as
// computed in double, is zero or not finite.
GRZ_API grzMat3 grzMat3_Inverse(grzMat3 m);

// The unit quaternion of a rotation matrix; of its two signs, the one whose largest coordinate is positive.
GRZ_API grzQuat grzQuat_FromMat3(grzMat3 rotation);

// ------------------------------------------------------------------------------------------------ transforms

static inline grzTransform grzTransform_Make(grzMat3 basis, grzVec3 origin) {
    grzTransform t;
    t.basis = basis;
    t.origin = origin;
    return t;
}

static inline grzTransform grzTransform_Identity(void) {
    return grzTransform_Make(grzMat3_Identity(), grzVec3_Zero());
}

static inline grzTransform grzTransform_FromQuat(grzQuat rotation, grzVec3 origin) {
    return grzTransform_Make(grzMat3_FromQuat(rotation), origin);
}

// A point: basis * p + origin.
static inline grzVec3 grzTransform_Apply(grzTransform t, grzVec3 p) {
    return grzVec3_FromLanes(grzLanes_Add(grzMat3_ApplyLanes(t.basis, p), grzVec3_ToLanes(t.origin)));
}

// A direction or displacement: basis * v.
static inline grzVec3 grzTransform_ApplyVector(grzTransform t, grzVec3 v) {
    return grzMat3_Apply(t.basis, v);
}

// A point back through a rigid transform.
static inline grzVec3 grzTransform_ApplyInverse(grzTransform t, grzVec3 p) {
    return grzMat3_ApplyTransposed(t.basis, grzSub(p, t.origin));
}

static inline grzVec3 grzTransform_ApplyInverseVector(grzTransform t, grzVec3 v) {
    return grzMat3_ApplyTransposed(t.basis, v);
}

// First b, then a.
static inline grzTransform grzTransform_Multiply(grzTransform a, grzTransform b) {
    return grzTransform_Make(grzMat3_Multiply(a.basis, b.basis), grzTransform_Apply(a, b.origin));
}

// The inverse of a rigid transform.
static inline grzTransform grzTransform_Inverse(grzTransform t) {
    grzMat3 basis = grzMat3_Transpose(t.basis);
    return grzTransform_Make(basis, grzNeg(grzMat3_Apply(basis, t.origin)));
}

// The inverse of any transform with an invertible basis (grzMat3_Inverse).
static inline grzTransform grzTransform_InverseAffine(grzTransform t) {
    grzMat3 basis = grzMat3_Inverse(t.basis);
    return grzTransform_Make(basis, grzNeg(grzMat3_Apply(basis, t.origin)));
}

// inverse(a) * b for rigid a: b as a sees it.
static inline grzTransform grzTransform_Relative(grzTransform a, grzTransform b) {
    return grzTransform_Make(grzMat3_MultiplyTransposed(a.basis, b.basis), grzTransform_ApplyInverse(a, b.origin));
}

static inline bool grzTransform_IsFinite(grzTransform t) {
    return grzMat3_IsFinite(t.basis) && grzVec3_IsFinite(t.origin);
}

// ----------------------------------------------------------------------------------------------------- boxes

static inline grzBox grzBox_Make(grzVec3 lower, grzVec3 upper) {
    grzBox box;
    box.lower = lower;
    box.upper = upper;
    return box;
}

// From +infinity to -infinity: the neutral box of Union.
static inline grzBox grzBox_Empty(void) {
    return grzBox_Make(grzVec3_Splat(INFINITY), grzVec3_Splat(-INFINITY));
}

static inline grzBox grzBox_Union(grzBox a, grzBox b) {
    return grzBox_Make(grzMin(a.lower, b.lower), grzMax(a.upper, b.upper));
}

// May be empty.
static inline grzBox grzBox_Intersection(grzBox a, grzBox b) {
    return grzBox_Make(grzMax(a.lower, b.lower), grzMin(a.upper, b.upper));
}

static inline grzBox grzBox_AddPoint(grzBox box, grzVec3 p) {
    return grzBox_Make(grzMin(box.lower, p), grzMax(box.upper, p));
}

// Whether two boxes share a point; touching counts. False with a NaN.
static inline bool grzBox_Overlap(grzBox a, grzBox b) {
    return grzLanes_BothLessEqual3(grzVec3_ToLanes(a.lower), grzVec3_ToLanes(b.upper), grzVec3_ToLanes(b.lower),
                                   grzVec3_ToLanes(a.upper));
}

// Whether b lies in a; touching from inside counts. An empty b lies in every a when it is grzBox_Empty.
static inline bool grzBox_Contains(grzBox a, grzBox b) {
    return grzLanes_BothLessEqual3(grzVec3_ToLanes(a.lower), grzVec3_ToLanes(b.lower), grzVec3_ToLanes(b.upper),
                                   grzVec3_ToLanes(a.upper));
}

static inline bool grzBox_ContainsPoint(grzBox box, grzVec3 p) {
    return grzBox_Contains(box, grzBox_Make(p, p));
}

static inline bool grzBox_IsEmpty(grzBox box) {
    return box.lower.x > box.upper.x || box.lower.y > box.upper.y || box.lower.z > box.upper.z;
}

// Finite, and lower <= upper on all axes: what the library takes.
static inline bool grzBox_IsValid(grzBox box) {
    return grzVec3_IsFinite(box.lower) && grzVec3_IsFinite(box.upper) &&
           grzLanes_AllLessEqual3(grzVec3_ToLanes(box.lower), grzVec3_ToLanes(box.upper));
}

// The middle, and half of the size: rounded, so that center -+ half extent need not enclose the box. They do not
// overflow on valid boxes.
static inline grzVec3 grzBox_Center(grzBox box) {
    return grzAdd(grzScale(box.lower, 0.5f), grzScale(box.upper, 0.5f));
}

static inline grzVec3 grzBox_HalfExtent(grzBox box) {
    return grzSub(grzScale(box.upper, 0.5f), grzScale(box.lower, 0.5f));
}

// The size along each axis, at least 0.
static inline grzVec3 grzBox_Extent(grzBox box) {
    return grzMax(grzSub(box.upper, box.lower), grzVec3_Zero());
}

// The surface; 0 where empty.
static inline float grzBox_Area(grzBox box) {
    if (grzBox_IsEmpty(box))
        return 0.0f;
    grzVec3 d = grzBox_Extent(box);
    return 2.0f * ((d.x * d.y + d.y * d.z) + d.z * d.x);
}

static inline float grzBox_Volume(grzBox box) {
    if (grzBox_IsEmpty(box))
        return 0.0f;
    grzVec3 d = grzBox_Extent(box);
    return d.x * d.y * d.z;
}

// A bound below (above) every sum or difference of two floats that was rounded to a: one to two ulp from a. What is
// at most 2^-127 in size (half the smallest normal) stays as it is, since sums and differences so small are exact.
// What overflowed away from the side that is asked for comes back to the largest floats.
static inline grzVec3 grzVec3_Below(grzVec3 a) {
    grzLanes c = grzLanes_Min(grzLanes_Splat(FLT_MAX), grzVec3_ToLanes(a));
    return grzVec3_FromLanes(grzLanes_Sub(c, grzLanes_Mul(grzLanes_Abs(c), grzLanes_Splat(0x1p-23f))));
}

static inline grzVec3 grzVec3_Above(grzVec3 a) {
    grzLanes c = grzLanes_Max(grzLanes_Splat(-FLT_MAX), grzVec3_ToLanes(a));
    return grzVec3_FromLanes(grzLanes_Add(c, grzLanes_Mul(grzLanes_Abs(c), grzLanes_Splat(0x1p-23f))));
}

// Larger by the margin (or smaller, where it is negative) on each side, rounded outward: encloses the exact result,
// by at most 2 ulp of the new coordinates, also where the margin is 0. Empty stays empty, whatever the margin.
static inline grzBox grzBox_Expand(grzBox box, float margin) {
    if (grzBox_IsEmpty(box))
        return grzBox_Empty();
    grzVec3 m = grzVec3_Splat(margin);
    return grzBox_Make(grzVec3_Below(grzSub(box.lower, m)), grzVec3_Above(grzAdd(box.upper, m)));
}

// All that the box touches on its straight way by the displacement, rounded outward like Expand. Empty stays empty.
static inline grzBox grzBox_Sweep(grzBox box, grzVec3 displacement) {
    if (grzBox_IsEmpty(box))
        return grzBox_Empty();
    grzBox end =
        grzBox_Make(grzVec3_Below(grzAdd(box.lower, displacement)), grzVec3_Above(grzAdd(box.upper, displacement)));
    return grzBox_Union(box, end);
}

// A box around the exact image of a box, in real arithmetic: no point is lost to rounding. Empty stays empty.
// Infinite on an axis where the arithmetic overflows or meets a NaN.
//
// [Arvo, Transforming Axis-Aligned Bounding Boxes, Graphics Gems 1990], widened by a bound of the rounding error:
// with M = |o| + sum |m_ij| max(|lower_j|, |upper_j|) and u = 2^-24, three products and three sums err by less
// than 4.01 u M, the last subtraction by 1.01 u M; 6 u M is enough although M is itself rounded. Products that
// underflow lose up to 2^-150 each.
static inline grzBox grzBox_Transform(grzTransform t, grzBox box) {
    if (grzBox_IsEmpty(box))
        return grzBox_Empty();
    const grzLanes columns[3] = {grzVec3_ToLanes(t.basis.x), grzVec3_ToLanes(t.basis.y),
                                 grzVec3_ToLanes(t.basis.z)};
    const float lower[3] = {box.lower.x, box.lower.y, box.lower.z};
    const float upper[3] = {box.upper.x, box.upper.y, box.upper.z};
    grzLanes below = grzVec3_ToLanes(t.origin), above = below, size = grzLanes_Abs(below);
    for (int i = 0; i < 3; ++i) {
        grzLanes a = grzLanes_Mul(columns[i], grzLanes_Splat(lower[i]));
        grzLanes b = grzLanes_Mul(columns[i], grzLanes_Splat(upper[i]));
        // The second operand wins over a NaN: one in b reaches below, and one in a reaches above.
        below = grzLanes_Add(below, grzLanes_Min(a, b));
        above = grzLanes_Add(above, grzLanes_Max(b, a));
        size = grzLanes_Add(size, grzLanes_Max(grzLanes_Abs(a), grzLanes_Abs(b)));
    }
    grzLanes error = grzLanes_Add(grzLanes_Mul(size, grzLanes_Splat(6.0f * 0x1p-24f)), grzLanes_Splat(0x1p-147f));
    // Adds 0, or a NaN where either end is no number: then both give way to an infinity, the second operand.
    error = grzLanes_Add(error, grzLanes_Add(grzLanes_Sub(below, below), grzLanes_Sub(above, above)));
    below = grzLanes_Max(grzLanes_Sub(below, error), grzLanes_Splat(-INFINITY));
    above = grzLanes_Min(grzLanes_Add(above, error), grzLanes_Splat(INFINITY));
    return grzBox_Make(grzVec3_FromLanes(below), grzVec3_FromLanes(above));
}

// --------------------------------------------------------------------------------------- in double precision

// The largest float not above, and the smallest not below; infinite beyond the range of floats, on that side. A NaN
// stays one.
static inline float grzRoundDown(double value) {
    float f = GRZ_CAST(float, value);
    if (!(GRZ_CAST(double, f) > value))
        return f;
    if (f == 0.0f)
        return -0x1p-149f;
    return grzFloatFromBits(f > 0.0f ? grzFloatBits(f) - 1 : grzFloatBits(f) + 1);
}

static inline float grzRoundUp(double value) {
    return -grzRoundDown(-value);
}

static inline grzVec3d grzVec3d_Make(double x, double y, double z) {
    grzVec3d v = {x, y, z};
    return v;
}

// Exact.
static inline grzVec3d grzVec3d_FromVec3(grzVec3 a) {
    return grzVec3d_Make(GRZ_CAST(double, a.x), GRZ_CAST(double, a.y), GRZ_CAST(double, a.z));
}

// To the nearest float.
static inline grzVec3 grzVec3d_ToVec3(grzVec3d a) {
    return grzVec3_Make(GRZ_CAST(float, a.x), GRZ_CAST(float, a.y), GRZ_CAST(float, a.z));
}

static inline grzVec3d grzVec3d_Add(grzVec3d a, grzVec3d b) {
    return grzVec3d_Make(a.x + b.x, a.y + b.y, a.z + b.z);
}
static inline grzVec3d grzVec3d_Sub(grzVec3d a, grzVec3d b) {
    return grzVec3d_Make(a.x - b.x, a.y - b.y, a.z - b.z);
}
static inline grzVec3d grzVec3d_Scale(grzVec3d a, double s) {
    return grzVec3d_Make(a.x * s, a.y * s, a.z * s);
}
static inline grzVec3d grzVec3d_Neg(grzVec3d a) {
    return grzVec3d_Make(-a.x, -a.y, -a.z);
}

static inline double grzVec3d_Dot(grzVec3d a, grzVec3d b) {
    return (a.x * b.x + a.y * b.y) + a.z * b.z;
}

static inline grzVec3d grzVec3d_Cross(grzVec3d a, grzVec3d b) {
    return grzVec3d_Make(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

// a * (1 - t) + b * t
static inline grzVec3d grzVec3d_Lerp(grzVec3d a, grzVec3d b, double t) {
    return grzVec3d_Add(grzVec3d_Scale(a, 1.0 - t), grzVec3d_Scale(b, t));
}

static inline grzVec3d grzVec3d_Min(grzVec3d a, grzVec3d b) {
    return grzVec3d_Make(a.x < b.x ? a.x : b.x, a.y < b.y ? a.y : b.y, a.z < b.z ? a.z : b.z);
}

static inline grzVec3d grzVec3d_Max(grzVec3d a, grzVec3d b) {
    return grzVec3d_Make(a.x > b.x ? a.x : b.x, a.y > b.y ? a.y : b.y, a.z > b.z ? a.z : b.z);
}

static inline double grzVec3d_LengthSq(grzVec3d a) {
    return grzVec3d_Dot(a, a);
}
static inline double grzVec3d_Length(grzVec3d a) {
    return sqrt(grzVec3d_LengthSq(a));
}

static inline bool grzVec3d_IsFinite(grzVec3d a) {
    return fabs(a.x) <= DBL_MAX && fabs(a.y) <= DBL_MAX && fabs(a.z) <= DBL_MAX;
}

static inline grzBoxd grzBoxd_Make(grzVec3d lower, grzVec3d upper) {
    grzBoxd box;
    box.lower = lower;
    box.upper = upper;
    return box;
}

static inline grzBoxd grzBoxd_Empty(void) {
    double big = GRZ_CAST(double, INFINITY);
    return grzBoxd_Make(grzVec3d_Make(big, big, big), grzVec3d_Make(-big, -big, -big));
}

static inline grzBoxd grzBoxd_AddPoint(grzBoxd box, grzVec3d p) {
    return grzBoxd_Make(grzVec3d_Min(box.lower, p), grzVec3d_Max(box.upper, p));
}

static inline grzBoxd grzBoxd_Union(grzBoxd a, grzBoxd b) {
    return grzBoxd_Make(grzVec3d_Min(a.lower, b.lower), grzVec3d_Max(a.upper, b.upper));
}

// Touching counts. False with a NaN.
static inline bool grzBoxd_Overlap(grzBoxd a, grzBoxd b) {
    return a.lower.x <= b.upper.x && a.lower.y <= b.upper.y && a.lower.z <= b.upper.z && b.lower.x <= a.upper.x &&
           b.lower.y <= a.upper.y && b.lower.z <= a.upper.z;
}

// Exact.
static inline grzBoxd grzBoxd_FromBox(grzBox box) {
    return grzBoxd_Make(grzVec3d_FromVec3(box.lower), grzVec3d_FromVec3(box.upper));
}

// The smallest float box that contains the box.
static inline grzBox grzBoxd_ToBox(grzBoxd box) {
    return grzBox_Make(
        grzVec3_Make(grzRoundDown(box.lower.x), grzRoundDown(box.lower.y), grzRoundDown(box.lower.z)),
        grzVec3_Make(grzRoundUp(box.upper.x), grzRoundUp(box.upper.y), grzRoundUp(box.upper.z)));
}

GRZ_EXTERN_C_END

#endif
