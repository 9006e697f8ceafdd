// What: a sum of products of doubles without any rounding: one fixed-point number, wide enough for every product of
//       two finite doubles, from the smallest subnormal squared to the largest squared.
//
//   grzExactSum sum = {0};
//   grzExactSum_AddProduct(&sum, a, b);
//   grzExactSum_AddProduct(&sum, -c, d);
//   int sign = grzExactSum_Sign(&sum);                     // of a * b - c * d, truly
//
//   words  [0]...............................[33].......................[67]
//   bit 0 = 2^-2148 (smallest squared)       2^0                        sign
//
// Promise: exact for any finite numbers, as no expansion of doubles is: those lose what over- or underflows.
// Cost: about 20 ns a product and 544 bytes. It is meant for what a filter could not decide.
// Threads: plain data.
// Limits: 2^60 products. Numbers must be finite.
// Based on: [Kulisch, Computer Arithmetic and Validity, 2013], the long accumulator.
#ifndef GRAZE_BASE_EXACT_SUM_H
#define GRAZE_BASE_EXACT_SUM_H

#include <stdint.h>

enum { GRZ_EXACT_SUM_WORDS = 68 };

// Two's complement, low word first. All zeros is 0.
typedef struct grzExactSum {
    uint64_t words[GRZ_EXACT_SUM_WORDS];
} grzExactSum;

// sum += a * b
void grzExactSum_AddProduct(grzExactSum* sum, double a, double b);

// -1, 0 or 1.
int grzExactSum_Sign(const grzExactSum* sum);

#endif
