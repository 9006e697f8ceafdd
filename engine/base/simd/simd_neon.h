// The AArch64 level: 128 bits. Included by simd.h alone.
#ifndef GRAZE_BASE_SIMD_NEON_H
#define GRAZE_BASE_SIMD_NEON_H

#include <arm_neon.h>

typedef struct grzF4 {
    float32x4_t v;
} grzF4;

typedef struct grzI4 {
    int32x4_t v;
} grzI4;

typedef struct grzM4 {
    uint32x4_t v; // all ones or all zeros a lane
} grzM4;

GRZ_SIMD_INLINE grzF4 grzF4_Load(const float* from) {
    return (grzF4){vld1q_f32(from)};
}
GRZ_SIMD_INLINE grzF4 grzF4_LoadAligned(const float* from) {
    return (grzF4){vld1q_f32(from)};
}
GRZ_SIMD_INLINE void grzF4_Store(float* to, grzF4 a) {
    vst1q_f32(to, a.v);
}
GRZ_SIMD_INLINE void grzF4_StoreAligned(float* to, grzF4 a) {
    vst1q_f32(to, a.v);
}
GRZ_SIMD_INLINE grzF4 grzF4_Zero(void) {
    return (grzF4){vdupq_n_f32(0.0f)};
}
GRZ_SIMD_INLINE grzF4 grzF4_Set1(float x) {
    return (grzF4){vdupq_n_f32(x)};
}
GRZ_SIMD_INLINE grzF4 grzF4_Set(float x, float y, float z, float w) {
    float32x4_t a = vdupq_n_f32(x);
    return (grzF4){vsetq_lane_f32(w, vsetq_lane_f32(z, vsetq_lane_f32(y, a, 1), 2), 3)};
}
GRZ_SIMD_INLINE float grzF4_First(grzF4 a) {
    return vgetq_lane_f32(a.v, 0);
}

// Min and Max are compares: vminq passes NaNs on and orders the zeros, which SSE does not.
GRZ_SIMD_BINARY(grzF4, Add, vaddq_f32)
GRZ_SIMD_BINARY(grzF4, Sub, vsubq_f32)
GRZ_SIMD_BINARY(grzF4, Mul, vmulq_f32)
GRZ_SIMD_BINARY(grzF4, Div, vdivq_f32)
GRZ_SIMD_UNARY(grzF4, Sqrt, vsqrtq_f32)
GRZ_SIMD_INLINE grzF4 grzF4_Min(grzF4 a, grzF4 b) {
    return (grzF4){vbslq_f32(vcltq_f32(a.v, b.v), a.v, b.v)};
}
GRZ_SIMD_INLINE grzF4 grzF4_Max(grzF4 a, grzF4 b) {
    return (grzF4){vbslq_f32(vcgtq_f32(a.v, b.v), a.v, b.v)};
}

GRZ_SIMD_INLINE grzM4 grzF4_Less(grzF4 a, grzF4 b) {
    return (grzM4){vcltq_f32(a.v, b.v)};
}
GRZ_SIMD_INLINE grzM4 grzF4_LessEqual(grzF4 a, grzF4 b) {
    return (grzM4){vcleq_f32(a.v, b.v)};
}
GRZ_SIMD_INLINE grzM4 grzF4_Equal(grzF4 a, grzF4 b) {
    return (grzM4){vceqq_f32(a.v, b.v)};
}
GRZ_SIMD_INLINE grzM4 grzF4_NotEqual(grzF4 a, grzF4 b) {
    return (grzM4){vmvnq_u32(vceqq_f32(a.v, b.v))};
}
GRZ_SIMD_INLINE grzF4 grzF4_Select(grzM4 mask, grzF4 yes, grzF4 no) {
    return (grzF4){vbslq_f32(mask.v, yes.v, no.v)};
}

GRZ_SIMD_INLINE grzI4 grzF4_AsInt(grzF4 a) {
    return (grzI4){vreinterpretq_s32_f32(a.v)};
}
GRZ_SIMD_INLINE grzF4 grzI4_AsFloat(grzI4 a) {
    return (grzF4){vreinterpretq_f32_s32(a.v)};
}
GRZ_SIMD_INLINE grzF4 grzI4_ToFloat(grzI4 a) {
    return (grzF4){vcvtq_f32_s32(a.v)};
}
// The conversion saturates and makes NaN 0. What is too small is INT32_MIN so already; the rest is not below 2^31.
GRZ_SIMD_INLINE grzI4 grzF4_ToInt(grzF4 a) {
    uint32x4_t fits = vcltq_f32(a.v, vdupq_n_f32(2147483648.0f));
    return (grzI4){vbslq_s32(fits, vcvtq_s32_f32(a.v), vdupq_n_s32(INT32_MIN))};
}

GRZ_SIMD_INLINE grzI4 grzI4_Load(const int32_t* from) {
    return (grzI4){vld1q_s32(from)};
}
GRZ_SIMD_INLINE grzI4 grzI4_LoadAligned(const int32_t* from) {
    return (grzI4){vld1q_s32(from)};
}
GRZ_SIMD_INLINE void grzI4_Store(int32_t* to, grzI4 a) {
    vst1q_s32(to, a.v);
}
GRZ_SIMD_INLINE void grzI4_StoreAligned(int32_t* to, grzI4 a) {
    vst1q_s32(to, a.v);
}
GRZ_SIMD_INLINE grzI4 grzI4_Zero(void) {
    return (grzI4){vdupq_n_s32(0)};
}
GRZ_SIMD_INLINE grzI4 grzI4_Set1(int32_t x) {
    return (grzI4){vdupq_n_s32(x)};
}
GRZ_SIMD_INLINE grzI4 grzI4_Set(int32_t x, int32_t y, int32_t z, int32_t w) {
    int32x4_t a = vdupq_n_s32(x);
    return (grzI4){vsetq_lane_s32(w, vsetq_lane_s32(z, vsetq_lane_s32(y, a, 1), 2), 3)};
}
GRZ_SIMD_INLINE int32_t grzI4_First(grzI4 a) {
    return vgetq_lane_s32(a.v, 0);
}
GRZ_SIMD_INLINE grzI4 grzI4_SwapPairs(grzI4 a) {
    return (grzI4){vextq_s32(a.v, a.v, 2)};
}
GRZ_SIMD_INLINE grzI4 grzI4_SwapLanes(grzI4 a) {
    return (grzI4){vrev64q_s32(a.v)};
}

GRZ_SIMD_BINARY(grzI4, Add, vaddq_s32)
GRZ_SIMD_BINARY(grzI4, Sub, vsubq_s32)
GRZ_SIMD_BINARY(grzI4, Min, vminq_s32)
GRZ_SIMD_BINARY(grzI4, Max, vmaxq_s32)
GRZ_SIMD_BINARY(grzI4, And, vandq_s32)
GRZ_SIMD_BINARY(grzI4, Or, vorrq_s32)
GRZ_SIMD_BINARY(grzI4, Xor, veorq_s32)
GRZ_SIMD_BINARY(grzI4, AndNot, vbicq_s32)
GRZ_SIMD_INLINE grzI4 grzI4_ShiftLeft(grzI4 a, int n) {
    return (grzI4){vshlq_s32(a.v, vdupq_n_s32(n))};
}
GRZ_SIMD_INLINE grzI4 grzI4_ShiftRight(grzI4 a, int n) {
    return (grzI4){vshlq_s32(a.v, vdupq_n_s32(-n))};
}
GRZ_SIMD_INLINE grzI4 grzI4_ShiftRightZero(grzI4 a, int n) {
    return (grzI4){vreinterpretq_s32_u32(vshlq_u32(vreinterpretq_u32_s32(a.v), vdupq_n_s32(-n)))};
}
GRZ_SIMD_INLINE grzM4 grzI4_Less(grzI4 a, grzI4 b) {
    return (grzM4){vcltq_s32(a.v, b.v)};
}
GRZ_SIMD_INLINE grzM4 grzI4_Equal(grzI4 a, grzI4 b) {
    return (grzM4){vceqq_s32(a.v, b.v)};
}

GRZ_SIMD_BINARY(grzM4, And, vandq_u32)
GRZ_SIMD_BINARY(grzM4, Or, vorrq_u32)
GRZ_SIMD_BINARY(grzM4, Xor, veorq_u32)
GRZ_SIMD_BINARY(grzM4, AndNot, vbicq_u32)
GRZ_SIMD_UNARY(grzM4, Not, vmvnq_u32)
GRZ_SIMD_INLINE uint32x4_t grzLaneBits(void) {
    static const uint32_t bits[4] = {1, 2, 4, 8};
    return vld1q_u32(bits);
}
GRZ_SIMD_INLINE uint32_t grzM4_Bits(grzM4 a) {
    return vaddvq_u32(vandq_u32(a.v, grzLaneBits()));
}
GRZ_SIMD_INLINE grzM4 grzM4_FromBits(uint32_t bits) {
    return (grzM4){vtstq_u32(vdupq_n_u32(bits), grzLaneBits())};
}

GRZ_SIMD_INLINE size_t grzI4_CompressTo(void* to, grzM4 mask, grzI4 a) {
    int32_t lanes[4];
    grzI4_Store(lanes, a);
    return grzCompressLanes4(to, grzM4_Bits(mask), lanes);
}

GRZ_SIMD_INLINE void grzTranspose4(grzF4* a, grzF4* b, grzF4* c, grzF4* d) {
    float32x4x2_t ab = vtrnq_f32(a->v, b->v), cd = vtrnq_f32(c->v, d->v);
    a->v = vcombine_f32(vget_low_f32(ab.val[0]), vget_low_f32(cd.val[0]));
    b->v = vcombine_f32(vget_low_f32(ab.val[1]), vget_low_f32(cd.val[1]));
    c->v = vcombine_f32(vget_high_f32(ab.val[0]), vget_high_f32(cd.val[0]));
    d->v = vcombine_f32(vget_high_f32(ab.val[1]), vget_high_f32(cd.val[1]));
}

typedef struct grzD4 {
    float64x2_t lower, upper;
} grzD4;

GRZ_SIMD_INLINE grzD4 grzD4_Load(const double* from) {
    return (grzD4){vld1q_f64(from), vld1q_f64(from + 2)};
}
GRZ_SIMD_INLINE grzD4 grzD4_LoadAligned(const double* from) {
    return grzD4_Load(from);
}
GRZ_SIMD_INLINE void grzD4_Store(double* to, grzD4 a) {
    vst1q_f64(to, a.lower);
    vst1q_f64(to + 2, a.upper);
}
GRZ_SIMD_INLINE void grzD4_StoreAligned(double* to, grzD4 a) {
    grzD4_Store(to, a);
}
GRZ_SIMD_INLINE grzD4 grzD4_Set1(double x) {
    return (grzD4){vdupq_n_f64(x), vdupq_n_f64(x)};
}
GRZ_SIMD_INLINE grzD4 grzD4_FromFloat(grzF4 a) {
    return (grzD4){vcvt_f64_f32(vget_low_f32(a.v)), vcvt_high_f64_f32(a.v)};
}
GRZ_SIMD_INLINE grzF4 grzD4_ToFloat(grzD4 a) {
    return (grzF4){vcvt_high_f32_f64(vcvt_f32_f64(a.lower), a.upper)};
}
GRZ_SIMD_INLINE grzD4 grzD4_Sqrt(grzD4 a) {
    return (grzD4){vsqrtq_f64(a.lower), vsqrtq_f64(a.upper)};
}

#define GRZ_NEON_BINARY(Verb, instruction)                                                                         \
    GRZ_SIMD_INLINE grzD4 grzD4_##Verb(grzD4 a, grzD4 b) {                                                         \
        return (grzD4){instruction(a.lower, b.lower), instruction(a.upper, b.upper)};                              \
    }
GRZ_SIMD_INLINE float64x2_t grzMinDoubles(float64x2_t a, float64x2_t b) {
    return vbslq_f64(vcltq_f64(a, b), a, b);
}
GRZ_SIMD_INLINE float64x2_t grzMaxDoubles(float64x2_t a, float64x2_t b) {
    return vbslq_f64(vcgtq_f64(a, b), a, b);
}
GRZ_SIMD_INLINE float64x2_t grzXorDoubles(float64x2_t a, float64x2_t b) {
    return vreinterpretq_f64_u64(veorq_u64(vreinterpretq_u64_f64(a), vreinterpretq_u64_f64(b)));
}
GRZ_SIMD_INLINE float64x2_t grzAndNotDoubles(float64x2_t a, float64x2_t b) {
    return vreinterpretq_f64_u64(vbicq_u64(vreinterpretq_u64_f64(a), vreinterpretq_u64_f64(b)));
}
GRZ_NEON_BINARY(Add, vaddq_f64)
GRZ_NEON_BINARY(Sub, vsubq_f64)
GRZ_NEON_BINARY(Mul, vmulq_f64)
GRZ_NEON_BINARY(Div, vdivq_f64)
GRZ_NEON_BINARY(Min, grzMinDoubles)
GRZ_NEON_BINARY(Max, grzMaxDoubles)
GRZ_NEON_BINARY(Xor, grzXorDoubles)
GRZ_NEON_BINARY(AndNot, grzAndNotDoubles)
#undef GRZ_NEON_BINARY

// The halves' masks have 64 bits a lane; grzM4 keeps the lower 32 of each.
#define GRZ_NEON_COMPARE(Verb, instruction)                                                                        \
    GRZ_SIMD_INLINE grzM4 grzD4_##Verb(grzD4 a, grzD4 b) {                                                         \
        return (grzM4){vuzp1q_u32(vreinterpretq_u32_u64(instruction(a.lower, b.lower)),                            \
                                  vreinterpretq_u32_u64(instruction(a.upper, b.upper)))};                          \
    }
GRZ_NEON_COMPARE(Less, vcltq_f64)
GRZ_NEON_COMPARE(LessEqual, vcleq_f64)
GRZ_NEON_COMPARE(Equal, vceqq_f64)
#undef GRZ_NEON_COMPARE
GRZ_SIMD_INLINE grzM4 grzD4_NotEqual(grzD4 a, grzD4 b) {
    return grzM4_Not(grzD4_Equal(a, b));
}

GRZ_SIMD_INLINE grzD4 grzD4_Select(grzM4 mask, grzD4 yes, grzD4 no) {
    uint64x2_t lower = vreinterpretq_u64_u32(vzip1q_u32(mask.v, mask.v));
    uint64x2_t upper = vreinterpretq_u64_u32(vzip2q_u32(mask.v, mask.v));
    return (grzD4){vbslq_f64(lower, yes.lower, no.lower), vbslq_f64(upper, yes.upper, no.upper)};
}

typedef struct grzU8x16 {
    uint8x16_t v;
} grzU8x16;

typedef struct grzM8x16 {
    uint8x16_t v; // all ones or all zeros a byte
} grzM8x16;

GRZ_SIMD_INLINE grzU8x16 grzU8x16_Load(const uint8_t* from) {
    return (grzU8x16){vld1q_u8(from)};
}
GRZ_SIMD_INLINE grzU8x16 grzU8x16_LoadAligned(const uint8_t* from) {
    return (grzU8x16){vld1q_u8(from)};
}
GRZ_SIMD_INLINE void grzU8x16_Store(uint8_t* to, grzU8x16 a) {
    vst1q_u8(to, a.v);
}
GRZ_SIMD_INLINE void grzU8x16_StoreAligned(uint8_t* to, grzU8x16 a) {
    vst1q_u8(to, a.v);
}
GRZ_SIMD_INLINE grzU8x16 grzU8x16_Set1(uint8_t x) {
    return (grzU8x16){vdupq_n_u8(x)};
}
GRZ_SIMD_BINARY(grzU8x16, Min, vminq_u8)
GRZ_SIMD_BINARY(grzU8x16, Max, vmaxq_u8)
GRZ_SIMD_INLINE grzM8x16 grzU8x16_Equal(grzU8x16 a, grzU8x16 b) {
    return (grzM8x16){vceqq_u8(a.v, b.v)};
}
GRZ_SIMD_INLINE grzM8x16 grzU8x16_LessEqual(grzU8x16 a, grzU8x16 b) {
    return (grzM8x16){vcleq_u8(a.v, b.v)};
}
GRZ_SIMD_BINARY(grzM8x16, And, vandq_u8)
GRZ_SIMD_BINARY(grzM8x16, Or, vorrq_u8)
// A bit a byte, summed within each half.
GRZ_SIMD_INLINE uint64_t grzM8x16_Bits(grzM8x16 a) {
    static const uint8_t bits[16] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    uint8x16_t set = vandq_u8(a.v, vld1q_u8(bits));
    return (uint64_t)vaddv_u8(vget_low_u8(set)) | (uint64_t)vaddv_u8(vget_high_u8(set)) << 8;
}

#endif
