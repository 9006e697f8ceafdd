// What: plan_row.h.
// Idea: on keyframes all coordinates of a row are taken at once, lower sides with their sign turned, so that the greatest always
//   leads. The doubles that coordinates are rounded to are in the order of the coordinates; only for two that are equal the exact
//   ones are compared. Those that end the interval above the leader cross its path at A / (A - B) of it; the first of these
//   by the estimate, and any that comes within two ticks of it, are looked at exactly.
//
//   Paths are compared and solved in pairs.
// Cost: some 30 ns on keyframes; 25 ns a vertex on paths.
#include "plan_row.h"

#include "plan_kernel.h"

// ---- keyframes ----

typedef struct Side {
    const grzFlightplan* plan;
    int axis;
    double sign; // -1: the least leads
    const uint32_t* vertices;
    uint32_t count;
} Side;

static void loadEight(const PlanFrame* frame, int axis, double sign, const uint32_t* vertices, double* lanes) {
    const float* positions = frame->positions + axis;
    const size_t stride = frame->stride;
    for (int k = 0; k < PLAN_ROW_SHORT; ++k)
        lanes[k] = sign * (double)positions[vertices[k] * stride];
}

static void loadLanes(const Side* side, const PlanFrame* frame, double* lanes) {
    loadEight(frame, side->axis, side->sign, side->vertices, lanes);
    if (side->count > PLAN_ROW_SHORT)
        loadEight(frame, side->axis, side->sign, side->vertices + PLAN_ROW_SHORT, lanes + PLAN_ROW_SHORT);
}

// Of lanes that round to one double, the one that is truly ahead; of several the one that is at the end.
static uint32_t firstOfLevel(const Side* side, const PlanRow* row, uint32_t level, double at) {
    uint32_t first = (uint32_t)__builtin_ctz(level);
    for (uint32_t left = level & (level - 1); left != 0; left &= left - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(left);
        if (side->vertices[lane] == side->vertices[first])
            continue;
        const int order = (int)side->sign *
                          grzPlan_Compare(side->plan, side->axis, side->vertices[lane], side->vertices[first], at);
        if (order > 0 || (order == 0 && row->to[lane] > row->to[first]))
            first = lane;
    }
    return first;
}

static uint32_t lanesAbove(const PlanRow* row, uint32_t count, uint32_t first) {
    uint32_t above = 0;
    for (uint32_t k = 0; k < PLAN_ROW_LANES; ++k) // lanes behind the count may never have been written
        above |= (uint32_t)(k < count && row->to[k] > row->to[first]) << k;
    return above;
}

// The first time in an interval at which one of those that end ahead of the leader is ahead.
static double untilPassed(const Side* side, const PlanRow* row, uint32_t first, uint32_t above, double at) {
    double parts[PLAN_ROW_LANES], least = 2, until = (double)INFINITY;
    for (uint32_t left = above; left != 0; left &= left - 1) {
        const uint32_t k = (uint32_t)__builtin_ctz(left);
        const double a = row->from[first] - row->from[k], b = row->to[first] - row->to[k];
        parts[k] = a / (a - b);
        least = parts[k] < least ? parts[k] : least;
    }
    for (uint32_t left = above; left != 0; left &= left - 1) {
        const uint32_t k = (uint32_t)__builtin_ctz(left);
        if (parts[k] > least + 2 * PLAN_FRAME_TICK)
            continue;
        const uint32_t high = side->vertices[side->sign > 0 ? first : k],
                       low = side->vertices[side->sign > 0 ? k : first];
        until = fmin(until, grzPlan_Overtakes(side->plan, side->axis, high, low, at));
    }
    return until;
}

static PlanLead leadOnFrames(const Side* side, double at) {
    const double number = floor(at);
    const PlanFrame* frame = side->plan->frames.data + ((size_t)number - side->plan->firstFrame);
    const bool isLast = number == grzPlan_End(side->plan);
    PlanRow row;
    loadLanes(side, frame, row.from);
    loadLanes(side, isLast ? frame : frame + 1, row.to);
    PlanOrder order = GRZ_PICK_KERNEL(grzPlanOrder)(&row, side->count > PLAN_ROW_SHORT, at - number);
    if ((order.level & (order.level - 1)) != 0) {
        order.first = firstOfLevel(side, &row, order.level, at);
        order.above = lanesAbove(&row, side->count, order.first);
    }
    const uint32_t vertex = side->vertices[order.first];
    return (PlanLead){vertex,
                      order.above == 0 ? (double)INFINITY : untilPassed(side, &row, order.first, order.above, at)};
}

// ---- paths ----

static double overtakenAt(const grzFlightplan* plan, int axis, bool isUpper, uint32_t first, uint32_t other,
                          double at) {
    if (first == other)
        return (double)INFINITY;
    return isUpper ? grzPlan_Overtakes(plan, axis, first, other, at)
                   : grzPlan_Overtakes(plan, axis, other, first, at);
}

static PlanLead leadOnPaths(const grzFlightplan* plan, int axis, bool isUpper, const uint32_t* vertices,
                            uint32_t count, double at) {
    const double sign = isUpper ? 1 : -1;
    PlanLead lead = {vertices[0], (double)INFINITY};
    double most = sign * grzPlan_Double(plan, lead.vertex, axis, at);
    for (uint32_t k = 1; k < count; ++k) {
        if (vertices[k] == lead.vertex)
            continue;
        const double value = sign * grzPlan_Double(plan, vertices[k], axis, at);
        if (value > most ||
            (value == most && (int)sign * grzPlan_Compare(plan, axis, vertices[k], lead.vertex, at) > 0))
            lead.vertex = vertices[k], most = value;
    }
    for (uint32_t k = 0; k < count; ++k)
        lead.until = fmin(lead.until, overtakenAt(plan, axis, isUpper, lead.vertex, vertices[k], at));
    return lead;
}

PlanLead grzPlan_Lead(const grzFlightplan* plan, int axis, bool isUpper, const uint32_t* vertices, uint32_t count,
                      double at) {
    const Side side = {plan, axis, isUpper ? 1 : -1, vertices, count};
    return plan->kind == grz_planKeyframes ? leadOnFrames(&side, at)
                                           : leadOnPaths(plan, axis, isUpper, vertices, count, at);
}
