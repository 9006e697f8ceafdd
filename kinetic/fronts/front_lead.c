// What: see front_inside.h: advances the trees to a tick, and logs which vertices take over sides meanwhile.
// Idea: trees advance first, and log each side that another vertex comes to realise. A region runs later. It reads
//   a side as it was at the region's own time: it goes from the newest change back to the last one that had
//   happened by then.
#include "front_inside.h"

FrontNow grzFront_NowAt(const grzPairFront* front, double tick) {
    return (FrontNow){
        tick, {grzFrontClock_PlanTime(&front->clock, 0, tick), grzFrontClock_PlanTime(&front->clock, 1, tick)}};
}

// ---- logs ----

static uint32_t partCountOf(const grzKineticTree* tree) {
    return tree->partCount + (tree->top != NULL);
}

static KineticPart* logged(const FrontSide* side, uint32_t index) {
    return index < side->tree->partCount ? &side->tree->parts[index] : side->tree->top;
}

static void linkLog(FrontSide* side, KineticLog* log) {
    for (size_t i = 0; i < log->count; ++i) {
        KineticChange* change = &log->data[i];
        uint32_t* newest = &side->newest[change->tier][realiserPlace(change->box, change->side)];
        change->older = *newest;
        *newest = (uint32_t)i + 1;
    }
}

static void unlinkLog(FrontSide* side, KineticLog* log) {
    for (size_t i = 0; i < log->count; ++i)
        side->newest[log->data[i].tier][realiserPlace(log->data[i].box, log->data[i].side)] = 0;
    log->count = 0;
    log->hasLost = false;
}

// ---- changes that the top is to know ----

static void sink(KineticChange* changes, size_t place, size_t count) {
    const KineticChange change = changes[place];
    for (size_t child = 2 * place + 1; child < count; child = 2 * place + 1) {
        child += child + 1 < count && changes[child].at < changes[child + 1].at;
        if (changes[child].at <= change.at)
            break;
        changes[place] = changes[child];
        place = child;
    }
    changes[place] = change;
}

// By time; those of one time in any order, since a tick's changes come all before its events.
static void sortChanges(FrontChanges* changes) {
    for (size_t i = changes->count / 2; i-- > 0;)
        sink(changes->data, i, changes->count);
    for (size_t count = changes->count; count > 1; --count) {
        const KineticChange last = changes->data[count - 1];
        changes->data[count - 1] = changes->data[0], changes->data[0] = last;
        sink(changes->data, 0, count - 1);
    }
}

// Those of the top, and those at the roots of parts. False where memory is refused.
static bool collect(const grzPairFront* front, FrontSide* side) {
    FrontChanges* changes = &side->topChanges;
    changes->count = 0;
    for (uint32_t k = 0; k < partCountOf(side->tree); ++k) {
        const KineticLog* log = &logged(side, k)->log;
        for (size_t i = 0; i < log->count; ++i) {
            if (log->data[i].tier < side->partTier)
                continue;
            if (!grzArray_Reserve(changes, &front->allocator, changes->count + 1))
                return false;
            changes->data[changes->count++] = log->data[i];
        }
    }
    sortChanges(changes);
    return true;
}

// ---- on in time ----

static void leadTree(FrontSide* side, grzTasks* tasks, double at, bool isWatched) {
    side->tree->isWatched = isWatched;
    grzKinetic_LeadTo(side->tree, tasks, at);
    side->tree->isWatched = false;
    side->at = at;
}

bool grzFront_Lead(grzPairFront* front, grzTasks* tasks, double tick) {
    const FrontNow now = grzFront_NowAt(front, tick);
    bool isKnown = front->top != NULL && !front->isBroken;
    const bool isWatched = isKnown;
    for (int tree = 0; tree < front->treeCount; ++tree) {
        FrontSide* side = front->sides[tree];
        leadTree(side, tasks, now.at[tree], isWatched);
        for (uint32_t k = 0; k < partCountOf(side->tree); ++k) {
            isKnown = isKnown && !logged(side, k)->log.hasLost;
            linkLog(side, &logged(side, k)->log);
        }
        isKnown = isKnown && collect(front, side);
    }
    return isKnown;
}

void grzFront_Forget(grzPairFront* front) {
    for (int tree = 0; tree < front->treeCount; ++tree)
        for (uint32_t k = 0; k < partCountOf(front->sides[tree]->tree); ++k)
            unlinkLog(front->sides[tree], &logged(front->sides[tree], k)->log);
}
