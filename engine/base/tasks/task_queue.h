// The inside of grzTasks: jobs that are open to everyone, and how threads come to them, wait and sleep. Shared by
// tasks.c (loops), task_threads.c and task_host.c (where workers come from).
#ifndef GRAZE_BASE_TASK_QUEUE_H
#define GRAZE_BASE_TASK_QUEUE_H

#include <pthread.h>
#include <stdatomic.h>

#include "graze/tasks.h"
#include "uses.h"

typedef struct grzJob grzJob;
typedef struct grzWorker grzWorker;

// A loop in blocks. It lives in the frame of whoever waits for it, never in the queue, so their number
// is not limited. Everything below `owner` is guarded by the lock, except nextBlock.
struct grzJob {
    grzTaskFn* fn;
    void* context;
    uint32_t count, grain, blockCount;
    uint32_t depth;          // how many tasks lie below it on the stack of its maker
    grzWorker* owner;        // waits for it
    grzJob *previous, *next; // neighbours in the queue, older first
    bool open;               // in the queue
    bool hasModes;           // its blocks run with `modes` (float_modes.h); else with those of the thread
    uint64_t modes;
    _Atomic uint32_t inside; // threads at it; written under the lock, read without it by a waiting owner
    // Apart, because every claim takes this line away from the others, who read the above.
    _Alignas(64) _Atomic uint64_t nextBlock; // may pass blockCount by one for each thread
};

// A thread's place in one grzTasks, in the frame where it came in; all of a thread's places form a list.
typedef struct grzSeat {
    const grzTasks* tasks;
    struct grzSeat* below;
    uint32_t worker;
    uint32_t depth; // the depth of a job that would be made now
} grzSeat;

// A run that was asked of the host. There are workerCount - 1. Guarded by the lock, but `handle` belongs to the
// thread that asks while `asking` is set.
typedef struct grzHelper {
    grzTasks* tasks;
    void* handle;       // to be finished; NULL: nothing is
    bool asking;        // the host's spawn is being called
    bool underWay;      // asked for and not returned
    atomic_bool isOver; // of a run on OpenMP's threads: it has returned (task_openmp.c)
} grzHelper;

// What one worker sleeps on. Guarded by the lock.
struct grzWorker {
    _Alignas(64) pthread_cond_t wake;
    grzWorker* nextSleeper;
    uint32_t depth; // while asleep: wake it for jobs that lie at least so deep
    bool asleep;
    grzTasks* tasks;
    uint32_t index;
    pthread_t thread; // not of worker 0, and not with a host
};

struct grzTasks {
    grzAllocator allocator;
    grzUses uses;     // by worlds
    grzTaskHost host; // spawn NULL: own threads
    size_t stackSize;
    uint32_t workerCount;
    uint32_t threadCount;      // started
    uint32_t wakeCount;        // workers whose condition exists
    uint64_t awakeNanoseconds; // that an idle thread looks about for work while it is to stay awake (task_awake.h)
    grzWorker* workers;
    grzHelper* helpers;        // workerCount - 1; NULL without a host
    bool isTeam;               // the host is OpenMP (task_openmp.c)
    _Atomic uint32_t teamRuns; // under way

    pthread_mutex_t turn; // held by the thread that has come in from outside, for as long as it stays
    atomic_bool occupied; // whether there is one

    pthread_mutex_t lock;
    // Guarded by the lock.
    grzJob *first, *last;
    grzWorker* sleepers;
    uint32_t lookers; // own threads that are awake, idle and will look at the queue before they sleep
    // Written under the lock, read without it by those who spin.
    _Alignas(64) _Atomic uint32_t epoch; // counts the jobs opened
    _Atomic uint32_t running;            // 1 until Destroy: what an idle thread waits for
    _Atomic uint32_t awakeCount;         // calls of StayAwake that are open; written by anybody
};

// The seat of this thread in tasks, or NULL.
grzSeat* grzFindSeat(const grzTasks* tasks);
// Whether this thread is at work in any grzTasks.
bool grzIsInsideTasks(void);
// Puts seat on top of this thread's list, and takes it off.
void grzTakeSeat(grzSeat* seat, const grzTasks* tasks, uint32_t worker, uint32_t depth);
void grzLeaveSeat(const grzSeat* seat);

// The seat of the caller: the one it has, or `fresh` for a thread that comes from outside. Each Enter has its Exit.
grzSeat* grzTasks_Enter(grzTasks* tasks, grzSeat* fresh);
void grzTasks_Exit(grzTasks* tasks, const grzSeat* seat, const grzSeat* fresh);

void grzTasks_Lock(grzTasks* tasks);
void grzTasks_Unlock(grzTasks* tasks);

void grzJob_Init(grzJob* job, grzTaskFn* fn, void* context, uint32_t count, uint32_t grain);
// All blocks in order, on this thread.
void grzJob_RunSerially(const grzJob* job, uint32_t worker);
// Under the lock: puts a job with at least one block at the end of the queue.
void grzTasks_Open(grzTasks* tasks, grzJob* job);

// Opens the job, runs and shares it, and returns when it is done. The job's depth and owner are set here.
void grzTasks_Share(grzTasks* tasks, grzSeat* seat, grzJob* job);

// Nobody is to stay awake.
void grzTasks_InitAwake(grzTasks* tasks);

// Returns when *left is 0, which happens under the lock. Until then runs open jobs at least as deep as the seat,
// and sleeps when there are none. isIdle: an own thread without a job, on whose next look at the queue others
// may count.
void grzTasks_WaitFor(grzTasks* tasks, grzSeat* seat, const _Atomic uint32_t* left, bool isIdle);

// Runs open jobs until there are none, and marks the helper as returned before anyone can open another.
void grzTasks_Help(grzTasks* tasks, grzSeat* seat, grzHelper* helper);

// Checks the queue, the sleepers and the helpers. isQuiet: also that nothing is open or under way.
bool grzTasks_Validate(grzTasks* tasks, bool isQuiet);

// task_threads.c
// As many as the process may use, at least 1 and at most GRZ_MAX_WORKERS.
uint32_t grzProcessorCount(void);
grzResult grzStartThreads(grzTasks* tasks);
// Ends the threads that were started.
void grzStopThreads(grzTasks* tasks);

// task_host.c
// Under the lock: a helper to ask the host for, marked as under way; NULL without a host or where all are.
grzHelper* grzReserveHelper(grzTasks* tasks);
// Without the lock: asks for it.
void grzSpawnHelper(grzHelper* helper);
// Without the lock, when no job is open: returns when all helpers have returned.
void grzFinishHelpers(grzTasks* tasks);

#endif
