// What: how every query over two models begins.
// Threads: pure functions.
#ifndef GRAZE_NARROWPHASE_MODEL_SEARCH_H
#define GRAZE_NARROWPHASE_MODEL_SEARCH_H

#include "model_kernel.h"

// Refuses as grzModels_Touch does, but for a margin above 0, which is up to the caller. found, first and allocator of the search
// are left to the caller.
grzResult grzModelSearch_Begin(const grzModelQuery* query, ModelSearch* search);

// The two parts of it: all that poses do not decide, and the relation of the poses.
grzResult grzModelSearch_Check(const grzModelQuery* query);
grzResult grzModelSearch_Relate(const grzModelQuery* query, ModelSearch* search);

// Of models that are made where they are read: what the walks of grzModelTouch and grzModelCollect may read, or everything.
// Both models have triangles.
void grzModelSearch_MakeMet(ModelSearch* search);
void grzModelSearch_MakeAll(const ModelSearch* search);

// Of queries that find no candidates.
grzResult grzModelSearch_RefuseMargin(const grzModelQuery* query);

static inline bool grzModelSearch_HasTriangles(const ModelSearch* search) {
    return search->models[0]->leafCount != 0 && search->models[1]->leafCount != 0;
}

#endif
