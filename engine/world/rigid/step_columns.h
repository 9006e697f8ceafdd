// How stages read columns whose entries lie in larger rows (graze/stage/step.h), and the limit that they share.
#ifndef GRAZE_WORLD_STEP_COLUMNS_H
#define GRAZE_WORLD_STEP_COLUMNS_H

#include "graze/stage/step.h"

// Contacts are never looked for farther away: convex shapes and their poses are within it.
#define GRZ_MOST_REACH 1e15f

static inline const void* grzColumn_At(const void* first, size_t stride, size_t tight, uint32_t i) {
    return (const char*)first + i * (stride != 0 ? stride : tight);
}

static inline void* grzColumn_Write(void* first, size_t stride, size_t tight, uint32_t i) {
    return (char*)first + i * (stride != 0 ? stride : tight);
}

static inline const grzShapeTraits* grzShapeTraits_At(const grzShapeTraits* first, size_t stride, uint32_t i) {
    return (const grzShapeTraits*)grzColumn_At(first, stride, sizeof *first, i);
}

#endif
