// Pairs of triangles that are hard in one way or another, for tests against the oracle.
#ifndef GRAZE_TESTS_TRI_CASES_H
#define GRAZE_TESTS_TRI_CASES_H

#include "graze/linmath.h"
#include "rng.h"

enum { TRI_CASE_KINDS = 10 };

// Six corners, of A and then of B; `kind` below TRI_CASE_KINDS chooses how.
void TriCase_Make(grzRng* rng, unsigned kind, grzVec3 corners[6]);

#endif
