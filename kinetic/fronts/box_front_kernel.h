// What: the tests of a front of box pairs in each call. See kernel.h for how it is built and picked.
#ifndef GRAZE_KINETIC_BOX_FRONT_KERNEL_H
#define GRAZE_KINETIC_BOX_FRONT_KERNEL_H

#include "box_walk_kernel.h"

// `rows` has leaves of A, and for each some nodes of B's bottom level. Finds the leaves of these nodes that overlap A's leaf; rows without
// any are left out. Within one set, leaves of B before A's own are left out.
GRZ_DECLARE_KERNEL(void, grzBoxRows, (const BoxWalk* walk, const BoxFound* rows));

// By how much a side has moved at most from one set of nodes to another; infinity where a number is not finite.
GRZ_DECLARE_KERNEL(float, grzBoxMotion, (const grzBvhNode* from, const grzBvhNode* to, size_t count));

#endif
