// What: four floats at a time, the layer under linmath.h. An implementation detail of it; not part of the API: it
//       may change with any version. Kernels have engine/base/simd/simd.h.
// Threads: pure functions of their arguments: any.
//
// Three implementations of the same operations: SSE2, NEON, and plain C. All give the same bits: every operation is
// one IEEE operation a lane (or moves bits), and each sum names its order. Only the payload and sign of a NaN are
// the processor's. GRZ_LINMATH_SCALAR, defined before inclusion, forces plain C; linmath.h's types are the same.
//
// A NaN in Min, Max, or a compare: Min is (a < b ? a : b) and Max is (a > b ? a : b), so the second operand wins.
#ifndef GRAZE_LANES_H
#define GRAZE_LANES_H

#include <float.h>
#include <math.h>
#include <string.h>

#include "graze/config.h"

#if defined(FLT_EVAL_METHOD) && FLT_EVAL_METHOD != 0 && FLT_EVAL_METHOD != 16
#    error "graze needs float arithmetic in float (-mfpmath=sse), not in wider registers"
#endif

#if defined(GRZ_LINMATH_SCALAR)
#    define GRZ_LANES_SCALAR 1
#elif defined(__SSE2__) || defined(_M_X64)
#    define GRZ_LANES_SSE2 1
#    include <emmintrin.h>
#elif defined(__aarch64__) && defined(__ARM_NEON)
#    define GRZ_LANES_NEON 1
#    include <arm_neon.h>
#else
#    define GRZ_LANES_SCALAR 1
#endif

// The bits of a float, and back.
static inline uint32_t grzFloatBits(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline float grzFloatFromBits(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

#if defined(GRZ_LANES_SSE2)

typedef __m128 grzLanes;

static inline grzLanes grzLanes_Load(const void* four) {
    return _mm_loadu_ps(GRZ_CAST(const float*, four));
}
static inline void grzLanes_Store(void* four, grzLanes a) {
    _mm_storeu_ps(GRZ_CAST(float*, four), a);
}
static inline grzLanes grzLanes_Set(float x, float y, float z, float w) {
    return _mm_setr_ps(x, y, z, w);
}
static inline grzLanes grzLanes_Splat(float s) {
    return _mm_set1_ps(s);
}
static inline float grzLanes_X(grzLanes a) {
    return _mm_cvtss_f32(a);
}

static inline grzLanes grzLanes_SplatX(grzLanes a) {
    return _mm_shuffle_ps(a, a, _MM_SHUFFLE(0, 0, 0, 0));
}
static inline grzLanes grzLanes_SplatY(grzLanes a) {
    return _mm_shuffle_ps(a, a, _MM_SHUFFLE(1, 1, 1, 1));
}
static inline grzLanes grzLanes_SplatZ(grzLanes a) {
    return _mm_shuffle_ps(a, a, _MM_SHUFFLE(2, 2, 2, 2));
}
static inline grzLanes grzLanes_SplatW(grzLanes a) {
    return _mm_shuffle_ps(a, a, _MM_SHUFFLE(3, 3, 3, 3));
}
// (y, z, x, w)
static inline grzLanes grzLanes_Yzx(grzLanes a) {
    return _mm_shuffle_ps(a, a, _MM_SHUFFLE(3, 0, 2, 1));
}

static inline grzLanes grzLanes_Add(grzLanes a, grzLanes b) {
    return _mm_add_ps(a, b);
}
static inline grzLanes grzLanes_Sub(grzLanes a, grzLanes b) {
    return _mm_sub_ps(a, b);
}
static inline grzLanes grzLanes_Mul(grzLanes a, grzLanes b) {
    return _mm_mul_ps(a, b);
}
static inline grzLanes grzLanes_Div(grzLanes a, grzLanes b) {
    return _mm_div_ps(a, b);
}
static inline grzLanes grzLanes_Min(grzLanes a, grzLanes b) {
    return _mm_min_ps(a, b);
}
static inline grzLanes grzLanes_Max(grzLanes a, grzLanes b) {
    return _mm_max_ps(a, b);
}
static inline grzLanes grzLanes_Abs(grzLanes a) {
    return _mm_andnot_ps(_mm_set1_ps(-0.0f), a);
}
static inline grzLanes grzLanes_Neg(grzLanes a) {
    return _mm_xor_ps(_mm_set1_ps(-0.0f), a);
}

// x, y, z kept; w is 0.
static inline grzLanes grzLanes_ClearW(grzLanes a) {
    return _mm_and_ps(a, _mm_castsi128_ps(_mm_setr_epi32(-1, -1, -1, 0)));
}

// x, y, z of a, and w.
static inline grzLanes grzLanes_WithW(grzLanes a, float w) {
    __m128 zw = _mm_shuffle_ps(a, _mm_set1_ps(w), _MM_SHUFFLE(0, 0, 2, 2));
    return _mm_shuffle_ps(a, zw, _MM_SHUFFLE(2, 0, 1, 0));
}

// Whether a <= b in x, y and z; false where one of them is a NaN.
static inline bool grzLanes_AllLessEqual3(grzLanes a, grzLanes b) {
    return (_mm_movemask_ps(_mm_cmple_ps(a, b)) & 7) == 7;
}

// Whether a <= b and c <= d in x, y and z.
static inline bool grzLanes_BothLessEqual3(grzLanes a, grzLanes b, grzLanes c, grzLanes d) {
    return (_mm_movemask_ps(_mm_and_ps(_mm_cmple_ps(a, b), _mm_cmple_ps(c, d))) & 7) == 7;
}

// x, y, z as the columns of a matrix become its rows; w is anything.
static inline void grzLanes_Transpose3(grzLanes* x, grzLanes* y, grzLanes* z) {
    __m128 low = _mm_unpacklo_ps(*x, *y), high = _mm_unpackhi_ps(*x, *y);
    *x = _mm_shuffle_ps(low, *z, _MM_SHUFFLE(3, 0, 1, 0));
    *y = _mm_shuffle_ps(low, *z, _MM_SHUFFLE(3, 1, 3, 2));
    *z = _mm_shuffle_ps(high, *z, _MM_SHUFFLE(3, 2, 1, 0));
}

static inline float grzSqrt(float s) {
    return _mm_cvtss_f32(_mm_sqrt_ss(_mm_set_ss(s)));
}

#elif defined(GRZ_LANES_NEON)

typedef float32x4_t grzLanes;

static inline grzLanes grzLanes_Load(const void* four) {
    return vld1q_f32(GRZ_CAST(const float*, four));
}
static inline void grzLanes_Store(void* four, grzLanes a) {
    vst1q_f32(GRZ_CAST(float*, four), a);
}
static inline grzLanes grzLanes_Splat(float s) {
    return vdupq_n_f32(s);
}
static inline float grzLanes_X(grzLanes a) {
    return vgetq_lane_f32(a, 0);
}
static inline grzLanes grzLanes_Set(float x, float y, float z, float w) {
    const float four[4] = {x, y, z, w};
    return vld1q_f32(four);
}

static inline grzLanes grzLanes_SplatX(grzLanes a) {
    return vdupq_laneq_f32(a, 0);
}
static inline grzLanes grzLanes_SplatY(grzLanes a) {
    return vdupq_laneq_f32(a, 1);
}
static inline grzLanes grzLanes_SplatZ(grzLanes a) {
    return vdupq_laneq_f32(a, 2);
}
static inline grzLanes grzLanes_SplatW(grzLanes a) {
    return vdupq_laneq_f32(a, 3);
}
// (y, z, x, w)
static inline grzLanes grzLanes_Yzx(grzLanes a) {
    float32x4_t yzwx = vextq_f32(a, a, 1);
    return vcombine_f32(vget_low_f32(yzwx), vrev64_f32(vget_high_f32(yzwx)));
}

static inline grzLanes grzLanes_Add(grzLanes a, grzLanes b) {
    return vaddq_f32(a, b);
}
static inline grzLanes grzLanes_Sub(grzLanes a, grzLanes b) {
    return vsubq_f32(a, b);
}
static inline grzLanes grzLanes_Mul(grzLanes a, grzLanes b) {
    return vmulq_f32(a, b);
}
static inline grzLanes grzLanes_Div(grzLanes a, grzLanes b) {
    return vdivq_f32(a, b);
}
// vminq and vmaxq treat NaN and the two zeros differently, hence compare and select.
static inline grzLanes grzLanes_Min(grzLanes a, grzLanes b) {
    return vbslq_f32(vcltq_f32(a, b), a, b);
}
static inline grzLanes grzLanes_Max(grzLanes a, grzLanes b) {
    return vbslq_f32(vcgtq_f32(a, b), a, b);
}
static inline grzLanes grzLanes_Abs(grzLanes a) {
    return vabsq_f32(a);
}
static inline grzLanes grzLanes_Neg(grzLanes a) {
    return vnegq_f32(a);
}

// x, y, z kept; w is 0.
static inline grzLanes grzLanes_ClearW(grzLanes a) {
    return vsetq_lane_f32(0.0f, a, 3);
}

// x, y, z of a, and w.
static inline grzLanes grzLanes_WithW(grzLanes a, float w) {
    return vsetq_lane_f32(w, a, 3);
}

// Whether a <= b in x, y and z; false where one of them is a NaN.
static inline bool grzLanes_AllLessEqual3(grzLanes a, grzLanes b) {
    return vminvq_u32(vsetq_lane_u32(0xFFFFFFFFu, vcleq_f32(a, b), 3)) != 0;
}

// Whether a <= b and c <= d in x, y and z.
static inline bool grzLanes_BothLessEqual3(grzLanes a, grzLanes b, grzLanes c, grzLanes d) {
    uint32x4_t both = vandq_u32(vcleq_f32(a, b), vcleq_f32(c, d));
    return vminvq_u32(vsetq_lane_u32(0xFFFFFFFFu, both, 3)) != 0;
}

// x, y, z as the columns of a matrix become its rows; w is anything.
static inline void grzLanes_Transpose3(grzLanes* x, grzLanes* y, grzLanes* z) {
    float32x4_t low = vzip1q_f32(*x, *y), high = vzip2q_f32(*x, *y);
    *x = vcombine_f32(vget_low_f32(low), vget_low_f32(*z));
    *y = vcombine_f32(vget_high_f32(low), vget_low_f32(vextq_f32(*z, *z, 1)));
    *z = vcombine_f32(vget_low_f32(high), vget_high_f32(*z));
}

static inline float grzSqrt(float s) {
    return sqrtf(s);
}

#else

typedef struct grzLanes {
    float x, y, z, w;
} grzLanes;

static inline grzLanes grzLanes_Set(float x, float y, float z, float w) {
    grzLanes a = {x, y, z, w};
    return a;
}
static inline grzLanes grzLanes_Load(const void* four) {
    grzLanes a;
    memcpy(&a, four, sizeof a);
    return a;
}
static inline void grzLanes_Store(void* four, grzLanes a) {
    memcpy(four, &a, sizeof a);
}
static inline grzLanes grzLanes_Splat(float s) {
    return grzLanes_Set(s, s, s, s);
}
static inline float grzLanes_X(grzLanes a) {
    return a.x;
}

static inline grzLanes grzLanes_SplatX(grzLanes a) {
    return grzLanes_Splat(a.x);
}
static inline grzLanes grzLanes_SplatY(grzLanes a) {
    return grzLanes_Splat(a.y);
}
static inline grzLanes grzLanes_SplatZ(grzLanes a) {
    return grzLanes_Splat(a.z);
}
static inline grzLanes grzLanes_SplatW(grzLanes a) {
    return grzLanes_Splat(a.w);
}
// (y, z, x, w)
static inline grzLanes grzLanes_Yzx(grzLanes a) {
    return grzLanes_Set(a.y, a.z, a.x, a.w);
}

static inline grzLanes grzLanes_Add(grzLanes a, grzLanes b) {
    return grzLanes_Set(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}
static inline grzLanes grzLanes_Sub(grzLanes a, grzLanes b) {
    return grzLanes_Set(a.x - b.x, a.y - b.y, a.z - b.z, a.w - b.w);
}
static inline grzLanes grzLanes_Mul(grzLanes a, grzLanes b) {
    return grzLanes_Set(a.x * b.x, a.y * b.y, a.z * b.z, a.w * b.w);
}
static inline grzLanes grzLanes_Div(grzLanes a, grzLanes b) {
    return grzLanes_Set(a.x / b.x, a.y / b.y, a.z / b.z, a.w / b.w);
}
static inline grzLanes grzLanes_Min(grzLanes a, grzLanes b) {
    return grzLanes_Set(a.x < b.x ? a.x : b.x, a.y < b.y ? a.y : b.y, a.z < b.z ? a.z : b.z, a.w < b.w ? a.w : b.w);
}
static inline grzLanes grzLanes_Max(grzLanes a, grzLanes b) {
    return grzLanes_Set(a.x > b.x ? a.x : b.x, a.y > b.y ? a.y : b.y, a.z > b.z ? a.z : b.z, a.w > b.w ? a.w : b.w);
}
static inline grzLanes grzLanes_Abs(grzLanes a) {
    return grzLanes_Set(fabsf(a.x), fabsf(a.y), fabsf(a.z), fabsf(a.w));
}
static inline grzLanes grzLanes_Neg(grzLanes a) {
    return grzLanes_Set(-a.x, -a.y, -a.z, -a.w);
}

// x, y, z kept; w is 0.
static inline grzLanes grzLanes_ClearW(grzLanes a) {
    return grzLanes_Set(a.x, a.y, a.z, 0.0f);
}

// x, y, z of a, and w.
static inline grzLanes grzLanes_WithW(grzLanes a, float w) {
    return grzLanes_Set(a.x, a.y, a.z, w);
}

// Whether a <= b in x, y and z; false where one of them is a NaN.
static inline bool grzLanes_AllLessEqual3(grzLanes a, grzLanes b) {
    return a.x <= b.x && a.y <= b.y && a.z <= b.z;
}

// Whether a <= b and c <= d in x, y and z.
static inline bool grzLanes_BothLessEqual3(grzLanes a, grzLanes b, grzLanes c, grzLanes d) {
    return grzLanes_AllLessEqual3(a, b) && grzLanes_AllLessEqual3(c, d);
}

// x, y, z as the columns of a matrix become its rows; w is anything.
static inline void grzLanes_Transpose3(grzLanes* x, grzLanes* y, grzLanes* z) {
    grzLanes a = *x, b = *y, c = *z;
    *x = grzLanes_Set(a.x, b.x, c.x, 0.0f);
    *y = grzLanes_Set(a.y, b.y, c.y, 0.0f);
    *z = grzLanes_Set(a.z, b.z, c.z, 0.0f);
}

static inline float grzSqrt(float s) {
    return sqrtf(s);
}

#endif

// (x*x' + y*y') + z*z'
static inline float grzLanes_Dot3(grzLanes a, grzLanes b) {
    grzLanes p = grzLanes_Mul(a, b);
    return grzLanes_X(grzLanes_Add(grzLanes_Add(p, grzLanes_SplatY(p)), grzLanes_SplatZ(p)));
}

// (y*z' - z*y', z*x' - x*z', x*y' - y*x')
static inline grzLanes grzLanes_Cross(grzLanes a, grzLanes b) {
    grzLanes zxy = grzLanes_Sub(grzLanes_Mul(a, grzLanes_Yzx(b)), grzLanes_Mul(grzLanes_Yzx(a), b));
    return grzLanes_Yzx(zxy);
}

#endif
