// The bodies that point at a hull.
#ifndef GRAZE_NARROWPHASE_HULL_USES_H
#define GRAZE_NARROWPHASE_HULL_USES_H

#include "graze/hull.h"
#include "uses.h"

// NULL for NULL.
grzUses* grzHull_Uses(const grzHull* hull);

#endif
