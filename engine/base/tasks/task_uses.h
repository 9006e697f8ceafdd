// The worlds that run on tasks.
#ifndef GRAZE_BASE_TASK_USES_H
#define GRAZE_BASE_TASK_USES_H

#include "graze/tasks.h"
#include "uses.h"

// NULL for NULL.
grzUses* grzTasks_Uses(grzTasks* tasks);

#endif
