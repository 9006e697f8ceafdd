// What: see plan_flaw.h.
#include "plan_flaw.h"

#include <math.h>

#include "plan_inside.h"

const char* grzPlan_FlawOfTree(const grzBvh* bvh, const grzFlightplan* plan, grzBvhNumbering numbering,
                               double startTime) {
    if (bvh == NULL)
        return "bvh is NULL";
    if (plan == NULL)
        return "plan is NULL";
    if ((unsigned)numbering > grz_bvhCallersNumbers)
        return "numbering is no grzBvhNumbering";
    const grzFlightplanRange range = grzFlightplan_GetRange(plan);
    if (isnan(startTime) ? range.begin > range.end : !grzPlan_Knows(plan, startTime))
        return "startTime is outside of what plan knows";
    return NULL;
}
