// What: how every query over two models begins.
// Threads: pure functions.
#ifndef GRAZE_NARROWPHASE_MODEL_SEARCH_H
#define GRAZE_NARROWPHASE_MODEL_SEARCH_H

#include "model_kernel.h"

// Refuses as grzModels_Touch does. found, first and allocator of the search are left to the caller.
grzResult grzModelSearch_Begin(const grzModelQuery* query, ModelSearch* search);

static inline bool grzModelSearch_HasTriangles(const ModelSearch* search) {
    return search->models[0]->leafCount != 0 && search->models[1]->leafCount != 0;
}

#endif
