// What: of a few vertices the outermost one on a side, and when it ceases to be: all that a kinetic tree asks of a plan.
// Promise: the answers of real arithmetic, as in plan_inside.h.
#ifndef GRAZE_KINETIC_PLAN_ROW_H
#define GRAZE_KINETIC_PLAN_ROW_H

#include "plan_inside.h"

typedef struct PlanLead {
    uint32_t vertex;
    // The first plan time at which another one is truly ahead; infinity: not before the next keyframe is passed, or on paths
    // never.
    double until;
} PlanLead;

// isUpper: the greatest coordinate leads, else the least. Of vertices that are level the one that leads next. There are
// PLAN_ROW_SHORT of them or PLAN_ROW_LONG; a vertex may be there more than once.
enum { PLAN_ROW_SHORT = 8, PLAN_ROW_LONG = 16 };
PlanLead grzPlan_Lead(const grzFlightplan* plan, int axis, bool isUpper, const uint32_t* vertices, uint32_t count,
                      double at);

#endif
