// What: two triangles as six points in double, and the exact signs of the volumes and areas that their corners
// span.
// Promise: every sign is that of the true number.
// Idea: a determinant of differences, in double, is off by at most a bound that depends on nothing but the box of
//       the six points. Beyond the bound its sign is sure; else the determinant is summed again as an expansion.
//
//   Error of a volume |a-d, b-d, c-d|: it is a sum of six products of three differences, and each of them, on its
//   way into the rounded result, is rounded at most 8 times: three differences, two products, the difference of the
//   minor, two sums. So the result is off by at most ((1 + u)^8 - 1) times the sum of the six sizes, u = 2^-53. A
//   difference of two points of a box is at most e(1 + u) in size, e the rounded extent of the box along that
//   axis. Together at most 6 * 8 u (1 + 20 u) ex ey ez; 50 u ex ey ez, rounded, is above it. For an area, likewise:
//   two products, 4 roundings each: 2 * 4 u (1 + 20 u) ex ey; 9 u ex ey is above it.
//
// Holds: coordinates are multiples of 2^-260 below 2^200 in size, or floats (multiples of 2^-149 below 2^128). So a
//        product of three, like any difference or sum of such, has bits from 2^-780 to below 2^610: nothing under-
//        or overflows, neither in the bound above nor in an expansion, nor for a product of four.
// Note: the difference of two floats is exact in double where their exponents differ by at most 28; beyond that it
//       has a second term, which the expansions carry along.
// Threads: plain data, pure functions.
#ifndef GRAZE_NARROWPHASE_TRI_PAIR_H
#define GRAZE_NARROWPHASE_TRI_PAIR_H

#include <stdbool.h>

#define TRI_POINT_LOWEST_BIT (-260)
#define TRI_POINT_ABOVE_BIT  200

typedef struct TriPair {
    double points[6][3]; // corners of A, then of B
    double volumeBound;
    double areaBounds[3]; // where that axis is left out
} TriPair;

// From the points, which are set.
void grzTriPair_SetBounds(TriPair* pair);

// Sign of the volume |a-d, b-d, c-d|; the four are numbers of points.
int grzTriPair_VolumeSign(const TriPair* pair, int a, int b, int c, int d);

// Sign of the area of a, b, c when `axis` is left out: (a-c) x (b-c) in the other two, in cyclic order.
int grzTriPair_AreaSign(const TriPair* pair, int axis, int a, int b, int c);

// The same numbers: rounded, off by at most the pair's bound; and exactly, as an expansion.
enum { tri_volumeTerms = 192, tri_areaTerms = 16 };
double grzTriPair_Volume(const TriPair* pair, int a, int b, int c, int d);
double grzTriPair_Area(const TriPair* pair, int axis, int a, int b, int c);
int grzTriPair_ExactVolume(const TriPair* pair, int a, int b, int c, int d, double volume[tri_volumeTerms]);
int grzTriPair_ExactArea(const TriPair* pair, int axis, int a, int b, int c, double area[tri_areaTerms]);

#endif
