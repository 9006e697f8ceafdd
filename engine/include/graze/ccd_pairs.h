// Many continuous queries at once: of the vertices of a mesh, or of several, that all move along lines from t = 0 to t = 1. The
// answers of graze/ccd.h, sixteen pairs at a time in floats, and what these leave in doubles. To find the pairs, too:
// graze/ccd_step.h.
//
//   grzCcdMotionDef def = grzDefaultCcdMotionDef();
//   def.start = positions, def.end = nextPositions, def.vertexCount = count;
//   result = grzCcdMotion_Create(&def, &motion);
//   uint32_t edges[] = {a0, a1, b0, b1, ...};                  // four vertices a pair
//   result = grzCcdMotion_Decide(motion, tasks, &pairs, answers);
//
// Ownership: a motion copies the positions; everything else is the caller's. Threads: one call that changes a motion at a
// time, with no other; any number may decide at a time, each into its own answers. The bytes are the same for every number of
// workers and SIMD level; numbers below the normal ones are numbers in all modes of the processor, which calls set and put
// back. Memory: 32 bytes a vertex for floats, 64 for doubles; deciding takes 8 KiB of the stack of each
// worker, and 160 KiB for a query that needs many bits (graze/ccd.h). Cost: see docs/benchmarks.md, stage ccd, frames.
#ifndef GRAZE_CCD_PAIRS_H
#define GRAZE_CCD_PAIRS_H

#include "graze/ccd.h"
#include "graze/host.h"
#include "graze/mesh.h"
#include "graze/tasks.h"

GRZ_EXTERN_C_BEGIN

typedef struct grzCcdMotion grzCcdMotion;

typedef struct grzCcdMotionDef {
    uint32_t mark; // set by grzDefaultCcdMotionDef; calls refuse another
    // Vertex i lies at start + i * stride at t = 0, and at end + i * stride at t = 1: three numbers of `type`, aligned as such
    // a number. stride: a multiple of the number's size, at least three numbers; 0: tight.
    const void* start;
    const void* end;
    size_t stride;
    size_t vertexCount;
    grzNumberType type;
    grzAllocator allocator;
} grzCcdMotionDef;

// No vertices, float32, tight.
GRZ_API grzCcdMotionDef grzDefaultCcdMotionDef(void);

// Refused with *motion NULL: grz_badDef, grz_badArgument (value 1; the reason names the field), grz_tooLarge (2^30 vertices or
// more), grz_notFinite (part vertex; index: the first, of the start before the end), grz_outOfMemory.
GRZ_NODISCARD GRZ_API grzResult grzCcdMotion_Create(const grzCcdMotionDef* def, grzCcdMotion** motion);

// Other positions of as many vertices of the same type, in the memory that is there; the allocator is not read. Fails as Create
// does, and changes nothing then.
GRZ_NODISCARD GRZ_API grzResult grzCcdMotion_Update(grzCcdMotion* motion, const grzCcdMotionDef* def);

// NULL is fine.
GRZ_API void grzCcdMotion_Destroy(grzCcdMotion* motion);

// Four vertices a pair: a vertex and a triangle's corners, or the ends of two edges. The same vertex may be there more than
// once; what shares a vertex touches.
typedef struct grzCcdPairs {
    grzCcdKind kind;
    const uint32_t* vertices;
    uint32_t count;
} grzCcdPairs;

typedef enum grzCcdVerdict {
    grz_ccdApart = 0,
    grz_ccdTouching, // exactly so
    grz_ccdDoubtful, // numbers too far apart in size: conservative (GRZ_CCD_BITS)
} grzCcdVerdict;

// answers[i] becomes the grzCcdVerdict of pair i, one byte each. Refused, and nothing written: grz_badArgument (value 3: no
// pairs or an unknown kind; 4: answers is NULL), grz_indexTooLarge (index: the first pair; value: the vertex).
GRZ_NODISCARD GRZ_API grzResult grzCcdMotion_Decide(const grzCcdMotion* motion, grzTasks* tasks,
                                                    const grzCcdPairs* pairs, uint8_t* answers);

// A pair as a query of its own, for when and where.
GRZ_API grzCcdQuery grzCcdMotion_Query(const grzCcdMotion* motion, grzCcdKind kind, const uint32_t vertices[4]);

GRZ_EXTERN_C_END

#endif
