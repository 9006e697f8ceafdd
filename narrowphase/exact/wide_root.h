// What: signs of polynomials with integer coefficients at rational numbers, and at roots of other polynomials.
//
//   WideRoot root = {&cubic, from, to, 1};                     // the one root in the open interval, + before and - after it
//   int sign = grzWideRoot_Sign(&space, &root, &quadratic);    // of the quadratic there, 0 where both are zero
//
// Promise: the signs of real arithmetic, where space->isFull is false at the end.
// Idea: see wide_root.c. Nothing is approximated.
// Cost: numbers of up to 16 times the bits that the quadratic's coefficients have in halves: see docs.
#ifndef GRAZE_NARROWPHASE_WIDE_ROOT_H
#define GRAZE_NARROWPHASE_WIDE_ROOT_H

#include "wide_int.h"

enum { WIDE_POLY_DEGREE = 3 };

// c[0] + c[1] t + ... ; coefficients above the degree are not looked at. The degree of 0 is -1.
typedef struct WidePoly {
    WideInt c[WIDE_POLY_DEGREE + 1];
    int degree;
} WidePoly;

// above / below, which is positive.
typedef struct WideRatio {
    WideInt above, below;
} WideRatio;

// A root of `of`, at which it changes its sign, and the only one strictly between `from` and `to`.
typedef struct WideRoot {
    const WidePoly* of;
    WideRatio from, to;
    int signBefore; // of `of`, between `from` and the root
} WideRoot;

// The greatest degree with a coefficient that is not 0.
void grzWidePoly_Trim(WidePoly* poly);

// above / below with the signs put right; below is not 0.
WideRatio grzWideRatio_Make(WideInt above, WideInt below);
int grzWideRatio_Compare(WideSpace* space, WideRatio a, WideRatio b);

int grzWidePoly_SignAt(WideSpace* space, const WidePoly* poly, WideRatio at);

// Just after (side 1) or just before (side -1) a number.
int grzWidePoly_SignBeside(WideSpace* space, const WidePoly* poly, WideRatio at, int side);

// Of the discriminant of a polynomial of degree 2.
int grzWidePoly_Discriminant(WideSpace* space, const WidePoly* poly);

// Where a polynomial of degree 2 has its least or greatest value.
WideRatio grzWidePoly_Vertex(WideSpace* space, const WidePoly* poly);

// The remainder of a by b, of degree 1 to 3 and not above a's, times the leading coefficient of b to the power *power.
WidePoly grzWidePoly_Remainder(WideSpace* space, const WidePoly* a, const WidePoly* b, int* power);

// The greatest m with m / 2^depth not above a number in [0, 1]; depth is 62 at most. Where m / 2^depth is the number itself,
// *isThere.
uint64_t grzWideRatio_Steps(WideSpace* space, WideRatio at, int depth, bool* isThere);
uint64_t grzWideRoot_Steps(WideSpace* space, const WideRoot* root, int depth, bool* isThere);

// A root against a number: -1, 0, 1.
int grzWideRoot_Compare(WideSpace* space, const WideRoot* root, WideRatio at);

// Of a polynomial of degree 2 at most.
int grzWideRoot_Sign(WideSpace* space, const WideRoot* root, const WidePoly* poly);

#endif
