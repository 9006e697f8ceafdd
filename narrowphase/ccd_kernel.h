// What: continuous queries many at a time, as far as boxes, volumes and directions tell for certain that they are apart.
// Holds: a row is a vertex in motion, eight numbers: x y z 0 at t = 0, then the same at t = 1.
// Promise: what is said to be apart is. Which pairs are left may not differ between SIMD levels either.
#ifndef GRAZE_NARROWPHASE_CCD_KERNEL_H
#define GRAZE_NARROWPHASE_CCD_KERNEL_H

#include <stdint.h>

#include "kernel.h"

enum { CCD_ROW = 8, CCD_LANES = 8 };

// Of the pairs begin .. end - 1, four vertices each, those whose boxes do not tell them apart: their numbers go to `left`,
// ascending. Returns how many. isEdges: two and two, else one and three.
GRZ_DECLARE_KERNEL(uint32_t, grzCcdBoxesFloat,
                   (const float* rows, const uint32_t* vertices, uint32_t begin, uint32_t end, int isEdges,
                    uint32_t* left));
GRZ_DECLARE_KERNEL(uint32_t, grzCcdBoxesDouble,
                   (const double* rows, const uint32_t* vertices, uint32_t begin, uint32_t end, int isEdges,
                    uint32_t* left));

// Eight pairs by columns: [t][point][axis][lane].
typedef struct CcdColumns {
    _Alignas(64) double at[2][4][3][CCD_LANES];
} CcdColumns;

// Bits of the lanes that volume or direction tell apart.
GRZ_DECLARE_KERNEL(uint32_t, grzCcdVolumes, (const CcdColumns* columns, int isEdges));

#endif
