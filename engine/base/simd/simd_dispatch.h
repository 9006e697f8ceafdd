// The parts of the choice of a SIMD level that the tests drive by hand. The callers' side is graze/simd_level.h.
#ifndef GRAZE_BASE_SIMD_DISPATCH_H
#define GRAZE_BASE_SIMD_DISPATCH_H

#include "kernel.h"

// What came of a request. `status` is grz_ok, grz_badFormat (unknown name) or grz_notSupported.
typedef struct grzSimdChoice {
    grzSimdLevel level;
    grzStatus status;
} grzSimdChoice;

// Linked with the kernels of each level.
GRZ_DECLARE_KERNEL(bool, grzSimd_IsBuilt, (void));

// The level for a request (NULL or "": none) on a machine whose levels are the bits 1 << level of `supported`, of which there is at
// least one. Pure.
grzSimdChoice grzSimd_Choose(const char* request, uint32_t supported);

// The sentence for a choice whose status is not grz_ok; "" for one that is. Cut to fit, always ended.
void grzSimd_Explain(grzSimdChoice choice, const char* request, char* text, size_t capacity);

// The levels of this build and machine, as bits 1 << level.
uint32_t grzSimd_SupportedBits(void);

// Whether this build has kernels for the level and this machine can run them.
bool grzSimd_Supports(grzSimdLevel level);

// Puts another level in force and returns the one before. The level must be supported. For tests and benchmarks
// that compare levels in one process; kernels that are running meanwhile finish at the level they were picked for.
grzSimdLevel grzSimd_Force(grzSimdLevel level);

// Forgets the level in force, so that the next question looks at the machine and at GRZ_SIMD anew.
void grzSimd_Forget(void);

#endif
