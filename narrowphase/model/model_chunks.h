// What: models whose chunks are made where a query reads them (graze/model.h), as queries see them.
// Idea: a query asks for all that it may read before it walks, so that walks look for nothing. What it asks for is no less than
//   what its walk visits: MakeMet and the walk of rays make the very steps of the walk that follows; the others ask by a box.
// Threads: any number at a time; what one makes the others wait for (once_flag.h).
#ifndef GRAZE_NARROWPHASE_MODEL_CHUNKS_H
#define GRAZE_NARROWPHASE_MODEL_CHUNKS_H

#include "model_inside.h"
#include "once_flag.h"

struct ModelChunks {
    grzModelSource source;
    grzModel* model;
    uint32_t count;
    uint32_t level;      // of the boxes that are chunks (model_inside.h); their nodes are made with them
    grzOnceFlag* states; // one a chunk
    grzOnceFlag above;   // the nodes above the chunks, and the box of all
    _Atomic uint64_t made;
};

void grzModelChunks_Open(ModelChunks* chunks);
void grzModelChunks_Make(ModelChunks* chunks, uint32_t chunk);
void grzModelChunks_MakeInBox(ModelChunks* chunks, const float lower[3], const float upper[3]);

// The box of all can be read behind it. Every query begins so.
static inline void grzModel_Open(const grzModel* model) {
    if (model->chunks != NULL)
        grzModelChunks_Open(model->chunks);
}

// Everything can be read behind it.
void grzModel_MakeAll(const grzModel* model);

// All that meets a box, in the model's frame, can be read behind it. The model is open.
static inline void grzModel_MakeInBox(const grzModel* model, const float lower[3], const float upper[3]) {
    if (model->chunks != NULL)
        grzModelChunks_MakeInBox(model->chunks, lower, upper);
}

// A triangle of the tree can be read behind it. The model is open.
static inline void grzModel_MakeTriangle(const grzModel* model, uint32_t place) {
    if (model->chunks != NULL)
        grzModelChunks_Make(model->chunks, place / GRZ_BVH_CHUNK_TRIANGLES);
}

#endif
