// Keeps idle workers awake between the loops of one step.
#ifndef GRAZE_BASE_TASK_AWAKE_H
#define GRAZE_BASE_TASK_AWAKE_H

#include "graze/tasks.h"

// Between these two an idle worker looks about for a fifth of a millisecond before it sleeps, ten times as long as else; after the first
// tenth of that it lets go first whoever needs its core. To sleep and be woken costs some 7 us on either side, and a step is a hundred
// loops with serial stretches between them. Nests; any thread; NULL: nothing.
void grzTasks_StayAwake(grzTasks* tasks);
void grzTasks_MaySleep(grzTasks* tasks);

#endif
