// What: the profiler's two clocks, a fast one that counts ticks and a true one in nanoseconds, and the line that is
// drawn between them.
//
// Idea: the monotonic clock costs some 20 ns to read and the time stamp counter half of that or less, so zones are
// stamped with ticks, and a pair of readings now and then tells what a tick is worth. The line runs from the first
// pair to the newest one: its error is that of two pairs (some 50 ns) over the whole age, and shrinks as it grows.
//
// Promise: later ticks never map to earlier nanoseconds, so spans that nest in ticks nest in nanoseconds.
//
// Limits: only a counter that the processor declares invariant is used (x86: CPUID 80000007h EDX bit 8; ARMv8's
// generic timer always is, but may tick as slowly as every 40 ns). The reads are not fenced: neighbouring
// instructions may slip past by tens of cycles. Invariant is not yet equal on all cores, though it is on every
// machine whose kernel itself keeps time by it: elsewhere spans over several workers err by what the cores differ.
// A counter that went back (the machine slept) starts a new line.
#ifndef GRAZE_BASE_PROFILE_CLOCK_H
#define GRAZE_BASE_PROFILE_CLOCK_H

#include "graze/config.h"

#if defined(__GNUC__) && (defined(__x86_64__) || defined(__i386__))
#    define GRZ_TICK_COUNTER 1
static inline uint64_t grzReadTicks(void) {
    return __builtin_ia32_rdtsc();
}
#elif defined(__GNUC__) && defined(__aarch64__)
#    define GRZ_TICK_COUNTER 1
static inline uint64_t grzReadTicks(void) {
    uint64_t ticks;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
}
#else
#    define GRZ_TICK_COUNTER 0
static inline uint64_t grzReadTicks(void) {
    return 0;
}
#endif

// Whether grzReadTicks runs at a constant rate on this machine.
bool grzHasSteadyTicks(void);

// A reading of both clocks at (nearly) one moment.
typedef struct grzTimePair {
    uint64_t ticks, nanoseconds;
} grzTimePair;

grzTimePair grzReadTimePair(void);

// The line. All from `first`; nanoseconds count from the start.
typedef struct grzTimeLine {
    grzTimePair first;
    uint64_t start;       // the monotonic clock's reading that is 0 here
    uint64_t newestTicks; // of the last pair
    double perTick;       // nanoseconds
} grzTimeLine;

grzTimeLine grzTimeLine_Start(grzTimePair pair); // a nanosecond a tick, for clocks of which that is true
grzTimeLine grzTimeLine_Measure(void);           // from now on, after watching both clocks for 50 us
void grzTimeLine_Extend(grzTimeLine* line, grzTimePair pair);

// A length, and a moment (ticks before the line's first map to that one's time).
uint64_t grzTimeLine_Length(const grzTimeLine* line, uint64_t ticks);
uint64_t grzTimeLine_Moment(const grzTimeLine* line, uint64_t ticks);

#endif
