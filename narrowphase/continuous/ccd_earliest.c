// What: graze/ccd_earliest.h.
// Idea: workers share a time before or at which some pair touches. A pair that cannot touch up to then is passed over; another one is
//   decided, and may make that time less. A block of pairs keeps its own best, and blocks are compared in order at the end.
// Holds: the answer is the least of a total order, of which no member is passed over; so it does not depend on who found what when.
//   What is passed over for some time is so for every earlier one: what is computed of a line in time is monotone, as rounding
//   is. That makes doubtful pairs, too, the same for all: they are looked for once the time is known.
// Cost: a pair that is passed over is read once.
// Based on: [Mirtich, Impulse-based Dynamic Simulation, 1996], who keeps pairs in a heap by a bound of when; here each is bounded once.
#include "graze/ccd_earliest.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "ccd_query.h"
#include "float_modes.h"
#include "refuse_null.h"
#include "result_make.h"

enum { AXES = 3, NOBODY = -1, MOST_BLOCKS = 256 }; // MOST_BLOCKS: of grzDefaultGrain

typedef struct Best {
    int64_t pair; // NOBODY: none
    CcdWhen when;
    // with one of the same cell, or what it came before is: more bits than there are would tell which is first
    bool isTied;
} Best;

typedef struct Search {
    const grzCcdMotion* motion;
    const grzCcdPairs* pairs;
    uint32_t grain;
    // the bits of a time at or before which some pair touches; those of doubles that are not negative are in order
    _Atomic uint64_t until;
    _Atomic bool isDoubtful;
    Best best[MOST_BLOCKS];
} Search;

static uint64_t bitsOf(double time) {
    uint64_t bits;
    memcpy(&bits, &time, sizeof bits);
    return bits;
}

static double timeOf(uint64_t bits) {
    double time;
    memcpy(&time, &bits, sizeof time);
    return time;
}

// The order is that of the other workers' luck alone, so that the weakest will do.
static double untilWhen(Search* search) {
    return timeOf(atomic_load_explicit(&search->until, memory_order_relaxed));
}

static void lowerUntil(Search* search, double time) {
    uint64_t now = atomic_load_explicit(&search->until, memory_order_relaxed);
    const uint64_t bits = bitsOf(time);
    while (bits < now && !atomic_compare_exchange_weak_explicit(&search->until, &now, bits, memory_order_relaxed,
                                                                memory_order_relaxed)) {
    }
}

// ---- passing over ----

// Corners along some direction, of a fixed size of what rounding may do to them.
typedef struct Lines {
    double start[CCD_CORNERS], rise[CCD_CORNERS];
    double error;
    int count;
} Lines;

// Whether all are on one side from 0 to a time: at both, and so between.
static bool areAway(const Lines* lines, double until, double side) {
    for (int k = 0; k < lines->count; ++k) {
        const double first = side * lines->start[k], last = side * (lines->start[k] + until * lines->rise[k]);
        if (!(first > lines->error && last > lines->error))
            return false;
    }
    return true;
}

static void makeLines(const CcdPolygon* polygon, int axis, Lines* lines) {
    double size = 0;
    lines->count = polygon->cornerCount;
    for (int k = 0; k < polygon->cornerCount; ++k) {
        const int a = polygon->first[k], b = polygon->second[k];
        const double start = polygon->points[0][a][axis] - polygon->points[0][b][axis];
        const double end = polygon->points[1][a][axis] - polygon->points[1][b][axis];
        lines->start[k] = start;
        lines->rise[k] = end - start;
        size = fmax(size, fmax(fabs(start), fabs(end)));
    }
    lines->error = 0x1p-49 * size + 0x1p-1000;
}

// Along the sum of all corners.
static void makeMean(const Lines axes[AXES], Lines* lines) {
    double error = 0;
    *lines = (Lines){.count = axes[0].count};
    for (int axis = 0; axis < AXES; ++axis) {
        double sum = 0, size = 0;
        for (int k = 0; k < lines->count; ++k) {
            sum += 2 * axes[axis].start[k] + axes[axis].rise[k];
            size = fmax(size, fmax(fabs(axes[axis].start[k]), fabs(axes[axis].rise[k])));
        }
        for (int k = 0; k < lines->count; ++k) {
            lines->start[k] += sum * axes[axis].start[k];
            lines->rise[k] += sum * axes[axis].rise[k];
        }
        error += fabs(sum) * size;
    }
    lines->error = 0x1p-47 * error + 0x1p-1000;
}

// What overflows is a NaN or an infinity somewhere: the comparisons are false, or the error is infinite.
static bool isPassedOver(const grzCcdQuery* query, double until) {
    const CcdPolygon polygon = ccdPolygon(query);
    Lines axes[AXES], mean;
    for (int axis = 0; axis < AXES; ++axis) {
        makeLines(&polygon, axis, &axes[axis]);
        if (areAway(&axes[axis], until, 1) || areAway(&axes[axis], until, -1))
            return true;
    }
    makeMean(axes, &mean);
    return areAway(&mean, until, 1);
}

// ---- searching ----

static grzCcdQuery queryOf(const Search* search, int64_t pair) {
    return grzCcdMotion_Query(search->motion, search->pairs->kind, search->pairs->vertices + 4 * (size_t)pair);
}

static bool isUnsure(const Best* best) {
    return best->when.verdict == ccd_unknown || !best->when.isTimed;
}

static bool shareCell(const Best* a, const Best* b) {
    return a->when.span.t0 == b->when.span.t0 && a->when.span.t1 == b->when.span.t1;
}

// Keeps the one of two that comes first; where both come at once the best stays. Both are certain, and have a time. What is tied with
// either may still be before both, as long as all are in one cell. What shares the cell of the last best is always met, so that
// ties, too, are the same for all.
static bool takeBetter(const Search* search, const Best* other, Best* best) {
    grzCertainty certainty = grz_exact;
    int order = -1;
    bool isTied = false;
    if (best->pair != NOBODY) {
        const grzCcdQuery a = queryOf(search, other->pair), b = queryOf(search, best->pair);
        order = grzCcdQuery_Compare(&a, &other->when, &b, &best->when, &certainty);
        isTied = certainty != grz_exact || (shareCell(other, best) && (other->isTied || best->isTied));
    }
    if (order < 0)
        *best = *other;
    best->isTied = best->isTied || isTied;
    return order < 0;
}

// Whether a pair may touch before what is best so far, and when.
static bool mayTouch(Search* search, uint32_t pair, Best* when) {
    const grzCcdQuery query = queryOf(search, pair);
    if (isPassedOver(&query, untilWhen(search)))
        return false;
    *when = (Best){pair, grzCcdQuery_When(&query, GRZ_CCD_DEPTH), false};
    return when->when.verdict != ccd_apart;
}

static void searchBlock(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    (void)worker;
    Search* search = context;
    Best* best = &search->best[begin / search->grain];
    for (uint32_t i = begin; i < end; ++i) {
        Best other;
        if (!mayTouch(search, i, &other))
            continue;
        if (isUnsure(&other)) {
            atomic_store_explicit(&search->isDoubtful, true, memory_order_relaxed);
        } else if (other.when.span.t0 <= untilWhen(search) && takeBetter(search, &other, best)) {
            lowerUntil(search, other.when.span.t1);
        }
    }
}

static Best bestOf(const Search* search, uint32_t blocks) {
    Best best = {.pair = NOBODY};
    for (uint32_t i = 0; i < blocks; ++i)
        if (search->best[i].pair != NOBODY)
            takeBetter(search, &search->best[i], &best);
    return best;
}

// The first of the pairs that may touch before a time, for all that can be told.
static void searchDoubtful(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    (void)worker;
    Search* search = context;
    Best* best = &search->best[begin / search->grain];
    for (uint32_t i = begin; i < end; ++i) {
        Best other;
        if (mayTouch(search, i, &other) && isUnsure(&other)) {
            *best = other;
            return;
        }
    }
}

static void clear(Search* search) {
    for (int i = 0; i < MOST_BLOCKS; ++i)
        search->best[i].pair = NOBODY;
}

// A certain touch at 0 of an earlier pair stays before it.
static Best withDoubtful(Search* search, grzTasks* tasks, Best sure) {
    clear(search);
    grzParallelFor(tasks, search->pairs->count, search->grain, searchDoubtful, search);
    for (int i = 0; i < MOST_BLOCKS; ++i) {
        const Best* doubtful = &search->best[i];
        if (doubtful->pair == NOBODY)
            continue;
        return sure.pair != NOBODY && sure.when.span.t1 == 0 && sure.pair < doubtful->pair ? sure : *doubtful;
    }
    return sure;
}

static grzResult findEarliest(const grzCcdMotion* motion, grzTasks* tasks, const grzCcdPairs* pairs,
                              grzCcdEarliest* earliest) {
    Search search = {.motion = motion, .pairs = pairs, .grain = grzDefaultGrain(pairs->count)};
    atomic_init(&search.until, bitsOf(1));
    atomic_init(&search.isDoubtful, false);
    clear(&search);
    grzParallelFor(tasks, pairs->count, search.grain, searchBlock, &search);
    Best best = bestOf(&search, MOST_BLOCKS);
    if (atomic_load(&search.isDoubtful))
        best = withDoubtful(&search, tasks, best);
    if (best.pair == NOBODY)
        return grzOk();
    const grzCcdQuery query = queryOf(&search, best.pair);
    const grzResult found = grzCcd_FindImpact(&query, 0, &earliest->impact);
    earliest->isFound = true;
    earliest->pair = (uint32_t)best.pair;
    if (isUnsure(&best) || best.isTied) // where only when is not known, too
        earliest->impact.certainty = grz_conservative;
    return found;
}

grzResult grzCcdMotion_FindEarliest(const grzCcdMotion* motion, grzTasks* tasks, const grzCcdPairs* pairs,
                                    grzCcdEarliest* earliest) {
    GRZ_REFUSE_NULL(motion, 1);
    if (earliest == NULL)
        return grzBecause(grzFail(grz_badArgument, 4), "there is no place for the answer");
    memset(earliest, 0, sizeof *earliest);
    earliest->impact.t0 = earliest->impact.t1 = 1;
    grzResult result = grzCcdPairs_Check(motion, pairs);
    if (!grzResult_IsOk(result))
        return result;
    const uint64_t modes = grzFloatModes_KeepSmall();
    result = findEarliest(motion, tasks, pairs, earliest);
    grzFloatModes_Set(modes);
    return result;
}
