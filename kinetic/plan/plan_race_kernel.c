// What: the kernels of plan_race_kernel.h.
// Idea: all is computed in double, with a bound on what was rounded: 2^-53 of each result, and none is larger than the sum of the
// sizes of its terms.
#include "plan_race_kernel.h"

#include "simd.h"

// Of a coordinate now; size: the sum of the sizes of its terms.
typedef struct State {
    grzD8 p, linear, square; // p, v h and a h h / 2
    grzD8 v, steep, c;       // v, a h and a / 2
    grzD8 base;
    grzD8 size;
} State;

GRZ_SIMD_INLINE State stateOf(const PlanLanes* lanes, const PlanLook* look) {
    State s;
    s.base = grzD8_LoadAligned(lanes->base);
    const grzD8 h = grzD8_Sub(grzD8_Set1(look->at), s.base);
    s.p = grzD8_FromFloat(grzF8_Load(lanes->p));
    s.v = grzD8_FromFloat(grzF8_Load(lanes->v));
    s.linear = grzD8_Mul(s.v, h);
    s.size = grzD8_Add(grzD8_Abs(s.p), grzD8_Abs(s.linear));
    s.c = s.steep = s.square = grzD8_Zero();
    if (look->isBent) {
        const grzD8 a = grzD8_FromFloat(grzF8_Load(lanes->a));
        s.c = grzD8_Mul(grzD8_Set1(0.5), a);
        s.steep = grzD8_Mul(a, h);
        s.square = grzD8_Mul(grzD8_Mul(s.c, h), h);
        s.size = grzD8_Add(s.size, grzD8_Abs(s.square));
    }
    return s;
}

GRZ_SIMD_INLINE uint32_t samePaths(const State* a, const State* b) {
    const grzM8 place = grzM8_And(grzD8_Equal(a->p, b->p), grzD8_Equal(a->base, b->base));
    const grzM8 motion = grzM8_And(grzD8_Equal(a->v, b->v), grzD8_Equal(a->c, b->c));
    return grzM8_Bits(grzM8_And(place, motion));
}

GRZ_SIMD_INLINE void writeRaces(const State* a, const State* b, grzD8 sign, uint32_t lanes, PlanRaces* to) {
    const grzD8 zero = grzD8_Zero();
    const grzD8 apart = grzD8_Add(grzD8_Add(grzD8_Sub(a->p, b->p), grzD8_Sub(a->linear, b->linear)),
                                  grzD8_Sub(a->square, b->square));
    const grzD8 gap = grzD8_Mul(sign, apart);
    // At most seven roundings, each of no more than the size.
    const grzD8 gapError = grzD8_Mul(grzD8_Set1(0x1p-49), grzD8_Add(a->size, b->size));
    const grzD8 slope = grzD8_Mul(sign, grzD8_Add(grzD8_Sub(b->v, a->v), grzD8_Sub(b->steep, a->steep)));
    // Where nothing bends, one rounding.
    const grzD8 slopeError =
        grzD8_Add(grzD8_Mul(grzD8_Set1(0x1p-52), grzD8_Abs(slope)),
                  grzD8_Mul(grzD8_Set1(0x1p-50), grzD8_Add(grzD8_Abs(a->steep), grzD8_Abs(b->steep))));
    const grzD8 bend = grzD8_Mul(sign, grzD8_Sub(b->c, a->c));
    grzD8_StoreAligned(to->gap, gap);
    grzD8_StoreAligned(to->gapError, gapError);
    grzD8_StoreAligned(to->slope, slope);
    grzD8_StoreAligned(to->slopeError, slopeError);
    grzD8_StoreAligned(to->bend, bend);
    lanes &= ~samePaths(a, b);
    to->closing =
        lanes & grzM8_Bits(grzM8_Or(grzD8_Greater(grzD8_Add(slope, slopeError), zero), grzD8_Greater(bend, zero)));
}

// ---- straight paths ----

typedef struct Line { // of eight coordinates now
    grzD8 base, p, linear, v, size;
} Line;

GRZ_SIMD_INLINE Line lineOf(const double* base, const float* p, const float* v, double at) {
    Line line;
    line.base = grzD8_Load(base);
    line.p = grzD8_FromFloat(grzF8_Load(p));
    line.v = grzD8_FromFloat(grzF8_Load(v));
    line.linear = grzD8_Mul(line.v, grzD8_Sub(grzD8_Set1(at), line.base));
    line.size = grzD8_Add(grzD8_Abs(line.p), grzD8_Abs(line.linear));
    return line;
}

GRZ_SIMD_INLINE Line gatherRow(const PlanPath* paths, const uint32_t* vertices, int axis, double at) {
    double base[PLAN_LANES];
    float p[PLAN_LANES], v[PLAN_LANES];
    for (int k = 0; k < PLAN_LANES; ++k) {
        const PlanPath* path = &paths[vertices[k]];
        base[k] = path->base, p[k] = path->position[axis], v[k] = path->velocity[axis];
    }
    return lineOf(base, p, v, at);
}

GRZ_SIMD_INLINE Line gatherSides(const PlanPath* paths, const uint32_t vertices[6], double at) {
    double base[PLAN_LANES];
    float p[PLAN_LANES], v[PLAN_LANES];
    for (int k = 0; k < 6; ++k) {
        const PlanPath* path = &paths[vertices[k]];
        base[k] = path->base, p[k] = path->position[k % 3], v[k] = path->velocity[k % 3];
    }
    for (int k = 6; k < PLAN_LANES; ++k)
        base[k] = base[0], p[k] = p[0], v[k] = v[0];
    return lineOf(base, p, v, at);
}

// What is larger in size is cut to this. Up to it, adding 1.5 * 2^52 rounds to a whole number.
#define MOST_TICKS 0x1p51

GRZ_SIMD_INLINE grzD8 floorOf(grzD8 x) {
    const grzD8 shift = grzD8_Set1(0x1.8p52);
    const grzD8 cut = grzD8_Max(grzD8_Min(x, grzD8_Set1(MOST_TICKS)), grzD8_Set1(-MOST_TICKS));
    const grzD8 near = grzD8_Sub(grzD8_Add(cut, shift), shift);
    return grzD8_Select(grzD8_Less(cut, near), grzD8_Sub(near, grzD8_Set1(1)), near);
}

// When lines cross, in whole ticks, the next of which is the first behind: not before `early`, and not after `late`.
typedef struct Crossing {
    grzD8 gap, gapError, early, late; // where there is none, MOST_TICKS
    uint32_t closing;                 // the lanes that are known to cross, before times end
} Crossing;

GRZ_SIMD_INLINE Crossing crossingOf(const Line* a, const Line* b, grzD8 sign, const PlanClock* clock) {
    Crossing c;
    const grzD8 zero = grzD8_Zero(), most = grzD8_Set1(MOST_TICKS), scale = grzD8_Set1(clock->ticksPerTime);
    const grzD8 now = grzD8_Set1(clock->at);
    c.gap = grzD8_Mul(sign, grzD8_Add(grzD8_Sub(a->p, b->p), grzD8_Sub(a->linear, b->linear)));
    c.gapError = grzD8_Mul(grzD8_Set1(0x1p-49), grzD8_Add(a->size, b->size)); // at most four roundings, 2^-51 of it
    const grzD8 slope = grzD8_Mul(sign, grzD8_Sub(b->v, a->v));
    const grzM8 closes = grzD8_Greater(slope, zero);
    c.closing = grzM8_Bits(closes);
    c.early = c.late = most;
    if (c.closing == 0)
        return c;
    const grzD8 speed = grzD8_Select(closes, slope, grzD8_Set1(1));
    const grzD8 soon = grzD8_Div(grzD8_Sub(c.gap, c.gapError), speed);
    const grzD8 after = grzD8_Div(grzD8_Add(c.gap, c.gapError), speed);
    // The slope, both quotients and sums are each off by 2^-53 of themselves.
    const grzD8 slack =
        grzD8_Mul(grzD8_Set1(0x1p-50), grzD8_Add(grzD8_Abs(now), grzD8_Max(grzD8_Abs(soon), grzD8_Abs(after))));
    const grzD8 early = grzD8_Mul(scale, grzD8_Add(now, grzD8_Sub(soon, slack)));
    const grzD8 late = grzD8_Mul(scale, grzD8_Add(now, grzD8_Add(after, slack)));
    const grzM8 inTime = grzM8_And(closes, grzD8_Less(early, grzD8_Set1(clock->limit * clock->ticksPerTime)));
    c.closing = grzM8_Bits(inTime);
    c.early = grzD8_Select(inTime, floorOf(early), most);
    c.late = grzD8_Select(inTime, floorOf(late), most);
    return c;
}

GRZ_SIMD_INLINE double leastOf(grzD8 a) {
    double lanes[8];
    grzD8_Store(lanes, a);
    for (int half = 4; half != 0; half /= 2)
        for (int i = 0; i < half; ++i)
            lanes[i] = lanes[i + half] < lanes[i] ? lanes[i + half] : lanes[i];
    return lanes[0];
}

typedef struct Lines {
    Line half[PLAN_ROW_VECTORS];
    grzD8 low[PLAN_ROW_VECTORS], high[PLAN_ROW_VECTORS]; // what coordinates are, signed, with their errors
} Lines;

GRZ_SIMD_INLINE void gatherLines(const PlanStraightRow* row, int count, grzD8 sign, Lines* lines) {
    for (int i = 0; i < count; ++i) {
        Line* line = &lines->half[i];
        *line = gatherRow(row->paths, row->vertices + 8 * i, row->axis, row->clock->at);
        const grzD8 value = grzD8_Mul(sign, grzD8_Add(line->p, line->linear));
        const grzD8 error = grzD8_Mul(grzD8_Set1(0x1p-50), line->size);
        lines->low[i] = grzD8_Sub(value, error), lines->high[i] = grzD8_Add(value, error);
    }
}

// Lanes that are level for ever, as those of one vertex are.
GRZ_SIMD_INLINE uint32_t sameLines(const Line* a, const Line* b) {
    const grzM8 place = grzM8_And(grzD8_Equal(a->p, b->p), grzD8_Equal(a->base, b->base));
    return grzM8_Bits(grzM8_And(place, grzD8_Equal(a->v, b->v)));
}

GRZ_SIMD_INLINE Line spreadLine(const PlanPath* path, int axis, double at) {
    const double v = (double)path->velocity[axis], p = (double)path->position[axis], linear = v * (at - path->base);
    return (Line){grzD8_Set1(path->base), grzD8_Set1(p), grzD8_Set1(linear), grzD8_Set1(v),
                  grzD8_Set1(fabs(p) + fabs(linear))};
}

// count: of vectors.
GRZ_SIMD_PART int findStraight(PlanStraightRow* row, int count) {
    const PlanClock* clock = row->clock;
    const grzD8 sign = grzD8_Set1(row->sign);
    Lines lines;
    gatherLines(row, count, sign, &lines);
    const grzD8 lows = count == 2 ? grzD8_Max(lines.low[0], lines.low[1]) : lines.low[0];
    const grzD8 least = grzD8_Set1(-leastOf(grzD8_Negate(lows)));
    uint32_t ahead = 0;
    for (int i = 0; i < count; ++i)
        ahead |= grzM8_Bits(grzD8_GreaterEqual(lines.high[i], least)) << 8 * i;
    const uint32_t lane = (uint32_t)__builtin_ctz(ahead);
    const Line leader = spreadLine(&row->paths[row->vertices[lane]], row->axis, clock->at);
    for (int i = 0; i < count; ++i)
        ahead &= ~(sameLines(&leader, &lines.half[i]) << 8 * i);
    if (ahead != 0)
        return 0;
    Crossing crossings[PLAN_ROW_VECTORS];
    grzD8 earliest = grzD8_Set1(MOST_TICKS), latest = earliest;
    uint32_t closing = 0;
    for (int i = 0; i < count; ++i) {
        Crossing* c = &crossings[i];
        *c = crossingOf(&leader, &lines.half[i], sign, clock);
        closing |= c->closing;
        earliest = grzD8_Min(earliest, c->early), latest = grzD8_Min(latest, c->late);
    }
    row->until = (double)INFINITY, row->lane = row->rival = lane;
    if (closing == 0)
        return 1;
    const double tick = leastOf(latest), until = (tick + 1) * clock->tick;
    if (fabs(tick) >= MOST_TICKS || leastOf(earliest) != tick || until <= clock->at || until >= clock->limit)
        return 0;
    row->until = until;
    for (int i = count - 1; i >= 0; --i) {
        const uint32_t first = grzM8_Bits(grzD8_Equal(crossings[i].late, grzD8_Set1(tick)));
        row->rival = first != 0 ? (uint32_t)__builtin_ctz(first) + 8 * (uint32_t)i : row->rival;
    }
    return 1;
}

int GRZ_KERNEL(grzPlanStraightRow)(PlanStraightRow* row) {
    return row->isLong ? findStraight(row, 2) : findStraight(row, 1);
}

void GRZ_KERNEL(grzPlanStraightSides)(PlanStraightSides* sides) {
    static const double signs[PLAN_LANES] = {-1, -1, -1, 1, 1, 1, 1, 1};
    const PlanClock* clock = sides->clock;
    const Line a = gatherSides(sides->paths, sides->first, clock->at);
    const Line b = gatherSides(sides->paths, sides->other, clock->at);
    const Crossing c = crossingOf(&a, &b, grzD8_Load(signs), clock);
    double until[PLAN_LANES];
    for (int k = 0; k < PLAN_LANES; ++k)
        until[k] = sides->until[k < 6 ? k : 0];
    sides->behind = 0x3F & grzM8_Bits(grzD8_Less(c.gap, grzD8_Negate(c.gapError)));
    sides->doubtful = 0x3F & ~sides->behind & ~sameLines(&a, &b) & grzM8_Bits(grzD8_LessEqual(c.gap, c.gapError));
    sides->sooner = 0;
    const grzD8 old = grzD8_Load(until), tick = grzD8_Set1(clock->tick), one = grzD8_Set1(1);
    const grzD8 found = grzD8_Mul(tick, grzD8_Add(c.early, one));
    // Ticks that were cut are not known at all.
    const uint32_t cut =
        0x3F & c.closing & ~sides->behind & grzM8_Bits(grzD8_LessEqual(c.early, grzD8_Set1(-MOST_TICKS)));
    sides->doubtful |= cut;
    const uint32_t sooner = 0x3F & c.closing & ~sides->behind & grzM8_Bits(grzD8_Less(found, old));
    if (sooner == 0)
        return;
    const grzM8 isLate = grzD8_LessEqual(found, grzD8_Set1(clock->at));
    const grzM8 isEnd = grzD8_GreaterEqual(found, grzD8_Set1(clock->limit));
    const grzM8 isOpen =
        grzM8_Or(grzD8_NotEqual(c.early, c.late), grzD8_GreaterEqual(grzD8_Abs(c.late), grzD8_Set1(MOST_TICKS)));
    sides->doubtful |= sooner & grzM8_Bits(grzM8_Or(isOpen, grzM8_Or(isLate, isEnd)));
    sides->sooner = sooner & ~sides->doubtful;
    grzD8_Store(until, found);
    for (uint32_t left = sides->sooner; left != 0; left &= left - 1)
        sides->until[__builtin_ctz(left)] = until[__builtin_ctz(left)];
}

// ---- rows ----

GRZ_SIMD_INLINE double greatestOf(grzD8 a) {
    double lanes[8];
    grzD8_Store(lanes, a);
    for (int half = 4; half != 0; half /= 2)
        for (int i = 0; i < half; ++i)
            lanes[i] = lanes[i] < lanes[i + half] ? lanes[i + half] : lanes[i];
    return lanes[0];
}

GRZ_SIMD_INLINE grzD8 valueOf(const State* s, grzD8 sign) {
    return grzD8_Mul(sign, grzD8_Add(grzD8_Add(s->p, s->linear), s->square));
}

// The lanes that may be ahead of all others: as near to the greatest as both may be off.
GRZ_SIMD_INLINE uint32_t lanesAhead(const State* lower, const State* upper, grzD8 sign, int isLong) {
    const grzD8 a = valueOf(lower, sign), b = valueOf(upper, sign);
    const double most = greatestOf(grzD8_Max(a, b)), size = greatestOf(grzD8_Max(lower->size, upper->size));
    const grzD8 least = grzD8_Set1(most - 0x1p-49 * size);
    return grzM8_Bits(grzD8_GreaterEqual(a, least)) | (isLong ? grzM8_Bits(grzD8_GreaterEqual(b, least)) << 8 : 0);
}

// The lanes of a vertex.
GRZ_SIMD_INLINE uint32_t lanesOf(const PlanRowLanes* row, uint32_t first) {
    const grzI8 vertex = grzI8_Set1(row->vertices[first]);
    const uint32_t lower = grzM8_Bits(grzI8_Equal(grzI8_Load(row->vertices), vertex));
    return row->isLong ? lower | grzM8_Bits(grzI8_Equal(grzI8_Load(row->vertices + 8), vertex)) << 8 : lower;
}

GRZ_SIMD_INLINE State spread(const PlanRowLanes* row, uint32_t lane, const PlanLook* look) {
    const PlanLanes* from = &row->lanes[lane / PLAN_LANES];
    State s;
    lane %= PLAN_LANES;
    const double h = look->at - from->base[lane], p = (double)from->p[lane], v = (double)from->v[lane];
    const double a = look->isBent ? (double)from->a[lane] : 0, c = 0.5 * a;
    s.base = grzD8_Set1(from->base[lane]);
    s.p = grzD8_Set1(p), s.v = grzD8_Set1(v), s.c = grzD8_Set1(c);
    s.linear = grzD8_Set1(v * h), s.steep = grzD8_Set1(a * h), s.square = grzD8_Set1(c * h * h);
    s.size = grzD8_Add(grzD8_Add(grzD8_Abs(s.p), grzD8_Abs(s.linear)), grzD8_Abs(s.square));
    return s;
}

uint32_t GRZ_KERNEL(grzPlanRow)(const PlanRowLanes* row, const PlanLook* look, uint32_t* first,
                                PlanRaces races[PLAN_ROW_VECTORS]) {
    const State lower = stateOf(&row->lanes[0], look);
    const State upper = row->isLong ? stateOf(&row->lanes[1], look) : lower;
    const grzD8 sign = grzD8_Set1(row->sign);
    uint32_t lane = (uint32_t)row->first, own;
    if (row->first < 0) {
        const uint32_t ahead = lanesAhead(&lower, &upper, sign, row->isLong);
        lane = (uint32_t)__builtin_ctz(ahead);
        own = lanesOf(row, lane);
        if ((ahead & ~own) != 0)
            return ahead;
    } else {
        own = lanesOf(row, lane);
    }
    const State leader = spread(row, lane, look);
    writeRaces(&leader, &lower, sign, ~own & 0xFF, &races[0]);
    if (row->isLong)
        writeRaces(&leader, &upper, sign, ~own >> 8 & 0xFF, &races[1]);
    *first = lane;
    return 0;
}
