// Hosts for grzTaskHost, from the friendly to the awkward:
//
//   test_hostBlocks   threads with a queue; finish does nothing but wait
//   test_hostHelps    the same, but finish runs waiting tasks, the newest first, whosever they are
//   test_hostInline   everything runs in spawn
//   test_hostLazy     nothing runs before finish
//   test_hostRefuses  spawn returns NULL and runs nothing
//   test_hostSerial   spawn runs and returns NULL
//   test_hostMoody    one of the above per spawn, by turns
#ifndef GRAZE_TESTS_TASK_HOSTS_H
#define GRAZE_TESTS_TASK_HOSTS_H

#include <pthread.h>
#include <stdatomic.h>

#include "testing.h"

#include "graze/tasks.h"

typedef enum TestHostKind {
    test_hostBlocks,
    test_hostHelps,
    test_hostInline,
    test_hostLazy,
    test_hostRefuses,
    test_hostSerial,
    test_hostMoody,
} TestHostKind;

#define TEST_HOST_KINDS 7

typedef struct TestHostTask {
    grzHostRunFn* run;
    void* runContext;
    struct TestHostTask* next;
    bool begun, done;
} TestHostTask;

typedef struct TestHost {
    TestHostKind kind;
    uint32_t workerCount;
    pthread_t threads[16];
    pthread_mutex_t lock;
    pthread_cond_t changed;
    TestHostTask* waiting; // newest first
    uint32_t workersStarted;
    bool stop;
    _Atomic uint32_t spawned, finished, underWay, faults;
} TestHost;

static _Thread_local uint32_t t_hostWorker; // 0 on the test's own thread

static inline void testHostRun(TestHost* host, TestHostTask* task) {
    task->run(t_hostWorker, task->runContext);
    host->underWay--;
    pthread_mutex_lock(&host->lock);
    task->done = true;
    pthread_cond_broadcast(&host->changed);
    pthread_mutex_unlock(&host->lock);
}

// Under the lock.
static inline TestHostTask* testHostTake(TestHost* host) {
    TestHostTask* task = host->waiting;
    if (task != NULL) {
        host->waiting = task->next;
        task->begun = true;
    }
    return task;
}

static inline void* testHostThread(void* argument) {
    TestHost* host = (TestHost*)argument;
    pthread_mutex_lock(&host->lock);
    t_hostWorker = ++host->workersStarted;
    while (!host->stop) {
        TestHostTask* task = testHostTake(host);
        if (task == NULL) {
            pthread_cond_wait(&host->changed, &host->lock);
            continue;
        }
        pthread_mutex_unlock(&host->lock);
        testHostRun(host, task);
        pthread_mutex_lock(&host->lock);
    }
    pthread_mutex_unlock(&host->lock);
    return NULL;
}

static inline TestHostTask* testHostQueue(TestHost* host, grzHostRunFn* run, void* runContext) {
    TestHostTask* task = (TestHostTask*)calloc(1, sizeof *task);
    task->run = run;
    task->runContext = runContext;
    pthread_mutex_lock(&host->lock);
    task->next = host->waiting;
    host->waiting = task;
    pthread_cond_broadcast(&host->changed);
    pthread_mutex_unlock(&host->lock);
    return task;
}

static inline TestHostTask* testHostRunNow(TestHost* host, grzHostRunFn* run, void* runContext) {
    TestHostTask* task = (TestHostTask*)calloc(1, sizeof *task);
    task->run = run;
    task->runContext = runContext;
    task->begun = true;
    testHostRun(host, task);
    return task;
}

static inline bool testHostHasThreads(const TestHost* host) {
    return host->kind == test_hostBlocks || host->kind == test_hostHelps || host->kind == test_hostMoody;
}

static inline void* testHostSpawn(void* context, grzHostRunFn* run, void* runContext) {
    TestHost* host = (TestHost*)context;
    TestHostKind kind = host->kind;
    if (kind == test_hostMoody)
        kind = (TestHostKind)((host->spawned + host->finished * 3) % test_hostMoody);
    if (kind == test_hostRefuses)
        return NULL;
    if (++host->underWay >= host->workerCount)
        host->faults++; // more than was promised
    if (kind == test_hostSerial) {
        run(t_hostWorker, runContext);
        host->underWay--;
        host->spawned++;
        host->finished++;
        return NULL;
    }
    host->spawned++;
    return kind == test_hostInline ? testHostRunNow(host, run, runContext) : testHostQueue(host, run, runContext);
}

static inline void testHostFinish(void* context, void* handle) {
    TestHost* host = (TestHost*)context;
    TestHostTask* task = (TestHostTask*)handle;
    bool runsTasks = host->kind != test_hostBlocks;
    pthread_mutex_lock(&host->lock);
    while (!task->done) {
        TestHostTask* other = runsTasks ? testHostTake(host) : NULL;
        if (other == NULL) {
            pthread_cond_wait(&host->changed, &host->lock);
            continue;
        }
        pthread_mutex_unlock(&host->lock);
        testHostRun(host, other);
        pthread_mutex_lock(&host->lock);
    }
    pthread_mutex_unlock(&host->lock);
    free(task);
    host->finished++;
}

static inline grzTaskHost testHost_Start(TestHost* host, uint32_t workerCount) {
    host->workerCount = workerCount;
    host->stop = false;
    host->workersStarted = 0;
    pthread_mutex_init(&host->lock, NULL);
    pthread_cond_init(&host->changed, NULL);
    for (uint32_t i = 1; testHostHasThreads(host) && i < workerCount; ++i)
        assert_int_equal(pthread_create(&host->threads[i], NULL, testHostThread, host), 0);
    grzTaskHost result = {host, workerCount, testHostSpawn, testHostFinish};
    return result;
}

static inline void testHost_Stop(TestHost* host) {
    pthread_mutex_lock(&host->lock);
    host->stop = true;
    pthread_cond_broadcast(&host->changed);
    pthread_mutex_unlock(&host->lock);
    for (uint32_t i = 1; testHostHasThreads(host) && i < host->workerCount; ++i)
        pthread_join(host->threads[i], NULL);
    pthread_cond_destroy(&host->changed);
    pthread_mutex_destroy(&host->lock);
}

#endif
