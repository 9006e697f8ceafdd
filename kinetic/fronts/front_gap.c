// What: see front_gap.h.
// Idea: between two ticks at which the answer differs, and where it changes once, the first tick is found from a
//   good guess by doubling and halving steps, with exact signs. A gap of straight motions changes its sign once. A
//   bent gap is a parabola. If it opens away from the wanted answer, it is computed at its peak on the grid first.
//   If the answer holds there, it begins to hold at one tick before the peak.
// Cost: a few operations; many times as much where a sum is exact.
#include "front_gap.h"

#include <string.h>

#include "exact_sum.h"

typedef struct Value { // near a coordinate; size: the sum of the sizes of its terms
    double value, size;
} Value;

static inline Value valueBetween(const FrontPace* pace, uint32_t vertex, int axis, double w) {
    const double a = (1 - w) * (double)pace->from[vertex * pace->fromStride + (size_t)axis];
    const double b = w * (double)pace->to[vertex * pace->toStride + (size_t)axis];
    return (Value){a + b, fabs(a) + fabs(b)};
}

static inline Value valueOf(const FrontPace* pace, uint32_t vertex, int axis, double tick) {
    const double w = pace->begin + pace->rate * tick;
    if (pace->from != NULL)
        return valueBetween(pace, vertex, axis, w);
    const PlanPath* path = &pace->plan->paths.data[vertex];
    const double h = w - path->base, p = (double)path->position[axis], v = (double)path->velocity[axis] * h;
    const double c = 0.5 * (double)path->acceleration[axis] * h * h;
    return (Value){p + v + c, fabs(p) + fabs(v) + fabs(c)};
}

// ---- exactly ----

// factor is 1 or -1. h in two parts of at most 29 bits, so that half a float has exact products with both.
static void addTerms(grzExactSum* sum, const FrontPace* pace, uint32_t vertex, int axis, double tick,
                     double factor) {
    const double w = pace->begin + pace->rate * tick;
    if (pace->from != NULL) {
        grzExactSum_AddProduct(sum, factor * (double)pace->from[vertex * pace->fromStride + (size_t)axis], 1 - w);
        grzExactSum_AddProduct(sum, factor * (double)pace->to[vertex * pace->toStride + (size_t)axis], w);
        return;
    }
    const PlanPath* path = &pace->plan->paths.data[vertex];
    const double h = w - path->base, head = (double)(float)h, tail = h - head;
    const double c = factor * 0.5 * (double)path->acceleration[axis];
    grzExactSum_AddProduct(sum, factor * (double)path->position[axis], 1);
    grzExactSum_AddProduct(sum, factor * (double)path->velocity[axis], h);
    grzExactSum_AddProduct(sum, c * head, h);
    grzExactSum_AddProduct(sum, c * tail, h);
}

static void addGap(grzExactSum* sum, const FrontGap* gap, double tick, double factor) {
    addTerms(sum, gap->low, gap->lowVertex, gap->axis, tick, factor);
    addTerms(sum, gap->up, gap->upVertex, gap->axis, tick, -factor);
}

static bool isApartExactly(const FrontGap* gap, double tick) {
    grzExactSum sum;
    memset(&sum, 0, sizeof sum);
    addGap(&sum, gap, tick, 1);
    return grzExactSum_Sign(&sum) > 0;
}

static inline bool isApart(const FrontGap* gap, double tick, Value low, Value up) {
    const double apart = low.value - up.value;
    // At most nine roundings of 2^-53 of no more than the size.
    return fabs(apart) > 0x1p-49 * (low.size + up.size) ? apart > 0 : isApartExactly(gap, tick);
}

bool grzFrontGap_IsApart(const FrontGap* gap, double tick) {
    return isApart(gap, tick, valueOf(gap->low, gap->lowVertex, gap->axis, tick),
                   valueOf(gap->up, gap->upVertex, gap->axis, tick));
}

uint32_t grzFrontGap_FindApart(const FrontGap gaps[6], double tick) {
    const FrontPace *a = gaps[0].low, *b = gaps[0].up;
    const double wA = a->begin + a->rate * tick, wB = b->begin + b->rate * tick;
    uint32_t apart = 0;
    for (uint32_t i = 0; i < 6; ++i) {
        const FrontGap* gap = &gaps[i];
        if (a->from == NULL || b->from == NULL) {
            apart |= (uint32_t)grzFrontGap_IsApart(gap, tick) << i;
            continue;
        }
        const Value low = valueBetween(gap->low, gap->lowVertex, gap->axis, i < 3 ? wA : wB);
        const Value up = valueBetween(gap->up, gap->upVertex, gap->axis, i < 3 ? wB : wA);
        apart |= (uint32_t)isApart(gap, tick, low, up) << i;
    }
    return apart;
}

// ---- the first tick ----

typedef struct Search {
    const FrontGap* gap;
    bool isApart; // what is looked for
} Search;

typedef bool HoldsFn(const Search* search, double tick);

static bool hasChanged(const Search* search, double tick) {
    return grzFrontGap_IsApart(search->gap, tick) == search->isApart;
}

// Whether the gap went on in the wrong direction since the tick before.
static bool hasTurned(const Search* search, double tick) {
    grzExactSum sum;
    memset(&sum, 0, sizeof sum);
    addGap(&sum, search->gap, tick, 1);
    addGap(&sum, search->gap, tick - 1, -1);
    const int sign = grzExactSum_Sign(&sum);
    return search->isApart ? sign < 0 : sign > 0;
}

// The first tick at which `holds`, which does from some tick on: not at `low`, and at `high`. The guess may be any number.
static double firstTick(const Search* search, HoldsFn* holds, double low, double high, double guess) {
    double step = 1;
    guess = floor(guess);
    while (guess > low && guess < high) {
        const bool isLate = holds(search, guess);
        *(isLate ? &high : &low) = guess;
        if (high - low <= 1)
            return high;
        guess = isLate ? guess - step : guess + step;
        step *= 2;
    }
    while (high - low > 1) {
        const double middle = low + floor((high - low) / 2);
        *(holds(search, middle) ? &high : &low) = middle;
    }
    return high;
}

static double accelerationOf(const FrontPace* pace, uint32_t vertex, int axis) {
    return pace->from != NULL ? 0 : (double)pace->plan->paths.data[vertex].acceleration[axis];
}

// The sign is exact: accelerations of two plans are per second only where both have one.
static double bendOf(const FrontGap* gap) {
    return accelerationOf(gap->low, gap->lowVertex, gap->axis) - accelerationOf(gap->up, gap->upVertex, gap->axis);
}

static double valueAt(const FrontGap* gap, double tick) {
    return valueOf(gap->low, gap->lowVertex, gap->axis, tick).value -
           valueOf(gap->up, gap->upVertex, gap->axis, tick).value;
}

// What a coordinate gains in a tick, near enough for a guess.
static double slopeOf(const FrontPace* pace, uint32_t vertex, int axis, double tick) {
    if (pace->from != NULL)
        return pace->rate * ((double)pace->to[vertex * pace->toStride + (size_t)axis] -
                             (double)pace->from[vertex * pace->fromStride + (size_t)axis]);
    const PlanPath* path = &pace->plan->paths.data[vertex];
    const double h = pace->begin + pace->rate * tick - path->base;
    return pace->rate * ((double)path->velocity[axis] + (double)path->acceleration[axis] * h);
}

typedef struct Parabola { // gap + slope t + square t t, from a tick on
    double gap, slope, square;
} Parabola;

static Parabola parabolaOf(const FrontGap* gap, double tick) {
    const FrontPace* bent = gap->low->from == NULL ? gap->low : gap->up;
    return (Parabola){valueAt(gap, tick),
                      slopeOf(gap->low, gap->lowVertex, gap->axis, tick) -
                          slopeOf(gap->up, gap->upVertex, gap->axis, tick),
                      0.5 * bendOf(gap) * bent->rate * bent->rate};
}

// Where it next comes to 0; any number where it does not.
static double guessZero(const Parabola* of) {
    if (of->square == 0)
        return -of->gap / of->slope;
    const double root = sqrt(of->slope * of->slope - 4 * of->square * of->gap);
    const double half = of->slope > 0 ? -of->slope - root : -of->slope + root; // no difference of two near numbers
    const double a = half / (2 * of->square), b = 2 * of->gap / half;
    return a > 0 && (a < b || !(b > 0)) ? a : b;
}

double grzFrontGap_Changes(const FrontGap* gap, bool isApart, double tick, double end) {
    const Search search = {gap, !isApart};
    if (end <= tick || (gap->low->from != NULL && gap->up->from != NULL && !hasChanged(&search, end)))
        return (double)INFINITY;
    const Parabola of = parabolaOf(gap, tick);
    if (isApart ? of.square > 0 : of.square < 0) { // up to its peak on the grid
        if (hasTurned(&search, tick + 1))
            return (double)INFINITY;
        if (hasTurned(&search, end))
            end = firstTick(&search, hasTurned, tick + 1, end, tick - of.slope / (2 * of.square)) - 1;
    }
    if (!hasChanged(&search, end))
        return (double)INFINITY;
    return firstTick(&search, hasChanged, tick, end, tick + guessZero(&of));
}
