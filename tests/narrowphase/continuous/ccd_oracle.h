// What: whether and when two features touch, which of two impacts is first, and how far apart features are, by integers and rational
//   numbers of any length (GMP) and general methods: slow and obvious.
// Idea: touching is a formula of signs of polynomials in time, other ones than those of the code that is tested: heights, barycentric
//   coordinates times a square, points on segments. Where the volume is not zero throughout, it can be true at the volume's
//   roots only; else at the roots of any of the polynomials: being closed, what is true anywhere is true at one of these, or
//   at 0 or 1. Roots are isolated by Sturm's chain; a polynomial's sign at one is that of the middle of an interval that is halved
//   until the polynomial cannot change its sign there, or 0 where the common divisor has the root, too.
#ifndef GRAZE_TESTS_CCD_ORACLE_H
#define GRAZE_TESTS_CCD_ORACLE_H

#include "graze/ccd.h"

typedef struct CcdOracle {
    bool touches;
    double t0, t1; // the first time is in [t0, t1], which are at most 2^-depth apart
} CcdOracle;

// depth: 52 at most.
CcdOracle ccdOracle(const grzCcdQuery* query, int depth);

// As grzCcd_CompareImpacts has it.
int ccdOracleCompare(const grzCcdQuery* a, const grzCcdQuery* b);

// The distance at a time against a limit: -1, 0, 1.
int ccdOracleDistance(const grzCcdQuery* query, double time, double limit);

#endif
