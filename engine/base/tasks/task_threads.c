// What: the threads behind a grzTasks without a host.     Promise: a start that fails leaves none behind.
// Threads: started and ended by the thread that creates and destroys the grzTasks.
#if defined(__linux__)
#    define _GNU_SOURCE // pthread_setname_np, sched_getaffinity
#endif
#include "task_queue.h"

#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "result_make.h"

static uint32_t countProcessors(void) {
#if defined(__linux__)
    // A container or taskset may allow fewer than are online. Fails where there are more than the set can name.
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) == 0 && CPU_COUNT(&allowed) > 0)
        return (uint32_t)CPU_COUNT(&allowed);
#endif
    long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count > 0 && count < INT_MAX ? (uint32_t)count : 1;
}

uint32_t grzProcessorCount(void) {
    uint32_t count = countProcessors();
    return count < GRZ_MAX_WORKERS ? count : GRZ_MAX_WORKERS;
}

static void nameThread(uint32_t worker) {
#if defined(__linux__)
    char name[16]; // what Linux has room for
    snprintf(name, sizeof name, "graze-%u", (unsigned)worker);
    pthread_setname_np(pthread_self(), name);
#else
    (void)worker;
#endif
}

static void* threadMain(void* argument) {
    const grzWorker* worker = argument;
    grzTasks* tasks = worker->tasks;
    nameThread(worker->index);
    grzSeat seat;
    grzTakeSeat(&seat, tasks, worker->index, 0);
    grzTasks_WaitFor(tasks, &seat, &tasks->running, true);
    grzLeaveSeat(&seat);
    return NULL;
}

static int startAll(grzTasks* tasks, const pthread_attr_t* attributes) {
    // A thread inherits the mask: the host's signals are for the host's threads.
    sigset_t all, before;
    sigfillset(&all);
    int error = pthread_sigmask(SIG_SETMASK, &all, &before);
    if (error != 0)
        return error;
    while (error == 0 && tasks->threadCount < tasks->workerCount - 1) {
        grzWorker* worker = &tasks->workers[tasks->threadCount + 1];
        error = pthread_create(&worker->thread, attributes, threadMain, worker);
        if (error == 0)
            tasks->threadCount++;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error;
}

grzResult grzStartThreads(grzTasks* tasks) {
    pthread_attr_t attributes;
    int error = pthread_attr_init(&attributes);
    if (error != 0)
        return grzFail(grz_systemFailed, (uint64_t)error);
    if (tasks->stackSize != 0)
        error = pthread_attr_setstacksize(&attributes, tasks->stackSize);
    if (error == 0)
        error = startAll(tasks, &attributes);
    pthread_attr_destroy(&attributes);
    if (error == 0)
        return grzOk();
    grzStopThreads(tasks);
    return grzFail(grz_systemFailed, (uint64_t)error);
}

void grzStopThreads(grzTasks* tasks) {
    grzTasks_Lock(tasks);
    // Relaxed: written under the lock, and who peeks takes the lock before it acts.
    atomic_store_explicit(&tasks->running, 0, memory_order_relaxed);
    for (grzWorker* worker = tasks->sleepers; worker != NULL; worker = worker->nextSleeper) {
        worker->asleep = false;
        pthread_cond_signal(&worker->wake);
    }
    tasks->sleepers = NULL;
    grzTasks_Unlock(tasks);
    for (uint32_t i = 1; i <= tasks->threadCount; ++i)
        pthread_join(tasks->workers[i].thread, NULL);
    tasks->threadCount = 0;
}
