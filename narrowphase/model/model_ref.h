// What: how walks through two hierarchies name a box: side, level (four bits), number.
// Threads: pure functions.
#ifndef GRAZE_NARROWPHASE_MODEL_REF_H
#define GRAZE_NARROWPHASE_MODEL_REF_H

#include "model_inside.h"

enum { LEVEL_SHIFT = 27 };
#define SIDE_BIT   0x80000000u
#define INDEX_MASK ((1u << LEVEL_SHIFT) - 1)

typedef uint32_t Ref;

static inline uint32_t levelOf(Ref ref) {
    return ref >> LEVEL_SHIFT & 15;
}

#endif
