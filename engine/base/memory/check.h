// Checks of our own making, in two tiers, and the way to the host's log.
//
//   GRZ_ASSERT    cheap (a compare or two). On in every build but release.
//   GRZ_VALIDATE  dear (walks a structure). On in debug and the sanitizer builds.
//
// Neither has a side effect, so the answers are the same with and without. Bad input is never asserted: it is
// a grzResult.
#ifndef GRAZE_BASE_CHECK_H
#define GRAZE_BASE_CHECK_H

#include "graze/host.h"

// Calls the assert hook.
void grzAssertFailed(const char* condition, const char* file, int line);

// Formats one sentence (at most 511 characters) and calls the log hook.
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void grzLog(grzLogLevel level, const char* format, ...);

// It takes the # of a macro for a directive's.
// clang-format off
#if defined(GRAZE_ASSERTS)
#    define GRZ_ASSERT(condition) ((condition) ? (void)0 : grzAssertFailed(#condition, __FILE__, __LINE__))
#else
#    define GRZ_ASSERT(condition) ((void)sizeof((condition) ? 1 : 0))
#endif

#if defined(GRAZE_VALIDATION)
#    define GRZ_VALIDATE(condition) ((condition) ? (void)0 : grzAssertFailed(#condition, __FILE__, __LINE__))
#else
#    define GRZ_VALIDATE(condition) ((void)sizeof((condition) ? 1 : 0))
#endif
// clang-format on

#endif
