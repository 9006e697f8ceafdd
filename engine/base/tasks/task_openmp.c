// What: OpenMP's threads as the workers of a grzTasks.
// Idea: a loop from outside is one parallel region. Its first thread, which is the caller, does what it does with any host; the others
//       wait at the region's end, where OpenMP has them run what the first one spawns: a helper that goes on until no job is open.
// Promise: who does a block is all that differs from threads of our own, so the bytes are the same.
// Limits: a region that OpenMP makes smaller than asked for (a host's own region around it, a limit of threads) has fewer helpers. A run
//         is begun only while a thread is left for it, so that nobody waits for one that cannot begin.
#include "task_openmp.h"

#include <stdatomic.h>

#if defined(GRAZE_OPENMP)
#    include <omp.h>
#    include <sched.h>

#    include "openmp.h"

bool grzHasOpenMp(void) {
    return true;
}

static void* spawn(void* context, grzHostRunFn* run, void* runContext) {
    grzTasks* tasks = context;
    grzHelper* helper = runContext;
    if (atomic_fetch_add(&tasks->teamRuns, 1) + 1 >= (uint32_t)omp_get_num_threads()) {
        atomic_fetch_sub(&tasks->teamRuns, 1);
        return NULL;
    }
    atomic_store(&helper->isOver, false);
    GRZ_OMP_PRAGMA(omp task firstprivate(tasks, helper, run)) {
        run((uint32_t)omp_get_thread_num(), helper);
        atomic_fetch_sub(&tasks->teamRuns, 1);
        atomic_store(&helper->isOver, true);
    }
    return helper;
}

// A helper ends as soon as no job is open, so this takes no longer than its last block.
static void finish(void* context, void* handle) {
    (void)context;
    while (!atomic_load(&((grzHelper*)handle)->isOver))
        sched_yield();
}

void grzTeam_Share(grzTasks* tasks, grzSeat* seat, grzJob* job) {
    GRZ_OMP_PRAGMA(omp parallel num_threads((int)tasks->workerCount)) {
        GRZ_OMP_PRAGMA(omp master) {
            grzTasks_Share(tasks, seat, job);
            grzFinishHelpers(tasks);
        }
    }
}

grzTaskHost grzTeam_Host(grzTasks* tasks) {
    return (grzTaskHost){tasks, tasks->workerCount, spawn, finish};
}

#else

bool grzHasOpenMp(void) {
    return false;
}

void grzTeam_Share(grzTasks* tasks, grzSeat* seat, grzJob* job) {
    grzTasks_Share(tasks, seat, job);
}

grzTaskHost grzTeam_Host(grzTasks* tasks) {
    (void)tasks;
    return (grzTaskHost){0};
}

#endif
