// What: plan_row.h for plans of paths.
// Idea: a kernel estimates how far the one that leads is ahead of each of the others, how fast that shrinks, and how wrong it may
//   be. For nearly all that settles who leads, and who can never come ahead. Of those that can, the one that seems to be the
//   first is looked at: where a straight path crosses with an error that does not reach a tick, the tick is certain, else the
//   exact way of plan_order.c finds it. The others are shown to stay behind until then, or looked at exactly too.
//
//                 ahead
//       leads  ---*-------------*----           until: the first tick behind the crossing; another one's
//                 gap     ___--- other          path is below its gap, slope and bend, each at its worst
//       other  ___*___----
//                 now           until
//
// Where nothing bends the kernel gives the whole answer in one call, if it is certain.
//
// Cost: for a row of straight paths mostly one call of the kernel; several times as much where something is exact or bends.
#include "plan_row.h"

#include "plan_race_kernel.h"

// ---- loading ----

static void loadLane(PlanLanes* lanes, int k, const PlanPath* path, int axis, bool isBent) {
    lanes->base[k] = path->base;
    lanes->p[k] = path->position[axis];
    lanes->v[k] = path->velocity[axis];
    if (isBent)
        lanes->a[k] = path->acceleration[axis];
}

// ---- one race ----

// Where other comes ahead, and first is not to be behind: of the sides of boxes, or of a row.
typedef struct Pair {
    const grzFlightplan* plan;
    int axis;
    bool isUpper;
    uint32_t first, other;
} Pair;

static int exactOrder(const Pair* pair, double at) { // 1: first is ahead
    const int order = grzPlan_Compare(pair->plan, pair->axis, pair->first, pair->other, at);
    return pair->isUpper ? order : -order;
}

static double exactUntil(const Pair* pair, double at) {
    return pair->isUpper ? grzPlan_Overtakes(pair->plan, pair->axis, pair->first, pair->other, at)
                         : grzPlan_Overtakes(pair->plan, pair->axis, pair->other, pair->first, at);
}

// How far first is ahead: gap - slope t - bend t t, t from now on, and what gap and slope may be off by.
typedef struct Race {
    double gap, gapError, slope, slopeError, bend;
} Race;

static Race laneOf(const PlanRaces* races, uint32_t k) {
    return (Race){races->gap[k], races->gapError[k], races->slope[k], races->slopeError[k], races->bend[k]};
}

// As the kernel has it, and with the same errors.
static Race raceNow(const Pair* pair, double at) {
    const PlanPath *i = &pair->plan->paths.data[pair->first], *j = &pair->plan->paths.data[pair->other];
    const double sign = pair->isUpper ? 1 : -1, hi = at - i->base, hj = at - j->base;
    const double pi = (double)i->position[pair->axis], pj = (double)j->position[pair->axis];
    const double vi = (double)i->velocity[pair->axis], vj = (double)j->velocity[pair->axis];
    double gap = (pi - pj) + (vi * hi - vj * hj), size = (fabs(pi) + fabs(pj)) + (fabs(vi * hi) + fabs(vj * hj));
    double slope = vj - vi, steep = 0, bend = 0;
    if (pair->plan->isBent) {
        const double ai = (double)i->acceleration[pair->axis], aj = (double)j->acceleration[pair->axis];
        const double ci = 0.5 * ai * hi * hi, cj = 0.5 * aj * hj * hj;
        gap += ci - cj, size += fabs(ci) + fabs(cj);
        slope += aj * hj - ai * hi, steep = fabs(aj * hj) + fabs(ai * hi);
        bend = 0.5 * aj - 0.5 * ai;
    }
    return (Race){sign * gap, 0x1p-49 * size, sign * slope, 0x1p-52 * fabs(slope) + 0x1p-50 * steep, sign * bend};
}

// Whether first is ahead at least as far as `later` from now, in spite of all errors.
static bool staysAhead(const Race* race, double later) {
    const double slope = race->slope + race->slopeError, bend = race->bend;
    if (slope <= 0 && bend <= 0)
        return race->gap > race->gapError;
    const double linear = slope * later, square = bend == 0 ? 0 : bend * later * later;
    double reach = linear + square; // the most that other gains, at the end or where its lead is greatest
    if (bend < 0)
        reach = fmin(linear, slope * slope / (-4 * bend));
    return race->gap - reach > race->gapError + 0x1p-48 * (fabs(linear) + fabs(square));
}

// When other seems to come ahead, from now; NaN or less than 0: not.
static double guessUntil(const Race* race) {
    const double gap = race->gap, slope = race->slope, bend = race->bend;
    if (bend == 0)
        return gap / slope;
    return 2 * gap / (slope + sqrt(slope * slope + 4 * bend * gap));
}

// The tick behind the crossing of straight paths, where all that it may be lies within one; NaN: it does not.
static double certainUntil(const Race* race, const grzFlightplan* plan, double at) {
    if (!(race->gap > race->gapError && race->slopeError < 0.25 * race->slope))
        return (double)NAN;
    const double later = race->gap / race->slope;
    const double error =
        2 * (race->gapError + race->slopeError * later) / race->slope + 0x1p-51 * (later + fabs(at));
    const double early = floor((at + (later - error)) / plan->tick),
                 late = floor((at + (later + error)) / plan->tick);
    if (early * plan->tick >= plan->timeLimit)
        return (double)INFINITY;
    const double until = (early + 1) * plan->tick;
    return early == late && until > at && until < plan->timeLimit ? until : (double)NAN;
}

static double untilOf(const Race* race, const Pair* pair, double at) {
    const double until = pair->plan->isBent ? (double)NAN : certainUntil(race, pair->plan, at);
    return isnan(until) ? exactUntil(pair, at) : until;
}

// Level for ever.
static bool isSamePath(const Pair* pair) {
    const PlanPath *i = &pair->plan->paths.data[pair->first], *j = &pair->plan->paths.data[pair->other];
    const int axis = pair->axis;
    return i->base == j->base && i->position[axis] == j->position[axis] && i->velocity[axis] == j->velocity[axis] &&
           i->acceleration[axis] == j->acceleration[axis];
}

PlanOutcome grzPlan_Race(const grzFlightplan* plan, uint32_t side, uint32_t first, uint32_t other, double at,
                         double* until) {
    const Pair pair = {plan, (int)(side % 3), side >= 3, first, other};
    const Race race = raceNow(&pair, at);
    if (race.gap == 0 && isSamePath(&pair))
        return plan_ahead;
    if (race.gap < -race.gapError)
        return plan_behind;
    if (race.gap > race.gapError && staysAhead(&race, *until - at))
        return plan_ahead;
    if (race.gap <= race.gapError && exactOrder(&pair, at) < 0)
        return plan_behind;
    const double found = untilOf(&race, &pair, at);
    if (!(found < *until))
        return plan_ahead;
    *until = found;
    return plan_sooner;
}

// ---- rows ----

typedef struct Row {
    Pair pair; // its first: the one that leads
    const uint32_t* vertices;
    PlanRowLanes lanes;
    PlanRaces races[PLAN_ROW_VECTORS];
} Row;

static void loadRow(Row* row, uint32_t count) {
    const grzFlightplan* plan = row->pair.plan;
    row->lanes.isLong = count > PLAN_ROW_SHORT;
    row->lanes.sign = row->pair.isUpper ? 1 : -1;
    row->lanes.first = -1;
    for (uint32_t k = 0; k < count; ++k) {
        const uint32_t vertex = row->vertices[k];
        loadLane(&row->lanes.lanes[k / PLAN_LANES], (int)(k % PLAN_LANES), &plan->paths.data[vertex],
                 row->pair.axis, plan->isBent);
        row->lanes.vertices[k] = (int32_t)vertex;
    }
}

static double slopeNow(const Row* row, uint32_t k, double at) {
    const PlanPath* path = &row->pair.plan->paths.data[row->vertices[k]];
    const int axis = row->pair.axis;
    return row->lanes.sign * ((double)path->velocity[axis] + (double)path->acceleration[axis] * (at - path->base));
}

// Of lanes that are too near to tell, one that is truly ahead; of several the one that leads next.
static uint32_t firstOf(Row* row, uint32_t lanes, double at) {
    uint32_t first = (uint32_t)__builtin_ctz(lanes);
    for (uint32_t left = lanes & (lanes - 1); left != 0; left &= left - 1) {
        const uint32_t k = (uint32_t)__builtin_ctz(left);
        row->pair.first = row->vertices[first], row->pair.other = row->vertices[k];
        if (row->pair.first == row->pair.other)
            continue;
        const int order = exactOrder(&row->pair, at);
        if (order < 0 || (order == 0 && slopeNow(row, k, at) > slopeNow(row, first, at)))
            first = k;
    }
    return first;
}

// Of the lanes that may come ahead, the one that seems to be the first.
static uint32_t soonestOf(const Row* row, uint32_t closing) {
    uint32_t soonest = (uint32_t)__builtin_ctz(closing);
    double least = (double)INFINITY;
    for (uint32_t left = closing; left != 0; left &= left - 1) {
        const uint32_t k = (uint32_t)__builtin_ctz(left);
        const Race race = laneOf(&row->races[k / PLAN_LANES], k % PLAN_LANES);
        const double guess = guessUntil(&race);
        if (guess >= 0 && guess < least)
            soonest = k, least = guess;
    }
    return soonest;
}

static void lookAtLane(Row* row, uint32_t k, double at, PlanLead* lead) {
    row->pair.other = row->vertices[k];
    const Race race = laneOf(&row->races[k / PLAN_LANES], k % PLAN_LANES);
    if (staysAhead(&race, lead->until - at))
        return;
    const double until = untilOf(&race, &row->pair, at);
    if (until < lead->until)
        lead->until = until, lead->rival = row->pair.other;
}

static void findUntil(Row* row, uint32_t closing, double at, PlanLead* lead) {
    const uint32_t soonest = soonestOf(row, closing);
    lookAtLane(row, soonest, at, lead);
    for (uint32_t left = closing & ~(1u << soonest); left != 0; left &= left - 1) {
        const uint32_t k = (uint32_t)__builtin_ctz(left);
        lookAtLane(row, k, at, lead);
    }
}

static PlanClock clockOf(const grzFlightplan* plan, double at) {
    return (PlanClock){at, plan->tick, 1 / plan->tick, plan->timeLimit};
}

static bool leadStraight(const grzFlightplan* plan, int axis, bool isUpper, const uint32_t* vertices,
                         uint32_t count, double at, PlanLead* lead) {
    const PlanClock clock = clockOf(plan, at);
    PlanStraightRow row;
    row.paths = plan->paths.data, row.vertices = vertices, row.clock = &clock;
    row.axis = axis, row.sign = isUpper ? 1 : -1, row.isLong = count > PLAN_ROW_SHORT;
    if (!GRZ_PICK_KERNEL(grzPlanStraightRow)(&row))
        return false;
    *lead = (PlanLead){vertices[row.lane], vertices[row.rival], row.until};
    return true;
}

PlanLead grzPlan_LeadOnPaths(const grzFlightplan* plan, int axis, bool isUpper, const uint32_t* vertices,
                             uint32_t count, double at) {
    PlanLead lead;
    if (!plan->isBent && leadStraight(plan, axis, isUpper, vertices, count, at, &lead))
        return lead;
    Row row;
    row.pair = (Pair){plan, axis, isUpper, 0, 0};
    row.vertices = vertices;
    loadRow(&row, count);
    const PlanLook look = {at, plan->isBent};
    grzPlanRow_Fn* kernel = GRZ_PICK_KERNEL(grzPlanRow);
    uint32_t first;
    const uint32_t level = kernel(&row.lanes, &look, &first, row.races);
    if (level != 0) {
        row.lanes.first = (int)firstOf(&row, level, at);
        kernel(&row.lanes, &look, &first, row.races);
    }
    lead = (PlanLead){vertices[first], vertices[first], (double)INFINITY};
    row.pair.first = lead.vertex;
    const uint32_t closing = row.races[0].closing | (row.lanes.isLong ? row.races[1].closing << 8 : 0);
    if (closing != 0)
        findUntil(&row, closing, at, &lead);
    return lead;
}

// ---- the sides of a box ----

static void raceSide(PlanSides* sides, uint32_t side, double at) {
    const PlanOutcome outcome =
        grzPlan_Race(sides->plan, side, sides->first[side], sides->other[side], at, &sides->until[side]);
    sides->behind |= (uint32_t)(outcome == plan_behind) << side;
    sides->sooner |= (uint32_t)(outcome == plan_sooner) << side;
}

void grzPlan_RaceSides(PlanSides* sides, double at) {
    uint32_t doubtful = (1u << PLAN_SIDES) - 1;
    sides->behind = sides->sooner = 0;
    if (!sides->plan->isBent) {
        const PlanClock clock = clockOf(sides->plan, at);
        PlanStraightSides straight;
        straight.paths = sides->plan->paths.data, straight.clock = &clock;
        straight.first = sides->first, straight.other = sides->other, straight.until = sides->until;
        GRZ_PICK_KERNEL(grzPlanStraightSides)(&straight);
        sides->behind = straight.behind, sides->sooner = straight.sooner;
        doubtful = straight.doubtful;
    }
    for (uint32_t left = doubtful; left != 0; left &= left - 1)
        raceSide(sides, (uint32_t)__builtin_ctz(left), at);
}
