// What two triangles have in common, in rational numbers (GMP), by another way than the library's: A is clipped by
// the half-spaces that make up B. Slow and obvious; any finite doubles, triangles without area too.
#ifndef GRAZE_TESTS_TRI_ORACLE_H
#define GRAZE_TESTS_TRI_ORACLE_H

#include <gmp.h>
#include <stdbool.h>

enum { ORACLE_POINTS = 24 }; // a triangle clipped by at most 8 half-spaces, and room

typedef struct OraclePoint {
    mpq_t at[3];
} OraclePoint;

typedef struct Oracle {
    int kind;  // as grzTriTriKind
    int count; // of the corners of what is common, in no order
    OraclePoint points[ORACLE_POINTS];
    OraclePoint corners[6]; // the input
    OraclePoint spare[ORACLE_POINTS], normal;
    mpq_t offset, sides[ORACLE_POINTS], t, u, v;
} Oracle;

void Oracle_Make(Oracle* oracle);
void Oracle_Release(Oracle* oracle);

// corners: of A, then of B.
void Oracle_Decide(Oracle* oracle, const double corners[6][3]);

// Of A (base 0) or B (base 3).
bool Oracle_HasArea(Oracle* oracle, int base);

// The part of triangle A (base 0) or B (base 3) in whose inside the point lies: 0-2 corners, 3-5 edges, 6 the face.
// The triangle must have an area and the point must lie in it.
int Oracle_PartOf(Oracle* oracle, int base, const OraclePoint* point);

// The nearest float or double, ties to even.
float Oracle_NearestFloat(Oracle* oracle, const mpq_t number);
double Oracle_NearestDouble(Oracle* oracle, const mpq_t number);

// Whether p, q, r turn counter-clockwise, seen from where A does.
bool Oracle_TurnsAsA(Oracle* oracle, const OraclePoint* p, const OraclePoint* q, const OraclePoint* r);

#endif
