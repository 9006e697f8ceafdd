// What: making and ending a grzTasks, and the parallel loop.     Promise: a failed creation leaves nothing behind.
// The work itself is in task_queue.c; where the workers come from, in task_threads.c and task_host.c.
#include "graze/tasks.h"
#include "task_uses.h"

#include <string.h>

#include "check.h"
#include "float_modes.h"
#include "memory.h"
#include "refuse_null.h"
#include "result_make.h"
#include "task_openmp.h"
#include "task_queue.h"
#include "task_worker.h"

#define TASKS_DEF_MARK 0x7461736Bu // "task"

grzTasksDef grzDefaultTasksDef(void) {
    grzTasksDef def;
    memset(&def, 0, sizeof def);
    def.mark = TASKS_DEF_MARK;
    return def;
}

GRZ_STATIC_ASSERT(GRZ_MAX_WORKERS == 1024, "as the sentences say");

// What is wrong with a def that was made by its function, or NULL.
static const char* flawOf(const grzTasksDef* def) {
    const grzTaskHost* host = &def->host;
    if (def->workerCount > GRZ_MAX_WORKERS)
        return "workerCount is above 1024";
    if (def->useOpenMp && host->spawn != NULL)
        return "there is a host, and useOpenMp";
    if (host->spawn == NULL && (host->finish != NULL || host->context != NULL || host->workerCount != 0))
        return "the host has other fields but no spawn";
    if (host->spawn == NULL)
        return NULL;
    if (host->finish == NULL)
        return "the host has spawn but no finish";
    if (host->workerCount == 0 || host->workerCount > GRZ_MAX_WORKERS)
        return "the host's workerCount is not from 1 to 1024";
    return NULL;
}

static grzResult checkDef(const grzTasksDef* def) {
    if (def == NULL || def->mark != TASKS_DEF_MARK)
        return grzFail(grz_badDef, 0);
    if (def->useOpenMp && !grzHasOpenMp())
        return grzBecause(grzFail(grz_notSupported, 0), "graze was built without OpenMP");
    const char* flaw = flawOf(def);
    return flaw == NULL ? grzCheckAllocator(def->allocator, 1) : grzBecause(grzFail(grz_badArgument, 1), flaw);
}

// Gives back what there is, in any state of creation.
static void release(grzTasks* tasks) {
    grzAllocator allocator = tasks->allocator;
    for (uint32_t i = 0; i < tasks->wakeCount; ++i)
        pthread_cond_destroy(&tasks->workers[i].wake);
    pthread_mutex_destroy(&tasks->lock);
    pthread_mutex_destroy(&tasks->turn);
    if (tasks->helpers != NULL)
        grzRelease(&allocator, tasks->helpers, tasks->workerCount - 1, sizeof(grzHelper), _Alignof(grzHelper));
    grzRelease(&allocator, tasks->workers, tasks->workerCount, sizeof(grzWorker), _Alignof(grzWorker));
    grzRelease(&allocator, tasks, 1, sizeof(grzTasks), _Alignof(grzTasks));
}

static grzResult makeWorkers(grzTasks* tasks) {
    grzWorker* workers = grzAllocate(&tasks->allocator, tasks->workerCount, sizeof(grzWorker), _Alignof(grzWorker));
    if (workers == NULL)
        return grzNoMemory(tasks->workerCount, sizeof(grzWorker));
    memset(workers, 0, tasks->workerCount * sizeof(grzWorker));
    tasks->workers = workers;
    for (uint32_t i = 0; i < tasks->workerCount; ++i) {
        workers[i].tasks = tasks;
        workers[i].index = i;
        int error = pthread_cond_init(&workers[i].wake, NULL);
        if (error != 0)
            return grzFail(grz_systemFailed, (uint64_t)error);
        tasks->wakeCount++;
    }
    return grzOk();
}

static grzResult makeHelpers(grzTasks* tasks) {
    uint32_t count = tasks->workerCount - 1;
    if (count == 0)
        return grzOk();
    tasks->helpers = grzAllocate(&tasks->allocator, count, sizeof(grzHelper), _Alignof(grzHelper));
    if (tasks->helpers == NULL)
        return grzNoMemory(count, sizeof(grzHelper));
    memset(tasks->helpers, 0, count * sizeof(grzHelper));
    for (uint32_t i = 0; i < count; ++i)
        tasks->helpers[i].tasks = tasks;
    return grzOk();
}

// Both or none; 0, or the system's error.
static int makeLocks(grzTasks* tasks) {
    int error = pthread_mutex_init(&tasks->lock, NULL);
    if (error != 0)
        return error;
    error = pthread_mutex_init(&tasks->turn, NULL);
    if (error != 0)
        pthread_mutex_destroy(&tasks->lock);
    return error;
}

static grzResult makeTasks(const grzTasksDef* def, grzTasks** made) {
    grzAllocator allocator = grzAllocator_OrDefault(def->allocator);
    grzTasks* tasks = grzAllocate(&allocator, 1, sizeof(grzTasks), _Alignof(grzTasks));
    if (tasks == NULL)
        return grzNoMemory(1, sizeof(grzTasks));
    memset(tasks, 0, sizeof *tasks);
    int error = makeLocks(tasks);
    if (error != 0) {
        grzRelease(&allocator, tasks, 1, sizeof(grzTasks), _Alignof(grzTasks));
        return grzFail(grz_systemFailed, (uint64_t)error);
    }
    tasks->allocator = allocator;
    tasks->host = def->host;
    tasks->stackSize = def->stackSize;
    tasks->workerCount = def->workerCount != 0 ? def->workerCount : grzProcessorCount();
    if (def->host.spawn != NULL)
        tasks->workerCount = def->host.workerCount;
    tasks->isTeam = def->useOpenMp;
    if (tasks->isTeam)
        tasks->host = grzTeam_Host(tasks);
    atomic_init(&tasks->teamRuns, 0);
    atomic_init(&tasks->occupied, false);
    atomic_init(&tasks->epoch, 0);
    atomic_init(&tasks->running, 1);
    grzTasks_InitAwake(tasks);
    *made = tasks;
    return grzOk();
}

grzResult grzTasks_Create(const grzTasksDef* def, grzTasks** tasks) {
    GRZ_REFUSE_NULL(tasks, 2);
    *tasks = NULL;
    grzResult result = checkDef(def);
    if (!grzResult_IsOk(result))
        return result;
    grzTasks* made = NULL;
    result = makeTasks(def, &made);
    if (!grzResult_IsOk(result))
        return result;
    result = makeWorkers(made);
    if (grzResult_IsOk(result))
        result = made->host.spawn != NULL ? makeHelpers(made) : grzStartThreads(made);
    if (grzResult_IsOk(result))
        *tasks = made;
    else
        release(made);
    return result;
}

void grzTasks_Destroy(grzTasks* tasks) {
    if (tasks == NULL || !grzUses_AreOver(&tasks->uses, "pool of tasks", "worlds"))
        return;
    GRZ_ASSERT(!atomic_load(&tasks->occupied) && tasks->first == NULL);
    grzStopThreads(tasks);
    release(tasks);
}

grzUses* grzTasks_Uses(grzTasks* tasks) {
    return tasks != NULL ? &tasks->uses : NULL;
}

uint32_t grzTasks_WorkerCount(const grzTasks* tasks) {
    return tasks != NULL ? tasks->workerCount : 1;
}

uint32_t grzTasks_Worker(const grzTasks* tasks) {
    const grzSeat* seat = tasks != NULL ? grzFindSeat(tasks) : NULL;
    return seat != NULL ? seat->worker : 0;
}

void grzParallelFor(grzTasks* tasks, uint32_t count, uint32_t grain, grzTaskFn* fn, void* context) {
    GRZ_RETURN_IF_NULL(fn, );
    if (count == 0)
        return;
    grzJob job;
    grzJob_Init(&job, fn, context, count, grain);
    if (tasks == NULL) {
        grzJob_RunSerially(&job, 0);
        return;
    }
    job.hasModes = true;
    job.modes = grzFloatModes_Get();
    grzSeat fresh;
    grzSeat* seat = grzTasks_Enter(tasks, &fresh);
    if (tasks->workerCount == 1 || job.blockCount == 1)
        grzJob_RunSerially(&job, seat->worker);
    else if (tasks->isTeam && seat == &fresh)
        grzTeam_Share(tasks, seat, &job);
    else
        grzTasks_Share(tasks, seat, &job);
    grzTasks_Exit(tasks, seat, &fresh);
}
