// What: frame_row.h.
// Cost: where a row is read: one place a lane; and a division for each lane that ends ahead.
#include "frame_row.h"

#include "check.h"
#include "simd.h"

// Bits of the four from `of` on.
static uint32_t fourAbove(const FrameSide* side, const uint32_t* of, grzF4 own, bool isUpper) {
    const size_t stride = side->toStride;
    const grzF4 four = grzF4_Set(side->to[of[0] * stride], side->to[of[1] * stride], side->to[of[2] * stride],
                                 side->to[of[3] * stride]);
    return grzM4_Bits(isUpper ? grzF4_Greater(four, own) : grzF4_Less(four, own));
}

uint32_t grzFrameRow_Above(const FrameRow* row, const FrameSide* side, uint32_t vertex) {
    const grzF4 own = grzF4_Set1(grzFrameSide_To(side, vertex));
    const bool isUpper = side->sign > 0;
    uint32_t above = fourAbove(side, row->eight, own, isUpper);
    if (row->count > 4)
        above |= fourAbove(side, row->eight + 4, own, isUpper) << 4;
    if (row->count > 8)
        above |= fourAbove(side, row->more, own, isUpper) << 8;
    return above & ((1U << row->count) - 1);
}

uint32_t grzFrameRow_EndsAt(const FrameRow* row, const FrameSide* side, float end) {
    uint32_t lane = 0;
    while (grzFrameSide_To(side, grzFrameRow_Vertex(row, lane)) != end)
        ++lane;
    GRZ_ASSERT(lane < row->count);
    return lane;
}

// The double that the coordinate is rounded to, with the sign that lets the greatest lead. Rounding keeps order.
static double valueAt(const FrameSide* side, uint32_t vertex, double part) {
    return side->sign * ((1 - part) * (double)side->from[vertex * side->fromStride] +
                         part * (double)side->to[vertex * side->toStride]);
}

static bool leadsExactly(const FrameSide* side, uint32_t vertex, uint32_t other, float tick) {
    const double at = side->number + (double)tick * PLAN_FRAME_TICK;
    const double order = side->sign * grzPlan_Compare(side->plan, side->axis, vertex, other, at);
    return order > 0 || (order == 0 && grzFrameSide_EndsAhead(side, vertex, other));
}

bool grzFrameSide_Leads(const FrameSide* side, uint32_t vertex, uint32_t other, float tick) {
    if (vertex == other)
        return false;
    const double part = (double)tick * PLAN_FRAME_TICK;
    const double a = valueAt(side, vertex, part), b = valueAt(side, other, part);
    return a > b || (a == b && leadsExactly(side, vertex, other, tick));
}

static double gap(const FrameSide* side, const float* positions, size_t stride, uint32_t leader, uint32_t vertex) {
    return side->sign * ((double)positions[leader * stride] - (double)positions[vertex * stride]);
}

// Where the quotient is near a whole number of ticks, of which four roundings may have brought it to either side.
static float passesExactly(const FrameSide* side, uint32_t leader, uint32_t vertex) {
    const uint32_t high = side->sign > 0 ? leader : vertex, low = side->sign > 0 ? vertex : leader;
    const double at = grzPlan_Overtakes(side->plan, side->axis, high, low, side->number);
    return (float)((at - side->number) / PLAN_FRAME_TICK);
}

float grzFrameSide_Passes(const FrameSide* side, uint32_t leader, uint32_t vertex) {
    const double a = gap(side, side->from, side->fromStride, leader, vertex);
    const double b = gap(side, side->to, side->toStride, leader, vertex);
    GRZ_ASSERT(b < 0);
    if (a < 0)
        return 0;
    const double place = a / (a - b) * (double)FRAME_TICKS;
    const double whole = (double)(int32_t)place, rest = place - whole;
    if (rest > 0x1p-20 && rest < 1 - 0x1p-20) // the four roundings come to 2^-27 of a tick
        return (float)(whole + 1);
    return passesExactly(side, leader, vertex);
}

FrameEvent grzFrameRow_Next(const FrameRow* row, const FrameSide* side, uint32_t leader) {
    FrameEvent event = {INFINITY, 0};
    for (uint32_t left = grzFrameRow_Above(row, side, leader); left != 0; left &= left - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(left), vertex = grzFrameRow_Vertex(row, lane);
        const float tick = grzFrameSide_Passes(side, leader, vertex);
        if (tick < event.tick ||
            (tick == event.tick && grzFrameSide_Leads(side, vertex, grzFrameRow_Vertex(row, event.lane), tick)))
            event = (FrameEvent){tick, lane};
    }
    return event;
}

uint32_t grzFrameRow_Leader(const FrameRow* row, const FrameSide* side, uint32_t leader, float tick) {
    for (uint32_t left = grzFrameRow_Above(row, side, leader); left != 0; left &= left - 1) {
        const uint32_t vertex = grzFrameRow_Vertex(row, (uint32_t)__builtin_ctz(left));
        if (grzFrameSide_Leads(side, vertex, leader, tick))
            leader = vertex;
    }
    return leader;
}
