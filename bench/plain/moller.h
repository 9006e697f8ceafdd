// What: two triangles by Möller's interval test, in plain scalar C, as the reference that is timed beside ours.
// Promise: none where rounding decides: it is not exact, and it says no more than whether the triangles meet.
// Based on: [Möller, A Fast Triangle-Triangle Intersection Test, JGT 1997], with his improvement without divisions.
//           We differ: no epsilon (he offers one), and triangles in one plane are said to be apart: ours decides
//           them, and scenes here have none.
#ifndef GRAZE_BENCH_MOLLER_H
#define GRAZE_BENCH_MOLLER_H

#include <stdbool.h>

// Three corners each, three numbers a corner.
bool benchMoller(const float a[9], const float b[9]);

#endif
