// What: see front_clock.h.
#include "front_clock.h"

#define PIECE_BITS 24 // of ticks of a piece; fewer where times of paths have no room for them in a double

static bool isOfFrames(const FrontPace* pace) {
    return pace->plan->kind == grz_planKeyframes;
}

// ---- pieces ----

// Cuts the piece at the keyframes about a time.
static void cutPiece(FrontClock* clock, FrontPace* pace, double time) {
    const grzFlightplan* plan = pace->plan;
    pace->number = 0;
    if (!isOfFrames(pace))
        return;
    pace->number = floor(grzPlan_TimeOf(plan, time));
    const PlanFrame* frame = plan->frames.data + ((size_t)pace->number - plan->firstFrame);
    clock->begin = fmax(clock->begin, frame->time);
    clock->end = fmin(clock->end, pace->number < grzPlan_End(plan) ? frame[1].time : frame->time);
}

static double planTimeAt(const FrontPace* pace, double time) {
    const grzFlightplan* plan = pace->plan;
    if (!isOfFrames(pace))
        return grzPlan_TimeOf(plan, time);
    return fmin(grzPlan_TimeOf(plan, time) - pace->number, 1);
}

// Seconds of paths, in steps of the plan's tick and of so many bits below it, are doubles up to 2^52 steps.
static int bitsOf(const FrontPace* pace, double end) {
    int bits;
    (void)frexp(fmax(fabs(pace->begin), fabs(end)) / pace->plan->tick, &bits);
    return isOfFrames(pace) ? PIECE_BITS : 52 - bits;
}

static void startPiece(FrontClock* clock) {
    double ends[2];
    int bits = PIECE_BITS;
    for (int side = 0; side < 2; ++side) {
        FrontPace* pace = &clock->paces[side];
        pace->begin = planTimeAt(pace, clock->begin);
        ends[side] = planTimeAt(pace, clock->end);
        bits = bitsOf(pace, ends[side]) < bits ? bitsOf(pace, ends[side]) : bits;
    }
    bits = bits > 0 ? bits : 0;
    clock->ticks = clock->begin < clock->end ? ldexp(1, bits) : 0;
    for (int side = 0; side < 2; ++side)
        clock->paces[side].rate = ldexp(ends[side] - clock->paces[side].begin, -bits);
}

static void startEndless(FrontClock* clock) {
    const grzFlightplan *a = clock->paces[0].plan, *b = clock->paces[1].plan;
    clock->tick = fmin(a->tick, b->tick);
    clock->ticks = fmin(a->timeLimit, b->timeLimit) / clock->tick - 1;
    for (int side = 0; side < 2; ++side)
        clock->paces[side].begin = 0, clock->paces[side].rate = clock->tick;
}

void grzFrontClock_Start(FrontClock* clock, const grzFlightplan* a, const grzFlightplan* b, double time) {
    *clock = (FrontClock){{{.plan = a}, {.plan = b}}, -(double)INFINITY, (double)INFINITY, 0, 0};
    for (int side = 0; side < 2; ++side)
        cutPiece(clock, &clock->paces[side], time);
    if (isinf(clock->end))
        startEndless(clock);
    else
        startPiece(clock);
    grzFrontClock_FindFrames(clock);
}

void grzFrontClock_FindFrames(FrontClock* clock) {
    for (int side = 0; side < 2; ++side) {
        FrontPace* pace = &clock->paces[side];
        if (!isOfFrames(pace))
            continue;
        // One of the two may be gone, or yet to come, where it has no say: at the end of an interval, or of the plan.
        const PlanFrame* frames = pace->plan->frames.data;
        const double first = fmax(pace->number, pace->plan->firstFrame);
        const double last = fmin(pace->number + 1, grzPlan_End(pace->plan));
        const PlanFrame* from = frames + ((size_t)first - pace->plan->firstFrame);
        const PlanFrame* to = frames + ((size_t)last - pace->plan->firstFrame);
        pace->from = from->positions, pace->fromStride = from->stride;
        pace->to = to->positions, pace->toStride = to->stride;
    }
}

// ---- times ----

double grzFrontClock_TickOf(const FrontClock* clock, double time) {
    if (clock->tick != 0)
        return floor(time / clock->tick);
    if (time >= clock->end)
        return clock->ticks;
    const double part = floor((time - clock->begin) / (clock->end - clock->begin) * clock->ticks);
    return fmin(part, clock->ticks - 1);
}

// As grzPlan_LastTime.
double grzFrontClock_LastTime(const FrontClock* clock, double tick) {
    if (clock->tick != 0)
        return nextafter(fmin(tick + 1, clock->ticks + 1) * clock->tick, -(double)INFINITY);
    if (tick >= clock->ticks)
        return clock->end;
    const double size = fmax(fabs(clock->begin), fabs(clock->end));
    const double least = (nextafter(size, (double)INFINITY) - size) / 4;
    double time = fmin(clock->begin + (tick + 1) / clock->ticks * (clock->end - clock->begin), clock->end);
    while (grzFrontClock_TickOf(clock, time) > tick)
        time = fmin(nextafter(time, -(double)INFINITY), time - least);
    return time;
}

double grzFrontClock_PlanTime(const FrontClock* clock, int side, double tick) {
    const FrontPace* pace = &clock->paces[side];
    return pace->number + floor((pace->begin + pace->rate * tick) / pace->plan->tick) * pace->plan->tick;
}

double grzFrontClock_FirstTick(const FrontClock* clock, int side, double at) {
    const FrontPace* pace = &clock->paces[side];
    const double wanted = at - pace->number;
    if (wanted > pace->begin + pace->rate * clock->ticks)
        return (double)INFINITY;
    if (pace->rate == 0)
        return 0;
    double tick = ceil((wanted - pace->begin) / pace->rate); // off by one at the most
    while (pace->begin + pace->rate * (tick - 1) >= wanted)
        --tick;
    while (pace->begin + pace->rate * tick < wanted)
        ++tick;
    return tick;
}
