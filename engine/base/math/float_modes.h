// The processor's modes of floating-point arithmetic, which each thread has of its own: rounding, and whether numbers below the normal
// ones are taken for 0 when they are read or written.
//
//   const uint64_t before = grzFloatModes_KeepSmall();
//   ...                                                // such numbers are numbers here, whatever the host has set
//   grzFloatModes_Set(before);
//
// On processors that are not known here nothing is read or set.
#ifndef GRAZE_BASE_FLOAT_MODES_H
#define GRAZE_BASE_FLOAT_MODES_H

#include <stdint.h>

#if defined(__SSE2__)
#    include <xmmintrin.h>
#    define GRZ_FLOAT_FLAGS    0x3Fu // what has happened so far: no modes
#    define GRZ_FLUSHING_MODES 0x8040u
#elif defined(__aarch64__)
#    define GRZ_FLUSHING_MODES (UINT64_C(1) << 24)
#endif

static inline uint64_t grzFloatModes_Get(void) {
#if defined(__SSE2__)
    return _mm_getcsr() & ~GRZ_FLOAT_FLAGS;
#elif defined(__aarch64__)
    uint64_t modes;
    __asm__ volatile("mrs %0, fpcr" : "=r"(modes));
    return modes;
#else
    return 0;
#endif
}

// Costs some cycles where the modes are these already.
static inline void grzFloatModes_Set(uint64_t modes) {
    if (modes == grzFloatModes_Get())
        return;
#if defined(__SSE2__)
    _mm_setcsr((uint32_t)modes | (_mm_getcsr() & GRZ_FLOAT_FLAGS));
#elif defined(__aarch64__)
    __asm__ volatile("msr fpcr, %0" : : "r"(modes) : "memory");
#endif
}

// Numbers below the normal ones are numbers from here on. Returns what Set takes back.
static inline uint64_t grzFloatModes_KeepSmall(void) {
    const uint64_t before = grzFloatModes_Get();
#if defined(GRZ_FLUSHING_MODES)
    grzFloatModes_Set(before & ~(uint64_t)GRZ_FLUSHING_MODES);
#endif
    return before;
}

#endif
