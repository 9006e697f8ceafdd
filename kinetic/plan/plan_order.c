// What: which of two vertices is the higher one along an axis, and when the other one takes over: see plan_inside.h.
// Idea: the difference of two coordinates is estimated in double with a bound on what was rounded; where the estimate is below
//   the bound, it is summed exactly.
//
//   Between two keyframes the difference runs straight from A to B, so that it changes its sign at A / (A - B) of the interval.
//   On paths it is a parabola. Where that opens downwards, or is a line, "j is above" holds from some time on; where it opens
//   upwards, it is asked at its lowest point on the grid, and holds from some time on before that. Either way the first time is
//   between one where it does not hold and one where it does, and is found from a good guess by doubling and halving steps, with
//   exact signs.
// Cost: a few operations; many times as much where a sum is exact.
// Based on: [Zachmann and Weller 2006] section 8 and algorithm 3, for what is solved; theirs is in floating point.
#include <math.h>
#include <string.h>

#include "exact_sum.h"
#include "plan_inside.h"

static int signOf(double x) {
    return (x > 0) - (x < 0);
}

// ---- keyframes ----

typedef struct Ends { // of a difference, over an interval
    double a, b;
} Ends;

static double placeAt(const PlanFrame* frame, uint32_t vertex, int axis) {
    return (double)frame->positions[vertex * frame->stride + (size_t)axis];
}

static const PlanFrame* frameOf(const grzFlightplan* plan, double number) {
    return plan->frames.data + ((size_t)number - plan->firstFrame);
}

static int compareOnFrames(const grzFlightplan* plan, int axis, uint32_t i, uint32_t j, double at) {
    const double number = floor(at), part = at - number;
    const PlanFrame* frame = frameOf(plan, number);
    const double ai = placeAt(frame, i, axis), aj = placeAt(frame, j, axis);
    if (part == 0)
        return signOf(ai - aj);
    const double bi = placeAt(frame + 1, i, axis), bj = placeAt(frame + 1, j, axis);
    const double a = (1 - part) * (ai - aj), b = part * (bi - bj), sum = a + b;
    // Each difference, product and sum is off by 2^-53 of itself.
    if (fabs(sum) > 0x1p-51 * (fabs(a) + fabs(b)) || signOf(a) * signOf(b) >= 0)
        return signOf(sum);
    grzExactSum exact;
    memset(&exact, 0, sizeof exact);
    grzExactSum_AddProduct(&exact, ai, 1 - part);
    grzExactSum_AddProduct(&exact, -aj, 1 - part);
    grzExactSum_AddProduct(&exact, bi, part);
    grzExactSum_AddProduct(&exact, -bj, part);
    return grzExactSum_Sign(&exact);
}

// The first time in an interval at whose end j is above.
static double overtakesInInterval(const grzFlightplan* plan, int axis, uint32_t i, uint32_t j, double number,
                                  Ends ends) {
    const double steps = 1 / PLAN_FRAME_TICK;
    double step = fmin(fmax(floor(ends.a / (ends.a - ends.b) * steps) + 1, 1), steps);
    while (step < steps && compareOnFrames(plan, axis, i, j, number + step / steps) >= 0)
        ++step;
    while (step > 1 && compareOnFrames(plan, axis, i, j, number + (step - 1) / steps) < 0)
        --step;
    return number + step / steps;
}

static double overtakesOnFrames(const grzFlightplan* plan, int axis, uint32_t i, uint32_t j, double at) {
    const double last = grzPlan_End(plan);
    const PlanFrame* frame = frameOf(plan, floor(at));
    Ends ends = {0, placeAt(frame, i, axis) - placeAt(frame, j, axis)};
    for (double number = floor(at); number < last; ++number) {
        ++frame;
        ends.a = ends.b;
        ends.b = placeAt(frame, i, axis) - placeAt(frame, j, axis);
        if (ends.b < 0)
            return overtakesInInterval(plan, axis, i, j, number, ends);
    }
    return (double)INFINITY;
}

// ---- paths ----

// p + v h + c h h, h counted from `base`.
typedef struct Parabola {
    double base, p, v, c;
} Parabola;

typedef struct Race {
    Parabola i, j;
    double tick;
} Race;

static Parabola parabolaOf(const PlanPath* path, int axis) {
    return (Parabola){path->base, (double)path->position[axis], (double)path->velocity[axis],
                      0.5 * (double)path->acceleration[axis]};
}

// h in two parts of at most 29 bits, so that a float has exact products with both.
static void addSquare(grzExactSum* sum, double factor, double h) {
    const double head = (double)(float)h, tail = h - head;
    grzExactSum_AddProduct(sum, factor * head, h);
    grzExactSum_AddProduct(sum, factor * tail, h);
}

// The sign of i less j.
static int gapSign(const Race* race, double at) {
    const double hi = at - race->i.base, hj = at - race->j.base;
    const double vi = race->i.v * hi, vj = race->j.v * hj, ci = race->i.c * hi * hi, cj = race->j.c * hj * hj;
    const double gap = ((race->i.p - race->j.p) + (vi - vj)) + (ci - cj);
    const double size = ((fabs(race->i.p) + fabs(race->j.p)) + (fabs(vi) + fabs(vj))) + (fabs(ci) + fabs(cj));
    if (fabs(gap) > 0x1p-49 * size) // at most seven roundings of 2^-53 of no more than the size
        return signOf(gap);
    grzExactSum sum;
    memset(&sum, 0, sizeof sum);
    grzExactSum_AddProduct(&sum, race->i.p, 1);
    grzExactSum_AddProduct(&sum, race->j.p, -1);
    grzExactSum_AddProduct(&sum, race->i.v, hi);
    grzExactSum_AddProduct(&sum, -race->j.v, hj);
    addSquare(&sum, race->i.c, hi);
    addSquare(&sum, -race->j.c, hj);
    return grzExactSum_Sign(&sum);
}

// The sign of the slope of i less j, half a tick before `at`.
static int slopeSignBefore(const Race* race, double at) {
    grzExactSum sum;
    memset(&sum, 0, sizeof sum);
    grzExactSum_AddProduct(&sum, race->i.v, 1);
    grzExactSum_AddProduct(&sum, race->j.v, -1);
    grzExactSum_AddProduct(&sum, 2 * race->i.c, at - race->i.base);
    grzExactSum_AddProduct(&sum, -2 * race->j.c, at - race->j.base);
    grzExactSum_AddProduct(&sum, -race->i.c, race->tick);
    grzExactSum_AddProduct(&sum, race->j.c, race->tick);
    return grzExactSum_Sign(&sum);
}

typedef bool HoldsFn(const Race* race, double at);

static bool isOvertaken(const Race* race, double at) {
    return gapSign(race, at) < 0;
}

static bool rises(const Race* race, double at) {
    return slopeSignBefore(race, at) >= 0;
}

// The first time at which `holds`, which does from some time on: not at `low`, and at `high`. The guess may be any number.
static double firstTime(const Race* race, HoldsFn* holds, double low, double high, double guess) {
    double step = race->tick;
    guess = floor(guess / race->tick) * race->tick;
    while (guess > low && guess < high) {
        const bool isLate = holds(race, guess);
        *(isLate ? &high : &low) = guess;
        if (high - low <= race->tick)
            return high;
        guess = isLate ? guess - step : guess + step;
        step *= 2;
    }
    while (high - low > race->tick) {
        const double middle = low + floor((high - low) / race->tick / 2) * race->tick;
        *(holds(race, middle) ? &high : &low) = middle;
    }
    return high;
}

// Where a line or a parabola through gap, with slope and half its bend, first comes to 0 from above; NaN or any number where it
// does not.
static double guessZero(double gap, double slope, double bend) {
    if (bend == 0)
        return -gap / slope;
    const double root = sqrt(slope * slope - 4 * bend * gap);
    return slope < 0 ? 2 * gap / (-slope + root) : (-slope - root) / (2 * bend);
}

static double overtakesOnPaths(const Race* race, double at, double limit) {
    const double hi = at - race->i.base, hj = at - race->j.base;
    const double bend = race->i.c - race->j.c;
    const double slope = (race->i.v - race->j.v) + 2 * (race->i.c * hi - race->j.c * hj);
    const double gap =
        ((race->i.p - race->j.p) + (race->i.v * hi - race->j.v * hj)) + (race->i.c * hi * hi - race->j.c * hj * hj);
    double end = limit - race->tick;
    if (at >= end)
        return (double)INFINITY;
    if (bend > 0) { // to its lowest point on the grid
        if (rises(race, at + race->tick))
            return (double)INFINITY;
        if (rises(race, end))
            end = firstTime(race, rises, at + race->tick, end, at - slope / (2 * bend)) - race->tick;
    }
    if (!isOvertaken(race, end))
        return (double)INFINITY;
    return firstTime(race, isOvertaken, at, end, at + guessZero(gap, slope, bend));
}

// ---- either ----

static Race raceOf(const grzFlightplan* plan, int axis, uint32_t i, uint32_t j) {
    return (Race){parabolaOf(&plan->paths.data[i], axis), parabolaOf(&plan->paths.data[j], axis), plan->tick};
}

int grzPlan_Compare(const grzFlightplan* plan, int axis, uint32_t i, uint32_t j, double at) {
    if (plan->kind == grz_planKeyframes)
        return compareOnFrames(plan, axis, i, j, at);
    const Race race = raceOf(plan, axis, i, j);
    return gapSign(&race, at);
}

double grzPlan_Overtakes(const grzFlightplan* plan, int axis, uint32_t i, uint32_t j, double at) {
    if (plan->kind == grz_planKeyframes)
        return overtakesOnFrames(plan, axis, i, j, at);
    const Race race = raceOf(plan, axis, i, j);
    return overtakesOnPaths(&race, at, plan->timeLimit);
}
