// What: the profiler for stage code: macros, and counters that are registered together. The macros vanish where GRAZE_PROFILE is not
// defined, and cost one branch where the profile is NULL.
//
//   void grzFindPairs(..., grzProfile* profile, uint32_t worker) {
//       GRZ_ZONE_BEGIN(zone, profile, grz_stageBroad, "find pairs", worker);
//       ...
//       GRZ_COUNT(profile, worker, tests, tested);
//       GRZ_ZONE_END(zone);
//   }
//
// BEGIN declares `zone`, so that zones nest under names of their own; END must be reached on every way out. The
// name must be a literal: the profile keeps the pointer. Times of a hundred nanoseconds and more are worth a zone;
// count once a block, not once an item.
#ifndef GRAZE_BASE_PROFILE_ZONE_H
#define GRAZE_BASE_PROFILE_ZONE_H

#include "graze/profile.h"

// grzProfile_RegisterCounter for several names: all are registered, or none.
grzResult grzProfile_RegisterCounters(grzProfile* profile, const char* const* names, size_t count,
                                      grzCounter* counters);

#if defined(GRAZE_PROFILE)

#    define GRZ_ZONE_BEGIN(zone, profileArgument, stage, literal, worker)                                          \
        grzZone zone;                                                                                              \
        zone.profile = (profileArgument);                                                                          \
        (zone.profile != NULL ? grzProfile_BeginZone(zone.profile, (stage), "" literal "", (worker), &zone)        \
                              : (void)0)

#    define GRZ_ZONE_END(zone) ((zone).profile != NULL ? grzProfile_EndZone(&(zone)) : (void)0)

#    define GRZ_COUNT(profile, worker, counter, n)                                                                 \
        ((profile) != NULL ? grzProfile_Count((profile), (worker), (counter), (n)) : (void)0)

#else

// sizeof evaluates nothing and keeps the arguments in use, so that no warning depends on the option.
#    define GRZ_ZONE_BEGIN(zone, profile, stage, literal, worker)                                                  \
        ((void)sizeof((profile) == NULL), (void)sizeof(stage), (void)sizeof("" literal ""), (void)sizeof(worker))
#    define GRZ_ZONE_END(zone) ((void)0)
#    define GRZ_COUNT(profile, worker, counter, n)                                                                 \
        ((void)sizeof((profile) == NULL), (void)sizeof(worker), (void)sizeof(counter), (void)sizeof(n))

#endif

#endif
