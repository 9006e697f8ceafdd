// Floats as integer keys, so that records are ordered by unsigned integers alone: with no rounding, no ties between
// different bits, and no special case for zeros, infinities or NaNs. Pure functions of their arguments: any thread.
#ifndef GRAZE_SORT_KEY_H
#define GRAZE_SORT_KEY_H

#include <string.h>

#include "graze/config.h"

GRZ_EXTERN_C_BEGIN

// One total order: negative NaNs, -infinity, ..., -0, +0, ..., infinity, NaNs. Two floats have the same key exactly
// where they have the same bits.
static inline uint32_t grzSortKeyFromFloat(float number) {
    uint32_t bits;
    memcpy(&bits, &number, sizeof bits);
    // Negative numbers fall as their bits rise: turn them all over. The others only move above the negative ones.
    return (bits >> 31) != 0 ? ~bits : bits | 0x80000000u;
}

// Two halves of a key, the first the weightier.
static inline uint64_t grzSortKeyFromPair(uint32_t first, uint32_t second) {
    return GRZ_CAST(uint64_t, first) << 32 | second;
}

GRZ_EXTERN_C_END

#endif
