// What the levels share before they have types. Included by simd.h alone.
#ifndef GRAZE_BASE_SIMD_LANES_H
#define GRAZE_BASE_SIMD_LANES_H

// The lanes that a mask of eight bits keeps, in order, a byte each (simd_tables.c).
extern const uint64_t grzCompressPlaces[256];

// Without a branch: every lane is written, and the next one goes over it where its bit is not set.
GRZ_SIMD_INLINE size_t grzCompressLanes4(void* to, uint32_t bits, const int32_t* lanes) {
    size_t count = 0;
    for (int k = 0; k < 4; ++k) {
        memcpy((char*)to + 4 * count, lanes + k, 4);
        count += bits >> k & 1u;
    }
    return count;
}

#endif
