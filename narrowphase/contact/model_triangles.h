// What: lists of triangles for many queries, of shapes and of half-spaces.
#ifndef GRAZE_NARROWPHASE_MODEL_TRIANGLES_H
#define GRAZE_NARROWPHASE_MODEL_TRIANGLES_H

#include "model_batch.h"

typedef struct TriangleScratch {
    GRZ_ARRAY(uint32_t);
} TriangleScratch;

// Brings the block's answers from byte `first` on into order. The block's scratch is a TriangleScratch.
grzResult grzModelTriangles_Sort(BatchBlock* block, size_t first, const grzAllocator* allocator);

BatchRunFn grzShapeTriangles_Run; // of grzModelShape
BatchRunFn grzPlaneTriangles_Run; // of grzModelPlane

#endif
