// What: whether three points in space lie on one line (or in one point).
// Promise: exact for all finite numbers, without an epsilon: true means that the triangle's area is zero.
// Cost: some 10 ns where doubles can tell, under 1 us where they cannot.
// Threads: any.
#ifndef GRAZE_BASE_COLLINEAR_H
#define GRAZE_BASE_COLLINEAR_H

#include <stdbool.h>

bool grzCollinear(const double a[3], const double b[3], const double c[3]);

#endif
