// What: of a few vertices on paths the outermost one on a side, and when it ceases to be. Of keyframes: frame_row.h.
// Promise: the answers of real arithmetic, as in plan_inside.h.
#ifndef GRAZE_KINETIC_PLAN_ROW_H
#define GRAZE_KINETIC_PLAN_ROW_H

#include "plan_inside.h"

typedef struct PlanLead {
    uint32_t vertex;
    uint32_t rival; // one that is ahead at `until`, if that is a time
    double until;   // the first plan time at which another one is truly ahead; infinity: never
} PlanLead;

// isUpper: the greatest coordinate leads, else the least. Of vertices that are level the one that leads next. There are
// PLAN_ROW_SHORT of them or PLAN_ROW_LONG; a vertex may be there more than once.
enum { PLAN_ROW_SHORT = 8, PLAN_ROW_LONG = 16 };
PlanLead grzPlan_LeadOnPaths(const grzFlightplan* plan, int axis, bool isUpper, const uint32_t* vertices,
                             uint32_t count, double at);

// Another one beside the one that leads on a side, lower x y z and upper: whether it comes ahead before another one does. On
// paths.
typedef enum PlanOutcome {
    plan_ahead,  // not before *until
    plan_sooner, // and *until was set to when: the first plan time at which it is truly ahead
    plan_behind, // it is ahead now
} PlanOutcome;
PlanOutcome grzPlan_Race(const grzFlightplan* plan, uint32_t side, uint32_t first, uint32_t other, double at,
                         double* until);

// All six sides of a box at once; other may be the first itself, and then nothing happens.
enum { PLAN_SIDES = 6 };
typedef struct PlanSides {
    const grzFlightplan* plan;
    uint32_t first[PLAN_SIDES], other[PLAN_SIDES];
    double until[PLAN_SIDES];
    uint32_t sooner, behind; // out: bits of sides
} PlanSides;
void grzPlan_RaceSides(PlanSides* sides, double at);

#endif
