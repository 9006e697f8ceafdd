// Where the bodies of a batch of pairs lie.
#ifndef GRAZE_NARROWPHASE_CONVEX_BATCH_H
#define GRAZE_NARROWPHASE_CONVEX_BATCH_H

#include "graze/convex_pairs.h"

// The stride must be set.
static inline const grzPosedConvex* batchBody(const grzConvexBatch* batch, uint32_t index) {
    return (const grzPosedConvex*)(const void*)((const char*)batch->bodies + index * batch->bodyStride);
}

#endif
