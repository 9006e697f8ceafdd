// What every case of simd_cases.h must write, worked out lane by lane.
#ifndef GRAZE_TESTS_SIMD_REFERENCE_H
#define GRAZE_TESTS_SIMD_REFERENCE_H

#include "simd_cases.h"

size_t simdReference(int which, int width, const SimdInput* input, void* output);

#endif
