// What: see profile_clock.h.
#include "profile_clock.h"

#include "clock.h"

#if GRZ_TICK_COUNTER && !defined(__aarch64__)
#    include <cpuid.h>

bool grzHasSteadyTicks(void) {
    unsigned a, b, c, d;
    return __get_cpuid(0x80000007u, &a, &b, &c, &d) != 0 && (d >> 8 & 1) != 0;
}
#else
bool grzHasSteadyTicks(void) {
    return GRZ_TICK_COUNTER != 0;
}
#endif

// The true clock between two reads of the fast one; of a few tries the tightest, as an interrupt may fall between.
grzTimePair grzReadTimePair(void) {
    grzTimePair best = {0, 0};
    uint64_t tightest = UINT64_MAX;
    for (int i = 0; i < 3; ++i) {
        uint64_t before = grzReadTicks();
        uint64_t nanoseconds = grzMonotonicNanoseconds();
        uint64_t gap = grzReadTicks() - before;
        if (gap < tightest) {
            tightest = gap;
            best = (grzTimePair){before + gap / 2, nanoseconds};
        }
    }
    return best;
}

grzTimeLine grzTimeLine_Start(grzTimePair pair) {
    return (grzTimeLine){.first = pair, .start = pair.nanoseconds, .newestTicks = pair.ticks, .perTick = 1.0};
}

grzTimeLine grzTimeLine_Measure(void) {
    grzTimeLine line = grzTimeLine_Start(grzReadTimePair());
    grzTimePair pair;
    do {
        pair = grzReadTimePair();
    } while (pair.nanoseconds - line.start < 50000);
    grzTimeLine_Extend(&line, pair);
    return line;
}

void grzTimeLine_Extend(grzTimeLine* line, grzTimePair pair) {
    if (pair.ticks < line->newestTicks)
        line->first = pair; // the rate is kept
    else if (pair.ticks > line->first.ticks && pair.nanoseconds > line->first.nanoseconds)
        line->perTick =
            (double)(pair.nanoseconds - line->first.nanoseconds) / (double)(pair.ticks - line->first.ticks);
    line->newestTicks = pair.ticks;
}

// A double holds every count of ticks of a month to the tick, and rounds by less than a nanosecond for years.
uint64_t grzTimeLine_Length(const grzTimeLine* line, uint64_t ticks) {
    return (uint64_t)((double)ticks * line->perTick + 0.5);
}

uint64_t grzTimeLine_Moment(const grzTimeLine* line, uint64_t ticks) {
    uint64_t since = ticks > line->first.ticks ? ticks - line->first.ticks : 0;
    return line->first.nanoseconds - line->start + grzTimeLine_Length(line, since);
}
