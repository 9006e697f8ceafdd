// Which worker the calling thread is: for a function that is called in tasks as well as outside, and writes to a profile.
#ifndef GRAZE_BASE_TASK_WORKER_H
#define GRAZE_BASE_TASK_WORKER_H

#include "graze/tasks.h"

// Below grzTasks_WorkerCount; 0 for a thread that is not at work in `tasks`, and for NULL.
uint32_t grzTasks_Worker(const grzTasks* tasks);

#endif
