// What: reads the system's monotonic clock.
#define _POSIX_C_SOURCE 200809L // clock_gettime
#include "clock.h"

#include <time.h>

uint64_t grzMonotonicNanoseconds(void) {
    struct timespec now;
#if defined(CLOCK_MONOTONIC)
    clock_gettime(CLOCK_MONOTONIC, &now);
#else
    timespec_get(&now, TIME_UTC);
#endif
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}
