// What: the promises of an upkeep: those of its plan, and of the tree that is in use.
// Holds: trees that are not in use stand at an earlier time, of which the plan may know nothing any more.
#include "upkeep_inside.h"

#include "refuse_null.h"

bool grzUpkeep_Validate(const grzUpkeep* upkeep) {
    GRZ_RETURN_IF_NULL(upkeep, false);
    if (!grzFlightplan_Validate(upkeep->plan))
        return false;
    if (upkeep->isStale || grzUpkeep_FlawOfMesh(upkeep) != NULL)
        return true;
    switch (upkeep->model.way) {
    case grz_upkeepChord:
        return grzChordTree_Validate(upkeep->chord);
    case grz_upkeepBatched:
    case grz_upkeepOrdered:
        return grzKineticTree_Validate(upkeep->kinetic);
    case grz_upkeepBoxTree:
        return grzBoxTree_Validate(upkeep->boxTree);
    case grz_upkeepRefit:
    case grz_upkeepWayCount:
        break;
    }
    return true;
}
