// The one clock of the engine and its programs.
#ifndef GRAZE_BASE_CLOCK_H
#define GRAZE_BASE_CLOCK_H

#include "graze/config.h"

// Nanoseconds since some fixed moment. Never goes back, unless the system has no monotonic clock; any thread. Some
// 20 ns a call.
uint64_t grzMonotonicNanoseconds(void);

#endif
