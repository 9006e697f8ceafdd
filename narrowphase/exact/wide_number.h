// What: numbers that are roots of polynomials with integer coefficients, in order.
//
//   WideNumber a = grzWideNumber_FromRoot(&root), b = grzWideNumber_FromRatio(ratio);
//   int order = grzWideNumber_Compare(&space, &a, &b);         // -1: a is less, 0: the same, 1: greater
//
// Promise: the order of real arithmetic, where space->isFull is false at the end.
// Cost: with numbers of b bits along an axis (docs/ccd.md) the greatest number has 36 b.
#ifndef GRAZE_NARROWPHASE_WIDE_NUMBER_H
#define GRAZE_NARROWPHASE_WIDE_NUMBER_H

#include "wide_root.h"

// `from` itself where the degree of `of` is -1; else what WideRoot has. The words are of the space that they were made in.
typedef struct WideNumber {
    WidePoly of;
    WideRatio from, to;
    int signBefore;
} WideNumber;

WideNumber grzWideNumber_FromRatio(WideRatio at);
WideNumber grzWideNumber_FromRoot(const WideRoot* root);

int grzWideNumber_Compare(WideSpace* space, const WideNumber* a, const WideNumber* b);

// As grzWideRoot_Steps has it.
uint64_t grzWideNumber_Steps(WideSpace* space, const WideNumber* number, int depth, bool* isThere);

#endif
