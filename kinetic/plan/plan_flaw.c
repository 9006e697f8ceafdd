// What: see plan_flaw.h.
#include "plan_flaw.h"

#include <math.h>
#include <string.h>

#include "memory.h"
#include "owner.h"
#include "plan_inside.h"
#include "result_make.h"

const char* grzPlan_FlawOfStart(const grzFlightplan* plan, double startTime) {
    const grzFlightplanRange range = grzFlightplan_GetRange(plan);
    const bool isKnown = isnan(startTime) ? range.begin <= range.end : grzPlan_Knows(plan, startTime);
    return isKnown ? NULL : "startTime is outside of what plan knows";
}

const char* grzPlan_FlawOfTree(const grzBvh* bvh, const grzFlightplan* plan, grzBvhNumbering numbering,
                               double startTime) {
    if (bvh == NULL)
        return "bvh is NULL";
    if (plan == NULL)
        return "plan is NULL";
    if ((unsigned)numbering > grz_bvhCallersNumbers)
        return "numbering is no grzBvhNumbering";
    return grzPlan_FlawOfStart(plan, startTime);
}

double grzPlan_StartOf(const grzFlightplan* plan, double startTime) {
    return isnan(startTime) ? grzFlightplan_GetRange(plan).begin : startTime;
}

void* grzPlan_NewTree(const char* flaw, grzAllocator allocator, size_t size, size_t alignment, grzResult* result) {
    if (flaw == NULL)
        return grzOwner_New(&allocator, 1, size, alignment, result);
    *result = grzBecause(grzFail(grz_badArgument, 1), flaw);
    return NULL;
}
