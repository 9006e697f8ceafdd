// Vectors of three coordinates in eight lanes, and rows of four floats at any places to lanes and back. Kernels
// alone include it.
#ifndef GRAZE_WORLD_WIDE_VEC_H
#define GRAZE_WORLD_WIDE_VEC_H

#include "lane_vec3.h"

GRZ_LANE_VEC3(grzWide3, grzF8, grzM8)

// The vector at place k of a stream.
GRZ_SIMD_INLINE grzF8 grzWide_At(const float* stream, uint32_t k) {
    return grzF8_LoadAligned(stream + 8 * (size_t)k);
}
GRZ_SIMD_INLINE void grzWide_Put(float* stream, uint32_t k, grzF8 a) {
    grzF8_StoreAligned(stream + 8 * (size_t)k, a);
}
GRZ_SIMD_INLINE grzWide3 grzWide3_At(const float* stream, uint32_t k) {
    return (grzWide3){grzWide_At(stream, k), grzWide_At(stream, k + 1), grzWide_At(stream, k + 2)};
}
GRZ_SIMD_INLINE void grzWide3_Put(float* stream, uint32_t k, grzWide3 a) {
    grzWide_Put(stream, k, a.x);
    grzWide_Put(stream, k + 1, a.y);
    grzWide_Put(stream, k + 2, a.z);
}

GRZ_SIMD_INLINE grzWide3 grzWide3_Zero(void) {
    return (grzWide3){grzF8_Zero(), grzF8_Zero(), grzF8_Zero()};
}
GRZ_SIMD_INLINE grzWide3 grzWide3_Mul(grzWide3 a, grzWide3 b) {
    return (grzWide3){grzF8_Mul(a.x, b.x), grzF8_Mul(a.y, b.y), grzF8_Mul(a.z, b.z)};
}
GRZ_SIMD_INLINE grzWide3 grzWide3_Div(grzWide3 a, grzWide3 b) {
    return (grzWide3){grzF8_Div(a.x, b.x), grzF8_Div(a.y, b.y), grzF8_Div(a.z, b.z)};
}
// Signs are flipped where the lanes of `sign` are -0.
GRZ_SIMD_INLINE grzWide3 grzWide3_Flip(grzWide3 a, grzF8 sign) {
    return (grzWide3){grzF8_Xor(a.x, sign), grzF8_Xor(a.y, sign), grzF8_Xor(a.z, sign)};
}

// a quaternion's rotation, as linmath's grzMat3_FromQuat.
typedef struct grzWideMat3 {
    grzWide3 x, y, z;
} grzWideMat3;

GRZ_SIMD_INLINE grzWideMat3 grzWideMat3_FromQuat(grzF8 x, grzF8 y, grzF8 z, grzF8 w) {
    grzF8 one = grzF8_Set1(1.0f);
    grzF8 x2 = grzF8_Add(x, x), y2 = grzF8_Add(y, y), z2 = grzF8_Add(z, z);
    grzF8 xx = grzF8_Mul(x, x2), yy = grzF8_Mul(y, y2), zz = grzF8_Mul(z, z2);
    grzF8 xy = grzF8_Mul(x, y2), xz = grzF8_Mul(x, z2), yz = grzF8_Mul(y, z2);
    grzF8 wx = grzF8_Mul(w, x2), wy = grzF8_Mul(w, y2), wz = grzF8_Mul(w, z2);
    return (grzWideMat3){{grzF8_Sub(one, grzF8_Add(yy, zz)), grzF8_Add(xy, wz), grzF8_Sub(xz, wy)},
                         {grzF8_Sub(xy, wz), grzF8_Sub(one, grzF8_Add(xx, zz)), grzF8_Add(yz, wx)},
                         {grzF8_Add(xz, wy), grzF8_Sub(yz, wx), grzF8_Sub(one, grzF8_Add(xx, yy))}};
}
GRZ_SIMD_INLINE grzWide3 grzWideMat3_Apply(const grzWideMat3* m, grzWide3 v) {
    return grzWide3_Add(grzWide3_Add(grzWide3_Scale(m->x, v.x), grzWide3_Scale(m->y, v.y)),
                        grzWide3_Scale(m->z, v.z));
}
GRZ_SIMD_INLINE grzWide3 grzWideMat3_ApplyTransposed(const grzWideMat3* m, grzWide3 v) {
    return (grzWide3){grzWide3_Dot(m->x, v), grzWide3_Dot(m->y, v), grzWide3_Dot(m->z, v)};
}

// Four floats at each of eight places, as columns: 128-bit loads and a transpose, which beat a gather.
GRZ_SIMD_INLINE void grzWide_LoadRows(const float* const from[8], size_t offset, grzF8 columns[4]) {
    for (int k = 0; k < 4; ++k)
        columns[k] = grzF8_Join(grzF4_Load(from[k] + offset), grzF4_Load(from[k + 4] + offset));
    grzTransposeBlocks8(columns);
}
// The reverse, for the first `count` places.
GRZ_SIMD_INLINE void grzWide_StoreRows(float* const to[8], size_t offset, const grzF8 columns[4], uint32_t count) {
    grzF8 blocks[4] = {columns[0], columns[1], columns[2], columns[3]};
    grzTransposeBlocks8(blocks);
    for (uint32_t k = 0; k < 4; ++k)
        if (k < count)
            grzF4_Store(to[k] + offset, grzF8_Lower(blocks[k]));
    for (uint32_t k = 0; k < 4; ++k)
        if (k + 4 < count)
            grzF4_Store(to[k + 4] + offset, grzF8_Upper(blocks[k]));
}

#endif
