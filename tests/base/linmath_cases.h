// Every function of linmath.h, applied to one input and written down as words: compiled once for the processor's
// lanes and once for plain C (linmath_scalar.c), the words must be equal, and equal on every processor
// (portable_hash.c).
//
// The including file says what the function is called: #define LINMATH_CASES name. A NaN is written as one fixed
// NaN, since its sign and payload are the processor's; all else is compared bit by bit.
#ifndef GRAZE_TESTS_LINMATH_CASES_H
#define GRAZE_TESTS_LINMATH_CASES_H

#include <stdint.h>
#include <string.h>

#include "graze/linmath.h"

typedef struct LinmathInput {
    grzVec3 a, b, c; // w is garbage
    grzQuat p, q;
    grzTransform t, u;
    grzBox box, other;
    grzVec3d d, e;
    float s, r;
} LinmathInput;

enum { linmathMaxCases = 192, linmathMaxWords = 2048 };

typedef enum CaseKind { caseNumber, caseVectors, caseQuat } CaseKind;

typedef struct LinmathOutput {
    uint32_t words[linmathMaxWords];
    uint32_t wordCount, caseCount;
    const char* names[linmathMaxCases];
    uint32_t firstWords[linmathMaxCases + 1]; // case i holds words [firstWords[i], firstWords[i + 1])
    CaseKind kinds[linmathMaxCases];
} LinmathOutput;

void linmathCasesNative(const LinmathInput* in, LinmathOutput* out);
void linmathCasesScalar(const LinmathInput* in, LinmathOutput* out);

// splitmix64: [Steele, Lea, Flood, Fast Splittable Pseudorandom Number Generators, OOPSLA 2014]
static inline uint64_t caseRandom(uint64_t* state) {
    uint64_t z = *state += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

// In [-1, 1).
static inline float caseTame(uint64_t* state) {
    return (float)(caseRandom(state) >> 40) * 0x1p-23f - 1.0f;
}

// Any bit pattern, a special value, a small whole number, or a tame one.
static inline float caseWild(uint64_t* state) {
    static const uint32_t specials[] = {0,          0x80000000, 1,          0x80000001, 0x007FFFFF, 0x00800000,
                                        0x7F7FFFFF, 0xFF7FFFFF, 0x7F800000, 0xFF800000, 0x7FC00000, 0x3F800000,
                                        0xBF800000, 0x3F7FFFFF, 0x3F800001, 0x40490FDB, 0x3FC90FDB, 0x5F000000};
    uint64_t r = caseRandom(state);
    uint32_t high = (uint32_t)(r >> 32);
    switch (r & 7) {
    case 0:
    case 1:
        return grzFloatFromBits(specials[high % (sizeof specials / sizeof *specials)]);
    case 2:
    case 3:
        return grzFloatFromBits(high);
    case 4:
        return (float)(high % 9) - 4.0f;
    default:
        return caseTame(state);
    }
}

typedef float CaseDraw(uint64_t* state);

static inline grzVec3 caseVector(uint64_t* state, CaseDraw* draw) {
    grzVec3 v;
    v.x = draw(state);
    v.y = draw(state);
    v.z = draw(state);
    v.w = caseWild(state);
    return v;
}

static inline grzQuat caseQuat4(uint64_t* state, CaseDraw* draw) {
    grzQuat q;
    q.x = draw(state);
    q.y = draw(state);
    q.z = draw(state);
    q.w = draw(state);
    return q;
}

static inline grzTransform caseTransform(uint64_t* state, CaseDraw* draw) {
    grzTransform t;
    t.basis.x = caseVector(state, draw);
    t.basis.y = caseVector(state, draw);
    t.basis.z = caseVector(state, draw);
    t.origin = caseVector(state, draw);
    return t;
}

static inline void caseOrder(float* lower, float* upper) {
    if (*lower > *upper) {
        float swap = *lower;
        *lower = *upper;
        *upper = swap;
    }
}

// lower <= upper, seven times of eight.
static inline grzBox caseBox(uint64_t* state, CaseDraw* draw) {
    grzBox box;
    box.lower = caseVector(state, draw);
    box.upper = caseVector(state, draw);
    if ((caseRandom(state) & 7) != 0) {
        caseOrder(&box.lower.x, &box.upper.x);
        caseOrder(&box.lower.y, &box.upper.y);
        caseOrder(&box.lower.z, &box.upper.z);
    }
    return box;
}

static inline LinmathInput caseInput(uint64_t* state, CaseDraw* draw) {
    LinmathInput in;
    in.a = caseVector(state, draw);
    in.b = caseVector(state, draw);
    in.c = caseVector(state, draw);
    in.p = caseQuat4(state, draw);
    in.q = caseQuat4(state, draw);
    in.t = caseTransform(state, draw);
    in.u = caseTransform(state, draw);
    in.box = caseBox(state, draw);
    in.other = caseBox(state, draw);
    in.d = grzVec3d_Scale(grzVec3d_FromVec3(caseVector(state, draw)), 1.1);
    in.e = grzVec3d_Scale(grzVec3d_FromVec3(caseVector(state, draw)), 1.0 / 3.0);
    in.s = draw(state);
    in.r = draw(state);
    return in;
}

#endif

#ifdef LINMATH_CASES

#define EMIT_AS(kind, Type, expression)                                                                            \
    do {                                                                                                           \
        Type emitted = (expression);                                                                               \
        emit(out, kind, #expression, &emitted, sizeof emitted);                                                    \
    } while (0)
#define EMIT_FLOAT(expression)     EMIT_AS(caseNumber, float, expression)
#define EMIT_INT(expression)       EMIT_AS(caseNumber, int, expression)
#define EMIT_QUAT(expression)      EMIT_AS(caseQuat, grzQuat, expression)
#define EMIT_VEC3(expression)      EMIT_AS(caseVectors, grzVec3, expression)
#define EMIT_MAT3(expression)      EMIT_AS(caseVectors, grzMat3, expression)
#define EMIT_TRANSFORM(expression) EMIT_AS(caseVectors, grzTransform, expression)
#define EMIT_BOX(expression)       EMIT_AS(caseVectors, grzBox, expression)
#define EMIT_VEC3D(expression)     emitVec3d(out, #expression, expression)

static void begin(LinmathOutput* out, CaseKind kind, const char* name) {
    out->names[out->caseCount] = name;
    out->kinds[out->caseCount++] = kind;
}

static void emit(LinmathOutput* out, CaseKind kind, const char* name, const void* value, size_t size) {
    uint32_t* words = out->words + out->wordCount;
    memcpy(words, value, size);
    begin(out, kind, name);
    for (size_t i = 0; i < size / 4; ++i)
        words[i] = (words[i] & 0x7FFFFFFF) > 0x7F800000 ? 0x7FC00000 : words[i];
    out->wordCount += (uint32_t)(size / 4);
    out->firstWords[out->caseCount] = out->wordCount;
}

static void emitVec3d(LinmathOutput* out, const char* name, grzVec3d value) {
    double three[3] = {value.x, value.y, value.z};
    for (int i = 0; i < 3; ++i)
        three[i] = three[i] != three[i] ? 0.0 : three[i];
    begin(out, caseNumber, name);
    memcpy(out->words + out->wordCount, three, sizeof three);
    out->wordCount += 6;
    out->firstWords[out->caseCount] = out->wordCount;
}

static void vectorCases(const LinmathInput* in, LinmathOutput* out) {
    float three[3];
    EMIT_VEC3(grzVec3_Make(in->a.x, in->a.y, in->a.z));
    EMIT_VEC3(grzVec3_Splat(in->s));
    EMIT_VEC3((grzVec3_Store(three, in->a), grzVec3_Load(three)));
    EMIT_FLOAT(grzVec3_Get(in->a, 1));
    EMIT_VEC3(grzAdd(in->a, in->b));
    EMIT_VEC3(grzSub(in->a, in->b));
    EMIT_VEC3(grzMul(in->a, in->b));
    EMIT_VEC3(grzScale(in->a, in->s));
    EMIT_VEC3(grzAddScaled(in->a, in->s, in->b));
    EMIT_VEC3(grzSubScaled(in->a, in->s, in->b));
    EMIT_VEC3(grzNeg(in->a));
    EMIT_VEC3(grzAbs(in->a));
    EMIT_VEC3(grzMin(in->a, in->b));
    EMIT_VEC3(grzMax(in->a, in->b));
    EMIT_FLOAT(grzDot(in->a, in->b));
    EMIT_VEC3(grzCross(in->a, in->b));
    EMIT_VEC3(grzLerp(in->a, in->b, in->s));
    EMIT_FLOAT(grzMinElement(in->a));
    EMIT_FLOAT(grzMaxElement(in->a));
    EMIT_INT(grzMaxAxis(in->a));
    EMIT_FLOAT(grzLengthSq(in->a));
    EMIT_FLOAT(grzLength(in->a));
    EMIT_FLOAT(grzDistanceSq(in->a, in->b));
    EMIT_FLOAT(grzDistance(in->a, in->b));
    EMIT_VEC3(grzNormalize(in->a));
    EMIT_VEC3(grzPerpendicular(in->a));
    EMIT_INT(grzVec3_IsEqual(in->a, in->b));
    EMIT_INT(grzVec3_IsFinite(in->a));
}

static void quatCases(const LinmathInput* in, LinmathOutput* out) {
    EMIT_QUAT(grzQuat_Multiply(in->p, in->q));
    EMIT_QUAT(grzQuat_Conjugate(in->p));
    EMIT_QUAT(grzQuat_Neg(in->p));
    EMIT_QUAT(grzQuat_AddScaled(in->p, in->s, in->q));
    EMIT_QUAT(grzQuat_Scale(in->p, in->s));
    EMIT_FLOAT(grzQuat_Dot(in->p, in->q));
    EMIT_QUAT(grzQuat_Normalize(in->p));
    EMIT_VEC3(grzQuat_Rotate(in->p, in->a));
    EMIT_VEC3(grzQuat_RotateInverse(in->p, in->a));
    EMIT_QUAT(grzQuat_Nlerp(in->p, in->q, in->s));
    EMIT_QUAT(grzQuat_Integrate(in->p, in->a, in->s));
    EMIT_INT(grzQuat_IsFinite(in->p));
    EMIT_INT(grzQuat_IsUnit(in->p));
    EMIT_QUAT(grzQuat_FromAxisAngle(in->a, in->s));
    EMIT_QUAT(grzQuat_FromMat3(in->t.basis));
}

static void matrixCases(const LinmathInput* in, LinmathOutput* out) {
    grzMat3 m = in->t.basis, n = in->u.basis;
    EMIT_MAT3(grzMat3_FromRows(in->a, in->b, in->c));
    EMIT_MAT3(grzMat3_Diagonal(in->a));
    EMIT_MAT3(grzMat3_Transpose(m));
    EMIT_VEC3(grzMat3_Apply(m, in->a));
    EMIT_VEC3(grzMat3_ApplyTransposed(m, in->a));
    EMIT_MAT3(grzMat3_Multiply(m, n));
    EMIT_MAT3(grzMat3_MultiplyTransposed(m, n));
    EMIT_MAT3(grzMat3_Add(m, n));
    EMIT_MAT3(grzMat3_Sub(m, n));
    EMIT_MAT3(grzMat3_Scale(m, in->s));
    EMIT_MAT3(grzMat3_ScaleColumns(m, in->a));
    EMIT_MAT3(grzMat3_Abs(m));
    EMIT_MAT3(grzMat3_Outer(in->a, in->b));
    EMIT_MAT3(grzMat3_Skew(in->a));
    EMIT_FLOAT(grzMat3_Determinant(m));
    EMIT_INT(grzMat3_IsFinite(m));
    EMIT_MAT3(grzMat3_FromQuat(in->p));
    EMIT_MAT3(grzMat3_Inverse(m));
    EMIT_VEC3(grzTransform_Apply(in->t, in->a));
    EMIT_VEC3(grzTransform_ApplyVector(in->t, in->a));
    EMIT_VEC3(grzTransform_ApplyInverse(in->t, in->a));
    EMIT_VEC3(grzTransform_ApplyInverseVector(in->t, in->a));
    EMIT_TRANSFORM(grzTransform_FromQuat(in->p, grzAbs(in->a)));
    EMIT_TRANSFORM(grzTransform_Multiply(in->t, in->u));
    EMIT_TRANSFORM(grzTransform_Inverse(in->t));
    EMIT_TRANSFORM(grzTransform_InverseAffine(in->t));
    EMIT_TRANSFORM(grzTransform_Relative(in->t, in->u));
    EMIT_INT(grzTransform_IsFinite(in->t));
}

static void boxCases(const LinmathInput* in, LinmathOutput* out) {
    EMIT_BOX(grzBox_Empty());
    EMIT_BOX(grzBox_Union(in->box, in->other));
    EMIT_BOX(grzBox_Intersection(in->box, in->other));
    EMIT_BOX(grzBox_AddPoint(in->box, in->a));
    EMIT_INT(grzBox_Overlap(in->box, in->other));
    EMIT_INT(grzBox_Contains(in->box, in->other));
    EMIT_INT(grzBox_ContainsPoint(in->box, in->a));
    EMIT_INT(grzBox_IsEmpty(in->box));
    EMIT_INT(grzBox_IsValid(in->box));
    EMIT_VEC3(grzBox_Center(in->box));
    EMIT_VEC3(grzBox_HalfExtent(in->box));
    EMIT_VEC3(grzBox_Extent(in->box));
    EMIT_FLOAT(grzBox_Area(in->box));
    EMIT_FLOAT(grzBox_Volume(in->box));
    EMIT_VEC3(grzVec3_Below(in->a));
    EMIT_VEC3(grzVec3_Above(in->a));
    EMIT_BOX(grzBox_Expand(in->box, in->s));
    EMIT_BOX(grzBox_Sweep(in->box, in->a));
    EMIT_BOX(grzBox_Transform(in->t, in->box));
}

static void doubleCases(const LinmathInput* in, LinmathOutput* out) {
    EMIT_FLOAT(grzRoundDown(in->d.x));
    EMIT_FLOAT(grzRoundUp(in->d.x));
    EMIT_VEC3(grzVec3d_ToVec3(in->d));
    EMIT_VEC3D(grzVec3d_FromVec3(in->a));
    EMIT_VEC3D(grzVec3d_Add(in->d, in->e));
    EMIT_VEC3D(grzVec3d_Sub(in->d, in->e));
    EMIT_VEC3D(grzVec3d_Scale(in->d, in->e.x));
    EMIT_VEC3D(grzVec3d_Neg(in->d));
    EMIT_VEC3D(grzVec3d_Make(grzVec3d_Dot(in->d, in->e), grzVec3d_LengthSq(in->d), grzVec3d_Length(in->d)));
    EMIT_VEC3D(grzVec3d_Cross(in->d, in->e));
    EMIT_VEC3D(grzVec3d_Lerp(in->d, in->e, in->d.x));
    EMIT_VEC3D(grzVec3d_Min(in->d, in->e));
    EMIT_VEC3D(grzVec3d_Max(in->d, in->e));
    EMIT_INT(grzVec3d_IsFinite(in->d));
    grzBoxd box = grzBoxd_AddPoint(grzBoxd_AddPoint(grzBoxd_Empty(), in->d), in->e);
    grzBoxd other = grzBoxd_FromBox(in->box);
    EMIT_BOX(grzBoxd_ToBox(box));
    EMIT_BOX(grzBoxd_ToBox(grzBoxd_Union(box, other)));
    EMIT_INT(grzBoxd_Overlap(box, other));
}

static void trigonometryCases(const LinmathInput* in, LinmathOutput* out) {
    float sine, cosine;
    EMIT_FLOAT(grzSin(in->s));
    EMIT_FLOAT(grzCos(in->s));
    EMIT_FLOAT((grzSinCos(in->r, &sine, &cosine), sine));
    EMIT_FLOAT(cosine);
    EMIT_FLOAT(grzAcos(in->s));
    EMIT_FLOAT(grzAtan2(in->s, in->r));
}

void LINMATH_CASES(const LinmathInput* in, LinmathOutput* out) {
    out->wordCount = out->caseCount = 0;
    out->firstWords[0] = 0;
    vectorCases(in, out);
    quatCases(in, out);
    matrixCases(in, out);
    boxCases(in, out);
    doubleCases(in, out);
    trigonometryCases(in, out);
}

#endif
