// How the library makes the results that it returns.
#ifndef GRAZE_BASE_RESULT_MAKE_H
#define GRAZE_BASE_RESULT_MAKE_H

#include "graze/result.h"

static inline grzResult grzOk(void) {
    grzResult result = {grz_ok, grz_noPart, 0, 0, NULL};
    return result;
}

static inline grzResult grzFail(grzStatus status, uint64_t value) {
    grzResult result = {status, grz_noPart, 0, value, NULL};
    return result;
}

static inline grzResult grzFailAt(grzStatus status, grzPart part, uint64_t index, uint64_t value) {
    grzResult result = {status, part, index, value, NULL};
    return result;
}

// The same failure with a reason: a literal of at most 90 characters without a line break, that goes on from
// "triangle 17: " or stands alone.
static inline grzResult grzBecause(grzResult result, const char* reason) {
    result.reason = reason;
    return result;
}

// A request that was refused. Saturates instead of wrapping, so that the message of a refused request is true.
static inline grzResult grzNoMemory(size_t count, size_t size) {
    return grzFail(grz_outOfMemory, size != 0 && count > SIZE_MAX / size ? SIZE_MAX : (uint64_t)(count * size));
}

// Refuses more vertices or triangles than a mesh, or a hierarchy over one, may have. In mesh_input.c.
grzResult grzCheckMeshCounts(size_t vertexCount, size_t triangleCount);

#endif
