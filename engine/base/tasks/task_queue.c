// What: shares jobs among the workers of a grzTasks.
// Promise: every block runs once; no call waits for ever.
// Idea: an open job hangs in a queue. Who has nothing to do takes the oldest job that has unclaimed blocks, claims
// blocks one by one with a counter, and goes back to the queue. Whoever opened a job claims its blocks too, to the
// last one, and then waits for those who are still inside; meanwhile it helps with other jobs.
//
//   queue   first -> [job, depth 0, owner 0] <-> [job, depth 1, owner 2] <-> ... <- last
//   stacks  worker 0: block of the first, helping      worker 2: block of the first > owner of the second
//
// Holds: a job in the queue is open and lives; it is closed under the lock by the first who finds no unclaimed
// block, after which nobody enters. A job is done when it is drained and nobody is inside. Everything but the
// claims and the peeks of those who spin happens under one lock, held for some ten instructions.
//
// Why no deadlock: a thread waits for a block that another thread began after the job was opened, and that thread,
// if it waits, does so for a job that was opened later still. So a chain of waits never closes.
//
// Why bounded stacks: a waiting thread only takes jobs at least as deep as the one it waits for, so each wait on a
// stack lies deeper than the one below; helping needs no more stack than the nesting of the program does.
//
// Who wakes whom: opening a job wakes one sleeper, and everyone who enters a job while there is more wakes two, so
// that many workers are up in few steps and a small loop pays for one. Sleeping needs the lock and an empty queue.
//
// Cost: an uncontended loop takes the lock twice.
// Threads: this is where they meet.
#include "task_queue.h"

#include <sched.h>

#include "check.h"
#include "clock.h"
#include "float_modes.h"
#include "task_awake.h"

#define WAKES_PER_ENTRY 2

// About what a sleeping thread takes to wake. Longer would cover larger gaps between loops, but burn a core that
// somebody else may need.
#define SPIN_NANOSECONDS 20000
// While it is to stay awake: longer than what lies between the loops of a step. With more threads than processors it would take time
// from those who work.
#define AWAKE_NANOSECONDS 200000
#define PEEKS_PER_CLOCK   16
#define LOCK_ATTEMPTS     100

static _Thread_local grzSeat* t_seats;

grzSeat* grzFindSeat(const grzTasks* tasks) {
    grzSeat* seat = t_seats;
    while (seat != NULL && seat->tasks != tasks)
        seat = seat->below;
    return seat;
}

bool grzIsInsideTasks(void) {
    return t_seats != NULL;
}

void grzTakeSeat(grzSeat* seat, const grzTasks* tasks, uint32_t worker, uint32_t depth) {
    *seat = (grzSeat){tasks, t_seats, worker, depth};
    t_seats = seat;
}

void grzLeaveSeat(const grzSeat* seat) {
    GRZ_ASSERT(t_seats == seat);
    t_seats = seat->below;
}

// A second thread from outside would sit on the seat of worker 0 as well, and both would sleep on it for ever. To
// run its loop at once would need an index that is nobody's, which its scratch has no room for; so it waits.
static void takeTurn(grzTasks* tasks) {
    if (pthread_mutex_trylock(&tasks->turn) != 0) {
        grzLog(grz_logError,
               "two threads call one grzTasks from outside at a time: the second waits for the first");
        pthread_mutex_lock(&tasks->turn);
    }
    atomic_store(&tasks->occupied, true);
}

grzSeat* grzTasks_Enter(grzTasks* tasks, grzSeat* fresh) {
    grzSeat* seat = grzFindSeat(tasks);
    if (seat != NULL)
        return seat;
    takeTurn(tasks);
    grzTakeSeat(fresh, tasks, 0, 0);
    return fresh;
}

void grzTasks_Exit(grzTasks* tasks, const grzSeat* seat, const grzSeat* fresh) {
    if (seat != fresh)
        return;
    grzFinishHelpers(tasks);
    GRZ_VALIDATE(grzTasks_Validate(tasks, true));
    grzLeaveSeat(fresh);
    atomic_store(&tasks->occupied, false);
    pthread_mutex_unlock(&tasks->turn);
}

static void pauseBriefly(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

// The lock is held so briefly that the holder is nearly always done before a system call would be.
void grzTasks_Lock(grzTasks* tasks) {
    for (int i = 0; i < LOCK_ATTEMPTS; ++i) {
        if (pthread_mutex_trylock(&tasks->lock) == 0)
            return;
        pauseBriefly();
    }
    pthread_mutex_lock(&tasks->lock);
}

void grzTasks_Unlock(grzTasks* tasks) {
    pthread_mutex_unlock(&tasks->lock);
}

void grzJob_Init(grzJob* job, grzTaskFn* fn, void* context, uint32_t count, uint32_t grain) {
    job->fn = fn;
    job->context = context;
    job->count = count;
    job->grain = grain != 0 ? grain : grzDefaultGrain(count);
    job->blockCount = grzBlockCount(count, grain);
    job->depth = 0;
    job->owner = NULL;
    job->previous = job->next = NULL;
    job->open = job->hasModes = false;
    job->modes = 0;
    atomic_init(&job->inside, 0);
    atomic_init(&job->nextBlock, 0);
}

static void runBlock(const grzJob* job, uint32_t block, uint32_t worker) {
    uint32_t begin = block * job->grain;
    uint32_t size = job->count - begin < job->grain ? job->count - begin : job->grain;
    const uint64_t before = job->hasModes ? grzFloatModes_Get() : 0;
    if (job->hasModes)
        grzFloatModes_Set(job->modes);
    job->fn(begin, begin + size, worker, job->context);
    if (job->hasModes)
        grzFloatModes_Set(before);
}

void grzJob_RunSerially(const grzJob* job, uint32_t worker) {
    for (uint32_t block = 0; block < job->blockCount; ++block)
        runBlock(job, block, worker);
}

// Relaxed: under the lock it decides only whether to enter, and a claim by another thread meanwhile is harmless.
static uint32_t unclaimedBlocks(const grzJob* job) {
    uint64_t next = atomic_load_explicit(&job->nextBlock, memory_order_relaxed);
    return next < job->blockCount ? (uint32_t)(job->blockCount - next) : 0;
}

void grzTasks_InitAwake(grzTasks* tasks) {
    atomic_init(&tasks->awakeCount, 0);
    tasks->awakeNanoseconds = tasks->workerCount <= grzProcessorCount() ? AWAKE_NANOSECONDS : SPIN_NANOSECONDS;
}

// Relaxed in both: how long somebody looks about orders nothing.
void grzTasks_StayAwake(grzTasks* tasks) {
    if (tasks != NULL)
        atomic_fetch_add_explicit(&tasks->awakeCount, 1, memory_order_relaxed);
}

void grzTasks_MaySleep(grzTasks* tasks) {
    if (tasks != NULL)
        atomic_fetch_sub_explicit(&tasks->awakeCount, 1, memory_order_relaxed);
}

void grzTasks_Open(grzTasks* tasks, grzJob* job) {
    GRZ_ASSERT(!job->open && job->blockCount > 0);
    job->open = true;
    job->next = NULL;
    job->previous = tasks->last;
    if (tasks->last != NULL)
        tasks->last->next = job;
    else
        tasks->first = job;
    tasks->last = job;
    // Relaxed: whoever sees the new value takes the lock before it looks at the queue.
    atomic_fetch_add_explicit(&tasks->epoch, 1, memory_order_relaxed);
}

static void closeJob(grzTasks* tasks, grzJob* job) {
    if (!job->open)
        return;
    job->open = false;
    if (job->previous != NULL)
        job->previous->next = job->next;
    else
        tasks->first = job->next;
    if (job->next != NULL)
        job->next->previous = job->previous;
    else
        tasks->last = job->previous;
}

// Under the lock: the oldest open job with unclaimed blocks that lies at least so deep. Old jobs are large ones.
static grzJob* pickJob(grzTasks* tasks, uint32_t depth) {
    grzJob* job = tasks->first;
    while (job != NULL) {
        grzJob* next = job->next;
        if (unclaimedBlocks(job) == 0)
            closeJob(tasks, job);
        else if (job->depth >= depth)
            return job;
        job = next;
    }
    return NULL;
}

// Whom to call once the lock is free. One stretch under the lock calls at most the owner of a job that ended and
// those who are needed for the next one.
typedef struct Calls {
    grzWorker* wake[1 + WAKES_PER_ENTRY];
    uint32_t wakeCount;
    grzHelper* spawn[WAKES_PER_ENTRY];
    uint32_t spawnCount;
} Calls;

static void wakeSleeper(grzTasks* tasks, grzWorker* worker, Calls* calls) {
    grzWorker** link = &tasks->sleepers;
    while (*link != worker)
        link = &(*link)->nextSleeper;
    *link = worker->nextSleeper;
    worker->asleep = false;
    GRZ_ASSERT(calls->wakeCount < sizeof calls->wake / sizeof calls->wake[0]);
    calls->wake[calls->wakeCount++] = worker;
}

// Calls one more thread to job.
static void callFor(grzTasks* tasks, const grzJob* job, Calls* calls) {
    if (job->owner->asleep && job->owner->depth <= job->depth) {
        wakeSleeper(tasks, job->owner, calls);
        return;
    }
    if (tasks->lookers > 0)
        return;
    for (grzWorker* sleeper = tasks->sleepers; sleeper != NULL; sleeper = sleeper->nextSleeper) {
        if (sleeper->depth <= job->depth) {
            wakeSleeper(tasks, sleeper, calls);
            return;
        }
    }
    grzHelper* helper = grzReserveHelper(tasks);
    if (helper != NULL)
        calls->spawn[calls->spawnCount++] = helper;
}

// Signalling and spawning are system calls or the host's, so they stay outside of the lock.
static void unlockAndCall(grzTasks* tasks, Calls* calls) {
    grzTasks_Unlock(tasks);
    for (uint32_t i = 0; i < calls->wakeCount; ++i)
        pthread_cond_signal(&calls->wake[i]->wake);
    for (uint32_t i = 0; i < calls->spawnCount; ++i)
        grzSpawnHelper(calls->spawn[i]);
    calls->wakeCount = calls->spawnCount = 0;
}

// Claims and runs blocks until there are none, or until *left is 0.
static void runBlocks(grzJob* job, grzSeat* seat, const _Atomic uint32_t* left) {
    uint32_t depth = seat->depth;
    seat->depth = job->depth + 1;
    // Relaxed: a hint to stop early; whoever acts on it takes the lock first.
    while (atomic_load_explicit(left, memory_order_relaxed) != 0) {
        // Relaxed: the claim need only be unique. What the blocks read was ordered before them by the lock under
        // which this thread entered, and what they write is ordered before the end by the one under which it
        // leaves the job.
        uint64_t block = atomic_fetch_add_explicit(&job->nextBlock, 1, memory_order_relaxed);
        if (block >= job->blockCount)
            break;
        runBlock(job, (uint32_t)block, seat->worker);
    }
    seat->depth = depth;
}

// Relaxed in both: written only under the lock. Those who peek without it take it before they act.
static void enterJob(grzJob* job) {
    uint32_t inside = atomic_load_explicit(&job->inside, memory_order_relaxed);
    atomic_store_explicit(&job->inside, inside + 1, memory_order_relaxed);
}

static void leaveJob(grzTasks* tasks, grzJob* job, Calls* calls) {
    grzWorker* owner = job->owner;
    uint32_t inside = atomic_load_explicit(&job->inside, memory_order_relaxed) - 1;
    atomic_store_explicit(&job->inside, inside, memory_order_relaxed);
    if (inside > 0 || unclaimedBlocks(job) > 0)
        return;
    closeJob(tasks, job);
    if (owner->asleep)
        wakeSleeper(tasks, owner, calls);
}

// Entered and left with the lock.
static void helpWhileOpen(grzTasks* tasks, grzSeat* seat, const _Atomic uint32_t* left, Calls* calls) {
    bool hasHelped = false;
    // Relaxed here and below: read under the lock.
    while (atomic_load_explicit(left, memory_order_relaxed) != 0) {
        grzJob* job = pickJob(tasks, seat->depth);
        if (job == NULL)
            return;
        hasHelped = true;
        enterJob(job);
        bool more = unclaimedBlocks(job) > 1 || job->next != NULL;
        for (int i = 0; more && i < WAKES_PER_ENTRY; ++i)
            callFor(tasks, job, calls);
        unlockAndCall(tasks, calls);
        runBlocks(job, seat, left);
        grzTasks_Lock(tasks);
        leaveJob(tasks, job, calls);
    }
    // It goes back to its own work, and may be the only one who was called for what it leaves behind.
    grzJob* behind = hasHelped ? pickJob(tasks, 0) : NULL;
    if (behind != NULL)
        callFor(tasks, behind, calls);
}

void grzTasks_Help(grzTasks* tasks, grzSeat* seat, grzHelper* helper) {
    Calls calls = {0};
    grzTasks_Lock(tasks);
    helpWhileOpen(tasks, seat, &tasks->running, &calls);
    helper->underWay = false;
    unlockAndCall(tasks, &calls);
}

// Relaxed: a hint.
static uint64_t spinTime(const grzTasks* tasks, bool isIdle) {
    const bool isToStay = isIdle && atomic_load_explicit(&tasks->awakeCount, memory_order_relaxed) != 0;
    return isToStay ? tasks->awakeNanoseconds : SPIN_NANOSECONDS;
}

// Peeks without the lock until there is something to look at, or for a time.
static void spin(const grzTasks* tasks, const _Atomic uint32_t* left, uint32_t seen, bool isIdle) {
    const uint64_t start = grzMonotonicNanoseconds();
    uint64_t passed;
    do {
        for (int i = 0; i < PEEKS_PER_CLOCK; ++i) {
            // Relaxed: only hints; the caller takes the lock and looks again.
            if (atomic_load_explicit(left, memory_order_relaxed) == 0 ||
                atomic_load_explicit(&tasks->epoch, memory_order_relaxed) != seen)
                return;
            pauseBriefly();
        }
        passed = grzMonotonicNanoseconds() - start;
        if (passed >= SPIN_NANOSECONDS)
            sched_yield(); // whoever else needs this core goes first
    } while (passed < spinTime(tasks, isIdle));
}

static void sleepUntilCalled(grzTasks* tasks, const grzSeat* seat) {
    grzWorker* worker = &tasks->workers[seat->worker];
    GRZ_ASSERT(!worker->asleep);
    worker->depth = seat->depth;
    worker->nextSleeper = tasks->sleepers;
    tasks->sleepers = worker;
    worker->asleep = true;
    while (worker->asleep)
        pthread_cond_wait(&worker->wake, &tasks->lock);
}

// Entered and left with the lock.
static void waitFor(grzTasks* tasks, grzSeat* seat, const _Atomic uint32_t* left, bool isIdle, Calls* calls) {
    for (;;) {
        helpWhileOpen(tasks, seat, left, calls);
        // Relaxed here and below: read under the lock.
        if (atomic_load_explicit(left, memory_order_relaxed) == 0)
            return;
        uint32_t seen = atomic_load_explicit(&tasks->epoch, memory_order_relaxed);
        tasks->lookers += isIdle ? 1 : 0;
        unlockAndCall(tasks, calls);
        spin(tasks, left, seen, isIdle);
        grzTasks_Lock(tasks);
        tasks->lookers -= isIdle ? 1 : 0;
        if (atomic_load_explicit(left, memory_order_relaxed) != 0 &&
            atomic_load_explicit(&tasks->epoch, memory_order_relaxed) == seen)
            sleepUntilCalled(tasks, seat);
    }
}

void grzTasks_WaitFor(grzTasks* tasks, grzSeat* seat, const _Atomic uint32_t* left, bool isIdle) {
    Calls calls = {0};
    grzTasks_Lock(tasks);
    waitFor(tasks, seat, left, isIdle, &calls);
    unlockAndCall(tasks, &calls);
}

void grzTasks_Share(grzTasks* tasks, grzSeat* seat, grzJob* job) {
    Calls calls = {0};
    job->depth = seat->depth;
    job->owner = &tasks->workers[seat->worker];
    enterJob(job);
    grzTasks_Lock(tasks);
    grzTasks_Open(tasks, job);
    callFor(tasks, job, &calls);
    unlockAndCall(tasks, &calls);
    runBlocks(job, seat, &job->inside); // never 0 while the owner is inside
    grzTasks_Lock(tasks);
    leaveJob(tasks, job, &calls);
    waitFor(tasks, seat, &job->inside, false, &calls);
    GRZ_ASSERT(!job->open);
    unlockAndCall(tasks, &calls);
}

static bool queueIsSound(const grzTasks* tasks) {
    const grzJob* last = NULL;
    for (const grzJob* job = tasks->first; job != NULL; job = job->next) {
        if (!job->open || job->previous != last || job->blockCount == 0 || job->owner == NULL)
            return false;
        last = job;
    }
    return tasks->last == last;
}

static bool sleepersAreSound(const grzTasks* tasks) {
    uint32_t listed = 0, asleep = 0;
    for (const grzWorker* worker = tasks->sleepers; worker != NULL && listed <= tasks->workerCount; ++listed) {
        if (!worker->asleep)
            return false;
        worker = worker->nextSleeper;
    }
    for (uint32_t i = 0; i < tasks->workerCount; ++i)
        asleep += tasks->workers[i].asleep ? 1 : 0;
    return listed == asleep && tasks->lookers <= tasks->threadCount;
}

static bool helpersAreQuiet(const grzTasks* tasks) {
    for (uint32_t i = 0; tasks->helpers != NULL && i + 1 < tasks->workerCount; ++i) {
        const grzHelper* helper = &tasks->helpers[i];
        if (helper->asking || helper->underWay || helper->handle != NULL)
            return false;
    }
    return true;
}

bool grzTasks_Validate(grzTasks* tasks, bool isQuiet) {
    grzTasks_Lock(tasks);
    bool sound = queueIsSound(tasks) && sleepersAreSound(tasks);
    if (isQuiet)
        sound = sound && tasks->first == NULL && helpersAreQuiet(tasks);
    grzTasks_Unlock(tasks);
    return sound;
}
