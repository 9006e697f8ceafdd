// What: how every tree on a plan begins: what is wrong with its hierarchy, plan and time, and the memory of itself.
#ifndef GRAZE_KINETIC_PLAN_FLAW_H
#define GRAZE_KINETIC_PLAN_FLAW_H

#include "graze/bvh.h"
#include "graze/flightplan.h"

// NULL, or a sentence that names the field. Not looked at: whether the plan has vertices enough.
const char* grzPlan_FlawOfTree(const grzBvh* bvh, const grzFlightplan* plan, grzBvhNumbering numbering,
                               double startTime);

// The same of the time alone, as a def has it.
const char* grzPlan_FlawOfStart(const grzFlightplan* plan, double startTime);

// The time that a def means: NaN is where the plan begins.
double grzPlan_StartOf(const grzFlightplan* plan, double startTime);

// All zeros, of the def's allocator or the default one. NULL, and why in *result, where there is a flaw, the allocator is half of
// one, or memory is refused.
void* grzPlan_NewTree(const char* flaw, grzAllocator allocator, size_t size, size_t alignment, grzResult* result);

#endif
