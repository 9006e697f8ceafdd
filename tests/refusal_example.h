// Included before an example's source (tests/CMakeLists.txt), which becomes a script (refusal_testing.h): its calls are noted, and so is
// what it prints. Its main is called NAME_main, for which there must be a prototype here.
#ifndef GRAZE_TESTS_REFUSAL_EXAMPLE_H
#define GRAZE_TESTS_REFUSAL_EXAMPLE_H

#include "graze/stage/leaf_triangles.h"
#include "graze/stage/pair_table.h"
#include "graze/stage/time_critical.h"
#include "graze/stage/upkeep_pairs.h"
#include "refusal_calls.h"

#include <stdio.h>

int coherent_fronts_main(void);
int collide_only_main(void);
int crowd_probe_main(void);
int falling_sheet_main(void);
int fast_bodies_main(void);
int folding_sheet_main(void);
int hello_main(void);
int likely_contacts_main(void);
int moving_mesh_main(void);
int own_step_main(void);
int nested_trees_main(void);
int rolling_sheet_main(void);
int sleep_until_main(void);
int trace_tasks_main(int count, char** arguments);
int what_touches_main(void);

#if defined(__GNUC__)
__attribute__((format(printf, 1, 2)))
#endif
int notePrinted(const char* format, ...);
// To stderr: not noted, as a script whose calls are refused says so.
int leavePrinted(FILE* file, const char* format, ...);
#define printf  notePrinted
#define fprintf leavePrinted

// Work takes no memory: the first block is enough. What is printed may be times, which must be the same in all runs.
grzProfileDef timelessProfileDef(void);
#define grzDefaultProfileDef() timelessProfileDef()
// What a budget of time leads to differs from run to run.
grzProbeBudget timelessBudget(void);
#define grzProbeScheduler_Run(scheduler, tasks, queries, importances, count, budget, answers)                      \
    (*(budget) = timelessBudget(),                                                                                 \
     CALL(grzProbeScheduler_Run(scheduler, tasks, queries, importances, count, budget, answers), true))
#define grzParallelFor(tasks, count, grain, items, context) grzParallelFor(tasks, grain, grain, items, context)

#endif
