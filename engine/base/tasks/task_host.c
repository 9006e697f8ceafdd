// What: lets the host's workers do what own threads do.
// Promise: never more than workerCount - 1 runs under way; no handle is forgotten, and nobody waits for a run while
//          there is work.
// Idea: where an own thread would be woken, the host is asked for a run that helps with open jobs until there are
//       none. There are as many records of runs as may be under way, made with the grzTasks; one that has returned
//       is used again, and its old handle finished then, which is prompt. The call from outside finishes the rest
//       before it returns. So nothing is allocated.
// Limits: a run that the host is slow to begin keeps its record, so that less help is asked for meanwhile.
#include "check.h"
#include "task_queue.h"

grzHelper* grzReserveHelper(grzTasks* tasks) {
    if (tasks->helpers == NULL)
        return NULL;
    for (uint32_t i = 0; i + 1 < tasks->workerCount; ++i) {
        grzHelper* helper = &tasks->helpers[i];
        if (!helper->asking && !helper->underWay) {
            helper->asking = true;
            helper->underWay = true;
            return helper;
        }
    }
    return NULL;
}

static void runHelper(uint32_t worker, void* runContext) {
    grzHelper* helper = runContext;
    grzTasks* tasks = helper->tasks;
    grzSeat* seat = grzFindSeat(tasks);
    if (seat != NULL) { // inside spawn or finish
        grzTasks_Help(tasks, seat, helper);
        return;
    }
    grzSeat fresh;
    GRZ_ASSERT(worker < tasks->workerCount);
    grzTakeSeat(&fresh, tasks, worker, 0);
    grzTasks_Help(tasks, &fresh, helper);
    grzLeaveSeat(&fresh);
}

void grzSpawnHelper(grzHelper* helper) {
    grzTasks* tasks = helper->tasks;
    const grzTaskHost* host = &tasks->host;
    if (helper->handle != NULL)
        host->finish(host->context, helper->handle);
    helper->handle = host->spawn(host->context, runHelper, helper);
    grzTasks_Lock(tasks);
    helper->asking = false;
    if (helper->handle == NULL) // it has returned, or will never be run
        helper->underWay = false;
    grzTasks_Unlock(tasks);
}

// A handle that must be finished, taken out of its record, or NULL.
static void* takeHandle(grzTasks* tasks) {
    void* handle = NULL;
    grzTasks_Lock(tasks);
    for (uint32_t i = 0; handle == NULL && i + 1 < tasks->workerCount; ++i) {
        grzHelper* helper = &tasks->helpers[i];
        if (!helper->asking) {
            handle = helper->handle;
            helper->handle = NULL;
        }
    }
    grzTasks_Unlock(tasks);
    return handle;
}

// Where a record is still being asked for, the thread that does so is inside another run, and that run's record is
// finished before; so one pass after the other ends with none.
void grzFinishHelpers(grzTasks* tasks) {
    if (tasks->helpers == NULL)
        return;
    void* handle;
    while ((handle = takeHandle(tasks)) != NULL)
        tasks->host.finish(tasks->host.context, handle);
}
