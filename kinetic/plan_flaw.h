// What: what is wrong with a hierarchy and a plan that are to become a tree.
#ifndef GRAZE_KINETIC_PLAN_FLAW_H
#define GRAZE_KINETIC_PLAN_FLAW_H

#include "graze/bvh.h"
#include "graze/flightplan.h"

// NULL, or a sentence that names the field. Not looked at: whether the plan has vertices enough.
const char* grzPlan_FlawOfTree(const grzBvh* bvh, const grzFlightplan* plan, grzBvhNumbering numbering,
                               double startTime);

#endif
