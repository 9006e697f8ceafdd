// What: continuous queries many at a time, in floats and then in doubles: ccd_sift_kernel.c tells most of what is apart,
//   ccd_root_kernel.c nearly all of the rest.
// Holds: a row is a vertex in motion, eight numbers: x y z 0 at t = 0, then the same at t = 1.
// Promise: what is said to be apart is, and what is said to touch does. What is said is the same at every SIMD level.
#ifndef GRAZE_NARROWPHASE_CCD_KERNEL_H
#define GRAZE_NARROWPHASE_CCD_KERNEL_H

#include <stdint.h>

#include "kernel.h"

enum { CCD_ROW = 8, CCD_LANES = 8, CCD_SIFT_LANES = 16 };

// How many pairs each stage of grzCcdStage decided, but the last one.
typedef struct CcdSifted {
    uint32_t boxes, volumes, directions, areas;
} CcdSifted;

// Of the pairs 0 .. count - 1, four vertices each, those that boxes, directions and volumes do not tell apart: their numbers
// go to `left`, ascending, which has room for CCD_SIFT_LANES more. Returns how many, and adds to *sifted. isEdges: two and two,
// else one and three.
GRZ_DECLARE_KERNEL(uint32_t, grzCcdSiftFloat,
                   (const float* rows, const uint32_t* vertices, uint32_t count, int isEdges, uint32_t* left,
                    CcdSifted* sifted));
GRZ_DECLARE_KERNEL(uint32_t, grzCcdSiftDouble,
                   (const double* rows, const uint32_t* vertices, uint32_t count, int isEdges, uint32_t* left,
                    CcdSifted* sifted));

// Eight pairs by columns: [t][point][axis][lane].
typedef struct CcdColumns {
    _Alignas(64) double at[2][4][3][CCD_LANES];
} CcdColumns;

// Bits of lanes: what is neither is in doubt. boxes, volumes: those of `apart` that they tell.
typedef struct CcdRoots {
    uint32_t apart, touch, boxes, volumes;
} CcdRoots;

GRZ_DECLARE_KERNEL(CcdRoots, grzCcdRoots, (const CcdColumns* columns, int isEdges));

#endif
