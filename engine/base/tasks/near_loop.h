// What: a parallel loop whose blocks go to the same workers each time, as far as these are free.
// Promise: that of grzParallelFor (graze/tasks.h): the same blocks, each once. So what a worker has written in one loop it finds in
//   its own cache in the next, where loops run over the same items again and again.
// Idea: the blocks are shared out in as many stretches as there are workers. A worker takes the blocks of its own stretch one by
//   one, and then those that are left in the others'.
//
//   blocks   0 1 2 3 4 | 5 6 7 8 9 | ...        worker 0 begins at 0, worker 1 at 5; who is done goes on with the next stretch
//
// Cost: that of a grzParallelFor of as many items as workers, and an atomic addition a block. On two cores passes over
//   15,000 touches took longer than on one, where blocks went to whoever came first.
// Threads: as grzParallelFor.
#ifndef GRAZE_BASE_NEAR_LOOP_H
#define GRAZE_BASE_NEAR_LOOP_H

#include "graze/tasks.h"

void grzParallelForNear(grzTasks* tasks, uint32_t count, uint32_t grain, grzTaskFn* fn, void* context);

#endif
