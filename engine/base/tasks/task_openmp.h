// OpenMP's threads as the workers of a grzTasks; without GRAZE_OPENMP there are none, and such a grzTasks is refused.
#ifndef GRAZE_BASE_TASK_OPENMP_H
#define GRAZE_BASE_TASK_OPENMP_H

#include "task_queue.h"

bool grzHasOpenMp(void);

// The host of a grzTasks whose workers are OpenMP's.
grzTaskHost grzTeam_Host(grzTasks* tasks);

// grzTasks_Share for a job from outside, with a team of threads around it.
void grzTeam_Share(grzTasks* tasks, grzSeat* seat, grzJob* job);

#endif
