// What: sums of doubles that stand for one number without rounding (expansions), and how to add and multiply them.
//
//   double product[8];
//   int count = grzExpansion_Multiply(2, a, 2, b, product);    // a and b of two terms each
//   int sign = grzExpansion_Sign(count, product);
//
// Holds: terms do not overlap, come from the smallest to the largest in size, and none is zero but in the
//        expansion of 0, which has no terms. The caller's arrays have room for the largest count that is told
//        beside each function.
// Promise: exact while no product of two terms has a bit below 2^-1074 or overflows; the callers prove that for
//        their numbers (tri_pair.h).
// Threads: pure functions.
// Based on: [Shewchuk, Adaptive Precision Floating-Point Arithmetic and Fast Robust Geometric Predicates, DCG 1997]
//           sections 2.3 to 2.5 (TWO-SUM, SPLIT, TWO-PRODUCT, FAST-EXPANSION-SUM and SCALE-EXPANSION, both with
//           zero elimination). Rounding must be to nearest even, and nothing contracted.
#ifndef GRAZE_NARROWPHASE_EXPANSION_H
#define GRAZE_NARROWPHASE_EXPANSION_H

// a - b, at most 2 terms.
int grzExpansion_Difference(double a, double b, double h[2]);

// e + f, at most n + m terms; h is another array than e and f.
int grzExpansion_Add(int n, const double* e, int m, const double* f, double* h);

// e * b, at most 2n terms; h is another array than e.
int grzExpansion_Scale(int n, const double* e, double b, double* h);

// e * f, at most 2nm terms, for m of at most GRZ_EXPANSION_FACTOR and n of at most GRZ_EXPANSION_FACTOR_LONG.
#define GRZ_EXPANSION_FACTOR      2
#define GRZ_EXPANSION_FACTOR_LONG 16
int grzExpansion_Multiply(int n, const double* e, int m, const double* f, double* h);

void grzExpansion_Negate(int n, double* e);

// The sum of the terms, rounded: within a few units of the last place of the number.
double grzExpansion_Estimate(int n, const double* e);

// -1, 0 or 1. The largest term outweighs the others.
static inline int grzExpansion_Sign(int n, const double* e) {
    return n == 0 ? 0 : e[n - 1] > 0 ? 1 : -1;
}

#endif
