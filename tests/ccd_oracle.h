// What: whether and when two features touch, by rational arithmetic (GMP) and general methods: slow and obvious.
// Idea: touching is a formula of signs of polynomials in time, other ones than those of the code that is tested: heights, barycentric
//   coordinates times a square, points on segments. Where the volume is not zero throughout, it can be true at the volume's
//   roots only; else at the roots of any of the polynomials: being closed, what is true anywhere is true at one of these, or
//   at 0 or 1. Roots are isolated by Sturm's chain; a polynomial's sign at one is 0 where the common divisor has it, too, else that
//   of the middle of an interval that is halved until the polynomial has no root there.
#ifndef GRAZE_TESTS_CCD_ORACLE_H
#define GRAZE_TESTS_CCD_ORACLE_H

#include "graze/ccd.h"

typedef struct CcdOracle {
    bool touches;
    double t0, t1; // the first time is in [t0, t1], which are at most 2^-depth apart
} CcdOracle;

CcdOracle ccdOracle(const grzCcdQuery* query, int depth);

#endif
